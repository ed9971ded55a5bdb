# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs blocks of Python one after the other with the same names, and prints what the last one prints.

usage: python_session.py FILE...

An error of the last one is its last line, as Python writes it, and exit code 1. An error of those before does not stop
the session, as in an interactive one. Modules come from the current folder, too.
"""

import contextlib
import io
import os
import sys
import traceback


def run(path, names):
    """Runs a file. Returns its error, or None."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        exec(compile(text, os.path.abspath(path), "exec"), names)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-exception-caught
        return error
    return None


def main():
    *before, last = sys.argv[1:]
    names = {"__name__": "__main__"}
    sys.path[0] = os.getcwd()  # not this file's folder
    for path in before:
        with contextlib.redirect_stdout(io.StringIO()):
            run(path, names)
    error = run(last, names)
    if error:
        print("".join(traceback.format_exception_only(error)), end="")
    return 1 if error else 0


sys.exit(main())
