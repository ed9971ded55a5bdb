# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The package has every name of ONNX Runtime's module, and can be imported under its name."""

import contextlib
import importlib.util
import inspect
import io
import os
import subprocess
import sys
import unittest
import unittest.mock

import tssa
from tssa import _onnxruntime, _refusals

#: The public names of ONNX Runtime 1.31.1: of the module, and of its classes.
NAMES = """
AdapterFormat ExecutionMode ExecutionOrder GraphOptimizationLevel IOBinding InferenceSession LoraAdapter ModelCompiler
ModelMetadata NodeArg OrtAllocatorType OrtArenaCfg OrtCompileApiFlags OrtDevice OrtDeviceMemoryType OrtDeviceVendorId
OrtEpAssignedNode OrtEpAssignedSubgraph OrtEpContextData OrtEpContextDataBuffer OrtEpDevice OrtExecutionProviderDevicePolicy
OrtExternalInitializerInfo OrtHardwareDevice OrtHardwareDeviceType OrtMemType OrtMemoryInfo OrtMemoryInfoDeviceType
OrtSparseFormat OrtSyncStream OrtValue RunOptions SessionIOBinding SessionOptions SparseTensor capi copy_tensors
create_and_register_allocator create_and_register_allocator_v2 cuda_version disable_telemetry_events enable_telemetry_events
get_all_providers get_available_providers get_build_info get_device get_ep_devices get_version_string has_collective_ops
import_capi_exception onnxruntime_validation package_name preload_dlls print_debug_info register_execution_provider_library
set_default_logger_severity set_default_logger_verbosity set_global_thread_pool_sizes set_seed
unregister_execution_provider_library version
"""
CLASSES = {
    "InferenceSession": """
create_ortvalue_from_shape_and_type disable_fallback enable_fallback end_profiling get_input_epdevices get_input_memory_infos
get_inputs get_modelmeta get_output_memory_infos get_outputs get_overridable_initializers get_profiling_start_time_ns
get_provider_graph_assignment_info get_provider_options get_providers get_session_options get_tuning_results io_binding
release_captured_graph run run_async run_with_iobinding run_with_ort_values run_with_ortvaluevector set_ep_dynamic_options
set_providers set_tuning_results""",
    "OrtValue": """
as_sparse_tensor data_ptr data_type device_name element_type from_dlpack has_value is_sparse_tensor is_tensor
is_tensor_sequence numpy ort_value_from_sparse_tensor ortvalue_from_numpy ortvalue_from_numpy_with_onnx_type
ortvalue_from_shape_and_type shape tensor_size_in_bytes update_inplace""",
    "IOBinding": """
bind_cpu_input bind_input bind_ortvalue_input bind_ortvalue_output bind_output clear_binding_inputs clear_binding_outputs
copy_outputs_to_cpu get_outputs get_outputs_as_ortvaluevector synchronize_inputs synchronize_outputs""",
    "SessionOptions": """
add_external_initializers add_external_initializers_from_files_in_memory add_free_dimension_override_by_denotation
add_free_dimension_override_by_name add_initializer add_provider add_provider_for_devices add_session_config_entry
clear_ep_context_data_read_func enable_cpu_mem_arena enable_mem_pattern enable_mem_reuse enable_profiling execution_mode
execution_order get_session_config_entry graph_optimization_level has_providers inter_op_num_threads intra_op_num_threads
log_severity_level log_verbosity_level logid optimized_model_filepath profile_file_prefix register_custom_ops_library
set_ep_context_data_read_func set_load_cancellation_flag set_provider_selection_policy
set_provider_selection_policy_delegate use_deterministic_compute use_per_session_threads""",
    "RunOptions": """
add_active_adapter add_run_config_entry get_run_config_entry log_severity_level log_verbosity_level logid
only_execute_path_to_fetches terminate""",
    "ModelMetadata": "custom_metadata_map description domain graph_description graph_name producer_name version",
    "NodeArg": "name shape type",
    "OrtDevice": "device_id device_mem_type device_type device_vendor_id make",
}
#: Programs that import onnxruntime, and what they print.
PROGRAM = """
import tssa
module = tssa.use_as_onnxruntime()
assert tssa.use_as_onnxruntime() is module
import importlib.util
import onnxruntime
import onnxruntime as ort
from onnxruntime import InferenceSession, LoraAdapter, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import EPFail, InvalidArgument, NoSuchFile
from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession as Again
import onnxruntime.capi._pybind_state as C
assert ort is module and Again is InferenceSession is tssa.InferenceSession and C.SessionOptions is SessionOptions
assert ort.capi.onnxruntime_pybind11_state.NoSuchFile is NoSuchFile
assert importlib.util.find_spec("onnxruntime") is not None
assert tuple(map(int, ort.__version__.split(".")[:2])) >= (1, 16) and tssa.__version__ != ort.__version__
print(ort.__version__, ort.version, ort.get_version_string())
for name in ("onnxruntime.quantization", "onnxruntime.transformers.optimizer", "onnxruntime.training"):
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(error)
try:
    from onnxruntime import tools
except ImportError as error:
    print(error)
try:
    InferenceSession("nowhere.onnx")
except ort.capi.onnxruntime_pybind11_state.NoSuchFile as error:
    print(error)
"""


