# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads the pages of docs/guides: their blocks, with what hidden comments say about them."""

import dataclasses
import re

RUN = ("bash", "python")
WRITTEN = ("cmake", "cpp", "c", "mlir")
PART = re.compile(r"^<!-- (?P<key>[\w ]+): (?P<value>.*?) -->$|^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
KEYS = ("writes", "fails", "skipped without", "needs", "model")


@dataclasses.dataclass
class Block:
    """A fenced block. output: the text that it must print, None if the page does not show it."""

    line: int
    language: str
    text: str
    writes: str = None
    fails: str = None
    needed: str = None
    output: str = None


@dataclasses.dataclass
class Page:
    """needs: what all blocks need, "tssa" or None. model: names of the models that are made before."""

    needs: str
    models: list
    blocks: list


def read_page(path):
    """The Page at `path`. Raises ValueError where it breaks the rules of guides.py."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page, hints = Page(None, [], []), {}
    for part in PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["key"]:
            read_hint(page, hints, part["key"], part["value"], line)
        else:
            add_block(page, hints, line, part["language"], part["text"])
    if hints:
        raise ValueError(f"no block follows '{', '.join(hints)}'")
    return page


def read_hint(page, hints, key, value, line):
    if key not in KEYS:
        raise ValueError(f"line {line}: expected one of {', '.join(KEYS)}, got '{key}'")
    if key == "needs":
        if value != "tssa":
            raise ValueError(f"needs: expected tssa, got '{value}'")
        page.needs = value
    elif key == "model":
        page.models.append(value)
    else:
        hints[key] = value


def add_block(page, hints, line, language, text):
    if language == "text":
        if not page.blocks or page.blocks[-1].language not in RUN or page.blocks[-1].output is not None or hints:
            raise ValueError(f"line {line}: a block of text is what the block before it prints; there is none that runs")
        page.blocks[-1].output = text
        return
    block = Block(line, language, text, hints.pop("writes", None), hints.pop("fails", None), hints.pop("skipped without", None))
    if language not in RUN + WRITTEN:
        raise ValueError(f"line {line}: expected a block of {', '.join(RUN + WRITTEN)} or text, got '{language}'")
    if language in WRITTEN and not block.writes:
        raise ValueError(f"line {line}: a block of {language} needs '<!-- writes: FILE -->' before it")
    if block.writes and block.fails:
        raise ValueError(f"line {line}: a block that is written cannot fail")
    page.blocks.append(block)


def find_missing(output, expected):
    """The first part of `expected` between "..." that does not follow in `output`, None if all do. Spaces do not count."""
    output, at = " ".join(output.split()), 0
    parts = [" ".join(part.split()) for part in expected.split("...")]
    for index, part in enumerate(parts):
        found = output.find(part, at)
        if found < 0 or (index == 0 and found > 0):
            return part
        at = found + len(part)
    return None if not parts[-1] or at == len(output) else f"the end after '{parts[-1]}'"
