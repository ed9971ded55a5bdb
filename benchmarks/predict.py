"""Predicts the times of kernels and models on GPUs that are not there, from facts of the compiled code.

usage: predict.py [NAME...] [--bin DIR] [--cuda-bin DIR] [--work DIR] [--to PAGE.md] [--json FILE]

Each case is compiled for both GPUs and, where that is quick, run on the emulated device, which counts sectors and
bank conflicts. --to writes the section of devices.md; without it, tables are printed. --work keeps models, programs and
the emulator's counts, and a second run counts only what has changed. Needs ptxas and nvdisasm of the CUDA toolkit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from predictions import artifact, emulate, facts, model, page, published, subjects, tutorial


def peak(arch, device, dtype):
    """Operations a second of a type."""
    if dtype == "f16" and arch in published.PEAK_F16:
        return published.PEAK_F16[arch]
    adds = device["matrixMultiplyAdds" if dtype == "f16" else "multiplyAdds"]
    return 2e6 * adds * device["processors"] * device["megahertz"]


def describe(launch, node, device):
    """One launch of the result."""
    kernel = launch.kernel
    # What the launches of a loop read again stays in the second-level cache if it fits there.
    stays = launch.calls > 1 and kernel.bytes <= device["l2Bytes"]
    found = model.predict(kernel, device, stays)
    if found is None:
        raise ValueError(f"{kernel.name} cannot run: {kernel.registers} registers, {kernel.shared_bytes} bytes of shared memory")
    return {"kernel": kernel.name, "node": node, "calls": launch.calls, "blocks": kernel.blocks, "threads": kernel.threads,
            "registers": kernel.registers, "shared_bytes": kernel.shared_bytes, "resident": found.resident,
            "kernels": found.microseconds, "launch": found.launch, "binding": found.binding,
            "operations": kernel.operations, "bytes": kernel.bytes, "emulated": kernel.sectors is not None}


def predict(tools, subject, arch, path, device, folder, seconds):
    program, counted = path.removesuffix(".onnx") + ".so", {}
    if emulate.is_cheap(subject, seconds):
        counted = emulate.count(tools, emulate.compile_for(tools, path, arch, folder), folder)
    tools.compile(path, f"cuda:{arch}", program)
    (variant,) = tools.inspect(program)["variants"]
    launches, failed = facts.read_program(tools, path, program, variant, f"cuda:{arch}", counted)
    known = [describe(launch, (entry["nodes"] or [{"name": "-"}])[-1]["name"], device)
             for launch, entry in zip(launches, variant["launches"]) if launch.kernel]
    if not known:
        raise ValueError("; ".join(f"{name}: {why}" for name, why in failed.items()))
    spent = sum(one["calls"] * one["kernels"] for one in known)
    total = spent + sum(one["calls"] * one["launch"] for one in known)
    operations = sum(one["calls"] * one["operations"] for one in known)
    roofline = model.roofline(operations, subjects.read_once(path), device, peak(arch, device, subject.dtype))
    return {"title": subject.title, "launches": known, "kernels": spent, "total": total, "ratio": total / roofline,
            "left_out": failed, "rivals": published.RIVALS.get((arch, subject.name), [])}


def predict_all(tools, options, folder):
    """{GPU: {part: results}}"""
    devices = {arch: tools.device(arch) for arch in page.GPUS}
    results = {arch: {"kernels": [], "models": []} for arch in devices}
    for part, list_of in (("kernels", subjects.KERNELS), ("models", subjects.MODELS)):
        for subject in list_of:
            if options.names and subject.name not in options.names:
                continue
            path = os.path.join(folder, subject.name + ".onnx")
            subject.write(path)
            for arch, device in devices.items():
                try:
                    found = predict(tools, subject, arch, path, device, folder, options.seconds)
                    print(f"{subject.name}, {arch}: {found['total']:.1f} us, {found['ratio']:.2f} of the roofline", flush=True)
                except (ValueError, RuntimeError) as error:
                    found = {"title": subject.title, "failed": str(error), "rivals": []}
                    print(f"{subject.name}, {arch}: {error}", flush=True)
                results[arch][part].append(found)
    return results


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="only these: " + ", ".join(one.name for one in subjects.KERNELS + subjects.MODELS))
    parser.add_argument("--bin", default="build/release/bin", help="folder of tssa-compile and tssa-run")
    parser.add_argument("--cuda-bin", default="", metavar="DIR", help="folder of ptxas and nvdisasm, if not on PATH")
    parser.add_argument("--work", metavar="DIR", help="folder for models, programs and counts, kept")
    parser.add_argument("--to", metavar="PAGE", help="write the section into this page")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    parser.add_argument("--seconds", type=float, default=200, help="emulate what takes about as long, 0 for nothing (200)")
    parser.add_argument("--no-check", action="store_true", help="leave out the comparison with published times")
    return parser.parse_args()


def commit_of():
    done = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse", "--short=8", "HEAD"],
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main():
    options = parse()
    try:
        tools = artifact.Tools(options.bin, artifact.find_tool("nvdisasm", options.cuda_bin),
                               artifact.find_tool("ptxas", options.cuda_bin))
    except artifact.Missing as missing:
        sys.exit(f"predict.py: {missing}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.work or temporary
        os.makedirs(folder, exist_ok=True)
        results = predict_all(tools, options, folder)
        checked = [] if options.no_check else tutorial.compare(tools, folder)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1, default=vars)
    section = page.write(results, checked, model.SHARES, commit_of())
    if options.to:
        page.put(options.to, section)
    else:
        print(section)


if __name__ == "__main__":
    main()
