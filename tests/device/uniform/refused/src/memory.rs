//! Memory that is dealt out in a part of the threads that share it.

use ptx::global::{GlobalElementsMut, GlobalMut, GlobalRowsMut, GlobalVectorsMut};
use ptx::group::Cta;

#[ptx::kernel(threads = 128)]
pub fn elements_in_one_cta(cta: Cta, output: GlobalElementsMut<u32>) {
    if cta.grid_rank() == 1 {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_in_two_ways(cta: Cta, output: GlobalElementsMut<u32>) {
    if cta.grid_rank() == 1 {
        output.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    } else {
        output.warp_elements(&cta).for_each(|(_, x)| {
            // wrong
            if let Some(x) = x {
                x.write(2);
            }
        });
    }
}

#[ptx::kernel(threads = 128)]
pub fn elements_of_a_choice(cta: Cta, one: GlobalElementsMut<u32>, other: GlobalElementsMut<u32>) {
    let (first, second) = if cta.grid_rank() == 1 { (one, other) } else { (other, one) };
    first.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
    second.elements(&cta).for_each(|(_, x)| x.write(2));
}

#[ptx::kernel(threads = 128)]
pub fn vectors_in_one_warp(cta: Cta, output: GlobalVectorsMut<u32>) {
    if cta.warp_rank() == 1 {
        output.vectors(&cta).0.for_each(|(_, x)| x.write([1; 4])); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn tiles_in_some_ctas(cta: Cta, output: GlobalMut<u32, 128>) {
    if cta.grid_rank().is_multiple_of(2) {
        let (mut tiles, _) = output.tiles(&cta); // wrong
        while let Some((_, tile)) = tiles.next_tile() {
            tile.write(&cta, |i| i as u32);
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn rows_in_some_ctas(cta: Cta, output: GlobalRowsMut<u32>) {
    if cta.grid_rank() > 3 {
        for (_, row) in output.rows(&cta) {
            // wrong
            row.vectors(&cta).for_each(|(_, x)| x.write([1; 4]));
        }
    }
}

#[ptx::kernel(threads = 128)]
pub fn rows_to_ctas_or_warps(cta: Cta, output: GlobalRowsMut<u32>) {
    if cta.grid_rank() == 1 {
        output.rows(&cta).for_each(|(_, row)| row.vectors(&cta).for_each(|(_, x)| x.write([1; 4]))); // wrong
    } else {
        output.warp_rows(&cta).for_each(|(_, row)| row.for_each(|(_, x)| x.write([2; 4]))); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn a_row_in_one_warp(cta: Cta, output: GlobalRowsMut<u32>) {
    for (_, row) in output.rows(&cta) {
        if cta.warp_rank() == 1 {
            row.vectors(&cta).for_each(|(_, x)| x.write([1; 4])); // wrong
        } else {
            row.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
        }
    }
}

/// Each warp holds another row back.
#[ptx::kernel(threads = 128)]
pub fn rows_that_warps_choose(cta: Cta, output: GlobalRowsMut<u32>) {
    let mut kept = None;
    for (i, row) in output.rows(&cta) {
        if i as u32 == cta.warp_rank() {
            kept = Some(row);
        }
    }
    cta.sync();
    if let Some(row) = kept {
        row.vectors(&cta).for_each(|(_, x)| x.write([1; 4])); // wrong
    }
}
