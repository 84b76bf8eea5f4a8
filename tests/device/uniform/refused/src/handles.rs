//! Handles that differ between the threads which hold them.

use core::mem::swap;

use ptx::bulk;
use ptx::global::{Global, GlobalMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::reduce::ReduceMemory;
use ptx::shared::SharedArray;

ptx::shared_memory! {
    struct Two { one: SharedArray<u32, 64>, other: SharedArray<u32, 64> }
}
ptx::shared_memory! {
    struct Sums { one: ReduceMemory<u32>, other: ReduceMemory<u32> }
}
ptx::shared_memory! {
    struct Bars { one: Mbarrier<Uninit>, other: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Load { one: SharedArray<u32, 64>, other: SharedArray<u32, 64>, bar: Mbarrier<Uninit> }
}

#[ptx::kernel(threads = 128)]
pub fn sums_that_are_swapped(cta: Cta, #[shared] smem: Sums) {
    let (mut one, mut other) = (smem.one, smem.other);
    if cta.thread_rank() < 9 {
        swap(&mut one, &mut other);
    }
    one.reduce_add(&cta, 1); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn sum_of_a_choice(cta: Cta, #[shared] smem: Sums) {
    let mut chosen = if cta.warp_rank() == 1 { smem.one } else { smem.other };
    if chosen.broadcast(&cta, 1) == 2 {
        // wrong
        cta.sync();
    }
}

#[ptx::kernel(threads = 128)]
pub fn sum_of_a_reference(cta: Cta, #[shared] smem: Sums) {
    let (mut one, mut other) = (smem.one, smem.other);
    let chosen = if cta.thread_rank() == 1 { &mut one } else { &mut other };
    chosen.reduce_max(&cta, 1); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn sum_of_an_array(cta: Cta, #[shared] smem: Sums) {
    let mut all = [smem.one, smem.other];
    all[(cta.thread_rank() % 2) as usize].reduce_add(&cta, 1); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn tiles_that_are_swapped(cta: Cta, #[shared] smem: Two) {
    cta.finish((smem.one, smem.other), |cta, (mut one, mut other)| {
        if cta.thread_rank() < 9 {
            swap(&mut one, &mut other);
        }
        let one = one.write(cta, |i| i as u32).publish().sync(cta); // wrong
        (one.end(), other.end())
    });
}

#[ptx::kernel(threads = 128)]
pub fn tile_of_a_choice_is_loaded(cta: Cta, #[shared] smem: Load, input: Global<u32>) {
    let Some(from) = input.tiles::<64>().0.get(0) else { return };
    cta.finish((smem.one, smem.other, smem.bar), |cta, (one, other, bar)| {
        let (first, second) = if cta.thread_rank() == 0 { (one, other) } else { (other, one) };
        let (_, first, _) = bulk::load(cta, bar, first, from).wait(cta); // wrong
        (first.end(), second.end(), ())
    });
}

#[ptx::kernel(threads = 128)]
pub fn mbarriers_that_are_swapped(cta: Cta, #[shared] smem: Bars) {
    cta.finish((smem.one, smem.other), |cta, (mut one, mut other)| {
        if cta.warp_rank() == 2 {
            swap(&mut one, &mut other);
        }
        one.arrive(cta).wait(cta); // wrong
        ((), ())
    });
}

#[ptx::kernel(threads = 128)]
pub fn memory_that_is_released_in_some_threads(cta: Cta, #[shared] smem: Two) {
    cta.finish((smem.one, smem.other), |cta, (one, other)| {
        let one = one.write(cta, |i| i as u32).publish().sync(cta);
        let other = other.write(cta, |i| i as u32).publish().sync(cta);
        let (first, second) = if cta.thread_rank() % 2 == 0 { (one, other) } else { (other, one) };
        let first = first.release().sync(cta).write(cta, |_| 1); // wrong
        (first.end(), second.end())
    });
}

/// Some threads take a tile more than the others.
#[ptx::kernel(threads = 128)]
pub fn tile_that_some_threads_take(cta: Cta, output: GlobalMut<u32, 128>) {
    let (mut tiles, _) = output.tiles(&cta);
    if cta.thread_rank() > 4 {
        tiles.next_tile();
    }
    while let Some((_, tile)) = tiles.next_tile() {
        tile.write(&cta, |i| i as u32); // wrong
    }
}

/// The leader stores into the tile that the other threads write. No condition but those of the traps differs.
#[ptx::kernel(threads = 128)]
pub fn tile_that_the_leader_skips(cta: Cta, #[shared] smem: Two, output: GlobalMut<u32, 64>) {
    let (mut tiles, _) = output.tiles(&cta);
    if cta.is_leader() {
        tiles.next_tile();
    }
    let (Some((_, first)), Some((_, second))) = (tiles.next_tile(), tiles.next_tile()) else { ptx::trap() };
    cta.finish(smem.one, |cta, one| {
        let one = one.write(cta, |i| i as u32).to_async().sync(cta);
        second.write(cta, |_| 1); // wrong
        bulk::store(cta, one, first).commit(cta).wait_read(cta).end()
    });
}

/// The leader's part takes a tile, and the other threads use what is left.
#[ptx::kernel(threads = 128)]
pub fn tile_that_a_part_takes(mut cta: Cta, output: GlobalMut<u32, 128>) {
    let (mut tiles, _) = output.tiles(&cta);
    cta.invoke_one((), |_, ()| _ = tiles.next_tile());
    while let Some((_, tile)) = tiles.next_tile() {
        tile.write(&cta, |i| i as u32); // wrong
    }
}
