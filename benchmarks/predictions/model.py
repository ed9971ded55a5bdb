"""The time of a kernel on a GPU, from facts of its code and the compiler's numbers of the GPU.

    t = start + sum over waves (fill + straight code + trips x iteration + epilogue), at least bytes / memory's rate

An iteration takes as long as the scarcest of matrix units, multiply-add units, issue slots, shared memory and
second-level cache, or as the latency that its pipeline does not hide. Times are cycles of a multiprocessor until the
last line; the numbers of a GPU are those of `#layout.device`. dialects/layout/Template/DeviceDraft.cpp has the same
model for points of schedules that have no code yet; a test keeps the constants of both equal.
"""

import collections
import dataclasses
import math

#: the share of each rate that kernels get; set before any comparison with published times, and not changed
SHARES = {"tensor": 0.8, "issue": 0.8, "shared": 0.85, "l2": 0.75, "memory": 0.9}
BARRIER, EPILOGUE = 60, 150        # cycles
#: of the latency that a loop without a pipeline waits beside that of the second-level cache
WAIT = 100
SCHEDULERS = 4                     # warps that issue in one cycle
RESERVED = 1 << 10                 # bytes of shared memory of each block
STORED_CYCLE_BYTES = 32            # that a multiprocessor stores in one cycle
MOST_REGISTERS = 255


@dataclasses.dataclass
class Prediction:
    microseconds: float      #: without the launch
    launch: float            #: microseconds from the start of the launch to that of the first block
    binding: str             #: the term that takes most of it
    resident: int            #: blocks that a multiprocessor holds at once

    @property
    def total(self):
        return self.microseconds + self.launch


def resident_blocks(kernel, device):
    """Blocks that a multiprocessor holds at once: 0 if it cannot run one."""
    if kernel.registers > MOST_REGISTERS or kernel.shared_bytes > device["blockSharedBytes"]:
        return 0
    threads = kernel.warps * 32
    return min(device["blocks"], device["threads"] // threads, device["registers"] // (max(kernel.registers, 1) * threads),
               device["sharedBytes"] // (kernel.shared_bytes + RESERVED))


class Wave:
    """`count` blocks of a kernel beside each other on a multiprocessor."""

    def __init__(self, kernel, device, count):
        self.kernel, self.device, self.count = kernel, device, count

    def busy(self, work, count):
        """{term: cycles} of one pass of `count` blocks over some code. A warp issues on one scheduler, beside which
        its part of the units is."""
        device, warps = self.device, count * self.kernel.warps
        used = min(1.0, warps / SCHEDULERS)
        moved = (work.loaded + work.stored) * self.sectors() * warps
        return {
            "tensor": warps * work.multiply_adds / (device["matrixMultiplyAdds"] * SHARES["tensor"] * used),
            "float": warps * work.kinds["float"] * 32 / (device["multiplyAdds"] * SHARES["issue"] * used),
            "issue": warps * work.instructions / (SCHEDULERS * used * SHARES["issue"]),
            "shared": warps * work.shared_cycles * (1 + (self.kernel.conflicts or 0)) / SHARES["shared"],
            "l2": moved / device["l2CycleBytes"] / SHARES["l2"]}

    def sectors(self):
        return 1.0 if self.kernel.sectors is None else self.kernel.sectors

    def iteration(self, work):
        """(term, cycles) of one pass over a loop."""
        terms = self.busy(work, self.count)
        latency = self.device["l2Latency"]
        if work.kinds["load"]:  # a block waits for what it loads before it computes
            alone = max(self.busy(work, 1).values())
            terms["latency"] = latency + WAIT + (alone if work.kinds["barrier"] else 0)
        elif work.kinds["copy"]:
            terms["latency"] = latency / max(1, self.kernel.pending + 1) + BARRIER
        elif work.kinds["barrier"]:
            terms["latency"] = BARRIER
        return max(terms.items(), key=lambda term: term[1])

    def cycles(self):
        """{term: cycles}, the sum of which is the time of the wave."""
        kernel = self.kernel
        result = collections.Counter({"fill": self.device["memoryLatency"]})
        straight = dataclasses.replace(kernel.straight, loaded=kernel.straight_loaded(), stored=0)
        term, cycles = max(self.busy(straight, self.count).items(), key=lambda term: term[1])
        result[term] += cycles
        result["latency"] += BARRIER * straight.kinds["barrier"]
        for loop in kernel.loops:
            term, cycles = self.iteration(loop.work)
            result[term] += loop.trips * cycles
        stored = self.count * kernel.warps * kernel.straight.stored
        result["epilogue"] += EPILOGUE + stored / STORED_CYCLE_BYTES
        return result


def predict(kernel, device, stays=False):
    """The prediction for a launch, or None if the GPU cannot run it; `stays` if its data are in the second-level cache."""
    resident = resident_blocks(kernel, device)
    if resident == 0:
        return None
    processors, total = device["processors"], collections.Counter()
    full, rest = divmod(kernel.blocks, processors * resident)
    for times, count in ((full, resident), (1 if rest else 0, math.ceil(rest / processors))):
        if times:
            for term, cycles in Wave(kernel, device, count).cycles().items():
                total[term] += times * cycles
    microseconds = sum(total.values()) / device["megahertz"]
    memory = 0 if stays else kernel.bytes / (device["memoryMegabytes"] * SHARES["memory"])
    binding = "memory" if memory > microseconds else max(total, key=total.get)
    return Prediction(max(microseconds, memory), device["launchNanoseconds"] / 1000, binding, resident)


def roofline(operations, moved, device, peak):
    """Microseconds that no kernel can beat: operations at the peak rate (a second), or bytes at memory's, and a launch."""
    return max(operations / peak * 1e6, moved / device["memoryMegabytes"]) + device["launchNanoseconds"] / 1000
