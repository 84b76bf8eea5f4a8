//! Every form of every row of `ptx::raw` decodes, and the interpreter ignores only the qualifiers listed here: two forms that
//! decode to one operation have one meaning.

use std::collections::BTreeMap;
use std::fs;

use ptx_emu::Device;
use regex_lite::Regex;

/// What may differ between forms of one operation: a pattern, its replacement, and the reason.
const SAME: &[(&str, &str, &str)] = &[
    (r"\.L2::cache_hint(.*), %rd;$", "$1;", "a hint (9.7.9.25.5.2), and its policy"),
    (r"\.L[12]::(evict_\w+|no_allocate|64B|128B|256B)", "", "a hint"),
    (r"^cp\.async\.c[ag]\.", "cp.async.", "the cache levels that keep the data (9.7.9.25.3.1)"),
    (r"^(mbarrier\.try_wait.*\], %rd?), %r;$", "$1;", "`suspendTimeHint` is a hint (9.7.13.15.16)"),
    (
        r"^((st|st\.async|multimem\.st\.async|ld)\..*)\.[bfsu](32|64)\b",
        "$1.b$3",
        "a type of the register's width: its bits are moved as they are",
    ),
    (
        r"^((st|st\.async|multimem\.st\.async)\..*)\.[su](8|16)\b",
        "$1.b$3",
        "likewise: a store takes the low bits",
    ),
    (r"^(ld\..*)\.u(8|16)\b", "$1.b$2", "both load zeros above the value (9.7.9.8)"),
    (r"^(ld|st)\.volatile", "$1.relaxed.sys", "`.volatile` is `.relaxed.sys` without more (8.4)"),
    (r"\.mmio", "", "the interpreter has no memory of devices"),
    (
        r"^(mma.*)\.kind::mxf4nvf4\.(block_scale\.scale_vec::2X.*\.ue8m0)",
        "$1.kind::mxf4.$2",
        "two factors of `.ue8m0` for `.e2m1` are those of `.kind::mxf4` (9.7.14.3)",
    ),
    (r"\.cta_group::1", "", "the default (9.7.9.25.5.2)"),
    (
        r"^(mbarrier\.(expect|complete)_tx\.relaxed)\.(cta|cluster)",
        "$1",
        "`.relaxed` orders nothing at any scope",
    ),
    (r"^createpolicy.*", "createpolicy", "a policy is opaque, and a hint"),
    (
        r"^applypriority\.async\.bulk\.tensor(\.\dd)(\.global)?\.bulk_group",
        "cp.async.bulk.prefetch.tensor$1.L2.global",
        "hints, whose group nothing waits for",
    ),
    (r"^applypriority\.async\.bulk\.global\.bulk_group", "cp.async.bulk.prefetch.L2.global", "likewise"),
    (
        r"^prefetch\.global\.L1::32B\.valid_addr (.*);$",
        "cp.async.bulk.prefetch.L2.global $1, %r;",
        "likewise, of one byte",
    ),
    (r"^fence\.proxy\.async\.shared::\w+", "fence.proxy.async.shared", "the interpreter orders both windows"),
    (r"\.collector::\w+::\w+", "", "what a buffer of the tensor cores holds changes no result (9.7.16.10)"),
    (r"(\.kind::mxf8f6f4\.block_scale)\.(scale_vec::1X|block32)", "$1", "one size of blocks (9.7.16.10.7.1)"),
    (r"(\.kind::mxf4\.block_scale)\.(scale_vec::2X|block32)", "$1", "likewise"),
    (r"(\.kind::mxf4nvf4\.block_scale)\.scale_vec::2X", "$1.block32", "likewise"),
    (r"(\.kind::mxf4nvf4\.block_scale)\.scale_vec::4X", "$1.block16", "likewise"),
    (r"\.sync_restrict::shared::(cta|cluster)", "", "the interpreter orders all memory"),
];

/// The forms that the interpreter refuses by name, and the reason. The README lists them.
const NOT_MODELLED: &[(&str, &str)] = &[
    (r"^fabric\.", "the memory of other GPUs"),
    (r"^(fence\.proxy|createpolicy\.range)\.\S*fabric", "likewise"),
    (r"\.mbarrier::report::validity::", "the PTX ISA says which bytes are sampled for half of the patterns"),
    (r"^fence\.alias\.sync_restrict::read\.", "no text of the PTX ISA"),
    (r"^tensormap\.query\.", "no text of the PTX ISA"),
    (r"^tcgen05\.shift", "the PTX ISA does not say whether a row goes to the next lane or comes from it"),
    (r"^tcgen05\.mma\S*\.ashift", "likewise"),
];

