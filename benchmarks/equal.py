#!/usr/bin/env python3
"""Whether two builds make the same of models: programs after every stage, schedules and binaries.

usage: equal.py OLD/bin NEW/bin [MODEL.onnx | FOLDER]... [--seeds 300] [--no-operators] [--keep DIR] [-- OPTION...]

Compared are the ninety operators of operators.json, the models that are given (of a FOLDER, those in it), and the
programs of te-fuzz with the first seeds, as OLD prints them. Each is compiled by both builds with OPTIONs, such as
--mcpu=x86-64-v3; SHA-256 of what is written after each stage and of the binary are compared. A line names what differs,
beginning with the first stage that does; --keep writes there what both made. What OLD makes is remembered in the cache
folder of the user, by its build, model and options. The exit code is 1 if anything differs.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from subjects import operators

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "tssa-equal")
SECONDS = 900


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Build:
    """A compiler, of which it is known what it made of models."""

    def __init__(self, folder, options, remembers):
        self.compiler, self.options = os.path.abspath(os.path.join(folder, "tssa-compile")), options
        self.remembers = remembers
        self.identity = digest(self.compiler)

    def make(self, model, folder):
        """Compiles into a folder. Gives {stage or "binary": digest}, or {"refused": the message}."""
        os.makedirs(folder)
        command = [self.compiler, os.path.basename(model), f"--dump-dir={folder}", "-o", os.path.join(folder, "binary"),
                   "--threads=1", *self.options]  # locations have the path that is given
        done = subprocess.run(command, cwd=os.path.dirname(model) or ".", capture_output=True, text=True, errors="replace",
                              timeout=SECONDS)
        if done.returncode:
            return {"refused": done.stderr.strip()}
        return {os.path.splitext(name)[0]: digest(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}

    def hashes(self, model, folder):
        """What `make` gives, or gave before."""
        key = hashlib.sha256(json.dumps([self.identity, digest(model), os.path.basename(model), self.options]).encode())
        path = os.path.join(CACHE, key.hexdigest() + ".json")
        if self.remembers and os.path.exists(path):
            with open(path) as file:
                return json.load(file)
        made = self.make(model, folder)
        if self.remembers:
            os.makedirs(CACHE, exist_ok=True)
            with open(path, "w") as file:
                json.dump(made, file)
        return made


def differences(old, new):
    """The names of what differs."""
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def compare(model, builds, keep):
    """What differs of one model."""
    with tempfile.TemporaryDirectory() as folder:
        folders = [os.path.join(folder, name) for name in ("old", "new")]
        made = [build.hashes(model, path) for build, path in zip(builds, folders)]
        found = differences(*made)
        if found and keep:
            for build, path in zip(builds, folders):
                if not os.path.exists(path):
                    build.make(model, path)
            place = os.path.join(keep, os.path.splitext(os.path.basename(model))[0])
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(folder, place)
        return found


def print_fuzzed(fuzzer, seeds, folder):
    """Writes the programs of te-fuzz, a file each."""
    done = subprocess.run([fuzzer, "--print", "--seed=1", f"--count={seeds}"], capture_output=True, text=True, check=True)
    for number, text in enumerate(re.findall(r"(?:^#[^\n]*\n)*^module.*?^}$", done.stdout, re.M | re.S), 1):
        path = os.path.join(folder, f"seed-{number}.mlir")
        with open(path, "w") as file:
            file.write(text + "\n")
        yield path


def expand(paths):
    """The models of files and folders."""
    for path in paths:
        models = sorted(glob.glob(os.path.join(path, "**", "*.onnx"), recursive=True)) if os.path.isdir(path) else [path]
        if not models:
            sys.exit(f"{path} has no models")
        yield from models


def main():
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="folder of tssa-compile and te-fuzz")
    parser.add_argument("new", help="folder of tssa-compile")
    parser.add_argument("models", nargs="*", help="models, or folders of them")
    parser.add_argument("--seeds", type=int, default=300, help="programs of te-fuzz")
    parser.add_argument("--no-operators", action="store_true", help="leave out the ninety operators")
    parser.add_argument("--keep", help="folder for what differs")
    line = parser.parse_intermixed_args(arguments[:split])
    builds = [Build(line.old, arguments[split + 1:], True), Build(line.new, arguments[split + 1:], False)]
    with tempfile.TemporaryDirectory() as folder:
        models = [*([] if line.no_operators else dict(operators.write(folder)).values()),
                  *print_fuzzed(os.path.join(line.old, "te-fuzz"), line.seeds, folder), *expand(line.models)]
        count = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            for model, found in zip(models, workers.map(lambda model: compare(model, builds, line.keep), models)):
                if found:
                    count += 1
                    print(f"{os.path.basename(model)}: {', '.join(found)}", flush=True)
    print(f"{count} of {len(models)} differ")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
