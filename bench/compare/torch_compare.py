"""Times PyTorch, eager and compiled, doing what the kernels in half precision do, at the sizes of `ptx-gpu bench`, for a comparison on the
same GPU: see bench/README.md. Each time is the median of 50 samples by events, each after a device-to-device copy; a sample has several
calls, so that short ones do not wait for the host."""

import torch
import torch.nn.functional as functional

SAMPLES = 50


def median_us(run, copy):
    """Returns the median time of a call."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    calls = max(1, min(100, int(1.0 / max(start.elapsed_time(end), 1e-3))))
    times = []
    for _ in range(SAMPLES):
        copy()
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        times.append(1e3 * start.elapsed_time(end) / calls)
    times.sort()
    return (times[SAMPLES // 2 - 1] + times[SAMPLES // 2]) / 2


def report(name, traffic, function, *arguments, compiles=True):
    """Prints a row: the times of the function, eager and compiled, and of a copy with the same traffic."""
    source = torch.empty(traffic // 2, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)

    def copy():
        target.copy_(source)

    times = [median_us(copy, copy), median_us(lambda: function(*arguments), copy)]
    if compiles:
        compiled = torch.compile(function, dynamic=False)
        times.append(median_us(lambda: compiled(*arguments), copy))
    texts = [f"{time:.1f}" for time in times[1:]] + ["–"] * (3 - len(times))
    gbs = traffic / min(times[1:]) / 1e3
    print(f"| {name} | {texts[0]} | {texts[1]} | {gbs:.0f} | {times[0] / min(times[1:]):.3f} |", flush=True)


def add_rms_norm(x, residual, weights):
    residual.add_(x)
    return functional.rms_norm(residual, (residual.shape[-1],), weights, 1e-3)


def rotate(x, cosines, sines, positions):
    cosine, sine = cosines[positions].unsqueeze(1), sines[positions].unsqueeze(1)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine), dim=-1)


def layer_norm_backward(dy, x, means, scales, weights, bias):
    columns = [x.shape[-1]]
    return torch.ops.aten.native_layer_norm_backward(
        dy, x, columns, means, scales, weights, bias, [True, True, True]
    )


def halves(*shape, dtype=torch.bfloat16):
    return torch.rand(*shape, device="cuda").mul_(2).sub_(1).to(dtype)


def main():
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    print("| call | eager, µs | compiled, µs | GB/s of the faster | of the copy |\n| --- | ---: | ---: | ---: | ---: |")
    for dtype, columns in [
        (torch.float16, 8192),
        (torch.bfloat16, 1024),
        (torch.bfloat16, 4096),
        (torch.bfloat16, 8192),
        (torch.bfloat16, 16384),
    ]:
        rows = (1 << 26) // columns
        x, residual = halves(rows, columns, dtype=dtype), halves(rows, columns, dtype=dtype)
        name = f"add_rms_norm, {rows} × {columns} {str(dtype).removeprefix('torch.')}"
        report(name, 8 << 26, add_rms_norm, x, residual, halves(columns, dtype=dtype))
    del x, residual

    rows, columns, group = 1 << 15, 1 << 14, 128
    x = halves(columns)
    # PyTorch's own int4 product. Its weights are packed for the tensor cores, in tiles.
    nibbles = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device="cuda")
    try:
        packed = torch.ops.aten._convert_weight_to_int4pack(nibbles, 8)
        scales = halves(columns // group, rows, 2)
        int4 = torch.ops.aten._weight_int4pack_mm
        traffic = rows * columns // 2 + 4 * rows * columns // group
        report("int4 matrix · vector", traffic, lambda: int4(x.unsqueeze(0), packed, group, scales), compiles=False)
        del packed, scales
    except (RuntimeError, AttributeError) as error:
        print(f"int4 matrix · vector: {error}")
    del nibbles
    matrix = halves(rows, columns)
    report("bf16 matrix · vector (torch.mv)", 2 * rows * columns, torch.mv, matrix, x)
    del matrix

    tokens, heads, positions = 1 << 15, 32, 1 << 12
    angles = torch.arange(positions, device="cuda").unsqueeze(1) * 10000 ** (-torch.arange(64, device="cuda") / 64)
    cosines, sines = angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)
    places = torch.arange(tokens, device="cuda") % positions
    report("rotary_embedding", 4 * tokens * heads * 128, rotate, halves(tokens, heads, 128), cosines, sines, places)

    rows, columns = 1 << 15, 1 << 12
    table, indices = halves(rows, columns), torch.randperm(rows, device="cuda")
    report("embedding_gather (functional.embedding)", 4 * rows * columns, functional.embedding, indices, table)
    gradients = halves(rows, columns)
    report(
        "embedding_scatter_add (index_add_)",
        6 * rows * columns,
        lambda: table.index_add_(0, indices, gradients),
        compiles=False,
    )
    del table, gradients

    rows = 1 << 14
    x, dy, weights, bias = halves(rows, columns), halves(rows, columns), halves(columns), halves(columns)
    _, means, scales = torch.ops.aten.native_layer_norm(x, [columns], weights, bias, 1e-3)
    report("layer_norm_backward", 6 * rows * columns, layer_norm_backward, dy, x, means, scales, weights, bias)


if __name__ == "__main__":
    main()
