# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Replaces `return`, `break` and `continue` by flags, and moves the rest of a block under a condition."""

import ast
import functools

from ._syntax import (HOOKS, SCOPES, CannotRewrite, any_of, at, call_hook, load, set_flag, store,
                      walk_statement)

#: The names of the result, and of the flag that says whether there is one.
VALUE, RETURNED = "__tssa_value", "__tssa_returned"


class Exits:
    """Replaces the exits (`return`, `break`, `continue`) in the statements of one function."""

    def __init__(self):
        self._num_loops = 0

    def run(self, body):
        last = body[-1]
        returns = [node for statement in body for node in walk_statement(statement)
                   if isinstance(node, ast.Return)]
        if not returns:
            return self._block(body, None)[0]
        if returns == [last]:
            return self._block(body[:-1], None)[0] + [last]
        made, _, _ = self._block(body, None)
        result = call_hook("returned", load(VALUE), load(RETURNED))
        nothing = ast.Attribute(load(HOOKS), "nothing", ast.Load())
        return [ast.Assign([store(VALUE)], nothing), set_flag(RETURNED, False), *made,
                at(ast.Return(at(result, last)), last)]

    def _block(self, statements, loop):
        """Returns (statements, the flags that they may set, whether they always set one)."""
        made = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1:]
            new, flags, always, has_rest = self._statement(statement, rest, loop)
            made += new
            if always or has_rest:
                return made or [ast.Pass()], flags, always
            if flags:
                if not rest:
                    return made, flags, False
                inner, more, rest_always = self._block(rest, loop)
                made.append(self._guard(inner, flags, rest[0]))
                return made, flags | more, False
        return made or [ast.Pass()], set(), False

    @staticmethod
    def _guard(statements, flags, place):
        """Returns an `if` that runs the statements if none of the flags is set."""
        test = any_of(sorted(flags))
        return at(ast.If(ast.UnaryOp(ast.Not(), test), statements, []), place)

    def _statement(self, statement, rest, loop):
        """Returns (statements, flags, whether one is always set, whether the statements include `rest`)."""
        place = functools.partial(at, old=statement)
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            return [place(ast.Assign([store(VALUE)], value)), set_flag(RETURNED, True)], {RETURNED}, True, False
        if isinstance(statement, (ast.Break, ast.Continue)):
            flag = f"__tssa_{type(statement).__name__.lower()}_{loop}"
            return [set_flag(flag, True)], {flag}, True, False
        if isinstance(statement, ast.If):
            return self._if(statement, rest, loop)
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, loop)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            statement.body, flags, always = self._block(statement.body, loop)
            return [statement], flags, always, False
        if isinstance(statement, ast.Try) and not any(_leaves(inner, loop) for inner in statement.finalbody):
            return self._try(statement, loop)
        if _leaves(statement, loop):
            raise CannotRewrite("a `return`, `break` or `continue` is inside of `finally`, `match` or `except*`")
        return [statement], set(), False, False

    def _try(self, statement, loop):
        """A value that is returned is computed before its flag is set, so that handlers see the errors of it."""
        statement.body, flags, always = self._block(statement.body, loop)
        if statement.orelse:
            orelse, more, else_always = self._block(statement.orelse, loop)
            statement.orelse = [self._guard(orelse, flags, orelse[0])] if flags else orelse
            flags, always = flags | more, always or not flags and else_always
        for handler in statement.handlers:
            handler.body, more, handler_always = self._block(handler.body, loop)
            flags, always = flags | more, always and handler_always
        return [statement], flags, always, False

    def _if(self, statement, rest, loop):
        body, flags, always = self._block(statement.body, loop)
        orelse, else_flags, else_always = self._block(statement.orelse, loop) if statement.orelse else (
            [], set(), False)
        has_rest = False
        if rest and always and not else_flags:
            orelse, else_flags, else_always = self._block(statement.orelse + rest, loop)
            has_rest = True
        elif rest and else_always and not flags:
            body, flags, always = self._block(statement.body + rest, loop)
            has_rest = True
        statement.body, statement.orelse = body, orelse
        return [statement], flags | else_flags, always and else_always, has_rest

    def _loop(self, statement, loop):
        self._num_loops += 1
        number = self._num_loops
        stop, skip = f"__tssa_break_{number}", f"__tssa_continue_{number}"
        statement.body, flags, _ = self._block(statement.body, number)
        made, outside = [], flags - {stop, skip}
        if skip in flags:
            statement.body.insert(0, set_flag(skip, False))
        if stop in flags:
            made.append(set_flag(stop, False))
        statement.stop_flags = sorted(flags - {skip})
        made.append(statement)
        if statement.orelse:
            orelse, more, _ = self._block(statement.orelse, loop)
            made += [self._guard(orelse, flags - {skip}, orelse[0])] if flags - {skip} else orelse
            outside |= more
            statement.orelse = []
        # A loop without an end of its own, and without a break, ends by returning.
        is_endless = isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and bool(statement.test.value)
        if is_endless and flags - {skip} == {RETURNED}:
            made.append(set_flag(RETURNED, True))
            return made, outside, True, False
        return made, outside, False, False


def _leaves(statement, loop):
    """Returns whether the statement contains a `return`, or a `break` or `continue` of the loop around it."""
    return any(isinstance(node, ast.Return) for node in walk_statement(statement)) or loop is not None and _has_exit(statement)


def _has_exit(statement):
    """Returns whether the statement contains a `break` or `continue` of the loop around it."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if not isinstance(node, (*SCOPES, ast.For, ast.While)):
            waiting += ast.iter_child_nodes(node)
    return False
