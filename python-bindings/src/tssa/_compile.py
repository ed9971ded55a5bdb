# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Implements tssa.compile: functions that are compiled at their first call."""

import functools
import os

from ._errors import Error
from ._session import Session


def compile(program=None, example_inputs=None, target="cpu", *, device="auto", threads=0, dynamic=None, check=False,
            tuned=None):
    """Returns a callable that does the same as `program`, compiled.

    program: a function, a method, a module, or a torch.export.ExportedProgram; the path of an ONNX
    model or an artifact gives a Session. Without `program`, the result is a decorator.
    example_inputs: a tuple of arguments to compile for now, instead of at the first call.
    target: the same as --target of tssa-compile.
    dynamic: which sizes of tensors, ints and floats among the arguments may differ between the calls
    that one binary serves. None: those that have differed so far. The first binary is fixed to those
    of its call; the first call with others is compiled again, with what differs open; a call that
    differs in something else is compiled with everything open. True: all, from the first call on.
    False: none: each call with others is compiled again for exactly these.
    tuned: a folder of records, as --tuned of tssa-compile; None for none. They are read whenever this compiles.
    check: whether the first call of each binary is compared with eager mode; a difference is a tssa.Error.

    Element types, ranks, bools and the structure of containers are fixed by a call, and so are sizes
    and numbers that the program decides by. A call that differs in what is fixed is compiled again.
    Arguments are written, and results share storage with arguments and with each other, as when
    `program` itself is called.
    """
    if program is None:
        return functools.partial(compile, example_inputs=example_inputs, target=target, device=device,
                                 threads=threads, dynamic=dynamic, check=check, tuned=tuned)
    if isinstance(program, (str, os.PathLike)):
        return Session(os.fspath(program), target, device, threads, tuned=tuned)
    options = {"target": target, "device": device, "threads": threads, "tuned": tuned}
    compiled = _capture(program, options, dynamic, check)
    if example_inputs is not None:
        compiled.prepare(*example_inputs)
    return compiled


def _capture(program, options, dynamic, check):
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise Error("to compile Python functions, install PyTorch as well: pip install 'tssa-compiler[torch]'") from None

    if isinstance(program, torch.export.ExportedProgram):
        from ._dynamo import ExportedFunction

        return ExportedFunction(program, options)
    from ._compiled_module import wrap

    return wrap(program, options, dynamic, check)
