"""The hostile and broken ONNX files that bad_models.py feeds to the compiler.

Each `Case` writes its files into a fresh folder and says what is expected: the
exit codes that are right, and texts that the error must hold (regular
expressions, case ignored; each must match). Most cases are one change to `GOOD`.
"""

import dataclasses
import os
from typing import Callable, Dict, Optional, Sequence, Tuple

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

OPSET, IR = 21, 10
REJECTED, REFUSED, ACCEPTED, LIMITED = (1,), (3,), (0,), (5,)


@dataclasses.dataclass
class Case:
    name: str
    #: writes `folder`/model.onnx and what it needs
    write: Callable[[str], None]
    codes: Tuple[int, ...]
    texts: Sequence[str] = ()
    options: Sequence[str] = ()
    #: inputs for a run of the binary, when compiling succeeds
    inputs: Optional[Dict[str, np.ndarray]] = None
    run_codes: Tuple[int, ...] = (0,)
    run_texts: Sequence[str] = ()
    run_options: Sequence[str] = ()
    #: results that the run must give
    results: Optional[Dict[str, np.ndarray]] = None


def value(name, shape=(2,), kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=None, outputs=None, initializers=(), opset=OPSET, ir=IR, functions=(), domains=()):
    graph = h.make_graph(nodes, "g", [value("x")] if inputs is None else inputs,
                         [value("y")] if outputs is None else outputs, list(initializers))
    opsets = [h.make_opsetid("", opset)] + [h.make_opsetid(d, 1) for d in domains]
    return h.make_model(graph, opset_imports=opsets, ir_version=ir, functions=list(functions))


def node(kind, inputs, outputs, name="r", **attributes):
    return h.make_node(kind, inputs, outputs, name=name, **attributes)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def good():
    return model([node("Add", ["x", "w"], ["t"], "a"), node("Relu", ["t"], ["y"], "r")],
                 initializers=[tensor("w", np.ones(2, np.float32))])


X = {"x": np.array([1, -3], np.float32)}
GOOD_RESULT = {"y": np.array([2, 0], np.float32)}


def put(folder, data, name="model.onnx"):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.SerializeToString())


def writes(make):
    """A writer of the model or bytes that `make()` gives."""
    return lambda folder: put(folder, make())


def changed(change):
    """A writer of the good model after `change(model)`."""
    def write(folder):
        m = good()
        change(m)
        put(folder, m)
    return write


def changed_weight(change):
    """A writer of the good model after `change` of its weight `w`."""
    return changed(lambda m: change(m.graph.initializer[0]))


# --- files that are no model -------------------------------------------------

def random_bytes():
    return np.random.default_rng(7).integers(0, 256, 5000).astype(np.uint8).tobytes()


def lfs_pointer():
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 132735151\n"


def no_graph(m):
    m.ClearField("graph")


