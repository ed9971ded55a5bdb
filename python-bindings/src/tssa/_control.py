# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records branches and loops that depend on tensors or open sizes as blocks of one node.

A branch is recorded with both arms, and the values that they assign to a name are merged. The body
of a loop is recorded until nothing changes any more, as a fixed point over types, sizes and strides:
at first all names are assumed to keep their values; then those that do not are carried, and a size
that changes becomes unknown.
"""

import contextlib

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ._errors import UnsupportedError
from ._exits import RETURNED, VALUE
from ._buffers import Buffers
from ._lists import Lists, count_of, has_pieces
from ._expressions import UNDECIDED, is_unbacked
from ._record import locate_error
from ._values import (NOTHING, Form, Leaves, NeedsKnown, Undefined, defined, describe, is_same, is_undefined,
                      nothing_like)

#: A loop of at most this many iterations is unrolled.
FEW = 8
_MAX_UNROLLED = 4096
_MAX_ROUNDS = 20
#: What stands for the names of lists that a region carries.
LIST = "a list"
_NO_LIMIT = 2**63 - 1


class Raised(Exception):
    """A `raise` of the program in an arm of a branch that only a run decides."""


class NotYet(NeedsKnown):
    """A list has no such element in the first iteration of a loop."""


class State:
    """The names that a region assigns. kept: those of them that are read outside of it. shared: those that do not belong
    to the function of the region.
    """

    def __init__(self, get, put, names, kept, shared=()):
        self.get, self.put, self.names, self.kept, self.shared = get, put, names, kept, shared

    def has_returned(self, values):
        """Returns whether the function has returned, given the values of the names."""
        return any(name == RETURNED and value is True for name, value in zip(self.names, values))


class _Carried:
    """The lists that a region changes and that were made outside of it: the region carries their contents as pieces.

    entries: {id of a list: (the list, its contents before the region, the piece that stands for them)}.
    """

    def __init__(self, lists):
        self._lists = lists
        self.entries = {}

    def contents(self):
        """Returns for each list its contents now, as a tuple of one piece."""
        made = [self._lists.piece_of(owner, piece) for owner, _, piece in self.entries.values()]
        for now, (_, _, piece) in zip(made, self.entries.values()):
            self._lists.check_alike(piece, now)
        return tuple((now,) for now in made)

    def at_entry(self):
        return tuple((piece,) for _, _, piece in self.entries.values())

    def put(self, contents):
        for (owner, _, _), parts in zip(self.entries.values(), contents):
            owner[:] = defined(parts)

    def undo(self):
        """Gives the lists the contents that they had before the region."""
        for owner, had, _ in self.entries.values():
            owner[:] = had


class _CarryingState(State):
    """The names of a state; after them which arguments their tensors are, if `tracked`, a Recorder, is not None; then the
    lists that the region carries.
    """

    def __init__(self, state, carried, tracked):
        self._state, self._carried, self._tracked = state, carried, tracked
        self.shared = state.shared

    @property
    def names(self):
        return (*self._state.names, *(self._state.names if self._tracked else ()), *[LIST] * len(self._carried.entries))

    @property
    def kept(self):
        return (*self._state.kept, LIST)

    def get(self):
        values = self._state.get()
        origins = map(self._find_origins, values) if self._tracked else ()
        return (*values, *origins, *self._carried.contents())

    def put(self, values):
        count = len(self._state.names)
        self._state.put(values[:count])
        if self._tracked:
            for value, origins in zip(values[:count], values[count:2 * count]):
                self._put_origins(self._leaves(value), origins)
        self._carried.put(values[2 * count if self._tracked else count:])

    def _find_origins(self, value):
        if value is NOTHING:
            return NOTHING
        return tuple(leaf if leaf is NOTHING else self._find_origin(leaf) for leaf in self._leaves(value))

    def _find_origin(self, leaf):
        return self._tracked.aliases.origin_of(self._tracked.lift(leaf))

    def _put_origins(self, leaves, origins):
        if origins is NOTHING:
            return
        is_known = not is_undefined(origins) and len(origins) == len(leaves)
        for leaf, origin in zip(leaves, origins if is_known else [None] * len(leaves)):
            if isinstance(leaf, torch.Tensor) and not self._tracked.aliases.has_origin(leaf):
                self._tracked.aliases.set_origin(leaf, None if is_undefined(origin) else origin)

    def _leaves(self, value):
        return Leaves([value], self._carried.entries).leaves


class ControlFlow:
    """Records branches and loops.

    frames: the blocks that are being recorded, the innermost last. carries_lists: whether lists that a run changes have
    pieces (_lists.py), which is tried before loops are unrolled. tracks_arguments: whether a run notes which argument a
    name is, as it must where a result is an argument on one path only.
    """

    def __init__(self, recorder, carries_lists, tracks_arguments):
        self.recorder, self.carries_lists = recorder, carries_lists
        self.tracked = recorder if tracks_arguments else None
        self.frames = []
        self.lists = Lists(self)
        self._carried = []  # of each block in `frames`: the lists that its region carries
        self._growing = []  # the Buffers of the loops that are being recorded
        self._num_loops = 0  # that are being recorded
        self._index_error = None  # that the last arm raised if it raised one: a run raises it, too, if it takes the arm
        self._not_yet = None  # the last NotYet of an arm, which is left out until the loop around is recorded again

    @property
    def environment(self):
        return self.recorder.fake_mode.shape_env

    @contextlib.contextmanager
    def region(self, carried=None):
        """Records a block that may run once, several times or not at all. Lists have the same contents after it as before."""
        carried = _Carried(self.lists) if carried is None else carried
        with self.recorder.block() as block:
            self.frames.append(block)
            self._carried.append(carried)
            try:
                yield block
            finally:
                self.frames.pop()
                self._carried.pop()
                carried.put(carried.at_entry())

    def carry(self, target, made_in, added):
        """Lets all regions around carry a list that was made in the block `made_in`. added: values that are added to it."""
        element = self.lists.element_of(added[0]) if added else None
        for buffers in self._growing:
            element = buffers.give_up(target) or element
        if not target and element is None:
            return  # it stays empty
        first = 0 if made_in is None else 1 + next(i for i, block in enumerate(self.frames) if block is made_in)
        for depth in range(first, len(self.frames)):
            entries = self._carried[depth].entries
            if id(target) in entries:
                continue
            had = list(target)
            with self.recorder.before(self.frames, depth):
                piece = self.lists.piece_of(had) if had else self.lists.make_empty(element)
            entries[id(target)] = target, had, piece
            target[:] = [piece]

    def output_of(self, value):
        """Returns the value number of `value`, the value of a name at the end of a region."""
        if value is NOTHING:
            return self.recorder.emit("prim::Uninitialized", [])
        return self.recorder.number_of(defined(value))

    @contextlib.contextmanager
    def growing(self, buffers, block, position):
        """Lets lists grow by one element in each iteration while the block is recorded."""
        buffers.begin(block, position)
        self._growing.append(buffers)
        try:
            yield
        finally:
            self._growing.pop()
            buffers.restore()

    # Conditions.

    def condition_of(self, value):
        """Returns bool(value), or a SymBool if only a run knows it."""
        if has_pieces(value):
            value = count_of(value)
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

    def number_of_truth(self, condition):
        """Returns 1 or 0 for a SymBool that only a run knows."""
        number = self.recorder.emit("aten::Int.bool", [self.recorder.number_of(condition)])
        with self.recorder.silence():
            symbol = self.environment.create_unbacked_symint()
            torch._check(symbol >= 0)
            torch._check(symbol <= 1)
        self.recorder.bind(symbol, number)
        return symbol

    # Branches.

    def branch(self, condition, then, orelse, state):
        """Records both arms of an `if` whose condition, a SymBool, only a run knows."""
        flag = self.recorder.number_of(condition)
        carried = _Carried(self.lists)
        try:
            self._record_branch(flag, condition, (then, orelse), _CarryingState(state, carried, self.tracked),
                                carried)
        except BaseException:
            carried.undo()
            raise

    def _record_branch(self, flag, condition, bodies, state, carried):
        entry = state.get()
        arms = [self._run_arm(body, state, carried, entry, condition, truth) for body, truth in zip(bodies, (True, False))]
        missing = [block is None for block, _ in arms]
        if any(missing):
            if all(missing):
                raise self._not_yet
            block, values = arms[1 - missing.index(True)]
            if values is None:
                raise Raised
            self.recorder.adopt(block)
            state.put(values)
            return
        raising = [values is None for _, values in arms]
        if all(raising) and self._index_error is not None:
            raise self._index_error
        if all(raising):
            raise UnsupportedError([self.recorder.locate("both arms of a branch raise an exception: raise it before")])
        lists = carried.at_entry()
        # A list that the second arm has changed first is as before after the first one.
        arms = [(block, values and (*values, *lists[len(values) - len(entry):])) for block, values in arms]
        if any(raising):
            self._finish_assertion(flag, arms, raising.index(True), state)
            return
        joined = _Join(self, state, (*entry, *lists), arms, carried.entries)
        joined.run()
        self.recorder.emit_blocks("prim::If", [flag], [block for block, _ in arms], joined.results)
        joined.note_aliases()
        state.put(joined.values)

    def _run_arm(self, arm, state, carried, entry, condition, truth):
        """Returns (block, values of the names after it), with None instead of the values if the arm raises.

        The block is None if the arm uses an element that a list gets in a later iteration only.
        """
        decided = [_decide(value, condition, truth) for value in entry]
        state.put([*decided, *carried.at_entry()])
        try:
            with self.region(carried) as block:
                try:
                    arm()
                except NotYet as error:
                    if not self._num_loops:
                        raise
                    self._not_yet = error
                    return None, None
                except (Raised, IndexError) as error:
                    self._index_error = error if isinstance(error, IndexError) else None
                    self.recorder.emit("prim::RaiseException", [self.recorder.number_of("raised")])
                    return block, None
                return block, state.get()
        finally:
            state.put([*entry, *carried.at_entry()])

    def _finish_assertion(self, flag, arms, raising, state):
        """Records an arm that raises as an assertion; the other arm becomes part of the enclosing block."""
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
        """Records a loop that runs while goes_on() holds, for at most `count` iterations if that is not None.

        first: whether goes_on() holds before the first iteration: True or a SymBool.
        """
        entry = state.get()
        loop = _Loop(self, state, count)
        self._num_loops += 1
        try:
            self._finish_loop(loop, bind_item, body, goes_on, count, first)
        except BaseException as error:
            state.put(entry)
            loop.undo()
            if isinstance(error, Raised):
                raise UnsupportedError([self.recorder.locate("each iteration of a loop raises an exception: raise it "
                                                               "before")]) from None
            raise
        finally:
            self._num_loops -= 1

    def _finish_loop(self, loop, bind_item, body, goes_on, count, first):
        recorder = self.recorder
        inputs = [recorder.number_of(_NO_LIMIT if count is None else count), recorder.number_of(first)]
        for _ in range(_MAX_ROUNDS):
            self._not_yet = None if self._num_loops == 1 else self._not_yet
            loop.buffers.make_buffers()
            with self.region(loop.carried) as block, loop.iteration():
                with recorder.silence():
                    position = self.environment.create_unbacked_symint()
                    torch._check(position >= 0)
                    if count is not None:
                        torch._check(position < count)
                recorder.add_block_input(block, position)
                loop.enter(block)
                with self.growing(loop.buffers, block, position):
                    body(bind_item(position))
                going = goes_on()  # may assign names, too
                if going is not True:
                    loop.buffers.refuse()
                is_changed = loop.buffers.learn()
                if loop.learn() or is_changed:
                    continue
                if self._not_yet is not None and self._num_loops == 1:
                    raise self._not_yet
                block["outputs"] += [recorder.number_of(going), *loop.leave()]
            inputs += loop.inputs()
            results = loop.make_results()
            recorder.emit_blocks("prim::Loop", inputs, [block], results)
            loop.finish(results)
            loop.buffers.finish()
            return
        raise UnsupportedError([recorder.locate(
            "a loop carries too many values that differ between iterations: keep them in one tensor")])

    def unroll(self, items, body, stop, state):
        """Records the body for each item. After a stop that only a run knows, the rest is in a branch."""
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
        """Returns a NeedsKnown for PyTorch's error about a decision by values of tensors, else the error itself."""
        if isinstance(error, GuardOnDataDependentSymNode):
            return NeedsKnown([locate_error(error, UNDECIDED)])
        return error


