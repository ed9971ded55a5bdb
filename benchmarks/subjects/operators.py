"""The ninety operators of operators.json."""

import json
import os
import sys

from onnx import helper

from compare.cases import Case
from subjects import single

HERE = os.path.dirname(os.path.abspath(__file__))
#: of each family, with --quick
QUICK = 1


def node_of(entry):
    """(node, shape of x, shape of the weight)."""
    if "m" in entry:
        return helper.make_node("MatMul", ["x", "w"], ["y"]), (entry["m"], entry["k"]), (entry["k"], entry["n"])
    rank, groups = len(entry["spatial"]), entry.get("groups", 1)
    settings = dict(kernel_shape=entry["kernel"], strides=entry["stride"], pads=entry["pad"] * 2, group=groups,
                    dilations=[entry.get("dilation", 1)] * rank)
    shape = (entry["batch"], entry["channels"], *entry["spatial"])
    if "output_pad" in entry:
        node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_padding=[entry["output_pad"]] * rank,
                                **settings)
        return node, shape, (entry["channels"], entry["filters"], *entry["kernel"])
    node = helper.make_node("Conv", ["x", "w"], ["y"], **settings)
    return node, shape, (entry["filters"], entry["channels"] // groups, *entry["kernel"])


def make_cases(entries, options, folder, nodes_of=node_of):
    seen = {}
    for entry in entries:
        family = entry["name"].split("-")[0]
        seen[family] = seen.get(family, 0) + 1
        if options.quick and seen[family] > QUICK or options.names and entry["name"] not in options.names:
            continue
        nodes, shape, weight = nodes_of(entry)
        path = single.write(folder, entry["name"], nodes, shape, weight)
        program = None if "follower" in entry else single.program(path)
        yield Case(entry["name"], family, {"": path}, *single.answer(path, shape), program)


def select(names=(), kind_of=lambda name: name):
    """{name: entry} of the names, or of all operators. kind_of: the operator that a name stands for."""
    with open(os.path.join(HERE, "..", "operators.json")) as file:
        known = {entry["name"]: entry for entry in json.load(file)["operators"]}
    missing = [name for name in names if kind_of(name) not in known]
    if missing:
        sys.exit(f"operators.json has no {missing[0]}")
    return {name: known[kind_of(name)] for name in names or known}


def write(folder):
    """Writes a model of each operator. Yields name and path."""
    for name, entry in select().items():
        yield name, single.write(folder, name, *node_of(entry))


def cases(options, folder):
    return make_cases(select().values(), options, folder)
