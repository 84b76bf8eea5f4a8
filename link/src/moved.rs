//! Finds convergent instructions that a pass of LLVM has moved or copied against their mark.
//!
//! A pass that ignores the mark `convergent` makes a program wrong without a word. So each call and branch has a number, and the
//! PTX is compared with the module that LLVM was given. What is legal stays allowed: inlining gives each copy another chain of
//! calls, and copies of an unrolled loop follow one another. The rules refuse only what no legal pass does, and only at branches
//! that depend on the thread.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use crate::body::{self, Function};
use crate::convergence::{is_convergent, statement_is_convergent, without_comments};
use crate::divergence::{Module, graph};
use crate::flow::{Graph, dominates};
use crate::ir::{self, Callee};
use crate::lines::{Lines, Place, line_of};
use crate::program::{is_of_the_driver, readable};
use crate::ptx;
use crate::sites::{Chain, Numbers, is_numbered, numbered};

/// A convergent instruction that is not where its source puts it.
#[derive(Debug, PartialEq, Eq)]
pub struct Moved {
    /// The instruction, or the function that is called.
    what: String,
    /// The function in whose source the instruction stands.
    function: String,
    /// The function in whose PTX the instruction stands.
    pub container: String,
    /// The place of the instruction in its source.
    place: Option<Place>,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Apart,
    Into,
    OutOf,
    Merged,
}

impl Moved {
    /// Returns whether the program is wrong: threads that meet in the source do not meet. Without the others, `activemask` gives a
    /// smaller set, which is right too: it promises no more than that the threads of the set are active (PTX ISA 9.7.13.11).
    pub fn is_wrong(&self) -> bool {
        !self.what.starts_with("activemask") || matches!(self.how, How::Into | How::Merged)
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, function, container, place, how } = self;
        let how = match how {
            How::Apart => "copied onto both sides of",
            How::Into => "moved into",
            How::OutOf => "moved out of",
            How::Merged => "merged from both sides of",
        };
        write!(
            f,
            "LLVM has {how} a branch that depends on the thread: `{what}` of `{function}`, in `{container}`{}",
            line_of(place.as_ref(), "")
        )
    }
}

/// An instruction with a number.
struct Site<'a> {
    /// The line with the location of the instruction.
    line: &'a str,
    function: usize,
    block: usize,
    callee: Option<Callee<'a>>,
}

fn sites<'a>(functions: &[Function<'a>]) -> Vec<Site<'a>> {
    let mut sites = Vec::new();
    for (function, of) in functions.iter().enumerate() {
        for (block, instructions) in of.blocks.iter().enumerate() {
            let numbered = instructions.instructions.iter().filter(|one| is_numbered(one.line));
            sites.extend(numbered.map(|instruction| {
                let callee = ir::call(instruction.line).map(|call| call.callee);
                Site { line: instruction.last_line(), function, block, callee }
            }));
        }
    }
    sites
}

/// The facts about the control flow of a function.
struct Flow {
    graph: Graph,
    dominators: Vec<Option<usize>>,
    loops: BTreeMap<usize, BTreeSet<usize>>,
    /// The blocks between each branch and the block where its paths meet.
    regions: BTreeMap<usize, BTreeSet<usize>>,
}

impl Flow {
    fn of(graph: Graph) -> Self {
        let dominators = graph.dominators();
        let loops = graph.loops(&dominators);
        let branches = (0..graph.successors.len()).filter(|&at| graph.successors[at].len() > 1);
        let regions = branches.map(|at| (at, graph.region(at))).collect();
        Self { graph, dominators, loops, regions }
    }

    /// Returns the branches that decide whether, or how often, a block is executed.
    fn around(&self, block: usize) -> impl Iterator<Item = usize> {
        self.regions.iter().filter(move |(_, region)| region.contains(&block)).map(|(branch, _)| *branch)
    }

    /// Returns true if a path leads from the entry to a block, and from there to the end of the function.
    fn is_reached(&self, block: usize) -> bool {
        dominates(&self.dominators, 0, block)
    }

