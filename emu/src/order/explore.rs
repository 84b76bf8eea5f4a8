//! Explores all schedules of a small kernel. One run stands for all that differ only in the order of independent steps:
//! dynamic partial-order reduction (Flanagan and Godefroid) with sleep sets.

use rustc_hash::FxHashMap;

use crate::frontend::op::Rmw;

/// The actor of a step: a thread, or the n-th operation that a thread has issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Thread(u32, u32),
    Agent(u32, u32, u32),
}

/// How a step uses what it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Reads,
    Writes,
    /// Arrivals and completions of copies, whose order among themselves does not matter.
    Arrives,
    /// The completion of a barrier's use: a later arrival would be one of the next use. The arrivals before it are as they were.
    Completes,
    /// An arrival at the next use of a barrier, which could be one of this use unless something else orders the two.
    Follows,
    /// Reductions of one operation, whose order does not matter either.
    Combines(Rmw),
    /// Weak stores of one value, by the value's hash: likewise, if they are to the same bytes.
    Stores(u64),
}

/// What a step touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Thing {
    Global(usize),
    Shared(usize),
    Barrier(usize, usize),
    ClusterBarrier(usize),
    Warp(usize, usize),
    Groups(usize, usize),
    /// The tensor memory of a block.
    Tensor(usize),
    /// The free registers of a block.
    Registers(usize),
    /// The order of `fence.sc`, and the clusters that have not started.
    Grid,
}

#[derive(Debug, Clone, Copy)]
pub struct Touch {
    pub thing: Thing,
    pub from: usize,
    pub to: usize,
    pub how: Use,
}

impl Touch {
    /// Returns whether a later step, which touches `other`, depends on this one.
    fn conflicts(&self, other: &Self) -> bool {
        self.thing == other.thing
            && self.from < other.to
            && other.from < self.to
            && (self.how, other.how) != (Use::Arrives, Use::Completes)
            && match (self.how, other.how) {
                (Use::Stores(own), Use::Stores(others)) => {
                    own != others || (self.from, self.to) != (other.from, other.to)
                }
                (own, others) => own != others || own == Use::Writes,
            }
    }

    fn meets(&self, other: &Self) -> bool {
        self.conflicts(other)
            || self.thing == other.thing && self.how == Use::Arrives && other.how == Use::Arrives
    }
}

/// The number of each actor's latest step that happened before, plus one, by the actor's index.
#[derive(Debug, Clone, Default)]
struct Before(Vec<usize>);

impl Before {
    fn has(&self, index: usize, step: usize) -> bool {
        self.0.get(index).is_some_and(|count| *count > step)
    }

    fn add(&mut self, index: usize, step: usize) {
        self.0.resize(self.0.len().max(index + 1), 0);
        self.0[index] = self.0[index].max(step + 1);
    }

    fn join(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own = (*own).max(*other));
    }
}

#[derive(Debug, Clone)]
struct Step {
    actor: Actor,
    index: usize,
    touched: Vec<Touch>,
    /// The steps that happened before the step, and the step itself. `None` until the step has ended.
    before: Option<Before>,
}

impl Step {
    fn new(actor: Actor) -> Self {
        Self { actor, index: 0, touched: Vec::new(), before: None }
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.touched.iter().any(|a| other.touched.iter().any(|b| a.conflicts(b)))
    }

    /// Returns whether the step arrives at the use of a barrier after the one at which the earlier step arrives.
    fn follows(&self, earlier: &Self) -> bool {
        let follows = self.touched.iter().filter(|touch| touch.how == Use::Follows);
        follows.into_iter().any(|touch| earlier.touched.iter().any(|other| other.conflicts(touch)))
    }

    /// Returns whether the later of the two steps knows of the earlier: they conflict, or arrive at one thing.
    fn meets(&self, other: &Self) -> bool {
        self.touched.iter().any(|a| other.touched.iter().any(|b| a.meets(b)))
    }
}

#[derive(Debug)]
enum Node {
    /// The choice of the actor that steps.
    Who {
        enabled: Vec<Actor>,
        /// The steps that would repeat a run.
        asleep: Vec<Step>,
        /// The actors whose steps lead to other runs.
        wanted: Vec<Actor>,
        chosen: Step,
    },
    /// A choice among `count` outcomes.
    Which { count: usize, chosen: usize },
}

/// The choices of a run, and of the runs before.
#[derive(Debug, Default)]
pub struct Explorer {
    stack: Vec<Node>,
    depth: usize,
    /// What the current step has touched.
    pub touched: Vec<Touch>,
    /// For each thing, the places on the stack of the ended steps that touch the thing.
    users: FxHashMap<Thing, Vec<usize>>,
    /// The actors of all runs, at their indices.
    actors: Vec<Actor>,
    /// What happened before the next step of each actor, by the actor's index.
    next: Vec<Before>,
    /// The actors that the step has started or woken.
    woken: Vec<Actor>,
}

