# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What is told while models and programs are compiled, and what ends a compilation."""

import logging
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

import tssa
import torch

from support import take_interrupts


def make_program(count):
    """Returns a function of `count` kernels, none of which has the loops of another."""
    def program(x):
        for i in range(count):
            x = torch.relu(x[:, : x.shape[1] - 1] @ torch.ones(x.shape[1] - 1, x.shape[1] - 1) * (1 / (i + 64)))
        return x

    return program


class ProgressTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, {"XDG_CACHE_HOME": self.folder, "TSSA_CACHE": "1"}))
        self.told = []
        self.addCleanup(tssa.set_progress, tssa.set_progress(self.told.append))

    def test_steps_and_kernels_are_told(self):
        fast = tssa.compile(make_program(3))
        fast(torch.ones(4, 20))
        steps = list(dict.fromkeys(each.step for each in self.told))
        self.assertEqual([step for step in steps if step != "start"][0], "read")
        self.assertEqual(steps[-3:], ["code", "link", "end"])
        last = [each for each in self.told if each.step == "code"][-1]
        self.assertEqual((last.model, last.done), ("program", last.kernels))
        self.assertGreater(last.kernels, 0)
        seconds = [each.seconds for each in self.told]
        self.assertEqual(seconds, sorted(seconds))
        self.told.clear()
        fast(torch.ones(4, 20))
        self.assertEqual(self.told, [])

    def test_the_cache_tells_nothing(self):
        program = make_program(1)
        for times in (1, 0):
            tssa.compile(program)(torch.ones(4, 20))
            self.assertEqual(sum(each.step == "link" for each in self.told), times)
            self.told.clear()

    def test_log(self):
        with self.assertLogs("tssa", logging.INFO) as logs:
            tssa.compile(make_program(2))(torch.ones(4, 20))
        self.assertEqual(logs.output[0], "INFO:tssa:compiling program: 2 kernels")
        self.assertRegex(logs.output[1], r"^INFO:tssa:compiled program in \d+\.\d s, kept in the cache$")
        self.assertEqual(len(logs.output), 2)
        with self.assertLogs("tssa", logging.INFO) as logs:
            tssa.compile(make_program(2))(torch.ones(4, 20))
        self.assertRegex("\n".join(logs.output), r"^INFO:tssa:program: from the cache in \d+ ms$")

    def test_log_without_a_cache(self):
        with mock.patch.dict(os.environ, {"TSSA_CACHE": "0"}), self.assertLogs("tssa", logging.INFO) as logs:
            tssa.compile(make_program(1))(torch.ones(4, 20))
        self.assertRegex(logs.output[-1], r"compiled program in \d+\.\d s, not kept: there is no cache folder$")

    def test_an_exception_ends_the_compiler(self):
        class Enough(Exception):
            pass

        def stop(progress):
            if progress.step == "code":
                raise Enough

        tssa.set_progress(stop)
        fast = tssa.compile(make_program(1))
        with self.assertRaises(Enough):
            fast(torch.ones(4, 20))
        tssa.set_progress(None)
        self.assertEqual(fast(torch.ones(4, 20)).shape, (4, 19))

    def test_set_progress(self):
        self.assertEqual(tssa.set_progress(None), self.told.append)
        self.assertIsNone(tssa.set_progress(self.told.append))
        with self.assertRaisesRegex(TypeError, "expected a function or None, got str"):
            tssa.set_progress("yes")

    def test_warnings_of_the_compiler(self):
        with self.assertWarnsRegex(tssa.CompileWarning, "^tuned '.*': none of 1 kernels takes a record$") as caught:
            tssa.compile(make_program(1), tuned=self.folder)(torch.ones(4, 20))
        self.assertEqual(caught.filename, __file__)

    def test_folder_of_records_that_is_not_there(self):
        with self.assertRaisesRegex(tssa.NoSuchFile, "tuned 'nosuch' cannot be read: No such file or directory"):
            tssa.compile(make_program(1), tuned="nosuch")(torch.ones(4, 20))


class TerminalTest(unittest.TestCase):
    def show(self, *told, kind="xterm"):
        """Returns what a terminal gets of these."""
        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "w", encoding="utf-8") as stream, mock.patch.object(sys, "stderr", stream), \
                mock.patch.dict(os.environ, {"TERM": kind, "COLUMNS": "60"}):
            for each in told:
                tssa.show_progress(tssa.Progress(*each))
            text = ""
            while select.select([ours], [], [], 0.2)[0]:
                text += os.read(ours, 1000).decode()
        os.close(ours)
        return text

    def test_line(self):
        self.assertEqual(self.show(("m", "code", 2, 5, 0.5)), "")
        self.assertEqual(self.show(("m", "code", 2, 5, 3.2), ("m", "end", 5, 5, 3.3)),
                         "\rtssa: compiling m: code, 2 of 5 kernels, 3 s\033[K\r\033[K")
        self.assertEqual(self.show(("m", "read", 0, 0, 3.2)), "\rtssa: compiling m: read, 3 s\033[K")
        self.assertEqual(self.show(("m" * 80, "read", 0, 0, 3.2)), "\rtssa: compiling " + "m" * 43 + "\033[K")
        self.assertEqual(self.show(("m", "read", 0, 0, 3.2), kind="dumb"), "")


class EndTest(unittest.TestCase):
    """The compiler ends with Python."""

    SCRIPT = textwrap.dedent("""
        import sys, tssa, torch
        sys.path.insert(0, sys.argv[1])
        from test_progress import make_program
        tssa.set_progress(lambda progress: print(progress.step, flush=True))
        tssa.compile(make_program(40))(torch.ones(4, 100))
    """)

    def list_compilers(self, folder):
        """The processes that compile with the cache in `folder`."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    environment = file.read()
                with open(f"/proc/{number}/comm", encoding="utf-8") as file:
                    name = file.read().strip()
            except OSError:
                continue  # it has ended
            if name.startswith("tssa-") and folder.encode() in environment:
                found.append(int(number))
        return found

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                with subprocess.Popen([sys.executable, "-c", self.SCRIPT, os.path.dirname(os.path.abspath(__file__))],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      env={**os.environ, "XDG_CACHE_HOME": folder, "TSSA_CACHE": "1"},
                                      preexec_fn=take_interrupts) as process:
                    while "layout" not in process.stdout.readline():
                        self.assertIsNone(process.poll())
                    self.assertEqual(len(self.list_compilers(folder)), 2)
                    process.send_signal(number)
                    process.wait()
                    deadline = time.monotonic() + 1
                    while self.list_compilers(folder) and time.monotonic() < deadline:
                        time.sleep(0.02)
                    self.assertEqual(self.list_compilers(folder), [])
                files = [name for _, _, names in os.walk(folder) for name in names]
                self.assertEqual([name for name in files if ".so" in name], [])


if __name__ == "__main__":
    unittest.main()
