//! Kernels that other compilers made, with CUB, libcu++ and cooperative groups: `others/NAME.ptx`, by
//! `nvcc -arch=sm_90 -ptx -std=c++17` from `NAME.cu`, by Triton or by numba (its first line says of what), without comments and
//! debug information. Each but `tile_shuffle` is clean and right under many schedules.

use std::path::Path;

use ptx_emu::{Device, Launch, Options, Readings, Schedule, lay_out};

/// The blocks of each launch. Each has 64 results.
const GRID: u32 = 3;
const BYTES: u64 = 4 * 64 * GRID as u64;

/// The words that each kernel reads: the first 64 are all different.
fn input() -> Vec<u32> {
    (0..64 * GRID).map(|i| (i * 37 + 11) % 64).collect()
}

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/others").join(name).with_extension("ptx");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a kernel under a schedule. `parameters` makes its parameters of the addresses of results and words, and `of` a word of an
/// input. Returns its results, or its report if it is not clean.
fn run(text: &str, case: &Case, schedule: u64, readings: Readings) -> Result<Vec<u32>, String> {
    let mut device = Device::new();
    let module = device.load(text).map_err(|error| format!("{}: {error}", case.name))?;
    let (out, words) = (device.allocate(BYTES as usize), device.allocate(BYTES as usize));
    let bytes: Vec<u8> = input().into_iter().flat_map(|word| (case.of)(word).to_le_bytes()).collect();
    device.write(words, &bytes).unwrap();
    device.write(out, &[0; BYTES as usize]).unwrap();
    let state = device.allocate(8 * GRID as usize);
    device.write(state, &[0; 8 * GRID as usize]).unwrap();
    let values = (case.parameters)(out, words, state);
    let parameters = module.parameters("k").expect("the kernel is `k`");
    let values: Vec<_> = values.iter().map(|value| value.to_le_bytes()).collect();
    let values: Vec<_> =
        values.iter().zip(parameters).map(|(value, parameter)| &value[..parameter.bytes as usize]).collect();
    let params = lay_out(parameters, &values);
    let launch = Launch { params, cooperative: true, dynamic_shared: 1024, ..Launch::new(GRID, case.block) };
    let options =
        Options { schedule: Schedule::of(schedule), limit: 20_000_000, readings, ..Options::default() };
    let report = device.launch(&module, "k", &launch, &options).map_err(|error| error.to_string())?;
    if !report.is_clean() {
        return Err(format!("{}, schedule {schedule}:\n{report}", case.name));
    }
    let mut bytes = [0; BYTES as usize];
    device.read(out, &mut bytes).unwrap();
    Ok(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

struct Case {
    name: &'static str,
    block: u32,
    /// Makes an input of a word.
    of: fn(u32) -> u32,
    /// The parameters, of the addresses of the results, of the input and of words that are zero.
    parameters: fn(u64, u64, u64) -> Vec<u64>,
    /// Returns whether the results are right.
    is_right: fn(&[u32]) -> bool,
}

/// Returns whether each block has the result `of` an index.
fn each(results: &[u32], of: impl Fn(usize) -> u32) -> bool {
    results.iter().enumerate().all(|(i, result)| *result == of(i % 64))
}

fn float(word: u32) -> u32 {
    (word as f32 / 64.0).to_bits()
}

fn near(result: u32, wanted: f64) -> bool {
    (f64::from(f32::from_bits(result)) - wanted).abs() < 1e-4
}

/// Returns the sum of the inputs of a range, as floats.
fn sum(range: std::ops::Range<usize>) -> f64 {
    input()[range].iter().map(|word| f64::from(*word) / 64.0).sum()
}

const CPP: Case = Case {
    name: "",
    block: 64,
    of: |word| word,
    parameters: |out, words, state| vec![out, words, state],
    is_right: |_| false,
};

const CASES: [Case; 12] = [
    Case { name: "barrier", is_right: |results| each(results, |i| 2 * input()[63 - i] + 1), ..CPP },
    Case { name: "bulk", is_right: |results| each(results, |i| input()[63 - i] + input()[i] + 1), ..CPP },
    Case { name: "pipeline", is_right: |results| each(results, |i| 2 * input()[63 - i] + 1), ..CPP },
    Case {
        name: "tiles",
        is_right: |results| {
            let all: u32 = input()[..64].iter().sum();
            each(results, |i| all + input()[3] + 1 + input()[..i].iter().sum::<u32>())
        },
        ..CPP
    },
    Case {
        name: "coalesced",
        // In any order.
        is_right: |results| {
            let mut wanted: Vec<u32> =
                input()[..64].iter().map(|word| if word % 3 == 0 { 0 } else { *word }).collect();
            wanted.sort_unstable();
            results.chunks(64).all(|results| {
                let mut results = results.to_vec();
                results.sort_unstable();
                results == wanted
            })
        },
        ..CPP
    },
    Case { name: "grid_sync", is_right: |results| each(results, |i| input()[i] + 1), ..CPP },
    Case {
        name: "lookback",
        is_right: |results| {
            let sums = results.iter().enumerate().map(|(i, result)| (i / 64, i % 64, *result));
            let input = input();
            let all: u32 = input[..64].iter().sum();
            sums.into_iter()
                .all(|(block, i, result)| result == block as u32 * all + input[..=i].iter().sum::<u32>())
        },
        ..CPP
    },
    Case { name: "merge", is_right: |results| each(results, |i| i as u32), ..CPP },
    Case { name: "radix", of: |word| word % 16, is_right: |results| each(results, |i| i as u32 / 4), ..CPP },
    Case {
        name: "triton_reduce",
        block: 128,
        of: float,
        parameters: |out, words, _| vec![out, words, 150, 0, 0],
        is_right: |results| near(results[0], sum(0..150)) && results[1] == 0 && results[2] == 0,
    },
    Case {
        name: "triton_softmax",
        block: 128,
        of: float,
        parameters: |out, words, _| vec![out, words, 64, 0, 0],
        is_right: |results| {
            let exp = |i: usize| (f64::from(input()[i]) / 64.0).exp();
            let all: f64 = (0..64).map(exp).sum();
            results.iter().enumerate().all(|(i, result)| near(*result, exp(i % 64) / all))
        },
    },
    Case {
        name: "numba_reduce",
        block: 128,
        of: float,
        parameters: |out, words, _| {
            let array = |address, count| [0, 0, count, 4, address, count, 4];
            [array(words, 192), array(out, 3)].concat()
        },
        is_right: |results| {
            near(results[0], sum(0..128)) && near(results[1], sum(128..192)) && results[2] == 0
        },
    },
];

#[test]
fn the_kernels_of_other_compilers_are_clean_and_right() {
    let mut failures = String::new();
    for case in &CASES {
        let text = text(case.name);
        let wrong = (0..50).find_map(|schedule| match run(&text, case, schedule, Readings::default()) {
            Ok(results) if (case.is_right)(&results) => None,
            Ok(results) => Some(format!("{}, schedule {schedule}: {results:?}\n", case.name)),
            Err(report) => Some(report),
        });
        failures += &wrong.unwrap_or_default();
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn without_its_barriers_each_has_a_finding() {
    for case in &CASES {
        let is_barrier = |line: &&str| {
            ["bar.sync", "bar.warp.sync", "barrier.sync"].iter().any(|barrier| line.contains(barrier))
        };
        let text = text(case.name);
        let (barriers, others): (Vec<_>, Vec<_>) = text.lines().partition(is_barrier);
        assert!(!barriers.is_empty(), "{}", case.name);
        let is_found =
            (0..20).any(|schedule| run(&others.join("\n"), case, schedule, Readings::default()).is_err());
        assert!(is_found, "{}", case.name);
    }
}

fn case(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).unwrap()
}

#[test]
fn a_switch_reads_the_text_on_exchanges_of_values_by_the_letter() {
    let readings = Readings { exchanges_order_nothing: true, ..Readings::default() };
    for (name, finding) in [
        // The last thread that leaves invalidates the mbarriers, behind `match.any.sync`.
        ("pipeline", "invalidates an mbarrier, with nothing that orders the use by another thread before"),
        // The lanes of the last warp that arrives learn by `shfl.sync` that it is the last.
        ("tiles", "data race"),
    ] {
        let found = (0..20).filter_map(|schedule| run(&text(name), case(name), schedule, readings).err());
        assert!(found.into_iter().any(|report| report.contains(finding)), "{name}");
    }
}

/// The lane that takes back the arrivals at the group's barrier does so behind the last `bar.warp.sync`. Another lane of its warp may
/// look for the arrival of the shuffle's warp before, and takes that of the reduction for it.
#[test]
fn a_shuffle_of_a_tile_after_a_reduction_may_read_too_early() {
    let text = text("tile_shuffle");
    let tiles = case("tiles");
    let found = (0..20).filter_map(|schedule| run(&text, tiles, schedule, Readings::default()).err());
    assert!(found.into_iter().any(|report| report.contains("data race")));
}
