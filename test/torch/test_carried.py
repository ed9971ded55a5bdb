# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Containers that are older than a loop or branch, which replaces what is in them: the caller's lists, dicts and objects."""

import collections
import copy
import unittest
from typing import Dict, List

import torch
import torch.nn.functional as F
from torch import nn

import tssa
from support import flatten

LENGTHS = (27, 48, 55, 12, 3)


class State:
    """What a recurrent net keeps."""

    def __init__(self, hidden, cell):
        self.hidden, self.cell, self.count = hidden, cell, 0


def parts_of(value):
    """Returns the tensors and numbers in a value, also those of States and deques."""
    if isinstance(value, State):
        return parts_of(vars(value))
    if isinstance(value, (list, tuple, collections.deque)):
        return [part for element in value for part in parts_of(element)]
    return [part for element in value.values() for part in parts_of(element)] if isinstance(value, dict) else flatten(value)


def containers_of(value):
    """Returns the containers in a value, by which their identity is compared."""
    if isinstance(value, State):
        return [value, *containers_of(vars(value))]
    if not isinstance(value, (list, tuple, dict, collections.deque)):
        return []
    parts = value.values() if isinstance(value, dict) else value
    return [value, *(inner for part in parts for inner in containers_of(part))]


class CarriedTest(unittest.TestCase):
    """Results, contents, and which tensors are the same are as in eager mode."""

    def call(self, function, compiled, *arguments):
        """Calls both with copies. Compares results and arguments, and which tensors of the arguments are where."""
        sides = [copy.deepcopy(arguments) for _ in range(2)]
        had = [(parts_of(side), [id(one) for one in containers_of(side) if type(one) is not tuple]) for side in sides]
        results = [called(*side) for called, side in zip((function, compiled), sides)]
        found = [parts_of([result, side]) for result, side in zip(results, sides)]
        self.assertEqual(*map(len, found))
        for left, right in zip(*found):
            torch.testing.assert_close(right, left, rtol=1e-4, atol=1e-4)
        places = [[next((i for i, old in enumerate(tensors) if old is part and isinstance(part, torch.Tensor)), None) for part in parts]
                  for (tensors, _), parts in zip(had, found)]
        self.assertEqual(*places)
        for (_, ids), side in zip(had, sides):
            self.assertEqual([id(one) for one in containers_of(side) if type(one) is not tuple], ids)

    def check(self, function, make, most=2, lengths=LENGTHS):
        """Calls the function with inputs of some lengths and what make() returns."""
        compiled = tssa.compile(function)
        for length in lengths:
            torch.manual_seed(length)
            self.call(function, compiled, torch.randn(length, 8), make())
        self.assertLessEqual(compiled.num_binaries, most, function.__name__)


def two():
    return [torch.randn(8), torch.randn(8)]


def replaces(x, state: List[torch.Tensor]):
    for row in x:
        state[0] = torch.tanh(state[0] + row)
    return state[0] * 2


def swaps(x, state):
    for row in x:
        state[0], state[-1] = state[-1], state[0]
    return x.sum() + row.sum()


def has_two_names(x, state):
    for row in x:
        other = state
        other[0], state[1] = state[1] + row, other[0] * 0.5
        last = other[1]
    return last


def writes_in_place(x, state):
    for row in x:
        state[0] = state[0] + row
        state[1].add_(row)
    state[0].mul_(2)


def writes_what_it_took(x, state):
    if x.sum() > 0:
        state[0] = state[1]
    state[0].mul_(2)


def replaces_pairs(x, state):
    for row in x:
        for i in range(len(state)):
            hidden, cell = state[i]
            state[i] = hidden + row, cell * 0.5 + hidden


def replaces_in_lists(x, state):
    for row in x:
        for part in state:
            part[0] = part[0] * 0.5 + row


def replaces_all(x, state):
    for row in x:
        state[:] = [part * 0.5 + row for part in state]


def slides(x, state):
    for row in x:
        state.pop(0)
        state.append(row * 2)
    return torch.stack(list(state))


def slides_in_a_deque(x, state):
    for row in x:
        state.popleft()
        state.append(row * 2)
    return sum(state)


