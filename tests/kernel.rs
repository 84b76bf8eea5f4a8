//! `#[ptx::kernel]`: one source gives the entries of the device and the description of launches on the host.

mod support;

use std::process::Command;
use std::sync::LazyLock;

use launch::{add_if, add_rows, axpy, blur, copy_boxes, fill, product};
use ptx::launch::{Kernel, LaunchShape, Parameter, SafeKernel};
use ptx::qualifier::{swizzle_atomicity, swizzle_mode};
use ptx::tensor::{
    Box2, LoadShape, MapElement, ReduceShape, TensorMap, TensorMapMut, TensorMapReduce, UnboundedShape,
};
use support::{assert_ptxas_accepts, ok};
use xtask::device::{Arch, Build, write_crate};
use xtask::golden::Golden;
use xtask::toolchain::{Kind, Toolchain};

static PTX: LazyLock<String> =
    LazyLock::new(|| ok(Build::new("tests/device/launch", Arch::Sm90a).run()).text);

/// Returns the parameters and directives of an entry.
fn head<K: Kernel>(_: K) -> String {
    let start = format!(".visible .entry {}(\n", K::NAME);
    let (_, entry) = PTX.split_once(&start).unwrap_or_else(|| panic!("no entry {}", K::NAME));
    let (head, _) = entry.split_once("\n{").expect("a body");
    let lines =
        head.lines().map(|line| line.split("//").next().unwrap_or_default().trim().trim_end_matches(','));
    let lines: Vec<_> = lines.filter(|line| *line != ")").collect();
    lines.join("\n").replace(&format!("{}_param_", K::NAME), "")
}

#[test]
fn parameters_are_grid_constants_of_the_size_and_alignment_of_their_types() {
    assert_eq!(
        head(axpy),
        ".param .align 4 .b8 0[4]\n.param .align 8 .b8 1[16]\n.param .align 8 .b8 2[16]\n\
         .reqntid 256, 1, 1\n.minnctapersm 2"
    );
    assert_eq!(
        head(blur),
        ".param .align 64 .b8 0[64]\n.param .align 8 .b8 1[16]\n.param .align 8 .b8 2[16]\n\
         .reqntid 32, 4, 1\n.maxnreg 64"
    );
    assert_eq!(
        head(copy_boxes),
        ".param .align 64 .b8 0[128]\n.param .align 64 .b8 1[192]\n.reqntid 128, 1, 1"
    );
    assert_eq!(
        head(add_rows),
        ".param .align 8 .b8 0[16]\n.param .align 8 .b8 1[16]\n.param .align 8 .b8 2[16]\n.param .align 8 .b8 3[16]\n\
         .reqntid 64, 1, 1\n.explicitcluster\n.reqnctapercluster 2, 1, 1"
    );
    assert_eq!(
        head(fill),
        ".param .align 8 .b8 0[8]\n.param .align 8 .b8 1[8]\n.param .align 4 .b8 2[4]\n.maxntid 32, 1, 1"
    );
}

/// Checks the names, shapes, memory and PTX of the instances of a generic kernel.
#[test]
fn each_instance_of_a_generic_kernel_is_an_entry() {
    fn describe<K: SafeKernel>(_: K) -> (&'static str, [u32; 3]) {
        (K::NAME, K::Shape::BLOCK)
    }
    assert_eq!(describe(product::<f32, 4, 16, 16, 8>), ("product_f32_4_16_16_8", [64, 1, 1]));
    assert_eq!(describe(product::<f32, 4, 8, 32, 16>), ("product_f32_4_8_32_16", [64, 1, 1]));
    assert_eq!(describe(product::<u64, 2, 16, 8, 8>), ("product_u64_2_16_8_8", [64, 1, 1]));
    let parameters = ".param .align 8 .b8 0[16]\n.param .align 8 .b8 1[16]\n.param .align 8 .b8 2[16]";
    assert_eq!(head(product::<u64, 2, 16, 8, 8>), format!("{parameters}\n.reqntid 64, 1, 1"));

    let allocations = PTX.lines().filter_map(|line| line.split_once("__smem[")?.1.strip_suffix("];"));
    let mut allocations: Vec<_> = allocations.filter_map(|bytes| bytes.parse::<u32>().ok()).collect();
    allocations.sort_unstable();
    // Besides these, `copy_boxes` has two tiles of 4 KiB and an mbarrier.
    assert_eq!(allocations, [1024, (16 + 8) * 8 * 8, (8 + 32) * 16 * 4, 8200]);

    if ok(Toolchain::active()).kind() == Kind::Rustup {
        let mut golden = Golden::new("generic");
        for name in ["product_f32_4_16_16_8", "product_f32_4_8_32_16", "product_u64_2_16_8_8"] {
            ok(golden.check(&format!("{name}.ptx"), &support::body(&PTX, name)));
        }
        ok(golden.finish());
    }
}

