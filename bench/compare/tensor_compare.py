"""Compares kernels of a bundle with PyTorch's on the same GPU, in one process: products of matrices with `torch.matmul` (cuBLAS), attention
with each backend of `scaled_dot_product_attention`. See bench/README.md."""

import argparse
import json
import math
import statistics
import sys
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from nvml import Nvml
from ptx_library import Library, Refused

DEVICE = "cuda"
# The inputs of the calls in a burst take turns, so that together they exceed the L2 cache.
ROTATED_BYTES, MOST_SETS = 160 << 20, 8
# The driver queues about a thousand launches; more would wait for the GPU.
MOST_CALLS = 400
# How often a burst is tried with a longer hold.
HOLDS = 4
# Cycles a second of the loop that holds the GPU, at least as many as its clock has.
HOLD_RATE = 2e9
# How many times the errors of the least accurate of PyTorch's kernels a kernel may have.
MEAN_ERROR, MOST_ERROR = 2, 4
# The name of the ratios of the kernels that the library's model chooses.
CHOSEN = "the chosen kernels"

TYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "u32": torch.int32,
}
SQUARES = [(side, side, side) for side in (2048, 4096, 8192, 16384)]
ODD_SHAPES = [
    *((side, side, side) for side in (1024, 3000, 3072, 4000, 5120, 6144)),
    (1000, 5000, 2000),
    (8192, 1024, 8192),
    (8192, 8192, 1024),
    *((m, 8192, 8192) for m in (16, 32, 64, 128, 256)),
    # Projections and feed-forward layers of transformers: tokens × outputs × inputs.
    (8192, 3072, 768),
    (8192, 768, 3072),
    (4096, 6144, 4096),
    (4096, 12288, 4096),
    (4096, 11008, 4096),
    (4096, 4096, 11008),
    (4096, 22016, 4096),
    (4096, 14336, 4096),
    (4096, 4096, 14336),
    (2048, 5120, 13824),
    (2048, 13824, 5120),
    (8192, 10240, 8192),
    (8192, 28672, 8192),
    (8192, 8192, 28672),
    (512, 7168, 2048),
    (4096, 32000, 4096),
]
# Tokens, outputs and inputs of products with an epilogue, and of each of 64 experts.
EPILOGUES = [(2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (8192, 3072, 768)]
EXPERTS, OF_EXPERTS = 64, [(128, 4096, 2048), (256, 4096, 2048), (512, 4096, 2048), (1024, 2048, 4096)]
FEW_SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (1000, 5000, 2000), (4096, 11008, 4096)]
# Batch, heads, heads of K and V, length, elements of a head: 2^14 tokens, then grouped heads.
ATTENTION = [
    *((1 << 14 >> length, 16, 16, 1 << length, 128) for length in range(9, 15)),
    *((1 << 14 >> length, 32, 32, 1 << length, 64) for length in (10, 12, 14)),
    *((1 << 14 >> length, 8, 8, 1 << length, 256) for length in (10, 12, 14)),
    (2, 32, 8, 4096, 128),
    (1, 64, 8, 8192, 128),
]
# Batch, heads, heads of K and V, tokens of a sequence, elements of a head: one query per sequence.
DECODE = [
    *((batch, 32, 8, 8000, 128) for batch in (1, 8, 64)),
    (1, 32, 8, 64000, 128),
    (16, 64, 8, 4000, 128),
    (16, 32, 32, 2000, 128),
    (64, 32, 8, 500, 128),
]
# Tokens of a page, and the most splits for which there is memory.
PAGE, MOST_SPLITS = 64, 256
BACKENDS = {
    "cuDNN": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}


@dataclass
class Side:
    """An implementation. `run` queues a call with the inputs of a set; `outputs` are those of set 0, after `run(0)`."""

    name: str
    run: Callable
    outputs: Callable
    is_ours: bool = False
    # Whether the library's model takes the kernel for the fastest of those that compute the same.
    is_chosen: bool = False
    calls: int = 1
    hold: float = 0
    refusal: str = ""
    is_short: bool = False
    errors: list = field(default_factory=lambda: [0.0, 0.0])
    times: list = field(default_factory=list)
    readings: list = field(default_factory=list)

    @property
    def us(self):
        return statistics.median(self.times)


@dataclass
class Case:
    """The same work by several sides. `work` is the number of operations of a call, or of bytes; `reference` returns the outputs in
    double precision."""

    name: str
    group: str
    work: float
    unit: str
    sides: list
    sets: int
    reference: Callable


def refusal(error, reasons):
    """Returns the text of an error, with the warnings that say more than that a backend was not chosen."""
    told = [str(error), *(str(reason.message) for reason in reasons)]
    told = [text.splitlines()[0].split(" (Triggered internally")[0] for text in told]
    return " ".join(text for text in told if not text.endswith(("not used because:", "runtime disabled.")))


def mean_of(values):
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def shown(value, digits=0):
    return "–" if value is None else f"{value:.{digits}f}"


