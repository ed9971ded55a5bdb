//===- Refused.cpp - hints for unsupported operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"

namespace tssa::operators {

namespace {
/// Operators of a domain, and what to do about them. No name stands for all of the domain.
struct Advice {
  llvm::StringLiteral domain, text;
  std::vector<const char *> names;
};
} // namespace

/// What exporters and quantizers write only if they are told to, or may be told not to.
static std::vector<Advice> getAdviceForExporters() {
  constexpr llvm::StringLiteral microsoft = "com.microsoft";
  return {
      {microsoft,
       "export the decoder alone and run the generation around it",
       {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch", "NGramRepeatBlock",
        "BifurcationDetector"}},
      {microsoft, "tokenize before the model", {"Tokenizer", "WordConvEmbedding"}},
      {microsoft,
       "the model is compiled for another device: use the one it was made from",
       {"EPContext", "Snpe"}},
      {microsoft,
       "export the model for inference",
       {"BiasDropout", "BitmaskDropout", "BitmaskBiasDropout", "IsAllFinite"}},
      {microsoft, "export the experts as MatMul", {"MoE"}},
      {microsoft, "export the experts as MatMul, with weights quantized as MatMulNBits", {"QMoE"}},
      {microsoft,
       "quantize the weights as MatMulNBits",
       {"MatMulBnb4", "MatMulFpQ4", "MatMulBlockQuantizedFp4Weight",
        "MatMulBlockQuantizedFp8Weight", "GemmFloat8"}},
      {microsoft,
       "export the model with separate MatMulNBits",
       {"MatMulNBitsMlp", "MatMulNBitsQkv"}},
      {microsoft,
       "use the model from before the removal of padding (convert_to_packing_mode)",
       {"PackedAttention", "PackedMultiHeadAttention", "RemovePadding", "RestorePadding"}},
      {microsoft,
       "export the attention as MultiHeadAttention",
       {"DecoderAttention", "DecoderMaskedSelfAttention"}},
      {microsoft,
       "export the model with GroupQueryAttention, which keeps a cache in one piece",
       {"PagedAttention"}},
      {microsoft,
       "export the model with dense attention, such as GroupQueryAttention",
       {"SparseAttention", "SparsePagedAttention", "DynamicSparseAttention"}},
      {microsoft,
       "export the model without fusion, as standard operators",
       {"LongformerAttention", "RelativePositionBias", "GatedRelativePositionBias",
        "GemmaRotaryEmbedding", "MRotaryEmbedding", "LinearAttention", "CausalConvWithState",
        "AttnLSTM", "GatedDeltaNet"}},
      {microsoft,
       "quantize the model with QuantizeLinear and DequantizeLinear",
       {"QOrderedAttention", "QOrderedGelu", "QOrderedLayerNormalization",
        "QOrderedLongformerAttention", "QOrderedMatMul", "QuantizeWithOrder", "DequantizeWithOrder",
        "QuantizeBFP", "DequantizeBFP", "QEmbedLayerNormalization"}},
  };
}

/// Operators that other operators can replace.
static std::vector<Advice> getAdviceToReplace() {
  constexpr llvm::StringLiteral microsoft = "com.microsoft";
  return {
      {microsoft, "use DFT of ai.onnx with onesided=1", {"Rfft"}},
      {microsoft, "use DFT of ai.onnx with inverse=1 and onesided=1", {"Irfft"}},
      {microsoft, "use Gather of ai.onnx", {"TorchEmbedding"}},
      {microsoft, "use QLinearConv of ai.onnx", {"QLinearConv"}},
      {microsoft, "use MatMul and FastGelu", {"GemmFastGelu"}},
      {microsoft, "use FusedMatMul and the activation", {"FusedMatMulActivation"}},
      {microsoft, "use ConvTranspose with constant pads", {"ConvTransposeWithDynamicPads"}},
      {microsoft,
       "use Resize with coordinate_transformation_mode=tf_crop_and_resize",
       {"CropAndResize"}},
      {microsoft, "cast the inputs to i32 and use MatMul", {"MatMulInteger16"}},
      {microsoft, "cast the input to i32 and use ReduceSum", {"ReduceSumInteger"}},
      {microsoft, "use a dense matrix and MatMul", {"SparseToDenseMatMul"}},
      {microsoft,
       "compute it outside of the model",
       {"Inverse", "DynamicTimeWarping", "MurmurHash3"}},
  };
}

static std::vector<Advice> getAdviceForDomains() {
  constexpr llvm::StringLiteral layout =
      "re-export the model without layout optimisation: it was saved after ONNX Runtime chose a "
      "layout for one machine";
  return {
      {"com.microsoft", layout, {"NhwcConv", "NhwcFusedConv", "NhwcMaxPool"}},
      {"com.microsoft.nchwc", layout, {""}},
      {"com.ms.internal.nhwc", layout, {""}},
      {"ai.onnx.contrib",
       "run the pre- and postprocessing of onnxruntime-extensions outside of the model",
       {""}},
      {"ai.onnx.ml",
       "maps and strings are not supported: encode them before",
       {"CastMap", "DictVectorizer", "CategoryMapper"}},
  };
}

OperatorRows getRefusedRows() {
  OperatorRows rows;
  for (const auto &group : {getAdviceForExporters(), getAdviceToReplace(), getAdviceForDomains()})
    for (const Advice &advice : group)
      for (const char *name : advice.names)
        rows.push_back({name, Domain{advice.domain}, Hint{advice.text}});
  return rows;
}

} // namespace tssa::operators
