# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What ONNX Runtime has and this package has not: names that say on use what to do instead."""

from typing import Any, Callable, NoReturn

from ._errors import NotImplemented as Unavailable

_ADAPTERS = "adapters are not offered: merge their weights into those of the model"
_DEVICES = "a session chooses no device by itself: target='cuda:sm_90' of tssa.InferenceSession compiles for a GPU"
_PLUGINS = "providers are part of this package: target= of tssa.InferenceSession says what to compile for"
_MEMORY = "memory is planned when a model is compiled, and has no allocators to choose"
_CONTEXTS = "there are no models with compiled parts: tssa-compile MODEL -o FILE keeps what was compiled"
_SPARSE = "sparse tensors are not offered: give a dense array"

#: Names of the module.
MODULE = {
    "AdapterFormat": _ADAPTERS, "LoraAdapter": _ADAPTERS,
    "ModelCompiler": _CONTEXTS, "OrtCompileApiFlags": _CONTEXTS, "OrtEpContextData": _CONTEXTS,
    "OrtEpContextDataBuffer": _CONTEXTS,
    "OrtArenaCfg": _MEMORY, "create_and_register_allocator": _MEMORY, "create_and_register_allocator_v2": _MEMORY,
    "OrtEpAssignedNode": _DEVICES, "OrtEpAssignedSubgraph": _DEVICES, "OrtEpDevice": _DEVICES,
    "OrtExecutionProviderDevicePolicy": _DEVICES, "OrtHardwareDevice": _DEVICES, "OrtHardwareDeviceType": _DEVICES,
    "get_ep_devices": _DEVICES,
    "OrtExternalInitializerInfo": "weights are compiled into a model: write them into the ONNX file",
    "OrtSyncStream": "runs are waited for, and have no streams",
    "SessionIOBinding": "a binding is made by io_binding() of a session",
    "SparseTensor": _SPARSE, "OrtSparseFormat": _SPARSE,
    "onnxruntime_validation": "it checks ONNX Runtime's installation: print_debug_info() describes this one",
    "register_execution_provider_library": _PLUGINS, "unregister_execution_provider_library": _PLUGINS,
    "set_global_thread_pool_sizes": "each session has threads of its own: set intra_op_num_threads in the SessionOptions",
}


class _Refused(type):
    """The type of a name for nothing: it can be imported, and raises NotImplemented when it is used."""

    way: str

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        raise Unavailable(cls.way)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
        raise Unavailable(cls.way)


def find_name(name: str) -> Any:
    """Returns what stands for a name of ONNX Runtime's module. AttributeError: it has no such name."""
    if name not in MODULE:
        raise AttributeError(f"module 'tssa' has no attribute '{name}'")
    return _Refused(name, (), {"way": f"{name}: {MODULE[name]}"})


def refuse(way: str) -> Callable[..., NoReturn]:
    """Returns a method that raises NotImplemented with what to do instead."""

    def refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unavailable(way)

    return refused
