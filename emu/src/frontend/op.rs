//! Decoded instructions: registers are slots, qualifiers are values.

use rustc_apfloat::Round;

use crate::limits::RESERVED_SHARED;
use crate::numbers::float::{Comparison, Format, Function, Modifiers, Property};
use crate::numbers::integer::{Binary, Product, Ternary, Test, Unary};
use crate::numbers::matrix::{self, Term};
use crate::numbers::narrow::{Element, Narrow};
use crate::numbers::video::Operation;

/// A register of a function.
pub type Slot = u32;

/// An operand that is read: a register, a constant of the kernel, or an address in the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Src(pub u32);

impl Src {
    pub const CONSTANT: u32 = 1 << 30;
    pub const FRAME: u32 = 2 << 30;
    /// A constant that is an address in shared memory of the thread's own CTA.
    pub const SHARED: u32 = 3 << 30;

    pub fn constant(index: usize) -> Self {
        Self(index as u32 | Self::CONSTANT)
    }

    pub fn frame(offset: u64) -> Self {
        Self(offset as u32 | Self::FRAME)
    }
}

/// An address operand `[base+offset]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    pub base: Src,
    pub offset: i64,
    pub space: Space,
}

/// A state space, or generic addressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    Generic,
    Global,
    SharedCta,
    SharedCluster,
    Local,
    Const,
    Param,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cta => ".cta",
            Self::Cluster => ".cluster",
            Self::Gpu => ".gpu",
            Self::Sys => ".sys",
        })
    }
}

impl Scope {
    /// Returns the narrowest scope around a thread of a block that includes the threads of another.
    pub fn around(block: u32, other: u32, cluster: u32) -> Self {
        let fits = |scope: &Self| scope.includes(block, other, cluster);
        [Self::Cta, Self::Cluster].into_iter().find(fits).unwrap_or(Self::Gpu)
    }

    /// Returns whether a scope around a thread of a block includes the threads of another, by the numbers of the blocks. The
    /// blocks of a cluster have consecutive numbers.
    pub fn includes(self, block: u32, other: u32, cluster: u32) -> bool {
        match self {
            Self::Cta => block == other,
            Self::Cluster => block / cluster == other / cluster,
            Self::Gpu | Self::Sys => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sem {
    Weak,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Sem {
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::SeqCst)
    }

    pub fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::SeqCst)
    }
}

/// The operation of an atomic instruction or a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rmw {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
    Add,
    Min,
    Max,
}

/// The type of an element in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Bits(u32),
    Unsigned(u32),
    Signed(u32),
    Float(Format),
    /// A float that global memory adds: subnormal `.f32` values are zero, and an `.f64` NaN stays as it is.
    InMemory(Format),
    /// A number of floats in one register.
    Packed(Format, u32),
    /// A number of elements of at most 8 bits in one register.
    Narrow(Narrow, u32),
}

impl Type {
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits(bits) | Self::Unsigned(bits) | Self::Signed(bits) => bits,
            Self::Float(format) | Self::InMemory(format) => format.bits(),
            Self::Packed(format, count) => count * format.bits(),
            Self::Narrow(narrow, count) => count * narrow.place(),
        }
    }
}

#[derive(Debug)]
pub struct FloatOp {
    pub function: Function,
    pub format: Format,
    pub lanes: u32,
    pub modifiers: Modifiers,
    pub d: Slot,
    pub operands: Vec<Src>,
    /// The format of the operands before the last one, in mixed precision.
    pub narrower: Option<Format>,
}

/// A side of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Integer {
        bits: u32,
        signed: bool,
    },
    Float(Format),
    /// A number of elements in one register.
    Packed(Element, u32),
    /// An `.f32` whose fraction has 10 bits.
    Tf32,
}

#[derive(Debug)]
pub struct Cvt {
    pub to: Number,
    pub from: Number,
    /// `.rni` and its like: rounds to an integral value.
    pub integral: bool,
    pub modifiers: Modifiers,
    pub satfinite: bool,
    /// The bits of the register, to which a signed integer is extended.
    pub width: u32,
    pub d: Slot,
    /// The operands: each makes an element, the first one the highest.
    pub operands: Vec<Src>,
    /// `.rs`: the operand with random bits.
    pub random: Option<Src>,
    /// `.scaled`: the scale factors, and how many they are.
    pub scale: Option<(Src, u32)>,
}

/// `cvt.pack`: clamps `a` and `b` to a number of bits each, and puts them below the low bits of `c`.
#[derive(Debug)]
pub struct CvtPack {
    pub bits: u32,
    pub signed: bool,
    pub d: Slot,
    pub a: Src,
    pub b: Src,
    pub c: Option<Src>,
}

#[derive(Debug)]
pub struct Setp {
    pub compare: Compare,
    pub a: Src,
    pub b: Src,
    pub to: Truth,
    /// `.and`, `.or`, `.xor` with a predicate, and whether that is negated.
    pub combine: Option<(Binary, Src, bool)>,
}

