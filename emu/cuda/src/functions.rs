//! The exported functions, by subject.

mod context;
mod event;
mod graph;
mod launch;
mod memory;
mod module;
mod stream;
mod system;
mod unsupported;

/// Returns the address of an exported function, for a name without `_v2` and the like that of the newest version. The variants
/// for a default stream per thread are the functions themselves, since every call does its work at once.
pub fn find(name: &str) -> Option<usize> {
    const TABLES: [fn(&str) -> Option<usize>; 9] = [
        system::find,
        context::find,
        module::find,
        launch::find,
        memory::find,
        stream::find,
        event::find,
        graph::find,
        unsupported::find,
    ];
    let name = name.strip_suffix("_ptsz").or(name.strip_suffix("_ptds")).unwrap_or(name);
    let find = |name: &str| TABLES.iter().find_map(|table| table(name));
    (2..=4).rev().find_map(|version| find(&format!("{name}_v{version}"))).or_else(|| find(name))
}
