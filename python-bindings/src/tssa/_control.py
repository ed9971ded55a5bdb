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

from ._carried import Carried, CarryingState, Origins
from ._errors import UnsupportedError
from ._expressions import UNDECIDED, is_unbacked
from ._joins import Join
from ._lists import Lists, count_of, has_pieces
from ._loops import Loop
from ._record import locate_error
from ._values import NOTHING, NeedsKnown, defined

#: A loop of at most this many iterations is unrolled.
FEW = 8
_MAX_ROUNDS = 20
_NO_LIMIT = 2**63 - 1


class Raised(Exception):
    """A `raise` of the program in an arm of a branch that only a run decides."""


class NotYet(NeedsKnown):
    """A list has no such element in the first iteration of a loop."""


class ControlFlow:
    """Records branches and loops.

    frames: the blocks that are being recorded, the innermost last. carries_lists: whether lists that a run changes have
    pieces (_lists.py), which is tried before loops are unrolled. tracks_arguments: whether a run notes which argument a
    name is, as it must where a result is an argument on one path only.
    """

    def __init__(self, recorder, carries_lists, tracks_arguments):
        self.recorder, self.carries_lists = recorder, carries_lists
        self.tracked = Origins(recorder) if tracks_arguments else None
        self.frames = []
        self.lists = Lists(self)
        self._carried = []  # of each block in `frames`: the containers that its region carries
        self._growing = []  # the Buffers of the loops that are being recorded
        self._num_loops = 0  # that are being recorded
        self._index_error = None  # that the last arm raised if it raised one: a run raises it, too, if it takes the arm
        self._not_yet = None  # the last NotYet of an arm, which is left out until the loop around is recorded again

    @property
    def environment(self):
        return self.recorder.fake_mode.shape_env

    @contextlib.contextmanager
    def region(self, carried=None):
        """Records a block that may run once, several times or not at all. Containers have the same contents after it as before."""
        carried = Carried(self) if carried is None else carried
        with self.recorder.block() as block:
            self.frames.append(block)
            self._carried.append(carried)
            try:
                yield block
            finally:
                self.frames.pop()
                self._carried.pop()
                carried.enter()

    def carry(self, target, made_in, added):
        """Lets all regions around carry a list that was made in the block `made_in`. added: values that are added to it."""
        element = self.lists.element_of(added[0]) if added else None
        for buffers in self._growing:
            element = buffers.give_up(target) or element
        if not target and element is None:
            return  # it stays empty
        for depth in range(self._depth_in(made_in), len(self.frames)):
            carried = self._carried[depth]
            if id(target) in carried.entries:
                continue
            had = list(target)
            with self.recorder.before(self.frames, depth):
                piece = self.lists.piece_of(had) if had else self.lists.make_empty(element)
            carried.add_pieces(target, had, piece)
            target[:] = [piece]

    def carry_contents(self, owners, made_in, name):
        """Lets all regions around carry the elements of containers. name: what a message calls them."""
        for carried in self._carried[self._depth_in(made_in):]:
            for owner in owners:
                if id(owner) not in carried.entries:
                    carried.add_contents(owner, name)

    def _depth_in(self, made_in):
        """Returns the number of regions around what was made in the block `made_in`."""
        return 0 if made_in is None else 1 + next(i for i, block in enumerate(self.frames) if block is made_in)

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
        carried = Carried(self)
        try:
            self._record_branch(flag, condition, (then, orelse), CarryingState(state, carried, self.tracked),
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
        joined = Join(self, state, (*entry, *lists), arms, carried.entries)
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
        loop = Loop(self, state, count)
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
                recorder.add_counter(position, count)
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

    def explain(self, error):
        """Returns a text that tells more about a decision, or ""."""
        return ""

    def refusal(self, error):
        """Returns a NeedsKnown for PyTorch's error about a decision by values of tensors, else the error itself."""
        if isinstance(error, GuardOnDataDependentSymNode):
            return NeedsKnown([locate_error(error, UNDECIDED + self.explain(error))])
        return error


def _decide(value, condition, truth):
    """Returns `value` as it is known in the arm where `condition` is `truth`."""
    if not isinstance(value, torch.SymBool):
        return value
    expression, decided = value.node.expr, condition.node.expr
    if expression == decided:
        return truth
    return not truth if expression == ~decided else value
