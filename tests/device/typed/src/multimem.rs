//! `ptx::multimem`: each operation on each type at a multimem address, and bulk reductions.

use half::{bf16, f16};
#[cfg(feature = "sm_100f")]
use ptx::multimem::Fp8;
use ptx::multimem::{self, Multicast, MulticastReduce, MulticastTile};
use ptx::qualifier::op;

use super::*;

/// A pair of kernels over elements at a multimem address.
macro_rules! multicast {
    (
        [$T:ty, $scope:ident] $typed:ident($m:ident, $b:ident, $out:ident) $typed_body:block
        $raw:ident($addr:ident, $rb:ident, $rout:ident) $raw_body:block
    ) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(p: *mut $T, n: usize, i: usize, b: *const $T, $out: *mut $T) {
            let $b = unsafe { b.read() };
            let values = unsafe { Multicast::<$T, scope::$scope>::from_raw(p, n) };
            if let Some($m) = values.get(i) $typed_body
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

/// `store`, `load_reduce_add` and `reduce_add`. The arguments: type tags of the store and of the sum, and the type in the raw
/// layer.
macro_rules! value {
    ([$T:ty as $Tag:ident sum $Sum:ident: $Bits:ty] $typed:ident $raw:ident
        $st:ident $add:ident $red:ident
    ) => {
        multicast! {
            [$T, Sys] $typed(m, b, out) {
                m.store(b, sem::Release);
                unsafe { out.write(m.load_reduce_add(sem::Acquire)) };
                m.reduce_add(b, sem::Relaxed);
            }
            $raw(m, b, out) {
                raw::$st(sem::Release, scope::Sys, ty::$Tag, m, b);
                let out = out.cast::<$Bits>();
                out.write(raw::$add(sem::Acquire, scope::Sys, ty::$Sum, m.cast_const()));
                raw::$red(sem::Relaxed, scope::Sys, ty::$Sum, m, core::mem::transmute_copy(&b));
            }
        }
    };
    ([$T:ty as $Tag:ident sum $Sum:ident: $Bits:ty] $typed:ident $raw:ident) => {
        value! {
            [$T as $Tag sum $Sum: $Bits] $typed $raw
            multimem_st multimem_ld_reduce_add multimem_red_add
        }
    };
    ([$T:ty as $Tag:ident v2] $typed:ident $raw:ident) => {
        value! {
            [$T as $Tag sum $Tag: $T] $typed $raw multimem_st_v2
            multimem_ld_reduce_add_v2 multimem_red_add_v2
        }
    };
    ([$T:ty as $Tag:ident v4] $typed:ident $raw:ident) => {
        value! {
            [$T as $Tag sum $Tag: $T] $typed $raw multimem_st_v4
            multimem_ld_reduce_add_v4 multimem_red_add_v4
        }
    };
    ([$T:ty as $Tag:ident v8] $typed:ident $raw:ident) => {
        value! {
            [$T as $Tag sum $Tag: $T] $typed $raw multimem_st_v8
            multimem_ld_reduce_add_v8 multimem_red_add_v8
        }
    };
}
value! { [u32 as U32 sum U32: u32] typed_multimem_u32 raw_multimem_u32 }
value! { [i32 as S32 sum S32: i32] typed_multimem_i32 raw_multimem_i32 }
value! { [u64 as U64 sum U64: u64] typed_multimem_u64 raw_multimem_u64 }
value! { [i64 as S64 sum U64: u64] typed_multimem_i64 raw_multimem_i64 }
value! { [f32 as F32 sum F32: f32] typed_multimem_f32 raw_multimem_f32 }
value! { [f64 as F64 sum F64: f64] typed_multimem_f64 raw_multimem_f64 }
value! { [[f16; 2] as F16x2 sum F16x2: [f16; 2]] typed_multimem_f16x2 raw_multimem_f16x2 }
value! { [[bf16; 2] as Bf16x2 sum Bf16x2: [bf16; 2]] typed_multimem_bf16x2 raw_multimem_bf16x2 }
value! { [[f32; 2] as F32 v2] typed_multimem_f32_v2 raw_multimem_f32_v2 }
value! { [[f32; 4] as F32 v4] typed_multimem_f32_v4 raw_multimem_f32_v4 }
value! { [[[f16; 2]; 2] as F16x2 v2] typed_multimem_f16x2_v2 raw_multimem_f16x2_v2 }
value! { [[[bf16; 2]; 2] as Bf16x2 v2] typed_multimem_bf16x2_v2 raw_multimem_bf16x2_v2 }
value! { [[f16; 4] as F16 v4] typed_multimem_f16_v4 raw_multimem_f16_v4 }
value! { [[bf16; 4] as Bf16 v4] typed_multimem_bf16_v4 raw_multimem_bf16_v4 }
value! { [[[f16; 2]; 4] as F16x2 v4] typed_multimem_f16x2_v4 raw_multimem_f16x2_v4 }
value! { [[[bf16; 2]; 4] as Bf16x2 v4] typed_multimem_bf16x2_v4 raw_multimem_bf16x2_v4 }
value! { [[f16; 8] as F16 v8] typed_multimem_f16_v8 raw_multimem_f16_v8 }
value! { [[bf16; 8] as Bf16 v8] typed_multimem_bf16_v8 raw_multimem_bf16_v8 }

/// The minima and maxima and the bitwise operations of an integer.
macro_rules! integer {
    ([$T:ty as $Tag:ident bits $BitsTag:ident: $Bits:ty] $typed:ident $raw:ident $typed_bitwise:ident $raw_bitwise:ident) => {
        multicast! {
            [$T, Gpu] $typed(m, b, out) {
                unsafe { out.write(m.load_reduce_min(sem::Relaxed)) };
                unsafe { out.add(2).write(m.load_reduce_max(sem::Acquire)) };
                m.reduce_min(b, sem::Relaxed);
                m.reduce_max(b, sem::Release);
            }
            $raw(m, b, out) {
                let gpu = scope::Gpu;
                out.write(raw::multimem_ld_reduce_min_max(sem::Relaxed, gpu, op::Min, ty::$Tag, m.cast_const()));
                out.add(2).write(raw::multimem_ld_reduce_min_max(sem::Acquire, gpu, op::Max, ty::$Tag, m.cast_const()));
                raw::multimem_red_min_max(sem::Relaxed, gpu, op::Min, ty::$Tag, m, b);
                raw::multimem_red_min_max(sem::Release, gpu, op::Max, ty::$Tag, m, b);
            }
        }
        multicast! {
            [$T, Cta] $typed_bitwise(m, b, out) {
                unsafe { out.write(m.load_reduce_and(sem::Relaxed)) };
                unsafe { out.add(2).write(m.load_reduce_or(sem::Acquire)) };
                unsafe { out.add(4).write(m.load_reduce_xor(sem::Relaxed)) };
                m.reduce_and(b, sem::Relaxed);
                m.reduce_or(b, sem::Release);
                m.reduce_xor(b, sem::Relaxed);
            }
            $raw_bitwise(m, b, out) {
                let (out, b, read, tag, cta) = (out.cast::<$Bits>(), b as $Bits, m.cast_const(), ty::$BitsTag, scope::Cta);
                out.write(raw::multimem_ld_reduce_bitwise(sem::Relaxed, cta, op::And, tag, read));
                out.add(2).write(raw::multimem_ld_reduce_bitwise(sem::Acquire, cta, op::Or, tag, read));
                out.add(4).write(raw::multimem_ld_reduce_bitwise(sem::Relaxed, cta, op::Xor, tag, read));
                raw::multimem_red_bitwise(sem::Relaxed, cta, op::And, tag, m, b);
                raw::multimem_red_bitwise(sem::Release, cta, op::Or, tag, m, b);
                raw::multimem_red_bitwise(sem::Relaxed, cta, op::Xor, tag, m, b);
            }
        }
    };
}
integer! {
    [u32 as U32 bits B32: u32] typed_multimem_min_max_u32 raw_multimem_min_max_u32
    typed_multimem_bitwise_u32 raw_multimem_bitwise_u32
}
integer! {
    [i32 as S32 bits B32: u32] typed_multimem_min_max_i32 raw_multimem_min_max_i32
    typed_multimem_bitwise_i32 raw_multimem_bitwise_i32
}
integer! {
    [u64 as U64 bits B64: u64] typed_multimem_min_max_u64 raw_multimem_min_max_u64
    typed_multimem_bitwise_u64 raw_multimem_bitwise_u64
}
integer! {
    [i64 as S64 bits B64: u64] typed_multimem_min_max_i64 raw_multimem_min_max_i64
    typed_multimem_bitwise_i64 raw_multimem_bitwise_i64
}

/// The other operations of halves: minima, maxima, and sums in `f32`.
macro_rules! halves {
    ([$T:ty as $Tag:ident] $typed:ident $raw:ident
        $min_max:ident $acc:ident
    ) => {
        multicast! {
            [$T, Cluster] $typed(m, b, out) {
                unsafe { out.write(m.load_reduce_min(sem::Relaxed)) };
                unsafe { out.add(2).write(m.load_reduce_add_acc_f32(sem::Acquire)) };
            }
            $raw(m, b, out) {
                out.write(raw::$min_max(sem::Relaxed, scope::Cluster, op::Min, ty::$Tag, m.cast_const()));
                out.add(2).write(raw::$acc(sem::Acquire, scope::Cluster, ty::$Tag, m.cast_const()));
            }
        }
    };
}
halves! {
    [[f16; 2] as F16x2] typed_multimem_halves_f16x2 raw_multimem_halves_f16x2
    multimem_ld_reduce_min_max
    multimem_ld_reduce_add_acc_f32
}
halves! {
    [[[bf16; 2]; 2] as Bf16x2] typed_multimem_halves_bf16x2_v2 raw_multimem_halves_bf16x2_v2
    multimem_ld_reduce_min_max_v2
    multimem_ld_reduce_add_acc_f32_v2
}
halves! {
    [[bf16; 4] as Bf16] typed_multimem_halves_bf16_v4 raw_multimem_halves_bf16_v4
    multimem_ld_reduce_min_max_v4
    multimem_ld_reduce_add_acc_f32_v4
}
halves! {
    [[[f16; 2]; 4] as F16x2] typed_multimem_halves_f16x2_v4 raw_multimem_halves_f16x2_v4
    multimem_ld_reduce_min_max_v4
    multimem_ld_reduce_add_acc_f32_v4
}
halves! {
    [[f16; 8] as F16] typed_multimem_halves_f16_v8 raw_multimem_halves_f16_v8
    multimem_ld_reduce_min_max_v8
    multimem_ld_reduce_add_acc_f32_v8
}

/// All operations of eight-bit floats. The functions for single elements take the operation as an argument.
#[cfg(feature = "sm_100f")]
macro_rules! bytes {
    ([$T:ty as $Tag:ident: $Bits:ty] $typed:ident $raw:ident { $st:ident } {
        $add:ident $(($add_op:ident))? $acc:ident $(($acc_op:ident))?
        $min_max:ident
    }) => {
        multicast! {
            [$T, Gpu] $typed(m, b, out) {
                m.store(b, sem::Release);
                unsafe { out.write(m.load_reduce_add(sem::Acquire)) };
                unsafe { out.add(2).write(m.load_reduce_add_acc_f16(sem::Relaxed)) };
                unsafe { out.add(4).write(m.load_reduce_min(sem::Relaxed)) };
            }
            $raw(m, b, out) {
                let (gpu, tag, read) = (scope::Gpu, ty::$Tag, m.cast_const());
                let bits = |d: $Bits| core::mem::transmute::<$Bits, $T>(d);
                let b = core::mem::transmute::<$T, $Bits>(b);
                raw::$st(sem::Release, gpu, tag, m, b);
                out.write(bits(raw::$add(sem::Acquire, gpu, $(op::$add_op,)? tag, read)));
                out.add(2).write(bits(raw::$acc(sem::Relaxed, gpu, $(op::$acc_op,)? tag, read)));
                out.add(4).write(bits(raw::$min_max(sem::Relaxed, gpu, op::Min, tag, read)));
            }
        }
    };
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[Fp8<ty::E4m3>; 4] as E4m3x4: u32] typed_multimem_e4m3x4 raw_multimem_e4m3x4
    { multimem_st } {
        multimem_ld_reduce_add
        multimem_ld_reduce_add_acc_f16
        multimem_ld_reduce_min_max
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[Fp8<ty::E5m2>; 4] as E5m2x4: u32] typed_multimem_e5m2x4 raw_multimem_e5m2x4
    { multimem_st } {
        multimem_ld_reduce_add
        multimem_ld_reduce_add_acc_f16
        multimem_ld_reduce_min_max
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 2]; 2] as E4m3x2: [u16; 2]] typed_multimem_e4m3x2_v2 raw_multimem_e4m3x2_v2
    { multimem_st_v2 } {
        multimem_ld_reduce_add_v2
        multimem_ld_reduce_add_acc_f16_v2
        multimem_ld_reduce_min_max_v2
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 2]; 2] as E5m2x2: [u16; 2]] typed_multimem_e5m2x2_v2 raw_multimem_e5m2x2_v2
    { multimem_st_v2 } {
        multimem_ld_reduce_add_v2
        multimem_ld_reduce_add_acc_f16_v2
        multimem_ld_reduce_min_max_v2
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 1]; 4] as E4m3: [u8; 4]] typed_multimem_e4m3_v4 raw_multimem_e4m3_v4
    { multimem_st_v4_byte } {
        multimem_ld_reduce_v4_byte(Add)
        multimem_ld_reduce_v4_byte(AddAccF16)
        multimem_ld_reduce_v4_byte
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 1]; 4] as E5m2: [u8; 4]] typed_multimem_e5m2_v4 raw_multimem_e5m2_v4
    { multimem_st_v4_byte } {
        multimem_ld_reduce_v4_byte(Add)
        multimem_ld_reduce_v4_byte(AddAccF16)
        multimem_ld_reduce_v4_byte
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 4]; 2] as E4m3x4: [u32; 2]] typed_multimem_e4m3x4_v2 raw_multimem_e4m3x4_v2
    { multimem_st_v2 } {
        multimem_ld_reduce_add_v2
        multimem_ld_reduce_add_acc_f16_v2
        multimem_ld_reduce_min_max_v2
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 4]; 2] as E5m2x4: [u32; 2]] typed_multimem_e5m2x4_v2 raw_multimem_e5m2x4_v2
    { multimem_st_v2 } {
        multimem_ld_reduce_add_v2
        multimem_ld_reduce_add_acc_f16_v2
        multimem_ld_reduce_min_max_v2
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 2]; 4] as E4m3x2: [u16; 4]] typed_multimem_e4m3x2_v4 raw_multimem_e4m3x2_v4
    { multimem_st_v4 } {
        multimem_ld_reduce_add_v4
        multimem_ld_reduce_add_acc_f16_v4
        multimem_ld_reduce_min_max_v4
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 2]; 4] as E5m2x2: [u16; 4]] typed_multimem_e5m2x2_v4 raw_multimem_e5m2x2_v4
    { multimem_st_v4 } {
        multimem_ld_reduce_add_v4
        multimem_ld_reduce_add_acc_f16_v4
        multimem_ld_reduce_min_max_v4
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[Fp8<ty::E4m3>; 8] as E4m3: [u8; 8]] typed_multimem_e4m3_v8 raw_multimem_e4m3_v8
    { multimem_st_v8_byte } {
        multimem_ld_reduce_v8_byte(Add)
        multimem_ld_reduce_v8_byte(AddAccF16)
        multimem_ld_reduce_v8_byte
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[Fp8<ty::E5m2>; 8] as E5m2: [u8; 8]] typed_multimem_e5m2_v8 raw_multimem_e5m2_v8
    { multimem_st_v8_byte } {
        multimem_ld_reduce_v8_byte(Add)
        multimem_ld_reduce_v8_byte(AddAccF16)
        multimem_ld_reduce_v8_byte
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 4]; 4] as E4m3x4: [u32; 4]] typed_multimem_e4m3x4_v4 raw_multimem_e4m3x4_v4
    { multimem_st_v4 } {
        multimem_ld_reduce_add_v4
        multimem_ld_reduce_add_acc_f16_v4
        multimem_ld_reduce_min_max_v4
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 4]; 4] as E5m2x4: [u32; 4]] typed_multimem_e5m2x4_v4 raw_multimem_e5m2x4_v4
    { multimem_st_v4 } {
        multimem_ld_reduce_add_v4
        multimem_ld_reduce_add_acc_f16_v4
        multimem_ld_reduce_min_max_v4
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E4m3>; 2]; 8] as E4m3x2: [u16; 8]] typed_multimem_e4m3x2_v8 raw_multimem_e4m3x2_v8
    { multimem_st_v8 } {
        multimem_ld_reduce_add_v8
        multimem_ld_reduce_add_acc_f16_v8
        multimem_ld_reduce_min_max_v8
    }
}
#[cfg(feature = "sm_100f")]
bytes! {
    [[[Fp8<ty::E5m2>; 2]; 8] as E5m2x2: [u16; 8]] typed_multimem_e5m2x2_v8 raw_multimem_e5m2x2_v8
    { multimem_st_v8 } {
        multimem_ld_reduce_add_v8
        multimem_ld_reduce_add_acc_f16_v8
        multimem_ld_reduce_min_max_v8
    }
}

