//! The launch of the kernel `axpy_bulk` (`kernels/src/axpy_bulk.rs`), which computes y ← a·x + y.

use std::ops::Range;

use ptx::launch::RawSlice;
use ptx_host::LaunchConfig;

use crate::device::Device;
use crate::shape::Shape;

/// Alignment of the addresses of a bulk copy, in bytes.
pub const ALIGNMENT: u64 = 16;

/// The reason why a launch was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address that bulk copies cannot use.
    #[error(
        "{array} is at {address:#x}, which is not a multiple of {ALIGNMENT}: bulk copies need arrays aligned to \
         {ALIGNMENT} bytes; start the slice at an element whose index is a multiple of 4"
    )]
    Misaligned {
        /// `x` or `y`.
        array: &'static str,
        /// The array's address.
        address: u64,
    },
    /// The array has fewer than `n` elements.
    #[error("{array} has {len} elements, fewer than n = {n}")]
    TooShort {
        /// `x` or `y`.
        array: &'static str,
        /// The array's length.
        len: usize,
        /// Elements to compute.
        n: usize,
    },
    /// The arrays overlap. The kernel reads x while it writes y.
    #[error("x ({:#x}..{:#x}) and y ({:#x}..{:#x}) overlap; give them separate memory", x.start, x.end, y.start, y.end)]
    Overlap {
        /// Addresses of x.
        x: Range<u64>,
        /// Addresses of y.
        y: Range<u64>,
    },
}

/// The kernel with a launch function that checks the arrays.
#[derive(Debug)]
pub struct AxpyBulk<D: Device> {
    kernel: D::Function,
    /// Whether the kernel takes addresses and a length, as the twin does.
    takes_addresses: bool,
    shape: Shape,
    multiprocessors: u32,
}

impl<D: Device> AxpyBulk<D> {
    /// Makes the launch function of a kernel, for a device with `multiprocessors` multiprocessors. `takes_addresses` says that the
    /// kernel has the parameters of the twin.
    ///
    /// # Safety
    ///
    /// The kernel is `axpy` of `kernels/src/axpy_bulk.rs`, built with the parameters in `shape`, or the twin.
    pub unsafe fn new(
        kernel: D::Function,
        takes_addresses: bool,
        shape: Shape,
        multiprocessors: u32,
    ) -> Self {
        Self { kernel, takes_addresses, shape, multiprocessors }
    }

    /// Checks both arrays, and launches y ← a·x + y for the first `n` elements.
    ///
    /// # Errors
    ///
    /// [`Error`] names the unfit array and says what to do. Other errors say how the launch failed.
    ///
    /// # Safety
    ///
    /// The arrays are memory of the device, and until the launch has ended, nothing else accesses y or writes x.
    pub unsafe fn launch(&self, device: &D, a: f32, x: Array, y: Array, n: usize) -> anyhow::Result<()> {
        check_arrays(x, y, n)?;
        let grid = self.multiprocessors * self.shape.ctas_per_sm;
        let config =
            LaunchConfig::new(grid, self.shape.threads).dynamic_shared(self.shape.dynamic_shared_bytes());
        let slice = |array: Array| RawSlice { base: array.address as *mut f32, len: n };
        // SAFETY: x and y have `n` elements, are aligned and do not overlap (checked above). The kernel is the right one: `# Safety`
        // of `new`. Nothing else uses the arrays: `# Safety`.
        unsafe {
            match self.takes_addresses {
                true => device.launch_by_name(&self.kernel, &config, (a, x.address, y.address, n as u64)),
                false => device.launch_by_name(&self.kernel, &config, (a, slice(x), slice(y), n as u64)),
            }
        }
    }

    /// Returns the number of elements that all thread blocks compute in one round.
    #[must_use]
    pub fn round_len(&self) -> usize {
        let blocks = self.multiprocessors * self.shape.ctas_per_sm;
        self.shape.tile_len() * blocks as usize
    }

    /// Returns the parameters that the kernel was built with.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the kernel, for its resource usage.
    #[must_use]
    pub fn kernel(&self) -> &D::Function {
        &self.kernel
    }
}

