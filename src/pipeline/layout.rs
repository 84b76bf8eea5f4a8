//! The layout in shared memory of the stages of a ring or a pipeline and of their mbarriers, and the cursor over the stages.

use core::marker::PhantomData;

use super::stage::StageTiles;
use crate::qualifier::{scope, sem, space};
use crate::raw;
use crate::size;

/// How many mbarriers each stage of a ring or a pipeline has: 0, 1 (`full`) or 2 (`full` and `empty`).
///
/// # Safety
///
/// Implemented here only.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageMbarriers {
    #[doc(hidden)]
    const MBARRIERS: u32;
}

/// `STAGES` stages of `S`, followed by the mbarriers of each stage: `full`, then `empty`.
pub(super) struct Layout<S, const STAGES: usize, Signals>(PhantomData<(S, Signals)>);

impl<S: StageTiles, const STAGES: usize, Signals: StageMbarriers> Layout<S, STAGES, Signals> {
    pub(super) const STAGE: u32 = size::shared(S::SIZE);
    const MBARRIERS: u32 = size::shared(size::product([STAGES, S::SIZE]));
    pub(super) const BYTES: u32 =
        size::shared(size::product([STAGES, size::sum(S::SIZE, 8 * Signals::MBARRIERS as usize)]));
    /// The bytes that the copies into a stage write.
    pub(super) const LOADED: u32 = size::shared(S::BYTES);

    pub(super) const fn check() {
        assert!(STAGES > 0, "a ring or a pipeline has at least one stage: choose `STAGES` of 1 or more");
        assert!(S::BYTES > 0, "a tile has at least one element: choose `N` of 1 or more");
        assert!(
            S::BYTES < 1 << 20,
            "a stage's mbarrier counts at most 2^20 - 1 bytes: choose smaller tiles (PTX ISA 9.7.13.15.2)"
        );
    }

    #[inline(always)]
    pub(super) fn stage(base: u32, stage: u32) -> u32 {
        base + stage * Self::STAGE
    }

    /// The mbarrier whose phase completes when all tiles of the stage have arrived.
    #[inline(always)]
    pub(super) fn full(base: u32, stage: u32) -> u32 {
        base + Self::MBARRIERS + 8 * Signals::MBARRIERS * stage
    }

    /// The mbarrier whose phase completes when every consumer has released the stage.
    #[inline(always)]
    pub(super) fn empty(base: u32, stage: u32) -> u32 {
        Self::full(base, stage) + 8
    }

    /// Initializes the mbarriers and makes them visible to the cluster and to the async proxy. `empty` expects `releases`
    /// arrivals per phase.
    ///
    /// # Safety
    ///
    /// 1. One thread calls this. The memory at `base` is idle and holds no valid mbarrier.
    /// 2. If stages have an `empty`, `releases` is 1 to 2^20 - 1.
    #[inline(always)]
    pub(super) unsafe fn init(base: u32, releases: u32) {
        let mut stage = 0;
        while stage < STAGES as u32 {
            // SAFETY: clauses 1 and 2 of `# Safety`. Both mbarriers lie in the memory at `base`, aligned to 8.
            unsafe {
                raw::mbarrier_init(space::SharedCta, Self::full(base, stage), 1);
                if Signals::MBARRIERS == 2 {
                    raw::mbarrier_init(space::SharedCta, Self::empty(base, stage), releases);
                }
            }
            stage += 1;
        }
        raw::fence_mbarrier_init();
        raw::fence_proxy_async(space::SharedCta);
    }

    /// Invalidates all mbarriers, the first of which lies at `first`.
    ///
    /// # Safety
    ///
    /// One thread calls this. The mbarriers are valid, and no thread or copy uses them any more.
    #[inline(always)]
    pub(super) unsafe fn inval(first: u32) {
        let mut i = 0;
        while i < Signals::MBARRIERS * STAGES as u32 {
            // SAFETY: `# Safety`: this is one of the valid mbarriers, which lie side by side from `first` on.
            unsafe { raw::mbarrier_inval(space::SharedCta, first + 8 * i) };
            i += 1;
        }
    }

    /// Arrives at `full`, the only arrival of the phase, with the bytes of the stage's copies. The thread that starts the copies
    /// calls this.
    ///
    /// # Safety
    ///
    /// 1. `full` is valid, and every thread that waits for the previous phase has seen it complete.
    /// 2. Copies of [`LOADED`](Self::LOADED) bytes complete on `full` in this phase.
    #[inline(always)]
    pub(super) unsafe fn expect(full: u32) {
        // SAFETY: clauses 1 and 2 of `# Safety`. A copy that completes before this arrival takes the tx-count below zero, within
        // its range (9.7.13.15.2), and cannot complete the phase.
        unsafe {
            raw::mbarrier_arrive_expect_tx(
                sem::Release,
                scope::Cta,
                space::SharedCta,
                full,
                const { Self::LOADED },
            )
        };
    }
}

/// A position in the stages of a ring or a pipeline: the next stage, and the parity of the mbarrier phase in which that stage is
/// used next.
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    pub(crate) stage: u32,
    pub(crate) parity: u32,
}

impl Cursor {
    pub(crate) const START: Cursor = Cursor { stage: 0, parity: 0 };

    #[inline(always)]
    pub(crate) fn advance<const STAGES: usize>(&mut self) {
        let next = self.stage + 1;
        let wraps = next == STAGES as u32;
        self.stage = if wraps { 0 } else { next };
        self.parity ^= u32::from(wraps);
    }
}
