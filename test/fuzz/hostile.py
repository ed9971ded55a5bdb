"""Imports the broken and hostile models of test/onnx under sanitizers.

usage: hostile.py --importer PROGRAM [--match TEXT]

`bad_models.py` asks what the tools answer; this asks whether the importer does anything
undefined on the way there. PROGRAM is import-onnx, built with sanitizers, whose reports end
it by a signal. It must end with 0, or with 1, 3 or 5 and an error.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "onnx"))

import bad_models  # noqa: E402: lies in test/onnx

SECONDS = 60


def environment():
    """More memory than this at once, or in all, is a fault of ours."""
    limits = "max_allocation_size_mb=4096:hard_rss_limit_mb=4096"
    given = os.environ.get("ASAN_OPTIONS")
    return {**os.environ, "ASAN_OPTIONS": f"{given}:{limits}" if given else limits}


def check(importer, case, place):
    """What is wrong with how the importer took the case, or an empty text."""
    folder = os.path.join(place, case.name)
    os.makedirs(folder)
    case.write(folder)
    command = [importer, os.path.join(folder, "model.onnx"), "--quiet", "--untrusted"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, env=environment())
    except subprocess.TimeoutExpired:
        return f"did not end in {SECONDS} s"
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 3, 5):
        return f"ended with {done.returncode}\n{errors[-4000:]}"
    if done.returncode and "error:" not in errors:
        return f"ended with {done.returncode} and no error"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--importer", required=True, metavar="PROGRAM")
    parser.add_argument("--match", default="", metavar="TEXT", help="only cases with TEXT in their name")
    options = parser.parse_args()
    chosen = [c for c in bad_models.CASES if options.match in c.name]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hostile-") as place, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, complaint in zip(chosen, pool.map(lambda c: check(options.importer, c, place), chosen)):
            if complaint:
                failed += 1
                print(f"FAILED {case.name}: {complaint}")
    print(f"{len(chosen) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
