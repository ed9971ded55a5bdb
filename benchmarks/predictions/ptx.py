"""How often one thread passes over each loop of a kernel, from its PTX.

Branches of kernels with fixed sizes depend on integers alone: those are computed for one thread, instruction by
instruction; all else is only counted. Values from memory count as zero.
"""

import collections
import dataclasses
import re

ENTRY = re.compile(r"\.entry\s+(\w+)\(")
LABEL = re.compile(r"(\$L\w+):")
TABLE = re.compile(r"(\$L\w+):\s*\.branchtargets\s+(.*);")
INSTRUCTION = re.compile(r"(?:@(!?)(%\w+)\s+)?([a-z][\w.:]*)\s*(.*);$")
REGISTER = re.compile(r"%\w+(?:\.x)?")
JUMPS = ("bra", "brx", "ret", "exit")
#: the names of sass.py for what both forms of the code have one for one
KINDS = [(kind, re.compile(text)) for kind, text in (
    ("mma", r"mma\.sync"), ("ldmatrix", r"ldmatrix"), ("copy", r"cp\.async\.c[ag]"), ("load", r"ld\.(global|volatile\.global)"),
    ("store", r"st\.global"), ("shared_load", r"ld\.shared"), ("shared_store", r"st\.shared"), ("barrier", r"bar"),
    ("float", r"(fma|add|sub|mul)\.(rn\.)?(ftz\.)?f32"), ("special", r"(ex2|rcp|rsqrt|sqrt|lg2|tanh|sin|cos)\."))]
#: passes over blocks after which a kernel is said not to end
MOST_PASSES = 5_000_000


@dataclasses.dataclass
class Instruction:
    name: str
    operands: list
    guard: str = ""
    negated: bool = False


@dataclasses.dataclass
class Trips:
    """A loop as one thread goes through it."""
    passes: int                  #: over its first block
    executed: collections.Counter  #: instructions by kind, with those of the loops in it


@dataclasses.dataclass
class Walk:
    executed: collections.Counter
    loops: list                  #: Trips, in the order of the code
    pending: int                 #: groups of copies that the main loop leaves in flight, or -1 where there are none


def kind_of(name):
    return next((kind for kind, expression in KINDS if expression.match(name)), "other")


def statements(text):
    """The lines of the text; a statement on several lines is one."""
    open_statement = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//") or not line:
            continue
        if open_statement or ".branchtargets" in line or re.match(r"(@!?%\w+\s+)?[a-z][\w.:]*(\s|$)", line):
            open_statement = f"{open_statement} {line}".strip()
            if line.endswith(";"):
                yield open_statement
                open_statement = ""
        else:
            yield line


def parse(text):
    """{kernel: its blocks, each a list of instructions; {label: index of its block, or the labels of a table}}"""
    result, blocks, labels = {}, None, None
    for line in statements(text):
        if found := ENTRY.search(line):
            blocks, labels = [[]], {}
            result[found[1]] = (blocks, labels)
        elif blocks is None:
            continue
        elif found := TABLE.match(line):
            labels[found[1]] = re.findall(r"\$L\w+", found[2])
        elif found := LABEL.match(line):
            if blocks[-1]:
                blocks.append([])
            labels[found[1]] = len(blocks) - 1
        elif found := INSTRUCTION.match(line):
            operands = [part.strip() for part in re.split(r",(?![^{\[]*[}\]])", found[4])]
            blocks[-1].append(Instruction(found[3], operands, found[2] or "", found[1] == "!"))
            if found[3].startswith(JUMPS):
                blocks.append([])
    return result


def results_of(instruction):
    if instruction.name.startswith((*JUMPS, "st.", "bar", "cp.", "red.", "call")) or not instruction.operands:
        return []
    first = instruction.operands[0].split("|")
    return [register for part in first for register in REGISTER.findall(part)]


def find_needed(blocks):
    """The registers on which branches depend."""
    definitions, needed = collections.defaultdict(list), []
    for instruction in (one for block in blocks for one in block):
        if instruction.name.startswith(JUMPS) and instruction.guard:
            needed.append(instruction.guard)
        if instruction.name.startswith("brx"):
            needed.append(instruction.operands[0])
        for register in results_of(instruction):
            definitions[register].append(instruction)
    known = set(needed)
    while needed:
        for instruction in definitions[needed.pop()]:
            if instruction.name.startswith("ld."):
                continue
            read = REGISTER.findall(",".join(instruction.operands[1:])) + [instruction.guard]
            for register in read:
                if register and register not in known:
                    known.add(register)
                    needed.append(register)
    return known


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
COMPARE |= {"lo": COMPARE["lt"], "ls": COMPARE["le"], "hi": COMPARE["gt"], "hs": COMPARE["ge"]}
BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
          "xor": lambda a, b: a ^ b, "min": min, "max": max, "shl": lambda a, b: a << b if b < 64 else 0,
          "shr": lambda a, b: a >> b, "div": lambda a, b: int(a / b) if b else 0,
          "rem": lambda a, b: a - b * int(a / b) if b else 0}


def wrap(value, kind):
    """`value` as a number of type `kind`, such as s64 or u32; b types are taken as unsigned."""
    if kind == "pred":
        return value & 1
    bits = int(re.sub(r"\D", "", kind) or 64)
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


