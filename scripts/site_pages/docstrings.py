# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""An extension of Griffe for the package tssa.

- What a docstring says of parameters and attributes becomes a list. It says "NAME: what it is", on a line of its own or after
  a sentence.
- Attributes that only the stub declares are added, and methods of base classes that the stub has not: Griffe drops them where
  a class is imported into the package.
"""

import pathlib
import re

import griffe


def list_names(item):
    """The names of the parameters of a function, or of the attributes and constructor of a class."""
    if item.is_function:
        return {parameter.name for parameter in item.parameters}
    names = {name for name, member in item.members.items() if not member.is_alias and member.is_attribute}
    constructor = item.members.get("__init__")
    if constructor and not constructor.is_alias:
        names |= {parameter.name for parameter in constructor.parameters}
    return names


def mark_items(text, names):
    """The docstring with a list item for each of `names` that it explains."""
    if not names:
        return text
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?:^|(?<=[.;)\"] )|(?<=[.;)\"]\n))({known}): ", r"\n\n- `\1`: ", text, flags=re.M)


def add_members(package):
    """Adds what the classes of the stub of a package declare and the classes of its sources do not.

    A method of a base class that the stub does not have gets its docstring from there.
    """
    path = pathlib.Path(package.filepath).with_suffix(".pyi")
    stub = griffe.visit(package.name, filepath=path, code=path.read_text(encoding="utf-8"))
    for name, declared in stub.classes.items():
        known = package.members[name]
        known = known.final_target if known.is_alias else known
        inherited = known.inherited_members
        for member in [*declared.attributes.values(), *declared.functions.values()]:
            if member.name not in known.members:
                if member.name in inherited:
                    member.docstring = inherited[member.name].docstring
                known.set_member(member.name, member)


class Interface(griffe.Extension):
    """Edits a package once it is loaded."""

    def on_package(self, *, pkg, **_):
        add_members(pkg)
        self._edit(pkg)

    def _edit(self, item):
        if item.docstring and (item.is_function or item.is_class):
            item.docstring.value = mark_items(item.docstring.value, list_names(item))
        for member in getattr(item, "members", {}).values():
            if not member.is_alias:
                self._edit(member)
