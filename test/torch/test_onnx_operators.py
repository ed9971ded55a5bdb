# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators that a user defines for ONNX models."""

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy as np
import onnx
import tssa
from onnx import TensorProto, helper
from tssa import _operators

SCALE = """
func.func @"com.acme::Scale"(%x: tensor<?xf32>, %by: f32 {te.port = #te.port<name = "by">}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = te.compute (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf32>
    %s = arith.mulf %v, %by : f32
    te.yield %s : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def make_model():
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in "xy"]
    nodes = [helper.make_node("Scale", ["x"], ["s"], domain="com.acme", by=3.0), helper.make_node("Neg", ["s"], ["y"])]
    graph = helper.make_graph(nodes, "scale", ports[:1], ports[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Tests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, {"XDG_CACHE_HOME": self.folder, "TSSA_CACHE": "1"}))
        self.enterContext(mock.patch.dict(_operators._registered, clear=True))

    def run_model(self):
        return tssa.InferenceSession(make_model()).run(None, {"x": np.arange(4, dtype=np.float32)})[0].tolist()

    def test_text_and_file(self):
        with self.assertRaisesRegex(tssa.UnsupportedError, "define it in a file of --operators"):
            self.run_model()
        tssa.register_onnx_operator(SCALE)
        self.assertEqual(self.run_model(), [0, -3, -6, -9])
        path = os.path.join(self.folder, "ops.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCALE.replace("mulf", "addf"))
        tssa.register_onnx_operator(path)  # takes the place of the first
        self.assertEqual(self.run_model(), [-3, -4, -5, -6])

    def test_the_cache_knows_operators(self):
        tssa.register_onnx_operator(SCALE)
        for steps in (True, False):
            told = []
            self.addCleanup(tssa.set_progress, tssa.set_progress(told.append))
            self.run_model()
            self.assertEqual(any(each.step == "code" for each in told), steps)

    def test_an_object(self):
        compiler = shutil.which("clang-22") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        path = os.path.join(self.folder, "halve.o")
        source = """#include "tssa/abi.h"
            int32_t tssa_extern_halve(const tssa_host *host, int32_t node, tssa_tensor *tensors, const void *reserved) {
              (void)host, (void)node, (void)reserved;
              for (int64_t i = 0; i < tensors[0].shape[0]; ++i)
                ((float *)tensors[1].data)[i] = ((const float *)tensors[0].data)[i] / 2;
              return TSSA_OK;
            }"""
        headers = os.path.join(os.path.dirname(__file__), "..", "..", "include")
        flags = ["-c", "-O2", "-fPIC", "-ffreestanding", "-fno-stack-protector", "-I", headers, "-x", "c", "-", "-o", path]
        subprocess.run([compiler, *flags], input=source, text=True, check=True)
        call = "%y = te.extern @halve(%x) sizes (%n) [0] : (tensor<?xf32>) -> tensor<?xf32>"
        begin, end = SCALE.index("%y = te.compute"), SCALE.index("  return")
        text = SCALE[:begin] + call + "\n" + SCALE[end:]
        tssa.register_onnx_operator(text)
        with self.assertRaisesRegex(tssa.Error, "no object of --operators defines 'tssa_extern_halve'"):
            self.run_model()
        tssa.register_onnx_operator(text, [path])
        os.remove(path)
        self.assertEqual(self.run_model(), [0, -0.5, -1, -1.5])
        with self.assertRaises(FileNotFoundError):
            tssa.register_onnx_operator(text, [path])

    def test_mistakes(self):
        tssa.register_onnx_operator(SCALE.replace("te.read %x[d0]", "te.read %x[d1]"))
        with self.assertRaisesRegex(tssa.Error, r"operators0\.mlir:\d+:\d+: error: "):
            self.run_model()


if __name__ == "__main__":
    unittest.main()
