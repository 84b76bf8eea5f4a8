//! Runs `multimem` instructions (PTX ISA 9.7.9.14).

use crate::address::Place;
use crate::execution::access::How;
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::thread::value;
use crate::execution::word::{combine, word};
use crate::frontend::op::*;
use crate::numbers::float::{self, Format};
use crate::order::clock::Proxy;

impl Machine<'_> {
    pub fn multimem(&mut self, cta: usize, thread: usize, op: &MultimemOp) -> Outcome {
        let bytes = (op.ty.bits() / 8) as usize;
        let count = op.d.len().max(op.operands.len());
        let all = bytes * count;
        let place = self.resolve(cta, thread, op.address, all, all as u64)?;
        let Place::Global(index, offset) = place else {
            return Err(self.fault(cta, thread, "`multimem` on memory that is not global"));
        };
        let replicas = self.global.allocations[index].replicas.clone();
        if replicas.is_empty() {
            return Err(self.fault(cta, thread, "`multimem` on an address that is no multicast object's"));
        }
        let strong = (op.sem != Sem::Weak).then_some(op.scope);
        self.progress += u64::from(op.what != Multimem::LdReduce);
        let values: Vec<u64> = op
            .operands
            .iter()
            .map(|src| value(&self.constants, &self.ctas[cta].threads[thread], *src))
            .collect();
        let mut loaded: Vec<Vec<u64>> = vec![Vec::new(); count];
        // A fault before the proxy is reset ends the run.
        self.ctas[cta].threads[thread].proxy = Proxy::Alias;
        for replica in replicas {
            let place = Place::Global(replica, offset);
            let mut old: Vec<u64> = self.peek(cta, thread, place, all).chunks(bytes).map(word).collect();
            match op.what {
                Multimem::LdReduce => {
                    self.check(cta, thread, place, all, How::Reads, strong);
                    // Each of the loads may read an older value.
                    if strong.is_some() {
                        let older = self.strong_load(cta, thread, (place, all), op.sem, op.scope);
                        self.polls(cta, thread, (place, all), older.is_none());
                        older.iter().for_each(|older| old = older.chunks(bytes).map(word).collect());
                    }
                    loaded.iter_mut().zip(old).for_each(|(all, old)| all.push(old));
                }
                Multimem::St | Multimem::Red => {
                    let new = values.iter().zip(old).map(|(value, old)| match op.what {
                        Multimem::St => *value,
                        _ => combine(op.rmw, op.ty, old, *value),
                    });
                    let bytes: Vec<u8> = new.flat_map(|bits| bits.to_le_bytes()[..bytes].to_vec()).collect();
                    if strong.is_some() {
                        let continues = op.what == Multimem::Red;
                        self.strong_store(cta, thread, (place, all), &bytes, (op.sem, op.scope), continues);
                    }
                    self.write(cta, thread, place, &bytes, strong)?;
                }
            }
        }
        self.ctas[cta].threads[thread].proxy = Proxy::Generic;
        for (d, values) in op.d.iter().zip(loaded) {
            if let Some(d) = d {
                self.set(cta, thread, *d, reduce(op, &values));
            }
        }
        Ok(Flow::Next)
    }
}

/// Returns the result of `multimem.ld_reduce` on the values of all memories: `.acc` adds in its own precision (PTX ISA 9.7.9.14).
fn reduce(op: &MultimemOp, values: &[u64]) -> u64 {
    let (format, lanes) = match op.ty {
        Type::Float(format) => (format, 1),
        Type::Packed(format, lanes) => (format, lanes),
        _ => (Format::F32, 0),
    };
    match op.precision {
        Some(precision) if lanes > 0 => (0..lanes).fold(0, |all, lane| {
            let shift = lane * format.bits();
            let nearest = rustc_apfloat::Round::NearestTiesToEven;
            let of_lane =
                |value: &u64| float::convert(format, precision, value >> shift & format.mask(), nearest);
            let sum = values
                .iter()
                .map(of_lane)
                .reduce(|sum, value| combine(op.rmw, Type::Float(precision), sum, value));
            all | float::convert(precision, format, sum.unwrap_or(0), nearest) << shift
        }),
        _ => values.iter().copied().reduce(|sum, value| combine(op.rmw, op.ty, sum, value)).unwrap_or(0),
    }
}
