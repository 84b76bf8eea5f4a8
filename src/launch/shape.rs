//! The launch shape that a kernel states: what `__launch_bounds__` and `__cluster_dims__` say in CUDA C++.

use crate::group::Cta;
use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};
use crate::special_register;

/// The shape of the launches that a kernel takes. [`Block<256>`](Block) is a shape; one with more to say is an `enum` of your own.
///
/// What is stated here is known when the kernel is compiled: ranks need no multiplication, thread counts are constants, and loops
/// over them have a known number of rounds. `ptx-link` writes it as directives of the entry (11.4 of the PTX ISA), which the
/// driver holds every launch against.
///
/// ```
/// use ptx::launch::{Cta, LaunchShape};
/// /// 256 threads, two CTAs a cluster; registers for two CTAs a multiprocessor.
/// enum Shape {}
/// impl LaunchShape for Shape {
///     const BLOCK: [u32; 3] = [256, 1, 1];
///     const CLUSTER: Option<[u32; 3]> = Some([2, 1, 1]);
///     const MIN_CTAS: Option<u32> = Some(2);
/// }
/// # unsafe fn kernel() {
/// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow; grids are rows.
/// let (mut cta, (), _dynamic) = unsafe { Cta::enter_with::<(), Shape>() };
/// # }
/// ```
pub trait LaunchShape {
    /// Threads of the block, in x, y, z. The driver refuses a launch of other blocks.
    ///
    /// PTX: `.reqntid x, y, z`
    const BLOCK: [u32; 3];

    /// CTAs of a cluster, in x, y, z; `None`: as the launch says. The driver refuses a launch of other clusters.
    ///
    /// PTX: `.explicitcluster`, `.reqnctapercluster x, y, z`. PTX ISA 7.8, sm_90.
    const CLUSTER: Option<[u32; 3]> = None;

    /// Whether a grid may have more than one CTA in y and z. Otherwise it is a row of CTAs, or of clusters whose y and z
    /// [`CLUSTER`](LaunchShape::CLUSTER) states; the driver does not check that.
    ///
    /// PTX: none.
    const GRID_OF_ANY_RANK: bool = false;

    /// How many CTAs a multiprocessor has registers for, at least.
    ///
    /// PTX: `.minnctapersm n`
    const MIN_CTAS: Option<u32> = None;

    /// How many registers a thread has, at most.
    ///
    /// PTX: `.maxnreg n`
    const MAX_REGISTERS: Option<u32> = None;
}

/// A block of `X` times `Y` times `Z` threads, in a grid that is a row of CTAs.
///
/// ```
/// use ptx::launch::{Block, Cta};
/// # unsafe fn kernel() {
/// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow; grids are rows.
/// let (cta, (), _dynamic) = unsafe { Cta::enter_with::<(), Block<256>>() };
/// assert!(cta.thread_count() == 256); // a constant
/// # }
/// ```
#[derive(Debug)]
pub enum Block<const X: u32, const Y: u32 = 1, const Z: u32 = 1> {}

impl<const X: u32, const Y: u32, const Z: u32> LaunchShape for Block<X, Y, Z> {
    const BLOCK: [u32; 3] = [X, Y, Z];
}

/// Checks the numbers of a shape.
const fn check<L: LaunchShape>() {
    let [x, y, z] = L::BLOCK;
    // No product wraps: each factor is 1024 at most.
    assert!(
        x >= 1 && y >= 1 && z >= 1 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
        "a block has 1 to 1024 threads, 64 at most in z: correct `LaunchShape::BLOCK`"
    );
    if let Some([x, y, z]) = L::CLUSTER {
        assert!(
            x >= 1 && y >= 1 && z >= 1 && x <= 16 && y <= 16 && z <= 16 && x * y * z <= 16,
            "a cluster has 1 to 16 CTAs: correct `LaunchShape::CLUSTER`"
        );
    }
    if let Some(n) = L::MIN_CTAS {
        assert!(n >= 1 && n <= 32, "a multiprocessor takes 1 to 32 CTAs: correct `LaunchShape::MIN_CTAS`");
    }
    if let Some(n) = L::MAX_REGISTERS {
        assert!(n >= 1 && n <= 255, "a thread has 1 to 255 registers: correct `LaunchShape::MAX_REGISTERS`");
    }
}

