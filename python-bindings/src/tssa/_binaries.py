# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The artifacts of one program: compiled when a call needs another one."""

import json
import os
import tempfile
import threading

import torch

from . import _runtime
from ._errors import Error
from ._text import find_permutation
from ._tool import compile_file

_GUARD = "guard: "


class _Binary:
    """One artifact: for one key, and the sizes that its guards allow."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.results = [port[0] for port in program.outputs if port[4] == 1]
        self.aliases = {port[0]: port[5] for port in program.outputs if port[4] == 3}


class Binaries:
    """Runs a program with the artifact for the arguments at hand, which is made if there is none.

    write(values): the program as tssa-compile reads it, a dict, for these arguments: tensors,
    numbers, None, and lists and tuples of them.
    """

    def __init__(self, write, target, device, threads):
        self._write = write
        self._target, self._device, self._threads = target, device, threads
        self._by_key = {}
        self._lock = threading.Lock()

    @property
    def count(self):
        """How many artifacts there are."""
        return sum(len(binaries) for binaries in self._by_key.values())

    def prepare(self, values):
        """Compiles for arguments like these, without running."""
        key = self._key(values, [], [])
        with self._lock:
            if not self._by_key.get(key):
                self._by_key[key] = (self._compile(values),)

    def run(self, values):
        """{name: tensor} of all results; tensors among the arguments that the program writes
        are written."""
        tensors, passed = [], []
        key = self._key(values, tensors, passed)
        known = self._by_key.get(key, ())
        results = self._try(known, tensors, passed)
        if results is not None:
            return results
        with self._lock:
            # Another thread may have compiled meanwhile.
            present = self._by_key.get(key, ())
            results = self._try(present[:len(present) - len(known)], tensors, passed)
            if results is not None:
                return results
            binary = self._compile(values)
            self._by_key[key] = (binary, *present)
        return self._run(binary, tensors, passed)

    def _try(self, binaries, tensors, passed):
        """The results of the first of `binaries` whose guards hold, or None."""
        for binary in binaries:
            try:
                return self._run(binary, tensors, passed)
            except Error as error:
                if _GUARD not in str(error):
                    raise
        return None

    def _key(self, value, tensors, passed):
        """What a binary is fixed to; collects the tensors, and what the program gets for them:
        detached, their dims in the order of memory."""
        if isinstance(value, torch.Tensor):
            _check(value)
            order = find_permutation(value)
            tensors.append(value)
            passed.append(value.detach().permute(order) if order else value.detach())
            return (value.dtype, value.dim(), tuple(order) if order else order)
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, *[self._key(element, tensors, passed) for element in value])
        # The two zeros are equal, and a nan is not itself.
        return (type(value), value.hex() if isinstance(value, float) else value)

    def _compile(self, values):
        folder = tempfile.TemporaryDirectory(prefix="tssa-")
        source = os.path.join(folder.name, "program.json")
        with open(source, "w", encoding="utf-8") as file:
            json.dump(self._write(values), file)
        artifact = os.path.join(folder.name, "program.so")
        compile_file(source, artifact, self._target)
        return _Binary(folder, _runtime.Program(artifact, self._device, self._threads))

    def _run(self, binary, tensors, passed):
        made = binary.program.run(passed)
        results = {name: torch.from_dlpack(array) for name, array in zip(binary.results, made)}
        for name, argument in binary.aliases.items():
            results[name] = tensors[argument]
        return results


def _check(tensor):
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise Error(f"expected dense tensors on the cpu, got one on {tensor.device}")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise Error("gradients are not computed: call under torch.no_grad()")
