"""Reads clock, power and limits of a GPU by NVML, the library of NVIDIA's driver."""

import ctypes
from dataclasses import dataclass

SM_CLOCK = 1
# The power at this moment. `nvmlDeviceGetPowerUsage` is the mean of a second.
POWER_INSTANT = 186
UNSIGNED_INT = 1
# What the driver may limit the clock for. Being idle and the clocks that were asked for are no limits.
LIMITS = {
    0x4: "power",
    0x8: "hardware",
    0x20: "heat",
    0x40: "heat",
    0x80: "power brake",
}


class FieldValue(ctypes.Structure):
    _fields_ = [
        ("field", ctypes.c_uint),
        ("scope", ctypes.c_uint),
        ("timestamp", ctypes.c_longlong),
        ("latency", ctypes.c_longlong),
        ("value_type", ctypes.c_uint),
        ("result", ctypes.c_uint),
        ("value", ctypes.c_uint64),
    ]


@dataclass
class Reading:
    """The clock of the multiprocessors, the power (both None if NVML does not tell), and what limits the clock."""

    mhz: float | None
    watts: float | None
    limits: frozenset


class Nvml:
    """NVML's view of the GPU with this UUID, as `nvidia-smi -L` shows it."""

    def __init__(self, uuid):
        self.calls = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        self.check("nvmlInit_v2")
        self.check("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(self.device))

    def check(self, name, *arguments):
        code = getattr(self.calls, name)(*arguments)
        if code != 0:
            text = self.calls.nvmlErrorString
            text.restype = ctypes.c_char_p
            raise OSError(f"{name}: {text(code).decode()}")

    def number(self, element, name, *arguments):
        """Returns what a function writes to its last argument, or None if it fails."""
        number = element()
        code = getattr(self.calls, name)(self.device, *arguments, ctypes.byref(number))
        return number.value if code == 0 else None

    def watts(self):
        field = FieldValue(field=POWER_INSTANT)
        code = self.calls.nvmlDeviceGetFieldValues(self.device, 1, ctypes.byref(field))
        if code == 0 and field.result == 0 and field.value_type == UNSIGNED_INT:
            return (field.value & 0xFFFFFFFF) / 1e3
        milliwatts = self.number(ctypes.c_uint, "nvmlDeviceGetPowerUsage")
        return None if milliwatts is None else milliwatts / 1e3

    def read(self):
        mhz = self.number(ctypes.c_uint, "nvmlDeviceGetClockInfo", SM_CLOCK)
        bits = self.number(ctypes.c_ulonglong, "nvmlDeviceGetCurrentClocksThrottleReasons") or 0
        return Reading(mhz, self.watts(), frozenset(name for bit, name in LIMITS.items() if bits & bit))
