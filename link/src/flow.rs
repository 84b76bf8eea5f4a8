//! The control flow of a function: the blocks between a branch and the block where its paths meet, dominators and loops.

use std::collections::{BTreeMap, BTreeSet};

/// The control flow of a function, without the blocks from which every path ends the grid. Block 0 is the entry.
pub struct Graph {
    pub successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// The first block on all paths from each block to the end; `None` if there is no such block.
    pub meets: Vec<Option<usize>>,
}

impl Graph {
    /// Makes a graph of the successors of each block. The function returns from the blocks for which `returns` is true; threads may
    /// stay in such a block that has successors.
    pub fn new(successors: &[Vec<usize>], returns: impl Fn(usize) -> bool) -> Self {
        let count = successors.len();
        // A block from which no path ends (an infinite loop) lives too.
        let ends: Vec<bool> = successors.iter().map(Vec::is_empty).collect();
        let reaches_end = closure(successors, &ends);
        let lives: Vec<bool> = (0..count).map(|at| returns(at) || !reaches_end[at]).collect();
        let lives = closure(successors, &lives);
        let successors: Vec<Vec<usize>> = successors
            .iter()
            .map(|successors| successors.iter().copied().filter(|&next| lives[next]).collect())
            .collect();
        let predecessors = reversed(&successors);
        let ends: Vec<usize> = (0..count).filter(|&at| successors[at].is_empty() || returns(at)).collect();
        let meets = dominators(&predecessors, &successors, &ends);
        Self { successors, predecessors, meets }
    }

    /// Returns the blocks on the paths from a branch to the first block that is on all of the paths, without that block.
    pub fn region(&self, branch: usize) -> BTreeSet<usize> {
        let (mut region, mut open) = (BTreeSet::new(), Vec::new());
        if self.successors[branch].len() < 2 {
            return region;
        }
        open.extend(self.successors[branch].iter().copied());
        while let Some(at) = open.pop() {
            if Some(at) != self.meets[branch] && region.insert(at) {
                open.extend(self.successors[at].iter().copied());
            }
        }
        region
    }

    /// Returns the blocks in which paths from different arms of a branch meet.
    pub fn joins(&self, branch: usize, region: &BTreeSet<usize>) -> BTreeSet<usize> {
        // The arms and joins from which a path reaches each block without another join between.
        let mut arms: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &arm in &self.successors[branch] {
            arms.entry(arm).or_default().insert(arm);
        }
        let mut joins = BTreeSet::new();
        loop {
            let mut grown = false;
            for at in region.iter().copied().chain(self.meets[branch]) {
                let mut from: BTreeSet<usize> = arms.get(&at).cloned().unwrap_or_default();
                for before in self.predecessors[at]
                    .iter()
                    .filter(|&before| region.contains(before) && *before != branch)
                {
                    match joins.contains(before) {
                        true => _ = from.insert(*before),
                        false => from.extend(arms.get(before).into_iter().flatten()),
                    }
                }
                grown |= from.len() > 1 && joins.insert(at);
                let known = arms.entry(at).or_default();
                grown |= from.len() > known.len();
                known.extend(from);
            }
            if !grown {
                return joins;
            }
        }
    }

    /// Returns the blocks on the paths from a branch back to the branch.
    pub fn cycle(&self, branch: usize, region: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut cycle = BTreeSet::new();
        if !region.contains(&branch) {
            return cycle;
        }
        let mut open = vec![branch];
        while let Some(at) = open.pop() {
            if cycle.insert(at) {
                open.extend(self.predecessors[at].iter().copied().filter(|before| region.contains(before)));
            }
        }
        cycle
    }

    /// Returns the innermost block that every path from the entry to each block passes.
    pub fn dominators(&self) -> Vec<Option<usize>> {
        dominators(&self.successors, &self.predecessors, &[0])
    }

    /// Returns the natural loops: the blocks of each, by the block through which each is entered.
    pub fn loops(&self, dominators: &[Option<usize>]) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut loops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (last, next) in self.successors.iter().enumerate() {
            for &first in next.iter().filter(|&&first| dominates(dominators, first, last)) {
                let blocks = loops.entry(first).or_default();
                blocks.insert(first);
                let mut open = vec![last];
                while let Some(at) = open.pop() {
                    if blocks.insert(at) {
                        open.extend(&self.predecessors[at]);
                    }
                }
            }
        }
        loops
    }
}

/// Returns true if every path from the entry to `block` passes `other`.
pub fn dominates(dominators: &[Option<usize>], other: usize, block: usize) -> bool {
    std::iter::successors(Some(block), |&at| dominators[at]).any(|at| at == other)
}

fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (at, next) in successors.iter().enumerate() {
        next.iter().for_each(|&next| predecessors[next].push(at));
    }
    predecessors
}

/// Returns, for each block, whether a path leads from the block to one of `targets`.
pub fn closure(successors: &[Vec<usize>], targets: &[bool]) -> Vec<bool> {
    let predecessors = reversed(successors);
    let mut reaches = vec![false; successors.len()];
    let mut open: Vec<usize> = (0..successors.len()).filter(|&at| targets[at]).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reaches[at], true) {
            open.extend(&predecessors[at]);
        }
    }
    reaches
}

/// Returns the immediate dominator of each block on the paths from `roots`; `None` for a root, and where the paths from several
/// roots meet. This is the algorithm of Cooper, Harvey and Kennedy, with one more block before the roots.
fn dominators(successors: &[Vec<usize>], predecessors: &[Vec<usize>], roots: &[usize]) -> Vec<Option<usize>> {
    let count = successors.len();
    let order = postorder(successors, roots);
    // The number of each block in postorder; the block before the roots has the highest.
    let mut number = vec![None; count];
    order.iter().enumerate().for_each(|(at, &block)| number[block] = Some(at));
    let before = order.len();
    let mut of = vec![usize::MAX; before + 1];
    of[before] = before;
    roots.iter().filter_map(|&root| number[root]).for_each(|root| of[root] = before);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in (0..before).rev() {
            let known = predecessors[order[at]].iter().filter_map(|&block| number[block]);
            let known = known.filter(|&from| of[from] != usize::MAX);
            let root = roots.contains(&order[at]).then_some(before);
            let common = known.chain(root).reduce(|mut one, mut other| {
                while one != other {
                    if one < other {
                        one = of[one];
                    } else {
                        other = of[other];
                    }
                }
                one
            });
            if let Some(common) = common.filter(|&common| common != of[at]) {
                of[at] = common;
                changed = true;
            }
        }
    }
    let block = |at: usize| (at < before).then(|| order[at]);
    number.iter().map(|number| number.and_then(|at| block(of[at]))).collect()
}

fn postorder(successors: &[Vec<usize>], roots: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    for &root in roots {
        if seen[root] {
            continue;
        }
        let mut open = vec![(root, 0)];
        while let Some((at, done)) = open.last_mut() {
            seen[*at] = true;
            match successors[*at].get(*done) {
                Some(&next) => {
                    *done += 1;
                    if !seen[next] {
                        open.push((next, 0));
                    }
                }
                None => {
                    order.push(*at);
                    open.pop();
                }
            }
        }
    }
    order
}
