//! What PTX allows beside the text of LLVM: scopes, constant expressions, vectors, calls with registers. The right values are
//! those of `ptxas`: of its initial values of variables, and of kernels on a GPU.

use ptx_emu::{Device, Launch, Options};

const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

/// Returns a kernel `k` with `body`, behind `module`. `%o` is the address of the results.
fn text(module: &str, body: &str) -> String {
    format!(
        "{HEADER}{module}\n.visible .entry k(.param .u64 out) {{
        .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .f64 %fd<4>; .reg .b64 %o, %d<8>; .reg .b128 %q<2>;
        ld.param.u64 %o, [out];\n{body}\nret;\n}}\n"
    )
}

fn run(module: &str, body: &str) -> Vec<u64> {
    let text = text(module, body);
    let mut device = Device::new();
    let module = device.load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let out = device.allocate(64);
    device.write(out, &[0; 64]).unwrap();
    let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(1, 1) };
    let options = Options { limit: 10_000, ..Options::default() };
    let report = device.launch(&module, "k", &launch, &options).unwrap();
    assert!(report.is_clean(), "{report}\n{text}");
    let mut bytes = [0; 64];
    device.read(out, &mut bytes).unwrap();
    bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

#[track_caller]
fn gives(module: &str, body: &str, wanted: &[u64]) {
    assert_eq!(run(module, body)[..wanted.len()], *wanted, "{module}\n{body}");
}

#[track_caller]
fn is_refused(module: &str, body: &str, why: &str) {
    match Device::new().load(&text(module, body)) {
        Ok(_) => panic!("loads:\n{module}\n{body}"),
        Err(error) => assert!(error.to_string().contains(why), "{error}\n{module}\n{body}"),
    }
}

/// Returns the words of the variable `g` of a module.
fn words(module: &str) -> Result<Vec<u64>, String> {
    let mut device = Device::new();
    let module = device.load(&format!("{HEADER}{module}\n")).map_err(|error| error.to_string())?;
    let mut bytes = vec![0; module.variable_bytes("g").unwrap() as usize];
    device.read(module.variable("g").unwrap(), &mut bytes).unwrap();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect())
}

#[test]
fn labels_are_those_of_their_block() {
    let copy = |register, step, end| {
        format!(
            "{{ .reg .pred p; LAB: add.u32 {register}, {register}, {step}; setp.lt.u32 p, {register}, {end};
            @p bra LAB; bra DONE; add.u32 {register}, {register}, 100; DONE: }}"
        )
    };
    let body = format!(
        "mov.u32 %r0, 0; mov.u32 %r1, 0; {} {} st.global.v2.u32 [%o], {{%r0, %r1}};",
        copy("%r0", 1, 3),
        copy("%r1", 10, 50)
    );
    gives("", &body, &[3 | 50 << 32]);
    // A branch leaves its block, forwards and backwards.
    gives(
        "",
        "mov.u64 %d0, 0; AGAIN: add.u64 %d0, %d0, 1; { setp.lt.u64 %p0, %d0, 5; @%p0 bra AGAIN; { bra END; } }
        mov.u64 %d0, 100; END: st.global.u64 [%o], %d0;",
        &[5],
    );
    // An inner label hides an outer one, also before its own place.
    gives("", "mov.u64 %d0, 1; { bra L; L: } add.u64 %d0, %d0, 1; L: st.global.u64 [%o], %d0;", &[2]);
    gives(
        "",
        "mov.u32 %r0, 1; mov.u64 %d0, 7; { T: .branchtargets A, B; brx.idx %r0, T; A: mov.u64 %d0, 8; B: }
        { T: .branchtargets B, A; brx.idx %r0, T; B: mov.u64 %d0, 9; A: } st.global.u64 [%o], %d0;",
        &[7],
    );
    is_refused("", "L: mov.u32 %r0, 1; L:", "`L` is declared twice in one block");
    is_refused("", "{ N: } bra N;", "no label `N` in this block or in one around it");
    is_refused("", "bra nowhere;", "no label `nowhere`");
}

