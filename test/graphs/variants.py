"""Other models that mean the same, and other ways to compile one. A variant that a graph does not have is None."""

import dataclasses

import numpy as np
import onnx
from onnx import numpy_helper

from evaluation import Rejected, describe_value
from model_file import evaluate_graph


@dataclasses.dataclass
class Variant:
    """What is given to the tools. `outputs` are the values that the model gives."""
    model: onnx.ModelProto
    inputs: dict
    outputs: list
    compile_options: tuple = ()
    run_options: tuple = ()


def plain(graph):
    return Variant(graph.model, graph.inputs, graph.outputs)


def unmerged(graph):
    return Variant(graph.model, graph.inputs, graph.outputs, ("--no-merge",))


def emulated(graph):
    return Variant(graph.model, graph.inputs, graph.outputs, ("--target=cuda-emu",), ("--device=cuda-emu",))


def narrow_vectors(graph):
    return Variant(graph.model, graph.inputs, graph.outputs, ("--mcpu=x86-64-v3",))


def copy(model):
    other = onnx.ModelProto()
    other.CopyFrom(model)
    return other


def forget_sizes(info):
    """Every dim of a value gets a name of its own."""
    for index, dim in enumerate(info.type.tensor_type.shape.dim):
        dim.dim_param = f"{info.name}_{index}"


def dynamic(graph):
    model = copy(graph.model)
    for info in [*model.graph.input, *model.graph.output]:
        forget_sizes(info)
    return Variant(model, graph.inputs, graph.outputs)


def resized(graph):
    """Equal sizes have one name, and the model runs at other sizes; nothing if it cannot."""
    model = copy(graph.model)
    for info in [*model.graph.input, *model.graph.output]:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_value > 1:
                dim.dim_param = f"N{dim.dim_value}"
    for info in model.graph.output:
        forget_sizes(info)
    inputs = {name: np.resize(array, [s + 1 + s % 3 if s > 1 else s for s in array.shape])
              for name, array in graph.inputs.items()}
    try:
        return Variant(model, inputs, evaluate_graph(model, inputs, runtime_only=True).outputs)
    except Rejected:
        return None


def constant(graph):
    """All inputs but the first become initializers, so that much can be computed beforehand."""
    model = copy(graph.model)
    fixed = [info.name for info in model.graph.input][1:]
    kept = [info for info in model.graph.input if info.name not in fixed]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(numpy_helper.from_array(np.array(graph.inputs[name], order="C"), name)
                                   for name in fixed)
    return Variant(model, {k: v for k, v in graph.inputs.items() if k not in fixed}, graph.outputs)


def exposed(graph):
    """Every value is an output too, so that it cannot be merged away."""
    model = copy(graph.model)
    there = {info.name for info in model.graph.output}
    more = [v for v in graph.inner if v.name not in there]
    model.graph.output.extend(describe_value(v.name, v.narrow) for v in more)
    return Variant(model, graph.inputs, graph.outputs + more)


ALL = [plain, resized, dynamic, unmerged, emulated, constant, exposed, narrow_vectors]
