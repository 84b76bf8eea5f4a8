//! `tcgen05.mma`: a thread lets the tensor cores multiply matrices, into tensor memory (`cute::SM100_MMA_F16BF16_SS` …; PTX ISA
//! 9.7.16.10.9).
//!
//! `sp` in a name says that A is sparse, `ws` that B stays and activations come (weight stationary), `mxf8f6f4`, `mxf4` and
//! `mxf4nvf4` are kinds with block scaling. `_tensor` says that A is in tensor memory rather than in shared memory, `_lanes4` and
//! `_lanes8` that a mask keeps lanes of one CTA, or of both CTAs of a pair, from being written, and `_scaled` that D is scaled.
//!
//! Without rows are a kind with block scaling that names no `.scale_vectorsize`, which is one of those with it; `.kind::i8` with
//! `scale-input-d`, which ptxas accepts, and which the PTX ISA excludes; and the kinds and collectors that sm_107f alone has.

legal! {
    /// `.kind` of `tcgen05.mma`.
    Tcgen05Kind: "`{Self}` is not a `.kind` of this `tcgen05.mma`: use `kind::F16`, `kind::Tf32`, `kind::F8f6f4` or `kind::I8`"
    { kind::F16, kind::Tf32, kind::F8f6f4, kind::I8 gate tcgen05_i8 }
    /// `.kind` of `tcgen05.mma` with `scale-input-d`.
    Tcgen05KindScaled: "`{Self}` is not a `.kind` of `tcgen05.mma` that scales D: use `kind::F16` or `kind::Tf32`"
    { kind::F16, kind::Tf32 }
    /// `.cta_group` of a mask of four words.
    Tcgen05CtaGroup1: "`{Self}` is not the `.cta_group` of a mask of 128 lanes: use `cta_group::One`"
    { cta_group::One }
    /// `.cta_group` of a mask of eight words.
    Tcgen05CtaGroup2: "`{Self}` is not the `.cta_group` of a mask of 256 lanes: use `cta_group::Two`"
    { cta_group::Two }
    /// `.collector_usage` of A in shared memory.
    Tcgen05Collector: "`{Self}` is not a `.collector_usage` of this `tcgen05.mma`: use `collector::Fill`, `collector::Use`, `collector::LastUse` or \
        `collector::Discard`"
    { collector::Fill, collector::Use, collector::LastUse, collector::Discard }
    /// `.ashift` and `.collector_usage` of A in tensor memory.
    Tcgen05CollectorTensor: "`{Self}` is not a `.collector_usage` of this `tcgen05.mma`: use `collector::Fill`, `collector::Use`, \
        `collector::LastUse`, `collector::Discard`, `collector::AshiftLastUse` or `collector::AshiftDiscard`"
    {
        collector::Fill, collector::Use, collector::LastUse, collector::Discard, collector::AshiftLastUse,
        collector::AshiftDiscard,
    }
    /// `.collector_usage` of B.
    Tcgen05CollectorB: "`{Self}` is not a `.collector_usage` of `tcgen05.mma.ws`: use a tag of `collector` for one of `b0` to `b3`"
    {
        collector::B0Fill, collector::B0Use, collector::B0LastUse, collector::B0Discard,
        collector::B1Fill, collector::B1Use, collector::B1LastUse, collector::B1Discard,
        collector::B2Fill, collector::B2Use, collector::B2LastUse, collector::B2Discard,
        collector::B3Fill, collector::B3Use, collector::B3LastUse, collector::B3Discard,
    }
    /// `.scale_vectorsize` of `.kind::mxf8f6f4`.
    Tcgen05ScaleMxf8f6f4: "`{Self}` is not a `.scale_vectorsize` of `.kind::mxf8f6f4`: use `scale_vec::X1` or `scale_vec::Block32`"
    { scale_vec::X1 gate tcgen05_a, scale_vec::Block32 @ "8.8" }
    /// `.scale_vectorsize` of `.kind::mxf4`.
    Tcgen05ScaleMxf4: "`{Self}` is not a `.scale_vectorsize` of `.kind::mxf4`: use `scale_vec::X2` or `scale_vec::Block32`"
    { scale_vec::X2 gate tcgen05_a, scale_vec::Block32 @ "8.8" }
    /// `.scale_vectorsize` of `.kind::mxf4nvf4`.
    Tcgen05ScaleMxf4nvf4: "`{Self}` is not a `.scale_vectorsize` of `.kind::mxf4nvf4`: use `scale_vec::X2`, `scale_vec::X4`, `scale_vec::Block16` or \
        `scale_vec::Block32`"
    { scale_vec::X2 gate tcgen05_a, scale_vec::X4 gate tcgen05_a, scale_vec::Block16 @ "8.8", scale_vec::Block32 @ "8.8" }
    /// `zero-column-mask-desc`.
    Tcgen05ZeroColumns: "`{Self}` does not say which columns of B are zeros: use `zero_columns::None` or `zero_columns::Mask`"
    { zero_columns::None, zero_columns::Mask(zero_column_mask in reg64) }
}

