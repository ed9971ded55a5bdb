# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""tssa.compile and sessions as people hold them: decorated, pickled, checked, in threads, with seeds."""

import concurrent.futures
import copy
import glob
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import numpy
import torch
import tssa
from tssa import _aliases, _function, _recorded
from tssa._aliases import Aliases
from tssa._record import Recorder
from tssa._tool import compile_file, find_tool

from collected import tensor
from everyday import Block


@tssa.compile(target="cpu", threads=1)
def doubled(x):
    """Twice x."""
    return x * 2


@tssa.compile
def tripled(x):
    return x * 3


class Scaled:
    factor = 4.0

    @tssa.compile()
    def apply(self, x):
        return x * self.factor


def plain(x):
    return x + 1


def for_each_number(x, k: int):
    return x * 2 if k == 1 else x * 3 if k == 2 else x.view(-1, k)


RANDOM = """
func.func @main(%x: tensor<i64> {te.port = #te.port<name = "x">})
    -> (tensor<i64> {te.port = #te.port<name = "drawn">}, tensor<i64> {te.port = #te.port<name = "own">}) {
  %drawn = te.random_key 1
  %own = te.random_key 2 seed 5
  %y = te.compute () {
    %v = te.read %x[] : tensor<i64>
    %s = arith.addi %v, %drawn : i64
    te.yield %s : i64
  } : tensor<i64>
  %z = te.compute () {
    %v = te.read %x[] : tensor<i64>
    %s = arith.addi %v, %own : i64
    te.yield %s : i64
  } : tensor<i64>
  return %y, %z : tensor<i64>, tensor<i64>
}
"""


class RandomNumbers(unittest.TestCase):
    """Sessions draw other numbers in each run, and repeat them with a seed."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        source, self.program = (os.path.join(self.folder.name, name) for name in ("random.mlir", "random.so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(RANDOM)
        compile_file(source, self.program, "cpu")

    def draw(self, runs=3, **options):
        session = tssa.Session(self.program, **options)
        results = [session.run(None, {"x": numpy.array(0)}) for _ in range(runs)]
        return [[int(result) for result in named] for named in zip(*results)]

    def test_runs_differ(self):
        for drawn in self.draw(seed=1):
            self.assertEqual(len(set(drawn)), 3)

    def test_seeds(self):
        self.assertEqual(self.draw(seed=1), self.draw(seed=1))
        self.assertNotEqual(self.draw(seed=1)[0], self.draw(seed=2)[0])
        self.assertNotEqual(self.draw()[0], self.draw()[0])

    def test_seed_of_a_node(self):
        self.assertEqual(self.draw()[1], self.draw()[1])
        self.assertEqual(self.draw()[1], self.draw(seed=2)[1])

    def test_bad_seeds(self):
        for seed in (-1, 2**64, "one"):
            with self.assertRaises(TypeError):
                self.draw(seed=seed)


class Records(unittest.TestCase):
    """What is compiled with tuned= reads the records of that folder."""

    def test_folder(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        doubled = tssa.compile(lambda x: x * 2, tuned=folder)
        self.assertEqual(doubled(torch.ones(3)).tolist(), [2, 2, 2])

    def test_missing_folder(self):
        with self.assertRaisesRegex(tssa.Error, "tuned '/nowhere' cannot be read: No such file or directory"):
            tssa.compile(lambda x: x * 2, tuned="/nowhere")(torch.ones(3))


class Verification(unittest.TestCase):
    """Damaged weights are found, unless verify=False."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(os.environ, TSSA_CACHE="1", XDG_CACHE_HOME=self.folder))

    def flip(self, path):
        """Changes the last byte of the weights."""
        runner = os.path.join(os.path.dirname(find_tool()), "tssa-run")
        described = subprocess.run([runner, path, "--inspect", "--json"], capture_output=True, check=True)
        (variant,) = json.loads(described.stdout)["variants"]
        with open(path, "r+b") as file:
            file.seek(variant["weights"]["offset"] + variant["weights"]["size"] - 1)
            (byte,) = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes((byte ^ 1,)))

    def test_damaged_weights(self):
        weights = torch.ones(64, 64)
        tssa.compile(lambda x: x @ weights, example_inputs=(torch.ones(2, 64),))
        (path,) = glob.glob(os.path.join(self.folder, "tssa", "*.so"))
        for verify in (True, False):
            (name,) = (port.name for port in tssa.Session(path, verify=verify).get_inputs())
        self.flip(path)
        with self.assertRaisesRegex(tssa.Error, "the weights' hash does not match"):
            tssa.Session(path)
        (y,) = tssa.Session(path, verify=False).run(None, {name: numpy.ones((2, 64), numpy.float32)})
        self.assertEqual(y.shape, (2, 64))


