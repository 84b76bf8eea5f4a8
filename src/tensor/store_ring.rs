//! A ring of buffers through which a group stores boxes of a tensor.

use core::marker::PhantomData;

use super::{StoreShape, TensorTileMut, box_bytes};
use crate::async_group;
use crate::group::{Brand, Cta, ThreadGroup};
use crate::mark::hold;
use crate::qualifier::{cache_hint, space};
use crate::raw;
use crate::shared::{Element, Ended, Free, Shared, SharedArray, VectorStores};
use crate::size;

/// A ring of `BUFFERS` buffers of `LEN` elements, through which a group stores boxes of tensors (CUTLASS's `PipelineTmaStore`): it fills a
/// buffer while stores still read the others. [`Shared::into_store_ring`] makes it.
///
/// Each store waits until the store of `BUFFERS` boxes before has read its buffer, however the boxes are divided into loops. So one
/// barrier a box is enough, where [`store`](super::store) and [`wait_read`](crate::bulk::BulkGroup::wait_read) take two.
///
/// ```
/// use ptx::group::Cta;
/// use ptx::shared::SharedArray;
/// use ptx::tensor::{Box2, TensorMapMut};
///
/// type Part = Box2<32, 32>;
/// ptx::shared_memory! { struct Smem { buffers: SharedArray<f32, { 2 * Part::LEN }> } }
///
/// /// Fills each box of `to` with the numbers of its columns, by vectors of four.
/// #[ptx::kernel(threads = 256)]
/// fn fill_boxes(cta: Cta, #[shared] smem: Smem, to: TensorMapMut<f32, Part>) {
///     let mut boxes = to.tiles(&cta);
///     cta.finish(smem.buffers, |cta, buffers| {
///         let mut ring = buffers.into_store_ring::<{ Part::LEN }, 2>();
///         while let Some(([x, _], to)) = boxes.next_tile() {
///             let i = cta.thread_rank() as usize;
///             let first = (32 * x) as f32 + (4 * (i % 8)) as f32;
///             ring.store(cta, to, |buffer| _ = buffer.set_vector(i, [0.0, 1.0, 2.0, 3.0].map(|k| first + k)));
///         }
///         ring.end(cta)
///     });
/// }
/// ```
#[must_use = "the scope needs the memory: call `.end(group)`"]
#[derive(Debug)]
#[doc(alias("cutlass::PipelineTmaStore", "tma_store_wait"))]
pub struct StoreRing<'s, T, const N: usize, const LEN: usize, const BUFFERS: usize, G = Cta> {
    addr: u32,
    /// The offset of the next buffer.
    next: u32,
    _scope: Brand<'s>,
    _elements: PhantomData<*mut [T; N]>,
    _group: PhantomData<fn(&G)>,
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Free, G> {
    /// Divides the memory into `BUFFERS` buffers of `LEN` elements, two or more, for stores of boxes ([`StoreRing`]).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn into_store_ring<const LEN: usize, const BUFFERS: usize>(
        self,
    ) -> StoreRing<'s, T, N, LEN, BUFFERS, G> {
        const {
            assert!(
                BUFFERS >= 2 && BUFFERS <= 8,
                "a ring has two to eight buffers: with one, use `tensor::store`, which waits for it"
            );
            assert!(
                size::product([LEN, BUFFERS]) == N,
                "the buffers make up the array: `LEN * BUFFERS` is its length"
            );
            assert!(
                size::product([LEN, size_of::<T>()]).is_multiple_of(128),
                "a box in shared memory is aligned to 128 bytes: choose buffers of a multiple"
            );
        }
        hold::<G>(self.addr());
        StoreRing {
            addr: self.addr(),
            next: 0,
            _scope: PhantomData,
            _elements: PhantomData,
            _group: PhantomData,
        }
    }
}

impl<'s, T: Element, const N: usize, const LEN: usize, const BUFFERS: usize, G: ThreadGroup>
    StoreRing<'s, T, N, LEN, BUFFERS, G>
{
    const BUFFER: u32 = size::shared(size::product([LEN, size_of::<T>()]));

    /// Fills the next buffer by `fill` and starts its store to the box `to` (TMA). `fill` stores by
    /// [`set_vector`](Shared::set_vector) and its like.
    ///
    /// Collective in the group.
    ///
    /// PTX: that of `fill`; `fence.proxy.async.shared::cta;` by the leader `cp.async.bulk.wait_group.read BUFFERS-2;` the barrier of the
    /// group; by the leader, of a `Box2`, `cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [src];`
    /// `cp.async.bulk.commit_group;`
    #[inline(always)]
    #[track_caller]
    pub fn store<S: StoreShape>(
        &mut self,
        group: &G,
        to: TensorTileMut<T, S, G::Owner>,
        fill: impl FnOnce(&Shared<'_, T, LEN, VectorStores, G>),
    ) {
        const { box_bytes::<T, S, LEN>() };
        meet!(group; self.addr);
        to.hold::<G>();
        let buffer = self.addr + self.next;
        fill(&Shared::new(buffer));
        raw::fence_proxy_async(space::SharedCta);
        if group.is_leader() {
            // All but the `BUFFERS - 2` newest stores have read their buffers, so the buffer after this one is free.
            async_group::wait_group!(cp_async_bulk_wait_group_read, const { BUFFERS as u32 - 2 });
        }
        // Shows the contents of this buffer to the leader, and that the next one is free to the other threads.
        group.sync();
        if group.is_leader() {
            // SAFETY: the shape proves the size, and this group alone uses `to`, which begins where a copy may. The buffer is aligned to
            // 128 bytes, and each thread has passed its stores to the async proxy before the barrier. It is not filled again, nor
            // given back, before a wait.
            unsafe {
                S::store(to.object, to.coords, buffer, cache_hint::None);
                raw::cp_async_bulk_commit_group();
            }
        }
        let next = self.next + Self::BUFFER;
        self.next = if next == const { size::shared(size::product([N, size_of::<T>()])) } { 0 } else { next };
    }

    /// Waits in the leader until all stores have read their buffers, and gives the memory up at the end of the kernel.
    ///
    /// Collective in the group.
    ///
    /// PTX: by the leader `cp.async.bulk.wait_group.read 0;`
    #[inline(always)]
    #[track_caller]
    pub fn end(self, group: &G) -> Ended<'s, SharedArray<T, N>, G> {
        self.await_read(group);
        Ended::new()
    }

    #[inline(always)]
    #[track_caller]
    fn await_read(&self, group: &G) {
        meet!(group; self.addr);
        if group.is_leader() {
            async_group::wait_group!(cp_async_bulk_wait_group_read, 0);
        }
    }
}

handles! { StoreRing<f32, 64, 32, 2> }
