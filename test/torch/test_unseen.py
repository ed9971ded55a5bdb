# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs whose functions Python or a library calls: what they read is state, and what they write is stored."""

import collections
import contextlib
import copy
import dataclasses
import functools
import itertools
import json
import operator
import types
import unittest

import torch
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import checkpoint

import tssa

X = torch.arange(1.0, 4.0)
#: What the programs read, deeper than any fixed depth, and write.
PLACE = types.SimpleNamespace(a=types.SimpleNamespace(b=types.SimpleNamespace(c=[types.SimpleNamespace(d={"k": types.SimpleNamespace(
    scale=2.0, calls=0)})])))
PROGRAMS, REFUSED = {}, {}


def state():
    return PLACE.a.b.c[0].d["k"]


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def refused(text):
    def add(function):
        REFUSED[function.__name__] = function, text
        return function

    return add


def scaled(value):
    here = PLACE.a.b.c[0].d["k"]
    here.calls += 1
    return value * here.scale


class Everything:
    """Has methods that Python calls."""

    offset = 1.0

    def __init__(self, value):
        self.value = scaled(value)

    def __add__(self, other):
        return Everything(self.value + other.value)

    def __neg__(self):
        return scaled(-self.value)

    def __getitem__(self, index):
        return scaled(self.value[index])

    def __setitem__(self, index, value):
        self.value = self.value + scaled(value)

    def __delitem__(self, index):
        self.value = scaled(self.value)

    def __len__(self):
        return int(scaled(2))

    def __bool__(self):
        return scaled(1) > 2.5

    def __eq__(self, other):
        return scaled(1) > 2.5

    def __lt__(self, other):
        return scaled(1) > 2.5

    def __contains__(self, other):
        return scaled(1) > 2.5

    def __iter__(self):
        return iter([scaled(self.value), self.value])

    def __enter__(self):
        return scaled(self.value)

    def __exit__(self, *error):
        scaled(1)

    def __call__(self, value):
        return scaled(value)

    def __getattr__(self, name):
        return scaled(len(name))

    def __str__(self):
        return f"{scaled(1.0):.3f}"

    @functools.cached_property
    def kept(self):
        return scaled(self.value)


@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor = None

    def __post_init__(self):
        self.right = scaled(self.left)


class Counting:
    def __init__(self, value):
        self.value, self.count = value, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        if self.count > 2:
            raise StopIteration
        return scaled(self.value)


class Described:
    def __get__(self, owner, kind):
        return scaled(owner.value)

    def __set__(self, owner, value):
        owner.value = scaled(value)


class WithDescriptor:
    part = Described()
    value = 1.0


def numbers(x):
    for i in range(2):
        yield scaled(x + i)


@contextlib.contextmanager
def managed(x):
    yield scaled(x)
    scaled(x)


@functools.singledispatch
def dispatched(x):
    return scaled(x)


def decorated(function):
    @functools.wraps(function)
    def around(*args):
        return scaled(function(*args))

    return around


@decorated
def plus_one(x):
    return x + 1


for name, one in {
        "map": lambda x: sum(map(scaled, [x, x])), "reduce": lambda x: functools.reduce(lambda a, b: a + scaled(b), [x, x, x]),
        "filter": lambda x: x * len(list(filter(lambda k: k > scaled(1.0), [1.0, 2.5, 4.0]))),
        "sorted": lambda x: x * sorted([1.0, 2.0], key=lambda k: k * (2.5 - scaled(1.0)))[0],
        "accumulate": lambda x: list(itertools.accumulate([x, x, x], lambda a, b: a + scaled(b))),
        "starmap": lambda x: list(itertools.starmap(scaled, [(x,), (x,)])),
        "tree_map": lambda x: pytree.tree_map(scaled, {"a": x, "b": [x]}),
        "checkpoint": lambda x: checkpoint(scaled, x, use_reentrant=False), "vmap": lambda x: torch.func.vmap(scaled)(x),
        "attrgetter": lambda x: x * operator.attrgetter("scale")(state()), "vars": lambda x: x * vars(state())["scale"],
        "json": lambda x: x * json.loads(json.dumps(vars(state())))["scale"], "copy": lambda x: x * copy.deepcopy(PLACE).a.b.c[
            0].d["k"].scale,
        "getattribute": lambda x: x * object.__getattribute__(state(), "scale"),
        "operator": lambda x: (Everything(x) + Everything(x)).value, "unary": lambda x: -Everything(x),
        "getitem": lambda x: Everything(x)[0], "len": lambda x: x * len(Everything(x)), "bool": lambda x: x if Everything(x) else -x,
        "not": lambda x: x if not Everything(x) else -x, "equal": lambda x: x if Everything(x) == 3 else -x,
        "less": lambda x: x if Everything(x) < 3 else -x, "in": lambda x: x if 3 in Everything(x) else -x,
        "iter": lambda x: [v + 1 for v in Everything(x)], "unpacked": lambda x: [*Everything(x)], "call": lambda x: Everything(x)(x),
        "getattr": lambda x: x * Everything(x).anything, "hasattr": lambda x: x if hasattr(Everything(x), "anything") else -x,
        "text": lambda x: x * float(f"{Everything(x)}"), "str": lambda x: x * float(str(Everything(x))),
        "kept": lambda x: (lambda e: e.kept + e.kept)(Everything(x)), "post_init": lambda x: Pair(x).right,
        "iterator": lambda x: sum(Counting(x)), "comprehension": lambda x: [v * 2 for v in Counting(x)],
        "generator": lambda x: sum(numbers(x)), "expression": lambda x: sum(scaled(v) for v in [x, x]),
        "dispatched": dispatched, "decorated": plus_one, "partial": lambda x: functools.partial(scaled)(x),
        "defaultdict": lambda x: x * collections.defaultdict(lambda: scaled(1.0))["a"],
        "evaluated": lambda x: eval("scaled(x)", globals(), {"x": x}), "descriptor": lambda x: WithDescriptor().part * x,
}.items():
    one.__name__ = name
    program(one)


