# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The exceptions under the names that ONNX Runtime gives them, and the classes of the package."""

import importlib

from .._errors import Error as Fail
from .._errors import Error as RuntimeException
from .._errors import InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile
from .._errors import Error as NotImplemented

__all__ = ["EPFail", "EngineError", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "ModelLoadCanceled",
           "ModelLoaded", "ModelRequiresCompilation", "NoModel", "NoSuchFile", "NotFound", "NotImplemented", "RuntimeException"]


class _NeverRaised(Fail):
    """An error that ONNX Runtime has and this package does not: programs name it in handlers."""


class EPFail(_NeverRaised):
    """A provider has failed."""


class EngineError(_NeverRaised):
    """An engine has failed."""


class ModelLoadCanceled(_NeverRaised):
    """Loading was ended by the program."""


class ModelLoaded(_NeverRaised):
    """The model is loaded already."""


class ModelRequiresCompilation(_NeverRaised):
    """The model was compiled for another provider."""


class NoModel(_NeverRaised):
    """There is no model."""


class NotFound(_NeverRaised):
    """Something is not found."""


def __getattr__(name):
    return getattr(importlib.import_module(__package__.rpartition(".")[0]), name)
