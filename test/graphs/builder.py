"""Grows a graph node by node; each value is known as soon as its node is there.

So shapes need no rules, nodes that make no sense are dropped, and values that are
no longer tame are not used. A value is exact when no right implementation can give
other bits: only such values are compared, rounded to integers or sorted.
"""

import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper

from evaluation import Rejected, evaluate_node, widen

MAX_ELEMENTS, MAX_MAGNITUDE = 4096, 1e4
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]
FLOATS = [np.float32] * 8 + [np.float16, np.float64]
INTEGERS = [np.int64, np.int64, np.int32, np.int32, np.int8, np.uint8, np.int16, np.uint32, np.uint64]
#: How far the two evaluations of a float may be apart, over the largest magnitude.
MAX_NOISE = {np.dtype(np.float16): 0.05, np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-3}


@dataclasses.dataclass
class Value:
    name: str
    narrow: np.ndarray
    wide: np.ndarray
    exact: bool
    depth: int = 0

    shape = property(lambda self: self.narrow.shape)
    rank = property(lambda self: self.narrow.ndim)
    dtype = property(lambda self: self.narrow.dtype)
    kind = property(lambda self: self.narrow.dtype.kind)  # f, i, u, b

    @property
    def noise(self):
        """Largest difference of the two evaluations."""
        if self.kind != "f" or self.narrow.size == 0:
            return 0.0
        return float(np.abs(self.narrow.astype(np.float64) - self.wide).max())

    @property
    def magnitude(self):
        return float(np.abs(self.wide.astype(np.float64)).max()) if self.wide.size else 0.0