impl Explorer {
    /// Chooses the actor that steps. `None`: every step would repeat a run.
    pub fn who(&mut self, enabled: &[Actor]) -> Option<Actor> {
        self.end_step();
        if self.depth == self.stack.len() {
            let last = self.stack.iter().rev().find_map(|node| match node {
                Node::Who { asleep, chosen, .. } => Some((asleep, chosen)),
                Node::Which { .. } => None,
            });
            let stays = |step: &&Step, chosen: &Step| step.actor != chosen.actor && !step.conflicts(chosen);
            let asleep: Vec<Step> = match last {
                Some((asleep, chosen)) => asleep.iter().filter(|step| stays(step, chosen)).cloned().collect(),
                None => Vec::new(),
            };
            let chosen = awake(enabled, &asleep)?;
            self.stack.push(Node::Who {
                enabled: enabled.to_vec(),
                asleep,
                wanted: vec![chosen],
                chosen: Step::new(chosen),
            });
        }
        self.depth += 1;
        match &self.stack[self.depth - 1] {
            Node::Who { chosen, .. } => Some(chosen.actor),
            Node::Which { .. } => None,
        }
    }

    /// Returns the number of choices of the run so far.
    pub fn steps(&self) -> usize {
        self.depth
    }

    /// Chooses one of `count` outcomes.
    pub fn which(&mut self, count: usize) -> usize {
        if self.depth == self.stack.len() {
            self.stack.push(Node::Which { count, chosen: 0 });
        }
        self.depth += 1;
        match self.stack[self.depth - 1] {
            Node::Which { chosen, .. } => chosen,
            Node::Who { .. } => 0,
        }
    }

    /// Notes that the step starts or wakes an actor, whose next step comes after.
    pub fn wakes(&mut self, actor: Actor) {
        self.woken.push(actor);
    }

    fn index(&mut self, actor: Actor) -> usize {
        let index = self.actors.iter().position(|other| *other == actor).unwrap_or_else(|| {
            self.actors.push(actor);
            self.actors.len() - 1
        });
        self.next.resize(self.actors.len(), Before::default());
        index
    }

    /// Ends the current step, whose touches are now known. An earlier step that conflicts with it, without an order between
    /// the two, could have come later: another run takes that order.
    fn end_step(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let woken = std::mem::take(&mut self.woken);
        let Some(number) = self.stack[..self.depth].iter().rposition(|node| matches!(node, Node::Who { .. }))
        else {
            return;
        };
        let Node::Who { chosen, .. } = &self.stack[number] else { return };
        let actor = chosen.actor;
        let index = self.index(actor);
        let (before, after) = self.stack.split_at_mut(number);
        let Node::Who { chosen, .. } = &mut after[0] else { return };
        let known = match &chosen.before {
            // An earlier run has made this step in the same way.
            Some(known) => known.clone(),
            None => {
                chosen.touched = touched;
                let own = self.next[index].clone();
                let mut known = own.clone();
                let users = chosen.touched.iter().filter_map(|touch| self.users.get(&touch.thing));
                let mut earlier: Vec<usize> = users.flatten().copied().collect();
                earlier.sort_unstable();
                earlier.dedup();
                for at in earlier.into_iter().rev() {
                    let Node::Who { enabled, wanted, chosen: earlier, .. } = &mut before[at] else {
                        continue;
                    };
                    // That the use was complete does not order what could have been part of it.
                    let orders = if chosen.follows(earlier) { &own } else { &known };
                    if orders.has(earlier.index, at) || !earlier.meets(chosen) {
                        continue;
                    }
                    if earlier.conflicts(chosen) {
                        let candidates = if enabled.contains(&actor) { vec![actor] } else { enabled.clone() };
                        for candidate in candidates {
                            if !wanted.contains(&candidate) {
                                wanted.push(candidate);
                            }
                        }
                    }
                    earlier.before.iter().for_each(|before| known.join(before));
                }
                known.add(index, number);
                for touch in &chosen.touched {
                    let users = self.users.entry(touch.thing).or_default();
                    if users.last() != Some(&number) {
                        users.push(number);
                    }
                }
                chosen.index = index;
                chosen.before = Some(known.clone());
                known
            }
        };
        for actor in woken {
            let index = self.index(actor);
            self.next[index].join(&known);
        }
        self.next[index] = known;
    }

    /// Ends the run. Returns whether there is another.
    pub fn next_run(&mut self) -> bool {
        self.end_step();
        self.depth = 0;
        self.next.clear();
        while let Some(top) = self.stack.len().checked_sub(1) {
            let (before, node) = self.stack.split_at_mut(top);
            match &mut node[0] {
                Node::Which { count, chosen } if *chosen + 1 < *count => {
                    *chosen += 1;
                    // The step with the new outcome touches other things.
                    let mut steps = before.iter_mut().enumerate().rev();
                    let step = steps.find_map(|(number, node)| match node {
                        Node::Who { chosen, .. } => Some((number, chosen)),
                        Node::Which { .. } => None,
                    });
                    if let Some((number, chosen)) = step {
                        forget(&mut self.users, number, chosen);
                        *chosen = Step::new(chosen.actor);
                    }
                    return true;
                }
                Node::Who { asleep, wanted, chosen, .. } => {
                    forget(&mut self.users, top, chosen);
                    asleep.push(chosen.clone());
                    if let Some(next) = awake(wanted, asleep) {
                        *chosen = Step::new(next);
                        return true;
                    }
                }
                Node::Which { .. } => {}
            }
            self.stack.pop();
        }
        false
    }
}

/// Removes the last step from the users of what it touches.
fn forget(users: &mut FxHashMap<Thing, Vec<usize>>, number: usize, step: &Step) {
    for touch in &step.touched {
        users.get_mut(&touch.thing).and_then(|users| users.pop_if(|last| *last == number));
    }
}

fn awake(actors: &[Actor], asleep: &[Step]) -> Option<Actor> {
    actors.iter().copied().find(|actor| !asleep.iter().any(|step| step.actor == *actor))
}
