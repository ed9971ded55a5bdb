# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Labels: what the numbers of a program's results stand for in the model.

A tensor of strings is a result of indexes into a table of strings. Maps are a result with a row for each map and a column for
each key. The artifact has the table or the keys.
"""

from typing import Any, Dict, List, NamedTuple

import numpy

from ._errors import Error

_Array = numpy.ndarray[Any, Any]
# The numbers of tssa_labels_kind.
_STRINGS, _STRING_KEYS, _INT_KEYS = 1, 2, 3


class Labels(NamedTuple):
    """form: "strings" or "maps". values: the table of strings, or the keys of the columns, str or int."""

    form: str
    values: List[Any]

    def take(self, name: str, array: _Array) -> Any:
        """Returns what a result stands for: an array of dtype object with a str for each index of `array`, or a list with a
        dict from keys to floats for each row.

        name: of the output. Error: the artifact is damaged, and an index is outside of the table.
        """
        if self.form == "maps":
            # Of equal keys the first one counts. The order is that of ONNX Runtime.
            columns = {key: column for column, key in reversed(list(enumerate(self.values)))}
            keys = sorted(columns)
            chosen = array[:, [columns[key] for key in keys]]
            return [dict(zip(keys, row)) for row in chosen.tolist()]
        if array.size and not 0 <= array.min() <= array.max() < len(self.values):
            raise Error(f"output '{name}' has label {_find_outside(array, len(self.values))}, there are {len(self.values)}: "
                        "the artifact is damaged")
        texts: _Array = numpy.empty(array.shape, object)
        if array.size:
            table: _Array = numpy.empty(len(self.values), object)
            table[:] = self.values
            texts[...] = table[array]
        return texts

    def get_key_type(self) -> str:
        """Returns the ONNX name of the type of the keys."""
        return "string" if all(isinstance(key, str) for key in self.values) else "int64"


def _find_outside(array: _Array, count: int) -> int:
    return int(array[(array < 0) | (array >= count)].flat[0])


def read_labels(program: Any) -> Dict[str, Labels]:
    """Returns the labels of a loaded program's outputs, by their names."""
    found = {}
    for port, (kind, strings, ints) in zip(program.outputs, program.labels):
        if kind == _STRINGS:
            found[port[0]] = Labels("strings", strings)
        elif kind in (_STRING_KEYS, _INT_KEYS):
            found[port[0]] = Labels("maps", strings if kind == _STRING_KEYS else ints)
    return found
