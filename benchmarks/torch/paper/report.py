# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""RESULTS.md and its charts, from the JSON files of the parts (figures.py report)."""

import json
import os

from compare import chart, summary
from compare.tables import digits, markdown
from paper import ways as all_ways

CHARTS = "charts"
TITLES = {"speed": "Speed (Figure 5)", "kernels": "Kernel launches (Figure 6)", "batch": "Batches (Figure 7)",
          "sequence": "Sequences (Figure 8)", "ablation": "Ablation"}
OURS = "tssa"
#: of the axes of charts that show something else than other ways' times
CAPTIONS = {"kernels": "times as many launches as TSSA's (right of 1: TSSA launches fewer)",
            "ablation": "times as long as with everything switched on (right of 1: it makes TSSA faster)"}
HOW = """A time is in ms, the median of blocks of calls that alternate between the ways in one process, and behind a
slash the least of all calls. At one thread it is the thread's CPU time, at more it is wall time. In parentheses
stands how many times as long as TSSA's default that is, by medians: above 1, TSSA is faster. The best other is the
fastest of eager PyTorch, TorchScript (`script`) and torch.compile (`inductor`). `tssa` fixes the sizes of the first
call, `tssa open` is dynamic=True. Each way's results agree with eager mode's within 1e-3 before it is timed; a way
without a time says why."""
DIFFERENCES = """What differs from the paper (TensorSSA, DAC 2024):

- The paper measures NVIDIA GPUs (a 1660 Ti and an RTX 3090) with PyTorch 2.0; here it is a CPU. A launch costs a GPU
  microseconds, so that fewer kernels are faster in themselves; here a launch costs less than one, and what counts is
  that data stay in registers and caches.
- The paper's others are TorchScript with nvFuser and with NNC, and TorchInductor. TorchScript fuses nothing on a CPU
  by default, so it stands here once.
- The paper's times are those of whole models, whose networks TensorRT runs; here only the programs are measured.
- The programs are written after the paper's description, for the sizes of their networks. They are not the paper's
  code. seq2seq_greedy gets an end token that never comes, so that it does as many steps as the sequence is long.
- The paper gives the values of its bars only in drawings. What its text says stands in the tables below."""
#: what the paper's text says of how a program's lead changes with the batch
PAPER_BATCH = {"ssd_decode": "grows", "fcos_post": "grows", "seq2seq_greedy": "grows", "yolov3_decode": "falls",
               "yolact_mask": "falls", "attention_cache": "falls"}
PAPER_BEST, PAPER_MEAN = 1.79, 1.34


def figure_of(row, label):
    found = row["ways"].get(label, {})
    return found if "median" in found else None


def ratios_of(row):
    """How many times as long as TSSA's each other way took."""
    ours = figure_of(row, OURS)
    others = {label: figure_of(row, label) for label in row["ways"] if label != OURS}
    return {label: figure["median"] / ours["median"] for label, figure in others.items() if figure} if ours else {}


def best_other(row):
    """(ratio, label) of the fastest way that is not this compiler's, or nothing."""
    return min(((ratio, label) for label, ratio in ratios_of(row).items() if not all_ways.is_ours(label)), default=None)


def labels_of(rows):
    return list(dict.fromkeys(label for row in rows for label in row["ways"]))


def case_of(row, part):
    return row["program"] + {"batch": f", {row['batch']}", "sequence": f", {row['seq']}"}.get(part, "")


def time_cell(row, label):
    figure = figure_of(row, label)
    if not figure:
        return row["ways"].get(label, {}).get("failure", "")
    ratio = ratios_of(row).get(label)
    return f"{digits(figure['median'])} / {digits(figure['min'])}" + (f" ({ratio:.2f})" if ratio else "")


def mean(ratios):
    return f"{summary.geomean(ratios):.2f}" if ratios else "-"


