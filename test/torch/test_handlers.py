# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs with `try`: a handler catches what it catches in eager mode, or the program is refused."""

import contextlib
import unittest

import torch

import tssa
from support import AgreementTest

X = torch.tensor([0.0, 2.0])
RIGHT, REFUSED = [], []


def right(*calls):
    """Adds a program that gives what it gives in eager mode."""
    def add(function):
        RIGHT.append((function, calls))
        return function

    return add


def refused(text):
    """Adds a program that is refused: only a run knows `text`."""
    def add(function):
        REFUSED.append((function, f"only a run knows whether {text}, for which a handler around it waits"))
        return function

    return add


@refused("a divisor is 0")
def a_quotient(x):
    try:
        return 1 // int(x[0])
    except ZeroDivisionError:
        return -1


@refused("a divisor is 0")
def a_quotient_of_floats(x):
    try:
        return 1 / float(x[0])
    except Exception:
        return -1.0


@refused("a divisor is 0")
def a_remainder_in_place(x):
    n = 7
    try:
        n %= int(x[0])
    except (ValueError, ArithmeticError):
        n = -1
    return n


@refused("a divisor is 0")
def both(x):
    try:
        return divmod(7, int(x[0]))
    except:  # noqa: E722
        return -1, -1


@refused("a divisor is 0")
def suppressed(x):
    made = -1
    with contextlib.suppress(ZeroDivisionError):
        made = 5 // int(x[0])
    return made


def divide(x):
    return 1 // int(x[0])


@refused("a divisor is 0")
def in_a_function(x):
    try:
        return divide(x)
    except ZeroDivisionError:
        return -1


@refused("an index is in range")
def an_index(x):
    try:
        return x[int(x[1])]
    except IndexError:
        return x[0]


@refused("an assertion holds")
def an_assertion(x):
    try:
        assert x.sum() > 5
        return x
    except AssertionError:
        return -x


@refused("ValueError is raised")
def raised_in_an_arm(x):
    try:
        if x.sum() > 5:
            raise ValueError("x")
        return x
    except ValueError:
        return -x


@right((X,), (X + 1,), (X - 5,))
def caught_in_an_arm(x):
    if x.sum() > 1:
        try:
            raise ValueError("x")
        except ValueError:
            x = x + 1
    return x


@right((X,), (X + 1,))
def another_handler(x):
    try:
        return x / (int(x[1]) + 1)
    except TypeError:
        return x


@right((X,), (X + 1,))
def tested_before(x):
    n = int(x[0])
    try:
        return 1 // n if n > 0 else -1
    except TypeError:
        return -2


@right((X,), (torch.ones(7),))
def known_when_it_is_recorded(x):
    try:
        y = x.reshape(7)
    except RuntimeError:
        y = x * 3
    else:
        y = y + 1
    finally:
        x = x + 1
    return y + x


@right((torch.arange(12.0),))
def in_range_in_a_loop(x):
    made = []
    for i in range(x.size(0)):
        try:
            made.append(x[i] / 2)
        except (IndexError, ZeroDivisionError):
            made.append(x[0])
    return made


@right((X,), (X + 1,))
def an_error_of_its_own(x):
    try:
        raise KeyError("k")
    except LookupError as error:
        return x + len(error.args)


@right((X,))
def nested(x):
    try:
        try:
            {}["a"]
        except ValueError:
            x = x + 1
    except KeyError:
        x = x + 2
    with contextlib.suppress(KeyError):
        {}["a"]
    return x


class Handlers(AgreementTest):
    def test_right(self):
        for function, calls in RIGHT:
            with self.subTest(function.__name__):
                compiled = tssa.compile(function)
                for arguments in calls:
                    self.check(function, arguments, compiled)

    def test_refused(self):
        for function, text in REFUSED:
            with self.subTest(function.__name__):
                with self.assertRaisesRegex(tssa.UnsupportedError, r"test_handlers.py:\d+: " + text):
                    tssa.compile(function)(X)

    def test_refusals_are_not_caught(self):
        def program(x):
            with contextlib.suppress(Exception):
                return [torch.sin, torch.cos][int(x[0])](x)
            return x

        with self.assertRaisesRegex(tssa.UnsupportedError, "the index into a list must be known"):
            tssa.compile(program)(X)


if __name__ == "__main__":
    unittest.main()
