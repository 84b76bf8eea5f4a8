//! Proves that the collective calls of a kernel are made in uniform control flow.
//!
//! `ptx` leaves marks in its collective calls (`marks`). A module of the kernels that ask for the proof, in which everything is
//! inlined (`module`), shows each mark with all conditions around it. The proof computes in which group of threads each value is
//! equal (`levels`), and checks that every condition around a mark, and every operand of the mark, is equal in the mark's group
//! (`kernel`). docs/SOUNDNESS.md argues each step.

mod kernel;
mod levels;
mod marks;
mod module;

use crate::body::functions;
use crate::ir;
use crate::lines::Lines;
use crate::program::readable;

pub use marks::without_marks;
pub use module::{PASSES, formats, formatters, prepared, proven};

/// The most reasons to report of a kernel.
const MOST: usize = 3;

/// Returns a message for each kernel of the module of the proof that is not proven.
pub fn unproven(ir: &str, kernels: &[&str]) -> Vec<String> {
    let functions = functions(ir);
    let lines = Lines::read(ir);
    let is_constant = |line: &&str| line.contains(" constant ") && !line.contains(" global ");
    let constants: Vec<&str> =
        ir.lines().filter(|line| line.starts_with('@')).filter(is_constant).filter_map(ir::global).collect();
    let defined = functions.iter().map(|function| function.name).collect();
    let mut messages = Vec::new();
    for name in kernels {
        let Some(function) = functions.iter().find(|function| function.name == *name) else {
            messages.push(format!("`{}` is not in the module of the proof", readable(name)));
            continue;
        };
        let gaps = kernel::gaps(function, &defined, &constants, &lines);
        if gaps.is_empty() {
            continue;
        }
        let said = gaps.iter().take(MOST).map(|gap| {
            let steps = gap.chain.iter().map(|step| format!("\n    from {step}"));
            gap.what.clone() + &steps.collect::<String>()
        });
        let more = (gaps.len() > MOST).then(|| format!("and {} more", gaps.len() - MOST));
        messages.push(not_proven(name, &said.chain(more).collect::<Vec<_>>()));
    }
    messages
}

/// Returns the message on a kernel that is not proven.
pub fn not_proven(kernel: &str, reasons: &[String]) -> String {
    let reasons: String = reasons.iter().map(|reason| format!("\n  {reason}")).collect();
    format!("`{}`: not proven that control flow is uniform{reasons}", readable(kernel))
}

#[cfg(test)]
mod tests {
    use super::unproven;

    /// The marks of the tests: `meet(cta)` and its like stand for calls of asm.
    fn expand(body: &str) -> String {
        let mut text = String::new();
        for line in body.lines().map(str::trim_end) {
            let line = line.trim_start();
            let is_label = line.ends_with(':');
            let line = match line.split_once("mark ") {
                Some((result, mark)) => {
                    let (name, inputs) = mark.split_once('(').expect("inputs");
                    let inputs = inputs.trim_end_matches(')');
                    let call = if result.is_empty() { "call void" } else { "call i32" };
                    format!("{result}{call} asm sideeffect \"ptx_mark.{name};\", \"r\"({inputs}) #1")
                }
                None => line.to_owned(),
            };
            text += &if is_label { format!("\n{line}\n") } else { format!("  {line}\n") };
        }
        text
    }

    /// Returns the message on a kernel whose body this is, or nothing if the kernel is proven. The kernel has the parameter `%p`.
    fn judge(body: &str) -> Option<String> {
        // LLVM writes no label of an entry without a name, whose number is 0 here.
        let entry = if body.contains("%0 ]") { "" } else { "start:\n" };
        let ir = format!(
            "@table = private unnamed_addr constant [4 x i32] zeroinitializer\n@own = internal global i32 0\n\
             define ptx_kernel void @k(ptr %p) {{\n{entry}{}}}\n",
            expand(body)
        );
        unproven(&ir, &["k"]).pop()
    }

    /// Checks what is known of the value `%x` that a few instructions define, by a mark under a condition on it.
    #[track_caller]
    fn assert_group(instructions: &str, group: Option<&str>) {
        let groups = ["grid", "cluster", "cta", "warp"];
        let known =
            group.map_or(groups.len(), |group| groups.iter().position(|one| *one == group).expect("a group"));
        let marks = ["deal.grid", "meet.cluster", "meet.cta", "meet.lanes"];
        for (i, mark) in marks.into_iter().enumerate() {
            let body = format!(
                "{instructions}\n%c = icmp eq i32 %x, 7\nbr i1 %c, label %then, label %end\nthen:\nmark {mark}()\n\
                 br label %end\nend:\nret void\n"
            );
            let message = judge(&body);
            assert_eq!(message.is_none(), i >= known, "{mark} under\n{instructions}\n{message:?}");
        }
    }

