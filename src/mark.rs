//! Marks: what the library tells `ptx-link`, which proves that collective calls are made in uniform control flow.
//!
//! A mark is inline assembly that is no PTX instruction. `ptx-link` reads the marks and removes them; PTX of a linker that does not
//! is refused by ptxas. The table of marks is in docs/DECISIONS.md ("Marks"), and what the linker concludes from each in
//! docs/SOUNDNESS.md ("The proof of uniform control flow").
//!
//! rustc's inliner counts the statements of a function, so the code of a kernel depends on them. A mark is one statement, also where
//! the group is a type parameter: a number in the text tells the group, and no method of a trait is called.

use crate::words::{ShuffleValue, pass_words};

/// A group of threads that a mark names.
///
/// # Safety
///
/// Implemented in this crate only: all threads of the group hold a value of the type together.
pub unsafe trait Group {
    /// 0 is one thread, 1 a warp, 2 a part of a CTA, 3 a CTA, 4 a cluster, 5 the grid.
    const NUMBER: u32;
}
// SAFETY: a reference is of the same group.
unsafe impl<G: Group> Group for &G {
    const NUMBER: u32 = G::NUMBER;
}
// SAFETY: a reference is of the same group.
unsafe impl<G: Group> Group for &mut G {
    const NUMBER: u32 = G::NUMBER;
}

/// The grid, to which memory is dealt out.
pub enum Grid {}
// SAFETY: there is no value.
unsafe impl Group for Grid {
    const NUMBER: u32 = 5;
}

/// The part of the CTA that runs the caller.
#[cfg(wgmma)]
enum Part {}
#[cfg(wgmma)]
// SAFETY: there is no value.
unsafe impl Group for Part {
    const NUMBER: u32 = 2;
}

/// Emits the mark of the name, the group and the operands, on the device.
macro_rules! mark {
    ($name:literal $(in $G:ty)? $(, $class:ident $value:expr)*) => {{
        #[cfg(target_arch = "nvptx64")]
        // An operand may be a pointer: no mark accesses its memory.
        #[allow(clippy::pointers_in_nomem_asm_block)]
        // SAFETY: `ptx-link` removes the text.
        unsafe {
            core::arch::asm!(
                concat!("ptx_mark.", $name $(, mark!(@group $G))? $(, " {", stringify!($class), "}")*, ";"),
                $( group = const <$G as Group>::NUMBER, )?
                $( $class = in($class) $value, )*
                options(nomem, nostack, preserves_flags),
            )
        }
        #[cfg(not(target_arch = "nvptx64"))]
        { $( let _ = <$G as Group>::NUMBER; )? $( let _ = $value; )* }
    }};
    (@group $G:ty) => { ".{group}" };
}

/// Emits a mark that `ptx-link` replaces by the value, which is its first operand.
macro_rules! marked {
    ($name:literal $(in $G:ty)?, $T:ty: $class:ident $value:expr $(, $more:expr)*) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let marked: $T;
            #[allow(clippy::pointers_in_nomem_asm_block)]
            // SAFETY: `ptx-link` replaces the text by the value.
            unsafe {
                core::arch::asm!(
                    concat!("ptx_mark.", $name $(, mark!(@group $G))?, " {}, {}" $(, marked!(@operand $more))*, ";"),
                    lateout($class) marked,
                    in($class) $value,
                    $( in(reg32) $more, )*
                    $( group = const <$G as Group>::NUMBER, )?
                    options(nomem, nostack, preserves_flags),
                );
            }
            marked
        }
        #[cfg(not(target_arch = "nvptx64"))]
        { $( let _ = $more; )* $value }
    }};
    (@operand $more:expr) => { ", {}" };
}

/// All threads of the group are here together.
#[inline(always)]
pub fn meet<G: Group>(_: &G) {
    mark!("meet" in G);
}

/// All threads of the part of the CTA are here together that runs the caller.
#[cfg(wgmma)]
#[inline(always)]
pub fn part_meets() {
    mark!("meet" in Part);
}

/// All threads of the group are here together, with a handle of this address of shared memory.
#[inline(always)]
pub fn hold<G: Group>(address: u32) {
    mark!("hold" in G, reg32 address);
}

/// [`hold`] of the group of a value.
#[inline(always)]
pub fn holding<G: Group>(_: &G, address: u32) {
    hold::<G>(address);
}

