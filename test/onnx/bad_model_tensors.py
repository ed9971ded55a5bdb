"""More files for bad_models.py: tensors that are not what they say, in the file and
outside of it."""

import os
import socket

import numpy as np
from onnx import ModelProto
from onnx import TensorProto as T
from onnx import helper as h

from bad_model_files import (ACCEPTED, GOOD_RESULT, LIMITED, REFUSED, REJECTED, X, Case, changed_weight, good, model,
                             node, put, tensor, value, writes)

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


def segment(w):
    w.segment.begin, w.segment.end = 0, 2


def typed(kind, field, elements, dims=(2,)):
    """A weight whose elements are in a typed field."""
    def change(w):
        w.ClearField("raw_data")
        w.data_type = kind
        set_dims(*dims)(w)
        getattr(w, field).extend(elements)
    return change


def constant_node(t):
    return model([node("Constant", [], ["c"], "const", value=t), node("Add", ["x", "c"], ["y"], "a")])


def broken_constant():
    t = tensor("c", np.ones(2, np.float32))
    t.raw_data = b"123"
    return constant_node(t)


def sparse(places, sizes=(2,), values=(5.0,), as_node=False):
    """A model that adds a sparse tensor: an initializer or the value of a Constant."""
    places = np.asarray(places)
    given = h.make_sparse_tensor(tensor("w", np.array(values, np.float32)), tensor("i", places), sizes)
    add = node("Add", ["x", "w"], ["y"])
    m = model([node("Constant", [], ["w"], "const", sparse_value=given), add] if as_node else [add],
              inputs=[value("x", (2,))], outputs=[value("y", None)])
    if not as_node:
        m.graph.sparse_initializer.append(given)
    return m


def sparse_case(name, codes, texts=(), results=None, **how):
    return Case("sparse_" + name, writes(lambda: sparse(**how)), codes, texts, inputs=X,
                results=None if results is None else {"y": np.array(results, np.float32)})


def string_tensor():
    return model([node("Identity", ["x"], ["y"])], inputs=[value("x", (2,), T.STRING)],
                 outputs=[value("y", (2,), T.STRING)])


def strings(count, text=lambda i: b"%d" % i):
    return h.make_tensor("s", T.STRING, [count], [text(i) for i in range(count)])


def many_labels():
    """256 outputs with one table of a mebibyte."""
    names = [f"y{i}" for i in range(256)]
    return model([node("Identity", ["s"], [name]) for name in names], initializers=[strings(1, lambda _: b"a" * (1 << 20))],
                 outputs=[value(name, (1,), T.STRING) for name in names])


def many_strings():
    return model([node("Concat", ["s"], ["y"], axis=0)], initializers=[strings((1 << 20) + 1)],
                 outputs=[value("y", None, T.STRING)])


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
    Case("typed_too_few", changed_weight(typed(T.FLOAT, "float_data", [1.0])), REJECTED, ["'w'", "4", "8"]),
    Case("typed_too_many", changed_weight(typed(T.FLOAT, "float_data", [1.0] * 3)), REJECTED, ["'w'", "12", "8"]),
    Case("typed_in_wrong_field", changed_weight(typed(T.FLOAT, "int64_data", [1, 2])), REJECTED, ["'w'"]),
    Case("typed_empty", changed_weight(typed(T.FLOAT, "float_data", [])), REJECTED, ["'w'"]),
    Case("dims_of_rank_100", changed_weight(set_dims(*[1] * 99, 2)), LIMITED, ["'w'", "rank 100"]),
    Case("dims_overflow_with_zero", changed_weight(set_dims(0, 1 << 62, 1 << 62)), REJECTED, ["'w'"]),
    Case("dims_to_the_62nd", changed_weight(set_dims(1 << 62)), REJECTED, ["'w'"]),
    Case("segment", changed_weight(segment), (1, 3), ["'w'"]),
    Case("constant_too_short", writes(broken_constant), REJECTED, ["'const'", "3 bytes"]),
    Case("strings_too_few", changed_weight(typed(T.STRING, "string_data", [b"a"])), REJECTED,
         ["'w'", "has 1 strings, expected 2"]),
    Case("strings_too_many", changed_weight(typed(T.STRING, "string_data", [b"\xff"] * 3)), REJECTED,
         ["'w'", "has 3 strings, expected 2"]),
    Case("strings_in_another_field", changed_weight(typed(T.STRING, "int64_data", [1, 2])), REJECTED,
         ["'w'", "has strings in another field"]),
    Case("strings_added", changed_weight(typed(T.STRING, "string_data", [b"a", b"\0"])), REJECTED,
         ["tensor.string., which the operator does not take"]),
    Case("many_labels", writes(many_labels), LIMITED, ["labels of the outputs have more than 268435456 bytes"]),
    Case("many_strings", writes(many_strings), LIMITED, ["Concat", "1048577 strings in a table"]),
    Case("string_tensor", writes(string_tensor), REFUSED, ["string"]),
    Case("bool_of_two", writes(bool_of_two), ACCEPTED, inputs=X, results={"y": np.array([1, 9], np.float32)}),
]

