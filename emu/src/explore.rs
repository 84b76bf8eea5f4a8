//! All schedules of a small kernel. Runs that differ only in the order of independent steps are the same, and one of them runs: dynamic
//! partial-order reduction (Flanagan and Godefroid) with sleep sets.

use crate::op::Rmw;

/// Who makes a step: a thread, or the n-th operation that a thread has issued.
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
    /// Arrivals, and completions of copies: their order among themselves does not matter.
    Arrives,
    /// Reductions, whose order does not matter either.
    Combines(Rmw),
}

/// What a step touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    Global(usize),
    Shared(usize),
    Barrier(usize, usize),
    ClusterBarrier(usize),
    Warp(usize, usize),
    Groups(usize, usize),
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
    fn conflicts(&self, other: &Self) -> bool {
        self.thing == other.thing
            && self.from < other.to
            && other.from < self.to
            && (self.how != other.how || self.how == Use::Writes)
    }

    fn meets(&self, other: &Self) -> bool {
        self.conflicts(other)
            || self.thing == other.thing && self.how == Use::Arrives && other.how == Use::Arrives
    }
}

/// The number of the latest step of each actor that happened before.
#[derive(Debug, Clone, Default)]
struct Before(Vec<(Actor, usize)>);

impl Before {
    fn has(&self, actor: Actor, step: usize) -> bool {
        self.0.iter().any(|(other, latest)| *other == actor && *latest >= step)
    }

    fn add(&mut self, actor: Actor, step: usize) {
        match self.0.iter_mut().find(|(other, _)| *other == actor) {
            Some((_, latest)) => *latest = step.max(*latest),
            None => self.0.push((actor, step)),
        }
    }

    fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(actor, step)| self.add(*actor, *step));
    }
}

#[derive(Debug, Clone)]
struct Step {
    actor: Actor,
    touched: Vec<Touch>,
    /// What happened before the step, and the step.
    before: Before,
}

impl Step {
    fn new(actor: Actor) -> Self {
        Self { actor, touched: Vec::new(), before: Before::default() }
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.touched.iter().any(|a| other.touched.iter().any(|b| a.conflicts(b)))
    }

    /// Whether the later of the two knows of the earlier: they conflict, or arrive at one thing.
    fn meets(&self, other: &Self) -> bool {
        self.touched.iter().any(|a| other.touched.iter().any(|b| a.meets(b)))
    }
}

#[derive(Debug)]
enum Node {
    /// Who steps.
    Who {
        enabled: Vec<Actor>,
        /// Those whose step would repeat a run.
        asleep: Vec<Step>,
        /// Those whose step leads to other runs.
        wanted: Vec<Actor>,
        chosen: Step,
    },
    /// A choice among so many outcomes.
    Which { count: usize, chosen: usize },
}

/// The choices of a run, and of the runs before.
#[derive(Debug, Default)]
pub struct Explorer {
    stack: Vec<Node>,
    depth: usize,
    /// What the step that runs has touched.
    pub touched: Vec<Touch>,
    /// What happened before the next step of each actor.
    next: Vec<(Actor, Before)>,
    /// Actors that the step has started, or woken.
    woken: Vec<Actor>,
}

impl Explorer {
    /// Chooses who steps. `None`: every step would repeat a run.
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

    /// The step starts or wakes an actor, whose next step comes after.
    pub fn wakes(&mut self, actor: Actor) {
        self.woken.push(actor);
    }

    fn before_next(&self, actor: Actor) -> Before {
        self.next
            .iter()
            .find(|(other, _)| *other == actor)
            .map(|(_, before)| before.clone())
            .unwrap_or_default()
    }

    fn set_next(&mut self, actor: Actor, before: Before) {
        match self.next.iter_mut().find(|(other, _)| *other == actor) {
            Some((_, known)) => *known = before,
            None => self.next.push((actor, before)),
        }
    }

    /// The step has ended: what it has touched is known. A step before that conflicts with it, with nothing that orders the two, could
    /// have come later: another run has it so.
    fn end_step(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let woken = std::mem::take(&mut self.woken);
        let Some(number) = self.stack[..self.depth].iter().rposition(|node| matches!(node, Node::Who { .. }))
        else {
            return;
        };
        let (before, after) = self.stack.split_at_mut(number);
        let Node::Who { chosen, .. } = &mut after[0] else { return };
        let actor = chosen.actor;
        chosen.touched = touched;
        let mut known =
            self.next.iter().find(|(other, _)| *other == actor).map(|(_, b)| b.clone()).unwrap_or_default();
        for (at, node) in before.iter_mut().enumerate().rev() {
            let Node::Who { enabled, wanted, chosen: earlier, .. } = node else { continue };
            if earlier.actor == actor || known.has(earlier.actor, at) || !earlier.meets(chosen) {
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
            known.join(&earlier.before);
        }
        known.add(actor, number);
        chosen.before = known.clone();
        for actor in woken {
            let mut before = self.before_next(actor);
            before.join(&known);
            self.set_next(actor, before);
        }
        self.set_next(actor, known);
    }

    /// The run has ended. Returns whether there is another.
    pub fn next_run(&mut self) -> bool {
        self.end_step();
        self.depth = 0;
        self.next.clear();
        loop {
            match self.stack.last_mut() {
                None => return false,
                Some(Node::Which { count, chosen }) if *chosen + 1 < *count => {
                    *chosen += 1;
                    return true;
                }
                Some(Node::Who { asleep, wanted, chosen, .. }) => {
                    asleep.push(chosen.clone());
                    if let Some(next) = awake(wanted, asleep) {
                        *chosen = Step::new(next);
                        return true;
                    }
                }
                Some(Node::Which { .. }) => {}
            }
            self.stack.pop();
        }
    }
}

fn awake(actors: &[Actor], asleep: &[Step]) -> Option<Actor> {
    actors.iter().copied().find(|actor| !asleep.iter().any(|step| step.actor == *actor))
}
