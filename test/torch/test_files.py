# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What compilations leave behind, and how often they happen."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import torch
import tssa
from tssa import _folders
from tssa._tool import find_tool

# Compiles programs of constants, one after the other, until it is killed.
CHILD = """
import itertools, torch, tssa
weights = torch.ones(64, 64)
for size in itertools.count(1):
    tssa.compile(lambda x: torch.relu(x @ weights), dynamic=False)(torch.ones(size, 64))
    print("compiled", flush=True)
"""

# Stands in for tssa-compile and notes each call.
COMPILER = """#!/bin/sh
echo called >> "$0.log"
exec "{compiler}" "$@"
"""


def field(number, *contents):
    """A field of a protobuf: a number, or parts that are bytes or text."""
    if isinstance(contents[0], int):
        return bytes((number << 3, contents[0]))
    content = b"".join(part if isinstance(part, bytes) else part.encode() for part in contents)
    assert len(content) < 128
    return bytes((number << 3 | 2, len(content))) + content


def make_model(operator):
    """An ONNX model: y = operator(x)."""
    kind = field(1, field(1, 1), field(2, field(1, field(1, 3))))  # f32[3]
    graph = (field(1, field(1, "x"), field(2, "y"), field(4, operator)), field(2, "g"),
             field(11, field(1, "x"), field(2, kind)), field(12, field(1, "y"), field(2, kind)))
    return field(1, 8) + field(7, *graph) + field(8, field(2, 17))


def relu_of(x):
    return torch.relu(x) + 1


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        for name in ("temporary", "cache", "bin"):
            os.mkdir(os.path.join(self.folder, name))
        self.temporary = os.path.join(self.folder, "temporary")
        self.work = os.path.join(self.folder, "cache", "tssa", "work")
        self.enterContext(unittest.mock.patch.object(tempfile, "tempdir", self.temporary))
        self.enterContext(unittest.mock.patch.dict(os.environ, {
            "TORCHINDUCTOR_CACHE_DIR": os.path.join(self.folder, "inductor"), "TMPDIR": self.temporary,
            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "TSSA_CACHE": "1"}))

    def count_compilations(self):
        """Has all compilations noted. Returns what tells their number."""
        real, here = find_tool(), os.path.join(self.folder, "bin", "tssa-compile")
        shutil.copy(os.path.join(os.path.dirname(real), "tssa-run"), os.path.dirname(here))
        with open(here, "w", encoding="utf-8") as file:
            file.write(COMPILER.format(compiler=real))
        os.chmod(here, 0o700)
        self.enterContext(unittest.mock.patch.dict(os.environ, TSSA_COMPILE=here))

        def count():
            if not os.path.exists(here + ".log"):
                return 0
            with open(here + ".log", encoding="utf-8") as file:
                return len(file.readlines())
        return count

    def write_model(self, operator):
        path = os.path.join(self.folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(make_model(operator))
        return path

    def test_loaded_programs_need_no_files(self):
        for cache in ("0", "1"):
            with unittest.mock.patch.dict(os.environ, TSSA_CACHE=cache):
                compiled = tssa.compile(relu_of)
                x = torch.tensor([-1.0, 2.0])
                self.assertEqual(compiled(x).tolist(), [1.0, 3.0])
                session = tssa.Session(self.write_model("Neg"))
                self.assertEqual(os.listdir(self.temporary), [])
                self.assertEqual(os.listdir(self.work), [])
                self.assertEqual(session.run(None, {"x": torch.ones(3)})[0].tolist(), [-1.0] * 3)
                self.assertEqual(compiled(x).tolist(), [1.0, 3.0])

    def test_refused_models_are_compiled_once(self):
        for cache in ("0", "1"):
            with unittest.mock.patch.dict(os.environ, TSSA_CACHE=cache):
                count = self.count_compilations()
                before = count()
                with self.assertRaisesRegex(tssa.UnsupportedError, "NoSuchOperator"):
                    tssa.Session(self.write_model("NoSuchOperator"))
                self.assertEqual(count() - before, 1)

    def test_wrong_devices_compile_once(self):
        count, model = self.count_compilations(), self.write_model("Neg")
        for _ in range(2):
            with self.assertRaises(tssa.Error) as caught:
                tssa.Session(model, device="cuda:0")
            self.assertNotRegex(str(caught.exception), r"\.so|/proc")
            self.assertEqual(count(), 1)
        self.assertEqual(tssa.Session(model).get_inputs()[0].shape, [3])
        self.assertEqual(count(), 1)

    def test_damaged_artifacts_are_compiled_again(self):
        count, model = self.count_compilations(), self.write_model("Neg")
        tssa.Session(model)
        cache = os.path.join(self.folder, "cache", "tssa")
        (kept,) = (name for name in os.listdir(cache) if name.endswith(".so"))
        os.truncate(os.path.join(cache, kept), 5000)
        self.assertEqual(tssa.Session(model).get_inputs()[0].shape, [3])
        self.assertEqual(count(), 2)

    def test_killed_processes_leave_nothing(self):
        for number, cache, delay in ((signal.SIGTERM, "0", 0.2), (signal.SIGTERM, "1", 0.05), (signal.SIGKILL, "0", 0.1),
                                     (signal.SIGKILL, "0", 0.4), (signal.SIGKILL, "1", 0.2)):
            self.kill_child(number, cache, delay)
            self.assertEqual(os.listdir(self.temporary), [])
        with _folders.make_folder() as folder:
            self.assertEqual(os.listdir(self.work), [os.path.basename(folder)])
        self.assertEqual(os.listdir(self.work), [])

    def kill_child(self, number, cache, delay):
        """Kills a process that compiles, and waits for the compiler that it had started."""
        path = os.path.join(self.folder, "child.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CHILD)
        with subprocess.Popen([sys.executable, "-W", "ignore", path], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, TSSA_CACHE=cache), start_new_session=True) as child:
            self.assertEqual(child.stdout.readline(), "compiled\n")
            time.sleep(delay)
            child.send_signal(number)
            self.assertEqual(child.wait(), -number)
        with self.assertRaises(ProcessLookupError):
            for _ in range(600):
                os.killpg(child.pid, 0)
                time.sleep(0.1)

    def test_folders_of_others(self):
        os.mkdir(os.path.join(self.make_work(), "left"))
        with _folders.make_folder() as first, _folders.make_folder() as second:
            self.assertEqual(sorted(os.listdir(self.work)), sorted(map(os.path.basename, (first, second))))
        self.assertEqual(os.listdir(self.work), [])

    def test_without_a_cache(self):
        os.chmod(os.path.dirname(self.make_work()), 0o777)
        with _folders.make_folder() as folder:
            self.assertEqual(os.path.dirname(folder), self.temporary)
        self.assertEqual(os.listdir(self.temporary), [])

    def make_work(self):
        with _folders.make_folder():
            return self.work


if __name__ == "__main__":
    unittest.main()
