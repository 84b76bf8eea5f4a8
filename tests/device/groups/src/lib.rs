//! Kernels of groups of threads, tables and loops over vectors. `tests/groups.rs` runs them in the interpreter, `tests/sass.rs`
//! reads their machine code.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]

#[cfg(target_arch = "nvptx64")]
use half::{bf16, f16};
use ptx::global::{Global, GlobalElementsMut, GlobalMatrix, GlobalRowsMut, GlobalVectorsMut};
use ptx::group::Cta;
use ptx::reduce::{ReduceMemory, SegmentMemory};
#[cfg(target_arch = "nvptx64")]
use ptx::registers;
use ptx::shared::SharedTable;

ptx::panic_handler!();

/// Writes the results of the executing thread, in a grid of one CTA or more, as its elements.
#[cfg(target_arch = "nvptx64")]
fn write<const N: usize>(cta: &Cta, results: GlobalElementsMut<u32>, values: [u32; N]) {
    let mut elements = results.elements(cta);
    registers::unroll::<N>(|i| {
        if let Some((_, to)) = elements.next() {
            to.write(values[i]);
        }
    });
}

/// The number of results of a thread in [`tiles`].
pub const TILES: usize = 24;

/// Maps `x` to `b(a(x))`, where a word stands for the map `x * low + high` of 16 bits: associative, and not commutative.
pub fn then(a: u32, b: u32) -> u32 {
    let (a, b) = ([a as u16, (a >> 16) as u16], [b as u16, (b >> 16) as u16]);
    let factor = a[0].wrapping_mul(b[0]);
    let summand = a[1].wrapping_mul(b[0]).wrapping_add(b[1]);
    u32::from(factor) | u32::from(summand) << 16
}

/// Combines the values of tiles of `WIDTH` lanes, by [`tile`](ptx::warp::Warp::tile) and by [`tiles`](ptx::warp::Warp::tiles). Bit 31
/// of a value says that a segment begins.
#[ptx::kernel(
    unsafe(uniform),
    threads = THREADS,
    instances(<96, 32>, <96, 16>, <96, 8>, <64, 4>, <32, 2>, <32, 1>, <40, 32>, <45, 16>, <45, 8>, <39, 4>)
)]
pub fn tiles<const THREADS: u32, const WIDTH: u32>(
    cta: Cta,
    values: Global<u32>,
    results: GlobalElementsMut<u32>,
) {
    let word = values.get(cta.thread_rank() as usize).unwrap_or(0);
    let (value, is_head) = (word & 0xffff, word >> 31 == 1);
    let (warp, map) = (cta.warp(), word & 0x7fff_ffff);
    let (whole, long) = (value as f32, u64::from(value) << 30);
    macro_rules! of {
        ($lanes:expr) => {{
            let lanes = $lanes;
            [
                lanes.reduce_add(value),
                lanes.reduce_add(whole) as u32,
                lanes.reduce_min(value.cast_signed() - 9).cast_unsigned(),
                lanes.reduce_max(whole - 100.0).to_bits(),
                lanes.reduce_xor(value),
                (lanes.reduce_add(long) >> 30) as u32,
                lanes.inclusive_sum(value),
                lanes.exclusive_scan(map, then).unwrap_or(7),
                lanes.shuffle_up(value, 1).unwrap_or(7),
                lanes.thread_rank(),
                lanes.segmented_scan(map, is_head, then),
                lanes.segmented_reduce(map, is_head, then),
            ]
        }};
    }
    let all = [of!(warp.tile::<WIDTH>()), of!(warp.tiles::<WIDTH>())];
    let [tile, tiles] = all;
    write(&cta, results, registers::from_fn::<_, TILES>(|i| if i < 12 { tile[i] } else { tiles[i - 12] }));
}

/// Sums the values of every second tile of eight lanes: the other tiles make no call.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn some_tiles(cta: Cta, values: Global<u32>, results: GlobalElementsMut<u32>) {
    let (rank, tile) = (cta.thread_rank(), cta.warp().tile::<8>());
    let value = values.get(rank as usize).unwrap_or(0);
    let sum = if rank & 8 == 0 { tile.reduce_add(value) } else { value };
    for (_, to) in results.elements(&cta) {
        to.write(sum);
    }
}

