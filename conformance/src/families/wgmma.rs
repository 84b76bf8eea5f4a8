//! `wgmma`: a warpgroup multiplies matrices of shared memory. The whole of it has random elements, so a descriptor that is read
//! otherwise gives other sums. The elements are small, so that each sum is exact in any order.

use super::matrix::{is_type, metadata, register};
use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};

const THREADS: u32 = 128;
/// The names of the layouts of shared memory, with the bytes of a row of the pattern and the number in a descriptor.
pub(crate) const LAYOUTS: [(&str, usize, u64); 4] =
    [("no swizzle", 16, 0), ("32 bytes", 32, 3), ("64 bytes", 64, 2), ("128 bytes", 128, 1)];

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    if !form.has("mma_async") {
        return vec![alone(form)];
    }
    let n = columns(form);
    // Each form has one layout, those of few columns have all of them, negated, and in both orders.
    if n != 16 {
        return vec![product(form, "", n / 8 % 4, false, false)];
    }
    let floats = !form.has("s32");
    let halves = form.has("f16") && !is_byte(form) || form.has("bf16");
    let mut cases = Vec::new();
    for layout in 0..4 {
        cases.push(product(form, LAYOUTS[layout].0, layout, false, false));
        if halves {
            cases.push(product(form, MN_MAJOR[layout], layout, false, true));
        }
    }
    if floats {
        cases.push(product(form, "negated", 3, true, false));
    }
    cases
}

const MN_MAJOR: [&str; 4] = [
    "M and N major, no swizzle",
    "M and N major, 32 bytes",
    "M and N major, 64 bytes",
    "M and N major, 128 bytes",
];

fn is_byte(form: &Form) -> bool {
    form.one_of(&["e4m3", "e5m2"]).is_some()
}

/// Returns the columns of the shape `m64n128k16`.
fn columns(form: &Form) -> usize {
    let shape = form.words().find_map(|word| word.strip_prefix("m64n")?.split_once('k'));
    shape.and_then(|(n, _)| n.parse().ok()).unwrap_or_else(|| panic!("the shape of {form}"))
}

/// Returns a case of a fence, a commit or a wait without a product.
fn alone(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    b.line(&form.text);
    let ok = b.set(Class::Pred, "setp.eq.u32 {}, %t, %t");
    b.output("the thread goes on", Class::Pred, &ok, Compare::Holds);
    b.finish("")
}

/// A matrix in shared memory.
pub(crate) struct Matrix {
    /// The bytes that the descriptor reaches, and its strides.
    pub bytes: usize,
    leading: usize,
    stride: usize,
}

impl Matrix {
    /// Returns the bits of the descriptor but the address.
    pub fn descriptor(&self, mode: u64) -> u64 {
        mode << 62 | (self.stride as u64 >> 4) << 32 | (self.leading as u64 >> 4) << 16
    }
}

/// Returns the place of `lines` lines of `depth` bytes along K, or, if `mn_major`, of lines along M or N of halves.
pub(crate) fn matrix(width: usize, lines: usize, depth: usize, mn_major: bool) -> Matrix {
    let pattern = 8 * width;
    match (mn_major, width) {
        (false, 16) => Matrix { bytes: lines * depth, leading: 128, stride: 8 * depth },
        (false, _) => {
            // Behind the bytes of a row of the pattern, the next pattern begins.
            let across = depth.div_ceil(width);
            Matrix { bytes: lines * width * across, leading: pattern * lines / 8, stride: pattern }
        }
        (true, 16) => Matrix { bytes: lines * depth, leading: 16 * lines, stride: 128 },
        (true, _) => {
            let groups = depth / 2 / 8;
            let blocks = (2 * lines).div_ceil(width);
            Matrix { bytes: blocks * groups * pattern, leading: groups * pattern, stride: pattern }
        }
    }
}

