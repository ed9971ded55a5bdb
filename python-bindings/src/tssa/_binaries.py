# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The artifacts of one program. A call that fits none of them compiles another one."""

import json
import os
import tempfile
import threading

import torch
from torch.utils.dlpack import to_dlpack

from ._constants import FILE
from ._errors import Error
from ._tool import load

_GUARD = "guard: "


class _Binary:
    """One artifact: for one key, and the sizes that its guards allow."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.results = [port[0] for port in program.outputs if port[4] == 1]
        self.aliases = {port[0]: port[5] for port in program.outputs if port[4] == 3}


class Binaries:
    """Runs a program with an artifact whose guards hold, which is made if there is none.

    write(tensors, folder): the program as tssa-compile reads it, a dict, for arguments like these; what
    it refers to is put into the folder.
    """

    def __init__(self, write, target, device, threads):
        self._write = write
        self._target, self._device, self._threads = target, device, threads
        self._known = ()
        self._lock = threading.Lock()

    @property
    def count(self):
        """Returns the number of artifacts."""
        return len(self._known)

    def prepare(self, tensors):
        """Compiles for arguments like these, without running."""
        with self._lock:
            if not self._known:
                self._known = (self._compile(tensors),)

    def run(self, tensors, passed):
        """{name: tensor} of all results; tensors among the arguments that the program writes are
        written. passed: what the program gets for them, contiguous or strided, without gradients."""
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
        """Runs the first of `binaries` whose guards hold, and returns its results, or None if there is none."""
        for binary in binaries:
            try:
                return self._run(binary, tensors, passed)
            except Error as error:
                if _GUARD not in str(error):
                    raise
        return None

    def _compile(self, values):
        folder = tempfile.TemporaryDirectory(prefix="tssa-")
        source = os.path.join(folder.name, "program.json")
        with open(source, "w", encoding="utf-8") as file:
            json.dump(self._write(values, folder.name), file)
        program = load(source, folder.name, self._target, self._device, self._threads)
        constants = os.path.join(folder.name, FILE)
        if os.path.exists(constants):
            os.remove(constants)  # the artifact has them
        return _Binary(folder, program)

    def _run(self, binary, tensors, passed):
        made = binary.program.run([to_dlpack(tensor) for tensor in passed])
        results = {name: torch.from_dlpack(array) for name, array in zip(binary.results, made)}
        for name, argument in binary.aliases.items():
            results[name] = tensors[argument]
        return results
