"""Checks that the example of each pass is what the pass makes of it.

usage: examples.py ROOT TSSA_OPT [PASS...]

The pages of docs/passes hold for each pass a block with two parts, which the lines
"// Before" and "// After" begin. TSSA_OPT runs the pass on the first part, with the
options that follow "// Before, with" in the folder ROOT, and must print the second: the same module
or, where "..." stands for omitted parts, text that has all other parts in order.
"""

import glob
import os
import re
import subprocess
import sys

SECTION = re.compile(r"^### `-([\w-]+)`\n(.*?)(?=^### |\Z)", re.M | re.S)
EXAMPLE = re.compile(r"^```mlir\n// Before(?:, with ([^\n]*))?\n(.*?)^// After\n(.*?)^```", re.M | re.S)


def run(tool, root, module, *options):
    done = subprocess.run([tool, "-", *options], input=module, text=True, capture_output=True, cwd=root)
    return done.stdout if done.returncode == 0 else None, done.stderr


def contains(output, expected):
    """Whether the parts of `expected` between "..." stand in `output`, the first at its start."""
    squeezed = " ".join(output.split())
    squeezed = squeezed.removeprefix("module { ")
    at = 0
    for index, part in enumerate(expected.split("...")):
        part = " ".join(part.split())
        found = squeezed.find(part, at)
        if found < 0 or (index == 0 and found > 0):
            return False
        at = found + len(part)
    return True


def complaint(tool, root, name, text):
    """What is wrong with the section `text` of the pass `name`, or None."""
    example = EXAMPLE.search(text)
    if not example:
        return "has no example: expected a block with '// Before' and '// After'"
    options, before, after = example.groups()
    output, error = run(tool, root, before, f"--{name}={options}" if options else f"--{name}")
    if output is None:
        return f"the example fails:\n{error}"
    if "..." in after:
        return None if contains(output, after) else f"the example does not print '// After', but:\n{output}"
    expected, error = run(tool, root, after)
    if expected is None:
        return f"'// After' is no module:\n{error}"
    return None if output == expected else f"the example does not become '// After', but:\n{output}"


def main():
    root, tool, *names = sys.argv[1:]
    seen = problems = 0
    for page in sorted(glob.glob(os.path.join(root, "docs/passes/*.md"))):
        with open(page, encoding="utf-8") as file:
            sections = SECTION.findall(file.read())
        for name, text in sections:
            if names and name not in names:
                continue
            seen += 1
            why = complaint(tool, root, name, text)
            if why:
                problems += 1
                print(f"{os.path.relpath(page, root)}: {name}: {why}")
    print(f"{seen} passes, {problems} problems")
    return 1 if problems or not seen else 0


sys.exit(main())
