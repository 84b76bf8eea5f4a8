//! Plain instructions whose values the text of the ISA gives: video instructions, dot products, carries of products, packed
//! conversions. `%r0` and `%r4` are results, `%r1` to `%r3` the inputs, `%p0` a predicate that is true.

use std::fmt::Write;

use ptx_emu::{Device, Launch, Options, Schedule};

const CASES: &[(&str, [u32; 3], [u32; 2])] = &[
    // 9.7.18.1: parts of registers are extended by their types, the result is clamped to its own.
    ("vadd.s32.u32.s32 %r0, %r1.b0, %r2.h1;", [0xff, 0xfffe_0000, 0], [0xfd, 0]),
    ("vadd.u32.s32.u32.sat %r0, %r1, %r2;", [0xffff_fff0, 2, 0], [0, 0]),
    ("vsub.u32.u32.u32.sat %r0, %r1, %r2;", [1, 2, 0], [0, 0]),
    ("vsub.s32.u32.u32 %r0, %r1, %r2;", [1, 2, 0], [0xffff_ffff, 0]),
    ("vabsdiff.u32.s32.s32 %r0, %r1, %r2;", [0x8000_0000, 0x7fff_ffff, 0], [0xffff_ffff, 0]),
    ("vabsdiff.s32.s32.s32.sat %r0, %r1, %r2;", [0x8000_0000, 0x7fff_ffff, 0], [0x7fff_ffff, 0]),
    ("vmin.s32.u32.s32 %r0, %r1, %r2;", [0xffff_ffff, 0xffff_fffe, 0], [0xffff_fffe, 0]),
    ("vmax.u32.u32.u32.add %r0, %r1.b3, %r2.b2, %r3;", [0x0900_0000, 0x0007_0000, 100], [109, 0]),
    ("vadd.s32.s32.s32.min %r0, %r1, %r2, %r3;", [5, 6, 0xffff_ffff], [0xffff_ffff, 0]),
    ("vadd.s32.s32.s32.sat %r0.b1, %r1, %r2, %r3;", [100, 100, 0x1111_1111], [0x1111_7f11, 0]),
    ("vadd.u32.u32.u32 %r0.h1, %r1, %r2, %r3;", [0xffff, 3, 0x1234_5678], [0x0002_5678, 0]),
    // 9.7.18.2
    ("vshl.u32.u32.u32.clamp %r0, %r1, %r2;", [0xffff_ffff, 33, 0], [0, 0]),
    ("vshl.u32.u32.u32.wrap %r0, %r1, %r2;", [1, 33, 0], [2, 0]),
    ("vshr.s32.s32.u32.clamp %r0, %r1, %r2;", [0x8000_0000, 99, 0], [0xffff_ffff, 0]),
    ("vshl.s32.s32.u32.sat.clamp.add %r0, %r1, %r2.b0, %r3;", [0x4000_0000, 2, 1], [0x8000_0000, 0]),
    // 9.7.18.3
    ("vmad.s32.s32.s32 %r0, %r1.h0, %r2.h1, %r3;", [0xffff, 0x0003_0000, 10], [7, 0]),
    ("vmad.u32.u32.u32.po.shr7 %r0, %r1, %r2, %r3;", [127, 1, 0], [1, 0]),
    ("vmad.s32.u32.u32.sat %r0, %r1, -%r2, %r3;", [0x1_0000, 0x1_0000, 0], [0x8000_0000, 0]),
    ("vmad.s32.u32.u32.shr15 %r0, %r1, %r2, -%r3;", [0x8000, 3, 0x8000], [2, 0]),
    // 9.7.18.4
    ("vset.s32.s32.lt %r0, %r1, %r2;", [0xffff_ffff, 0, 0], [1, 0]),
    ("vset.u32.u32.lt.add %r0, %r1.b0, %r2.b0, %r3;", [1, 2, 7], [8, 0]),
    ("vset.u32.u32.eq %r0.b2, %r1, %r2, %r3;", [4, 4, 0xffff_ffff], [0xff01_ffff, 0]),
    // 9.7.18.5 and .6: lanes of two and of four
    ("vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", [0x0001_ffff, 0x0002_0001, 0], [0x0003_0000, 0]),
    ("vadd2.s32.s32.s32.sat %r0, %r1, %r2, %r3;", [0x7fff_8000, 0x0001_ffff, 0], [0x7fff_8000, 0]),
    ("vsub2.s32.s32.s32.add %r0, %r1, %r2, %r3;", [0x0005_0001, 0x0001_0002, 10], [13, 0]),
    ("vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3;", [0x0001_ffff, 0x0002_fffe, 0], [0x0002_fffe, 0]),
    (
        "vmax2.u32.u32.u32 %r0.h1, %r1.h01, %r2.h10, %r3;",
        [0x0001_0009, 0x1111_2222, 0xaaaa_bbbb],
        [0x0009_bbbb, 0],
    ),
    ("vmin2.u32.u32.u32 %r0, %r1.h10, %r2.h32, %r3;", [0x0004_0009, 0x0005_0002, 0], [0x0004_0002, 0]),
    ("vset2.u32.u32.ge.add %r0, %r1, %r2, %r3;", [0x0004_0009, 0x0005_0002, 5], [6, 0]),
    ("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", [0x0102_0304, 0x0403_0201, 0], [8, 0]),
    ("vadd4.u32.u32.u32.sat %r0, %r1, %r2, %r3;", [0xff80_0102, 0x0180_0304, 0], [0xffff_0406, 0]),
    (
        "vavrg4.u32.u32.u32 %r0.b20, %r1.b0123, %r2, %r3;",
        [0x0102_0304, 0x0000_0000, 0x9999_9999],
        [0x9902_9901, 0],
    ),
    ("vset4.s32.s32.lt %r0, %r1, %r2, %r3;", [0xff01_7f80, 0x0000_8000, 0], [0x0100_0001, 0]),
    // 9.7.1.23, .24
    ("dp4a.s32.u32 %r0, %r1, %r2, %r3;", [0xff01_0203, 0xff02_0304, 1], [0xffff_ff16, 0]),
    ("dp2a.lo.s32.u32 %r0, %r1, %r2, %r3;", [0xffff_0002, 0x0405_06ff, 1], [0x1f9, 0]),
    ("dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;", [0xffff_0002, 0xff05_0000, 0], [0xffff_000b, 0]),
    // 9.7.2: the flag is the carry of the sum, of a difference too
    ("mad.lo.cc.u32 %r0, %r1, %r2, %r3; addc.u32 %r4, 0, 0;", [0x1_0000, 0xffff, 0x1_0000], [0, 1]),
    ("mad.hi.cc.s32 %r0, %r1, %r2, %r3; madc.hi.u32 %r4, %r1, %r2, 0;", [0xffff_ffff, 1, 1], [0, 1]),
    ("sub.cc.u32 %r0, %r1, %r2; subc.u32 %r4, %r3, 0;", [1, 2, 5], [0xffff_ffff, 4]),
    ("sub.cc.u32 %r0, %r1, %r2; addc.u32 %r4, %r3, 0;", [2, 1, 5], [1, 6]),
    ("add.cc.u32 %r0, %r1, %r2; add.u32 %r4, %r1, %r2; addc.u32 %r4, 0, 0;", [0xffff_ffff, 2, 0], [1, 1]),
    // 9.7.6.2: the second predicate is of the comparison's complement, and both are of the third's old value
    (
        ".reg .b16 %h; .reg .pred %c; cvt.u16.u32 %h, %r1; setp.ne.u32 %c, %r2, 0; setp.ne.and.u16 %p0|%p1, %h, %h, !%c;
selp.b32 %r0, 1, 0, %p0; selp.b32 %r4, 1, 0, %p1;",
        [5, 0, 0],
        [0, 1],
    ),
    (
        ".reg .b16 %h; .reg .pred %c; cvt.u16.u32 %h, %r1; setp.ne.u32 %c, %r2, 0; setp.ne.and.u16 %c|%p1, %h, %h, !%c;
setp.ne.or.u16 %p0|%c, %h, 5, !%p1; selp.b32 %r0, 1, 0, %p0; selp.b32 %r4, 1, 0, %c;",
        [5, 0, 0],
        [0, 1],
    ),
    (
        ".reg .b16 %h; .reg .pred %c; cvt.u16.u32 %h, %r1; setp.ne.u32 %c, %r2, 0; setp.ne.xor.u16 %c|%p1, %h, %h, !%c;
selp.b32 %r0, 1, 0, %c; selp.b32 %r4, 1, 0, %p1;",
        [5, 1, 0],
        [0, 1],
    ),
    // 9.7.8.7
    ("lop3.or.b32 %r0|%p1, %r1, %r2, %r3, 0x80, !%p0; selp.b32 %r4, 1, 0, %p1;", [0xf, 0x3, 0x2], [2, 1]),
    ("lop3.and.b32 %r0|%p1, %r1, %r2, %r3, 0x80, %p0; selp.b32 %r4, 1, 0, %p1;", [1, 2, 4], [0, 0]),
    // 9.7.9.7
    ("prmt.b32.f4e %r0, %r1, %r2, %r3;", [0x3322_1100, 0x7766_5544, 2], [0x5544_3322, 0]),
    ("prmt.b32.b4e %r0, %r1, %r2, %r3;", [0x3322_1100, 0x7766_5544, 1], [0x6677_0011, 0]),
    ("prmt.b32.ecl %r0, %r1, %r2, %r3;", [0x3322_1100, 0, 2], [0x3322_2222, 0]),
    // 9.7.9.21, .22
    ("cvt.pack.sat.s16.s32 %r0, %r1, %r2;", [0x7fff_ffff, 0xffff_fffe, 0], [0x7fff_fffe, 0]),
    ("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", [300, 0xffff_ffff, 0x1234_5678], [0x5678_ff00, 0]),
    ("cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3;", [100, 0xffff_ffff, 0x1234_5678], [0x3456_787f, 0]),
    ("cvt.rn.tf32.f32 %r0, %r1;", [0x3f80_1000, 0, 0], [0x3f80_0000, 0]),
    ("cvt.rna.tf32.f32 %r0, %r1;", [0x3f80_1000, 0, 0], [0x3f80_2000, 0]),
    ("cvt.rz.relu.tf32.f32 %r0, %r1;", [0xbf80_1fff, 0, 0], [0, 0]),
    ("cvt.rna.satfinite.tf32.f32 %r0, %r1;", [0x7f7f_ffff, 0, 0], [0x7f7f_e000, 0]),
    // 9.7.5: halves become `.f32` first. The product is not rounded.
    (
        ".reg .b16 %h, %g; cvt.u16.u32 %h, %r1; cvt.u16.u32 %g, %r2; add.rp.f32.f16 %r0, %h, %r3; sub.sat.f32.bf16 %r4, %g, %r3;",
        [0x3c00, 0x3fc0, 0x3300_0000],
        [0x3f80_0001, 0x3f80_0000],
    ),
    (
        ".reg .b16 %h, %g; cvt.u16.u32 %h, %r1; cvt.u16.u32 %g, %r2; fma.rz.f32.f16 %r0, %h, %g, %r3; fma.rm.f32.bf16 %r4, %h, %g, %r3;",
        [0x3c01, 0x3c01, 0xb380_0000],
        [0x3f80_4007, 0x3881_e200],
    ),
    // 9.7.9.21: numbers of at most 8 bits. The first operand is the upper one; a tie goes to the even neighbor.
    (".reg .b8 %b; cvt.rn.satfinite.e2m1x2.f32 %b, %r1, %r2; cvt.u32.u8 %r0, %b; cvt.rn.f16x2.e2m1x2 %r4, %b;", [0xc0a0_0000, 0x3fa0_0000, 0], [0xe2, 0xc400_3c00]),
    (".reg .b16 %h; cvt.rz.satfinite.relu.pzo.e2m3x2.f32 %h, %r1, %r2; cvt.u32.u16 %r0, %h; cvt.rn.bf16x2.e2m3x2 %r4, %h;", [0xc040_0000, 0x40ee_6666, 0], [0x1e, 0x40e0]),
    (".reg .b16 %h; cvt.rn.satfinite.e3m2x2.f16x2 %h, %r1; cvt.u32.u16 %r0, %h; cvt.rn.f16x2.e3m2x2 %r4, %h;", [0x7e00_b800, 0, 0], [0x1f28, 0x4f00_b800]),
    (".reg .b16 %h; cvt.rp.satfinite.ue8m0x2.f32 %h, %r1, %r2; cvt.u32.u16 %r0, %h; cvt.rn.bf16x2.ue8m0x2 %r4, %h;", [0x4040_0000, 0x7f80_0000, 0], [0x81fe, 0x4080_7f00]),
    (".reg .b16 %h; cvt.rz.ue8m0x2.bf16x2 %h, %r1; cvt.u32.u16 %r0, %h;", [0x7f80_0000, 0, 0], [0xff00, 0]),
    (".reg .b16 %h; cvt.rn.satfinite.s2f6x2.f32 %h, %r1, %r2; cvt.u32.u16 %r0, %h; cvt.rn.bf16x2.s2f6x2 %r4, %h;", [0xc020_0000, 0x3fa0_0000, 0], [0x8050, 0xc000_3fa0]),
    // Down, a value is divided by its factor, up it is multiplied.
    (".reg .b16 %h; .reg .b16 %s; cvt.u16.u32 %s, %r3; cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h, %r1, %r2, %s; cvt.u32.u16 %r0, %h; cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %r4, %h, %s;", [0x40c0_0000, 0x3e80_0000, 0x817e], [0x6020, 0x40c0_3e80]),
    (".reg .b16 %h; .reg .b16 %s; cvt.u16.u32 %h, %r1; cvt.u16.u32 %s, %r2; cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r0, %h, %s; cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2 %r4, %h, %s;", [0x38bc, 0x80fe, 0], [0x4000_ff40, 0x3f80_0000]),
    // `.scaled::n1` takes subnormal values for zero.
    (".reg .b16 %h; .reg .b8 %b; cvt.u8.u32 %b, %r3; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 %h, %r1, %r2, %b; cvt.u32.u16 %r0, %h;", [0x4080_0000, 0x8001_16c2, 0x80], [0x4080, 0]),
    (".reg .b16 %h; cvt.rn.ue5m3x2.f32 %h, %r1, %r2; cvt.u32.u16 %r0, %h; cvt.rn.f16x2.ue5m3x2 %r4, %h;", [0x3f88_0000, 0x4974_2400, 0], [0x78ff, 0x3c00_7fff]),
    // The upper bytes of both halves are 0xc000, the lower ones 0xbfff.
    (".reg .b16 %h; cvt.rs.satfinite.e2m1x4.f32 %h, {%r1, %r1, %r2, %r2}, %r3; cvt.u32.u16 %r0, %h;", [0x4010_0000, 0xc010_0000, 0xc0bf_00ff], [0x55cc, 0]),
    ("cvt.rs.satfinite.e3m2x4.f32 %r0, {%r1, %r1, %r2, %r2}, %r3;", [0x4010_0000, 0xc010_0000, 0x8000_7fff], [0x1111_3030, 0]),
    ("cvt.rn.satfinite.tf32.f32 %r0, %r1; cvt.rz.pzo.tf32.f32 %r4, %r2;", [0x7f7f_ffff, 0x8000_0001, 0], [0x7f7f_e000, 0]),
    (".reg .b16 %h; cvt.rz.pzo.f16.f32 %h, %r1; cvt.u32.u16 %r0, %h; cvt.rp.bf16.f32 %h, %r2; cvt.u32.u16 %r4, %h;", [0x8000_0000, 0xbf80_20c5, 0], [0, 0xbf80]),
    // `.ftz` is a product with 1, whose NaN is that of instructions. ptxas computes both of constants.
    (
        ".reg .b64 %a; cvt.f64.f32 %a, %r1; shr.u64 %a, %a, 29; cvt.u32.u64 %r0, %a; cvt.ftz.f64.f32 %a, %r1; shr.u64 %a, %a, 29;
cvt.u32.u64 %r4, %a;",
        [0xff80_0123, 0, 0],
        [0xffc0_0123, 0xffff_ffff],
    ),
    // 9.7.9.20: the name of a local variable is an address in local memory
    (
        ".reg .b64 %a, %b; .local .b32 v; mov.b64 %a, v; cvta.local.u64 %b, %a; st.b32 [%b], %r1; ld.local.b32 %r0, [%a];
cvta.to.local.u64 %b, %b; sub.u64 %b, %b, %a; shr.u64 %b, %b, 32; cvt.u32.u64 %r4, %b;",
        [5, 0, 0],
        [5, 0],
    ),
    (
        ".reg .b64 %a; .local .b32 v; st.local.b32 [v], %r1; mov.b64 %a, v; shr.u64 %a, %a, 32; cvt.u32.u64 %r4, %a; ld.b32 %r0, [v];",
        [5, 0, 0],
        [5, 0],
    ),
    // 9.7.4.4: 0x7ff7 stands for an element outside of a tensor
    ("fma.rn.oob.f16x2 %r0, %r1, %r2, %r3;", [0x3c00_7ff7, 0x4000_4000, 0x3c00_3c00], [0x4200_0000, 0]),
];

