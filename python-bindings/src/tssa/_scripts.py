# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The programs tssa-compile, tssa-run and tssa-tune, as commands of a Python environment."""

import importlib.util
import os
import sys

from ._errors import Error
from ._package import find_program


def run_program(name, arguments):
    """Makes this process the program."""
    try:
        path = find_program(name)
        os.execve(path, [path, *arguments], {**_find_libraries(), **os.environ})
    except (Error, OSError) as error:
        sys.exit(f"{name}: error: {error}")


def _find_libraries():
    """Returns the variable that names the library of the Python package xgboost; no variable without the package."""
    found = importlib.util.find_spec("xgboost")
    if found is None or not found.origin:
        return {}
    path = os.path.join(os.path.dirname(found.origin), "lib", "libxgboost.so")
    return {"TSSA_XGBOOST": path} if os.path.exists(path) else {}


def compile_model():
    run_program("tssa-compile", sys.argv[1:])


def run_model():
    run_program("tssa-run", sys.argv[1:])


def tune_model():
    run_program("tssa-tune", sys.argv[1:])