    #[test]
    fn registers_have_their_groups() {
        let sreg = |name| format!("%x = call i32 @llvm.nvvm.read.ptx.sreg.{name}()");
        for (register, group) in [
            ("ntid.x", Some("grid")),
            ("nctaid.y", Some("grid")),
            ("ctaid.x", Some("cta")),
            ("tid.x", None),
            ("laneid", None),
            ("warpid", None),
            ("smid", None),
            ("clock", None),
            ("cluster.ctarank", Some("cta")),
            ("clusterid.x", Some("cluster")),
        ] {
            assert_group(&sreg(register), group);
        }
        let asm = |text| format!("%x = call i32 asm \"{text}\", \"=r\"()");
        for (text, group) in [
            ("mov.u32 $0, %clusterid.x;", Some("cluster")),
            ("mov.u32 $0, %cluster_ctarank;", Some("cta")),
            ("mov.u32 $0, %laneid;", None),
            ("mov.u32 $0, %clock;", None),
            ("mov.u32 $0, %warpid;", None),
            ("mov.u32 $0, %ntid.x;", Some("grid")),
            ("mov.u32 $0, smem;", Some("grid")),
            ("ld.shared.u32 $0, [smem];", None),
            ("mov.u32 $0, [smem];", None),
            ("activemask.b32 $0;", None),
            ("barrier.cta.red.popc.aligned.u32 $0, 0, p;", None),
            ("some.new.instruction $0;", None),
            ("mov.u32 $0, 1; mov.u32 $0, %tid.x;", None),
            ("@p mov.u32 $0, 1;", None),
            ("// no end /*", Some("grid")),
            ("cvta.to.shared::cta.u64 $0, 7;", None),
            ("cvta.local.u64 $0, 7;", None),
            ("mapa.shared::cluster.u32 $0, 7, 1;", None),
            ("div.u32 $0, 7, 0;", None),
        ] {
            assert_group(&asm(text), group);
        }
    }

    #[test]
    fn memory_is_equal_only_where_no_thread_writes() {
        assert_group("%x = load i32, ptr %p, align 4", Some("grid"));
        assert_group("%a = getelementptr i8, ptr %p, i64 8\n%x = load i32, ptr %a", Some("grid"));
        assert_group("%x = load i32, ptr @table", Some("grid"));
        assert_group("%x = load i32, ptr @own", None);
        assert_group("%x = load volatile i32, ptr %p", None);
        assert_group("%x = load atomic i32, ptr %p seq_cst, align 4", None);
        let read_only =
            "%a = load ptr, ptr %p\n%b = call ptr asm sideeffect \"ptx_mark.read_only;\", \"=l,l\"(ptr %a)\n";
        assert_group(&format!("{read_only}%x = load i32, ptr %b"), Some("grid"));
        assert_group(
            &format!(
                "{read_only}%c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n%d = getelementptr i32, ptr %b, i32 %c\n%x = load i32, ptr %d"
            ),
            Some("cta"),
        );
        assert_group(
            &format!("{read_only}%c = load i64, ptr %b\n%d = inttoptr i64 %c to ptr\n%x = load i32, ptr %d"),
            None,
        );
        // The memory to which a parameter points is not the parameter.
        assert_group("%a = load ptr, ptr %p\n%x = load i32, ptr %a", None);
        // A local variable is equal in all threads if it is a copy of a parameter.
        let b = "%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        let copy = "%a = alloca [64 x i8]\ncall void @llvm.lifetime.start.p0(ptr %a)\n\
                    %to = getelementptr i8, ptr %a, i64 16\n%from = getelementptr i8, ptr %p, i64 8\n\
                    call void @llvm.memcpy.p0.p0.i64(ptr noundef align 8 dereferenceable(32) %to, ptr %from, i64 32, i1 false)\n\
                    %e = getelementptr [4 x i8], ptr %to, i64 0, i32 %b\n%x = load i32, ptr %e, align 4";
        assert_group(&format!("{b}{copy}"), Some("cta"));
        for (with, by) in [
            // Another index, another writer, an address that someone keeps, places that differ, another source.
            ("i32 %b", "i32 %t"),
            ("%x = load", "store i32 0, ptr %a\n%x = load"),
            ("%x = load", "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 4, i1 false)\n%x = load"),
            ("%x = load", "call void asm sideeffect \"st.b32 [$0], 1;\", \"l\"(ptr %e)\n%x = load"),
            ("%x = load", "%y = ptrtoint ptr %to to i64\n%x = load"),
            ("%x = load", "call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %p, i64 4, i1 false)\n%x = load"),
            ("ptr %a, i64 16", "ptr %a, i32 %b"),
            ("ptr %p, i64 8", "ptr %p, i32 %b"),
            ("%from = getelementptr i8, ptr %p, i64 8", "%from = load ptr, ptr %p"),
            ("%from = getelementptr i8, ptr %p, i64 8", "%from = alloca [64 x i8]"),
            ("i64 32, i1", "i64 %b, i1"),
            ("memcpy", "memmove"),
        ] {
            assert_group(&format!("{b}{}", copy.replacen(with, by, 1)), None);
        }
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        assert_group(
            &format!("{tid}%a = getelementptr i32, ptr @table, i32 %t\n%x = load i32, ptr %a"),
            None,
        );
        assert_group("%a = alloca i32\n%x = load i32, ptr %a", None);
        assert_group("%x = atomicrmw add ptr %p, i32 1 monotonic", None);
        assert_group(
            "%c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n%a = getelementptr i32, ptr @table, i32 %c\n%x = load i32, ptr %a",
            Some("cta"),
        );
    }

