"""More files for bad_models.py: nodes that are wrong in themselves, sizes and values
that cannot be, odd names, and wrong inputs at run time."""

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h

from bad_model_files import (ACCEPTED, GOOD_RESULT, REJECTED, X, Case, good, model, node, tensor, value, writes)

MATRIX = [value("x", (2, 3))]


def gemm_of_vector():
    return model([node("Gemm", ["x", "w"], ["y"], "g")], initializers=[tensor("w", np.ones((2, 2), np.float32))])


def conv(**attributes):
    return model([node("Conv", ["x", "w"], ["y"], "c", **attributes)], inputs=[value("x", (1, 2, 5, 5))],
                 outputs=[value("y", (1, 2, None, None))],
                 initializers=[tensor("w", np.ones((2, 2, 3, 3), np.float32))])


def wrong_attribute_type():
    bad = node("Softmax", ["x"], ["y"], "s")
    bad.attribute.append(h.make_attribute("axis", "last"))
    return model([bad])


def unknown_attribute():
    return model([node("Relu", ["x"], ["y"], "r", colour="red")])


def gather(indices=None):
    constants = [] if indices is None else [tensor("i", np.array(indices, np.int64))]
    inputs = [value("x", (4, 2))] + ([value("i", (2,), T.INT64)] if indices is None else [])
    return model([node("Gather", ["x", "i"], ["y"], "g", axis=0)], inputs=inputs, outputs=[value("y", (2, 2))],
                 initializers=constants)


def expand_to(*shape):
    return model([node("Expand", ["x", "s"], ["t"], "e"), node("ReduceSum", ["t"], ["y"], "sum", keepdims=0)],
                 inputs=[value("x", (1,))], outputs=[value("y", ())],
                 initializers=[tensor("s", np.array(shape, np.int64))])


def materialised_expand():
    """The sizes come as an input and the big value is the result: nothing can be fused away."""
    return model([node("Expand", ["x", "s"], ["y"], "e")], inputs=[value("x", (1,)), value("s", (2,), T.INT64)],
                 outputs=[value("y", ("A", "B"))])


def tile_by(*times):
    return model([node("Tile", ["x", "n"], ["y"], "t")], inputs=[value("x", (2, 2))],
                 outputs=[value("y", (None, None))], initializers=[tensor("n", np.array(times, np.int64))])


def constant_of_shape(*shape):
    return model([node("ConstantOfShape", ["s"], ["t"], "c"), node("Add", ["t", "x"], ["y"], "a")],
                 outputs=[value("y", None)], initializers=[tensor("s", np.array(shape, np.int64))])


def reshape_to(*shape):
    return model([node("Reshape", ["x", "s"], ["y"], "r")], inputs=MATRIX, outputs=[value("y", None)],
                 initializers=[tensor("s", np.array(shape, np.int64))])


def integer_node(kind, **attributes):
    element = T.UINT64 if kind == "BitShift" else T.INT32
    return model([node(kind, ["x", "z"], ["y"], "n", **attributes)],
                 inputs=[value("x", (2,), element), value("z", (2,), element)], outputs=[value("y", (2,), element)])


def range_of(delta):
    constants = [tensor(n, np.int64(v)) for n, v in (("start", 0), ("limit", 5), ("delta", delta))]
    return model([node("Range", ["start", "limit", "delta"], ["t"], "range"),
                  node("Cast", ["t"], ["u"], "c", to=T.FLOAT), node("Add", ["u", "z"], ["y"], "a")],
                 inputs=[value("z", (1,))], outputs=[value("y", (None,))],
                 initializers=constants)


def wrong_output_shape():
    return model([node("Relu", ["x"], ["y"], "r")], outputs=[value("y", (3,))])


def wrong_output_type():
    return model([node("Relu", ["x"], ["y"], "r")], outputs=[value("y", (2,), T.INT64)])


def mixed_types():
    return model([node("Add", ["x", "z"], ["y"], "a")], inputs=[value("x"), value("z", (2,), T.DOUBLE)])


def mismatched_shapes():
    return model([node("Add", ["x", "z"], ["y"], "a")], inputs=[value("x", (2,)), value("z", (3,))])


def mismatched_matmul():
    return model([node("MatMul", ["x", "w"], ["y"], "m")], inputs=MATRIX, outputs=[value("y", (2, 4))],
                 initializers=[tensor("w", np.ones((5, 4), np.float32))])


def no_shape():
    m = model([node("Relu", ["x"], ["y"], "r")])
    m.graph.input[0].type.tensor_type.ClearField("shape")
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return m


