# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A runtime of MLServer for ONNX models and compiled ones (model-settings.json names it)."""

import asyncio

import tssa
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.errors import InferenceError
from mlserver.types import InferenceResponse
from mlserver.utils import get_model_uri


class Runtime(MLModel):
    async def load(self):
        self.session = tssa.InferenceSession(await get_model_uri(self.settings))
        return True

    async def predict(self, payload):
        feeds = {tensor.name: NumpyCodec.decode_input(tensor) for tensor in payload.inputs}
        try:
            results = await asyncio.to_thread(self.session.run, None, feeds)
        except tssa.InvalidArgument as error:
            raise InferenceError(str(error)) from error  # status 400
        outputs = [NumpyCodec.encode_output(port.name, result) for port, result in zip(self.session.get_outputs(), results)]
        return InferenceResponse(model_name=self.name, outputs=outputs)
