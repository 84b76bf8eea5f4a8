//! A ticket has 64 bits.

use ptx::global::TicketTilesMut;
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(
    cta: &Cta,
    mut tiles: TicketTilesMut<f32, 64>,
    #[cfg(not(fixed))] memory: &mut ReduceMemory<u32>,
    #[cfg(fixed)] memory: &mut ReduceMemory<u64>,
) {
    while let Some((_index, _tile)) = tiles.next_tile(cta, memory) {}
}
