"""Makes a record of ends from the record of a convolution: its data and its result are stored with channels last.

usage: export_ends.py RECORDS OUT

RECORDS is a folder with records; the first one of a kernel with tensors of four dims is taken. The record of ends is
written to OUT/ends.
"""

import hashlib
import os
import re
import sys


def main():
    records, out = sys.argv[1:]
    for name in sorted(os.listdir(os.path.join(records, "records"))):
        with open(os.path.join(records, "records", name), encoding="utf-8") as file:
            header, _, rest = file.read().partition("te.kernel")
        kernel = "te.kernel" + rest.partition(" schedule {")[0]
        label = re.search(r"te\.compute @(\w+)", kernel)
        if not re.search(r"%arg0: tensor<\d+x\d+x\d+x\d+xf32>", kernel) or not label:
            continue
        constants = re.search(r"^// constants:.*$", header, re.M)[0]
        key = hashlib.sha256(f"{constants}\n{kernel}\n".encode()).hexdigest()
        task, machine = re.search(r"^// task: (\w+)$", header, re.M)[1], re.search(r"^// machine: (\S+)$", header, re.M)[1]
        os.makedirs(os.path.join(out, "ends"), exist_ok=True)
        with open(os.path.join(out, "ends", f"{key}.{machine}.mlir"), "w", encoding="utf-8") as file:
            file.write(header.replace(task, key) + kernel + " schedule {\n"
                       f"  layout.store @{label[1]} as map<reorder(0, 2, 3, 1)>\n"
                       "  layout.store 0 as map<reorder(0, 2, 3, 1)>\n}\n")
        return
    sys.exit("no record of a convolution")


main()
