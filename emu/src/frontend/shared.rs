//! Lays out the shared memory of a block.

use crate::address::SHARED_BASE;
use crate::frontend::program::{Init, Program, Symbol};

/// The shared memory of a block of a kernel.
pub struct SharedLayout {
    /// The offset of each variable of the program that is in shared memory and that the kernel uses.
    pub offsets: Vec<Option<u32>>,
    /// The bytes of the static variables. Dynamic ones follow.
    pub bytes: u64,
}

impl SharedLayout {
    pub fn of(program: &Program, kernel: usize) -> Self {
        let mut functions = vec![false; program.functions.len()];
        let mut used = vec![false; program.variables.len()];
        let mut next = vec![Symbol::Function(kernel)];
        while let Some(symbol) = next.pop() {
            match symbol {
                Symbol::Function(index) if !std::mem::replace(&mut functions[index], true) => {
                    next.extend(&program.functions[index].symbols);
                }
                Symbol::Variable(index) if !std::mem::replace(&mut used[index], true) => {
                    // A table of functions.
                    next.extend(program.variables[index].init.iter().filter_map(|(_, init)| match init {
                        Init::Address { of, .. } => Some(*of),
                        Init::Number(_) => None,
                    }));
                }
                _ => {}
            }
        }
        let shared = |is_extern: bool| {
            let all = program.variables.iter().enumerate();
            let used = &used;
            all.filter(move |(i, variable)| {
                variable.space == "shared" && used[*i] && variable.is_extern == is_extern
            })
        };
        let mut offsets = vec![None; program.variables.len()];
        let mut end = u64::from(SHARED_BASE);
        for (i, variable) in shared(false) {
            let offset = end.next_multiple_of(variable.align.max(1));
            offsets[i] = Some(offset as u32);
            end = offset + variable.bytes;
        }
        // The driver aligns to at least 16 bytes, and to more where the program asks for it.
        let align = shared(true).map(|(_, variable)| variable.align).max();
        let end = end.next_multiple_of(align.unwrap_or(1).max(16));
        for (i, _) in shared(true) {
            offsets[i] = Some(end as u32);
        }
        Self { offsets, bytes: end - u64::from(SHARED_BASE) }
    }
}
