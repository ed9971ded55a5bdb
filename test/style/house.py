"""Checks that the tree keeps its own rules: includes point down, files say under which
licence they are, and each pass has a page. sizes.py checks that files stay small.

usage: house.py [ROOT]

A file's room is its folder: dialects/<name>/<part>, lib/<Room> together with
include/tssa/<Room>, or a folder of the root such as tools. Each room stands on
a floor; a file may include files of its own room and of rooms on lower floors.

Where sizes come from outside, their products are tssa::CheckedSize or
operators::Size. A plain product is only allowed when the line says why it fits:
`// in range: REASON`, on it or on the line before.

The attributes of a dialect are named in its IR only; others ask it for them.

A pass is declared in a .td file. Its description says what it needs, what it keeps
and what it gives up, and shows an example (test/docs/examples.py runs it).
"""

import os
import re
import sys

from tree import sources

# From the ground up; rooms of one line are neighbours and do not see each other.
FLOORS = [
    ["abi"],
    ["Support"],
    ["Algebra", "Search", "Runtime", "Externs"],
    ["IR"],
    ["Analysis"],
    ["Template", "Partition"],
    ["Transforms"],
    ["Builder"],
    ["Operators"],
    ["Import", "Conversion", "Reference"],
    # A target fills in what Conversion leaves open: the code of a tile.
    ["Target"],
    ["Pipeline"],
    ["Tuner"],
    ["tools", "CAPI", "python-bindings"],
    ["test", "benchmarks", "examples"],
]
# A dialect's Analysis and Transforms may look at dialects to its right here.
DIALECTS = ["tssa", "layout", "te"]
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# Rooms where sizes are checked, and what a plain product of them looks like. What has
# `*=` is an integer: neither of the two types of sizes has plain integers as results.
CHECKED_ROOMS = ("lib/Import/", "lib/Builder/", "lib/Operators/", "lib/Runtime/", "lib/Pipeline/", "dialects/te/Transforms/")
SIZE_WORD = r"\w*(?:[sS]hape|[dD]im|[sS]ize|[eE]xtent)s?"
PRODUCTS = [
    re.compile(r"getNumElements\(\) \*|\* [\w.]*(?:->)?getNumElements\(\)"),
    re.compile(r"\*= [^;]*\b" + SIZE_WORD + r"\b"),
    re.compile(r"std::multiplies"),
]
# Sizes are not operators::Size here, so an indexed one in a product is an integer.
INTEGER_ROOMS = ("lib/Runtime/", "lib/Pipeline/", "dialects/te/Transforms/")
INDEXED_PRODUCT = re.compile(r"\b" + SIZE_WORD + r"\[[^\]]*\] \*|\* [\w.]*\b" + SIZE_WORD + r"\[")
# The name of a dialect's attribute or op, as a string.
DIALECT_NAME = re.compile(r'"(?:te|tssa|layout)\.[a-z_]+"')
PASS = re.compile(r'^def \w+ : \w*Pass<"([\w-]+)"(.*?)(?=^def |\Z)', re.M | re.S)
PASS_BY_NAME = re.compile(r"get(?:Argument|Name)\(\) == \"[\w-]*-[\w-]*\"")
# What a pass's description has, and how it is written.
PASS_PAGE = {
    "what it needs": "- **Needs**: ",
    "what it keeps": "- **Keeps**: ",
    "what it gives up": "- **Gives up**: ",
    "an example": "\n    // After\n",
}

floor_of = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(path):
    """The (dialect or None, room) of a path relative to the root, None if it has none."""
    parts = path.split("/")
    if parts[0] == "dialects" and len(parts) > 3:
        return parts[1], parts[2]
    if parts[0] == "lib" and len(parts) > 2:
        return None, parts[1]
    if parts[:2] == ["include", "tssa"] or parts[0] == "tssa":
        rest = parts[parts.index("tssa") + 1 :]
        if len(rest) > 1:
            return None, rest[0]
        return None, "abi" if rest[0] == "abi.h" else "Runtime"
    return (None, parts[0]) if parts[0] in floor_of else None


