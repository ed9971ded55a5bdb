# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Devices and kinds of memory, by the names of ONNX Runtime. Arguments and results are in the memory of the CPU."""

import enum
from typing import Any

from ._errors import NotImplemented as Unavailable
from ._refusals import refuse

_ADVICE = "arguments and results are in the memory of the CPU: give device_type='cpu', or none"


class OrtDeviceVendorId(enum.IntEnum):
    NONE = 0x0000
    AMD = 0x1002
    NVIDIA = 0x10DE
    ARM = 0x13B5
    MICROSOFT = 0x1414
    HUAWEI = 0x19E5
    QUALCOMM = 0x5143
    INTEL = 0x8086


class OrtAllocatorType(enum.IntEnum):
    INVALID = -1
    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemType(enum.IntEnum):
    CPU_INPUT = -2
    CPU_OUTPUT = -1
    CPU = -1
    DEFAULT = 0


class OrtDeviceMemoryType(enum.IntEnum):
    DEFAULT = 0
    HOST_ACCESSIBLE = 5


class OrtMemoryInfoDeviceType(enum.IntEnum):
    CPU = 0
    GPU = 1
    FPGA = 2
    NPU = 3


def check_device(device_type: str) -> None:
    """NotImplemented: a device is not the CPU."""
    if device_type != "cpu":
        raise Unavailable(f"there is no memory of the device '{device_type}': {_ADVICE}")


class OrtDevice:
    """The CPU. Made by OrtDevice.make()."""

    def __init__(self, device_id: int = 0) -> None:
        self._id = int(device_id)

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> "OrtDevice":
        """NotImplemented: the device is not "cpu"."""
        check_device(ort_device_name)
        return OrtDevice(device_id)

    def device_id(self) -> int:
        return self._id

    def device_type(self) -> int:
        return int(OrtMemoryInfoDeviceType.CPU)

    def device_mem_type(self) -> int:
        return int(OrtDeviceMemoryType.DEFAULT)

    def device_vendor_id(self) -> int:
        return int(OrtDeviceVendorId.NONE)


class OrtMemoryInfo:
    """Where a value is: in the memory of the CPU, "Cpu"."""

    def __init__(self, name: str, allocator_type: Any, device_id: int, mem_type: Any) -> None:
        if name != "Cpu":
            raise Unavailable(f"there is no memory '{name}', only 'Cpu'")
        self.name = name
        self.allocator_type = OrtAllocatorType(allocator_type)
        self.device_id = int(device_id)
        self.mem_type = OrtMemType(mem_type)
        self.device_mem_type = OrtDeviceMemoryType.DEFAULT
        self.device_vendor_id = 0

    create_v2 = refuse("make it by its constructor: OrtMemoryInfo('Cpu', allocator_type, device_id, mem_type)")
