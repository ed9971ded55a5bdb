"""Compiles each function of math alone, runs it, and measures its error.

usage: math_accuracy.py FOLDER ERRORS [options of tssa-compile]

The reference is numpy in long double where it has the function, else Python's
math in double. Errors are in units in the last place of the exact result. ERRORS is
MathErrors.def, whose bounds for f32 must hold and not be wide.
"""

import math
import os
import re
import subprocess
import sys

import numpy as np

ERF = np.vectorize(math.erf, otypes=[np.float64])
ERFC = np.vectorize(math.erfc, otypes=[np.float64])
REFERENCES = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "erf": lambda x: ERF(x.astype(np.float64)),
    "erfc": lambda x: ERFC(x.astype(np.float64)), "cbrt": np.cbrt,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint, "absf": np.abs,
}
PAIRS = {"math.powf": np.power, "math.atan2": np.arctan2, "arith.remf": np.fmod}
LIMITS = {"f16": 0.51, "f64": 4.1}
# 1 - erf(x) cancels. Angles and logarithms for powers of f64 have two parts.
OWN_LIMITS = {("f64", "erfc"): 8.5, ("f64", "math.powf"): 1.0, ("f64", "sin"): 1.7,
              ("f64", "cos"): 1.7, ("f64", "tan"): 0.9}
# Functions that have no expansion on devices.
MISSING = [("f64", name) for name in ("sin", "cos", "tan", "arith.remf")]
# Functions on f32 that are computed by the same arithmetic on all machines.
SAME_EVERYWHERE = [name for name in REFERENCES if name != "rsqrt"]
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64}


def write_module(path, element, names):
    lines, results = [], []
    for name in names:
        lines.append(f"""  %{name} = te.compute (d0: %n) {{
    %v = te.read %x[d0] : tensor<?x{element}>
    %r = math.{name} %v : {element}
    te.yield %r : {element}
  }} : tensor<?x{element}>""")
        results.append(f'tensor<?x{element}> {{te.port = #te.port<name = "{name}">}}')
    values = ", ".join("%" + name for name in names)
    types = ", ".join(f"tensor<?x{element}>" for _ in names)
    body = "\n".join(lines)
    with open(path, "w") as file:
        file.write(f"""func.func @main(%x: tensor<?x{element}> {{te.port = #te.port<name = "x">}}) -> ({", ".join(results)}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{element}>
{body}
  return {values} : {types}
}}
""")


def write_pairs(path, element, names):
    """Like write_module, for functions of two arguments, whose names have a dialect."""
    lines, results = [], []
    for i, name in enumerate(names):
        lines.append(f"""  %r{i} = te.compute (d0: %n) {{
    %v = te.read %x[d0] : tensor<?x{element}>
    %w = te.read %y[d0] : tensor<?x{element}>
    %r = {name} %v, %w : {element}
    te.yield %r : {element}
  }} : tensor<?x{element}>""")
        results.append(f'tensor<?x{element}> {{te.port = #te.port<name = "{name}">}}')
    tensor = f'tensor<?x{element}>'
    body = "\n".join(lines)
    with open(path, "w") as file:
        file.write(f"""func.func @main(%x: {tensor} {{te.port = #te.port<name = "x", dims = ["n"]>}},
                %y: {tensor} {{te.port = #te.port<name = "y", dims = ["n"]>}}) -> ({", ".join(results)}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {tensor}
{body}
  return {", ".join(f"%r{i}" for i in range(len(names)))} : {", ".join(tensor for _ in names)}
}}
""")


def write_narrowing(path):
    with open(path, "w") as file:
        file.write("""func.func @main(%x: tensor<?xf64> {te.port = #te.port<name = "x">}) -> (tensor<?xf16> {te.port = #te.port<name = "y">}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %y = te.compute (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf64>
    %r = arith.truncf %v : f64 to f16
    te.yield %r : f16
  } : tensor<?xf16>
  return %y : tensor<?xf16>
}
""")


def run(folder, name, options, **inputs):
    stem = os.path.join(folder, name)
    subprocess.check_call(["tssa-compile", stem + ".mlir", "-o", stem + ".so", *options])
    return run_again(folder, name, **inputs)


