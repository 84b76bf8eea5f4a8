"""Launches kernels of the library on memory and a stream that this program has made by the driver: launches.py LIBRARY IMAGES. Fails
by an exception."""

import ctypes
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "compare"))
import ptx_library

cuda = ctypes.CDLL("libcuda.so.1")
context, stream, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()


def driver(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    assert code == 0, f"{name}: {code}"


class Array:
    """Values in memory of the driver."""

    def __init__(self, element, values):
        self.values = (element * len(values))(*values)
        self.address = ctypes.c_uint64()
        driver("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(ctypes.sizeof(self.values)))
        self.memory = (self.address.value, ctypes.sizeof(self.values))
        driver("cuMemcpyHtoD_v2", self.address, self.values, ctypes.c_size_t(self.memory[1]))

    def read(self):
        driver("cuStreamSynchronize", stream)
        driver("cuMemcpyDtoH_v2", self.values, self.address, ctypes.c_size_t(self.memory[1]))
        return list(self.values)


def refused(run, *parts):
    """Checks that a call is refused with a text that has these parts."""
    try:
        run()
    except ptx_library.Refused as error:
        missing = [part for part in parts if part not in str(error)]
        assert not missing, f"{missing} are not in: {error}"
    else:
        raise AssertionError(f"not refused: {parts}")


def product(kernel, image):
    handle = kernel.load(image)
    m, n, k = 256, 128, 32
    numbers = {"m": m, "n": n, "k": k}
    a, b = ([random.randint(-8, 8) for _ in range(length)] for length in (m * k, k * n))
    arrays = {"a": Array(ctypes.c_float, a), "b": Array(ctypes.c_float, b)}
    arrays["c"] = Array(ctypes.c_float, [math.nan] * (m * n))
    memory = {name: array.memory for name, array in arrays.items()}
    kernel.launch(handle, memory, numbers, stream)()
    got = arrays["c"].read()
    for row in range(m):
        for column in range(n):
            want = sum(a[row * k + i] * b[i * n + column] for i in range(k))
            assert got[row * n + column] == want, f"row {row}, column {column}"

    def with_numbers(**other):
        return kernel.launch(handle, memory, numbers | other, stream)

    refused(with_numbers(m=100), "launching matrix_product", "m = 100", "multiples of 128")
    refused(with_numbers(k=1 << 32), "`k` is 4294967296, which has over 32 bits")
    refused(with_numbers(m=512), "`a`", "is a matrix of 512 rows of 32 elements, but its memory has 8192")
    address, bytes_of_c = memory["c"]
    other = memory | {"c": (address + 2, bytes_of_c - 4)}
    refused(kernel.launch(handle, other, numbers, stream), "`c` has", "which are no elements of f32")
    refused(kernel.launch(77, memory, numbers, stream), "no kernel is loaded with the handle 77")
    del kernel.memory["c"]
    refused(kernel.launch(handle, memory, numbers, stream), "takes 3 memories (a, b, c), not 2")
    kernel.numbers.pop()
    kernel.memory["c"] = "f32"
    refused(kernel.launch(handle, memory, numbers, stream), "takes 3 numbers (m, n, k), not 2")


def transpose(kernel, image):
    handle = kernel.load(image)
    width, height = 36, 44
    words = [random.getrandbits(32) for _ in range(width * height)]
    arrays = {"input": Array(ctypes.c_uint32, words), "output": Array(ctypes.c_uint32, [7] * len(words))}
    memory = {name: array.memory for name, array in arrays.items()}
    numbers = {"width": width, "height": height}
    kernel.launch(handle, memory, numbers, stream)()
    want = [words[y * width + x] for x in range(width) for y in range(height)]
    assert arrays["output"].read() == want
    odd = kernel.launch(handle, memory, numbers | {"width": 37}, stream)
    refused(odd, "launching tensor_transpose", "multiple of 16")


def choose(library):
    chosen = lambda element, *extents: library.chosen_gemm(element, *extents, 132).name
    assert chosen("bf16", 8192, 8192, 8192) == "gemm_bf16_bf16_N256_2_4"
    assert chosen("bf16", 3072, 3072, 3072) == "gemm_bf16_bf16_N192_2_4"
    assert chosen("bf16", 64, 8192, 8192) == "gemm_bf16_bf16_N128_1_8"
    assert chosen("e4m3", 1024, 1024, 1024) == "gemm_E4m3_bf16_N256_2_4"
    refused(lambda: chosen("u32", 1, 1, 1), "no `gemm` of u32")


def main():
    library, images = ptx_library.Library(sys.argv[1]), Path(sys.argv[2])
    driver("cuInit", 0)
    driver("cuDeviceGet", ctypes.byref(device), 0)
    driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver("cuCtxSetCurrent", context)
    driver("cuStreamCreate", ctypes.byref(stream), 1)
    choose(library)
    kernels = {kernel.name: kernel for kernel in library.kernels}
    for name, run in {"matrix_product": product, "tensor_transpose": transpose}.items():
        image = images / f"{name}-O3.ptx"
        kernel = kernels[name]
        refused(lambda: kernel.load(images / "none"), "cannot read the image", "none")
        refused(lambda: kernel.load(Path(__file__)), "launches.py")
        refused(lambda: kernel.load(image, device=9), "no CUDA device 9")
        run(kernel, image)
    other, name = images / "matrix_product-O3.ptx", "tensor_transpose"
    refused(lambda: kernels[name].load(other), f"has no kernel `{name}`")
    kernels[name].name = "sort"
    refused(lambda: kernels[name].load(other), "the library has no kernel `sort`; it has matrix_product, ")
    print("all right")


if __name__ == "__main__":
    main()
