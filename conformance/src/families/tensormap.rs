//! Tensor maps in memory: `tensormap.replace`, `tensormap.cp_fenceproxy`, the fences of the tensormap proxy, and the prefetch
//! of a map. The bytes of a map are opaque, so a copy by the map shows its content.

use crate::builder::Builder;
use crate::case::{Case, Compare, Extra, NAME, Shape};
use crate::families::mbarrier::{initialized, wait_for};
use crate::families::tensor::{MAP, extents, size, tile_bytes};
use crate::form::{Class, Form};
use crate::tensor::Map;
use crate::values::noise;

const THREADS: u32 = 64;
/// Bytes of the tensor, and of the tile in shared memory.
const TENSOR: usize = 32768;
const TILE: usize = 4096;
const RANK: usize = 5;
/// The distance from the tensor to the address that a map has before it is replaced.
const DECOY: usize = 64;

/// A map before the replacement, the value that replaces a field, and the copy by the map afterward.
struct Replacement {
    before: Map,
    value: u64,
    coordinates: [i32; RANK],
    bytes: usize,
    rank: usize,
    /// The reason why the copy ends the grid, if it does.
    fault: Option<&'static str>,
}

/// Returns the bytes of a box.
fn bytes(element_bytes: u32, boxes: &[u32]) -> usize {
    (boxes.iter().product::<u32>() * element_bytes) as usize
}

/// Returns the last operand if it is a number, otherwise 0.
fn immediate(form: &Form) -> u8 {
    form.text.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Returns a replacement in a map of elements of 16 bits.
fn of_boxes(dims: &[u32], boxes: &[u32], coordinates: [i32; RANK]) -> Replacement {
    let before = Map::tiled(1, dims, boxes);
    Replacement { before, value: 0, coordinates, bytes: bytes(2, boxes), rank: RANK, fault: None }
}

fn usual() -> Replacement {
    of_boxes(&[40, 5, 4, 3, 2], &[16, 2, 2, 2, 2], [8, 1, 1, 1, 0])
}

/// Returns a replacement in a map with boxes of `span` bytes per row, with enough rows for every swizzle.
fn rows_of(span: u32) -> Replacement {
    let (dims, boxes) = (extents(1, 160, &[5, 5, 3, 2]), extents(1, span, &[4, 4, 2, 1]));
    of_boxes(&dims, &boxes, [8, 0, 0, 0, 0])
}

/// Returns the replacement for `.elemtype`, in a map of another type.
fn element_type(to: u8) -> Replacement {
    let from = [1, 0, 1, 1, 2, 2, 10, 8, 7, 7, 6, 7, 7, 0, 0, 0][usize::from(to)];
    if to >= 13 {
        // Packs of 16 elements, in shared memory with their padding.
        let boxes = [128, 2, 2, 2, 1];
        let before = Map::tiled(from, &[256, 4, 3, 2, 2], &boxes);
        let bytes = bytes(1, &boxes) / 16 * if to == 13 { 8 } else { 16 };
        return Replacement {
            before,
            value: 0,
            coordinates: [128, 1, 1, 0, 0],
            bytes,
            rank: RANK,
            fault: None,
        };
    }
    let boxes = extents(to, 32, &[2, 2, 2, 1]);
    let dims = extents(to, 80, &[5, 4, 3, 2]);
    let wide = if size(from) > size(to) { from } else { to };
    let mut before = Map { element: from, ..Map::tiled(wide, &dims, &boxes) };
    let is_float = (6..=12).contains(&to);
    before.fill = is_float.into();
    let first = -(16 / size(to) as i32);
    Replacement {
        before,
        value: 0,
        coordinates: [first, 1, 1, 1, 0],
        bytes: bytes(size(to), &boxes),
        rank: RANK,
        fault: None,
    }
}

fn replacement(form: &Form) -> Replacement {
    let mut r = usual();
    let field = form.words().nth(3).unwrap_or_default();
    let ordinal = form.text.split(", ").nth(1).and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
    match field {
        "rank" => {
            // The rank minus one.
            r.value = 3;
            r.rank = 4;
            r.bytes /= 2;
        }
        "box_dim" => {
            r.value = if ordinal == 0 { 8 } else { 1 };
            r.bytes /= 2;
        }
        "global_dim" => r.value = if ordinal == 0 { 16 } else { 2 },
        "global_stride" => match r.before.strides.get(ordinal) {
            Some(stride) => r.value = stride + 16,
            None => {
                r.value = 4096;
                r.fault = Some("a tensor map has no stride 4: a copy behind its replacement faults");
            }
        },
        "element_stride" if ordinal == 0 => r.value = 1,
        "element_stride" => {
            r.value = 2;
            r.bytes /= 2;
        }
        "elemtype" => r = element_type(immediate(form)),
        "interleave_layout" => {
            let to = immediate(form);
            if to == 0 {
                let boxes = [8, 2, 2, 2, 2];
                r.before = Map { interleave: 1, ..Map::tiled(1, &[8, 6, 4, 3, 2], &boxes) };
                r.coordinates[0] = 0;
                r.bytes = bytes(2, &boxes);
            } else {
                let channels = 8 * u32::from(to);
                let after = Map::sliced(1, to, &[10, 5, 3, 2, 2], &[8, 2, 2, channels, 2]);
                r.bytes = tile_bytes(&after);
                r.coordinates[0] = 1;
                r.before = Map { interleave: 0, swizzle: to - 1, ..after };
            }
        }
        "swizzle_mode" => {
            let to = immediate(form);
            r = rows_of([32, 32, 64, 128, 96][usize::from(to)]);
            r.before.swizzle = u8::from(to == 0);
        }
        "swizzle_atomicity" => {
            r = rows_of(128);
            r.before.swizzle = 3;
        }
        "fill_mode" => {
            r.before.element = 6;
            r.before.fill = 1 - immediate(form);
            r.coordinates[0] = 32;
        }
        _ => {}
    }
    r
}

/// The path of the changed map to the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    /// The map is changed in shared memory, then copied to global memory.
    Shared,
    /// The map is changed in global memory, then released.
    Global,
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let r = replacement(form);
    let path = if form.has("shared::cta") { Path::Shared } else { Path::Global };
    vec![if form.words().next() == Some("prefetch") {
        prefetch(form, &r)
    } else {
        through_memory(form, &r, path)
    }]
}