    fn depth(&self, block: usize) -> usize {
        self.loops.values().filter(|blocks| blocks.contains(&block)).count()
    }

    /// Returns the blocks of the innermost loop around a block.
    fn innermost(&self, block: usize) -> Option<&BTreeSet<usize>> {
        self.loops.values().filter(|blocks| blocks.contains(&block)).min_by_key(|blocks| blocks.len())
    }

    /// Returns true if a block is executed whenever the function is, or once in each round of the loops around it.
    fn is_unconditional(&self, block: usize) -> bool {
        self.around(block).all(|branch| {
            let exits = |blocks: &BTreeSet<usize>| {
                self.graph.successors[branch].iter().any(|next| !blocks.contains(next))
            };
            let mut around = self.loops.values().filter(|blocks| blocks.contains(&block));
            around.any(|blocks| blocks.contains(&branch) && exits(blocks))
        })
    }

    /// Returns true if threads pass `site` by at a branch, whichever arms of this and other branches LLVM has proved dead: no path
    /// leads to `site` from any arm, but for one.
    fn passes_by(&self, branch: usize, site: usize) -> bool {
        let arms: BTreeSet<usize> = self.graph.successors[branch].iter().copied().collect();
        let site = BTreeSet::from([site]);
        arms.into_iter().filter(|&arm| !self.first(arm, branch, &site).is_empty()).count() <= 1
    }

    /// Returns those of `copies` that a thread may reach first from `start` inside the region of a branch.
    fn first(&self, start: usize, branch: usize, copies: &BTreeSet<usize>) -> BTreeSet<usize> {
        self.reach([start], branch, |at| copies.contains(&at)).intersection(copies).copied().collect()
    }

    /// Returns the blocks on the paths from `starts` inside the region of a branch. A path ends at a block that is an `end`.
    fn reach(
        &self,
        starts: impl IntoIterator<Item = usize>,
        branch: usize,
        is_end: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let region = &self.regions[&branch];
        let mut reached = BTreeSet::new();
        let mut open: Vec<usize> = starts.into_iter().collect();
        while let Some(at) = open.pop() {
            if at != branch && region.contains(&at) && reached.insert(at) && !is_end(at) {
                open.extend(&self.graph.successors[at]);
            }
        }
        reached
    }

    /// Returns true if threads that part at a branch come to different copies. With `may_follow`, a copy after the other is right.
    fn parts(&self, branch: usize, copies: &BTreeSet<usize>, may_follow: bool) -> bool {
        let sides: Vec<_> =
            self.graph.successors[branch].iter().map(|&next| self.first(next, branch, copies)).collect();
        let follows = |one: usize, other: usize| {
            // A thread that stays in a loop leaves it later, and comes where threads are that have left it at the branch.
            let mut around = self.loops.values().filter(|blocks| blocks.contains(&branch));
            around.any(|blocks| blocks.contains(&one) && !blocks.contains(&other))
                || self.reach(self.graph.successors[one].iter().copied(), branch, |_| false).contains(&other)
        };
        sides.iter().any(|side| {
            sides.iter().any(|other| {
                side.difference(other).any(|&one| {
                    let mut others = other.difference(side);
                    others.any(|&another| !may_follow || !follows(one, another) && !follows(another, one))
                })
            })
        })
    }
}

/// The module before LLVM's passes.
struct Before<'a> {
    ir: &'a str,
    functions: Vec<Function<'a>>,
    sites: Vec<Site<'a>>,
    flows: Vec<OnceCell<Flow>>,
}

impl<'a> Before<'a> {
    fn read(ir: &'a str) -> Self {
        let functions = body::functions(ir);
        let sites = sites(&functions);
        let flows = functions.iter().map(|_| OnceCell::new()).collect();
        Self { ir, functions, sites, flows }
    }

    fn flow(&self, site: &Site<'_>) -> &Flow {
        self.flows[site.function].get_or_init(|| Flow::of(graph(&self.functions[site.function])))
    }

