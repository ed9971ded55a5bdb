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
REFUSED = {  # {name: (reason, the changed program)}
    "collapses_ctc": (DECIDES, changed_programs.collapses_ctc),
}


# What a program returned, made of what its changed form returns.
ORIGINAL_RESULTS = {
    "collapses_ctc": lambda codes, *_: "".join(map(chr, codes.tolist())),
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
