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
                         set_default_logger_severity, set_default_logger_verbosity, set_seed)
from ._iobinding import IOBinding
from ._modelmeta import ModelMetadata
from ._onnxruntime import (disable_telemetry_events, enable_telemetry_events, get_build_info, get_version_string,
                           has_collective_ops, preload_dlls, print_debug_info, use_as_onnxruntime)
from ._ort_devices import (OrtAllocatorType, OrtDevice, OrtDeviceMemoryType, OrtDeviceVendorId, OrtMemoryInfo,
                           OrtMemoryInfoDeviceType, OrtMemType)
from ._ort_values import OrtValue, copy_tensors
from ._refusals import find_name as __getattr__
from ._session_options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._compile import compile
from ._operators import register_onnx_operator
from ._progress import Progress, set_progress, show_progress
from ._package import get_cmake_dir
from .capi import onnxruntime_pybind11_state as _exceptions  # tssa.capi is there without an import of its own

__all__ = ["CompileWarning", "Error", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding",
           "InferenceSession", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "ModelMetadata", "NoSuchFile", "NodeArg",
           "NotImplemented", "OrtAllocatorType", "OrtDevice", "OrtDeviceMemoryType", "OrtDeviceVendorId", "OrtMemType",
           "OrtMemoryInfo", "OrtMemoryInfoDeviceType", "OrtValue", "Progress", "RunOptions", "Session", "SessionOptions",
           "UnsupportedError", "compile", "copy_tensors", "disable_telemetry_events", "enable_telemetry_events",
           "get_all_providers", "get_available_providers", "get_build_info", "get_cmake_dir", "get_device",
           "get_version_string", "has_collective_ops", "preload_dlls", "print_debug_info", "register_onnx_operator",
           "set_default_logger_severity", "set_default_logger_verbosity", "set_progress", "set_seed", "show_progress",
           "use_as_onnxruntime"]
__version__ = _version()
#: What ONNX Runtime's module says of itself in names of its own.
package_name, version, cuda_version, import_capi_exception = "tssa", __version__, "", None
