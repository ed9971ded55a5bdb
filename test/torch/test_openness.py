# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Sizes and numbers are fixed in the first recording, and those that change are open in later ones."""

import threading
import unittest
import warnings

import torch

import tssa
from support import AgreementTest


def tensor(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def normalise(x):
    y = x.reshape(x.size(0), -1) - x.mean()
    return y / y.size(1), y.size(0)


def scale(x, factor):
    return x * factor, factor


def attend(tokens, keys, position):
    keys[position] = tokens * 2
    scores = (keys[:position + 1] * tokens).sum(1)
    return torch.softmax(scores, 0)


class Cache:
    def __init__(self):
        self.keys = None


def extend(tokens, cache):
    cache.keys = tokens if cache.keys is None else torch.cat([cache.keys, tokens])
    return cache.keys.sum(0)


def split(x, heads: int):
    return x.view(x.size(0), heads, -1).sum(2)


def by_size(x):
    if x.size(0) > 4:
        return x + 1
    return x * 2


class Offset(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.amount = 1.5

    def forward(self, x):
        return x + self.amount


class Openness(AgreementTest):
    def run_calls(self, function, calls, dynamic=None, compiled=None):
        """calls: (arguments, expected number of binaries) in order."""
        compiled = compiled or tssa.compile(function, dynamic=dynamic)
        for arguments, binaries in calls:
            self.check(function, arguments, compiled)
            self.assertEqual(compiled.num_binaries, binaries, f"after the sizes {arguments}")
        return compiled

    def sizes(self, *shapes):
        return [((tensor(*shape),), binaries) for shape, binaries in shapes]

    def test_sizes_of_one_dim(self):
        compiled = self.run_calls(normalise, self.sizes(((5, 3), 1), ((6, 3), 2), ((7, 3), 2), ((5, 3), 2)))
        # Another dim: everything is open, for ever.
        self.run_calls(normalise, self.sizes(((7, 4), 3), ((9, 11), 3), ((5, 3), 3), ((6, 3), 3), ((2, 2), 3)),
                       compiled=compiled)

    def test_two_sizes_in_turns(self):
        self.run_calls(normalise, self.sizes(((5, 3), 1), ((5, 8), 2), *[((5, 3), 2), ((5, 8), 2)] * 3))

    def test_several_dims_at_once(self):
        self.run_calls(normalise, self.sizes(((5, 3), 1), ((6, 4), 2), ((7, 8), 2), ((5, 9), 2)))

    def test_sizes_of_one(self):
        self.run_calls(normalise, self.sizes(((1, 3), 1), ((4, 3), 2), ((1, 3), 2), ((9, 3), 2)))
        self.run_calls(lambda x, y: x + y, [((tensor(4, 3), tensor(1, 3)), 1), ((tensor(4, 3), tensor(4, 3)), 2),
                                            ((tensor(4, 3), tensor(1, 3)), 2)])

    def test_sizes_of_zero(self):
        self.run_calls(scale, [((tensor(3), 2.0), 1), ((tensor(0), 2.0), 2), ((tensor(4), 2.0), 3), ((tensor(0), 2.0), 3)])

    def test_dynamic(self):
        self.run_calls(normalise, self.sizes(((5, 3), 1), ((6, 3), 1), ((6, 4), 1)), dynamic=True)
        self.run_calls(normalise, self.sizes(((5, 3), 1), ((6, 3), 2), ((6, 4), 3), ((7, 4), 4), ((5, 3), 4)), dynamic=False)

    def test_numbers(self):
        x = tensor(4)
        self.run_calls(scale, [((x, 2), 1), ((x, 3), 2), ((x, -7), 2), ((x, 2), 2)])
        self.run_calls(scale, [((x, 0.0), 1), ((x, -0.0), 2), ((x, 1.5), 2), ((x, 0.0), 2)])
        self.run_calls(scale, [((x, 2), 1), ((x, 2.0), 2), ((x, True), 3), ((x, False), 4), ((x, 2), 4)])

    def test_numbers_that_are_no_number(self):
        for first, second in ((float("nan"), 1.0), (1.0, float("nan")), (float("inf"), float("-inf"))):
            compiled = tssa.compile(lambda x, factor: x * factor, dynamic=None)
            for factor in (first, second, first, second):
                torch.testing.assert_close(compiled(tensor(4), factor), tensor(4) * factor, equal_nan=True)
            self.assertEqual(compiled.num_binaries, 2)

    def test_positions_of_a_decoder(self):
        compiled, keys = tssa.compile(attend, dynamic=None), torch.zeros(100, 8)
        expected = keys.clone()
        for position in range(100):
            tokens = tensor(8, seed=position)
            torch.testing.assert_close(compiled(tokens, keys, position), attend(tokens, expected, position))
        torch.testing.assert_close(keys, expected)
        self.assertEqual(compiled.num_binaries, 2)

    def test_a_growing_cache(self):
        compiled, cache, expected = tssa.compile(extend, dynamic=None), Cache(), Cache()
        for step in range(20):
            tokens = tensor(1, 4, seed=step)
            torch.testing.assert_close(compiled(tokens, cache), extend(tokens, expected))
        self.assertEqual(compiled.num_binaries, 3)  # without a cache, with one, with a longer one

    def test_a_number_that_splits_a_dim(self):
        x = tensor(3, 24)
        self.run_calls(split, [((x, 2), 1), ((x, 4), 2), ((x, 6), 2), ((x, 8), 2)])
        self.run_calls(split, [((x, 2), 1), ((x, 4), 2), ((x, 6), 3)], dynamic=True)

    def test_the_third_opens_numbers_that_split(self):
        self.run_calls(split, [((tensor(3, 24), 2), 1), ((tensor(4, 24), 2), 2), ((tensor(4, 8), 2), 3),
                               ((tensor(4, 8), 4), 3), ((tensor(2, 12), 3), 3)])

    def test_what_a_program_decides_by(self):
        # A recording that is due to a guard opens nothing more.
        self.run_calls(by_size, self.sizes(((8, 3), 1), ((6, 3), 2), ((2, 3), 3), ((3, 3), 3), ((7, 3), 3), ((7, 4), 4)))

    def test_state_opens_nothing(self):
        module = Offset().eval()
        compiled = tssa.compile(module, dynamic=None)
        for amount, rows, binaries in ((1.5, 4, 1), (2.5, 4, 2), (2.5, 5, 3), (2.5, 9, 3), (2.5, 4, 3)):
            module.amount = amount
            torch.testing.assert_close(compiled(tensor(rows)), tensor(rows) + amount)
            self.assertEqual(compiled.num_binaries, binaries)

    def test_kinds_of_calls(self):
        calls = [((tensor(rows, 4).to(kind),), binaries)
                 for kind, counts in ((torch.float32, (1, 2, 2)), (torch.float64, (3, 4, 4)))
                 for rows, binaries in zip((4, 5, 6), counts)]
        self.run_calls(lambda x: x.relu() + 1, calls)

    def test_what_cannot_be_open(self):
        def rows(x, y):
            return torch.stack([row * float(len(str(x.size(0)))) for row in x.unbind(0)]) + y.sum()

        self.run_calls(rows, [((tensor(3, 2), tensor(4)), 1), ((tensor(5, 2), tensor(4)), 2), ((tensor(5, 2), tensor(6)), 3),
                              ((tensor(5, 2), tensor(9)), 3)])

    def test_prepare(self):
        compiled = tssa.compile(normalise, (tensor(5, 3),), dynamic=None)
        self.assertEqual(compiled.num_binaries, 1)
        compiled.prepare(tensor(6, 3))
        self.run_calls(normalise, self.sizes(((5, 3), 2), ((6, 3), 2), ((12, 3), 2)), compiled=compiled)

    def test_shared_memory(self):
        def write(a, b):
            a += 1
            return a * b

        compiled = tssa.compile(write, dynamic=None)
        for length in (8, 9, 12):
            line, other = torch.arange(float(length)), torch.arange(float(length))
            torch.testing.assert_close(compiled(line[:4], line[1:5]), write(other[:4], other[1:5]))
            torch.testing.assert_close(line, other)
        self.assertLessEqual(compiled.num_binaries, 3)

    def test_threads(self):
        compiled, failures = tssa.compile(normalise, dynamic=None), []

        def call(seed):
            for rows in (3, 4, 5, 3):
                x = tensor(rows, 4, seed=seed)
                if not torch.allclose(compiled(x)[0], normalise(x)[0], atol=1e-5):
                    failures.append((seed, rows))

        threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(compiled.num_binaries, 2)

    def test_the_log(self):
        def reasons(*calls):
            with self.assertLogs("tssa", "INFO") as logs:
                for rows, number in calls:
                    compiled(tensor(rows, 3), number)
            return [text for record in logs.records if "compiled again" in (text := record.getMessage())]

        compiled = tssa.compile(scale, dynamic=None)
        self.assertEqual(reasons((5, 2)), [])
        self.assertEqual(reasons((6, 2), (7, 2), (7, 4)),
                         ["scale is compiled again, for other sizes and numbers: size 0 of argument 0 was 5, is 6",
                          "scale is compiled again, for other sizes and numbers: size 0 of argument 0 was 5, is 7, "
                          "argument 1 was 2, is 4"])

    def test_the_warning(self):
        compiled = tssa.compile(normalise, dynamic=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for rows in range(2, 12):
                compiled(tensor(rows, 3))
        texts = [str(warning.message) for warning in caught if "compiled 8 times for calls" in str(warning.message)]
        self.assertEqual(len(texts), 1)
        self.assertIn(r"argument 0 has the sizes [9, 3]", texts[0])


if __name__ == "__main__":
    unittest.main()
