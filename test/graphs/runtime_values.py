"""Every value of a model as ONNX Runtime computes it, for `tssa-run --bisect --reference`.

usage: runtime_values.py MODEL.onnx REF.npz --inputs IN.npz

Values that are no tensors of numbers are left out.
"""

import argparse
import sys

import numpy as np
import onnx
import onnxruntime

from evaluation import session_options


def expose_values(model):
    """Makes every value of a node of the main graph an output; gives their names."""
    names = [name for node in model.graph.node for name in node.output if name]
    there = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in there)
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("reference")
    parser.add_argument("--inputs", required=True, metavar="IN.npz")
    options = parser.parse_args()
    model = onnx.load(options.model)
    names = expose_values(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), session_options(),
                                           providers=["CPUExecutionProvider"])
    with np.load(options.inputs) as inputs:
        values = session.run(names, dict(inputs))
    known = {name: value for name, value in zip(names, values)
             if isinstance(value, np.ndarray) and value.dtype.kind in "fiub"}
    np.savez(options.reference, **known)
    print(f"{options.reference}: {len(known)} of {len(names)} values")


if __name__ == "__main__":
    sys.exit(main())
