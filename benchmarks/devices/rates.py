"""Section 4 of `device.py check`: the device's rates, for a table and for a profile in JSON.

A rate of launches or of the cache is the slope between a short and a long chain of kernels, so
that copies and the start of a run cancel.
"""

import datetime
import json
import os

from devices.cases import error_of
from devices.products import kernel_ms, show

RUNS = 20
# A slope is the difference of two short times.
SLOPE_RUNS = 100


class Profile:
    """The figures so far, in a file if one is given."""

    def __init__(self, check):
        self.path = check.options.profile
        self.content = {"device": check.device, "arch": f"sm_{check.arch}" if check.arch else None, "driver": check.driver,
                        "commit": check.contents["commit"], "date": datetime.date.today().isoformat(), "figures": {}}
        self.write()

    def write(self):
        if not self.path:
            return
        with open(self.path + ".new", "w") as file:
            json.dump(self.content, file, indent=1)
            file.write("\n")
        os.replace(self.path + ".new", self.path)

    def add(self, name, value, unit, how):
        self.content["figures"][name] = {"value": float(f"{value:.6g}"), "unit": unit, "from": how}
        self.write()
        return [show(value), unit, how]


def run(check, name, *more, runs=RUNS):
    """A program of the folder, whose answer must be right where it has one."""
    path = os.path.join(check.options.folder, "rates", name)
    given = ["--random", "0"]
    if os.path.exists(path + ".in.npz"):
        given = ["--inputs", path + ".in.npz", "--expect", path + ".out.npz"]
    result = check.call(path + ".so", f"--device={check.options.device}", *given, "--bench", "--runs", str(runs), *more)
    if "expect" in result and error_of(result) != 0:
        raise ValueError(f"{name}: wrong result")
    return result


def slope(check, name, counts):
    """The milliseconds that the longer of two chains takes more."""
    short, long = (run(check, f"{name}_{count}", runs=SLOPE_RUNS)["median_ms"] for count in counts)
    if long <= short:
        raise ValueError(f"{counts[1]} kernels took {long:.4g} ms, {counts[0]} took {short:.4g} ms")
    return long - short


def add_launch(check, profile):
    few, many = check.contents["rates"]["launches"]
    more = slope(check, "launch", (few, many))
    return profile.add("launch", more / (many - few), "ms", f"slope from {few} to {many} small kernels in turn"), None


def add_wait(profile, wait_ms):
    return profile.add("launch_and_wait", wait_ms, "ms", "a small kernel, waited for"), None


def add_memory(check, profile, wait_ms):
    """(y + z) / 2 of large vectors, by the kernel's own time."""
    result = run(check, "stream", "--profile")
    entry = max(result["profile"], key=lambda entry: entry["calls"])
    spent = kernel_ms({"profile": [entry]}, wait_ms)
    if spent is None:
        raise ValueError("the wait for the kernel is most of its time")
    size = check.contents["rates"]["stream_bytes"]
    return profile.add("memory_bandwidth", size * entry["calls"] / spent * 1e-6, "GB/s",
                       f"kernel that reads two vectors and writes one, {size >> 20} MiB in all"), None


def add_cache(check, profile):
    rates = check.contents["rates"]
    more = slope(check, "cached", rates["cached"])
    size = rates["cached_bytes"][1] - rates["cached_bytes"][0]
    few, many = rates["cached"]
    return profile.add("l2_bandwidth", size / more * 1e-6, "GB/s",
                       f"slope from {few} to {many} kernels in turn, which read two elements and write one"), None


def add_copy(check, profile, name):
    """Time of a run less its only kernel's."""
    size = check.contents["rates"]["copied_bytes"]
    whole = run(check, name)["median_ms"]
    kernel = sum(entry["ms"] for entry in run(check, name, "--profile")["profile"])
    if whole <= kernel:
        raise ValueError(f"the run took {whole:.4g} ms and its kernel {kernel:.4g} ms")
    return profile.add(f"{name}_bandwidth", size / (whole - kernel) * 1e-6, "GB/s",
                       f"run with {size >> 10} KiB of pageable memory, less its kernel"), None


def add_product(check, profile, times, name, dtype):
    """The rate of the largest product of this type."""
    product = max((p for p in check.contents["products"] if p["dtype"] == dtype), key=lambda p: p["flops"])
    rate = times.get(product["name"])
    if rate is None:
        raise ValueError(f"there is no time of {product['name']}")
    cells = profile.add(name, rate, "GFLOP/s", f"product {product['name']}")
    for rival, others in times["others"].items():
        if others.get(product["name"]):
            profile.add(f"{name}_{rival}", product["flops"] / others[product["name"]] * 1e-6, "GFLOP/s",
                        f"product {product['name']} with {rival}")
    return cells, None


def measure(check, times):
    check.begin("Rates", ["rate", "value", "unit", "from"])
    profile, wait = Profile(check), times["wait_ms"]
    check.case("launch", lambda: add_launch(check, profile))
    if wait:
        check.case("launch_and_wait", lambda: add_wait(profile, wait))
    check.case("memory_bandwidth", lambda: add_memory(check, profile, wait))
    check.case("l2_bandwidth", lambda: add_cache(check, profile))
    for name in ("upload", "download") if check.arch else ():  # other devices have the host's memory
        check.case(f"{name}_bandwidth", lambda: add_copy(check, profile, name))
    check.case("ffma_rate", lambda: add_product(check, profile, times, "ffma_rate", "f32"))
    check.case("tensor_rate", lambda: add_product(check, profile, times, "tensor_rate", "f16"))
