//! Products of matrices beside plain loops. Where the elements of a fragment are is written as the ISA writes it: `group` is
//! `%laneid >> 2`, `place` is `%laneid % 4`.

#[path = "support/matrices.rs"]
mod matrices;

use matrices::{Layout, Matrix, bits, list, matrix, product, run, values};

/// The row of element `i` of an accumulator of 16 rows, and the column (9.7.14.5: "row = groupID for ci where i < 2").
fn of_accumulator(lane: usize, i: usize) -> (usize, usize) {
    let (group, place) = (lane >> 2, lane % 4);
    let row = if i % 4 < 2 { group } else { group + 8 };
    (row, 8 * (i / 4) + place * 2 + (i & 1))
}

/// Compares the accumulators of warps with a matrix. Warp `w` has the rows from `16 w` on.
fn compare(what: &str, ty: &str, results: &[Vec<u32>], expected: &Matrix) {
    for (thread, words) in results.iter().enumerate() {
        for (i, value) in values(ty, words).into_iter().enumerate() {
            let (row, column) = of_accumulator(thread % 32, i);
            let row = row + 16 * (thread / 32);
            assert_eq!(value, expected[row][column], "{what}: row {row}, column {column}");
        }
    }
}

/// A product of 16 rows, with elements of `width` bits. `fragment_of_a` and `fragment_of_b` list the places of the elements of a lane.
fn mma(
    opcode: &str,
    [ty, sum]: [&str; 2],
    k: usize,
    fragment_of_a: impl Fn(usize, usize) -> Vec<(usize, usize)>,
    fragment_of_b: impl Fn(usize, usize) -> Vec<(usize, usize)>,
) {
    let (a, b, c) = (matrix(16, k, 1), matrix(k, 8, 2), matrix(16, 8, 3));
    let mut counts = [0; 3];
    let inputs: Vec<Vec<u32>> = (0..32)
        .map(|lane| {
            let (group, place) = (lane >> 2, lane % 4);
            let of = |matrix: &Matrix, places: Vec<(usize, usize)>| -> Vec<f64> {
                places.into_iter().map(|(row, column)| matrix[row][column]).collect()
            };
            let of_c = (0..4).map(|i| of_accumulator(lane, i)).collect();
            let parts = [
                bits(ty, &of(&a, fragment_of_a(group, place))),
                bits(ty, &of(&b, fragment_of_b(group, place))),
                bits(sum, &of(&c, of_c)),
            ];
            counts = [parts[0].len(), parts[1].len(), parts[2].len()];
            parts.concat()
        })
        .collect();
    let [of_a, of_b, of_c] = counts;
    let text = format!(
        "{opcode} {}, {}, {}, {};\n",
        list('d', 0, of_c),
        list('i', 0, of_a),
        list('i', of_a, of_b),
        list('i', of_a + of_b, of_c)
    );
    compare(opcode, sum, &run(&text, &inputs, of_c, &[]), &product(&a, &b, &c));
}

