//! Tests of this test: every rule passes what is right and fails what is wrong.

use crate::divergence::Divergence;
use crate::ptx::Kernel;
use crate::rules::{Place, Site};

/// Parses a kernel from a body whose mark is `site:s`.
fn kernel(body: &str) -> Kernel {
    let module = format!(".version 8.0\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n{body}\n}}\n");
    let mut kernels = Kernel::read_all(&module).unwrap();
    assert_eq!(kernels.len(), 1);
    kernels.remove(0)
}

/// Returns the violations of a body, each with the lines that it names, as in the body.
fn check(place: Place, body: &str) -> Vec<(&'static str, Vec<String>)> {
    let site = Site { kernel: "k", mark: "site:s", place };
    let violations = site.check(&kernel(body));
    violations
        .into_iter()
        .map(|found| (found.what, found.lines.into_iter().map(|(_, text)| text).collect()))
        .collect()
}

fn faults(place: Place, body: &str) -> Vec<&'static str> {
    check(place, body).into_iter().map(|(what, _)| what).collect()
}

/// Returns the lines of the thread-dependent branches.
fn divergent(body: &str) -> Vec<String> {
    let kernel = kernel(body);
    let branches = Divergence::of(&kernel).branches;
    branches.iter().map(|branch| kernel.blocks[branch.block].branch().unwrap().text.clone()).collect()
}

const IN_AN_ARM: &str = "a copy lies on one way of a thread-dependent branch";
const ABOVE: &str = "a copy lies above the thread-dependent branch that the source has before it";
const PARTED: &str = "threads that part at a branch come to different copies";
const GONE: &str = "the instruction is gone";
const NOT_IN_BOTH: &str = "no thread-dependent branch has a copy of its own in each arm";

const EVEN: &str = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nsetp.eq.b32 %p1, %r2, 0;";

#[test]
fn a_barrier_where_ways_meet_is_uniform() {
    let body = format!(
        "{EVEN}
        @!%p1 bra $L1;
        st.global.b32 [%rd1], %r1;
        $L1:
        barrier.cta.sync 0; // site:s
        @!%p1 bra $L2;
        st.global.b32 [%rd1], %r1;
        $L2:
        ret;"
    );
    assert_eq!(faults(Place::Uniform, &body), [""; 0]);
    assert_eq!(faults(Place::InDivergentLoop, &body), [ABOVE]);
    assert_eq!(faults(Place::InBothArms, &body), [NOT_IN_BOTH]);
}

#[test]
fn a_barrier_copied_into_both_arms_is_not() {
    let body = format!(
        "{EVEN}
        @%p1 bra $L1;
        barrier.cta.sync 0; // site:s
        bra.uni $L2;
        $L1:
        st.global.b32 [%rd1], %r1;
        barrier.cta.sync 0; // site:s
        $L2:
        ret;"
    );
    let copy = "barrier.cta.sync 0; // site:s".to_owned();
    let expected = (IN_AN_ARM, vec!["@%p1 bra $L1;".to_owned(), copy]);
    assert_eq!(check(Place::Uniform, &body), [expected.clone(), expected]);
    assert_eq!(faults(Place::InBothArms, &body), [""; 0]);
    assert_eq!(faults(Place::InDivergentLoop, &body), [PARTED]);
}

#[test]
fn a_barrier_sunk_into_one_arm_is_not() {
    let body = format!("{EVEN}\n@%p1 bra $L1;\nbarrier.cta.sync 0; // site:s\n$L1:\nret;");
    assert_eq!(faults(Place::Uniform, &body), [IN_AN_ARM]);
    assert_eq!(faults(Place::InBothArms, &body), [NOT_IN_BOTH]);
}

#[test]
fn a_guarded_barrier_is_not() {
    let body = format!("{EVEN}\n@%p1 barrier.cta.sync 0; // site:s\nret;");
    assert_eq!(faults(Place::Uniform, &body), ["a copy has a thread-dependent guard"]);
    let uniform =
        "ld.param.b32 %r1, [k_param_0];\nsetp.eq.b32 %p1, %r1, 0;\n@%p1 barrier.cta.sync 0; // site:s\nret;";
    assert_eq!(faults(Place::Uniform, uniform), [""; 0]);
}

