//! The first words of PTX's instructions.

/// The words of the instructions that the interpreter has, at least in some forms.
const KNOWN: &str = "\
    abs activemask add addc and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clz \
    clusterlaunchcontrol cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma fns \
    getctarank griddepcontrol isspacep ld ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mov mul mul24 \
    multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg \
    setp shf shfl shl shr sin slct sqrt st sub subc szext tanh tensormap testp trap vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 \
    vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 xor";

/// The words of the instructions that the interpreter does not have.
const LACKING: &str = "\
    alloca istypep ldmatrix mma movmatrix stackrestore stacksave stmatrix suld suq sured sust tcgen05 tex tld4 txq wgmma wmma";

/// Says why the interpreter does not have an instruction, if it has none of this first word.
pub fn missing(opcode: &str) -> Option<String> {
    let first = opcode.split('.').next().unwrap_or_default();
    let is_in = |list: &str| list.split_whitespace().any(|word| word == first);
    if is_in(KNOWN) {
        return None;
    }
    Some(match is_in(LACKING) {
        true => format!("the interpreter has no `{first}`: it cannot run `{opcode}`"),
        false => format!("no such instruction: `{opcode}`"),
    })
}
