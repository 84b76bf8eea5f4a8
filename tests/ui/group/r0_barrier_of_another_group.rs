//! The barrier of the group that holds the handles completes their transitions: another group has other threads.

use ptx::group::{Cta, FirstWarp, Together, Warps};
use ptx::pipeline::ConsumersBarrier;
use ptx::shared::{Free, Loaded, Shared};

type Tile<'s, State, G> = Shared<'s, f32, 64, State, G>;
type Consumers<'p> = Warps<'p, ConsumersBarrier<1>>;

pub fn a_warp_for_the_cta<'s>(
    cta: &Cta,
    warp: &FirstWarp<'_>,
    tile: Tile<'s, Loaded, Cta>,
) -> Tile<'s, Free, Cta> {
    #[cfg(not(fixed))]
    {
        _ = cta;
        tile.release().sync(warp)
    }
    #[cfg(fixed)]
    {
        _ = warp;
        tile.release().sync(cta)
    }
}

pub fn the_cta_for_warps<'s, 'p>(
    cta: &Cta,
    warps: &Consumers<'p>,
    tile: Tile<'s, Loaded, Consumers<'p>>,
) -> Tile<'s, Free, Consumers<'p>> {
    #[cfg(not(fixed))]
    {
        _ = warps;
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        _ = cta;
        tile.release().sync(warps)
    }
}

#[cfg(not(fixed))]
pub fn another_part<'s, 'p, 'q: 'p>(
    others: &Consumers<'q>,
    tile: Tile<'s, Loaded, Consumers<'p>>,
) -> Tile<'s, Free, Consumers<'p>> {
    tile.release().sync(others)
}
#[cfg(fixed)]
pub fn another_part<'s, 'p>(
    own: &Consumers<'p>,
    tile: Tile<'s, Loaded, Consumers<'p>>,
) -> Tile<'s, Free, Consumers<'p>> {
    tile.release().sync(own)
}

pub fn of_two_groups<'s, 'w>(
    cta: &Cta,
    warp: &FirstWarp<'w>,
    mine: Tile<'s, Loaded, FirstWarp<'w>>,
    of_all: Tile<'s, Loaded, Cta>,
) -> (Tile<'s, Free, FirstWarp<'w>>, Tile<'s, Free, Cta>) {
    #[cfg(not(fixed))]
    {
        _ = warp;
        (mine.release(), of_all.release()).sync(cta)
    }
    #[cfg(fixed)]
    {
        (mine.release().sync(warp), of_all.release().sync(cta))
    }
}
