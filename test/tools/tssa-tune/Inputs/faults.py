"""Tunes with each fault in all candidates but the default, and checks that none of them becomes the record.

usage: faults.py FOLDER
"""

import collections
import concurrent.futures
import os
import sys

import tuning

# Which status the candidates of each fault get.
FAULTS = {
    "wrong-map": "wrong",
    "dropped-guard": "wrong",
    "swapped-combiner": "wrong",
    "wrong-pad": "wrong",
    "wrong-init": "wrong",
    "lost-epilogue": "wrong",
    "short-loop": "wrong",
    "wrong-product": "wrong",
    "past-the-end": "wrong",
    "writes-input": "wrong",
    "not-a-number": "wrong",
    "lazy-later": "wrong",
    "endless-loop": "timeout",
    "trap": "crash",
    "far-store": "crash",
    "garbage": "crash",
    "exit": "crash",
    "memory": "out of memory",
    # No fault of a single kernel: the worker must say that it does not apply.
    "swapped-launches": "build failed",
}
TRIALS = 3


def check(folder, fault, status):
    """Returns what is wrong with a session with the fault, or nothing."""
    folder = tuning.clear(f"{folder}/{fault}")
    limits = ["--run-limit=2", f"--memory-limit={512 << 20}"]
    run = tuning.tune(folder, "--trials", str(TRIALS), f"--inject-fault={fault}", *limits)
    if run.returncode or run.stderr:
        return f"exit code {run.returncode}: {run.stderr}"
    if " default\n" not in run.stdout:
        return f"the default is not the record: {run.stdout}"
    numbers = [row[0] for row in tuning.read(folder, "SELECT status FROM trial ORDER BY id")]
    names = [tuning.STATUSES[number] for number in numbers]
    if names != ["measured"] + [status] * (TRIALS - 1):
        return f"the trials are {names}, expected {status}"
    if tuning.read(folder, "SELECT count(*) FROM record") != [(1,)]:
        return "the database has no record of the default"
    if tuning.records(folder):
        return f"there are files of records: {tuning.records(folder)}"
    return ""


def check_stale_file(folder):
    """The default becomes the record of a kernel that had a file before: the file goes."""
    folder = tuning.clear(f"{folder}/stale")
    arguments = ["--trials", "2", "--inject-fault=trap", "--continue"]
    tuning.expect(tuning.tune(folder, *arguments), 0)
    ((task, machine),) = tuning.read(folder, "SELECT task, machine FROM record")
    os.mkdir(f"{folder}/records")
    with open(f"{folder}/records/{task}.{machine.partition('/')[0]}.mlir", "w", encoding="utf-8") as file:
        file.write("// tssa record 1")
    tuning.expect(tuning.tune(folder, *arguments), 0, " default")
    assert tuning.records(folder) == []


def main(folder):
    check_stale_file(folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda item: check(folder, *item), FAULTS.items())
    wrong = 0
    for (fault, status), result in zip(FAULTS.items(), results):
        print(f"{fault}: {result or status}")
        wrong += bool(result)
    counts = collections.Counter(FAULTS.values())
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