/// Checks that a launch by an instance's name finds the arguments of that instance, whatever names they have in the source.
#[test]
fn the_arguments_of_an_instance_are_names_of_its_module() {
    let ptx = ok(compile(
        "arguments_of_instances",
        "ptx",
        "use ptx::global::GlobalElementsMut;\nconst N: isize = 3;\ntype T = u32;\nmod of { pub type Half = u16; }\n\
         #[ptx::kernel(unsafe(uniform), threads = 32, instances(<T, N>, <of::Half, { N + 1 }>, <i64, -1>))]\n\
         pub fn kernel<T: ptx::shared::Element, const N: isize>(cta: Cta, y: GlobalElementsMut<T>) {\n    \
         for (_, y) in y.elements(&cta) {\n        y.write(y.read());\n    }\n}\n",
    ));
    for name in ["kernel_T_N", "kernel_of_Half_N_1", "kernel_i64_minus_1"] {
        assert!(ptx.contains(&format!(".visible .entry {name}(")), "{name}: {ptx}");
    }
}

#[test]
fn the_fingerprint_is_a_symbol_of_the_module() {
    fn symbol<K: Kernel>(_: K) -> String {
        format!(".visible .global .align 8 .u64 {} = {}U;", K::FINGERPRINT, K::LAYOUT)
    }
    let instances = [symbol(product::<f32, 4, 16, 16, 8>), symbol(product::<u64, 2, 16, 8, 8>)];
    let others = [symbol(axpy), symbol(blur), symbol(copy_boxes), symbol(add_rows), symbol(fill)];
    for symbol in instances.into_iter().chain(others) {
        assert!(PTX.contains(&symbol), "{symbol} is missing: host and device hash a kernel differently");
    }
}

/// Checks that the layout includes the swizzle: another swizzle is another map, so host and device must agree.
#[test]
fn the_layout_of_a_parameter_has_the_swizzle() {
    type Plain = Box2<32, 32>;
    type Swizzled = Box2<32, 32, swizzle_mode::B128>;
    fn layouts<S: LoadShape + UnboundedShape + ReduceShape>() -> [u64; 3] {
        [TensorMap::<f32, S>::LAYOUT, TensorMapMut::<f32, S>::LAYOUT, TensorMapReduce::<f32, S>::LAYOUT]
    }
    for (plain, swizzled) in layouts::<Plain>().into_iter().zip(layouts::<Swizzled>()) {
        assert_ne!(plain, swizzled);
    }
}

/// Checks that the layout includes the element type: a reduction computes with the type that the host encodes in the map.
#[test]
fn the_layout_of_a_reduced_tensor_has_the_type_of_its_elements() {
    fn layout<T: MapElement>() -> u64 {
        TensorMapReduce::<T, Box2<32, 32>>::LAYOUT
    }
    let of_32_bits = [layout::<u32>(), layout::<i32>(), layout::<f32>()];
    let of_64_bits = [layout::<u64>(), layout::<i64>(), layout::<f64>()];
    for [a, b, c] in [of_32_bits, of_64_bits] {
        assert!(a != b && b != c && c != a);
    }
}

