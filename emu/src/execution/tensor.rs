//! Runs tensor copies by their maps (PTX ISA 5.5, 9.7.9.25.5, 9.7.9.26).

use crate::address::Place;
use crate::execution::access::How;
use crate::execution::agent::{Done, Piece};
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::thread::value;
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::float::Format;
use crate::order::clock::Proxy;
use crate::report::{Fault, FaultKind};
use crate::tensor::{TF32, TF32_FTZ, TensorMap};

/// Returns whether a tensor reduction has this operation for this element type (the table of PTX ISA 9.7.9.25.5.3).
fn reduces(rmw: Rmw, ty: Type) -> bool {
    let is_half = matches!(ty, Type::Float(Format::F16 | Format::Bf16));
    let is_integer = matches!(ty, Type::Unsigned(32 | 64) | Type::Signed(32 | 64));
    match rmw {
        Rmw::Add => is_half || (is_integer && ty != Type::Signed(64)) || ty == Type::Float(Format::F32),
        Rmw::Min | Rmw::Max => is_half || is_integer,
        Rmw::Inc | Rmw::Dec => ty == Type::Unsigned(32),
        // `.b32` and `.b64` are bits of any type.
        Rmw::And | Rmw::Or | Rmw::Xor => matches!(ty.bits(), 32 | 64),
        Rmw::Exch | Rmw::Cas => false,
    }
}

/// An element of a copy: its address in global memory, and its place in the box.
struct Element {
    global: Option<u64>,
    offset: usize,
}

