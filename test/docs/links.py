"""Checks that every relative link and every script named in the Markdown pages exists.

usage: links.py ROOT
"""

import os
import re
import sys


def targets(text):
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in link and not link.startswith("mailto:"):
            yield link, False
    for script in re.findall(r"(?<![\w/.])\./(scripts/[\w-]+)", text):
        yield script, True


def pages(root):
    for here, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("build", "third_party", "Inputs") and name[0] != "."]
        yield from (os.path.join(here, name) for name in files if name.endswith(".md"))


def main():
    root = sys.argv[1]
    missing = 0
    for page in sorted(pages(root)):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for target, from_root in targets(text):
            if not os.path.exists(os.path.join(root if from_root else os.path.dirname(page), target)):
                print(f"{os.path.relpath(page, root)}: {target} does not exist")
                missing += 1
    return 1 if missing else 0


sys.exit(main())