def number_of_sets(tensors):
    """Returns how many sets of such tensors a burst rotates through."""
    size = sum(tensor.nbytes for tensor in tensors)
    return max(1, min(MOST_SETS, math.ceil(ROTATED_BYTES / size)))


def normal(shape, dtype):
    return torch.randn(shape, device=DEVICE, dtype=torch.float32).to(dtype)


def poisoned(shape, dtype):
    """Returns memory of NaNs, or of ones in all bits, so that an element that is not written is seen."""
    tensor = torch.empty(shape, dtype=dtype, device=DEVICE)
    tensor.view(torch.uint8).fill_(0xFF)
    return tensor


class Ours:
    """The kernels of the bundle."""

    def __init__(self, options):
        self.library = Library(options.library)
        known = {kernel.name: kernel for kernel in self.library.kernels}
        unknown = [name for name in options.kernel or [] if name not in known]
        if unknown:
            sys.exit(f"the library has no kernel {', '.join(unknown)}; it has {', '.join(known)}")
        self.kernels, self.handles = [], {}
        for name in options.kernel or known:
            image = options.cubins / f"{name}-O3.cubin"
            if image.exists():
                self.handles[name] = known[name].load(image, torch.cuda.current_device())
                self.kernels.append(known[name])
            elif options.kernel:
                sys.exit(
                    f"{image} is missing: make a bundle with `./x bundle --bench DIR`, and give the folder with --cubins"
                )

    def of(self, operation, variant, **elements):
        """Returns the kernels of an operation whose memory has these element types."""
        fits = lambda kernel: all(kernel.memory.get(name) == element for name, element in elements.items())
        both = (operation, variant)
        return [kernel for kernel in self.kernels if (kernel.operation, kernel.variant) == both and fits(kernel)]

    def side(self, kernel, sets, numbers, results):
        """Makes the side of a kernel. `sets` are the tensors of each set by their names; those named `results` are compared."""
        stream = torch.cuda.current_stream().cuda_stream
        puts = []
        for tensors in sets:
            unknown = [name for name in kernel.memory if name not in tensors]
            if unknown:
                sys.exit(f"{kernel.name} takes memory that this comparison does not know: {', '.join(unknown)}")
            memory = {name: (tensors[name].data_ptr(), tensors[name].nbytes) for name in kernel.memory}
            # The tensors live as long as their launches.
            puts.append((kernel.launch(self.handles[kernel.name], memory, numbers, stream), tensors))
        outputs = {name: sets[0][name] for name in results if name in kernel.memory}
        return Side(kernel.name, lambda i: puts[i][0](), lambda: outputs, is_ours=True)


