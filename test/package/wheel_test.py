"""The wheel, installed where there is Python and nothing else, and where there is no LLVM.

Needs root, for chroot and for mounts in a namespace of its own; without, all of it is skipped.
"""

import argparse
import glob
import os
import re
import shutil
import sys
import tempfile
import zipfile

import advice
import checks as common
from checks import ROOT, run

MOST_BYTES = 40_000_000
LLVM = "/usr/lib/llvm-22"

USE_SESSION = """
import numpy, tssa
session = tssa.Session("/models/model.onnx")
print([port.name for port in session.get_inputs()])
x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
y, = session.run(None, {"x": x})
assert numpy.array_equal(y, numpy.maximum(x - 2, 0)), y
print(tssa.get_cmake_dir())
"""

USE_FUNCTION = """
import tssa
tssa.compile(lambda x: x + 1)
"""

RUN_MODULE = """
import runpy, sys
sys.path.insert(0, "/site")
runpy.run_module("tssa", run_name="__main__", alter_sys=True)
"""

SAVE_MODEL = """
import sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3])
nodes = [helper.make_node("Sub", ["x", "two"], ["t"]), helper.make_node("Relu", ["t"], ["y"])]
two = numpy_helper.from_array(np.array(2, np.float32), "two")
graph = helper.make_graph(nodes, "relu", [value("x")], [value("y")], [two])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
np.savez(sys.argv[2], x=np.ones((4, 3), np.float32))
"""


def isolated(script, *arguments):
    """Runs a line of shell with mounts that nothing else sees."""
    return run(["unshare", "--mount", "sh", "-ec", script, "sh", *arguments])


def find_libraries(programs):
    """The shared libraries that the programs and libraries need, with the loader."""
    found = set()
    for program in programs:
        found.update(re.findall(r"(/\S+) \(0x", run(["ldd", program]).stdout))
    return found


