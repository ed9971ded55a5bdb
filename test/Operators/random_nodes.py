#!/usr/bin/env python3
"""Compares operators with random attributes and dynamic sizes with ONNX Runtime.

usage: random_nodes.py (--tool BUILD/bin/evaluate-onnx | --bin BUILD/bin) [--seed S] [--count N] [--op OP]
                       [--keep DIR]

With --tool models are evaluated, with --bin they are compiled and run.

Every model is one node whose input dims are symbols. What ONNX Runtime refuses is
drawn again. The last line counts the results.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import check
import random_regions

OPSET = 21
FLOAT = np.float32


class Draw:
    """Random choices of one case."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def int(self, low, high):
        return self.random.randint(low, high)

    def pick(self, *choices):
        return self.random.choice(choices)

    def floats(self, *shape):
        return self.numpy.standard_normal(shape).astype(FLOAT)

    def ints(self, low, high, shape, dtype=np.int64):
        return self.numpy.integers(low, high, shape).astype(dtype)

    def shape(self, rank, low=1, high=6):
        return [self.int(low, high) for _ in range(rank)]


def window(draw, rank, size, kernel, pools=False):
    """Attributes of a sliding window that fits into `size`."""
    attributes = {"strides": [draw.int(1, 3) for _ in range(rank)]}
    if draw.int(0, 3) == 0 and all(k >= s for k, s in zip(kernel, attributes["strides"])):
        attributes["auto_pad"] = draw.pick("SAME_UPPER", "SAME_LOWER", "VALID")
    else:
        attributes["pads"] = [draw.int(0, (kernel[i % rank] - 1) if pools else 2) for i in range(2 * rank)]
    if draw.int(0, 1) and attributes.get("auto_pad", "") in ("", "VALID"):
        attributes["dilations"] = [draw.int(1, 2) for _ in range(rank)]
    return attributes


def conv(draw):
    rank, group = draw.int(1, 3), draw.pick(1, 1, 2, 3)
    per_group, outputs = draw.int(1, 3), group * draw.int(1, 2)
    size, kernel = draw.shape(rank, 4, 8), draw.shape(rank, 1, 3)
    inputs = [draw.floats(draw.int(1, 2), group * per_group, *size), draw.floats(outputs, per_group, *kernel)]
    if draw.int(0, 1):
        inputs.append(draw.floats(outputs))
    return inputs, {**window(draw, rank, size, kernel), "group": group, "kernel_shape": kernel}


def conv_transpose(draw):
    rank, group = draw.int(1, 3), draw.pick(1, 1, 2)
    per_group, outputs = draw.int(1, 3), draw.int(1, 3)
    size, kernel = draw.shape(rank, 1, 6), draw.shape(rank, 1, 4)
    inputs = [draw.floats(draw.int(1, 2), group * per_group, *size), draw.floats(group * per_group, outputs, *kernel)]
    if draw.int(0, 1):
        inputs.append(draw.floats(group * outputs))
    strides = [draw.int(1, 3) for _ in range(rank)]
    attributes = {"strides": strides, "group": group, "kernel_shape": kernel,
                  "dilations": [draw.pick(1, 1, 2) for _ in range(rank)],
                  "output_padding": [draw.int(0, stride - 1) for stride in strides]}
    if draw.int(0, 2):
        attributes["pads"] = [draw.int(0, kernel[i % rank] - 1) for i in range(2 * rank)]
    return inputs, attributes


def pool(draw, average=False, index=False):
    rank = draw.int(1, 3)
    size, kernel = draw.shape(rank, 3, 8), draw.shape(rank, 1, 3)
    attributes = {**window(draw, rank, size, kernel, pools=True), "kernel_shape": kernel}
    attributes["ceil_mode"] = draw.int(0, 1)
    if average:
        attributes["count_include_pad"] = draw.int(0, 1)
    return [draw.floats(*draw.shape(2, 1, 3), *size)], attributes


def lp_pool(draw):
    inputs, attributes = pool(draw)
    return inputs, {**attributes, "p": draw.pick(1, 2, 3)}


def whole_pool(draw):
    return [draw.floats(*draw.shape(draw.int(3, 5)))], {}


