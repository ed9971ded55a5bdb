# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiles products and convolutions with schedules for instructions of CPUs that multiply words, and compares what they
compute with numpy.

usage: dots.py FOLDER emulate|native SEED COUNT [PREFIX]

Factors are small integers, or multiples of 1/8, so that every sum is exact. Runs on 1, 2 and 4 threads must be equal. With
native, the instructions that this machine does not have are left out; PREFIX is that of the names of those to try. The last
line says how many programs were right.
"""

import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import ml_dtypes
import numpy

# By instruction: its lanes and steps, and the feature of a CPU that has it.
ATOMS = {"avx512.bf16": (16, 2, "avx512bf16"), "avx512.vnni": (16, 4, "avx512vnni"), "avx.vnni": (8, 4, "avx512vnni"),
         "amx.bf16": (16, 32, "amx-bf16"), "amx.int8": (16, 64, "amx-int8")}
# Of registers of matrices: the most rows, by vectors, whose sums and factors fit.
MATRIX_ROWS = {1: 80, 2: 32, 3: 16}


@dataclass
class Program:
    """A product x [batch, m, k] @ w [k, n], or a convolution of x [m, width, k] with windows of `window` x `window`."""
    name: str
    atom: str
    m: int
    n: int
    k: int
    batch: int = 0        # 0: none
    window: int = 0       # 0: a product
    width: int = 0
    stride: int = 1
    dilation: int = 1
    pad: int = 0
    epilogue: bool = False
    packed: bool = True    # whether the elements of w for the steps of a dot product lie beside each other
    across: bool = False   # whether the rows of x are along its last dim; of a product
    unrolled: bool = False  # whether windows are unrolled
    swapped: bool = False  # whether the first factor of the product is w
    open_rows: bool = False
    odd: bool = False      # whether rows of x have k elements, and no whole number of words
    rows: int = 4         # of a tile
    vectors: int = 2
    steps: int = 2        # dot products in a tile
    signs: str = "us"     # of the bytes of x and w
    sums: int = 1         # of which each has n columns of w; the result is the first + 2 * the second + ...

    def __post_init__(self):
        self.lanes, self.atomsteps, self.feature = ATOMS[self.atom]
        self.isfloat = self.atom.endswith("bf16")
        self.step = 2 if self.isfloat else 4  # elements of a word
        self.groups = -(-self.k // self.step)
        self.whole = self.k if self.odd else self.groups * self.step  # elements of a row of x
        self.columns = self.n * self.sums

    def outputs(self, size):
        return (size + 2 * self.pad - self.dilation * (self.window - 1) - 1) // self.stride + 1


def draw(number, atoms):
    atom = random.choice(atoms)
    common = dict(name=f"random{number}", atom=atom, packed=random.random() < 0.7, epilogue=random.random() < 0.5, swapped=random.random() < 0.3,
                  rows=random.choice([1, 2, 3, 4, 6]), vectors=random.choice([1, 2, 3]), steps=random.choice([1, 2, 4]))
    if atom.startswith("amx"):
        rows = random.choice([1, 5, 14, 16, 17, 28, 32, 48, 64, 79, 80])
        common |= dict(rows=min(rows, MATRIX_ROWS[common["vectors"]]), steps=1, signs=random.choice(["us", "su", "uu", "ss"]))
    else:
        common |= dict(sums=random.choice([1, 1, 1, 2, 4]))
    if random.random() < 0.5:
        return Program(m=random.randint(1, 40 if common["rows"] < 40 else 200), n=random.choice([random.randint(1, 100), 64, 96]), k=random.randint(1, 150),
                       batch=random.choice([0, 0, 3]), open_rows=random.random() < 0.3, across=random.random() < 0.2,
                       odd=random.random() < 0.3, **common)
    window, dilation = random.choice([1, 2, 3, 5]), random.choice([1, 1, 2])
    least = dilation * (window - 1) + 1
    return Program(m=random.randint(least, least + 12), width=random.randint(least, least + 12), n=random.randint(1, 70),
                   k=random.choice([random.randint(1, 40), 16, 32]), window=window, stride=random.choice([1, 1, 2]),
                   dilation=dilation, pad=random.randint(0, window // 2), unrolled=window < 4 and random.random() < 0.5,
                   odd=random.random() < 0.2, **common)


def write_program(p):
    """Packed, w is [.., k / step, n, step], and else [.., k, n]."""
    low, high, sum_type = ("bf16", "bf16", "f32") if p.isfloat else ("i8", "i8", "i32")
    k = p.whole
    zero = "0.0" if p.isfloat else "0"
    if p.window:
        w = f"{p.groups}x{p.columns}x{p.step}" if p.packed else f"{p.k}x{p.columns}"
        x, w = f"tensor<{p.m}x{p.width}x{k}x{low}>", f"tensor<{p.window}x{p.window}x{w}x{high}>"
        sizes = [p.outputs(p.m), p.outputs(p.width), p.n]
        at = [f"d{dim} * {p.stride} + d{dim + 3} * {p.dilation} - {p.pad}" for dim in range(2)]
        conditions = ", ".join(f"{e} >= 0, {limit - 1} - ({e}) >= 0" for e, limit in zip(at, (p.m, p.width)))
        where = f" where ({conditions}) else {zero}" if p.pad else ""
        read = f"te.read %x[{at[0]}, {at[1]}, d5] : {x}{where}"
        lead, column, step = "d3, d4, ", "d2", "d5"
        parallel, reduced = 3, [p.window, p.window, p.k]
        y, size, port = f"tensor<{sizes[0]}x{sizes[1]}x{p.n}x{sum_type}>", "", ""
    else:
        first = int(p.batch > 0)
        rows = "?" if p.open_rows else p.m
        batch = f"{p.batch}x" if p.batch else ""
        x = f"tensor<{batch}{k}x{rows}x{low}>" if p.across else f"tensor<{batch}{rows}x{k}x{low}>"
        w = f"tensor<{p.groups}x{p.columns}x{p.step}x{high}>" if p.packed else f"tensor<{p.k}x{p.columns}x{high}>"
        row, column, step = (f"d{first + i}" for i in range(3))
        lead = "d0, " if first else ""
        read = f"te.read %x[{lead}{f'{step}, {row}' if p.across else f'{row}, {step}'}] : {x}"
        lead = ""
        sizes = [p.batch] * first + ["%m" if p.open_rows else p.m, p.n]
        parallel, reduced = 2 + first, [p.k]
        y = f"tensor<{batch}{rows}x{p.n}x{sum_type}>"
        size = f"  %at = arith.constant {first + p.across} : index\n  %m = tensor.dim %x, %at : {x}\n" if p.open_rows else ""
        dims = [*[str(p.batch)] * first, *([str(k), '"m"'] if p.across else ['"m"', str(k)])]
        port = f", dims = [{', '.join(dims)}]" if p.open_rows else ""
    domain = ", ".join(f"d{i}: {value}" for i, value in enumerate(sizes))
    reduction = ", ".join(f"d{parallel + i}: {value}" for i, value in enumerate(reduced))
    ext = [f"arith.ext{'f' if p.isfloat else f'{sign}i'}" for sign in p.signs]
    product = "%b, %a" if p.swapped else "%a, %b"
    letter = "f" if p.isfloat else "i"
    factors = summands = ""
    for i in range(p.sums):
        shifted = f"{column} + {i * p.n}"
        at = f"{step} floordiv {p.step}, {shifted}, {step} mod {p.step}" if p.packed else f"{step}, {shifted}"
        factors += f"""    %v{i} = te.read %w[{lead}{at}] : {w}
    %b{i} = {ext[1]} %v{i} : {high} to {sum_type}
    %q{i} = arith.mul{letter} {product.replace('%b', f'%b{i}')} : {sum_type}
