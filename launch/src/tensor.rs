//! Tensor maps (`CUtensorMap`): descriptors of tensors in global memory, which the tensor copies (TMA) of a kernel read. This
//! module has their parameters and rules. A backend encodes them.

use ptx::multimem::Fp8;
use std::fmt;
use std::ops::RangeInclusive;

use crate::Function;

macro_rules! enums {
    ($( $(#[$doc:meta])* $Enum:ident { $($VALUE:ident)* } )*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, non_camel_case_types, reason = "CUDA's names")]
        pub enum $Enum {
            $($VALUE),*
        }
    )* };
}
enums! {
    /// The type of a tensor's elements.
    CUtensorMapDataType {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 CU_TENSOR_MAP_DATA_TYPE_UINT16 CU_TENSOR_MAP_DATA_TYPE_UINT32
        CU_TENSOR_MAP_DATA_TYPE_INT32 CU_TENSOR_MAP_DATA_TYPE_UINT64 CU_TENSOR_MAP_DATA_TYPE_INT64
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32 CU_TENSOR_MAP_DATA_TYPE_FLOAT64
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B
        CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
    }
    /// The layout of channels in units of 16 or 32 bytes.
    CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE CU_TENSOR_MAP_INTERLEAVE_16B CU_TENSOR_MAP_INTERLEAVE_32B }
    /// The order of the units of a row in shared memory, which spreads the units of a column over the banks.
    CUtensorMapSwizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE CU_TENSOR_MAP_SWIZZLE_32B CU_TENSOR_MAP_SWIZZLE_64B CU_TENSOR_MAP_SWIZZLE_128B
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
    }
    /// The granularity of fetches into the L2 cache.
    CUtensorMapL2promotion {
        CU_TENSOR_MAP_L2_PROMOTION_NONE CU_TENSOR_MAP_L2_PROMOTION_L2_64B CU_TENSOR_MAP_L2_PROMOTION_L2_128B
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B
    }
    /// The value of elements outside the tensor: zero, or a NaN that a fused multiply-add takes as zero.
    CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that a tensor can have as elements.
pub trait TensorElement: sealed::Sealed {
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
    ptx::f16: CU_TENSOR_MAP_DATA_TYPE_FLOAT16, ptx::bf16: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
}

impl<F: ptx::qualifier::TypeTag> sealed::Sealed for Fp8<F> {}
impl<F: ptx::qualifier::TypeTag> TensorElement for Fp8<F> {
    const TYPE: CUtensorMapDataType = CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

/// Returns the bytes of an element, or `None` for the packed types, which no Rust type has.
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

/// Returns the maximum bytes of a row of the box with this swizzle.
fn span(swizzle: CUtensorMapSwizzle) -> usize {
    match swizzle {
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE => usize::MAX,
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B => 32,
        CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B => 64,
        _ => 128,
    }
}

/// Returns an error with the message unless the rule holds.
macro_rules! rule {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!($($message)+));
        }
    };
}

/// The elements that one copy moves.
#[derive(Debug, Clone)]
pub enum TensorMapMode {
    /// A box of this extent in each dimension.
    Tiled(Vec<u32>),
    /// Columns of pixels.
    Im2col {
        /// The lower corner of the bounding box, as an offset from the tensor's lower corner in each spatial dimension.
        lower: Vec<i32>,
        /// The upper corner of the bounding box, as an offset from the tensor's upper corner in each spatial dimension.
        upper: Vec<i32>,
        /// The channels of a pixel.
        channels: u32,
        /// The pixels of a column.
        pixels: u32,
    },
}

/// The rule that a parameter of a tensor map breaks, with the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TensorMapProblem(pub String);

/// The parameters of a tensor map, checked by [`TensorMapBuilder::check`]: the arguments of `cuTensorMapEncodeTiled` or
/// `cuTensorMapEncodeIm2col`. In every list the innermost dimension comes first.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TensorMapParameters<'m> {
    /// The address of the tensor.
    pub address: u64,
    /// The type of the elements.
    pub element_type: CUtensorMapDataType,
    /// The elements in each dimension: 1 to 5 dimensions.
    pub dims: &'m [u64],
    /// The strides in bytes of all dimensions but the innermost.
    pub strides: Vec<u64>,
    /// The elements that one copy moves, with an extent for each dimension, or two corners for each spatial dimension.
    pub mode: &'m TensorMapMode,
    /// The step n of each dimension: copies take every n-th element.
    pub element_strides: &'m [u32],
    /// The interleaved layout.
    pub interleave: CUtensorMapInterleave,
    /// The swizzle.
    pub swizzle: CUtensorMapSwizzle,
    /// The granularity of fetches into the L2 cache.
    pub l2_promotion: CUtensorMapL2promotion,
    /// The value of elements outside the tensor.
    pub oob_fill: CUtensorMapFloatOOBfill,
}

