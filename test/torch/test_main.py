# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python -m tssa."""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import tssa

from test_files import make_model


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "tssa", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


class Tests(unittest.TestCase):
    def test_tools(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        source, artifact, inputs, outputs = (os.path.join(folder, name) for name in ("m.onnx", "m.so", "x.npz", "y.npz"))
        with open(source, "wb") as file:
            file.write(make_model("Neg"))
        numpy.savez(inputs, x=numpy.ones(3, numpy.float32))
        for arguments in (["compile", source, "-o", artifact], ["run", artifact, "--inputs", inputs, "--outputs", outputs],
                          ["tssa-run", artifact, "--inspect"]):
            ran = run(*arguments)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), arguments)
        numpy.testing.assert_array_equal(numpy.load(outputs)["y"], [-1, -1, -1])

    def test_exit_codes_of_tools(self):
        ran = run("compile", "/nowhere/m.onnx")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("/nowhere/m.onnx: error: ", ran.stderr)
        self.assertEqual(run("compile", "--no-such-option").returncode, 2)

    def test_help_and_version(self):
        for option in ("--help", "-h"):
            ran = run(option)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertRegex(ran.stdout, r"^usage: python -m tssa TOOL(.|\n)*tools: .*\bcompile, .*\brun\b")
        ran = run("--version")
        self.assertEqual((ran.returncode, ran.stdout), (0, f"tssa {tssa.__version__}\n"))
        ran = run()
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("usage: python -m tssa TOOL", ran.stderr)
        self.assertIn("usage: tssa-compile", run("compile", "--help").stdout)

    def test_unknown_tools(self):
        for name, advice in (("complie", "did you mean 'compile'?"), ("tssa-rum", "did you mean 'run'?"),
                             ("Compile", "did you mean 'compile'?"), ("xyz", "expected one of compile, "),
                             ("--versoin", "expected one of compile, "), ("", "expected one of compile, ")):
            ran = run(name)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(f"tssa: error: there is no tool '{name}': {advice}", ran.stderr)

    def test_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = os.path.join(folder, "tssa-compile")
            with open(tool, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho called $*\n")
            os.chmod(tool, 0o755)
            self.assertEqual(run("compile", "a", "b", TSSA_COMPILE=tool).stdout, "called a b\n")
            self.assertIn("there is no tool 'run': expected one of compile\n", run("run", TSSA_COMPILE=tool).stderr)


if __name__ == "__main__":
    unittest.main()
