"""The systems, one interface: made from a task, then `call()` is one run and `results()` one whose answers are
wanted. Each lives in a process of its own (worker.py) and imports its library only there.

A task is a plain dictionary:
  model, inputs    paths of the ONNX file and of the .npz with its inputs by name
  names            names of the results, in the model's order
  threads          for the system's pool
  binary, library  the compiled model and libtssart.so, for TSSA
  program          what torch runs instead of the ONNX file (programs.py)
"""

import importlib.metadata

import measure

#: what holds a system to AVX2, where it listens to anything
AVX2 = {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


class Tssa:
    package = None
    takes_onnx = True
    #: a process of its own for each block
    fresh = True
    #: environment at an instruction set that is not the machine's own; None: it cannot be held to one
    narrow = {}

    def __init__(self, task):
        import tssa_runtime

        self.runner = tssa_runtime.TssaRunner(tssa_runtime.Library(task["library"]), task["binary"],
                                              measure.load_npz(task["inputs"]), task["threads"])
        self.call = self.runner.call

    def results(self):
        return self.runner.run()

    def close(self):
        self.runner.close()


class OnnxRuntime:
    package = "onnxruntime"
    takes_onnx = True
    fresh = True
    narrow = None

    def __init__(self, task):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = task["threads"]
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(task["model"], options, providers=["CPUExecutionProvider"])
        given = measure.load_npz(task["inputs"])
        self.inputs = {entry.name: given[entry.name] for entry in self.session.get_inputs()}

    def call(self):
        return self.session.run(None, self.inputs)

    def results(self):
        return dict(zip([entry.name for entry in self.session.get_outputs()], self.call()))

    def close(self):
        self.session = None


class OpenVino:
    package = "openvino"
    takes_onnx = True
    fresh = True
    narrow = AVX2
    #: OpenVINO may choose bf16 by itself; this asks for what the others compute in
    settings = {"INFERENCE_PRECISION_HINT": "f32"}

    def __init__(self, task):
        import openvino

        core = openvino.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": task["threads"],
                    **self.settings}
        compiled = core.compile_model(core.read_model(task["model"]), "CPU", settings)
        self.request, self.names = compiled.create_infer_request(), task["names"]
        self.kept = measure.load_npz(task["inputs"])
        for port in compiled.inputs:
            name, = port.get_names() & self.kept.keys()
            self.request.set_tensor(name, openvino.Tensor(self.kept[name]))
        self.call = self.request.infer

    def results(self):
        self.call()
        return {name: self.request.get_output_tensor(i).data.copy() for i, name in enumerate(self.names)}

    def close(self):
        self.request = self.call = None


class OpenVinoDefault(OpenVino):
    settings = {}
    narrow = None  # its choice of bf16 fails there


class Torch:
    package = "torch"
    takes_onnx = False
    fresh = False
    narrow = AVX2

    def __init__(self, task):
        import torch

        from compare import programs

        torch.set_num_threads(task["threads"])
        self.names = task["names"]
        module, order = programs.build(task["program"])
        given = measure.load_npz(task["inputs"])
        self.arguments = [torch.from_numpy(given[name]) for name in order]
        self.call = self.prepare(module)

    def prepare(self, module):
        import torch

        def call():
            with torch.inference_mode():
                return module(*self.arguments)

        return call

    def results(self):
        values = self.call()
        values = values if isinstance(values, (tuple, list)) else [values]
        return {name: value.numpy() for name, value in zip(self.names, values)}

    def close(self):
        self.call = self.arguments = None


class TorchCompile(Torch):
    def prepare(self, module):
        import torch

        compiled = torch.compile(module)

        def call():
            with torch.no_grad():
                return compiled(*self.arguments)

        call()
        return call

    def close(self):
        import torch

        super().close()
        # Else the next case's sizes make this one's code dynamic, and the eighth runs uncompiled.
        torch._dynamo.reset()


#: in the order of the tables
SYSTEMS = {"tssa": Tssa, "baseline": Tssa, "tuned": Tssa, "ort": OnnxRuntime, "openvino": OpenVino,
           "openvino_default": OpenVinoDefault, "torch": Torch, "torch_compile": TorchCompile}


def kind_of(system):
    """The class of a system. A name such as `tssa:greedy` is that of a way to compile for `tssa`."""
    return SYSTEMS[system.partition(":")[0]]


def installed(system):
    package = kind_of(system).package
    return package is None or package in importlib.metadata.packages_distributions()
