//! Gives advice on rustc's errors in a kernel: what to write instead of a name of `std`, and which call of a handle is left out.

/// The names of `std` in rustc's message, and what to write instead.
const INSTEAD: [(&[&str], &str); 4] = [
    (
        &[
            "Vec", "VecDeque", "Box", "Rc", "Arc", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "vec",
            "alloc",
        ],
        "`ptx` gives a kernel no heap. Write an array `[T; N]` for the values of a thread, `ptx::shared::SharedArray` for those of a block, \
         and a parameter such as `ptx::global::GlobalElementsMut` for memory that the host allocates",
    ),
    (
        &["String", "ToString", "format"],
        "`ptx` gives a kernel no heap, and so no `String`. Write `ptx::println!(\"{x}\")`, which formats without memory",
    ),
    (
        &["println", "print", "eprintln", "eprint", "dbg"],
        "a kernel has no standard output of its own. Write `ptx::println!(…)` or `ptx::print!(…)`, which print by the driver",
    ),
    (
        &["std"],
        "a kernel has no `std`: the crate begins with `#![cfg_attr(target_arch = \"nvptx64\", no_std)]`. Write `core::…` for what \
         `core` has, and `ptx::…` for threads, memory, printing and math",
    ),
];

const FLOAT: &str = "`core` has no such method. Write `use ptx::math::Float;`, a trait with `exp`, `ln`, `sqrt`, `sin`, `mul_add`, `floor` and the \
     like for kernels; its documentation says how to compute the rest, such as `powf`";

const NO_PANIC_HANDLER: &str = "write `ptx::panic_handler!();` once, at the top level of the kernels' crate";

/// The calls that are left out, by the expected type, the found type, and the state that only the found type has. An empty string
/// fits anything.
const LEFT_OUT: [(&str, &str, &str, &str); 12] = [
    (
        "Ended",
        "Pipeline",
        "",
        "the last scope of a kernel does not give its memory back: end the run by `.end()` in place of `.join(cta)`",
    ),
    (
        "Ended",
        "IdleRing",
        "",
        "the last scope of a kernel does not give its memory back: end the finished ring by `.end()` in place of `.join(cta)`",
    ),
    (
        "Ended",
        "BulkGroup",
        "",
        "a copy of the last scope is in flight: `.commit(cta)`, then end the group by `.wait_read(cta).end()`",
    ),
    (
        "Ended",
        "",
        "",
        "the last scope of a kernel does not give its memory back: end the handle, or what the last call on it returned, by `.end()`",
    ),
    ("Pipeline", "FinishedRun", "", "the run has ended, and its threads have not met: call `.join(cta)`"),
    ("IdleRing", "FinishedRing", "", "the loop has ended, and its threads have not met: call `.join(cta)`"),
    (
        "",
        "Ended",
        "",
        "a scope that is not the last gives its memory back: return the handle without `.end()`, or end the kernel by `cta.finish(…)`",
    ),
    ("Shared", "AfterSync", "", "the handle is there after a barrier: call `.sync(cta)`"),
    ("Shared", "Shared", "Loaded", "the threads may still read the tile: call `.release().sync(cta)`"),
    ("Shared", "Shared", "Published", "the threads may still read the tile: call `.release().sync(cta)`"),
    ("Shared", "Shared", "Fenced", "call `.into_free()`"),
    (
        "Shared",
        "Shared",
        "Written",
        "call `.to_async().sync(cta)` before a store, `.publish().sync(cta)` before a read",
    ),
];

/// The calls that are left out, by the type that lacks a method.
const NOT_YET: [(&str, &str); 8] = [
    ("AfterSync", "the handle is there after a barrier: call `.sync(cta)`"),
    ("Load", "the copy is in flight: call `.wait(cta)` first"),
    ("Loading", "the copy is in flight: call `.wait(cta)` first"),
    (
        "BulkGroup",
        "the group owns its tiles: `.commit(cta)`, then `.wait_read(cta).sync(cta)` or `.wait(cta).sync(cta)` gives them back",
    ),
    ("CpAsyncGroup", "the group owns its tiles: `.commit(cta)`, then `.wait().sync(cta)` gives them back"),
    ("Consumer", "a consumer reads a full stage: call `.wait(warps)` first"),
    ("UpdatedRing", "call `.store(cta)`, then `.refill(cta)`"),
    ("StoringRing", "call `.refill(cta)`"),
];

/// Returns what to write, for the message and the whole text of an error of rustc.
pub fn advice(message: &str, text: &str) -> Option<&'static str> {
    if message == "mismatched types" {
        return left_out(text);
    }
    if message.starts_with("`#[panic_handler]` function required") {
        return Some(NO_PANIC_HANDLER);
    }
    if let Some((_, of)) = message.split_once(" found for struct `") {
        return NOT_YET.iter().find(|(ty, _)| name_of(of) == *ty).map(|(_, call)| *call);
    }
    of_std(message)
}

/// Returns the name of a type, without its path and its parameters.
fn name_of(ty: &str) -> &str {
    let name = ty.split(['<', '`']).next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default()
}

/// Returns the call that is left out, for an error about the type of a handle.
fn left_out(text: &str) -> Option<&'static str> {
    let (_, from) = text.split_once("expected `")?;
    let (expected, from) = from.split_once("`, found `")?;
    let (found, _) = from.split_once('`')?;
    let is = |ty: &str, name: &str| name.is_empty() || name_of(ty) == name;
    let of_ptx = |ty: &str| ty.contains('<');
    let call = LEFT_OUT.iter().find(|(wanted, has, state, _)| {
        is(expected, wanted)
            && is(found, has)
            && (state.is_empty()
                || found.contains(&format!("{state}>")) && !expected.contains(&format!("{state}>")))
            && of_ptx(expected)
            && of_ptx(found)
    });
    call.map(|(.., call)| *call)
}

