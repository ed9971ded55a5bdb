"""A system's place in the turns: where its blocks come from.

How memory happens to lie decides over a process's speed and stays so for its life, so a fresh process is started for
each block, and a row's figure is that of several starts. PyTorch, which takes seconds to import and more to compile,
keeps one process.
"""

from compare import runners
from compare.worker import Failure


class Seat:
    """One system with one task; `hire` gives its process."""

    def __init__(self, hire, system, task, answers):
        self.hire, self.task, self.answers = hire, task, answers
        self.fresh = runners.kind_of(system).fresh
        self.worker = None
        #: of the last time that it was made ready, and the largest error of all times
        self.said = {}

    def open(self, shift):
        self.worker = self.hire()
        if shift:
            self.worker.ask("shift", size=shift)
        loaded = self.worker.ask("load", task=self.task, answers=self.answers)
        self.said = {**loaded, "error": max(loaded["error"], self.said.get("error", 0.0))}

    def block(self, seconds, least, shift=0):
        """Gives the block; `shift` moves what a fresh process has in memory."""
        try:
            if not self.worker:
                self.open(shift)
            return self.worker.ask("block", seconds=seconds, least=least)
        finally:
            if self.fresh:
                self.close()

    def close(self):
        if self.worker and self.fresh:
            self.worker.end()
        elif self.worker and self.worker.alive:
            try:
                self.worker.ask("unload")
            except Failure:
                self.worker.end()
        self.worker = None
