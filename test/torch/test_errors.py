# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What is refused is refused with its reason and its line."""

import glob
import json
import os
import random
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import numpy
import torch
from torch import Tensor

import tssa
from tssa._tool import find_tool

X = torch.ones(3, 4)


def two_unsupported(x: Tensor):
    y = torch.linalg.det(x[:, :3])
    z = torch.linalg.matrix_exp(x[:, :3])
    return y, z


def changes_shape_of_argument(x: Tensor):
    x.t_()
    return x


def maybe_a_part_of_an_argument(x: Tensor):
    return x[1:] if x.sum() > 0 else x[1:] + 1


def maybe_another_result(x: Tensor):
    y = x + 1
    return y, y if x.sum() > 0 else x + 2


def returns_on_one_path(x: Tensor):
    if x.sum() > 0:
        return x + 1


def differs_in_type(x: Tensor):
    y = x.sum(0)
    if x.sum() > 0:
        y = y.sum()
    return y + 1


def unset_on_one_path(x: Tensor):
    if x.sum() > 0:
        y = x + 1
    return y


def unset_without_iterations(x: Tensor):
    for i in range(int(x[0, 0])):
        y = x + i
    return y


def set_in_a_branch(x: Tensor):
    found = {}
    if x.sum() > 0:
        found["y"] = x
    return len(found)


def draws(x: Tensor):
    return x + random.random()


def reads_time(x: Tensor):
    return x * time.time()


def turns_to_numpy(x: Tensor):
    return x + float(x.numpy().sum())


def walks_data(x: Tensor):
    return [v + 1 for v in x[x > 0]]


def value_of_and(x: Tensor):
    return (x.sum() > 0) and x.max()


def shows_a_tensor(x: Tensor):
    return f"sum {x.sum()}"


