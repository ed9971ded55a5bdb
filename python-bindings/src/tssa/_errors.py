# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The exceptions of the package."""


#: The code of a run that was given tensors that it cannot take.
INVALID_ARGUMENT = 1


class Error(RuntimeError):
    """A program that cannot be compiled or a run that failed.

    code: a number of tssa_code (tssa/abi.h) from a run, the exit code of tssa-compile from a
    compilation. node: where in the user's program, or "".
    """

    def __init__(self, message, code=0, node=""):
        super().__init__(message)
        self.code = code
        self.node = node


class UnsupportedError(Error):
    """The program may be valid, but this compiler does not support it.

    problems: every reason, one line each, with file and line where they are known.
    """

    def __init__(self, problems):
        self.problems = list(problems)
        super().__init__("\n".join(["the program is not supported:", *self.problems]), code=3)
