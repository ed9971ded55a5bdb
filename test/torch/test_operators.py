# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""PyTorch's own samples of its operators: each is computed as eager does, or refused.

usage: test_operators.py --write     # measures operators.md again

The entries are those of torch.testing's OpInfo. operators.md lists which of them are right for
three samples of f32, spread over the samples that there are; the test takes the first and the
last of them, and for a third of the entries one sample of i64. An entry that the list has as
right must be right; any other must be right or refused with an UnsupportedError. Nothing may be
wrong.

TSSA_FULL=1 takes five samples of five types, and the in-place and out= forms.
"""

import collections
import os
import re
import sys
import textwrap
import unittest

import support  # noqa: F401 (one thread)
import torch
from torch._subclasses.fake_tensor import (DataDependentOutputException, DynamicOutputShapeException,
                                           FakeTensorMode)
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import tssa
from tssa._recorded import record

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.md")
IS_FULL = os.environ.get("TSSA_FULL") == "1"
GROUP = 24  # samples of one program
TYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.float16)

# What torch raises while it traces a program whose Python code asks for elements of a tensor.
DATA = (DataDependentOutputException, DynamicOutputShapeException, GuardOnDataDependentSymNode)
# Entries that have no result to compare, or that fail before the recorder sees a call.
NOT_COMPARED = {
    "empty": "its elements are arbitrary",
    "empty_like": "its elements are arbitrary",
    "empty_permuted": "its elements are arbitrary",
    "empty_strided": "its elements are arbitrary",
    "new_empty": "its elements are arbitrary",
    "new_empty_strided": "its elements are arbitrary",
    "tensor_split": "torch itself reads the elements of a fake tensor",
    "to_sparse": "sparse tensors",
    "linalg.solve_ex": "aten::_linalg_solve_ex is not supported",
}
# Eager rounds the coordinates of samples to 16 bits, too.
ROUGH_HALVES = ("grid_sampler_2d", "grid_sampler_3d", "nn.functional.grid_sample")
# Of results that come with indexes, those of equal elements are any of theirs in eager.
TIES = ("sort", "argsort", "topk", "kthvalue", "median", "nanmedian", "mode")
# Absolute and relative tolerance, where those of torch.testing do not do.
TOLERANCES = {
    # Eager's own series are off by as much: 3e-7 of f64 at 5.1.
    "special.bessel_j0": 1e-6, "special.bessel_j1": 1e-6,
    "special.bessel_y0": 1e-6, "special.bessel_y1": 1e-6,
}


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


class Sample:
    """One call of an operator, as a function of its tensors."""

    def __init__(self, entry, function, arguments, keywords):
        self.entry, self._function = entry, function
        self._leaves, self._spec = pytree.tree_flatten((arguments, keywords))
        self._places = [i for i, v in enumerate(self._leaves) if isinstance(v, torch.Tensor)]
        self.tensors = [self._leaves[i].detach() for i in self._places]

    def copy_tensors(self):
        return [tensor.clone() for tensor in self.tensors]

    def __call__(self, tensors):
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors):
            leaves[place] = tensor
        arguments, keywords = pytree.tree_unflatten(leaves, self._spec)
        return pytree.tree_leaves(self._function(*arguments, **keywords))


def spread(values, count):
    values = list(values)
    return values[::max(1, len(values) // count)][:count]


def draw(op, dtype, count):
    """Samples of an entry, the same in each run."""
    if dtype not in op.dtypes:
        return []
    torch.manual_seed(0)
    return [Sample(name_of(op), op, (s.input, *s.args), s.kwargs)
            for s in spread(op.sample_inputs("cpu", dtype, requires_grad=False), count)]


def draw_forms(op, dtype, count):
    """The same calls in place, and with a tensor for the result."""
    samples = []
    for s in spread(op.sample_inputs("cpu", dtype, requires_grad=False), count):
        if op.inplace_variant is not None and not s.broadcasts_input:
            samples.append(Sample(name_of(op), op.inplace_variant, (s.input, *s.args), s.kwargs))
        if op.supports_out:
            try:
                made = op(s.input, *s.args, **s.kwargs)
            except Exception:  # eager refuses it itself
                continue
            if op.name.endswith("_copy") and not isinstance(made, torch.Tensor):  # out= is a list
                continue
            out = pytree.tree_map_only(torch.Tensor, torch.zeros_like, made)
            samples.append(Sample(name_of(op), op, (s.input, *s.args), {**s.kwargs, "out": out}))
    return samples


class Outcome(collections.namedtuple("Outcome", "kind text", defaults=("",))):
    """kind: right, refused, wrong, or None where eager itself refuses."""


def has_ties(sample):
    values = sample.tensors[0].flatten()
    return torch.unique(values).numel() < values.numel()


def close_halves(expected, actual):
    """Sums of f16 are rounded elsewhere: differences count by the largest element.

    Where eager overflows, intermediates that are kept in f32 need not.
    """
    finite = torch.isfinite(expected)
    largest = expected[finite].abs().max().item() if finite.any() else 0.0
    torch.testing.assert_close(actual[finite], expected[finite], rtol=1e-2, atol=4e-3 * largest + 1e-5)


def compare(sample, expected, actual):
    """expected, actual: the results and the arguments afterwards."""
    if sample.entry in TIES and has_ties(sample):
        kept = 0 if sample.entry == "argsort" else 1
        expected, actual = expected[:kept], actual[:kept]
    tolerance = {}
    if any(t.dtype == torch.float32 for t in sample.tensors):
        tolerance = {"rtol": 1e-3, "atol": 1e-4}
    if sample.entry in TOLERANCES:
        tolerance = dict.fromkeys(("rtol", "atol"), TOLERANCES[sample.entry])
    try:
        if len(expected) != len(actual):
            return Outcome("wrong", f"{len(actual)} results, expected {len(expected)}")
        for left, right in zip(expected, actual):
            if isinstance(left, torch.Tensor) and left.dtype in (torch.float16, torch.bfloat16) \
                    and isinstance(right, torch.Tensor) and right.dtype == left.dtype:
                close_halves(left, right)
            else:
                torch.testing.assert_close(right, left, equal_nan=True, **tolerance)
    except AssertionError as error:
        return Outcome("wrong", str(error).replace("\n", " "))
    return Outcome("right")


def run_compiled(samples):
    """The results of each sample, and its tensors after the call, of one program."""
    mode = FakeTensorMode(static_shapes=True, shape_env=ShapeEnv(
        allow_scalar_outputs=True, allow_dynamic_output_shape_ops=True))
    counts = []

    def program(_, *tensors):
        results, at = [], 0
        for sample in samples:
            made = sample(list(tensors[at:at + len(sample.tensors)]))
            at += len(sample.tensors)
            counts.append(len(made))
            results += made
        return results

    fakes = [mode.from_tensor(t, static_shapes=True) for s in samples for t in s.tensors]
    passed = [t for s in samples for t in s.copy_tensors()]
    recorded, _ = record(program, fakes, "operators")
    made = recorded(*passed)
    parts = []
    for sample, count in zip(samples, counts):
        tensors, passed = passed[:len(sample.tensors)], passed[len(sample.tensors):]
        results, made = made[:count], made[count:]
        parts.append(results + tensors)
    return parts


def run_eager(sample):
    tensors = sample.copy_tensors()
    return sample(tensors) + tensors


def explain(error):
    """The reason alone: without files and lines, which differ from place to place."""
    text = str(error).strip().splitlines()[-1]
    return re.sub(r"^\S+:\d+: ", "", text)


def run_one(sample):
    if any(t.layout != torch.strided for t in sample.tensors):
        return Outcome("refused", "sparse tensors")
    try:
        expected = run_eager(sample)
    except Exception:  # a sample that shows an error
        return Outcome(None)
    if sample.entry in NOT_COMPARED:
        return Outcome("refused", NOT_COMPARED[sample.entry])
    if sample.entry in ROUGH_HALVES and sample.tensors[0].dtype == torch.float16:
        return Outcome(None)
    try:
        (actual,) = run_compiled([sample])
    except tssa.UnsupportedError as error:
        return Outcome("refused", explain(error))
    except DATA:
        return Outcome("refused", "what Python does depends on elements of a tensor")
    except Exception as error:
        # bernoulli, which bernoulli_ becomes, has no default for `p`.
        if "aten::bernoulli() is missing value" in str(error):
            return Outcome("refused", "random numbers")
        return Outcome("wrong", f"{type(error).__name__}: {error}")
    return compare(sample, expected, actual)


def run_group(samples):
    """[(sample, outcome)]; one by one unless all of them are as they should be."""
    try:
        parts = run_compiled(samples)
        outcomes = [compare(s, run_eager(s), actual) for s, actual in zip(samples, parts)]
        if all(outcome.kind == "right" for outcome in outcomes):
            return list(zip(samples, outcomes))
    except Exception:  # which sample it is, and why, is found out below
        pass
    return [(sample, run_one(sample)) for sample in samples]


def run_all(samples, listed):
    """Samples of entries that are right share programs."""
    together = [s for s in samples if s.entry in listed]
    for i in range(0, len(together), GROUP):
        yield from run_group(together[i:i + GROUP])
    for sample in samples:
        if sample.entry not in listed:
            yield sample, run_one(sample)


def read_list():
    """The entries that are right."""
    with open(LIST, encoding="utf-8") as file:
        text = file.read()
    return set(re.search(r"## Right\n(.*?)\n## ", text, re.S)[1].replace(",", "").split())


def measure():
    """{entry: outcome}, of three samples of f32, or of another type where there is no f32."""
    found = {}
    for op in op_db:
        dtype = next((t for t in TYPES if t in op.dtypes), None)
        outcomes = [run_one(s) for s in (draw(op, dtype, 3) if dtype else [])]
        kinds = [o for kind in ("wrong", "refused", "right") for o in outcomes if o.kind == kind]
        found[name_of(op)] = kinds[0] if kinds else Outcome(None, "no sample")
        print(name_of(op), *found[name_of(op)], flush=True)
    return found


def write_list():
    found = measure()
    right = sorted(entry for entry, outcome in found.items() if outcome.kind == "right")
    reasons = collections.defaultdict(list)
    for entry, outcome in found.items():
        if outcome.kind != "right":
            reasons[outcome.text].append(entry)
    lines = [
        "# PyTorch's operators", "",
        f"Of the {len(found)} entries of PyTorch {torch.__version__.split('+')[0]}'s OpInfo,"
        f" {len(right)} are computed as eager does;",
        "the others are refused for at least one of three samples. Written by `test_operators.py"
        " --write`.", "",
        "## Right", "", *textwrap.wrap(", ".join(right), 100, break_long_words=False,
                                       break_on_hyphens=False), "", "## Refused", "", "| reason | entries |", "|---|---|"]
    for reason in sorted(reasons, key=lambda text: (-len(reasons[text]), text)):
        lines.append(f"| {reason} | {', '.join(sorted(reasons[reason]))} |")
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return [entry for entry, outcome in found.items() if outcome.kind == "wrong"]


class Operators(unittest.TestCase):
    def hold(self, samples):
        listed = read_list()
        faults = [f"{s.entry}: {outcome.text}" for s, outcome in run_all(samples, listed)
                  if outcome.kind == "wrong" or outcome.kind == "refused" and s.entry in listed
                  and s.tensors and s.tensors[0].dtype == torch.float32 and not IS_FULL]
        self.assertEqual(faults, [])

    def test_f32(self):
        self.hold([s for op in op_db for s in draw(op, torch.float32, 3)[::2]])

    def test_i64(self):
        self.hold([s for op in op_db[::3] for s in draw(op, torch.int64, 1)])

    @unittest.skipUnless(IS_FULL, "TSSA_FULL is not set")
    def test_types(self):
        for dtype in TYPES:
            with self.subTest(dtype):
                self.hold([s for op in op_db for s in draw(op, dtype, 5)])

    @unittest.skipUnless(IS_FULL, "TSSA_FULL is not set")
    def test_forms(self):
        self.hold([s for op in op_db if torch.float32 in op.dtypes
                   for s in draw_forms(op, torch.float32, 5)])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        sys.exit("\n".join(write_list()) or None)
    unittest.main()
