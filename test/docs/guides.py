# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs what docs/index.md and the pages of docs/guides show, each page in a folder of its own.

usage: guides.py BUILD [--package PYTHON] [PAGE...]

A block of bash or python runs; those of python share their names within a page. A block of text is what the block before
it prints, with "..." for what is left out. Blocks of cmake, cpp and c are files. A hidden comment on a line of its own says
more of the block that follows:

    <!-- writes: FILE -->            the block is the contents of FILE, and does not run
    <!-- fails: TEXT -->             the block fails and prints TEXT
    <!-- skipped without: NAME -->   NAME is a Python module or a program

and of the page: <!-- needs: tssa -->, the Python package, and <!-- model: NAME -->, a model of Inputs/guides/models.py.
$PREFIX is an installation of BUILD. Pages that need the package run with --package only, which is a Python that has it,
and only they run then. The last line has the counts of blocks.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from guide_pages import find_missing, read_page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMIT = 120  # seconds for a block
SESSION = os.path.join(HERE, "python_session.py")


class Runner:
    """Runs the blocks of one page in a new folder."""

    def __init__(self, build, python, prefix):
        self.folder = tempfile.mkdtemp(prefix="tssa-guide-")
        self.python, self.session, self.blocks = python, None, 0
        programs = os.path.join(self.folder, ".programs")
        os.mkdir(programs)
        with open(os.path.join(programs, "python"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{python}" "$@"\n')
        os.chmod(file.name, 0o755)
        self.environment = {"CC": "clang-22", "CXX": "clang++-22", "CMAKE_GENERATOR": "Ninja", **os.environ,
                            "PREFIX": prefix, "PYTHONDONTWRITEBYTECODE": "1",
                            "PATH": os.pathsep.join([programs, os.path.join(build, "bin"), os.environ["PATH"]]),
                            "XDG_CACHE_HOME": os.path.join(self.folder, ".cache")}

    def run(self, command, text=None):
        done = subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                              env=self.environment, timeout=LIMIT, check=False)
        return done.returncode, done.stdout

    def make_model(self, name):
        code, output = self.run([sys.executable, os.path.join(HERE, "Inputs", "guides", "models.py"), name])
        if code:
            raise ValueError(f"model {name}: {output}")

    def has(self, name):
        return bool(shutil.which(name)) or self.run([self.python, "-c", f"import {name}"])[0] == 0

    def complain(self, block):
        """What is wrong with a block, None if nothing is."""
        if block.writes:
            with open(os.path.join(self.folder, block.writes), "w", encoding="utf-8") as file:
                file.write(block.text)
            return None
        code, output = self.run_bash(block) if block.language == "bash" else self.run_python(block)
        if bool(code) != (block.fails is not None):
            return f"expected it to {'fail' if block.fails else 'succeed'}, exit status {code}:\n{output}"
        if block.fails is not None and block.fails not in output:
            return f"expected an error with '{block.fails}', got:\n{output}"
        missing = None if block.output is None else find_missing(output, block.output)
        return None if missing is None else f"it does not print '{missing}', but:\n{output}"

    def run_bash(self, block):
        return self.run(["bash", "-euo", "pipefail", "-s"], block.text)

    def run_python(self, block):
        """Runs all blocks of Python so far in one process, and gives what the last one prints."""
        self.blocks += 1
        name = os.path.join(self.folder, f"block{self.blocks}.py")
        with open(name, "w", encoding="utf-8") as file:
            file.write(block.text)
        return self.run([self.python, SESSION, *(f"block{number}.py" for number in range(1, self.blocks + 1))])

    def close(self):
        shutil.rmtree(self.folder)


def run_page(path, page, runner, counts):
    for name in page.models:
        runner.make_model(name)
    for block in page.blocks:
        where = f"{os.path.relpath(path, ROOT)}:{block.line}"
        if block.needed and not runner.has(block.needed):
            print(f"skipped: {where}: there is no {block.needed}")
            counts["skipped"] += 1
            continue
        why = runner.complain(block)
        counts["failed" if why else "passed"] += 1
        if why:
            print(f"FAILED: {where}: {why}", flush=True)


def find_pages():
    """The paths of all pages."""
    docs = os.path.join(ROOT, "docs")
    return [os.path.join(docs, "index.md"), *sorted(glob.glob(os.path.join(docs, "guides", "*.md")))]


def install(build, folder):
    """An installation of the build in `folder`. Raises ValueError if there is none."""
    done = subprocess.run(["cmake", "--install", build, "--prefix", folder], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise ValueError(f"cmake --install fails:\n{done.stdout[-1000:]}")
    return folder


def run_pages(options, prefix):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in options.pages or find_pages():
        runner = None
        try:
            page = read_page(path)
            if bool(page.needs) != bool(options.package):
                continue
            if "$PREFIX" in "".join(block.text for block in page.blocks) and not os.path.exists(prefix):
                install(options.build, prefix)
            runner = Runner(options.build, options.package or sys.executable, prefix)
            run_page(path, page, runner, counts)
        except (ValueError, subprocess.TimeoutExpired) as error:
            counts["failed"] += 1
            print(f"FAILED: {os.path.relpath(path, ROOT)}: {error}", flush=True)
        finally:
            if runner:
                runner.close()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--package", metavar="PYTHON", type=os.path.abspath, help="a Python that has the package tssa")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tssa-guides-") as folder:
        counts = run_pages(options, os.path.join(folder, "tssa"))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
