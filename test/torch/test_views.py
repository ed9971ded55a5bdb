# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What views and what copies is decided as eager mode decides: results, arguments, sharing and strides are equal.

TSSA_FULL=1 tries more of the random programs.
"""

import os
import unittest

import torch
import tssa

from support import load, strides_of
from view_programs import Program

# Writes where elements share memory.
REFUSED = (r"<view program \d+>:\d+: (a tensor is written that shares memory with a result of (unfold|diagonal)"
           r"|an? (argument|tensor) is written whose elements share memory)")
COUNT = 2000 if os.environ.get("TSSA_FULL") == "1" else 100


def sharing_of(tensors):
    """Returns for each tensor the first one that shares its storage, and its offset to that one in elements."""
    kept = [tensor for tensor in tensors if tensor.numel()]
    places = [tensor.untyped_storage().data_ptr() for tensor in kept]
    first = [places.index(place) for place in places]
    return [(i, kept[n].data_ptr() - kept[i].data_ptr()) for n, i in enumerate(first)]


def storage_of(tensor):
    return torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())


class ViewPrograms(unittest.TestCase):
    def compare(self, program, left, right, compiled, where):
        with torch.no_grad():
            try:
                expected = program(left)
            except (RuntimeError, IndexError, ValueError) as error:
                with self.assertRaises(type(error), msg=where):
                    compiled(right)
                return
            try:
                actual = compiled(right)
            except tssa.UnsupportedError as error:
                self.assertRegex(str(error), REFUSED, where)
                return
        self.assertEqual(len(expected), len(actual), where)
        for i, (a, b) in enumerate(zip(expected, actual)):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape), f"{where}result {i}")
            self.assertTrue(torch.equal(a, b), f"{where}result {i}: {a}, got {b}")
            self.assertEqual(strides_of(a), strides_of(b), f"{where}strides of result {i}, {tuple(a.shape)}")
        self.assertTrue(torch.equal(storage_of(left), storage_of(right)),
                        f"{where}the argument became {storage_of(left)}, got {storage_of(right)}")
        self.assertEqual(sharing_of([left, *expected]), sharing_of([right, *actual]), f"{where}sharing")

    def run_seed(self, seed):
        made = Program(seed)
        program = load(made.source, f"<view program {seed}>")
        compiled = tssa.compile(program)
        for call in (0, 1, 0):
            self.compare(program, made.make(call), made.make(call), compiled,
                         f"\nseed {seed}, call {call}\n{made.describe()}")


def add_test(seed):
    setattr(ViewPrograms, f"test_{seed:04}", lambda self: self.run_seed(seed))


for seed in range(COUNT):
    add_test(seed)

if __name__ == "__main__":
    unittest.main()
