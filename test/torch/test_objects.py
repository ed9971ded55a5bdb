# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists, dicts and plain objects among arguments and results, and what programs change of them."""

import copy
import unittest
from collections import OrderedDict, deque

import torch

import tssa
from collected import tensor
from support import AgreementTest


class Layer:
    def __init__(self):
        self.keys, self.is_filled = None, False

    def update(self, keys):
        if not self.is_filled:
            self.keys, self.is_filled = torch.tensor([]), True
        self.keys = torch.cat([self.keys, keys], -2)
        return self.keys


class Cache:
    """Keys of several layers, as decoders keep them."""

    def __init__(self, scale=2.0):
        self.layers, self.scale, self.limits = [], scale, {"most": 100}

    def update(self, keys, layer):
        while len(self.layers) <= layer:
            self.layers.append(Layer())
        return self.layers[layer].update(keys * self.scale)

    @property
    def length(self):
        return self.layers[0].keys.shape[-2] if self.layers else 0


def decode(x, cache=None):
    cache = Cache() if cache is None else cache
    position = torch.arange(x.shape[0]) + cache.length
    for layer in range(2):
        keys = cache.update(x, layer)
        x = torch.softmax(x @ keys.t(), -1) @ keys + position.unsqueeze(-1)
    return x, cache


class Stack(list):
    pass


class Counter:
    def __init__(self):
        self.step, self.name = 0, "steps"


def count(x, counter):
    counter.step += 1
    return x * counter.step


def change_list(values):
    values.append(values[0] + values.pop())
    values.insert(0, values[-1])
    return len(values)


def change_dict(state, x):
    state["sum"] = state.get("sum", 0) + x
    state["seen"] = [x, state]
    return state


def push(queue, x):
    queue.append(queue[-1] + x)
    return queue


def make_objects(x):
    cache = Cache(3.0)
    cache.update(x, 0)
    return {"one": cache, "same": cache}, cache.layers[0], x.dtype


def write_attribute(cache):
    cache.layers[0].keys += 1
    return cache.layers[0].keys.sum()


def describe(value):
    """What can be compared of objects."""
    if isinstance(value, (Cache, Layer)):
        return type(value).__name__, {name: describe(part) for name, part in vars(value).items()}
    if isinstance(value, (list, tuple)):
        return [describe(part) for part in value]
    return {key: describe(part) for key, part in value.items()} if isinstance(value, dict) else value


class Objects(AgreementTest):
    def agree(self, function, *arguments, compiled=None):
        compiled = compiled or tssa.compile(function)
        left, right = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with torch.no_grad():
            expected, actual = function(*left), compiled(*right)
        self.assert_same(describe(expected), describe(actual), "result")
        self.assert_same(describe(left), describe(right), "arguments")
        return compiled, right, actual

    def test_cache(self):
        x, cache = tensor(3, 4), None
        compiled = tssa.compile(decode, dynamic=None)
        for _ in range(6):
            _, _, (y, after) = self.agree(decode, x, *([cache] if cache else []), compiled=compiled)
            cache, x = after, y[-1:].tanh()
        self.assertEqual(cache.length, 8)
        self.assertEqual(compiled.num_binaries, 3)  # without a cache, with one, with a longer one
        _, (_, given), (_, result) = self.agree(decode, x, cache, compiled=compiled)
        self.assertIs(given, result)

    def test_empty_cache(self):
        _, (_, given), (_, result) = self.agree(decode, tensor(3, 4), Cache())
        self.assertIs(given, result)
        self.assertEqual(given.length, 3)

    def test_numbers(self):
        compiled, _, _ = self.agree(decode, tensor(3, 4), Cache(), compiled=tssa.compile(decode, dynamic=None))
        for number in (0.5, 0.25, 3.0):
            self.agree(decode, tensor(3, 4), Cache(number), compiled=compiled)
        self.assertEqual(compiled.num_binaries, 2)

    def test_counter(self):
        counter, compiled = Counter(), tssa.compile(count, dynamic=None)
        for step in range(1, 5):
            torch.testing.assert_close(compiled(tensor(3), counter), tensor(3) * step)
            self.assertEqual((counter.step, type(counter.step)), (step, int))
        self.assertEqual(compiled.num_binaries, 2)

    def test_lists(self):
        _, (values,), _ = self.agree(change_list, [tensor(3), tensor(3, seed=1)])
        self.assertEqual(len(values), 3)

    def test_shared_lists(self):
        values = [tensor(3), tensor(3, seed=1)]
        compiled = tssa.compile(lambda values, other: (change_list(values), other[0] * 2, other))
        count, doubled, other = compiled(values, values)
        self.assertEqual((count, len(values)), (3, 3))
        self.assertIs(other, values)
        torch.testing.assert_close(doubled, values[0] * 2)

    def test_what_comes_again(self):
        compiled = tssa.compile(lambda values, other: other[0] * 2 if isinstance(other, list) else other * 3)
        x = tensor(3)
        values = [x]
        for other, expected in ((x, x * 3), (values, x * 2), ([x], x * 2), (tensor(3), x * 3)):
            torch.testing.assert_close(compiled(values, other), expected)

    def test_dicts(self):
        compiled = tssa.compile(change_dict)
        state = {"first": tensor(3)}
        for times in (1, 2):
            found = compiled(state, tensor(3))
            self.assertIs(found, state)
            self.assertIs(found["seen"][1], state)
            torch.testing.assert_close(found["sum"], tensor(3) * times)
            del state["seen"]

    def test_other_containers(self):
        state = OrderedDict(first=tensor(3))
        found = tssa.compile(change_dict)(state, tensor(3))
        self.assertIs(found, state)
        torch.testing.assert_close(state["sum"], tensor(3))
        queue = deque([tensor(3), tensor(3) * 2], maxlen=2)
        compiled = tssa.compile(push)
        for times in (1, 2):
            expected = copy.deepcopy(queue)
            push(expected, tensor(3))
            self.assertIs(compiled(queue, tensor(3)), queue)
            self.assertEqual(len(queue), 2)
            for made, wanted in zip(queue, expected):
                torch.testing.assert_close(made, wanted)
        with self.assertRaisesRegex(tssa.UnsupportedError, "a Stack among the arguments is given other elements"):
            tssa.compile(lambda stack, x: stack.append(x))(Stack(), tensor(3))
        shared = [tensor(3)]
        with self.assertRaisesRegex(tssa.UnsupportedError, "a list among the arguments is given other elements"):
            tssa.compile(lambda state: state["a"].append(state["b"][0]))(OrderedDict(a=shared, b=shared))
        (found,) = tssa.compile(lambda state: state["b"])(OrderedDict(a=shared, b=shared, c=[]))
        self.assertIs(found, shared[0])

    def test_objects_of_results(self):
        compiled, _, (objects, layer, _) = self.agree(make_objects, tensor(2, 3))
        self.assertIs(objects["one"], objects["same"])
        self.assertIs(objects["one"].layers[0], layer)
        self.assertIsNot(compiled(tensor(2, 3))[1], layer)

    def test_attributes_are_written(self):
        cache = Cache()
        cache.update(tensor(2, 3), 0)
        keys = cache.layers[0].keys
        self.agree(write_attribute, cache)
        tssa.compile(write_attribute)(cache)
        self.assertIs(cache.layers[0].keys, keys)

    def test_check(self):
        compiled = tssa.compile(decode, check=True)
        _, cache = compiled(tensor(3, 4))
        compiled(tensor(1, 4), cache)


if __name__ == "__main__":
    unittest.main()
