//! The states of shared memory, and what each allows.

use crate::qualifier::Sealed;

states! {
    uses_of_memory [Sealed] [
        Readable "threads read", AsyncSource "copies read", AsyncDestination "copies fill", Overwritable "threads fill",
        TakesElements "`set`", TakesVectors "`set_vector`", AtomicAccess "`atomic`", IntoAtomic "`into_atomic`",
        ThreadStores "`publish`", Unfenced "`to_async`", AtRest "hand to a part",
        Publishable "publish to the cluster", Openable "open to the cluster"
    ]

    /// State of [`Shared`](super::Shared) memory: no thread and no copy accesses the memory, and its contents are given up.
    /// Copies and threads may fill the memory.
    Free: AsyncDestination, Overwritable, AtRest, Openable;

    /// State of [`Shared`](super::Shared) memory: a copy has filled the memory, and every thread has waited for the copy. All
    /// threads and bulk copies may read; none writes.
    Loaded: Readable, AsyncSource, IntoAtomic, Publishable { type After = Loaded; }, Openable;

    /// State of [`Shared`](super::Shared) memory: each thread has stored its share by ordinary stores, which other threads do not
    /// see yet. [`publish`](super::Shared::publish) shows the stores to the other threads, [`to_async`](super::Shared::to_async)
    /// to copies.
    Written: ThreadStores, Unfenced, IntoAtomic, Publishable { type After = Published; }, Openable;

    /// State of [`Shared`](super::Shared) memory: any thread may store any element, by [`set`](super::Shared::set). No thread
    /// reads before the barrier of [`publish`](super::Shared::publish) or [`to_async`](super::Shared::to_async).
    ElementStores: TakesElements, ThreadStores, Unfenced;

    /// State of [`Shared`](super::Shared) memory: any thread may store any vector of sixteen bytes, by
    /// [`set_vector`](super::Shared::set_vector). No thread reads before the barrier of [`publish`](super::Shared::publish) or
    /// [`to_async`](super::Shared::to_async).
    VectorStores: TakesVectors, ThreadStores, Unfenced;

    /// State of [`Shared`](super::Shared) memory: every thread of the CTA may access every element, by atomic operations only
    /// ([`Shared::atomic`](super::Shared::atomic)).
    Atomic: AtomicAccess, ThreadStores, Unfenced;

    /// State of [`Shared`](super::Shared) memory: ordinary stores or `cp.async` have filled the memory, and every thread sees
    /// them. All threads may read; none writes.
    Published: Readable, IntoAtomic, Unfenced, Publishable { type After = Published; }, Openable;

    /// State of [`Shared`](super::Shared) memory: no thread accesses the memory, and the contents that ordinary stores or
    /// `cp.async` left are given up. Ordinary stores and `cp.async` may fill the memory again; a bulk copy may do so only after
    /// a proxy fence ([`to_async`](super::Shared::to_async)).
    FreeGeneric: Overwritable, Unfenced;

    /// State of [`Shared`](super::Shared) memory: every thread of the group has fenced its stores (`fence.proxy.async`) and
    /// passed a barrier, so bulk async copies may read the memory. No thread accesses the memory.
    Fenced: AsyncSource, AtRest;
}

/// States of [`Shared`](super::Shared) memory in which every thread may read it.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be read",
    label = "not readable now",
    note = "wait for the load (`Loaded`), or call `.publish().sync(cta)` after writing (`Published`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Readable: Sealed {}

/// States of [`Shared`](super::Shared) memory in which an async copy (`cp.async.bulk`) may read it.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the source of an asynchronous copy",
    label = "the async proxy may not see its stores",
    note = "call `.to_async().sync(cta)` after writing: `fence.proxy.async` makes ordinary stores visible to the async proxy"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncSource: Sealed {}

/// States of [`Shared`](super::Shared) memory in which an async copy (`cp.async.bulk`) may overwrite it.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the destination of an asynchronous copy",
    label = "not free for a copy to write",
    note = "a copy writes into `Free` memory: free loaded memory by `.release().sync(cta)`, written memory by `.to_async().sync(cta).into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncDestination: Sealed {}

