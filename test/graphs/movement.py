"""Operators that move elements, and what is computed of shapes."""

import numpy as np

OPERATORS = []


def operator(function):
    OPERATORS.append(function)
    return function


def factors(g, count):
    """A random shape with `count` elements."""
    shape = []
    while count > 1 and len(shape) < 4 and g.chance(0.8):
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        shape.append(g.choose(divisors))
        count //= shape[-1]
    return shape + [count]


def axis(g, value):
    """A dimension, counted from either end."""
    number = g.below(value.rank)
    return number - value.rank if g.chance(0.4) else number


def some_axes(g, value, least=0):
    count = least + g.below(value.rank + 1 - least)
    chosen = g.random.permutation(value.rank)[:count]
    return [int(a) - value.rank if g.chance(0.3) else int(a) for a in chosen]


@operator
def reshape(g):
    value = g.pick("fiub", nonempty=True)
    shape = factors(g, value.narrow.size)
    if g.chance(0.5):
        shape[g.below(len(shape))] = -1
    elif value.rank and shape[0] == value.shape[0] and g.chance(0.5):
        shape[0] = 0
    g.node("Reshape", value, g.integers(*shape))


@operator
def reshape_as_exporters_do(g):
    """[dim 0, dim 1, ...] gathered from Shape, and a rest."""
    value = g.pick("fiub", least_rank=2, nonempty=True)
    shape = g.node("Shape", value)
    keep = 1 + g.below(value.rank - 1)
    parts = []
    for number in range(keep):
        size = g.node("Gather", shape, g.constant(np.array(number, np.int64)), axis=0)
        parts.append(g.node("Unsqueeze", size, g.integers(0)))
    if g.chance(0.3):
        parts[-1] = g.node("Mul", parts[-1], g.integers(1))
    parts.append(g.integers(-1))
    g.node("Reshape", value, g.node("Concat", *parts, axis=0))


@operator
def reshape_merging(g):
    """Two dims become their product, computed."""
    value = g.pick("fiub", least_rank=2, nonempty=True)
    shape = g.node("Shape", value)
    product = g.node("ReduceProd", g.node("Slice", shape, g.integers(0), g.integers(2)), keepdims=1)
    rest = g.node("Slice", shape, g.integers(2), g.integers(9))
    g.node("Reshape", value, g.node("Concat", product, rest, axis=0))


@operator
def flatten(g):
    value = g.pick("fiub", least_rank=1)
    g.node("Flatten", value, axis=g.below(value.rank + 1))


@operator
def squeeze(g):
    value = g.pick("fiub", least_rank=1)
    ones = [i for i, s in enumerate(value.shape) if s == 1]
    if ones:
        g.node("Squeeze", value, g.integers(*ones[:1 + g.below(len(ones))]))


@operator
def unsqueeze(g):
    value = g.pick("fiub", most_rank=3)
    axes = sorted({g.below(value.rank + 1) for _ in range(2)})
    g.node("Unsqueeze", value, g.integers(*axes))


@operator
def transpose(g):
    value = g.pick("fiub", least_rank=2)
    if g.chance(0.2):
        g.node("Transpose", value)
    else:
        g.node("Transpose", value, perm=[int(i) for i in g.random.permutation(value.rank)])


@operator
def cut(g):
    value = g.pick("fiub", least_rank=1)
    axes = some_axes(g, value, 1)
    starts, ends, steps = [], [], []
    for number in axes:
        size, step = value.shape[number], g.choose([1, 1, 1, 2, 3, -1, -2])
        low, high = sorted([g.below(size + 1), g.below(size + 1)])
        if step > 0:
            starts.append(low - size if g.chance(0.2) and low < size else low)
            ends.append(g.choose([high, high, size + 5, 2**31 - 1]))
        else:
            starts.append(g.choose([high, high, size + 5]))
            ends.append(low - size - 1 if g.chance(0.5) else -2**31)
        steps.append(step)
    g.node("Slice", value, g.integers(*starts), g.integers(*ends), g.integers(*axes), g.integers(*steps))


