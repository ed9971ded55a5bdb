"""Models with the habits of the programs that write ONNX files, small, with sizes left open.

What the habits are: TorchScript's shape arithmetic, the functions and empty attributes of
torch.export, Keras' transposes between NHWC and NCHW, PaddlePaddle's constants as nodes,
scikit-learn's distances and class labels; weights in every field that can hold them; names,
orders and opset imports that are allowed and rare.
"""

import numpy as np
from onnx import AttributeProto
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from small_models import SmallModel, info, normal

MOST = np.iinfo(np.int64).max


class Writer:
    """Nodes without names of their own, and weights as an exporter would write them."""

    def __init__(self, seed, result="/{kind}_output_{number}", node="/{kind}_{number}"):
        self.random = np.random.default_rng(seed)
        self.result, self.node = result, node
        self.nodes, self.tensors, self.count = [], [], 0

    def add(self, kind, *inputs, out=None, results=1, domain="", **attributes):
        self.count += 1
        names = out or [self.result.format(kind=kind, number=self.count) + (f":{i}" if i else "") for i in range(results)]
        self.nodes.append(h.make_node(kind, list(inputs), names, name=self.node.format(kind=kind, number=self.count),
                                      domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def const(self, values, kind=np.int64):
        """A constant as a node."""
        return self.add("Constant", value=numpy_helper.from_array(np.asarray(values, kind)))

    def weight(self, name, *shape, scale=None):
        scale = scale or 1 / np.sqrt(np.prod(shape[1:]) if len(shape) > 1 else 1)
        self.tensors.append(numpy_helper.from_array((self.random.standard_normal(shape) * scale).astype(np.float32), name))
        return name

    def finish(self, inputs, outputs, opset=17, ir=8, imports=(), producer="", functions=()):
        graph = h.make_graph(self.nodes, "main_graph", [info(*i) for i in inputs], [info(*o) for o in outputs], self.tensors)
        sets = [h.make_opsetid("", opset), *(h.make_opsetid(*i) for i in imports)]
        return h.make_model(graph, opset_imports=sets, ir_version=ir, producer_name=producer, functions=list(functions))


def torchscript():
    """Sizes taken apart and put together, Expand by Where, slices to the end of time, a squeeze under If."""
    w = Writer(31)

    def size(x, dim):
        return w.add("Gather", w.add("Shape", x), w.const(dim), axis=0)

    def unsqueezed(x):
        return w.add("Unsqueeze", x, w.const([0]))

    batch, length = size("input.1", 0), size("input.1", 1)
    width = w.add("Div", w.add("Mul", size("input.1", 2), w.const(2)), w.const(8))
    shared = w.add("Identity", w.add("Identity", w.weight("onnx::MatMul_12", 16, 16)))
    x = w.add("Add", w.add("MatMul", "input.1", shared), w.weight("layer.bias", 16))
    parts = w.add("Concat", *(unsqueezed(p) for p in (batch, length, w.const(4), width)), axis=0)
    x = w.add("Transpose", w.add("Reshape", x, parts), perm=[0, 2, 1, 3])
    wanted = w.add("Concat", unsqueezed(batch), w.const([4]), w.const([-1]), w.const([-1]), axis=0)
    ones = w.add("ConstantOfShape", w.add("Shape", wanted), value=numpy_helper.from_array(np.array([1], np.int64)))
    unset = w.add("Equal", wanted, w.add("Mul", ones, w.const(-1)))
    bias = w.add("Expand", w.weight("bias.table", 1, 1, 1, 4), w.add("Where", unset, ones, wanted))
    x = w.add("Add", x, bias)
    x = w.add("Slice", x, w.const([0]), w.const([MOST]), w.const([2]), w.const([1]))
    x = w.add("Slice", x, w.const([-1]), w.const([-MOST]), w.const([3]), w.const([-1]))
    flat = w.add("Cast", w.add("Floor", w.add("Cast", w.add("Mul", width, w.const(4)), to=T.FLOAT)), to=T.INT64)
    back = w.add("Concat", unsqueezed(batch), unsqueezed(length), unsqueezed(flat), axis=0)
    x = w.add("Reshape", w.add("Transpose", x, perm=[0, 2, 1, 3]), back)
    steps = w.add("Range", w.const(0), length, w.const(1))
    mask = w.add("LessOrEqual", w.add("Unsqueeze", steps, w.const([0])), w.add("Unsqueeze", steps, w.const([1])))
    scores = w.add("MatMul", x, w.add("Transpose", x, perm=[0, 2, 1]))
    scores = w.add("Where", mask, scores, w.const(-np.inf, np.float32))
    x = w.add("Dropout", w.add("MatMul", w.add("Softmax", scores, axis=-1), x), w.const(0.1, np.float32),
              w.const(False, bool))
    first = w.add("Gather", w.add("Split", x, w.const([8, 8]), axis=2, results=2)[0], w.const([0]), axis=2)
    branch = {}
    for name, kind, inputs in (("then_branch", "Squeeze", [first, "last"]), ("else_branch", "Identity", [first])):
        constant = [h.make_node("Constant", [], ["last"], value_ints=[2])] if kind == "Squeeze" else []
        branch[name] = h.make_graph([*constant, h.make_node(kind, inputs, [name])], name, [], [info(name, None)])
    is_one = w.add("Equal", size(first, 2), w.const(1))
    w.add("If", is_one, out=["y"], **branch)
    model = w.finish([("input.1", ["batch", "length", 16])], [("y", ["batch", "length"])], producer="pytorch")
    return SmallModel("torchscript", model, [(1, 1), (2, 7), (3, 20)], lambda n, s: {"input.1": normal(n, s, 16)})


def torch_export():
    """Functions that call functions, with attributes handed on; allowzero; constants as value_ints; metadata."""
    domain, inner_domain = "pkg.onnxscript.torch_lib", "pkg.onnxscript.torch_lib.common"
    sets = [h.make_opsetid("", 18), h.make_opsetid(inner_domain, 1)]
    rank = h.make_function(inner_domain, "IsScalar", ["input"], ["answer"], [
        h.make_node("Shape", ["input"], ["shape"]), h.make_node("Size", ["shape"], ["rank"]),
        h.make_node("Constant", [], ["zero"], value_int=0), h.make_node("Equal", ["rank", "zero"], ["answer"])], sets[:1])
    slope = h.make_node("LeakyRelu", ["self"], ["half"])
    slope.attribute.append(h.make_attribute_ref("alpha", AttributeProto.FLOAT, ref_attr_name="slope"))
    active = h.make_function(domain, "aten_leaky_relu", ["self"], ["result"], [
        h.make_node("IsScalar", ["self"], ["is_scalar"], domain=inner_domain), slope,
        h.make_node("If", ["is_scalar"], ["result"],
                    then_branch=h.make_graph([h.make_node("Abs", ["half"], ["a"])], "t", [], [info("a", None)]),
                    else_branch=h.make_graph([h.make_node("Identity", ["half"], ["b"])], "e", [], [info("b", None)]))],
        sets, attributes=["slope"])
    outer = h.make_function(domain, "block", ["x", "weight"], ["y"], [
        h.make_node("MatMul", ["x", "weight"], ["product"]),
        h.make_node("aten_leaky_relu", ["product"], ["y"], domain=domain, slope=0.3)],
        [*sets, h.make_opsetid(domain, 1)])
    w = Writer(32, "val_{number}", "node_{kind}_{number}")
    w.tensors.append(numpy_helper.from_array(np.array([0, -1], np.int64), "unused"))
    x = w.add("block", "x", w.weight("model.0.weight", 12, 20), domain=domain)
    x = w.add("block", x, w.weight("model.1.weight", 20, 6), domain=domain)
    rows = w.add("Shape", "x", start=0, end=1)
    x = w.add("Reshape", x, w.add("Concat", rows, w.add("Constant", value_ints=[2, 3]), axis=0), allowzero=1)
    x = w.add("Mul", x, w.add("Constant", value_float=0.5))
    w.add("ReduceMean", x, w.add("Constant", value_ints=[-1]), keepdims=0, noop_with_empty_axes=0, out=["y"])
    for node in w.nodes:
        node.doc_string = "traced"
        node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value="File \"model.py\", line 1\n")
    model = w.finish([("x", ["s0", 12])], [("y", ["s0", 2])], opset=18, ir=10, imports=[(domain, 1), (inner_domain, 1)],
                     producer="pytorch", functions=[rank, active, outer])
    return SmallModel("torch_export", model, [(1,), (4,), (9,)], lambda n: {"x": normal(n, 12)})


def keras():
    """NHWC data, transposed around every convolution; SAME pads; int32 sizes; names with colons."""
    scope = "StatefulPartitionedCall/model/"
    w = Writer(33, scope + "{kind}_{number}:0", scope + "{kind}_{number}")

    def convolution(x, name, inputs, outputs, stride, group=1):
        x = w.add("Transpose", x, perm=[0, 3, 1, 2])
        x = w.add("Conv", x, w.weight(scope + name + "/ReadVariableOp:0", outputs, inputs // group, 3, 3),
                  auto_pad="SAME_UPPER", strides=[stride] * 2, group=group)
        x = w.add("Transpose", x, perm=[0, 2, 3, 1])
        return w.add("Relu", w.add("Add", x, w.weight(scope + name + "/BiasAdd:0", outputs)))

    x = convolution(convolution("input_1:0", "conv2d", 3, 8, 2), "depthwise", 8, 8, 1, group=8)
    pooled = w.add("MaxPool", w.add("Transpose", x, perm=[0, 3, 1, 2]), kernel_shape=[2, 2], strides=[2, 2],
                   auto_pad="SAME_UPPER")
    x = w.add("Transpose", pooled, perm=[0, 2, 3, 1])
    shape = w.add("Cast", w.add("Shape", x), to=T.INT32)
    batch = w.add("Slice", shape, w.const([0], np.int32), w.const([1], np.int32), w.const([0], np.int32))
    x = w.add("ReduceMean", x, axes=[1, 2], keepdims=1)
    x = w.add("Reshape", x, w.add("Cast", w.add("Concat", batch, w.const([-1], np.int32), axis=0), to=T.INT64))
    x = w.add("Add", w.add("MatMul", x, w.weight(scope + "dense/kernel:0", 8, 5)), w.weight(scope + "dense/bias:0", 5))
    w.add("Softmax", x, axis=1, out=["Identity:0"])
    model = w.finish([("input_1:0", ["unk__10", "unk__11", "unk__12", 3])], [("Identity:0", ["unk__13", 5])], opset=13, ir=7,
                     producer="tf2onnx")
    return SmallModel("keras", model, [(1, 8, 8), (2, 13, 9), (3, 32, 20)],
                      lambda n, hh, ww: {"input_1:0": normal(n, hh, ww, 3)})


def paddle():
    """Opset 11: weights as Constant nodes, axes as attributes, unnamed nodes, dims of size -1, Resize by scales."""
    w = Writer(34, "p2o.{kind}.{number}", "")

    def parameter(name, *shape):
        values = (w.random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))).astype(np.float32)
        return w.add("Constant", value=numpy_helper.from_array(values, name))

    x = w.add("Conv", "x", parameter("conv2d_0.w_0", 6, 3, 3, 3), kernel_shape=[3, 3], pads=[1, 1, 1, 1], dilations=[1, 1],
              strides=[1, 1], group=1)
    statistics = [w.const(w.random.uniform(0.5, 1.5, 6), np.float32) for _ in range(4)]
    x = w.add("BatchNormalization", x, *statistics, epsilon=1e-5, momentum=0.9)
    gate = w.add("Clip", w.add("Add", x, w.const([3], np.float32)), w.const(0, np.float32), w.const(6, np.float32))
    x = w.add("Div", w.add("Mul", x, gate), w.const([6], np.float32))
    x = w.add("Resize", x, w.const([], np.float32), w.const([1, 1, 2, 2], np.float32), mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    pooled = w.add("GlobalAveragePool", x)
    squeezed = w.add("Squeeze", pooled, axes=[2, 3])
    scale = w.add("Unsqueeze", w.add("HardSigmoid", w.add("Gemm", squeezed, parameter("fc.w", 6, 6), parameter("fc.b", 6)),
                                     alpha=0.1666667, beta=0.5), axes=[2, 3])
    x = w.add("Mul", x, scale)
    shape = w.add("Shape", x)
    parts = [w.add("Slice", shape, w.const([i]), w.const([i + 1]), w.const([0])) for i in range(3)]
    joined = w.add("Concat", parts[0], parts[1], w.const([-1]), axis=0)
    x = w.add("Transpose", w.add("Reshape", x, joined), perm=[0, 2, 1])
    x = w.add("Dropout", w.add("Identity", x), ratio=0.1, results=2)[0]
    w.add("ReduceMax", x, axes=[1], keepdims=0, out=["save_infer_model/scale_0.tmp_0"])
    model = w.finish([("x", [-1, 3, -1, -1])], [("save_infer_model/scale_0.tmp_0", [-1, 6])], opset=11, ir=6,
                     producer="PaddlePaddle")
    return SmallModel("paddle", model, [(1, 4, 4), (2, 5, 9), (3, 16, 11)], lambda n, hh, ww: {"x": normal(n, 3, hh, ww)})


def scikit_learn():
    """A scaler, distances to cluster centres by Gemm, the nearest, and a linear classifier with labels."""
    w = Writer(35, "{kind}_{number}_y", "Sk{kind}{number}")
    w.tensors.append(numpy_helper.from_array(np.array([3, 7, 1, 9], np.int64), "classes"))
    x = w.add("Cast", "X", to=T.FLOAT)
    x = w.add("Div", w.add("Sub", x, w.weight("mean", 1, 5)), w.const(w.random.uniform(0.5, 2, (1, 5)), np.float32))
    centres = w.weight("centres", 7, 5)
    product = w.add("Gemm", x, centres, transB=1, alpha=-2.0)
    squares = w.add("Add", w.add("ReduceSumSquare", x, axes=[1], keepdims=1), product)
    distances = w.add("Sqrt", w.add("Max", w.add("Add", squares, w.add("ReduceSumSquare", w.add("Transpose", centres),
                                                                        axes=[0], keepdims=1)), w.const(0, np.float32)))
    w.add("ArgMin", distances, axis=1, keepdims=0, out=["cluster"])
    scores = w.add("Add", w.add("MatMul", x, w.weight("coefficients", 5, 4)), w.weight("intercept", 4))
    w.add("Softmax", scores, axis=1, out=["probabilities"])
    best = w.add("ArgMax", "probabilities", axis=1, keepdims=1)
    label = w.add("Gather", "classes", w.add("Reshape", best, w.const([-1])), axis=0)
    w.add("Reshape", w.add("Cast", label, to=T.INT64), w.const([-1]), out=["label"])
    model = w.finish([("X", [None, 5], T.DOUBLE)],
                     [("label", [None], T.INT64), ("probabilities", [None, 4]), ("cluster", [None], T.INT64)], opset=15, ir=8,
                     imports=[("ai.onnx.ml", 1)], producer="skl2onnx")
    return SmallModel("scikit_learn", model, [(1,), (6,), (33,)], lambda n: {"X": normal(n, 5).astype(np.float64)})


def typed_fields():
    """Weights in the typed fields of every type, initializers in reverse order and listed as inputs too."""
    w = Writer(36)
    kinds = [(T.FLOAT, np.float32), (T.DOUBLE, np.float64), (T.FLOAT16, np.float16), (T.INT32, np.int32),
             (T.INT64, np.int64), (T.UINT32, np.uint32), (T.UINT64, np.uint64), (T.INT8, np.int8), (T.UINT8, np.uint8),
             (T.INT16, np.int16), (T.UINT16, np.uint16), (T.BOOL, np.bool_)]
    inputs, total = [("x", ["N", 4])], "x"
    for kind, numpy_kind in kinds:
        name = T.DataType.Name(kind).lower()
        values = np.array([1, 0, 2, 1] if numpy_kind is not np.int8 else [-3, 0, 2, 1]).astype(numpy_kind)
        field = values.view(np.uint16) if kind == T.FLOAT16 else values.astype(np.int32) if kind == T.BOOL else values
        tensor = T(name=name, data_type=kind, dims=[4])
        where = {T.FLOAT: tensor.float_data, T.DOUBLE: tensor.double_data, T.INT64: tensor.int64_data,
                 T.UINT32: tensor.uint64_data, T.UINT64: tensor.uint64_data}.get(kind, tensor.int32_data)
        where.extend(field.tolist())
        w.tensors.insert(0, tensor)
        inputs.append((name, [4], kind))
        total = w.add("Add", total, w.add("Cast", name, to=T.FLOAT))
    bfloat = T(name="bfloat16", data_type=T.BFLOAT16, dims=[2, 2], int32_data=[0x3F80, 0x4000, 0xBF80, 0x0000])
    w.tensors.insert(0, bfloat)
    inputs.append(("bfloat16", [2, 2], T.BFLOAT16))
    flat = w.add("Reshape", w.add("Cast", "bfloat16", to=T.FLOAT), w.const([4]))
    w.add("Add", total, flat, out=["y"])
    model = w.finish(inputs, [("y", ["N", 4])], opset=17, ir=3)
    return SmallModel("typed_fields", model, [(1,), (3,), (8,)], lambda n: {"x": normal(n, 4)})


def odd_names():
    """Names that must be escaped somewhere, imports of operator sets that nothing uses."""
    names = ["a \"quoted\" name", "back\\slash/and %percent", "tab\tand (brackets)", "ünïcödé ♥", "0", "@main", "x:y.z->w"]
    w = Writer(37, node="{kind} \"{number}\"\\")
    x = "input with space"
    for name in names:
        w.weight(name + ".weight", 5)
        x = w.add("Tanh", w.add("Add", x, name + ".weight"), out=[name])
    w.add("Concat", x, "input with space", axis=0, out=["output, the first"])
    model = w.finish([("input with space", ["batch size (max: \"8\")", 5])], [("output, the first", ["2 * batch", 5])], opset=17,
                     imports=[("com.microsoft", 1), ("ai.onnx.ml", 3), ("ai.onnx.training", 1), ("org.example.nothing", 7)])
    return SmallModel("odd_names", model, [(1,), (2,), (8,)], lambda n: {"input with space": normal(n, 5)})


def loose_reshapes():
    """Zero and minus one in Reshape, flattening and unflattening around unknown sizes."""
    w = Writer(38)
    x = w.add("Reshape", "x", w.const([0, -1, 6]))
    x = w.add("Reshape", x, w.const([0, 0, 2, -1]))
    x = w.add("Flatten", x, axis=2)
    x = w.add("Reshape", w.add("Relu", x), w.const([-1, 3]))
    x = w.add("Add", x, w.weight("shift", 3))
    x = w.add("Reshape", x, w.add("Shape", "x"))
    x = w.add("Squeeze", w.add("Unsqueeze", x, w.const([0, -1])), w.const([-1, 0]))
    w.add("Reshape", x, w.add("Concat", w.add("Shape", "x", start=0, end=1), w.const([2, -1]), axis=0), out=["y"])
    model = w.finish([("x", ["N", "S", 12])], [("y", ["N", 2, None])], opset=17)
    return SmallModel("loose_reshapes", model, [(2, 3), (3, 2), (5, 7)], lambda n, s: {"x": normal(n, s, 12)})


ALL = [torchscript, torch_export, keras, paddle, scikit_learn, typed_fields, odd_names, loose_reshapes]