/// States of [`Shared`](super::Shared) memory in which ordinary stores and `cp.async` may overwrite it.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be overwritten by threads or `cp.async`",
    label = "not free to be filled",
    note = "memory is free before its first use (`Free`) and after `.release().sync(cta)` (`Free` or `FreeGeneric`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Overwritable: Sealed {}

/// States of [`Shared`](super::Shared) memory with stores of threads that other threads do not see yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has nothing to publish",
    label = "no unpublished stores of threads",
    note = "`.publish()` publishes stores of threads (`.write(&cta, …)`, `.update(&cta, …)`, `.element_stores()`, `.into_atomic(&cta)`): `Loaded` and `Published` memory is readable without it"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ThreadStores: Sealed {}

/// States of [`Shared`](super::Shared) memory in which no thread reads or writes it, after a barrier, and the async proxy has
/// seen every store.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be handed to a part of its group",
    label = "other threads may still use it",
    note = "hand over `Free` or `Fenced` memory: call `.release().sync(cta)` after a load, `.to_async().sync(cta)` after stores"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtRest: Sealed {}

/// States of [`Shared`](super::Shared) memory with stores that the async proxy (`cp.async.bulk`) has not seen yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has no stores to hand to asynchronous copies",
    label = "nothing for `fence.proxy.async`",
    note = "`.to_async()` follows stores of threads (`Written`, `ElementStores`, `VectorStores`, `Published`, `FreeGeneric`, `Atomic`): a copy reads `Loaded` and `Fenced` memory without it, and writes into `Free` memory; free loaded memory by `.release().sync(cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unfenced: Sealed {}

/// The state of [`Shared`](super::Shared) memory in which threads store single elements: [`ElementStores`].
#[diagnostic::on_unimplemented(
    message = "threads cannot store single elements into shared memory in the state `{Self}`",
    label = "not in the state `ElementStores`",
    note = "begin the stores by `.element_stores()` on `Free` or `FreeGeneric` memory, and end them by `.publish().sync(cta)` or `.to_async().sync(cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait TakesElements: Sealed {}

/// The state of [`Shared`](super::Shared) memory in which threads store vectors of sixteen bytes: [`VectorStores`].
#[diagnostic::on_unimplemented(
    message = "threads cannot store vectors into shared memory in the state `{Self}`",
    label = "not in the state `VectorStores`",
    note = "begin the stores by `.vector_stores()` on `Free` or `FreeGeneric` memory, and end them by `.publish().sync(cta)` or `.to_async().sync(cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait TakesVectors: Sealed {}

/// States of [`Shared`](super::Shared) memory in which it can become atomic (`atom`, `red`).
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot become atomic",
    label = "not `Written`, `Published` or `Loaded`",
    note = "fill the memory first: `.write(&cta, |_| 0).into_atomic(&cta)`, or load it and wait; after a copy has read it, call `.into_free()` and fill it again"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait IntoAtomic: Sealed {}

/// The state of [`Shared`](super::Shared) memory in which atomic operations access its elements: [`Atomic`].
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has no atomic elements",
    label = "not atomic now",
    note = "call `.into_atomic(&cta)`: from then on, all threads access the memory by atomic operations only"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicAccess: Sealed {}

/// States of [`Shared`](super::Shared) memory that can be published to the cluster.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be published to the cluster",
    label = "not `Written`, `Published` or `Loaded`",
    note = "publish memory that was written (`.write(cta, …)`) or loaded; make `Fenced` memory readable again by `.into_loaded()`; to let peers write into memory, use `cluster.open_write_only(…)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Publishable: Sealed {
    /// The state of the memory after `close`.
    type After;
}

/// States of [`Shared`](super::Shared) memory that can be opened for writes of the cluster.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be opened for writes of the cluster",
    label = "not `Free`, `Written`, `Published` or `Loaded`",
    note = "open memory that is `Free`, or memory that was written or loaded, which keeps its contents; free `Fenced` memory by `.into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Openable: Sealed {}
