"""The section of devices.md that predict.py writes."""

import math
import re

from predictions import published

BEGIN = "<!-- predictions: predict.py writes what follows -->"
END = "<!-- end of predictions -->"
GPUS = {"sm_80": "A100 (sm_80)", "sm_90": "H100 (sm_90)"}

HOW = """Nothing here was measured on a device: no GPU was at hand. `predict.py` derives these times from facts of the compiled code:
blocks, threads, registers and shared memory from the artifact, the instructions of each loop from the machine code, their trips
from the PTX, and sectors and bank conflicts from the emulator. The numbers of the GPUs are those by which the compiler itself
chooses (`tssa-compile --emit=machine`).

```
python benchmarks/predict.py --bin build/release/bin --cuda-bin DIR --work FOLDER --to benchmarks/devices.md
```

A launch takes `start + sum over waves (fill + straight code + trips x iteration + epilogue)`, at least bytes / memory's rate. An
iteration takes as long as the scarcest of its resources. Of the rates, kernels get these shares: {shares}. They
were set before any comparison with published times. A model's time is the sum over its launches.

- **Binding** is the term that takes most of the time: `tensor` (matrix units), `float` (multiply-add units), `issue` (slots for
  instructions), `shared` (shared memory), `l2` (second-level cache), `latency` (of loads and barriers, not hidden), `fill` (first
  latency of each wave), `epilogue`, `memory`.
- **R** is the predicted time over the roofline: the larger of operations at the type's peak and compulsory bytes at memory's rate,
  plus one launch. The peak of f16 on an H100 is that of wgmma, which the compiler does not use.
- **C** is the predicted time over the published time of a rival at that shape. Rivals' times were taken on their machines.
- `*`: not emulated, since that takes too long; sectors are then whole and without reuse between lanes, and there are no bank
  conflicts.

Not modelled: clocks below their maximum, misses of the second-level cache, tails within a wave, the difference between a launch
and a graph's node, launches that overlap, latencies between instructions that depend on each other, and lanes that share what
they load from shared memory: 16 bytes a lane take four cycles in all cases, which may be too much where products run without
tensor cores. Data of a loop's launches that fit in the second-level cache are taken to stay in it."""


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def show(number):
    """Three digits."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def show_rivals(rivals, total):
    return ", ".join(f"{rival.name} {total / rival.microseconds:.2f}" for rival in rivals) or "-"


def kernel_row(result):
    if "failed" in result:
        return [result["title"], "-", "-", "-", f"none: {result['failed']}", "-", "-"]
    first = result["launches"][0]
    mark = "" if all(one["emulated"] for one in result["launches"]) else "*"
    tiles = f"{first['blocks']} x {first['threads']}, {first['registers']}, {first['shared_bytes'] / 1024:.0f}, {first['resident']}"
    more = f" ({len(result['launches'])} launches)" if len(result["launches"]) > 1 else ""
    return [result["title"] + mark + more, tiles, show(result["kernels"]), show(result["total"]), first["binding"],
            show(result["ratio"]), show_rivals(result["rivals"], result["total"])]


def kernels(results):
    heads = ["kernel", "blocks x threads, registers, KiB, resident", "us", "us with launch", "binding", "R", "C"]
    return results and table(heads, map(kernel_row, results))


def model_row(result):
    if "failed" in result:
        return [result["title"], "-", "-", "-", f"none: {result['failed']}", "-"]
    mark = "" if all(one["emulated"] for one in result["launches"]) else "*"
    count = sum(one["calls"] for one in result["launches"])
    return [result["title"] + mark, count, f"{result['kernels'] / 1e3:.2f}", f"{result['total'] / 1e3:.2f}",
            show(result["ratio"]), show_rivals(result["rivals"], result["total"])]


def models(results):
    return results and table(["model", "launches", "ms of kernels", "ms with launches", "R", "C"], map(model_row, results))


def costly(results, count=4):
    """The kernels that take most of each model's time."""
    rows = []
    for result in results:
        if "failed" in result:
            continue
        groups = {}
        for one in result["launches"]:
            groups.setdefault(one["kernel"], []).append(one)
        order = sorted(groups.items(), key=lambda group: -sum(one["calls"] * one["kernels"] for one in group[1]))
        for name, group in order[:count]:
            spent = sum(one["calls"] * one["kernels"] for one in group)
            rows.append([result["title"], f"`{name}`: {group[0]['node']}", sum(one["calls"] for one in group),
                         show(group[0]["kernels"]), f"{spent / result['kernels']:.0%}", group[0]["binding"], group[0]["blocks"]])
    return rows and table(["model", "kernel and its last node", "launches", "us each", "of the kernels' time", "binding", "blocks"], rows)


def summary(arch, what, found):
    """Geomean and worst R, and what is missing."""
    known = [one for one in found if "failed" not in one]
    if not known:
        return [f"{GPUS[arch]}: no times of {what}."]
    worst = max(known, key=lambda one: one["ratio"])
    ratios = [one["total"] / rival.microseconds for one in known for rival in one["rivals"]]
    lines = [f"{GPUS[arch]}: R has a geometric mean of {geomean([one['ratio'] for one in known]):.2f} over {len(known)} {what}; the "
             f"worst is {worst['ratio']:.1f}, {worst['title']}."]
    if ratios:
        lines += [f"C has one of {geomean(ratios):.2f} over {len(ratios)} comparisons."]
    lines += [f"{one['title']} has no prediction: {one['failed']}." for one in found if "failed" in one]
    for one in known:
        lines += [f"{one['title']}: `{name}` is left out of its time: {why}." for name, why in one["left_out"].items()]
    return ["\n".join(lines)]


def check(rows):
    """The model against the table of Triton's tutorial."""
    lines = table(["size", "published us", "predicted us", "ratio", "best tile"],
                  [[size, show(known), show(us), f"{us / known:.2f}", "x".join(map(str, (tile[0], tile[1], tile[4])))]
                   for size, known, us, tile in rows])
    return ["This compiler's code with the tiles of Triton's tutorial kernel, the best of eight for each size, on an A100, against the "
            f"times that the tutorial publishes; geometric mean {geomean([us / known for _, known, us, _ in rows]):.2f}. A test allows 0.85 to "
            "1.15, and from 0.75 on at 768, where the model is too fast.", "", *lines]


def write(results, checked, shares, commit):
    """The section; `results` are those of predict.py by GPU, `checked` the rows of tutorial.py."""
    lines = [BEGIN, "", "## Predicted times", "", HOW.format(shares=", ".join(f"{name} {share}" for name, share in shares.items())),
             "", f"At commit {commit}.", ""]
    for arch, parts in results.items():
        for what, found in parts.items():
            lines += [*summary(arch, what, found), ""]
    for arch, parts in results.items():
        lines += [f"### {GPUS[arch]}", "", *kernels(parts["kernels"]), "", *models(parts["models"]), "", *costly(parts["models"]), ""]
    lines += ["### How well the model does", "", *(check(checked) if checked else ["Not checked in this run."]), "", "Published times:", "",
              *(f"- [{name}]({link})" for name, link in published.SOURCES), "", END]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines))


def put(path, section):
    """Replaces the section between the markers in a page, or appends it."""
    with open(path) as file:
        text = file.read()
    if BEGIN in text:
        text = text[:text.index(BEGIN)] + section + text[text.index(END) + len(END):]
    else:
        text = text.rstrip() + "\n\n" + section + "\n"
    with open(path, "w") as file:
        file.write(text)
