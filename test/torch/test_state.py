# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Stories: calls of a program in sequence, while somebody changes what it reads. Each is told twice, in eager mode and compiled.

A story gets `compiled`, which returns its argument in eager mode, and returns all that can be seen: results and objects.
"""

import array
import collections
import copy
import dataclasses
import enum
import fractions
import functools
import gc
import pickle
import types
import unittest
import unittest.mock
import weakref

import numpy
import torch

import state_programs
import state_stories
import tssa

X = torch.arange(1.0, 4.0)
STORIES = {}
PLACE = types.SimpleNamespace(scale=2.0, total=torch.zeros(3), name="a", items=[1.0, 2.0])


def story(function):
    STORIES[function.__name__] = function
    return function


@dataclasses.dataclass(slots=True)
class Filter:
    mean: torch.Tensor
    gain: float
    steps: int = 0

    def update(self, x):
        self.steps += 1
        self.mean = self.mean + self.gain * (x - self.mean)
        return self.mean * self.steps


class Point:
    def __init__(self, x):
        self.x = x


class Tracker:
    rate = 0.5  # of the class

    def __init__(self):
        self.total, self.steps, self.last, self.names = torch.zeros(3), 0, None, ["a"]

    @property
    def share(self):
        return self.rate * self.steps

    def step(self, x):
        self.steps += 1
        self.total = self.total + x * self.share
        self.last = "even" if self.steps % 2 == 0 else "odd"
        return self.total

    __call__ = step

    def peek(self, x):
        return x * self.rate + len(self.names)


@story
def a_bound_method(compiled):
    tracker = Tracker()
    step, seen = compiled(tracker.step), []
    for i in range(5):
        seen += [step(X * i), tracker.steps, tracker.last]
    tracker.steps = 10
    return seen, step(X), vars(tracker)


@story
def a_callable_object(compiled):
    tracker = Tracker()
    step = compiled(tracker)
    return [step(X), step(X), step(X)], vars(tracker)


@story
def an_attribute_of_a_class(compiled):
    tracker = Tracker()
    peek = compiled(tracker.peek)
    seen = [peek(X)]
    Tracker.rate = 3.0
    seen.append(peek(X))
    tracker.rate = 5.0
    seen.append(peek(X))
    Tracker.rate = 0.5
    tracker.names.append("b")
    return [*seen, peek(X)]


@story
def a_partial(compiled):
    settings = {"k": 2.0}
    scaled = compiled(functools.partial(lambda settings, x, more: x * settings["k"] + more, settings, more=1.0))
    seen = [scaled(X)]
    settings["k"] = 3.0
    return [*seen, scaled(X)], settings


@story
def slots(compiled):
    kept = Filter(torch.zeros(3), 0.5)
    update = compiled(kept.update)
    seen = [update(X) for _ in range(4)]
    kept.gain = 0.25
    return [*seen, update(X)], dataclasses.astuple(kept)


@story
def slots_among_the_arguments(compiled):
    kept = Filter(torch.zeros(3), 0.5)
    update = compiled(lambda kept, x: kept.update(x))
    return [update(kept, X), update(kept, X)], dataclasses.astuple(kept)


@story
def a_deep_place(compiled):
    place = types.SimpleNamespace
    root = place(a=place(b=place(c=place(d=place(e=place(f=place(scale=2.0, last=None)))))))

    def program(x):
        inner = root.a.b.c.d.e.f
        inner.last = x * inner.scale
        return inner.last + 1

    run = compiled(program)
    seen = [run(X)]
    root.a.b.c.d.e.f.scale = 5.0
    return [*seen, run(X)], root.a.b.c.d.e.f.last


@story
def a_package_whose_name_begins_with_torch(compiled):
    kind = type("Scale", (), {"__module__": "torch_utils", "apply": lambda self, x: x * self.k})
    scale = kind()
    scale.k = 2.0
    run = compiled(lambda x: scale.apply(x))
    seen = [run(X)]
    scale.k = 7.0
    return [*seen, run(X)]


@story
def a_global_object(compiled):
    def program(x):
        PLACE.total = PLACE.total + x * PLACE.scale
        PLACE.name += "b"
        return PLACE.total

    run = compiled(program)
    PLACE.total, PLACE.name, PLACE.scale = torch.zeros(3), "a", 2.0
    seen = [run(X), run(X)]
    PLACE.scale = 3.0
    return [*seen, run(X)], PLACE.total, PLACE.name


@story
def a_list(compiled):
    kept = [1.0]

    def program(x):
        kept.append(kept[-1] * 2)
        return x * len(kept) + kept[-1]

    run = compiled(program)
    return [run(X), run(X), run(X)], kept


@story
def a_list_of_tensors(compiled):
    kept = []

    def program(x):
        kept.append(x * 2)
        return torch.stack(kept).sum(0)

    run = compiled(program)
    return [run(X), run(X), run(X)], kept


@story
def a_deque(compiled):
    kept = collections.deque([torch.zeros(3)], maxlen=2)

    def program(x):
        kept.append(x + kept[-1])
        return sum(kept)

    run = compiled(program)
    return [run(X), run(X), run(X), run(X)], list(kept), kept.maxlen


@story
def a_set(compiled):
    kept = set()

    def program(x, n):
        kept.add(n)
        return x * len(kept)

    run = compiled(program)
    return [run(X, "a"), run(X, "b"), run(X, "a")], sorted(kept)


@story
def a_dict(compiled):
    kept = {}

    def program(x):
        kept["n"] = kept.get("n", 0) + 1
        kept["last"] = x * kept["n"]
        return kept["last"] + 1

    run = compiled(program)
    return [run(X), run(X), run(X), run(X)], kept


@story
def a_name_around(compiled):
    count = 0

    def program(x):
        nonlocal count
        count += 1
        return x * count

    run = compiled(program)
    return [run(X), run(X), run(X)], count


@story
def defaults(compiled):
    def program(x, seen=[], k=2.0):  # pylint: disable=dangerous-default-value
        seen.append(x.sum())
        return torch.stack(seen).sum() * k

    run = compiled(program)
    seen = [run(X), run(X)]
    program.__defaults__ = (program.__defaults__[0], 5.0)
    return [*seen, run(X)], program.__defaults__[0]


@story
def attributes_of_a_function(compiled):
    def program(x):
        program.calls += 1
        return x * program.calls

    program.calls = 0
    run = compiled(program)
    return [run(X), run(X), run(X)], program.calls


@story
def a_function_that_remembers(compiled):
    @functools.lru_cache(maxsize=None)
    def positions(count):
        return torch.arange(count) * 0.5

    run = compiled(lambda x: x + positions(x.size(0)))
    return [run(X), run(X[:2])], positions(3), positions(2)


@story
def hooks_that_keep_and_count(compiled):
    model, kept, calls = torch.nn.Sequential(torch.nn.Identity(), torch.nn.ReLU()).eval(), {}, {"n": 0}

    def hook(module, inputs, output):
        calls["n"] += 1
        kept[type(module).__name__] = output

    for inner in model:
        inner.register_forward_hook(hook)
    run = compiled(model)
    return [run(X), run(-X), run(X * 2)], kept, calls


@story
def hooks_that_change(compiled):
    model = torch.nn.Sequential(torch.nn.Identity()).eval()
    first = model[0].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    model[0].register_forward_hook(lambda module, args, kwargs, output: output * 3, with_kwargs=True)
    run = compiled(model)
    seen = [run(X)]
    first.remove()
    return [*seen, run(X)]


@story
def hooks_of_all_modules(compiled):
    model = torch.nn.Sequential(torch.nn.Identity()).eval()
    run = compiled(model)
    seen = [run(X)]
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, args, output: output + 10)
    seen.append(run(X))
    handle.remove()
    return [*seen, run(X)]


@story
def a_counter_in_a_module(compiled):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step, self.moving, self.mode = 0, 1.0, "a"

        def forward(self, x):
            self.step += 1
            self.moving = self.moving * 0.5
            self.mode = "b" if self.step > 1 else self.mode
            return x * self.step + self.moving

    model = Counting().eval()
    run = compiled(model)
    return [run(X) for _ in range(6)], model.step, model.moving, model.mode


@story
def numbers_of_numpy(compiled):
    run = compiled(lambda x, k: x * k)
    return [run(X, kind(i)) for kind in (numpy.float64, numpy.int64, numpy.float32) for i in range(4)]


@story
def numbers_by_value(compiled):
    class Level(enum.IntEnum):
        LOW, HIGH = 1, 5

    run = compiled(lambda x, k: x * float(k))
    return [run(X, fractions.Fraction(i, 3)) for i in range(3)], [run(X, level) for level in Level]


@story
def arrays_of_numpy(compiled):
    table, weights = numpy.linspace(0.0, 1.0, 9), numpy.array([1.0, 2.0, 3.0])
    look = compiled(lambda i: torch.from_numpy(table)[i] * 2)
    mean = compiled(lambda x: x * float(weights.mean()) + weights[1])
    large = numpy.zeros(1 << 18)
    words = numpy.array(["a" * 1000] * 1000)
    first = compiled(lambda x: x + float(large[0]) + large.nbytes + len(words[0]))
    places = torch.tensor([1, 3])
    seen = [look(places), mean(X), first(X)]
    table[3], weights[:], large[:] = 7.0, 10.0, 5.0
    return [*seen, look(places), mean(X), first(X)]


@story
def an_array_of_its_own(compiled):
    def program(x):
        made = numpy.zeros(3)
        made[1] = len(x)
        return x + torch.from_numpy(made).float()

    run = compiled(program)
    return run(X), run(X * 2)


@story
def attributes_that_code_finds(compiled):
    class Settings(dict):
        def __getattr__(self, name):
            return self[name] if name in self else [name]

    settings = Settings(k=2.0)
    run = compiled(lambda x: x * settings.k + len(settings.other[0]))
    seen = [run(X)]
    settings["k"] = 3.0
    return [*seen, run(X)]


@story
def slices(compiled):
    run = compiled(lambda x, part: x[part] * 2)
    return [run(X, slice(0, 2)), run(X, slice(1, 3)), run(X, slice(None, None, 2))]


@story
def functions_that_are_made_again(compiled):
    run = compiled(lambda x, f: f(x))
    return [run(X, lambda t, i=i: t * i) for i in range(4)], [run(X, lambda t, *, i=i: t * i) for i in range(4)]


@story
def a_dict_with_a_slot(compiled):
    class Settings(dict):
        __slots__ = ("scale",)

    settings = Settings(k=2.0)
    settings.scale = 1.0
    run = compiled(lambda x: x * settings.scale + settings["k"])
    seen = [run(X)]
    settings.scale = 3.0
    seen.append(run(X))
    settings["k"] = 5.0
    return [*seen, run(X)]


@story
def handlers(compiled):
    def program(x, table):
        try:
            return table["k"] * x
        except KeyError as error:
            return x + len(error.args)

    run = compiled(program)
    return run(X, {}), run(X, {"k": 3.0})


@story
def a_fresh_object_is_no_state(compiled):
    def program(x):
        tracker = Tracker()
        tracker.names.append("c")
        tracker.step(x)
        return tracker.step(x), tracker.steps, tracker.names

    run = compiled(program)
    return run(X), run(X * 2)


@story
def what_a_call_makes_is_no_state(compiled):
    def program(x, text):
        parts = text.split()
        parts.append("d")
        kept = dataclasses.replace(Filter(x, 0.5), gain=2.0)
        kept.steps += len(parts)
        return kept.update(x), parts

    run = compiled(program)
    return run(X, "a b"), run(X, "a b c")


@story
def patched_functions(compiled):
    """Methods of classes and of instances, also of PyTorch's modules, and functions of modules."""
    class Base:
        rate = 2.0

        def scale(self, x):
            return x * self.rate

    class Derived(Base):
        pass

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            torch.nn.init.constant_(self.linear.weight, 0.5)
            torch.nn.init.zeros_(self.linear.bias)

        def forward(self, x):
            return torch.nn.functional.relu(self.linear(x)) + torch.sin(x)

    one, layer = Derived(), Layer().eval().requires_grad_(False)
    run, seen = compiled(lambda x: one.scale(layer(x))), []
    patches = [(Derived, "rate", 3.0), (Base, "scale", lambda self, x: x + 100), (one, "scale", lambda x: x - 1),
               (torch.nn.functional, "relu", torch.neg), (torch.nn.Linear, "forward", lambda self, x: x * 7),
               (torch, "sin", torch.cos), (layer, "forward", lambda x: x + 5), (Layer, "forward", lambda self, x: x)]
    for owner, name, value in patches:
        seen.append(run(X))
        with unittest.mock.patch.object(owner, name, value):
            seen.append(run(X))
    return seen, run(X)


