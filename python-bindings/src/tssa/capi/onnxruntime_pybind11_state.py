# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The exceptions under the names that ONNX Runtime gives them."""

from .._errors import Error as Fail
from .._errors import Error as RuntimeException
from .._errors import InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile
from .._errors import Error as NotImplemented

__all__ = ["Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "NotImplemented", "RuntimeException"]
