//! `clusterlaunchcontrol`: blocks cancel others of the grid and do their work. In the end, each block's work is done once.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::mbarrier::{initialized, wait_for};
use crate::form::{Class, Form};

/// A grid of more blocks than are resident at a time, so that some are left to be canceled.
const GRID: [u32; 3] = [6, 5, 6];

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let multicast = form.has("multicast::cluster::all");
    let size = if multicast { 2 } else { 1 };
    let shape = Shape { grid: GRID, block: [32, 1, 1], cluster: [size, 1, 1], dynamic_shared: 0 };
    let mut b = Builder::new(form, shape);
    let blocks = shape.blocks();
    let done = b.memory("work done once", 4, 16, Some(Compare::Holds), &vec![0; 4 * blocks]);
    let response = b.shared(16, 16);
    let at = b.at(done);
    let mbarrier = initialized(&mut b, 1);
    let work = |b: &mut Builder<'_>, block: &str| {
        let own = b.set(Class::B64, format!("mad.wide.u32 {{}}, {block}, 4, %memory"));
        let one = b.set(Class::B32, "mov.u32 {}, 1");
        b.one_thread(|b| b.line(format!("red.relaxed.gpu.global.add.u32 [{own}+{at}], {one}")));
    };
    work(&mut b, "%cta");
    let parity = b.set(Class::B32, "mov.u32 {}, 0");
    let taken = b.set(Class::B32, "mov.u32 {}, 0");
    let (again, finished) = (b.label(), b.label());
    b.place(&again);
    let request = |b: &mut Builder<'_>| {
        let to = b.set(Class::B32, format!("add.u32 {{}}, %shared, {response}"));
        let bar = b.set(Class::B32, format!("add.u32 {{}}, %shared, {mbarrier}"));
        let own = form.has("try_cancel");
        let mut registers = vec![to, bar];
        if own && form.classes()[0] == Class::B64 {
            for register in &mut registers {
                let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {register}"));
                *register = b.set(Class::B64, format!("cvta.shared::cta.u64 {{}}, {wide}"));
            }
        }
        b.line(match own {
            true => form.with(&registers),
            false => format!(
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [{}], [{}]",
                registers[0], registers[1]
            ),
        });
    };
    // Each block expects its response.
    b.one_thread(|b| {
        let bytes = b.set(Class::B32, "mov.u32 {}, 16");
        b.line(format!(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {bytes}"
        ));
    });
    b.sync();
    match multicast {
        true => b.block_0(|b| b.one_thread(request)),
        false => b.one_thread(request),
    }
    wait_for(&mut b, mbarrier, &parity, "cluster");
    b.line(format!("xor.b32 {parity}, {parity}, 1"));
    let (low, high) = (b.reg(Class::B64), b.reg(Class::B64));
    b.line(format!("ld.shared::cta.v2.b64 {{{low}, {high}}}, [%shared+{response}]"));
    let response = b.set(Class::B128, format!("mov.b128 {{}}, {{{low}, {high}}}"));
    // The next request writes the response through the async proxy.
    b.line("fence.proxy.async.shared::cta");
    b.sync();
    let canceled = b.reg(Class::Pred);
    b.line(match form.has("is_canceled") {
        true => form.with(&[&canceled, &response]),
        false => format!("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 {canceled}, {response}"),
    });
    b.line(format!("@!{canceled} bra {finished}"));
    let coordinates: Vec<String> = (0..3).map(|_| b.reg(Class::B32)).collect();
    b.line(match form.has("v4") {
        true => form.with(&[&coordinates[0], &coordinates[1], &coordinates[2], &response]),
        false => format!(
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{{}, _}}, {response}",
            coordinates.join(", ")
        ),
    });
    if let Some(dimension) = ["x", "y", "z"].iter().position(|d| form.has(&format!("get_first_ctaid::{d}"))) {
        b.line(form.with(&[&coordinates[dimension], &response]));
    }
    let block =
        b.set(Class::B32, format!("mad.lo.u32 {{}}, {}, {}, {}", coordinates[2], GRID[1], coordinates[1]));
    let block = b.set(Class::B32, format!("mad.lo.u32 {{}}, {block}, {}, {}", GRID[0], coordinates[0]));
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let block = b.set(Class::B32, format!("add.u32 {{}}, {block}, {rank}"));
    work(&mut b, &block);
    // No block cancels more blocks than there are.
    b.line(format!("add.u32 {taken}, {taken}, 1"));
    let more = b.set(Class::Pred, format!("setp.lt.u32 {{}}, {taken}, {blocks}"));
    b.line(format!("@{more} bra {again}"));
    b.place(&finished);
    vec![b.finish("")]
}
