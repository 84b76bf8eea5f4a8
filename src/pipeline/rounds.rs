//! The rounds of the consumers that hold handles from one round to the next.

use super::parts::{Consumer, FullStage};
use super::stage::{Sharing, StageTiles};
use crate::group::Warps;

/// The rounds of the consumers in [`Pipeline::run_tiles_with`](super::Pipeline::run_tiles_with): one for each tile that the
/// producer loads. [`run`](Rounds::run) makes them all.
#[must_use = "the consumers make as many rounds as the producer: call `.run(warps, held, |tile, held| …)`"]
#[derive(Debug)]
pub struct Rounds<'p, S, const STAGES: usize, G, Tiles> {
    pub(super) consumer: Consumer<'p, S, STAGES, G>,
    pub(super) tiles: Tiles,
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing, Tiles: Iterator> Rounds<'p, S, STAGES, G, Tiles> {
    /// Makes all rounds: waits for each full stage ([`Consumer::wait`]), and calls `each` on the stage and on what the round before
    /// has returned, in the first round `held`. `each` releases the stage ([`FullStage::release`]) and returns the consumer and
    /// what the next round gets: handles in any state, also on the way to the next ([`AfterSync`](crate::group::AfterSync)).
    ///
    /// Collective in the warp.
    ///
    /// PTX: as [`Consumer::wait`].
    ///
    /// ```
    /// # use ptx::{global::EveryTile, group::Warps, pipeline::{Consumer, Rounds}};
    /// # type Mine<'p> = Rounds<'p, [f32; 1024], 4, (), EveryTile<f32, 1024>>;
    /// # fn consume<'p, B>(warps: &Warps<'p, B>, rounds: Mine<'p>) -> (Consumer<'p, [f32; 1024], 4>, f32) {
    /// let (consumer, sum) = rounds.run(warps, 0.0, |tile, sum| {
    ///     let x = tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
    ///     (tile.release(warps), sum + x)
    /// });
    /// # (consumer, sum)
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run<B, Held>(
        self,
        warps: &Warps<'p, B>,
        mut held: Held,
        mut each: impl FnMut(FullStage<'p, S, STAGES, G>, Held) -> (Consumer<'p, S, STAGES, G>, Held),
    ) -> (Consumer<'p, S, STAGES, G>, Held) {
        let Rounds { mut consumer, tiles } = self;
        for _ in tiles {
            (consumer, held) = each(consumer.wait(warps), held);
        }
        (consumer, held)
    }
}

handles! { Rounds<[u32; 4], 2, (), ()> }
