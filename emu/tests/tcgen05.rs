//! `tcgen05` beside plain loops: the layouts of loads and stores, products of all kinds and shapes, and copies.

#[path = "support/matrices.rs"]
mod matrices;

use matrices::{Layout, Matrix, bits, list, matrix, product, run, run_cluster, values};
use ptx_emu::{Device, Launch, Options, lay_out};

/// Returns the text that allocates so many columns in the first warp, whose address is then `%taddr` in all threads, and declares what
/// the texts below use.
fn allocated(columns: usize) -> String {
    format!(
        ".reg .b32 %taddr, %mine, %idesc, %w; .reg .b64 %bar; .reg .pred %first, %leader; .shared .align 8 .b64 bar; .shared .b32 place;
setp.lt.u32 %first, %t, 32; setp.eq.u32 %leader, %t, 0; @!%first bra allocated;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {columns};
allocated: @%leader mbarrier.init.shared.b64 [bar], 1; bar.sync 0; ld.shared.b32 %taddr, [place];
shr.u32 %w, %t, 5; shl.b32 %w, %w, 21; and.b32 %w, %w, 0x600000; add.u32 %mine, %taddr, %w;\n"
    )
}

/// Returns the text that deallocates the columns after all threads have come.
fn deallocated(columns: usize) -> String {
    format!(
        "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; @!%first bra done;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %taddr, {columns};
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
done:\n"
    )
}

/// Returns the text by which the leader commits, and all threads wait for its operations.
const COMMITTED: &str = "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
again_wait: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra again_wait; tcgen05.fence::after_thread_sync;\n";

/// What is stored in one shape is read in another, in the lanes and columns that 9.7.16.2.3.1 shows.
#[test]
fn shapes_agree_on_lanes_and_columns() {
    // The word in lane `l` and column `c` is `1000 l + c`.
    let inputs: Vec<Vec<u32>> =
        (0..128).map(|lane| (0..32).map(|column| 1000 * lane + column).collect()).collect();
    let stored = format!(
        "{}tcgen05.st.sync.aligned.32x32b.x32.b32 [%mine], {}; tcgen05.wait::st.sync.aligned;\n",
        allocated(32),
        list('i', 0, 32)
    );
    type Place = fn(usize, usize) -> (usize, usize);
    let shapes: [(&str, usize, &str, Place); 5] = [
        ("32x32b.x8", 8, "", |lane, i| (lane, i)),
        ("16x64b.x8", 8, "", |lane, i| (lane / 4 + 8 * (lane % 2), 2 * i + lane / 2 % 2)),
        ("16x128b.x2", 4, "", |lane, i| (lane / 4 + 8 * (i % 2), 4 * (i / 2) + lane % 4)),
        ("16x256b.x2", 8, "", |lane, i| (lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2)),
        ("16x32bx2.x4", 4, ", 16", |lane, i| (lane % 16, i + if lane < 16 { 0 } else { 16 })),
    ];
    for (shape, count, offset, place) in shapes {
        for second in [false, true] {
            let is_half = shape.starts_with("16");
            if second && !is_half {
                continue;
            }
            let text = format!(
                "{stored}{}tcgen05.ld.sync.aligned.{shape}.b32 {}, [%mine]{offset}; tcgen05.wait::ld.sync.aligned;\n{}",
                if second { "add.u32 %mine, %mine, 0x100000;\n" } else { "" },
                list('d', 0, count),
                deallocated(32)
            );
            for (thread, words) in run(&text, &inputs, count, &[]).into_iter().enumerate() {
                for (i, word) in words.into_iter().enumerate() {
                    let (row, column) = place(thread % 32, i);
                    let row = row + thread / 32 * 32 + if second { 16 } else { 0 };
                    assert_eq!(
                        word as usize,
                        1000 * row + column,
                        "{shape} {second} thread {thread} register {i}"
                    );
                }
            }
        }
    }
    // Packed: the low halves of two columns.
    let text = format!(
        "{stored}tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;
tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%mine], {{%i1, %i2}}; tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x4.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
        list('d', 0, 4),
        list('d', 4, 4),
        deallocated(32)
    );
    for (thread, words) in run(&text, &inputs, 8, &[]).into_iter().enumerate() {
        let word = |column: u32| 1000 * thread as u32 + column;
        let packed: Vec<u32> = (0..4).map(|i| word(2 * i) & 0xffff | word(2 * i + 1) << 16).collect();
        let halves = [word(1) & 0xffff, word(1) >> 16, word(2) & 0xffff, word(2) >> 16];
        assert_eq!(words, [&packed[..], &halves].concat());
    }
}

#[test]
fn loads_reduce_the_words_of_a_lane() {
    let numbers = |lane: usize| [lane as f64, -3.5, 2.0 * lane as f64, 1.0];
    let inputs: Vec<Vec<u32>> = (0..32).map(|lane| bits("f32", &numbers(lane))).collect();
    let text = format!(
        "{}tcgen05.st.sync.aligned.32x32b.x4.b32 [%mine], {}; tcgen05.wait::st.sync.aligned;
tcgen05.ld.red.sync.aligned.32x32b.x4.min.f32 {}, %d4, [%mine];
tcgen05.ld.red.sync.aligned.32x32b.x4.max.abs.f32 {}, %d5, [%mine];
tcgen05.ld.red.sync.aligned.32x32b.x4.max.u32 {}, %d6, [%mine];
tcgen05.ld.red.sync.aligned.32x32b.x4.max.s32 {}, %d7, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
        allocated(32),
        list('i', 0, 4),
        list('d', 0, 4),
        list('d', 0, 4),
        list('d', 0, 4),
        list('d', 0, 4),
        deallocated(32)
    );
    for (lane, words) in run(&text, &inputs, 8, &[]).into_iter().enumerate() {
        let all = numbers(lane);
        let of = |word: u32| f64::from(f32::from_bits(word));
        assert_eq!(words[..4], inputs[lane][..]);
        assert_eq!(of(words[4]), all.iter().copied().fold(f64::MAX, f64::min));
        assert_eq!(of(words[5]), all.iter().map(|value| value.abs()).fold(0.0, f64::max));
        assert_eq!(words[6], *inputs[lane].iter().max().unwrap());
        assert_eq!(words[7] as i32, inputs[lane].iter().map(|word| *word as i32).max().unwrap());
    }
}

