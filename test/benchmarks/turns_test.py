"""Systems in processes of their own, and turns between them, on a model of one node.

usage: turns_test.py ROOT
"""

import os
import sys
import tempfile
import unittest

ROOT = sys.argv.pop(1)
sys.path.insert(0, os.path.join(ROOT, "benchmarks"))

from onnx import helper

from compare import machine, rounds
from compare.seat import Seat
from compare.worker import Failure, Worker
from subjects import single


class Turns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = single.write(self.folder.name, "m", helper.make_node("MatMul", ["x", "w"], ["y"]), (2, 3), (3, 4))
        inputs, self.answers = single.answer(path, (2, 3))
        self.task = {"model": path, "inputs": inputs, "names": ["y"], "threads": 1, "program": None}
        self.hired = []

    def tearDown(self):
        for worker in self.hired:
            worker.end()
        self.folder.cleanup()

    def hire(self):
        self.hired.append(Worker("ort", 1, machine.cpus(), {}))
        return self.hired[-1]

    def seat(self):
        return Seat(self.hire, "ort", self.task, self.answers)

    def test_each_round_has_a_block_of_a_fresh_process_of_each(self):
        seats = {"first": self.seat(), "second": self.seat()}
        settings = rounds.Settings(rounds=2, repeats=0, seconds=0.01)
        kept, roofs, failures = rounds.take_turns(seats, settings, roof=lambda: 7.0)
        self.assertEqual([sorted(blocks) for blocks in kept], [["first", "second"]] * 2)
        self.assertEqual((roofs, failures, len(self.hired)), ([7.0, 7.0], {}, 4))
        self.assertEqual(seats["first"].said["error"], 0.0)
        for blocks in kept:
            for block in blocks.values():
                self.assertGreaterEqual(block["calls"], settings.least)
                self.assertGreater(block["wall"][0], 0)

    def test_a_process_that_is_kept_serves_all_blocks(self):
        seat = self.seat()
        seat.fresh = False
        for _ in range(2):
            seat.block(0.01, 3)
        self.assertEqual(len(self.hired), 1)
        seat.close()
        self.assertTrue(self.hired[0].alive)

    def test_a_process_that_ends_is_said_and_the_other_goes_on(self):
        ended, other = self.seat(), self.seat()
        ended.open(shift=0)
        ended.worker.process.kill()
        kept, _, failures = rounds.take_turns({"first": ended, "second": other}, rounds.Settings(1, 0, 0.01),
                                              roof=lambda: None)
        self.assertEqual([list(blocks) for blocks in kept], [["second"]])
        self.assertEqual(failures, {"first": "ort: its process ended with -9"})

    def test_what_a_system_cannot_do_is_said_in_a_line(self):
        self.task["model"] = "nowhere.onnx"
        with self.assertRaisesRegex(Failure, "^ort: NoSuchFile: .*nowhere.onnx[^\n]*$"):
            self.seat().block(0.01, 3)

    def test_a_wrong_answer_is_an_error_and_no_failure(self):
        self.answers = self.task["inputs"]
        seat = self.seat()
        seat.block(0.01, 3)
        self.assertEqual(seat.said["error"], float("inf"))


if __name__ == "__main__":
    unittest.main()
