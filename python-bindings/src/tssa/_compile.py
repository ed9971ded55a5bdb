# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Implements tssa.compile: functions that are compiled at their first call."""

import functools
import os

from ._session import Session


def compile(program=None, example_inputs=None, target="cpu", *, device="auto", threads=0, dynamic=True, check=False):
    """Returns a compiled callable that does the same as `program`.

    program: a function, a method, a module, or a torch.export.ExportedProgram; the path of an ONNX
    model or an artifact gives a Session. Without it, a decorator.
    example_inputs: a tuple of arguments to compile for now, instead of at the first call.
    target: a target, as for tssa-compile --target.
    dynamic: whether one binary serves other sizes and numbers, too. False: each call with others
    compiles again, for just these, which can be faster where images are small.
    check: whether the first call of each binary is compared with eager; a difference is a tssa.Error.

    Element types, ranks and the structure of containers are fixed by a call; sizes and numbers
    are free unless the program decides by them. A call that differs in what is fixed compiles
    again. Arguments that the program writes are written; results that share storage with an
    argument, or with each other, do.
    """
    if program is None:
        return functools.partial(compile, example_inputs=example_inputs, target=target, device=device,
                                 threads=threads, dynamic=dynamic, check=check)
    if isinstance(program, (str, os.PathLike)):
        return Session(os.fspath(program), target, device, threads)
    compiled = _capture(program, {"target": target, "device": device, "threads": threads}, dynamic, check)
    if example_inputs is not None:
        compiled.prepare(*example_inputs)
    return compiled


def _capture(program, options, dynamic, check):
    import torch

    if isinstance(program, torch.export.ExportedProgram):
        from ._dynamo import ExportedFunction

        return ExportedFunction(program, options)
    from ._function import CompiledFunction

    return CompiledFunction(program, options, dynamic, check)
