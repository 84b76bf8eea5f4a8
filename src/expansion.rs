//! What [`#[ptx::kernel]`](crate::kernel), the derive of [`Plain`](crate::Plain) and [`print!`](crate::print!) expand to.
//!
//! A procedural macro has no `$crate`, so it uses the path `::ptx`, and that name may refer to another crate. The procedural
//! macros therefore expand to one call of a macro of this module, which contains every `unsafe` and every path. Another crate
//! called `ptx` can only provide a macro of its own, with its own `unsafe`.

/// Expansion of [`#[ptx::kernel]`](crate::kernel): declares the type of a function, and for each instance the PTX entry, to which
/// `call` passes what it takes of the CTA, the two shared memories, and the parameters of the entry.
///
/// # Safety
///
/// By `unsafe(uniform)` the caller states:
///
/// - With `stated`, the kernel keeps the contract of [`Cta::enter`](crate::group::Cta::enter): its author gives `unsafe(uniform)`.
///   With `proven`, `ptx-link` proves it.
/// - The compiler and CUDA call no function of an entry's name.
/// - `$fingerprint` is a name that has a hash of the instance's source, and `$index` counts the parameters from 0 on.
/// - `lengths` states for each memory the same extents as its parameter does.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel {
    (
        unsafe(uniform) $proof:ident $safety:ident
        docs $docs:tt
        cfgs $cfgs:tt
        name { $visibility:vis $name:ident $($generics:tt)* }
        instances { $($instance:tt)* }
    ) => {
        $crate::__kernel!(@type $docs $cfgs [$visibility] $name $($generics)*);
        $( $crate::__kernel! { unsafe(uniform) @instance $proof $safety $cfgs $instance } )*
    };
    (@type { $($docs:tt)* } $cfgs:tt [$visibility:vis] $name:ident) => {
        $($docs)*
        #[allow(non_camel_case_types)]
        #[derive(
            $crate::__private::core::clone::Clone, $crate::__private::core::marker::Copy, $crate::__private::core::fmt::Debug
        )]
        $visibility struct $name;
    };
    // A unit struct has no parameters that it does not use. The only value of this type is a variant of the kernel's name, which
    // stands beside the type, so that `name::<f32>` is both a type and a value.
    (
        @type { $($docs:tt)* } { $($cfgs:tt)* } [$visibility:vis] $name:ident { $($declared:tt)* } { $($T:ident,)* } $never:ident
    ) => {
        $($docs)*
        #[allow(non_camel_case_types, dead_code)]
        #[derive(
            $crate::__private::core::clone::Clone, $crate::__private::core::marker::Copy, $crate::__private::core::fmt::Debug
        )]
        $visibility enum $name<$($declared)*> {
            /// The kernel.
            $name,
            #[doc(hidden)]
            $never($crate::__private::core::convert::Infallible, $crate::__private::core::marker::PhantomData<fn() -> ($($T,)*)>),
        }
        $($cfgs)*
        #[doc(hidden)]
        #[allow(unused_imports)]
        $visibility use self::$name::*;
    };
    (
        unsafe(uniform) @instance $proof:ident $safety:ident { $($cfgs:tt)* } {
            entry { $entry:ident $fingerprint:ident $name:ident $($of:tt)* }
            arguments { $($named:tt)* }
            generics { $($generics:tt)* }
            shape { $block:expr; $smaller_blocks:literal; $($cluster:expr)?; $any_grid:literal; $($min_ctas:expr)?; $($max_registers:expr)? }
            types { $( $Alias:ident = $Type:ty; )* }
            memory { $cta:ident, $shared:ident: $Shared:ty, $dynamic:ident: $Dynamic:ty }
            parameters { $( $index:literal $text:literal $parameter:ident: $Parameter:ty $(; $length:tt)?, )* }
            lengths { $( $of_index:literal $Of:ty; $count:literal [$($extent:tt)*] )* }
            call { $arguments:tt }
            function { $function:item }
            stub { $stub:item }
        }
    ) => {
        $($cfgs)*
        #[allow(unexpected_cfgs)]
        const _: () = {
            // The arguments of an instance stand outside of the block that has the parameters, whose names they may mention.
            $($named)*

            const _: () = {
                $($generics)*
                // The only place of the types, since a macro inside of a type may expand to another type each time.
                $( type $Alias = $Type; )*

                #[allow(dead_code)]
                type __PtxKernel = $name $($of)*;

                #[derive($crate::__private::core::fmt::Debug)]
                pub enum __PtxShape {}

                impl $crate::launch::LaunchShape for __PtxShape {
                    const BLOCK: [$crate::__private::core::primitive::u32; 3] = $block;
                    const SMALLER_BLOCKS: $crate::__private::core::primitive::bool = $smaller_blocks;
                    $(
                        const CLUSTER: $crate::__private::core::option::Option<[$crate::__private::core::primitive::u32; 3]> =
                            $crate::__private::core::option::Option::Some($cluster);
                    )?
                    const GRID_OF_ANY_RANK: $crate::__private::core::primitive::bool = $any_grid;
                    $(
                        const MIN_CTAS: $crate::__private::core::option::Option<$crate::__private::core::primitive::u32> =
                            $crate::__private::core::option::Option::Some($min_ctas);
                    )?
                    $(
                        const MAX_REGISTERS: $crate::__private::core::option::Option<$crate::__private::core::primitive::u32> =
                            $crate::__private::core::option::Option::Some($max_registers);
                    )?
                }

                // SAFETY: `__ptx_entry` is the entry; these are its parameters, its shape and its dynamic shared memory.
                unsafe impl $crate::launch::Kernel for $name $($of)* {
                    const NAME: &'static $crate::__private::core::primitive::str = $crate::__private::core::stringify!($entry);
                    const FINGERPRINT: &'static $crate::__private::core::primitive::str =
                        $crate::__private::core::stringify!($fingerprint);
                    const LAYOUT: $crate::__private::core::primitive::u64 = {
                        // In one body with the use below, a type that is no parameter is one error.
                        $( $crate::__kernel!(@check $safety $Parameter); )*
                        $crate::launch::layout(&[
                            $crate::launch::layout_of_shape::<__PtxShape>(),
                            $crate::launch::layout_of_lengths(<Self as $crate::launch::Kernel>::LENGTHS),
                            <$Dynamic as $crate::launch::DynamicMemory>::BYTES as $crate::__private::core::primitive::u64,
                            $( <$Parameter as $crate::launch::Parameter>::LAYOUT ),*
                        ])
                    };
                    const PARAMETERS: &'static [&'static $crate::__private::core::primitive::str] = &[$($text),*];
                    const LENGTHS: &'static [$crate::launch::MemoryLength] = &[
                        $( $crate::launch::length_of::<$Of, $count>($of_index, &[$( $crate::__kernel!(@extent $extent) ),*]) ),*
                    ];
                    const DYNAMIC_SHARED: $crate::__private::core::primitive::u32 =
                        <$Dynamic as $crate::launch::DynamicMemory>::BYTES;
                    type Shape = __PtxShape;
                    type Parameters = ($($Parameter,)*);
                }
                const _: () = {
                    $crate::launch::assert_shape::<__PtxShape>();
                    <$Shared as $crate::shared::SharedMemory>::CHECKED;
                };
                $crate::__kernel!(unsafe(uniform) @safe $safety $name $($of)*);

                #[cfg(target_arch = "nvptx64")]
                #[unsafe(export_name = $crate::__private::core::stringify!($entry))]
                #[allow(improper_ctypes_definitions)]
                pub unsafe extern "ptx-kernel" fn __ptx_entry(
                    $( $parameter: *const <$Parameter as $crate::launch::Parameter>::Raw ),*
                ) {
                    $crate::__canary!();
                    $crate::__kernel!(unsafe(uniform) @proof $proof);
                    // SAFETY: `ptx-link` makes a variable of the module of the text.
                    unsafe {
                        $crate::__private::core::arch::asm!(
                            $crate::__private::core::concat!(
                                "// module: .visible .global .align 8 .u64 ", $crate::__private::core::stringify!($fingerprint), " = {}U;"
                            ),
                            const <$name $($of)* as $crate::launch::Kernel>::LAYOUT,
                            options(nomem, nostack, preserves_flags),
                        );
                    }
                    $( $crate::__parameter!(unsafe(uniform) $index, $Parameter); )*
                    let waited = $crate::launch::Waited::new();
                    // SAFETY: the author gives `unsafe(uniform)`; a launch has this shape, and passes values that keep the
                    // contracts of their types (`SafeKernel`, or the caller of an unsafe launch). `waited` lives until the end.
                    let (($cta, $shared, $dynamic), ($($parameter,)*)) = unsafe {
                        (
                            $crate::group::Cta::enter_with::<$Shared, __PtxShape>(),
                            ($( $crate::launch::with_waited(
                                $crate::__kernel!(@from_raw $parameter, $Parameter $(; $length)?), &waited
                            ), )*),
                        )
                    };
                    let $dynamic = <$Dynamic as $crate::launch::DynamicMemory>::take($dynamic);
                    let _ = (&$shared, &$dynamic);
                    {
                        // The function stands inside of the entry, so its body sees the names of its module. An attribute of the
                        // function can put other items here: in this block no name of the user stands but those of the function.
                        // It has a parameter for each argument of the launch, however many.
                        #[inline(always)]
                        #[allow(clippy::too_many_arguments)]
                        $function
                        $crate::__kernel!(unsafe(uniform) @call $safety $name $arguments);
                    }
                    $crate::launch::end_of_dependent_grid::<
                        { false $(|| <$Parameter as $crate::launch::Parameter>::PREREQUISITE)* }
                    >(&waited);
                    $crate::launch::end_of_thread();
                }

                // The function on the host: without its body, which may need features of the nightly, except for
                // rust-analyzer. It uses the names in the signature. Items that an attribute adds to it stay in a scope of their
                // own.
                #[cfg(all(not(target_arch = "nvptx64"), not(rust_analyzer)))]
                #[allow(unused, clippy::all)]
                const _: () = { $stub };
                #[cfg(all(not(target_arch = "nvptx64"), rust_analyzer))]
                #[allow(unused)]
                const _: () = { $function };
            };
        };
    };
    // Without the author's word, `ptx-link` proves the kernel, or refuses it.
    (unsafe(uniform) @proof proven) => {
        // SAFETY: `ptx-link` removes the text; ptxas refuses the PTX of a linker that does not.
        unsafe {
            $crate::__private::core::arch::asm!(
                "link_this_kernel_with_ptx_link_{}_{}_{}; ptx_mark.prove;",
                const $crate::launch::VERSION.0,
                const $crate::launch::VERSION.1,
                const $crate::launch::VERSION.2,
                options(nomem, nostack, preserves_flags),
            )
        }
    };
    (unsafe(uniform) @proof stated) => {};
    // The parts that have an `unsafe` ask for the words too: a call of a part alone is not safe either.
    (unsafe(uniform) @safe safe $($Kernel:tt)*) => {
        // SAFETY: the function is safe, its author gives `unsafe(uniform)`, and the checks have asserted the parameters.
        unsafe impl $crate::launch::SafeKernel for $($Kernel)* {}
    };
    (unsafe(uniform) @safe not_safe $($Kernel:tt)*) => {};
    (@extent ($index:literal $Count:ty)) => { $crate::launch::extent_of::<$Count>($index) };
    (@extent [$n:expr]) => { $crate::launch::Extent::Constant($n) };
    (@from_raw $parameter:ident, $Parameter:ty) => { <$Parameter as $crate::launch::Parameter>::from_raw($parameter) };
    (@from_raw $parameter:ident, $Parameter:ty; [$($extent:tt)*]) => {
        $crate::launch::from_raw_with::<$Parameter, _>($parameter, [$( $crate::__kernel!(@number $extent) ),*])
    };
    (@number ($count:ident)) => { $crate::launch::Count::count(*$count) };
    (@number ($length:literal $extent:literal)) => {
        $crate::launch::Count::count(const { <__PtxKernel as $crate::launch::Kernel>::LENGTHS[$length].constant($extent) })
    };
    (@check safe $Parameter:ty) => { $crate::launch::assert_safe_parameter::<$Parameter>() };
    (@check not_safe $Parameter:ty) => { $crate::launch::assert_parameter::<$Parameter>() };
    // A safe function is called outside of `unsafe`: an attribute that makes it unsafe is an error.
    // The arguments are one token: rustc would show those of a repetition here, and not at the user's type.
    (unsafe(uniform) @call safe $name:ident $arguments:tt) => { $name $arguments };
    (unsafe(uniform) @call not_safe $name:ident $arguments:tt) => {
        // SAFETY: the caller of the unsafe launch keeps the function's `# Safety`.
        unsafe { $name $arguments }
    };
}

