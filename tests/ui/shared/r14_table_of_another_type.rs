//! An index is a `usize`, and `get` says what is past the end.

use ptx::shared::FilledTable;

pub fn kernel(table: FilledTable<f32, 64>, i: u32) -> f32 {
    #[cfg(not(fixed))]
    {
        table.get(i)
    }
    #[cfg(fixed)]
    {
        table.get(i as usize).unwrap_or(0.0)
    }
}
