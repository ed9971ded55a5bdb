"""What a compiled program says of its kernels, and the code in it."""

import dataclasses
import json
import os
import re
import shutil
import subprocess
import tempfile

EXTENT = re.compile(r"llvm\.func @(\w+)\.extent\(\).*?\{(.*?)\n  \}", re.DOTALL)
CONSTANT = re.compile(r"(%\w+) = llvm\.mlir\.constant\((\d+) : \w+\)")
BLOCKS = re.compile(r"llvm\.insertvalue (%\w+), %\w+\[0\]")


class Missing(Exception):
    """A program that is not installed."""


def find_tool(name, given):
    """The path of a tool of CUDA, from an option or PATH."""
    path = shutil.which(os.path.join(given, name) if given else name)
    if not path:
        raise Missing(f"{name} is not {'in ' + given if given else 'on PATH'}; it comes with the CUDA toolkit")
    return path


def output_of(*command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise RuntimeError(f"{os.path.basename(command[0])}: {said[0][:200]}")
    return done.stdout


@dataclasses.dataclass
class Tools:
    bin: str       #: folder of tssa-compile and tssa-run
    nvdisasm: str
    ptxas: str

    def compile(self, model, target, out, *options):
        """Compiles a model; ptxas makes the machine code, and is found on PATH by the compiler."""
        environment = {**os.environ, "PATH": os.path.dirname(self.ptxas) + os.pathsep + os.environ.get("PATH", "")}
        return output_of(os.path.join(self.bin, "tssa-compile"), model, f"--target={target}", *options, "-o", out,
                         environment=environment)

    def text(self, model, target, *options):
        """What the compiler prints about a model."""
        return output_of(os.path.join(self.bin, "tssa-compile"), model, f"--target={target}", *options)

    def inspect(self, program):
        return json.loads(output_of(os.path.join(self.bin, "tssa-run"), program, "--inspect", "--json"))

    def disassemble(self, code):
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(code)
            file.flush()
            return output_of(self.nvdisasm, "-c", file.name)

    def device(self, arch):
        """{field: number} of `#layout.device`, the compiler's numbers of a GPU."""
        text = output_of(os.path.join(self.bin, "tssa-compile"), "--emit=machine", f"--target=cuda:{arch}")
        return {name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", text)}


def images(program, variant):
    """{kind: bytes} of the device code of a variant: `ptx` and `cubin`."""
    result = {}
    with open(program, "rb") as file:
        for image in variant["images"]:
            file.seek(image["part"]["offset"])
            result[image["kind"]] = file.read(image["part"]["size"])
    return result


def blocks_of(text):
    """{kernel: blocks of a launch} from the module behind the stage `target`; a kernel whose blocks depend on sizes
    that only a run knows is left out."""
    result = {}
    for name, body in EXTENT.findall(text):
        constants = dict(CONSTANT.findall(body))
        value = BLOCKS.search(body)
        if value and value[1] in constants:
            result[name] = int(constants[value[1]])
    return result


def moved_by(text):
    """[(kernel, operations, bytes)] of each launch, from `--explain --json`. What sizes decide counts as 0."""
    launches = [entry for entry in json.loads(text) if entry["launch"] is not None]
    return [(entry["kernel"], entry["operations"] or 0, (entry["read_bytes"] or 0) + (entry["written_bytes"] or 0))
            for entry in launches]