NODES = [
    Case("missing_attribute", writes(lambda: model([node("Concat", ["x", "x"], ["y"], "c")])), REJECTED,
         ["'c'", "axis"]),
    Case("attribute_type", writes(wrong_attribute_type), REJECTED, ["'s'", "axis"]),
    Case("attribute_unknown", writes(unknown_attribute), REJECTED, ["'r'", "colour"]),
    Case("too_many_inputs", writes(lambda: model([node("Relu", ["x", "x", "x"], ["y"])])), REJECTED, ["'r'"]),
    Case("too_few_inputs", writes(lambda: model([node("Add", ["x"], ["y"], "a")])), REJECTED, ["'a'"]),
    Case("gemm_rank_1", writes(gemm_of_vector), REJECTED, ["'g'"]),
    Case("conv_stride_0", writes(lambda: conv(strides=[0, 1])), REJECTED, ["'c'", "stride"]),
    Case("conv_group_0", writes(lambda: conv(group=0)), REJECTED, ["'c'", "group"]),
    Case("conv_group_3", writes(lambda: conv(group=3)), REJECTED, ["'c'", "group"]),
    Case("conv_kernel_too_big", writes(lambda: conv(dilations=[9, 9])), REJECTED, ["'c'"]),
    Case("mixed_types", writes(mixed_types), REJECTED, ["'a'"]),
    Case("mismatched_shapes", writes(mismatched_shapes), REJECTED, ["'a'", "2", "3"]),
    Case("mismatched_matmul", writes(mismatched_matmul), REJECTED, ["'m'", "3", "5"]),
    Case("output_type_wrong", writes(wrong_output_type), REJECTED, ["'y'"]),
    Case("input_without_shape", writes(no_shape), (1, 3), ["'x'", "shape|rank"]),
]

AXES = {"x": np.arange(8, dtype=np.float32).reshape(4, 2)}
INTEGERS = {"x": np.array([7, -2147483648], np.int32), "z": np.array([0, -1], np.int32)}
SHIFTS = {"x": np.array([5, 5], np.uint64), "z": np.array([64, 1], np.uint64)}
SCALAR = {"x": np.ones(1, np.float32)}

VALUES = [
    Case("gather_constant_out_of_range", writes(lambda: gather([0, 9])), (0, 1), ["'g'", "9"], inputs=AXES,
         run_codes=(1,), run_texts=["'g'", "9"]),
    Case("gather_out_of_range", writes(gather), ACCEPTED, inputs={**AXES, "i": np.array([0, -5])}, run_codes=(1,),
         run_texts=["'g'", "index", "bound"]),
    Case("gather_negative", writes(gather), ACCEPTED, inputs={**AXES, "i": np.array([0, -4])},
         results={"y": AXES["x"][[0, 0]]}),
    Case("expand_bomb", writes(lambda: expand_to(1 << 18, 1 << 18)), (0, 1, 5), ["'e'|'sum'"], inputs=SCALAR,
         run_codes=(0, 1, 5), run_options=["--timeout", "5"]),
    Case("expand_bomb_at_run", writes(materialised_expand), ACCEPTED,
         inputs={**SCALAR, "s": np.array([1 << 20, 1 << 20])}, run_codes=(1, 5), run_texts=["memory|limit|bytes"]),
    Case("expand_overflow_at_run", writes(materialised_expand), ACCEPTED,
         inputs={**SCALAR, "s": np.array([1 << 40, 1 << 40])}, run_codes=(1, 5), run_texts=["."]),
    Case("expand_negative_at_run", writes(materialised_expand), ACCEPTED,
         inputs={**SCALAR, "s": np.array([-2, 3])}, run_codes=(1,), run_texts=["'e'", "negative"]),
    Case("tile_overflow", writes(lambda: tile_by(1 << 40, 1 << 40)), REJECTED, ["'t'"]),
    Case("tile_negative", writes(lambda: tile_by(-1, 1)), REJECTED, ["'t'", "-1"]),
    Case("constant_of_shape_negative", writes(lambda: constant_of_shape(-3)), REJECTED, ["'c'", "-3"]),
    Case("reshape_two_unknowns", writes(lambda: reshape_to(-1, -1)), REJECTED, ["'r'"]),
    Case("reshape_wrong_count", writes(lambda: reshape_to(4, 2)), REJECTED, ["'r'", "6", "8"]),
    Case("reshape_below_minus_one", writes(lambda: reshape_to(-2, 3)), REJECTED, ["'r'", "-2"]),
    Case("range_delta_0", writes(lambda: range_of(0)), REJECTED, ["'range'", "delta"]),
    # The answer for x / 0 and INT_MIN / -1 is documented; here they must only not trap.
    Case("integer_division_by_0", writes(lambda: integer_node("Div")), ACCEPTED, inputs=INTEGERS, run_codes=(0, 1)),
    Case("integer_mod_by_0", writes(lambda: integer_node("Mod")), ACCEPTED, inputs=INTEGERS, run_codes=(0, 1)),
    Case("shift_by_64", writes(lambda: integer_node("BitShift", direction="LEFT")), ACCEPTED, inputs=SHIFTS,
         results={"y": np.array([0, 10], np.uint64)}),
]