    #[test]
    fn pure_operations_have_the_least_of_their_operands() {
        let both = "%n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n";
        assert_group(&format!("{both}%x = add i32 %n, %b"), Some("cta"));
        assert_group(&format!("{both}%x = call i32 @llvm.umin.i32(i32 %n, i32 %n)"), Some("grid"));
        assert_group(&format!("{both}%x = call i32 @llvm.unheard.of(i32 %n)"), None);
        assert_group(&format!("{both}%x = freeze i32 %n"), None);
        let cast = "%a = addrspacecast ptr TO\n%x = ptrtoint";
        assert_group(
            &cast
                .replace("TO", "%p to ptr addrspace(3)")
                .replace("ptrtoint", "ptrtoint ptr addrspace(3) %a to i32"),
            None,
        );
        assert_group(
            &cast.replace("TO", "addrspace(3) @smem to ptr").replace("ptrtoint", "ptrtoint ptr %a to i32"),
            Some("grid"),
        );
        assert_group(&format!("{both}%x = add i32 %n, %nowhere"), None);
        // Nothing is decided by what is undefined.
        assert_group(&format!("{both}%x = add i32 %b, undef"), Some("cta"));
        assert_group(
            &format!(
                "{both}%s = insertvalue {{ i32, i32 }} poison, i32 %b, 0\n%x = extractvalue {{ i32, i32 }} %s, 0"
            ),
            Some("cta"),
        );
    }

    #[test]
    fn ranks_are_equal_in_whole_warps() {
        let rank = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%r = mark rank(i32 %t)\n";
        for (operation, group) in [
            ("lshr i32 %r, 5", Some("warp")),
            ("lshr i32 %r, 4", None),
            ("udiv i32 %r, 64", Some("warp")),
            ("udiv i32 %r, 48", None),
            ("and i32 %r, -32", Some("warp")),
            ("and i32 %r, 48", None),
            ("lshr i32 %t, 5", None),
        ] {
            assert_group(&format!("{rank}%x = {operation}"), group);
        }
        for (shift, mask, group) in [
            ("lshr i32 %r, 3", "-4", Some("warp")),
            ("lshr i32 %r, 3", "536870910", None),
            ("shl i32 %r, 2", "-128", Some("warp")),
            ("shl i32 %r, 2", "192", None),
            ("lshr i32 %t, 3", "-4", None),
            ("mul i32 %r, 3", "-128", None),
        ] {
            assert_group(&format!("{rank}%s = {shift}\n%x = and i32 %s, {mask}"), group);
        }
        for (condition, group) in [
            ("ult i32 %r, 64", Some("warp")),
            ("ult i32 %r, 33", None),
            ("ugt i32 %r, 31", Some("warp")),
            ("ugt i32 %r, 32", None),
            ("uge i32 %r, 96", Some("warp")),
            ("eq i32 %r, 64", None),
            ("ult i32 %t, 64", None),
            ("samesign ult i32 %r, 64", Some("warp")),
        ] {
            assert_group(&format!("{rank}%b = icmp {condition}\n%x = zext i1 %b to i32"), group);
        }
        assert_group(
            &format!("{rank}%s = add i32 %r, -32\n%b = icmp ult i32 %s, 64\n%x = zext i1 %b to i32"),
            Some("warp"),
        );
        assert_group(
            &format!("{rank}%s = add i32 %r, -33\n%b = icmp ult i32 %s, 64\n%x = zext i1 %b to i32"),
            None,
        );
    }

