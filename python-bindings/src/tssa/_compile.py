# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""tssa.compile: functions that are compiled at their first call."""

import json
import os
import tempfile
import threading

from . import _runtime
from ._errors import Error, UnsupportedError
from ._session import Session
from ._tool import compile_file

_GUARD = "guard: "


def compile(program, example_inputs=None, target="cpu", *, device="auto", threads=0):
    """A callable that does what `program` does, compiled.

    program: a function, a scripted function, a module (in evaluation mode), or the path of a
    TorchScript file; the path of an ONNX model or an artifact gives a Session.
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
    compiled = _script(program, target, device, threads)
    if example_inputs is not None:
        compiled.prepare(*example_inputs)
    return compiled


def _script(program, target, device, threads):
    import torch

    if not isinstance(program, (torch.jit.ScriptFunction, torch.jit.ScriptModule)):
        try:
            program = torch.jit.script(program)
        except (RuntimeError, torch.jit.frontend.NotSupportedError) as error:
            raise UnsupportedError([f"TorchScript: {error}"]) from error
    return CompiledFunction(program, target, device, threads)


class _Binary:
    """One artifact: for one key, and the sizes that its guards allow."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.results = [port[0] for port in program.outputs if port[4] == 1]
        self.aliases = {port[0]: port[5] for port in program.outputs if port[4] == 3}


class CompiledFunction:
    """What tssa.compile gives; call it as the original."""

    def __init__(self, scripted, target, device, threads):
        import torch

        from . import _torchscript, _writes

        self._torch = torch
        self._text = _torchscript
        self._target, self._device, self._threads = target, device, threads
        self._binaries = {}
        self._lock = threading.Lock()
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
        return sum(len(binaries) for binaries in self._binaries.values())

    def prepare(self, *args, **kwargs):
        """Compiles for calls like this one, without running."""
        values = self._bind(args, kwargs)
        key = self._key(values)
        with self._lock:
            if not self._binaries.get(key):
                self._binaries.setdefault(key, []).insert(0, self._compile(values))

    def __call__(self, *args, **kwargs):
        values = self._bind(args, kwargs)
        tensors = []
        key = self._key(values, tensors)
        passed = [self._pass(tensor) for tensor in tensors]
        for binary in self._binaries.get(key, ()):
            try:
                return self._run(binary, tensors, passed)
            except Error as error:
                if _GUARD not in str(error):
                    raise
        with self._lock:
            binary = self._compile(values)
            self._binaries.setdefault(key, []).insert(0, binary)
        return self._run(binary, tensors, passed)

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

    def _key(self, value, tensors=None):
        """What a binary is fixed to; collects the tensors."""
        if isinstance(value, self._torch.Tensor):
            self._check(value)
            if tensors is not None:
                tensors.append(value)
            order = self._text.find_permutation(value)
            return (value.dtype, value.dim(), tuple(order) if order else order)
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, *[self._key(element, tensors) for element in value])
        # The two zeros are equal, and a nan is not itself.
        return (type(value), value.hex() if isinstance(value, float) else value)

    def _check(self, tensor):
        if tensor.device.type != "cpu" or tensor.layout != self._torch.strided:
            raise Error(f"expected dense tensors on the cpu, got one on {tensor.device}")
        if tensor.requires_grad and self._torch.is_grad_enabled():
            raise Error("gradients are not computed: call under torch.no_grad()")

    def _pass(self, tensor):
        """The tensor that the program gets: detached, its dims in the order of memory."""
        tensor = tensor.detach()
        order = self._text.find_permutation(tensor)
        return tensor.permute(order) if order else tensor

    # Compiling.

    def _compile(self, values):
        names = [parameter.name for parameter in self._parameters]
        names += [name for name, _ in self._writer.extra]
        arguments = [self._text.describe(value, name) for value, name in zip(values, names)]
        if self._has_self:
            arguments.insert(0, {"kind": "none"})
        text = {"format": "tssa-torchscript", "version": 1, "name": self.__name__,
                "files": self._writer.files, "arguments": arguments,
                "graph": self._writer.block()}
        folder = tempfile.TemporaryDirectory(prefix="tssa-")
        source = os.path.join(folder.name, "program.json")
        with open(source, "w", encoding="utf-8") as file:
            json.dump(text, file)
        artifact = os.path.join(folder.name, "program.so")
        compile_file(source, artifact, self._target)
        return _Binary(folder, _runtime.Program(artifact, self._device, self._threads))

    # Results.

    def _run(self, binary, tensors, passed):
        made = binary.program.run(passed)
        results = {name: self._torch.from_dlpack(array)
                   for name, array in zip(binary.results, made)}
        for name, argument in binary.aliases.items():
            results[name] = tensors[argument]
        if not self._returns:
            return None
        return self._build(self._returns[0].type, "return", results)

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
