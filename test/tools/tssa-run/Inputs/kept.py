# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What `tssa-run --compile` keeps, and what it removes when the cache is full."""

import os
import subprocess
import sys

runner, folder = sys.argv[1:]
cache = os.path.join(folder, "limited")


def compile_source(name, *options):
    """(path of the result, whether it was made now)"""
    command = [runner, os.path.join(folder, name), "--compile", "--cache-dir", cache, *options]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    (path,) = run.stdout.splitlines()
    return path, "compiling" in run.stderr


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def set_age(path, seconds):
    os.utime(path, (os.stat(path).st_mtime - seconds,) * 2)


write("w", "1")
first, is_new = compile_source("program.json")
again, is_newer = compile_source("program.json")
assert first == again
write("w", "2")
second, is_newest = compile_source("program.json")
print(", ".join("compiled" if new else "kept" for new in (is_new, is_newer, is_newest)))

size = os.path.getsize(first)
set_age(first, 200)
set_age(second, 300)
write("w", "1")
compile_source("program.json")  # used now
write("w", "3")
third, _ = compile_source("program.json", "--cache-limit", str(size * 5 // 2))
for what, path in (("not used", second), ("used", first), ("made", third)):
    print(f"what was {what}: {'there' if os.path.exists(path) else 'removed'}")