# Compiles and runs in a process that nothing has warned in yet.
FRESH = """
import torch, tssa
{settings}
before = torch._C._get_mkldnn_enabled(), torch._C._get_cudnn_enabled(), torch._C._get_nnpack_enabled()
x = torch.ones(2, 3)
assert tssa.compile(lambda x: x @ x.t() + 1)(x).tolist() == [[4, 4], [4, 4]]
assert before == (torch._C._get_mkldnn_enabled(), torch._C._get_cudnn_enabled(), torch._C._get_nnpack_enabled())
"""


class Mistakes(unittest.TestCase):
    """A mistake of the package is not taken for one of the program, for which fewer sizes would be open."""

    def count_attempts(self, program, *arguments):
        """Returns the error of a program, and how often it was recorded."""
        with unittest.mock.patch.object(_function, "Fakes", wraps=_function.Fakes) as made:
            with self.assertRaises((TypeError, AttributeError, KeyError, IndexError)) as caught:
                tssa.compile(program, dynamic=True)(*arguments)
        return caught.exception, made.call_count

    def test_of_the_package(self):
        for holder, name, value, text in ((Recorder, "add_argument", None, "'NoneType' object is not callable"),
                                          (Recorder, "add_number", lambda _: None, "takes 1 positional argument"),
                                          (Aliases, "_find_bases", None, "'NoneType' object is not callable"),
                                          (_aliases, "storage_of", 5, "'int' object is not callable"),
                                          (_recorded, "Constants", {}, "'dict' object is not callable")):
            with self.subTest(name), unittest.mock.patch.object(holder, name, value):
                error, attempts = self.count_attempts(lambda x, n: x * n, tensor(3), 2)
                self.assertIs(type(error), TypeError)
                self.assertIn(text, str(error))
                self.assertEqual(attempts, 1)

    def test_of_the_program(self):
        for program, kind in ((lambda x, n: x[[1, 2][n]], IndexError), (lambda x, n: x * {}[n], KeyError),
                              (lambda x, n: x.no_such_name, AttributeError), (lambda x, n: x + len(n), TypeError),
                              (lambda x, n: plain(x, n), TypeError)):
            error, attempts = self.count_attempts(program, tensor(3), 2)
            self.assertIs(type(error), kind)
            self.assertGreater(attempts, 1)


