# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Helpers for Python's syntax trees, used to rewrite functions."""

import ast

HOOKS = "__tssa__"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class CannotRewrite(Exception):
    """Raised if a function cannot be rewritten; the text has the reason."""


def copy(node):
    """Returns a deep copy that keeps the locations in the source."""
    if isinstance(node, list):
        return [copy(element) for element in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)(**{name: copy(value) for name, value in ast.iter_fields(node)})
    return ast.copy_location(made, node)


def arguments_of(arguments):
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def at(new, old):
    """`new` at the beginning of what `old` takes up: calls of methods are reported at their ends."""
    if not hasattr(old, "lineno"):  # made here
        return new
    ast.copy_location(new, old)
    new.end_lineno, new.end_col_offset = new.lineno, new.col_offset + 1
    return new


def load(name):
    return ast.Name(name, ast.Load())


def store(name):
    return ast.Name(name, ast.Store())


def make_arguments(names=()):
    return ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in names], vararg=None,
                         kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])


def make_function(arguments, body, name):
    made = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[], returns=None,
                           type_comment=None)
    made.type_params = []
    return made


def make_lambda(body):
    return ast.Lambda(make_arguments(), body)


def call_hook(hook, *arguments):
    return ast.Call(ast.Attribute(load(HOOKS), hook, ast.Load()), list(arguments), [])


def make_tuple(elements):
    return ast.Tuple(list(elements), ast.Load())


def constants(names):
    return make_tuple(ast.Constant(name) for name in names)


def set_flag(name, value):
    return ast.Assign([store(name)], ast.Constant(value))


def walk_scope(node):
    """Yields all nodes below `node`, except those in nested functions and classes."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            if isinstance(child, SCOPES):
                yield child
            else:
                waiting.append(child)


def assigned_names(statements):
    """Returns the names that the statements assign, in order."""
    names, excepted = [], set()
    for statement in statements:
        for node in ([statement] if isinstance(statement, SCOPES) else walk_scope(statement)):
            if isinstance(node, ast.ExceptHandler) and node.name:
                excepted.add(node.name)
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                names.append(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.append(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names += [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    bound = {node.id for statement in statements for node in ast.walk(statement)
             if isinstance(node, COMPREHENSIONS)
             for generator in node.generators for node in ast.walk(generator.target)
             if isinstance(node, ast.Name)}
    plain = [name for name in dict.fromkeys(names) if name not in excepted]
    return [name for name in plain
            if name not in bound or _is_assigned_outside_of_comprehensions(statements, name)]


def _is_assigned_outside_of_comprehensions(statements, name):
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, (ast.Store, ast.Del)):
            return True
        if not isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(node)
    return False


def count_loads(node):
    counts = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            counts[inner.id] = counts.get(inner.id, 0) + 1
    return counts


def walk_statement(statement):
    return [statement] if isinstance(statement, SCOPES) else walk_scope(statement)


def any_of(names):
    tests = [load(name) for name in names]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)


def is_name_target(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(is_name_target(element) for element in target.elts)
    if isinstance(target, ast.Starred):
        return is_name_target(target.value)
    return isinstance(target, ast.Name)


def walk_scope_of_function(node):
    for statement in node.body:
        yield from walk_statement(statement)
