//! Barriers of the CTA under conditions that differ between its threads.

use core::sync::atomic::{AtomicU32, Ordering};

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;
use ptx::qualifier::space;

#[ptx::kernel(threads = 128)]
pub fn in_a_branch(cta: Cta) {
    if cta.thread_rank() < 32 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn in_one_thread(cta: Cta) {
    if cta.is_leader() {
        cta.sync(); // wrong
    }
}

#[allow(clippy::if_same_then_else, reason = "the calls differ in their place")]
#[ptx::kernel(threads = 128)]
pub fn at_two_places(cta: Cta) {
    if cta.warp_rank() == 1 {
        cta.sync(); // wrong
    } else {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn after_an_early_return(cta: Cta) {
    if cta.thread_rank() == 77 {
        return;
    }
    cta.sync(); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn as_often_as_the_rank(cta: Cta) {
    for _ in 0..cta.thread_rank() {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn until_loaded_data_ends(cta: Cta, input: Global<u32>) {
    let mut i = cta.thread_rank() as usize;
    while input.get(i).is_some_and(|x| x != 0) {
        cta.sync(); // wrong
        i += 128;
    }
}

#[ptx::kernel(threads = 128)]
pub fn after_a_break(cta: Cta, input: Global<u32>) {
    for i in 0..16 {
        if input.get(i * 128 + cta.thread_rank() as usize) == Some(7) {
            break;
        }
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn after_a_continue(cta: Cta, input: Global<u32>) {
    for i in 0..16 {
        if input.get(i * 128 + cta.thread_rank() as usize) == Some(7) {
            continue;
        }
        cta.sync(); // wrong
    }
}

/// The rounds of the loop before decide, which each thread counts for itself.
#[ptx::kernel(threads = 128)]
pub fn by_the_rounds_of_a_loop(cta: Cta) {
    let mut rounds = 0_u32;
    let mut left = cta.thread_rank();
    while left > 0 {
        left /= 2;
        rounds += 1;
    }
    if rounds < 4 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_a_flag_set_in_a_branch(cta: Cta) {
    let mut flag = false;
    if cta.thread_rank() > 3 {
        flag = true;
    }
    cta.sync();
    if flag {
        cta.sync(); // wrong
    }
}

#[inline(never)]
fn helper(cta: &Cta, condition: bool) {
    if condition {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn in_a_helper(cta: Cta) {
    helper(&cta, cta.thread_rank() == 5);
}

#[ptx::kernel(threads = 128)]
pub fn around_a_helper(cta: Cta) {
    if cta.thread_rank() == 5 {
        helper(&cta, true);
    }
}

#[ptx::kernel(threads = 128)]
pub fn in_a_closure(cta: Cta) {
    let call = |is_wanted: bool| is_wanted.then(|| cta.sync()); // wrong
    call(cta.thread_rank().is_multiple_of(2));
}

#[ptx::kernel(threads = 128)]
pub fn in_an_iterator(cta: Cta) {
    (0..cta.thread_rank()).for_each(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn in_a_filtered_iterator(cta: Cta) {
    let rank = cta.thread_rank();
    (0..4_u32).filter(|i| *i < rank).for_each(|_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn in_an_option(cta: Cta) {
    let wanted = (cta.thread_rank() > 64).then_some(1_u32);
    if let Some(x) = wanted {
        cta.sync_count(x == 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn in_a_match(cta: Cta) {
    match cta.thread_rank() % 3 {
        0 => cta.sync(),
        1 => {}
        _ => cta.sync(), // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn behind_a_question_mark(cta: Cta, input: Global<u32>) {
    let run = || {
        input.get(cta.thread_rank() as usize)?;
        cta.sync(); // wrong
        Some(())
    };
    run();
}

#[ptx::kernel(threads = 128)]
pub fn by_short_circuit(cta: Cta, n: u32) {
    let is_wanted = |x: u32| cta.sync_count(x < n) > 0; // wrong
    if cta.thread_rank() < 5 && is_wanted(3) {
        ptx::trap();
    }
}

/// One thread ends the grid, but at a barrier of its own first.
#[ptx::kernel(threads = 128)]
pub fn before_a_trap(cta: Cta) {
    if cta.thread_rank() == 9 {
        cta.sync(); // wrong
        ptx::trap();
    }
    cta.sync();
}

#[ptx::kernel(threads = 128)]
pub fn in_a_panicking_arm(cta: Cta, n: u32) {
    if cta.thread_rank() == n {
        cta.sync(); // wrong
        panic!("no");
    }
}

/// The state machine of a thread of its own.
#[ptx::kernel(threads = 128)]
pub fn in_a_state_machine(cta: Cta, input: Global<u32>) {
    let (mut state, mut i) = (0_u32, 0_usize);
    loop {
        state = match (state, input.get(i + cta.thread_rank() as usize).unwrap_or(0)) {
            (0, 1) => 1,
            (1, _) => {
                cta.sync(); // wrong
                2
            }
            (2, _) => break,
            _ => 0,
        };
        i += 1;
    }
}

fn recursive(cta: &Cta, n: u32) -> u32 {
    cta.sync();
    if n == 0 { 0 } else { 1 + recursive(cta, n / 2).wrapping_mul(3) }
}

#[ptx::kernel(threads = 128)]
pub fn in_recursion(cta: Cta, output: GlobalElementsMut<u32>) {
    let n = recursive(&cta, cta.thread_rank()); // wrong
    output.elements(&cta).for_each(|(_, x)| x.write(n));
}

fn once(cta: &Cta) {
    cta.sync();
}
fn twice(cta: &Cta) {
    cta.sync();
    cta.sync();
}

#[ptx::kernel(threads = 128)]
pub fn by_a_table_of_functions(cta: Cta) {
    const TABLE: [fn(&Cta); 2] = [once, twice];
    TABLE[(cta.thread_rank() % 2) as usize](&cta); // wrong
}

trait Step {
    fn step(&self, cta: &Cta);
}
struct One;
struct Two(u32);
impl Step for One {
    fn step(&self, cta: &Cta) {
        cta.sync(); // wrong
    }
}
impl Step for Two {
    fn step(&self, cta: &Cta) {
        cta.sync_count(self.0 > 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_a_trait_object(cta: Cta) {
    let two = Two(cta.thread_rank());
    let step: &dyn Step = if cta.thread_rank() % 3 == 1 { &One } else { &two };
    step.step(&cta); // wrong
}

fn generic<S: Step>(cta: &Cta, step: S) {
    step.step(cta);
}

#[ptx::kernel(threads = 128)]
pub fn by_instances_of_a_generic_function(cta: Cta) {
    if cta.thread_rank() % 3 == 1 { generic(&cta, One) } else { generic(&cta, Two(1)) }
}

struct SyncsWhenDropped<'a>(&'a Cta);
impl Drop for SyncsWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn in_drop(cta: Cta) {
    let _one = (cta.thread_rank() > 3).then(|| SyncsWhenDropped(&cta));
}

/// The value goes through an array in local memory.
#[ptx::kernel(threads = 128)]
pub fn through_local_memory(cta: Cta, n: u32) {
    let mut array = [0_u32; 8];
    for i in 0..8 {
        array[i] = (n + i as u32) % 8;
    }
    if array[(n % 8) as usize] > 1 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_the_clock(cta: Cta) {
    if ptx::raw::clock().is_multiple_of(2) {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_the_multiprocessor_of_a_cluster(cta: Cta) {
    if ptx::raw::smid() == 0 {
        cta.sync(); // wrong
    }
}

/// Two counters run at different speeds.
#[ptx::kernel(threads = 128)]
pub fn by_a_loop_with_two_exits(cta: Cta, input: Global<u32>, n: u32) {
    let mut i = 0;
    let found = loop {
        if i >= n {
            break false;
        }
        if input.get((i + cta.thread_rank()) as usize) == Some(3) {
            break true;
        }
        i += 1;
    };
    if found {
        cta.sync(); // wrong
    }
}

static FLAG: AtomicU32 = AtomicU32::new(0);

/// The thread that waits comes to no call, and ends the grid too late.
#[ptx::kernel(threads = 64)]
pub fn after_a_loop_before_a_trap(cta: Cta) {
    if cta.thread_rank() == 3 {
        while FLAG.load(Ordering::Relaxed) == 0 {}
        ptx::trap();
    }
    cta.sync(); // wrong
    FLAG.store(1, Ordering::Relaxed);
}

/// The trap is one that other threads reach without the loop.
#[ptx::kernel(threads = 64)]
pub fn after_a_loop_before_a_panic(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap();
    if x == 3 {
        while FLAG.load(Ordering::Relaxed) == 0 {}
        panic!();
    }
    cta.sync(); // wrong
}

/// Local memory has another generic address in each thread.
#[ptx::kernel(threads = 64)]
pub fn by_a_generic_address(cta: Cta) {
    if (ptx::raw::cvta(space::Local, 64) as u64 >> 10).is_multiple_of(2) {
        cta.sync(); // wrong
    }
}

/// The address is outside of the window, so that its place there is unspecified.
#[ptx::kernel(threads = 64)]
pub fn by_an_address_outside_of_the_window(cta: Cta) {
    if ptx::raw::cvta_to(space::SharedCta, core::ptr::null()).is_multiple_of(2) {
        cta.sync(); // wrong
    }
}

#[derive(Clone, Copy, ptx::Plain)]
#[repr(C)]
pub struct Table {
    words: [u32; 64],
}

/// Each thread has its own copy of a parameter.
#[ptx::kernel(threads = 64)]
pub fn by_a_table_that_threads_change(cta: Cta, mut table: Table, n: u32) {
    table.words[(cta.thread_rank() % 64) as usize] = 7;
    if table.words[(n % 64) as usize] > 3 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 64)]
pub fn by_a_table_of_each_thread(cta: Cta, one: Table, other: Table, n: u32) {
    let table = if cta.thread_rank() > 7 { one } else { other };
    if table.words[(n % 64) as usize] > 3 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 64)]
pub fn by_a_table_at_an_index_of_the_thread(cta: Cta, table: Table) {
    if table.words[(cta.thread_rank() % 64) as usize] > 3 {
        cta.sync(); // wrong
    }
}