class Package(unittest.TestCase):
    def test_no_warnings(self):
        for settings in ("", "torch.set_float32_matmul_precision('high')", "torch.backends.mkldnn.enabled = False",
                         "torch.backends.cuda.matmul.fp32_precision = 'ieee'", "torch.backends.cudnn.enabled = False"):
            run = subprocess.run([sys.executable, "-W", "error", "-c", FRESH.format(settings=settings)], capture_output=True,
                                 text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""), settings)

    def test_decorators(self):
        x = tensor(3)
        torch.testing.assert_close(doubled(x), x * 2)
        torch.testing.assert_close(tripled(x), x * 3)
        torch.testing.assert_close(Scaled().apply(x), x * 4)
        self.assertEqual((doubled.__name__, doubled.__doc__), ("doubled", "Twice x."))
        self.assertEqual(doubled.__wrapped__(x).tolist(), (x * 2).tolist())

    def test_pickle(self):
        x = tensor(3)
        self.assertIs(pickle.loads(pickle.dumps(doubled)), doubled)
        compiled = tssa.compile(plain)
        compiled(x)
        for again in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled)):
            torch.testing.assert_close(again(x), x + 1)
        module = Block().eval()
        with torch.no_grad():
            again = pickle.loads(pickle.dumps(tssa.compile(module)))
            torch.testing.assert_close(again(tensor(2, 4)), module(tensor(2, 4)))

    def test_gradients(self):
        module = Block().eval()
        compiled = tssa.compile(module)
        with self.assertWarnsRegex(UserWarning, "its results have no gradients"):
            self.assertFalse(compiled(tensor(3, 4)).requires_grad)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled(tensor(3, 4))
        with self.assertRaisesRegex(tssa.Error, "gradients are not computed"):
            tssa.compile(Block().train())(tensor(3, 4))

    def test_check(self):
        x = tensor(3)
        compiled = tssa.compile(plain, check=True)
        torch.testing.assert_close(compiled(x), x + 1)

        def wrong(_, arguments, sizes):
            return arguments.values[0] * 7

        with unittest.mock.patch.object(_function._Recording, "run", wrong):
            compiled(x)  # compared at the first call of a binary
            with self.assertRaisesRegex(tssa.Error, "plain: result 0 differs from eager mode"):
                tssa.compile(plain, check=True)(x)

    def test_arguments_that_share_memory(self):
        def write(a, b):
            a += 1
            return a * b

        line = torch.arange(8.0)
        compiled = tssa.compile(write, check=True)
        torch.testing.assert_close(compiled(line[1:5], line[:4]), torch.tensor([0.0, 6.0, 12.0, 20.0]))
        torch.testing.assert_close(line, torch.tensor([0.0, 2, 3, 4, 5, 5, 6, 7]))
        with self.assertRaisesRegex(tssa.UnsupportedError, "different types share memory: torch.float32, torch.int32"):
            compiled(line[:4], line.view(torch.int32)[2:6])

    def test_fixed_sizes(self):
        compiled = tssa.compile(for_each_number, dynamic=False)
        for rows, k, binaries in ((6, 2, 1), (6, 2, 1), (12, 2, 2), (12, 3, 3)):
            torch.testing.assert_close(compiled(tensor(rows), k), for_each_number(tensor(rows), k))
            self.assertEqual(compiled.num_binaries, binaries)

    def test_forward_of_a_module(self):
        module, x = Block().eval(), tensor(3, 4)
        expected = module(x)
        module.forward = tssa.compile(module.forward)
        with torch.no_grad():
            for _ in range(2):
                torch.testing.assert_close(module(x), expected.detach(), rtol=1e-4, atol=1e-5)
        self.assertEqual(module.forward.num_binaries, 1)

    def test_what_never_holds(self):
        with unittest.mock.patch.object(_function._Recording, "match", lambda *_: None):
            with self.assertRaisesRegex(tssa.UnsupportedError, "plain reads state that changes while it is recorded"):
                tssa.compile(plain)(tensor(3))

    def test_kept_binaries(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(
                os.environ, {"TSSA_CACHE": "1", "XDG_CACHE_HOME": folder}):
            for damage in (b"", b"", b"no artifact"):
                found = glob.glob(os.path.join(folder, "tssa", "*.so"))
                if damage:
                    with open(found[0], "r+b") as file:
                        file.write(damage)
                torch.testing.assert_close(tssa.compile(plain)(tensor(3)), tensor(3) + 1)
            self.assertEqual(len(found), 1)
            with open(found[0], "rb") as file:  # damaged, and compiled again
                self.assertFalse(file.read().startswith(damage))
            with self.assertRaises(tssa.UnsupportedError):
                tssa.compile(lambda x: torch.linalg.eig(x))(tensor(3, 3))

    def test_many_binaries(self):
        compiled = tssa.compile(for_each_number, dynamic=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for k in (1, 2, 3, 4, 5, 6, 8, 10):
                torch.testing.assert_close(compiled(tensor(120), k), for_each_number(tensor(120), k))
        found = [str(w.message) for w in caught if "was compiled 8 times" in str(w.message)]
        self.assertEqual(len(found), 1, [str(w.message) for w in caught])

    def test_state(self):
        module = Block().eval()
        compiled, x = tssa.compile(module), tensor(2, 4)
        with torch.no_grad():
            torch.testing.assert_close(compiled(x), copy.deepcopy(module)(x))
            module.layers[0].weight.mul_(2)
            torch.testing.assert_close(compiled(x), copy.deepcopy(module)(x))
            module.layers[1] = torch.nn.Linear(4, 4, bias=False)
            torch.testing.assert_close(compiled(x), copy.deepcopy(module)(x))
            module.layers[0].bias.data.add_(1)  # PyTorch does not count this one
            torch.testing.assert_close(compiled(x), copy.deepcopy(module)(x))
            module.norm.eps = 1.0
            torch.testing.assert_close(compiled(x), copy.deepcopy(module)(x))

    def test_literals_are_new_in_each_call(self):
        def makes(x):
            made = torch.tensor([1.0, 2.0])
            made += 1
            return torch.tensor([3.0]), made

        compiled = tssa.compile(makes)
        for _ in range(3):
            for result, expected in zip(compiled(tensor(1)), makes(tensor(1))):
                torch.testing.assert_close(result, expected)
                result += 7

    def test_ambient_state(self):
        def makes(x):
            return x + torch.ones(3), torch.zeros(2)

        compiled, x = tssa.compile(makes), tensor(3)
        self.assertEqual(compiled(x)[1].dtype, torch.float32)
        torch.set_default_dtype(torch.float64)
        try:
            self.assertEqual(compiled(x)[1].dtype, torch.float64)
        finally:
            torch.set_default_dtype(torch.float32)
        self.assertEqual(compiled(x)[1].dtype, torch.float32)

        def multiplies(x):
            return x @ x.t()

        compiled, x = tssa.compile(multiplies), tensor(3, 4)
        self.assertEqual(compiled(x).dtype, torch.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(compiled(x).dtype, torch.bfloat16)

    def test_threads(self):
        compiled, x = tssa.compile(plain), tensor(100)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda i: compiled(x * i), range(16)))
        for i, result in enumerate(results):
            torch.testing.assert_close(result, x * i + 1)
        self.assertEqual(compiled.num_binaries, 1)


if __name__ == "__main__":
    unittest.main()
