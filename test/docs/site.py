# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints what the site makes of a file.

usage: site.py ROOT links PAGE    its links, and the blank lines before lists
       site.py ROOT header FILE   the page of a header for C++
       site.py ROOT stub FILE     the page of a Python package

For `links`, the site has two pages and a folder: docs/guide/start.md, which is shown, README.md as index.md, and passes.
"""

import os
import sys


def show_links(root, page):
    from page_links import Links, add_blank_lines, read_title

    with open(page, encoding="utf-8") as file:
        text = file.read()
    pages = {"docs/guide/start.md": "guide/start.md", "README.md": "index.md", "docs/passes/index.md": "passes/index.md"}
    links = Links(root, "docs/guide/start.md", "guide/start.md", pages)
    print(add_blank_lines(links.rewrite(text)), end="")
    read_title(page)


def show_header(_, path):
    from headers import drop_bodies, read_header, write_page

    intro, entries = read_header(path)
    for entry in entries:
        entry.code = drop_bodies(entry.code)
    print(write_page("Header", intro, entries), end="")


def show_stub(_, path):
    from python_api import make_python_page

    print(make_python_page(path), end="")


def main():
    root, what, path = sys.argv[1:]
    sys.path.insert(0, os.path.join(root, "scripts", "site_pages"))
    try:
        {"links": show_links, "header": show_header, "stub": show_stub}[what](root, path)
    except ValueError as error:
        print(f"error: {str(error).replace(path, os.path.basename(path))}")
        return 1
    return 0


sys.exit(main())
