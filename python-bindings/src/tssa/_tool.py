# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs tssa-compile in a process of its own, so that a crash there is an exception here.

Artifacts are kept in the cache of tssa-run, unless $TSSA_CACHE is 0.
"""

import contextlib
import functools
import json
import os
import subprocess

from . import _runtime
from ._errors import Error, InvalidGraph, InvalidProtobuf, UnsupportedError
from ._package import find_program, find_tool
from ._shapes import advise_shapes

# Codes of tssa/abi.h: an artifact is damaged; an artifact is for another machine or version, or for another device.
_CORRUPT, _INCOMPATIBLE = 5, 6
# Exit codes of tssa-compile: a model is not valid; a program is not supported.
_INVALID, _UNSUPPORTED = 1, 3
# How it begins to say that it could not read a file or that the file is no protobuf, and not that its graph is not valid.
_FILES = {"cannot be read": Error, "truncated, nested too deeply, or not an ONNX protobuf": InvalidProtobuf,
          "the file is empty": InvalidProtobuf, "this is ": InvalidProtobuf}


@functools.lru_cache(maxsize=None)
def list_operators():
    """Returns the names of the PyTorch operators that tssa-compile knows, except in-place and out= forms."""
    run = subprocess.run([find_tool(), "--list-operators"], capture_output=True, check=True)
    return frozenset(json.loads(run.stdout)["torch"])


def load(source, target, device, threads, seed=None, verify=True, name=None, tuned=None, options=()):
    """Returns a model or program as an artifact from the cache, compiled now if the cache has none.

    name: what errors call it; None for a program whose positions are the user's.
    tuned: a folder of records, or None.
    options: further ones of tssa-compile.
    """
    for again in (False, True):
        kept = _find_kept(source, target, tuned, options)
        if kept is None:
            break
        try:
            return open_artifact(kept, name, device, threads, seed, verify)
        except Error as error:
            if again or not _is_damaged(kept, error):
                raise
        with contextlib.suppress(FileNotFoundError):
            os.remove(kept)
    return _load_unkept(source, target, tuned, options, name, device, threads, seed, verify)


def open_artifact(artifact, name, *options):
    """Loads an artifact, whose own name the user does not know."""
    try:
        return _runtime.Program(artifact, *options)
    except Error as error:
        text = str(error)
        text = text.replace(artifact, name) if name else text.replace(f"'{artifact}': ", "")
        raise Error(text, error.code, error.node) from None


def _load_unkept(source, target, tuned, compile_options, name, *options):
    """Compiles to a file in memory, which is in no folder."""
    file = os.memfd_create("tssa")
    try:
        artifact = f"/proc/self/fd/{file}"
        compile_file(source, artifact, target, compile_options, pass_fds=(file,), tuned=tuned)
        return open_artifact(artifact, name, *options)
    finally:
        os.close(file)


def _is_damaged(artifact, error):
    """Returns whether compiling again may help: an intact artifact would be made again as it is."""
    if error.code != _INCOMPATIBLE:
        return error.code == _CORRUPT
    return subprocess.run([find_program("tssa-run"), artifact, "--inspect"], capture_output=True).returncode != 0


def _run_tool(command, **options):
    """Runs a tool, which ends when this process is killed, and with it the compiler that it started. What it prints may hold
    names of files, which need not be UTF-8."""
    environment = {**os.environ, "TSSA_ENDS_WITH": str(os.getpid())}
    return subprocess.run(command, capture_output=True, text=True, errors="backslashreplace", env=environment, **options)


def _list_options(target, tuned):
    return [f"--target={target}", *([] if tuned is None else [f"--tuned={os.fspath(tuned)}"])]


def _find_kept(source, target, tuned, options):
    """Returns the artifact in the cache, compiled if missing; None if there is no cache."""
    if os.environ.get("TSSA_CACHE") == "0":
        return None
    try:
        runner = find_program("tssa-run")
    except Error:
        return None
    options = [f"--compile-option={option}" for option in [*_list_options(target, tuned), *options]]
    command = [runner, source, "--compile", *options]
    run = _run_tool(command)
    if run.returncode == 0:
        return run.stdout.strip()
    if run.stderr.startswith("tssa-run: error: "):
        return None  # it did not come to compiling
    raise _make_error(source, run)


def compile_file(source, output, target, options=(), timeout=None, pass_fds=(), tuned=None):
    """Compiles a model or program to an artifact. pass_fds: descriptors that `output` names."""
    command = [find_tool(), source, "-o", output, *_list_options(target, tuned), *options]
    try:
        run = _run_tool(command, timeout=timeout, pass_fds=pass_fds)
    except subprocess.TimeoutExpired:
        raise Error(f"compilation took longer than {timeout} s", code=5) from None
    if run.returncode != 0:
        raise _make_error(source, run)


def _make_error(source, run):
    """Returns the exception for a compiler that failed."""
    text = run.stderr.strip().replace(f"{source}: error: ", "").replace(f"{source}: ", "")
    text = advise_shapes(text)
    if run.returncode == _UNSUPPORTED:
        return UnsupportedError(text.splitlines())
    if run.returncode == _INVALID and text and not source.endswith((".mlir", ".json")):
        kind = next((kind for begin, kind in _FILES.items() if text.startswith(begin)), InvalidGraph)
        return kind(text, code=run.returncode)
    if run.returncode < 0:
        text = f"tssa-compile was ended by signal {-run.returncode}: {text}"
    return Error(text or "tssa-compile failed", code=run.returncode)