/// Expansion of [`#[derive(ptx::Plain)]`](crate::Plain): implements [`Plain`](crate::launch::Plain) for a struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain {
    ($Struct:ident { $( $member:tt $field:pat, $value:expr; )* }) => {
        // The fields as they are compiled: a macro inside of a type, or another attribute, may have changed their types. The
        // pattern leaves no field out.
        const _: () = {
            #[allow(unused_variables)]
            fn __ptx_fields($Struct { $($member: $field),* }: $Struct) {}
        };
        // SAFETY: each field is `Plain`. `LAYOUT` has its place, which the derive asks to be that of `repr(C)`: host and device
        // compare it.
        unsafe impl $crate::launch::Plain for $Struct {
            const LAYOUT: $crate::__private::core::primitive::u64 = {
                $( let $field = $crate::launch::type_of_field(|__ptx_struct: Self| __ptx_struct.$member); )*
                $crate::launch::layout(&[
                    $crate::__private::core::mem::size_of::<Self>() as $crate::__private::core::primitive::u64,
                    $crate::__private::core::mem::align_of::<Self>() as $crate::__private::core::primitive::u64,
                    $(
                        $crate::__private::core::mem::offset_of!(Self, $member) as $crate::__private::core::primitive::u64,
                        $crate::launch::layout_of_field($value),
                    )*
                ])
            };

            #[cfg(not(target_arch = "nvptx64"))]
            #[allow(unused_variables)]
            fn write_to(self, __ptx_bytes: &mut [$crate::__private::core::primitive::u8]) {
                $(
                    let $field = self.$member;
                    let __ptx_start = $crate::__private::core::mem::offset_of!(Self, $member);
                    $crate::launch::write_field($value, &mut __ptx_bytes[__ptx_start..]);
                )*
            }
        }
    };
}

