//! Barriers of rows and columns of a cluster: the CTAs of a row, or of a column, wait for each other and for no other CTA.

use ptx::atomic::Atomic;
use ptx::cluster::Peer;
use ptx::global::{Global, GlobalElementsMut};
use ptx::group::{Cta, Together};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::sem;
use ptx::shared::SharedArray;
use ptx::trap;

/// The most rounds, and the CTAs of a row and of a column.
const ROUNDS: usize = 64;
const COLUMNS: u32 = 4;
const ROWS: u32 = 2;

ptx::shared_memory! {
    struct Smem {
        of_row: SharedArray<u32, ROUNDS>,
        of_column: SharedArray<u32, ROUNDS>,
        row_even: Mbarrier<Uninit>,
        row_odd: Mbarrier<Uninit>,
        column_even: Mbarrier<Uninit>,
        column_odd: Mbarrier<Uninit>,
    }
}

/// Hashes sums over rows and columns of a cluster. In round j, thread t of CTA b has word `1024 * j + 128 * b + t`. In each
/// round, hash ← 31 * hash + (the sum over the CTA's row of the cluster), then hash ← 31 * hash + (the sum over its column).
/// `output[128 * b + t]` is the hash after the last round. There are n / 1024 rounds, 64 at most.
///
/// Launch: a grid of 4 × 2 CTAs of 128 threads, which is one cluster.
///
/// Technique: a `PeerBarrier`, which consists of mbarriers that take turns.
#[ptx::kernel(threads = 128, cluster = (COLUMNS, ROWS))]
pub fn cluster_peers(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(1024)] output: GlobalElementsMut<u32, u32>,
    n: u32,
) {
    let rounds = (ROUNDS as u32).min(n / 1024);
    let first = cta.grid_thread_rank();
    let mut outputs = output.elements(&cta);

    let (of_rows, of_columns) = ([smem.row_even, smem.row_odd], [smem.column_even, smem.column_odd]);
    cta.finish_cluster((smem.of_row, smem.of_column), |cluster, (of_row, of_column)| {
        let cta = cluster.cta();
        let (Some(row), Some(column)) = (cluster.row::<COLUMNS>(), cluster.column::<ROWS>()) else { trap() };
        let (mut row_barrier, mut column_barrier, of_row, of_column) = (
            row.barrier(&cluster, of_rows),
            column.barrier(&cluster, of_columns),
            cluster.open_atomic(of_row.write(cta, |_| 0)),
            cluster.open_atomic(of_column.write(cta, |_| 0)),
        )
            .sync(&cluster);
        let (x, y) = (row.cta_rank(), column.cta_rank());

        let (mut hash, mut round) = (0_u32, 0_u32);
        while round < rounds {
            let word = input.get((first + 1024 * round) as usize).unwrap_or(0);
            let add = |sums: Option<Peer<'_, u32, ROUNDS, Atomic>>| {
                if let Some(sum) = sums.and_then(|sums| sums.atomic(round as usize)) {
                    sum.add(word, sem::Relaxed);
                }
            };
            let get = |sums: Option<Peer<'_, u32, ROUNDS, Atomic>>| {
                sums.and_then(|sums| sums.atomic(round as usize)).map_or(0, |sum| sum.load(sem::Relaxed))
            };
            (0..COLUMNS).for_each(|x| add(of_row.peer(y * COLUMNS + x)));
            row_barrier = row_barrier.arrive(cta).wait(cta);
            (0..ROWS).for_each(|y| add(of_column.peer(y * COLUMNS + x)));
            column_barrier = column_barrier.arrive(cta).wait(cta);

            hash = hash.wrapping_mul(31).wrapping_add(get(of_row.peer(y * COLUMNS + x)));
            hash = hash.wrapping_mul(31).wrapping_add(get(of_column.peer(y * COLUMNS + x)));
            round += 1;
        }
        if let Some((_, output)) = outputs.next() {
            output.write(hash);
        }
        row_barrier.end();
        column_barrier.end();
        (cluster, (of_row.end(), of_column.end()))
    });
}