def times(part, rows):
    """One row for each program and size, and the geometric means below."""
    labels = labels_of(rows)
    rivals = any(best_other(row) for row in rows)
    body = []
    for row in rows:
        best = best_other(row)
        body.append([case_of(row, part), *(time_cell(row, label) for label in labels),
                     *([f"{best[0]:.2f} ({best[1]})" if best else "-"] if rivals else [])])
    last = [mean([ratios_of(row)[label] for row in rows if label in ratios_of(row)]) for label in labels]
    bests = [best_other(row)[0] for row in rows if best_other(row)]
    body.append(["geometric mean of ratios", *("" if label == OURS else cell for label, cell in zip(labels, last)),
                 *([mean(bests)] if rivals else [])])
    return markdown(["program", *labels, *(["best other"] if rivals else [])], body)


def bounds_table(results):
    rates, body = results["rates"], []
    for row in results["rows"]:
        bound, ours = row["bound"], figure_of(row, OURS)
        least = max(bound["bytes_ms"], bound["operations_ms"])
        body.append([row["program"], digits(bound["bytes"] / 1e6), digits(bound["operations"] / 1e6),
                     digits(bound["bytes_ms"]), digits(bound["operations_ms"]), digits(ours["median"]) if ours else "-",
                     f"{least / ours['median']:.0%}" if ours else "-"])
    words = ("What a program must move and do is written in paper/bounds.py; the larger of both times is its bound. "
             "Rates are those of simple loops at one thread: torch's copies and dot products of data of the size that "
             "the program uses again and again, and a matrix product of 512 x 512 x 512 "
             f"({rates['operations'] / 1e9:.0f} GFLOP/s). "
             "Operations that are no products reach less than that.")
    table = markdown(["MB of data", "copy, GB/s read and written", "dot product, GB/s read"],
                     [[digits(size["bytes"] / 1e6), digits(size["copy"] / 1e9), digits(size["read"] / 1e9)]
                      for size in rates["sizes"]])
    head = ["program", "MB", "million operations", "ms by bytes", "ms by operations", "tssa ms", "bound / tssa"]
    return [words, "", markdown(head, body), "", table, ""]


def compare_speed(rows):
    bests = [(best_other(row)[0], row["program"]) for row in rows if best_other(row)]
    if not bests:
        return []
    largest = max(bests)
    return [markdown(["beside the best other", "paper, GPU", "here, CPU"],
                     [["largest ratio", PAPER_BEST, f"{largest[0]:.2f} ({largest[1]})"],
                      ["mean", PAPER_MEAN, mean([ratio for ratio, _ in bests])],
                      ["least ratio", "above 1", f"{min(bests)[0]:.2f} ({min(bests)[1]})"]]), ""]


def change(rows):
    """The lead over the best other at the first and the last size."""
    leads = [best_other(row)[0] for row in rows if best_other(row)]
    if len(leads) < 2:
        return ["-", "-", "-"]
    word = "grows" if leads[-1] > 1.05 * leads[0] else "falls" if leads[-1] < leads[0] / 1.05 else "stays"
    return [f"{leads[0]:.2f}", f"{leads[-1]:.2f}", word]


def by_program(rows):
    return {name: [row for row in rows if row["program"] == name]
            for name in dict.fromkeys(row["program"] for row in rows)}


def compare_batches(rows):
    body = [[name, PAPER_BATCH.get(name, "not said"), *change(chosen)] for name, chosen in by_program(rows).items()]
    return ["How the lead over the best other changes from the least batch to the largest:", "",
            markdown(["program", "paper, GPU", "least batch", "largest batch", "here, CPU"], body), ""]


def compare_sequences(rows):
    body = []
    for name, chosen in by_program(rows).items():
        steps = [digits(figure_of(row, OURS)["median"] * 1e3 / row["seq"]) if figure_of(row, OURS) else "-"
                 for row in chosen]
        least = min((best_other(row)[0] for row in chosen if best_other(row)), default=None)
        body.append([name, ", ".join(steps), f"{least:.2f}" if least else "-"])
    return ["In the paper, TensorSSA's time grows linearly with the length, and is always below the others'. Here:", "",
            markdown(["program", "µs for each step, from the shortest to the longest",
                      "least lead over the best other"], body), "",
            f"Inductor unrolls these loops and is left out beyond {all_ways.LONGEST_UNROLLED} steps, where it compiles "
            "for minutes. The work of a step of seq2seq_greedy and attention_cache grows with the length.", ""]


