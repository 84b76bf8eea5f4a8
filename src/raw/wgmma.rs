//! `wgmma`: a warpgroup multiplies matrices asynchronously (`cute::SM90_64x128x16_F32F16F16_SS` …; PTX ISA 9.7.15).
//!
//! A name has the type of the sums and that of the elements; `_registers` says that `a` is in registers rather than in shared
//! memory, `sp` that A is sparse. The first argument is the number of columns, on which the number of accumulators depends.
//!
//! The sums of the instruction arrive in the registers of its result after a [`wgmma_wait_group`]. The compiler does not know
//! that: it may move a use of the result before the wait. [`wgmma_wait_group_with`] takes the result and returns it, so that
//! uses follow the wait, and [`wgmma_fence_with`] does so for what is written before a fence.

legal! {
    /// `imm-scale-a` or `imm-scale-b`.
    WgmmaScale(Immediate): "`{Self}` does not say whether a matrix of `wgmma` is negated: use `scale::Plus` or `scale::Minus`"
    { scale::Plus, scale::Minus }
    /// `imm-trans-a` or `imm-trans-b`.
    WgmmaMajor(Immediate): "`{Self}` is not the order of a matrix of `wgmma`: use `major::K` or `major::Mn`"
    { major::K, major::Mn }
    /// `sp-sel`, where two lanes of four have the metadata.
    WgmmaSelector2(Immediate): "`{Self}` is not a sparsity selector of this `wgmma.mma_async.sp`: use `selector::S0` or `selector::S1`"
    { selector::S0, selector::S1 }
    /// `sp-sel`, where all lanes have metadata.
    WgmmaSelector1(Immediate): "`{Self}` is not a sparsity selector of this `wgmma.mma_async.sp`: use `selector::S0`"
    { selector::S0 }
    WgmmaF8: "`{Self}` is not a type of 8-bit floats of `wgmma`: use `ty::E4m3` or `ty::E5m2`"
    { ty::E4m3, ty::E5m2 }
    WgmmaI8: "`{Self}` is not a type of 8-bit integers of `wgmma`: use `element::S8` or `element::U8`"
    { element::S8, element::U8 }
    /// `.satfinite`, or nothing.
    WgmmaSat: "`{Self}` does not say whether sums of integers are clamped: use `satfinite::Satfinite` or `satfinite::None`"
    { satfinite::Satfinite, satfinite::None }
}

