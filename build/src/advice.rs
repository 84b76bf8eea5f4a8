//! What to write in a kernel instead of `std`: rustc says only that a name is unknown.

/// What a kernel author wrote, by the names in rustc's message, and what to write instead.
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

/// Returns what to write instead, for a message about a name that `std` has and a kernel lacks.
pub fn advice(message: &str) -> Option<&'static str> {
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
        let advice = advice(message).unwrap_or_else(|| panic!("no advice for {message}"));
        assert!(advice.contains(part), "{advice}");
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
            assert_eq!(advice(message), None, "{message}");
        }
    }
}
