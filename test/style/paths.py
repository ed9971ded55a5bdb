"""Checks how paths are spelled: the tree can be checked out where case does not count,
and a folder of test/ has the name of the room that it tests.

usage: paths.py [ROOT]
"""

import os
import sys

SKIPPED = {".git", ".venv", "build", "third_party", "__pycache__"}


def folders(root):
    """Each folder with the sorted names in it."""
    for here, inside, files in os.walk(root):
        inside[:] = sorted(set(inside) - SKIPPED)
        yield os.path.relpath(here, root), sorted(inside + files)


def find_collisions(root):
    """Pairs of paths that differ only in case."""
    for folder, names in folders(root):
        spelled = {}
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if (other := spelled.setdefault(name.lower(), path)) != path:
                yield other, path


def list_folders(path):
    return [entry.name for entry in os.scandir(path) if entry.is_dir()] if os.path.isdir(path) else []


def find_misspelled(root):
    """Folders of test/ beside the room of lib/ that they test."""
    rooms = {room.lower(): room for room in list_folders(os.path.join(root, "lib"))}
    for folder in ("test", "test/unit"):
        for name in sorted(list_folders(os.path.join(root, folder))):
            room = rooms.get(name.lower(), name)
            if room != name:
                yield f"{folder}/{name}", f"lib/{room}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + "/../.."
    problems = [f"{other} and {path} differ only in case" for other, path in find_collisions(root)]
    problems += [f"{path} does not have the name of {room}" for path, room in find_misspelled(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
