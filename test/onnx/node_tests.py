"""Runs the node tests of the onnx package through tssa, inputs as run-time inputs.

usage: node_tests.py [--bin DIR] [--mode static|dynamic|cuda-emu|stores|stores-emu] [--part 0/10] [--listed] [--match TEXT]
                     [--update] [--report FILE.md]

The modes: `static`, the test as it is, on the CPU; `dynamic`, every dimension of every
input a symbol; `cuda-emu`, on the emulated device; `stores` and `stores-emu`, on the CPU
and there, with random layouts for the tensors of kernels, from a file of schedules. A
layout that the compiler refuses, at its line, is left out. `--part 0/10` takes every
tenth test.

`node_tests.txt` holds one test per line: those that must pass. A line
`! NAME  why` names a test that is known to fail although its operators are
supported. Every other test must be refused (exit code 3). So

  a listed test that does not pass            fails,
  a `!` test that passes                      fails: take the `!` away,
  an unlisted test that passes                fails: add it to the list,
  an unlisted test that answers wrong, crashes
  or stops with anything but code 3           fails: nothing is silently wrong.

A listed test may say where it need not pass, `NAME  static-only: why` (not in mode
`dynamic`) and `NAME  cpu-only: why` (not in mode `cuda-emu`); both with `;` between.
There it must end in an error, not in a wrong answer or a crash, and it fails when it
passes. Modes other than `static` run the listed tests only.

In mode `static` no program may call a library routine but those that decision 2 of
docs/decisions/0001 and the architecture allow; the counts are printed.

Tests with strings, sequences or optionals cannot be passed to the runner and are
skipped.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import re
import shutil
import sys

import onnx

import harness
import node_cases
import random_stores

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "node_tests.txt")
#: mode -> (the mark of tests that need not pass in it, options of tssa-compile, options of tssa-run)
MODES = {
    "static": (None, [], []),
    "dynamic": ("static-only", [], []),
    "cuda-emu": ("cpu-only", ["--target=cuda-emu"], ["--device=cuda-emu"]),
    "stores": (None, [], []),
    "stores-emu": ("cpu-only", ["--target=cuda-emu"], ["--device=cuda-emu"]),
}
#: The most layouts of a program that may be refused.
MOST_REFUSED = 40


@dataclasses.dataclass
class Result:
    name: str
    operators: list
    status: str  # passed, refused, error, wrong, crashed, skipped
    text: str
    routines: set = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Expected:
    """What node_tests.txt says."""
    must_pass: set
    known_bad: dict  # name -> why
    marks: dict  # name -> {mark: why}


def read_list(path):
    expected = Expected(set(), {}, {})
    marks = sorted({mark for mark, _, _ in MODES.values() if mark})
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, rest = line.lstrip("! ").partition(" ")
            if name in expected.must_pass or name in expected.known_bad:
                sys.exit(f"{path}:{number}: '{name}' is listed twice")
            if line.startswith("!"):
                expected.known_bad[name] = rest.strip()
                continue
            expected.must_pass.add(name)
            for text in filter(None, (part.strip() for part in rest.split(";"))):
                mark, _, why = text.partition(":")
                if mark not in marks or not why.strip():
                    sys.exit(f"{path}:{number}: expected {' or '.join(marks)}, a colon and why, got '{text}'")
                expected.marks.setdefault(name, {})[mark] = why.strip()
    return expected


def routines_in(folder):
    """The library routines that a dumped program calls."""
    called = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            called |= set(re.findall(r"te\.extern @(\w+)", file.read()))
    shutil.rmtree(folder)
    return called


def compile_with_stores(tools, model, binary, seed, options):
    """Compiles with random layouts, without those that the compiler refuses."""
    file = binary + ".schedules.mlir"
    try:
        outcome = tools.compile(model, file, "--emit=schedule", *options)
        if outcome.code:
            return outcome
        with open(file) as stream:
            schedules = random_stores.randomise(stream.read(), seed)
        for _ in range(MOST_REFUSED if schedules else 0):
            with open(file, "w") as stream:
                stream.write(schedules)
            outcome = tools.compile(model, binary, f"--schedule={file}", *options)
            refused = re.search(r"schedules\.mlir:(\d+):\d+: error: 'layout\.store' op", outcome.errors)
            if not refused:
                return outcome
            schedules = random_stores.drop_line(schedules, int(refused[1]))
        return tools.compile(model, binary, *options)
    finally:
        if os.path.exists(file):
            os.remove(file)


def run_case(tools, case, folder, mode):
    """Compiles and runs one test; the binary is deleted again."""
    place = os.path.join(folder, case.name)
    binary, dump = (os.path.join(place, f"{mode}.{kind}") for kind in ("so", "dump"))
    _, compile_options, run_options = MODES[mode]
    if mode == "static":
        compile_options = [f"--dump-dir={dump}"]
    routines = set()

    def result(status, text=""):
        return Result(case.name, case.operators, status, text.replace(place + os.sep, ""), routines)

    try:
        model = os.path.join(place, "model.onnx")
        if mode.startswith("stores"):
            outcome = compile_with_stores(tools, model, binary, case.name, compile_options)
        else:
            outcome = tools.compile(model, binary, *compile_options)
        if os.path.isdir(dump):
            routines |= routines_in(dump)
        if outcome.crashed or outcome.code is None:
            return result("crashed", f"tssa-compile ({outcome.code}): {outcome.first_error()}")
        if outcome.code:
            return result("refused" if outcome.code == harness.UNSUPPORTED else "error",
                          f"tssa-compile ({outcome.code}): {outcome.first_error()}")
        number = 0
        while os.path.exists(os.path.join(place, f"{number}.in.npz")):
            stem = os.path.join(place, str(number))
            outcome = tools.check(binary, stem + ".in.npz", stem + ".out.npz", case.rtol, case.atol, *run_options)
            if outcome.crashed or outcome.code is None:
                return result("crashed", f"tssa-run ({outcome.code}): {outcome.first_error()}")
            if outcome.code:
                detail = outcome.first_error()
                if outcome.code == harness.MISMATCH and outcome.output.strip():
                    detail += " | " + " ; ".join(outcome.output.split("\n"))[:160]
                return result("wrong" if outcome.code == harness.MISMATCH else "error",
                              f"tssa-run ({outcome.code}): {detail}")
            number += 1
        return result("passed")
    finally:
        if os.path.exists(binary):
            os.remove(binary)


def judge(result, expected, mode):
    """Gives (verdict, complaint): verdict is passed, failed or skipped."""
    name, listed = result.name, os.path.basename(LIST)
    mark = MODES[mode][0]
    if result.status == "skipped":
        if name in expected.must_pass:
            return "failed", "is listed but cannot be run: " + result.text
        return "skipped", ""
    if result.routines - harness.ROUTINES:
        return "failed", f"calls the routine {', '.join(sorted(result.routines - harness.ROUTINES))}"
    if mark in expected.marks.get(name, {}):
        if result.status == "passed":
            return "failed", f"passes now: take away its '{mark}' in {listed}"
        return ("skipped", "") if result.status in ("refused", "error") else ("failed", result.text)
    if name in expected.must_pass:
        return ("passed", "") if result.status == "passed" else ("failed", result.text)
    if name in expected.known_bad:
        if result.status == "passed":
            return "failed", f"passes now: take away its '!' in {listed}"
        return "skipped", ""
    if result.status == "passed":
        return "failed", f"passes but is not listed: add it to {listed}"
    if result.status == "refused":
        return "skipped", ""
    return "failed", "not listed, so expected to be refused (exit code 3): " + result.text


def write_report(path, results):
    """Failures by operator and by first error line, for people."""
    counts = collections.Counter(r.status for r in results)
    groups = collections.defaultdict(list)
    for r in results:
        if r.status not in ("passed", "skipped"):
            groups[(r.status, r.text)].append(r)
    with open(path, "w") as file:
        file.write("# ONNX node tests\n\n" + ", ".join(f"{n} {s}" for s, n in counts.most_common()) + "\n\n")
        by_operator = collections.defaultdict(collections.Counter)
        for r in results:
            for operator in r.operators if len(r.operators) == 1 else []:
                by_operator[operator][r.status] += 1
        file.write("## Single operators with failures (skipped not counted)\n\n")
        for operator, seen in sorted(by_operator.items()):
            bad = {s: n for s, n in seen.items() if s not in ("passed", "skipped")}
            if bad:
                file.write(f"- {operator}: {seen['passed']} passed, "
                           + ", ".join(f"{n} {s}" for s, n in sorted(bad.items())) + "\n")
        order = {"crashed": 0, "wrong": 1, "error": 2, "refused": 3}
        file.write("\n## By first error line\n\n")
        for (status, text), members in sorted(groups.items(), key=lambda g: (order[g[0][0]], -len(g[1]))):
            names = ", ".join(r.name.removeprefix("test_") for r in members[:6])
            more = f", and {len(members) - 6} more" if len(members) > 6 else ""
            file.write(f"- {status} x{len(members)}: `{text}`\n  {names}{more}\n")


def update_list(results, expected):
    """Adds what passes to the list and drops what no longer does; keeps the head of the file, marks and `!` lines."""
    with open(LIST) as file:
        head = [line for line in file if line.startswith("#")]
    seen = {r.name: r.status for r in results}
    names = {n for n in expected.must_pass if n not in seen} | {n for n, s in seen.items() if s == "passed"}

    def line(name):
        marks = "; ".join(f"{mark}: {why}" for mark, why in sorted(expected.marks.get(name, {}).items(), reverse=True))
        return name + (f"  {marks}" if marks else "") + "\n"

    with open(LIST, "w") as file:
        file.writelines(head)
        file.writelines(line(name) for name in sorted(names))
        file.writelines(f"! {name}  {why}\n" for name, why in sorted(expected.known_bad.items())
                        if seen.get(name) != "passed")
    print(f"{LIST}: {len(names)} tests")


def choose(cases, options, expected):
    """The cases to run, and results of those that cannot be."""
    cases = [c for c in cases if options.match in c.name and (not options.listed or c.name in expected.must_pass)]
    part, parts = map(int, options.part.split("/"))
    cases = sorted(cases, key=lambda case: case.name)[part::parts]
    if options.mode != "static":
        return [c for c in cases if c.name in expected.must_pass and not c.skip], []
    return [c for c in cases if not c.skip], [Result(c.name, c.operators, "skipped", c.skip) for c in cases if c.skip]


def print_summary(results, expected, mode):
    skips = collections.Counter(r.text for r in results if r.status == "skipped")
    refused = sum(r.status == "refused" for r in results)
    known = [n for n, marks in expected.marks.items() if MODES[mode][0] in marks] if MODES[mode][0] else expected.known_bad
    routines = collections.Counter(name for r in results for name in r.routines)
    print(f"{mode}: " + "".join(f"skipped for {why}: {n}; " for why, n in skips.most_common()) +
          f"refused as unsupported: {refused}; known to fail: {len(known)}")
    if mode == "static":
        print("tests that call a library routine: " + (", ".join(f"{name} {n}" for name, n in routines.most_common())
                                                      or "none"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--mode", default="static", choices=MODES)
    parser.add_argument("--part", default="0/1", metavar="I/N", help="of N equal parts, the one of number I")
    parser.add_argument("--cache", default="", metavar="DIR", help="for the tests' models and data")
    parser.add_argument("--listed", action="store_true", help="only the tests that must pass")
    parser.add_argument("--match", default="", metavar="TEXT", help="only tests with TEXT in their name")
    parser.add_argument("--update", action="store_true", help="rewrite the list from what passes in mode static")
    parser.add_argument("--report", default="", metavar="FILE.md")
    options = parser.parse_args()

    folder = options.cache or os.path.join(os.path.dirname(os.path.abspath(options.bin)), "node-tests")
    folder += "-dynamic" if options.mode == "dynamic" else ""
    cases = node_cases.materialise(folder, options.mode == "dynamic")
    expected = read_list(LIST)
    unknown = sorted((expected.must_pass | set(expected.known_bad)) - {case.name for case in cases})
    for name in unknown:
        print(f"FAILED {name}: listed, but onnx {onnx.__version__} has no such test")

    chosen, results = choose(cases, options, expected)
    with harness.ServedTools(harness.Tools(options.bin, options.timeout), options.jobs) as tools, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results += pool.map(lambda case: run_case(tools, case, folder, options.mode), chosen)

    if options.report:
        write_report(options.report, results)
    if options.update and options.mode == "static":
        update_list(results, expected)
        return 0
    verdicts = collections.Counter()
    for r in sorted(results, key=lambda r: r.name):
        verdict, complaint = judge(r, expected, options.mode)
        verdicts[verdict] += 1
        if complaint:
            print(f"FAILED {r.name}: {complaint}")
    print_summary(results, expected, options.mode)
    return harness.print_counts(verdicts["passed"], verdicts["failed"] + len(unknown), verdicts["skipped"])


if __name__ == "__main__":
    sys.exit(main())
