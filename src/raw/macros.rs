//! The two macros of the raw layer: [`legal!`] names a set of qualifiers that an instruction takes,
//! [`instruction!`] is an instruction.

/// A sealed trait for the qualifiers that stand at one place of an instruction.
macro_rules! legal {
    ($(#[$doc:meta])* $Trait:ident: $message:literal { $($axis:ident :: $Tag:ident),* $(,)? }) => {
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "not legal here",
            note = "the combination is not in the instruction's syntax, so PTX has no such instruction"
        )]
        pub trait $Trait: $crate::qualifier::Qualifier {}
        $( #[diagnostic::do_not_recommend] impl $Trait for $crate::qualifier::$axis::$Tag {} )*
    };
}

/// One PTX instruction: its function, documentation, legality, and the probe that the golden files read.
///
/// `ptx` is the text. Each qualifier follows the text before it, and the list of its tags is matched by one
/// `match const` a qualifier: an arm that is not taken costs nothing, not even in a debug build. A tag
/// that PTX got later than the instruction says so with `@ "8.6"`, or `@ "8.6" on "sm_90"` where it needs a newer
/// target too. The text carries both as a comment, which tells the linker the version (`// ptx:8.6`).
macro_rules! instruction {
    (
        $(#[$doc:meta])*
        $(@$safety:ident)? fn $name:ident
            $([ $( $Q:ident: $Legal:ident { $( $axis:ident :: $Tag:ident $(@ $newer:literal $(on $least:literal)? )? ),* $(,)? } ),* $(,)? ])?
            $(< const $N:ident: $Nty:ty = $n_probe:literal >)?
            ( $( $arg:ident: $Arg:ty = $class:ident ),* $(,)? )
            $( -> $Out:ty = ( $( $out:ident: $OutTy:ty = $out_class:ident ),* ) $result:expr )?;
        form: $form:literal;
        ptx: $head:literal .. $tail:literal;
        isa: $isa:literal, target: $target:literal, section: $section:literal;
        $( convergent: $convergent:ident; )?
        $( options: $($option:ident),*; )?
        $( # Safety $( $safety_doc:literal )* )?
    ) => {
        #[doc = concat!("`", $form, "`\n")]
        $(#[$doc])*
        ///
        #[doc = concat!(
            "PTX ISA ", $isa, $( $( $( $( " (`", ptx_text!($axis::$Tag), "`: ", $newer, $( ", ", $least, )? ")", )? )* )* )?
            ", target ", $target, " or higher. Section ", $section, "."
        )]
        $(
            ///
            /// # Safety
            $( #[doc = $safety_doc] )*
        )?
        #[inline(always)]
        #[allow(clippy::too_many_arguments, unused_variables)]
        pub $($safety)? fn $name< $( $($Q: $crate::raw::$Legal,)* )? $(const $N: $Nty)? >(
            $( $( #[allow(non_snake_case)] $Q: $Q, )* )? $( $arg: $Arg, )*
        ) $( -> $Out )? {
            #[cfg(not(target_arch = "nvptx64"))]
            $crate::raw::off_target(stringify!($name));
            #[cfg(target_arch = "nvptx64")]
            {
                $( $( let $out: $OutTy; )* )?
                // SAFETY: the caller keeps the contract above; the text is the instruction and the set-up of its
                // predicate, reads its operands and writes its results.
                #[allow(unused_unsafe)]
                unsafe {
                    emit! {
                        [ $head ] [ "// ptx:", $isa ]
                        [ $( $( [ $Q $( [ $axis :: $Tag [ $($newer $($least)? )? ] ] )* ] )* )? ]
                        { $tail [ $($convergent)? ]
                          [ $( $arg = in($class) $arg, )* $( $( $out = lateout($out_class) $out, )* )? $( $N = const $N, )? ]
                          [ $( $($option),* )? ] }
                    }
                }
                $( $result )?
            }
        }

        $crate::raw::probe! {
            $name [ $form, $isa, $target, $section ]
            [ $( $( [ $( [ $axis :: $Tag ] )* ] )* )? ]
            [ $( $n_probe )? ] [ $( $Arg ),* ]
        }
    };
}

/// The body of an instruction: walks the qualifiers, then emits the text they add up to.
macro_rules! emit {
    (
        [ $($text:tt)* ] [ $($need:tt)* ]
        [ [ $Q:ident $( $tag:tt )* ] $($more:tt)* ]
        $leaf:tt
    ) => {
        emit!(@arms [ $($text)* ] [ $($need)* ] $Q [ $( $tag )* ] [ $($more)* ] $leaf)
    };
    (@arms $text:tt $need:tt $Q:ident [ $( [ $axis:ident :: $Tag:ident $newer:tt ] )* ] $more:tt $leaf:tt) => {
        match const { <$Q as $crate::qualifier::Qualifier>::ID } {
            $(
                <$crate::qualifier::$axis::$Tag as $crate::qualifier::Qualifier>::ID =>
                    emit!(@push $text $need [ $axis :: $Tag ] $newer $more $leaf),
            )*
            // The legality trait admits no other tag.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
    (@push [ $($text:tt)* ] [ $($need:tt)* ] [ $axis:ident :: $Tag:ident ] [ $($newer:literal $($least:literal)?)? ] $more:tt $leaf:tt) => {
        emit!(
            [ $($text)* , ptx_text!($axis :: $Tag) ]
            [ $($need)* $( , " ptx:", $newer $( , " target:", $least )? )? ]
            $more $leaf
        )
    };
    // Convergent: behind the stock linker nothing marks the block, so an asm goto keeps LLVM from copying it.
    (
        [ $($text:tt)* ] [ $($need:tt)* ] []
        { $tail:literal [ convergent ] [ $($operands:tt)* ] [ $($options:tt)* ] }
    ) => {{
        #[cfg(not(feature = "stock-linker"))]
        emit!([ $($text)* ] [ $($need)* ] [] { $tail [] [ $($operands)* ] [ $($options)* ] });
        #[cfg(feature = "stock-linker")]
        core::arch::asm!(
            concat!($($text)*, $tail, " ", $($need)*, " {never}"),
            $($operands)*
            // SAFETY: the text has no jump to it.
            never = label { unsafe { core::intrinsics::unreachable() } },
            options($($options)*)
        );
    }};
    ( [ $($text:tt)* ] [ $($need:tt)* ] [] { $tail:literal [] [ $($operands:tt)* ] [ $($options:tt)* ] } ) => {
        core::arch::asm!(
            concat!($($text)*, $tail, " ", $($need)*),
            $($operands)*
            options($($options)*)
        )
    };
}

/// Under the feature `probe`: a kernel that calls every form of the instruction once, each on its own line of
/// asm, behind a comment that says what the row claims. `tests/golden.rs` compiles and reads it.
macro_rules! probe {
    (
        $name:ident [ $form:literal, $isa:literal, $target:literal, $section:literal ]
        $qualifiers:tt $n:tt [ $($Arg:ty),* ]
    ) => {
        #[cfg(all(feature = "probe", target_arch = "nvptx64"))]
        const _: () = {
            #[unsafe(export_name = concat!("probe_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn probe(operands: *mut u64) {
                // SAFETY: never run; compiled for its text.
                #[allow(unused_unsafe)]
                unsafe {
                    core::arch::asm!(concat!(
                        "// row:", module_path!(), "|", stringify!($name), "|", $form, "|", $isa, "|", $target, "|", $section
                    ), options(raw));
                    $crate::raw::probe!(@calls $name $qualifiers $n [ $($Arg),* ] operands []);
                }
            }
        };
    };
    (@calls $name:ident [ $first:tt $($more:tt)* ] $n:tt $args:tt $operands:ident $chosen:tt) => {
        $crate::raw::probe!(@each $name $first [ $($more)* ] $n $args $operands $chosen);
    };
    (@each $name:ident [ $( $tag:tt )* ] $more:tt $n:tt $args:tt $operands:ident $chosen:tt) => {
        $( $crate::raw::probe!(@choose $name $more $n $args $operands $chosen $tag); )*
    };
    (@choose $name:ident $more:tt $n:tt $args:tt $operands:ident [ $($chosen:tt)* ] $tag:tt) => {
        $crate::raw::probe!(@calls $name $more $n $args $operands [ $($chosen)* $tag ]);
    };
    (@calls $name:ident [] [ $($n:literal)? ] [ $($Arg:ty),* ] $operands:ident [ $( [ $axis:ident :: $Tag:ident ] )* ]) => {
        let result = $name $( ::<$n> )? (
            $( $crate::qualifier::$axis::$Tag, )*
            $( core::ptr::read_volatile($operands.cast::<$Arg>()), )*
        );
        core::ptr::write_volatile($operands.cast(), result);
    };
}
