"""What is predicted: kernels and models, as ONNX files with random weights."""

import dataclasses
import lzma
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {"f32": (TensorProto.FLOAT, np.float32), "f16": (TensorProto.FLOAT16, np.float16)}


@dataclasses.dataclass
class Subject:
    name: str
    title: str
    dtype: str
    write: object           #: takes a path
    multiply_adds: float    #: of its contractions, in 1e9: what emulating it costs


class Graph:
    """An ONNX graph that grows node by node."""

    def __init__(self, dtype):
        self.proto, self.numpy = TYPES[dtype]
        self.nodes, self.weights, self.inputs = [], [], []
        self.random = np.random.default_rng(6)

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, self.proto, shape))
        return name

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        values = (self.random.standard_normal(shape, dtype=np.float32) * 0.05).astype(self.numpy)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(value), name))
        return name

    def scalar(self, value):
        return self.constant(self.numpy(value))

    def node(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def save(self, result, path):
        output = helper.make_tensor_value_info(result, self.proto, None)
        graph = helper.make_graph(self.nodes, "g", self.inputs, [output], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def product(rows, columns, steps, dtype, finish=None):
    """x w, where the first is an input and both are inputs if nothing follows."""
    def write(path):
        graph = Graph(dtype)
        data = graph.input(rows, steps)
        value = graph.node("MatMul", data, graph.weight(steps, columns) if finish else graph.input(steps, columns))
        graph.save(finish(graph, value) if finish else value, path)
    return write


def bias(graph, value, columns=768):
    return graph.node("Add", value, graph.weight(columns))


def residual(graph, value):
    return graph.node("Add", bias(graph, value), graph.input(128, 768))


def gelu(graph, value):
    value = bias(graph, value, 3072)
    half = graph.node("Erf", graph.node("Div", value, graph.scalar(2 ** 0.5)))
    return graph.node("Mul", graph.node("Mul", value, graph.node("Add", half, graph.scalar(1))), graph.scalar(0.5))


def scores(path):
    graph = Graph("f16")
    data, keys = graph.input(12, 128, 64), graph.input(12, 128, 64)
    graph.save(graph.node("MatMul", data, graph.node("Transpose", keys, perm=[0, 2, 1])), path)


def weighted(path):
    graph = Graph("f16")
    graph.save(graph.node("MatMul", graph.input(12, 128, 128), graph.input(12, 128, 64)), path)


def convolution(out, channels, kernel, dtype, group=1):
    def write(path):
        graph = Graph(dtype)
        pad = kernel // 2
        graph.save(graph.node("Conv", graph.input(1, channels, 56, 56), graph.weight(out, channels // group, kernel, kernel),
                              graph.weight(out), pads=[pad] * 4, group=group), path)
    return write


def softmax(path):
    graph = Graph("f16")
    graph.save(graph.node("Softmax", graph.input(1536, 128), axis=-1), path)


def layer_norm(path):
    graph = Graph("f16")
    graph.save(graph.node("LayerNormalization", graph.input(128, 768), graph.weight(768), graph.weight(768)), path)


def square(size, dtype):
    return Subject(f"gemm{size}_{dtype}", f"GEMM {size}^3 {dtype}", dtype, product(size, size, size, dtype), size ** 3 / 1e9)


KERNELS = [
    square(4096, "f16"), square(2048, "f16"), square(1024, "f16"), square(4096, "f32"),
    Subject("bert_q", "BERT Q, K or V: 128x768x768 f16", "f16", product(128, 768, 768, "f16", bias), 0.076),
    Subject("bert_qk", "BERT QK^T: 12x128x128x64 f16", "f16", scores, 0.013),
    Subject("bert_pv", "BERT PV: 12x128x64x128 f16", "f16", weighted, 0.013),
    Subject("bert_out", "BERT output and residual: 128x768x768 f16", "f16", product(128, 768, 768, "f16", residual), 0.076),
    Subject("bert_fc1", "BERT FC1 and GELU: 128x3072x768 f16", "f16", product(128, 3072, 768, "f16", gelu), 0.302),
    Subject("bert_fc2", "BERT FC2 and residual: 128x768x3072 f16", "f16", product(128, 768, 3072, "f16", residual), 0.302),
    Subject("conv3x3_f16", "conv 3x3 64 at 56x56 f16", "f16", convolution(64, 64, 3, "f16"), 0.116),
    Subject("conv1x1_f32", "conv 1x1 64 to 256 at 56x56 f32", "f32", convolution(256, 64, 1, "f32"), 0.051),
    Subject("depthwise_f32", "depthwise 3x3 144 at 56x56 f32", "f32", convolution(144, 144, 3, "f32", 144), 0.004),
    Subject("softmax_f16", "softmax 1536x128 f16", "f16", softmax, 0),
    Subject("layernorm_f16", "LayerNorm 128x768 f16", "f16", layer_norm, 0),
    Subject("gemv_f16", "GEMV 1x4096x4096 f16", "f16", product(1, 4096, 4096, "f16"), 0.017),
]


def fill(name, dtype):
    """A model of cycles/ with random weights, in `dtype`."""
    def write(path):
        with lzma.open(os.path.join(BENCHMARKS, "cycles", name + ".onnx.xz")) as file:
            model = onnx.load_model_from_string(file.read())
        random = np.random.default_rng(6)
        for tensor in model.graph.initializer:
            if tensor.data_type != TensorProto.FLOAT:
                continue
            empty = not (tensor.raw_data or tensor.float_data)
            values = random.standard_normal(tuple(tensor.dims), dtype=np.float32) * 0.05 if empty else \
                numpy_helper.to_array(tensor)
            with np.errstate(over="ignore"):
                tensor.CopyFrom(numpy_helper.from_array(values.astype(TYPES[dtype][1]), tensor.name))
        retype(model.graph, TYPES[dtype][0])
        onnx.save(model, path)
    return write


def retype(graph, proto):
    """Makes inputs, results and casts of f32 those of another type."""
    for value in [*graph.input, *graph.output]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = proto
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = proto


def resnet50(path):
    """ResNet-50 (He et al., 2016, Table 1) with batch norms folded into the convolutions."""
    graph = Graph("f16")

    def conv(value, channels, out, kernel, stride=1, relu=True):
        value = graph.node("Conv", value, graph.weight(out, channels, kernel, kernel), graph.weight(out),
                           pads=[kernel // 2] * 4, strides=[stride] * 2)
        return graph.node("Relu", value) if relu else value

    value = conv(graph.input(1, 3, 224, 224), 3, 64, 7, 2)
    value = graph.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for index in range(count):
            stride = first if index == 0 else 1
            inner = conv(conv(value, channels, width, 1), width, width, 3, stride)
            inner = conv(inner, width, 4 * width, 1, relu=False)
            if index == 0:
                value = conv(value, channels, 4 * width, 1, stride, relu=False)
            value, channels = graph.node("Relu", graph.node("Add", inner, value)), 4 * width
    value = graph.node("Flatten", graph.node("GlobalAveragePool", value))
    graph.save(graph.node("Gemm", value, graph.weight(2048, 1000), graph.weight(1000)), path)


def read_once(path):
    """Bytes that a model has to move: its weights, inputs and results. Of tables of which rows are gathered it needs few."""
    graph = onnx.load(path).graph
    tables = {node.input[0] for node in graph.node if node.op_type in ("Gather", "GatherElements", "GatherND")}
    moved = sum(numpy_helper.to_array(tensor).nbytes for tensor in graph.initializer if tensor.name not in tables)
    for value in [*graph.input, *graph.output]:
        tensor = value.type.tensor_type
        shape = [dim.dim_value for dim in tensor.shape.dim]
        moved += int(np.prod(shape)) * helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize
    return moved


MODELS = [
    Subject("bert_base", "BERT-base, 128 tokens, batch 1, f16", "f16", fill("bert_base", "f16"), 11.2),
    Subject("resnet50", "ResNet-50, batch 1, f16", "f16", resnet50, 4.1),
    Subject("vit_b16", "ViT-base/16, batch 1, f16", "f16", fill("vit_b16", "f16"), 17.5),
    Subject("lstm", "LSTM, 10 layers x 100 steps x 256, f32", "f32", fill("lstm_nn", "f32"), 0.5),
]