    #[test]
    fn the_library_states_what_it_makes_equal() {
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        assert_group(&format!("{tid}%x = mark uniform.warp(i32 %t)"), Some("warp"));
        assert_group(&format!("{tid}%x = mark uniform.cta(i32 %t)"), Some("cta"));
        assert_group(&format!("{tid}%x = mark uniform.cluster(i32 %t)"), Some("cluster"));
        assert_group("%x = mark uniform.warp(i32 3)", Some("grid"));
        assert_group(&format!("{tid}%x = mark of_lane(i32 %t, i32 0, i32 48)"), Some("warp"));
        assert_group(&format!("{tid}%x = mark of_lane(i32 %t, i32 9, i32 64)"), Some("warp"));
        assert_group(&format!("{tid}%x = mark of_lane(i32 %t, i32 9, i32 48)"), None);
        assert_group(&format!("{tid}%x = mark of_lane(i32 %t, i32 %t, i32 64)"), None);
        assert_group(&format!("{tid}%x = mark unheard.of(i32 %t)"), None);
    }

    #[test]
    fn paths_that_join_and_loops_that_end_are_looked_at() {
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 5\n";
        let joined = format!(
            "{tid}br i1 %d, label %one, label %other\none:\nbr label %both\nother:\nbr label %both\nboth:\n\
             %x = phi i32 [ 1, %one ], [ 2, %other ]"
        );
        assert_group(&joined, None);
        assert_group(
            &joined.replace(
                "%d = icmp ult i32 %t, 5",
                "%r = mark uniform.warp(i32 %t)\n%d = icmp ult i32 %r, 5",
            ),
            Some("warp"),
        );
        // One value on all ways from the branch, and another on a way that is none of them.
        let three = "%n = load i1, ptr %p\nbr i1 %n, label %far, label %near\nfar:\nbr label %both\nnear:\nbr i1 %d, label %one, label %both\n\
                     one:\nbr label %both\nboth:\n%x = phi i32 [ 1, %far ], [ OTHER, %near ], [ 2, %one ]";
        assert_group(&format!("{tid}{}", three.replace("OTHER", "2")), Some("grid"));
        assert_group(&format!("{tid}{}", three.replace("OTHER", "3")), None);
        // The way that is none of them comes from the entry, which has no name.
        let from_entry = "%n = load i1, ptr %p\nbr i1 %n, label %both, label %near\nnear:\nbr i1 %d, label %one, label %both\n\
                          one:\nbr label %both\nboth:\n%x = phi i32 [ 1, %0 ], [ OTHER, %near ], [ 2, %one ]";
        assert_group(&format!("{tid}{}", from_entry.replace("OTHER", "2")), Some("grid"));
        assert_group(&format!("{tid}{}", from_entry.replace("OTHER", "3")), None);
        // A counter is equal in each round of a loop, and differs behind a loop that threads leave in different rounds.
        let counted = "br label %loop\nloop:\n%i = phi i32 [ 0, %start ], [ %next, %loop ]\n%next = add i32 %i, 1\n\
                       %more = icmp ult i32 %i, LIMIT\nbr i1 %more, label %loop, label %out\nout:\n%x = add i32 %next, 0";
        assert_group(&counted.replace("LIMIT", "9"), Some("grid"));
        assert_group(&format!("{tid}{}", counted.replace("LIMIT", "%t")), None);
    }

