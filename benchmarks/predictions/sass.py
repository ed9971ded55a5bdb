"""Machine code of a kernel as `nvdisasm -c` lists it: its loops, and instructions by kind.

Only what costs is told apart: which unit an instruction needs, and how many bytes a lane moves.
"""

import collections
import dataclasses
import re

LANES = 32
SECTION = re.compile(r"\s*\.section\s+\.text\.([^,\s]+)")
LABEL = re.compile(r"\s*(\.L_\w+):")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)([^;]*);")
NEVER = "never "
TARGET = re.compile(r"(\.L_\w+)")

#: the kinds of instructions; the first whose expression matches is taken, all others are `other`
KINDS = [(kind, re.compile(text)) for kind, text in (
    ("mma", r"[HI]MMA\."), ("ldmatrix", r"LDSM"), ("copy", r"LDGSTS"), ("load", r"LDG?\."), ("store", r"STG?\."),
    ("shared_load", r"LDS(\.|$)"), ("shared_store", r"STS"), ("barrier", r"BAR"), ("float", r"F(FMA|ADD|MUL)"),
    ("special", r"MUFU"))]
WIDTH = re.compile(r"\.(128|64|U16|S16|16|U8|S8|8)(?:\.|$)")
BYTES = {"128": 16, "64": 8, "U16": 2, "S16": 2, "16": 2, "U8": 1, "S8": 1, "8": 1}


def kind_of(name):
    return next((kind for kind, expression in KINDS if expression.match(name)), "other")


def width_of(name):
    """The bytes that a lane moves."""
    found = WIDTH.search(name)
    return BYTES[found[1]] if found else 4


@dataclasses.dataclass
class Work:
    """What a warp does in one pass over some code."""
    instructions: float = 0
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    multiply_adds: float = 0  #: by instructions on matrices
    shared_cycles: float = 0  #: of the unit of shared memory, 128 bytes each, without bank conflicts
    loaded: float = 0         #: bytes from global memory, if no two lanes read the same
    copied: float = 0         #: those of them that go to shared memory by asynchronous copies
    stored: float = 0         #: bytes to global memory

    def times(self, factor):
        """As much of each as `factor` says."""
        if factor == 1:
            return self
        return Work(**{field.name: getattr(self, field.name) * factor for field in dataclasses.fields(self)
                       if field.name != "kinds"},
                    kinds=collections.Counter({kind: count * factor for kind, count in self.kinds.items()}))

    def add(self, name):
        kind, lanes = kind_of(name), LANES * width_of(name)
        self.instructions += 1
        self.kinds[kind] += 1
        if kind == "mma":
            self.multiply_adds += products_of(name)
        if kind == "ldmatrix":
            self.shared_cycles += int(name[-1]) if name[-1].isdigit() else 1
        if kind in ("copy", "shared_load", "shared_store"):
            self.shared_cycles += max(1, lanes / 128)
        if kind in ("copy", "load"):
            self.loaded += lanes
        if kind == "copy":
            self.copied += lanes
        if kind == "store":
            self.stored += lanes


def products_of(name):
    """Multiply-adds of an instruction such as HMMA.16816.F32: its sizes are 16, 8 and 16."""
    found = re.search(r"\.(16)(8)(\d+)", name)
    if not found:
        raise ValueError(f"the sizes of {name} are not known")
    return int(found[1]) * int(found[2]) * int(found[3])


@dataclasses.dataclass
class Loop:
    first: int
    last: int
    work: Work                 #: of its own, without the loops in it
    inner: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Code:
    straight: Work
    loops: list                #: the outermost ones, in the order of the code

    def all_loops(self):
        """Every loop, inner ones before the one around them."""
        def walk(loops):
            for loop in loops:
                yield from walk(loop.inner)
                yield loop
        return list(walk(self.loops))


def functions(listing):
    """{function: its instructions as (name, operands), {label: index of the instruction behind it}}"""
    result, name = {}, None
    for line in listing.splitlines():
        if found := SECTION.match(line):
            name = found[1]
            result[name] = ([], {})
        elif name and (found := LABEL.match(line)):
            result[name][1][found[1]] = len(result[name][0])
        elif name and (found := INSTRUCTION.match(line)):
            # What is never executed takes an issue slot alone: the assembler puts such loads before barriers.
            result[name][0].append((NEVER + found[2] if found[1] == "!PT" else found[2], found[3]))
    return result


def find_loops(instructions, labels):
    """(first, last) of each loop, outer ones first; a branch to itself at the end of the code is none."""
    ends = {}
    for index, (name, operands) in enumerate(instructions):
        found = TARGET.search(operands) if name.startswith("BRA") else None
        start = labels.get(found[1]) if found else None
        if start is not None and start < index:
            ends[start] = max(index, ends.get(start, 0))
    return sorted(ends.items(), key=lambda loop: (loop[0], -loop[1]))


def read(instructions, labels):
    """The code of a function as nested loops."""
    code, around = Code(Work(), []), []
    loops = [Loop(first, last, Work()) for first, last in find_loops(instructions, labels)]
    for loop in loops:
        while around and around[-1].last < loop.first:
            around.pop()
        (around[-1].inner if around else code.loops).append(loop)
        around.append(loop)
    for index, (name, _) in enumerate(instructions):
        if name == "NOP":
            continue
        inside = [loop for loop in loops if loop.first <= index <= loop.last]
        (inside[-1].work if inside else code.straight).add(name)
    return code


def read_all(listing):
    return {name: read(*found) for name, found in functions(listing).items()}
