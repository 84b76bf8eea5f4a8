//! Groups of CTAs of a cluster.

use core::marker::PhantomData;

use super::{Brand, Cluster};
use crate::mask::CtaMask;
use crate::raw;

/// `CTAS` CTAs of the cluster among which something is shared: all of it, a row or a column. Each CTA is in one group
/// of the kind, the executing CTA in this one. Groups of one kind are equal arguments of a cluster call.
///
/// ```
/// # use ptx::cluster::{Cluster, Group};
/// # fn body(cluster: &Cluster<'_>) {
/// // Of a cluster of 2 × 2 CTAs:
/// let row: Option<Group<2>> = cluster.row();
/// let column: Option<Group<2>> = cluster.column();
/// let whole: Option<Group<4>> = cluster.whole();
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Group<'c, const CTAS: u32> {
    /// The rank in the cluster of the group's first CTA, and the distance to the next.
    first: u32,
    stride: u32,
    rank: u32,
    _scope: Brand<'c>,
}

/// What a group can be of. Called by what the user calls, so that the error shows where.
const fn members<const CTAS: u32>() {
    assert!(
        CTAS > 0 && CTAS <= 16,
        "a group has 1 to 16 CTAs: `.multicast::cluster` has a 16-bit mask (PTX ISA 9.7.9.25.4.1)"
    );
}

impl<'c> Cluster<'c> {
    /// All CTAs of the cluster, or `None` where they are not `CTAS`.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// if let Some(pair) = cluster.whole::<2>() {
    ///     let is_first = pair.cta_rank() == 0;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn whole<const CTAS: u32>(&self) -> Option<Group<'c, CTAS>> {
        const { members::<CTAS>() };
        Group::new(self.cta_count(), 0, 1, self.cta_rank())
    }

    /// The CTAs of the cluster that differ from this one in x alone, or `None` where they are not `CTAS`.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// if let Some(row) = cluster.row::<2>() {
    ///     let [x, ..] = cluster.position(); // `row.cta_rank()`
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn row<const CTAS: u32>(&self) -> Option<Group<'c, CTAS>> {
        const { members::<CTAS>() };
        // x is the fastest in the rank, and CTAS is a constant. `%cluster_ctaid` is a division at run time.
        let rank = self.cta_rank();
        let x = rank % CTAS;
        Group::new(raw::cluster_nctaid_x(), rank - x, 1, x)
    }

    /// The CTAs of the cluster that differ from this one in y alone, or `None` where they are not `CTAS`.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// if let Some(column) = cluster.column::<4>() {
    ///     let [_, y, _] = cluster.position(); // `column.cta_rank()`
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn column<const CTAS: u32>(&self) -> Option<Group<'c, CTAS>> {
        const { members::<CTAS>() };
        // As in `row`; the number of columns is a constant where the kernel states the cluster's shape.
        let (rank, stride) = (self.cta_rank(), raw::cluster_nctaid_x());
        let y = rank.checked_div(stride).unwrap_or(0) % CTAS;
        Group::new(raw::cluster_nctaid_y(), rank - y * stride, stride, y)
    }
}

impl<'c, const CTAS: u32> Group<'c, CTAS> {
    #[inline(always)]
    fn new(size: u32, first: u32, stride: u32, rank: u32) -> Option<Self> {
        (size == CTAS).then_some(Group { first, stride, rank, _scope: PhantomData })
    }

    /// The CTA's rank in the group, less than `CTAS`.
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, Group};
    /// # fn body(row: Group<'_, 4>, tile: usize) {
    /// let part = 4 * tile + row.cta_rank() as usize; // each CTA of the row has a part of a tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta_rank(&self) -> u32 {
        self.rank
    }

    /// The rank in the cluster of the group's CTA of rank `rank`, which is less than `CTAS`.
    #[inline(always)]
    pub(crate) fn cta(&self, rank: u32) -> u32 {
        self.first + rank * self.stride
    }

    /// As a multicast takes them.
    #[inline(always)]
    pub(crate) fn mask(&self) -> CtaMask {
        let mut bits = 0_u32;
        let mut rank = 0;
        while rank < CTAS {
            bits |= 1 << self.cta(rank);
            rank += 1;
        }
        CtaMask::from_bits_retain(bits as u16)
    }
}
