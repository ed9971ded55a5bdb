"""More files for bad_models.py: nodes of com.microsoft whose inputs do not fit each other."""

import numpy as np

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
]
