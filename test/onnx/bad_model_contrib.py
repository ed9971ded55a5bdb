"""More files for bad_models.py: nodes of com.microsoft whose inputs do not fit each other."""

import ml_dtypes
import numpy as np
from onnx import TensorProto as T
from onnx import ValueInfoProto
from onnx import helper as h

from bad_model_files import REFUSED, Case, model, node, value, writes
from bad_model_operands import refused, zeros

DOMAIN = "com.microsoft"
QUERY, CACHE, GIVEN = zeros(2, 1, 16), zeros(2, 2, 6, 8), np.array([4], np.int32)


def lengths(*numbers):
    return np.array(numbers, np.int32)


def multi_head(name, *texts, inputs, **rest):
    return refused(name, *texts, kind="MultiHeadAttention", domain=DOMAIN, num_heads=2, arrays=inputs, **rest)


def decoder(name, *texts, inputs, **rest):
    return refused(name, *texts, kind="DecoderMaskedMultiHeadAttention", domain=DOMAIN, num_heads=2, arrays=inputs, **rest)


def group_query(name, *texts, **rest):
    arrays = [zeros(1, 3, 32), zeros(1, 3, 16), zeros(1, 3, 16), None, None, lengths(2), lengths(3)]
    return refused(name, *texts, kind="GroupQueryAttention", domain=DOMAIN, num_heads=2, kv_num_heads=1, arrays=arrays, **rest)


def cached(past=CACHE, given=GIVEN, indirection=None):
    """Inputs of MultiHeadAttention."""
    return [QUERY, QUERY, QUERY, None, None, None, past, past, given, indirection]


def of_map(kind):
    """A node of ai.onnx.ml whose input is a map."""
    given = ValueInfoProto(name="x")
    given.type.CopyFrom(h.make_map_type_proto(T.INT64, h.make_tensor_type_proto(T.FLOAT, [])))
    made = node(kind, ["x"], ["y"], "n", domain="ai.onnx.ml")
    return model([made], inputs=[given], outputs=[value("y", None)], domains=["ai.onnx.ml"])


def of_map_case(kind):
    return Case(f"map_{kind}", writes(lambda: of_map(kind)), REFUSED,
                ["'n'", r"\(maps and strings are not supported: encode them before\)"])


def gather(name, *texts, data=zeros(8, 16, dtype=np.uint8), scales=zeros(8, 1), zero_points=None, **attributes):
    """A table of 8 rows with 32 numbers of 4 bits."""
    arrays = [data, np.array([0, 7]), scales, zero_points]
    return refused(name, *texts, kind="GatherBlockQuantized", domain=DOMAIN, arrays=arrays,
                   **{"bits": 4, "block_size": 32, "quantize_axis": 1, **attributes})


def masked(name, *texts, mask, batch=2):
    x = zeros(batch, 3, 16)
    return multi_head(name, *texts, inputs=[x, x, x, None, mask])


#: Attention with caches, and the scores as an output.
CONTRIB = [
    multi_head("cache_full", "length of the cache minus past_sequence_length and the new tokens",
               inputs=cached(given=lengths(6)), constants=[8]),
    multi_head("cache_length_negative", "past_sequence_length", "-1", inputs=cached(given=lengths(-1)), constants=[8]),
    multi_head("cache_lengths", r"expected one past_sequence_length, got i32\[2\]", inputs=cached(given=lengths(4, 4))),
    multi_head("cache_of_rank_3", r"expected a past of rank 4, got f32\[2,6,8\]", inputs=cached(past=zeros(2, 6, 8))),
    multi_head("cache_of_other_heads", "2", "3", inputs=cached(past=zeros(2, 3, 6, 8))),
    multi_head("cache_of_keys_only", "expected past_key and past_value together", inputs=[*cached()[:7], None, GIVEN]),
    multi_head("cache_indirection", "cache_indirection", "export the model without beam search",
               inputs=cached(indirection=np.zeros((1, 2, 6), np.int32))),
    decoder("decoder_of_two_queries", "queries of each row", "1", "2", inputs=[zeros(2, 2, 16)] * 3),
    decoder("decoder_query_of_rank_2", r"expected a query of rank 3, got f32\[2,16\]", inputs=[zeros(2, 16)] * 3),
    decoder("decoder_without_length", "expected past_sequence_length with past_present_share_buffer = 1",
            inputs=[QUERY, QUERY, QUERY, None, None, CACHE, CACHE], past_present_share_buffer=1),
    decoder("decoder_of_beams", "cache_indirection", "export the model without beam search",
            inputs=[QUERY, QUERY, QUERY, None, None, CACHE, CACHE, GIVEN, lengths(2), np.zeros((1, 2, 6), np.int32)],
            past_present_share_buffer=1),
    decoder("decoder_mask", "a mask and the keys", "5", "6",
            inputs=[QUERY, QUERY, QUERY, np.ones((2, 6), np.int32), None, CACHE, CACHE, GIVEN], constants=[7],
            past_present_share_buffer=1),
    group_query("query_causal", "expected causal of 0 or 1, got 2", causal=2),
    group_query("query_window_of_all", "expected local_window_size of -1 with causal = 0, got 3", causal=0,
                local_window_size=3),
    group_query("query_scores_of_no_kind", "expected qk_output of 1 or 2 for the output of scores, got 0", outputs=4),
    group_query("query_scores_of_kind_3", "expected qk_output of 1 or 2 for the output of scores, got 3", outputs=4,
                qk_output=3),
    *map(of_map_case, ("CastMap", "DictVectorizer")),
]

#: Tables and masks of wrong sizes.
SIZES = [
    gather("table_bits", "expected bits = 2, 4 or 8", "3", bits=3),
    gather("table_block_size", "expected a block_size that is a power of 2 of at least 16, got 24", block_size=24),
    gather("table_small_block", "expected a block_size that is a power of 2 of at least 16, got 8", block_size=8),
    gather("table_scales", r"expected scales f32\[8,1\]", r"f32\[8,2\]", scales=zeros(8, 2)),
    gather("table_zero_type", "expected zero_points of type u8, which is the type of data, got u4", zero_points=zeros(8, 1, dtype=ml_dtypes.uint4)),
    gather("table_zeros", r"expected zero_points u8\[8,1\]", r"u8\[8,2\]", zero_points=zeros(8, 2, dtype=np.uint8)),
    masked("mask_of_5_numbers", "a mask and the batch", "5", mask=lengths(1, 2, 3, 1, 2)),
    masked("mask_of_one_row_too_many", "a mask and the batch", "3", mask=lengths(1, 2, 3)),
    masked("mask_of_packed_and_one", "a mask and the batch", "9", mask=lengths(*[1] * 9)),
    masked("mask_of_other_keys", "a mask and the keys", "4", "3", mask=np.ones((2, 4), np.int32)),
    masked("mask_of_other_rows", "a mask and the batch", "1", "2", mask=np.ones((1, 3), np.int32)),
    masked("mask_of_other_queries", "a mask and the queries", "2", "3", mask=np.ones((2, 2, 3), np.int32)),
    masked("mask_of_rank_4", "a mask of rank 4", mask=np.ones((2, 1, 3, 3), np.int32)),
]
