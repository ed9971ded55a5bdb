# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The stubs of the package: they say what it has, and type checkers accept and refuse programs by them."""

import ast
import inspect
import os
import re
import subprocess
import sys
import unittest

import tssa

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "package", "typing")


def list_parameters(function):
    """The names of the parameters of a function in a stub, in order; those that only take names last, and none for a class."""
    arguments = function.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    return names[any(isinstance(each, ast.Name) and each.id == "classmethod" for each in function.decorator_list):]


class Tests(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(os.path.dirname(tssa.__file__), "__init__.pyi"), encoding="utf-8") as file:
            self.stub = ast.parse(file.read())

    def test_names(self):
        named = {node.name for node in self.stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        named |= {alias.asname for node in self.stub.body if isinstance(node, ast.ImportFrom) and node.level for alias in node.names}
        self.assertEqual({name for name in named if not name.startswith("_")}, set(tssa.__all__))
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(tssa.__file__), "py.typed")))

    def check_parameters(self, found, node):
        names = [name for name, parameter in inspect.signature(found).parameters.items()
                 if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]
        self.assertEqual(list_parameters(node), names, node.name)

    def test_parameters(self):
        checked = 0
        for node in self.stub.body:
            if isinstance(node, ast.FunctionDef):
                self.check_parameters(getattr(tssa, node.name), node)
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name != "__exit__":
                    self.check_parameters(getattr(getattr(tssa, node.name), method.name), method)
                    checked += 1
        self.assertGreater(checked, 20)

    def test_options(self):
        for kind in (tssa.SessionOptions, tssa.RunOptions):
            node = next(node for node in self.stub.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)
            named = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]
            self.assertEqual(set(named), {name for name in vars(kind()) if not name.startswith("_")})

    def check_types(self, name):
        """Runs mypy; returns the lines in which it finds errors."""
        run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, name], cwd=HERE,
                             capture_output=True, text=True, check=False)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return {int(line) for line in re.findall(rf"^{name}:(\d+): error", run.stdout, re.MULTILINE)}, run.stdout

    def test_type_checker(self):
        try:
            import mypy
        except ModuleNotFoundError:
            self.skipTest("mypy is not installed")
        self.assertTrue(mypy)
        lines, output = self.check_types("programs.py")
        self.assertFalse(lines, output)
        with open(os.path.join(HERE, "mistakes.py"), encoding="utf-8") as file:
            wanted = {number for number, line in enumerate(file, 1) if line.rstrip().endswith("# error")}
        lines, output = self.check_types("mistakes.py")
        self.assertEqual(lines, wanted, output)


if __name__ == "__main__":
    unittest.main()
