# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a PyTorch program as tssa-compile reads it, from a short form of it.

usage: torch_program.py PROGRAM.txt > PROGRAM.json

    x: f32 4x3                            an argument; the sizes are missing without dims
    x: f32 4x3!                           with the same sizes in every call
    w: f32 4x3 1,0 weights.bin@16         a constant, with its permutation or - and its place
    y, i = aten::sort(x, -1, False)       a call; None, numbers, strings, lists of all of them
    return y, i
"""

import ast
import json
import re
import sys


class Program:
    def __init__(self):
        self.arguments, self.inputs, self.nodes, self.names, self.count = [], [], [], {}, 0

    def make(self, op, inputs, **parts):
        self.count += 1
        self.nodes.append({"op": op, "in": inputs, "out": [self.count - 1], **parts})
        return self.count - 1

    def add_argument(self, name, dtype, sizes, fixed, permutation, file, offset):
        self.names[name] = self.count
        self.inputs.append(self.count)
        self.count += 1
        argument = {"kind": "tensor", "name": name, "dtype": dtype,
                    "sizes": [int(size) for size in sizes.split("x") if size]}
        if fixed:
            argument["symbols"] = [None] * len(argument["sizes"])
        if permutation and permutation != "-":
            argument["permutation"] = [int(dim) for dim in permutation.split(",")]
        if offset:
            argument["data"] = {"file": file, "offset": int(offset)}
        self.arguments.append(argument)

    def read(self, tree):
        """The number of the value that an expression is."""
        if isinstance(tree, ast.Name):
            return self.names[tree.id]
        if isinstance(tree, ast.List):
            return self.make("prim::ListConstruct", [self.read(part) for part in tree.elts])
        value = ast.literal_eval(tree)
        kinds = {bool: "bool", int: "int", float: "float", str: "string"}
        constant = {"kind": "none"} if value is None else {"kind": kinds[type(value)], "value": value}
        return self.make("prim::Constant", [], value=constant)

    def add_call(self, results, op, arguments):
        inputs = [self.read(tree) for tree in ast.parse(f"f({arguments})").body[0].value.args]
        names = [name.strip() for name in results.split(",")]
        outputs = list(range(self.count, self.count + len(names)))
        self.count += len(names)
        self.names.update(zip(names, outputs))
        self.nodes.append({"op": op, "in": inputs, "out": outputs})

    def add_return(self, names):
        return self.make("prim::TupleConstruct", [self.names[name.strip()] for name in names])


def main():
    program = Program()
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in filter(None, map(str.strip, file)):
            if match := re.fullmatch(r"(\w+): (\w+) ?([\dx]*)(!?)(?: (\S+) (.*)@(.+))?", line):
                program.add_argument(*match.groups())
            elif match := re.fullmatch(r"([\w, ]+) = ([\w:.]+)\((.*)\)", line):
                program.add_call(*match.groups())
            else:
                result = program.add_return(line.removeprefix("return ").split(","))
    json.dump({"format": "tssa-pytorch", "version": 1, "name": "f", "files": [],
               "arguments": program.arguments,
               "graph": {"inputs": program.inputs, "nodes": program.nodes, "outputs": [result]}},
              sys.stdout)


main()