class Thread:
    def __init__(self, special):
        self.values = dict(special)

    def get(self, operand, kind):
        if operand.startswith("%"):
            value = self.values.get(operand, 0)
        elif operand.startswith("0f") or operand.startswith("0d") or not re.match(r"-?\d", operand):
            value = 0
        else:
            value = int(operand.rstrip("U"), 0)
        return wrap(value, kind)

    def run(self, instruction):
        """Computes the result of an instruction on integers."""
        if instruction.guard and bool(self.values.get(instruction.guard, 0)) == instruction.negated:
            return
        parts = instruction.name.split(".")
        name, kind, operands = parts[0], parts[-1], instruction.operands
        read = [self.get(operand, kind) for operand in operands[1:]]
        if name.startswith("ld") or kind[0] == "f":
            value = 0
        elif name in ("mov", "cvta"):
            value = read[0]
        elif name == "cvt":
            value = wrap(read[0], kind) if parts[-2][0] != "f" else 0
            kind = parts[-2]
        elif name in ("mul", "mad"):
            value = (read[0] * read[1] >> (int(kind[1:]) if "hi" in parts else 0)) + (read[2] if name == "mad" else 0)
            if "wide" in parts:
                value, kind = read[0] * read[1] + (self.get(operands[3], kind[0] + "64") if name == "mad" else 0), kind[0] + "64"
        elif name == "setp":
            value, kind = self.compare(parts, kind, operands), "pred"
        elif name == "selp":
            value = read[0] if self.values.get(operands[3], 0) else read[1]
        elif name == "not":
            value = ~read[0]
        elif name == "neg":
            value = -read[0]
        elif name == "bfe":
            value = read[0] >> read[1] & ((1 << read[2]) - 1)
        elif name == "shf" and parts[1] == "r":
            value = (read[1] << 32 | read[0] & 0xffffffff) >> (read[2] & 31)
        elif name in BINARY:
            value = BINARY[name](*read)
        else:
            raise ValueError(f"a branch depends on '{instruction.name}', which is not known")
        self.values[operands[0]] = wrap(value, kind)

    def jump(self, instruction, labels, end):
        """The block that a jump leads to."""
        if instruction.name.startswith("brx"):
            return labels[labels[instruction.operands[1]][self.get(instruction.operands[0], "u32")]]
        return labels[instruction.operands[0]] if instruction.name.startswith("bra") else end

    def compare(self, parts, kind, operands):
        if kind[0] == "f":
            return 0
        value = COMPARE[parts[1]](self.get(operands[1], kind), self.get(operands[2], kind))
        if len(parts) > 3 and len(operands) > 3:
            value = BINARY[parts[2]](int(value), self.get(operands[3], "pred"))
        return int(value)


def count_passes(blocks, labels, special):
    """How often a thread passes over each block."""
    needed = find_needed(blocks)
    sliced = [[one for one in block if one.name.startswith(JUMPS) or needed & set(results_of(one))]
              for block in blocks]
    thread, passes, block = Thread(special), [0] * len(blocks), 0
    for _ in range(MOST_PASSES):
        if block >= len(blocks):
            return passes
        passes[block] += 1
        following = block + 1
        for one in sliced[block]:
            if not one.name.startswith(JUMPS):
                thread.run(one)
            elif not one.guard or bool(thread.values.get(one.guard, 0)) != one.negated:
                following = thread.jump(one, labels, len(blocks))
                break
        block = following
    raise ValueError(f"a thread does not end within {MOST_PASSES} passes over blocks")


def successors(blocks, labels, index):
    """The blocks that may follow one."""
    result = [index + 1] if index + 1 < len(blocks) else []
    for one in blocks[index]:
        if one.name.startswith("brx"):
            result = [labels[label] for label in labels[one.operands[1]]]
        elif one.name.startswith("bra"):
            result = [labels[one.operands[0]]] + (result if one.guard else [])
        elif one.name.startswith(("ret", "exit")) and not one.guard:
            result = []
    return result


def find_back_edges(following):
    """(from, to) of each edge that leads back into the path from the entry."""
    state, path, result = {0: 1}, [(0, iter(following[0]))], []
    while path:
        block, rest = path[-1]
        after = next(rest, None)
        if after is None:
            state[block] = 2
            path.pop()
        elif after not in state:
            state[after] = 1
            path.append((after, iter(following[after])))
        elif state[after] == 1:
            result.append((block, after))
    return result


def find_loops(blocks, labels):
    """{first block: all blocks} of each loop; its blocks need not follow each other in the code."""
    following = [successors(blocks, labels, index) for index in range(len(blocks))]
    before = collections.defaultdict(set)
    for block, after in ((block, after) for block, all_after in enumerate(following) for after in all_after):
        before[after].add(block)
    loops = {}
    for end, start in find_back_edges(following):
        body, left = loops.setdefault(start, {start}), [end]
        while left:
            block = left.pop()
            if block not in body:
                body.add(block)
                left += before[block]
    return loops


def walk(blocks, labels, special):
    """Goes through a kernel as the thread with the special registers given."""
    passes = count_passes(blocks, labels, special)
    executed = [collections.Counter({kind: count * times for kind, count in collections.Counter(
        kind_of(one.name) for one in block).items()}) for block, times in zip(blocks, passes)]
    loops = find_loops(blocks, labels)
    trips = [Trips(passes[first], sum((executed[block] for block in body), collections.Counter()))
             for first, body in sorted(loops.items()) if passes[first]]
    waits = [int(one.operands[0]) for body in loops.values() for block in body for one in blocks[block]
             if one.name.startswith("cp.async.wait_group")]
    return Walk(sum(executed, collections.Counter()), trips, max(waits, default=-1))
