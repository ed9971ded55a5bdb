# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Layers that are recorded in a way of our own: as a whole, or by a decomposition that is quicker."""

import math
import unittest

import torch
import torch.nn.functional as F
from torch import nn

import tssa
from collected import tensor
from support import AgreementTest


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def attend_before(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def attend_masked(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def attend_grouped(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


def heads(rows, count=4, seed=0):
    """[batch, heads, rows, width] as a projection gives them: a transposed view."""
    return tensor(2, rows, count, 8, seed=seed).transpose(1, 2)


def normalised(**options):
    module = nn.Sequential(nn.Conv2d(3, 8, 3, bias=options.pop("bias", False)), nn.BatchNorm2d(8, **options), nn.ReLU())
    with torch.no_grad():
        for part in module[1].parameters():
            part.copy_(tensor(8, seed=2))
        if module[1].running_mean is not None:
            module[1].running_mean.copy_(tensor(8, seed=3))
            module[1].running_var.copy_(tensor(8, seed=4).abs() + 0.1)
    return module


class Layers(AgreementTest):
    def test_attention(self):
        q, k, v = heads(5), heads(7, seed=1), heads(7, seed=2)
        compiled = self.check(attend, (q, k, v), tssa.compile(attend, dynamic=True))
        self.check(attend, (heads(3), heads(9, seed=1), heads(9, seed=2)), compiled)
        self.assertEqual(compiled.num_binaries, 1)
        self.assertEqual(compiled(q, k, v).stride(), attend(q, k, v).stride())
        self.check(attend_before, (q, k, v))
        self.check(attend_grouped, (q, heads(7, 2), heads(7, 2, seed=1)))
        self.check(attend, (q.bfloat16(), k.bfloat16(), v.bfloat16()), rtol=2e-2, atol=2e-2)

    def test_rows_that_are_masked(self):
        q, k, v = heads(5), heads(7, seed=1), heads(7, seed=2)
        mask = tensor(5, 7) > 0
        mask[2] = False
        self.check(attend_masked, (q, k, v, mask))
        self.check(attend_masked, (q, k, v, torch.where(mask, 0.5, -math.inf)))
        k[0, 0, 3, 0] = math.nan  # is seen in rows that do not mask it as a whole
        self.check(attend_masked, (q, k, v, torch.where(mask, 0.5, -math.inf)))

    def test_batch_normalisation(self):
        x = tensor(2, 3, 6, 7)
        for options in ({}, {"bias": True}, {"affine": False}, {"track_running_stats": False}):
            module = normalised(**options).eval()
            compiled = self.check(module, (x,))
            with torch.no_grad():
                module[0].weight.mul_(2)
                self.assert_same(module(x), compiled(x), "after a write")
        self.check(nn.BatchNorm1d(7).eval(), (tensor(4, 7),))

    def test_extremes_of_windows(self):
        x = tensor(2, 3, 6, 7)
        x[0, 0, 2, 2] = math.nan
        self.check(lambda x: F.max_pool2d(x, 3, 2, 1), (x,))
        self.check(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), (x,))

    def test_products_with_weights(self):
        w, b = tensor(5, 7, seed=1), tensor(5, seed=2)
        for x in (tensor(7), tensor(3, 7), tensor(2, 3, 7), tensor(7, 3).t()):
            self.check(F.linear, (x, w))
            self.check(lambda x, w, b: F.linear(x, w, bias=b), (x, w, b))
        self.check(F.linear, (tensor(3, 7), tensor(7)))

    def test_dropout_is_refused(self):
        q = heads(5)
        with self.assertRaisesRegex(tssa.UnsupportedError, "test_layers.py"):
            tssa.compile(lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.5))(q)


if __name__ == "__main__":
    unittest.main()
