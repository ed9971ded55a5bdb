# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""benchmarks/torch/figures.py measures a program, writes its report, and notices what is wrong."""

import argparse
import contextlib
import io
import json
import logging
import os
import sys
import tempfile
import unittest
import unittest.mock
import xml.dom.minidom

import torch
import tssa

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "torch"))

import figures
from paper import bounds, launches, turns, ways
from programs import PROGRAMS, make_inputs

PROGRAM = "ssd_decode"
RATES = {"sizes": [{"bytes": 1 << 19, "copy": 1e11, "read": 1e11}, {"bytes": 1 << 22, "copy": 1e10, "read": 2e10}],
         "operations": 1e11}


def make_options(**named):
    return argparse.Namespace(**{"threads": 1, "rounds": 1, "limit": 60, **named})


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        self.addCleanup(logging.disable, logging.root.manager.disable)

    def run_figures(self, *arguments):
        """Returns (status, what is printed)."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), unittest.mock.patch.object(bounds, "rates", lambda: RATES):
            status = figures.main([*arguments, "--out", self.folder])
        return status, printed.getvalue()

    def measure(self, *more):
        return self.run_figures("speed", "--programs", PROGRAM, "--rounds", "1", "--ways", "tssa,eager,script", *more)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_speed_and_report(self):
        self.measure()
        row, = json.loads(self.read("speed.json"))["rows"]
        self.assertEqual(list(row["ways"]), ["tssa", "eager", "script"])
        for label, found in row["ways"].items():
            self.assertLessEqual(found["min"], found["median"], label)
        status, _ = self.run_figures("report")
        self.assertEqual(status, 0)
        self.assertRegex(self.read("RESULTS.md"), rf"\| {PROGRAM} \| [\d.]+ / [\d.]+ \| [\d.]+ / [\d.]+ \([\d.]+\)")
        self.assertIn("| mean | 1.34 |", self.read("RESULTS.md"))
        chart = xml.dom.minidom.parseString(self.read("charts/speed.svg"))
        titles = [title.firstChild.data for title in chart.getElementsByTagName("title")]
        self.assertEqual([title.partition(":")[0] for title in titles], [f"{PROGRAM}, eager", f"{PROGRAM}, script"])

    def test_rows_that_are_there_are_kept(self):
        self.measure()
        before = self.read("speed.json")
        _, printed = self.measure()
        self.assertEqual((printed, self.read("speed.json")), ("", before))
        with self.assertRaisesRegex(SystemExit, "another rounds"):
            self.run_figures("speed", "--programs", PROGRAM, "--rounds", "2", "--ways", "tssa,eager,script")

    def test_wrong_results_are_reported(self):
        make = ways.make

        def make_wrong(way, function, threads):
            if way.kind != "tssa":
                return make(way, function, threads)
            return lambda *arguments: tuple(result + 1 for result in function(*arguments))

        with unittest.mock.patch.object(ways, "make", make_wrong):
            _, printed = self.measure()
        self.assertIn("tssa: wrong", printed)
        status, _ = self.run_figures("report")
        self.assertEqual(status, 1)
        self.assertRegex(self.read("RESULTS.md"), rf"\| {PROGRAM} \| wrong: Tensor-likes are not close")

    def test_an_option_that_is_not_offered(self):
        found = turns.measure(PROGRAM, lambda x: x + 1, (torch.ones(3),), {"without": ways.Way(without="nothing")},
                              make_options(), 64)
        self.assertEqual(found, {"without": {"failure": ways.NOT_OFFERED}})

    def test_a_compilation_that_takes_too_long(self):
        def hang(*_):
            while True:
                pass

        with unittest.mock.patch.object(ways, "make", lambda *_: hang):
            run, reason = ways.ready(ways.Way(), lambda x: x, (torch.ones(3),), 1, 0.2)
        self.assertEqual((run, reason), (None, "compiles for more than 0.2 s"))

    def test_launches(self):
        def program(x):
            y = x.view(-1)[1:] + 1
            y[:2] = 0
            return torch.matmul(y.view(1, -1), y.view(-1, 1)).transpose(0, 1)

        def count(label):
            return launches.count(label, ways.WAYS[label], program, (torch.ones(3, 3),), make_options())

        self.assertEqual(count("eager"), {"launches": 3})  # add, copy, mm
        self.assertEqual(count("script"), {"launches": 3})
        self.assertIn(count("tssa")["launches"], (1, 2, 3))

    def test_decoders_do_all_steps(self):
        arguments = figures.make_arguments("seq2seq_greedy", 2, 24)
        self.assertEqual(PROGRAMS["seq2seq_greedy"](*arguments).eq(figures.NO_END).sum().item(), 0)

    def test_bounds(self):
        for name in PROGRAMS:
            for batch in (1, 2):
                found = bounds.bound(name, make_inputs(name, batch, 16), RATES)
                self.assertGreater(min(found["bytes_ms"], found["operations_ms"]), 0, name)
        found = bounds.bound("lstm_loop", make_inputs("lstm_loop", 1, 64), RATES)
        self.assertAlmostEqual(found["operations"] / 1e6, 67 + 1.8, delta=0.5)
        self.assertAlmostEqual(found["bytes"] / 1e6, 67 + 1 + 0.13, delta=0.5)
        self.assertAlmostEqual(found["bytes_ms"], found["bytes"] / 1e8, delta=0.01)


if __name__ == "__main__":
    unittest.main()
