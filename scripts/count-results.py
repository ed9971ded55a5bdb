"""Prints "PASSED FAILED SKIPPED" for a results file of GoogleTest or lit.

usage: count-results.py gtest|lit FILE NAME STATUS

A missing or unreadable file, or an exit status that says failure where the
file knows of none, counts as one failure of NAME.
"""

import json
import sys


def count_gtest(results):
    counts = [0, 0, 0]
    for suite in results["testsuites"]:
        for test in suite["testsuite"]:
            if "failures" in test:
                counts[1] += 1
            elif test["status"] == "NOTRUN" or test["result"] == "SKIPPED":
                counts[2] += 1
            else:
                counts[0] += 1
    return counts


def count_lit(results):
    kinds = {"PASS": 0, "FLAKYPASS": 0, "XFAIL": 0, "UNSUPPORTED": 2, "SKIPPED": 2, "EXCLUDED": 2}
    counts = [0, 0, 0]
    for test in results["tests"]:
        counts[kinds.get(test["code"], 1)] += 1
    return counts


def main():
    kind, path, name, status = sys.argv[1:]
    try:
        with open(path) as file:
            results = json.load(file)
        counts = {"gtest": count_gtest, "lit": count_lit}[kind](results)
    except (OSError, ValueError, KeyError) as error:
        print(f"{name}: exit status {status} and no results: {error}", file=sys.stderr)
        counts = [0, 1, 0]
    if status != "0" and counts[1] == 0:
        print(f"{name}: exit status {status} though no test failed", file=sys.stderr)
        counts[1] = 1
    print(*counts)


main()