/// The result of `setp` and of `set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// Of one comparison and of its opposite, or of the two lanes.
    Predicates(Option<Slot>, Option<Slot>),
    /// A value for true in the bits of each lane, and else zero.
    Value { d: Slot, truth: u64, bits: u32 },
}

#[derive(Debug)]
pub enum Compare {
    Integer(Test),
    Float { format: Format, lanes: u32, comparison: Comparison, ftz: bool },
}

/// A video instruction.
#[derive(Debug)]
pub struct Video {
    pub operation: Operation,
    pub d: Slot,
    pub operands: [Src; 3],
}

/// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
#[derive(Debug)]
pub struct Carry {
    /// The half of `a * b` to which `c` is added.
    pub product: Option<Product>,
    pub subtract: bool,
    pub bits: u32,
    pub uses_carry: bool,
    pub sets_carry: bool,
    pub d: Slot,
    pub a: Src,
    pub b: Src,
    pub c: Option<Src>,
}

/// `lop3.BoolOp`: whether the result has a bit, combined with a predicate.
#[derive(Debug)]
pub struct Logic3Predicate {
    pub d: Option<Slot>,
    pub p: Slot,
    pub operands: [Src; 4],
    pub combine: Binary,
    pub q: Src,
    pub negated: bool,
}

/// What the operand of `slct` is, whose sign selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Integer,
    /// An `.f32`. With `.ftz`, subnormal values are zero.
    Float {
        ftz: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    ClusterId(usize),
    ClusterCount(usize),
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    ClusterRank,
    ClusterSize,
    IsExplicitCluster,
    Lane,
    Warp,
    Warps,
    LaneMask(std::cmp::Ordering, bool),
    Sm,
    Sms,
    GridId,
    Clock,
    ClockHigh,
    GlobalTimer,
    GlobalTimerHigh,
    DynamicShared,
    TotalShared,
    AggregateShared,
    /// `%reserved_smem_offset_…`: an offset in the shared memory that is reserved for system software.
    ReservedShared(u32),
    /// `%envreg<n>`.
    Environment(usize),
    /// `%locality_domain_id`: the GPU has one.
    LocalityDomain,
    Zero,
}

impl Special {
    /// Returns a special register by its name.
    pub fn named(name: &str) -> Option<Self> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let (name, dimension) = match name.rsplit_once('.') {
            Some((name, dimension)) => (name, ["x", "y", "z", "w"].iter().position(|d| *d == dimension)?),
            None => (name, 0),
        };
        if dimension == 3 {
            return Some(Self::Zero);
        }
        Some(match name {
            "%tid" => Self::Tid(dimension),
            "%ntid" => Self::Ntid(dimension),
            "%ctaid" => Self::Ctaid(dimension),
            "%nctaid" => Self::Nctaid(dimension),
            "%clusterid" => Self::ClusterId(dimension),
            "%nclusterid" => Self::ClusterCount(dimension),
            "%cluster_ctaid" => Self::ClusterCtaid(dimension),
            "%cluster_nctaid" => Self::ClusterNctaid(dimension),
            "%cluster_ctarank" => Self::ClusterRank,
            "%cluster_nctarank" => Self::ClusterSize,
            "%is_explicit_cluster" => Self::IsExplicitCluster,
            "%laneid" => Self::Lane,
            "%warpid" => Self::Warp,
            "%nwarpid" => Self::Warps,
            "%lanemask_eq" => Self::LaneMask(Equal, true),
            "%lanemask_lt" => Self::LaneMask(Less, false),
            "%lanemask_le" => Self::LaneMask(Less, true),
            "%lanemask_gt" => Self::LaneMask(Greater, false),
            "%lanemask_ge" => Self::LaneMask(Greater, true),
            "%smid" => Self::Sm,
            "%nsmid" => Self::Sms,
            "%gridid" => Self::GridId,
            "%clock" | "%clock64" => Self::Clock,
            "%clock_hi" => Self::ClockHigh,
            "%globaltimer" | "%globaltimer_lo" => Self::GlobalTimer,
            "%globaltimer_hi" => Self::GlobalTimerHigh,
            "%dynamic_smem_size" => Self::DynamicShared,
            "%total_smem_size" => Self::TotalShared,
            "%aggr_smem_size" => Self::AggregateShared,
            "%current_graph_exec" => Self::Zero,
            "%locality_domain_id" => Self::LocalityDomain,
            "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" => Self::ReservedShared(0),
            "%reserved_smem_offset_1" => Self::ReservedShared(RESERVED_SHARED / 2),
            "%reserved_smem_offset_end" | "%reserved_smem_offset_cap" => {
                Self::ReservedShared(RESERVED_SHARED)
            }
            _ => {
                let number = name.strip_prefix("%envreg").and_then(|number| number.parse().ok());
                Self::Environment(number.filter(|number| *number < 32)?)
            }
        })
    }
}

