# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators of complex tensors, by operators of their real and imaginary parts.

RULES compute from Parts; a rule returns Parts or a real tensor, and NotImplemented where it does not apply. It is told
the fake result, `like`. VIEWS take pairs and return views of them. MAKERS are the operators of real tensors that have
a complex result or a rule here.
"""

import functools
import math

import torch
from torch._prims_common import canonicalize_dim, canonicalize_dims, corresponding_real_dtype, infer_size

aten = torch.ops.aten
RULES, VIEWS = {}, {}
MAKERS = {aten.complex.default, aten.polar.default, aten.view_as_complex.default, aten._fft_r2c.default,
          aten._neg_view.default}


class Parts:
    """The real and the imaginary part of complex numbers: tensors or numbers."""

    def __init__(self, real, imaginary):
        self.real, self.imaginary = real, imaginary

    def __iter__(self):
        return iter((self.real, self.imaginary))

    def map(self, function):
        return Parts(function(self.real), function(self.imaginary))

    def join(self, like):
        """Returns the pair of the complex tensor `like`, a new tensor."""
        kind = corresponding_real_dtype(like.dtype)
        parts = [part.to(kind) if isinstance(part, torch.Tensor) else torch.full((), part, dtype=kind) for part in self]
        return torch.stack([part.expand(like.shape) for part in parts], -1)


def _rule(*overloads):
    def register(function):
        RULES.update(dict.fromkeys(overloads, function))
        return function
    return register


def _view(*overloads):
    def register(function):
        VIEWS.update(dict.fromkeys(overloads, function))
        return function
    return register


def _elementwise(*overloads):
    """Registers a function of Parts, given in the precision of the result."""
    def register(function):
        @functools.wraps(function)
        def compute(*operands, like, recorder, **options):
            return function(*[_complete(operand, like) for operand in operands], **options)
        return _rule(*overloads)(compute)
    return register


def _complete(value, like):
    """Returns a tensor or number as Parts, in the precision of the complex tensor `like`."""
    kind = corresponding_real_dtype(like.dtype) if like.is_complex() else like.dtype
    parts = value if isinstance(value, Parts) else Parts(value, 0.0)
    return parts.map(lambda part: part.to(kind) if isinstance(part, torch.Tensor) else float(part))


# Parts and memory.

@_view(aten.view_as_real.default, aten.alias.default, aten.detach.default, aten._conj.default, aten.view_as_complex.default)
def _alias(pair):
    return aten.alias(pair)


@_rule(aten._neg_view.default)
def _negate_imaginary(tensor, *, like, recorder):
    """The real view of a conjugate. Nothing may be written any more that shares memory with it."""
    recorder.views.freeze(tensor, aten._neg_view)
    return -tensor


@_rule(aten.complex.default)
def _complex(real, imaginary, *, like, recorder):
    return Parts(real, imaginary)


@_rule(aten.polar.default)
def _polar(radius, angle, *, like, recorder):
    return Parts(radius * torch.cos(angle), radius * torch.sin(angle))


@_rule(aten.clone.default, aten.resolve_conj.default)
def _clone(z, *, like, recorder, memory_format=None):
    return z


@_rule(aten._to_copy.default)
def _to_copy(x, *, like, recorder, **options):
    if like.is_complex():
        return x if isinstance(x, Parts) else Parts(x, 0.0)
    return x.real.to(like.dtype)


@_rule(aten.copy.default)
def _copy(z, source, non_blocking=False, *, like, recorder):
    return source if isinstance(source, Parts) else Parts(source, 0.0)


@_rule(aten.fill.Scalar, aten.fill.Tensor)
def _fill(z, value, *, like, recorder):
    return value if isinstance(value, Parts) else Parts(value, 0.0)


@_rule(aten.zeros.default, aten.zeros_like.default, aten.new_zeros.default, aten.zero.default)
def _zeros(*arguments, like, recorder, **options):
    return Parts(0.0, 0.0)


# Arithmetic.

@_elementwise(aten.neg.default)
def _neg(z):
    return z.map(torch.neg)


@_elementwise(aten._conj_physical.default, aten.conj_physical.default)
def _conj_physical(z):
    return Parts(z.real, -z.imaginary)


def _combine(function, a, b, alpha):
    if isinstance(alpha, Parts):
        return NotImplemented
    return Parts(*(function(x, y if alpha == 1 else y * alpha) for x, y in zip(a, b)))


@_elementwise(aten.add.Tensor, aten.add.Scalar)
def _add(a, b, *, alpha=1):
    return _combine(lambda x, y: x + y, a, b, alpha)


@_elementwise(aten.sub.Tensor, aten.sub.Scalar)
def _sub(a, b, *, alpha=1):
    return _combine(lambda x, y: x - y, a, b, alpha)


@_elementwise(aten.rsub.Scalar, aten.rsub.Tensor)
def _rsub(a, b, *, alpha=1):
    return _sub_of_parts(b, a) if alpha == 1 else NotImplemented


def _sub_of_parts(a, b):
    return Parts(a.real - b.real, a.imaginary - b.imaginary)


@_elementwise(aten.mul.Tensor, aten.mul.Scalar)
def _mul(a, b):
    return Parts(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)


@_elementwise(aten.div.Tensor, aten.div.Scalar)
def _div(a, b):
    return _divide(a, b)


def _divide(a, b):
    """Divides the divisor by its larger part first, so that its square neither overflows nor vanishes."""
    c, d = b.map(lambda part: part if isinstance(part, torch.Tensor) else torch.full((), part))
    is_flat = c.abs() >= d.abs()
    large, small = torch.where(is_flat, c, d), torch.where(is_flat, d, c)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    real = torch.where(is_flat, a.real + a.imaginary * ratio, a.real * ratio + a.imaginary) * scale
    imaginary = torch.where(is_flat, a.imaginary - a.real * ratio, a.imaginary * ratio - a.real) * scale
    is_zero = (c == 0) & (d == 0)
    return Parts(torch.where(is_zero, a.real / c.abs(), real), torch.where(is_zero, a.imaginary / c.abs(), imaginary))


@_elementwise(aten.reciprocal.default)
def _reciprocal(z):
    return _divide(Parts(1.0, 0.0), z)


@_rule(aten.pow.Tensor_Scalar)
def _pow(z, exponent, *, like, recorder):
    if not isinstance(z, Parts) or exponent != 2:
        return NotImplemented
    return Parts(z.real * z.real - z.imaginary * z.imaginary, 2 * z.real * z.imaginary)


@_elementwise(aten.exp.default)
def _exp(z):
    size = torch.exp(z.real)
    return Parts(size * torch.cos(z.imaginary), size * torch.sin(z.imaginary))


@_elementwise(aten.abs.default)
def _abs(z):
    return torch.hypot(z.real, z.imaginary)


@_elementwise(aten.angle.default)
def _angle(z):
    """In eager mode, the result is contiguous in any case."""
    return torch.atan2(z.imaginary, z.real).clone(memory_format=torch.contiguous_format)


@_rule(aten.where.self)
def _where(condition, a, b, *, like, recorder):
    a, b = _complete(a, like), _complete(b, like)
    return Parts(*(torch.where(condition, x, y) for x, y in zip(a, b)))


# Functions that treat both parts alike.

def _apply_to_parts(function, z, *arguments, like, recorder, **options):
    return z.map(lambda part: function(part, *arguments, **options))


for _function in (aten.sum.default, aten.sum.dim_IntList, aten.mean.default, aten.mean.dim, aten.roll.default,
                  aten.flip.default, aten.cumsum.default, aten.index.Tensor, aten.index_select.default):
    _rule(_function)(functools.partial(_apply_to_parts, _function))


@_rule(aten.constant_pad_nd.default)
def _constant_pad_nd(z, pad, value=0, *, like, recorder):
    if isinstance(value, Parts):
        return NotImplemented
    return Parts(aten.constant_pad_nd(z.real, pad, value), aten.constant_pad_nd(z.imaginary, pad, 0))


@_rule(aten.cat.default, aten.stack.default)
def _cat(values, dim=0, *, like, recorder):
    whole = [_complete(value, like) for value in values]
    sides = ([value.real for value in whole],
             [torch.zeros_like(value.real) if isinstance(value.imaginary, float) else value.imaginary for value in whole])
    stacks = like.dim() > sides[0][0].dim()
    return Parts(*((torch.stack if stacks else torch.cat)(side, dim) for side in sides))


# Views.

@_view(aten.select.int)
def _select(pair, dim, index):
    return aten.select(pair, canonicalize_dim(pair.dim() - 1, dim), index)


@_view(aten.slice.Tensor)
def _slice(pair, dim=0, start=None, end=None, step=1):
    return aten.slice(pair, canonicalize_dim(pair.dim() - 1, dim), start, end, step)


@_view(aten.transpose.int)
def _transpose(pair, first, second):
    return aten.transpose(pair, *canonicalize_dims(pair.dim() - 1, (first, second)))


@_view(aten.t.default)
def _t(pair):
    return pair if pair.dim() < 3 else aten.transpose(pair, 0, 1)


@_view(aten.permute.default)
def _permute(pair, dims):
    return aten.permute(pair, [*canonicalize_dims(pair.dim() - 1, tuple(dims)), pair.dim() - 1])


@_view(aten.view.default, aten._unsafe_view.default, aten.reshape.default)
def _reshape(pair, shape):
    return pair.reshape([*infer_size(shape, pair.numel() // 2), 2])


@_view(aten.expand.default)
def _expand(pair, shape, *, implicit=False):
    return aten.expand(pair, [*shape, 2])


@_view(aten.unsqueeze.default)
def _unsqueeze(pair, dim):
    return aten.unsqueeze(pair, canonicalize_dim(pair.dim(), dim))


@_view(aten.squeeze.default)
def _squeeze(pair):
    return aten.squeeze.dims(pair, [*range(pair.dim() - 1)])


@_view(aten.squeeze.dim, aten.squeeze.dims)
def _squeeze_dims(pair, dims):
    dims = [dims] if isinstance(dims, int) else dims
    return aten.squeeze.dims(pair, [canonicalize_dim(pair.dim() - 1, dim) for dim in dims])


@_view(aten.unbind.int)
def _unbind(pair, dim=0):
    return aten.unbind(pair, canonicalize_dim(pair.dim() - 1, dim))


@_view(aten.split.Tensor, aten.split_with_sizes.default)
def _split(pair, sizes, dim=0):
    return torch.split(pair, sizes, canonicalize_dim(pair.dim() - 1, dim))


# Fourier transforms.

def _normalize(pair, sizes, norm, is_inverse):
    """Multiplies by the factor of a normalization: 0 is none, 1 the root of the number of elements, 2 that number."""
    count = functools.reduce(lambda a, b: a * b, sizes, 1)
    factor = 1.0 if norm == 0 else 1 / (math.sqrt(count) if norm == 1 else count)
    factor = factor * count if is_inverse else factor  # an inverse transform has been divided by it
    return pair if factor == 1 else pair * factor


def _transform(recorder, tensor, dims, is_inverse):
    """Transforms pairs along dims."""
    for dim in dims:
        tensor = recorder.emit_dft(tensor, dim, tensor.shape[dim], is_inverse, is_one_sided=False)
    return tensor


@_rule(aten._fft_r2c.default)
def _fft_r2c(x, dims, norm, onesided, *, like, recorder):
    dims = canonicalize_dims(x.dim(), tuple(dims))
    length = x.shape[dims[-1]]
    pair = recorder.emit_dft(x.unsqueeze(-1), dims[-1], length, is_inverse=False, is_one_sided=onesided)
    # The imaginary parts of the first and the middle element are exactly 0, which angle() tells from -0.
    place = torch.arange(pair.shape[dims[-1]]).reshape([-1] + [1] * (x.dim() - 1 - dims[-1]))
    real, imaginary = pair.unbind(-1)
    pair = torch.stack([real, torch.where((place == 0) | (2 * place == length), 0.0, imaginary)], -1)
    pair = _transform(recorder, pair, dims[:-1], is_inverse=False)
    return Parts(*_normalize(pair, [x.shape[dim] for dim in dims], norm, False).unbind(-1))


@_rule(aten._fft_c2c.default)
def _fft_c2c(z, dims, norm, forward, *, like, recorder):
    dims = canonicalize_dims(like.dim(), tuple(dims))
    pair = _transform(recorder, z.join(like), dims, not forward)
    return Parts(*_normalize(pair, [like.shape[dim] for dim in dims], norm, not forward).unbind(-1))


@_rule(aten._fft_c2r.default)
def _fft_c2r(z, dims, norm, last_dim_size, *, like, recorder):
    dims = canonicalize_dims(like.dim(), tuple(dims))
    pair = torch.stack([*z], -1)
    pair = _transform(recorder, pair, dims[:-1], is_inverse=True)
    signal = recorder.emit_dft(pair, dims[-1], last_dim_size, is_inverse=True, is_one_sided=True)
    return _normalize(signal.squeeze(-1), [like.shape[dim] for dim in dims], norm, True)
