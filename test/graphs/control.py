"""If, Loop and Scan, with bodies of a few nodes that also use values from around them."""

import numpy as np
from onnx import TensorProto, helper

OPERATORS = []
TAME = ["Tanh", "Neg", "Abs", "Relu", "Sigmoid", "Softsign"]


def operator(function):
    OPERATORS.append(function)
    return function


def info(name, dtype, shape=None):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def chain(g, nodes, name, dtype, length):
    """Adds a few tame nodes after the value `name`; gives the last value's name."""
    for _ in range(length):
        out = g.new_name("b")
        if g.chance(0.4):
            half = g.new_name("h")
            tensor = helper.make_tensor(half, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [],
                                        np.array([0.5], dtype))
            nodes.append(helper.make_node("Constant", [], [half], value=tensor))
            nodes.append(helper.make_node(g.choose(["Mul", "Add", "Sub"]), [name, half], [out]))
        else:
            nodes.append(helper.make_node(g.choose(TAME), [name], [out]))
        name = out
    return name


def condition(g):
    """One boolean: an input, a constant, or computed."""
    if g.chance(0.5):
        return g.fresh(np.bool_, ())
    value = g.pick("fi", exact=True, nonempty=True)
    largest = g.node("ReduceMax", value, keepdims=0)
    return g.node("Greater", largest, g.constant(np.array(2, value.dtype)))


@operator
def branch(g):
    value = g.pick("f")
    other = g.partner(value)
    flag = condition(g)
    bodies = []
    for _ in range(2):
        nodes = []
        start = g.new_name("s")
        nodes.append(helper.make_node(g.choose(["Add", "Mul", "Max"]), [value.name, other.name], [start]))
        last = chain(g, nodes, start, value.dtype, g.below(3))
        bodies.append(helper.make_graph(nodes, g.new_name("branch"), [], [info(last, value.dtype)]))
    g.node("If", flag, captured=(value, other), then_branch=bodies[0], else_branch=bodies[1], exact=False)


@operator
def loop(g):
    """state = f(state + captured * iteration); each state is also collected."""
    value = g.pick("f", dtype=g.choose([None, np.dtype(np.float32)]))
    trips = np.array(g.choose([0, 1, 2, 5]), np.int64)
    count = g.input(trips) if len(g.inputs) < 6 and g.chance(0.5) else g.constant(trips)
    names = [g.new_name(stem) for stem in ("iteration", "go", "state", "on", "number", "product", "sum")]
    iteration, go, state, on, number, product, total = names
    nodes = [helper.make_node("Identity", [go], [on]),
             helper.make_node("Cast", [iteration], [number], to=helper.np_dtype_to_tensor_dtype(value.dtype)),
             helper.make_node("Mul", [value.name, number], [product]),
             helper.make_node("Add", [state, product], [total])]
    last = chain(g, nodes, total, value.dtype, 1 + g.below(2))
    outputs = [info(on, np.bool_, []), info(last, value.dtype)]
    collects = g.chance(0.6) and trips > 0
    if collects:
        kept = g.new_name("kept")
        nodes.append(helper.make_node("Identity", [last], [kept]))
        outputs.append(info(kept, value.dtype))
    body = helper.make_graph(nodes, g.new_name("loop"), [info(iteration, np.int64, []), info(go, np.bool_, []),
                                                         info(state, value.dtype)], outputs)
    start = g.fresh(value.dtype, value.shape)
    g.node("Loop", count, None, start, outputs=len(outputs) - 1, captured=(value,), body=body, exact=False)


@operator
def scan(g):
    """state = state / 2 + row, along an axis; the states are the output."""
    value = g.pick("f", least_rank=1, most_rank=3, nonempty=True)
    row = value.shape[1:]
    names = [g.new_name(stem) for stem in ("state", "row", "half", "less", "next", "kept")]
    state, element, half, less, following, kept = names
    tensor = helper.make_tensor(half, helper.np_dtype_to_tensor_dtype(value.dtype), [], np.array([0.5], value.dtype))
    nodes = [helper.make_node("Constant", [], [half], value=tensor),
             helper.make_node("Mul", [state, half], [less]),
             helper.make_node("Add", [less, element], [following]),
             helper.make_node(g.choose(["Identity", "Tanh", "Abs"]), [following], [kept])]
    body = helper.make_graph(nodes, g.new_name("scan"), [info(state, value.dtype, row), info(element, value.dtype, row)],
                             [info(following, value.dtype, row), info(kept, value.dtype, row)])
    attributes = {"scan_input_directions": [1]} if g.chance(0.3) else {}
    g.node("Scan", g.fresh(value.dtype, row), value, outputs=2, num_scan_inputs=1, body=body, exact=False, **attributes)


@operator
def loop_until(g):
    """Doubles an integer until it is large: how often is known when it runs. An If inside chooses what to collect."""
    value = g.pick("f", dtype=np.dtype(np.float32), most_rank=3)
    bound = int(g.choose([3, 20, 100]))
    names = [g.new_name(stem) for stem in ("iteration", "go", "number", "on", "double", "two", "bound", "even", "kept")]
    iteration, go, number, on, double, two, limit, even, kept = names
    constants = {two: 2, limit: bound}
    nodes = [helper.make_node("Constant", [], [name], value=helper.make_tensor(name, TensorProto.INT64, [], [number_]))
             for name, number_ in constants.items()]
    branches = []
    for op in ("Neg", "Tanh"):
        out = g.new_name("branch")
        branches.append(helper.make_graph([helper.make_node(op, [value.name], [out])], g.new_name("choice"), [],
                                          [info(out, value.dtype)]))
    quotient, product = g.new_name("quotient"), g.new_name("product")
    nodes += [helper.make_node("Mul", [number, two], [double]), helper.make_node("Less", [double, limit], [on]),
              helper.make_node("Div", [iteration, two], [quotient]),
              helper.make_node("Mul", [quotient, two], [product]),
              helper.make_node("Equal", [product, iteration], [even]),
              helper.make_node("If", [even], [kept], then_branch=branches[0], else_branch=branches[1])]
    body = helper.make_graph(nodes, g.new_name("until"),
                             [info(iteration, np.int64, []), info(go, np.bool_, []), info(number, np.int64, [])],
                             [info(on, np.bool_, []), info(double, np.int64, []), info(kept, value.dtype)])
    most = g.constant(np.array(g.choose([4, 50]), np.int64)) if g.chance(0.6) else None
    start = g.fresh(np.int64, (), low=1, high=3)
    g.node("Loop", most, g.constant(np.array(True)), start, outputs=2, captured=(value,), body=body, exact=False)