#[test]
fn products_of_a_warp_are_those_of_plain_loops() {
    // 9.7.14.5.8: A of `.m16n8k16` has eight elements, B four.
    let halves_a = |group: usize, place: usize| {
        let of = |i: usize| {
            let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
            (row, place * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
        };
        (0..8).map(of).collect()
    };
    let halves_b = |group: usize, place: usize| {
        (0..4).map(|i| (place * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, group)).collect()
    };
    for (sum, ty) in [("f32", "f16"), ("f16", "f16"), ("f32", "bf16")] {
        mma(
            &format!("mma.sync.aligned.m16n8k16.row.col.{sum}.{ty}.{ty}.{sum}"),
            [ty, sum],
            16,
            halves_a,
            halves_b,
        );
    }
    // 9.7.14.5.10 and .12: of 8-bit elements, A of `.m16n8k32` has 16, B eight.
    let bytes_a = |group: usize, place: usize| {
        let of = |i: usize| {
            let row = if i < 4 || (8..12).contains(&i) { group } else { group + 8 };
            (row, place * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        };
        (0..16).map(of).collect()
    };
    let bytes_b = |group: usize, place: usize| {
        (0..8).map(|i| (place * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, group)).collect()
    };
    mma("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", ["s8", "s32"], 32, bytes_a, bytes_b);
    mma("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", ["e4m3", "f32"], 32, bytes_a, bytes_b);
    mma(
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e5m2.f16",
        ["e5m2", "f16"],
        32,
        bytes_a,
        bytes_b,
    );
    // 9.7.14.5.11: of 4-bit elements, A of `.m16n8k64` has 32, B 16.
    let nibbles_a = |group: usize, place: usize| {
        let of = |i: usize| {
            let row = if i < 8 || (16..24).contains(&i) { group } else { group + 8 };
            (row, place * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
        };
        (0..32).map(of).collect()
    };
    let nibbles_b = |group: usize, place: usize| {
        (0..16).map(|i| (place * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, group)).collect()
    };
    mma("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", ["s4", "s32"], 64, nibbles_a, nibbles_b);
    // 9.7.14.5.6: of `.tf32`, A of `.m16n8k8` has four elements, B two.
    let words_a = |group: usize, place: usize| {
        vec![(group, place), (group + 8, place), (group, place + 4), (group + 8, place + 4)]
    };
    let words_b = |group: usize, place: usize| vec![(place, group), (place + 4, group)];
    mma("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", ["tf32", "f32"], 8, words_a, words_b);
}

/// Of a sparse A, each two of four elements have places: 9.7.14.6.2.2 says where the metadata of `.m16n8k32` is.
#[test]
fn a_sparse_product_puts_elements_where_the_metadata_says() {
    const PAIRS: [u32; 6] = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
    let (stored, b, c) = (matrix(16, 16, 4), matrix(32, 8, 5), matrix(16, 8, 6));
    let pair = |row: usize, group: usize| PAIRS[(row * 5 + group * 3) % 6];
    let mut a = vec![vec![0.0; 32]; 16];
    for (row, group) in (0..16).flat_map(|row| (0..8).map(move |group| (row, group))) {
        for i in 0..2 {
            let at = 4 * group + (pair(row, group) >> (2 * i) & 3) as usize;
            a[row][at] = stored[row][2 * group + i];
        }
    }
    for selector in 0..2 {
        let inputs: Vec<Vec<u32>> = (0..32)
            .map(|lane: usize| {
                let (group, place) = (lane >> 2, lane % 4);
                let a = (0..8).map(|i| {
                    let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
                    stored[row][place * 2 + (i & 1) + if i < 4 { 0 } else { 8 }]
                });
                let b = (0..8).map(|i| b[place * 2 + (i & 1) + 8 * (i / 2)][group]);
                let c = (0..4).map(|i| of_accumulator(lane, i)).map(|(row, column)| c[row][column]);
                // The first lane of the pair has the first four groups of both rows, the other one the rest.
                let half = place.wrapping_sub(2 * selector);
                let metadata = match half {
                    0 | 1 => (0..4).fold(0, |word, i| {
                        let (low, high) = (pair(group, 4 * half + i), pair(group + 8, 4 * half + i));
                        word | low << (4 * i) | high << (16 + 4 * i)
                    }),
                    _ => u32::MAX,
                };
                let mut words = bits("f16", &a.collect::<Vec<_>>());
                words.extend(bits("f16", &b.collect::<Vec<_>>()));
                words.extend(bits("f32", &c.collect::<Vec<_>>()));
                words.push(metadata);
                words
            })
            .collect();
        let text = format!(
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {}, {}, {}, {}, %i12, {selector};\n",
            list('d', 0, 4),
            list('i', 0, 4),
            list('i', 4, 4),
            list('i', 8, 4)
        );
        compare("mma.sp", "f32", &run(&text, &inputs, 4, &[]), &product(&a, &b, &c));
    }
}

/// A product with a block scale: `size` factors for each row and column, in bytes from `byte` on, of the lanes that `threads` select.
struct Scaled {
    opcode: &'static str,
    ty: &'static str,
    k: usize,
    sparse: bool,
    size: usize,
    factor: fn(usize) -> (u32, f64),
    bytes: [usize; 2],
    threads: [usize; 2],
}

/// 9.7.14.3: `(A * scale_A) * (B * scale_B) + C`.
#[test]
fn each_chunk_of_a_row_and_of_a_column_has_its_factor() {
    // The bits and the value of a factor: a power of two, and `.ue4m3` between 1 and 1.75.
    let power = |i: usize| (125 + (i % 5) as u32, 2f64.powi(i as i32 % 5 - 2));
    let fraction = |i: usize| (0x38 + 2 * (i % 4) as u32, 1.0 + 0.25 * (i % 4) as f64);
    let scaled = |opcode, ty, k, sparse, size, factor, bytes, threads| Scaled {
        opcode,
        ty,
        k,
        sparse,
        size,
        factor,
        bytes,
        threads,
    };
    let all = [
        scaled("kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", 32, false, 1, power, [2, 3], [1, 3]),
        scaled("kind::mxf8f6f4.block_scale", "e5m2", 32, false, 1, power, [0, 1], [0, 2]),
        scaled("kind::mxf4.block_scale.scale_vec::2X", "e2m1", 64, false, 2, power, [2, 0], [1, 1]),
        scaled("kind::mxf4nvf4.block_scale.scale_vec::4X", "e2m1", 64, false, 4, fraction, [0, 0], [0, 3]),
        scaled("kind::mxf4nvf4.block_scale.scale_vec::2X", "e2m1", 64, false, 2, power, [0, 2], [0, 0]),
        scaled("kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3", 64, true, 1, power, [1, 3], [1, 0]),
        scaled("kind::mxf4nvf4.block_scale.scale_vec::4X", "e2m1", 128, true, 4, fraction, [0, 0], [1, 2]),
    ];
    for case in all {
        let Scaled {
            opcode,
            ty,
            k,
            sparse,
            size,
            factor,
            bytes: [byte_a, byte_b],
            threads: [thread_a, thread_b],
        } = case;
        let depth = if sparse { k / 2 } else { k };
        let per = if ty == "e2m1" { 8 } else { 4 };
        let (stored, b, c) = (matrix(16, depth, 1), matrix(k, 8, 2), matrix(16, 8, 3));
        // Of each four elements, or pairs of them, the metadata 0b1001 names the second and the third.
        let unit = per / 4;
        let mut a = stored.clone();
        if sparse {
            a = vec![vec![0.0; k]; 16];
            for (row, at) in (0..16).flat_map(|row| (0..depth).map(move |at| (row, at))) {
                let (group, within) = (at / (2 * unit), at % (2 * unit));
                a[row][4 * unit * group + unit + within] = stored[row][at];
            }
        }
        let chunk = k / size;
        let (mut scaled_a, mut scaled_b) = (a, b.clone());
        for (row, values) in scaled_a.iter_mut().enumerate() {
            values.iter_mut().enumerate().for_each(|(at, value)| *value *= factor(3 * row + at / chunk).1);
        }
        for (at, values) in scaled_b.iter_mut().enumerate() {
            values
                .iter_mut()
                .enumerate()
                .for_each(|(column, value)| *value *= factor(7 * column + at / chunk + 1).1);
        }
        // `{c0, c1}` are factors of one line; the other bytes and lanes have NaN.
        let word = |first: usize, byte: usize| {
            (0..4).fold(0, |word, at| match at {
                at if (byte..byte + size).contains(&at) => word | factor(first + at - byte).0 << (8 * at),
                at => word | 0xff << (8 * at),
            })
        };
        let mut counts = [0; 2];
        let inputs: Vec<Vec<u32>> = (0..32)
            .map(|lane: usize| {
                let (group, place) = (lane >> 2, lane % 4);
                let of_a = (0..16 * depth / 32).map(|i| {
                    let (register, element) = (i / per, i % per);
                    stored[group + 8 * (register % 2)][4 * per * (register / 2) + per * place + element]
                });
                let of_b = (0..8 * k / 32).map(|i| b[4 * per * (i / per) + per * place + i % per][group]);
                let of_c = (0..4).map(|i| of_accumulator(lane, i)).map(|(row, column)| c[row][column]);
                let parts = [bits(ty, &of_a.collect::<Vec<_>>()), bits(ty, &of_b.collect::<Vec<_>>())];
                counts = [parts[0].len(), parts[1].len()];
                let mut words = parts.concat();
                words.extend(bits("f32", &of_c.collect::<Vec<_>>()));
                words.push(0x9999_9999);
                words.push(match place.wrapping_sub(2 * thread_a) {
                    half @ (0 | 1) => word(3 * (group + 8 * half), byte_a),
                    _ => u32::MAX,
                });
                words.push(if place == thread_b { word(7 * group + 1, byte_b) } else { u32::MAX });
                words
            })
            .collect();
        let [of_a, of_b] = counts;
        let at = of_a + of_b;
        let (variant, metadata) = match sparse {
            true => ("mma.sp::ordered_metadata", format!("%i{}, 0, ", at + 4)),
            false => ("mma", String::new()),
        };
        let stype = if factor(1).0 < 125 { "ue4m3" } else { "ue8m0" };
        let text = format!(
            "{variant}.sync.aligned.m16n8k{k}.row.col.{opcode}.f32.{ty}.{ty}.f32.{stype} {}, {}, {}, {}, {metadata}%i{}, \
             {{{byte_a}, {thread_a}}}, %i{}, {{{byte_b}, {thread_b}}};\n",
            list('d', 0, 4),
            list('i', 0, of_a),
            list('i', of_a, of_b),
            list('i', at, 4),
            at + 5,
            at + 6,
        );
        compare(&text, "f32", &run(&text, &inputs, 4, &[]), &product(&scaled_a, &scaled_b, &c));
    }
}

/// 9.7.14.5.1: each quarter of a warp, four lanes and the four lanes 16 above, has a product of its own.
#[test]
fn four_products_of_a_warp_are_apart() {
    for (a_rows, b_rows) in [(true, true), (true, false), (false, true), (false, false)] {
        let parts: Vec<_> =
            (0..4).map(|q| (matrix(8, 4, q), matrix(4, 8, q + 9), matrix(8, 8, q + 20))).collect();
        let (low, upper) = (|lane: usize| lane % 4, |lane: usize| if lane < 16 { 0 } else { 4 });
        let of_c =
            |lane: usize, i: usize| ((lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1));
        let quarter = |lane: usize| lane % 16 / 4;
        let inputs: Vec<Vec<u32>> = (0..32)
            .map(|lane| {
                let (a, b, c) = &parts[quarter(lane)];
                let a = (0..4).map(|i| match a_rows {
                    true => a[low(lane) + upper(lane)][i],
                    false => a[i + upper(lane)][low(lane)],
                });
                let b = (0..4).map(|i| match b_rows {
                    true => b[low(lane)][i + upper(lane)],
                    false => b[i][low(lane) + upper(lane)],
                });
                let c = (0..8).map(|i| of_c(lane, i)).map(|(row, column)| c[row][column]);
                let mut words = bits("f16", &a.collect::<Vec<_>>());
                words.extend(bits("f16", &b.collect::<Vec<_>>()));
                words.extend(bits("f32", &c.collect::<Vec<_>>()));
                words
            })
            .collect();
        let order = |rows: bool| if rows { "row" } else { "col" };
        let text = format!(
            "mma.sync.aligned.m8n8k4.{}.{}.f32.f16.f16.f32 {}, {}, {}, {};\n",
            order(a_rows),
            order(b_rows),
            list('d', 0, 8),
            list('i', 0, 2),
            list('i', 2, 2),
            list('i', 4, 8)
        );
        for (lane, words) in run(&text, &inputs, 8, &[]).iter().enumerate() {
            let (a, b, c) = &parts[quarter(lane)];
            let expected = product(a, b, c);
            for (i, value) in values("f32", words).into_iter().enumerate() {
                let (row, column) = of_c(lane, i);
                assert_eq!(value, expected[row][column], "lane {lane}, element {i}");
            }
        }
    }
}

/// 9.7.14.5.15: lane `l` gets elements `2 (l % 4)` and the next of row `l / 4`; with `.trans`, of the transposed matrix.
#[test]
fn matrices_are_loaded_stored_and_transposed() {
    let image: Vec<u8> = (0..512u32).flat_map(|i| (i as u16 * 37).to_le_bytes()).take(512).collect();
    let half = |matrix: usize, row: usize, column: usize| {
        let at = (64 * matrix + 8 * row + column) * 2;
        u32::from(u16::from_le_bytes([image[at], image[at + 1]]))
    };
    let lanes: Vec<Vec<u32>> = (0..32).map(|lane| vec![16 * lane]).collect();
    let load = |trans: &str| {
        let text = format!(
            "add.u32 %x, %shared, %i0; ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%d0, %d1, %d2, %d3}}, [%x];\n"
        );
        run(&text, &lanes, 4, &image)
    };
    let (plain, transposed) = (load(""), load(".trans"));
    for (lane, matrix) in (0..32).flat_map(|lane| (0..4).map(move |matrix| (lane, matrix))) {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        assert_eq!(plain[lane][matrix], half(matrix, row, column) | half(matrix, row, column + 1) << 16);
        assert_eq!(transposed[lane][matrix], half(matrix, column, row) | half(matrix, column + 1, row) << 16);
    }
    // What is stored is what was loaded, also if both transpose, or if registers are transposed between.
    let stores = [
        ("", "", ""),
        (".trans", ".trans", ""),
        ("", ".trans", "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %d0;"),
    ];
    for (load, store, between) in stores {
        let text = format!(
            "add.u32 %x, %shared, %i0; ldmatrix.sync.aligned.m8n8.x1{load}.shared.b16 {{%d0}}, [%x]; {between}
add.u32 %x, %x, 256; setp.lt.u32 %p, %t, 8; bar.warp.sync 0xffffffff;
stmatrix.sync.aligned.m8n8.x1{store}.shared.b16 [%x], {{%d0}}; bar.warp.sync 0xffffffff;
mul.lo.u32 %x, %t, 4; add.u32 %x, %x, %shared; ld.shared.b32 %d0, [%x+256]; ld.shared.b32 %d1, [%x];\n"
        );
        let rows: Vec<Vec<u32>> = (0..32).map(|lane| vec![16 * (lane % 8)]).collect();
        for words in run(&text, &rows, 2, &image) {
            assert_eq!(words[0], words[1], "{load} {between} {store}");
        }
    }
}

/// Returns the bits of a descriptor, without the address.
fn strides(layout: Layout) -> u64 {
    let mode = [(16, 0), (128, 1), (64, 2), (32, 3)]
        .into_iter()
        .find(|(width, _)| *width == layout.width)
        .unwrap()
        .1;
    mode << 62 | (layout.stride as u64 / 16) << 32 | (layout.leading as u64 / 16) << 16
}

/// Returns the text that makes a descriptor of shared memory from an offset on.
fn descriptor(register: &str, at: usize, layout: Layout) -> String {
    format!(
        "add.u32 %x, %shared, {at}; shr.u32 %x, %x, 4; cvt.u64.u32 {register}, %x; or.b64 {register}, {register}, {:#x};\n",
        strides(layout)
    )
}

#[test]
fn products_of_a_warpgroup_are_those_of_plain_loops() {
    let (n, k) = (64, 16);
    let (a, b, c) = (matrix(64, k, 1), matrix(k, n, 2), matrix(64, n, 3));
    let sums: Vec<Vec<u32>> = (0..128)
        .map(|thread| {
            let values: Vec<f64> = (0..n / 2)
                .map(|i| of_accumulator(thread % 32, i))
                .map(|(row, column)| c[row + 16 * (thread / 32)][column])
                .collect();
            bits("f32", &values)
        })
        .collect();
    let moves: String = (0..n / 2).map(|i| format!("mov.b32 %d{i}, %i{i};\n")).collect();
    let end = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    // Where the pattern of a row holds a line along K, and of eight lines along M or N.
    for (width, mn_major) in [16, 32, 64, 128].into_iter().flat_map(|width| [(width, false), (width, true)]) {
        let layout = match (width, mn_major) {
            (16, false) => Layout { width, mn_major, leading: 128, stride: 256 },
            (16, true) => Layout { width, mn_major, leading: 1024, stride: 128 },
            (_, false) => Layout { width, mn_major, leading: 16, stride: 8 * width },
            (_, true) => Layout { width, mn_major, leading: 16 * width, stride: 8 * width },
        };
        let mut image = vec![0; 32768];
        layout.put(&mut image, 0, "f16", &a, false);
        layout.put(&mut image, 16384, "f16", &b, true);
        let order = u8::from(mn_major);
        for (scale_d, negated) in [(true, false), (false, false), (true, true)] {
            let sign = if negated { -1.0 } else { 1.0 };
            let text = format!(
                "{}{}{moves}wgmma.fence.sync.aligned; setp.eq.u32 %p, {}, 1;
wgmma.mma_async.sync.aligned.m64n{n}k{k}.f32.f16.f16 {}, %a, %b, %p, {sign}, 1, {order}, {order};\n{end}",
                descriptor("%a", 0, layout),
                descriptor("%b", 16384, layout),
                u8::from(scale_d),
                list('d', 0, n / 2)
            );
            let start = if scale_d { c.clone() } else { vec![vec![0.0; n]; 64] };
            let signed = a.iter().map(|row| row.iter().map(|value| sign * value).collect()).collect();
            let what = format!("width {width}, {mn_major}, {scale_d}, {negated}");
            compare(&what, "f32", &run(&text, &sums, n / 2, &image), &product(&signed, &b, &start));
        }
        // A in registers, as `mma.m16n8k16` has it in each warp.
        let inputs: Vec<Vec<u32>> = (0..128)
            .map(|thread: usize| {
                let (group, place) = ((thread % 32) >> 2, thread % 4);
                let of = |i: usize| {
                    let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
                    a[row + 16 * (thread / 32)][place * 2 + (i & 1) + if i < 4 { 0 } else { 8 }]
                };
                [sums[thread].clone(), bits("f16", &(0..8).map(of).collect::<Vec<_>>())].concat()
            })
            .collect();
        let text = format!(
            "{}{moves}wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n{n}k{k}.f32.f16.f16 {}, {}, %b, %on, 1, 1, {order};\n{end}",
            descriptor("%b", 16384, layout),
            list('d', 0, n / 2),
            list('i', n / 2, 4)
        );
        let what = format!("width {width}, {mn_major}, A in registers");
        compare(&what, "f32", &run(&text, &inputs, n / 2, &image), &product(&a, &b, &c));
    }
}

/// Two products of one group accumulate; the second one begins 32 bytes on in the rows of the swizzled pattern.
#[test]
fn a_descriptor_may_begin_within_the_pattern() {
    let (a, b) = (matrix(64, 64, 7), matrix(64, 8, 8));
    let layout = Layout { width: 128, mn_major: false, leading: 16, stride: 1024 };
    let mut image = vec![0; 16384];
    layout.put(&mut image, 0, "f16", &a, false);
    layout.put(&mut image, 8192, "f16", &b, true);
    let mut text = String::from("wgmma.fence.sync.aligned;\n");
    for step in 0..4 {
        text += &descriptor("%a", 32 * step, layout);
        text += &descriptor("%b", 8192 + 32 * step, layout);
        let on = if step == 0 { "setp.ne.u32 %p, %t, %t;" } else { "setp.eq.u32 %p, %t, %t;" };
        text += &format!(
            "{on} wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {}, %a, %b, %p, 1, 1, 0, 0;\n",
            list('d', 0, 4)
        );
    }
    text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    let results = run(&text, &vec![vec![0]; 128], 4, &image);
    compare("four steps", "f32", &results, &product(&a, &b, &vec![vec![0.0; 8]; 64]));
}
