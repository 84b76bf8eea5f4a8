//! Runs mbarrier instructions (PTX ISA 9.7.13.15).

use std::rc::Rc;

use crate::address::Place;
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::thread::{State, value};
use crate::finding::Rule;
use crate::frontend::op::{Address, Arrival, Layout, Mbarrier, Multicast, Scope, Sem, Src};
use crate::order::clock::{Clock, INITS, PHASES, Proxy, Release, generic};
use crate::order::explore::{Thing, Use};
use crate::order::location::Narrow;
use crate::order::sync::{LIMIT, LIMIT_V1, MbarrierState};
use crate::report::Fault;

/// Arrivals at an mbarrier.
pub struct Arrivals {
    pub count: u32,
    pub release: Option<Release>,
    /// What asynchronous writes after a wait for the phase may overwrite, even if neither the arrival releases nor the wait acquires.
    pub overwrite: Clock,
    /// Whether a thread of another CTA arrives.
    pub remote: bool,
    pub scope: Scope,
    pub drop: bool,
}

impl Machine<'_> {
    /// Runs an operation on the mbarrier at an address, or with a mask on those at its offset in each CTA of the mask.
    pub fn mbarrier(
        &mut self,
        cta: usize,
        thread: usize,
        address: Address,
        op: &Mbarrier,
        mask: Option<Src>,
    ) -> Outcome {
        let place = self.resolve(cta, thread, address, 8, 8)?;
        let Place::Shared(slot, offset) = place else {
            return Err(self.fault(cta, thread, "an mbarrier that is not in shared memory"));
        };
        let Some(mask) = mask else { return self.mbarrier_at(cta, thread, (slot, offset), op) };
        let slots = self.multicast_slots(cta, thread, slot, Multicast { mask, bits: 32 });
        for slot in slots {
            self.check_started(cta, thread, slot);
            self.mbarrier_at(cta, thread, (slot, offset), op)?;
        }
        Ok(Flow::Next)
    }

    fn mbarrier_at(
        &mut self,
        cta: usize,
        thread: usize,
        (slot, offset): (usize, usize),
        op: &Mbarrier,
    ) -> Outcome {
        let place = Place::Shared(slot, offset);
        let how = match op {
            Mbarrier::Arrive { .. } => Use::Arrives,
            Mbarrier::CpAsyncArrive { .. } | Mbarrier::CheckLayout { .. } => Use::Reads,
            _ => Use::Writes,
        };
        // A wait touches the mbarrier when it returns.
        if !matches!(op, Mbarrier::Wait { .. }) {
            self.touches(Thing::Shared(slot), offset..offset + 8, how);
        }
        let offset = offset as u32;
        let v = |machine: &Self, src: Src| value(&machine.constants, &machine.ctas[cta].threads[thread], src);
        match op {
            Mbarrier::Init { count, layout } => {
                let count = v(self, *count) as u32;
                let (limit, power) = match layout {
                    Layout::V0 => (LIMIT, 20),
                    Layout::V1 => (LIMIT_V1, 9),
                };
                if count == 0 || count > limit {
                    let what = format!("an mbarrier of count {count}: it is 1 to 2^{power} - 1");
                    self.wrong(Rule::Mbarrier, cta, thread, what);
                }
                if self.ctas[slot].mbarriers.contains_key(&offset) {
                    self.wrong(Rule::Mbarrier, cta, thread, "initializes memory that holds a valid mbarrier");
                }
                // The initialization is a write, by the generic proxy.
                self.write(cta, thread, place, &[0; 8], None)?;
                let id = self.new_object();
                let t = &mut self.ctas[cta].threads[thread];
                let init = (t.id, t.times[0]);
                Rc::make_mut(&mut t.view).set(id | INITS, generic(1));
                self.ctas[slot].mbarriers.insert(offset, MbarrierState::new(id, count, *layout, init));
                self.trace_phase(slot, offset);
            }
            Mbarrier::CheckLayout { d, layout } => {
                self.known_mbarrier(cta, thread, slot, offset)?;
                let is_it = self.ctas[slot].mbarriers[&offset].layout == *layout;
                if let Some(d) = d {
                    self.set(cta, thread, *d, is_it.into());
                }
            }
            Mbarrier::Inval => {
                match self.ctas[slot].mbarriers.remove(&offset) {
                    None => {
                        self.wrong(Rule::Mbarrier, cta, thread, "invalidates memory that holds no mbarrier")
                    }
                    Some(mbarrier)
                        if mbarrier.tx != 0
                            || mbarrier.pending != mbarrier.expected
                            || !mbarrier.waiters.is_empty() =>
                    {
                        let what = format!(
                            "invalidates an mbarrier in use: its phase {} lacks {} arrivals and {} bytes",
                            mbarrier.phase, mbarrier.pending, mbarrier.tx
                        );
                        self.wrong(Rule::Mbarrier, cta, thread, what);
                    }
                    Some(mbarrier) => self.check_unused(cta, thread, &mbarrier),
                }
                self.trace_phase(slot, offset);
                self.write(cta, thread, place, &[0; 8], None)?;
            }
            Mbarrier::ExpectTx { bytes } => {
                let bytes = v(self, *bytes) as u32;
                self.known_mbarrier(cta, thread, slot, offset)?;
                self.add_tx(cta, thread, slot, offset, i64::from(bytes))?;
            }
            Mbarrier::CompleteTx { bytes } => {
                let bytes = v(self, *bytes) as u32;
                self.known_mbarrier(cta, thread, slot, offset)?;
                self.add_tx(cta, thread, slot, offset, -i64::from(bytes))?;
                self.finish_phase(slot, offset);
            }
            Mbarrier::Arrive { arrival, drop, sem, scope, state } => {
                let (count, tx) = match arrival {
                    Arrival::Count(None) => (1, None),
                    Arrival::Count(Some(count)) | Arrival::NoComplete(count) => {
                        (v(self, *count) as u32, None)
                    }
                    Arrival::ExpectTx(tx) => (1, Some(v(self, *tx) as u32)),
                };
                self.known_mbarrier(cta, thread, slot, offset)?;
                if let Some(tx) = tx {
                    self.add_tx(cta, thread, slot, offset, i64::from(tx))?;
                }
                let least = if slot == cta { Scope::Cta } else { Scope::Cluster };
                let t = &mut self.ctas[cta].threads[thread];
                // The thread arrives after the completions that it has waited for.
                let mut overwrite = t.view.clock(Proxy::Generic).of_objects();
                t.to_async.iter().for_each(|release| release.add_overwrite(&mut overwrite));
                let release = if sem.releases() { Some(t.release()) } else { t.released(least) };
                let old = self.ctas[slot].mbarriers[&offset].state();
                if let Some(state) = state {
                    self.set(cta, thread, *state, old);
                }
                self.check_waited(cta, thread, slot, offset);
                let remote = slot != cta;
                let scope = *scope;
                self.progress += 1;
                let arrivals = Arrivals { count, release, overwrite, remote, scope, drop: *drop };
                if let Some(problem) = self.arrive(slot, offset, arrivals) {
                    self.wrong(Rule::Mbarrier, cta, thread, problem);
                }
                let mbarrier = &self.ctas[slot].mbarriers[&offset];
                let no_complete = matches!(arrival, Arrival::NoComplete(_));
                if no_complete && mbarrier.pending == 0 && mbarrier.tx == 0 {
                    self.wrong(
                        Rule::Mbarrier,
                        cta,
                        thread,
                        "an arrival with `.noComplete` completes the phase",
                    );
                }
                self.finish_phase(slot, offset);
            }
            Mbarrier::Wait { blocks, parity, operand, d, report, sem, scope, .. } => {
                let operand = v(self, *operand);
                if slot != cta {
                    return Err(self.fault(cta, thread, "waits for an mbarrier of another CTA"));
                }
                self.known_mbarrier(cta, thread, slot, offset)?;
                let mbarrier = &self.ctas[slot].mbarriers[&offset];
                let completed = if *parity {
                    Some(u64::from(mbarrier.phase & 1) != operand & 1)
                } else {
                    mbarrier.has_completed(operand)
                };
                if completed.is_none() {
                    let phase = mbarrier.phase;
                    let what = format!(
                        "waits for phase {} of an mbarrier in phase {phase}: only the current and the last phase can be asked for",
                        operand >> 32
                    );
                    self.wrong(Rule::Mbarrier, cta, thread, what);
                }
                let completed = completed.unwrap_or(true);
                if completed {
                    self.observe(cta, thread, offset, *sem, *scope);
                }
                let gives_up = self.ctas[cta].threads[thread].gives_up;
                // `try_wait` may also return at once.
                if !completed && *blocks && !gives_up && !self.returns_early() {
                    self.stop(cta, thread, State::TryWait(offset));
                    if let Some(mbarrier) = self.ctas[cta].mbarriers.get_mut(&offset) {
                        mbarrier.waiters.push(thread as u32);
                    }
                    return Ok(Flow::Stop);
                }
                self.touches(Thing::Shared(slot), offset as usize..offset as usize + 8, Use::Reads);
                if !completed {
                    self.polls(cta, thread, (Place::Shared(slot, offset as usize), 8), true);
                }
                let t = &mut self.ctas[cta].threads[thread];
                t.gives_up = false;
                t.pc += 1;
                if let Some(d) = d {
                    self.set(cta, thread, *d, completed.into());
                }
                for d in report.iter().flatten() {
                    self.set(cta, thread, *d, 0);
                }
                return Ok(if completed {
                    Flow::Jump(self.ctas[cta].threads[thread].pc)
                } else {
                    Flow::Yield
                });
            }
            Mbarrier::CpAsyncArrive { noinc } => {
                self.known_mbarrier(cta, thread, slot, offset)?;
                return self.cp_async_arrive(cta, thread, slot, offset, *noinc);
            }
        }
        Ok(Flow::Next)
    }

    /// Checks that a thread may use the mbarrier: the mbarrier is there, and its initialization happened before.
    pub fn known_mbarrier(
        &mut self,
        cta: usize,
        thread: usize,
        slot: usize,
        offset: u32,
    ) -> Result<(), Fault> {
        let Some(mbarrier) = self.ctas[slot].mbarriers.get(&offset) else {
            return Err(self.fault(
                cta,
                thread,
                "uses memory that holds no mbarrier: `mbarrier.init` has not run, or `inval` has",
            ));
        };
        let at = self.at(cta, thread);
        let t = &self.ctas[cta].threads[thread];
        let (id, time) = (t.id, t.times[0]);
        let initialized = t.view.clock(Proxy::Generic).get(mbarrier.id | INITS) > 0;
        if self.options.check
            && let Some(mbarrier) = self.ctas[slot].mbarriers.get_mut(&offset)
        {
            mbarrier.used.insert(id, (time, at));
        }
        if !initialized {
            self.wrong(
                Rule::Mbarrier,
                cta,
                thread,
                "uses an mbarrier, with nothing that orders the use after its initialization",
            );
        }
        Ok(())
    }

    /// Checks that each operation on an mbarrier happened before its invalidation, after which the memory holds no mbarrier.
    fn check_unused(&mut self, cta: usize, thread: usize, mbarrier: &MbarrierState) {
        let t = &self.ctas[cta].threads[thread];
        let clock = t.view.clock(Proxy::Generic);
        let mut late: Vec<_> = mbarrier
            .used
            .iter()
            .filter(|(id, (time, _))| **id != t.id && clock.get(**id) < *time)
            .map(|(id, (_, at))| (*id, *at))
            .collect();
        late.sort_unstable();
        if let Some((id, at)) = late.first() {
            let (here, other) = (self.party(cta, thread), self.party_of(*id, *at, None));
            let what = "invalidates an mbarrier, with nothing that orders the use by another thread before";
            self.find(Rule::Mbarrier, what.into(), here, Some(other), (self.at(cta, thread), *at));
        }
    }

    /// Adds to the tx-count. A sum out of range is a finding.
    fn add_tx(
        &mut self,
        cta: usize,
        thread: usize,
        slot: usize,
        offset: u32,
        bytes: i64,
    ) -> Result<(), Fault> {
        let Some(mbarrier) = self.ctas[slot].mbarriers.get_mut(&offset) else { return Ok(()) };
        mbarrier.tx += bytes;
        let tx = mbarrier.tx;
        if tx.unsigned_abs() > LIMIT.into() {
            self.wrong(
                Rule::Mbarrier,
                cta,
                thread,
                format!("a tx-count of {tx}: it is -(2^20 - 1) to 2^20 - 1"),
            );
        }
        Ok(())
    }

    /// Checks that the thread knows that the phase before the current one has completed (PTX ISA 9.7.13.15.4).
    fn check_waited(&mut self, cta: usize, thread: usize, slot: usize, offset: u32) {
        let mbarrier = &self.ctas[slot].mbarriers[&offset];
        let (id, phase) = (mbarrier.id | PHASES, mbarrier.phase);
        let t = &self.ctas[cta].threads[thread];
        let seen = t.seen.time(id);
        if phase > 0 && t.view.clock(Proxy::Generic).get(id).max(seen) < phase {
            let what = format!(
                "arrives in phase {phase} of an mbarrier, and nothing has told the thread that phase {} has completed",
                phase - 1
            );
            self.wrong(Rule::Mbarrier, cta, thread, what);
        }
    }

    /// Decides whether a `try_wait` on an incomplete phase returns at once.
    fn returns_early(&mut self) -> bool {
        if self.explorer.is_none() {
            return self.rng.below(8) == 0;
        }
        let early = !self.returned_early && self.choose(2) == 1;
        self.returned_early |= early;
        early
    }

    /// Counts arrivals. Returns what is wrong with them.
    pub fn arrive(&mut self, slot: usize, offset: u32, arrivals: Arrivals) -> Option<String> {
        let Arrivals { count, release, overwrite, remote, scope, drop } = arrivals;
        let mbarrier = self.ctas[slot].mbarriers.get_mut(&offset)?;
        if let Some(release) = release {
            if !remote {
                mbarrier.local.add(&release);
            } else if scope != Scope::Cta {
                mbarrier.remote.add(&release);
            } else {
                mbarrier.narrow.add(&release);
            }
        }
        if !remote {
            mbarrier.local_overwrite.join(&overwrite);
        } else if scope != Scope::Cta {
            mbarrier.remote_overwrite.join(&overwrite);
        }
        if drop {
            mbarrier.expected = mbarrier.expected.saturating_sub(count);
        }
        let pending = mbarrier.pending;
        mbarrier.pending = pending.saturating_sub(count);
        (count > pending || count == 0)
            .then(|| format!("{count} arrivals at an mbarrier whose phase expects {pending} more"))
    }

    /// Begins the next phase if nothing is pending, and wakes the threads that wait for the current one.
    pub fn finish_phase(&mut self, slot: usize, offset: u32) {
        let orders_reads = self.orders_reads();
        let mbarrier = self.ctas[slot].mbarriers.get_mut(&offset);
        let Some(waiters) = mbarrier.and_then(|mbarrier| mbarrier.try_complete(orders_reads)) else { return };
        self.progress += 1;
        self.trace_phase(slot, offset);
        for thread in waiters {
            self.wake(slot, thread);
        }
    }

    /// Gives the thread of a successful wait what the phase's arrivals released.
    fn observe(&mut self, cta: usize, thread: usize, offset: u32, sem: Sem, scope: Scope) {
        let mbarrier = &self.ctas[cta].mbarriers[&offset];
        let (local, remote) = (mbarrier.done_local.clone(), mbarrier.done_remote.clone());
        let mut overwrite = mbarrier.done_overwrite.0.clone();
        if scope != Scope::Cta {
            overwrite.join(&mbarrier.done_overwrite.1);
        }
        let narrow = mbarrier.done_narrow.clone().map(|view| (Scope::Cta, view));
        let by_wait = remote.iter().filter(|remote| scope == Scope::Cta && !remote.view().is_empty());
        let by_wait = by_wait.map(|remote| (Scope::Cluster, remote.view().clone()));
        let narrow: Vec<_> = narrow.into_iter().chain(by_wait).collect();
        let (number, at) = (self.ctas[cta].number, self.at(cta, thread));
        // Any other block of the cluster stands for all blocks whose threads arrive remotely.
        let size = self.cluster_size();
        let other = number / size * size + (number + 1) % size;
        let t = &mut self.ctas[cta].threads[thread];
        let remote = remote.filter(|_| scope != Scope::Cta).map(|remote| (Scope::Cluster, other, remote));
        let mut phases = overwrite.only(PHASES);
        for (scope, from, acquirable) in
            local.map(|local| (Scope::Cta, number, local)).into_iter().chain(remote)
        {
            if sem.acquires() {
                t.acquire(&acquirable);
            } else {
                phases.join(&acquirable.view().clock(Proxy::Generic).only(PHASES));
                t.seen.of(scope, from).join(acquirable.view());
            }
        }
        // A relaxed wait tells too that phases have completed.
        if !phases.is_empty() {
            Rc::make_mut(&mut Rc::make_mut(&mut t.view).clocks[Proxy::Generic as usize]).join(&phases);
        }
        for (released, view) in narrow {
            t.note_narrow(Narrow { view, released, acquired: scope, needed: Scope::Cluster, at });
        }
        // An asynchronous write that the thread issues after the wait does not come before what it waited for.
        if !overwrite.is_empty() {
            Rc::make_mut(&mut Rc::make_mut(&mut t.view).clocks[Proxy::Overwrite as usize]).join(&overwrite);
        }
    }
}
