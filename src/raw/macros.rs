//! The macros of the raw layer: [`legal!`] names a set of qualifiers that an instruction takes, [`instruction!`] is an
//! instruction.

/// An item that exists on some targets only, and what stands there on the others. A gate is named after the oldest target
/// of each branch that it opens to; `docs` build with all.
macro_rules! when {
    (always { $($item:tt)* } $($other:tt)*) => { $($item)* };
    // sm_100 or higher.
    (sm_100 $($body:tt)*) => { when! { @if (feature = "sm_100") $($body)* } };
    // sm_100f and higher in its family.
    (sm_100f $($body:tt)*) => { when! { @if (feature = "sm_100f") $($body)* } };
    // sm_100f and higher in its family, sm_110a.
    (sm_100f_sm_110a $($body:tt)*) => {
        when! { @if (any(feature = "sm_100f", feature = "sm_110a")) $($body)* }
    };
    // sm_100f and higher in its family, sm_110a, sm_120a.
    (sm_100f_sm_110a_sm_120a $($body:tt)*) => {
        when! { @if (any(feature = "sm_100f", feature = "sm_110a", feature = "sm_120a")) $($body)* }
    };
    // As the one before, and sm_90a.
    (sm_90a_sm_100f_sm_110a_sm_120a $($body:tt)*) => {
        when! { @if (any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a")) $($body)* }
    };
    // sm_103a only.
    (sm_103a $($body:tt)*) => { when! { @if (feature = "sm_103a") $($body)* } };
    (@if ($open:meta) { $($item:tt)* } $(else { $($other:tt)* })?) => {
        #[cfg($open)] $($item)*
        $( #[cfg(not($open))] $($other)* )?
    };
}

/// The targets of a gate, for the documentation.
macro_rules! gate_text {
    (sm_100) => {
        "sm_100 or higher"
    };
    (sm_100f) => {
        "sm_100f or higher in its family"
    };
    (sm_100f_sm_110a) => {
        "sm_100f or higher in its family, sm_110a"
    };
    (sm_100f_sm_110a_sm_120a) => {
        "sm_100f or higher in its family, sm_110a, sm_120a"
    };
    (sm_90a_sm_100f_sm_110a_sm_120a) => {
        "sm_90a, sm_100f or higher in its family, sm_110a, sm_120a"
    };
    (sm_103a) => {
        "sm_103a"
    };
}

/// What bears an instruction's name where its gate is closed: the error of a call names the features that have it.
#[allow(non_camel_case_types, dead_code, reason = "the names are read in errors")]
pub(crate) mod closed {
    pub struct an_instruction_of_the_feature_sm_100;
    pub struct an_instruction_of_the_feature_sm_100f;
    pub struct an_instruction_of_the_features_sm_100f_sm_110a;
    pub struct an_instruction_of_the_features_sm_100f_sm_110a_sm_120a;
    pub struct an_instruction_of_the_features_sm_90a_sm_100f_sm_110a_sm_120a;
    pub struct an_instruction_of_the_feature_sm_103a;
}
macro_rules! closed {
    (sm_100) => {
        $crate::raw::macros::closed::an_instruction_of_the_feature_sm_100
    };
    (sm_100f) => {
        $crate::raw::macros::closed::an_instruction_of_the_feature_sm_100f
    };
    (sm_100f_sm_110a) => {
        $crate::raw::macros::closed::an_instruction_of_the_features_sm_100f_sm_110a
    };
    (sm_100f_sm_110a_sm_120a) => {
        $crate::raw::macros::closed::an_instruction_of_the_features_sm_100f_sm_110a_sm_120a
    };
    (sm_90a_sm_100f_sm_110a_sm_120a) => {
        $crate::raw::macros::closed::an_instruction_of_the_features_sm_90a_sm_100f_sm_110a_sm_120a
    };
    (sm_103a) => {
        $crate::raw::macros::closed::an_instruction_of_the_feature_sm_103a
    };
}

/// A sealed trait for the qualifiers that stand at one place of an instruction. `(TypeTag)` makes it one of types,
/// `(AddressSpace)` one of spaces.
macro_rules! legal {
    ($(#[$doc:meta])* $Trait:ident: $($rest:tt)*) => {
        legal!(@trait [ $(#[$doc])* ] $Trait [ $crate::qualifier::Qualifier ] $($rest)*);
    };
    ($(#[$doc:meta])* $Trait:ident(TypeTag): $($rest:tt)*) => {
        legal!(@trait [ $(#[$doc])* ] $Trait [ $crate::qualifier::TypeTag ] $($rest)*);
    };
    ($(#[$doc:meta])* $Trait:ident(AtomSem): $($rest:tt)*) => {
        legal!(@trait [ $(#[$doc])* ] $Trait [ $crate::raw::AtomSem ] $($rest)*);
    };
    ($(#[$doc:meta])* $Trait:ident(AddressSpace): $($rest:tt)*) => {
        legal!(@trait [ $(#[$doc])* ] $Trait [ $crate::qualifier::AddressSpace ] $($rest)*);
    };
    (@trait [ $(#[$doc:meta])* ] $Trait:ident [ $Super:path ] $message:literal
        { $($axis:ident :: $Tag:ident $(gate $gate:ident)?),* $(,)? }
    ) => {
        $(#[$doc])*
        #[cfg_attr(doc, doc(hidden))]
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "not legal here",
            note = "the combination is not in the instruction's syntax, so PTX has no such instruction"
        )]
        pub trait $Trait: $Super {}
        $( legal!(@impl $Trait $axis :: $Tag [ $($gate)? ]); )*
    };
    (@impl $Trait:ident $axis:ident :: $Tag:ident []) => {
        legal!(@impl $Trait $axis :: $Tag [ always ]);
    };
    (@impl $Trait:ident $axis:ident :: $Tag:ident [ $gate:ident ]) => {
        when! { $gate { #[diagnostic::do_not_recommend] impl $Trait for $crate::qualifier::$axis::$Tag {} } }
    };
}

/// One PTX instruction: its function, documentation, legality, and the probe that the golden files read.
///
/// `ptx` is the text. Each qualifier follows the text before it (`Ty: Type after ".add" { … }`: with `.add` between
/// them), and the list of its tags is matched by one `match const` a qualifier: an arm that is not taken costs nothing,
/// not even in a debug build.
///
/// A tag may say
/// - `as u32 in reg32`: it is the type of the operands of class `typed`, which go in such a register as such bits;
/// - `at u32 in reg32`: it is the space of the operands of class `address`, whose addresses go in such a register;
/// - `@ "8.6"`: PTX got it later than the instruction. The text carries the version to the linker (`// ptx:8.6`);
/// - `on "sm_90"`: it needs a newer target than the instruction, though not a newer one than the crate;
/// - `gate sm_100`: it exists on the targets of that gate (see `when!`). `gate:` says so of the whole instruction.
///
/// A qualifier may say `after " [{dst}], "`, before its tags: text that stands before it.
///
/// Operand classes: `reg16`, `reg32`, `reg64`; `typed`; `address`; `pred` for a `bool`, which the text compares with 0; `mask` for
/// the types of [`mask`](crate::mask); `[b0 b1]` for an array whose elements are `typed` and bear these names in the
/// text, `[reg32: c0 c1]` for one whose elements go in that register; `{ lo: b_lo, hi: b_hi }` for a `B128`.
///
/// `assert: N % 8 == 0, "…";` is a condition on a constant. It is checked when the function is instantiated.
macro_rules! instruction {
    (
        $(#[$doc:meta])*
        $(@$safety:ident)? fn $name:ident
            $([ $( $Q:ident: $Legal:ident $(after $($between:literal)+)? { $(
                $axis:ident :: $Tag:ident $(as $bits:ident in $tclass:ident)?
                $(at $addr_bits:ident in $addr_class:ident)? $(@ $newer:literal)? $(on $least:literal)? $(gate $tag_gate:ident)?
            ),* $(,)? } ),* $(,)? ])?
            $(< const $N:ident: $Nty:ty = $n_probe:literal >)?
            ( $( $arg:ident: $Arg:ty = $class:tt ),* $(,)? )
            $( -> $Out:ty = ( $( $out:ident: $OutTy:ty = $out_class:ident ),* $(,)? ) $result:expr )?;
        form: $($form:literal)+;
        ptx: $($head:literal)+ .. $($tail:literal)+;
        isa: $isa:literal, target: $target:literal, section: $section:literal;
        $( gate: $gate:ident; )?
        $( assert: $assert:expr, $assert_message:literal; )?
        $( convergent: $convergent:ident; )?
        $( options: $($option:ident),*; )?
        $( # Safety $( $safety_doc:literal )* )?
    ) => {
        instruction!(@gated $name [ $($gate)? ]
            {
                #[doc = concat!("`", $($form,)+ "`\n")]
                $(#[$doc])*
                $( $( #[doc = concat!(
                    "\n- `", stringify!($Q), "`:" $(, " `", stringify!($axis), "::", stringify!($Tag), "`")*
                )] )* )?
                #[doc = concat!(
                    "\nPTX ISA ", $isa,
                    $( $( $( $( " (`", ptx_text!($axis::$Tag), "`: ", $newer, ")", )? )* )* )?
                    ", target ", instruction!(@targets $target $($gate)?),
                    $( $( $( $( " (`", ptx_text!($axis::$Tag), "`: ", $least, ")", )? )* )* )?
                    $( $( $( $( " (`", ptx_text!($axis::$Tag), "`: ", gate_text!($tag_gate), ")", )? )* )* )?
                    ". Section ", $section, "."
                )]
                $(
                    ///
                    /// # Safety
                    $( #[doc = $safety_doc] )*
                )?
                #[inline(always)]
                #[allow(clippy::too_many_arguments, clippy::type_complexity, unused_variables)]
                // Some instructions compute with an address and access nothing.
                #[allow(clippy::pointers_in_nomem_asm_block)]
                pub $($safety)? fn $name< $( $($Q: $crate::raw::$Legal,)* )? $(const $N: $Nty)? >(
                    $( $( #[allow(non_snake_case)] $Q: $Q, )* )? $( $arg: $Arg, )*
                ) $( -> $Out )? {
                    $( const { assert!($assert, $assert_message) }; )?
                    #[cfg(not(target_arch = "nvptx64"))]
                    $crate::raw::off_target(stringify!($name));
                    // SAFETY: the caller keeps the contract above; the text is the instruction and the set-up of its
                    // predicate or wide operands, reads its operands and writes its results.
                    #[cfg(target_arch = "nvptx64")]
                    #[allow(unused_unsafe)]
                    unsafe {
                        emit! {
                            [ $($head),+ ] [ "// ptx:", $isa ] [ [] [] ]
                            [ $( $( [ $Q [ $($( , $between )+)? ] $(
                                [ $axis :: $Tag [ $($bits $tclass)? ] [ $($addr_bits $addr_class)? ] [ $($newer)? ] [ $($least)? ] ]
                            )* ] )* )? ]
                            { [ $($tail),+ ] [ $($convergent)? ]
                              [ $( [in $class $arg] )* $( $( [out $out_class $out $OutTy] )* )? $( [const $N] )? ]
                              [ $( $($option),* )? ] [ $( $result )? ] }
                        }
                    }
                }
            }
        );

        instruction!(@gated _ [ $($gate)? ] {
            const _: () = {
                $crate::raw::probe! {
                    $name [ [ $($form),+ ], $isa, $target, $section ]
                    [ $( $( [ $( [ $axis :: $Tag [ $($tag_gate)? ] ] )* ] )* )? ]
                    [ $( $n_probe )? ] [ $( $Arg ),* ]
                }
            };
        });
    };
    (@gated $name:tt [] { $($item:tt)* }) => { $($item)* };
    (@gated _ [ $gate:ident ] { $($item:tt)* }) => { when! { $gate { $($item)* } } };
    (@gated $name:ident [ $gate:ident ] { $($item:tt)* }) => {
        when! { $gate { $($item)* } else {
            #[allow(non_upper_case_globals)]
            #[doc(hidden)]
            pub const $name: closed!($gate) = closed!($gate);
        } }
    };
    (@targets $target:literal) => { concat!($target, " or higher") };
    (@targets $target:literal $gate:ident) => { gate_text!($gate) };
}

/// The body of an instruction: walks the qualifiers, then emits the text they add up to.
///
/// Its state: the text so far, the comment so far, the bits and class of `typed` operands, the qualifiers to come, and
/// what the end of the walk needs.
macro_rules! emit {
    ( [ $($text:tt)* ] $need:tt $typed:tt [ [ $Q:ident [ $($between:tt)* ] $( $tag:tt )* ] $($more:tt)* ] $leaf:tt ) => {
        emit!(@arms [ $($text)* $($between)* ] $need $typed $Q [ $( $tag )* ] [ $($more)* ] $leaf)
    };
    (@arms $text:tt $need:tt $typed:tt $Q:ident
        [ $( [ $axis:ident :: $Tag:ident $bits:tt $at:tt $newer:tt $least:tt ] )* ] $more:tt $leaf:tt
    ) => {
        match const { <$Q as $crate::qualifier::Qualifier>::ID } {
            $(
                <$crate::qualifier::$axis::$Tag as $crate::qualifier::Qualifier>::ID =>
                    emit!(@push $text $need $typed [ $axis :: $Tag ] $bits $at $newer $least $more $leaf),
            )*
            // The legality trait admits no other tag.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
    (@push $text:tt $need:tt [ $typed:tt $addressed:tt ] $tag:tt [ $bits:ident $class:ident ] $at:tt
        $newer:tt $least:tt $more:tt $leaf:tt
    ) => {
        emit!(@push $text $need [ [ $bits $class ] $addressed ] $tag [] $at $newer $least $more $leaf)
    };
    (@push $text:tt $need:tt [ $typed:tt $addressed:tt ] $tag:tt [] [ $bits:ident $class:ident ]
        $newer:tt $least:tt $more:tt $leaf:tt
    ) => {
        emit!(@push $text $need [ $typed [ $bits $class ] ] $tag [] [] $newer $least $more $leaf)
    };
    (@push
        [ $($text:tt)* ] [ $($need:tt)* ] $typed:tt [ $axis:ident :: $Tag:ident ] [] []
        [ $($newer:literal)? ] [ $($least:literal)? ] $more:tt $leaf:tt
    ) => {
        emit!(
            [ $($text)* , ptx_text!($axis :: $Tag) ]
            [ $($need)* $( , " ptx:", $newer )? $( , " target:", $least )? ]
            $typed $more $leaf
        )
    };
    ( $text:tt $need:tt $typed:tt [] { $tail:tt $convergent:tt $operands:tt $options:tt $result:tt } ) => {
        emit!(@operands $text $need $typed { $tail $convergent $options $result } [] [] $operands)
    };

    (@operands $text:tt $need:tt [ [ $bits:ident $treg:ident ] $at:tt ] $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in typed $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need [ [ $bits $treg ] $at ] $leaf [ $($let)* ]
            [ $($asm)* $arg = in($treg) $crate::raw::cast::<_, $bits>($arg), ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt [ [ $bits:ident $treg:ident ] $at:tt ] $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in [ $($lane:ident)+ ] $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need [ [ $bits $treg ] $at ] $leaf [ $($let)* let [ $($lane),+ ] = $arg; ]
            [ $($asm)* $( $lane = in($treg) $crate::raw::cast::<_, $bits>($lane), )+ ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in [ $class:ident : $($lane:ident)+ ] $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* let [ $($lane),+ ] = $arg; ]
            [ $($asm)* $( $lane = in($class) $lane, )+ ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in { lo: $lo:ident, hi: $hi:ident } $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf
            [ $($let)* let $crate::qualifier::B128 { lo: $lo, hi: $hi } = $arg; ]
            [ $($asm)* $lo = in(reg64) $lo, $hi = in(reg64) $hi, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt [ $ty:tt [ $bits:ident $areg:ident ] ] $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in address $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need [ $ty [ $bits $areg ] ] $leaf [ $($let)* ]
            [ $($asm)* $arg = in($areg) $crate::qualifier::AddressBits::$bits($arg), ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in pred $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* ]
            [ $($asm)* $arg = in(reg32) $arg as u32, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in mask $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* ]
            [ $($asm)* $arg = in(reg16) $arg.bits(), ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [in $class:ident $arg:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* ]
            [ $($asm)* $arg = in($class) $arg, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt [ [ $bits:ident $treg:ident ] $at:tt ] $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [out typed $out:ident $Ty:ty] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need [ [ $bits $treg ] $at ] $leaf [ $($let)* let $out: $bits; ]
            [ $($asm)* $out = lateout($treg) $out, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [out $class:ident $out:ident $Ty:ty] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* let $out: $Ty; ]
            [ $($asm)* $out = lateout($class) $out, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt $leaf:tt [ $($let:tt)* ] [ $($asm:tt)* ]
        [ [const $N:ident] $($more:tt)* ]
    ) => {
        emit!(@operands $text $need $typed $leaf [ $($let)* ] [ $($asm)* $N = const $N, ] [ $($more)* ])
    };
    (@operands $text:tt $need:tt $typed:tt
        { $tail:tt $convergent:tt $options:tt [ $($result:expr)? ] } [ $($let:tt)* ] $asm:tt []
    ) => {{
        $($let)*
        emit!(@asm $text $need $tail $convergent $options $asm);
        $($result)?
    }};

    // Convergent: behind the stock linker nothing marks the block, so an asm goto keeps LLVM from copying it.
    (@asm $text:tt $need:tt $tail:tt [ convergent ] $options:tt $asm:tt) => {
        #[cfg(not(feature = "stock-linker"))]
        emit!(@asm $text $need $tail [] $options $asm);
        #[cfg(feature = "stock-linker")]
        emit!(@goto $text $need $tail $options $asm);
    };
    (@asm [ $($text:tt)* ] [ $($need:tt)* ] [ $($tail:literal),+ ] [] [ $($option:tt)* ] [ $($asm:tt)* ]) => {
        core::arch::asm!(concat!($($text)*, $($tail,)+ " ", $($need)*), $($asm)* options($($option)*));
    };
    (@goto [ $($text:tt)* ] [ $($need:tt)* ] [ $($tail:literal),+ ] [ $($option:tt)* ] [ $($asm:tt)* ]) => {
        core::arch::asm!(
            concat!($($text)*, $($tail,)+ " ", $($need)*, " {never}"),
            $($asm)*
            // SAFETY: the text has no jump to it.
            never = label { unsafe { core::intrinsics::unreachable() } },
            options($($option)*)
        );
    };
}

/// Under the feature `probe`: a kernel that calls every form of the instruction once, each on its own line of
/// asm, behind a comment that says what the row claims. `tests/golden.rs` compiles and reads it.
macro_rules! probe {
    (
        $name:ident [ [ $($form:literal),+ ], $isa:literal, $target:literal, $section:literal ]
        $qualifiers:tt $n:tt [ $($Arg:ty),* ]
    ) => {
        #[cfg(all(feature = "probe", target_arch = "nvptx64"))]
        #[unsafe(export_name = concat!("probe_", stringify!($name)))]
        unsafe extern "ptx-kernel" fn probe(operands: *mut u64) {
            // SAFETY: never run; compiled for its text.
            #[allow(unused_unsafe)]
            unsafe {
                core::arch::asm!(concat!(
                    "// row:", module_path!(), "@@", stringify!($name), "@@", $($form,)+ "@@", $isa, "@@", $target, "@@", $section
                ), options(raw));
                $crate::raw::probe!(@calls $name $qualifiers $n [ $($Arg),* ] operands []);
            }
        }
    };
    (@calls $name:ident [ $first:tt $($more:tt)* ] $n:tt $args:tt $operands:ident $chosen:tt) => {
        $crate::raw::probe!(@each $name $first [ $($more)* ] $n $args $operands $chosen);
    };
    (@each $name:ident [ $( $tag:tt )* ] $more:tt $n:tt $args:tt $operands:ident $chosen:tt) => {
        $( $crate::raw::probe!(@choose $name $more $n $args $operands $chosen $tag); )*
    };
    (@choose $name:ident $more:tt $n:tt $args:tt $operands:ident [ $($chosen:tt)* ] [ $axis:ident :: $Tag:ident [] ]) => {
        $crate::raw::probe!(@calls $name $more $n $args $operands [ $($chosen)* [ $axis :: $Tag ] ]);
    };
    (@choose $name:ident $more:tt $n:tt $args:tt $operands:ident [ $($chosen:tt)* ] [ $axis:ident :: $Tag:ident [ $gate:ident ] ]) => {
        when! { $gate { {
            $crate::raw::probe!(@calls $name $more $n $args $operands [ $($chosen)* [ $axis :: $Tag ] ]);
        } } }
    };
    (@calls $name:ident [] [ $($n:literal)? ] [ $($Arg:ty),* ] $operands:ident [ $( [ $axis:ident :: $Tag:ident ] )* ]) => {
        let result = $name $( ::<$n> )? (
            $( $crate::qualifier::$axis::$Tag, )*
            $( $crate::raw::probe!(@read $Arg, $operands) , )*
        );
        core::ptr::write_volatile($operands.cast(), result);
    };
    // The type of an operand may depend on a qualifier, so it is inferred.
    (@read $Arg:ty, $operands:ident) => { $crate::raw::read($operands) };
}
