//! Tensor maps (`CUtensorMap`): descriptors of tensors in global memory, which the tensor copies (TMA) of a kernel read.

use std::fmt;
use std::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};
use cudarc::driver::sys::{self, CUtensorMap, CUtensorMapDataType as DataType};

use crate::error::check;
use crate::{DeviceSlice, Error, Result};

/// A tensor map (`CUtensorMap`): 128 opaque bytes. Copy it to a [`DeviceBuffer`](crate::DeviceBuffer) and pass its address.
#[repr(C, align(64))]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    opaque: [u64; 16],
}

// SAFETY: any bits are a value, and so are zeros.
unsafe impl Zeroable for TensorMap {}
// SAFETY: an array of `u64`, 128 bytes, aligned to 64: no padding, and any bits are a value.
unsafe impl Pod for TensorMap {}

impl fmt::Debug for TensorMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TensorMap(..)")
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that a tensor can have as elements.
pub trait TensorElement: Pod + sealed::Sealed {
    /// The element type of the map.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($T:ty: $Type:ident,)*) => { $(
        impl sealed::Sealed for $T {}
        impl TensorElement for $T {
            const TYPE: ElementType = ElementType::$Type;
        }
    )* };
}
elements! {
    u8: U8, i8: U8, u16: U16, i16: U16, u32: U32, i32: S32, u64: U64, i64: S64, f32: F32, f64: F64,
}

/// The element type of a tensor map (`CUtensorMapDataType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// 8-bit integers.
    U8,
    /// 16-bit integers.
    U16,
    /// Unsigned 32-bit integers.
    U32,
    /// Signed 32-bit integers.
    S32,
    /// Unsigned 64-bit integers.
    U64,
    /// Signed 64-bit integers.
    S64,
    /// Half precision (`f16`).
    F16,
    /// `bfloat16`.
    Bf16,
    /// Single precision.
    F32,
    /// Single precision; subnormal numbers are flushed to zero.
    F32Ftz,
    /// Single precision; values are rounded to TF32.
    Tf32,
    /// Single precision; values are rounded to TF32, and subnormal numbers are flushed to zero.
    Tf32Ftz,
    /// Double precision.
    F64,
}

impl ElementType {
    /// Returns the bytes of an element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::S32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    const fn is_float(self) -> bool {
        !matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::S32 | Self::U64 | Self::S64)
    }

    const fn raw(self) -> DataType {
        match self {
            Self::U8 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT8,
            Self::U16 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            Self::U32 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            Self::S32 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
            Self::U64 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT64,
            Self::S64 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT64,
            Self::F16 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Self::Bf16 => DataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Self::F32 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            Self::F32Ftz => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
            Self::Tf32 => DataType::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            Self::Tf32Ftz => DataType::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
            Self::F64 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        }
    }
}

macro_rules! settings {
    ($( $(#[$doc:meta])* $Name:ident: $Raw:ident { $( $(#[$value_doc:meta])* $Value:ident = $raw:ident; )* } )*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $Name {
            $( $(#[$value_doc])* $Value, )*
        }

        impl $Name {
            const fn raw(self) -> sys::$Raw {
                match self { $( Self::$Value => sys::$Raw::$raw, )* }
            }
        }
    )* };
}

settings! {
    /// Interleaved layout of the tensor (`CUtensorMapInterleave`). The typed layer of `ptx` requires `None`.
    Interleave: CUtensorMapInterleave {
        /// Not interleaved.
        #[default]
        None = CU_TENSOR_MAP_INTERLEAVE_NONE;
        /// Slices of 16 bytes.
        B16 = CU_TENSOR_MAP_INTERLEAVE_16B;
        /// Slices of 32 bytes.
        B32 = CU_TENSOR_MAP_INTERLEAVE_32B;
    }
    /// Permutation of 16-byte units in shared memory (`CUtensorMapSwizzle`). The typed layer of `ptx` requires `None`, or a span
    /// equal to a row of the box.
    Swizzle: CUtensorMapSwizzle {
        /// No permutation.
        #[default]
        None = CU_TENSOR_MAP_SWIZZLE_NONE;
        /// Within 32 bytes.
        B32 = CU_TENSOR_MAP_SWIZZLE_32B;
        /// Within 64 bytes.
        B64 = CU_TENSOR_MAP_SWIZZLE_64B;
        /// Within 128 bytes.
        B128 = CU_TENSOR_MAP_SWIZZLE_128B;
    }
    /// Granularity of fetches into the L2 cache (`CUtensorMapL2promotion`).
    L2Promotion: CUtensorMapL2promotion {
        /// No promotion.
        #[default]
        None = CU_TENSOR_MAP_L2_PROMOTION_NONE;
        /// At least 64 bytes.
        B64 = CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
        /// At least 128 bytes.
        B128 = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
        /// At least 256 bytes.
        B256 = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    }
    /// Value of elements outside the tensor (`CUtensorMapFloatOOBfill`).
    OobFill: CUtensorMapFloatOOBfill {
        /// Zeros.
        #[default]
        Zero = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
        /// A NaN that counts as zero in a fused multiply-add.
        Nan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    }
}

impl Swizzle {
    const fn bytes(self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            Self::B128 => Some(128),
        }
    }
}

/// What one copy moves.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mode {
    Box(Vec<u32>),
    Im2col { lower: Vec<i32>, upper: Vec<i32>, channels: u32, pixels: u32 },
}

