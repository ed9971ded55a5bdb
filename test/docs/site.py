# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a page as the site shows it: links, and blank lines before lists.

usage: site.py ROOT PAGE

The site of the test has two pages: docs/guide/start.md, which is shown, and README.md as index.md.
"""

import os
import sys


def main():
    root, page = sys.argv[1:]
    sys.path.insert(0, os.path.join(root, "scripts", "site_pages"))
    from page_links import Links, add_blank_lines, read_title

    with open(page, encoding="utf-8") as file:
        text = file.read()
    pages = {"docs/guide/start.md": "guide/start.md", "README.md": "index.md", "docs/passes/index.md": "passes/index.md"}
    links = Links(root, "docs/guide/start.md", "guide/start.md", pages)
    print(add_blank_lines(links.rewrite(text)), end="")
    try:
        print(read_title(page))
    except ValueError as error:
        print(f"{os.path.basename(page)}: {str(error).partition(': ')[2]}")
    return 0


sys.exit(main())
