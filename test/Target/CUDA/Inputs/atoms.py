"""Compiles products with schedules for tensor cores or for lanes, and runs them under the emulator.

usage: atoms.py FOLDER fixed
       atoms.py FOLDER drawn|default|lanes SEED COUNT

The fixed ones have one difficulty each; the others are drawn, with schedules or with those that the
compiler chooses. Factors are small multiples of 1/8, so that every sum is exact in f32. Products of
f32 are marked, since their factors have values of tf32, unless lanes compute them.
"""

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass

import ml_dtypes
import numpy


@dataclass
class Product:
    name: str
    m: int = 128
    n: int = 128
    k: int = 128
    batch: int = 0                 # 0: none
    type: str = "f16"
    order: str = "mk,kn"           # of the dims of both factors in memory
    epilogue: bool = False         # adds a bias of columns, takes the positive part
    open_rows: bool = False        # only a run knows m
    tile: tuple = (64, 64, 64)     # of a block
    warps: tuple = (2, 2)
    depth: int = 3
    split: int = 1                 # warps that share the steps of a tile
    lane: tuple = ()               # rows and columns of a lane's tile, if it has no atom

    def element_bytes(self):
        return 4 if self.type == "f32" else 2

    def atom(self):
        return "mma.m16n8k8" if self.type == "f32" else "mma.m16n8k16"

    def sizes(self, dims):
        return [self.batch] * (self.batch > 0) + [getattr(self, dim) for dim in dims]

    def tensor(self, dims, element):
        sizes = self.sizes(dims)
        shape = "x".join("?" if self.open_rows and dim == "m" else str(size)
                         for dim, size in zip("b" * (self.batch > 0) + dims, sizes))
        return f"tensor<{shape}x{element}>"


FIXED = [
    Product("plain"),
    Product("bias", epilogue=True, depth=2),
    Product("bf16", type="bf16"),
    Product("transposed_rhs", order="mk,nk"),
    Product("transposed_lhs", order="km,kn"),
    Product("batch", batch=3, m=64, k=64, order="mk,nk"),
    Product("rows_left", m=77),
    Product("columns_left", n=72, epilogue=True),
    Product("odd_columns", n=75, order="mk,nk"),
    Product("steps_left", k=200, depth=4),
    Product("few_steps", k=64, depth=4),
    Product("open_rows", m=200, open_rows=True),
    Product("constant_row", m=1, k=28, order="km,nk", epilogue=True),
    Product("one_row", m=1, open_rows=True, epilogue=True),
    Product("one_warp", tile=(16, 24, 32), warps=(1, 1)),
    Product("cut_rows", k=93, n=75),
    Product("uneven_runs", tile=(16, 64, 32), warps=(1, 4)),
    Product("odd_fragments", tile=(32, 48, 64), warps=(1, 2), n=96),
    Product("shared_steps", split=2, k=256, epilogue=True),
    Product("shared_steps_left", split=4, tile=(32, 32, 32), warps=(1, 1), m=77, n=72, k=200),
    Product("shared_open_rows", split=2, tile=(32, 64, 64), warps=(1, 2), m=45, k=136, open_rows=True, batch=2),
    Product("tf32", type="f32"),
    Product("tf32_bias", type="f32", tile=(64, 64, 32), epilogue=True, depth=2),
    Product("tf32_transposed_rhs", type="f32", tile=(64, 64, 32), order="mk,nk"),
    Product("tf32_transposed_lhs", type="f32", tile=(64, 64, 32), order="km,kn"),
    Product("tf32_transposed_both", type="f32", tile=(32, 96, 32), n=96, order="km,nk"),
    Product("tf32_batch", type="f32", tile=(64, 64, 32), batch=3, m=64, k=64, order="mk,nk"),
    Product("tf32_rows_left", type="f32", tile=(64, 64, 32), m=77),
    Product("tf32_columns_left", type="f32", tile=(64, 64, 32), n=72, epilogue=True),
    Product("tf32_steps_left", type="f32", tile=(64, 64, 32), k=100, depth=4),
    Product("tf32_cut_rows", type="f32", tile=(64, 64, 32), k=93, n=75, order="mk,nk"),
    Product("tf32_open_rows", type="f32", tile=(64, 64, 32), m=200, open_rows=True),
    Product("tf32_one_warp", type="f32", tile=(16, 24, 8), warps=(1, 1)),
    Product("tf32_constant_row", type="f32", tile=(64, 64, 32), m=1, k=28, order="km,nk", epilogue=True),
    Product("tf32_shared_steps", type="f32", tile=(64, 64, 32), split=2, k=256, order="mk,nk", epilogue=True),
]