/// Returns the text that makes a descriptor of shared memory from an offset on.
fn descriptor(register: &str, at: usize, layout: Layout) -> String {
    let mode = [(16, 0), (128, 2), (64, 4), (32, 6)]
        .into_iter()
        .find(|(width, _)| *width == layout.width)
        .unwrap()
        .1;
    let bits: u64 =
        mode << 61 | 1 << 46 | (layout.stride as u64 / 16) << 32 | (layout.leading as u64 / 16) << 16;
    format!(
        "add.u32 %x, %shared, {at}; shr.u32 %x, %x, 4; cvt.u64.u32 {register}, %x; or.b64 {register}, {register}, {bits:#x};\n"
    )
}

/// The layout of a matrix that lies in shared memory in rows of `width` bytes.
fn layout(width: usize, mn_major: bool, lines: usize) -> Layout {
    match (width, mn_major) {
        (16, false) => Layout { width, mn_major, leading: 128, stride: 256 },
        (16, true) => Layout { width, mn_major, leading: 16 * lines, stride: 128 },
        (_, false) => Layout { width, mn_major, leading: 16, stride: 8 * width },
        (_, true) => Layout { width, mn_major, leading: 32 * width, stride: 8 * width },
    }
}

/// A product `D = A * B + D` of one CTA.
struct Product<'a> {
    kind: &'a str,
    ty: &'a str,
    sums: &'a str,
    /// The bits of the instruction descriptor but M and N.
    idesc: u32,
    m: usize,
    n: usize,
}

impl Product<'_> {
    fn idesc(&self) -> u32 {
        self.idesc | (self.n as u32 / 8) << 17 | (self.m as u32 / 16) << 24
    }

    /// Returns D, in tensor memory as `32x32b` reads it. Lane `l` starts with the words `0`, `1` and so on in the type of the sums.
    fn run(&self, what: &str, operands: &str, mma: &str, image: &[u8]) -> Vec<Vec<f64>> {
        let start: Vec<f64> = (0..self.n).map(|column| (column % 5) as f64).collect();
        let words: Vec<u32> = start.iter().map(|value| bits(self.sums, &[*value])[0]).collect();
        let columns = self.n.next_power_of_two().max(32);
        let mut text = allocated(columns);
        for at in (0..self.n).step_by(8) {
            text += &format!("tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine+{at}], {};\n", list('i', at, 8));
        }
        text += "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n";
        text += operands;
        text += &format!("mov.b32 %idesc, {:#x};\n@%leader {mma}\n{COMMITTED}", self.idesc());
        for at in (0..self.n).step_by(8) {
            text += &format!("tcgen05.ld.sync.aligned.32x32b.x8.b32 {}, [%mine+{at}];\n", list('d', at, 8));
        }
        text += "tcgen05.wait::ld.sync.aligned;\n";
        text += &deallocated(columns);
        let results = run(&text, &vec![words; 128], self.n, image);
        let of_word = |word: &u32| values(self.sums, &[*word])[0];
        let results: Vec<Vec<f64>> =
            results.iter().map(|words| words.iter().map(of_word).collect()).collect();
        assert_eq!(results.len(), 128, "{what}");
        results
    }

    fn start(&self) -> Matrix {
        vec![(0..self.n).map(|column| (column % 5) as f64).collect(); self.m]
    }
}

/// The lane of a row of D of one CTA (9.7.16.10.5).
fn lane(m: usize, row: usize) -> usize {
    if m == 64 { 32 * (row / 16) + row % 16 } else { row }
}

#[test]
fn products_of_each_kind_are_those_of_plain_loops() {
    // The kind, the type of A and B, that of D, the bits of the descriptor, and K.
    let kinds = [
        ("f16", "f16", "f32", 0x10, 16),
        ("f16", "f16", "f16", 0, 16),
        ("f16", "bf16", "f32", 0x490, 16),
        ("tf32", "tf32", "f32", 0x910, 8),
        ("f8f6f4", "e4m3", "f32", 0x10, 32),
        ("f8f6f4", "e5m2", "f32", 0x490, 32),
        ("i8", "s8", "s32", 0x4a0, 32),
    ];
    for (kind, ty, sums, idesc, k) in kinds {
        for (m, n) in [(128, 16), (64, 32), (128, 24)] {
            if kind == "i8" && n % 16 != 0 {
                continue;
            }
            let (a, b) = (matrix(m, k, 1), matrix(k, n, 2));
            for width in [16, 32, 64, 128] {
                let of = Product { kind, ty, sums, idesc, m, n };
                let place = layout(width, false, 0);
                let mut image = vec![0; 32768];
                place.put(&mut image, 0, ty, &a, false);
                place.put(&mut image, 16384, ty, &b, true);
                let operands = descriptor("%a", 0, place) + &descriptor("%b", 16384, place);
                let mma = format!(
                    "tcgen05.mma.cta_group::1.kind::{kind}.collector::a::discard [%taddr], %a, %b, %idesc, %on;"
                );
                let what = format!("{kind} {ty} {sums} {m}x{n}x{k} width {width}");
                let results = of.run(&what, &operands, &mma, &image);
                let expected = product(&a, &b, &of.start());
                for (row, expected) in expected.iter().enumerate() {
                    assert_eq!(results[lane(m, row)], *expected, "{what} row {row} of {}", of.kind);
                }
                // The other lanes keep what they had.
                if m == 64 {
                    assert_eq!(results[16], of.start()[0], "{what}, a lane that is not of D, {}", of.ty);
                }
            }
        }
    }
}

