//! `tcgen05.ld`, `tcgen05.st`, `tcgen05.ld.red`: a warp moves words between its registers and tensor memory
//! (`cute::SM100_TMEM_LOAD_32dp32b1x` …; PTX ISA 9.7.16.8).
//!
//! A name has the shape: lanes and bits of each. `num` says how often the shape stands beside itself, which determines the number
//! of registers. A warp reaches the lanes 32 to 63 of tensor memory if its index is 1 modulo 4, and so on.
//!
//! Loads and stores are asynchronous: [`tcgen05_wait`](super::tcgen05_wait) waits for them. The results of a load may be used before,
//! as registers depend on one another. Without rows is `tcgen05.ld.spcompress`, which sm_107a alone has.

legal! {
    /// `.num`.
    Tcgen05Num(Repetitions): "`{Self}` is not a `.num` of this shape: use `num::X1`, `X2`, `X4`, `X8`, `X16`, `X32`, `X64` or `X128`"
    { num::X1, num::X2, num::X4, num::X8, num::X16, num::X32, num::X64, num::X128 }
    /// `.num` of `.16x128b`.
    Tcgen05Num2(Repetitions): "`{Self}` is not a `.num` of `.16x128b`: use `num::X1`, `X2`, `X4`, `X8`, `X16`, `X32` or `X64`"
    { num::X1, num::X2, num::X4, num::X8, num::X16, num::X32, num::X64 }
    /// `.num` of `.16x256b`.
    Tcgen05Num4(Repetitions): "`{Self}` is not a `.num` of `.16x256b`: use `num::X1`, `X2`, `X4`, `X8`, `X16` or `X32`"
    { num::X1, num::X2, num::X4, num::X8, num::X16, num::X32 }
    /// `.num` of a load that reduces.
    Tcgen05NumRed(Repetitions): "`{Self}` is not a `.num` of `tcgen05.ld.red`: use `num::X2`, `X4`, `X8`, `X16`, `X32`, `X64` or `X128`"
    { num::X2, num::X4, num::X8, num::X16, num::X32, num::X64, num::X128 }
    /// `.pack::16b`, or nothing.
    Tcgen05Pack: "`{Self}` does not say whether `tcgen05.ld` packs halves: use `pack::Pack16b` or `pack::None`"
    { pack::Pack16b, pack::None }
    /// `.unpack::16b`, or nothing.
    Tcgen05Unpack: "`{Self}` does not say whether `tcgen05.st` unpacks halves: use `pack::Unpack16b` or `pack::None`"
    { pack::Unpack16b, pack::None }
    /// `.redOp` of `tcgen05.ld.red`.
    Tcgen05RedOp: "`{Self}` is not an operation of `tcgen05.ld.red`: use `op::Min` or `op::Max`"
    { op::Min, op::Max }
    /// `.abs`, or nothing.
    Tcgen05RedAbs: "`{Self}` does not say whether `tcgen05.ld.red` takes absolute values: use `abs::Abs` or `abs::Signed`"
    { abs::Abs, abs::Signed }
    /// `.NaN`, or nothing.
    Tcgen05RedNan: "`{Self}` does not say what `tcgen05.ld.red` makes of NaN: use `nan::Propagate` or `nan::Ignore`"
    { nan::Propagate, nan::Ignore }
}

