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
    return operator(program), ["x", "w"] if program["weight"] is None else ["x"]


def operator(program):
    """The operator of a single-node model; its weight, where it is a constant, comes from the model's file."""
    import onnx
    import torch

    model = onnx.load(program["model"])
    node, = model.graph.node
    settings = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "MatMul":
        function = torch.matmul
    else:
        rank = len(settings["kernel_shape"])
        transposed = node.op_type == "ConvTranspose"
        chosen = getattr(torch.nn.functional, f"conv{'_transpose' if transposed else ''}{rank}d")
        arguments = dict(stride=settings["strides"], padding=settings["pads"][:rank], groups=settings["group"],
                         dilation=settings["dilations"])
        if transposed:
            arguments["output_padding"] = settings["output_padding"]

        def function(x, w):
            return chosen(x, w, **arguments)

    if program["weight"] is None:
        return function
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    weight = torch.from_numpy(constants[program["weight"]].copy())
    return lambda x: function(x, weight)
