//! Matrices, how they lie in memory, and kernels that multiply them.

#![allow(dead_code, reason = "each test file uses a part")]

use std::fmt::Write;

use ptx_emu::{Device, Format, Launch, Options, Schedule, lay_out};

pub type Matrix = Vec<Vec<f64>>;

/// Returns a matrix of small integers, which differ between matrices of different seeds.
pub fn matrix(rows: usize, columns: usize, seed: usize) -> Matrix {
    let value = |row: usize, column: usize| {
        ((((row * 31 + column * 17 + seed * 7) * 2654435761) >> 8) % 7) as f64 - 3.0
    };
    (0..rows).map(|row| (0..columns).map(|column| value(row, column)).collect()).collect()
}

/// Returns `A * B + C`.
pub fn product(a: &Matrix, b: &Matrix, c: &Matrix) -> Matrix {
    let of = |row: usize, column: usize| {
        c[row][column] + (0..b.len()).map(|at| a[row][at] * b[at][column]).sum::<f64>()
    };
    (0..c.len()).map(|row| (0..c[0].len()).map(|column| of(row, column)).collect()).collect()
}

/// Packs values into words, the first one lowest.
pub fn words(bits: u32, values: &[u64]) -> Vec<u32> {
    let per = (32 / bits) as usize;
    let mask = u64::MAX >> (64 - bits);
    let word = |chunk: &[u64]| chunk.iter().rev().fold(0u64, |all, value| all << bits | value & mask) as u32;
    values.chunks(per).map(word).collect()
}

/// Returns the bits of small integers in a type.
pub fn bits(ty: &str, values: &[f64]) -> Vec<u32> {
    let float = |format: Format| values.iter().map(|value| format.from_f64(*value)).collect::<Vec<_>>();
    let integer = || values.iter().map(|value| *value as i64 as u64).collect::<Vec<_>>();
    match ty {
        "f16" => words(16, &float(Format::F16)),
        "bf16" => words(16, &float(Format::Bf16)),
        "e4m3" => words(8, &float(Format::E4m3)),
        "e5m2" => words(8, &float(Format::E5m2)),
        // 0, 1, 2 and 3, with the sign above.
        "e2m1" => {
            let magnitude = |value: f64| [0, 2, 4, 5][value.abs() as usize];
            let signed = |value: &f64| magnitude(*value) | u64::from(*value < 0.0) << 3;
            words(4, &values.iter().map(signed).collect::<Vec<_>>())
        }
        "s8" | "u8" => words(8, &integer()),
        "s4" => words(4, &integer()),
        "s32" => integer().iter().map(|value| *value as u32).collect(),
        // `.f32` and `.tf32`.
        _ => values.iter().map(|value| (*value as f32).to_bits()).collect(),
    }
}

/// Returns the values of words.
pub fn values(ty: &str, words: &[u32]) -> Vec<f64> {
    let halves = |word: &u32| [*word & 0xffff, word >> 16].map(|half| Format::F16.to_f64(half.into()));
    match ty {
        "f16" => words.iter().flat_map(halves).collect(),
        "s32" => words.iter().map(|word| f64::from(*word as i32)).collect(),
        _ => words.iter().map(|word| f64::from(f32::from_bits(*word))).collect(),
    }
}

/// Runs instructions in each thread, which has the words of `inputs` in `%i0` and so on, and leaves `results` words in `%d0` and so on.
/// Shared memory holds `image`, and `%shared` is its address.
pub fn run(instructions: &str, inputs: &[Vec<u32>], results: usize, image: &[u8]) -> Vec<Vec<u32>> {
    run_cluster(1, instructions, inputs, results, image)
}