class Bench:
    """Times cases on one GPU."""

    def __init__(self, options):
        self.options = options
        self.nvml = Nvml("GPU-" + str(torch.cuda.get_device_properties().uuid).removeprefix("GPU-"))
        self.results, self.failures = [], []
        # The ratios of each kernel in a group of cases, None where it refused.
        self.ratios = defaultdict(dict)

    # Checks.

    def try_out(self, case):
        """Runs each side once. Returns the sides that did not refuse."""
        for side in case.sides:
            try:
                with warnings.catch_warnings(record=True) as reasons:
                    warnings.simplefilter("always")
                    side.run(0)
                torch.cuda.synchronize()
            except (Refused, RuntimeError) as error:
                # After an error of the device, nothing more runs.
                if isinstance(error, torch.AcceleratorError):
                    raise
                side.refusal = refusal(error, reasons)
        return [side for side in case.sides if not side.refusal]

    def compare(self, sides, reference):
        """Compares the outputs with those in double precision, and keeps the greatest errors."""
        for side in sides:
            errors = [error_of(output, reference[name]) for name, output in side.outputs().items()]
            # `max` of Python does not keep NaNs.
            side.errors = torch.tensor([*errors, side.errors], dtype=torch.float64).amax(dim=0).tolist()

    def judge(self, case, sides):
        """Notes the kernels whose errors are too large."""
        theirs = [side.errors for side in sides if not side.is_ours]
        for side in sides:
            bounds = [max(errors) for errors in zip(*theirs)] if side.is_ours and theirs else [math.inf] * 2
            factors = (MOST_ERROR, MEAN_ERROR)
            if not all(error <= factor * bound for error, factor, bound in zip(side.errors, factors, bounds)):
                self.failures.append(f"{case.name}, {case.group}, {side.name}: the errors {side.errors} are too large")

    # Times.

    def queue(self, case, side, hold):
        """Queues a burst, and returns the events around it. With `hold`, the GPU waits for so many seconds while it is queued."""
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if hold:
            torch.cuda._sleep(int(hold * HOLD_RATE))
            side.run(case.sets - 1)
        start.record()
        for call in range(side.calls):
            side.run(call % case.sets)
        end.record()
        return start, end

    def finish(self, side, burst):
        """Waits for a burst, while it reads clock and power. Returns the microseconds of a call, and the readings."""
        start, end = burst
        while not start.query():
            pass
        readings = []
        while not end.query():
            readings.append(self.nvml.read())
        end.synchronize()
        return 1e3 * start.elapsed_time(end) / side.calls, readings

    def prepare(self, case, side):
        """Chooses the number of calls in a burst, and how long the GPU is held for the host to queue them."""
        for i in range(case.sets):
            side.run(i)
        side.calls = 3
        started = time.perf_counter()
        burst = self.queue(case, side, hold=5e-3)
        host = (time.perf_counter() - started) / (side.calls + 1)
        us, _ = self.finish(side, burst)
        side.calls = max(1, min(MOST_CALLS, round(1e3 * self.options.burst_ms / us)))
        side.hold = 1.3 * host * (side.calls + 1) + 2e-4
        side.is_short = host * 1e6 > 0.8 * us

    def keep(self, side, measured):
        us, readings = measured
        side.times.append(us)
        side.readings += readings

    def held(self, case, side):
        """Times a burst that is wholly queued before the GPU begins it. If the host is slower than expected, the hold grows."""
        for _ in range(HOLDS):
            burst = self.queue(case, side, side.hold)
            is_whole = not burst[0].query()
            measured = self.finish(side, burst)
            if is_whole:
                break
            side.hold *= 2
        return measured

    def bursts(self, case, sides):
        """Times short bursts, each after a pause: the sides take turns, and each is first as often as last."""
        for i in range(self.options.samples):
            at = i % len(sides)
            for side in sides[at:] + sides[:at]:
                torch.cuda.synchronize()
                time.sleep(self.options.pause_ms / 1e3)
                self.keep(side, self.held(case, side))

    def sustained(self, case, sides):
        """Times bursts that follow one another, in two turns: the first side of a turn is the last of the other. The last side also
        works before the first turn, so that no side finds the GPU cold."""
        self.stretch(case, sides[-1], 0)
        for turn in (sides, sides[::-1]):
            for side in turn:
                self.stretch(case, side, max(1, self.options.samples // 2))

    def stretch(self, case, side, samples):
        """Lets a side work for the seconds of `--warm-s`, then times bursts of it."""
        # A burst waits for no other, unless the host is slower than the GPU.
        hold = side.hold if side.is_short else 0
        end = time.perf_counter() + self.options.warm_s
        queued = self.queue(case, side, hold)
        while samples > 0 or time.perf_counter() < end:
            is_warm = time.perf_counter() >= end
            following = self.queue(case, side, hold)
            measured = self.finish(side, queued)
            queued = following
            if is_warm:
                self.keep(side, measured)
                samples -= 1
        self.finish(side, queued)

    def run(self, case):
        """Checks and times a case, and prints its rows."""
        sides = self.try_out(case)
        if sides:
            reference = case.reference()
            self.compare(sides, reference)
            for side in sides:
                self.prepare(case, side)
            if self.options.sustained:
                self.sustained(case, sides)
            else:
                self.bursts(case, sides)
            # The last of many calls may be wrong where the first was right.
            self.compare(sides, reference)
            self.judge(case, sides)
        theirs = min((side.us for side in sides if not side.is_ours), default=None)
        for side in case.sides:
            self.report(case, side, theirs)

    # Reports.

    def report(self, case, side, theirs):
        if side.refusal:
            if side.is_ours:
                self.ratios[case.group, side.name][case.name] = None
            print(f"| {case.name} | {side.name} | – | – | – | – | – | – | – | – | {side.refusal} |", flush=True)
            self.results.append({"case": case.name, "group": case.group, "side": side.name, "refusal": side.refusal})
            return
        us = side.us
        ratio = None if theirs is None else theirs / us
        if side.is_ours and ratio is not None:
            self.ratios[case.group, side.name][case.name] = ratio
            if side.is_chosen:
                self.ratios[case.group, CHOSEN][case.name] = ratio
        mhz, watts = mean_of(r.mhz for r in side.readings), mean_of(r.watts for r in side.readings)
        limits = sorted(set().union(*(reading.limits for reading in side.readings)))
        times = sorted(side.times)
        spread = (times[-1 - len(times) // 10] - times[len(times) // 10]) / us
        name = f"**{side.name}**" if side.is_ours else side.name
        name += ", chosen" if side.is_chosen else ""
        rate = case.work / us / (1e6 if case.unit == "TFLOP/s" else 1e3)
        print(
            f"| {case.name} | {name} | {us:.1f} | {100 * spread:.1f} | {rate:.0f} | {shown(ratio, 3)} | {shown(mhz)} | "
            f"{shown(watts)} | {side.errors[0]:.2e} | {side.errors[1]:.2e} | {', '.join(limits)} |",
            flush=True,
        )
        self.results.append(
            {
                "case": case.name,
                "group": case.group,
                "side": side.name,
                "is_ours": side.is_ours,
                "is_chosen": side.is_chosen,
                "us": us,
                "samples": side.times,
                "calls": side.calls,
                "rate": rate,
                "unit": case.unit,
                "of_theirs": ratio,
                "mhz": mhz,
                "watts": watts,
                "limits": limits,
                "errors": side.errors,
            }
        )

    def heading(self, title, unit):
        print(f"\n{title}\n")
        print(
            f"| case | kernel | µs | spread, % | {unit} | of PyTorch's best | MHz | W | most error | mean error | limited by |"
        )
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")

    def summary(self):
        """Prints the mean and the minimum of the ratios, and the failures. Returns the exit status."""
        for (group, name), of_cases in self.ratios.items():
            ratios = {case: ratio for case, ratio in of_cases.items() if ratio is not None}
            refused = len(of_cases) - len(ratios)
            text = f"{name}, {group}: {refused} of {len(of_cases)} cases refused"
            if ratios:
                least = min(ratios, key=ratios.get)
                mean = statistics.geometric_mean(ratios.values())
                text += f"; geometric mean {mean:.3f} of PyTorch's best, minimum {ratios[least]:.3f} ({least})"
            print(f"\n{text}")
        for failure in self.failures:
            print(f"\nFAILED: {failure}")
        return 1 if self.failures else 0


def error_of(output, reference):
    """Returns the maximum and the mean difference, over the root mean square of the reference."""
    scale, most, total = reference.square().mean().sqrt().clamp_min(1e-300), [], 0
    for rows, right in zip(output.flatten(0, -2).split(4096), reference.flatten(0, -2).split(4096)):
        difference = (rows.double() - right).abs() / scale
        most.append(difference.amax())
        total += difference.sum()
    return [torch.stack(most).amax().item(), (total / output.numel()).item()]


def gemm(ours, options, element, variant, shape):
    """C[m, n] = A · B."""
    m, n, k = shape
    dtype, is_f8 = TYPES[element], element.startswith("e")
    of_result = torch.bfloat16 if is_f8 else dtype
    kernels = ours.of("gemm", variant, a=element)
    one = torch.ones((), device=DEVICE)
    multiprocessors = torch.cuda.get_device_properties().multi_processor_count
    has_choice = variant == "nt" and element != "f32"
    chosen = ours.library.chosen_gemm(element, m, n, k, multiprocessors).name if has_choice else None

    def make():
        a = normal((k, m) if variant[0] == "t" else (m, k), dtype)
        b = normal((n, k) if variant[1] == "t" else (k, n), dtype)
        return {"a": a, "b": b, "c": poisoned((m, n), of_result), "scale_a": one, "scale_b": one}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets([first[name] for name in "abc"]) - 1))]
    factors = [
        (
            tensors["a"].t() if variant[0] == "t" else tensors["a"],
            tensors["b"].t() if variant[1] == "t" else tensors["b"],
        )
        for tensors in sets
    ]

    def theirs(name, multiply):
        results = [poisoned((m, n), of_result) for _ in sets]
        return Side(name, lambda i: multiply(*factors[i], results[i]), lambda: {"c": results[0]})

    def of_ours(kernel):
        mine = [tensors | {"c": poisoned((m, n), TYPES[kernel.memory["c"]])} for tensors in sets]
        side = ours.side(kernel, mine, {"m": m, "n": n, "k": k}, "c")
        side.is_chosen = kernel.name == chosen
        return side

    def scaled(is_fast):
        return lambda a, b, c: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=of_result, use_fast_accum=is_fast, out=c
        )

    def by(library):
        def multiply(a, b, c):
            torch.backends.cuda.preferred_blas_library(library)
            torch.matmul(a, b, out=c)

        return multiply

    if is_f8:
        others = {"cuBLAS": scaled(False), "cuBLAS, fast accumulation": scaled(True)}
    elif options.lt:
        others = {"cuBLAS": by("cublas"), "cuBLASLt": by("cublaslt")}
    else:
        others = {"cuBLAS": lambda a, b, c: torch.matmul(a, b, out=c)}

    def reference():
        a, b = factors[0]
        b = b.double()
        return {"c": torch.cat([rows.double() @ b for rows in a.split(4096)])}

    sides = [of_ours(kernel) for kernel in kernels] + [theirs(*other) for other in others.items()]
    name, group = f"{m} × {n} × {k}", f"gemm {element} {variant}"
    return Case(name, group, 2.0 * m * n * k, "TFLOP/s", sides, len(sets), reference)


