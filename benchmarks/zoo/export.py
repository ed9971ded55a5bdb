"""Writes the zoo as ONNX files, with inputs and ONNX Runtime's answers beside them.

usage: export.py --out DIR [NAME...] [--exporters ts,dynamo] [--image-size 32]
       export.py --out DIR --dynamic [NAME...]

For each model: DIR/NAME.onnx (the torch.export-based exporter, opset 18) and
DIR/ts_NAME.onnx (the TorchScript-based one, opset 17). Beside each FILE.onnx lie
FILE.in.npz and FILE.out.npz, keyed by the model's input and output names.

With --dynamic, sizes stay symbols, and there are seven pairs FILE.0.in.npz ...
FILE.6.out.npz, one per size tuple of `SIZES`; FILE.sizes.json lists them. A tuple
with a zero that the file's own Reshape forbids is replaced by one with a 2.
"""

import argparse
import json
import os
import sys
import time
import warnings

import numpy as np
import onnx
import onnxruntime
import torch

import models

OPSETS = {"ts": 17, "dynamo": 18}
PREFIX = {"ts": "ts_", "dynamo": ""}

#: name -> (arguments of models.build, symbols that vary, example, seven size tuples)
IMAGE_SIZES = [(1, 112, 112), (2, 112, 112), (4, 224, 224), (3, 127, 131), (5, 37, 61), (1, 224, 160), (0, 112, 112)]
BATCH_SIZES = [(1,), (2,), (3,), (4,), (5,), (7,), (0,)]
TEXT_SIZES = [(1, 1), (1, 128), (2, 64), (4, 128), (3, 37), (7, 13), (0, 17)]
TABLE_SIZES = [(1, 1), (4, 6), (8, 12), (3, 7), (13, 5), (1, 101), (0, 6)]
SIZES = {
    "resnet18": (dict(image_size=112, batch=2), {"x": {0: "N", 2: "H", 3: "W"}}, IMAGE_SIZES),
    "mobilenet_v2": (dict(batch=2), {"x": {0: "N"}}, BATCH_SIZES),
    "bert_tiny": (dict(batch=2, sequence=64), None, TEXT_SIZES),
    "bert_base": (dict(batch=2, sequence=64), None, TEXT_SIZES),
    "mmoe": (dict(batch=2), None, BATCH_SIZES),
    "nonzero": ({}, None, TABLE_SIZES),
    "growing": ({}, None, TABLE_SIZES),
}


def attentions(name):
    """Ways to write attention, best first: not every exporter takes every one."""
    return ["sdpa", "eager"] if name in models.TEXTS else ["sdpa"]


def to_onnx(entry, exporter, symbols, path):
    outputs = entry.module(*entry.inputs.values())
    count = len(outputs) if isinstance(outputs, (tuple, list)) else 1
    settings = dict(input_names=list(entry.inputs), output_names=[f"y{i}" for i in range(count)],
                    opset_version=OPSETS[exporter], dynamo=exporter == "dynamo")
    if exporter == "ts":
        settings["do_constant_folding"] = True
        if symbols:
            settings["dynamic_axes"] = symbols
    else:
        settings.update(external_data=False, verbose=False)
        if symbols:
            named = {s: torch.export.Dim(s, min=1, max=1 << 20) for dims in symbols.values() for s in dims.values()}
            settings["dynamic_shapes"] = tuple(
                {dim: named[s] for dim, s in symbols.get(name, {}).items()} or None for name in entry.inputs)
    torch.onnx.export(entry.module, tuple(entry.inputs.values()), path, **settings)


def export(name, exporter, symbols, build_arguments, path):
    """Tries each way of writing attention; returns an error text or None."""
    error = None
    for attention in attentions(name):
        entry = models.build(name, attention=attention, **build_arguments)
        chosen = entry.symbols if symbols is None else symbols
        partial = path + ".part"
        try:
            with torch.no_grad():
                to_onnx(entry, exporter, chosen, partial)
            os.replace(partial, path)
            return None
        except Exception as reason:
            error = f"{type(reason).__name__}: {str(reason).strip().splitlines()[0][:200]}"
            if os.path.exists(partial):
                os.remove(partial)
    return error


