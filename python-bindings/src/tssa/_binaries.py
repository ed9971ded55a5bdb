# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The artifacts of one recorded program. A call that fits none of them gets a new one."""

import json
import os
import threading

import torch
from torch.utils.dlpack import to_dlpack

from ._errors import Error
from ._folders import make_folder
from ._tool import load

_GUARD = "guard: "


class Binary:
    """One artifact, for the sizes that its guards allow.

    roots: for each result, which the program calls return.0, return.1 and so on, its place among those that the artifact makes,
    or -1 - i if it is argument i.
    """

    def __init__(self, program):
        self.program = program
        made = [port[0] for port in program.outputs if port[4] == 1]
        places = {name: place for place, name in enumerate(made)}
        places |= {port[0]: -1 - port[5] for port in program.outputs if port[4] == 3}
        self.roots = [places[f"return.{i}"] for i in range(sum(name.startswith("return.") for name in places))]


class Binaries:
    """Runs a program with an artifact whose guards hold, and compiles one if there is none.

    write(tensors, folder): returns the program for arguments like these, as a dict in the format that
    tssa-compile reads, and writes the files that it refers to into the folder.
    name: what the progress calls the program.
    """

    def __init__(self, write, name, target, device, threads, tuned):
        self._write, self._name = write, name
        self._target, self._device, self._threads, self._tuned = target, device, threads, tuned
        self._known = ()
        self._lock = threading.Lock()

    @property
    def known(self):
        """The artifacts, the newest first, as a tuple that never changes."""
        return self._known

    def prepare(self, tensors):
        """Compiles for arguments like these, without running."""
        with self._lock:
            if not self._known:
                self._known = (self._compile(tensors),)

    def run(self, tensors, passed):
        """Returns all results in order, and writes the arguments that the program writes.

        passed: the tensors that the program gets for `tensors`, contiguous or strided, without gradients.
        """
        known = self._known
        results = self._try(known, tensors, passed)
        if results is not None:
            return results
        with self._lock:
            # Another thread may have compiled meanwhile.
            present = self._known
            results = self._try(present[:len(present) - len(known)], tensors, passed)
            if results is not None:
                return results
            binary = self._compile(tensors)
            self._known = (binary, *present)
        return self._run(binary, tensors, passed)

    def _try(self, binaries, tensors, passed):
        """Returns the results of the first of `binaries` whose guards hold, or None."""
        for binary in binaries:
            try:
                return self._run(binary, tensors, passed)
            except Error as error:
                if _GUARD not in str(error):
                    raise
        return None

    def _compile(self, values):
        with make_folder() as folder:
            source = os.path.join(folder, "program.json")
            with open(source, "w", encoding="utf-8") as file:
                json.dump(self._write(values, folder), file)
            return Binary(load(source, self._target, self._device, self._threads, tuned=self._tuned, label=self._name))

    def _run(self, binary, tensors, passed):
        made = binary.program.run([to_dlpack(tensor) for tensor in passed])
        results = [*map(torch.from_dlpack, made)]
        return [results[root] if root >= 0 else tensors[-1 - root] for root in binary.roots]