def epilogue(ours, operation, shape):
    """C[m, n] = A · Bᵀ with a bias and GELU, or with a residual."""
    m, n, k = shape
    has_bias = operation == "gemm_bias_gelu"
    added = "bias" if has_bias else "residual"

    def make():
        tensors = {"a": normal((m, k), torch.bfloat16), "b": normal((n, k), torch.bfloat16)}
        return tensors | {added: normal((n,) if has_bias else (m, n), torch.bfloat16)}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets(first.values()) - 1))]
    mine = [tensors | {"c": poisoned((m, n), torch.bfloat16)} for tensors in sets]
    results = {}

    def run(i):
        a, b, more = sets[i]["a"], sets[i]["b"].t(), sets[i][added]
        results[i] = torch._addmm_activation(more, a, b, use_gelu=True) if has_bias else torch.addmm(more, a, b)

    def reference():
        a, b, more = (first[name].double() for name in ("a", "b", added))
        sums = torch.addmm(more, a, b.t())
        return {"c": functional.gelu(sums, approximate="tanh") if has_bias else sums}

    numbers = {"m": m, "n": n, "k": k}
    sides = [ours.side(kernel, mine, numbers, "c") for kernel in ours.of(operation, "nt", a="bf16")]
    sides.append(Side("cuBLAS", run, lambda: {"c": results[0]}))
    return Case(f"{m} × {n} × {k}", operation, 2.0 * m * n * k, "TFLOP/s", sides, len(sets), reference)