#[cfg(all(wgmma, target_arch = "nvptx64"))]
accumulators! { with_f32
    N8 0 "8" "{}, {}, {}, {}" [ d0 d1 d2 d3 ]
    N16 1 "16" ", {}, {}, {}, {}" [ d4 d5 d6 d7 ]
    N24 2 "24" ", {}, {}, {}, {}" [ d8 d9 d10 d11 ]
    N32 3 "32" ", {}, {}, {}, {}" [ d12 d13 d14 d15 ]
    N40 4 "40" ", {}, {}, {}, {}" [ d16 d17 d18 d19 ]
    N48 5 "48" ", {}, {}, {}, {}" [ d20 d21 d22 d23 ]
    N56 6 "56" ", {}, {}, {}, {}" [ d24 d25 d26 d27 ]
    N64 7 "64" ", {}, {}, {}, {}" [ d28 d29 d30 d31 ]
    N72 8 "72" ", {}, {}, {}, {}" [ d32 d33 d34 d35 ]
    N80 9 "80" ", {}, {}, {}, {}" [ d36 d37 d38 d39 ]
    N88 10 "88" ", {}, {}, {}, {}" [ d40 d41 d42 d43 ]
    N96 11 "96" ", {}, {}, {}, {}" [ d44 d45 d46 d47 ]
    N104 12 "104" ", {}, {}, {}, {}" [ d48 d49 d50 d51 ]
    N112 13 "112" ", {}, {}, {}, {}" [ d52 d53 d54 d55 ]
    N120 14 "120" ", {}, {}, {}, {}" [ d56 d57 d58 d59 ]
    N128 15 "128" ", {}, {}, {}, {}" [ d60 d61 d62 d63 ]
    N136 16 "136" ", {}, {}, {}, {}" [ d64 d65 d66 d67 ]
    N144 17 "144" ", {}, {}, {}, {}" [ d68 d69 d70 d71 ]
    N152 18 "152" ", {}, {}, {}, {}" [ d72 d73 d74 d75 ]
    N160 19 "160" ", {}, {}, {}, {}" [ d76 d77 d78 d79 ]
    N168 20 "168" ", {}, {}, {}, {}" [ d80 d81 d82 d83 ]
    N176 21 "176" ", {}, {}, {}, {}" [ d84 d85 d86 d87 ]
    N184 22 "184" ", {}, {}, {}, {}" [ d88 d89 d90 d91 ]
    N192 23 "192" ", {}, {}, {}, {}" [ d92 d93 d94 d95 ]
    N200 24 "200" ", {}, {}, {}, {}" [ d96 d97 d98 d99 ]
    N208 25 "208" ", {}, {}, {}, {}" [ d100 d101 d102 d103 ]
    N216 26 "216" ", {}, {}, {}, {}" [ d104 d105 d106 d107 ]
    N224 27 "224" ", {}, {}, {}, {}" [ d108 d109 d110 d111 ]
    N232 28 "232" ", {}, {}, {}, {}" [ d112 d113 d114 d115 ]
    N240 29 "240" ", {}, {}, {}, {}" [ d116 d117 d118 d119 ]
    N248 30 "248" ", {}, {}, {}, {}" [ d120 d121 d122 d123 ]
    N256 31 "256" ", {}, {}, {}, {}" [ d124 d125 d126 d127 ]
}
#[cfg(all(wgmma, target_arch = "nvptx64"))]
accumulators! { with_f16
    N8 0 "8" "{}, {}" [ d0 d1 ]
    N16 1 "16" ", {}, {}" [ d2 d3 ]
    N24 2 "24" ", {}, {}" [ d4 d5 ]
    N32 3 "32" ", {}, {}" [ d6 d7 ]
    N40 4 "40" ", {}, {}" [ d8 d9 ]
    N48 5 "48" ", {}, {}" [ d10 d11 ]
    N56 6 "56" ", {}, {}" [ d12 d13 ]
    N64 7 "64" ", {}, {}" [ d14 d15 ]
    N72 8 "72" ", {}, {}" [ d16 d17 ]
    N80 9 "80" ", {}, {}" [ d18 d19 ]
    N88 10 "88" ", {}, {}" [ d20 d21 ]
    N96 11 "96" ", {}, {}" [ d22 d23 ]
    N104 12 "104" ", {}, {}" [ d24 d25 ]
    N112 13 "112" ", {}, {}" [ d26 d27 ]
    N120 14 "120" ", {}, {}" [ d28 d29 ]
    N128 15 "128" ", {}, {}" [ d30 d31 ]
    N136 16 "136" ", {}, {}" [ d32 d33 ]
    N144 17 "144" ", {}, {}" [ d34 d35 ]
    N152 18 "152" ", {}, {}" [ d36 d37 ]
    N160 19 "160" ", {}, {}" [ d38 d39 ]
    N168 20 "168" ", {}, {}" [ d40 d41 ]
    N176 21 "176" ", {}, {}" [ d42 d43 ]
    N184 22 "184" ", {}, {}" [ d44 d45 ]
    N192 23 "192" ", {}, {}" [ d46 d47 ]
    N200 24 "200" ", {}, {}" [ d48 d49 ]
    N208 25 "208" ", {}, {}" [ d50 d51 ]
    N216 26 "216" ", {}, {}" [ d52 d53 ]
    N224 27 "224" ", {}, {}" [ d54 d55 ]
    N232 28 "232" ", {}, {}" [ d56 d57 ]
    N240 29 "240" ", {}, {}" [ d58 d59 ]
    N248 30 "248" ", {}, {}" [ d60 d61 ]
    N256 31 "256" ", {}, {}" [ d62 d63 ]
}
#[cfg(all(wgmma, target_arch = "nvptx64"))]
accumulators! { with_s32
    N8 0 "8" "{}, {}, {}, {}" [ d0 d1 d2 d3 ]
    N16 1 "16" ", {}, {}, {}, {}" [ d4 d5 d6 d7 ]
    N24 2 "24" ", {}, {}, {}, {}" [ d8 d9 d10 d11 ]
    N32 3 "32" ", {}, {}, {}, {}" [ d12 d13 d14 d15 ]
    N48 5 "48" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d16 d17 d18 d19 d20 d21 d22 d23 ]
    N64 7 "64" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d24 d25 d26 d27 d28 d29 d30 d31 ]
    N80 9 "80" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d32 d33 d34 d35 d36 d37 d38 d39 ]
    N96 11 "96" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d40 d41 d42 d43 d44 d45 d46 d47 ]
    N112 13 "112" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d48 d49 d50 d51 d52 d53 d54 d55 ]
    N128 15 "128" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d56 d57 d58 d59 d60 d61 d62 d63 ]
    N144 17 "144" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d64 d65 d66 d67 d68 d69 d70 d71 ]
    N160 19 "160" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d72 d73 d74 d75 d76 d77 d78 d79 ]
    N176 21 "176" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d80 d81 d82 d83 d84 d85 d86 d87 ]
    N192 23 "192" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d88 d89 d90 d91 d92 d93 d94 d95 ]
    N208 25 "208" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d96 d97 d98 d99 d100 d101 d102 d103 ]
    N224 27 "224" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d104 d105 d106 d107 d108 d109 d110 d111 ]
    N240 29 "240" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d112 d113 d114 d115 d116 d117 d118 d119 ]
    N256 31 "256" ", {}, {}, {}, {}, {}, {}, {}, {}" [ d120 d121 d122 d123 d124 d125 d126 d127 ]
}

