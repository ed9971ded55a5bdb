"""As much of PyTorch as times a product: 0.25 ms for each launch between two events."""

import types

float16, float32 = "float16", "float32"
launches = 0


class Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = launches

    def elapsed_time(self, end):
        return 0.25 * (end.at - self.at)


def randn(shape, device, dtype):
    assert device == "cuda" and dtype in (float16, float32)
    return list(shape)


def matmul(a, b):
    global launches
    assert a[-1] == b[-2]
    launches += 1


def set_float32_matmul_precision(precision):
    assert precision == "highest"


cuda = types.SimpleNamespace(Event=Event, synchronize=lambda: None)
