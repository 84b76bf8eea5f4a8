//! The records that the checks of the feature `checked` compare.
//!
//! Each thread of the CTA has a record in shared memory: the place of its last collective call, and whether it is in the call.
//! In a call, each thread waits until the record of the next thread of the group, in a circle, names the same call. If a
//! thread is missing, the thread before it detects that, prints both places and traps. The other threads wait at a barrier that
//! completes only if all threads make the call.

use core::ffi::CStr;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::qualifier::{convergence::Unaligned, scope, sem, space, threads, ty};
use crate::raw;
use crate::special_register::{ctaid_x, ctaid_y, ctaid_z, ntid_x, ntid_y, ntid_z, tid_x, tid_y, tid_z};
use crate::trap::trap;

/// A place in the program.
type Place = Location<'static>;

/// How long a thread waits for a thread that has neither ended nor made another call of the group, in nanoseconds.
const LIMIT: u64 = 5_000_000_000;

/// What a thread does, in the low bits of its record. The other bits are those of the address of its [`Place`], or 0.
mod state {
    /// State of a thread's record: the thread is in no collective call.
    pub const OUTSIDE: u32 = 0;
    pub const IN_CTA: u32 = 1;
    pub const IN_PART: u32 = 2;
    pub const IN_WARP: u32 = 3;
    /// State of a thread's record: the thread is in a collective call of some lanes of its warp.
    pub const IN_LANES: u32 = 4;
    pub const ENDED: u32 = 5;
    pub const MASK: u32 = 7;
}
static_assertions::const_assert!(align_of::<Place>() > state::MASK as usize);

// A record of 4 bytes for each of 1024 threads, the most that a CTA has.
#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".shared .align 4 .b8 ptx_checked[4096];");

/// Returns the address of a thread's record.
fn record(rank: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let base: u32;
        // SAFETY: `mov` of a symbol's address accesses no memory.
        unsafe {
            core::arch::asm!(
                "mov.u32 {}, ptx_checked;", lateout(reg32) base, options(pure, nomem, nostack, preserves_flags),
            );
        }
        base + 4 * rank
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = rank;
        panic!("shared memory exists on a GPU only: build for nvptx64-nvidia-cuda")
    }
}

fn load(rank: u32) -> u32 {
    // SAFETY: `rank` is that of a thread of the CTA, so its record is in bounds; all accesses are atomic.
    unsafe { raw::ld(sem::Acquire, scope::Cta, space::SharedCta, ty::U32, record(rank)) }
}

fn store(rank: u32, value: u32) {
    // SAFETY: `rank` is that of a thread of the CTA, so its record is in bounds; all accesses are atomic.
    unsafe { raw::st(sem::Release, scope::Cta, space::SharedCta, ty::U32, record(rank), value) }
}

fn rank() -> u32 {
    tid_x() + ntid_x() * (tid_y() + ntid_y() * tid_z())
}

fn thread_count() -> u32 {
    ntid_x() * ntid_y() * ntid_z()
}

/// The low half of a place's address. Places are constants of one module, so the low half tells them apart.
fn low(place: &'static Place) -> u32 {
    core::ptr::from_ref(place).expose_provenance() as u32
}

fn wait_for_cta() {
    // SAFETY: 9.7.13.1: all threads of the CTA wait at this barrier, in `enter` or since each has seen the next one in the same
    // call. No other instruction is active on barrier 0, which belongs to the collective calls of the CTA.
    unsafe { raw::barrier_cta_sync(Unaligned, 0, threads::All) }
}

/// Initializes the executing thread's record of collective calls, and waits for all threads of the CTA.
#[inline(never)]
pub fn enter() {
    store(rank(), state::OUTSIDE);
    wait_for_cta();
}

/// Notes in the executing thread's record that the thread has ended.
#[inline(never)]
pub fn end() {
    let rank = rank();
    store(rank, load(rank) & !state::MASK | state::ENDED);
}

/// Returns when all threads of the CTA make the caller's collective call, and traps if one does not.
#[inline(always)]
#[track_caller]
pub fn meet_in_cta() {
    in_cta(Location::caller());
}

#[inline(never)]
fn in_cta(place: &'static Place) {
    let next = rank() + 1;
    let next = if next == thread_count() { 0 } else { next };
    meet(state::IN_CTA, next, place, wait_for_cta);
}

/// Returns when all threads of a pipeline's part make the caller's collective call, and traps if one does not. The part has
/// `threads` threads and a barrier; the executing thread is its thread `rank_in_part`.
#[inline(always)]
#[track_caller]
pub fn meet_in_part(rank_in_part: u32, threads: u32, barrier: u32) {
    in_part(rank_in_part, threads, barrier, Location::caller());
}