/// Returns the address of the map that is a parameter.
fn parameter(b: &mut Builder<'_>) -> String {
    let map = b.set(Class::B64, format!("mov.u64 {{}}, {NAME}_map"));
    b.set(Class::B64, format!("cvta.param.u64 {{}}, {map}"))
}

/// Copies a tile by a map. The caller chooses one thread, and waits.
fn copy(b: &mut Builder<'_>, r: &Replacement, map: &str, shared: usize, mbarrier: usize) {
    let count = b.set(Class::B32, format!("mov.u32 {{}}, {}", r.bytes));
    b.line(format!("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {count}"));
    let to = b.set(Class::B32, format!("add.u32 {{}}, %shared, {shared}"));
    let bar = b.set(Class::B32, format!("add.u32 {{}}, %shared, {mbarrier}"));
    let coordinates: Vec<String> = r.coordinates[..r.rank].iter().map(ToString::to_string).collect();
    b.line(format!(
        "cp.async.bulk.tensor.{}d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{to}], [{map}, {{{}}}], [{bar}]",
        r.rank,
        coordinates.join(", ")
    ));
}

fn through_memory<'f>(form: &'f Form, r: &Replacement, path: Path) -> Case<'f> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    b.takes(MAP);
    let replaces = form.has("replace");
    let scope = form.one_of(&["cta", "cluster", "gpu", "sys"]).unwrap_or("gpu");
    let tensor = b.memory("tensor", 16, 256, None, &noise(TENSOR, 61));
    let map_slot = b.memory("map", 128, 128, Some(Compare::Opaque), &[0; 128]);
    let tile = b.memory("tile", 16, 16, Some(Compare::Equal), &noise(TILE, 62));
    let shared = b.shared(TILE, 1024);
    let draft = b.shared(128, 128);
    b.stage_in(tile, shared, TILE);
    b.line("fence.proxy.async.shared::cta");
    let mbarrier = initialized(&mut b, 1);
    let map = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", b.at(map_slot)));
    let generic = b.set(Class::B64, format!("cvta.global.u64 {{}}, {map}"));
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {draft}"));
    // Copies the words of the map.
    let from = parameter(&mut b);
    b.threads(0..16, |b| {
        let from = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, 8, {from}"));
        let word = b.set(Class::B64, format!("ld.b64 {{}}, [{from}]"));
        if path == Path::Shared {
            let to = b.set(Class::B32, format!("mad.lo.u32 {{}}, %t, 8, {own}"));
            b.line(format!("st.shared::cta.b64 [{to}], {word}"));
        } else {
            let to = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, 8, {map}"));
            b.line(format!("st.global.b64 [{to}], {word}"));
        }
    });
    b.sync();
    let at = b.at(tensor);
    b.one_thread(|b| {
        let address = match (replaces, path) {
            (true, _) if form.has("global") => map.clone(),
            (true, Path::Global) => generic.clone(),
            (false, Path::Global) => map.clone(),
            (_, Path::Shared) => own.clone(),
        };
        if replaces {
            let mut registers = vec![address];
            match form.classes().get(1) {
                Some(Class::B64) if form.has("global_address") => {
                    registers.push(b.set(Class::B64, format!("add.u64 {{}}, %memory, {at}")));
                }
                Some(class) => {
                    registers.push(b.set(*class, format!("mov.b{} {{}}, {}", 8 * class.bytes(), r.value)))
                }
                None => {}
            }
            b.line(form.with(&registers));
        } else {
            let space = if path == Path::Shared { "shared::cta" } else { "global" };
            let to = b.set(Class::B64, format!("add.u64 {{}}, %memory, {at}"));
            b.line(format!("tensormap.replace.tile.global_address.{space}.b1024.b64 [{address}], {to}"));
        }
        if path == Path::Global {
            let own = form.has("fence") && form.has("release");
            b.line(match own {
                true => form.text.clone(),
                false => format!("fence.proxy.tensormap::generic.release.{scope}"),
            });
        }
    });
    b.sync();
    if path == Path::Shared {
        b.threads(0..32, |b| {
            let registers = [map.clone(), own.clone()];
            b.line(match form.has("cp_fenceproxy") {
                true => form.with(&registers),
                false => format!(
                    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [{map}], [{own}], 128"
                ),
            });
        });
        b.sync();
    }
    b.threads(32..33, |b| {
        let own = form.has("fence") && form.has("acquire");
        b.line(match own {
            true => form.with(&[&generic]),
            false => format!("fence.proxy.tensormap::generic.acquire.{scope} [{generic}], 128"),
        });
        copy(b, r, &generic, shared, mbarrier);
    });
    wait_for(&mut b, mbarrier, 0, "cta");
    b.stage_out(tile, shared, TILE);
    let moves = !replaces || form.has("global_address");
    let before = Map { at: if moves { at + DECOY } else { at }, ..r.before.clone() };
    b.run("", Extra::Map(before), |_, _| {});
    if let Some(why) = r.fault {
        b.faults(why);
    }
    b.finish("")
}

