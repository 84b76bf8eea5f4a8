//! Memory that is dealt out in several ways, and closures that contain calls although their method runs them as it likes.

use ptx::global::{Global, GlobalElementsMut, GlobalMatrixMut, GlobalMut, GlobalRowsMut, GlobalVectorsMut};
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;
use ptx::shared::{DynamicShared, SharedArray};

ptx::shared_memory! {
    struct Memory { sums: ReduceMemory<u32>, tile: SharedArray<u32, 256> }
}

#[ptx::kernel(threads = 128)]
pub fn elements_by_the_input(cta: Cta, input: Global<u32>, output: GlobalElementsMut<u32>) {
    if input.get(cta.grid_rank() as usize) == Some(1) {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_by_the_threads(cta: Cta, output: GlobalElementsMut<u32>) {
    if cta.thread_rank() > 31 {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_by_a_sum_of_the_cta(cta: Cta, #[shared] smem: Memory, output: GlobalElementsMut<u32>) {
    let mut sums = smem.sums;
    if sums.reduce_add(&cta, cta.grid_rank()) > 200 {
        output.elements(&cta).for_each(|(_, x)| x.write(1));
    } else {
        output.warp_elements(&cta).for_each(|(_, x)| _ = x.map(|x| x.write(2))); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_of_an_option(cta: Cta, output: GlobalElementsMut<u32>) {
    let mut output = Some(output);
    if cta.grid_rank() == 3 {
        output = None;
    }
    if let Some(output) = output {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
}

/// Each CTA has another order of the two slices.
#[ptx::kernel(threads = 128)]
pub fn elements_of_an_array(cta: Cta, one: GlobalElementsMut<u32>, other: GlobalElementsMut<u32>) {
    let mut all = [Some(one), Some(other)];
    if let Some(output) = all[(cta.grid_rank() % 2) as usize].take() {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
    if let Some(output) = all[0].take() {
        output.warp_elements(&cta).for_each(|(_, x)| _ = x.map(|x| x.write(2)));
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_that_are_swapped(
    cta: Cta,
    mut one: GlobalElementsMut<u32>,
    mut other: GlobalElementsMut<u32>,
) {
    if cta.grid_rank() == 2 {
        core::mem::swap(&mut one, &mut other);
    }
    one.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    other.warp_elements(&cta).for_each(|(_, x)| _ = x.map(|x| x.write(2)));
}

fn write_all(cta: &Cta, output: GlobalElementsMut<u32>, by_warp: bool) {
    match by_warp {
        false => output.elements(cta).for_each(|(_, x)| x.write(1)), // wrong
        true => output.warp_elements(cta).for_each(|(_, x)| _ = x.map(|x| x.write(2))),
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_in_ways_of_a_helper(cta: Cta, output: GlobalElementsMut<u32>) {
    write_all(&cta, output, cta.grid_rank() > 1);
}

/// The instances of a generic function differ, as their types do.
#[ptx::kernel(threads = 128)]
pub fn elements_in_two_instances(cta: Cta, output: GlobalElementsMut<u32>) {
    fn write<T: Fn(u32) -> u32>(cta: &Cta, output: GlobalElementsMut<u32>, f: T) {
        output.elements(cta).for_each(|(i, x)| x.write(f(i as u32))); // wrong
    }
    if cta.grid_rank() > 1 { write(&cta, output, |i| i) } else { write(&cta, output, |i| i + 1) }
}

#[ptx::kernel(threads = 128)]
pub fn vectors_in_some_ctas(cta: Cta, output: GlobalVectorsMut<u32>, n: u32) {
    if cta.grid_rank() < n {
        output.vectors(&cta).0.for_each(|(_, x)| x.write([1; 4])); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn vectors_of_a_choice(cta: Cta, one: GlobalVectorsMut<u32>, other: GlobalVectorsMut<u32>) {
    let mine = if cta.warp_rank() == 1 { one } else { other };
    mine.vectors(&cta).0.for_each(|(_, x)| x.write([1; 4])); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn tiles_by_a_trap_in_one_cta(cta: Cta, output: GlobalMut<u32, 128>, n: u32) {
    if cta.grid_rank() == n {
        let (mut tiles, _) = output.tiles(&cta); // wrong
        if let Some((_, tile)) = tiles.next_tile() {
            tile.write(&cta, |i| i as u32);
        }
        ptx::trap();
    }
}

#[ptx::kernel(threads = 128)]
pub fn rest_in_one_cta(cta: Cta, output: GlobalMut<u32, 128>) {
    let (_, rest) = output.tiles(&cta);
    if cta.grid_rank() == 0 {
        rest.update(&cta, |_, x| x + 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn rest_in_two_ways(cta: Cta, output: GlobalMut<u32, 128>) {
    let (_, rest) = output.tiles(&cta);
    if cta.grid_rank() == 0 {
        rest.update(&cta, |_, x| x + 1); // wrong
    } else if let Some(rest) = rest.tile(&cta) {
        // wrong
        rest.elements(&cta).for_each(|(_, x)| x.write(1));
    }
}

#[ptx::kernel(threads = 128)]
pub fn rows_in_one_warp(cta: Cta, output: GlobalRowsMut<u32>) {
    if cta.warp_rank() == 2 {
        output.rows(&cta).for_each(|_| ()); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn rows_by_a_trait_object(cta: Cta, output: GlobalRowsMut<u32>) {
    let write: &dyn Fn(&Cta, GlobalRowsMut<u32>) = if cta.grid_rank() == 1 {
        &|cta, output| output.rows(cta).for_each(|(_, row)| row.elements(cta).for_each(|(_, x)| x.write(1)))
    } else {
        &|cta, output| {
            output.rows(cta).for_each(|(_, row)| row.vectors(cta).for_each(|(_, x)| x.write([2; 4])))
        }
    };
    write(&cta, output); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn row_in_two_ways(cta: Cta, output: GlobalRowsMut<u32>) {
    for (_, row) in output.rows(&cta) {
        if cta.thread_rank() % 2 == 0 {
            row.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
        } else {
            row.vectors(&cta).for_each(|(_, x)| x.write([2; 4])); // wrong
        }
    }
}

/// Each thread keeps the row of another round.
#[ptx::kernel(threads = 128)]
pub fn row_of_each_thread(cta: Cta, output: GlobalRowsMut<u32>) {
    let mut rows = output.rows(&cta);
    let mut mine = None;
    for _ in 0..=cta.thread_rank() % 2 {
        mine = rows.next();
    }
    if let Some((_, row)) = mine {
        row.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
}

#[ptx::kernel(threads = 128, any_grid)]
pub fn matrix_tile_in_one_row_of_ctas(cta: Cta, output: GlobalMatrixMut<f32, 32, 32>) {
    if cta.grid_position()[1] == 0
        && let Some((_, tile)) = output.tile(&cta)
    // wrong
    {
        tile.fragment::<4, 8>(&cta).write([0, 0], [1.0; 4]);
    }
}

#[ptx::kernel(threads = 128, any_grid)]
pub fn fragments_of_two_widths(cta: Cta, output: GlobalMatrixMut<f32, 32, 32>) {
    let Some((_, tile)) = output.tile(&cta) else { return };
    if cta.warp_rank() == 0 {
        tile.fragment::<4, 8>(&cta).write([0, 0], [1.0; 4]); // wrong
    } else {
        tile.fragment::<2, 8>(&cta).write([0, 0], [2.0; 4]); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn dynamic_memory_in_some_threads(cta: Cta, #[dynamic] memory: DynamicShared) {
    if cta.thread_rank() > 4 {
        let _ = memory.take::<SharedArray<u32, 64>>(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn dynamic_memory_of_two_types(cta: Cta, #[dynamic] memory: DynamicShared) {
    if cta.warp_rank() == 0 {
        let _ = memory.take::<SharedArray<u32, 64>>(); // wrong
    } else {
        let _ = memory.take::<SharedArray<u64, 64>>(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn dynamic_memory_behind_other_memory(cta: Cta, #[dynamic] memory: DynamicShared) {
    let (_, rest) = memory.take::<SharedArray<u32, 64>>();
    let rest = if cta.warp_rank() == 1 { rest.take::<SharedArray<u32, 64>>().1 } else { rest }; // wrong
    let _ = rest.take::<SharedArray<u32, 32>>();
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_write(cta: Cta, #[shared] smem: Memory) {
    cta.finish(smem.tile, |cta, tile| {
        tile.write(cta, |i| {
            if cta.thread_rank() as usize == i {
                cta.sync(); // wrong
            }
            0
        })
        .end()
    });
}

/// The warps beyond the first get no element.
#[ptx::kernel(threads = 96)]
pub fn call_in_a_write_of_a_tile(cta: Cta, output: GlobalMut<u32, 128>) {
    let (mut tiles, _) = output.tiles(&cta);
    while let Some((_, tile)) = tiles.next_tile() {
        tile.write(&cta, |_| cta.sync_count(true)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_loop_over_elements(cta: Cta, output: GlobalElementsMut<u32>) {
    for (_, x) in output.elements(&cta) {
        x.write(cta.sync_count(true)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_loop_over_vectors(cta: Cta, output: GlobalVectorsMut<u32>) {
    for (_, x) in output.vectors(&cta).0 {
        x.write([cta.warp().reduce_add(1); 4]); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cta_call_in_a_loop_over_elements_of_warps(cta: Cta, output: GlobalElementsMut<u32>) {
    for (_, x) in output.warp_elements(&cta) {
        let count = cta.sync_count(true); // wrong
        if let Some(x) = x {
            x.write(count);
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_loop_over_the_input(cta: Cta, input: Global<u32>) {
    input.for_each::<4>(cta.thread_rank(), 128, |_| cta.sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_loop_over_pairs(cta: Cta, input: Global<u32>) {
    let first = cta.thread_rank() as usize;
    input.for_each_pair::<u32, 2, 128>(input, first, |_, _| cta.warp().sync()); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn call_in_an_update(cta: Cta, output: GlobalMut<u32, 128>) {
    let (_, rest) = output.tiles(&cta);
    rest.update(&cta, |_, x| x + cta.sync_count(true)); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_scan(cta: Cta, #[shared] smem: Memory) {
    let mut sums = smem.sums;
    let add = |x: u32, y: u32| {
        if x > y {
            cta.warp().sync(); // wrong
        }
        x + y
    };
    sums.inclusive_scan(&cta, cta.thread_rank(), add);
}

#[ptx::kernel(threads = 128)]
pub fn call_in_a_reduction_of_a_warp(cta: Cta) {
    let warp = cta.warp();
    warp.inclusive_scan(cta.thread_rank(), |x, y| if warp.any(x > 3) { x } else { y }); // wrong
}

#[ptx::kernel(threads = 128)]
pub fn call_in_the_elected(cta: Cta) {
    let warp = cta.warp();
    warp.invoke_elected(|| warp.ballot(true)); // wrong
}
