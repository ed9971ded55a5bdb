"""Pairs: an operator of operators.py and what follows it, for `bench.py drawn --pairs`."""

from onnx import helper

from subjects import operators

#: what may follow: an elementwise operation; the sum with a second operator like it on the same data, with weights of
#: its own; a product that leads back to as many channels; a reduction of rows
FOLLOWERS = ["relu", "add", "product", "softmax"]


def product_of(entry):
    """A 1x1 convolution, or a matrix product, from r to y by the weight v: (node, shape of the weight)."""
    if "m" in entry:
        return helper.make_node("MatMul", ["r", "v"], ["y"]), (entry["n"], entry["k"])
    ones = [1] * len(entry["spatial"])
    return helper.make_node("Conv", ["r", "v"], ["y"], kernel_shape=ones), (entry["channels"], entry["filters"], *ones)


def nodes_of(entry):
    """(nodes, shape of x, shapes of the weights); an operator alone is a pair without `follower`."""
    node, shape, weight = operators.node_of(entry)
    follower = entry.get("follower")
    if not follower:
        return node, shape, weight
    node.output[0] = "r"
    if follower == "relu":
        return [node, helper.make_node("Relu", ["r"], ["y"])], shape, weight
    if follower == "softmax":
        return [node, helper.make_node("Softmax", ["r"], ["y"], axis=-1)], shape, weight
    if follower == "product":
        second, second_weight = product_of(entry)
        return [node, second], shape, {"w": weight, "v": second_weight}
    second, _, _ = operators.node_of(entry)
    second.input[1], second.output[0] = "v", "s"
    return [node, second, helper.make_node("Add", ["r", "s"], ["y"])], shape, {"w": weight, "v": weight}
