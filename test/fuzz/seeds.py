"""Makes the inputs from which the fuzzers start, out of what other tests use.

usage: seeds.py --bin DIR --out DIR TARGET...

Writes DIR/<target>/... for each fuzzer named. Artifacts and manifests come from
tssa-compile in --bin, and text in the generic form from tssa-opt; the others need no built program.
"""

import argparse
import glob
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnx.parser

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
#: Larger models make slow executions, and seldom reach what small ones do not.
MODEL_BYTES = 2000
TEXT_BYTES = 4000
#: Node tests per operator: those of a family take much the same ways.
PER_OPERATOR = 4


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lit_parts():
    """What lit tests give to tssa-opt, cut at the marks that --split-input-file cuts at."""
    for path in sorted(glob.glob(os.path.join(TESTS, "**", "*.mlir"), recursive=True)):
        for part in read(path).split("// -----\n"):
            text = "\n".join(line for line in part.splitlines() if not line.lstrip().startswith("//"))
            if text.strip():
                yield text.strip().encode() + b"\n"


def text_modules(tools):
    """The lit tests, and what is a module by itself also in the generic form."""
    for text in lit_parts():
        yield text
        printed = subprocess.run([os.path.join(tools, "tssa-opt"), "--mlir-print-op-generic"], input=text,
                                 capture_output=True, timeout=60)
        if printed.returncode == 0 and len(printed.stdout) <= TEXT_BYTES:
            yield printed.stdout


def small_models():
    """The text models of the importer's tests, and node tests of every operator."""
    for path in sorted(glob.glob(os.path.join(TESTS, "Import", "*.test"))):
        for part in re.split(r"^#--- .*\n", read(path), flags=re.M)[1:]:
            try:
                yield onnx.parser.parse_model(part)
            except onnx.parser.ParseError:
                continue  # some parts are not models
    from onnx.backend.test.case.node import collect_testcases

    taken = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        operator = case.model.graph.node[-1].op_type
        if taken.get(operator, 0) < PER_OPERATOR and case.model.ByteSize() <= MODEL_BYTES:
            taken[operator] = taken.get(operator, 0) + 1
            yield case.model