#[test]
fn a_site_that_is_gone_is_missed() {
    for place in [Place::Uniform, Place::AfterExit, Place::InDivergentLoop, Place::InBothArms] {
        assert_eq!(faults(place, "barrier.cta.sync 0; // site:sink\nret;"), [GONE]);
    }
}

#[test]
fn copies_in_arms_of_a_uniform_branch_are_right() {
    for seed in ["ld.param.b32 %r1, [k_param_0];", "mov.u32 %r1, %ctaid.x;", "mov.b32 %r1, 7;"] {
        let body = format!(
            "{seed}
            setp.eq.b32 %p1, %r1, 0;
            @%p1 bra $L1;
            barrier.cta.sync 0; // site:s
            ret;
            $L1:
            barrier.cta.sync 0; // site:s
            ret;"
        );
        assert_eq!(faults(Place::Uniform, &body), [""; 0], "{seed}");
        assert_eq!(faults(Place::InBothArms, &body), [NOT_IN_BOTH], "{seed}");
    }
}

#[test]
fn unrolled_copies_are_right_and_those_of_an_unswitched_loop_wrong() {
    let barrier = "barrier.cta.sync 0; // site:s";
    assert_eq!(faults(Place::Uniform, &format!("{EVEN}\n{barrier}\n{barrier}\nret;")), [""; 0]);
    let round = |label: &str| {
        format!(
            "mov.b32 %r3, 0;\n{label}:\n{barrier}\nadd.s32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 8;\n@%p2 bra {label};"
        )
    };
    let unswitched = format!("{EVEN}\n@%p1 bra $L1;\n{}\nret;\n$L1:\n{}\nret;", round("$L2"), round("$L3"));
    assert_eq!(faults(Place::Uniform, &unswitched), [IN_AN_ARM; 2]);
    assert_eq!(faults(Place::Uniform, &format!("{EVEN}\n{}\nret;", round("$L1"))), [""; 0]);
}

#[test]
fn an_early_exit_is_looked_through() {
    let rest = |between: &str| {
        format!(
            "mov.u32 %r1, %laneid;
            setp.gt.u32 %p1, %r1, 23;
            @!%p1 bra $L1;
            // leave
            bra.uni $L3;
            $L1:
            and.b32 %r2, %r1, 1;
            setp.eq.b32 %p2, %r2, 0;
            {between}
            $L3:
            ret;"
        )
    };
    let barrier = "barrier.cta.sync 0; // site:s";
    let good = rest(&format!("@%p2 bra $L2;\nst.global.b32 [%rd1], %r1;\n$L2:\n{barrier}"));
    assert_eq!(faults(Place::AfterExit, &good), [""; 0]);
    assert_eq!(faults(Place::Uniform, &good), [IN_AN_ARM]);
    let copied = rest(&format!("@%p2 bra $L2;\n{barrier}\nbra.uni $L3;\n$L2:\n{barrier}"));
    assert_eq!(faults(Place::AfterExit, &copied), [IN_AN_ARM; 2]);
    let above = format!("{barrier}\n{}", rest(""));
    assert_eq!(faults(Place::AfterExit, &above), [ABOVE]);
    assert_eq!(
        faults(Place::AfterExit, &good.replace("// leave", "")),
        ["the mark of the early exit is gone"]
    );
}

const VOTE: &str = "vote.sync.ballot.b32 %r9, %p9, %r8; // site:s";

#[test]
fn a_vote_in_a_divergent_loop_may_be_unrolled_with_its_exits() {
    let good = format!(
        "{EVEN}
        mov.b32 %r3, 0;
        $L1:
        {VOTE}
        add.s32 %r3, %r3, 1;
        setp.gt.u32 %p2, %r3, %r1;
        @%p2 bra $L2;
        {VOTE}
        add.s32 %r3, %r3, 1;
        setp.le.u32 %p3, %r3, %r1;
        @%p3 bra $L1;
        $L2:
        ret;"
    );
    assert_eq!(faults(Place::InDivergentLoop, &good), [""; 0]);
}

