# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Facts about single sizes that imply a fact about products of sizes, and hold in the example.

A guard such as `4*a*b == c*d*e` tells the compiler little about a view that splits or joins these dims. If the sizes
are pairwise equal in the example, `a == c, b == d, e == 4` are the guards instead. A call in which they do not hold
is recorded anew. So is one whose sizes a number does not divide as it does in the example, where the program divides a
size that is viewed as parts or cut into chunks.
"""

import collections
import math

import sympy
from torch.utils._sympy.functions import FloorDiv, Mod


class Facts:
    """equalities: conditions. divided: None, or (symbol, int): the int divides the symbol."""

    def __init__(self, equalities, divided=None):
        self.equalities, self.divided = equalities, divided


def explain(condition, values, dims):
    """Returns Facts that imply an equality of products, or that one divides another, or None if the example has none.

    If the condition has a quotient without a remainder, that is the fact: the condition becomes another one by it.

    values: the sizes in the example, by symbol, in the order of the dims. All are at least 1. dims: the dims of the
    sizes, by symbol: of sizes that are equal by chance, those of the same dim belong together.
    """
    divided = _find_quotient(condition, values)
    if divided is not None:
        return Facts([], divided)
    if not isinstance(condition, (sympy.Eq, sympy.Ne)):
        return None
    left, right = condition.args
    if isinstance(left, Mod):
        products = [*map(_factors_of, left.args)] if right == 0 else [None]
    else:
        products = [_factors_of(left), _factors_of(right)]
    if any(product is None or not product[1].keys() <= values.keys() for product in products):
        return None
    find = _explain_divisibility if isinstance(left, Mod) else _explain_equality
    return find(*products, values, dims)


def _find_quotient(condition, values):
    """Returns (symbol, int) of a quotient in an equality that has no remainder in the example, or None.

    A quotient that is rounded up is that of a chunk, of which the condition may be any.
    """
    for quotient in sorted(condition.atoms(FloorDiv), key=str):
        base, number = quotient.args
        if not number.is_Integer:
            continue
        symbol = base - (number - 1)
        if base in values and isinstance(condition, (sympy.Eq, sympy.Ne)):
            symbol = base
        if symbol in values and values[symbol] % int(number) == 0:
            return symbol, int(number)
    return None


def _factors_of(expression):
    """Returns (coefficient, a Counter of symbols) of a product, or None for other expressions."""
    coefficient, symbols = 1, collections.Counter()
    for base, exponent in expression.as_powers_dict().items():
        if not exponent.is_Integer or exponent < 0:
            return None
        if base.is_Integer:
            coefficient *= int(base) ** int(exponent)
        elif base.is_Symbol:
            symbols[base] += int(exponent)
        else:
            return None
    return (coefficient, symbols) if coefficient > 0 else None


def _pair(left, right, values, dims):
    """Returns equalities of symbols that are equal in the example, and the symbols of either side that are left.

    Symbols on both sides are dropped.
    """
    lefts, rights = ([symbol for symbol in values for _ in range(rest[symbol])]
                     for rest in (left - right, right - left))
    equalities = []
    for is_same_dim in (True, False):
        for symbol in [*lefts]:
            twin = next((other for other in rights if values[other] == values[symbol]
                         and (dims[other] == dims[symbol] or not is_same_dim)), None)
            if twin is not None:
                equalities.append(sympy.Eq(symbol, twin))
                lefts.remove(symbol)
                rights.remove(twin)
    return equalities, lefts, rights


def _fix(symbols, values):
    return [sympy.Eq(symbol, values[symbol]) for symbol in symbols]


def _explain_equality(left, right, values, dims):
    common = math.gcd(left[0], right[0])
    equalities, lefts, rights = _pair(left[1], right[1], values, dims)
    products = [math.prod(values[symbol] for symbol in symbols) for symbols in (lefts, rights)]
    factors = [left[0] // common, right[0] // common]
    if products == [*reversed(factors)]:
        return Facts(equalities + _fix(lefts, values) + _fix(rights, values))
    is_shorter = len(lefts) == len(rights) == 1 < left[1].total()
    if not is_shorter or 1 not in factors or factors[0] * products[0] != factors[1] * products[1]:
        return None
    return Facts([*equalities, sympy.Eq(factors[0] * lefts[0], factors[1] * rights[0])])


def _explain_divisibility(value, divisor, values, dims):
    equalities, lefts, rights = _pair(value[1], divisor[1], values, dims)
    if any(values[symbol] != 1 for symbol in rights):
        return None
    equalities += _fix(rights, values)
    count = divisor[0] // math.gcd(value[0], divisor[0])
    if count == 1:
        return Facts(equalities)
    divided = next((symbol for symbol in lefts if values[symbol] % count == 0), None)
    return None if divided is None else Facts(equalities, (divided, count))