FILES = [
    Case("good", writes(good), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("empty", writes(lambda: b""), REJECTED, ["empty"]),
    Case("truncated", writes(lambda: good().SerializeToString()[:-40]), REJECTED, ["truncated|not an onnx"]),
    Case("random", writes(random_bytes), REJECTED, ["not an onnx"]),
    Case("text", writes(lambda: b"this is not a model\n" * 30), REJECTED, ["not an onnx"]),
    Case("lfs_pointer", writes(lfs_pointer), REJECTED, ["git lfs"]),
    Case("no_graph", changed(no_graph), REJECTED, ["no graph"]),
    Case("no_opset", changed(lambda m: m.ClearField("opset_import")), REJECTED, ["opset"]),
    Case("future_ir", changed(lambda m: setattr(m, "ir_version", 999)), (1, 3), ["999"]),
    Case("future_opset", changed(lambda m: setattr(m.opset_import[0], "version", 9999)), (1, 3), ["9999"]),
    Case("negative_opset", changed(lambda m: setattr(m.opset_import[0], "version", -1)), REJECTED, ["-1"]),
]

# --- graphs ------------------------------------------------------------------


def unknown_operators():
    return model([node("Frobnicate", ["x"], ["t"], "one"), node("Twiddle", ["t"], ["y"], "two")])


def unknown_domain():
    m = model([h.make_node("Thing", ["x"], ["y"], name="r", domain="com.example")], domains=["com.example"])
    return m


def cyclic():
    return model([node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second"),
                  node("Relu", ["b"], ["y"], "third")])


def unsorted():
    m = good()
    m.graph.node.reverse()
    return m


def dangling():
    return model([node("Add", ["x", "ghost"], ["y"], "adder")])


def duplicate_output():
    return model([node("Relu", ["x"], ["y"], "first"), node("Neg", ["x"], ["y"], "second")])


def missing_output():
    return model([node("Relu", ["x"], ["t"])], outputs=[value("nowhere")])


def duplicate_input():
    return model([node("Relu", ["x"], ["y"])], inputs=[value("x"), value("x")])


def deep_ifs(depth):
    """`depth` Ifs, each inside the branch of the one before."""
    outputs = [value("y0")]
    nodes = [node("Relu", ["x"], ["y0"], "inner")]
    for level in range(1, depth + 1):
        then = h.make_graph(nodes, f"then{level}", [], outputs)
        other = h.make_graph([node("Neg", ["x"], [f"e{level}"], f"else{level}")], f"g{level}", [], [value(f"e{level}")])
        outputs = [value(f"y{level}")]
        nodes = [node("If", ["c"], [f"y{level}"], f"if{level}", then_branch=then, else_branch=other)]
    nodes.append(node("Identity", [outputs[0].name], ["y"], "last"))
    return model(nodes, inputs=[value("x"), value("c", (), T.BOOL)])


def field(number, payload):
    """A length-delimited protobuf field: what protobuf's own library refuses to nest this deep."""
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def deep_attributes(depth):
    graph = b""
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, graph)
        graph = field(1, field(4, b"If") + field(5, attribute))
    return good().SerializeToString() + field(7, graph)


def recursive_functions():
    imports = [h.make_opsetid("", OPSET), h.make_opsetid("loc", 1)]
    f = h.make_function("loc", "F", ["a"], ["b"], [h.make_node("G", ["a"], ["b"], domain="loc")], imports)
    g = h.make_function("loc", "G", ["a"], ["b"], [h.make_node("F", ["a"], ["b"], domain="loc")], imports)
    return model([h.make_node("F", ["x"], ["y"], name="r", domain="loc")], functions=[f, g], domains=["loc"])


def function(name, nodes):
    imports = [h.make_opsetid("", OPSET), h.make_opsetid("loc", 1)]
    return h.make_function("loc", name, ["a"], ["b"], nodes, imports)


def exploding_functions(depth):
    """Each function calls the one before twice: 2^depth nodes out of a few lines."""
    functions = [function("F0", [h.make_node("Neg", ["a"], ["b"])])]
    for i in range(1, depth + 1):
        functions.append(function(f"F{i}", [h.make_node(f"F{i - 1}", ["a"], ["t"], domain="loc"),
                                            h.make_node(f"F{i - 1}", ["t"], ["b"], domain="loc")]))
    return model([h.make_node(f"F{depth}", ["x"], ["y"], name="r", domain="loc")], functions=functions,
                 domains=["loc"])


def deep_functions(depth):
    functions = [function("F0", [h.make_node("Neg", ["a"], ["b"])])]
    functions += [function(f"F{i}", [h.make_node(f"F{i - 1}", ["a"], ["b"], domain="loc")])
                  for i in range(1, depth + 1)]
    return model([h.make_node(f"F{depth}", ["x"], ["y"], name="r", domain="loc")], functions=functions,
                 domains=["loc"])


