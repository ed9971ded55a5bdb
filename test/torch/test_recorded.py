# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""torch.compile(backend="tssa") and exported programs agree with eager."""

import copy
import unittest
import warnings

import torch
import torch.nn.functional as F
from support import AgreementTest
from torch._subclasses.fake_tensor import FakeTensorMode

import tssa
from tssa._recorded import record


def writes_views(x, y):
    """Sibling views, a view of a view, augmented assignments that TorchScript loses."""
    a = x[1:]
    b = x[:, 0]
    a *= 2
    b += y
    x[0, 1:].sigmoid_()
    m = x > 0.5
    m[1:] &= y[0] > 0
    v = m
    v |= x < -1
    return x.sum(), m, v


def dead_branches(x):
    if torch.jit.is_scripting():
        raise RuntimeError(f"no {x}")
    return F.softmax(F.dropout(x, 0.5, training=False), dim=-1)


def containers(x, parts):
    found = {"sum": x.sum(0), "max": x.max(dim=1)}
    pieces = [p * 2 for p in parts] + list(x.unbind(0))
    return {"all": torch.stack([p.mean() for p in pieces]), **found, "shape": x.shape}


def out_forms(x, y):
    z = torch.empty_like(x)
    torch.add(x, y, alpha=2, out=z)
    w = torch.empty(x.shape[0])
    torch.sum(z, 1, out=w)
    torch.prod(x, 0, out=y[0])
    return z, w


def shares_storage(x):
    y = x * 2
    return x[1:], x.t(), y, y[:, 1], y


def changes_shape(x):
    y = x + 1
    z = y.t_()
    y[0] *= 2
    w = y.unsqueeze_(0).squeeze_(0)
    return y.clone(), z + w


def rolls(x):
    y = torch.roll(x, (1, -1), (0, 1))
    return torch.cat([torch.empty(0), y.roll(2)]), y.permute(1, 0).reshape(2, -1).view(-1, 2)


def branches(x, y):
    z = torch.cond(x.sum() > 0, lambda a, b: a @ b.t() + 1, lambda a, b: (a * b).sum(1, keepdim=True) - b[:, :1] @ b[:1],
                   (x, y))
    return z * 2


def loops(x):
    def goes_on(i, a):
        return (i < 5) & (a.sum() < 100)

    def body(i, a):
        b = a * 2
        b[0] += i
        return i + 1, torch.cond(b.sum() > 10, lambda v: v.clone(), lambda v: v + 3, (b,))

    return torch.while_loop(goes_on, body, (torch.tensor(0), x.abs()))


def returns_argument(x):
    x.add_(1)
    return x


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def windows(x, w, b):
    y = F.conv2d(x, w, b, stride=2, padding=1)
    y, places = F.max_pool2d(y, 3, 2, 1, return_indices=True)
    return F.avg_pool2d(y, 2, 1, 1, count_include_pad=False), places


def transposed_windows(x, w):
    return F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)


def norms(x, w):
    y = F.layer_norm(x, (x.shape[-1],), w, None)
    y = F.group_norm(y.transpose(1, 2), 2)
    return F.gelu(y, approximate="tanh"), x.std(-1), x.var(0, unbiased=False)


def reads_number(x):
    return x * x[0, 0].item()


def two_numbers(x, n: int, f: float):
    return x * f + n


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.head = torch.nn.Linear(8, 5)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        y = F.relu(self.norm(self.conv(x)))
        return self.head(y.mean((2, 3)))


