# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every form of index that torch.Tensor documents, alone and mixed, read and written: equal to eager mode."""

import itertools
import unittest
import warnings

import torch
import tssa

from support import AgreementTest, load

ARGUMENTS = {
    "x": lambda: torch.arange(60.0).reshape(4, 3, 5),
    "k": lambda: torch.tensor(1),  # integers without dims select, as ints do
    "n": lambda: torch.tensor(-1, dtype=torch.int32),
    "w": lambda: torch.tensor([2, 0]),
    "t": lambda: torch.tensor(True),  # bools without dims are masks
    "f": lambda: torch.tensor(False),
    "u": lambda: torch.tensor(1, dtype=torch.uint8),
    "i": lambda: torch.tensor([0, -1, 2]),
    "c": lambda: torch.tensor([[1], [0]]),
    "m": lambda: torch.tensor([True, False, True]),
    "q": lambda: torch.arange(12).reshape(4, 3) % 2 == 0,
    "v": lambda: torch.tensor([1, 0, 1], dtype=torch.uint8),
    "p": lambda: 2,
}
SINGLE = ["k", "n", "w[0]", "w[-1]", "p", "-1", "1:", "::2", "k:", ":k", "k:k + 2", "p:", ":-p + 1", "w[1]:w[0]", "...",
          "None", "True", "False", "t", "f", "u", "i", "i.int()", "c", "q", "[0, 2]", "[True, False, True, True]", "[]",
          "x.sum((1, 2)).argmax()", "(k, n)", "(i, k)", "(q, n)", "torch.tensor(2)", "i[k]", "x[:, 0, 0] > 20", "x > 20",
          "slice(k, None)", "slice(None, None, 2)", "range(2)", "k.item()", "int(n)", "i.tolist()"]
MIXED = ["k", "n", ":", "1:", "w[0]:", "...", "None", "i[:2]", "c", "m", "t", "u", "p", "[0, 2]", "v"]
WRITES = ["= 1.0", "= x.sum()", "+= 2", "*= x[0, 0, 1]", "= k"]
REFUSED = r"<.*>:\d+: a mask without dims stands beside other tensors"
GROUP = 8


def is_valid(line):
    """Returns whether eager mode runs the line."""
    scope = {name: make() for name, make in ARGUMENTS.items()} | {"torch": torch, "found": []}
    try:
        with warnings.catch_warnings(action="ignore"):  # masks of bytes are deprecated
            exec(line, scope)
    except (IndexError, RuntimeError, TypeError, ValueError):
        return False
    return True


def grouped(values):
    return [values[i:i + GROUP] for i in range(0, len(values), GROUP)]


def mixed():
    pairs = itertools.product(MIXED, MIXED)
    triples = itertools.islice(itertools.product(MIXED, MIXED, MIXED), 0, None, 23)
    return [", ".join(parts) for parts in itertools.chain(pairs, triples)]


class Indexes(AgreementTest):
    def compare(self, lines, name):
        """Compares a program of these lines, and finds the line if one differs."""
        try:
            self.compare_program(lines, name)
        except tssa.UnsupportedError:
            for line in lines:
                self.compare_program([line], f"{name}: {line}")

    def compare_program(self, lines, name):
        names = ", ".join(ARGUMENTS)
        body = "".join(f"    {line}\n" for line in lines)
        source = f"def program({names}):\n    found = []\n{body}    return found\n"
        program = load(source, f"<{name}>")
        try:
            self.check(program, tuple(make() for make in ARGUMENTS.values()), tssa.compile(program))
        except tssa.UnsupportedError as error:
            if len(lines) > 1:
                raise
            self.assertRegex(str(error), REFUSED, source)
        except Exception as error:
            error.add_note(source)
            raise

    def read(self, indexes, name):
        self.run_valid([f"found.append(x[{index}])" for index in indexes], name)

    def write(self, indexes, name):
        forms = [f"y = x.clone(); y[{index}] {WRITES[n % len(WRITES)]}; found.append(y)"
                 for n, index in enumerate(indexes)]
        self.run_valid(forms, name)

    def run_valid(self, lines, name):
        for n, group in enumerate(grouped([line for line in lines if is_valid(line)])):
            self.compare(group, f"{name} {n}")

    def test_single_read(self):
        self.read(SINGLE, "read")

    def test_single_written(self):
        self.write(SINGLE, "written")

    def test_mixed_read(self):
        self.read(mixed(), "mixed, read")

    def test_mixed_written(self):
        self.write(mixed()[::3], "mixed, written")


if __name__ == "__main__":
    unittest.main()
