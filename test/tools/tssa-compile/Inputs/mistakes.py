"""Writes files that people take for a model, and models with mistakes, into the current directory: mistakes.py"""

import json
import struct
import zipfile
from typing import Any, List

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FILES = {
    "lfs.onnx": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "old.pt": b"\x80\x02\x8a\nl\xfcF\x9c",
    "m.tflite": b"\x1c\0\0\0TFL3" + bytes(60),
    "m.ort": b"\x1c\0\0\0ORTM" + bytes(60),
    "m.h5": b"\x89HDF\r\n\x1a\n" + bytes(60),
    "m.gguf": b"GGUF\3\0\0\0" + bytes(60),
    "m.onnx.gz": b"\x1f\x8b\x08" + bytes(60),
    "m.xml": b'<?xml version="1.0"?>\n<net name="m" version="11">\n</net>\n',
    "page.onnx": b"\n<!DOCTYPE html>\n<html></html>\n",
    "text.onnx": b"a model",
}


def write_archive(path: str, entry: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, b"0")


def write_model(path: str, op: str, domain: str = "", dims: Any = ("N", 3), opset: int = 17,
                times: int = 1) -> None:
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(dims))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    weights = [numpy_helper.from_array(np.ones((3, 2), np.float32), "w")]
    node = helper.make_node(op, ["x"] + ["w"] * times, ["y"], name="n", domain=domain)
    graph = helper.make_graph([node], "g", inputs, outputs, weights)
    opsets: List[Any] = [helper.make_opsetid("", opset)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


for name, content in FILES.items():
    with open(name, "wb") as file:
        file.write(content)
header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
with open("m.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + bytes(4))
write_archive("m.pt", "m/data.pkl")
write_archive("m.keras", "metadata.json")
write_archive("m.zip", "m.onnx")
np.save("x.npy", np.zeros((1, 3), np.float32))
np.savez("x.npz", x=np.zeros((1, 3), np.float32))
write_model("ok.onnx", "MatMul")
write_model("fixed.onnx", "MatMul", dims=(1, 3))
write_model("near.onnx", "Matmul")
write_model("acme.onnx", "MyOp", "com.acme")
write_model("old.onnx", "BatchNormalization", opset=6, times=4)
