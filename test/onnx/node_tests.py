"""Runs the node tests of the onnx package through tssa, inputs as run-time inputs.

usage: node_tests.py [--bin DIR] [--listed] [--match TEXT] [--update] [--report FILE.md] [--dynamic]

`node_tests.txt` holds one test per line: those that must pass. A line
`! NAME  why` names a test that is known to fail although its operators are
supported. Every other test must be refused (exit code 3). So

  a listed test that does not pass            fails,
  a `!` test that passes                      fails: take the `!` away,
  an unlisted test that passes                fails: add it to the list,
  an unlisted test that answers wrong, crashes
  or stops with anything but code 3           fails: nothing is silently wrong.

Tests with strings, sequences, optionals, or elements of less than a byte or of
eight-bit floats cannot be passed to the runner and are skipped.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import shutil
import sys
import warnings

import onnx

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "node_tests.txt")
CACHE_VERSION = 2
#: Their results are drawn at random, so there is nothing to compare with.
RANDOM = ("test_bernoulli",)


@dataclasses.dataclass
class Case:
    name: str
    operators: list
    rtol: float
    atol: float
    skip: str = ""


@dataclasses.dataclass
class Result:
    name: str
    operators: list
    status: str  # passed, refused, error, wrong, crashed, skipped
    text: str


def skip_reason(name, model):
    if name.startswith(RANDOM):
        return "random result"
    for value in list(model.graph.input) + list(model.graph.output):
        kind = harness.tensor_type(value)
        if kind is None:
            return value.type.WhichOneof("value").replace("_type", "") + " value"
        if kind not in harness.NUMPY_TYPES and kind not in harness.RAW_TYPES:
            return onnx.TensorProto.DataType.Name(kind) + " element"
    return ""


def operators_of(model):
    return sorted({(f"{n.domain}::" if n.domain else "") + n.op_type for n in model.graph.node})


def make_dynamic(model):
    """Each dimension of each input becomes a symbol of its own."""
    for value in model.graph.input:
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{index}"
    for value in list(model.graph.output) + list(model.graph.value_info):
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_out_{index}"


def materialise(folder, dynamic):
    """Writes every test's model and data once; gives the cases."""
    index_path = os.path.join(folder, "index.json")
    stamp = [CACHE_VERSION, onnx.__version__, dynamic]
    if os.path.exists(index_path):
        with open(index_path) as file:
            index = json.load(file)
        if index["stamp"] == stamp:
            return [Case(**case) for case in index["cases"]]
    from onnx.backend.test.case.node import collect_testcases
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    cases = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = collect_testcases(None)
    for test in tests:
        case = Case(test.name, operators_of(test.model), test.rtol, test.atol, skip_reason(test.name, test.model))
        cases.append(case)
        if case.skip:
            continue
        if dynamic:
            make_dynamic(test.model)
        place = os.path.join(folder, test.name)
        os.makedirs(place)
        onnx.save(test.model, os.path.join(place, "model.onnx"))
        for number, (inputs, outputs) in enumerate(test.data_sets):
            harness.save_npz(os.path.join(place, f"{number}.in.npz"), inputs, test.model.graph.input)
            harness.save_npz(os.path.join(place, f"{number}.out.npz"), outputs, test.model.graph.output)
    with open(index_path + ".part", "w") as file:
        json.dump({"stamp": stamp, "cases": [dataclasses.asdict(case) for case in cases]}, file)
    os.replace(index_path + ".part", index_path)
    return cases


