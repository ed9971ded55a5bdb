"""How lit runs the tests: each says in RUN lines which tools it calls.

Substitutions beside lit's own: %python (with numpy, onnx, onnxruntime), %root
(the source tree), %build (the build tree). FileCheck, not, count and
split-file come from LLVM, tssa-opt and the other tools from the build tree.
"""

import os
import shutil
import subprocess

import lit.formats
import lit.util

config.name = "tssa"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)

tools = os.path.join(config.tssa_build, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_bin, config.environment["PATH"]]
)
# Without this a crash prints a page of symbols that hides the message.
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all --dump-input-context=10"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "XDG_CACHE_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%root", config.tssa_root))
config.substitutions.append(("%build", config.tssa_build))

if config.sanitize:
    config.available_features.add("sanitizers")

# Assemble PTX and list machine code, where they are installed.
for name in ("ptxas", "nvdisasm"):
    if shutil.which(name, path=config.environment["PATH"]):
        config.available_features.add(name)

# Workers of the tuner on a cluster, where the package is installed.
find_ray = "import importlib.util as util, sys; sys.exit(not util.find_spec('ray'))"
if subprocess.run([config.python, "-c", find_ray], check=False).returncode == 0:
    config.available_features.add("ray")

supported, _ = lit.util.killProcessAndChildrenIsSupported()
if supported:
    lit_config.maxIndividualTestTime = 300
