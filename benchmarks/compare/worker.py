"""A process of its own for each system. All but the one at work are stopped, so that no pool of threads that spins
and no allocator that frees late can touch another system's figures.

`Worker` is the handle; `serve` is what runs in the process: one JSON object per line in, one out.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

import measure
from compare import clocks, runners

WARM_UP_SECONDS = 0.1
#: for one request, such as making a model ready
MOST_SECONDS = 900
#: of Linux's prctl
PR_SET_PDEATHSIG = 1


class Failure(RuntimeError):
    """What a system could not do, in one line."""


class Worker:
    """A system in a process, pinned to as many CPUs as it may use threads."""

    def __init__(self, system, threads, cpus, environment):
        self.system, self.threads = system, threads
        counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        settings = json.dumps({"system": system, "cpus": cpus[:threads]})
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), settings], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, **counts, **environment}, start_new_session=True)

    def ask(self, verb, **arguments):
        """Wakes the process for one request."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps({"verb": verb, **arguments}) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], MOST_SECONDS)
            line = self.process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        if line is None:
            self.end()
            raise Failure(f"{self.system}: no answer in {MOST_SECONDS} s")
        if not line:
            raise Failure(f"{self.system}: its process ended with {self.process.wait()}")
        os.killpg(self.process.pid, signal.SIGSTOP)
        answer = json.loads(line)
        if "failure" in answer:
            raise Failure(f"{self.system}: {answer['failure']}")
        return answer

    @property
    def alive(self):
        return self.process.poll() is None

    def end(self):
        """The process and what it started, such as torch's compilers, end."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):  # of a request that it did not read
            self.process.stdin.close()
        self.process.stdout.close()


class Served:
    """The requests, in the process."""

    def __init__(self, system):
        self.make = runners.kind_of(system)
        self.runner = None

    def load(self, task, answers):
        """Gets ready to run the task; gives the seconds that took and the error against the answers."""
        start = time.perf_counter()
        self.runner = self.make(task)
        seconds = time.perf_counter() - start
        wanted = measure.load_npz(answers)
        error = measure.relative_error(wanted, self.runner.results())
        begin = time.perf_counter()
        while time.perf_counter() - begin < WARM_UP_SECONDS:
            self.runner.call()
        self.clock = clocks.choose_clock(self.runner.call, task["threads"])
        return {"load_seconds": round(seconds, 3), "error": error, "clock": self.clock.__name__}

    def shift(self, size):
        """Keeps a block of memory, so that what comes later lies elsewhere."""
        self.kept = bytearray(size)
        return {}

    def block(self, seconds, least):
        return clocks.block(self.runner.call, self.clock, seconds, least)

    def unload(self):
        if self.runner:
            self.runner.close()
        self.runner = None
        return {}


def first_line(reason):
    lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
    return f"{type(reason).__name__}: {lines[0][:200]}" if lines else type(reason).__name__


def end_with_parent():
    """A stopped process does not see that nobody will ask again."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(settings):
    end_with_parent()
    os.sched_setaffinity(0, settings["cpus"])
    # What libraries print must not reach the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    served = Served(settings["system"])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(served, request.pop("verb"))(**request)
        except Exception as reason:
            answer = {"failure": first_line(reason)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
