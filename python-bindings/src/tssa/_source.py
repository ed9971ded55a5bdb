# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Rewrites functions so that their control flow calls hooks, as AutoGraph does.

`if`, `for`, `while`, `and`, `or`, `not`, conditional expressions, assertions, calls, indexing and
assignments to parts become calls of the object that the name `__tssa__` stands for (_hooks.py).
Bodies become local functions over the names that they assign. What Python decides stays with
Python: the hooks run a body at once unless tensors or open sizes decide.
"""

import ast
import collections
import functools
import inspect
import linecache
import types

from ._exits import Exits
from ._syntax import (COMPREHENSIONS, HOOKS, CannotRewrite, any_of, arguments_of, assigned_names, at,
                      call_hook, constants, copy, count_loads, is_name_target, load, make_arguments,
                      make_function, make_lambda, make_tuple, store, walk_scope_of_function)

# These functions read the frame of their caller.
_FRAME_CALLS = {"locals", "globals", "vars", "dir", "eval", "exec", "super", "__import__"}


def is_rewritten(function):
    return HOOKS in function.__code__.co_freevars


def rewrite(function, hooks):
    """Returns `function` with its control flow as calls of `hooks`, or raises CannotRewrite."""
    code = _rewrite_code(function.__code__)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[HOOKS] = types.CellType(hooks)
    try:
        closure = tuple(cells[name] for name in code.co_freevars)
    except KeyError as error:
        raise CannotRewrite(f"the name {error} is not found") from error
    made = types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@functools.lru_cache(maxsize=None)
def _rewrite_code(code):
    node = _find_node(code)
    if isinstance(node, ast.Lambda):
        node = at(make_function(node.args, [at(ast.Return(node.body), node.body)],
                                                "__tssa_lambda"), node)
    node.decorator_list, node.returns = [], None
    node = _FunctionRewriter(node, code.co_freevars, _find_class(code)).run()
    # A function around it defines the names that are free in it. Its own name, which it may use, is none of them.
    node.name = "__tssa_function"
    outer = make_function(make_arguments(sorted({HOOKS, *code.co_freevars})), [node], "__tssa_outer")
    module = ast.fix_missing_locations(ast.Module([outer], []))
    try:
        made = compile(module, code.co_filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise CannotRewrite(str(error)) from error
    made = _find_code(_find_code(made, "__tssa_outer"), node.name)
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _find_class(code):
    """Returns the name of the class whose method the function is. It is part of private names."""
    names = code.co_qualname.split(".")
    return names[-2].lstrip("_") if len(names) > 1 and names[-2] != "<locals>" else None


def _find_code(code, name):
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


@functools.lru_cache(maxsize=64)
def _parse_file(text):
    """Returns the functions of a file by line and name; of lambdas those of a line."""
    found = collections.defaultdict(list)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            found[_first_line(node), getattr(node, "name", "<lambda>")].append(node)
    return found


def _first_line(node):
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _find_node(code):
    """Returns a copy of the syntax tree of a function."""
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        raise CannotRewrite("its source is not found")
    try:
        found = _parse_file(text).get((code.co_firstlineno, code.co_name), ())
    except SyntaxError as error:
        raise CannotRewrite(f"its source is not Python: {error}") from error
    if len(found) > 1:
        found = [node for node in found if _has_body(code, node)]
    found = found[0] if found else None
    if found is None or [a.arg for a in arguments_of(found.args)] != list(
            code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]):
        raise CannotRewrite("its source has changed, or is not found")
    if isinstance(found, ast.AsyncFunctionDef) or code.co_flags & (
            inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise CannotRewrite("it is a generator or a coroutine")
    return copy(found)


def _has_body(code, node):
    """Returns whether code is that of a lambda: what it returns stands where the lambda's body does."""
    body = node.body
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return isinstance(node, ast.Lambda) and place in code.co_positions()


