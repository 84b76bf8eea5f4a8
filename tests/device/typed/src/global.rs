//! Elements of global memory.

use ptx::global::{
    Global, GlobalElementsMut, GlobalMatrix, GlobalMatrixMut, GlobalMut, GlobalRowsMut, GlobalScatter,
    GlobalTickets, GlobalVectorsMut,
};
use ptx::group::Cta;
use ptx::qualifier::{B128, cache_hint, scope, sem, space, ty};
use ptx::raw;
use ptx::reduce::ReduceMemory;

use crate::{cta_count, cta_rank, elected, sync, thread_count, thread_rank};

const N: usize = 256;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_get(x: *const u32, n: usize, i: usize, out: *mut u32) {
    let x = unsafe { Global::from_raw(x, n) };
    let (_, tail) = x.tiles::<N>();
    unsafe { out.write(x.get(i).unwrap_or(7)) };
    unsafe { out.add(1).write(if tail.is_empty() { 7 } else { tail.len() as u32 }) };
    unsafe { out.add(2).write(tail.get(i).unwrap_or(7)) };
    unsafe { out.add(3).write(if x.is_empty() { 7 } else { x.len() as u32 }) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_get(x: *const u32, n: usize, i: usize, out: *mut u32) {
    let (tail, left) = (unsafe { x.add(n / N * N) }, n % N);
    unsafe {
        out.write(if i < n { x.add(i).read() } else { 7 });
        out.add(1).write(if left == 0 { 7 } else { left as u32 });
        out.add(2).write(if i < left { tail.add(i).read() } else { 7 });
        out.add(3).write(if n == 0 { 7 } else { n as u32 });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_lengths(y: *mut u32, n: usize, m: u32, out: *mut u32) {
    let (tiled, vectors) =
        unsafe { (GlobalMut::<u32, N>::from_raw(y, n), GlobalVectorsMut::from_raw(y, n / 2)) };
    let elements = unsafe { GlobalElementsMut::from_raw(y, m) };
    unsafe { out.write(if tiled.is_empty() { 7 } else { tiled.len() as u32 }) };
    unsafe { out.add(1).write(if vectors.is_empty() { 7 } else { vectors.len() as u32 }) };
    unsafe { out.add(2).write(if elements.is_empty() { 7 } else { elements.len() }) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_lengths(_y: *mut u32, n: usize, m: u32, out: *mut u32) {
    unsafe { out.write(if n == 0 { 7 } else { n as u32 }) };
    unsafe { out.add(1).write(if n / 2 == 0 { 7 } else { (n / 2) as u32 }) };
    unsafe { out.add(2).write(if m == 0 { 7 } else { m }) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tail_update(y: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (_, tail) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles(&cta);
    tail.update(&cta, |i, y| y ^ i as u32);
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tail_update(y: *mut u32, n: usize) {
    let (tail, left) = (unsafe { y.add(n / N * N) }, n % N);
    let threads = thread_count() as usize;
    let mut i = cta_rank() as usize * threads + thread_rank() as usize;
    while i < left {
        unsafe { tail.add(i).write(tail.add(i).read() ^ i as u32) };
        i += threads * cta_count() as usize;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_scatter(y: *mut u8, n: usize, i: usize, out: *mut u32) {
    let scatter = unsafe { GlobalScatter::from_raw(y, n) };
    unsafe { out.write(scatter.write(i, 5).map_or(7, |()| 3)) };
    unsafe { out.add(1).write(scatter.len() as u32) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_scatter(y: *mut u8, n: usize, i: usize, out: *mut u32) {
    unsafe {
        let mut is_there = 7;
        if i < n {
            raw::st(sem::Relaxed, scope::Gpu, space::Global, ty::B8, y.add(i), 5);
            is_there = 3;
        }
        out.write(is_there);
        out.add(1).write(n as u32);
    }
}

/// A pair of kernels that scatter one value of a type.
macro_rules! scatter {
    ([$T:ty as $Tag:ident] $typed:ident $raw:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed(y: *mut $T, n: usize, i: usize, b: *const $T) {
            let b = unsafe { b.read() };
            unsafe { GlobalScatter::from_raw(y, n) }.write(i, b);
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw(y: *mut $T, n: usize, i: usize, b: *const $T) {
            unsafe {
                let b = b.read();
                if i < n {
                    let b = core::mem::transmute_copy(&b);
                    raw::st(sem::Relaxed, scope::Gpu, space::Global, ty::$Tag, y.add(i).cast(), b);
                }
            }
        }
    };
}
scatter! { [i16 as B16] typed_global_scatter_i16 raw_global_scatter_i16 }
scatter! { [f32 as B32] typed_global_scatter_f32 raw_global_scatter_f32 }
scatter! { [f64 as B64] typed_global_scatter_f64 raw_global_scatter_f64 }

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_scatter_b128(
    y: *mut B128,
    n: usize,
    i: usize,
    b: *const B128,
) {
    let b = unsafe { b.read() };
    unsafe { GlobalScatter::from_raw(y, n) }.write(i, b);
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_scatter_b128(y: *mut B128, n: usize, i: usize, b: *const B128) {
    unsafe {
        let b = b.read();
        if i < n {
            raw::st_b128(sem::Relaxed, scope::Gpu, space::Global, y.add(i).cast(), b);
        }
    }
}

/// The last tile of one CTA.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tail_tile(y: *mut u32, n: usize, out: *mut usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (_, tail) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles(&cta);
    let len = tail.len();
    if let Some(tile) = tail.tile(&cta) {
        unsafe { out.write(len + tile.len()) };
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tail_tile(_y: *mut u32, n: usize, out: *mut usize) {
    let (rank, count) = (cta_rank(), cta_count());
    let left = n % N;
    let tile = if left == 0 || rank + 1 != count { None } else { Some(left) };
    if let Some(len) = tile {
        unsafe { out.write(left + len) };
    }
}

/// The extents of matrices.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_extents(y: *mut f32, rows: u32, columns: u32, out: *mut u32) {
    let (read, by_rows, by_tiles) = unsafe {
        (
            GlobalMatrix::from_raw(y, rows, columns),
            GlobalRowsMut::from_raw(y, rows, columns),
            GlobalMatrixMut::<_, 4, 4>::from_raw(y, rows, columns),
        )
    };
    let extents = [
        read.rows(),
        read.columns(),
        by_rows.row_count(),
        by_rows.columns(),
        by_tiles.rows(),
        by_tiles.columns(),
    ];
    unsafe { out.cast::<[u32; 6]>().write(extents) };
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_extents(_y: *mut f32, rows: u32, columns: u32, out: *mut u32) {
    unsafe { out.cast::<[u32; 6]>().write([rows, columns, rows, columns, rows, columns]) };
}

ptx::shared_memory! {
    struct Tickets { memory: ReduceMemory<u64> }
}

/// A 1 that ptxas does not know (`ptx::global::GlobalTickets`).
fn one() -> u64 {
    1 + u64::from(raw::laneid() / 32)
}

/// One tile by ticket.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tickets(
    y: *mut u32,
    n: usize,
    counter: *mut u64,
    out: *mut u64,
) {
    let (cta, mut smem, _) = unsafe { Cta::enter::<Tickets>() };
    let tickets = unsafe { GlobalTickets::from_raw(counter, 1) };
    let (mut tiles, _) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles_by_ticket(&cta, tickets);
    if let Some((index, _)) = tiles.next_tile(&cta, &mut smem.memory) {
        unsafe { out.write(index as u64) };
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tickets(
    _y: *mut u32,
    n: usize,
    counter: *mut u64,
    out: *mut u64,
) {
    let (_, smem, _) = unsafe { Cta::enter::<Tickets>() };
    let [slot, _]: [u32; 2] = unsafe { core::mem::transmute(smem.memory) };
    let (count, is_leader) = (n / N, elected());
    unsafe {
        let mut ticket = u64::MAX;
        if is_leader {
            ticket = raw::atom_add(
                sem::Relaxed,
                scope::Gpu,
                space::Global,
                ty::U64,
                counter.cast(),
                one(),
                cache_hint::None,
            );
        }
        if is_leader {
            raw::st_weak(space::SharedCta, ty::B64, slot, ticket);
        }
        sync();
        let index: u64 = raw::ld_weak(space::SharedCta, ty::B64, slot);
        let taken = if index as usize >= count { None } else { Some(index) };
        if let Some(index) = taken {
            out.write(index);
        }
    }
}

/// One tile by a ticket that is drawn ahead.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_tickets_ahead(
    y: *mut u32,
    n: usize,
    counter: *mut u64,
    out: *mut u64,
) {
    let (cta, mut smem, _) = unsafe { Cta::enter::<Tickets>() };
    let tickets = unsafe { GlobalTickets::from_raw(counter, 1) };
    let (mut tiles, _) = unsafe { GlobalMut::<u32, N>::from_raw(y, n) }.tiles_by_ticket(&cta, tickets);
    tiles.draw(&cta);
    cta.sync();
    if let Some((index, _)) = tiles.next_tile(&cta, &mut smem.memory) {
        unsafe { out.write(index as u64) };
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_tickets_ahead(
    _y: *mut u32,
    n: usize,
    counter: *mut u64,
    out: *mut u64,
) {
    let (_, smem, _) = unsafe { Cta::enter::<Tickets>() };
    let [slot, _]: [u32; 2] = unsafe { core::mem::transmute(smem.memory) };
    let (count, is_leader) = (n / N, elected());
    unsafe {
        let mut ticket = u64::MAX;
        if is_leader {
            let counter = counter.cast();
            ticket = raw::atom_add(
                sem::Relaxed,
                scope::Gpu,
                space::Global,
                ty::U64,
                counter,
                one(),
                cache_hint::None,
            );
        }
        sync();
        if is_leader {
            raw::st_weak(space::SharedCta, ty::B64, slot, ticket);
        }
        sync();
        let index: u64 = raw::ld_weak(space::SharedCta, ty::B64, slot);
        let taken = if index as usize >= count { None } else { Some(index) };
        if let Some(index) = taken {
            out.write(index);
        }
    }
}

/// The first rows and those of a ticket that is drawn ahead, two rows each.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_global_row_tickets(
    y: *mut u32,
    rows: u32,
    columns: u32,
    counter: *mut u64,
    out: *mut u64,
) {
    let (cta, mut smem, _) = unsafe { Cta::enter::<Tickets>() };
    let tickets = unsafe { GlobalTickets::from_raw(counter, 1) };
    let mut rows = unsafe { GlobalRowsMut::from_raw(y, rows, columns) }.rows_by_ticket::<2>(&cta, tickets);
    for i in 0..2 {
        if let Some(two) = rows.next_rows(&cta, &mut smem.memory) {
            unsafe { out.add(2 * i).write(two.first() as u64) };
            if let [_, Some((second, _))] = two.rows() {
                unsafe { out.add(2 * i + 1).write(second as u64) };
            }
        }
        if i == 0 {
            rows.draw(&cta);
            cta.sync();
        }
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_global_row_tickets(
    _y: *mut u32,
    rows: u32,
    _columns: u32,
    counter: *mut u64,
    out: *mut u64,
) {
    let (_, smem, _) = unsafe { Cta::enter::<Tickets>() };
    let slots: [u32; 2] = unsafe { core::mem::transmute(smem.memory) };
    let (ctas, is_leader) = (u64::from(cta_count()), elected());
    let mut ticket = u64::from(cta_rank());
    #[expect(clippy::needless_range_loop, reason = "the typed kernel counts its rounds, too")]
    for i in 0..2 {
        unsafe {
            if is_leader {
                raw::st_weak(space::SharedCta, ty::B64, slots[i], ticket);
            }
            sync();
            let taken: u64 = raw::ld_weak(space::SharedCta, ty::B64, slots[i]);
            if (taken as usize) < (rows as usize).div_ceil(2) {
                let first = (2 * taken) as u32;
                out.add(2 * i).write(first as usize as u64);
                let second = first.saturating_add(1);
                if second < rows {
                    out.add(2 * i + 1).write(second as usize as u64);
                }
            }
            if i == 0 {
                let mut drawn = u64::MAX;
                if is_leader {
                    drawn = raw::atom_add(
                        sem::Relaxed,
                        scope::Gpu,
                        space::Global,
                        ty::U64,
                        counter.cast(),
                        one(),
                        cache_hint::None,
                    );
                }
                sync();
                ticket = drawn.saturating_add(ctas);
            }
        }
    }
}