/// Checks that the host, which has no target, describes a kernel for `sm_100a` without the feature of that name.
#[test]
fn the_host_describes_maps_of_other_targets() {
    type InUnitsOf64 = Box2<32, 32, (swizzle_mode::B128, swizzle_atomicity::B64)>;
    type InUnitsOf16 = Box2<32, 32, swizzle_mode::B128>;
    assert_ne!(TensorMap::<f32, InUnitsOf64>::LAYOUT, TensorMap::<f32, InUnitsOf16>::LAYOUT);
    assert_ne!(TensorMapMut::<f32, InUnitsOf64>::LAYOUT, TensorMapMut::<f32, InUnitsOf16>::LAYOUT);
}

/// Checks that `add_rows` waits once for its two prerequisites, and that `add_if`, which may not wait for its own, then waits at its
/// end.
#[test]
fn a_thread_of_a_kernel_with_prerequisites_waits_once() {
    for (kernel, waits) in [(add_rows::NAME, 1), (add_if::NAME, 2), (axpy::NAME, 0)] {
        let body = support::body(&PTX, kernel);
        assert_eq!(body.matches("griddepcontrol.wait").count(), waits, "{body}");
    }
    // A thread that has waited jumps over the other wait.
    let body = support::body(&PTX, add_if::NAME);
    let between = body.split("griddepcontrol.wait").nth(1).expect("what stands between the waits");
    assert!(between.contains("bra.uni"), "{body}");
}

#[test]
fn maps_are_addressed_among_the_parameters() {
    for instruction in ["cvta.param.u64", "cp.async.bulk.tensor.2d.shared::cta.global.tile"] {
        assert!(PTX.contains(instruction), "{instruction}");
    }
    assert!(!PTX.contains(".local"), "a parameter was copied to local memory");
}

/// Passes the flag to the last crate only, where no build script sees the flag.
#[test]
fn passes_before_the_linker_are_refused() {
    let flag = "-Cpasses=simplifycfg<hoist-common-insts>";
    let build = Build { crate_flags: vec![flag.into()], ..Build::new("tests/device/launch", Arch::Sm90a) };
    let Err(error) = build.run() else { panic!("{flag} is accepted") };
    let error = format!("{error:#}");
    assert!(error.contains("before convergent instructions were marked"), "{error}");
}

/// Checks the entries with and without optimization, since `-O0` passes parameters through the stack.
#[test]
fn ptxas_accepts_the_entries() {
    assert_ptxas_accepts("tests/device/launch", Arch::Sm90a, "axpy");
}

#[test]
fn the_host_has_the_description_of_the_launch() {
    fn describe<K: Kernel>(_: K) -> (&'static [&'static str], u32, [u32; 3], Option<[u32; 3]>, bool) {
        (K::PARAMETERS, K::DYNAMIC_SHARED, K::Shape::BLOCK, K::Shape::CLUSTER, K::Shape::GRID_OF_ANY_RANK)
    }
    assert_eq!(describe(axpy), (&["a", "x", "y"][..], 2 * 2 * 3584 * 4 + 16, [256, 1, 1], None, false));
    assert_eq!(describe(blur), (&["weights", "x", "y"][..], 0, [32, 4, 1], None, true));
    assert_eq!(describe(copy_boxes), (&["from", "to"][..], 0, [128, 1, 1], None, false));
    let names = &["rows", "sums", "count", "doubled"][..];
    assert_eq!(describe(add_rows), (names, (256 + 128) * 4, [64, 1, 1], Some([2, 1, 1]), false));
    assert_eq!(describe(fill), (&["to", "len", "value"][..], 0, [32, 1, 1], None, false));
}

/// Checks `SafeKernel` for safe functions. `tests/ui/launch` tests that `fill`, an `unsafe fn`, does not have it.
#[test]
fn safe_functions_have_safe_launches() {
    fn is_safe<K: SafeKernel>(_: K) {}
    is_safe(axpy);
    is_safe(blur);
    is_safe(copy_boxes);
    is_safe(add_rows);
}

