//! Where the stages of a ring or a pipeline and their mbarriers lie, and which of them comes next.

use core::marker::PhantomData;

use super::stage::StageTiles;
use crate::qualifier::{scope, sem, space};
use crate::raw;
use crate::size;

/// How many mbarriers a stage has: none, `full`, or `full` and `empty`.
///
/// # Safety
///
/// Implemented here only.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageMbarriers {
    #[doc(hidden)]
    const MBARRIERS: u32;
}

/// `STAGES` stages of `S`, then the mbarriers of each: `full`, then `empty`.
pub(super) struct Layout<S, const STAGES: usize, V>(PhantomData<(S, V)>);

impl<S: StageTiles, const STAGES: usize, V: StageMbarriers> Layout<S, STAGES, V> {
    pub(super) const STAGE: u32 = size::shared(S::SIZE);
    const MBARRIERS: u32 = size::shared(size::product([STAGES, S::SIZE]));
    pub(super) const BYTES: u32 =
        size::shared(size::product([STAGES, size::sum(S::SIZE, 8 * V::MBARRIERS as usize)]));
    /// What the copies of a stage bring.
    pub(super) const LOADED: u32 = size::shared(S::BYTES);

    pub(super) const fn check() {
        assert!(STAGES > 0, "a ring or a pipeline has at least one stage");
        assert!(S::BYTES > 0, "a tile has at least one element");
        assert!(
            S::BYTES < 1 << 20,
            "a stage's mbarrier counts 2^20 - 1 bytes at most: choose smaller tiles (PTX ISA 9.7.13.15.2)"
        );
    }

    #[inline(always)]
    pub(super) fn stage(base: u32, stage: u32) -> u32 {
        base + stage * Self::STAGE
    }

    /// The mbarrier that completes when the stage's tiles have arrived.
    #[inline(always)]
    pub(super) fn full(base: u32, stage: u32) -> u32 {
        base + Self::MBARRIERS + 8 * V::MBARRIERS * stage
    }

    /// The mbarrier that completes when every consumer has released the stage.
    #[inline(always)]
    pub(super) fn empty(base: u32, stage: u32) -> u32 {
        Self::full(base, stage) + 8
    }

    /// Initialises the mbarriers, `empty` for so many arrivals a phase, and shows them to the cluster and to the async proxy.
    ///
    /// # Safety
    ///
    /// One thread calls this; the memory at `base` is idle and holds no valid mbarrier; where stages have an `empty`, 1 to 2^20 - 1 releases.
    #[inline(always)]
    pub(super) unsafe fn init(base: u32, releases: u32) {
        let mut stage = 0;
        while stage < STAGES as u32 {
            // SAFETY: the caller's; both lie in the memory, aligned to 8.
            unsafe {
                raw::mbarrier_init(space::SharedCta, Self::full(base, stage), 1);
                if V::MBARRIERS == 2 {
                    raw::mbarrier_init(space::SharedCta, Self::empty(base, stage), releases);
                }
            }
            stage += 1;
        }
        raw::fence_mbarrier_init();
        raw::fence_proxy_async(space::SharedCta);
    }

    /// Ends the life of the mbarriers, of which the first lies at `first`.
    ///
    /// # Safety
    ///
    /// One thread calls this; they are valid, and no thread or copy uses them any more.
    #[inline(always)]
    pub(super) unsafe fn inval(first: u32) {
        let mut i = 0;
        while i < V::MBARRIERS * STAGES as u32 {
            // SAFETY: one of the valid mbarriers, by the caller's contract: they lie side by side.
            unsafe { raw::mbarrier_inval(space::SharedCta, first + 8 * i) };
            i += 1;
        }
    }

    /// The one arrival at `full` in a phase, by the thread that starts the stage's copies.
    ///
    /// # Safety
    ///
    /// `full` is valid; copies of [`LOADED`](Self::LOADED) bytes complete on it in this phase; every thread that waits for the phase before has seen
    /// it complete.
    #[inline(always)]
    pub(super) unsafe fn expect(full: u32) {
        // SAFETY: the caller's. A copy that completes before this arrival takes the tx-count below zero, within its range, and cannot
        // complete the phase.
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

/// The stage whose turn it is, and the parity of its phase in this round.
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    pub(super) stage: u32,
    pub(super) parity: u32,
}

impl Cursor {
    pub(super) const START: Cursor = Cursor { stage: 0, parity: 0 };

    #[inline(always)]
    pub(super) fn advance<const STAGES: usize>(&mut self) {
        let next = self.stage + 1;
        let wraps = next == STAGES as u32;
        self.stage = if wraps { 0 } else { next };
        self.parity ^= u32::from(wraps);
    }
}
