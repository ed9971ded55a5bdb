"""Which operators do these models need?

usage: operators.py MODEL.onnx... [--brief]

For each file: producer, IR version, opsets, inputs and outputs with their
dimensions, and each operator with its count, domain, element types and the
attribute values it is used with. Operators inside subgraphs and inside model
functions are counted where they stand; functions are listed by name.
"""

import argparse
import collections
import os

import onnx
from onnx import TensorProto

LONGEST_VALUE = 40
MOST_VALUES = 6


def attribute_text(attribute):
    """One short spelling per attribute value; tensors and graphs by kind only."""
    kinds = onnx.AttributeProto
    if attribute.ref_attr_name:
        return f"@{attribute.ref_attr_name}"
    if attribute.type == kinds.GRAPH:
        return "{graph}"
    if attribute.type == kinds.TENSOR:
        return f"tensor {TensorProto.DataType.Name(attribute.t.data_type)}{list(attribute.t.dims)}"
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float):
        value = f"{value:.6g}"
    text = str(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def walk(nodes, where, visit):
    for node in nodes:
        visit(node, where)
        for attribute in node.attribute:
            for graph in [attribute.g] if attribute.type == attribute.GRAPH else attribute.graphs:
                walk(graph.node, f"{where} > {node.op_type}.{attribute.name}", visit)


def value_text(value):
    if value.type.WhichOneof("value") != "tensor_type":
        return f"{value.name}: {value.type.WhichOneof('value')}"
    tensor = value.type.tensor_type
    dims = [d.dim_param or (str(d.dim_value) if d.HasField("dim_value") else "?") for d in tensor.shape.dim]
    shape = ",".join(dims) if tensor.HasField("shape") else "no shape"
    return f"{value.name}: {TensorProto.DataType.Name(tensor.elem_type)}[{shape}]"


def report(path, brief):
    model = onnx.load(path, load_external_data=False)
    constants = {t.name for t in model.graph.initializer}
    counts = collections.Counter()
    values = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    places = collections.defaultdict(set)

    def visit(node, where):
        key = (f"{node.domain}::" if node.domain else "") + node.op_type
        counts[key] += 1
        places[key].add(where)
        for attribute in node.attribute:
            values[key][attribute.name][attribute_text(attribute)] += 1
        present = "".join("_" if not n else "c" if n in constants else "v" for n in node.input)
        values[key]["(inputs: v value, c initializer, _ absent)"][present] += 1

    walk(model.graph.node, "graph", visit)
    for function in model.functions:
        walk(function.node, f"function {function.domain}::{function.name}", visit)

    sizes = [p for p in (path, path + ".data") if os.path.exists(p)]
    megabytes = sum(os.path.getsize(p) for p in sizes) / 1e6
    opsets = ", ".join(f"{o.domain or 'ai.onnx'}:{o.version}" for o in model.opset_import)
    print(f"== {os.path.basename(path)}  {megabytes:.1f} MB  {model.producer_name} {model.producer_version}"
          f"  ir {model.ir_version}  opset {opsets}  {sum(counts.values())} nodes")
    for value in model.graph.input:
        if value.name not in constants:
            print("   in  ", value_text(value))
    for value in model.graph.output:
        print("   out ", value_text(value))
    types = collections.Counter(TensorProto.DataType.Name(t.data_type) for t in model.graph.initializer)
    print("   initializers:", dict(types), "| functions:",
          [f"{f.domain}::{f.name}" for f in model.functions] or "none",
          "| metadata keys:", sorted({p.key for n in model.graph.node for p in n.metadata_props}) or "none")
    for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        outside = places[key] - {"graph"}
        print(f"   {count:5d} {key}" + (f"   in {sorted(outside)}" if outside else ""))
        if brief:
            continue
        for name, seen in sorted(values[key].items()):
            shown = ", ".join(f"{v} x{n}" for v, n in seen.most_common(MOST_VALUES))
            more = f", and {len(seen) - MOST_VALUES} more" if len(seen) > MOST_VALUES else ""
            print(f"           {name}: {shown}{more}")
    print()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--brief", action="store_true", help="counts only, no attributes")
    options = parser.parse_args()
    total, used_by = collections.Counter(), collections.Counter()
    for path in options.models:
        counts = report(path, options.brief)
        total.update(counts)
        used_by.update(counts.keys())
    print(f"== all {len(options.models)} files: {len(total)} operators (files that use it, uses)")
    for key, count in sorted(total.items(), key=lambda item: (-used_by[item[0]], item[0])):
        print(f"   {used_by[key]:4d} {count:6d} {key}")


if __name__ == "__main__":
    main()
