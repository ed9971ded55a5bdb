# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a loop carries, which is found by recording its body until nothing changes any more."""

import contextlib

from ._buffers import Buffers
from ._carried import ORIGINS, Carried, CarryingState, describe_name
from ._expressions import is_unbacked
from ._values import NOTHING, Form, Leaves, NeedsKnown, Undefined, describe, is_same, is_undefined, nothing_like


class Loop:
    """The parts of names that a loop carries, by position: those that do not keep their values."""

    def __init__(self, control, state, count):
        self._control, self._recorder = control, control.recorder
        self._count = count
        self.carried = Carried(control)
        self._state = CarryingState(state, self.carried, control.tracked)
        self._num_names = len(self._state.names)
        self._known = self._recorder.known_symbols()
        self.buffers = Buffers(control, count)
        self._lost = {}  # of names that cannot be carried: an Undefined with the reason, by position
        self._opened = {}  # of names that are lists of any length: the piece before the loop, by position
        self._inside, self._next = [], []
        self._begin(self._state.get())

    def _begin(self, values):
        self._entry, self._forms = self._take(values), {}
        self._names = [i for i, value in enumerate(values) for _ in self._take([value]).leaves]

    def _take(self, values):
        return Leaves(values, self.carried.entries)

    def undo(self):
        """Gives containers the contents that they had before the loop."""
        self.buffers.restore()
        self.carried.undo()

    def _lose(self, i, reason):
        """Gives up the name at position `i`: it has no value at the start of an iteration and after the loop."""
        if i >= self._num_names and self._state.names[i] != ORIGINS:
            raise NeedsKnown([self._say(i, reason)])  # it is in a container
        self._lost[i] = Undefined(self._say(i, reason))
        self._begin([self._lost.get(n, value) for n, value in enumerate(self._entry.values)])

    @contextlib.contextmanager
    def iteration(self):
        loops = self._recorder.aliases.open_loops
        loops.append(id(self))
        try:
            yield
        finally:
            loops.remove(id(self))

    def enter(self, block):
        self._inside = list(self._entry.leaves)
        self._inputs = {}
        for i, form in self._forms.items():
            with self._recorder.silence():
                value = form.make(self._control.environment)
            self._recorder.add_block_input(block, value)
            self._recorder.aliases.begin(value)
            self._inputs[i] = value
            if not is_undefined(self._entry.leaves[i]):
                self._inside[i] = value
        self._state.put(self._rebuild(self._inside))

    def _rebuild(self, leaves):
        """Returns the values of the names. A new container and the one before the loop may be the same object."""
        values = self._entry.rebuild(leaves)
        for value, old in zip(values, self._entry.values):
            if value is not old:
                self._control.note_ambiguous(value)
                self._control.note_ambiguous(old)
        return values

    def learn(self):
        """Returns whether an iteration has changed something that was assumed to stay the same."""
        found = self._take([self._lost.get(i, self._as_piece(i, value)) for i, value in enumerate(self._state.get())])
        if len(found.values) > len(self._entry.values):
            self._begin([*self._entry.values[:self._num_names], *self.carried.at_entry()])
            return True
        for i, (old, new) in enumerate(zip(self._entry.structure, found.structure)):
            if old != new:
                if self._entry.values[i] is NOTHING:
                    self._replace(i, nothing_like(NOTHING, found.values[i]))
                elif not self._open(i, found.values[i]):
                    self._lose(i, "changes its structure in the loop")
                return True
        self._next = found.leaves
        is_changed = False
        for i, (old, new) in enumerate(zip(self._inside, self._next)):
            changed, reason = self._learn_part(i, old, new)
            if reason:
                self._lose(self._names[i], reason)
                return True
            is_changed = is_changed or changed
        return is_changed

    def _open(self, i, new):
        """Lets the name at position `i`, which is a list of another length after an iteration, be a list with a piece."""
        old, lists = self._entry.values[i], self._control.lists
        if not self._control.carries_lists or type(old) is not list or type(new) is not list or i in self._opened:
            return False
        frames, like = self._control.frames, None if old else lists.piece_of(new)
        with self._recorder.before(frames, len(frames) - 1):
            piece = self._opened[i] = lists.piece_of(old, like)
        self._replace(i, [piece])
        return True

    def _replace(self, i, value):
        """Begins again with another value of the name at position `i` before the loop."""
        self._begin([value if n == i else known for n, known in enumerate(self._entry.values)])

    def _as_piece(self, i, value):
        if i not in self._opened or type(value) is not list:
            return value
        piece = self._control.lists.piece_of(value, self._opened[i])
        self._control.lists.check_alike(self._opened[i], piece)
        return [piece]

    def _learn_part(self, i, old, new):
        """Returns (whether the part changes in a new way, the reason why it cannot be carried or None)."""
        if is_same(old, new):
            return False, None
        before = self._entry.leaves[i]
        if is_undefined(before) and (self._is_temporary(i) or self._names[i] in self._lost):
            return False, None
        if is_undefined(new):
            return False, "without a value after some iterations"
        is_new = i not in self._forms
        if is_new:
            known = new if is_undefined(before) or before is NOTHING else before
            form = Form(known)
            if form.kind is None:
                return False, f"{describe(before)} before the loop and {describe(new)} after an iteration"
            self._forms[i] = form
        form = self._forms[i]
        reason = form.join(new, self._is_visible)
        return is_new or form.changed, reason

    def _is_temporary(self, i):
        """Returns whether a name that is undefined before the loop stays undefined after it."""
        if self._state.names[self._names[i]] not in self._state.kept:
            return True
        # If the number of iterations is known at the call, a guard makes sure that there is at least one.
        return self._count is None or is_unbacked(self._count)

    def _is_visible(self, value):
        """Returns whether a value that an iteration computes is known before the loop."""
        return not is_unbacked(value) or value.node.expr.free_symbols <= self._known

    def leave(self):
        return [self._control.output_of(self._next[i]) for i in self._forms]

    def inputs(self):
        return [self._control.output_of(NOTHING if is_undefined(value) else value)
                for value in (self._entry.leaves[i] for i in self._forms)]

    def make_results(self):
        with self._recorder.silence():
            return [form.make(self._control.environment) for form in self._forms.values()]

    def finish(self, results):
        after = list(self._entry.leaves)
        for i, result in zip(self._forms, results):
            before = self._entry.leaves[i]
            if is_undefined(before):
                bool(self._count > 0)  # a guard, if the number is a size
            after[i] = result
        self._merge(after)
        for i, value in enumerate(self._next):
            if i not in self._forms and is_undefined(after[i]) and not is_undefined(value):
                after[i] = Undefined(self._say(self._names[i], "assigned in a loop that may not run at all"))
        by = self._recorder.aliases.number()
        for i, result in zip(self._forms, results):
            sides = map(self._recorder.lift, (self._entry.leaves[i], self._inputs[i], self._next[i]))
            self._recorder.aliases.loop(by, id(self), self._count, result, *sides)
        self._state.put(self._rebuild(after))

    def _merge(self, after):
        """Lets parts that each iteration gives the same tensor have one tensor after the loop."""
        for i in self._forms:
            same = (j for j in self._forms if self._next[j] is self._next[i] and self._starts_alike(i, j))
            after[i] = after[next(same)]

    def _starts_alike(self, i, j):
        """Returns whether two parts are the same before the loop, or there is an iteration."""
        before = self._entry.leaves[i], self._entry.leaves[j]
        return before[0] is before[1] or any(map(is_undefined, before))

    def _say(self, i, reason):
        name = describe_name(self._state.names[i])
        return self._recorder.locate(f"{name} {reason}" if reason.startswith("changes") else f"{name} is {reason}")
