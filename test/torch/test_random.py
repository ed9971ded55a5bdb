# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs agree with eager PyTorch; TSSA_FULL=1 tries more of them.

Each is compiled with --verify-each-stage: the program as imported, evaluated with its
writes, the functional one and those of all later stages agree with the binary.
"""

import functools
import importlib.util
import os
import tempfile
import unittest
from unittest import mock

import torch
from tssa import _binaries, _tool

import random_programs
from support import AgreementTest

COUNT = 1000 if os.environ.get("TSSA_FULL") == "1" else 100


def make_arguments(seed, rows):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(rows, rows - 1, generator=generator),
            torch.randn(rows, rows - 1, generator=generator),
            torch.randn(rows, generator=generator)]


class RandomPrograms(AgreementTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tssa-random-")
        verified = functools.partial(_tool.compile_file, options=("--verify-each-stage",))
        cls.enterClassContext(mock.patch.object(_binaries, "compile_file", verified))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def load(self, seed):
        path = os.path.join(self.folder.name, f"program_{seed}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import torch\nfrom torch import Tensor\n\n\n")
            file.write(random_programs.generate(seed))
        spec = importlib.util.spec_from_file_location(f"program_{seed}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.program

    def run_seed(self, seed):
        program, compiled = self.load(seed), None
        for rows, k in ((4, 2), (4, 0), (5, 3)):
            arguments = (*make_arguments(seed, rows), k)
            if rows != 4 and not self.is_defined(program, arguments):
                continue  # parts of fixed sizes fit the first one only
            compiled = self.check(program, arguments, compiled)

    @staticmethod
    def is_defined(program, arguments):
        try:
            program(*[a.clone() if isinstance(a, torch.Tensor) else a for a in arguments])
        except (RuntimeError, IndexError):
            return False
        return True


def add_test(seed):
    setattr(RandomPrograms, f"test_{seed:04}", lambda self: self.run_seed(seed))


for seed in range(COUNT):
    add_test(seed)

if __name__ == "__main__":
    unittest.main()
