//! Algorithms without locks (`tests/device/flags`): the right ones give one result, without a finding, under every schedule that is
//! tried. Each planted mistake gives another result within the number of schedules that its test states.

use std::sync::LazyLock;

use flags::{DONE_TOO_EARLY, EACH, RELAXED_LOAD, RELAXED_STORE, RIGHT, TILE};
use ptx_emu::{Emulator, Kernels, Matrix};
use xtask::device::{Arch, Build};

static PTX: LazyLock<String> = LazyLock::new(|| {
    let build = Build::new("tests/device/flags", Arch::Sm90a);
    build.run().unwrap_or_else(|error| panic!("{error:#}")).text
});

/// The schedules of a right kernel.
const SCHEDULES: u64 = 100;

/// Runs a check under each of the first `count` schedules, until one fails. Returns that schedule, and what it gives.
fn first_failure<T: PartialEq>(
    count: u64,
    want: &T,
    run: impl Fn(&Emulator, &Kernels) -> Result<T, ptx_emu::Error>,
) -> Option<(u64, Option<ptx_emu::Error>)> {
    (0..count).find_map(|schedule| {
        let gpu = Emulator::new().first_schedule(schedule);
        let kernels = gpu.load(&[("sm_90a", PTX.as_bytes())]).unwrap();
        match run(&gpu, &kernels) {
            Ok(got) if got == *want => None,
            Ok(_) => Some((schedule, None)),
            Err(error) => Some((schedule, Some(error))),
        }
    })
}

/// Checks that a right kernel gives the same under all schedules.
#[track_caller]
fn assert_right<T: PartialEq>(want: &T, run: impl Fn(&Emulator, &Kernels) -> Result<T, ptx_emu::Error>) {
    if let Some((schedule, error)) = first_failure(SCHEDULES, want, run) {
        panic!("schedule {schedule}: {}", error.map_or("another result".into(), |error| error.to_string()));
    }
}

/// Checks that one of `count` schedules shows a mistake. Returns the finding; without one, the result is another. The code is safe,
/// and so has no race.
#[track_caller]
fn shown_by<T: PartialEq>(
    count: u64,
    want: &T,
    run: impl Fn(&Emulator, &Kernels) -> Result<T, ptx_emu::Error>,
) -> String {
    let (_, error) = first_failure(count, want, run).expect("a schedule shows the mistake");
    error.map_or("another result".into(), |error| error.to_string())
}

const WORDS: [u32; 5] = [3, 10, 200, 4000, 50_000];

macro_rules! look_back {
    ($order:ident) => {
        |gpu: &Emulator, kernels: &Kernels| {
            let input = gpu.slice(&WORDS);
            let places = 2 * WORDS.len();
            let (mut sums, mut flags) = (gpu.slice(&vec![0_u32; places]), gpu.slice(&vec![0_u32; places]));
            let mut output = gpu.slice(&[0_u32; WORDS.len()]);
            kernels.kernel(flags::look_back::<$order>)?.launch(
                gpu,
                WORDS.len() as u32,
                (&input, &mut sums, &mut flags, &mut output),
            )?;
            Ok(output.to_vec())
        }
    };
}

#[test]
fn a_look_back_scan_with_a_relaxed_flag_is_found() {
    let want: Vec<u32> = (0..WORDS.len()).map(|i| WORDS[..i].iter().sum()).collect();
    assert_right(&want, look_back!(RIGHT));
    assert_eq!(shown_by(20, &want, look_back!(RELAXED_STORE)), "another result");
    assert_eq!(shown_by(20, &want, look_back!(RELAXED_LOAD)), "another result");
}

macro_rules! work {
    ($order:ident) => {
        |gpu: &Emulator, kernels: &Kernels| {
            const PLACES: usize = 32;
            let place = |first: u32| {
                let mut all = [0; PLACES];
                all[0] = first;
                gpu.slice(&all)
            };
            let (mut items, mut flags) = (place(8), place(1));
            let (mut counters, mut output) = (gpu.slice(&[0_u32, 1, 1, 0]), gpu.slice(&[0_u32; 3]));
            kernels.kernel(flags::work::<$order>)?.launch(
                gpu,
                3,
                (&mut items, &mut flags, &mut counters, &mut output),
            )?;
            Ok(output.to_vec())
        }
    };
}