    #[test]
    fn a_mark_needs_equal_conditions_around_it() {
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 5\n";
        // Behind the paths is not under the condition.
        let behind = format!(
            "{tid}br i1 %d, label %one, label %both\none:\nbr label %both\nboth:\nmark meet.cta()\nret void\n"
        );
        assert_eq!(judge(&behind), None);
        // A thread that returns does not come.
        let early = format!(
            "{tid}br i1 %d, label %one, label %both\none:\nret void\nboth:\nmark meet.cta()\nret void\n"
        );
        assert!(judge(&early).is_some());
        // A thread that traps ends the grid.
        let trap = "call void asm sideeffect \"trap;\", \"\"()\nunreachable";
        assert_eq!(judge(&early.replace("one:\nret void", &format!("one:\n{trap}"))), None);
        // But not if another call, or its barrier, comes before.
        let before = early.replace("one:\nret void", &format!("one:\nmark meet.cta()\n{trap}"));
        assert!(judge(&before).is_some());
        let exit = "call void asm sideeffect \"exit;\", \"\"()\nunreachable";
        assert!(judge(&early.replace("one:\nret void", &format!("one:\n{exit}"))).is_some());
        assert_eq!(judge(&early.replace("one:\nret void", "one:\nunreachable")), None);
        // A loop without an end, and one whose end is a trap: threads may wait there for those of the call.
        assert!(judge(&early.replace("one:\nret void", "one:\nbr label %one")).is_some());
        let spin = "%f = load atomic i32, ptr %p seq_cst, align 4\n%g = icmp eq i32 %f, 0\nbr i1 %g, label %one, label %stop";
        let waits = early.replace("one:\nret void", &format!("one:\n{spin}\nstop:\n{trap}"));
        assert!(judge(&waits).is_some());
        assert_eq!(judge(&waits.replace("i1 %d,", "i1 true,")), None);
        // The library says that such a thread ends the grid.
        assert_eq!(
            judge(
                &waits
                    .replacen("br i1 %d, label %one", "br i1 %d, label %before", 1)
                    .replace("one:\n%f", "before:\nmark ends()\nbr label %one\none:\n%f")
            ),
            None
        );
        // The same trap elsewhere, and a loop before it that some threads never enter.
        let shared = waits.replace("both:\n", "both:\nbr i1 %d, label %stop, label %last\nlast:\n");
        assert!(judge(&shared).is_some());
        assert_eq!(judge(&shared.replacen("i1 %d,", "i1 true,", 1)), None);
    }

    #[test]
    fn operands_of_a_mark_are_equal() {
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        assert!(judge(&format!("{tid}mark meet.cta(i32 %t)\nret void\n")).is_some());
        assert_eq!(
            judge("%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\nmark meet.cta(i32 %b)\nret void\n"),
            None
        );
        assert!(judge(&format!("{tid}mark meet.lanes(i32 %t)\nret void\n")).is_some());
        assert_eq!(judge(&format!("{tid}mark meet.lanes(i32 0)\nret void\n")), None);
        assert!(
            judge("%b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\nmark deal.grid(i32 %b)\nret void\n")
                .is_some()
        );
    }

    #[test]
    fn handles_are_equal_in_the_group_that_holds_them() {
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 64\n";
        let chosen = format!("{tid}%a = select i1 %d, i32 64, i32 128\n");
        for group in 1..=5 {
            let message = judge(&format!("{chosen}mark hold.{group}(i32 %a)\nret void\n"));
            assert!(message.expect("a gap").contains("takes a handle of"), "group {group}");
        }
        // One thread holds what it likes. A part is not here.
        assert_eq!(judge(&format!("{chosen}mark hold.0(i32 %a)\nret void\n")), None);
        for group in [1, 3, 4, 5] {
            assert_eq!(judge(&format!("{chosen}mark hold.{group}(i32 64)\nret void\n")), None);
        }
        // A transition in a branch, of a handle that is equal.
        let branch =
            "br i1 %d, label %in, label %out\nin:\nmark hold.3(i32 64)\nbr label %out\nout:\nret void\n";
        assert!(judge(&format!("{tid}{branch}")).is_some());
        // Each warp holds a handle of its own.
        let rank =
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%r = mark rank(i32 %t)\n%w = lshr i32 %r, 5\n";
        assert_eq!(judge(&format!("{rank}mark hold.1(i32 %w)\nret void\n")), None);
        assert!(judge(&format!("{rank}mark hold.3(i32 %w)\nret void\n")).is_some());
    }

