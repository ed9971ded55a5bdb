# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Asks the server, once it is ready, and prints what it answers."""

import json

import httpx

server = httpx.Client(base_url="http://127.0.0.1:8391", transport=httpx.HTTPTransport(retries=8))
server.get("/v2/health/ready").raise_for_status()
print(json.dumps(server.get("/v2/models/nearest").json()["inputs"]))


def ask(model, name="x", shape=(2, 4), datatype="FP32", outputs=("nearest",)):
    data = [5.1, 3.5, 1.4, 0.2, 6.7, 3.1, 5.6, 2.4]
    request = {"inputs": [{"name": name, "shape": shape, "datatype": datatype, "data": data}],
               "outputs": [{"name": output} for output in outputs]}
    answer = server.post(f"/v2/models/{model}/infer", json=request)
    print(answer.status_code, json.dumps(answer.json().get("outputs") or answer.json()["error"]))


ask("nearest")
ask("nearest", shape=(4, 2))
ask("nearest", shape=(3, 4))
ask("nearest", shape=8)
ask("nearest", name="y")
ask("nearest", datatype="TEXT")
ask("nearest", outputs=("scores",))
ask("absent")