LIBRARY_OBJECTS = {"user": collections.UserDict(scale=2.0), "chain": collections.ChainMap({"scale": 2.0}, {})}


@program
def of_a_library_object(x):
    found = LIBRARY_OBJECTS["user"]
    found["scale"] = state().scale
    return x * found["scale"] * len(LIBRARY_OBJECTS["chain"]) if "scale" in LIBRARY_OBJECTS["chain"] else x


@program
def fields(x):
    return x * vars(state())["scale"] * state().__dict__.get("scale", 1.0)


@program
def several_names(x):
    left, right = Everything(x)
    (first, *rest), last = Everything(x), 2
    return left + right * first * last + sum(rest)


@program
def starred(x):
    return torch.stack([*Everything(x), x]), max(*Everything(1.0))


@program
def matched(x):
    match state():
        case types.SimpleNamespace(scale=2.0):
            y = x
        case types.SimpleNamespace(scale=scale):
            y = x * scale
    return y


@program
def a_body_of_a_class(x):
    class Inner:
        scale = scaled(2.0)

    return x * Inner.scale


@program
def entered(x):
    with Everything(x) as y, managed(x) as z:
        return y + z


@program
def set_and_deleted(x):
    made = Everything(x)
    made[0] = x
    del made[0]
    return made.value


@program
def an_attribute_is_deleted(x):
    made = Pair(x)
    del made.right
    return made.left if hasattr(made, "right") else scaled(made.left)


@program
def a_class_of_its_own(x):
    class Inner:
        def __init__(self):
            self.value = scaled(x)

        def twice(self):
            return self.value * 2

    return Inner().twice()


@program
def in_a_loop(x):
    for v in Counting(x):
        x = x + v
    return x


@refused("state is changed in a loop or branch that only a run decides about, by code that is not rewritten")
def in_a_branch(x):
    if x.sum() > 0:
        x = x + sum(map(scaled, [x, x]))
    return x


@refused("a list is changed in a loop or branch that only a run decides about")
def of_a_list_in_a_branch(x):
    found = []
    for i in range(20):
        if x.sum() > i:
            list(map(found.append, [1.0]))
    return x * len(found)


def make_iterator():
    here = PLACE.a.b.c[0].d["k"]
    return map(lambda v: v * here.scale, [1.0, 2.0])


@refused("an iterator from outside of the program gives other values at each call")
def of_an_outer_iterator(x, outer=make_iterator()):
    for v in outer:
        x = x * v
    return x


def make_key():
    here = PLACE.a.b.c[0].d["k"]
    return functools.cmp_to_key(lambda a, b: (a - b) * (here.scale - 2.5))


KEY = make_key()


@refused(r"make_key.<locals>.<lambda>\(\) reads the name 'here' of a function around it where that is not seen")
def a_hidden_function(x):
    return x * sorted([1.0, 2.0], key=lambda v: KEY(v))[0]


class Unseen(unittest.TestCase):
    def tell(self, run):
        """What can be seen of calls in between of which the state changes."""
        here, seen = state(), []
        here.scale, here.calls = 2.0, 0
        for scale in (2.0, 3.0, 3.0, 2.0):
            here.scale = scale
            LIBRARY_OBJECTS["chain"].maps[0]["scale" if scale == 2.0 else "other"] = scale
            seen += [run(X), here.calls]
        return pytree.tree_leaves(seen)

    def test_programs(self):
        for name, one in PROGRAMS.items():
            with self.subTest(name):
                want, got = self.tell(one), self.tell(tssa.compile(one))
                self.assertEqual(len(want), len(got))
                for left, right in zip(got, want):
                    self.assertIs(type(left), type(right), (got, want))
                    torch.testing.assert_close(left, right)

    def test_refusals(self):
        for name, (one, text) in REFUSED.items():
            with self.subTest(name):
                here = state()
                had = dict(vars(here))
                with self.assertRaisesRegex(tssa.UnsupportedError, text):
                    tssa.compile(one)(X)
                self.assertEqual(vars(here), had)


if __name__ == "__main__":
    unittest.main()
