# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""SessionOptions and RunOptions, with the names and defaults of ONNX Runtime.

An option takes effect, or says that it has none (a warning when the session is made), or is refused. None is ignored
in silence.
"""

import contextlib
import enum
import warnings
from typing import Any, Dict, Iterator, List, Tuple

import numpy

from ._errors import NotImplemented as Unavailable
from ._shapes import format_shape, list_shape_options


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class _Attributes:
    """Attributes with defaults. A name that is not among them is refused, as is a value of another type."""

    _defaults: Dict[str, Any] = {}

    def __init__(self) -> None:
        self.__dict__.update(self._defaults)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"{type(self).__name__} has no option '{name}'")
        kind = type(self._defaults[name])
        if isinstance(value, bool) != (kind is bool) or not isinstance(value, (int, kind) if kind is not str else str):
            raise TypeError(f"{name} is {kind.__name__}, got {value!r}")
        self.__dict__[name] = kind(value)


#: Options of a run, and below of a session, that a compiled model has no use for: their default, and why another value has
#: no effect.
_OF_RUNS: Dict[str, Tuple[Any, str]] = {
    "log_severity_level": (-1, "a run logs nothing: set it in the SessionOptions"),
    "log_verbosity_level": (0, "a run logs nothing"),
    "logid": ("", "a run logs nothing: set it in the SessionOptions"),
    "only_execute_path_to_fetches": (False, "a model is compiled as a whole"),
}
_WITHOUT_EFFECT: Dict[str, Tuple[Any, str]] = {
    "execution_mode": (ExecutionMode.ORT_SEQUENTIAL, "kernels run one after the other, each on all threads"),
    "execution_order": (ExecutionOrder.DEFAULT, "the order is fixed when a model is compiled"),
    "inter_op_num_threads": (0, "kernels run one after the other, each on all threads"),
    "enable_cpu_mem_arena": (True, "memory is planned when a model is compiled"),
    "enable_mem_pattern": (True, "memory is planned when a model is compiled"),
    "enable_mem_reuse": (True, "memory is planned when a model is compiled"),
    "log_verbosity_level": (0, "messages differ by severity only: log_severity_level"),
}


class SessionOptions(_Attributes):
    """Options of an InferenceSession, as in ONNX Runtime.

    intra_op_num_threads: threads of a run; 0: one for each core. log_severity_level: of the messages of the session that go
    to the logger `tssa`: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal; -1: the default of set_default_logger_severity.
    enable_profiling: each run is timed launch by launch, which takes a little longer; end_profiling() of the session writes
    the times to profile_file_prefix + "_<date>_<time>.json".
    use_deterministic_compute: results are the same bits on any number of threads in any case.
    graph_optimization_level: a model is compiled as a whole in any case; a level below all of them gives a warning.
    """

    _defaults = {
        **{name: default for name, (default, _) in _WITHOUT_EFFECT.items()},
        "enable_profiling": False,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "intra_op_num_threads": 0,
        "log_severity_level": -1,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxruntime_profile_",
        "use_deterministic_compute": False,
    }

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_sizes={}, _entries={}, _constants={}, _shapes={})

    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None:
        """Fixes the size of a named dim."""
        if dim_value < 0:
            raise ValueError(f"the size of dim '{dim_name}' is at least 0, got {dim_value}")
        self._sizes[dim_name] = int(dim_value)

    def add_free_dimension_override_by_denotation(self, denotation: str, dim_value: int) -> None:
        raise Unavailable("dims are fixed by name only: add_free_dimension_override_by_name")

    def add_constant(self, input_name: str, value: Any) -> None:
        """Makes an input of the model a constant. It is TSSA's own.

        value: a number or bool, or an array or list of them. Only its elements count, in row-major order, and not its shape.
        """
        array = numpy.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"a constant is of numbers and bools, got {value!r}")
        texts = [str(element).lower() for element in array.ravel().tolist()]
        self._constants[input_name] = f"[{','.join(texts)}]" if array.ndim else texts[0]

    def add_input_shape(self, input_name: str, shape: Any) -> None:
        """Gives an input of the model a shape, which one without a shape needs. It is TSSA's own.

        shape: sizes, names of dims that have one size in a run, and None for any size.
        """
        format_shape(input_name, shape)
        self._shapes[input_name] = tuple(shape)

    def add_session_config_entry(self, key: str, value: str) -> None:
        if key == "session.set_denormal_as_zero" and value == "1":
            raise Unavailable("denormal numbers are kept: they cannot be set to zero")
        self._entries[str(key)] = str(value)

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise Unavailable(f"there is no configuration entry '{key}'")
        return self._entries[key]

    def has_session_config_entry(self, key: str) -> bool:
        return key in self._entries

    def add_initializer(self, name: str, value: Any) -> None:
        raise Unavailable("weights are compiled into a model: write them into the ONNX file")

    def add_external_initializers(self, names: List[str], values: List[Any]) -> None:
        raise Unavailable("weights are compiled into a model: write them into the ONNX file")

    def register_custom_ops_library(self, path: str) -> None:
        raise Unavailable("libraries of custom operators cannot be loaded: express the operator as an ONNX function")

    def enable_registered_custom_ops(self) -> None:
        raise Unavailable("libraries of custom operators cannot be loaded: express the operator as an ONNX function")

    def check(self) -> None:
        """Refuses what is not offered, and warns of what has no effect."""
        if self.optimized_model_filepath:
            raise Unavailable("there is no optimized ONNX model: tssa-compile MODEL -o FILE keeps what was compiled")
        for name, (default, reason) in _WITHOUT_EFFECT.items():
            if getattr(self, name) != default:
                _warn(name, reason)
        if self.graph_optimization_level != GraphOptimizationLevel.ORT_ENABLE_ALL:
            _warn("graph_optimization_level", "a model is compiled as a whole")
        for key in self._entries:
            _warn(f"the configuration entry '{key}'", "it is one of ONNX Runtime's kernels or allocators")

    def list_compile_options(self) -> List[str]:
        return [*(f"--dim={name}={size}" for name, size in self._sizes.items()),
                *(f"--const={name}={text}" for name, text in self._constants.items()), *list_shape_options(self._shapes)]


def _warn(what: str, reason: str) -> None:
    """Warns the caller of what calls check()."""
    warnings.warn(f"{what} has no effect: {reason}", stacklevel=4)


class RunOptions(_Attributes):
    """Options of one run, as in ONNX Runtime.

    timeout: seconds after which the run ends with an error; 0: none. It is TSSA's own.
    terminate: whether runs with these options end at once; may be set while one runs.
    """

    _defaults = {
        **{name: default for name, (default, _) in _OF_RUNS.items()},
        "terminate": False,
        "timeout": 0.0,
        "training_mode": False,
    }

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_cancels=[], _entries={}, _warned=set())

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        for cancel in list(self._cancels) if name == "terminate" and value else []:
            cancel.request()

    @contextlib.contextmanager
    def watch(self, cancel: Any) -> Iterator[None]:
        """For as long as this lasts, `terminate` requests `cancel`."""
        self._cancels.append(cancel)
        try:
            if self.terminate:
                cancel.request()
            yield
        finally:
            self._cancels.remove(cancel)

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def get_run_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise Unavailable(f"there is no configuration entry '{key}'")
        return self._entries[key]

    def check(self) -> None:
        """Refuses what is not offered, and warns once of what has no effect."""
        if self.training_mode:
            raise Unavailable("models are compiled for inference: training_mode is not offered")
        found = {name: reason for name, (default, reason) in _OF_RUNS.items() if getattr(self, name) != default}
        reason = "memory and devices are fixed when a session is made"
        found.update((f"the configuration entry '{key}'", reason) for key in self._entries)
        for what, reason in found.items():
            if what not in self._warned:
                self._warned.add(what)
                _warn(what, reason)
