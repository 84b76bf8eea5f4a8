//! Tensor copies, reductions and prefetches: a run for each tensor map, start and set of blocks.

use crate::builder::{Builder, Slot};
use crate::case::{Case, Compare, Extra, NAME, Shape};
use crate::families::mbarrier::{initialized, wait_for};
use crate::form::{Class, Form};
use crate::tensor::{ELEMENT_BYTES, Map, Mode};
use crate::values::{self, noise};

const THREADS: u32 = 64;
/// The numbers of element types (9.7.9.28).
const U8: u8 = 0;
const U16: u8 = 1;
const U32: u8 = 2;
const S32: u8 = 3;
const U64: u8 = 4;
const S64: u8 = 5;
const F16: u8 = 6;
const F32: u8 = 7;
const F32_FTZ: u8 = 8;
const F64: u8 = 9;
const BF16: u8 = 10;
const TF32: u8 = 11;
const TF32_FTZ: u8 = 12;

/// A copy: its map, its start, and its size.
struct Config {
    name: String,
    map: Map,
    coordinates: Vec<i32>,
    /// `im2colInfo`.
    info: Vec<u16>,
    /// Bytes of the tile in shared memory.
    bytes: usize,
    /// The reason why the copy ends the grid, if it does.
    fault: Option<&'static str>,
}

pub fn size(element: u8) -> u32 {
    ELEMENT_BYTES[usize::from(element)] as u32
}

/// Returns the bytes that a copy by a map writes to shared memory, without halos.
pub fn tile_bytes(map: &Map) -> usize {
    let count: u32 = match &map.mode {
        // The box has one slice of channels.
        Mode::Tile(boxes) if map.interleave != 0 => {
            let slices = boxes.len() - 2;
            boxes.iter().enumerate().map(|(d, extent)| if d == slices { 1 } else { *extent }).product()
        }
        // The element stride of dimension 0 is ignored.
        Mode::Tile(boxes) => {
            boxes[0]
                * boxes[1..]
                    .iter()
                    .zip(&map.steps[1..])
                    .map(|(extent, step)| extent.div_ceil(*step))
                    .product::<u32>()
        }
        Mode::Im2col { channels, pixels, .. } | Mode::Im2colW { channels, pixels, .. } => channels * pixels,
    };
    count as usize * map.unit()
}

/// Returns dimensions, or a box, whose first extent is given in bytes.
pub fn extents(element: u8, row_bytes: u32, others: &[u32]) -> Vec<u32> {
    let mut list = vec![row_bytes / size(element)];
    list.extend_from_slice(others);
    list
}

impl Config {
    fn new(name: impl Into<String>, map: Map, coordinates: Vec<i32>) -> Self {
        let bytes = tile_bytes(&map);
        Self { name: name.into(), map, coordinates, info: Vec::new(), bytes, fault: None }
    }

    fn with(mut self, change: impl FnOnce(&mut Map)) -> Self {
        change(&mut self.map);
        self.bytes = tile_bytes(&self.map);
        self
    }

    /// Returns the number of bytes after its address that the map may access.
    fn tensor_bytes(&self) -> usize {
        self.map.bytes()
    }
}

/// The extents of tensors and boxes of tiles, in all dimensions but the first.
const DIMS: [u32; 4] = [7, 5, 4, 3];
const BOX: [u32; 4] = [4, 2, 2, 2];

/// Returns tiles inside a tensor and across each edge. Its rows have 88 bytes, or 80 for elements of four or eight bytes.
fn tiles(rank: usize, element: u8, loads: bool) -> Vec<Config> {
    let row = if size(element) > 2 { 80 } else { 88 };
    let map = Map::tiled(
        element,
        &extents(element, row, &DIMS[..rank - 1]),
        &extents(element, 32, &BOX[..rank - 1]),
    );
    let unit = (16 / size(element)) as i32;
    let start = |first: i32, others: [i32; 4]| {
        let mut list = vec![first * unit];
        list.extend_from_slice(&others[..rank - 1]);
        list
    };
    let mut list = vec![
        Config::new("inside", map.clone(), start(1, [1, 1, 1, 1])),
        Config::new("beyond the end", map.clone(), start(4, [5, 4, 3, 2])),
        Config::new("outside", map.clone(), start(8, [1, 1, 0, 0])),
    ];
    if loads {
        list.push(Config::new("before the start", map.clone(), start(-1, [-2, -1, -1, -1])));
        list.push(Config::new("far outside", map, start(-64, [i32::MIN, i32::MAX, -1, 1000])));
    }
    list
}

