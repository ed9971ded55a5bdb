"""What the tests of packages share."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def read_promised():
    """What the README of examples/c says that the example prints."""
    with open(os.path.join(ROOT, "examples", "c", "README.md"), encoding="utf-8") as text:
        return text.read().split("```")[3].split("\n", 1)[1].strip()


class Checks:
    """Counts what holds and what does not, and says what does not."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def skip(self, what):
        self.skipped += 1
        print(f"skipped: {what}", flush=True)

    def check(self, what, holds, text=""):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAILED: {what}\n{text[-2000:]}", flush=True)
