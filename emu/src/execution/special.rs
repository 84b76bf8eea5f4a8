//! The special registers (PTX ISA 10).

use crate::address::SHARED_BASE;
use crate::execution::machine::{Machine, index_of};
use crate::frontend::op::Special;

/// The nanoseconds that `%globaltimer` counts for an instruction, so that a wait of seconds ends soon.
const NANOSECONDS: u64 = 64;

impl Machine<'_> {
    pub fn special(&self, cta: usize, thread: usize, special: Special) -> u64 {
        let (block, launch) = (&self.ctas[cta], self.launch);
        let tid = || index_of(thread as u64, launch.block);
        let lane = thread as u32 % 32;
        let within = || index_of(block.rank.into(), launch.cluster);
        u64::from(match special {
            Special::Tid(i) => tid()[i],
            Special::Ntid(i) => launch.block[i],
            Special::Ctaid(i) => block.index[i],
            Special::Nctaid(i) => launch.grid[i],
            Special::ClusterId(i) => block.index[i] / launch.cluster[i],
            Special::ClusterCount(i) => launch.grid[i] / launch.cluster[i],
            Special::ClusterCtaid(i) => within()[i],
            Special::ClusterNctaid(i) => launch.cluster[i],
            Special::ClusterRank => block.rank,
            Special::ClusterSize => self.cluster_size(),
            Special::IsExplicitCluster => {
                (self.cluster_size() > 1 || self.program.functions[self.kernel].explicit_cluster).into()
            }
            Special::Lane => lane,
            Special::Warp => thread as u32 / 32,
            Special::Warps => block.warps.len() as u32,
            Special::LaneMask(order, or_equal) => (0..32)
                .filter(|i: &u32| i.cmp(&lane) == order || or_equal && *i == lane)
                .fold(0, |mask, i| mask | 1 << i),
            Special::Sm => cta as u32 % 132,
            Special::Sms => 132,
            Special::GridId => 1,
            Special::Clock => return self.report.instructions,
            Special::ClockHigh => (self.report.instructions >> 32) as u32,
            Special::GlobalTimer => return NANOSECONDS * self.report.instructions,
            Special::GlobalTimerHigh => ((NANOSECONDS * self.report.instructions) >> 32) as u32,
            Special::DynamicShared => launch.dynamic_shared,
            Special::TotalShared => self.static_shared + launch.dynamic_shared,
            // The size includes what the system reserves (10.31).
            Special::AggregateShared => self.static_shared + launch.dynamic_shared + SHARED_BASE,
            // The reserved memory of a GPU lies before that of the block.
            Special::ReservedShared(offset) => self.end_of_shared() + offset,
            // The CUDA library takes the halves of an address from these two.
            Special::Environment(1) => (self.workspace >> 32) as u32,
            Special::Environment(2) => self.workspace as u32,
            Special::Environment(_) | Special::LocalityDomain | Special::Zero => 0,
        })
    }
}
