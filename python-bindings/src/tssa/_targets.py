# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Memory of the user for results: the runtime writes them there."""

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy

from ._elements import Element, get_dtype, get_element, to_storage
from ._errors import INVALID_ARGUMENT, InvalidArgument
from ._outputs import Output

_Array = numpy.ndarray[Any, Any]


class Targets:
    """The memory of some results of a run.

    arrays: what the runtime is given for each result, None where it allocates. A result whose memory is shared with an argument
    is computed elsewhere and copied, so that it does not overwrite what is still to be read.
    """

    def __init__(self, memory: Mapping[str, _Array], outputs: Sequence[Output], ports: Sequence[Any],
                 arguments: Sequence[Any]) -> None:
        """memory: by the names of outputs, which are those of `ports`. InvalidArgument: it does not fit an output."""
        self.arrays: List[Any] = [None] * len(ports)
        self._memory: Dict[int, Tuple[str, _Array, Element]] = {}
        for output in outputs:
            if output.name not in memory:
                continue
            array, position = memory[output.name], output.positions[0]
            element = get_element(*ports[position][1:3])
            _check(output, array, element)
            self._memory[position] = (output.name, array, element)
            if not any(_share(array, argument) for argument in arguments):
                self.arrays[position] = to_storage(array, element)

    def finish(self, results: List[Any]) -> None:
        """Replaces what the runtime returned for these results by their memory.

        InvalidArgument: a result has another shape, which only the run has shown. The contents of the memory are not set then.
        """
        for position, (name, array, element) in self._memory.items():
            found = results[position]
            shape = found if isinstance(found, tuple) else found.shape
            if shape != array.shape:
                raise InvalidArgument(f"output '{name}' has the shape {list(shape)}, its memory has {list(array.shape)}",
                                      code=INVALID_ARGUMENT)
            storage = to_storage(array, element)
            if not isinstance(found, tuple):
                numpy.copyto(storage, found)
            results[position] = storage


def _check(output: Output, array: _Array, element: Element) -> None:
    reason = None
    if output.form == "strings":
        reason = "has strings, which have no memory of numbers: bind it without memory"
    elif output.form != "tensor":
        reason = f"is no tensor but {output.form}, which has no memory of one shape: bind it without memory"
    elif array.dtype != get_dtype(element):
        reason = f"is of tensor({element.onnx}), got memory of {array.dtype}"
    elif not array.flags.writeable:
        reason = "is bound to memory that cannot be written: that of a read-only array"
    elif not array.flags.c_contiguous:
        reason = "is bound to memory that is not contiguous: bind a contiguous array"
    if reason is not None:
        raise InvalidArgument(f"output '{output.name}' {reason}", code=INVALID_ARGUMENT)


def _share(array: _Array, argument: Any) -> bool:
    return isinstance(argument, numpy.ndarray) and bool(numpy.may_share_memory(array, argument))