impl Machine<'_> {
    /// Returns the tensor map at an address, and its place.
    fn tensor_map(
        &mut self,
        cta: usize,
        thread: usize,
        address: Address,
    ) -> Result<(TensorMap, Place), Fault> {
        let place = self.resolve(cta, thread, address, 128, 64)?;
        if let Place::Shared(..) | Place::Local(_) = place {
            return Err(self.fault(cta, thread, "a tensor map is in `.param`, `.const` or global memory"));
        }
        let bytes = self.peek(cta, thread, place, 128).to_vec();
        let map = TensorMap::from_bytes(&bytes)
            .ok_or_else(|| self.fault(cta, thread, "the 128 bytes at the address are no tensor map"))?;
        Ok((map, place))
    }

    pub fn tensor(&mut self, cta: usize, thread: usize, op: &Tensor) -> Outcome {
        let (mut map, map_place) = self.tensor_map(cta, thread, op.map)?;
        let v = |machine: &Self, src: Src| value(&machine.constants, &machine.ctas[cta].threads[thread], src);
        if usize::from(map.rank) != op.dims {
            return Err(self.fault(
                cta,
                thread,
                format!("a copy of {} dimensions by a tensor map of {}", op.dims, map.rank),
            ));
        }
        let is_resized = !op.replaced.sizes.is_empty();
        if let Some(address) = op.replaced.address {
            map.address = v(self, address);
            if map.address % 16 != 0 {
                let what = format!("the address {:#x} of the tensor is not a multiple of 16", map.address);
                self.wrong(Rule::Operand, cta, thread, what);
            }
        }
        for (dim, size) in map.dims.iter_mut().zip(&op.replaced.sizes) {
            *dim = v(self, *size) as u8 as u32;
        }
        for (i, lower) in op.replaced.lower_strides.iter().enumerate() {
            let upper = op.replaced.upper_strides.map_or(0, |upper| v(self, upper) >> (4 * i) & 15);
            map.strides[i] = (upper << 32 | u64::from(v(self, *lower) as u32)) << 4;
        }
        if let Some(field) = map.lacks() {
            let what =
                format!("the tensor map's {field} is zero: nothing has set the field of a map made of zeros");
            return Err(self.fault(cta, thread, what));
        }
        if let Some(what) = map.not_modeled(op.mode) {
            return Err(self.fault(cta, thread, what));
        }
        if let Some(rmw) = op.reduction.filter(|rmw| !reduces(*rmw, map.ty())) {
            let what = format!("{rmw:?} is no tensor reduction of elements of {:?}", map.ty());
            self.wrong(Rule::Operand, cta, thread, what);
        }
        let (size, shared_size) = (map.size(), map.shared_size());
        if op.direction == Direction::ToGlobal {
            // Hardware writes rows in units of 16 bytes, also past the end of the tensor.
            let unit = (16 / size).max(1) as u32;
            map.dims[0] = map.dims[0].checked_next_multiple_of(unit).unwrap_or(0);
        }
        let mut coordinates: Vec<i64> =
            op.coordinates.iter().map(|src| i64::from(v(self, *src) as i32)).collect();
        if is_resized && coordinates.iter().any(|at| *at != 0) {
            let what =
                format!("the coordinates {coordinates:?} of a copy with sizes of its own: zeros are needed");
            self.wrong(Rule::Operand, cta, thread, what);
        }
        let packed = map.packed();
        if packed > 1 {
            map.dims[0] /= packed;
            map.boxes[0] /= packed as u16;
            if let Some(first) = coordinates.first_mut() {
                *first = first.div_euclid(packed.into());
            }
        }
        let offsets: Vec<i64> = op.offsets.iter().map(|src| i64::from(v(self, *src) as u16)).collect();
        let Some(elements) = elements(&map, op, &coordinates, &offsets) else {
            return Err(self.fault(cta, thread, "the mode of the copy is not that of the tensor map"));
        };
        if op.mode == TensorMode::Tile && coordinates[0] * size as i64 % 16 != 0 {
            let what = format!(
                "the innermost coordinate, {}, is {} bytes from the start: a multiple of 16 is needed",
                coordinates[0],
                coordinates[0] * size as i64
            );
            self.wrong(Rule::Operand, cta, thread, what);
        }
        if matches!(op.mode, TensorMode::Im2col | TensorMode::Im2colNoOffs) {
            // PTX ISA 5.5.4.1: the first pixel is within the bounding box.
            for d in 0..op.dims - 2 {
                let low = i64::from(map.lower[d]);
                let high = i64::from(map.dims[1 + d]) - 1 + i64::from(map.upper[d]);
                let at = coordinates[1 + d];
                if !(low..=high).contains(&at) {
                    let what = format!(
                        "the column starts at {at} along dimension {}: outside of the bounding box, {low} to {high}",
                        1 + d
                    );
                    self.wrong(Rule::Operand, cta, thread, what);
                }
            }
        }
        let bytes = elements.len() * shared_size;
        let (Some(shared), Some(completion)) = (op.shared, op.completion) else {
            // A prefetch is a hint: nothing waits for it.
            let mut agent = self.new_agent(cta, thread, Done::Nothing);
            agent.map = Some(map_place);
            self.map_access(&agent, How::Prefetches);
            return Ok(Flow::Next);
        };
        let place = self.resolve(cta, thread, shared, bytes, 128)?;
        let Place::Shared(slot, base) = place else {
            return Err(self.fault(cta, thread, "the tile of a tensor copy is in shared memory"));
        };
        let mut slots = vec![slot];
        if let Some(multicast) = op.multicast {
            slots = self.multicast_slots(cta, thread, slot, multicast);
        }
        slots.iter().for_each(|slot| self.check_started(cta, thread, *slot));
        let done = match completion {
            Completion::BulkGroup => self.join_bulk_group(cta, thread, true),
            Completion::Mbarrier(address) => {
                let (of, offset) = self.completion_mbarrier(cta, thread, address, slot, op.pair)?;
                let first = self.ctas[slot].cluster;
                // The mbarrier is in either the even or the odd CTA of each pair (9.7.9.25.5.2).
                let signaled =
                    |slot: usize| if op.pair { slot - (slot - first) % 2 + (of - first) % 2 } else { slot };
                Done::Mbarriers(slots.iter().map(|slot| (signaled(*slot), offset, bytes as u32)).collect())
            }
        };
        let mut agent = self.new_agent(cta, thread, done);
        agent.map = Some(map_place);
        agent.buffer = vec![0; bytes];
        if map.fill == 1 && op.direction == Direction::ToShared {
            fill_nan(map.ty(), &mut agent.buffer);
        }
        agent.rounds_to_tf32 = [TF32, TF32_FTZ].contains(&map.element) && op.direction == Direction::ToShared;
        // The swizzle counts by the address, in windows of 1024 bytes.
        let window = base + crate::address::SHARED_BASE as usize;
        // The swizzle moves units of 16 bytes, and a slice may have two.
        let unit = size.min(16);
        let units = elements.iter().enumerate().flat_map(|(i, element)| {
            (0..size / unit).map(move |k| (element, k * unit, i * shared_size + k * unit))
        });
        for (element, past, at) in units {
            let in_shared = map.swizzled(window + element.offset + past) - window;
            let global = match element.global {
                None => None,
                Some(address) => match self.global.find(address + past as u64, unit) {
                    Some((index, offset)) => Some(Place::Global(index, offset)),
                    None => {
                        let what = format!("the element at {address:#x} of the tensor is in no allocation");
                        let fault = self.fault(cta, thread, what);
                        return Err(Fault { kind: FaultKind::Address, ..fault });
                    }
                },
            };
            match op.direction {
                Direction::ToGlobal => {
                    if let Some(place) = global {
                        push(
                            &mut agent.reads,
                            Piece { place: Place::Shared(slot, base + in_shared), len: unit, at },
                        );
                        push(&mut agent.writes, Piece { place, len: unit, at });
                    }
                }
                _ => {
                    if let Some(place) = global {
                        push(&mut agent.reads, Piece { place, len: unit, at });
                    }
                    for slot in &slots {
                        let piece = Piece { place: Place::Shared(*slot, base + in_shared), len: unit, at };
                        if slots.len() == 1 {
                            push(&mut agent.writes, piece)
                        } else {
                            agent.writes.push(piece)
                        }
                    }
                }
            }
        }
        agent.reduction = op.reduction.map(|rmw| (rmw, map.ty()));
        agent.strong = op.reduction.map(|_| Scope::Gpu);
        agent.proxies = match op.direction {
            Direction::ToGlobal => (Proxy::AsyncShared, Proxy::AsyncGlobal),
            _ => (Proxy::AsyncGlobal, Proxy::AsyncShared),
        };
        self.start(agent);
        Ok(Flow::Next)
    }

    /// Runs `tensormap.replace` (PTX ISA 9.7.9.26).
    pub fn replace_field(
        &mut self,
        cta: usize,
        thread: usize,
        address: Address,
        field: Field,
        index: u32,
        bits: u64,
    ) -> Outcome {
        let place = self.resolve(cta, thread, address, 128, 64)?;
        let mut bytes = [0; 128];
        self.read(cta, thread, place, &mut bytes, None)?;
        // A map may be made of zeros, by replacing its fields. The field of the rank counts from zero.
        let map = if bytes == [0; 128] {
            Some(TensorMap { rank: 1, ..TensorMap::default() })
        } else {
            TensorMap::from_bytes(&bytes)
        };
        let Some(mut map) = map else {
            let what = "the 128 bytes at the address are no tensor map, and not zeros, of which `tensormap.replace` makes one";
            return Err(self.fault(cta, thread, what));
        };
        let i = index as usize;
        if i >= 5 {
            return Err(self.fault(cta, thread, format!("dimension {i} of a tensor map")));
        }
        if field == Field::GlobalStride && i == 4 {
            let what =
                "a tensor map has the strides 0 to 3: the innermost of its up to 5 dimensions has none";
            return Err(self.fault(cta, thread, what));
        }
        if field == Field::Rank && bits > 4 {
            let what = format!("the rank {bits} of a tensor map: the operand is the rank minus one, 0 to 4");
            return Err(self.fault(cta, thread, what));
        }
        match field {
            Field::GlobalAddress => map.address = bits,
            // The operand is the rank minus one.
            Field::Rank => map.rank = bits as u8 + 1,
            Field::BoxDim => map.boxes[i] = bits as u16,
            Field::GlobalDim => map.dims[i] = bits as u32,
            Field::GlobalStride => map.strides[i] = bits,
            Field::ElementStride => map.steps[i] = bits as u8,
            Field::ElemType => map.element = bits as u8,
            Field::InterleaveLayout => map.interleave = bits as u8,
            Field::SwizzleMode => map.swizzle = bits as u8,
            Field::FillMode => map.fill = bits as u8,
            Field::SwizzleAtomicity => map.atomicity = bits as u8,
        }
        self.write(cta, thread, place, &map.to_bytes(), None)?;
        Ok(Flow::Next)
    }
}

