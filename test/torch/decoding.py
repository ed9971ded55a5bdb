# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What follows a model of sequences, and what is done with points and graphs."""

import torch
import torch.nn.functional as F

from collected import Programs, integers, tensor, uniform

PROGRAMS = Programs()
program = PROGRAMS.add


def decoder(vocabulary, width, seed=0):
    """The weights of a decoder of one layer: embeddings; queries, keys, values; output."""
    return {"embed": tensor(vocabulary, width, seed=seed), "qkv": tensor(width, 3 * width, seed=seed + 1) * 0.5,
            "out": tensor(width, vocabulary, seed=seed + 2)}


def attend(weights, tokens, keys, values):
    """Logits for the last tokens, and the caches with one more position."""
    q, k, v = (weights["embed"][tokens] @ weights["qkv"]).chunk(3, -1)
    keys = torch.cat([keys, k[:, None]], 1)
    values = torch.cat([values, v[:, None]], 1)
    scores = torch.einsum("bd,btd->bt", q, keys) / q.size(-1) ** 0.5
    context = torch.einsum("bt,btd->bd", scores.softmax(-1), values)
    return context @ weights["out"], keys, values


# Generation.


# facebookresearch/fairseq, fairseq/sequence_generator.py and fairseq/search.py (BeamSearch)
@program((decoder(12, 8), 3, 6, 0), (decoder(20, 6, seed=3), 4, 9, 1), (decoder(12, 8, seed=9), 2, 3, 5))
def beam_search(weights, beams: int, steps: int, eos: int):
    vocabulary, width = weights["embed"].shape
    keys, values = torch.zeros(beams, 0, width), torch.zeros(beams, 0, width)
    tokens = torch.full((beams, 1), 2, dtype=torch.long)
    scores = torch.full((beams,), float("-inf"))
    scores[0] = 0.0
    finished = torch.zeros(beams, dtype=torch.bool)
    for step in range(steps):
        logits, keys, values = attend(weights, tokens[:, -1], keys, values)
        gains = F.log_softmax(logits, -1)
        gains[finished] = float("-inf")
        gains[finished, eos] = 0.0
        total = scores[:, None] + gains
        scores, places = total.view(-1).topk(beams)
        origin = places // vocabulary
        chosen = places % vocabulary
        keys = keys.index_select(0, origin)
        values = values.index_select(0, origin)
        tokens = torch.cat([tokens.index_select(0, origin), chosen[:, None]], 1)
        finished = finished.index_select(0, origin) | (chosen == eos)
        if finished.all():
            break
    return tokens, scores / tokens.size(1) ** 0.7


# huggingface/transformers, generation/utils.py (_sample without sampling)
@program((decoder(12, 8), torch.tensor([1, 4]), 8, 0), (decoder(9, 6, seed=4), torch.tensor([2, 3, 5]), 12, 7),
         (decoder(9, 6, seed=5), torch.tensor([2]), 1, 7))
def greedy_decode(weights, start, limit: int, eos: int):
    width = weights["embed"].size(1)
    keys, values = torch.zeros(len(start), 0, width), torch.zeros(len(start), 0, width)
    ids = start[:, None]
    unfinished = torch.ones(len(start), dtype=torch.long)
    while ids.shape[1] < limit:
        logits, keys, values = attend(weights, ids[:, -1], keys, values)
        following = torch.argmax(logits, dim=-1)
        following = following * unfinished + eos * (1 - unfinished)
        ids = torch.cat([ids, following[:, None]], dim=-1)
        unfinished = unfinished & (following != eos).long()
        if unfinished.max() == 0:
            break
    return ids


# thomwolf's gist top-k-top-p.py; huggingface/transformers, generation/logits_process.py
@program((tensor(2, 10), 4, 0.8), (tensor(3, 17, seed=1), 0, 0.5), (tensor(1, 6, seed=2), 50, 1.0))
def filters_top_k_and_p(logits, k: int, p: float):
    k = min(k, logits.size(-1))
    if k > 0:
        logits[logits < torch.topk(logits, k)[0][..., -1, None]] = -float("inf")
    if p < 1.0:
        ordered, order = torch.sort(logits, descending=True)
        cumulative = F.softmax(ordered, dim=-1).cumsum(dim=-1)
        remove = cumulative > p
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = 0
        logits = logits.masked_fill(remove.scatter(1, order, remove), -float("inf"))
    return F.softmax(logits, dim=-1)


# huggingface/transformers, generation/logits_process.py (RepetitionPenalty..., NoRepeatNGram...)
@program((tensor(2, 9), integers(9, 2, 5), 1.3), (tensor(3, 14, seed=1), integers(6, 3, 8, seed=1), 2.0))
def penalises_repetition(logits, ids, penalty: float):
    seen = torch.gather(logits, 1, ids)
    seen = torch.where(seen < 0, seen * penalty, seen / penalty)
    logits = logits.scatter(1, ids, seen)
    for row in range(ids.size(0)):
        last = ids[row, -1]
        for i in range(ids.size(1) - 1):
            if ids[row, i] == last:
                logits[row, ids[row, i + 1]] = -float("inf")
    return logits