#[test]
fn a_vote_in_a_divergent_loop_has_no_copy_for_remaining_rounds() {
    let body = format!(
        "{EVEN}
        @%p1 bra $L1;
        {VOTE}
        $L1:
        {VOTE}
        add.s32 %r3, %r1, 1;
        setp.le.u32 %p3, %r3, %r1;
        @%p3 bra $L1;
        ret;"
    );
    let [(what, lines)] = &check(Place::InDivergentLoop, &body)[..] else { panic!() };
    assert_eq!(*what, PARTED);
    assert_eq!(lines[..], ["@%p1 bra $L1;", VOTE, VOTE]);
}

#[test]
fn one_activemask_above_both_arms_or_below_is_merged() {
    let mask = "activemask.b32 %r3; // site:s";
    let arms = |above: &str, one: &str, other: &str, below: &str| {
        format!(
            "{EVEN}\n{above}\n@%p1 bra $L1;\n{one}\nst.global.b32 [%rd1], 1;\nbra.uni $L2;
            $L1:\n{other}\nst.global.b32 [%rd1], 2;\n$L2:\n{below}\nret;"
        )
    };
    assert_eq!(faults(Place::InBothArms, &arms("", mask, mask, "")), [""; 0]);
    for [above, one, other, below] in [
        [mask, "", "", ""],
        ["", "", "", mask],
        ["", mask, "", ""],
        [mask, mask, mask, ""],
        ["", mask, mask, mask],
    ] {
        assert_eq!(faults(Place::InBothArms, &arms(above, one, other, below)), [NOT_IN_BOTH]);
    }
}

#[test]
fn a_branch_on_a_value_of_the_thread_is_divergent() {
    for value in [
        "mov.u32 %r1, %tid.y;",
        "mov.u32 %r1, %laneid;",
        "mov.u32 %r1, %some_new_register;",
        "activemask.b32 %r1;",
        "ld.global.b32 %r1, [%rd1];",
        "ld.param.b32 %r1, [retval0];",
        "atom.global.add.u32 %r1, [%rd1], 1;",
        "{ .reg .pred p;\nmbarrier.try_wait.shared::cta.b64 p, [%r3], %rd2; selp.b32 %r1, 1, 0, p; }",
        "mov.u32 %r3, %tid.x;\nshl.b32 %r4, %r3, 2;\nmov.b64 {%r1, %r2}, %rd4;\nadd.s32 %r1, %r1, %r4;",
        "mov.u32 %r3, %tid.x;\nsetp.gt.u32 %p3, %r3, 4;\nselp.b32 %r1, 1, 2, %p3;",
        "mov.u32 %r3, %tid.x;\nsetp.gt.u32 %p3, %r3, 4;\nmov.b32 %r1, 0;\n@%p3 mov.b32 %r1, 1;",
    ] {
        let body = format!(
            "{value}\nsetp.eq.b32 %p1, %r1, 0;\n@!%p1 bra $L1;\nst.global.b32 [%rd1], 1;\n$L1:\nret;"
        );
        assert_eq!(divergent(&body), ["@!%p1 bra $L1;"], "{value}");
    }
}

#[test]
fn a_branch_on_a_value_that_was_set_in_an_arm_is_divergent() {
    let body = format!(
        "{EVEN}
        mov.b32 %r3, 0;
        @!%p1 bra $L1;
        mov.b32 %r3, 1;
        $L1:
        setp.eq.b32 %p2, %r3, 0;
        @%p2 bra $L2;
        st.global.b32 [0], 1;
        $L2:
        ret;"
    );
    assert_eq!(divergent(&body), ["@!%p1 bra $L1;", "@%p2 bra $L2;"]);
    let uniform = body.replace("%tid.x", "%ctaid.x");
    assert_eq!(divergent(&uniform), [""; 0]);
}

#[test]
fn a_branch_on_the_round_in_which_each_thread_left_is_divergent() {
    let body = "
        mov.u32 %r1, %tid.x;
        mov.b32 %r3, 0;
        $L1:
        add.s32 %r4, %r3, 1;
        mov.b32 %r3, %r4;
        setp.lt.u32 %p1, %r3, %r1;
        @%p1 bra $L1;
        setp.eq.b32 %p2, %r4, 3;
        @%p2 bra $L2;
        st.global.b32 [0], 1;
        $L2:
        ret;";
    assert_eq!(divergent(body), ["@%p1 bra $L1;", "@%p2 bra $L2;"]);
}

