# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every decomposition of the package on tensors with sizes of 0, 1 and 2 in each dim: equal to eager mode, or refused."""

import itertools
import math
import unittest

import torch
from torch import special
from torch.nn import functional

import tssa
from tssa._decompositions import TABLE

import support  # noqa: F401 (one thread)

SIZES = (0, 1, 2)


def make(shape):
    """Returns a tensor of numbers that are not ordered, with equal ones among them."""
    count = math.prod(shape)
    return (torch.arange(count, dtype=torch.float32) * 7 % 5).reshape(shape) / 2 + 0.25


def integers(x):
    return (x * 4).to(torch.int64)


def encoder_layer(x):
    """Two layers of one head, before and after whose parts there is a normalisation."""
    width = x.size(2)
    weights = [torch.ones(3 * width, width) / 4, torch.ones(3 * width), torch.ones(width, width) / 2, torch.zeros(width)]
    norm = [torch.ones(width), torch.ones(width) / 2]
    feed = [torch.ones(2, width), torch.ones(2), torch.ones(width, 2) / 3, torch.ones(width)]
    return [torch._transformer_encoder_layer_fwd(x, width, 1, *weights, use_gelu, not use_gelu, 1e-5, *norm, *norm, *feed)
            for use_gelu in (False, True)]


# By overload: the rank of the tensor, and a call of it.
CASES = {
    "_adaptive_avg_pool3d.default": (4, lambda x: functional.adaptive_avg_pool3d(x, (1, 2, 1))),
    "_adaptive_avg_pool2d.default": (4, lambda x: functional.adaptive_avg_pool2d(x, (1, 2))),
    "_cdist_forward.default": (2, lambda x: torch.cdist(x, x + 1)),
    "_pdist_forward.default": (2, lambda x: functional.pdist(x)),
    "_scaled_dot_product_flash_attention_for_cpu.default":
        (4, lambda x: functional.scaled_dot_product_attention(x, x + 1, x - 1)),
    "_transformer_encoder_layer_fwd.default": (2, lambda x: encoder_layer(x[None])),
    "_trilinear.default": (2, lambda x: functional.bilinear(x, x, torch.ones(3, x.size(1), x.size(1)))),
    "adaptive_max_pool2d.default": (3, lambda x: functional.adaptive_max_pool2d(x, (1, 2))),
    "adaptive_max_pool3d.default": (4, lambda x: functional.adaptive_max_pool3d(x, (1, 2, 1))),
    "addbmm.default": (3, lambda x: torch.addbmm(torch.ones(x.size(1), x.size(2)), torch.ones(
        x.size(0), x.size(1), 3), torch.ones(x.size(0), 3, x.size(2)))),
    "angle.default": (2, torch.angle),
    "as_strided_copy.default": (1, lambda x: torch.as_strided_copy(x, (2,), (1,))),
    "as_strided_scatter.default": (2, lambda x: torch.as_strided_scatter(x, torch.zeros(1), (1,), (1,))),
    "bincount.default": (1, lambda x: torch.bincount(integers(x))),
    "bucketize.Scalar": (1, lambda x: torch.bucketize(0.5, x.sort().values)),
    "bucketize.Tensor": (2, lambda x: torch.bucketize(x, torch.tensor([0.5, 1.0]))),
    "copy.default": (2, lambda x: torch.ops.aten.copy(torch.ones(2, *x.shape), x)),
    "diagonal_copy.default": (3, lambda x: [torch.diagonal_copy(x, offset, 0, 2) for offset in (-2, -1, 0, 1, 2)]),
    "digamma.default": (2, torch.digamma),
    "empty_permuted.default": (2, lambda x: torch.empty_permuted(x.shape, (1, 0)).fill_(1)),
    "empty_strided.default": (2, lambda x: torch.empty_strided(x.shape, (1, max(1, x.size(0)))).fill_(1)),
    "erfinv.default": (2, lambda x: torch.erfinv(x / 3)),
    "gcd.default": (2, lambda x: torch.gcd(integers(x), integers(x) + 2)),
    "histc.default": (2, lambda x: torch.histc(x, 3, 0, 2)),
    "histogram.bin_ct": (2, lambda x: torch.histogram(x, 3, range=(0.0, 2.0))),
    "histogram.bins_tensor": (2, lambda x: torch.histogram(x, torch.tensor([0.0, 1.0, 2.0]))),
    "i0.default": (2, torch.i0),
    "index_reduce.default": (2, lambda x: x.index_reduce(0, torch.zeros(x.size(0), dtype=torch.int64), x + 1, "amax")),
    "kthvalue.default": (2, lambda x: torch.kthvalue(x, 1, 1)),
    "lcm.default": (2, lambda x: torch.lcm(integers(x), integers(x) + 2)),
    "lgamma.default": (2, torch.lgamma),
    "logcumsumexp.default": (2, lambda x: [torch.logcumsumexp(x, dim) for dim in (0, 1)]),
    "masked_scatter.default": (2, lambda x: x.masked_scatter(x > 1, x + 1)),
    "masked_select.default": (2, lambda x: torch.masked_select(x, x > 1)),
    "median.default": (2, torch.median),
    "median.dim": (2, lambda x: torch.median(x, 1).values),
    "mode.default": (2, lambda x: torch.mode(x, 1)),
    "nanmedian.default": (2, torch.nanmedian),
    "nanmedian.dim": (2, lambda x: torch.nanmedian(x, 1).values),
    "native_batch_norm.default": (3, lambda x: functional.batch_norm(
        x, torch.zeros(x.size(1)), torch.ones(x.size(1)), training=True)),
    "new_empty_strided.default": (2, lambda x: x.new_empty_strided(x.shape, (max(1, x.size(1)), 1)).fill_(1)),
    "nonzero_static.default": (2, lambda x: torch.nonzero_static(x > 1, size=3)),
    "polygamma.default": (2, lambda x: torch.polygamma(1, x)),
    "polygamma_.default": (2, lambda x: x.clone().polygamma_(1)),
    "put.default": (1, lambda x: torch.put(x, torch.zeros(x.size(0), dtype=torch.int64)[:1], x[:1] + 1)),
    "repeat_interleave.Tensor": (1, lambda x: torch.repeat_interleave(x, integers(x) % 3)),
    "scalar_tensor.default": (1, lambda x: torch.scalar_tensor(2.5) + x),
    "searchsorted.Scalar": (1, lambda x: torch.searchsorted(x.sort().values, 0.5)),
    "searchsorted.Tensor": (2, lambda x: torch.searchsorted(x.sort().values, x, right=True)),
    "special_bessel_j0.default": (2, special.bessel_j0), "special_bessel_j1.default": (2, special.bessel_j1),
    "special_bessel_y0.default": (2, special.bessel_y0), "special_bessel_y1.default": (2, special.bessel_y1),
    "special_erfcx.default": (2, special.erfcx),
    "special_i0e.default": (2, special.i0e), "special_i1.default": (2, special.i1), "special_i1e.default": (2, special.i1e),
    "special_modified_bessel_i0.default": (2, special.modified_bessel_i0),
    "special_modified_bessel_i1.default": (2, special.modified_bessel_i1),
    "special_modified_bessel_k0.default": (2, special.modified_bessel_k0),
    "special_modified_bessel_k1.default": (2, special.modified_bessel_k1),
    "special_ndtri.default": (2, lambda x: special.ndtri(x / 3)),
    "special_scaled_modified_bessel_k0.default": (2, special.scaled_modified_bessel_k0),
    "special_scaled_modified_bessel_k1.default": (2, special.scaled_modified_bessel_k1),
    "special_spherical_bessel_j0.default": (2, special.spherical_bessel_j0),
    "special_zeta.default": (2, lambda x: special.zeta(x + 2, x)),
    "special_zeta.other_scalar": (2, lambda x: special.zeta(x + 2, 1.5)),
    "special_zeta.self_scalar": (2, lambda x: special.zeta(2.5, x)),
    "take.default": (2, lambda x: torch.take(x, torch.zeros(min(1, x.numel()), dtype=torch.int64))),
    "roll.default": (3, lambda x: [x.roll(1, 0), x.roll(2), x.roll((1, -1), (2, 0))]),
    "unbind.int": (3, lambda x: [torch.unbind(x, dim) for dim in range(3)]),
    "unfold_copy.default": (2, lambda x: torch.unfold_copy(x, 1, 1, 1)),
    "unique_consecutive.default": (2, lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True)),
    **{f"upsample_{kind}.{form}": (rank, lambda x, mode=mode: [
        functional.interpolate(x, scale_factor=scale, mode=mode) for scale in (1.3, 2.0)])
       for kind, mode, rank in (("linear1d", "linear", 3), ("bilinear2d", "bilinear", 4), ("nearest2d", "nearest", 4))
       for form in ("default", "vec")},
    **{f"upsample_trilinear3d.{form}": (5, lambda x: functional.interpolate(x, scale_factor=1.3, mode="trilinear"))
       for form in ("default", "vec")},
    "view.dtype": (2, lambda x: [x.view(torch.int32), x.view(torch.uint8), x.view(torch.int16)]),
    # Not in the table: views by strides, and rearrangements of PyTorch's own.
    "as_strided": (2, lambda x: [x.as_strided((1,), (1,)), x.as_strided((0, 2), (1, 1))]),
    "diagonal": (3, lambda x: [x.diagonal(offset, *dims) for offset in (-2, -1, 0, 1, 2) for dims in ((0, 1), (2, 0))]),
    "unfold": (2, lambda x: [x.unfold(0, size, step) for size in (0, 1) for step in (1, 2)]),
    "reshape": (3, lambda x: [x.transpose(0, 1).reshape(x.numel()), x[:, ::2].flatten(1), x.ravel()]),
    "split": (2, lambda x: [*x.split(1, 0), *x.chunk(2, 1), *x.tensor_split(2, 1)]),
    "flip": (2, lambda x: [x.flip(0, 1), x.rot90(), x.repeat(2, 1), x.repeat_interleave(2, 1)]),
    "cat": (2, lambda x: [torch.cat([x, x]), torch.stack([x, x], 1), torch.block_diag(x, x), torch.tril(x, 1)]),
    "sort": (2, lambda x: [*torch.sort(x, dim=1, stable=True), torch.argsort(x, dim=0, stable=True), torch.cumsum(x, 1)]),
    "pad": (2, lambda x: [functional.pad(x, (1, 1)), functional.pad(x, (0, 1, 1, 0), value=2.0)]),
}
# Where eager mode has a result and the package refuses, by the reason.
REFUSED = r"(aten::unique_consecutive|aten::masked_scatter|aten::adaptive_max_pool[23]d|aten::median|aten::nanmedian) is not"