class GraphBuilder:
    def __init__(self, seed, opset):
        self.random = np.random.default_rng(seed)
        self.opset = opset
        self.values, self.inputs, self.constants, self.nodes = [], [], [], []
        self.count = 0
        self.used = set()

    # Choices

    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, items):
        return items[int(self.random.integers(len(items)))]

    def below(self, bound):
        return int(self.random.integers(bound))

    def shape(self, rank=None):
        rank = self.choose([0, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        shape = [self.choose(SIZES) for _ in range(rank)]
        while np.prod(shape) > MAX_ELEMENTS // 4:
            shape[int(np.argmax(shape))] = self.choose(SIZES[:8])
        if rank and self.chance(0.02):
            shape[self.below(rank)] = 0
        return tuple(shape)

    # Values from nowhere

    def array(self, dtype, shape, low=-4, high=4):
        """Numbers that are exact in every type, and so are small sums and products of them."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            numbers = self.random.integers(0, 2, shape)
        elif dtype.kind in "iu":
            numbers = self.random.integers(max(low, 0) if dtype.kind == "u" else low, high + 1, shape)
        else:
            numbers = self.random.integers(low * 8, high * 8 + 1, shape) / 8
        return np.asarray(numbers, dtype)

    def new_name(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def remember(self, value):
        self.values.append(value)
        return value

    def input(self, array):
        array = np.asarray(array)  # a number drawn alone is none
        value = Value(self.new_name("x"), array, widen(array), True)
        self.inputs.append(value)
        return self.remember(value)

    def constant(self, array):
        """An initializer or a node."""
        array = np.asarray(array)
        value = Value(self.new_name("c"), array, widen(array), True)
        tensor = numpy_helper.from_array(array, value.name)
        if self.chance(0.2):
            self.nodes.append(helper.make_node("Constant", [], [value.name], value=tensor))
        else:
            self.constants.append(tensor)
        return value

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def fresh(self, dtype, shape, **limits):
        """A new input or constant."""
        array = self.array(dtype, shape, **limits)
        if len(self.inputs) < 6 and self.chance(0.5):
            return self.input(array)
        return self.constant(array)

    # Values that are there

    def pick(self, kinds="f", rank=None, exact=False, least_rank=0, most_rank=9, dtype=None, nonempty=False):
        """A value that fits, mostly a late one, or a new input."""
        def fits(v):
            return (v.kind in kinds and least_rank <= v.rank <= most_rank and (not exact or v.exact)
                    and (rank is None or v.rank == rank) and (dtype is None or v.dtype == dtype)
                    and (not nonempty or v.narrow.size))
        found = [v for v in self.values if fits(v)]
        unused = [v for v in found if v.name not in self.used]
        if found and self.chance(0.93 if unused else 0.8):
            return self.choose(unused if unused and self.chance(0.6) else found[-6:] if self.chance(0.5) else found)
        if dtype is None:
            kind = self.choose([k for k in kinds])
            dtype = {"f": self.choose(FLOATS), "b": np.bool_}.get(kind) or self.choose(
                [t for t in INTEGERS if np.dtype(t).kind == kind])
        if rank is None:
            rank = self.choose([r for r in [0, 1, 1, 2, 2, 2, 3, 3, 4] if least_rank <= r <= most_rank] or [least_rank])
        shape = self.shape(rank)
        if nonempty:
            shape = tuple(max(s, 1) for s in shape)
        array = self.array(dtype, shape)
        return self.input(array) if len(self.inputs) < 6 else self.remember(self.constant(array))

    def partner(self, value, low=-4, high=4, exact=False):
        """A value of the same type whose shape broadcasts with that of `value`."""
        def fits(v):
            pairs = zip(reversed(v.shape), reversed(value.shape))
            return (v.dtype == value.dtype and (not exact or v.exact) and all(a == b or 1 in (a, b) for a, b in pairs)
                    and v.narrow.size * value.narrow.size <= MAX_ELEMENTS * 64)
        found = [v for v in self.values if fits(v)]
        if found and self.chance(0.6):
            return self.choose(found)
        shape = [s if self.chance(0.7) else 1 for s in value.shape]
        shape = shape[self.below(len(shape) + 1):] if self.chance(0.3) else shape
        if len(shape) == value.rank and value.rank < 4 and self.chance(0.1):
            shape = [self.choose(SIZES[:6])] + shape
        return self.fresh(value.dtype, shape, low=low, high=high)

    # Nodes

    def node(self, op, *inputs, outputs=1, exact=True, captured=(), **attributes):
        """Adds a node; its value, or a list if there are several. `exact` is whether the operator keeps exact
        values exact; `captured` are the values that bodies use."""
        names = [self.new_name(op.lower()) for _ in range(outputs)]
        node = helper.make_node(op, [v.name if v else "" for v in inputs], names, name=names[0], **attributes)
        given = [v for v in (*inputs, *captured) if v]
        narrow, wide = evaluate_node(node, {v.name: v.narrow for v in given}, {v.name: v.wide for v in given},
                                     self.opset)
        depth = 1 + max([v.depth for v in given], default=0)
        values = [self.judge(op, Value(*v, False, depth), exact and all(i.exact for i in given))
                  for v in zip(names, narrow, wide)]
        self.nodes.append(node)
        self.used.update(v.name for v in given)
        self.values += values
        return values[0] if outputs == 1 else values

    @staticmethod
    def judge(op, value, may_be_exact):
        """Refuses what is too large, too wild or too noisy, and finds out whether it is exact."""
        if value.narrow.size > MAX_ELEMENTS or value.rank > 6:
            raise Rejected(f"{op}: too large")
        if value.kind not in "fiub" or value.wide.dtype.kind not in "fiub":
            raise Rejected(f"{op}: not numbers")
        if value.kind != "f":
            if not np.array_equal(value.narrow, value.wide):
                raise Rejected(f"{op}: two opinions on integers")
            if value.kind != "b" and value.magnitude > 2**31:
                raise Rejected(f"{op}: large integers")
            value.exact = True
            return value
        if value.narrow.size and not (np.isfinite(value.narrow).all() and np.isfinite(value.wide).all()):
            raise Rejected(f"{op}: not finite")
        if value.magnitude > MAX_MAGNITUDE or value.noise > MAX_NOISE[value.dtype] * max(value.magnitude, 1e-3):
            raise Rejected(f"{op}: {'large' if value.magnitude > MAX_MAGNITUDE else 'noisy'}")
        value.exact = may_be_exact and value.noise == 0
        return value

    def attempt(self, make):
        """Runs a function that adds nodes; leaves nothing behind if it is refused. Gives the reason or None."""
        marks = [len(self.values), len(self.inputs), len(self.constants), len(self.nodes)]
        used = set(self.used)
        try:
            make(self)
            return None
        except Rejected as reason:
            for items, mark in zip((self.values, self.inputs, self.constants, self.nodes), marks):
                del items[mark:]
            self.used = used
            return str(reason)
