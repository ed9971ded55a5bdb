"""Operators that are refused with advice, for contrib_tests.py: each line of lib/Operators/Refused.cpp."""

import os
import re

import numpy as np

from contrib_case import Case

MICROSOFT = "com.microsoft"
TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "lib", "Operators", "Refused.cpp")

#: (domain, what the user reads, operators)
ADVICE = [
    (MICROSOFT, "export the decoder alone and run the generation around it",
     "BeamSearch GreedySearch Sampling WhisperBeamSearch NGramRepeatBlock BifurcationDetector"),
    (MICROSOFT, "tokenize before the model", "Tokenizer WordConvEmbedding"),
    (MICROSOFT, "use the one it was made from", "EPContext Snpe"),
    (MICROSOFT, "export the model for inference", "BiasDropout BitmaskDropout BitmaskBiasDropout IsAllFinite"),
    (MICROSOFT, "(export the experts as MatMul)", "MoE"),
    (MICROSOFT, "(export the experts as MatMul, with weights quantized as MatMulNBits)", "QMoE"),
    (MICROSOFT, "quantize the weights as MatMulNBits",
     "MatMulBnb4 MatMulFpQ4 MatMulBlockQuantizedFp4Weight MatMulBlockQuantizedFp8Weight GemmFloat8"),
    (MICROSOFT, "export the model with separate MatMulNBits", "MatMulNBitsMlp MatMulNBitsQkv"),
    (MICROSOFT, "use the model from before the removal of padding (convert_to_packing_mode)",
     "PackedAttention PackedMultiHeadAttention RemovePadding RestorePadding"),
    (MICROSOFT, "export the attention as MultiHeadAttention", "DecoderAttention DecoderMaskedSelfAttention"),
    (MICROSOFT, "export the model with GroupQueryAttention", "PagedAttention"),
    (MICROSOFT, "export the model with dense attention", "SparseAttention SparsePagedAttention DynamicSparseAttention"),
    (MICROSOFT, "export the model without fusion, as standard operators",
     "LongformerAttention RelativePositionBias GatedRelativePositionBias GemmaRotaryEmbedding MRotaryEmbedding "
     "LinearAttention CausalConvWithState AttnLSTM GatedDeltaNet"),
    (MICROSOFT, "quantize the model with QuantizeLinear and DequantizeLinear",
     "QOrderedAttention QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention QOrderedMatMul "
     "QuantizeWithOrder DequantizeWithOrder QuantizeBFP DequantizeBFP QEmbedLayerNormalization"),
    (MICROSOFT, "use DFT of ai.onnx with onesided=1", "Rfft"),
    (MICROSOFT, "use DFT of ai.onnx with inverse=1 and onesided=1", "Irfft"),
    (MICROSOFT, "use Gather of ai.onnx", "TorchEmbedding"),
    (MICROSOFT, "use QLinearConv of ai.onnx", "QLinearConv"),
    (MICROSOFT, "use MatMul and FastGelu", "GemmFastGelu"),
    (MICROSOFT, "use FusedMatMul and the activation", "FusedMatMulActivation"),
    (MICROSOFT, "use ConvTranspose with constant pads", "ConvTransposeWithDynamicPads"),
    (MICROSOFT, "use Resize with coordinate_transformation_mode=tf_crop_and_resize", "CropAndResize"),
    (MICROSOFT, "cast the inputs to i32 and use MatMul", "MatMulInteger16"),
    (MICROSOFT, "cast the input to i32 and use ReduceSum", "ReduceSumInteger"),
    (MICROSOFT, "use a dense matrix and MatMul", "SparseToDenseMatMul"),
    (MICROSOFT, "compute it outside of the model", "Inverse DynamicTimeWarping MurmurHash3"),
    (MICROSOFT, "re-export the model without layout optimisation", "NhwcConv NhwcFusedConv NhwcMaxPool"),
    ("com.microsoft.nchwc", "re-export the model without layout optimisation", "Conv"),
    ("com.ms.internal.nhwc", "re-export the model without layout optimisation", "Conv"),
    ("ai.onnx.contrib", "outside of the model", "StringJoin"),
    ("ai.onnx.ml", "maps and strings are not supported: encode them before", "CategoryMapper"),
]
#: They take maps, which these cases cannot have: see bad_model_contrib.py.
OF_MAPS = {"CastMap", "DictVectorizer"}

X = np.ones((2, 3), np.float32)
#: As REFUSED of contrib_cases.py.
REFUSED = [(Case(op, [X.astype(np.int64) if op == "CategoryMapper" else X], domain=domain), 3, words) for domain, words, ops in ADVICE for op in ops.split()]


def missing():
    """The operators of the compiler's table that have no case here."""
    with open(TABLE) as file:
        lists = re.findall(r'\{("\w+"(?:,\s*"\w+")*)\}', file.read())
    told = {name for _, _, ops in ADVICE for name in ops.split()}
    return sorted({name for names in lists for name in re.findall(r'"(\w+)"', names)} - told - OF_MAPS)
