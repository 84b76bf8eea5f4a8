//! Instructions of matrices that a warp executes together: `ldmatrix`, `stmatrix`, `movmatrix` and `mma` (PTX ISA 9.7.14).

use crate::address::Place;
use crate::execution::machine::Machine;
use crate::execution::thread::value;
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::float::Format;
use crate::numbers::matrix::{self, Element, OfQuads, Sparsity};
use crate::order::taint::{Origin, Read};
use crate::report::Fault;

pub const LANES: usize = 32;
/// The bytes of a row that a lane gives the address of.
pub const ROW: usize = 16;

/// The registers of a lane.
pub type Words = Vec<u64>;

impl Tile {
    /// Returns the row and the byte in it that a byte of a lane's register is.
    fn place(self, lane: usize, register: usize, byte: usize) -> (usize, usize) {
        let (group, place) = (lane / 4, lane % 4);
        match self.shape {
            TileShape::M8n8 if self.trans => (8 * register + 2 * place + byte / 2, 2 * group + byte % 2),
            TileShape::M8n8 | TileShape::M8n16 => (8 * register + group, 4 * place + byte),
            TileShape::M16n16 => {
                let (matrix, half) = (register / 2, register % 2);
                (16 * matrix + 4 * place + 2 * half + byte % 2, group + 8 * (byte / 2))
            }
            TileShape::M16n8 => (8 * register + 2 * place + byte % 2, group + 8 * (byte / 2)),
        }
    }

    /// Returns the bytes in registers of a row in memory.
    fn expanded(self, row: [u8; ROW]) -> [u8; ROW] {
        let all = u128::from_le_bytes(row);
        std::array::from_fn(|i| match self.source {
            Source::Bytes => row[i],
            Source::Bits6 => (all >> (6 * i)) as u8 & 0x3f,
            Source::Bits4 => (all >> (4 * i)) as u8 & 0xf,
            // The shifts extend the sign.
            Source::Signed4 => ((((all >> (4 * i)) as u8) << 4) as i8 >> 4) as u8,
        })
    }

    /// Returns the bytes of a row in memory that `len` bytes at `byte` in registers come from.
    fn stored(self, byte: usize, len: usize) -> (usize, usize) {
        let bits = match self.source {
            Source::Bytes => 8,
            Source::Bits6 => 6,
            Source::Bits4 | Source::Signed4 => 4,
        };
        let (from, to) = (byte * bits / 8, ((byte + len) * bits).div_ceil(8));
        (from, to - from)
    }
}

/// Packs values of `bits` bits into registers of 32 or 64 bits.
pub fn packed(values: impl Iterator<Item = u64>, bits: u32) -> Words {
    let per = (32 / bits).max(1) as usize;
    let values: Vec<_> = values.collect();
    let shifted = |(i, value): (usize, &u64)| value << (i as u32 * bits);
    values
        .chunks(per)
        .map(|chunk| chunk.iter().enumerate().map(shifted).fold(0, |all, value| all | value))
        .collect()
}

/// Returns the bits of element `i` of registers.
pub fn element(words: &[u64], bits: usize, i: usize) -> u64 {
    let per = (32 / bits).max(1);
    let word = words.get(i / per).copied().unwrap_or_default();
    if bits >= 64 { word } else { word >> (i % per * bits) & ((1 << bits) - 1) }
}

