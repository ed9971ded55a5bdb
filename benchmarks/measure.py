"""For the benchmark scripts: compiling with time and memory, agreement of results, files of a model."""

import dataclasses
import glob
import json
import os
import subprocess
import tempfile
import time

import numpy as np

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