/// Returns tiles with each swizzle, element stride and interleaved layout, and of each element type.
fn rich_tiles(rank: usize, loads: bool) -> Vec<Config> {
    let zeros = vec![0; rank];
    let mut list = Vec::new();
    for (swizzle, span) in [(1u8, 32), (2, 64), (3, 128)] {
        let rows: [u32; 4] = if rank == 2 { [16, 1, 1, 1] } else { [4, 4, 2, 1] };
        let dims: Vec<u32> = rows.iter().map(|extent| extent + 1).collect();
        let map =
            Map::tiled(U16, &extents(U16, 160, &dims[..rank - 1]), &extents(U16, span, &rows[..rank - 1]));
        let mut coordinates = zeros.clone();
        coordinates[0] = 8;
        list.push(
            Config::new(format!("swizzle of {span} bytes"), map, coordinates)
                .with(|map| map.swizzle = swizzle),
        );
    }
    let plain = |element: u8, row: u32| {
        Map::tiled(
            element,
            &extents(element, row, &DIMS[..rank - 1]),
            &extents(element, 32, &BOX[..rank - 1]),
        )
    };
    for dimension in 0..rank {
        let config =
            Config::new(format!("element stride 2 in dimension {dimension}"), plain(U32, 96), zeros.clone());
        list.push(config.with(|map| map.steps[dimension] = 2));
    }
    if rank > 1 {
        let config = Config::new("element stride 3 in all dimensions", plain(U32, 96), zeros.clone());
        list.push(config.with(|map| map.steps[1..].fill(3)));
    }
    for interleave in [1, 2] {
        if rank >= 3 {
            let bytes = 16 * u32::from(interleave);
            // The driver counts the first extent of the box in elements, as without slices, and requires a multiple of 16 bytes.
            let (slices, spatial) = (rank - 2, [8, 2, 2]);
            let mut dims = DIMS[..slices].to_vec();
            dims[0] = 11;
            dims.extend([3, 2]);
            let mut boxes = spatial[..slices].to_vec();
            boxes.extend([bytes / size(U16), 2]);
            let map = Map { swizzle: interleave - 1, ..Map::sliced(U16, interleave, &dims, &boxes) };
            let mut inside = vec![1; rank];
            inside[rank - 1] = 0;
            let beyond = dims.iter().map(|dim| *dim as i32 - 1).collect();
            list.push(Config::new(format!("slices of {bytes} bytes"), map.clone(), inside));
            list.push(Config::new(format!("slices of {bytes} bytes, beyond the end"), map, beyond));
        }
    }
    for element in [U8, U16, U32, S32, U64, S64, F16, F32, F32_FTZ, F64, BF16, TF32, TF32_FTZ] {
        let name = format!("element type {element}");
        list.push(Config::new(name, plain(element, 80), zeros.clone()));
        let is_float = ![U8, U16, U32, S32, U64, S64].contains(&element);
        if is_float && loads {
            let mut coordinates = zeros.clone();
            coordinates[0] = -(16 / size(element) as i32);
            let config =
                Config::new(format!("NaN outside, element type {element}"), plain(element, 80), coordinates);
            list.push(config.with(|map| map.fill = 1));
        }
    }
    list
}