#[cfg(all(tcgen05, target_arch = "nvptx64"))]
accumulators! { with_words
    X1 0 ".x1" "{}" [ d0 ]
    X2 1 ".x2" ", {}" [ d1 ]
    X4 2 ".x4" ", {}, {}" [ d2 d3 ]
    X8 3 ".x8" ", {}, {}, {}, {}" [ d4 d5 d6 d7 ]
    X16 4 ".x16" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d8 d9 d10 d11 d12 d13 d14 d15 ]
    X32 5 ".x32"
        ", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}"
        [ d16 d17 d18 d19 d20 d21 d22 d23 d24 d25 d26 d27 d28 d29 d30 d31 ]
    X64 6 ".x64"
        ", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, \
        {}, {}, {}, {}, {}"
        [ d32 d33 d34 d35 d36 d37 d38 d39 d40 d41 d42 d43 d44 d45 d46 d47 d48 d49 d50 d51 d52 d53 d54 d55 d56 d57 d58 d59
        d60 d61 d62 d63 ]
    X128 7 ".x128"
        ", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, \
        {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, \
        {}, {}, {}, {}, {}, {}, {}, {}, {}"
        [ d64 d65 d66 d67 d68 d69 d70 d71 d72 d73 d74 d75 d76 d77 d78 d79 d80 d81 d82 d83 d84 d85 d86 d87 d88 d89 d90 d91
        d92 d93 d94 d95 d96 d97 d98 d99 d100 d101 d102 d103 d104 d105 d106 d107 d108 d109 d110 d111 d112 d113 d114 d115
        d116 d117 d118 d119 d120 d121 d122 d123 d124 d125 d126 d127 ]
}
/// Hands the repetitions of a kind of shape to a macro. A repetition of `Words2` has the registers of two of `Words`, one of `Words4`
/// those of four. A load that reduces has two repetitions at least.
#[cfg(target_arch = "nvptx64")]
macro_rules! with_repetitions {
    (Words $($then:tt)*) => { with_words!($($then)*) };
    (Words2 $($then:tt)*) => { with_words!(with_repetitions @twice [ with_repetitions @done [ $($then)* ] ]) };
    (Words4 $($then:tt)*) => {
        with_words!(with_repetitions @twice [ with_repetitions @twice [ with_repetitions @done [ $($then)* ] ] ])
    };
    (WordsRed $($then:tt)*) => { with_words!(with_repetitions @several [ $($then)* ]) };
    (@several $then:tt $one:tt $($more:tt)*) => { with_repetitions! { @done $then $($more)* } };
    // Each number of repetitions gets the registers of the next one.
    (@twice [ $then:ident $($first:tt)* ] $($all:tt)*) => { with_repetitions! { @next [ $then $($first)* ] [] $($all)* } };
    (@next $then:tt [ $($done:tt)* ] { $N:ident $id:literal $num:literal $($own:tt)* }
        { $M:ident $next:literal $of_next:literal $texts:tt $registers:tt } $($more:tt)*
    ) => {
        with_repetitions! {
            @next $then [ $($done)* { $N $id $num $texts $registers } ] { $M $next $of_next $texts $registers } $($more)*
        }
    };
    (@next [ $then:ident $($first:tt)* ] [ $($done:tt)* ] $last:tt) => { $then! { $($first)* $($done)* } };
    (@done [ $then:ident $($first:tt)* ] $($all:tt)*) => { $then! { $($first)* $($all)* } };
}

/// One instruction: what it does with its registers, the text up to `.num`, after it, and after the registers.
#[cfg(target_arch = "nvptx64")]
macro_rules! tcgen05_asm {
    (load [ $($head:literal)* ] [ $($middle:literal)* ] [ $($tail:tt)* ] [ $($operands:tt)* ] $ignored:tt
        $num:literal [ $($text:literal)* ] [ $($d:ident)* ]
    ) => {{
        let mut words = core::mem::MaybeUninit::<super::macros::Words>::uninit().assume_init();
        convergent_asm! {
            [ $($head,)* $num, $($middle,)* " {{", $($text,)* "}}", $($tail)* ]
            [ $( out(reg32) words.$d, )* $($operands)* ]
        }
        super::cast(words)
    }};
    (reduce [ $($head:literal)* ] [ $($middle:literal)* ] [ $($tail:tt)* ] [ $($operands:tt)* ] $ignored:tt
        $num:literal [ $($text:literal)* ] [ $($d:ident)* ]
    ) => {{
        let mut words = core::mem::MaybeUninit::<super::macros::Words>::uninit().assume_init();
        let reduced: u32;
        convergent_asm! {
            [ $($head,)* $num, $($middle,)* " {{", $($text,)* "}}", $($tail)* ]
            [ $( out(reg32) words.$d, )* reduced = out(reg32) reduced, $($operands)* ]
        }
        (super::cast(words), reduced)
    }};
    (store [ $($head:literal)* ] [ $($middle:literal)* ] [ $($tail:tt)* ] [ $($operands:tt)* ] [ $words:ident $($address:literal)* ]
        $num:literal [ $($text:literal)* ] [ $($d:ident)* ]
    ) => {{
        let words: super::macros::Words = super::cast($words);
        convergent_asm! {
            [ $($head,)* $num, $($middle,)* $($address,)* "{{", $($text,)* "}}", $($tail)* ]
            [ $( in(reg32) words.$d, )* $($operands)* ]
        }
    }};
}