def experts(ours, shape):
    """Products of experts, each with its own rows of A and matrix B, beside one product of the same work."""
    of_one, n, k = shape
    m = EXPERTS * of_one
    rows = torch.arange(EXPERTS, device=DEVICE, dtype=torch.int32)
    # The kernel's blocks have 128 rows.
    of_blocks, ends = rows.repeat_interleave(of_one // 128), (rows + 1) * of_one

    def make():
        return {"a": normal((m, k), torch.bfloat16), "b": normal((EXPERTS, n, k), torch.bfloat16)}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets(first.values()) - 1))]
    more = {"experts_of_blocks": of_blocks}
    mine = [tensors | more | {"c": poisoned((m, n), torch.bfloat16)} for tensors in sets]
    whole, results = poisoned((m, n), torch.bfloat16), {}

    def one(i):
        torch.matmul(sets[i]["a"], sets[i]["b"][0].t(), out=whole)

    def batch(i):
        a = sets[i]["a"].view(EXPERTS, of_one, k)
        results["batch"] = torch.bmm(a, sets[i]["b"].transpose(1, 2)).view(m, n)

    def grouped(i):
        results["grouped"] = torch._grouped_mm(sets[i]["a"], sets[i]["b"].transpose(1, 2), offs=ends)

    def reference():
        rows = zip(first["a"].split(of_one), first["b"])
        return {"c": torch.cat([a.double() @ b.double().t() for a, b in rows])}

    numbers = {"m": m, "n": n, "k": k, "experts": EXPERTS}
    sides = [ours.side(kernel, mine, numbers, "c") for kernel in ours.of("gemm_grouped", "nt", a="bf16")]
    sides.append(Side("one product", one, dict))
    sides.append(Side("a batch of products", batch, lambda: {"c": results["batch"]}))
    sides.append(Side("PyTorch's grouped product", grouped, lambda: {"c": results["grouped"]}))
    name = f"{EXPERTS} experts: {of_one} × {n} × {k}"
    return Case(name, "gemm_grouped", 2.0 * m * n * k, "TFLOP/s", sides, len(sets), reference)


