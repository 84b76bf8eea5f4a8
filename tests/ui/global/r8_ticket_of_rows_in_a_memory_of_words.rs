//! A ticket has 64 bits.

use ptx::global::TicketRowsMut;
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(
    cta: &Cta,
    mut rows: TicketRowsMut<f32, 2>,
    #[cfg(not(fixed))] memory: &mut ReduceMemory<u32>,
    #[cfg(fixed)] memory: &mut ReduceMemory<u64>,
) {
    while let Some(_two) = rows.next_rows(cta, memory) {}
}
