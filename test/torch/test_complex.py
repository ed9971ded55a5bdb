# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Complex tensors inside a program, and Fourier transforms: each program is computed as eager does, with its strides."""

import unittest

import support  # noqa: F401 (one thread)
import torch
from torch import fft
from torch.utils import _pytree as pytree

import tssa

torch.manual_seed(0)
X, Y = torch.randn(3, 40), torch.randn(3, 40)
FILTER, WINDOW = torch.randn(3, 21), torch.hann_window(16)
real = torch.view_as_real


def z(x):
    return torch.complex(x, Y)


def short_time(x, **options):
    return torch.stft(x, 16, 4, window=WINDOW, return_complex=True, **options)


TRANSFORMS = [
    lambda x: fft.rfft(x).abs(),
    lambda x: fft.rfft(x, n=50, dim=0, norm="ortho").angle(),
    lambda x: fft.rfft(x, n=66, dim=1).angle(),  # the middle element has the angle pi, not -pi
    lambda x: fft.rfft(x, n=37, norm="forward").real,
    lambda x: real(fft.rfft(x, n=541)),  # no factors
    lambda x: fft.rfft(x.double()).abs(),
    lambda x: fft.irfft(fft.rfft(x) * FILTER),
    lambda x: fft.irfft(fft.rfft(x) * 1j, n=39, norm="ortho"),
    lambda x: fft.irfft(fft.rfft(x), n=77),
    lambda x: fft.irfft(fft.rfft(x), n=1086),
    lambda x: fft.irfft(fft.rfft(x), n=21),
    lambda x: fft.irfft(fft.rfft(x), n=20),
    lambda x: fft.irfft(torch.complex(x, Y)),  # the first and last imaginary parts do not count
    lambda x: fft.irfft(x, norm="forward"),
    lambda x: fft.ifft(fft.fft(x) * fft.fft(Y).conj()).real,
    lambda x: fft.ifft(fft.fft(x) * 2j, norm="forward").imag,
    lambda x: fft.irfft2(fft.rfft2(x)),
    lambda x: fft.ifft2(fft.fft2(x)).real,
    lambda x: fft.fftshift(fft.fft2(x)).abs(),
    lambda x: fft.fftn(x).abs(),
    lambda x: fft.hfft(z(x)),
    lambda x: fft.ihfft(x).imag,
    lambda x: short_time(x).abs(),
    lambda x: short_time(x).abs() ** 2,
    lambda x: real(short_time(x)),
    lambda x: short_time(x, onesided=False, center=False, normalized=True).angle(),
    lambda x: torch.istft(short_time(x), 16, 4, window=WINDOW),
    lambda x: torch.istft(short_time(x), 16, 4, window=WINDOW, length=40),
]

ARITHMETIC = [
    lambda x: real(z(x) * 1j), lambda x: real(z(x) * x), lambda x: real(2.5 + z(x)), lambda x: (3 - z(x)).real,
    lambda x: real(torch.add(z(x), x, alpha=2)), lambda x: real(-z(x)), lambda x: (z(x) * z(x).conj()).real,
    lambda x: real(z(x) / torch.complex(Y, x)), lambda x: real(1 / z(x)), lambda x: real(z(x) / x.abs().sum()),
    lambda x: real(z(x) / torch.complex(x * 0, x * 0)), lambda x: real(z(x) / 0), lambda x: real(z(x * 0) / 1e-38),
    lambda x: real(z(x) * 1e30 / (z(x) * 1e30)), lambda x: real(torch.complex(x / 0, Y) * x),
    lambda x: (z(x) ** 2).real, lambda x: z(x).square().imag, lambda x: real(torch.exp(1j * x)),
    lambda x: real(torch.polar(x, Y)), lambda x: real(torch.where(x > 0, z(x), x * 3)), lambda x: (z(x) * 1e30).abs(),
    lambda x: real(z(x).to(torch.complex128) * x), lambda x: real(x.to(torch.complex64)),
    lambda x: z(x).sum(1).abs(), lambda x: z(x).mean((0, 1)).angle(), lambda x: real(z(x).cumsum(0)),
]