@operator
def concat(g):
    value = g.pick("fiub", least_rank=1)
    number = axis(g, value)
    parts = [value]
    for _ in range(1 + g.below(3)):
        shape = list(value.shape)
        shape[number] = g.choose([shape[number], 1, 2, 5])
        alike = [v for v in g.values if v.dtype == value.dtype and v.rank == value.rank
                 and all(a == b for i, (a, b) in enumerate(zip(v.shape, value.shape)) if i != number % value.rank)]
        parts.append(g.choose(alike) if alike and g.chance(0.7) else g.fresh(value.dtype, tuple(shape)))
    g.node("Concat", *[parts[i] for i in g.random.permutation(len(parts))], axis=number)


@operator
def split(g):
    value = g.pick("fiub", least_rank=1, nonempty=True)
    number = axis(g, value)
    size = value.shape[number]
    if g.chance(0.3):
        count = 1 + g.below(min(size, 4))
        if -(-size // count) * (count - 1) <= size:
            g.node("Split", value, outputs=count, axis=number, num_outputs=count)
        return
    first = g.below(size + 1)
    sizes = [first, size - first]
    g.node("Split", value, g.integers(*sizes), outputs=2, axis=number)


@operator
def pad(g):
    value = g.pick("fiu", least_rank=1, nonempty=True)
    mode = g.choose(["constant", "constant", "reflect", "edge", "wrap"])
    sizes = []
    for side in range(2 * value.rank):
        size = value.shape[side % value.rank]
        most = min(3, size - 1) if mode == "reflect" else min(3, size) if mode == "wrap" else 3
        sizes.append(g.below(most + 1))
    if mode == "constant" and g.chance(0.3):
        side = g.below(value.rank)
        if value.shape[side] > 1:
            sizes[side] = -1
    number = g.constant(np.array(g.choose([0, 1, 2]), value.dtype)) if mode == "constant" and g.chance(0.6) else None
    g.node("Pad", value, g.integers(*sizes), number, mode=mode)


@operator
def expand(g):
    value = g.pick("fiub", most_rank=3)
    shape = [g.choose([2, 3, 5]) if s == 1 and g.chance(0.6) else g.choose([s, 1]) for s in value.shape]
    if g.chance(0.3):
        shape = [g.choose([1, 2, 3])] + shape
    if shape:
        g.node("Expand", value, g.integers(*shape))


@operator
def expand_like(g):
    value = g.pick("fiub", least_rank=1)
    narrow = g.fresh(value.dtype, tuple(s if g.chance(0.5) else 1 for s in value.shape))
    g.node("Expand", narrow, g.node("Shape", value))


@operator
def tile(g):
    value = g.pick("fiub", least_rank=1, most_rank=3)
    g.node("Tile", value, g.integers(*[g.choose([1, 1, 2, 3]) for _ in value.shape]))


def indices(g, shape, bound, dtype=np.int64):
    array = g.random.integers(-bound, bound, shape).astype(dtype)
    return g.input(array) if len(g.inputs) < 6 and g.chance(0.5) else g.constant(array)


@operator
def gather(g):
    value = g.pick("fiub", least_rank=1, nonempty=True)
    number = axis(g, value)
    shape = g.choose([(), (1,), (3,), (2, 2), (7,)])
    index = indices(g, shape, value.shape[number], g.choose([np.int64, np.int32]))
    g.node("Gather", value, index, axis=number)


@operator
def gather_elements(g):
    value = g.pick("fiub", least_rank=1, nonempty=True)
    number = axis(g, value)
    shape = list(value.shape)
    shape[number] = g.choose([1, 2, 5])
    g.node("GatherElements", value, indices(g, tuple(shape), value.shape[number]), axis=number)


@operator
def gather_nd(g):
    value = g.pick("fiub", least_rank=1, nonempty=True)
    width = 1 + g.below(value.rank)
    rows = g.choose([(1,), (4,), (2, 3)])
    index = np.stack([g.random.integers(-s, s, rows) for s in value.shape[:width]], -1)
    g.node("GatherND", value, g.constant(index.astype(np.int64)))


@operator
def scatter_nd(g):
    value = g.pick("fiu", least_rank=1, nonempty=True, exact=True)
    width = 1 + g.below(value.rank)
    cells = int(np.prod(value.shape[:width]))
    count = 1 + g.below(min(cells, 5))
    reduction = g.choose(["none", "none", "add", "max", "min"])
    flat = g.random.permutation(cells)[:count] if reduction == "none" else g.random.integers(0, cells, count)
    index = np.stack(np.unravel_index(flat, value.shape[:width]), -1).astype(np.int64)
    updates = g.fresh(value.dtype, (count, *value.shape[width:]))
    g.node("ScatterND", value, g.constant(index), updates, reduction=reduction)


@operator
def scatter_elements(g):
    value = g.pick("fiu", least_rank=1, nonempty=True, exact=True)
    number = axis(g, value)
    shape = list(value.shape)
    shape[number] = 1 + g.below(value.shape[number])
    reduction = g.choose(["none", "none", "add", "max", "min"])
    ranks = g.random.random(value.shape).argsort(axis=number)
    index = np.take(ranks, np.arange(shape[number]), axis=number)
    if reduction != "none":
        index = g.random.integers(0, value.shape[number], shape)
    g.node("ScatterElements", value, g.constant(index.astype(np.int64)), g.fresh(value.dtype, tuple(shape)),
           axis=number, reduction=reduction)


@operator
def blocks(g):
    value = g.pick("f", rank=4)
    n, c, y, x = value.shape
    if c % 4 == 0 and g.chance(0.5):
        g.node("DepthToSpace", value, blocksize=2, mode=g.choose(["DCR", "CRD"]))
    elif y % 2 == 0 and x % 2 == 0:
        g.node("SpaceToDepth", value, blocksize=2)


@operator
def shape_of(g):
    value = g.pick("fiub")
    if g.chance(0.3):
        return g.node("Size", value)
    attributes = {"start": g.below(value.rank + 1)} if g.chance(0.4) else {}
    return g.node("Shape", value, **attributes)


@operator
def count_up(g):
    dtype = g.choose([np.int64, np.int32, np.float32])
    start, step = g.choose([0, 1, -2]), g.choose([1, 2, -1])
    numbers = [start, start + step * g.choose([1, 3, 8]), step]
    g.node("Range", *[g.constant(np.array(n, dtype)) for n in numbers])


@operator
def fill(g):
    from onnx import numpy_helper
    like = g.pick("fiub", most_rank=3)
    number = np.array([g.choose([0, 1, 3])], g.choose([np.float32, np.int64, np.int32]))
    g.node("ConstantOfShape", g.node("Shape", like), value=numpy_helper.from_array(number))


@operator
def one_hot(g):
    index = indices(g, g.choose([(3,), (2, 4)]), 5)
    values = g.constant(np.array([0, 1], g.choose([np.float32, np.int64])))
    g.node("OneHot", index, g.constant(np.array(5, np.int64)), values, axis=-1)


@operator
def triangle(g):
    value = g.pick("fi", least_rank=2)
    g.node("Trilu", value, g.constant(np.array(g.choose([-1, 0, 0, 1, 2]), np.int64)), upper=g.below(2))


@operator
def diagonal(g):
    g.node("EyeLike", g.pick("fi", rank=2), k=g.choose([-1, 0, 1]))


@operator
def reverse(g):
    value = g.pick("f", least_rank=2, nonempty=True)
    lengths = g.random.integers(1, value.shape[0] + 1, value.shape[1]).astype(np.int64)
    g.node("ReverseSequence", value, g.constant(lengths), time_axis=0, batch_axis=1)


@operator
def center(g):
    value = g.pick("f", least_rank=1, nonempty=True)
    number = g.below(value.rank)
    g.node("CenterCropPad", value, g.integers(g.choose([1, 3, 6])), axes=[number])


@operator
def compress(g):
    value = g.pick("fiub", least_rank=1, nonempty=True)
    number = axis(g, value)
    g.node("Compress", value, g.fresh(np.bool_, (value.shape[number],)), axis=number)


@operator
def nonzero(g):
    g.node("NonZero", g.pick("fib", least_rank=1, exact=True))


@operator
def resize(g):
    value = g.pick("f", rank=4, nonempty=True)
    mode = g.choose(["nearest", "nearest", "linear", "cubic"])
    shape = [*value.shape[:2], *(g.choose([1, 2, s, 2 * s, s + 3]) for s in value.shape[2:])]
    attributes = {"nearest_mode": g.choose(["floor", "ceil", "round_prefer_floor"])} if mode == "nearest" else {}
    coordinates = g.choose(["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"])
    if mode == "nearest":
        coordinates = "asymmetric"  # others fall between two places and round as they please
    g.node("Resize", value, None, None, g.integers(*shape), mode=mode, coordinate_transformation_mode=coordinates,
           exact=mode == "nearest", **attributes)
