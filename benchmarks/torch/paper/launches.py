# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How many kernels a call launches.

TSSA's are those that tssa-run's profile counts; those of eager mode and TorchScript are ATen operators that run one.
Inductor's are the loop nests that it generated, each counted once, and the ATen operators that it calls.
"""

import copy
import json
import os
import subprocess
import tempfile
import unittest.mock

import numpy
from torch._inductor import metrics
from torch.profiler import ProfilerActivity, profile

from paper import ways as all_ways
from tssa import _binaries, _call_cache, _package

#: operators that only describe a tensor anew, allocate one, or read a number
WITHOUT_KERNEL = {
    f"aten::{name}" for name in (
        "view", "view_as", "_unsafe_view", "_reshape_alias", "reshape", "as_strided", "alias", "detach", "select",
        "slice", "narrow", "chunk", "split", "split_with_sizes", "unbind", "permute", "transpose", "t", "expand",
        "expand_as", "squeeze", "unsqueeze", "flatten", "unflatten", "contiguous", "to", "empty", "empty_like",
        "empty_strided", "new_empty", "resize_", "resolve_conj", "resolve_neg", "item", "_local_scalar_dense",
        "is_nonzero", "result_type", "lift_fresh", "size", "clone", "_to_copy")}


def converts_number(event):
    """Whether it makes a number of another type, as operators do with the numbers that they are given."""
    return event.name == "aten::copy_" and not any(event.input_shapes[:2])


def runs_kernel(event):
    """Whether an operator runs a kernel itself, and not through an operator that it calls."""
    if not event.name.startswith("aten::") or event.name in WITHOUT_KERNEL or converts_number(event):
        return False
    return not any(map(has_kernel, event.cpu_children))


def has_kernel(event):
    return runs_kernel(event) or any(map(has_kernel, event.cpu_children))


def count_aten(run, arguments):
    arguments = copy.deepcopy(arguments)  # whose copies do not count
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        run(*arguments)
    return sum(map(runs_kernel, recorded.events()))


def passed_arrays(run, arguments):
    """What a compiled function passes to its binary in a call, by name."""
    arrays, pass_on = {}, _binaries.Binaries._run

    def note(self, binary, tensors, passed):
        names = [port[0] for port in binary.program.inputs]
        arrays.update(zip(names, (numpy.array(tensor.numpy()) for tensor in passed)))
        return pass_on(self, binary, tensors, passed)

    def miss(*_):
        return _call_cache.MISS

    with unittest.mock.patch.object(_binaries.Binaries, "_run", note), unittest.mock.patch.object(_call_cache.CallCache, "run", miss):
        run(*copy.deepcopy(arguments))
    return arrays


def count_ours(artifact, arrays, folder, threads):
    """(launches of a run, kernels of the artifact that it launches)"""
    inputs = os.path.join(folder, "inputs.npz")
    numpy.savez(inputs, **arrays)
    command = [_package.find_program("tssa-run"), artifact, "--profile", "--json", "--inputs", inputs, f"--threads={threads}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    calls = [launch["calls"] for launch in json.loads(done.stdout)["profile"]]
    return round(sum(calls)), sum(count > 0 for count in calls)


def count(label, way, function, arguments, options):
    """{"launches": how many, "kernels": of these different ones, where that is known} or {"failure": ...}"""
    with tempfile.TemporaryDirectory() as folder:
        artifact = os.path.join(folder, "program.so")
        metrics.reset()
        run, reason = all_ways.ready(way, function, arguments, options.threads, options.limit, artifact)
        if not run:
            return {"failure": reason}
        if all_ways.is_ours(label):
            launches, kernels = count_ours(artifact, passed_arrays(run, arguments), folder, options.threads)
            return {"launches": launches, "kernels": kernels}
        generated = metrics.generated_kernel_count if label == "inductor" else 0
        return {"launches": generated + count_aten(run, arguments), **({"kernels": generated} if generated else {})}


def measure(name, function, arguments, ways, options, seq):
    found = {}
    for label, way in ways.items():
        reason = all_ways.is_left_out(label, name, seq)
        found[label] = {"failure": reason} if reason else count(label, way, function, arguments, options)
    return found