#[derive(Debug)]
pub struct Load {
    pub address: Address,
    pub bits: u32,
    /// The bits of the registers, to which a signed element is extended.
    pub width: u32,
    pub signed: bool,
    /// A slot for each element; `None` for `_`.
    pub d: Vec<Option<Slot>>,
    pub sem: Sem,
    pub scope: Scope,
    #[expect(dead_code, reason = "tells forms apart by `Module::decoded`")]
    pub constant: bool,
}

#[derive(Debug)]
pub struct Store {
    pub address: Address,
    pub bits: u32,
    pub values: Vec<Src>,
    pub sem: Sem,
    pub scope: Scope,
}

#[derive(Debug)]
pub struct Atom {
    pub address: Address,
    pub ty: Type,
    pub rmw: Rmw,
    /// `.noftz`: an addition of `.f32` keeps subnormal values in global memory too.
    pub noftz: bool,
    pub sem: Sem,
    pub scope: Scope,
    /// A slot for each element; empty for `red`.
    pub d: Vec<Option<Slot>>,
    pub operands: Vec<Src>,
    /// The new value of `cas`.
    pub new: Vec<Src>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// The shape of the matrices of `ldmatrix` and `stmatrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileShape {
    M8n8,
    M8n16,
    M16n16,
    M16n8,
}

/// What the 16 bytes of a row in memory are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The elements as they are in registers.
    Bytes,
    /// `.b6x16_p32` and `.b4x16_p64`: 16 elements of 6 or 4 bits, then padding.
    Bits6,
    Bits4,
    /// `.s4`: 16 signed integers of 4 bits.
    Signed4,
}

/// The matrices of `ldmatrix` and `stmatrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    pub shape: TileShape,
    pub count: usize,
    pub trans: bool,
    pub source: Source,
}

impl Tile {
    /// Returns the rows of 16 bytes that the lanes give addresses of.
    pub fn rows(self) -> usize {
        match self.shape {
            TileShape::M8n8 | TileShape::M8n16 | TileShape::M16n8 => 8 * self.count,
            TileShape::M16n16 => 16 * self.count,
        }
    }

    /// Returns the registers of a lane.
    pub fn registers(self) -> usize {
        match self.shape {
            TileShape::M16n16 => 2 * self.count,
            _ => self.count,
        }
    }
}

/// A product of matrices: `mma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiply {
    /// The rows of A, the columns of B, and the columns of A.
    pub shape: [usize; 3],
    /// Whether A and B are in row-major order.
    pub rows: [bool; 2],
    pub a: matrix::Element,
    pub b: matrix::Element,
    pub c: matrix::Element,
    pub d: matrix::Element,
    /// `.kind::f8f6f4` and `.kind::mxf8f6f4`: an element of A or B has a byte, whatever its type.
    pub in_bytes: bool,
    /// `.block_scale`: the number of scale factors of a row, and their type.
    pub scale: Option<(usize, matrix::Element)>,
    /// `.sp`, and whether the metadata is ordered.
    pub sparse: Option<bool>,
    pub satfinite: bool,
    pub term: Term,
    /// How a sum of `.f64` is rounded.
    pub round: Round,
}

impl Multiply {
    /// Returns whether each four lanes, with the four lanes 16 above, compute a product of their own.
    pub fn is_in_quads(&self) -> bool {
        self.shape == [8, 8, 4] && self.a.bits() == 16
    }

    /// Returns the bits of an element of A or B in a register.
    pub fn bits(&self, element: matrix::Element) -> usize {
        if self.in_bytes { 8 } else { element.bits() as usize }
    }

    /// Returns the number of products.
    pub fn products(&self) -> usize {
        if self.is_in_quads() { 4 } else { 1 }
    }

    /// Returns the elements of a row of A that a register or memory has.
    pub fn stored(&self) -> usize {
        let k = self.shape[2];
        if self.sparse.is_some() { k / 2 } else { k }
    }

    /// Returns the registers of A, B and C of a lane.
    pub fn registers(&self) -> [usize; 3] {
        let [m, n, k] = self.shape;
        let count = |elements: usize, element: matrix::Element| {
            self.products() * elements * self.bits(element) / 32 / element.bits().max(32) as usize
        };
        [count(m * self.stored(), self.a), count(k * n, self.b), self.count(self.c)]
    }

    /// Returns the registers of C or D of a lane.
    pub fn count(&self, element: matrix::Element) -> usize {
        let [m, n, _] = self.shape;
        self.products() * m * n / 32 / (32 / element.bits()).max(1) as usize
    }
}

