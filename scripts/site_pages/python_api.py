# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The page of the Python package: what its stub declares, with the docstrings of the sources, rendered by mkdocstrings."""

import ast
import os

INTRODUCTION = """\
[The package's page](python.md) explains how to use the package, and [a guide](guides/start-python.md) how to begin. Types
are those of its stub: `_Path` is a string or `os.PathLike`, `_Array` an array of NumPy, and `_P` and `_R` are the parameters
and the result of the function that is compiled."""

# What the page shows, by section. Everything public that is missing here is an error.
SECTIONS = {
    "Compile": ["compile"],
    "Sessions": ["Session", "NodeArg", "register_onnx_operator"],
    "While it compiles": ["set_progress", "show_progress", "Progress", "CompileWarning"],
    "Sessions with ONNX Runtime's names": ["InferenceSession", "SessionOptions", "RunOptions", "ModelMetadata", "ExecutionMode",
                                           "ExecutionOrder", "GraphOptimizationLevel", "use_as_onnxruntime"],
    "Values and bindings": ["OrtValue", "IOBinding", "copy_tensors", "OrtDevice", "OrtMemoryInfo", "OrtAllocatorType",
                            "OrtMemType", "OrtDeviceMemoryType", "OrtMemoryInfoDeviceType", "OrtDeviceVendorId"],
    "The module": ["get_all_providers", "get_available_providers", "get_device", "get_build_info", "get_version_string",
                   "has_collective_ops", "print_debug_info", "preload_dlls", "set_seed", "set_default_logger_severity",
                   "set_default_logger_verbosity", "enable_telemetry_events", "disable_telemetry_events"],
    "CMake": ["get_cmake_dir"],
    "Errors": ["Error", "InvalidArgument", "UnsupportedError", "NotImplemented", "NoSuchFile", "InvalidGraph",
               "InvalidProtobuf"],
}


def list_members(node):
    """The public names in the body of a class of the stub."""
    names = []
    for part in node.body:
        name = part.target.id if isinstance(part, ast.AnnAssign) else getattr(part, "name", None)
        if isinstance(part, ast.Assign):
            name = part.targets[0].id
        if name and not name.startswith("_"):
            names.append(name)
    return names


def find_definitions(path):
    """The public classes and functions of a source or stub by their names."""
    with open(path, encoding="utf-8") as file:
        nodes = [node for node in ast.parse(file.read()).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return {node.name: node for node in nodes if not node.name.startswith("_")}


def find_exports(stub):
    """What a stub defines, and what it imports from sources as `from .SOURCE import NAME as NAME`."""
    found = find_definitions(stub)
    with open(stub, encoding="utf-8") as file:
        imports = [node for node in ast.parse(file.read()).body if isinstance(node, ast.ImportFrom) and node.level == 1]
    for node in imports:
        source = find_definitions(os.path.join(os.path.dirname(stub), f"{node.module}.py"))
        found.update({alias.asname: source[alias.name] for alias in node.names if alias.asname})
    return found


def make_python_page(stub):
    """The page for the stub at this path, in Markdown. Raises ValueError if SECTIONS has not all of its public names."""
    found = find_exports(stub)
    listed = [name for names in SECTIONS.values() for name in names]
    if set(found) != set(listed):
        raise ValueError(f"{stub} and SECTIONS of python_api.py differ in {', '.join(sorted(set(found) ^ set(listed)))}")
    lines = ["# Python: tssa", "", INTRODUCTION]
    for title, names in SECTIONS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += ["", f"::: tssa.{name}"]
            if isinstance(found[name], ast.ClassDef):
                lines += ["    options:", f"      members: {list_members(found[name])}"]
    return "\n".join(lines) + "\n"
