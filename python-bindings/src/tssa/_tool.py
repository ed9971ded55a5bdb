# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs tssa-compile in a process of its own, so that a crash there is an exception here.

Artifacts are kept in the cache of tssa-run, unless $TSSA_CACHE is 0.
"""

import functools
import json
import os
import shutil
import subprocess

from . import _runtime
from ._config import TSSA_COMPILE
from ._errors import Error, UnsupportedError

# The codes of errors for artifacts that are damaged, or made for another machine or version.
_UNUSABLE = (5, 6)


def find_tool():
    """Returns the path of the compiler: $TSSA_COMPILE, the one this package was built with, or one in PATH."""
    for path in (os.environ.get("TSSA_COMPILE"), TSSA_COMPILE, shutil.which("tssa-compile")):
        if path and os.access(path, os.X_OK):
            return path
    raise Error("tssa-compile is not found: set TSSA_COMPILE to its path")


@functools.lru_cache(maxsize=None)
def list_operators():
    """Returns the names of the PyTorch operators that tssa-compile knows, except in-place and out= forms."""
    run = subprocess.run([find_tool(), "--list-operators"], capture_output=True, check=True)
    return frozenset(json.loads(run.stdout)["torch"])


def load(source, folder, target, device, threads, seed=None):
    """Loads a model or program from the cache, or compiles it to an artifact in the folder."""
    kept = _find_kept(source, target)
    if kept is not None:
        try:
            return _runtime.Program(kept, device, threads, seed)
        except Error as error:
            if error.code in _UNUSABLE and os.path.exists(kept):
                os.remove(kept)
    artifact = os.path.join(folder, "program.so")
    compile_file(source, artifact, target)
    return _runtime.Program(artifact, device, threads, seed)


def _find_kept(source, target):
    """Returns the artifact in the cache, compiled if missing; None without a cache or if compiling fails."""
    runner = os.path.join(os.path.dirname(find_tool()), "tssa-run")
    if os.environ.get("TSSA_CACHE") == "0" or not os.access(runner, os.X_OK):
        return None
    command = [runner, source, "--compile", f"--compile-option=--target={target}"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def compile_file(source, output, target, options=(), timeout=None):
    """Compiles a model or program to an artifact."""
    command = [find_tool(), source, "-o", output, f"--target={target}", *options]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Error(f"compilation took longer than {timeout} s", code=5) from None
    if run.returncode == 0:
        return
    text = run.stderr.strip().replace(f"{source}: error: ", "").replace(f"{source}: ", "")
    if run.returncode == 3:
        raise UnsupportedError(text.splitlines())
    if run.returncode < 0:
        text = f"tssa-compile was ended by signal {-run.returncode}: {text}"
    raise Error(text or "tssa-compile failed", code=run.returncode)
