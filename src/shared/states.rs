//! The states of shared memory, and what each allows.

use super::stores::{TakesElements, TakesVectors};
use crate::atomic::{Atomic, AtomicAccess, IntoAtomic};
use crate::cluster::{Openable, Publishable};
use crate::qualifier::Sealed;

states! {
    uses_of_memory [Sealed] [
        Readable "threads read", AsyncSource "copies read", AsyncDestination "copies fill", Overwritable "threads fill",
        TakesElements "`set`", TakesVectors "`set_vector`", AtomicAccess "`atomic`", IntoAtomic "`into_atomic`",
        ThreadStores "`publish`", Unfenced "`to_async`", AtRest "hand to a part",
        Publishable "publish to the cluster", Openable "open to the cluster"
    ]

    /// State: no thread and no copy accesses the memory, and its contents are given up. Copies and threads may fill the memory.
    Free: AsyncDestination, Overwritable, AtRest, Openable;

    /// State: a copy has filled the memory, and every thread has waited for the copy. All threads and bulk copies may read; none
    /// writes.
    Loaded: Readable, AsyncSource, IntoAtomic, Publishable { type After = Loaded; }, Openable;

    /// State: each thread has stored its share by ordinary stores. [`publish`](super::Shared::publish) shows the stores to the
    /// other threads, [`to_async`](super::Shared::to_async) to copies.
    Written: ThreadStores, Unfenced, IntoAtomic, Publishable { type After = Published; }, Openable;

    /// State: any thread may store any element, by [`set`](super::Shared::set). No thread reads before the barrier of
    /// [`publish`](super::Shared::publish) or [`to_async`](super::Shared::to_async).
    ElementStores: TakesElements, ThreadStores, Unfenced;

    /// State: any thread may store any vector of sixteen bytes, by [`set_vector`](super::Shared::set_vector). No thread reads
    /// before the barrier of [`publish`](super::Shared::publish) or [`to_async`](super::Shared::to_async).
    VectorStores: TakesVectors, ThreadStores, Unfenced;

    Atomic: AtomicAccess, ThreadStores, Unfenced;

    /// State: ordinary stores or `cp.async` have filled the memory, and every thread sees them. All threads may read; none writes.
    Published: Readable, IntoAtomic, Unfenced, Publishable { type After = Published; }, Openable;

    /// State: no thread accesses the memory, and the contents that ordinary stores or `cp.async` left are given up. Ordinary
    /// stores and `cp.async` may fill the memory again; a bulk copy may do so only behind a proxy fence
    /// ([`to_async`](super::Shared::to_async)).
    FreeGeneric: Overwritable, Unfenced;

    /// State of a [`Shared`](super::Shared): every thread of the group has fenced its stores (`fence.proxy.async`) and passed a barrier, so bulk
    /// async copies may read the memory. No thread accesses the memory.
    Fenced: AsyncSource, AtRest;
}

/// States in which every thread may read the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be read",
    label = "not readable now",
    note = "wait for the load (`Loaded`), or call `.publish(&cta)` after writing (`Published`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Readable: Sealed {}

/// States in which an async copy may read the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the source of an asynchronous copy",
    label = "the async proxy may not see its stores",
    note = "call `.to_async(&cta)` after writing: `fence.proxy.async` makes ordinary stores visible to the async proxy"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncSource: Sealed {}

/// States in which an async copy may overwrite the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the destination of an asynchronous copy",
    label = "not free for a copy to write",
    note = "a copy writes into `Free` memory: free loaded memory by `.release(&cta)`, written memory by `.to_async(&cta).into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncDestination: Sealed {}

/// States in which ordinary stores and `cp.async` may overwrite the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be overwritten by threads or `cp.async`",
    label = "not free to be filled",
    note = "memory is free before its first use (`Free`) and after `.release(&cta)` (`Free` or `FreeGeneric`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Overwritable: Sealed {}

/// States with stores of threads that other threads do not see yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has nothing to publish",
    label = "no unpublished stores of threads",
    note = "`.publish(&cta)` publishes stores of threads (`.write(&cta, …)`, `.update(&cta, …)`, `.element_stores()`, `.into_atomic(&cta)`): `Loaded` and `Published` memory is readable without it"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ThreadStores: Sealed {}

/// States in which no thread reads or writes the memory, behind a barrier, and the async proxy has seen every store.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be handed to a part of its group",
    label = "other threads may still use it",
    note = "hand over `Free` or `Fenced` memory: call `.release(&cta)` after a load, `.to_async(&cta)` after stores"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtRest: Sealed {}

/// States with stores that the async proxy has not seen yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has no stores to hand to asynchronous copies",
    label = "nothing for `fence.proxy.async`",
    note = "`.to_async(&cta)` follows stores of threads (`Written`, `ElementStores`, `VectorStores`, `Published`, `FreeGeneric`, `Atomic`): a copy reads `Loaded` and `Fenced` memory without it, and writes into `Free` memory; free loaded memory by `.release(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unfenced: Sealed {}
