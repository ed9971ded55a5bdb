# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The programs tssa-compile and tssa-run, as commands of a Python environment."""

import os
import sys

from ._errors import Error
from ._package import find_program


def _run(name):
    try:
        path = find_program(name)
        os.execv(path, [path, *sys.argv[1:]])
    except (Error, OSError) as error:
        sys.exit(f"{name}: error: {error}")


def compile_model():
    _run("tssa-compile")


def run_model():
    _run("tssa-run")
