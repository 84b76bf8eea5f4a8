//! What `st.async` and `red.async` brought came through the generic proxy, and a bulk copy does not see it.

use ptx::cluster::{ByElement, ByTile, Cluster, Inbox, Received, Route};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    words: Received<'c, u32, 128, ByElement, ()>,
    route: Route<'c>,
) {
    let _sent = inbox.send(cluster, route, words);
}
