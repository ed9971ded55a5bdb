"""Random layouts for the tensors of a program's kernels, as a file of schedules."""

import random
import re

KERNEL = re.compile(r"^(te\.kernel @.*?^\}) schedule \{\n(.*?)^\}\n", re.M | re.S)
PARAMETER = re.compile(r"%arg\d+: (tensor<[^>]*>|\w+)")
#: The label of a te.compute, and the type of its first result: after the brace that closes it.
EXPRESSION = re.compile(r"^  %\S+ = te\.compute @(\w+) .*?^  \}[^{\n]*? : (tensor<[^>]*>)[^{\n]*$", re.M | re.S)
PRIMITIVES = ("reorder", "split", "fuse", "pad", "unfold")


def shape_of(text):
    """The sizes in `tensor<2x?x3xf32>`; None for a type that is no tensor."""
    if not text.startswith("tensor<"):
        return None
    return [None if size == "?" else int(size) for size in re.findall(r"(\d+|\?)x", text)]


def add_primitive(kind, sizes, chance):
    """Adds a primitive of this kind to a tensor of `sizes`; gives its text and the new sizes, or None."""
    dim = chance.randrange(len(sizes))
    size = sizes[dim]
    if kind == "reorder":
        order = chance.sample(range(len(sizes)), len(sizes))
        return f"reorder({', '.join(map(str, order))})", [sizes[d] for d in order]
    if kind == "fuse" and dim + 1 < len(sizes) and size and sizes[dim + 1]:
        return f"fuse({dim}, {dim + 1})", sizes[:dim] + [size * sizes[dim + 1]] + sizes[dim + 2:]
    if kind == "pad" and size:
        low, high = chance.randrange(3), chance.randrange(4)
        return f"pad({dim}, {low}, {high})", sizes[:dim] + [size + low + high] + sizes[dim + 1:]
    if kind == "split" and size:
        factor = chance.choice([f for f in range(1, min(size, 64) + 1) if size % f == 0])
        return f"split({dim}, [*, {factor}])", sizes[:dim] + [size // factor, factor] + sizes[dim + 1:]
    if kind == "unfold" and size and size > 1:
        tile = chance.randint(1, min(size, 8))
        stride = chance.randint(1, tile)
        tiles = -(-(size - tile) // stride) + 1
        return f"unfold({dim}, {tile}, {stride})", sizes[:dim] + [tiles, tile] + sizes[dim + 1:]
    return None


def make_store(operand, shape, chance):
    if not shape or 0 in shape or chance.random() < 0.3:
        return ""
    primitives, sizes = [], shape
    for _ in range(chance.randint(1, 3)):
        added = add_primitive(chance.choice(PRIMITIVES), sizes, chance)
        if added:
            primitives.append(added[0])
            sizes = added[1]
    return f"  layout.store {operand} as map<{', '.join(primitives)}>\n" if primitives else ""


def randomise(schedules, seed):
    """Replaces the schedule of each kernel by random stores. They may be refused, with the line."""
    chance = random.Random(seed)
    text = ""
    for body, schedule in KERNEL.findall(schedules):
        head = body[:body.index("\n")]
        stores = re.findall(r"^  layout\.launches .*\n", schedule, re.M)
        stores += [make_store(number, shape_of(type), chance) for number, type in enumerate(PARAMETER.findall(head))]
        stores += [make_store("@" + label, shape_of(type), chance) for label, type in EXPRESSION.findall(body)]
        if any("layout.store" in store for store in stores):
            text += f"{body} schedule {{\n{''.join(stores)}}}\n"
    return text


def drop_line(schedules, number):
    lines = schedules.splitlines(keepends=True)
    del lines[number - 1]
    return "".join(lines)
