//! `ptx::cluster`.

use ptx::cluster::{ByElement, ByRoute, ByTile, Mailbox};
use ptx::global::{Global, GlobalTile};
use ptx::launch::Cta;
use ptx::mask::CtaMask;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{convergence::Unaligned, evict, sem, space, ty};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::{elected, fence_async, scope, sync, thread_count, thread_rank};

const N: usize = 256;
const BYTES: u32 = 4 * N as u32;

ptx::shared_memory! {
    struct Smem {
        /// Has an address outside a scope.
        first: Mbarrier<Uninit>,
        tile: SharedArray<u32, N>,
        tiles: Mailbox<u32, N, ByTile>,
        words: Mailbox<u32, N, ByElement>,
        channel: Mailbox<u32, N, ByRoute>,
    }
}
/// Where `Smem` puts its fields.
const TILE: u32 = 128;
const TILES: u32 = TILE + BYTES;
const WORDS: u32 = (TILES + BYTES + 8).next_multiple_of(128);
const CHANNEL: u32 = (WORDS + BYTES + 8).next_multiple_of(128);

#[inline(always)]
unsafe fn cluster_sync() {
    unsafe {
        raw::barrier_cluster_arrive(sem::Release, Unaligned);
        raw::barrier_cluster_wait(Unaligned);
    }
}

/// This thread's share of `0..COUNT`.
#[inline(always)]
fn for_each<const COUNT: u32>(mut f: impl FnMut(u32)) {
    let (mut i, threads) = (thread_rank(), thread_count());
    while i < COUNT {
        f(i);
        i += threads;
    }
}

#[inline(always)]
unsafe fn write_tile(base: u32, mut f: impl FnMut(u32) -> u32) {
    for_each::<{ BYTES / 16 }>(|v| {
        let first = 4 * v;
        let values = [f(first), f(first + 1), f(first + 2), f(first + 3)];
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, values) };
    });
}

#[inline(always)]
unsafe fn init(bar: u32, bars: u32, to_async: bool) {
    if elected() {
        for i in 0..bars {
            unsafe { raw::mbarrier_init(space::SharedCta, bar + 8 * i, 1) };
        }
        raw::fence_mbarrier_init();
        if to_async {
            raw::fence_proxy_async(space::SharedCta);
        }
    }
}

#[inline(always)]
unsafe fn inval(bar: u32, bars: u32) {
    if elected() {
        for i in 0..bars {
            unsafe { raw::mbarrier_inval(space::SharedCta, bar + 8 * i) };
        }
    }
}

#[inline(always)]
unsafe fn expect(bar: u32, bytes: u32) {
    if elected() {
        unsafe { raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, bytes) };
    }
}

#[inline(always)]
unsafe fn wait(bar: u32, parity: u32) {
    while !unsafe {
        raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cluster, space::SharedCta, bar, parity)
    } {}
}

#[inline(always)]
unsafe fn read(addr: u32) -> u32 {
    unsafe { raw::ld_weak(space::SharedCta, ty::B32, addr) }
}

#[inline(always)]
unsafe fn add_to_others(inbox: u32, bar: u32) {
    let (rank, size) = (raw::cluster_ctarank(), raw::cluster_nctarank());
    unsafe { expect(bar, (size - 1) * BYTES) };
    for_each::<{ N as u32 }>(|i| {
        let mut to = rank;
        loop {
            to += 1;
            if to == size {
                to = 0;
            }
            if to == rank {
                break;
            }
            unsafe {
                let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
                raw::red_async_add(space::SharedCluster, ty::U32, dst + 4 * i, i, mbar);
            }
        }
    });
}

/// The rank `by` after this one.
#[inline(always)]
fn next(by: u32) -> Option<u32> {
    let size = raw::cluster_nctarank();
    if by == 0 || by >= size {
        return None;
    }
    let to = raw::cluster_ctarank() + by;
    Some(if to >= size { to - size } else { to })
}

/// The rank that differs by the bits of `mask`.
#[inline(always)]
fn across(mask: u32) -> Option<u32> {
    let size = raw::cluster_nctarank();
    if mask == 0 || mask >= size || !size.is_power_of_two() {
        return None;
    }
    Some(raw::cluster_ctarank() ^ mask)
}

