# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs that store tensors through code that is not rewritten: each is refused, the holder named, and emptied of them."""

import gc
import importlib.util
import operator
import os
import threading
import types
import unittest
import unittest.mock

import numpy
import torch

import tssa
from tssa import _function, _leaks

X = torch.arange(1.0, 4.0)


def load_library():
    """Loads library.py as a part of a package that counts as none of the program."""
    spec = importlib.util.spec_from_file_location("numpy.library", os.path.join(os.path.dirname(__file__), "library.py"))
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


LIBRARY = load_library()
KEEPERS = {name: value for name, value in vars(LIBRARY).items()
           if isinstance(value, types.FunctionType) and value.__module__ == "numpy.library" and value.__code__.co_argcount == 1
           and name != "copy_of"}


class Leaks(unittest.TestCase):
    def check(self, keep, dynamic=None):
        def program(x):
            y = x * 2
            keep(y)
            return y + 1

        had = LIBRARY.state()
        with self.assertRaises(tssa.UnsupportedError) as caught:
            tssa.compile(program, dynamic=dynamic)(X)
        self.assertIn(f": {keep.__doc__} keeps a tensor or size", str(caught.exception))
        self.assertRegex(str(caught.exception), r"test_leaks.py:\d+: ")
        self.assertEqual(LIBRARY.state(), had)

    def test_programs(self):
        for name, keep in KEEPERS.items():
            for dynamic in (None, True):
                with self.subTest(name, dynamic=dynamic):
                    self.check(keep, dynamic)

    def test_after_an_error(self):
        def program(x):
            LIBRARY.in_a_list(x)
            raise KeyError("the program's own")

        with self.assertRaisesRegex(KeyError, "the program's own"):
            tssa.compile(program)(X)
        self.assertEqual(LIBRARY.HISTORY, [1.0])

    def test_what_the_collector_does_not_see(self):
        """The collector does not ask a numpy array of objects."""
        LIBRARY.array = numpy.empty(1, dtype=object)

        def program(x):
            operator.setitem(LIBRARY.array, 0, x * 2)
            return x + 1

        with self.assertRaisesRegex(tssa.UnsupportedError, "something that Python's collector does not see keeps a tensor"):
            tssa.compile(program)(X)
        del LIBRARY.array

    def test_objects_that_were_frozen(self):
        gc.freeze()
        self.check(LIBRARY.in_a_list)
        self.assertGreater(gc.get_freeze_count(), 0)
        gc.unfreeze()

    def test_threads(self):
        """Programs that several threads record at once are told apart."""
        def make(number):
            def program(x):
                for k in range(12):
                    x = x * 2 + k + number
                return x

            return program

        found = [None] * 6

        def work(number):
            program = make(number)
            found[number] = torch.equal(tssa.compile(program)(X), program(X))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * len(found))

    def test_what_goes_on(self):
        """What a program keeps in its own objects is gone with them, and needs no search."""
        def program(x):
            kept = []
            list(map(kept.append, [x, x.shape]))
            return kept[0] + 1

        with unittest.mock.patch.object(_leaks, "_find_holders", side_effect=AssertionError):
            self.assertTrue(torch.equal(tssa.compile(program, dynamic=True)(X), X + 1))
        self.assertEqual(gc.get_freeze_count(), 0)

    def test_what_a_recording_has(self):
        """A recording that is kept has no fake tensors, and its own attributes are no holders."""
        def program(x):
            for k in range(x.size(0) + 8):
                if x.sum() > k:
                    return x, x * k
            return x, x + 1

        class Recording(_function._Recording):
            def __init__(self, *arguments):
                vars(self)  # its attributes are in a dict
                super().__init__(*arguments)

        with unittest.mock.patch.object(_function, "_Recording", Recording):
            with unittest.mock.patch.object(_leaks, "_find_holders", side_effect=AssertionError):
                compiled = tssa.compile(program)
                compiled(X)
        Recording.__module__ = "tssa.test"
        self.assertEqual([_leaks._is_holder(vars(one)) for (one,) in compiled._recordings.values()], [False])


if __name__ == "__main__":
    unittest.main()
