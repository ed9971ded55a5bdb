"""Checks that files and functions are short enough to be read at once.

usage: sizes.py [ROOT]

The check reads what clang-format has laid out: a function ends at the first closing brace
that is indented as its first line is.
"""

import os
import re
import sys

from tree import sources

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
# What opens a brace that holds no function.
OTHER = re.compile(r"(namespace|struct|class|enum|union|extern|if|for|while|switch|else|do|return|case|default)\b|[}#/:]")
LAMBDA = re.compile(r"\[[^\]]*\]\(")


def find_head(lines, index):
    """The first line of the declaration whose brace opens on line `index`."""
    while index > 0 and (lines[index].lstrip().startswith(":") or lines[index - 1].endswith((",", "("))):
        index -= 1
    return index


def is_function(head):
    """Whether the declaration that begins with `head` is that of a function."""
    return not OTHER.match(head.lstrip()) and " = " not in head.split("(")[0] and not LAMBDA.search(head)


def find_functions(lines):
    """The number of the first line and the count of the lines of each function."""
    for index, line in enumerate(lines):
        if LAMBDA.search(line) or not line.endswith((") {", ") const {", ") override {", ") const override {")):
            continue
        begin = find_head(lines, index)
        indentation = len(lines[begin]) - len(lines[begin].lstrip())
        if indentation > 4 or not is_function(lines[begin]):
            continue
        closing = " " * indentation + "}"
        end = next((i for i in range(index, len(lines)) if lines[i].startswith(closing)), index)
        yield begin + 1, end - begin + 1


def check(root):
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) > MAX_FILE_LINES:
            yield f"{path}: {len(lines)} lines, at most {MAX_FILE_LINES} are allowed"
        for begin, count in find_functions(lines):
            if count > MAX_FUNCTION_LINES:
                yield f"{path}:{begin}: a function of {count} lines, at most {MAX_FUNCTION_LINES} are allowed"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + "/../.."
    problems = list(check(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
