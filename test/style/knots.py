"""Checks that no large group of files can only be understood together.

usage: knots.py [ROOT]

A unit is a header and its source: `lib/Room/X.cpp` with `include/tssa/Room/X.h` or
`lib/Room/X.h`. A unit needs the units that its files include. Units that need each
other, directly or through others, form a knot.
"""

import os
import re
import sys
from collections import defaultdict

from tree import sources

MAX_UNITS = 3
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^">]+)[">]', re.MULTILINE)


def unit_of(path):
    """The name of the unit of a path relative to the root or to `include`."""
    path = os.path.splitext(path)[0].removeprefix("include/")
    return re.sub(r"^tssa/", "lib/", path)


def read_units(root):
    """From each unit to the set of the units that it includes."""
    included = defaultdict(set)
    for path in sources(root):
        unit = unit_of(path)
        included[unit].discard(unit)
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for name in INCLUDE.findall(file.read()):
                beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
                included[unit] |= {unit_of(name), unit_of(beside)} - {unit}
    return {unit: sorted(names & included.keys()) for unit, names in included.items()}


def find_reachable(units, start):
    reachable, pending = set(), [start]
    while pending:
        for unit in units[pending.pop()]:
            if unit not in reachable:
                reachable.add(unit)
                pending.append(unit)
    return reachable


def find_knots(units):
    """The sorted knots; a unit that no other unit needs back is in none."""
    reachable = {unit: find_reachable(units, unit) for unit in units}
    knots = set()
    for unit in units:
        knot = {other for other in reachable[unit] if unit in reachable[other]}
        if len(knot) > 1:
            knots.add(tuple(sorted(knot)))
    return sorted(knots)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + "/../.."
    units = read_units(root)
    knots = [knot for knot in find_knots(units) if len(knot) > MAX_UNITS]
    for knot in knots:
        print(f"{len(knot)} units include each other, at most {MAX_UNITS} may:")
        for unit in knot:
            print(f"  {unit} includes {', '.join(name for name in units[unit] if name in knot)}")
    print(f"{len(units)} units, {len(knots)} knots")
    return 1 if knots or not units else 0


if __name__ == "__main__":
    sys.exit(main())
