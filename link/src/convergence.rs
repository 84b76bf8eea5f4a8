//! Convergent PTX instructions: threads execute them together, so the compiler must not move them into, out of or between
//! branches that those threads take differently.

use std::collections::HashSet;
use std::sync::LazyLock;

static TABLE: LazyLock<HashSet<&str>> = LazyLock::new(|| nonconvergent().collect());

/// Returns the entries of the table of non-convergent instructions. An entry is the first components of a mnemonic.
pub fn nonconvergent() -> impl Iterator<Item = &'static str> {
    include_str!("nonconvergent.txt").lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

/// Returns true if a block of PTX contains an instruction that is or may be convergent.
///
/// `text` is PTX as ptxas reads it; operands may be spelled in any way. Unreadable text, labels and unknown instructions count as
/// convergent, so `false` is reliable.
///
/// ```
/// use ptx_link::convergence::is_convergent;
/// assert!(is_convergent("barrier.cta.sync.aligned 0;"));
/// assert!(!is_convergent("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [a], s; selp.u32 r, 1, 0, p; }"));
/// ```
pub fn is_convergent(text: &str) -> bool {
    match without_comments(text) {
        Some(code) => code.split(';').any(statement_is_convergent),
        None => true,
    }
}

/// Returns true if a mnemonic, such as `cp.async.bulk.commit_group`, is or may be convergent.
pub fn is_convergent_instruction(mnemonic: &str) -> bool {
    if mnemonic.split('.').any(|component| matches!(component, "sync" | "aligned")) {
        return true;
    }
    let ends = mnemonic.match_indices('.').map(|(dot, _)| dot).chain([mnemonic.len()]);
    !ends.into_iter().any(|end| TABLE.contains(&mnemonic[..end]))
}

/// Returns true if a statement of asm, with its guard, is or may be convergent.
pub fn statement_is_convergent(statement: &str) -> bool {
    // A brace at the start of a statement opens or closes a scope; elsewhere it groups operands.
    let code = statement.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '}');
    if code.is_empty() {
        return false;
    }
    match without_guard(code).and_then(|code| code.split_whitespace().next()) {
        Some(mnemonic) => is_convergent_instruction(mnemonic),
        None => true,
    }
}

/// Removes a guard `@p` or `@!p`. Returns `None` if nothing follows the guard.
fn without_guard(code: &str) -> Option<&str> {
    let Some(guarded) = code.strip_prefix('@') else { return Some(code) };
    let predicate = guarded.trim_start();
    let predicate = predicate.strip_prefix('!').unwrap_or(predicate).trim_start();
    predicate.split_once(char::is_whitespace).map(|(_, instruction)| instruction)
}

