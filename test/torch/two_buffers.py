# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of everyday work with two buffers, and what they are called with.

Names are swapped, chosen by data, or taken from a list by a number, and then written; loops stop early.
"""

import torch
import torch.nn.functional as F

from collected import Programs, integers, tensor, uniform

PROGRAMS = Programs()
program = PROGRAMS.add


@program((tensor(40, 3), tensor(4, 3, seed=2), 10, 1e-3), (tensor(30, 2), tensor(5, 2, seed=1), 0, 1e-3))
def kmeans(points, centres, rounds: int, tolerance: float):
    old, new = centres.clone(), torch.zeros_like(centres)
    for _ in range(rounds):
        near = torch.cdist(points, old).argmin(1)
        new.zero_()
        new.index_add_(0, near, points)
        new /= torch.bincount(near, minlength=old.size(0)).clamp(min=1).unsqueeze(1)
        is_done = (new - old).abs().max() < tolerance
        old, new = new, old
        if is_done:
            break
    return old


@program((uniform(6, 4) + 0.1, 20, 1e-4), (uniform(5, 5) + 0.1, 1, 1e-4))
def sinkhorn(kernel, rounds: int, tolerance: float):
    u, last = torch.ones(kernel.size(0)), torch.zeros(kernel.size(0))
    v = torch.ones(kernel.size(1))
    for _ in range(rounds):
        u, last = last, u
        v = 1 / (kernel.t() @ last)
        u.copy_(1 / (kernel @ v))
        if (u - last).abs().max() < tolerance:
            break
    return u.unsqueeze(1) * kernel * v


@program((tensor(8, 8), 20, 1e-3), (tensor(8, 8), 200, 1e-3))
def jacobi(b, rounds: int, tolerance: float):
    x, y = torch.zeros_like(b), torch.zeros_like(b)
    for _ in range(rounds):
        y[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - b[1:-1, 1:-1]) / 4
        if (y - x).abs().max() < tolerance:
            return y
        x, y = y, x
    return x


@program(((tensor(8, 8) > 0).float(), 5), ((tensor(8, 8) > 0).float(), 0))
def game_of_life(board, steps: int):
    now, then = board.clone(), torch.empty_like(board)
    for _ in range(steps):
        near = F.conv2d(F.pad(now[None, None], (1, 1, 1, 1), mode="circular"), torch.ones(1, 1, 3, 3))[0, 0] - now
        then.copy_(((near == 3) | ((now == 1) & (near == 2))).float())
        now, then = then, now
    return now


@program((tensor(9, 10), 7, 0.2), (tensor(9, 10), 4, 0.1))
def diffuses_heat(field, steps: int, rate: float):
    a, b = field.clone(), field.clone()
    for i in range(steps):
        source, target = (a, b) if i % 2 == 0 else (b, a)
        target[1:-1, 1:-1] = source[1:-1, 1:-1] + rate * (
            source[2:, 1:-1] + source[:-2, 1:-1] + source[1:-1, 2:] + source[1:-1, :-2] - 4 * source[1:-1, 1:-1])
    return a if steps % 2 == 0 else b


@program((tensor(12, 12), 3), (tensor(12, 12), 4))
def blurs_in_turns(image, times: int):
    buffers = [image.clone(), torch.zeros_like(image)]
    for i in range(times):
        source, target = buffers[i % 2], buffers[(i + 1) % 2]
        target[:, 1:-1] = (source[:, :-2] + 2 * source[:, 1:-1] + source[:, 2:]) / 4
        target[:, 0] = source[:, 0]
        target[:, -1] = source[:, -1]
        source[1:-1] = (target[:-2] + 2 * target[1:-1] + target[2:]) / 4
        source[0], source[-1] = target[0], target[-1]
        target.copy_(source)
    return buffers[times % 2]


@program((tensor(20), tensor(20, seed=1), 6, 0.3), (tensor(20), tensor(20, seed=1), 0, 0.3))
def wave_in_three_buffers(start, before, steps: int, speed: float):
    last, now, new = before.clone(), start.clone(), torch.zeros_like(start)
    for _ in range(steps):
        new[1:-1] = 2 * now[1:-1] - last[1:-1] + speed * (now[2:] - 2 * now[1:-1] + now[:-2])
        last, now, new = now, new, last
    return now


@program((tensor(3, 6, 4), tensor(3, seed=1), 4))
def beam_search_swaps_caches(keys, scores, steps: int):
    cache, spare = torch.zeros_like(keys), torch.zeros_like(keys)
    for i in range(steps):
        order = torch.argsort(scores, descending=True)
        spare.copy_(cache.index_select(0, order))
        cache, spare = spare, cache
        cache[:, i] = keys[:, i] + scores.unsqueeze(1)
        scores = scores[order] + cache[:, : i + 1].mean((1, 2))
    return cache, scores


@program((tensor(6, 6) + tensor(6, 6).t(), 50, 1e-5), (tensor(6, 6), 3, 1e-5))
def power_iteration(matrix, rounds: int, tolerance: float):
    v, w = torch.ones(matrix.size(0)), torch.zeros(matrix.size(0))
    for _ in range(rounds):
        torch.mv(matrix, v, out=w)
        w /= w.norm()
        v, w = w, v
        if torch.min((v - w).norm(), (v + w).norm()) < tolerance:
            break
    return v


@program(((uniform(9, 9) > 0.6).float(), 0.85, 1e-6))
def pagerank(links, damping: float, tolerance: float):
    n = links.size(0)
    rank, new = torch.full((n,), 1.0 / n), torch.empty(n)
    out = links.sum(1).clamp(min=1)
    moved = True
    while moved:
        new.copy_((1 - damping) / n + damping * (links.t() @ (rank / out)))
        moved = bool((new - rank).abs().sum() > tolerance)
        rank, new = new, rank
    return rank


@program((uniform(7, 7) > 0.4,), (uniform(5, 9) > 0.7,))
def labels_components(mask):
    labels = torch.arange(1, mask.numel() + 1).view(mask.shape) * mask
    new = torch.zeros_like(labels)
    while True:
        new.copy_(labels)
        new[1:] = torch.maximum(new[1:], labels[:-1])
        new[:-1] = torch.maximum(new[:-1], labels[1:])
        new[:, 1:] = torch.maximum(new[:, 1:], labels[:, :-1])
        new[:, :-1] = torch.maximum(new[:, :-1], labels[:, 1:])
        new *= mask
        if torch.equal(new, labels):
            return new
        labels, new = new, labels


@program((tensor(6), tensor(5, 6, seed=1), 0.3), (tensor(6), tensor(0, 6), 0.3))
def keeps_the_best(start, steps, decay: float):
    best, current = start.clone(), start.clone()
    score = best.square().sum()
    for step in steps:
        current = current * 0.9 + step
        new = current.square().sum()
        if new < score:
            best, score = current, new
        best[0] *= decay
    return best, score


@program((tensor(8), tensor(8, seed=1), 12), (tensor(8), tensor(8, seed=3), 5))
def searches_a_line(x, target, rounds: int):
    x, trial = x.clone(), torch.empty_like(x)
    rate = torch.ones(())
    for _ in range(rounds):
        gradient = 2 * (x - target)
        trial.copy_(x)
        trial.sub_(rate * gradient)
        if ((trial - target) ** 2).sum() < ((x - target) ** 2).sum():
            x, trial = trial, x
            rate *= 1.5
        else:
            rate *= 0.5
    return x


@program((tensor(10), tensor(15, 10, seed=1), uniform(15)), (tensor(10), tensor(15, 10, seed=2), uniform(15, seed=4)))
def anneals(state, moves, chances):
    state, proposal = state.clone(), torch.empty_like(state)
    energy = (state ** 2).sum() + (state[1:] - state[:-1]).abs().sum()
    for i in range(moves.size(0)):
        proposal.copy_(state)
        proposal += 0.3 * moves[i]
        new = (proposal ** 2).sum() + (proposal[1:] - proposal[:-1]).abs().sum()
        if chances[i] < torch.exp((energy - new) / (1.0 + i)):
            state, proposal = proposal, state
            energy = new
    return state, energy


@program((integers(4, 7), integers(4, 9, seed=1)), (integers(4, 3), integers(4, 3)))
def edit_distance(left, right):
    last, now = torch.arange(right.size(0) + 1), torch.zeros(right.size(0) + 1, dtype=torch.int64)
    steps = torch.arange(1, right.size(0) + 1)
    for i in range(left.size(0)):
        now[0] = i + 1
        now[1:] = torch.minimum(last[1:] + 1, last[:-1] + (right != left[i]))
        now[1:] = torch.minimum(torch.cummin(now[1:] - steps, 0).values, now[0]) + steps
        last, now = now, last
    return last[-1]


@program((tensor(30, 3),), (tensor(8, 2),))
def scans_by_doubling(x):
    a, b = x.clone(), torch.empty_like(x)
    step = 1
    while step < x.size(0):
        b[step:] = a[step:] + a[:-step]
        b[:step] = a[:step]
        a, b = b, a
        step *= 2
    return a


@program((uniform(9, 9) > 0.9, uniform(9, 9) > 0.3), (uniform(6, 8) > 0.8, uniform(6, 8) > 0.2))
def reconstructs_by_dilation(marker, mask):
    now, new = marker & mask, torch.zeros_like(mask)
    for _ in range(mask.numel()):
        grown = F.max_pool2d(now[None, None].float(), 3, 1, 1)[0, 0] > 0
        torch.logical_and(grown, mask, out=new)
        if bool((new == now).all()):
            break
        now, new = new, now
    return now


@program((tensor(16), tensor(16, seed=1), 8), (tensor(16), tensor(16, seed=1), 3))
def relaxes_red_and_black(u, b, sweeps: int):
    u = u.clone()
    red, black = u[0::2], u[1::2]
    right_hand = [b[0::2], b[1::2]]
    for i in range(sweeps):
        own, other = (red, black) if i % 2 == 0 else (black, red)
        own.mul_(0.2)
        own.add_(0.4 * (other + other.roll(1 if i % 2 == 0 else -1, 0)))
        own.sub_(0.1 * right_hand[i % 2])
    return u


@program((tensor(12, 5),), (tensor(1, 5),))
def sums_by_sign(rows):
    positive, negative = torch.zeros(rows.size(1)), torch.zeros(rows.size(1))
    for row in rows:
        total = positive if row.sum() > 0 else negative
        total += row
        total[0] += 1
    return positive, negative


@program((tensor(10, 4), 0.5), (tensor(3, 4), 0.1))
def double_buffers_a_stream(frames, limit: float):
    front, back = torch.zeros(frames.size(1)), torch.zeros(frames.size(1))
    out = torch.zeros_like(frames)
    for i, frame in enumerate(frames):
        back.lerp_(frame, 0.5)
        if (back - front).abs().max() > limit:
            front, back = back, front
            back.copy_(front)
        out[i] = front
    return out
