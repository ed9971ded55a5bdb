# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Modules among the arguments: their parameters and buffers are arguments, too, so that one binary serves modules alike."""

import copy
import unittest

import torch
import torch.nn.functional as F
from torch import nn

import tssa
from tssa._module_arguments import key_of_module


class Block(nn.Module):
    """A block as in a transformer, with a norm, a number, a function and a list of tensors."""

    def __init__(self, size=8, scale=2.0, kind=nn.ReLU):
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(size), nn.Sequential(nn.Linear(size, 2 * size), kind(), nn.Linear(2 * size, size))
        self.scale, self.act, self.shifts = scale, F.gelu, [torch.randn(size)]

    def forward(self, x):
        return x + self.act(self.inner(self.norm(x))) * self.scale + self.shifts[0]


class Memory(nn.Module):
    """A module that changes its state."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.randn(8))
        self.states, self.steps, self.last = [torch.randn(8)], 0, None

    def forward(self, x):
        for row in x:
            self.mean = self.mean * 0.9 + row * 0.1
            self.states[0] = torch.tanh(self.states[0] + row)
        self.last = x * 2
        return self.mean + self.states[0]


def run(block, x):
    return block(x)


def run_all(blocks, x):
    for block in blocks:
        x = block(x)
    return x


def take_first(*kinds):
    """Passes a module of each class: the weights of the first one are constants, and so it shares no binary."""
    for module in (kind() for kind in kinds):
        key_of_module(module, {})


class ModuleArguments(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        take_first(Block, Memory, lambda: nn.Linear(8, 8), lambda: nn.BatchNorm1d(8))

    def check(self, compiled, function, *arguments):
        """Compares the results of both, and the state of the modules after them."""
        others = copy.deepcopy(arguments)
        with torch.no_grad():
            expected, found = function(*others), compiled(*arguments)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        for module, other in zip(arguments, others):
            if isinstance(module, nn.Module):
                self.assertEqual(list(module.state_dict()), list(other.state_dict()))
                for left, right in zip(module.state_dict().values(), other.state_dict().values()):
                    torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-5)

    def test_ten_blocks_have_one_binary(self):
        for dynamic, lengths, most in ((None, (5,), 1), (None, (5, 7), 2), (True, (5, 7), 1)):
            compiled = tssa.compile(run, dynamic=dynamic)
            for block in (Block() for _ in range(10)):
                for length in lengths:
                    self.check(compiled, run, block, torch.randn(length, 8))
            self.assertEqual(compiled.num_binaries, most)

    def test_the_weights_of_the_first_module_of_a_class_are_constants(self):
        class Other(Block):
            pass

        compiled, first = tssa.compile(run), Other()
        for block in (first, Other(), Other(), first):
            self.check(compiled, run, block, torch.randn(5, 8))
        self.assertEqual(compiled.num_binaries, 2)

    def test_what_a_module_consists_of_is_part_of_the_key(self):
        compiled = tssa.compile(run)
        blocks = [Block(), Block(scale=3.0), Block(kind=nn.Tanh), Block().eval()]
        blocks[2].act = F.relu
        for count, block in enumerate(blocks, 1):
            self.check(compiled, run, block, torch.randn(5, 8))
            self.assertEqual(compiled.num_binaries, count)
        self.check(compiled, run, Block(scale=3.0), torch.randn(5, 8))
        self.assertEqual(compiled.num_binaries, 4)
        self.check(compiled, run, Block(16), torch.randn(5, 16))
        self.assertEqual(compiled.num_binaries, 5)

    def test_weights_that_change(self):
        compiled, block, x = tssa.compile(run), Block(), torch.randn(5, 8)
        self.check(compiled, run, block, x)
        with torch.no_grad():
            block.norm.weight.mul_(2)
        self.check(compiled, run, block, x)
        block.inner[0].weight = nn.Parameter(torch.randn(16, 8))
        self.check(compiled, run, block, x)
        self.assertEqual(compiled.num_binaries, 1)

    def test_numbers_and_hooks_that_change(self):
        compiled, block, x = tssa.compile(run), Block(), torch.randn(5, 8)
        self.check(compiled, run, block, x)
        block.scale = -1.0
        self.check(compiled, run, block, x)
        handle = block.inner[0].register_forward_hook(lambda module, args, result: result * 2)
        with torch.no_grad():
            torch.testing.assert_close(compiled(block, x), block(x), rtol=1e-4, atol=1e-5)
        handle.remove()
        self.check(compiled, run, block, x)

    def test_buffers_that_are_written(self):
        compiled, norms = tssa.compile(run), [nn.BatchNorm1d(8) for _ in range(4)]
        for norm in norms * 2:
            self.check(compiled, run, norm, torch.randn(5, 8))
        self.assertEqual(compiled.num_binaries, 1)
        self.assertEqual([int(norm.num_batches_tracked) for norm in norms], [2] * 4)
        self.check(compiled, run, norms[0].eval(), torch.randn(5, 8))
        self.assertEqual(compiled.num_binaries, 2)

    def test_state_that_is_replaced(self):
        compiled = tssa.compile(run)
        modules = [Memory() for _ in range(3)]
        others = copy.deepcopy(modules)
        for length in (9, 12, 20):
            for module, other in zip(modules, others):
                x, states = torch.randn(length, 8), module.states
                torch.testing.assert_close(compiled(module, x), other(x), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close((module.mean, module.states[0], module.last), (other.mean, other.states[0], other.last),
                                           rtol=1e-4, atol=1e-5)
                self.assertIs(module.states, states)
                self.assertIsNot(module._non_persistent_buffers_set, modules[module is modules[0]]._non_persistent_buffers_set)
        self.assertLessEqual(compiled.num_binaries, 4)

    def test_tied_weights_and_lists(self):
        compiled = tssa.compile(run_all)
        one, two = nn.Linear(8, 8), nn.Linear(8, 8)
        tied = nn.Linear(8, 8)
        tied.weight = one.weight
        for blocks in ([one, two], [two, one], [one, tied], [one, one]):
            x = torch.randn(5, 8)
            with torch.no_grad():
                torch.testing.assert_close(compiled(blocks, x), run_all(blocks, x), rtol=1e-4, atol=1e-5)
        self.assertEqual(compiled.num_binaries, 3)

    def test_a_result_is_a_parameter_or_the_module(self):
        def take(block, x):
            return block, block.weight, block.weight * 2, isinstance(block.weight, nn.Parameter), block.weight.requires_grad

        compiled = tssa.compile(take)
        for block in (nn.Linear(8, 8), nn.Linear(8, 8)):
            with torch.no_grad():
                found = compiled(block, torch.ones(2))
            self.assertIs(found[0], block)
            self.assertIs(found[1], block.weight)
            self.assertEqual(found[3:], (True, True))
        self.assertEqual(compiled.num_binaries, 1)

    def test_a_module_is_compared_with_one_that_is_no_argument(self):
        first = nn.Linear(8, 8)

        def is_first(block, x):
            return x * 2 if block is first else x

        with self.assertRaisesRegex(tssa.UnsupportedError, "a module among the arguments is compared with one that is none"):
            tssa.compile(is_first)(first, torch.ones(8))

    def test_methods(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 8)

            @tssa.compile
            def double(self, x):
                return self.layer(x) * 2

        for net in (Net(), Net(), Net()):
            x = torch.randn(3, 8)
            with torch.no_grad():
                torch.testing.assert_close(net.double(x), net.layer(x) * 2, rtol=1e-4, atol=1e-5)
        self.assertEqual(Net.double.num_binaries, 2)


if __name__ == "__main__":
    unittest.main()
