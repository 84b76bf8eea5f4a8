//! Tensor maps (`CUtensorMap`): descriptors of tensors in global memory, which the tensor copies (TMA) of a kernel read.

use std::fmt;
use std::ops::RangeInclusive;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUtensorMap};
use cudarc::driver::{CudaContext, DevicePtr, DeviceRepr, ValidAsZeroBits};

use crate::error::check;
use crate::module::attribute_of;
use crate::{
    CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle, Error, Result,
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
// SAFETY: any bits are a value.
unsafe impl ValidAsZeroBits for TensorMap {}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that a tensor can have as elements.
pub trait TensorElement: DeviceRepr + sealed::Sealed {
    /// The element type of the map, unless [`TensorMapBuilder::element_type`] gives another of the same size.
    const TYPE: CUtensorMapDataType;
}

macro_rules! elements {
    ($($T:ty: $TYPE:ident,)*) => { $(
        impl sealed::Sealed for $T {}
        impl TensorElement for $T {
            const TYPE: CUtensorMapDataType = CUtensorMapDataType::$TYPE;
        }
    )* };
}
elements! {
    u8: CU_TENSOR_MAP_DATA_TYPE_UINT8, u16: CU_TENSOR_MAP_DATA_TYPE_UINT16, u32: CU_TENSOR_MAP_DATA_TYPE_UINT32,
    i8: CU_TENSOR_MAP_DATA_TYPE_UINT8, i16: CU_TENSOR_MAP_DATA_TYPE_UINT16, i32: CU_TENSOR_MAP_DATA_TYPE_INT32,
    u64: CU_TENSOR_MAP_DATA_TYPE_UINT64, i64: CU_TENSOR_MAP_DATA_TYPE_INT64,
    f32: CU_TENSOR_MAP_DATA_TYPE_FLOAT32, f64: CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
}

/// Returns the bytes of an element, or `None` for the packed types, which are no Rust type's.
fn bytes_of(element_type: CUtensorMapDataType) -> Option<usize> {
    use CUtensorMapDataType::*;
    match element_type {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 => Some(1),
        CU_TENSOR_MAP_DATA_TYPE_UINT16
        | CU_TENSOR_MAP_DATA_TYPE_FLOAT16
        | CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 => Some(2),
        CU_TENSOR_MAP_DATA_TYPE_UINT64 | CU_TENSOR_MAP_DATA_TYPE_INT64 | CU_TENSOR_MAP_DATA_TYPE_FLOAT64 => {
            Some(8)
        }
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B
        | CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B
        | CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B => None,
        _ => Some(4),
    }
}

/// Returns the most bytes that a row of the box can have with this swizzle.
fn span(swizzle: CUtensorMapSwizzle) -> usize {
    match swizzle {
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE => usize::MAX,
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B => 32,
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B => 64,
        _ => 128,
    }
}

/// Returns the message unless the rule holds.
macro_rules! rule {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!($($message)+));
        }
    };
}

/// What one copy moves.
#[derive(Debug, Clone)]
enum Mode {
    Box(Vec<u32>),
    Im2col { lower: Vec<i32>, upper: Vec<i32>, channels: u32, pixels: u32 },
}

/// Builds a [`TensorMap`]. In every list the innermost dimension, which is contiguous, comes first.
///
/// ```no_run
/// # let stream = ptx_host::open(0)?.default_stream();
/// let matrix = stream.alloc_zeros::<f32>(640 * 480)?;
/// // 480 rows of 640 elements, copied in boxes of 64 by 32: `ptx::tensor::Box2<64, 32>`.
/// let map = ptx_host::TensorMapBuilder::tiled(&[640, 480], &[64, 32]).encode(&matrix)?;
/// // A kernel takes the map by value, or the address of this memory.
/// let maps = stream.clone_htod(&[map])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder makes no map until `encode` is called"]
pub struct TensorMapBuilder {
    dims: Vec<u64>,
    mode: Mode,
    element_type: Option<CUtensorMapDataType>,
    strides: Option<Vec<u64>>,
    element_strides: Vec<u32>,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    oob_fill: CUtensorMapFloatOOBfill,
}

