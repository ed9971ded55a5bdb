"""Makes a folder of records, some of them wrong, of the two in another folder.

usage: export_records.py FROM TO
"""

import glob
import os
import re
import sys


def main():
    folder = os.path.join(sys.argv[2], "records")
    os.makedirs(folder)
    texts = []
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "records", "*"))):
        with open(path, encoding="utf-8") as file:
            texts.append((os.path.basename(path), file.read()))

    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def change(text, field, value):
        return re.sub(f"// {field}: .*", f"// {field}: {value}", text)

    name, text = texts[0]
    fast = change(text, "seconds", "1.000e-12 of 1.000e-03")
    write("0-" + name, fast)
    write("1-machine.mlir", change(fast, "machine", "other-machine"))
    write("2-epoch.mlir", change(change(fast, "machine", "other-epoch"), "epoch", "0" * 16))
    write("3-damaged.mlir", text[: len(text) // 2])
    write("4-key.mlir", change(text, "task", "0" * 64))
    os.mkdir(os.path.join(folder, "5-folder.mlir"))


if __name__ == "__main__":
    main()