/// Returns columns of pixels. The dimensions are channels, W, H, D, images.
fn columns(rank: usize, element: u8, loads: bool) -> Vec<Config> {
    let spatial = rank - 2;
    let mut dims = extents(element, 80, &[7, 6, 5][..spatial]);
    dims.push(3);
    let column = |lower: i32, upper: i32, pixels: u32| {
        let mode = Mode::Im2col {
            lower: vec![lower; spatial],
            upper: vec![upper; spatial],
            channels: 32 / size(element),
            pixels,
        };
        Map { mode, ..Map::tiled(element, &dims, &dims) }
    };
    let unit = (16 / size(element)) as i32;
    let start = |channel: i32, at: i32, image: i32| {
        let mut list = vec![channel * unit];
        list.resize(rank - 1, at);
        list.push(image);
        list
    };
    let config = |name: &str, map: Map, coordinates: Vec<i32>, info: u16| {
        let mut config = Config::new(name, map, coordinates);
        if loads {
            config.info = vec![info; spatial];
        }
        config
    };
    let mut list = vec![
        config("inside", column(0, 0, 20), start(1, 0, 0), 0),
        config("beyond the last channel", column(0, 0, 9), start(4, 2, 1), 0),
        config("beyond the last image", column(0, 0, 100), start(0, 4, 2), 0),
    ];
    if loads {
        list.push(config("first pixel of a filter of 3", column(-1, -1, 33), start(0, -1, 0), 0));
        list.push(config("last pixel of a filter of 3", column(-1, -1, 33), start(1, 1, 1), 2));
        list.push(config("an image outside", column(0, 0, 12), start(0, 1, -1), 0));
    } else {
        list.push(config("a smaller box", column(1, -2, 33), start(0, 2, 0), 0));
    }
    list
}

/// Returns a copy whose start makes hardware end the grid.
fn departing(rank: usize, tile: bool) -> Option<Config> {
    let list = if tile { tiles(rank, U16, true) } else { columns(rank, U16, true) };
    let mut config = list.into_iter().next()?;
    if tile {
        config.name = "an innermost coordinate of 2 bytes".into();
        config.coordinates[0] = 1;
        config.fault = Some("a tile starts at a multiple of 16 bytes in the innermost dimension");
    } else {
        config.name = "left of the bounding box".into();
        config.coordinates[1] = -1;
        config.fault = Some("a column starts within the bounding box (5.5.4.1)");
    }
    Some(config)
}

fn rich_columns(rank: usize, loads: bool) -> Vec<Config> {
    let spatial = rank - 2;
    let mut dims = extents(U16, 144, &[7, 6, 5][..spatial]);
    dims.push(3);
    let mut list = Vec::new();
    for (swizzle, span) in [(1u8, 32), (2, 64), (3, 128)] {
        let mode = Mode::Im2col {
            lower: vec![0; spatial],
            upper: vec![-1; spatial],
            channels: span / 2,
            pixels: 24,
        };
        let map = Map { mode, swizzle, ..Map::tiled(U16, &dims, &dims) };
        let mut config = Config::new(format!("swizzle of {span} bytes"), map, vec![0; rank]);
        config.info = vec![1; if loads { spatial } else { 0 }];
        list.push(config);
    }
    for step in [2, 3] {
        let mode =
            Mode::Im2col { lower: vec![0; spatial], upper: vec![0; spatial], channels: 16, pixels: 15 };
        let mut map = Map { mode, ..Map::tiled(U16, &dims, &dims) };
        map.steps[1..=spatial].fill(step);
        let mut config = Config::new(format!("traversal stride {step}"), map, vec![0; rank]);
        config.info = vec![0; if loads { spatial } else { 0 }];
        list.push(config);
    }
    if loads {
        let mode =
            Mode::Im2col { lower: vec![-1; spatial], upper: vec![0; spatial], channels: 16, pixels: 30 };
        let map = Map { mode, fill: 1, ..Map::tiled(F16, &dims, &dims) };
        let mut coordinates = vec![-1; rank];
        (coordinates[0], coordinates[rank - 1]) = (64, 1);
        let mut config = Config::new("NaN outside", map, coordinates);
        config.info = vec![0; spatial];
        list.push(config);
    }
    list
}

