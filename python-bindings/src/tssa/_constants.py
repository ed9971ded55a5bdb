# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The tensors of a program that are constants of its binary, as long as they are not written.

The compiler lays them out once, for the kernels that read them.
"""

import ctypes
import os

from . import _runtime
from ._aliases import storage_of

FILE = "weights.bin"


class Constants:
    """tensors: {position of the argument that it would be: (tensor, order of its dims in memory)}."""

    def __init__(self, tensors):
        self._tensors = {order: place for order, place in tensors.items() if _has_version(place[0])}
        self._watched = [tensor for tensor, _ in self._tensors.values()]
        self._seen = _runtime.Contents(self._watched, [word for tensor in self._watched for word in _find_words(tensor)],
                                       [line for tensor in self._watched for line in _find_lines(tensor)])

    def __contains__(self, order):
        return order in self._tensors

    def __iter__(self):
        return iter(self._watched)

    def hold(self):
        """Returns whether all tensors still have the contents that the binary contains.

        PyTorch counts writes, except those through `.data`. To detect these, a few elements are compared.
        """
        return not self._watched or self._seen.hold(self._watched)

    def write(self, folder):
        """Writes the contents to a file in the folder. Returns {order: where they are, as the text describes it}."""
        places, written = {}, {}
        with open(os.path.join(folder, FILE), "wb") as file:
            for order, (tensor, dims) in self._tensors.items():
                if id(tensor) not in written:
                    file.seek(-file.tell() % 64, os.SEEK_CUR)
                    written[id(tensor)] = file.tell()
                    passed = tensor.detach().permute(dims) if dims else tensor.detach()
                    file.write(_bytes_of(passed.contiguous()))
                places[order] = {"file": FILE, "offset": written[id(tensor)]}
            file.truncate()
        return places


def _has_version(tensor):
    """Returns whether PyTorch counts the writes to a tensor."""
    return not tensor.is_inference()


def _find_words(tensor):
    """Returns the addresses of words at the start, in the middle and at the end of a tensor's memory."""
    size = tensor.untyped_storage().nbytes() - tensor.storage_offset() * tensor.element_size()
    words = min(size, sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride()))
                * tensor.element_size() + tensor.element_size()) // 8 if tensor.numel() else 0
    return [tensor.data_ptr() + 8 * at for at in {0, words // 2, words - 1} if words]


def _find_lines(tensor):
    """Returns the addresses of the cache lines that PyTorch reads for a tensor's version and address."""
    return [start + line for start, size in ((id(tensor), 128), (tensor._cdata, 256), (storage_of(tensor), 128))
            for line in range(0, size, 64)]


def _bytes_of(tensor):
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())
