"""More files for bad_models.py: operators whose operands and attributes do not fit each
other, and numbers that only one operator minds."""

import numpy as np
from onnx import AttributeProto
from onnx import TensorProto as T
from onnx import helper as h

from bad_model_files import ACCEPTED, LIMITED, REFUSED, REJECTED, Case, model, node, tensor, value, writes

LEAST, GREATEST = -2**63, 2**63 - 1


def operands(kind, *arrays, constants=(), outputs=1, domain="", more=(), opset=None, **attributes):
    """A node with inputs of the type and sizes of `arrays`; those at the positions `constants`
    are initializers, None is one that is left out. `more` nodes come first."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(arrays)]
    given = [(i, np.asarray(array)) for i, array in enumerate(arrays) if array is not None]
    inputs = [value(f"x{i}", array.shape, h.np_dtype_to_tensor_dtype(array.dtype))
              for i, array in given if i not in constants]
    results = [f"y{i}" for i in range(outputs)]
    made = node(kind, names, results, "n", domain=domain, **attributes)
    declared = [h.make_empty_tensor_value_info(name) for name in results]
    version = {} if opset is None else {"opset": opset}
    return model([*more, made], inputs=inputs, outputs=declared, domains=[domain] if domain else [],
                 initializers=[tensor(f"x{i}", array) for i, array in given if i in constants], **version)


def refused(name, *texts, kind, arrays, **rest):
    return Case(name, writes(lambda: operands(kind, *arrays, **rest)), REJECTED + REFUSED, ["'n'", *texts])


def fine(name, *, kind, arrays, **rest):
    return Case(name, writes(lambda: operands(kind, *arrays, **rest)), ACCEPTED)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def ints(*numbers):
    return np.array(numbers, np.int64)


def ids(**changes):
    """The attributes of a forest of one leaf."""
    attributes = {"nodes_treeids": [0], "nodes_nodeids": [0], "nodes_featureids": [0], "nodes_values": [0.0],
                  "nodes_modes": ["LEAF"], "nodes_truenodeids": [0], "nodes_falsenodeids": [0], "target_treeids": [0],
                  "target_nodeids": [0], "target_ids": [0], "target_weights": [1.0]}
    return {**attributes, **changes}


BYTES, IMAGE = zeros(1, 2, 5, 5, dtype=np.uint8), zeros(1, 2, 5, 5)
KERNELS = zeros(4, 2, 3, 3, dtype=np.uint8)
SCALE, ZERO = np.ones((), np.float32), zeros(dtype=np.uint8)
ROWS = zeros(2, 3)


def dynamic_lstm(**changes):
    """The inputs of an LSTM of 3 steps, 4 inputs and 2 units with quantised weights."""
    arrays = {"X": zeros(3, 1, 4), "W": zeros(1, 4, 8, dtype=np.int8), "R": zeros(1, 2, 8, dtype=np.int8), "B": None,
              "lengths": None, "h": None, "c": None, "P": None, "W_scale": zeros(1), "W_zero": zeros(1, dtype=np.int8),
              "R_scale": zeros(1), "R_zero": zeros(1, dtype=np.int8)}
    return {"kind": "DynamicQuantizeLSTM", "domain": "com.microsoft", "hidden_size": 2,
            "arrays": list({**arrays, **changes}.values())}


#: Sizes that do not fit each other.
SIZES = [
    refused("conv_integer_zero_point_rank_2", "rank 2", kind="ConvInteger",
            arrays=[BYTES, KERNELS, zeros(3, 10, dtype=np.uint8)]),
    refused("conv_integer_zero_points_of_input", kind="ConvInteger",
            arrays=[BYTES, KERNELS, zeros(2, dtype=np.uint8)]),
    refused("conv_integer_zero_points_of_weights", "3", "4", kind="ConvInteger",
            arrays=[BYTES, KERNELS, ZERO, zeros(3, dtype=np.uint8)]),
    refused("qlinear_conv_bias", "3", "4", kind="QLinearConv",
            arrays=[BYTES, SCALE, ZERO, KERNELS, SCALE, ZERO, SCALE, ZERO, zeros(3, dtype=np.int32)]),
    refused("dequantize_blocks", "blocks", kind="DequantizeLinear", arrays=[zeros(4, 8, dtype=np.uint8), zeros(2, 2)],
            axis=1, block_size=4),
    refused("batch_normalization_of_a_row", kind="BatchNormalization", arrays=[zeros(4), *[zeros(3)] * 4]),
    refused("instance_normalization_scale", "3", "2", kind="InstanceNormalization",
            arrays=[IMAGE, zeros(3), zeros(2)]),
    refused("group_normalization_bias", "3", "2", kind="GroupNormalization", arrays=[IMAGE, zeros(2), zeros(3)],
            num_groups=2),
    fine("group_normalization_of_no_channels", kind="GroupNormalization",
         arrays=[zeros(1, 0, 5, 5), zeros(0), zeros(0)], num_groups=2),
    refused("gather_elements_larger", "dim 0", kind="GatherElements", arrays=[ROWS, zeros(3, 3, dtype=np.int64)],
            axis=1),
    refused("gather_nd_batch", "dim 0", kind="GatherND", arrays=[ROWS, zeros(3, 1, dtype=np.int64)], batch_dims=1),
    refused("scatter_elements_larger", "dim 0", kind="ScatterElements",
            arrays=[ROWS, zeros(3, 3, dtype=np.int64), zeros(3, 3)], axis=1),
    refused("tensor_scatter_larger", "dim 0", kind="TensorScatter", arrays=[zeros(2, 4, 3), zeros(5, 1, 3)], axis=1),
    refused("reverse_sequence_lengths", kind="ReverseSequence", arrays=[ROWS, ints(1)]),
    refused("one_hot_values", kind="OneHot", arrays=[ints(0, 1), ints(3), zeros(1)], constants=[1]),
    refused("max_unpool_positions", kind="MaxUnpool", arrays=[zeros(1, 1, 2, 2), zeros(1, 1, 1, 1, dtype=np.int64)],
            kernel_shape=[2, 2]),
    refused("max_unpool_shape", "dim 1", kind="MaxUnpool",
            arrays=[zeros(1, 2, 2, 2), zeros(1, 2, 2, 2, dtype=np.int64), ints(1, 1, 4, 4)], constants=[2],
            kernel_shape=[2, 2]),
    refused("cumsum_two_axes", kind="CumSum", arrays=[ROWS, ints(0, 1)]),
    refused("pad_nothing_with_its_edge", "without elements", kind="Pad", arrays=[zeros(2, 0), ints(0, 1, 0, 1)],
            constants=[1], mode="edge"),
    refused("split_into_a_negative_part", "negative", kind="Split", arrays=[ints(1, 2), ints(5, -3)],
            constants=[0, 1], outputs=2),
    refused("sequence_of_too_much", "sum", kind="SplitToSequence", arrays=[ints(1, 2), ints(5)], constants=[0, 1]),
    refused("einsum_two_ellipses", "at most one", kind="Einsum", arrays=[ROWS], equation="......->..."),
    refused("rotary_positions", kind="RotaryEmbedding",
            arrays=[zeros(1, 2, 4), zeros(0, dtype=np.int64), zeros(8, 2), zeros(8, 2)], domain="com.microsoft"),
    fine("dynamic_lstm", **dynamic_lstm()),
    refused("dynamic_lstm_lengths", "sequence_lens", **dynamic_lstm(lengths=zeros(1, dtype=np.int32))),
    refused("dynamic_lstm_weights", "expected W and R of rank 3", **dynamic_lstm(W=zeros(4, 8, dtype=np.int8))),
    refused("dynamic_lstm_scale", "expected a scale and zero point of rank 1 or 2", **dynamic_lstm(W_scale=zeros())),
    refused("dynamic_lstm_scales", "sizes of a scale and of the weights", **dynamic_lstm(R_scale=zeros(1, 7))),
    fine("zero_point_for_no_rows", kind="MatMulInteger",
         arrays=[zeros(3, dtype=np.uint8), zeros(3, 2, dtype=np.uint8), ZERO, zeros(2, dtype=np.uint8)]),
]

#: Numbers that are too large, or the least there is.
NUMBERS = [
    refused("scan_inputs_least", "scan inputs", kind="Scan", arrays=[ROWS], num_scan_inputs=LEAST,
            body=h.make_graph([node("Identity", ["a"], ["b"])], "body", [value("a", (3,))], [value("b", (3,))])),
    refused("split_outputs", "outputs", kind="Split", arrays=[ROWS], num_outputs=GREATEST),
    refused("depth_to_space_block", kind="DepthToSpace", arrays=[IMAGE], blocksize=1 << 40),
    fine("constant_of_shape_least", kind="ConstantOfShape", arrays=[ints(2)], constants=[0],
         value=tensor("v", ints(LEAST))),
    Case("range_from_the_least", writes(lambda: operands("Range", np.int64(LEAST), np.int64(0), np.int64(1),
                                                         constants=[0, 1, 2])), LIMITED, ["'n'", "too large"]),
    refused("terms_place", "ngram_indexes", kind="TfIdfVectorizer", arrays=[ints(1, 2)], mode="TF", min_gram_length=1,
            max_gram_length=1, max_skip_count=0, ngram_counts=[0], ngram_indexes=[GREATEST], pool_int64s=[1]),
    refused("query_heads", "heads", kind="GroupQueryAttention", domain="com.microsoft",
            arrays=[zeros(1, 2, 4), None, None, None, None, zeros(1, dtype=np.int32), zeros(1, dtype=np.int32)],
            num_heads=GREATEST, kv_num_heads=GREATEST),
    refused("forest_without_nodes", "node", kind="TreeEnsembleRegressor", arrays=[ROWS], domain="ai.onnx.ml",
            **ids(target_treeids=[GREATEST], target_nodeids=[GREATEST])),
]


def function(nodes, attributes=(), outputs=("b",), defaults=()):
    """A model that calls a function of one input without attributes."""
    made = h.make_function("local", "F", ["a"], list(outputs), nodes, [h.make_opsetid("", 20)], list(attributes),
                           list(defaults))
    return model([node("F", ["x"], ["y"], "call", domain="local")], functions=[made], domains=["local"])


def referring(made, name, to):
    """The node with the graph that attribute `to` of the function is as `name`."""
    made.attribute.append(AttributeProto(name=name, ref_attr_name=to, type=AttributeProto.GRAPH))
    return made


def branch_that_is_not_given():
    empty = h.make_graph([], "empty", [], [])
    choice = node("If", ["c"], ["b"], "choice", else_branch=empty)
    return function([node("Cast", ["a"], ["c"], "cast", to=T.BOOL), referring(choice, "then_branch", "branch")],
                    attributes=["branch"])


def graph_for_calls_without_one():
    empty = h.make_graph([], "empty", [], [value("nowhere")])
    choice = node("If", ["c"], ["b"], "choice", else_branch=empty)
    return function([node("Cast", ["a"], ["c"], "cast", to=T.BOOL), referring(choice, "then_branch", "branch")],
                    defaults=[h.make_attribute("branch", empty)])


def optional_input_as_result():
    """A branch gives what the call of the function leaves out."""
    branch = h.make_graph([], "branch", [], [value("left_out")])
    made = h.make_function("local", "F", ["a", "left_out"], ["b"],
                           [node("Cast", ["a"], ["c"], "cast", to=T.BOOL),
                            node("If", ["c"], ["b"], "choice", then_branch=branch, else_branch=branch)],
                           [h.make_opsetid("", 20)])
    return model([node("F", ["x"], ["y"], "call", domain="local")], inputs=[value("x", ())], functions=[made],
                 domains=["local"])


def deep_sizes(depth):
    """Shape arithmetic whose operations are nested that deep."""
    nodes, last = [node("Shape", ["x"], ["s0"], "s")], "s0"
    for i in range(depth):
        nodes += [node("Add", [last, "one"], [f"a{i}"], f"a{i}"), node("Div", [f"a{i}", "two"], [f"d{i}"], f"d{i}")]
        last = f"d{i}"
    return model([*nodes, node("Expand", ["one", last], ["y"], "e")], inputs=[value("x", ("N",))],
                 outputs=[value("y", (None,), T.INT64)], initializers=[tensor("one", ints(1)), tensor("two", ints(2))])


def wide_sizes(depth):
    """Every size is made of the one before it twice."""
    nodes, last = [node("Shape", ["x"], ["s0"], "s")], "s0"
    for i in range(depth):
        nodes += [node("Div", [last, "three"], [f"d{i}"], f"d{i}"), node("Max", [f"d{i}", "two"], [f"m{i}"], f"m{i}"),
                  node("Mul", [f"d{i}", f"m{i}"], [f"p{i}"], f"p{i}")]
        last = f"p{i}"
    return model([*nodes, node("Expand", ["one", last], ["y"], "e")], inputs=[value("x", ("N",))],
                 outputs=[value("y", (None,))],
                 initializers=[tensor("three", ints(3)), tensor("two", ints(2)), tensor("one", np.ones(1, np.float32))])


def reshape_by_list(length, constant):
    """Every size of the result is 1; the list of them is an input of the program or known."""
    ones = tensor("s", np.ones(length, np.int64))
    inputs = [value("x", (1,))] + ([] if constant else [value("s", (length,), T.INT64)])
    return model([node("Reshape", ["x", "s"], ["y"], "n")], inputs=inputs, outputs=[value("y", None)],
                 initializers=[ones] if constant else [])


def nothing_of_some_rows():
    """Integers of a shape that has a 0 beside a size of the program."""
    return model([node("Shape", ["x"], ["s"], "s"), node("Concat", ["s", "zero"], ["shape"], "c", axis=0),
                  node("ConstantOfShape", ["shape"], ["y"], "n", value=tensor("v", ints(7)))],
                 inputs=[value("x", ("N",))], outputs=[value("y", ("N", 0), T.INT64)],
                 initializers=[tensor("zero", ints(0))])


def loop_that_never_runs():
    """It carries a sequence and stacks what an iteration gives."""
    element = h.make_tensor_sequence_value_info("in", T.FLOAT, None)
    body = h.make_graph([node("SequenceLength", ["in"], ["length"]), node("Identity", ["in"], ["out"]),
                         node("Identity", ["go"], ["still"])], "body",
                        [value("i", (), T.INT64), value("go", (), T.BOOL), element],
                        [value("still", (), T.BOOL), h.make_tensor_sequence_value_info("out", T.FLOAT, None),
                         value("length", (), T.INT64)])
    return model([node("SequenceConstruct", ["x"], ["list"], "s"),
                  node("Loop", ["count", "stop", "list"], ["rest", "y"], "n", body=body)],
                 outputs=[value("y", (None,), T.INT64)],
                 initializers=[tensor("count", np.int64(3)), tensor("stop", np.array(False))])


def split_list(part=None, at=None):
    """Splits a vector of open length, and concatenates the parts or takes one."""
    given = [tensor(name, np.int64(number)) for name, number in (("part", part), ("at", at)) if number is not None]
    use = node("ConcatFromSequence", ["list"], ["y"], axis=0) if at is None else node("SequenceAt", ["list", "at"], ["y"])
    return model([node("SplitToSequence", ["x"] if part is None else ["x", "part"], ["list"], "n"), use],
                 inputs=[value("x", ("N",))], outputs=[value("y", (None,))], initializers=given)


def parts_that_grow():
    """A loop appends x[:1], x[:2] and so on to a sequence."""
    zero, one = tensor("zero", ints(0)), tensor("one", ints(1))
    body = h.make_graph([node("Identity", ["go"], ["still"]), node("Unsqueeze", ["i", "zero"], ["begin"]),
                         node("Add", ["begin", "one"], ["end"]), node("Slice", ["x", "zero", "end"], ["part"]),
                         node("SequenceInsert", ["in", "part"], ["out"])], "body",
                        [value("i", (), T.INT64), value("go", (), T.BOOL),
                         h.make_tensor_sequence_value_info("in", T.FLOAT, None)],
                        [value("still", (), T.BOOL), h.make_tensor_sequence_value_info("out", T.FLOAT, None)], [zero, one])
    return model([node("SequenceEmpty", [], ["none"]), node("Size", ["x"], ["count"]),
                  node("Loop", ["count", "", "none"], ["list"], "n", body=body),
                  node("ConcatFromSequence", ["list"], ["y"], axis=0)],
                 inputs=[value("x", ("N",))], outputs=[value("y", (None,))])


#: Bodies, functions and sizes that are computed.
PARTS = [
    Case("function_branch_not_given", writes(branch_that_is_not_given), REJECTED, ["choice", "then_branch"]),
    Case("function_default_graph", writes(graph_for_calls_without_one), REFUSED, ["'F'", "branch"]),
    Case("function_optional_input_as_result", writes(optional_input_as_result), REJECTED, ["left_out"]),
    Case("rms_normalization_scale_of_another_type",
         writes(lambda: operands("RMSNormalization", zeros(2, 3), np.ones(3), opset=23)), ACCEPTED,
         inputs={"x0": np.ones((2, 3), np.float32), "x1": np.zeros(3)}, results={"y0": np.zeros((2, 3))}),
    Case("batch_normalization_statistics_of_another_type",
         writes(lambda: operands("BatchNormalization", zeros(2, 3), *[zeros(3)] * 2, *[np.ones(3)] * 2, opset=15)),
         ACCEPTED, inputs={"x0": np.ones((2, 3), np.float32), "x1": zeros(3), "x2": zeros(3) + 7, "x3": np.ones(3),
                           "x4": np.ones(3)},
         results={"y0": np.full((2, 3), 7, np.float32)}),
    Case("sizes_deep", writes(lambda: deep_sizes(5000)), ACCEPTED, inputs={"x": np.zeros(9, np.float32)},
         results={"y": ints(1)}),
    Case("sizes_wide", writes(lambda: wide_sizes(60)), ACCEPTED + LIMITED),
    Case("reshape_to_rank_100", writes(lambda: reshape_by_list(100, True)), LIMITED, ["'n'", "rank 100"]),
    Case("reshape_to_rank_33", writes(lambda: reshape_by_list(33, False)), LIMITED, ["'n'", "rank 33"]),
    Case("reshape_to_rank_16", writes(lambda: reshape_by_list(16, False)), ACCEPTED,
         inputs={"x": np.ones(1, np.float32), "s": np.ones(16, np.int64)}, results={"y": np.ones([1] * 16, np.float32)}),
    Case("routine_on_rank_20", writes(lambda: operands("TopK", zeros(*[1] * 19, 3), ints(1), constants=[1], outputs=2)),
         ACCEPTED, inputs={"x0": np.arange(3, dtype=np.float32).reshape([1] * 19 + [3])},
         results={"y0": np.full([1] * 20, 2, np.float32)}),
    Case("nothing_of_some_rows", writes(nothing_of_some_rows), ACCEPTED, inputs={"x": np.zeros(3, np.float32)},
         results={"y": np.zeros((3, 0), np.int64)}),
    Case("loop_never_runs", writes(loop_that_never_runs), ACCEPTED, inputs={"x": np.zeros(2, np.float32)},
         results={"y": np.zeros(0, np.int64)}),
    Case("sequence_uneven", writes(lambda: split_list(part=2)), ACCEPTED, inputs={"x": np.zeros(5, np.float32)},
         run_codes=(1,), run_texts=["parts of one size", "expected equal sizes"]),
    Case("sequence_negative_part", writes(lambda: split_list(part=-1)), REJECTED, ["'n'", "positive length of a part"]),
    Case("sequence_empty", writes(lambda: split_list()), ACCEPTED, inputs={"x": np.zeros(0, np.float32)},
         run_codes=(1,), run_texts=["the sequence is empty"]),
    Case("sequence_growing_parts", writes(parts_that_grow), ACCEPTED, inputs={"x": np.zeros(3, np.float32)},
         run_codes=(1,), run_texts=["'n'", "parts that a loop appends to a sequence, have one shape"]),
    Case("sequence_position", writes(lambda: split_list(at=GREATEST)), ACCEPTED, inputs={"x": np.zeros(3, np.float32)},
         run_codes=(1,), run_texts=["position", "out of range"]),
    Case("sequence_least_position", writes(lambda: split_list(at=LEAST)), REJECTED, ["SequenceAt", "out of range"]),
]
