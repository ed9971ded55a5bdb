# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs with views, writes and nested loops and branches, as Python source.

What they do is defined in eager PyTorch: no operand overlaps what is written in part, and
numbers stay small. A name is only assigned anew when nothing else looks at its storage.
"""

import random


class Tensor:
    """A name: its sizes (in x, y: 4 and 3, see `SIZES`), and whose storage it is."""

    def __init__(self, name, shape, base):
        self.name, self.shape, self.base = name, tuple(shape), base


# What stands for a size in the source, so that sizes are symbols for the compiler.
SIZES = {"n": 4, "m": 3}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.fixed = set()  # names that views look at, or that were arguments

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)

    def pick(self, scope, shape=None):
        fitting = [t for t in scope if shape is None or t.shape == shape]
        return self.random.choice(fitting) if fitting else None

    def operand(self, scope, target):
        """Something of the target's shape that does not overlap it in part."""
        other = self.pick(scope, target.shape)
        if other is None or self.random.random() < 0.3:
            return self.random.choice(["0.5", "-0.25", "2"])
        if other.base == target.base and other.name != target.name:
            return f"{other.name}.clone()"
        return other.name

    # Expressions that make new tensors.

    def fresh(self, scope):
        a = self.pick(scope)
        kind = self.random.randrange(6)
        if kind == 0:
            return f"torch.tanh({a.name})", a.shape
        if kind == 1:
            return f"{a.name}.clone()", a.shape
        if kind == 2:
            return f"({a.name} * 0.5 + {self.operand(scope, a)})", a.shape
        if kind == 3 and len(a.shape) == 2:
            return f"torch.softmax({a.name}, {self.random.randrange(2)})", a.shape
        if kind == 4 and len(a.shape) == 2:
            return f"{a.name}.sum({self.random.randrange(2)}, keepdim=True).expand_as({a.name}).clone()", a.shape
        b = self.operand(scope, a)
        return f"torch.clamp({a.name} - {b}, -2.0, 2.0)", a.shape

    # Views.

    def view(self, scope, index):
        """The source of a view of some tensor, its shape and the tensor."""
        a = self.pick(scope)
        if not a.shape:
            return f"{a.name}.unsqueeze(0)", ("one",), a
        dim = self.random.randrange(len(a.shape))
        kind = self.random.randrange(6)
        rest = a.shape[:dim] + a.shape[dim + 1:]
        if kind <= 1:
            at = self.random.choice(["0", "-1", "1"])
            if index and SIZES.get(a.shape[dim]) == SIZES["n"] and self.random.random() < 0.7:
                at = index
            if a.shape[dim] == "one":
                at = "0"
            return f"{a.name}.select({dim}, {at})", rest, a
        if kind == 2 and len(a.shape) == 2:
            return f"{a.name}.t()", a.shape[::-1], a
        if kind == 3 and a.shape[dim] == "n":
            where = self.random.choice(["0, 3", "1, None", "-3, 4", "-3, 9"])
            begin, end = where.split(", ")
            text = ", ".join([":"] * dim + [f"{begin}:{'' if end == 'None' else end}"])
            return f"{a.name}[{text}]", a.shape[:dim] + ("m",) + a.shape[dim + 1:], a
        if kind == 4 and len(a.shape) == 2:
            return f"{a.name}.unsqueeze(0).squeeze(0)", a.shape, a
        return f"{a.name}[:]", a.shape, a

    # Statements.

    def statement(self, scope, depth, index, budget):
        kind = self.random.random()
        if kind < 0.22:
            text, shape = self.fresh(scope)
            name = self.name("t")
            self.emit(depth, f"{name} = {text}")
            scope.append(Tensor(name, shape, name))
        elif kind < 0.42:
            text, shape, a = self.view(scope, index)
            name = self.name("v")
            self.emit(depth, f"{name} = {text}")
            self.fixed.add(a.base)
            scope.append(Tensor(name, shape, a.base))
        elif kind < 0.72 or budget == 0:
            self.write(scope, depth, index)
        elif kind < 0.78:
            self.rebind(scope, depth)
        else:
            self.block(scope, depth, index, budget - 1)

    def write(self, scope, depth, index):
        text, shape, a = self.view(scope, index)
        target = Tensor(f"{text}", shape, a.base)
        value = self.operand(scope, target)
        kind = self.random.randrange(6)
        if kind == 0:
            self.emit(depth, f"{text}.mul_(0.5)")
        elif kind == 1:
            self.emit(depth, f"{text}.add_({value}, alpha=0.5)")
        elif kind == 2:
            self.emit(depth, f"{text}.tanh_()")
        elif kind == 3:
            self.emit(depth, f"{text}.fill_({self.random.choice(['0.25', '-1.0'])})")
        elif kind == 4 and not value[0].isdigit() and value[0] != "-":
            self.emit(depth, f"{text}.copy_({value})")
        else:
            self.emit(depth, f"{text}.masked_fill_({text} > 0.5, 0.125)")

    def rebind(self, scope, depth):
        free = [t for t in scope if t.name == t.base and t.base not in self.fixed]
        if not free:
            return self.write(scope, depth, None)
        a = self.random.choice(free)
        self.emit(depth, f"{a.name} = torch.tanh({a.name} + {self.operand(scope, a)})")

    def body(self, scope, depth, index, budget):
        inner = list(scope)
        for _ in range(self.random.randrange(1, 4)):
            self.statement(inner, depth, index, budget)

    def block(self, scope, depth, index, budget):
        kind = self.random.randrange(4)
        # A name that a view of this block looks at must not be assigned anew around it.
        self.fixed |= {t.base for t in scope if self.random.random() < 0.7}
        if kind <= 1:
            i = self.name("i")
            count = self.random.choice(["x.size(0)", "x.size(0)", "2", "0", "k"])
            self.emit(depth, f"for {i} in range({count}):")
            bounded = count in ("x.size(0)", "2", "0")
            self.body(scope, depth + 1, i if bounded else None, budget)
        elif kind == 2:
            a = self.pick(scope)
            condition = self.random.choice([f"bool({a.name}.sum() > 0)", "k > 1", "x.size(0) > 3"])
            self.emit(depth, f"if {condition}:")
            self.body(scope, depth + 1, index, budget)
            if self.random.random() < 0.6:
                self.emit(depth, "else:")
                self.body(scope, depth + 1, index, budget)
        else:
            w = self.name("w")
            a = self.pick(scope)
            self.emit(depth, f"{w} = 0")
            condition = self.random.choice(["", f" and bool({a.name}.sum() < 1.0)"])
            self.emit(depth, f"while {w} < {self.random.choice(['2', 'k', '0'])}{condition}:")
            self.body(scope, depth + 1, None, budget)
            self.emit(depth + 1, f"{w} += 1")

    def run(self):
        scope = [Tensor("x", ("n", "m"), "x"), Tensor("y", ("n", "m"), "y"),
                 Tensor("z", ("n",), "z")]
        self.fixed |= {"x", "y", "z"}
        self.emit(0, "def program(x: Tensor, y: Tensor, z: Tensor, k: int):")
        self.emit(1, "a = x.clone()")
        self.emit(1, "b = torch.zeros(x.size(0), x.size(1))")
        scope += [Tensor("a", ("n", "m"), "a"), Tensor("b", ("n", "m"), "b")]
        for _ in range(self.random.randrange(4, 9)):
            self.statement(scope, 1, None, 2)
        own = [t for t in scope if t.base not in ("x", "y", "z")]
        returned = self.random.sample(own, min(2, len(own)))
        self.emit(1, "return " + ", ".join(f"{t.name}.clone()" for t in returned))
        return "\n".join(self.lines) + "\n"


def generate(seed):
    """The source of `program(x[4,3], y[4,3], z[4], k)`."""
    return Generator(seed).run()
