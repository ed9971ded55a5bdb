# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Hands the results of one model to the next as OrtValues."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def make_session(operator, kinds, outputs, **attributes):
    inputs = [helper.make_tensor_value_info(f"x{i}", kind, ["n"]) for i, kind in enumerate(kinds)]
    node = helper.make_node(operator, [port.name for port in inputs], [port.name for port in outputs], **attributes)
    model = helper.make_model(helper.make_graph([node], operator, inputs, outputs), ir_version=10,
                              opset_imports=[helper.make_opsetid("", 17)])
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


counts = make_session("Unique", [INT64], [helper.make_tensor_value_info(name, INT64, ["m"]) for name in ("u", "i", "v", "c")],
                      axis=0)
cast = make_session("Cast", [INT64], [helper.make_tensor_value_info("y", FLOAT, ["n"])], to=FLOAT)
divide = make_session("Div", [FLOAT, FLOAT], [helper.make_tensor_value_info("z", FLOAT, ["n"])])

x = ort.OrtValue.ortvalue_from_numpy(np.array([4, 1, 4, 2, 1, 4]))
found = counts.run_with_ort_values(["u", "c"], {"x0": x})
print([(value.data_type(), value.shape()) for value in found])
floats = [cast.run_with_ort_values(None, {"x0": value})[0] for value in found]
shares = divide.run_with_ort_values(["z"], {"x0": floats[0], "x1": floats[1]})[0]
print(np.asarray(shares).round(3).tolist(), shares.device_name())
print(divide.run(None, {"x0": shares, "x1": np.full(3, 2, np.float32)})[0].round(3).tolist())
print(np.from_dlpack(shares).dtype, ort.OrtValue.from_dlpack(np.array([1, 2], np.int32)).data_type())

# Prints:
# [('tensor(int64)', [3]), ('tensor(int64)', [3])]
# [0.5, 2.0, 1.3329999446868896] cpu
# [0.25, 1.0, 0.6669999957084656]
# float32 tensor(int32)
