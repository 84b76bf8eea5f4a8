//! The macros of the raw layer: [`legal!`] names a set of qualifiers that an instruction takes, [`instruction!`] is an
//! instruction. docs/INSTRUCTION_MACRO.md explains how they expand.

/// The gates, from the table in `targets/src/lib.rs`, which `build.rs` writes as a call of this macro. `gate_text!` is the gate's
/// targets, for the documentation; `closed!` is the stand-in for an instruction that the selected target lacks: the error of a
/// call names the features. Several gates may have one stand-in.
macro_rules! gates {
    ($( $gate:ident $text:literal $closed:ident; )*) => {
        macro_rules! gate_text { $( ($gate) => { $text }; )* }
        macro_rules! closed { $( ($gate) => { $crate::raw::macros::closed::$gate::$closed }; )* }
        pub(crate) mod closed { $(
            pub mod $gate {
                #[allow(non_camel_case_types, dead_code, reason = "the name is read in errors")]
                pub struct $closed;
            }
        )* }
    };
}
include!(concat!(env!("OUT_DIR"), "/gates.rs"));

/// Puts after each tag of a list its number, its PTX text, and in which register the operands of class `typed`, or addresses, go:
/// what `as` says, or `register_of!`. Hands the list to a macro.
macro_rules! with_registers {
    (@push $axis:ident :: $Tag:ident $id:literal $ptx:literal $register:tt { $($rest:tt)* }
        [ $($more:tt)* ] [ $($done:tt)* ] $($then:tt)*
    ) => {
        with_registers! { [ $($more)* ] [ $($done)* $axis :: $Tag $id $ptx $register $($rest)*, ] $($then)* }
    };
    ([
        $axis:ident :: $Tag:ident $(($operand:ident in $class:ident))? as $bits:ident in $register:ident
        $(@ $newer:literal)? $(on $least:literal)? $(gate $gate:ident)? $(no $bare:ident)? $(for $values:tt)? $(, $($more:tt)*)?
    ] $($given:tt)*) => {
        ptx_text! { $axis :: $Tag [ ty $bits $register ] with_registers {
            $(($operand in $class))? $(@ $newer)? $(on $least)? $(gate $gate)? $(no $bare)? $(for $values)?
        } [ $( $($more)* )? ] $($given)* }
    };
    ([
        $axis:ident :: $Tag:ident $(($operand:ident in $class:ident))?
        $(@ $newer:literal)? $(on $least:literal)? $(gate $gate:ident)? $(no $bare:ident)? $(for $values:tt)? $(, $($more:tt)*)?
    ] $($given:tt)*) => {
        register_of! { $axis :: $Tag ptx_text with_registers {
            $(($operand in $class))? $(@ $newer)? $(on $least)? $(gate $gate)? $(no $bare)? $(for $values)?
        } [ $( $($more)* )? ] $($given)* }
    };
    ([] $done:tt $then:ident [ $($first:tt)* ] $($last:tt)*) => { $then! { $($first)* $done $($last)* } };
}

