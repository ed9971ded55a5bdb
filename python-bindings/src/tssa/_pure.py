# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Which functions of Python's library and of NumPy a program may call: those whose results depend on their arguments only.

A recording calls them once, and each run has their results. All others are refused by name. What a program prints, logs
or warns of, it prints, logs and warns of while it is recorded only.
"""

import sys
import types

import torch

#: Modules whose functions are pure, or tell of the process, but for those of IMPURE. A module's parts belong to it.
PURE = frozenset("""
    abc array ast base64 binascii bisect builtins calendar cmath collections colorsys contextlib copy copyreg dataclasses
    datetime decimal difflib enum fractions functools graphlib hashlib heapq html inspect ipaddress itertools json keyword
    logging math numbers operator pickle posixpath pprint re reprlib statistics string struct textwrap threading traceback
    types typing unicodedata warnings weakref zlib zoneinfo numpy sympy torch tssa
    _abc _bisect _blake2 _codecs _collections _collections_abc _contextvars _datetime _decimal _functools _hashlib _heapq _json
    _md5 _operator _pickle _sha1 _sha2 _sha256 _sha3 _sha512 _sre _statistics _struct _thread _warnings _weakref contextvars
    importlib platform pkgutil sys sysconfig gc urllib.parse""".split())
#: Functions of these modules that are not, by module; and those that write to what they get, which must be new.
IMPURE = {
    "builtins": {"open", "input", "breakpoint"}, "datetime": {"now", "today", "utcnow"}, "posixpath": {
        "abspath", "exists", "expanduser", "expandvars", "getatime", "getctime", "getmtime", "getsize", "isdir", "isfile",
        "islink", "ismount", "lexists", "realpath", "relpath", "samefile"},
    "threading": {"get_ident", "current_thread", "active_count", "enumerate", "get_native_id"},
    "_thread": {"get_ident", "get_native_id"},
    "torch": {"load", "save", "seed", "initial_seed", "manual_seed", "get_rng_state", "set_rng_state", "set_default_dtype",
              "set_default_device", "set_num_threads", "set_printoptions"},
    "numpy": {"load", "loadtxt", "genfromtxt", "fromfile", "memmap", "save", "savez", "savez_compressed", "savetxt", "tofile",
              "dump", "fromregex", "seterr", "set_printoptions", "setbufsize", "errstate"},
}
WRITES = {"copyto", "put", "place", "putmask", "fill_diagonal", "sort", "fill", "partition", "resize", "itemset", "setflags",
          "setfield"}

def module_of(function):
    """Returns the name of the module that a function, a class or a method of a C type belongs to."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    if isinstance(function, (types.BuiltinMethodType, types.MethodWrapperType)) and owner is not None:
        return (owner if isinstance(owner, type) else type(owner)).__module__
    if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return function.__objclass__.__module__
    return getattr(function, "__module__", None) or "builtins"


def is_pure(function, module, args):
    """Returns whether the results of a function that is not rewritten depend on its arguments only."""
    name, top = getattr(function, "__name__", ""), module.partition(".")[0]
    if module.startswith("numpy.random") or name in IMPURE.get(top, ()):
        return False
    if top in sys.stdlib_module_names or top == "numpy":
        return top in PURE or module in PURE
    is_foreign = isinstance(function, (types.BuiltinFunctionType, types.BuiltinMethodType)) and top not in PURE
    return not is_foreign or any(isinstance(value, torch.Tensor) for value in args)