#[test]
fn variables_are_those_of_their_block() {
    gives(
        "",
        ".shared .align 4 .b32 s; st.volatile.shared.u32 [s], 1; { .shared .align 4 .b32 s; st.volatile.shared.u32 [s], 2; }
        ld.volatile.shared.u32 %r0, [s]; st.global.u32 [%o], %r0;",
        &[1],
    );
    gives(
        ".global .u64 g = 5;",
        "ld.global.u64 %d0, [g]; st.global.u64 [%o], %d0; { .global .u64 g = 6; ld.global.u64 %d0, [g]; st.global.u64 [%o+8], %d0; }
        .const .u64 g[2] = {7, 8}; ld.const.u64 %d0, [g+8]; st.global.u64 [%o+16], %d0;",
        &[5, 6, 8],
    );
    // Two functions with a variable of one name.
    let function = |name, value| {
        format!(
            ".func (.reg .b64 r) {name}() {{ .global .u64 count = {value}; ld.global.u64 r, [count]; add.u64 r, r, 1;
            st.global.u64 [count], r; ret; }}"
        )
    };
    gives(
        &(function("f", 10) + &function("g", 20)),
        "call (%d0), f; call (%d0), f; call (%d1), g; st.global.v2.u64 [%o], {%d0, %d1};",
        &[12, 21],
    );
    gives(
        "",
        "mov.u64 %d0, 1; { .reg .b64 %d0; mov.u64 %d0, 2; { .local .b64 x; st.local.u64 [x], %d0; } } st.global.u64 [%o], %d0;",
        &[1],
    );
    for (module, body, name) in [
        ("", ".reg .b32 x; .reg .f32 x;", "x"),
        ("", ".reg .b32 %r0;", "%r0"),
        ("", ".reg .b32 %x3; .reg .b32 %x<4>;", "%x3"),
        ("", ".reg .b32 %r<2>;", "%r<2>"),
        ("", ".reg .b32 x; x:", "x"),
        ("", ".shared .u32 x; .reg .b32 x;", "x"),
        ("", ".shared .u32 x; .shared .u32 x;", "x"),
        ("", ".reg .b32 out;", "out"),
    ] {
        is_refused(module, body, &format!("`{name}` is declared twice in one block"));
    }
    is_refused(".shared .u32 x; .shared .u32 x;", "", "the variable `x` is defined twice");
    is_refused(".func f() { ret; } .func f() { ret; }", "", "the function `f` is defined twice");
    is_refused(".global .u32 f; .func f() { ret; }", "", "`f` is a function and a variable");
    is_refused(".extern .global .u32 x; .extern .global .u64 x;", "", "`x` is declared with another type");
    is_refused("", "{ .reg .b32 z; } mov.u32 %r0, z;", "`z` is not declared");
    is_refused("", "mov.u32 %r0, y; { .reg .b32 y; }", "`y` is not declared");
    gives(
        ".extern .global .u64 x; .visible .global .u64 x = 3; .extern .global .u64 x;",
        "ld.global.u64 %d0, [x]; st.global.u64 [%o], %d0;",
        &[3],
    );
}

