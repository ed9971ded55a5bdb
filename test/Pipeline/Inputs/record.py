"""Writes records, as a tuner would, from the schedules that tssa-compile chose.

usage: record.py SCHEDULES REMARKS DIR [FIELD=VALUE...]

SCHEDULES is the output of --emit=schedule, and REMARKS that of --tuned=DIR --remarks=apply-records for the same
program, with a folder that has no records. Each kernel, or the one that kernel=NAME says, gets a record in
DIR/records with the stores and loops that it has in SCHEDULES. Each FIELD of the headers (version, task, machine,
epoch, threads, seconds, constants, or file, the name of the file) gets another VALUE.
"""

import os
import re
import sys

REMARK = re.compile(r'Kernel=(\w+), Reason="no record for (\S+) of epoch (\w+)", Task=(\w+)')


def main():
    schedules, remarks, folder, *changes = sys.argv[1:]
    changes = dict(change.split("=", 1) for change in changes)
    with open(schedules, encoding="utf-8") as file:
        kernels = re.findall(r"^te\.kernel @(\w+)(.*?^\}\n)(?=\n|\Z)", file.read(), re.M | re.S)
    with open(remarks, encoding="utf-8") as file:
        tasks = {name: rest for name, *rest in REMARK.findall(file.read())}
    os.makedirs(os.path.join(folder, "records"), exist_ok=True)
    for name, text in kernels:
        if name not in tasks or changes.get("kernel", name) != name:
            continue
        machine, epoch, task = tasks[name]
        text = re.sub(r"^  layout\.launches .*\n", "", text, flags=re.M)
        fields = {"version": "1", "task": task, "machine": machine, "epoch": epoch, "threads": "1",
                  "seconds": "2.000e-06 of 3.000e-06", "constants": "", "file": f"{task}.{machine}.mlir", **changes}
        with open(os.path.join(folder, "records", fields["file"]), "w", encoding="utf-8") as file:
            file.write(f"// tssa record {fields['version']}\n")
            for field in ("task", "machine", "epoch", "threads", "seconds"):
                file.write(f"// {field}: {fields[field]}\n")
            file.write(f"// constants: {fields['constants']}".rstrip() + f"\nte.kernel @kernel{text}")


main()