/// The one tile of the source.
#[inline(always)]
unsafe fn only(src: *const u32) -> GlobalTile<u32, N> {
    match unsafe { Global::from_raw(src, N) }.tiles::<N>().0.get(0) {
        Some(tile) => tile,
        None => ptx::launch::trap(),
    }
}

/// A kernel in both layers, over the declared shared memory.
macro_rules! pair {
    ($typed:ident($cta:ident, $smem:ident, $src:ident, $out:ident) $typed_body:block
     $raw:ident($base:ident, $rsrc:ident, $rout:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed($src: *const u32, $out: *mut u32) {
            #[allow(unused_mut)]
            let (mut $cta, $smem, _) = unsafe { Cta::enter::<Smem>() };
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($rsrc: *const u32, $rout: *mut u32) {
            let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
            let $base = smem.first.addr();
            unsafe { $raw_body }
        }
    };
}

pair! {
    typed_cluster_scope(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            let [x, y, z] = cluster.shape();
            let [i, j, k] = cluster.position();
            let words = [cluster.rank(), cluster.size(), x, y, z, i, j, k];
            unsafe { out.cast::<[u32; 8]>().write(words) };
            (cluster, tile)
        });
    }
    raw_cluster_scope(base, src, out) {
        cluster_sync();
        scope(|| {
            let (x, y, z) = (raw::cluster_nctaid_x(), raw::cluster_nctaid_y(), raw::cluster_nctaid_z());
            let (i, j, k) = (raw::cluster_ctaid_x(), raw::cluster_ctaid_y(), raw::cluster_ctaid_z());
            let words = [raw::cluster_ctarank(), raw::cluster_nctarank(), x, y, z, i, j, k];
            out.cast::<[u32; 8]>().write(words);
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_groups(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            unsafe { out.write(cluster.whole::<8>().map_or(99, |group| group.rank())) };
            unsafe { out.add(1).write(cluster.row::<4>().map_or(99, |group| group.rank())) };
            unsafe { out.add(2).write(cluster.column::<2>().map_or(99, |group| group.rank())) };
            (cluster, tile)
        });
    }
    raw_cluster_groups(base, src, out) {
        cluster_sync();
        scope(|| {
            out.write(if raw::cluster_nctarank() == 8 { raw::cluster_ctarank() } else { 99 });
            out.add(1).write(if raw::cluster_nctaid_x() == 4 { raw::cluster_ctaid_x() } else { 99 });
            out.add(2).write(if raw::cluster_nctaid_y() == 2 { raw::cluster_ctaid_y() } else { 99 });
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_queries(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            let tile = cluster.open(tile);
            unsafe { out.write(if tile.is_empty() { 7 } else { tile.len() as u32 }) };
            let tile = tile.close(&cluster).to_async(cluster.cta()).into_free();
            let arrived = cluster.arrive();
            unsafe { out.add(1).write(arrived.cta().thread_rank()) };
            (arrived.wait(), tile)
        });
    }
    raw_cluster_queries(base, src, out) {
        cluster_sync();
        scope(|| {
            cluster_sync();
            out.write(N as u32);
            cluster_sync();
            fence_async();
            raw::barrier_cluster_arrive(sem::Release, Unaligned);
            out.add(1).write(thread_rank());
            raw::barrier_cluster_wait(Unaligned);
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_sync(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            cluster.sync();
            let arrived = cluster.arrive();
            unsafe { out.write(src.read()) };
            (arrived.wait(), tile)
        });
    }
    raw_cluster_sync(base, src, out) {
        cluster_sync();
        scope(|| {
            cluster_sync();
            raw::barrier_cluster_arrive(sem::Release, Unaligned);
            out.write(src.read());
            raw::barrier_cluster_wait(Unaligned);
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_publish(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32));
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                unsafe { out.write(peer.get(3).unwrap_or(0)) };
                unsafe { out.add(1).write(peer.get_vector(4).map_or(0, |vector| vector[1])) };
            }
            unsafe { out.add(2).write(tile.get(5).unwrap_or(0)) };
            let tile = tile.close(&cluster).to_async(cluster.cta()).into_free();
            (cluster, tile)
        });
    }
    raw_cluster_publish(base, src, out) {
        cluster_sync();
        scope(|| {
            let tile = base + TILE;
            write_tile(tile, |i| i);
            cluster_sync();
            let rank = src.read();
            if rank < raw::cluster_nctarank() {
                let peer = raw::mapa_shared_cluster(tile, rank);
                out.write(raw::ld_weak(space::SharedCluster, ty::B32, peer + 12));
                out.add(1).write(raw::ld_weak_v4(space::SharedCluster, ty::B32, peer + 64)[1]);
            }
            out.add(2).write(read(tile + 20));
            cluster_sync();
            fence_async();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_open(cta, smem, src, out) {
        cta.cluster(smem.tile, |cluster, tile| {
            let tile = cluster.open(tile);
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                let _ = peer.set(3, 7);
                let _ = peer.set_vector(4, [1, 2, 3, 4]);
            }
            let tile = cluster.open_atomic(tile.close(&cluster));
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                if let Some(element) = peer.atomic(5) {
                    element.add(9, sem::Relaxed);
                }
                unsafe { out.write(peer.atomic(6).map_or(0, |element| element.fetch_add(10, sem::AcqRel))) };
            }
            let tile = tile.close(&cluster);
            unsafe { out.add(1).write(tile.get(3).unwrap_or(0)) };
            let tile = tile.to_async(cluster.cta()).into_free();
            (cluster, tile)
        });
    }
    raw_cluster_open(base, src, out) {
        cluster_sync();
        scope(|| {
            let tile = base + TILE;
            cluster_sync();
            let rank = src.read();
            if rank < raw::cluster_nctarank() {
                let peer = raw::mapa_shared_cluster(tile, rank);
                raw::st_weak(space::SharedCluster, ty::B32, peer + 12, 7);
                raw::st_weak_v4(space::SharedCluster, ty::B32, peer + 64, [1, 2, 3, 4]);
            }
            cluster_sync();
            cluster_sync();
            let rank = src.read();
            if rank < raw::cluster_nctarank() {
                let peer = raw::mapa_shared_cluster(tile, rank);
                raw::red_add(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::U32, peer + 20, 9);
                let old =
                    raw::atom_add(sem::AcqRel, scope::Cluster, space::SharedCluster, ty::U32, peer + 24, 10);
                out.write(old);
            }
            cluster_sync();
            out.add(1).write(read(tile + 12));
            fence_async();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_send_tile(cta, smem, src, out) {
        let tiles = smem.tiles.init(&cta);
        let (_, tiles) = cta.cluster((smem.tile, tiles), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async(cta);
            let Some(route) = cluster.rotation(unsafe { src.read() }) else { ptx::launch::trap() };
            let sent = inbox.send(&cluster, route, tile);
            unsafe { out.write(sent.is_complete() as u32) };
            let received = sent.receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            unsafe { out.add(2).write(received.get_vector(4).map_or(0, |vector| vector[1])) };
            let (inbox, tile) = received.release(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
        tiles.inval(&cta);
    }
    raw_cluster_send_tile(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + TILES, base + TILES + BYTES);
        init(bar, 1, true);
        cluster_sync();
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(src.read()) else { ptx::launch::trap() };
            expect(bar, BYTES);
            if elected() {
                let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar);
            }
            out.write(raw::mbarrier_test_wait_parity(sem::Relaxed, scope::Cluster, space::SharedCta, bar, 0) as u32);
            wait(bar, 0);
            out.add(1).write(read(inbox + 12));
            out.add(2).write(raw::ld_weak_v4(space::SharedCta, ty::B32, inbox + 64)[1]);
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 1);
    }
}

pair! {
    typed_cluster_multicast(cta, smem, src, out) {
        let tiles = smem.tiles.init(&cta);
        cta.cluster(tiles, |cluster, inbox| {
            let cta = cluster.cta();
            let received = inbox.multicast(&cluster, unsafe { only(src) }).receive(cta);
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (inbox, src) = received.release(&cluster);
            let policy = ptx::bulk::CachePolicy::evict_last();
            let received = inbox.multicast_cache_hint(&cluster, src, policy).receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let (inbox, _) = received.release(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_multicast(base, src, out) {
        let (inbox, bar) = (base + TILES, base + TILES + BYTES);
        init(bar, 1, true);
        cluster_sync();
        scope(|| {
            let all = || CtaMask::from_bits_retain(((1_u32 << raw::cluster_nctarank()) - 1) as u16);
            expect(bar, BYTES);
            if raw::cluster_ctarank() == 0 && elected() {
                raw::cp_async_bulk_shared_cluster_global_multicast_cluster(inbox, src.cast(), BYTES, bar, all());
            }
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            expect(bar, BYTES);
            if raw::cluster_ctarank() == 0 && elected() {
                raw::cp_async_bulk_shared_cluster_global_multicast_cluster_cache_hint(
                    inbox, src.cast(), BYTES, bar, all(), policy,
                );
            }
            wait(bar, 1);
            out.add(1).write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_store_add(cta, smem, src, out) {
        let words = smem.words.init(&cta, |_| 0);
        cta.cluster(words, |cluster, inbox| {
            let Some(route) = cluster.exchange(unsafe { src.read() }) else { ptx::launch::trap() };
            let received = inbox.store(&cluster, route, |i| i as u32).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let inbox = received.release(&cluster);
            let received = inbox.add(&cluster, route, |i| i as u32).receive(cluster.cta());
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let inbox = received.release(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_store_add(base, src, out) {
        let (inbox, bar) = (base + WORDS, base + WORDS + BYTES);
        init(bar, 1, false);
        write_tile(inbox, |_| 0);
        cluster_sync();
        scope(|| {
            let Some(to) = across(src.read()) else { ptx::launch::trap() };
            expect(bar, BYTES);
            let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
            for_each::<{ BYTES / 16 }>(|v| {
                let i = 4 * v;
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst + 16 * v, [i, i + 1, i + 2, i + 3], mbar);
            });
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
            expect(bar, BYTES);
            let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
            for_each::<{ N as u32 }>(|i| raw::red_async_add(space::SharedCluster, ty::U32, dst + 4 * i, i, mbar));
            wait(bar, 1);
            out.add(1).write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_add_to_others(cta, smem, src, out) {
        let words = smem.words.init(&cta, |_| 0);
        cta.cluster(words, |cluster, inbox| {
            let received = inbox.add_to_others(&cluster, |i| i as u32).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let inbox = received.release(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_add_to_others(base, src, out) {
        let (inbox, bar) = (base + WORDS, base + WORDS + BYTES);
        init(bar, 1, false);
        write_tile(inbox, |_| 0);
        cluster_sync();
        scope(|| {
            add_to_others(inbox, bar);
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_channel(cta, smem, src, out) {
        let channel = smem.channel.init(&cta);
        let (_, channel) = cta.cluster((smem.tile, channel), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async(cta);
            let Some(route) = cluster.rotation(unsafe { src.read() }) else { ptx::launch::trap() };
            let (mut channel, mut tile) = (inbox.along(route), tile);
            for round in 0..10 {
                let received = channel.send(&cluster, tile).receive(cta);
                unsafe { out.add(round).write(received.get(3).unwrap_or(0)) };
                unsafe { out.add(16).write(received.get_vector(4).map_or(0, |vector| vector[1])) };
                (channel, tile) = received.acknowledge(cta).reclaim(cta);
            }
            let inbox = channel.into_inbox(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
        channel.inval(&cta);
    }
    raw_cluster_channel(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + CHANNEL, base + CHANNEL + BYTES);
        init(bar, 2, true);
        cluster_sync();
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let by = src.read();
            let Some(to) = next(by) else { ptx::launch::trap() };
            let size = raw::cluster_nctarank();
            let from = raw::cluster_ctarank() + size - by;
            let from = if from >= size { from - size } else { from };
            let mut parity = 0;
            for round in 0..10 {
                expect(bar, BYTES);
                if elected() {
                    let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
                    raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar);
                }
                wait(bar, parity);
                out.add(round).write(read(inbox + 12));
                out.add(16).write(raw::ld_weak_v4(space::SharedCta, ty::B32, inbox + 64)[1]);
                sync();
                if elected() {
                    let credit = raw::mapa_shared_cluster(bar + 8, from);
                    raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, credit);
                }
                if elected() {
                    wait(bar + 8, parity);
                }
                sync();
                parity ^= 1;
            }
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 2);
    }
}
