//! Tables in parameters, and local arrays.

use ptx::group::Cta;

#[derive(Clone, Copy, ptx::Plain)]
#[repr(C)]
pub struct Tables {
    few: [u32; 8],
    many: [u32; 64],
}

#[ptx::kernel(threads = 64)]
pub fn a_table_at_an_index(cta: Cta, tables: Tables, n: u32) {
    for i in 0..n {
        if tables.many[(i % 64) as usize] > 0 {
            cta.sync();
        }
    }
}

#[ptx::kernel(threads = 64)]
pub fn a_table_of_each_cta(cta: Cta, tables: Tables) {
    if tables.many[(cta.grid_rank() % 64) as usize] > 0 {
        cta.sync();
    }
}

#[ptx::kernel(threads = 64)]
pub fn each_of_a_table(cta: Cta, tables: Tables) {
    for x in tables.many {
        if x > 0 {
            cta.sync();
        }
    }
}

#[ptx::kernel(threads = 64)]
pub fn each_of_a_borrowed_table(cta: Cta, tables: Tables) {
    for x in &tables.many {
        if *x > 0 {
            cta.sync();
        }
    }
}

#[ptx::kernel(threads = 64)]
pub fn a_slice_of_a_table(cta: Cta, tables: Tables, n: u32) {
    let some = &tables.many[..(n as usize).min(64)];
    if some.iter().sum::<u32>() > 3 {
        cta.sync();
    }
}

#[ptx::kernel(threads = 64)]
pub fn a_table_that_equals_another(cta: Cta, tables: Tables) {
    if tables.few == [1; 8] {
        cta.sync();
    }
}
