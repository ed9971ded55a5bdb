# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs for ONNX Runtime (ort_scripts) print the same with `import tssa as ort`.

Those that compare the version or import parts of the module run after tssa.use_as_onnxruntime().
"""

import functools
import glob
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
IMPORT = "import onnxruntime as ort\n"
NEEDS_MODULE = ("ort.__version__", "from onnxruntime")


@functools.lru_cache(maxsize=None)
def has(module):
    """Whether a module can be imported, in a process of its own."""
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


class Tests(unittest.TestCase):
    def run_script(self, source, folder):
        """Returns what a program prints."""
        path = os.path.join(folder, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        run = subprocess.run([sys.executable, "-W", "ignore", path], cwd=folder, capture_output=True, text=True, timeout=600,
                             env={**os.environ, "PYTHONIOENCODING": "utf-8"}, encoding="utf-8", check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def check(self, path):
        with open(path, encoding="utf-8") as file:
            source = file.read()
        self.assertEqual(source.count(IMPORT), 1)
        _, _, comment = source.partition("\n# Prints:\n")
        wanted = "".join(line.removeprefix("# ") for line in comment.splitlines(True))
        self.assertTrue(wanted)
        needs_module = any(text in source for text in NEEDS_MODULE)
        instead = f"import tssa\ntssa.use_as_onnxruntime()\n{IMPORT}" if needs_module else "import tssa as ort\n"
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_script(source.replace(IMPORT, instead), folder), wanted)
            if has("onnxruntime"):
                self.assertEqual(self.run_script(source, folder), wanted, "ONNX Runtime prints something else")


def add_tests():
    """Adds a test for each script, so that they run beside each other."""
    for path in sorted(glob.glob(os.path.join(HERE, "ort_scripts", "*.py"))):
        name = os.path.splitext(os.path.basename(path))[0]

        def test(self, path=path):
            if not has("onnx"):
                self.skipTest("onnx is not installed")
            self.check(path)

        setattr(Tests, f"test_{name}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
