# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the site changes in a page that is written for the repository: its links, and what Python-Markdown reads otherwise."""

import os
import posixpath
import re

FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ \t]*$", re.M | re.S)
# A link, whose text may hold code, or code, which holds no links.
LINK_OR_CODE = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)|(`+)(?:(?!\3).)*\3", re.S)
ITEM = re.compile(r"(?:[-*] |\d+\. )")


def read_title(path):
    """The first heading of a page. Raises ValueError if it has none."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# "):
                return line[2:].strip()
    raise ValueError(f"{path}: expected a line that begins with '# '")


def edit_prose(markdown, edit):
    """The page with edit(TEXT) in place of each part outside of fenced blocks."""
    parts, end = [], 0
    for block in FENCED.finditer(markdown):
        parts += [edit(markdown[end:block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, edit(markdown[end:])])


def add_blank_lines(markdown):
    """The page with a blank line before each list: without, Python-Markdown reads it as part of the paragraph before it."""
    def edit(text):
        lines = []
        for line in text.split("\n"):
            before = lines[-1] if lines else ""
            if ITEM.match(line) and before.strip() and not before.startswith(" ") and not ITEM.match(before):
                lines.append("")
            lines.append(line)
        return "\n".join(lines)
    return edit_prose(markdown, edit)


class Links:
    """The links of one page.

    root: the repository. origin: the path of the page in it. name: its path in the site. pages: the paths in the site of
    all files, by their paths in the repository.
    """

    def __init__(self, root, origin, name, pages):
        self.root, self.folder, self.site_folder, self.pages = root, posixpath.dirname(origin), posixpath.dirname(name), pages

    def rewrite(self, markdown):
        """The page with links as the site needs them. A link that leads nowhere stays, so that MkDocs warns of it."""
        return edit_prose(markdown, lambda text: LINK_OR_CODE.sub(self.replace, text))

    def replace(self, match):
        text, target = match[1], match[2]
        if target is None or "://" in target or target.startswith(("#", "mailto:", "/")):
            return match[0]
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(self.folder, path))
        found = self.pages.get(path) or self.pages.get(f"{path}/index.md")
        if found:
            found = posixpath.relpath(found, self.site_folder or ".")
            return f"[{text}]({found}{'#' * bool(anchor)}{anchor})"
        return text if os.path.exists(os.path.join(self.root, path)) else match[0]