/// An instruction of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// `wgmma.mma_async`.
    Warpgroup(Multiply),
    /// `wgmma.fence`.
    Fence,
    /// `wgmma.commit_group`.
    Commit,
    /// `wgmma.wait_group`, with the number of groups that may be pending.
    Wait(u32),
    Load(Tile),
    Store(Tile),
    /// `movmatrix`.
    Transpose,
    Multiply(Multiply),
    /// `tcgen05` of a warp.
    Tensor(TensorWarp),
}

/// The shape of a load or a store of tensor memory: lanes and bits of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorShape {
    /// `.32x32b`
    Lanes32,
    /// `.16x64b`, `.16x128b` and `.16x256b`
    Bits64,
    Bits128,
    Bits256,
    /// `.16x32bx2`
    Split,
}

/// The words of tensor memory that a warp loads or stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorTile {
    pub shape: TensorShape,
    /// How often the shape stands beside itself.
    pub count: u32,
    /// Whether a register has the low halves of two columns.
    pub packed: bool,
    /// The columns between the two parts of `.16x32bx2`.
    pub offset: u32,
}

impl TensorTile {
    /// Returns the registers of a lane.
    pub fn registers(self) -> usize {
        let of_one = match self.shape {
            TensorShape::Lanes32 | TensorShape::Bits64 | TensorShape::Split => 1,
            TensorShape::Bits128 => 2,
            TensorShape::Bits256 => 4,
        };
        of_one * self.count as usize
    }
}

/// What `tcgen05.ld.red` makes of the words of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorReduction {
    pub rmw: Rmw,
    pub ty: Type,
    pub abs: bool,
    pub nan: bool,
}

/// An instruction of tensor memory that a warp executes together. `pair`: with a warp of the peer CTA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorWarp {
    Allocate { pair: bool },
    Deallocate { pair: bool },
    Relinquish { pair: bool },
    Load(TensorTile, Option<TensorReduction>),
    Store(TensorTile),
    Wait { stores: bool },
}

impl TensorWarp {
    /// Returns whether an instruction that allocates, deallocates or gives up the right to is one of a pair. `None`: another one.
    pub fn pair(self) -> Option<bool> {
        match self {
            Self::Allocate { pair } | Self::Deallocate { pair } | Self::Relinquish { pair } => Some(pair),
            Self::Load(..) | Self::Store(_) | Self::Wait { .. } => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Allocate { .. } => "tcgen05.alloc",
            Self::Deallocate { .. } => "tcgen05.dealloc",
            Self::Relinquish { .. } => "tcgen05.relinquish_alloc_permit",
            Self::Load(_, None) => "tcgen05.ld",
            Self::Load(_, Some(_)) => "tcgen05.ld.red",
            Self::Store(_) => "tcgen05.st",
            Self::Wait { stores: false } => "tcgen05.wait::ld",
            Self::Wait { stores: true } => "tcgen05.wait::st",
        }
    }

    fn section(self) -> &'static str {
        match self {
            Self::Allocate { .. } | Self::Deallocate { .. } | Self::Relinquish { .. } => "9.7.16.7.1",
            Self::Load(..) => "9.7.16.8.3",
            Self::Store(_) => "9.7.16.8.4",
            Self::Wait { .. } => "9.7.16.8.5",
        }
    }
}

/// The lanes that `tcgen05.cp` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyShape {
    /// All, each 16 bytes so often.
    Lanes128 { chunks: u32 },
    /// Each of 64 lanes twice: in the next 32, or 64 behind.
    Lanes64 { beside: bool },
    /// Each of 32 lanes four times.
    Lanes32,
    /// One of each 32 lanes, 32 bytes.
    Lanes4,
}

/// `.kind` of `tcgen05.mma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

impl Kind {
    pub fn has_scales(self) -> bool {
        matches!(self, Self::Mxf8f6f4 | Self::Mxf4 | Self::Mxf4nvf4)
    }
}

/// Where the A of `tcgen05.mma` is.
#[derive(Debug, Clone, Copy)]
pub enum MatrixA {
    /// In shared memory, by a descriptor.
    Shared(Src),
    Tensor(Address),
}

#[derive(Debug)]
pub struct TensorMultiply {
    pub pair: bool,
    pub weight_stationary: bool,
    pub kind: Kind,
    /// The scale factors of a row of A and of a column of B.
    pub factors: usize,
    pub d: Address,
    pub a: MatrixA,
    pub b: Src,
    /// The indices of a sparse A.
    pub metadata: Option<Address>,
    pub idesc: Src,
    pub scales: Option<[Address; 2]>,
    /// `disable-output-lane`, or nothing.
    pub lanes: Vec<Src>,
    /// `enable-input-d`.
    pub enable: Src,
    pub scale_d: u32,
    /// `zero-column-mask-desc`.
    pub zero_columns: Option<Src>,
}