/// Returns what to write instead, for a message about a name that `std` has and a kernel lacks.
fn of_std(message: &str) -> Option<&'static str> {
    let name = |start: &str| message.strip_prefix(start)?.split('`').next();
    let unknown = [
        "cannot find type `",
        "cannot find macro `",
        "cannot find trait `",
        "cannot find module or crate `",
        "cannot find crate for `",
        "can't find crate for `",
        "failed to resolve: use of undeclared type `",
        "failed to resolve: use of unresolved module or unlinked crate `",
        "unresolved import `",
    ];
    if let Some(name) = unknown.iter().find_map(|start| name(start)) {
        let first = name.split("::").next()?;
        return INSTEAD.iter().find(|(names, _)| names.contains(&first)).map(|(_, instead)| *instead);
    }
    let of_float = message.starts_with("no method named `")
        && [" for type `f32` in", " for type `f64` in"].iter().any(|ty| message.contains(ty));
    of_float.then_some(FLOAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_advises(message: &str, part: &str) {
        let advice = advice(message, "").unwrap_or_else(|| panic!("no advice for {message}"));
        assert!(advice.contains(part), "{advice}");
    }

    #[test]
    fn the_call_that_is_left_out_is_named() {
        let memory = "Ended<'_, SharedArray<f32, 64>>";
        for (expected, found, call) in [
            (memory, "BulkGroup<(_, _), _>", Some("`.wait_read(cta).end()`")),
            (memory, "Shared<'_, f32, 64, Free>", Some("`.end()`")),
            (
                "Ended<'_, PipelineMemory<[f32; 64], 4>>",
                "Pipeline<'_, [f32; 64], 4>",
                Some("`.end()` in place of `.join(cta)`"),
            ),
            (
                "Ended<'_, RingMemory<[f32; 64], 3>>",
                "IdleRing<'_, [f32; 64], 3>",
                Some("`.end()` in place of `.join(cta)`"),
            ),
            (
                "Pipeline<'_, [f32; 64], 4>",
                "Ended<'_, PipelineMemory<[f32; 64], 4>>",
                Some("without `.end()`"),
            ),
            ("Shared<'_, _, _, Free>", "Shared<'_, f32, 64, Loaded>", Some("`.release().sync(cta)`")),
            ("Shared<'_, _, _, Free>", "AfterSync<Shared<'_, f32, 64, Free>>", Some("`.sync(cta)`")),
            ("Pipeline<'_, [f32; 64], 4>", "FinishedRun<'_, [f32; 64], 4>", Some("`.join(cta)`")),
            ("IdleRing<'_, [f32; 64], 3>", "FinishedRing<'_, [f32; 64], 3>", Some("`.join(cta)`")),
            (
                "ptx::shared::Shared<'_, _, _, Free>",
                "ptx::shared::Shared<'_, f32, 64, Fenced>",
                Some("`.into_free()`"),
            ),
            ("Shared<'_, u32, 64, Loaded>", "Shared<'_, f32, 64, Loaded>", None),
            ("u32", "Shared<'_, f32, 64, Loaded>", None),
            ("Vec<u32>", "Option<u32>", None),
        ] {
            let text =
                format!("error[E0308]: mismatched types\n   | expected `{expected}`, found `{found}`\n");
            let advice = advice("mismatched types", &text);
            assert_eq!(advice.is_some(), call.is_some(), "{expected}, {found}: {advice:?}");
            assert!(
                advice.unwrap_or_default().contains(call.unwrap_or_default()),
                "{expected}, {found}: {advice:?}"
            );
        }
        assert_advises(
            "no method named `get` found for struct `Load<Shared<'_, f32, 64>>` in the current scope",
            "`.wait(cta)`",
        );
        assert_advises(
            "no method named `into_free` found for struct `BulkGroup<(_, _), _>` in the current scope",
            "`.wait_read(cta).sync(cta)`",
        );
        assert_advises(
            "no method named `get` found for struct `ptx::group::AfterSync<Shared<'_, f32, 64>>` in the current scope",
            "`.sync(cta)`",
        );
        assert_advises("`#[panic_handler]` function required, but not found", "ptx::panic_handler!();");
    }

    #[test]
    fn names_of_std_have_their_advice() {
        for message in [
            "cannot find type `Vec` in this scope",
            "cannot find macro `vec` in this scope",
            "failed to resolve: use of undeclared type `Box`",
            "can't find crate for `alloc`",
            "cannot find module or crate `alloc` in this scope",
        ] {
            assert_advises(message, "SharedArray");
        }
        assert_advises("cannot find macro `format` in this scope", "ptx::println!");
        assert_advises("cannot find macro `eprintln` in this scope", "ptx::println!");
        assert_advises("cannot find module or crate `std` in this scope", "`core::…`");
        assert_advises("unresolved import `std::collections`", "`core::…`");
        assert_advises("no method named `exp` found for type `f32` in the current scope", "ptx::math::Float");
    }

    #[test]
    fn other_errors_have_none() {
        for message in [
            "cannot find type `Vector` in this scope",
            "cannot find value `b` in this scope",
            "no method named `exp` found for type `u32` in the current scope",
            "mismatched types",
        ] {
            assert_eq!(advice(message, ""), None, "{message}");
        }
    }
}