/// Returns the case of a product. `layout`: that of `LAYOUTS`.
fn product<'f>(
    form: &'f Form,
    variant: &'static str,
    layout: usize,
    negated: bool,
    mn_major: bool,
) -> Case<'f> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let (n, is_sparse) = (columns(form), form.has("sp"));
    let types: Vec<&str> = form.words().filter(|word| is_type(word)).collect();
    let [sum, a_type, b_type] = types[..] else { panic!("three types of {form}") };
    let classes = form.classes();
    let count = form
        .text
        .split('{')
        .nth(1)
        .and_then(|list| list.split('}').next())
        .map_or(0, |list| list.split(',').count());
    let a_in_memory = classes[count] == Class::B64;
    let (_, width, mode) = LAYOUTS[layout];
    // A row of A has 32 bytes along K, and one of B has as many, or twice as many beside a sparse A.
    let depth = if is_sparse { 64 } else { 32 };
    // The pattern of 32 bytes has less than a row of such a B.
    let (b_width, b_mode) = if depth > width && width > 16 { (64, 2) } else { (width, mode) };
    let of_a = matrix(width, 64, 32, mn_major);
    let of_b = matrix(b_width, n, depth, mn_major);
    let b_at = of_a.bytes.next_multiple_of(1024);
    let bytes = b_at + of_b.bytes;
    let mut rng = fastrand::Rng::with_seed(n as u64);
    let content: Vec<u8> = (0..bytes / 4)
        .flat_map(|word| {
            let ty = if 4 * word < b_at { a_type } else { b_type };
            (register(&mut rng, ty, 32, false) as u32).to_le_bytes()
        })
        .collect();
    let matrices = b.memory("A and B", 4, 16, None, &content);
    let shared = b.shared(bytes, 1024);
    b.stage_in(matrices, shared, bytes);
    b.line("fence.proxy.async");
    b.sync();

    let sums: Vec<u8> = (0..THREADS as usize * count)
        .flat_map(|_| {
            let word = match sum {
                "s32" if rng.bool() => i32::MAX as u64 - rng.u64(..1000),
                "s32" => i32::MIN as u32 as u64 + rng.u64(..1000),
                _ => register(&mut rng, sum, 32, false),
            };
            (word as u32).to_le_bytes()
        })
        .collect();
    let sums = b.memory("D", 4, 16, Some(Compare::Equal), &sums);
    let row = b.set(Class::B64, format!("mad.wide.u32 {{}}, %g, {}, %memory", 4 * count));
    let d: Vec<String> = (0..count).map(|_| b.reg(Class::B32)).collect();
    let of_vector = if count.is_multiple_of(4) { 4 } else { 2 };
    let vectors: Vec<(String, usize)> = d
        .chunks(of_vector)
        .enumerate()
        .map(|(i, chunk)| (format!("{{{}}}", chunk.join(", ")), b.at(sums) + 4 * of_vector * i))
        .collect();
    for (list, at) in &vectors {
        b.line(format!("ld.global.v{of_vector}.b32 {list}, [{row}+{at}]"));
    }

    let mut registers = d.clone();
    if a_in_memory {
        registers.push(descriptor(&mut b, shared, &of_a, mode));
    } else {
        for _ in 0..4 {
            let values: Vec<u64> = (0..THREADS).map(|_| register(&mut rng, a_type, 32, false)).collect();
            registers.push(b.input("a", Class::B32, |thread| values[thread].into()));
        }
    }
    registers.push(descriptor(&mut b, shared + b_at, &of_b, b_mode));
    if is_sparse {
        let values: Vec<u64> = (0..THREADS).map(|_| metadata(&mut rng, a_type)).collect();
        registers.push(b.input("metadata", Class::B32, |thread| values[thread].into()));
    }
    let (slot, scale_d) = b.uniform("scale-d", Class::B32, 1);
    registers.push(b.set(Class::Pred, format!("setp.ne.b32 {{}}, {scale_d}, 0")));
    b.line("wgmma.fence.sync.aligned");
    let mut line = form.with(&registers);
    if negated {
        line = line.replacen(", 1, 1", ", -1, 1", 1);
    }
    if mn_major {
        let (rest, orders) = if a_in_memory { (", 0, 0", ", 1, 1") } else { (", 0", ", 1") };
        line = line.strip_suffix(rest).map(|text| format!("{text}{orders}")).unwrap_or(line);
    }
    b.line(line);
    b.line("wgmma.commit_group.sync.aligned");
    b.line("wgmma.wait_group.sync.aligned 0");
    for (list, at) in &vectors {
        b.line(format!("st.global.v{of_vector}.b32 [{row}+{at}], {list}"));
    }
    b.run_with("D is added", &[(slot, 1)]);
    b.run_with("D is ignored", &[(slot, 0)]);
    b.finish(variant)
}

/// Returns the register of a descriptor.
fn descriptor(b: &mut Builder<'_>, at: usize, matrix: &Matrix, mode: u64) -> String {
    let start = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
    let start = b.set(Class::B32, format!("shr.u32 {{}}, {start}, 4"));
    let start = b.set(Class::B32, format!("and.b32 {{}}, {start}, 0x3fff"));
    let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {start}"));
    b.set(Class::B64, format!("or.b64 {{}}, {wide}, {:#x}", matrix.descriptor(mode)))
}
