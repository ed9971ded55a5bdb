"""The node tests of the onnx package as files: models, inputs and expected results."""

import dataclasses
import json
import os
import shutil
import warnings

import onnx

import harness

CACHE_VERSION = 4
#: Their results are drawn at random, so there is nothing to compare with.
RANDOM = ("test_bernoulli",)


@dataclasses.dataclass
class Case:
    """One test; `skip` says why it cannot be run."""
    name: str
    operators: list
    rtol: float
    atol: float
    skip: str = ""


def skip_reason(name, model):
    if name.startswith(RANDOM):
        return "random result"
    for value in list(model.graph.input) + list(model.graph.output):
        kind = harness.tensor_type(value)
        if kind is None:
            return value.type.WhichOneof("value").replace("_type", "") + " value"
        if not any(kind in types for types in (harness.NUMPY_TYPES, harness.RAW_TYPES, harness.SMALL_INTEGERS)):
            return onnx.TensorProto.DataType.Name(kind) + " element"
    return ""


def operators_of(model):
    return sorted({(f"{n.domain}::" if n.domain else "") + n.op_type for n in model.graph.node})


def make_dynamic(model):
    """Each dimension of each input becomes a symbol of its own."""
    for value in model.graph.input:
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{index}"
    for value in list(model.graph.output) + list(model.graph.value_info):
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_out_{index}"


def materialise(folder, dynamic):
    """Writes every test's model and data once; gives the cases."""
    index_path = os.path.join(folder, "index.json")
    stamp = [CACHE_VERSION, onnx.__version__, dynamic]
    if os.path.exists(index_path):
        with open(index_path) as file:
            index = json.load(file)
        if index["stamp"] == stamp:
            return [Case(**case) for case in index["cases"]]
    from onnx.backend.test.case.node import collect_testcases
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    cases = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = collect_testcases(None)
    for test in tests:
        case = Case(test.name, operators_of(test.model), test.rtol, test.atol, skip_reason(test.name, test.model))
        cases.append(case)
        if case.skip:
            continue
        if dynamic:
            make_dynamic(test.model)
        place = os.path.join(folder, test.name)
        os.makedirs(place)
        onnx.save(test.model, os.path.join(place, "model.onnx"))
        for number, (inputs, outputs) in enumerate(test.data_sets):
            harness.save_npz(os.path.join(place, f"{number}.in.npz"), inputs, test.model.graph.input)
            harness.save_npz(os.path.join(place, f"{number}.out.npz"), outputs, test.model.graph.output)
    with open(index_path + ".part", "w") as file:
        json.dump({"stamp": stamp, "cases": [dataclasses.asdict(case) for case in cases]}, file)
    os.replace(index_path + ".part", index_path)
    return cases