    /// Returns true if the chain is one that inlining makes: each call calls the function in which the inner instruction stands.
    fn is_whole(&self, chain: &[usize]) -> bool {
        chain.iter().all(|&number| number < self.sites.len())
            && chain.windows(2).all(|pair| match &self.sites[pair[1]].callee {
                Some(Callee::Symbol(name)) => *name == self.functions[self.sites[pair[0]].function].name,
                Some(Callee::Pointer) => true,
                Some(Callee::Asm(_)) | None => false,
            })
    }

    fn depth(&self, chain: &[usize]) -> usize {
        chain.iter().map(|&number| &self.sites[number]).map(|site| self.flow(site).depth(site.block)).sum()
    }

    fn is_unconditional(&self, chain: &[usize]) -> bool {
        chain
            .iter()
            .map(|&number| &self.sites[number])
            .all(|site| self.flow(site).is_unconditional(site.block))
    }

    /// Returns the chains of the branches that stand before an instruction and decide whether it is executed, whatever arms LLVM
    /// proves dead.
    fn conditions(&self, chain: &[usize]) -> Vec<Chain> {
        let mut conditions = Vec::new();
        for (level, &number) in chain.iter().enumerate() {
            let site = &self.sites[number];
            let flow = self.flow(site);
            let above = flow
                .around(site.block)
                .filter(|&branch| branch != site.block && dominates(&flow.dominators, branch, site.block))
                .filter(|&branch| flow.passes_by(branch, site.block));
            conditions.extend(above.filter_map(|branch| {
                let of_branch = |other: &Site<'_>| {
                    (other.function, other.block) == (site.function, branch) && other.callee.is_none()
                };
                // A branch is the last site of its block.
                let number = self.sites.iter().rposition(of_branch)?;
                Some([&[number], &chain[level + 1..]].concat())
            }));
        }
        conditions
    }
}

/// An instruction as the comparison sees it: its chain, and the asm or the function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key<'a> {
    chain: Chain,
    callee: &'a str,
}