@story
def objects_stay_the_same(compiled):
    tracker, items = Tracker(), [1.0]
    place = {"a": items, "tracker": tracker, "slots": Filter(X, 0.5)}

    def change(x):
        items.append(2.5)
        place["b"] = x * 2
        tracker.steps += 1
        return x, place, tracker

    def give(x):
        return items, place["slots"], place["tracker"], [items, x], Point(x)

    changed, given, seen = compiled(change), compiled(give), []
    for _ in range(3):
        _, found, same = changed(X)
        parts, slots, other, (inner, _), new = given(X)
        seen += [found is place, same is tracker, parts is items, slots is place["slots"], other is tracker, inner is items,
                 place["a"] is items, type(new), len(items), tracker.steps]
    return seen


@story
def attributes_of_a_parameter(compiled):
    weight = torch.nn.Parameter(X.clone(), requires_grad=False)
    weight.scale, weight.count = 2.0, 0

    def program(x):
        weight.count += 1
        return x * weight.scale if hasattr(weight, "scale") else x + weight.count

    run = compiled(program)
    seen = [run(X), run(X * 2), weight.count]
    weight.scale = 3.0
    seen += [run(X), weight.count]
    del weight.scale
    return seen, run(X), run(X), vars(weight)


@story
def attributes_of_tensors_that_the_program_makes(compiled):
    def program(x):
        y = x * 2
        y.factor, y.requires_grad = 3.0, False
        return y * y.factor + (1 if hasattr(y, "other") or hasattr(x, "other") else 0)

    run = compiled(program)
    return run(X), run(X * 2)


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.step = torch.nn.Linear(3, 3), 0
        torch.nn.init.constant_(self.linear.weight, 0.5)
        torch.nn.init.zeros_(self.linear.bias)

    @property
    def is_new(self):
        return self.step == 0

    def forward(self, x):
        self.step += 1
        return self.linear(x) if self.training else self.linear(x) * 2