#[test]
fn constant_expressions_have_the_values_of_ptxas() {
    let values: [(&str, u64); 60] = [
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("-1 > 0 ? 7 : 8", 8),
        ("-1 > 0U ? 7 : 8", 7),
        ("!5", 0),
        ("!0", 1),
        ("~5", 0xffff_ffff_ffff_fffa),
        ("(.s64)-1 >> 3", u64::MAX),
        ("(.u64)-1 >> 3", u64::MAX >> 3),
        ("-1 >> 3", u64::MAX),
        ("0xFFFFFFFFFFFFFFFF >> 3", u64::MAX >> 3),
        ("18446744073709551615 >> 3", u64::MAX >> 3),
        ("-1U >> 3", u64::MAX >> 3),
        ("WARP_SZ-1", 31),
        ("1 << 65", 2),
        ("1 << 64", 1),
        ("1 << 63", 1 << 63),
        ("-7/2", (-3i64) as u64),
        ("7%-3", 7),
        ("-7U/2", 0x7fff_ffff_ffff_fffc),
        ("-7/2U", 0x7fff_ffff_ffff_fffc),
        ("1&&0||1", 1),
        ("5==5", 1),
        ("5!=5", 0),
        ("1|6^2&3", 5),
        ("1+1<<2", 8),
        ("8>>1+1", 2),
        ("1<2==1", 1),
        ("1<2<3", 1),
        ("3>2>1", 0),
        ("1?2:0?3:4", 2),
        ("0?2:0?3:4", 4),
        ("1.5<2.5", 1),
        ("1.5==1.5", 1),
        ("9223372036854775808", 1 << 63),
        ("9223372036854775808 > 1", 1),
        ("-9223372036854775808", 1 << 63),
        ("0777", 0o777),
        ("0b101", 5),
        ("-0x8000000000000000 / -1", 0),
        ("- -5", 5),
        ("~~5", 5),
        ("-~5", 6),
        ("+5", 5),
        ("!!7", 1),
        ("5-3-1", 1),
        ("100/10/2", 5),
        ("(1?-1:3U)>>63", u64::MAX),
        ("(-1)>>63", u64::MAX),
        ("(0U-1)>>63", 1),
        ("(1<0U)-1>>60", u64::MAX),
        ("2-1U-2>>60", 15),
        ("0xFFFFFFFF+1", 1 << 32),
        ("~0>>60", 15),
        ("~0U>>60", 15),
        ("(.u64)(-1)>0", 1),
        ("(.s64)18446744073709551615<0", 1),
        ("5&3==3", 1),
        ("(5&3)==3", 0),
        ("1-1?2:3", 3),
    ];
    for (expression, value) in values {
        assert_eq!(words(&format!(".global .u64 g = {expression};")), Ok(vec![value]), "{expression}");
        gives("", &format!("mov.u64 %d0, {expression}; st.global.u64 [%o], %d0;"), &[value]);
    }
    for (expression, why) in [
        ("5/0", "divides by zero"),
        ("5 % 0", "divides by zero"),
        ("1||5/0", "divides by zero"),
        ("!1.5", "is for integers"),
        ("1.5?2:3", "is for integers"),
        ("1+2.5", "mixes integers and floats"),
        ("99999999999999999999", "more than 64 bits"),
        ("089", "expected"),
        ("0x1Fu", "expected"),
        ("(.s32)5", "expected"),
    ] {
        is_refused("", &format!("mov.u64 %d0, {expression};"), why);
        words(&format!(".global .u64 g = {expression};")).unwrap_err();
    }
    let floats: [(&str, f64); 16] = [
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e+3", 1000.0),
        ("1.5E-3", 1.5e-3),
        ("-1.5", -1.5),
        ("+.5", 0.5),
        ("1.5+2.0", 3.5),
        ("1.5*3.0-1.0", 3.5),
        ("1.0/3.0", 1.0 / 3.0),
        ("-(1.5)", -1.5),
        ("0d3FF8000000000000", 1.5),
        ("0d3FF8000000000000+1.0", 2.5),
        ("00.5", 0.5),
        ("09.5", 9.5),
    ];
    for (expression, value) in floats {
        let single = u64::from((value as f32).to_bits());
        assert_eq!(
            words(&format!(".global .f64 g = {expression};")),
            Ok(vec![value.to_bits()]),
            "{expression}"
        );
        assert_eq!(words(&format!(".global .f32 g = {expression};")), Ok(vec![single]), "{expression}");
        let body = format!(
            "mov.f64 %fd0, {expression}; st.global.f64 [%o], %fd0; mov.f32 %f0, {expression}; st.global.f32 [%o+8], %f0;"
        );
        gives("", &body, &[value.to_bits(), single]);
    }
    for expression in ["1e400", "1e-400", "1.0/0.0", "1e", "0x1.8p1", "1.5U", "5"] {
        words(&format!(".global .f64 g = {expression};")).unwrap_err();
    }
}

