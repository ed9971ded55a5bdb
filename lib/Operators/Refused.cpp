//===- Refused.cpp - hints for unsupported operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"

namespace tssa::operators {

OperatorRows getRefusedRows() {
  const Domain microsoft{"com.microsoft"}, ml{"ai.onnx.ml"};
  const Hint generation{"export the decoder alone and run the generation around it"};
  const Hint tokens{"tokenize before the model"};
  const Hint device{"the model is compiled for another device: use the one it was made from"};
  const Hint inference{"export the model for inference"};
  const Hint layout{"re-export the model without layout optimisation: it was saved after ONNX "
                    "Runtime chose a layout for one machine"};
  const Hint strings{"maps and strings are not supported: encode them before"};
  return {
      {"BeamSearch", microsoft, generation},
      {"GreedySearch", microsoft, generation},
      {"Sampling", microsoft, generation},
      {"WhisperBeamSearch", microsoft, generation},
      {"NGramRepeatBlock", microsoft, generation},
      {"BifurcationDetector", microsoft, generation},
      {"Tokenizer", microsoft, tokens},
      {"WordConvEmbedding", microsoft, tokens},
      {"EPContext", microsoft, device},
      {"Snpe", microsoft, device},
      {"BiasDropout", microsoft, inference},
      {"BitmaskDropout", microsoft, inference},
      {"BitmaskBiasDropout", microsoft, inference},
      {"", Domain{"com.microsoft.nchwc"}, layout},
      {"", Domain{"com.ms.internal.nhwc"}, layout},
      {"", Domain{"ai.onnx.contrib"},
       Hint{"run the pre- and postprocessing of onnxruntime-extensions outside of the model"}},
      {"CastMap", ml, strings},
      {"DictVectorizer", ml, strings},
      {"CategoryMapper", ml, strings},
  };
}

} // namespace tssa::operators
