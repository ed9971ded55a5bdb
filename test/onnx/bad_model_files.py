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
REJECTED, REFUSED, ACCEPTED = (1,), (3,), (0,)


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
    slow: bool = False


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
    Case("chain_2000", writes(lambda: chain(2000)), ACCEPTED, inputs=X, results={"y": X["x"]}),
    Case("chain_20000", writes(lambda: chain(20000)), ACCEPTED, inputs=X, results={"y": X["x"]}, slow=True),
    Case("doubling_concat", writes(lambda: doubling(64)), REJECTED, ["double", "overflow|too large|elements|limit"]),
    Case("loop_body_alias", writes(loop_body_alias), REJECTED, ["'v'"]),
    Case("endless_loop", writes(endless_loop), ACCEPTED, inputs={**X, "go": np.array(True)},
         run_codes=(5,), run_options=["--timeout", "2"]),
]

# --- tensors in the file -----------------------------------------------------


def set_raw(count):
    return lambda w: setattr(w, "raw_data", bytes(count))


def set_dims(*dims):
    def change(w):
        del w.dims[:]
        w.dims.extend(dims)
    return change


def two_payloads(w):
    w.float_data.extend([1.0, 2.0])


def sparse_out_of_range():
    m = model([node("Add", ["x", "w"], ["y"])])
    values, places = tensor("w", np.ones(1, np.float32)), tensor("i", np.array([7], np.int64))
    m.graph.sparse_initializer.append(h.make_sparse_tensor(values, places, [2]))
    return m


def string_tensor():
    return model([node("Identity", ["x"], ["y"])], inputs=[value("x", (2,), T.STRING)],
                 outputs=[value("y", (2,), T.STRING)])


def bool_of_two():
    mask = h.make_tensor("m", T.BOOL, [2], bytes([2, 0]), raw=True)
    return model([node("Where", ["m", "x", "z"], ["y"])],
                 initializers=[mask, tensor("z", np.full(2, 9, np.float32))])


TENSORS = [
    Case("raw_too_big", changed_weight(set_raw(4096)), REJECTED, ["'w'", "4096", "8"]),
    Case("raw_too_small", changed_weight(set_raw(4)), REJECTED, ["'w'", "4", "8"]),
    Case("dims_overflow", changed_weight(set_dims(1 << 40, 1 << 40)), REJECTED, ["'w'"]),
    Case("dims_negative", changed_weight(set_dims(-2)), REJECTED, ["'w'", "-2"]),
    Case("dim_maximum", changed_weight(set_dims((1 << 63) - 1)), REJECTED, ["'w'"]),
    Case("dtype_unknown", changed_weight(lambda w: setattr(w, "data_type", 77)), REJECTED, ["'w'", "77"]),
    Case("dtype_undefined", changed_weight(lambda w: setattr(w, "data_type", 0)), REJECTED, ["'w'"]),
    Case("two_payloads", changed_weight(two_payloads), REJECTED, ["'w'"]),
    Case("sparse_bad_index", writes(sparse_out_of_range), (1, 3), ["'w'|sparse"]),
    Case("string_tensor", writes(string_tensor), REFUSED, ["string"]),
    Case("bool_of_two", writes(bool_of_two), ACCEPTED, inputs=X, results={"y": np.array([1, 9], np.float32)}),
]

# --- weights outside the file ------------------------------------------------


def external(prepare, entries, target="weights.bin"):
    """A writer of a model whose weight lies outside; `prepare(folder)` puts things there."""
    def write(folder):
        m = good()
        w = m.graph.initializer[0]
        w.ClearField("raw_data")
        w.data_location = T.EXTERNAL
        for key, text in {"location": target, **entries}.items():
            if text is not None:
                entry = w.external_data.add()
                entry.key, entry.value = key, text.replace("{folder}", folder)
        prepare(folder)
        put(folder, m)
    return write


def file_inside(folder):
    put(folder, np.ones(2, np.float32).tobytes(), "weights.bin")


def file_outside(folder):
    put(os.path.dirname(folder), np.ones(2, np.float32).tobytes(), "outside.bin")


def link_out(folder):
    file_outside(folder)
    os.symlink(os.path.join(os.path.dirname(folder), "outside.bin"), os.path.join(folder, "weights.bin"))


def link_inside(folder):
    put(folder, np.ones(2, np.float32).tobytes(), "blob")
    os.symlink("blob", os.path.join(folder, "weights.bin"))


def folder_link_out(folder):
    file_outside(folder)
    os.symlink(os.path.dirname(folder), os.path.join(folder, "sub"))


def hard_link(folder):
    file_outside(folder)
    os.link(os.path.join(os.path.dirname(folder), "outside.bin"), os.path.join(folder, "weights.bin"))


def with_nul(folder):
    """A location that holds a NUL byte after the name of a good file."""
    external(file_inside, {}, "weights.bin_suffix")(folder)
    path = os.path.join(folder, "model.onnx")
    with open(path, "rb") as file:
        data = file.read()
    put(folder, data.replace(b"weights.bin_suffix", b"weights.bin\0suffix"))


EXTERNAL = [
    Case("external_good", external(file_inside, {"offset": "0", "length": "8"}), ACCEPTED,
         inputs=X, results=GOOD_RESULT),
    Case("external_dotdot", external(file_outside, {}, "../outside.bin"), REJECTED, ["'w'", "outside.bin"]),
    Case("external_absolute", external(file_inside, {}, "{folder}/weights.bin"), REJECTED,
         ["'w'", "absolute|relative|outside"]),
    Case("external_symlink_out", external(link_out, {}), REJECTED, ["'w'", "weights.bin"]),
    Case("external_symlink_inside", external(link_inside, {}), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("external_folder_symlink", external(folder_link_out, {}, "sub/outside.bin"), REJECTED, ["'w'"]),
    Case("external_hardlink", external(hard_link, {}), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("external_hardlink_untrusted", external(hard_link, {}), REJECTED, ["'w'", "link"], options=["--untrusted"]),
    Case("external_fifo", external(lambda f: os.mkfifo(os.path.join(f, "weights.bin")), {}), REJECTED,
         ["'w'", "regular"]),
    Case("external_folder", external(lambda f: os.mkdir(os.path.join(f, "weights.bin")), {}), REJECTED,
         ["'w'", "regular"]),
    Case("external_empty_location", external(file_inside, {}, ""), REJECTED, ["'w'", "location"]),
    Case("external_missing", external(lambda f: None, {}), REJECTED, ["'w'", "weights.bin"]),
    Case("external_negative_offset", external(file_inside, {"offset": "-8"}), REJECTED, ["'w'", "offset"]),
    Case("external_past_end", external(file_inside, {"offset": "4"}), REJECTED, ["'w'"]),
    Case("external_huge_length", external(file_inside, {"length": str(1 << 50)}), REJECTED, ["'w'", "length|bytes"]),
    Case("external_not_a_number", external(file_inside, {"offset": "0x0"}), REJECTED, ["'w'", "0x0"]),
    Case("external_nul", with_nul, REJECTED, ["'w'"]),
    Case("external_memory_tag", external(file_inside, {}, "*/_ORT_MEM_ADDR_/*"), REJECTED, ["'w'"]),
]
