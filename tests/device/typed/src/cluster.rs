//! `ptx::cluster`.

use ptx::bulk::{self, GlobalReduce, ReduceTile};
use ptx::cache_policy::CacheHint;
use ptx::cluster::{ByChannel, ByElement, ByTile, DsmemBuffer};
use ptx::global::{Global, GlobalMut, GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::group::Together;
use ptx::mask::CtaMask;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::multimem;
use ptx::qualifier::{
    arrivals, cache_hint, convergence::Aligned, cp_mask, cta_group, evict, load_mode, multicast, op, sem,
    space, suspend_time_hint, ty,
};
use ptx::raw::{self, WaitSem};
use ptx::shared::SharedArray;
use ptx::tensor::{
    self, Box1, Box2, Box3, Box4, Box5, Im2col3, Im2col4, Im2col5, TensorMap, TensorMapMut, TensorMapReduce,
};

use crate::tensor::Starts;
use crate::{elected, fence_async, scope, sync, thread_count, thread_rank};

const N: usize = 256;
const BYTES: u32 = 4 * N as u32;

ptx::shared_memory! {
    struct Smem {
        /// The address of this field can be read outside a scope.
        first: Mbarrier<Uninit>,
        tile: SharedArray<u32, N>,
        tiles: DsmemBuffer<u32, N, ByTile>,
        words: DsmemBuffer<u32, N, ByElement>,
        channel: DsmemBuffer<u32, N, ByChannel>,
        more_tiles: DsmemBuffer<u32, N, ByTile>,
        onward: DsmemBuffer<u32, N, ByChannel>,
        signed: DsmemBuffer<i32, N, ByElement>,
        wide: DsmemBuffer<i64, { N / 2 }, ByElement>,
        signed_tile: SharedArray<i32, N>,
        signed_tiles: DsmemBuffer<i32, N, ByTile>,
        wide_tile: SharedArray<i64, { N / 2 }>,
        wide_tiles: DsmemBuffer<i64, { N / 2 }, ByTile>,
    }
}
/// The offsets of the fields of `Smem`.
const TILE: u32 = 128;
const TILES: u32 = TILE + BYTES;
const WORDS: u32 = (TILES + BYTES + 8).next_multiple_of(128);
const CHANNEL: u32 = (WORDS + BYTES + 8).next_multiple_of(128);
const MORE_TILES: u32 = (CHANNEL + BYTES + 16).next_multiple_of(128);
const ONWARD: u32 = (MORE_TILES + BYTES + 8).next_multiple_of(128);
const SIGNED: u32 = (ONWARD + BYTES + 16).next_multiple_of(128);
const WIDE: u32 = (SIGNED + BYTES + 8).next_multiple_of(128);
const SIGNED_TILE: u32 = (WIDE + BYTES + 8).next_multiple_of(128);
const SIGNED_TILES: u32 = SIGNED_TILE + BYTES;
const WIDE_TILE: u32 = (SIGNED_TILES + BYTES + 8).next_multiple_of(128);
const WIDE_TILES: u32 = WIDE_TILE + BYTES;

#[inline(always)]
pub unsafe fn cluster_sync() {
    unsafe {
        raw::barrier_cluster_arrive(sem::Release, Aligned);
        raw::barrier_cluster_wait(Aligned);
    }
}

/// Calls `f` with each number of this thread's share of `0..COUNT`.
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
    crate::each_own(BYTES / 16, |v| {
        let first = 4 * v;
        let values = [f(first), f(first + 1), f(first + 2), f(first + 3)];
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, values) };
    });
}

#[inline(always)]
unsafe fn init(bar: u32, bars: u32) {
    if elected() {
        unsafe { init_of((bar, bars)) };
    }
}

#[inline(always)]
unsafe fn init_two(one: (u32, u32), other: (u32, u32)) {
    if elected() {
        unsafe {
            init_of(one);
            init_of(other);
        }
    }
}

#[inline(always)]
unsafe fn init_of((bar, bars): (u32, u32)) {
    for i in 0..bars {
        unsafe { raw::mbarrier_init(space::SharedCta, bar + 8 * i, 1) };
    }
}

/// Begins a scope with DSMEM buffers. If `by_copies`, copies fill one of the buffers; otherwise threads fill all.
#[inline(always)]
unsafe fn begin(by_copies: bool) {
    if elected() {
        raw::fence_mbarrier_init();
        if by_copies {
            raw::fence_proxy_async(space::SharedCta);
        }
    }
    unsafe { cluster_sync() }
}

#[inline(always)]
unsafe fn inval(bar: u32, bars: u32) {
    if elected() {
        unsafe { inval_of((bar, bars)) };
    }
}

#[inline(always)]
unsafe fn inval_two(one: (u32, u32), other: (u32, u32)) {
    if elected() {
        unsafe {
            inval_of(one);
            inval_of(other);
        }
    }
}

#[inline(always)]
unsafe fn inval_of((bar, bars): (u32, u32)) {
    for i in 0..bars {
        unsafe { raw::mbarrier_inval(space::SharedCta, bar + 8 * i) };
    }
}

#[inline(always)]
unsafe fn expect(bar: u32, bytes: u32) {
    if elected() {
        unsafe { raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, bytes) };
    }
}

/// Waits for data in the buffer of `bar`.
#[inline(always)]
unsafe fn wait(bar: u32, parity: u32) {
    unsafe { await_phase(sem::Relaxed, bar, parity) };
    raw::fence_acquire_sync_restrict();
}

#[inline(always)]
unsafe fn await_phase(sem: impl WaitSem, bar: u32, parity: u32) {
    let (scope, space) = (scope::Cluster, space::SharedCta);
    while !unsafe { raw::mbarrier_try_wait_parity(sem, scope, space, bar, parity, suspend_time_hint::None) } {
    }
}

#[inline(always)]
fn offset5(offset: u16) -> ptx::tensor::Im2colOffset {
    match ptx::tensor::Im2colOffset::new(offset) {
        Some(offset) => offset,
        None => ptx::trap(),
    }
}

#[inline(always)]
unsafe fn read(addr: u32) -> u32 {
    unsafe { raw::ld_weak(space::SharedCta, ty::B32, addr) }
}

/// Calls `f` with the rank of each other CTA, beginning with the next rank.
#[inline(always)]
fn for_each_other(mut f: impl FnMut(u32)) {
    let (rank, size) = (raw::cluster_ctarank(), raw::cluster_nctarank());
    let mut to = rank;
    loop {
        to += 1;
        if to == size {
            to = 0;
        }
        if to == rank {
            break;
        }
        f(to);
    }
}

/// Returns the addresses of the DSMEM buffer and its mbarrier in the CTA `rank`.
#[inline(always)]
unsafe fn of(inbox: u32, bar: u32, rank: u32) -> (u32, u32) {
    unsafe { (raw::mapa_shared_cluster(inbox, rank), raw::mapa_shared_cluster(bar, rank)) }
}

#[inline(always)]
unsafe fn add_to_others(inbox: u32, bar: u32) {
    unsafe { expect(bar, (raw::cluster_nctarank() - 1) * BYTES) };
    for_each::<{ N as u32 }>(|i| {
        for_each_other(|to| unsafe {
            let (dst, mbar) = of(inbox, bar, to);
            raw::red_async_add(space::SharedCluster, ty::U32, dst + 4 * i, i, mbar);
        });
    });
}

/// Expects a tile, and starts sending a tile.
#[inline(always)]
unsafe fn send(inbox: u32, bar: u32, to: u32, start: impl FnOnce(u32, u32)) {
    unsafe { expect(bar, BYTES) };
    if elected() {
        let (dst, mbar) = unsafe { of(inbox, bar, to) };
        start(dst, mbar);
    }
}

/// Acknowledges the tile to its sender, and waits for the receiver's acknowledgement.
#[inline(always)]
unsafe fn acknowledge(bar: u32, from: u32, parity: u32) {
    unsafe {
        sync();
        acknowledge_at_sync(bar, from, parity);
        sync();
    }
}

/// Runs the part of [`acknowledge`] between the two barriers.
#[inline(always)]
unsafe fn acknowledge_at_sync(bar: u32, from: u32, parity: u32) {
    unsafe {
        if elected() {
            let credit = raw::mapa_shared_cluster(bar + 8, from);
            raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, credit, arrivals::One);
        }
        if elected() {
            await_phase(sem::Acquire, bar + 8, parity);
        }
    }
}

