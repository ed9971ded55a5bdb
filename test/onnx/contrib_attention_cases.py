"""Cases of the kinds of attention of com.microsoft."""

import numpy as np
from onnx import TensorProto

from contrib_case import Case, Random

r = Random(2)
CASES = []
# Random inputs are lengths out of bounds.
UNVERIFIED = ["GroupQueryAttention", "DecoderMaskedMultiHeadAttention"]


def add(op, inputs, outputs=(0,), symbols=None, rtol=1e-4, atol=1e-5, expected=None, constants=(), **attributes):
    number = sum(case.op == op for case in CASES)
    CASES.append(Case(op, inputs, attributes, outputs, f"#{number}", constants=constants, symbols=symbols or {}, rtol=rtol,
                      atol=atol, expected=expected, types={3: TensorProto.FLOAT}, verified=number < 2 and op not in UNVERIFIED))


def attention(q, k, v):
    """Of [B,S,N,H], [B,T,N,H] and [B,T,N,H]: [B,S,N*H]."""
    scores = np.einsum("bsnh,btnh->bnst", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    result = np.einsum("bnst,btnh->bsnh", weights, v)
    return [result.reshape(*result.shape[:2], -1).astype(np.float32)]


def caches(positions, half):
    angle = np.arange(positions)[:, None] / 10.0 ** (np.arange(half) / max(half, 1))[None]
    return [np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)]