#[test]
fn the_text_gives_the_values() {
    let mut text =
        ".version 9.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 po, .param .u64 pi) {
.reg .b64 %in, %out; ld.param.u64 %out, [po]; ld.param.u64 %in, [pi];\n"
            .to_owned();
    for (i, (instructions, ..)) in CASES.iter().enumerate() {
        let (from, to) = (12 * i, 8 * i);
        writeln!(
            text,
            "{{ .reg .b32 %r<5>; .reg .pred %p<2>; setp.eq.u32 %p0, 0, 0; mov.b32 %r4, 0;
ld.global.b32 %r1, [%in+{from}]; ld.global.b32 %r2, [%in+{}]; ld.global.b32 %r3, [%in+{}];
{instructions}
st.global.b32 [%out+{to}], %r0; st.global.b32 [%out+{}], %r4; }}",
            from + 4,
            from + 8,
            to + 4
        )
        .unwrap();
    }
    text += "ret; }\n";
    let mut device = Device::new();
    let module = device.load(&text).unwrap_or_else(|error| panic!("{error}"));
    let (out, input) = (device.allocate(8 * CASES.len()), device.allocate(12 * CASES.len()));
    let words: Vec<u8> =
        CASES.iter().flat_map(|(_, input, _)| input).flat_map(|word| word.to_le_bytes()).collect();
    device.write(input, &words).unwrap();
    let params = [out.to_le_bytes(), input.to_le_bytes()].concat();
    let report =
        device.launch(&module, "k", &Launch { params, ..Launch::new(1, 1) }, &Options::default()).unwrap();
    assert!(report.is_clean(), "{report}");
    let mut bytes = vec![0; 8 * CASES.len()];
    device.read(out, &mut bytes).unwrap();
    let mut wrong = String::new();
    for ((instructions, input, right), result) in CASES.iter().zip(bytes.as_chunks::<8>().0) {
        let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| result[at + i]));
        let value = [half(0), half(4)];
        if value != *right {
            writeln!(wrong, "{instructions} {input:#x?}: {value:#x?}, not {right:#x?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_ptxas_refuses_of_a_video_instruction_is_refused() {
    let load = |instruction: &str| {
        let text = format!(
            ".version 9.3\n.target sm_90a\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<4>;\n{instruction}\nret; }}\n"
        );
        Device::new().load(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    for (instruction, problem) in [
        ("vadd2.u32.u32.u32 %r0, %r1, %r2, 5;", "expected a register, not `5`"),
        ("vset4.u32.u32.lt.add %r0, %r1, 5, %r3;", "expected a register, not `5`"),
        ("vmad.s32.u32.u32.po %r0, -%r1, %r2, %r3;", "`vmad` with `.po` negates no operand"),
        (
            "vmad.s32.u32.u32 %r0, -%r1, %r2, -%r3;",
            "`vmad` negates the product or the last operand, not both",
        ),
    ] {
        let error = load(instruction).unwrap_err();
        assert!(error.contains("line 5") && error.contains(problem), "{error}");
    }
    for instruction in ["vadd.u32.u32.u32.add %r0, %r1, 5, 5;", "vmad.s32.u32.u32.sat %r0, -%r1, -%r2, -%r3;"]
    {
        load(instruction).unwrap();
    }
}

#[test]
fn a_modifier_that_is_not_the_instructions_is_named_with_its_line() {
    let load = |instruction: &str| {
        let text = format!(
            ".version 9.3\n.target sm_90a\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<4>; .reg .pred %p<2>;\n{instruction}\nret; }}\n"
        );
        Device::new().load(&text).map(|_| ()).unwrap_err().to_string()
    };
    let error = load("neg.sat.f32 %r0, %r1;");
    assert!(error.contains("line 5") && error.contains("`.sat`") && error.contains("neg.sat.f32"), "{error}");
    let error = load("min.relu.u32 %r0, %r1, %r2;");
    assert!(error.contains("line 5") && error.contains("the interpreter has no `min.relu.u32`"), "{error}");
    for instruction in ["fma.rm.bf16x2 %r0, %r1, %r2, %r3;", "fma.rz.oob.relu.bf16x2 %r0, %r1, %r2, %r3;"] {
        let error = load(instruction);
        assert!(error.contains("line 5") && error.contains("Use `.rn`"), "{error}");
    }
    let error = load("{ .reg .b16 %h<4>; madc.hi.u16 %h0, %h1, %h2, %h3; }");
    assert!(
        error.contains("line 5") && error.contains("`madc.hi.u16`") && error.contains("Use `madc.lo`"),
        "{error}"
    );
    let error = load("vote.ballot.b32 %r0, %p0;");
    assert!(error.contains("line 5") && error.contains("`vote` without `.sync`"), "{error}");
    let error = load("istypep.texref %p0, %rd0;");
    assert!(error.contains("the interpreter has no `istypep`: it cannot run `istypep.texref`"), "{error}");
}

/// A kernel of 64 threads with 16 bytes of local memory each. `%r0` is the thread, `%rd1` the generic address of the memory.
fn with_local_memory(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{
            .local .align 16 .b8 mine[16]; .reg .b32 %r<4>; .reg .b64 %rd<4>;
            mov.u32 %r0, %tid.x; cvta.local.u64 %rd1, mine;
            ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r0, 4, %rd0;
            {body}
            st.global.u32 [%rd0], %r1; ret;
        }}"
    )
}

#[test]
fn strong_accesses_of_local_memory_are_those_of_one_thread() {
    for body in [
        "st.volatile.local.u32 [mine], %r0; bar.sync 0; ld.volatile.local.u32 %r1, [mine];",
        "st.relaxed.gpu.u32 [%rd1], %r0; bar.sync 0; ld.relaxed.gpu.u32 %r1, [%rd1];",
        "st.local.u32 [mine], %r0; ld.acquire.gpu.u32 %r1, [%rd1]; st.release.gpu.u32 [%rd1], 0;",
    ] {
        for schedule in 0..20 {
            let mut device = Device::new();
            let module = device.load(&with_local_memory(body)).unwrap();
            let out = device.allocate(4 * 64);
            let options = Options { schedule: Schedule::of(schedule), ..Options::default() };
            let launch = Launch { params: out.to_le_bytes().to_vec(), ..Launch::new(1, 64) };
            let report = device.launch(&module, "k", &launch, &options).unwrap();
            assert!(report.is_clean(), "{body}: {report}");
            let mut bytes = [0; 4 * 64];
            device.read(out, &mut bytes).unwrap();
            let read: Vec<u32> = bytes.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect();
            assert!(read.iter().copied().eq(0..64), "{body}, schedule {schedule}: {read:?}");
        }
    }
}

#[test]
fn an_atomic_operation_on_local_memory_faults() {
    for body in ["atom.add.u32 %r1, [%rd1], 1;", "red.add.u32 [%rd1], 1; mov.u32 %r1, 0;"] {
        let mut device = Device::new();
        let module = device.load(&with_local_memory(body)).unwrap();
        let launch = Launch { params: device.allocate(4 * 64).to_le_bytes().to_vec(), ..Launch::new(1, 64) };
        let report = device.launch(&module, "k", &launch, &Options::default()).unwrap();
        let fault = report.fault.map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("neither global nor shared"), "{fault}");
    }
}
