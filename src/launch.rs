//! Kernel entry, launch shape (`__launch_bounds__`, `__cluster_dims__`) and programmatic dependent launch.
//!
//! [`Cta::enter`] makes a thread part of its thread block and hands out the block's shared memory. [`LaunchShape`] states the
//! shape of the kernel's launches. [`Prerequisite`] and [`Cta::launch_dependents`] overlap a kernel with the grids before and
//! after it.
//!
//! The groups of threads that make calls together, and their barriers, are in [`group`](crate::group).

use core::cell::Cell;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr;

use crate::group::Cta;
#[doc(hidden)]
pub use crate::parameter::{kind, layout, layout_of_name};
use crate::qualifier::action;
use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};

mod kernel;
mod length;
mod shape;

#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub use kernel::write_field;
pub use kernel::{DynamicMemory, Kernel, Parameter, Plain, SafeKernel};
#[doc(hidden)]
pub use kernel::{
    RawMatrix, RawSlice, RawTensorMut, VERSION, assert_parameter, assert_safe_parameter,
    end_of_dependent_grid, end_of_thread, layout_of_field, type_of_field, with_waited,
};
#[doc(hidden)]
pub use length::{
    Count, Extent, Extents, MemoryLength, extent_of, from_raw_with, layout_of_lengths, length_of,
};
pub use shape::{Block, LaunchShape};
#[doc(hidden)]
pub use shape::{assert_shape, layout_of_shape};

