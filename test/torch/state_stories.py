# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Stories of state, generated: what holds a value, how deep it lies, whether the program reads or writes it, who else changes it.

usage: state_stories.py [COUNT [SEED]] tells COUNT of them and prints those that differ from eager mode.
"""

import importlib.util
import itertools
import os
import random
import sys
import tempfile

import torch

import tssa

HEADER = """import collections
import types

import torch

X = torch.arange(1.0, 4.0)


class Slot:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


class Plain:
    def __init__(self, v):
        self.v = v


class Bare(torch.nn.Module):
    def __init__(self, v):
        super().__init__()
        self.v = v


def make_function(v):
    def h():
        pass

    h.v = v
    return h


def make_class(v):
    return type("H", (), {"v": v, "__module__": "stories"})
"""
# How a holder of the value {} is made, and how the value is reached from its name.
HOLDERS = {
    "an attribute": ("Plain({})", "{}.v"), "a slot": ("Slot({})", "{}.v"), "an entry": ("{{'v': {}}}", "{}['v']"),
    "an element": ("[{}]", "{}[0]"), "an element of a deque": ("collections.deque([{}])", "{}[-1]"),
    "an attribute of a class": ("make_class({})", "{}.v"), "one found in the class": ("make_class({})()", "{}.v"),
    "an attribute of a module": ("Bare({})", "{}.v"), "an attribute of a function": ("make_function({})", "{}.v"),
    "a namespace": ("types.SimpleNamespace(v={})", "{}.v"),
}
# A value, another one, what the program writes, and what it returns.
VALUES = {
    "int": ("2", "7", "{} + 1", "x * {}"), "float": ("0.5", "2.5", "{} * 0.5", "x + {}"),
    "str": ("'a'", "'abc'", "{} + 'b'", "x * len({})"), "bool": ("True", "False", "not {}", "(x if {} else -x)"),
    "none": ("None", "None", "x * 2", "(x if {0} is None else x + {0})"),
    "tensor": ("torch.ones(3)", "torch.zeros(3)", "{} + x", "x * {}"),
    "tuple": ("(1, 2)", "(3, 4, 5)", "(*{}, 6)", "x * sum({})"),
}
WRAPPERS = (("types.SimpleNamespace(i={})", "{}.i"), ("[{}, 0]", "{}[0]"), ("{{'k': {}}}", "{}['k']"), ("Slot({})", "{}.v"))
DEPTHS = (0, 1, 3, 6)
ALL = list(itertools.product(HOLDERS, VALUES, DEPTHS, ("read", "written"), (False, True)))


def write_story(number, holder, value, depth, use, is_changed):
    """Returns the source of a function that gets `compiled` and returns what can be seen."""
    made, reached = HOLDERS[holder]
    first, other, written, returned = VALUES[value]
    made, place = made.format(first), "root"
    for i in range(depth):
        wrapper, step = WRAPPERS[(number + i) % len(WRAPPERS)]
        made = wrapper.format(made)
        place = WRAPPERS[(number + depth - 1 - i) % len(WRAPPERS)][1].format(place)
    place = reached.format(place)
    lines = [f"def story_{number}(compiled):", f"    root = {made}", "", "    def program(x):"]
    if use == "written":
        lines.append(f"        {place} = {written.format(place)}")
    lines += [f"        return {returned.format(place)}", "", "    run = compiled(program)",
              f"    seen = [run(X), {place}, run(X), {place}]"]
    if is_changed:
        lines.append(f"    {place} = {other}")
    lines += [f"    return [*seen, run(X), {place}, run(X * 2), {place}]"]
    return "\n".join(lines) + "\n"


def flatten(value):
    return [part for inner in value for part in flatten(inner)] if isinstance(value, (list, tuple)) else [value]


def differ(got, want):
    """Returns whether two lists of tensors and plain values differ, also in their types."""
    return len(got) != len(want) or any(
        type(left) is not type(right) or not (torch.equal(left, right) if isinstance(right, torch.Tensor) else left == right)
        for left, right in zip(got, want))


def load(path, name):
    """Loads a file as the module `name`, under which it is found."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tell(count, seed):
    """Tells `count` stories. Returns (those that differ from eager mode, those that are refused), as texts."""
    chosen = random.Random(seed).sample(ALL, min(count, len(ALL)))
    wrong, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stories.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n\n".join([HEADER, *(write_story(i, *parts) for i, parts in enumerate(chosen))]))
        module = load(path, "stories")
        for number, parts in enumerate(chosen):
            story = getattr(module, f"story_{number}")
            want, text = flatten(story(lambda program: program)), f"{parts}:\n{write_story(number, *parts)}"
            try:
                got = flatten(story(tssa.compile))
            except tssa.UnsupportedError as error:
                refused.append(f"{text}{error}")
                continue
            except Exception as error:  # pylint: disable=broad-except
                got = [error]
            if differ(got, want):
                wrong.append(f"{text}got {got}, expected {want}")
    return wrong, refused


def main():
    numbers = [int(argument) for argument in sys.argv[1:]]
    wrong, refused = tell(*(numbers + [150, 0][len(numbers):]))
    print(*wrong, *refused, f"{len(wrong)} differ, {len(refused)} are refused", sep="\n")


if __name__ == "__main__":
    main()
