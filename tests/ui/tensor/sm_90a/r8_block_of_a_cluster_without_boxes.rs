//! A block of a cluster's CTA has boxes.

use ptx::cluster::Cluster;
use ptx::tensor::{Box2, TensorMapMut};

#[cfg(not(fixed))]
const COLUMNS: u32 = 0;
#[cfg(fixed)]
const COLUMNS: u32 = 1;

pub fn kernel(cluster: &Cluster<'_>, map: TensorMapMut<f32, Box2<64, 64>>) {
    let mut blocks = map.cluster_blocks::<COLUMNS, 2>(cluster, 8);
    _ = (blocks.positions(), blocks.next_block());
}
