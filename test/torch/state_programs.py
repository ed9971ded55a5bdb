# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs with state: objects of many kinds that hold each other, programs that read and change them, calls in
sequence between which others change them.

usage: state_programs.py [COUNT [SEED]] runs COUNT of them and prints those that differ from eager mode.
"""

import collections
import os
import random
import sys
import tempfile
import warnings

import tssa
from state_stories import differ, flatten, load

HEADER = """import collections
import contextlib
import functools
import types

import torch


class Plain:
    kind = "plain"

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def get(self, name):
        return getattr(self, name)

    def put(self, name, value):
        setattr(self, name, value)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __len__(self):
        return len(self.__dict__)

    @property
    def size(self):
        return len(self.__dict__) * 0.5


class Slots:
    __slots__ = ("a", "b", "c", "d")

    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)

    def get(self, name):
        return getattr(self, name)

    def put(self, name, value):
        setattr(self, name, value)


class Module(torch.nn.Module):
    def __init__(self, **fields):
        super().__init__()
        for name, value in fields.items():
            setattr(self, name, value)

    def get(self, name):
        return getattr(self, name)

    def put(self, name, value):
        setattr(self, name, value)


@contextlib.contextmanager
def managed(holder, name):
    yield holder.get(name)


def each(values):
    for value in values:
        yield value


def apply(function, value):
    return function(value)


"""
NAMES = "abcd"
OBJECTS = ("Plain", "Slots", "Module", "types.SimpleNamespace")
# Values of leaves, and what a program makes of one that it writes.
LEAVES = {"int": (("1", "2", "5"), "{} + 1"), "float": (("0.5", "1.5", "-2.0"), "{} * 0.5"),
          "str": (("'u'", "'vw'", "'xyz'"), "{} + 'k'"), "bool": (("True", "False"), "not {}"),
          "tensor": (("torch.ones(3)", "torch.arange(3.0)"), "{} * 0.5 + x"), "tuple": (("(1, 2)", "(2, 3, 4)"), "(*{}, 1)")}
USES = {"int": "acc * {}", "float": "acc + {}", "str": "acc + len({})", "bool": "(acc if {} else -acc)", "tensor": "acc * {}",
        "tuple": "acc + sum({})"}


class World:
    """Objects that hold each other, as source, with the paths to their leaves."""

    def __init__(self, generator):
        self.random = generator
        self.leaves = []  # (path, kind)
        self.lists, self.dicts = [], []  # paths
        self.objects = []  # (path, {name: kind} of leaves, whether it has get and put)

    def make(self, path, depth):
        """Source of a value, whose place `path` is."""
        kind = self.random.choice(("leaf", "leaf", "object", "object", "dict", "list", "deque") if depth else (
            "object", "object", "dict", "list"))
        if kind == "leaf" or depth > 4:
            leaf = self.random.choice(list(LEAVES))
            self.leaves.append((path, leaf))
            return self.random.choice(LEAVES[leaf][0])
        count = self.random.randint(1, 3)
        if kind == "object":
            maker = self.random.choice(OBJECTS)
            first = len(self.leaves)
            fields = [f"{name}={self.make(f'{path}.{name}', depth + 1)}" for name in NAMES[:count]]
            own = {leaf[len(path) + 1:]: kind for leaf, kind in self.leaves[first:] if leaf.count(".") == path.count(".") + 1
                   and "[" not in leaf[len(path):]}
            self.objects.append((path, own, maker != "types.SimpleNamespace"))
            return f"{maker}({', '.join(fields)})"
        if kind == "dict":
            self.dicts.append(path)
            parts = [f"'{name}': {self.make(path + f'[{name!r}]', depth + 1)}" for name in NAMES[:count]]
            return "{" + ", ".join(parts) + "}"
        if kind == "list" and self.random.random() < 0.5:
            self.lists.append(path)
            return "[" + ", ".join(self.random.choice(LEAVES["float"][0]) for _ in range(count)) + "]"
        parts = [self.make(f"{path}[{i}]", depth + 1) for i in range(count)]
        made = "[" + ", ".join(parts) + "]"
        return made if kind == "list" else f"collections.deque({made})"


class Program:
    """The source of one program, its objects, and what others do between calls."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.world = World(self.random)
        self.is_global = self.random.random() < 0.5
        roots = [f"r{i}" for i in range(self.random.randint(1, 3))]
        self.made = [f"{root} = {self.world.make(root, 0)}" for root in roots]
        self.lines = []
        for _ in range(self.random.randint(2, 6)):
            self.add_statement(2)

    def read(self):
        """An expression that uses a leaf."""
        path, kind = self.random.choice(self.world.leaves) if self.world.leaves else ("2.0", "float")
        return USES[kind].format(path)

    def number(self):
        found = [path for path, kind in self.world.leaves if kind in ("int", "float")]
        return self.random.choice(found) if found else "1.0"

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def add_statement(self, depth, may_write=True):
        kinds = ["read"] * 4 + ["branch", "loop", "map", "comprehension", "method", "generator", "manager", "apply"]
        kinds += ["write"] * 4 + ["list", "dict", "put", "augmented", "known"] if may_write else []
        kind = self.random.choice(kinds)
        had = len(self.lines)
        getattr(self, f"add_{kind}")(depth)
        if len(self.lines) == had:
            self.add(depth, "pass")

    def add_read(self, depth):
        self.add(depth, f"acc = {self.read()}")

    def add_write(self, depth):
        if self.world.leaves:
            path, kind = self.random.choice(self.world.leaves)
            self.add(depth, f"{path} = {LEAVES[kind][1].format(path)}")

    def add_augmented(self, depth):
        self.add(depth, f"{self.number()} += 1" if self.number() != "1.0" else "pass")

    def add_known(self, depth):
        self.add(depth, f"if {self.number()} > {self.random.choice((0, 1, 2))}:")
        self.add_statement(depth + 1)
        self.add(depth, "    acc = acc + 1")

    def add_branch(self, depth):
        self.add(depth, f"if acc.sum() > {self.random.choice((0, 5, 50))}:")
        self.add(depth, f"    acc = {self.read()}")

    def add_loop(self, depth):
        self.add(depth, f"for i in range({self.random.choice((2, 3, 12))}):")
        for _ in range(self.random.randint(1, 2)):
            self.add_statement(depth + 1, may_write=self.random.random() < 0.3)

    def add_map(self, depth):
        self.add(depth, f"acc = acc + sum(map(lambda v: v * {self.number()}, [1.0, 2.0]))")

    def add_comprehension(self, depth):
        self.add(depth, f"acc = acc + sum([v * {self.number()} for v in (1.0, 2.0)])")

    def add_apply(self, depth):
        self.add(depth, f"acc = apply(lambda acc: {self.read()}, acc)")

    def object_with(self, kinds):
        found = [(path, name) for path, own, has in self.world.objects if has for name, kind in own.items() if kind in kinds]
        return self.random.choice(found) if found else None

    def add_method(self, depth):
        found = self.object_with(("int", "float"))
        self.add(depth, "pass" if found is None else f"acc = acc + {found[0]}.get('{found[1]}')")

    def add_put(self, depth):
        found = self.object_with(("int", "float"))
        self.add(depth, "pass" if found is None else f"{found[0]}.put('{found[1]}', {found[0]}.{found[1]} + 1)")

    def add_manager(self, depth):
        found = self.object_with(("int", "float", "tensor"))
        if found is None:
            self.add(depth, "pass")
            return
        self.add(depth, f"with managed({found[0]}, '{found[1]}') as part:")
        self.add(depth, "    acc = acc * part")

    def add_generator(self, depth):
        path = self.random.choice(self.world.lists) if self.world.lists else "[1.0]"
        self.add(depth, f"for part in {self.random.choice(('each({})', '{}')).format(path)}:")
        self.add(depth, "    acc = acc + part")

    def add_list(self, depth):
        if self.world.lists:
            path = self.random.choice(self.world.lists)
            change = self.random.choice((".append(2.5)", "[0] = 4.0", ".insert(0, -1.0)", "[-1] *= 2"))
            self.add(depth, f"if len({path}) < 6:")
            self.add(depth, f"    {path}{change}")

    def add_dict(self, depth):
        if self.world.dicts:
            path = self.random.choice(self.world.dicts)
            self.add(depth, self.random.choice((f"{path}['new'] = {path}.get('new', 0) + 1", f"{path}.setdefault('other', 1.5)",
                                                f"acc = acc + len({path})", f"acc = acc * (2 if 'new' in {path} else 1)")))

    def source(self, name):
        """A function that gets `compiled` and returns what can be seen."""
        seen = ", ".join([path for path, _ in self.world.leaves] + [f"list({path})" for path in self.world.lists]
                         + [f"sorted({path})" for path in self.world.dicts]) or "0"
        begin = "    global " if self.is_global else ""
        lines = [f"def {name}(compiled):"]
        if begin:
            lines.append(begin + ", ".join(line.partition(" = ")[0] for line in self.made))
        lines += ["    " + line for line in self.made]
        lines += ["", "    def program(x):", "        acc = x * 1", *self.lines, "        return acc", "", "    run, seen = compiled(program), []"]
        for i in range(4):
            lines.append(f"    seen.append((run(torch.arange(3.0) * {i} - 1), {seen}))")
            if self.random.random() < 0.6 and self.world.leaves:
                path, kind = self.random.choice(self.world.leaves)
                lines.append(f"    {path} = {self.random.choice(LEAVES[kind][0])}")
        return "\n".join([*lines, "    return seen"]) + "\n"