class KeepsState(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.last = 0, None

    def forward(self, x):
        self.calls += 1
        self.last = x
        return torch.rand_like(x)


calls = []


def appends_to_a_global(x: Tensor):
    calls.append(x)
    return torch.rand_like(x)


def raises_in_each_iteration(x: Tensor):
    for row in x:
        raise ValueError("never")
    return x


found = []


def adds_what_is_found(x):
    return sum(found, x)


REFUSED = {
    changes_shape_of_argument: "changes the shape of an argument",
    maybe_a_part_of_an_argument: "a result may be an argument or not",
    maybe_another_result: "a result may be another result or not",
    returns_on_one_path: "returns a value on one path and nothing on another",
    differs_in_type: "'y' is a tensor of 1 dims of torch.float32 on one path and a tensor of 0 dims",
    unset_on_one_path: "'y' is assigned on one path only",
    unset_without_iterations: "'y' is assigned in a loop that may not run at all",
    set_in_a_branch: "a dict gets other keys in a loop or branch that only a run decides about",
    value_of_and: "expected bools as operands of 'and' or 'or' that only a run decides",
    shows_a_tensor: "a result is a string that shows the contents of a tensor",
    draws: "random.random may give another value at each call",
    reads_time: "time.time may give another value at each call",
    appends_to_a_global: "draws random numbers",
}


def stores_float_in_int(x: Tensor):
    i = torch.zeros(3, 4, dtype=torch.int64)
    i += x
    return i


def does_not_broadcast(x: Tensor):
    return x + torch.zeros(5)


def out_of_range(x: Tensor, k: int):
    y = x.clone()
    for i in range(k):
        y[i] = 0.0
    return y


def unknown_list_index(x: Tensor):
    rows = [x, x.sum()]
    return rows[int(x[0, 0])] + 1.0


def asserts(x: Tensor):
    assert bool(x.sum() > 0.0)
    return x + 1.0


def writes_its_real_part(x: Tensor):
    x.real.add_(1)
    x.real = x.real * 2
    return x.real, torch.real(x).conj(), x.is_complex()


# What makes complex numbers.
COMPLEX = [
    lambda x: torch.linalg.eigvals(x[:3, :3]),
    lambda x: x.view(torch.complex64),
    lambda x: x * COMPLEX_STATE,
]
COMPLEX_STATE = torch.complex(X, X)


class Complex(unittest.TestCase):
    """Complex numbers are refused, by the name of the argument or by the line. Real parts of real tensors are not."""

    def test_programs(self):
        for function in COMPLEX:
            line = function.__code__.co_firstlineno
            x = X.clone()
            with self.subTest(line=line), self.assertRaisesRegex(
                    tssa.UnsupportedError, rf"test_errors.py:{line}: complex numbers are not supported"):
                tssa.compile(function)(x)
            self.assertEqual(x.tolist(), X.tolist())

    def test_arguments(self):
        z = torch.complex(X, X)
        for arguments, options in (((X, z), {}), ((X,), {"z": z}), ((X, [1, {"key": (z,)}]), {}), ((X, z.numpy()), {})):
            name = "an argument" if isinstance(arguments[-1], numpy.ndarray) else "the argument 'z'"
            with self.assertRaisesRegex(tssa.UnsupportedError, f"\n{name}: complex numbers are not supported"):
                tssa.compile(lambda x, z: x + 1)(*arguments, **options)
        with self.assertRaisesRegex(tssa.UnsupportedError, "the argument 'z': complex"):
            tssa.compile(lambda x, z: x + 1, example_inputs=(X, z))
        self.assertEqual(z.real.tolist(), X.tolist())

    def test_real_tensors(self):
        left, right = X.clone(), X.clone()
        for found, expected in zip(tssa.compile(writes_its_real_part)(left), writes_its_real_part(right)):
            torch.testing.assert_close(found, expected)
        torch.testing.assert_close(left, right)
        with self.assertRaisesRegex(RuntimeError, "imag is not implemented for tensors with non-complex dtypes."):
            tssa.compile(lambda x: x.imag)(X)


class Errors(unittest.TestCase):
    def refuse(self, function, *parts, arguments=(X,), kind=tssa.UnsupportedError, **options):
        with self.assertRaises(kind) as caught:
            tssa.compile(function, **options)(*[a.clone() if isinstance(a, Tensor) else a for a in arguments])
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return caught.exception

    def test_all_unsupported_operators_with_lines(self):
        first = two_unsupported.__code__.co_firstlineno
        error = self.refuse(two_unsupported, f"test_errors.py:{first + 1}: aten::_linalg_det",
                            f"test_errors.py:{first + 2}: aten::linalg_matrix_exp")
        self.assertEqual(len(error.problems), 2)

    def test_refused(self):
        for function, reason in REFUSED.items():
            with self.subTest(function.__name__):
                self.refuse(function, reason)

    def test_places(self):
        first = unset_on_one_path.__code__.co_firstlineno
        self.refuse(unset_on_one_path, f"test_errors.py:{first + 1}: 'y' is")

    def test_state_is_as_it_was(self):
        module = KeepsState()
        with self.assertRaisesRegex(tssa.UnsupportedError, "draws random numbers"):
            tssa.compile(module)(X)
        self.assertEqual((module.calls, module.last), (0, None))
        self.refuse(appends_to_a_global)
        self.assertEqual(calls, [])

    def test_lists_that_were_empty(self):
        compiled = tssa.compile(adds_what_is_found)
        self.assertEqual(compiled(X).tolist(), X.tolist())
        found.append(X)
        try:
            self.assertEqual(compiled(X).tolist(), (X * 2).tolist())
        finally:
            found.clear()

    def test_values_of_a_run(self):
        for function in (turns_to_numpy, walks_data):
            with self.subTest(function.__name__), self.assertRaises((tssa.UnsupportedError, RuntimeError)):
                tssa.compile(function)(X)

    def test_integers_are_not_divided_by_zero(self):
        for divide in (lambda x, y: x // y, lambda x, y: x % y, lambda x, y: torch.div(x, y, rounding_mode="trunc")):
            compiled, x = tssa.compile(divide), torch.tensor([4, -5])
            self.assertEqual(compiled(x, torch.tensor([2, 3])).tolist(), divide(x, torch.tensor([2, 3])).tolist())
            with self.assertRaisesRegex(tssa.Error, "ZeroDivisionError"):
                compiled(x, torch.tensor([2, 0]))
        scaled = tssa.compile(lambda x, f: x * (1.0 / f))
        self.assertEqual(scaled(X, 2.0)[0, 0], 0.5)
        with self.assertRaises(ZeroDivisionError):
            scaled(X, 0.0)

    def test_maximum_of_nothing(self):
        with self.assertRaisesRegex(RuntimeError, "Expected reduction dim"):
            tssa.compile(lambda x: x.max())(torch.empty(0))

    def test_errors_of_the_program(self):
        """They are those of eager."""
        self.refuse(raises_in_each_iteration, "never", kind=ValueError)
        self.refuse(stores_float_in_int, kind=RuntimeError)
        self.refuse(does_not_broadcast, "5", kind=RuntimeError)

    def test_index_of_a_run(self):
        self.refuse(out_of_range, "out of range", arguments=(X, 4), kind=tssa.Error, dynamic=True)

    def test_unknown_list_index(self):
        self.refuse(unknown_list_index, "the value is a tensor of 0 dims", "test_errors.py:")

    def test_assertion(self):
        compiled = tssa.compile(asserts)
        compiled(X)
        with self.assertRaises(tssa.Error):
            compiled(-X)

    def test_gradients(self):
        self.refuse(does_not_broadcast, "gradients are not computed",
                    arguments=(torch.ones(5, requires_grad=True),), kind=tssa.Error)

    def test_not_a_program(self):
        with self.assertRaises(TypeError):
            tssa.compile(7)
        with self.assertRaisesRegex(tssa.UnsupportedError, "give the function or module that it was made of"):
            tssa.compile(torch.jit.script(asserts))

    def test_missing_compiler(self):
        with unittest.mock.patch.dict(os.environ, TSSA_COMPILE="/nowhere"):
            self.assertNotEqual(find_tool(), "/nowhere")

    def test_session_names(self):
        with tempfile.TemporaryDirectory() as folder:
            with unittest.mock.patch.dict(os.environ, TSSA_CACHE="1", XDG_CACHE_HOME=folder):
                tssa.compile(out_of_range, example_inputs=(X, 1), dynamic=True)
            (artifact,) = glob.glob(os.path.join(folder, "tssa", "*.so"))
            session = tssa.Session(artifact)
        self.assertEqual([i.name for i in session.get_inputs()], ["argument.0", "argument.1"])
        self.assertEqual(session.get_inputs()[0].type, "f32")
        (y,) = session.run(None, {"argument.0": X.numpy(), "argument.1": numpy.array(1)})
        self.assertEqual(y.sum(), 8.0)
        with self.assertRaises(tssa.Error):
            session.run(None, {"y": X.numpy()})
        with self.assertRaises(tssa.Error):
            session.run(["z"], {"argument.0": X.numpy(), "argument.1": numpy.array(1)})


class BadText(unittest.TestCase):
    """The text is not trusted: whatever is wrong in it is an error that says so."""

    GOOD = {"format": "tssa-pytorch", "version": 1, "name": "f", "files": [],
            "arguments": [{"kind": "tensor", "name": "x", "dtype": "f32", "sizes": [2]}],
            "graph": {"inputs": [0], "outputs": [1],
                      "nodes": [{"op": "aten::neg", "in": [0], "out": [1]}]}}

    def compile(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text if isinstance(text, str) else json.dumps(text))
            run = subprocess.run([find_tool(), path, "-o", os.path.join(folder, "a.so")],
                                 capture_output=True, text=True, timeout=60)
        return run.returncode, run.stderr

    def change(self, *path, value):
        text = json.loads(json.dumps(self.GOOD))
        at = text
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        return text

    def test_good(self):
        self.assertEqual(self.compile(self.GOOD)[0], 0)

    def test_bad(self):
        node = ("graph", "nodes", 0)
        cases = [
            ("{", "not well formed"), ("[]", "expected an object"), ("[" * 100000, "nested too deeply"),
            (self.change("version", value=2), "version 1"),
            (self.change("graph", "nodes", value=7), "a block with 'nodes'"),
            (self.change(*node, "in", value=[5]), "used before it is defined"),
            (self.change(*node, "in", value=[-1]), "the number of a value"),
            (self.change(*node, "blocks", value=[{"inputs": [2], "outputs": [], "nodes": []},
                                                 {"inputs": [], "outputs": [2], "nodes": []}]), "outside of its block"),
            (self.change(*node, "out", value=[0]), "defined twice"),
            (self.change(*node, "in", value=[]), "expected a tensor"),
            (self.change(*node, value={"op": "aten::copy_", "in": [], "out": [1]}), "expected a tensor"),
            (self.change("graph", "outputs", value=[]), "expected one result"),
            (self.change("arguments", value=[]), "expected 1 arguments"),
            (self.change("arguments", 0, "dtype", value="c64"), "'name' and 'dtype'"),
            (self.change("arguments", 0, "sizes", value=[-1]), "integers >= 0"),
            (self.change("arguments", 0, "sizes", value=[2**40] * 4), "too large"),
            (self.change("arguments", 0, "permutation", value=[1]), "is none"),
            (self.change("arguments", 0, "symbols", value=[None, "n"]), "to have one symbol for each dim"),
            (self.change("arguments", 0, "symbols", value=[""]), "names or null"),
            (self.change("arguments", 0, "kind", value="set"), "a known kind"),
            (self.change(*node, "op", value="aten::nothing"), "aten::nothing is not supported"),
            (self.change(*node, "at", value=[0, 1, 1]), "file, line and column"),
        ]
        for text, message in cases:
            code, errors = self.compile(text)
            self.assertIn(code, (1, 3, 5), errors)
            self.assertIn(message, errors)

    def test_cut_anywhere(self):
        text = json.dumps(self.GOOD)
        for end in range(0, len(text) - 1, 40):
            code, errors = self.compile(text[:end])
            self.assertEqual(code, 1, errors)


class Schemas(unittest.TestCase):
    def test_every_operator_is_supported_or_refused_by_name(self):
        """One node of every ATen operator: a crash or an odd refusal is a failure."""
        names = sorted({schema.name + ("." + schema.overload_name if schema.overload_name else "")
                        for schema in torch._C._jit_get_all_schemas()
                        if schema.name.startswith("aten::")})
        nodes = [{"op": name, "in": [], "out": []} for name in names]
        text = dict(BadText.GOOD, graph={"inputs": [0], "outputs": [0], "nodes": nodes})
        code, errors = BadText().compile(text)
        self.assertEqual(code, 3)
        refused = {line.split(": ")[-1].split(" is not supported")[0]
                   for line in errors.splitlines() if "is not supported" in line}
        self.assertTrue(refused <= set(names))
        supported = set(names) - refused
        for name in ("aten::add.Tensor", "aten::mm", "aten::copy_", "aten::_softmax", "aten::sum.dim_IntList"):
            self.assertIn(name, supported)
        # The package writes functional forms, and copies.
        for name in ("aten::add_.Tensor", "aten::add.out", "aten::set_", "aten::resize_", "aten::t_"):
            self.assertIn(name, refused)
        print(f"{len(supported)} of {len(names)} ATen overloads are supported")


if __name__ == "__main__":
    unittest.main()
