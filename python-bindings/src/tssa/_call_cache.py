# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The calls that a function has had, so that C++ runs others like them (cached_call.cpp), without a step in Python.

These are calls with contiguous tensors, numbers and literals, in lists, tuples and dicts, each tensor and list once. All others,
and those that no recording holds for, are misses: Python finds or makes a recording for them.
"""

import torch

from ._keys import LITERALS
from ._runtime import MISS, CachedCall

_ROOT, _VALUE, _CONSTANT = range(3)  # Leaf::Kind


def context_of_call():
    """Returns what a recording depends on besides its arguments and the state that its program reads."""
    return torch.get_default_dtype(), torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu")


class CallCache:
    """The cached calls of one function."""

    def __init__(self, program):
        self._program, self._is_module = program, isinstance(program, torch.nn.Module)
        self._entries = ()  # (recording, what its binaries got, context of the call, CachedCall)
        self._made_of = {}  # what entries were made of, by recording; also where there is none

    def run(self, args, kwargs):
        """Returns the result, or MISS."""
        if not self._entries or torch._C._len_torch_function_stack() or torch._C._len_torch_dispatch_stack():
            return MISS
        is_on = torch.is_grad_enabled()
        if not is_on or not self._is_module or self._program.training:
            return self._try(args, kwargs, is_on)
        torch._C._set_grad_enabled(False)
        try:
            return self._try(args, kwargs, False)
        finally:
            torch._C._set_grad_enabled(True)

    def _try(self, args, kwargs, checks_gradients):
        now = context_of_call()
        for recording, free, context, cached in self._entries:
            program = recording.program
            if context == now and program.free is free and not (checks_gradients and program.needs_gradients()):
                result = cached.run(recording, args, kwargs, checks_gradients)
                if result is not MISS:
                    return result
        return MISS

    def knows(self, recording):
        """Returns whether a call with this recording was added, and the recording has the same binaries and inputs still."""
        return self._made_of.get(recording) == _parts_of(recording)

    def add(self, recording, context, arguments, recordings):
        """Adds a call that Python is about to run with a recording. recordings: all that there are, in the order to try them in."""
        parts = _parts_of(recording)
        entries = {known: entry for known, *entry in self._entries}
        entries.pop(recording, None)
        cached = recording.make_cached_call(arguments)
        if cached is not None:
            cached.set_binaries([(binary.program, binary.roots) for binary in parts[1]])
            entries[recording] = parts[0], context, cached
        self._made_of = {known: made for known, made in self._made_of.items() if known in recordings}
        self._made_of[recording] = parts
        self._entries = tuple((known, *entries[known]) for known in recordings if known in entries)


def _parts_of(recording):
    return recording.program.free, recording.program.binaries


def make_cached_call(program, arguments, constants, result, has_conditions):
    """Returns a CachedCall for calls like this one, or None if it is of another kind.

    program: the RecordedProgram. constants: the numbers that are fixed, by position. result: what Template.take returns for
    the result, None if a call does more than to return it.
    """
    shapes = program.shapes_of_arguments()
    fixed = [shapes.get(i, constants.get(i)) for i in range(len(arguments.values))]
    cached = CachedCall(torch.Tensor, LITERALS, program.sources(), program.symbols, has_conditions)
    if not cached.learn(arguments.given, fixed):
        return None
    simple = _describe_result(program, result)
    if simple is not None:
        cached.learn_result(*simple)
    return cached


def _describe_result(program, node):
    """Returns (list, tuple or None for a single leaf; the leaves), or None if the result is anything else."""
    kind, nodes = None, [node]
    if node is not None and node[0] == "container" and node[2].type in (list, tuple):
        kind, nodes = node[2].type, node[3]
    leaves = [_describe_leaf(program, node) for node in nodes]
    return None if None in leaves else (kind, leaves)


def _describe_leaf(program, node):
    if node is None or node[0] not in ("leaf", "constant"):
        return None
    if node[0] == "constant":
        return _CONSTANT, node[1], None
    kind, what, view = program.describe_result(node[1])
    return None if kind is None else ({"root": _ROOT, "argument": _VALUE, "constant": _CONSTANT}[kind], what, view)
