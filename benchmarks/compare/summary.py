"""Figures from samples: medians, quartiles, means of ratios, and which rounds count."""

import dataclasses
import math
from typing import Dict, List, Optional

#: a block with more than this was disturbed: CPUs that others kept busy, and shares of the block's time
MOST_FOREIGN, MOST_DELAY, MOST_STEAL = 0.1, 0.02, 0.02


def quantile(values, share):
    """Between the two nearest samples, in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def geomean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def disturbance(block):
    """How far beyond what is allowed; at most 1 is quiet."""
    return max(block["foreign"] / MOST_FOREIGN, block["delay"] / MOST_DELAY, block["steal"] / MOST_STEAL)


def round_disturbance(blocks: Dict[str, dict]):
    return max(map(disturbance, blocks.values()))


def quietest(rounds: List[Dict[str, dict]], wanted: int):
    """The rounds that count, in the order in which they were taken."""
    order = sorted(range(len(rounds)), key=lambda i: (max(1.0, round_disturbance(rounds[i])), i))
    return [rounds[i] for i in sorted(order[:wanted])]


@dataclasses.dataclass(frozen=True)
class Figure:
    """What one system took, in milliseconds."""

    median: float
    low: float  # first quartile
    high: float  # third quartile
    #: the median by the other clock
    other: float

    @property
    def spread(self):
        return (self.high - self.low) / self.median


def headline(threads):
    """The clock that figures are taken from: at one thread the CPU's, which others on the machine hardly
    touch; at more the wall's, for waiting for each other is part of the work."""
    return "cpu" if threads == 1 else "wall"


def figure(rounds, label, threads) -> Optional[Figure]:
    blocks = [blocks[label] for blocks in rounds if label in blocks]
    if not blocks:
        return None
    clock = headline(threads)
    other = "wall" if clock == "cpu" else "cpu"
    times = [t for block in blocks for t in block[clock]]
    return Figure(quantile(times, 0.5), quantile(times, 0.25), quantile(times, 0.75),
                  quantile([t for block in blocks for t in block[other]], 0.5))


def share_of_roof(flops, milliseconds, roof):
    """Of the roof in GFLOP/s; None where operations or roof are not known."""
    return flops / milliseconds / 1e6 / roof if flops and roof else None
