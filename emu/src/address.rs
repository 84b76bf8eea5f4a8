//! Addresses: the windows of generic ones, and the memory that an access goes to.

/// The window of generic addresses of shared memory, that of 32-bit `.shared::cluster` addresses.
pub const SHARED_WINDOW: u64 = 1 << 32;
/// The window of generic addresses of a thread's local memory.
pub const LOCAL_WINDOW: u64 = 2 << 32;
/// The window of generic addresses of a kernel's parameters.
pub const PARAM_WINDOW: u64 = 3 << 32;
/// The first address of functions.
pub const FUNCTION_WINDOW: u64 = 4 << 32;
/// The first address of shared memory in each CTA. The addresses below are reserved, as on hardware.
pub const SHARED_BASE: u32 = 1024;
/// The first of the bits in an address of shared memory that hold the rank of its CTA in the cluster.
pub const RANK_SHIFT: u32 = 24;

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Allocation and offset.
    Global(usize, usize),
    /// CTA, by its index among the resident CTAs, and offset.
    Shared(usize, usize),
    /// Offset in the local memory of the thread.
    Local(usize),
    /// Offset in the parameters of the kernel.
    Param(usize),
}

impl Place {
    /// Returns whether no other thread writes this memory: it orders nothing, and a load returns the latest value.
    pub fn is_private(self) -> bool {
        matches!(self, Self::Local(_) | Self::Param(_))
    }

    /// Returns whether memory of a length at this place has a byte of `len` bytes at another.
    pub fn overlaps(self, own: usize, other: Self, len: usize) -> bool {
        match (self, other) {
            (Self::Global(a, from), Self::Global(b, to)) | (Self::Shared(a, from), Self::Shared(b, to)) => {
                a == b && from < to + len && to < from + own
            }
            _ => false,
        }
    }

    pub fn offset(self, by: usize) -> Self {
        match self {
            Self::Global(index, offset) => Self::Global(index, offset + by),
            Self::Shared(cta, offset) => Self::Shared(cta, offset + by),
            Self::Local(offset) => Self::Local(offset + by),
            Self::Param(offset) => Self::Param(offset + by),
        }
    }
}
