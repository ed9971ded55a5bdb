"""What the ONNX tests share: running the tools, and passing tensors through npz files."""

import argparse
import dataclasses
import os
import queue
import resource
import subprocess
import sys
import zipfile

import numpy as np
from onnx import TensorProto, numpy_helper

OK, MODEL_ERROR, USAGE, UNSUPPORTED, MISMATCH, LIMIT, INTERNAL = 0, 1, 2, 3, 4, 5, 70

#: Element types that cross the command line, and the suffix of their npz key.
NUMPY_TYPES = {
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BOOL,
    TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64,
    TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64,
}
RAW_TYPES = {
    TensorProto.BFLOAT16: ("bf16", np.uint16),
    TensorProto.FLOAT8E4M3FN: ("f8e4m3fn", np.uint8),
    TensorProto.FLOAT8E4M3FNUZ: ("f8e4m3fnuz", np.uint8),
    TensorProto.FLOAT8E5M2: ("f8e5m2", np.uint8),
    TensorProto.FLOAT8E5M2FNUZ: ("f8e5m2fnuz", np.uint8),
    TensorProto.FLOAT8E8M0: ("f8e8m0", np.uint8),
    TensorProto.FLOAT4E2M1: ("f4e2m1", np.uint8),
}
#: Integers of less than a byte, one to a byte.
SMALL_INTEGERS = {
    TensorProto.INT4: ("i4", np.int8), TensorProto.UINT4: ("u4", np.uint8),
    TensorProto.INT2: ("i2", np.int8), TensorProto.UINT2: ("u2", np.uint8),
}


#: Library routines that a program may call: what decision 2 of the architecture leaves to them.
ROUTINES = {"topk", "sort", "unique", "nonzero", "compress", "non_max_suppression", "det", "random_normal",
            "random_uniform"}


@dataclasses.dataclass
class Outcome:
    """How one tool ended. `code` is negative after a signal, None after a timeout."""
    code: int
    output: str
    errors: str

    @property
    def crashed(self):
        return self.code is not None and (self.code < 0 or self.code in (INTERNAL, 134, 139))

    def first_error(self, length=200):
        """The first line that says what went wrong."""
        if self.code is None:
            return "no answer in time"
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        marked = [line for line in lines if "error:" in line]
        text = (marked or lines or [f"exit code {self.code} without a word"])[0]
        if text.endswith(":") and text in lines[:-1]:
            text += " " + lines[lines.index(text) + 1]
        return text if len(text) <= length else text[:length] + "..."


class Server:
    """One tool-server, which runs the tools without starting them anew; see tool-server.cpp."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "LD_BIND_NOW": "1"})

    def call(self, command, timeout):
        fields = [repr(float(timeout)), str(len(command)), *command]
        self.process.stdin.write(b"".join(os.fsencode(field) + b"\0" for field in fields))
        self.process.stdin.flush()
        head = self.process.stdout.readline().split()
        if len(head) != 3:
            raise RuntimeError(f"tool-server ended with {self.process.wait()}")
        texts = [self.process.stdout.read(int(size)).decode(errors="replace") for size in head[1:]]
        return Outcome(None, "", "") if head[0] == b"timeout" else Outcome(int(head[0]), *texts)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Tools:
    """tssa-compile and tssa-run of one build."""

    def __init__(self, folder, timeout=60, memory_bytes=None, cpu_seconds=None):
        self.compiler = os.path.join(folder, "tssa-compile")
        self.runner = os.path.join(folder, "tssa-run")
        self.timeout = timeout
        self.memory_bytes = memory_bytes
        self.cpu_seconds = cpu_seconds
        for tool in (self.compiler, self.runner):
            if not os.access(tool, os.X_OK):
                sys.exit(f"{tool}: not there or not executable; build it, or say where with --bin")

    def _limit(self):
        if self.memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory_bytes, self.memory_bytes))
        if self.cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (self.cpu_seconds, self.cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def call(self, command, timeout=None):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=timeout or self.timeout, preexec_fn=self._limit)
        except subprocess.TimeoutExpired:
            return Outcome(None, "", "")
        return Outcome(done.returncode, done.stdout, done.stderr)

    def compile(self, model, binary, *options, timeout=None):
        return self.call([self.compiler, model, "-o", binary, *options], timeout)

    def check(self, binary, inputs, expected, rtol, atol, *options, timeout=None):
        """Runs the binary and compares its results with those of the npz file `expected`."""
        return self.call([self.runner, binary, "--inputs", inputs, "--expect", expected,
                          "--rtol", repr(rtol), "--atol", repr(atol), *options], timeout)


class ServedTools(Tools):
    """The same tools through servers; to be used in a `with` statement."""

    def __init__(self, tools, jobs):
        super().__init__(os.path.dirname(tools.compiler), tools.timeout)
        program = os.path.join(os.path.dirname(tools.compiler), "tool-server")
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: not there; build it with the other tests")
        self.idle = queue.SimpleQueue()
        self.servers = [Server(program) for _ in range(jobs)]
        for server in self.servers:
            self.idle.put(server)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.close()

    def call(self, command, timeout=None):
        server = self.idle.get()
        try:
            return server.call(command, timeout or self.timeout)
        finally:
            self.idle.put(server)


def tensor_type(value_info):
    """The element type of a tensor value, or None for sequences, optionals and maps."""
    if value_info.type.WhichOneof("value") != "tensor_type":
        return None
    return value_info.type.tensor_type.elem_type


def save_npz(path, values, infos):
    """Writes the values under their names; types that numpy lacks travel as raw integers."""
    entries = {}
    for info, value in zip(infos, values):
        if isinstance(value, TensorProto):
            value = numpy_helper.to_array(value)
        kind = tensor_type(info)
        if kind in RAW_TYPES:
            suffix, raw = RAW_TYPES[kind]
            entries[f"{info.name}:{suffix}"] = np.asarray(value).view(raw)
        elif kind in SMALL_INTEGERS:
            suffix, carrier = SMALL_INTEGERS[kind]
            entries[f"{info.name}:{suffix}"] = np.asarray(value).astype(carrier)
        else:
            entries[info.name] = np.asarray(value)
    # A key may be `file`, which numpy.savez would take for its own first argument.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in entries.items():
            with archive.open(name + ".npy", "w", force_zip64=False) as member:
                np.lib.format.write_array(member, np.array(array, order="C", copy=True), allow_pickle=False)


def add_tool_options(parser: argparse.ArgumentParser, jobs=None):
    parser.add_argument("--bin", default="build/bin", metavar="DIR", help="folder of tssa-compile and tssa-run")
    parser.add_argument("--jobs", type=int, default=jobs or min(8, os.cpu_count() or 1))
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="time limit of each process")


def print_counts(passed, failed, skipped):
    """The line that scripts/test adds up; always the last."""
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0