def read_list(path):
    """Gives the tests that must pass and, with reasons, those known to fail."""
    must_pass, known_bad = set(), {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, why = line.lstrip("! ").partition(" ")
            if name in must_pass or name in known_bad:
                sys.exit(f"{path}:{number}: '{name}' is listed twice")
            if line.startswith("!"):
                known_bad[name] = why.strip()
            else:
                must_pass.add(name)
    return must_pass, known_bad


def run_case(tools, case, folder):
    """Compiles and runs one test; the binary is deleted again."""
    place = os.path.join(folder, case.name)
    binary = os.path.join(place, "model.so")

    def result(status, text=""):
        return Result(case.name, case.operators, status, text.replace(place + os.sep, ""))

    try:
        outcome = tools.compile(os.path.join(place, "model.onnx"), binary)
        if outcome.crashed or outcome.code is None:
            return result("crashed", f"tssa-compile ({outcome.code}): {outcome.first_error()}")
        if outcome.code:
            return result("refused" if outcome.code == harness.UNSUPPORTED else "error",
                          f"tssa-compile ({outcome.code}): {outcome.first_error()}")
        number = 0
        while os.path.exists(os.path.join(place, f"{number}.in.npz")):
            stem = os.path.join(place, str(number))
            outcome = tools.check(binary, stem + ".in.npz", stem + ".out.npz", case.rtol, case.atol)
            if outcome.crashed or outcome.code is None:
                return result("crashed", f"tssa-run ({outcome.code}): {outcome.first_error()}")
            if outcome.code:
                detail = outcome.first_error()
                if outcome.code == harness.MISMATCH and outcome.output.strip():
                    detail += " | " + " ; ".join(outcome.output.split("\n"))[:160]
                return result("wrong", f"tssa-run ({outcome.code}): {detail}")
            number += 1
        return result("passed")
    finally:
        if os.path.exists(binary):
            os.remove(binary)


def judge(result, must_pass, known_bad):
    """Gives (verdict, complaint): verdict is passed, failed or skipped."""
    if result.status == "skipped":
        if result.name in must_pass:
            return "failed", "is listed but cannot be run: " + result.text
        return "skipped", ""
    if result.name in must_pass:
        return ("passed", "") if result.status == "passed" else ("failed", result.text)
    if result.name in known_bad:
        if result.status == "passed":
            return "failed", f"passes now: take away its '!' in {os.path.basename(LIST)}"
        return "skipped", ""
    if result.status == "passed":
        return "failed", f"passes but is not listed: add it to {os.path.basename(LIST)}"
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


def update_list(results, known_bad):
    """Adds what passes to the list and drops what no longer does; keeps the head of the file and the `!` lines."""
    with open(LIST) as file:
        head = [line for line in file if line.startswith("#")]
    seen = {r.name: r.status for r in results}
    must_pass, _ = read_list(LIST)
    names = {n for n in must_pass if n not in seen} | {n for n, s in seen.items() if s == "passed"}
    with open(LIST, "w") as file:
        file.writelines(head)
        file.writelines(f"{name}\n" for name in sorted(names))
        file.writelines(f"! {name}  {why}\n" for name, why in sorted(known_bad.items()) if seen.get(name) != "passed")
    print(f"{LIST}: {len(names)} tests")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--cache", default="", metavar="DIR", help="for the tests' models and data")
    parser.add_argument("--listed", action="store_true", help="only the tests that must pass")
    parser.add_argument("--match", default="", metavar="TEXT", help="only tests with TEXT in their name")
    parser.add_argument("--dynamic", action="store_true", help="every input dimension is a symbol; nothing is judged")
    parser.add_argument("--update", action="store_true", help="rewrite the list from what passes")
    parser.add_argument("--report", default="", metavar="FILE.md")
    options = parser.parse_args()

    tools = harness.Tools(options.bin, options.timeout)
    folder = options.cache or os.path.join(os.path.dirname(os.path.abspath(options.bin)), "node-tests")
    cases = materialise(folder + ("-dynamic" if options.dynamic else ""), options.dynamic)
    folder += "-dynamic" if options.dynamic else ""
    must_pass, known_bad = read_list(LIST)
    unknown = sorted((must_pass | set(known_bad)) - {case.name for case in cases})
    for name in unknown:
        print(f"FAILED {name}: listed, but onnx {onnx.__version__} has no such test")

    chosen = [c for c in cases if options.match in c.name and (not options.listed or c.name in must_pass)]
    results = [Result(c.name, c.operators, "skipped", c.skip) for c in chosen if c.skip]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results += pool.map(lambda case: run_case(tools, case, folder), [c for c in chosen if not c.skip])

    if options.report:
        write_report(options.report, results)
    if options.update:
        update_list(results, known_bad)
    statuses = collections.Counter(r.status for r in results)
    if options.dynamic or options.update:
        print(", ".join(f"{n} {s}" for s, n in statuses.most_common()))
        return 0
    verdicts = collections.Counter()
    for r in sorted(results, key=lambda r: r.name):
        verdict, complaint = judge(r, must_pass, known_bad)
        verdicts[verdict] += 1
        if complaint:
            print(f"FAILED {r.name}: {complaint}")
    skips = collections.Counter(r.text for r in results if r.status == "skipped")
    print("skipped: " + ", ".join(f"{n} {why}" for why, n in skips.most_common()) +
          f"; refused as unsupported: {statuses['refused']}; known to fail: {len(known_bad)}")
    return harness.print_counts(verdicts["passed"], verdicts["failed"] + len(unknown), verdicts["skipped"])


if __name__ == "__main__":
    sys.exit(main())
