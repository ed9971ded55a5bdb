"""Random valid ONNX models with inputs and answers. Equal seeds give equal graphs."""

import collections
import dataclasses

import onnx

import control
import movement
import pointwise
import sums
from builder import GraphBuilder
from evaluation import describe_value, make_model, outer_names

#: How often a table is drawn from; in it all operators are alike.
TABLES = [(pointwise.OPERATORS, 40), (movement.OPERATORS, 35), (sums.OPERATORS, 20), (control.OPERATORS, 5)]
OPSETS = [18, 18, 21, 23]


@dataclasses.dataclass
class RandomGraph:
    model: onnx.ModelProto
    #: Arrays by name.
    inputs: dict
    #: The outputs as `builder.Value`s.
    outputs: list
    #: Every value that a node gives, as `builder.Value`s in the order of the nodes.
    inner: list


def choose_outputs(g, values):
    """All values that nothing uses, and now and then one that something does."""
    loose = [v for v in values if v.name not in g.used]
    kept = loose[-6:]
    kept += [v for v in values if v.name in g.used and g.chance(0.05)][:2]
    return kept or values[-1:]


def drop_unused(nodes, outputs):
    """The nodes that lead to an output."""
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(outer_names(node))
    return kept[::-1], needed


def make_graph(seed, refusals=None):
    """`refusals` counts why nodes were not made."""
    refusals = collections.Counter() if refusals is None else refusals
    g = GraphBuilder(seed, OPSETS[seed % len(OPSETS)])
    target = g.choose([2, 3, 4, 6, 8, 12, 16, 24])
    makers = [maker for table, _ in TABLES for maker in table]
    weights = [weight / len(table) for table, weight in TABLES for _ in table]
    weights = [w / sum(weights) for w in weights]
    for _ in range(4 * target):
        if sum(n.op_type != "Constant" for n in g.nodes) >= target:
            break
        maker = makers[int(g.random.choice(len(makers), p=weights))]
        reason = g.attempt(maker)
        if reason:
            refusals[reason] += 1
    made = [v for v in g.values if v.depth > 0]
    outputs = choose_outputs(g, made)
    nodes, needed = drop_unused(g.nodes, [v.name for v in outputs])
    for number, node in enumerate(nodes):
        node.name = f"{node.op_type}_{number}"
    inputs = [v for v in g.inputs if v.name in needed]
    constants = [c for c in g.constants if c.name in needed]
    model = make_model(nodes, [(v.name, v.narrow) for v in inputs], [describe_value(v.name, v.narrow) for v in outputs],
                       g.opset, constants)
    given = {name for node in nodes for name in node.output}
    return RandomGraph(model, {v.name: v.narrow for v in inputs}, outputs, [v for v in made if v.name in given])
