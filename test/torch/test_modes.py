# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What PyTorch dispatches differs by machine and mode; what is compiled does not.

Layers for which PyTorch has kernels of other libraries, under each setting that decides whether they are used.
"""

import contextlib
import itertools
import unittest

import torch
from torch import nn

import tssa
from collected import tensor
from support import AgreementTest

MODES = {"grad": contextlib.nullcontext, "no_grad": torch.no_grad, "inference": torch.inference_mode}


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 4, 2),
                                    nn.AdaptiveAvgPool2d(2))

    def forward(self, x):
        return self.layers(x), self.layers(x.to(memory_format=torch.channels_last)).contiguous()



LAYERS = {
    "lstm": (lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True), tensor(5, 2, 3)),
    "gru": (lambda: nn.GRU(3, 4, batch_first=True), tensor(2, 5, 3)),
    "rnn": (lambda: nn.RNN(3, 4, nonlinearity="relu"), tensor(5, 2, 3)),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), tensor(2, 5, 8)),
    "encoder_stack": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2), tensor(2, 5, 8)),
    "attention": (SelfAttention, tensor(2, 5, 8)),
    "convolutions": (Convolutions, tensor(2, 3, 6, 6)),
    "linear": (lambda: nn.Sequential(nn.Linear(8, 4), nn.GELU(), nn.Linear(4, 2)), tensor(3, 8)),
}


class Modes(AgreementTest):
    def run_layer(self, make, x):
        torch.manual_seed(0)
        module = make().eval().requires_grad_(False)
        for mkldnn, fast, mode in itertools.product((True, False), (True, False), MODES):
            where = f"mkldnn {mkldnn}, fast path {fast}, {mode}"
            with self.settings(mkldnn, fast), MODES[mode]():
                expected, actual = module(x), tssa.compile(module)(x)
                self.assert_same(expected, actual, where)
                self.assertEqual((torch._C._get_mkldnn_enabled(), torch.backends.mha.get_fastpath_enabled()),
                                 (mkldnn, fast), where)

    @contextlib.contextmanager
    def settings(self, mkldnn, fast):
        had = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(fast)
        try:
            with torch.backends.mkldnn.flags(enabled=mkldnn):
                yield
        finally:
            torch.backends.mha.set_fastpath_enabled(had)

    def test_modules_as_torch_compile_and_export_give_them(self):
        module, x = nn.LSTM(3, 4).eval(), tensor(5, 2, 3)
        with torch.no_grad():
            expected = module(x)
            self.assert_same(expected, tssa.compile(torch.export.export(module, (x,)))(x), "exported")


for name, (make, x) in LAYERS.items():
    setattr(Modes, f"test_{name}", lambda self, make=make, x=x: self.run_layer(make, x))

if __name__ == "__main__":
    unittest.main()