def arrays():
    for dtype in ("f4", "f8", "f2", "?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        yield np.arange(6, dtype=np.int64).astype(dtype).reshape(2, 3)
    yield np.float32(1)
    yield np.zeros((0, 3), np.float32)
    yield np.asfortranarray(np.ones((2, 3), np.float32))


def npy_files():
    for array in arrays():
        for version in ((1, 0), (2, 0), (3, 0)):
            file = io.BytesIO()
            np.lib.format.write_array(file, np.asanyarray(array), version=version)
            yield file.getvalue()


def npz_files():
    for save in (np.savez, np.savez_compressed):
        for count in (0, 1, 3):
            file = io.BytesIO()
            save(file, **{f"x{i}": array for i, array in enumerate(list(arrays())[:count])})
            yield file.getvalue()


def artifacts(tools):
    """A program that keeps weights, one with symbols, one with two variants."""
    texts = (
        '<ir_version: 10, opset_import: ["" : 21]> g (float[2, 3] x) => (float[2, 3] y)'
        " <float[2, 3] w = {1, 2, 3, 4, 5, 6}> { y = Mul(x, w) }",
        '<ir_version: 10, opset_import: ["" : 21]> g (float[N, 4] x, int64[N] i) => (float[N, 4] y)'
        " { y = Gather(x, i) }",
    )
    with tempfile.TemporaryDirectory() as place:
        for number, text in enumerate(texts):
            model, binary = os.path.join(place, "model.onnx"), os.path.join(place, "model.so")
            onnx.save(onnx.parser.parse_model(text), model)
            target = "cpu,cuda-emu" if number == 0 else "cpu"
            subprocess.run([os.path.join(tools, "tssa-compile"), model, "-o", binary, f"--target={target}"],
                           check=True, timeout=300)
            with open(binary, "rb") as file:
                yield file.read()


def manifests(tools):
    """The payloads of artifacts' manifests, without the 56 bytes of their header."""
    for bytes_ in artifacts(tools):
        at = bytes_.index(b"TSSA-MAN")
        (size,) = struct.unpack_from("<Q", bytes_, at + 16)
        yield bytes_[at + 56 : at + 56 + size]


def pytorch_programs():
    """Programs as the Python package writes them: arithmetic, a loop, views, a write, a window, a constant."""
    tensor = {"kind": "tensor", "name": "x", "dtype": "f32", "sizes": [3, 4]}
    number = lambda value: {"kind": "int", "value": value}

    def node(op, inputs, outputs, **more):
        return {"op": op, "in": inputs, "out": outputs, "at": [0, 1, 1], **more}

    def constant(value, at):
        return node("prim::Constant", [], [at], value=number(value))

    def program(nodes, outputs):
        return {"format": "tssa-pytorch", "version": 1, "name": "f", "files": ["f.py"],
                "arguments": [tensor], "graph": {"inputs": [0], "outputs": outputs, "nodes": nodes}}

    def window():
        """A convolution of one dim by itself, and a view of it."""
        image = {"kind": "tensor", "name": "x", "dtype": "f32", "sizes": [2, 2, 4], "symbols": [None, None, "n"]}
        ints = lambda *values: {"kind": "list", "elements": [number(v) for v in values]}
        values = [{"kind": "none"}, ints(1), ints(1), ints(1), {"kind": "bool", "value": False}, ints(0), number(1),
                  ints(4, -1)]
        nodes = [node("prim::Constant", [], [i], value=value) for i, value in enumerate(values, 1)]
        nodes += [node("aten::convolution", [0, 0, *range(1, 8)], [9]), node("tssa::view", [9, 8], [10])]
        return dict(program(nodes, [10]), arguments=[image])

    add = node("aten::add.Tensor", [0, 0, 1], [2])
    select = node("aten::select.int", [0, 2, 3], [4])
    write = node("aten::add_.Tensor", [4, 4, 1], [5])
    body = {"inputs": [6], "outputs": [7], "nodes": [node("aten::add_.Tensor", [0, 0, 1], [8])]}
    loop = node("prim::Loop", [3, 7], [], blocks=[body])
    truth = node("prim::Constant", [], [7], value={"kind": "bool", "value": True})
    for value in (
        program([constant(1, 1), add], [2]),
        program([constant(1, 1), constant(0, 2), constant(1, 3), select, write], [0]),
        program([constant(1, 1), constant(2, 3), truth, loop], [0]),
        window(),
        dict(program([constant(1, 1), add], [2]), arguments=[dict(tensor, data={"file": "w.bin", "offset": 16})]),
    ):
        yield json.dumps(value).encode()


OPEN_KERNEL = """te.kernel @kernel(%x: tensor<?x?xf32> {te.sizes = array<i64: 2, 3>}, %i: index, %n: index, %m: index) -> tensor<?x?xf32> {
  %s = te.compute @sum (d0: %n) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + s1 - s0](%m, %i) : tensor<?x?xf32> where (d1 - s0 + s1 >= 0, -d1 + s0 - s1 + 2 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<?xf32>
  %z = te.compute @map (d0: %n, d1: %m) {
    %a = te.read %x[d0, d1] : tensor<?x?xf32>
    %b = te.read %s[d0] : tensor<?xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<?x?xf32>
  te.return %z : tensor<?x?xf32>
}
"""


def records():
    """Schedules for the programs of fuzz-records, sizes for the open one, and whole records."""
    schedules = {
        "d": """%0:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 4]
  %2:2 = layout.split %0#1 [*, 8]
  layout.reorder %1#0, %2#0, %0#2, %1#1, %2#1
  layout.register_tile %1#1
  layout.vectorize %2#1
  layout.bind %1#0, %2#0 to parallel
""",
        "a": """%0:2 = layout.loops @sum : !layout.loop, !layout.loop
  %1:3 = layout.split %0#1 [*, 2, 8]
  layout.reorder %0#0, %1#0, %1#1, %1#2
  layout.register_tile %1#1
  layout.vectorize %1#2
  %2:2 = layout.loops @map : !layout.loop, !layout.loop
  %3:3 = layout.split %2#1 [*, 4, 8]
  layout.register_tile %3#1
  layout.vectorize %3#2
  layout.bind %2#0 to parallel
  layout.compute_at @sum, %2#0
""",
        "b": """layout.inline @a
  %0:2 = layout.loops @b : !layout.loop, !layout.loop
  %1 = layout.fuse %0#0, %0#1
  %2:2 = layout.split %1 [*, 16]
  layout.vectorize %2#1
""",
    }
    for program, schedule in schedules.items():
        yield (program + schedule).encode()
    kernel = """te.kernel @kernel(%arg0: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = te.compute @sum (d0: 4) reduce (d1: 64) init (0.000000e+00 : f32) {
    %2 = te.read %arg0[d0, d1] : tensor<4x64xf32>
    %3 = math.exp %2 : f32
    te.yield %3 : f32
  } combine arith.addf : tensor<4xf32>
  %1 = te.compute @map (d0: 4, d1: 64) {
    %2 = te.read %arg0[d0, d1] : tensor<4x64xf32>
    %3 = math.exp %2 : f32
    %4 = te.read %0[d0] : tensor<4xf32>
    %5 = arith.divf %3, %4 : f32
    te.yield %5 : f32
  } : tensor<4x64xf32>
  te.return %1 : tensor<4x64xf32>
} schedule {
  """
    header = """// tssa record 1
// task: TASK
// machine: some
// epoch: EPOCH
// threads: 1
// seconds: 1.000e-06 of 2.000e-06
// constants:
"""
    yield ("A" + header + kernel + schedules["a"] + "}\n").encode()
    yield b"c" + bytes([3, 131, 2, 4, 2, 5, 0, 40])
    sizes = "// sizes: 4 8\n// sizes: 16 8 in 8..32 4..16\n// constants:"
    yield ("C" + header.replace("// constants:", sizes) + OPEN_KERNEL).encode()


MAKERS = {
    "artifact": artifacts,
    "manifest": manifests,
    "npy": lambda tools: npy_files(),
    "npz": lambda tools: npz_files(),
    "onnx": lambda tools: (model.SerializeToString() for model in small_models()),
    "records": lambda tools: records(),
    "text": text_modules,
    "pytorch": lambda tools: pytorch_programs(),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="", metavar="DIR", help="where tssa-compile and tssa-opt are")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("targets", nargs="+", choices=sorted(MAKERS), metavar="TARGET")
    options = parser.parse_args()
    for target in options.targets:
        folder = os.path.join(options.out, target)
        os.makedirs(folder, exist_ok=True)
        count = total = 0
        for content in MAKERS[target](options.bin):
            name = hashlib.sha256(content).hexdigest()[:16]
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            count, total = count + 1, total + len(content)
        print(f"{target}: {count} seeds, {total} bytes")
        if not count:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
