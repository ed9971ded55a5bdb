"""The two models of the demo: magika's, and a tiny one made here."""

import json
import os

import numpy as np

TINY = {
    "beg_size": 1024,
    "end_size": 1024,
    "block_size": 4096,
    "min_file_size_for_dl": 8,
    "padding_token": 256,
    "target_labels_space": ["text", "binary"],
}


def magika_model():
    """Path and configuration of the model inside the magika package, or None."""
    try:
        import magika
    except ImportError:
        return None
    folder = os.path.join(os.path.dirname(magika.__file__), "models", magika.Magika().get_model_name())
    with open(os.path.join(folder, "config.min.json"), encoding="utf-8") as file:
        return os.path.join(folder, "model.onnx"), json.load(file)


def tiny_model(path):
    """Writes a model that tells text from binary files by their control bytes."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    width = TINY["beg_size"] + TINY["end_size"]
    control = np.zeros((TINY["padding_token"] + 1, 1), np.float32)
    control[:32] = 1
    control[[9, 10, 12, 13]] = 0
    constants = {
        "control": control,
        "row_axis": np.array([1], np.int64),
        # Five control bytes in the two thousand are as much binary as text.
        "weight": np.array([[-1.0, 1.0]], np.float32),
        "bias": np.array([5.0, -5.0], np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["control", "bytes"], ["is_control"], "look_up", axis=0),
        helper.make_node("ReduceSum", ["is_control", "row_axis"], ["count"], "count", keepdims=0),
        helper.make_node("Gemm", ["count", "weight", "bias"], ["scores"], "weigh"),
        helper.make_node("Softmax", ["scores"], ["target_label"], "choose", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "text_or_binary",
        [helper.make_tensor_value_info("bytes", TensorProto.INT32, ["files", width])],
        [helper.make_tensor_value_info("target_label", TensorProto.FLOAT, ["files", 2])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
    return path, TINY
