//! Makes a kernel smaller while it still fails.

use std::ops::Range;

use super::kernel::{Kernel, Node};

/// The most runs of a kernel for one shrinking.
const RUNS: usize = 400;

/// Returns a kernel of fewer statements for which `fails` still holds.
pub fn shrink(kernel: &Kernel, mut fails: impl FnMut(&Kernel) -> bool) -> Kernel {
    let mut smallest = kernel.clone();
    let mut runs = 0;
    let mut is_kept = |smallest: &mut Kernel, nodes: Vec<Node>| {
        runs += 1;
        if runs > RUNS {
            return false;
        }
        let smaller = Kernel { nodes, ..smallest.clone() };
        let kept = fails(&smaller);
        if kept {
            *smallest = smaller;
        }
        kept
    };
    loop {
        let before = size(&smallest.nodes);
        let mut chunk = before.div_ceil(2);
        while chunk > 0 {
            let mut start = 0;
            while start < size(&smallest.nodes) {
                let nodes = edit(&smallest.nodes, &mut 0, &(start..start + chunk), Edit::Remove);
                // What follows has moved here.
                if !is_kept(&mut smallest, nodes) {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
        for change in [Edit::Unwrap, Edit::Unguard] {
            let mut at = 0;
            while at < size(&smallest.nodes) {
                if applies(&smallest.nodes, &mut 0, at, change) {
                    let nodes = edit(&smallest.nodes, &mut 0, &(at..at + 1), change);
                    is_kept(&mut smallest, nodes);
                }
                at += 1;
            }
        }
        if size(&smallest.nodes) >= before {
            return smallest;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Remove,
    /// Puts the bodies of a structure in its place.
    Unwrap,
    /// Removes the guard of a statement.
    Unguard,
}

/// Returns the number of nodes.
pub fn size(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| 1 + node.bodies().into_iter().map(|body| size(body)).sum::<usize>()).sum()
}

/// Returns true if an edit changes the node of a number, in the order of the text.
fn applies(nodes: &[Node], next: &mut usize, at: usize, change: Edit) -> bool {
    nodes.iter().any(|node| {
        let number = *next;
        *next += 1;
        let here = number == at
            && match node {
                Node::Step(step) => change == Edit::Unguard && step.guard.is_some(),
                // A function has registers of its own.
                Node::Call { .. } => false,
                _ => change == Edit::Unwrap,
            };
        here || node.bodies().into_iter().any(|body| applies(body, next, at, change))
    })
}

/// Edits the nodes whose numbers are in a range.
fn edit(nodes: &[Node], next: &mut usize, range: &Range<usize>, change: Edit) -> Vec<Node> {
    let mut edited = Vec::new();
    for node in nodes {
        let here = range.contains(next);
        *next += 1;
        let mut node = node.clone();
        for body in node.bodies_mut() {
            *body = edit(body, next, range, change);
        }
        match (here, change) {
            (false, _) => edited.push(node),
            (true, Edit::Remove) => {}
            (true, Edit::Unwrap) => edited.extend(node.bodies_mut().into_iter().flat_map(std::mem::take)),
            (true, Edit::Unguard) => {
                if let Node::Step(step) = &mut node {
                    step.guard = None;
                }
                edited.push(node);
            }
        }
    }
    edited
}