def kernel_cell(row, label):
    found = row["ways"].get(label, {})
    if "launches" not in found:
        return found.get("failure", "")
    kernels = found.get("kernels")
    return str(found["launches"]) + (f" ({kernels})" if kernels not in (None, found["launches"]) else "")


def kernels_table(rows):
    labels = labels_of(rows)
    body = [[row["program"], *(kernel_cell(row, label) for label in labels)] for row in rows]
    return [markdown(["program", *labels], body), "",
            "Launches of a call; in parentheses the different kernels of TSSA, and those that Inductor generated. "
            "TSSA's are counted by tssa-run. Those of eager mode and TorchScript are ATen operators that compute or "
            "copy. Inductor's are its generated loop nests, each counted once, and the ATen operators that it "
            "calls: a loop that it does not compile launches eager mode's.", "",
            "The paper says that TensorSSA launches far fewer kernels than the others in most cases, and for NASRNN "
            "and seq2seq not fewer than Inductor.", ""]


def launch_ratios(row):
    ours = row["ways"].get(OURS, {}).get("launches")
    return {label: found["launches"] / ours for label, found in row["ways"].items()
            if label != OURS and "launches" in found} if ours else {}


def ablation_words():
    return ["Ratios say how many times as long a call takes without a transformation. `open sizes` is dynamic=True: "
            f"sizes are not fixed at the first call. `{all_ways.NOT_OFFERED}`: the compiler has no such option.", "",
            markdown(["transformation", "what it does"], list(all_ways.TRANSFORMATIONS.items())), ""]


def machine_lines(machine):
    threads, rounds = (f"{machine[what]} {what if machine[what] > 1 else what[:-1]}" for what in ("threads", "rounds"))
    return (f"{machine['cpu']} ({', '.join(machine['vectors'])}), {machine['cpus']} CPUs, {machine['memory_gib']} GiB, "
            f"{threads}, {rounds}, torch {machine['torch']}, TSSA {machine['commit']} "
            f"(tssa-compile {machine['compiler']}), {machine['date']}.")


def section(part, results, to):
    rows = results["rows"]
    lines = [f"## {TITLES[part]}", "", machine_lines(results["machine"]), ""]
    ratios = launch_ratios if part == "kernels" else ratios_of
    drawn = [(case_of(row, part), ratios(row)) for row in rows if ratios(row)]
    if drawn:
        name = os.path.join(CHARTS, f"{part}.svg")
        with open(os.path.join(to, name), "w") as file:
            file.write(chart.draw(TITLES[part], drawn, CAPTIONS.get(part, chart.TIMES)))
        lines += [f"![ratios]({name})", ""]
    if part == "kernels":
        return lines + kernels_table(rows)
    lines += [times(part, rows), ""]
    if part == "speed":
        return lines + compare_speed(rows) + ["### Bounds", "", *bounds_table(results)]
    return lines + {"batch": compare_batches, "sequence": compare_sequences,
                    "ablation": lambda _: ablation_words()}[part](rows)


def write(folder, to):
    """Writes the report of the results in `folder` to another; gives 1 where a way of TSSA is wrong."""
    paths = {part: os.path.join(folder, part + ".json") for part in TITLES}
    paths = {part: path for part, path in paths.items() if os.path.exists(path)}
    if not paths:
        raise SystemExit(f"there are no results in {folder}")
    os.makedirs(os.path.join(to, CHARTS), exist_ok=True)
    lines = ["# Imperative PyTorch programs", "",
             "Written by `figures.py report`; the README of the folder above says how to repeat it.", "",
             HOW, "", DIFFERENCES, ""]
    wrong = False
    for part, path in paths.items():
        with open(path) as file:
            results = json.load(file)
        lines += section(part, results, to)
        wrong |= any(found.get("failure", "").startswith("wrong") for row in results["rows"]
                     for label, found in row["ways"].items() if all_ways.is_ours(label))
    path = os.path.join(to, "RESULTS.md")
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
    print(path)
    return 1 if wrong else 0
