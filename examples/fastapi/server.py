# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves nearest.onnx by the Open Inference Protocol, version 2."""

import tssa
from fastapi import FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from protocol import Inference, describe_ports, read_array, write_array

sessions = {"nearest": tssa.InferenceSession("nearest.onnx")}  # compiled now, or taken from the cache
app = FastAPI()


def find_session(name):
    if name not in sessions:
        raise HTTPException(404, f"there is no model '{name}', only: {', '.join(sessions)}")
    return sessions[name]


@app.exception_handler(RequestValidationError)
def refuse_form(_, error):
    return JSONResponse({"error": "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in error.errors())}, 400)


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
    names = [output.name for output in request.outputs or session.get_outputs()]
    results = session.run(names, {tensor.name: read_array(tensor) for tensor in request.inputs})
    return {"model_name": name, "id": request.id, "outputs": [write_array(*result) for result in zip(names, results)]}
