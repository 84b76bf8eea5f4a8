//! Memory of the CTA, or of the cluster, that some threads take in another order than the others.

use core::cell::RefCell;
use core::mem::swap;

use ptx::global::{Global, GlobalMut, GlobalRowsMut, GlobalTickets};
use ptx::group::{AfterSync, Cta, Together};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};
use ptx::reduce::ReduceMemory;
use ptx::shared::{SharedArray, SharedTable};
use ptx::{bulk, cp_async, trap};

ptx::shared_memory! {
    struct Two { one: SharedArray<u32, 64>, other: SharedArray<u32, 64> }
}
ptx::shared_memory! {
    struct Tables { one: SharedTable<u32, 64>, other: SharedTable<u32, 64> }
}
ptx::shared_memory! {
    struct Bars { one: Mbarrier<Uninit>, other: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct FourBars { one: Mbarrier<Uninit>, two: Mbarrier<Uninit>, three: Mbarrier<Uninit>, four: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Tickets { drawn: ReduceMemory<u64>, one: SharedArray<u32, 64> }
}
ptx::shared_memory! {
    struct Stages { stages: PipelineMemory<[u32; 64], 2> }
}
ptx::shared_memory! {
    struct Consumed {
        stages: PipelineMemory<[u32; 64], 2>,
        tile: SharedArray<u32, 64>,
        out: SharedArray<u32, 64>,
        consumers: ConsumersBarrier<1>,
    }
}

/// Each thread copies a part of its own tile.
#[ptx::kernel(threads = 64)]
pub fn tiles_that_the_leader_swaps(cta: Cta, #[shared] smem: Two, data: GlobalMut<u32, 64>) {
    let (mut tiles, _) = data.tiles(&cta);
    let (Some((_, mut a)), Some((_, mut b))) = (tiles.next_tile(), tiles.next_tile()) else { trap() };
    cta.finish((smem.one, smem.other), |cta, (one, other)| {
        if cta.is_leader() {
            swap(&mut a, &mut b);
        }
        let other = other.write(cta, |i| i as u32).to_async().sync(cta);
        let copies = cp_async::load(cta, one, a).commit(cta); // wrong
        let stored = bulk::store(cta, other, b).commit(cta).wait_read(cta);
        let (one, _) = copies.wait().sync(cta);
        (one.end(), stored.end())
    });
}

#[ptx::kernel(threads = 64)]
pub fn a_tile_that_the_leader_has_taken(cta: Cta, #[shared] smem: Two, data: GlobalMut<u32, 64>) {
    let (mut tiles, _) = data.tiles(&cta);
    cta.finish((smem.one, smem.other), |cta, (one, other)| {
        let lent = cta.invoke_one(other, |thread, other| {
            let Some((_, to)) = tiles.next_tile() else { trap() };
            let other = other.write(thread, |i| i as u32).to_async().sync(thread);
            bulk::store(thread, other, to).commit(thread).wait_read(thread).sync(thread)
        });
        let Some((_, from)) = tiles.next_tile() else { trap() };
        let (one, _) = cp_async::load(cta, one, from).commit(cta).wait().sync(cta); // wrong
        let other = lent.sync(cta);
        (one.end(), other.end())
    });
}

/// The leader of the CTA is another thread than that of the consumers.
#[ptx::kernel(threads = 64)]
pub fn a_tile_of_consumers_and_of_the_cta(
    cta: Cta,
    #[shared] smem: Consumed,
    input: Global<u32>,
    data: GlobalMut<u32, 64>,
) {
    let (mut to, _) = data.tiles(&cta);
    let (from, _) = input.tiles::<64>();
    let Consumed { stages, tile, out, consumers } = smem;
    cta.finish((stages, out, tile), |cta, (pipeline, out, tile)| {
        let mine = from.of_cta(cta).take(2);
        let run = pipeline.run_tiles_with(cta, consumers, out, mine, |warps, rounds, out| {
            let (consumer, stored) = rounds.run(warps, AfterSync::ready(out), |full, stored| {
                let Some((_, to)) = to.next_tile() else { trap() };
                let out =
                    stored.sync(warps).write(warps, |i| full.get(i).unwrap_or(0)).to_async().sync(warps);
                let consumer = full.release(warps);
                (consumer, bulk::store(warps, out, to).commit(warps).wait_read(warps))
            });
            (consumer, stored.end())
        });
        let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
        let Some((_, to)) = to.next_tile() else { trap() };
        let tile = bulk::store(cta, tile, to).commit(cta).wait_read(cta); // wrong
        let (a, b) = run.end();
        (a, b, tile.end())
    });
}

#[ptx::kernel(threads = 64)]
pub fn a_tile_of_two_leaders(cta: Cta, #[shared] smem: Consumed, data: GlobalMut<u32, 64>) {
    let (tiles, _) = data.tiles(&cta);
    let Consumed { stages, tile, out, consumers } = smem;
    cta.finish((stages, tile, out), |cta, (pipeline, tile, out)| {
        let tiles = RefCell::new(tiles);
        let lent = cta.invoke_one(tile, |thread, tile| {
            let Some((_, to)) = tiles.borrow_mut().next_tile() else { trap() };
            let tile = tile.write(thread, |i| i as u32).to_async().sync(thread);
            bulk::store(thread, tile, to).commit(thread).wait_read(thread).sync(thread)
        });
        let tile = lent.sync(cta);
        let run = pipeline.run_with(
            cta,
            consumers,
            out,
            |_, producer| producer,
            |warps, consumer, out| {
                let Some((_, to)) = tiles.borrow_mut().next_tile() else { trap() };
                let out = out.write(warps, |i| 7 + i as u32).to_async().sync(warps);
                let out = bulk::store(warps, out, to).commit(warps).wait_read(warps).sync(warps); // wrong
                (consumer, out.end())
            },
        );
        let (a, b) = run.end();
        (a, tile.end(), b)
    });
}

/// As before, with the parts in the other order: the second is one thread.
#[ptx::kernel(threads = 64)]
pub fn a_tile_of_consumers_and_of_a_thread(cta: Cta, #[shared] smem: Consumed, data: GlobalMut<u32, 64>) {
    let (mut tiles, _) = data.tiles(&cta);
    let Consumed { stages, tile, out, consumers } = smem;
    cta.finish((stages, tile, out), |cta, (pipeline, tile, out)| {
        let run = pipeline.run_with(
            cta,
            consumers,
            out,
            |_, producer| producer,
            |warps, consumer, out| {
                let Some((_, to)) = tiles.next_tile() else { trap() };
                let out = out.write(warps, |i| 7 + i as u32).to_async().sync(warps);
                let out = bulk::store(warps, out, to).commit(warps).wait_read(warps).sync(warps);
                (consumer, out.end())
            },
        );
        let tile = cta.finish_one(tile, |thread, tile| {
            let Some((_, to)) = tiles.next_tile() else { trap() };
            let tile = tile.write(thread, |i| i as u32).to_async().sync(thread);
            bulk::store(thread, tile, to).commit(thread).wait_read(thread).sync(thread).end() // wrong
        });
        let (a, b) = run.end();
        (a, tile, b)
    });
}

/// A tile that some threads still have, under a condition that tells which.
#[ptx::kernel(threads = 64)]
pub fn a_tile_that_consumers_took(cta: Cta, #[shared] smem: Consumed, data: GlobalMut<u32, 64>) {
    let (mut tiles, _) = data.tiles(&cta);
    let Consumed { stages, tile, out, consumers } = smem;
    let mut to = tiles.next_tile();
    cta.finish((stages, tile, out), |cta, (pipeline, tile, out)| {
        let run = pipeline.run_with(
            cta,
            consumers,
            out,
            |_, producer| producer,
            |warps, consumer, out| {
                let Some((_, to)) = to.take() else { trap() };
                let out = out.write(warps, |i| 7 + i as u32).to_async().sync(warps);
                let out = bulk::store(warps, out, to).commit(warps).wait_read(warps).sync(warps);
                (consumer, out.end())
            },
        );
        let tile = cta.finish_one(tile, |thread, tile| {
            let tile = tile.write(thread, |i| i as u32).to_async().sync(thread);
            if let Some((_, to)) = to.take() {
                bulk::store(thread, tile, to).commit(thread).wait_read(thread).sync(thread).end() // wrong
            } else {
                tile.end()
            }
        });
        let (a, b) = run.end();
        (a, tile, b)
    });
}

/// Each thread but the leader takes the leader's ticket for a tile of the other slice.
#[ptx::kernel(threads = 64)]
pub fn tickets_that_are_swapped(
    cta: Cta,
    #[shared] smem: Tickets,
    x: GlobalMut<u32, 64>,
    y: GlobalMut<u32, 64>,
    of_x: GlobalTickets,
    of_y: GlobalTickets,
) {
    let mut drawn = smem.drawn;
    let (mut one, _) = x.tiles_by_ticket(&cta, of_x);
    let (mut other, _) = y.tiles_by_ticket(&cta, of_y);
    if !cta.is_leader() {
        swap(&mut one, &mut other);
    }
    one.next_tile(&cta, &mut drawn); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn tables_that_are_swapped(cta: Cta, #[shared] smem: Tables) {
    let (mut one, mut other) = (smem.one, smem.other);
    if cta.is_leader() {
        swap(&mut one, &mut other);
    }
    one.fill(&cta, |i| i as u32); // wrong
}

#[ptx::kernel(threads = 64)]
pub fn mbarriers_that_are_swapped_before_inval(cta: Cta, #[shared] smem: Bars) {
    let (one, other) = (smem.one.init(&cta), smem.other.init(&cta)).sync(&cta);
    let (one, other) = if cta.is_leader() { (other, one) } else { (one, other) };
    one.inval(&cta); // wrong
    other.inval(&cta);
}

/// The iterator gives a lane fewer tiles than its warp.
#[ptx::kernel(threads = 64)]
pub fn tiles_of_a_run_by_the_lane(cta: Cta, #[shared] smem: Stages, input: Global<u32>) {
    let (tiles, _) = input.tiles::<64>();
    let rounds = if cta.warp().lane() == 5 { 1 } else { 3 };
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.of_cta(cta).take(rounds);
        pipeline.run_tiles(cta, mine, |_, _| ()).end() // wrong
    });
}

#[ptx::kernel(threads = 64, cluster = 2)]
pub fn memory_published_in_another_order(cta: Cta, #[shared] smem: Two) {
    cta.finish_cluster((smem.one, smem.other), |cluster, (one, other)| {
        let (one, other) = (cluster.open_write_only(one), cluster.open_write_only(other)).sync(&cluster);
        let (x, y) = if cluster.cta_rank() == 0 { (one, other) } else { (other, one) };
        let x = x.publish().sync(&cluster); // wrong
        (cluster, (x.end(), y.end()))
    });
}

#[ptx::kernel(threads = 64, cluster = 2)]
pub fn memory_closed_in_another_order(cta: Cta, #[shared] smem: Two) {
    cta.finish_cluster((smem.one, smem.other), |cluster, (one, other)| {
        let (one, other) = (cluster.open_write_only(one), cluster.open_write_only(other)).sync(&cluster);
        let (x, y) = if cluster.cta_rank() == 0 { (one, other) } else { (other, one) };
        let x = x.close().sync(&cluster); // wrong
        (cluster, (x.end(), y.end()))
    });
}

#[ptx::kernel(threads = 64, cluster = 2)]
pub fn barriers_of_peers_closed_in_another_order(cta: Cta, #[shared] smem: FourBars) {
    let FourBars { one, two, three, four } = smem;
    cta.finish_cluster((), |cluster, ()| {
        let Some(peers) = cluster.whole::<2>() else { trap() };
        let (p, q) =
            (peers.barrier(&cluster, [one, two]), peers.barrier(&cluster, [three, four])).sync(&cluster);
        let (x, y) = if cluster.cta_rank() == 0 { (p, q) } else { (q, p) };
        x.close().sync(&cluster).inval(cluster.cta()); // wrong
        let y = y.arrive(cluster.cta()).wait(cluster.cta());
        (cluster, y.end())
    });
}

/// Thread 0 still has its tile: it does not execute what ends a consumer that has none.
#[ptx::kernel(threads = 64)]
pub fn a_tile_of_an_option_that_two_parts_take(cta: Cta, #[shared] smem: Consumed, data: GlobalMut<u32, 64>) {
    let (mut tiles, _) = data.tiles(&cta);
    let Consumed { stages, tile, out, consumers } = smem;
    let mut to = tiles.next_tile();
    cta.finish((stages, tile, out), |cta, (pipeline, tile, out)| {
        let run = pipeline.run_with(
            cta,
            consumers,
            out,
            |_, producer| producer,
            |warps, consumer, out| {
                let Some((_, to)) = to.take() else { trap() };
                let out = out.write(warps, |i| 7 + i as u32).to_async().sync(warps);
                let out = bulk::store(warps, out, to).commit(warps).wait_read(warps).sync(warps);
                (consumer, out.end())
            },
        );
        let tile = cta.finish_one(tile, |thread, tile| {
            let Some((_, to)) = to.take() else { trap() };
            let tile = tile.write(thread, |i| i as u32).to_async().sync(thread);
            bulk::store(thread, tile, to).commit(thread).wait_read(thread).sync(thread).end() // wrong
        });
        let (a, b) = run.end();
        (a, tile, b)
    });
}

#[ptx::kernel(threads = 64)]
pub fn a_tile_of_an_option_that_the_leader_takes_first(
    cta: Cta,
    #[shared] smem: Consumed,
    data: GlobalMut<u32, 64>,
) {
    let (mut tiles, _) = data.tiles(&cta);
    let Consumed { stages, tile, out, consumers } = smem;
    let mut to = tiles.next_tile().map(|(_, to)| to);
    cta.finish((stages, tile, out), |cta, (pipeline, tile, out)| {
        let tile = cta.finish_one(tile, |thread, tile| {
            let to = to.take().unwrap();
            let tile = tile.write(thread, |i| i as u32).to_async().sync(thread);
            bulk::store(thread, tile, to).commit(thread).wait_read(thread).sync(thread).end()
        });
        let run = pipeline.run_with(
            cta,
            consumers,
            out,
            |_, producer| producer,
            |warps, consumer, out| {
                let to = to.take().unwrap();
                let out = out.write(warps, |i| 7 + i as u32).to_async().sync(warps); // wrong
                let out = bulk::store(warps, out, to).commit(warps).wait_read(warps).sync(warps);
                (consumer, out.end())
            },
        );
        let (a, b) = run.end();
        (a, tile, b)
    });
}

/// The consumers know which memory they have; the leader has it too.
#[ptx::kernel(threads = 64)]
pub fn memory_of_two_parts_by_its_address(cta: Cta, #[shared] smem: Consumed) {
    let Consumed { stages, tile: a, out: b, consumers } = smem;
    cta.finish((stages, a, b), |cta, (pipeline, a, b)| {
        let at = a.addr();
        let (x, y) = if cta.is_leader() { (a, b) } else { (b, a) };
        let run = pipeline.run_with(
            cta,
            consumers,
            y,
            |_, producer| producer,
            |warps, consumer, y| {
                if y.addr() != at {
                    trap()
                }
                let y = y.write(warps, |i| 7 + i as u32).publish().sync(warps); // wrong
                (consumer, y.end())
            },
        );
        let x = cta.finish_one(x, |thread, x| x.write(thread, |i| i as u32).publish().sync(thread).end());
        let (pipeline, y) = run.end();
        (pipeline, x, y)
    });
}

/// Two CTAs draw the same number for rows from two counters.
#[ptx::kernel(threads = 64)]
pub fn row_tickets_by_the_cta(
    cta: Cta,
    #[shared] smem: Tickets,
    data: GlobalRowsMut<u32>,
    one: GlobalTickets,
    other: GlobalTickets,
) {
    let mut drawn = smem.drawn;
    let tickets = if cta.grid_rank() % 2 == 0 { one } else { other };
    let mut rows = data.rows_by_ticket::<1>(&cta, tickets); // wrong
    while let Some(one) = rows.next_rows(&cta, &mut drawn) {
        if let [Some((i, row))] = one.rows() {
            row.elements(&cta).for_each(|(_, y)| y.write(i as u32));
        }
    }
}

/// Two CTAs draw the same number from two counters.
#[ptx::kernel(threads = 64)]
pub fn tickets_by_the_cta(
    cta: Cta,
    #[shared] smem: Tickets,
    data: GlobalMut<u32, 64>,
    one: GlobalTickets,
    other: GlobalTickets,
) {
    let mut drawn = smem.drawn;
    let tickets = if cta.grid_rank() % 2 == 0 { one } else { other };
    let (mut tiles, _) = data.tiles_by_ticket(&cta, tickets); // wrong
    while let Some((i, tile)) = tiles.next_tile(&cta, &mut drawn) {
        tile.write(&cta, |k| (i + k) as u32);
    }
}
