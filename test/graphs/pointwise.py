"""Operators that give one element for one element."""

import numpy as np
from onnx import helper

OPERATORS = []


def operator(function):
    OPERATORS.append(function)
    return function


def positive(g, value):
    """|value| + 1/2"""
    return g.node("Add", g.node("Abs", value), g.constant(np.array(0.5, value.dtype)))


@operator
def smooth(g):
    op = g.choose(["Sigmoid", "Tanh", "Erf", "Sin", "Cos", "Softplus", "Softsign", "Elu", "Selu", "HardSwish", "Gelu",
                   "Mish", "Celu", "Atan", "Asinh", "Exp", "Sigmoid", "Tanh", "Cosh", "Sinh"])
    attributes = {}
    if op in ("Elu", "Celu") and g.chance(0.5):
        attributes["alpha"] = g.choose([0.5, 1.5])
    if op == "Gelu" and g.chance(0.5):
        attributes["approximate"] = "tanh"
    g.node(op, g.pick("f"), exact=False, **attributes)


@operator
def guarded(g):
    value = g.pick("f")
    op = g.choose(["Log", "Sqrt", "Reciprocal", "Acosh", "Asin", "Acos", "Atanh"])
    if op in ("Asin", "Acos", "Atanh"):
        guard = g.node("Mul", g.node("Softsign", value, exact=False), g.constant(np.array(0.75, value.dtype)))
    elif op == "Acosh":
        guard = g.node("Add", g.node("Abs", value), g.constant(np.array(1.5, value.dtype)))
    else:
        guard = positive(g, value)
    g.node(op, guard, exact=False)


@operator
def piecewise(g):
    """Continuous, so that inexact values may go in."""
    op = g.choose(["Relu", "Abs", "Neg", "LeakyRelu", "HardSigmoid", "Identity", "PRelu", "Clip"])
    value = g.pick("f" if op in ("LeakyRelu", "HardSigmoid", "PRelu") else "fi")
    if op == "PRelu":
        slope = [s if g.chance(0.5) else 1 for s in value.shape]
        return g.node(op, value, g.fresh(value.dtype, tuple(slope)), exact=False)
    if op == "Clip":
        low, high = (g.constant(np.array(x, value.dtype)) if g.chance(0.8) else None for x in (-2, 3))
        return g.node(op, value, low, high)
    attributes = {"alpha": 0.25} if op == "LeakyRelu" and g.chance(0.7) else {}
    return g.node(op, value, exact=op != "HardSigmoid", **attributes)


@operator
def stepwise(g):
    op = g.choose(["Sign", "Floor", "Ceil", "Round", "ThresholdedRelu", "Shrink", "IsNaN", "IsInf"])
    attributes = {"lambd": 1.0, "bias": 0.5} if op == "Shrink" else {}
    g.node(op, g.pick("fiu" if op == "Sign" else "f", exact=True), **attributes)


@operator
def arithmetic(g):
    op = g.choose(["Add", "Sub", "Mul", "Add", "Mul", "Max", "Min"])
    value = g.pick("fiu" if op != "Sub" else "fi")
    sides = [value, g.partner(value)]
    if g.chance(0.3):
        sides.reverse()
    g.node(op, *sides)


@operator
def division(g):
    value = g.pick("fiu")
    if value.kind == "f":
        return g.node("Div", value, positive(g, g.partner(value)), exact=False)
    divisor = g.constant(g.array(value.dtype, value.shape if g.chance(0.3) else (), low=1, high=5))
    if g.chance(0.5):
        return g.node("Div", value, divisor)
    return g.node("Mod", value, divisor, fmod=g.below(2))


@operator
def remainder(g):
    value = g.pick("f", exact=True)
    g.node("Mod", value, g.constant(np.array(g.choose([1.5, 3, -2]), value.dtype)), fmod=1)


@operator
def power(g):
    value = g.pick("f")
    if g.chance(0.5):
        exponent = g.constant(np.array(g.choose([2, 3, 2]), g.choose([value.dtype, np.int32, np.int64])))
        return g.node("Pow", value, exponent, exact=False)
    return g.node("Pow", positive(g, value), g.constant(np.array(g.choose([0.5, -1, 1.25]), value.dtype)), exact=False)


@operator
def variadic(g):
    value = g.pick("f")
    g.node(g.choose(["Sum", "Mean", "Max", "Min"]), value, *[g.partner(value) for _ in range(g.below(3))], exact=False)


@operator
def compare(g):
    value = g.pick("fiu", exact=True)
    op = g.choose(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
    g.node(op, value, g.partner(value, exact=True))


@operator
def logic(g):
    value = g.pick("b")
    op = g.choose(["And", "Or", "Xor", "Not"])
    g.node(op, *([value] if op == "Not" else [value, g.partner(value)]))


@operator
def bits(g):
    op = g.choose(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"])
    value = g.pick("u" if op == "BitShift" else "iu")
    if op == "BitwiseNot":
        return g.node(op, value)
    if op == "BitShift":
        shift = g.constant(g.array(value.dtype, (), low=0, high=7))
        return g.node(op, value, shift, direction=g.choose(["LEFT", "RIGHT"]))
    return g.node(op, value, g.partner(value))


@operator
def select(g):
    condition = g.pick("b")
    value = g.pick("fiub")
    try:
        np.broadcast_shapes(condition.shape, value.shape)
    except ValueError:
        condition = g.partner(condition.__class__("", np.zeros(value.shape, bool), np.zeros(value.shape, bool), True))
    g.node("Where", condition, value, g.partner(value))


@operator
def cast(g):
    value = g.pick("fiub")
    kinds = "fiub" if value.exact else "f"
    targets = [t for t in (np.float32, np.float16, np.float64, np.int64, np.int32, np.int8, np.uint8, np.bool_)
               if np.dtype(t).kind in kinds]
    dtype = np.dtype(g.choose(targets))
    if value.kind in "fi" and dtype.kind == "u":
        value = g.node("Abs", value)  # what a negative float becomes is nobody's promise
    if dtype.kind in "iu" and dtype.itemsize == 1 and value.magnitude > 100:
        return
    if g.chance(0.2):
        g.node("CastLike", value, g.fresh(dtype, (1,)))
    else:
        g.node("Cast", value, to=helper.np_dtype_to_tensor_dtype(dtype))


@operator
def dropout(g):
    g.node("Dropout", g.pick("f"))
