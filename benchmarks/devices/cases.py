"""Compiled models with inputs and answers beside them, and how far results are from answers."""

import glob
import lzma
import os
import re

PACKED = ".xz"


def pack(path):
    """Puts a packed file in place of `path`."""
    with open(path, "rb") as file:
        data = lzma.compress(file.read(), preset=1)
    with open(path + PACKED, "wb") as file:
        file.write(data)
    os.remove(path)


def unpack(folder):
    """Unpacks what `pack` made, where that was not done before."""
    for packed in glob.glob(os.path.join(glob.escape(folder), "**", "*.so" + PACKED), recursive=True):
        path = packed[:-len(PACKED)]
        if os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(packed):
            continue
        with lzma.open(packed) as file, open(path + ".new", "wb") as unpacked:
            unpacked.write(file.read())
        os.replace(path + ".new", path)


def binaries_in(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "*.so")))


def cases_of(binary):
    """The (inputs, answers) beside a compiled model."""
    stem = glob.escape(binary[:-len(".so")])
    found = sorted(glob.glob(stem + ".in.npz") + glob.glob(stem + ".[0-9]*.in.npz"))
    return [(path, path[:-len("in.npz")] + "out.npz") for path in found]


def label_of(given):
    return os.path.basename(given)[:-len(".in.npz")]


def error_of(result):
    """Largest error over the largest magnitude of the wanted tensors, the worst of them; infinite for
    integers that differ and for what cannot be compared."""
    dtypes = {output["name"]: output["dtype"] for output in result["outputs"]}
    worst = 0.0
    for compared in result["expect"]:
        if "reason" in compared or compared["max_abs"] is None:
            return float("inf")
        exact = "f" not in dtypes[compared["name"]]
        if exact and compared["max_abs"] != 0:
            return float("inf")
        worst = max(worst, compared["max_abs"] / max(compared["max_reference"], 1e-9))
    return worst


def number_of(arch):
    """The number of an arch such as sm_90 or sm_90a; None for other texts."""
    match = re.fullmatch(r"sm_(\d+)[af]?", arch)
    return int(match.group(1)) if match else None


def images_for(inspected, arch):
    """The kinds of images that a device of the arch with this number runs."""
    kinds = set()
    for image in (image for variant in inspected["variants"] for image in variant["images"]):
        number = number_of(image["arch"])
        if number is None or number > arch or (image["arch"][-1].isalpha() and number != arch):
            continue
        if image["kind"] == "ptx" or number // 10 == arch // 10:
            kinds.add(image["kind"])
    return sorted(kinds)
