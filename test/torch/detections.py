# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What follows a detector or a segmenter: boxes, masks and images."""

import torch
import torch.nn.functional as F

from collected import Programs, integers, tensor, uniform

PROGRAMS = Programs()
program = PROGRAMS.add


def boxes_of(count, seed=0, size=40.0):
    corner = uniform(count, 2, seed=seed) * size
    return torch.cat([corner, corner + uniform(count, 2, seed=seed + 100) * size * 0.5 + 2], 1)


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(first, second):
    low = torch.max(first[:, None, :2], second[None, :, :2])
    high = torch.min(first[:, None, 2:], second[None, :, 2:])
    size = (high - low).clamp(min=0)
    shared = size[..., 0] * size[..., 1]
    return shared / (box_area(first)[:, None] + box_area(second) - shared)


def nms(boxes, scores, threshold):
    """The indices that are kept, as in many repositories before torchvision had it."""
    area = box_area(boxes)
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        rest = order[1:]
        low = torch.max(boxes[i, :2], boxes[rest, :2])
        high = torch.min(boxes[i, 2:], boxes[rest, 2:])
        shared = (high - low).clamp(min=0).prod(dim=1)
        iou = shared / (area[i] + area[rest] - shared)
        order = rest[iou <= threshold]
    return torch.stack(keep)


# Suppression of what overlaps.


# torchvision, ops/boxes.py (nms), and its C++ kernel csrc/ops/cpu/nms_kernel.cpp
@program((boxes_of(12), uniform(12), 0.3), (boxes_of(30, 1), uniform(30, seed=1), 0.5), (boxes_of(1), uniform(1), 0.5))
def greedy_nms(boxes, scores, threshold: float):
    order = scores.argsort(descending=True)
    boxes = boxes[order]
    iou = box_iou(boxes, boxes)
    count = boxes.shape[0]
    suppressed = torch.zeros(count, dtype=torch.bool)
    for i in range(count):
        if suppressed[i]:
            continue
        suppressed[i + 1:] |= iou[i, i + 1:] > threshold
    return order[~suppressed]


# DocF/Soft-NMS, softnms_pytorch.py; detectron2 pull request 1183 (soft_nms.py)
@program((boxes_of(10, 2), uniform(10, seed=2), 0.5, 0.1), (boxes_of(25, 3), uniform(25, seed=3), 0.3, 0.2))
def soft_nms(boxes, scores, sigma: float, least: float):
    boxes, scores = boxes.clone(), scores.clone()
    count = boxes.size(0)
    index = torch.arange(count)
    for i in range(count - 1):
        best = int(scores[i:].argmax()) + i
        if scores[best] > scores[i]:
            boxes[[i, best]] = boxes[[best, i]]
            scores[[i, best]] = scores[[best, i]]
            index[[i, best]] = index[[best, i]]
        iou = box_iou(boxes[i:i + 1], boxes[i + 1:])[0]
        scores[i + 1:] *= torch.exp(-(iou * iou) / sigma)
    kept = scores > least
    return index[kept], scores[kept]


# torchvision, ops/boxes.py (_batched_nms_coordinate_trick); detectron2, layers/nms.py
@program((boxes_of(14, 4), uniform(14, seed=4), integers(3, 14), 0.4),
         (boxes_of(33, 5), uniform(33, seed=5), integers(5, 33, seed=1), 0.2),
         (boxes_of(0), uniform(0), integers(3, 0), 0.4))
def batched_nms(boxes, scores, classes, threshold: float):
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64)
    offsets = classes.to(boxes) * (boxes.max() + 1)
    keep = nms(boxes + offsets[:, None], scores, threshold)
    return keep


# WXinlong/SOLO, mmdet/core/post_processing/matrix_nms.py
@program((uniform(6, 8, 8) > 0.4, integers(2, 6), uniform(6), 2.0),
         (uniform(11, 5, 9, seed=1) > 0.5, integers(3, 11), uniform(11, seed=3), 0.5))
def matrix_nms(masks, labels, scores, sigma: float):
    order = torch.argsort(scores, descending=True)
    masks, labels, scores = masks[order].flatten(1).float(), labels[order], scores[order]
    count = len(labels)
    areas = masks.sum(1).expand(count, count)
    shared = masks @ masks.t()
    iou = (shared / (areas + areas.t() - shared)).triu(diagonal=1)
    same = labels.expand(count, count)
    iou = iou * (same == same.t()).triu(diagonal=1)
    most = iou.max(0).values.expand(count, count).t()
    decay = torch.exp(-sigma * iou ** 2) / torch.exp(-sigma * most ** 2)
    return scores * decay.min(0).values, order


