# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""SessionOptions and RunOptions, with the names and defaults of ONNX Runtime.

An option takes effect, or has no part in what a model computes, such as ONNX Runtime's memory and the scheduling of its nodes,
or is refused. What would change results and does not is said in a warning.
"""

import contextlib
import enum
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy

from ._config_entries import check_session_entry, warn_of_run_entries, warn_of_session_entries
from ._errors import NotImplemented as Unavailable
from ._refusals import refuse
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


_WEIGHTS = "weights are compiled into a model: write them into the ONNX file"
_CUSTOM = "libraries of custom operators cannot be loaded: express the operator as an ONNX function"
_CONTEXTS = "there are no models with compiled parts: tssa-compile MODEL -o FILE keeps what was compiled"
_POLICY = "a session chooses no device by itself: target='cuda:sm_90' of tssa.InferenceSession compiles for a GPU"
_CPU = "CPUExecutionProvider"


class SessionOptions(_Attributes):
    """Options of an InferenceSession, as in ONNX Runtime.

    intra_op_num_threads: threads of a run; 0: one for each core. log_severity_level: of the messages of the session that go
    to the logger `tssa`: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal; -1: the default of set_default_logger_severity.
    enable_profiling: each run is timed launch by launch, which takes a little longer; end_profiling() of the session writes
    the times to profile_file_prefix + "_<date>_<time>.json".
    use_deterministic_compute: results are the same bits on any number of threads in any case.
    The other options have no part in the results: kernels run one after the other, each on all threads, in memory that is
    planned when a model is compiled, and a model is compiled as a whole.
    """

    _defaults = {
        "enable_cpu_mem_arena": True,
        "enable_mem_pattern": True,
        "enable_mem_reuse": True,
        "enable_profiling": False,
        "execution_mode": ExecutionMode.ORT_SEQUENTIAL,
        "execution_order": ExecutionOrder.DEFAULT,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "inter_op_num_threads": 0,
        "intra_op_num_threads": 0,
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxruntime_profile_",
        "use_deterministic_compute": False,
        "use_per_session_threads": True,
    }

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_sizes={}, _entries={}, _constants={}, _shapes={}, _providers=[])

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
        check_session_entry(str(key), str(value))
        self._entries[str(key)] = str(value)

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise Unavailable(f"there is no configuration entry '{key}'")
        return self._entries[key]

    def has_session_config_entry(self, key: str) -> bool:
        return key in self._entries

    def add_provider(self, provider_name: str, options: Optional[Mapping[str, str]] = None) -> None:
        """Lists a provider. NotImplemented: it is not there."""
        if provider_name != _CPU:
            raise Unavailable(f"there is no provider '{provider_name}', only ['{_CPU}']; {_POLICY}")
        self._providers.append(provider_name)

    def has_providers(self) -> bool:
        return bool(self._providers)

    def set_load_cancellation_flag(self, is_cancelled: bool) -> None:
        """NotImplemented: loading is to be cancelled."""
        if is_cancelled:
            raise Unavailable("a session that is being made cannot be cancelled: make it in a process that can be ended")

    add_initializer = refuse(_WEIGHTS)
    add_external_initializers = refuse(_WEIGHTS)
    add_external_initializers_from_files_in_memory = refuse(_WEIGHTS)
    register_custom_ops_library = refuse(_CUSTOM)
    enable_registered_custom_ops = refuse(_CUSTOM)
    add_provider_for_devices = refuse(_POLICY)
    set_provider_selection_policy = refuse(_POLICY)
    set_provider_selection_policy_delegate = refuse(_POLICY)
    set_ep_context_data_read_func = refuse(_CONTEXTS)
    clear_ep_context_data_read_func = refuse(_CONTEXTS)

    def check(self) -> None:
        """Refuses what is not offered, and warns of entries that would change the results."""
        if self.optimized_model_filepath:
            raise Unavailable("there is no optimized ONNX model: tssa-compile MODEL -o FILE keeps what was compiled")
        warn_of_session_entries(self._entries, stacklevel=3)

    def list_compile_options(self) -> List[str]:
        return [*(f"--dim={name}={size}" for name, size in self._sizes.items()),
                *(f"--const={name}={text}" for name, text in self._constants.items()), *list_shape_options(self._shapes)]


class RunOptions(_Attributes):
    """Options of one run, as in ONNX Runtime.

    timeout: seconds after which the run ends with an error; 0: none. It is TSSA's own.
    terminate: whether runs with these options end at once; may be set while one runs.
    The other options have no part in the results: a run logs nothing, and a model is compiled as a whole.
    """

    _defaults = {
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "only_execute_path_to_fetches": False,
        "terminate": False,
        "timeout": 0.0,
        "training_mode": False,
    }

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_cancels=[], _entries={})

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
        """Refuses what is not offered, and warns once of entries that nobody knows."""
        if self.training_mode:
            raise Unavailable("models are compiled for inference: training_mode is not offered")
        warn_of_run_entries(self._entries, stacklevel=4)

    add_active_adapter = refuse("adapters are not offered: merge their weights into those of the model")
