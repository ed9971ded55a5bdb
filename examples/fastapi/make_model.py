# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes nearest.onnx: the nearest of three centres to each row.

x f32[rows,4] -> probabilities f32[rows,3], nearest i64[rows].
"""

import numpy as np
from onnx import numpy_helper, parser, save

centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]], np.float32)
model = parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
nearest (float[rows, 4] x) => (float[rows, 3] probabilities, int64[rows] nearest) {
  scores = Gemm (x, weight, bias)
  probabilities = Softmax (scores)
  nearest = ArgMax <axis = 1, keepdims = 0> (scores)
}""")
model.graph.initializer.extend([numpy_helper.from_array(2 * centres.T, "weight"),
                                numpy_helper.from_array(-(centres ** 2).sum(1), "bias")])
save(model, "nearest.onnx")
