# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds the writes of a program that TorchScript loses.

TorchScript makes a new tensor of `x |= y` on tensors, and of `&=`, `^=` and `**=`. What has become
of such a statement is an operator in the graph, which the graph's writer turns back into a write,
or nothing at all. (`**=` on ints gives a float.) And TorchScript removes writes that it takes for
dead: it overlooks that a loop may run no time, so that what comes out of it may be what went in. So
in functions with one of both every write of the source must be found in the graph; one that is not
is refused with its line.

The sources are those of all functions and methods that TorchScript compiled, where they are known.
"""

import ast
import inspect
import re
import textwrap

import torch

from ._errors import UnsupportedError

# Augmented assignments that are no writes in TorchScript, and the method that is one.
_LOST = {ast.BitOr: "bitwise_or_", ast.BitAnd: "bitwise_and_", ast.BitXor: "bitwise_xor_",
         ast.Pow: "pow_"}
# What TorchScript makes of them on tensors, and the operator that writes.
_IN_PLACE = {f"aten::bitwise_{name}.{overload}": f"aten::bitwise_{name}_.{overload}"
             for name in ("or", "and", "xor") for overload in ("Tensor", "Scalar")}
_IN_PLACE["aten::pow.Tensor_Scalar"] = "aten::pow_.Scalar"
_IN_PLACE["aten::pow.Tensor_Tensor"] = "aten::pow_.Tensor"

# What TorchScript makes of them on numbers.
_ON_NUMBERS = ("aten::__or__", "aten::__and__", "aten::__xor__", "aten::pow")

_LIST_METHODS = ("append", "clear", "extend", "insert", "pop", "remove")
_NUMBERS = ("bool", "float", "int")
_NUMBER_METHODS = ("dim", "item", "numel", "stride")
_NUMBER_FUNCTIONS = (*_NUMBERS, "len")
_PLACE = re.compile(r" # (.+):(\d+):(\d+)$")


def find_place(node):
    """The file, line and column where a node's source begins, or None."""
    match = _PLACE.search(str(node).split("\n", 1)[0].rstrip())
    return (match.group(1), int(match.group(2)), int(match.group(3))) if match else None


def find_operator(node):
    schema = node.schema()
    return node.kind() if schema == "(no schema)" else schema.split("(", 1)[0]


def make_in_place(operator):
    """The operator that writes what this one computes for an augmented assignment."""
    return _IN_PLACE.get(operator, operator)


def check(scripted):
    """Raises UnsupportedError for lost writes. Gives the places of nodes to make in-place."""
    problems, places = [], set()
    for function, graph in _find_sources(scripted):
        source = _Source.read(function)
        if source is not None:
            problem_lines, found = _FunctionCheck(source, graph).run()
            problems += problem_lines
            places |= found
    if problems:
        raise UnsupportedError(problems)
    return places


def _walk(block):
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _walk(inner)


def _find_sources(scripted):
    """(Python function, graph) of what was compiled for a scripted function or module."""
    names = {name: function for function, name in torch.jit._state._jit_caching_layer.items()}
    todo, seen = [], set()
    if isinstance(scripted, torch.jit.ScriptModule):
        for module in scripted.modules():
            if isinstance(module, torch.jit.TracedModule):
                continue
            written = getattr(getattr(module, "_concrete_type", None), "py_class", None)
            for name in module._c._method_names():
                function = getattr(written, name, None) if written else None
                todo.append((function, module._c._get_method(name).graph))
    else:
        todo.append((names.get(scripted.qualified_name), scripted.graph))
    while todo:
        function, graph = todo.pop()
        if function is not None:
            yield function, graph
        for node in _walk(graph):
            if node.kind() != "prim::CallFunction":
                continue
            name = node.inputsAt(0).type().annotation_str
            if name not in seen:
                seen.add(name)
                called = torch.jit._state._python_cu.find_function(name)
                todo.append((names.get(name), called.graph))


class _Source:
    """The syntax tree of a function, its lines and columns those of the file."""

    def __init__(self, file, tree):
        self.file = file
        self.tree = tree

    @staticmethod
    def read(function):
        """None where there is no source."""
        try:
            lines, first = inspect.getsourcelines(function)
            file = inspect.getsourcefile(function)
            text = textwrap.dedent("".join(lines))
            tree = ast.parse(text).body[0]
        except (OSError, TypeError, SyntaxError, IndexError):
            return None
        if not isinstance(tree, ast.FunctionDef):
            return None
        indent = len(lines[0]) - len(lines[0].lstrip())
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                node.lineno += first - 1
                node.end_lineno += first - 1
                node.col_offset += indent
                node.end_col_offset += indent
        return _Source(file, tree)