@story
def a_compiled_module_is_a_module(compiled):
    model = Counting().eval()
    run = compiled(model)
    with torch.no_grad():
        seen = [run(X), run.step, run.is_new, run.training, sorted(run.state_dict()), isinstance(run, Counting)]
        run.train()
        seen += [run(X), model.training, run.step, model.step]
        run.eval()
        run.linear.weight.mul_(2.0)
        seen += [run(X), len(list(run.parameters())), [name for name, _ in run.named_modules()]]
        run.load_state_dict({"linear.weight": torch.ones(3, 3), "linear.bias": torch.zeros(3)})
        run.step = 10
        return [*seen, run(X), model.step]


@story
def a_compiled_module_is_a_child(compiled):
    parent = torch.nn.Sequential(compiled(Counting().eval()), torch.nn.ReLU()).eval()
    run = compiled(parent)
    with torch.no_grad():
        return parent(X), run(X), run(X), parent[0].step, sorted(parent.state_dict()), len(torch.nn.ModuleList([parent[0]]))


#: Stories that cannot be told compiled, and the reason that is given.
REFUSED = {}


def refused(text):
    def add(function):
        STORIES[function.__name__] = function
        REFUSED[function.__name__] = text
        return function

    return add


@refused("an iterator from outside of the program gives other values")
def an_iterator(compiled):
    numbers = iter([1.0, 2.0, 3.0])
    run = compiled(lambda x: x * next(numbers))
    return run(X), run(X)