#[test]
fn a_queue_whose_termination_races_is_found() {
    // 8, and its halves down to eight times 1.
    let want = vec![8 * 4; 3];
    assert_right(&want, work!(RIGHT));
    assert_eq!(shown_by(20, &want, work!(RELAXED_STORE)), "another result");
    assert_eq!(shown_by(20, &want, work!(RELAXED_LOAD)), "another result");
    let shown = shown_by(20, &want, work!(DONE_TOO_EARLY));
    assert!(shown.contains("deadlock in `work_"), "{shown}");
}

macro_rules! ring {
    ($order:ident) => {
        |gpu: &Emulator, kernels: &Kernels| {
            let (mut places, mut flags) = (gpu.slice(&[99_u32; 2]), gpu.slice(&[0_u32, 1]));
            let (mut tickets, mut output) = (gpu.slice(&[0_u32; 2]), gpu.slice(&[0_u32; 2 * EACH as usize]));
            kernels.kernel(flags::ring::<$order>)?.launch(
                gpu,
                4,
                (&mut places, &mut flags, &mut tickets, &mut output),
            )?;
            Ok(output.to_vec())
        }
    };
}

#[test]
fn a_ring_with_a_relaxed_flag_is_found() {
    let want = vec![1; 2 * EACH as usize];
    assert_right(&want, ring!(RIGHT));
    assert_eq!(shown_by(20, &want, ring!(RELAXED_STORE)), "another result");
}

macro_rules! sum_by_the_last {
    ($order:ident) => {
        |gpu: &Emulator, kernels: &Kernels| {
            let input = gpu.slice(&(0..1000).collect::<Vec<u32>>());
            let (mut parts, mut count) = (gpu.slice(&[7_u32; 3 * 64]), gpu.slice(&[0_u32]));
            let kernel = kernels.kernel(flags::sum_by_the_last::<$order>)?;
            // The count is ready for the second launch.
            let mut sums = Vec::new();
            for _ in 0..2 {
                let mut output = gpu.slice(&[0_u32]);
                kernel.launch(gpu, 3, (&input, &mut parts, &mut count, &mut output))?;
                sums.extend(output.to_vec());
                parts = gpu.slice(&[7_u32; 3 * 64]);
            }
            Ok(sums)
        }
    };
}

#[test]
fn a_last_block_with_a_relaxed_count_is_found() {
    let want = vec![(0..1000).sum::<u32>(); 2];
    assert_right(&want, sum_by_the_last!(RIGHT));
    assert_eq!(shown_by(20, &want, sum_by_the_last!(RELAXED_STORE)), "another result");
}

#[test]
fn of_stores_into_one_element_one_remains() {
    for schedule in 0..20 {
        let gpu = Emulator::new().first_schedule(schedule);
        let kernels = gpu.load(&[("sm_90a", PTX.as_bytes())]).unwrap();
        // Number i goes to place i % 3, but number 63 to place 4, and number 62 past the end.
        let place = |i: u32| match i {
            63 => 4,
            62 => 1000,
            _ => i % 3,
        };
        let places = gpu.slice(&(0..64).map(place).collect::<Vec<u32>>());
        let mut output = gpu.slice(&[200_u8; 5]);
        kernels.kernel(flags::scatter).unwrap().launch(&gpu, 2, (&places, &mut output)).unwrap();
        let got = output.to_vec();
        assert!((0..3).all(|i| got[i] < 62 && usize::from(got[i]) % 3 == i), "{got:?}");
        assert_eq!(got[3..], [200, 63], "no number goes to place 3");
    }
}

