//===- Refused.cpp - what to do instead -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Microsoft/Contrib.h"

namespace tssa::operators {

void registerContribRefused(Registry &registry) {
  for (const char *op : {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch",
                         "NGramRepeatBlock", "BifurcationDetector"})
    registry.refuse(contribDomain, op, "export the decoder alone and run the generation around it");
  for (const char *op : {"Tokenizer", "WordConvEmbedding"})
    registry.refuse(contribDomain, op, "tokenize before the model");
  for (const char *op : {"EPContext", "Snpe"})
    registry.refuse(contribDomain, op,
                    "the model is compiled for another device: use the one it was made from");
  for (const char *op : {"BiasDropout", "BitmaskDropout", "BitmaskBiasDropout"})
    registry.refuse(contribDomain, op, "export the model for inference");
  registry.refuse("com.microsoft.nchwc", "",
                  "re-export the model without layout optimisation: it was saved after ONNX "
                  "Runtime chose a layout for one machine");
  registry.refuse("com.ms.internal.nhwc", "",
                  "re-export the model without layout optimisation: it was saved after ONNX "
                  "Runtime chose a layout for one machine");
  registry.refuse("ai.onnx.contrib", "",
                  "run the pre- and postprocessing of onnxruntime-extensions outside of the model");
  registry.refuse("ai.onnx.ml", "ZipMap", "convert the model with zipmap=False");
  for (const char *op : {"CastMap", "DictVectorizer", "CategoryMapper"})
    registry.refuse("ai.onnx.ml", op, "maps and strings are not supported: encode them before");
}

} // namespace tssa::operators
