//! The threads of the CTA draw a ticket together.

use ptx::global::TicketTilesMut;
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(cta: &Cta, mut tiles: TicketTilesMut<f32, 64>, memory: &mut ReduceMemory<u64>) {
    #[cfg(not(fixed))]
    tiles.draw(&cta.warp());
    #[cfg(fixed)]
    tiles.draw(cta);
    while let Some((_index, _tile)) = tiles.next_tile(cta, memory) {}
}