def changes_a_dict(x, state: Dict[str, torch.Tensor]):
    for row in x:
        state["hidden"] = torch.tanh(state["hidden"] + row)
        state.update(cell=state["cell"] + state["hidden"])
        state["count"] += 1
    return state["count"]


def changes_an_object(x, state):
    for row in x:
        state.hidden, state.cell = torch.tanh(state.hidden + row), state.cell + state.hidden
        state.count += 1
    return state.hidden * 2


def ends_early(x, state):
    for row in x:
        state[0] = state[0] + row.abs()
        if state[0].sum() > 15:
            break
    return state[0] * 2


def runs_until(x, state):
    steps = 0
    while state.hidden.sum() < 20:
        state.hidden = state.hidden + x[0].abs() + 0.1
        state.count += 1
        steps += 1
    return steps


def never_runs(x, state):
    while state[0].sum() < -1e9:
        state[0] = state[0] + x[0]


def changes_in_a_branch(x, state):
    for row in x:
        if row.sum() > 1:
            state[0] = state[0] * 0.5 + row


def returns_in_a_loop(x, state):
    def find():
        for row in x:
            if row.sum() > 3:
                state[0] = row * 2
                return row + 1
        return x[0] + 1

    return find()


def may_raise(x, state):
    for row in x:
        state[0] = state[0] + row
        if row.sum() > 1e6:
            raise ValueError("too large")


def changes_what_it_made(x, state):
    made, parts, uneven = State(x[0] + 1, x[0] + 1), {"a": state[0], "b": state[1]}, [x[0] + 1, x[0, :3] + 1]
    for row in x:
        made.hidden = made.hidden + row
        parts["a"], parts["b"] = parts["b"] + row, parts["a"] * 0.5
        uneven[0], uneven[1] = uneven[0] + row, uneven[1] * row[:3]
    if x.sum() > 0:
        made.cell = made.hidden * 2
    return made.hidden, made.cell, parts, uneven


class ArgumentTest(CarriedTest):
    """Containers among the arguments: two binaries for any number of lengths."""

    def test_lists(self):
        for function in (replaces, swaps, has_two_names, writes_in_place, writes_what_it_took, replaces_all, slides, ends_early,
                         never_runs, changes_in_a_branch, returns_in_a_loop, may_raise, changes_what_it_made):
            with self.subTest(function.__name__):
                self.check(function, two)

    def test_lists_of_pairs_and_lists(self):
        self.check(replaces_pairs, lambda: [tuple(two()), tuple(two())])
        self.check(replaces_in_lists, lambda: [two(), two()])

    def test_one_tensor_in_two_places(self):
        def make():
            shared = torch.randn(8)
            return [shared, shared]

        for function in (replaces, swaps, writes_in_place, never_runs):
            with self.subTest(function.__name__):
                self.check(function, make)

    def test_dicts(self):
        self.check(changes_a_dict, lambda: {"hidden": torch.zeros(8), "cell": torch.ones(8), "count": 0})
        self.check(changes_a_dict, lambda: collections.OrderedDict(hidden=torch.zeros(8), cell=torch.ones(8), count=0))

    def test_deques(self):
        self.check(slides_in_a_deque, lambda: collections.deque(two()))

    def test_objects(self):
        self.check(changes_an_object, lambda: State(torch.zeros(8), torch.ones(8)))
        self.check(runs_until, lambda: State(torch.zeros(8), torch.ones(8)))

    def test_exceptions(self):
        compiled, state = tssa.compile(may_raise), two()
        compiled(torch.ones(20, 8), state)
        had = list(state)
        with self.assertRaises(tssa.Error):
            compiled(torch.full((20, 8), 1e6), state)
        self.assertTrue(state[0] is had[0] and state[1] is had[1])

    def test_refusals(self):
        def is_lost(x, state):
            if x.sum() > 0:
                state[0] = None

        def grows(x, state):
            if x.sum() > 0:
                state.append(x)

        def gets_a_key(x, state):
            if x.sum() > 0:
                state["new"] = x

        for function, state, text in (
                (is_lost, two(), "a part of a list is a NoneType on one path and a tensor of 1 dims"),
                (grows, two(), "a list gets another length in a loop or branch that only a run decides about: make a new one"),
                (gets_a_key, {"a": torch.ones(8)}, "a dict gets other keys in a loop or branch")):
            with self.assertRaisesRegex(tssa.UnsupportedError, text):
                tssa.compile(function)(torch.ones(20, 8), state)


