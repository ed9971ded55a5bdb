"""Operators for which nothing was tuned: drawn by a seeded rule, beside the ninety of operators.json.

The rule: kinds in turn (KINDS); sizes from the lists below by Python's random numbers of the seed; a draw of fewer than
2 or more than 400 million multiply-adds is drawn again. With pairs, every second operator is followed by what
pairs.FOLLOWERS has in turn, and in the next round of KINDS the others are; the sizes stay those of the seed.
"""

import math
import random

from subjects import operators, pairs

SEED, COUNT = 38, 30
KINDS = ["C2D", "C1D", "C3D", "DEP", "GRP", "DIL", "GMM", "T2D", "T3D", "C2D"]
CHANNELS = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
SPATIAL = {1: [50, 100, 200, 400, 800, 1600], 2: [7, 12, 14, 20, 28, 40, 56, 80, 112], 3: [4, 7, 8, 14, 16, 28]}
KERNELS = {1: [1, 3, 5, 7], 2: [1, 3, 5, 7], 3: [1, 3]}
MATRIX = [1, 8, 32, 64, 100, 128, 197, 256, 384, 512, 768, 1000, 1024, 2048]
LEAST, MOST = 2e6, 400e6


def draw(kind, chance):
    if kind == "GMM":
        return {size: chance.choice(MATRIX) for size in ("m", "k", "n")}
    rank = {"C1D": 1, "C3D": 3, "T3D": 3}.get(kind, 2)
    size = chance.choice(SPATIAL[rank])
    entry = {"batch": chance.choice([1, 1, 2, 4]), "channels": chance.choice(CHANNELS), "spatial": [size] * rank,
             "filters": chance.choice(CHANNELS)}
    if kind.startswith("T"):
        kernel, stride, pad, output_pad = chance.choice([(2, 2, 0, 0), (4, 2, 1, 0), (3, 2, 1, 1)])
        return {**entry, "kernel": [kernel] * rank, "stride": [stride] * rank, "pad": [pad] * rank,
                "output_pad": output_pad}
    kernel = chance.choice(KERNELS[rank] if kind != "DEP" and kind != "DIL" else KERNELS[rank][1:])
    dilation = chance.choice([2, 4]) if kind == "DIL" else 1
    stride = chance.choice([1, 1, 2])
    entry.update(kernel=[kernel] * rank, stride=[stride] * rank, pad=[dilation * (kernel // 2)] * rank)
    if kind == "DIL":
        entry.update(dilation=dilation, stride=[1] * rank)
    if kind == "DEP":
        entry.update(filters=entry["channels"], groups=entry["channels"])
    if kind == "GRP":
        entry.update(groups=chance.choice([2, 4, 8]))
    return entry


def count_multiply_adds(entry):
    if "m" in entry:
        return entry["m"] * entry["k"] * entry["n"]
    inputs = math.prod(entry["spatial"])
    positions = inputs if "output_pad" in entry else inputs / math.prod(entry["stride"])
    products = entry["channels"] * entry["filters"] / entry.get("groups", 1)
    return entry["batch"] * products * positions * math.prod(entry["kernel"])


def entries(seed, count):
    """Operators by kind and number; those of another seed than SEED also have the seed in their names."""
    chance = random.Random(seed)
    drawn = []
    while len(drawn) < count:
        kind = KINDS[len(drawn) % len(KINDS)]
        entry = draw(kind, chance)
        if LEAST <= count_multiply_adds(entry) <= MOST:
            drawn.append({"name": f"{kind}-X{len(drawn)}" + (f"-{seed}" if seed != SEED else ""), **entry})
    return drawn


def add_followers(drawn):
    chosen = [entry for i, entry in enumerate(drawn) if (i + i // len(KINDS)) % 2]
    for i, entry in enumerate(chosen):
        entry["follower"] = pairs.FOLLOWERS[i % len(pairs.FOLLOWERS)]
        entry["name"] = entry["name"].replace("-", f"+{entry['follower']}-", 1)


def cases(options, folder):
    drawn = entries(options.seed, options.count)
    if options.pairs:
        add_followers(drawn)
    return operators.make_cases(drawn, options, folder, pairs.nodes_of)
