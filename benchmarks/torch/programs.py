# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Imperative tensor programs with views, writes and loops, plain Python that PyTorch runs eagerly.

`make_inputs(name, batch, seq)` gives seeded arguments of `PROGRAMS[name]`.
"""

from typing import List, Tuple

import torch
from torch import Tensor


def yolov3_decode(preds: List[Tensor], anchors: Tensor, strides: List[int], img: float) -> Tensor:
    """Per scale: [B, A*(5+C), H, W] -> [B, A*H*W, 5+C]; decode xy, wh, conf through slice mutation, then xywh->xyxy in place."""
    outs: List[Tensor] = []
    for i in range(len(preds)):
        p = preds[i]
        B = p.size(0); H = p.size(2); W = p.size(3)
        p = p.view(B, 3, -1, H, W).permute(0, 1, 3, 4, 2).contiguous()
        gy = torch.arange(H, dtype=torch.float32).view(1, 1, H, 1)
        gx = torch.arange(W, dtype=torch.float32).view(1, 1, 1, W)
        a = anchors[i].view(1, 3, 1, 1, 2)
        p[..., 0] = (torch.sigmoid(p[..., 0]) + gx) * strides[i]
        p[..., 1] = (torch.sigmoid(p[..., 1]) + gy) * strides[i]
        p[..., 2:4] = torch.exp(p[..., 2:4]) * a
        p[..., 4:].sigmoid_()
        outs.append(p.view(B, -1, p.size(4)))
    out = torch.cat(outs, 1)
    box = out[..., :4]
    xy = box[..., :2].clone(); wh = box[..., 2:].clone()
    box[..., :2] = xy - wh / 2
    box[..., 2:] = xy + wh / 2
    box.clamp_(0.0, img)
    out[..., 5:] *= out[..., 4:5]
    return out


def ssd_decode(loc: Tensor, conf: Tensor, priors: Tensor) -> Tuple[Tensor, Tensor]:
    """SSD300: loc [B,8732,4], conf [B,8732,21], priors [8732,4]; per-image loop, in-place box decode and score mask."""
    B = loc.size(0)
    boxes = torch.empty_like(loc)
    scores = torch.softmax(conf, dim=-1)
    for b in range(B):
        l = loc[b]
        o = boxes[b]
        o[:, :2] = priors[:, :2] + l[:, :2] * 0.1 * priors[:, 2:]
        o[:, 2:] = priors[:, 2:] * torch.exp(l[:, 2:] * 0.2)
        o[:, :2] -= o[:, 2:] / 2
        o[:, 2:] += o[:, :2]
        o.clamp_(0.0, 1.0)
        s = scores[b]
        s[:, 0] = 0.0
        s.masked_fill_(s < 0.01, 0.0)
    return boxes, scores


def yolact_mask(proto: Tensor, coef: Tensor, boxes: Tensor) -> Tensor:
    """YOLACT: proto [138,138,32], coef [N,32], boxes [N,4] in [0,1]; sanitize coordinates in place, crop masks in place."""
    h = proto.size(0); w = proto.size(1); n = boxes.size(0)
    masks = torch.sigmoid(torch.matmul(proto, coef.t()))
    b = boxes.clone()
    b[:, 0::2] *= w
    b[:, 1::2] *= h
    x1 = torch.min(b[:, 0], b[:, 2]); x2 = torch.max(b[:, 0], b[:, 2])
    y1 = torch.min(b[:, 1], b[:, 3]); y2 = torch.max(b[:, 1], b[:, 3])
    b[:, 0] = torch.clamp(x1 - 1, min=0.0)
    b[:, 2] = torch.clamp(x2 + 1, max=float(w))
    b[:, 1] = torch.clamp(y1 - 1, min=0.0)
    b[:, 3] = torch.clamp(y2 + 1, max=float(h))
    cols = torch.arange(w, dtype=torch.float32).view(1, -1, 1).expand(h, w, n)
    rows = torch.arange(h, dtype=torch.float32).view(-1, 1, 1).expand(h, w, n)
    keep = (cols >= b[:, 0].view(1, 1, -1)) & (cols < b[:, 2].view(1, 1, -1)) & (rows >= b[:, 1].view(1, 1, -1)) & (rows < b[:, 3].view(1, 1, -1))
    masks *= keep.to(torch.float32)
    out = masks.permute(2, 0, 1).contiguous()
    out.gt_(0.5)
    return out


def fcos_post(cls: List[Tensor], reg: List[Tensor], ctr: List[Tensor], strides: List[int], img: float) -> Tuple[Tensor, Tensor]:
    """FCOS: per level compute locations, decode l/t/r/b into a preallocated buffer slice, centerness-weighted scores in place."""
    total = 0
    for c in cls:
        total += c.size(2) * c.size(3)
    B = cls[0].size(0); C = cls[0].size(1)
    boxes = torch.zeros(B, total, 4)
    scores = torch.zeros(B, total, C)
    off = 0
    for i in range(len(cls)):
        H = cls[i].size(2); W = cls[i].size(3); n = H * W; s = strides[i]
        ys = (torch.arange(H, dtype=torch.float32) * s + s // 2).view(H, 1).expand(H, W).reshape(-1)
        xs = (torch.arange(W, dtype=torch.float32) * s + s // 2).view(1, W).expand(H, W).reshape(-1)
        r = reg[i].permute(0, 2, 3, 1).reshape(B, n, 4)
        d = boxes[:, off:off + n]
        d[..., 0] = xs - r[..., 0] * s
        d[..., 1] = ys - r[..., 1] * s
        d[..., 2] = xs + r[..., 2] * s
        d[..., 3] = ys + r[..., 3] * s
        q = scores[:, off:off + n]
        q.copy_(cls[i].permute(0, 2, 3, 1).reshape(B, n, C))
        q.sigmoid_()
        q *= torch.sigmoid(ctr[i].permute(0, 2, 3, 1).reshape(B, n, 1))
        q.sqrt_()
        off += n
    boxes.clamp_(0.0, img)
    scores.masked_fill_(scores < 0.05, 0.0)
    return boxes, scores


def nasrnn(x: Tensor, wx: Tensor, wh: Tensor, h0: Tensor, c0: Tensor) -> Tensor:
    """NASNet-searched RNN cell (Zoph & Le), x [T,B,H]; 8 gates each; outputs written in place into a preallocated buffer."""
    T = x.size(0); H = h0.size(1)
    h = h0.clone(); c = c0.clone()
    out = torch.zeros(T, x.size(1), H)
    for t in range(T):
        a = torch.matmul(x[t], wx); m = torch.matmul(h, wh)
        a0, a1, a2, a3, a4, a5, a6, a7 = a.chunk(8, 1)
        m0, m1, m2, m3, m4, m5, m6, m7 = m.chunk(8, 1)
        l0 = torch.sigmoid(a0 + m0); l1 = torch.relu(a1 + m1); l2 = torch.sigmoid(a2 + m2); l3 = torch.relu(a3 * m3)
        l4 = torch.tanh(a4 + m4); l5 = torch.sigmoid(a5 + m5); l6 = torch.tanh(a6 + m6); l7 = torch.sigmoid(a7 + m7)
        e0 = torch.tanh(l0 * l1); e1 = torch.tanh(l2 + l3); e2 = torch.tanh(l4 * l5); e3 = torch.sigmoid(l6 + l7)
        f0 = torch.tanh(e0 + c); f1 = torch.tanh(f0 * e1)
        c.copy_(f0 * e1)
        h.copy_(torch.tanh(f1 * torch.tanh(e2 + e3)))
        out[t] = h
    return out


def lstm_loop(x: Tensor, wx: Tensor, wh: Tensor, b: Tensor) -> Tensor:
    """One-layer LSTM, x [T,B,H]; state mutated in place, gates are views, output buffer written by index."""
    T = x.size(0); B = x.size(1); H = wh.size(0)
    h = torch.zeros(B, H); c = torch.zeros(B, H); out = torch.zeros(T, B, H)
    for t in range(T):
        g = torch.matmul(x[t], wx)
        g += torch.matmul(h, wh)
        g += b
        g[:, :3 * H].sigmoid_()
        g[:, 3 * H:].tanh_()
        c *= g[:, H:2 * H]
        c += g[:, :H] * g[:, 3 * H:]
        torch.mul(g[:, 2 * H:3 * H], torch.tanh(c), out=h)
        out[t] = h
    return out


def seq2seq_greedy(enc: Tensor, emb: Tensor, wx: Tensor, wh: Tensor, b: Tensor, wo: Tensor, max_len: int, eos: int) -> Tensor:
    """GRU decoder with dot attention over enc [B,S,H], greedy argmax, finished-mask mutation, data-dependent early exit."""
    B = enc.size(0); H = enc.size(2)
    tok = torch.zeros(B, dtype=torch.int64)
    done = torch.zeros(B, dtype=torch.bool)
    out = torch.full((B, max_len), eos, dtype=torch.int64)
    h = enc[:, -1].clone()
    t = 0
    while t < max_len and not bool(done.all()):
        e = emb[tok]
        s = torch.softmax(torch.matmul(enc, h.unsqueeze(2)).squeeze(2), 1)
        ctx = torch.matmul(s.unsqueeze(1), enc).squeeze(1)
        gx = torch.matmul(torch.cat([e, ctx], 1), wx) + b
        gh = torch.matmul(h, wh)
        z = torch.sigmoid(gx[:, :H] + gh[:, :H]); r = torch.sigmoid(gx[:, H:2 * H] + gh[:, H:2 * H])
        n = torch.tanh(gx[:, 2 * H:] + r * gh[:, 2 * H:])
        h.mul_(z).add_((1 - z) * n)
        nxt = torch.matmul(h, wo).argmax(1)
        nxt.masked_fill_(done, eos)
        out[:, t] = nxt
        done |= nxt == eos
        tok.copy_(nxt)
        t += 1
    return out


def attention_cache(x: Tensor, wqkv: Tensor, wo: Tensor, heads: int) -> Tensor:
    """Autoregressive self-attention: x [T,B,D]; K/V cache preallocated and written in place each step; masked scores."""
    T = x.size(0); B = x.size(1); D = x.size(2); d = D // heads
    kc = torch.zeros(B, heads, T, d); vc = torch.zeros(B, heads, T, d)
    out = torch.zeros(T, B, D)
    for t in range(T):
        qkv = torch.matmul(x[t], wqkv).view(B, 3, heads, d)
        kc[:, :, t] = qkv[:, 1]
        vc[:, :, t] = qkv[:, 2]
        q = qkv[:, 0].unsqueeze(2) * (d ** -0.5)
        s = torch.matmul(q, kc[:, :, :t + 1].transpose(2, 3))
        a = torch.softmax(s, -1)
        o = torch.matmul(a, vc[:, :, :t + 1]).reshape(B, D)
        out[t] = torch.matmul(o, wo)
    return out


PROGRAMS = {
    function.__name__: function
    for function in (yolov3_decode, ssd_decode, yolact_mask, fcos_post, nasrnn, lstm_loop,
                     seq2seq_greedy, attention_cache)
}


def make_inputs(name, batch=1, seq=64, hidden=256):
    """Arguments of a program. `seq` and `hidden` are those of sequence models; the others have
    the sizes of their networks, scaled by seq / 64."""
    generator = torch.Generator().manual_seed(7)

    def normal(*shape):
        return torch.randn(*shape, generator=generator)

    def uniform(*shape):
        return torch.rand(*shape, generator=generator)

    def weights(*shape):
        return (uniform(*shape) * 2 - 1) * hidden**-0.5

    def scale(size):
        return max(1, size * seq // 64)

    if name == "yolov3_decode":
        sizes = [scale(size) for size in (13, 26, 52)]
        return ([normal(batch, 255, s, s) for s in sizes], uniform(3, 3, 2) * 100 + 10,
                [32, 16, 8], 416.0)
    if name == "ssd_decode":
        count = scale(8732)
        return (normal(batch, count, 4), normal(batch, count, 21), uniform(count, 4) * 0.5 + 0.1)
    if name == "yolact_mask":
        side = scale(138)
        return (normal(side, side, 32), normal(100 * batch, 32).tanh(), uniform(100 * batch, 4))
    if name == "fcos_post":
        sizes = [(scale(h), scale(w)) for h, w in ((100, 128), (50, 64), (25, 32), (13, 16), (7, 8))]
        return ([normal(batch, 80, *s) for s in sizes], [uniform(batch, 4, *s) * 4 for s in sizes],
                [normal(batch, 1, *s) for s in sizes], [8, 16, 32, 64, 128], 1024.0)
    h = hidden
    if name == "nasrnn":
        return (normal(seq, batch, h), weights(h, 8 * h), weights(h, 8 * h),
                normal(batch, h) * 0.1, normal(batch, h) * 0.1)
    if name == "lstm_loop":
        return normal(seq, batch, h), weights(h, 4 * h), weights(h, 4 * h), weights(4 * h)
    if name == "seq2seq_greedy":
        return (normal(batch, seq, h) * 0.3, normal(1000, h) * 0.5, weights(2 * h, 3 * h),
                weights(h, 3 * h), weights(3 * h), weights(h, 1000), seq, 999)
    if name == "attention_cache":
        return normal(seq, batch, 2 * h), weights(2 * h, 6 * h), weights(2 * h, 2 * h), 8
    raise KeyError(name)
