"""Checks that no lit test loses its directives unnoticed.

usage: directives.py [ROOT]
       directives.py [ROOT] --update [--because TEXT]

ROOT/test/style/directives.txt has a line for each lit test: the number of its RUN lines, of its
CHECK lines (of all prefixes that its RUN lines name, and the default) and of its expected-
diagnostics. A test that differs from the table fails. --update rewrites the table; it lowers a
number only with --because, which says what op, pass or form went, and is kept below the table.
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = "test/style/directives.txt"
KINDS = ("RUN", "CHECK", "expected-")
# The same as in test/lit.cfg.py.
SUFFIXES = (".mlir", ".test")
EXCLUDED = {"Inputs", "unit", "__pycache__"}

UPDATE = "python3 test/style/directives.py --update"
HEAD = f"""\
# The directives of each lit test: RUN, CHECK, expected-. Written by
# {UPDATE}
"""
PREFIXES = re.compile(r"-check-prefix(?:es)?[= ]([\w,-]+)")
EXPECTED = re.compile(r"expected-(?:error|warning|note|remark)\b")
FELL = "fell: "


def count(text):
    """The numbers of RUN lines, CHECK lines and expected diagnostics in a test."""
    prefixes = {"CHECK"}
    for names in PREFIXES.findall(text):
        prefixes.update(names.split(","))
    names = "|".join(re.escape(name) for name in sorted(prefixes, key=len, reverse=True))
    check = rf"(?<![\w-])(?:{names})(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?(?:\{{LITERAL\}})?:"
    runs = len(re.findall(r"(?<![\w-])RUN:", text))
    return runs, len(re.findall(check, text)), len(EXPECTED.findall(text))


def count_all(root):
    """The numbers of all lit tests, by path."""
    found = {}
    for here, folders, files in os.walk(os.path.join(root, "test")):
        folders[:] = set(folders) - EXCLUDED
        for name in files:
            if name.endswith(SUFFIXES):
                path = os.path.join(here, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    found[os.path.relpath(path, root)] = count(file.read())
    return found


def read_table(root):
    """The numbers by path, and the lines that say why numbers fell."""
    table, fell = {}, []
    if not os.path.exists(os.path.join(root, TABLE)):
        return table, fell
    with open(os.path.join(root, TABLE), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(FELL):
                fell.append(line)
            elif line and not line.startswith("#"):
                *numbers, path = line.split(maxsplit=3)
                table[path] = tuple(int(number) for number in numbers)
    return table, fell


def write_table(root, table, fell):
    lines = [f"{runs:4} {checks:4} {expected:4} {path}\n" for path, (runs, checks, expected) in sorted(table.items())]
    with open(os.path.join(root, TABLE), "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(lines) + "".join(f"{line}\n" for line in fell))


def find_losses(table, found):
    """A path and its old and new numbers for each test that has fewer directives than the table says."""
    for path, old in sorted(table.items()):
        new = found.get(path, (0, 0, 0))
        if any(after < before for before, after in zip(old, new)):
            yield path, old, new


def find_problems(table, found):
    """What fails, one line each; numbers that grew, too, so that the table stays exact."""
    grew = False
    for path in sorted({*table, *found}):
        if path not in found:
            yield f"{path}: is missing, the table has it"
            continue
        grew |= path not in table
        for kind, before, after in zip(KINDS, table.get(path, found[path]), found[path]):
            if after < before:
                yield f"{path}: {after} {kind} directives, the table says {before}"
            elif after > before:
                grew = True
                yield f"{path}: {after} {kind} directives, the table says only {before}"
        if path not in table:
            yield f"{path}: is not in the table"
    if grew:
        yield f"run {UPDATE}"


def update(root, because):
    """Rewrites the table. Returns what keeps it from being rewritten."""
    (table, fell), found = read_table(root), count_all(root)
    losses = list(find_losses(table, found))
    if losses and not because:
        return [*(f"{path}: {show(old)} -> {show(new)}" for path, old, new in losses),
                'numbers fall only with --because "WHICH OP, PASS OR FORM WENT"']
    if because and not losses:
        return ["no number falls: --because is not needed"]
    fell += [f"{FELL}{path} {show(old)} -> {show(new)}: {because}" for path, old, new in losses]
    write_table(root, found, fell)
    return []


def show(numbers):
    return "/".join(str(number) for number in numbers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--because")
    options = parser.parse_args()
    because = " ".join((options.because or "").split())
    if options.because is not None and not (options.update and because):
        parser.error("--because needs --update and a reason")
    if options.update:
        problems = update(options.root, because)
    else:
        problems = list(find_problems(read_table(options.root)[0], count_all(options.root)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
