"""The facts of a kernel on which its predicted time depends, joined from manifest, machine code, PTX and emulator."""

import collections
import dataclasses

from predictions import artifact, ptx, sass

#: what PTX and machine code have one for one, the most certain first; loads and stores of global memory are not among
#: them where there is anything else, since a thread jumps over those that its machine code only predicates
MARKERS = ["mma", "ldmatrix", "barrier", "shared_store", "shared_load", "special", "float"]
MEMORY = ["load", "store", "copy"]


@dataclasses.dataclass
class LoopFacts:
    work: sass.Work     #: of a warp in one pass, without inner loops
    trips: float        #: passes of a warp in all


@dataclasses.dataclass
class KernelFacts:
    name: str
    blocks: int
    threads: int
    registers: int
    shared_bytes: int
    straight: sass.Work
    loops: list                 #: LoopFacts
    pending: int = -1           #: groups of copies left in flight by the main loop, -1 without a pipeline
    operations: int = 0
    bytes: int = 0              #: that it needs to read and write once
    conflicts: float = None     #: cycles of bank conflicts for each cycle of shared accesses; None if not emulated
    sectors: float = None       #: bytes of sectors for each byte that lanes ask for; None if not emulated

    @property
    def warps(self):
        return -(-self.threads // sass.LANES)

    @property
    def pipelined(self):
        """Whether the main loop copies ahead."""
        return any(loop.work.kinds["copy"] for loop in self.loops)

    def straight_loaded(self):
        """Bytes that code outside of loops loads. Copies before a pipelined loop are those that its last passes need not
        make, and count there."""
        return self.straight.loaded - (self.straight.copied if self.pipelined else 0)


@dataclasses.dataclass
class Launch:
    name: str
    kernel: KernelFacts         #: None if its facts are not known
    calls: int = 1


def vector(counts, kinds):
    return {kind: counts[kind] for kind in kinds if counts.get(kind)}


def dot(a, b):
    return sum(value * b.get(kind, 0) for kind, value in a.items())


def minus(a, b):
    return {kind: a.get(kind, 0) - b.get(kind, 0) for kind in {*a, *b}}


def whole(number):
    """The integer next to a number of passes, where the two are as good as equal: instructions that the assembler
    has joined or moved out of the loop make the difference."""
    return round(number) if abs(number - round(number)) < 0.02 * number else number


def match(loop, inner, candidates, used):
    """(passes over a loop of the machine code, which of the loops of the PTX it is). It is the one whose instructions
    it has a part of: the assembler unrolls loops, but keeps what they do. `inner` is what the loops in it do."""
    kinds = MARKERS if vector(loop.work.kinds, MARKERS) else MEMORY
    own, best = vector(loop.work.kinds, kinds), (None, 1, None)
    for index, candidate in enumerate(candidates):
        executed = vector(candidate.executed, kinds)
        rest = minus(executed, inner)
        sure = next(iter(own), None)
        trips = whole(max(0, rest.get(sure, 0) / own[sure])) if own else candidate.passes
        left = minus(rest, {kind: count * trips for kind, count in own.items()})
        rank = (round(dot(left, left) / (dot(executed, executed) or 1), 2), index in used, index)
        if best[0] is None or rank < best[0]:
            best = (rank, trips, index)
    return best[1:]


def trips_of(code, walk):
    """The passes over each loop of the machine code, inner loops first."""
    done, used, result = {}, set(), []
    for loop in code.all_loops():
        inner = sum((done[one.first, one.last] for one in loop.inner), collections.Counter())
        trips, index = match(loop, inner, walk.loops, used)
        used.add(index)
        own = vector(loop.work.kinds, MARKERS + MEMORY)
        done[loop.first, loop.last] = inner + collections.Counter({kind: count * trips for kind, count in own.items()})
        result.append(LoopFacts(loop.work, trips))
    return result


#: blocks of which a walk is taken, spread over the grid: launches that were merged have a range of blocks each
SAMPLES = 6
#: machine code of which blocks execute less than this part has ranges of blocks
WHOLE = 0.75


def executed_part(code, loops, walks):
    """The mean part of the machine code's work that a block executes: 1 unless it has ranges of blocks, of which each
    executes loops of its own that look like those of the others."""
    executed = sum((walk.executed for walk in walks), collections.Counter())
    sure = next((kind for kind in MARKERS if executed[kind]), None)
    if sure is None:
        return 1.0
    counted = code.straight.kinds[sure] + sum(loop.trips * loop.work.kinds[sure] for loop in loops)
    part = executed[sure] / len(walks) / counted if counted else 1.0
    return part if part < WHOLE else 1.0


def read_kernel(entry, blocks, code, parsed):
    """The facts of a kernel: `entry` of the manifest, its blocks, its machine code and its PTX."""
    special = {"%ntid.x": entry["threads"], "%nctaid.x": blocks}
    sampled = sorted({blocks * (2 * index + 1) // (2 * SAMPLES) for index in range(SAMPLES)} | {blocks // 2})
    walks = [ptx.walk(*parsed, {**special, "%ctaid.x": block}) for block in sampled]
    loops = trips_of(code, walks[sampled.index(blocks // 2)])
    part = executed_part(code, loops, walks)
    return KernelFacts(entry["name"], blocks, entry["threads"], entry["registers"], entry["shared_bytes"],
                       code.straight.times(part), [LoopFacts(loop.work, loop.trips * part) for loop in loops],
                       walks[0].pending)


def add_counters(kernel, counters):
    """Takes what the emulator counted, if it ran the same tiles. Sectors have 32 bytes."""
    if round(counters.get("blocks", 0)) != kernel.blocks:
        return
    cycles = kernel.straight.shared_cycles + sum(loop.trips * loop.work.shared_cycles for loop in kernel.loops)
    kernel.conflicts = counters.get("shared_conflicts", 0) / (cycles * kernel.warps * kernel.blocks) if cycles else 0.0
    asked = kernel.straight_loaded() + kernel.straight.stored + sum(
        loop.trips * (loop.work.loaded + loop.work.stored) for loop in kernel.loops)
    if asked:
        kernel.sectors = 32 * counters.get("global_transactions", 0) / (asked * kernel.warps * kernel.blocks)


def read_program(tools, model, program, variant, target, counted, options=()):
    """(launches of a program for one GPU, {kernel: why its facts are not known}); `counted` is what the emulator
    counted by the number of the launch, which also knows calls in loops and blocks that depend on sizes; `options` are
    those with which the program was compiled."""
    code = artifact.images(program, variant)
    if "cubin" not in code:
        raise artifact.Missing(f"{program} has no machine code for {target}: ptxas was not found")
    listings, parsed = sass.read_all(tools.disassemble(code["cubin"])), ptx.parse(code["ptx"].decode())
    blocks = artifact.blocks_of(tools.text(model, target, "--compile-to=target", *options))
    for index, launch in enumerate(variant["launches"]):
        if index in counted and counted[index]["kernel"] == launch["kernel"] and launch["kernel"] not in blocks:
            blocks[launch["kernel"]] = round(counted[index]["counters"]["blocks"] / counted[index]["calls"])
    kernels, failed = {}, {}
    for entry in variant["kernels"]:
        name = entry["name"]
        try:
            if name not in blocks:
                raise ValueError("only a run knows its number of blocks, and it was not emulated")
            kernels[name] = read_kernel(entry, blocks[name], listings[name], parsed[name])
        except (ValueError, KeyError) as reason:
            failed[name] = str(reason)
    for name, operations, moved in artifact.moved_by(tools.text(model, target, "--explain", "--json", *options)):
        if name in kernels:
            kernels[name].operations, kernels[name].bytes = operations, moved
    return list(join(variant["launches"], kernels, counted)), failed


def join(launches, kernels, counted):
    for index, launch in enumerate(launches):
        kernel, found = kernels.get(launch["kernel"]), counted.get(index)
        if found and found["kernel"] != launch["kernel"]:
            found = None
        calls = found["calls"] if found else 1
        if kernel and found and (found["threads"], found["shared_bytes"]) == (kernel.threads, kernel.shared_bytes):
            add_counters(kernel, {name: count / calls for name, count in found["counters"].items()})
        yield Launch(launch["kernel"], kernel, calls)
