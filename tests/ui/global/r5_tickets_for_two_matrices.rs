//! A counter hands out the rows of one matrix.

use ptx::global::{GlobalRowsMut, GlobalTickets};
use ptx::group::Cta;

pub fn kernel(
    cta: &Cta,
    x: GlobalRowsMut<f32>,
    y: GlobalRowsMut<f32>,
    for_x: GlobalTickets,
    #[cfg(fixed)] for_y: GlobalTickets,
) {
    let _rows_of_x = x.rows_by_ticket::<2>(cta, for_x);
    #[cfg(not(fixed))]
    let _rows_of_y = y.rows_by_ticket::<2>(cta, for_x);
    #[cfg(fixed)]
    let _rows_of_y = y.rows_by_ticket::<2>(cta, for_y);
}