/// All lanes that the split has put together are here together; those of a warp or a tile without a split.
#[inline(always)]
pub fn meet_lanes(split: Split) {
    mark!("meet.lanes", reg32 split.0);
}

/// All threads of the group come here, with this address of memory that is dealt out to them.
#[inline(always)]
pub fn deal<G: Group, T>(memory: *const T) {
    mark!("deal" in G, reg64 memory);
}

/// Memory that no thread writes until the grid ends.
#[inline(always)]
pub fn read_only<T>(memory: *mut T) -> *mut T {
    marked!("read_only", *mut T: reg64 memory)
}

/// The thread's rank in the CTA.
#[inline(always)]
pub fn rank(rank: u32) -> u32 {
    marked!("rank", u32: reg32 rank)
}

/// States that the value is equal in all threads of the group that are in this call.
#[inline(always)]
pub fn uniform<G: Group, T: ShuffleValue>(value: T) -> T {
    match size_of::<T>() {
        4 => of_bits(marked!("uniform" in G, u32: reg32 bits::<T, u32>(&value))),
        8 => of_bits(marked!("uniform" in G, u64: reg64 bits::<T, u64>(&value))),
        _ => pass_words(value, |_, word| marked!("uniform" in G, u32: reg32 word)),
    }
}

/// States that the condition is equal in all threads of the group that are in this call.
#[inline(always)]
pub fn condition<G: Group>(condition: bool) -> bool {
    marked!("uniform" in G, u32: reg32 u32::from(condition)) != 0
}

/// Returns the bits of a value as a type of its size.
#[inline(always)]
fn bits<T: Copy, Bits: Copy>(value: &T) -> Bits {
    assert!(size_of::<T>() == size_of::<Bits>());
    // SAFETY: the sizes are equal. Values of registers have no padding.
    unsafe { core::mem::transmute_copy(value) }
}

/// Returns the value of the bits that [`bits`] returned.
#[inline(always)]
fn of_bits<T: Copy, Bits: Copy>(of: Bits) -> T {
    bits(&of)
}

/// States that the value is the one of a lane of the warp, in a CTA of so many threads.
#[inline(always)]
pub fn of_lane(value: u32, lane: u32, threads: u32) -> u32 {
    marked!("of_lane", u32: reg32 value, lane, threads)
}

/// From here the thread ends the grid, or another thread does: it makes no other call, and what it waits for comes.
#[inline(always)]
#[cfg(feature = "checked")]
pub fn ends() {
    mark!("ends");
}

/// The panic handler of this function ends the grid, and runs no code of the user.
#[inline(always)]
pub fn panic_traps() {
    mark!("panic.traps");
}

/// The panic handler of this function ends the grid. It formats the message, so it runs the user's `Display` and `Debug`.
#[inline(always)]
pub fn panic_prints() {
    mark!("panic.prints");
}

/// A split of a group, which is here together, into parts. `ptx-link` replaces its number by 0: it costs no register.
#[derive(Clone, Copy, Debug)]
pub struct Split(u32);

impl Split {
    /// What a whole warp has, and lanes whose numbers follow from their type.
    pub const NONE: Self = Split(0);

    #[inline(always)]
    pub fn new() -> Self {
        Self::NONE.divided()
    }

    /// A split of the lanes of a split.
    #[inline(always)]
    pub fn divided(self) -> Self {
        Split(marked!("split", u32: reg32 self.0))
    }

    /// States that the condition has one value in each part.
    #[inline(always)]
    pub fn role(self, condition: bool) -> bool {
        self.role_index(u32::from(condition)) != 0
    }

    /// States that the number of a part has one value in each part.
    #[inline(always)]
    pub fn role_index(self, index: u32) -> u32 {
        marked!("role", u32: reg32 index, self.0)
    }

    /// Runs what a part of the threads does, which is the group `G`.
    #[inline(always)]
    #[track_caller]
    pub fn part<G: Group, R>(self, body: impl FnOnce() -> R) -> R {
        self.begin::<G>();
        let result = body();
        self.end();
        result
    }

    /// From here to [`end`](Split::end), a part of the threads is here, which is the group `G`.
    #[inline(always)]
    pub fn begin<G: Group>(self) {
        mark!("begin" in G, reg32 self.0);
    }

    /// Ends a part.
    #[inline(always)]
    pub fn end(self) {
        mark!("end", reg32 self.0);
    }
}