def nested_loops(depth):
    """Loops in loops whose carried value changes its shape, so that each body is tried again."""
    nodes = [node("Concat", ["v0", "v0"], ["w0"], "grow", axis=0)]
    for level in range(depth):
        body = h.make_graph([node("Identity", [f"c{level}"], [f"d{level}"])] + nodes, f"body{level}",
                            [value(f"i{level}", (), T.INT64), value(f"c{level}", (), T.BOOL), value(f"v{level}", None)],
                            [value(f"d{level}", (), T.BOOL), value(f"w{level}", None)])
        source, target = (f"v{level + 1}", f"w{level + 1}") if level + 1 < depth else ("x", "y")
        nodes = [node("Loop", ["n", "", source], [target], f"loop{level}", body=body)]
    return model(nodes, inputs=[value("x"), value("n", (), T.INT64)], outputs=[value("y", ("K",))])


def self_cycle():
    return model([node("Add", ["x", "y"], ["y"], "snake")])


def attribute_twice():
    bad = node("Softmax", ["x"], ["y"], "s", axis=0)
    bad.attribute.append(h.make_attribute("axis", 0))
    return model([bad])


def long_name_of(length):
    return model([node("Relu", ["x"], ["t" * length], "r"), node("Neg", ["t" * length], ["y"])])


def pool_of(window):
    """A pool with a window of `window` by `window` elements, nearly all of them padding."""
    side = window // 2
    return model([node("MaxPool", ["x"], ["y"], "wide", kernel_shape=[window, window], pads=[side] * 4)],
                 inputs=[value("x", (1, 1, 1, 1))], outputs=[value("y", (1, 1, None, None))])


def product_of(rows, columns, steps):
    return model([node("MatMul", ["x", "b"], ["y"], "large")], outputs=[value("y", (rows, columns))],
                 inputs=[value("x", (rows, steps)), value("b", (steps, columns))])


def chain(length):
    nodes = [node("Neg", [f"v{i}" if i else "x"], [f"v{i + 1}" if i + 1 < length else "y"], f"n{i}")
             for i in range(length)]
    return model(nodes)


def doubling(times):
    nodes = [node("Concat", [f"v{i}" if i else "x"] * 2, [f"v{i + 1}"], f"double{i}", axis=0) for i in range(times)]
    return model(nodes + [node("ReduceSum", [f"v{times}"], ["y"], "sum", keepdims=1)], outputs=[value("y", (1,))])


def loop_body_alias():
    body = h.make_graph([node("Identity", ["c"], ["c2"], "keep"), node("Add", ["v", "v"], ["v2"], "twice")], "body",
                        [value("i", (), T.INT64), value("c", (), T.BOOL), value("v")],
                        [value("c2", (), T.BOOL), value("v2")], [tensor("v", np.ones(2, np.float32))])
    return model([node("Loop", ["n", "", "x"], ["y"], "loop", body=body)], initializers=[tensor("n", np.int64(3))])


def endless_loop():
    body = h.make_graph([node("Identity", ["c"], ["c2"], "keep"), node("Neg", ["v"], ["v2"], "flip")], "body",
                        [value("i", (), T.INT64), value("c", (), T.BOOL), value("v")],
                        [value("c2", (), T.BOOL), value("v2")])
    return model([node("Loop", ["", "go", "x"], ["y"], "loop", body=body)],
                 inputs=[value("x"), value("go", (), T.BOOL)])


def loop_ended_by_casts():
    """The condition is 0.5 as an integer as a bool: false, so that the body runs once."""
    body = h.make_graph([node("Constant", [], ["half"], "half", value=tensor("", np.float32(0.5))),
                         node("Cast", ["half"], ["none"], "none", to=T.INT32),
                         node("Cast", ["none"], ["c2"], "flag", to=T.BOOL), node("Neg", ["v"], ["v2"], "flip")], "body",
                        [value("i", (), T.INT64), value("c", (), T.BOOL), value("v")],
                        [value("c2", (), T.BOOL), value("v2")])
    return model([node("Loop", ["n", "", "x"], ["y"], "loop", body=body)], initializers=[tensor("n", np.int64(2))])