#[test]
fn products_negate_transpose_scale_and_leave_lanes_out() {
    let (m, n, k) = (128, 16, 16);
    let (a, b) = (matrix(m, k, 3), matrix(k, n, 4));
    let base = Product { kind: "f16", ty: "f16", sums: "f32", idesc: 0x10, m, n };
    for width in [16, 32, 64, 128] {
        // B is N-major, and has one pattern of 128 bytes along N.
        let (of_a, of_b) = (layout(width, true, 128), layout(width, true, n));
        let mut image = vec![0; 32768];
        of_a.put(&mut image, 0, "f16", &a, false);
        of_b.put(&mut image, 16384, "f16", &b, true);
        let operands = descriptor("%a", 0, of_a) + &descriptor("%b", 16384, of_b);
        let of = Product { idesc: base.idesc | 3 << 15 | 1 << 13, ..base };
        let mma = "tcgen05.mma.cta_group::1.kind::f16 [%taddr], %a, %b, %idesc, %on, 2;";
        let results = of.run("transposed", &operands, mma, &image);
        let negated = a.iter().map(|row| row.iter().map(|value| -value).collect()).collect();
        let start = of.start().iter().map(|row| row.iter().map(|value| value / 4.0).collect()).collect();
        assert_eq!(results, product(&negated, &b, &start), "width {width}");
    }
    let place = layout(32, false, 0);
    let mut image = vec![0; 32768];
    place.put(&mut image, 0, "f16", &a, false);
    place.put(&mut image, 16384, "f16", &b, true);
    let operands = descriptor("%a", 0, place)
        + &descriptor("%b", 16384, place)
        + ".reg .b32 %m; mov.b32 %m, 2; setp.ne.u32 %on, %t, %t;\n";
    let mma = "tcgen05.mma.cta_group::1.kind::f16 [%taddr], %a, %b, %idesc, {%m, %m, %m, %m}, %on;";
    let results = base.run("lanes", &operands, mma, &image);
    let plain = product(&a, &b, &vec![vec![0.0; n]; m]);
    for row in 0..m {
        let expected = if row % 32 == 1 { &base.start()[row] } else { &plain[row] };
        assert_eq!(results[row], *expected, "row {row}");
    }
}

/// Of a pair, each CTA has half of the rows of A and of D, and half of the columns of B. With 64 rows, its lanes have the columns of D
/// in two parts.
#[test]
fn a_pair_multiplies_matrices_of_both() {
    let (n, k) = (32, 16);
    for m in [256, 128] {
        let (a, b) = (matrix(m, k, 11), matrix(k, n, 12));
        let place = layout(32, false, 0);
        let mut image = vec![0; 16384];
        for block in 0..2 {
            let rows = a[block * m / 2..(block + 1) * m / 2].to_vec();
            let columns = b.iter().map(|row| row[block * n / 2..(block + 1) * n / 2].to_vec()).collect();
            place.put(&mut image, 8192 * block, "f16", &rows, false);
            place.put(&mut image, 8192 * block + 4096, "f16", &columns, true);
        }
        let idesc = 0x10 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24;
        let barrier = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
        let text = allocated(32).replace("cta_group::1", "cta_group::2")
            + &descriptor("%a", 0, place)
            + &descriptor("%b", 4096, place)
            + &format!(
                "mov.b32 %idesc, {idesc:#x}; setp.ne.u32 %on, %t, %t; {barrier}
mov.u32 %x, %cluster_ctarank; setp.eq.and.u32 %leader, %x, 0, %leader; .reg .b16 %both; mov.b16 %both, 3;
@%leader tcgen05.mma.cta_group::2.kind::f16 [%taddr], %a, %b, %idesc, %on;
@%leader tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %both;
again_wait: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p, [bar], 0; @!%p bra again_wait; tcgen05.fence::after_thread_sync;
tcgen05.ld.sync.aligned.32x32b.x32.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned; {barrier}\n",
                list('d', 0, 32)
            )
            + &deallocated(32).replace("cta_group::1", "cta_group::2");
        // With 64 rows in a block, a lane has half of the columns: the other words are of no product.
        let per = if m == 256 { 32 } else { 16 };
        let text = text
            .replace("32x32b.x32.b32", &format!("32x32b.x{per}.b32"))
            .replace(&list('d', 0, 32), &list('d', 0, per));
        let results = run_cluster(2, &text, &vec![vec![0]; 256], per, &image);
        let expected = product(&a, &b, &vec![vec![0.0; n]; m]);
        for (row, expected) in expected.iter().enumerate() {
            let (block, row) = (row / (m / 2), row % (m / 2));
            for (column, value) in expected.iter().enumerate() {
                let lane = row + m / 2 * (column / per);
                let found = values("f32", &results[128 * block + lane])[column % per];
                assert_eq!(found, *value, "M {m} block {block} row {row} column {column}");
            }
        }
    }
}

