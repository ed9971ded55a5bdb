# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records branches and loops that depend on tensors or open sizes as blocks of one node.

A branch is recorded with both of its arms, and the values that they assign to names are merged. The
body of a loop is recorded repeatedly until a fixed point over types, sizes and strides is reached. At
first all names are assumed to keep their values. Names that do not are carried by the loop, and a size
that changes becomes unknown.
"""

import contextlib

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ._errors import UnsupportedError
from ._lists import GrowingLists
from ._expressions import is_unbacked
from ._values import (NOTHING, Form, Leaves, NeedsKnown, Undefined, check_defined, describe, is_same,
                      is_undefined)

#: A loop of so many iterations is written down once for each.
FEW = 8
_MAX_UNROLLED = 4096
_MAX_ROUNDS = 20
_NO_LIMIT = 2**63 - 1


class Raised(Exception):
    """A `raise` of the program in an arm of a branch whose condition is known only at run time."""


class State:
    """The names that a region assigns. kept: those that are read outside the region."""

    def __init__(self, get, put, names, kept):
        self.get, self.put, self.names, self.kept = get, put, names, kept


class ControlFlow:
    """Records branches and loops. frames: those that are currently recorded, the innermost last."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.frames = []
        self.grown = {}  # lists that are buffers, by id
        self._growing = []  # what grows in the loops that are being recorded

    @property
    def environment(self):
        return self.recorder.fake_mode.shape_env

    @contextlib.contextmanager
    def region(self, block=None):
        """Records a block whose statements may run any number of times."""
        with self.recorder.block(block) as block:
            self.frames.append(block)
            try:
                yield block
            finally:
                self.frames.pop()

    def output_of(self, value):
        """Returns the value number of a name's value at the end of a region."""
        if value is NOTHING:
            return self.recorder.emit("prim::Uninitialized", [])
        check_defined(value)
        return self.recorder.number_of(value)

    @contextlib.contextmanager
    def growing(self, lists, block, position):
        """Allows lists to get one more element in each run of the block."""
        lists.begin(block, position)
        self._growing.append(lists)
        try:
            yield
        finally:
            self._growing.pop()

    # Conditions.

    def condition_of(self, value):
        """Returns bool(value), or a SymBool if it is known only at run time."""
        if id(value) in self.grown:
            value = self.grown[id(value)].count
        if isinstance(value, torch.Tensor):
            return self._read_truth(value)
        if isinstance(value, (torch.SymInt, torch.SymFloat)):
            value = value != 0
        return value if is_unbacked(value) else bool(value)

    def _read_truth(self, tensor):
        if tensor.dim() and not (isinstance(tensor.numel(), int) and tensor.numel() == 1):
            for size in tensor.shape:
                if size != 1:
                    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        number = self.recorder.truth_of(tensor)
        with self.recorder.silence():
            symbol = self.environment.create_unbacked_symbool()
        self.recorder.bind(symbol, number)
        return symbol

    # Branches.

    def branch(self, condition, then, orelse, state):
        """Records both arms of an `if` whose condition is a SymBool that is known only at run time."""
        flag = self.recorder.number_of(condition)
        entry = state.get()
        arms = [self._run_arm(arm, state, entry, condition, truth)
                for arm, truth in ((then, True), (orelse, False))]
        raising = [values is None for _, values in arms]
        if all(raising):
            raise UnsupportedError([self.recorder.locate("both arms of a branch raise an exception")])
        if any(raising):
            self._finish_assertion(flag, arms, raising.index(True), state)
            return
        joined = _Join(self, state, entry, arms)
        joined.run()
        self.recorder.emit_blocks("prim::If", [flag], [block for block, _ in arms], joined.results)
        joined.note_aliases()
        state.put(joined.values)

    def _run_arm(self, arm, state, entry, condition, truth):
        """Records an arm. Returns (block, values of the names after it), with None for the values if the arm raises."""
        state.put([_decide(value, condition, truth) for value in entry])
        try:
            with self.region() as block:
                try:
                    arm()
                except Raised:
                    self.recorder.emit("prim::RaiseException", [self.recorder.number_of("raised")])
                    return block, None
                return block, state.get()
        finally:
            state.put(entry)

    def _finish_assertion(self, flag, arms, raising, state):
        """Records a check that a run does not take the arm that raises, and then the contents of the other arm."""
        block, values = arms[1 - raising]
        with self.recorder.block() as empty:
            pass
        blocks = [empty, empty]
        blocks[raising] = arms[raising][0]
        self.recorder.emit_blocks("prim::If", [flag], blocks, [])
        self.recorder.adopt(block)
        state.put(values)

    # Loops.

    def loop(self, count, bind_item, body, goes_on, state, first=True):
        """Records a loop of at most `count` iterations (no limit if None), as long as goes_on() holds.

        first: whether it holds at the beginning: True or a SymBool.
        """
        entry = Leaves(state.get())
        try:
            self._finish_loop(_Loop(self, state, entry, count), bind_item, body, goes_on, count, first)
        except Raised:
            state.put(entry.values)
            raise UnsupportedError([self.recorder.locate("each iteration of a loop raises an exception")]) from None
        except BaseException:
            state.put(entry.values)
            raise

    def _finish_loop(self, loop, bind_item, body, goes_on, count, first):
        recorder = self.recorder
        inputs = [recorder.number_of(_NO_LIMIT if count is None else count), recorder.number_of(first)]
        for _ in range(_MAX_ROUNDS):
            loop.lists.make_buffers()
            with self.region() as block, loop.iteration():
                with recorder.silence():
                    position = self.environment.create_unbacked_symint()
                    torch._check(position >= 0)
                    if count is not None:
                        torch._check(position < count)
                recorder.add_block_input(block, position)
                loop.enter(block)
                with self.growing(loop.lists, block, position):
                    body(bind_item(position))
                going = goes_on()  # may assign names too
                if loop.learn() or loop.lists.grew():
                    continue
                block["outputs"] += [recorder.number_of(going), *loop.leave()]
            inputs += loop.inputs()
            results = loop.make_results()
            recorder.emit_blocks("prim::Loop", inputs, [block], results)
            loop.finish(results)
            loop.lists.finish()
            return
        raise UnsupportedError([recorder.locate("what a loop carries does not come to rest")])

    def unroll(self, items, body, stop, state):
        """Records the body for each item. After an exit that is known only at run time, the rest is a branch."""
        items = iter(items)
        for item in items:
            body(item)
            if stop is None:
                continue
            stopped = self.condition_of(stop())
            if stopped is True:
                return
            if stopped is not False:
                self.branch(stopped, lambda: None, lambda: self.unroll(items, body, stop, state), state)
                return

    def refusal(self, error):
        """Returns the refusal that replaces PyTorch's error for a decision that depends on values of tensors."""
        if isinstance(error, GuardOnDataDependentSymNode):
            what = str(error).splitlines()[0]
            return NeedsKnown([self.recorder.locate(f"a decision depends on values that only a run knows: {what}")])
        return error


