"""`device.py run`: every case against its answers, and its time on a device and on the host."""

import os

from devices.cases import binaries_in, cases_of, error_of, label_of, unpack
from devices.processes import Failed, call


def run_case(options, runner, binary, given, wanted):
    """Gives (row of the table, complaint or None, the device's name or None)."""
    label = label_of(given)
    try:
        result = call(runner, binary, f"--device={options.device}", "--inputs", given, "--expect", wanted, "--bench",
                      "--runs", str(options.runs))
    except Failed as failure:
        return f"| {label} | failed | | | |", f"{label}: {failure}", None
    error = error_of(result)
    try:
        other = call(runner, binary, f"--device={options.against}", "--inputs", given, "--bench")["median_ms"]
    except Failed:
        other = None
    row = (f"| {label} | {error:.2g} | {result['median_ms']:.3f} | {result['p90_ms']:.3f} "
           f"| {'-' if other is None else format(other, '.3f')} |")
    return row, None if error <= options.tolerance else f"{label}: off by {error:.3g}", result["device"]


def write_table(options, device, rows):
    table = [f"On {device}; error is the largest over the largest magnitude of ONNX Runtime's or eager PyTorch's answer; `host` is "
             f"`--device={options.against}` of the same file, with copies in both.", "",
             "| case | error | median ms | p90 ms | host median ms |", "|---|---|---|---|---|", *rows]
    text = "\n".join(table) + "\n"
    print(f"\n{text}")
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)


def run(options):
    runner = os.path.join(options.bin, "tssa-run")
    rows, complaints, device, passed = [], [], options.device, 0
    unpack(options.folder)
    for binary in binaries_in(options.folder):
        cases = cases_of(binary)
        if not cases:
            complaints.append(f"{binary}: no inputs and answers beside it")
        for given, wanted in cases:
            row, complaint, name = run_case(options, runner, binary, given, wanted)
            rows.append(row)
            print(row, flush=True)
            device = name or device
            passed += complaint is None
            if complaint:
                complaints.append(complaint)
    write_table(options, device, rows)
    for complaint in complaints:
        print(f"FAILED {complaint}")
    print(f"{passed} passed, {len(complaints)} failed")
    return 1 if complaints or not rows else 0