/// The classes of registers in the golden files, with their types.
const CLASSES: [(&str, &str); 6] =
    [("b", "b8"), ("rs", "b16"), ("r", "b32"), ("rd", "b64"), ("p", "pred"), ("rq", "b128")];

/// Returns the form with a register of its own for each operand.
fn numbered(form: &str) -> String {
    let mut parts = form.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (i, part) in parts.enumerate() {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        let (class, rest) = part.split_at(end);
        let is_class = CLASSES.iter().any(|(name, _)| *name == class);
        let number = if is_class { i.to_string() } else { String::new() };
        text += &format!("%{class}{number}{rest}");
    }
    text
}

/// Returns what a form decodes to, as text.
fn decoded(form: &str) -> Result<String, String> {
    let classes = CLASSES.iter().filter(|(class, _)| form.contains(class));
    // A register has a slot from its declaration on, so a slot stands for a class; one of `%r<160>` has it from its first use on.
    let names = |class: &str| (0..160).map(|i| format!("%{class}{i}")).collect::<Vec<_>>().join(", ");
    let registers: String = classes.map(|(class, ty)| format!(".reg .{ty} {}; ", names(class))).collect();
    let text = format!(
        ".version 9.5\n.target sm_107a\n.address_size 64\n.visible .entry k() {{ {registers}\n{}\nret; }}\n",
        numbered(form)
    );
    let module = Device::new().load(&text).map_err(|error| format!("{form}: {error}"))?;
    Ok(module.decoded("k").unwrap())
}

fn forms() -> Vec<String> {
    let mut forms = Vec::new();
    for family in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/raw")).unwrap() {
        for row in fs::read_dir(family.unwrap().path()).unwrap() {
            let text = fs::read_to_string(row.unwrap().path()).unwrap();
            let of_row = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
            forms.extend(of_row.filter(|form| !form.is_empty()).map(str::to_owned));
        }
    }
    assert!(forms.len() > 8000, "{} forms", forms.len());
    forms
}

#[test]
fn no_qualifier_is_lost() {
    let same: Vec<_> = SAME.iter().map(|(from, to, _)| (Regex::new(from).unwrap(), *to)).collect();
    let mut used = vec![false; same.len()];
    let not_modelled: Vec<_> = NOT_MODELLED.iter().map(|(form, _)| Regex::new(form).unwrap()).collect();
    let mut refuses = vec![false; NOT_MODELLED.len()];
    // For each operation, its first form, and the meaning of that form.
    let mut operations: BTreeMap<String, (String, String)> = BTreeMap::new();
    let (mut lost, mut refused) = (Vec::new(), Vec::new());
    for form in forms() {
        let reason = not_modelled.iter().position(|form_of| form_of.is_match(&form));
        let decoded = match (decoded(&form), reason) {
            (Err(error), Some(reason))
                if error.contains("is not modelled") || error.contains("has no `fabric`") =>
            {
                refuses[reason] = true;
                continue;
            }
            (Ok(_), Some(_)) => {
                refused.push(format!("{form}: it is in `NOT_MODELLED`, and decodes"));
                continue;
            }
            (Ok(decoded), None) => decoded,
            (Err(error), _) => {
                refused.push(error);
                continue;
            }
        };
        let mut meaning = form.clone();
        for ((from, to), used) in same.iter().zip(&mut used) {
            let shorter = from.replace(&meaning, *to).into_owned();
            *used |= shorter != meaning;
            meaning = shorter;
        }
        let (first, of_first) = operations.entry(decoded).or_insert((form.clone(), meaning.clone()));
        if meaning != *of_first {
            lost.push(format!("`{form}` decodes to the same as `{first}`"));
        }
    }
    assert!(refused.is_empty(), "{} forms are refused\n{}", refused.len(), refused.join("\n"));
    assert!(
        lost.is_empty(),
        "{} forms: decode what differs, or add the qualifier to `SAME` with a reason\n{}",
        lost.len(),
        lost.join("\n")
    );
    let unused: Vec<_> =
        SAME.iter().zip(used).filter(|(_, used)| !used).map(|((from, ..), _)| from).collect();
    assert!(unused.is_empty(), "no form has {unused:?}: remove it from `SAME`");
    let unused: Vec<_> =
        NOT_MODELLED.iter().zip(refuses).filter(|(_, used)| !used).map(|((form, _), _)| form).collect();
    assert!(unused.is_empty(), "no form has {unused:?}: remove it from `NOT_MODELLED`");
}