/// Expansion of [`print!`](crate::print!) and its siblings: makes the format and the arguments of one `vprintf`. A piece is a
/// text, or a placeholder with its argument: type, value, memory for text, and style.
#[doc(hidden)]
#[macro_export]
macro_rules! __print {
    (
        capacity { $capacity:literal }
        call { $print:ident $passed:tt }
        arguments { $( [$T:ident $argument:ident ($value:expr) $($Style:ident)+] )* }
        pieces { $( [
            $(= $text:literal)?
            $(
                ? $Of:ident $of:ident $slot:ident $As:ident
                alignment: $alignment:literal, plus: $plus:literal, alternate: $alternate:literal, zero: $zero:literal,
                width: $width:literal, precision: { $($precision:literal)? }
            )?
        ] )* }
    ) => {
        match ($(&$value,)*) {
            ($($argument,)*) => {
                #[inline(always)]
                #[allow(non_snake_case, clippy::all)]
                fn $print<$($T: $($crate::print::$Style +)+),*>($($argument: &$T),*) {
                    $($( let mut $slot = 0; )?)*
                    let __ptx_format = const {
                        &$crate::print::format::<$capacity>(&[$(
                            $( $crate::print::Piece::Text($text) )?
                            $( $crate::print::Piece::Placeholder(
                                <$Of as $crate::print::$As>::VALUE,
                                $crate::print::Layout {
                                    letter: <$Of as $crate::print::$As>::LETTER,
                                    alignment: $alignment,
                                    plus: $plus,
                                    alternate: $alternate,
                                    zero: $zero,
                                    width: $width,
                                    precision: {
                                        let __ptx_precision: $crate::__private::core::option::Option<$crate::__private::core::primitive::u16> =
                                            $crate::__private::core::option::Option::None;
                                        $( let __ptx_precision = $crate::__private::core::option::Option::Some($precision); )?
                                        __ptx_precision
                                    },
                                },
                            ) )?
                        ),*])
                    };
                    let __ptx_slots = [$($( <$Of as $crate::print::$As>::slot($of, &mut $slot), )?)*];
                    // SAFETY: the format is made of the conversions of these slots, in this order.
                    unsafe { $crate::print::vprintf(__ptx_format, __ptx_slots) }
                }
                $print $passed
            }
        }
    };
}

