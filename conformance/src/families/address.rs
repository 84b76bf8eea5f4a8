//! Instructions on addresses: `cvta`, `isspacep`, `mapa`, `getctarank`. Addresses differ between machines; the words at them do
//! not.

use crate::builder::Builder;
use crate::case::{Case, Compare, NAME, Shape};
use crate::families::Space;
use crate::form::{Class, Form};
use crate::values::noise;

const THREADS: u32 = 32;
/// Bytes of each variable: a word for each thread.
const BYTES: usize = 4 * THREADS as usize;

/// The 64-bit addresses of one word per thread in each state space. All variables are filled.
struct Spaces {
    /// The name of the space in `cvta`, the address in the space, and the instruction that loads from it.
    all: Vec<(&'static str, String, String)>,
}

fn spaces(b: &mut Builder<'_>) -> Spaces {
    let words: Vec<String> = noise(BYTES, 3)
        .chunks(4)
        .map(|w| format!("{:#x}", u32::from_le_bytes([w[0], w[1], w[2], w[3]])))
        .collect();
    b.declare(format!(".const .align 16 .b32 {NAME}_const[{THREADS}] = {{{}}};", words.join(", ")));
    let global = b.memory("global", 4, 16, None, &noise(BYTES, 4));
    let staged = b.memory("shared", 4, 16, None, &noise(2 * BYTES, 5));
    let shared = b.shared(BYTES, 16);
    b.line(format!(".local .align 16 .b8 local[{BYTES}]"));
    b.stage_in(staged, shared, BYTES);
    b.sync();
    let offset = b.set(Class::B64, "mul.wide.u32 {}, %t, 4");
    let word = |b: &mut Builder<'_>, base: &str| {
        let base = b.set(Class::B64, format!("mov.u64 {{}}, {base}"));
        b.set(Class::B64, format!("add.u64 {{}}, {base}, {offset}"))
    };
    let constant = word(b, &format!("{NAME}_const"));
    let local = word(b, "local");
    let value = b.set(Class::B32, "mad.lo.u32 {}, %g, 0x9e3779b9, 17");
    b.line(format!("st.local.b32 [{local}], {value}"));
    let at = b.at(global);
    let global = b.set(Class::B64, format!("add.u64 {{}}, %memory, {offset}"));
    let global = b.set(Class::B64, format!("add.u64 {{}}, {global}, {at}"));
    // The parameter has 64 bits. Even threads load its first half, odd threads its last half.
    let half = b.set(Class::B64, format!("and.b64 {{}}, {offset}, 4"));
    let parameter = b.set(Class::B64, format!("mov.u64 {{}}, {NAME}_memory"));
    let parameter = b.set(Class::B64, format!("add.u64 {{}}, {parameter}, {half}"));
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let rank = b.set(Class::B32, format!("xor.b32 {{}}, {rank}, 1"));
    let peer = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {rank}"));
    let own = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
    let peer = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {peer}"));
    let all = vec![
        ("const", constant, "ld.const.b32".into()),
        ("global", global, "ld.global.b32".into()),
        ("local", local, "ld.local.b32".into()),
        ("param::entry", parameter, "ld.param::entry.b32".into()),
        ("shared::cta", own, "ld.shared::cta.b32".into()),
        ("shared::cluster", peer, "ld.shared::cluster.b32".into()),
    ];
    Spaces { all }
}

/// Outputs a loaded word. A word of the parameter is half an address, so it is compared with the parameter as loaded by name.
fn output(b: &mut Builder<'_>, space: &str, word: &str) {
    if space != "param::entry" {
        b.output("word", Class::B32, word, Compare::Equal);
        return;
    }
    let (low, high) = (b.reg(Class::B32), b.reg(Class::B32));
    b.line(format!("ld.param.v2.b32 {{{low}, {high}}}, [{NAME}_memory]"));
    let odd = b.set(Class::B32, "and.b32 {}, %t, 1");
    let odd = b.set(Class::Pred, format!("setp.ne.u32 {{}}, {odd}, 0"));
    let half = b.set(Class::B32, format!("selp.b32 {{}}, {high}, {low}, {odd}"));
    let same = b.set(Class::Pred, format!("setp.eq.u32 {{}}, {word}, {half}"));
    b.output("the word is the parameter's", Class::Pred, &same, Compare::Holds);
}

