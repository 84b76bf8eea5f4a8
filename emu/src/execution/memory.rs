//! Memory: allocations in the global space.

use std::ops::Range;

use crate::limits::GLOBAL_MEMORY;
use crate::order::clock::Id;
use crate::order::shadow::Shadow;

/// The first of the bits in an address of global memory that hold the number of its allocation, plus one.
const ALLOCATION_SHIFT: u32 = 36;

/// The memory of one allocation.
#[derive(Debug, Clone)]
pub struct Allocation {
    pub bytes: Vec<u8>,
    pub live: bool,
    /// Whether the allocation holds variables of `.const`.
    pub constant: bool,
    pub shadow: Shadow,
    /// The allocations that a multicast object stands for.
    pub replicas: Vec<usize>,
    /// The ranges of a module's variables: what lies between them is not memory. If there are none, all of the allocation is.
    pub parts: Vec<Range<usize>>,
}

impl Allocation {
    fn new() -> Self {
        let (bytes, shadow, replicas, parts) = (Vec::new(), Shadow::default(), Vec::new(), Vec::new());
        Self { bytes, live: true, constant: false, shadow, replicas, parts }
    }
}

/// Global memory.
#[derive(Debug, Clone, Default)]
pub struct Global {
    pub allocations: Vec<Allocation>,
    /// The bytes of the live allocations.
    used: usize,
    pub grids: Grids,
}

/// The grids that may still run when others start (programmatic dependent launch), by their identities.
#[derive(Debug, Clone, Default)]
pub struct Grids {
    /// The number of the last grid.
    pub number: u32,
    /// The grids that may run when a dependent of the last grid starts: among them the last grid.
    pub at_start: Vec<Id>,
    /// The grids that may run when the last grid has ended: those for which it has not waited.
    pub at_end: Vec<Id>,
}

impl Global {
    /// Adds an allocation. Returns `None` if the device has no room for its bytes.
    fn add(&mut self, bytes: usize, fill: u8, allocation: Allocation) -> Option<u64> {
        if bytes > GLOBAL_MEMORY - self.used {
            return None;
        }
        let bytes = if fill == 0 {
            vec![0; bytes]
        } else {
            let mut filled = Vec::new();
            filled.try_reserve_exact(bytes).ok()?;
            filled.resize(bytes, fill);
            filled
        };
        self.used += bytes.len();
        self.allocations.push(Allocation { bytes, ..allocation });
        Some((self.allocations.len() as u64) << ALLOCATION_SHIFT)
    }

    /// Allocates memory. Bytes that nothing has written are uninitialized. Returns `None` if the device has no room.
    pub fn allocate(&mut self, bytes: usize) -> Option<u64> {
        self.add(bytes, 0xa5, Allocation::new())
    }

    /// Allocates the variables of a module in `.global`, or in `.const`, with zeros. As on a GPU, they lie close together, and
    /// differ in the low halves of their addresses. Returns `None` if the device has no room.
    pub fn allocate_variables(
        &mut self,
        sizes: impl IntoIterator<Item = usize>,
        constant: bool,
    ) -> Option<Vec<u64>> {
        const GAP: usize = 256;
        let mut parts: Vec<Range<usize>> = Vec::new();
        for size in sizes {
            let start = parts.last().map_or(0, |last| (last.end + GAP).next_multiple_of(GAP));
            parts.push(start..start + size);
        }
        let shadow = Shadow::initialized();
        let starts: Vec<u64> = parts.iter().map(|part| part.start as u64).collect();
        let bytes = parts.last().map_or(0, |last| last.end);
        let address = self.add(bytes, 0, Allocation { parts, constant, shadow, ..Allocation::new() })?;
        Some(starts.into_iter().map(|start| address + start).collect())
    }

    /// Sets the variables of a module, the first of which is at an address, to zero.
    pub fn reset(&mut self, address: u64) {
        if let Some((index, 0)) = self.find(address, 0) {
            let allocation = &mut self.allocations[index];
            allocation.bytes = vec![0; allocation.bytes.len()];
            allocation.shadow = Shadow::initialized();
        }
    }

    /// Makes a multicast object: each byte at its addresses stands for the bytes of all `replicas` (`cuMulticastCreate`).
    pub fn multicast(&mut self, replicas: &[u64], bytes: usize) -> u64 {
        let replicas =
            replicas.iter().filter_map(|address| self.find(*address, 0).map(|(index, _)| index)).collect();
        self.add(bytes, 0, Allocation { replicas, ..Allocation::new() }).unwrap_or(0)
    }

    /// Returns whether an address is in the state space `.const`.
    pub fn is_constant(&self, address: u64) -> bool {
        self.find(address, 0).is_some_and(|(index, _)| self.allocations[index].constant)
    }

    /// Frees memory. Later accesses are out of bounds.
    pub fn free(&mut self, address: u64) {
        if let Some((index, 0)) = self.find(address, 0) {
            let allocation = &mut self.allocations[index];
            allocation.live = false;
            self.used -= allocation.bytes.len();
            allocation.bytes = Vec::new();
            allocation.shadow = Shadow::default();
        }
    }