#[test]
fn a_jump_table_indexed_by_the_thread_is_divergent() {
    let body = |register: &str| {
        format!(
            "mov.u32 %r1, {register};
            $L_brx_0: .branchtargets
                $L1,
                $L2;
            brx.idx %r1, $L_brx_0;
            $L1:
            barrier.cta.sync 0; // site:s
            bra.uni $L3;
            $L2:
            barrier.cta.sync 0; // site:s
            $L3:
            ret;"
        )
    };
    assert_eq!(faults(Place::Uniform, &body("%tid.x")), [IN_AN_ARM; 2]);
    assert_eq!(faults(Place::InBothArms, &body("%tid.x")), [""; 0]);
    assert_eq!(faults(Place::Uniform, &body("%nctaid.x")), [""; 0]);
}

#[test]
fn values_are_followed_through_the_stack() {
    let body = |value: &str, load: &str| {
        format!(
            "mov.b64 %SPL, __local_depot0;
            cvta.local.u64 %SP, %SPL;
            mov.u32 %r1, {value};
            st.b32 [%SP+4], 0;
            st.b32 [%SP+8], %r1;
            {load}
            setp.eq.b32 %p1, %r2, 0;
            @%p1 bra $L1;
            st.global.b32 [0], 1;
            $L1:
            ret;"
        )
    };
    let branch = ["@%p1 bra $L1;"];
    assert_eq!(divergent(&body("%tid.x", "ld.b32 %r2, [%SP+8];")), branch);
    assert_eq!(divergent(&body("%tid.x", "ld.local.b32 %r2, [%SPL+8];")), branch);
    assert_eq!(divergent(&body("%tid.x", "ld.v2.b32 {%r2, %r3}, [%SP+4];")), branch);
    assert_eq!(divergent(&body("%tid.x", "ld.b32 %r2, [%SP+4];")), [""; 0]);
    assert_eq!(divergent(&body("%ctaid.x", "ld.b32 %r2, [%SP+8];")), [""; 0]);
    // Other code has the address: anything may be stored there.
    assert_eq!(divergent(&body("%ctaid.x", "add.s64 %rd1, %SP, 4;\nld.b32 %r2, [%SP+4];")), branch);
    assert_eq!(divergent(&body("%ctaid.x", "st.b64 [%SP+16], %SP;\nld.b32 %r2, [%SP+4];")), branch);
}

#[test]
fn a_return_in_an_arm_keeps_the_ways_apart() {
    for end in ["ret;", "exit;", "trap;"] {
        let body = format!("{EVEN}\n@%p1 {end}\nbarrier.cta.sync 0; // site:s\nret;");
        assert_eq!(faults(Place::Uniform, &body), [IN_AN_ARM], "{end}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let read = |body: &str| Kernel::read_all(&format!(".entry k()\n{{\n{body}\n}}\n")).map(|_| ());
    for (body, message) in [
        ("bra.uni $L1;", "no label `$L1`"),
        ("brx.idx %r1, $table;", "no table `$table`"),
        ("mov.b32 %r1", "`mov.b32 %r1` has no end"),
    ] {
        let error = format!("{:#}", read(body).unwrap_err());
        assert_eq!(error, format!("cannot read the kernel k: {message}"));
    }
    read("{ // callseq 0, 0\n.param .b64 param0;\nprototype_0 : .callprototype _ (.param .b64 _);\n} // callseq\nret;").unwrap();
}

#[test]
fn every_instruction_has_its_line() {
    let body = "{ .reg .pred p; setp.eq.u32 p, %r1, 2;\nselp.b32 %r2, 1, 0, p; } // site:s\n$L1: { // scope\nret;\n}";
    let read = kernel(body);
    let lines: Vec<_> =
        read.instructions().map(|(_, found)| (found.line, &*found.opcode, &*found.text)).collect();
    assert_eq!(
        lines,
        [
            (6, "setp.eq.u32", "{ .reg .pred p; setp.eq.u32 p, %r1, 2;"),
            (7, "selp.b32", "selp.b32 %r2, 1, 0, p; } // site:s"),
            (9, "ret", "ret;"),
        ]
    );
}