def complaint(user, used):
    """Why a file of the room `user` may not include one of `used`, or None."""
    (user_dialect, user_room), (used_dialect, used_room) = user, used
    for room in (user_room, used_room):
        if room not in floor_of:
            return f"the room {room} stands on no floor"
    if user == used:
        return None
    if user_dialect and used_dialect and user_dialect != used_dialect:
        if user_room in ("IR", "Algebra"):
            return f"the {user_room} of a dialect never includes another dialect"
        if DIALECTS.index(user_dialect) > DIALECTS.index(used_dialect):
            return f"{user_dialect} may not look at {used_dialect}"
    if floor_of[used_room] >= floor_of[user_room]:
        return f"{user_room} may not include {used_room}"
    return None


def unchecked_products(path, lines):
    """The numbers of lines that multiply sizes without a word on why that fits."""
    patterns = PRODUCTS + ([INDEXED_PRODUCT] if path.startswith(INTEGER_ROOMS) else [])
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if any(pattern.search(code) for pattern in patterns):
            if not any("// in range:" in near for near in lines[max(0, number - 2):number]):
                yield number


def dialect_names(path, lines):
    """The numbers of lines outside of an IR that name an attribute or op of a dialect in a string."""
    # In python-bindings such a string is a module of the package.
    if (room_of(path) or (None, ""))[1] in ("IR", "test", "python-bindings") or path.endswith(".td"):
        return
    for number, line in enumerate(lines, 1):
        if DIALECT_NAME.search(line):
            yield number


def incomplete_passes(text):
    """The line of each pass whose page lacks something, its name and what it lacks."""
    for match in PASS.finditer(text):
        description = re.search(r"let description = \[\{(.*?)\}\]", match[2], re.S)
        for what, mark in PASS_PAGE.items():
            if not description or mark not in description[1]:
                yield text.count("\n", 0, match.start()) + 1, match[1], what


def check(root):
    problems = []
    seen = 0
    for path in sources(root):
        seen += 1
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if not any(LICENSE in line for line in lines[:8]):
            problems.append(f"{path}: has no licence line at its head")
        if path.startswith(CHECKED_ROOMS):
            for number in unchecked_products(path, lines):
                problems.append(f"{path}:{number}: multiplies sizes unchecked: use tssa::CheckedSize")
        for number in dialect_names(path, lines):
            problems.append(f"{path}:{number}: names an attribute or op of a dialect in a string: ask its IR")
        for number, name, what in incomplete_passes("\n".join(lines)) if path.endswith(".td") else ():
            problems.append(f"{path}:{number}: the description of {name} lacks {what}")
        for number, line in enumerate(lines, 1):
            if "PassWrapper<" in line and not path.startswith("test/"):
                problems.append(f"{path}:{number}: declares a pass outside of a .td file")
            if PASS_BY_NAME.search(line):
                problems.append(f"{path}:{number}: finds a pass by its name")
        user = room_of(path)
        if user is None:
            problems.append(f"{path}: lies in no room")
            continue
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*(?:#\s*)?include\s+[<"]([^">]+)[">]', line)
            if not match:
                continue
            if match[1].startswith("../"):
                problems.append(f"{path}:{number}: includes '{match[1]}': write the whole path")
            used = room_of(match[1]) if match[1].startswith(("dialects/", "tssa/", "lib/")) else None
            why = complaint(user, used) if used else None
            if why:
                problems.append(f"{path}:{number}: includes '{match[1]}': {why}")
    return problems, seen


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + "/../.."
    problems, seen = check(root)
    for problem in problems:
        print(problem)
    print(f"{seen} files, {len(problems)} problems")
    return 1 if problems or not seen else 0


sys.exit(main())