# ZFTurbo/Weighted-Boxes-Fusion, ensemble_boxes_wbf.py
@program((boxes_of(9, 6), uniform(9, seed=6), 0.4, 2), (boxes_of(20, 7), uniform(20, seed=7), 0.2, 3))
def fuses_boxes(boxes, scores, threshold: float, models: int):
    order = torch.argsort(scores, descending=True)
    fused, weights, votes = [], [], []
    for index in order:
        box, score = boxes[index], scores[index]
        found = -1
        if len(fused) > 0:
            overlap = box_iou(torch.stack(fused), box[None])[:, 0]
            best, place = overlap.max(0)
            if best > threshold:
                found = int(place)
        if found < 0:
            fused.append(box)
            weights.append(score)
            votes.append(1)
        else:
            total = weights[found] + score
            fused[found] = (fused[found] * weights[found] + box * score) / total
            weights[found] = total
            votes[found] += 1
    votes = torch.tensor(votes)
    return torch.stack(fused), torch.stack(weights) / votes * votes.clamp(max=models) / models


# Raw outputs to boxes.


# ultralytics/yolov5, models/yolo.py (Detect.forward) and utils/general.py (non_max_suppression)
@program(([tensor(1, 21, 4, 4), tensor(1, 21, 2, 2)], [8, 16], uniform(2, 3, 2) * 30, 0.3),
         ([tensor(2, 21, 3, 5, seed=1), tensor(2, 21, 2, 3, seed=2)], [8, 16], uniform(2, 3, 2) * 50, 0.4))
def decodes_yolo(maps, strides, anchors, threshold: float):
    levels = []
    for x, stride, anchor in zip(maps, strides, anchors):
        batch, _, rows, columns = x.shape
        x = x.view(batch, 3, -1, rows, columns).permute(0, 1, 3, 4, 2).contiguous()
        y, x0 = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        grid = torch.stack((x0, y), 2).view(1, 1, rows, columns, 2) - 0.5
        y = x.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2 + grid) * stride
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * anchor.view(1, 3, 1, 1, 2)
        levels.append(y.view(batch, -1, y.shape[-1]))
    results = []
    for prediction in torch.cat(levels, 1):
        prediction = prediction[prediction[:, 4] > threshold]
        scores, labels = (prediction[:, 5:] * prediction[:, 4:5]).max(1)
        half = prediction[:, 2:4] / 2
        corners = torch.cat((prediction[:, :2] - half, prediction[:, :2] + half), 1)
        results.append(torch.cat((corners, scores[:, None], labels[:, None].float()), 1))
    return results


# torchvision, models/detection/retinanet.py (postprocess_detections) and _utils.py (BoxCoder)
@program((tensor(20, 4), tensor(20, 3), boxes_of(20), (40, 50)),
         (tensor(33, 4, seed=1), tensor(33, 5, seed=2), boxes_of(33), (30, 30)))
def decodes_anchors(deltas, logits, anchors, image_size):
    scores = torch.sigmoid(logits).flatten()
    kept = torch.where(scores > 0.3)[0]
    scores = scores[kept]
    count = min(kept.size(0), 15)
    scores, order = scores.topk(count)
    kept = kept[order]
    places = torch.div(kept, logits.shape[-1], rounding_mode="floor")
    labels = kept % logits.shape[-1]
    deltas, anchors = deltas[places], anchors[places]
    sizes = anchors[:, 2:] - anchors[:, :2]
    centres = anchors[:, :2] + 0.5 * sizes
    centres = deltas[:, :2] * sizes + centres
    sizes = torch.exp(deltas[:, 2:].clamp(max=4.135)) * sizes
    boxes = torch.cat([centres - 0.5 * sizes, centres + 0.5 * sizes], 1)
    boxes[:, 0::2].clamp_(min=0, max=image_size[1])
    boxes[:, 1::2].clamp_(min=0, max=image_size[0])
    return boxes, scores, labels


# xingyizhou/CenterNet, src/lib/models/decode.py (ctdet_decode)
@program((tensor(1, 2, 8, 8), uniform(1, 2, 8, 8), uniform(1, 2, 8, 8, seed=1), 5),
         (tensor(2, 3, 6, 9, seed=2), uniform(2, 2, 6, 9), uniform(2, 2, 6, 9, seed=1), 7))
def centre_peaks(heat, sizes, offsets, k: int):
    heat = heat.sigmoid_()
    batch, classes, height, width = heat.size()
    peaks = F.max_pool2d(heat, 3, stride=1, padding=1)
    heat = heat * (peaks == heat).float()
    scores, places = torch.topk(heat.view(batch, -1), k)
    labels = places // (height * width)
    places = places % (height * width)
    y, x = (places // width).float(), (places % width).float()
    index = places.unsqueeze(2).expand(batch, k, 2)
    move = offsets.permute(0, 2, 3, 1).reshape(batch, -1, 2).gather(1, index)
    size = sizes.permute(0, 2, 3, 1).reshape(batch, -1, 2).gather(1, index)
    x, y = x + move[..., 0], y + move[..., 1]
    w, h = size.unbind(-1)
    boxes = torch.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], dim=2)
    return boxes, scores, labels


