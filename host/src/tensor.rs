//! Encodes tensor maps (`CUtensorMap`).

use std::ffi::c_void;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUtensorMap};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DeviceRepr, DeviceSlice,
    UnifiedSlice, UnifiedView, UnifiedViewMut, ValidAsZeroBits,
};

use crate::error::check;
use crate::module::attribute_of;
use crate::{
    Argument, Arguments, ByName, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave,
    CUtensorMapL2promotion, CUtensorMapSwizzle, Kernel, NoPadding, Result, TensorMapMode,
    TensorMapParameters, TensorMapProblem, TensorMemory,
};

/// A tensor map (`CUtensorMap`): 128 opaque bytes, to pass to a kernel by value, or to copy to device memory.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// The opaque bytes, as words.
    pub opaque: [u64; 16],
}

// SAFETY: host and device have the same 128 bytes, without padding.
unsafe impl DeviceRepr for TensorMap {}
// SAFETY: 16 words have no padding, and 128 bytes are a multiple of the alignment.
unsafe impl NoPadding for TensorMap {}
// SAFETY: any bits are a value.
unsafe impl ValidAsZeroBits for TensorMap {}

// SAFETY: a parameter by name has no contract.
unsafe impl<'a> Argument<'a, ByName, Kernel> for TensorMap {
    fn pass(self, arguments: &mut Arguments<'_, 'a, Kernel>) -> Result<()> {
        arguments.push::<Self, Self>(self);
        Ok(())
    }
}

macro_rules! memory {
    ($($Slice:ty),*) => { $(
        impl<T> TensorMemory<Kernel, T> for $Slice {
            fn place(&self) -> (&CudaStream, u64, usize) {
                // Only the address is needed, so the guard must not record a use of the memory.
                let (address, guard) = self.device_ptr(self.stream());
                std::mem::forget(guard);
                (self.stream(), address, self.len())
            }
        }
    )* };
}
memory! {
    CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>, UnifiedSlice<T>, UnifiedView<'_, T>, UnifiedViewMut<'_, T>
}

macro_rules! values {
    ($( $function:ident: $Enum:ident { $($VALUE:ident)* } )*) => { $(
        /// Returns the driver's value.
        fn $function(value: $Enum) -> sys::$Enum {
            match value {
                $($Enum::$VALUE => sys::$Enum::$VALUE),*
            }
        }
    )* };
}
values! {
    data_type: CUtensorMapDataType {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 CU_TENSOR_MAP_DATA_TYPE_UINT16 CU_TENSOR_MAP_DATA_TYPE_UINT32
        CU_TENSOR_MAP_DATA_TYPE_INT32 CU_TENSOR_MAP_DATA_TYPE_UINT64 CU_TENSOR_MAP_DATA_TYPE_INT64
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32 CU_TENSOR_MAP_DATA_TYPE_FLOAT64
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B
        CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
    }
    interleave: CUtensorMapInterleave {
        CU_TENSOR_MAP_INTERLEAVE_NONE CU_TENSOR_MAP_INTERLEAVE_16B CU_TENSOR_MAP_INTERLEAVE_32B
    }
    swizzle: CUtensorMapSwizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE CU_TENSOR_MAP_SWIZZLE_32B CU_TENSOR_MAP_SWIZZLE_64B CU_TENSOR_MAP_SWIZZLE_128B
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
    }
    l2_promotion: CUtensorMapL2promotion {
        CU_TENSOR_MAP_L2_PROMOTION_NONE CU_TENSOR_MAP_L2_PROMOTION_L2_64B CU_TENSOR_MAP_L2_PROMOTION_L2_128B
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B
    }
    oob_fill: CUtensorMapFloatOOBfill {
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
    }
}

fn check_capability(major: u32) -> Result<(), TensorMapProblem> {
    const NEEDS: &str = "tensor maps need compute capability 9.0 or higher, which this device lacks";
    if major >= 9 { Ok(()) } else { Err(TensorMapProblem(NEEDS.into())) }
}

/// Encodes a map for the device of `context`.
///
/// # Safety
///
/// `TensorMapBuilder::check` has returned the parameters.
pub(crate) unsafe fn encode(context: &CudaContext, of: &TensorMapParameters<'_>) -> Result<TensorMap> {
    check_capability(attribute_of(context, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?)?;
    check(context.bind_to_thread(), || "encoding a tensor map".into())?;
    let (rank, address) = (of.dims.len() as u32, of.address as *mut c_void);
    let (dims, strides, steps) = (of.dims.as_ptr(), of.strides.as_ptr(), of.element_strides.as_ptr());
    let (element_type, interleave, swizzle) =
        (data_type(of.element_type), interleave(of.interleave), swizzle(of.swizzle));
    let (l2_promotion, oob_fill) = (l2_promotion(of.l2_promotion), oob_fill(of.oob_fill));
    let mut map = TensorMap { opaque: [0; 16] };
    let to = (&raw mut map).cast::<CUtensorMap>();
    // SAFETY: `TensorMapBuilder::check` (`# Safety`) has compared the lengths of the arrays with the rank: `rank` dimensions, box
    // dimensions and element strides, `rank - 1` strides, `rank - 2` corners. The driver writes the 128 bytes of `map` and reads
    // no device memory.
    #[rustfmt::skip]
    let result = unsafe {
        match of.mode {
            TensorMapMode::Tiled(sizes) => sys::cuTensorMapEncodeTiled(
                to, element_type, rank, address, dims, strides, sizes.as_ptr(), steps,
                interleave, swizzle, l2_promotion, oob_fill,
            ),
            TensorMapMode::Im2col { lower, upper, channels, pixels } => sys::cuTensorMapEncodeIm2col(
                to, element_type, rank, address, dims, strides, lower.as_ptr(), upper.as_ptr(), *channels, *pixels, steps,
                interleave, swizzle, l2_promotion, oob_fill,
            ),
        }
    };
    check(result.result(), || format!("encoding a tensor map of {:?} {element_type:?}", of.dims))?;
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_tensor_maps_is_an_error_that_says_so() {
        let old = check_capability(8).unwrap_err().to_string();
        assert!(old.starts_with("tensor maps need compute capability 9.0"));
        assert_eq!(check_capability(9), Ok(()));
    }
}