/// Returns the case of `prefetch.tensormap`, which changes nothing.
fn prefetch<'f>(form: &'f Form, r: &Replacement) -> Case<'f> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    b.takes(MAP);
    let tensor = b.memory("tensor", 16, 256, None, &noise(TENSOR, 63));
    let tile = b.memory("tile", 16, 16, Some(Compare::Equal), &noise(TILE, 64));
    let shared = b.shared(TILE, 1024);
    b.stage_in(tile, shared, TILE);
    b.line("fence.proxy.async.shared::cta");
    let mbarrier = initialized(&mut b, 1);
    let map = parameter(&mut b);
    let address = match form.one_of(&["const", "param"]) {
        Some("const") => {
            b.declare(format!(".const .align 64 .b8 {NAME}_const[128];"));
            b.set(Class::B64, format!("mov.u64 {{}}, {NAME}_const"))
        }
        Some(_) => b.set(Class::B64, format!("mov.u64 {{}}, {NAME}_map")),
        None => map.clone(),
    };
    b.one_thread(|b| {
        b.line(form.with(&[address]));
        copy(b, r, &map, shared, mbarrier);
    });
    wait_for(&mut b, mbarrier, 0, "cta");
    b.stage_out(tile, shared, TILE);
    let map = Map { at: b.at(tensor), ..r.before.clone() };
    b.run("", Extra::Map(map), |_, _| {});
    b.finish("")
}