#[test]
fn initial_values_fill_their_rows() {
    for (module, wanted) in [
        (".global .u32 g[2][2] = {{1},{3,4}};", vec![1, 3 | 4 << 32]),
        (".global .u32 g[] = {1,2,3};", vec![1 | 2 << 32, 3]),
        (".global .u32 g[][2] = {{1,2},{3}};", vec![1 | 2 << 32, 3]),
        (".global .v2 .u32 g[2] = {{1,2},{3,4}};", vec![1 | 2 << 32, 3 | 4 << 32]),
        (".global .u32 g[2] = {};", vec![0]),
        (".global .u16 g[4] = {0x1U, 0b11, 017, 5 ? 1 : 2};", vec![1 | 3 << 16 | 15 << 32 | 1 << 48]),
        (".global .u32 a, b, g[3];", vec![0, 0]),
    ] {
        assert_eq!(words(module), Ok(wanted), "{module}");
    }
    for module in [
        ".global .u32 g[2] = {1,2,3};",
        ".global .u32 g[2][] = {1,2,3};",
        ".global .u32 g = {1};",
        ".global .u32 g = 1.5;",
        ".global .f32 g = 1;",
        ".global .u64 g = nothing;",
        ".global .align 3 .u32 g;",
        ".shared .u32 s = 5; .global .u32 g;",
        ".const .u32 g[20000];",
    ] {
        words(module).unwrap_err();
    }
    gives(
        ".global .u32 a[4] = {1, 2, 3, 4}; .global .u64 p = generic(a)+(4|8);",
        "ld.global.u64 %d0, [p]; ld.u32 %r0, [%d0]; ld.global.u32 %r1, a[1]; mov.u64 %d1, a[2]; ld.global.u32 %r2, [%d1];
        ld.global.u32 %r3, [a+4*2]; mov.u64 %d2, a; ld.global.u32 %r4, [%d2+4+4]; ld.global.u32 %r5, [%d2+(4|8)];
        st.global.v2.u32 [%o], {%r0, %r1}; st.global.v4.u32 [%o+16], {%r2, %r3, %r4, %r5};",
        &[4 | 2 << 32, 0, 3 | 3 << 32, 3 | 4 << 32],
    );
}

#[test]
fn vectors_have_elements() {
    gives(
        ".global .v4 .f32 g = {1.0, 2.0, 3.0, 4.0};",
        ".reg .v4 .f32 v, w<2>; .reg .v2 .u32 u; ld.global.v4.f32 v, [g]; add.f32 v.x, v.y, v.w; mov.f32 v.g, v.a;
        mov.v4.f32 w1, v; mov.v4.f32 {%f0, %f1, %f2, %f3}, w1; st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};
        mov.v4.f32 v, {%f3, %f2, %f1, %f0}; st.global.v4.f32 [%o+16], v;
        mov.u32 u.x, 5; mov.u32 u.y, 6; mov.b64 %d0, u; st.global.u64 [%o+32], %d0;
        .reg .v4 .u32 t; mov.v4.u32 t, %ntid; st.global.v4.u32 [%o+48], t;",
        &[
            u64::from(6f32.to_bits()) | u64::from(4f32.to_bits()) << 32,
            u64::from(3f32.to_bits()) | u64::from(4f32.to_bits()) << 32,
            u64::from(4f32.to_bits()) | u64::from(3f32.to_bits()) << 32,
            u64::from(4f32.to_bits()) | u64::from(6f32.to_bits()) << 32,
            5 | 6 << 32,
            0,
            1 | 1 << 32,
            1,
        ],
    );
    is_refused("", ".reg .v2 .f32 v; mov.f32 v.z, %f0;", "`v` has 2 elements");
    is_refused("", ".reg .v8 .f32 v;", "a type such as");
    // A guarded move of a vector changes nothing if the guard is false.
    gives(
        "",
        ".reg .v2 .u32 u; mov.v2.u32 u, {1, 2}; setp.eq.u32 %p0, 1, 2; @%p0 mov.v2.u32 u, {3, 4}; st.global.v2.u32 [%o], u;",
        &[1 | 2 << 32],
    );
}

