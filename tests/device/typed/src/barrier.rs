use ptx::barrier::{NamedBarrier, Popc, ReductionBarrier};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{convergence::Aligned, op, threads};
use ptx::raw;

ptx::shared_memory! {
    struct Smem {
        end: Mbarrier<Uninit>,
        half: NamedBarrier<3, 64>,
        popc: ReductionBarrier<4, 64, Popc>,
        and: ReductionBarrier<5, 96, op::And>,
        or: ReductionBarrier<15, 1024, op::Or>,
    }
}
macro_rules! pair {
    ($typed:ident($cta:ident, $smem:ident, $value:ident, $out:ident) $typed_body:block
     $raw:ident($base:ident, $rvalue:ident, $rout:ident) $raw_body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $typed($out: *mut u32, $value: u32) {
            #[allow(unused)]
            let (mut $cta, $smem, _) = unsafe { Cta::enter::<Smem>() };
            $typed_body
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $raw($rout: *mut u32, $rvalue: u32) {
            #[allow(unused)]
            let $base = {
                let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
                smem.end.addr()
            };
            unsafe { $raw_body }
        }
    };
}

pair! {
    typed_barrier_sync(cta, smem, value, out) { smem.half.sync(&cta.warp()) }
    raw_barrier_sync(base, value, out) { raw::barrier_cta_sync(Aligned, 3, threads::Count(64)) }
}

pair! {
    typed_barrier_red(cta, smem, value, out) {
        let warp = cta.warp();
        let many = smem.popc.red(&warp, value > 3);
        let all = smem.and.red(&warp, value > 4);
        let any = smem.or.red(&warp, value > 5);
        unsafe { out.write(many + all as u32 + any as u32) };
    }
    raw_barrier_red(base, value, out) {
        let many = raw::barrier_cta_red_popc(Aligned, 4, value > 3, threads::Count(64));
        let all = raw::barrier_cta_red(op::And, Aligned, 5, value > 4, threads::Count(96));
        let any = raw::barrier_cta_red(op::Or, Aligned, 15, value > 5, threads::Count(1024));
        out.write(many + all as u32 + any as u32);
    }
}
