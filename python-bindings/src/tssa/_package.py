# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the package contains besides Python: programs, and what C and C++ programs need."""

import os
import shutil

from ._config import TSSA_COMPILE
from ._errors import Error

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def find_tool():
    """Returns the path of the compiler: $TSSA_COMPILE, that of the package, or one in PATH."""
    own = TSSA_COMPILE or os.path.join(_FOLDER, "bin", "tssa-compile")
    for path in (os.environ.get("TSSA_COMPILE"), own, shutil.which("tssa-compile")):
        if path and os.access(path, os.X_OK):
            return path
    raise Error("tssa-compile is not found: set TSSA_COMPILE to its path")


def list_programs():
    """Returns the names of the programs beside tssa-compile, which is among them."""
    folder = os.path.dirname(find_tool())
    names = (name for name in os.listdir(folder) if name.startswith("tssa-"))
    return sorted(name for name in names if shutil.which(os.path.join(folder, name)))


def find_program(name):
    """Returns the path of a program that is in one folder with tssa-compile."""
    path = os.path.join(os.path.dirname(find_tool()), name)
    if not os.access(path, os.X_OK):
        raise Error(f"{name} is not found beside tssa-compile")
    return path


def get_cmake_dir():
    """Returns the folder for -DTSSA_DIR=, with which find_package(TSSA) of CMake finds this package.

    tssa.Error: this installation was made from a build of the C++ side, whose own installation has that folder.
    """
    path = os.path.join(_FOLDER, "lib", "cmake", "TSSA")
    if not os.path.isdir(path):
        raise Error("this installation has no CMake package: install a wheel, or the C++ side with cmake --install")
    return path
