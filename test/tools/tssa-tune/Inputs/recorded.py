"""Copies a session to a folder. It is recorded once for all tests that only read it.

usage: recorded.py MODEL TRIALS FOLDER
"""

import fcntl
import os
import shutil
import sys

import tuning


def describe(path):
    """Returns what changes with a file."""
    state = os.stat(path)
    return f"{path} {state.st_size} {state.st_mtime_ns}"


def copy(model, trials, folder):
    """Makes `folder` a database with a session of `model`, a file of this folder, with so many trials."""
    tool = os.path.realpath(shutil.which("tssa-tune"))
    store = os.path.join(os.path.dirname(tool), os.pardir, "test", "recorded")
    os.makedirs(store, exist_ok=True)
    place, path = os.path.join(store, f"{model}-{trials}"), os.path.join(tuning.HERE, model)
    state = f"{describe(tool)} {describe(path)}"
    with open(f"{place}.state", "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if file.read() != state:
            tuning.expect(tuning.tune(tuning.clear(place), "--trials", str(trials), model=path), 0)
            file.truncate(0)
            file.write(state)
        shutil.copytree(place, tuning.clear(folder))


if __name__ == "__main__":
    copy(sys.argv[1], int(sys.argv[2]), sys.argv[3])
