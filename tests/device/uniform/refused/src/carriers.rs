//! Conditions that reach a call through helpers, closures, iterators, values of all kinds and generic code.

use core::cell::Cell;
use core::ops::ControlFlow;

use ptx::global::Global;
use ptx::group::Cta;

#[inline(never)]
fn is_small(x: u32) -> bool {
    x < 5
}

#[ptx::kernel(threads = 128)]
pub fn condition_of_a_helper(cta: Cta) {
    if is_small(cta.thread_rank()) {
        cta.sync(); // wrong
    }
}

#[inline(never)]
fn level_3(cta: &Cta, x: u32) {
    if x & 2 == 0 {
        cta.sync(); // wrong
    }
}
fn level_2(cta: &Cta, x: u32) {
    level_3(cta, x + 1);
}
fn level_1(cta: &Cta, x: u32) {
    (0..2).for_each(|i| level_2(cta, x + i));
}

#[ptx::kernel(threads = 128)]
pub fn three_helpers_deep(cta: Cta) {
    level_1(&cta, cta.thread_rank());
}

fn with<R>(cta: &Cta, f: impl FnOnce(&Cta) -> R) -> R {
    f(cta)
}

#[ptx::kernel(threads = 128)]
pub fn closure_passed_down(cta: Cta) {
    let mine = cta.thread_rank() % 7;
    with(&cta, |cta| {
        if mine == 3 {
            cta.sync(); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn closure_returned_by_a_helper(cta: Cta) {
    fn maker(mine: u32) -> impl Fn(&Cta) {
        move |cta| {
            if mine > 9 {
                cta.sync(); // wrong
            }
        }
    }
    maker(cta.thread_rank())(&cta);
}

#[ptx::kernel(threads = 128)]
pub fn closure_that_is_called_as_often_as_the_rank(cta: Cta) {
    let mut count = 0;
    let mut call = || {
        count += 1;
        cta.sync(); // wrong
        count < cta.thread_rank()
    };
    while call() {}
}

#[ptx::kernel(threads = 128)]
pub fn zipped_iterators(cta: Cta) {
    let rank = cta.thread_rank();
    for (_, _) in (0..8).zip(0..rank) {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn iterator_that_skips(cta: Cta) {
    for _ in (0..8).skip(cta.thread_rank() as usize) {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn iterator_that_steps(cta: Cta) {
    let mut i = 0;
    while i < 16 {
        cta.sync(); // wrong
        i += 1 + cta.thread_rank() % 2;
    }
}

#[ptx::kernel(threads = 128)]
pub fn iterator_that_takes_while(cta: Cta, input: Global<u32>) {
    let first = cta.thread_rank() as usize;
    (0..9).take_while(|i| input.get(first + i).is_some_and(|x| x > 1)).for_each(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn iterator_of_successors(cta: Cta) {
    let next = |x: &u32| (*x > 1).then_some(*x / 2);
    core::iter::successors(Some(cta.thread_rank()), next).for_each(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn iterator_of_a_flat_map(cta: Cta) {
    let rank = cta.thread_rank();
    (0..3).flat_map(|i| 0..rank % (i + 2)).for_each(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn fold_that_breaks(cta: Cta, input: Global<u32>) {
    let rank = cta.thread_rank() as usize;
    let _ = (0..8).try_fold(0, |sum, i| {
        cta.sync(); // wrong
        match input.get(rank + i) {
            Some(x) if x < 100 => ControlFlow::Continue(sum + x),
            _ => ControlFlow::Break(sum),
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn any_of_an_iterator(cta: Cta) {
    let rank = cta.thread_rank();
    (0..8_u32).any(|i| {
        cta.sync(); // wrong
        i == rank
    });
}

#[ptx::kernel(threads = 128)]
pub fn position_in_an_array(cta: Cta, n: u32) {
    let found = [n, 3, 5].iter().position(|x| *x == cta.thread_rank());
    if found.is_some() {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn option_that_maps(cta: Cta, input: Global<u32>) {
    input.get(cta.thread_rank() as usize).map(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn option_or_else(cta: Cta, input: Global<u32>) {
    input.get(cta.thread_rank() as usize).unwrap_or_else(|| {
        cta.sync(); // wrong
        7
    });
}

#[ptx::kernel(threads = 128)]
pub fn option_taken_in_some_threads(cta: Cta) {
    let mut once = Some(3);
    if cta.thread_rank() % 5 == 2 {
        once.take();
    }
    while let Some(n) = once {
        cta.sync(); // wrong
        once = (n > 0).then(|| n - 1);
    }
}

#[ptx::kernel(threads = 128)]
pub fn result_of_a_check(cta: Cta) {
    let check = |x: u32| if x < 64 { Ok(x) } else { Err(x) };
    if let Err(above) = check(cta.thread_rank()) {
        cta.sync_count(above > 70); // wrong
    }
}

enum Command {
    Sync,
    Count(u32),
    Nothing,
}

fn command(x: u32) -> Command {
    match x % 4 {
        0 => Command::Sync,
        1 => Command::Count(x),
        _ => Command::Nothing,
    }
}

#[ptx::kernel(threads = 128)]
pub fn enum_of_commands(cta: Cta) {
    match command(cta.thread_rank()) {
        Command::Sync => cta.sync(), // wrong
        Command::Count(x) => _ = cta.sync_count(x > 3),
        Command::Nothing => {}
    }
}

#[ptx::kernel(threads = 128)]
pub fn enum_in_an_enum(cta: Cta, n: u32) {
    let inner = (cta.thread_rank() < n).then(|| command(n));
    let outer = if n > 4 { Some(inner) } else { None };
    if let Some(Some(Command::Sync)) = outer {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn struct_with_a_flag(cta: Cta) {
    struct State {
        round: u32,
        is_done: bool,
    }
    let mut state = State { round: 0, is_done: false };
    while !state.is_done {
        state.round += 1;
        state.is_done = state.round > cta.thread_rank() % 4;
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cell_that_a_closure_sets(cta: Cta) {
    let flag = Cell::new(0);
    let set = |x| flag.set(x);
    (0..cta.thread_rank()).for_each(set);
    if flag.get() > 2 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn reference_of_a_choice(cta: Cta) {
    let (mut one, mut other) = (0_u32, 0_u32);
    *(if cta.thread_rank() == 0 { &mut one } else { &mut other }) = 1;
    if one == 1 {
        cta.sync(); // wrong
    }
    other += 1;
    if other == 2 {
        cta.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn tuple_that_is_swapped(cta: Cta, n: u32) {
    let mut pair = (0, n);
    if cta.thread_rank() > 3 {
        core::mem::swap(&mut pair.0, &mut pair.1);
    }
    for _ in 0..pair.0 {
        cta.sync(); // wrong
    }
}

/// The value goes through the exchange in an array, which may stay in memory.
#[ptx::kernel(threads = 128)]
pub fn array_that_is_sorted(cta: Cta, n: u32) {
    let mut array = [n, cta.thread_rank(), 7, 1];
    for i in 0..3 {
        for j in 0..3 - i {
            if array[j] > array[j + 1] {
                array.swap(j, j + 1);
            }
        }
    }
    if array[2] > 7 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn slice_of_an_array(cta: Cta) {
    let array = [1_u32, 2, 3, 4];
    for _ in &array[..(cta.thread_rank() % 4) as usize] {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn table_of_numbers(cta: Cta) {
    static TABLE: [u32; 4] = [3, 0, 1, 2];
    for _ in 0..TABLE[(cta.thread_rank() % 4) as usize] {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn float_that_decides(cta: Cta, x: f32) {
    if x * (cta.thread_rank() as f32) > 4.0 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn wide_number_that_decides(cta: Cta, n: u64) {
    if u128::from(n) * u128::from(cta.thread_rank()) > 1 << 70 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn bits_of_the_rank_below_a_warp(cta: Cta) {
    if cta.thread_rank() & 0x28 == 0x28 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn remainder_of_a_rank(cta: Cta) {
    if (cta.thread_rank() % 96) / 32 == 1 {
        cta.sync(); // wrong
    }
}

trait Rule {
    const ROUNDS: u32;
    fn applies(&self, cta: &Cta) -> bool;
    fn run(&self, cta: &Cta) {
        for _ in 0..Self::ROUNDS {
            if self.applies(cta) {
                cta.sync(); // wrong
            }
        }
    }
}
struct ByRank;
impl Rule for ByRank {
    const ROUNDS: u32 = 3;
    fn applies(&self, cta: &Cta) -> bool {
        cta.thread_rank() > 2
    }
}
struct ByInput(Global<u32>);
impl Rule for ByInput {
    const ROUNDS: u32 = 2;
    fn applies(&self, cta: &Cta) -> bool {
        self.0.get(cta.thread_rank() as usize) == Some(1)
    }
}

#[ptx::kernel(threads = 128)]
pub fn default_method_by_the_rank(cta: Cta) {
    ByRank.run(&cta);
}

#[ptx::kernel(threads = 128)]
pub fn default_method_by_the_input(cta: Cta, input: Global<u32>) {
    ByInput(input).run(&cta);
}

fn rounds<const N: u32>(cta: &Cta) {
    for _ in 0..N {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn instances_of_two_constants(cta: Cta) {
    if cta.thread_rank() < 32 { rounds::<2>(&cta) } else { rounds::<3>(&cta) }
}

/// Both call as often, but at two places.
#[ptx::kernel(threads = 128)]
pub fn instances_of_two_types(cta: Cta) {
    fn sync<T>(cta: &Cta) {
        cta.sync(); // wrong
    }
    if cta.warp_rank() == 0 { sync::<u32>(&cta) } else { sync::<i32>(&cta) }
}

#[ptx::kernel(threads = 128)]
pub fn pointer_of_a_choice(cta: Cta) {
    fn one(cta: &Cta) {
        cta.sync();
    }
    fn other(_: &Cta) {}
    let function: fn(&Cta) = if cta.thread_rank() == 4 { one } else { other };
    function(&cta); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn closures_of_a_choice(cta: Cta) {
    let (one, other) = (|| cta.sync(), || cta.warp().sync());
    let chosen: &dyn Fn() = if cta.thread_rank() == 4 { &one } else { &other };
    chosen(); // wrong
}

fn ping(cta: &Cta, n: u32) {
    cta.sync();
    if n > 0 {
        pong(cta, n - 1);
    }
}
fn pong(cta: &Cta, n: u32) {
    cta.sync();
    if n > 3 {
        ping(cta, n / 2);
        ping(cta, n / 3);
    }
}

#[ptx::kernel(threads = 128)]
pub fn functions_that_call_each_other(cta: Cta) {
    ping(&cta, cta.thread_rank()); // wrong
}

fn tail(cta: &Cta, n: u32) {
    if n > 0 {
        cta.sync();
        tail(cta, n - 1);
    }
}

#[ptx::kernel(threads = 128)]
pub fn recursion_at_the_end(cta: Cta) {
    tail(&cta, cta.thread_rank()); // wrong
}

/// Jumps into the middle of a loop, as a state machine does.
#[ptx::kernel(threads = 128)]
pub fn machine_of_labels(cta: Cta, input: Global<u32>) {
    let (mut state, mut i) = (cta.thread_rank() % 3, 0);
    'machine: loop {
        'second: {
            match state {
                0 => break 'second,
                1 => {}
                _ => break 'machine,
            }
            cta.sync(); // wrong
        }
        state = input.get(i).unwrap_or(2);
        i += 1;
    }
}

/// A loop whose two parts go on to each other in any order.
#[ptx::kernel(threads = 128)]
pub fn machine_of_two_states(cta: Cta, input: Global<u32>) {
    let mut is_first = cta.thread_rank().is_multiple_of(2);
    for i in 0..64 {
        if is_first {
            cta.sync(); // wrong
            is_first = input.get(i) == Some(1);
        } else {
            is_first = input.get(i) == Some(2);
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn break_of_an_outer_loop(cta: Cta, input: Global<u32>, n: u32) {
    'outer: for i in 0..n {
        for j in 0..n {
            if input.get((i * n + j + cta.thread_rank()) as usize) == Some(0) {
                break 'outer;
            }
        }
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn continue_of_an_outer_loop(cta: Cta, input: Global<u32>, n: u32) {
    'outer: for i in 0..n {
        for j in 0..n {
            if input.get((i * n + j + cta.thread_rank()) as usize) == Some(0) {
                continue 'outer;
            }
        }
        cta.sync(); // wrong
    }
}

/// The rounds of the inner loop differ, and their number decides in the next round of the outer loop.
#[ptx::kernel(threads = 128)]
pub fn carried_to_the_next_round(cta: Cta, n: u32) {
    let mut before = 0;
    for _ in 0..n {
        if before > 2 {
            cta.sync(); // wrong
        }
        before = 0;
        while before < cta.thread_rank() {
            before += 1;
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn first_round_alone(cta: Cta, n: u32) {
    let mut is_first = true;
    for i in 0..n {
        if is_first && cta.thread_rank() > i {
            is_first = false;
            continue;
        }
        if is_first {
            cta.sync(); // wrong
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn early_return_of_a_helper(cta: Cta, input: Global<u32>) {
    fn find(cta: &Cta, input: Global<u32>) -> Option<u32> {
        for i in 0..4 {
            let x = input.get(i * 128 + cta.thread_rank() as usize)?;
            cta.sync(); // wrong
            if x == 9 {
                return Some(x);
            }
        }
        None
    }
    find(&cta, input);
}

#[ptx::kernel(threads = 128)]
pub fn guard_of_a_pattern(cta: Cta, n: u32) {
    match (n, cta.thread_rank()) {
        (1 | 2, x) if cta.sync_count(x > 3) > 2 => {}
        (_, 0..16) => cta.sync(), // wrong
        _ => {}
    }
}

#[ptx::kernel(threads = 128)]
pub fn or_of_two_calls(cta: Cta, n: u32) {
    let _ = cta.thread_rank() == n || cta.sync_or(n > 2); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn assertion_that_calls(cta: Cta, n: u32) {
    if cta.thread_rank() < 7 {
        assert!(cta.sync_and(n > 2)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn value_of_a_block(cta: Cta) {
    let x = 'block: {
        if cta.thread_rank() > 99 {
            break 'block 0;
        }
        cta.sync(); // wrong
        1
    };
    if x > 1 {
        ptx::trap();
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_the_lanes_that_are_active(cta: Cta) {
    if ptx::warp::active_mask().count() > 16 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_the_position(cta: Cta) {
    let [x, _, _] = cta.thread_position();
    if x / 32 == 1 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = (16, 8))]
pub fn by_a_row_of_half_a_warp(cta: Cta) {
    let [_, y, _] = cta.thread_position();
    if y == 1 {
        cta.warp().sync(); // wrong
    }
}

/// The launch chooses the block, so a row of threads need not be whole warps.
#[ptx::kernel(max_threads = 256)]
pub fn by_a_rank_over_the_extent(cta: Cta) {
    let [width, _, _] = cta.shape();
    if cta.thread_rank() / width == 1 {
        cta.warp().sync(); // wrong
    }
}