def _decide(value, condition, truth):
    """Returns the value that `value` has in an arm: a known bool if it is the condition or its negation."""
    if not isinstance(value, torch.SymBool):
        return value
    expression, decided = value.node.expr, condition.node.expr
    if expression == decided:
        return truth
    return not truth if expression == ~decided else value


class _Join:
    """The values of the names after a branch, merged from both arms."""

    def __init__(self, control, state, entry, arms):
        self._control, self._recorder = control, control.recorder
        self._state, self._entry = state, entry
        self._blocks = [block for block, _ in arms]
        self._sides = [values for _, values in arms]
        self.results, self._pairs = [], []
        self._places = {}  # what the containers of the arms have become

    def run(self):
        self.values = [self._join_name(*parts) for parts in
                       zip(self._state.names, self._entry, *self._sides)]

    def note_aliases(self):
        for result, sides in zip(self.results, self._pairs):
            self._recorder.aliases.join(result, sides)

    def _join_name(self, name, before, left, right):
        if name not in self._state.kept and is_undefined(before):
            return before
        if left is right:
            return left
        parts = Leaves([left]), Leaves([right])
        if parts[0].structure != parts[1].structure:
            return Undefined(self._say(name, f"{describe(left)} on one path and {describe(right)} on the other"))
        leaves = [self._join(name, l, r) for l, r in zip(parts[0].leaves, parts[1].leaves)]
        (value,) = parts[0].rebuild(leaves, is_new=True)
        self._control.note_joined(value, (left, self._blocks[0]), (right, self._blocks[1]), self._places)
        return value

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
        return self._recorder.locate(f"'{name}' is {reason}")


