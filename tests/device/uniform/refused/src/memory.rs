//! Memory that is dealt out in a part of the threads that share it.

use ptx::global::{Global, GlobalElementsMut, GlobalMut, GlobalRowsMut, GlobalVectorsMut};
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

/// The CTAs deal out two matrices, each by the other.
#[ptx::kernel(threads = 128)]
pub fn matrices_in_another_order(cta: Cta, a: GlobalRowsMut<u32>, b: GlobalRowsMut<u32>) {
    let (a, b) = if cta.grid_rank() == 1 { (a, b) } else { (b, a) };
    for (_, b, _) in a.rows_with(&cta, b) {
        // wrong
        b.vectors(&cta).for_each(|(_, x)| x.write([1; 4]));
    }
}

#[ptx::kernel(threads = 128)]
pub fn second_matrix_to_ctas_or_warps(
    cta: Cta,
    a: GlobalRowsMut<u32>,
    b: GlobalRowsMut<u32>,
    output: GlobalRowsMut<u32>,
) {
    if cta.grid_rank() == 1 {
        for (_, row, _) in a.rows_with(&cta, output) {
            // wrong
            row.vectors(&cta).for_each(|(_, x)| x.write([1; 4]));
        }
    } else {
        for (_, row, _) in b.warp_rows_with(&cta, output) {
            // wrong
            row.for_each(|(_, x)| x.write([2; 4]));
        }
    }
}

/// Only the matrix that is dealt out beside differs.
#[ptx::kernel(threads = 128)]
pub fn another_second_matrix(
    cta: Cta,
    a: GlobalRowsMut<u32>,
    b: GlobalRowsMut<u32>,
    output: GlobalRowsMut<u32>,
) {
    let (with, rest) = if cta.grid_rank() == 1 { (a, b) } else { (b, a) };
    output.rows_with(&cta, with).for_each(|(_, row, _)| row.vectors(&cta).for_each(|(_, x)| x.write([1; 4]))); // wrong
    rest.rows(&cta).for_each(|(_, row)| row.vectors(&cta).for_each(|(_, x)| x.write([2; 4])));
}

#[ptx::kernel(threads = 128)]
pub fn second_row_in_two_ways(cta: Cta, also: GlobalRowsMut<u32>, output: GlobalRowsMut<u32>) {
    for (_, row, _) in output.rows_with(&cta, also) {
        if cta.thread_rank() % 2 == 0 {
            row.elements(&cta).for_each(|(_, x)| x.write(1)); // wrong
        } else {
            row.vectors(&cta).for_each(|(_, x)| x.write([2; 4])); // wrong
        }
    }
}

/// The number of a row is equal in the CTA that has the row, and not in the grid.
#[ptx::kernel(threads = 128)]
pub fn dealt_out_by_a_number_of_a_row(
    cta: Cta,
    numbers: Global<u32>,
    output: GlobalRowsMut<u32>,
    more: GlobalRowsMut<u32>,
) {
    let mut more = Some(more);
    for (_, number, _) in output.rows_with(&cta, numbers) {
        if number == 7
            && let Some(more) = more.take()
        {
            more.rows(&cta).for_each(|(_, row)| row.vectors(&cta).for_each(|(_, x)| x.write([1; 4]))); // wrong
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
