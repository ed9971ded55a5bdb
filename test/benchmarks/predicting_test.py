"""Predicted times of kernels: reading machine code and PTX, the time model, the page.

usage: predicting_test.py ROOT
"""

import collections
import os
import re
import sys
import tempfile
import unittest

ROOT = sys.argv.pop(1)
sys.path.insert(0, os.path.join(ROOT, "benchmarks"))

from predictions import artifact, facts, model, page, ptx, sass, subjects, tutorial

#: an inner loop of four passes in an outer one of three, and a jump over a load that the thread with number 0 takes
NESTED = """
.visible .entry nested(
	.param .u64 nested_param_0
)
{
	mov.u32 	%r1, %tid.x;
	mov.b64 	%rd1, 0;
$L__BB0_1:
	bar.sync 	0;
	setp.gt.u32 	%p3, %r1, 7;
	@!%p3 bra 	$L__BB0_2;
	ld.global.nc.b32 	%r7, [%rd9];
$L__BB0_2:
	mov.b64 	%rd2, 4;
$L__BB0_3:
	ld.shared.b32 	%r2, [%rd2];
	fma.rn.f32 	%r3, %r2, %r2,
		%r3;
	add.s64 	%rd2, %rd2, -1;
	setp.ne.b64 	%p1, %rd2, 0;
	@%p1 bra 	$L__BB0_3;
	add.s64 	%rd1, %rd1, 1;
	setp.lt.u64 	%p2, %rd1, 3;
	@%p2 bra 	$L__BB0_1;
	st.global.b32 	[%rd9], %r3;
	ret;
}
"""
EXTENT = """
  llvm.func @k0_contract.extent() -> !llvm.struct<(i64, i64, i64)> {
    %n = llvm.mlir.constant(64 : index) : i64
    %o = llvm.mlir.constant(1 : index) : i64
    %s = llvm.insertvalue %n, %p[0] : !llvm.struct<(i64, i64, i64)>
    %t = llvm.insertvalue %o, %s[1] : !llvm.struct<(i64, i64, i64)>
  }
"""
#: round numbers, so that times can be computed by hand
DEVICE = {"processors": 10, "megahertz": 1000, "registers": 65536, "threads": 2048, "blocks": 32, "sharedBytes": 100 << 10,
          "blockSharedBytes": 99 << 10, "multiplyAdds": 64, "matrixMultiplyAdds": 1024, "l2CycleBytes": 64, "l2Bytes": 1 << 20,
          "memoryMegabytes": 1000000, "l2Latency": 200, "memoryLatency": 400, "launchNanoseconds": 2000}


def recorded():
    with open(os.path.join(ROOT, "test", "benchmarks", "Inputs", "product.sass")) as file:
        return sass.read_all(file.read())["k0_contract"]


def work(instructions=0, **kinds):
    return sass.Work(instructions, collections.Counter(kinds))


def kernel(loops=(), straight=None, **changes):
    given = {"blocks": 10, "threads": 128, "registers": 64, "shared_bytes": 0, **changes}
    return facts.KernelFacts("k", straight=straight or work(), loops=list(loops), **given)


