//! Ways between CTAs.

use core::marker::PhantomData;

use super::{Brand, Cluster};

/// A way for each CTA of the cluster to another one, such that each sends to one and receives from one.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Inbox, Permutation};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
/// let next: Option<Permutation> = cluster.rotation(1);
/// if let Some(next) = next {
///     let inbox = inbox.store(cluster, next, |_| 1).receive(cluster.cta()).release(cluster);
///     let _sent = inbox.store(cluster, next, |_| 2).receive(cluster.cta()); // the same way again
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Permutation<'c> {
    pub(super) to: u32,
    pub(super) from: u32,
    _scope: Brand<'c>,
}

impl<'c> Cluster<'c> {
    /// From each CTA to the one whose rank is greater by `by`, and from the last ones on to the first. `None` unless `by` is
    /// in `1 .. size`: a cluster of one CTA has no other.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, mine: u32) {
    /// let mut max = mine;
    /// for permutation in (1..cluster.cta_count()).filter_map(|by| cluster.rotation(by)) {
    ///     let received = inbox.store(cluster, permutation, |_| mine).receive(cluster.cta());
    ///     max = max.max(received.get(0).unwrap_or(0)); // of each other CTA in turn
    ///     inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rotation(&self, by: u32) -> Option<Permutation<'c>> {
        let size = self.cta_count();
        if by == 0 || by >= size {
            return None;
        }
        let modulo = |rank| if rank >= size { rank - size } else { rank };
        let (to, from) = (modulo(self.cta_rank() + by), modulo(self.cta_rank() + size - by));
        Some(Permutation { to, from, _scope: PhantomData })
    }

    /// Between the CTAs whose ranks differ by the bits of `mask`. `None` unless the cluster's size is a power of two and
    /// `mask` is in `1 .. size`.
    ///
    /// Collective in the cluster.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, of_this_cta: u32) {
    /// let (mut sum, mut mask) = (of_this_cta, 1);
    /// while let Some(permutation) = cluster.exchange(mask) {
    ///     let received = inbox.store(cluster, permutation, |_| sum).receive(cluster.cta());
    ///     (sum, mask) = (sum + received.get(0).unwrap_or(0), 2 * mask); // of 2, 4, … CTAs
    ///     inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn exchange(&self, mask: u32) -> Option<Permutation<'c>> {
        let size = self.cta_count();
        if mask == 0 || mask >= size || !size.is_power_of_two() {
            return None;
        }
        let other = self.cta_rank() ^ mask;
        Some(Permutation { to: other, from: other, _scope: PhantomData })
    }
}

static_assertions::assert_not_impl_any!(Permutation<'static>: Send, Sync);
