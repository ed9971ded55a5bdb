"""Inputs for a model that nobody described, and ONNX Runtime's answers to them, in a process of its own.

usage: feeds.py MODEL.onnx STEM [--seed N]

Writes STEM.in.npz and STEM.out.npz, and prints as JSON what was chosen and what is not compared.

The rule, the same for each model; of the choices that ONNX Runtime accepts, the first is taken:

1. A fixed extent stays. An open extent on axis 0, and each other one of the same name, is 1. All
   other open extents get one size: 64, 32, 224, 320, 48, 512, 16, 1280, 16000, 1, 2, 3, 128, 256, in this order;
   where none does, only those on the last axis, and those on the axes before are 1.
2. Floats are drawn from N(0, 1), where that fails from [0, 1). Booleans are false or true by chance.
3. Integers of rank 2 and above are 0 or 1, then 1 to 9. Those of rank 0 and 1 are tried as 0 or 1, as the
   size of 1., as 16000 (a sample rate), as 1, and as 0.
4. Names that begin or end with "mask" are all one.
5. Results that are close to 0, such as probabilities of noise, show little: the first of the first six answers
   whose floats all reach 0.01 is taken, or else the one whose weakest float is the largest.

Where ONNX Runtime has no kernel for the model, and the package has test data beside it (input_0.pb,
output_0.pb), these are taken.
"""

import argparse
import itertools
import json
import os
import sys

import numpy as np
import onnx
import onnxruntime

SIZES = [64, 32, 224, 320, 48, 512, 16, 1280, 16000, 1, 2, 3, 128, 256]
KINDS = {"float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_,
         **{name: np.dtype(name).type
            for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}}
STRONG, MOST_ANSWERS = 1e-2, 6
FEW = ["bits", "size", 16000, 1, 0]  # values of integers of rank 0 and 1


class Unsuited(Exception):
    """No input can be made for this model."""


def element(value):
    """The element type of a tensor input."""
    kind = value.type[len("tensor("):-1] if value.type.startswith("tensor(") else ""
    if kind not in KINDS:
        raise Unsuited(f"an input of type {value.type}")
    return KINDS[kind]


def extents(inputs, size, inner):
    """Each input's shape when the open extents other than the first have this size, on the last axis or on all."""
    ones = {value.shape[0] for value in inputs if value.shape and isinstance(value.shape[0], str)}

    def extent_of(extent, axis, rank):
        if isinstance(extent, int) and extent >= 0:
            return extent
        return 1 if axis == 0 or extent in ones or inner == "last" and axis < rank - 1 else size

    return {value.name: [extent_of(extent, axis, len(value.shape)) for axis, extent in enumerate(value.shape)]
            for value in inputs}


def is_mask(name):
    return name.lower().startswith("mask") or name.lower().endswith("mask")


def tensor(generator, name, shape, kind, size, few, draw, ids):
    if issubclass(kind, np.floating):
        return np.asarray(getattr(generator, draw)(size=shape)).astype(kind)
    if is_mask(name):
        return np.ones(shape, kind)
    if kind is np.bool_ or len(shape) > 1 or few == "bits":
        low, high = ids if len(shape) > 1 and kind is not np.bool_ else (0, 2)
        return np.asarray(generator.integers(low, high, size=shape)).astype(kind)
    return np.full(shape, size if few == "size" else few).astype(kind)


def choices(inputs):
    """(ids, inner, size, few, draw), the first one to be tried first."""
    is_open = any(extent is None or isinstance(extent, str) for value in inputs for extent in value.shape[1:])
    has_few = any(np.issubdtype(element(value), np.integer) and len(value.shape) < 2 for value in inputs)
    has_ids = any(np.issubdtype(element(value), np.integer) and len(value.shape) > 1 for value in inputs)
    return itertools.product([(0, 2), (1, 10)] if has_ids else [(0, 2)], ["all", "last"] if is_open else ["all"],
                             SIZES if is_open else [1], FEW if has_few else ["bits"], ["standard_normal", "random"])


def strength(results):
    """The largest magnitude of the float result that has the smallest, at most STRONG."""
    floats = [value for value in results if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size]
    return min([STRONG, *(float(np.nan_to_num(np.abs(value), nan=0, posinf=0).max()) for value in floats)])


def answer(session, seed):
    """What was chosen, its inputs, and the outputs."""
    inputs = session.get_inputs()
    complaint, found = "", []
    for ids, inner, size, few, draw in choices(inputs):
        generator = np.random.default_rng(seed)
        shapes = extents(inputs, size, inner)
        feeds = {value.name: tensor(generator, value.name, shapes[value.name], element(value), size, few, draw, ids)
                 for value in inputs}
        try:
            results = session.run(None, feeds)
        except Exception as reason:
            complaint = complaint or " ".join(str(reason).split())[:300]
            continue
        chosen = {"size": size, "few": few, "draw": draw, "ids": ids, "shapes": shapes}
        found.append((strength(results), chosen, feeds, results))
        if found[-1][0] >= STRONG or len(found) == MOST_ANSWERS:
            break
    if not found:
        raise Unsuited(f"ONNX Runtime refuses each input of the rule: {complaint}")
    most, chosen, feeds, results = max(found, key=lambda answer: answer[0])
    return {**chosen, "strength": most}, feeds, results


def packed(model):
    """The inputs and answers that the package has for the model; nothing where it has none."""
    def tensors(kind, values):
        paths = [os.path.join(os.path.dirname(model), f"{kind}_{i}.pb") for i in range(len(values))]
        return {value.name: onnx.numpy_helper.to_array(onnx.load_tensor(path))
                for value, path in zip(values, paths) if os.path.exists(path)}

    graph = onnx.load(model).graph
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    return tensors("input", inputs), tensors("output", graph.output)


def save(stem, feeds, answers, chosen):
    np.savez(stem + ".in.npz", **feeds)
    np.savez(stem + ".out.npz", **answers)
    print(json.dumps(chosen))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("stem")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(options.model, settings, providers=["CPUExecutionProvider"])
        chosen, feeds, results = answer(session, options.seed)
    except Exception as reason:
        complaint = " ".join(str(reason).split())[:300]
        feeds, answers = packed(options.model)
        if answers:
            return save(options.stem, feeds, answers, {"test data": complaint, "not compared": []})
        print(json.dumps({"refused": complaint}))
        return 0
    names = [value.name for value in session.get_outputs()]
    answers = {name: value for name, value in zip(names, results) if isinstance(value, np.ndarray)}
    return save(options.stem, feeds, answers, {**chosen, "not compared": [n for n in names if n not in answers]})


if __name__ == "__main__":
    sys.exit(main())
