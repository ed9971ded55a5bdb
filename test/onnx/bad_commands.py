"""Command lines, surroundings and damaged artifacts that the tools must answer with one
clear sentence. Each `Command` starts in a fresh folder that holds model.onnx, the good
model, and model.so, which was made of it."""

import dataclasses
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time
from typing import Callable, Dict, Optional, Sequence, Tuple

import numpy as np

import bad_model_files as files
import harness

OK, WRONG, USAGE, LIMIT = (0,), (1,), (2,), (5,)


@dataclasses.dataclass
class Command:
    name: str
    #: the arguments; the first is "compile" or "run"
    arguments: Sequence[str]
    codes: Tuple[int, ...]
    texts: Sequence[str] = ()
    #: prepares the folder, which is the working directory
    prepare: Callable[[str], None] = lambda folder: None
    #: new files that may be there afterwards
    makes: Sequence[str] = ()
    environment: Optional[Dict[str, str]] = None
    #: (resource, bytes or count) that the process gets
    limits: Sequence[Tuple[int, int]] = ()
    #: where the standard output goes instead of into the test
    output: str = ""
    #: a signal to send after a while
    signal: int = 0


def start(tools, command, folder):
    """Runs the command and gives its Outcome."""
    program = tools.compiler if command.arguments[0] == "compile" else tools.runner
    environment = dict(os.environ, **(command.environment or {}))

    def limit():
        # What runs the tests may ignore these, and so would the program.
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for what, most in command.limits:
            resource.setrlimit(what, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (tools.cpu_seconds, tools.cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(os.path.join(folder, command.output) if command.output else os.devnull, "wb") as output:
        process = subprocess.Popen([program, *command.arguments[1:]], cwd=folder, env=environment, preexec_fn=limit,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE)
        try:
            if command.signal:
                time.sleep(0.7)
                process.send_signal(command.signal)
            errors = process.communicate(timeout=tools.timeout)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return harness.Outcome(None, "", "")
    return harness.Outcome(process.returncode, "", errors.decode(errors="replace"))


def list_files(folder):
    return {os.path.relpath(os.path.join(here, name), folder)
            for here, folders, names in os.walk(folder) for name in names + folders}


def check(tools, command, place, complaint_about):
    """Gives a complaint, or an empty text; `place` holds model.onnx and model.so."""
    folder = os.path.join(place, command.name)
    os.mkdir(folder)
    for name in ("model.onnx", "model.so"):
        shutil.copy(os.path.join(place, name), folder)
    command.prepare(folder)
    before = list_files(folder)
    outcome = start(tools, command, folder)
    if command.signal and outcome.code == -command.signal:
        complaint = ""
    else:
        complaint = complaint_about(outcome, "tssa-" + command.arguments[0], command.codes, command.texts, folder)
    new = list_files(folder) - before - set(command.makes) - {command.output}
    if not complaint and new:
        return f"left {sorted(new)} behind"
    return complaint


# --- what is done to the folder ----------------------------------------------


def slow_model(folder):
    files.put(folder, files.chain(30000))


def model_of_many_kernels(folder):
    """800 products of different sizes, which are compiled in parallel for seconds."""
    sizes = [size for width in range(9, 409) for size in (8, width)] + [8]
    pairs = list(zip(sizes, sizes[1:]))
    nodes = [files.node("MatMul", [f"v{i}" if i else "x", f"w{i}"], [f"v{i + 1}"], f"n{i}") for i in range(len(pairs))]
    weights = [files.tensor(f"w{i}", np.ones(pair, np.float32)) for i, pair in enumerate(pairs)]
    files.put(folder, files.model(nodes, [files.value("x", (3, 8))], [files.value(f"v{len(pairs)}", (3, 8))], weights))


def big_model(folder):
    """64 MiB of weights that are in the file."""
    weights = files.tensor("w", np.zeros((1 << 24,), np.float32))
    files.put(folder, files.model([files.node("Add", ["x", "w"], ["y"])], [files.value("x", (1,))],
                                  [files.value("y", (1 << 24,))], [weights]))


def as_input(change):
    """Changes the bytes of model.so."""
    def prepare(folder):
        path = os.path.join(folder, "model.so")
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data = change(data)
        with open(path, "wb") as file:
            file.write(data)
    return prepare


def replaced(name, make):
    def prepare(folder):
        path = os.path.join(folder, name)
        os.remove(path)
        make(path)
    return prepare


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)


def with_node_name(name):
    """A good model in a file of this name."""
    return lambda folder: files.put(folder, files.good(), name)


def header(offset, form, value):
    """An artifact whose ELF header has another value in one field."""
    def change(data):
        struct.pack_into(form, data, offset, value)
        return data
    return as_input(change)


def flipped(data, at):
    data[at] ^= 1 << (at % 8)
    return data


def manifest_place(data):
    return bytes(data).index(b"TSSA-MAN")


COMPILE = ["compile", "model.onnx", "-o", "out.so"]
THREADS = [*COMPILE, "--threads=8"]
RUN = ["run", "model.so", "--random", "1"]

ARGUMENTS = [
    Command("no_model", ["compile"], USAGE, ["expected a model"]),
    Command("empty_model_name", ["compile", ""], USAGE, ["expected a model"]),
    Command("two_models", ["compile", "model.onnx", "other.onnx"], USAGE, ["two models"]),
    Command("option_unknown", [*COMPILE, "--untrustd"], USAGE, ["--untrusted"]),
    Command("option_of_128_kilobytes", [*COMPILE, "--dim=" + "N" * 130_000], USAGE, ["--dim"]),
    Command("option_twice", [*COMPILE, "-o", "other.so"], OK, makes=["other.so"]),
    Command("dim_negative", [*COMPILE, "--dim=N=-1"], USAGE, ["N=-1"]),
    Command("dim_range", [*COMPILE, "--dim=N=5..2"], USAGE, ["5..2"]),
    Command("dim_huge", [*COMPILE, "--dim=N=99999999999999999999"], USAGE, ["--dim"]),
    Command("dim_misspelt", [*COMPILE, "--dim=batsh=1"], USAGE, ["batsh", "did you mean 'batch'"],
            prepare=lambda f: files.put(f, files.model([files.node("Relu", ["x"], ["y"])],
                                                       [files.value("x", ("batch",))], [files.value("y", ("batch",))]))),
    Command("input_misspelt", [*COMPILE, "--input-shape=imgae=2"], USAGE, ["did you mean 'image'"],
            prepare=lambda f: files.put(f, files.model([files.node("Relu", ["image"], ["y"])],
                                                       [files.value("image")]))),
    Command("target_unknown", [*COMPILE, "--target=foo"], USAGE, ["foo"]),
    Command("target_arch_unknown", [*COMPILE, "--target=cuda:sm_999"], USAGE, ["sm_999"]),
    Command("target_empty", [*COMPILE, "--target="], USAGE, ["target"]),
    Command("cpu_unknown", [*COMPILE, "--mcpu=abacus"], USAGE, ["abacus"]),
    Command("timeout_zero", [*COMPILE, "--timeout=0"], USAGE, ["--timeout"]),
    Command("timeout_nan", [*COMPILE, "--timeout=nan"], USAGE, ["--timeout"]),
    Command("memory_limit_unit", [*COMPILE, "--memory-limit=4Q"], USAGE, ["--memory-limit"]),
    Command("json_without_check", [*COMPILE, "--json"], USAGE, ["--check"]),
    Command("check_of_text", ["compile", "m.mlir", "--check"], USAGE, ["ONNX"],
            prepare=lambda f: files.put(f, b"module {}", "m.mlir")),
    Command("dim_of_program", ["compile", "p.json", "--dim=N=1"], USAGE, ["--dim"],
            prepare=lambda f: files.put(f, b"{}", "p.json")),
    Command("model_missing", ["compile", "nowhere.onnx"], WRONG, ["nowhere.onnx", "no such file"]),
    Command("model_is_folder", ["compile", "d.onnx"], WRONG, ["d.onnx", "directory"],
            prepare=lambda f: os.mkdir(os.path.join(f, "d.onnx"))),
    Command("model_is_fifo", COMPILE, WRONG, ["regular"], prepare=replaced("model.onnx", os.mkfifo)),
    Command("model_is_device", ["compile", "/dev/zero", "-o", "out.so"], WRONG, ["regular"]),
    Command("output_is_input", ["compile", "model.onnx", "-o", "model.onnx"], USAGE, ["is the input"]),
    Command("output_is_input_by_link", ["compile", "model.onnx", "-o", "link.so"], USAGE, ["is the input"],
            prepare=lambda f: os.symlink("model.onnx", os.path.join(f, "link.so"))),
    Command("output_is_folder", ["compile", "model.onnx", "-o", "d"], WRONG, ["regular"],
            prepare=lambda f: os.mkdir(os.path.join(f, "d"))),
    Command("output_is_device", ["compile", "model.onnx", "-o", "/dev/full"], WRONG, ["regular"]),
    Command("text_to_device", ["compile", "model.onnx", "--compile-to=te", "-o", "/dev/full"], WRONG, ["no space"]),
    Command("dependencies_to_device", [*COMPILE, "--depfile=/dev/full"], WRONG, ["/dev/full", "no space"]),
    Command("dependencies_in_no_folder", [*COMPILE, "--depfile=no/such/out.d"], WRONG, ["no/such/out.d"]),
    Command("output_in_no_folder", ["compile", "model.onnx", "-o", "no/such/out.so"], WRONG, ["no/such/out.so"]),
    Command("text_into_full_device", ["compile", "model.onnx", "--compile-to=te"], WRONG, ["no space"],
            output="/dev/full"),
    Command("name_with_newline", ["compile", "a\nb%n.onnx", "-o", "out.so"], OK, makes=["out.so"],
            prepare=with_node_name("a\nb%n.onnx")),
    Command("name_not_utf8", ["compile", b"\xff\xfe.onnx", "-o", "out.so"], OK, makes=["out.so"],
            prepare=lambda f: os.rename(os.path.join(f, "model.onnx").encode(), f.encode() + b"/\xff\xfe.onnx")),
    Command("json_of_a_name_not_utf8", ["compile", b"\xff.onnx", "--check", "--json"], WRONG + OK,
            prepare=lambda f: os.rename(os.path.join(f, "model.onnx").encode(), f.encode() + b"/\xff.onnx")),
]


def with_environment(name, environment):
    return Command(name, COMPILE, OK, makes=["out.so"], environment=environment)


SURROUNDINGS = [
    with_environment("locale_c", {"LC_ALL": "C"}),
    with_environment("locale_with_comma", {"LC_ALL": "de_DE.UTF-8", "TZ": ":/no/such"}),
    with_environment("no_home", {"HOME": "", "XDG_CACHE_HOME": "/proc"}),
    with_environment("no_folder_for_temporary_files", {"TMPDIR": "/no/such/folder"}),
    Command("stack_of_256_kilobytes", COMPILE, OK, makes=["out.so"], limits=[(resource.RLIMIT_STACK, 256 << 10)]),
    Command("files_of_1_kilobyte", COMPILE, WRONG, ["too large"], limits=[(resource.RLIMIT_FSIZE, 1 << 10)]),
    Command("four_open_files", COMPILE, OK + WRONG, ["too many open files"], makes=["out.so"],
            limits=[(resource.RLIMIT_NOFILE, 4)]),
    Command("time_over", [*COMPILE, "--timeout", "0.5"], LIMIT, ["0.5 seconds"], prepare=slow_model),
    Command("time_over_untrusted", [*COMPILE, "--untrusted", "--timeout=0.5"], LIMIT, ["0.5 seconds"],
            prepare=slow_model),
    Command("interrupted", COMPILE, (), prepare=slow_model, signal=signal.SIGINT),
    Command("terminated", COMPILE, (), prepare=slow_model, signal=signal.SIGTERM),
    Command("hung_up", COMPILE, (), prepare=slow_model, signal=signal.SIGHUP),
    Command("time_over_on_threads", [*THREADS, "--timeout=0.4"], LIMIT, ["0.4 seconds"], prepare=model_of_many_kernels),
    Command("interrupted_on_threads", THREADS, (), prepare=model_of_many_kernels, signal=signal.SIGINT),
    Command("terminated_on_threads", THREADS, (), prepare=model_of_many_kernels, signal=signal.SIGTERM),
]

#: Not under the address sanitizer, which reserves address space and answers for allocation itself.
MEMORY = [
    Command("memory_over", [*COMPILE, "--memory-limit=48M"], LIMIT, ["memory", "--memory-limit"], prepare=big_model),
    # Too little for the thread of a limit of time.
    Command("memory_for_threads", [*COMPILE, "--timeout=60", "--memory-limit=16M"], LIMIT, ["memory", "--memory-limit"]),
    Command("memory_over_on_threads", [*THREADS, "--memory-limit=32M"], LIMIT, ["memory", "--memory-limit"],
            prepare=model_of_many_kernels),
    Command("memory_over_on_threads_by_the_system", THREADS, LIMIT, ["memory"], prepare=model_of_many_kernels,
            limits=[(resource.RLIMIT_DATA, 112 << 20)]),
    Command("memory_over_by_the_system", COMPILE, LIMIT, ["memory"], prepare=big_model,
            limits=[(resource.RLIMIT_DATA, 48 << 20)]),
]

ARTIFACTS = [
    Command("artifact_good", RUN, OK),
    Command("artifact_missing", ["run", "nowhere.so", "--random", "1"], WRONG, ["nowhere.so"]),
    Command("artifact_empty", RUN, WRONG, ["model.so"], prepare=as_input(lambda d: b"")),
    Command("artifact_is_a_model", ["run", "text.so", "--random", "1"], WRONG, ["shared object"],
            prepare=lambda f: shutil.copy(os.path.join(f, "model.onnx"), os.path.join(f, "text.so"))),
    Command("artifact_is_a_fifo", RUN, WRONG, ["regular"], prepare=replaced("model.so", os.mkfifo)),
    Command("artifact_is_a_folder", RUN, WRONG, ["model.so"], prepare=replaced("model.so", os.mkdir)),
    Command("artifact_is_a_socket", RUN, WRONG, ["model.so"], prepare=replaced("model.so", make_socket)),
    Command("artifact_of_another", ["run", "true.so", "--random", "1"], WRONG, ["not made by tssa|shared object"],
            prepare=lambda f: shutil.copy("/bin/true", os.path.join(f, "true.so"))),
    Command("artifact_with_a_tail", RUN, WRONG, ["model.so"], prepare=as_input(lambda d: d + b"more")),
    Command("artifact_without_manifest", RUN, WRONG, ["model.so"],
            prepare=as_input(lambda d: bytes(d).replace(b".tssa.manifest", b".tssa.manifesx"))),
    Command("artifact_of_the_future", RUN, WRONG, ["manifest"],
            prepare=as_input(lambda d: d[:manifest_place(d) + 8] + b"\xff\x7f" + d[manifest_place(d) + 10:])),
    Command("artifact_manifest_size", RUN, WRONG, ["model.so"],
            prepare=as_input(lambda d: d[:manifest_place(d) + 16] + b"\xff" * 8 + d[manifest_place(d) + 24:])),
]
ARTIFACTS += [Command(f"artifact_cut_at_{part}_16ths", RUN, WRONG, ["model.so"],
                      prepare=as_input(lambda d, part=part: d[:len(d) * part // 16])) for part in range(1, 16)]
ARTIFACTS += [Command(f"artifact_flipped_{i}", RUN, WRONG, ["model.so"],
                      prepare=as_input(lambda d, i=i: flipped(d, int(np.random.default_rng(i).integers(len(d))))))
              for i in range(24)]
#: e_type, e_machine, e_phoff, e_shoff, e_phnum, e_shentsize, e_shnum, e_shstrndx
ARTIFACTS += [Command(f"artifact_header_{offset}_is_{value}", RUN, WRONG, ["model.so"],
                      prepare=header(offset, form, value & ((1 << 8 * struct.calcsize(form)) - 1)))
              for offset, form in ((16, "<H"), (18, "<H"), (32, "<Q"), (40, "<Q"), (56, "<H"), (58, "<H"), (60, "<H"),
                                   (62, "<H"))
              for value in (0, 1, -1)]

COMMANDS = ARGUMENTS + SURROUNDINGS + ARTIFACTS
