//! Memory: allocations in the global space, and the windows of generic addresses.

use crate::shadow::Shadow;

/// Generic addresses of shared memory: the window of 32-bit `.shared::cluster` addresses.
pub const SHARED_WINDOW: u64 = 1 << 32;
/// Generic addresses of a thread's local memory.
pub const LOCAL_WINDOW: u64 = 2 << 32;
/// Generic addresses of a kernel's parameters.
pub const PARAM_WINDOW: u64 = 3 << 32;
/// The first address of shared memory in each CTA. What lies below is reserved, as on hardware.
pub const SHARED_BASE: u32 = 1024;
/// An address of shared memory holds the rank of its CTA in the cluster from this bit on.
pub const RANK_SHIFT: u32 = 24;
/// An address of global memory holds the number of its allocation, plus one, from this bit on.
const ALLOCATION_SHIFT: u32 = 36;

/// Memory of one allocation.
#[derive(Debug, Clone)]
pub struct Allocation {
    pub bytes: Vec<u8>,
    pub live: bool,
    /// It holds variables of `.const`.
    pub constant: bool,
    pub shadow: Shadow,
    /// The allocations that a multicast object stands for.
    pub replicas: Vec<usize>,
}

/// Global memory.
#[derive(Debug, Clone, Default)]
pub struct Global {
    pub allocations: Vec<Allocation>,
}

impl Global {
    /// Allocates memory. Bytes that nothing has written are uninitialised.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        let shadow = Shadow::default();
        self.allocations.push(Allocation {
            bytes: vec![0xa5; bytes],
            live: true,
            constant: false,
            shadow,
            replicas: Vec::new(),
        });
        (self.allocations.len() as u64) << ALLOCATION_SHIFT
    }

    /// Makes a multicast object: addresses of which each byte stands for the bytes of all `replicas` (`cuMulticastCreate`).
    pub fn multicast(&mut self, replicas: &[u64], bytes: usize) -> u64 {
        let replicas =
            replicas.iter().filter_map(|address| self.find(*address, 0).map(|(index, _)| index)).collect();
        let shadow = Shadow::default();
        self.allocations.push(Allocation {
            bytes: vec![0; bytes],
            live: true,
            constant: false,
            shadow,
            replicas,
        });
        (self.allocations.len() as u64) << ALLOCATION_SHIFT
    }

    /// Makes an allocation one of the state space `.const`.
    pub fn make_constant(&mut self, address: u64) {
        if let Some((index, _)) = self.find(address, 0) {
            self.allocations[index].constant = true;
        }
    }

    /// Whether an address is in the state space `.const`.
    pub fn is_constant(&self, address: u64) -> bool {
        self.find(address, 0).is_some_and(|(index, _)| self.allocations[index].constant)
    }

    /// Frees memory. Later accesses are out of bounds.
    pub fn free(&mut self, address: u64) {
        if let Some((index, 0)) = self.find(address, 0) {
            let allocation = &mut self.allocations[index];
            allocation.live = false;
            allocation.bytes = Vec::new();
            allocation.shadow = Shadow::default();
        }
    }

    /// The allocation of an address and the offset in it, if `len` bytes are in bounds.
    #[inline]
    pub fn find(&self, address: u64, len: usize) -> Option<(usize, usize)> {
        let index = ((address >> ALLOCATION_SHIFT) as usize).wrapping_sub(1);
        let offset = (address & ((1 << ALLOCATION_SHIFT) - 1)) as usize;
        let allocation = self.allocations.get(index)?;
        (allocation.live && offset + len <= allocation.bytes.len()).then_some((index, offset))
    }

    /// The first address whose byte `other`, of the same allocations, has otherwise.
    pub fn difference(&self, other: &Self) -> Option<u64> {
        self.allocations.iter().zip(&other.allocations).enumerate().find_map(|(index, (ours, theirs))| {
            if ours.bytes == theirs.bytes {
                return None;
            }
            let offset = ours.bytes.iter().zip(&theirs.bytes).position(|(our, their)| our != their)?;
            Some(((index as u64 + 1) << ALLOCATION_SHIFT) + offset as u64)
        })
    }

    /// Reads memory, from the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let (index, offset) = self.find(address, bytes.len())?;
        bytes.copy_from_slice(&self.allocations[index].bytes[offset..offset + bytes.len()]);
        Some(())
    }

    /// Writes memory, from the host.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Option<()> {
        let (index, offset) = self.find(address, bytes.len())?;
        let allocation = &mut self.allocations[index];
        allocation.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        allocation.shadow.initialise(offset, bytes.len());
        Some(())
    }
}

/// Where an access goes.
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
    pub fn offset(self, by: usize) -> Self {
        match self {
            Self::Global(index, offset) => Self::Global(index, offset + by),
            Self::Shared(cta, offset) => Self::Shared(cta, offset + by),
            Self::Local(offset) => Self::Local(offset + by),
            Self::Param(offset) => Self::Param(offset + by),
        }
    }
}
