"""One use of an operator, for contrib_tests.py."""

import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # arrays; None where an optional input is absent
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: tuple = (0,)  # numbers of the outputs that are compared
    name: str = ""
    domain: str = "com.microsoft"
    constants: tuple = ()  # numbers of the inputs that are initializers
    symbols: dict = dataclasses.field(default_factory=dict)  # size -> name of a dynamic dim
    expected: typing.Optional[typing.Callable] = None  # without a kernel in ONNX Runtime
    types: dict = dataclasses.field(default_factory=dict)  # of outputs whose types ONNX Runtime does not infer
    unread: tuple = ()  # numbers of outputs that have a name and that nothing reads
    rtol: float = 1e-4
    atol: float = 1e-5
    verified: bool = False  # a sample for --verify-each-stage


class Random:
    """Arrays that are the same in every run."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape, dtype=np.float32, scale=1.0):
        return (self.generator.standard_normal(shape) * scale).astype(dtype)

    def uniform(self, *shape, low=0.0, high=1.0, dtype=np.float32):
        return self.generator.uniform(low, high, shape).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int64):
        return self.generator.integers(low, high, shape, dtype=dtype)