/// `tcgen05` of one thread.
#[derive(Debug)]
pub enum Tcgen05 {
    Fence { before: bool },
    Commit { pair: bool, mbarrier: Address, mask: Option<Multicast> },
    Copy { pair: bool, shape: CopyShape, source: Source, to: Address, from: Src },
    Multiply(TensorMultiply),
}

impl Tcgen05 {
    fn section(&self) -> &'static str {
        match self {
            Self::Fence { .. } => "9.7.16.11.1",
            Self::Commit { .. } => "9.7.16.12.1",
            Self::Copy { .. } => "9.7.16.9.2",
            Self::Multiply(multiply) => match (multiply.weight_stationary, multiply.metadata.is_some()) {
                (false, false) => "9.7.16.10.9.1",
                (false, true) => "9.7.16.10.9.2",
                (true, false) => "9.7.16.10.9.3",
                (true, true) => "9.7.16.10.9.4",
            },
        }
    }
}

/// The selectors of the bytes and of the lanes whose scale factors count.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    pub byte: Src,
    pub thread: Src,
}

/// The registers of an instruction of matrices.
#[derive(Debug, Default)]
pub struct Fragments {
    pub d: Vec<Slot>,
    pub a: Vec<Src>,
    pub b: Vec<Src>,
    pub c: Vec<Src>,
    /// The address of a row.
    pub address: Option<Address>,
    /// The metadata of a sparse matrix, and which lanes hold it.
    pub metadata: Option<Src>,
    pub selector: usize,
    /// Four scale factors of A and of B, and the selectors of those that count.
    pub factors: Vec<Src>,
    pub scales: Option<[Scale; 2]>,
    /// The descriptors of A and B in shared memory.
    pub descriptors: [Option<Src>; 2],
    /// `scale-d`: whether the sums are added to D. `None`: they are.
    pub scale_d: Option<Src>,
    /// Whether A and B are negated, and whether their elements along M and N are beside each other.
    pub negated: [bool; 2],
    pub mn_major: [bool; 2],
    /// An address of tensor memory, and a number of its columns.
    pub taddr: Option<Address>,
    pub columns: Option<Src>,
}

/// An instruction that the lanes of a mask execute together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collective {
    Shuffle(ShuffleMode),
    Vote(Vote),
    Match {
        all: bool,
        bits: u32,
    },
    Redux(Rmw, Type, bool, bool),
    Elect,
    BarWarp,
    /// `tensormap.cp_fenceproxy`.
    CopyMap(Scope),
    SetMaxNReg {
        increase: bool,
        count: u32,
    },
    Matrix(Matrix),
}

impl Collective {
    /// Returns the name of the instruction.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shuffle(_) => "shfl.sync",
            Self::Vote(_) => "vote.sync",
            Self::Match { .. } => "match.sync",
            Self::Redux(..) => "redux.sync",
            Self::Elect => "elect.sync",
            Self::BarWarp => "bar.warp.sync",
            Self::CopyMap(_) => "tensormap.cp_fenceproxy",
            Self::SetMaxNReg { increase: true, .. } => "setmaxnreg.inc",
            Self::SetMaxNReg { increase: false, .. } => "setmaxnreg.dec",
            Self::Matrix(Matrix::Warpgroup(_)) => "wgmma.mma_async",
            Self::Matrix(Matrix::Fence) => "wgmma.fence",
            Self::Matrix(Matrix::Commit) => "wgmma.commit_group",
            Self::Matrix(Matrix::Wait(_)) => "wgmma.wait_group",
            Self::Matrix(Matrix::Load(_)) => "ldmatrix",
            Self::Matrix(Matrix::Store(_)) => "stmatrix",
            Self::Matrix(Matrix::Transpose) => "movmatrix",
            Self::Matrix(Matrix::Multiply(multiply)) if multiply.sparse.is_some() => "mma.sp",
            Self::Matrix(Matrix::Multiply(_)) => "mma",
            Self::Matrix(Matrix::Tensor(what)) => what.name(),
        }
    }

    /// Returns the section of the PTX ISA on the instruction.
    pub fn section(self) -> &'static str {
        match self {
            Self::Shuffle(_) => "9.7.9.6",
            Self::BarWarp => "9.7.13.2",
            Self::Vote(_) => "9.7.13.9",
            Self::Match { .. } => "9.7.13.10",
            Self::Redux(..) => "9.7.13.12",
            Self::Elect => "9.7.13.14",
            Self::CopyMap(_) => "9.7.13.16",
            Self::SetMaxNReg { .. } => "9.7.19.5",
            Self::Matrix(Matrix::Warpgroup(multiply)) if multiply.sparse.is_some() => "9.7.15.6.4",
            Self::Matrix(Matrix::Warpgroup(_)) => "9.7.15.5.2",
            Self::Matrix(Matrix::Fence) => "9.7.15.7.1",
            Self::Matrix(Matrix::Commit) => "9.7.15.7.2",
            Self::Matrix(Matrix::Wait(_)) => "9.7.15.7.3",
            Self::Matrix(Matrix::Load(_)) => "9.7.14.5.15",
            Self::Matrix(Matrix::Store(_)) => "9.7.14.5.16",
            Self::Matrix(Matrix::Transpose) => "9.7.14.5.17",
            Self::Matrix(Matrix::Multiply(multiply)) if multiply.sparse.is_some() => "9.7.14.6.3",
            Self::Matrix(Matrix::Multiply(_)) => "9.7.14.5.14",
            Self::Matrix(Matrix::Tensor(what)) => what.section(),
        }
    }
}