class Counter(nn.Module):
    """A module whose buffer, attribute, list and dict each step replaces."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))
        self.last, self.steps = torch.zeros(8), 0
        self.states, self.named = [torch.zeros(8), torch.ones(8)], {"sum": torch.zeros(8)}

    def forward(self, x):
        for row in x:
            self.mean = self.mean * 0.9 + row * 0.1
            self.last = self.last + self.mean
            self.states[0] = torch.tanh(self.states[0] + row)
            self.named["sum"] = self.named["sum"] + self.states[0]
            self.steps += 1
        return self.last * 2


class ModuleTest(CarriedTest):
    """State of modules and of others around the program."""

    def test_state_of_a_module(self):
        module = Counter()
        other = copy.deepcopy(module)
        compiled = tssa.compile(other)
        for length in LENGTHS:
            x = torch.randn(length, 8)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), module(x), rtol=1e-4, atol=1e-4)
            for left, right in zip((module.mean, module.last, *module.states, module.named["sum"]),
                                   (other.mean, other.last, *other.states, other.named["sum"])):
                torch.testing.assert_close(right, left, rtol=1e-4, atol=1e-4)
            self.assertEqual(other.steps, module.steps)
        self.assertEqual(list(other.state_dict()), list(module.state_dict()))
        self.assertLessEqual(compiled.num_binaries, 3)

    def test_state_of_a_closure(self):
        def make():
            kept = [torch.zeros(8), torch.ones(8)]

            def step(x):
                while kept[0].sum() < 50:
                    kept[0] = kept[0] + x[0].abs() + 1
                kept[1] = kept[0] * 0.1
                return kept[0] * 2

            return step, kept

        (eager, had), (function, found) = make(), make()
        compiled = tssa.compile(function)
        for length in LENGTHS:
            x = torch.randn(length, 8)
            torch.testing.assert_close(compiled(x), eager(x))
            torch.testing.assert_close(found, had)


class Rwkv(nn.Module):
    """Blocks of RWKV 4, whose state is a list of five tensors for each block."""

    def __init__(self, size=16, blocks=2):
        super().__init__()
        self.blocks = blocks
        self.mix = nn.ParameterList([nn.Parameter(torch.rand(5, size)) for _ in range(blocks)])
        self.first = nn.ParameterList([nn.Parameter(torch.randn(size)) for _ in range(blocks)])
        self.decay = nn.ParameterList([nn.Parameter(torch.rand(size)) for _ in range(blocks)])
        self.layers = nn.ModuleList([nn.ModuleList([nn.Linear(size, size, bias=False) for _ in range(7)]) for _ in range(blocks)])
        self.norms = nn.ModuleList([nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)]) for _ in range(blocks)])

    def mix_times(self, x, state: List[torch.Tensor], i):
        key, value, gate, output = self.layers[i][:4]
        mix = self.mix[i]
        k, v, r = (layer(x * mix[j] + state[5 * i + 1] * (1 - mix[j])) for j, layer in enumerate((key, value, gate)))
        state[5 * i + 1] = x
        top, bottom, most = state[5 * i + 2], state[5 * i + 3], state[5 * i + 4]
        now = self.first[i] + k
        at = torch.maximum(most, now)
        old, new = torch.exp(most - at), torch.exp(now - at)
        wkv = (old * top + new * v) / (old * bottom + new)
        now = most - torch.exp(self.decay[i])
        at = torch.maximum(now, k)
        old, new = torch.exp(now - at), torch.exp(k - at)
        state[5 * i + 2] = old * top + new * v
        state[5 * i + 3] = old * bottom + new
        state[5 * i + 4] = at
        return output(torch.sigmoid(r) * wkv)

    def mix_channels(self, x, state: List[torch.Tensor], i):
        key, gate, value = self.layers[i][4:]
        mix = self.mix[i]
        k, r = (layer(x * mix[j] + state[5 * i] * (1 - mix[j])) for j, layer in ((3, key), (4, gate)))
        state[5 * i] = x
        return torch.sigmoid(r) * value(torch.square(torch.relu(k)))

    def forward(self, xs, state: List[torch.Tensor]):
        out = []
        for x in xs:
            for i in range(self.blocks):
                x = x + self.mix_times(self.norms[i][0](x), state, i)
                x = x + self.mix_channels(self.norms[i][1](x), state, i)
            out.append(x)
        return torch.stack(out)


class Gru(nn.Module):
    """Two layers of cells, whose states are in a dict."""

    def __init__(self, size=16):
        super().__init__()
        self.cells = nn.ModuleList([nn.GRUCell(size, size), nn.GRUCell(size, size)])

    def forward(self, xs, state: Dict[str, torch.Tensor]):
        out = []
        for x in xs:
            for i, cell in enumerate(self.cells):
                x = state[f"layer {i}"] = cell(x[None], state[f"layer {i}"][None])[0]
            out.append(x)
        return torch.stack(out)


class MambaState:
    """What a block of Mamba keeps of the steps before."""

    def __init__(self, size=16, states=4, width=3):
        self.window, self.ssm = torch.zeros(2 * size, width), torch.zeros(2 * size, states)


class Mamba(nn.Module):
    """A block of Mamba, one step after the other, with the caller's state."""

    def __init__(self, size=16, states=4, width=3):
        super().__init__()
        inner = 2 * size
        self.states = states
        self.enter, self.leave = nn.Linear(size, 2 * inner, bias=False), nn.Linear(inner, size, bias=False)
        self.taps, self.bias = nn.Parameter(torch.randn(inner, width)), nn.Parameter(torch.randn(inner))
        self.select, self.delta = nn.Linear(inner, 1 + 2 * states, bias=False), nn.Linear(1, inner)
        self.log, self.skip = nn.Parameter(torch.rand(inner, states)), nn.Parameter(torch.ones(inner))

    def step(self, x, state):
        inner, gate = self.enter(x).chunk(2)
        state.window = torch.cat([state.window[:, 1:], inner[:, None]], 1)
        inner = F.silu((state.window * self.taps).sum(1) + self.bias)
        delta, before, after = self.select(inner).split([1, self.states, self.states])
        delta = F.softplus(self.delta(delta))
        state.ssm = torch.exp(-delta[:, None] * torch.exp(self.log)) * state.ssm + delta[:, None] * before * inner[:, None]
        return self.leave(((state.ssm * after).sum(1) + self.skip * inner) * F.silu(gate))

    def forward(self, xs, state):
        return torch.stack([self.step(x, state) for x in xs])


class MambaLoop(Mamba):
    """The same, with a loop of statements."""

    def forward(self, xs, state):
        out = []
        for x in xs:
            out.append(x + self.step(x, state))
        return torch.stack(out)


class NetTest(unittest.TestCase):
    """Recurrent nets with the caller's state have two binaries: one for the first length, one for all others."""

    def check(self, module, make, read):
        compiled, states = tssa.compile(module.eval()), [make(), make()]
        for length in (27, 48, 55, 12):
            x = torch.randn(length, 16)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x, states[1]), module(x, states[0]), rtol=1e-3, atol=1e-4)
            torch.testing.assert_close(read(states[1]), read(states[0]), rtol=1e-3, atol=1e-4)
        self.assertEqual(compiled.num_binaries, 2)

    def test_rwkv(self):
        torch.manual_seed(0)
        self.check(Rwkv(), lambda: [torch.zeros(16) for _ in range(10)], list)

    def test_gru(self):
        self.check(Gru(), lambda: {"layer 0": torch.zeros(16), "layer 1": torch.zeros(16)}, dict)

    def test_mamba(self):
        self.check(MambaLoop(), MambaState, lambda state: dict(vars(state)))


if __name__ == "__main__":
    unittest.main()
