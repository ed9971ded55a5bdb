# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The programs tssa-compile and tssa-run, as commands of a Python environment."""

import os
import sys

from ._errors import Error
from ._package import find_program


def run_program(name, arguments):
    """Makes this process the program."""
    try:
        path = find_program(name)
        os.execv(path, [path, *arguments])
    except (Error, OSError) as error:
        sys.exit(f"{name}: error: {error}")


def compile_model():
    run_program("tssa-compile", sys.argv[1:])


def run_model():
    run_program("tssa-run", sys.argv[1:])