/// Returns columns of `im2col::w` or `im2col::w::128`: along W alone, with halos.
fn wide_columns(rank: usize, w128: bool) -> Vec<Config> {
    let spatial = rank - 2;
    let mut dims = extents(U16, 32, &[9, 6, 5][..spatial]);
    dims.push(40);
    let config = |name: &str, (lower, upper): (i32, i32), w: i32, (halo, offset): (u16, u16)| {
        let pixels = if w128 { 128 } else { 50 };
        let mode = Mode::Im2colW { lower, upper, channels: 16, pixels, w128 };
        let map = Map { mode, swizzle: 1, ..Map::tiled(U16, &dims, &dims) };
        let mut coordinates = vec![0; rank];
        (coordinates[1], coordinates[rank - 1]) = (w, 1);
        if spatial > 1 {
            coordinates[2] = 1;
        }
        let halos = usize::from(halo) * if w128 { 4 } else { 1 };
        let mut config = Config::new(name, map, coordinates);
        config.bytes += halos * 32;
        config.info = vec![halo, offset];
        config
    };
    vec![
        config("no halo", (0, 0), 7, (0, 0)),
        config("a halo of 2", (0, 0), 7, (2, 0)),
        config("an offset of 1", (-1, -1), -1, (2, 1)),
        config("left of the box", (0, 0), -3, (1, 0)),
    ]
}

/// Returns copies of rows of a table by their numbers.
fn rows() -> Vec<Config> {
    let map = |element: u8, span: u32| {
        Map::tiled(element, &extents(element, 144, &[20]), &extents(element, span, &[1]))
    };
    let mut list = vec![
        Config::new("rows in any order", map(U32, 64), vec![4, 7, 0, 19, 7]),
        Config::new("rows outside", map(U32, 64), vec![24, 20, 3, -1, 2]),
        Config::new("swizzle of 128 bytes", map(U16, 128), vec![8, 3, 2, 1, 0]).with(|map| map.swizzle = 3),
    ];
    for config in &mut list {
        config.bytes *= 4;
    }
    list
}

/// Returns the element types of a reduction (table of 9.7.9.25.5.3), and their names in `values`.
fn reduced(op: &str) -> &'static [(u8, &'static str)] {
    match op {
        "add" => &[(U32, "u32"), (S32, "s32"), (U64, "u64"), (F16, "f16"), (BF16, "bf16"), (F32, "f32")],
        "min" | "max" => {
            &[(U32, "u32"), (S32, "s32"), (U64, "u64"), (S64, "s64"), (F16, "f16"), (BF16, "bf16")]
        }
        "inc" | "dec" => &[(U32, "u32")],
        _ => &[(U32, "u32"), (U64, "u64")],
    }
}

fn rank(form: &Form) -> usize {
    form.words().find_map(|word| word.strip_suffix('d')?.parse().ok()).unwrap_or(1)
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    vec![match form.words().nth(1) {
        Some("reduce") => reduction(form),
        _ if is_hint(form) => prefetch(form),
        _ if form.has("bulk_group") => store(form),
        _ => load(form),
    }]
}

/// Returns true if the form gets every map: not with a hint or multicast, and not for a prefetch.
fn is_plain(form: &Form) -> bool {
    let hint = form.has("L2::cache_hint") || form.has("cta_group::1") || form.has("cta_group::2");
    !hint && !is_multicast(form) && !is_hint(form)
}

/// Returns true if the form moves no data.
fn is_hint(form: &Form) -> bool {
    form.has("prefetch") || form.has("applypriority")
}

fn is_multicast(form: &Form) -> bool {
    form.has("multicast::cluster") || form.has("multicast::cluster::32b")
}

fn configs(form: &Form) -> Vec<Config> {
    let (rank, loads) = (rank(form), is_hint(form) || !form.has("bulk_group"));
    let plain = is_plain(form);
    if form.has("im2col::w") || form.has("im2col::w::128") {
        return wide_columns(rank, form.has("im2col::w::128"));
    }
    if form.has("tile::gather4") || form.has("tile::scatter4") {
        return rows();
    }
    let mut list = match form.has("tile") {
        true => tiles(rank, U16, loads),
        false => columns(rank, U16, loads),
    };
    if plain && form.has("tile") {
        list.extend(rich_tiles(rank, loads));
    } else if plain {
        list.extend(rich_columns(rank, loads));
    }
    if plain && loads && form.has("shared::cluster") {
        list.extend(departing(rank, form.has("tile")));
    }
    list
}

