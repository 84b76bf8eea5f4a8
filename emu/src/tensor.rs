//! Tensor maps (PTX ISA 5.5).
//!
//! The 128 bytes of a tensor map are opaque. Here they hold: the address, then rank, element type, interleave, swizzle, fill,
//! atomicity and mode as bytes, the dimensions (5 of 32 bits), the box (5 of 16), the element strides (5 bytes), the strides in
//! bytes of all dimensions but the first (4 of 64), the corners of the pixels' bounding box, and a mark of validity.

use crate::frontend::op::*;
use crate::numbers::float::Format;

/// The element types of a tensor map, in the order of the `elemtype` values (PTX ISA 9.7.9.28): their bytes, and the type of
/// reductions.
const ELEMENTS: [Type; 13] = [
    Type::Unsigned(8),
    Type::Unsigned(16),
    Type::Unsigned(32),
    Type::Signed(32),
    Type::Unsigned(64),
    Type::Signed(64),
    Type::Float(Format::F16),
    Type::Float(Format::F32),
    Type::Float(Format::F32),
    Type::Float(Format::F64),
    Type::Float(Format::Bf16),
    Type::Float(Format::F32),
    Type::Float(Format::F32),
];

/// The element types that pack 16 elements: `.b4x16`, `.b4x16_p64` and `.b6x16_p32`, with padding in shared memory.
const B4X16: u8 = 13;
const B4X16_P64: u8 = 14;
const B6X16_P32: u8 = 15;

/// `.tf32` and `.tf32.ftz`, to which copies into shared memory round.
pub(crate) const TF32: u8 = 11;
pub(crate) const TF32_FTZ: u8 = 12;

/// A tensor map, decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the tensor in global memory.
    pub address: u64,
    /// The number of dimensions.
    pub rank: u8,
    /// The `elemtype` value of `tensormap.replace`.
    pub element: u8,
    /// `CUtensorMapInterleave`.
    pub interleave: u8,
    /// The `swizzle_mode` value of `tensormap.replace`.
    pub swizzle: u8,
    /// `CUtensorMapFloatOOBfill`.
    pub fill: u8,
    /// The `swizzle_atomicity` value of `tensormap.replace`.
    pub atomicity: u8,
    /// Whether the map is for im2col copies.
    pub im2col: bool,
    /// The elements along each dimension. 0 is 2³².
    pub dims: [u32; 5],
    /// The box. For im2col, the channels and the pixels.
    pub boxes: [u16; 5],
    /// The element strides: a copy takes every n-th element of the box.
    pub steps: [u8; 5],
    /// Strides in bytes of all dimensions but the first.
    pub strides: [u64; 4],
    /// The lower corner of the bounding box of pixels, of an im2col map.
    pub lower: [i8; 3],
    /// Its upper corner.
    pub upper: [i8; 3],
}

/// Returns the `swizzle_mode` and `swizzle_atomicity` values of a `CUtensorMapSwizzle`. CUDA counts each atomicity of the
/// swizzle of 128 bytes as a swizzle.
#[must_use]
pub fn swizzle(of: u32) -> (u8, u8) {
    match of {
        0..=3 => (of as u8, 0),
        of_128_bytes => (3, of_128_bytes as u8 - 3),
    }
}

/// Returns the `elemtype` value of a `CUtensorMapDataType`. The two differ in the places of `.f32.ftz`, `.f64` and `.bf16`.
#[must_use]
pub fn elemtype(data_type: u32) -> u8 {
    match data_type {
        8 => 9,
        9 => 10,
        10 => 8,
        same => same as u8,
    }
}

const MARK: [u8; 4] = *b"ptxE";

impl TensorMap {
    /// Returns the opaque bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 128] {
        let mut bytes = [0; 128];
        bytes[..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[8..15].copy_from_slice(&[
            self.rank,
            self.element,
            self.interleave,
            self.swizzle,
            self.fill,
            self.atomicity,
            self.im2col.into(),
        ]);
        for i in 0..5 {
            bytes[16 + 4 * i..20 + 4 * i].copy_from_slice(&self.dims[i].to_le_bytes());
            bytes[36 + 2 * i..38 + 2 * i].copy_from_slice(&self.boxes[i].to_le_bytes());
            bytes[46 + i] = self.steps[i];
        }
        for i in 0..4 {
            bytes[56 + 8 * i..64 + 8 * i].copy_from_slice(&self.strides[i].to_le_bytes());
        }
        for i in 0..3 {
            bytes[88 + i] = self.lower[i] as u8;
            bytes[91 + i] = self.upper[i] as u8;
        }
        bytes[124..].copy_from_slice(&MARK);
        bytes
    }

