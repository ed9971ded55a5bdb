# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs as Python source: views, writes, containers and control flow.

What they do is defined in eager PyTorch: no operand overlaps what is written in part, and numbers
stay small. Sizes stand for themselves: a tensor of sizes ("n", "m") has the rows and columns of x.
"""

import random

# How often a statement is of each kind; a kind that finds nothing to work on is another write.
STATEMENTS = {"fresh": 18, "view": 16, "write": 26, "mask_write": 4, "index_write": 4, "augmented": 6,
              "rebind": 5, "alias": 3, "list": 4, "dict": 2, "number": 4, "call": 2, "out": 2, "block": 20}
BLOCKS = {"range": 28, "rows": 10, "enumerate": 5, "append": 7, "collect": 8, "while": 14, "if": 26, "exit": 10}
# Of arguments: contiguous, transposed, every other row or column of another, the same tensor twice, one row for all,
# without columns.
LAYOUTS = {"contiguous": 60, "transposed": 10, "strided": 8, "stepped": 7, "twice": 5, "expanded": 6, "empty": 4}
# What is added where programs choose between storages.
CHOICES = {"choose": 16, "swap": 12, "buffers": 6, "alias": 8, "block": 10}
WRITES = ("write", "mask_write", "index_write", "augmented", "out")
TYPES = {"float32": 80, "float64": 12, "int64": 8}

SIZES = {"n": 4, "m": 3}


def choose(generator, table):
    return generator.choices(list(table), list(table.values()))[0]


class Tensor:
    """A name: its sizes, the group of names that may share its storage, and whether it is a mask."""

    def __init__(self, name, shape, group):
        self.name, self.shape, self.group = name, tuple(shape), group


class Generator:
    def __init__(self, seed, chooses=False):
        self.random = random.Random(seed)
        self.chooses = chooses
        self.statements = {kind: STATEMENTS.get(kind, 0) + (CHOICES.get(kind, 0) if chooses else 0)
                           for kind in {**STATEMENTS, **CHOICES}}
        self.type = choose(self.random, TYPES)
        self.layout = choose(self.random, LAYOUTS)
        self.lines = []
        self.count = 0
        self.groups = {}  # names to the group that they were joined with
        self.numbers = ["k"]
        self.loops = []  # kinds of the loops around
        self.has_returned = False

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)

    def pick(self, scope, shape=None, rank=None):
        fitting = [t for t in scope if (shape is None or t.shape == shape)
                   and (rank is None or len(t.shape) == rank)]
        return self.random.choice(fitting) if fitting else None

    def group_of(self, tensor):
        group = tensor.group
        while self.groups.get(group, group) != group:
            group = self.groups[group]
        return group

    def constant(self):
        return self.random.choice(["2", "-1", "3"] if self.type == "int64" else ["0.5", "-0.25", "2"])

    def operand(self, scope, target):
        """Something of the target's shape that does not overlap it in part."""
        other = self.pick(scope, target.shape)
        if other is None or self.random.random() < 0.3:
            return self.constant()
        if self.group_of(other) == self.group_of(target):
            return f"{other.name}.clone()"
        return other.name

    # Expressions that make new tensors.

    def squash(self, text):
        """Keeps numbers small."""
        return f"({text}) % 7" if self.type == "int64" else f"torch.tanh({text})"

    def fresh(self, scope):
        a = self.pick(scope)
        kind = self.random.randrange(9)
        if kind == 0:
            return self.squash(a.name), a.shape
        if kind == 1:
            return f"{a.name}.clone()", a.shape
        if kind == 2:
            return f"torch.where({a.name} > {self.constant()}, {a.name}, {self.operand(scope, a)})", a.shape
        if kind == 3 and len(a.shape) == 2 and self.type != "int64":
            return f"torch.softmax({a.name}, {self.random.randrange(2)})", a.shape
        if kind == 4 and len(a.shape) == 2:
            made = f"{a.name}.sum({self.random.randrange(2)}, keepdim=True).expand_as({a.name}).clone()"
            return self.squash(made), a.shape
        if kind == 5 and len(a.shape) == 2:
            return f"torch.stack([{a.name}[0], {a.name}[-1]])", ("two", a.shape[1])
        if kind == 6 and len(a.shape) == 1:
            return f"torch.cat([{a.name}, {a.name}[:1]])", ("more",)
        if kind == 7:
            return f"{a.name}.reshape(-1)", ("flat " + " ".join(a.shape),)
        return f"torch.clamp({a.name} - {self.operand(scope, a)}, -2, 2)", a.shape

    # Views.

    def view(self, scope, index):
        """The source of a view of some tensor, its shape and the tensor."""
        a = self.pick(scope)
        if not a.shape:
            return f"{a.name}.unsqueeze(0)", ("one",), a
        dim = self.random.randrange(len(a.shape))
        kind = self.random.randrange(9)
        rest = a.shape[:dim] + a.shape[dim + 1:]
        prefix = ", ".join([":"] * dim) + (", " if dim else "")
        if kind <= 1:
            at = self.random.choice(["0", "-1"] if a.shape[dim] == "one" else ["0", "-1", "1"])
            if index and a.shape[dim] == "n" and self.random.random() < 0.7:
                at = index
            return self.random.choice([f"{a.name}.select({dim}, {at})", f"{a.name}[{prefix}{at}]"]), rest, a
        if kind == 2 and len(a.shape) == 2:
            return f"{a.name}.t()", a.shape[::-1], a
        if kind == 3 and a.shape[dim] == "n":
            where = self.random.choice(["0:3", "1:", "-3:4", "-3:9"])
            return f"{a.name}[{prefix}{where}]", a.shape[:dim] + ("m",) + a.shape[dim + 1:], a
        if kind == 4 and len(a.shape) == 2:
            return f"{a.name}.unsqueeze(0).squeeze(0)", a.shape, a
        if kind == 5 and a.shape[dim] == "n":
            return f"{a.name}.narrow({dim}, 1, 2)", a.shape[:dim] + ("two",) + a.shape[dim + 1:], a
        if kind == 6 and a.shape[dim] == "n":
            return f"{a.name}[{prefix}::2]", a.shape[:dim] + ("half",) + a.shape[dim + 1:], a
        if kind == 7 and len(a.shape) == 2:
            return f"{a.name}.unbind({dim})[{self.random.choice(['0', '-1'])}]", rest, a
        return f"{a.name}[...]", a.shape, a

    # Statements.

    def statement(self, scope, depth, index, budget):
        kind = choose(self.random, self.statements)
        if kind == "block" and budget == 0:
            kind = "write"
        if kind in WRITES and self.layout == "expanded":  # eager mode refuses to write an expanded tensor
            scope = [t for t in scope if self.group_of(t) != "x"]
        if kind == "block":
            self.block(scope, depth, index, budget - 1)
        elif kind in ("fresh", "view", "number", "rebind", "alias", "choose", "swap"):
            getattr(self, "do_" + kind)(scope, depth, index)
        elif not getattr(self, "do_" + kind)(scope, depth, index) and self.layout != "expanded":
            self.do_write(scope, depth, index)

    def do_fresh(self, scope, depth, index):
        text, shape = self.fresh(scope)
        name = self.name("t")
        self.emit(depth, f"{name} = {text}")
        # What reshape gives may be a view.
        group = next(self.group_of(t) for t in scope if text == f"{t.name}.reshape(-1)") \
            if text.endswith(".reshape(-1)") else name
        scope.append(Tensor(name, shape, group))

    def do_view(self, scope, depth, index):
        text, shape, a = self.view(scope, index)
        name = self.name("v")
        self.emit(depth, f"{name} = {text}")
        scope.append(Tensor(name, shape, a.group))

    def do_write(self, scope, depth, index):
        text, shape, a = self.view(scope, index)
        value = self.operand(scope, Tensor(text, shape, a.group))
        kind = self.random.randrange(6)
        if kind == 0:
            self.emit(depth, f"{text}.mul_({self.constant()})")
        elif kind == 1:
            self.emit(depth, f"{text}.add_({value})")
        elif kind == 2:
            self.emit(depth, f"{text}.clamp_(-2, 2)")
        elif kind == 3:
            self.emit(depth, f"{text}.fill_({self.constant()})")
        elif kind == 4 and value.isidentifier():
            self.emit(depth, f"{text}.copy_({value})")
        else:
            self.emit(depth, f"{text}.masked_fill_({text} > 1, 1)")
        self.emit(depth, f"{a.name}.remainder_(5)")
        return True

    def do_mask_write(self, scope, depth, index):
        a = self.pick(scope, rank=self.random.choice([1, 2]))
        if a is not None:
            self.emit(depth, f"{a.name}[{a.name} {self.random.choice(['> 1', '< 0', '!= 0'])}] = {self.constant()}")
        return a is not None

    def do_index_write(self, scope, depth, index):
        a = self.pick(scope, ("n", "m"))
        if a is None:
            return False
        where = self.random.choice(["torch.tensor([0, 2])", "torch.tensor([1, 1, 0])", "[2, 0]"])
        kind = self.random.randrange(3)
        if kind == 0:
            self.emit(depth, f"{a.name}[{where}] = {self.constant()}")
        elif kind == 1:
            self.emit(depth, f"{a.name}[{where}] += {self.constant()}")
        else:
            self.emit(depth, f"{a.name}.index_put_((torch.tensor([1, 1]), torch.tensor([0, 0])), "
                             f"torch.ones(2, dtype={a.name}.dtype), accumulate=True)")
        return True

    def do_augmented(self, scope, depth, index):
        text, shape, a = self.view(scope, index)
        if "unbind" in text or not text.endswith("]"):
            return False
        operator = self.random.choice(["+=", "-=", "*="])
        self.emit(depth, f"{text} {operator} {self.operand(scope, Tensor(text, shape, a.group))}")
        self.emit(depth, f"{a.name}.remainder_(5)")
        return True

    def do_rebind(self, scope, depth, index):
        a = self.pick([t for t in scope if t.name not in ("x", "y", "z")])
        if a is None:
            return self.do_fresh(scope, depth, index)
        self.emit(depth, f"{a.name} = {self.squash(a.name + ' + ' + self.operand(scope, a))}")
        return True

    def do_alias(self, scope, depth, index):
        """A name becomes another one of its shape."""
        a = self.pick([t for t in scope if t.name not in ("x", "y", "z")])
        b = a and self.pick([t for t in scope if t.shape == a.shape and t is not a])
        if b is None:
            return self.do_fresh(scope, depth, index)
        self.emit(depth, f"{a.name} = {b.name}")
        self.groups[self.group_of(a)] = self.group_of(b)
        return True

    def do_choose(self, scope, depth, index):
        """A name that is one of two tensors, or the same view of one of them."""
        a = self.pick(scope)
        b = self.pick([t for t in scope if t.shape == a.shape and t is not a])
        if b is None:
            return self.do_fresh(scope, depth, index)
        name, condition = self.name("s"), self.condition(scope)
        chosen = f"{a.name} if {condition} else {b.name}"
        shape = a.shape
        if shape and self.random.random() < 0.3:
            chosen, shape = f"({chosen})[{self.random.choice(['0', '-1'])}]", shape[1:]
        if depth > 1 and self.random.random() < 0.3 and shape == a.shape:
            name = a.name if a.name not in ("x", "y", "z") else name
        self.emit(depth, f"{name} = {chosen}")
        self.groups[self.group_of(a)] = self.group_of(b)
        if name != a.name:
            scope.append(Tensor(name, shape, a.group))
        return True

    def do_swap(self, scope, depth, index):
        a = self.pick([t for t in scope if t.name not in ("x", "y", "z")])
        b = a and self.pick([t for t in scope if t.shape == a.shape and t is not a and t.name not in ("x", "y", "z")])
        if b is None:
            return self.do_fresh(scope, depth, index)
        if self.random.random() < 0.4:
            self.emit(depth, f"if {self.condition(scope)}:")
            depth += 1
        self.emit(depth, f"{a.name}, {b.name} = {b.name}, {a.name}")
        self.groups[self.group_of(a)] = self.group_of(b)
        return True

    def do_buffers(self, scope, depth, index):
        """One of a list of two tensors, by a number."""
        a = self.pick(scope)
        b = self.pick([t for t in scope if t.shape == a.shape and t is not a])
        if b is None:
            return False
        buffers, name = self.name("l"), self.name("s")
        self.emit(depth, f"{buffers} = [{a.name}, {b.name}]")
        self.emit(depth, f"{name} = {buffers}[{index or self.random.choice(self.numbers)} % 2]")
        self.groups[self.group_of(a)] = self.group_of(b)
        scope.append(Tensor(name, a.shape, a.group))
        return True

    def do_list(self, scope, depth, index):
        a = self.pick(scope)
        b = self.pick(scope, a.shape)
        name, made = self.name("l"), self.name("t")
        self.emit(depth, f"{name} = [{a.name}, {b.name} * 1]")
        kind = self.random.randrange(3)
        if kind == 0:
            self.emit(depth, f"{name}[0] = {name}[1] + {self.constant()}")
        elif kind == 1:
            self.emit(depth, f"{name}.append({a.name} - 1)")
        else:
            self.emit(depth, f"{name} += [v * 2 for v in {name}[:1]]")
        self.emit(depth, f"{made} = {self.squash(f'sum({name})')}")
        scope.append(Tensor(made, a.shape, made))
        return True

    def do_dict(self, scope, depth, index):
        a = self.pick(scope)
        name, made = self.name("d"), self.name("t")
        self.emit(depth, f"{name} = {{'a': {a.name}, 'b': {a.name}.clone()}}")
        self.emit(depth, f"{name}['b'] += {self.constant()}")
        self.emit(depth, f"{made} = {self.squash(f'sum({name}.values())')}")
        scope.append(Tensor(made, a.shape, made))
        return True

    def do_number(self, scope, depth, index):
        name = self.name("c")
        known = self.random.choice(self.numbers)
        a = self.pick(scope)
        text = self.random.choice([f"{known} + 1", f"x.size(0) - {known}", "x.size(1)", f"int(({a.name}.sum() > 0).item())"])
        self.emit(depth, f"{name} = {text}")
        if depth == 1:
            self.numbers.append(name)

    def do_call(self, scope, depth, index):
        a = self.pick(scope)
        name = self.name("t")
        self.emit(depth, f"{name} = {self.random.choice(['helper', 'lambda v: v * 1', 'local'])}".replace("lambda v: v * 1", "(lambda v: v * 1)")
                  + f"({a.name})")
        scope.append(Tensor(name, a.shape, name))
        return True

    def do_out(self, scope, depth, index):
        a = self.pick([t for t in scope if self.group_of(t) == t.name])
        if a is None:
            return False
        value = self.operand([t for t in scope if self.group_of(t) != self.group_of(a)], a)
        if not value.isidentifier():
            return False
        self.emit(depth, f"torch.add({value}, 1, out={a.name})")
        self.emit(depth, f"{a.name}.remainder_(5)")
        return True

    # Blocks.

    def body(self, scope, depth, index, budget):
        inner, first = list(scope), len(self.lines)
        for _ in range(self.random.randrange(1, 4)):
            self.statement(inner, depth, index, budget)
        if len(self.lines) == first:
            self.emit(depth, "pass")

    def condition(self, scope):
        a = self.pick(scope)
        data = f"{a.name}.sum() > 0"
        number = f"{self.random.choice(self.numbers)} > 1"
        return self.random.choice([data, f"bool({data})", number, "x.size(0) > 4", f"{number} and {data}",
                                   f"not {data}", f"{data} or {number}", f"0 < {a.name}.sum().item() < 9"])

    def block(self, scope, depth, index, budget):
        kind = choose(self.random, BLOCKS)
        if kind == "exit" and not self.loops:
            kind = "if"
        getattr(self, "do_block_" + kind)(scope, depth, index, budget)

    def in_loop(self, kind, scope, depth, index, budget):
        self.loops.append(kind)
        self.body(scope, depth, index, budget)
        self.loops.pop()

    def do_block_range(self, scope, depth, index, budget):
        i = self.name("i")
        count = self.random.choice(["x.size(0)", "x.size(0)", "2", "0", "k", "1, x.size(0)", "x.size(0) - 1, -1, -1"])
        self.emit(depth, f"for {i} in range({count}):")
        self.in_loop("for", scope, depth + 1, None if count == "k" else i, budget)

    def do_block_rows(self, scope, depth, index, budget):
        a, row = self.pick(scope, ("n", "m")), self.name("r")
        if a is None:
            return self.do_block_range(scope, depth, index, budget)
        self.emit(depth, f"for {row} in {a.name}:")
        self.in_loop("for", [*scope, Tensor(row, ("m",), a.group)], depth + 1, None, budget)

    def do_block_enumerate(self, scope, depth, index, budget):
        a, i, row = self.pick(scope, ("n", "m")), self.name("i"), self.name("r")
        if a is None:
            return self.do_block_range(scope, depth, index, budget)
        self.emit(depth, f"for {i}, {row} in enumerate({a.name}):")
        self.in_loop("for", [*scope, Tensor(row, ("m",), a.group)], depth + 1, i, budget)

    def do_block_append(self, scope, depth, index, budget):
        """A list that grows, then one tensor of it."""
        a, parts, i, made = self.pick(scope), self.name("l"), self.name("i"), self.name("t")
        self.emit(depth, f"{parts} = []")
        self.emit(depth, f"for {i} in range(x.size(0)):")
        self.body(scope, depth + 1, i, 0)
        self.emit(depth + 1, f"{parts}.append({a.name} * {i})")
        self.emit(depth, f"{made} = {self.squash(f'torch.stack({parts}).sum(0)')}")
        scope.append(Tensor(made, a.shape, made))

    def do_block_collect(self, scope, depth, index, budget):
        """A list of which only a run knows the length, then a tensor and a number of it."""
        a, parts, i, made, count = self.pick(scope), self.name("l"), self.name("i"), self.name("t"), self.name("c")
        self.emit(depth, f"{parts} = [{a.name} * 1]")
        size = self.random.choice(["x.size(0)", "12"])
        self.emit(depth, f"for {i} in range({size}):")
        self.body(scope, depth + 1, i if size != "12" else None, 0)
        self.emit(depth + 1, f"if {self.condition(scope)}:")
        self.emit(depth + 2, f"{parts}.append({a.name} * {i})")
        for line in self.random.choice([
                (), (f"elif len({parts}) > 1:", f"    {parts}.pop()"), ("else:", f"    {parts}[-1] = {parts}[0] + 1"),
                (f"if len({parts}) > 3:", "    break"), (f"{parts}.insert(1, {parts}[-1] - 1)",)]):
            self.emit(depth + 1, line)
        read = self.random.choice([f"torch.stack({parts}).sum(0)", f"{parts}[-1] + {parts}[0]",
                                   f"{parts}[len({parts}) // 2]", f"torch.stack({parts}[::-1])[0]"])
        self.emit(depth, f"{made} = {self.squash(read)}")
        self.emit(depth, f"{count} = len({parts})")
        if depth == 1:
            self.numbers.append(count)
        scope.append(Tensor(made, a.shape, made))

    def do_block_while(self, scope, depth, index, budget):
        w, a = self.name("w"), self.pick(scope)
        self.emit(depth, f"{w} = 0")
        more = self.random.choice(["", f" and bool({a.name}.sum() < 1)", f" and {a.name}.max() < 9"])
        self.emit(depth, f"while {w} < {self.random.choice(['2', 'k', '0'])}{more}:")
        self.emit(depth + 1, f"{w} += 1")
        self.in_loop("while", scope, depth + 1, None, budget)

    def do_block_if(self, scope, depth, index, budget):
        self.emit(depth, f"if {self.condition(scope)}:")
        self.body(scope, depth + 1, index, budget)
        if self.random.random() < 0.6:
            if self.random.random() < 0.3:
                self.emit(depth, f"elif {self.condition(scope)}:")
                self.body(scope, depth + 1, index, budget)
            self.emit(depth, "else:")
            self.body(scope, depth + 1, index, budget)

    def do_block_exit(self, scope, depth, index, budget):
        self.emit(depth, f"if {self.condition(scope)}:")
        self.body(scope, depth + 1, index, 0)
        others = ", x - 1, y + 1" if self.chooses else ""
        self.emit(depth + 1, self.random.choice(["break", "continue", "continue", f"return x + 1, y * 2{others}"]))

    def run(self):
        scope = [Tensor("x", ("n", "m"), "x"), Tensor("y", ("n", "m"), "x" if self.layout == "twice" else "y"),
                 Tensor("z", ("n",), "z")]
        self.emit(0, "def helper(v):\n    v = v + 1\n    if v.sum() > 0:\n        return v * 1\n    return v - 2\n\n")
        self.emit(0, "def program(x, y, z, k: int):")
        self.emit(1, "def local(v):\n        return v + k\n")
        self.emit(1, "a = x.clone()")
        self.emit(1, "b = torch.zeros(x.size(0), x.size(1), dtype=x.dtype)")
        scope += [Tensor("a", ("n", "m"), "a"), Tensor("b", ("n", "m"), "b")]
        for _ in range(self.random.randrange(4, 9)):
            self.statement(scope, 1, None, 2)
        own = [t for t in scope if t.group not in ("x", "y", "z")]
        first, second = self.random.choice(own), self.random.choice(scope)
        copied = self.random.choice(["", ".clone()"])
        others = ", a.clone(), b.clone()" if self.chooses else ""
        self.emit(1, f"return {first.name}{copied}, {second.name}.clone(){others}")
        return "\n".join(self.lines) + "\n"


def generate(seed, chooses=False):
    """(source of `program(x[4, 3], y[4, 3], z[4], k)`, layout of its arguments, name of their type)

    chooses: whether names are often one of two storages.
    """
    generator = Generator(seed, chooses)
    return generator.run(), generator.layout, generator.type