/// Compiles the device crate `name`, which depends on `ptx` under the name in the argument `ptx`. All such crates share a target
/// folder, which has one artifact of each name. The crate's dependency `attributes` is `tests/support/attributes.rs`.
fn compile(name: &str, ptx: &str, source: &str) -> anyhow::Result<String> {
    let folder = xtask::root().join("target/device/refused").join(name).join(ptx);
    ok(write_crate(
        &folder.join("attributes"),
        "[package]\nname = \"attributes\"\nedition = \"2024\"\n[lib]\nproc-macro = true\n",
        include_str!("support/attributes.rs"),
    ));
    let manifest = format!(
        "[package]\nname = {name:?}\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
         [dependencies]\nattributes = {{ path = \"attributes\" }}\n\
         {ptx} = {{ package = \"ptx\", path = {:?}, default-features = false }}\n[features]\n\
         sm_90a = [\"{ptx}/sm_90a\"]\n",
        xtask::root()
    );
    // A source with attributes of its own for the crate begins with them.
    let names = if source.contains("#![no_implicit_prelude]") { "" } else { "use ptx::group::Cta;\n" };
    let source = format!(
        "#![cfg_attr(target_arch = \"nvptx64\", no_std, feature(abi_ptx, asm_experimental_arch))]\n{source}\n\
         {names}::{ptx}::panic_handler!();\n"
    );
    ok(write_crate(&folder, &manifest, &source));
    Ok(Build::new(&folder, Arch::Sm90a).run()?.text)
}

fn errors(name: &str, source: &str) -> String {
    compile(name, "ptx", source).map_or_else(|error| format!("{error:#}"), |_| panic!("{name} compiles"))
}

/// Checks that the device crate `name` compiles for the host too, without a warning about its source.
#[track_caller]
fn assert_host_compiles(name: &str) {
    let folder = xtask::root().join("target/device/refused").join(name).join("ptx");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["check", "--quiet"]).current_dir(&folder);
    cargo.env("CARGO_TARGET_DIR", xtask::root().join("target/device/refused/host"));
    let output = cargo.output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !text.contains("--> src/lib.rs"), "{text}");
}

/// The tokens of a type, an expression or a shape that a user writes once. A macro inside of them may expand differently each
/// time, so the macros of the library expand each of them once, on the device and on the host.
#[test]
fn what_is_written_once_is_expanded_once() {
    let source = "use attributes::once;\nuse ptx::global::{Global, GlobalElementsMut};\nuse ptx::mbarrier::{Mbarrier, Uninit};\n\
         use ptx::pipeline::RingMemory;\nuse ptx::shared::SharedArray;\n\
         #[derive(ptx::Plain)]\n#[repr(C)]\npub struct Pair(once!(1 u32), pub once!(2 [f32; once!(3 2)]));\n\
         impl Clone for Pair {\n    fn clone(&self) -> Self {\n        *self\n    }\n}\nimpl Copy for Pair {}\n\
         ptx::shared_memory! {\n    pub struct Smem {\n        tile: once!(4 SharedArray<once!(5 f32), 32>),\n        \
         pub bar: once!(6 Mbarrier<Uninit>),\n    }\n}\n\
         #[ptx::kernel(unsafe(uniform), threads = (once!(7 32), once!(8 2)), cluster = once!(9 2), min_ctas = once!(10 1), \
         max_registers = once!(11 64))]\n\
         pub fn safe(cta: Cta, #[shared] smem: once!(12 Smem), #[dynamic] ring: once!(13 RingMemory<[f32; 64], 2>), \
         pair: once!(14 Pair), x: once!(15 Global<once!(16 f32)>), mut y: once!(17 GlobalElementsMut<f32>)) {\n    \
         let _ = (smem.tile, smem.bar, ring, x.len(), y.len());\n    y = y;\n    let _ = (y, cta);\n    \
         ptx::println!(\"{} {:?}\", once!(18 pair.0), once!(19 pair.1[0]));\n}\n\
         /// # Safety\n///\n/// None.\n#[ptx::kernel(unsafe(uniform), threads = once!(20 32))]\n\
         pub unsafe fn not_safe(_cta: Cta, _x: once!(21 *const f32), _: once!(22 u64)) {}\n";
    ok(compile("expanded_once", "ptx", source));
    assert_host_compiles("expanded_once");
}

