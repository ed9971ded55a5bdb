# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The programs of benchmarks/torch agree with eager at several sizes, from one binary each or from few."""

import os
import sys
import unittest

import tssa

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "benchmarks", "torch"))

import programs
from support import AgreementTest


class Programs(AgreementTest):
    def run_sizes(self, name, sizes, target="cpu", hidden=64):
        function = programs.PROGRAMS[name]
        # One binary with everything open; else one for the first sizes, one or two for the others.
        for dynamic, most in ((True, 1), (None, 3)) if target == "cpu" else ((True, 1),):
            compiled = tssa.compile(function, target=target, dynamic=dynamic)
            for batch, seq in sizes:
                arguments = programs.make_inputs(name, batch, seq, hidden)
                # Sigmoids and exponentials of large numbers: what is compared reaches 1e4.
                self.check(function, arguments, compiled, rtol=2e-4, atol=2e-5)
            self.assertLessEqual(compiled.num_binaries, most, f"binaries of {name}")


# Batch and length. Feature maps of one pixel would be contiguous in any order of their dims,
# which is another binary; so is a batch of one for fcos_post.
SIZES = {"yolov3_decode": [(2, 10), (1, 15), (3, 12)], "fcos_post": [(2, 20), (3, 24), (4, 32)]}


def add_test(name, target, sizes, hidden):
    def test(self):
        self.run_sizes(name, sizes, target, hidden)

    setattr(Programs, f"test_{name}_{target.replace('-', '_')}", test)


for name in programs.PROGRAMS:
    add_test(name, "cpu", SIZES.get(name, [(2, 7), (1, 16), (3, 5)]), 64)
for name in ("lstm_loop", "ssd_decode", "yolov3_decode", "attention_cache"):
    add_test(name, "cuda-emu", SIZES.get(name, [(2, 3), (1, 4), (3, 2)]), 16)

if __name__ == "__main__":
    unittest.main()
