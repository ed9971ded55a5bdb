# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Calls like an earlier one run in C++; all others take the way through Python, with the same results and errors."""

import gc
import sys
import threading
import unittest
import unittest.mock
import weakref

import torch
from torch.utils import _pytree as pytree

import tssa
from tssa._function import CompiledFunction

X, Y = torch.arange(1.0, 5.0), torch.arange(4.0)
SCALE = 2.0


def affine(x, y):
    return x * 2 + y


def add_list(tensors):
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return total


def write(x, y):
    x[1:3] = y
    return x[:2]


class CallCacheTest(unittest.TestCase):
    def is_hit(self, compiled, *args, **kwargs):
        """Returns whether a call runs in C++, and checks its result."""
        expected = compiled.compiled_program(*args, **kwargs)
        with unittest.mock.patch.object(CompiledFunction, "_call", autospec=True, side_effect=CompiledFunction._call) as missed:
            result = compiled(*args, **kwargs)
        (leaves, spec), (expected_leaves, expected_spec) = pytree.tree_flatten(result), pytree.tree_flatten(expected)
        self.assertEqual(spec, expected_spec)
        for leaf, known in zip(leaves, expected_leaves):
            if isinstance(known, torch.Tensor):
                torch.testing.assert_close(leaf, known, rtol=0, atol=0, equal_nan=True)
                self.assertEqual(leaf.stride(), known.stride())
            else:
                self.assertEqual(leaf, known)
        return not missed.called

    def check_hits(self, program, *args, dynamic=None, **kwargs):
        compiled = tssa.compile(program, dynamic=dynamic)
        self.assertFalse(self.is_hit(compiled, *args, **kwargs))
        self.assertTrue(self.is_hit(compiled, *args, **kwargs))
        return compiled


class Hits(CallCacheTest):
    def test_kinds_of_arguments(self):
        for dynamic in (None, True):
            self.check_hits(affine, X, Y, dynamic=dynamic)
            self.check_hits(affine, X, y=Y, dynamic=dynamic)
            self.check_hits(add_list, [X, Y, X + 1], dynamic=dynamic)
            self.check_hits(lambda x, a, b: x * a + b, X, 2, 0.5, dynamic=dynamic)
            self.check_hits(lambda x, how, both: x.sum() if how == "sum" and both else x, X, "sum", True, dynamic=dynamic)
            self.check_hits(lambda found: found["x"] - found["y"][0], {"x": X, "y": (Y, 1)}, dynamic=dynamic)

    def test_kinds_of_results(self):
        self.check_hits(lambda x: None, X)
        self.check_hits(lambda x: [x + 1, None, "name"], X)
        self.check_hits(lambda x: (x + 1, x, x[1:]), X)
        self.check_hits(lambda x: {"more": x + 1, "size": x.shape}, X)
        self.check_hits(lambda x: (x.sum().item(), x[x > 2]), X)
        self.check_hits(lambda x: x.reshape(2, 2).t(), X)

    def test_writes(self):
        compiled = tssa.compile(write)
        for _ in range(3):
            x = torch.zeros(8)[2:6]
            view = compiled(x, torch.ones(2))
            self.assertEqual(x.tolist(), [0, 1, 1, 0])
            self.assertEqual((view.data_ptr(), view.tolist()), (x.data_ptr(), [0, 1]))

    def test_changed_arguments(self):
        def program(parts):
            scale = 2 if parts[0] == "first" else 3
            parts[0] = "later"
            parts.append(parts[1] * scale)
            return len(parts)

        compiled = tssa.compile(program)
        for word, scale in (("first", 2), ("first", 2), ("later", 3), ("first", 2), ("later", 3)):
            parts = [word, X]
            self.assertEqual(compiled(parts), 3)
            self.assertEqual(parts[0], "later")
            self.assertIs(parts[1], X)
            self.assertEqual(parts[2].tolist(), (X * scale).tolist())

    def test_written_contents(self):
        scale = torch.ones(4)
        compiled = tssa.compile(lambda x: x * scale)
        for factor in range(1, 6):
            scale.fill_(factor)
            for _ in range(2):
                self.assertEqual(compiled(X).tolist(), (X * factor).tolist())

    def test_buffers(self):
        class Count(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.zeros(4))

            def forward(self, x):
                self.total = self.total + x
                return self.total * 2

        module, twin = Count().eval(), Count().eval()
        compiled = tssa.compile(module)
        for _ in range(4):
            self.assertEqual(compiled(X).tolist(), twin(X).tolist())
        self.assertEqual(module.total.tolist(), twin.total.tolist())

    def test_results_are_arguments(self):
        compiled = tssa.compile(lambda x, y: (x.add_(1), y))
        for _ in range(3):
            x = X.clone()
            made = compiled(x, Y)
            self.assertIs(made[0], x)
            self.assertIs(made[1], Y)

    def test_open_sizes(self):
        compiled = tssa.compile(affine, dynamic=True)
        compiled(X, Y)
        self.assertTrue(self.is_hit(compiled, torch.ones(9), torch.ones(9)))
        self.assertFalse(self.is_hit(compiled, torch.ones(9), torch.ones(1)))

    def test_module(self):
        module = torch.nn.Linear(4, 3).eval()
        compiled = tssa.compile(module)
        for _ in range(2):
            result = compiled(X)
            self.assertFalse(result.requires_grad)
        self.assertTrue(torch.is_grad_enabled())
        with torch.no_grad():
            module.weight.mul_(2)
            for _ in range(2):
                torch.testing.assert_close(compiled(X), module(X))
            module.weight = torch.nn.Parameter(torch.ones(3, 4))
            torch.testing.assert_close(compiled(X), module(X))