/// Compares the PTX with the module that LLVM was given.
///
/// `before` is the module that got numbers, `after` is the module with the numbers as LLVM's passes have left it, and `ptx` is
/// what `llc` makes of `after` when the calls and branches in it are numbered anew.
pub fn moved(before: &str, after: &str, ptx: &str) -> Vec<Moved> {
    let before = Before::read(before);
    let functions = body::functions(after);
    let after_sites = sites(&functions);
    let numbers = Numbers::read(after);
    let lines = numbered(&functions);
    let chains: Vec<Option<Chain>> =
        lines.iter().map(|(_, last)| numbers.of(last).filter(|chain| before.is_whole(chain))).collect();
    let convergent = convergent_functions(&functions);
    // The text of the asm, or the name of the function, of each convergent instruction.
    let callee = |number: usize| match after_sites.get(number)?.callee.as_ref()? {
        Callee::Asm(text) => is_convergent(&ir::asm_source(text)).then_some(*text),
        Callee::Symbol(name) => convergent.contains(name).then_some(*name),
        Callee::Pointer => Some("a function pointer"),
    };
    let module = Module::of(&functions);
    let parts_threads = |number: usize| {
        let site = &after_sites[number];
        let function = &functions[site.function];
        module.parts_threads(function.name, &function.blocks[site.block])
    };
    let ends = |number: usize| {
        after_sites.get(number).is_some_and(|site| {
            let last = functions[site.function].blocks[site.block].instructions.last();
            site.callee.is_some() && last.is_some_and(|last| last.opcode == "unreachable")
        }) && after_sites.get(number + 1).is_none_or(|next| {
            let site = &after_sites[number];
            (next.function, next.block) != (site.function, site.block)
        })
    };

    let functions_of_ptx = ptx::functions(ptx, ends);
    let called =
        || functions_of_ptx.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.calls);
    let left: HashSet<usize> =
        called().flatten().filter_map(|&number| chains.get(number)?.as_ref()?.first().copied()).collect();
    let mut all: Vec<Moved> = Vec::new();
    for function in &functions_of_ptx {
        let container = readable(function.name);
        let successors: Vec<_> = function.blocks.iter().map(|block| block.successors.clone()).collect();
        let flow = OnceCell::new();
        let flow =
            || flow.get_or_init(|| Flow::of(Graph::new(&successors, |at| function.blocks[at].returns)));
        // The copies of each instruction, and the thread-dependent branches, by chain.
        let mut copies: BTreeMap<Key<'_>, BTreeSet<usize>> = BTreeMap::new();
        for (at, block) in function.blocks.iter().enumerate() {
            for number in block.calls.iter().flatten() {
                // LLVM takes the line from an instruction that stands for several.
                if let Some(callee) = callee(*number).filter(|_| chains[*number].is_none())
                    && let Some(number) = before.merged(callee, &left)
                {
                    all.push(before.moved(callee, &[number], &container, How::Merged));
                }
                if let Some((callee, chain)) = callee(*number).zip(chains[*number].clone()) {
                    copies.entry(Key { chain, callee }).or_default().insert(at);
                }
            }
        }
        if copies.is_empty() {
            continue;
        }
        let mut branches: HashMap<Option<&Chain>, BTreeSet<usize>> = HashMap::new();
        for (at, block) in function.blocks.iter().enumerate() {
            if let Some(number) =
                block.branch.filter(|&number| number < chains.len() && parts_threads(number))
            {
                branches.entry(chains[number].as_ref()).or_default().insert(at);
            }
        }
        let parting: BTreeSet<usize> = branches.values().flatten().copied().collect();
        for (key, copies) in &mut copies {
            // What is on the way to a trap ends the grid.
            copies.retain(|&copy| flow().is_reached(copy));
            if copies.is_empty() {
                continue;
            }
            let how = before.how(key, copies, flow(), &parting, &branches);
            all.extend(how.map(|how| before.moved(key.callee, &key.chain, &container, how)));
        }
    }
    let mut said = HashSet::new();
    all.retain(|moved| said.insert(moved.to_string()));
    all
}