class MachineCode(unittest.TestCase):
    def test_loop(self):
        (loop,) = recorded().loops
        self.assertEqual(dict(loop.work.kinds), {"barrier": 1, "ldmatrix": 2, "mma": 4, "other": 8})
        self.assertEqual(loop.work.instructions, 15)
        self.assertEqual(loop.work.multiply_adds, 4 * 16 * 8 * 16)
        self.assertEqual(loop.work.shared_cycles, 2 * 4)

    def test_branch_to_itself_is_no_loop(self):
        self.assertEqual(len(recorded().all_loops()), 1)

    def test_straight_code(self):
        straight = recorded().straight
        self.assertEqual(straight.kinds["store"], 8)
        self.assertEqual(straight.stored, 8 * 32 * 4)
        self.assertEqual(straight.copied, straight.loaded)

    def test_kinds(self):
        for name, kind in (("LDG.E.128.CONSTANT", "load"), ("LDGDEPBAR", "other"), ("LDGSTS.E.BYPASS.128", "copy"), ("LDS.U16", "shared_load"),
                           ("LDSM.16.M88.4", "ldmatrix"), ("STG.E.64", "store"), ("HFMA2.MMA", "other"), ("HMMA.16816.F32", "mma"),
                           (sass.NEVER + "LDS", "other"), ("MUFU.EX2", "special"), ("BAR.SYNC.DEFER_BLOCKING", "barrier")):
            self.assertEqual(sass.kind_of(name), kind, name)
        for name, width in (("LDG.E.128.CONSTANT", 16), ("STG.E.64", 8), ("LDS.U16", 2), ("LDG.E", 4), ("LDG.E.U8", 1)):
            self.assertEqual(sass.width_of(name), width, name)


class Trips(unittest.TestCase):
    def walk(self):
        return ptx.walk(*ptx.parse(NESTED)["nested"], {"%tid.x": 0})

    def test_walk(self):
        outer, inner = self.walk().loops
        self.assertEqual((outer.passes, inner.passes), (3, 12))
        self.assertEqual(inner.executed["shared_load"], 12)
        self.assertEqual(outer.executed["barrier"], 3)
        self.assertNotIn("load", {kind for kind, count in outer.executed.items() if count})

    def test_unrolled_inner_loop(self):
        loop = sass.Loop(0, 9, work(20, barrier=1, shared_load=4, float=4, load=1))
        self.assertEqual([one.trips for one in facts.trips_of(sass.Code(work(), [loop]), self.walk())], [3])

    def test_nested(self):
        inner = sass.Loop(3, 5, work(5, shared_load=2, float=2))
        outer = sass.Loop(0, 9, work(5, barrier=1, load=1), [inner])
        self.assertEqual([one.trips for one in facts.trips_of(sass.Code(work(), [outer]), self.walk())], [6, 3])

    def test_ranges_of_blocks(self):
        alike = [sass.Loop(first, first + 9, work(20, barrier=1, shared_load=4, float=4)) for first in (0, 20, 40)]
        for count, part in ((1, 1), (3, 1 / 3)):  # loops alike, of which a block runs through one
            code = sass.Code(work(), alike[:count])
            self.assertAlmostEqual(facts.executed_part(code, facts.trips_of(code, self.walk()), [self.walk()]), part)
        self.assertEqual(work(6, barrier=3).times(1 / 3), work(2, barrier=1))

    def test_unknown_instruction(self):
        text = NESTED.replace("add.s64 \t%rd1, %rd1, 1", "brev.b64 \t%rd1, %rd1")
        with self.assertRaisesRegex(ValueError, "a branch depends on 'brev.b64', which is not known"):
            ptx.walk(*ptx.parse(text)["nested"], {})

    def test_blocks(self):
        self.assertEqual(artifact.blocks_of(EXTENT), {"k0_contract": 64})


