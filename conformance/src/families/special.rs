//! Special registers, and `nanosleep`: values if the ISA states them, otherwise properties.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};

const SHAPE: Shape = Shape { grid: [4, 6, 2], block: [8, 4, 3], cluster: [2, 3, 1], dynamic_shared: 1040 };

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let case = |shape: Shape, variant| {
        let mut b = Builder::new(form, shape);
        read(&mut b);
        b.finish(variant)
    };
    vec![
        case(SHAPE, "clusters"),
        case(Shape { cluster: [1; 3], ..SHAPE }, "no clusters"),
        case(
            Shape { grid: [3, 1, 1], block: [80, 1, 1], cluster: [1; 3], dynamic_shared: 0 },
            "a partial warp",
        ),
    ]
}

/// Reads a special register.
fn special(b: &mut Builder<'_>, class: Class, name: &str) -> String {
    b.set(class, format!("mov.u{} {{}}, {name}", 8 * class.bytes()))
}

fn holds(b: &mut Builder<'_>, name: &str, comparison: String) {
    let holds = b.set(Class::Pred, comparison);
    b.output(name, Class::Pred, &holds, Compare::Holds);
}

fn read(b: &mut Builder<'_>) {
    let form = b.form;
    let class = form.classes()[0];
    let name = form.text.split(' ').next_back().unwrap_or_default();
    let read = |b: &mut Builder<'_>| {
        let d = b.reg(class);
        b.line(form.with(&[&d]));
        d
    };
    let bits = 8 * class.bytes();
    match name {
        "%smid" => {
            let d = read(b);
            let count = special(b, Class::B32, "%nsmid");
            holds(b, "below %nsmid", format!("setp.lt.u32 {{}}, {d}, {count}"));
        }
        "%nsmid" => {
            let d = read(b);
            let id = special(b, Class::B32, "%smid");
            holds(b, "above %smid", format!("setp.gt.u32 {{}}, {d}, {id}"));
        }
        "%warpid" => {
            let d = read(b);
            let count = special(b, Class::B32, "%nwarpid");
            holds(b, "below %nwarpid", format!("setp.lt.u32 {{}}, {d}, {count}"));
        }
        "%nwarpid" => {
            let d = read(b);
            let id = special(b, Class::B32, "%warpid");
            holds(b, "above %warpid", format!("setp.gt.u32 {{}}, {d}, {id}"));
        }
        "%gridid" => {
            let (first, second) = (read(b), read(b));
            holds(b, "the same twice", format!("setp.eq.u64 {{}}, {first}, {second}"));
        }
        "%clock" | "%clock64" | "%globaltimer" => {
            let (first, second) = (read(b), read(b));
            let passed = b.set(class, format!("sub.u{bits} {{}}, {second}, {first}"));
            holds(b, "time passes", format!("setp.ge.s{bits} {{}}, {passed}, 0"));
        }
        "%clock_hi" | "%globaltimer_hi" => {
            let whole = if name == "%clock_hi" { "%clock64" } else { "%globaltimer" };
            let (first, time, second) = (read(b), special(b, Class::B64, whole), read(b));
            let (low, high) = (b.reg(Class::B32), b.reg(Class::B32));
            b.line(format!("mov.b64 {{{low}, {high}}}, {time}"));
            holds(b, "not above the upper half", format!("setp.le.u32 {{}}, {first}, {high}"));
            holds(b, "not below the upper half", format!("setp.ge.u32 {{}}, {second}, {high}"));
        }
        "%globaltimer_lo" => {
            let start = special(b, Class::B64, "%globaltimer");
            let d = read(b);
            let end = special(b, Class::B64, "%globaltimer");
            let start = b.set(Class::B32, format!("cvt.u32.u64 {{}}, {start}"));
            let end = b.set(Class::B32, format!("cvt.u32.u64 {{}}, {end}"));
            let until = b.set(Class::B32, format!("sub.u32 {{}}, {d}, {start}"));
            let passed = b.set(Class::B32, format!("sub.u32 {{}}, {end}, {start}"));
            holds(b, "between two readings of the timer", format!("setp.le.u32 {{}}, {until}, {passed}"));
        }
        "%total_smem_size" => {
            let d = read(b);
            let dynamic = special(b, Class::B32, "%dynamic_smem_size");
            holds(b, "not below %dynamic_smem_size", format!("setp.ge.u32 {{}}, {d}, {dynamic}"));
        }
        "%aggr_smem_size" => {
            let d = read(b);
            let total = special(b, Class::B32, "%total_smem_size");
            holds(b, "not below %total_smem_size", format!("setp.ge.u32 {{}}, {d}, {total}"));
        }
        _ => {
            let d = read(b);
            b.output("d", class, &d, Compare::Equal);
        }
    }
}

/// Returns the case of `nanosleep`: the instruction returns.
pub fn nanosleep(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, 64));
    let start = special(&mut b, Class::B64, "%globaltimer");
    // The longest sleep is a millisecond.
    let times = [0, 1, 40, 1000, 1_000_000];
    let time = b.input("t", Class::B32, |thread| times[thread % times.len()]);
    b.line(form.with(&[time]));
    let end = special(&mut b, Class::B64, "%globaltimer");
    holds(&mut b, "time passes", format!("setp.ge.u64 {{}}, {end}, {start}"));
    vec![b.finish("")]
}
