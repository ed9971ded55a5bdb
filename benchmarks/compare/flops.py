"""Operations of a model's contractions: convolutions, matrix products and recurrent layers, a multiplication and an
addition each counted as one. Everything else counts nothing, so a share of the roof says how much of the time would
be left if contractions ran at the roof and all else were free."""

import math

import onnx
import onnxruntime
from onnx import TensorProto, helper

#: gates, as many as there are products with the input and with the state
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def convolution(shapes, node):
    weight = shapes(node.input[1])
    return 2 * math.prod(shapes(node.output[0])) * math.prod(weight[1:])


def transposed_convolution(shapes, node):
    return 2 * math.prod(shapes(node.input[0])) * math.prod(shapes(node.input[1])[1:])


def product(shapes, node):
    left, right = shapes(node.input[0]), shapes(node.input[1])
    batch = math.prod(shapes(node.output[0])[:-2]) if len(left) > 1 and len(right) > 1 else math.prod(
        (left if len(left) > 1 else right)[:-2])
    rows = left[-2] if len(left) > 1 else 1
    columns = right[-1] if len(right) > 1 else 1
    return 2 * batch * rows * columns * left[-1]


def scaled_product(shapes, node):
    left = shapes(node.input[0])
    transposed = any(a.name == "transA" and a.i for a in node.attribute)
    return 2 * math.prod(shapes(node.output[0])) * left[0 if transposed else 1]


def recurrence(shapes, node):
    steps, batch, inputs = shapes(node.input[0])
    directions, _, hidden = shapes(node.input[2])
    return 2 * steps * batch * directions * GATES[node.op_type] * hidden * (inputs + hidden)


CONTRACTIONS = {"Conv": convolution, "ConvTranspose": transposed_convolution, "MatMul": product, "Gemm": scaled_product,
                "LSTM": recurrence, "GRU": recurrence, "RNN": recurrence}
#: contractions that are not counted; a model that has one has no share of the roof
UNKNOWN = {"Einsum", "Attention", "MultiHeadAttention", "MatMulInteger", "ConvInteger", "QLinearConv", "QLinearMatMul",
           "DeformConv"}


def has_contraction(graph):
    return any(node.op_type in CONTRACTIONS or node.op_type in UNKNOWN or has_inner_contraction(node)
               for node in graph.node)


def has_inner_contraction(node):
    return any(has_contraction(graph) for a in node.attribute for graph in ([a.g] if a.HasField("g") else a.graphs))


def measured_shapes(model, inputs, names):
    """Shapes of the model's values with these inputs: ONNX Runtime tells them through Shape nodes."""
    graph = model.graph
    known = {t.name: tuple(t.dims) for t in graph.initializer}
    asked = sorted(name for name in names if name not in known)
    del graph.output[:]
    for name in asked:
        graph.node.append(helper.make_node("Shape", [name], [name + ".shape"]))
        graph.output.append(helper.make_tensor_value_info(name + ".shape", TensorProto.INT64, None))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    taken = {entry.name for entry in session.get_inputs()}
    found = session.run(None, {name: value for name, value in inputs.items() if name in taken})
    return {**known, **{name: tuple(map(int, shape)) for name, shape in zip(asked, found)}}


def count(path, inputs):
    """Operations of one run with these inputs; None where there are contractions that it cannot count."""
    model = onnx.load(path)
    nodes = [node for node in model.graph.node if node.op_type in CONTRACTIONS]
    if any(node.op_type in UNKNOWN or has_inner_contraction(node) for node in model.graph.node):
        return None
    if model.functions and any(has_contraction(function) for function in model.functions):
        return None
    names = {name for node in nodes for name in (*node.input[:3], node.output[0]) if name}
    shapes = measured_shapes(model, inputs, names) if nodes else {}
    return sum(CONTRACTIONS[node.op_type](shapes.__getitem__, node) for node in nodes)