/// Builds a [`TensorMap`]. In every list the innermost dimension, which is contiguous, comes first.
///
/// ```no_run
/// use ptx_host::{Device, DeviceBuffer, TensorMapBuilder};
///
/// # fn main() -> ptx_host::Result<()> {
/// let device = Device::open(0)?;
/// let matrix = DeviceBuffer::from_slice(&device, &[0.0f32; 640 * 480])?;
/// // 480 rows of 640 elements, copied in boxes of 64 by 32: `ptx::tensor::Box2<64, 32>`.
/// let map = TensorMapBuilder::tiled(&[640, 480], &[64, 32]).encode(matrix.as_slice())?;
/// let maps = DeviceBuffer::from_slice(&device, &[map])?;
/// let _argument_of_a_kernel = maps.as_slice().as_ptr();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder makes no map until `encode` is called"]
pub struct TensorMapBuilder {
    dims: Vec<u64>,
    mode: Mode,
    element_type: Option<ElementType>,
    strides: Option<Vec<u64>>,
    element_strides: Vec<u32>,
    interleave: Interleave,
    swizzle: Swizzle,
    l2_promotion: L2Promotion,
    oob_fill: OobFill,
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
            interleave: Interleave::default(),
            swizzle: Swizzle::default(),
            l2_promotion: L2Promotion::default(),
            oob_fill: OobFill::default(),
        }
    }

    /// Sets an element type of the same size as the memory's elements, such as [`ElementType::F16`] for `u16`.
    pub fn element_type(mut self, element_type: ElementType) -> Self {
        self.element_type = Some(element_type);
        self
    }

    /// Sets the strides in bytes of all dimensions but the innermost. The default is a packed tensor.
    pub fn strides(mut self, bytes: &[u64]) -> Self {
        self.strides = Some(bytes.into());
        self
    }

    /// Makes copies take every n-th element of each dimension. The default is 1, and the typed layer of `ptx` requires 1.
    pub fn element_strides(mut self, strides: &[u32]) -> Self {
        self.element_strides = strides.into();
        self
    }

    /// Sets the interleaved layout. The default is none.
    pub fn interleave(mut self, interleave: Interleave) -> Self {
        self.interleave = interleave;
        self
    }

    /// Sets the swizzle. The default is none.
    pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
        self.swizzle = swizzle;
        self
    }

    /// Sets the granularity of fetches into the L2 cache. The default is no promotion.
    pub fn l2_promotion(mut self, promotion: L2Promotion) -> Self {
        self.l2_promotion = promotion;
        self
    }

    /// Sets the value of elements outside the tensor. The default is zero.
    pub fn oob_fill(mut self, fill: OobFill) -> Self {
        self.oob_fill = fill;
        self
    }

    /// Encodes the map of the tensor that starts at `memory` (`cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`).
    ///
    /// # Errors
    ///
    /// [`Error::TensorMap`] names the first parameter that is out of range; [`Error::Cuda`] if the driver still refuses the map.
    pub fn encode<T: TensorElement>(&self, memory: DeviceSlice<'_, T>) -> Result<TensorMap> {
        let element_type = self.element_type.unwrap_or(T::TYPE);
        let strides = self
            .check(T::TYPE.size(), element_type, memory.as_ptr().address(), memory.len())
            .map_err(|problem| Error::TensorMap { problem })?;
        memory.device().bind()?;
        let rank = self.dims.len() as u32;
        let address = memory.as_ptr().address() as *mut std::ffi::c_void;
        let mut map = MaybeUninit::<CUtensorMap>::zeroed();
        // SAFETY: `check` has compared the lengths of the arrays with the rank: `rank` dimensions, box dimensions and element
        // strides, `rank - 1` strides, `rank - 2` corners. The driver writes 128 bytes to `map` and reads no device memory.
        let result = unsafe {
            match &self.mode {
                Mode::Box(box_dims) => sys::cuTensorMapEncodeTiled(
                    map.as_mut_ptr(),
                    element_type.raw(),
                    rank,
                    address,
                    self.dims.as_ptr(),
                    strides.as_ptr(),
                    box_dims.as_ptr(),
                    self.element_strides.as_ptr(),
                    self.interleave.raw(),
                    self.swizzle.raw(),
                    self.l2_promotion.raw(),
                    self.oob_fill.raw(),
                ),
                Mode::Im2col { lower, upper, channels, pixels } => sys::cuTensorMapEncodeIm2col(
                    map.as_mut_ptr(),
                    element_type.raw(),
                    rank,
                    address,
                    self.dims.as_ptr(),
                    strides.as_ptr(),
                    lower.as_ptr(),
                    upper.as_ptr(),
                    *channels,
                    *pixels,
                    self.element_strides.as_ptr(),
                    self.interleave.raw(),
                    self.swizzle.raw(),
                    self.l2_promotion.raw(),
                    self.oob_fill.raw(),
                ),
            }
        };
        check(result, || format!("encoding a tensor map of {:?} {element_type:?}", self.dims))?;
        // SAFETY: `map` was zeroed and then written by the driver; any bits are a value.
        Ok(TensorMap { opaque: unsafe { map.assume_init() }.opaque })
    }

    /// Checks every parameter that needs no driver, and returns the strides.
    fn check(
        &self,
        size: usize,
        element_type: ElementType,
        address: u64,
        len: usize,
    ) -> Result<Vec<u64>, String> {
        let rank = self.dims.len();
        if !(1..=5).contains(&rank) {
            return Err(format!("a tensor has 1 to 5 dimensions, not {rank}"));
        }
        if element_type.size() != size {
            return Err(format!(
                "an element of type {element_type:?} has {} bytes, but an element of the memory has {size}",
                element_type.size()
            ));
        }
        check_each("dimensions of the tensor", &self.dims, rank, 1..=1 << 32)?;
        check_each("element strides", &self.element_strides, rank, 1..=8)?;
        let unit = if self.interleave == Interleave::B32 { 32 } else { 16 };
        if !address.is_multiple_of(unit) {
            return Err(format!("the tensor's address, {address:#x}, is not a multiple of {unit}"));
        }
        self.check_layout(element_type)?;
        match &self.mode {
            Mode::Box(box_dims) => {
                check_each("dimensions of the box", box_dims, rank, 1..=256)?;
                self.check_row(box_dims[0] as usize * size)?;
            }
            Mode::Im2col { lower, upper, channels, pixels } => {
                if rank < 3 {
                    return Err(format!("im2col needs a tensor of 3 to 5 dimensions, not {rank}"));
                }
                let limit = [1 << 15, 1 << 7, 1 << 4][rank - 3];
                check_each("lower corners of the pixels", lower, rank - 2, -limit..=limit - 1)?;
                check_each("upper corners of the pixels", upper, rank - 2, -limit..=limit - 1)?;
                check_each("channels", &[*channels], 1, 1..=256)?;
                check_each("pixels", &[*pixels], 1, 1..=1024)?;
                self.check_row(*channels as usize * size)?;
            }
        }
        let strides = match &self.strides {
            Some(strides) => strides.clone(),
            None => packed(&self.dims, size as u64).ok_or("the tensor is larger than the address space")?,
        };
        check_each("strides in bytes", &strides, rank - 1, 1..=(1 << 40) - 1)?;
        if let Some(stride) = strides.iter().find(|stride| !stride.is_multiple_of(unit)) {
            return Err(format!("a stride of {stride} bytes is not a multiple of {unit}: pad the rows"));
        }
        // A stride is below 2^40 and a dimension at most 2^32, so the sum does not overflow.
        let steps = self.dims[1..]
            .iter()
            .zip(&strides)
            .map(|(dim, stride)| u128::from(dim - 1) * u128::from(*stride));
        let bytes = steps.sum::<u128>() + u128::from(self.dims[0]) * size as u128;
        if bytes > len as u128 * size as u128 {
            return Err(format!(
                "the tensor has {bytes} bytes, but the memory has {}",
                len as u128 * size as u128
            ));
        }
        Ok(strides)
    }

    fn check_layout(&self, element_type: ElementType) -> Result<(), String> {
        if self.interleave != Interleave::None && self.dims.len() < 3 {
            return Err(format!("an interleaved tensor has 3 to 5 dimensions, not {}", self.dims.len()));
        }
        if self.interleave == Interleave::B32 && self.swizzle != Swizzle::B32 {
            return Err("an interleave of 32 bytes needs the swizzle of 32 bytes".into());
        }
        if self.oob_fill == OobFill::Nan && !element_type.is_float() {
            return Err(format!("elements of {element_type:?} cannot be filled with NaN"));
        }
        Ok(())
    }

    /// Checks the size of a row: the innermost dimension of the box, or the channels of an im2col copy.
    fn check_row(&self, bytes: usize) -> Result<(), String> {
        if self.interleave != Interleave::None {
            return Ok(());
        }
        if !bytes.is_multiple_of(16) {
            return Err(format!("a row of the box has {bytes} bytes, which is not a multiple of 16"));
        }
        match self.swizzle.bytes() {
            Some(span) if bytes > span => {
                Err(format!("a row of the box has {bytes} bytes, more than the swizzle span of {span}"))
            }
            _ => Ok(()),
        }
    }
}