macro_rules! settings {
    ($( $(#[$doc:meta])* $name:ident: $T:ty => $value:expr; )*) => { $(
        $(#[$doc])*
        pub fn $name(self, $name: $T) -> Self {
            Self { $name: $value, ..self }
        }
    )* };
}

impl TensorMapBuilder {
    /// Describes a tensor of `dims` elements in each dimension, copied in boxes of `box_dims` elements.
    pub fn tiled(dims: &[u64], box_dims: &[u32]) -> Self {
        Self::new(dims, Mode::Box(box_dims.into()))
    }

    /// Describes a tensor for im2col copies. `dims` are channels, the spatial dimensions (W, then H and D if the tensor has them)
    /// and images. A copy moves columns of `pixels` pixels with `channels` channels each. The bounding box of the pixels is the
    /// spatial extent, its lower corner moved by `lower` and its upper corner by `upper`.
    pub fn im2col(dims: &[u64], lower: &[i32], upper: &[i32], channels: u32, pixels: u32) -> Self {
        Self::new(dims, Mode::Im2col { lower: lower.into(), upper: upper.into(), channels, pixels })
    }

    fn new(dims: &[u64], mode: Mode) -> Self {
        Self {
            dims: dims.into(),
            mode,
            element_type: None,
            strides: None,
            element_strides: vec![1; dims.len()],
            interleave: CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle: CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
            l2_promotion: CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            oob_fill: CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        }
    }

    /// Sets the box.
    pub(crate) fn boxes(&self, box_dims: &[u32]) -> Self {
        Self { mode: Mode::Box(box_dims.into()), ..self.clone() }
    }

    settings! {
        /// Sets an element type of the same size as the memory's elements, such as `CU_TENSOR_MAP_DATA_TYPE_FLOAT16` for `u16`.
        element_type: CUtensorMapDataType => Some(element_type);
        /// Sets the strides in bytes of all dimensions but the innermost. The default is a packed tensor.
        strides: &[u64] => Some(strides.into());
        /// Makes copies take every n-th element of each dimension. The default is 1, and the typed layer of `ptx` requires 1.
        element_strides: &[u32] => element_strides.into();
        /// Sets the interleaved layout. The default is none, and the typed layer of `ptx` requires none.
        interleave: CUtensorMapInterleave => interleave;
        /// Sets the swizzle. The default is none. The typed layer of `ptx` requires none, or a span equal to a row of the box.
        swizzle: CUtensorMapSwizzle => swizzle;
        /// Sets the granularity of fetches into the L2 cache. The default is no promotion.
        l2_promotion: CUtensorMapL2promotion => l2_promotion;
        /// Sets the value of elements outside the tensor. The default is zero.
        oob_fill: CUtensorMapFloatOOBfill => oob_fill;
    }

    /// Encodes the map of the tensor that starts at `memory` (`cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`), a slice or view
    /// of `cudarc`. The map does not borrow the memory.
    ///
    /// # Errors
    ///
    /// [`Error::TensorMap`] names the first rule that a parameter breaks; [`Error::Cuda`] if the driver still refuses the map.
    pub fn encode<T: TensorElement>(&self, memory: &impl DevicePtr<T>) -> Result<TensorMap> {
        // The address alone is wanted: this is no use of the memory.
        let (address, guard) = memory.device_ptr(memory.stream());
        std::mem::forget(guard);
        self.encode_at::<T>(memory.stream().context(), address, memory.len())
    }

    /// Encodes the map of the tensor at `address`, in memory of `len` elements.
    pub(crate) fn encode_at<T: TensorElement>(
        &self,
        context: &CudaContext,
        address: u64,
        len: usize,
    ) -> Result<TensorMap> {
        let element_type = self.element_type.unwrap_or(T::TYPE);
        let major = attribute_of(context, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let strides = self
            .check(size_of::<T>(), element_type, Memory { address, len, major })
            .map_err(|problem| Error::TensorMap { problem })?;
        check(context.bind_to_thread(), || "encoding a tensor map".into())?;
        let (rank, address) = (self.dims.len() as u32, address as *mut std::ffi::c_void);
        let (dims, strides, steps) = (self.dims.as_ptr(), strides.as_ptr(), self.element_strides.as_ptr());
        let mut map = TensorMap { opaque: [0; 16] };
        let to = (&raw mut map).cast::<CUtensorMap>();
        // SAFETY: `check` has compared the lengths of the arrays with the rank: `rank` dimensions, box dimensions and element
        // strides, `rank - 1` strides, `rank - 2` corners. The driver writes the 128 bytes of `map` and reads no device memory.
        #[rustfmt::skip]
        let result = unsafe {
            match &self.mode {
                Mode::Box(sizes) => sys::cuTensorMapEncodeTiled(
                    to, element_type, rank, address, dims, strides, sizes.as_ptr(), steps,
                    self.interleave, self.swizzle, self.l2_promotion, self.oob_fill,
                ),
                Mode::Im2col { lower, upper, channels, pixels } => sys::cuTensorMapEncodeIm2col(
                    to, element_type, rank, address, dims, strides, lower.as_ptr(), upper.as_ptr(), *channels, *pixels, steps,
                    self.interleave, self.swizzle, self.l2_promotion, self.oob_fill,
                ),
            }
        };
        check(result.result(), || format!("encoding a tensor map of {:?} {element_type:?}", self.dims))?;
        Ok(map)
    }

    /// Checks that the swizzle spans a row of the box of `row` bytes, in units of 16 bytes, as the typed layer of `ptx` requires.
    pub(crate) fn check_swizzle(&self, row: usize) -> Result<(), String> {
        use CUtensorMapSwizzle::*;
        let swizzle = self.swizzle;
        let of_16_bytes = matches!(
            swizzle,
            CU_TENSOR_MAP_SWIZZLE_NONE
                | CU_TENSOR_MAP_SWIZZLE_32B
                | CU_TENSOR_MAP_SWIZZLE_64B
                | CU_TENSOR_MAP_SWIZZLE_128B
        );
        rule!(
            of_16_bytes,
            "has the swizzle {swizzle:?}; a typed launch takes none, or one of 32, 64 or 128 bytes by units of 16"
        );
        rule!(
            [usize::MAX, row].contains(&span(swizzle)),
            "has the swizzle {swizzle:?}, but a row of the kernel's box has {row} bytes: the span of the swizzle must be a row"
        );
        Ok(())
    }

    /// Checks that no two elements of a written tensor share memory, and that the last 16 bytes of each row are in its `len`
    /// elements of `size` bytes: a copy writes rows by 16 bytes.
    pub(crate) fn check_written(&self, size: u64, len: usize) -> Result<(), String> {
        let row = self.dims[0] * size;
        let (mut inner, mut end) = (row, u128::from(row.next_multiple_of(16)));
        for (stride, dim) in self.strides_in_bytes(size)?.into_iter().zip(&self.dims[1..]) {
            rule!(
                stride >= inner,
                "is written, and its stride of {stride} bytes is less than the {inner} bytes of what repeats by it: elements \
                 share memory"
            );
            inner = stride.saturating_mul(*dim);
            end += u128::from(stride) * u128::from(dim - 1);
        }
        let bytes = len as u128 * u128::from(size);
        rule!(
            end <= bytes,
            "is written by 16 bytes, up to byte {end}, but its memory has {bytes} bytes: allocate the rest of the last row"
        );
        Ok(())
    }

    /// Returns the strides in bytes: those that were set, or those of a packed tensor.
    fn strides_in_bytes(&self, size: u64) -> Result<Vec<u64>, String> {
        match &self.strides {
            Some(strides) => Ok(strides.clone()),
            None => packed(&self.dims, size).ok_or("the tensor is larger than the address space".into()),
        }
    }

    /// Checks every rule of the driver's documentation, and returns the strides.
    fn check(&self, size: usize, of: CUtensorMapDataType, memory: Memory) -> Result<Vec<u64>, String> {
        use CUtensorMapDataType::*;
        let (rank, address) = (self.dims.len(), memory.address);
        rule!(
            memory.major >= 9,
            "tensor maps need compute capability 9.0 or higher, which this device lacks"
        );
        rule!((1..=5).contains(&rank), "a tensor has 1 to 5 dimensions, not {rank}");
        let Some(bytes) = bytes_of(of) else {
            return Err(format!("{of:?} is packed: memory of Rust's types has no such elements"));
        };
        rule!(
            bytes == size,
            "an element of {of:?} has {bytes} bytes, but an element of the memory has {size}"
        );
        let is_float = !matches!(
            of,
            CU_TENSOR_MAP_DATA_TYPE_UINT8
                | CU_TENSOR_MAP_DATA_TYPE_UINT16
                | CU_TENSOR_MAP_DATA_TYPE_UINT32
                | CU_TENSOR_MAP_DATA_TYPE_INT32
                | CU_TENSOR_MAP_DATA_TYPE_UINT64
                | CU_TENSOR_MAP_DATA_TYPE_INT64
        );
        let with_nan = self.oob_fill != CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
        rule!(is_float || !with_nan, "elements of {of:?} cannot be filled with NaN");
        check_each("dimensions of the tensor", &self.dims, rank, 1..=1 << 31)?;
        check_each("element strides", &self.element_strides, rank, 1..=8)?;
        let by_32 = self.interleave == CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_32B;
        let interleaved = self.interleave != CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE;
        let swizzled_by_32 = self.swizzle == CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B;
        let unit = if by_32 { 32 } else { 16 };
        rule!(
            address.is_multiple_of(unit),
            "the tensor's address, {address:#x}, is not a multiple of {unit}"
        );
        rule!(!interleaved || rank >= 3, "an interleaved tensor has 3 to 5 dimensions, not {rank}");
        rule!(!by_32 || swizzled_by_32, "an interleave of 32 bytes needs the swizzle of 32 bytes");
        let row = size * self.check_mode()? as usize;
        if !interleaved {
            let span = span(self.swizzle);
            rule!(row.is_multiple_of(16), "a row of the box has {row} bytes, which is not a multiple of 16");
            rule!(row <= span, "a row of the box has {row} bytes, more than the swizzle span of {span}");
        }
        self.check_strides(size as u64, unit, memory.len as u128 * size as u128)
    }

    /// Checks the box or the pixels, and returns the elements of a row.
    fn check_mode(&self) -> Result<u32, String> {
        let rank = self.dims.len();
        match &self.mode {
            Mode::Box(box_dims) => {
                check_each("dimensions of the box", box_dims, rank, 1..=256)?;
                Ok(box_dims[0])
            }
            Mode::Im2col { lower, upper, channels, pixels } => {
                rule!(rank >= 3, "im2col needs a tensor of 3 to 5 dimensions, not {rank}");
                let limit = [1 << 15, 1 << 7, 1 << 4][rank - 3];
                check_each("lower corners of the pixels", lower, rank - 2, -limit..=limit - 1)?;
                check_each("upper corners of the pixels", upper, rank - 2, -limit..=limit - 1)?;
                check_each("channels", &[*channels], 1, 1..=256)?;
                check_each("pixels", &[*pixels], 1, 1..=1024)?;
                for ((&dim, &lower), &upper) in self.dims[1..].iter().zip(lower).zip(upper) {
                    let is_empty = dim as i64 + i64::from(upper) <= i64::from(lower);
                    rule!(!is_empty, "the bounding box of the pixels is empty: {lower} to {dim} + {upper}");
                }
                Ok(*channels)
            }
        }
    }

    /// Checks the strides for elements of `size` bytes in memory of `available` bytes, and returns them.
    fn check_strides(&self, size: u64, unit: u64, available: u128) -> Result<Vec<u64>, String> {
        let strides = self.strides_in_bytes(size)?;
        check_each("strides in bytes", &strides, self.dims.len() - 1, 1..=(1 << 40) - 1)?;
        let row = self.dims[0] * size;
        let mut bytes = u128::from(row);
        for (stride, dim) in strides.iter().zip(&self.dims[1..]) {
            rule!(
                stride.is_multiple_of(unit),
                "a stride of {stride} bytes is not a multiple of {unit}: pad the rows"
            );
            rule!(*stride >= row, "a stride of {stride} bytes is less than a row of {row} bytes");
            bytes += u128::from(dim - 1) * u128::from(*stride);
        }
        rule!(bytes <= available, "the tensor has {bytes} bytes, but the memory has {available}");
        Ok(strides)
    }
}

/// The memory of a tensor, its length in elements, and the major compute capability of its device.
#[derive(Clone, Copy)]
struct Memory {
    address: u64,
    len: usize,
    major: u32,
}

fn check_each<N: Copy + PartialOrd + fmt::Display>(
    what: &str,
    values: &[N],
    count: usize,
    range: RangeInclusive<N>,
) -> Result<(), String> {
    rule!(values.len() == count, "{what}: {} given, {count} needed", values.len());
    let outside = values.iter().find(|value| !range.contains(value));
    outside
        .map_or(Ok(()), |value| Err(format!("{what}: {value} is not in {}..={}", range.start(), range.end())))
}

/// Returns the strides of a tensor without gaps, or `None` on overflow.
fn packed(dims: &[u64], size: u64) -> Option<Vec<u64>> {
    let mut stride = size;
    let mut next = |&dim: &u64| {
        stride = stride.checked_mul(dim)?;
        Some(stride)
    };
    dims[..dims.len() - 1].iter().map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CUtensorMapDataType::{
            CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B as U4, CU_TENSOR_MAP_DATA_TYPE_FLOAT16 as F16,
            CU_TENSOR_MAP_DATA_TYPE_FLOAT32 as F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64 as F64,
            CU_TENSOR_MAP_DATA_TYPE_UINT32 as U32,
        },
        CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA as NAN,
        CUtensorMapInterleave::{CU_TENSOR_MAP_INTERLEAVE_16B as I16, CU_TENSOR_MAP_INTERLEAVE_32B as I32},
        CUtensorMapSwizzle::{
            CU_TENSOR_MAP_SWIZZLE_32B as S32, CU_TENSOR_MAP_SWIZZLE_64B as S64,
            CU_TENSOR_MAP_SWIZZLE_128B as S128,
        },
    };

    const KIB: u64 = 1 << 10;
    const MEMORY: Memory = Memory { address: 256, len: 1 << 20, major: 9 };

    fn check_in(memory: Memory, builder: &TensorMapBuilder) -> Result<Vec<u64>, String> {
        builder.check(4, builder.element_type.unwrap_or(F32), memory)
    }

    #[test]
    fn strides_are_packed_or_given() {
        let strides = |builder: TensorMapBuilder| check_in(MEMORY, &builder).unwrap();
        assert_eq!(strides(TensorMapBuilder::tiled(&[64], &[64])), [0; 0]);
        assert_eq!(strides(TensorMapBuilder::tiled(&[64, 5, 3], &[64, 2, 1])), [256, 1280]);
        assert_eq!(strides(TensorMapBuilder::tiled(&[60, 5], &[64, 2]).strides(&[KIB])), [KIB]);
        // The order of the dimensions is free.
        assert_eq!(strides(TensorMapBuilder::tiled(&[64, 5, 3], &[64; 3]).strides(&[768, 256])), [768, 256]);
        let pixels = TensorMapBuilder::im2col(&[64, 8, 8, 2], &[-1, -1], &[1, 1], 64, 128);
        assert_eq!(strides(pixels), [256, 2048, 16384]);
    }

    #[test]
    fn each_wrong_map_has_its_message() {
        let tiled = TensorMapBuilder::tiled;
        let im2col = TensorMapBuilder::im2col;
        let matrix = || tiled(&[64, 8], &[64, 8]);
        let cube = || tiled(&[8, 8, 8], &[8, 8, 8]);
        let interleaved = || cube().interleave(I32).swizzle(S32);
        let images = |lower: &[i32], upper: &[i32], channels, pixels| {
            TensorMapBuilder::im2col(&[64, 8, 8, 2], lower, upper, channels, pixels)
        };
        let cases = [
            (tiled(&[], &[]), "a tensor has 1 to 5 dimensions, not 0"),
            (tiled(&[4; 6], &[4; 6]), "a tensor has 1 to 5 dimensions, not 6"),
            (tiled(&[64, 0], &[64, 1]), "dimensions of the tensor: 0 is not in 1..=2147483648"),
            (tiled(&[64, (1 << 31) + 1], &[64, 1]), "dimensions of the tensor: 2147483649 is not in 1..=214"),
            (tiled(&[64, 8], &[64]), "dimensions of the box: 1 given, 2 needed"),
            (tiled(&[512, 8], &[512, 8]), "dimensions of the box: 512 is not in 1..=256"),
            (tiled(&[512, 8], &[64, 0]), "dimensions of the box: 0 is not in 1..=256"),
            (tiled(&[64, 8], &[3, 8]), "a row of the box has 12 bytes, which is not a multiple of 16"),
            (tiled(&[63, 8], &[64, 8]), "a stride of 252 bytes is not a multiple of 16: pad the rows"),
            (matrix().strides(&[240]), "a stride of 240 bytes is less than a row of 256 bytes"),
            (matrix().strides(&[0]), "strides in bytes: 0 is not in 1..=1099511627775"),
            (matrix().strides(&[256, 256]), "strides in bytes: 2 given, 1 needed"),
            (matrix().strides(&[1 << 40]), "strides in bytes: 1099511627776 is not in 1..=1099511627775"),
            (matrix().element_strides(&[1, 9]), "element strides: 9 is not in 1..=8"),
            (matrix().element_strides(&[0, 1]), "element strides: 0 is not in 1..=8"),
            (matrix().element_strides(&[1]), "element strides: 1 given, 2 needed"),
            (matrix().swizzle(S128), "a row of the box has 256 bytes, more than the swizzle span of 128"),
            (cube().swizzle(S32).element_type(F64), "an element of CU_TENSOR_MAP_DATA_TYPE_FLOAT64 has 8 by"),
            (tiled(&[64, 8], &[32, 8]).swizzle(S64), "a row of the box has 128 bytes, more than the swizzle"),
            (tiled(&[64, 8], &[8, 8]).interleave(I16), "an interleaved tensor has 3 to 5 dimensions, not 2"),
            (cube().interleave(I32), "an interleave of 32 bytes needs the swizzle of 32 bytes"),
            (interleaved().strides(&[48, 384]), "a stride of 48 bytes is not a multiple of 32: pad the rows"),
            (matrix().element_type(U32).oob_fill(NAN), "elements of CU_TENSOR_MAP_DATA_TYPE_UINT32 cannot b"),
            (matrix().element_type(F16), "an element of CU_TENSOR_MAP_DATA_TYPE_FLOAT16 has 2 bytes, but an"),
            (matrix().element_type(U4), "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B is packed: memory of Rust's t"),
            (tiled(&[KIB, KIB + 1], &[64, 8]), "the tensor has 4198400 bytes, but the memory has 4194304"),
            (tiled(&[1 << 31; 3], &[64, 8, 1]), "the tensor is larger than the address space"),
            (im2col(&[64, 8], &[], &[], 64, 128), "im2col needs a tensor of 3 to 5 dimensions, not 2"),
            (images(&[-1, -129], &[1, 1], 64, 128), "lower corners of the pixels: -129 is not in -128..=127"),
            (images(&[-1, -1], &[1, 128], 64, 128), "upper corners of the pixels: 128 is not in -128..=127"),
            (im2col(&[64, 8, 8, 8, 2], &[-17; 3], &[1; 3], 64, 128), "lower corners of the pixels: -17 is n"),
            (images(&[-1], &[1, 1], 64, 128), "lower corners of the pixels: 1 given, 2 needed"),
            (images(&[0, 4], &[0, -4], 64, 128), "the bounding box of the pixels is empty: 4 to 8 + -4"),
            (images(&[-1, -1], &[1, 1], 257, 128), "channels: 257 is not in 1..=256"),
            (images(&[-1, -1], &[1, 1], 2, 128), "a row of the box has 8 bytes, which is not a multiple of"),
            (images(&[-1, -1], &[1, 1], 64, 0), "pixels: 0 is not in 1..=1024"),
            (images(&[-1, -1], &[1, 1], 64, 1025), "pixels: 1025 is not in 1..=1024"),
        ];
        for (builder, message) in cases {
            let shown = check_in(MEMORY, &builder).expect_err(message);
            assert!(shown.starts_with(message), "{shown}\nwanted: {message}");
        }
        let at = |address, builder| check_in(Memory { address, ..MEMORY }, &builder);
        assert_eq!(at(8, cube()).unwrap_err(), "the tensor's address, 0x8, is not a multiple of 16");
        assert!(at(16, interleaved()).unwrap_err().ends_with("0x10, is not a multiple of 32"));
        assert!(at(16, cube()).is_ok() && at(32, interleaved()).is_ok());
        let old = check_in(Memory { major: 8, ..MEMORY }, &cube()).unwrap_err();
        assert!(old.starts_with("tensor maps need compute capability 9.0"));
    }

    #[test]
    fn a_map_is_the_drivers() {
        assert_eq!(size_of::<TensorMap>(), size_of::<CUtensorMap>());
        assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 64));
    }
}
