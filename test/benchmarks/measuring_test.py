"""The pure parts of benchmarks: statistics, counting of operations, tables, the chart.

usage: measuring_test.py ROOT
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = sys.argv.pop(1)
sys.path.insert(0, os.path.join(ROOT, "benchmarks"))

import report
import souffle
from compare import chart, clocks, flops, summary, tables
from subjects import gemm, operators
from unseen import listing

QUIET = {"foreign": 0.0, "delay": 0.0, "steal": 0.0}


def block(times, **noise):
    return {"calls": len(times), "cpu": times, "wall": [2 * t for t in times], **QUIET, **noise}


def row(ours, theirs, threads=1, **noise):
    return {"case": "net", "group": "models", "threads": threads, "isa": "native", "flops": 2_000_000, "roofs": [4.0],
            "rounds": [{"tssa": block(ours, **noise), "ort": block(theirs)}],
            "ways": {"tssa": {"system": "tssa", "error": 1e-6, "compile_seconds": 1.0, "compile_anonymous": 1e6,
                              "file_bytes": 1e6},
                     "ort": {"system": "ort", "error": 0.0}}}


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def operations(node, inputs, weights=None, outputs=1):
    """What flops.count says of a model with this node."""
    constants = [numpy_helper.from_array(np.zeros(shape, np.float32), name) for name, shape in (weights or {}).items()]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in node.output[:outputs]]
    graph = helper.make_graph([node], "g", [value(name, *shape) for name, shape in inputs.items()], results, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        onnx.save(model, path)
        return flops.count(path, {name: np.zeros(shape, np.float32) for name, shape in inputs.items()})


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_samples(self):
        self.assertEqual(summary.quantile([4, 1, 3, 2], 0.5), 2.5)
        self.assertEqual(summary.quantile([4, 1, 3, 2], 0), 1)
        self.assertEqual(summary.quantile([7], 0.75), 7)

    def test_geomean_of_a_ratio_and_its_inverse_is_one(self):
        self.assertAlmostEqual(summary.geomean([4, 0.25]), 1)

    def test_thinning_keeps_ends_and_quantiles(self):
        kept = clocks.thin([i / 1000 for i in range(1001)])
        self.assertEqual((len(kept), kept[0], kept[-1], kept[clocks.KEPT // 2]), (clocks.KEPT, 0, 1000, 500))
        self.assertEqual(clocks.thin([0.002, 0.001]), [1, 2])

    def test_one_thread_is_timed_by_the_cpu_and_more_by_the_wall(self):
        rounds = [{"a": block([1.0, 2.0, 3.0])}]
        self.assertEqual(summary.figure(rounds, "a", 1), summary.Figure(2, 1.5, 2.5, 4))
        self.assertEqual(summary.figure(rounds, "a", 2).median, 4)
        self.assertIsNone(summary.figure(rounds, "b", 1))

    def test_disturbed_rounds_give_way_to_quiet_ones(self):
        loud, louder, quiet = ({"a": block([i], foreign=foreign)} for i, foreign in ((1, 0.5), (2, 2.0), (3, 0.05)))
        self.assertEqual(summary.quietest([loud, louder, quiet], 2), [loud, quiet])
        self.assertEqual(summary.quietest([louder, loud], 2), [louder, loud])
        also_quiet = {"a": block([4])}
        self.assertEqual(summary.quietest([quiet, also_quiet], 1), [quiet])

    def test_waiting_for_a_cpu_and_stolen_time_disturb_too(self):
        self.assertGreater(summary.disturbance(block([1], delay=0.03)), 1)
        self.assertGreater(summary.disturbance(block([1], steal=0.03)), 1)
        self.assertLessEqual(summary.disturbance(block([1], foreign=0.1)), 1)

    def test_share_of_the_roof(self):
        self.assertAlmostEqual(summary.share_of_roof(2e9, 20, 200), 0.5)
        self.assertIsNone(summary.share_of_roof(None, 20, 200))


class Operations(unittest.TestCase):
    def test_convolution_in_groups(self):
        node = helper.make_node("Conv", ["x", "w"], ["y"], group=2, pads=[1, 1, 1, 1])
        self.assertEqual(operations(node, {"x": (1, 4, 5, 5)}, {"w": (6, 2, 3, 3)}), 2 * 6 * 25 * 2 * 9)

    def test_transposed_convolution_counts_its_input(self):
        node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2])
        self.assertEqual(operations(node, {"x": (1, 4, 5, 5)}, {"w": (4, 3, 2, 2)}), 2 * 4 * 25 * 3 * 4)

    def test_products_of_all_ranks(self):
        for left, right, wanted in (((2, 3), (3, 4), 24), ((5, 2, 3), (3, 4), 120), ((3,), (3, 4), 12),
                                    ((5, 2, 3), (3,), 30), ((1, 2, 3), (5, 3, 4), 120)):
            node = helper.make_node("MatMul", ["a", "b"], ["y"])
            self.assertEqual(operations(node, {"a": left, "b": right}), 2 * wanted, (left, right))

    def test_gemm_transposed(self):
        node = helper.make_node("Gemm", ["a", "b"], ["y"], transA=1)
        self.assertEqual(operations(node, {"a": (3, 2), "b": (3, 4)}), 48)

    def test_recurrent_layer(self):
        node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=3)
        self.assertEqual(operations(node, {"x": (7, 2, 5)}, {"w": (1, 12, 5), "r": (1, 12, 3)}),
                         2 * 7 * 2 * 4 * 3 * (5 + 3))

    def test_a_model_without_contractions_has_none_and_an_unknown_one_no_count(self):
        self.assertEqual(operations(helper.make_node("Relu", ["x"], ["y"]), {"x": (2, 2)}), 0)
        node = helper.make_node("Einsum", ["a", "b"], ["y"], equation="ij,jk->ik")
        self.assertIsNone(operations(node, {"a": (2, 3), "b": (3, 4)}))


class Report(unittest.TestCase):
    def test_ratios_are_theirs_over_ours(self):
        self.assertEqual(tables.ratios_of(row([2.0], [3.0])), {"ort": 1.5})

    def test_forms_are_compared_with_their_like(self):
        times = {"tssa open": 8.0, "tssa fixed": 2.0, "ort open": 4.0, "ort fixed": 3.0, "torch": 16.0}
        formed = {**row([], []), "rounds": [{label: block([time]) for label, time in times.items()}],
                  "ways": {label: {"system": label.split()[0]} for label in times}}
        self.assertEqual(tables.ratios_of(formed),
                         {"tssa fixed": 0.25, "ort open": 0.5, "ort fixed": 1.5, "torch": 2.0})
        del formed["rounds"][0]["tssa open"]  # it failed: what has another counterpart still counts
        self.assertEqual(tables.ratios_of(formed), {"ort fixed": 1.5})

    def test_a_disturbed_row_is_marked(self):
        self.assertNotIn("net ~", tables.latency([row([2.0], [3.0])]))
        self.assertIn("net ~", tables.latency([row([2.0], [3.0], foreign=0.4)]))

    def test_latency_says_roof_and_ratio(self):
        self.assertIn("| net | 0.0020 | 2.00 | 2.00-2.00 | 4.00 | 25% | 3.00 (1.50) |",
                      tables.latency([row([2.0], [3.0])]))

    def test_totals_name_the_worst(self):
        slow = {**row([4.0], [1.0]), "case": "slow"}
        self.assertIn("| models | native | 1 | ort | 2 | 0.612 | 0.25 | slow | 1 |",
                      tables.totals([(("models", "native", 1), [row([2.0], [3.0]), slow])]))

    def test_promises(self):
        self.assertEqual(tables.verdict(row([1.0], [1.0]), "tssa"), "ok")
        self.assertEqual(tables.verdict(row([6.0], [1.0]), "tssa"), "slow beside ort")
        wrong = row([1.0], [1.0])
        wrong["ways"]["tssa"].update(error=float("nan"), compile_seconds=61, compile_anonymous=1e9)
        self.assertEqual(tables.verdict(wrong, "tssa"), "wrong, slow compile, compile memory")
        wrong["ways"]["tssa"]["failure"] = "exit code 1"
        self.assertEqual(tables.verdict(wrong, "tssa"), "exit code 1")

    def test_a_way_that_failed_leaves_its_cells_empty(self):
        failed = row([2.0], [3.0])
        del failed["rounds"][0]["ort"]
        failed["ways"]["ort"] = {"system": "ort", "failure": "ort: no"}
        self.assertIn("| 25% | - |", tables.latency([failed]))
        self.assertEqual(tables.complaints([failed]), ["net: ort: no"])

    def test_starts(self):
        chains = {"chain": {"tssa": {"shifted": [block([1.0]), block([3.0])]}}}
        self.assertIn("| chain | tssa | shifted | 2 | 1.00 | 2.00 | 2.90 | 3.00 | 3.00 |", tables.starts(chains))

    def test_the_chart_is_well_formed_and_has_a_point_for_each_ratio(self):
        drawn = chart.draw("a < b", [("net & co", {"ort": 1.2, "torch": 400.0}), ("other", {"ort": 0.01})])
        tree = xml.etree.ElementTree.fromstring(drawn)
        points = tree.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(points), 3 + 2)  # and two in the legend
        for point in points:
            self.assertTrue(0 <= float(point.get("cx")) <= float(tree.get("width")))


    def written(self, results):
        """The report of one part, and what the command would exit with."""
        machine = {"cpu": "a CPU", "vectors": ["avx2"], "cpus": 2, "memory_gib": 4, "kernel": "6", "date": "a day",
                   "commit": "c0ffee", "versions": {"onnxruntime": "1"}, "missing": ["openvino"], "quick": True}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, results["part"] + ".json"), "w") as file:
                json.dump({"machine": machine, **results}, file)
            with contextlib.redirect_stdout(io.StringIO()):
                code = report.write(folder, os.path.join(folder, "to"))
            charts = os.listdir(os.path.join(folder, "to", report.CHARTS))
            with open(os.path.join(folder, "to", "RESULTS.md")) as file:
                return file.read(), charts, code

    def test_a_report_names_the_machine_and_draws_each_table(self):
        text, charts, code = self.written({"part": "models", "rows": [row([2.0], [3.0]), row([2.0], [3.0], threads=2)]})
        self.assertIn("a CPU (avx2), 2 CPUs, 4 GiB, Linux 6, a day, TSSA c0ffee; onnxruntime 1.", text)
        self.assertIn("Not installed: openvino.", text)
        self.assertIn("| Whole models | native | 2 | ort | 1 | 1.500 |", text)
        self.assertEqual(sorted(charts), ["models-native-1.svg", "models-native-2.svg"])
        self.assertEqual((text.count("### all of the machine's"), code), (2, 0))

    def test_a_broken_promise_is_an_exit_code(self):
        self.assertEqual(self.written({"part": "operators", "rows": [row([9.0], [1.0])]})[2], 1)

    def test_a_report_of_starts(self):
        text, _, code = self.written({"part": "starts", "chains": {"c": {"tssa": {"as loaded": [block([1.0])]}}}})
        self.assertIn("| c | tssa | as loaded | 1 |", text)
        self.assertEqual(code, 0)


class Souffle(unittest.TestCase):
    def test_calls_of_a_profile_are_added_up(self):
        profile = json.dumps({"profile": [{"kernel": "k2_contract", "calls": 100.0}, {"kernel": "k2_contract", "calls": 100.0},
                                          {"kernel": "k1_map", "calls": 1.0}]})
        self.assertEqual({"k2_contract": 200, "k1_map": 1}, souffle.calls_of(profile))

    def test_bytes_of_an_explanation(self):
        explanation = json.dumps([{"launch": 0, "kernel": "k0_contract", "read_bytes": 52112, "written_bytes": 512},
                                  {"launch": None, "kernel": "nonzero"},
                                  {"launch": 1, "kernel": "k1_map", "read_bytes": None, "written_bytes": 2048}])
        self.assertEqual({"k0_contract": (52112, 512), "k1_map": (None, 2048)}, souffle.bytes_of(explanation))

    def test_kernels_without_known_bytes_are_counted(self):
        calls, each = {"k0_map": 2, "k1_sum": 4, "k2_map": 3, "convert": 1}, {
            "k0_map": (10, 1), "k1_sum": (100, 2), "k2_map": (None, 4)}
        self.assertEqual({"launches": 10, "read": 420, "written": 10, "unknown": 4}, souffle.totals(calls, each))

    def report_of(self, **ways):
        """The report of one row in which the ways that are not given failed."""
        measured = row([1.0] * 4, [2.0] * 4)
        measured["ways"]["tssa"]["counts"] = {"launches": 3, "read": 5_000_000, "written": 40_000, "unknown": 0}
        measured["ways"].update({system: {"failure": "no memory"} for system in souffle.WAYS if system != "tssa"})
        for system, way in ways.items():
            measured["ways"][system].update(way)
        described = {"cpu": "CPU", "vectors": ["avx2"], "cpus": 2, "memory_gib": 1, "kernel": "6", "date": "d",
                     "commit": "c", "versions": {}, "missing": [], "quick": False}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "souffle.json"), "w") as file:
                json.dump({"machine": described, "rows": [{**measured, "case": "bert_base_384"}]}, file)
            souffle.write_report(souffle.argparse.Namespace(out=folder, to=""))
            xml.etree.ElementTree.parse(os.path.join(folder, "charts", "souffle-1.svg"))
            with open(os.path.join(folder, "souffle.md")) as file:
                return file.read()

    def test_a_report_has_a_cell_for_each_way(self):
        text, no = self.report_of(), "failed: no memory"
        self.assertIn(f"| bert_base_384 | {no} | {no} | {no} | 1.00 | {no} | 2.00 | not installed | not installed |", text)
        self.assertIn(f"| bert_base_384 | {no} | {no} | {no} | 3 / 5.00 / 0.0400 | {no} |", text)
        self.assertIn("Not measured: resnext101_64x4d, lstm_nn,", text)

    def test_a_disturbed_row_says_how_much(self):
        self.assertEqual(("", " ~4"), (souffle.mark(row([1.0], [2.0])), souffle.mark(row([1.0], [2.0], foreign=0.4))))

    def test_a_wrong_result_has_no_time(self):
        text = self.report_of(tssa={"error": 0.02, "counts": None, "uncounted": "tssa-run: no"})
        self.assertIn("| failed: no memory | wrong: off by 2.0e-02 | failed: no memory | 2.00 |", text)
        self.assertIn("| wrong: off by 2.0e-02 | failed: no memory |", text)

    def test_what_is_not_counted_says_why(self):
        self.assertIn("| not counted: tssa-run: no |", self.report_of(tssa={"counts": None, "uncounted": "tssa-run: no"}))
        lost = {"launches": 3, "read": 0, "written": 0, "unknown": 2}
        self.assertIn("(2 launches without bytes)", self.report_of(tssa={"counts": lost}))

    def test_ways_name_transformations_that_exist(self):
        with open(os.path.join(ROOT, "include", "tssa", "Support", "Transforms.h")) as file:
            known = file.read()
        for _, flags in souffle.WAYS.values():
            for flag in flags:
                if "=" in flag:
                    self.assertIn(f'{{"{flag.partition("=")[2]}", &Transforms::', known)


class Lists(unittest.TestCase):
    def test_ninety_operators_ten_of_a_kind(self):
        with open(os.path.join(ROOT, "benchmarks", "operators.json")) as file:
            entries = json.load(file)["operators"]
        families = [entry["name"].split("-")[0] for entry in entries]
        self.assertEqual({family: families.count(family) for family in families}, dict.fromkeys(families, 10))
        self.assertEqual(len(entries), 90)
        for entry in entries:
            node, shape, weight = operators.node_of(entry)
            self.assertEqual(shape[1], weight[0] if node.op_type != "Conv" else weight[1] * entry.get("groups", 1))

    def test_products_are_listed_once(self):
        sizes = gemm.sizes(quick=False)
        self.assertEqual((len(sizes), len(set(sizes))), (56, 56))

    def test_unseen_models_have_the_places_of_their_tasks(self):
        tasks = [unseen.task for unseen in listing.MODELS.values()]
        self.assertEqual({task: tasks.count(task) for task in tasks},
                         {"OCR": 4, "detection": 2, "segmentation": 2, "speech": 2})
        for unseen in listing.MODELS.values():
            symbols = {n for shape in unseen.inputs.values() for n in shape if isinstance(n, str)}
            self.assertEqual({len(symbols)}, set(map(len, unseen.sizes)))


if __name__ == "__main__":
    unittest.main()
