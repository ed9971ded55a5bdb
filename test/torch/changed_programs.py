# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of postprocessing.py that are refused, changed so that they are not.

They do the same: a tensor or list that grows until a run stops it is a buffer and a count, and what was
a list of numbers or a text is a tensor.
"""

import torch

from detections import box_area, box_iou


def batched_nms(boxes, scores, classes, threshold: float):
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64)
    boxes = boxes + (classes.to(boxes) * (boxes.max() + 1))[:, None]
    area = box_area(boxes)
    order = scores.argsort(descending=True)
    keep, count = torch.zeros_like(order), 0
    while order.numel() > 0:
        first, rest = order[0].view(1), order[1:]
        keep[count] = order[0]
        count += 1
        low = torch.max(boxes[first, :2], boxes[rest, :2])
        high = torch.min(boxes[first, 2:], boxes[rest, 2:])
        shared = (high - low).clamp(min=0).prod(dim=1)
        iou = shared / (area[first] + area[rest] - shared)
        order = rest[iou <= threshold]
    return keep[:count]


def fuses_boxes(boxes, scores, threshold: float, models: int):
    order = torch.argsort(scores, descending=True)
    boxes, scores = boxes[order], scores[order]
    fused, weights = torch.zeros_like(boxes), torch.zeros_like(scores)
    votes = torch.zeros(boxes.size(0), dtype=torch.long)
    places = torch.arange(boxes.size(0))
    count = 0
    for i in range(boxes.size(0)):
        box, score = boxes[i], scores[i]
        overlap = torch.where(places < count, box_iou(fused, box[None])[:, 0], torch.full_like(scores, -1))
        best, place = overlap.max(0)
        found = torch.where(best > threshold, place, count).view(1)
        total = weights[found] + score
        fused[found] = torch.where(weights[found] > 0, (fused[found] * weights[found] + box * score) / total, box)
        weights[found] = total
        votes[found] += 1
        count = count + (best <= threshold).long()
    size = int(count)
    votes = votes[:size]
    return fused[:size], weights[:size] / votes * votes.clamp(max=models) / models


def run_lengths(masks):
    """The counts of each mask are a row that ends with -1."""
    count, height, width = masks.shape
    flat = masks.permute(0, 2, 1).flatten(1)
    runs = torch.full((count, height * width + 2), -1)
    for i in range(count):
        places = torch.cat([torch.zeros(1, dtype=torch.long), (flat[i, 1:] ^ flat[i, :-1]).nonzero()[:, 0] + 1])
        ends = torch.cat([places[1:], torch.full((1,), height * width)])
        first = int(flat[i, 0].long())
        runs[i, 0] = 0
        runs[i, first:first + places.size(0)] = ends - places
    return runs


def collapses_ctc(emission, blank: int, letters: str):
    """The letters as numbers, of which the caller makes a text."""
    indices = torch.argmax(emission, dim=-1)
    indices = torch.unique_consecutive(indices, dim=-1)
    codes = torch.tensor([ord(letter) for letter in letters])
    return codes[indices[indices != blank]]


def viterbi(emissions, lengths, transitions, start, end):
    """A path is a row that is -1 after its end."""
    steps, batch = emissions.shape[:2]
    mask = torch.arange(steps)[:, None] < lengths
    score = start + emissions[0]
    history = torch.zeros(steps, *score.shape, dtype=torch.long)
    for t in range(1, steps):
        following = score[:, :, None] + transitions + emissions[t][:, None]
        following, indices = following.max(dim=1)
        score = torch.where(mask[t][:, None], following, score)
        history[t] = indices
    tag = (score + end).argmax(1)
    paths = torch.full((batch, steps), -1)
    for t in range(steps - 1, -1, -1):
        paths[:, t] = torch.where(mask[t], tag, paths[:, t])
        tag = torch.where(mask[t], history[t].gather(1, tag[:, None])[:, 0], tag)
    return paths


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
    path, length = torch.zeros(n + m, 2, dtype=torch.long), 0
    while i > 0 or j > 0:
        path[length, 0], path[length, 1] = i - 1, j - 1
        length += 1
        way = 2 if i == 0 else 1 if j == 0 else int(trace[i, j])
        if way == 0:
            i, j = i - 1, j - 1
        elif way == 1:
            i -= 1
        else:
            j -= 1
    return cost[n, m], path[:length].flip(0)