def exact_attention(q, k, v, d_o, causal):
    """Returns attention and, given the gradient of its result, the gradients, in double precision. All are [batch, heads, length,
    size]; `lse` is the natural logarithm of the sums of exponentials."""
    scale, group = q.shape[-1] ** -0.5, q.shape[1] // k.shape[1]
    length = q.shape[2]
    future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1) if causal else None
    results = {
        name: torch.zeros(like.shape, dtype=torch.float64, device=q.device)
        for name, like in {"o": q, "dq": q, "dk": k, "dv": v}.items()
    }
    results["lse"] = torch.zeros(q.shape[:3], dtype=torch.float64, device=q.device)
    for batch in range(q.shape[0]):
        for head in range(q.shape[1]):
            one, of_kv = (batch, head), (batch, head // group)
            of_q, of_k, of_v = q[one].double(), k[of_kv].double(), v[of_kv].double()
            p = of_q @ of_k.t() * scale
            if causal:
                p.masked_fill_(future, -math.inf)
            results["lse"][one] = p.logsumexp(-1)
            p.sub_(results["lse"][one].unsqueeze(-1)).exp_()
            results["o"][one] = p @ of_v
            if d_o is None:
                continue
            of_o = d_o[one].double()
            results["dv"][of_kv] += p.t() @ of_o
            ds = of_o @ of_v.t()
            ds.sub_((of_o * results["o"][one]).sum(-1, keepdim=True)).mul_(p).mul_(scale)
            results["dq"][one] = ds @ of_k
            results["dk"][of_kv] += ds.t() @ of_q
    return results


def attention(ours, element, variant, shape, causal, is_backward):
    """Attention of [batch, length, heads, size] in memory (`bshd`) or [batch, heads, length, size] (`bhsd`), or its gradients."""
    batch, heads, of_kv, length, size = shape
    dtype = TYPES[element]
    operation = ("causal_" if causal else "") + ("attention_backward" if is_backward else "attention")
    kernels = [kernel for kernel in ours.of(operation, variant, q=element) if kernel.head_size == size]

    def seen(tensor):
        """Returns the tensor as PyTorch takes it: batch, heads, length, size."""
        return tensor.transpose(1, 2) if variant == "bshd" else tensor

    def like(heads_of, make=normal):
        return make((batch, length, heads_of, size) if variant == "bshd" else (batch, heads_of, length, size), dtype)

    def make():
        return {"q": like(heads), "k": like(of_kv), "v": like(of_kv), "do": like(heads) if is_backward else None}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets([first[name] for name in "qkv"]) - 1))]

    def exact(tensors):
        d_o = seen(tensors["do"]) if is_backward else None
        return exact_attention(*(seen(tensors[name]) for name in "qkv"), d_o, causal)

    def of_ours(kernel):
        mine = []
        for tensors in sets:
            outputs = {"dq": heads, "dk": of_kv, "dv": of_kv} if is_backward else {"o": heads}
            all_of = tensors | {name: like(count, poisoned) for name, count in outputs.items()}
            all_of["lse"] = poisoned((batch, heads, length), torch.float32)
            if is_backward:
                right = exact(tensors)
                all_of["o"] = like(heads, poisoned)
                seen(all_of["o"]).copy_(right["o"])
                all_of["lse"].copy_(right["lse"])
                blocks = batch * heads * math.ceil(length / 64)
                all_of["numbers"] = poisoned((blocks, 128), torch.float32)
                all_of["sums"] = poisoned((blocks, 64 * 128), torch.float32)
            mine.append(all_of)
        numbers = {
            "batch": batch,
            "heads": heads,
            "kv_heads": of_kv,
            "length": length,
            "head_size": size,
        }
        side = ours.side(kernel, mine, numbers, ("dq", "dk", "dv") if is_backward else ("o", "lse"))
        outputs = side.outputs()
        side.outputs = lambda: {name: seen(t) if t.dim() == 4 else t for name, t in outputs.items()}
        return side

    def theirs(name, backend):
        results, graphs = {}, {}

        def forward(tensors):
            q, k, v = (seen(tensors[name]) for name in "qkv")
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=heads != of_kv)

        def run(i):
            if not is_backward:
                with torch.no_grad():
                    results[i] = {"o": forward(sets[i])}
                return
            if i not in graphs:
                leaves = {name: sets[i][name].detach().requires_grad_() for name in "qkv"}
                graphs[i] = (forward(leaves), list(leaves.values()))
            o, leaves = graphs[i]
            gradients = torch.autograd.grad(o, leaves, seen(sets[i]["do"]), retain_graph=True)
            results[i] = dict(zip(("dq", "dk", "dv"), map(seen, gradients)))

        return Side(name, run, lambda: results[0])

    sides = [of_ours(kernel) for kernel in kernels] + [theirs(*backend) for backend in BACKENDS.items()]
    work = 4.0 * batch * heads * length * length * size * (0.5 if causal else 1) * (2.5 if is_backward else 1)
    of_heads = heads if heads == of_kv else f"{heads}/{of_kv}"
    name = f"{batch} × {length}, {of_heads} heads of {size}{', causal' if causal else ''}"
    group = f"attention {'backward' if is_backward else 'forward'} {element} {variant}"
    return Case(name, group, work, "TFLOP/s", sides, len(sets), lambda: exact(sets[0]))


def norm(ours, element, columns):
    """Adds x to a residual, in its place, and norms the rows of the sum."""
    dtype, rows = TYPES[element], (1 << 26) // columns

    def make():
        return {name: normal((rows, columns), dtype) for name in ("x", "residual")} | {"weights": normal(columns, dtype)}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets(first.values()) - 1))]

    def fresh(side, tensors):
        """Gives the outputs after one call, since each call changes the residual."""
        outputs = side.outputs

        def once():
            tensors["residual"].copy_(old)
            side.run(0)
            return outputs()

        side.outputs = once
        return side

    # All instances of the kernel use the same memory: where it lies changes the time by a percent.
    mine = [
        tensors | {"residual": tensors["residual"].clone(), "output": poisoned((rows, columns), dtype)}
        for tensors in sets
    ]

    def of_ours(kernel):
        side = ours.side(kernel, mine, {"rows": rows, "columns": columns}, ("residual", "output"))
        return fresh(side, mine[0])

    def add_rms_norm(x, residual, weights):
        residual.add_(x)
        return functional.rms_norm(residual, (columns,), weights, 1e-3)

    def theirs(name, call):
        mine, results = [tensors | {"residual": tensors["residual"].clone()} for tensors in sets], {}

        def run(i):
            results[i] = call(*(mine[i][name] for name in ("x", "residual", "weights")))

        return fresh(Side(name, run, lambda: {"residual": mine[0]["residual"], "output": results[0]}), mine[0])

    def reference():
        x, weights = first["x"].double(), first["weights"].double()
        sums = (x + first["residual"].double()).to(dtype).double()
        return {"residual": sums, "output": sums * weights * (sums.square().mean(1, keepdim=True) + 1e-3).rsqrt()}

    old = first["residual"]
    sides = [of_ours(kernel) for kernel in ours.of("add_rms_norm", "", x=element)]
    sides += [theirs("eager", add_rms_norm), theirs("compiled", torch.compile(add_rms_norm, dynamic=False))]
    work = 4.0 * dtype.itemsize * rows * columns
    return Case(f"{rows} × {columns}", f"add_rms_norm {element}", work, "GB/s", sides, len(sets), reference)


