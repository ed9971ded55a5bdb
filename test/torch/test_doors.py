# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models as bytes, and what sessions write: damage, no permission, a full disk, and several processes at once."""

import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy
import tssa

from test_files import make_model

ONES = numpy.ones(3, numpy.float32)
RUN = """
import sys, numpy, tssa
{before}
options = tssa.SessionOptions()
options.enable_profiling, options.profile_file_prefix = {profiles}, sys.argv[2] + "/profile"
try:
    with open(sys.argv[1], "rb") as file:
        session = tssa.InferenceSession(file.read(), options)
    {limit}
    y, = session.run(None, {{"x": numpy.ones(3, numpy.float32)}})
    session.end_profiling()
    print(y.tolist())
except tssa.Error as error:
    print("Error:", error)
"""


def run(model, folder, limit="pass", before="", profiles=False, **environment):
    """Runs a model in another process, with `limit` between loading and running. Returns what it prints."""
    script = RUN.format(limit=limit, before=before, profiles=profiles)
    result = subprocess.run([sys.executable, "-c", script, model, folder], env={**os.environ, **environment}, check=True,
                            stdout=subprocess.PIPE, text=True)
    return result.stdout.strip()


def start(data):
    """Makes a session in another process, of the same bytes as others at the same time."""
    return tssa.InferenceSession(data).run(None, {"x": ONES})[0]


class Tests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.cache = os.path.join(self.folder, "cache")
        os.mkdir(self.cache)
        self.enterContext(unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": self.cache, "TSSA_CACHE": "1"}))
        self.model = os.path.join(self.folder, "m.onnx")
        with open(self.model, "wb") as file:
            file.write(make_model("Neg"))

    def left(self):
        """The files that are left for a single process."""
        work = os.path.join(self.cache, "tssa", "work")
        return os.listdir(work) if os.path.isdir(work) else []

    def test_damaged_bytes(self):
        data, choose = make_model("Neg"), random.Random(1)
        for _ in range(60):
            damaged = bytearray(data)
            for _ in range(choose.randint(1, 3)):
                damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
            if choose.random() < 0.3:
                del damaged[choose.randrange(len(damaged)):]
            try:
                tssa.InferenceSession(bytes(damaged))
            except tssa.Error as error:
                self.assertNotEqual(str(error), "")
                self.assertNotIn("Traceback", str(error))
            self.assertEqual(self.left(), [])

    def test_no_folder_for_bytes(self):
        nowhere = os.path.join(self.folder, "nowhere")
        printed = run(self.model, self.folder, before=f"import tempfile; tempfile.tempdir = {nowhere!r}",
                      XDG_CACHE_HOME="/dev/null/cache")
        self.assertEqual(printed, "Error: there is no folder for temporary files: No such file or directory")

    def test_files_are_limited(self):
        limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (16, {resource.RLIM_INFINITY}))"
        printed = run(self.model, self.folder, before=limit)
        self.assertRegex(printed, "^Error: the bytes of the model cannot be written to '.*': File too large$")
        self.assertEqual(self.left(), [])
        self.assertEqual(run(self.model, self.folder), "[-1.0, -1.0, -1.0]")
        printed = run(self.model, self.folder, limit, profiles=True)
        self.assertRegex(printed, "^Error: the profile '.*/profile_.*json' cannot be written: File too large$")
        self.assertEqual(sorted(os.listdir(self.folder)), ["cache", "m.onnx"])

    def test_sessions_at_once(self):
        data = make_model("Neg")
        with multiprocessing.get_context("spawn").Pool(4) as pool:
            for result in pool.map(start, [data] * 8):
                numpy.testing.assert_array_equal(result, -ONES)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