PARTS_AND_VIEWS = [
    lambda x: real(torch.zeros(3, dtype=torch.complex64)), lambda x: real(torch.view_as_complex(x.reshape(3, 20, 2))),
    lambda x: torch.real(z(x)), lambda x: torch.imag(z(x)), lambda x: z(x).conj().imag, lambda x: z(x).T.abs(),
    lambda x: real(z(x).mH.resolve_conj()), lambda x: real(z(x).conj().clone()), lambda x: real(z(x).T.sum(0)),
    lambda x: real(torch.stack([z(x), torch.complex(Y, x)], 1)[:, 0, None, ::3].squeeze().permute(1, 0)),
    lambda x: real(z(x)[:2].reshape(2, -1).expand(4, 2, -1)), lambda x: real(z(x).unsqueeze(1).flip(0).roll(2, 2)),
    lambda x: torch.cat([z(x), x], 1).imag, lambda x: [part.real for part in z(x).unbind(0)],
    lambda x: [part.imag for part in z(x).chunk(2, 1)], lambda x: real(z(x)[torch.tensor([2, 0])]),
    lambda x: real(torch.nn.functional.pad(z(x), (1, 2))),
]


def writes_parts(x):
    c = z(x)
    c.imag = x
    c *= 2
    c.real.add_(1)
    c[:, 3:5].mul_(1 + 1j)
    c[0].fill_(1j)
    c.transpose_(0, 1)
    return real(c), c.real


def writes_whole(x):
    c = z(x)
    c.zero_()
    c.copy_(x)
    c.add_(1j)
    return real(c)


def writes_through_conjugate(x):
    c = z(x)
    conjugate = c.conj()
    c.mul_(2j)
    return real(conjugate.resolve_conj()), real(c)


def writes_an_argument(x):
    torch.view_as_complex(x.reshape(3, 20, 2)).mul_(1j)
    return x


def writes_under_imaginary_part(x):
    c = z(x)
    imaginary = c.conj().imag
    c.mul_(2j)
    return imaginary


def decides(x):
    c = z(x)
    if x.sum() > 0:
        c = c * 2
    return c.abs()


class Complex(unittest.TestCase):
    def compare(self, function):
        left, right = X.clone(), X.clone()
        found, expected = tssa.compile(function)(left), function(right)
        torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-5, equal_nan=True)
        torch.testing.assert_close(left, right)
        strides = [[tensor.stride() for tensor in pytree.tree_leaves(result)] for result in (found, expected)]
        self.assertEqual(*strides)

    def test_programs(self):
        for function in (*TRANSFORMS, *ARITHMETIC, *PARTS_AND_VIEWS, writes_parts, writes_whole,
                         writes_through_conjugate, writes_an_argument):
            with self.subTest(line=function.__code__.co_firstlineno):
                self.compare(function)

    def test_open_sizes(self):
        function = tssa.compile(lambda x: fft.irfft(fft.rfft(x) * 2, n=x.shape[1]), dynamic=True)
        for sizes in ((3, 40), (2, 33), (4, 7)):
            x = torch.randn(sizes)
            torch.testing.assert_close(function(x), x * 2, rtol=1e-5, atol=1e-5)

    def test_refused(self):
        for function, text in (
                (lambda x: fft.rfft(x), "as results: return torch.view_as_real"),
                (lambda x: z(x).sgn().real, "in aten::sgn: compute it from torch.view_as_real"),
                (lambda x: (z(x) ** 3).real, "in aten::pow.Tensor_Scalar: compute it from"),
                (decides, "as values that a loop or branch takes or gives: use torch.view_as_real"),
                (writes_under_imaginary_part, "memory with a result of _neg_view")):
            line = function.__code__.co_firstlineno
            line += {decides: 2, writes_under_imaginary_part: 3}.get(function, 0)
            with self.subTest(text=text), self.assertRaisesRegex(tssa.UnsupportedError, rf"test_complex.py:{line}: .*{text}"):
                tssa.compile(function)(X)


if __name__ == "__main__":
    unittest.main()