    /// A split of the CTA, and a part that meets.
    const PART: &str = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 64\n%z = zext i1 %d to i32\n\
        %s = mark split(i32 0)\n%m = mark role(i32 %z, i32 %s)\n%c = icmp eq i32 %m, 1\nbr i1 %c, label %part, label %end\n\
        part:\nmark begin.part(i32 %s)\nmark meet.part()\nmark end(i32 %s)\nbr label %end\nend:\nret void\n";

    #[test]
    fn a_part_is_split_by_its_own_condition() {
        assert_eq!(judge(PART), None);
        assert!(judge(&PART.replace("meet.part", "meet.cta")).is_some());
        assert_eq!(judge(&PART.replace("meet.part", "meet.lanes")), None);
        // Before and behind the part.
        assert!(
            judge(&PART.replace("mark meet.part()\nmark end(i32 %s)", "mark end(i32 %s)\nmark meet.lanes()"))
                .is_some()
        );
        assert!(
            judge(&PART.replace(
                "mark begin.part(i32 %s)\nmark meet.part()",
                "mark meet.part()\nmark begin.part(i32 %s)"
            ))
            .is_some()
        );
        // Another split, another condition, and a choice of splits.
        assert!(
            judge(
                &PART
                    .replace("begin.part(i32 %s)", "begin.part(i32 %o)")
                    .replace("%m =", "%o = mark split(i32 0)\n%m =")
            )
            .is_some()
        );
        assert!(judge(&PART.replace("%c = icmp eq i32 %m, 1", "%c = icmp eq i32 %z, 1")).is_some());
        assert!(judge(&PART.replace("role(i32 %z, i32 %s)", "role(i32 %z, i32 %t)")).is_some());
        // A condition inside of the part that only some of its threads pass.
        let inside = "mark begin.part(i32 %s)\nbr i1 %d, label %in, label %out\nin:\nmark meet.part()\nbr label %out\nout:";
        assert!(judge(&PART.replace("mark begin.part(i32 %s)\nmark meet.part()", inside)).is_some());
    }

    #[test]
    fn values_of_a_part_stay_equal_in_its_loops_alone() {
        // A count that begins with the number of the part, and a loop that it ends.
        let looped = PART.replace(
            "mark meet.part()\n",
            "br label %loop\nloop:\n%i = phi i32 [ %m, %part ], [ %j, %loop ]\n%j = add i32 %i, 1\n%e = icmp ult i32 %j, 9\n\
             mark meet.part()\nbr i1 %e, label %loop, label %out\nout:\n",
        );
        assert_eq!(judge(&looped), None);
        assert!(judge(&looped.replace("[ %m, %part ]", "[ %z, %part ]")).is_some());

        // Two splits in a loop. The second part looks at the number of the first, of this round or of the one before.
        let rounds = |of_second: &str| {
            format!(
                "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 64\n%z = zext i1 %d to i32\n%n = load i1, ptr %p\n\
                 br label %loop\nloop:\n%k = phi i32 [ 0, %0 ], [ %m, %next ]\n\
                 %s = mark split(i32 0)\n%m = mark role(i32 %z, i32 %s)\n%c = icmp eq i32 %m, 1\nbr i1 %c, label %one, label %between\n\
                 one:\nmark begin.part(i32 %s)\nmark meet.part()\nmark end(i32 %s)\nbr label %between\n\
                 between:\n%u = mark split(i32 0)\n%y = mark role(i32 %z, i32 %u)\n%v = icmp eq i32 %y, 1\nbr i1 %v, label %two, label %next\n\
                 two:\nmark begin.part(i32 %u)\nbr i1 %n, label %a, label %b\na:\nbr label %b\nb:\n\
                 %x = phi i32 [ {of_second}, %two ], [ 7, %a ]\n%q = icmp eq i32 %x, 1\nbr i1 %q, label %meets, label %over\n\
                 meets:\nmark meet.part()\nbr label %over\nover:\nmark end(i32 %u)\nbr label %next\n\
                 next:\nbr i1 %n, label %loop, label %end\nend:\nret void\n"
            )
        };
        assert_eq!(judge(&rounds("%y")), None);
        assert_eq!(judge(&rounds("5")), None);
        for other in ["%m", "%k", "%z"] {
            assert!(judge(&rounds(other)).is_some(), "{other}");
        }
    }