# RotaryEmbedding
for number, (batch, length, heads, size) in enumerate(
        [(1, 3, 2, 8), (2, 5, 3, 4), (1, 1, 4, 16), (3, 2, 1, 6), (2, 4, 2, 8), (1, 7, 5, 4), (2, 3, 4, 12), (1, 6, 2, 32)]):
    flat, split = r.normal(batch, length, heads * size), r.normal(batch, heads, length, size)
    offset, positions = np.asarray([number % 4]), r.integers(0, 20, batch, length)
    add("RotaryEmbedding", [flat, offset, *caches(20, size // 2)], interleaved=number % 2, symbols={7: "S"})
    add("RotaryEmbedding", [split, positions, *caches(20, size // 2)], interleaved=number % 2)
for batch in (1, 2):
    add("RotaryEmbedding", [r.normal(batch, 3, 2 * 16), r.integers(0, 20, batch, 3), *caches(20, 4)],
        num_heads=2, rotary_embedding_dim=8)

# MultiHeadAttention
for number, (batch, length, keys, heads, size, last) in enumerate(
        [(1, 3, 3, 1, 4, 4), (2, 5, 5, 2, 8, 8), (1, 2, 7, 4, 8, 8), (3, 4, 4, 2, 4, 6), (2, 1, 6, 3, 8, 8)]):
    q, k = r.normal(batch, length, heads * size), r.normal(batch, keys, heads * size)
    v, bias = r.normal(batch, keys, heads * last), r.normal(heads * (2 * size + last))
    add("MultiHeadAttention", [q, k, v], num_heads=heads, symbols={5: "S", 7: "T"})
    add("MultiHeadAttention", [q, k, v, bias], num_heads=heads, scale=0.3)
    mask = r.integers(0, 2, batch, keys, dtype=np.int32)
    mask[:, 0] = 1
    add("MultiHeadAttention", [q, k, v, None, mask], num_heads=heads, mask_filter_value=-1000.0)
    add("MultiHeadAttention", [q, k, v, None, r.integers(1, keys + 1, batch, dtype=np.int32)], num_heads=heads)
    packed = [*r.integers(1, keys + 1, batch), *np.arange(batch + 1) * length, *np.arange(batch + 1) * keys]
    add("MultiHeadAttention", [q, k, v, None, np.asarray(packed, np.int32)], num_heads=heads,
        symbols={len(packed): "M"} if number % 2 else {})
    scores = r.normal(*[(batch, heads), (1, heads), (batch, 1), (1, 1)][number % 4], length, keys)
    add("MultiHeadAttention", [q, k, v, None, None, scores], num_heads=heads)
    if length == keys:
        add("MultiHeadAttention", [q, k, v], num_heads=heads, unidirectional=1)
    if size == last:
        k4, v4 = r.normal(batch, heads, keys, size), r.normal(batch, heads, keys, size)
        add("MultiHeadAttention", [q, k4, v4], num_heads=heads)
        past = [r.normal(batch, heads, 3, size), r.normal(batch, heads, 3, size)]
        add("MultiHeadAttention", [q, q, q, None, None, None, *past], (0, 1, 2), num_heads=heads,
            symbols={3: "P"} if 3 not in (batch, length, heads, size) else {})
        add("MultiHeadAttention", [r.normal(batch, length, heads, 3, size)], num_heads=heads,
            expected=lambda x: attention(x[..., 0, :], x[..., 1, :], x[..., 2, :]))
        add("MultiHeadAttention", [q, r.normal(batch, keys, heads, 2, size)], num_heads=heads,
            expected=lambda q, x: attention(q.reshape(*q.shape[:2], *x.shape[2::2]), x[..., 0, :], x[..., 1, :]))

# caches with room for more tokens: the present is the whole cache
for number, (batch, length, past, room, heads, size) in enumerate(
        [(2, 1, 4, 6, 2, 8), (1, 3, 2, 5, 2, 4), (2, 1, 0, 7, 3, 8), (1, 1, 8, 9, 4, 8), (3, 2, 5, 10, 1, 16)]):
    q, k, v = (r.normal(batch, length, heads * size) for _ in range(3))
    cache = [r.normal(batch, heads, room, size) for _ in range(2)]
    given, total = np.asarray([past], np.int32), past + length
    add("MultiHeadAttention", [q, k, v, None, None, None, *cache, given], (0, 1, 2), num_heads=heads,
        constants=(8,) if number % 2 else (), symbols={room: "M"})
    add("MultiHeadAttention", [q, k, v, r.normal(3 * heads * size), None, r.normal(1, heads, length, total), *cache, given],
        (0, 1, 2, 3), num_heads=heads, scale=0.4)
    # one query
    one, mask = [x[:, :1] for x in (q, k, v)], r.integers(0, 2, batch, past + 1, dtype=np.int32)
    mask[:, 0] = 1
    add("DecoderMaskedMultiHeadAttention", [*one, None, None, *cache, given], (0, 1, 2), num_heads=heads,
        past_present_share_buffer=1, constants=(7,) if number % 2 else (), symbols={room: "M"})
    add("DecoderMaskedMultiHeadAttention", [*one, mask, None, *cache, given, None, None, r.normal(3 * heads * size)],
        (0, 1, 2, 3), num_heads=heads, past_present_share_buffer=1, output_qk=1)
    add("DecoderMaskedMultiHeadAttention", [*one, None, r.normal(batch, heads, 1, past + 1), *cache, given], (0, 1, 2),
        num_heads=heads, past_present_share_buffer=1, scale=0.4)
    # the keys and values of an encoder
    mask = r.integers(0, 2, batch, room, dtype=np.int32)
    mask[:, 0] = 1
    add("DecoderMaskedMultiHeadAttention", [one[0], *cache], num_heads=heads, symbols={room: "T"})
    add("DecoderMaskedMultiHeadAttention", [one[0], *cache, mask], num_heads=heads, mask_filter_value=-1000.0)
    # a past without room
    add("DecoderMaskedMultiHeadAttention", [*one, None, None, *cache], num_heads=heads, symbols={room: "P"},
        expected=lambda q, k, v, _m, _b, pk, pv: attention(*(
            np.concatenate([*([p.swapaxes(1, 2)] if p is not None else []), x.reshape(*x.shape[:2], pk.shape[1], -1)], 1)
            for p, x in ((None, q), (pk, k), (pv, v)))))

# Attention
for number, (batch, length, heads, size) in enumerate([(1, 3, 1, 4), (2, 5, 2, 4), (1, 4, 3, 8), (2, 2, 2, 8)]):
    hidden = heads * size
    x, weights, bias = r.normal(batch, length, hidden), r.normal(hidden, 3 * hidden, scale=0.3), r.normal(3 * hidden)
    add("Attention", [x, weights, bias], num_heads=heads, symbols={5: "S"})
    add("Attention", [x, weights, bias], num_heads=heads, unidirectional=1)
    mask = r.integers(0, 2, batch, length, dtype=np.int32)
    mask[:, 0] = 1
    add("Attention", [x, weights, bias, mask], num_heads=heads)
    add("Attention", [x, weights, bias, r.integers(1, length + 1, batch, dtype=np.int32)], num_heads=heads)
    bounds = np.concatenate([np.full(batch, length), np.zeros(batch)]).astype(np.int32)
    add("Attention", [x, weights, bias, bounds], num_heads=heads)
    past = r.normal(2, batch, heads, 3, size)
    add("Attention", [x, weights, bias, None, past], (0, 1), num_heads=heads)
    add("Attention", [x, weights, bias, None, None, r.normal(batch, heads, length, length)], num_heads=heads)
    sizes = [hidden, hidden, 2 * heads]
    add("Attention", [x, r.normal(hidden, sum(sizes), scale=0.3), r.normal(sum(sizes))], num_heads=heads,
        qkv_hidden_sizes=sizes, scale=0.4)
    tokens = r.integers(0, 256, batch, length, hidden, dtype=np.uint8)
    columns = r.integers(-60, 60, hidden, 3 * hidden, dtype=np.int8)
    scales = [np.float32(0.02), np.float32(0.01)]
    zeros = [np.asarray(128, np.uint8), np.asarray(2, np.int8)]
    add("QAttention", [tokens, columns, bias, *scales, None, *zeros], num_heads=heads)
    add("QAttention", [tokens, columns, bias, *scales, mask, *zeros], num_heads=heads)
    add("QAttention", [tokens, columns, bias, *scales, None, *zeros, past], (0, 1), num_heads=heads, unidirectional=1)


# GroupQueryAttention
def group_query(batch, length, past, buffer, heads, shared, size, packed=False, outputs=(0, 1, 2), symbols=None,
                extra=(), rotary=None, **attributes):
    """`past` tokens in a buffer for `buffer`; a first prompt has none."""
    q, k, v = (r.normal(batch, length, n * size) for n in (heads, shared, shared))
    inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
    inputs += [r.normal(batch, shared, buffer, size) for _ in range(2)] if buffer else [None, None]
    total = past + length
    inputs += [np.full(batch, total - 1, np.int32), np.asarray(total, np.int32)]
    if rotary:
        inputs += caches(64, rotary // 2)
        attributes["do_rotary"] = 1
    elif extra:
        inputs += [None, None]
    inputs += list(extra)
    add("GroupQueryAttention", inputs, outputs, symbols, num_heads=heads, kv_num_heads=shared, **attributes)


group_query(1, 4, 0, 0, 2, 1, 8)
group_query(2, 5, 0, 0, 4, 2, 8, symbols={5: "S"})
group_query(1, 3, 0, 0, 4, 4, 16, packed=True)
group_query(2, 1, 6, 6, 4, 2, 8)
group_query(1, 1, 6, 6, 4, 2, 8, symbols={6: "P"})
group_query(2, 1, 5, 12, 4, 2, 8)
group_query(1, 3, 5, 5, 4, 2, 8)
group_query(1, 6, 0, 0, 4, 2, 8, local_window_size=3)
group_query(2, 1, 7, 7, 4, 2, 8, local_window_size=4)
group_query(2, 5, 0, 0, 4, 2, 8, softcap=2.0)
group_query(2, 5, 0, 0, 4, 2, 8, scale=0.5)
group_query(2, 5, 0, 0, 4, 2, 16, rotary=16)
group_query(1, 1, 6, 6, 4, 2, 16, rotary=16, rotary_interleaved=1)
group_query(2, 1, 5, 9, 4, 1, 16, rotary=16, packed=True)
group_query(1, 4, 0, 0, 2, 2, 32, rotary=16)
group_query(2, 5, 0, 0, 4, 2, 8, smooth_softmax=1)
group_query(1, 4, 0, 0, 4, 2, 8, extra=[None, r.normal(1, 4, 4, 4)], outputs=(0,))
group_query(1, 4, 0, 0, 4, 2, 8, extra=[None, None, r.normal(4)], outputs=(0,))
group_query(1, 4, 0, 0, 4, 2, 8, softcap=3.0, extra=[None, r.normal(1, 1, 4, 4)], outputs=(0,))
# of a first prompt only the first position counts, later each position
for first, length, past in ([[0, 1, 2], [4, 5, 6]], 3, 0), ([[1, 1, 0], [0, 1, 2]], 3, 0), ([[0, 2, 4], [0, 2, 4]], 3, 0), \
        ([[7], [3]], 1, 5), ([[5], [5]], 1, 6):
    group_query(2, length, past, past, 4, 2, 16, rotary=16, extra=[np.asarray(first)])
# every key of a row counts, of later tokens too
for causal in ({"causal": 0}, {"causal": 1}):
    group_query(2, 5, 0, 0, 4, 2, 8, symbols={5: "S"}, **causal)
    group_query(1, 3, 4, 9, 4, 2, 8, **causal)
    group_query(2, 3, 0, 0, 4, 2, 16, rotary=16, packed=True, softcap=2.0, **causal)
    group_query(1, 4, 0, 0, 2, 2, 8, extra=[None, r.normal(1, 2, 4, 4)], smooth_softmax=1, **causal)
    q, kv = r.normal(3, 4, 4 * 8), [r.normal(3, 4, 2 * 8) for _ in range(2)]
    add("GroupQueryAttention", [q, *kv, None, None, np.asarray([3, 1, 0], np.int32), np.asarray(4, np.int32)],
        (0, 1, 2), num_heads=4, kv_num_heads=2, **causal)
# the scores and the weights
for kind in (1, 2):
    every = {"outputs": (0, 1, 2, 3), "qk_output": kind}
    group_query(2, 5, 0, 0, 4, 2, 8, symbols={5: "S"}, **every)
    group_query(1, 3, 0, 0, 4, 2, 8, causal=0, **every)
    group_query(2, 1, 6, 6, 4, 2, 8, **every)
    group_query(1, 6, 0, 0, 4, 2, 8, local_window_size=3, softcap=2.0, **every)
    group_query(2, 4, 0, 0, 2, 2, 8, extra=[None, r.normal(2, 2, 4, 4)], smooth_softmax=1, **every)
    group_query(1, 1, 5, 9, 4, 1, 16, rotary=16, packed=True, **every)
# rows of different lengths
for lengths in ([3, 7], [7, 2], [5, 5]):
    q, kv = r.normal(2, 1, 4 * 8), [r.normal(2, 1, 2 * 8) for _ in range(2)]
    past = [r.normal(2, 2, 7, 8) for _ in range(2)]
    add("GroupQueryAttention", [q, *kv, *past, np.asarray(lengths, np.int32), np.asarray(max(lengths) + 1, np.int32)],
        (0, 1, 2), num_heads=4, kv_num_heads=2)
