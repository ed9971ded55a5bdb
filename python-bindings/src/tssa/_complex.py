# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records complex tensors as pairs: real tensors with a last dim of size 2, the real and the imaginary part.

A pair has the memory of its complex tensor, so that view_as_real() and writes through views mean the same. The conjugate
bit stays with the fake complex tensor: a pair holds what is in memory.
"""

import functools

import torch
from torch.utils import _pytree as pytree

from ._complex_rules import MAKERS, RULES, VIEWS, Parts
from ._errors import UnsupportedError
from ._overloads import find_functional, gives_view, operator_name
from ._text import find_permutation


class Pairs:
    """The pairs of the complex fake tensors of a recorder."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._pairs = {}  # (fake complex tensor, pair, where it was made) by the id of the former

    @staticmethod
    def concern(func, args, kwargs):
        """Returns whether a call has to do with complex numbers."""
        if func.namespace == "prim":  # a question to a fake tensor
            return False
        return func in MAKERS or any(_is_complex(leaf) for leaf in pytree.tree_leaves((args, kwargs)))

    def check_result(self, value):
        """Refuses a complex tensor as result of a program."""
        if id(value) in self._pairs:
            place = self._pairs[id(value)][2]
            raise UnsupportedError([f"{place}complex numbers are not supported as results: return torch.view_as_real() "
                                    f"of the tensor that is made here"])

    def check_value(self, value):
        """Refuses a complex tensor where only real ones can be recorded: in and after a loop or branch."""
        if id(value) in self._pairs:
            raise UnsupportedError([self._recorder.locate(
                "complex numbers are not supported as values that a loop or branch takes or gives: use "
                "torch.view_as_real() of them there")])

    def call(self, func, args, kwargs):
        """Records a call by the pairs of its complex arguments."""
        if func in VIEWS:
            return self._take_view(func, args, kwargs)
        rule = RULES.get(func)
        if rule is not None:
            return self._compute(func, rule, args, kwargs)
        if func._can_decompose():
            with self._recorder:
                return func.decompose(*args, **kwargs)
        return self._write(func, args, kwargs)

    def _take_view(self, func, args, kwargs):
        result = self._run_silently(func, args, kwargs)
        with self._recorder:
            made = VIEWS[func](*self._replace(args, self._memory_of), **self._replace(kwargs, self._memory_of))
        if isinstance(result, (list, tuple)):
            return [self._bind(*both) for both in zip(result, made, strict=True)]
        return self._bind(result, made)

    def _compute(self, func, rule, args, kwargs):
        result = self._run_silently(func, args, kwargs)
        with self._recorder:
            made = rule(*self._replace(args, self._parts_of), like=result, recorder=self._recorder,
                        **self._replace(kwargs, self._parts_of))
            if made is NotImplemented:
                self._refuse(func)
            if not result.is_complex():
                return made
            pair = made.join(result)
        if result.is_conj():  # of a copy of a conjugate
            with self._recorder.silence():
                result = torch.empty_strided(result.shape, result.stride(), dtype=result.dtype)
        return self._bind(result, self._order_dims(pair, result))

    def _write(self, func, args, kwargs):
        """Records an in-place form: as its functional form and a copy, or as a view of another shape."""
        functional, target = find_functional(func), args[0] if args else None
        is_written = isinstance(target, torch.Tensor) and id(target) in self._pairs and not target.is_conj()
        is_view = functional in VIEWS and gives_view(functional)
        if not is_written or not is_view and functional not in RULES or "out" in kwargs:
            self._refuse(func)
        if is_view:
            pair = self._memory_of(self._take_view(functional, args, kwargs))
            self._recorder.check_reshaped(func, self._memory_of(target))
            self._run_silently(func, args, kwargs)
            self._pairs[id(target)] = target, pair, self._recorder.locate("")
            return target
        made = self.call(functional, args, kwargs)
        self._run_silently(func, args, kwargs)
        with self._recorder:
            self._memory_of(target).copy_(self._parts_of(made).join(made))
        return target

    def _run_silently(self, func, args, kwargs):
        with self._recorder.silence():
            return func(*args, **kwargs)

    def _refuse(self, func):
        raise UnsupportedError([self._recorder.locate(f"complex numbers are not supported in {operator_name(func)}: "
                                                      f"compute it from torch.view_as_real() of them")])

    @staticmethod
    def _replace(values, function):
        return pytree.tree_map_only((torch.Tensor, complex), function, values)

    def _memory_of(self, value):
        """Returns the pair of a complex tensor, and another value itself."""
        return self._pairs[id(value)][1] if id(value) in self._pairs else value

    def _parts_of(self, value):
        """Returns the Parts of a complex tensor or number, and another value itself."""
        if isinstance(value, complex):
            return Parts(value.real, value.imag)
        if id(value) not in self._pairs:
            return value
        real, imaginary = self._memory_of(value).unbind(-1)
        return Parts(real, -imaginary if value.is_conj() else imaginary)

    def _bind(self, result, made):
        """Returns the fake complex tensor `result`, bound to the pair `made`; or `made` itself, if that is no pair."""
        if not result.is_complex():
            return made
        self._pairs[id(result)] = result, made, self._recorder.locate("")
        return result

    def _order_dims(self, pair, result):
        """Returns the pair with its dims in the order in memory of the complex tensor."""
        wanted = find_permutation(result)
        if wanted is False:
            return pair
        order = [*(wanted or range(result.dim())), result.dim()]
        if (find_permutation(pair) or [*range(pair.dim())]) == order:
            return pair
        with self._recorder:
            return pair.permute(*order).contiguous().permute(*sorted(range(len(order)), key=order.__getitem__))


@functools.singledispatch
def _is_complex(leaf):
    return isinstance(leaf, complex)


@_is_complex.register
def _(leaf: torch.Tensor):
    return leaf.is_complex()


@_is_complex.register
def _(leaf: torch.dtype):
    return leaf.is_complex