def draw(number):
    order = random.choice(["mk,kn", "mk,nk", "km,kn", "km,nk"])
    warps = random.choice([(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1)])
    rows, columns = warps[0] * random.choice([16, 32]), warps[1] * random.choice([16, 32])
    type = random.choice(["f16", "bf16", "f32", "f32"])
    steps = random.choice([8, 16, 24, 32] if type == "f32" else [32, 64])
    splits = [1, 2] if type == "f32" else [1, 2, 4]  # buffers must fit
    split = random.choice(splits) if warps in [(1, 1), (1, 2)] and steps <= 32 else 1
    open_rows = random.random() < 0.3
    whole = 1 if random.random() < 0.4 else 8  # whether runs of 16 bytes may be cut
    size = lambda most, whole: random.randint(1, most // whole) * whole
    return Product(
        f"random{number}", m=size(150, whole if "km" in order else 1), n=size(150, whole if "kn" in order else 1),
        k=size(200, whole), batch=random.choice([0, 0, 2]), type=type, order=order,
        epilogue=random.random() < 0.5, open_rows=open_rows, tile=(rows, columns, steps), warps=warps,
        depth=random.choice([2, 3, 4]), split=split)


def draw_lanes(number):
    rows, columns = random.choice([2, 4, 8]), random.choice([2, 4, 8])
    down, across = random.choice([(1, 2), (2, 1), (2, 2), (4, 1), (1, 4), (4, 2)])
    product = draw(number)
    product.type, product.lane, product.warps, product.split = "f32", (rows, columns), (down, across), 1
    product.tile = (rows * columns * down, 32 * across, random.choice([8, 16, 32]))
    return product


def indexes(product, dims):
    numbers = {"m": 0, "n": 1, "k": 2}
    first = product.batch > 0
    return ", ".join(["d0"] * first + [f"d{numbers[dim] + first}" for dim in dims])


def write_program(p):
    """The product as te.compute; with an open number of rows, that of %a."""
    lhs, rhs = p.order.split(",")
    first = int(p.batch > 0)
    a, b, y = p.tensor(lhs, p.type), p.tensor(rhs, p.type), p.tensor("mn", p.type)
    row = first + lhs.index("m")
    wanted = [str(size) for size in p.sizes(lhs)]
    wanted[row] = '"m"'
    dims = f", dims = [{', '.join(wanted)}]" if p.open_rows else ""
    ports = [f'%a: {a} {{te.port = #te.port<name = "a"{dims}>}}', f'%b: {b} {{te.port = #te.port<name = "b">}}',
             f'%c: tensor<{p.n}x{p.type}> {{te.port = #te.port<name = "c">}}'][:3 if p.epilogue else 2]
    size = f"  %at = arith.constant {row} : index\n  %m = tensor.dim %a, %at : {a}\n" if p.open_rows else ""
    domain = [f"d0: {p.batch}"] * first + [f"d{first}: {'%m' if p.open_rows else p.m}", f"d{first + 1}: {p.n}"]
    is_wide = p.type == "f32"
    extend = lambda to, value: "" if is_wide else f"    {to} = arith.extf {value} : {p.type} to f32\n"
    epilogue = f"""    %bias = te.read %c[d{first + 1}] : tensor<{p.n}x{p.type}>
{extend('%wide', '%bias')}    %added = arith.addf %s, {'%bias' if is_wide else '%wide'} : f32
    %zero = arith.constant 0.0 : f32
    %positive = arith.maximumf %added, %zero : f32
""" if p.epilogue else ""
    total = "%positive" if p.epilogue else "%s"
    product = "%x, %z" if not is_wide else "%u, %v" if p.lane else "%u, %v {te.tf32}"
    narrow = "" if is_wide else f"    %t = arith.truncf {total} : f32 to {p.type}\n"
    return f"""func.func @main({', '.join(ports)}) -> ({y} {{te.port = #te.port<name = "y">}}) {{
{size}  %y = te.compute ({', '.join(domain)}) reduce (d{first + 2}: {p.k}) init (0.0 : f32) {{
    %u = te.read %a[{indexes(p, lhs)}] : {a}
    %v = te.read %b[{indexes(p, rhs)}] : {b}
{extend('%x', '%u')}{extend('%z', '%v')}    %q = arith.mulf {product} : f32
    te.yield %q : f32
  }} combine arith.addf then (%s: f32) {{
{epilogue}{narrow}    te.yield {total if is_wide else '%t'} : {p.type}
  }} : {y}
  return %y : {y}
}}
"""


def write_schedule(p, kernel):
    """The file of schedules whose kernel is given, with another schedule."""
    head = kernel[:kernel.index("} schedule {")]
    label = re.search(r"te.compute @(\w+)", head).group(1)
    first = int(p.batch > 0)
    outer = ", ".join([f"%l#{i}" for i in range(first)] + ["%i#0", "%j#0"])
    head = f"""{head}}} schedule {{
  %l:{3 + first} = layout.loops @{label} : {', '.join(['!layout.loop'] * (3 + first))}
"""
    return head + (write_lanes if p.lane else write_atoms)(p, first, outer)


def write_lanes(p, first, outer):
    lanes_across = 32 // p.lane[1]
    return f"""  %r:2 = layout.split %l#{first} [*, {p.lane[0]}]
  %c:2 = layout.split %l#{first + 1} [*, {p.lane[1]}]
  %i:3 = layout.split %r#0 [*, {p.warps[0]}, {32 // lanes_across}]
  %j:3 = layout.split %c#0 [*, {p.warps[1]}, {lanes_across}]
  %k:2 = layout.split %l#{first + 2} [*, {p.tile[2]}]
  layout.reorder {outer}, %i#1, %j#1, %i#2, %j#2, %k#0, %k#1, %r#1, %c#1
  layout.cache 0 at %k#0 to shared
  layout.cache 1 at %k#0 to shared
  layout.register_tile %r#1
  layout.vectorize %c#1
  layout.bind {outer} to block
  layout.bind %i#1, %j#1, %i#2, %j#2 to lane
}}
"""


def write_atoms(p, first, outer):
    return f"""\
  %i:3 = layout.split %l#{first} [*, {p.warps[0]}, {p.tile[0] // p.warps[0]}]
  %j:3 = layout.split %l#{first + 1} [*, {p.warps[1]}, {p.tile[1] // p.warps[1]}]
  %k:3 = layout.split %l#{first + 2} [*, {p.split}, {p.tile[2]}]
  layout.reorder {outer}, %i#1, %j#1, %k#1, %k#0, %i#2, %j#2, %k#2
  layout.bind {outer} to block
  layout.bind %i#1, %j#1, %k#1 to warp
  layout.cache 0 at %k#0 to shared
  layout.cache 1 at %k#0 to shared
  layout.pipeline %k#0 depth {p.depth}
  layout.atom %i#2, %j#2, %k#2 "{p.atom()}"
}}
"""


def entries(p, arrays):
    """The members of an .npz file that tssa-run reads: bf16 as its bits."""
    if p.type != "bf16":
        dtype = numpy.float16 if p.type == "f16" else numpy.float32
        return {name: array.astype(dtype) for name, array in arrays.items()}
    return {f"{name}:bf16": array.astype(ml_dtypes.bfloat16).view(numpy.uint16) for name, array in arrays.items()}


def make_arrays(p):
    numbers = numpy.random.default_rng(p.m + p.n + p.k)
    draw_array = lambda shape: numbers.integers(-4, 5, shape).astype(numpy.float64) / 8
    lhs, rhs = p.order.split(",")
    a, b, c = draw_array(p.sizes(lhs)), draw_array(p.sizes(rhs)), draw_array([p.n])
    y = (a if lhs == "mk" else numpy.swapaxes(a, -1, -2)) @ (b if rhs == "kn" else numpy.swapaxes(b, -1, -2))
    inputs = {"a": a, "b": b}
    if p.epilogue:
        inputs["c"] = c
        y = numpy.maximum(y + c, 0)
    return entries(p, inputs), entries(p, {"y": y})


def call(*command):
    return subprocess.run(command, capture_output=True, text=True)


def check(p, folder, has_schedule):
    """Gives None, or what went wrong."""
    os.makedirs(folder, exist_ok=True)
    given, wanted, program, schedule, binary = (
        os.path.join(folder, name) for name in ("in.npz", "out.npz", "program.mlir", "schedule.mlir", "program.so"))
    inputs, outputs = make_arrays(p)
    numpy.savez(given, **inputs)
    numpy.savez(wanted, **outputs)
    with open(program, "w") as file:
        file.write(write_program(p))
    whole = ["--without=split-reductions"][:has_schedule]  # sums have one part
    kernel = call("tssa-compile", program, "--target=cuda-emu", "--emit=schedule", "-o", schedule, *whole)
    if kernel.returncode:
        return kernel.stderr
    with open(schedule) as file:
        text = write_schedule(p, file.read())
    with open(schedule, "w") as file:
        file.write(text)
    compiled = call("tssa-compile", program, "--target=cuda-emu", "-o", binary, *whole,
                    *[f"--schedule={schedule}"][:has_schedule])
    if compiled.returncode:
        return compiled.stderr
    run = call("tssa-run", binary, "--inputs", given, "--expect", wanted, "--rtol=0", "--atol=0", "--profile", "--json")
    if run.returncode:
        return run.stderr + run.stdout[-300:]
    conflicts = json.loads(run.stdout)["profile"][0]["counters"]["shared_conflicts"]
    # Rows of 128 bytes, which copies bring.
    long_rows = has_schedule and not p.lane and all(size * p.element_bytes() % 128 == 0 for size in p.tile) and all(
        getattr(p, dims[-1]) * p.element_bytes() % 16 == 0 for dims in p.order.split(","))
    return f"{conflicts} conflicts" if conflicts and long_rows else None


def main():
    folder, which = sys.argv[1], sys.argv[2]
    products = FIXED
    if which != "fixed":
        random.seed(int(sys.argv[3]))
        make = draw_lanes if which == "lanes" else draw
        products = [make(number) for number in range(int(sys.argv[4]))]
    right = 0
    for product in products:
        complaint = check(product, os.path.join(folder, product.name), which != "default")
        right += complaint is None
        if complaint:
            print(f"{product}: {complaint}")
    print(f"{right} of {len(products)} products are right")


main()
