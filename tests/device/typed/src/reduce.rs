//! Reductions and scans of warps, of groups of lanes, and of CTAs.

use core::arch::nvptx::{_block_dim_x, _block_dim_y, _block_dim_z};

use ptx::group::Cta;
use ptx::qualifier::{convergence::Aligned, mode, op, space, threads, ty};
use ptx::raw;
use ptx::reduce::{ReduceMemory, SegmentMemory};
use ptx::registers::unroll;

use crate::{thread_count, thread_rank};

const ALL: u32 = u32::MAX;

/// A pair of kernels with calls of a warp.
macro_rules! pair {
    ($typed:ident($warp:ident, $value:ident, $wide:ident) $typed_body:block
     $raw:ident($rvalue:ident, $rwide:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(out: *mut u64, $value: u32, $wide: u64) {
            let (cta, (), _) = unsafe { Cta::enter::<()>() };
            let $warp = cta.warp();
            let results = $typed_body;
            unsafe { write(out, results) };
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(out: *mut u64, $rvalue: u32, $rwide: u64) {
            let results = unsafe { $raw_body };
            unsafe { write(out, results) };
        }
    };
}

/// Writes each result with its own store, so that LLVM joins no results.
#[inline(always)]
unsafe fn write<T: Copy, const N: usize>(out: *mut u64, results: [T; N]) {
    unroll::<N>(|i| unsafe { out.add(i).cast::<T>().write(results[i]) });
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

pair! {
    typed_warp_reduce_64(warp, value, wide) {
        let (sum, least) = (warp.reduce_add(wide), warp.reduce_min(wide));
        let greatest = warp.reduce_max(wide as i64) as u64;
        [sum, least, greatest, warp.reduce_and(wide), warp.reduce_or(wide as i64) as u64, warp.reduce_xor(wide)]
    }
    raw_warp_reduce_64(value, wide) {
        let part = |bits: u64| u64::from(raw::redux_sync(op::Add, ty::U32, bits as u32, ALL));
        let (low, middle, high) = (part(wide & 0x7ff_ffff), part(wide >> 27 & 0x7ff_ffff), part(wide >> 54));
        let sum = low + (middle << 27) + (high << 54);
        let top = raw::redux_sync(op::Min, ty::U32, (wide >> 32) as u32, ALL);
        let low = if (wide >> 32) as u32 == top { wide as u32 } else { u32::MAX };
        let least = join(raw::redux_sync(op::Min, ty::U32, low, ALL), top);
        let top = raw::redux_sync(op::Max, ty::S32, (wide >> 32) as i32, ALL);
        let low = if (wide >> 32) as i32 == top { wide as u32 } else { 0 };
        let greatest = join(raw::redux_sync(op::Max, ty::U32, low, ALL), top as u32);
        let (low, high) = (wide as u32, (wide >> 32) as u32);
        let and = join(raw::redux_sync_b32(op::And, low, ALL), raw::redux_sync_b32(op::And, high, ALL));
        let or = join(raw::redux_sync_b32(op::Or, low, ALL), raw::redux_sync_b32(op::Or, high, ALL));
        let xor = join(raw::redux_sync_b32(op::Xor, low, ALL), raw::redux_sync_b32(op::Xor, high, ALL));
        [sum, least, greatest, and, or, xor]
    }
}

/// Maps the bits of floats to integers of the same order, and back.
#[cfg(not(feature = "sm_100f"))]
#[inline(always)]
fn turn(bits: i32) -> i32 {
    bits ^ (bits >> 31 & i32::MAX)
}
#[cfg(not(feature = "sm_100f"))]
#[inline(always)]
unsafe fn min_f32(x: f32) -> f32 {
    let key = if x.is_nan() { i32::MAX } else { turn(x.to_bits() as i32) };
    f32::from_bits(turn(unsafe { raw::redux_sync(op::Min, ty::S32, key, ALL) }) as u32)
}
#[cfg(not(feature = "sm_100f"))]
#[inline(always)]
unsafe fn max_f32(x: f32) -> f32 {
    let key = if x.is_nan() { i32::MIN } else { turn(x.to_bits() as i32) };
    f32::from_bits(turn(unsafe { raw::redux_sync(op::Max, ty::S32, key, ALL) }) as u32)
}
#[cfg(feature = "sm_100f")]
#[inline(always)]
unsafe fn min_f32(x: f32) -> f32 {
    use ptx::qualifier::{abs, nan};
    unsafe { raw::redux_sync_f32(op::Min, abs::Signed, nan::Ignore, x, ALL) }
}
#[cfg(feature = "sm_100f")]
#[inline(always)]
unsafe fn max_f32(x: f32) -> f32 {
    use ptx::qualifier::{abs, nan};
    unsafe { raw::redux_sync_f32(op::Max, abs::Signed, nan::Ignore, x, ALL) }
}

pair! {
    typed_warp_reduce_floats(warp, value, wide) {
        let x = f32::from_bits(value);
        let (least, greatest) = (warp.reduce_min(x).to_bits(), warp.reduce_max(x).to_bits());
        [u64::from(least), u64::from(greatest), warp.reduce_min(f64::from_bits(wide)).to_bits()]
    }
    raw_warp_reduce_floats(value, wide) {
        let x = f32::from_bits(value);
        let (least, greatest) = (min_f32(x).to_bits(), max_f32(x).to_bits());
        let bits = wide as i64;
        let key = if f64::from_bits(wide).is_nan() { i64::MAX } else { bits ^ (bits >> 63 & i64::MAX) };
        let top = raw::redux_sync(op::Min, ty::S32, (key >> 32) as i32, ALL);
        let low = if (key >> 32) as i32 == top { key as u32 } else { u32::MAX };
        let key = i64::from(top) << 32 | i64::from(raw::redux_sync(op::Min, ty::U32, low, ALL));
        [u64::from(least), u64::from(greatest), (key ^ (key >> 63 & i64::MAX)) as u64]
    }
}

#[inline(always)]
fn warps_are_whole() -> bool {
    unsafe { (_block_dim_x() * _block_dim_y() * _block_dim_z()).is_multiple_of(32) }
}

/// Returns the sum of `width` adjacent lanes, by a butterfly of shuffles.
#[inline(always)]
unsafe fn butterfly(x: f32, width: u32) -> f32 {
    let mut sum = x;
    unroll::<5>(|i| {
        if width > 16 >> i {
            sum += f32::from_bits(unsafe { raw::shfl_sync(mode::Bfly, sum.to_bits(), 16 >> i, 0x1f, ALL) });
        }
    });
    sum
}

/// Returns the sum of the lanes up to this one.
#[inline(always)]
unsafe fn scan_up(x: f32, width: u32) -> f32 {
    let mut upto = x;
    unroll::<5>(|i| {
        if width > 1 << i {
            let (below, inside) = unsafe { raw::shfl_sync_pred(mode::Up, upto.to_bits(), 1 << i, 0, ALL) };
            if inside {
                upto = f32::from_bits(below) + upto;
            }
        }
    });
    upto
}

#[inline(always)]
unsafe fn warp_sum(x: f32) -> f32 {
    if warps_are_whole() {
        return unsafe { butterfly(x, 32) };
    }
    unsafe {
        let upto = scan_up(x, 32);
        let last = 31 - raw::vote_sync_ballot(true, ALL).leading_zeros();
        f32::from_bits(raw::shfl_sync(mode::Idx, upto.to_bits(), last, 0x1f, ALL))
    }
}

pair! {
    typed_warp_reduce_add_f32(warp, value, wide) {
        [warp.reduce_add(f32::from_bits(value))]
    }
    raw_warp_reduce_add_f32(value, wide) {
        [warp_sum(f32::from_bits(value))]
    }
}

pair! {
    typed_warp_reduce_of_any(warp, value, wide) {
        [warp.reduce(f32::from_bits(value), |a, b| a + b)]
    }
    raw_warp_reduce_of_any(value, wide) {
        [warp_sum(f32::from_bits(value))]
    }
}

pair! {
    typed_warp_scan(warp, value, wide) {
        let x = f32::from_bits(value);
        let (upto, before) = (warp.inclusive_sum(x), warp.exclusive_sum(x));
        [upto.to_bits(), before.to_bits(), warp.exclusive_sum(value)]
    }
    raw_warp_scan(value, wide) {
        let x = f32::from_bits(value);
        let (upto, again) = (scan_up(x, 32), scan_up(x, 32));
        let (below, inside) = raw::shfl_sync_pred(mode::Up, again.to_bits(), 1, 0, ALL);
        let before = if inside { below } else { 0 };
        let mut sum = value;
        unroll::<5>(|i| {
            let (below, inside) = raw::shfl_sync_pred(mode::Up, sum, 1 << i, 0, ALL);
            if inside {
                sum += below;
            }
        });
        [upto.to_bits(), before, sum - value]
    }
}

pair! {
    typed_warp_scan_of_any(warp, value, wide) {
        let upto = warp.inclusive_scan(value, u32::max);
        [upto, warp.exclusive_scan(value, u32::max).unwrap_or(7)]
    }
    raw_warp_scan_of_any(value, wide) {
        let scan = || {
            let mut upto = value;
            unroll::<5>(|i| {
                let (below, inside) = raw::shfl_sync_pred(mode::Up, upto, 1 << i, 0, ALL);
                if inside {
                    upto = below.max(upto);
                }
            });
            upto
        };
        let upto = scan();
        let (below, inside) = raw::shfl_sync_pred(mode::Up, scan(), 1, 0, ALL);
        [upto, if inside { below } else { 7 }]
    }
}

pair! {
    typed_warp_group_sum(warp, value, wide) {
        let group = warp.partition_by(wide);
        let x = f32::from_bits(value);
        [group.reduce_add(x).to_bits(), group.exclusive_sum(x).to_bits()]
    }
    raw_warp_group_sum(value, wide) {
        let mask = raw::match_any_sync(ty::B64, wide, ALL);
        let link_of = || 31_u32.wrapping_sub((mask & raw::lanemask_lt()).leading_zeros());
        let scan = || {
            let (mut upto, mut link) = (f32::from_bits(value), link_of());
            unroll::<5>(|_| {
                let below = raw::shfl_sync(mode::Idx, upto.to_bits(), link, 0x1f, mask);
                let next = raw::shfl_sync(mode::Idx, link, link, 0x1f, mask);
                if link < 32 {
                    upto = f32::from_bits(below) + upto;
                    link = next;
                }
            });
            upto
        };
        let sum = raw::shfl_sync(mode::Idx, scan().to_bits(), 31 - mask.leading_zeros(), 0x1f, mask);
        let upto = scan().to_bits();
        let below = raw::shfl_sync(mode::Idx, upto, link_of(), 0x1f, mask);
        [sum, if mask & raw::lanemask_lt() != 0 { below } else { 0 }]
    }
}

/// Returns the lanes at which a segment begins, among tiles of 8.
#[inline(always)]
unsafe fn heads(is_head: bool) -> u32 {
    0x0101_0101 | unsafe { raw::vote_sync_ballot(is_head, ALL) }
}

/// Scans the segments of tiles of 8 lanes.
#[inline(always)]
unsafe fn scan_segments(value: u32, heads: u32) -> u32 {
    let rank = raw::laneid() - (31 - (heads & raw::lanemask_le()).leading_zeros());
    let mut upto = value;
    unroll::<3>(|i| {
        let below = unsafe { raw::shfl_sync(mode::Up, upto, 1 << i, 24 << 8, ALL) };
        if 1 << i <= rank {
            upto = below.max(upto);
        }
    });
    upto
}

pair! {
    typed_warp_segmented_scan(warp, value, wide) {
        [warp.tiles::<8>().segmented_scan(value, wide == 0, u32::max)]
    }
    raw_warp_segmented_scan(value, wide) {
        [scan_segments(value, heads(wide == 0))]
    }
}

pair! {
    typed_warp_segmented_reduce(warp, value, wide) {
        [warp.tiles::<8>().segmented_reduce(value, wide == 0, u32::max)]
    }
    raw_warp_segmented_reduce(value, wide) {
        let heads = heads(wide == 0);
        let upto = scan_segments(value, heads);
        let ends = if warps_are_whole() { heads } else { heads | !raw::vote_sync_ballot(true, ALL) };
        let last = (ends & raw::lanemask_gt()).trailing_zeros() - 1;
        [raw::shfl_sync(mode::Idx, upto, last, 24 << 8 | 0x1f, ALL)]
    }
}

pair! {
    typed_warp_tiles_sum(warp, value, wide) {
        [warp.tiles::<4>().reduce_add(value)]
    }
    raw_warp_tiles_sum(value, wide) {
        let sum = if warps_are_whole() {
            let mut sum = value;
            unroll::<2>(|i| sum += raw::shfl_sync(mode::Bfly, sum, 2 >> i, 28 << 8 | 0x1f, ALL));
            sum
        } else {
            let mut upto = value;
            unroll::<2>(|i| {
                let (below, inside) = raw::shfl_sync_pred(mode::Up, upto, 1 << i, 28 << 8, ALL);
                if inside {
                    upto += below;
                }
            });
            let tile = 0xf << (raw::laneid() & !3);
            let last = 31 - (tile & raw::vote_sync_ballot(true, ALL)).leading_zeros();
            raw::shfl_sync(mode::Idx, upto, last, 28 << 8 | 0x1f, ALL)
        };
        [sum]
    }
}

ptx::shared_memory! {
    struct Floats { partials: ReduceMemory<f32> }
}
ptx::shared_memory! {
    struct Words { partials: ReduceMemory<u32> }
}

/// A pair of kernels with calls of a CTA.
macro_rules! cta_pair {
    ($Smem:ident: $typed:ident($cta:ident, $partials:ident, $value:ident) $typed_body:block
     $raw:ident($base:ident, $rvalue:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(out: *mut u64, $value: u32) {
            let ($cta, mut smem, _) = unsafe { Cta::enter::<$Smem>() };
            let $partials = &mut smem.partials;
            let results = $typed_body;
            unsafe { write(out, results) };
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(out: *mut u64, $rvalue: u32) {
            let (_, smem, _) = unsafe { Cta::enter::<$Smem>() };
            let [$base, _]: [u32; 2] = unsafe { core::mem::transmute(smem.partials) };
            let results = unsafe { $raw_body };
            unsafe { write(out, results) };
        }
    };
}

#[inline(always)]
unsafe fn slot(half: u32, i: u32) -> u32 {
    unsafe { raw::ld_weak(space::SharedCta, ty::B32, half + 4 * i) }
}

#[inline(always)]
unsafe fn publish(half: u32, mine: bool, bits: u32) {
    unsafe {
        if mine {
            raw::st_weak(space::SharedCta, ty::B32, half + 4 * (thread_rank() / 32), bits);
        }
        raw::barrier_cta_sync(Aligned, 0, threads::All);
    }
}

/// Folds the slots with `f`, in order.
#[inline(always)]
unsafe fn one_by_one(half: u32, warps: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    (1..warps).fold(unsafe { slot(half, 0) }, |all, i| f(all, unsafe { slot(half, i) }))
}

#[inline(always)]
unsafe fn cta_redux(
    half: u32,
    value: u32,
    more: Option<u32>,
    redux: impl Fn(u32) -> u32,
    f: impl Fn(u32, u32) -> u32,
) -> u32 {
    unsafe {
        let count = thread_count();
        publish(half, raw::laneid() == 0, redux(value));
        let warps = count.div_ceil(32);
        if count.is_multiple_of(32) {
            let value = match more {
                Some(more) => {
                    let value = slot(half, raw::laneid());
                    if raw::laneid() < warps { value } else { more }
                }
                None => slot(half, raw::laneid().min(warps - 1)),
            };
            redux(value)
        } else {
            one_by_one(half, warps, f)
        }
    }
}

cta_pair! {
    Words: typed_reduce_integers(cta, partials, value) {
        let (sum, least) = (partials.reduce_add(&cta, value), partials.reduce_min(&cta, value));
        [sum, least, partials.reduce_max(&cta, value)]
    }
    raw_reduce_integers(base, value) {
        let add = |x: u32| raw::redux_sync(op::Add, ty::U32, x, ALL);
        let min = |x: u32| raw::redux_sync(op::Min, ty::U32, x, ALL);
        let max = |x: u32| raw::redux_sync(op::Max, ty::U32, x, ALL);
        let sum = cta_redux(base, value, Some(0), add, u32::wrapping_add);
        let least = cta_redux(base + 128, value, None, min, u32::min);
        [sum, least, cta_redux(base, value, None, max, u32::max)]
    }
}

cta_pair! {
    Words: typed_reduce_broadcast(cta, partials, value) {
        [partials.broadcast(&cta, value), partials.broadcast(&cta, 2 * value)]
    }
    raw_reduce_broadcast(base, value) {
        publish(base, crate::elected(), value);
        let first = slot(base, 0);
        publish(base + 128, crate::elected(), 2 * value);
        [first, slot(base + 128, 0)]
    }
}

cta_pair! {
    Words: typed_reduce_bits(cta, partials, value) {
        let (and, or) = (partials.reduce_and(&cta, value), partials.reduce_or(&cta, value));
        [and, or, partials.reduce_xor(&cta, value)]
    }
    raw_reduce_bits(base, value) {
        let and = cta_redux(base, value, None, |x| raw::redux_sync_b32(op::And, x, ALL), |a, b| a & b);
        let or = cta_redux(base + 128, value, None, |x| raw::redux_sync_b32(op::Or, x, ALL), |a, b| a | b);
        let xor = cta_redux(base, value, Some(0), |x| raw::redux_sync_b32(op::Xor, x, ALL), |a, b| a ^ b);
        [and, or, xor]
    }
}

cta_pair! {
    Floats: typed_reduce_of_any(cta, partials, value) {
        [partials.reduce(&cta, f32::from_bits(value), |a, b| a + b).to_bits()]
    }
    raw_reduce_of_any(base, value) {
        let sum = warp_sum(f32::from_bits(value));
        let count = thread_count();
        publish(base, raw::laneid() == 0, sum.to_bits());
        let warps = count.div_ceil(32);
        let bits = if count.is_multiple_of(32) && warps.is_power_of_two() {
            butterfly(f32::from_bits(slot(base, raw::laneid() & (warps - 1))), warps).to_bits()
        } else {
            one_by_one(base, warps, |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits())
        };
        [bits]
    }
}

/// Scans with `f`. Returns the result of the previous warps, the result in the warp up to this thread, and the total.
#[inline(always)]
unsafe fn cta_scan(half: u32, value: u32, f: impl Fn(u32, u32) -> u32) -> (Option<u32>, u32, u32) {
    let up = |value: u32, width: u32| {
        let mut upto = value;
        unroll::<5>(|i| {
            if width > 1 << i {
                let (below, inside) = unsafe { raw::shfl_sync_pred(mode::Up, upto, 1 << i, 0, ALL) };
                if inside {
                    upto = f(below, upto);
                }
            }
        });
        upto
    };
    unsafe {
        let count = thread_count();
        let upto = up(value, 32);
        let last = raw::laneid() == 31 || thread_rank() == count - 1;
        publish(half, last, upto);
        let (warps, rank) = (count.div_ceil(32), thread_rank() / 32);
        let (before, all) = if count.is_multiple_of(32) {
            let upto = up(slot(half, raw::laneid().min(warps - 1)), warps);
            let before = raw::shfl_sync(mode::Idx, upto, rank.wrapping_sub(1), 0x1f, ALL);
            (before, raw::shfl_sync(mode::Idx, upto, warps - 1, 0x1f, ALL))
        } else {
            let mut all = slot(half, 0);
            let mut before = all;
            for other in 1..warps {
                if other == rank {
                    before = all;
                }
                all = f(all, slot(half, other));
            }
            (before, all)
        };
        (if rank > 0 { Some(before) } else { None }, upto, all)
    }
}

cta_pair! {
    Words: typed_reduce_sums(cta, partials, value) {
        let (upto, all) = partials.inclusive_sum(&cta, value);
        let (before, again) = partials.exclusive_sum(&cta, value);
        [upto, all, before, again]
    }
    raw_reduce_sums(base, value) {
        let (before, in_warp, all) = cta_scan(base, value, u32::wrapping_add);
        let upto = before.unwrap_or(0).wrapping_add(in_warp);
        let (before, in_warp, again) = cta_scan(base + 128, value, u32::wrapping_add);
        let before = before.unwrap_or(0).wrapping_add(in_warp.wrapping_sub(value));
        [upto, all, before, again]
    }
}

cta_pair! {
    Words: typed_reduce_scans(cta, partials, value) {
        let (upto, all) = partials.inclusive_scan(&cta, value, u32::max);
        let (before, again) = partials.exclusive_scan(&cta, value, u32::max);
        [upto, all, before.unwrap_or(7), again]
    }
    raw_reduce_scans(base, value) {
        let (before, in_warp, all) = cta_scan(base, value, u32::max);
        let upto = before.map_or(in_warp, |before| before.max(in_warp));
        let (before, in_warp, again) = cta_scan(base + 128, value, u32::max);
        let (below, inside) = raw::shfl_sync_pred(mode::Up, in_warp, 1, 0, ALL);
        let below = if inside { Some(below) } else { None };
        let both = match (before, below) {
            (Some(before), Some(below)) => Some(before.max(below)),
            (before, below) => before.or(below),
        };
        [upto, all, both.unwrap_or(7), again]
    }
}

ptx::shared_memory! {
    struct Segments { partials: SegmentMemory<u32> }
}

/// Scans the segments of a warp that begin at `heads`.
#[inline(always)]
unsafe fn scan_heads(value: u32, heads: u32) -> u32 {
    let rank = raw::laneid() - (31 - (heads & raw::lanemask_le()).leading_zeros());
    let mut upto = value;
    unroll::<5>(|i| {
        let below = unsafe { raw::shfl_sync(mode::Up, upto, 1 << i, 0, ALL) };
        if 1 << i <= rank {
            upto = below.max(upto);
        }
    });
    upto
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_reduce_segments(out: *mut u64, value: u32) {
    let (cta, mut smem, _) = unsafe { Cta::enter::<Segments>() };
    let (upto, last) = smem.partials.inclusive_scan(&cta, value, value > 9, u32::max);
    unsafe { write(out, [upto, last]) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_reduce_segments(out: *mut u64, value: u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Segments>() };
    let [base, _, flags, _]: [u32; 4] = unsafe { core::mem::transmute(smem.partials) };
    unsafe {
        let count = thread_count();
        let heads = raw::vote_sync_ballot(value > 9, ALL);
        let upto = scan_heads(value, heads | 1);
        let last = raw::laneid() == 31 || thread_rank() == count - 1;
        if last {
            raw::st_weak(space::SharedCta, ty::B32, flags + 4 * (thread_rank() / 32), u32::from(heads != 0));
        }
        publish(base, last, upto);
        let (warps, rank) = (count.div_ceil(32), thread_rank() / 32);
        let (before, all) = if count.is_multiple_of(32) {
            let other = raw::laneid().min(warps - 1);
            let of_warps = raw::vote_sync_ballot(slot(flags, other) != 0, ALL);
            let upto = scan_heads(slot(base, other), of_warps | 1);
            let before = raw::shfl_sync(mode::Idx, upto, rank.wrapping_sub(1), 0x1f, ALL);
            (before, raw::shfl_sync(mode::Idx, upto, warps - 1, 0x1f, ALL))
        } else {
            let mut all = slot(base, 0);
            let mut before = all;
            for other in 1..warps {
                if other == rank {
                    before = all;
                }
                let of_warp = slot(base, other);
                all = if slot(flags, other) != 0 { of_warp } else { all.max(of_warp) };
            }
            (before, all)
        };
        let began_before = rank > 0 && heads & raw::lanemask_le() == 0;
        write(out, [if began_before { before.max(upto) } else { upto }, all]);
    }
}
