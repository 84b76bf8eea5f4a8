//! Tests the rules of tensor maps.

use ptx_launch::{
    CUtensorMapDataType::{
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B as U4, CU_TENSOR_MAP_DATA_TYPE_FLOAT16 as F16,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64 as F64, CU_TENSOR_MAP_DATA_TYPE_UINT32 as U32,
    },
    CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA as NAN,
    CUtensorMapInterleave::{CU_TENSOR_MAP_INTERLEAVE_16B as I16, CU_TENSOR_MAP_INTERLEAVE_32B as I32},
    CUtensorMapSwizzle::{
        CU_TENSOR_MAP_SWIZZLE_32B as S32, CU_TENSOR_MAP_SWIZZLE_64B as S64,
        CU_TENSOR_MAP_SWIZZLE_128B as S128,
    },
    TensorMapBuilder,
};

const KIB: u64 = 1 << 10;

/// Checks the map of words at `address`, and returns the strides.
fn check_at(address: u64, builder: &TensorMapBuilder) -> Result<Vec<u64>, String> {
    builder.check::<f32>(address, 1 << 20).map(|map| map.strides).map_err(|problem| problem.to_string())
}

#[test]
fn strides_are_packed_or_given() {
    let strides = |builder: TensorMapBuilder| check_at(256, &builder).unwrap();
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
        (
            tiled(&[63, 8], &[64, 8]),
            "a stride of 252 bytes is not a multiple of 16: pad the rows, and give their length by `strides`",
        ),
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
        (tiled(&[8; 3], &[3, 8, 8]).interleave(I16), "a row of the box has 12 bytes, which is not a multi"),
        (cube().interleave(I32), "an interleave of 32 bytes needs the swizzle of 32 bytes"),
        (
            interleaved().strides(&[48, 384]),
            "a stride of 48 bytes is not a multiple of 32: pad the rows, and give their length by `strides`",
        ),
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
        let shown = check_at(256, &builder).expect_err(message);
        assert!(shown.starts_with(message), "{shown}\nwanted: {message}");
    }
    assert_eq!(check_at(8, &cube()).unwrap_err(), "the tensor's address, 0x8, is not a multiple of 16");
    assert!(check_at(16, &interleaved()).unwrap_err().ends_with("0x10, is not a multiple of 32"));
    assert!(check_at(16, &cube()).is_ok() && check_at(32, &interleaved()).is_ok());
}
