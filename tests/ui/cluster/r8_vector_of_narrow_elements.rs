//! Elements of fewer than 4 bytes are written one by one: a vector would race with stores of another size.

use ptx::cluster::{ClusterSmem, WriteOnly};

pub fn body(tile: &ClusterSmem<'_, u8, 128, WriteOnly>) -> Option<()> {
    #[cfg(not(fixed))]
    {
        tile.peer(1)?.set_vector(0, [0; 16])
    }
    #[cfg(fixed)]
    {
        let peer = tile.peer(1)?;
        (0..16).try_for_each(|i| peer.set(i, 0))
    }
}