def tensor(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


CASES = {
    writes_views: (tensor(4, 3), tensor(4, seed=1)),
    dead_branches: (tensor(4, 3),),
    containers: (tensor(4, 3), [tensor(2), tensor(5)]),
    out_forms: (tensor(4, 3), tensor(4, 3, seed=1)),
    attention: (tensor(1, 2, 5, 8), tensor(1, 2, 7, 8, seed=1), tensor(1, 2, 7, 8, seed=2)),
    windows: (tensor(2, 3, 11, 12), tensor(8, 3, 3, 3, seed=1), tensor(8, seed=2)),
    transposed_windows: (tensor(1, 3, 5, 6), tensor(3, 4, 3, 3, seed=1)),
    norms: (tensor(2, 5, 4), tensor(4, seed=1)),
    branches: (tensor(3, 3), tensor(3, 3, seed=1)),
    loops: (tensor(4, 3),),
    changes_shape: (tensor(4, 3),),
    rolls: (tensor(4, 3),),
    returns_argument: (tensor(4, 3),),
}


class Backend(AgreementTest):
    def setUp(self):
        torch._dynamo.reset()

    def compile(self, function, **options):
        return torch.compile(function, backend="tssa", fullgraph=True, **options)

    def test_functions(self):
        for function, arguments in CASES.items():
            with self.subTest(function.__name__):
                torch._dynamo.reset()
                compiled = self.compile(function)
                compiled.__name__ = function.__name__
                self.check(function, arguments, compiled)

    def test_open_sizes(self):
        compiled = self.compile(writes_views, dynamic=True)
        compiled.__name__ = "writes_views"
        for rows in (4, 7, 2):
            self.check(writes_views, (tensor(rows, 3), tensor(rows, seed=1)), compiled)
            with torch.compiler.set_stance("fail_on_recompile"):
                self.check(writes_views, (tensor(9, 3), tensor(9, seed=1)), compiled)

    def test_shared_storage(self):
        x = tensor(4, 3)
        with torch.no_grad():
            part, turned, y, column, again = self.compile(shares_storage)(x)
        self.assertEqual(part.data_ptr(), x[1:].data_ptr())
        self.assertEqual(turned.stride(), x.t().stride())
        part[0, 0] = 7
        self.assertEqual(x[1, 0], 7)
        self.assertEqual(column.untyped_storage().data_ptr(), y.untyped_storage().data_ptr())
        y[2, 1] = 9
        self.assertEqual(column[2], 9)
        self.assertEqual(again[2, 1], 9)

    def test_result_is_the_argument(self):
        x = tensor(4, 3)
        self.assertIs(self.compile(returns_argument)(x), x)

    def test_module(self):
        network = Network().eval()
        reference = copy.deepcopy(network)
        compiled = self.compile(network)
        for seed in range(3):
            x = tensor(2, 3, 8, 8, seed=seed)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), reference(x))
        self.assertEqual(network.calls, 3)
        # Parameters are looked up at each call.
        with torch.no_grad():
            network.head.bias += 1
            reference.head.bias += 1
            torch.testing.assert_close(compiled(x), reference(x))

    def test_strided_arguments(self):
        compiled = self.compile(writes_views)
        compiled.__name__ = "writes_views"
        x, y = tensor(3, 4).t(), tensor(8, seed=1)[::2]
        base, other = x.clone(), y.clone()
        with torch.no_grad():
            expected = writes_views(base, other)
            actual = compiled(x, y)
        self.assert_same(expected, actual, "results")
        self.assert_same([base, other], [x, y], "arguments")

    def test_modules_of_one_class(self):
        """Parameters are constants; Dynamo may come with those of another module."""
        compiled = self.compile(lambda module, x: module(x) * 2)
        modules, x = [torch.nn.Linear(3, 4).eval() for _ in range(2)], tensor(5, 3)
        with torch.no_grad():
            for _ in range(2):
                for module in (*modules, modules[0]):
                    torch.testing.assert_close(compiled(module, x), module(x) * 2)
                modules[0].weight.add_(1)

    def test_overlapping_arguments(self):
        def writes_one(x, y):
            x.add_(1)
            return y * 2

        x, y, compiled = tensor(4, 3), tensor(4, 3), self.compile(writes_one)
        for _ in range(2):
            torch.testing.assert_close(compiled(x, x[1:]), writes_one(y, y[1:]))
            torch.testing.assert_close(x, y)

    def test_numbers(self):
        compiled = self.compile(two_numbers, dynamic=True)
        compiled.__name__ = "two_numbers"
        for n, f in ((2, 0.5), (3, 0.25), (-4, 8.0)):
            self.check(two_numbers, (tensor(4, 3), n, f), compiled)

    def test_number_of_a_tensor(self):
        with torch._dynamo.config.patch(capture_scalar_outputs=True):
            compiled = self.compile(reads_number)
            compiled.__name__ = "reads_number"
            self.check(reads_number, (tensor(4, 3),), compiled)

    def test_unsupported(self):
        def draws(x):
            return x + torch.rand_like(x)

        with self.assertRaises(Exception) as caught, torch.no_grad():
            self.compile(draws)(tensor(4))
        self.assertIn("rand_like", str(caught.exception))
        self.assertIn("test_recorded.py", str(caught.exception))

    def test_gradients(self):
        x = tensor(4, 3).requires_grad_()
        with self.assertRaisesRegex(Exception, "gradients are not computed"):
            self.compile(dead_branches)(x)

    def test_options(self):
        compiled = self.compile(dead_branches, options={"target": "cpu", "threads": 1})
        compiled.__name__ = "dead_branches"
        self.check(dead_branches, CASES[dead_branches], compiled)


