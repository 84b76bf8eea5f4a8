use ptx::group::Cta;
use ptx::mask::LaneMask;
use ptx::qualifier::{mode, op, ty};
use ptx::raw;

/// A pair of kernels. `lane` is the thread's lane, in the raw kernel.
macro_rules! pair {
    ($typed:ident($warp:ident, $value:ident, $wide:ident, $out:ident) $typed_body:block
     $raw:ident($rvalue:ident, $rwide:ident, $rout:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed($out: *mut u32, $value: u32, $wide: u64) {
            let (cta, (), _) = unsafe { Cta::enter::<()>() };
            let $warp = cta.warp();
            let result: u32 = $typed_body;
            unsafe { $out.write(result) };
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($rout: *mut u32, $rvalue: u32, $rwide: u64) {
            let result: u32 = unsafe { $raw_body };
            unsafe { $rout.write(result) };
        }
    };
}

const ALL: u32 = u32::MAX;

pair! {
    typed_warp_sync(warp, value, wide, out) {
        warp.sync();
        warp.lane() + warp.thread_rank() + warp.mask().bits() + ptx::warp::active_mask().bits()
    }
    raw_warp_sync(value, wide, out) {
        raw::bar_warp_sync(ALL);
        raw::laneid() + raw::laneid() + ALL + raw::activemask()
    }
}

pair! {
    typed_warp_vote(warp, value, wide, out) {
        let (all, any, uniform) = (warp.all(value > 1), warp.any(value > 2), warp.uniform(value > 3));
        warp.ballot(value > 4).count() + all as u32 + any as u32 + uniform as u32
    }
    raw_warp_vote(value, wide, out) {
        let (all, any, uniform) = (
            raw::vote_sync(mode::All, value > 1, ALL),
            raw::vote_sync(mode::Any, value > 2, ALL),
            raw::vote_sync(mode::Uni, value > 3, ALL),
        );
        raw::vote_sync_ballot(value > 4, ALL).count_ones() + all as u32 + any as u32 + uniform as u32
    }
}

pair! {
    typed_warp_mask(warp, value, wide, out) { LaneMask::lane(value).bits() }
    raw_warp_mask(value, wide, out) { 1_u32.checked_shl(value).unwrap_or(0) }
}

pair! {
    typed_warp_match(warp, value, wide, out) {
        let (some, all) = (warp.match_any(value as i32), warp.match_all(wide as i64));
        some.bits() + all.map_or(9, |mask| mask.bits())
    }
    raw_warp_match(value, wide, out) {
        let (some, (mask, all)) =
            (raw::match_any_sync(ty::B32, value, ALL), raw::match_all_sync_pred(ty::B64, wide, ALL));
        some + if all { mask } else { 9 }
    }
}

pair! {
    typed_warp_reduce(warp, value, wide, out) {
        let sum = warp.reduce_add(value);
        let least = warp.reduce_min(value as i32) as u32;
        let greatest = warp.reduce_max(value);
        (sum ^ least ^ greatest)
            + (warp.reduce_and(value) ^ warp.reduce_or(value as i32) as u32 ^ warp.reduce_xor(value))
    }
    raw_warp_reduce(value, wide, out) {
        let sum = raw::redux_sync(op::Add, ty::U32, value, ALL);
        let least = raw::redux_sync(op::Min, ty::S32, value as i32, ALL) as u32;
        let greatest = raw::redux_sync(op::Max, ty::U32, value, ALL);
        (sum ^ least ^ greatest)
            + (raw::redux_sync_b32(op::And, value, ALL)
                ^ raw::redux_sync_b32(op::Or, value, ALL)
                ^ raw::redux_sync_b32(op::Xor, value, ALL))
    }
}

#[cfg(feature = "sm_100f")]
pair! {
    typed_warp_reduce_f32(warp, value, wide, out) {
        use ptx::qualifier::{abs, nan};
        let value = f32::from_bits(value);
        let least = warp.reduce_min_f32(abs::Signed, nan::Ignore, value);
        least.to_bits() ^ warp.reduce_max_f32(abs::Abs, nan::Propagate, value).to_bits()
    }
    raw_warp_reduce_f32(value, wide, out) {
        use ptx::qualifier::{abs, nan};
        let value = f32::from_bits(value);
        let least = raw::redux_sync_f32(op::Min, abs::Signed, nan::Ignore, value, ALL);
        least.to_bits() ^ raw::redux_sync_f32(op::Max, abs::Abs, nan::Propagate, value, ALL).to_bits()
    }
}

pair! {
    typed_warp_shuffle(warp, value, wide, out) {
        let from = warp.shuffle(value, 5);
        let up = warp.shuffle_up(f32::from_bits(value), 1).map_or(3, f32::to_bits);
        let down = warp.shuffle_down(value, 2).unwrap_or(value);
        from ^ up ^ down ^ warp.shuffle_xor(value as i32, 16) as u32
    }
    raw_warp_shuffle(value, wide, out) {
        let from = raw::shfl_sync(mode::Idx, value, 5, 0x1f, ALL);
        let (up, inside) = raw::shfl_sync_pred(mode::Up, value, 1, 0, ALL);
        let up = if inside { up } else { 3 };
        let (down, inside) = raw::shfl_sync_pred(mode::Down, value, 2, 0x1f, ALL);
        let down = if inside { down } else { value };
        from ^ up ^ down ^ raw::shfl_sync(mode::Bfly, value, 16, 0x1f, ALL)
    }
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

pair! {
    typed_warp_shuffle_64(warp, value, wide, out) {
        let from = warp.shuffle(wide, 5);
        let down = warp.shuffle_down(wide, 2).unwrap_or(wide);
        (from ^ down).count_ones()
    }
    raw_warp_shuffle_64(value, wide, out) {
        let (low, high) = (wide as u32, (wide >> 32) as u32);
        let from = join(
            raw::shfl_sync(mode::Idx, low, 5, 0x1f, ALL),
            raw::shfl_sync(mode::Idx, high, 5, 0x1f, ALL),
        );
        let (down, inside) = raw::shfl_sync_pred(mode::Down, low, 2, 0x1f, ALL);
        let down = join(down, raw::shfl_sync(mode::Down, high, 2, 0x1f, ALL));
        let down = if inside { down } else { wide };
        (from ^ down).count_ones()
    }
}

pair! {
    typed_warp_elect(warp, value, wide, out) {
        warp.invoke_elected(|| unsafe { out.add(1).write(value) });
        value
    }
    raw_warp_elect(value, wide, out) {
        let (_, elected) = raw::elect_sync(ALL);
        if elected {
            out.add(1).write(value);
        }
        value
    }
}

pair! {
    typed_warp_tiles(warp, value, wide, out) {
        let tile = warp.tile::<8>();
        let up = tile.shuffle_up(value, 1).unwrap_or(3);
        up ^ tile.shuffle(value, 2) ^ tile.shuffle_xor(value, 4) ^ tile.reduce_add(value) ^ tile.thread_rank()
    }
    raw_warp_tiles(value, wide, out) {
        let mask = 0xff << (raw::laneid() & !7);
        let (up, inside) = raw::shfl_sync_pred(mode::Up, value, 1, 24 << 8, mask);
        let up = if inside { up } else { 3 };
        let from = raw::shfl_sync(mode::Idx, value, 2, 24 << 8 | 0x1f, mask);
        let other = raw::shfl_sync(mode::Bfly, value, 4, 24 << 8 | 0x1f, mask);
        let sum = raw::redux_sync(op::Add, ty::U32, value, mask);
        up ^ from ^ other ^ sum ^ raw::laneid() & 7
    }
}

pair! {
    typed_warp_all_tiles(warp, value, wide, out) {
        let tiles = warp.tiles::<8>();
        let up = tiles.shuffle_up(value, 1).unwrap_or(3);
        up ^ tiles.shuffle(value, 2) ^ tiles.shuffle_xor(value, 4) ^ tiles.thread_rank()
    }
    raw_warp_all_tiles(value, wide, out) {
        let (up, inside) = raw::shfl_sync_pred(mode::Up, value, 1, 24 << 8, ALL);
        let up = if inside { up } else { 3 };
        let from = raw::shfl_sync(mode::Idx, value, 2, 24 << 8 | 0x1f, ALL);
        let other = raw::shfl_sync(mode::Bfly, value, 4, 24 << 8 | 0x1f, ALL);
        up ^ from ^ other ^ raw::laneid() & 7
    }
}

pair! {
    typed_warp_shuffle_vector(warp, value, wide, out) {
        let [a, b, c, d] = warp.shuffle([value, 1, value, 2], 5);
        let [low, high] = warp.shuffle([value as u16, (value >> 16) as u16], 6);
        a ^ b ^ c ^ d ^ u32::from(low ^ high) ^ u32::from(warp.shuffle_xor(value as u8, 1))
    }
    raw_warp_shuffle_vector(value, wide, out) {
        let from = |word: u32| raw::shfl_sync(mode::Idx, word, 5, 0x1f, ALL);
        let words = from(value) ^ from(1) ^ from(value) ^ from(2);
        let pair = raw::shfl_sync(mode::Idx, value, 6, 0x1f, ALL);
        let byte = raw::shfl_sync(mode::Bfly, u32::from(value as u8), 1, 0x1f, ALL);
        words ^ u32::from(pair as u16 ^ (pair >> 16) as u16) ^ u32::from(byte as u8)
    }
}

pair! {
    typed_warp_match_vector(warp, value, wide, out) {
        warp.match_any([value, wide as u32, 7]).bits()
    }
    raw_warp_match_vector(value, wide, out) {
        let both = raw::match_any_sync(ty::B64, join(value, wide as u32), ALL);
        both & raw::match_any_sync(ty::B32, 7, ALL)
    }
}

pair! {
    typed_warp_groups(warp, value, wide, out) {
        let same = warp.partition_by(wide);
        let sum = same.reduce_add(value);
        let first = sum ^ same.thread_rank();
        match same.filter(value > 9) {
            Some(large) => {
                large.sync();
                large.reduce_max(first)
            }
            None => first,
        }
    }
    raw_warp_groups(value, wide, out) {
        let same = raw::match_any_sync(ty::B64, wide, ALL);
        let sum = raw::redux_sync(op::Add, ty::U32, value, same);
        let rank = (same & raw::lanemask_lt()).count_ones();
        let first = sum ^ rank;
        let large = raw::vote_sync_ballot(value > 9, same);
        if value > 9 {
            raw::bar_warp_sync(large);
            raw::redux_sync(op::Max, ty::U32, first, large)
        } else {
            first
        }
    }
}