# leoxiaobin/deep-high-resolution-net.pytorch, lib/core/inference.py (get_final_preds)
@program((uniform(1, 3, 8, 6),), (uniform(2, 5, 7, 9, seed=1),))
def keypoints(heat):
    batch, joints, height, width = heat.shape
    scores, places = heat.reshape(batch, joints, -1).max(2)
    points = torch.stack([places % width, places // width], 2).float()
    for n in range(batch):
        for j in range(joints):
            x, y = int(points[n, j, 0]), int(points[n, j, 1])
            if 1 < x < width - 1 and 1 < y < height - 1:
                one = heat[n, j]
                slope = torch.stack([one[y, x + 1] - one[y, x - 1], one[y + 1, x] - one[y - 1, x]])
                points[n, j] += torch.sign(slope) * 0.25
    return points, scores


# Masks.


# torchvision, models/detection/roi_heads.py (paste_masks_in_image)
@program((uniform(2, 1, 4, 4), boxes_of(2, 8, 12.0), 24, 20),
         (uniform(3, 1, 5, 5, seed=1), boxes_of(3, 9, 16.0), 18, 30))
def pastes_masks(masks, boxes, height: int, width: int):
    image = torch.zeros(len(masks), height, width)
    boxes = boxes.to(torch.int64)
    for i in range(len(masks)):
        x0, y0, x1, y1 = boxes[i].tolist()
        w, h = max(x1 - x0 + 1, 1), max(y1 - y0 + 1, 1)
        mask = F.interpolate(masks[i][None], size=(h, w), mode="bilinear", align_corners=False)[0, 0]
        left, top = max(x0, 0), max(y0, 0)
        right, bottom = min(x1 + 1, width), min(y1 + 1, height)
        image[i, top:bottom, left:right] = mask[top - y0:bottom - y0, left - x0:right - x0]
    return image > 0.5


# torchvision, ops/boxes.py (masks_to_boxes)
@program((uniform(3, 9, 8) > 0.9,), (uniform(5, 6, 11, seed=1) > 0.8,), (torch.zeros(0, 4, 4, dtype=torch.bool),))
def masks_to_boxes(masks):
    if masks.numel() == 0:
        return torch.zeros((0, 4))
    boxes = torch.zeros((masks.shape[0], 4), dtype=torch.float)
    for index, mask in enumerate(masks):
        y, x = torch.where(mask != 0)
        boxes[index, 0] = torch.min(x)
        boxes[index, 1] = torch.min(y)
        boxes[index, 2] = torch.max(x)
        boxes[index, 3] = torch.max(y)
    return boxes


# facebookresearch/segment-anything, segment_anything/utils/amg.py (mask_to_rle_pytorch)
@program((uniform(2, 5, 6) > 0.5,), (uniform(3, 7, 4, seed=1) > 0.3,), (torch.zeros(1, 3, 3, dtype=torch.bool),))
def run_lengths(masks):
    count, height, width = masks.shape
    flat = masks.permute(0, 2, 1).flatten(1)
    changes = (flat[:, 1:] ^ flat[:, :-1]).nonzero()
    out = []
    for i in range(count):
        places = changes[changes[:, 0] == i, 1]
        places = torch.cat([torch.tensor([0]), places + 1, torch.tensor([height * width])])
        lengths = places[1:] - places[:-1]
        counts = [] if flat[i, 0] == 0 else [0]
        counts.extend(lengths.tolist())
        out.append({"size": [height, width], "counts": counts})
    return out


# kornia, contrib/connected_components.py
@program((uniform(1, 1, 8, 8) > 0.5, 100), (uniform(2, 1, 6, 11, seed=1) > 0.4, 100))
def connected_components(image, limit: int):
    batch, _, height, width = image.shape
    mask = image.float()
    labels = torch.arange(1, batch * height * width + 1, dtype=torch.float32).view_as(mask)
    labels[mask == 0] = 0
    for _ in range(limit):
        previous = labels.clone()
        labels = F.max_pool2d(labels, kernel_size=3, stride=1, padding=1) * mask
        if torch.equal(labels, previous):
            break
    found = torch.unique(labels)
    return labels, len(found[found > 0])


# Objects.


# facebookresearch/detr, models/matcher.py, with a greedy choice; detectron2, modeling/matcher.py
@program((boxes_of(6, 10), boxes_of(4, 10), 0.3),
         (boxes_of(8, 11), boxes_of(12, 11), 0.1), (boxes_of(2, 1), boxes_of(3, 2), 0.9))
def matches_greedily(predicted, true, threshold: float):
    iou = box_iou(predicted, true)
    matches = torch.full((predicted.size(0),), -1, dtype=torch.long)
    for _ in range(min(iou.shape)):
        best = iou.max()
        if best < threshold:
            break
        place = int(iou.argmax())
        row, column = divmod(place, iou.size(1))
        matches[row] = column
        iou[row] = -1
        iou[:, column] = -1
    return matches, (matches >= 0).sum().item()


# ifzhang/ByteTrack, yolox/tracker/byte_tracker.py; nwojke/deep_sort, deep_sort/tracker.py
@program((tensor(5, 3, 4), 0.9, 0.8), (tensor(8, 6, 4, seed=1), 0.5, 2.0), (tensor(1, 2, 4, seed=2), 0.5, 1.0))
def smooths_tracks(frames, momentum: float, gate: float):
    tracks = frames[0].clone()
    ages = torch.zeros(tracks.size(0), dtype=torch.long)
    history = torch.empty_like(frames)
    for t, found in enumerate(frames):
        distance = torch.cdist(tracks, found)
        nearest, place = distance.min(1)
        hit = nearest < gate
        tracks[hit] = tracks[hit] * momentum + found[place[hit]] * (1 - momentum)
        ages += 1
        ages[hit] = 0
        history[t] = tracks
    return history, ages


# torchvision, ops/roi_align.py; longcw/RoIAlign.pytorch, roi_align/roi_align.py (grid_sample)
@program((tensor(1, 2, 10, 12), boxes_of(3, 12, 6.0), 3), (tensor(1, 4, 8, 9, seed=1), boxes_of(5, 13, 5.0), 2))
def aligns_regions(features, boxes, size: int):
    height, width = features.shape[-2:]
    steps = (torch.arange(size, dtype=torch.float32) + 0.5) / size
    crops = []
    for box in boxes:
        x = box[0] + (box[2] - box[0]) * steps
        y = box[1] + (box[3] - box[1]) * steps
        grid_y, grid_x = torch.meshgrid(y / height * 2 - 1, x / width * 2 - 1, indexing="ij")
        grid = torch.stack([grid_x, grid_y], dim=-1)[None]
        crops.append(F.grid_sample(features, grid, mode="bilinear", padding_mode="border", align_corners=False))
    return torch.cat(crops)


# Images.


# kornia, filters/otsu_thresholding.py; scikit-image's threshold_otsu
@program((integers(256, 12, 10).to(torch.uint8),), (integers(90, 7, 15, seed=1).to(torch.uint8),))
def otsu(image):
    histogram = torch.histc(image.float(), bins=256, min=0, max=255)
    levels = torch.arange(256, dtype=torch.float32)
    below = histogram.cumsum(0)
    above = histogram.flip(0).cumsum(0).flip(0)
    mean_below = (histogram * levels).cumsum(0) / below.clamp(min=1)
    mean_above = (histogram * levels).flip(0).cumsum(0).flip(0) / above.clamp(min=1)
    variance = below[:-1] * above[1:] * (mean_below[:-1] - mean_above[1:]) ** 2
    threshold = int(variance.argmax())
    return threshold, (image > threshold).to(torch.uint8) * 255


# kornia, filters/canny.py
@program((uniform(1, 1, 9, 9), 0.3, 0.8), (uniform(2, 1, 7, 12, seed=1), 0.2, 0.6))
def thins_edges(image, low: float, high: float):
    sobel = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]) / 4
    kernel = torch.stack([sobel, sobel.t()])[:, None]
    gx, gy = F.conv2d(F.pad(image, (1, 1, 1, 1), mode="replicate"), kernel).split(1, dim=1)
    size = torch.sqrt(gx * gx + gy * gy + 1e-6)
    direction = torch.round(torch.atan2(gy, gx) * (4 / torch.pi)).long() % 4
    thin = torch.zeros_like(size)
    padded = F.pad(size, (1, 1, 1, 1))
    height, width = size.shape[-2:]
    for d, (dy, dx) in enumerate([(0, 1), (1, 1), (1, 0), (1, -1)]):
        one = padded[..., 1 + dy:1 + dy + height, 1 + dx:1 + dx + width]
        other = padded[..., 1 - dy:1 - dy + height, 1 - dx:1 - dx + width]
        keep = (direction == d) & (size > one) & (size >= other)
        thin[keep] = size[keep]
    edges = (thin > low).float() * 0.5 + (thin > high).float() * 0.5
    while True:
        grown = F.max_pool2d((edges == 1).float(), 3, stride=1, padding=1)
        strong = (edges == 0.5) & (grown > 0)
        if not strong.any():
            break
        edges[strong] = 1.0
    return thin, (edges == 1).float()
