# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The graph of all-MiniLM-L6-v2 as text of ONNX: TEXT, for onnx.parser, whose weights have PyTorch's names.

tokens, mask i64[batch,length] -> embedding f32[batch,384] of length 1: the mean over the tokens whose mask is 1.
"""

import re

LAYERS, HEADS, WIDTH = 6, 12, 384
# @ is the number of the layer. Dense and Norm are written out below, with the weights that they name.
LAYER = "".join(f"""
  {part}@ = Dense (x@, encoder_layer_@_attention_self_{part})
  {part}_split@ = Reshape ({part}@, by_head)
  {part}_heads@ = Transpose <perm = [{order}]> ({part}_split@)"""
                for part, order in (("query", "0, 2, 1, 3"), ("key", "0, 2, 3, 1"), ("value", "0, 2, 1, 3"))) + """
  product@ = MatMul (query_heads@, key_heads@)
  scaled@ = Mul (product@, scale)
  masked@ = Add (scaled@, hidden)
  attention@ = Softmax <axis = -1> (masked@)
  mixed@ = MatMul (attention@, value_heads@)
  by_token@ = Transpose <perm = [0, 2, 1, 3]> (mixed@)
  context@ = Reshape (by_token@, joined)
  attended@ = Dense (context@, encoder_layer_@_attention_output_dense)
  added@ = Add (attended@, x@)
  middle@ = Norm (added@, encoder_layer_@_attention_output_LayerNorm)
  wide@ = Dense (middle@, encoder_layer_@_intermediate_dense)
  active@ = Gelu (wide@)
  narrow@ = Dense (active@, encoder_layer_@_output_dense)
  sum@ = Add (narrow@, middle@)
  x@next = Norm (sum@, encoder_layer_@_output_LayerNorm)"""
layers = "".join(LAYER.replace("@next", str(n + 1)).replace("@", str(n)) for n in range(LAYERS))
TEXT = f"""<ir_version: 9, opset_import: ["": 20]>
minilm (int64[batch, length] tokens, int64[batch, length] mask) => (float[batch, {WIDTH}] embedding) {{
  words = Gather (embeddings_word_embeddings_weight, tokens)
  length = Shape <start = 1> (tokens)
  places = Slice (embeddings_position_embeddings_weight, zero, length)
  placed = Add (words, places)
  typed = Add (placed, embeddings_type)
  x0 = Norm (typed, embeddings_LayerNorm)
  kept = Cast <to = 1> (mask)
  kept_keys = Unsqueeze (kept, key_axes)
  hidden = Log (kept_keys)  {layers}
  kept_tokens = Unsqueeze (kept, last_axis)
  values = Mul (x{LAYERS}, kept_tokens)
  total = ReduceSum <keepdims = 0> (values, one)
  embedding = LpNormalization <axis = -1> (total)
}}"""
TEXT = re.sub(r"(\w+) = Dense \((\w+), (\w+)\)", r"\1_ = MatMul (\2, \3_weight)\n  \1 = Add (\1_, \3_bias)", TEXT)
TEXT = re.sub(r"Norm \((\w+), (\w+)\)", r"LayerNormalization <epsilon = 1e-12> (\1, \2_weight, \2_bias)", TEXT)
