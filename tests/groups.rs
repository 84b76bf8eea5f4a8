//! Groups of threads, tables and loops over vectors, in the interpreter: tiles that a divergent warp or a whole warp reduces, shuffles
//! of all sizes, broadcasts, positions, constant memory.

mod support;

use std::sync::LazyLock;

use groups::{SHUFFLES, TILES};
use ptx_emu::{Emulator, Kernels, Matrix};
use support::ok;
use xtask::device::{Arch, Build, Module, OptLevel};

fn build(opt_level: OptLevel) -> Module {
    ok(Build { opt_level, ..Build::new("tests/device/groups", Arch::Sm90a) }.run())
}

static OPTIMIZED: LazyLock<Module> = LazyLock::new(|| build(OptLevel::O3));
static PLAIN: LazyLock<Module> = LazyLock::new(|| build(OptLevel::O0));

/// Runs a check on an emulated GPU with the optimized kernels, and on one with the others.
fn each(check: impl Fn(&Emulator, &Kernels) -> Result<(), ptx_emu::Error>) {
    for (module, schedules) in [(&*OPTIMIZED, 8), (&*PLAIN, 2)] {
        let gpu = Emulator::new().schedules(schedules);
        let kernels = gpu.load(&[("sm_90a", module.text.as_bytes())]).unwrap();
        check(&gpu, &kernels).unwrap();
    }
}

