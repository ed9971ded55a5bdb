"""Tells the type of every file of a folder with a compiled ONNX model.

The model is compiled by tssa-compile, the files go through tssa-run in batches
of 256, and the answers are compared with magika's own (or, with --tiny, with
ONNX Runtime's) and the time of a batch with ONNX Runtime's. Exits with 1 when they differ.
"""

import argparse
import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

from features import edge_tokens
from models import magika_model, tiny_model

#: magika's model takes a variance as the difference of two squares. For short
#: files that is ill-conditioned: in f32 both ONNX Runtime's scores and ours are
#: about 1e-3 from the exact ones.
SCORE_TOLERANCE = 1e-2

#: A row of magika's model takes megabytes: three here, seven in ONNX Runtime.
ROWS_AT_ONCE = 256


def files_of(folder):
    """The files that version control knows, or every file where it knows none."""
    command = ["git", "-C", folder, "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True) if shutil.which("git") else None
    if listed and listed.returncode == 0 and listed.stdout:
        names = listed.stdout.rstrip("\0").split("\0")
    else:
        skipped = {".git", ".venv", "build", "third_party", "__pycache__"}
        names = []
        for here, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name not in skipped]
            names += [os.path.relpath(os.path.join(here, name), folder) for name in files]
    return [name for name in sorted(names) if os.path.isfile(os.path.join(folder, name))]


def run_tool(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"error: {os.path.basename(command[0])} ended with status {done.returncode}: {' '.join(command)}")
    return done.stdout


def onnxruntime_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin between two runs would take the other side's time.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def batches(rows):
    return [rows[at : at + ROWS_AT_ONCE] for at in range(0, len(rows), ROWS_AT_ONCE)]


class Runner:
    """tssa-run with the compiled model, on batches of its only input."""

    def __init__(self, program, binary, name, threads, scratch):
        self.name = name
        self.given, self.results = (os.path.join(scratch, file) for file in ("in.npz", "out.npz"))
        self.command = [program, binary, "--inputs", self.given, "--threads", str(threads)]

    def give(self, rows):
        np.savez(self.given, **{self.name: rows})

    def run(self, rows):
        """The first output."""
        self.give(rows)
        run_tool(*self.command, "--outputs", self.results)
        with np.load(self.results) as outputs:
            return next(iter(outputs.values()))

    def median_ms(self):
        """Of two runs on the batch that was given last."""
        return json.loads(run_tool(*self.command, "--bench", "--runs", "2", "--json"))["median_ms"]


def compare_time(runner, session, rows, rounds):
    """Medians in ms of both sides over rounds taken in turns."""
    ours, theirs = [], []
    runner.give(rows)
    for _ in range(rounds):
        ours.append(runner.median_ms())
        times = []
        for _ in range(3):
            start = time.perf_counter()
            session.run(None, {runner.name: rows})
            times.append((time.perf_counter() - start) * 1e3)
        theirs.append(statistics.median(times[1:]))
    return statistics.median(ours), statistics.median(theirs)


def print_table(names, labels, scores):
    groups = collections.defaultdict(list)
    for name, label, score in zip(names, labels, scores):
        groups[label].append((score, name))
    print(f"\n{'type':<14}{'files':>6}{'mean score':>12}   for example")
    for label, rows in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        mean = statistics.mean(score for score, _ in rows)
        print(f"{label:<14}{len(rows):>6}{mean:>12.3f}   {max(rows)[1]}")
    print()


def own_answers(paths):
    import magika

    judge = magika.Magika()
    results = [result for part in batches(paths) for result in judge.identify_paths(part)]
    return [result.prediction.dl.label for result in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=".", help="folder whose files are classified")
    parser.add_argument("--bin", required=True, help="folder of tssa-compile and tssa-run")
    parser.add_argument("--tiny", action="store_true", help="use the model made here, not magika's")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the time comparison; 0 for none")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        found = None if options.tiny else magika_model()
        if not found and not options.tiny:
            print("magika is not installed: using a tiny model made here")
        model, config = found or tiny_model(os.path.join(scratch, "tiny.onnx"))

        rows = [(name, edge_tokens(os.path.join(options.folder, name), config)) for name in files_of(options.folder)]
        names = [name for name, tokens in rows if tokens]
        if not names:
            sys.exit(f"error: no file in {options.folder} is long enough to classify")
        tokens = np.array([tokens for _, tokens in rows if tokens], np.int32)

        binary = os.path.join(scratch, "filetype.so")
        start = time.perf_counter()
        run_tool(os.path.join(options.bin, "tssa-compile"), model, "-o", binary)
        print(f"compiled {os.path.basename(model)} in {time.perf_counter() - start:.1f} s, {os.path.getsize(binary) / 1e6:.1f} MB")

        session = onnxruntime_session(model, options.threads)
        name = session.get_inputs()[0].name
        runner = Runner(os.path.join(options.bin, "tssa-run"), binary, name, options.threads, scratch)
        scores = np.concatenate([runner.run(part) for part in batches(tokens)])
        reference = np.concatenate([session.run(None, {name: part})[0] for part in batches(tokens)])

        space = config["target_labels_space"]
        labels = [space[index] for index in scores.argmax(axis=1)]
        print_table(names, labels, scores.max(axis=1))
        if found:
            who, answers = "magika", own_answers([os.path.join(options.folder, name) for name in names])
        else:
            who, answers = "ONNX Runtime", [space[index] for index in reference.argmax(axis=1)]
        different = [row for row in zip(names, labels, answers) if row[1] != row[2]]
        for name, label, answer in different:
            print(f"differs: {name}: {label} here, {answer} from {who}")
        error = float(np.abs(scores - reference).max())
        print(f"{len(names)} files ({len(rows) - len(names)} too short to tell)")
        print(f"{len(names) - len(different)} of {len(names)} answers agree with {who}; largest difference of a score {error:.1e}")
        if options.rounds:
            first = tokens[:ROWS_AT_ONCE]
            ours, theirs = compare_time(runner, session, first, options.rounds)
            print(f"time for {len(first)} files on {options.threads} thread(s): {ours:.1f} ms, ONNX Runtime {theirs:.1f} ms ({theirs / ours:.2f}x)")
    return 1 if different or error > SCORE_TOLERANCE else 0


sys.exit(main())