/// The number of results of a thread in [`shuffles`].
pub const SHUFFLES: usize = 18;

/// Passes values of all sizes to the thread below, and matches them.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn shuffles(cta: Cta, values: Global<u32>, results: GlobalElementsMut<u32>) {
    let (warp, word) = (cta.warp(), values.get(cta.thread_rank() as usize).unwrap_or(0));
    let from = (warp.lane() + 1) % 32;
    let four: [u32; 4] = registers::from_fn(|i| word.wrapping_add(i as u32));
    let [a, b, c, d] = warp.shuffle(four, from);
    let bytes = warp.shuffle(word.to_le_bytes(), from);
    let three: [u8; 3] = warp.shuffle([word as u8, (word >> 8) as u8, (word >> 16) as u8], from);
    let halves: [u16; 8] =
        warp.shuffle(registers::from_fn(|i| (word as u16).wrapping_mul(i as u16 + 1)), from);
    let byte = warp.shuffle(word as i8, from);
    let half = warp.shuffle(f16::from_bits(word as u16), from);
    let two = warp.shuffle([bf16::from_bits(word as u16), bf16::from_bits((word >> 16) as u16)], from);
    let double = warp.shuffle(f64::from(word), from);
    let pair = warp.shuffle_down([word as i16, 5], 1).unwrap_or([-1, -1]);
    let long = warp.shuffle_xor([u64::from(word) << 7, 1], 3);
    let same = warp.match_any([word >> 4, 0, 0, word >> 5]);
    let all = warp.match_all([word & 1 << 10, 1, 2]).map_or(0, |lanes| lanes.bits());
    let some = warp.match_all([0, word, 2]).map_or(0, |lanes| lanes.bits());
    let results_of = [
        a,
        b,
        c,
        d,
        u32::from_le_bytes(bytes),
        u32::from_le_bytes([three[0], three[1], three[2], 0]),
        u32::from(halves[0]) | u32::from(halves[7]) << 16,
        i32::from(byte).cast_unsigned(),
        double as u32,
        i32::from(pair[0]).cast_unsigned(),
        i32::from(pair[1]).cast_unsigned(),
        (long[0] >> 7) as u32,
        long[1] as u32,
        same.bits(),
        all,
        some,
        u32::from(half.to_bits()),
        u32::from(two[0].to_bits()) | u32::from(two[1].to_bits()) << 16,
    ];
    write(&cta, results, results_of);
}

ptx::shared_memory! {
    /// A word that the leader passes on.
    pub struct Words { words: ReduceMemory<u32>, longs: ReduceMemory<u64> }
}

/// Counts down from the leader's first value, in a loop that ends when the leader says so: all threads reach its barriers.
#[ptx::kernel(unsafe(uniform), threads = 96)]
pub fn broadcasts(cta: Cta, #[shared] smem: Words, values: Global<u32>, results: GlobalElementsMut<u32>) {
    let (mut words, mut longs) = (smem.words, smem.longs);
    let mut left = values.get(cta.thread_rank() as usize).unwrap_or(0);
    let mut rounds = 0;
    while words.broadcast(&cta, left) > 0 {
        left -= 1;
        rounds += cta.sync_count(left < 1000);
    }
    let last = longs.broadcast(&cta, u64::from(cta.thread_rank()) + (5 << 32));
    for (_, to) in results.elements(&cta) {
        to.write(rounds ^ (last >> 32) as u32 ^ last as u32);
    }
}

/// Writes where each thread is, in a grid of three dimensions.
#[ptx::kernel(unsafe(uniform), threads = (4, 2, 2), any_grid)]
pub fn positions(cta: Cta, results: GlobalElementsMut<u32>) {
    let ([x, y, z], [bx, by, bz]) = (cta.thread_position(), cta.grid_position());
    let ([width, height, depth], [columns, rows, layers]) = (cta.shape(), cta.grid_shape());
    let position = x + 10 * y + 100 * z + 1_000 * bx + 10_000 * by + 100_000 * bz;
    let shape = width + 10 * height + 100 * depth + 1_000 * columns + 10_000 * rows + 100_000 * layers;
    write(&cta, results, [position, shape]);
}