/// Expects words, and sends the same number of words.
#[inline(always)]
unsafe fn each<const COUNT: u32>(inbox: u32, bar: u32, to: u32, mut start: impl FnMut(u32, u32, u32)) {
    unsafe { expect(bar, BYTES) };
    let (dst, mbar) = unsafe { of(inbox, bar, to) };
    let start = |i| start(i, dst + BYTES / COUNT * i, mbar);
    if COUNT == BYTES / 16 { crate::each_own(COUNT, start) } else { for_each::<COUNT>(start) }
}

/// Returns the rank `by` after this CTA's, cyclically.
#[inline(always)]
fn next(by: u32) -> Option<u32> {
    let size = raw::cluster_nctarank();
    if by == 0 || by >= size {
        return None;
    }
    let to = raw::cluster_ctarank() + by;
    Some(if to >= size { to - size } else { to })
}

/// Returns this CTA's rank with the bits of `mask` flipped.
#[inline(always)]
fn across(mask: u32) -> Option<u32> {
    let size = raw::cluster_nctarank();
    if mask == 0 || mask >= size || !size.is_power_of_two() {
        return None;
    }
    Some(raw::cluster_ctarank() ^ mask)
}

/// Returns the rank of the first CTA of a row of `ctas` CTAs, and this CTA's rank in the row. Ranks in a cluster count x fastest.
#[inline(always)]
pub fn row(ctas: u32) -> Option<(u32, u32)> {
    let rank = raw::cluster_ctarank();
    let x = rank % ctas;
    (raw::cluster_nctaid_x() == ctas).then_some((rank - x, x))
}

/// Returns the rank of the first CTA of a column of `ctas` CTAs, the distance to the next, and this CTA's rank in the column.
#[inline(always)]
fn column(ctas: u32) -> Option<(u32, u32, u32)> {
    let (rank, stride) = (raw::cluster_ctarank(), raw::cluster_nctaid_x());
    let y = rank.checked_div(stride).unwrap_or(0) % ctas;
    (raw::cluster_nctaid_y() == ctas).then_some((rank - y * stride, stride, y))
}

/// Returns the mask of `ctas` CTAs, `stride` apart, starting at the rank `first`.
#[inline(always)]
fn group(first: u32, stride: u32, ctas: u32) -> CtaMask {
    CtaMask::from_bits_retain((0..ctas).fold(0_u32, |bits, i| bits | 1 << (first + i * stride)) as u16)
}

/// Returns the only tile of the source.
#[inline(always)]
unsafe fn only(src: *const u32) -> GlobalTile<u32, N> {
    match unsafe { Global::from_raw(src, N) }.tiles::<N>().0.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

/// A pair of kernels over the declared shared memory.
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
        cta.cluster_scope(smem.tile, |cluster, tile| {
            let [x, y, z] = cluster.shape();
            let [i, j, k] = cluster.position();
            let words = [cluster.cta_rank(), cluster.cta_count(), x, y, z, i, j, k];
            unsafe { out.cast::<[u32; 8]>().write(words) };
            (cluster, tile)
        });
    }
    raw_cluster_scope(base, src, out) {
        scope(|| {
            let (x, y, z) = (raw::cluster_nctaid_x(), raw::cluster_nctaid_y(), raw::cluster_nctaid_z());
            let (i, j, k) = (raw::cluster_ctaid_x(), raw::cluster_ctaid_y(), raw::cluster_ctaid_z());
            let words = [raw::cluster_ctarank(), raw::cluster_nctarank(), x, y, z, i, j, k];
            out.cast::<[u32; 8]>().write(words);
        });
        cluster_sync();
    }
}