#[test]
fn wide_registers_take_numbers() {
    let store = "mov.b128 {%d0, %d1}, %q0; st.global.v2.u64 [%o], {%d0, %d1};";
    gives("", &format!("mov.b128 %q0, 1; {store}"), &[1, 0]);
    gives("", &format!("mov.u64 %d2, 7; mov.b128 %q1, {{1, %d2}}; mov.b128 %q0, %q1; {store}"), &[1, 7]);
    // Elements of 32 bits, of which each half of a wide register has two. A false guard writes none of them.
    let to_wide =
        "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r0, 4; mov.b128 %q0, {%r1, %r2, %r3, %r0};";
    gives("", &format!("{to_wide} {store}"), &[1 | 2 << 32, 3 | 4 << 32]);
    let never = "setp.eq.u32 %p0, 1, 2; @%p0 mov.b128 %q0, {%r0, %r0, %r0, %r0};";
    gives("", &format!("{to_wide} {never} {store}"), &[1 | 2 << 32, 3 | 4 << 32]);
    let back =
        "mov.b128 {%r3, %r0, %r1, _}, %q0; st.global.v2.u32 [%o], {%r3, %r0}; st.global.u32 [%o+8], %r1;";
    gives("", &format!("{to_wide} {back}"), &[1 | 2 << 32, 3]);
    for body in ["mov.b64 {}, %d0;", "mov.b64 %d0, {};", "mov.b64 %d0, {%r0};", "mov.b64 {_,_}, %d0;"] {
        is_refused("", body, "line 8");
    }
}

#[test]
fn calls_pass_registers_and_numbers() {
    const F: &str = ".func (.reg .b32 r) f(.reg .b32 a, .reg .f64 b) { .reg .u32 t; cvt.rzi.u32.f64 t, b; add.u32 r, a, t; ret; }";
    const G: &str = ".func (.param .b32 r) g(.param .b32 a) { .reg .b32 t; ld.param.b32 t, [a]; add.u32 t, t, 1; st.param.b32 [r], t; ret; }";
    gives(F, "call (%r1), f, (5, 1.5); call (_), f, (5, 2.5); st.global.u32 [%o], %r1;", &[6]);
    gives(
        F,
        "mov.u32 %r2, 1; setp.eq.u32 %p0, 1, 2; mov.u32 %r1, 9; @%p0 call (%r1), f, (%r2, 1.5); st.global.u32 [%o], %r1;",
        &[9],
    );
    gives(
        G,
        "mov.u32 %r2, 4; call (%r1), g, (%r2); call (%r3), g, (8); st.global.v2.u32 [%o], {%r1, %r3};",
        &[5 | 9 << 32],
    );
    gives(
        G,
        "{ .param .b32 x, y; st.param.b32 [x], 3; call (y), g, (x); ld.param.b32 %r1, [y]; } st.global.u32 [%o], %r1;",
        &[4],
    );
    let pointer =
        "P: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %d0, g; { .param .b32 x; st.param.b32 [x], 3; call (%r1), %d0, (x), P; }
        T: .calltargets g; call (%r2), %d0, (5), T; st.global.v2.u32 [%o], {%r1, %r2};";
    gives(G, pointer, &[4 | 6 << 32]);
    gives(
        ".func (.reg .b32 x, .reg .b32 y) two() { mov.u32 x, 1; mov.u32 y, 2; ret; }",
        "call (%r0, %r1), two; st.global.v2.u32 [%o], {%r0, %r1};",
        &[1 | 2 << 32],
    );
    gives(
        &format!(".visible .func (.param .b32 r) h(.param .b32 a); {G} .alias h, g;"),
        "call (%r1), h, (1); st.global.u32 [%o], %r1;",
        &[2],
    );
    is_refused(".func f() { ret; } .alias f2, f;", "", "`.alias f2, f`");
    is_refused(F, "call f, (5, %fd0);", "takes 0 results; `f` has 2 and 1");
    is_refused(F, "call (%r1), f, (%r2);", "passes 1 arguments");
    is_refused(G, "{ .param .b64 x; call (%r1), g, (x); }", "passes 8 bytes for `a`, which has 4");
    is_refused("", "call nothing, ();", "no function `nothing`");
}