def renamed(old, new):
    """The good model with every name `old` spelt `new`."""
    def make():
        m = good()
        for n in m.graph.node:
            n.name = new if n.name == old else n.name
            for names in (n.input, n.output):
                for i, name in enumerate(names):
                    names[i] = new if name == old else name
        return m
    return make


def invalid_utf8():
    # "tt" stands for a name that protobuf's Python would refuse to write.
    return renamed("t", "tt")().SerializeToString().replace(b"\x02tt", b"\x02\xff\xfe")


def scalars():
    return model([node("Add", ["x", "x"], ["y"])], inputs=[value("x", ())], outputs=[value("y", ())])


def nothing():
    return model([node("Relu", ["x"], ["y"])], inputs=[value("x", (0, 3))], outputs=[value("y", (0, 3))])


ODDITIES = [
    Case("weird_name", writes(renamed("t", "a b\n\"'%n$(x)\\;<&>../é\t")), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("weird_node_name", writes(renamed("r", "\"'\n%s}{@#!")), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("long_name", writes(renamed("t", "n" * 1_000_000)), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("invalid_utf8", writes(invalid_utf8), ACCEPTED, inputs=X, results=GOOD_RESULT),
    Case("scalar", writes(scalars), ACCEPTED, inputs={"x": np.array(2, np.float32)},
         results={"y": np.array(4, np.float32)}),
    Case("output_shape_wrong", writes(wrong_output_shape), ACCEPTED, inputs={"x": np.array([-1, 2], np.float32)},
         results={"y": np.array([0, 2], np.float32)}),
    Case("zero_size", writes(nothing), ACCEPTED, inputs={"x": np.zeros((0, 3), np.float32)},
         results={"y": np.zeros((0, 3), np.float32)}),
]


def two_inputs():
    return model([node("Add", ["left", "right"], ["y"], "a")],
                 inputs=[value("left", ("N", 3)), value("right", ("N", 3))], outputs=[value("y", ("N", 3))])


def pool_by_two():
    return model([node("MaxPool", ["x"], ["y"], "p", kernel_shape=[2], strides=[2])], inputs=[value("x", (1, 1, "L"))],
                 outputs=[value("y", None)])


def wrong_run(name, inputs, *texts):
    return Case("run_" + name, writes(two_inputs), ACCEPTED, inputs=inputs, run_codes=(1,), run_texts=texts)


ROWS = np.ones((2, 3), np.float32)

RUNS = [
    Case("run_window_too_long", writes(pool_by_two), ACCEPTED, inputs={"x": np.ones((1, 1, 1), np.float32)}, run_codes=(1,),
         run_texts=["'p'", "spatial dim 0 with its pads is shorter than a window", "--input-shape"]),
    Case("run_window_of_nothing", writes(pool_by_two), ACCEPTED, inputs={"x": np.ones((1, 1, 0), np.float32)},
         results={"y": np.ones((1, 1, 0), np.float32)}),
    wrong_run("input_missing", {"left": ROWS}, "right", "missing|not given|expected"),
    wrong_run("input_misspelt", {"left": ROWS, "rigth": ROWS}, "rigth", "right"),
    wrong_run("input_extra", {"left": ROWS, "right": ROWS, "middle": ROWS}, "middle"),
    wrong_run("input_dtype", {"left": ROWS, "right": ROWS.astype(np.float64)}, "right", "f32", "f64"),
    wrong_run("input_rank", {"left": ROWS, "right": ROWS[0]}, "right", "rank|3"),
    wrong_run("input_size", {"left": ROWS, "right": np.ones((2, 4), np.float32)}, "right", "3", "4"),
    wrong_run("input_symbol", {"left": ROWS, "right": np.ones((5, 3), np.float32)}, "right", "N|2", "5"),
]