/// With A in tensor memory: two halves in each word of its lane.
#[test]
fn a_may_be_in_tensor_memory() {
    let (m, n, k) = (128, 16, 16);
    let (a, b) = (matrix(m, k, 5), matrix(k, n, 6));
    let place = layout(32, false, 0);
    let mut image = vec![0; 16384];
    place.put(&mut image, 0, "f16", &b, true);
    let inputs: Vec<Vec<u32>> = a.iter().map(|row| bits("f16", row)).collect();
    let text = format!(
        "{}tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine+16], {}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %on, %t, %t; add.u32 %x, %taddr, 16;
mov.b32 %y, %x;\n{}mov.b32 %idesc, {:#x}; @%leader tcgen05.mma.cta_group::1.kind::f16 [%taddr], [%y], %b, %idesc, %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x16.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
        allocated(32),
        list('i', 0, 8),
        descriptor("%b", 0, place),
        0x10 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24,
        list('d', 0, 16),
        deallocated(32)
    );
    let results = run(&text, &inputs, 16, &image);
    let expected = product(&a, &b, &vec![vec![0.0; n]; m]);
    for (row, words) in results.iter().enumerate() {
        assert_eq!(values("f32", words), expected[row], "row {row}");
    }
}

/// Of `.tf32`, transposed matrices have a pattern of four rows of 128 bytes that exchange their 32 bytes.
#[test]
fn transposed_matrices_of_tf32_have_their_own_pattern() {
    let (m, n, k) = (128, 32, 8);
    let (a, b) = (matrix(m, k, 13), matrix(k, n, 14));
    let mut image = vec![0; 32768];
    let mut put = |at: usize, along_mn: usize, along_k: usize, value: f64| {
        let of = 512 * (along_k / 4) + 1024 * (along_mn / 32) + 128 * (along_k % 4) + 4 * (along_mn % 32);
        let of = at + (of ^ (of / 128 % 4 * 32));
        image[of..of + 4].copy_from_slice(&(value as f32).to_le_bytes());
    };
    for (row, values) in a.iter().enumerate() {
        values.iter().enumerate().for_each(|(column, value)| put(0, row, column, *value));
    }
    for (row, values) in b.iter().enumerate() {
        values.iter().enumerate().for_each(|(column, value)| put(16384, column, row, *value));
    }
    let of = |register: &str, at: usize| {
        let bits: u64 = 1 << 61 | 1 << 46 | (512 / 16) << 32 | (1024 / 16) << 16;
        format!(
            "add.u32 %x, %shared, {at}; shr.u32 %x, %x, 4; cvt.u64.u32 {register}, %x; or.b64 {register}, {register}, {bits:#x};\n"
        )
    };
    let product_of = Product { kind: "tf32", ty: "tf32", sums: "f32", idesc: 0x910 | 3 << 15, m, n };
    let mma = "tcgen05.mma.cta_group::1.kind::tf32 [%taddr], %a, %b, %idesc, %on;";
    let results = product_of.run("tf32", &(of("%a", 0) + &of("%b", 16384)), mma, &image);
    assert_eq!(results, product(&a, &b, &product_of.start()));
}

/// The elements of a sparse A are where the metadata says, of which a lane has that of two rows, or of its own.
#[test]
fn sparse_products_put_elements_where_the_metadata_says() {
    // The lowest bit of the descriptor selects the second of two columns.
    let kinds = [
        ("f16", "f16", "f32", 0x14, 32, 4),
        ("f16", "f16", "f32", 0x15, 32, 4),
        ("tf32", "tf32", "f32", 0x914, 16, 2),
        ("tf32", "tf32", "f32", 0x915, 16, 2),
        ("f8f6f4", "e4m3", "f32", 0x14, 64, 4),
        ("i8", "s8", "s32", 0x4a4, 64, 4),
    ];
    for (kind, ty, sums, idesc, k, group) in kinds {
        let (m, n) = (128, 16);
        let (stored, b) = (matrix(m, k / 2, 15), matrix(k, n, 16));
        // The bits of each group, and the dense A.
        let all: &[u32] = if group == 2 {
            &[0b0100, 0b1110]
        } else {
            &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110]
        };
        let bits_of = |row: usize, at: usize| all[(row * 5 + at * 3) % all.len()];
        let mut a = vec![vec![0.0; k]; m];
        for (row, values) in stored.iter().enumerate() {
            for at in 0..k / group {
                let bits = bits_of(row, at) as usize;
                let places = if group == 2 { vec![bits >> 3] } else { vec![bits & 3, bits >> 2] };
                for (i, place) in places.into_iter().enumerate() {
                    a[row][at * group + place] = values[at * group / 2 + i];
                }
            }
        }
        let inputs: Vec<Vec<u32>> = (0..128)
            .map(|lane: usize| {
                let of_groups = |row: usize, first: usize, count: usize| {
                    (0..count).fold(0, |word, at| word | bits_of(row, first + at) << (4 * at))
                };
                if kind == "f16" || kind == "tf32" {
                    // The upper 8 of 16 lanes have the second half along K; the halves of a word are of rows that are 8 apart.
                    let (row, first) = (lane / 16 * 16 + lane % 8, lane / 8 % 2 * 4);
                    let word = of_groups(row, first, 4) | of_groups(row + 8, first, 4) << 16;
                    if idesc & 1 == 1 { vec![0, word] } else { vec![word, 0] }
                } else {
                    vec![of_groups(lane, 0, 8), of_groups(lane, 8, 8)]
                }
            })
            .collect();
        let (of_a, of_b) = (layout(32, false, 0), layout(64, false, 0));
        let mut image = vec![0; 32768];
        of_a.put(&mut image, 0, ty, &stored, false);
        of_b.put(&mut image, 16384, ty, &b, true);
        let idesc = idesc | (n as u32 / 8) << 17 | (m as u32 / 16) << 24;
        let text = format!(
            "{}tcgen05.st.sync.aligned.32x32b.x2.b32 [%mine+16], {{%i0, %i1}}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %on, %t, %t;
{}{}mov.b32 %idesc, {idesc:#x};
@%leader tcgen05.mma.sp.cta_group::1.kind::{kind} [%taddr], %a, %b, [%taddr+16], %idesc, %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x16.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(32),
            descriptor("%a", 0, of_a),
            descriptor("%b", 16384, of_b),
            list('d', 0, 16),
            deallocated(32)
        );
        let expected = product(&a, &b, &vec![vec![0.0; n]; m]);
        for (row, words) in run(&text, &inputs, 16, &image).iter().enumerate() {
            assert_eq!(values(sums, words), expected[row], "{kind} row {row}");
        }
    }
}

/// `.ws`: D of 64 or 32 rows has its columns in two or four parts of the lanes.
#[test]
fn weight_stationary_products_have_columns_in_all_lanes() {
    for (m, n) in [(128, 64), (64, 64), (32, 64)] {
        let k = 16;
        let (a, b) = (matrix(m, k, 7), matrix(k, n, 8));
        let place = layout(32, false, 0);
        let mut image = vec![0; 32768];
        place.put(&mut image, 0, "f16", &a, false);
        place.put(&mut image, 16384, "f16", &b, true);
        let of = Product { kind: "f16", ty: "f16", sums: "f32", idesc: 0x10, m, n };
        let operands =
            descriptor("%a", 0, place) + &descriptor("%b", 16384, place) + "setp.ne.u32 %on, %t, %t;\n";
        let mma = "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b0::fill [%taddr], %a, %b, %idesc, %on;";
        let results = of.run("ws", &operands, mma, &image);
        let (expected, per) = (product(&a, &b, &vec![vec![0.0; n]; m]), n * m / 128);
        for (row, values) in expected.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let found = results[row + m * (column / per)][column % per];
                assert_eq!(found, *value, "M {m} row {row} column {column}");
            }
        }
    }
}