/// The layout of shared memory, and that of a struct, are of the types that the struct has.
#[test]
fn a_type_that_expands_differently_each_time_has_one_layout() {
    let ptx = ok(compile(
        "expands_differently",
        "ptx",
        "use ptx::shared::SharedArray;\nptx::shared_memory! {\n    struct Smem {\n        \
         a: SharedArray<f32, { attributes::fewer!() }>,\n        b: SharedArray<f32, 1024>,\n    }\n}\n\
         #[derive(ptx::Plain, Clone, Copy)]\n#[repr(C)]\npub struct Bytes([u8; attributes::fewer!()]);\n\
         #[ptx::kernel(unsafe(uniform), threads = 32)]\n\
         pub fn kernel(cta: Cta, #[shared] smem: Smem, _bytes: [u8; attributes::fewer!()]) {\n    \
         cta.finish(smem.a, |cta, a| a.write(cta, |_| 1.0).publish().sync(cta).end());\n}\n",
    ));
    assert!(ptx.contains("__smem[8192]"), "{ptx}");
}

/// Modules whose names the macros could take for their own: kernels, constants and statics of the names of a macro's variables;
/// types of the names of the prelude, without the prelude; all modules of the library by glob.
const NAMES: &str = r#"
#![deny(warnings)]
#![no_implicit_prelude]

mod kernels_of_any_name {
    use ::ptx::group::Cta;
    use ::ptx::mbarrier::{Mbarrier, Uninit};
    use ::ptx::shared::SharedArray;

    ::ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 32>, bytes: Mbarrier<Uninit>, end: Mbarrier<Uninit> } }

    #[derive(::ptx::Plain, ::core::clone::Clone, ::core::marker::Copy)]
    #[repr(C)]
    pub struct Pair { pub start: u32, pub tile: u32 }

    #[::ptx::kernel(unsafe(uniform), threads = 32)]
    pub fn values(_cta: Cta, #[shared] smem: Smem, pair: Pair) {
        let _ = (smem.tile, smem.bytes, smem.end);
        ::ptx::println!("{} {}", pair.start, pair.tile);
    }

    macro_rules! kernels {
        ($($name:ident)*) => { $(
            #[::ptx::kernel(unsafe(uniform), threads = 32)]
            pub fn $name(_cta: Cta, #[shared] _smem: Smem, _pair: Pair) {}
        )* };
    }
    kernels! {
        thread cta shared dynamic kernel parameter memory base layout tile bytes start end value fields raw slots format print
        text precision mark info place
    }
}

mod constants_of_any_name {
    #![allow(non_upper_case_globals, dead_code)]
    use ::ptx::group::Cta;
    use ::ptx::shared::SharedArray;

    const thread: () = ();
    static values: u8 = 0;
    const layout: u8 = 0;
    static base: u8 = 0;
    const tile: u8 = 0;
    static start: u8 = 0;
    const end: u8 = 0;
    static bytes: u8 = 0;
    const value: u8 = 0;
    static format: u8 = 0;
    const slots: u8 = 0;
    static memory: u8 = 0;

    ::ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 32>, values: SharedArray<f32, 32> } }

    #[derive(::ptx::Plain, ::core::clone::Clone, ::core::marker::Copy)]
    #[repr(C)]
    pub struct Pair { pub start: u32, pub tile: u32 }

    #[::ptx::kernel(unsafe(uniform), threads = 32)]
    pub fn constants(_cta: Cta, #[shared] smem: Smem, pair: Pair) {
        let _ = (smem.tile, smem.values);
        ::ptx::println!("{} {}", pair.start, pair.tile);
    }
}

