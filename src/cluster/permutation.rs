//! Permutations of a cluster's CTAs: which CTA sends to which.

use crate::group::Brand;
use core::marker::PhantomData;

use super::Cluster;

/// A permutation of the cluster's CTAs: each CTA sends to one other CTA and receives from one. No CTA sends to itself.
///
/// A permutation can be used any number of times in its scope. The counterpart in CUDA is the rank that a kernel passes to
/// `cluster.map_shared_rank()`.
#[derive(Clone, Copy, Debug)]
pub struct Permutation<'c> {
    pub(super) to: u32,
    pub(super) from: u32,
    /// Names the permutation among those of the cluster: every CTA holds the same.
    pub(super) by: u32,
    _scope: Brand<'c>,
}

impl<'c> Cluster<'c> {
    /// Makes the [`Permutation`] that rotates the ranks: each CTA sends to the CTA whose rank is greater by `by`; the last `by`
    /// CTAs send to the first ones. `None` unless `by` is in `1 .. cta_count`, so a cluster of one CTA has no rotation.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, mine: u32) {
    /// let mut max = mine;
    /// for permutation in (1..cluster.cta_count()).filter_map(|by| cluster.rotation(by)) {
    ///     let received = inbox.store(cluster, permutation, |_| mine).receive(cluster.cta());
    ///     max = max.max(received.get(0).unwrap_or(0)); // from each other CTA in turn
    ///     inbox = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn rotation(&self, by: u32) -> Option<Permutation<'c>> {
        meet!(self; by);
        let size = self.cta_count();
        if by == 0 || by >= size {
            return None;
        }
        let modulo = |rank| if rank >= size { rank - size } else { rank };
        let (to, from) = (modulo(self.cta_rank() + by), modulo(self.cta_rank() + size - by));
        Some(Permutation { to, from, by, _scope: PhantomData })
    }

    /// Makes the [`Permutation`] that pairs the CTAs, as a butterfly does: each CTA sends to the CTA of rank `rank ^ mask` and
    /// receives from it. `None` unless the number of CTAs is a power of two and `mask` is in `1 .. cta_count`.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, of_this_cta: u32) {
    /// let (mut sum, mut mask) = (of_this_cta, 1);
    /// while let Some(permutation) = cluster.exchange(mask) {
    ///     let received = inbox.store(cluster, permutation, |_| sum).receive(cluster.cta());
    ///     (sum, mask) = (sum + received.get(0).unwrap_or(0), 2 * mask); // over 2, 4, … CTAs
    ///     inbox = received.release().sync(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn exchange(&self, mask: u32) -> Option<Permutation<'c>> {
        meet!(self; mask);
        let size = self.cta_count();
        if mask == 0 || mask >= size || !size.is_power_of_two() {
            return None;
        }
        let other = self.cta_rank() ^ mask;
        // A cluster has fewer than 2^31 CTAs, so no rotation has this number.
        Some(Permutation { to: other, from: other, by: 1 << 31 | mask, _scope: PhantomData })
    }
}

handles! { Copy: Permutation }