/// Block scaling: the factors of row or column `i` are in lane `i % 32` of each part, and in word `i / 32`.
#[test]
fn blocks_are_scaled() {
    let (m, n, k) = (128, 16, 32);
    let (a, b) = (matrix(m, k, 9), matrix(k, n, 10));
    let place = layout(32, false, 0);
    let mut image = vec![0; 32768];
    place.put(&mut image, 0, "e4m3", &a, false);
    place.put(&mut image, 16384, "e4m3", &b, true);
    // Byte 1 has the powers of two: 2^(i % 3) for a row, 2^-(i % 2) for a column.
    let of_a = |row: usize| 127 + (row % 3) as u32;
    let of_b = |column: usize| 127 - (column % 2) as u32;
    let inputs: Vec<Vec<u32>> = (0..128)
        .map(|lane| {
            let of_words = (0..4).map(|word| of_a(32 * word + lane % 32) << 8);
            of_words.chain([of_b(lane % 32) << 8]).collect()
        })
        .collect();
    let idesc = (n as u32 / 8) << 17 | 1 << 23 | 1 << 27 | 1 << 29 | 1 << 4;
    let text = format!(
        "{}tcgen05.st.sync.aligned.32x32b.x4.b32 [%mine+16], {}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine+20], {{%i4}};
tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
setp.ne.u32 %on, %t, %t;\n{}{}mov.b32 %idesc, {idesc:#x};
or.b32 %x, %taddr, 0x40000000;
@%leader tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%taddr], %a, %b, %idesc, [%x+16], [%x+20], %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x16.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
        allocated(32),
        list('i', 0, 4),
        descriptor("%a", 0, place),
        descriptor("%b", 16384, place),
        list('d', 0, 16),
        deallocated(32)
    );
    let results = run(&text, &inputs, 16, &image);
    let plain = product(&a, &b, &vec![vec![0.0; n]; m]);
    for (row, words) in results.iter().enumerate() {
        for (column, value) in values("f32", words).into_iter().enumerate() {
            let scale =
                f64::from(of_a(row) as i32 - 127).exp2() * f64::from(of_b(column) as i32 - 127).exp2();
            assert_eq!(value, plain[row][column] * scale, "row {row} column {column}");
        }
    }
}

/// Copies from shared memory: to all lanes, or to half or a quarter of them, and to the others likewise.
#[test]
fn copies_reach_all_warps() {
    let word = |row: usize, word: usize| (100 * row + word) as u32;
    for (shape, rows, words, from) in [
        ("128x256b", 128, 8, (|lane| lane) as fn(usize) -> usize),
        ("128x128b", 128, 4, |lane| lane),
        ("64x128b.warpx2::02_13", 64, 4, |lane| lane % 64),
        ("64x128b.warpx2::01_23", 64, 4, |lane| lane / 64 * 32 + lane % 32),
        ("32x128b.warpx4", 32, 4, |lane| lane % 32),
    ] {
        // Rows of 16 bytes, eight beside each other.
        let place = Layout { width: 16, mn_major: false, leading: 128, stride: 32 * words };
        let mut image = vec![0; 8192];
        for row in 0..rows {
            for i in 0..words {
                let at = row / 8 * place.stride + i / 4 * place.leading + row % 8 * 16 + i % 4 * 4;
                image[at..at + 4].copy_from_slice(&word(row, i).to_le_bytes());
            }
        }
        let text = format!(
            "{}{}@%leader tcgen05.cp.cta_group::1.{shape} [%taddr], %a;\n{COMMITTED}
tcgen05.ld.sync.aligned.32x32b.x{words}.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(32),
            descriptor("%a", 0, place),
            list('d', 0, words),
            deallocated(32)
        );
        for (lane, found) in run(&text, &vec![vec![0]; 128], words, &image).into_iter().enumerate() {
            let expected: Vec<u32> = (0..words).map(|i| word(from(lane), i)).collect();
            assert_eq!(found, expected, "{shape} lane {lane}");
        }
    }
}

/// `.4x256b`: a row for each 32 lanes, from a lane among the first 32 on. The other lanes keep what they had.
#[test]
fn copies_of_four_rows_reach_a_lane_of_each_warp() {
    // Word `i` of row `r` is `100 r + i + 1`. Rows of two parts of 16 bytes, which are 128 bytes apart.
    let mut image = vec![0; 256];
    for (row, i) in (0..4).flat_map(|row| (0..8).map(move |i| (row, i))) {
        let at = row * 16 + i / 4 * 128 + i % 4 * 4;
        image[at..at + 4].copy_from_slice(&(100 * row as u32 + i as u32 + 1).to_le_bytes());
    }
    for first in [0, 31] {
        let place = Layout { width: 16, mn_major: false, leading: 128, stride: 256 };
        let text = format!(
            "{}tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine], {}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; {}add.u32 %x, %taddr, {};
@%leader tcgen05.cp.cta_group::1.4x256b [%x], %a;\n{COMMITTED}
tcgen05.ld.sync.aligned.32x32b.x8.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(32),
            list('i', 0, 8),
            descriptor("%a", 0, place),
            first << 16,
            list('d', 0, 8),
            deallocated(32)
        );
        let inputs: Vec<Vec<u32>> =
            (0..128).map(|lane| (0..8).map(|i| 7000 + 10 * lane + i).collect()).collect();
        for (lane, found) in run(&text, &inputs, 8, &image).into_iter().enumerate() {
            let expected: Vec<u32> = match lane % 32 == first {
                true => (1..9).map(|i| 100 * (lane as u32 / 32) + i).collect(),
                false => inputs[lane].clone(),
            };
            assert_eq!(found, expected, "from lane {first} on: lane {lane}");
        }
    }
}

