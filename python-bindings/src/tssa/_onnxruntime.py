# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The module `onnxruntime` for programs that import it, and what it says of itself."""

import importlib.abc
import importlib.machinery
import platform
import sys
import types
from typing import Any, Callable, NoReturn

from . import _runtime
from ._errors import Error
from ._package import find_tool

#: The version of ONNX Runtime whose interface this package follows.
API_VERSION = "1.31.1"
_NAME = "onnxruntime"


def get_version_string() -> str:
    return str(_runtime.version())


def get_build_info() -> str:
    return f"TSSA {_runtime.version()}, with the interface of ONNX Runtime {API_VERSION}"


def print_debug_info() -> None:
    """Prints the versions, and where the compiler is."""
    try:
        tool = find_tool()
    except Error as error:
        tool = str(error)
    print(f"{get_build_info()}\nPython {platform.python_version()} on {platform.platform()}\ntssa-compile: {tool}")


def has_collective_ops() -> bool:
    return False


def disable_telemetry_events() -> None:
    """There is no telemetry."""


def enable_telemetry_events() -> None:
    """There is no telemetry to enable."""


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: Any = None) -> None:
    """There is nothing to load: what is compiled needs neither CUDA's libraries nor cuDNN."""


class _Finder(importlib.abc.MetaPathFinder):
    """Says why the modules of ONNX Runtime that do not run models cannot be imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.startswith(f"{_NAME}."):
            raise ImportError(f"'{name}' is not offered: tssa runs models only; use ONNX Runtime in a process of its own",
                              name=name)


def use_as_onnxruntime() -> types.ModuleType:
    """Makes `import onnxruntime` import this package, in this process from now on. May be called again.

    The module's `__version__` is that of the interface (API_VERSION), since programs compare it. Returns the module.
    RuntimeError: ONNX Runtime has been imported before.
    """
    found = sys.modules.get(_NAME)
    if found is not None and not hasattr(found, "__tssa__"):
        raise RuntimeError("onnxruntime is imported already: call tssa.use_as_onnxruntime() before the first import of it")
    return found if found is not None else _register()


def _register() -> types.ModuleType:
    package = sys.modules[__package__]
    state = package.capi.onnxruntime_pybind11_state
    shown = {name: getattr(package, name) for name in package.__all__}
    module = _make_module(_NAME, package.__getattr__, **shown)
    module.__dict__.update(__version__=API_VERSION, version=API_VERSION, get_version_string=lambda: API_VERSION,
                           package_name=_NAME, cuda_version="", import_capi_exception=None, __tssa__=package)
    module.capi = _make_module(f"{_NAME}.capi", _refuse_part)
    for name in ("onnxruntime_pybind11_state", "_pybind_state"):
        setattr(module.capi, name, state)
        sys.modules[f"{_NAME}.capi.{name}"] = state
    module.capi.onnxruntime_inference_collection = module
    sys.modules.update({f"{_NAME}.capi.onnxruntime_inference_collection": module, f"{_NAME}.capi": module.capi, _NAME: module})
    sys.meta_path.insert(0, _Finder())
    return module


def _make_module(name: str, find: Callable[[str], Any], **shown: Any) -> Any:
    module = types.ModuleType(name, "TSSA with the interface of ONNX Runtime.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__dict__.update(shown, __path__=[], __getattr__=find)
    return module


def _refuse_part(name: str) -> NoReturn:
    raise AttributeError(f"module '{_NAME}.capi' has no attribute '{name}'")
