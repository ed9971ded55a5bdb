# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves nearest.onnx by the Open Inference Protocol, version 2, with tensors as JSON."""

import numpy as np
import tssa
from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse
from pydantic import BaseModel

TYPES = {"BOOL": "bool", "UINT8": "uint8", "INT8": "int8", "INT32": "int32", "INT64": "int64", "FP32": "float32", "FP64": "float64"}
NAMES = {kind: name for name, kind in TYPES.items()} | {"float": "FP32", "double": "FP64"}
sessions = {"nearest": tssa.InferenceSession("nearest.onnx")}  # compiled now, or taken from the cache
app = FastAPI()


class Tensor(BaseModel):
    name: str
    shape: list[int] = []
    datatype: str = ""
    data: list = []


class Inference(BaseModel):
    id: str = ""
    inputs: list[Tensor]
    outputs: list[Tensor] = []  # their names; all outputs if there are none


def find_session(name):
    if name not in sessions:
        raise HTTPException(404, f"there is no model '{name}', only: {', '.join(sessions)}")
    return sessions[name]


def read_array(tensor):
    if tensor.datatype not in TYPES:
        raise ValueError(f"input '{tensor.name}': expected one of {', '.join(TYPES)}, got datatype '{tensor.datatype}'")
    return np.array(tensor.data, TYPES[tensor.datatype]).reshape(tensor.shape)


def describe_ports(ports):
    """Names, types and shapes; -1 is a size that each request decides."""
    return [{"name": port.name, "datatype": NAMES[port.type.removeprefix("tensor(").removesuffix(")")],
             "shape": [size if isinstance(size, int) else -1 for size in port.shape]} for port in ports]


@app.exception_handler(HTTPException)
@app.exception_handler(ValueError)  # tssa.InvalidArgument is one
def refuse(_, error):
    return JSONResponse({"error": getattr(error, "detail", str(error))}, getattr(error, "status_code", 400))


@app.get("/v2/health/live")
@app.get("/v2/health/ready")
def get_health():
    return {}


@app.get("/v2/models/{name}")
@app.get("/v2/models/{name}/ready")
def get_model(name: str):
    session = find_session(name)
    return {"name": name, "platform": "tssa", "inputs": describe_ports(session.get_inputs()),
            "outputs": describe_ports(session.get_outputs())}


@app.post("/v2/models/{name}/infer")
def infer(name: str, request: Inference):  # FastAPI calls it in threads; a session runs in any number of them
    session = find_session(name)
    names = [output.name for output in request.outputs] or [output.name for output in session.get_outputs()]
    results = session.run(names, {tensor.name: read_array(tensor) for tensor in request.inputs})
    return {"model_name": name, "id": request.id,
            "outputs": [{"name": name, "datatype": NAMES[result.dtype.name], "shape": result.shape, "data": result.ravel().tolist()}
                        for name, result in zip(names, results)]}