mod types_of_any_name {
    #![allow(non_camel_case_types, dead_code)]
    use ::ptx::group::Cta;
    use ::ptx::shared::SharedArray;

    pub enum Option { Some, None }
    #[allow(unused_imports)]
    pub use Option::{None, Some};
    pub struct u8;
    pub struct u16;
    pub struct u32;
    pub struct u64;
    pub struct usize;
    pub struct bool;
    pub struct str;
    pub struct Clone;
    pub struct Copy;
    pub struct Debug;
    pub struct Sized;
    pub struct Kernel;
    pub mod core {}
    pub mod std {}
    pub mod launch {}

    ::ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 32> } }

    #[derive(::ptx::Plain, ::core::clone::Clone, ::core::marker::Copy)]
    #[repr(C)]
    pub struct Pair { pub a: i32, pub b: f32 }

    #[::ptx::kernel(unsafe(uniform), threads = (32, 2), cluster = 2, min_ctas = 1, max_registers = 64)]
    pub fn types(_cta: Cta, #[shared] smem: Smem, pair: Pair) {
        let _ = smem.tile;
        ::ptx::println!("{} {:>4.2}", pair.a, pair.b);
    }
}

mod all_modules_by_glob {
    #![allow(unused_imports)]
    use ::ptx::async_group::*;
    use ::ptx::atomic::*;
    use ::ptx::barrier::*;
    use ::ptx::bulk::*;
    use ::ptx::cache_policy::*;
    use ::ptx::cluster::*;
    use ::ptx::cp_async::*;
    use ::ptx::fence::*;
    use ::ptx::global::*;
    use ::ptx::group::*;
    use ::ptx::launch::*;
    use ::ptx::mask::*;
    use ::ptx::math::*;
    use ::ptx::mbarrier::*;
    use ::ptx::multimem::*;
    use ::ptx::pipeline::*;
    use ::ptx::print::*;
    use ::ptx::qualifier::*;
    use ::ptx::raw::*;
    use ::ptx::reduce::*;
    use ::ptx::registers::*;
    use ::ptx::shared::*;
    use ::ptx::tensor::*;
    use ::ptx::warp::*;

    ::ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 32>, layout: SharedArray<f32, 32> } }

    #[derive(::ptx::Plain, ::core::clone::Clone, ::core::marker::Copy)]
    #[repr(C)]
    pub struct Pair { pub a: i32, pub b: f32 }

    #[::ptx::kernel(unsafe(uniform), threads = 32)]
    pub fn globs(_cta: Cta, #[shared] smem: Smem, pair: Pair, _x: Global<f32>) {
        let _ = (smem.tile, smem.layout);
        ::ptx::println!("{} {}", pair.a, pair.b);
    }
}
"#;

#[test]
fn a_users_names_do_not_reach_into_the_macros() {
    ok(compile("any_name", "ptx", NAMES));
    assert_host_compiles("any_name");
}

/// A crate that poses as `::ptx` would choose the hash that host and device compare. A crate that poses as `::core` would choose
/// the sizes in the hash.
#[test]
fn a_crate_that_passes_as_ptx_or_core_changes_nothing() {
    let kernel = "#[derive(ptx::Plain, Clone, Copy)]\n#[repr(C)]\npub struct Pair(u8, u64);\n\
         #[ptx::kernel(unsafe(uniform), threads = (32, 2), cluster = 2, min_ctas = 1, max_registers = 64)]\n\
         pub fn kernel(_cta: Cta, pair: Pair) {\n    ptx::println!(\"{}\", pair.0);\n}\n";
    let impostor = "extern crate core as real_core;\nextern crate self as core;\n\
         extern crate self as ptx;\npub use real::*;\n\
         pub mod launch {\n    pub use real::launch::*;\n    pub const fn layout(_: &[u64]) -> u64 {\n        7\n    }\n}\n\
         pub mod primitive {\n    pub use real_core::primitive::*;\n}\npub mod option {\n    pub use real_core::option::*;\n}\n\
         pub mod arch {\n    pub use real_core::arch::*;\n}\npub mod mem {\n    pub use real_core::mem::*;\n    \
         pub const fn size_of<T>() -> usize {\n        4\n    }\n}\n";
    let (honest, passing) = (
        ok(compile("impostor", "ptx", kernel)),
        ok(compile("impostor", "real", &format!("{impostor}{kernel}"))),
    );
    assert_eq!(fingerprint(&passing), fingerprint(&honest));
}

