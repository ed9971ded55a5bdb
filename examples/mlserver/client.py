# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Asks the server, once the model is ready, and prints what it answers."""

import time

import httpx
import numpy as np

server = httpx.Client(base_url="http://127.0.0.1:8392", transport=httpx.HTTPTransport(retries=8))
deadline = time.monotonic() + 60
while server.get("/v2/models/nearest/ready").status_code != 200:
    if time.monotonic() > deadline:
        raise TimeoutError("the model is not ready after a minute")
    time.sleep(0.2)

data = [5.1, 3.5, 1.4, 0.2, 6.7, 3.1, 5.6, 2.4]
for shape in ([2, 4], [4, 2]):
    request = {"inputs": [{"name": "x", "shape": shape, "datatype": "FP32", "data": data}]}
    answer = server.post("/v2/models/nearest/infer", json=request)
    outputs = {output["name"]: np.round(output["data"], 2).tolist() for output in answer.json().get("outputs", [])}
    print(answer.status_code, outputs or answer.json()["error"])
