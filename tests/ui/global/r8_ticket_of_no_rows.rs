//! A ticket stands for one row or more.

use ptx::global::{GlobalRowsMut, GlobalTickets};
use ptx::group::Cta;

pub fn kernel(cta: &Cta, x: GlobalRowsMut<f32>, tickets: GlobalTickets) {
    #[cfg(not(fixed))]
    let _rows = x.rows_by_ticket::<0>(cta, tickets);
    #[cfg(fixed)]
    let _rows = x.rows_by_ticket::<1>(cta, tickets);
}