# Alignment and tagging.


# torchaudio tutorial "Speech Recognition with Wav2Vec2" (GreedyCTCDecoder)
@program((tensor(9, 5), 0, "-ABCD"), (tensor(20, 4, seed=1), 0, "-XYZ"), (tensor(1, 5, seed=2), 0, "-ABCD"))
def collapses_ctc(emission, blank: int, letters: str):
    indices = torch.argmax(emission, dim=-1)
    indices = torch.unique_consecutive(indices, dim=-1)
    indices = [i for i in indices if i != blank]
    return "".join([letters[int(i)] for i in indices])


# vadimkantorov/ctc, ctc.py (ctc_alignment); torch.nn.functional.ctc_loss
@program((tensor(8, 5), torch.tensor([1, 2, 2])), (tensor(15, 7, seed=1), torch.tensor([3, 3, 1, 6, 2])))
def scores_ctc(logits, targets):
    emission = F.log_softmax(logits, -1)
    labels = torch.zeros(2 * targets.numel() + 1, dtype=torch.long)
    labels[1::2] = targets
    may_skip = torch.zeros(labels.numel(), dtype=torch.bool)
    may_skip[2:] = (labels[2:] != 0) & (labels[2:] != labels[:-2])
    alpha = torch.full((labels.numel(),), float("-inf"))
    alpha[:2] = emission[0, labels[:2]]
    for t in range(1, emission.size(0)):
        one = F.pad(alpha[:-1], (1, 0), value=float("-inf"))
        two = F.pad(alpha[:-2], (2, 0), value=float("-inf")).masked_fill(~may_skip, float("-inf"))
        alpha = torch.logsumexp(torch.stack([alpha, one, two]), 0) + emission[t, labels]
    return -torch.logaddexp(alpha[-1], alpha[-2])


# kmkurn/pytorch-crf, torchcrf/__init__.py (_viterbi_decode)
@program((tensor(6, 2, 4), torch.tensor([6, 4]), tensor(4, 4, seed=1), tensor(4, seed=2), tensor(4, seed=3)),
         (tensor(9, 3, 5, seed=4), torch.tensor([2, 9, 7]), tensor(5, 5, seed=1), tensor(5, seed=2), tensor(5, seed=3)))
def viterbi(emissions, lengths, transitions, start, end):
    steps, batch = emissions.shape[:2]
    mask = torch.arange(steps)[:, None] < lengths
    score = start + emissions[0]
    history = []
    for t in range(1, steps):
        following = score[:, :, None] + transitions + emissions[t][:, None]
        following, indices = following.max(dim=1)
        score = torch.where(mask[t][:, None], following, score)
        history.append(indices)
    score += end
    paths = []
    for b in range(batch):
        best = [score[b].argmax().item()]
        for pointers in reversed(history[:int(lengths[b]) - 1]):
            best.append(pointers[b][best[-1]].item())
        best.reverse()
        paths.append(best)
    return paths


# kmkurn/pytorch-crf, torchcrf/__init__.py (_compute_normalizer, _compute_score)
@program((tensor(6, 2, 4), integers(4, 6, 2), torch.ones(6, 2) > 0, tensor(4, 4, seed=1)),
         (tensor(9, 3, 5, seed=4), integers(5, 9, 3), torch.arange(9)[:, None] < torch.tensor([2, 9, 7]), tensor(5, 5)))
def crf_likelihood(emissions, tags, mask, transitions):
    steps, batch, _ = emissions.shape
    rows = torch.arange(batch)
    weight = mask.float()
    true = emissions[0, rows, tags[0]]
    score = emissions[0]
    for t in range(1, steps):
        true = true + (transitions[tags[t - 1], tags[t]] + emissions[t, rows, tags[t]]) * weight[t]
        broadcast = score.unsqueeze(2) + transitions + emissions[t].unsqueeze(1)
        score = torch.where(mask[t].unsqueeze(1), torch.logsumexp(broadcast, dim=1), score)
    return true - torch.logsumexp(score, dim=1)


# openai/whisper, whisper/timing.py (dtw_cpu and backtrace)
@program((uniform(5, 7),), (uniform(9, 4, seed=1),), (uniform(1, 3, seed=2),))
def warps_time(x):
    n, m = x.shape
    cost = torch.full((n + 1, m + 1), float("inf"))
    cost[0, 0] = 0
    trace = torch.zeros(n + 1, m + 1, dtype=torch.long)
    for j in range(1, m + 1):
        for i in range(1, n + 1):
            before = torch.stack([cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]])
            least, way = before.min(0)
            cost[i, j] = x[i - 1, j - 1] + least
            trace[i, j] = way
    i, j = n, m
    path = []
    while i > 0 or j > 0:
        path.append((i - 1, j - 1))
        way = 2 if i == 0 else 1 if j == 0 else int(trace[i, j])
        if way == 0:
            i, j = i - 1, j - 1
        elif way == 1:
            i -= 1
        else:
            j -= 1
    return cost[n, m], path[::-1]


