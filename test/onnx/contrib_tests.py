"""Operators outside of the standard domain, and uses of others that onnx's node tests lack, against
ONNX Runtime's kernels.

usage: contrib_tests.py [--bin DIR] [--match TEXT] [--keep DIR] [--verify]

The cases of contrib_cases.py, ml_cases.py and standard_cases.py are grouped by operator. A group
is one model, with a node per case, so that it is compiled, run and verified at once; a group that
ends with an error is taken apart to name the case. Operators that ONNX Runtime has no CPU kernel
for bring results of numpy. Two cases of an operator, with --verify all of them, are also compiled
with --verify-each-stage, unless random inputs make no sense for it.
"""

import argparse
import collections
import concurrent.futures
import os
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import contrib_cases
import harness
import ml_cases
import refused_cases
import standard_cases


def value_info(name, array, symbols):
    """Sizes that `symbols` names become dynamic."""
    dims = [symbols.get(size, size) for size in array.shape]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims)


class Group:
    """Cases of one operator in one model."""

    def __init__(self, cases):
        self.cases = cases
        self.inputs, self.results = {}, []
        nodes, infos, constants, outputs = [], [], [], []
        for number, case in enumerate(cases):
            names = []
            for position, array in enumerate(case.inputs):
                name = "" if array is None else f"c{number}_i{position}"
                names.append(name)
                if array is None:
                    continue
                array = np.asarray(array)
                if position in case.constants:
                    constants.append(onnx.numpy_helper.from_array(array, name))
                else:
                    self.inputs[name] = array
                    infos.append(value_info(name, array, {k: f"{v}{number}" for k, v in case.symbols.items()}))
            # the first output is never optional
            named = (0, *case.outputs, *case.unread)
            results = [f"c{number}_o{k}" if k in named else "" for k in range(max(named) + 1)]
            self.results.append([f"c{number}_o{k}" for k in case.outputs])
            nodes.append(helper.make_node(case.op, names, results, name=f"{case.op}_{number}",
                                          domain=case.domain, **case.attributes))
            outputs += [helper.make_tensor_value_info(name, case.types[k], None) if k in case.types
                        else onnx.ValueInfoProto(name=name) for k, name in zip(case.outputs, self.results[-1])]
        graph = helper.make_graph(nodes, "g", infos, outputs, constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1),
                  helper.make_opsetid("ai.onnx.ml", 5 if cases[0].op == "TreeEnsemble" else 3)]
        known = {opset.domain for opset in opsets}
        opsets += [helper.make_opsetid(case.domain, 1) for case in cases if case.domain not in known]
        self.model = helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def expected(self):
        """What ONNX Runtime, or the case itself, says for each result."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        wanted = {}
        if all(case.expected is None for case in self.cases):
            session = onnxruntime.InferenceSession(self.model.SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            names = [name for names in self.results for name in names]
            return dict(zip(names, session.run(names, self.inputs)))
        for case, names in zip(self.cases, self.results):
            wanted.update(zip(names, case.expected(*case.inputs)))
        return wanted


def difference(case, wanted, got):
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"is {got.dtype}{list(got.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if wanted.size == 0:
        return ""
    error = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    limit = case.atol + case.rtol * np.abs(wanted.astype(np.float64))
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) if wanted.dtype.kind == "f" else got == wanted
    bad = ~(same | (error <= limit))
    if not bad.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"differs at {int(bad.sum())} of {wanted.size} places; at {list(place)} {got[place]}, expected {wanted[place]}"


def check_group(tools, group, folder, verify):
    """Gives {number of case: complaint}; None instead when the group ended with an error."""
    model, binary = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.so")
    given, results = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    onnx.save(group.model, model)
    outcome = tools.compile(model, binary, *(["--verify-each-stage"] if verify else []), timeout=300)
    if outcome.code != 0:
        return None, f"tssa-compile ended with {outcome.code}: {outcome.first_error(300)}"
    np.savez(given, **group.inputs)
    outcome = tools.call([tools.runner, binary, "--inputs", given, "--outputs", results])
    if outcome.code != 0:
        return None, f"tssa-run ended with {outcome.code}: {outcome.first_error(300)}"
    wanted = group.expected()
    complaints = {}
    with np.load(results) as got:
        for number, (case, names) in enumerate(zip(group.cases, group.results)):
            for name in names:
                text = difference(case, wanted[name], got[name])
                if text:
                    complaints[number] = f"output {name.split('_o')[1]} {text}"
                    break
    return complaints, ""


def run_group(tools, cases, place, verify):
    """Gives (case, complaint) for all that fail."""
    folder = tempfile.mkdtemp(dir=place)
    complaints, error = check_group(tools, Group(cases), folder, verify)
    if complaints is not None:
        return [(cases[number], text) for number, text in sorted(complaints.items())]
    if len(cases) == 1:
        return [(cases[0], error)]
    found = [failure for case in cases for failure in run_group(tools, [case], place, verify)]
    return found or [(cases[0], "only fails together with others: " + error)]


def judge(tools, cases, place, verify):
    """Gives the cases and, of those that fail, (case, complaint)."""
    complaints = run_group(tools, cases, place, False)
    verified = [case for case in cases if case.verified]
    if verified and not complaints:
        complaints = run_group(tools, cases if verify else verified, place, True)
    return cases, complaints


def check_refusals(tools, place):
    """Gives (passed, complaints): what is not supported is refused with a sentence, and no name is
    suggested where there is advice."""
    cases = contrib_cases.REFUSED + ml_cases.REFUSED + refused_cases.REFUSED
    complaints = []
    for number, (case, code, words) in enumerate(cases):
        model = os.path.join(place, f"refused{number}.onnx")
        onnx.save(Group([case]).model, model)
        outcome = tools.compile(model, os.path.join(place, "refused.so"))
        if outcome.code != code or words not in outcome.errors or "did you mean" in outcome.errors:
            complaints.append(f"{case.op}: expected exit code {code} and '{words}', got {outcome.code}: "
                              + outcome.errors.strip()[:300])
    complaints += [f"{op}: its advice is not tested" for op in refused_cases.missing()]
    return len(cases) - len(complaints), complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    parser.add_argument("--match", default="", metavar="TEXT", help="only operators with TEXT in their name")
    parser.add_argument("--keep", default="", metavar="DIR", help="keep the files in this folder")
    parser.add_argument("--verify", action="store_true", help="all cases with --verify-each-stage, not only two of each operator")
    options = parser.parse_args()
    tools = harness.Tools(options.bin, max(options.timeout, 120))
    place = options.keep or tempfile.mkdtemp(prefix="contrib-")
    os.makedirs(place, exist_ok=True)
    groups = collections.defaultdict(list)
    for case in contrib_cases.CASES + ml_cases.CASES + standard_cases.CASES:
        if options.match in case.op:
            groups[case.domain, case.op, case.expected is None].append(case)
    passed = failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for cases, complaints in pool.map(lambda cases: judge(tools, cases, place, options.verify), groups.values()):
                failed += len(complaints)
                passed += len(cases) - len(complaints)
                for case, text in complaints:
                    print(f"FAILED {case.op} {case.name}: {text}", flush=True)
        if not options.match:
            accepted, complaints = check_refusals(tools, place)
            passed, failed = passed + accepted, failed + len(complaints)
            for text in complaints:
                print(f"FAILED {text}")
    finally:
        if not options.keep:
            shutil.rmtree(place, ignore_errors=True)
    return harness.print_counts(passed, failed, 0)


if __name__ == "__main__":
    sys.exit(main())