    /// Reads the opaque bytes. Returns `None` if they are not a tensor map.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.get(124..128)? != MARK {
            return None;
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Some(Self {
            address: word(0),
            rank: bytes[8],
            element: bytes[9],
            interleave: bytes[10],
            swizzle: bytes[11],
            fill: bytes[12],
            atomicity: bytes[13],
            im2col: bytes[14] != 0,
            dims: std::array::from_fn(|i| word(16 + 4 * i) as u32),
            boxes: std::array::from_fn(|i| word(36 + 2 * i) as u16),
            steps: std::array::from_fn(|i| bytes[46 + i]),
            strides: std::array::from_fn(|i| word(56 + 8 * i)),
            lower: std::array::from_fn(|i| bytes[88 + i] as i8),
            upper: std::array::from_fn(|i| bytes[91 + i] as i8),
        })
    }

    pub(crate) fn ty(&self) -> Type {
        ELEMENTS[usize::from(self.element).min(ELEMENTS.len() - 1)]
    }

    /// Returns the bytes of a step along dimension 0 in global memory: an element, or if interleaved a slice of channels.
    pub(crate) fn size(&self) -> usize {
        match (self.interleave, self.element) {
            (1, _) => 16,
            (2, _) => 32,
            (_, B4X16 | B4X16_P64) => 8,
            (_, B6X16_P32) => 12,
            _ => (self.ty().bits() / 8) as usize,
        }
    }

    /// Returns what the interpreter does not model of a copy by this map. PTX ISA 5.5.6 has slices of channels (NC/8DHWC8), and
    /// does not say which dimensions a map of slices has. On an H200 they are W, H, D, the slices, and the images: the channels
    /// of a slice are in no dimension, and the coordinate of the slices counts slices. A box of up to a slice brings one slice.
    pub(crate) fn not_modeled(&self, mode: TensorMode) -> Option<&'static str> {
        let slices = usize::from(self.rank).saturating_sub(2);
        let channels = self.size() / (self.ty().bits() / 8) as usize;
        match self.interleave {
            0 => None,
            _ if slices == 0 => Some("an interleaved layout of less than three dimensions is not modeled"),
            _ if mode != TensorMode::Tile => Some("an interleaved layout is not modeled in this mode"),
            _ if self.packed() > 1 => Some("an interleaved layout of packed elements is not modeled"),
            _ if self.steps[slices] > 1 => Some("an element stride of slices is not modeled"),
            _ if usize::from(self.boxes[slices]) > channels => {
                Some("a box of more than a slice of channels is not modeled")
            }
            _ => None,
        }
    }

    /// Returns the name of a field that is zero in no map for copies of tiles.
    pub(crate) fn lacks(&self) -> Option<String> {
        let dimensions = 0..usize::from(self.rank).min(5) * usize::from(!self.im2col);
        // Without an interleaved layout, the innermost element stride is ignored.
        let counts = |d: usize| d > 0 || self.interleave != 0;
        dimensions.into_iter().find_map(|d| match (self.boxes[d], self.steps[d]) {
            (0, _) => Some(format!("`box_dim` {d}")),
            (_, 0) if counts(d) => Some(format!("`element_stride` {d}")),
            _ => None,
        })
    }

    /// Returns the bytes of an element in shared memory, with its padding.
    pub(crate) fn shared_size(&self) -> usize {
        match self.element {
            B4X16_P64 | B6X16_P32 => 16,
            _ => self.size(),
        }
    }

    /// Returns the number of elements in a pack. Tensor, box and coordinates count elements, not packs.
    pub(crate) fn packed(&self) -> u32 {
        if self.element >= B4X16 { 16 } else { 1 }
    }

    /// Returns the address of an element, or `None` if the element is out of bounds.
    pub(crate) fn element_at(&self, index: &[i64]) -> Option<u64> {
        let mut address = self.address;
        for (i, coordinate) in index.iter().enumerate() {
            let dim = if self.dims[i] == 0 { 1 << 32 } else { i64::from(self.dims[i]) };
            if *coordinate < 0 || *coordinate >= dim {
                return None;
            }
            let stride = if i == 0 { self.size() as u64 } else { self.strides[i - 1] };
            address = address.wrapping_add(*coordinate as u64 * stride);
        }
        Some(address)
    }

    /// Returns where byte `offset` of the box lies in shared memory: the swizzle exchanges units of 16 bytes of a row by bits of
    /// the address.
    pub(crate) fn swizzled(&self, offset: usize) -> usize {
        let row = offset >> 7;
        let rows = match (self.swizzle, self.atomicity) {
            (0, _) => return offset,
            // The pattern of 96 bytes repeats after 256 bytes, as that of 32 does.
            (1 | 4, _) => (row & 1) << 4,
            (2, _) => (row & 3) << 4,
            (_, 0) => (row & 7) << 4,
            (_, 1) => (row & 3) << 5,
            // With the flip, the halves of 16 bytes change places in every other row.
            (_, 2) => (row & 3) << 5 | (row & 1) << 3,
            _ => (row & 1) << 6,
        };
        offset ^ rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interleaved_layout_has_slices_and_no_channels() {
        let mut map = TensorMap {
            rank: 4,
            element: 1,
            interleave: 1,
            dims: [7, 5, 3, 2, 0],
            boxes: [2, 2, 8, 1, 0],
            strides: [112, 560, 1680, 0],
            ..TensorMap::default()
        };
        assert_eq!((map.size(), map.not_modeled(TensorMode::Tile)), (16, None));
        assert!(map.not_modeled(TensorMode::Im2col).is_some());
        assert_eq!(map.element_at(&[6, 4, 2, 1]), Some(6 * 16 + 4 * 112 + 2 * 560 + 1680));
        assert_eq!(map.element_at(&[7, 0, 0, 0]), None);
        map.boxes[2] = 9;
        assert!(map.not_modeled(TensorMode::Tile).is_some());
        map.interleave = 2;
        assert_eq!((map.size(), map.not_modeled(TensorMode::Tile)), (32, None));
    }
}