class Times(unittest.TestCase):
    def test_shares_are_those_of_the_compiler(self):
        with open(os.path.join(ROOT, "dialects", "layout", "Template", "DeviceDraft.cpp")) as file:
            text = file.read()
        found = {name: float(value) for name, value in re.findall(r"\b(\w+)Share = ([\d.]+)", text)}
        self.assertEqual(found, model.SHARES)
        cycles = dict(re.findall(r"\b(\w+)Cycles = ([\d.]+)", text))
        self.assertEqual((float(cycles["barrier"]), float(cycles["epilogue"])), (model.BARRIER, model.EPILOGUE))

    def test_issue(self):
        # 4 warps of 320 instructions on 4 schedulers: 400 cycles of 10 passes each, beside fill and epilogue.
        found = model.predict(kernel([facts.LoopFacts(work(320), 10)]), DEVICE)
        self.assertAlmostEqual(found.microseconds, (400 + 10 * 400 + 150) / 1000)
        self.assertEqual((found.launch, found.binding), (2, "issue"))

    def test_latency(self):
        found = model.predict(kernel([facts.LoopFacts(work(8, load=1, barrier=1), 10)]), DEVICE)
        self.assertAlmostEqual(found.microseconds, (400 + 10 * (200 + 100 + 10) + 150) / 1000)
        self.assertEqual(found.binding, "latency")

    def test_pipeline_hides_latency(self):
        found = model.predict(kernel([facts.LoopFacts(work(8, copy=1, barrier=1), 10)], pending=1), DEVICE)
        self.assertAlmostEqual(found.microseconds, (400 + 10 * (200 / 2 + 60) + 150) / 1000)

    def test_waves(self):
        one = model.predict(kernel(shared_bytes=60 << 10), DEVICE)
        self.assertEqual(one.resident, 1)
        self.assertAlmostEqual(model.predict(kernel(shared_bytes=60 << 10, blocks=25), DEVICE).microseconds, 3 * one.microseconds)

    def test_memory(self):
        found = model.predict(kernel(bytes=9_000_000), DEVICE)
        self.assertAlmostEqual(found.microseconds, 10)
        self.assertEqual(found.binding, "memory")
        self.assertLess(model.predict(kernel(bytes=9_000_000), DEVICE, stays=True).microseconds, 1)

    def test_too_large(self):
        self.assertIsNone(model.predict(kernel(shared_bytes=200 << 10), DEVICE))

    def test_conflicts_and_sectors(self):
        one = kernel([facts.LoopFacts(sass.Work(1, collections.Counter(), 0, shared_cycles=10, loaded=128), 1)])
        facts.add_counters(one, {"blocks": 10, "shared_conflicts": 400, "global_transactions": 320})
        self.assertEqual((one.conflicts, one.sectors), (1, 2))


class Subjects(unittest.TestCase):
    def test_names_are_unique(self):
        names = [one.name for one in subjects.KERNELS + subjects.MODELS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(subjects.KERNELS), 16)

    def test_bytes_of_a_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            subjects.product(8, 16, 32, "f16")(path)
            self.assertEqual(subjects.read_once(path), 2 * (8 * 32 + 32 * 16 + 8 * 16))

    def test_schedule_with_other_tiles(self):
        text = """%1:3 = layout.split %0#0 [*, 1, 64]
%2:3 = layout.split %0#1 [*, 4, 64]
%3:3 = layout.split %0#2 [*, 1, 64]
layout.pipeline %3#0 depth 2"""
        self.assertEqual(tutorial.schedule_with(text, (128, 256, 2, 4, 32, 3)), """%1:3 = layout.split %0#0 [*, 2, 64]
%2:3 = layout.split %0#1 [*, 4, 64]
%3:3 = layout.split %0#2 [*, 1, 32]
layout.pipeline %3#0 depth 3""")


class Page(unittest.TestCase):
    def test_section_is_replaced(self):
        failed = {"title": "GEMM", "failed": "no reason", "rivals": []}
        results = {"sm_80": {"kernels": [failed], "models": []}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w") as file:
                file.write("# Page\n")
            for commit in ("1111", "2222"):
                page.put(path, page.write(results, [], model.SHARES, commit))
            with open(path) as file:
                text = file.read()
        self.assertEqual(text.count(page.BEGIN), 1)
        self.assertIn("2222", text)
        self.assertNotIn("1111", text)
        self.assertIn("| GEMM | - | - | - | none: no reason | - | - |", text)

    def test_missing_tool(self):
        with self.assertRaisesRegex(artifact.Missing, "nvdisasm is not in /nowhere; it comes with the CUDA toolkit"):
            artifact.find_tool("nvdisasm", "/nowhere")


if __name__ == "__main__":
    unittest.main()