@refused("numpy.random.uniform may give another value at each call")
def random_numbers_of_numpy(compiled):
    return compiled(lambda x: x * numpy.random.uniform(1.0, 1.0))(X)


@refused("the index into a list must be known")
def refusals_are_not_caught(compiled):
    def program(x, names):
        try:
            return names[int(x.argmax())]
        except RuntimeError:
            return "none"

    return compiled(program)(X, ["a", "b", "c"])


def flatten(value):
    """Returns the tensors and plain values in a value, in order."""
    if isinstance(value, dict):
        return [part for key, inner in value.items() for part in (key, *flatten(inner))]
    if isinstance(value, (list, tuple, collections.deque, array.array)):
        return [part for inner in value for part in flatten(inner)]
    return [value]


class Stories(unittest.TestCase):
    def test_stories(self):
        for name, tell in STORIES.items():
            if name in REFUSED:
                continue
            with self.subTest(name):
                want, got = flatten(tell(lambda program: program)), flatten(tell(tssa.compile))
                self.assertEqual(len(got), len(want), (got, want))
                for left, right in zip(got, want):
                    self.assertIs(type(left), type(right), (got, want))
                    if isinstance(right, torch.Tensor):
                        torch.testing.assert_close(left, right)
                    else:
                        self.assertEqual(left, right, (got, want))

    def test_refusals(self):
        for name, text in REFUSED.items():
            with self.subTest(name):
                STORIES[name](lambda program: program)
                with self.assertRaisesRegex(tssa.UnsupportedError, text):
                    STORIES[name](tssa.compile)

    def test_generated_stories(self):
        wrong, refused = state_stories.tell(50, seed=1)
        self.assertEqual((wrong, refused), ([], []), "\n".join(wrong + refused))

    def test_what_is_not_read_needs_no_binary(self):
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.epoch, self.seen = torch.nn.Linear(3, 3), 0, {"steps": 0}

            def forward(self, x):
                return self.linear(x)

        layer, place = Layer().eval(), types.SimpleNamespace(scale=2.0, epoch=0, log=[], inner=types.SimpleNamespace(step=0))
        trainer = types.SimpleNamespace(layer=layer, step=0)
        compiled = tssa.compile(lambda x: trainer.layer(x) * place.scale)
        with torch.no_grad():
            for i in range(4):
                layer.epoch = place.epoch = place.inner.step = trainer.step = layer.seen["steps"] = i
                place.log.append(i)
                torch.testing.assert_close(compiled(X), layer(X) * 2.0)
        self.assertEqual(compiled.num_binaries, 1)

    def test_objects_that_pass_are_dropped(self):
        def program(x, function):
            return function(x)

        compiled, kept = tssa.compile(program), []
        for i in range(40):
            weight = torch.full((3,), float(i))
            kept.append(weakref.ref(weight))
            self.assertTrue(torch.equal(compiled(X, lambda x, weight=weight: x * weight), X * i))
        del weight
        gc.collect()
        self.assertLessEqual(sum(ref() is not None for ref in kept), 17)
        self.assertLessEqual(compiled.num_binaries, 17)

    def test_random_programs(self):
        wrong, refused = state_programs.tell(40, seed=0)
        self.assertEqual((wrong, refused), ([], []), "\n".join(wrong + refused))

    def test_copies_of_a_compiled_module(self):
        model = tssa.compile(Counting().eval())
        with torch.no_grad():
            want = model(X)
            for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
                self.assertIsInstance(made, Counting)
                torch.testing.assert_close(made(X), want)
                self.assertEqual((made.step, model.step), (2, 1))
                self.assertEqual(made.num_binaries, 1)
            self.assertIs(type(model.compiled_program), Counting)

    def test_a_counter_needs_few_binaries(self):
        tracker = Tracker()
        step = tssa.compile(tracker.step)
        for _ in range(20):
            step(X)
        self.assertEqual(tracker.steps, 20)
        self.assertLessEqual(step.num_binaries, 4)


if __name__ == "__main__":
    unittest.main()
