//! All tiles of a warp shuffle, reduce and scan together; a vote is one of the warp, or one of the thread's tile.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, predicate: bool, value: u32) {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    {
        let _ = warp.tiles::<8>().any(predicate);
        warp.tiles::<8>().sync();
        let _ = warp.tiles::<8>().partition_by(value);
    }
    #[cfg(fixed)]
    {
        let _ = warp.tile::<8>().any(predicate);
        warp.sync();
        let _ = warp.tile::<8>().partition_by(value);
    }
}
