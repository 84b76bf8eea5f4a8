//! A counter hands out the tiles of one slice.

use ptx::global::{GlobalMut, GlobalTickets};
use ptx::group::Cta;

pub fn kernel(
    cta: &Cta,
    x: GlobalMut<f32, 64>,
    y: GlobalMut<f32, 64>,
    for_x: GlobalTickets,
    #[cfg(fixed)] for_y: GlobalTickets,
) {
    let _tiles_of_x = x.tiles_by_ticket(cta, for_x);
    #[cfg(not(fixed))]
    let _tiles_of_y = y.tiles_by_ticket(cta, for_x);
    #[cfg(fixed)]
    let _tiles_of_y = y.tiles_by_ticket(cta, for_y);
}
