# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of post-processing (postprocessing.py) are right, or refused where this says so.

What is refused has a changed form that is right.
"""

import copy
import unittest

import changed_programs
import postprocessing
import torch
import tssa
from support import AgreementTest

DECIDES = "a decision depends on a number that only a run knows"
LISTS = "a list is changed in a loop or branch that only a run decides about"
REFUSED = {  # {name: (reason, the changed program)}
    "batched_nms": (LISTS, changed_programs.batched_nms),
    "fuses_boxes": (LISTS, changed_programs.fuses_boxes),
    "run_lengths": ("'the value' is a list on one path", changed_programs.run_lengths),
    "collapses_ctc": (DECIDES, changed_programs.collapses_ctc),
    "viterbi": (DECIDES, changed_programs.viterbi),
    "warps_time": (LISTS, changed_programs.warps_time),
}


def cut(row):
    """A row of integers up to the first -1."""
    return row[:row.index(-1)] if -1 in row else row


# What a program returned, made of what its changed form returns.
ORIGINAL_RESULTS = {
    "run_lengths": lambda runs, masks: [{"size": list(masks.shape[1:]), "counts": cut(row)} for row in runs.tolist()],
    "collapses_ctc": lambda codes, *_: "".join(map(chr, codes.tolist())),
    "viterbi": lambda paths, *_: [cut(row) for row in paths.tolist()],
    "warps_time": lambda result, _: (result[0], [tuple(pair) for pair in result[1].tolist()]),
}


class Postprocessing(AgreementTest):
    def check_calls(self, function, calls):
        compiled = tssa.compile(function)
        for arguments in calls:
            self.check(function, arguments, compiled)

    def check_same_results(self, name, function, changed, calls):
        """The changed program is one for the same purpose."""
        for arguments in calls:
            result = changed(*copy.deepcopy(arguments))
            if name in ORIGINAL_RESULTS:
                result = ORIGINAL_RESULTS[name](result, *arguments)
            self.assert_same(function(*copy.deepcopy(arguments)), result, f"changed {name}")


def add_test(name, function, calls):
    def test(self):
        if name not in REFUSED:
            return self.check_calls(function, calls)
        reason, changed = REFUSED[name]
        with self.assertRaisesRegex(tssa.UnsupportedError, reason):
            self.check_calls(function, calls)
        with torch.no_grad():
            self.check_same_results(name, function, changed, calls)
        self.check_calls(changed, calls)

    setattr(Postprocessing, f"test_{name}", test)


for name, (function, calls) in postprocessing.PROGRAMS.items():
    add_test(name, function, calls)

if __name__ == "__main__":
    unittest.main()
