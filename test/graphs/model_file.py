"""Models from files as graphs whose every value is known, like those of random_graph.py."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from builder import GraphBuilder, Value
from evaluation import evaluate_node, outer_names, widen
from random_graph import RandomGraph


def read_model(path):
    if path.endswith(".onnxtxt"):
        with open(path) as file:
            return onnx.parser.parse_model("".join(line for line in file if not line.startswith("#")))
    return onnx.load(path)


def make_input(g, info):
    kind = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    shape = [dim.dim_value if dim.HasField("dim_value") else 4 for dim in info.type.tensor_type.shape.dim]
    return g.array(kind, tuple(shape), low=0 if np.dtype(kind).kind in "iu" else -4)


def evaluate_graph(model, inputs, runtime_only=False):
    """The graph of a model and arrays for its inputs. Raises Rejected when they do not fit, or what comes out is wild."""
    opset = next(o.version for o in model.opset_import if o.domain == "")
    values, inner = {}, []
    known = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for name, array in {**known, **inputs}.items():
        values[name] = Value(name, array, widen(array), True)
    for node in model.graph.node:
        used = [values[name] for name in outer_names(node) if name in values]
        results = evaluate_node(node, {v.name: v.narrow for v in used}, {v.name: v.wide for v in used}, opset,
                                runtime_only)
        for result in zip([name for name in node.output if name], *results):
            value = GraphBuilder.judge(node.op_type, Value(*result, False), False)
            values[value.name] = value
            inner.append(value)
    return RandomGraph(model, inputs, [values[o.name] for o in model.graph.output], inner)


def read_graph(path, seed=1):
    """The inputs are drawn from `seed`, integers from 0 to 4; a dim without a size is 4."""
    model = read_model(path)
    g = GraphBuilder(seed, 0)
    fixed = {tensor.name for tensor in model.graph.initializer}
    return evaluate_graph(model, {i.name: make_input(g, i) for i in model.graph.input if i.name not in fixed})
