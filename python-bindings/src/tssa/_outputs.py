# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The outputs of a model: arrays, sequences as lists of arrays, optionals as arrays or None, strings and maps.

A program has no sequences and no optionals. The parts of a sequence `s` are its results `s.0`, `s.1` and so on. If only a run knows how many
there are, they are the rows of one result `s`. An optional is a result with one row or none. Strings and maps
are in _labels.py.
"""

import dataclasses
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._labels import Labels


@dataclasses.dataclass
class Output:
    """One output. positions: of its results among those of the program; form: "tensor", "parts", "rows", "optional", or that of
    its labels."""

    name: str
    positions: List[int]
    form: str = "tensor"
    labels: Optional[Labels] = None

    def take(self, get_array: Callable[[int], Any]) -> Any:
        """Returns the array, the list of arrays or of dicts, or None. `get_array` returns the result at a position."""
        if self.form == "parts":
            return [get_array(position) for position in self.positions]
        array = get_array(self.positions[0])
        if self.labels is not None:
            return self.labels.take(self.name, array)
        if self.form == "optional":
            return array[0] if len(array) else None
        return list(array) if self.form == "rows" else array


def list_outputs(names: Sequence[str], forms: Dict[str, str], labels: Mapping[str, Labels]) -> List[Output]:
    """Returns the outputs of a program whose results have the `names`. forms: the outputs that are a "sequence" or an
    "optional". labels: those of results by name."""
    outputs: List[Output] = []
    lists: Dict[str, Output] = {}
    for position, name in enumerate(names):
        owner = name.rpartition(".")[0]
        if name in labels:
            outputs.append(Output(name, [position], labels[name].form, labels[name]))
        elif forms.get(owner) != "sequence":
            form = forms.get(name, "tensor")
            outputs.append(Output(name, [position], "rows" if form == "sequence" else form))
        elif owner in lists:
            lists[owner].positions.append(position)
        else:
            lists[owner] = Output(owner, [position], "parts")
            outputs.append(lists[owner])
    return outputs