/// States to `ptx-link` that parameter `$index` of the entry is passed by value, with the bytes of `$Parameter::Raw`. Stock rustc
/// has no syntax for `__grid_constant__`, and does not compile by-value parameters that are aligned to more than 16 bytes. The
/// first word is not a PTX instruction, so that ptxas refuses the kernel unless `ptx-link` has read the statement.
#[doc(hidden)]
#[macro_export]
macro_rules! __parameter {
    (unsafe(uniform) $index:literal, $Parameter:ty) => {
        // SAFETY: `ptx-link` removes the text. By `unsafe(uniform)` the parameter `$index` of the entry is a `$Parameter`.
        unsafe {
            $crate::__private::core::arch::asm!(
                "link_this_kernel_with_ptx_link_{}_{}_{}; // entry: .param {} {} {}",
                const $crate::launch::VERSION.0,
                const $crate::launch::VERSION.1,
                const $crate::launch::VERSION.2,
                const $index,
                const $crate::__private::core::mem::size_of::<<$Parameter as $crate::launch::Parameter>::Raw>(),
                const $crate::__private::core::mem::align_of::<<$Parameter as $crate::launch::Parameter>::Raw>(),
                options(nomem, nostack, preserves_flags),
            )
        }
    };
}

/// Canary code in the entry of a kernel, which an LLVM pass that ignores convergence changes: `ptx-link` finds the changed code
/// and refuses the kernel. So `ptx-link` sees flags of the last crate that no build script sees. The linker removes the code.
#[doc(hidden)]
#[macro_export]
macro_rules! __canary {
    () => {{
        macro_rules! mark {
            ($text:literal) => {
                // SAFETY: a PTX comment emits no instruction.
                unsafe { $crate::__private::core::arch::asm!($text, options(nomem, nostack, preserves_flags)) }
            };
        }
        let __ptx_thread: $crate::__private::core::primitive::u32;
        // SAFETY: `%tid.x` is a special register of every thread.
        unsafe {
            $crate::__private::core::arch::asm!(
                "mov.u32 {}, %tid.x;", lateout(reg32) __ptx_thread, options(pure, nomem, nostack, preserves_flags),
            );
        }
        // Merged by passes that merge equal arms.
        if __ptx_thread == 0 {
            mark!("// canary: arm");
        } else {
            mark!("// canary: arm");
        }
        // Copied by passes that thread jumps.
        if __ptx_thread == 0 {
            mark!("// canary: before");
        }
        mark!("// canary: between");
        if __ptx_thread == 0 {
            mark!("// canary: after");
        }
    }};
}