GRAPHS = [
    Case("unknown_operator", writes(unknown_operators), REFUSED, ["Frobnicate", "Twiddle"]),
    Case("unknown_domain", writes(unknown_domain), REFUSED, ["com.example", "Thing"]),
    Case("cycle", writes(cyclic), REJECTED, ["cycl", "first|second"]),
    Case("unsorted", writes(unsorted), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("dangling", writes(dangling), REJECTED, ["ghost", "adder"]),
    Case("duplicate_output", writes(duplicate_output), REJECTED, ["'y'", "first|second"]),
    Case("duplicate_input", writes(duplicate_input), REJECTED, ["'x'"]),
    Case("missing_output", writes(missing_output), REJECTED, ["nowhere"]),
    Case("if_depth_20", writes(lambda: deep_ifs(20)), ACCEPTED, inputs={**X, "c": np.array(True)},
         results={"y": np.array([1, 0], np.float32)}),
    Case("nesting_2000", writes(lambda: deep_attributes(2000)), REJECTED, ["nest|depth|deep|not an onnx"]),
    Case("recursive_functions", writes(recursive_functions), REJECTED, ["recurs", "F"]),
    Case("exploding_functions", writes(lambda: exploding_functions(60)), LIMITED, ["nodes"]),
    Case("exploding_functions_small", writes(lambda: exploding_functions(4)), ACCEPTED, inputs=X,
         results={"y": X["x"]}),
    Case("deep_functions", writes(lambda: deep_functions(70)), LIMITED, ["functions", "deep"]),
    Case("functions_of_depth_60", writes(lambda: deep_functions(60)), ACCEPTED, inputs=X, results={"y": -X["x"]}),
    Case("nested_loops", writes(lambda: nested_loops(16)), (0, 3, 5), options=["--timeout=15"]),
    Case("self_cycle", writes(self_cycle), REJECTED, ["cycl", "snake"]),
    Case("attribute_twice", writes(attribute_twice), REJECTED, ["'s'", "axis"]),
    Case("name_too_long_untrusted", writes(lambda: long_name_of(70_000)), LIMITED, ["name", "70000"],
         options=["--untrusted"]),
    Case("product_of_too_much_untrusted", writes(lambda: product_of(14_000, 14_000, 14_000)), LIMITED,
         ["'large' computes 2744000000000 points"], options=["--untrusted"]),
    Case("product_of_open_rows_untrusted", writes(lambda: product_of("N", 60_000, 60_000_000)), LIMITED,
         ["'large' computes 3600000000000 points"], options=["--untrusted"]),
    Case("product_of_much_untrusted", writes(lambda: product_of(12_000, 12_000, 12_000)), ACCEPTED, options=["--untrusted"]),
    Case("product_of_too_much", writes(lambda: product_of(14_000, 14_000, 14_000)), ACCEPTED),
    Case("pool_of_too_much_untrusted", writes(lambda: pool_of(2 ** 22)), LIMITED, ["'wide' computes"], options=["--untrusted"]),
    Case("chain_2000", writes(lambda: chain(2000)), ACCEPTED, inputs=X, results={"y": X["x"]}),
    Case("chain_20000", writes(lambda: chain(20000)), ACCEPTED, inputs=X, results={"y": X["x"]}),
    Case("doubling_concat", writes(lambda: doubling(64)), REJECTED, ["double", "overflow|too large|elements|limit"]),
    Case("loop_body_alias", writes(loop_body_alias), REJECTED, ["'v'"]),
    Case("loop_ended_by_casts", writes(loop_ended_by_casts), ACCEPTED, inputs=X, results={"y": -X["x"]}),
    Case("endless_loop", writes(endless_loop), ACCEPTED, inputs={**X, "go": np.array(True)},
         run_codes=(5,), run_options=["--timeout", "2"]),
]