class _FunctionRewriter(ast.NodeTransformer):
    """Rewrites one function and the functions in it."""

    def __init__(self, node, free=(), owner=None):
        self._node = node
        self._owner = owner
        self._free = set(free)  # names that a function around it defines
        self._globals = set()
        self._count = 0
        self._region_names = set()

    def run(self):
        node = self._node
        for inner in walk_scope_of_function(node):
            if isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Await)):
                raise CannotRewrite("it is a generator or a coroutine")
            if isinstance(inner, ast.Global):
                self._globals |= set(inner.names)
            elif isinstance(inner, ast.Nonlocal):
                self._free |= set(inner.names)
        node.body = Exits().run(node.body)
        self._loads = count_loads(node)
        node.body = self._visit_body(node.body)
        for argument in (*arguments_of(node.args), node.args.vararg, node.args.kwarg):
            if argument is not None:
                argument.annotation = None
        parameters = {a.arg for a in (*arguments_of(node.args), node.args.vararg, node.args.kwarg) if a}
        # Bodies share these names with the function, which must have them.
        names = sorted(self._region_names - parameters - self._globals - self._free)
        declarations = [s for s in node.body if isinstance(s, (ast.Global, ast.Nonlocal))]
        rest = [s for s in node.body if s not in declarations]
        if names:
            value = ast.Attribute(load(HOOKS), "undefined", ast.Load())
            rest.insert(0, ast.Assign([store(name) for name in names], value))
        node.body = declarations + rest
        return node

    def _visit_body(self, statements):
        made = []
        for statement in statements:
            new = self.visit(statement)
            made += new if isinstance(new, list) else [new] if new is not None else []
        return made or [ast.Pass()]

    def _new_name(self, what):
        self._count += 1
        return f"__tssa_{what}_{self._count}"

    # Regions.

    def _declare(self, names):
        free = [name for name in names if name not in self._globals]
        own = [name for name in names if name in self._globals]
        return ([ast.Nonlocal(free)] if free else []) + ([ast.Global(own)] if own else [])

    def _make_region(self, what, names, body, arguments=()):
        return make_function(make_arguments(arguments), self._declare(names) + body, self._new_name(what))

    def _make_state(self, node, names):
        """Returns (functions that get and set the names, the arguments that pass them to a hook)."""
        self._region_names |= set(names)
        inside = count_loads(node)
        kept = [name for name in names if self._loads.get(name, 0) > inside.get(name, 0)]
        shared = [name for name in names if name in self._free or name in self._globals]
        get = self._make_region("get", (), [ast.Return(make_tuple(load(name) for name in names))])
        target = ast.Tuple([store(name) for name in names], ast.Store())
        put = self._make_region("set", names, [ast.Assign([target], load("__tssa_values"))] if names
                                else [ast.Pass()], ["__tssa_values"])
        return [get, put], [load(get.name), load(put.name), constants(names), constants(kept), constants(shared)]

    def visit_If(self, node):
        names = assigned_names(node.body + node.orelse)
        functions, state = self._make_state(node, names)
        test = self.visit(node.test)
        then = self._make_region("then", names, self._visit_body(node.body))
        orelse = self._make_region("else", names, self._visit_body(node.orelse))
        call = call_hook("if_", test, load(then.name), load(orelse.name), *state)
        return self._place([*functions, then, orelse, ast.Expr(call)], node)

    def _make_stop(self, node):
        flags = getattr(node, "stop_flags", None)
        return make_lambda(self.visit(any_of(flags))) if flags else ast.Constant(None)

    def visit_While(self, node):
        names = assigned_names([ast.Expr(node.test), *node.body])
        functions, state = self._make_state(node, names)
        test = self._make_region("test", names, [ast.Return(self.visit(node.test))])
        body = self._make_region("body", names, self._visit_body(node.body))
        call = call_hook("while_", load(test.name), load(body.name), self._make_stop(node), *state)
        return self._place([*functions, test, body, ast.Expr(call)], node)

    def visit_For(self, node):
        names = assigned_names([ast.Assign([node.target], ast.Constant(None)), *node.body])
        functions, state = self._make_state(node, names)
        item = at(ast.Assign([node.target], load("__tssa_item")), node.target)
        body = self._make_region("body", names, self._visit_body([item, *node.body]), ["__tssa_item"])
        call = call_hook("for_", self.visit(node.iter), load(body.name), self._make_stop(node), *state)
        return self._place([*functions, body, ast.Expr(call)], node)

    @staticmethod
    def _place(statements, node):
        for statement in statements:
            at(statement, node)
            if isinstance(statement, ast.Expr):
                at(statement.value, node)
        return statements

    # Functions in it.

    def visit_FunctionDef(self, node):
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        node.returns = None
        try:
            return _FunctionRewriter(copy(node), owner=self._owner).run()
        except CannotRewrite:
            return node

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return self._place([ast.Expr(call_hook("begin")), node, ast.Expr(call_hook("end"))], node)

    def visit_Match(self, node):
        """Patterns stay as they are: Python evaluates them."""
        node.subject = at(call_hook("reached", self.visit(node.subject)), node.subject)
        for case in node.cases:
            case.guard = case.guard and at(call_hook("known", self.visit(case.guard)), case.guard)
            case.body = self._visit_body(case.body)
        return node

    def visit_Starred(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = at(call_hook("listed", node.value), node.value)
        return node

    # Expressions. Names that an expression binds must stay in its function.

    def _is_plain(self, node):
        return not any(isinstance(inner, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
                       for inner in ast.walk(node))

    def visit_BoolOp(self, node):
        if not self._is_plain(node):
            return self.generic_visit(node)
        hook = "and_" if isinstance(node.op, ast.And) else "or_"
        values = [make_lambda(self.visit(value)) for value in node.values]
        return at(call_hook(hook, *values), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return at(call_hook("not_", node.operand), node)
        if isinstance(node.operand, ast.Constant):
            return node
        return at(call_hook("operate", ast.Constant(_OPERATIONS[type(node.op)]), node.operand), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = {"and": "and_", "or": "or_"}.get(_OPERATIONS[type(node.op)], _OPERATIONS[type(node.op)])
        return at(call_hook("operate", ast.Constant(name), node.left, node.right), node)

    def visit_Compare(self, node):
        if len(node.ops) == 1:
            self.generic_visit(node)
            name = ast.Constant(type(node.ops[0]).__name__)
            return at(call_hook("relate", name, node.left, *node.comparators), node)
        if not self._is_plain(node):
            return self.generic_visit(node)
        operands = [make_lambda(self.visit(value)) for value in (node.left, *node.comparators)]
        names = constants(type(op).__name__ for op in node.ops)
        return at(call_hook("compare", names, *operands), node)

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        node.value = at(call_hook("text", node.value), node)
        return node

    def visit_IfExp(self, node):
        if not self._is_plain(node):
            return self.generic_visit(node)
        return at(call_hook("choose", self.visit(node.test), make_lambda(
            self.visit(node.body)), make_lambda(self.visit(node.orelse))), node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in _FRAME_CALLS:
            if node.func.id == "super" and not node.args:
                first = arguments_of(self._node.args)[:1]
                if not first:
                    raise CannotRewrite("super() stands in a function without arguments")
                node.args = [load("__class__"), load(first[0].arg)]
            self.generic_visit(node)
            if node.func.id not in ("eval", "exec"):
                return node
            watched = make_tuple([call_hook("begin"), node, call_hook("end")])
            return at(ast.Subscript(watched, ast.Constant(1), ast.Load()), node)
        self.generic_visit(node)
        made = call_hook("call", node.func, *node.args)
        made.keywords = node.keywords
        return at(made, node)

    def _visit_comprehension(self, node):
        self.generic_visit(node)
        for generator in node.generators:
            generator.iter = at(call_hook("iterate", generator.iter), generator.iter)
            generator.ifs = [at(call_hook("known", test), test) for test in generator.ifs]
        return node

    def visit_GeneratorExp(self, node):
        return at(call_hook("fresh", self._visit_comprehension(node)), node)

    def _visit_container(self, node):
        """Registers a new container with the hooks: it may be changed in the block in which it was made."""
        node = self._visit_comprehension(node) if isinstance(node, COMPREHENSIONS) else self.generic_visit(node)
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return node
        return at(call_hook("made", node), node)

    visit_ListComp = visit_SetComp = visit_DictComp = _visit_container
    visit_List = visit_Set = visit_Dict = _visit_container

    # Parts of objects.

    def visit_Attribute(self, node):
        node.attr = self._mangle(node.attr)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return at(call_hook("getattr", node.value, ast.Constant(node.attr)), node)

    def _mangle(self, name):
        is_private = name.startswith("__") and not name.endswith("__")
        return f"_{self._owner}{name}" if self._owner and is_private else name

    def _index(self, node):
        """Returns an index in brackets as an expression."""
        if isinstance(node, ast.Slice):
            parts = [part and self.visit(part) or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
            return at(call_hook("slice", *parts), node)
        if isinstance(node, ast.Tuple):
            return at(make_tuple(self._index(element) for element in node.elts), node)
        return self.visit(node)

    def visit_Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        return at(call_hook("getitem", self.visit(node.value), self._index(node.slice)), node)

    def _write_part(self, target, value):
        """Returns the statement that assigns to an element or attribute of an object."""
        if isinstance(target, ast.Subscript):
            call = call_hook("setitem", self.visit(target.value), self._index(target.slice), value)
        else:
            call = call_hook("setattr", self.visit(target.value), ast.Constant(self._mangle(target.attr)),
                              value)
        return ast.Expr(at(call, target))

    def _assign(self, targets, value, node):
        """Returns statements that assign `value`, which has been visited, to the targets."""
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in targets) and not isinstance(value, (ast.Tuple, ast.List)):
            value = at(call_hook("unpacked", value), value)
        if all(is_name_target(target) for target in targets):
            return [at(ast.Assign(targets, value), node)]
        name = self._new_name("new")
        made = [ast.Assign([store(name)], value)]
        for target in targets:
            if isinstance(target, (ast.Subscript, ast.Attribute)):
                made.append(self._write_part(target, load(name)))
            elif isinstance(target, (ast.Tuple, ast.List)) and not is_name_target(target):
                parts = [self._new_name("part") for _ in target.elts]
                inner = [ast.Starred(store(part), ast.Store()) if isinstance(element, ast.Starred)
                         else store(part) for part, element in zip(parts, target.elts)]
                made.append(ast.Assign([ast.Tuple(inner, ast.Store())], load(name)))
                for part, element in zip(parts, target.elts):
                    element = element.value if isinstance(element, ast.Starred) else element
                    made += self._assign([element], load(part), node)
            else:
                made.append(ast.Assign([target], load(name)))
        return [at(statement, node) for statement in made]

    def visit_Assign(self, node):
        return self._assign(node.targets, self.visit(node.value), node)

    def visit_AnnAssign(self, node):
        if node.value is None:
            return []
        return self._assign([node.target], self.visit(node.value), node)

    def visit_AugAssign(self, node):
        operation = ast.Constant("i" + _OPERATIONS[type(node.op)])
        value, target = self.visit(node.value), node.target
        if isinstance(target, ast.Name):
            call = call_hook("augment", operation, load(target.id), value)
            return at(ast.Assign([target], at(call, node)), node)
        if isinstance(target, ast.Subscript):
            call = call_hook("augment_item", operation, self.visit(target.value), self._index(target.slice), value)
        else:
            call = call_hook("augment_attribute", operation, self.visit(target.value),
                              ast.Constant(self._mangle(target.attr)), value)
        return at(ast.Expr(at(call, node)), node)

    def visit_Delete(self, node):
        made = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                made.append(ast.Assign([store(target.id)],
                                       ast.Attribute(load(HOOKS), "undefined", ast.Load())))
                self._region_names.add(target.id)
            elif isinstance(target, ast.Subscript):
                made.append(ast.Expr(call_hook("delitem", self.visit(target.value), self._index(target.slice))))
            else:
                made.append(ast.Expr(call_hook("delattr", self.visit(target.value), ast.Constant(self._mangle(target.attr)))))
        return [at(statement, node) for statement in made]

    def visit_With(self, node):
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = at(call_hook("context", item.context_expr), item.context_expr)
        return node

    # Errors.

    def visit_Try(self, node):
        """Tells the hooks which errors handlers catch while the body runs."""
        self.generic_visit(node)
        if node.handlers:
            types = make_lambda(make_tuple(handler.type or ast.Constant(None) for handler in map(copy, node.handlers)))
            inner = ast.Try(node.body, [], [], [ast.Expr(call_hook("end_try"))])
            node.body = [at(statement, node) for statement in (ast.Expr(call_hook("begin_try", types)), inner)]
        return node

    def visit_ExceptHandler(self, node):
        self.generic_visit(node)
        node.body.insert(0, at(ast.Expr(at(call_hook("caught"), node)), node))
        return node

    def visit_Assert(self, node):
        message = make_lambda(self.visit(node.msg) if node.msg else ast.Constant(None))
        return at(ast.Expr(at(
            call_hook("assert_", self.visit(node.test), message), node)), node)

    def visit_Raise(self, node):
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = at(call_hook("raised", node.exc), node)
        return node


_OPERATIONS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
               ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
               ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
               ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
