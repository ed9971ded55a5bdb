# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Configuration entries of sessions and runs, by the names that ONNX Runtime gives them.

Most of them choose among ONNX Runtime's kernels, allocators and threads. A model computes the same with and without them, so
they are accepted. An entry that would change what is computed or written is refused, or a warning says so.
"""

import warnings
from typing import Dict, Iterable, Mapping, Set, Tuple

from ._errors import NotImplemented as Unavailable

#: Entries of sessions without a part in the results.
_SESSION_NAMES = (
    "collect_node_memory_stats_to_file", "debug_layout_transformation", "disable_aot_function_inlining",
    "disable_cpu_ep_fallback", "disable_double_qdq_remover", "disable_model_compile", "disable_prepacking",
    "disable_qdq_constant_folding", "disable_quant_qdq", "dynamic_block_base", "enable_dq_matmulnbits_fusion",
    "enable_quant_qdq_cleanup", "fail_on_suboptimal_compiled_model", "force_spinning_stop",
    "graph_optimizations_loop_level", "inter_op.allow_spinning", "inter_op.spin_backoff_max",
    "inter_op.spin_duration_us", "intra_op.allow_spinning", "intra_op.spin_backoff_max", "intra_op.spin_duration_us",
    "intra_op_thread_affinities", "load_model_format", "node_partition_config_file", "prepack.enable_parallel",
    "qdq_matmulnbits_accuracy_level", "qdq_matmulnbits_block_size", "qdqisint8allowed",
    "record_ep_graph_assignment_info", "save_external_prepacked_constant_initializers", "save_model_format",
    "strict_shape_type_inference", "use_device_allocator_for_initializers", "use_env_allocators",
    "use_ort_model_bytes_directly", "use_ort_model_bytes_for_initializers", "x64quantprecision")
_OPTIMIZATION_NAMES = (
    "constant_folding_max_output_size_in_bytes", "disable_specified_optimizers", "enable_cast_chain_elimination",
    "enable_memory_probe_recompute_config", "memory_optimizer_config", "minimal_build_optimizations")
_OF_SESSIONS = frozenset((*(f"session.{name}" for name in _SESSION_NAMES),
                          *(f"optimization.{name}" for name in _OPTIMIZATION_NAMES)))
#: Entries of runs without a part in the results.
_OF_RUNS = frozenset(("disable_synchronize_execution_providers", "ep.dynamic.workload_type", "gpu_graph_id",
                      "memory.enable_memory_arena_shrinkage"))
#: Values of entries that would change the results by their roundings, and what is computed instead.
_CHANGES = {("optimization.enable_gelu_approximation", "1"): "Gelu is computed as the model defines it",
            ("mlas.enable_gemm_fastmath_arm64_bfloat16", "1"): "products are rounded as precision= of tssa.Session says"}
#: Values of entries that are refused: None for any.
_REFUSED: Dict[Tuple[str, object], str] = {
    ("session.set_denormal_as_zero", "1"): "denormal numbers are kept: they cannot be set to zero",
    ("session.model_external_initializers_file_folder_path", None):
        "external weights are read from the folder of the model: give the model as a path",
    ("ep.context_enable", "1"): "there are no models with compiled parts: tssa-compile MODEL -o FILE keeps what was compiled"}

_said: Set[str] = set()


def warn_once(text: str, stacklevel: int) -> None:
    """Warns of what has not been said in this process. stacklevel: as of warnings.warn(), seen from the caller."""
    if text not in _said:
        _said.add(text)
        warnings.warn(text, stacklevel=stacklevel + 1)


def check_session_entry(key: str, value: str) -> None:
    """NotImplemented: the entry is refused."""
    reason = _REFUSED.get((key, value), _REFUSED.get((key, None)))
    if reason is not None:
        raise Unavailable(reason)


def warn_of_session_entries(entries: Mapping[str, str], stacklevel: int) -> None:
    """Warns of entries that would change the results, and of unknown ones, each once in a process."""
    for key, value in entries.items():
        if (key, value) in _CHANGES:
            warn_once(f"the configuration entry '{key}' has no effect: {_CHANGES[key, value]}", stacklevel + 1)
    known = {*_OF_SESSIONS, *(key for key, _ in (*_CHANGES, *_REFUSED))}
    _warn_of_unknown((key for key in entries if key not in known), stacklevel + 1)


def warn_of_run_entries(entries: Iterable[str], stacklevel: int) -> None:
    """Warns of unknown entries, each once in a process."""
    _warn_of_unknown((key for key in entries if key not in _OF_RUNS), stacklevel + 1)


def _warn_of_unknown(keys: Iterable[str], stacklevel: int) -> None:
    for key in keys:
        warn_once(f"the configuration entry '{key}' is unknown and has no effect", stacklevel + 1)
