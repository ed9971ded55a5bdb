# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiles PyTorch programs and ONNX models with TSSA, and runs them.

    import tssa
    fast = tssa.compile(function)      # compiled at its first call
    session = tssa.Session("model.so") # or "model.onnx"
"""

from ._errors import Error, UnsupportedError
from ._runtime import version as _version
from ._session import Session
from ._compile import compile

__all__ = ["Error", "Session", "UnsupportedError", "compile"]
__version__ = _version()