def decode(ours, element, shape, splits):
    """Attention of one query per sequence. The kernels take keys and values in pages, in memory of [page, token, heads, size]
    (`pshd`), in an order without a pattern. PyTorch takes those of a sequence in one piece, as [batch, length, heads, size]."""
    batch, heads, of_kv, length, size = shape
    dtype = TYPES[element]
    of_sequence = -(-length // PAGE)
    pages = batch * of_sequence

    def make():
        table = torch.randperm(pages, device=DEVICE).to(torch.int32)
        paged = {name: normal((pages, PAGE, of_kv, size), dtype) for name in "kv"}
        whole = {
            name: of_pages[table.long()].view(batch, of_sequence * PAGE, of_kv, size)[:, :length].transpose(1, 2)
            for name, of_pages in paged.items()
        }
        q = normal((batch, heads, 1, size), dtype)
        lengths = torch.full((batch,), length, device=DEVICE, dtype=torch.int32)
        return {"q": q, "table": table, "lengths": lengths, "whole": whole, **paged}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets([first["k"], first["v"]]) - 1))]

    def of_ours(kernel):
        most = splits or min(MOST_SPLITS, of_sequence)
        mine = [
            tensors
            | {
                "o": poisoned((batch, heads, 1, size), dtype),
                "partials": poisoned((batch, heads, most, size + 2), torch.float32),
                "counts": torch.zeros((batch, of_kv), device=DEVICE, dtype=torch.int32),
            }
            for tensors in sets
        ]
        numbers = {
            "batch": batch,
            "heads": heads,
            "kv_heads": of_kv,
            "most_length": length,
            "head_size": size,
            "page": PAGE,
            "pages": pages,
            "splits": splits,
            "most_splits": most,
        }
        return ours.side(kernel, mine, numbers, "o")

    def theirs(name, backend):
        results = {}

        def run(i):
            q, whole = sets[i]["q"], sets[i]["whole"]
            with torch.no_grad(), sdpa_kernel(backend):
                results[i] = functional.scaled_dot_product_attention(
                    q, whole["k"], whole["v"], enable_gqa=heads != of_kv
                )

        return Side(name, run, lambda: {"o": results[0]})

    def reference():
        whole = first["whole"]
        return {"o": exact_attention(first["q"], whole["k"], whole["v"], None, False)["o"]}

    kernels = ours.of("attention_decode", "pshd", q=element)
    sides = [of_ours(kernel) for kernel in kernels] + [theirs(*backend) for backend in BACKENDS.items()]
    work = 2.0 * dtype.itemsize * batch * of_kv * length * size
    of_heads = heads if heads == of_kv else f"{heads}/{of_kv}"
    name = f"{batch} × {length}, {of_heads} heads of {size}"
    return Case(name, f"attention decode {element}", work, "GB/s", sides, len(sets), reference)


def transpose(ours, width, height):
    """Transposes a matrix of words, for the kernels with tensor maps that are no products."""

    def make():
        words = torch.randint(-(1 << 31), (1 << 31) - 1, (height, width), dtype=torch.int32, device=DEVICE)
        return {"input": words, "output": poisoned((width, height), torch.int32)}

    first = make()
    sets = [first, *(make() for _ in range(number_of_sets(first.values()) - 1))]
    results = [poisoned((width, height), torch.int32) for _ in sets]
    copy = Side("copy_", lambda i: results[i].copy_(sets[i]["input"].t()), lambda: {"output": results[0]})
    kernels = ours.of("transpose", "", input="u32")
    numbers = {"width": width, "height": height}
    sides = [ours.side(kernel, sets, numbers, ["output"]) for kernel in kernels] + [copy]
    reference = lambda: {"output": sets[0]["input"].t().double()}
    return Case(f"{height} × {width}", "transpose u32", 8.0 * width * height, "GB/s", sides, len(sets), reference)