#[derive(Debug)]
pub struct WarpOp {
    pub what: Collective,
    pub mask: Src,
    pub d: Option<Slot>,
    /// The predicate after `|`.
    pub p: Option<Slot>,
    pub a: Src,
    pub b: Src,
    pub c: Src,
    /// Whether the predicate operand is negated.
    pub negated: bool,
    /// The destination and the source of the copy of a tensor map.
    pub map: Option<(Address, Address)>,
    pub fragments: Option<Box<Fragments>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    And,
    Or,
}

#[derive(Debug)]
pub struct Barrier {
    pub kind: BarrierKind,
    pub aligned: bool,
    pub id: Src,
    pub count: Option<Src>,
    pub d: Option<Slot>,
    pub p: Option<Src>,
    pub negated: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Arrival {
    /// `arrive`, with its count.
    Count(Option<Src>),
    /// `arrive.expect_tx`.
    ExpectTx(Src),
    /// `arrive.noComplete`.
    NoComplete(Src),
}

/// The `.layout` of an mbarrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    V0,
    V1,
}

#[derive(Debug)]
pub enum Mbarrier {
    Init {
        count: Src,
        layout: Layout,
    },
    CheckLayout {
        d: Option<Slot>,
        layout: Layout,
    },
    Inval,
    ExpectTx {
        bytes: Src,
    },
    CompleteTx {
        bytes: Src,
    },
    Arrive {
        arrival: Arrival,
        drop: bool,
        sem: Sem,
        scope: Scope,
        state: Option<Slot>,
    },
    /// `test_wait` and `try_wait`, on a state or a parity.
    Wait {
        blocks: bool,
        parity: bool,
        operand: Src,
        d: Option<Slot>,
        /// `reportPredicate` and `reportValue`. The interpreter has no operation that reports: both are zero.
        report: Vec<Option<Slot>>,
        /// `.phase_type::conditional`. Without reports, that phase completes with the primary one.
        #[expect(dead_code, reason = "tells forms apart by `Module::decoded`")]
        conditional: bool,
        sem: Sem,
        scope: Scope,
    },
    /// `cp.async.mbarrier.arrive`.
    CpAsyncArrive {
        noinc: bool,
    },
}

/// A bi-directional or one-directional proxy fence (PTX ISA 9.7.13.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// `fence.sem.scope` and `membar`.
    Thread { sem: Sem, scope: Scope },
    /// `fence.mbarrier_init.release.cluster`.
    MbarrierInit,
    /// `fence.proxy.async`, of `.global`, `.shared::cta`, or both.
    Async { global: bool, shared: bool },
    /// `fence.proxy.async::generic.{acquire,release}.sync_restrict…`. `reads`: `…::shared::cluster::read`, for the thread's own
    /// reads alone.
    AsyncRestricted { sem: Sem, reads: bool },
    /// `fence.proxy.alias`. `sem`: that of `fence.proxy.alias.{acquire,release}.sys`, of one direction.
    Alias { sem: Option<Sem> },
    /// `fence.proxy.tensormap::generic.{acquire,release}.scope`.
    TensorMap { sem: Sem, scope: Scope },
}

/// The completion mechanism of an asynchronous operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// `.mbarrier::complete_tx::bytes`.
    Mbarrier(Address),
    /// `.bulk_group`.
    BulkGroup,
}

