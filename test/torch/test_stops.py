# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A compiler ends with the Python process that waits for it, however that ends."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

import tssa
from tssa import _tool

from support import take_interrupts

SCRIPT = """
import os, sys, threading, tssa
if sys.argv[2] == "kept":
    start = lambda: tssa.InferenceSession(sys.argv[1])
else:
    os.environ["TSSA_CACHE"] = "0"
    start = lambda: tssa.Session(sys.argv[1])
if sys.argv[3] == "thread":
    worker = threading.Thread(target=start, daemon=True)
    worker.start()
    while True:
        worker.join(0.05)
start()
"""


def write_slow_model(path):
    """A chain of convolutions of different sizes, each of which is a kernel of its own: seconds of work."""
    values, nodes, size = [], [], 64
    for number in range(120):
        weights = np.ones((8 + number % 7, 8 + (number - 1) % 7 if number else 3, 3, 3), np.float32)
        values.append(numpy_helper.from_array(weights, f"w{number}"))
        pads = [number % 2] * 4 if size < 70 else [0] * 4
        size += 2 * pads[0] - 2
        nodes.append(helper.make_node("Conv", [f"x{number}", f"w{number}"], [f"x{number + 1}"], pads=pads))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x0", 1, [1, 3, 300, 300])],
                              [helper.make_tensor_value_info(nodes[-1].output[0], 1, None)], values)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write_small_model(path):
    node = helper.make_node("Relu", ["x"], ["y"])
    infos = [helper.make_tensor_value_info(name, 1, [5]) for name in "xy"]
    graph = helper.make_graph([node], "g", infos[:1], infos[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def find_compilers(folder):
    """The processes of tssa-compile that belong to a script with the cache `folder`."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as environ, open(f"/proc/{name}/comm") as command:
                if command.read().startswith("tssa-compile") and folder.encode() in environ.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


class StopsTest(unittest.TestCase):
    def check(self, number, kind, where):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "slow.onnx")
            write_slow_model(model)
            environment = {**os.environ, "XDG_CACHE_HOME": folder}
            process = subprocess.Popen([sys.executable, "-c", SCRIPT, model, kind, where], env=environment,
                                       stderr=subprocess.DEVNULL, preexec_fn=take_interrupts)
            try:
                self.assertTrue(wait_until(lambda: find_compilers(folder), 60), "no compiler was started")
                process.send_signal(number)
                self.assertTrue(wait_until(lambda: process.poll() is not None, 10))
                gone = wait_until(lambda: not find_compilers(folder), 1)
                self.assertTrue(gone, "the compiler works on")
                self.assertNotEqual(process.returncode, 0)
                unfinished = [name for _, _, names in os.walk(folder) for name in names if name.endswith(".so")]
                self.assertEqual(unfinished, [])
            finally:
                process.kill()
                process.wait()

    def test_interrupted(self):
        self.check(signal.SIGINT, "kept", "main")

    def test_interrupted_without_a_cache(self):
        self.check(signal.SIGINT, "alone", "main")

    def test_terminated(self):
        self.check(signal.SIGTERM, "kept", "main")

    def test_killed(self):
        self.check(signal.SIGKILL, "kept", "main")

    def test_killed_without_a_cache(self):
        self.check(signal.SIGKILL, "alone", "main")

    def test_killed_while_a_thread_waits(self):
        self.check(signal.SIGKILL, "kept", "thread")

    def compile_for(self, parent):
        """Compiles a small model with a compiler told to end with the process `parent`; returns its exit status."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "small.onnx")
            write_small_model(model)
            command = [_tool.find_tool(), model, "-o", os.path.join(folder, "small.so")]
            return subprocess.run(command, env={**os.environ, "TSSA_ENDS_WITH": str(parent)}).returncode

    def test_parent_killed_before_the_compiler_asks(self):
        # One that nobody has waited for yet still has its number.
        with subprocess.Popen(["true"]) as ended:
            os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
            self.assertEqual(self.compile_for(ended.pid), -signal.SIGTERM)
        self.assertEqual(self.compile_for(ended.pid), -signal.SIGTERM)

    def test_another_process_that_lives_is_no_parent(self):
        self.assertEqual(self.compile_for(os.getppid()), 0)

    def test_a_thread_that_ends_leaves_what_others_compile(self):
        # The kernel counts threads as parents: a session that a thread makes is whole.
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "small.onnx")
            write_small_model(model)
            sessions = []
            workers = [threading.Thread(target=lambda: sessions.append(tssa.Session(model))) for _ in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertEqual(len(sessions), 4)


if __name__ == "__main__":
    unittest.main()
