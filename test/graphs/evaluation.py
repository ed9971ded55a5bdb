"""What one node gives, twice: as ONNX Runtime computes it, and in double precision."""

import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

IR_VERSION = 10
FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
onnxruntime.set_default_logger_severity(4)


class Rejected(Exception):
    """What was tried makes no usable node."""


def session_options():
    """One thread and the graph as it stands."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def describe_value(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def make_model(nodes, inputs, outputs, opset, constants=()):
    """Inputs are (name, array or type); outputs are value infos or names, whose types are left open."""
    graph = helper.make_graph(
        nodes, "random", [describe_value(*i) for i in inputs],
        [o if isinstance(o, onnx.ValueInfoProto) else onnx.ValueInfoProto(name=o) for o in outputs], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def run_runtime(model, feeds):
    """What ONNX Runtime gives, or None if it does not take the model."""
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), session_options(),
                                               providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception:  # onnxruntime's own exceptions have no common base
        return None


def run_reference(model, feeds):
    """What onnx's evaluator in numpy gives, or None."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [np.asarray(a) for a in ReferenceEvaluator(model).run(None, feeds)]
    except Exception:  # its operators raise whatever numpy does
        return None


def outer_names(node):
    """What a node uses, also in its bodies."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += outer_names(inner)
    return names


def run_checked_reference(model, feeds):
    """The same, if onnx's checker takes the nodes and its shape inference agrees; the evaluator does not look."""
    nodes = onnx.ModelProto()
    nodes.CopyFrom(model)
    del nodes.graph.output[:]
    try:
        onnx.checker.check_model(nodes)
        inferred = onnx.shape_inference.infer_shapes(nodes, check_type=True, strict_mode=True, data_prop=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return None
    results = run_reference(model, feeds)
    shapes = {info.name: info.type.tensor_type.shape.dim for info in inferred.graph.value_info}
    for output, result in zip(model.graph.output, results or []):
        dims = shapes.get(output.name)
        if dims is not None and (len(dims) != result.ndim or any(
                dim.HasField("dim_value") and dim.dim_value != size for dim, size in zip(dims, result.shape))):
            return None
    return results


def widen(array):
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def widen_attributes(node):
    """Makes every float tensor and cast in the bodies of a node one of doubles."""
    for attribute in node.attribute:
        if attribute.name == "to" and node.op_type == "Cast" and attribute.i in FLOATS:
            attribute.i = onnx.TensorProto.DOUBLE
        if attribute.HasField("t") and attribute.t.data_type in FLOATS:
            attribute.t.CopyFrom(numpy_helper.from_array(widen(numpy_helper.to_array(attribute.t)), attribute.t.name))
        for info in [*attribute.g.input, *attribute.g.output]:
            if info.type.tensor_type.elem_type in FLOATS:
                info.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
        for inner in attribute.g.node:
            widen_attributes(inner)


def evaluate_wide(model, feeds):
    """The results of a model of one node with every float a double. A cast between floats changes nothing then."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    node = wide.graph.node[0]
    if node.op_type == "CastLike" and model.graph.output[0].type.tensor_type.elem_type in FLOATS:
        return [feeds[node.input[0]].astype(np.float64)]
    widen_attributes(node)
    for info in wide.graph.input:
        info.CopyFrom(describe_value(info.name, feeds[info.name]))
    for info in wide.graph.output:
        info.ClearField("type")
    # onnx's evaluator joins what a loop collects in ways of its own.
    ways = [run_reference, run_runtime]
    if any(attribute.HasField("g") for attribute in node.attribute):
        ways.reverse()
    results = ways[0](wide, feeds)
    if results is None:
        results = ways[1](wide, feeds)
    return None if results is None else [widen(r) for r in results]


def evaluate_node(node, narrow, wide, opset, runtime_only=False):
    """Gives (narrow results, wide results) of a node whose outer values are `narrow` and `wide`, by name.
    `runtime_only` leaves it to ONNX Runtime, which checks shapes, whether the node makes sense."""
    names = [n for n in node.output if n]
    model = make_model([node], list(narrow.items()), names, opset)
    results = run_runtime(model, narrow)
    if results is None:
        # onnx's evaluator runs some loops wrongly.
        runtime_only |= any(attribute.HasField("g") for attribute in node.attribute)
        results = None if runtime_only else run_checked_reference(model, narrow)
        if results is None:
            raise Rejected(f"{node.op_type}: nobody runs it")
    if any(not isinstance(r, np.ndarray) and not np.isscalar(r) for r in results):
        raise Rejected(f"{node.op_type}: not a tensor")
    results = [np.asarray(r) for r in results]
    for info, name, array in zip(model.graph.output, names, results):
        info.CopyFrom(describe_value(name, array))
    doubles = evaluate_wide(model, wide)
    if doubles is None:
        raise Rejected(f"{node.op_type}: not in double precision")
    if [r.shape for r in results] != [d.shape for d in doubles]:
        raise Rejected(f"{node.op_type}: two opinions on the shape")
    return results, doubles