/// Adds a piece to the list, or to the last piece if the new one continues that.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match pieces.last_mut() {
        Some(last) if last.at + last.len == piece.at && last.place.offset(last.len) == piece.place => {
            last.len += piece.len
        }
        _ => pieces.push(piece),
    }
}

/// Fills the buffer with NaN, for floats outside of the tensor. The ISA does not say which NaN (5.5.1): an H200 writes one of
/// 16 bits, whatever the type.
fn fill_nan(ty: Type, buffer: &mut [u8]) {
    if let Type::Float(_) = ty {
        buffer.as_chunks_mut::<2>().0.fill([0xf7, 0x7f]);
    }
}

/// Returns the elements of a copy, in the order of the box. `None`: the mode does not fit the map.
fn elements(map: &TensorMap, op: &Tensor, coordinates: &[i64], offsets: &[i64]) -> Option<Vec<Element>> {
    let rank = usize::from(map.rank);
    let size = map.shared_size();
    let mut list = Vec::new();
    match op.mode {
        TensorMode::Tile if !map.im2col => {
            let mut extents: Vec<usize> =
                map.boxes[..rank].iter().map(|extent| usize::from(*extent)).collect();
            if map.interleave != 0 {
                // One slice: `not_modeled` refuses more.
                extents[rank - 2] = 1;
            }
            // An element stride of n takes every n-th element: the box has ceil(extent / n) of them. The stride of the innermost
            // dimension is ignored without an interleaved layout.
            let step = |d: usize| match d {
                0 if map.interleave == 0 => 1,
                _ => usize::from(map.steps[d]).max(1),
            };
            let counts: Vec<usize> =
                extents.iter().enumerate().map(|(d, extent)| extent.div_ceil(step(d))).collect();
            let total: usize = counts.iter().product();
            for i in 0..total {
                let (mut rest, mut index) = (i, Vec::with_capacity(rank));
                for d in 0..rank {
                    index.push(coordinates[d] + (rest % counts[d] * step(d)) as i64);
                    rest /= counts[d];
                }
                list.push(Element { global: map.element_at(&index), offset: i * size });
            }
        }
        TensorMode::TileGather4 | TensorMode::TileScatter4 if !map.im2col && rank == 2 => {
            // The coordinates are one column and four rows.
            let columns = usize::from(map.boxes[0]);
            for row in 0..4 {
                for column in 0..columns {
                    let index = [coordinates[0] + column as i64, coordinates[1 + row]];
                    list.push(Element {
                        global: map.element_at(&index),
                        offset: (row * columns + column) * size,
                    });
                }
            }
        }
        TensorMode::Im2col | TensorMode::Im2colNoOffs if map.im2col => {
            let spatial = rank - 2;
            let (channels, pixels) = (usize::from(map.boxes[0]), usize::from(map.boxes[1]));
            let low: Vec<i64> = map.lower[..spatial].iter().map(|corner| i64::from(*corner)).collect();
            let high: Vec<i64> =
                (0..spatial).map(|d| i64::from(map.dims[1 + d]) + i64::from(map.upper[d]) - 1).collect();
            let mut at: Vec<i64> = coordinates[1..=spatial].to_vec();
            let mut image = coordinates[1 + spatial];
            for pixel in 0..pixels {
                for channel in 0..channels {
                    let mut index = vec![coordinates[0] + channel as i64];
                    index.extend((0..spatial).map(|d| at[d] + offsets.get(d).copied().unwrap_or(0)));
                    index.push(image);
                    list.push(Element {
                        global: map.element_at(&index),
                        offset: (pixel * channels + channel) * size,
                    });
                }
                // The next pixel of the bounding box: W first, then H, D, and the image.
                let mut d = 0;
                loop {
                    if d == spatial {
                        image += 1;
                        break;
                    }
                    at[d] += i64::from(map.steps[1 + d].max(1));
                    if at[d] <= high[d] {
                        break;
                    }
                    at[d] = low[d];
                    d += 1;
                }
            }
        }
        TensorMode::Im2colW | TensorMode::Im2colW128 | TensorMode::Im2colNoOffsW if map.im2col => {
            // Pixels follow W alone, from image to image; H and D stay. The offset moves the bounding box and the first pixel.
            let (halo, offset) = match offsets {
                [halo, offset] => (*halo, *offset),
                _ => (0, 0),
            };
            let channels = usize::from(map.boxes[0]);
            let (pixels, group) = match op.mode {
                TensorMode::Im2colW128 => (128, 32),
                _ => (usize::from(map.boxes[1]), usize::from(map.boxes[1])),
            };
            let low = i64::from(map.lower[0]) + offset;
            let high = i64::from(map.dims[1]) - 1 + i64::from(map.upper[0]) + offset;
            let stride = i64::from(map.steps[1].max(1));
            let (mut w, mut image) = (coordinates[1] + offset, coordinates[rank - 1]);
            let mut pixel = |w: i64, image: i64| {
                let column = list.len() / channels.max(1);
                for channel in 0..channels {
                    let mut index = coordinates.to_vec();
                    index[0] += channel as i64;
                    (index[1], index[rank - 1]) = (w, image);
                    list.push(Element {
                        global: map.element_at(&index),
                        offset: (column * channels + channel) * size,
                    });
                }
            };
            for i in 0..pixels {
                pixel(w, image);
                // The halo follows the last pixel of its group along W, inside the bounding box or not.
                if (i + 1) % group == 0 {
                    (1..=halo).for_each(|beyond| pixel(w + beyond * stride, image));
                }
                w += stride;
                if w > high {
                    (w, image) = (low, image + 1);
                }
            }
        }
        _ => return None,
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floats_are_filled_with_nan() {
        let mut buffer = [0; 8];
        fill_nan(Type::Unsigned(16), &mut buffer);
        assert_eq!(buffer, [0; 8]);
        fill_nan(Type::Float(Format::F64), &mut buffer);
        assert_eq!(u64::from_le_bytes(buffer), 0x7ff7_7ff7_7ff7_7ff7);
    }
}
