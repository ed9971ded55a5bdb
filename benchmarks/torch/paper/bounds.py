# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Least times of the programs: by the bytes that they must move and the operations that they must do.

Bytes are those of arguments, results and what loops carry, each once where it may be kept, and the weights in each step
of a loop that needs its own result in the next. Every elementwise operation counts as one, a multiply-add as two, and
a function such as exp as FUNCTION. Rates are measured (`rates`), at one thread.
"""

import dataclasses
import glob
import time

import torch

#: bytes of an element
F32 = 4
#: operations of exp, tanh or sigmoid: a polynomial and its scaling
FUNCTION = 20
REPEATS, SECONDS = 5, 0.05
#: sizes of data whose rates are measured, in quarters of L2
SHARES = (1, 2, 4, 8, 16, 32)


@dataclasses.dataclass(frozen=True)
class Work:
    """What a call must do. `kept`: the bytes that are used again and again, or all that is moved."""

    read: float
    written: float
    operations: float
    kept: float


def moved(read, written, operations):
    return Work(read, written, operations, read + written)


def yolov3_decode(preds, anchors, strides, img):
    elements = sum(p.numel() for p in preds)  # all are read and written once, with a sigmoid for each
    return moved(elements * F32, elements * F32, elements * (FUNCTION + 1))  # and a product with the confidence


def ssd_decode(loc, conf, priors):
    elements = loc.numel() + conf.numel()  # both are read, and written as boxes and scores
    operations = conf.numel() * (FUNCTION + 4)  # softmax: exp, largest, sum, quotient, mask
    operations += loc.numel() * (FUNCTION / 2 + 5)  # exp for half of them, decoding and clamp
    return moved((elements + priors.numel()) * F32, elements * F32, operations)


def yolact_mask(proto, coef, boxes):
    masks = proto.size(0) * proto.size(1) * coef.size(0)  # a mask for each detection
    operations = masks * (2 * proto.size(2) + FUNCTION + 5)  # product, sigmoid, crop by 4 comparisons, threshold
    return moved((proto.numel() + coef.numel() + boxes.numel()) * F32, masks * F32, operations)


def fcos_post(cls, reg, ctr, strides, img):
    scores, boxes, centres = (sum(t.numel() for t in level) for level in (cls, reg, ctr))
    operations = scores * (FUNCTION + 3)  # sigmoid, product, root, threshold
    operations += centres * FUNCTION + boxes * 4  # location, product, sum, clamp
    return moved((scores + boxes + centres) * F32, (scores + boxes) * F32, operations)


def recurrent(x, outputs, weights, operations, weights_once=0):
    """A loop over the steps of x that reads `weights` elements in each, and `weights_once` before or after."""
    steps = x.size(0)
    read = (steps * weights + weights_once + x.numel()) * F32
    return Work(read, outputs * F32, operations, weights * F32)


def nasrnn(x, wx, wh, h0, c0):
    rows = x.size(0) * x.size(1)
    operations = rows * 2 * (wx.numel() + wh.numel())  # x @ wx may be one product for all steps, h @ wh may not
    operations += rows * x.size(2) * (14 * FUNCTION + 19)  # a tanh or sigmoid for 14 of the cell's values
    return recurrent(x, rows * x.size(2), wh.numel(), operations, wx.numel())


def lstm_loop(x, wx, wh, b):
    rows, hidden = x.size(0) * x.size(1), wh.size(0)
    operations = rows * 2 * (wx.numel() + wh.numel())  # x @ wx may be one product for all steps, h @ wh may not
    operations += rows * hidden * (5 * FUNCTION + 4 + 8)  # four gates and tanh(c); the sums of the gates
    return recurrent(x, rows * hidden, wh.numel(), operations, wx.numel())


def seq2seq_greedy(enc, emb, wx, wh, b, wo, max_len, eos):
    batch, length, hidden = enc.shape
    weights = wx.numel() + wh.numel() + wo.numel()  # each step needs the token of the one before
    operations = max_len * batch * 2 * (weights + 2 * length * hidden)  # products, scores and context
    operations += max_len * batch * (length + 3 * hidden) * FUNCTION  # softmax and gates
    kept = (weights + enc.numel()) * F32
    return Work(max_len * kept, batch * max_len * 8, operations, kept)  # where no sentence ends early


def attention_cache(x, wqkv, wo, heads):
    steps, batch, width = x.shape
    pairs = batch * steps * (steps + 1) / 2  # of a query and a key that it sees
    operations = steps * batch * 2 * (wqkv.numel() + wo.numel())  # both products may be one for all steps
    operations += pairs * (4 * width + heads * (FUNCTION + 4))  # scores and context, softmax
    caches = 2 * steps * batch * width * F32
    read = (x.numel() + wqkv.numel() + wo.numel()) * F32 + caches * (steps + 1) / 2
    return Work(read, caches + x.numel() * F32, operations, caches)


WORK = {function.__name__: function for function in (
    yolov3_decode, ssd_decode, yolact_mask, fcos_post, nasrnn, lstm_loop, seq2seq_greedy, attention_cache)}


def best_seconds(call):
    """Of a call, the least over blocks of the mean."""
    call()
    best = float("inf")
    for _ in range(REPEATS):
        calls, start = 0, time.thread_time()
        while time.thread_time() - start < SECONDS:
            call()
            calls += 1
        best = min(best, (time.thread_time() - start) / calls)
    return best


def cache_bytes(level):
    """Of one core; 1 MiB and 32 MiB where the machine does not tell."""
    for path in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/"):
        with open(path + "level") as file:
            if int(file.read()) != level:
                continue
        with open(path + "size") as file:
            return int(file.read().strip().rstrip("K")) * 1024
    return {2: 1 << 20, 3: 1 << 25}[level]


def rates():
    """The machine's rates, each of one simple loop, in bytes and operations per second: copies and dot products of data
    of several sizes, from a quarter of L2 on, and a matrix product."""
    sizes = []
    for bytes_touched in (cache_bytes(2) * share // 4 for share in SHARES):
        left, right = torch.ones(bytes_touched // 2 // F32), torch.ones(bytes_touched // 2 // F32)
        sizes.append({"bytes": bytes_touched, "copy": bytes_touched / best_seconds(lambda: left.copy_(right)),
                      "read": bytes_touched / best_seconds(lambda: torch.dot(left, right))})
    left, right = torch.ones(512, 512), torch.ones(512, 512)
    return {"sizes": sizes, "operations": 2 * 512**3 / best_seconds(lambda: torch.mm(left, right))}


def rate_at(rate, what, kept):
    """Of data of the next smaller size that was measured, so that the bound is not above what a cache allows; where a
    larger size was faster, that one's."""
    first = max((i for i, size in enumerate(rate["sizes"]) if size["bytes"] <= kept), default=0)
    return max(size[what] for size in rate["sizes"][first:])


def bound(name, arguments, rate):
    """{bytes moved, operations, milliseconds by each}; what is read beyond what is written is only read."""
    work = WORK[name](*arguments)
    copied = 2 * min(work.read, work.written)
    rest = work.read + work.written - copied
    one_way = rate_at(rate, "read" if work.read > work.written else "copy", work.kept)
    seconds = copied / rate_at(rate, "copy", work.kept) + rest / one_way
    return {"bytes": work.read + work.written, "operations": work.operations, "bytes_ms": seconds * 1e3,
            "operations_ms": work.operations / rate["operations"] * 1e3}
