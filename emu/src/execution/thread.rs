//! The state of a thread: its registers and frames, what it knows, and what it waits for.

use std::rc::Rc;

use crate::execution::polls::Polls;
use crate::execution::tensor_memory::TensorThread;
use crate::execution::warpgroup::Watch;
use crate::frontend::op::{Scope, Src};
use crate::order::clock::{Acquirable, Id, PROXIES, Proxy, Release, Time, View};
use crate::order::location::{Handed, Narrow};
use crate::order::shadow::At;
use crate::order::taint::Taint;

#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub function: usize,
    pub return_to: u32,
    /// The first register. `local` is the first byte of the frame.
    pub registers: usize,
    pub local: usize,
    /// The index of the call in its function.
    pub call: u32,
}

/// The state of a thread: ready, exited, or what the thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Waiting in a collective instruction of its warp.
    Warp,
    Barrier(u32),
    Cluster,
    /// Suspended by `try_wait` on the mbarrier at an offset.
    TryWait(u32),
    /// Waiting in a `wait_group`.
    Groups,
    /// Suspended in a loop that reads a place, until something writes there.
    Spin,
    Exited,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct GroupsState {
    /// The identity of the groups. `read_id` is the identity of their reads.
    pub id: Id,
    pub read_id: Id,
    /// The number of the group that is not yet committed.
    pub open: u32,
    /// The number of operations of the open group.
    pub in_open: u32,
    /// The groups that the thread has waited for. `waited_read`: those whose reads the thread has waited for.
    pub waited: u32,
    pub waited_read: u32,
    /// A copy that reads shared memory and that nothing has waited for.
    pub shared_source: Option<At>,
}

#[derive(Debug)]
pub struct Thread {
    pub pc: u32,
    pub frame: Frame,
    pub frames: Vec<Frame>,
    pub registers: Vec<u64>,
    pub local: Vec<u8>,
    pub carry: u64,
    pub state: State,
    /// Whether the thread is at an `activemask`, and lets other lanes come there.
    pub gathers: bool,
    /// Whether the next `try_wait` gives up.
    pub gives_up: bool,
    pub id: Id,
    /// The rank of the CTA, which is added to addresses of shared variables.
    pub shared_base: u64,
    pub view: Rc<View>,
    /// The proxy of the current access: `Proxy::Alias` within `multimem`.
    pub proxy: Proxy,
    /// The thread's own time, and that of its last fence of each proxy.
    pub times: [Time; PROXIES],
    /// The step of the thread's time: 0 in an unchecked run, whose clocks stay empty.
    pub step: Time,
    /// The times at the thread's last release, by proxy.
    pub published: [Time; PROXIES],
    /// The time of each lane of the warp up to which this one may overwrite what that one has read, by the instructions in which both
    /// took part. `None`: none.
    pub passed: Option<Rc<[Time; 32]>>,
    /// What relaxed loads have seen, for a later acquire fence.
    pub seen: Handed,
    pub taint: Taint,
    /// The registers that `wgmma` uses. `None`: the thread has executed none.
    pub watch: Option<Box<Watch>>,
    /// What `tcgen05` keeps. `None`: the thread has executed none.
    pub tensor: Option<Box<TensorThread>>,
    /// The last releases that a scope has kept from the thread, for the messages of findings.
    pub narrow: Vec<Narrow>,
    /// The last release fence of each scope that no later one of a wider scope has replaced, for later relaxed stores.
    pub released: Vec<(Scope, Release)>,
    /// The release of the last `fence.mbarrier_init`. `to_async`: that of the proxy fences with `.release.sync_restrict`.
    pub inits: Option<Release>,
    pub to_async: Option<Release>,
    /// The time of the last fence of reads alone, before which asynchronous writes of the thread may overwrite what it has read.
    pub fenced_reads: Time,
    pub bulk: GroupsState,
    pub cp_async: GroupsState,
    /// The instruction of the thread's last strong load, and the bytes that the load has read.
    pub last_load: (u32, Vec<u8>),
    pub polls: Polls,
    /// The number of operations that the thread has issued.
    pub issued: u32,
    /// The numbers of cluster barriers that the thread has arrived at and waited for.
    pub cluster: (u32, u32),
}

impl Thread {
    /// Publishes what the thread has done. In an unchecked run, the release is empty.
    pub fn release(&mut self) -> Release {
        let release = Release { view: self.view.clone(), id: self.id, times: self.times };
        self.published = self.times;
        self.times[0] += self.step;
        release
    }

    /// Returns what a message of the thread carries: what it has acquired, and what it did before its last release.
    pub fn message(&self) -> Release {
        Release { view: self.view.clone(), id: self.id, times: self.published }
    }

    /// Returns whether the message of another thread tells the thread nothing.
    pub fn knows_message(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.view, &other.view)
            && self.view.clock(Proxy::Generic).get(other.id) >= other.published[Proxy::Generic as usize]
    }

    /// Runs a release fence.
    pub fn fence(&mut self, scope: Scope) {
        let release = self.release();
        self.released.retain(|(other, _)| *other > scope);
        self.released.push((scope, release));
    }

    /// Returns what the last release fence whose scope is at least `scope` has released, and the fences of one kind of access.
    pub fn released(&self, scope: Scope) -> Option<Release> {
        let fence = self.released.iter().rev().find(|(other, _)| *other >= scope).map(|(_, release)| release);
        let mut all = fence.into_iter().chain(self.restricted());
        let mut release = all.next()?.clone();
        all.for_each(|other| release.join(other));
        Some(release)
    }

    /// Returns what the fences of one kind of access have released. Their scope is the cluster.
    pub fn restricted(&self) -> impl Iterator<Item = &Release> {
        let of_tensor = self.tensor.iter().filter_map(|tensor| tensor.release.as_ref());
        self.inits.iter().chain(&self.to_async).chain(of_tensor)
    }

    /// Returns whether both threads are at one instruction, after the same calls.
    pub fn is_beside(&self, other: &Self) -> bool {
        let calls = |thread: &Self| {
            let callees = thread.frames.iter().skip(1).chain([&thread.frame]);
            callees.map(|frame| (frame.function, frame.call)).collect::<Vec<_>>()
        };
        self.pc == other.pc
            && self.frames.len() == other.frames.len()
            && (self.frames.is_empty() || calls(self) == calls(other))
    }

    /// Notes a release that a scope keeps from the thread.
    pub fn note_narrow(&mut self, narrow: Narrow) {
        const KEPT: usize = 8;
        self.narrow.retain(|other| (other.at, other.released) != (narrow.at, narrow.released));
        if self.narrow.len() == KEPT {
            self.narrow.remove(0);
        }
        self.narrow.push(narrow);
    }

    pub fn acquire(&mut self, acquirable: &Acquirable) {
        acquirable.acquire(&mut self.view);
    }
}

#[inline(always)]
pub fn value(constants: &[u64], thread: &Thread, src: Src) -> u64 {
    let index = (src.0 & !(3 << 30)) as usize;
    match src.0 >> 30 {
        0 => {
            let register = thread.frame.registers + index;
            thread.taint.reads(register);
            thread.registers[register]
        }
        1 => constants[index],
        3 => constants[index] + thread.shared_base,
        _ => (thread.frame.local + index) as u64,
    }
}
