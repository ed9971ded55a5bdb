# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Pages of the site for headers: each declaration with its comment, in the order of the file.

A header is read as it is written here: a `///` comment and the declarations that follow it without a blank line are one
entry, `//===` lines enclose the titles of sections, and `\\file` begins the text of the page.
"""

import dataclasses
import re

RULE = "//==="
# Lines outside of declarations: those of the preprocessor but for constants, and what encloses all declarations.
SKIPPED = re.compile(r"#(?:if|ifdef|ifndef|else|endif|include)\b|#define (?:TSSA_API|\w+_HP?P?)\b"
                     r"|(?:extern \"C\"|namespace \w+) \{|}")
NAMES = re.compile(r"^typedef [^{;]*\(\*(\w+)\)|^} (\w+);|^typedef (?:struct|enum) \w+ (\w+);|^#define (\w+)"
                   r"|^(?:class|struct|enum) (\w+)(?! \w+;)|(\w+)\(", re.M)
PRIVATE = re.compile(r"^private:.*?^};", re.M | re.S)
# The head of a function with a body, up to its initialisers.
FUNCTION = re.compile(r"(.*?\)(?: const)?(?: noexcept)?)\s*(?::\s.*)?$", re.S)


@dataclasses.dataclass
class Entry:
    """Declarations with their comment; `section` is the title above them, "" for none."""

    section: str
    comment: str
    code: str

    def names(self):
        """What the declarations declare, without duplicates."""
        found = []
        for declaration in re.split(r"(?<=;)\n(?=\S)", self.code):
            match = NAMES.search(declaration)
            if match:
                found.append(next(filter(None, match.groups())))
        return list(dict.fromkeys(found))


def read_comment(lines, at):
    """The text of the `///` lines from `at` on, and the line after them."""
    text = []
    while at < len(lines) and lines[at].startswith("///"):
        text.append(lines[at][4:])
        at += 1
    return "\n".join(text), at


def read_code(lines, at):
    """The declarations from `at` up to a blank line or a comment outside of braces, and the line after them."""
    code, depth = [], 0
    while at < len(lines) and (depth or (lines[at].strip() and not lines[at].startswith("//"))):
        if depth or not SKIPPED.match(lines[at]):
            code.append(lines[at])
            depth += lines[at].count("{") - lines[at].count("}")
        at += 1
    return "\n".join(code).replace("TSSA_API ", ""), at


def read_header(path):
    """The text of the header's `\\file` comment, and its entries. Raises ValueError without such a comment."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if "/// \\file" not in lines:
        raise ValueError(f"{path}: expected a line '/// \\file'")
    at = lines.index("/// \\file")
    intro, at = read_comment(lines, at + 1)
    entries, section = [], ""
    while at < len(lines):
        if lines[at].startswith(RULE) and at + 2 < len(lines) and lines[at + 2].startswith(RULE):
            section, at = lines[at + 1].removeprefix("// "), at + 3
        elif not lines[at].strip() or (lines[at].startswith("//") and not lines[at].startswith("///")):
            at += 1
        else:
            comment, at = read_comment(lines, at)
            code, at = read_code(lines, at)
            if code:
                entries.append(Entry(section, comment, code))
    return intro, entries


def find_end(text, at):
    """The position after the brace that closes the one at `at`."""
    depth = 0
    for position in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise ValueError(f"no brace closes the one in '{text[:at + 1].splitlines()[-1]}'")


def drop_bodies(code):
    """C++ declarations without the bodies of functions, their lists of initialisers, and the private parts of classes.

    Raises ValueError if a body does not end.
    """
    code = PRIVATE.sub("};", code)
    kept, start = [], 0
    for brace in re.finditer(r"[{};]", code):
        if brace.start() < start:
            continue  # in a body that is left out
        head = FUNCTION.match(code[start:brace.start()]) if brace[0] == "{" else None
        if head:
            kept.append(head[1] + ";")
            start = find_end(code, brace.start())
        else:
            kept.append(code[start:brace.end()])
            start = brace.end()
    return re.sub(r"\n\n+};", "\n};", "".join([*kept, code[start:]]))


def write_page(title, intro, entries, level=2):
    """The page of a header, in Markdown."""
    lines, section = [f"# {title}", "", intro], ""
    for entry in entries:
        if entry.section != section:
            section = entry.section
            lines += ["", f"{'#' * level} {section}"]
        names = ", ".join(f"`{name}`" for name in entry.names())
        lines += ["", f"### {names}", "", "```cpp", entry.code, "```", "", entry.comment]
    return "\n".join(lines) + "\n"


def make_c_page(folder):
    """The page of tssa.h, with the types of abi.h that it uses."""
    intro, entries = read_header(f"{folder}/tssa.h")
    used = set(re.findall(r"\w+", "\n".join(entry.code for entry in entries)))
    types = [entry for entry in read_header(f"{folder}/abi.h")[1] if used & set(entry.names())]
    for entry in types:
        entry.section = "Types of tssa/abi.h"
    return write_page("C: tssa/tssa.h", intro, entries + types)


def make_cpp_page(folder):
    """The page of tssa.hpp."""
    intro, entries = read_header(f"{folder}/tssa.hpp")
    for entry in entries:
        entry.code = drop_bodies(entry.code)
        entry.section = "Namespace tssa"
    return write_page("C++: tssa/tssa.hpp", intro, entries)
