"""What else computes matrix products on the device: PyTorch and TensorRT, where they are.

As a program, times PyTorch's products: rivals.py PRODUCTS.json prints a line of JSON for each.
"""

import importlib.util
import json
import os
import re
import shutil
import sys

# For PyTorch's products all together; its start alone takes some seconds.
TORCH_SECONDS = 90
NAMES = ["torch", "tensorrt"]


def is_installed(package):
    """Whether there is a package of that name; a mere folder of that name is none."""
    spec = importlib.util.find_spec(package)
    return spec is not None and spec.origin is not None


def wanted(check):
    if check.options.rivals == "auto":
        return NAMES
    return [] if check.options.rivals == "none" else check.options.rivals.split(",")


def find(check):
    """Gives a line for each rival that is looked for: where it is, or that it is not."""
    lines = []
    for name in wanted(check):
        if name == "torch":
            lines.append("PyTorch is installed." if is_installed("torch") else
                         "PyTorch is not installed, products are not compared with it.")
        elif name == "tensorrt":
            package = " (its package is)" if is_installed("tensorrt") else ""
            lines.append("TensorRT's trtexec is there." if shutil.which("trtexec") else
                         f"TensorRT's trtexec is not there{package}, products are not compared with it.")
        else:
            lines.append(f"There is no rival '{name}': expected {' or '.join(NAMES)}.")
    return lines


def time_torch(check):
    """PyTorch's milliseconds by the product's name; what it did before its time was over."""
    from devices.processes import finish
    seconds = min(TORCH_SECONDS, check.left())
    if seconds <= 0 or not is_installed("torch"):
        return {}
    code, out, err = finish([sys.executable, os.path.abspath(__file__), os.path.join(check.options.folder, "check.json")],
                            seconds)
    entries = [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")]
    if code != 0:
        said = "its time was over" if code is None else (err.strip() or "no message").splitlines()[-1][:200]
        check.note(f"PyTorch timed {len(entries)} of {len(check.contents['products'])} products: {said}")
    return {entry["name"]: entry["ms"] for entry in entries}


def time_tensorrt(check):
    """TensorRT's milliseconds by the product's name."""
    from devices.processes import OutOfTime
    tool, times = shutil.which("trtexec"), {}
    for product in check.contents["products"] if tool else []:
        model = os.path.join(check.options.folder, "products", product["name"] + ".onnx")
        try:
            _, out, _ = check.finish([tool, f"--onnx={model}", *(["--fp16"] if product["dtype"] == "f16" else ["--noTF32"])])
        except OutOfTime as late:
            check.note(f"TensorRT, {product['name']}: {late}")
            continue
        match = re.search(r"GPU Compute Time:.*?median = ([\d.]+) ms", out)
        if match:
            times[product["name"]] = float(match.group(1))
    return times


def time_products(check):
    """For each rival that is wanted, its milliseconds by the product's name."""
    ways = {"torch": time_torch, "tensorrt": time_tensorrt}
    return {name: ways[name](check) for name in wanted(check) if name in ways}


def time_product(torch, product):
    """Mean milliseconds of as many products, launched in turn, as take about a tenth of a second."""
    dtype = {"f16": torch.float16, "f32": torch.float32}[product["dtype"]]
    a, b = (torch.randn(product[key], device="cuda", dtype=dtype) for key in "ab")

    def run(count):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(count):
            torch.matmul(a, b)
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / count

    run(5)
    return run(max(10, min(1000, int(100 / max(run(10), 1e-3)))))


def main():
    sys.path.pop(0)  # the modules beside this file are not what PyTorch imports
    import torch
    with open(sys.argv[1]) as file:
        products = json.load(file)["products"]
    torch.set_float32_matmul_precision("highest")
    for product in products:
        print(json.dumps({"name": product["name"], "ms": time_product(torch, product)}), flush=True)


if __name__ == "__main__":
    main()