/// The instruction of each number of repetitions.
#[cfg(target_arch = "nvptx64")]
macro_rules! tcgen05_repetitions {
    ($how:ident $head:tt $middle:tt $tail:tt $operands:tt $more:tt $( { $N:ident $id:literal $num:literal $texts:tt $registers:tt } )*) => {
        match <Num as $crate::qualifier::Qualifier>::ID {
            $( $id => tcgen05_asm!($how $head $middle $tail $operands $more $num $texts $registers), )*
            // No other tag is in the set.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
}

/// The instruction of each tag of qualifiers of two tags, the second of which is `_`. Their text follows `.num`.
#[cfg(target_arch = "nvptx64")]
macro_rules! tcgen05_tags {
    ([] $words:ident $how:ident $head:tt [ $($middle:literal)* ] [ $($type:literal)* ] $($row:tt)*) => {
        with_repetitions!($words tcgen05_repetitions $how $head [ $($middle)* $($type)* ] $($row)*)
    };
    ([ [ $Q:ident $Legal:ident $axis:ident $One:ident $one:literal $Two:ident $two:literal ] $($more:tt)* ]
        $words:ident $how:ident $head:tt [ $($middle:literal)* ] $($row:tt)*
    ) => {{
        const ONE: u8 = <$crate::qualifier::$axis::$One as $crate::qualifier::Qualifier>::ID;
        match <$Q as $crate::qualifier::Qualifier>::ID {
            ONE => tcgen05_tags!([ $($more)* ] $words $how $head [ $($middle)* $one ] $($row)*),
            _ => tcgen05_tags!([ $($more)* ] $words $how $head [ $($middle)* $two ] $($row)*),
        }
    }};
}

/// Calls an instruction with all tags, for a probe.
#[cfg(all(probe, target_arch = "nvptx64"))]
macro_rules! tcgen05_probe {
    ([] $words:ident $call:tt $tags:tt) => { with_repetitions!($words tcgen05_probe @each $call $tags) };
    ([ [ $Q:ident $Legal:ident $axis:ident $One:ident $one:literal $Two:ident $two:literal ] $($more:tt)* ] $words:ident $call:tt
        [ $($tags:tt)* ]
    ) => {
        tcgen05_probe!([ $($more)* ] $words $call [ $($tags)* $crate::qualifier::$axis::$One, ]);
        tcgen05_probe!([ $($more)* ] $words $call [ $($tags)* $crate::qualifier::$axis::$Two, ]);
    };
    (@each $call:tt $tags:tt $( { $N:ident $id:literal $num:literal $texts:tt $registers:tt } )*) => { $(
        tcgen05_probe!(@one $N $call $tags);
    )* };
    (@one $N:ident [ $name:ident $operands:ident $offset:tt $words:tt ] [ $($tags:tt)* ]) => {
        tcgen05_probe!(@call $name $N $operands $offset $words [ $($tags)* ]);
    };
    (@call $name:ident $N:ident $operands:ident $offset:tt [] [ $($tags:tt)* ]) => {
        tcgen05_probe!(@of $name $offset [ $crate::qualifier::num::$N, $($tags)* ] [ super::read($operands) ]);
    };
    // Nothing reads the registers, so they need no value.
    (@call $name:ident $N:ident $operands:ident $offset:tt [ store ] [ $($tags:tt)* ]) => {
        tcgen05_probe!(@of $name $offset [ $crate::qualifier::num::$N, $($tags)* ]
            [ super::read($operands), core::mem::MaybeUninit::uninit().assume_init() ]);
    };
    (@of $name:ident [] [ $($tags:tt)* ] [ $($args:tt)* ]) => { _ = $name($($tags)* $($args)*); };
    (@of $name:ident [ $OFFSET:ident ] [ $($Tag:path),* $(,)? ] [ $($args:tt)* ]) => {
        _ = $name::<$($Tag,)* 16>($($Tag,)* $($args)*);
    };
}

/// A load or a store: its shape, the registers of a repetition, the qualifiers after `.num`, and the type.
macro_rules! tcgen05_transfer {
    ($( $( #[$doc:meta] )* fn $name:ident, $how:ident, $Words:ident, $Legal:ident, $shape:literal,
        [ $($tags:tt)* ], $type:literal, $form:literal, $gate:ident $gated:literal, $isa:literal, $section:literal $(, $OFFSET:ident $offset:literal)?; )*
    ) => { $( tcgen05_transfer! {
        @$how [ $( #[$doc] )* ] $name [ $Words $Legal ] $shape [ $($tags)* ] $type $form [ $gate $gated $isa $section ] [ $($OFFSET $offset)? ]
    } )* };
    (@load $doc:tt $name:ident [ $Words:ident $Legal:ident ] $shape:literal $tags:tt $type:literal $form:literal $claims:tt
        [ $($OFFSET:ident $offset:literal)? ]
    ) => {
        tcgen05_transfer! { @item $doc $name $Words $Words $Legal $tags $form $claims [ $($OFFSET)? ] [] [] [ Num::$Words ]
            { load [ "tcgen05.ld.sync.aligned." $shape ] [] [ $type ] [ ", [{taddr}]" $($offset)? ] [] }
            "- No thread overwrites the columns until a [`tcgen05_wait`](super::tcgen05_wait) has waited for the load."
        }
    };
    (@reduce $doc:tt $name:ident [ $Words:ident $Legal:ident ] $shape:literal $tags:tt $type:literal $form:literal $claims:tt
        [ $($OFFSET:ident $offset:literal)? ]
    ) => {
        tcgen05_transfer! { @item $doc $name $Words WordsRed $Legal $tags $form $claims [ $($OFFSET)? ] [] [] [ (Num::$Words, u32) ]
            { reduce [ "tcgen05.ld.red.sync.aligned." $shape ] [] [ $type ] [ ", {reduced}, [{taddr}]" $($offset)? ] [] }
            "- No thread overwrites the columns until a [`tcgen05_wait`](super::tcgen05_wait) has waited for the load."
        }
    };
    (@store $doc:tt $name:ident [ $Words:ident $Legal:ident ] $shape:literal $tags:tt $type:literal $form:literal $claims:tt
        [ $($OFFSET:ident $offset:literal)? ]
    ) => {
        tcgen05_transfer! {
            @item $doc $name $Words $Words $Legal $tags $form $claims [ $($OFFSET)? ] [ words: Num::$Words, ] [ store ] [ () ]
            { store [ "tcgen05.st.sync.aligned." $shape ] [] [ $type ] [ ] [ words " [{taddr}]" $($offset)? ", " ] }
            "- No thread accesses the columns until a [`tcgen05_wait`](super::tcgen05_wait) has waited for the store."
        }
    };
    (@item [ $($doc:tt)* ] $name:ident $Words:ident $With:ident $Legal:ident
        [ $( [ $Q:ident $QLegal:ident $axis:ident $One:ident $one:literal $Two:ident $two:literal ] )* ] $form:literal
        [ $gate:ident $gated:literal $isa:literal $section:literal ] [ $($OFFSET:ident)? ] [ $($words:ident: $WordsType:ty,)? ] $stores:tt [ $Out:ty ]
        { $how:ident $head:tt $middle:tt $type:tt [ $($tail:literal)* ] $more:tt } $safety:literal
    ) => {
        #[doc = concat!("`", $form, "`\n")]
        $($doc)*
        #[doc = concat!("\nPTX ISA ", $isa, ", target ", gate_text!($gate), ". Section ", $section, ".")]
        ///
        /// # Safety
        /// - All 32 threads of the warp execute this same instruction together, with the same `taddr`, and none has exited.
        /// - `taddr` is an address of tensor memory that the CTA has allocated. The lanes are those of the warp: 32 from 32 times its
        ///   index in its four warps on. All columns are allocated.
        #[doc = $safety]
        /// - Other threads' accesses to the columns and those of `tcgen05.mma` and its like are ordered with this one (PTX ISA 9.7.16.6).
        #[cfg($gate)]
        #[inline(always)]
        #[allow(non_snake_case, unused_variables)]
        pub unsafe fn $name<Num: super::$Legal $(, $Q: super::$QLegal)* $(, const $OFFSET: u32)?>(
            Num: Num, $( $Q: $Q, )* taddr: u32, $($words: $WordsType)?
        ) -> $Out {
            #[cfg(not(target_arch = "nvptx64"))]
            super::off_target(stringify!($name));
            // SAFETY: the caller keeps the contract above; the text is the instruction, and its operands are those registers that the
            // repetitions have.
            #[cfg(target_arch = "nvptx64")]
            #[allow(unused_unsafe)]
            unsafe {
                tcgen05_tags!(
                    [ $( [ $Q $QLegal $axis $One $one $Two $two ] )* ] $With $how $head $middle $type
                    [ $($tail,)* "; // ptx:", $isa, ] [ taddr = in(reg32) taddr, $( OFFSET = const $OFFSET, )? ] $more
                )
            }
        }
        #[cfg(not($gate))]
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!($gate) = closed!($gate);

        #[cfg(all($gate, probe, target_arch = "nvptx64"))]
        const _: () = {
            #[unsafe(export_name = concat!("probe_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn probe(operands: *mut u64) {
                // SAFETY: never run; compiled for its text.
                #[allow(unused_unsafe)]
                unsafe {
                    core::arch::asm!(concat!(
                        "// row:", module_path!(), "@@", stringify!($name), "@@", $form, "@@", $isa, "@@sm_100@@", $section,
                        "@@convergent@@", $gated, " @@", stringify!([ $Legal $( [ $axis::$One $axis::$Two ] )* ])
                    ), options(raw));
                    tcgen05_probe!(
                        [ $( [ $Q $QLegal $axis $One $one $Two $two ] )* ] $With
                        [ $name operands [ $($OFFSET)? ] $stores ] []
                    );
                }
            }
        };
    };
}

tcgen05_transfer! {
    /// Loads 32 lanes, a column of each, for each repetition.
    fn tcgen05_ld_32x32b, load, Words, Tcgen05Num, "32x32b", [ [ Pack Tcgen05Pack pack Pack16b ".pack::16b" None "" ] ], ".b32",
    "tcgen05.ld.sync.aligned.32x32b{.num}{.pack}.b32 r, [taddr];", tcgen05 "tcgen05", "8.6", "9.7.16.8.3";
    /// Loads 16 lanes, two columns of each, for each repetition.
    fn tcgen05_ld_16x64b, load, Words, Tcgen05Num, "16x64b", [ [ Pack Tcgen05Pack pack Pack16b ".pack::16b" None "" ] ], ".b32",
    "tcgen05.ld.sync.aligned.16x64b{.num}{.pack}.b32 r, [taddr];", tcgen05 "tcgen05", "8.6", "9.7.16.8.3";
    /// Loads 16 lanes, four columns of each, for each repetition.
    fn tcgen05_ld_16x128b, load, Words2, Tcgen05Num2, "16x128b", [ [ Pack Tcgen05Pack pack Pack16b ".pack::16b" None "" ] ], ".b32",
    "tcgen05.ld.sync.aligned.16x128b{.num}{.pack}.b32 r, [taddr];", tcgen05 "tcgen05", "8.6", "9.7.16.8.3";
    /// Loads 16 lanes, eight columns of each, for each repetition.
    fn tcgen05_ld_16x256b, load, Words4, Tcgen05Num4, "16x256b", [ [ Pack Tcgen05Pack pack Pack16b ".pack::16b" None "" ] ], ".b32",
    "tcgen05.ld.sync.aligned.16x256b{.num}{.pack}.b32 r, [taddr];", tcgen05 "tcgen05", "8.6", "9.7.16.8.3";
    /// Loads 16 lanes, a column of each from `taddr` and one from `OFFSET` columns behind, for each repetition.
    fn tcgen05_ld_16x32bx2, load, Words, Tcgen05Num, "16x32bx2", [ [ Pack Tcgen05Pack pack Pack16b ".pack::16b" None "" ] ], ".b32",
    "tcgen05.ld.sync.aligned.16x32bx2{.num}{.pack}.b32 r, [taddr], OFFSET;", tcgen05 "tcgen05", "8.6", "9.7.16.8.3", OFFSET ", {OFFSET}";
    /// Stores to 32 lanes, a column of each, for each repetition.
    fn tcgen05_st_32x32b, store, Words, Tcgen05Num, "32x32b", [ [ Pack Tcgen05Unpack pack Unpack16b ".unpack::16b" None "" ] ], ".b32",
    "tcgen05.st.sync.aligned.32x32b{.num}{.unpack}.b32 [taddr], r;", tcgen05 "tcgen05", "8.6", "9.7.16.8.4";
    /// Stores to 16 lanes, two columns of each, for each repetition.
    fn tcgen05_st_16x64b, store, Words, Tcgen05Num, "16x64b", [ [ Pack Tcgen05Unpack pack Unpack16b ".unpack::16b" None "" ] ], ".b32",
    "tcgen05.st.sync.aligned.16x64b{.num}{.unpack}.b32 [taddr], r;", tcgen05 "tcgen05", "8.6", "9.7.16.8.4";
    /// Stores to 16 lanes, four columns of each, for each repetition.
    fn tcgen05_st_16x128b, store, Words2, Tcgen05Num2, "16x128b", [ [ Pack Tcgen05Unpack pack Unpack16b ".unpack::16b" None "" ] ], ".b32",
    "tcgen05.st.sync.aligned.16x128b{.num}{.unpack}.b32 [taddr], r;", tcgen05 "tcgen05", "8.6", "9.7.16.8.4";
    /// Stores to 16 lanes, eight columns of each, for each repetition.
    fn tcgen05_st_16x256b, store, Words4, Tcgen05Num4, "16x256b", [ [ Pack Tcgen05Unpack pack Unpack16b ".unpack::16b" None "" ] ], ".b32",
    "tcgen05.st.sync.aligned.16x256b{.num}{.unpack}.b32 [taddr], r;", tcgen05 "tcgen05", "8.6", "9.7.16.8.4";
    /// Stores to 16 lanes, a column of each from `taddr` and one from `OFFSET` columns behind, for each repetition.
    fn tcgen05_st_16x32bx2, store, Words, Tcgen05Num, "16x32bx2", [ [ Pack Tcgen05Unpack pack Unpack16b ".unpack::16b" None "" ] ], ".b32",
    "tcgen05.st.sync.aligned.16x32bx2{.num}{.unpack}.b32 [taddr], OFFSET, r;", tcgen05 "tcgen05", "8.6", "9.7.16.8.4", OFFSET ", {OFFSET}";
}

// With a reduction.
tcgen05_transfer! {
    /// Loads 32 lanes, and returns beside the words the minimum or the maximum of each lane's `.f32`.
    fn tcgen05_ld_red_32x32b_f32, reduce, Words, Tcgen05NumRed, "32x32b", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ] [ Abs Tcgen05RedAbs abs Abs ".abs" Signed "" ] [ Nan Tcgen05RedNan nan Propagate ".NaN" Ignore "" ]
    ], ".f32",
    "tcgen05.ld.red.sync.aligned.32x32b{.num}{.redOp}{.abs}{.NaN}.f32 r, redval, [taddr];", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3";
    /// Loads 32 lanes, and returns beside the words the minimum or the maximum of each lane's `.u32`.
    fn tcgen05_ld_red_32x32b_u32, reduce, Words, Tcgen05NumRed, "32x32b", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ]
    ], ".u32",
    "tcgen05.ld.red.sync.aligned.32x32b{.num}{.redOp}.u32 r, redval, [taddr];", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3";
    /// Loads 32 lanes, and returns beside the words the minimum or the maximum of each lane's `.s32`.
    fn tcgen05_ld_red_32x32b_s32, reduce, Words, Tcgen05NumRed, "32x32b", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ]
    ], ".s32",
    "tcgen05.ld.red.sync.aligned.32x32b{.num}{.redOp}.s32 r, redval, [taddr];", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3";
    /// Loads 16 lanes, as [`tcgen05_ld_16x32bx2`] does, and returns beside the words the minimum or the maximum of each lane's `.f32`.
    fn tcgen05_ld_red_16x32bx2_f32, reduce, Words, Tcgen05NumRed, "16x32bx2", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ] [ Abs Tcgen05RedAbs abs Abs ".abs" Signed "" ] [ Nan Tcgen05RedNan nan Propagate ".NaN" Ignore "" ]
    ], ".f32",
    "tcgen05.ld.red.sync.aligned.16x32bx2{.num}{.redOp}{.abs}{.NaN}.f32 r, redval, [taddr], OFFSET;", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3", OFFSET ", {OFFSET}";
    /// Loads 16 lanes, as [`tcgen05_ld_16x32bx2`] does, and returns beside the words the minimum or the maximum of each lane's `.u32`.
    fn tcgen05_ld_red_16x32bx2_u32, reduce, Words, Tcgen05NumRed, "16x32bx2", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ]
    ], ".u32",
    "tcgen05.ld.red.sync.aligned.16x32bx2{.num}{.redOp}.u32 r, redval, [taddr], OFFSET;", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3", OFFSET ", {OFFSET}";
    /// Loads 16 lanes, as [`tcgen05_ld_16x32bx2`] does, and returns beside the words the minimum or the maximum of each lane's `.s32`.
    fn tcgen05_ld_red_16x32bx2_s32, reduce, Words, Tcgen05NumRed, "16x32bx2", [
        [ Op Tcgen05RedOp op Min ".min" Max ".max" ]
    ], ".s32",
    "tcgen05.ld.red.sync.aligned.16x32bx2{.num}{.redOp}.s32 r, redval, [taddr], OFFSET;", tcgen05_ld_red "tcgen05_ld_red", "8.8", "9.7.16.8.3", OFFSET ", {OFFSET}";
}
