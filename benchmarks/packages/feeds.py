"""Inputs for a model that nobody described, and ONNX Runtime's answers to them, in a process of its own.

usage: feeds.py MODEL.onnx STEM [--seed N]

Writes STEM.in.npz and STEM.out.npz, and prints as JSON what was chosen and what is not compared.

The rule, the same for each model; the first choice that ONNX Runtime accepts is taken:

1. A fixed extent stays. An open extent on axis 0, and each other one of the same name, is 1. All
   other open extents get one size: 64, 32, 224, 320, 48, 512, 16, 1280, 16000, 1, 2, 3, 128, 256, in this order;
   where none does, only those on the last axis, and those on the axes before are 1.
2. Floats are drawn from N(0, 1), where that fails from [0, 1). Booleans are false or true by chance.
3. Integers of rank 2 and above are 0 or 1. Those of rank 0 and 1 are tried as 0 or 1, as the
   size of 1., as 16000 (a sample rate), as 1, and as 0.
4. Names that begin or end with "mask" are all one.
"""

import argparse
import itertools
import json
import sys

import numpy as np
import onnxruntime

SIZES = [64, 32, 224, 320, 48, 512, 16, 1280, 16000, 1, 2, 3, 128, 256]
KINDS = {"float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_,
         **{name: np.dtype(name).type
            for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}}
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


def tensor(generator, name, shape, kind, size, few, draw):
    if issubclass(kind, np.floating):
        return np.asarray(getattr(generator, draw)(size=shape)).astype(kind)
    if is_mask(name):
        return np.ones(shape, kind)
    if kind is np.bool_ or len(shape) > 1 or few == "bits":
        return np.asarray(generator.integers(0, 2, size=shape)).astype(kind)
    return np.full(shape, size if few == "size" else few).astype(kind)


def choices(inputs):
    """(inner, size, few, draw), the first one to be tried first."""
    is_open = any(extent is None or isinstance(extent, str) for value in inputs for extent in value.shape[1:])
    has_few = any(np.issubdtype(element(value), np.integer) and len(value.shape) < 2 for value in inputs)
    return itertools.product(["all", "last"] if is_open else ["all"], SIZES if is_open else [1], FEW if has_few else ["bits"],
                             ["standard_normal", "random"])


def answer(session, seed):
    """The first choice that runs: what it is, its inputs, and the outputs."""
    inputs = session.get_inputs()
    complaint = ""
    for inner, size, few, draw in choices(inputs):
        generator = np.random.default_rng(seed)
        shapes = extents(inputs, size, inner)
        feeds = {value.name: tensor(generator, value.name, shapes[value.name], element(value), size, few, draw)
                 for value in inputs}
        try:
            results = session.run(None, feeds)
        except Exception as reason:
            complaint = complaint or " ".join(str(reason).split())[:300]
            continue
        return {"size": size, "few": few, "draw": draw, "shapes": shapes}, feeds, results
    raise Unsuited(f"ONNX Runtime refuses each input of the rule: {complaint}")


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
        print(json.dumps({"refused": " ".join(str(reason).split())[:300]}))
        return 0
    names = [value.name for value in session.get_outputs()]
    answers = {name: value for name, value in zip(names, results) if isinstance(value, np.ndarray)}
    np.savez(options.stem + ".in.npz", **feeds)
    np.savez(options.stem + ".out.npz", **answers)
    print(json.dumps({**chosen, "not compared": [name for name in names if name not in answers]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