/// Removes the comments of PTX. Returns `None` if a comment does not end.
pub(crate) fn without_comments(text: &str) -> Option<String> {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        code.push_str(&rest[..at]);
        code.push(' ');
        let comment = &rest[at + 2..];
        rest = if rest[at..].starts_with("//") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else {
            &comment[comment.find("*/")? + 2..]
        };
    }
    code.push_str(rest);
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_not_convergent() {
        assert!(nonconvergent().count() > 50);
        for entry in nonconvergent() {
            for text in [
                format!("{entry};"),
                format!("{entry}.u32 $0, $1;"),
                format!("@p {entry} a, b;"),
                format!("{{ .reg .pred p; {entry} {{%r1, %r2}}, [a]; }}"),
            ] {
                assert!(!is_convergent(&text), "`{text}` is marked convergent");
            }
            for text in
                [format!("{entry}x a, b;"), format!("{entry}.sync a;"), format!("{entry}.u32.aligned a;")]
            {
                assert!(is_convergent(&text), "`{text}` is not marked convergent");
            }
        }
    }

    #[test]
    fn entries_are_unique_and_plain() {
        let unique: HashSet<_> = nonconvergent().collect();
        assert_eq!(unique.len(), nonconvergent().count());
        assert!(unique.iter().all(|e| e.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:".contains(&b))));
    }

    #[test]
    fn what_threads_do_together_is_convergent() {
        for instruction in [
            "barrier.cta.sync 0",
            "barrier.cta.sync.aligned 0",
            "barrier.cta.arrive 1, 64",
            "barrier.cta.red.popc.aligned.u32 r, 0, p",
            "barrier.sync.aligned 0",
            "barrier.cluster.arrive.release",
            "barrier.cluster.wait.acquire.aligned",
            "bar.sync 0",
            "bar.warp.sync 0xffffffff",
            "vote.sync.ballot.b32 r, p, m",
            "vote.ballot.b32 r, p",
            "match.any.sync.b32 r, a, m",
            "activemask.b32 r",
            "shfl.sync.idx.b32 r|p, a, b, c, m",
            "shfl.idx.b32 r, a, b, c",
            "redux.sync.add.s32 r, a, m",
            "elect.sync r|p, m",
            "wgmma.fence.sync.aligned",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {a}, b, c, 1, 1, 1, 0, 0",
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 32",
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r}, [t]",
            "tcgen05.wait::ld.sync.aligned",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a}, {b}, {c}, {d}",
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r}, [a]",
            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {r}",
            "movmatrix.sync.aligned.m8n8.trans.b16 d, a",
            "setmaxnreg.inc.sync.aligned.u32 240",
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [a], [b], 128",
            "griddepcontrol.wait",
            "griddepcontrol.launch_dependents",
            "bra done",
            "call foo, ()",
            "ret",
            "exit",
            "trap",
            "some.future.instruction r",
        ] {
            for text in [
                format!("{instruction};"),
                instruction.to_owned(),
                format!("@p {instruction};"),
                format!("@!%p1 {instruction};"),
                format!("mov.u32 a, b;\n\t{instruction}; mov.u32 b, a;"),
                format!("/* why */ {{ {instruction}; }}"),
                format!("// why\n{instruction}; // ptx:8.6"),
            ] {
                assert!(is_convergent(&text), "`{text}` is not marked convergent");
            }
        }
    }

    #[test]
    fn what_one_thread_does_is_not() {
        for text in [
            "",
            "  \n\t",
            "// barrier.cta.sync 0;",
            "/* bar.sync 0; */",
            "mov.u32 $0, %laneid; // ptx:7.8",
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3]; // ptx:8.6",
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [a], [b, {x, y}], [c];",
            "cp.async.bulk.commit_group;",
            "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard [d], a, b, i, p;",
            "tcgen05.mma.ws.sp.cta_group::1.kind::f16.collector::b0::discard [d], a, b, [m], i, p;",
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [m];",
            "tcgen05.fence::after_thread_sync;",
            "cp.async.bulk.wait_group.read 0;",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [a], [b], n;",
            "fence.proxy.async.shared::cta;",
            "fence.mbarrier_init.release.cluster;",
            "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;",
            "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2;\n\tselp.u32 $0, 1, 0, p;\n}",
            "{.reg .b128 q;mov.b128 q, {$0, $1};st.shared.b128 [$2], q;}",
            "{ { .reg .pred %p<3>; } }",
            "@!p mov.u32 a, b; @ p mov.u32 b, a; @$0 red.global.add.u32 [a], 1;",
            "multimem.red.relaxed.sys.global.add.f32 [a], b;",
        ] {
            assert!(!is_convergent(text), "`{text}` is marked convergent");
        }
    }

    #[test]
    fn what_is_not_understood_is_convergent() {
        for text in [
            "mov.u32 a, b; /* never ends",
            "@p",
            "@p ;",
            "L1: mov.u32 a, b;",
            "{ again: mov.u32 a, b; @p bra again; }",
            ".pragma \"nounroll\";",
            ".shared .b8 buffer[64];",
            "$0.b32 a, b;",
            "MOV.u32 a, b;",
            "mov.u32 a, b; // ok\nbarrier.cta.sync 0;",
            "/* a */ mov.u32 a, b; /* b */ vote.any.pred p, q; /* c */",
            "mov/**/x a, b;barrier.cta.sync 0;",
        ] {
            assert!(is_convergent(text), "`{text}` is not marked convergent");
        }
    }
}