/// Sets of tags. Each is a sealed trait for the qualifiers that stand at one place of an instruction, and a macro of its name
/// that hands their list to [`instruction!`], which says what may stand after a tag. `(TypeTag)` makes it one of types,
/// `(AddressSpace)` one of spaces. `<Space>` makes it depend on another qualifier of the instruction: `for [ space::Global ]`
/// lists the tags of the other qualifier with which this tag is legal. A tag without `for` is legal with all.
macro_rules! legal {
    (@trait $doc:tt $Trait:ident $on:tt [] $($rest:tt)*) => {
        legal!(@with $doc $Trait $on [ $crate::qualifier::Qualifier ] $($rest)*);
    };
    (@trait $doc:tt $Trait:ident $on:tt [ AtomSem ] $($rest:tt)*) => {
        legal!(@with $doc $Trait $on [ $crate::raw::AtomSem ] $($rest)*);
    };
    (@trait $doc:tt $Trait:ident $on:tt [ $Super:ident ] $($rest:tt)*) => {
        legal!(@with $doc $Trait $on [ $crate::qualifier::$Super ] $($rest)*);
    };
    (@with [ $(#[$doc:meta])* ] $Trait:ident [ $($On:ident)? ] [ $Super:path ] $message:literal { $($tags:tt)* }) => {
        #[doc = $message]
        $(#[$doc])*
        #[cfg_attr(doc, doc(hidden))]
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "not legal here",
            note = "the combination is not in the instruction's syntax, so PTX has no such instruction"
        )]
        pub trait $Trait $(<$On: $crate::qualifier::Qualifier>)?: $Super {}
        legal!(@impls $Trait [ $($On)? ] { $($tags)* });
        #[cfg(all(probe, not(target_arch = "nvptx64")))]
        legal!(@numbers $Trait { $($tags)* });
        with_registers! { [ $($tags)* ] [] legal [ @list ($) $Trait ] }
    };
    (@impls $Trait:ident $on:tt { $(
        $axis:ident :: $Tag:ident $(($operand:ident in $class:ident))? $(as $bits:ident in $tclass:ident)?
        $(@ $newer:literal)? $(on $least:literal)? $(gate $gate:ident)? $(no $bare:ident)? $(for $values:tt)?
    ),* $(,)? }) => {
        $( legal!(@gated [ $($gate)? ] [ $Trait $on $axis :: $Tag $($values)? ]); )*
    };
    // For the check of a row's own list.
    (@numbers $Trait:ident { $(
        $axis:ident :: $Tag:ident $(($operand:ident in $class:ident))? $(as $bits:ident in $tclass:ident)?
        $(@ $newer:literal)? $(on $least:literal)? $(gate $gate:ident)? $(no $bare:ident)? $(for $values:tt)?
    ),* $(,)? }) => {
        #[allow(non_upper_case_globals, dead_code, reason = "has the name of the set")]
        pub(crate) const $Trait: &[u8] = &[ $(
            $( #[cfg($gate)] )? <$crate::qualifier::$axis::$Tag as $crate::qualifier::Qualifier>::ID,
        )* ];
    };
    (@gated [ $($gate:ident)? ] $impl:tt) => { $( #[cfg($gate)] )? legal!(@impl $impl); };
    (@impl [ $Trait:ident [] $axis:ident :: $Tag:ident ]) => {
        #[diagnostic::do_not_recommend]
        impl $Trait for $crate::qualifier::$axis::$Tag {}
    };
    (@impl [ $Trait:ident [ $On:ident ] $axis:ident :: $Tag:ident ]) => {
        #[diagnostic::do_not_recommend]
        impl<$On: $crate::qualifier::Qualifier> $Trait<$On> for $crate::qualifier::$axis::$Tag {}
    };
    (@impl [ $Trait:ident [ $On:ident ] $axis:ident :: $Tag:ident [ $( $on_axis:ident :: $OnTag:ident ),* ] ]) => { $(
        #[diagnostic::do_not_recommend]
        impl $Trait<$crate::qualifier::$on_axis::$OnTag> for $crate::qualifier::$axis::$Tag {}
    )* };
    (@list ($d:tt) $Trait:ident $tags:tt) => {
        #[allow(unused_macros, reason = "a row may name its tags itself")]
        macro_rules! $Trait { ($d($d row:tt)*) => { instruction! { @named $tags $d($d row)* } } }
    };
    ($( $(#[$doc:meta])* $Trait:ident $(<$On:ident>)? $(($Super:ident))?: $message:literal $tags:tt )*) => { $(
        legal!(@trait [ $(#[$doc])* ] $Trait [ $($On)? ] [ $($Super)? ] $message $tags);
    )* };
}

/// One PTX instruction: its function, documentation, legality, and the probe that the golden files read.
/// docs/ADDING_AN_INSTRUCTION.md is the reference of its syntax. An arm of a tag that is not taken costs nothing, not even in a
/// debug build.
macro_rules! instruction {
    // The qualifiers, one by one, with the tags of each.
    (@tags [ $(,)? ] $done:tt { $($row:tt)* } { $($rest:tt)* }) => { instruction! { @row $($row)* $done $($rest)* } };
    (@tags
        [ $Q:ident: $Legal:ident $(after $($between:literal)+)? { $($tag:tt)* } $(, $($more:tt)*)? ]
        $done:tt $($row:tt)*
    ) => {
        #[cfg(all(probe, not(target_arch = "nvptx64")))]
        checked! { @tags $Legal { $($tag)* } }
        with_registers! {
            [ $($tag)* ] [] instruction [ @named ] { $Q: $Legal [] [ $( $( $between, )+ )? ] } [ $( $($more)* )? ] $done $($row)*
        }
    };
    (@tags [ $Q:ident: $Legal:ident $(after $($between:literal)+)? $(, $($more:tt)*)? ] $done:tt $($row:tt)*) => {
        $Legal! { { $Q: $Legal [] [ $( $( $between, )+ )? ] } [ $( $($more)* )? ] $done $($row)* }
    };
    (@tags
        [ ? $Q:ident: $Legal:ident $(<$On:ident>)? $(after $($between:literal)+)? $(, $($more:tt)*)? ]
        $done:tt $($row:tt)*
    ) => {
        $Legal! { { ? $Q: $Legal [ $($On)? ] [ $( $( $between, )+ )? ] } [ $( $($more)* )? ] $done $($row)* }
    };
    (@named [ $($tags:tt)* ] { $($q:tt)* } $more:tt [ $($done:tt)* ] $($row:tt)*) => {
        instruction! { @tags $more [ $($done)* { $($q)* { $($tags)* } } ] $($row)* }
    };

    // The row, its qualifiers with their tags.
    (
        @row [ $($doc:tt)* ] [ $($safety:ident)? ] $name:ident
            [ $( { $($Q:ident)? $(? $Opt:ident)?: $Legal:ident [ $($On:ident)? ] $between:tt { $(
                $axis:ident :: $Tag:ident $id:literal $ptx:literal $register:tt $(($operand:ident in $opt_class:ident))?
                $(@ $newer:literal)? $(on $least:literal)? $(gate $tag_gate:ident)? $(no $bare:ident)? $(for $values:tt)?
            ),* $(,)? } } )* ]
            $(< const $N:ident: $Nty:ty = $n_probe:literal >)?
            ( $( $arg:ident: $Arg:ty = $class:tt ),* $(,)? )
            $( -> $Out:ty = ( $( $out:ident: $OutTy:ty = $out_class:ident ),* $(,)? ) $result:expr )?;
        form: $($form:literal)+;
        ptx: $($head:literal)+ .. $($tail:literal)* $(.. $($end:literal)+)?;
        isa: $isa:literal, target: $target:literal, section: $section:literal;
        $( gate: $gate:ident; )?
        $( assert: $assert:expr, $assert_message:literal; )?
        $( convergent: $convergent:ident; )?
        $( options: $($option:ident),*; )?
        $( # Safety $( $safety_doc:literal )* )?
    ) => {
        instruction!(@gated $name [ $($gate)? ] [ $($( $($tag_gate)? )*)* ]
            {
                #[cfg_attr(not(target_arch = "nvptx64"), doc = concat!("`", $($form,)+ "`\n"))]
                $($doc)*
                $( #[cfg_attr(not(target_arch = "nvptx64"), doc = concat!(
                    "\n- `", stringify!($($Q)? $($Opt)?), "`:" $(, " `", stringify!($axis), "::", stringify!($Tag), "`")*
                ))] )*
                #[cfg_attr(not(target_arch = "nvptx64"), doc = concat!(
                    "\nPTX ISA ", $isa,
                    $( $( $( " (`", stringify!($axis), "::", stringify!($Tag), "`: ", $newer, ")", )? )* )*
                    ", target ", instruction!(@targets $target $($gate)?),
                    $( $( $( " (`", stringify!($axis), "::", stringify!($Tag), "`: ", $least, ")", )? )* )*
                    $( $( $( " (`", stringify!($axis), "::", stringify!($Tag), "`: ", gate_text!($tag_gate), ")", )? )* )*
                    ". Section ", $section, "."
                ))]
                $(
                    ///
                    /// # Safety
                    $( #[doc = $safety_doc] )*
                )?
                #[inline(always)]
                #[allow(clippy::too_many_arguments, clippy::type_complexity, unused_variables)]
                // Some instructions compute with an address and access nothing.
                #[allow(clippy::pointers_in_nomem_asm_block)]
                // Tags of two modules in one list.
                #[deny(unreachable_patterns)]
                pub $($safety)? fn $name<
                    $( $($Q)? $($Opt)?: $crate::raw::$Legal $(<$On>)?, )* $(const $N: $Nty)?
                >(
                    $( $( #[allow(non_snake_case)] $Q: $Q, )? )* $( $arg: $Arg, )*
                    $( $( #[allow(non_snake_case)] $Opt: $Opt, )? )*
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
                            @operands [ $( [in $class $arg] )* $( $( [out $out_class $out $OutTy] )* )? $( [const $N] )? ] [] []
                            [ $($convergent)? ] {
                                [ $( $head, )+ ] [] [] [] [] [ " // ptx:", $isa, ] [ [ [none none] [none] ] [ [] [] [] [] ] [] ]
                                [ $( [ $($Q)? $($Opt)? [ $($On)? ] $between $(
                                    [ $id $ptx $register [ $($operand $opt_class)? ] [ $($bare)? ] [ $($newer)? ] [ $($least)? ] ]
                                )* ] )* ]
                            } {
                                [ $( $tail, )* ] [ $( $( $end, )+ )? ] [ $( $($option),* )? ] [ $( $result )? ]
                            }
                        }
                    }
                }
            }
        );

        #[cfg(all(probe, not(target_arch = "nvptx64")))]
        checked! { @documentation $name [ $($doc)* ] [ $($safety)? ] [ $( # Safety $($safety_doc)* )? ] }
        #[cfg(all(probe, not(target_arch = "nvptx64")))]
        checked! {
            @operands [ $( [$class $arg] )* $( $( [$out_class $out] )* )? $( [constant $N] )? ] []
            [ [ $( $head, )+ ] $( $between )* [ $( $tail, )* $( $( $end, )+ )? ] ]
        }
        #[cfg(all(probe, target_arch = "nvptx64"))]
        instruction!(@gated _ [ $($gate)? ] [] {
            const _: () = {
                $crate::raw::probe! {
                    $name [ [ $($form),+ ], $isa, $target, $section, [ $($convergent)? ] ] [ $($gate)? $($( $($tag_gate)? )*)* ]
                    [ $( [ [ $($Opt)? ] [ $($On)? ]
                        $( [ $axis :: $Tag [ $($tag_gate)? ] [ $($operand)? ] [ $($bare)? ] ] )* ] )* ]
                    [ $( $n_probe )? ] [ $( $Arg ),* ]
                }
            };
        });
    };
    (@gated _ $gate:tt [] { $($item:tt)* }) => { $($item)* };
    // The probe of gated rows calls no other.
    (@gated $name:ident [] [] { $($item:tt)* }) => { #[cfg(not(probe = "gated"))] $($item)* };
    (@gated $name:ident [] $tags:tt { $($item:tt)* }) => { $($item)* };
    (@gated $name:ident [ $gate:ident ] $tags:tt { $($item:tt)* }) => { $($item)* };
    (@targets $target:literal) => { concat!($target, " or higher") };
    (@targets $target:literal $gate:ident) => { gate_text!($gate) };

    // A row with a gate: without the gate, no more than its name is read.
    (
        $(#[$doc:meta])* $(@$safety:ident)? fn $name:ident $([$($q:tt)*])? $(< const $N:ident: $Nty:ty = $n_probe:literal >)?
            ( $($operands:tt)* ) $( -> $Out:ty = $outs:tt $result:expr )?;
        form: $($form:literal)+;
        ptx: $($head:literal)+ .. $($tail:literal)* $(.. $($end:literal)+)?;
        isa: $isa:literal, target: $target:literal, section: $section:literal;
        gate: $gate:ident;
        $($rest:tt)*
    ) => {
        #[cfg($gate)]
        instruction! {
            @tags [ $($($q)*)? ] [] { [ $(#[$doc])* ] [ $($safety)? ] $name } {
                $(< const $N: $Nty = $n_probe >)? ( $($operands)* ) $( -> $Out = $outs $result )?;
                form: $($form)+;
                ptx: $($head)+ .. $($tail)* $(.. $($end)+)?;
                isa: $isa, target: $target, section: $section;
                gate: $gate;
                $($rest)*
            }
        }
        #[cfg(not($gate))]
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!($gate) = closed!($gate);
    };
    ( $(#[$doc:meta])* $(@$safety:ident)? fn $name:ident[$($q:tt)*] $($rest:tt)* ) => {
        instruction! { @tags [ $($q)* ] [] { [ $(#[$doc])* ] [ $($safety)? ] $name } { $($rest)* } }
    };
    ( $(#[$doc:meta])* $(@$safety:ident)? fn $name:ident $($rest:tt)* ) => {
        instruction! { @row [ $(#[$doc])* ] [ $($safety)? ] $name [] $($rest)* }
    };
}

// `./x row` has another `instruction!` for the families whose sets alone it needs.
#[cfg(probe)]
pub(crate) use instruction;

/// What a host build with the cfg `probe` checks of a row: the row is documented; its text is a statement that names each operand
/// and no other; the operands have classes that there are; and the tags of a row's own list are those of the [`legal!`] set that it
/// names. `./x row` and the test `adding` make that build; a build of `ptx` does not check again what they have found right.
macro_rules! checked {
    (@operands [] [ $($name:ident)* ] [ $( [ $($text:literal,)* ] )* ]) => {
        const _: fn() = || { let _ = core::format_args!(concat!($( $($text,)* )*), $( $name = "" ),*); };
        const _: () = assert!(
            $crate::raw::macros::ends_a_statement(concat!($( $($text,)* )*)),
            "the text of `ptx:` does not end with `;`, or with the `}}` of a block",
        );
    };
    (@operands [ [ [ $($lane:ident)+ ] $arg:ident ] $($more:tt)* ] [ $($name:ident)* ] $text:tt) => {
        checked! { @operands [ $($more)* ] [ $($name)* $($lane)+ ] $text }
    };
    (@operands [ [ [ $class:ident: $($lane:ident)+ ] $arg:ident ] $($more:tt)* ] $names:tt $text:tt) => {
        checked! { @operands [ $( [ $class $lane ] )+ $($more)* ] $names $text }
    };
    (@operands [ [ { lo: $lo:ident, hi: $hi:ident } $arg:ident ] $($more:tt)* ] [ $($name:ident)* ] $text:tt) => {
        checked! { @operands [ $($more)* ] [ $($name)* $lo $hi ] $text }
    };
    (@operands [ [ $class:tt $arg:ident ] $($more:tt)* ] [ $($name:ident)* ] $text:tt) => {
        checked! { @class $class }
        checked! { @operands [ $($more)* ] [ $($name)* $arg ] $text }
    };
    (@class reg16) => {}; (@class reg32) => {}; (@class reg64) => {}; (@class typed) => {}; (@class address) => {};
    (@class pred) => {}; (@class mask) => {}; (@class half) => {}; (@class constant) => {};
    (@class $class:tt) => {
        core::compile_error!(concat!("`", stringify!($class), "` is not an operand class: `reg16`, `reg32`, `reg64`, `typed`, `address`, \
            `pred`, `mask` or `half`; lanes are `[b0 b1]`, or `[reg32: b0 b1]` of one register class; a `B128` is `{ lo: b_lo, hi: b_hi }`"));
    };
    (@tags $Legal:ident { $(
        $axis:ident :: $Tag:ident $(($operand:ident in $class:ident))? $(as $bits:ident in $tclass:ident)?
        $(@ $newer:literal)? $(on $least:literal)? $(gate $gate:ident)? $(no $bare:ident)? $(for $values:tt)?
    ),* $(,)? }) => {
        const _: fn() = || {
            const fn is_legal<Tag: $crate::raw::$Legal>() {}
            $( checked! { @legal [ $($gate)? ] { const { is_legal::<$crate::qualifier::$axis::$Tag>() } } } )*
        };
        const _: () = assert!(
            $crate::raw::macros::has_all(
                &[ $( $( #[cfg($gate)] )? <$crate::qualifier::$axis::$Tag as $crate::qualifier::Qualifier>::ID, )* ],
                $crate::raw::$Legal,
            ),
            concat!("the row's own list lacks a tag of `", stringify!($Legal), "`: a call with that tag would trap"),
        );
    };
    (@documentation $name:ident [] $safety:tt $section:tt) => {
        core::compile_error!(concat!("`", stringify!($name), "` has no documentation: say by `///` what the instruction does"));
    };
    (@documentation $name:ident $doc:tt [] []) => {};
    (@documentation $name:ident $doc:tt [ unsafe ] [ $($section:tt)+ ]) => {};
    (@documentation $name:ident $doc:tt [ unsafe ] []) => {
        core::compile_error!(concat!("`", stringify!($name), "` is `@unsafe`: list under `# Safety` what its caller ensures"));
    };
    (@documentation $name:ident $doc:tt [] $section:tt) => {
        core::compile_error!(concat!("`", stringify!($name), "` has a `# Safety` section: write `@unsafe fn`"));
    };
    (@legal [] $check:tt) => { $check };
    (@legal [ $gate:ident ] $check:tt) => { #[cfg($gate)] $check };
}

/// Returns true if the list has all tags of the set, by their numbers.
#[cfg(all(probe, not(target_arch = "nvptx64")))]
pub(crate) const fn has_all(list: &[u8], set: &[u8]) -> bool {
    let mut i = 0;
    while i < set.len() {
        let mut j = 0;
        while j < list.len() && list[j] != set[i] {
            j += 1;
        }
        if j == list.len() {
            return false;
        }
        i += 1;
    }
    true
}

/// Returns true if a text ends with `;`, or with the brace of a block, before spaces.
#[cfg(all(probe, not(target_arch = "nvptx64")))]
pub(crate) const fn ends_a_statement(text: &str) -> bool {
    matches!(text.as_bytes().trim_ascii_end(), [.., b';' | b'}'])
}

/// The body of an instruction: walks the qualifiers, then emits the text they add up to.
macro_rules! emit {
    // The end of the walk: what the operands are is known.
    (@walk
        [ $($text:tt)* ] [ $($between:tt)* ] [ $($ptx:tt)* ] [ $($newer:literal)? ] [ $($least:literal)? ] [ $($need:tt)* ]
        [
            [ [ $bits:ident $reg:ident ] [ $address_reg:ident ] ]
            [ [ $($set_up:tt)* ] [ $($brought:tt)* ] [ $($asm:tt)* ] [ $($close:tt)* ] ]
            $bare:tt
        ]
        []
        {
            [ $($tail:tt)* ] [ $($end:tt)* ] [ $($option:tt)* ] [ $($result:expr)? ]
            [ $($mark:tt)* ] [ $($never:tt)* ] [ $($label:tt)* ]
            [ $( { [ $($fixed:tt)* ] [ $($typed:ident)? ] [ $($out:ident)? ] [ $($address:ident)? ] } )* ]
        }
    ) => {{
        $( $( let $out: $bits; )? )*
        core::arch::asm!(
            concat!(
                $($mark)* $($set_up)* $($text)* $($between)* $($ptx)* $($tail)* $($brought)* $($end)* $($close)*
                $($need)* $( " ptx:", $newer, )? $( " target:", $least, )? $($never)*
            ),
            $(
                $($fixed)*
                $( $typed = in($reg) $crate::raw::cast::<_, $bits>($typed), )?
                $( $out = lateout($reg) $out, )?
                $( $address = in($address_reg) $address, )?
            )*
            $($asm)* $($label)*
            options($($option)*)
        );
        $($result)?
    }};
    // The text so far, what stands before the tag, and the tag; then the next qualifier.
    (@walk
        [ $($text:tt)* ] [ $($between:tt)* ] [ $($ptx:tt)* ] [ $($newer:literal)? ] [ $($least:literal)? ]
        [ $($need:tt)* ] $state:tt [ $qualifier:tt $($more:tt)* ] $leaf:tt
    ) => {
        emit!(@qualifier
            [ $($text)* $($between)* $($ptx)* ] [ $($need)* $( " ptx:", $newer, )? $( " target:", $least, )? ]
            $state $qualifier [ $($more)* ] $leaf
        )
    };
    // A qualifier that depends on the tags so far, which leave it its first tag alone. `[]`: this is done.
    (@qualifier $text:tt $need:tt [ $regs:tt $brought:tt [ $bare:ident ] ]
        [ $Q:ident [ $On:ident ] $between:tt $first:tt $( $tag:tt )* ] $($walk:tt)*
    ) => {
        emit!(@qualifier $text $need [ $regs $brought [ $bare ] ] [ $Q [] $between $first ] $($walk)*)
    };
    // Tags that are text alone: most.
    (@qualifier $text:tt $need:tt $state:tt
        [ $Q:ident $on:tt $between:tt $( [ $id:literal $ptx:literal [] [] [] $newer:tt $least:tt ] )* ] $more:tt $leaf:tt
    ) => {
        match <$Q as $crate::qualifier::Qualifier>::ID {
            $( $id => emit!(@walk $text $between [ $ptx, ] $newer $least $need $state $more $leaf), )*
            // The legality trait admits no other tag.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
    // Types alone.
    (@qualifier $text:tt $need:tt [ [ $typed:tt $addressed:tt ] $brought:tt $was:tt ]
        [ $Q:ident $on:tt $between:tt $( [ $id:literal $ptx:literal [ ty $bits:ident $class:ident ] [] [] $newer:tt $least:tt ] )* ]
        $more:tt $leaf:tt
    ) => {
        match <$Q as $crate::qualifier::Qualifier>::ID {
            $( $id => emit!(@walk $text $between [ $ptx, ] $newer $least $need
                [ [ [ $bits $class ] $addressed ] $brought $was ] $more $leaf), )*
            // No other tag, as above.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };
    (@qualifier $text:tt $need:tt $state:tt
        [ $Q:ident $on:tt $between:tt $(
            [ $id:literal $ptx:literal $register:tt $operand:tt $bare:tt $newer:tt $least:tt ]
        )* ] $more:tt $leaf:tt
    ) => {
        match <$Q as $crate::qualifier::Qualifier>::ID {
            $( $id => emit!(@tag $register $operand $bare $state $Q
                { $text $between [ $ptx, ] $newer $least $need } { $more $leaf }), )*
            // No other tag, as above.
            _ => core::arch::asm!("trap;", options(noreturn)),
        }
    };

    // A tag that says in which register the operands of class `typed`, or addresses, go; that brings an operand; or that leaves a
    // later qualifier its first tag alone.
    (@tag [] [] [] $state:tt $Q:ident { $($done:tt)* } { $($more:tt)* }) => { emit!(@walk $($done)* $state $($more)*) };
    // The usual case of those that follow, in one call.
    (@tag [ ty $bits:ident $class:ident ] [] [] [ [ $typed:tt $addressed:tt ] $($state:tt)* ] $Q:ident { $($done:tt)* } { $($more:tt)* }) => {
        emit!(@walk $($done)* [ [ [ $bits $class ] $addressed ] $($state)* ] $($more)*)
    };
    (@tag [ ty $bits:ident $class:ident ] $operand:tt $bare:tt [ [ $typed:tt $addressed:tt ] $brought:tt $was:tt ] $($walk:tt)*) => {
        emit!(@tag [] $operand $bare [ [ [ $bits $class ] $addressed ] $brought $was ] $($walk)*)
    };
    (@tag [ at $bits:ident $class:ident ] $operand:tt $bare:tt [ [ $typed:tt $addressed:tt ] $brought:tt $was:tt ] $Q:ident $done:tt
        { $more:tt {
            $tail:tt $end:tt $option:tt $result:tt $mark:tt $never:tt $label:tt
            [ $( { $fixed:tt $in:tt $out:tt [ $($address:ident)? ] } )* ]
        } }
    ) => {{
        $( $( let $address = $crate::qualifier::AddressBits::$bits($address); )? )*
        emit!(@tag [] $operand $bare [ [ $typed [ $class ] ] $brought $was ] $Q $done
            { $more {
                $tail $end $option $result $mark $never $label
                [ $( { $fixed $in $out [ $($address)? ] } )* ]
            } }
        )
    }};
    (@tag [] [] [ $bare:ident ] [ $regs:tt $brought:tt $was:tt ] $($walk:tt)*) => {
        emit!(@tag [] [] [] [ $regs $brought [ $bare ] ] $($walk)*)
    };
    // The operand of most, a cache policy, likewise.
    (@tag [] [ $operand:ident reg64 ] [] [ $regs:tt [ $set_up:tt [ $($text:tt)* ] [ $($asm:tt)* ] $end:tt ] $was:tt ] $Q:ident
        { $($done:tt)* } { $($more:tt)* }
    ) => {
        emit!(@walk $($done)* [ $regs [
            $set_up
            [ $($text)* ", {", stringify!($operand), "}", ]
            [ $($asm)* $operand = in(reg64) $crate::raw::cast::<_, u64>($Q), ]
            $end
        ] $was ] $($more)*)
    };
    (@tag [] [ $operand:ident reg64 ] $($tag:tt)*) => { emit!(@bring reg64 u64 $operand $($tag)*) };
    (@tag [] [ $operand:ident reg32 ] $($tag:tt)*) => { emit!(@bring reg32 u32 $operand $($tag)*) };
    (@tag [] [ $operand:ident mask ] $($tag:tt)*) => { emit!(@bring reg16 u16 $operand $($tag)*) };
    (@tag [] [ $operand:ident pred ] $bare:tt [ $regs:tt [ [] [ $($text:tt)* ] [ $($asm:tt)* ] [] ] $was:tt ] $Q:ident $($walk:tt)*) => {
        emit!(@tag [] [] $bare [ $regs [
            [ "{{ .reg .pred p; setp.ne.b32 p, {", stringify!($operand), "}, 0; ", ]
            [ $($text)* ", p", ]
            [ $($asm)* $operand = in(reg32) $crate::raw::cast::<_, bool>($Q) as u32, ]
            [ " }}", ]
        ] $was ] $Q $($walk)*)
    };
    (@bring $reg:ident $bits:ident $operand:ident $bare:tt
        [ $regs:tt [ $set_up:tt [ $($text:tt)* ] [ $($asm:tt)* ] $end:tt ] $was:tt ] $Q:ident $($walk:tt)*
    ) => {
        emit!(@tag [] [] $bare [ $regs [
            $set_up
            [ $($text)* ", {", stringify!($operand), "}", ]
            [ $($asm)* $operand = in($reg) $crate::raw::cast::<_, $bits>($Q), ]
            $end
        ] $was ] $Q $($walk)*)
    };

    // Before the walk, once a row: the operands, as what stands before the block and what `asm!` has of each. That is tokens; or,
    // where these depend on a tag, a name: of an operand of class `typed`, of such a result, or of an address.
    (@operands [ [in typed $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [] [ $arg ] [] [] } ] $($row)*)
    };
    (@operands [ [in [ $($lane:ident)+ ] $arg:ident] $($more:tt)* ] [ $($let:tt)* ] [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] [ $($let)* let [ $($lane),+ ] = $arg; ] [ $($asm)* $( { [] [ $lane ] [] [] } )+ ] $($row)*)
    };
    (@operands [ [in [ $class:ident : $($lane:ident)+ ] $arg:ident] $($more:tt)* ] [ $($let:tt)* ] [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] [ $($let)* let [ $($lane),+ ] = $arg; ]
            [ $($asm)* { [ $( $lane = in($class) $lane, )+ ] [] [] [] } ] $($row)*)
    };
    (@operands [ [in { lo: $lo:ident, hi: $hi:ident } $arg:ident] $($more:tt)* ] [ $($let:tt)* ] [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] [ $($let)* let $crate::qualifier::B128 { lo: $lo, hi: $hi } = $arg; ]
            [ $($asm)* { [ $lo = in(reg64) $lo, $hi = in(reg64) $hi, ] [] [] [] } ] $($row)*)
    };
    (@operands [ [in address $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [] [] [] [ $arg ] } ] $($row)*)
    };
    (@operands [ [in pred $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [ $arg = in(reg32) $arg as u32, ] [] [] [] } ] $($row)*)
    };
    (@operands [ [in mask $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [ $arg = in(reg16) $arg.bits(), ] [] [] [] } ] $($row)*)
    };
    (@operands [ [in half $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [ $arg = in(reg16) $arg.to_bits(), ] [] [] [] } ] $($row)*)
    };
    (@operands [ [in $class:ident $arg:ident] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [ $arg = in($class) $arg, ] [] [] [] } ] $($row)*)
    };
    (@operands [ [out typed $out:ident $Ty:ty] $($more:tt)* ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] $let [ $($asm)* { [] [] [ $out ] [] } ] $($row)*)
    };
    (@operands [ [out $class:ident $out:ident $Ty:ty] $($more:tt)* ] [ $($let:tt)* ] [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [ $($more)* ] [ $($let)* let $out: $Ty; ]
            [ $($asm)* { [ $out = lateout($class) $out, ] [] [] [] } ] $($row)*)
    };
    (@operands [ [const $N:ident] ] $let:tt [ $($asm:tt)* ] $($row:tt)*) => {
        emit!(@operands [] $let [ $($asm)* { [ $N = const $N, ] [] [] [] } ] $($row)*)
    };
    (@operands [] [ $($let:tt)* ] $asm:tt [] { $($walk:tt)* } { $($leaf:tt)* }) => {{
        $($let)*
        emit!(@walk $($walk)* { $($leaf)* [] [] [] $asm })
    }};
    (@operands [] [ $($let:tt)* ] $asm:tt [ convergent ] $walk:tt $leaf:tt) => {{
        $($let)*
        convergent! { $walk $leaf $asm }
    }};
}

/// A convergent instruction: its text has a name that is not an instruction, so that ptxas refuses the kernel unless `ptx-link`
/// has marked the block. The linker removes the name.
#[cfg(not(feature = "stock-linker"))]
macro_rules! convergent {
    ({ $($walk:tt)* } { $($leaf:tt)* } $asm:tt) => {
        emit!(@walk $($walk)* { $($leaf)* [
            "link_this_kernel_with_ptx_link_",
            env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_", env!("CARGO_PKG_VERSION_PATCH"), "; ",
        ] [] [] $asm })
    };
}
/// The asm of a convergent instruction, from its text and its operands.
#[cfg(not(feature = "stock-linker"))]
macro_rules! convergent_asm {
    ([ $($text:tt)* ] [ $($operands:tt)* ]) => {
        core::arch::asm!(
            concat!(
                "link_this_kernel_with_ptx_link_",
                env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_", env!("CARGO_PKG_VERSION_PATCH"), "; ",
                $($text)*
            ),
            $($operands)*
        )
    };
}
/// The asm goto of a convergent instruction, from its text and its operands.
#[cfg(feature = "stock-linker")]
macro_rules! convergent_asm {
    ([ $($text:tt)* ] [ $($operands:tt)* ]) => {
        core::arch::asm!(
            concat!($($text)* " {never}"),
            $($operands)*
            // SAFETY: the text has no jump to it.
            never = label { unsafe { core::intrinsics::unreachable() } },
        )
    };
}

/// Registers of an instruction of tensor cores, which uses the first ones.
#[cfg(all(feature = "tensor", target_arch = "nvptx64"))]
macro_rules! words {
    ($( $d:ident )*) => {
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(dead_code, reason = "a target may have no such instruction")]
        pub(crate) struct Words { $( pub(crate) $d: core::mem::MaybeUninit<u32>, )* }
    };
}
#[cfg(all(feature = "tensor", target_arch = "nvptx64"))]
words! {
    d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 d11 d12 d13 d14 d15
    d16 d17 d18 d19 d20 d21 d22 d23 d24 d25 d26 d27 d28 d29 d30 d31
    d32 d33 d34 d35 d36 d37 d38 d39 d40 d41 d42 d43 d44 d45 d46 d47
    d48 d49 d50 d51 d52 d53 d54 d55 d56 d57 d58 d59 d60 d61 d62 d63
    d64 d65 d66 d67 d68 d69 d70 d71 d72 d73 d74 d75 d76 d77 d78 d79
    d80 d81 d82 d83 d84 d85 d86 d87 d88 d89 d90 d91 d92 d93 d94 d95
    d96 d97 d98 d99 d100 d101 d102 d103 d104 d105 d106 d107 d108 d109 d110 d111
    d112 d113 d114 d115 d116 d117 d118 d119 d120 d121 d122 d123 d124 d125 d126 d127
}

/// Makes a macro that hands numbers of columns, or of repetitions, to another macro: with their number, their text, and the text
/// and the names of all their registers. A line has the registers beyond those of the line before. The lists are added up once,
/// not for each instruction.
#[cfg(target_arch = "nvptx64")]
macro_rules! accumulators {
    ($name:ident $($lines:tt)*) => { accumulators! { @next ($) $name [] [] [] $($lines)* } };
    (@next $dollar:tt $name:ident [ $($texts:literal)* ] [ $($all:ident)* ] [ $($done:tt)* ]
        $N:ident $id:literal $n:literal $text:literal [ $($d:ident)* ] $($more:tt)*
    ) => {
        accumulators! {
            @next $dollar $name [ $($texts)* $text ] [ $($all)* $($d)* ]
            [ $($done)* { $N $id $n [ $($texts)* $text ] [ $($all)* $($d)* ] } ] $($more)*
        }
    };
    (@next ($dollar:tt) $name:ident $texts:tt $all:tt [ $($done:tt)* ]) => {
        macro_rules! $name {
            ($then:ident $dollar($dollar first:tt)*) => { $then! { $dollar($dollar first)* $($done)* } };
        }
    };
}

/// A convergent instruction: the stock linker marks no block, so an asm goto keeps LLVM from copying it.
#[cfg(feature = "stock-linker")]
macro_rules! convergent {
    ({ $($walk:tt)* } { $($leaf:tt)* } $asm:tt) => {
        emit!(@walk $($walk)* { $($leaf)* [] [ " {never}", ] [
            // SAFETY: the text has no jump to it.
            never = label { unsafe { core::intrinsics::unreachable() } },
        ] $asm })
    };
}

/// Under the cfg `probe`: a kernel that calls every form of the instruction once, each on its own line of asm, after a comment with the row's claims and tags. `tests/golden.rs` compiles and reads it. Under `probe = "gated"`, a row
/// without a gate has the comment only. Under `probe = "convergent"`, only convergent rows have a kernel.
macro_rules! probe {
    (
        $name:ident [ $forms:tt, $isa:literal, $target:literal, $section:literal, [] ] $($row:tt)*
    ) => {
        #[cfg(not(probe = "convergent"))]
        const _: () = { $crate::raw::probe! { @kernel $name [ $forms, $isa, $target, $section, "" ] $($row)* } };
    };
    (
        $name:ident [ $forms:tt, $isa:literal, $target:literal, $section:literal, [ convergent ] ] $($row:tt)*
    ) => {
        $crate::raw::probe! { @kernel $name [ $forms, $isa, $target, $section, "convergent" ] $($row)* }
    };
    (@kernel
        $name:ident [ [ $($form:literal),+ ], $isa:literal, $target:literal, $section:literal, $convergent:literal ]
        [ $($gate:ident)* ] $qualifiers:tt $n:tt [ $($Arg:ty),* ]
    ) => {
        #[cfg(all(probe, target_arch = "nvptx64"))]
        #[unsafe(export_name = concat!("probe_", stringify!($name)))]
        unsafe extern "ptx-kernel" fn probe(operands: *mut u64) {
            // SAFETY: never run; compiled for its text.
            #[allow(unused_unsafe)]
            unsafe {
                core::arch::asm!(concat!(
                    "// row:", module_path!(), "@@", stringify!($name), "@@", $($form,)+ "@@", $isa, "@@", $target, "@@", $section,
                    "@@", $convergent, "@@" $( , stringify!($gate), " " )*, "@@", stringify!($qualifiers)
                ), options(raw));
                $crate::raw::probe!(@forms [ $($gate)* ] { @calls [] [] [] $qualifiers { $name $n [ $($Arg),* ] operands } });
            }
        }
    };
    (@forms [] { $($calls:tt)* }) => { #[cfg(not(probe = "gated"))] { $crate::raw::probe!($($calls)*); } };
    (@forms $gates:tt { $($calls:tt)* }) => { $crate::raw::probe!($($calls)*); };
    // The arguments so far, those that come last, and whether a qualifier that depends on the tags so far may bring an operand.
    (@calls $first:tt $last:tt [ $bare:ident ] [ [ $opt:tt [ $On:ident ] $tag:tt $($other:tt)* ] $($more:tt)* ] $call:tt) => {
        $crate::raw::probe!(@each $first $last [ $bare ] $opt [ $tag ] [ $($more)* ] $call);
    };
    (@calls $first:tt $last:tt $bare:tt [ [ $opt:tt $on:tt $($tag:tt)* ] $($more:tt)* ] $call:tt) => {
        $crate::raw::probe!(@each $first $last $bare $opt [ $($tag)* ] [ $($more)* ] $call);
    };
    (@each $first:tt $last:tt $bare:tt $opt:tt [ $( [ $axis:ident :: $Tag:ident $gate:tt $operand:tt $no:tt ] )* ] $more:tt
        $call:tt
    ) => {
        $( $crate::raw::probe!(@gated $gate @choose $operand $no $opt $first $last $bare $axis :: $Tag $more $call); )*
    };
    (@gated [] $($choose:tt)*) => { $crate::raw::probe!($($choose)*); };
    (@gated [ $gate:ident ] $($choose:tt)*) => { #[cfg($gate)] { $crate::raw::probe!($($choose)*); } };
    (@choose $operand:tt [ $no:ident ] $opt:tt $first:tt $last:tt $bare:tt $($choose:tt)*) => {
        $crate::raw::probe!(@choose $operand [] $opt $first $last [ $no ] $($choose)*);
    };
    (@choose [] [] [] [ $($first:tt)* ] $last:tt $bare:tt $axis:ident :: $Tag:ident $more:tt $call:tt) => {
        $crate::raw::probe!(@calls [ $($first)* [ $axis :: $Tag ] ] $last $bare $more $call);
    };
    (@choose [ $($operand:ident)? ] [] [ $Opt:ident ] $first:tt [ $($last:tt)* ] $bare:tt $axis:ident :: $Tag:ident
        $more:tt $call:tt
    ) => {
        $crate::raw::probe!(@calls $first [ $($last)* [ $axis :: $Tag $($operand)? ] ] $bare $more $call);
    };
    (@calls
        [ $( [ $axis:ident :: $Tag:ident ] )* ] [ $( [ $opt_axis:ident :: $OptTag:ident $($operand:ident)? ] )* ] $bare:tt []
        { $name:ident [ $n:literal ] $args:tt $operands:ident }
    ) => {
        $crate::raw::probe!(@call
            [ ::< $( $crate::qualifier::$axis::$Tag, )* $( $crate::qualifier::$opt_axis::$OptTag, )* $n > ]
            [ $( [ $axis :: $Tag ] )* ] [ $( [ $opt_axis :: $OptTag $($operand)? ] )* ] $name $args $operands);
    };
    (@calls $first:tt $last:tt $bare:tt [] { $name:ident [] $args:tt $operands:ident }) => {
        $crate::raw::probe!(@call [] $first $last $name $args $operands);
    };
    (@call
        [ $($generics:tt)* ] [ $( [ $axis:ident :: $Tag:ident ] )* ] [ $( [ $opt_axis:ident :: $OptTag:ident $($operand:ident)? ] )* ]
        $name:ident [ $($Arg:ty),* ] $operands:ident
    ) => {
        let result = $name $($generics)* (
            $( $crate::qualifier::$axis::$Tag, )*
            $( $crate::raw::probe!(@read $Arg, $operands) , )*
            $( $crate::qualifier::$opt_axis::$OptTag $( ($crate::raw::probe!(@read $operand, $operands)) )?, )*
        );
        core::ptr::write_volatile($operands.cast(), result);
    };
    // The type of an operand may depend on a qualifier, so it is inferred.
    (@read $Arg:ty, $operands:ident) => { $crate::raw::read($operands) };
}
