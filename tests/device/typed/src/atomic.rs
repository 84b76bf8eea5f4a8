//! `ptx::atomic`: each operation on each type, in global and in shared memory.

use half::{bf16, f16};
use ptx::atomic::{AtomicRef, GlobalAtomics, Messages};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::convergence::Aligned;
use ptx::qualifier::{B128, cache_hint, evict, op, scope, sem, space, threads, ty};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::{cta_count, each_own, elected, fence_async, scope as closure, sync};

const N: usize = 256;

ptx::shared_memory! {
    struct Words { values: SharedArray<u32, N>, bar: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Wide { values: SharedArray<B128, N>, bar: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Halves { values: SharedArray<[f16; 2], N>, bar: Mbarrier<Uninit> }
}
ptx::shared_memory! {
    struct Doubles { values: SharedArray<f64, N>, bar: Mbarrier<Uninit> }
}

/// A pair of kernels over elements of global memory.
macro_rules! global {
    (
        [$T:ty, $scope:ident] $typed:ident($g:ident, $b:ident, $out:ident) $typed_body:block
        $raw:ident($addr:ident, $rb:ident, $rout:ident) $raw_body:block
    ) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(p: *mut $T, n: usize, i: usize, b: *const $T, $out: *mut $T) {
            let $b = unsafe { b.read() };
            let values = unsafe { GlobalAtomics::<$T, scope::$scope>::from_raw(p, n) };
            if let Some($g) = values.get(i) $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(p: *mut $T, n: usize, i: usize, b: *const $T, $rout: *mut $T) {
            unsafe {
                let $rb = b.read();
                if i >= n {
                    return;
                }
                let $addr = p.add(i).cast::<u8>();
                $raw_body
            }
        }
    };
}

/// `fetch_add` and `add`.
macro_rules! global_add {
    ([$T:ty as $Tag:ident: $Bits:ty] $typed:ident $raw:ident $atom:ident $red:ident) => {
        global! {
            [$T, Gpu] $typed(g, b, out) {
                unsafe { out.write(g.fetch_add(b, sem::AcqRel)) };
                g.add(b, sem::Release);
            }
            $raw(g, b, out) {
                out.cast::<$Bits>()
                    .write(raw::$atom(sem::AcqRel, scope::Gpu, space::Global, ty::$Tag, g, core::mem::transmute_copy(&b), cache_hint::None));
                raw::$red(sem::Release, scope::Gpu, space::Global, ty::$Tag, g, core::mem::transmute_copy(&b), cache_hint::None);
            }
        }
    };
}
global_add! { [u32 as U32: u32] typed_atomic_add_u32 raw_atomic_add_u32 atom_add red_add }
global_add! { [i32 as S32: i32] typed_atomic_add_i32 raw_atomic_add_i32 atom_add red_add }
global_add! { [u64 as U64: u64] typed_atomic_add_u64 raw_atomic_add_u64 atom_add red_add }
global_add! { [i64 as U64: u64] typed_atomic_add_i64 raw_atomic_add_i64 atom_add red_add }
global_add! { [f32 as F32: f32] typed_atomic_add_f32 raw_atomic_add_f32 atom_add red_add }
global_add! { [f64 as F64: f64] typed_atomic_add_f64 raw_atomic_add_f64 atom_add red_add }
global_add! { [f16 as F16: f16] typed_atomic_add_f16 raw_atomic_add_f16 atom_add_noftz red_add_noftz }
global_add! { [bf16 as Bf16: bf16] typed_atomic_add_bf16 raw_atomic_add_bf16 atom_add_noftz red_add_noftz }
global_add! {
    [[f16; 2] as F16x2: [f16; 2]] typed_atomic_add_f16x2 raw_atomic_add_f16x2 atom_add_noftz red_add_noftz
}
global_add! {
    [[f32; 2] as F32: [f32; 2]] typed_atomic_add_f32_v2 raw_atomic_add_f32_v2 atom_add_v2 red_add_v2
}
global_add! {
    [[f32; 4] as F32: [f32; 4]] typed_atomic_add_f32_v4 raw_atomic_add_f32_v4 atom_add_v4 red_add_v4
}
global_add! {
    [[f16; 8] as F16: [f16; 8]] typed_atomic_add_f16_v8 raw_atomic_add_f16_v8
    atom_add_noftz_v8 red_add_noftz_v8
}
global_add! {
    [[[bf16; 2]; 4] as Bf16x2: [[bf16; 2]; 4]] typed_atomic_add_bf16x2_v4 raw_atomic_add_bf16x2_v4
    atom_add_noftz_v4 red_add_noftz_v4
}

/// `fetch_min`, `min`, `fetch_max`, `max`.
macro_rules! global_min_max {
    ([$T:ty as $Tag:ident] $typed:ident $raw:ident $fetch_min:ident $min:ident $fetch_max:ident $max:ident) => {
        global! {
            [$T, Sys] $typed(g, b, out) {
                unsafe { out.write(g.fetch_min(b, sem::Relaxed)) };
                g.min(b, sem::Relaxed);
                unsafe { out.add(1).write(g.fetch_max(b, sem::Acquire)) };
                g.max(b, sem::Release);
            }
            $raw(g, b, out) {
                out.write(raw::$fetch_min(sem::Relaxed, scope::Sys, space::Global, ty::$Tag, g, b, cache_hint::None));
                raw::$min(sem::Relaxed, scope::Sys, space::Global, ty::$Tag, g, b, cache_hint::None);
                out.add(1).write(raw::$fetch_max(sem::Acquire, scope::Sys, space::Global, ty::$Tag, g, b, cache_hint::None));
                raw::$max(sem::Release, scope::Sys, space::Global, ty::$Tag, g, b, cache_hint::None);
            }
        }
    };
    ([$T:ty as $Tag:ident] $typed:ident $raw:ident) => {
        global_min_max! {
            [$T as $Tag] $typed $raw atom_min red_min atom_max red_max
        }
    };
}
global_min_max! { [u32 as U32] typed_atomic_min_max_u32 raw_atomic_min_max_u32 }
global_min_max! { [i32 as S32] typed_atomic_min_max_i32 raw_atomic_min_max_i32 }
global_min_max! { [u64 as U64] typed_atomic_min_max_u64 raw_atomic_min_max_u64 }
global_min_max! { [i64 as S64] typed_atomic_min_max_i64 raw_atomic_min_max_i64 }
global_min_max! {
    [[f16; 2] as F16] typed_atomic_min_max_f16_v2 raw_atomic_min_max_f16_v2
    atom_min_noftz_v2 red_min_noftz_v2 atom_max_noftz_v2 red_max_noftz_v2
}
global_min_max! {
    [[bf16; 4] as Bf16] typed_atomic_min_max_bf16_v4 raw_atomic_min_max_bf16_v4
    atom_min_noftz_v4 red_min_noftz_v4 atom_max_noftz_v4 red_max_noftz_v4
}

global! {
    [u32, Cluster] typed_atomic_inc_dec(g, b, out) {
        unsafe { out.write(g.fetch_inc(b, sem::Relaxed)) };
        g.inc(b, sem::Relaxed);
        unsafe { out.add(1).write(g.fetch_dec(b, sem::Acquire)) };
        g.dec(b, sem::Release);
    }
    raw_atomic_inc_dec(g, b, out) {
        out.write(raw::atom_inc(sem::Relaxed, scope::Cluster, space::Global, ty::U32, g, b, cache_hint::None));
        raw::red_inc(sem::Relaxed, scope::Cluster, space::Global, ty::U32, g, b, cache_hint::None);
        out.add(1).write(raw::atom_dec(sem::Acquire, scope::Cluster, space::Global, ty::U32, g, b, cache_hint::None));
        raw::red_dec(sem::Release, scope::Cluster, space::Global, ty::U32, g, b, cache_hint::None);
    }
}

/// `and`, `or`, `xor` and their fetches.
macro_rules! global_bitwise {
    ([$T:ty as $Tag:ident: $Bits:ty] $typed:ident $raw:ident) => {
        global! {
            [$T, Cta] $typed(g, b, out) {
                unsafe { out.write(g.fetch_and(b, sem::Relaxed)) };
                g.and(b, sem::Relaxed);
                unsafe { out.add(1).write(g.fetch_or(b, sem::Acquire)) };
                g.or(b, sem::Release);
                unsafe { out.add(2).write(g.fetch_xor(b, sem::AcqRel)) };
                g.xor(b, sem::Release);
            }
            $raw(g, b, out) {
                let (b, out) = (b as $Bits, out.cast::<$Bits>());
                out.write(raw::atom_and(sem::Relaxed, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None));
                raw::red_and(sem::Relaxed, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None);
                out.add(1).write(raw::atom_or(sem::Acquire, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None));
                raw::red_or(sem::Release, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None);
                out.add(2).write(raw::atom_xor(sem::AcqRel, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None));
                raw::red_xor(sem::Release, scope::Cta, space::Global, ty::$Tag, g, b, cache_hint::None);
            }
        }
    };
}
global_bitwise! { [u32 as B32: u32] typed_atomic_bitwise_u32 raw_atomic_bitwise_u32 }
global_bitwise! { [i32 as B32: u32] typed_atomic_bitwise_i32 raw_atomic_bitwise_i32 }
global_bitwise! { [u64 as B64: u64] typed_atomic_bitwise_u64 raw_atomic_bitwise_u64 }
global_bitwise! { [i64 as B64: u64] typed_atomic_bitwise_i64 raw_atomic_bitwise_i64 }

/// `swap` and `compare_exchange`.
macro_rules! global_swap {
    ([$T:ty as $Tag:ident: $Bits:ty] $typed:ident $raw:ident) => {
        global! {
            [$T, Gpu] $typed(g, b, out) {
                let old = g.swap(b, sem::AcqRel);
                if let Err(now) = g.compare_exchange(old, b, sem::Relaxed) {
                    unsafe { out.write(now) }
                }
            }
            $raw(g, b, out) {
                let b: $Bits = core::mem::transmute(b);
                let old = raw::atom_exch(sem::AcqRel, scope::Gpu, space::Global, ty::$Tag, g, b, cache_hint::None);
                let now = raw::atom_cas(sem::Relaxed, scope::Gpu, space::Global, ty::$Tag, g, old, b);
                if now != old {
                    out.cast::<$Bits>().write(now)
                }
            }
        }
    };
}
global_swap! { [u32 as B32: u32] typed_atomic_swap_u32 raw_atomic_swap_u32 }
global_swap! { [f32 as B32: u32] typed_atomic_swap_f32 raw_atomic_swap_f32 }
global_swap! { [i64 as B64: u64] typed_atomic_swap_i64 raw_atomic_swap_i64 }
global_swap! { [f64 as B64: u64] typed_atomic_swap_f64 raw_atomic_swap_f64 }

/// `load` and `store`, with each ordering.
macro_rules! global_load_store {
    ([$T:ty as $Tag:ident, $scope:ident] $typed:ident $raw:ident $ld:ident $st:ident) => {
        global! {
            [$T, $scope] $typed(g, b, out) {
                unsafe { out.write(g.load(sem::Relaxed)) };
                g.store(b, sem::Relaxed);
                unsafe { out.add(1).write(g.load(sem::Acquire)) };
                g.store(b, sem::Release);
            }
            $raw(g, b, out) {
                let b = core::mem::transmute_copy(&b);
                let old = raw::$ld(sem::Relaxed, scope::$scope, space::Global, ty::$Tag, g);
                out.write(core::mem::transmute_copy(&old));
                raw::$st(sem::Relaxed, scope::$scope, space::Global, ty::$Tag, g, b);
                let old = raw::$ld(sem::Acquire, scope::$scope, space::Global, ty::$Tag, g);
                out.add(1).write(core::mem::transmute_copy(&old));
                raw::$st(sem::Release, scope::$scope, space::Global, ty::$Tag, g, b);
            }
        }
    };
}
global_load_store! { [u16 as B16, Gpu] typed_atomic_load_store_u16 raw_atomic_load_store_u16 ld st }
global_load_store! { [i16 as B16, Sys] typed_atomic_load_store_i16 raw_atomic_load_store_i16 ld st }
global_load_store! { [u32 as B32, Gpu] typed_atomic_load_store_u32 raw_atomic_load_store_u32 ld st }
global_load_store! { [i32 as B32, Cta] typed_atomic_load_store_i32 raw_atomic_load_store_i32 ld st }
global_load_store! { [f32 as B32, Cluster] typed_atomic_load_store_f32 raw_atomic_load_store_f32 ld st }
global_load_store! { [u64 as B64, Gpu] typed_atomic_load_store_u64 raw_atomic_load_store_u64 ld st }
global_load_store! { [i64 as B64, Sys] typed_atomic_load_store_i64 raw_atomic_load_store_i64 ld st }
global_load_store! { [f64 as B64, Gpu] typed_atomic_load_store_f64 raw_atomic_load_store_f64 ld st }
global_load_store! { [f16 as B16, Gpu] typed_atomic_load_store_f16 raw_atomic_load_store_f16 ld st }
global_load_store! { [bf16 as B16, Sys] typed_atomic_load_store_bf16 raw_atomic_load_store_bf16 ld st }
global_load_store! { [[f32; 2] as F32, Gpu] typed_atomic_load_store_f32_v2 raw_atomic_load_store_f32_v2 ld_v2 st_v2 }
global_load_store! { [[f32; 4] as F32, Sys] typed_atomic_load_store_f32_v4 raw_atomic_load_store_f32_v4 ld_v4 st_v4 }
global_load_store! { [[f16; 2] as B16, Gpu] typed_atomic_load_store_f16_v2 raw_atomic_load_store_f16_v2 ld_v2 st_v2 }
global_load_store! { [[bf16; 4] as B16, Gpu] typed_atomic_load_store_bf16_v4 raw_atomic_load_store_bf16_v4 ld_v4 st_v4 }
global! {
    [B128, Sys] typed_atomic_load_store_b128(g, b, out) {
        unsafe { out.write(g.load(sem::Acquire)) };
        g.store(b, sem::Release);
    }
    raw_atomic_load_store_b128(g, b, out) {
        out.write(raw::ld_b128(sem::Acquire, scope::Sys, space::Global, g));
        raw::st_b128(sem::Release, scope::Sys, space::Global, g, b);
    }
}

/// Places of values and flags.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_atomic_messages(
    p: *mut u64,
    flags: *mut u32,
    n: usize,
    i: usize,
    out: *mut u64,
) {
    let messages = unsafe {
        Messages::new(GlobalAtomics::<_, scope::Gpu>::from_raw(p, n), GlobalAtomics::from_raw(flags, n))
    };
    messages.send(i, 7, 1);
    unsafe { out.write(messages.receive(i, 2).unwrap_or(9)) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_atomic_messages(
    p: *mut u64,
    flags: *mut u32,
    n: usize,
    i: usize,
    out: *mut u64,
) {
    unsafe {
        let at = || (p.add(i).cast::<u8>(), flags.add(i).cast::<u8>());
        if i < n {
            let (value, flag) = at();
            raw::st(sem::Relaxed, scope::Gpu, space::Global, ty::B64, value, 7);
            raw::st(sem::Release, scope::Gpu, space::Global, ty::B32, flag, 1);
        }
        let mut got = 9;
        if i < n {
            let (value, flag) = at();
            if raw::ld(sem::Acquire, scope::Gpu, space::Global, ty::B32, flag) == 2 {
                got = raw::ld(sem::Relaxed, scope::Gpu, space::Global, ty::B64, value);
            }
        }
        out.write(got);
    }
}

/// The last CTA.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_atomic_is_last_cta(p: *mut u32, out: *mut u32) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let count = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(p, 1) };
    if let Some(count) = count.get(0) {
        unsafe { out.write(count.is_last_cta(&cta) as u32) };
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_atomic_is_last_cta(p: *mut u32, out: *mut u32) {
    unsafe {
        sync();
        let last = cta_count() - 1;
        let mut is_last = false;
        if elected() {
            let count = raw::atom_inc(
                sem::AcqRel,
                scope::Gpu,
                space::Global,
                ty::U32,
                p.cast(),
                last,
                cache_hint::None,
            );
            is_last = count == last;
        }
        out.write(raw::barrier_cta_red(op::Or, Aligned, 0, is_last, threads::All) as u32);
    }
}

/// An asynchronous store.
#[cfg(feature = "sm_100")]
macro_rules! global_store_async {
    ([$T:ty as $Tag:ident, $scope:ident] $typed:ident $raw:ident) => {
        global! {
            [$T, $scope] $typed(g, b, out) {
                g.store_async(b);
            }
            $raw(g, b, out) {
                raw::st_async_release(scope::$scope, space::Global, ty::$Tag, g, core::mem::transmute_copy(&b));
            }
        }
    };
}
#[cfg(feature = "sm_100")]
global_store_async! { [u16 as B16, Gpu] typed_atomic_store_async_u16 raw_atomic_store_async_u16 }
#[cfg(feature = "sm_100")]
global_store_async! { [i16 as B16, Sys] typed_atomic_store_async_i16 raw_atomic_store_async_i16 }
#[cfg(feature = "sm_100")]
global_store_async! { [u32 as B32, Gpu] typed_atomic_store_async_u32 raw_atomic_store_async_u32 }
#[cfg(feature = "sm_100")]
global_store_async! { [i32 as B32, Sys] typed_atomic_store_async_i32 raw_atomic_store_async_i32 }
#[cfg(feature = "sm_100")]
global_store_async! { [f32 as B32, Gpu] typed_atomic_store_async_f32 raw_atomic_store_async_f32 }
#[cfg(feature = "sm_100")]
global_store_async! { [u64 as B64, Sys] typed_atomic_store_async_u64 raw_atomic_store_async_u64 }
#[cfg(feature = "sm_100")]
global_store_async! { [i64 as B64, Gpu] typed_atomic_store_async_i64 raw_atomic_store_async_i64 }
#[cfg(feature = "sm_100")]
global_store_async! { [f64 as B64, Sys] typed_atomic_store_async_f64 raw_atomic_store_async_f64 }
#[cfg(feature = "sm_100")]
global_store_async! { [f16 as B16, Gpu] typed_atomic_store_async_f16 raw_atomic_store_async_f16 }
#[cfg(feature = "sm_100")]
global_store_async! { [bf16 as B16, Sys] typed_atomic_store_async_bf16 raw_atomic_store_async_bf16 }

/// An asynchronous addition.
#[cfg(feature = "sm_100")]
macro_rules! global_add_async {
    ([$T:ty as $Tag:ident: $Bits:ty, $scope:ident] $typed:ident $raw:ident) => {
        global! {
            [$T, $scope] $typed(g, b, out) {
                g.add_async(b);
            }
            $raw(g, b, out) {
                raw::red_async_release_add(scope::$scope, space::Global, ty::$Tag, g, b as $Bits);
            }
        }
    };
}
#[cfg(feature = "sm_100")]
global_add_async! { [u32 as U32: u32, Gpu] typed_atomic_add_async_u32 raw_atomic_add_async_u32 }
#[cfg(feature = "sm_100")]
global_add_async! { [i32 as S32: i32, Sys] typed_atomic_add_async_i32 raw_atomic_add_async_i32 }
#[cfg(feature = "sm_100")]
global_add_async! { [u64 as U64: u64, Sys] typed_atomic_add_async_u64 raw_atomic_add_async_u64 }
#[cfg(feature = "sm_100")]
global_add_async! { [i64 as S64: i64, Gpu] typed_atomic_add_async_i64 raw_atomic_add_async_i64 }

global! {
    [u16, Gpu] typed_atomic_compare_exchange_u16(g, b, out) {
        if let Err(now) = g.compare_exchange(7, b, sem::AcqRel) {
            unsafe { out.write(now) }
        }
    }
    raw_atomic_compare_exchange_u16(g, b, out) {
        let now = raw::atom_cas(sem::AcqRel, scope::Gpu, space::Global, ty::B16, g, 7, b);
        if now != 7 {
            out.write(now)
        }
    }
}
global! {
    [u16, Gpu] typed_atomic_fetch_update(g, b, out) {
        unsafe { out.write(g.fetch_update(7, |now| now ^ b, sem::AcqRel)) }
    }
    raw_atomic_fetch_update(g, b, out) {
        let mut now = 7;
        loop {
            let other = raw::atom_cas(sem::AcqRel, scope::Gpu, space::Global, ty::B16, g, now, now ^ b);
            if other == now {
                break;
            }
            now = other;
        }
        out.write(now)
    }
}
global! {
    [B128, Gpu] typed_atomic_swap_b128(g, b, out) {
        let old = g.swap(b, sem::AcqRel);
        if let Err(now) = g.compare_exchange(old, b, sem::Relaxed) {
            unsafe { out.write(now) }
        }
    }
    raw_atomic_swap_b128(g, b, out) {
        let old = raw::atom_exch_b128(sem::AcqRel, scope::Gpu, space::Global, g, b, cache_hint::None);
        let now = raw::atom_cas_b128(sem::Relaxed, scope::Gpu, space::Global, g, old, b);
        if now != old {
            out.write(now)
        }
    }
}

// Each operation under a cache policy.
global! {
    [u32, Gpu] typed_atomic_cache_hint_u32(g, b, out) {
        let keep = CachePolicy::evict_last();
        let v = g.cache_hint(keep);
        v.add(b, sem::Relaxed);
        v.min(v.fetch_add(2, sem::Relaxed), sem::Release);
        v.max(v.fetch_min(3, sem::Acquire), sem::Relaxed);
        v.inc(v.fetch_max(4, sem::AcqRel), sem::Relaxed);
        v.dec(v.fetch_inc(5, sem::Relaxed), sem::Relaxed);
        v.and(v.fetch_dec(6, sem::Relaxed), sem::Relaxed);
        v.or(v.fetch_and(7, sem::Relaxed), sem::Relaxed);
        v.xor(v.fetch_or(8, sem::Relaxed), sem::Relaxed);
        g.add(v.fetch_xor(9, sem::Relaxed), sem::Relaxed);
        unsafe { out.write(v.swap(10, sem::Relaxed)) };
    }
    raw_atomic_cache_hint_u32(v, b, out) {
        let p = raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0);
        let (gpu, u32, b32) = (scope::Gpu, ty::U32, ty::B32);
        raw::red_add(sem::Relaxed, gpu, space::Global, u32, v, b, cache_hint::Policy(p));
        let b = raw::atom_add(sem::Relaxed, gpu, space::Global, u32, v, 2, cache_hint::Policy(p));
        raw::red_min(sem::Release, gpu, space::Global, u32, v, b, cache_hint::Policy(p));
        let b = raw::atom_min(sem::Acquire, gpu, space::Global, u32, v, 3, cache_hint::Policy(p));
        raw::red_max(sem::Relaxed, gpu, space::Global, u32, v, b, cache_hint::Policy(p));
        let b = raw::atom_max(sem::AcqRel, gpu, space::Global, u32, v, 4, cache_hint::Policy(p));
        raw::red_inc(sem::Relaxed, gpu, space::Global, u32, v, b, cache_hint::Policy(p));
        let b = raw::atom_inc(sem::Relaxed, gpu, space::Global, u32, v, 5, cache_hint::Policy(p));
        raw::red_dec(sem::Relaxed, gpu, space::Global, u32, v, b, cache_hint::Policy(p));
        let b = raw::atom_dec(sem::Relaxed, gpu, space::Global, u32, v, 6, cache_hint::Policy(p));
        raw::red_and(sem::Relaxed, gpu, space::Global, b32, v, b, cache_hint::Policy(p));
        let b = raw::atom_and(sem::Relaxed, gpu, space::Global, b32, v, 7, cache_hint::Policy(p));
        raw::red_or(sem::Relaxed, gpu, space::Global, b32, v, b, cache_hint::Policy(p));
        let b = raw::atom_or(sem::Relaxed, gpu, space::Global, b32, v, 8, cache_hint::Policy(p));
        raw::red_xor(sem::Relaxed, gpu, space::Global, b32, v, b, cache_hint::Policy(p));
        let b = raw::atom_xor(sem::Relaxed, gpu, space::Global, b32, v, 9, cache_hint::Policy(p));
        raw::red_add(sem::Relaxed, gpu, space::Global, u32, v, b, cache_hint::None);
        out.write(raw::atom_exch(sem::Relaxed, gpu, space::Global, b32, v, 10, cache_hint::Policy(p)));
    }
}
global! {
    [B128, Gpu] typed_atomic_cache_hint_b128(g, b, out) {
        unsafe { out.write(g.cache_hint(CachePolicy::evict_first()).swap(b, sem::AcqRel)) }
    }
    raw_atomic_cache_hint_b128(g, b, out) {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        out.write(raw::atom_exch_b128(sem::AcqRel, scope::Gpu, space::Global, g, b, cache_hint::Policy(policy)))
    }
}
global! {
    [[f32; 4], Gpu] typed_atomic_cache_hint_f32_v4(g, b, out) {
        let g = g.cache_hint(CachePolicy::evict_first());
        g.add(g.fetch_add(b, sem::AcqRel), sem::Release);
    }
    raw_atomic_cache_hint_f32_v4(g, b, out) {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        let b = raw::atom_add_v4(sem::AcqRel, scope::Gpu, space::Global, ty::F32, g, b, cache_hint::Policy(policy));
        raw::red_add_v4(sem::Release, scope::Gpu, space::Global, ty::F32, g, b, cache_hint::Policy(policy));
    }
}
global! {
    [[bf16; 2], Gpu] typed_atomic_cache_hint_bf16x2(g, b, out) {
        let g = g.cache_hint(CachePolicy::evict_first());
        g.add(g.fetch_add(b, sem::AcqRel), sem::Release);
    }
    raw_atomic_cache_hint_bf16x2(g, b, out) {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        let b = raw::atom_add_noftz(sem::AcqRel, scope::Gpu, space::Global, ty::Bf16x2, g, b, cache_hint::Policy(policy));
        raw::red_add_noftz(sem::Release, scope::Gpu, space::Global, ty::Bf16x2, g, b, cache_hint::Policy(policy));
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_atomic_vectors(p: *mut f32, n: usize, i: usize) {
    let values = unsafe { GlobalAtomics::<f32, scope::Gpu>::from_raw(p, n) };
    if let Some(value) = values.vectors::<4>().and_then(|vectors| vectors.get(i)) {
        value.add([1.0; 4], sem::Relaxed);
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_atomic_vectors(p: *mut f32, n: usize, i: usize) {
    if p.addr() & 15 == 0 && i < n / 4 {
        unsafe {
            raw::red_add_v4(
                sem::Relaxed,
                scope::Gpu,
                space::Global,
                ty::F32,
                p.add(4 * i).cast(),
                [1.0; 4],
                cache_hint::None,
            )
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_atomic_queries(p: *mut u32, n: usize, i: usize, out: *mut usize) {
    let values = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(p, n) };
    unsafe { out.write(if values.is_empty() { 7 } else { values.len() }) };
    unsafe { out.add(1).write(values.get(i).map_or(0, |value| value.addr() as usize)) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_atomic_queries(p: *mut u32, n: usize, i: usize, out: *mut usize) {
    unsafe {
        out.write(if n == 0 { 7 } else { n });
        out.add(1).write(if i < n { p.add(i) as usize } else { 0 });
    }
}

/// A pair of kernels over shared memory: zeros, atomic operations on element `i`, and a load of one element.
macro_rules! shared {
    (
        [$Smem:ident, $T:ty, $zero:expr] $typed:ident($v:ident, $out:ident) $typed_body:block
        $raw:ident($addr:ident, $rout:ident) $raw_body:block [$read:expr]
    ) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(i: usize, $out: *mut $T) {
            let (mut cta, smem, _) = unsafe { Cta::enter::<$Smem>() };
            unsafe { $out.cast::<u32>().write(smem.bar.addr()) };
            cta.async_scope(smem.values, |cta, values| {
                let values = values.write(cta, |_| $zero).into_atomic(cta);
                if let Some($v) = values.atomic(i) $typed_body
                let values = values.publish().sync(cta);
                if let Some(value) = values.get(3) {
                    unsafe { $out.add(2).write(value) };
                }
                values.into_atomic(cta).to_async().sync(cta).into_free()
            });
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(i: usize, $rout: *mut $T) {
            let (_, smem, _) = unsafe { Cta::enter::<$Smem>() };
            let base = smem.bar.addr() - (N * size_of::<$T>()) as u32;
            unsafe { $rout.cast::<u32>().write(smem.bar.addr()) };
            closure(|| unsafe {
                each_own((N * size_of::<$T>() / 16) as u32, |v| {
                    // The stores have the width of the elements.
                    match size_of::<$T>() {
                        16 => raw::st_weak_b128(space::SharedCta, base + 16 * v, B128::default()),
                        8 => raw::st_weak_v2(space::SharedCta, ty::B64, base + 16 * v, [0; 2]),
                        _ => raw::st_weak_v4(space::SharedCta, ty::B32, base + 16 * v, [0; 4]),
                    }
                });
                sync();
                // In a closure, LLVM keeps the direction of a condition that leaves the function.
                closure(|| {
                    if i >= N {
                        return;
                    }
                    let $addr = base + (i * size_of::<$T>()) as u32;
                    $raw_body
                });
                sync();
                let read: fn(u32) -> $T = $read;
                $rout.add(2).write(read(base + 3 * size_of::<$T>() as u32));
                sync();
                fence_async();
            })
        }
    };
}

shared! {
    [Words, u32, 0] typed_atomic_shared_u32(v, out) {
        let v: AtomicRef<'_, u32, scope::Cta, space::SharedCta> = v;
        v.add(1, sem::Relaxed);
        v.min(v.fetch_add(2, sem::Relaxed), sem::Release);
        v.max(v.fetch_min(3, sem::Acquire), sem::Relaxed);
        v.inc(v.fetch_max(4, sem::AcqRel), sem::Relaxed);
        v.dec(v.fetch_inc(5, sem::Relaxed), sem::Relaxed);
        v.and(v.fetch_dec(6, sem::Relaxed), sem::Relaxed);
        v.or(v.fetch_and(7, sem::Relaxed), sem::Relaxed);
        v.xor(v.fetch_or(8, sem::Relaxed), sem::Relaxed);
        v.store(v.fetch_xor(9, sem::Relaxed), sem::Release);
        if let Err(now) = v.compare_exchange(v.load(sem::Acquire), v.swap(10, sem::Relaxed), sem::AcqRel) {
            unsafe { out.add(1).write(now) };
        }
    }
    raw_atomic_shared_u32(v, out) {
        let (cta, u32, b32) = (scope::Cta, ty::U32, ty::B32);
        raw::red_add(sem::Relaxed, cta, space::SharedCta, u32, v, 1, cache_hint::None);
        let b = raw::atom_add(sem::Relaxed, cta, space::SharedCta, u32, v, 2, cache_hint::None);
        raw::red_min(sem::Release, cta, space::SharedCta, u32, v, b, cache_hint::None);
        let b = raw::atom_min(sem::Acquire, cta, space::SharedCta, u32, v, 3, cache_hint::None);
        raw::red_max(sem::Relaxed, cta, space::SharedCta, u32, v, b, cache_hint::None);
        let b = raw::atom_max(sem::AcqRel, cta, space::SharedCta, u32, v, 4, cache_hint::None);
        raw::red_inc(sem::Relaxed, cta, space::SharedCta, u32, v, b, cache_hint::None);
        let b = raw::atom_inc(sem::Relaxed, cta, space::SharedCta, u32, v, 5, cache_hint::None);
        raw::red_dec(sem::Relaxed, cta, space::SharedCta, u32, v, b, cache_hint::None);
        let b = raw::atom_dec(sem::Relaxed, cta, space::SharedCta, u32, v, 6, cache_hint::None);
        raw::red_and(sem::Relaxed, cta, space::SharedCta, b32, v, b, cache_hint::None);
        let b = raw::atom_and(sem::Relaxed, cta, space::SharedCta, b32, v, 7, cache_hint::None);
        raw::red_or(sem::Relaxed, cta, space::SharedCta, b32, v, b, cache_hint::None);
        let b = raw::atom_or(sem::Relaxed, cta, space::SharedCta, b32, v, 8, cache_hint::None);
        raw::red_xor(sem::Relaxed, cta, space::SharedCta, b32, v, b, cache_hint::None);
        let b = raw::atom_xor(sem::Relaxed, cta, space::SharedCta, b32, v, 9, cache_hint::None);
        raw::st(sem::Release, cta, space::SharedCta, b32, v, b);
        let b = raw::ld(sem::Acquire, cta, space::SharedCta, b32, v);
        let c = raw::atom_exch(sem::Relaxed, cta, space::SharedCta, b32, v, 10, cache_hint::None);
        let now = raw::atom_cas(sem::AcqRel, cta, space::SharedCta, b32, v, b, c);
        if now != b {
            out.add(1).write(now);
        }
    }
    [|addr| unsafe { raw::ld_weak(space::SharedCta, ty::B32, addr) }]
}
shared! {
    [Doubles, f64, 0.0] typed_atomic_shared_f64(v, out) {
        v.add(1.0, sem::Relaxed);
        v.store(v.fetch_add(2.0, sem::Relaxed), sem::Relaxed);
        unsafe { out.add(1).write(v.swap(v.load(sem::Relaxed), sem::Relaxed)) };
    }
    raw_atomic_shared_f64(v, out) {
        raw::red_add(sem::Relaxed, scope::Cta, space::SharedCta, ty::F64, v, 1.0, cache_hint::None);
        let b = raw::atom_add(sem::Relaxed, scope::Cta, space::SharedCta, ty::F64, v, 2.0, cache_hint::None);
        raw::st(sem::Relaxed, scope::Cta, space::SharedCta, ty::B64, v, b.to_bits());
        let b = raw::ld(sem::Relaxed, scope::Cta, space::SharedCta, ty::B64, v);
        out.add(1).write(f64::from_bits(raw::atom_exch(sem::Relaxed, scope::Cta, space::SharedCta, ty::B64, v, b, cache_hint::None)));
    }
    [|addr| f64::from_bits(unsafe { raw::ld_weak(space::SharedCta, ty::B64, addr) })]
}
shared! {
    [Halves, [f16; 2], [f16::ZERO; 2]] typed_atomic_shared_f16x2(v, out) {
        v.add(v.fetch_add([f16::ONE; 2], sem::AcqRel), sem::Release)
    }
    raw_atomic_shared_f16x2(v, out) {
        let b = raw::atom_add_noftz(sem::AcqRel, scope::Cta, space::SharedCta, ty::F16x2, v, [f16::ONE; 2], cache_hint::None);
        raw::red_add_noftz(sem::Release, scope::Cta, space::SharedCta, ty::F16x2, v, b, cache_hint::None);
    }
    [|addr| unsafe { core::mem::transmute(raw::ld_weak(space::SharedCta, ty::B32, addr)) }]
}
shared! {
    [Wide, B128, B128::default()] typed_atomic_shared_b128(v, out) {
        v.store(v.swap(v.load(sem::Acquire), sem::AcqRel), sem::Release);
        if let Err(now) = v.compare_exchange(B128::default(), B128 { lo: 1, hi: 2 }, sem::AcqRel) {
            unsafe { out.add(1).write(now) };
        }
    }
    raw_atomic_shared_b128(v, out) {
        let b = raw::ld_b128(sem::Acquire, scope::Cta, space::SharedCta, v);
        let b = raw::atom_exch_b128(sem::AcqRel, scope::Cta, space::SharedCta, v, b, cache_hint::None);
        raw::st_b128(sem::Release, scope::Cta, space::SharedCta, v, b);
        let zero = B128::default();
        let now = raw::atom_cas_b128(sem::AcqRel, scope::Cta, space::SharedCta, v, zero, B128 { lo: 1, hi: 2 });
        if now != zero {
            out.add(1).write(now);
        }
    }
    [|addr| unsafe { raw::ld_weak_b128(space::SharedCta, addr) }]
}