#[test]
fn directives_and_suffixes_are_read() {
    let module = ".visible .entry k2(.param .u32 a[4], .param .u64 .ptr .global .align 16 p) .maxntid 128 .minnctapersm 2 .maxnreg 32
        .pragma \"nounroll\"; { .pragma \"nounroll\"; ret; }
        .weak .func w() .noreturn { trap; } .common .global .u32 c; .extern .func v() .noreturn ;
        .func f() .abi_preserve 5 { ret; }
        .section .debug_str { info: .b8 1, 2 }";
    gives(
        module,
        "mov.u32 %r0, 0X1FU; mov.u32 %r1, 0B11U; @ ! %p0 bra L; L: st.global.v2.u32 [%o], {%r0, %r1};",
        &[31 | 3 << 32],
    );
}

#[test]
fn modifiers_stand_in_any_order() {
    // Inlined assembly of CUB and libcu++ has `vote.ballot.sync`, of others `match.sync.any`.
    let same = |orders: &[&str], wanted: u64| {
        for order in orders {
            gives(
                "",
                &format!(
                    "mov.b32 %r0, 5; mov.b32 %f0, 0f3F800000; setp.ne.u32 %p0, %r0, 0;\n{order}\nst.global.u32 [%o], %r1;"
                ),
                &[wanted],
            );
        }
    };
    same(
        &[
            "vote.sync.ballot.b32 %r1, %p0, 1;",
            "vote.ballot.sync.b32 %r1, %p0, 1;",
            "vote.ballot.b32.sync %r1, %p0, 1;",
        ],
        1,
    );
    same(
        &[
            "shfl.sync.idx.b32 %r1, %r0, 0, 31, 1;",
            "shfl.idx.sync.b32 %r1, %r0, 0, 31, 1;",
            "shfl.b32.sync.idx %r1, %r0, 0, 31, 1;",
        ],
        5,
    );
    same(
        &[
            "match.any.sync.b32 %r1, %r0, 1;",
            "match.sync.any.b32 %r1, %r0, 1;",
            "match.b32.sync.any %r1, %r0, 1;",
        ],
        1,
    );
    same(&["redux.sync.add.u32 %r1, %r0, 1;", "redux.u32.add.sync %r1, %r0, 1;"], 5);
    same(&["add.sat.s32 %r1, %r0, 0x7fffffff;", "add.s32.sat %r1, %r0, 0x7fffffff;"], 0x7fff_ffff);
    same(
        &["set.lt.and.u32.f32 %r1, %f0, 0f40000000, %p0;", "set.and.u32.lt.f32 %r1, %f0, 0f40000000, %p0;"],
        0xffff_ffff,
    );
    same(&["prmt.b32.rc8 %r1, %r0, 0, 0;", "prmt.rc8.b32 %r1, %r0, 0, 0;"], 0x0505_0505);
    same(&["shf.l.wrap.b32 %r1, 0, %r0, 33;", "shf.l.b32.wrap %r1, 0, %r0, 33;"], 10);
    same(&["bfind.shiftamt.u32 %r1, %r0;", "bfind.u32.shiftamt %r1, %r0;"], 29);
    same(
        &[
            "testp.finite.f32 %p1, %f0; selp.b32 %r1, 1, 0, %p1;",
            "testp.f32.finite %p1, %f0; selp.b32 %r1, 1, 0, %p1;",
        ],
        1,
    );
    same(&["fence.proxy.async.global; mov.b32 %r1, 1;", "fence.proxy.global.async; mov.b32 %r1, 1;"], 1);
    // The order of types has a meaning.
    is_refused("", "cvt.rzi.f32.s32 %r1, %f0;", "the interpreter has no `cvt.rzi.f32.s32`");
}
