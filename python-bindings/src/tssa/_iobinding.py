# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""IOBinding, and what a session does with bindings and OrtValues, with the names of ONNX Runtime."""

import concurrent.futures
import logging
import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy

from ._errors import INVALID_ARGUMENT, Error, InvalidArgument
from ._ort_devices import OrtAllocatorType, OrtMemoryInfo, OrtMemType, check_device
from ._ort_values import OrtValue, view_memory
from ._refusals import refuse

_Array = numpy.ndarray[Any, Any]
_log = logging.getLogger("tssa")
_pool_lock = threading.Lock()
_DEVICES = "a session chooses no device by itself: target='cuda:sm_90' of tssa.InferenceSession compiles for a GPU"


class _Bound(NamedTuple):
    """An output. value: that of the last run, or the memory for it, or None. is_memory: whether the user gave that."""

    value: Optional[OrtValue]
    is_memory: bool


class IOBinding:
    """Inputs and outputs of the runs of a session. Outputs are in the order in which they were bound first.

    Inputs share the memory of what they are bound to: a run takes what is there then. Outputs that are bound to memory are
    written there.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._inputs: Dict[str, OrtValue] = {}
        self._outputs: Dict[str, _Bound] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: _Array) -> None:
        """Binds an array, or a copy of it if it is not contiguous."""
        self.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(arr_on_cpu))

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int],
                   buffer_ptr: int) -> None:
        """Binds contiguous memory by its address, which must stay valid.

        element_type: a type of numpy, or a number of onnx.TensorProto.DataType.
        """
        check_device(device_type)
        self.bind_cpu_input(name, view_memory(f"input '{name}'", element_type, shape, buffer_ptr))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """InvalidArgument: the model has no such input."""
        _check_value(ortvalue)
        names = [port.name for port in self._session.get_inputs()]
        if name not in names:
            raise InvalidArgument(f"the model has no input '{name}', only {names}", code=INVALID_ARGUMENT)
        self._inputs[name] = ortvalue

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Optional[Sequence[int]] = None, buffer_ptr: Optional[int] = None) -> None:
        """Binds contiguous memory by its address, which must stay valid; without one, each run allocates the result.

        ValueError: there is an address, but no type or no shape.
        """
        check_device(device_type)
        if buffer_ptr is None:
            self._outputs[name] = _Bound(None, False)
            return
        if element_type is None or shape is None:
            raise ValueError(f"output '{name}': expected element_type and shape with buffer_ptr")
        memory = view_memory(f"output '{name}'", element_type, shape, buffer_ptr)
        self.bind_ortvalue_output(name, OrtValue.ortvalue_from_numpy(memory))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        _check_value(ortvalue)
        self._outputs[name] = _Bound(ortvalue, True)

    def synchronize_inputs(self) -> None:
        """There is nothing to wait for: all memory is that of the CPU."""

    def synchronize_outputs(self) -> None:
        """There is nothing to wait for: a run ends when its results are written."""

    def get_outputs(self) -> List[OrtValue]:
        """Returns the outputs of the last run. Before it, those that are bound to memory, and others without a value."""
        types = {port.name: port.type for port in self._session.get_outputs()}
        return [bound.value if bound.value is not None else OrtValue(None, types.get(name, ""))
                for name, bound in self._outputs.items()]

    def copy_outputs_to_cpu(self) -> List[Any]:
        """Returns the outputs of the last run as run() does. What is in memory of the user is copied.

        Error: an output has not been computed.
        """
        lacking = [name for name, bound in self._outputs.items() if bound.value is None]
        if lacking:
            raise Error(f"output '{lacking[0]}' has not been computed since it was bound: call run_with_iobinding() first")
        return [numpy.array(value) if bound.is_memory else value._value  # pylint: disable=protected-access
                for value, bound in zip(self.get_outputs(), self._outputs.values())]

    get_outputs_as_ortvaluevector = refuse("there are no vectors of OrtValues: get_outputs() returns a list")

    def clear_binding_inputs(self) -> None:
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        self._outputs.clear()

    def _run(self, run_options: Any) -> None:
        session = self._session
        if not self._outputs:
            raise InvalidArgument("no output is bound: call bind_output() of the binding first", code=INVALID_ARGUMENT)
        memory = {name: bound.value.numpy() for name, bound in self._outputs.items()
                  if bound.is_memory and bound.value is not None}
        # pylint: disable-next=protected-access
        results = session._run_within(list(self._outputs), self._inputs, run_options, memory)
        if len(memory) < len(self._outputs):
            types = {port.name: port.type for port in session.get_outputs()}
            made = {name: OrtValue(result, types[name]) for name, result in zip(self._outputs, results)}
            self._outputs.update((name, _Bound(value, False)) for name, value in made.items() if name not in memory)


def _check_value(value: Any) -> None:
    if not isinstance(value, OrtValue):
        raise TypeError(f"expected a tssa.OrtValue, got {type(value).__name__}")


class BoundRuns:
    """Runs of a session on OrtValues, bindings and in a thread."""

    _pool: Optional[concurrent.futures.ThreadPoolExecutor] = None

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: Any = None) -> None:
        """Runs the model on what is bound.

        ValueError: another session has made the binding. InvalidArgument: nothing is bound to an input, no output is bound, or
        memory does not fit its output.
        """
        # pylint: disable=protected-access
        if not isinstance(iobinding, IOBinding) or iobinding._session is not self:
            raise ValueError("a binding is for the session whose io_binding() has made it")
        iobinding._run(run_options)

    def run_with_ort_values(self, output_names: Optional[Sequence[str]], input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: Any = None) -> List[OrtValue]:
        """Runs the model on OrtValues by name. Returns the named outputs, all if `output_names` is None or empty.

        TypeError: an input is no OrtValue. InvalidArgument: a name, element type, rank or size is wrong.
        """
        for value in input_dict_ort_values.values():
            _check_value(value)
        ports: Dict[str, Any] = {port.name: port for port in self.get_outputs()}  # type: ignore[attr-defined]
        names = list(output_names or ports)
        results = self._run_within(names, input_dict_ort_values, run_options)  # type: ignore[attr-defined]
        return [OrtValue(result, ports[name].type) for name, result in zip(names, results)]

    def run_async(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any], callback: Any, user_data: Any,
                  run_options: Any = None) -> None:
        """Runs the model in a thread of the session, one run after the other, and then calls `callback` there.

        callback: called as callback(results, user_data, error), with error "" for a run that succeeded, and else with no
        results and the text of the error. What it raises goes to the logger `tssa`. The process waits for runs before it ends.
        TypeError: `callback` cannot be called. InvalidArgument: an input is missing, or the model has no such input.
        """
        if not callable(callback):
            raise TypeError(f"callback is a function, got {type(callback).__name__}")
        self._check_names(input_feed)  # type: ignore[attr-defined]
        with _pool_lock:
            if self._pool is None:
                self._pool = concurrent.futures.ThreadPoolExecutor(1, "tssa-run-async")
            self._pool.submit(self._run_and_call, output_names, dict(input_feed), callback, user_data, run_options)

    def _run_and_call(self, output_names: Any, inputs: Any, callback: Any, user_data: Any, run_options: Any) -> None:
        results, text = [], ""
        try:
            results = self._run_within(output_names, inputs, run_options)  # type: ignore[attr-defined]
        except Exception as error:  # pylint: disable=broad-exception-caught
            text = str(error) or type(error).__name__
        try:
            callback(results, user_data, text)
        except Exception:  # pylint: disable=broad-exception-caught
            _log.exception("the callback of run_async has failed")

    def close(self) -> None:
        super().close()  # type: ignore[misc]
        with _pool_lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False)

    def create_ortvalue_from_shape_and_type(self, shape: Sequence[int], element_type: Any, device_type: str, device_id: int = 0,
                                            vendor_id: int = -1) -> OrtValue:
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type, device_id, vendor_id)

    def get_input_memory_infos(self) -> List[OrtMemoryInfo]:
        return [_make_info() for _ in self.get_inputs()]  # type: ignore[attr-defined]

    def get_output_memory_infos(self) -> List[OrtMemoryInfo]:
        return [_make_info() for _ in self.get_outputs()]  # type: ignore[attr-defined]

    def get_tuning_results(self) -> List[Any]:
        """Kernels are chosen when a model is compiled: `tuned` names the records of tssa-tune."""
        return []

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """There are no captured graphs to release."""

    set_tuning_results = refuse("what was measured is given to a session as tuned=, a folder of records that tssa-tune writes")
    get_input_epdevices = refuse(_DEVICES)
    get_provider_graph_assignment_info = refuse(_DEVICES)
    set_ep_dynamic_options = refuse(_DEVICES)
    run_with_ortvaluevector = refuse("there are no vectors of OrtValues: run_with_ort_values() takes and returns OrtValues")


def _make_info() -> OrtMemoryInfo:
    return OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_DEVICE_ALLOCATOR, 0, OrtMemType.DEFAULT)


def unwrap(inputs: Any) -> Any:
    """Returns the inputs of a run with arrays in place of OrtValues."""
    if not hasattr(inputs, "items") or not any(isinstance(value, OrtValue) for value in inputs.values()):
        return inputs
    return {name: value._value if isinstance(value, OrtValue) else value  # pylint: disable=protected-access
            for name, value in inputs.items()}