    #[test]
    fn lanes_meet_where_their_members_go() {
        let lanes = |split: &str| {
            PART.replace("mark meet.part()", &format!("mark meet.lanes(i32 {split})"))
                .replace("mark begin.part(i32 %s)\n", "")
                .replace("mark end(i32 %s)\n", "")
        };
        assert_eq!(judge(&lanes("%s")), None);
        assert!(judge(&lanes("0")).is_some());
        assert!(judge(&lanes("%t")).is_some());
        let divided = |of: &str| lanes("%o").replace("%m =", &format!("%o = mark split(i32 {of})\n%m ="));
        assert_eq!(judge(&divided("%s")), None);
        assert!(judge(&divided("0")).is_some());
    }

    #[test]
    fn all_lanes_hold_the_same_lanes() {
        let two = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 64\n%n = load i1, ptr %p\n\
                   %s = mark split(i32 0)\n%o = mark split(i32 0)\n";
        for (lanes, is_proven) in [
            ("%l = select i1 %d, i32 %s, i32 %o", false),
            ("%l = select i1 %n, i32 %s, i32 %o", true),
            ("%l = mark split(i32 %s)", true),
            ("%a = alloca i32\nstore i32 %s, ptr %a\n%l = load i32, ptr %a", false),
        ] {
            let message = judge(&format!("{two}{lanes}\nmark meet.lanes(i32 %l)\nret void\n"));
            assert_eq!(message.is_none(), is_proven, "{lanes}\n{message:?}");
            assert!(message.is_none_or(|message| message.contains("the lanes may differ")), "{lanes}");
        }
        // Some threads leave the loop with the lanes of an earlier round.
        let rounds = "br label %loop\nloop:\n%s = mark split(i32 0)\n%x = mark uniform.warp(i32 %t)\n%c = icmp eq i32 CONDITION, 0\n\
                      br i1 %c, label %loop, label %out\nout:\nmark meet.lanes(i32 %s)\nret void\n";
        let tid = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        assert_eq!(judge(&format!("{tid}{}", rounds.replace("CONDITION", "%x"))), None);
        assert!(judge(&format!("{tid}{}", rounds.replace("CONDITION", "%t"))).is_some());
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (body, said) in [
            ("call void @helper()\nret void\n", "`helper`"),
            ("%f = load ptr, ptr %p\ncall void %f()\nret void\n", "through a pointer"),
            ("br label %\"a:b\"\n\"a:b\":\nret void\n", "control flow of `br`"),
            ("indirectbr ptr %p, [label %a]\na:\nret void\n", "`indirectbr`"),
            // A cycle of two blocks, each of which is entered from outside.
            (
                "%n = load i1, ptr %p\nbr i1 %n, label %a, label %b\na:\nbr i1 %n, label %b, label %end\nb:\nbr label %a\nend:\nret void\n",
                "several entries",
            ),
        ] {
            let message = judge(body).unwrap_or_else(|| panic!("{body}"));
            assert!(message.contains(said), "{message}");
        }
        assert_eq!(judge("%1 = call i32 @vprintf(ptr %p, ptr null)\nret void\n"), None);
        let own = "define ptx_kernel void @k(ptr %p) {\n  call i32 @vprintf(ptr %p, ptr null)\n  ret void\n}\n\
                   define internal i32 @vprintf(ptr %p, ptr %q) {\n  ret i32 0\n}\n";
        assert!(unproven(own, &["k"])[0].contains("`vprintf`"));
        assert!(unproven("", &["k"])[0].contains("not in the module"));
    }

    #[test]
    fn a_message_names_what_makes_a_value_different() {
        // The paths join on a condition that is equal in the cluster, so the operand is the source.
        let message = judge(
            "%n = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.x()\n%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
             %c = icmp eq i32 %n, 2\nbr i1 %c, label %one, label %both\none:\nbr label %both\nboth:\n\
             %v = phi i32 [ %t, %one ], [ 1, %entry ]\nmark hold.3(i32 %v)\nret void\n",
        )
        .expect("a gap");
        assert!(message.ends_with("from `%tid.x`") && !message.contains("nctaid"), "{message}");
    }

    #[test]
    fn a_message_names_the_call_the_condition_and_the_source() {
        let message = judge(
            "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%d = icmp ult i32 %t, 5\nbr i1 %d, label %one, label %both\n\
             one:\nmark meet.cta()\nbr label %both\nboth:\nret void\n",
        );
        assert_eq!(
            message.expect("a gap"),
            "`k`: not proven that control flow is uniform\n  a call that is collective in the CTA: it depends on the condition, \
             which may differ between the threads of the CTA\n    from `%tid.x`"
        );
    }
}
