"""Long tests of the runtime, the compiler and the programs around them, on the CPU.

usage: soak_test.py [--bin DIR] [--scale X] [--match TEXT]

Scale 1 is about a minute a test; without --scale it is $TSSA_SOAK, or 0.1. Each test
prints what it found as a line of JSON. The tests of the runtime are the program
tssa-soak; the others are here and in environment.py.
"""

import argparse
import filecmp
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "onnx"), os.path.join(ROOT, "graphs")]

import environment
import harness
import models_test
import random_graph
import small_models
import soak_models


def report(test, ok, **numbers):
    print(json.dumps({"test": test, "ok": ok, **numbers}), flush=True)
    return ok


class Soak:
    """The models, compiled, and the tests that run them."""

    def __init__(self, tools, scale, folder):
        self.tools, self.scale, self.folder = tools, scale, folder
        self.small = {build.__name__: build() for build in small_models.ALL}

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, inputs):
        path = self.path(name + ".npz")
        np.savez(path, **inputs)
        return path

    def compile(self, name, model):
        """Saves and compiles it; gives the binary."""
        onnx.save(model, self.path(name + ".onnx"))
        outcome = self.tools.compile(self.path(name + ".onnx"), self.path(name + ".so"))
        if outcome.code != 0:
            sys.exit(f"{name}: tssa-compile ended with {outcome.code}: {outcome.first_error()}")
        return self.path(name + ".so")

    def prepare(self):
        """The small models at three size tuples each, as tssa-soak takes them."""
        self.arguments = {}
        for name, small in self.small.items():
            inputs = [self.save(f"{name}-{i}", small.inputs(*sizes)) for i, sizes in enumerate(small.sizes[:3])]
            self.arguments[name] = [self.compile(name, small.model), *inputs]
        binary = self.compile("long_loop", soak_models.long_loop())
        count = max(10**6, int(10**7 * min(self.scale, 1)))
        self.loop = [binary, self.save("loop-short", soak_models.loop_inputs(1000)),
                     self.save("loop-long", soak_models.loop_inputs(count))]
        self.windows = [self.compile("windows", soak_models.windows()),
                        self.save("windows", soak_models.window_inputs())]
        self.endless = [binary, self.save("loop-endless", soak_models.loop_inputs(2**62))]

    def runtime(self, test, *models, scale=None):
        """One test of tssa-soak."""
        command = [os.path.join(os.path.dirname(self.tools.runner), "tssa-soak"), test, repr(scale or self.scale)]
        outcome = self.tools.call(command + list(itertools.chain(*models)), timeout=900)
        sys.stdout.write(outcome.output)
        sys.stdout.flush()
        if not outcome.output:
            return report(test, False, broken=outcome.first_error(), exit=outcome.code)
        return outcome.code == 0

    def shapes(self):
        """Sizes at random, also 0 and 1, against ONNX Runtime; what it cannot run is an error here too."""
        rng, wrong, runs = random.Random(1), [], 0
        sessions = {}
        for name, small in self.small.items():
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            sessions[name] = onnxruntime.InferenceSession(self.path(name + ".onnx"), options,
                                                          providers=["CPUExecutionProvider"])
        end = time.monotonic() + 60 * self.scale
        while time.monotonic() < end or runs < 2 * len(self.small):
            name = list(self.small)[runs % len(self.small)]
            small = self.small[name]
            largest = [max(sizes) for sizes in zip(*small.sizes)]
            least = [min(sizes) for sizes in zip(*small.sizes)]
            sizes = tuple(rng.randint(low, high) for low, high in zip(least, largest))
            inputs = small.inputs(*sizes)
            try:
                wanted = sessions[name].run(None, inputs)
            except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
                wanted = None
            out = self.path("shapes-out.npz")
            outcome = self.tools.call([self.tools.runner, self.path(name + ".so"), "--inputs",
                                       self.save("shapes-in", inputs), "--outputs", out])
            runs += 1
            if wanted is None:
                if outcome.code != harness.MODEL_ERROR:
                    wrong.append(f"{name} {sizes}: ended with {outcome.code}, expected an error")
                continue
            if outcome.code != 0:
                wrong.append(f"{name} {sizes}: {outcome.first_error()}")
                continue
            with np.load(out) as got:
                for info, value in zip(sessions[name].get_outputs(), wanted):
                    if text := models_test.difference(value, got[info.name]):
                        wrong.append(f"{name} {sizes}: '{info.name}' {text}")
        return report("shapes", not wrong, runs=runs, broken="; ".join(wrong[:3]))

    def compile_twice(self):
        """Random graphs, compiled two at a time and again: the same bytes, and no file left behind."""
        folder = self.path("twice")
        os.makedirs(folder)
        programs, broken = max(6, int(150 * self.scale)), []
        environ = dict(os.environ, TMPDIR=folder)
        for seed in range(1, programs + 1):
            source = os.path.join(folder, f"{seed}.onnx")
            onnx.save(random_graph.make_graph(seed).model, source)
            binaries = [os.path.join(folder, f"{seed}-{i}.so") for i in range(2)]
            running = [subprocess.Popen([self.tools.compiler, source, "-o", binary], env=environ,
                                        stderr=subprocess.PIPE) for binary in binaries]
            errors = [process.communicate()[1] for process in running]
            if any(process.returncode for process in running):
                broken.append(f"seed {seed}: {errors[0].decode(errors='replace')[:200]}")
            elif not filecmp.cmp(*binaries, shallow=False):
                broken.append(f"seed {seed}: two compilations gave different bytes")
            for path in [source, *binaries]:
                if os.path.exists(path):
                    os.remove(path)
        left = os.listdir(folder)
        if left:
            broken.append(f"left behind: {left[:3]}")
        return report("compile", not broken, programs=programs, broken="; ".join(broken[:3]))

    def cache_race(self):
        """Eight tssa-run with one cache, killed at random; who is not killed must be right."""
        rng, broken, killed = random.Random(1), [], 0
        model, inputs = self.path("lstm.onnx"), self.arguments["lstm"][1]
        expected = self.path("race-expected.npz")
        self.tools.call([self.tools.runner, self.arguments["lstm"][0], "--inputs", inputs, "--outputs", expected])
        for number in range(max(2, int(12 * self.scale))):
            cache = self.path(f"cache-{number}")
            command = [self.tools.runner, model, "--cache-dir", cache, "--inputs", inputs, "--expect", expected]
            running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        start_new_session=True) for _ in range(8)]
            for process in rng.sample(running, 4):
                time.sleep(rng.uniform(0, 0.3))
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    killed += 1
            ends = [(process.communicate()[1], process.returncode) for process in running]
            outcome = self.tools.call(command)
            ends.append((outcome.errors.encode(), outcome.code))
            broken += [f"{code}: {errors.decode(errors='replace')[-200:]}" for errors, code in ends
                       if code not in (0, -signal.SIGKILL)]
        return report("cache", not broken, killed=killed, broken="; ".join(broken[:3]))

    def big_weights(self):
        """A table of gigabytes in a sparse file: little memory to compile, no time to load."""
        folder = self.path("big")
        os.makedirs(folder)
        size = max(int(1.2e9), int(3e9 * min(self.scale, 1)))
        model, binary = soak_models.big_table(folder, size), os.path.join(folder, "big_table.so")
        start = time.monotonic()
        pid = subprocess.Popen([self.tools.compiler, model, "-o", binary]).pid
        _, status, usage = os.wait4(pid, 0)
        compiled = report("big-weights", status == 0, bytes=size, compile_seconds=round(time.monotonic() - start, 1),
                          compile_peak_kB=usage.ru_maxrss)
        ok = compiled and self.runtime("load", [binary, self.save("rows", {"rows": np.array([0, 7, 99], np.int64)})])
        shutil.rmtree(folder)
        return ok

    def tests(self):
        quick = [self.arguments[name] for name in ("transformer", "lstm", "nonzero", "growing_loop")]
        return {
            "steady": lambda: self.runtime("steady", *self.arguments.values()),
            "open-close": lambda: self.runtime("open-close", *quick),
            "crowd": lambda: self.runtime("crowd", self.arguments["transformer"][:1] +
                                          self.arguments["transformer"][3:]),
            "cancel": lambda: self.runtime("cancel", self.endless, self.arguments["lstm"]),
            "memory": lambda: self.runtime("memory", *quick),
            "fork": lambda: self.runtime("fork", self.arguments["transformer"]),
            "loop": lambda: self.runtime("loop", self.loop),
            "signals": lambda: self.runtime("signals", *quick),
            "pages": lambda: self.runtime("pages", self.windows, self.arguments["transformer"]),
            "shapes": self.shapes,
            "compile": self.compile_twice,
            "cache": self.cache_race,
            "big-weights": self.big_weights,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--scale", type=float, default=float(os.environ.get("TSSA_SOAK", "0.1")))
    parser.add_argument("--match", default="", metavar="TEXT", help="only tests with TEXT in their name")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tssa-soak-")
    passed = failed = 0
    try:
        soak = Soak(harness.Tools(os.path.abspath(options.bin), max(options.timeout, 120)), options.scale, folder)
        soak.prepare()
        large = soak.save("nonzero-large", soak.small["nonzero"].inputs(200, 100))
        checks = environment.Environment(soak.tools, folder, (soak.path("nonzero.so"), large),
                                         soak.path("nonzero.onnx"))
        tests = {**soak.tests(), **checks.tests()}
        for name, test in tests.items():
            if options.match in name:
                ok = test()
                passed += ok
                failed += not ok
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return harness.print_counts(passed, failed, 0)


if __name__ == "__main__":
    sys.exit(main())