impl Cta {
    /// Enters the kernel: returns handles of the thread block, of the shared memory that the kernel declares (`__shared__`), and
    /// of the dynamic shared memory that the launch adds (`extern __shared__`).
    ///
    /// `S` is `()`, or a struct that [`shared_memory!`](crate::shared_memory) declares.
    ///
    /// ```
    /// use ptx::{group::Cta, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow.
    /// let (cta, smem, _dynamic) = unsafe { Cta::enter::<Smem>() };
    /// cta.finish(smem.tile, |cta, tile| tile.write(cta, |i| i as f32).end());
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// The kernel keeps **uniform control flow**, the rule of `__syncthreads()`. Types cannot carry this obligation. `ptx-link`
    /// proves it of a function with [`#[ptx::kernel]`](crate::kernel), not of an entry that calls `enter`.
    ///
    /// - *Entry.* Every thread of the CTA calls `enter` once, at the kernel's start.
    /// - *Collective calls.* All threads of a group make each of its collective calls together: from the same place in the
    ///   program, the same number of times, in the same order; on handles of the same type, for the same memory; with equal
    ///   arguments, where an argument decides which calls come next. Every condition and loop bound that decides whether, and in
    ///   which round, a thread reaches the call has the same value in all threads of the group. A call is collective
    ///   - in the CTA, if it takes a `&Cta` or `&mut Cta`, as its receiver or as an argument;
    ///   - in the group `G`, if it takes a `&G`, and in the first warp, if it takes a [`FirstWarp`](crate::group::FirstWarp);
    ///   - in the warp, if it takes a [`Warp`](crate::warp::Warp), or [`Warps`](crate::group::Warps) and a handle of a pipeline: `wait` and
    ///     `release` of the [consumers](crate::pipeline::Consumer), `write` of the [producers](crate::pipeline::Producer);
    ///   - in a group of a warp's lanes, if it takes [`Lanes`](crate::warp::Lanes);
    ///   - in the cluster, if it takes a [`Cluster`](crate::cluster::Cluster) or its
    ///     [`ArrivedCluster`](crate::cluster::ArrivedCluster), and if it is [`Cta::cluster_scope`] or
    ///     [`Cta::finish_cluster`]. In these calls the handles have the same type in all CTAs and lie at the same place in
    ///     each CTA's shared memory. The arguments (permutations, groups, masks, operations) are equal in all CTAs, except values
    ///     and sources of copies. A call that takes a handle of a cluster's scope and a `&Cta`, such as
    ///     [`Sent::receive`](crate::cluster::Sent::receive), is collective in the CTA alone.
    ///
    ///   A call that a thread makes for itself is *not* collective, whatever it takes:
    ///   - [`Cta::thread_rank`], [`thread_count`](Cta::thread_count), [`grid_rank`](Cta::grid_rank),
    ///     [`grid_size`](Cta::grid_size), [`is_leader`](Cta::is_leader), [`warp_rank`](Cta::warp_rank), [`warp`](Cta::warp),
    ///     [`launch_dependents`](Cta::launch_dependents), and the ranks and counts of lanes and clusters;
    ///   - a call that takes a handle by `&self` alone, such as `get`, `set`, `addr`, `len`, `is_complete` and atomic operations;
    ///   - accesses to the elements and vectors of [`GlobalElementsMut`](crate::global::GlobalElementsMut) and
    ///     [`GlobalVectorsMut`](crate::global::GlobalVectorsMut);
    ///   - a call whose documentation says `Not collective.`: the documentation of each function that takes a group has this
    ///     line, or a line that names the threads that make the call.
    /// - *Places.* A place in the program is a call as rustc compiles it. rustc makes one call for each alternative of an
    ///   or-pattern with a guard, for each way out of the scope of a value with `Drop`, and for each instance of a generic function
    ///   or a default method. So no collective call stands in such a guard or in `drop`, and all threads of the group call the same
    ///   instance, also through a pointer or a trait object.
    /// - *Dividing memory.* A method that deals memory out to threads is called by all threads that share the memory: the same
    ///   method, with equal parameters and arguments. All threads of the grid call `tiles`, `tiles_by_ticket`,
    ///   `elements`, `warp_elements`, `vectors`, `rows`, `rows_by_ticket`, `warp_rows` and `tile` of a value that a `from_raw` makes, and `update` or `tile` of a tail. All threads of the CTA call `vectors`, `elements`,
    ///   `fragment` and `write_to` of a row or a tile, and `take`, `try_take` and `take_thread_vectors`.
    /// - *Handles.* A method that takes a handle by value or by `&mut`, but no group (`release`, `into_free`, `next_tile`,
    ///   `into_channel`, …), has no barrier. All threads that hold the handle make the same such calls in the same order; in a
    ///   part, all threads of the part.
    /// - *Closures.* These closures may contain collective calls, because they run once in each of their threads:
    ///   - the bodies of scopes: [`async_scope`](Cta::async_scope), [`finish`](Cta::finish),
    ///     [`cluster_scope`](Cta::cluster_scope), [`finish_cluster`](Cta::finish_cluster), and of a `WorkQueueMemory`;
    ///   - the bodies of [`invoke_one`](Cta::invoke_one), [`invoke_warp`](Cta::invoke_warp), [`finish_one`](Cta::finish_one),
    ///     [`finish_warp`](Cta::finish_warp);
    ///   - the parts of [`Pipeline::run`](crate::pipeline::Pipeline::run), `run_with` and `run_tiles_with`;
    ///   - the closures of [`Pipeline::run_tiles`](crate::pipeline::Pipeline::run_tiles), `run_keyed_tiles` and
    ///     [`Rounds::run`](crate::pipeline::Rounds::run), which run once a round in each consumer;
    ///   - the closures of [`unroll`](crate::registers::unroll) and [`from_fn`](crate::registers::from_fn), which run once a
    ///     round in each thread.
    ///
    ///   Every other closure (of `write`, `update`, `update_all`, `invoke_elected`, of an iterator, …) contains no collective call
    ///   of any group: it runs as often as its method says, which differs from thread to thread. The compiler does not check
    ///   this, because the method takes the group by `&`.
    /// - *Parts.* The calls that run a closure in a part of the threads (`invoke_one`, `invoke_warp`, `finish_one`,
    ///   `finish_warp`, the runs of a `Pipeline`) take the larger group by `&mut`. Their closures therefore have neither that
    ///   group nor a [`Warp`](crate::warp::Warp) of it, and make no collective call of it. A thread, a warp or [`Warps`](crate::group::Warps) hold the
    ///   handles of a part. If a closure of a part captures a value, by move or by reference, and changes it (`next_tile`, …),
    ///   the threads outside the part do not use that value again.
    /// - *Exclusive use.* The grid has fewer than 2^32 CTAs. No other code in the kernel uses the memory of `S`, the launch's
    ///   shared memory, the barriers 0 to 15, or the cluster's barrier.
    #[inline(always)]
    #[doc(alias = "cg::this_thread_block")]
    pub unsafe fn enter<S: SharedMemory>() -> (Cta, S, DynamicShared) {
        #[cfg(feature = "checked")]
        crate::checked::enter();
        // SAFETY: each piece of shared memory is handed out once: every thread enters once (*Entry*).
        unsafe { (Cta::entered(), S::claim(), DynamicShared::claim()) }
    }