fn check_each<N: Copy + PartialOrd + fmt::Display>(
    what: &str,
    values: &[N],
    count: usize,
    range: std::ops::RangeInclusive<N>,
) -> Result<(), String> {
    if values.len() != count {
        return Err(format!("{what}: {} given, {count} needed", values.len()));
    }
    match values.iter().find(|value| !range.contains(value)) {
        None => Ok(()),
        Some(value) => Err(format!("{what}: {value} is not in {}..={}", range.start(), range.end())),
    }
}

/// Returns the strides of a tensor without gaps, or `None` on overflow.
fn packed(dims: &[u64], size: u64) -> Option<Vec<u64>> {
    let mut stride = size;
    dims[..dims.len() - 1]
        .iter()
        .map(|&dim| {
            stride = stride.checked_mul(dim)?;
            Some(stride)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;

    fn problem(builder: TensorMapBuilder) -> String {
        builder.check(4, builder.element_type.unwrap_or(ElementType::F32), 0, 1 << 20).unwrap_err()
    }

    fn strides(builder: &TensorMapBuilder) -> Vec<u64> {
        builder.check(4, ElementType::F32, 256, 1 << 20).unwrap()
    }

    #[test]
    fn strides_are_packed_or_given() {
        assert_eq!(strides(&TensorMapBuilder::tiled(&[64], &[64])), [0; 0]);
        assert_eq!(strides(&TensorMapBuilder::tiled(&[64, 5, 3], &[64, 2, 1])), [256, 1280]);
        assert_eq!(strides(&TensorMapBuilder::tiled(&[60, 5], &[64, 2]).strides(&[KIB])), [KIB]);
        let pixels = TensorMapBuilder::im2col(&[64, 8, 8, 2], &[-1, -1], &[1, 1], 64, 128);
        assert_eq!(strides(&pixels), [256, 2048, 16384]);
    }

    #[test]
    fn each_mistake_has_its_message() {
        let tiled = TensorMapBuilder::tiled;
        let cases = [
            (tiled(&[], &[]), "a tensor has 1 to 5 dimensions, not 0"),
            (tiled(&[4; 6], &[4; 6]), "a tensor has 1 to 5 dimensions, not 6"),
            (tiled(&[64, 0], &[64, 1]), "dimensions of the tensor: 0 is not in 1..=4294967296"),
            (tiled(&[64, 8], &[64]), "dimensions of the box: 1 given, 2 needed"),
            (tiled(&[512, 8], &[512, 8]), "dimensions of the box: 512 is not in 1..=256"),
            (tiled(&[64, 8], &[3, 8]), "a row of the box has 12 bytes, which is not a multiple of 16"),
            (tiled(&[63, 8], &[64, 8]), "a stride of 252 bytes is not a multiple of 16: pad the rows"),
            (tiled(&[64, 8], &[64, 8]).strides(&[256, 256]), "strides in bytes: 2 given, 1 needed"),
            (
                tiled(&[64, 8], &[64, 8]).strides(&[1 << 40]),
                "strides in bytes: 1099511627776 is not in 1..=1099511627775",
            ),
            (tiled(&[64, 8], &[64, 8]).element_strides(&[1, 9]), "element strides: 9 is not in 1..=8"),
            (
                tiled(&[64, 8], &[64, 8]).swizzle(Swizzle::B128),
                "a row of the box has 256 bytes, more than the swizzle span of 128",
            ),
            (
                tiled(&[64, 8], &[8, 8]).interleave(Interleave::B16),
                "an interleaved tensor has 3 to 5 dimensions, not 2",
            ),
            (
                tiled(&[8, 8, 8], &[8, 8, 8]).interleave(Interleave::B32),
                "an interleave of 32 bytes needs the swizzle of 32 bytes",
            ),
            (
                tiled(&[64, 8], &[64, 8]).element_type(ElementType::U32).oob_fill(OobFill::Nan),
                "elements of U32 cannot be filled with NaN",
            ),
            (
                tiled(&[64, 8], &[64, 8]).element_type(ElementType::F16),
                "an element of type F16 has 2 bytes, but an element of the memory has 4",
            ),
            (tiled(&[KIB, KIB + 1], &[64, 8]), "the tensor has 4198400 bytes, but the memory has 4194304"),
            (tiled(&[1 << 32, 1 << 32, 1 << 32], &[64, 8, 1]), "the tensor is larger than the address space"),
            (
                TensorMapBuilder::im2col(&[64, 8], &[], &[], 64, 128),
                "im2col needs a tensor of 3 to 5 dimensions, not 2",
            ),
            (
                TensorMapBuilder::im2col(&[64, 8, 8, 2], &[-1, -129], &[1, 1], 64, 128),
                "lower corners of the pixels: -129 is not in -128..=127",
            ),
            (
                TensorMapBuilder::im2col(&[64, 8, 8, 2], &[-1, -1], &[1, 1], 64, 1025),
                "pixels: 1025 is not in 1..=1024",
            ),
        ];
        for (builder, message) in cases {
            assert_eq!(problem(builder), message);
        }
    }

    #[test]
    fn an_address_is_a_multiple_of_16_or_32() {
        let tiled = TensorMapBuilder::tiled(&[8, 8, 8], &[8, 8, 8]);
        tiled.check(4, ElementType::F32, 16, 1 << 10).unwrap();
        let problem = tiled.check(4, ElementType::F32, 8, 1 << 10).unwrap_err();
        assert_eq!(problem, "the tensor's address, 0x8, is not a multiple of 16");
        let interleaved = tiled.interleave(Interleave::B32).swizzle(Swizzle::B32);
        assert!(interleaved.check(4, ElementType::F32, 16, 1 << 10).is_err());
        interleaved.check(4, ElementType::F32, 32, 1 << 10).unwrap();
    }

    #[test]
    fn a_map_is_the_drivers() {
        assert_eq!(size_of::<TensorMap>(), size_of::<CUtensorMap>());
        assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 64));
    }
}
