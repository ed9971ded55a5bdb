"""Writes inputs of causal attention of 512 keys, and what it gives for them.

usage: causal.py KIND IN.npz OUT.npz LOW [select]

KIND: finite, or what the last key has: nan, inf (in k), huge (a product overflows) or value-inf (in v). LOW is the
score of a masked key: it is added, or selected. All is in f64, but scores and weights overflow as in f32.
"""

import sys

import numpy

kind, low = sys.argv[1], numpy.float32(sys.argv[4])
random = numpy.random.default_rng(1)
q, k, v = (random.standard_normal((2, 512, size)).astype(numpy.float32) for size in (16, 16, 24))
if kind == "nan":
    k[1, 511, 3] = numpy.nan
elif kind == "inf":
    k[1, 511, 3] = numpy.inf
elif kind == "huge":
    k[1, 511] = 0
    k[1, 511, 0] = 2e38  # times q, which is greater than 2 in some rows
elif kind == "value-inf":
    v[0, 500, 2] = numpy.inf
numpy.savez(sys.argv[2], q=q, k=k, v=v)

with numpy.errstate(all="ignore"):
    scores = (q.astype(float) @ k.astype(float).transpose(0, 2, 1)).astype(numpy.float32).astype(float)
    masked = numpy.triu(numpy.ones((512, 512), bool), 1)
    if len(sys.argv) > 5:
        scores = numpy.where(masked, float(low), scores)
    else:
        scores = (scores + numpy.where(masked, float(low), 0)).astype(numpy.float32).astype(float)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True)).astype(numpy.float32).astype(float)
    weights /= weights.sum(-1, keepdims=True)
    numpy.savez(sys.argv[3], o=(weights @ v).astype(numpy.float32))
