//! The threads of the CTA draw a ticket together.

use ptx::global::TicketRowsMut;
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

pub fn kernel(cta: &Cta, mut rows: TicketRowsMut<f32, 2>, memory: &mut ReduceMemory<u64>) {
    #[cfg(not(fixed))]
    rows.draw(&cta.warp());
    #[cfg(fixed)]
    rows.draw(cta);
    while let Some(_two) = rows.next_rows(cta, memory) {}
}
