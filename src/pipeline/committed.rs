//! Stages whose tiles one thread multiplies, and gives back by `tcgen05.commit`.

use super::layout::Layout;
use super::operands::OperandTiles;
use super::parts::Consumer;
use super::warpgroups::StageOperands;
use crate::group::Thread;
use crate::qualifier::{cta_group, multicast, space};
use crate::raw;

impl<'p, S: OperandTiles, const STAGES: usize> Consumer<'p, S, STAGES> {
    /// Waits until the next stage is full, whose tiles are then operands of products
    /// ([`Products::mma`](crate::tcgen05::Products::mma)), and gives back the consumer, which can wait for the stage after it meanwhile.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity;`
    #[inline(always)]
    pub fn operands_of_one(self, _thread: &Thread<'p>) -> (StageOperands<'p, S, STAGES>, Self) {
        self.into_operands_of_one()
    }
}

impl<'p, S: OperandTiles, const STAGES: usize> StageOperands<'p, S, STAGES> {
    /// Gives the stage back to the producer when all products that the thread has started have read their operands: the call does not
    /// wait for them.
    ///
    /// Collective in the group.
    ///
    /// PTX: `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [empty];` (9.7.16.12.1, sm_100f, sm_110f)
    #[inline(always)]
    #[doc(alias("umma_arrive", "cutlass::arch::umma_arrive"))]
    pub fn commit(self, _thread: &Thread<'p>) {
        let StageOperands { base, stage, signals: (), .. } = self;
        let empty = Layout::<S, STAGES, ()>::empty(base, stage);
        // SAFETY: the mbarrier of the stage is valid during the run, and this is its one arrival in the phase: this call consumes the
        // handle, and the next one follows the next load of the stage. The products that read the stage come before in the program:
        // their operands borrow it.
        unsafe { raw::tcgen05_commit(cta_group::One, space::SharedCluster, empty, multicast::None) };
    }
}
