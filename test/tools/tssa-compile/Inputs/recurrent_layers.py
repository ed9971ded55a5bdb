"""Compiles recurrent networks of three layers with and without te-skew-loops, runs both, and prints the launches of a
run and whether the outputs agree: recurrent_layers.py DIR [NAME...]"""

import json
import subprocess
import sys
from typing import Any, Dict, List

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, HIDDEN, LAYERS = 5, 16, 3


def make_layers(op: str, path: str, sizes: List[int], dims: List[Any], lengths: bool, **attributes: Any) -> None:
    """Writes layers of `sizes` hidden units each for an input of `dims`: steps, batch, features."""
    generator = np.random.default_rng(7)
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    nodes, constants, x, features = [], [], "x", HIDDEN
    for i, hidden in enumerate(sizes):
        rows = GATES[op] * hidden
        for name, shape in (("w", [directions, rows, features]), ("r", [directions, rows, hidden]),
                            ("b", [directions, 2 * rows])):
            constants.append(numpy_helper.from_array(generator.normal(0, 0.3, shape).astype(np.float32), f"{name}{i}"))
        inputs = [x, f"w{i}", f"r{i}", f"b{i}"] + (["lengths"] if lengths else [])
        nodes.append(helper.make_node(op, inputs, [f"y{i}", f"h{i}"], hidden_size=hidden, **attributes))
        nodes.append(helper.make_node("Transpose", [f"y{i}"], [f"t{i}"], perm=[0, 2, 1, 3]))
        nodes.append(helper.make_node("Reshape", [f"t{i}", "joined"], [f"x{i}"]))
        x, features = f"x{i}", directions * hidden
    constants.append(numpy_helper.from_array(np.array([0, 0, -1], np.int64), "joined"))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)]
    if lengths:
        inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, dims[1:2]))
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in [x, "h0", "h1"]]
    graph = helper.make_graph(nodes, "layers", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def run(name: str, op: str, sizes: List[int], dims: List[Any], lengths: bool, options: List[List[str]],
        **attributes: Any) -> None:
    """Compiles with each of two lists of options, and prints what a run takes and whether they agree."""
    model = f"{name}.onnx"
    make_layers(op, model, sizes, dims, lengths, **attributes)
    inputs = {"x": np.random.default_rng(1).normal(size=(STEPS, 2, HIDDEN)).astype(np.float32)}
    if lengths:
        inputs["lengths"] = np.array([3, 5], np.int32)
    np.savez(f"{name}.npz", **inputs)
    counts, outputs = [], []
    for i, given in enumerate(options):
        subprocess.run(["tssa-compile", model, "-o", f"{name}{i}.so", *given], check=True)
        command = ["tssa-run", f"{name}{i}.so", "--inputs", f"{name}.npz", "--outputs", f"{name}{i}.npz"]
        if "--target=cuda-emu" in given:
            command.append("--device=cuda-emu")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        profile = subprocess.run(command + ["--profile", "--json"], check=True, stdout=subprocess.PIPE).stdout
        counts.append(sum(int(kernel["calls"]) for kernel in json.loads(profile)["profile"]))
        outputs.append(dict(np.load(f"{name}{i}.npz")))
    agree = all(np.allclose(outputs[0][key], outputs[1][key], rtol=1e-5, atol=1e-6) for key in outputs[0])
    print(f"{name}: {counts[0]} launches, skewed {counts[1]}, {'equal' if agree else 'DIFFERENT'}")


def main() -> None:
    fixed: List[Any] = [STEPS, 2, HIDDEN]
    same = [HIDDEN] * LAYERS
    force = [["--without=skew-loops"], ["--force=skew-loops"]]
    device = [["--without=skew-loops"], ["--target=cuda-emu"]]
    cases: List[Dict[str, Any]] = [
        {"name": "lstm", "op": "LSTM"},
        {"name": "gru", "op": "GRU", "linear_before_reset": 1},
        {"name": "rnn", "op": "RNN"},
        {"name": "reverse", "op": "LSTM", "direction": "reverse"},
        {"name": "open", "op": "LSTM", "dims": ["T", "N", HIDDEN]},
        {"name": "bidirectional", "op": "LSTM", "direction": "bidirectional"},
        {"name": "lengths", "op": "LSTM", "lengths": True},
        {"name": "sizes", "op": "LSTM", "sizes": [HIDDEN, 2 * HIDDEN, HIDDEN]},
        {"name": "reset-before", "op": "GRU"},
        {"name": "device", "op": "LSTM", "options": device},
    ]
    for case in cases:
        run(**{"sizes": same, "dims": fixed, "lengths": False, "options": force, **case})


main()
