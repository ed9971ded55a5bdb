# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The ways to run a program: compiled by TSSA in several forms, eager, TorchScript, Inductor.

A way is made by its first calls, which are compared with eager mode; one that fails says why.
"""

import contextlib
import copy
import dataclasses
import os
import shutil
import signal
import unittest.mock
from typing import Optional

import torch

import tssa
from tssa import _tool

#: Inductor unrolls loops, and compiles for minutes beyond this length of a sequence
LONGEST_UNROLLED = 64
#: first calls: TorchScript specializes in the second, and takes what it made in the third
WARM_UP = 3
ALLOWED = {"rtol": 1e-3, "atol": 1e-3}
RECURRENT = ("nasrnn", "lstm_loop", "seq2seq_greedy", "attention_cache")
#: {option of tssa-compile: what the transformation does}
TRANSFORMATIONS = {
    "hoist-batch": "products that need only the iteration leave the loop as one product",
    "absorb-permutations": "copies that permute a product's result are stored by the product",
    "expand-updates": "writes through views become pieces of expressions, which merge",
    "store-windows": "a window that is read often is stored, not the whole tensor",
    "parallelize-loops": "iterations that do not depend on each other run as one",
}
NOT_OFFERED, USAGE = "not offered", 2


class TooLong(BaseException):
    """A compilation went past its limit. No handler of errors on the way may take it for one of its own."""


@dataclasses.dataclass(frozen=True)
class Way:
    """How a program is run; `dynamic`, `without` and `tool` are TSSA's."""

    kind: str = "tssa"
    dynamic: Optional[bool] = None
    #: the transformation that is switched off
    without: str = ""
    #: path of the compiler, if not the package's
    tool: str = ""


WAYS = {"tssa": Way(), "tssa open": Way(dynamic=True), "eager": Way("eager"), "script": Way("script"),
        "inductor": Way("inductor")}


def is_ours(label):
    return label not in ("eager", "script", "inductor")


def with_baseline(ways, tool):
    """Adds another build's compiler, after this build's ways."""
    if not tool:
        return ways
    tool = os.path.join(tool, "tssa-compile") if os.path.isdir(tool) else tool
    if not os.access(tool, os.X_OK):
        raise SystemExit(f"there is no tssa-compile at {tool}")
    ours = {label: way for label, way in ways.items() if is_ours(label)}
    return {**ours, "baseline": Way(tool=os.path.abspath(tool)), **ways}


def ablation_ways():
    return {"tssa": Way(), "open sizes": Way(dynamic=True),
            **{f"without {name}": Way(without=name) for name in TRANSFORMATIONS}}


def is_left_out(label, name, seq):
    """Says why a way is not asked, or nothing."""
    if label == "inductor" and name in RECURRENT and seq > LONGEST_UNROLLED:
        return f"left out: unrolls {seq} steps"
    return ""


@contextlib.contextmanager
def time_limit(seconds):
    """Ends what runs in it by an exception, again and again until it is out."""

    def stop(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def compiler_of(way, keep=None):
    """What TSSA compiles in it is compiled as the way says; `keep`: a path to which the artifact is copied."""
    compile_file = _tool.compile_file
    options = [f"--without={way.without}"] if way.without else []

    def compile_as_told(source, output, target, given=(), *others, **named):
        compile_file(source, output, target, [*given, *options], *others, **named)
        if keep:
            shutil.copyfile(output, keep)

    told = {"TSSA_CACHE": "0", **({"TSSA_COMPILE": way.tool} if way.tool else {})}
    with unittest.mock.patch.dict(os.environ, told), \
            unittest.mock.patch.object(_tool, "compile_file", compile_as_told):
        yield


def make(way, function, threads):
    """What is called in place of the function; it may compile at its first calls."""
    if way.kind == "eager":
        return function
    if way.kind == "script":
        return torch.jit.script(function)
    if way.kind == "inductor":
        torch._dynamo.reset()
        return torch.compile(function)
    return tssa.compile(function, threads=threads, dynamic=way.dynamic)


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [leaf for element in value for leaf in flatten(element)]
    return [value]


def check(expected, actual):
    """Raises an AssertionError where results or arguments differ."""
    expected, actual = flatten(expected), flatten(actual)
    if len(expected) != len(actual):
        raise AssertionError(f"{len(actual)} values, not {len(expected)}")
    for left, right in zip(expected, actual):
        if isinstance(left, torch.Tensor):
            torch.testing.assert_close(right, left, **ALLOWED)


def warm_up(run, function, arguments):
    """Makes the way ready, and compares each of the calls with eager mode."""
    wanted = copy.deepcopy(arguments)
    expected = function(*wanted)
    for _ in range(WARM_UP):
        given = copy.deepcopy(arguments)
        check((expected, wanted), (run(*given), given))


def explain(error, way, limit):
    """A failure in a few words."""
    if isinstance(error, TooLong):
        return f"compiles for more than {limit:g} s"
    if isinstance(error, tssa.Error) and error.code == USAGE and way.without:
        return NOT_OFFERED
    if isinstance(error, AssertionError):
        return "wrong: " + " ".join(str(error).split())[:120]
    return f"{type(error).__name__}: " + " ".join(str(error).split())[:120]


def ready(way, function, arguments, threads, limit, keep=None):
    """(what is called, nothing) or (None, why it cannot be)."""
    try:
        with compiler_of(way, keep), time_limit(limit):
            run = make(way, function, threads)
            warm_up(run, function, arguments)
        return run, ""
    except (Exception, TooLong) as error:
        return None, explain(error, way, limit)