/// Likewise in the threads of so many blocks, which are a cluster. Each has its part of the inputs and of the image.
pub fn run_cluster(
    blocks: usize,
    instructions: &str,
    inputs: &[Vec<u32>],
    results: usize,
    image: &[u8],
) -> Vec<Vec<u32>> {
    let (threads, count, len) = (inputs.len() / blocks, inputs[0].len(), image.len() / blocks);
    let mut text = format!(
        ".version 9.4\n.target sm_100a\n.address_size 64\n.shared .align 1024 .b8 image[{}];
.visible .entry k(.param .u64 po, .param .u64 pi, .param .u64 ps) {{
.reg .b32 %i<{}>, %d<{results}>, %t, %x, %y, %shared; .reg .b64 %in, %out, %from, %a, %b; .reg .pred %p, %on;
ld.param.u64 %out, [po]; ld.param.u64 %in, [pi]; ld.param.u64 %from, [ps]; mov.u32 %t, %tid.x; mov.u32 %shared, image;
mov.u32 %x, %ctaid.x; mad.lo.u32 %y, %x, {threads}, %t; mad.wide.u32 %from, %x, {len}, %from;
mad.wide.u32 %out, %y, {}, %out; mad.wide.u32 %in, %y, {}, %in; mul.lo.u32 %x, %t, 4;
again: setp.ge.u32 %p, %x, {}; @%p bra filled; cvt.u64.u32 %a, %x; add.u64 %a, %a, %from; ld.global.b32 %y, [%a];
mov.u32 %shared, image; add.u32 %shared, %shared, %x; st.shared.b32 [%shared], %y; add.u32 %x, %x, {}; bra again;
filled: mov.u32 %shared, image; fence.proxy.async; bar.sync 0; setp.eq.u32 %on, %t, %t;\n",
        len.max(16),
        count.max(1),
        4 * results,
        4 * count,
        len,
        4 * threads,
    );
    for i in 0..count {
        writeln!(text, "ld.global.b32 %i{i}, [%in+{}];", 4 * i).unwrap();
    }
    text += instructions;
    for i in 0..results {
        writeln!(text, "st.global.b32 [%out+{}], %d{i};", 4 * i).unwrap();
    }
    text += "ret; }\n";
    let mut device = Device::new();
    let target = match () {
        () if text.contains("wgmma") => "sm_90a",
        () if text.contains("mma.sync") && text.contains("block_scale") => "sm_120a",
        () if text.contains("mma.sp::ordered_metadata.sync") && text.contains("block_scale") => "sm_120a",
        () => "sm_100a",
    };
    let module = device.load(&text.replace("sm_100a", target));
    let module = module.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let bytes =
        |words: &[Vec<u32>]| words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let (out, input) =
        (device.allocate(4 * results * inputs.len()), device.allocate((4 * count * inputs.len()).max(16)));
    let from = device.allocate(image.len().max(16));
    device.write(input, &bytes(inputs)).unwrap();
    device.write(from, image).unwrap();
    let arguments = [out.to_le_bytes(), input.to_le_bytes(), from.to_le_bytes()];
    let params = lay_out(module.parameters("k").unwrap(), &arguments.each_ref().map(|bytes| &bytes[..]));
    let cluster = [blocks as u32, 1, 1];
    let launch = Launch { params, cluster, ..Launch::new(blocks as u32, threads as u32) };
    // All schedules have one result.
    let mut all = Vec::new();
    for schedule in 3..6 {
        let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
        let report = device.launch(&module, "k", &launch, &options).unwrap();
        assert!(report.is_clean(), "schedule {schedule}: {report}\n{text}");
        let mut after = vec![0; 4 * results * inputs.len()];
        device.read(out, &mut after).unwrap();
        assert!(all.is_empty() || all == after, "schedule {schedule} has another result");
        all = after;
    }
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    all.chunks(4 * results).map(|row| row.chunks(4).map(word).collect()).collect()
}

/// A list of registers `{%i4, %i5}`.
pub fn list(name: char, from: usize, count: usize) -> String {
    let registers: Vec<_> = (from..from + count).map(|i| format!("%{name}{i}")).collect();
    format!("{{{}}}", registers.join(", "))
}

/// How a matrix of lines along K, or along M or N, lies in shared memory (9.7.15.5.1.2, 9.7.16.3): the bytes of a row of the swizzled pattern, and
/// the offsets between patterns.
#[derive(Clone, Copy)]
pub struct Layout {
    pub width: usize,
    pub mn_major: bool,
    pub leading: usize,
    pub stride: usize,
}

impl Layout {
    /// Returns the offset of an element of so many bytes.
    fn offset(self, bytes: usize, along_mn: usize, along_k: usize) -> usize {
        // 16 bytes stay together.
        let (line, across) = if self.mn_major { (along_k, along_mn) } else { (along_mn, along_k) };
        let (of_line, chunk, within) = (line % 8, across * bytes / 16, across * bytes % 16);
        let chunks = self.width / 16;
        let at = match (self.width, self.mn_major) {
            (16, false) => line / 8 * self.stride + chunk * self.leading + of_line * 16,
            (16, true) => line / 8 * self.leading + chunk * self.stride + of_line * 16,
            _ => {
                line / 8 * self.stride
                    + chunk / chunks * self.leading
                    + of_line * self.width
                    + chunk % chunks * 16
            }
        };
        // Of 1024 bytes, those of 128 exchange their 16 bytes: all eight, four beside each other, or two.
        (at ^ (at / 128 % chunks * 16)) + within
    }

    /// Puts a matrix into shared memory from an offset on. `by_columns`: B, whose columns are lines along K.
    pub fn put(self, image: &mut [u8], at: usize, ty: &str, matrix: &Matrix, by_columns: bool) {
        for (row, values) in matrix.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (along_mn, along_k) = if by_columns { (column, row) } else { (row, column) };
                let word = bits(ty, &[*value])[0].to_le_bytes();
                let bytes = match ty {
                    "e4m3" | "e5m2" | "s8" | "u8" => 1,
                    "f16" | "bf16" => 2,
                    _ => 4,
                };
                let offset = at + self.offset(bytes, along_mn, along_k);
                image[offset..offset + bytes].copy_from_slice(&word[..bytes]);
            }
        }
    }
}
