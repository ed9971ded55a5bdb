# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records graphs that call torch.cond and torch.while_loop, whose subgraphs become blocks."""

import torch

from ._errors import UnsupportedError
from ._text import PLACE

_NO_LIMIT = 2**63 - 1


class Runner(torch.fx.Interpreter):
    """Runs a graph, and tells the recorder the line of the user's program for each node."""

    def __init__(self, module, recorder):
        super().__init__(module)
        self.extra_traceback = False  # errors have lines of the program instead
        self.recorder = recorder

    def run_flat(self, *arguments):
        """Returns a list of the results for arguments in the order of the placeholders."""
        results = self.run(*arguments, enable_io_processing=False)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    def run_node(self, n):
        places = PLACE.findall(n.stack_trace or "")
        if places:
            self.recorder.place = places[-1][0], int(places[-1][1])
        if not isinstance(n.target, torch._ops.HigherOrderOperator):
            return super().run_node(n)
        record = _RECORDERS.get(n.target.name())
        if record is None:
            raise UnsupportedError([self.recorder.locate(f"{n.target.name()} is not supported")])
        arguments, _ = self.fetch_args_kwargs_from_env(n)
        return record(self.recorder, n, *arguments)


def _get_example(node):
    return node.meta["example_value"] if "example_value" in node.meta else node.meta["val"]


def _record_cond(recorder, node, condition, true_graph, false_graph, operands=()):
    flag = recorder.truth_of(condition)
    blocks = []
    for graph in (true_graph, false_graph):
        with recorder.block() as block:
            results = Runner(graph, recorder).run_flat(*operands)
            block["outputs"] += [recorder.number_of(result) for result in results]
        blocks.append(block)
    results = recorder.fresh_like(_get_example(node))
    recorder.emit_blocks("prim::If", [flag], blocks, results)
    return results


def _record_while_loop(recorder, node, condition, body, carried, additional=()):
    def goes_on(values):
        return recorder.truth_of(Runner(condition, recorder).run_flat(*values, *additional)[0])

    inputs = [recorder.number_of(_NO_LIMIT), goes_on(carried)]
    inputs += [recorder.number_of(value) for value in carried]
    with recorder.block() as block:
        recorder.add_block_input(block, None)  # the number of the iteration
        examples = [_get_example(n) for n in body.graph.find_nodes(op="placeholder")]
        values = recorder.fresh_like(examples[:len(carried)])
        for value in values:
            recorder.add_block_input(block, value)
        values = Runner(body, recorder).run_flat(*values, *additional)
        block["outputs"] += [goes_on(values), *[recorder.number_of(value) for value in values]]
    results = recorder.fresh_like(_get_example(node))
    recorder.emit_blocks("prim::Loop", inputs, [block], results)
    return results


_RECORDERS = {"cond": _record_cond, "while_loop": _record_while_loop}
