# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The exceptions of this package."""


#: The code of a run whose arguments do not fit the program.
INVALID_ARGUMENT = 1


class Error(RuntimeError):
    """A program that cannot be compiled or a run that failed.

    code: for a run a number of tssa_code (tssa/abi.h), for a compilation the exit code of
    tssa-compile. node: the position in the user's program, or "".
    """

    def __init__(self, message, code=0, node=""):
        super().__init__(message)
        self.code = code
        self.node = node


class InvalidArgument(Error, ValueError):
    """An input of a session has a wrong name, element type, rank or size, or is missing."""


class NoSuchFile(Error, FileNotFoundError):
    """A model or a folder of records is not there."""

    def __str__(self):
        return RuntimeError.__str__(self)


class InvalidProtobuf(Error):
    """A file or bytes are no ONNX model."""


class InvalidGraph(Error):
    """An ONNX model is well-formed, but its graph is not valid."""


class NotImplemented(Error, NotImplementedError):  # pylint: disable=redefined-builtin
    """What ONNX Runtime offers and this package does not. The text says what to do instead."""


class CompileWarning(UserWarning):
    """What the compiler warns of."""


class Signal(Exception):
    """What tells the recorder to record in another way. It is no error, and programs never see it."""


class UnsupportedError(Error):
    """The program may be valid, but this compiler does not support it.

    problems: every reason, one line each, with file and line where they are known.
    """

    def __init__(self, problems):
        self.problems = list(problems)
        super().__init__("\n".join(["the program is not supported:", *self.problems]), code=3)