/// Hands the columns of a type of sums to a macro.
#[cfg(target_arch = "nvptx64")]
macro_rules! with_accumulators {
    (F32 $($then:tt)*) => { with_f32!($($then)*) };
    (F16 $($then:tt)*) => { with_f16!($($then)*) };
    (S32 $($then:tt)*) => { with_s32!($($then)*) };
}

/// One instruction: the text up to the columns, after them, and after the accumulators; the other operands; the sums, the
/// columns, and the text and the registers of the accumulators.
#[cfg(target_arch = "nvptx64")]
macro_rules! wgmma_asm {
    ([ $($head:literal)* ] [ $($types:literal)* ] [ $($tail:tt)* ] [ $($operands:tt)* ] $sums:ident
        $n:literal [ $($text:literal)* ] [ $($d:ident)* ]
    ) => {{
        let mut words: super::macros::Words = super::cast($sums);
        convergent_asm! {
            [ $($head,)* $n, $($types,)* " {{", $($text,)* "}}, ", $($tail)* ]
            [ $( inout(reg32) words.$d, )* $($operands)* ]
        }
        super::cast(words)
    }};
}

/// The instruction of each number of columns.
#[cfg(target_arch = "nvptx64")]
macro_rules! wgmma_columns {
    ($head:tt $types:tt $tail:tt $operands:tt $sums:ident $( { $N:ident $id:literal $n:literal $texts:tt $registers:tt } )*) => {
        match <N as $crate::qualifier::Qualifier>::ID {
            $( $id => wgmma_asm!($head $types $tail $operands $sums $n $texts $registers), )*
            // No other tag is in the set.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
}

/// The instruction of each pair of types, with the PTX version of the pair. In a set of two tags, `_` is the second one.
#[cfg(target_arch = "nvptx64")]
macro_rules! wgmma_types {
    (one $types:literal $($row:tt)*) => { wgmma_types!(@of "8.0" $types $($row)*) };
    (f8 $($row:tt)*) => {{
        const E4M3: u8 = <$crate::qualifier::ty::E4m3 as $crate::qualifier::Qualifier>::ID;
        match <A as $crate::qualifier::Qualifier>::ID {
            E4M3 => match <B as $crate::qualifier::Qualifier>::ID {
                E4M3 => wgmma_types!(@of "8.0" ".e4m3.e4m3" $($row)*),
                _ => wgmma_types!(@of "8.0" ".e4m3.e5m2" $($row)*),
            },
            _ => match <B as $crate::qualifier::Qualifier>::ID {
                E4M3 => wgmma_types!(@of "8.0" ".e5m2.e4m3" $($row)*),
                _ => wgmma_types!(@of "8.0" ".e5m2.e5m2" $($row)*),
            },
        }
    }};
    (i8 $($row:tt)*) => {{
        const S8: u8 = <$crate::qualifier::element::S8 as $crate::qualifier::Qualifier>::ID;
        match <A as $crate::qualifier::Qualifier>::ID {
            S8 => match <B as $crate::qualifier::Qualifier>::ID {
                S8 => wgmma_types!(@sat "8.0" ".s8.s8" ".s8.s8.satfinite" $($row)*),
                _ => wgmma_types!(@sat "8.4" ".s8.u8" ".s8.u8.satfinite" $($row)*),
            },
            _ => match <B as $crate::qualifier::Qualifier>::ID {
                S8 => wgmma_types!(@sat "8.4" ".u8.s8" ".u8.s8.satfinite" $($row)*),
                _ => wgmma_types!(@sat "8.0" ".u8.u8" ".u8.u8.satfinite" $($row)*),
            },
        }
    }};
    (@sat $isa:literal $wraps:literal $clamps:literal $($row:tt)*) => {{
        const CLAMPS: u8 = <$crate::qualifier::satfinite::Satfinite as $crate::qualifier::Qualifier>::ID;
        match <Sat as $crate::qualifier::Qualifier>::ID {
            CLAMPS => wgmma_types!(@of $isa $clamps $($row)*),
            _ => wgmma_types!(@of $isa $wraps $($row)*),
        }
    }};
    (@of $isa:literal $types:literal $kind:ident $head:tt [ $($shape:literal)* ] [ $($tail:tt)* ] $operands:tt $sums:ident) => {
        with_accumulators!($kind wgmma_columns $head [ $($shape)* $types ] [ $($tail)* " ptx:", $isa, ] $operands $sums)
    };
}

/// The types that a probe calls an instruction with.
#[cfg(all(probe, target_arch = "nvptx64"))]
macro_rules! wgmma_probe {
    (one $types:literal $($call:tt)*) => { wgmma_probe!(@call [] $($call)*) };
    (f8 $($call:tt)*) => {
        wgmma_probe!(@call [ $crate::qualifier::ty::E4m3, $crate::qualifier::ty::E4m3, ] $($call)*);
        wgmma_probe!(@call [ $crate::qualifier::ty::E4m3, $crate::qualifier::ty::E5m2, ] $($call)*);
        wgmma_probe!(@call [ $crate::qualifier::ty::E5m2, $crate::qualifier::ty::E4m3, ] $($call)*);
        wgmma_probe!(@call [ $crate::qualifier::ty::E5m2, $crate::qualifier::ty::E5m2, ] $($call)*);
    };
    (i8 $($call:tt)*) => {
        wgmma_probe!(@sat [ $crate::qualifier::element::S8, $crate::qualifier::element::S8, ] $($call)*);
        wgmma_probe!(@sat [ $crate::qualifier::element::S8, $crate::qualifier::element::U8, ] $($call)*);
        wgmma_probe!(@sat [ $crate::qualifier::element::U8, $crate::qualifier::element::S8, ] $($call)*);
        wgmma_probe!(@sat [ $crate::qualifier::element::U8, $crate::qualifier::element::U8, ] $($call)*);
    };
    (@sat [ $($types:tt)* ] $($call:tt)*) => {
        wgmma_probe!(@call [ $($types)* $crate::qualifier::satfinite::Satfinite, ] $($call)*);
        wgmma_probe!(@call [ $($types)* $crate::qualifier::satfinite::None, ] $($call)*);
    };
    (@call $types:tt $kind:ident $name:ident $immediates:tt $operands:ident [ $($sparse:ident)? ]) => {
        with_accumulators!($kind wgmma_probe @each $name $types $immediates $operands [ $($sparse)? ])
    };
    (@each $name:ident $types:tt $immediates:tt $operands:ident $sparse:tt
        $( { $N:ident $id:literal $n:literal $texts:tt $registers:tt } )*
    ) => { $(
        wgmma_probe!(@one $name $N $types $immediates $operands $sparse);
    )* };
    // Nothing reads the registers of the accumulators, so they need no value.
    (@one $name:ident $N:ident [ $($types:tt)* ] [ $($immediate:tt)* ] $operands:ident []) => {
        _ = $name(
            $crate::qualifier::n::$N, $($types)* $($immediate)* core::mem::MaybeUninit::uninit().assume_init(),
            super::read($operands), super::read($operands), super::read($operands),
        );
    };
    (@one $name:ident $N:ident [ $($types:tt)* ] [ $($immediate:tt)* ] $operands:ident [ $metadata:ident ]) => {
        _ = $name(
            $crate::qualifier::n::$N, $($types)* $($immediate)* core::mem::MaybeUninit::uninit().assume_init(),
            super::read($operands), super::read($operands), super::read($operands), super::read($operands),
        );
    };
}

// Without the gate, an instruction is its name.
#[cfg(not(wgmma))]
macro_rules! wgmma {
    ($( #[$doc:meta] )* fn $name:ident, $($row:tt)*) => {
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!(wgmma) = closed!(wgmma);
    };
}
#[cfg(wgmma)]
macro_rules! wgmma {
    ($( #[$doc:meta] )* fn $name:ident, descriptor, $($row:tt)*) => { wgmma! {
        @a [ a: u64 ] [ a = in(reg64) a, ] [ "{a}, ", ] []
        "- `a` and `b` are matrix descriptors (PTX ISA 9.7.15.5.1.2.2) of matrices in shared memory of the executing CTA."
        { [ $(#[$doc])* ] $name } $($row)*
    } };
    ($( #[$doc:meta] )* fn $name:ident, registers, $($row:tt)*) => { wgmma! {
        @a [ a: [u32; 4] ] [ a0 = in(reg32) a0, a1 = in(reg32) a1, a2 = in(reg32) a2, a3 = in(reg32) a3, ]
        [ "{{{a0}, {a1}, {a2}, {a3}}}, ", ] [ let [a0, a1, a2, a3] = a; ]
        "- `b` is the matrix descriptor (PTX ISA 9.7.15.5.1.2.2) of a matrix in shared memory of the executing CTA."
        { [ $(#[$doc])* ] $name } $($row)*
    } };
    (@a $a:tt $operands:tt $text:tt $let:tt $safety:literal $name:tt dense, $($row:tt)*) => { wgmma! {
        @item $a $operands $text $let $safety [] [] [] [] "8.0" "9.7.15.5.2" "wgmma.mma_async.sync.aligned.m64n" $name $($row)*
    } };
    (@a $a:tt $operands:tt $text:tt $let:tt $safety:literal $name:tt sparse, $($row:tt)*) => { wgmma! {
        @item $a $operands $text $let $safety [ metadata: u32, ]
        [ metadata = in(reg32) metadata, ] [ "{metadata}, {Selector}, ", ]
        [ "- Each four bits of the metadata of the lanes that `Selector` selects are indices that PTX ISA 9.7.15.6.1 allows." ]
        "8.2" "9.7.15.6.4" "wgmma.mma_async.sp.sync.aligned.m64n" $name $($row)*
    } };
    (@item
        [ $a:ident: $A:ty ] [ $($a_operands:tt)* ] [ $($a_text:tt)* ] [ $($let:tt)* ] $safety:literal
        [ $($metadata:ident: $Metadata:ty,)? ] [ $($meta_operands:tt)* ] [ $($meta_text:tt)* ] [ $($meta_safety:literal)? ]
        $isa:literal $section:literal $head:literal { [ $($doc:tt)* ] $name:ident }
        $kind:ident, $Columns:ident, $shape:literal, [ $($types:tt)* ] [ $($Q:ident: $Legal:ident,)* ]
        [ $($S:ident: $Selector:ident = $s_axis:ident::$STag:ident,)? ] [ $($I:ident: $Number:ident = $axis:ident::$Tag:ident,)* ] $form:literal
    ) => {
        #[doc = concat!("`", $form, "`\n")]
        $($doc)*
        #[doc = concat!("\nPTX ISA ", $isa, ", target ", gate_text!(wgmma), ". Section ", $section, ".")]
        ///
        /// # Safety
        /// - All 128 threads of a warpgroup execute this same instruction together, with the same descriptors and `scale_d`.
        #[doc = $safety]
        /// - The matrices in shared memory were written through the async proxy, or a `fence.proxy.async` follows the writes.
        ///   Nothing writes them until a [`wgmma_wait_group`] has waited for the instruction.
        /// - A [`wgmma_fence`] follows each access to the registers of the sums and of `a`, except by earlier `wgmma` of the
        ///   same shape. Nothing accesses these registers, and the result, until a [`wgmma_wait_group`] has waited for the
        ///   instruction.
        $( #[doc = $meta_safety] )?
        #[inline(always)]
        #[allow(clippy::too_many_arguments, non_snake_case, unused_variables)]
        pub unsafe fn $name<N: $crate::qualifier::$Columns $(, $Q: super::$Legal)* $(, $S: super::$Selector)? $(, $I: super::$Number)*>(
            N: N, $( $Q: $Q, )* $( $S: $S, )? $( $I: $I, )* d: N::$kind, $a: $A, b: u64, $( $metadata: $Metadata, )? scale_d: bool,
        ) -> N::$kind {
            #[cfg(not(target_arch = "nvptx64"))]
            super::off_target(stringify!($name));
            // SAFETY: the caller keeps the contract above; the text is the instruction and the set-up of its predicate, and its
            // operands are those registers that the columns, which are the type of `d`, have.
            #[cfg(target_arch = "nvptx64")]
            #[allow(unused_unsafe)]
            unsafe {
                $($let)*
                wgmma_types!(
                    $($types)* $kind [ "{{ .reg .pred p; setp.ne.b32 p, {scale_d}, 0; " $head ] [ $shape ]
                    [ $($a_text)* "{b}, ", $($meta_text)* "p", $( ", {", stringify!($I), "}", )* "; }} // ptx:", $isa, ]
                    [
                        $($a_operands)* b = in(reg64) b, $($meta_operands)* scale_d = in(reg32) scale_d as u32,
                        $( $S = const <$S as $crate::qualifier::Immediate>::NUMBER, )? $( $I = const <$I as $crate::qualifier::Immediate>::NUMBER, )*
                    ]
                    d
                )
            }
        }
        #[cfg(all(probe, target_arch = "nvptx64"))]
        const _: () = {
            #[unsafe(export_name = concat!("probe_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn probe(operands: *mut u64) {
                // SAFETY: never run; compiled for its text.
                #[allow(unused_unsafe)]
                unsafe {
                    core::arch::asm!(concat!(
                        "// row:", module_path!(), "@@", stringify!($name), "@@", $form, "@@", $isa, "@@sm_90a@@", $section,
                        "@@convergent@@wgmma @@", stringify!([ $Columns $($types)* ])
                    ), options(raw));
                    wgmma_probe!($($types)* $kind $name
                        [ $( $crate::qualifier::$s_axis::$STag, )? $( $crate::qualifier::$axis::$Tag, )* ] operands [ $( $metadata )? ]
                    );
                }
            }
        };
    };
}

// Dense.
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f32`.
    fn wgmma_mma_async_f32_f16, descriptor, dense,
    F32, Columns, "k16.f32", [ one ".f16.f16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f32.f16.f16 \
        d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f32`.
    fn wgmma_mma_async_f32_f16_registers, registers, dense,
    F32, Columns, "k16.f32", [ one ".f16.f16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f32.f16.f16 d, a, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.bf16` with sums of `.f32`.
    fn wgmma_mma_async_f32_bf16, descriptor, dense,
    F32, Columns, "k16.f32", [ one ".bf16.bf16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f32.bf16.bf16 \
        d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.bf16` with sums of `.f32`.
    fn wgmma_mma_async_f32_bf16_registers, registers, dense,
    F32, Columns, "k16.f32", [ one ".bf16.bf16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f32.bf16.bf16 d, a, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.tf32` with sums of `.f32`.
    fn wgmma_mma_async_f32_tf32, descriptor, dense,
    F32, Columns, "k8.f32", [ one ".tf32.tf32" ] [ ] [] [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k8.f32.tf32.tf32 d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.tf32` with sums of `.f32`.
    fn wgmma_mma_async_f32_tf32_registers, registers, dense,
    F32, Columns, "k8.f32", [ one ".tf32.tf32" ] [ ] [] [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k8.f32.tf32.tf32 d, a, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f32`.
    fn wgmma_mma_async_f32_f8, descriptor, dense,
    F32, Columns, "k32.f32", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.f32{.atype}{.btype} d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f32`.
    fn wgmma_mma_async_f32_f8_registers, registers, dense,
    F32, Columns, "k32.f32", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.f32{.atype}{.btype} d, a, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f16`.
    fn wgmma_mma_async_f16_f16, descriptor, dense,
    F16, Columns, "k16.f16", [ one ".f16.f16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f16.f16.f16 \
        d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f16`.
    fn wgmma_mma_async_f16_f16_registers, registers, dense,
    F16, Columns, "k16.f16", [ one ".f16.f16" ] [ ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sync.aligned.m64{n}k16.f16.f16.f16 d, a, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f16`.
    fn wgmma_mma_async_f16_f8, descriptor, dense,
    F16, Columns, "k32.f16", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.f16{.atype}{.btype} d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f16`.
    fn wgmma_mma_async_f16_f8_registers, registers, dense,
    F16, Columns, "k32.f16", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] []
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.f16{.atype}{.btype} d, a, b-desc, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit integers with sums of `.s32`.
    fn wgmma_mma_async_s32_i8, descriptor, dense,
    S32, IntegerColumns, "k32.s32", [ i8 ] [ A: WgmmaI8, B: WgmmaI8, Sat: WgmmaSat, ] [] [ ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.s32{.atype}{.btype}{.satfinite} d, a-desc, b-desc, scale-d;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of bits, whose terms are the numbers of bits that both
    /// have, with sums of `.s32`.
    fn wgmma_mma_async_s32_b1, descriptor, dense,
    S32, IntegerColumns, "k256.s32", [ one ".b1.b1.and.popc" ] [ ] [] [ ]
    "wgmma.mma_async.sync.aligned.m64{n}k256.s32.b1.b1.and.popc d, a-desc, b-desc, scale-d;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit integers with sums of `.s32`.
    fn wgmma_mma_async_s32_i8_registers, registers, dense,
    S32, IntegerColumns, "k32.s32", [ i8 ] [ A: WgmmaI8, B: WgmmaI8, Sat: WgmmaSat, ] [] [ ]
    "wgmma.mma_async.sync.aligned.m64{n}k32.s32{.atype}{.btype}{.satfinite} d, a, b-desc, scale-d;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of bits, whose terms are the numbers of bits that both
    /// have, with sums of `.s32`.
    fn wgmma_mma_async_s32_b1_registers, registers, dense,
    S32, IntegerColumns, "k256.s32", [ one ".b1.b1.and.popc" ] [ ] [] [ ]
    "wgmma.mma_async.sync.aligned.m64{n}k256.s32.b1.b1.and.popc d, a, b-desc, scale-d;"
}
// Sparse A.
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_f16, descriptor, sparse,
    F32, Columns, "k32.f32", [ one ".f16.f16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f32.f16.f16 \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_f16_registers, registers, sparse,
    F32, Columns, "k32.f32", [ one ".f16.f16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f32.f16.f16 \
        d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.bf16` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_bf16, descriptor, sparse,
    F32, Columns, "k32.f32", [ one ".bf16.bf16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f32.bf16.bf16 \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.bf16` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_bf16_registers, registers, sparse,
    F32, Columns, "k32.f32", [ one ".bf16.bf16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f32.bf16.bf16 \
        d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.tf32` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_tf32, descriptor, sparse,
    F32, Columns, "k16.f32", [ one ".tf32.tf32" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k16.f32.tf32.tf32 \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.tf32` with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_tf32_registers, registers, sparse,
    F32, Columns, "k16.f32", [ one ".tf32.tf32" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k16.f32.tf32.tf32 d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_f8, descriptor, sparse,
    F32, Columns, "k64.f32", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.f32{.atype}{.btype} \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f32`, of a sparse A.
    fn wgmma_mma_async_sp_f32_f8_registers, registers, sparse,
    F32, Columns, "k64.f32", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.f32{.atype}{.btype} \
        d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f16`, of a sparse A.
    fn wgmma_mma_async_sp_f16_f16, descriptor, sparse,
    F16, Columns, "k32.f16", [ one ".f16.f16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorA: WgmmaMajor = major::K,
    MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f16.f16.f16 \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of `.f16` with sums of `.f16`, of a sparse A.
    fn wgmma_mma_async_sp_f16_f16_registers, registers, sparse,
    F16, Columns, "k32.f16", [ one ".f16.f16" ] [ ] [ Selector: WgmmaSelector2 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, MajorB: WgmmaMajor = major::K, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k32.f16.f16.f16 \
        d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f16`, of a sparse A.
    fn wgmma_mma_async_sp_f16_f8, descriptor, sparse,
    F16, Columns, "k64.f16", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.f16{.atype}{.btype} \
        d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit floats with sums of `.f16`, of a sparse A.
    fn wgmma_mma_async_sp_f16_f8_registers, registers, sparse,
    F16, Columns, "k64.f16", [ f8 ] [ A: WgmmaF8, B: WgmmaF8, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ScaleA: WgmmaScale = scale::Plus, ScaleB: WgmmaScale = scale::Plus, ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.f16{.atype}{.btype} \
        d, a, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit integers with sums of `.s32`, of a sparse A.
    fn wgmma_mma_async_sp_s32_i8, descriptor, sparse,
    S32, IntegerColumns, "k64.s32", [ i8 ] [ A: WgmmaI8, B: WgmmaI8, Sat: WgmmaSat, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.s32{.atype}{.btype}{.satfinite} d, a-desc, b-desc, sp-meta, sp-sel, scale-d;"
}
wgmma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `scale_d` is false, of 8-bit integers with sums of `.s32`, of a sparse A.
    fn wgmma_mma_async_sp_s32_i8_registers, registers, sparse,
    S32, IntegerColumns, "k64.s32", [ i8 ] [ A: WgmmaI8, B: WgmmaI8, Sat: WgmmaSat, ] [ Selector: WgmmaSelector1 = selector::S0, ]
    [ ]
    "wgmma.mma_async.sp.sync.aligned.m64{n}k64.s32{.atype}{.btype}{.satfinite} d, a, b-desc, sp-meta, sp-sel, scale-d;"
}

instruction! {
    /// Orders accesses to registers before later `wgmma_mma_async` (`cute::warpgroup_arrive`).
    @unsafe fn wgmma_fence();
    form: "wgmma.fence.sync.aligned;";
    ptx: "wgmma.fence.sync.aligned;" ..;
    isa: "8.0", target: "sm_90a", section: "9.7.15.7.1";
    gate: wgmma;
    convergent: convergent;
    # Safety
    "- All 128 threads of a warpgroup execute this same instruction together."
}
instruction! {
    /// Commits the thread's earlier `wgmma_mma_async` that are in no group yet as one group (`cute::warpgroup_commit_batch`).
    @unsafe fn wgmma_commit_group();
    form: "wgmma.commit_group.sync.aligned;";
    ptx: "wgmma.commit_group.sync.aligned;" ..;
    isa: "8.0", target: "sm_90a", section: "9.7.15.7.2";
    gate: wgmma;
    convergent: convergent;
    # Safety
    "- All 128 threads of a warpgroup execute this same instruction together."
}
instruction! {
    /// Waits until at most `N` of the thread's last groups are pending (`cute::warpgroup_wait`).
    @unsafe fn wgmma_wait_group<const N: u32 = 0>();
    form: "wgmma.wait_group.sync.aligned N;";
    ptx: "wgmma.wait_group.sync.aligned {N};" ..;
    isa: "8.0", target: "sm_90a", section: "9.7.15.7.3";
    gate: wgmma;
    convergent: convergent;
    # Safety
    "- All 128 threads of a warpgroup execute this same instruction together."
}

/// The text of an instruction that all sums of a thread pass through, so that the compiler moves no access to them across it.
#[cfg(target_arch = "nvptx64")]
macro_rules! wgmma_through {
    (@columns $text:tt $operands:tt $sums:ident $( { $N:ident $id:literal $n:literal $texts:tt $registers:tt } )*) => {
        match <S as $crate::qualifier::Sums>::COLUMNS {
            $( $id => wgmma_through!(@one $text $operands $sums $texts $registers), )*
            // No other sums are in the set.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
    (@one [ $($text:tt)* ] [ $($operands:tt)* ] $sums:ident [ $($names:literal)* ] [ $($d:ident)* ]) => {{
        let mut words: super::macros::Words = super::cast($sums);
        convergent_asm! {
            [ $($text)* " // ptx:8.0 ", $($names,)* ]
            [ $( inout(reg32) words.$d, )* $($operands)* ]
        }
        super::cast(words)
    }};
    ($text:tt $operands:tt $sums:ident) => {
        match <S as $crate::qualifier::Sums>::HALVES {
            true => with_accumulators!(F16 wgmma_through @columns $text $operands $sums),
            false => with_accumulators!(F32 wgmma_through @columns $text $operands $sums),
        }
    };
}

/// An instruction of a row above, which all sums of a thread pass through.
macro_rules! through {
    ($( #[$doc:meta] )* $name:ident $(<$N:ident>)? $form:literal $text:literal $section:literal) => {
        #[doc = concat!("`", $form, "`\n")]
        $(#[$doc])*
        #[doc = concat!("\nPTX ISA 8.0, target ", gate_text!(wgmma), ". Section ", $section, ".")]
        ///
        /// # Safety
        /// - All 128 threads of a warpgroup execute this same instruction together.
        #[cfg(wgmma)]
        #[inline(always)]
        #[allow(unused_variables)]
        pub unsafe fn $name<$( const $N: u32, )? S: $crate::qualifier::Sums>(sums: S) -> S {
            #[cfg(not(target_arch = "nvptx64"))]
            super::off_target(stringify!($name));
            // SAFETY: the caller keeps the contract above; the text is the instruction and a comment, and its operands are
            // those registers that the sums have.
            #[cfg(target_arch = "nvptx64")]
            #[allow(unused_unsafe)]
            unsafe {
                wgmma_through!([ $text, ] [ $( $N = const $N, )? ] sums)
            }
        }
        #[cfg(not(wgmma))]
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!(wgmma) = closed!(wgmma);
    };
}

through! {
    /// [`wgmma_fence`] of sums that were accessed before: what is done to them stays before the fence.
    wgmma_fence_with "wgmma.fence.sync.aligned;" "wgmma.fence.sync.aligned;" "9.7.15.7.1"
}
through! {
    /// [`wgmma_wait_group`], for the sums that are used after it: what is done to them stays behind the wait.
    wgmma_wait_group_with<N> "wgmma.wait_group.sync.aligned N;" "wgmma.wait_group.sync.aligned {N};" "9.7.15.7.3"
}

/// Passes a word through assembly without an instruction, so that the compiler computes nothing of it before. PTX: none.
#[cfg(any(wgmma, tcgen05))]
#[inline(always)]
pub(crate) fn tie_word(word: u32) -> u32 {
    #[cfg(not(target_arch = "nvptx64"))]
    return word;
    #[cfg(target_arch = "nvptx64")]
    {
        let mut word = word;
        // SAFETY: the text is a comment.
        unsafe {
            core::arch::asm!("// {}", inout(reg32) word, options(nomem, nostack, preserves_flags));
        }
        word
    }
}

/// Passes sums through assembly without an instruction, so that the compiler moves no access to them across it. PTX: none.
#[cfg(wgmma)]
#[inline(always)]
pub(crate) fn wgmma_tie<S: crate::qualifier::Sums>(sums: S) -> S {
    #[cfg(not(target_arch = "nvptx64"))]
    return sums;
    // SAFETY: the text is a comment; its operands are those registers that the sums have.
    #[cfg(target_arch = "nvptx64")]
    unsafe {
        wgmma_through!([ "//", ] [] sums)
    }
}