/// The registers of a kernel that takes a map, and the slots that all runs set.
struct Parts {
    map: String,
    tensor: Slot,
    coordinates: Vec<(Slot, String)>,
    info: Vec<(Slot, String)>,
    bytes: (Slot, String),
}

impl Parts {
    fn new(b: &mut Builder<'_>, configs: &[Config], compare: Option<Compare>) -> Self {
        b.takes(MAP);
        let tensor_bytes =
            configs.iter().map(Config::tensor_bytes).max().unwrap_or(0).max(4 * THREADS as usize);
        let tensor = b.memory("tensor", 16, 256, compare, &vec![0; tensor_bytes]);
        let map = b.set(Class::B64, format!("mov.u64 {{}}, {NAME}_map"));
        let map = b.set(Class::B64, format!("cvta.param.u64 {{}}, {map}"));
        let uniforms = |b: &mut Builder<'_>, name: &str, class: Class, count: usize| -> Vec<(Slot, String)> {
            (0..count).map(|i| b.uniform(&format!("{name} {i}"), class, 0)).collect()
        };
        let count = configs.first().map_or(0, |config| config.coordinates.len());
        let coordinates = uniforms(b, "coordinate", Class::B32, count);
        let info_count = configs.first().map_or(0, |config| config.info.len());
        let info = uniforms(b, "im2colInfo", Class::B16, info_count);
        let bytes = b.uniform("bytes of the tile", Class::B32, 0);
        Self { map, tensor, coordinates, info, bytes }
    }

    /// Returns the registers of the operand `[map, {coordinates}]`.
    fn of_map(&self) -> Vec<String> {
        let coordinates = self.coordinates.iter().map(|(_, register)| register.clone());
        std::iter::once(self.map.clone()).chain(coordinates).collect()
    }

    /// Adds the run of a config. `contents` is the content of the tensor.
    fn run(
        &self,
        b: &mut Builder<'_>,
        name: String,
        config: &Config,
        contents: &[u8],
        change: impl FnOnce(&Builder<'_>, &mut Vec<u8>),
    ) {
        let at = b.at(self.tensor);
        let map = Map { at, ..config.map.clone() };
        b.run(name, Extra::Map(map), |b, memory| {
            for ((slot, _), value) in self.coordinates.iter().zip(&config.coordinates) {
                b.put(memory, *slot, *value as u32 as u64);
            }
            for ((slot, _), value) in self.info.iter().zip(&config.info) {
                b.put(memory, *slot, u64::from(*value));
            }
            b.put(memory, self.bytes.0, config.bytes as u64);
            memory[at..at + contents.len()].copy_from_slice(contents);
            change(b, memory);
        });
        if let Some(why) = config.fault {
            b.faults(why);
        }
    }
}

/// The declaration of the parameter after the address of the memory.
pub const MAP: &str = ", .param .align 64 .b8 KERNEL_map[128]";

/// Returns the content of a tensor before a run: noise, or edges of floats if a copy may change floats of the type.
fn contents(config: &Config) -> Vec<u8> {
    let bytes = config.tensor_bytes();
    match config.map.element {
        F32 | F32_FTZ | TF32 | TF32_FTZ => {
            let rows = values::rows(&["f32"], bytes / 4);
            rows.iter().flat_map(|row| (row[0] as u32).to_le_bytes()).collect()
        }
        element => noise(bytes, 51 + u64::from(element)),
    }
}