def shape_of(text):
    try:
        m, n, k = map(int, text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no shape such as 4096x11008x4096 (m, n, k)") from None
    return m, n, k


def arguments():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cubins", type=Path, default=here.parent, metavar="DIR", help="a bundle, or another folder of NAME-O3.cubin"
    )
    parser.add_argument(
        "--library",
        type=Path,
        default=here / "libptx_bench_library.so",
        help="the C library [default: beside this file]",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        metavar="NAME",
        help="compare this kernel of the bundle; may be repeated [default: all]",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["gemm", "epilogue", "experts", "forward", "backward", "decode", "norm", "transpose"],
        default=["gemm", "forward", "backward"],
        help="products, those with an epilogue, those of experts, attention or its gradients, attention of one query per sequence, the norm of a sum, the transpose "
        "of a matrix of words [default: gemm forward backward]",
    )
    parser.add_argument(
        "--types",
        nargs="+",
        choices=["bf16", "f16", "e4m3", "f32"],
        default=["bf16", "f16", "e4m3"],
        help="of products [default: bf16 f16 e4m3]",
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        choices=["nt", "nn", "tn", "tt"],
        default=["nt", "nn", "tn", "tt"],
        help="of products: whether A and B are transposed; nt is torch.nn.functional.linear",
    )
    parser.add_argument(
        "--shapes",
        nargs="+",
        type=shape_of,
        metavar="MxNxK",
        help="of products [default: 4 squares and 30 others for nt, else a few]",
    )
    parser.add_argument(
        "--layout",
        choices=["bshd", "bhsd"],
        default="bshd",
        help="of attention: the order of batch, length, heads and size in memory",
    )
    parser.add_argument("--lengths", nargs="+", type=int, help="of attention: these lengths alone")
    parser.add_argument(
        "--splits", type=int, default=0, help="of decode: parts of a sequence's keys [default: as the library chooses]"
    )
    parser.add_argument("--lt", action="store_true", help="time cuBLASLt beside cuBLAS")
    parser.add_argument("--samples", type=int, default=20, help="bursts of each side [default: 20]")
    parser.add_argument("--burst-ms", type=float, help="work of a burst [default: 5, sustained 50]")
    parser.add_argument(
        "--pause-ms",
        type=float,
        default=50,
        help="pause before a burst, so that the clock is not limited [default: 50]",
    )
    parser.add_argument(
        "--sustained", action="store_true", help="bursts without pauses, after seconds of the same work"
    )
    parser.add_argument(
        "--warm-s", type=float, default=2, help="with --sustained: seconds of work before the samples [default: 2]"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the inputs [default: 1]")
    parser.add_argument("--json", type=Path, help="write all samples to this file")
    options = parser.parse_args()
    if options.burst_ms is None:
        options.burst_ms = 50 if options.sustained else 5
    if options.samples < 1:
        parser.error("--samples must be at least 1")
    return options


def cases(bench, ours, options):
    """Returns the functions that make the cases, with a title and a unit for each table."""
    for element in options.types if "gemm" in options.only else []:
        for variant in options.variants:
            # PyTorch has products of eight-bit floats of this variant alone.
            if element.startswith("e") and variant != "nt":
                continue
            shapes = options.shapes or (SQUARES + ODD_SHAPES if variant == "nt" else FEW_SHAPES)
            makers = [lambda shape=shape: gemm(ours, options, element, variant, shape) for shape in shapes]
            yield f"Products of {element}, {variant}: m × n × k", "TFLOP/s", makers
    if "epilogue" in options.only:
        for operation in ("gemm_bias_gelu", "gemm_residual"):
            makers = [lambda shape=shape: epilogue(ours, operation, shape) for shape in options.shapes or EPILOGUES]
            yield f"Products of bf16, {operation}: m × n × k", "TFLOP/s", makers
    if "experts" in options.only:
        makers = [lambda shape=shape: experts(ours, shape) for shape in options.shapes or OF_EXPERTS]
        yield "Products of experts, bf16: rows of an expert × n × k", "TFLOP/s", makers
    shapes = [shape for shape in ATTENTION if not options.lengths or shape[3] in options.lengths]
    for direction, elements in (("forward", ("bf16", "f16")), ("backward", ("bf16",))):
        if direction not in options.only:
            continue
        for element in elements:
            makers = [
                lambda element=element, shape=shape, causal=causal, direction=direction: attention(
                    ours, element, options.layout, shape, causal, direction == "backward"
                )
                for shape in shapes
                for causal in (False, True)
                # Of f16, the instances have heads of 128.
                if element == "bf16" or shape[4] == 128
            ]
            yield f"Attention, {direction}, {element}, {options.layout}: batch × length", "TFLOP/s", makers
    if "decode" in options.only:
        makers = [lambda shape=shape: decode(ours, "bf16", shape, options.splits) for shape in DECODE]
        yield "Attention, one query per sequence, bf16: batch × length", "GB/s", makers
    if "norm" in options.only:
        columns = [("bf16", 1 << log) for log in (10, 12, 13, 14)]
        makers = [lambda one=one: norm(ours, *one) for one in [("f16", 1 << 13), *columns]]
        yield "Norm of a sum: rows × columns", "GB/s", makers
    if "transpose" in options.only:
        yield "Transpose of words: rows × columns", "GB/s", [lambda: transpose(ours, 1 << 14, 1 << 13)]


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.cuda.stream(torch.cuda.Stream()):
        try:
            bench, ours = Bench(options), Ours(options)
        except (OSError, Refused) as error:
            sys.exit(str(error))
        versions = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
        print(f"{torch.cuda.get_device_name()}, {versions}")
        print(f"Kernels: {', '.join(kernel.name for kernel in ours.kernels) or 'none'}")
        how = (
            f"after {options.warm_s} s of work"
            if options.sustained
            else f"each after a pause of {options.pause_ms:g} ms"
        )
        print(f"{options.samples} bursts of {options.burst_ms:g} ms of each side, {how}")
        for title, unit, makers in cases(bench, ours, options):
            bench.heading(title, unit)
            for make in makers:
                bench.run(make())
        status = bench.summary()
    if options.json:
        options.json.write_text(
            json.dumps({"device": torch.cuda.get_device_name(), "versions": versions, "results": bench.results})
        )
    sys.exit(status)


if __name__ == "__main__":
    main()
