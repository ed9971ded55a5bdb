# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""tssa.compile: functions that are compiled at their first call."""

import os

from ._errors import Error, UnsupportedError
from ._session import Session


def compile(program, example_inputs=None, target="cpu", *, device="auto", threads=0):
    """A callable that does what `program` does, compiled.

    program: a function, a scripted function, a module (in evaluation mode), a
    torch.export.ExportedProgram, or the path of a TorchScript file; the path of an ONNX model or
    an artifact gives a Session.
    example_inputs: a tuple of arguments to compile for now, instead of at the first call.
    target: what tssa-compile --target takes.

    Element types, ranks, lengths of lists and Python scalars are fixed by a call; sizes are
    free. A call that differs in what is fixed compiles again. Arguments that the program
    writes are written; a result that is an argument is that argument.
    """
    if isinstance(program, (str, os.PathLike)):
        path = os.fspath(program)
        if path.endswith((".onnx", ".so")):
            return Session(path, target, device, threads)
        import torch

        program = torch.jit.load(path)
    compiled = _capture(program, target, device, threads)
    if example_inputs is not None:
        compiled.prepare(*example_inputs)
    return compiled


def _capture(program, target, device, threads):
    import torch

    if isinstance(program, torch.export.ExportedProgram):
        from ._dynamo import ExportedFunction

        return ExportedFunction(program, {"target": target, "device": device, "threads": threads})
    if not isinstance(program, (torch.jit.ScriptFunction, torch.jit.ScriptModule)):
        try:
            program = torch.jit.script(program)
        except (RuntimeError, torch.jit.frontend.NotSupportedError) as error:
            raise UnsupportedError([f"TorchScript: {error}"]) from error
    return CompiledFunction(program, target, device, threads)


class CompiledFunction:
    """What tssa.compile gives; call it as the original."""

    def __init__(self, scripted, target, device, threads):
        import torch

        from . import _binaries, _text, _torchscript, _writes

        self._torch, self._text = torch, _text
        self._binaries = _binaries.Binaries(self._write, target, device, threads)
        module = scripted if isinstance(scripted, torch.jit.ScriptModule) else None
        function = scripted.forward if module is not None else scripted
        self.__name__ = getattr(scripted, "name", None) or getattr(
            scripted, "original_name", "program")
        self._writer = _torchscript.GraphWriter(_torchscript.inline(function), module,
                                                _writes.check(scripted))
        self._parameters = list(function.schema.arguments)[module is not None:]
        self._has_self = module is not None
        self._returns = function.schema.returns

    @property
    def num_binaries(self):
        """How many times this function was compiled."""
        return self._binaries.count

    def prepare(self, *args, **kwargs):
        """Compiles for calls like this one, without running."""
        self._binaries.prepare(self._bind(args, kwargs))

    def __call__(self, *args, **kwargs):
        results = self._binaries.run(self._bind(args, kwargs))
        return self._build(self._returns[0].type, "return", results) if self._returns else None

    # Arguments.

    def _bind(self, args, kwargs):
        """The arguments in order, then the attributes of modules."""
        if len(args) > len(self._parameters):
            raise TypeError(f"{self.__name__}() takes {len(self._parameters)} arguments, "
                            f"got {len(args)}")
        values, kwargs = list(args), dict(kwargs)
        for parameter in self._parameters[len(args):]:
            if parameter.name in kwargs:
                values.append(kwargs.pop(parameter.name))
            elif parameter.has_default_value():
                values.append(parameter.default_value)
            else:
                raise TypeError(f"{self.__name__}() misses the argument '{parameter.name}'")
        if kwargs:
            raise TypeError(f"{self.__name__}() has no argument '{next(iter(kwargs))}'")
        for get, value in self._writer.frozen:
            if get() != value:
                raise Error("an attribute of the module has changed since tssa.compile")
        return [self._take(value) for value in values] + [get() for _, get in self._writer.extra]

    def _take(self, value):
        """Tensors of other frameworks as PyTorch's, without copies."""
        if isinstance(value, self._torch.Tensor) or not hasattr(value, "__dlpack__"):
            if isinstance(value, (list, tuple)):
                taken = [self._take(element) for element in value]
                return taken if isinstance(value, list) else tuple(taken)
            return value
        return self._torch.from_dlpack(value)

    def _write(self, values):
        """The text of the program for these arguments."""
        names = [parameter.name for parameter in self._parameters]
        names += [name for name, _ in self._writer.extra]
        arguments = [self._text.describe(value, name) for value, name in zip(values, names)]
        if self._has_self:
            arguments.insert(0, {"kind": "none"})
        return self._text.make_program(self.__name__, self._writer.files, arguments,
                                       self._writer.block())

    # Results.

    def _build(self, type, name, results):
        """The part of the result that stands at `name`, as its TorchScript type says."""
        kind = type.kind()
        if kind == "TupleType":
            return tuple(self._build(element, f"{name}.{i}", results)
                         for i, element in enumerate(type.elements()))
        if kind == "ListType":
            built = []
            while self._has(f"{name}.{len(built)}", results):
                built.append(self._build(type.getElementType(), f"{name}.{len(built)}", results))
            return built
        if kind == "OptionalType":
            return (self._build(type.getElementType(), name, results)
                    if self._has(name, results) else None)
        if kind == "NoneType":
            return None
        value = results[name]
        return value.item() if kind in ("IntType", "FloatType", "BoolType", "NumberType") else value

    @staticmethod
    def _has(name, results):
        return any(key == name or key.startswith(name + ".") for key in results)
