# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes TorchScript graphs as the text that tssa-compile reads."""

import torch

from ._errors import UnsupportedError
from ._text import PLACE, describe
from ._writes import find_operator, find_place, make_in_place


def inline(function):
    """The graph of a scripted function or method, calls replaced by what they call."""
    graph = function.graph.copy()
    torch._C._jit_pass_inline(graph)
    return graph


class GraphWriter:
    """Walks a graph. Attributes of modules and constant tensors become arguments.

    in_place: the places of nodes that stand for augmented assignments.
    """

    def __init__(self, graph, module=None, in_place=()):
        self.files = []
        self.extra = []  # (name, function that gives the tensor now)
        self.frozen = []  # (function that gives the value now, value) of other attributes
        self._ids = {}
        self._objects = {}  # values that are modules
        self._paths = {}  # id of an attribute's tensor, by its path
        self._inputs = []
        self._problems = []
        self._in_place = in_place
        for number, value in enumerate(graph.inputs()):
            self._inputs.append(self._id(value))
            if number == 0 and module is not None:
                self._objects[value.debugName()] = (module, "self")
        self.nodes = self._write_nodes(graph)
        self.outputs = [self._id(value) for value in graph.outputs()]
        if self._problems:
            raise UnsupportedError(self._problems)

    def block(self):
        return {"inputs": self._inputs, "nodes": self.nodes, "outputs": self.outputs}

    def _id(self, value):
        return self._ids.setdefault(value.debugName(), len(self._ids))

    def _file(self, name):
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    def _add_tensor(self, output, path, get):
        """The value is the tensor that get() gives at every call."""
        if path not in self._paths:
            self._paths[path] = self._id(output)
            self._inputs.append(self._paths[path])
            self.extra.append((path, get))
        else:
            self._ids[output.debugName()] = self._paths[path]

    def _constant(self, node):
        output = node.output()
        value = output.toIValue()
        if isinstance(value, torch.Tensor):
            self._add_tensor(output, f"constant.{len(self.extra)}", lambda: value)
            return None
        return {"op": "prim::Constant", "in": [], "out": [self._id(output)],
                "value": describe(value, output.debugName())}

    def _attribute(self, node):
        owner, path = self._objects[node.input().debugName()]
        name = node.s("name")
        value = getattr(owner, name)
        output, path = node.output(), f"{path}.{name}"
        if isinstance(value, (torch.nn.Module, torch.jit.ScriptModule)):
            self._objects[output.debugName()] = (value, path)
            return None
        if isinstance(value, torch.Tensor):
            self._add_tensor(output, path, lambda: getattr(owner, name))
            return None
        self.frozen.append((lambda: getattr(owner, name), value))
        return {"op": "prim::Constant", "in": [], "out": [self._id(output)],
                "value": describe(value, path)}

    def _set_attribute(self, node):
        """What the attribute has now, and what it is given."""
        owner, value = node.inputs()
        module, path = self._objects[owner.debugName()]
        name = node.s("name")
        if not isinstance(getattr(module, name), torch.Tensor):
            self._problems.append(f"the attribute '{path}.{name}' is assigned")
            return None
        known = self._paths.get(f"{path}.{name}")
        if known is None:
            self._problems.append(f"the attribute '{path}.{name}' is given another tensor")
            return None
        return {"op": "prim::SetAttr", "in": [known, self._id(value)], "out": []}

    def _write_nodes(self, block):
        nodes = []
        for node in block.nodes():
            written = self._write_node(node)
            if written is not None:
                nodes.append(written)
        return nodes

    def _write_node(self, node):
        if node.kind() == "prim::Constant":
            try:
                return self._constant(node)
            except UnsupportedError as error:
                self._problems += error.problems
                return None
        if node.kind() == "prim::GetAttr" and node.input().debugName() in self._objects:
            return self._attribute(node)
        if node.kind() == "prim::SetAttr":
            return self._set_attribute(node)
        op = find_operator(node)
        if self._in_place and find_place(node) in self._in_place:
            op = make_in_place(op)
        written = {"op": op, "in": [self._id(value) for value in node.inputs()]}
        blocks = []
        for block in node.blocks():
            inputs = [self._id(value) for value in block.inputs()]
            nodes = self._write_nodes(block)
            outputs = [self._id(value) for value in block.outputs()]
            blocks.append({"inputs": inputs, "nodes": nodes, "outputs": outputs})
        if blocks:
            written["blocks"] = blocks
        written["out"] = [self._id(value) for value in node.outputs()]
        place = PLACE.search(node.sourceRange())
        if place:
            written["at"] = [self._file(place.group(1)), int(place.group(2)), 0]
        return written
