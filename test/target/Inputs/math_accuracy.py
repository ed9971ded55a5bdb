"""Compiles each function of math alone, runs it, and measures its error.

usage: math_accuracy.py FOLDER [options of tssa-compile]

The reference is numpy in long double where it has the function, else Python's
math in double. Errors are in units in the last place of the exact result.
"""

import math
import os
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
LIMITS = {"f32": 4.5, "f16": 0.51, "f64": 4.1}
# On devices the logarithm of a power has errors, and 1 - erf cancels.
WIDER = {("f64", "erfc"): 8.5, ("f64", "math.powf"): 2000}
# What devices have no expansion of.
MISSING = [("f64", name) for name in ("sin", "cos", "tan", "arith.remf")]
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64}


def write_module(path, element, names):
    lines, results = [], []
    for name in names:
        lines.append(f"""  %{name} = te.compute (d0: %n) {{
    %v = te.read %x[d0] : tensor<?x{element}>
    %r = math.{name} %v : {element}
    te.yield %r : {element}
  }} : tensor<?x{element}>""")
        results.append(f'tensor<?x{element}> {{tssa.name = "{name}"}}')
    values = ", ".join("%" + name for name in names)
    types = ", ".join(f"tensor<?x{element}>" for _ in names)
    body = "\n".join(lines)
    with open(path, "w") as file:
        file.write(f"""func.func @main(%x: tensor<?x{element}> {{tssa.name = "x"}}) -> ({", ".join(results)}) {{
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
        results.append(f'tensor<?x{element}> {{tssa.name = "{name}"}}')
    tensor = f'tensor<?x{element}>'
    body = "\n".join(lines)
    with open(path, "w") as file:
        file.write(f"""func.func @main(%x: {tensor} {{tssa.name = "x", tssa.dims = ["n"]}},
                %y: {tensor} {{tssa.name = "y", tssa.dims = ["n"]}}) -> ({", ".join(results)}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {tensor}
{body}
  return {", ".join(f"%r{i}" for i in range(len(names)))} : {", ".join(tensor for _ in names)}
}}
""")


def write_narrowing(path):
    with open(path, "w") as file:
        file.write("""func.func @main(%x: tensor<?xf64> {tssa.name = "x"}) -> (tensor<?xf16> {tssa.name = "y"}) {
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
    np.savez(stem + ".in.npz", **inputs)
    subprocess.check_call(["tssa-compile", stem + ".mlir", "-o", stem + ".so", *options])
    subprocess.check_call(["tssa-run", stem + ".so", "--inputs", stem + ".in.npz",
                           "--outputs", stem + ".out.npz"], stdout=subprocess.DEVNULL)
    return np.load(stem + ".out.npz")


def make_inputs(element):
    random = np.random.default_rng(1)
    if element == "f16":
        return np.arange(65536, dtype=np.uint16).view(np.float16)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 88.7, 89, -87, -104, 1e-45, 1e-38, 3e38]
    bits = random.integers(0, 2**32, 1 << 15, dtype=np.uint64).astype(np.uint32)
    parts = [random.normal(size=1 << 15), random.uniform(-100, 100, 1 << 15),
             np.exp(random.uniform(-80, 80, 1 << 14)),
             bits.view(np.float32) if element == "f32" else [], special]
    return np.concatenate(parts).astype(TYPES[element])


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
    return [np.concatenate(part).astype(TYPES[element]) for part in zip(*parts)]


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    left_out = MISSING if "--target=cuda-emu" in options else []
    os.makedirs(folder, exist_ok=True)
    failed = False
    with np.errstate(all="ignore"):
        for element in TYPES:
            x = make_inputs(element)
            names = [name for name in REFERENCES if (element, name) not in left_out]
            write_module(os.path.join(folder, element + ".mlir"), element, names)
            outputs = run(folder, element, options, x=x)
            for name in names:
                exact = REFERENCES[name](x.astype(np.longdouble))
                error, wrong = measure(outputs[name], exact, element)
                if error > WIDER.get((element, name), LIMITS[element]) or wrong:
                    print(f"{name} on {element}: error {error:.2f}, {wrong} of the wrong kind")
                    failed = True
            names = [name for name in PAIRS if (element, name) not in left_out]
            x, y = make_pairs(element)
            write_pairs(os.path.join(folder, element + "-pairs.mlir"), element, names)
            outputs = run(folder, element + "-pairs", options, x=x, y=y)
            for name in names:
                exact = PAIRS[name](x.astype(np.longdouble), y.astype(np.longdouble))
                error, wrong = measure(outputs[name], exact, element)
                if error > WIDER.get((element, name), LIMITS[element]) or wrong:
                    print(f"{name} on {element}: error {error:.2f}, {wrong} of the wrong kind")
                    failed = True
        x = np.random.default_rng(2).normal(size=4096) * 100
        ties = np.arange(1024, 2048) + 0.5
        x = np.concatenate([x, ties, ties * (1 + 1e-12), ties * (1 - 1e-12), x * 1e-7,
                            [1e300, -1e300, np.inf, np.nan, 65519.999999, 65520, 1e-320, 0]])
        write_narrowing(os.path.join(folder, "narrow.mlir"))
        narrow = run(folder, "narrow", options, x=x)["y"]
        if not np.array_equal(narrow, x.astype(np.float16), equal_nan=True):
            print("f64 to f16 rounds wrongly")
            failed = True
    return failed


sys.exit(main())
