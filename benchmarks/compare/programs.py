"""What torch runs for a case: a model of the zoo, or one operator."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def build(program):
    """Gives a callable and the names of its arguments, in order."""
    if program["kind"] == "zoo":
        sys.path.insert(0, os.path.join(HERE, "..", "zoo"))
        import models

        entry = models.build(program["name"])
        return entry.module, list(entry.inputs)
    return operator(program["model"]), ["x"]


def operator(path):
    """The operator of a model of one node, with its constant weight."""
    import onnx
    import torch

    graph = onnx.load(path).graph
    (node,), (constant,) = graph.node, graph.initializer
    weight = torch.from_numpy(onnx.numpy_helper.to_array(constant).copy())
    settings = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "MatMul":
        return lambda x: torch.matmul(x, weight)
    rank = len(settings["kernel_shape"])
    transposed = node.op_type == "ConvTranspose"
    function = getattr(torch.nn.functional, f"conv{'_transpose' if transposed else ''}{rank}d")
    arguments = dict(stride=settings["strides"], padding=settings["pads"][:rank], groups=settings["group"],
                     dilation=settings["dilations"])
    if transposed:
        arguments["output_padding"] = settings["output_padding"]
    return lambda x: function(x, weight, **arguments)
