"""Models of one node, with inputs and ONNX Runtime's answers, for operators and matrix products."""

import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

INPUT_SEED, WEIGHT_SEED = 5, 6


def write(folder, name, nodes, input_shape, weight_shape, symbols=()):
    """Writes NAME.onnx: `nodes`, one or a list, from inputs x and w to y, where w is a constant; several constants are
    given as shapes by name. Dimensions of x in `symbols` are open, and so is then all of the result. Gives the path."""
    random = np.random.default_rng(WEIGHT_SEED)
    weights = [numpy_helper.from_array(random.standard_normal(shape, dtype=np.float32), name) for name, shape in
               (weight_shape if isinstance(weight_shape, dict) else {"w": weight_shape}).items()]
    shape = [dict(symbols).get(i, n) for i, n in enumerate(input_shape)]
    info = helper.make_tensor_value_info
    nodes = nodes if isinstance(nodes, list) else [nodes]
    graph = helper.make_graph(nodes, name, [info("x", TensorProto.FLOAT, shape)], [info("y", TensorProto.FLOAT, None)],
                              weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if not symbols:
        model = onnx.shape_inference.infer_shapes(model)
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model, path)
    return path


def answer(path, input_shape):
    """Writes inputs and answers beside the model; gives both paths."""
    given = {"x": np.random.default_rng(INPUT_SEED).standard_normal(input_shape, dtype=np.float32)}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    stem = path[:-len(".onnx")]
    np.savez(stem + ".in.npz", **given)
    np.savez(stem + ".out.npz", y=session.run(None, given)[0])
    return stem + ".in.npz", stem + ".out.npz"


def program(path):
    """What torch runs for it."""
    return {"kind": "operator", "model": path}