def _decide(value, condition, truth):
    """Returns `value` as it is known in the arm where `condition` is `truth`."""
    if not isinstance(value, torch.SymBool):
        return value
    expression, decided = value.node.expr, condition.node.expr
    if expression == decided:
        return truth
    return not truth if expression == ~decided else value


class _Join:
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
        for result, sides in zip(self.results, self._pairs):
            self._recorder.aliases.join(result, map(self._recorder.lift, sides))

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
        return self._recorder.locate(f"{_describe_name(name)} is {reason}")


class _Loop:
    """The parts of names that a loop carries, by position: those that do not keep their values."""

    def __init__(self, control, state, count):
        self._control, self._recorder = control, control.recorder
        self._count = count
        self.carried = _Carried(control.lists)
        self._state = _CarryingState(state, self.carried, control.tracked)
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
        """Gives lists the contents that they had before the loop."""
        self.buffers.restore()
        self.carried.undo()

    def _lose(self, i, reason):
        """Gives up the name at position `i`: it has no value at the start of an iteration and after the loop."""
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
        for i, value in enumerate(self._next):
            if i not in self._forms and is_undefined(after[i]) and not is_undefined(value):
                after[i] = Undefined(self._say(self._names[i], "assigned in a loop that may not run at all"))
        for i, result in zip(self._forms, results):
            sides = map(self._recorder.lift, (self._entry.leaves[i], self._inputs[i], self._next[i]))
            self._recorder.aliases.loop(id(self), self._count, result, *sides)
        self._state.put(self._rebuild(after))

    def _say(self, i, reason):
        name = _describe_name(self._state.names[i])
        return self._recorder.locate(f"{name} {reason}" if reason.startswith("changes") else f"{name} is {reason}")


def _describe_name(name):
    return "the result" if name == VALUE else name if name == LIST else f"'{name}'"
