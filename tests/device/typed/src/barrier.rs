use ptx::barrier::{Handoff, NamedBarrier, Popc, ReductionBarrier};
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{convergence::Aligned, op, space, threads, ty};
use ptx::raw;
use ptx::shared::SharedArray;

const N: usize = 256;

ptx::shared_memory! {
    struct Smem {
        tile: SharedArray<u32, N>,
        end: Mbarrier<Uninit>,
        half: NamedBarrier<3, 64>,
        popc: ReductionBarrier<4, 64, Popc>,
        and: ReductionBarrier<5, 96, op::And>,
        or: ReductionBarrier<15, 1024, op::Or>,
        handoff: Handoff<1, 2, 64, 32>,
    }
}
/// Where `Smem` puts the mbarrier.
const END: u32 = 4 * N as u32;

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
                smem.end.addr() - END
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

pair! {
    typed_barrier_handoff(cta, smem, value, out) {
        smem.handoff.split(
            &mut cta,
            smem.tile,
            |warp, mut producer| {
                let rank = producer.rank();
                for round in 0..value {
                    producer = producer.send(warp, |i| (round ^ rank) + i as u32).wait(warp);
                }
                producer
            },
            |warp, mut consumer| {
                let mut sum = 0;
                for _ in 0..value {
                    let tile = consumer.receive(warp);
                    sum += tile.get(tile.rank() as usize).unwrap_or(0);
                    consumer = tile.release(warp);
                }
                unsafe { out.add(consumer.rank() as usize).write(sum) };
                consumer
            },
        );
    }
    raw_barrier_handoff(base, value, out) {
        let rank = crate::thread_rank();
        if rank < 64 {
            crate::scope(|| {
                for round in 0..value {
                    let value = |i: usize| (round ^ rank) + i as u32;
                    let store = |i: usize, value| raw::st_weak(space::SharedCta, ty::B32, base + 4 * i as u32, value);
                    let (mut first, rank) = (0, rank as usize);
                    while first + 4 * 64 <= N {
                        let at = [0, 1, 2, 3].map(|round| first + round * 64 + rank);
                        at.into_iter().zip(at.map(value)).for_each(|(i, value)| store(i, value));
                        first += 4 * 64;
                    }
                    while first + rank < N {
                        store(first + rank, value(first + rank));
                        first += 64;
                    }
                    raw::barrier_cta_arrive(Aligned, 1, 96);
                    raw::barrier_cta_sync(Aligned, 2, threads::Count(96));
                }
            })
        } else if rank < 96 {
            crate::scope(|| {
            let (rank, mut sum) = (rank - 64, 0);
            for _ in 0..value {
                raw::barrier_cta_sync(Aligned, 1, threads::Count(96));
                if (rank as usize) < N {
                    sum += raw::ld_weak(space::SharedCta, ty::B32, base + 4 * rank);
                }
                raw::barrier_cta_arrive(Aligned, 2, 96);
            }
            out.add(rank as usize).write(sum);
            })
        }
        raw::fence_proxy_async(space::SharedCta);
        raw::barrier_cta_sync(Aligned, 0, threads::All);
    }
}