def tell(count, seed):
    """Runs `count` programs. Returns (those that differ from eager mode, those that are refused), as texts."""
    wrong, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            path = os.path.join(folder, f"programs_{number}.py")
            text = Program(number).source(f"story_{number}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(HEADER + text)
            story = getattr(load(path, f"programs_{number}"), f"story_{number}")
            try:
                want = flatten(story(lambda program: program))
            except Exception as error:  # pylint: disable=broad-except  # the program is none
                want = error
            try:
                got = flatten(story(tssa.compile))
            except tssa.UnsupportedError as error:
                refused.append(f"{text}{error}")
                continue
            except Exception as error:  # pylint: disable=broad-except
                got = error
            del sys.modules[f"programs_{number}"]
            if isinstance(want, Exception) or isinstance(got, Exception):
                is_wrong = type(got) is not type(want)
            else:
                is_wrong = differ(got, want)
            if is_wrong:
                wrong.append(f"{text}got {got}\nexpected {want}")
    return wrong, refused


def main():
    warnings.simplefilter("ignore")
    numbers = [int(argument) for argument in sys.argv[1:]]
    wrong, refused = tell(*(numbers + [200, 0][len(numbers):]))
    print(*wrong, sep="\n")
    reasons = collections.Counter(text.rpartition("\n")[2].partition(": ")[2] for text in refused)
    print(*(f"{number} refused: {reason}" for reason, number in reasons.most_common()), sep="\n")
    print(f"{len(wrong)} differ, {len(refused)} are refused")


if __name__ == "__main__":
    main()