    /// Returns the allocation of an address and the offset in it, if `len` bytes are in bounds.
    #[inline]
    pub fn find(&self, address: u64, len: usize) -> Option<(usize, usize)> {
        let index = ((address >> ALLOCATION_SHIFT) as usize).wrapping_sub(1);
        let offset = (address & ((1 << ALLOCATION_SHIFT) - 1)) as usize;
        let allocation = self.allocations.get(index)?;
        let within = |part: &Range<usize>| part.start <= offset && offset.saturating_add(len) <= part.end;
        let in_bounds = match &allocation.parts[..] {
            [] => offset.saturating_add(len) <= allocation.bytes.len(),
            parts => {
                let next = parts.partition_point(|part| part.start <= offset);
                next.checked_sub(1).is_some_and(|at| within(&parts[at]))
            }
        };
        (allocation.live && in_bounds).then_some((index, offset))
    }

    /// Says how memory that is in no allocation lies to the one that it is nearest to.
    pub fn beside(&self, address: u64, len: usize) -> Option<String> {
        let ends = |offset: usize, end: usize| match offset.checked_sub(end) {
            Some(past) => format!("begin {past} bytes past the end"),
            None => format!("end {} bytes past the end", offset.saturating_add(len) - end),
        };
        let index = (address >> ALLOCATION_SHIFT) as usize;
        let offset = (address & ((1 << ALLOCATION_SHIFT) - 1)) as usize;
        // The upper half of an allocation's range is nearer to the next one.
        if offset >> (ALLOCATION_SHIFT - 1) != 0 {
            let next = self.allocations.get(index).filter(|next| next.live)?;
            let before = (1 << ALLOCATION_SHIFT) - offset;
            return Some(format!(
                "begin {before} bytes before allocation {index} of {} bytes",
                next.bytes.len()
            ));
        }
        let index = index.checked_sub(1)?;
        let allocation = self.allocations.get(index)?;
        if !allocation.live {
            return Some(format!("are in allocation {index}, which is freed"));
        }
        match allocation.parts.partition_point(|part| part.start <= offset).checked_sub(1) {
            Some(at) => {
                let part = &allocation.parts[at];
                Some(format!("{} of a variable of {} bytes", ends(offset, part.end), part.len()))
            }
            None => {
                let bytes = allocation.bytes.len();
                Some(format!("{} of allocation {index} of {bytes} bytes", ends(offset, bytes)))
            }
        }
    }

    /// Returns the first address whose byte differs in `other`, which has the same allocations.
    pub fn difference(&self, other: &Self) -> Option<u64> {
        self.allocations.iter().zip(&other.allocations).enumerate().find_map(|(index, (ours, theirs))| {
            if ours.bytes == theirs.bytes {
                return None;
            }
            let offset = ours.bytes.iter().zip(&theirs.bytes).position(|(our, their)| our != their)?;
            Some(((index as u64 + 1) << ALLOCATION_SHIFT) + offset as u64)
        })
    }

    /// Reads memory from the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let (index, offset) = self.find(address, bytes.len())?;
        bytes.copy_from_slice(&self.allocations[index].bytes[offset..offset + bytes.len()]);
        Some(())
    }

    /// Writes memory from the host.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Option<()> {
        let (index, offset) = self.find(address, bytes.len())?;
        let allocation = &mut self.allocations[index];
        allocation.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        allocation.shadow.initialize(offset, bytes.len());
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_module_lie_close_together_and_what_is_between_them_is_no_memory() {
        let mut global = Global::default();
        let other = global.allocate(8).unwrap();
        let addresses = global.allocate_variables([4, 300, 16], false).unwrap();
        assert!(addresses.is_sorted() && addresses[2] - addresses[0] < 4096, "{addresses:x?}");
        assert!(addresses[0] >> ALLOCATION_SHIFT != other >> ALLOCATION_SHIFT);
        for (address, size) in addresses.iter().zip([4, 300, 16]) {
            assert!(address.is_multiple_of(256) && global.write(*address, &vec![1; size]).is_some());
            assert_eq!(global.write(*address, &vec![1; size + 1]), None);
            assert_eq!(global.find(address + size as u64, 1), None);
        }
        let beside = |global: &Global, address, len| global.beside(address, len).unwrap();
        assert_eq!(
            beside(&global, addresses[1] + 298, 4),
            "end 2 bytes past the end of a variable of 300 bytes"
        );
        assert_eq!(
            beside(&global, addresses[0] + 12, 4),
            "begin 8 bytes past the end of a variable of 4 bytes"
        );
        let last = global.allocate(8).unwrap();
        assert!(beside(&global, last - 4, 4).starts_with("begin 4 bytes before allocation "));
        assert_eq!(global.beside(0, 4), None);
        assert_eq!(global.beside(u64::MAX, 4), None);
        global.free(addresses[0]);
        assert_eq!(global.find(addresses[2], 1), None, "all are freed together");
        assert!(beside(&global, addresses[2], 1).ends_with("which is freed"));
        assert_eq!(global.allocate_variables([], true), Some(vec![]));
    }
}
