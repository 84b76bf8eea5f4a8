//! Mbarriers that a scope initializes: alone, and in a `bulk::LoadBuffer`.

use ptx::bulk::LoadBuffer;
use ptx::qualifier::{cache_hint, op};

use super::transitions::{fill, reduce, store};
use super::*;

ptx::shared_memory! {
    struct Loads {
        /// The address of this field can be read outside a scope.
        first: Mbarrier<Uninit>,
        buffer: LoadBuffer<f32, N>,
        out: SharedArray<f32, N>,
    }
}
/// The offsets of the fields of `Loads`.
const BUFFER: u32 = 128;
const OUT: u32 = (BUFFER + BYTES + 8).next_multiple_of(128);

#[inline(always)]
unsafe fn load(base: u32, bar: u32, src: *const f32) {
    unsafe {
        let copy = || raw::cp_async_bulk_shared_cta_global(base, src.cast(), BYTES, bar, cache_hint::None);
        wait(bar, arrive_with(bar, BYTES, copy))
    }
}

/// Ends a scope that has initialized an mbarrier.
#[inline(always)]
unsafe fn inval(bar: u32) {
    unsafe {
        sync();
        if elected() {
            raw::mbarrier_inval(space::SharedCta, bar);
        }
        sync();
    }
}

stages! {
    typed_scope_mbarrier(cta, stages) {
        cta.async_scope((stages.a, stages.bar), |cta, (a, bar)| {
            let (bar, a, _) = bulk::load(cta, bar, a, tile(src)).wait(cta);
            unsafe { out.write(a.get(3).map_or(0, f32::to_bits)) };
            (a.release().sync(cta), bar)
        });
    }
    raw_scope_mbarrier(base) {
        let bar = base + 3 * BYTES;
        init(bar);
        scope(|| {
            load(base, bar, src);
            out.write(raw::ld_weak(space::SharedCta, ty::B32, base + 12));
            sync();
        });
        inval(bar);
    }
    (src, dst, out, n)
}

/// A pair of kernels with a load buffer and an array.
macro_rules! pair {
    ($typed:ident($cta:ident, $smem:ident) $typed_body:block
     $raw:ident($base:ident) $raw_body:block
     ($src:ident, $dst:ident, $out:ident)) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed($src: *const f32, $dst: *mut f32, $out: *mut u32) {
            #[allow(unused_mut)]
            let (mut $cta, $smem, _) = unsafe { Cta::enter::<Loads>() };
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($src: *const f32, $dst: *mut f32, $out: *mut u32) {
            let (_, smem, _) = unsafe { Cta::enter::<Loads>() };
            let $base = smem.first.addr();
            unsafe { $raw_body }
        }
    };
}

pair! {
    typed_load_buffer(cta, smem) {
        cta.async_scope(smem.buffer, |cta, free| {
            let full = free.load(cta, tile(src)).wait(cta);
            unsafe { out.write(full.get(3).map_or(0, f32::to_bits)) };
            full.release().sync(cta)
        });
    }
    raw_load_buffer(base) {
        let (buffer, bar) = (base + BUFFER, base + BUFFER + BYTES);
        init(bar);
        scope(|| {
            load(buffer, bar, src);
            out.write(raw::ld_weak(space::SharedCta, ty::B32, buffer + 12));
            sync();
        });
        inval(bar);
    }
    (src, dst, out)
}

// The stored tile comes back free, and is loaded again.
pair! {
    typed_load_buffer_update(cta, smem) {
        cta.finish(smem.buffer, |cta, free| {
            let full = free.load(cta, tile(src)).wait(cta).update(cta, |_, x| x + 1.0).to_async().sync(cta);
            let free = bulk::reduce(cta, op::Add, full, sums(dst)).commit(cta).wait_read(cta).sync(cta);
            free.load(cta, tile(src)).wait(cta).end()
        });
    }
    raw_load_buffer_update(base) {
        let (buffer, bar) = (base + BUFFER, base + BUFFER + BYTES);
        init(bar);
        scope(|| {
            load(buffer, bar, src);
            sync();
            each_own(BYTES / 16, |v| {
                let addr = buffer + 16 * v;
                let x = raw::ld_weak_v4(space::SharedCta, ty::B32, addr);
                let x = x.map(|bits| (f32::from_bits(bits) + 1.0).to_bits());
                raw::st_weak_v4(space::SharedCta, ty::B32, addr, x);
            });
            fence_async();
            reduce(dst, buffer);
            if elected() {
                raw::cp_async_bulk_wait_group_read::<0>();
            }
            sync();
            load(buffer, bar, src);
        });
    }
    (src, dst, out)
}

pair! {
    typed_load_buffer_with(cta, smem) {
        if let Some(dst) = mine(&cta, unsafe { GlobalMut::from_raw(dst, N) }) {
            cta.finish((smem.buffer, smem.out), |cta, (free, tile_out)| {
                let written = tile_out.write(cta, |i| i as f32).to_async().sync(cta);
                let stored = bulk::store(cta, written, dst).commit(cta).wait_read(cta);
                let (full, tile_out) = free.load_with(cta, tile(src), stored).wait(cta);
                unsafe { out.write(full.get(3).map_or(0, f32::to_bits)) };
                (full.end(), tile_out.end())
            });
        }
    }
    raw_load_buffer_with(base) {
        let (buffer, bar) = (base + BUFFER, base + BUFFER + BYTES);
        if cta_rank() == 0 {
            init(bar);
            scope(|| {
                fill(base + OUT);
                fence_async();
                store(dst, base + OUT);
                if elected() {
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                load(buffer, bar, src);
                out.write(raw::ld_weak(space::SharedCta, ty::B32, buffer + 12));
            });
        }
    }
    (src, dst, out)
}

pair! {
    typed_load_buffer_chunks(cta, smem) {
        cta.finish(smem.buffer, |cta, free| {
            let free = free.load(cta, tile(src)).wait(cta).release().sync(cta);
            free.write_chunks::<2>(cta, |i| [[i as f32; 4], [1.0; 4]]).to_async().sync(cta).end()
        });
    }
    raw_load_buffer_chunks(base) {
        let (buffer, bar) = (base + BUFFER, base + BUFFER + BYTES);
        init(bar);
        scope(|| {
            load(buffer, bar, src);
            sync();
            each_own(BYTES / 32, |chunk| {
                let addr = buffer + 32 * chunk;
                raw::st_weak_v4(space::SharedCta, ty::B32, addr, [(chunk as usize as f32).to_bits(); 4]);
                raw::st_weak_v4(space::SharedCta, ty::B32, addr + 16, [1.0_f32.to_bits(); 4]);
            });
            fence_async();
        });
    }
    (src, dst, out)
}
