"""Finds texts that would have a reader install the project tssa of PyPI, which is not this one.

This project's distribution is tssa-compiler, and its wheels are tssa_compiler-*.whl.

usage: advice.py FOLDER|WHEEL...
"""

import os
import re
import sys
import zipfile

SKIPPED = {".git", ".venv", "build", "third_party", "__pycache__"}
NAME = r"(?<![\w./-])tssa(?![\w./-])"
ADVICE = [re.compile(pattern) for pattern in (
    rf"\b(pip3?|uv|pipx)\b.*\b(install|download|uninstall|add)\b.*[\s'\"=]{NAME}",
    rf"{NAME}\\*\[torch",
    rf"\b(version|distribution|metadata|requires)\(['\"]{NAME}['\"]",
    r"\btssa-[^\s_]*\.whl",
    rf"^\s*(Name:|name\s*=|Requires-Dist:)\s*['\"]?{NAME}['\"]?\s*(\[|;|$)",
)]


def read_folder(folder):
    """The path and the bytes of each file of a tree."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED)
        for name in sorted(files):
            path = os.path.join(here, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    yield os.path.relpath(path, folder), file.read()


def read_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            yield name, wheel.read(name)


def find_advice(path):
    """Returns "FILE:LINE: TEXT" for each line that names the other project."""
    found = []
    for name, content in read_folder(path) if os.path.isdir(path) else read_wheel(path):
        if b"tssa" not in content or b"\0" in content[:8192]:
            continue
        for i, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if any(pattern.search(line) for pattern in ADVICE):
                found.append(f"{name}:{i}: {line.strip()}")
    return found


def main():
    found = [line for path in sys.argv[1:] for line in find_advice(path)]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