def leaves(value):
    return torch.utils._pytree.tree_leaves(value)


class SmallSizes(unittest.TestCase):
    def test_all_are_here(self):
        self.assertEqual(sorted({str(overload).removeprefix("aten.") for overload in TABLE} - CASES.keys()), [])

    def run_case(self, rank, function):
        valid = []
        for shape in itertools.product(SIZES, repeat=rank):
            try:
                valid.append((shape, leaves(function(make(shape)))))
            except (RuntimeError, IndexError, ValueError):
                self.check_raises(shape, function)
        for group in (valid[i:i + 9] for i in range(0, len(valid), 9)):
            try:
                self.check_all(group, function)
            except tssa.UnsupportedError:
                for one in group:
                    self.check_one(one, function)

    def check_raises(self, shape, function):
        """What eager mode refuses is not computed."""
        with self.assertRaises((RuntimeError, IndexError, ValueError), msg=f"sizes {shape}"), torch.no_grad():
            tssa.compile(lambda x: leaves(function(x)), dynamic=False)(make(shape))

    def check_one(self, one, function):
        try:
            self.check_all([one], function)
        except tssa.UnsupportedError as error:
            self.assertRegex(str(error), REFUSED, f"sizes {one[0]}")

    def check_all(self, cases, function):
        compiled = tssa.compile(lambda *values: [leaves(function(value)) for value in values], dynamic=False)
        with torch.no_grad():
            found = compiled(*(make(shape) for shape, _ in cases))
        for (shape, expected), actual in zip(cases, found, strict=True):
            for i, (left, right) in enumerate(zip(expected, actual, strict=True)):
                where = f"sizes {shape}, result {i}"
                self.assertEqual((left.shape, left.dtype), (right.shape, right.dtype), where)
                torch.testing.assert_close(right, left, rtol=1e-4, atol=1e-5, equal_nan=True,
                                           msg=lambda text, where=where: f"{where}: {text}")


def add_test(name, rank, function):
    setattr(SmallSizes, f"test_{name.replace('.', '_')}", lambda self: self.run_case(rank, function))


for case, (rank, function) in CASES.items():
    add_test(case, rank, function)

if __name__ == "__main__":
    unittest.main()
