# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import enum
import os
from types import TracebackType
from typing import Any, Callable, Mapping, NamedTuple, Optional, Protocol, Sequence, TypeVar, Union, overload

from typing_extensions import ParamSpec

import numpy
import numpy.typing

class Error(RuntimeError):
    code: int
    node: str
    def __init__(self, message: str, code: int = 0, node: str = "") -> None: ...

class InvalidArgument(Error, ValueError): ...
class InvalidGraph(Error): ...
class InvalidProtobuf(Error): ...
class NoSuchFile(Error, FileNotFoundError): ...
class NotImplemented(Error, NotImplementedError): ...

class CompileWarning(UserWarning): ...

class UnsupportedError(Error):
    problems: list[str]
    def __init__(self, problems: Sequence[str]) -> None: ...

class Progress(NamedTuple):
    model: str
    step: str
    done: int
    kernels: int
    seconds: float

class NodeArg(NamedTuple):
    name: str
    type: str
    shape: list[Union[int, str, None]]

class ModelMetadata(NamedTuple):
    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]

class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1

class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2

class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99

class SessionOptions:
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_mem_reuse: bool
    enable_profiling: bool
    execution_mode: ExecutionMode
    execution_order: ExecutionOrder
    graph_optimization_level: GraphOptimizationLevel
    inter_op_num_threads: int
    intra_op_num_threads: int
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    optimized_model_filepath: str
    profile_file_prefix: str
    use_deterministic_compute: bool
    def __init__(self) -> None: ...
    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None: ...
    def add_free_dimension_override_by_denotation(self, denotation: str, dim_value: int) -> None: ...
    def add_constant(self, input_name: str, value: Any) -> None: ...
    def add_input_shape(self, input_name: str, shape: Sequence[Union[int, str, None]]) -> None: ...
    def add_session_config_entry(self, key: str, value: str) -> None: ...
    def get_session_config_entry(self, key: str) -> str: ...
    def has_session_config_entry(self, key: str) -> bool: ...
    def add_initializer(self, name: str, value: Any) -> None: ...
    def add_external_initializers(self, names: list[str], values: list[Any]) -> None: ...
    def register_custom_ops_library(self, path: str) -> None: ...
    def enable_registered_custom_ops(self) -> None: ...

class RunOptions:
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    only_execute_path_to_fetches: bool
    terminate: bool
    timeout: float
    training_mode: bool
    def __init__(self) -> None: ...
    def add_run_config_entry(self, key: str, value: str) -> None: ...
    def get_run_config_entry(self, key: str) -> str: ...

class _HasDLPack(Protocol):
    def __dlpack__(self) -> Any: ...

class _ModelProto(Protocol):
    def SerializeToString(self) -> bytes: ...

_Array = numpy.typing.NDArray[Any]
_Inputs = Mapping[str, Union[numpy.typing.ArrayLike, _HasDLPack]]
_Path = Union[str, os.PathLike[str]]
_Providers = Sequence[Union[str, tuple[str, dict[str, Any]]]]

class Session:
    def __init__(
        self,
        path: _Path,
        target: str = "cpu",
        device: str = "auto",
        threads: int = 0,
        seed: Optional[int] = None,
        verify: bool = True,
        tuned: Optional[_Path] = None,
        input_shapes: Optional[Mapping[str, Sequence[Union[int, str, None]]]] = None,
        precision: str = "f32",
    ) -> None: ...
    def __enter__(self: _S) -> _S: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def close(self) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(self, output_names: Optional[Sequence[str]], inputs: _Inputs) -> list[_Array]: ...

_S = TypeVar("_S", bound=Session)

class InferenceSession(Session):
    def __init__(
        self,
        model: Union[_Path, bytes, bytearray, memoryview, _ModelProto],
        sess_options: Optional[SessionOptions] = None,
        providers: Optional[_Providers] = None,
        provider_options: Optional[Sequence[dict[str, Any]]] = None,
        *,
        target: str = "cpu",
        device: str = "auto",
        seed: Optional[int] = None,
        verify: bool = True,
        tuned: Optional[_Path] = None,
    ) -> None: ...
    def run(
        self, output_names: Optional[Sequence[str]], input_feed: _Inputs, run_options: Optional[RunOptions] = None
    ) -> list[_Array]: ...
    def get_modelmeta(self) -> ModelMetadata: ...
    def end_profiling(self) -> str: ...
    def get_profiling_start_time_ns(self) -> int: ...
    def get_overridable_initializers(self) -> list[NodeArg]: ...
    def get_providers(self) -> list[str]: ...
    def get_provider_options(self) -> dict[str, dict[str, str]]: ...
    def get_session_options(self) -> SessionOptions: ...
    def set_providers(
        self, providers: Optional[_Providers] = None, provider_options: Optional[Sequence[dict[str, Any]]] = None
    ) -> None: ...
    def enable_fallback(self) -> None: ...
    def disable_fallback(self) -> None: ...

_P = ParamSpec("_P")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)

class _Compiled(Protocol[_P, _R_co]):
    @property
    def num_binaries(self) -> int: ...
    @property
    def compiled_program(self) -> Any: ...
    def prepare(self, *args: _P.args, **kwargs: _P.kwargs) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...

@overload
def compile(
    program: Callable[_P, _R],
    example_inputs: Optional[tuple[Any, ...]] = None,
    target: str = "cpu",
    *,
    device: str = "auto",
    threads: int = 0,
    dynamic: Optional[bool] = None,
    check: bool = False,
    tuned: Optional[_Path] = None,
) -> _Compiled[_P, _R]: ...
@overload
def compile(
    program: _Path,
    example_inputs: None = None,
    target: str = "cpu",
    *,
    device: str = "auto",
    threads: int = 0,
    dynamic: Optional[bool] = None,
    check: bool = False,
    tuned: Optional[_Path] = None,
) -> Session: ...
@overload
def compile(
    program: None = None,
    example_inputs: Optional[tuple[Any, ...]] = None,
    target: str = "cpu",
    *,
    device: str = "auto",
    threads: int = 0,
    dynamic: Optional[bool] = None,
    check: bool = False,
    tuned: Optional[_Path] = None,
) -> Callable[[Callable[_P, _R]], _Compiled[_P, _R]]: ...
def get_all_providers() -> list[str]: ...
def get_available_providers() -> list[str]: ...
def get_cmake_dir() -> str: ...
def get_device() -> str: ...
def set_default_logger_severity(severity: int) -> None: ...
def set_progress(function: Optional[Callable[[Progress], object]]) -> Optional[Callable[[Progress], object]]: ...
def show_progress(progress: Progress) -> None: ...

__version__: str
__all__: list[str]