/// The CTAs that get a copy: a mask, and how many of its bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multicast {
    pub mask: Src,
    pub bits: u32,
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`.
#[derive(Debug)]
pub struct Bulk {
    pub to: Address,
    pub from: Address,
    pub bytes: Src,
    pub completion: Completion,
    pub multicast: Option<Multicast>,
    pub byte_mask: Option<Src>,
    /// `.ignore_oob`: the bytes at the beginning and at the end that the copy leaves out.
    pub ignored: Option<(Src, Src)>,
    /// `.relaxed`, and the default of reductions: the scope of strong accesses.
    pub strong: Option<Scope>,
    /// `multimem.`: the destination is a multicast object.
    pub multimem: bool,
    pub reduction: Option<(Rmw, Type)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorMode {
    Tile,
    TileGather4,
    TileScatter4,
    Im2col,
    Im2colW,
    Im2colW128,
    Im2colNoOffs,
    Im2colNoOffsW,
}

/// What a tensor copy has in the place of fields of its map (`.override::…`).
#[derive(Debug, Default)]
pub struct Override {
    pub address: Option<Src>,
    /// The sizes of the tensor, of which the low eight bits count, or none.
    pub sizes: Vec<Src>,
    /// Bits 0 to 31 of the strides, in units of 16 bytes.
    pub lower_strides: Vec<Src>,
    /// Bits 32 to 35 of each stride.
    pub upper_strides: Option<Src>,
}

/// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor` and the prefetch.
#[derive(Debug)]
pub struct Tensor {
    pub dims: usize,
    pub mode: TensorMode,
    pub direction: Direction,
    pub map: Address,
    pub replaced: Override,
    pub coordinates: Vec<Src>,
    /// Offsets or `im2col` information.
    pub offsets: Vec<Src>,
    pub shared: Option<Address>,
    pub completion: Option<Completion>,
    pub multicast: Option<Multicast>,
    /// `.cta_group::2`: the mbarrier may be that of the other CTA of the pair.
    pub pair: bool,
    pub reduction: Option<Rmw>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToShared,
    ToGlobal,
    Prefetch,
}

#[derive(Debug)]
pub struct CpAsync {
    pub to: Address,
    pub from: Address,
    pub bytes: u32,
    pub source_bytes: Option<Src>,
    /// `ignore-src`: a predicate, and whether it is negated.
    pub ignore: Option<(Src, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    CpAsyncCommit,
    CpAsyncWait(Src),
    CpAsyncWaitAll,
    BulkCommit,
    /// `for_async`: `.sync_restrict::proxy::async`, for later accesses of the async proxy alone.
    BulkWait {
        pending: Src,
        read: bool,
        for_async: bool,
    },
}

#[derive(Debug)]
pub struct StAsync {
    pub address: Address,
    pub bits: u32,
    pub values: Vec<Src>,
    /// `None` for `.mmio` stores and for `st.async.release` without an mbarrier.
    pub mbarrier: Option<Address>,
    /// `multimem.`: the destination is a multicast object.
    pub multimem: bool,
    pub reduction: Option<(Rmw, Type)>,
    #[expect(dead_code, reason = "tells forms apart by `Module::decoded`")]
    pub sem: Sem,
    pub scope: Scope,
}

/// A field of a tensor map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    GlobalAddress,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElemType,
    InterleaveLayout,
    SwizzleMode,
    FillMode,
    SwizzleAtomicity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multimem {
    LdReduce,
    St,
    Red,
}

#[derive(Debug)]
pub struct MultimemOp {
    pub what: Multimem,
    pub address: Address,
    pub rmw: Rmw,
    pub ty: Type,
    /// `.acc`: the precision of a sum.
    pub precision: Option<Format>,
    pub sem: Sem,
    pub scope: Scope,
    pub d: Vec<Option<Slot>>,
    pub operands: Vec<Src>,
}

/// A parameter: its place in the parameters of a kernel, or in the frame of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The offset in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl Parameter {
    /// Returns the bytes of the parameter in a frame that begins at `frame`.
    pub(crate) fn within(&self, frame: usize) -> std::ops::Range<usize> {
        let start = frame + self.offset as usize;
        start..start + self.bytes as usize
    }
}

#[derive(Debug)]
pub struct Call {
    pub target: Callee,
    pub returns: Vec<Returned>,
    pub arguments: Vec<Argument>,
}

/// What a call passes.
#[derive(Debug, Clone)]
pub enum Argument {
    /// Bytes of the frame.
    Frame(Parameter),
    /// A register or a number.
    Value(Src),
}

/// Where a call puts a result.
#[derive(Debug, Clone)]
pub enum Returned {
    Frame(Parameter),
    Register(Slot),
    Sink,
}

#[derive(Debug)]
pub enum Callee {
    Function(usize),
    Pointer(Src),
    /// `vprintf`.
    Printf,
    /// `__assertfail`.
    AssertFail,
    /// `malloc`, `free`.
    Missing(String),
}

