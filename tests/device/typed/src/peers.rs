//! Atomic operations on DSMEM that are composed of other instructions.

use half::{bf16, f16};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{cache_hint, scope, sem, space, ty};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::cluster::cluster_sync;
use crate::{fence_async, scope as closure};

const N: usize = 64;

ptx::shared_memory! {
    struct Unsigned { memory: SharedArray<u64, N>, end: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Signed { memory: SharedArray<i64, N>, end: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Halves { memory: SharedArray<[f16; 2], { 2 * N }>, end: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Brains { memory: SharedArray<[bf16; 2], { 2 * N }>, end: Mbarrier<Uninit> }
}

/// Replaces the 64 bits at `addr` by the result of `new`.
#[inline(always)]
unsafe fn update(sem: impl raw::AtomSem, addr: u32, new: impl Fn(u64) -> u64) -> u64 {
    let (scope, space) = (scope::Cluster, space::SharedCluster);
    let mut seen = unsafe { raw::ld(sem::Relaxed, scope, space, ty::B64, addr) };
    loop {
        let now = unsafe { raw::atom_cas(sem, scope, space, ty::B64, addr, seen, new(seen)) };
        if now == seen {
            return seen;
        }
        seen = now;
    }
}

/// Writes zeros to shared memory, 16 bytes per thread, for elements of 4 or of 8 bytes.
#[inline(always)]
unsafe fn zeros<T>(base: u32) {
    crate::each_own(8 * N as u32 / 16, |v| unsafe {
        if const { size_of::<T>() == 8 } {
            raw::st_weak_v2(space::SharedCta, ty::B64, base + 16 * v, [0; 2]);
        } else {
            raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [0; 4]);
        }
    });
}

/// A pair of kernels with an operation on element 3 of the CTA of rank 1.
macro_rules! pair {
    ($Smem:ident $T:ty: $typed:ident |$element:ident, $b:ident| $typed_op:expr; $raw:ident |$addr:ident, $c:ident| $raw_op:expr) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(b: *const $T, out: *mut $T) {
            let (mut cta, smem, _) = unsafe { Cta::enter::<$Smem>() };
            cta.cluster_scope(smem.memory, |cluster, memory| {
                let memory = memory.write(cluster.cta(), |_| unsafe { core::mem::zeroed() });
                let memory = cluster.open_atomic(memory).sync(&cluster);
                if let Some($element) = memory.peer(1).and_then(|peer| peer.atomic(3)) {
                    let $b = unsafe { b.read() };
                    unsafe { out.write($typed_op) };
                }
                let memory = memory.close().sync(&cluster).to_async().sync(cluster.cta()).into_free();
                (cluster, memory)
            });
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(b: *const $T, out: *mut $T) {
            let (_, smem, _) = unsafe { Cta::enter::<$Smem>() };
            let base = smem.end.addr() - 8 * N as u32;
            unsafe {
                closure(|| {
                    zeros::<$T>(base);
                    cluster_sync();
                    if raw::cluster_nctarank() > 1 {
                        let $addr = raw::mapa_shared_cluster(base, 1) + 3 * size_of::<$T>() as u32;
                        let $c = b.read();
                        out.write($raw_op);
                    }
                    cluster_sync();
                    fence_async();
                });
                cluster_sync();
            }
        }
    };
}

pair! {
    Unsigned u64: typed_peers_fetch_and |e, b| e.fetch_and(b, sem::AcqRel);
    raw_peers_fetch_and |addr, b| update(sem::AcqRel, addr, |a| a & b)
}
pair! {
    Unsigned u64: typed_peers_or |e, b| { e.or(b, sem::Release); b };
    raw_peers_or |addr, b| { update(sem::Release, addr, |a| a | b); b }
}
pair! {
    Signed i64: typed_peers_fetch_xor |e, b| e.fetch_xor(b, sem::Relaxed);
    raw_peers_fetch_xor |addr, b| update(sem::Relaxed, addr, |a| a ^ b as u64) as i64
}
pair! {
    Signed i64: typed_peers_min |e, b| { e.min(b, sem::Relaxed); b };
    raw_peers_min |addr, b| { update(sem::Relaxed, addr, |a| (a as i64).min(b) as u64); b }
}
pair! {
    Unsigned u64: typed_peers_fetch_max |e, b| e.fetch_max(b, sem::Acquire);
    raw_peers_fetch_max |addr, b| update(sem::Acquire, addr, |a| a.max(b))
}
pair! {
    Halves [f16; 2]: typed_peers_fetch_add_f16x2 |e, b| e.fetch_add([f16::ONE; 2], sem::AcqRel);
    raw_peers_fetch_add_f16x2 |addr, b| fetch_add_f16x2(addr, [f16::ONE; 2])
}
pair! {
    Brains [bf16; 2]: typed_peers_add_bf16x2 |e, b| { e.add([bf16::ONE; 2], sem::Release); b };
    raw_peers_add_bf16x2 |addr, b| { add_bf16x2(addr, [bf16::ONE; 2]); b }
}

#[inline(always)]
unsafe fn fetch_add_f16x2(addr: u32, b: [f16; 2]) -> [f16; 2] {
    let (sem, scope, space) = (sem::AcqRel, scope::Cluster, space::SharedCluster);
    unsafe {
        [
            raw::atom_add_noftz(sem, scope, space, ty::F16, addr, b[0], cache_hint::None),
            raw::atom_add_noftz(sem, scope, space, ty::F16, addr + 2, b[1], cache_hint::None),
        ]
    }
}

#[inline(always)]
unsafe fn add_bf16x2(addr: u32, b: [bf16; 2]) {
    let (sem, scope, space) = (sem::Release, scope::Cluster, space::SharedCluster);
    unsafe {
        raw::red_add_noftz(sem, scope, space, ty::Bf16, addr, b[0], cache_hint::None);
        raw::red_add_noftz(sem, scope, space, ty::Bf16, addr + 2, b[1], cache_hint::None);
    }
}
