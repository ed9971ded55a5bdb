# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the examples as their READMEs say, in a copy of their folder.

usage: examples.py [--folder EXAMPLES] [--python PYTHON] [NAME...]

PYTHON is one that has the package tssa. A block of bash runs, and the block of text after it is what it prints, with "..."
for what differs from run to run. The hidden comment <!-- skipped without: NAME, ... --> before a block of bash names the
modules of Python and the programs that it needs. Blocks within a comment run, too: errors that the page does not show. An
example whose README has no block of bash has a test elsewhere. The
last line has the counts of examples.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "docs"))

from guide_pages import find_missing, read_page  # noqa: E402 pylint: disable=wrong-import-position

LIMIT = 120  # seconds for a block
# It is not imported: a package that is there and cannot be imported is a failure of its example.
FIND_MODULE = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"


class Runner:
    """Runs blocks with `python` as the program of that name."""

    def __init__(self, python, scratch):
        self.python, self.scratch = python, scratch
        programs = os.path.join(scratch, "programs")
        os.mkdir(programs)
        beside = os.path.dirname(python)
        self.environment = {**os.environ, "PATH": os.pathsep.join([programs, beside, os.environ["PATH"]]),
                            "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": os.path.join(scratch, "cache")}
        with open(os.path.join(programs, "python"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{python}" "$@"\n')
        os.chmod(file.name, 0o755)

    def run(self, command, folder, text=None):
        """The exit status and the output of a command; what it has started ends with it. Raises TimeoutExpired."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, cwd=folder,
                                       env=self.environment, text=True, start_new_session=True)
            try:
                process.communicate(text, timeout=LIMIT)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
            output.seek(0)
            return process.returncode, output.read()

    def find_absent(self, names):
        """The first of the modules and programs that is not there, None if all are."""
        for name in names:
            found = shutil.which(name, path=self.environment["PATH"])
            if not found and self.run([self.python, "-c", FIND_MODULE, name], self.scratch)[0]:
                return name
        return None


def run_example(path, runner):
    """Runs one example. Returns ("passed" | "failed" | "skipped", why)."""
    page = read_page(os.path.join(path, "README.md"))
    for block in page.blocks:
        names = [name.strip() for name in block.needed.split(",")] if block.needed else []
        absent = runner.find_absent(names)
        if absent:
            return "skipped", f"there is no {absent}"
        code, output = runner.run(["bash", "-euo", "pipefail", "-s"], path, block.text)
        if code:
            return "failed", f"exit status {code}:\n{output}"
        missing = None if block.output is None else find_missing(output, block.output)
        if missing is not None:
            return "failed", f"it does not print '{missing}', but:\n{output}"
    return "passed", ""


def find_examples(folder, names):
    """The paths of the examples whose README has a block of bash. Raises ValueError if a name is none of them."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "README.md")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                if "\n```bash\n" in file.read():
                    found[name] = os.path.dirname(path)
    for name in names:
        if name not in found:
            raise ValueError(f"there is no example '{name}', only: {', '.join(found)}")
    return [found[name] for name in names or found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=os.path.join(ROOT, "examples"))
    parser.add_argument("--python", type=os.path.abspath, default=sys.executable)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="tssa-examples-") as scratch:
        copy = shutil.copytree(options.folder, os.path.join(scratch, "examples"))
        try:
            paths = find_examples(copy, options.names)
        except ValueError as error:
            sys.exit(f"error: {error}")
        runner = Runner(options.python, scratch)
        for path in paths:
            name, start = os.path.basename(path), time.monotonic()
            try:
                outcome, why = run_example(path, runner)
            except (ValueError, subprocess.TimeoutExpired) as error:
                outcome, why = "failed", str(error)
            counts[outcome] += 1
            shown = {"passed": f"passed: {name}", "failed": f"FAILED: {name}: {why}", "skipped": f"skipped: {name}: {why}"}
            print(f"{shown[outcome]} ({time.monotonic() - start:.1f} s)", flush=True)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