#[derive(Debug)]
pub enum Op {
    Nop,
    Move(Slot, Src),
    Unary(Unary, Slot, Src),
    Binary(Binary, Slot, Src, Src),
    Ternary(Ternary, Slot, Src, Src, Src),
    /// `bfi` of 32 or 64 bits.
    Insert(u32, Slot, [Src; 4]),
    Logic3(Slot, [Src; 4]),
    Logic3Predicate(Box<Logic3Predicate>),
    AddF32(Slot, Src, Src),
    MulF32(Slot, Src, Src),
    FmaF32(Slot, Src, Src, Src),
    AddF64(Slot, Src, Src),
    MulF64(Slot, Src, Src),
    FmaF64(Slot, Src, Src, Src),
    Float(Box<FloatOp>),
    Cvt(Box<Cvt>),
    CvtPack(Box<CvtPack>),
    Video(Box<Video>),
    Carry(Box<Carry>),
    Setp(Box<Setp>),
    Select(Slot, Src, Src, Src),
    /// `slct`: the third operand selects by its sign.
    SelectBySign(Slot, Src, Src, Src, Sign),
    /// `testp`.
    TestProperty(Slot, Property, Format, Src),
    /// `mov` of a 128-bit register.
    Move128(Slot, Slot),
    /// `mov.b64 d, {a, b}`: elements of a number of bits.
    Pack(Slot, Vec<Src>, u32),
    Unpack(Vec<Option<Slot>>, Src, u32),
    Special(Slot, Special),
    Load(Box<Load>),
    Store(Box<Store>),
    Atom(Box<Atom>),
    /// `cvta.space`: to a generic address.
    ToGeneric(Slot, Src, Space),
    /// `cvta.to.space`: from a generic address.
    FromGeneric(Slot, Src, Space),
    IsSpace(Slot, Src, Space),
    Mapa {
        d: Slot,
        address: Src,
        rank: Src,
        generic: bool,
    },
    Getctarank {
        d: Slot,
        address: Src,
        #[expect(dead_code, reason = "tells forms apart by `Module::decoded`")]
        generic: bool,
    },
    Branch(u32),
    BranchIndex(Src, Vec<u32>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Breakpoint,
    Activemask(Slot),
    Warp(Box<WarpOp>),
    Tcgen05(Box<Tcgen05>),
    Barrier(Box<Barrier>),
    ClusterArrive {
        sem: Sem,
        aligned: bool,
    },
    ClusterWait {
        #[expect(dead_code, reason = "tells forms apart by `Module::decoded`")]
        sem: Sem,
        aligned: bool,
    },
    /// With a mask, `.multicast::cluster::32b`: the operation is on the mbarriers at this offset in each CTA of the mask.
    Mbarrier(Address, Box<Mbarrier>, Option<Src>),
    PendingCount(Slot, Src),
    Fence(Fence),
    CpAsync(Box<CpAsync>),
    Groups(Groups),
    Bulk(Box<Bulk>),
    Tensor(Box<Tensor>),
    StAsync(Box<StAsync>),
    /// `st.bulk`, which stores zeros.
    StBulk {
        address: Address,
        bytes: Src,
    },
    TensorMapReplace {
        address: Address,
        field: Field,
        index: u32,
        value: Src,
    },
    Multimem(Box<MultimemOp>),
    /// A prefetch, or a hint to the L2 cache, whose address must be valid.
    Touch(Address, u64),
    /// `createpolicy`: an opaque value.
    Policy(Slot, u64),
    Nanosleep(#[expect(dead_code, reason = "tells forms apart by `Module::decoded`")] Src),
    GridDependencies {
        wait: bool,
    },
    /// `clusterlaunchcontrol.try_cancel`.
    TryCancel {
        response: Address,
        mbarrier: Address,
        multicast: bool,
    },
    /// `clusterlaunchcontrol.query_cancel`.
    QueryCanceled(Slot, Slot),
    QueryCtaid {
        d: Vec<Option<Slot>>,
        response: Slot,
        dimension: Option<usize>,
    },
}

impl Op {
    /// Returns the section of the PTX ISA on the instruction.
    pub fn section(&self) -> &'static str {
        match self {
            Self::Load(_) => "9.7.9.8",
            Self::Store(_) => "9.7.9.11",
            Self::StAsync(_) => "9.7.9.12, 9.7.13.7",
            Self::StBulk { .. } => "9.7.9.13",
            Self::Multimem(_) => "9.7.9.14",
            Self::Touch(..) => "9.7.9.15",
            Self::Mapa { .. } => "9.7.9.23",
            Self::CpAsync(_) => "9.7.9.25.3",
            Self::Bulk(_) => "9.7.9.25.4",
            Self::Tensor(_) => "9.7.9.25.5",
            Self::TensorMapReplace { .. } => "9.7.9.28",
            Self::Call(_) => "9.7.12.5",
            Self::Barrier(_) => "9.7.13.1",
            Self::ClusterArrive { .. } | Self::ClusterWait { .. } => "9.7.13.3",
            Self::Fence(_) => "9.7.13.4",
            Self::Atom(atom) if atom.d.is_empty() => "9.7.13.6",
            Self::Atom(_) => "9.7.13.5",
            Self::Activemask(_) => "9.7.13.11",
            Self::Warp(op) => op.what.section(),
            Self::Tcgen05(op) => op.section(),
            Self::Mbarrier(..) | Self::PendingCount(..) => "9.7.13.15",
            Self::TryCancel { .. } => "9.7.13.17",
            Self::Trap => "9.7.19.4",
            _ => "9.7",
        }
    }
}