/// A parameter whose arrays are read at an index that is known at run time.
#[derive(ptx::Plain, Clone, Copy)]
#[repr(C)]
pub struct Filter {
    pub scale: f32,
    pub taps: [f32; 24],
    pub bytes: [u8; 5],
}

/// Scales by a weight of the filter, which each element chooses.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn indexed_parameter(cta: Cta, filter: Filter, which: Global<u32>, results: GlobalElementsMut<f32>) {
    for (i, to) in results.elements(&cta) {
        let k = which.get(i).unwrap_or(0) as usize;
        let byte = filter.bytes.get(k).copied().unwrap_or(1);
        to.write(filter.scale * filter.taps.get(k).copied().unwrap_or(-1.0) + f32::from(byte));
    }
}

const fn squares() -> [u32; 64] {
    let (mut table, mut i) = ([0; 64], 0);
    while i < 64 {
        table[i] = (i * i) as u32;
        i += 1;
    }
    table
}

ptx::constant_memory! {
    /// The squares of 0 to 63.
    pub static SQUARES: [u32; 64] = squares();
    static FILTER: Filter = Filter { scale: 2.0, taps: [0.5; 24], bytes: [1, 2, 3, 4, 5] };
}

/// Looks squares up, and a field of a struct.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn constants(cta: Cta, which: Global<u32>, results: GlobalElementsMut<u32>) {
    for (i, to) in results.elements(&cta) {
        let k = which.get(i).unwrap_or(0) as usize;
        let byte = FILTER.bytes.get(k).copied().unwrap_or(9);
        to.write(SQUARES[k & 63] + u32::from(byte) + FILTER.scale as u32);
    }
}

ptx::shared_memory! {
    /// A table, which begins behind three bytes.
    pub struct Tables { odd: SharedTable<u8, 3>, cubes: SharedTable<u64, 77> }
}

/// Fills tables, one from constant memory, and looks elements up.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn tables(cta: Cta, #[shared] smem: Tables, which: Global<u32>, results: GlobalElementsMut<u32>) {
    let cubes = smem.cubes.fill(&cta, |i| SQUARES.get(i).map_or(7, |square| u64::from(*square) * i as u64));
    let odd = smem.odd.fill(&cta, |i| 2 * i as u8 + 1);
    for (i, to) in results.elements(&cta) {
        let k = which.get(i).unwrap_or(0) as usize;
        to.write(cubes.get(k).map_or(0, |cube| cube as u32) + u32::from(odd.get(k % 5).unwrap_or(100)));
    }
}

/// y ← a·x + y, with four vectors in flight.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn update(cta: Cta, a: f32, x: Global<f32>, y: GlobalVectorsMut<f32>) {
    let (vectors, rest) = y.vectors(&cta);
    vectors.for_each_update::<4, _>(x, |x, y| [0, 1, 2, 3].map(|i| a * x[i] + y[i]));
    for (i, y) in rest {
        y.write(a * x.get(i).unwrap_or(0.0) + y.read());
    }
}

/// y ← a·y, in place, with four vectors in flight.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn scale(cta: Cta, a: f32, y: GlobalVectorsMut<f32>) {
    let (vectors, rest) = y.vectors(&cta);
    vectors.for_each_update::<4, _>((), |(), y| y.map(|y| a * y));
    for (_, y) in rest {
        y.write(a * y.read());
    }
}

/// y ← x + z, with four pairs of vectors in flight.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn sums(cta: Cta, x: Global<f32>, z: Global<f32>, y: GlobalVectorsMut<f32>) {
    let (vectors, rest) = y.vectors(&cta);
    vectors.for_each_write::<4, _>((x, z), |(x, z)| [0, 1, 2, 3].map(|i| x[i] + z[i]));
    for (i, y) in rest {
        y.write(x.get(i).unwrap_or(0.0) + z.get(i).unwrap_or(0.0));
    }
}