// Without any of the gates, an instruction is its name.
#[cfg(not(tcgen05))]
macro_rules! tcgen05_mma {
    ($( $(#[$doc:meta])* fn $name:ident, [ $($q:tt)* ], $head:literal, $form:literal, $isa:literal, $section:literal, $gate:ident,
        $($operand:ident)+; )*
    ) => { $(
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!($gate) = closed!($gate);
    )* };
}
/// An instruction: the place of A, and what its operands are, one after the other.
#[cfg(tcgen05)]
macro_rules! tcgen05_mma {
    ($( $(#[$doc:meta])* fn $name:ident, [ $($q:tt)* ], $head:literal, $form:literal, $isa:literal, $section:literal, $gate:ident,
        $($operand:ident)+; )*
    ) => { $( tcgen05_mma! {
        @next [ $($operand)+ ] [ d: u32 = reg32, ] [ "[d-tmem], " ] [ "[{d}], " ] [] [] []
        { [ $(#[$doc])* ] $name [ $($q)* ] $head $form $isa $section $gate }
    } )* };
    (@next [ descriptor $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] [ $($safety:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* a: u64 = reg64, b: u64 = reg64, ] [ $($form)* "a-desc, b-desc, " ] [ $($ptx)* "{a}, {b}, " ]
        [ $($safety)* "- `a` and `b` are descriptors (PTX ISA 9.7.16.4.1) of matrices in shared memory, in the executing CTA and, with \
            `.cta_group::2`, at the same place in its peer." ]
        $($rest)*
    } };
    (@next [ tensor $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] [ $($safety:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* a: u32 = reg32, b: u64 = reg64, ] [ $($form)* "[a-tmem], b-desc, " ] [ $($ptx)* "[{a}], {b}, " ]
        [ $($safety)* "- `a` is the address of a matrix in tensor memory; `b` is the descriptor (PTX ISA 9.7.16.4.1) of a matrix in shared memory, \
            in the executing CTA and, with `.cta_group::2`, at the same place in its peer." ]
        $($rest)*
    } };
    (@next [ metadata $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] [ $($safety:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* metadata: u32 = reg32, ] [ $($form)* "[sp-meta-tmem], " ] [ $($ptx)* "[{metadata}], " ]
        [ $($safety)* "- `metadata` is the address in tensor memory of indices that PTX ISA 9.7.16.10.8 allows." ]
        $($rest)*
    } };
    (@next [ idesc $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* idesc: u32 = reg32, ] [ $($form)* "idesc, " ] [ $($ptx)* "{idesc}, " ] $($rest)*
    } };
    (@next [ scales $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] [ $($safety:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* scale_a: u32 = reg32, scale_b: u32 = reg32, ] [ $($form)* "[scale-A-tmem], [scale-B-tmem], " ]
        [ $($ptx)* "[{scale_a}], [{scale_b}], " ]
        [ $($safety)* "- `scale_a` and `scale_b` are addresses in tensor memory of scale factors as PTX ISA 9.7.16.10.7 lays them out." ]
        $($rest)*
    } };
    (@next [ lanes4 $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* disable_output_lane: [u32; 4] = [reg32: m0 m1 m2 m3], ] [ $($form)* "disable-output-lane, " ]
        [ $($ptx)* "{{{m0}, {m1}, {m2}, {m3}}}, " ] $($rest)*
    } };
    (@next [ lanes8 $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* disable_output_lane: [u32; 8] = [reg32: m0 m1 m2 m3 m4 m5 m6 m7], ] [ $($form)* "disable-output-lane, " ]
        [ $($ptx)* "{{{m0}, {m1}, {m2}, {m3}, {m4}, {m5}, {m6}, {m7}}}, " ] $($rest)*
    } };
    (@next [ enable $($more:tt)* ] [ $($args:tt)* ] [ $($form:tt)* ] [ $($ptx:tt)* ] $($rest:tt)*) => { tcgen05_mma! {
        @next [ $($more)* ] [ $($args)* enable_input_d: bool = pred, ] [ $($form)* "enable-input-d" ] [ $($ptx)* "p" ] $($rest)*
    } };
    (@next [ scaled ] $args:tt [ $($form:tt)* ] [ $($ptx:tt)* ] $safety:tt [] [] $row:tt) => { tcgen05_mma! {
        @next [] $args [ $($form)* ", scale-input-d" ] [ $($ptx)* ", {SCALE}; }}" ] $safety [ < const SCALE: u32 = 1 > ]
        [ assert: SCALE < 16, "`scale-input-d` is a number from 0 to 15"; ] $row
    } };
    (@next [ zero_columns ] $args:tt [ $($form:tt)* ] $ptx:tt $safety:tt $const:tt $assert:tt $row:tt) => { tcgen05_mma! {
        @row $args [ $($form)* "{, zero-column-mask-desc}" ] $ptx [ .. "; }}" ] $safety $const $assert $row
    } };
    (@next [] $args:tt $form:tt [ $($ptx:tt)* ] $safety:tt [] [] $row:tt) => { tcgen05_mma! {
        @row $args $form [ $($ptx)* "; }}" ] [] $safety [] [] $row
    } };
    (@next [] $args:tt $form:tt $ptx:tt $safety:tt $const:tt $assert:tt $row:tt) => { tcgen05_mma! {
        @row $args $form $ptx [] $safety $const $assert $row
    } };
    (@row [ $($args:tt)* ] [ $($operands:tt)* ] [ $($ptx:tt)* ] [ $($end:tt)* ] [ $($safety:tt)* ] [ $($const:tt)* ] [ $($assert:tt)* ]
        { [ $($doc:tt)* ] $name:ident [ $($q:tt)* ] $head:literal $form:literal $isa:literal $section:literal $gate:ident }
    ) => {
        instruction! {
            $($doc)*
            ///
            /// The instruction is asynchronous: a [`tcgen05_commit`](super::tcgen05_commit) tracks it.
            @unsafe fn $name[$($q)*]$($const)*($($args)*);
            form: $form $($operands)* ";";
            ptx: "{{ .reg .pred p; setp.ne.b32 p, {enable_input_d}, 0; " $head .. " " $($ptx)* $($end)*;
            isa: $isa, target: "sm_100", section: $section;
            gate: $gate;
            $($assert)*
            # Safety
            "- `d` is an address of tensor memory that the CTA has allocated. The columns and lanes of all matrices there are allocated, and \
                where PTX ISA 9.7.16.10.5 puts them."
            $($safety)*
            "- `idesc` is an instruction descriptor (PTX ISA 9.7.16.4.2) of the kind, of a shape that PTX ISA 9.7.16.2.1 allows."
            "- The matrices in shared memory were written through the async proxy, or a `fence.proxy.async` follows the writes. Nothing writes them \
                until an mbarrier has tracked the instruction."
            "- Nothing else accesses the tensor memory at the same time, except `tcgen05` instructions that the PTX ISA orders (9.7.16.6.2)."
            "- With `.cta_group::2`, the peer CTA has not exited, and the same holds for its tensor memory."
            "- All `tcgen05` instructions of a kernel have the same `.cta_group`."
        }
    };
}

// Dense.
tcgen05_mma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false.
    fn tcgen05_mma, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, descriptor idesc enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false.
    fn tcgen05_mma_tensor, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, tensor idesc enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_lanes4, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, descriptor idesc lanes4 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_tensor_lanes4, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, tensor idesc lanes4 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_lanes8, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, descriptor idesc lanes8 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_tensor_lanes8, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, tensor idesc lanes8 enable;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false.
    fn tcgen05_mma_scaled, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, descriptor idesc enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false.
    fn tcgen05_mma_tensor_scaled, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, tensor idesc enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_lanes4_scaled, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, descriptor idesc lanes4 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_tensor_lanes4_scaled, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, tensor idesc lanes4 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_lanes8_scaled, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, descriptor idesc lanes8 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false. Lanes whose bit is set keep their D.
    fn tcgen05_mma_tensor_lanes8_scaled, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05_scale_d, tensor idesc lanes8 enable scaled;
}

// Sparse A.
tcgen05_mma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, descriptor metadata idesc enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_tensor, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, tensor metadata idesc enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_lanes4, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, descriptor metadata idesc lanes4 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_tensor_lanes4, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, tensor metadata idesc lanes4 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_lanes8, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05Kind, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, descriptor metadata idesc lanes8 enable;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_tensor_lanes8, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05Kind, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, tensor metadata idesc lanes8 enable;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_scaled, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, descriptor metadata idesc enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_tensor_scaled, [ CtaGroup: Tcgen05CtaGroup, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, tensor metadata idesc enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_lanes4_scaled, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, descriptor metadata idesc lanes4 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_tensor_lanes4_scaled, [ CtaGroup: Tcgen05CtaGroup1, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, tensor metadata idesc lanes4 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_lanes8_scaled, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05KindScaled, Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, descriptor metadata idesc lanes8 enable scaled;
    /// Starts `D = A * B + D * 2^-SCALE`, or `D = A * B` if `enable_input_d` is false, of a sparse A. Lanes whose bit is set keep their D.
    fn tcgen05_mma_sp_tensor_lanes8_scaled, [ CtaGroup: Tcgen05CtaGroup2, Kind: Tcgen05KindScaled, Collector: Tcgen05CollectorTensor ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}{.kind}{.ashift}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_scale_d, tensor metadata idesc lanes8 enable scaled;
}

// Block scaling.
tcgen05_mma! {
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf8f6f4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf8f6f4 after ".kind::mxf8f6f4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf8f6f4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, descriptor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf8f6f4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf8f6f4 after ".kind::mxf8f6f4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf8f6f4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, tensor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4 after ".kind::mxf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, descriptor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4 after ".kind::mxf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.1", tcgen05, tensor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf4nvf4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4nvf4 after ".kind::mxf4nvf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf4nvf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.7", "9.7.16.10.9.1", tcgen05, descriptor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false.
    fn tcgen05_mma_mxf4nvf4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4nvf4 after ".kind::mxf4nvf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma", "tcgen05.mma{.cta_group}.kind::mxf4nvf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.7", "9.7.16.10.9.1", tcgen05, tensor idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf8f6f4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf8f6f4 after ".kind::mxf8f6f4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf8f6f4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, descriptor metadata idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf8f6f4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf8f6f4 after ".kind::mxf8f6f4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf8f6f4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05, tensor metadata idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4 after ".kind::mxf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_a, descriptor metadata idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4 after ".kind::mxf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.6", "9.7.16.10.9.2", tcgen05_a, tensor metadata idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf4nvf4, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4nvf4 after ".kind::mxf4nvf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf4nvf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.7", "9.7.16.10.9.2", tcgen05_a, descriptor metadata idesc scales enable;
    /// Starts `D = (A * scale_A) * (B * scale_B) + D`, or without D if `enable_input_d` is false, of a sparse A.
    fn tcgen05_mma_sp_mxf4nvf4_tensor, [ CtaGroup: Tcgen05CtaGroup, ScaleVec: Tcgen05ScaleMxf4nvf4 after ".kind::mxf4nvf4.block_scale", Collector: Tcgen05Collector ],
    "tcgen05.mma.sp", "tcgen05.mma.sp{.cta_group}.kind::mxf4nvf4.block_scale{.scale_vectorsize}{.collector_usage} ", "8.7", "9.7.16.10.9.2", tcgen05_a, tensor metadata idesc scales enable;
}

// Weight stationary.
tcgen05_mma! {
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, with B in a collector buffer.
    fn tcgen05_mma_ws, [ Kind: Tcgen05Kind after ".cta_group::1", Collector: Tcgen05CollectorB, ?ZeroColumns: Tcgen05ZeroColumns ],
    "tcgen05.mma.ws", "tcgen05.mma.ws.cta_group::1{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.3", tcgen05, descriptor idesc enable zero_columns;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, with B in a collector buffer.
    fn tcgen05_mma_ws_tensor, [ Kind: Tcgen05Kind after ".cta_group::1", Collector: Tcgen05CollectorB, ?ZeroColumns: Tcgen05ZeroColumns ],
    "tcgen05.mma.ws", "tcgen05.mma.ws.cta_group::1{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.3", tcgen05, tensor idesc enable zero_columns;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A, with B in a collector buffer.
    fn tcgen05_mma_ws_sp, [ Kind: Tcgen05Kind after ".cta_group::1", Collector: Tcgen05CollectorB, ?ZeroColumns: Tcgen05ZeroColumns ],
    "tcgen05.mma.ws.sp", "tcgen05.mma.ws.sp.cta_group::1{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.4", tcgen05, descriptor metadata idesc enable zero_columns;
    /// Starts `D = A * B + D`, or `D = A * B` if `enable_input_d` is false, of a sparse A, with B in a collector buffer.
    fn tcgen05_mma_ws_sp_tensor, [ Kind: Tcgen05Kind after ".cta_group::1", Collector: Tcgen05CollectorB, ?ZeroColumns: Tcgen05ZeroColumns ],
    "tcgen05.mma.ws.sp", "tcgen05.mma.ws.sp.cta_group::1{.kind}{.collector_usage} ", "8.6", "9.7.16.10.9.4", tcgen05, tensor metadata idesc enable zero_columns;
}