SPARSE = [
    sparse_case("numbers", ACCEPTED, places=[1], results=[1, 2]),
    sparse_case("coordinates", ACCEPTED, places=[[1]], results=[1, 2]),
    sparse_case("of_two_dims", ACCEPTED, places=[[0, 1], [1, 0]], sizes=(2, 2), values=(5, 7), results=[[1, 2], [8, -3]]),
    sparse_case("constant", ACCEPTED, places=[0], as_node=True, results=[6, -3]),
    sparse_case("without_values", ACCEPTED, places=np.zeros(0, np.int64), values=(), results=[1, -3]),
    sparse_case("outside", REJECTED, ["sparse tensor 'w': index 0, .7., is outside of the sizes .2."], places=[7]),
    sparse_case("negative", REJECTED, ["'w': index 0, .-1., is outside"], places=[-1]),
    sparse_case("coordinate_outside", REJECTED, ["'w': index 0, .0, 2., is outside of the sizes .2, 2."],
                places=[[0, 2]], sizes=(2, 2)),
    sparse_case("constant_outside", REJECTED, ["'const'", "'w': index 0, .2., is outside"], places=[2], as_node=True),
    sparse_case("unsorted", REJECTED, ["'w': index 1, .0., is not behind the one before it"], places=[1, 0],
                values=(1, 2)),
    sparse_case("twice", REJECTED, ["'w': index 1, .1., is not behind"], places=[1, 1], values=(1, 2)),
    sparse_case("indices_of_i32", REJECTED, ["expected indices of int64, got int32"], places=np.zeros(1, np.int32)),
    sparse_case("too_few_indices", REJECTED, [r"expected indices of sizes \[2\] or \[2, 1\], got \[1\]"], places=[0],
                values=(1, 2)),
    sparse_case("values_of_rank_2", REJECTED, ["expected values of rank 1, got rank 2"], places=[0], values=((1, 2),)),
    sparse_case("negative_size", REJECTED, ["negative size -2"], places=[0], sizes=(-2,)),
    sparse_case("overflow", REJECTED, ["'w': its sizes are too large"], places=[0], sizes=(1 << 40, 1 << 40)),
    sparse_case("too_large", LIMITED, ["'w': the sparse tensors of the model have more than"], places=[0],
                sizes=(1 << 40,)),
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


def aliases(folder):
    """A hundred tensors that are the same bytes: 100 times what the files hold."""
    size = 1 << 20
    put(folder, bytes(4 * size), "weights.bin")
    weights = []
    for i in range(100):
        w = T(name=f"w{i}", dims=[size], data_type=T.FLOAT, data_location=T.EXTERNAL)
        w.external_data.add(key="location", value="weights.bin")
        weights.append(w)
    nodes = [node("Add", [f"t{i}" if i else "x", f"w{i}"], [f"t{i + 1}" if i < 99 else "y"], f"a{i}")
             for i in range(100)]
    put(folder, model(nodes, inputs=[value("x", (1,))], outputs=[value("y", (size,))], initializers=weights))


def key_twice(folder):
    external(file_inside, {"offset": "0"})(folder)
    path = os.path.join(folder, "model.onnx")
    with open(path, "rb") as file:
        m = ModelProto.FromString(file.read())
    m.graph.initializer[0].external_data.add(key="offset", value="4")
    put(folder, m)


def unix_socket(folder):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        server.bind(os.path.relpath(os.path.join(folder, "weights.bin"), here))


def link_chain(folder):
    """Links to links, the last of which leads out."""
    file_outside(folder)
    os.symlink(os.path.join(os.path.dirname(folder), "outside.bin"), os.path.join(folder, "c"))
    os.symlink("c", os.path.join(folder, "b"))
    os.symlink("b", os.path.join(folder, "weights.bin"))


def link_circle(folder):
    os.symlink("b", os.path.join(folder, "weights.bin"))
    os.symlink("weights.bin", os.path.join(folder, "b"))


def in_subfolder(folder):
    os.mkdir(os.path.join(folder, "sub"))
    put(folder, np.ones(2, np.float32).tobytes(), "sub/weights.bin")


def hub_cache(folder):
    """As hubs keep them: model and weights are both links into a store."""
    store = os.path.join(os.path.dirname(folder), "blobs")
    os.mkdir(store)
    external(file_inside, {})(folder)
    for name in ("model.onnx", "weights.bin"):
        os.rename(os.path.join(folder, name), os.path.join(store, name + "-hash"))
        os.symlink(os.path.join("..", "blobs", name + "-hash"), os.path.join(folder, name))


EXTERNAL = [
    Case("external_subfolder", external(in_subfolder, {}, "sub/weights.bin"), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("external_hub_cache", hub_cache, ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("external_aliases", aliases, ACCEPTED),
    Case("external_aliases_untrusted", aliases, LIMITED, ["more bytes"], options=["--untrusted"]),
    Case("external_key_twice", key_twice, REJECTED, ["'w'", "offset", "twice"]),
    Case("external_key_unknown", external(file_inside, {"__class__": "os"}), REJECTED, ["'w'", "__class__"]),
    Case("external_offset_overflow", external(file_inside, {"offset": str((1 << 64) - 4)}), REJECTED, ["'w'"]),
    Case("external_offset_65_bits", external(file_inside, {"offset": str(1 << 65)}), REJECTED, ["'w'", "offset"]),
    Case("external_offset_signed", external(file_inside, {"offset": "+0"}), REJECTED, ["'w'", "offset"]),
    Case("external_offset_spaced", external(file_inside, {"offset": " 0"}), REJECTED, ["'w'", "offset"]),
    Case("external_length_short", external(file_inside, {"length": "4"}), REJECTED, ["'w'", "length"]),
    Case("external_link_chain", external(link_chain, {}), REJECTED, ["'w'", "weights.bin"]),
    Case("external_link_circle", external(link_circle, {}), REJECTED, ["'w'", "weights.bin"]),
    Case("external_socket", external(unix_socket, {}), REJECTED, ["'w'"]),
    Case("external_device", external(lambda f: os.symlink("/dev/zero", os.path.join(f, "weights.bin")), {}),
         REJECTED, ["'w'", "outside"]),
    Case("external_self", external(lambda f: None, {"offset": "0", "length": "8"}, "model.onnx"), ACCEPTED),
    Case("external_dot", external(file_inside, {}, "."), REJECTED, ["'w'"]),
    Case("external_long_name", external(file_inside, {}, "w" * 5000), REJECTED, ["'w'"]),
    Case("external_uri", external(file_inside, {}, "file:///etc/passwd"), REJECTED, ["'w'"]),
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