class _Loop:
    """The values that a loop carries: the parts of names, by order, that an iteration changes."""

    def __init__(self, control, state, entry, count):
        self._control, self._recorder = control, control.recorder
        self._state, self._entry, self._count = state, entry, count
        self._names = [name for name, value in zip(state.names, entry.values)
                       for _ in Leaves([value]).leaves]
        self._known = self._recorder.known_symbols()
        self.lists = GrowingLists(control, count)
        self._forms = {}
        self._inside, self._next = [], []

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
            self._inputs[i] = value
            if not is_undefined(self._entry.leaves[i]):
                self._inside[i] = value
        self._state.put(self._rebuild(self._inside))

    def _rebuild(self, leaves):
        """Returns the values of the names; a container from an iteration may replace the one before the loop."""
        values = self._entry.rebuild(leaves)
        for value, old in zip(values, self._entry.values):
            if value is not old:
                self._control.note_ambiguous(value)
                self._control.note_ambiguous(old)
        return values

    def learn(self):
        """Compares the values after an iteration with the assumptions. Returns whether an assumption changed."""
        found = Leaves(self._state.get())
        if found.structure != self._entry.structure:
            changed = [name for name, old, new in zip(self._state.names, self._entry.structure, found.structure)
                       if old != new]
            raise NeedsKnown([self._say(changed[0], "changes its structure in the loop")])
        self._next = found.leaves
        changes = [self._learn_part(i, old, new)
                   for i, (old, new) in enumerate(zip(self._inside, self._next))]
        return any(changes)

    def _learn_part(self, i, old, new):
        if is_same(old, new):
            return False
        before = self._entry.leaves[i]
        if is_undefined(before) and self._is_temporary(i):
            return False
        check_defined(new)
        is_new = i not in self._forms
        if is_new:
            known = new if is_undefined(before) or before is NOTHING else before
            form = Form(known)
            if form.kind is None:
                raise NeedsKnown([self._say(self._names[i], f"{describe(before)} before the loop and "
                                                            f"{describe(new)} after an iteration")])
            self._forms[i] = form
        form = self._forms[i]
        reason = form.join(new, self._is_visible)
        if reason:
            raise NeedsKnown([self._say(self._names[i], reason)])
        return is_new or form.changed

    def _is_temporary(self, i):
        """Returns whether a name that is undefined before the loop is not used after it."""
        if self._names[i] not in self._state.kept:
            return True
        # Where the number of iterations is known at the call, one is enough.
        return self._count is None or is_unbacked(self._count)

    def _is_visible(self, value):
        """Returns whether a size that an iteration computes is known before the loop."""
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
        for i, value in enumerate(self._next):
            if i not in self._forms and is_undefined(after[i]) and not is_undefined(value):
                after[i] = Undefined(self._say(self._names[i], "assigned in a loop that may not run at all"))
        for i, result in zip(self._forms, results):
            self._recorder.aliases.loop(id(self), self._count, result, self._entry.leaves[i],
                                        self._inputs[i], self._next[i])
        self._state.put(self._rebuild(after))

    def _say(self, name, reason):
        return self._recorder.locate(f"'{name}' is {reason}" if not reason.startswith("changes") else
                                     f"'{name}' {reason}")
