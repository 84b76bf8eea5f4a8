//! The launch shape that a kernel states: `__launch_bounds__` and `__cluster_dims__` of CUDA C++.

use crate::group::Cta;
use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};
use crate::special_register;

/// The launch shape of a kernel: its exact block and cluster extents (`.reqntid`, CUDA's `__cluster_dims__`) and its limits of
/// threads, registers and resident CTAs (`__launch_bounds__`). [`Block<256>`](Block) is a shape. To state more, implement the trait for an
/// empty `enum` of your own.
///
/// The compiler knows the stated numbers: ranks need no multiplication, thread counts are constants, and loops over them have a
/// known number of rounds. `ptx-link` writes the numbers as directives of the kernel's entry (PTX ISA 11.4), and the driver
/// checks launches against them.
///
/// ```
/// use ptx::group::Cta;
/// use ptx::launch::LaunchShape;
/// /// 256 threads a CTA, two CTAs a cluster, and registers for two CTAs a multiprocessor.
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
#[doc(alias("__cluster_dims__", "__launch_bounds__", "__maxnreg__"))]
pub trait LaunchShape {
    /// Threads of the block in x, y and z (`blockDim`). The driver refuses a launch with other blocks.
    ///
    /// PTX: `.reqntid x, y, z`
    const BLOCK: [u32; 3];

    /// Whether each launch chooses its block, of at most the extents in [`BLOCK`](LaunchShape::BLOCK). The driver refuses a launch
    /// with more threads in all.
    ///
    /// PTX: `.maxntid x, y, z`, in place of `.reqntid`
    const SMALLER_BLOCKS: bool = false;

    /// CTAs of a cluster in x, y and z (`__cluster_dims__`); with `None` the launch chooses. The driver refuses a launch with
    /// other clusters.
    ///
    /// PTX: `.explicitcluster`, `.reqnctapercluster x, y, z`. PTX ISA 7.8, sm_90.
    const CLUSTER: Option<[u32; 3]> = None;

    /// Whether a grid may have more than one CTA in y and z. If not, the grid is a row of CTAs, or a row of clusters whose
    /// extents in y and z [`CLUSTER`](LaunchShape::CLUSTER) states. The driver does not check this.
    ///
    /// PTX: none.
    const GRID_OF_ANY_RANK: bool = false;

    /// The least number of CTAs for which a multiprocessor has registers at the same time: the second argument of
    /// `__launch_bounds__`.
    ///
    /// PTX: `.minnctapersm n`
    const MIN_CTAS: Option<u32> = None;

    /// The largest number of registers of a thread (`__maxnreg__`).
    ///
    /// PTX: `.maxnreg n`
    const MAX_REGISTERS: Option<u32> = None;
}

/// The [`LaunchShape`] of kernels with blocks of `X` × `Y` × `Z` threads (`.reqntid`), in a grid that is a row of CTAs.
#[derive(Debug)]
#[doc(alias = "__launch_bounds__")]
pub enum Block<const X: u32, const Y: u32 = 1, const Z: u32 = 1> {}

impl<const X: u32, const Y: u32, const Z: u32> LaunchShape for Block<X, Y, Z> {
    const BLOCK: [u32; 3] = [X, Y, Z];
}

/// Fails to compile if a number of the launch shape `L` is out of range.
#[doc(hidden)]
pub const fn assert_shape<L: LaunchShape>() {
    let [x, y, z] = L::BLOCK;
    // The product does not wrap: `&&` evaluates it only if each factor is at most 1024.
    assert!(
        x >= 1 && y >= 1 && z >= 1 && x <= 1024 && y <= 1024 && z <= 64 && x * y * z <= 1024,
        "a block has 1 to 1024 threads, 64 at most in z: correct `threads` or `max_threads` of `#[ptx::kernel]`, or `LaunchShape::BLOCK`"
    );
    if let Some([x, y, z]) = L::CLUSTER {
        assert!(
            x >= 1 && y >= 1 && z >= 1 && x <= 16 && y <= 16 && z <= 16 && x * y * z <= 16,
            "a cluster has 1 to 16 CTAs: correct `cluster` of `#[ptx::kernel]`, or `LaunchShape::CLUSTER`"
        );
    }
    if let Some(n) = L::MIN_CTAS {
        assert!(
            n >= 1 && n <= 32,
            "a multiprocessor takes 1 to 32 CTAs: correct `min_ctas` of `#[ptx::kernel]`, or `LaunchShape::MIN_CTAS`"
        );
    }
    if let Some(n) = L::MAX_REGISTERS {
        assert!(
            n >= 1 && n <= 255,
            "a thread has 1 to 255 registers: correct `max_registers` of `#[ptx::kernel]`, or `LaunchShape::MAX_REGISTERS`"
        );
    }
}