    /// Allows the grids that depend on this one to launch (`cudaTriggerProgrammaticLaunchCompletion()`).
    ///
    /// The dependent grids may launch once every CTA of this grid has made the call or has exited. The call may come before this
    /// grid's last store: the dependent grids wait for this grid's memory operations by [`Prerequisite::wait`]. Further calls
    /// have no effect. [`Prerequisite`] shows a use.
    ///
    /// Not collective.
    ///
    /// PTX: `griddepcontrol.launch_dependents;`
    #[inline(always)]
    #[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
    pub fn launch_dependents(&self) {
        raw::griddepcontrol(action::LaunchDependents);
    }
}

/// Handles of memory that earlier grids may still use, locked until this grid has waited for those grids (programmatic dependent
/// launch, `griddepcontrol.wait`).
///
/// [`wait`](Prerequisite::wait) alone returns the handles (`cudaGridDependencySynchronize()`). Handles that no `wait` returns are
/// forgotten: their `Drop` does not run.
///
/// ```
/// use ptx::global::Global;
/// use ptx::launch::Prerequisite;
/// # unsafe fn kernel(cta: &ptx::group::Cta, x: *const f32, n: usize) {
/// // SAFETY: the host passes `n` elements, which nobody writes once the grid before this one is complete.
/// let x = unsafe { Prerequisite::new(Global::from_raw(x, n)) };
/// // … work that needs no memory of the grid before …
/// let x = x.wait(cta);
/// cta.launch_dependents(); // the next grid's work of this kind overlaps with the rest of this kernel
/// let (tiles, tail) = x.tiles::<1024>();
/// # }
/// ```
#[must_use = "call `.wait(&cta)`, which alone returns the handles"]
pub struct Prerequisite<T> {
    /// Initialized, and read by `wait` alone: the user chooses `T`, whose `Drop` or `Debug` may use the handles in it.
    memory: MaybeUninit<T>,
    /// What the thread's prerequisites share; null for one that shares nothing. The pointer makes the type neither `Send` nor
    /// `Sync`: each thread waits for itself.
    waited: *const Waited,
}

/// Whether the thread has waited for the grids before its grid. A kernel's entry has one for all its parameters: its code is
/// inlined into the entry, where the compiler knows the value at most places.
#[doc(hidden)]
#[derive(Debug)]
pub struct Waited(Cell<bool>);

impl Waited {
    /// Returns the state at the start of a thread.
    #[doc(hidden)]
    #[inline(always)]
    pub const fn new() -> Self {
        Self(Cell::new(false))
    }

    /// Waits for the grids before this one, unless the thread has done so.
    #[inline(always)]
    fn wait(&self) {
        if !self.0.replace(true) {
            raw::griddepcontrol(action::Wait);
        }
    }
}

const _: () = {
    /// Stands for a type of the user that has a `Drop`.
    struct Dropped;
    impl Drop for Dropped {
        fn drop(&mut self) {}
    }
    assert!(!core::mem::needs_drop::<Prerequisite<Dropped>>());
};

impl<T> fmt::Debug for Prerequisite<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Prerequisite").finish_non_exhaustive()
    }
}

impl<T> Prerequisite<T> {
    /// Wraps handles of memory that earlier grids may still use: [`wait`](Prerequisite::wait) (`griddepcontrol.wait`) gives them
    /// out. [`Prerequisite`] shows a use; a tuple holds several handles.
    ///
    /// # Safety
    ///
    /// - The contracts of the constructors that made `memory` hold once the prerequisite grids are complete, not necessarily
    ///   earlier.
    /// - Until then this kernel has no other handle of that memory.
    #[inline(always)]
    pub const unsafe fn new(memory: T) -> Self {
        Prerequisite { memory: MaybeUninit::new(memory), waited: ptr::null() }
    }

    /// Waits until the grids that this grid depends on are complete and their memory operations are visible
    /// (`cudaGridDependencySynchronize()`), and returns the wrapped handles. Without prerequisite grids it does not wait.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `griddepcontrol.wait;`, in a thread once for all parameters of its kernel
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cudaGridDependencySynchronize")]
    pub fn wait(self, cta: &Cta) -> T {
        meet!(cta);
        // SAFETY: null, or the entry's variable (`with_waited`), which lives: the entry calls all code that has this value.
        match unsafe { self.waited.as_ref() } {
            Some(waited) => waited.wait(),
            None => raw::griddepcontrol(action::Wait),
        }
        // SAFETY: `new` initialized `memory`.
        unsafe { self.memory.assume_init() }
    }
}

handles! { Prerequisite<u32> }
