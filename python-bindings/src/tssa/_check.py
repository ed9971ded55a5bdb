# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""tssa.compile(..., check=True): compares a compiled program with eager mode."""

import copy
import re

import torch
from torch.utils import _pytree as pytree

from ._errors import Error
from ._values import kind_of

# In single precision, other orders of summation and other approximations of functions change the last bits.
_TOLERANCES = {torch.float32: (1e-3, 1e-4), torch.float16: (2e-2, 1e-2), torch.bfloat16: (5e-2, 2e-2)}


class Reference:
    """The results of a call in eager mode, and the contents of its arguments afterwards."""

    def __init__(self, program, args, kwargs):
        program, (args, kwargs) = copy.deepcopy((program, (args, kwargs)))
        with torch.no_grad():
            result = program(*args, **kwargs)
        self._expected = {"result": result, "argument": (args, kwargs)}

    def compare(self, name, result, args, kwargs):
        """Raises an Error if the results or the arguments of the compiled program differ."""
        for what, actual in (("result", result), ("argument", (args, kwargs))):
            expected, spec = pytree.tree_flatten(self._expected[what])
            found, other = pytree.tree_flatten(actual)
            if spec != other:
                raise Error(f"{name}: {what} is {show_structure(expected, spec)} in eager mode, "
                            f"the compiled program gives {show_structure(found, other)}")
            for i, (left, right) in enumerate(zip(expected, found)):
                _compare(f"{name}: {what} {i}", left, right)


def show_structure(values, spec):
    """Returns a text with the types of values in their containers, such as ([Tensor, int],)."""
    kinds = ["Tensor" if isinstance(value, torch.Tensor) else (kind_of(value) or type(value)).__name__
             for value in values]
    return re.sub("'(.*?)'", r"\1", str(pytree.tree_unflatten(kinds, spec)))


def _compare(where, expected, actual):
    if not isinstance(expected, torch.Tensor):
        if isinstance(expected, (bool, int, float, str)) and not _is_close(expected, actual):
            raise Error(f"{where} is {actual!r}, but {expected!r} in eager mode")
        return
    rtol, atol = _TOLERANCES.get(expected.dtype, (None, None))
    try:
        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        raise Error(f"{where} differs from eager mode: {error}") from None


def _is_close(expected, actual):
    if isinstance(expected, float) and isinstance(actual, float):
        return expected == actual or abs(expected - actual) <= 1e-5 + 1e-4 * abs(expected) or (
            expected != expected and actual != actual)
    return type(expected) is type(actual) and expected == actual