/// A hash of the block, cluster and grid shape that launches of a kernel must have.
#[doc(hidden)]
pub const fn layout_of_shape<L: LaunchShape>() -> u64 {
    let ([x, y, z], [i, j, k]) =
        (L::BLOCK, [extent(L::CLUSTER, 0), extent(L::CLUSTER, 1), extent(L::CLUSTER, 2)]);
    let stated = [L::CLUSTER.is_some() as u64, L::GRID_OF_ANY_RANK as u64, L::SMALLER_BLOCKS as u64];
    super::layout(&[
        x as u64, y as u64, z as u64, i as u64, j as u64, k as u64, stated[0], stated[1], stated[2],
    ])
}

impl Cta {
    /// Enters the kernel as [`enter`](Cta::enter) does, and states its launch shape `L` (`__launch_bounds__`,
    /// `__cluster_dims__`), which all its launches must have.
    ///
    /// PTX: only the directives that [`LaunchShape`] names.
    ///
    /// ```
    /// use ptx::{group::Cta, launch::Block, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow; grids are rows.
    /// let (cta, smem, _dynamic) = unsafe { Cta::enter_with::<Smem, Block<256>>() };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - The contract of [`enter`](Cta::enter) holds.
    /// - The kernel itself makes this call, directly or through `#[inline(always)]` functions (`ptx-link` refuses other callers).
    /// - Unless [`LaunchShape::GRID_OF_ANY_RANK`], the grid has one CTA in y and z, or with [`LaunchShape::CLUSTER`] one cluster.
    /// - With [`LaunchShape::SMALLER_BLOCKS`], no extent of the block is greater than that of [`LaunchShape::BLOCK`].
    /// - The launch names no preferred cluster dimension beside the cluster's.
    #[inline(always)]
    pub unsafe fn enter_with<S: SharedMemory, L: LaunchShape>() -> (Cta, S, DynamicShared) {
        const { assert_shape::<L>() };
        state_directives::<L>();
        // SAFETY: clauses 3 to 5 of `# Safety`; `.reqntid` and `.reqnctapercluster` make the driver refuse other blocks and
        // clusters.
        unsafe { assume::<L>() };
        // SAFETY: clause 1 of `# Safety`.
        unsafe { Cta::enter() }
    }
}

/// Writes the directives of the shape into the kernel as PTX comments; `ptx-link` moves them to the kernel's entry.
#[inline(always)]
fn state_directives<L: LaunchShape>() {
    #[cfg(target_arch = "nvptx64")]
    {
        macro_rules! directive {
            ($text:literal $(, $operand:expr)*) => {
                // SAFETY: a PTX comment emits no instruction.
                unsafe {
                    core::arch::asm!(concat!("// entry: ", $text), $(const $operand,)* options(nomem, nostack, preserves_flags))
                }
            };
        }
        if const { L::SMALLER_BLOCKS } {
            directive!(".maxntid {}, {}, {}", L::BLOCK[0], L::BLOCK[1], L::BLOCK[2]);
        } else {
            directive!(".reqntid {}, {}, {}", L::BLOCK[0], L::BLOCK[1], L::BLOCK[2]);
        }
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

/// Returns an extent of a cluster, or 1 if none is stated.
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

/// Tells LLVM the extents of the launch.
///
/// # Safety
///
/// The launch has the shape `L`.
#[inline(always)]
unsafe fn assume<L: LaunchShape>() {
    let [x, y, z] = L::BLOCK;
    let block = [special_register::ntid_x(), special_register::ntid_y(), special_register::ntid_z()];
    // SAFETY: the block has these extents, or smaller ones (`# Safety`), and the thread's indices lie within them.
    unsafe {
        if const { L::SMALLER_BLOCKS } {
            core::hint::assert_unchecked(block[0] <= x && block[1] <= y && block[2] <= z);
        } else {
            core::hint::assert_unchecked(block[0] == x && block[1] == y && block[2] == z);
        }
        core::hint::assert_unchecked(
            special_register::tid_x() < x && special_register::tid_y() < y && special_register::tid_z() < z,
        );
    }
    if const { !L::GRID_OF_ANY_RANK } {
        let (y, z) = (extent(L::CLUSTER, 1), extent(L::CLUSTER, 2));
        // SAFETY: the grid is a row of CTAs, or of clusters (`# Safety`).
        unsafe {
            core::hint::assert_unchecked(
                special_register::nctaid_y() == y && special_register::nctaid_z() == z,
            );
            core::hint::assert_unchecked(special_register::ctaid_y() < y && special_register::ctaid_z() < z);
        }
    }
    if let Some([x, y, z]) = L::CLUSTER {
        // SAFETY: clusters have these extents (`# Safety`), and the CTA's indices lie within them.
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
