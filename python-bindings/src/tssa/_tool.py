# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs tssa-compile in a process of its own, so that a crash there is an exception here.

Artifacts are kept in the cache of tssa-run, unless $TSSA_CACHE is 0.
"""

import contextlib
import functools
import json
import logging
import os
import subprocess
import sys
import warnings

from . import _runtime
from ._errors import CompileWarning, Error, InvalidGraph, InvalidProtobuf, NoSuchFile, UnsupportedError
from ._folders import make_folder
from ._operators import has_operators, list_operator_options
from ._package import find_program, find_tool
from ._process import run_tool
from ._progress import Watch
from ._shapes import advise_shapes

_log = logging.getLogger("tssa")
# Codes of tssa/abi.h: an artifact is damaged; an artifact is for another machine or version, or for another device.
_CORRUPT, _INCOMPATIBLE = 5, 6
# Exit codes of tssa-compile: a model is not valid; a program is not supported.
_INVALID, _UNSUPPORTED = 1, 3
# How it begins to say that a file cannot be read or written, that there is no folder of records, or that the file is no
# protobuf, and not that its graph is not valid.
_FILES = {"cannot be read": Error, "cannot write ": Error, "tuned '": NoSuchFile,
          "truncated, nested too deeply, or not an ONNX protobuf": InvalidProtobuf,
          "the file is empty": InvalidProtobuf, "this is ": InvalidProtobuf}


@functools.lru_cache(maxsize=None)
def list_operators():
    """Returns the names of the PyTorch operators that tssa-compile knows, except in-place and out= forms."""
    run = subprocess.run([find_tool(), "--list-operators"], capture_output=True, check=True)
    return frozenset(json.loads(run.stdout)["torch"])


def load(source, target, device, threads, seed=None, verify=True, name=None, tuned=None, options=(), label=None, say=None):
    """Returns a model or program as an artifact from the cache, compiled now if the cache has none.

    name: what errors call it; None for a program whose positions are the user's.
    tuned: a folder of records, or None.
    options: further ones of tssa-compile.
    label: what the progress calls it; by default the name of its file.
    say(level, text): logs; None for the logger "tssa".
    """
    watch = Watch(label or os.path.splitext(os.path.basename(name or source))[0], say)
    loading = (name, device, threads, seed, verify)
    if not (source.endswith(".onnx") and has_operators()):
        return _load(source, target, tuned, options, watch, loading)
    with make_folder() as folder:
        return _load(source, target, tuned, [*options, *list_operator_options(folder)], watch, loading)


def _load(source, target, tuned, options, watch, loading):
    """loading: the arguments of open_artifact() after the artifact."""
    for again in (False, True):
        kept = _find_kept(source, target, tuned, options, watch)
        if kept is None:
            break
        try:
            program = open_artifact(kept, *loading)
            watch.say_loaded(is_kept=True)
            return program
        except Error as error:
            if again or not _is_damaged(kept, error):
                raise
        with contextlib.suppress(FileNotFoundError):
            os.remove(kept)
    program = _load_unkept(source, target, tuned, options, watch, *loading)
    watch.say_loaded(is_kept=False)
    return program


def open_artifact(artifact, name, *options):
    """Loads an artifact, whose own name the user does not know."""
    try:
        return _runtime.Program(artifact, *options)
    except Error as error:
        text = str(error)
        text = text.replace(artifact, name) if name else text.replace(f"'{artifact}': ", "")
        raise Error(text, error.code, error.node) from None


def _load_unkept(source, target, tuned, compile_options, watch, name, *options):
    """Compiles to a file in memory, which is in no folder."""
    file = os.memfd_create("tssa")
    try:
        artifact = f"/proc/self/fd/{file}"
        compile_file(source, artifact, target, compile_options, pass_fds=(file,), tuned=tuned, watch=watch)
        return open_artifact(artifact, name, *options)
    finally:
        os.close(file)


def _is_damaged(artifact, error):
    """Returns whether compiling again may help: an intact artifact would be made again as it is."""
    if error.code != _INCOMPATIBLE:
        return error.code == _CORRUPT
    return subprocess.run([find_program("tssa-run"), artifact, "--inspect"], capture_output=True).returncode != 0


def _list_options(target, tuned):
    return [f"--target={target}", *([] if tuned is None else [f"--tuned={os.fspath(tuned)}"])]


def _find_kept(source, target, tuned, options, watch):
    """Returns the artifact in the cache, compiled if missing; None if there is no cache."""
    if os.environ.get("TSSA_CACHE") == "0":
        return None
    try:
        runner = find_program("tssa-run")
    except Error:
        return None
    options = [f"--compile-option={option}" for option in [*_list_options(target, tuned), *options]]
    run = run_tool([runner, source, "--compile", *options], watch)
    if run.returncode == 0:
        _pass_on(source, run.stderr)
        return run.stdout.strip()
    if run.stderr.startswith("tssa-run: error: "):
        return None  # it did not come to compiling
    raise _make_error(source, run)


def compile_file(source, output, target, options=(), timeout=None, pass_fds=(), tuned=None, watch=None):
    """Compiles a model or program to an artifact. pass_fds: descriptors that `output` names."""
    command = [find_tool(), source, "-o", output, *_list_options(target, tuned), *options]
    watch = watch or Watch(os.path.basename(source))
    try:
        run = run_tool(command, watch, timeout=timeout, pass_fds=pass_fds)
    except subprocess.TimeoutExpired:
        raise Error(f"compilation took longer than {timeout} s", code=5) from None
    if run.returncode != 0:
        raise _make_error(source, run)
    _pass_on(source, run.stderr)


def _pass_on(source, text):
    """Gives warnings of the compiler to Python's, and logs what else it says."""
    for line in text.splitlines():
        line = line.removeprefix(f"{source}: ")
        _, warning, rest = line.partition("warning: ")
        if warning:
            warnings.warn(rest, CompileWarning, stacklevel=_find_caller())
        else:
            _log.info("%s", line)


def _find_caller():
    """Returns the stacklevel, for the function that called this one, of the first frame outside the package."""
    frame, level = sys._getframe(1), 1  # pylint: disable=protected-access
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _make_error(source, run):
    """Returns the exception for a compiler that failed."""
    text = run.stderr.strip().replace(f"{source}: error: ", "").replace(f"{source}: ", "")
    text = advise_shapes(text)
    if run.returncode == _UNSUPPORTED:
        return UnsupportedError(text.splitlines())
    if run.returncode == _INVALID and text:
        other = Error if source.endswith((".mlir", ".json")) else InvalidGraph
        kind = next((kind for begin, kind in _FILES.items() if text.startswith(begin)), other)
        return kind(text, code=run.returncode)
    if run.returncode < 0:
        text = f"tssa-compile was ended by signal {-run.returncode}: {text}"
    return Error(text or "tssa-compile failed", code=run.returncode)