fn load(form: &Form) -> Case<'_> {
    let configs = configs(form);
    let bytes = configs.iter().map(|config| config.bytes).max().unwrap_or(0).next_multiple_of(1024) + 1024;
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let parts = Parts::new(&mut b, &configs, None);
    let tile = b.memory("tile", 16, 16, Some(Compare::Equal), &noise(2 * bytes, 50));
    let (mask_slot, mask) = b.uniform("blocks that get the tile, as a mask", Class::B32, 1);
    let shared = b.shared(bytes, 1024);
    b.stage_in(tile, shared, bytes);
    b.line("fence.proxy.async.shared::cta");
    let mbarrier = initialized(&mut b, 1);
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let multicast = is_multicast(form);
    let signals = if multicast && form.has("cta_group::2") {
        // The signals for both blocks go to the block of even rank, whose mbarrier the instruction names (9.7.9.25.5.2).
        let all = b.set(Class::B32, format!("popc.b32 {{}}, {mask}"));
        let is_even = b.set(Class::Pred, format!("setp.eq.u32 {{}}, {rank}, 0"));
        b.set(Class::B32, format!("selp.b32 {{}}, {all}, 0, {is_even}"))
    } else {
        let bit = b.set(Class::B32, format!("shr.u32 {{}}, {mask}, {rank}"));
        b.set(Class::B32, format!("and.b32 {{}}, {bit}, 1"))
    };
    b.one_thread(|b| {
        let bytes = b.set(Class::B32, format!("mul.lo.u32 {{}}, {signals}, {}", parts.bytes.1));
        b.line(format!(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {bytes}"
        ));
    });
    b.sync();
    let own = multicast || form.has("shared::cta");
    b.block_0(|b| {
        b.one_thread(|b| {
            let there = b.set(Class::B32, format!("shr.u32 {{}}, {mask}, 1"));
            let address = |b: &mut Builder<'_>, offset: usize| {
                let here = b.set(Class::B32, format!("add.u32 {{}}, %shared, {offset}"));
                if own {
                    return here;
                }
                b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {here}, {there}"))
            };
            let mut registers = vec![address(b, shared)];
            registers.extend(parts.of_map());
            registers.push(address(b, mbarrier));
            registers.extend(parts.info.iter().map(|(_, register)| register.clone()));
            if multicast {
                registers.push(match form.has("multicast::cluster::32b") {
                    true => mask.clone(),
                    false => b.set(Class::B16, format!("cvt.u16.u32 {{}}, {mask}")),
                });
            }
            if form.has("L2::cache_hint") {
                registers.push(b.policy());
            }
            b.line(form.with(&registers));
        });
    });
    wait_for(&mut b, mbarrier, 0, "cluster");
    b.sync();
    b.stage_out(tile, shared, bytes);
    let masks: &[(&str, u64)] = match () {
        () if multicast => &[("both blocks", 3), ("own block", 1), ("the peer", 2)],
        () if own => &[("own block", 1)],
        () => &[("own block", 1), ("the peer", 2)],
    };
    for (i, config) in configs.iter().enumerate() {
        let first = if i == 0 { 0 } else { i % masks.len() };
        let count = if i == 0 { masks.len() } else { 1 };
        for (who, mask) in &masks[first..first + count] {
            let contents = contents(config);
            parts.run(&mut b, format!("{}, {who}", config.name), config, &contents, |b, memory| {
                b.put(memory, mask_slot, *mask);
            });
        }
    }
    b.finish("")
}

/// Makes one thread copy out of shared memory and wait for the copy.
fn out_of_shared(b: &mut Builder<'_>, parts: &Parts, shared: usize) {
    let form = b.form;
    b.one_thread(|b| {
        let mut registers = parts.of_map();
        registers.push(b.set(Class::B32, format!("add.u32 {{}}, %shared, {shared}")));
        if form.has("L2::cache_hint") {
            registers.push(b.policy());
        }
        b.line(form.with(&registers));
        b.line("cp.async.bulk.commit_group");
        b.line("cp.async.bulk.wait_group 0");
    });
}

