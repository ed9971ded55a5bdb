# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Decompositions of special functions into elementary ones.

All but erfinv are computed in f64, whatever the type of the tensor: series that lose digits then lose
none of f32. Each function is a series near 0 and an asymptotic series farther away. The change from one to
the other is where both are exact to about 1e-10.
"""

import functools
import math

import torch

from ._decomposition_table import decomposes

aten = torch.ops.aten
_EULER = 0.57721566490153286


def _elementwise(*overloads):
    """Registers a function of f64 tensors as decomposition of operators whose results are floats."""
    def register(function):
        @functools.wraps(function)
        def compute(*operands):
            tensors = [x for x in operands if isinstance(x, torch.Tensor)]
            kind = functools.reduce(torch.promote_types, [x.dtype for x in tensors])
            kind = kind if kind.is_floating_point else torch.get_default_dtype()
            wide = [x.double() if isinstance(x, torch.Tensor) else x for x in operands]
            return function(*wide).to(kind)

        decomposes(*overloads)(compute)
        return function
    return register


def _polynomial(x, coefficients):
    """Evaluates a polynomial. coefficients: the constant one first."""
    result = torch.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result = torch.addcmul(torch.full_like(x, coefficient), result, x)
    return result


def _nested(t, ratios):
    """Evaluates 1 + r0 t (1 + r1 t (1 + ...)), a series given by the ratios of its terms, without overflow."""
    result = torch.ones_like(t)
    for ratio in reversed(ratios):
        result = 1 + result * t * ratio
    return result


# Gamma.

# Lanczos' sum c0 + c1 / (y + 1) + ... + c8 / (y + 8) as one quotient. No coefficient is negative, so
# that nothing cancels.
_LANCZOS = (10619610.099075994, 11246929.484659927, 5210869.017760831, 1379496.2658786706,
            228235.2154997145, 24165.510665029535, 1599.0425347220457, 60.45833333333203,
            0.9999999999998099)
_LANCZOS_BELOW = (40320.0, 109584.0, 118124.0, 67284.0, 22449.0, 4536.0, 546.0, 36.0, 1.0)


def _sine_of_half_turns(x):
    """Returns sin(pi x) for x from -1/2 to 1/2, by the series."""
    terms = [(-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(11)]
    return x * _polynomial(x * x, terms)


@_elementwise(aten.lgamma.default)
def _lgamma(x):
    reflected = x < 0.5
    y = torch.where(reflected, 1 - x, x) - 1
    near = torch.clamp(y, max=1e17)  # beyond, the sum is c0, and powers of y would overflow
    total = _polynomial(near, _LANCZOS) / _polynomial(near, _LANCZOS_BELOW)
    base = (y + 0.5) * (torch.log(y + 7.5) - 1) - 7 + 0.5 * math.log(2 * math.pi)
    # Computed from the fraction of x, so that integers are poles.
    sine = torch.abs(_sine_of_half_turns(x - x.round()))
    rest = torch.log(torch.where(reflected, total * sine, total))
    # The sum has one use: of two, each would be a copy of all that is above.
    sign = torch.where(reflected, -torch.ones_like(x), 1.0)
    result = (base + rest) * sign + (0.5 - 0.5 * sign) * math.log(math.pi)
    return torch.where(torch.isinf(x), x.abs(), result)


@_elementwise(aten.digamma.default)
def _digamma(x):
    reflected = x < 0
    y = torch.where(reflected, 1 - x, x)
    steps = sum(1 / (y + i) for i in range(10))
    z = y + 10
    w = 1 / (z * z)
    tail = _polynomial(w, (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12))
    above = torch.log(z) - 0.5 / z - w * tail - steps
    part = x - x.round()
    below = torch.where(part == 0, math.nan, math.pi / torch.tan(math.pi * part))
    result = above - torch.where(reflected, below, 0.0)
    return torch.where(x == 0, torch.copysign(torch.full_like(x, math.inf), -x), result)


# B(2k) / (2k)!
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
              1 / 74724249600)


def _sum_powers(s, q):
    """Returns the sum of (q + i) ** -s over all i >= 0, for q >= 0, by the Euler-Maclaurin formula."""
    direct = sum(torch.pow(q + i, -s) for i in range(12))
    z = q + 12
    last = torch.pow(z, -s)
    tail = last * z / (s - 1) + last / 2
    factor = s * last / z
    for i, coefficient in enumerate(_BERNOULLI):
        tail = tail + coefficient * factor
        factor = factor * (s + 2 * i + 1) * (s + 2 * i + 2) / (z * z)
    return direct + tail


def _hurwitz(s, q):
    """Returns the same sum for any q. The terms with q + i < 0 are the difference of two sums if s is an integer."""
    below, part = q < 0, q - q.floor()
    sign = torch.where(s % 2 == 0, 1.0, -1.0)
    passed = sign * (_sum_powers(s, q.ceil() - q) - _sum_powers(s, 1 - q))
    return _sum_powers(s, torch.where(below, part, q)) + torch.where(below, passed, 0.0)


@_elementwise(aten.special_zeta.default, aten.special_zeta.self_scalar,
              aten.special_zeta.other_scalar)
def _zeta(s, q):
    if not isinstance(s, torch.Tensor):
        s = torch.full_like(q, s)
    elif not isinstance(q, torch.Tensor):
        q = torch.full_like(s, q)
    result = torch.where((q < 0) & (s != s.floor()), math.nan, _hurwitz(s, q))
    result = torch.where((q <= 0) & (q == q.floor()), math.inf, result)
    return torch.where(s == 1, math.inf, torch.where(s < 1, math.nan, result))


@_elementwise(aten.polygamma.default)
def _polygamma(n, x):
    if n == 0:
        return _digamma(x)
    result = _zeta(torch.full_like(x, n + 1.0), x)
    if n == 1:
        return torch.where(x == math.inf, 0.0, torch.where(x == -math.inf, math.nan, result))
    return result * (math.factorial(n) if n % 2 else -math.factorial(n))


@decomposes(aten.polygamma_.default)
def _polygamma_in_place(self, n):
    # The arguments are in another order than those of the functional form.
    return self.copy_(aten.polygamma(n, self))


# The error function.

def _invert_erf(y, rest):
    """Returns x >= 0 with erf(x) = y and erfc(x) = rest. The smaller of the two is exact."""
    log = torch.log(rest * (1 + y))
    half = 2 / (math.pi * 0.147) + log / 2
    x = torch.sqrt(torch.sqrt(half * half - log / 0.147) - half)
    for _ in range(3):
        error = torch.where(y < 0.5, torch.erf(x) - y, rest - torch.erfc(x))
        step = error * (math.sqrt(math.pi) / 2) * torch.exp(x * x)
        x = x - step / (1 + x * step)
    return torch.where(rest == 0, math.inf, x)


# erfinv(x) / x by powers of w - 2.5 and of sqrt(w) - 3, where w = -ln(1 - x^2). These are minimax
# fits to a relative error of 1e-8, for w up to 5 and beyond.
_ERFINV_NEAR = (1.5014093592906104, 0.24664028613044178, -4.1773866948052645e-3,
                -1.2527417741047904e-3, 2.1834435305523206e-4, -4.9634225716005578e-6,
                -3.4626815117788314e-6, 4.6618843892739299e-7, 2.3230759864155547e-8,
                -8.7924044427583987e-9)
_ERFINV_FAR = (2.8329768013414651, 1.0016749671575089, 9.4452846200292571e-3,
               -7.6372893566077115e-3, 5.6869816933483794e-3, -3.5974060586156003e-3,
               1.4850782386908248e-3, -5.6772868131128194e-5, -3.0956405430632324e-4,
               1.1569993357963461e-4)


@decomposes(aten.erfinv.default)
def _erfinv(x):
    kind = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    if kind == torch.float64:
        y = x.double().abs()
        return _invert_erf(y, 1 - y) * torch.where(x < 0, -1.0, 1.0)
    x = x.float()
    w = -torch.log((1 - x) * (1 + x))
    ratio = torch.where(w < 5, _polynomial(w - 2.5, _ERFINV_NEAR),
                        _polynomial(torch.sqrt(w) - 3, _ERFINV_FAR))
    return torch.where(x.abs() == 1, x * math.inf, x * ratio).to(kind)


@_elementwise(aten.special_ndtri.default)
def _ndtri(p):
    tail = 2 * torch.where(p > 0.5, 1 - p, p)
    return _invert_erf(1 - tail, tail) * math.sqrt(2) * torch.where(p > 0.5, 1.0, -1.0)


@_elementwise(aten.special_erfcx.default)
def _erfcx(x):
    small = torch.exp(x * x) * torch.erfc(x)
    large = _nested(1 / (x * x), [-0.5, -1.5, -2.5, -3.5]) / (x * math.sqrt(math.pi))
    return torch.where(x < 25, small, large)


# Bessel functions. The asymptotic series, for large x:
#   J + iY = sqrt(2 / (pi x)) exp(i (x - order pi/2 - pi/4)) (P + iQ),
#   I ~ exp(x) / sqrt(2 pi x), K ~ sqrt(pi / (2 x)) exp(-x), with one asymptotic series in 1/x.

def _asymptotic_terms(order, count):
    """a(k) = (4 order^2 - 1)(4 order^2 - 9) ... / (k! 8^k)"""
    terms = [1.0]
    for k in range(1, count):
        terms.append(terms[-1] * (4 * order * order - (2 * k - 1) ** 2) / (8 * k))
    return terms


def _series_ratios(order, count, sign):
    """Returns the ratios of the terms of sum sign^k (x/2)^(2k) / (k! (k + order)!), divided by (x/2)^2."""
    return [sign / (k * (k + order)) for k in range(1, count)]


def _harmonic_series(t, order, count, sign):
    """The sum of sign^k (H(k) + H(k + order)) t^k / (k! (k + order)!)."""
    coefficients, harmonic, factor = [], 0.0, 1 / math.factorial(order)
    for k in range(count):
        if k > 0:
            harmonic += 1 / k
            factor *= sign / (k * (k + order))
        ahead = harmonic + sum(1 / j for j in range(k + 1, k + order + 1))
        coefficients.append((harmonic + ahead) * factor)
    return _polynomial(t, coefficients)


_OSCILLATING, _GROWING, _FALLING = 12.0, 20.0, 9.0  # the x from which the asymptotic series are used


def _bessel_asymptotic(x, order):
    """sqrt(2 / (pi x)) (P, Q) and the phase."""
    terms = _asymptotic_terms(order, 24)
    w = 1 / (x * x)
    p = _polynomial(w, [(-1) ** k * a for k, a in enumerate(terms[0::2])])
    q = _polynomial(w, [(-1) ** k * a for k, a in enumerate(terms[1::2])]) / x
    scale = torch.sqrt(2 / (math.pi * x))
    return scale * p, scale * q, x - (order / 2 + 0.25) * math.pi


def _bessel_j(x, order):
    y = x.abs()
    near = torch.clamp(y, max=_OSCILLATING)
    t = near * near / 4
    small = _nested(t, _series_ratios(order, 40, -1.0)) * (near / 2) ** order
    p, q, phase = _bessel_asymptotic(torch.clamp(y, min=_OSCILLATING), order)
    large = p * torch.cos(phase) - q * torch.sin(phase)
    result = torch.where(torch.isinf(x), 0.0, torch.where(y < _OSCILLATING, small, large))
    return result * torch.sign(x) if order else result


def _bessel_y(x, order):
    near = torch.clamp(x, max=_OSCILLATING)
    t = near * near / 4
    j = _nested(t, _series_ratios(order, 40, -1.0)) * (near / 2) ** order
    small = (torch.log(near / 2) + _EULER) * j * 2
    small = small - _harmonic_series(t, order, 40, -1.0) * (near / 2) ** order
    if order:
        small = small - 2 / near
    p, q, phase = _bessel_asymptotic(torch.clamp(x, min=_OSCILLATING), order)
    large = p * torch.sin(phase) + q * torch.cos(phase)
    result = torch.where(x < _OSCILLATING, small / math.pi, large)
    result = torch.where(torch.isinf(x), 0.0, result)
    result = torch.where(x < 0, math.nan, result)
    return torch.where(x == 0, -math.inf, result)


def _scaled_bessel_i(x, order):
    """exp(-|x|) I(x)"""
    y = x.abs()
    near = torch.clamp(y, max=_GROWING)
    small = _nested(near * near / 4, _series_ratios(order, 60, 1.0)) * (near / 2) ** order
    far = torch.clamp(y, min=_GROWING)
    terms = [(-1) ** k * a for k, a in enumerate(_asymptotic_terms(order, 24))]
    large = _polynomial(1 / far, terms) / torch.sqrt(2 * math.pi * far)
    result = torch.where(y < _GROWING, small * torch.exp(-near), large)
    return result * torch.sign(x) if order else result


def _scaled_bessel_k(x, order):
    """exp(x) K(x)"""
    near = torch.clamp(x, max=_FALLING)
    t = near * near / 4
    i = _nested(t, _series_ratios(order, 50, 1.0)) * (near / 2) ** order
    log = torch.log(near / 2) + _EULER
    rest = _harmonic_series(t, order, 50, 1.0) * (near / 2) ** order / 2
    small = 1 / near + log * i - rest if order else rest - log * i
    far = torch.clamp(x, min=_FALLING)
    large = _polynomial(1 / far, _asymptotic_terms(order, 18)) * torch.sqrt(math.pi / (2 * far))
    result = torch.where(x < _FALLING, small * torch.exp(near), large)
    result = torch.where(x < 0, math.nan, result)
    return torch.where(x == 0, math.inf, result)


def _unscaled(scaled, x):
    """Returns I(x) from exp(-|x|) I(x). It multiplies by exp(|x| / 2) twice, so that no factor overflows too early."""
    half = torch.exp(x.abs() / 2)
    return scaled * half * half


_elementwise(aten.special_bessel_j0.default)(lambda x: _bessel_j(x, 0))
_elementwise(aten.special_bessel_j1.default)(lambda x: _bessel_j(x, 1))
_elementwise(aten.special_bessel_y0.default)(lambda x: _bessel_y(x, 0))
_elementwise(aten.special_bessel_y1.default)(lambda x: _bessel_y(x, 1))
_elementwise(aten.special_i0e.default)(lambda x: _scaled_bessel_i(x, 0))
_elementwise(aten.special_i1e.default)(lambda x: _scaled_bessel_i(x, 1))
_elementwise(aten.i0.default, aten.special_modified_bessel_i0.default)(
    lambda x: _unscaled(_scaled_bessel_i(x, 0), x))
_elementwise(aten.special_i1.default, aten.special_modified_bessel_i1.default)(
    lambda x: _unscaled(_scaled_bessel_i(x, 1), x))
_elementwise(aten.special_scaled_modified_bessel_k0.default)(lambda x: _scaled_bessel_k(x, 0))
_elementwise(aten.special_scaled_modified_bessel_k1.default)(lambda x: _scaled_bessel_k(x, 1))
_elementwise(aten.special_modified_bessel_k0.default)(
    lambda x: _scaled_bessel_k(x, 0) * torch.exp(-x))
_elementwise(aten.special_modified_bessel_k1.default)(
    lambda x: _scaled_bessel_k(x, 1) * torch.exp(-x))


@_elementwise(aten.special_spherical_bessel_j0.default)
def _spherical_bessel_j0(x):
    small = _nested(x * x, [-1 / 6, -1 / 20, -1 / 42, -1 / 72, -1 / 110, -1 / 156])
    result = torch.where(x.abs() < 0.5, small, torch.sin(x) / x)
    return torch.where(torch.isinf(x), 0.0, result)


@_elementwise(aten.angle.default)
def _angle(x):
    return torch.where(torch.isnan(x), x, torch.where(x < 0, torch.full_like(x, math.pi), 0.0))
