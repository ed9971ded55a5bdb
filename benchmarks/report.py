"""RESULTS.md and its charts, from the JSON files of the parts (bench.py report)."""

import json
import os

from compare import chart, summary, tables

TITLES = {"models": "Whole models", "operators": "Operators", "drawn": "Drawn operators", "gemm": "Matrix products",
          "unseen": "Unseen models", "starts": "Starts"}
CHARTS = "charts"
#: parts whose chart has a point for each group instead of each case
GROUPED = {"operators", "drawn", "gemm"}
SETS = {"native": "all of the machine's instructions", "v3": "x86-64-v3 (AVX2)"}
HOW = """A time is the median of calls of blocks that alternate between the systems; at one thread it is the
calling thread's CPU time, at more it is wall time, and the other clock stands beside it. A ratio is
the other's time over TSSA's on the same form of the model (sizes open or fixed), and for TSSA's own
other form over its first: above 1, the latter is faster. `of roof` counts the operations of contractions
against the multiply-adds that this machine reaches in the same minutes. A case marked ~ was disturbed
by other work on the machine in all its repetitions: read it with care."""


def machine_lines(machine):
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [f"{machine['cpu']} ({', '.join(machine['vectors'])}), {machine['cpus']} CPUs, "
             f"{machine['memory_gib']} GiB, Linux {machine['kernel']}, {machine['date']}, TSSA {machine['commit']}; {versions}."]
    if machine["missing"]:
        lines.append(f"Not installed: {', '.join(machine['missing'])}.")
    if machine["quick"]:
        lines.append("Taken with --quick: few cases, short blocks.")
    return "\n".join(lines)


def parts_of(rows):
    """(instruction set, threads, rows), each once."""
    for key in dict.fromkeys((row["isa"], row["threads"]) for row in rows):
        yield *key, [row for row in rows if (row["isa"], row["threads"]) == key]


def chart_rows(part, rows):
    if part not in GROUPED:
        return [(row["case"], tables.ratios_of(row)) for row in rows]
    result = []
    for group in dict.fromkeys(row["group"] for row in rows):
        gathered = {}
        for row in rows:
            if row["group"] == group:
                for label, ratio in tables.ratios_of(row).items():
                    gathered.setdefault(label, []).append(ratio)
        result.append((group, {label: summary.geomean(ratios) for label, ratios in gathered.items()}))
    return result


def section(part, results, to):
    lines = [f"## {TITLES[part]}", "", machine_lines(results["machine"]), ""]
    rows = [row for row in results["rows"] if row["ways"]]
    for isa, threads, chosen in parts_of(rows):
        count = f"{threads} thread" + ("s" if threads > 1 else "")
        lines += [f"### {SETS[isa]}, {count}", ""]
        if all(tables.is_disturbed(row) for row in chosen):
            lines += ["The machine was not quiet in any of these rows.", ""]
        drawn = [row for row in chart_rows(part, chosen) if row[1]]
        if drawn:
            name = os.path.join(CHARTS, f"{part}-{isa}-{threads}.svg")
            with open(os.path.join(to, name), "w") as file:
                file.write(chart.draw(f"{TITLES[part]}, {SETS[isa]}, {count}", drawn))
            lines += [f"![ratios]({name})", ""]
        if part in ("operators", "drawn"):
            lines += [tables.families(chosen), ""]
        lines += [tables.latency(chosen), ""]
    lines += ["### Compilation and errors", "", tables.checks(rows), ""]
    said = tables.complaints(rows)
    if said:
        lines += ["Of the others:", "", *(f"- {line}" for line in said), ""]
    return lines


def write(folder, to):
    """Writes the report of the results in `folder` to another; gives 1 where a promise is broken."""
    os.makedirs(os.path.join(to, CHARTS), exist_ok=True)
    paths = {part: os.path.join(folder, part + ".json") for part in TITLES}
    paths = {part: path for part, path in paths.items() if os.path.exists(path)}
    if not paths:
        raise SystemExit(f"there are no results in {folder}")
    found = {}
    for part, path in paths.items():
        with open(path) as file:
            found[part] = json.load(file)
    tagged = [((TITLES[part], isa, threads), rows) for part, results in found.items()
              for isa, threads, rows in parts_of(results.get("rows", []))]
    lines = ["# Results", "", "Written by `bench.py report`; the README beside it says how to repeat it.", "", HOW, ""]
    if tagged:
        lines += ["## Summary", "", tables.totals(tagged), ""]
    broken = False
    for part, results in found.items():
        if part == "starts":
            lines += [f"## {TITLES[part]}", "", machine_lines(results["machine"]), "",
                      tables.starts(results["chains"]), ""]
            continue
        lines += section(part, results, to)
        broken |= any(tables.verdict(row, label) != "ok" for row in results["rows"]
                      for label, way in row["ways"].items() if "compile_seconds" in way)
    path = os.path.join(to, "RESULTS.md")
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
    print(path)
    return 1 if broken else 0