class Checks(common.Checks):
    def __init__(self, wheel, python, folder):
        super().__init__()
        self.wheel, self.python, self.folder = wheel, python, folder
        self.root, self.place = os.path.join(folder, "root"), os.path.join(folder, "place")

    def check_metadata(self):
        """The name, the licences and the texts of the wheel."""
        name = os.path.basename(self.wheel)
        self.check("the name of the file", name.startswith("tssa_compiler-"), name)
        found = advice.find_advice(self.wheel)
        self.check("no advice to install another project", not found, "\n".join(found))
        with zipfile.ZipFile(self.wheel) as wheel:
            info, = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            folder = os.path.dirname(info) + "/licenses/"
            licences = [name[len(folder):] for name in wheel.namelist() if name.startswith(folder)]
            text = wheel.read(info).decode()
        self.check("licences", sorted(filter(None, licences)) == ["LICENSE", "NOTICE"], str(licences))
        for line in ("Name: tssa-compiler", "License-Expression: Apache-2.0 WITH LLVM-exception", "License-File: NOTICE",
                     "Author: The TSSA authors", "Requires-Python: >=3.11", "Classifier: Programming Language :: Python :: 3.11"):
            self.check(line, line in text.splitlines(), text)
        with open(os.path.join(ROOT, "scripts", "requirements-torch.txt"), encoding="utf-8") as file:
            tested = re.search(r"^torch==(\d+\.\d+)", file.read(), re.MULTILINE)[1]
        self.check("the extra tune", "Requires-Dist: xgboost-cpu<4,>=3.2; extra == 'tune'" in text.replace('"', "'"), text)
        self.check("the extra torch", re.search(rf"^Requires-Dist: torch=={tested}\.\*; extra == .torch.$", text, re.MULTILINE), text)

    def copy(self, path):
        target = self.root + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            shutil.copy2(path, target)

    def make_root(self):
        """Debian's Python with pip, and the libraries of C and C++."""
        version = "python" + ".".join(run([self.python, "-V"]).stdout.split()[1].split(".")[:2])
        shutil.copytree(f"/usr/lib/{version}", f"{self.root}/usr/lib/{version}", symlinks=True,
                        ignore=shutil.ignore_patterns("__pycache__", "test", "config-*"))
        self.copy(f"/usr/bin/{version}")
        os.symlink(version, f"{self.root}/usr/bin/python3")
        modules = glob.glob(f"/usr/lib/{version}/lib-dynload/*.so")
        packages = ["libc6", "libgcc-s1", "libstdc++6", "zlib1g"]
        files = run(["dpkg", "-L", *packages]).stdout.split()
        libraries = [path for path in files if re.search(r"/lib[^/]*\.so\.[0-9]+$", path)]
        for path in [*libraries, *find_libraries([f"/usr/bin/{version}", *modules, *libraries])]:
            self.copy(path)
        for folder in ("tmp", "proc", "dev", "wheels", "models"):
            os.makedirs(f"{self.root}/{folder}")
        for path in [self.wheel, *glob.glob("/usr/share/python-wheels/pip-*.whl"), *glob.glob(self.folder + "/*.whl")]:
            shutil.copy(path, f"{self.root}/wheels")

    def within(self, *command):
        """Runs a command in the root."""
        return isolated('root=$1; shift; mount -t proc proc "$root/proc"; mount --bind /dev "$root/dev"; '
                        'exec env -i HOME=/tmp /usr/sbin/chroot "$root" "$@"', self.root, *command)

    def pip(self, *arguments):
        pip, = glob.glob(f"{self.root}/wheels/pip-*.whl")
        return self.within("/usr/bin/python3", f"/wheels/{os.path.basename(pip)}/pip", *arguments)

    def check_root(self):
        installed = self.pip("install", "--no-index", "--find-links=/wheels", "--target=/site", "tssa-compiler")
        self.check("pip install", installed.returncode == 0, installed.stdout)
        self.check("no LLVM in the root", not glob.glob(f"{self.root}/**/*LLVM*", recursive=True))
        python = ["/usr/bin/python3", "-c"]
        prepare = "import sys; sys.path.insert(0, '/site')\n"
        session = self.within(*python, prepare + USE_SESSION)
        self.check("an ONNX model runs", session.returncode == 0 and "/site/tssa/lib/cmake/TSSA" in session.stdout,
                   session.stdout)
        function = self.within(*python, prepare + USE_FUNCTION)
        self.check("without torch, a sentence", "pip install 'tssa-compiler[torch]'" in function.stdout, function.stdout)
        script = "import sys; sys.path.insert(0, '/site'); from tssa._scripts import "
        compiled = self.within(*python, script + "compile_model; compile_model()", "/models/model.onnx", "-o", "/tmp/m.so")
        self.check("tssa-compile", compiled.returncode == 0, compiled.stdout)
        ran = self.within(*python, script + "run_model; run_model()", "/tmp/m.so", "--inputs", "/models/x.npz")
        self.check("tssa-run", ran.returncode == 0, ran.stdout)
        self.check_module()
        self.check_tuner(script)

    def check_tuner(self, script):
        """tssa-tune, without the cost model and with it."""
        tune = lambda folder: self.within("/usr/bin/python3", "-c", script + "tune_model; tune_model()", "/models/model.onnx",
                                          "--dim=N=64", "--db", folder, "--trials=8")
        alone = tune("/tmp/alone")
        self.check("tssa-tune", alone.returncode == 0 and "the draft alone ranks" in alone.stdout
                   and "all measured kernels" in alone.stdout, alone.stdout)
        if not glob.glob(f"{self.folder}/xgboost_cpu-*.whl"):
            self.skip("tssa-tune with xgboost-cpu, which cannot be downloaded")
            return
        installed = self.pip("install", "--no-index", "--find-links=/wheels", "--target=/site", "--no-deps", "xgboost-cpu")
        self.check("pip install xgboost-cpu", installed.returncode == 0, installed.stdout)
        ranked = tune("/tmp/ranked")
        self.check("tssa-tune with xgboost-cpu", ranked.returncode == 0 and "the draft alone" not in ranked.stdout
                   and "all measured kernels" in ranked.stdout, ranked.stdout)

    def check_module(self):
        """python -m tssa, with what the wheel contains."""
        for arguments, code, text in ((["compile", "/models/model.onnx", "-o", "/tmp/n.so"], 0, ""),
                                      (["run", "/tmp/n.so", "--inputs", "/models/x.npz"], 0, ""),
                                      (["--help"], 0, "tools: compile, run, tune\n"), (["--version"], 0, "tssa 0."),
                                      (["compil"], 2, "there is no tool 'compil': did you mean 'compile'?"),
                                      (["opt"], 2, "there is no tool 'opt': expected one of compile, run, tune")):
            ran = self.within("/usr/bin/python3", "-c", RUN_MODULE, *arguments)
            self.check(f"python -m tssa {arguments[0]}", ran.returncode == code and text in ran.stdout, ran.stdout)

    def check_environment(self):
        """A virtual environment on this machine, from which LLVM and the project's tree are hidden."""
        made = run([self.python, "-m", "venv", self.place])
        self.check("venv", made.returncode == 0, made.stdout)
        installed = run([f"{self.place}/bin/pip", "install", "-q", "--no-index", f"--find-links={self.folder}", self.wheel])
        self.check("pip install into an environment", installed.returncode == 0, installed.stdout)
        shutil.copytree(os.path.join(ROOT, "examples", "c"), f"{self.place}/c")
        script = ('mount -t tmpfs none "$3"; mount -t tmpfs none "$4"; cd "$1"; ! bin/python -c "import torch" 2>/dev/null; '
                  'bin/tssa-compile --version; bin/tssa-run --version; '
                  'cmake -S c -B b -DTSSA_DIR="$(bin/python -c "import tssa; print(tssa.get_cmake_dir())")" '
                  '-DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$2" >log 2>&1 || { cat log; exit 1; }; '
                  'cmake --build b >log 2>&1 || { cat log; exit 1; }; b/nearest b/nearest_model.so')
        compiler = shutil.which("gcc")
        if not compiler:
            print("skipped: examples/c, as there is no compiler but that of LLVM")
            return
        built = isolated(script, self.place, compiler, ROOT, LLVM)
        self.check("examples/c by the wheel prints what its README says",
                   built.returncode == 0 and common.read_promised() in built.stdout, built.stdout)
        removed = run([f"{self.place}/bin/pip", "uninstall", "-y", "tssa-compiler"])
        left = glob.glob(f"{self.place}/**/*tssa*", recursive=True)
        left = [path for path in left if not path.startswith((f"{self.place}/b", f"{self.place}/c"))]
        left += glob.glob(f"{self.place}/bin/tssa*")
        self.check("pip uninstall leaves nothing", removed.returncode == 0 and not left, f"{removed.stdout} {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("wheel")
    parser.add_argument("--python", default="/usr/bin/python3", help="Debian's, for which the wheel was made")
    parser.add_argument("--packages", required=True, help="folder with the wheel of numpy")
    parser.add_argument("--tools", required=True, help="a Python that has onnx and numpy, to write the model")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tssa-wheel-")
    checks = Checks(os.path.abspath(options.wheel), options.python, folder)
    try:
        size = os.path.getsize(options.wheel)
        checks.check(f"at most {MOST_BYTES} bytes", size <= MOST_BYTES, str(size))
        checks.check_metadata()
        checks.check("for other machines", "manylinux" in options.wheel, options.wheel)
        for path in glob.glob(options.packages + "/*.whl"):
            shutil.copy(path, folder)
        if os.geteuid() != 0 or isolated("true").returncode != 0:
            print("skipped: without root there is no chroot")
            print(f"{checks.passed} passed, {checks.failed} failed, 1 skipped")
            return checks.failed
        checks.make_root()
        run([options.tools, "-c", SAVE_MODEL, f"{checks.root}/models/model.onnx", f"{checks.root}/models/x.npz"])
        checks.check_root()
        checks.check_environment()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    return checks.failed


if __name__ == "__main__":
    sys.exit(main() > 0)
