# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators of users, for ONNX models that use operators of other domains."""

import os
import re
import threading

#: The name of a function in the text, as `func.func @"com.acme::Scale"(`.
_NAME = re.compile(r'^\s*func\.func\s+@"([^"]+)"', re.MULTILINE)

_lock = threading.Lock()
_registered = {}  # texts, and the bytes of objects, by the names that they define


def register_onnx_operator(operators, objects=()):
    """Defines operators of ONNX models, for all sessions that are made from now on.

    operators: the path of a file NAME.mlir, or its text: functions of te named DOMAIN::OPERATOR, as --operators of
    tssa-compile takes them. An operator that is defined again is replaced. What is wrong with a function is an error of the
    first session whose model is compiled.
    objects: the paths of objects NAME.o with the routines that the functions call: foreign code, which becomes part of the
    compiled model.

    OSError: a file cannot be read. ValueError: the text defines no function, or some of the functions of an
    earlier text and not all.
    """
    text = os.fspath(operators)
    if text.endswith(".mlir"):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    names = frozenset(_NAME.findall(text))
    if not names:
        raise ValueError('expected the path of a file .mlir, or functions func.func @"DOMAIN::OPERATOR"')
    contents = []
    for path in objects:
        with open(path, "rb") as file:
            contents.append(file.read())
    with _lock:
        known = {other for other in _registered if other & names}
        for other in known:
            if not other <= names:
                raise ValueError(f"{sorted(other & names)} were defined with {sorted(other - names)}: define them again, too")
        for other in known:
            del _registered[other]
        _registered[names] = text, tuple(contents)


def has_operators():
    return bool(_registered)


def list_operator_options(folder):
    """Returns options of tssa-compile for the operators that are defined, in files in this folder."""
    with _lock:
        registered = list(_registered.values())
    options = []
    for number, (text, objects) in enumerate(registered):
        files = {f"operators{number}.mlir": text.encode()}
        files.update((f"routines{number}_{which}.o", content) for which, content in enumerate(objects))
        for name, content in files.items():
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(content)
            options.append(f"--operators={path}")
    return options