fn store(form: &Form) -> Case<'_> {
    let mut configs = configs(form);
    if form.has("tile::scatter4") {
        // Two rows at one place would race.
        configs[0].coordinates[4] = 8;
        configs[1].coordinates[3] = 21;
    }
    let bytes = configs.iter().map(|config| config.bytes).max().unwrap_or(0).next_multiple_of(128);
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let parts = Parts::new(&mut b, &configs, Some(Compare::Equal));
    let tile = b.memory("tile", 16, 16, None, &noise(bytes, 52));
    let shared = b.shared(bytes, 1024);
    b.stage_in(tile, shared, bytes);
    b.line("fence.proxy.async.shared::cta");
    b.sync();
    out_of_shared(&mut b, &parts, shared);
    for config in &configs {
        parts.run(&mut b, config.name.clone(), config, &noise(config.tensor_bytes(), 53), |_, _| {});
    }
    b.finish("")
}

fn reduction(form: &Form) -> Case<'_> {
    let rank = rank(form);
    let op = form.one_of(&["add", "min", "max", "inc", "dec", "and", "or", "xor"]).unwrap_or("add");
    let mut configs: Vec<(Config, &str)> = Vec::new();
    for (element, ty) in reduced(op) {
        let name = |what: &str| format!("{ty}: {what}");
        if form.has("tile") {
            // The whole tensor: each element is combined with the operand of the same number.
            let others: &[u32] = match rank {
                1 => &[],
                2 => &[48],
                3 => &[8, 6],
                4 => &[4, 4, 3],
                _ => &[4, 4, 3, 1],
            };
            let row = if rank == 1 { 256 * size(*element) } else { 64 };
            let all = extents(*element, row, others);
            configs.push((Config::new(name("all"), Map::tiled(*element, &all, &all), vec![0; rank]), ty));
            let tiles = tiles(rank, *element, false).into_iter();
            configs.extend(tiles.map(|config| (Config { name: name(&config.name), ..config }, *ty)));
        } else {
            let columns = columns(rank, *element, false).into_iter();
            configs.extend(columns.map(|config| (Config { name: name(&config.name), ..config }, *ty)));
        }
    }
    if form.has("L2::cache_hint") {
        configs.truncate(1);
    }
    let bytes = configs.iter().map(|(config, _)| config.bytes).max().unwrap_or(0).next_multiple_of(128);
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let (configs, types): (Vec<Config>, Vec<&str>) = configs.into_iter().unzip();
    let parts = Parts::new(&mut b, &configs, Some(Compare::Equal));
    let tile = b.memory("tile", 16, 16, None, &vec![0; bytes]);
    let shared = b.shared(bytes, 1024);
    b.stage_in(tile, shared, bytes);
    b.line("fence.proxy.async.shared::cta");
    b.sync();
    out_of_shared(&mut b, &parts, shared);
    for (config, ty) in configs.iter().zip(types) {
        let size = values::bits(ty) as usize / 8;
        let count = config.tensor_bytes().max(bytes) / size;
        let [content, operands] = values::columns(ty, count);
        let (content, operands) = (&content[..config.tensor_bytes()], &operands[..bytes]);
        parts.run(&mut b, config.name.clone(), config, content, |b, memory| {
            let at = b.at(tile);
            memory[at..at + bytes].copy_from_slice(operands);
        });
    }
    b.finish("")
}

/// Returns the case of a prefetch, which changes nothing.
fn prefetch(form: &Form) -> Case<'_> {
    let configs = configs(form);
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let parts = Parts::new(&mut b, &configs, Some(Compare::Equal));
    b.one_thread(|b| {
        let mut registers = parts.of_map();
        registers.extend(parts.info.iter().map(|(_, register)| register.clone()));
        if form.has("L2::cache_hint") {
            registers.push(b.policy());
        }
        b.line(form.with(&registers));
    });
    let at = b.at(parts.tensor);
    let own = b.set(Class::B64, "mad.wide.u32 {}, %t, 4, %memory");
    let word = b.set(Class::B32, format!("ld.global.b32 {{}}, [{own}+{at}]"));
    b.output("word", Class::B32, &word, Compare::Equal);
    for config in &configs {
        parts.run(&mut b, config.name.clone(), config, &contents(config), |_, _| {});
    }
    b.finish("")
}
