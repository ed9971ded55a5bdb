"""Section 3 of `device.py check`: matrix products, right and timed, beside what else is there."""

import os

from devices import rivals
from devices.cases import error_of

# f16 results have 11 bits.
TOLERANCE = {"f32": 1e-3, "f16": 5e-3}
RUNS = 20


def launches_of(result):
    """The launches of a run and the milliseconds that they and the waits for them took."""
    return sum(entry["calls"] for entry in result["profile"]), sum(entry["ms"] for entry in result["profile"])


def kernel_ms(result, wait_ms):
    """The milliseconds of a run's kernels without the waits, or None where waits are most of it."""
    calls, spent = launches_of(result)
    return spent - calls * wait_ms if spent > 1.5 * calls * wait_ms else None


def show(number, digits=4):
    return "-" if number is None else f"{number:.{digits}g}"


def time_wait(check, path, count, found):
    """The time that launching and waiting for the smallest kernel takes."""
    result = check.call(path + ".so", f"--device={check.options.device}", "--inputs", path + ".in.npz", "--expect",
                        path + ".out.npz", "--bench", "--runs", str(RUNS), "--profile")
    calls, spent = launches_of(result)
    found["wait_ms"] = spent / calls
    return ["-", show(found["wait_ms"]), "-", "-"], None if error_of(result) == 0 else f"wrong result of {count} kernels"


def time_product(check, product, wait_ms, others, found):
    path = os.path.join(check.options.folder, "products", product["name"])
    given = ["--inputs", path + ".in.npz", "--expect", path + ".out.npz"] if product["compared"] else ["--random", "0"]
    result = check.call(path + ".so", f"--device={check.options.device}", *given, "--bench", "--runs", str(RUNS), "--profile")
    error = error_of(result) if product["compared"] else None
    spent = kernel_ms(result, wait_ms)
    rate = product["flops"] / spent * 1e-6 if spent else None
    found[product["name"]] = rate
    rival = []
    for name, times in others.items():
        best = times.get(product["name"])
        rival += [show(best), show(product["flops"] / best * 1e-6 if best else None)]
    tolerance = TOLERANCE[product["dtype"]]
    wrong = error is not None and error > tolerance
    return [show(error, 2), show(launches_of(result)[1]), show(spent), show(rate), *rival], \
        f"off by {error:.3g}, at most {tolerance} is allowed" if wrong else None


def measure(check):
    """Gives the rates in GFLOP/s by the product's name, the rivals' by theirs, and `wait_ms`."""
    others = {name: times for name, times in rivals.time_products(check).items() if times}
    check.begin("Products", ["product", "error", "ms with wait", "ms", "GFLOP/s",
                             *(text for name in others for text in (f"{name} ms", f"{name} GFLOP/s"))])
    count = check.contents["rates"]["launches"][0]
    path = os.path.join(check.options.folder, "rates", f"launch_{count}")
    found = {"wait_ms": 0.0, "others": others}
    check.case("smallest kernel", lambda: time_wait(check, path, count, found))
    for product in check.contents["products"]:
        check.case(product["name"], lambda: time_product(check, product, found["wait_ms"], others, found))
    check.note("")
    check.note("Names have the batch if there is one, then rows, columns and the length of the sums. `ms` is the mean of a "
               f"kernel in {RUNS} runs without the wait for the smallest kernel; `-` where that wait is most of the time. "
               "Products without an error were timed on random factors and not compared.")
    return found