def list_names(module):
    """The public names of a module, but for modules of Python's library in it."""
    return {name for name in dir(module) if not name.startswith("_") and not (
        inspect.ismodule(getattr(module, name)) and getattr(module, name).__name__.partition(".")[0] != module.__name__)}


def list_parameters(function):
    """The names of the parameters that take positions, in order."""
    return [name for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]


class Tests(unittest.TestCase):
    def has(self, owner, name):
        """Whether there is a name, or one that says what to do instead. An option may be set on an object only."""
        return hasattr(owner, name) or name in getattr(owner, "_defaults", {})

    def test_names(self):
        self.assertEqual([name for name in NAMES.split() if not self.has(tssa, name)], [])
        for kind, names in CLASSES.items():
            self.assertEqual([name for name in names.split() if not self.has(getattr(tssa, kind), name)], [], kind)

    def test_the_lists_are_those_of_onnx_runtime(self):
        if importlib.util.find_spec("onnxruntime") is None:
            self.skipTest("onnxruntime is not installed")
        import onnxruntime
        if onnxruntime.__version__ != _onnxruntime.API_VERSION:
            self.skipTest(f"onnxruntime is {onnxruntime.__version__}")
        self.assertEqual(list_names(onnxruntime), set(NAMES.split()))
        for kind, names in CLASSES.items():
            there = {name for name in dir(getattr(onnxruntime, kind)) if not name.startswith("_")}
            self.assertEqual(there, set(names.split()), kind)

    def test_parameters_are_those_of_onnx_runtime(self):
        if importlib.util.find_spec("onnxruntime") is None:
            self.skipTest("onnxruntime is not installed")
        import onnxruntime
        compared = 0
        for kind in ("IOBinding", "InferenceSession", "OrtDevice", "OrtValue"):
            for name, wanted in inspect.getmembers(getattr(onnxruntime, kind), callable):
                found = getattr(getattr(tssa, kind), name, None)
                if (name.startswith("_") and name != "__init__") or "." not in getattr(found, "__qualname__", "") or (
                        kind != "InferenceSession" and name == "__init__") or "<locals>" in found.__qualname__:
                    continue  # one of Python's, made by other functions, or refused
                with self.subTest(f"{kind}.{name}"):
                    self.assertEqual(list_parameters(found), list_parameters(wanted))
                    compared += 1
        self.assertGreater(compared, 40)

    def test_refused_names(self):
        for name, way in _refusals.MODULE.items():
            with self.assertRaisesRegex(tssa.NotImplemented, f"^{name}: ") as caught:
                getattr(tssa, name)()
            self.assertTrue(str(caught.exception).endswith(way))
            self.assertNotIn(name, tssa.__all__)

    def test_what_the_module_says_of_itself(self):
        self.assertEqual(tssa.get_version_string(), tssa.__version__)
        self.assertIn(f"ONNX Runtime {_onnxruntime.API_VERSION}", tssa.get_build_info())
        self.assertFalse(tssa.has_collective_ops())
        tssa.disable_telemetry_events()
        tssa.enable_telemetry_events()
        tssa.preload_dlls(cudnn=False)
        tssa.set_default_logger_verbosity(1)
        for environment, text in (({}, "tssa-compile: /"), ({"TSSA_COMPILE": "/nowhere"}, "tssa-compile: ")):
            with unittest.mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(io.StringIO()) as printed:
                tssa.print_debug_info()
            self.assertIn(text, printed.getvalue())

    def test_use_as_onnxruntime(self):
        run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        reason = "is not offered: tssa runs models only; use ONNX Runtime in a process of its own"
        self.assertEqual(run.stdout.splitlines(), [" ".join([_onnxruntime.API_VERSION] * 3), *(
            f"'onnxruntime.{name}' {reason}" for name in ("quantization", "transformers", "training", "tools")),
            "there is no model 'nowhere.onnx'"])


if __name__ == "__main__":
    unittest.main()