class _Numbers:
    """Which names are numbers, wherever a function binds them."""

    def __init__(self, tree):
        self._bound = {}  # name: what it is bound to; None for what is no number
        self._collect(tree)
        self._names = set(self._bound)
        while True:
            wrong = {name for name in self._names
                     if not all(self.is_number(value) for value in self._bound[name])}
            if not wrong:
                break
            self._names -= wrong

    def _collect(self, tree):
        for argument in (*tree.args.args, *tree.args.kwonlyargs):
            known = argument.annotation is not None and ast.unparse(argument.annotation) in _NUMBERS
            self._bind(argument.arg, ast.Constant(0) if known else None)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind_target(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
                self._bind_target(node.target, node.value)
            elif isinstance(node, ast.For):
                is_range = (isinstance(node.iter, ast.Call) and
                            ast.unparse(node.iter.func) == "range")
                self._bind_target(node.target, ast.Constant(0) if is_range else None)

    def _bind(self, name, value):
        self._bound.setdefault(name, []).append(value)

    def _bind_target(self, target, value):
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = [None] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts):
                parts = value.elts
            elif value is not None and self._is_shape(value):
                parts = [ast.Constant(0)] * len(parts)
            for element, part in zip(target.elts, parts):
                self._bind_target(element, part)

    @staticmethod
    def _is_shape(value):
        """x.shape and x.size()"""
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Attribute) and value.func.attr == "size"
        return isinstance(value, ast.Attribute) and value.attr == "shape"

    def is_number(self, value):
        if isinstance(value, ast.Constant):
            return isinstance(value.value, (bool, int, float))
        if isinstance(value, ast.Name):
            return value.id in self._names
        if isinstance(value, ast.BinOp):
            return self.is_number(value.left) and self.is_number(value.right)
        if isinstance(value, ast.UnaryOp):
            return isinstance(value.op, ast.Not) or self.is_number(value.operand)
        if isinstance(value, ast.BoolOp):
            return all(self.is_number(part) for part in value.values)
        if isinstance(value, ast.Compare):
            return all(self.is_number(part) for part in (value.left, *value.comparators))
        if isinstance(value, ast.IfExp):
            return self.is_number(value.body) and self.is_number(value.orelse)
        if isinstance(value, ast.Subscript):
            return self._is_shape(value.value)
        if isinstance(value, ast.Attribute):
            return value.attr == "ndim"
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            return (value.func.attr in _NUMBER_METHODS or
                    self._is_shape(value) and len(value.args) == 1)
        if isinstance(value, ast.Call):
            return ast.unparse(value.func) in _NUMBER_FUNCTIONS
        return False


class _FunctionCheck:
    """Compares the writes of a function with those of its graph."""

    def __init__(self, source, graph):
        self._source = source
        self._numbers = _Numbers(source.tree)
        self._at = {}  # (line, column): nodes
        self._loop = None  # a loop that something goes through which can be written
        for node in _walk(graph):
            place = find_place(node)
            if place:
                self._at.setdefault(place[1:], []).append(node)
            if node.kind() == "prim::Loop" and place and any(
                    _is_mutable(value.type()) for value in node.outputs()):
                self._loop = self._loop or place[1]

    def run(self):
        """The problems, and the places of nodes to make in-place."""
        lost, places, reason = {}, set(), None
        if self._loop:
            reason = (f"it overlooks that the loop of line {self._loop} may run no time, and what "
                      "comes out of it be what goes in: let a clone go in")
        for node in ast.walk(self._source.tree):
            if not isinstance(node, ast.AugAssign) or type(node.op) not in _LOST:
                continue
            found = [other for other in self._at.get((node.lineno, node.col_offset), ())
                     if find_operator(other) in _IN_PLACE]
            if found:
                places.add(find_place(found[0]))
                reason = f"it makes a new tensor in line {node.lineno}: {_suggest(node)}"
            elif not self._is_of_numbers(node):
                lost[node] = _suggest(node)
            elif isinstance(node.op, ast.Pow) and not self._has_float_power(node):
                target = ast.unparse(node.target)
                lost[node] = ("it gives a float for ints: write "
                              f"'{target} = {target} ** {ast.unparse(node.value)}' there")
        if reason:
            for node in self._find_missing():
                lost.setdefault(node, reason)
        return [self._report(node, why) for node, why in lost.items()], places

    def _report(self, node, reason):
        text = ast.unparse(node).split("\n", 1)[0]
        return f"{self._source.file}:{node.lineno}: TorchScript does not keep '{text}': {reason}"

    def _find_in(self, node):
        """The nodes of the graph whose source begins in a part of the tree."""
        begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return [other for place, others in self._at.items() if begin <= place < end
                for other in others]

    def _is_of_numbers(self, node):
        """Whether an augmented assignment computes a number."""
        if self._numbers.is_number(node.target) and self._numbers.is_number(node.value):
            return True
        return any(other.kind() in _ON_NUMBERS and not _is_mutable(other.output().type())
                   for other in self._at.get((node.lineno, node.col_offset), ()))

    def _has_float_power(self, node):
        return any(other.kind() == "aten::pow" and find_operator(other) != "aten::pow.int"
                   for other in self._at.get((node.lineno, node.col_offset), ()))

    def _find_missing(self):
        """Statements, or heads of them, with more writes than the graph has of them."""
        for statement in ast.walk(self._source.tree):
            if not isinstance(statement, ast.stmt) or isinstance(statement, ast.FunctionDef):
                continue
            parts = [statement]
            if hasattr(statement, "body"):
                parts = [value for name, value in ast.iter_fields(statement)
                         if isinstance(value, ast.expr)]
            for part in parts:
                expected = sum(self._is_write(node) for node in ast.walk(part))
                if expected > sum(_writes(node) for node in self._find_in(part)):
                    yield part

    def _is_write(self, node):
        if isinstance(node, ast.AugAssign):
            return (isinstance(node.target, ast.Name) and type(node.op) not in _LOST and
                    not (self._numbers.is_number(node.target) and
                         self._numbers.is_number(node.value)))
        if isinstance(node, ast.Subscript):
            return isinstance(node.ctx, (ast.Store, ast.Del))
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            return (name.endswith("_") and not name.endswith("__") or
                    isinstance(node.func, ast.Attribute) and name in _LIST_METHODS or
                    any(keyword.arg == "out" for keyword in node.keywords))
        return False


def _suggest(node):
    return (f"write '{ast.unparse(node.target)}.{_LOST[type(node.op)]}"
            f"({ast.unparse(node.value)})' there")


def _is_mutable(type):
    return type.kind() not in ("BoolType", "FloatType", "IntType", "NoneType", "NumberType",
                               "StringType")


def _writes(node):
    """Whether a node writes, or calls what may."""
    return node.kind() in ("prim::CallFunction", "prim::CallMethod") or "!" in node.schema()
