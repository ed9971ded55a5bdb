"""The models of the zoo, in a folder that zoo/export.py wrote, or any with inputs and answers beside them. Where
both exporters wrote a model, the TorchScript-based one's file is taken."""

import os

import measure
from compare.cases import Case

EXPORTER_PREFIX = "ts_"
QUICK = ["mmoe", "bert_tiny", "lstm_nn", "mobilenet_v2", "resnet18"]


def cases(options, folder):
    if not os.path.exists(options.models):
        raise SystemExit(f"models: there is no '{options.models}'; give what zoo/export.py wrote (--models DIR)")
    wanted = options.names or (QUICK if options.quick else None)
    for path in measure.models_in(options.models):
        stem = path[:-len(".onnx")]
        name = os.path.basename(stem).removeprefix(EXPORTER_PREFIX)
        twice = os.path.join(os.path.dirname(path), f"{EXPORTER_PREFIX}{name}.onnx")
        if wanted and name not in wanted or path != twice and os.path.exists(twice):
            continue
        inputs, answers = stem + ".in.npz", stem + ".out.npz"
        if not (os.path.exists(inputs) and os.path.exists(answers)):
            print(f"{name}: left out, {inputs} or its answers are missing", flush=True)
            continue
        yield Case(name, "models", {"": path}, inputs, answers, {"kind": "zoo", "name": name})