/// Checks that loads, stores and additions of vectors and packed pairs do not race: each element is atomic.
#[test]
fn vectors_are_atomic_by_elements() {
    for schedule in 0..50 {
        let gpu = Emulator::new().first_schedule(schedule);
        let kernels = gpu.load(&[("sm_90a", PTX.as_bytes())]).unwrap();
        let (mut pair, mut floats) = (gpu.slice(&[[flags::f16::ZERO; 2]]), gpu.slice(&[0.0_f32; 4]));
        let mut output = gpu.slice(&[0.0_f32; 128]);
        let vectors = kernels.kernel(flags::add_to_vectors).unwrap();
        vectors.launch(&gpu, 2, (&mut pair, &mut floats, &mut output)).unwrap();
        // The store of 100 in each element comes before, between or after the 32 additions.
        assert!(
            floats.to_vec().into_iter().all(|float| (100.0..=132.0).contains(&float)),
            "{:?}",
            floats.to_vec()
        );
    }
}

#[test]
fn tiles_by_ticket_and_a_last_tile_cover_the_slice_once() {
    for len in [0, 1, TILE, 5 * TILE, 7 * TILE + 3] {
        let want: Vec<u32> = (1..=len as u32).collect();
        assert_right(&want, |gpu, kernels| {
            let (mut output, mut tickets) = (gpu.slice(&vec![0_u32; len]), gpu.slice(&[0_u64]));
            kernels.kernel(flags::tiles_by_ticket)?.launch(gpu, 3, (&mut output, &mut tickets))?;
            Ok(output.to_vec())
        });
    }
}

/// Checks that a counter that does not begin at 0 leaves tiles out, and gives none to two CTAs.
#[test]
fn tickets_of_another_start_are_exclusive_too() {
    let want: Vec<u32> =
        (0..2 * TILE as u32).map(|_| 0).chain(2 * TILE as u32 + 1..=4 * TILE as u32).collect();
    assert_right(&want, |gpu, kernels| {
        let (mut output, mut tickets) = (gpu.slice(&vec![0_u32; 4 * TILE]), gpu.slice(&[2_u64]));
        kernels.kernel(flags::tiles_by_ticket)?.launch(gpu, 3, (&mut output, &mut tickets))?;
        Ok(output.to_vec())
    });
}

#[test]
fn rows_by_ticket_come_once() {
    for (rows, start) in [(0, 0), (1, 0), (2, 0), (5, 0), (6, 0), (15, 0), (15, u64::MAX - 1)] {
        let want: Vec<u32> = (1..=rows).flat_map(|row| [row; 36]).collect();
        assert_right(&want, |gpu, kernels| {
            let (mut matrix, mut tickets) =
                (gpu.slice(&vec![0_u32; 36 * rows as usize]), gpu.slice(&[start]));
            let arguments = (Matrix::new(&mut matrix, rows, 36), &mut tickets);
            kernels.kernel(flags::rows_by_ticket)?.launch(gpu, 3, arguments)?;
            Ok(matrix.to_vec())
        });
    }
}

/// Checks that a counter that does not begin at 0 leaves rows out, and gives none to two CTAs, nor those of a CTA's rank.
#[test]
fn row_tickets_of_another_start_are_exclusive_too() {
    let want: Vec<u32> =
        (1..=14).flat_map(|row| [if (7..=10).contains(&row) { 0 } else { row }; 36]).collect();
    assert_right(&want, |gpu, kernels| {
        let (mut matrix, mut tickets) = (gpu.slice(&vec![0_u32; 36 * 14]), gpu.slice(&[2_u64]));
        let arguments = (Matrix::new(&mut matrix, 14, 36), &mut tickets);
        kernels.kernel(flags::rows_by_ticket)?.launch(gpu, 3, arguments)?;
        Ok(matrix.to_vec())
    });
}

#[test]
fn a_row_is_read_twice_and_written_in_place() {
    let rows: Vec<f32> = (0..5 * 140).map(|i| (i % 8) as f32).collect();
    let sums = rows.chunks(140).map(|row| row.iter().sum::<f32>());
    let want: Vec<f32> =
        rows.chunks(140).zip(sums).flat_map(|(row, sum)| row.iter().map(move |x| x / sum)).collect();
    assert_right(&want, |gpu, kernels| {
        let mut rows = gpu.slice(&rows);
        kernels.kernel(flags::divide_rows)?.launch(gpu, 2, (Matrix::new(&mut rows, 5, 140),))?;
        Ok(rows.to_vec())
    });
}