// These kernels use a part of the CTA inside a cluster scope, and a cluster scope inside an async scope.
pair! {
    typed_cluster_cta_mut(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |mut cluster, tile| {
            let tile = cluster.cta_mut().invoke_one(tile, |_, tile| {
                unsafe { out.write(src.read()) };
                tile
            });
            let tile = tile.sync(cluster.cta());
            cluster.cta_mut().async_scope(smem.signed_tile, |cta, lent| {
                cta.cluster_scope(smem.wide_tile, |cluster, wide| {
                    let wide = cluster.open_write_only(wide).sync(&cluster).close().sync(&cluster).to_async().sync(cluster.cta());
                    (cluster, wide.into_free())
                });
                lent
            });
            (cluster, tile)
        });
    }
    raw_cluster_cta_mut(base, src, out) {
        scope(|| {
            if elected() {
                out.write(src.read());
            }
            sync();
            scope(|| {
                cluster_sync();
                cluster_sync();
                fence_async();
            });
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_peers(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |cluster, tile| {
            unsafe { out.write(cluster.whole::<8>().map_or(99, |group| group.cta_rank())) };
            unsafe { out.add(1).write(cluster.row::<4>().map_or(99, |group| group.cta_rank())) };
            unsafe { out.add(2).write(cluster.column::<2>().map_or(99, |group| group.cta_rank())) };
            (cluster, tile)
        });
    }
    raw_cluster_peers(base, src, out) {
        scope(|| {
            let (size, rank) = (raw::cluster_nctarank(), raw::cluster_ctarank());
            out.write(if size == 8 { rank } else { 99 });
            out.add(1).write(row(4).map_or(99, |(_, x)| x));
            out.add(2).write(column(2).map_or(99, |(_, _, y)| y));
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_queries(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |cluster, tile| {
            let tile = cluster.open_write_only(tile).sync(&cluster);
            let tile = tile.close().sync(&cluster).to_async().sync(cluster.cta()).into_free();
            let arrived = cluster.arrive();
            unsafe { out.write(arrived.cta().thread_rank()) };
            (arrived.wait(), tile)
        });
    }
    raw_cluster_queries(base, src, out) {
        scope(|| {
            cluster_sync();
            cluster_sync();
            fence_async();
            raw::barrier_cluster_arrive(sem::Release, Aligned);
            out.write(thread_rank());
            raw::barrier_cluster_wait(Aligned);
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_sync(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |cluster, tile| {
            cluster.sync();
            let arrived = cluster.arrive();
            unsafe { out.write(src.read()) };
            (arrived.wait(), tile)
        });
    }
    raw_cluster_sync(base, src, out) {
        scope(|| {
            cluster_sync();
            raw::barrier_cluster_arrive(sem::Release, Aligned);
            out.write(src.read());
            raw::barrier_cluster_wait(Aligned);
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_publish(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |cluster, tile| {
            let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                unsafe { out.write(peer.get(3).unwrap_or(0)) };
                unsafe { out.add(1).write(peer.get_vector(4).map_or(0, |vector| vector[1])) };
            }
            unsafe { out.add(2).write(tile.get(5).unwrap_or(0)) };
            unsafe { out.add(3).write(tile.get_vector(2).map_or(0, |vector| vector[3])) };
            let tile = tile.close().sync(&cluster).to_async().sync(cluster.cta()).into_free();
            (cluster, tile)
        });
    }
    raw_cluster_publish(base, src, out) {
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
            out.add(3).write(raw::ld_weak_v4(space::SharedCta, ty::B32, tile + 32)[3]);
            cluster_sync();
            fence_async();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_open(cta, smem, src, out) {
        cta.cluster_scope(smem.tile, |cluster, tile| {
            let tile = cluster.open_write_only(tile).sync(&cluster);
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                let _ = peer.set(3, 7);
                let _ = peer.set_vector(4, [1, 2, 3, 4]);
            }
            let tile = cluster.open_atomic(tile.close().sync(&cluster)).sync(&cluster);
            if let Some(peer) = tile.peer(unsafe { src.read() }) {
                if let Some(element) = peer.atomic(5) {
                    element.add(9, sem::Relaxed);
                }
                unsafe { out.write(peer.atomic(6).map_or(0, |element| element.fetch_add(10, sem::AcqRel))) };
            }
            let tile = tile.close().sync(&cluster);
            unsafe { out.add(1).write(tile.get(3).unwrap_or(0)) };
            let tile = tile.to_async().sync(cluster.cta()).into_free();
            (cluster, tile)
        });
    }
    raw_cluster_open(base, src, out) {
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
                raw::red_add(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::U32, peer + 20, 9, cache_hint::None);
                let old =
                    raw::atom_add(sem::AcqRel, scope::Cluster, space::SharedCluster, ty::U32, peer + 24, 10, cache_hint::None);
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
    typed_cluster_finish(cta, smem, src, out) {
        cta.finish_cluster(smem.tile, |cluster, tile| {
            let tile = cluster.open_atomic(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
            if let Some(element) = tile.peer(unsafe { src.read() }).and_then(|peer| peer.atomic(5)) {
                element.add(9, sem::Relaxed);
            }
            let tile = tile.publish().sync(&cluster);
            unsafe { out.write(tile.get(5).unwrap_or(0)) };
            (cluster, tile.end())
        });
    }
    raw_cluster_finish(base, src, out) {
        let tile = base + TILE;
        scope(|| {
            write_tile(tile, |i| i);
            cluster_sync();
            let rank = src.read();
            if rank < raw::cluster_nctarank() {
                let peer = raw::mapa_shared_cluster(tile, rank);
                raw::red_add(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::U32, peer + 20, 9, cache_hint::None);
            }
            cluster_sync();
            out.write(read(tile + 20));
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_sync_together(cta, smem, src, out) {
        cta.cluster_scope((smem.tile, smem.signed_tile, smem.wide_tile), |cluster, (a, b, c)| {
            let cta = cluster.cta();
            let (a, b, c) = (
                cluster.publish(a.write(cta, |i| i as u32)),
                cluster.open_atomic(b.write(cta, |i| i as i32)),
                cluster.open_write_only(c),
            ).sync(&cluster);
            if let Some(peer) = b.peer(unsafe { src.read() }).and_then(|peer| peer.atomic(5)) {
                peer.add(a.get(3).unwrap_or(0) as i32, sem::Relaxed);
            }
            let (a, b, c) = (a.close(), b.publish(), c.close()).sync(&cluster);
            unsafe { out.write(b.get(5).unwrap_or(0) as u32) };
            // A barrier of the cluster also ends transitions of handles of the CTA.
            let (a, b, c) = (a.to_async(), b.close(), c.to_async()).sync(&cluster);
            let b = cluster.open_atomic(b).sync(&cluster);
            let b = b.close().sync(&cluster);
            let b = b.to_async().sync(cta);
            (cluster, (a.into_free(), b.into_free(), c.into_free()))
        });
    }
    raw_cluster_sync_together(base, src, out) {
        scope(|| {
            let (a, b) = (base + TILE, base + SIGNED_TILE);
            write_tile(a, |i| i);
            write_tile(b, |i| i);
            cluster_sync();
            let rank = src.read();
            if rank < raw::cluster_nctarank() {
                let peer = raw::mapa_shared_cluster(b, rank);
                raw::red_add(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::S32, peer + 20, read(a + 12) as i32, cache_hint::None);
            }
            cluster_sync();
            out.write(read(b + 20));
            raw::fence_proxy_async(space::SharedCta);
            raw::fence_proxy_async(space::SharedCta);
            cluster_sync();
            cluster_sync();
            cluster_sync();
            fence_async();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_dsmem_buffers(cta, smem, src, out) {
        let buffers = (smem.tiles, smem.more_tiles, smem.words.init_with(&cta, |_| 0));
        cta.cluster_scope((smem.tile, buffers), |cluster, (tile, (tiles, more_tiles, words))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let tiles = tiles.send(&cluster, permutation, tile).receive(cta);
            let words = words.store(&cluster, permutation, |i| i as u32).receive(cta);
            let ((tiles, tile), words) =
                (tiles.reclaim(), words.release()).sync(&cluster);
            unsafe { out.write(tiles.get(3).unwrap_or(0)) };
            let more_tiles = more_tiles.send(&cluster, permutation, tiles).receive(cta);
            let (more_tiles, (tiles, ())) = more_tiles.release().sync(&cluster);
            (cluster, (tile.into_free(), (tiles, more_tiles, words)))
        });
    }
    raw_cluster_dsmem_buffers(base, src, out) {
        let (tile, tiles, more_tiles, words) = (base + TILE, base + TILES, base + MORE_TILES, base + WORDS);
        init(words + BYTES, 1);
        write_tile(words, |_| 0);
        init_two((tiles + BYTES, 1), (more_tiles + BYTES, 1));
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = across(src.read()) else { ptx::trap() };
            send(tiles, tiles + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(tiles + BYTES, 0);
            each::<{ BYTES / 16 }>(words, words + BYTES, to, |v, dst, mbar| {
                let i = 4 * v;
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst, [i, i + 1, i + 2, i + 3], mbar);
            });
            wait(words + BYTES, 0);
            cluster_sync();
            out.write(read(tiles + 12));
            send(more_tiles, more_tiles + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tiles, BYTES, mbar));
            wait(more_tiles + BYTES, 0);
            cluster_sync();
        });
        cluster_sync();
        inval_two((tiles + BYTES, 1), (more_tiles + BYTES, 1));
        sync();
    }
}

pair! {
    typed_cluster_channel_onward(cta, smem, src, out) {
        let buffers = (smem.channel, smem.onward);
        cta.finish_cluster((smem.tile, buffers), |cluster, (tile, (a, b))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let received = a.into_channel(permutation).send(&cluster, tile).receive(cta);
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let released = received.release().sync(cta);
            let (channel, tile) = released.acknowledge(cta).reclaim(cta);
            let tile = tile.sync(cta);
            let received = channel.send(&cluster, tile).receive(cta);
            let released = received.release().sync(cta);
            let (channel, tile) = released.acknowledge(cta).reclaim(cta);
            let (a, tile) = (channel.into_inbox(), tile).sync(&cluster);
            let received = b.into_channel(permutation).send(&cluster, tile).receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let (b, tile) = received.end();
            (cluster, (tile, (a.end(), b)))
        });
    }
    raw_cluster_channel_onward(base, src, out) {
        let (tile, a, b) = (base + TILE, base + CHANNEL, base + ONWARD);
        init_two((a + BYTES, 2), (b + BYTES, 2));
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = across(src.read()) else { ptx::trap() };
            let copy = |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar);
            send(a, a + BYTES, to, copy);
            wait(a + BYTES, 0);
            out.write(read(a + 12));
            sync();
            acknowledge_at_sync(a + BYTES, to, 0);
            sync();
            send(a, a + BYTES, to, copy);
            wait(a + BYTES, 1);
            sync();
            acknowledge_at_sync(a + BYTES, to, 1);
            cluster_sync();
            send(b, b + BYTES, to, copy);
            wait(b + BYTES, 0);
            out.add(1).write(read(b + 12));
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_finish_tensor(cta, smem, src, out) {
        let tiles = smem.tiles;
        let map = unsafe { TensorMap::<u32, Box2<32, 8>>::from_raw(src.cast()) };
        cta.finish_cluster(tiles, |cluster, inbox| {
            let Some(all) = cluster.whole::<4>() else { ptx::trap() };
            let received = inbox.multicast_tensor(&cluster, all, map.box_at([8, -1])).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (tiles, ()) = received.end();
            (cluster, tiles)
        });
    }
    raw_cluster_finish_tensor(base, src, out) {
        let (inbox, bar) = (base + TILES, base + TILES + BYTES);
        init(bar, 1);
        begin(true);
        scope(|| {
            if raw::cluster_nctarank() != 4 {
                ptx::trap();
            }
            expect(bar, BYTES);
            if raw::cluster_ctarank() == 0 && elected() {
                let all = CtaMask::from_bits_retain(0b1111);
                raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCluster, GROUP, inbox, src.cast(), [256, -8], bar, multicast::Cluster(all), cache_hint::None);
            }
            wait(bar, 0);
            out.write(read(inbox + 12));
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_finish_dsmem_buffers(cta, smem, src, out) {
        let buffers = (smem.words.init_with(&cta, |_| 0), smem.channel, smem.tiles);
        cta.finish_cluster(buffers, |cluster, (words, channel, tiles)| {
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let received = words.store(&cluster, permutation, |i| i as u32).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (words, ()) = received.end();
            (cluster, (words, channel.into_channel(permutation).end(), tiles.end()))
        });
    }
    raw_cluster_finish_dsmem_buffers(base, src, out) {
        let (inbox, bar) = (base + WORDS, base + WORDS + BYTES);
        init(bar, 1);
        write_tile(inbox, |_| 0);
        init_two((base + CHANNEL + BYTES, 2), (base + TILES + BYTES, 1));
        begin(true);
        scope(|| {
            let Some(to) = across(src.read()) else { ptx::trap() };
            each::<{ BYTES / 16 }>(inbox, bar, to, |v, dst, mbar| {
                let i = 4 * v;
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst, [i, i + 1, i + 2, i + 3], mbar);
            });
            wait(bar, 0);
            out.write(read(inbox + 12));
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_send_tile(cta, smem, src, out) {
        let tiles = smem.tiles;
        cta.cluster_scope((smem.tile, tiles), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let sent = inbox.send(&cluster, permutation, tile);
            let received = sent.receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            unsafe { out.add(2).write(received.get_vector(4).map_or(0, |vector| vector[1])) };
            let (inbox, tile) = received.release().sync(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
    }
    raw_cluster_send_tile(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + TILES, base + TILES + BYTES);
        init(bar, 1);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(src.read()) else { ptx::trap() };
            expect(bar, BYTES);
            if elected() {
                let (dst, mbar) = (raw::mapa_shared_cluster(inbox, to), raw::mapa_shared_cluster(bar, to));
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar);
            }
            wait(bar, 0);
            out.add(1).write(read(inbox + 12));
            out.add(2).write(raw::ld_weak_v4(space::SharedCta, ty::B32, inbox + 64)[1]);
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 1);
        sync();
    }
}

pair! {
    typed_cluster_multicast(cta, smem, src, out) {
        let tiles = smem.tiles;
        cta.cluster_scope(tiles, |cluster, inbox| {
            let cta = cluster.cta();
            let Some(all) = cluster.whole::<4>() else { ptx::trap() };
            let received = inbox.multicast(&cluster, all, unsafe { only(src) }).receive(cta);
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (inbox, src) = received.release().sync(&cluster);
            let policy = ptx::cache_policy::CachePolicy::evict_last();
            let received = inbox.multicast(&cluster, all, src.cache_hint(policy)).receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let (inbox, _) = received.release().sync(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_multicast(base, src, out) {
        let (inbox, bar) = (base + TILES, base + TILES + BYTES);
        init(bar, 1);
        begin(true);
        scope(|| {
            if raw::cluster_nctarank() != 4 {
                ptx::trap();
            }
            let all = CtaMask::from_bits_retain(0b1111);
            expect(bar, BYTES);
            if raw::cluster_ctarank() == 0 && elected() {
                raw::cp_async_bulk_shared_cluster_global(inbox, src.cast(), BYTES, bar, multicast::Cluster(all), cache_hint::None);
            }
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            expect(bar, BYTES);
            if raw::cluster_ctarank() == 0 && elected() {
                raw::cp_async_bulk_shared_cluster_global(inbox, src.cast(), BYTES, bar, multicast::Cluster(all), cache_hint::Policy(policy));
            }
            wait(bar, 1);
            out.add(1).write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 1);
        sync();
    }
}

pair! {
    typed_cluster_multicast_peers(cta, smem, src, out) {
        let tiles = smem.tiles;
        cta.cluster_scope(tiles, |cluster, inbox| {
            let cta = cluster.cta();
            let Some(row) = cluster.row::<4>() else { ptx::trap() };
            let received = inbox.multicast(&cluster, row, unsafe { only(src) }).receive(cta);
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (inbox, src) = received.release().sync(&cluster);
            let Some(column) = cluster.column::<2>() else { ptx::trap() };
            let received = inbox.multicast(&cluster, column, src).receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let (inbox, _) = received.release().sync(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_multicast_peers(base, src, out) {
        let (inbox, bar) = (base + TILES, base + TILES + BYTES);
        init(bar, 1);
        begin(true);
        scope(|| {
            let Some((first, x)) = row(4) else { ptx::trap() };
            expect(bar, BYTES);
            if x == 0 && elected() {
                let row = group(first, 1, 4);
                raw::cp_async_bulk_shared_cluster_global(inbox, src.cast(), BYTES, bar, multicast::Cluster(row), cache_hint::None);
            }
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
            let Some((first, stride, y)) = column(2) else { ptx::trap() };
            expect(bar, BYTES);
            if y == 0 && elected() {
                let column = group(first, stride, 2);
                raw::cp_async_bulk_shared_cluster_global(inbox, src.cast(), BYTES, bar, multicast::Cluster(column), cache_hint::None);
            }
            wait(bar, 1);
            out.add(1).write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 1);
        sync();
    }
}

/// A pair of kernels that multicast a part of a tensor, and differ only in the copy.
macro_rules! multicast_pair {
    ($typed:ident $Shape:ty, $at:expr; $raw:ident |$dst:ident, $map:ident, $mbar:ident, $mask:ident| $copy:expr) => {
        pair! {
            $typed(cta, smem, src, out) {
                let tiles = smem.tiles;
                let map = unsafe { TensorMap::<u32, $Shape>::from_raw_within(src.cast(), Starts::STARTS) };
                cta.cluster_scope(tiles, |cluster, inbox| {
                    let Some(all) = cluster.whole::<4>() else { ptx::trap() };
                    let Some(part) = map.at($at) else { ptx::trap() };
                    let received = inbox.multicast_tensor(&cluster, all, part).receive(cluster.cta());
                    unsafe { out.write(received.get(3).unwrap_or(0)) };
                    let (inbox, _) = received.release().sync(&cluster);
                    (cluster, inbox)
                });
            }
            $raw(base, src, out) {
                let (inbox, bar) = (base + TILES, base + TILES + BYTES);
                init(bar, 1);
                begin(true);
                scope(|| {
                    if raw::cluster_nctarank() != 4 {
                        ptx::trap();
                    }
                    expect(bar, BYTES);
                    if raw::cluster_ctarank() == 0 && elected() {
                        let ($dst, $map, $mbar, $mask) = (inbox, src.cast(), bar, CtaMask::from_bits_retain(0b1111));
                        $copy;
                    }
                    wait(bar, 0);
                    out.write(read(inbox + 12));
                    cluster_sync();
                });
                cluster_sync();
                inval(bar, 1);
                sync();
            }
        }
    };
}

const GROUP: cta_group::None = cta_group::None;

multicast_pair! {
    typed_cluster_multicast_tensor_1d Box1<256>, [8];
    raw_cluster_multicast_tensor_1d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_1d_global_tile(space::SharedCluster, GROUP, dst, map, [8], bar, multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_tensor_2d Box2<32, 8>, [8, -1];
    raw_cluster_multicast_tensor_2d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCluster, GROUP, dst, map, [8, -1], bar, multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_tensor_3d Box3<16, 4, 4>, [8, -1, 2];
    raw_cluster_multicast_tensor_3d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_3d_global_tile(space::SharedCluster, GROUP, dst, map, [8, -1, 2], bar, multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_tensor_4d Box4<8, 4, 4, 2>, [8, -1, 2, 3];
    raw_cluster_multicast_tensor_4d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_4d_global_tile(space::SharedCluster, GROUP, dst, map, [8, -1, 2, 3], bar, multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_tensor_5d Box5<4, 4, 4, 2, 2>, [8, -1, 2, 3, 4];
    raw_cluster_multicast_tensor_5d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_5d_global_tile(space::SharedCluster, GROUP, dst, map, [8, -1, 2, 3, 4], bar, multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_im2col_3d Im2col3<32, 8>, ([8, -1, 2], [300]);
    raw_cluster_multicast_im2col_3d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_3d_global_im2col(space::SharedCluster, GROUP, dst, map, [8, -1, 2], bar, [300], multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_im2col_4d Im2col4<32, 8>, ([8, -1, 2, 3], [1, 2]);
    raw_cluster_multicast_im2col_4d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_4d_global_im2col(space::SharedCluster, GROUP, dst, map, [8, -1, 2, 3], bar, [1, 2], multicast::Cluster(mask), cache_hint::None)
}

multicast_pair! {
    typed_cluster_multicast_im2col_5d Im2col5<32, 8>, ([8, -1, 2, 3, 4], [1, 2, 31].map(offset5));
    raw_cluster_multicast_im2col_5d |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_5d_global_im2col(space::SharedCluster, GROUP, dst, map, [8, -1, 2, 3, 4], bar, [1, 2, 31], multicast::Cluster(mask), cache_hint::None)
}

#[cfg(feature = "sm_100a")]
multicast_pair! {
    typed_cluster_multicast_gather4 ptx::tensor::Gather4<64>, [8, 1, 9, 4, 4];
    raw_cluster_multicast_gather4 |dst, map, bar, mask|
        raw::cp_async_bulk_tensor_2d_global_tile_gather4(space::SharedCluster, GROUP, dst, map, [8, 1, 9, 4, 4], bar, multicast::Cluster(mask), cache_hint::None)
}

#[cfg(feature = "sm_100a")]
multicast_pair! {
    typed_cluster_multicast_im2col_w_3d ptx::tensor::Im2colW3<32, 8>, ([8, -1, 2], offset5(3));
    raw_cluster_multicast_im2col_w_3d |dst, map, bar, mask| {
        let mode = ptx::qualifier::load_mode::Im2colW;
        raw::cp_async_bulk_tensor_3d_global_im2col_w(space::SharedCluster, mode, GROUP, dst, map, [8, -1, 2], bar, [0, 3], multicast::Cluster(mask), cache_hint::None)
    }
}

#[cfg(feature = "sm_100a")]
multicast_pair! {
    typed_cluster_multicast_im2col_w_4d ptx::tensor::Im2colW4<32, 8>, ([8, -1, 2, 3], offset5(3));
    raw_cluster_multicast_im2col_w_4d |dst, map, bar, mask| {
        let mode = ptx::qualifier::load_mode::Im2colW;
        raw::cp_async_bulk_tensor_4d_global_im2col_w(space::SharedCluster, mode, GROUP, dst, map, [8, -1, 2, 3], bar, [0, 3], multicast::Cluster(mask), cache_hint::None)
    }
}

#[cfg(feature = "sm_100a")]
multicast_pair! {
    typed_cluster_multicast_im2col_w_5d ptx::tensor::Im2colW5<32, 8>, ([8, -1, 2, 3, 4], offset5(3));
    raw_cluster_multicast_im2col_w_5d |dst, map, bar, mask| {
        let mode = ptx::qualifier::load_mode::Im2colW;
        raw::cp_async_bulk_tensor_5d_global_im2col_w(space::SharedCluster, mode, GROUP, dst, map, [8, -1, 2, 3, 4], bar, [0, 3], multicast::Cluster(mask), cache_hint::None)
    }
}

pair! {
    typed_cluster_multicast_tensor_cache_hint(cta, smem, src, out) {
        let tiles = smem.tiles;
        let map = unsafe { TensorMap::<u32, Box2<32, 8>>::from_raw(src.cast()) };
        cta.cluster_scope(tiles, |cluster, inbox| {
            let Some(column) = cluster.column::<2>() else { ptx::trap() };
            let policy = ptx::cache_policy::CachePolicy::evict_last();
            let sent = inbox.multicast_tensor(&cluster, column, map.box_at([8, -1]).cache_hint(policy));
            let (inbox, _) = sent.receive(cluster.cta()).release().sync(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_multicast_tensor_cache_hint(base, src, out) {
        let (inbox, bar) = (base + TILES, base + TILES + BYTES);
        init(bar, 1);
        begin(true);
        scope(|| {
            let Some((first, stride, y)) = column(2) else { ptx::trap() };
            let policy = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
            expect(bar, BYTES);
            if y == 0 && elected() {
                let column = group(first, stride, 2);
                raw::cp_async_bulk_tensor_2d_global_tile(space::SharedCluster, GROUP, inbox, src.cast(), [256, -8], bar, multicast::Cluster(column), cache_hint::Policy(policy));
            }
            wait(bar, 0);
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 1);
        sync();
    }
}

pair! {
    typed_cluster_store_reduce(cta, smem, src, out) {
        let words = smem.words.init_with(&cta, |_| 0);
        cta.cluster_scope(words, |cluster, inbox| {
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let received = inbox.store(&cluster, permutation, |i| i as u32).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let inbox = received.release().sync(&cluster);
            let received = inbox.reduce(&cluster, op::Add, permutation, |i| i as u32).receive(cluster.cta());
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            let inbox = received.release().sync(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_store_reduce(base, src, out) {
        let (inbox, bar) = (base + WORDS, base + WORDS + BYTES);
        init(bar, 1);
        write_tile(inbox, |_| 0);
        begin(false);
        scope(|| {
            let Some(to) = across(src.read()) else { ptx::trap() };
            each::<{ BYTES / 16 }>(inbox, bar, to, |v, dst, mbar| {
                let i = 4 * v;
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst, [i, i + 1, i + 2, i + 3], mbar);
            });
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
            each::<{ N as u32 }>(inbox, bar, to, |i, dst, mbar| {
                raw::red_async_add(space::SharedCluster, ty::U32, dst, i, mbar);
            });
            wait(bar, 1);
            out.add(1).write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

/// Each operation on a DSMEM buffer of words.
macro_rules! word_pair {
    ($typed:ident $raw:ident $T:ty, $buffer:ident $OFFSET:ident $count:literal;
     $( $Op:ident => |$i:ident, $dst:ident, $mbar:ident| $start:expr; )+) => {
        pair! {
            $typed(cta, smem, src, out) {
                let buffer = smem.$buffer.init_with(&cta, |i| i as $T);
                cta.cluster_scope(buffer, |cluster, inbox| {
                    let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
                    $(
                        let sent = inbox.reduce(&cluster, op::$Op, permutation, |i| i as $T);
                        let inbox = sent.receive(cluster.cta()).release().sync(&cluster);
                    )+
                    (cluster, inbox)
                });
            }
            $raw(base, src, out) {
                let (inbox, bar) = (base + $OFFSET, base + $OFFSET + BYTES);
                init(bar, 1);
                write::<$T>(inbox);
                begin(false);
                scope(|| {
                    let Some(to) = next(src.read()) else { ptx::trap() };
                    let mut parity = 0;
                    $(
                        each::<$count>(inbox, bar, to, |$i, $dst, $mbar| $start);
                        wait(bar, parity);
                        cluster_sync();
                        parity ^= 1;
                    )+
                    let _ = parity;
                });
                cluster_sync();
            }
        }
    };
}

/// Writes to each element its index, for elements of four or of eight bytes.
#[inline(always)]
unsafe fn write<T>(base: u32) {
    if size_of::<T>() == 4 {
        return unsafe { write_tile(base, |i| i) };
    }
    crate::each_own(BYTES / 16, |v| {
        let first = 2 * v as u64;
        unsafe { raw::st_weak_v2(space::SharedCta, ty::B64, base + 16 * v, [first, first + 1]) };
    });
}

word_pair! {
    typed_cluster_reduce_u32 raw_cluster_reduce_u32 u32, words WORDS 256;
    Add => |i, dst, mbar| raw::red_async_add(space::SharedCluster, ty::U32, dst, i, mbar);
    Min => |i, dst, mbar| raw::red_async_min_max(space::SharedCluster, op::Min, ty::U32, dst, i, mbar);
    Max => |i, dst, mbar| raw::red_async_min_max(space::SharedCluster, op::Max, ty::U32, dst, i, mbar);
    Inc => |i, dst, mbar| raw::red_async_inc_dec(space::SharedCluster, op::Inc, ty::U32, dst, i, mbar);
    Dec => |i, dst, mbar| raw::red_async_inc_dec(space::SharedCluster, op::Dec, ty::U32, dst, i, mbar);
    And => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::And, ty::B32, dst, i, mbar);
    Or => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::Or, ty::B32, dst, i, mbar);
    Xor => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::Xor, ty::B32, dst, i, mbar);
}

word_pair! {
    typed_cluster_reduce_i32 raw_cluster_reduce_i32 i32, signed SIGNED 256;
    Add => |i, dst, mbar| raw::red_async_add(space::SharedCluster, ty::S32, dst, i as i32, mbar);
    Min => |i, dst, mbar| raw::red_async_min_max(space::SharedCluster, op::Min, ty::S32, dst, i as i32, mbar);
    Max => |i, dst, mbar| raw::red_async_min_max(space::SharedCluster, op::Max, ty::S32, dst, i as i32, mbar);
    And => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::And, ty::B32, dst, i, mbar);
    Or => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::Or, ty::B32, dst, i, mbar);
    Xor => |i, dst, mbar| raw::red_async_bitwise(space::SharedCluster, op::Xor, ty::B32, dst, i, mbar);
}

word_pair! {
    typed_cluster_reduce_i64 raw_cluster_reduce_i64 i64, wide WIDE 128;
    Add => |i, dst, mbar| raw::red_async_add(space::SharedCluster, ty::U64, dst, i as u64, mbar);
}

pair! {
    typed_cluster_reduce_to_others(cta, smem, src, out) {
        let words = smem.words.init_with(&cta, |_| 0);
        cta.cluster_scope(words, |cluster, inbox| {
            let received = inbox.reduce_to_others(&cluster, op::Add, |i| i as u32).receive(cluster.cta());
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let inbox = received.release().sync(&cluster);
            (cluster, inbox)
        });
    }
    raw_cluster_reduce_to_others(base, src, out) {
        let (inbox, bar) = (base + WORDS, base + WORDS + BYTES);
        init(bar, 1);
        write_tile(inbox, |_| 0);
        begin(false);
        scope(|| {
            add_to_others(inbox, bar);
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

/// Each operation on a DSMEM buffer of tiles.
macro_rules! tile_pair {
    ($typed:ident $raw:ident $T:ty, $tile:ident $TILE:ident $buffer:ident $TILES:ident;
     $( $Op:ident => |$dst:ident, $src:ident, $mbar:ident| $start:expr; )+) => {
        pair! {
            $typed(cta, smem, src, out) {
                let buffer = smem.$buffer.init_with(&cta, |i| i as $T);
                cta.cluster_scope((smem.$tile, buffer), |cluster, (tile, inbox)| {
                    let cta = cluster.cta();
                    let tile = tile.write(cta, |i| i as $T).to_async().sync(cta);
                    let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
                    $(
                        let sent = inbox.send_reduce(&cluster, op::$Op, permutation, tile);
                        let (inbox, tile) = sent.receive(cta).release().sync(&cluster);
                    )+
                    (cluster, (tile.into_free(), inbox))
                });
            }
            $raw(base, src, out) {
                let (tile, inbox, bar) = (base + $TILE, base + $TILES, base + $TILES + BYTES);
                init(bar, 1);
                write::<$T>(inbox);
                raw::fence_proxy_async(space::SharedCta);
                begin(true);
                scope(|| {
                    write::<$T>(tile);
                    fence_async();
                    let Some(to) = next(src.read()) else { ptx::trap() };
                    let mut parity = 0;
                    $(
                        send(inbox, bar, to, |$dst, $mbar| {
                            let $src = tile;
                            $start
                        });
                        wait(bar, parity);
                        cluster_sync();
                        parity ^= 1;
                    )+
                    let _ = parity;
                });
                cluster_sync();
            }
        }
    };
}

tile_pair! {
    typed_cluster_send_reduce_u32 raw_cluster_send_reduce_u32 u32, tile TILE tiles TILES;
    Add => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add(ty::U32, dst, src, BYTES, mbar);
    Min => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_min_max(op::Min, ty::U32, dst, src, BYTES, mbar);
    Max => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_min_max(op::Max, ty::U32, dst, src, BYTES, mbar);
    Inc => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec(op::Inc, ty::U32, dst, src, BYTES, mbar);
    Dec => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec(op::Dec, ty::U32, dst, src, BYTES, mbar);
    And => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::And, ty::B32, dst, src, BYTES, mbar);
    Or => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::Or, ty::B32, dst, src, BYTES, mbar);
    Xor => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::Xor, ty::B32, dst, src, BYTES, mbar);
}

tile_pair! {
    typed_cluster_send_reduce_i32 raw_cluster_send_reduce_i32 i32, signed_tile SIGNED_TILE signed_tiles SIGNED_TILES;
    Add => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add(ty::S32, dst, src, BYTES, mbar);
    Min => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_min_max(op::Min, ty::S32, dst, src, BYTES, mbar);
    Max => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_min_max(op::Max, ty::S32, dst, src, BYTES, mbar);
    And => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::And, ty::B32, dst, src, BYTES, mbar);
    Or => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::Or, ty::B32, dst, src, BYTES, mbar);
    Xor => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise(op::Xor, ty::B32, dst, src, BYTES, mbar);
}

tile_pair! {
    typed_cluster_send_reduce_i64 raw_cluster_send_reduce_i64 i64, wide_tile WIDE_TILE wide_tiles WIDE_TILES;
    Add => |dst, src, mbar| raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add(ty::U64, dst, src, BYTES, mbar);
}

pair! {
    typed_cluster_send_reduce_to_others(cta, smem, src, out) {
        let tiles = smem.tiles.init_with(&cta, |_| 0);
        cta.cluster_scope((smem.tile, tiles), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let received = inbox.send_reduce_to_others(&cluster, op::Add, tile).receive(cta);
            unsafe { out.write(received.get(3).unwrap_or(0)) };
            let (inbox, tile) = received.release().sync(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
    }
    raw_cluster_send_reduce_to_others(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + TILES, base + TILES + BYTES);
        init(bar, 1);
        write_tile(inbox, |_| 0);
        raw::fence_proxy_async(space::SharedCta);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            expect(bar, (raw::cluster_nctarank() - 1) * BYTES);
            if elected() {
                for_each_other(|to| {
                    let (dst, mbar) = of(inbox, bar, to);
                    raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add(ty::U32, dst, tile, BYTES, mbar);
                });
            }
            wait(bar, 0);
            out.write(read(inbox + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_forward(cta, smem, src, out) {
        let buffers = (smem.tiles, smem.more_tiles);
        cta.cluster_scope((smem.tile, buffers), |cluster, (tile, (a, b))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let (received, tile) = a.send(&cluster, permutation, tile).receive(cta).reclaim().sync(&cluster);
            let sent = b.send(&cluster, permutation, received);
            unsafe { out.write(sent.source().get(4).unwrap_or(0)) };
            let received = sent.receive(cta);
            unsafe { out.add(1).write(received.get(3).unwrap_or(0)) };
            unsafe { out.add(2).write(received.source().get(5).unwrap_or(0)) };
            let (b, (a, ())) = received.release().sync(&cluster);
            (cluster, (tile.into_free(), (a, b)))
        });
    }
    raw_cluster_forward(base, src, out) {
        let (tile, a, b) = (base + TILE, base + TILES, base + MORE_TILES);
        init_two((a + BYTES, 1), (b + BYTES, 1));
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(src.read()) else { ptx::trap() };
            send(a, a + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(a + BYTES, 0);
            cluster_sync();
            send(b, b + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, a, BYTES, mbar));
            out.write(read(a + 16));
            wait(b + BYTES, 0);
            out.add(1).write(read(b + 12));
            out.add(2).write(read(a + 20));
            cluster_sync();
        });
        cluster_sync();
        inval_two((a + BYTES, 1), (b + BYTES, 1));
        sync();
    }
}

pair! {
    typed_cluster_forward_channel(cta, smem, src, out) {
        let buffers = (smem.channel, smem.onward);
        cta.cluster_scope((smem.tile, buffers), |cluster, (tile, (a, b))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let first = a.into_channel(permutation).send(&cluster, tile).receive(cta);
            let sent = b.into_channel(permutation).send(&cluster, first);
            let second = sent.receive(cta);
            unsafe { out.add(1).write(second.get(3).unwrap_or(0)) };
            let (onward, first) = second.release().sync(cta).acknowledge(cta).reclaim(cta);
            let (channel, tile) = first.sync(cta).release().sync(cta).acknowledge(cta).reclaim(cta);
            let tile = tile.sync(cta);
            let buffers = (channel.into_inbox().sync(&cluster), onward.into_inbox().sync(&cluster));
            (cluster, (tile.into_free(), buffers))
        });
    }
    raw_cluster_forward_channel(base, src, out) {
        let (tile, a, b) = (base + TILE, base + CHANNEL, base + ONWARD);
        init_two((a + BYTES, 2), (b + BYTES, 2));
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = across(src.read()) else { ptx::trap() };
            send(a, a + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(a + BYTES, 0);
            send(b, b + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, a, BYTES, mbar));
            wait(b + BYTES, 0);
            out.add(1).write(read(b + 12));
            acknowledge(b + BYTES, to, 0);
            acknowledge(a + BYTES, to, 0);
            cluster_sync();
            cluster_sync();
        });
        cluster_sync();
        inval_two((a + BYTES, 2), (b + BYTES, 2));
        sync();
    }
}

pair! {
    typed_cluster_channel(cta, smem, src, out) {
        let channel = smem.channel;
        cta.cluster_scope((smem.tile, channel), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let (mut channel, mut tile) = (inbox.into_channel(permutation), tile);
            for round in 0..10 {
                let received = channel.send(&cluster, tile).receive(cta);
                unsafe { out.add(round).write(received.get(3).unwrap_or(0)) };
                unsafe { out.add(16).write(received.get_vector(4).map_or(0, |vector| vector[1])) };
                unsafe { out.add(17).write(received.addr()) };
                let (next, stored) = received.release().sync(cta).acknowledge(cta).reclaim(cta);
                (channel, tile) = (next, stored.sync(cta));
            }
            let inbox = channel.into_inbox().sync(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
    }
    raw_cluster_channel(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + CHANNEL, base + CHANNEL + BYTES);
        init(bar, 2);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let by = src.read();
            let Some(to) = next(by) else { ptx::trap() };
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
                out.add(17).write(inbox);
                sync();
                if elected() {
                    let credit = raw::mapa_shared_cluster(bar + 8, from);
                    raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, credit, arrivals::One);
                }
                if elected() {
                    await_phase(sem::Acquire, bar + 8, parity);
                }
                sync();
                parity ^= 1;
            }
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 2);
        sync();
    }
}

/// Returns the only tile of the destination, which the first CTA has.
#[inline(always)]
fn only_mut(cta: &Cta, dst: *mut u32) -> GlobalTileMut<u32, N> {
    match unsafe { GlobalMut::from_raw(dst, N) }.tiles(cta).0.next_tile() {
        Some((_, tile)) => tile,
        None => ptx::trap(),
    }
}

#[inline(always)]
fn sums(dst: *mut u32) -> ReduceTile<u32, N> {
    match unsafe { GlobalReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

/// Stores `i` in element `i` of the DSMEM buffer of the CTA of rank `to`.
#[inline(always)]
unsafe fn store_words(words: u32, bar: u32, to: u32) {
    unsafe {
        each::<{ BYTES / 16 }>(words, bar, to, |v, dst, mbar| {
            let values = [4 * v, 4 * v + 1, 4 * v + 2, 4 * v + 3];
            raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst, values, mbar)
        });
    }
}

/// Commits the copies that the leader has started, and waits until they have read their sources.
#[inline(always)]
unsafe fn commit_and_await_read() {
    if elected() {
        unsafe { raw::cp_async_bulk_commit_group() };
    }
    if elected() {
        unsafe { raw::cp_async_bulk_wait_group_read::<0>() };
    }
}

pair! {
    typed_cluster_store_received(cta, smem, src, out) {
        let dst = only_mut(&cta, out);
        let tiles = smem.tiles;
        cta.cluster_scope((smem.tile, tiles), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let received = inbox.send(&cluster, permutation, tile).receive(cta);
            let (received, writing) = bulk::store(cta, received, dst).commit(cta).wait_read_split(cta).sync(cta);
            let (inbox, tile) = received.release().sync(&cluster);
            writing.wait(cta).sync(cta);
            (cluster, (tile.into_free(), inbox))
        });
    }
    raw_cluster_store_received(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + TILES, base + TILES + BYTES);
        if crate::cta_rank() != 0 {
            ptx::trap();
        }
        init(bar, 1);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(src.read()) else { ptx::trap() };
            send(inbox, bar, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(bar, 0);
            if elected() {
                raw::cp_async_bulk_global_shared_cta(out.cast(), inbox, BYTES, cache_hint::None, cp_mask::None);
            }
            commit_and_await_read();
            sync();
            cluster_sync();
            if elected() {
                raw::cp_async_bulk_wait_group::<0>();
            }
            sync();
        });
        cluster_sync();
        inval(bar, 1);
        sync();
    }
}

pair! {
    typed_cluster_reduce_received(cta, smem, src, out) {
        let (tiles, words) = (smem.tiles, smem.words.init_with(&cta, |i| i as u32));
        cta.cluster_scope((smem.tile, (tiles, words)), |cluster, (tile, (tiles, words))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let words = words.reduce_to_others(&cluster, op::Add, |i| i as u32);
            let tiles = tiles.send(&cluster, permutation, tile).receive(cta);
            let words = words.receive(cta);
            // Threads have written the words, so they need a proxy fence; a copy has written the tile.
            let group = bulk::reduce(cta, op::Add, words, sums(out)).and(bulk::reduce(cta, op::Max, tiles, sums(out)));
            let (words, tiles) = group.commit(cta).wait_read(cta).sync(cta);
            let (words, (tiles, tile)) = (words.release(), tiles.release()).sync(&cluster);
            (cluster, (tile.into_free(), (tiles, words)))
        });
    }
    raw_cluster_reduce_received(base, src, out) {
        let (tile, tiles, words) = (base + TILE, base + TILES, base + WORDS);
        init(words + BYTES, 1);
        write_tile(words, |i| i);
        init(tiles + BYTES, 1);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(src.read()) else { ptx::trap() };
            add_to_others(words, words + BYTES);
            send(tiles, tiles + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(tiles + BYTES, 0);
            wait(words + BYTES, 0);
            if elected() {
                raw::fence_proxy_async(space::SharedCta);
                raw::cp_reduce_async_bulk_global_shared_cta_add(ty::U32, out.cast(), words, BYTES, cache_hint::None);
            }
            if elected() {
                raw::cp_reduce_async_bulk_global_shared_cta_min_max(op::Max, ty::U32, out.cast(), tiles, BYTES, cache_hint::None);
            }
            commit_and_await_read();
            sync();
            cluster_sync();
        });
        cluster_sync();
        inval(tiles + BYTES, 1);
        sync();
    }
}

pair! {
    typed_cluster_forward_words(cta, smem, src, out) {
        let (tiles, words) = (smem.tiles, smem.words.init_with(&cta, |i| i as u32));
        cta.cluster_scope((tiles, words), |cluster, (tiles, words)| {
            let cta = cluster.cta();
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let words = words.store(&cluster, permutation, |i| i as u32).receive(cta);
            let tiles = tiles.send(&cluster, permutation, words).receive(cta);
            unsafe { out.write(tiles.get(3).unwrap_or(0)) };
            let (tiles, (words, ())) = tiles.release().sync(&cluster);
            (cluster, (tiles, words))
        });
    }
    raw_cluster_forward_words(base, src, out) {
        let (tiles, words) = (base + TILES, base + WORDS);
        init(words + BYTES, 1);
        write_tile(words, |i| i);
        init(tiles + BYTES, 1);
        begin(true);
        scope(|| {
            let Some(to) = next(src.read()) else { ptx::trap() };
            store_words(words, words + BYTES, to);
            wait(words + BYTES, 0);
            send(tiles, tiles + BYTES, to, |dst, mbar| {
                raw::fence_proxy_async(space::SharedCta);
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, words, BYTES, mbar)
            });
            wait(tiles + BYTES, 0);
            out.write(read(tiles + 12));
            cluster_sync();
        });
        cluster_sync();
        inval(tiles + BYTES, 1);
        sync();
    }
}

pair! {
    typed_cluster_forward_words_to_others(cta, smem, src, out) {
        let (tiles, words) = (smem.tiles.init_with(&cta, |_| 0), smem.words.init_with(&cta, |i| i as u32));
        cta.cluster_scope((tiles, words), |cluster, (tiles, words)| {
            let cta = cluster.cta();
            let words = words.reduce_to_others(&cluster, op::Add, |i| i as u32).receive(cta);
            let tiles = tiles.send_reduce_to_others(&cluster, op::Add, words).receive(cta);
            unsafe { out.write(tiles.get(3).unwrap_or(0)) };
            let (tiles, (words, ())) = tiles.release().sync(&cluster);
            (cluster, (tiles, words))
        });
    }
    raw_cluster_forward_words_to_others(base, src, out) {
        let (tiles, words) = (base + TILES, base + WORDS);
        init(tiles + BYTES, 1);
        write_tile(tiles, |_| 0);
        raw::fence_proxy_async(space::SharedCta);
        init(words + BYTES, 1);
        write_tile(words, |i| i);
        begin(true);
        scope(|| {
            add_to_others(words, words + BYTES);
            wait(words + BYTES, 0);
            expect(tiles + BYTES, (raw::cluster_nctarank() - 1) * BYTES);
            if elected() {
                // One fence serves all copies.
                raw::fence_proxy_async(space::SharedCta);
                for_each_other(|to| {
                    let (dst, mbar) = of(tiles, tiles + BYTES, to);
                    raw::cp_reduce_async_bulk_shared_cluster_shared_cta_add(ty::U32, dst, words, BYTES, mbar);
                });
            }
            wait(tiles + BYTES, 0);
            out.write(read(tiles + 12));
            cluster_sync();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_channel_stored(cta, smem, src, out) {
        let channel = smem.channel;
        cta.cluster_scope((smem.tile, channel), |cluster, (tile, inbox)| {
            let cta = cluster.cta();
            let mut tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
            let mut channel = inbox.into_channel(permutation);
            for _ in 0..2 {
                let received = channel.send(&cluster, tile).receive(cta);
                let store = bulk::reduce(cta, op::Add, received, sums(out)).commit(cta);
                // One barrier is enough: the store has read the tile, and the leader may tell the sender.
                let released = store.wait_read(cta).sync(cta);
                let (next, stored) = released.acknowledge(cta).reclaim(cta);
                (channel, tile) = (next, stored.sync(cta));
            }
            let received = channel.send(&cluster, tile).receive(cta);
            let released = bulk::reduce(cta, op::Add, received, sums(out)).commit(cta).wait_read(cta).sync(cta);
            let (channel, tile) = released.acknowledge(cta).reclaim(cta);
            let tile = tile.sync(cta);
            let inbox = channel.into_inbox().sync(&cluster);
            (cluster, (tile.into_free(), inbox))
        });
    }
    raw_cluster_channel_stored(base, src, out) {
        let (tile, inbox, bar) = (base + TILE, base + CHANNEL, base + CHANNEL + BYTES);
        init(bar, 2);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = across(src.read()) else { ptx::trap() };
            let store = |parity| {
                send(inbox, bar, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
                wait(bar, parity);
                if elected() {
                    raw::cp_reduce_async_bulk_global_shared_cta_add(ty::U32, out.cast(), inbox, BYTES, cache_hint::None);
                }
                commit_and_await_read();
                sync();
            };
            let mut parity = 0;
            for _ in 0..2 {
                store(parity);
                acknowledge_at_sync(bar, to, parity);
                sync();
                parity ^= 1;
            }
            store(parity);
            acknowledge_at_sync(bar, to, parity);
            sync();
            cluster_sync();
        });
        cluster_sync();
        inval(bar, 2);
        sync();
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_cluster_store_received_end(src: *const u32, out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let buffers = (smem.tiles, smem.channel);
    cta.finish_cluster((smem.tile, buffers), |cluster, (tile, (tiles, channel))| {
        let cta = cluster.cta();
        let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
        let Some(permutation) = cluster.exchange(unsafe { src.read() }) else { ptx::trap() };
        let tiles = tiles.send(&cluster, permutation, tile).receive(cta);
        let channel = channel.into_channel(permutation).send(&cluster, tiles).receive(cta);
        // No barrier is needed: only the leader waits until the copy has read the tile.
        let (channel, (tiles, tile)) =
            bulk::reduce(cta, op::Add, channel, sums(out)).commit(cta).wait_read(cta).end();
        (cluster, (tile, (tiles, channel)))
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_cluster_store_received_end(src: *const u32, out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let base = smem.first.addr();
    let (tile, tiles, channel) = (base + TILE, base + TILES, base + CHANNEL);
    unsafe {
        init_two((tiles + BYTES, 1), (channel + BYTES, 2));
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = across(src.read()) else { ptx::trap() };
            send(tiles, tiles + BYTES, to, |dst, mbar| {
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar)
            });
            wait(tiles + BYTES, 0);
            send(channel, channel + BYTES, to, |dst, mbar| {
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, tiles, BYTES, mbar)
            });
            wait(channel + BYTES, 0);
            if elected() {
                raw::cp_reduce_async_bulk_global_shared_cta_add(
                    ty::U32,
                    out.cast(),
                    channel,
                    BYTES,
                    cache_hint::None,
                );
            }
            commit_and_await_read();
        });
        cluster_sync();
    }
}

pair! {
    typed_cluster_tensor_store_received(cta, smem, src, out) {
        let map = unsafe { TensorMapMut::<u32, Box1<N>>::from_raw(src.cast(), [1]) };
        let all = unsafe { TensorMapReduce::<u32, Box1<N>>::from_raw(src.cast()) };
        let (Some(dst), Some(sums)) = (unsafe { map.at([0]) }, all.at([0])) else { ptx::trap() };
        let (tiles, words) = (smem.tiles, smem.words.init_with(&cta, |i| i as u32));
        cta.cluster_scope((smem.tile, (tiles, words)), |cluster, (tile, (tiles, words))| {
            let cta = cluster.cta();
            let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
            let Some(permutation) = cluster.rotation(unsafe { out.read() }) else { ptx::trap() };
            let words = words.store(&cluster, permutation, |i| i as u32);
            let tiles = tiles.send(&cluster, permutation, tile).receive(cta);
            let words = words.receive(cta);
            let group = tensor::store(cta, tiles, dst).and(tensor::reduce(cta, op::Add, words, sums));
            let (tiles, words) = group.commit(cta).wait_read(cta).sync(cta);
            let ((tiles, tile), words) = (tiles.release(), words.release()).sync(&cluster);
            (cluster, (tile.into_free(), (tiles, words)))
        });
    }
    raw_cluster_tensor_store_received(base, src, out) {
        let (tile, tiles, words) = (base + TILE, base + TILES, base + WORDS);
        init(words + BYTES, 1);
        write_tile(words, |i| i);
        init(tiles + BYTES, 1);
        begin(true);
        scope(|| {
            write_tile(tile, |i| i);
            fence_async();
            let Some(to) = next(out.read()) else { ptx::trap() };
            store_words(words, words + BYTES, to);
            send(tiles, tiles + BYTES, to, |dst, mbar| raw::cp_async_bulk_shared_cluster_shared_cta(dst, tile, BYTES, mbar));
            wait(tiles + BYTES, 0);
            wait(words + BYTES, 0);
            if elected() {
                raw::cp_async_bulk_tensor_1d_global_shared_cta(load_mode::Tile, src.cast(), [0], tiles, cache_hint::None);
            }
            if elected() {
                raw::fence_proxy_async(space::SharedCta);
                raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta(op::Add, load_mode::Tile, src.cast(), [0], words, cache_hint::None);
            }
            commit_and_await_read();
            sync();
            cluster_sync();
        });
        cluster_sync();
        inval(tiles + BYTES, 1);
        sync();
    }
}

pair! {
    typed_cluster_multimem_reduce_received(cta, smem, src, out) {
        let all = unsafe { multimem::MulticastReduce::<u32, N>::from_raw(out, N) };
        let Some(all) = all.get(0) else { ptx::trap() };
        let words = smem.words.init_with(&cta, |i| i as u32);
        cta.cluster_scope(words, |cluster, words| {
            let cta = cluster.cta();
            let Some(permutation) = cluster.rotation(unsafe { src.read() }) else { ptx::trap() };
            let words = words.store(&cluster, permutation, |i| i as u32).receive(cta);
            let words = multimem::bulk_reduce(cta, op::Add, words, all).commit(cta).wait_read(cta).sync(cta);
            let words = words.release().sync(&cluster);
            (cluster, words)
        });
    }
    raw_cluster_multimem_reduce_received(base, src, out) {
        let words = base + WORDS;
        init(words + BYTES, 1);
        write_tile(words, |i| i);
        begin(false);
        scope(|| {
            let Some(to) = next(src.read()) else { ptx::trap() };
            store_words(words, words + BYTES, to);
            wait(words + BYTES, 0);
            if elected() {
                raw::fence_proxy_async(space::SharedCta);
                raw::multimem_cp_reduce_async_bulk_global_shared_cta_add(ty::U32, out.cast(), words, BYTES);
            }
            commit_and_await_read();
            sync();
            cluster_sync();
        });
        cluster_sync();
    }
}
