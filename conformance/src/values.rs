//! Inputs: the edges of each type, and random values between them.

use std::array;

/// Returns values at the edges of a type: the limits of integers, or each kind of float.
pub fn edges(ty: &str) -> Vec<u64> {
    match ty {
        "f16" => floats(16, 10),
        "bf16" => floats(16, 7),
        "f32" => floats(32, 23),
        "f64" => floats(64, 52),
        "e4m3" | "e5m2" | "ue8m0" | "ue5m3" | "s2f6" => (0..256).collect(),
        // The upper bits of a byte are zero.
        "e2m3" | "e3m2" => (0..64).collect(),
        "e2m1" => (0..16).collect(),
        "pred" => vec![0, 1],
        _ => integers(bits(ty)),
    }
}

/// Returns the number of bits of a type. The number for a packed type includes all its elements.
pub fn bits(ty: &str) -> u32 {
    let (element, count) = packed(ty);
    count
        * match element {
            "pred" => 1,
            "bf16" => 16,
            "e4m3" | "e5m2" | "e2m3" | "e3m2" | "ue8m0" | "ue5m3" | "s2f6" => 8,
            "e2m1" => 4,
            _ => element.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(32),
        }
}

/// Returns the element type of a packed type, and the number of elements.
pub fn packed(ty: &str) -> (&str, u32) {
    match ty.split_once('x') {
        Some((element, count)) => (element, count.parse().unwrap_or(1)),
        None => (ty, 1),
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

fn integers(bits: u32) -> Vec<u64> {
    let (all, top) = (mask(bits), 1 << (bits.min(64) - 1));
    let mut list =
        vec![0, 1, 2, top - 1, top, top + 1, all - 1, all, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, 100];
    list.iter_mut().for_each(|value| *value &= all);
    list
}

fn floats(bits: u32, fraction: u32) -> Vec<u64> {
    let sign = 1u64 << (bits - 1);
    let infinity = mask(bits - 1) & !mask(fraction);
    let bias = infinity >> 1 & !mask(fraction);
    let quiet = 1 << (fraction - 1);
    let positive = [
        0,
        // Subnormal numbers and the least normal ones.
        1,
        quiet,
        mask(fraction),
        1 << fraction,
        (1 << fraction) + 1,
        // One and its neighbors, powers of two, 1.5, 3.
        bias,
        bias - 1,
        bias + 1,
        bias + (1 << fraction),
        bias - (1 << fraction),
        bias + quiet,
        bias + (1 << fraction) + quiet,
        // Numbers whose last place is 1 and 2, the largest numbers, and infinity.
        bias + (u64::from(fraction) << fraction),
        bias + (u64::from(fraction + 1) << fraction) + 1,
        infinity - 1,
        infinity - (1 << fraction),
        infinity,
        // A quiet NaN, one with a payload, and a signaling NaN.
        infinity | quiet,
        infinity | mask(fraction),
        infinity | 1,
    ];
    positive.iter().copied().chain(positive.iter().map(|value| value | sign)).collect()
}

fn random(rng: &mut fastrand::Rng, ty: &str, edges: &[u64]) -> u64 {
    let any = rng.u64(..) & mask(bits(ty));
    let (fraction, bias) = match ty {
        "f16" => (10, 15),
        "bf16" => (7, 127),
        "f32" => (23, 127),
        "f64" => (52, 1023),
        _ => (0, 0),
    };
    match rng.u32(0..4) {
        _ if matches!(ty, "e2m3" | "e3m2") => edges[rng.usize(..edges.len())],
        0 => edges[rng.usize(..edges.len())],
        // A number near one, so that sums and products round.
        1 | 2 if bias > 0 => {
            any & (1 << (bits(ty) - 1)) | (bias + rng.u64(0..16) - 8) << fraction | any & mask(fraction)
        }
        _ => any,
    }
}

/// Returns a value of a type of at most 64 bits: an edge, a number near one, or any bits.
pub fn one(rng: &mut fastrand::Rng, ty: &str) -> u64 {
    let (element, lanes) = packed(ty);
    let edges = edges(element);
    (0..lanes).fold(0, |all, lane| all | random(rng, element, &edges) << (lane * bits(element)))
}

/// Returns `count` rows of operands of these types. Up to three quarters of the rows are combinations of edges, all
/// combinations if they fit; the others are random. The elements of a packed type come from different rows.
pub fn rows(types: &[&str], count: usize) -> Vec<Vec<u64>> {
    let (elements, lanes): (Vec<_>, Vec<_>) = types.iter().map(|ty| packed(ty)).unzip();
    let bits: Vec<_> = elements.iter().map(|element| bits(element)).collect();
    let rows = unpacked_rows(&elements, count);
    let pack = |i: usize, k: usize| {
        (0..lanes[k]).fold(0, |all, lane| all | rows[(i + 37 * lane as usize) % count][k] << (lane * bits[k]))
    };
    (0..count).map(|i| (0..types.len()).map(|k| pack(i, k)).collect()).collect()
}

fn unpacked_rows(types: &[&str], count: usize) -> Vec<Vec<u64>> {
    let mut rng = fastrand::Rng::with_seed(7);
    let edges: Vec<Vec<u64>> = types.iter().map(|ty| edges(ty)).collect();
    let product: usize = edges.iter().map(Vec::len).product();
    // Up to three of four rows are combinations of edges: all combinations, or a sample spread over all of them.
    let from_edges = product.min(count - count / 4);
    let step = if product <= from_edges { 1 } else { (product as f64 * 0.618) as usize | 1 };
    (0..count)
        .map(|i| {
            let mut index = i * step % product;
            let mut row = Vec::new();
            for (ty, edges) in types.iter().zip(&edges) {
                let edge = edges[index % edges.len()];
                row.push(if i < from_edges { edge } else { random(&mut rng, ty, edges) });
                index /= edges.len();
            }
            row
        })
        .collect()
}

/// Returns `N` columns of [`rows`] as bytes, for a type of at most 64 bits.
pub fn columns<const N: usize>(ty: &str, count: usize) -> [Vec<u8>; N] {
    let bytes = bits(ty) as usize / 8;
    let rows = rows(&[ty; N], count);
    array::from_fn(|k| rows.iter().flat_map(|row| row[k].to_le_bytes().into_iter().take(bytes)).collect())
}

/// Returns random bytes.
pub fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| rng.u8(..)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_floats_are_what_they_are_called() {
        let f32s: Vec<f32> = edges("f32").iter().map(|bits| f32::from_bits(*bits as u32)).collect();
        for value in
            [0.0, 1.0, 0.5, 2.0, 1.5, 3.0, f32::MAX, f32::INFINITY, f32::MIN_POSITIVE, f32::from_bits(1)]
        {
            assert!(f32s.contains(&value) && f32s.contains(&-value), "{value}");
        }
        assert_eq!(f32s.iter().filter(|value| value.is_nan()).count(), 6);
        assert!(edges("f64").contains(&1f64.to_bits()) && edges("bf16").contains(&0x3f80));
        assert!(edges("f16").contains(&0x3c00) && edges("f16").contains(&0x7bff));
    }

    #[test]
    fn rows_have_every_pair_of_edges_that_fits() {
        let rows = rows(&["u32", "u32"], 256);
        assert_eq!(rows.len(), 256);
        for a in edges("u32") {
            for b in edges("u32") {
                assert!(rows.contains(&vec![a, b]), "{a} {b}");
            }
        }
        assert_eq!(bits("bf16x2"), 32);
        assert_eq!((bits("e4m3x4"), bits("s64"), bits("b128")), (32, 64, 128));
    }
}
