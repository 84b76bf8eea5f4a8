"""Times CuPy and, if it is there, PyTorch on arrays of the sizes of `ptx-gpu bench`, for a comparison on the same GPU: see
bench/README.md. Each time is the median of 50 calls, each after a device-to-device copy, by events on one stream."""

import cupy

try:
    import torch
except ImportError:
    torch = None


def timed(name, traffic, run):
    source = cupy.zeros(1 << 28, cupy.uint8)
    to = cupy.empty_like(source)
    times = []
    for repetition in range(55):
        to[...] = source
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        end.record()
        end.synchronize()
        if repetition >= 5:
            times.append(1e3 * cupy.cuda.get_elapsed_time(start, end))
    times.sort()
    us = (times[24] + times[25]) / 2
    print(f"| {name} | {us:.1f} | {traffic / us / 1e3:.0f} |", flush=True)


def main():
    print("| call | µs | GB/s |\n| --- | ---: | ---: |")
    words = cupy.random.randint(0, 1 << 31, 1 << 28, cupy.uint32)
    output = cupy.empty_like(words)
    timed("cupy copy, 2^28 u32", 8 << 28, lambda: cupy.copyto(output, words))
    timed("cupy.cumsum, 2^28 u32", 8 << 28, lambda: cupy.cumsum(words, dtype=cupy.uint32, out=output))
    timed("cupy.sort, 2^28 u32", 36 << 28, lambda: cupy.sort(words))
    del words, output
    cupy.get_default_memory_pool().free_all_blocks()
    floats = cupy.random.standard_normal(1 << 30, dtype=cupy.float32)
    timed("cupy.sum, 2^30 f32", 4 << 30, lambda: cupy.sum(floats))
    if torch is None:
        return
    # The same stream, so that CuPy's events enclose PyTorch's kernels.
    with torch.cuda.stream(torch.cuda.ExternalStream(cupy.cuda.get_current_stream().ptr)):
        of_torch = torch.from_dlpack(floats)
        timed("torch.sum, 2^30 f32", 4 << 30, lambda: torch.sum(of_torch))
        rows = of_torch[: 1 << 27].view(1 << 15, 1 << 12)
        timed("torch.topk, 2^15 rows of 2^12 f32, k = 64", 4 << 27, lambda: torch.topk(rows, 64, dim=1))
        sums = torch.zeros(1 << 21, device="cuda")
        keys = torch.arange(1 << 27, device="cuda") // 100
        timed("torch.index_add, 2^27 f32, runs of 100", 12 << 27, lambda: sums.index_add_(0, keys, of_torch[: 1 << 27]))


if __name__ == "__main__":
    main()
