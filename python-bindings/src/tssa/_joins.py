# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The values of names after a branch, of which only a run knows which arm it takes."""

from ._carried import describe_name
from ._exits import RETURNED, VALUE
from ._expressions import is_unbacked
from ._values import NOTHING, Form, Leaves, Undefined, describe, is_same, is_undefined, nothing_like


class Join:
    """The values of the names after a branch."""

    def __init__(self, control, state, entry, arms, carried):
        self._control, self._recorder = control, control.recorder
        self._state, self._entry, self._carried = state, entry, carried
        self._blocks = [block for block, _ in arms]
        self._sides = [values for _, values in arms]
        self._has_returned = [state.has_returned(values) for values in self._sides]
        self.results, self._pairs = [], []
        self._places = {}  # containers of the arms, by id, and the merged containers

    def run(self):
        self.values = [self._join_name(*parts) for parts in
                       zip(self._state.names, self._entry, *self._sides)]

    def note_aliases(self):
        by = self._recorder.aliases.number()
        for result, sides in zip(self.results, self._pairs):
            self._recorder.aliases.join(by, result, map(self._recorder.lift, sides))

    def _join_name(self, name, before, left, right):
        if name not in self._state.kept and is_undefined(before):
            return before
        if left is right:
            return left
        left, right = nothing_like(left, right), nothing_like(right, left)
        left, right = self._drop_dead(name, left, right)
        parts = [Leaves([side], self._carried) for side in (left, right)]
        if parts[0].structure != parts[1].structure and self._control.carries_lists and type(left) is type(right) is list:
            parts = [Leaves([[piece]]) for piece in self._take_pieces(left, right)]
        if parts[0].structure != parts[1].structure:
            return Undefined(self._say(name, f"{describe(left)} on one path and {describe(right)} on the other"))
        leaves = [self._join(name, l, r) for l, r in zip(parts[0].leaves, parts[1].leaves)]
        (value,) = parts[0].rebuild(leaves, is_new=True)
        self._control.note_joined(value, (left, self._blocks[0]), (right, self._blocks[1]), self._places)
        return value

    def _take_pieces(self, left, right):
        """Returns a piece for each of two lists that differ in length."""
        lists, pieces = self._control.lists, [None, None]
        for i in sorted((0, 1), key=lambda i: not (left, right)[i]):  # an empty list is like the other one
            with self._recorder.block(self._blocks[i]):
                values = (left, right)[i]
                pieces[i] = lists.piece_of(values, pieces[1 - i])
        lists.check_alike(*pieces)
        return pieces

    def _drop_dead(self, name, left, right):
        """Returns the two values, with nothing for that of an arm after which the function reads no name any more."""
        if self._has_returned[0] == self._has_returned[1] or name in (VALUE, RETURNED) or name in self._state.shared:
            return left, right
        live = Leaves([right if self._has_returned[0] else left], self._carried)
        if not live.leaves or any(map(is_undefined, live.leaves)):
            return left, right
        (dead,) = live.rebuild([NOTHING] * len(live.leaves), is_new=True)
        return (dead, right) if self._has_returned[0] else (left, dead)

    def _join(self, name, left, right):
        if is_same(left, right) and self._is_visible(left):
            return left
        if is_undefined(left) and is_undefined(right):
            return left
        if is_undefined(left) or is_undefined(right):
            return Undefined(self._say(name, "assigned on one path only"))
        known = right if left is NOTHING else left
        form = Form(known)
        if form.kind is None:
            return Undefined(self._say(name, f"{describe(left)} on one path and {describe(right)} on the other"))
        for side in (left, right):
            reason = None if side is NOTHING else form.join(side, self._is_visible)
            if reason:
                return Undefined(self._say(name, reason))
        with self._recorder.silence():
            made = form.make(self._control.environment)
        for block, side in zip(self._blocks, (left, right)):
            with self._recorder.block(block):
                block["outputs"].append(self._control.output_of(side))
        self.results.append(made)
        self._pairs.append((left, right))
        return made

    def _is_visible(self, value):
        return not is_unbacked(value) or not self._recorder.is_unknown(value)

    def _say(self, name, reason):
        return self._recorder.locate(f"{describe_name(name)} is {reason}")
