"""Writes sums of products as tensor cores compute them, by exact arithmetic.

usage: tensor_core_sums.py

The rule is the one of "MMA-Sim" (arXiv 2511.10909). A line has the type of the factors, the factors
a, the factors b, the accumulator, and its sums on sm_80 and sm_90, all as bits in hexadecimal.
There are 16 products of f16 and bf16, and 8 of tf32, whose factors are f32 with low bits to ignore.
"""

import random
from fractions import Fraction

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "f32": (8, 23)}  # bits of exponent and fraction
RULES = {"sm_80": (2, 24), "sm_90": (1, 25)}  # steps, fraction bits
LEAST_EXPONENT = -126
NAN, INFINITY = 0x7FFFFFFF, 0x7F800000


def decode(kind, bits):
    """The sign, the exponent (None if not finite) and the value; (sign, None, isNaN) if not finite."""
    exponent_bits, fraction_bits = FORMATS[kind]
    sign = -1 if bits >> (exponent_bits + fraction_bits) & 1 else 1
    field = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if field == (1 << exponent_bits) - 1:
        return sign, None, fraction != 0
    exponent = max(field, 1) - ((1 << (exponent_bits - 1)) - 1)
    significand = Fraction(fraction + ((1 << fraction_bits) if field else 0), 1 << fraction_bits)
    return sign, exponent, sign * significand * Fraction(2) ** exponent


def add_special(factors, accumulator):
    """The sum as bits if a term is not finite, else None."""
    signs = set() if accumulator[1] is not None else {accumulator[0]}
    nan = accumulator[1] is None and accumulator[2]
    for a, b in factors:
        if a[1] is not None and b[1] is not None:
            continue
        zero = any(x[1] is not None and x[2] == 0 for x in (a, b))
        nan = nan or zero or any(x[1] is None and x[2] for x in (a, b))
        signs.add(a[0] * b[0])
    if nan or len(signs) == 2:
        return NAN
    return (INFINITY | (0x80000000 if -1 in signs else 0)) if signs else None


def to_bits(value):
    """An exact value as an f32, cut toward zero."""
    if value == 0:
        return 0
    sign, size = (0x80000000 if value < 0 else 0), abs(value)
    exponent = LEAST_EXPONENT
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    if exponent > 127:
        return sign | INFINITY
    significand = int(size / Fraction(2) ** (exponent - 23))
    return sign | (significand + ((exponent + 126) << 23) if significand >> 23 else significand)


def add(kind, a, b, c, steps, fraction_bits):
    count = len(a) // steps
    for step in range(0, len(a), count):
        factors = [(decode(kind, a[i]), decode(kind, b[i])) for i in range(step, step + count)]
        accumulator = decode("f32", c)
        special = add_special(factors, accumulator)
        if special is not None:
            c = special
            continue
        terms = [(x[2] * y[2], x[1] + y[1]) for x, y in factors if x[2] * y[2] != 0]
        terms.append((accumulator[2], accumulator[1]))
        unit = Fraction(2) ** (max(exponent for _, exponent in terms) - fraction_bits)
        c = to_bits(sum(int(value / unit) for value, _ in terms) * unit)
    return c


def make_number(kind, exponents):
    exponent_bits, fraction_bits = FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    field = min(max(random.randint(*exponents) + bias, 0), 2 * bias)
    return (random.getrandbits(1) << (exponent_bits + fraction_bits)) | field << fraction_bits | random.getrandbits(fraction_bits)


def make_special(kind):
    exponent_bits, fraction_bits = FORMATS[kind]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    return random.choice([infinity, infinity | 1 << (exponent_bits + fraction_bits), infinity | 1, 0])


def make_vector(kind, number):
    """Factors and an accumulator of one of eight sorts."""
    least = 1 - (1 << (FORMATS[kind][0] - 1))
    exponents, of_c = [
        ((-2, 1), (-4, 4)), ((-8, 8), (-20, 20)), ((-1, 0), (-30, -20)), ((-6, -4), (10, 16)),
        ((least, least + 4), (2 * least, 2 * least + 8)), ((-2, 1), (-2, 3)), ((-4, 4), (-140, -120)),
        ((10, -least), (20, 127)),
    ][number % 8]
    a, b = ([make_number(kind, exponents) for _ in range(16)] for _ in range(2))
    c = make_number("f32", of_c)
    if number % 8 == 5:  # pairs of products that almost cancel
        for i in range(0, 16, 2):
            a[i + 1], b[i + 1] = a[i] ^ random.getrandbits(2), b[i] ^ 1 << sum(FORMATS[kind])
    if number % 3 == 0:
        for i in random.sample(range(16), 5):
            a[i] = 0
    if number % 16 == 6:
        a, c = [0] * 15 + [a[15]], 0
    if number % 16 == 15:
        a[random.randrange(16)] = make_special(kind)
        b[random.randrange(16)] = make_special(kind)
    if number % 32 == 31:  # the first half is large, the second infinite
        large = a[0] & ~(1 << sum(FORMATS[kind]))
        a, b, c = [large] * 16, [large] * 16, 0x7F7FFFFF
        a[7 if kind == "tf32" else 12] = {"f16": 0xFC00, "bf16": 0xFF80, "tf32": 0x7FC00}[kind]
    return (a[:8], b[:8], c) if kind == "tf32" else (a, b, c)


def main():
    random.seed(80)
    for kind in ("f16", "bf16", "tf32"):
        for number in range(128):
            a, b, c = make_vector(kind, number)
            sums = [add(kind, a, b, c, *rule) for rule in RULES.values()]
            if kind == "tf32":
                a, b = ([x << 13 | random.getrandbits(13) for x in factors] for factors in (a, b))
            print(kind, *(f"{x:x}" for x in (*a, *b, c, *sums)))


main()