/// Memory of a backend that [`TensorMapBuilder::encode`] takes: for CUDA, a slice or view of `cudarc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory that a tensor map can describe",
    label = "not a `CudaSlice`, and no view of one"
)]
pub trait TensorMemory<F: Function, T> {
    /// Returns the queue, the address and the number of elements of the memory.
    fn place(&self) -> (&F::Queue, u64, usize);
}

/// Builds a tensor map. In every list the innermost dimension, which is contiguous, comes first.
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
    mode: TensorMapMode,
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
        Self::new(dims, TensorMapMode::Tiled(box_dims.into()))
    }

    /// Describes a tensor for im2col copies. `dims` are channels, the spatial dimensions (W, then H and D if the tensor has them)
    /// and images. A copy moves columns of `pixels` pixels with `channels` channels each. The bounding box of the pixels is the
    /// spatial extent, its lower corner moved by `lower` and its upper corner by `upper`.
    pub fn im2col(dims: &[u64], lower: &[i32], upper: &[i32], channels: u32, pixels: u32) -> Self {
        Self::new(dims, TensorMapMode::Im2col { lower: lower.into(), upper: upper.into(), channels, pixels })
    }

    fn new(dims: &[u64], mode: TensorMapMode) -> Self {
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
        Self { mode: TensorMapMode::Tiled(box_dims.into()), ..self.clone() }
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
        /// Sets the swizzle. The default is none. The typed layer of `ptx` requires the swizzle of the shape, whose span is a row
        /// of the box.
        swizzle: CUtensorMapSwizzle => swizzle;
        /// Sets the granularity of fetches into the L2 cache. The default is no promotion.
        l2_promotion: CUtensorMapL2promotion => l2_promotion;
        /// Sets the value of elements outside the tensor. The default is zero.
        oob_fill: CUtensorMapFloatOOBfill => oob_fill;
    }

    /// Encodes the map of the tensor that starts at `memory` (`cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`), a slice or
    /// view of `cudarc`. The map does not borrow the memory.
    ///
    /// # Errors
    ///
    /// A [`TensorMapProblem`] names the first rule that a parameter breaks (`ptx_host::Error::TensorMap`). If the backend still
    /// refuses the map, the error is its own (`ptx_host::Error::Cuda`).
    pub fn encode<T: TensorElement, F: Function>(
        &self,
        memory: &impl TensorMemory<F, T>,
    ) -> Result<F::TensorMap, F::Error> {
        let (queue, address, len) = memory.place();
        // SAFETY: `check` has returned the parameters.
        unsafe { F::tensor_map(queue, &self.check::<T>(address, len)?) }
    }

    /// Checks that no two elements of a written tensor share memory, and that memory of `len` elements of `size` bytes holds the
    /// last 16 bytes of each row: a copy writes rows in units of 16 bytes.
    pub(crate) fn check_written(&self, size: u64, len: usize) -> Result<(), String> {
        let row = u128::from(self.dims[0]) * u128::from(size);
        let (mut inner, mut end) = (row, row.next_multiple_of(16));
        // A tensor whose strides overflow is larger than memory, which `check` refuses. Dimensions may lie in memory in any order.
        let strides = self.strides_in_bytes(size).into_iter().flatten();
        let mut repeats: Vec<_> =
            strides.zip(self.dims[1..].iter().copied()).filter(|(_, dim)| *dim > 1).collect();
        repeats.sort_unstable();
        for (stride, dim) in repeats {
            let stride = u128::from(stride);
            rule!(
                stride >= inner,
                "is written, and its stride of {stride} bytes is less than the {inner} bytes of what repeats by it: elements \
                 share memory"
            );
            inner = stride * u128::from(dim);
            end = end.saturating_add(stride * u128::from(dim.saturating_sub(1)));
        }
        let bytes = len as u128 * u128::from(size);
        rule!(
            end <= bytes,
            "is written by 16 bytes, up to byte {end}, but its memory has {bytes} bytes: the copies write whole units of 16 bytes: allocate the rest of the last one"
        );
        Ok(())
    }

    /// Returns the strides in bytes: those that were set, or those of a packed tensor, which are `None` on overflow.
    fn strides_in_bytes(&self, size: u64) -> Option<Vec<u64>> {
        match &self.strides {
            Some(strides) => Some(strides.clone()),
            None => packed(&self.dims, size),
        }
    }

    /// Checks every rule of the driver's documentation for the tensor at `address`, in memory of `len` elements.
    ///
    /// # Errors
    ///
    /// The first rule that a parameter breaks.
    pub fn check<T: TensorElement>(
        &self,
        address: u64,
        len: usize,
    ) -> Result<TensorMapParameters<'_>, TensorMapProblem> {
        let element_type = self.element_type.unwrap_or(T::TYPE);
        let strides =
            self.check_rules(size_of::<T>(), element_type, address, len).map_err(TensorMapProblem)?;
        Ok(TensorMapParameters {
            address,
            element_type,
            dims: &self.dims,
            strides,
            mode: &self.mode,
            element_strides: &self.element_strides,
            interleave: self.interleave,
            swizzle: self.swizzle,
            l2_promotion: self.l2_promotion,
            oob_fill: self.oob_fill,
        })
    }

    /// Checks every rule for elements of `size` bytes and the type `of`, and returns the strides.
    fn check_rules(
        &self,
        size: usize,
        of: CUtensorMapDataType,
        address: u64,
        len: usize,
    ) -> Result<Vec<u64>, String> {
        use CUtensorMapDataType::*;
        let rank = self.dims.len();
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
        // The documentation requires this without an interleaved layout. Driver 580 refuses other rows of an interleaved layout
        // too.
        rule!(row.is_multiple_of(16), "a row of the box has {row} bytes, which is not a multiple of 16");
        if !interleaved {
            let span = span(self.swizzle);
            rule!(row <= span, "a row of the box has {row} bytes, more than the swizzle span of {span}");
        }
        self.check_strides(size as u64, unit, len as u128 * size as u128)
    }

    /// Checks the box or the pixels, and returns the elements of a row.
    fn check_mode(&self) -> Result<u32, String> {
        let rank = self.dims.len();
        match &self.mode {
            TensorMapMode::Tiled(box_dims) => {
                check_each("dimensions of the box", box_dims, rank, 1..=256)?;
                Ok(box_dims[0])
            }
            TensorMapMode::Im2col { lower, upper, channels, pixels } => {
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
        let strides = self.strides_in_bytes(size).ok_or("the tensor is larger than the address space")?;
        check_each("strides in bytes", &strides, self.dims.len() - 1, 1..=(1 << 40) - 1)?;
        let row = self.dims[0] * size;
        let mut bytes = u128::from(row);
        for (stride, dim) in strides.iter().zip(&self.dims[1..]) {
            rule!(
                stride.is_multiple_of(unit),
                "a stride of {stride} bytes is not a multiple of {unit}: pad the rows, and give their length by `strides`"
            );
            rule!(*stride >= row, "a stride of {stride} bytes is less than a row of {row} bytes");
            bytes += u128::from(dim - 1) * u128::from(*stride);
        }
        rule!(bytes <= available, "the tensor has {bytes} bytes, but the memory has {available}");
        Ok(strides)
    }
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

    /// Tokens of heads, which lie in memory by heads and then by tokens.
    #[test]
    fn dimensions_of_a_written_tensor_lie_in_any_order() {
        let written = |dims: &[u64], strides: &[u64]| {
            TensorMapBuilder::tiled(dims, &[64, 1, 1]).strides(strides).check_written(2, 64 * 8 * 4)
        };
        // 8 tokens of 4 heads of 64 halves.
        assert_eq!(written(&[64, 8, 4], &[512, 128]), Ok(()));
        assert_eq!(written(&[64, 4, 8], &[128, 512]), Ok(()));
        // One head: its stride says nothing.
        assert_eq!(written(&[64, 8, 1], &[128, 16]), Ok(()));
        for (dims, strides) in [([64, 8, 4], [128, 128]), ([64, 8, 4], [384, 128]), ([64, 8, 4], [512, 112])]
        {
            let shared = written(&dims, &strides).unwrap_err();
            assert!(shared.contains("elements share memory"), "{shared}");
        }
    }
}
