"""Code that tssa-compile makes, watched by AddressSanitizer: no access is out of its buffer.

usage: sanitized_test.py [--bin DIR] --runner ASAN/bin/tssa-run [--nodes N] [--graphs N] [--programs N]

Each program is compiled with --sanitize=address, which gives every buffer a place of its
own with unusable bytes behind it, and run by a tssa-run that has AddressSanitizer: the
small models at their size tuples, a sample of the node tests that must pass with all dims dynamic,
random ONNX graphs, random te programs.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import harness
import node_cases
import node_tests
import small_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "graphs"))
import random_graph


#: What a process exits with that AddressSanitizer ends.
ASAN_CODE = 99


class Checker:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def fail(name, outcome):
        found = re.search(r"ERROR: AddressSanitizer: .*(?:\n.*){0,2}", outcome.errors)
        print(f"FAILED {name}: ended with {outcome.code}: {found.group(0) if found else outcome.first_error()}")
        return "failed"

    def check(self, name, source, runs, may_refuse=False):
        """Compiles `source` and runs it with each list of options; gives "passed", "failed" or "skipped"."""
        binary = self.path(name + ".so")
        outcome = self.tools.compile(source, binary, "--sanitize=address")
        if outcome.code == harness.UNSUPPORTED and may_refuse:
            return "skipped"
        for options in runs if outcome.code == 0 else []:
            outcome = self.tools.call([self.tools.runner, binary, *options])
            # An index of random inputs may be out of range: that is told, not done.
            if outcome.code != 0 and not (may_refuse and outcome.code in (harness.MODEL_ERROR, harness.LIMIT)):
                break
            outcome.code = 0
        for path in (binary, source):
            if os.path.exists(path):
                os.remove(path)
        return "passed" if outcome.code == 0 else self.fail(name, outcome)

    def save(self, name, inputs):
        path = self.path(name + ".npz")
        np.savez(path, **inputs)
        return path

    def small(self, build):
        small = build()
        source = self.path(small.name + ".onnx")
        onnx.save(small.model, source)
        return self.check(small.name, source, [["--inputs", self.save(f"{small.name}-{i}", small.inputs(*sizes))]
                                               for i, sizes in enumerate(small.sizes)])

    def control(self):
        """A read whose guard was dropped on the way must be seen."""
        cnn, source, binary = small_models.cnn(), self.path("control.onnx"), self.path("control.so")
        onnx.save(cnn.model, source)
        outcome = self.tools.compile(source, binary, "--sanitize=address", "--inject-fault=dropped-guard")
        if outcome.code == 0:
            inputs = self.save("control", cnn.inputs(2, 32, 32))
            outcome = self.tools.call([self.tools.runner, binary, "--inputs", inputs])
        if outcome.code == ASAN_CODE and "AddressSanitizer" in outcome.errors:
            return "passed"
        return self.fail("control: a dropped guard is not seen", outcome)

    def node(self, case):
        place, number, runs = self.path(os.path.join("nodes", case.name)), 0, []
        while os.path.exists(os.path.join(place, f"{number}.in.npz")):
            runs.append(["--inputs", os.path.join(place, f"{number}.in.npz")])
            number += 1
        return self.check(case.name, os.path.join(place, "model.onnx"), runs, may_refuse=True)

    def graph(self, seed):
        graph = random_graph.make_graph(seed)
        source = self.path(f"graph-{seed}.onnx")
        onnx.save(graph.model, source)
        # Its own inputs: at others a loop of it may have no end.
        return self.check(f"graph-{seed}", source, [["--inputs", self.save(f"graph-{seed}", graph.inputs)]],
                          may_refuse=True)

    def program(self, seed):
        fuzz = os.path.join(os.path.dirname(self.tools.compiler), "te-fuzz")
        printed = subprocess.run([fuzz, "--print", "--seed", str(seed), "--count", "1"], capture_output=True,
                                 text=True, check=False).stdout
        sizes = re.findall(r"^// (N\d+) = (\d+)$", printed, re.M)
        source = self.path(f"program-{seed}.mlir")
        with open(source, "w") as file:
            file.write(printed[:printed.rindex("}") + 1])
        dims = [option for name, size in sizes for option in ("--dim", f"{name}={size}")]
        return self.check(f"program-{seed}", source, [["--random", str(seed), *dims]], may_refuse=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--runner", required=True, metavar="FILE", help="tssa-run with AddressSanitizer")
    parser.add_argument("--nodes", type=int, default=60)
    parser.add_argument("--graphs", type=int, default=60)
    parser.add_argument("--programs", type=int, default=60)
    options = parser.parse_args()
    tools = harness.Tools(options.bin, options.timeout)
    tools.runner = options.runner
    # Poisoning by hand is off by default because of LLVM, which tssa-run has not.
    os.environ["ASAN_OPTIONS"] = f"exitcode={ASAN_CODE}:abort_on_error=0:allow_user_poisoning=1:detect_leaks=0"
    folder = tempfile.mkdtemp(prefix="sanitized-")
    try:
        checker = Checker(tools, folder)
        tests = [(checker.control,)] + [(checker.small, build) for build in small_models.ALL]
        if options.nodes:
            expected = node_tests.read_list(node_tests.LIST)
            cases = [case for case in node_cases.materialise(checker.path("nodes"), dynamic=True)
                     if case.name in expected.must_pass and "static-only" not in expected.marks.get(case.name, {})]
            tests += [(checker.node, case) for case in cases[::max(1, len(cases) // options.nodes)]]
        tests += [(checker.graph, seed) for seed in range(1, options.graphs + 1)]
        tests += [(checker.program, seed) for seed in range(1, options.programs + 1)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            ends = collections.Counter(pool.map(lambda test: test[0](*test[1:]), tests))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return harness.print_counts(ends["passed"], ends["failed"], ends["skipped"])


if __name__ == "__main__":
    sys.exit(main())