"""
        summands += f"    %p{i} = arith.add{letter} %l{i}, %r{i} : {sum_type}\n"
    total = "".join(f"""    %f{i} = arith.constant {i + 1}{'.0' * p.isfloat} : {sum_type}
    %w{i} = arith.mul{letter} %s{i}, %f{i} : {sum_type}
    %t{i} = arith.add{letter} {f'%t{i - 1}' if i > 1 else '%s0'}, %w{i} : {sum_type}
""" for i in range(1, p.sums))
    total_name = f"%t{p.sums - 1}" if p.sums > 1 else "%s0"
    typed = [", ".join(f"%{name}{i}: {sum_type}" for i in range(p.sums)) for name in "lrs"]
    listed = [", ".join(f"%{name}{i}" for i in range(p.sums)) for name in "qp"]
    types = ", ".join([sum_type] * p.sums)
    inits = ", ".join([f"{zero} : {sum_type}"] * p.sums)
    epilogue = f"""    %bias = te.read %c[{column}] : tensor<{p.n}x{sum_type}>
    %added = arith.add{letter} {total_name}, %bias : {sum_type}
""" if p.epilogue else ""
    ports = f'%x: {x} {{te.port = #te.port<name = "x"{port}>}}, %w: {w} {{te.port = #te.port<name = "w">}}'
    ports += f', %c: tensor<{p.n}x{sum_type}> {{te.port = #te.port<name = "c">}}' if p.epilogue else ""
    return f"""func.func @main({ports}) -> ({y} {{te.port = #te.port<name = "y">}}) {{
{size}  %y = te.compute ({domain}) reduce ({reduction}) init ({inits}) {{
    %u = {read}
    %a = {ext[0]} %u : {low} to {sum_type}
{factors}    te.yield {listed[0]} : {types}
  }} combine ({typed[0]}, {typed[1]}) {{
{summands}    te.yield {listed[1]} : {types}
  }} then ({typed[2]}) {{
{total}{epilogue}    te.yield {"%added" if p.epilogue else total_name} : {sum_type}
  }} : {y}
  return %y : {y}
}}
"""


def write_schedule(p, kernel):
    """The file of schedules whose kernel is given, with a schedule for the instruction."""
    head = kernel[:kernel.index("} schedule {")]
    label = re.search(r"te.compute @(\w+)", head).group(1)
    count = 6 if p.window else 3 + (p.batch > 0)
    parallel = 3 if p.window else count - 1
    outer = [f"%l#{i}" for i in range(parallel - 2)]
    windows = ["%l#3", "%l#4"] if p.window else []
    tiled = windows[1:] * p.unrolled
    order = ["%j#0", *outer, "%i#0", *windows[:2 - p.unrolled], "%k#0", *tiled, "%i#1", "%j#1", "%j#2", "%k#1"]
    return f"""{head}}} schedule {{
  %l:{count} = layout.loops @{label} : {', '.join(['!layout.loop'] * count)}
  %i:2 = layout.split %l#{parallel - 2} [*, {p.rows}]
  %j:3 = layout.split %l#{parallel - 1} [*, {p.vectors}, {p.lanes}]
  %k:2 = layout.split %l#{count - 1} [*, {p.steps * p.atomsteps}]
  layout.reorder {', '.join(order)}
  layout.register_tile {', '.join([*tiled, '%i#1', '%j#1'])}
  layout.vectorize %j#2
  layout.atom %k#1 "{p.atom}"
  layout.bind {', '.join(['%j#0', *outer, '%i#0'])} to parallel
}}
"""


def make_arrays(p):
    numbers = numpy.random.default_rng(p.m + p.n + p.k)
    k = p.groups * p.step
    shape = (p.m, p.width, p.whole) if p.window else (*([p.batch] * (p.batch > 0)), p.m, p.whole)
    bytes_ = {"u": (0, 256), "s": (-128, 128)}
    x = numbers.integers(-8, 9, shape) / 8 if p.isfloat else numbers.integers(*bytes_[p.signs[0]], shape)
    shape = (*([p.window] * 2 if p.window else []), k, p.columns)
    w = numbers.integers(-8, 9, shape) / 8 if p.isfloat else numbers.integers(*bytes_[p.signs[1]], shape)
    c = numbers.integers(-9, 10, p.n)
    used, weights = x[..., :p.k], w[..., :p.k, :]
    if p.isfloat:  # what lies behind must not be added
        x[..., p.k:] = w[..., p.k:, :] = numpy.nan
    if p.window:
        padded = numpy.pad(used, ((p.pad, p.pad), (p.pad, p.pad), (0, 0)))
        y = numpy.zeros((p.outputs(p.m), p.outputs(p.width), p.columns))
        for i in range(p.window):
            for j in range(p.window):
                part = padded[i * p.dilation:, j * p.dilation:][::p.stride, ::p.stride][:y.shape[0], :y.shape[1]]
                y += part @ weights[i, j]
    else:
        y = used @ weights
    y = sum((i + 1) * part for i, part in enumerate(numpy.split(y, p.sums, axis=-1))) + c * p.epilogue
    packed = numpy.swapaxes(w.reshape(*w.shape[:-2], p.groups, p.step, p.columns), -1, -2) if p.packed else weights
    x = numpy.swapaxes(x, -1, -2) if p.across else x
    kind = numpy.float32 if p.isfloat else numpy.int32
    inputs = {"c": c.astype(kind)} if p.epilogue else {}
    if p.isfloat:
        inputs |= {f"{name}:bf16": a.astype(ml_dtypes.bfloat16).view(numpy.uint16) for name, a in (("x", x), ("w", packed))}
    else:
        inputs |= {"x": x.astype(numpy.uint8).view(numpy.int8), "w": packed.astype(numpy.uint8).view(numpy.int8)}
    return inputs, {"y": y.astype(kind)}


def call(*command):
    return subprocess.run(command, capture_output=True, text=True)


def check(p, folder, which):
    """Gives None, or what went wrong."""
    os.makedirs(folder, exist_ok=True)
    given, wanted, program, schedule, binary = (
        os.path.join(folder, name) for name in ("in.npz", "out.npz", "program.mlir", "schedule.mlir", f"{which}.so"))
    inputs, outputs = make_arrays(p)
    numpy.savez(given, **inputs)
    numpy.savez(wanted, **outputs)
    with open(program, "w") as file:
        file.write(write_program(p))
    kernel = call("tssa-compile", program, "--emit=schedule", "-o", schedule)
    if kernel.returncode:
        return kernel.stderr
    with open(schedule) as file:
        text = write_schedule(p, file.read())
    with open(schedule, "w") as file:
        file.write(text)
    compiled = call("tssa-compile", program, f"--atom={which}", "-o", binary, f"--schedule={schedule}")
    if compiled.returncode:
        return compiled.stderr
    for threads in 1, 2, 4:
        run = call("tssa-run", binary, "--inputs", given, "--expect", wanted, "--rtol=0", "--atol=0", f"--threads={threads}")
        if run.returncode:
            return f"{threads} threads: {run.stderr}{run.stdout[-300:]}"
    return None


def main():
    folder, which, seed, count, prefix = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), "".join(sys.argv[5:])
    machine = call("tssa-compile", "--emit=machine", "-o", "-").stdout
    atoms = [atom for atom, (_, _, feature) in ATOMS.items()
             if atom.startswith(prefix) and (which == "emulate" or json.dumps(feature) in machine)]
    random.seed(seed)
    programs = [draw(number, atoms) for number in range(count)] if atoms else []
    with ThreadPoolExecutor(2) as pool:
        complaints = list(pool.map(lambda p: check(p, os.path.join(folder, p.name), which), programs))
    for program, complaint in zip(programs, complaints):
        if complaint:
            print(f"{program}: {complaint}")
    print(f"{complaints.count(None)} of {len(programs)} programs are right")


main()
