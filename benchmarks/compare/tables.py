"""Markdown tables from rows of results."""

from compare import summary

#: what the project promises of a compilation and its result
MOST_ERROR, MOST_COMPILE_SECONDS, MOST_RATIO = 1e-3, 60, 5
DISTURBED = "~"


def markdown(head, rows):
    cells = [[str(cell).replace("|", "/") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells])


def ours_of(row):
    """The way that others are compared with: this build's first."""
    return next(iter(row["ways"]))


def figures_of(row):
    figures = {label: summary.figure(row["rounds"], label, row["threads"]) for label in row["ways"]}
    return {label: figure for label, figure in figures.items() if figure}


def counterpart(row, label):
    """The way of this build that a way is compared with: of the same form where there is one, else the first; this
    build's other forms are compared with its first."""
    first = ours_of(row)
    system, ours = row["ways"][label]["system"], row["ways"][first]["system"]
    same = ours + label.removeprefix(system)
    return same if same in row["ways"] and same != label else first


def ratios_of(row):
    """How many times as long each other way took as its counterpart."""
    figures = figures_of(row)
    pairs = {label: figures.get(counterpart(row, label)) for label in figures if label != ours_of(row)}
    return {label: figures[label].median / ours.median for label, ours in pairs.items() if ours}


def is_disturbed(row):
    return any(summary.round_disturbance(blocks) > 1 for blocks in row["rounds"])


def roof_of(row):
    return summary.quantile(row["roofs"], 0.5) if row["roofs"] else None


def digits(value):
    """Three digits that count, as times of microseconds and seconds stand in one column."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else (
        f"{value:.3f}" if value >= 0.1 else f"{value:.4f}" if value >= 0.001 else f"{value:.1e}")


def labels_of(rows):
    return list(dict.fromkeys(label for row in rows for label in row["ways"]))


def latency(rows):
    """One table for rows of one number of threads and one instruction set."""
    labels = labels_of(rows)
    ours, others = labels[0], labels[1:]
    other_clock = "wall" if summary.headline(rows[0]["threads"]) == "cpu" else "CPU"
    head = ["case", "GFLOP", f"{ours} ms", "quartiles", other_clock, "of roof",
            *(f"{label} (ratio)" for label in others)]
    body = []
    for row in rows:
        figures, ratios, roof = figures_of(row), ratios_of(row), roof_of(row)
        mine = figures.get(ours)
        cells = [row["case"] + (" " + DISTURBED if is_disturbed(row) else ""),
                 digits(row["flops"] / 1e9) if row["flops"] else ""]
        if mine:
            share = summary.share_of_roof(row["flops"], mine.median, roof)
            cells += [digits(mine.median), f"{digits(mine.low)}-{digits(mine.high)}", digits(mine.other),
                      f"{share:.0%}" if share else ""]
        else:
            cells += ["-", "", "", ""]
        for label in others:
            figure = figures.get(label)
            cells.append((digits(figure.median) + (f" ({ratios[label]:.2f})" if label in ratios else ""))
                         if figure else "-")
        body.append(cells)
    return markdown(head, body)


def totals(tagged):
    """Of each other way: geometric mean and worst of the ratios. `tagged`: [(cells that name the rows, rows)]."""
    head = ["part", "instructions", "threads", "against", "cases", "geomean", "worst", "where", "below 1"]
    body = []
    for tags, rows in tagged:
        found = {}
        for row in rows:
            for label, ratio in ratios_of(row).items():
                found.setdefault(label, []).append((ratio, row["case"]))
        for label, ratios in found.items():
            worst, where = min(ratios)
            body.append([*tags, label, len(ratios), f"{summary.geomean([r for r, _ in ratios]):.3f}", f"{worst:.2f}",
                         where, sum(r < 1 for r, _ in ratios)])
    return markdown(head, body)


def families(rows):
    """Geometric means of the ratios of each group."""
    labels = labels_of(rows)[1:]
    body = []
    for group in dict.fromkeys(row["group"] for row in rows):
        chosen = [ratios_of(row) for row in rows if row["group"] == group]
        cells = []
        for label in labels:
            ratios = [ratios[label] for ratios in chosen if label in ratios]
            cells.append(f"{summary.geomean(ratios):.2f} ({min(ratios):.2f})" if ratios else "-")
        body.append([group, len(chosen), *cells])
    return markdown(["group", "cases", *(f"{label} (worst)" for label in labels)], body)


def verdict(row, label):
    """What of the promises a way of this compiler breaks, in a few words."""
    way = row["ways"][label]
    if "failure" in way:
        return way["failure"]
    broken = []
    if not way["error"] <= MOST_ERROR:
        broken.append("wrong")
    if way["compile_seconds"] > MOST_COMPILE_SECONDS:
        broken.append("slow compile")
    if way["compile_anonymous"] > 3 * way["file_bytes"] + 500e6:
        broken.append("compile memory")
    if label == ours_of(row):
        broken += [f"slow beside {peer}" for peer, ratio in ratios_of(row).items() if ratio * MOST_RATIO < 1]
    return ", ".join(broken) or "ok"


def checks(rows):
    """Compilation and errors; each case once for each instruction set."""
    labels = labels_of(rows)
    ours = [label for label in labels if any("compile_seconds" in row["ways"].get(label, {}) for row in rows)]
    head = ["case", "ISA", "form", "MB", "kernels", "compile s", "peak anonymous MB", "error", "verdict"]
    body, seen = [], set()
    for row in rows:
        for label in ours:
            way = row["ways"].get(label)
            if not way or (row["case"], row["isa"], label) in seen:
                continue
            seen.add((row["case"], row["isa"], label))
            body.append([row["case"], row["isa"], label, f"{way['file_bytes'] / 1e6:.1f}", way.get("kernels", ""),
                         f"{way['compile_seconds']:.1f}", f"{way['compile_anonymous'] / 1e6:.0f}",
                         f"{way['error']:.1e}" if "error" in way else "", verdict(row, label)])
    return markdown(head, body)


def complaints(rows):
    """What peers could not do, and their errors where these are large; a line each."""
    lines = []
    for row in rows:
        for label, way in row["ways"].items():
            if "compile_seconds" in way:
                continue
            if "failure" in way:
                lines.append(f"{row['case']}: {way['failure']}")
            elif way["error"] > MOST_ERROR:
                lines.append(f"{row['case']}: {label} is off by {way['error']:.1e}")
    return list(dict.fromkeys(lines))


def starts(chains):
    """Medians of the starts: their quartiles, and the slowest beside the fastest."""
    head = ["chain", "system", "memory", "starts", "fastest ms", "median", "95 %", "slowest", "slowest / fastest"]
    body = []
    for chain, systems in chains.items():
        for system, places in systems.items():
            for place, blocks in places.items():
                medians = [summary.quantile(block["cpu"], 0.5) for block in blocks]
                if medians:
                    body.append([chain, system, place, len(medians), *(digits(summary.quantile(medians, q))
                                                                     for q in (0, 0.5, 0.95, 1)),
                                 f"{max(medians) / min(medians):.2f}"])
    return markdown(head, body)