def resized(inputs, symbols, sizes):
    """The example inputs at other sizes, with fresh data of the same kind."""
    generator = np.random.default_rng(models.DATA_SEED)
    order = list(dict.fromkeys(s for dims in symbols.values() for s in dims.values()))
    extent = dict(zip(order, sizes))
    result = {}
    for name, value in inputs.items():
        value = value.numpy()
        shape = [extent[symbols[name][d]] if d in symbols.get(name, {}) else n for d, n in enumerate(value.shape)]
        if value.dtype.kind == "f":
            result[name] = generator.standard_normal(shape).astype(value.dtype)
        elif name.endswith("mask"):
            kept = np.arange(shape[1])[None, :] < np.maximum(1, shape[1] - np.arange(shape[0])[:, None] * 3)
            result[name] = kept.astype(value.dtype)
        else:
            result[name] = generator.integers(0, int(value.max()) + 1, shape).astype(value.dtype)
    return result


def write_case(path, stem, inputs):
    """Writes STEM.in.npz and STEM.out.npz: what goes in, and ONNX Runtime's answer."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = {i.name: inputs[i.name] for i in session.get_inputs()}
    answers = session.run(None, feed)
    np.savez(stem + ".in.npz", **feed)
    np.savez(stem + ".out.npz", **{o.name: a for o, a in zip(session.get_outputs(), answers)})


def write_cases(name, path, symbols, build_arguments, tuples):
    stem = path[:-len(".onnx")]
    entry = models.build(name, **build_arguments)
    if not tuples:
        write_case(path, stem, {k: v.numpy() for k, v in entry.inputs.items()})
        return
    chosen = entry.symbols if symbols is None else symbols
    used = []
    for index, sizes in enumerate(tuples):
        try:
            write_case(path, f"{stem}.{index}", resized(entry.inputs, chosen, sizes))
        except Exception:
            if 0 not in sizes:
                raise
            # A Reshape to [0, S, -1, D] has no answer in ONNX, so this file has no size 0.
            sizes = tuple(n or 2 for n in sizes)
            write_case(path, f"{stem}.{index}", resized(entry.inputs, chosen, sizes))
        used.append(sizes)
    with open(stem + ".sizes.json", "w") as file:
        json.dump({"symbols": chosen, "sizes": used}, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", required=True)
    parser.add_argument("--exporters", default="ts,dynamo")
    parser.add_argument("--image-size", type=int, default=224)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(options.threads)
    torch.backends.mha.set_fastpath_enabled(False)
    os.makedirs(options.out, exist_ok=True)

    failures = 0
    for name in options.names or (list(SIZES) if options.dynamic else models.NAMES):
        arguments, symbols, tuples = SIZES[name] if options.dynamic else ({}, {}, None)
        if name in models.IMAGES and not options.dynamic:
            arguments = dict(image_size=options.image_size)
        for exporter in options.exporters.split(","):
            if exporter == "dynamo" and name in ("lstm_unrolled", "growing"):
                print(f"{name} {exporter}: not exported: this exporter "
                      + ("takes minutes for a loop unrolled to 14,000 nodes" if name == "lstm_unrolled"
                         else "cannot express a value that grows in a loop"), flush=True)
                continue
            path = os.path.join(options.out, f"{PREFIX[exporter]}{name}.onnx")
            start = time.time()
            error = export(name, exporter, symbols, arguments, path)
            if error is None:
                try:
                    write_cases(name, path, symbols, arguments, tuples)
                except Exception as reason:
                    error = f"exported, but onnxruntime: {type(reason).__name__}: {str(reason)[:300]}"
            failures += error is not None
            print(f"{name} {exporter}: {error or onnx.load(path, load_external_data=False).graph.name or 'ok'}"
                  f"  {time.time() - start:.1f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
