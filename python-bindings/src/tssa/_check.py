# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Implements tssa.compile(..., check=True): compares a compiled program with eager mode."""

import copy

import torch
from torch.utils import _pytree as pytree

from ._errors import Error

# Of single precision: other orders of summation, other functions of the last bits.
_TOLERANCES = {torch.float32: (1e-3, 1e-4), torch.float16: (2e-2, 1e-2), torch.bfloat16: (5e-2, 2e-2)}


class Reference:
    """The results of a call in eager mode, and the arguments after it."""

    def __init__(self, program, args, kwargs):
        program, (args, kwargs) = copy.deepcopy((program, (args, kwargs)))
        with torch.no_grad():
            result = program(*args, **kwargs)
        self._expected = {"result": result, "argument": (args, kwargs)}

    def compare(self, name, result, args, kwargs):
        """Raises an Error if the results, or the arguments after the call, differ from eager mode's."""
        for what, actual in (("result", result), ("argument", (args, kwargs))):
            expected, spec = pytree.tree_flatten(self._expected[what])
            found, other = pytree.tree_flatten(actual)
            if spec != other:
                raise Error(f"{name}: eager gives {spec}, the compiled program {other}")
            for i, (left, right) in enumerate(zip(expected, found)):
                _compare(f"{name}: {what} {i}", left, right)


def _compare(where, expected, actual):
    if not isinstance(expected, torch.Tensor):
        if isinstance(expected, (bool, int, float, str)) and not _is_close(expected, actual):
            raise Error(f"{where} is {actual!r}, in eager {expected!r}")
        return
    rtol, atol = _TOLERANCES.get(expected.dtype, (None, None))
    try:
        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        raise Error(f"{where} is not what eager gives: {error}") from None


def _is_close(expected, actual):
    if isinstance(expected, float) and isinstance(actual, float):
        return expected == actual or abs(expected - actual) <= 1e-5 + 1e-4 * abs(expected) or (
            expected != expected and actual != actual)
    return type(expected) is type(actual) and expected == actual
