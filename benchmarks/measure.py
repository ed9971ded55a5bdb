"""Measuring, for the benchmark scripts: compile time and memory, agreement, interleaved timing."""

import dataclasses
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

SAMPLE_SECONDS = 0.01


@dataclasses.dataclass
class Compilation:
    code: int
    seconds: float
    anonymous_bytes: int  # largest seen
    errors: str

    @property
    def failure(self):
        lines = [line for line in self.errors.splitlines() if "error" in line] or self.errors.splitlines()
        return f"exit code {self.code}: {lines[0].strip() if lines else 'no message'}"


def anonymous_bytes(pid):
    """Resident memory of a process that no file backs."""
    try:
        with open(f"/proc/{pid}/status") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def compile_model(compiler, model, binary, *options, timeout=600):
    """Runs tssa-compile, watching its memory."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen([compiler, model, "-o", binary, *options], stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=said)
        peak = 0
        while process.poll() is None:
            peak = max(peak, anonymous_bytes(process.pid))
            if time.perf_counter() - start > timeout:
                process.kill()
            time.sleep(SAMPLE_SECONDS)
        seconds = time.perf_counter() - start
        said.seek(0)
        return Compilation(process.returncode, seconds, peak, said.read().decode(errors="replace"))


def session(model, threads):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def relative_error(wanted, got):
    """Largest error over the largest magnitude of the wanted tensors, the worst of them;
    infinite when a shape or type differs or a number is not one."""
    worst = 0.0
    for name, value in wanted.items():
        other = got.get(name)
        if other is None or other.shape != value.shape or other.dtype != value.dtype:
            return float("inf")
        if value.size == 0:
            continue
        if value.dtype.kind != "f":
            worst = max(worst, 0.0 if np.array_equal(value, other) else float("inf"))
            continue
        error = float(np.abs(other.astype(np.float64) - value).max())
        if not np.isfinite(error):
            return float("inf")
        worst = max(worst, error / max(float(np.abs(value).max()), 1e-9))
    return worst


def pin(threads):
    """Restricts this process, and what it starts, to as many CPUs."""
    available = sorted(pin.all_cpus)
    if threads > len(available):
        sys.exit(f"{threads} threads asked for, but this process may use only {len(available)} CPUs")
    os.sched_setaffinity(0, available[:threads])


pin.all_cpus = os.sched_getaffinity(0)


class OrtRunner:
    """ONNX Runtime on one model."""

    def __init__(self, model, inputs, threads):
        self.session = session(model, threads)
        self.inputs = inputs
        self.names = [o.name for o in self.session.get_outputs()]

    def run(self):
        return dict(zip(self.names, self.session.run(None, self.inputs)))

    def call(self):
        self.session.run(None, self.inputs)


def block(runner, seconds, least=3):
    """Times calls for `seconds`, and at least `least` of them; gives milliseconds."""
    times = []
    runner.call()
    begin = time.perf_counter()
    while len(times) < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        runner.call()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def interleave(runners, rounds, seconds):
    """Blocks of calls in turn, so that a change of the machine hits all alike; gives
    the median of each runner's calls."""
    times = [[] for _ in runners]
    for _ in range(rounds):
        for runner, collected in zip(runners, times):
            collected += block(runner, seconds / rounds)
            time.sleep(0.02)
    return [statistics.median(collected) for collected in times]


def models_in(path):
    """The file itself, or the models of a folder, the smallest first."""
    if not os.path.isdir(path):
        return [path]
    return sorted(glob.glob(os.path.join(path, "*.onnx")), key=os.path.getsize)


def load_npz(path):
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def inspect(runner, binary):
    done = subprocess.run([runner, binary, "--inspect", "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"tssa-run --inspect: {done.stderr.strip()[:200]}")
    return json.loads(done.stdout)
