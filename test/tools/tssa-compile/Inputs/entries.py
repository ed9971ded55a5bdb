"""Looks at the entries of a cache of kernels, or spoils some: entries.py mark|changed|damage FOLDER"""

import json
import os
import shutil
import sys

command, folder = sys.argv[1:]
marks = folder + ".marks"
paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def numbers():
    """An entry that is written again has another inode."""
    return {path: os.stat(path).st_ino for path in paths}


if command == "mark":
    # What is only read stays: hard links keep the inodes from being used again.
    shutil.rmtree(folder + ".links", ignore_errors=True)
    os.mkdir(folder + ".links")
    for path in paths:
        os.link(path, os.path.join(folder + ".links", os.path.basename(path)))
    with open(marks, "w") as file:
        json.dump(numbers(), file)
elif command == "changed":
    with open(marks) as file:
        before = json.load(file)
    print(sum(before.get(path) != number for path, number in numbers().items()), "files written")
else:
    with open(paths[0], "r+b") as file:
        file.seek(os.path.getsize(paths[0]) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    os.truncate(paths[1], os.path.getsize(paths[1]) - 1)
    os.remove(paths[2])
    shutil.copy(paths[4], paths[2])
    os.truncate(paths[3], 0)