impl Before<'_> {
    /// Describes an instruction that has left its place, by its numbers.
    fn moved(&self, callee: &str, chain: &[usize], container: &str, how: How) -> Moved {
        let lines = chain.iter().map(|&number| self.sites[number].line);
        Moved {
            what: what(callee),
            function: readable(self.functions[self.sites[chain[0]].function].name),
            container: container.to_owned(),
            place: Lines::read(self.ir).place_of_chain(lines),
            how,
        }
    }

    /// Returns the number of an instruction `callee` that, like a second one, is not `left`. The two stand on different sides of a
    /// branch.
    fn merged(&self, callee: &str, left: &HashSet<usize>) -> Option<usize> {
        let is_gone = |number: &usize| {
            !left.contains(number)
                && match &self.sites[*number].callee {
                    Some(Callee::Asm(text) | Callee::Symbol(text)) => *text == callee,
                    Some(Callee::Pointer) | None => false,
                }
        };
        let gone: Vec<_> = (0..self.sites.len()).filter(is_gone).collect();
        let stand_apart = |one: usize, other: usize| {
            let (one, other) = (&self.sites[one], &self.sites[other]);
            let (flow, blocks) = (self.flow(one), BTreeSet::from([one.block, other.block]));
            one.function == other.function
                && flow.regions.keys().any(|&branch| flow.parts(branch, &blocks, true))
        };
        let mut pairs =
            gone.iter().enumerate().flat_map(|(at, &one)| gone[..at].iter().map(move |&other| (one, other)));
        pairs.find(|&(one, other)| stand_apart(one, other)).map(|(one, _)| one)
    }

    /// Returns how the copies of an instruction have left their place.
    fn how(
        &self,
        key: &Key<'_>,
        copies: &BTreeSet<usize>,
        flow: &Flow,
        parting: &BTreeSet<usize>,
        branches: &HashMap<Option<&Chain>, BTreeSet<usize>>,
    ) -> Option<How> {
        let parting: Vec<usize> =
            parting.iter().copied().filter(|branch| flow.regions.contains_key(branch)).collect();
        // What is on the way to a panic or a trap ends the grid.
        let is_reached = |&number: &usize| {
            let site = &self.sites[number];
            self.flow(site).is_reached(site.block)
        };
        if !key.chain.iter().all(is_reached) {
            return None;
        }
        // A thread that leaves a loop comes to another copy if the loop stands in a loop, and a thread that leaves out an
        // instruction comes to the copy of the next round. Otherwise, threads that part come to one copy.
        let (depth, is_unconditional) = (self.depth(&key.chain), self.is_unconditional(&key.chain));
        let may_follow = depth > 1 || !is_unconditional;
        if copies.len() > 1 && parting.iter().any(|&branch| flow.parts(branch, copies, may_follow)) {
            return Some(How::Apart);
        }
        // Where LLVM has made more loops or fewer of the code, the rules below say nothing.
        if copies.iter().any(|&copy| flow.depth(copy) != depth) {
            return None;
        }
        let is_inside = |copy: usize, branch: usize| flow.regions[&branch].contains(&copy);
        if is_unconditional {
            let is_around = |copy: usize, branch: usize| {
                let innermost = flow.innermost(copy);
                let meets_inside = innermost
                    .is_none_or(|blocks| flow.graph.meets[branch].is_some_and(|meet| blocks.contains(&meet)));
                is_inside(copy, branch) && meets_inside
            };
            if copies.iter().any(|&copy| parting.iter().any(|&branch| is_around(copy, branch))) {
                return Some(How::Into);
            }
        }
        let is_outside = |condition: &Chain| {
            let left = branches.get(&Some(condition)).into_iter().flatten();
            let mut left = left.filter(|branch| flow.regions.contains_key(branch)).peekable();
            // If a loop has lost its other exits, all threads leave it at the branch, and come to the copy behind the loop.
            let is_under = |copy, branch| is_inside(copy, branch) || is_inside(branch, branch);
            left.peek().is_some() && !left.any(|&branch| copies.iter().any(|&copy| is_under(copy, branch)))
        };
        self.conditions(&key.chain).iter().any(is_outside).then_some(How::OutOf)
    }
}