impl Machine<'_> {
    /// Runs an instruction of matrices for the lanes of a warp.
    pub fn matrix(&mut self, cta: usize, first: usize, lanes: &[usize], what: Matrix) -> Result<(), Fault> {
        let collective = Collective::Matrix(what);
        self.check_whole_warp(cta, first / LANES, lanes, collective);
        let program = self.program;
        let fragments = |machine: &Self, lane: usize| {
            let t = &machine.ctas[cta].threads[first + lane];
            match &program.functions[t.frame.function].code[t.pc as usize].op {
                Op::Warp(op) => op.fragments.as_deref(),
                _ => None,
            }
        };
        let of_lanes: Vec<(usize, &Fragments)> =
            lanes.iter().filter_map(|lane| Some((*lane, fragments(self, *lane)?))).collect();
        match what {
            Matrix::Warpgroup(_) | Matrix::Fence | Matrix::Commit | Matrix::Wait(_) => {
                return self.warpgroup(cta, first, &of_lanes, what);
            }
            Matrix::Tensor(what) => return self.tensor_warp(cta, first, &of_lanes, what),
            Matrix::Load(tile) => return self.load_tile(cta, first, &of_lanes, tile),
            Matrix::Store(tile) => return self.store_tile(cta, first, &of_lanes, tile),
            Matrix::Transpose => {
                let words = self.words(cta, first, &of_lanes, |fragments| &fragments.a);
                for (lane, fragments) in of_lanes {
                    let (group, place) = (lane / 4, lane % 4);
                    let half = |i: usize| {
                        let word =
                            words[4 * (2 * place + i) + group / 2].first().copied().unwrap_or_default();
                        word >> (16 * (group % 2)) & 0xffff
                    };
                    self.set(cta, first + lane, fragments.d[0], half(0) | half(1) << 16);
                }
            }
            Matrix::Multiply(what) => {
                let [a, b, c]: [Vec<Words>; 3] = [
                    self.words(cta, first, &of_lanes, |fragments| &fragments.a),
                    self.words(cta, first, &of_lanes, |fragments| &fragments.b),
                    self.words(cta, first, &of_lanes, |fragments| &fragments.c),
                ];
                let metadata = self.metadata(cta, first, &of_lanes);
                let factors = self.factors(cta, first, &of_lanes, &what);
                let selector = of_lanes.first().map_or(0, |(_, fragments)| fragments.selector);
                let registers = [&a, &b, &c].map(Vec::as_slice);
                let result = match what.is_in_quads() {
                    true => in_quads(&what, registers),
                    false => {
                        let (places, wrong) = sparse_places(&what, &metadata, selector);
                        if let (true, Some((lane, _))) = (wrong, of_lanes.first()) {
                            let text = "metadata that names an element twice, or elements out of their order (9.7.14.6.1)";
                            self.wrong(Rule::Operand, cta, first + lane, text);
                        }
                        multiplied(&what, registers, &places, &factors)
                    }
                };
                for (lane, fragments) in of_lanes {
                    for (d, word) in fragments.d.iter().zip(&result[lane]) {
                        self.set(cta, first + lane, *d, *word);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns registers of each lane, zeros of lanes that are not there. The instruction uses what it reads.
    pub fn words(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        which: impl Fn(&Fragments) -> &Vec<Src>,
    ) -> Vec<Words> {
        let mut all = vec![Vec::new(); LANES];
        for (lane, fragments) in lanes {
            let t = &self.ctas[cta].threads[first + lane];
            all[*lane] = which(fragments).iter().map(|src| value(&self.constants, t, *src)).collect();
            self.uses_read(cta, first + lane);
        }
        all
    }

    pub fn metadata(&mut self, cta: usize, first: usize, lanes: &[(usize, &Fragments)]) -> Vec<u32> {
        let mut all = vec![0; LANES];
        for (lane, fragments) in lanes {
            let Some(src) = fragments.metadata else { continue };
            all[*lane] = value(&self.constants, &self.ctas[cta].threads[first + lane], src) as u32;
            self.uses_read(cta, first + lane);
        }
        all
    }

    /// Returns an operand that all threads of a warp must have the same of.
    pub fn same(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        src: Src,
        (name, section): (&str, &str),
    ) -> u64 {
        let threads = &self.ctas[cta].threads;
        let of = |lane: usize| value(&self.constants, &threads[first + lane], src);
        let one = lanes.first().map_or(0, |(lane, _)| of(*lane));
        if let Some((lane, _)) = lanes.iter().find(|(lane, _)| of(*lane) != one) {
            let text = format!("{name} differs between the threads of a warp ({section})");
            self.wrong(Rule::Operand, cta, first + lane, text);
        }
        one
    }

    /// Returns the scale factors of the rows of A and of the columns of B. Without `.block_scale`: none.
    fn factors(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        what: &Multiply,
    ) -> [Vec<f64>; 2] {
        const SECTION: &str = "9.7.14.3";
        let Some((count, element)) = what.scale else { return [Vec::new(), Vec::new()] };
        let Some((first_lane, scales)) = lanes.first().and_then(|(lane, f)| Some((*lane, f.scales?))) else {
            return [Vec::new(), Vec::new()];
        };
        let [m, n, _] = what.shape;
        let mut selector = |src: Src, name: &str, all: &[usize]| {
            let value = self.same(cta, first, lanes, src, (name, SECTION)) as usize & 0xffff;
            if !all.contains(&value) {
                let legal: Vec<_> = all.iter().map(usize::to_string).collect();
                let text = format!("{name} is {value}, and not {} ({SECTION})", legal.join(" or "));
                self.wrong(Rule::Operand, cta, first + first_lane, text);
            }
            // Hardware does something with any selector. The interpreter takes the first.
            if all.contains(&value) { value } else { 0 }
        };
        let bytes: Vec<usize> = (0..4).step_by(count).collect();
        let [a, b] = scales;
        let (byte_a, thread_a) =
            (selector(a.byte, "`byte-id-a`", &bytes), selector(a.thread, "`thread-id-a`", &[0, 1]));
        let (byte_b, thread_b) =
            (selector(b.byte, "`byte-id-b`", &bytes), selector(b.thread, "`thread-id-b`", &[0, 1, 2, 3]));
        let words = self.words(cta, first, lanes, |fragments| &fragments.factors);
        let of = |lane: usize, operand: usize, byte: usize| {
            let word = words[lane].get(operand).copied().unwrap_or_default();
            (byte..byte + count).map(move |byte| element.value(word >> (8 * byte) & 0xff))
        };
        [
            (0..m).flat_map(|row| of(matrix::lane_of_scale_a(row, thread_a), 0, byte_a)).collect(),
            (0..n).flat_map(|column| of(matrix::lane_of_scale_b(column, thread_b), 1, byte_b)).collect(),
        ]
    }

    /// Reports an unspecified value that a lane has read since the last call.
    fn uses_read(&mut self, cta: usize, thread: usize) {
        if let Some(origin) = self.ctas[cta].threads[thread].taint.take_used() {
            self.uses(cta, thread, self.at(cta, thread), origin);
        }
    }

    /// Returns the rows that lanes give the addresses of, with the lane of each. `None`: the lane is not there.
    fn rows(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: Tile,
    ) -> Result<Vec<Option<Place>>, Fault> {
        let mut rows = vec![None; tile.rows()];
        for (lane, fragments) in lanes.iter().filter(|(lane, _)| *lane < tile.rows()) {
            let Some(address) = fragments.address else { continue };
            let place = self.resolve(cta, first + lane, address, ROW, ROW as u64)?;
            self.uses_read(cta, first + lane);
            match place {
                Place::Shared(owner, _) if owner == cta => rows[*lane] = Some(place),
                _ => {
                    let what =
                        "the address is not in shared memory of the executing CTA (9.7.14.5.15, 9.7.14.5.16)";
                    return Err(self.fault(cta, first + lane, what));
                }
            }
        }
        Ok(rows)
    }

    fn load_tile(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: Tile,
    ) -> Result<(), Fault> {
        let rows = self.rows(cta, first, lanes, tile)?;
        let mut content = vec![[0; ROW]; rows.len()];
        // The bytes of each row that nothing has written, as the load of its lane.
        let mut unwritten: Vec<Option<Place>> = vec![None; rows.len()];
        for (row, place) in rows.iter().enumerate() {
            let Some(place) = *place else { continue };
            if self.check_load(cta, first + row, place, ROW, None) {
                unwritten[row] = Some(place);
            }
            let mut bytes = [0; ROW];
            bytes.copy_from_slice(self.peek(cta, first + row, place, ROW));
            content[row] = tile.expanded(bytes);
        }
        for (lane, fragments) in lanes {
            for (register, d) in fragments.d.iter().enumerate() {
                let places: [(usize, usize); 4] =
                    std::array::from_fn(|byte| tile.place(*lane, register, byte));
                let bytes = places.map(|(row, byte)| content[row][byte]);
                self.set(cta, first + lane, *d, u32::from_le_bytes(bytes).into());
                let missing = places.iter().find_map(|(row, byte)| {
                    let (at, len) = tile.stored(*byte, 1);
                    let place = unwritten[*row]?.offset(at);
                    self.is_uninitialized(place, len).then_some((*row, place, len))
                });
                if let Some((row, place, len)) = missing {
                    let (block, thread) = (self.ctas[cta].index, (first + row) as u32);
                    let at = self.at(cta, first + row);
                    let origin = Origin { at, block, thread, read: Read::Memory(place, len) };
                    self.taint(cta, first + lane, *d, origin);
                }
            }
        }
        Ok(())
    }

    fn store_tile(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: Tile,
    ) -> Result<(), Fault> {
        let words = self.words(cta, first, lanes, |fragments| &fragments.a);
        let rows = self.rows(cta, first, lanes, tile)?;
        let mut content = vec![[0; ROW]; rows.len()];
        for (lane, words) in words.iter().enumerate() {
            for (register, word) in words.iter().enumerate() {
                for (byte, value) in (*word as u32).to_le_bytes().into_iter().enumerate() {
                    let (row, at) = tile.place(lane, register, byte);
                    content[row][at] = value;
                }
            }
        }
        for (row, (place, bytes)) in rows.into_iter().zip(content).enumerate() {
            let Some(place) = place else { continue };
            self.progress += u64::from(bytes != *self.peek(cta, first + row, place, ROW));
            self.write(cta, first + row, place, &bytes, None)?;
        }
        Ok(())
    }
}

/// Returns where the elements of a row of a sparse A belong, for each of 16 rows, and whether metadata is not allowed. Of a dense
/// A: nothing.
pub fn sparse_places(what: &Multiply, metadata: &[u32], selector: usize) -> (Vec<Vec<usize>>, bool) {
    let Some(ordered) = what.sparse else { return (Vec::new(), false) };
    let sparsity = match what.in_bytes {
        true => Sparsity::TwoOfFour,
        false => Sparsity::of(what.a),
    };
    let groups = what.shape[2] / sparsity.group();
    let is_wide = what.bits(what.a) >= 16;
    let mut wrong = false;
    let rows = (0..16).map(|row| {
        let of_group = |group: usize| {
            let (lane, shift) = matrix::metadata(groups, is_wide, selector, row, group);
            let places = sparsity.places(metadata[lane] >> shift, ordered);
            wrong |= places.is_none();
            // Hardware does something with any metadata. The interpreter leaves the elements out.
            let places = places.unwrap_or_else(|| vec![usize::MAX; sparsity.group() / 2]);
            places.into_iter().map(move |place| place.saturating_add(group * sparsity.group()))
        };
        (0..groups).flat_map(of_group).collect()
    });
    let rows = rows.collect();
    (rows, wrong)
}

/// Returns the value of an element of A or B of a register.
fn value_of(what: &Multiply, element: Element, bits: u64) -> f64 {
    if what.in_bytes { element.value_in_byte(bits) } else { element.value(bits) }
}

/// Returns the bits of the elements of A by rows, or of B by columns, which the lanes of a warp hold.
pub fn gathered(words: &[Words], lines: usize, depth: usize, bits: usize) -> Vec<u64> {
    let mut all = vec![0; lines * depth];
    for (lane, words) in words.iter().enumerate() {
        for i in 0..lines * depth / LANES {
            let (line, at) = matrix::place_in_a(lines, (32 / bits).max(1), lane, i);
            all[line * depth + at] = element(words, bits, i);
        }
    }
    all
}

/// Returns the values of A by rows. `places` says where those of a sparse A belong.
pub fn spread(what: &Multiply, bits: &[u64], places: &[Vec<usize>]) -> Vec<f64> {
    let (k, stored) = (what.shape[2], what.stored());
    let mut all = vec![0.0; bits.len() / stored * k];
    for (i, bits) in bits.iter().enumerate() {
        let (row, column) = (i / stored, i % stored);
        let column = if places.is_empty() { column } else { places[row][column] };
        if column < k {
            all[row * k + column] = value_of(what, what.a, *bits);
        }
    }
    all
}

/// Returns the registers of D of each lane, with A by rows and B by columns. `place` is the row and the column of an element of a
/// lane's D, `start` what its sum begins with.
pub fn summed(
    what: &Multiply,
    (left, right): (&[f64], &[f64]),
    place: impl Fn(usize, usize) -> (usize, usize),
    start: impl Fn(usize, usize) -> f64,
) -> Vec<Words> {
    let k = what.shape[2];
    let of_lane = left.len() / k * (right.len() / k) / LANES / what.products();
    let chain = (what.d == Element::Float(Format::F64)).then_some(what.round);
    let of = |lane: usize, i: usize| {
        let (row, column) = place(lane, i);
        let pairs = left[row * k..][..k].iter().zip(&right[column * k..][..k]).map(|(a, b)| (*a, *b));
        what.d.of_sum(matrix::sum(start(lane, i), pairs, what.term, chain), what.satfinite)
    };
    (0..LANES).map(|lane| packed((0..of_lane).map(|i| of(lane, i)), what.d.bits())).collect()
}

/// Returns the registers of D of each lane. A has `rows` rows, which are a part of those of the matrix for a warp of a warpgroup.
pub fn products(
    what: &Multiply,
    (left, right): (&[f64], &[f64]),
    rows: usize,
    start: impl Fn(usize, usize) -> f64,
) -> Vec<Words> {
    summed(what, (left, right), |lane, i| matrix::place_in_c(rows, lane, i), start)
}

/// Multiplies the chunks of each line of a matrix by the line's factors.
fn scale(lines: &mut [f64], k: usize, factors: &[f64]) {
    let of_line = factors.len() * k / lines.len().max(1);
    if of_line == 0 {
        return;
    }
    for (chunk, factor) in lines.chunks_mut(k / of_line).zip(factors) {
        chunk.iter_mut().for_each(|value| *value *= factor);
    }
}

/// Returns the registers of D of each lane. `factors` are those of the rows of A and of the columns of B.
fn multiplied(
    what: &Multiply,
    [a, b, c]: [&[Words]; 3],
    places: &[Vec<usize>],
    factors: &[Vec<f64>; 2],
) -> Vec<Words> {
    let [m, n, k] = what.shape;
    let mut left = spread(what, &gathered(a, m, what.stored(), what.bits(what.a)), places);
    let right = gathered(b, n, k, what.bits(what.b));
    let mut right: Vec<f64> = right.into_iter().map(|bits| value_of(what, what.b, bits)).collect();
    scale(&mut left, k, &factors[0]);
    scale(&mut right, k, &factors[1]);
    products(what, (&left, &right), m, |lane, i| what.c.value(element(&c[lane], what.c.bits() as usize, i)))
}

/// Returns the registers of D of each lane: four products, each of eight lanes.
fn in_quads(what: &Multiply, [a, b, c]: [&[Words]; 3]) -> Vec<Words> {
    let [m, n, k] = what.shape;
    let along = |rows: bool| if rows { OfQuads::Along } else { OfQuads::Across };
    let sums = |element: Element| match element.bits() {
        16 => OfQuads::Half,
        _ => OfQuads::Single,
    };
    let (mut left, mut right) = (vec![0.0; 4 * m * k], vec![0.0; 4 * n * k]);
    let mut start = vec![0.0; 4 * m * n];
    for lane in 0..LANES {
        for i in 0..k {
            let (product, (row, column)) = matrix::place_in_quads(along(what.rows[0]), lane, i);
            left[(product * m + row) * k + column] = what.a.value(element(&a[lane], 16, i));
            let (product, (column, row)) = matrix::place_in_quads(along(!what.rows[1]), lane, i);
            right[(product * n + column) * k + row] = what.b.value(element(&b[lane], 16, i));
        }
        for i in 0..n {
            let (product, (row, column)) = matrix::place_in_quads(sums(what.c), lane, i);
            start[(product * m + row) * n + column] =
                what.c.value(element(&c[lane], what.c.bits() as usize, i));
        }
    }
    // The rows of the four A lie below one another, and so do the columns of the four B.
    let place = |lane: usize, i: usize| {
        let (product, (row, column)) = matrix::place_in_quads(sums(what.d), lane, i);
        (product * m + row, product * n + column)
    };
    summed(what, (&left, &right), place, |lane, i| {
        let (row, column) = place(lane, i);
        start[row * n + column % n]
    })
}