/// Each row of `also`, and that of `results`, ← factor · x + the row of `also`: a row per CTA. `results` get the row's index beside.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn rows_of_ctas(
    cta: Cta,
    x: GlobalMatrix<f32>,
    factors: Global<f32>,
    also: GlobalRowsMut<f32>,
    results: GlobalRowsMut<f32>,
) {
    for (row, (x, factor, also), result) in results.rows_with(&cta, (x, factors, also)) {
        for ((i, sum), (_, also)) in result.elements(&cta).zip(also.elements(&cta)) {
            also.write(factor * x.get(i).unwrap_or(0.0) + also.read());
            sum.write(also.read() + row as f32);
        }
    }
}

/// The same, a row per warp.
#[ptx::kernel(unsafe(uniform), threads = 96)]
pub fn rows_of_warps(
    cta: Cta,
    x: GlobalMatrix<f32>,
    factors: Global<f32>,
    also: GlobalRowsMut<f32>,
    results: GlobalRowsMut<f32>,
) {
    for (row, (x, factor, also), result) in results.warp_rows_with(&cta, (x, factors, also)) {
        for (k, (_, sum)) in result.enumerate() {
            if let Some((x, also)) = also.get_with(k, x) {
                let added = also.read();
                also.write([0, 1, 2, 3].map(|i| factor * x[i] + added[i]));
                sum.write(also.read().map(|also| also + row as f32));
            }
        }
    }
}

/// Sums 16 neighbors: each tile alone.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn sums_of_a_tile(cta: Cta, values: Global<u32>, results: GlobalElementsMut<u32>) {
    let value = values.get(cta.thread_rank() as usize).unwrap_or(0);
    let sum = cta.warp().tile::<16>().reduce_add(value);
    for (_, to) in results.elements(&cta) {
        to.write(sum);
    }
}

/// Sums 16 neighbors: all tiles of a warp together.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn sums_of_all_tiles(cta: Cta, values: Global<u32>, results: GlobalElementsMut<u32>) {
    let value = values.get(cta.thread_rank() as usize).unwrap_or(0);
    let sum = cta.warp().tiles::<16>().reduce_add(value);
    for (_, to) in results.elements(&cta) {
        to.write(sum);
    }
}

ptx::shared_memory! {
    /// Segments of words and of floats of 64 bits.
    pub struct Segments { maps: SegmentMemory<u32>, floats: SegmentMemory<f64> }
}

/// Scans segments of a CTA twice, and a third time with what the second left. Bit 31 of a value says that a segment begins.
#[ptx::kernel(unsafe(uniform), threads = THREADS, instances(<256>, <96>, <32>, <75>))]
pub fn segments<const THREADS: u32>(
    cta: Cta,
    #[shared] smem: Segments,
    values: Global<u32>,
    results: GlobalElementsMut<u32>,
) {
    let (mut maps, mut floats) = (smem.maps, smem.floats);
    let word = values.get(cta.thread_rank() as usize).unwrap_or(0);
    let (map, is_head) = (word & 0x7fff_ffff, word >> 31 == 1);
    let (upto, last) = maps.inclusive_scan(&cta, map, is_head, then);
    let (sum, _) = floats.inclusive_scan(&cta, f64::from(word & 0xffff), is_head, |a, b| a + b);
    let (all, _) =
        maps.inclusive_scan(&cta, if cta.is_leader() { then(last, map) } else { map }, false, then);
    write(&cta, results, [upto, sum as u32, all]);
}

/// Unpacks eight signed and eight unsigned numbers of four bits from each word.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn four_bits(cta: Cta, words: Global<u32>, results: GlobalElementsMut<u32>) {
    for (i, to) in results.elements(&cta) {
        let word = words.get(i).unwrap_or(0);
        let mut sum = 0_u32;
        registers::unroll::<8>(|k| {
            let signed = (word << (28 - 4 * k)).cast_signed() >> 28;
            sum = sum
                .wrapping_mul(31)
                .wrapping_add((signed * 3).cast_unsigned())
                .wrapping_add(word >> (4 * k) & 15);
        });
        to.write(sum);
    }
}