/// Returns the functions that execute something convergent, and those whose body is elsewhere.
fn convergent_functions<'a>(functions: &[Function<'a>]) -> HashSet<&'a str> {
    let defined: HashSet<&str> = functions.iter().map(|function| function.name).collect();
    let mut found: HashSet<&str> = HashSet::new();
    loop {
        let before = found.len();
        for function in functions {
            let is_convergent = |callee: Callee<'a>| match callee {
                Callee::Asm(text) => is_convergent(&ir::asm_source(text)),
                Callee::Symbol(name) => {
                    let is_known =
                        defined.contains(name) || name.starts_with("llvm.") || is_of_the_driver(name);
                    found.contains(name) || !is_known
                }
                Callee::Pointer => true,
            };
            if !found.contains(function.name)
                && function.lines().filter_map(ir::call).any(|call| is_convergent(call.callee))
            {
                found.insert(function.name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Returns the first convergent instruction of asm, or the name of a function.
fn what(callee: &str) -> String {
    let source = without_comments(&ir::asm_source(callee)).unwrap_or_default();
    let convergent = source.split(';').find(|statement| statement_is_convergent(statement));
    let words = convergent.map(|statement| statement.trim_start_matches(['{', '}', ' ', '\n', '\t']));
    readable(words.and_then(|words| words.split_whitespace().next()).unwrap_or(callee))
}

#[cfg(test)]
mod tests {
    use super::{How, Moved, moved};

    /// A kernel: a branch on the thread, and a barrier at the end or in an arm. Numbers: asm 0, branch 1, barrier 2.
    fn before(then: &str, end: &str) -> String {
        format!(
            "define ptx_kernel void @k(ptr %p) {{\nstart:\n  %i = call i32 asm \"mov.u32 $0, %tid.x;\", \"=r\"()\n  \
             %c = icmp ult i32 %i, 5\n  br i1 %c, label %then, label %end\nthen:\n  store i32 1, ptr %p\n{then}  \
             br label %end\nend:\n{end}  ret void\n}}\n"
        )
    }

    const BARRIER: &str = "  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"()\n";

    /// The module after a pass, with its numbers, and the PTX of that module, whose barriers have the numbers from 2 on.
    fn after(then: &str, end: &str) -> (String, String) {
        const FIRST: u32 = 1 << 30;
        let located = |text: &str| text.replace("()\n", "(), !dbg !2\n");
        let mut ir = before(&located(then), &located(end));
        ir = ir
            .replace("\"=r\"()", "\"=r\"(), !dbg !0")
            .replace("label %end\nthen", "label %end, !dbg !1\nthen");
        for number in 0..3 {
            ir += &format!("!{number} = !DILocation(line: {}, scope: !9)\n", FIRST + number);
        }
        let mut number = FIRST + 1;
        let mut asm = |text: &str| {
            let barriers = (0..text.matches("bar.sync").count()).map(|_| {
                number += 1;
                format!("\t.loc\t1 {number} 0\n\t// begin inline asm\n\tbar.sync 0;\n\t// end inline asm\n")
            });
            barriers.collect::<String>()
        };
        let (then, end) = (asm(then), asm(end));
        let ptx = format!(
            ".visible .entry k(\n)\n{{\n\t.loc\t1 {FIRST} 0\n\t// begin inline asm\n\tmov.u32 %r1, %tid.x;\n\t// end inline asm\n\
             \t.loc\t1 {} 0\n\t@%p1 bra \t$L__BB0_2;\n{then}$L__BB0_2:\n{end}\tret;\n}}\n",
            FIRST + 1
        );
        (ir, ptx)
    }

    #[track_caller]
    fn assert_finds(expected: &[How], before: (&str, &str), after: (&str, &str)) {
        let (ir, ptx) = self::after(after.0, after.1);
        let found = moved(&self::before(before.0, before.1), &ir, &ptx);
        assert_eq!(found.iter().map(|one| one.how).collect::<Vec<_>>(), expected, "{ir}{ptx}");
    }

    #[test]
    fn what_stays_in_its_place_is_right() {
        assert_finds(&[], (BARRIER, ""), (BARRIER, ""));
        assert_finds(&[], ("", BARRIER), ("", BARRIER));
        // Copies that follow one another, as those of an unrolled loop.
        assert_finds(&[], ("", BARRIER), ("", &BARRIER.repeat(2)));
    }

    #[test]
    fn what_moves_across_a_branch_is_found() {
        assert_finds(&[How::Into], ("", BARRIER), (BARRIER, ""));
        assert_finds(&[How::OutOf], (BARRIER, ""), ("", BARRIER));
    }

    #[test]
    fn the_convergent_instruction_of_asm_is_named() {
        for (asm, name) in [
            ("barrier.cta.sync.aligned 0;", "barrier.cta.sync.aligned"),
            (
                "{ .reg .pred %p; setp.ne.u32 %p, $1, 0; vote.sync.ballot.b32 $0, %p, $2; }",
                "vote.sync.ballot.b32",
            ),
            ("helper", "helper"),
        ] {
            assert_eq!(super::what(asm), name);
        }
    }

    #[test]
    fn an_activemask_may_come_apart() {
        let is_wrong = |what: &str, how| {
            let (function, container) = ("f".into(), "k".into());
            Moved { what: what.into(), function, container, place: None, how }.is_wrong()
        };
        for how in [How::Apart, How::OutOf] {
            assert!(!is_wrong("activemask.b32", how) && is_wrong("barrier.cta.sync", how));
        }
        for how in [How::Into, How::Merged] {
            assert!(is_wrong("activemask.b32", how) && is_wrong("barrier.cta.sync", how));
        }
    }
}