/// Numbers of 32 bits that look random.
fn words(count: usize, seed: u64) -> Vec<u32> {
    let next = |state: &u64| Some(state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    std::iter::successors(next(&seed), next).take(count).map(|state| (state >> 32) as u32).collect()
}

/// The results of one thread of `tiles`, from the words of its tile and its rank there.
fn tile_results(tile: &[u32], rank: usize) -> [u32; TILES / 2] {
    let values: Vec<u32> = tile.iter().map(|word| word & 0xffff).collect();
    let maps: Vec<u32> = tile.iter().map(|word| word & 0x7fff_ffff).collect();
    let is_head = |i: usize| i == 0 || tile[i] >> 31 == 1;
    let start = (0..=rank).rev().find(|&i| is_head(i)).unwrap();
    let end = (rank + 1..tile.len()).find(|&i| is_head(i)).unwrap_or(tile.len());
    let combined = |of: &[u32]| of.iter().copied().reduce(groups::then);
    let sum = values.iter().sum::<u32>();
    [
        sum,
        sum,
        (values.iter().min().unwrap().cast_signed() - 9).cast_unsigned(),
        (*values.iter().max().unwrap() as f32 - 100.0).to_bits(),
        values.iter().fold(0, |a, b| a ^ b),
        sum,
        values[..=rank].iter().sum(),
        combined(&maps[..rank]).unwrap_or(7),
        rank.checked_sub(1).map_or(7, |below| values[below]),
        rank as u32,
        combined(&maps[start..=rank]).unwrap(),
        combined(&maps[start..end]).unwrap(),
    ]
}

/// Checks tiles of all widths, also where the last warp lacks lanes.
#[test]
fn tiles_are_reduced_and_scanned() {
    each(|gpu, kernels| {
        macro_rules! check {
            ($( $threads:literal $width:literal; )*) => { $(
                let values = words($threads, $width);
                let mut results = gpu.slice(&vec![0_u32; TILES * $threads]);
                kernels
                    .kernel(groups::tiles::<$threads, $width>)?
                    .launch(gpu, 1, (&gpu.slice(&values), &mut results))?;
                let results = results.to_vec();
                for thread in 0..$threads {
                    let (warp, lane) = (thread / 32 * 32, thread % 32);
                    let first = warp + lane / $width * $width;
                    let tile = &values[first..$threads.min(first + $width)];
                    let expected = tile_results(tile, thread - first);
                    let found: Vec<u32> = (0..TILES).map(|k| results[k * $threads + thread]).collect();
                    assert_eq!(found, [expected, expected].concat(), "thread {thread} of {}, tiles of {}", $threads, $width);
                }
            )* };
        }
        check! { 96 32; 96 16; 96 8; 64 4; 32 2; 32 1; 40 32; 45 16; 45 8; 39 4; }
        Ok(())
    });
}

#[test]
fn a_tile_calls_alone() {
    each(|gpu, kernels| {
        let values = words(64, 3);
        let mut results = gpu.slice(&[0_u32; 64]);
        kernels.kernel(groups::some_tiles)?.launch(gpu, 1, (&gpu.slice(&values), &mut results))?;
        let expected = values.chunks(8).enumerate().flat_map(|(i, tile)| match i % 2 {
            0 => vec![tile.iter().fold(0_u32, |a, b| a.wrapping_add(*b)); 8],
            _ => tile.to_vec(),
        });
        assert_eq!(results.to_vec(), expected.collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn tiles_of_16_are_summed() {
    each(|gpu, kernels| {
        let values = words(64, 11);
        let expected =
            values.chunks(16).flat_map(|tile| [tile.iter().fold(0_u32, |a, b| a.wrapping_add(*b)); 16]);
        let (expected, on_device) = (expected.collect::<Vec<_>>(), gpu.slice(&values));
        let mut results = [gpu.slice(&[0_u32; 64]), gpu.slice(&[0_u32; 64])];
        kernels.kernel(groups::sums_of_a_tile)?.launch(gpu, 1, (&on_device, &mut results[0]))?;
        kernels.kernel(groups::sums_of_all_tiles)?.launch(gpu, 1, (&on_device, &mut results[1]))?;
        assert_eq!(results.map(|results| results.to_vec()), [expected.clone(), expected]);
        Ok(())
    });
}

#[test]
fn values_of_all_sizes_are_shuffled_and_matched() {
    each(|gpu, kernels| {
        // Some pairs are equal in all bits but the last four, and in all but the last five.
        let values: Vec<u32> = words(32, 5).into_iter().map(|word| word & 0x8000_007f).collect();
        let mut results = gpu.slice(&[0_u32; SHUFFLES * 32]);
        kernels.kernel(groups::shuffles)?.launch(gpu, 1, (&gpu.slice(&values), &mut results))?;
        let results = results.to_vec();
        for lane in 0..32 {
            let (word, across) = (values[(lane + 1) % 32], values[lane ^ 3]);
            let low = word as u16;
            let below = if lane < 31 { [word as u16 as i16, 5] } else { [-1, -1] };
            let same = (0..32).filter(|&other| values[other] >> 4 == values[lane] >> 4);
            let expected = [
                word,
                word.wrapping_add(1),
                word.wrapping_add(2),
                word.wrapping_add(3),
                word,
                word & 0xff_ffff,
                u32::from(low) | u32::from(low.wrapping_mul(8)) << 16,
                i32::from(word as i8).cast_unsigned(),
                word,
                i32::from(below[0]).cast_unsigned(),
                i32::from(below[1]).cast_unsigned(),
                across,
                1,
                same.fold(0, |lanes, lane| lanes | 1 << lane),
                u32::MAX,
                0,
                u32::from(low),
                word,
            ];
            let found: Vec<u32> = (0..SHUFFLES).map(|k| results[32 * k + lane]).collect();
            assert_eq!(found, expected, "lane {lane}");
        }
        Ok(())
    });
}

#[test]
fn the_leaders_value_reaches_all_threads() {
    each(|gpu, kernels| {
        let mut values = words(96, 7).into_iter().map(|word| word % 5000 + 20).collect::<Vec<_>>();
        values[0] = 9;
        let mut results = gpu.slice(&[0_u32; 96]);
        kernels.kernel(groups::broadcasts)?.launch(gpu, 1, (&gpu.slice(&values), &mut results))?;
        let rounds = (1..=9).map(|round| values.iter().filter(|&&value| value - round < 1000).count() as u32);
        assert_eq!(results.to_vec(), [rounds.sum::<u32>() ^ 5; 96]);
        Ok(())
    });
    // The linker knows that the loop ends for all threads together.
    assert!(!OPTIMIZED.warnings.contains("may not reach"), "{}", OPTIMIZED.warnings);
}

/// Checks scans of segments within warps, over several warps, and of the whole CTA, also where the last warp lacks lanes.
#[test]
fn segments_of_a_cta_are_scanned() {
    each(|gpu, kernels| {
        macro_rules! check {
            ($( $threads:literal )*) => { $(
                // Heads at half of the threads, at few, at none.
                for rare in [1, 50, 1000] {
                    let values: Vec<u32> = words($threads, rare)
                        .into_iter()
                        .map(|word| if u64::from(word >> 8) % rare == 0 { word } else { word & 0x7fff_ffff })
                        .collect();
                    let mut results = gpu.slice(&vec![0_u32; 3 * $threads]);
                    kernels
                        .kernel(groups::segments::<$threads>)?
                        .launch(gpu, 1, (&gpu.slice(&values), &mut results))?;
                    let (mut upto, mut sums) = (Vec::new(), Vec::new());
                    for (i, &word) in values.iter().enumerate() {
                        let (map, value) = (word & 0x7fff_ffff, word & 0xffff);
                        let goes_on = i > 0 && word >> 31 == 0;
                        upto.push(if goes_on { groups::then(upto[i - 1], map) } else { map });
                        sums.push(if goes_on { sums[i - 1] + value } else { value });
                    }
                    let mut all = vec![groups::then(*upto.last().unwrap(), values[0] & 0x7fff_ffff)];
                    for word in &values[1..] {
                        all.push(groups::then(*all.last().unwrap(), word & 0x7fff_ffff));
                    }
                    assert_eq!(results.to_vec(), [upto, sums, all].concat(), "{} threads, {rare}", $threads);
                }
            )* };
        }
        check! { 256 96 32 75 }
        Ok(())
    });
}

#[test]
fn positions_in_three_dimensions() {
    each(|gpu, kernels| {
        let (grid, threads) = ([3, 2, 2], [4, 2, 2]);
        let count = grid.iter().chain(&threads).product::<u32>() as usize;
        let mut results = gpu.slice(&vec![0_u32; 2 * count]);
        kernels.kernel(groups::positions)?.launch(gpu, (grid[0], grid[1], grid[2]), (&mut results,))?;
        let results = results.to_vec();
        for i in 0..count as u32 {
            let (thread, cta) = (i % 16, i / 16);
            let place = |i: u32, [x, y, _]: [u32; 3]| i % x + 10 * (i / x % y) + 100 * (i / x / y);
            assert_eq!(results[i as usize], place(thread, threads) + 1000 * place(cta, grid));
        }
        assert!(results[count..].iter().all(|&shape| shape == 224 + 223_000), "{:?}", &results[count..]);
        Ok(())
    });
}

#[test]
fn parameters_and_constants_are_read_at_any_index() {
    each(|gpu, kernels| {
        let which: Vec<u32> = (0..64).chain([100, 1 << 20]).map(|i| i * 7 % 97).collect();
        let filter = groups::Filter {
            scale: 3.0,
            taps: std::array::from_fn(|i| i as f32 * 0.25),
            bytes: std::array::from_fn(|i| 40 + i as u8),
        };
        let mut weighted = gpu.slice(&vec![0.0_f32; which.len()]);
        let mut squares = gpu.slice(&vec![0_u32; which.len()]);
        let on_device = gpu.slice(&which);
        kernels.kernel(groups::indexed_parameter)?.launch(gpu, 2, (filter, &on_device, &mut weighted))?;
        kernels.kernel(groups::constants)?.launch(gpu, 2, (&on_device, &mut squares))?;
        let (weighted, squares) = (weighted.to_vec(), squares.to_vec());
        for (i, &k) in which.iter().enumerate() {
            let k = k as usize;
            let byte = filter.bytes.get(k).map_or(1.0, |byte| f32::from(*byte));
            assert_eq!(weighted[i], 3.0 * filter.taps.get(k).copied().unwrap_or(-1.0) + byte, "{k}");
            let byte = if k < 5 { k as u32 + 1 } else { 9 };
            assert_eq!(squares[i], groups::SQUARES[k & 63] + byte + 2, "{k}");
        }
        Ok(())
    });
}

#[test]
fn bit_fields_are_unpacked() {
    each(|gpu, kernels| {
        let values = words(200, 13);
        let mut results = gpu.slice(&vec![0_u32; values.len()]);
        kernels.kernel(groups::four_bits)?.launch(gpu, 2, (&gpu.slice(&values), &mut results))?;
        let expected = values.iter().map(|word| {
            (0..8).fold(0_u32, |sum, k| {
                let bits = word >> (4 * k) & 15;
                let signed = if bits > 7 { bits.wrapping_sub(16) } else { bits };
                sum.wrapping_mul(31).wrapping_add(signed.wrapping_mul(3)).wrapping_add(bits)
            })
        });
        assert_eq!(results.to_vec(), expected.collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn tables_are_filled_and_read() {
    each(|gpu, kernels| {
        let which: Vec<u32> = (0..200).map(|i| i * 31 % 83).collect();
        let mut results = gpu.slice(&vec![0_u32; which.len()]);
        kernels.kernel(groups::tables)?.launch(gpu, 2, (&gpu.slice(&which), &mut results))?;
        let expected = which.iter().map(|&k| {
            let cube = match k {
                0..64 => k * k * k,
                64..77 => 7,
                _ => 0,
            };
            cube + if k % 5 < 3 { 2 * (k % 5) + 1 } else { 100 }
        });
        assert_eq!(results.to_vec(), expected.collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn vectors_are_updated_with_loads_in_flight() {
    each(|gpu, kernels| {
        for (of_x, len) in [(0, 0), (3, 3), (4096, 4096), (5000, 4999), (1203, 3000), (3000, 1203)] {
            let numbers = |seed| words(of_x.max(len), seed).into_iter().map(|word| (word % 512) as f32);
            let (x, y): (Vec<f32>, Vec<f32>) =
                (numbers(1).take(of_x).collect(), numbers(2).take(len).collect());
            let on_device = gpu.slice(&x);
            let run = |kernel: &str| {
                let mut to = gpu.slice(&y);
                match kernel {
                    "update" => kernels.kernel(groups::update)?.launch(gpu, 2, (2.0, &on_device, &mut to))?,
                    "scale" => kernels.kernel(groups::scale)?.launch(gpu, 2, (2.0, &mut to))?,
                    _ => kernels.kernel(groups::sums)?.launch(gpu, 2, (&on_device, &on_device, &mut to))?,
                };
                Ok::<_, ptx_emu::Error>(to.to_vec())
            };
            // The vectors that both slices have, and the elements after the last vector of `y`.
            let both = |i: &usize| *i < of_x / 4 * 4 || *i >= len / 4 * 4;
            let of_x = |i: usize| x.get(i).copied().unwrap_or(0.0);
            let expected = |f: &dyn Fn(usize) -> f32| {
                (0..len).map(|i| if both(&i) { f(i) } else { y[i] }).collect::<Vec<_>>()
            };
            assert_eq!(run("update")?, expected(&|i| 2.0 * of_x(i) + y[i]));
            assert_eq!(run("sums")?, expected(&|i| 2.0 * of_x(i)));
            assert_eq!(run("scale")?, y.iter().map(|y| 2.0 * y).collect::<Vec<_>>());
        }
        Ok(())
    });
}

/// A matrix beside another is dealt out by the same rule, has its own rows, and may have more of them, which stay as they are.
#[test]
fn rows_come_with_those_of_other_matrices() {
    const COLUMNS: u32 = 140;
    each(|gpu, kernels| {
        let run = |by_warps: bool, [rows, of_x, of_factors, of_also]: [u32; 4]| {
            let numbers = |count, seed| -> Vec<f32> {
                words((count * COLUMNS) as usize, seed).into_iter().map(|word| (word % 512) as f32).collect()
            };
            let (x, factors, also) = (numbers(of_x, 1), numbers(of_factors, 2), numbers(of_also, 3));
            let factors = &factors[..of_factors as usize];
            let sums = vec![-1.0; (rows * COLUMNS) as usize];
            let mut results = (gpu.slice(&also), gpu.slice(&sums));
            let (of_x, of_factors) = (gpu.slice(&x), gpu.slice(factors));
            let arguments = (
                Matrix::new(&of_x, of_x.len() as u32 / COLUMNS, COLUMNS),
                &of_factors,
                Matrix::new(&mut results.0, of_also, COLUMNS),
                Matrix::new(&mut results.1, rows, COLUMNS),
            );
            if by_warps {
                kernels.kernel(groups::rows_of_warps)?.launch(gpu, 2, arguments)?;
            } else {
                kernels.kernel(groups::rows_of_ctas)?.launch(gpu, 2, arguments)?;
            }
            let row = |i: usize| i / COLUMNS as usize;
            let sum = |i: usize| factors[row(i)] * x[i] + also[i];
            let expected_also = (0..also.len()).map(|i| if i < sums.len() { sum(i) } else { also[i] });
            assert!(results.0.to_vec().into_iter().eq(expected_also), "another matrix of {of_also} rows");
            let expected = (0..sums.len()).map(|i| sum(i) + row(i) as f32);
            assert!(results.1.to_vec().into_iter().eq(expected), "{rows} rows");
            Ok::<_, ptx_emu::Error>(())
        };
        for by_warps in [false, true] {
            run(by_warps, [0, 1, 1, 1])?;
            run(by_warps, [7, 7, 7, 7])?;
            run(by_warps, [20, 23, 21, 22])?;
            for too_few in [[7, 6, 7, 7], [7, 7, 6, 7], [7, 7, 7, 6]] {
                let error = run(by_warps, too_few).expect_err("an input has too few rows").to_string();
                assert!(error.contains("has fewer rows than the matrix"), "{error}");
            }
        }
        Ok(())
    });
}
