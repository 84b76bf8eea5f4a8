//! Atomic operations on DSMEM, whose machine code `tests/sass.rs` reads. `typed_…`: each operation of the typed layer. `raw_…`:
//! the operations of `ptx::raw` for which ptxas emits wrong code on DSMEM.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
// The kernels are compiled for their machine code and never run.
#![allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]
// The host types of halves are those of the crate `half`.
#![allow(improper_ctypes_definitions)]

use half::{bf16, f16};
use ptx::atomic::{AtomicRef, AtomicValue};
use ptx::cluster::Cluster;
use ptx::group::Cta;
use ptx::qualifier::{B128, TypeTag, cache_hint, scope, sem, space, ty};
use ptx::raw;
use ptx::shared::{Element, SharedArray};

ptx::panic_handler!();

/// Calls `f` with an element in the second CTA of the cluster.
#[inline(always)]
fn with_peer<T: Element + AtomicValue>(
    cta: Cta,
    memory: SharedArray<T, 16>,
    value: T,
    f: impl FnOnce(AtomicRef<'_, T, scope::Cluster, space::SharedCluster>),
) {
    cta.finish_cluster(memory, |cluster: Cluster<'_>, memory| {
        let memory = cluster.open_atomic(memory.write(cluster.cta(), |_| value)).sync(&cluster);
        if let Some(element) = memory.peer(1).and_then(|peer| peer.atomic(3)) {
            f(element);
        }
        (cluster, memory.end())
    });
}

macro_rules! typed {
    ($( $module:ident $T:ty { $( $kernel:ident |$element:ident, $b:ident, $out:ident| $op:expr; )* } )*) => { $(
        mod $module {
            use super::*;

            ptx::shared_memory! {
                struct Smem { memory: SharedArray<$T, 16> }
            }
            $(
                #[unsafe(no_mangle)]
                pub unsafe extern "ptx-kernel" fn $kernel(b: *const $T, out: *mut $T) {
                    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
                    let $b = unsafe { b.read() };
                    with_peer(cta, smem.memory, $b, |$element| {
                        #[allow(unused)]
                        let $out = |value: $T| unsafe { out.write(value) };
                        $op;
                    });
                }
            )*
        }
    )* };
}

