"""Programs that a type checker must accept; test/torch/test_typing.py."""

import numpy
import tssa


@tssa.compile
def doubled(x: float) -> float:
    return x * 2


@tssa.compile(threads=1)
def tripled(x: float, times: int = 1) -> float:
    return x * 3 * times


def classify(path: str, image: "numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]") -> float:
    options = tssa.SessionOptions()
    options.intra_op_num_threads = 2
    options.add_input_shape("image", ["N", 3, None])
    options.graph_optimization_level = tssa.GraphOptimizationLevel.ORT_ENABLE_ALL
    with tssa.InferenceSession(path, options, providers=["CPUExecutionProvider"]) as session:
        names = [port.name for port in session.get_inputs()]
        run = tssa.RunOptions()
        run.timeout = 1.5
        try:
            scores = session.run(None, {names[0]: image}, run)[0]
        except tssa.InvalidArgument as error:
            print(error.code, error.node)
            return 0.0
        meta: tssa.ModelMetadata = session.get_modelmeta()
        labels: str = meta.custom_metadata_map.get("labels", meta.graph_name)
        profile: str = session.end_profiling()
        print(labels, meta.version + 1, profile, session.get_profiling_start_time_ns() + 1)
    return float(scores.max())


def bind(path: str, image: "numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]") -> int:
    session = tssa.InferenceSession(path)
    value = tssa.OrtValue.ortvalue_from_numpy(image, "cpu", 0)
    binding: tssa.IOBinding = session.io_binding()
    binding.bind_ortvalue_input("x", value)
    binding.bind_output("y", "cpu", 0, numpy.float32, image.shape, image.ctypes.data)
    session.run_with_iobinding(binding)
    results: list[tssa.OrtValue] = session.run_with_ort_values(None, {"x": value})
    session.run_async(["y"], {"x": image}, lambda arrays, data, error: print(len(arrays), data + 1, error.upper()), 5)
    info: tssa.OrtMemoryInfo = session.get_input_memory_infos()[0]
    value.update_inplace(results[0])
    print(info.name, tssa.use_as_onnxruntime().__name__)
    return value.data_ptr() + value.element_type() + len(value.shape())


number: float = doubled(1.0) + tripled(2.0, times=2)
count: int = doubled.num_binaries
file: tssa.Session = tssa.compile("model.onnx")
shaped: tssa.Session = tssa.Session("model.onnx", input_shapes={"x": ["N", 2, None]})
rounded: tssa.Session = tssa.Session("model.onnx", precision="bf16")