def reduction(draw):
    rank = draw.int(1, 4)
    axes = draw.random.sample(range(-rank, 0), draw.int(1, rank))
    inputs = [draw.floats(*draw.shape(rank)), np.array(axes, np.int64)]
    return inputs, {"keepdims": draw.int(0, 1)}


def positive_reduction(draw):
    inputs, attributes = reduction(draw)
    return [np.abs(inputs[0]) + FLOAT(0.1), inputs[1]], attributes


def arg(draw):
    rank = draw.int(1, 4)
    x = draw.ints(0, 3, draw.shape(rank)).astype(FLOAT)
    return [x], {"axis": draw.int(-rank, rank - 1), "keepdims": draw.int(0, 1), "select_last_index": draw.int(0, 1)}


def softmax(draw):
    rank = draw.int(1, 4)
    return [draw.floats(*draw.shape(rank)) * 5], {"axis": draw.int(-rank, rank - 1)}


def matmul(draw):
    m, n, k = draw.shape(3)
    a, b = draw.shape(draw.int(0, 2)) + [m, k], draw.shape(draw.int(0, 2)) + [k, n]
    for i in range(3, 1 + min(len(a), len(b))):
        b[-i] = draw.pick(1, a[-i])
    if draw.int(0, 5) == 0:
        a = [k]
    elif draw.int(0, 5) == 0:
        b = [k]
    return [draw.floats(*a), draw.floats(*b)], {}


def gemm(draw):
    m, n, k = draw.shape(3)
    trans_a, trans_b = draw.int(0, 1), draw.int(0, 1)
    inputs = [draw.floats(*((k, m) if trans_a else (m, k))), draw.floats(*((n, k) if trans_b else (k, n)))]
    if draw.int(0, 2):
        inputs.append(draw.floats(*draw.pick((m, n), (n,), (1, n), (m, 1), (1,))))
    return inputs, {"transA": trans_a, "transB": trans_b, "alpha": draw.pick(1.0, 0.5), "beta": draw.pick(1.0, 2.0)}


def layer_normalization(draw):
    rank = draw.int(1, 4)
    x, axis = draw.floats(*draw.shape(rank, 2, 5)), draw.int(0, rank - 1)
    return [x, draw.floats(*x.shape[axis:]), draw.floats(*x.shape[axis:])], {"axis": axis - draw.pick(0, rank)}


def instance_normalization(draw):
    x = draw.floats(*draw.shape(draw.int(3, 5), 2, 5))
    return [x, draw.floats(x.shape[1]), draw.floats(x.shape[1])], {"epsilon": 1e-3}


def batch_normalization(draw):
    x = draw.floats(*draw.shape(draw.int(2, 5)))
    channel = x.shape[1]
    return [x, draw.floats(channel), draw.floats(channel), draw.floats(channel), np.abs(draw.floats(channel))], {}


def lrn(draw):
    return [draw.floats(*draw.shape(4))], {"size": draw.pick(1, 3, 5), "alpha": 0.5, "beta": 0.75, "bias": 1.5}


def gather(draw):
    rank = draw.int(1, 4)
    x, axis = draw.floats(*draw.shape(rank)), draw.int(0, rank - 1)
    return [x, draw.ints(-x.shape[axis], x.shape[axis], draw.shape(draw.int(0, 2)))], {"axis": axis}


def gather_elements(draw):
    rank = draw.int(1, 4)
    x, axis = draw.floats(*draw.shape(rank)), draw.int(0, rank - 1)
    shape = [draw.int(1, size) for size in x.shape]
    return [x, draw.ints(-x.shape[axis], x.shape[axis], shape)], {"axis": axis}


def scatter_elements(draw):
    inputs, attributes = gather_elements(draw)
    indices = inputs[1]
    reduction_kind = draw.pick("none", "add", "mul", "max", "min")
    if reduction_kind == "none":  # without repeated targets
        size = inputs[0].shape[attributes["axis"]]
        count = indices.shape[attributes["axis"]]
        line = draw.numpy.permutation(size)[:count]
        indices = np.broadcast_to(line.reshape([-1 if i == attributes["axis"] else 1 for i in range(indices.ndim)]),
                                  indices.shape).astype(np.int64)
    return [inputs[0], indices, draw.floats(*indices.shape)], {**attributes, "reduction": reduction_kind}


