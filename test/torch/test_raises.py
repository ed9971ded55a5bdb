# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every place where the package raises for a user: it is reached, and its text is fit to be read.

A text has the line of the program where there is one, and no name that only the package or PyTorch knows.
"""

import argparse
import ast
import contextlib
import copy
import glob
import inspect
import itertools
import math
import operator
import os
import re
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy
import torch
import torch.nn.functional as F
from torch._higher_order_ops import scan
from torch._higher_order_ops.map import map as map_rows

import ort_value_errors  # pylint: disable=unused-import  # it adds to the cases of session_errors
import tssa
import session_errors
import test_handlers
import test_leaks
import test_lists
import test_unseen
from support import flatten
from test_files import make_model
from tssa import _function, _package, _tool, tune
from tssa._module_arguments import key_of_module

PACKAGE = os.path.dirname(tssa.__file__)
# Exceptions that the package catches itself.
INTERNAL = {"_NotAlike", "CannotRewrite", "ChangesNumbers", "DecidesShape", "DependsOnOnes", "Raised"}
# Places that no case reaches, by file and a part of the text, and why.
UNREACHED = {("_unseen.py", "where that is not seen"): "Python traces nothing while it calls a profile function"}
# What no message may contain.
HIDDEN = re.compile(r"\b[su]\d+\b|\bzuf\d+|FakeTensor|Undefined|__tssa|Symbol|SymInt|SymFloat|SymBool|Piecewise|"
                    r"Traceback|site-packages|GuardOnDataDependent|TreeSpec|object at 0x|While executing|eval_with_key")
HERE = "# here"

X = torch.arange(12.0).reshape(3, 4) + 1
V = torch.tensor([3.0, -1.0, 2.0])
LINE = torch.arange(8.0)
LIBRARY = test_leaks.LIBRARY
ONE = torch.ones(1)
PROGRAMS, CALLS = [], []


def raises(text, *arguments, kind=tssa.UnsupportedError, **options):
    """Adds a program: with these arguments it raises an error whose message matches `text`, if there is one.

    A refusal names the line that is marked, or else one of the program.
    """
    def add(program):
        PROGRAMS.append((program, arguments, text, kind, options))
        return program

    return add


def fails(text, kind=tssa.Error):
    """Adds a function that raises such an error itself."""
    def add(function):
        CALLS.append((function, text, kind))
        return function

    return add


# Branches and loops.

@raises("Boolean value of Tensor with more than one value is ambiguous", X, kind=RuntimeError)
def asks_many(x):
    return x + 1 if x > 0 else x


@raises("both arms of a branch raise an exception", X)
def raises_on_both_paths(x):
    if x.sum() > 0:  # here
        raise ValueError("one")
    else:
        raise ValueError("other")


raises("index 5 is out of bounds|index 6 is out of bounds|out of range", X, kind=IndexError)(
    lambda x: x[5] if x.sum() > 0 else x[6])


@raises("each iteration of a loop raises an exception", V)
def raises_in_each_iteration(x):
    for v in x[x > 0]:  # here
        raise ValueError("never")
    return x


UNDECIDED = "a decision depends on a number that only a run knows, or a size does: compute it before the call"


@raises(UNDECIDED, V)
def decides_in_a_loop(x):
    total = x.sum()
    for v in x[x > 0]:
        total = total + x.split(int(v))[0].sum()  # here
    return total


raises(UNDECIDED, V)(lambda x: torch.ones(3).view(int(x[0]), 2))


@raises("returns a value on one path and nothing on another", X)
def returns_on_one_path(x):
    if x.sum() > 0:  # here
        return x + 1


@raises("x has seven rows", X, kind=AssertionError)
def asserts_rows(x):
    assert x.shape[0] == 7, "x has seven rows"
    return x


raises("expected bools as operands of 'and' or 'or'", X)(lambda x: (x.sum() > 0) and x.max())
raises("the index into a list must be known", X)(lambda x: [torch.sin, torch.cos][int(x[0, 0])](x))


@raises("a dict gets other keys in a loop or branch that only a run decides about: make a new one", X)
def changes_a_dict(x):
    found = {}
    if x.sum() > 0:  # here
        found["x"] = x
    return len(found)


@raises("a set is changed in a loop or branch", X)
def changes_a_set(x):
    found = set()
    if x.sum() > 0:
        found.add(1)  # here
    return len(found)


@raises("a part of a list is .*a tensor of 1 dims", X, [V])
def changes_the_rank_of_an_element(x, state):
    while x.sum() > 0:  # here
        state[0] = state[0][None]
        x = x - 1
    return x


key_of_module(torch.nn.Linear(4, 4), {})  # the first of its class is known by what object it is
MODULE = torch.nn.Linear(4, 4)


@raises("a module among the arguments is compared with one that is none: pass both as arguments", MODULE, X)
def compares_a_module(module, x):
    return x * 2 if module is MODULE else x  # here


@raises("list index out of range, in the first iteration of a loop", X)
def reads_before_it_appends(x):
    found = []
    while x.sum() < 100:
        x = x + found[-1]  # here
        found.append(x)
    return x


@raises("list index out of range, in the first iteration of a loop", X)
def reads_what_is_never_appended(x):
    found = []
    for row in x[x[:, 0] > 0]:
        if row.sum() > 0:
            x = x + found[0]
    return x


@raises("list index out of range, in the first iteration of a loop", X)
def reads_nothing_in_both_arms(x):
    found = []
    for row in x[x[:, 0] > 0]:
        x = x + (found[0] if row.sum() > 0 else found[1])
    return x


@raises("list index out of range", X, kind=IndexError)
def reads_behind_the_end(x):
    found = []
    for i in range(12):
        found.append(x[i % 3])
    return found[20]


@raises("", X, kind=(RuntimeError, IndexError))
def concatenates_numbers(x):
    found = []
    for i in range(12):
        found.append(x[0, i % 3])
    return torch.cat(found)


for refused, reason in test_lists.REFUSED.values():
    raises(reason, torch.eye(12) + 0.5)(refused)


@raises("a list is changed that may have another name", X)
def changes_one_of_two(x):
    a, b = [x], [x + 1]
    c = a if x.sum() > 0 else b
    c.append(x)  # here
    return c[0]


@raises(r"next\(\) is called in a loop or branch", X)
def takes_the_next(x):
    rows = iter([x, x + 1])
    if x.sum() > 0:
        x = next(rows)  # here
    return x


COUNTER = itertools.count()
raises("an iterator from outside of the program gives other values at each call: pass", X)(lambda x: x + next(COUNTER))
SEEN = set()


@raises("changes a set that is not among its arguments, of other things than numbers and strings", X)
def fills_a_set(x):
    SEEN.add(torch.device("cpu"))
    return x


TABLE = numpy.zeros(4)


@raises("the program writes to a numpy array that it has not made: write to a tensor", X)
def fills_an_array(x):
    TABLE[0] = x.shape[0]  # here
    return x


class Metres(torch.Tensor):
    pass


class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


raises("a Metres is a subclass of torch.Tensor, whose class operators may ask", X.as_subclass(Metres), line=False)(
    lambda x: x + 1)
LENGTH = X.as_subclass(Metres)
raises("a Metres is a subclass of torch.Tensor, whose class operators may ask", X)(lambda x: x + LENGTH)
@raises("the fast path of TransformerEncoderLayer with a mask is not supported: call .*set_fastpath_enabled", torch.ones(1, 3, 4))
def runs_the_fast_path_with_a_mask(x):
    row, square = torch.ones(4), torch.ones(4, 4)
    return torch._transformer_encoder_layer_fwd(
        x, 4, 1, torch.ones(12, 4), torch.ones(12), square, row, False, False, 1e-5, row, row, row, row, square, row, square, row,
        torch.zeros(3, 3, dtype=torch.bool), 0)


raises("Dimension out of range", X, kind=IndexError)(lambda x: x.softmax(5))


@fails("the mode Mode is active, which may change what functions do: leave it before the call")
def calls_in_a_mode():
    with Mode():
        tssa.compile(lambda x: x + 1)(X)


class Hooked(torch.nn.Module):
    def __init__(self, hook, **options):
        super().__init__()
        self.inner = torch.nn.Identity()
        if hook == "before":
            self.inner.register_forward_pre_hook(lambda module, args, kwargs: 1, **options)
        else:
            self.inner.register_forward_hook(lambda module, args, result: None, **options)


BEFORE, ALWAYS = Hooked("before", with_kwargs=True), Hooked("after", always_call=True)
raises("forward pre-hook must return None or a tuple", X, kind=RuntimeError)(lambda x: BEFORE.inner(x))
raises(r"Identity\(\) has a hook that is called after errors, too: register it without always_call", X)(
    lambda x: ALWAYS.inner(x))


@raises("random.random may give another value at each call", X)
def draws(x):
    import random
    return x + random.random()  # here


@raises("'y' is assigned on one path only", X)
def assigns_on_one_path(x):
    if x.sum() > 0:  # here
        y = x + 1
    return y


@raises("a name without a value is used", X)
def indexes_by_what_one_path_assigns(x):
    if x.sum() > 0:
        y = 1
    return x[0, [0, y]]  # here


@raises("'y' is assigned on one path only", X)
def joins_what_one_path_assigns(x):
    if x.sum() > 0:  # here
        y = x + 1
    return torch.cat([x, y])


@raises("a loop carries too many values that differ between iterations", V)
def delays(x):
    taps = (x[0],) * 25
    for v in x[x > 0]:  # here
        taps = (v, *taps[:-1])
    return taps[24]


raises("iteration over a 0-d tensor", X, kind=TypeError)(lambda x: [v for v in x.sum()])


# Numbers.

raises(r"computed by more than \+ - \* / // %", V)(lambda x: x * (int((x > 0).sum()) & 2))
raises("needs an exponent that is a constant integer", V, dynamic=True)(lambda x: x * 2 ** x.shape[0] * F.dropout(x))


# Tensors of the program.

def decides_a_complex(x):
    z = torch.complex(x, x)
    if x.sum() > 0:  # here
        z = z * 2
    return z.abs()


raises("complex numbers are not supported as results", X)(lambda x: torch.complex(x, x))
raises("complex numbers are not supported as values that a loop or branch takes or gives", X)(decides_a_complex)
raises("complex numbers are not supported in aten::sgn", X)(lambda x: (x * 1j).sgn().real)
raises("complex numbers are not supported", X)(lambda x: x.view(torch.complex64))
raises("sparse tensors are not supported", X)(lambda x: x + X.to_sparse())
raises("tensors of torch.float8_e4m3fn are not supported", X)(lambda x: x.to(torch.float8_e4m3fn))
raises("the device meta: tensors live on the cpu", X)(lambda x: x.to("meta"))
raises(r"view\(\) of a tensor of torch.bool as torch.uint8", X > 3)(lambda x: x.view(torch.uint8))
raises("aten._nested_tensor_from_tensor_list.default is not supported", X)(lambda x: torch.nested.nested_tensor([x, x]))
raises("median.*: Expected reduction dim 0 to have", torch.ones(0, 2), kind=IndexError)(lambda x: x.median(0))
raises(r"max\(\): Expected reduction dim", torch.ones(0), kind=RuntimeError)(lambda x: x.max())
raises("Expected input to have non-zero size", torch.ones(1, 1, 0, 2, 2), kind=RuntimeError)(
    lambda x: F.adaptive_avg_pool3d(x, 2))
raises("Non-empty 3D data tensor expected", torch.ones(1, 0, 2), kind=RuntimeError)(
    lambda x: F.interpolate(x, scale_factor=2, mode="linear"))
raises(r"draws random numbers: call eval\(\)", X)(lambda x: F.dropout(x))
raises(r"draws random numbers: call eval\(\)", torch.ones(1, 1, 2, 2))(
    lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5))
raises("aten::_linalg_det is not supported", X)(lambda x: torch.linalg.det(x[:, :3]))
raises("scan is not supported", X)(lambda x: scan(lambda carried, row: (carried + row, row.clone()), x[0], x))
raises("a mask without dims stands beside other tensors", X, torch.tensor([0, 1]))(lambda x, i: x[x.sum() > 0, i])


@raises("gives its target another size: make it of the right size", X)
def writes_to_another_size(x):
    y = torch.empty(2)
    torch.add(x, 1, out=y)  # here
    return y


raises("t_ changes the shape of an argument: give it a new name", X)(lambda x: x.t_())


@raises("t_ changes the shape of a tensor in a loop or branch", X)
def turns_in_a_branch(x):
    y = x + 1
    if x.sum() > 0:
        y.t_()  # here
    return y


raises(r"whose elements share memory, as expand\(\) makes them: clone\(\)", ONE)(lambda x: x.expand(3).add_(1))
raises("an argument is written whose elements share memory: pass a clone", LINE.as_strided((3, 2), (1, 1)))(
    lambda x: x.add_(1))


@raises(r"a result of max\(\) is written", X)
def writes_a_maximum(x):
    most = max(x.sum(), x.mean())
    most += 1  # here
    return most


@raises(r"a tensor is written that shares memory with a result of unfold\(\)", LINE)
def writes_under_windows(x):
    windows = x.unfold(0, 3, 1)
    x += 1  # here
    return windows


@raises(r"only a run knows whether contiguous\(\) or reshape\(\) copies: call clone\(\)", X)
def may_copy(x):
    y = x.t()[:int(x[0, 0])].reshape(-1)
    return x, y


raises("view size is not compatible", X, kind=RuntimeError)(lambda x: x.t().view(12))
raises("start_dim cannot come after end_dim", X, kind=RuntimeError)(lambda x: x.flatten(1, 0))
raises("preserve memory format is unsupported", X, kind=RuntimeError)(
    lambda x: x.t().contiguous(memory_format=torch.preserve_format))
raises("required rank 4 tensor to use channels_last", X, kind=RuntimeError)(
    lambda x: x.contiguous(memory_format=torch.channels_last))
raises("size is -1 but must be >= 0", LINE, kind=RuntimeError)(lambda x: x.unfold(0, -1, 1))
raises("maximum size for tensor at dimension 0 is 8", LINE, kind=RuntimeError)(lambda x: x.unfold(0, 9, 1))
raises("step is 0 but must be > 0", LINE, kind=RuntimeError)(lambda x: x.unfold(0, 2, 0))


# Results and arguments.

raises("a result is a string that shows the contents of a tensor", X)(lambda x: f"{x.sum()}")
raises("a result is a slice: return tensors", X)(lambda x: slice(1, 2))
raises("a result may be an argument or not", X)(lambda x: x[0] if x.sum() > 0 else x[0] + 1)
raises("expected tensors on the cpu, got one on meta", X.to("meta"), kind=tssa.Error)(lambda x: x + 1)
raises("gradients are not computed: call under torch.no_grad", torch.ones(2, requires_grad=True), kind=tssa.Error)(
    lambda x: x + 1)
raises("the argument 'z': complex numbers are not supported", X, X * 1j, line=False)(lambda x, z: x + z)
raises("arguments of different types share memory: torch.float32, torch.int32", LINE[:4], LINE.view(torch.int32)[2:6],
       line=False)(lambda x, y: x.add_(y))


@raises("a Stack among the arguments is given other elements: return a new one", type("Stack", (list,), {})([X]))
def changes_a_stack(stack):
    stack.append(X)
    return X


@raises("of a result are known inside of a loop or branch only: clone", X)
def leaves_a_branch(x):
    place = types.SimpleNamespace(inner=types.SimpleNamespace())
    if x.sum() > 0:
        LIBRARY.store(place, x[int(x[0, 0])])
    return place.inner.kept


@raises("a list is changed in a loop or branch that only a run decides about, by code that is not rewritten", X)
def sets_by_an_operator(x):
    box = [x]
    if x.sum() > 0:
        operator.setitem(box, 0, x + 1)  # here
    return box[0]


@raises("state is changed in a loop or branch that only a run decides about, by code that is not rewritten", X)
def counts_in_a_branch(x):
    if x.sum() > 0:
        x = x + sum(map(test_unseen.scaled, [x, x]))  # here
    return x


raises("the int 9223372036854775808 does not fit 64 bits: use a smaller one, or a float", torch.tensor([5]))(
    lambda x: int(x[0]) * int(x[0]) > 2**63)
raises(r"math.exp\(\) of a number that only a run knows: use torch.exp\(\) of a tensor", V)(lambda x: math.exp(float(x[0])))


@raises("a decision depends on .*; matches.. is not rewritten, as a `return`, .* is inside of `finally`, `match` or", V)
def matches(x):
    match int(x[0]):
        case 1:
            return x
        case _:
            return x * 2


def _yields(x):
    if x.sum() > 0:
        yield x


raises("a decision depends on .*; _yields.. is not rewritten, as it is a generator or a coroutine", V, line=False)(
    lambda x: list(_yields(x)))
raises("only a run knows whether a divisor is 0, for which a handler around it waits: test it", V, line=False)(
    test_handlers.suppressed)
raises("where that is not seen: call it in a loop", X, line=False)(
    lambda x: x * sorted([1.0, 2.0], key=lambda v: test_unseen.KEY(v))[0])
raises("the global name 'LAST' of numpy.library keeps a tensor or size", X)(lambda x: (LIBRARY.as_a_name(x), x)[1])


@raises("the program assigns 'data' of a tensor: write to the tensor with copy_", X, X)
def assigns_data(x, y):
    x.data = y  # here
    return x


@raises("the program stores an attribute 'scale' in a tensor: keep it in an object of your own", X)
def stores_an_attribute(x):
    x.scale = 2.0  # here
    return x + 1


@raises("the program stores an attribute 'scale' in a result: return it beside the tensor", X)
def stores_in_a_result(x):
    y = x * 2
    y.scale = 2.0
    return y


def _with_scale(x):
    x.scale = 2.0
    return x


raises("the program reads the attribute 'scale' of a tensor among its arguments: pass it", _with_scale(X.clone()), line=False)(
    lambda x: x * x.scale)


# The package.

fails("expected a function or a module, got a int", TypeError)(lambda: tssa.compile(7))
fails("a TorchScript program: give the function or module that it was made of", tssa.UnsupportedError)(
    lambda: tssa.compile(torch.jit.script(torch.nn.Identity())))


@fails("reads state that changes while it is recorded", tssa.UnsupportedError)
def never_holds():
    with unittest.mock.patch.object(_function._Recording, "match", lambda *_: None):
        tssa.compile(lambda x: x + 1)(X)


def differ(value):
    """Calls a function that gives (a tensor, 1) and checks it, but has `value` as the compiled result."""
    with unittest.mock.patch.object(_function._Recording, "run", lambda *_: value):
        tssa.compile(lambda x: (x, 1), check=True)(X)


fails(r"result is \(Tensor, int\) in eager mode, the compiled program gives Tensor")(lambda: differ(X))
fails("result 1 is 2, but 1 in eager mode")(lambda: differ((X, 2)))
fails("result 0 differs from eager mode")(lambda: differ((X + 1, 1)))


@fails("gives the default type torch.float64: make torch.float32", tssa.UnsupportedError)
def divides_integers():
    torch.set_default_dtype(torch.float64)
    try:
        tssa.compile(lambda x: x / 2)(torch.arange(3))
    finally:
        torch.set_default_dtype(torch.float32)


class Adds(torch.nn.Module):
    def forward(self, x, k: int):
        return x.add_(k)


def exported(*arguments):
    program = torch.export.export(Adds(), (X.clone(), 2))
    tssa.compile(program)(*arguments)


fails(r"expected the arguments \(\(Tensor, int\), \{\}\), got \(\(Tensor,\), \{\}\)", TypeError)(lambda: exported(X))
fails("the program was exported for 2, got 3", ValueError)(lambda: exported(X, 3))
fails(r"argument 0 has the sizes \[4, 3\], expected \[3, 4\]")(lambda: exported(X.t().contiguous(), 2))
fails("argument 0 is written or returned, and was recorded with other strides")(
    lambda: exported(torch.ones(4, 3).t(), 2))

# Workers on Ray.

fails("expected an object of numbers such as .*, got '3'", kind=argparse.ArgumentTypeError)(
    lambda: tune.read_resources("3"))


class Maps(torch.nn.Module):
    def forward(self, x):
        return map_rows(lambda row: row + 1, x)


@fails(r"test_raises.py:\d+: map_impl is not supported", tssa.UnsupportedError)
def compiles_an_exported_map():
    tssa.compile(torch.export.export(Maps(), (X,)))


@contextlib.contextmanager
def model(operator, cache="0"):
    """Yields the path of an ONNX model in a folder that has a cache, too."""
    with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(
            os.environ, {"TSSA_CACHE": cache, "XDG_CACHE_HOME": folder}):
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(make_model(operator))
        yield path


@fails("NoSuchOperator", tssa.UnsupportedError)
def opens_an_unknown_operator():
    with model("NoSuchOperator", cache="1") as path:
        tssa.Session(path)


@fails("cuda")
def opens_on_a_missing_device():
    with model("Neg") as path:
        tssa.Session(path, device="cuda:0")


@fails("verify is True or False, got 1", TypeError)
def opens_with_a_number_for_verify():
    tssa.Session("model.so", verify=1)


@fails(r"expected the inputs \['x'\], got \['y'\]")
def runs_with_another_input():
    with model("Neg") as path:
        tssa.Session(path).run(None, {"y": numpy.ones(3, numpy.float32)})


@fails(r"the model has no output 'z', only \['y'\]")
def asks_for_another_output():
    with model("Neg") as path:
        tssa.Session(path).run(["z"], {"x": numpy.ones(3, numpy.float32)})


@fails("compilation took longer than 0.001 s")
def takes_long():
    with model("Neg") as path:
        _tool.compile_file(path, path + ".so", "cpu", timeout=0.001)


@fails("tssa-compile is not found: set TSSA_COMPILE to its path")
def has_no_compiler():
    with unittest.mock.patch.dict(os.environ, TSSA_COMPILE="/nowhere", PATH="/nowhere"), unittest.mock.patch.object(
            _package, "TSSA_COMPILE", ""):
        _package.find_tool()


class Tests(unittest.TestCase):
    def setUp(self):
        self.raised = set()

    def trace(self, frame, event, argument):
        """Notes the lines of the package that raise."""
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_lines = False
        return self.note

    def note(self, frame, event, argument):
        if event == "exception":
            self.raised.add((os.path.basename(frame.f_code.co_filename), frame.f_lineno))
        return self.note

    @contextlib.contextmanager
    def tracing(self):
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(None)

    def tearDown(self):
        torch._dynamo.reset()  # scan() and map() leave compiled functions behind

    def test_each_place(self):
        for program, arguments, text, kind, options in PROGRAMS:
            with self.subTest(text):
                self.run_program(program, arguments, text, kind, **options)
        for function, text, kind in CALLS + session_errors.CASES:
            with self.subTest(text):
                with self.assertRaisesRegex(kind, text) as caught, self.tracing():
                    function()
                self.check_message(caught.exception)
        self.check_places()

    def check_message(self, error):
        self.assertNotRegex(str(error), HIDDEN)

    def run_program(self, program, arguments, text, kind, line=True, **compiling):
        given = copy.deepcopy(arguments) if line else arguments
        with self.assertRaisesRegex(kind, text) as caught, self.tracing():
            tssa.compile(program, **compiling)(*given)
        error = caught.exception
        self.check_message(error)
        for had, has in zip(flatten(list(arguments)), flatten(list(given)), strict=True):
            if isinstance(had, torch.Tensor):
                self.assertTrue(had.shape == has.shape and had.stride() == has.stride(), "the arguments are changed")
                self.assertTrue(had.is_meta or torch.equal(had, has), "the arguments are changed")
        if isinstance(error, tssa.UnsupportedError) and line:
            lines, first = inspect.getsourcelines(program)
            marked = [first + i for i, code in enumerate(lines) if HERE in code]
            for problem in error.problems:
                found = re.match(r"(.*):(\d+): ", problem)
                self.assertTrue(found, f"{problem} has no line")
                self.assertEqual(found[1], inspect.getsourcefile(program), problem)
                self.assertIn(int(found[2]), marked or range(first, first + len(lines)), problem)

    def check_places(self):
        places, missing, unused = find_places(), [], set(UNREACHED)
        for (file, first, last), text in places.items():
            is_reached = any((file, line) in self.raised for line in range(first, last + 1))
            excused = {key for key in UNREACHED if key[0] == file and key[1] in text}
            if not is_reached:
                unused -= excused
            if not is_reached and not excused:
                missing.append(f"{file}:{first}: {text}")
        print(f"{len(places)} places raise, {len(UNREACHED)} of them are not reached")
        self.assertFalse(missing, "no case reaches:\n" + "\n".join(missing))
        self.assertFalse(unused, "UNREACHED has what is reached, or is no place")


def find_places():
    """Returns {(file, first line, last line): code} of the statements that raise for a user."""
    found = {}
    for path in sorted(glob.glob(os.path.join(PACKAGE, "*.py"))):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and node.exc is not None:
                made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                if not (isinstance(made, ast.Name) and made.id in INTERNAL):
                    found[os.path.basename(path), node.lineno, node.end_lineno] = ast.unparse(node)
    return found


if __name__ == "__main__":
    unittest.main()
