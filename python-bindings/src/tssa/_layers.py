# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Decompositions of operators of networks, and of distances."""

import math

import torch
from torch._decomp.decompositions import upsample_compute_output_size
from torch.nn import functional

from ._decomposition_table import decomposes
from ._errors import UnsupportedError
from ._expressions import is_unbacked
from ._values import has_zero

aten = torch.ops.aten


# Pooling to a given output size. The dim is divided into equal parts; windows begin and end at their rounded borders.

def _windows(extent, count):
    return [(i * extent // count, -(-(i + 1) * extent // count)) for i in range(count)]


@decomposes(aten._adaptive_avg_pool3d.default)
def _adaptive_avg_pool3d(self, output_size):
    """Takes means along one dim after the other, since windows are boxes. Means of 16-bit floats are kept in f32."""
    for dim in range(1, self.dim()):
        if self.shape[dim] == 0:
            raise RuntimeError("adaptive_avg_pool3d(): Expected input to have non-zero size for non-batch dimensions, "
                               f"but input has sizes {list(self.shape)} with dimension {dim} being empty")
    kind = self.dtype
    self = self.to(torch.promote_types(kind, torch.float32))
    for dim, count in zip((-3, -2, -1), output_size):
        if count == 0:
            return NotImplemented
        self = torch.stack([self.narrow(dim, begin, end - begin).mean(dim)
                            for begin, end in _windows(self.shape[dim], count)], dim)
    return self.to(kind)


_whole_pool = torch._decomp.decomposition_table[aten._adaptive_avg_pool2d.default]


@decomposes(aten._adaptive_avg_pool2d.default)
def _adaptive_avg_pool2d(self, output_size):
    """PyTorch's decomposition, with the strides of its kernel: those of channels last for an image that has them."""
    if has_zero(self.shape[:-2]) and not has_zero(self.shape[-2:]):
        return self.new_zeros([*self.shape[:-2], *output_size])
    made = _whole_pool(self, output_size)
    is_last = self.dim() == 4 and torch._prims_common.suggest_memory_format(self) == torch.channels_last
    return made.clone(memory_format=torch.channels_last) if is_last else made


def _adaptive_max_pool(self, output_size):
    """Takes the maximum along the last dim, then along the dim before it, and so on, with the positions."""
    if 0 in output_size or 0 in self.shape:
        return NotImplemented
    spatial = self.shape[-len(output_size):]
    places, step = torch.zeros_like(self, dtype=torch.int64), 1
    for dim in range(-1, -len(output_size) - 1, -1):
        values, indexes = [], []
        for begin, end in _windows(spatial[dim], output_size[dim]):
            value, inner = self.narrow(dim, begin, end - begin).max(dim, keepdim=True)
            before = torch.gather(places.narrow(dim, begin, end - begin), dim, inner)
            values.append(value)
            indexes.append(before + (inner + begin) * step)
        self, places = torch.cat(values, dim), torch.cat(indexes, dim)
        step = step * spatial[dim]
    return self, places


decomposes(aten.adaptive_max_pool2d.default, aten.adaptive_max_pool3d.default)(_adaptive_max_pool)


# Resizing.

def _is_equal(left, right):
    """Returns whether two sizes are equal, which a guard fixes; False if only a run knows."""
    return not is_unbacked(left) and not is_unbacked(right) and bool(left == right)


def _resize(packet, is_exact):
    """Registers PyTorch's decomposition, without the scales of dims for which its kernels do not use them.

    is_exact(self, output_size, size, wanted): whether the kernel goes by the sizes in this dim.
    """
    whole = torch._decomp.decomposition_table[packet.default]

    @decomposes(packet.default)
    def resize(self, output_size, *options):
        count = len(output_size)
        kept, scales = options[:-count], options[len(options) - count:]
        sizes = self.shape[-count:]
        if has_zero((*self.shape[1:], *output_size)):
            raise RuntimeError(f"Non-empty {self.dim()}D data tensor expected but got a tensor with sizes "
                               f"{list(self.shape)} for the output sizes {list(output_size)}")
        scales = [None if scale is not None and is_exact(self, output_size, size, wanted) else scale
                  for scale, size, wanted in zip(scales, sizes, output_size)]
        return whole(self, output_size, *kept, *scales)

    @decomposes(packet.vec)
    def resize_by_factors(self, output_size, *options):
        *kept, factors = options
        output_size = upsample_compute_output_size(self.shape, output_size, factors)
        return packet(self, output_size, *kept, *(factors or [None] * len(output_size)))


def _keeps_size(self, output_size, size, wanted):
    return _is_equal(size, wanted)


def _keeps_or_doubles_size(self, output_size, size, wanted):
    """One of the two kernels for images goes by the sizes. The other one is for large images, with exceptions."""
    if not _is_equal(size, wanted) and not _is_equal(2 * size, wanted):
        return False
    is_small = bool(output_size[0] + output_size[1] <= 128)
    return is_small or self.shape[1] > 3 and self.is_contiguous(memory_format=torch.channels_last)


for linear in (aten.upsample_linear1d, aten.upsample_bilinear2d, aten.upsample_trilinear3d):
    _resize(linear, _keeps_size)
_resize(aten.upsample_nearest2d, _keeps_or_doubles_size)


# Normalisation.

@decomposes(aten.native_batch_norm.default)
def _native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    if training:
        whole = torch._decomp.decomposition_table[aten.native_batch_norm.default]
        return whole(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return aten._native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps)


# Attention.

@decomposes(aten._scaled_dot_product_flash_attention_for_cpu.default)
def _attend(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    """The result has the strides of the query; the logarithms of the sums have those of PyTorch's kernel."""
    if dropout_p != 0:
        return NotImplemented
    if query.shape[1] != key.shape[1]:
        groups = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    wide = torch.promote_types(query.dtype, torch.float32)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    # The scaled keys are a new tensor, which the product reads by columns.
    scores = torch.matmul(query.to(wide), (key.to(wide) * scale).transpose(-2, -1))
    if is_causal:
        rows, columns = (torch.arange(scores.shape[dim]) for dim in (-2, -1))
        scores = torch.where(columns <= rows.unsqueeze(-1), scores, -math.inf)
    if attn_mask is not None:
        scores = torch.where(attn_mask, scores, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = torch.softmax(scores, -1)
    # The weights of a row that is masked as a whole are 0. Weights that are NaN because of a score are kept.
    weights = torch.where((scores == -math.inf) & weights.isnan(), 0.0, weights)
    found = torch.matmul(weights, value.to(wide))
    result = torch.empty_like(query).copy_(found)
    sums = torch.logsumexp(scores, -1)
    return result, sums.transpose(1, 2).contiguous().transpose(1, 2)


# Products and distances.

@decomposes(aten.addbmm.default)
def _addbmm(self, batch1, batch2, *, beta=1, alpha=1):
    if not self.is_floating_point():
        beta, alpha = int(beta), int(alpha)
    product = torch.bmm(batch1, batch2).sum(0)
    product = product if alpha == 1 else product * alpha
    shown = product if beta == 0 else self * beta + product
    return shown.expand(torch.broadcast_shapes(self.shape, product.shape))


@decomposes(aten._trilinear.default)
def _trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    operands = []
    for operand, dims in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for dim in dims:
            operand = operand.unsqueeze(dim)
        operands.append(operand)
    product = operands[0] * operands[1] * operands[2]
    return product.sum(sumdim) if sumdim else product


def _distance(difference, p):
    if difference.shape[-1] == 0:
        return torch.zeros(difference.shape[:-1], dtype=difference.dtype)
    return torch.linalg.vector_norm(difference, p, -1)


@decomposes(aten._cdist_forward.default)
def _cdist_forward(x1, x2, p, compute_mode):
    return _distance(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


@decomposes(aten._pdist_forward.default)
def _pdist_forward(self, p=2.0):
    count = self.shape[0]
    if count < 2:
        return self.new_zeros(0)
    rows = torch.cat([torch.full([count - 1 - i], i) for i in range(count - 1)])
    columns = torch.cat([torch.arange(i + 1, count) for i in range(count - 1)])
    return _distance(self[rows] - self[columns], p)


@decomposes(aten._transformer_encoder_layer_fwd.default)
def _transformer_encoder_layer(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first,
                               eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1,
                               ffn_weight_2, ffn_bias_2, mask=None, mask_type=None):
    """The fast path of torch.nn.TransformerEncoderLayer, which Dynamo keeps: attention and two linear layers, without masks."""
    if mask is not None:
        raise UnsupportedError(["the fast path of TransformerEncoderLayer with a mask is not supported: call "
                                "torch.backends.mha.set_fastpath_enabled(False) before"])

    def attend(x):
        parts = functional.linear(x, qkv_weight, qkv_bias).unflatten(-1, (3, num_heads, embed_dim // num_heads))
        found = functional.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4))
        return functional.linear(found.transpose(1, 2).flatten(2), proj_weight, proj_bias)

    def feed(x):
        inner = functional.linear(x, ffn_weight_1, ffn_bias_1)
        return functional.linear(functional.gelu(inner) if use_gelu else functional.relu(inner), ffn_weight_2, ffn_bias_2)

    def normalise(x, weight, bias):
        return functional.layer_norm(x, (embed_dim,), weight, bias, eps)

    if norm_first:
        src = src + attend(normalise(src, norm_weight_1, norm_bias_1))
        return src + feed(normalise(src, norm_weight_2, norm_bias_2))
    src = normalise(src + attend(src), norm_weight_1, norm_bias_1)
    return normalise(src + feed(src), norm_weight_2, norm_bias_2)