def scatter_nd(draw):
    x = draw.floats(*draw.shape(draw.int(1, 4), 2, 5))
    depth = draw.int(1, x.ndim)
    outer = draw.shape(draw.int(0, 2), 1, 3)
    index = np.stack([draw.ints(-size, size, outer) for size in x.shape[:depth]], axis=-1)
    return [x, index, draw.floats(*outer, *x.shape[depth:])], {"reduction": draw.pick("add", "max", "min")}


def resize(draw):
    rank = draw.int(1, 2)
    x = draw.floats(draw.int(1, 2), draw.int(1, 2), *draw.shape(rank, 2, 6))
    mode = draw.pick("nearest", "linear", "cubic" if rank == 2 else "linear")
    where = draw.pick("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    attributes = {"mode": mode, "coordinate_transformation_mode": where}
    if mode == "nearest":
        attributes["nearest_mode"] = draw.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    elif where != "align_corners":
        attributes["antialias"] = draw.int(0, 1)
    if mode == "cubic" and not attributes.get("antialias"):
        attributes["exclude_outside"] = draw.int(0, 1)
    sizes = [*x.shape[:2], *[draw.int(1, 9) for _ in range(rank)]]
    # With scales ONNX Runtime rounds the size that align_corners divides by.
    if draw.int(0, 1) or where == "align_corners":
        return [x, None, None, np.array(sizes, np.int64)], attributes
    scales = [1.0, 1.0, *[draw.pick(0.5, 2.0, 3.0, 1.5, 0.75) for _ in range(rank)]]
    return [x, None, np.array(scales, FLOAT)], attributes


def recurrent(draw, gates):
    steps, batch, inputs, hidden = draw.shape(4, 1, 5)
    direction = draw.pick("forward", "reverse", "bidirectional")
    count = 2 if direction == "bidirectional" else 1
    arrays = [draw.floats(steps, batch, inputs), draw.floats(count, gates * hidden, inputs),
              draw.floats(count, gates * hidden, hidden), None, None, None]
    if draw.int(0, 1):
        arrays[3] = draw.floats(count, 2 * gates * hidden)
    if draw.int(0, 1):
        arrays[4] = draw.ints(1, steps + 1, [batch], np.int32)
    if draw.int(0, 1):
        arrays[5] = draw.floats(count, batch, hidden)
    attributes = {"hidden_size": hidden, "direction": direction}
    if draw.int(0, 2) == 0:
        attributes["clip"] = 0.5
    return arrays, attributes


def lstm(draw):
    arrays, attributes = recurrent(draw, 4)
    count, _, hidden = arrays[2].shape
    arrays.append(draw.floats(count, arrays[0].shape[1], hidden) if draw.int(0, 1) else None)
    arrays.append(draw.floats(count, 3 * hidden) if draw.int(0, 1) else None)
    return arrays, {**attributes, "input_forget": draw.int(0, 1)}


def gru(draw):
    arrays, attributes = recurrent(draw, 3)
    return arrays, {**attributes, "linear_before_reset": draw.int(0, 1)}


def unary(draw):
    x = draw.floats(*draw.shape(draw.int(0, 3))) * draw.pick(1, 10)
    return [np.asarray(draw.pick(x, np.where(np.abs(x) > 5, FLOAT(np.nan), x)), FLOAT)], {}


def positive(draw):
    return [np.asarray(np.abs(draw.floats(*draw.shape(draw.int(0, 3)))) + 1, FLOAT)], {}


def binary(draw, integers=False):
    a = draw.shape(draw.int(0, 3))
    b = [draw.pick(1, size) for size in a][draw.int(0, len(a)):]
    if integers:
        dtype = draw.pick(np.int32, np.int64, np.uint8, np.int8)
        low = 0 if dtype == np.uint8 else -20
        divisor = draw.ints(1, 9, b, dtype)
        return [draw.ints(low, 50, a, dtype), divisor * dtype(draw.pick(1, 1 if low == 0 else -1))], {}
    return [np.asarray(draw.floats(*a)), np.asarray(draw.floats(*b))], {}


def einsum(draw):
    sizes = {letter: draw.int(1, 4) for letter in "abcdij"}
    equation = draw.pick("ab,bc->ac", "abij,abjc->abic", "ij->ji", "aij->ai", "ab,ab", "ij,j", "a,b->ab", "aii->a",
                         "abc,cd,de->abe".replace("e", "i"))
    terms = equation.split("->")[0].split(",")
    return [draw.floats(*[sizes[letter] for letter in term]) for term in terms], {"equation": equation}


def top_k(draw):
    rank = draw.int(1, 3)
    x, axis = draw.floats(*draw.shape(rank)), draw.int(0, rank - 1)
    return ([x, np.array([draw.int(0, x.shape[axis])], np.int64)], {"axis": axis, "largest": draw.int(0, 1)})


def quantize(draw):
    x = draw.floats(*draw.shape(3)) * 50
    zero = draw.ints(0, 100, [x.shape[1]], draw.pick(np.int8, np.uint8))
    return [x, np.abs(draw.floats(x.shape[1])) + FLOAT(0.1), zero], {"axis": 1}


OPERATORS = {
    "Conv": (conv, 1), "ConvTranspose": (conv_transpose, 1), "MaxPool": (pool, 2), "LpPool": (lp_pool, 1),
    "AveragePool": (lambda draw: pool(draw, average=True), 1),
    "GlobalAveragePool": (whole_pool, 1), "GlobalMaxPool": (whole_pool, 1), "GlobalLpPool": (whole_pool, 1),
    "ReduceSum": (reduction, 1), "ReduceMean": (reduction, 1), "ReduceMax": (reduction, 1), "ReduceMin": (reduction, 1),
    "ReduceProd": (reduction, 1), "ReduceL1": (reduction, 1), "ReduceL2": (reduction, 1),
    "ReduceSumSquare": (reduction, 1), "ReduceLogSumExp": (reduction, 1), "ReduceLogSum": (positive_reduction, 1),
    "ArgMax": (arg, 1), "ArgMin": (arg, 1), "Softmax": (softmax, 1), "LogSoftmax": (softmax, 1), "Hardmax": (softmax, 1),
    "MatMul": (matmul, 1), "Gemm": (gemm, 1), "LayerNormalization": (layer_normalization, 3),
    "InstanceNormalization": (instance_normalization, 1), "BatchNormalization": (batch_normalization, 1),
    "LRN": (lrn, 1), "Gather": (gather, 1), "GatherElements": (gather_elements, 1),
    "ScatterElements": (scatter_elements, 1), "ScatterND": (scatter_nd, 1), "Resize": (resize, 1),
    "LSTM": (lstm, 3), "GRU": (gru, 2), "RNN": (lambda draw: recurrent(draw, 1), 2),
    "Einsum": (einsum, 1), "TopK": (top_k, 2), "QuantizeLinear": (quantize, 1),
    **{name: (unary, 1) for name in (
        "Abs", "Neg", "Exp", "Tanh", "Sigmoid", "Relu", "Erf", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh",
        "Floor", "Ceil", "Round", "Sign", "IsNaN", "Softplus", "Softsign", "Elu", "Selu", "Celu", "LeakyRelu",
        "HardSigmoid", "HardSwish", "Mish", "Gelu", "ThresholdedRelu", "Shrink", "Reciprocal")},
    **{name: (positive, 1) for name in ("Log", "Sqrt", "Acosh")},
    **{name: (binary, 1) for name in ("Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu", "Less", "GreaterOrEqual")},
    **{name + " int": (lambda draw: binary(draw, integers=True), 1)
       for name in ("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Equal", "Less")},
    **random_regions.OPERATORS,
}


def make_model(op, inputs, attributes, num_outputs):
    """One node; dims of the first input are symbols, those of others where it multiplies them."""
    names, values, given = [], [], []
    for i, array in enumerate(inputs):
        names.append("" if array is None else f"x{i}")
        if array is not None:
            is_symbolic = i == 0 or op in ("MatMul", "Gemm", "Einsum")
            dims = [f"d{i}_{k}" if is_symbolic else size for k, size in enumerate(array.shape)]
            values.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(array.dtype), dims))
            given.append(array)
    outputs = [f"y{i}" for i in range(num_outputs)]
    node = helper.make_node(op.split()[0], names, outputs, name="node", **attributes)
    graph = helper.make_graph([node], op.split()[0], values,
                              [helper.make_empty_tensor_value_info(name) for name in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10), given


def freeze(model, given):
    """The inputs from the second on become constants."""
    for value, array in list(zip(model.graph.input, given))[1:]:
        model.graph.initializer.append(numpy_helper.from_array(array, value.name))
        model.graph.input.remove(value)
    return given[:1]


def draw_case(op, seed):
    """A model, its inputs and ONNX Runtime's answers; None where it refuses."""
    make, num_outputs = OPERATORS[op]
    draw = Draw(seed)
    inputs, attributes = make(draw)
    model, given = make_model(op, inputs, attributes, num_outputs)
    if draw.int(0, 1):
        given = freeze(model, given)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        expected = session.run(None, dict(zip([value.name for value in model.graph.input], given)))
    except Exception:  # ONNX Runtime has no class of its own for a refusal
        return None
    for output, array in zip(model.graph.output, expected):
        output.CopyFrom(helper.make_tensor_value_info(
            output.name, helper.np_dtype_to_tensor_dtype(array.dtype), [None] * array.ndim))
    return model, given, expected


def run_compiled(tools, path, case):
    """What is wrong with the compiled model, or "ok"."""
    model, given, expected = case
    np.savez(os.path.join(path, "in.npz"), **dict(zip([value.name for value in model.graph.input], given)))
    np.savez(os.path.join(path, "out.npz"), **dict(zip([value.name for value in model.graph.output], expected)))
    binary = os.path.join(path, "model.so")
    for command in ([f"{tools}/tssa-compile", os.path.join(path, "model.onnx"), "-o", binary],
                    [f"{tools}/tssa-run", binary, "--inputs", os.path.join(path, "in.npz"), "--expect",
                     os.path.join(path, "out.npz"), "--rtol", "1e-4", "--atol", "2e-5"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
        except subprocess.TimeoutExpired:
            return f"{os.path.basename(command[0])} gave no answer in time"
        if done.returncode:
            return f"{os.path.basename(command[0])} {done.returncode}: {done.stderr.strip()[:400]}"
    return "ok"


def run_evaluated(tool, cases):
    """Verdicts of the evaluator."""
    verdicts, folders = {}, list(cases)
    for begin in range(0, len(folders), check.CHUNK):
        verdicts.update(check.run_tool(tool, folders[begin:begin + check.CHUNK]))
    for path, (_, _, expected) in cases.items():
        if verdicts[path] == "ok":
            try:
                verdicts[path] = check.difference(check.read_outputs(path, expected), expected, 1e-4, 2e-5) or "ok"
            except ValueError as error:
                verdicts[path] = str(error)
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="")
    parser.add_argument("--bin", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--op", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="tssa-random-")
    names = [name for name in OPERATORS if not options.op or name == options.op]
    cases, refused = {}, 0
    for number in range(options.count):
        op = names[number % len(names)]
        case = draw_case(op, options.seed * 100003 + number)
        if case is None:
            refused += 1
            continue
        path = os.path.join(folder, f"{number}-{op.replace(' ', '-')}")
        check.write_case(path, case[0], case[1])
        cases[path] = case
    if options.tool:
        verdicts = run_evaluated(options.tool, cases)
    else:
        verdicts = {path: run_compiled(options.bin, path, case) for path, case in cases.items()}
    failed = 0
    for path, (model, _, _) in cases.items():
        if verdicts[path] != "ok":
            failed += 1
            attributes = {a.name: helper.get_attribute_value(a) for a in model.graph.node[0].attribute}
            print(f"FAIL {path}: {verdicts[path]}\n    {attributes}")
    print(f"{len(cases) - failed} passed, {failed} failed, {refused} refused by ONNX Runtime")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
