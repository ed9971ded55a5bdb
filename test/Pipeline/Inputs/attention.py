"""Writes inputs of attention with rows that are masked in several ways, and what it gives for them.

usage: attention.py KEYS IN.npz PLAIN.npz CLEARED.npz

CLEARED counts weights that are NaN as 0. Scores are q times k, plus the mask, in f64.
"""

import sys

import numpy

keys = int(sys.argv[1])
random = numpy.random.default_rng(1)
q, k, v = (random.standard_normal(shape).astype(numpy.float32)
           for shape in ((2, 48, 16), (2, keys, 16), (2, keys, 24)))
mask = numpy.zeros((48, keys), numpy.float32)
mask[1] = -numpy.inf                        # no key at all
mask[2, : keys // 2] = -numpy.inf           # none of the first half
mask[3, keys // 2 :] = -numpy.inf           # none of the second half
mask[4, :-1] = -numpy.inf                   # one key
mask[5, 7] = numpy.nan
mask[6, 9] = numpy.inf
mask[7] = numpy.linspace(-300, 300, keys)   # most weights are 0 in f32
mask[8] = -3e38
numpy.savez(sys.argv[2], q=q, k=k, v=v, mask=mask)

with numpy.errstate(all="ignore"):
    scores = q.astype(float) @ k.astype(float).transpose(0, 2, 1) + mask
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
numpy.savez(sys.argv[3], o=(weights @ v).astype(numpy.float32))
weights[numpy.isnan(weights)] = 0
numpy.savez(sys.argv[4], o=(weights @ v).astype(numpy.float32))