class Recording(unittest.TestCase):
    """What neither Dynamo nor an export lets through."""

    def record(self, function, *arguments):
        mode = FakeTensorMode()
        fakes = [mode.from_tensor(argument) for argument in arguments]
        return record(lambda _, *values: [function(*values)], fakes, "f")[0]

    def test_shape_of_argument(self):
        with self.assertRaisesRegex(tssa.UnsupportedError,
                                    "test_recorded.py:.*aten::t_ changes the shape of an argument"):
            self.record(lambda x: x.t_(), tensor(4, 3))

    def test_target_of_another_size(self):
        with self.assertRaisesRegex(tssa.UnsupportedError, "gives its target another size"):
            self.record(lambda x: torch.add(x, 1, out=torch.empty(7)), tensor(4, 3))

    def test_type_of_a_result(self):
        with self.assertRaisesRegex(tssa.UnsupportedError, "a result is a set"):
            self.record(lambda x: {1}, tensor(4, 3))

    def test_other_strides(self):
        # A copy is passed, which must be nothing that anybody sees.
        plain = self.record(lambda x: x * 2, tensor(4, 3))
        turned = tensor(3, 4).t()
        torch.testing.assert_close(plain(turned)[0], turned * 2)
        for function in (lambda x: x.add_(1), lambda x: x[1:]):
            with self.assertRaisesRegex(tssa.Error, "recorded with other strides"):
                self.record(function, tensor(4, 3))(turned)

    def test_tensor_of_the_program(self):
        weight = tensor(3)
        (same,) = self.record(lambda x: weight, tensor(3))(tensor(3))
        self.assertIs(same, weight)

    def test_other_sizes(self):
        with self.assertRaisesRegex(tssa.Error, r"argument 0 has the sizes \[2, 3\], expected \[4, 3\]"):
            self.record(lambda x: x * 2, tensor(4, 3))(tensor(2, 3))


class Exported(AgreementTest):
    def export(self, module, arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.export.export(module, arguments, **options)

    def test_network(self):
        network = Network().eval()
        x = tensor(2, 3, 8, 8)
        batch = torch.export.Dim("batch", min=2)
        compiled = tssa.compile(self.export(network, (x,), dynamic_shapes=({0: batch},)))
        for size in (2, 5):
            x = tensor(size, 3, 8, 8, seed=size)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), network(x))
        self.assertEqual(compiled.num_binaries, 1)

    def test_structures(self):
        class Structured(torch.nn.Module):
            def forward(self, x, pair, *, scale):
                return {"sum": x + pair[0] * scale["by"], "both": list(pair)}

        arguments = (tensor(3), (tensor(3, seed=1), tensor(2, seed=2)))
        scale = {"by": tensor(1, seed=3)}
        program = self.export(Structured(), arguments, kwargs={"scale": scale})
        actual = tssa.compile(program)(*arguments, scale=scale)
        expected = Structured()(*arguments, scale=scale)
        self.assert_same(expected, actual, "results")
        with self.assertRaises(TypeError):
            tssa.compile(program)(*arguments)

    def test_fixed_sizes(self):
        compiled = tssa.compile(self.export(Network().eval(), (tensor(2, 3, 8, 8),)))
        with torch.no_grad(), self.assertRaisesRegex(tssa.Error, "expected"):
            compiled(tensor(3, 3, 8, 8))

    def test_higher_order(self):
        class Loops(torch.nn.Module):
            def forward(self, x):
                return loops(x)

        compiled = tssa.compile(self.export(Loops(), (tensor(4, 3),)))
        for seed in range(4):
            x = tensor(4, 3, seed=seed) / (seed + 1)
            self.assert_same(loops(x), compiled(x), f"loops of {seed}")

    def test_scan(self):
        class Scans(torch.nn.Module):
            def forward(self, x):
                return torch._higher_order_ops.scan(lambda c, v: (c + v, c * v), x[0], x)

        with self.assertRaisesRegex(tssa.UnsupportedError, "scan is not supported"):
            tssa.compile(self.export(Scans(), (tensor(4, 3),)))


if __name__ == "__main__":
    unittest.main()