#[cfg(feature = "sm_100f")]
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_multimem_fp8_bits(
    bits: u8,
    out: *mut [Fp8<ty::E4m3>; 1],
    sum: *mut u8,
) {
    let x = Fp8::<ty::E4m3>::from_bits(bits);
    unsafe { out.write([x]) };
    unsafe { sum.write(x.to_bits() ^ 0x80) };
}
#[cfg(feature = "sm_100f")]
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_multimem_fp8_bits(bits: u8, out: *mut [u8; 1], sum: *mut u8) {
    unsafe { out.write([bits]) };
    unsafe { sum.write(bits ^ 0x80) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_multimem_vectors(
    p: *mut f32,
    n: usize,
    i: usize,
    out: *mut [f32; 4],
) {
    let values = unsafe { Multicast::<f32>::from_raw(p, n) };
    if let Some(vector) = values.vectors::<4>().and_then(|vectors| vectors.get(i)) {
        unsafe { out.write(vector.load_reduce_add(sem::Relaxed)) };
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_multimem_vectors(p: *mut f32, n: usize, i: usize, out: *mut [f32; 4]) {
    if !p.addr().is_multiple_of(16) || i >= n / 4 {
        return;
    }
    unsafe {
        let vector = p.cast::<[f32; 4]>().add(i).cast::<u8>().cast_const();
        out.write(raw::multimem_ld_reduce_add_v4(sem::Relaxed, scope::Sys, ty::F32, vector));
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_multimem_queries(p: *mut u32, n: usize, i: usize, out: *mut usize) {
    let values = unsafe { Multicast::<u32>::from_raw(p, n) };
    unsafe { out.write(if values.is_empty() { 7 } else { values.len() }) };
    unsafe { out.add(1).write(values.get(i).map_or(0, |value| value.addr() as usize)) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_multimem_queries(p: *mut u32, n: usize, i: usize, out: *mut usize) {
    unsafe {
        out.write(if n == 0 { 7 } else { n });
        out.add(1).write(if i < n { p.add(i) as usize } else { 0 });
    }
}

/// Returns the only tile of the destination.
#[inline(always)]
fn sums(dst: *mut f32) -> MulticastTile<f32, N> {
    match unsafe { MulticastReduce::from_raw(dst, N) }.get(0) {
        Some(tile) => tile,
        None => ptx::trap(),
    }
}

#[inline(always)]
fn fill(base: u32) {
    each_own(BYTES / 16, |v| {
        let addr = base + 16 * v;
        let bits = |lane: usize| ((4 * v as usize + lane) as f32).to_bits();
        unsafe { raw::st_weak_v4(space::SharedCta, ty::B32, addr, [bits(0), bits(1), bits(2), bits(3)]) };
    });
}

stages! {
    typed_multimem_bulk_reduce(cta, stages) {
        cta.async_scope(stages.a, |cta, a| {
            let a = a.write(cta, |i| i as f32).to_async().sync(cta);
            let (a, group) = multimem::bulk_reduce(cta, op::Add, a, sums(dst)).commit(cta).wait_read_split(cta).sync(cta);
            group.wait(cta).sync(cta);
            a
        });
    }
    raw_multimem_bulk_reduce(base) {
        scope(|| {
            fill(base);
            fence_async();
            if elected() {
                raw::multimem_cp_reduce_async_bulk_global_shared_cta_add(ty::F32, dst.cast(), base, BYTES);
            }
            if elected() {
                raw::cp_async_bulk_commit_group();
            }
            if elected() {
                raw::cp_async_bulk_wait_group_read::<0>();
            }
            sync();
            if elected() {
                raw::cp_async_bulk_wait_group::<0>();
            }
            sync();
        })
    }
    (src, dst, out, n)
}
