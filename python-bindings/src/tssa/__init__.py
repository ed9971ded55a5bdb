# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiles PyTorch programs and ONNX models with TSSA, and runs them.

    import tssa
    fast = tssa.compile(function)      # compiled at its first call
    session = tssa.Session("model.so") # or "model.onnx"

Programs that use ONNX Runtime run after `import tssa as onnxruntime`: tssa.InferenceSession has its names and types.
"""

from ._errors import CompileWarning, Error, InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile, NotImplemented, UnsupportedError
from ._runtime import version as _version
from ._session import NodeArg, Session
from ._inference import (InferenceSession, get_all_providers, get_available_providers, get_device,
                         set_default_logger_severity)
from ._modelmeta import ModelMetadata
from ._session_options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._compile import compile
from ._progress import Progress, set_progress, show_progress
from ._package import get_cmake_dir
from .capi import onnxruntime_pybind11_state as _exceptions  # tssa.capi is there without an import of its own

__all__ = ["CompileWarning", "Error", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "InferenceSession",
           "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "ModelMetadata", "NoSuchFile", "NodeArg", "NotImplemented",
           "Progress", "RunOptions", "Session", "SessionOptions", "UnsupportedError", "compile", "get_all_providers",
           "get_available_providers", "get_cmake_dir", "get_device", "set_default_logger_severity", "set_progress",
           "show_progress"]
__version__ = _version()
