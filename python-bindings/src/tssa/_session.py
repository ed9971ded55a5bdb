# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiled models, with an interface like ONNX Runtime's."""

import os
from collections import namedtuple

import numpy

from . import _runtime
from ._errors import Error
from ._tool import load

NodeArg = namedtuple("NodeArg", "name type shape")
"""An input or output. type: such as "f32". shape: sizes, None for those that may have any value."""

_KINDS = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool"}


def type_name(code, bits):
    return "bool" if code == 6 else f"{_KINDS[code]}{bits}"


def _describe(ports):
    return [
        NodeArg(name, type_name(code, bits), [None if size < 0 else size for size in dims])
        for name, code, bits, dims, _, _ in ports
    ]


class Session:
    """A model: an artifact (.so), or an ONNX model that is compiled now.

    Random numbers differ from run to run. Sessions with the same `seed` draw the same numbers, run by run. Without a
    seed, each session draws its own. The numbers of a node that has a seed in the model depend on that seed only.

    A damaged artifact is a tssa.Error. `verify=False` leaves out the check of its weights, and only that: loading then
    reads no weights, and damaged ones give wrong results.

    tuned: a folder of records, as --tuned of tssa-compile. An ONNX model that is compiled now gets their loops. An
    artifact is compiled already and needs none.
    """

    def __init__(self, path, target="cpu", device="auto", threads=0, seed=None, verify=True, tuned=None):
        if not isinstance(verify, bool):
            raise TypeError(f"verify is True or False, got {verify!r}")
        path = os.fspath(path)
        if path.endswith(".onnx"):
            self._program = load(path, target, device, threads, seed, verify, name=path, tuned=tuned)
        else:
            self._program = _runtime.Program(path, device, threads, seed, verify)
        self._names = [port[0] for port in self._program.inputs]

    def get_inputs(self):
        return _describe(self._program.inputs)

    def get_outputs(self):
        return _describe(self._program.outputs)

    def run(self, output_names, inputs):
        """Runs the model. Returns the named outputs as numpy arrays; all outputs if `output_names` is None."""
        unknown = sorted(set(inputs) - set(self._names))
        missing = [name for name in self._names if name not in inputs]
        if unknown or missing:
            raise Error(f"expected the inputs {self._names}, got {sorted(inputs)}", code=1)
        arguments = [inputs[name] for name in self._names]
        arguments = [a if hasattr(a, "__dlpack__") else numpy.asarray(a) for a in arguments]
        results = self._program.run(arguments, as_numpy=True)
        names = [port[0] for port in self._program.outputs]
        if output_names is None:
            return results
        for name in output_names:
            if name not in names:
                raise Error(f"the model has no output '{name}', only {names}", code=1)
        return [results[names.index(name)] for name in output_names]
