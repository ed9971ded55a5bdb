# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Decompositions of operators that count."""

import torch

from ._decomposition_table import decomposes

aten = torch.ops.aten


def _widen(low, high, room):
    """Widens a range that consists of one number by `room` on both sides."""
    flat = low == high
    return torch.where(flat, low - room, low), torch.where(flat, high + room, high)


@decomposes(aten.histc.default)
def _histc(self, bins=100, min=0, max=0):
    if not self.is_floating_point():
        return NotImplemented
    if self.numel() == 0:
        return torch.zeros(bins, dtype=self.dtype)
    line = self.flatten()
    low, high = (line.amin(), line.amax()) if min == max else \
        (torch.scalar_tensor(float(x), dtype=self.dtype) for x in (min, max))
    low, high = _widen(low, high, 1)
    inside = (line >= low) & (line <= high)
    place = torch.clamp(((line - low) * bins / (high - low)).to(torch.int64), 0, bins - 1)
    return torch.zeros(bins, dtype=self.dtype).scatter_add(0, place, inside.to(self.dtype))


def _fill_bins(self, edges, weight, density):
    """Counts the elements in bins. A bin includes its lower edge; the last one includes both edges."""
    line, bins = self.flatten(), edges.shape[0] - 1
    place = torch.bucketize(line, edges, right=True) - 1
    inside = (line >= edges[0]) & (line <= edges[-1])
    share = torch.ones_like(line) if weight is None else weight.flatten()
    found = torch.zeros(bins, dtype=self.dtype).scatter_add(
        0, torch.clamp(place, 0, bins - 1), torch.where(inside, share, 0))
    return (found / found.sum() / (edges[1:] - edges[:-1]) if density else found), edges


@decomposes(aten.histogram.bin_ct)
def _histogram(self, bins=100, *, range=None, weight=None, density=False):
    if range is None and self.numel() == 0:
        return NotImplemented
    low, high = (self.amin(), self.amax()) if range is None else \
        (torch.scalar_tensor(x, dtype=self.dtype) for x in range)
    low, high = _widen(low, high, 0.5)
    edges = torch.linspace(low, high, bins + 1, dtype=self.dtype)
    return _fill_bins(self, edges, weight, density)


@decomposes(aten.histogram.bins_tensor)
def _histogram_of_edges(self, bins, *, weight=None, density=False):
    return _fill_bins(self, bins, weight, density)


@decomposes(aten.bincount.default)
def _bincount(self, weights=None, minlength=0):
    """The largest number decides how many counts there are."""
    if self.numel() == 0:
        return torch.zeros(minlength, dtype=torch.int64)
    count = torch.clamp(self.max() + 1, min=minlength).item()
    torch._check(count >= 0)
    share = torch.ones_like(self, dtype=torch.int64) if weights is None else weights
    if weights is not None and weights.dtype != torch.float32:
        share = weights.double()
    return torch.zeros(count, dtype=share.dtype).scatter_add(0, self.to(torch.int64), share)


@decomposes(aten.repeat_interleave.Tensor)
def _repeat_interleave(repeats, *, output_size=None):
    """Position p of the result is the first index whose running sum of `repeats` exceeds p."""
    ends = repeats.cumsum(0)
    count = output_size
    if count is None:
        count = repeats.sum().item()
        torch._check(count >= 0)
    return torch.searchsorted(ends, torch.arange(count), right=True).to(repeats.dtype)