/// An array on the device.
#[derive(Clone, Copy)]
pub struct Array {
    /// `x` or `y`.
    pub name: &'static str,
    pub address: u64,
    pub len: usize,
}

impl Array {
    /// Returns the addresses of the first `n` elements.
    fn span(self, n: usize) -> Range<u64> {
        self.address..self.address + (n * size_of::<f32>()) as u64
    }
}

fn check_arrays(x: Array, y: Array, n: usize) -> Result<(), Error> {
    for Array { name, address, len } in [x, y] {
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Error::Misaligned { array: name, address });
        }
        if len < n {
            return Err(Error::TooShort { array: name, len, n });
        }
    }
    let (x, y) = (x.span(n), y.span(n));
    if x.start.max(y.start) < x.end.min(y.end) {
        return Err(Error::Overlap { x, y });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ptx::pipeline::RingMemory;
    use ptx::shared::DynamicShared;

    use super::*;

    fn check(x: (u64, usize), y: (u64, usize), n: usize) -> Result<(), String> {
        let array = |name, (address, len)| Array { name, address, len };
        check_arrays(array("x", x), array("y", y), n).map_err(|error| error.to_string())
    }

    #[test]
    fn aligned_arrays_apart_are_taken() {
        check((0x1000, 8), (0x2000, 8), 8).unwrap();
        check((0x1010, 4), (0x1020, 4), 4).unwrap();
        check((0x1020, 4), (0x1010, 4), 4).unwrap();
    }

    #[test]
    fn misaligned_bases_are_refused_with_address_need_and_cure() {
        assert_eq!(
            check((0x1004, 8), (0x2000, 8), 8).unwrap_err(),
            "x is at 0x1004, which is not a multiple of 16: bulk copies need arrays aligned to 16 bytes; start the \
             slice at an element whose index is a multiple of 4"
        );
        for off in (4..16).step_by(4) {
            assert!(
                check((0x1000, 8), (0x2000 + off, 8), 8).unwrap_err().starts_with("y is at 0x200"),
                "{off}"
            );
        }
        assert!(
            check((0x1004, 0), (0x2000, 0), 0).is_err(),
            "a misaligned array of no elements was accepted"
        );
    }

    #[test]
    fn short_arrays_are_refused() {
        assert_eq!(check((0x1000, 7), (0x2000, 8), 8).unwrap_err(), "x has 7 elements, fewer than n = 8");
        assert_eq!(check((0x1000, 8), (0x2000, 7), 8).unwrap_err(), "y has 7 elements, fewer than n = 8");
    }

    #[test]
    fn overlapping_arrays_are_refused() {
        for (x, y) in [(0x1000, 0x1000), (0x1000, 0x1010), (0x1010, 0x1000)] {
            assert!(check((x, 8), (y, 8), 8).unwrap_err().contains("overlap"), "{x:#x} {y:#x}");
        }
        check((0x1000, 8), (0x1000, 8), 0).unwrap();
        // Only the elements that the kernel accesses count.
        check((0x1000, 8), (0x1010, 8), 4).unwrap();
    }

    #[test]
    fn shared_memory_is_that_of_the_ring() {
        const fn of<const TILE: usize, const STAGES: usize>() -> (u32, u32) {
            let shape = Shape { stages: STAGES as u32, tile_bytes: 4 * TILE as u32, ..Shape::SHIPPED };
            (shape.dynamic_shared_bytes(), DynamicShared::bytes_for::<(RingMemory<[f32; TILE], STAGES>,)>())
        }
        for (counted, taken) in [of::<4096, 1>(), of::<1024, 8>(), of::<{ 10 * 256 }, 3>()] {
            assert_eq!(counted, taken);
        }
        assert_eq!(
            Shape::SHIPPED.dynamic_shared_bytes(),
            DynamicShared::bytes_for::<(RingMemory<[f32; 3584], 2>,)>()
        );
        assert_eq!(Shape::SHIPPED.tile_len(), 3584);
    }
}