/// 16 elements of 6 or 4 bits in 12 or 8 bytes, with padding to 16, become bytes: 6 bits at the lower end, 4 bits in the middle.
#[test]
fn copies_expand_elements() {
    // The elements 1, 2, 3, 4 and so on, of 6 bits in three bytes for each four.
    let of_6: [u8; 16] =
        [0x81, 0x30, 0x10, 0x85, 0x71, 0x20, 0x89, 0xb2, 0x30, 0x8d, 0xf3, 0x40, 0xff, 0xff, 0xff, 0xff];
    let of_4: [u8; 16] =
        [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 255, 255, 255, 255, 255, 255, 255, 255];
    let expanded_6 = [0x0403_0201, 0x0807_0605, 0x0c0b_0a09, 0x100f_0e0d];
    let expanded_4 = [0x100c_0804, 0x201c_1814, 0x302c_2824, 0x003c_3834];
    for (name, source, expected) in [("b6x16_p32", of_6, expanded_6), ("b4x16_p64", of_4, expanded_4)] {
        for (shape, rows, chunks) in [("128x256b", 128, 2), ("32x128b.warpx4", 32, 1)] {
            let place = Layout { width: 16, mn_major: false, leading: 128, stride: 128 * chunks };
            let image: Vec<u8> = source.iter().copied().cycle().take(16 * rows * chunks).collect();
            let text = format!(
                "{}{}@%leader tcgen05.cp.cta_group::1.{shape}.b8x16.{name} [%taddr], %a;\n{COMMITTED}
tcgen05.ld.sync.aligned.32x32b.x{}.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
                allocated(32),
                descriptor("%a", 0, place),
                4 * chunks,
                list('d', 0, 4 * chunks),
                deallocated(32)
            );
            for (lane, found) in run(&text, &vec![vec![0]; 128], 4 * chunks, &image).into_iter().enumerate() {
                assert_eq!(found, expected.repeat(chunks), "{shape} {name} lane {lane}");
            }
        }
    }
}

