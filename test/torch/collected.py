# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs with what they are called with, and their data."""

import torch


class Programs(dict):
    """{name: (function, [arguments, ...])}"""

    def add(self, *calls):
        """Adds a function with its calls: tuples of arguments."""
        def add(function):
            self[function.__name__] = (function, calls)
            return function

        return add


def tensor(*shape, seed=0):
    """Normally distributed numbers."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def uniform(*shape, seed=0):
    """Numbers between 0 and 1."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def integers(end, *shape, seed=0):
    """Integers from 0 up to `end`, which is not among them."""
    return torch.randint(end, shape, generator=torch.Generator().manual_seed(seed))
