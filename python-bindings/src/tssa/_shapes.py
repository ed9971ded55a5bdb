# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Shapes that a program gives for inputs of a model."""

import operator
import re
from typing import Any, List, Mapping

#: What tssa-compile advises for an input whose shape is not known: its name, and a shape or dots.
_ADVICE = re.compile(r"--input-shape (.+?)=(\[[^\]]*\]|\.\.\.)")
#: Names that tssa-compile reads in a list, and not as a number or as another part of the list.
_NAME = re.compile(r"[^\W\d][^,\[\]\s]*")


def advise_shapes(text: str) -> str:
    """Returns an error of tssa-compile with what a program of Python writes instead of an option."""

    def advise(found: "re.Match[str]") -> str:
        name, dims = found[1], found[2].strip("[]").split(",")
        shape = f"[{', '.join(repr(dim) if _NAME.fullmatch(dim) else dim for dim in dims)}]"
        return f"input_shapes={{{name!r}: {shape}}} of tssa.Session, or add_input_shape({name!r}, {shape}) of SessionOptions"

    return _ADVICE.sub(advise, text)


def list_shape_options(shapes: Mapping[str, Any]) -> List[str]:
    """Returns the options of tssa-compile for shapes by the names of inputs."""
    if not hasattr(shapes, "items"):
        raise TypeError(f"input_shapes is a dict from the names of inputs to shapes, got {type(shapes).__name__}")
    return [f"--input-shape={name}={format_shape(name, shape)}" for name, shape in shapes.items()]


def format_shape(input_name: str, shape: Any) -> str:
    """Returns a shape of sizes, names and None as tssa-compile reads it."""
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise TypeError(f"the shape of input '{input_name}' is a list such as ['N', 3, None], got {shape!r}")
    return f"[{','.join(_format_dim(input_name, dim) for dim in shape)}]"


def _format_dim(input_name: str, dim: Any) -> str:
    if dim is None:
        return "?"
    if isinstance(dim, str):
        if not _NAME.fullmatch(dim):
            raise ValueError(f"the name of a dim of input '{input_name}' begins with a letter and has no commas, brackets or "
                             f"spaces, got {dim!r}")
        return dim
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"a dim of input '{input_name}' is a size, a name or None, got {dim!r}")
    if operator.index(dim) < 0:
        raise ValueError(f"a size of input '{input_name}' is at least 0, or None for any, got {dim}")
    return str(operator.index(dim))
