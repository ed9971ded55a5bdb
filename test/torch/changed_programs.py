# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of postprocessing.py that are refused, changed so that they are not.

They do the same: what was a list of numbers or a text is a tensor.
"""

import torch


def collapses_ctc(emission, blank: int, letters: str):
    """The letters as numbers, of which the caller makes a text."""
    indices = torch.argmax(emission, dim=-1)
    indices = torch.unique_consecutive(indices, dim=-1)
    codes = torch.tensor([ord(letter) for letter in letters])
    return codes[indices[indices != blank]]