class Misses(CallCacheTest):
    def check_miss(self, compiled, *args):
        self.assertFalse(self.is_hit(compiled, *args))

    def test_tensors(self):
        compiled = self.check_hits(affine, X, Y)
        tagged = X.clone()
        tagged.tag = 1
        for x, y in ((X, X), (X.double(), Y), (X.int(), Y), (X[None], Y), (torch.ones(8)[::2], Y), (torch.ones(1), Y),
                     (torch.ones(0), torch.ones(0)), (tagged, Y), (X.to(torch.complex64).conj().imag, Y), (2.0, Y)):
            self.check_miss(compiled, x, y)
        self.assertTrue(self.is_hit(compiled, X, Y))

    def test_numbers(self):
        compiled = self.check_hits(lambda x, a: x * a, X, 0.0)
        self.check_miss(compiled, X, 0)
        self.check_miss(compiled, X, False)
        self.assertEqual(str(compiled(X, -0.0)[0].item()), "-0.0")
        self.assertEqual(str(compiled(X, 0.0)[0].item()), "0.0")
        self.assertTrue(compiled(X, float("nan")).isnan().all())
        large = tssa.compile(lambda x, a: x + a, dynamic=True)
        for number in (3, 4, 5):
            self.assertEqual(large(X, number).tolist(), (X + number).tolist())
        with self.assertRaises(Exception):
            large(torch.ones(4, dtype=torch.int64), 1 << 70)

    def test_lists(self):
        compiled = self.check_hits(lambda a, b: a[0] + b[0], [X], [Y])
        same = [X]
        self.check_miss(compiled, same, same)
        self.check_miss(compiled, [X], (Y,))
        self.check_miss(compiled, [X, Y], [Y])
        self.check_miss(compiled, [X], [X])

    def test_context(self):
        compiled = self.check_hits(lambda x: x + torch.ones(4), X)
        torch.set_default_dtype(torch.float64)
        try:
            self.check_miss(compiled, X)
        finally:
            torch.set_default_dtype(torch.float32)
        self.assertTrue(self.is_hit(compiled, X))
        with torch.autocast("cpu"):
            self.check_miss(compiled, X)

    def test_state(self):
        def program(x):
            return x * SCALE

        global SCALE
        compiled = self.check_hits(program, X)
        SCALE = 3.0
        try:
            self.check_miss(compiled, X)
            self.assertTrue(self.is_hit(compiled, X))
        finally:
            SCALE = 2.0
        self.assertEqual(compiled(X).tolist(), (X * 2).tolist())

    def test_defaults_and_cells(self):
        factor, inner = 2.0, lambda x, y=1.0: x + y

        def program(x):
            return inner(x) * factor

        compiled = self.check_hits(program, X)
        factor = 5.0
        self.check_miss(compiled, X)
        inner.__defaults__ = (7.0,)
        self.check_miss(compiled, X)


class Errors(CallCacheTest):
    def test_gradients(self):
        compiled = self.check_hits(affine, X, Y)
        needing = X.clone().requires_grad_()
        with self.assertRaisesRegex(tssa.Error, "gradients are not computed"):
            compiled(needing, Y)
        with torch.no_grad():
            self.assertFalse(compiled(needing, Y).requires_grad)

    def test_gradients_of_constants(self):
        weight = torch.nn.Parameter(torch.ones(4))
        compiled = tssa.compile(lambda x: x * weight)
        with torch.no_grad():
            for _ in range(2):
                self.assertEqual(compiled(X).tolist(), X.tolist())
        with self.assertRaisesRegex(tssa.Error, "gradients are not computed"):
            compiled(X)

    def test_shared_memory(self):
        def program(x, y):
            x[0] = 5
            return y * 2

        compiled = self.check_hits(program, X.clone(), Y)
        x = torch.arange(4.0)
        self.assertEqual(compiled(x, x[:]).tolist(), [10, 2, 4, 6])
        self.assertEqual(x.tolist(), [5, 1, 2, 3])

    def test_in_the_run(self):
        compiled = self.check_hits(lambda x, i: x[i], X, torch.tensor([1, 2]))
        for _ in range(2):
            with self.assertRaises(tssa.Error):
                compiled(X, torch.tensor([1, 20]))
        self.assertTrue(self.is_hit(compiled, X, torch.tensor([3, 0])))

    def test_transforms(self):
        compiled = self.check_hits(affine, X, Y)
        for call in (lambda program: torch.vmap(program)(torch.ones(2, 4), torch.ones(2, 4)),
                     lambda program: program(X.to("meta"), Y.to("meta"))):
            with self.assertRaises(Exception):
                call(compiled)


class Lifetimes(CallCacheTest):
    def test_references(self):
        compiled = tssa.compile(add_list)
        tensors = [X.clone(), Y.clone()]
        compiled(tensors)
        counts = [*map(sys.getrefcount, tensors)]
        for _ in range(10):
            compiled(tensors)
        self.assertEqual([*map(sys.getrefcount, tensors)], counts)

    def test_results_outlive_the_program(self):
        compiled = tssa.compile(affine)
        results = [compiled(X, Y) for _ in range(3)]
        gone = weakref.ref(compiled)
        del compiled
        gc.collect()
        self.assertIsNone(gone())
        for result in results:
            self.assertEqual(result.tolist(), affine(X, Y).tolist())
        self.assertEqual(len({result.data_ptr() for result in results}), 3)

    def test_threads(self):
        compiled, wrong = tssa.compile(affine), []

        def work(seed):
            for size in (4, 5) * 50:
                x = torch.full((size,), float(seed))
                if compiled(x, x + 1).tolist() != affine(x, x + 1).tolist():
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
