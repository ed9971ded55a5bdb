"""What the long tests run: the small models of test/onnx, a loop, and large weights."""

import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h

OPSET, IR = 18, 8


def long_loop():
    """`count` times x = x * 0.5 + 1."""
    constants = [h.make_tensor("half", T.FLOAT, [], [0.5]), h.make_tensor("one", T.FLOAT, [], [1.0])]
    body = h.make_graph(
        [h.make_node("Mul", ["before", "half"], ["halved"], name="halve"),
         h.make_node("Add", ["halved", "one"], ["after"], name="add"),
         h.make_node("Identity", ["go"], ["go_on"], name="go")],
        "body",
        [h.make_tensor_value_info("i", T.INT64, []), h.make_tensor_value_info("go", T.BOOL, []),
         h.make_tensor_value_info("before", T.FLOAT, [4])],
        [h.make_tensor_value_info("go_on", T.BOOL, []), h.make_tensor_value_info("after", T.FLOAT, [4])],
        constants)
    graph = h.make_graph([h.make_node("Loop", ["count", "", "x"], ["y"], name="loop", body=body)], "long_loop",
                         [h.make_tensor_value_info("count", T.INT64, []), h.make_tensor_value_info("x", T.FLOAT, [4])],
                         [h.make_tensor_value_info("y", T.FLOAT, [4])])
    return h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], ir_version=IR)


def loop_inputs(count):
    return {"count": np.array(count, np.int64), "x": np.arange(4, dtype=np.float32)}


def windows():
    """Padded windows of all kinds one after the other, over a small image of many channels, whose
    sides are open."""
    rng = np.random.default_rng(3)
    nodes, weights, channels = [], [], 32
    value = "x"

    def add(operator, inputs=(), **attributes):
        nonlocal value
        name = f"{operator.lower()}_{len(nodes)}"
        nodes.append(h.make_node(operator, [value, *inputs], [name], name=name, **attributes))
        value = name

    def convolve(outputs, size, group=1, dilation=1):
        nonlocal channels
        name = f"w{len(weights)}"
        data = rng.standard_normal((outputs, channels // group, size, size)) / (size * np.sqrt(channels // group))
        weights.append(onnx.numpy_helper.from_array(data.astype(np.float32), name))
        add("Conv", [name], kernel_shape=[size, size], pads=[size // 2 * dilation] * 4, group=group,
            dilations=[dilation] * 2)
        channels = outputs

    convolve(64, 3)
    for size in (3, 5, 7):
        convolve(64, size, group=64)
        add("HardSwish")
        convolve(64, 1)
    convolve(64, 3, group=64, dilation=4)
    add("MaxPool", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    convolve(48, 3, group=16)
    add("AveragePool", kernel_shape=[5, 5], pads=[2, 2, 2, 2])
    weights.append(onnx.numpy_helper.from_array(np.array([0, 0, 4, 40, 0, 0, 4, 40], np.int64), "pads"))
    add("Pad", ["pads"], mode="constant")
    graph = h.make_graph(nodes, "windows", [h.make_tensor_value_info("x", T.FLOAT, [1, 32, "H", "W"])],
                         [h.make_tensor_value_info(value, T.FLOAT, None)], weights)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], ir_version=IR)


def window_inputs():
    return {"x": np.random.default_rng(4).standard_normal((1, 32, 12, 20)).astype(np.float32)}


def big_table(folder, size):
    """Saves a model that gathers rows of a table of `size` bytes, all zero, in a sparse file beside it."""
    rows = size // 4096
    table = T()
    table.name, table.data_type, table.data_location = "table", T.FLOAT, T.EXTERNAL
    table.dims.extend([rows, 1024])
    for key, value in (("location", "table.bin"), ("offset", "0"), ("length", str(rows * 4096))):
        entry = table.external_data.add()
        entry.key, entry.value = key, value
    with open(os.path.join(folder, "table.bin"), "wb") as file:
        file.truncate(rows * 4096)
    graph = h.make_graph([h.make_node("Gather", ["table", "rows"], ["y"], name="look", axis=0)], "big_table",
                         [h.make_tensor_value_info("rows", T.INT64, ["N"])],
                         [h.make_tensor_value_info("y", T.FLOAT, ["N", 1024])], [table])
    path = os.path.join(folder, "big_table.onnx")
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], ir_version=IR), path)
    return path