/// Returns the declaration of the symbol of the kernel `kernel`.
fn fingerprint(ptx: &str) -> &str {
    let line = ptx.lines().find(|line| line.contains(".u64 kernel__"));
    line.unwrap_or_else(|| panic!("no fingerprint:\n{ptx}"))
}

/// Checks that the symbol has the hash of the kernel's own parameters.
#[test]
fn a_kernel_in_a_function_does_not_take_the_fingerprint_of_another_of_its_name() {
    let kernel = |ty: &str| {
        format!("#[ptx::kernel(unsafe(uniform), threads = 32)]\npub fn kernel(_cta: Cta, _x: {ty}) {{}}\n")
    };
    let x = "ptx::global::Global<f32>";
    let beside = format!(
        "pub use other as kernel;\n{}pub fn scope() {{\n{}}}\n",
        kernel("u64").replace("kernel(_cta", "other(_cta"),
        kernel(x)
    );
    let (alone, beside) =
        (ok(compile("in_a_function", "ptx", &kernel(x))), ok(compile("in_a_function", "ptx", &beside)));
    assert_eq!(fingerprint(&beside), fingerprint(&alone));
}

/// Checks that the attribute is refused: the host would lend `x` by a shared reference, and the kernel would write `x`.
#[test]
fn an_attribute_below_the_kernel_cannot_change_the_types_of_the_entry() {
    let errors = errors(
        "attribute_below_the_kernel",
        "#[ptx::kernel(unsafe(uniform), threads = 32)]\n#[attributes::with_alias]\n\
         pub fn kernel(cta: Cta, x: ptx::global::Global<u32>) {\n    for (i, x) in x.elements(&cta) {\n        x.write(i as u32);\n    }\n}\n",
    );
    assert!(errors.contains("expected `GlobalElementsMut<u32>`, found `Global<u32>`"), "{errors}");
}

/// Checks that a second statement is refused: it would replace the parameter's alignment, and a launch compares only sizes.
#[test]
fn a_parameter_is_stated_by_the_entry_alone() {
    let errors = errors(
        "parameter_stated_again",
        "#[ptx::kernel(unsafe(uniform), threads = 32)]\npub fn kernel(_cta: Cta, _x: [u64; 2]) {\n    \
         ptx::__parameter!(0, [u8; 16]);\n}\n",
    );
    assert!(errors.contains("no rules expected"), "{errors}");
}

/// Checks that `LAYOUT` has the types that are compiled, and not those that the derive sees: a host whose struct has other types
/// would pass any `u8` for the `bool` of the device.
#[test]
fn the_layout_of_a_struct_has_the_types_that_an_attribute_below_the_derive_gives_it() {
    let flags = |attribute: &str, ty: &str| {
        let source = format!(
            "#[derive(ptx::Plain, Clone, Copy)]\n{attribute}\n#[repr(C)]\npub struct Flags {{\n    pub wraps: {ty},\n}}\n\
             #[ptx::kernel(unsafe(uniform), threads = 32)]\npub fn kernel(_cta: Cta, _flags: Flags) {{}}\n"
        );
        let ptx = ok(compile("attribute_below_the_derive", "ptx", &source));
        let line = ptx.lines().find(|line| line.contains(".u64 kernel__"));
        line.unwrap_or_else(|| panic!("no fingerprint:\n{ptx}")).to_owned()
    };
    let changed = flags("#[attributes::bools]", "u8");
    assert_eq!(changed, flags("", "bool"));
    assert_ne!(changed, flags("", "u8"));
}