def run_again(folder, name, **inputs):
    stem = os.path.join(folder, name)
    np.savez(stem + ".in.npz", **inputs)
    subprocess.check_call(["tssa-run", stem + ".so", "--inputs", stem + ".in.npz",
                           "--outputs", stem + ".out.npz"], stdout=subprocess.DEVNULL)
    return np.load(stem + ".out.npz")


def make_every_exponent(random):
    """Random f32 of each sign and exponent, and the first and the last."""
    sign_and_exponent = np.arange(512, dtype=np.uint32)[:, None] << 23
    mantissa = random.integers(0, 1 << 23, (512, 48), dtype=np.uint32)
    mantissa[:, 0], mantissa[:, 1] = 0, (1 << 23) - 1
    return (sign_and_exponent | mantissa).ravel().view(np.float32)


def make_edges():
    """The neighbourhood of arguments at which a function changes its kind."""
    edges = [0, 1e-45, 1.17549435e-38, 3.4028235e38, 1, 88.7228394, 88.3762589, 87.3365479, 89,
             103.278931, 103.972084, 104, 17.3286795, 18, 9.01091385, 9.1, 3.91920590, 4, 0.625,
             0.346573591, 0.173286796, 32768, 0.5, 0.707106769, 1.41421354, 0.414213568, 2.41421366,
             0.000244140625, 9.05, 10.0546875, 10.1, 126, 128, 149, 150, 0.785398185, 1.57079637,
             3.14159274, 25735.9]
    near = [np.float32(edges).view(np.int32) + step for step in range(-8, 9)]
    near = np.concatenate(near)
    near = near[near >= 0].view(np.float32)
    return np.concatenate([near, -near])


def make_inputs(element):
    random = np.random.default_rng(1)
    if element == "f16":
        return np.arange(65536, dtype=np.uint16).view(np.float16)
    special = [0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1, -1, 88.7, 89, -87, -104, 1e-45, 1e-38,
               3e38]
    parts = [random.normal(size=1 << 15), random.uniform(-104, 104, 1 << 16),
             np.exp(random.uniform(-80, 80, 1 << 14)), special]
    if element == "f32":
        parts += [make_every_exponent(random), make_edges()]
    # A number that is not a multiple of a vector's length, so that the last lanes are masked.
    return np.concatenate(parts).astype(TYPES[element])


def read_errors(path):
    """Of f32, by the name of the function."""
    with open(path) as file:
        lines = re.findall(r"^MATH_ERROR\((\w+), ([0-9.]+)\)$", file.read(), re.MULTILINE)
    return {name: float(units) for name, units in lines}


class Check:
    """Compares errors with their bounds, and remembers whether one was wrong."""

    def __init__(self, errors, is_device):
        self.errors, self.is_device, self.failed = errors, is_device, False

    def __call__(self, element, name, measured):
        error, wrong = measured
        stated = self.errors.get(name.split(".")[-1])
        limit = stated if element == "f32" else OWN_LIMITS.get((element, name), LIMITS[element])
        if limit is None or error > limit or wrong:
            self.fail(f"{name} on {element}: error {error:.2f}, stated {limit}, "
                      f"{wrong} of the wrong kind")
        # One table serves all targets, some of which compute in f64.
        elif element == "f32" and stated > max(2 * error, 0.6) and not self.is_device:
            self.fail(f"{name} on {element}: error {error:.2f}, stated {limit}, which is wide")

    def fail(self, text):
        print(text)
        self.failed = True


def measure(got, exact, element):
    """The largest error, and how many are NaN or infinite when they should not be."""
    rounded = exact.astype(TYPES[element])
    finite = np.isfinite(rounded) & np.isfinite(got)
    other = ~finite & ~((rounded == got) | (np.isnan(rounded) & np.isnan(got)))
    unit = np.spacing(np.abs(rounded[finite])).astype(np.longdouble)
    error = np.abs(got[finite].astype(np.longdouble) - exact[finite]) / unit
    return float(error.max(initial=0)), int(other.sum())


