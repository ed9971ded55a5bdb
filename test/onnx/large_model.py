"""Compiles, loads and runs a model with 3 GB of external weights and watches memory and time.

usage: large_model.py [--bin DIR]

The weights are a sparse file with a few elements that are not zero, so that the test
needs little of the disk. What is asked of the tools: a compilation holds at most 1.3
times the weights and 500 MB of memory of its own (RssAnon; pages of mapped files can
be dropped at any time), loading takes less than 100 ms, and the result is right.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h

import harness

ROWS, COLUMNS = 131072, 1024  # 512 MiB of f32
EMBEDDED = 5
LOAD_SECONDS, SECONDS = 0.1, 400


class Weights:
    """Writes tensors of ROWS * COLUMNS elements that are zero but for a few."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.tensors = []
        self.size = 0

    def add(self, name, shape, elements):
        tensor = T(name=name, dims=shape, data_type=T.FLOAT, data_location=T.EXTERNAL)
        count = 4 * shape[0] * shape[1]
        for key, value in (("location", os.path.basename(self.file.name)), ("offset", self.size), ("length", count)):
            tensor.external_data.add(key=key, value=str(value))
        for (row, column), element in elements.items():
            self.file.seek(self.size + 4 * (row * shape[1] + column))
            self.file.write(np.float32(element).tobytes())
        self.tensors.append(tensor)
        self.size += count
        self.file.truncate(self.size)

    def close(self):
        self.file.close()


def write_model(folder):
    """An embedding, three layers between 1024 and 131072 features, one of them a Gemm with a
    transposed weight, and a Gather that is added. Gives the size of the weights."""
    weights = Weights(os.path.join(folder, "weights.bin"))
    weights.add("table", [ROWS, COLUMNS], {(EMBEDDED, i): i + 1 for i in range(4)})
    weights.add("wide", [COLUMNS, ROWS], {(i, 1000 * i): 2 for i in range(4)})
    weights.add("narrow", [ROWS, COLUMNS], {(1000 * i, 2 * i): 3 for i in range(4)})
    weights.add("widen_again", [ROWS, COLUMNS], {(7 + i, 2 * i): 5 for i in range(4)})
    weights.add("narrow_again", [ROWS, COLUMNS], {(7 + i, i): 7 for i in range(4)})
    weights.add("added", [ROWS, COLUMNS], {(EMBEDDED, i): -1 for i in range(8)})
    weights.close()
    nodes = [h.make_node("Gather", ["table", "ids"], ["e"], name="embed"),
             h.make_node("MatMul", ["e", "wide"], ["a"], name="wide_layer"),
             h.make_node("Relu", ["a"], ["b"], name="relu"),
             h.make_node("MatMul", ["b", "narrow"], ["c"], name="narrow_layer"),
             h.make_node("Gemm", ["c", "widen_again"], ["d"], name="gemm", transB=1),
             h.make_node("MatMul", ["d", "narrow_again"], ["f"], name="last_layer"),
             h.make_node("Gather", ["added", "ids"], ["g"], name="second_table"),
             h.make_node("Add", ["f", "g"], ["y"], name="sum")]
    graph = h.make_graph(nodes, "large", [h.make_tensor_value_info("ids", T.INT64, ["S"])],
                         [h.make_tensor_value_info("y", T.FLOAT, ["S", COLUMNS])], weights.tensors)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    with open(os.path.join(folder, "large.onnx"), "wb") as file:
        file.write(model.SerializeToString())
    return weights.size


def expected():
    y = np.zeros((1, COLUMNS), np.float32)
    y[0, :4] = [(i + 1) * 2 * 3 * 5 * 7 for i in range(4)]
    y[0, :8] -= 1
    return y


def read_own_memory(pid):
    """Bytes of anonymous memory of a process, 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon"))
    except OSError:
        return 0


def compile_watched(tools, folder):
    """The exit code, and the most anonymous memory that was seen."""
    process = subprocess.Popen([tools.compiler, "large.onnx", "-o", "large.so", "--timeout", str(SECONDS)], cwd=folder)
    peak = 0
    while process.poll() is None:
        peak = max(peak, read_own_memory(process.pid))
        time.sleep(0.01)
    return process.returncode, peak


def time_loading(library, artifact):
    """Seconds of tssa_session_load, the better of two, or the message of a failure."""
    runtime = ctypes.CDLL(library)
    runtime.tssa_session_load.restype = ctypes.c_void_p
    runtime.tssa_status_message.restype = ctypes.c_char_p
    seconds = []
    for _ in range(2):
        session = ctypes.c_void_p()
        start = time.monotonic()
        status = runtime.tssa_session_load(artifact.encode(), None, ctypes.byref(session))
        seconds.append(time.monotonic() - start)
        if status:
            return runtime.tssa_status_message(ctypes.c_void_p(status)).decode()
        runtime.tssa_session_free(session)
    return min(seconds)


def complaints(tools, library, folder):
    size = write_model(folder)
    code, peak = compile_watched(tools, folder)
    most = 1.3 * size + 500e6
    print(f"compiled {size / 1e9:.2f} GB of weights with {peak / 1e9:.2f} GB of memory, {most / 1e9:.2f} are allowed")
    if code:
        yield f"tssa-compile ended with {code}"
        return
    if peak > most:
        yield f"tssa-compile held {peak} bytes, at most {most:.0f} are allowed"
    seconds = time_loading(library, os.path.join(folder, "large.so"))
    if isinstance(seconds, str):
        yield f"does not load: {seconds}"
        return
    print(f"loaded in {1000 * seconds:.1f} ms")
    if seconds > LOAD_SECONDS:
        yield f"loading took {seconds:.3f} s"
    inputs, outputs = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(inputs, ids=np.array([EMBEDDED]))
    np.savez(outputs, y=expected())
    outcome = tools.check(os.path.join(folder, "large.so"), inputs, outputs, 0, 0)
    if outcome.code:
        yield f"tssa-run ended with {outcome.code}: {outcome.first_error()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    harness.add_tool_options(parser)
    options = parser.parse_args()
    tools = harness.Tools(os.path.abspath(options.bin), timeout=SECONDS)
    library = os.path.join(os.path.dirname(tools.compiler), "..", "lib", "libtssart.so")
    folder = tempfile.mkdtemp(prefix="large-model-")
    try:
        found = list(complaints(tools, library, folder))
    finally:
        shutil.rmtree(folder)
    for complaint in found:
        print("FAILED large_model:", complaint)
    return harness.print_counts(0 if found else 1, 1 if found else 0, 0)


if __name__ == "__main__":
    sys.exit(main())