pub fn cvta(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let spaces = spaces(&mut b);
    let Some((name, address, load)) = spaces.all.into_iter().find(|(name, ..)| form.has(name)) else {
        return Vec::new();
    };
    let d = b.reg(Class::B64);
    let word = b.reg(Class::B32);
    if form.has("to") {
        let generic = b.set(Class::B64, format!("cvta.{name}.u64 {{}}, {address}"));
        b.line(form.with(&[&d, &generic]));
        let d = match name.starts_with("shared") {
            true => b.set(Class::B32, format!("cvt.u32.u64 {{}}, {d}")),
            false => d,
        };
        b.line(format!("{load} {word}, [{d}]"));
    } else {
        b.line(form.with(&[&d, &address]));
        b.line(format!("ld.b32 {word}, [{d}]"));
    }
    output(&mut b, name, &word);
    vec![b.finish("")]
}

pub fn isspacep(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    for (name, address, _) in spaces(&mut b).all {
        let generic = b.set(Class::B64, format!("cvta.{name}.u64 {{}}, {address}"));
        let p = b.reg(Class::Pred);
        b.line(form.with(&[&p, &generic]));
        b.output(&format!("p of an address in .{name}"), Class::Pred, &p, Compare::Equal);
    }
    vec![b.finish("")]
}

/// Returns the case of `mapa`, or of `getctarank` on mapped addresses: each thread maps its address to all 4 blocks.
pub fn mapa(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(4, THREADS));
    let staged = b.memory("shared", 4, 16, None, &noise(4 * BYTES, 6));
    let shared = b.shared(BYTES, 16);
    b.stage_in(staged, shared, BYTES);
    b.sync();
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
    let generic = b.set(Class::B64, format!("cvta.shared::cta.u64 {{}}, {wide}"));
    let is_mapa = form.words().next() == Some("mapa");
    let classes = form.classes();
    let is_generic = Space::of(form) == Space::Generic;
    let source = match (classes[1], is_generic) {
        (Class::B32, _) => &own,
        (_, true) => &generic,
        (_, false) => &wide,
    };
    for rank in 0..4u32 {
        let d = b.reg(classes[0]);
        let rank = b.set(Class::B32, format!("mov.u32 {{}}, {rank}"));
        if is_mapa {
            b.line(form.with(&[&d, source, &rank]));
            let word = b.reg(Class::B32);
            match (classes[0], is_generic) {
                (Class::B64, true) => b.line(format!("ld.b32 {word}, [{d}]")),
                (Class::B64, false) => {
                    let d = b.set(Class::B32, format!("cvt.u32.u64 {{}}, {d}"));
                    b.line(format!("ld.shared::cluster.b32 {word}, [{d}]"));
                }
                _ => b.line(format!("ld.shared::cluster.b32 {word}, [{d}]")),
            }
            b.output(&format!("word of {rank}"), Class::B32, &word, Compare::Equal);
        } else {
            let mapped = match classes[1] {
                Class::B32 => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {rank}")),
                _ if is_generic => b.set(Class::B64, format!("mapa.u64 {{}}, {generic}, {rank}")),
                _ => b.set(Class::B64, format!("mapa.shared::cluster.u64 {{}}, {wide}, {rank}")),
            };
            b.line(form.with(&[&d, &mapped]));
            b.output(&format!("rank of {rank}"), Class::B32, &d, Compare::Equal);
        }
    }
    vec![b.finish("")]
}