def make_pairs(element):
    random = np.random.default_rng(3)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e-30, 1e30]
    x, y = np.meshgrid(special, special)
    parts = [(x.ravel(), y.ravel())]
    for spread in (1, 30):
        parts.append((random.normal(size=4096) * spread, random.normal(size=4096) * spread))
    reach = 8 if element == "f16" else 40
    parts.append((np.exp(random.uniform(-reach, reach, 2048)), random.integers(-4, 5, 2048)))
    if element == "f64":
        parts += make_long_powers(random)
    return [np.concatenate(part).astype(TYPES[element]) for part in zip(*parts)]


def make_long_powers(random):
    """Bases and exponents whose powers fill the range of f64, or lie near its ends or beyond."""
    count = 8192
    wide = np.exp(random.uniform(-700, 700, count))
    middle = random.uniform(0.5, 2, count)
    near = 1 + random.normal(size=count) * 2.0**-random.uniform(2, 50, count)
    subnormal = random.uniform(0, 1e-308, count)
    for x in (wide, middle, near, subnormal):
        for first, last in ((-1080, 1030), (1000, 1024), (-1075, -1020)):
            y = random.uniform(first, last, count) / np.log2(x)
            yield x, np.where(np.isfinite(y), y, 1)
    edges = [5e-324, 1e-310, 1e300, 1.7976931348623157e308, 2.0**53 - 1, 2.0**53, 2.0**52 + 0.5,
             1 + 2.0**-52, 1 - 2.0**-53, 1023, 1024, 1074, 1075, 0, 1, 2, 3, 0.5, np.inf]
    x, y = np.meshgrid(edges, edges)
    for sign in (1, -1):
        yield (sign * x).ravel(), y.ravel()
        yield (sign * x).ravel(), -y.ravel()


def check_tails(folder, x, whole):
    """What an element becomes must not depend on its place in a vector."""
    for first in (1, len(x) - 7):
        part = run_again(folder, "f32", x=x[first:])
        for name in SAME_EVERYWHERE:
            if not np.array_equal(part[name], whole[name][first:], equal_nan=True):
                yield f"{name} on f32 depends on the place of an element"


def check_same(folder, whole):
    """Nor on the instructions of the machine."""
    path = os.path.join(folder, "same.npz")
    if not os.path.exists(path):
        np.savez(path, **{name: whole[name] for name in SAME_EVERYWHERE})
    first = np.load(path)
    for name in SAME_EVERYWHERE:
        if not np.array_equal(first[name], whole[name], equal_nan=True):
            yield f"{name} on f32 is not what it is on the first machine"


def check_narrowing(folder, options):
    x = np.random.default_rng(2).normal(size=4096) * 100
    ties = np.arange(1024, 2048) + 0.5
    x = np.concatenate([x, ties, ties * (1 + 1e-12), ties * (1 - 1e-12), x * 1e-7,
                        [1e300, -1e300, np.inf, np.nan, 65519.999999, 65520, 1e-320, 0]])
    write_narrowing(os.path.join(folder, "narrow.mlir"))
    narrow = run(folder, "narrow", options, x=x)["y"]
    if not np.array_equal(narrow, x.astype(np.float16), equal_nan=True):
        yield "f64 to f16 rounds wrongly"


def main():
    folder, errors, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    is_device = "--target=cuda-emu" in options
    left_out = MISSING if is_device else []
    os.makedirs(folder, exist_ok=True)
    check = Check(read_errors(errors), is_device)
    with np.errstate(all="ignore"):
        for element in TYPES:
            x = make_inputs(element)
            names = [name for name in REFERENCES if (element, name) not in left_out]
            write_module(os.path.join(folder, element + ".mlir"), element, names)
            outputs = run(folder, element, options, x=x)
            for name in names:
                exact = REFERENCES[name](x.astype(np.longdouble))
                check(element, name, measure(outputs[name], exact, element))
            if element == "f32":
                for text in [*check_tails(folder, x, outputs), *check_same(folder, outputs)]:
                    check.fail(text)
            names = [name for name in PAIRS if (element, name) not in left_out]
            x, y = make_pairs(element)
            write_pairs(os.path.join(folder, element + "-pairs.mlir"), element, names)
            outputs = run(folder, element + "-pairs", options, x=x, y=y)
            for name in names:
                exact = PAIRS[name](x.astype(np.longdouble), y.astype(np.longdouble))
                check(element, name, measure(outputs[name], exact, element))
        for text in check_narrowing(folder, options):
            check.fail(text)
    return check.failed


sys.exit(main())
