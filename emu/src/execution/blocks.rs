//! Starts clusters, and ends threads and blocks.

use crate::address::RANK_SHIFT;
use crate::execution::machine::{Cta, Machine, Warp, index_of, product};
use crate::execution::polls::Polls;
use crate::execution::thread::{Frame, GroupsState, State, Thread};
use crate::execution::warpgroup::Watch;
use crate::finding::Rule;
use crate::order::clock::{Collected, Id, Memo, OBJECTS, PART, PROXIES, Proxy, View, generic};
use crate::order::location::Handed;
use crate::order::shadow::Shadow;
use crate::order::sync::ClusterBarrier;
use crate::order::taint::Taint;
use crate::report::Fault;

/// The number of blocks that have identities of their own.
const MOST_NUMBERS: u32 = OBJECTS / PART;

impl Machine<'_> {
    /// Makes the next cluster resident, in the places that start at `slots`, or in new places.
    pub fn start_cluster(&mut self, slots: Option<usize>) {
        let number = self.next_cluster;
        self.next_cluster += 1;
        let size = self.cluster_size();
        // After a million blocks, numbers repeat: clocks have no more identities.
        let first_block = (number % u64::from(MOST_NUMBERS / size)) as u32 * size;
        let [gx, gy, gz] = self.launch.grid;
        let [cx, cy, cz] = self.launch.cluster;
        let cluster = index_of(number, [gx / cx, gy / cy, gz / cz]);
        let first = slots.unwrap_or(self.ctas.len());
        for rank in 0..size {
            let within = index_of(rank.into(), self.launch.cluster);
            let index = std::array::from_fn(|i| cluster[i] * self.launch.cluster[i] + within[i]);
            let cta = self.new_cta(index, first_block + rank, rank, first);
            self.stacks += cta.threads.iter().map(Thread::stack).sum::<u64>();
            let slot = first + rank as usize;
            for thread in 0..cta.threads.len() {
                self.ready.push((slot as u32, thread as u32));
            }
            if slot < self.ctas.len() { self.ctas[slot] = cta } else { self.ctas.push(cta) }
        }
    }

    fn new_cta(&mut self, index: [u32; 3], number: u32, rank: u32, cluster: usize) -> Cta {
        let function = &self.program.functions[self.kernel];
        let threads = product(self.launch.block) as u32;
        let frame = Frame { function: self.kernel, return_to: 0, registers: 0, local: 0, call: 0 };
        let thread = |thread: u32| Thread {
            pc: 0,
            frame,
            frames: Vec::new(),
            registers: vec![0xdead_beef_dead_beef; function.slots as usize],
            local: vec![0xa5; function.frame as usize],
            carry: 0,
            state: State::Ready,
            gathers: false,
            gives_up: false,
            id: number * PART + thread,
            shared_base: u64::from(rank << RANK_SHIFT),
            view: self.empty.clone(),
            proxy: Proxy::Generic,
            times: generic(self.options.check.into()),
            published: [0; PROXIES],
            passed: None,
            step: self.options.check.into(),
            seen: Handed::default(),
            taint: Taint::default(),
            watch: None,
            tensor: None,
            narrow: Vec::new(),
            released: Vec::new(),
            inits: None,
            to_async: None,
            fenced_reads: 0,
            bulk: GroupsState::default(),
            cp_async: GroupsState::default(),
            last_load: (u32::MAX, Vec::new()),
            polls: Polls::default(),
            issued: 0,
            cluster: (0, 0),
        };
        let (shared, reserved) = (self.shared_bytes(), self.reserved_shared as usize);
        // The system has written what it reserves. Cooperative groups clear single bits there, with no store before.
        let mut shadow = Shadow::default();
        shadow.initialize(shared - reserved, reserved);
        Cta {
            index,
            number,
            rank,
            cluster,
            shared: vec![0xa5; shared],
            shadow,
            threads: (0..threads).map(thread).collect(),
            warps: (0..threads.div_ceil(32))
                .map(|warp| (threads - 32 * warp).min(32))
                .map(|lanes| Warp { lanes, live: lanes, registers: function.registers(), ..Warp::default() })
                .collect(),
            live: threads,
            free_registers: 0,
            warpgroups: Default::default(),
            tensor: None,
            barriers: Default::default(),
            mbarriers: Default::default(),
            cluster_barrier: ClusterBarrier::default(),
            exits: Collected::default(),
            launched_dependents: false,
            fences: Memo::default(),
        }
    }

    /// Lets dependent grids start, as far as a block is concerned. What the block knows to have ended has ended when they start.
    pub fn launch_dependents(&mut self, view: &View) {
        let ended = |grid: &&Id| view.clock(Proxy::Generic).get(**grid) > 0 && !self.ended.contains(grid);
        let ended: Vec<Id> = self.earlier.iter().filter(ended).copied().collect();
        self.ended.extend(ended);
    }

    /// Ends a thread.
    pub fn exit(&mut self, cta: usize, thread: usize) -> Result<(), Fault> {
        self.progress += 1;
        let t = &mut self.ctas[cta].threads[thread];
        t.state = State::Exited;
        self.stacks -= t.stack();
        t.local = Vec::new();
        t.registers = Vec::new();
        if let Some(copy) = t.bulk.shared_source
            && self.options.check
        {
            let here = self.party(cta, thread);
            let at = self.at(cta, thread);
            let copy = self.party_at(true, here.cta, here.thread, copy);
            let what =
                "the thread ends, and nothing has waited until its bulk copies have read shared memory";
            self.find(Rule::ExitInFlight, what.into(), here, Some(copy), (at, 0));
        }
        if let Some(product) = self.ctas[cta].threads[thread].watch.as_deref().and_then(Watch::unwaited) {
            let (here, at) = (self.party(cta, thread), self.at(cta, thread));
            let other = self.party_at(true, here.cta, here.thread, product);
            let what = "the thread ends, and no `wgmma.wait_group` has waited for a `wgmma.mma_async`, which reads shared memory of \
                        its CTA until then";
            self.find(Rule::Wgmma, what.into(), here, Some(other), (at, product));
        }
        let release = self.ctas[cta].threads[thread].release();
        let block = &mut self.ctas[cta];
        block.exits.add(&release);
        block.live -= 1;
        block.warps[thread / 32].live -= 1;
        if self.ctas[cta].warps[thread / 32].live == 0 {
            self.check_cluster_waits(cta, thread / 32);
        }
        self.after_exit(cta, thread)?;
        let first = self.ctas[cta].cluster;
        if self.ctas[cta].live == 0 {
            if self.options.check {
                self.check_unwaited(cta);
                self.check_resized(cta);
                self.check_warpgroups(cta);
                self.check_tensor(cta);
            }
            if !self.ctas[cta].launched_dependents {
                let view = self.ctas[cta].exits.view.clone();
                self.launch_dependents(&view);
            }
            self.end_cta(cta);
        }
        let size = self.cluster_size() as usize;
        let cluster = &self.ctas[first..first + size];
        if cluster.iter().all(|cta| cta.live == 0) {
            let numbers: Vec<_> = (first..first + size).collect();
            if self.agents.iter().any(|agent| agent.touches(&numbers)) {
                // The memory of the cluster stays until its copies have ended.
                while let Some(which) = self.agents.iter().position(|agent| agent.touches(&numbers)) {
                    self.run_agent(which)?;
                }
            }
            if self.next_cluster < self.clusters() {
                self.start_cluster(Some(first));
            } else {
                for cta in &mut self.ctas[first..first + size] {
                    cta.threads = Vec::new();
                    cta.shared = Vec::new();
                }
            }
        }
        Ok(())
    }

    /// Checks, when all threads of a block have ended, that each access of another block to its memory happened before.
    fn end_cta(&mut self, cta: usize) {
        if !self.options.check || self.cluster_size() == 1 {
            return;
        }
        let exits = std::mem::take(&mut self.ctas[cta].exits).finish(false);
        let clock = exits.view().clock(crate::order::clock::Proxy::Generic).clone();
        let number = self.ctas[cta].number;
        let mut late = None;
        self.ctas[cta].shadow.accesses(|epoch, wrote| {
            let remote = epoch.id / PART != number && epoch.id < OBJECTS;
            if remote && clock.get(epoch.id) < epoch.time {
                late = Some((*epoch, wrote));
            }
        });
        if let Some((epoch, wrote)) = late {
            let verb = if wrote { "writes" } else { "reads" };
            let what = format!(
                "a thread of another block {verb} shared memory of block {:?}, whose end nothing delays until then",
                self.ctas[cta].index
            );
            let here = self.party_of(epoch.id, epoch.at, Some(epoch.by));
            self.find(Rule::PeerExited, what, here, None, (epoch.at, 0));
        }
    }
}
