//! A mailbox of a tensor's tiles is as large as the box of the map.

use ptx::cluster::{ByTile, Cluster, Group, Inbox};
use ptx::tensor::{Box2, TensorMap};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    all: Group<'c, 4>,
    inbox: Inbox<'c, f32, 1024, ByTile>,
    map: TensorMap<f32, Box2<64, 32>>,
) {
    let _sent = inbox.multicast_tensor(cluster, all, map.at([0, 0]));
}
