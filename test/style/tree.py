"""The sources of the tree, for the checks beside this file."""

import os

SUFFIXES = (".h", ".hpp", ".cpp", ".c", ".td")
FOLDERS = ("dialects", "lib", "include", "tools", "test", "examples", "benchmarks", "python-bindings")


def sources(root):
    """The paths of all sources relative to `root`, but for the inputs of tests."""
    for folder in FOLDERS:
        for here, folders, files in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(set(folders) - {"Inputs", "__pycache__", "build"})
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(here, name), root)
