"""Section 5 of `device.py check`: errors that harm no device, and runs side by side."""

import os
import shutil
import tempfile
import zipfile

from devices.cases import binaries_in, cases_of, number_of
from devices.processes import Failed, OutOfTime, Process, last_line

SANITIZERS = ["compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"]
SANITIZER_RUNS = 3  # what it checks takes longer
PARALLEL = 2
RUNS = 8


def refuse(check, path):
    """A program for a later arch only must be refused, with the reason."""
    code, _, err = check.finish([check.runner, path, f"--device={check.options.device}", "--random", "0"])
    said = last_line(err)
    expected = code == 1 and "runs none of the program's variants" in said
    return ["refused" if expected else "failed", said], None if expected else f"exit code {code}: {said}"


def limit_memory(check, binary, given):
    """A run that needs more than it may have: a large vector where there is a program for it, else any input."""
    stream = os.path.join(check.options.folder, "rates", "stream")
    binary, given, limit = (stream + ".so", stream + ".in.npz", "1K") if os.path.exists(stream + ".so") else (binary, given, "1")
    code, _, err = check.finish([check.runner, binary, f"--device={check.options.device}", "--inputs", given,
                                 "--memory-limit", limit])
    return [f"exit code {code}", last_line(err)], None if code == 5 else f"expected exit code 5, got {code}: {last_line(err)}"


def contents_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def run_together(check, binary, given, paths):
    """Runs one process for each path at the same time; each writes its results there."""
    seconds = check.seconds()
    processes = [Process([check.runner, binary, f"--device={check.options.device}", "--inputs", given, "--threads", str(RUNS),
                          "--bench", "--runs", str(RUNS), "--outputs", path]) for path in paths]
    ends = [process.finish(seconds) for process in processes]
    for code, _, err in ends:
        if code is None:
            raise OutOfTime(f"stopped after {seconds:.3g} s")
        if code:
            raise Failed(f"exit code {code}: {last_line(err)}")


def compare_bits(check, binary, given):
    with tempfile.TemporaryDirectory(prefix="device-check-") as folder:
        paths = [os.path.join(folder, f"{i}.npz") for i in range(PARALLEL + 1)]
        run_together(check, binary, given, paths[:1])
        run_together(check, binary, given, paths[1:])
        alone, *others = [contents_of(path) for path in paths]
    same = all(other == alone for other in others)
    return ["equal bits" if same else "failed", os.path.basename(binary)], \
        None if same else f"{os.path.basename(binary)}: results of runs side by side differ from those of one alone"


def sanitize(check, tool, binary, given):
    code, out, err = check.finish([tool, "--error-exitcode", "9", check.runner, binary, f"--device={check.options.device}",
                                   "--inputs", given], times=SANITIZER_RUNS)
    if "Device not supported" in out + err:
        return ["not possible", "compute-sanitizer does not support the device"], None
    said = last_line(out + err)
    return ["clean" if code == 0 else "failed", said], None if code == 0 else f"exit code {code}: {said}"


def provoke(check, smallest_binary):
    check.begin("Errors", ["case", "result", "what was said"])
    for path in binaries_in(os.path.join(check.options.folder, "newer")):
        arch = os.path.basename(path)[:-len(".so")]
        if check.arch and check.arch < (number_of(arch) or 0):
            check.case(f"program for {arch} only", lambda: refuse(check, path))
    tool = next(filter(None, map(shutil.which, SANITIZERS)), None)
    try:
        binary, given, _ = smallest_binary(check)
    except Failed as failure:
        check.note("")
        check.note(str(failure))
        return
    largest = max((path for path in binaries_in(check.options.folder) if cases_of(path)), key=os.path.getsize)
    check.case("memory limit", lambda: limit_memory(check, binary, given))
    check.case(f"{PARALLEL} processes at once, {RUNS} runs each",
               lambda: compare_bits(check, largest, cases_of(largest)[0][0]))
    if tool and check.arch:
        check.case("compute-sanitizer", lambda: sanitize(check, tool, binary, given))
    check.note("")
    if not tool:
        check.note("There is no compute-sanitizer.")