impl Cta {
    /// [`enter`](Cta::enter), for launches of the shape `L` alone.
    ///
    /// PTX: none but the directives that [`LaunchShape`] names.
    ///
    /// ```
    /// use ptx::{launch::{Block, Cta}, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow; grids are rows.
    /// let (cta, smem, _dynamic) = unsafe { Cta::enter_with::<Smem, Block<256>>() };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - what [`enter`](Cta::enter) asks for;
    /// - the kernel itself calls it, directly or through `#[inline(always)]` functions (`ptx-link` refuses anything else);
    /// - unless [`LaunchShape::GRID_OF_ANY_RANK`], the grid has one CTA in y and z, or with [`LaunchShape::CLUSTER`] one cluster;
    /// - the launch names no preferred cluster dimension beside the cluster's.
    #[inline(always)]
    pub unsafe fn enter_with<S: SharedMemory, L: LaunchShape>() -> (Cta, S, DynamicShared) {
        const { check::<L>() };
        state_directives::<L>();
        // SAFETY: the caller's contract; `.reqntid` and `.reqnctapercluster` make the driver refuse other blocks and clusters.
        unsafe { assume::<L>() };
        // SAFETY: the caller's contract.
        unsafe { Cta::enter() }
    }
}

/// Leaves the directives to `ptx-link`, as comments of the kernel.
#[inline(always)]
fn state_directives<L: LaunchShape>() {
    #[cfg(target_arch = "nvptx64")]
    {
        macro_rules! directive {
            ($text:literal $(, $operand:expr)*) => {
                // SAFETY: a comment.
                unsafe {
                    core::arch::asm!(concat!("// entry: ", $text), $(const $operand,)* options(nomem, nostack, preserves_flags))
                }
            };
        }
        directive!(".reqntid {}, {}, {}", L::BLOCK[0], L::BLOCK[1], L::BLOCK[2]);
        if const { L::CLUSTER.is_some() } {
            directive!(".explicitcluster");
            directive!(
                ".reqnctapercluster {}, {}, {}",
                extent(L::CLUSTER, 0),
                extent(L::CLUSTER, 1),
                extent(L::CLUSTER, 2)
            );
        }
        if const { L::MIN_CTAS.is_some() } {
            directive!(".minnctapersm {}", or_one(L::MIN_CTAS));
        }
        if const { L::MAX_REGISTERS.is_some() } {
            directive!(".maxnreg {}", or_one(L::MAX_REGISTERS));
        }
    }
}

/// An extent of a cluster; 1 where none is stated.
const fn extent(cluster: Option<[u32; 3]>, dimension: usize) -> u32 {
    match cluster {
        Some(extents) => extents[dimension],
        None => 1,
    }
}

#[cfg(target_arch = "nvptx64")]
const fn or_one(number: Option<u32>) -> u32 {
    match number {
        Some(number) => number,
        None => 1,
    }
}

/// Tells LLVM what the launch is.
///
/// # Safety
///
/// The launch is of the shape `L`.
#[inline(always)]
unsafe fn assume<L: LaunchShape>() {
    let [x, y, z] = L::BLOCK;
    // SAFETY: the caller's contract: the block has these extents, in which the thread's indices lie.
    unsafe {
        core::hint::assert_unchecked(
            special_register::ntid_x() == x
                && special_register::ntid_y() == y
                && special_register::ntid_z() == z,
        );
        core::hint::assert_unchecked(
            special_register::tid_x() < x && special_register::tid_y() < y && special_register::tid_z() < z,
        );
    }
    if const { !L::GRID_OF_ANY_RANK } {
        let (y, z) = (extent(L::CLUSTER, 1), extent(L::CLUSTER, 2));
        // SAFETY: the caller's contract: a row of CTAs, or of clusters.
        unsafe {
            core::hint::assert_unchecked(
                special_register::nctaid_y() == y && special_register::nctaid_z() == z,
            );
            core::hint::assert_unchecked(special_register::ctaid_y() < y && special_register::ctaid_z() < z);
        }
    }
    if let Some([x, y, z]) = L::CLUSTER {
        // SAFETY: the caller's contract: clusters of these extents, in which the CTA's indices lie.
        unsafe {
            core::hint::assert_unchecked(
                raw::cluster_nctarank() == x * y * z && raw::cluster_ctarank() < x * y * z,
            );
            core::hint::assert_unchecked(
                raw::cluster_nctaid_x() == x && raw::cluster_nctaid_y() == y && raw::cluster_nctaid_z() == z,
            );
            core::hint::assert_unchecked(
                raw::cluster_ctaid_x() < x && raw::cluster_ctaid_y() < y && raw::cluster_ctaid_z() < z,
            );
        }
    }
}
