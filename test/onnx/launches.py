"""What describes the launches of a program: all tools say the same of one model."""

import json
import os
import re

import onnx


def read_binary(tools, binary):
    """The launches of a binary as --inspect has them: pairs of a kernel and its nodes."""
    outcome = tools.call([tools.runner, binary, "--inspect", "--json"])
    variant, = json.loads(outcome.output)["variants"]
    return [(launch["kernel"], [node["name"] for node in launch["nodes"]]) for launch in variant["launches"]]


def read_explanation(text):
    """The launches as --explain has them. Numbers must be in order."""
    found = re.findall(r"^(\d+)\. (\S+?)(?: in a loop)?: (.*)$", text, re.M)
    assert [int(number) for number, _, _ in found] == list(range(len(found))), text
    return [(kernel, [] if nodes.startswith("no node") else nodes.split(", ")) for _, kernel, nodes in found]


def read_annotated(path):
    """The numbered kernels that the nodes of a model name."""
    kernels = set()
    for node in onnx.load(path, load_external_data=False).graph.node:
        notes = {entry.key: entry.value for entry in node.metadata_props}
        kernels.update(re.findall(r"(\d+) ([^,]+)", notes.get("tssa.kernel", "")))
    return {(int(number), kernel) for number, kernel in kernels}


def check_launches(tools, model, binary, inputs, folder):
    """Returns what --inspect, --profile, --explain, --print-partition and --annotate differ in."""
    complaints = []
    launches = read_binary(tools, binary)
    kernels = [kernel for kernel, _ in launches]
    profile = tools.call([tools.runner, binary, "--inputs", inputs, "--profile", "--json"])
    times = os.path.join(folder, "times.json")
    with open(times, "w", encoding="utf-8") as file:
        file.write(profile.output)
    if [(each["kernel"], each["nodes"]) for each in json.loads(profile.output).get("profile", [])] != launches:
        complaints.append("--profile and --inspect have other launches")
    for options in ([], [f"--times={times}"]):
        explained = tools.call([tools.compiler, model, "--explain", *options])
        if [(kernel, sorted(nodes)) for kernel, nodes in read_explanation(explained.output)] != \
                [(kernel, sorted(nodes)) for kernel, nodes in launches]:
            complaints.append(f"--explain {options} has other launches than --inspect: {explained.first_error()}")
        if re.search(r"%\w", explained.output):
            complaints.append("--explain names values of the compiler")
    listed = tools.call([tools.compiler, model, "--print-partition"]).output
    if re.findall(r"^ *\d+  (\S+)", listed, re.M) != kernels:
        complaints.append("--print-partition has other launches than --inspect")
    annotated = os.path.join(folder, "annotated.onnx")
    tools.call([tools.compiler, model, f"--annotate={annotated}"])
    if not read_annotated(annotated) <= set(enumerate(kernels)):
        complaints.append("--annotate has other launches than --inspect")
    return complaints
