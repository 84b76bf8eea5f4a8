//! Peers: CTAs of a cluster that share a tile or a barrier (`ctaMask`).

use crate::group::Brand;
use core::marker::PhantomData;

use super::Cluster;
use crate::mask::CtaMask;
use crate::raw;

/// A set of `CTAS` CTAs of the cluster that share a multicast tile or a barrier: the whole cluster, a row or a column.
///
/// The whole, the rows and the columns each divide the cluster; this value is the executing CTA's part, with the CTA itself. As
/// arguments of a cluster call, parts of one division count as equal.
///
/// ```
/// # use ptx::cluster::{Cluster, Peers};
/// # fn body(cluster: &Cluster<'_>) {
/// // Of a cluster of 2 × 2 CTAs:
/// let row: Option<Peers<2>> = cluster.row();
/// let column: Option<Peers<2>> = cluster.column();
/// let whole: Option<Peers<4>> = cluster.whole();
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Peers<'c, const CTAS: u32> {
    /// The rank in the cluster of the first peer.
    first: u32,
    rank: u32,
    /// The distance in ranks between neighbors. All CTAs of the cluster have the same, and other values of the fields above: in
    /// unoptimized code, two adjacent fields pass as a word of 64 bits, in which the proof of uniform control flow loses what is equal.
    stride: u32,
    _scope: Brand<'c>,
}

/// Asserts the number of peers. Called by each public function, so that the error names the caller's line.
const fn members<const CTAS: u32>() {
    assert!(
        CTAS > 0 && CTAS <= 16,
        "a CTA has 1 to 16 peers, itself among them: `.multicast::cluster` has a 16-bit mask (PTX ISA 9.7.9.25.4.1)"
    );
}

impl<'c> Cluster<'c> {
    /// Returns all CTAs of the cluster as [`Peers`], for a multicast or a barrier; `None` if the cluster does not have `CTAS`
    /// CTAs.
    ///
    /// Collective in the cluster.
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cute::create_tma_multicast_mask")]
    pub fn whole<const CTAS: u32>(&self) -> Option<Peers<'c, CTAS>> {
        meet!(self);
        const { members::<CTAS>() };
        Peers::new(self.cta_count(), 0, 1, self.cta_rank())
    }

    /// Returns the executing CTA's row as [`Peers`]: the CTAs of the cluster with the same y and z. `None` if the row does not
    /// have `CTAS` CTAs.
    ///
    /// Collective in the cluster.
    #[inline(always)]
    #[track_caller]
    pub fn row<const CTAS: u32>(&self) -> Option<Peers<'c, CTAS>> {
        meet!(self);
        const { members::<CTAS>() };
        // The rank counts x first, and `CTAS` is a constant, so the remainder is cheap. `%cluster_ctaid` would be a division at
        // run time.
        let rank = self.cta_rank();
        let x = rank % CTAS;
        Peers::new(raw::cluster_nctaid_x(), rank - x, 1, x)
    }

    /// Returns the executing CTA's column as [`Peers`]: the CTAs of the cluster with the same x and z. `None` if the column
    /// does not have `CTAS` CTAs.
    ///
    /// Collective in the cluster.
    #[inline(always)]
    #[track_caller]
    pub fn column<const CTAS: u32>(&self) -> Option<Peers<'c, CTAS>> {
        meet!(self);
        const { members::<CTAS>() };
        // As in `row`. The number of columns is a constant if the kernel states the cluster's shape.
        let (rank, stride) = (self.cta_rank(), raw::cluster_nctaid_x());
        let y = rank.checked_div(stride).unwrap_or(0) % CTAS;
        Peers::new(raw::cluster_nctaid_y(), rank - y * stride, stride, y)
    }
}

impl<'c, const CTAS: u32> Peers<'c, CTAS> {
    #[inline(always)]
    fn new(size: u32, first: u32, stride: u32, rank: u32) -> Option<Self> {
        (size == CTAS).then_some(Peers { first, rank, stride, _scope: PhantomData })
    }

    /// Returns the executing CTA's rank among its peers (the cluster, its row or its column), below `CTAS`.
    #[inline(always)]
    pub fn cta_rank(&self) -> u32 {
        self.rank
    }

    /// The distance between the ranks of two peers. Every CTA of the cluster has the same, or else their masks would overlap.
    #[inline(always)]
    pub(crate) fn stride(&self) -> u32 {
        self.stride
    }

    /// The rank in the cluster of the peer `rank`, which is below `CTAS`.
    #[inline(always)]
    pub(crate) fn cta(&self, rank: u32) -> u32 {
        self.first + rank * self.stride
    }

    /// The peers as the `ctaMask` of a multicast: one bit per CTA.
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
