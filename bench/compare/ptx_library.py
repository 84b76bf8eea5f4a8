"""Loads kernels of a bundle by the C library of `bench/library`, and launches them on memory and streams of the caller."""

import ctypes
import json
from pathlib import Path


class Refused(Exception):
    """The library's reason for not loading or launching a kernel."""


class Memory(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64)]


def check(error):
    """Raises the error that a function of the library has returned, if it is one."""
    if error is not None:
        raise Refused(error.decode())


class Library:
    """The library, with the description of the kernels that it can load."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(str(Path(path).resolve()))
        for name, parameters in {
            "ptx_kernels": [],
            "ptx_chosen_gemm": [ctypes.c_char_p, *4 * [ctypes.c_uint32], ctypes.POINTER(ctypes.c_uint32)],
            "ptx_load": [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)],
            "ptx_launch": [
                ctypes.c_uint32,
                ctypes.POINTER(Memory),
                ctypes.c_size_t,
                ctypes.POINTER(ctypes.c_uint64),
                ctypes.c_size_t,
                ctypes.c_void_p,
            ],
        }.items():
            function = getattr(self.calls, name)
            function.argtypes, function.restype = parameters, ctypes.c_char_p
        self.kernels = [Kernel(self, **kernel) for kernel in json.loads(self.calls.ptx_kernels())]

    def chosen_gemm(self, element, m, n, k, multiprocessors):
        """Returns the instance of `gemm` that the library's model takes for the fastest."""
        number = ctypes.c_uint32()
        check(self.calls.ptx_chosen_gemm(element.encode(), m, n, k, multiprocessors, ctypes.byref(number)))
        return self.kernels[number.value]


class Kernel:
    """A kernel of the library. `memory` has the names and element types of the memory that it takes, `numbers` the names of its
    numbers, both in the order of a call. `head_size` is that of a kernel of attention, else `None`."""

    def __init__(self, library, name, operation, variant, memory, numbers, head_size):
        self.calls, self.name, self.operation, self.variant = library.calls, name, operation, variant
        self.memory, self.numbers, self.head_size = dict(memory), numbers, head_size

    def load(self, image, device=0):
        """Loads the kernel from its image, which `./x bundle` has made. Returns the handle for `launch`."""
        handle = ctypes.c_uint32()
        check(self.calls.ptx_load(self.name.encode(), str(image).encode(), device, ctypes.byref(handle)))
        return handle.value

    def launch(self, handle, memory, numbers, stream):
        """Returns a function that puts the loaded kernel on the stream (a `CUstream`). `memory` has the address and the bytes of
        each memory by its name, `numbers` each number by its name. The caller keeps the memory until the kernel has ended.
        """
        places = (Memory * len(self.memory))(*(Memory(*memory[name]) for name in self.memory))
        values = (ctypes.c_uint64 * len(self.numbers))(*(numbers[name] for name in self.numbers))
        arguments = (handle, places, len(places), values, len(values), stream)

        def put():
            check(self.calls.ptx_launch(*arguments))

        return put
