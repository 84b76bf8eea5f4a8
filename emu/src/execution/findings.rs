//! Notes findings and faults, and names their parties.

use std::path::Path;

use crate::execution::agent::Agent;
use crate::execution::machine::{Machine, index_of};
use crate::finding::{Finding, Party, Rule};
use crate::frontend::ast::Loc;
use crate::frontend::op::Scope;
use crate::frontend::program::Function;
use crate::order::clock::{Id, OBJECTS, PART, Proxy, Time, is_of_grid, of_grid};
use crate::order::location::Narrow;
use crate::order::shadow::{At, Conflict, Missing};
use crate::report::{Fault, FaultKind};

/// The file of `ptx` with the entries of kernels.
const ENTRIES_OF_PTX: &str = "/src/expansion.rs";

impl<'a> Machine<'a> {
    fn instruction(&self, at: At) -> (&Function, usize) {
        let function = self.starts.partition_point(|start| *start <= at) - 1;
        let function = function.min(self.program.functions.len() - 1);
        (&self.program.functions[function], (at - self.starts[function]) as usize)
    }

    /// Returns the place in the kernel's crate, or in its file of C++, that led to these locations: what the kernel calls may have
    /// been inlined. Line 0 is no place.
    fn source(&self, locs: &[Loc]) -> Option<String> {
        let file = |loc: &Loc| self.program.file(loc.file);
        // The files of a crate lie in one folder. A header of C++ may lie anywhere.
        let crate_of = |file: &'a str| {
            let is_rust = file.ends_with(".rs");
            Path::new(file)
                .ancestors()
                .find(|path| is_rust && path.ends_with("src"))
                .unwrap_or(Path::new(file))
        };
        let outermost = file(locs.last()?)?;
        // The entry of `#[ptx::kernel]` is code of `ptx`, and calls the kernel.
        let is_made_by_ptx = outermost.ends_with(ENTRIES_OF_PTX);
        let is_of_user = |(file, _): &(&'a str, &Loc)| {
            let is_beside = crate_of(file) == crate_of(outermost);
            if is_made_by_ptx { !is_beside && !file.contains("/library/") } else { is_beside }
        };
        let mut places = locs.iter().filter(|loc| loc.line > 0).filter_map(|loc| Some((file(loc)?, loc)));
        let of_user = places.clone().find(is_of_user);
        let (file, loc) =
            of_user.or_else(|| if is_made_by_ptx { places.next() } else { places.next_back() })?;
        Some(format!("{file}:{}:{}", loc.line, loc.column))
    }

    pub fn party_at(&self, asynchronous: bool, cta: Option<[u32; 3]>, thread: Option<u32>, at: At) -> Party {
        let (function, pc) = self.instruction(at);
        let last = pc.min(function.code.len().saturating_sub(1));
        let line = function.code.get(last).map_or(0, |instruction| instruction.line);
        // An instruction that the compiler made of several lines has line 0: it belongs to what is before.
        let up_to_here = function.code.iter().take(last + 1).rev();
        let source = up_to_here.into_iter().find_map(|instruction| self.source(&instruction.locs));
        Party { asynchronous, cta, thread, line, source }
    }

    pub fn party(&self, cta: usize, thread: usize) -> Party {
        let place = |at| self.party_at(false, Some(self.ctas[cta].index), Some(thread as u32), at);
        let mut party = place(self.at(cta, thread));
        // A panic is in functions of `core`, which have no lines.
        let t = &self.ctas[cta].threads[thread];
        let mut callee = t.frame;
        for caller in t.frames.iter().rev() {
            if party.source.is_none() {
                party.source = place(self.starts[caller.function] + callee.call).source;
            }
            callee = *caller;
        }
        party
    }

    /// Returns the party of an asynchronous operation.
    pub fn party_of_agent(&self, agent: &Agent) -> Party {
        let (cta, thread) = agent.issuer;
        self.party_at(true, Some(self.ctas[cta].index), Some(thread as u32), agent.at)
    }

    /// Returns the party of an epoch. `by` is the thread of an epoch of an asynchronous operation.
    pub fn party_of(&self, id: Id, at: At, by: Option<u16>) -> Party {
        if id >= OBJECTS {
            return self.party_at(true, None, by.map(u32::from), at);
        }
        let size = self.cluster_size();
        let (number, thread) = (id / PART, id % PART);
        let extents = std::array::from_fn(|i| self.launch.grid[i] / self.launch.cluster[i]);
        let cluster = index_of((number / size).into(), extents);
        let within = index_of((number % size).into(), self.launch.cluster);
        let index = std::array::from_fn(|i| cluster[i] * self.launch.cluster[i] + within[i]);
        self.party_at(false, Some(index), Some(thread), at)
    }

    /// Notes a finding, once for each pair of instructions.
    pub fn find(&mut self, rule: Rule, what: String, here: Party, other: Option<Party>, places: (At, At)) {
        if self.reported.insert((rule, places.0, places.1)) {
            let kernel = self.program.functions[self.kernel].name.clone();
            self.report.findings.push(Finding { rule, what, kernel, here, other });
        }
    }

    /// Notes what a thread does wrong.
    pub fn wrong(&mut self, rule: Rule, cta: usize, thread: usize, what: impl Into<String>) {
        if self.options.check {
            let (here, at) = (self.party(cta, thread), self.at(cta, thread));
            self.find(rule, what.into(), here, None, (at, 0));
        }
    }

    pub fn fault(&self, cta: usize, thread: usize, what: impl Into<String>) -> Fault {
        let section = Some(self.current(cta, thread).op.section());
        let here = Some(self.party(cta, thread));
        Fault { section, here, ..self.fault_of_grid(FaultKind::Instruction, what.into()) }
    }

    /// Returns a fault of no instruction.
    pub fn fault_of_grid(&self, kind: FaultKind, what: String) -> Fault {
        let kernel = self.program.functions[self.kernel].name.as_str().into();
        Fault { kind, kernel, section: None, what, here: None }
    }

    /// Notes a conflict of an access.
    pub fn conflict(&mut self, conflict: Conflict, wrote: bool, here: Party, at: At, what: &str) {
        let verb = if wrote { "writes" } else { "reads" };
        match conflict {
            Conflict::Uninitialized => {
                let what = format!("reads {what}, which nothing has written");
                self.find(Rule::Uninitialized, what, here, None, (at, 0));
            }
            Conflict::Race { other, wrote: other_wrote, missing } => {
                let other_verb = if other_wrote { "written" } else { "read" };
                if is_of_grid(other.id) {
                    let before = other.id == of_grid(self.global.grids.number);
                    let (grid, lacks) = match (before, self.awaited.contains(&other.id)) {
                        (true, _) => ("the grid before this one", "for whose end the thread has not waited"),
                        (_, true) => ("an earlier grid", "for whose end the thread has not waited"),
                        _ => ("an earlier grid", "for whose end the grid before this one has not waited"),
                    };
                    let what = format!(
                        "{verb} {what}, {other_verb} by {grid}, {lacks} (`griddepcontrol.wait`, 9.7.13.13)"
                    );
                    self.find(Rule::Race, what, here, None, (at, 0));
                    return;
                }
                let (rule, reason) = match missing {
                    Missing::Order | Missing::Scope(_) => (Rule::Race, "with nothing that orders the two"),
                    Missing::ProxyFence => {
                        (Rule::ProxyFence, "through another proxy before, without a proxy fence between")
                    }
                    Missing::AliasFence => {
                        (Rule::ProxyFence, "through another address, without a `fence.proxy.alias` between")
                    }
                };
                let scopes = match missing {
                    Missing::Order => {
                        let narrow = self.narrow_scopes(&here, other.id, other.time);
                        narrow.or_else(|| self.relaxed_flag(&here, other.id, other.time))
                    }
                    Missing::Scope(ours) => self.ctas.iter().find(|block| Some(block.index) == here.cta).map(|block| {
                        let needed = Scope::around(block.number, other.id / PART, self.cluster_size());
                        let theirs = other.strong.unwrap_or(ours);
                        format!(
                            ": the scopes `{ours}` and `{theirs}` of the accesses do not include each other's thread; `{needed}` does"
                        )
                    }),
                    _ => None,
                };
                let what = format!("{verb} {what}, {other_verb} {reason}{}", scopes.unwrap_or_default());
                let party = self.party_of(other.id, other.at, Some(other.by));
                self.find(rule, what, here, Some(party), (at, other.at));
            }
        }
    }

    /// Returns which acquire of a party's block has read a store that follows an access and does not release it.
    fn relaxed_flag(&self, here: &Party, id: Id, time: Time) -> Option<String> {
        let block = self.ctas.iter().find(|block| Some(block.index) == here.cta)?;
        let acquires = self.locations.values().flat_map(|location| {
            let of_block = location.taken.iter().filter(|(reader, _)| **reader / PART == block.number);
            of_block.filter_map(move |(_, (number, at))| {
                let write = location.writes.get(number.checked_sub(location.first)? as usize)?;
                let follows = write.id == id && write.time >= time && write.release.time(id) < time;
                follows.then_some((*at)?)
            })
        });
        let line = self.party_at(false, None, None, acquires.min()?).line;
        Some(format!(
            ": the acquire in line {line} of the PTX has read a relaxed store that follows the access; `.release` there, or a release \
             fence before it, orders the two"
        ))
    }

    /// Returns which scopes keep a party from knowing of an access, and which would not.
    pub fn narrow_scopes(&self, here: &Party, id: Id, time: Time) -> Option<String> {
        let block =
            self.ctas.iter().find(|block| Some(block.index) == here.cta && !block.threads.is_empty())?;
        let tells = |narrow: &&Narrow| narrow.view.clock(Proxy::Generic).get(id) >= time;
        let threads = block.threads.iter();
        let Narrow { released, acquired, needed, at, .. } = threads.flat_map(|t| &t.narrow).find(tells)?;
        let cure = match (released < needed, acquired < needed) {
            (true, true) => format!("`.release{needed}` and `.acquire{needed}` do"),
            (true, false) => format!("`.release{needed}` does"),
            _ => format!("`.acquire{needed}` does"),
        };
        let line = self.party_at(false, None, None, *at).line;
        Some(format!(
            ": a release of scope `{released}`, and its acquire of scope `{acquired}` in line {line} of the PTX, do not include each \
             other's thread; {cure}"
        ))
    }
}