typed! {
    of_u16 u16 {
        typed_cas_u16 |e, b, out| out(e.compare_exchange(b, b + 1, sem::AcqRel).unwrap_or(0));
    }
    of_u32 u32 {
        typed_fetch_add_u32 |e, b, out| out(e.fetch_add(b, sem::AcqRel));
        typed_add_u32 |e, b, out| e.add(b, sem::Release);
        typed_fetch_min_u32 |e, b, out| out(e.fetch_min(b, sem::Relaxed));
        typed_max_u32 |e, b, out| e.max(b, sem::Relaxed);
        typed_fetch_inc_u32 |e, b, out| out(e.fetch_inc(b, sem::Relaxed));
        typed_dec_u32 |e, b, out| e.dec(b, sem::Relaxed);
        typed_fetch_and_u32 |e, b, out| out(e.fetch_and(b, sem::Relaxed));
        typed_or_u32 |e, b, out| e.or(b, sem::Relaxed);
        typed_xor_u32 |e, b, out| e.xor(b, sem::Relaxed);
        typed_swap_u32 |e, b, out| out(e.swap(b, sem::Acquire));
        typed_cas_u32 |e, b, out| out(e.compare_exchange(b, b + 1, sem::AcqRel).unwrap_or(0));
    }
    of_i32 i32 {
        typed_fetch_min_i32 |e, b, out| out(e.fetch_min(b, sem::Relaxed));
        typed_max_i32 |e, b, out| e.max(b, sem::Relaxed);
    }
    of_f32 f32 {
        typed_fetch_add_f32 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_f32 |e, b, out| e.add(b, sem::Relaxed);
    }
    of_u64 u64 {
        typed_fetch_add_u64 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_u64 |e, b, out| e.add(b, sem::Release);
        typed_fetch_min_u64 |e, b, out| out(e.fetch_min(b, sem::Relaxed));
        typed_min_u64 |e, b, out| e.min(b, sem::Release);
        typed_fetch_max_u64 |e, b, out| out(e.fetch_max(b, sem::Acquire));
        typed_max_u64 |e, b, out| e.max(b, sem::Relaxed);
        typed_fetch_and_u64 |e, b, out| out(e.fetch_and(b, sem::AcqRel));
        typed_and_u64 |e, b, out| e.and(b, sem::Relaxed);
        typed_fetch_or_u64 |e, b, out| out(e.fetch_or(b, sem::Release));
        typed_or_u64 |e, b, out| e.or(b, sem::Relaxed);
        typed_fetch_xor_u64 |e, b, out| out(e.fetch_xor(b, sem::Relaxed));
        typed_xor_u64 |e, b, out| e.xor(b, sem::Relaxed);
        typed_swap_u64 |e, b, out| out(e.swap(b, sem::Relaxed));
        typed_cas_u64 |e, b, out| out(e.compare_exchange(b, b + 1, sem::Relaxed).unwrap_or(0));
    }
    of_i64 i64 {
        typed_fetch_add_i64 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_fetch_min_i64 |e, b, out| out(e.fetch_min(b, sem::Relaxed));
        typed_min_i64 |e, b, out| e.min(b, sem::Relaxed);
        typed_fetch_max_i64 |e, b, out| out(e.fetch_max(b, sem::Relaxed));
        typed_max_i64 |e, b, out| e.max(b, sem::Relaxed);
        typed_fetch_and_i64 |e, b, out| out(e.fetch_and(b, sem::Relaxed));
        typed_or_i64 |e, b, out| e.or(b, sem::Relaxed);
        typed_xor_i64 |e, b, out| e.xor(b, sem::Relaxed);
    }
    of_f64 f64 {
        typed_fetch_add_f64 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_f64 |e, b, out| e.add(b, sem::Relaxed);
    }
    of_b128 B128 {
        typed_swap_b128 |e, b, out| out(e.swap(b, sem::Relaxed));
        typed_cas_b128 |e, b, out| out(e.compare_exchange(b, B128::default(), sem::Relaxed).unwrap_or(b));
    }
    of_f16 f16 {
        typed_fetch_add_f16 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_f16 |e, b, out| e.add(b, sem::Relaxed);
    }
    of_bf16 bf16 {
        typed_fetch_add_bf16 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_bf16 |e, b, out| e.add(b, sem::Relaxed);
    }
    of_f16x2 [f16; 2] {
        typed_fetch_add_f16x2 |e, b, out| out(e.fetch_add(b, sem::AcqRel));
        typed_add_f16x2 |e, b, out| e.add(b, sem::Release);
    }
    of_bf16x2 [bf16; 2] {
        typed_fetch_add_bf16x2 |e, b, out| out(e.fetch_add(b, sem::Relaxed));
        typed_add_bf16x2 |e, b, out| e.add(b, sem::Relaxed);
    }
}

type Value<Ty> = <Ty as TypeTag>::Value;

macro_rules! raw {
    ($( $kernel:ident $red:ident: $atom:ident $row:ident $Ty:ident; )*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $kernel(addr: u32, b: Value<ty::$Ty>, out: *mut Value<ty::$Ty>) {
            unsafe { out.write(raw::$atom(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::$Ty, addr, b, cache_hint::None)) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $red(addr: *mut u8, b: Value<ty::$Ty>) {
            unsafe { raw::$row(sem::Release, scope::Cluster, space::All, ty::$Ty, addr, b, cache_hint::None) }
        }
    )* };
}
raw! {
    raw_atom_and_b64 raw_red_and_b64: atom_and red_and B64;
    raw_atom_or_b64 raw_red_or_b64: atom_or red_or B64;
    raw_atom_xor_b64 raw_red_xor_b64: atom_xor red_xor B64;
    raw_atom_min_u64 raw_red_min_u64: atom_min red_min U64;
    raw_atom_min_s64 raw_red_min_s64: atom_min red_min S64;
    raw_atom_max_u64 raw_red_max_u64: atom_max red_max U64;
    raw_atom_max_s64 raw_red_max_s64: atom_max red_max S64;
    raw_atom_add_f16x2 raw_red_add_f16x2: atom_add_noftz red_add_noftz F16x2;
    raw_atom_add_bf16x2 raw_red_add_bf16x2: atom_add_noftz red_add_noftz Bf16x2;
}
