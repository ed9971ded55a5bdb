# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Implements torch.compile(backend="tssa") and the compilation of torch.export.ExportedProgram."""

import functools

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree

from ._arguments import SharedArguments
from ._check import show_structure
from ._errors import INVALID_ARGUMENT, Error, UnsupportedError
from ._function import CompiledFunction
from ._recorded import record
from ._regions import Runner


def _record_graph(module, arguments, name, options, known=None):
    """Records a graph. known: {order of a placeholder: its tensor, the same in each call}."""
    known = known or {}
    order = [i for i in range(len(arguments)) if i not in known]

    def run(recorder, *values):
        given = {**known, **dict(zip(order, values))}
        return Runner(module, recorder).run_flat(*(given[i] for i in range(len(arguments))))

    program, _ = record(run, [arguments[i] for i in order], name, **options)
    return program


class _Graph:
    """The callable that the backend returns: a graph whose parameters are constants.

    Dynamo passes parameters as arguments. A call may pass others, those of another module of the same
    class. Such a call runs a second recording, in which the parameters are arguments.
    """

    def __init__(self, module, arguments, example_inputs, options):
        self._module, self._options = module, options
        places = module.graph.find_nodes(op="placeholder")
        self._known = {i: example for i, (node, example) in enumerate(zip(places, example_inputs))
                       if (node.meta.get("tensor_dict") or {}).get("_dynamo_static_input_type")
                       and isinstance(example, torch.Tensor) and not isinstance(example, FakeTensor)}
        self._order = [i for i in range(len(arguments)) if i not in self._known]
        self._program = _record_graph(module, arguments, "graph", options, self._known)
        self._needs_numbers = False  # whether it can only be compiled for numbers that are fixed
        self._record_all = functools.partial(_record_graph, module, arguments, "graph", options)

    def __call__(self, *values):
        try:
            if not self._needs_numbers:
                return self._run(*values)
        except Error as error:
            # An argument may share memory with one that the graph writes. Nothing has been written yet.
            is_shared = error.code == INVALID_ARGUMENT and SharedArguments(values, {}).num_shared
            self._needs_numbers = isinstance(error, UnsupportedError) and any(type(value) is int for value in values)
            if not is_shared and not self._needs_numbers:
                raise
        return self._for_each(*values)

    def _run(self, *values):
        if all(values[i] is tensor for i, tensor in self._known.items()):
            return self._program(*(values[i] for i in self._order))
        return self._program_of_all(*values)

    @functools.cached_property
    def _for_each(self):
        """For arguments that share memory, or numbers that must be fixed: both are known at a call."""
        return CompiledFunction(self._module, self._options)

    @functools.cached_property
    def _program_of_all(self):
        return self._record_all()


def backend(module, example_inputs, *, options=None):
    """The backend of torch.compile.

    options: the options of torch.compile: target, device, threads and tuned, as for tssa.compile.
    """
    arguments = [node.meta.get("example_value", example)
                 for node, example in zip(module.graph.find_nodes(op="placeholder"), example_inputs)]
    return _Graph(module, arguments, example_inputs, options or {})


class ExportedFunction:
    """The result of tssa.compile for a torch.export.ExportedProgram. It is called like the original."""

    def __init__(self, program, options):
        module = program.module()
        placeholders = module.graph.find_nodes(op="placeholder")
        arguments = [node.meta["val"] for node in placeholders]
        self._arguments = arguments
        self._in_spec, self._out_spec = program.call_spec.in_spec, program.call_spec.out_spec
        self.__name__ = getattr(program.graph_module, "__name__", "program")
        self._recorded = _record_graph(module, arguments, "program", options)

    @property
    def num_binaries(self):
        """The number of times this program was compiled."""
        return len(self._recorded.binaries)

    def prepare(self, *args, **kwargs):
        """Compiles for calls like this one, without running."""
        self._recorded.prepare(*self._bind(args, kwargs))

    def __call__(self, *args, **kwargs):
        results = self._recorded(*self._bind(args, kwargs))
        return pytree.tree_unflatten(results, self._out_spec)

    def _bind(self, args, kwargs):
        values, spec = pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            raise TypeError(f"expected the arguments {show_structure(self._arguments, self._in_spec)}, got "
                            f"{show_structure(values, spec)}")
        for expected, value in zip(self._arguments, values):
            if not isinstance(expected, (FakeTensor, torch.SymInt)) and value != expected:
                raise ValueError(f"the program was exported for {expected!r}, got {value!r}")
        return values