# torchaudio.functional.edit_distance (functional/functional.py), on tensors
@program((integers(5, 2, 6), integers(5, 3, 4, seed=1)), (integers(3, 4, 5), integers(3, 2, 8, seed=1)))
def edit_distances(first, second):
    distances = torch.zeros(first.size(0), second.size(0), dtype=torch.long)
    for a, one in enumerate(first):
        for b, other in enumerate(second):
            row = torch.arange(other.numel() + 1)
            for i, token in enumerate(one):
                previous = row.clone()
                row[0] = i + 1
                for j in range(other.numel()):
                    change = previous[j] + (token != other[j]).long()
                    row[j + 1] = min(previous[j + 1] + 1, row[j] + 1, change)
            distances[a, b] = row[-1]
    return distances


# Points and graphs.


# subhadarship/kmeans_pytorch, kmeans_pytorch/__init__.py
@program((tensor(20, 2), tensor(3, 2, seed=1), 1e-4), (tensor(45, 3, seed=2), tensor(5, 3, seed=3), 1e-3))
def kmeans(points, centres, tolerance: float):
    iteration = 0
    while True:
        choice = torch.cdist(points, centres).argmin(dim=1)
        before = centres.clone()
        for index in range(centres.size(0)):
            selected = points[choice == index]
            if selected.shape[0] == 0:
                continue
            centres[index] = selected.mean(dim=0)
        shift = torch.sum(torch.sqrt(torch.sum((centres - before) ** 2, dim=1)))
        iteration += 1
        if shift ** 2 < tolerance or iteration >= 50:
            break
    return choice, centres, iteration


# NetworkX, algorithms/link_analysis/pagerank_alg.py, on a dense matrix
@program(((uniform(7, 7) > 0.6).float(), 0.85, 1e-6), ((uniform(12, 12, seed=1) > 0.8).float(), 0.5, 1e-4))
def pagerank(adjacency, damping: float, tolerance: float):
    n = adjacency.size(0)
    degree = adjacency.sum(1, keepdim=True)
    transition = torch.where(degree > 0, adjacency / degree.clamp(min=1), torch.full_like(adjacency, 1 / n))
    rank = torch.full((n,), 1.0 / n)
    error, steps = 1.0, 0
    while error > tolerance and steps < 200:
        last = rank
        rank = damping * (last @ transition) + (1 - damping) / n
        error = (rank - last).abs().sum().item()
        steps += 1
    return rank, steps


# yanx27/Pointnet_Pointnet2_pytorch, models/pointnet2_utils.py (farthest_point_sample)
@program((tensor(2, 16, 3), 5), (tensor(1, 40, 3, seed=1), 12))
def farthest_points(xyz, count: int):
    batch, n, _ = xyz.shape
    chosen = torch.zeros(batch, count, dtype=torch.long)
    distance = torch.ones(batch, n) * 1e10
    farthest = torch.zeros(batch, dtype=torch.long)
    rows = torch.arange(batch, dtype=torch.long)
    for i in range(count):
        chosen[:, i] = farthest
        centre = xyz[rows, farthest, :].view(batch, 1, 3)
        new = torch.sum((xyz - centre) ** 2, -1)
        mask = new < distance
        distance[mask] = new[mask]
        farthest = torch.max(distance, -1)[1]
    return chosen


# yanx27/Pointnet_Pointnet2_pytorch, models/pointnet2_utils.py (query_ball_point)
@program((1.0, 4, tensor(2, 16, 3), tensor(2, 16, 3)[:, :5]),
         (0.8, 6, tensor(1, 30, 3, seed=1), tensor(1, 30, 3, seed=1)[:, :9]))
def ball_query(radius: float, most: int, xyz, centres):
    batch, n, _ = xyz.shape
    s = centres.shape[1]
    group = torch.arange(n, dtype=torch.long).view(1, 1, n).repeat([batch, s, 1])
    squares = -2 * torch.matmul(centres, xyz.permute(0, 2, 1))
    squares += torch.sum(centres ** 2, -1).view(batch, s, 1)
    squares += torch.sum(xyz ** 2, -1).view(batch, 1, n)
    group[squares > radius ** 2] = n
    group = group.sort(dim=-1)[0][:, :, :most]
    first = group[:, :, 0].view(batch, s, 1).repeat([1, 1, most])
    mask = group == n
    group[mask] = first[mask]
    return group


# wl-zhao/DIML, utilities/diml.py (Sinkhorn)
@program((uniform(6, 5), 0.1, 1e-4), (uniform(9, 12, seed=1), 0.2, 1e-2))
def sinkhorn(cost, epsilon: float, threshold: float):
    kernel = torch.exp(-cost / epsilon)
    n, m = cost.shape
    u, v = torch.full((n,), 1 / n), torch.full((m,), 1 / m)
    r, c = torch.ones_like(u), torch.ones_like(v)
    for _ in range(100):
        r0 = r
        r = u / (kernel @ c)
        c = v / (kernel.t() @ r)
        if (r - r0).abs().mean().item() < threshold:
            break
    return r[:, None] * kernel * c[None]