/// The masks of the examples of 9.7.16.4.3, lowest column first, and B from the column of the shift on.
#[test]
fn zero_column_masks_are_those_of_the_examples() {
    // The start counts and the first spans of the parts, and the shift. A skip span of 3 columns, a use span of 4.
    type Example = (usize, usize, [u64; 4], [u64; 4], u64, [&'static str; 4]);
    let examples: [Example; 4] = [
        (128, 64, [0; 4], [0; 4], 0, ["0000111", "", "", ""]),
        (64, 128, [0; 4], [1, 0, 0, 0], 0, ["1110000", "0000111", "", ""]),
        (32, 128, [0, 1, 2, 1], [1, 1, 0, 0], 2, ["1110000", "1100001", "0011100", "0001110"]),
        // No mask is generated, so all columns are B's.
        (128, 64, [0; 4], [0; 4], 8, ["0", "", "", ""]),
    ];
    for (number, (m, n, starts, firsts, shift, masks)) in examples.into_iter().enumerate() {
        let k = 16;
        let (a, b) = (matrix(m, k, 17), matrix(k, n + 32, 18));
        let per = n * m / 128;
        let is_zero = |column: usize| {
            let mask = masks[column / per].as_bytes();
            mask[column % per % mask.len()] == b'1'
        };
        let used: Matrix = b
            .iter()
            .map(|row| {
                let of = |column: usize| if is_zero(column) { 0.0 } else { row[column + shift as usize] };
                (0..n).map(of).collect()
            })
            .collect();
        let mut mask = u64::from(number != 3) << 39 | 2 << 40 | 3 << 48 | shift << 56;
        for part in 0..4 {
            mask |= starts[part] << (8 * part) | firsts[part] << (32 + part);
        }
        for mn_major in [false, true] {
            let (of_a, of_b) = (layout(32, false, 0), layout(16, mn_major, n + 32));
            let mut image = vec![0; 32768];
            of_a.put(&mut image, 0, "f16", &a, false);
            of_b.put(&mut image, 16384, "f16", &b, true);
            let idesc = 0x10 | 1 << 30 | u32::from(mn_major) << 16;
            let of = Product { kind: "f16", ty: "f16", sums: "f32", idesc, m, n };
            let operands = descriptor("%a", 0, of_a)
                + &descriptor("%b", 16384, of_b)
                + &format!(".reg .b64 %mask; mov.b64 %mask, {mask:#x}; setp.ne.u32 %on, %t, %t;\n");
            let mma = "tcgen05.mma.ws.cta_group::1.kind::f16 [%taddr], %a, %b, %idesc, %on, %mask;";
            let results = of.run("zero columns", &operands, mma, &image);
            let expected = product(&a, &used, &vec![vec![0.0; n]; m]);
            for (row, values) in expected.iter().enumerate() {
                for (column, value) in values.iter().enumerate() {
                    let found = results[row + m * (column / per)][column % per];
                    assert_eq!(found, *value, "example {number}, {mn_major}: row {row} column {column}");
                }
            }
        }
    }
}

/// A of `.ws` in tensor memory: each part of the lanes has all rows of A.
#[test]
fn weight_stationary_products_read_a_of_each_part() {
    for m in [128, 64, 32] {
        let (n, k) = (64, 16);
        let (a, b) = (matrix(m, k, 19), matrix(k, n, 20));
        let place = layout(32, false, 0);
        let mut image = vec![0; 16384];
        place.put(&mut image, 0, "f16", &b, true);
        let inputs: Vec<Vec<u32>> = (0..128).map(|lane| bits("f16", &a[lane % m])).collect();
        let per = n * m / 128;
        let text = format!(
            "{}tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine+64], {}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %on, %t, %t; add.u32 %y, %taddr, 64;
{}mov.b32 %idesc, {:#x}; @%leader tcgen05.mma.ws.cta_group::1.kind::f16 [%taddr], [%y], %b, %idesc, %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x{per}.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(128),
            list('i', 0, 8),
            descriptor("%b", 0, place),
            0x10 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24,
            list('d', 0, per),
            deallocated(128)
        );
        let results = run(&text, &inputs, per, &image);
        let expected = product(&a, &b, &vec![vec![0.0; n]; m]);
        for (lane, words) in results.iter().enumerate() {
            let columns = lane / m * per..(lane / m + 1) * per;
            assert_eq!(values("f32", words), expected[lane % m][columns], "M {m} lane {lane}");
        }
    }
}

/// Elements of 4 and 6 bits of an A in tensor memory have a byte each: 1.5 is 0b0011 in `.e2m1`, 0b001100 in `.e2m3`, and 0b001110 in
/// `.e3m2`, with 4 bits in the middle of the byte and 6 bits at its lower end.
#[test]
fn narrow_elements_of_a_in_tensor_memory_have_bytes() {
    for (number, byte) in [(5, 0b0011 << 2), (3, 0b001100), (4, 0b001110)] {
        let (m, n, k) = (128, 16, 32);
        let b = matrix(k, n, 21);
        let place = layout(32, false, 0);
        let mut image = vec![0; 16384];
        place.put(&mut image, 0, "e4m3", &b, true);
        // One element of each row: that of the row's number, modulo 32. The upper bits of a byte do not count.
        let inputs: Vec<Vec<u32>> = (0..128)
            .map(|row: usize| {
                let mut words = vec![0; 8];
                words[row % 32 / 4] = (byte | 0xc0) << (8 * (row % 4));
                words
            })
            .collect();
        let text = format!(
            "{}tcgen05.st.sync.aligned.32x32b.x8.b32 [%mine+16], {}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %on, %t, %t; add.u32 %y, %taddr, 16;
{}mov.b32 %idesc, {:#x}; @%leader tcgen05.mma.cta_group::1.kind::f8f6f4 [%taddr], [%y], %b, %idesc, %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x16.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(32),
            list('i', 0, 8),
            descriptor("%b", 0, place),
            0x10 | number << 7 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24,
            list('d', 0, 16),
            deallocated(32)
        );
        for (row, words) in run(&text, &inputs, 16, &image).iter().enumerate() {
            let expected: Vec<f64> = b[row % 32].iter().map(|value| 1.5 * value).collect();
            assert_eq!(values("f32", words), expected, "type {number} row {row}");
        }
    }
}

/// K = 96: rows of 48 bytes, whose end may be elsewhere, and six scale factors of 16 elements or three of 32. The bytes of the factors
/// of a row that are behind its word are in the word four columns on.
#[test]
fn products_of_96_have_more_factors_than_a_word() {
    let (m, n, k) = (128, 16, 96);
    let (a, b) = (matrix(m, k, 22), matrix(k, n, 23));
    let by_columns: Matrix = (0..n).map(|column| b.iter().map(|row| row[column]).collect()).collect();
    // The factors per row, the kind, the first byte, and the byte of the pattern of 128 bytes at which rows begin.
    for (factors, kind, first, start) in [
        (6, "mxf4nvf4.block_scale.block16", 0, 0),
        (6, "mxf4nvf4.block_scale.block16", 2, 96),
        (3, "mxf4.block_scale.block32", 3, 48),
        (3, "mxf4nvf4.block_scale.block32", 1, 112),
    ] {
        let mut image = vec![0; 36864];
        // The ends of the rows are behind those of all.
        let mut put = |at: usize, rows: &Matrix| {
            for (row, values) in rows.iter().enumerate() {
                let bytes = bits("e2m1", values).into_iter().flat_map(u32::to_le_bytes);
                for (i, byte) in bytes.enumerate() {
                    let along = start + i;
                    let of = row * 128 + along % 128;
                    image[at + along / 128 * 128 * rows.len() + (of ^ (row % 8 * 16))] = byte;
                }
            }
        };
        put(0, &a);
        put(32768, &by_columns);
        let descriptor = |register: &str, at: usize, rows: usize| {
            let bits: u64 = 2 << 61 | 1 << 46 | 1 << 52 | (1024 / 16) << 32;
            format!(
                "add.u32 %x, %shared, {}; shr.u32 %x, %x, 4; add.u32 %y, %shared, {}; shl.b32 %y, %y, 12; or.b32 %x, %x, %y;
cvt.u64.u32 {register}, %x; or.b64 {register}, {register}, {bits:#x};\n",
                at + start,
                at + 128 * rows
            )
        };
        // 2^((i + block) % 3) for a row, 2^-((i + block) % 2) for a column.
        let of_a = |row: usize, block: usize| ((row + block) % 3) as i32;
        let of_b = |column: usize, block: usize| -(((column + block) % 2) as i32);
        let byte = |exponent: i32| (127 + exponent) as u32;
        let word = |index: usize, word: usize, of: &dyn Fn(usize, usize) -> i32| {
            (0..4).fold(0, |all, i| {
                let block = (4 * word + i).checked_sub(first).filter(|block| *block < factors);
                all | block.map_or(0xff, |block| byte(of(index, block))) << (8 * i)
            })
        };
        let inputs: Vec<Vec<u32>> = (0..128)
            .map(|lane: usize| {
                let of_rows = (0..8).map(|i| word(32 * (i % 4) + lane % 32, i / 4, &of_a));
                let of_columns =
                    (0..8).map(|i| if i % 4 == 0 { word(lane % 32, i / 4, &of_b) } else { 0xffff_ffff });
                of_rows.chain(of_columns).collect()
            })
            .collect();
        let idesc = 1 << 31
            | (n as u32 / 8) << 17
            | 1 << 23
            | 1 << 27
            | (first as u32) << 29
            | (first as u32) << 4
            | 0x480;
        let text = format!(
            "{}tcgen05.st.sync.aligned.32x32b.x16.b32 [%mine+16], {}; tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync; setp.ne.u32 %on, %t, %t;
{}{}mov.b32 %idesc, {idesc:#x};
@%leader tcgen05.mma.cta_group::1.kind::{kind} [%taddr], %a, %b, %idesc, [%taddr+16], [%taddr+24], %on;
{COMMITTED}tcgen05.ld.sync.aligned.32x32b.x16.b32 {}, [%mine]; tcgen05.wait::ld.sync.aligned;\n{}",
            allocated(32),
            list('i', 0, 16),
            descriptor("%a", 0, m),
            descriptor("%b", 32768, n),
            list('d', 0, 16),
            deallocated(32)
        );
        for (row, words) in run(&text, &inputs, 16, &image).iter().enumerate() {
            for (column, found) in values("f32", words).into_iter().enumerate() {
                let scaled = |at: usize| {
                    let block = at / (k / factors);
                    let scale = f64::from(of_a(row, block) + of_b(column, block)).exp2();
                    a[row][at] * b[at][column] * scale
                };
                let expected: f64 = (0..k).map(scaled).sum();
                assert_eq!(found, expected, "{kind} from byte {first} on: row {row} column {column}");
            }
        }
    }
}

/// A wrong operand, and one whose meaning the PTX ISA leaves open, ends the grid with a message that names it.
#[test]
fn faults_name_what_is_wrong_in_an_operand() {
    let fault = |operands: &str, instruction: &str| {
        let text = format!(
            ".version 9.4\n.target sm_103a\n.address_size 64\n.shared .align 1024 .b8 image[16384];
.visible .entry k(.param .u64 p) {{ .reg .b32 %t, %x, %y, %shared; .reg .b64 %a, %b, %mask; .reg .pred %p, %on;
mov.u32 %t, %tid.x; mov.u32 %shared, image; setp.ne.u32 %on, %t, %t;\n{}{operands}\n@%leader {instruction}\n{}ret; }}\n",
            allocated(128),
            deallocated(128)
        );
        let mut device = Device::new();
        let module = device.load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let params = lay_out(module.parameters("k").unwrap(), &[&[0; 8][..]]);
        let report = device
            .launch(&module, "k", &Launch { params, ..Launch::new(1, 128) }, &Options::default())
            .unwrap();
        report.fault.expect("the grid ends").to_string()
    };
    let of_shared = |rest: u64| {
        let bits = 1 << 46 | rest;
        format!("shr.u32 %x, %shared, 4; cvt.u64.u32 %a, %x; or.b64 %a, %a, {bits:#x}; mov.b64 %b, %a;")
    };
    let with = |idesc: u32, rest: &str| format!("{} mov.b32 %idesc, {idesc:#x}; {rest}", of_shared(0));
    let ws = "tcgen05.mma.ws.cta_group::1.kind::f16 [%taddr], %a, %b, %idesc, %on, %mask;";
    let of_ws = 0x10 | 8 << 17 | 8 << 24;
    let mask = |bits: u64| with(of_ws | 1 << 30, &format!("mov.b64 %mask, {bits:#x};"));
    let sp = "tcgen05.mma.sp.cta_group::1.kind::f16 [%taddr], %a, %b, [%taddr+65], %idesc, %on;";
    let of_sp = 0x14 | 2 << 17 | 8 << 24;
    let mxf4 = "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.block32 [%taddr], %a, %b, [%taddr+64], %idesc, [%taddr+70], [%taddr+80], %on;";
    for (operands, instruction, expected) in [
        (mask(1 << 39 | 2 << 40 | 3 << 48 | 4), ws, "start count 0 of 4 for a first span of 4 columns"),
        (mask(9 << 56), ws, "a shift of 9 columns, of which M = 128 has 32 and the instruction descriptor 8"),
        (mask(1 << 36), ws, "bits that are reserved"),
        (with(of_sp, ""), sp, "metadata of A from column 65 on: the interpreter models even columns"),
        (with(of_sp | 2, ""), sp, "sparsity selector 2: the interpreter models 0 and 1"),
        (
            with(of_sp | 1, ""),
            "tcgen05.mma.sp.cta_group::1.kind::f8f6f4 [%taddr], %a, %b, [%taddr+64], %idesc, %on;",
            "sparsity selector 1: it is 0 for the kind",
        ),
        (with(1 << 31 | 0x484 | 2 << 17 | 1 << 23 | 1 << 27, ""), mxf4, "K = 96 with a sparse A"),
        (
            of_shared(1 << 52) + "mov.b32 %idesc, 0x8040010;",
            "tcgen05.mma.cta_group::1.kind::f16 [%taddr], %a, %b, %idesc, %on;",
            "an absolute leading dimension, which rows of 48 bytes alone have",
        ),
        (
            of_shared(0) + "add.u32 %x, %taddr, 0x10000;",
            "tcgen05.cp.cta_group::1.128x128b [%x], %a;",
            "a copy to tensor memory from lane 1 on",
        ),
    ] {
        let found = fault(&operands, instruction);
        assert!(found.contains(expected), "{instruction}\n{found}");
    }
}

/// What the PTX ISA leaves open is refused by name.
#[test]
fn what_is_open_is_refused_by_name() {
    let error = |instruction: &str| {
        let text = format!(
            ".version 9.4\n.target sm_100a\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
{instruction}\nret; }}\n"
        );
        Device::new().load(&text).map(drop).expect_err("it is refused").to_string()
    };
    for (instruction, word) in [
        ("tcgen05.shift.cta_group::1.down [%r0];", "`.shift`"),
        ("tcgen05.mma.cta_group::1.kind::f16.ashift [%r0], [%r1], %rd1, %r2, %p0;", "`.ashift`"),
    ] {
        let found = error(instruction);
        assert!(found.contains(word) && found.contains("is not modelled"), "{instruction}: {found}");
    }
}
