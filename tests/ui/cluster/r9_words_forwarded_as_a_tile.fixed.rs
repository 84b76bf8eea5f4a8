//! What `st.async` and `red.async` brought came through the generic proxy, and a bulk copy does not see it.

use ptx::cluster::{ByElement, ByTile, Cluster, Inbox, Received, Route};
use ptx::shared::{Free, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    words: Received<'c, u32, 128, ByElement, ()>,
    tile: Shared<'c, u32, 128, Free>,
    route: Route<'c>,
) {
    let tile = tile.write(cluster.cta(), |i| words.get(i).unwrap_or(0)).to_async(cluster.cta());
    let _sent = inbox.send(cluster, route, tile);
}
