"""Models for `device.py check`: matrix products, and programs from which the device's rates follow.

A model that `tiny` asks for has sizes that the emulator runs in a moment.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

OPSET, IR = 18, 8
# Values repeat after this many: then files pack well, and the rows of a matrix still differ.
POOL = 3989

# Batch, rows, columns and length of the sums.
PRODUCTS = [(1, 128, 768, 768), (1, 128, 3072, 768), (12, 128, 128, 64), (1, 1024, 1024, 1024), (1, 2048, 2048, 2048),
            (1, 4096, 4096, 4096)]
TINY_PRODUCTS = [(1, 16, 24, 32), (2, 8, 16, 8)]
# Larger products are timed on random factors and not compared.
MOST_COMPARED = 1024 ** 3
DTYPES = {"f32": (T.FLOAT, np.float32), "f16": (T.FLOAT16, np.float16)}


def pooled(shape, seed, dtype=np.float32):
    return np.resize(np.random.default_rng(seed).standard_normal(POOL).astype(dtype), shape)


def repeat_weights(model):
    """Makes the values of large weights repeat."""
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.dtype == np.float32 and array.size > POOL:
            weight.CopyFrom(numpy_helper.from_array(np.resize(array.ravel()[:POOL], array.shape), weight.name))


def save(folder, name, nodes, inputs, outputs, constants):
    graph = h.make_graph(nodes, name, [h.make_tensor_value_info(*port) for port in inputs],
                         [h.make_tensor_value_info(*port) for port in outputs],
                         [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], ir_version=IR)
    onnx.save(model, os.path.join(folder, name + ".onnx"))


def save_case(folder, name, inputs, answers):
    np.savez_compressed(os.path.join(folder, name + ".in.npz"), **inputs)
    np.savez_compressed(os.path.join(folder, name + ".out.npz"), **answers)


def make_product(folder, dims, dtype):
    """A product of two inputs; gives its description."""
    batch, rows, columns, length = dims
    element, kind = DTYPES[dtype]
    lead = [batch] if batch > 1 else []
    shapes = {"a": [*lead, rows, length], "b": [*lead, length, columns], "c": [*lead, rows, columns]}
    name = f"{dtype}_" + "x".join(str(size) for size in [*lead, rows, columns, length])
    save(folder, name, [h.make_node("MatMul", ["a", "b"], ["c"])],
         [(key, element, shapes[key]) for key in "ab"], [("c", element, shapes["c"])], {})
    work = batch * rows * columns * length
    if work <= MOST_COMPARED:
        a, b = pooled(shapes["a"], 1, kind), pooled(shapes["b"], 2, kind)
        save_case(folder, name, {"a": a, "b": b}, {"c": np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(kind)})
    return {"name": name, "dtype": dtype, "a": shapes["a"], "b": shapes["b"], "flops": 2 * work,
            "compared": work <= MOST_COMPARED}


def make_products(folder, tiny):
    return [make_product(folder, dims, dtype) for dims in (TINY_PRODUCTS if tiny else PRODUCTS) for dtype in DTYPES]


def make_chain(folder, count):
    """Products of a row with the identity, one kernel that is launched `count` times in turn."""
    names = ["x", *(f"x{i}" for i in range(1, count)), "y"]
    save(folder, f"launch_{count}", [h.make_node("MatMul", [a, "one"], [b]) for a, b in zip(names, names[1:])],
         [("x", T.FLOAT, [1, 8])], [("y", T.FLOAT, [1, 8])], {"one": np.eye(8, dtype=np.float32)})
    row = np.arange(8, dtype=np.float32)[None]
    save_case(folder, f"launch_{count}", {"x": row}, {"y": row})


def make_stream(folder, elements):
    """`count` times (y, z) <- ((y + z) / 2, y) over vectors of `elements`, of which one element is the result."""
    body = h.make_graph(
        [h.make_node("Add", ["y", "z"], ["sum"]), h.make_node("Mul", ["sum", "half"], ["y_next"]),
         h.make_node("Identity", ["y"], ["z_next"]), h.make_node("Identity", ["go"], ["go_on"])], "body",
        [h.make_tensor_value_info(*port) for port in (("i", T.INT64, []), ("go", T.BOOL, []), ("y", T.FLOAT, [elements]),
                                                      ("z", T.FLOAT, [elements]))],
        [h.make_tensor_value_info(*port) for port in (("go_on", T.BOOL, []), ("y_next", T.FLOAT, [elements]),
                                                      ("z_next", T.FLOAT, [elements]))],
        [numpy_helper.from_array(np.float32(0.5), "half")])
    save(folder, "stream", [h.make_node("Expand", ["x", "size"], ["start"]),
                            h.make_node("Loop", ["count", "", "start", "start"], ["y_end", "z_end"], body=body),
                            h.make_node("Gather", ["y_end", "last"], ["result"])],
         [("x", T.FLOAT, [1]), ("count", T.INT64, [])], [("result", T.FLOAT, [])],
         {"size": np.array([elements]), "last": np.array(elements - 1)})
    save_case(folder, "stream", {"x": np.float32([3]), "count": np.int64(8)}, {"result": np.float32(3)})


def make_cached(folder, elements, count):
    """`count` kernels in turn, each the larger of two elements that are `distance` apart; gives the bytes
    that they read and write."""
    distance, names = max(1, elements // 256), [f"x{i}" for i in range(count + 1)]
    pools = [h.make_node("MaxPool", [a], [b], kernel_shape=[2], dilations=[distance]) for a, b in zip(names, names[1:])]
    name = f"cached_{count}"
    save(folder, name, [h.make_node("Expand", ["x", "size"], ["x0"]), *pools,
                        h.make_node("Gather", [names[-1], "first"], ["result"], axis=2)],
         [("x", T.FLOAT, [1])], [("result", T.FLOAT, [1, 1])],
         {"size": np.array([1, 1, elements]), "first": np.array(0)})
    save_case(folder, name, {"x": np.float32([3])}, {"result": np.float32([[3]])})
    return sum(12 * (elements - distance * i) for i in range(1, count + 1))


def make_copies(folder, elements):
    """A program with a large input and one with a large output."""
    save(folder, "upload", [h.make_node("Gather", ["x", "last"], ["y"])], [("x", T.FLOAT, [elements])],
         [("y", T.FLOAT, [])], {"last": np.array(elements - 1)})
    save(folder, "download", [h.make_node("Expand", ["x", "size"], ["y"])], [("x", T.FLOAT, [1])],
         [("y", T.FLOAT, [elements])], {"size": np.array([elements])})


def make_rates(folder, tiny):
    """Programs for the device's rates; gives their numbers of launches and bytes."""
    launches, cached = ([2, 40], [2, 6]) if tiny else ([8, 256], [8, 64])
    stream, window, copied = (256, 512, 1024) if tiny else (1 << 26, 1 << 21, 1 << 24)
    for count in launches:
        make_chain(folder, count)
    make_stream(folder, stream)
    make_copies(folder, copied)
    return {"launches": launches, "stream_bytes": 12 * stream, "cached": cached,
            "cached_bytes": [make_cached(folder, window, count) for count in cached], "copied_bytes": 4 * copied}