#[inline(never)]
fn in_part(rank_in_part: u32, threads: u32, barrier: u32, place: &'static Place) {
    let is_last = rank_in_part + 1 == threads;
    let next = if is_last { rank() - rank_in_part } else { rank() + 1 };
    meet(state::IN_PART, next, place, || {
        // SAFETY: the threads of the part are in the same call, and the barrier belongs to the part.
        unsafe { raw::barrier_cta_sync(Unaligned, barrier, threads::Count(threads)) }
    });
}

/// Returns when all lanes of `members` that have a thread make the caller's collective call, and traps if one does not.
#[inline(always)]
#[track_caller]
pub fn meet_in_warp(members: u32) {
    in_warp(members, Location::caller());
}

#[inline(never)]
fn in_warp(members: u32, place: &'static Place) {
    let (rank, lane) = (rank(), rank() % 32);
    let first = rank - lane;
    let lanes = (thread_count() - first).min(32);
    let present = members & (u32::MAX >> (32 - lanes));
    // `present` has the bit of the executing thread.
    let (above, lowest) = (present & raw::lanemask_gt(), present.trailing_zeros());
    let next = if above == 0 { lowest } else { above.trailing_zeros() };
    let state = if members == u32::MAX { state::IN_WARP } else { state::IN_LANES };
    meet(state, first + next, place, || {
        // SAFETY: 9.7.13.2: the executing thread is in the mask. All threads of the mask are in the same call.
        unsafe { raw::bar_warp_sync(present) }
    });
}

/// Waits until the record of the next thread has this state and place, and then for all threads of the group.
#[inline(always)]
fn meet(state: u32, next: u32, place: &'static Place, wait_for_all: impl Fn()) {
    let (rank, here) = (rank(), low(place) | state);
    store(rank, here);
    let start = raw::globaltimer();
    loop {
        let there = load(next);
        if there == here {
            break;
        }
        let is = there & state::MASK;
        // Two different groups of lanes can overlap. Other groups of one kind are the same group, or have no common thread.
        let elsewhere = is == state && state != state::IN_LANES;
        if elsewhere || is == state::ENDED || raw::globaltimer().saturating_sub(start) > LIMIT {
            report(state, place, next, there);
        }
        raw::nanosleep(100);
    }
    wait_for_all();
    store(rank, low(place) | state::OUTSIDE);
    // No thread looks at a record before it is current.
    wait_for_all();
}

/// 1 if a thread of the grid reports, otherwise 0.
static REPORTS: AtomicU32 = AtomicU32::new(0);

/// Prints where the executing thread waits and what the other thread does, and stops the kernel.
#[cold]
#[inline(never)]
fn report(state: u32, place: &'static Place, other: u32, record: u32) -> ! {
    crate::mark::ends();
    while REPORTS.swap(1, Ordering::Relaxed) != 0 {
        // Another thread prints, and then ends the grid.
        raw::nanosleep(1_000_000);
    }
    let group = group(state);
    let (x, y) = (ntid_x(), ntid_y());
    let (other_x, other_y, other_z) = (other % x, other / x % y, other / (x * y));
    crate::println!(
        "{}:{}:{}: not all threads {group} make this collective call: CTA ({}, {}, {}), thread ({}, {}, {}) waits for \
         thread ({other_x}, {other_y}, {other_z})",
        place.file_as_c_str(),
        place.line(),
        place.column(),
        ctaid_x(),
        ctaid_y(),
        ctaid_z(),
        tid_x(),
        tid_y(),
        tid_z(),
    );
    let (does, low_of_other) = (record & state::MASK, record & !state::MASK);
    let text: &CStr = match does {
        state::OUTSIDE => c"did not come within 5 seconds; its last collective call",
        state::ENDED => c"has ended; its last collective call",
        _ => c"waits in another collective call",
    };
    if low_of_other == 0 {
        crate::println!("thread ({other_x}, {other_y}, {other_z}) {text}: none");
    } else {
        // Constants of one module lie close together, so the distance has 32 bits.
        let distance = low_of_other.wrapping_sub(low(place)).cast_signed();
        let address = core::ptr::from_ref(place).addr().wrapping_add_signed(distance as isize);
        // SAFETY: `meet` wrote the record from a reference to a constant, and exposed the provenance.
        let place = unsafe { &*core::ptr::with_exposed_provenance::<Place>(address) };
        crate::println!(
            "thread ({other_x}, {other_y}, {other_z}) {text}: {}:{}:{}",
            place.file_as_c_str(),
            place.line(),
            place.column(),
        );
    }
    trap()
}

/// Names the group of a call.
fn group(state: u32) -> &'static CStr {
    match state {
        state::IN_CTA => c"of the CTA",
        state::IN_PART => c"of the pipeline's part",
        state::IN_WARP => c"of the warp",
        _ => c"of the group of lanes",
    }
}
