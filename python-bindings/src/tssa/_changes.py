# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Hooks for what changes: which containers the program may change where, and what it has made itself."""

import collections
import contextlib
import inspect
import types

import torch

from ._control import ControlFlow
from ._errors import UnsupportedError
from ._lists import has_pieces
from ._places import are_same
from ._unseen import Unseen, explain
from ._values import NeedsKnown, containers_of

MUTABLE = (list, dict, set, bytearray, collections.deque)
# What has no contents that could change, and is not noted as new.
_UNCHANGING = (torch.Tensor, int, float, complex, str, bytes, type(None), type, types.FunctionType, types.ModuleType,
               torch.dtype, torch.device, torch.nn.Module)


class Changes(ControlFlow):
    """Knows what the program has made, and refuses or carries what it changes.

    reads: collects the state outside of the arguments that it reads (_state.py). The others: see ControlFlow.
    """

    def __init__(self, recorder, reads, carries_lists, tracks_arguments):
        super().__init__(recorder, carries_lists, tracks_arguments)
        self._reads, self._unseen = reads, Unseen(reads, recorder, self.check_pure)
        self._made = {}  # by id: (container, the block in which it was made)
        self._ambiguous = {}  # by id: lists and dicts of which only a run decides which ones they are
        self._arguments = {}  # by id: the lists, dicts and objects among the arguments
        self._stored = {}  # by id: lists and dicts that are elements of lists that a run changes
        self._iterated = []  # what the loops around iterate over
        self._tries = []  # of each `try` around: (the errors that its handlers catch, the number of blocks around it)

    @property
    def reasons(self):
        """Why functions are not rewritten, by their code."""
        return self._unseen.reasons

    def explain(self, error):
        return explain(error, self.reasons)

    # Handlers.

    def begin_try(self, find_kinds):
        """Begins the body of a `try`. find_kinds: returns the errors that its handlers catch; None for all of them."""
        try:
            found = find_kinds()
        except Exception:  # pylint: disable=broad-exception-caught  # a handler tells when it is asked
            found = ()
        kinds = [kind for part in found for kind in (part if isinstance(part, tuple) else (part or BaseException,))]
        self._tries.append((tuple(kind for kind in kinds if isinstance(kind, type)), len(self.frames)))

    def end_try(self):
        self._tries.pop()

    def check_caught(self, kind, what):
        """Refuses what only a run knows and a handler around it would catch. kind: the error; what: a text."""
        if any(issubclass(kind, kinds) for kinds, _ in self._tries):
            raise UnsupportedError([self.recorder.locate(f"only a run knows whether {what}, for which a handler around it waits: test it "
                                                         "before")])

    # What the program has made.

    def fresh(self, value):
        """Notes what the program makes where it stands. Returns it."""
        self._reads.ignore(value)
        return value

    def note_fresh(self, value):
        """Notes what the program has made itself: no call before or after sees it."""
        if not isinstance(value, _UNCHANGING):
            self._reads.ignore(value)

    def note_argument(self, container):
        """Notes a list, dict or object among the arguments."""
        self._arguments[id(container)] = container
        self._reads.ignore(container)

    def made(self, container):
        self._made[id(container)] = (container, self._frame())
        self._reads.ignore(container)
        return container

    def note_joined(self, value, left, right, places):
        """Notes that `value` is merged from `left` and `right`, pairs of an arm's value and its block.

        The merged list may be changed afterwards if each arm made its list for this name alone. places:
        {id of an arm's list: the merged list}.
        """
        for made, *sides in zip(containers_of(value), *(containers_of(side) for side, _ in (left, right))):
            self._made[id(made)] = (made, self._frame())
            for side, (_, block) in zip(sides, (left, right)):
                other = places.setdefault(id(side), made)
                if self._made.get(id(side), (None, None))[1] is not block:
                    for container in (made, *sides):
                        self._ambiguous[id(container)] = container
                elif other is not made:
                    self._ambiguous[id(other)], self._ambiguous[id(made)] = other, made

    def note_ambiguous(self, value):
        """Notes that only a run decides which lists and dicts these are."""
        self._ambiguous.update((id(container), container) for container in containers_of(value))

    def _frame(self):
        return self.frames[-1] if self.frames else None

    def _check_change(self, target, what, added=(), attribute=None):
        """Refuses to change a container where only a run decides about it, unless the regions around can carry it.

        added: the values that are added to it. attribute: the name of the attribute that is assigned.
        """
        if isinstance(target, torch.Tensor):
            return
        is_known = self._reads.knows(target)
        if isinstance(target, MUTABLE):
            self._reads.add_value(target)
        if id(target) in self._ambiguous:
            raise UnsupportedError([self.recorder.locate(
                f"a {type(target).__name__} is {what} that may have another name, too: only a run decides it; "
                "change a copy")])
        if not self.frames:
            return
        made = self._made.get(id(target))
        if made is not None and made[1] is self.frames[-1]:
            return
        if self._can_carry(target, made):
            self.carry(target, made[1], added)
            return
        owners = self._owners_of(target, attribute)
        if not owners or not self._is_outside(target, made, is_known):
            raise NeedsKnown([self.recorder.locate(
                f"a {type(target).__name__} is {what} in a loop or branch that only a run decides about: "
                "make a new one")])
        name = f"a {type(target).__name__}"
        self.carry_contents(owners, made and made[1], name if attribute is None else f"the attributes of {name}")

    def _check_known(self, target):
        """Refuses a change of a container by a function that hooks do not see, where only a run decides about it."""
        if self.frames and self._made.get(id(target), (None, None))[1] is not self.frames[-1]:
            raise NeedsKnown([self.recorder.locate(f"a {type(target).__name__} is changed in a loop or branch that only a run decides "
                                                   "about, by code that is not rewritten: change it in a loop")])

    def _can_carry(self, target, made):
        """Returns whether the regions around can carry a list as a piece."""
        return self._has_piece(target, made) and self._is_made_outside(made) and not self._is_iterated(target)

    def _has_piece(self, target, made):
        return self.carries_lists and type(target) is list and made is not None

    def _is_made_outside(self, made):
        return made[1] is None or any(made[1] is block for block in self.frames)

    def _owners_of(self, target, attribute):
        """Returns the lists, deques and dicts that change as a target is given another element or attribute, if it is known."""
        if attribute is not None:
            return attributes_of(target, attribute)
        is_plain = type(target) in (list, collections.deque, dict, collections.OrderedDict, collections.defaultdict)
        return [target] if is_plain and not has_pieces(target) else []

    def _is_outside(self, target, made, is_known):
        """Returns whether a container that no piece can stand for was there before the regions around.

        is_known: whether the program has read it as state.
        """
        if made is not None:
            return not self._has_piece(target, made) and self._is_made_outside(made)
        if id(target) in self._arguments:
            return True
        return not self._reads.is_fresh(target) and (is_known if isinstance(target, dict) else self._reads.is_old(target))

    def _is_iterated(self, target):
        """Returns whether a loop around iterates over a list, as it changes."""
        return any(target is iterable for iterable in self._iterated)

    def _check_stored(self, owner, values):
        """Refuses a list or dict that becomes an element twice, where elements are copied."""
        if not (has_pieces(owner) or self.carries_lists and self.frames):
            return
        for container in (container for value in values for container in containers_of(value)):
            made = self._made.get(id(container))
            if id(container) in self._stored or made is None or made[1] is not self._frame():
                raise NeedsKnown([self.recorder.locate(f"a {type(container).__name__} may become an element twice of a list of which only "
                                                       f"a run knows the length: append a copy of it")])
            self._stored[id(container)] = container

    def _append(self, owner, *values):
        """Appends to a list that is a buffer. Returns False if `owner` is not such a list."""
        if not self._growing or not self.carries_lists or self._frame() is not self._growing[-1].block:
            return False
        made = self._made.get(id(owner))
        is_outside = made is not None and made[1] is (self.frames[-2] if len(self.frames) > 1 else None)
        is_known = id(owner) not in self._ambiguous and not self._is_iterated(owner)
        return is_outside and is_known and self._growing[-1].append(owner, *values)

    @contextlib.contextmanager
    def _watching(self, *values):
        """Meanwhile code of the program may run for these values that is not rewritten."""
        if not any([self._unseen.may_run(value) for value in values]):
            yield
            return
        had = self._reads.list_changed() if self.frames else []
        with self._unseen.watch():
            yield
        if self.frames and not are_same(self._reads.list_changed(), had):
            raise NeedsKnown([self.recorder.locate("state is changed in a loop or branch that only a run decides about, by code that "
                                                   "is not rewritten: change it outside of the loop or branch")])

    def begin(self):
        """Begins to note what runs, before a function that reads the frame of its caller, such as eval()."""
        self._unseen.begin()

    def end(self):
        self._unseen.end()


def attributes_of(target, name):
    """Returns the dicts that change as an object is given another attribute, where no code of its class decides that; else []."""
    kind = type(target)
    found = inspect.getattr_static(kind, name, None)
    if isinstance(target, (type, types.ModuleType, types.FunctionType)) or hasattr(type(found), "__set__"):
        return []
    if isinstance(target, torch.nn.Module):
        is_moved = name in target._parameters or name in target._modules
        return [] if is_moved or kind.__setattr__ is not torch.nn.Module.__setattr__ else [vars(target), target._buffers]
    is_plain = kind.__setattr__ is object.__setattr__ and hasattr(target, "__dict__")
    return [vars(target)] if is_plain else []
