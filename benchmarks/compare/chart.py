"""A chart as SVG: for each row a point per system at its ratio, on a logarithmic axis around 1."""

import math
from xml.sax.saxutils import escape

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#882255"]
TICKS = [0.1, 0.2, 0.33, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100]
ROW, LABELS, WIDTH, EDGE, RADIUS = 24, 190, 620, 24, 4.5
#: of the legend: its first line, from line to line, and from its last line to the rows
LEGEND, LINE, GAP = 46, 20, 28
TIMES = "times as long as TSSA takes (right of 1: TSSA is faster)"
#: points of a row stand this far below each other, so that equal ratios all show
STEP = 2.5


def axis(ratios):
    """The ticks from the last at most the least ratio to the first at least the largest."""
    low = max((t for t in TICKS if t <= min(ratios, default=1)), default=TICKS[0])
    high = min((t for t in TICKS if t >= max(ratios, default=1)), default=TICKS[-1])
    return [t for t in TICKS if min(low, 0.7) <= t <= max(high, 1.5)]


def text(x, y, words, anchor="start", size=12, colour="#222", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
            f'fill="{colour}">{escape(words)}</text>')


def legend(labels):
    """(parts, the height at which they end)."""
    parts, x, y = [], LABELS, LEGEND
    for rank, label in enumerate(labels):
        colour = COLOURS[rank % len(COLOURS)]
        width = 26 + 7.2 * len(label)
        if x + width > LABELS + WIDTH + EDGE:
            x, y = LABELS, y + LINE
        parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="{RADIUS}" fill="{colour}"/>')
        parts.append(text(x + 10, y + 4, label))
        x += width
    return parts, y


def draw(title, rows, caption=TIMES):
    """`rows`: [(name, {label: ratio})], from top to bottom; `caption`: of the axis; gives the text of the file."""
    labels = list(dict.fromkeys(label for _, ratios in rows for label in ratios))
    ticks = axis([ratio for _, ratios in rows for ratio in ratios.values()])
    span = math.log(ticks[-1] / ticks[0])

    def place(ratio):
        inside = min(max(ratio, ticks[0]), ticks[-1])
        return LABELS + WIDTH * math.log(inside / ticks[0]) / span

    described, end = legend(labels)
    top = end + GAP
    bottom = top + ROW * len(rows)
    width, height = LABELS + WIDTH + EDGE, bottom + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif">', f'<rect width="{width}" height="{height}" fill="white"/>',
             text(EDGE / 2, 24, title, size=15, weight="bold"), *described]
    for tick in ticks:
        bold = tick == 1
        parts.append(f'<line x1="{place(tick):.1f}" y1="{top - 6}" x2="{place(tick):.1f}" y2="{bottom}" '
                     f'stroke="{"#222" if bold else "#ddd"}"/>')
        parts.append(text(place(tick), bottom + 16, f"{tick:g}", "middle", 11, weight="bold" if bold else "normal"))
    parts.append(text(LABELS + WIDTH / 2, bottom + 34, caption, "middle", 11))
    for i, (name, ratios) in enumerate(rows):
        y = top + ROW * (i + 0.5)
        parts.append(f'<line x1="{LABELS}" y1="{y}" x2="{LABELS + WIDTH}" y2="{y}" stroke="#eee"/>')
        parts.append(text(LABELS - 10, y + 4, name, "end"))
        for label, ratio in ratios.items():
            rank = labels.index(label)
            colour, offset = COLOURS[rank % len(COLOURS)], STEP * (rank - (len(labels) - 1) / 2)
            parts.append(f'<circle cx="{place(ratio):.1f}" cy="{y + offset}" r="{RADIUS}" fill="{colour}" '
                         f'fill-opacity="0.85"><title>{escape(f"{name}, {label}: {ratio:.2f}")}</title></circle>')
    return "\n".join([*parts, "</svg>"]) + "\n"
