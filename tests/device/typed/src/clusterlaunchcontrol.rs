use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{arrivals, convergence::Aligned, multicast, scope, sem, space, suspend_time_hint};
use ptx::raw;

use crate::{elected, fence_async, init};

ptx::shared_memory! { struct Smem { clusters: WorkQueueMemory, end: Mbarrier<Uninit> } }
/// The offset of the second mbarrier in `Smem`, after the response and the first mbarrier.
const END: u32 = 24;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_clusterlaunchcontrol_loop(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    smem.clusters.scope(&mut cta, |cta, mut queue| {
        let mut block = raw::ctaid_x();
        loop {
            let request = queue.try_cancel(cta);
            unsafe { out.add(block as usize).write(block) };
            match request.wait(cta) {
                Response::Canceled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
                Response::NoMore(closed) => return closed,
            }
        }
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_clusterlaunchcontrol_loop(out: *mut u32) {
    let base = {
        let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
        smem.end.addr() - END
    };
    let bar = base + 16;
    initialized(bar, || unsafe {
        let mut block = raw::ctaid_x();
        loop {
            let state = request(base, bar);
            out.add(block as usize).write(block);
            while !raw::mbarrier_try_wait(
                sem::Acquire,
                scope::Cta,
                space::SharedCta,
                bar,
                state,
                suspend_time_hint::None,
            ) {}
            let response = raw::ld_weak_b128(space::SharedCta, base);
            if !raw::clusterlaunchcontrol_query_cancel_is_canceled(response) {
                return;
            }
            [block, _, _] = raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response);
            fence_async();
        }
    });
}

/// Takes over at most one cluster.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_clusterlaunchcontrol_close(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    smem.clusters.scope(&mut cta, |cta, queue| match queue.try_cancel(cta).wait(cta) {
        Response::Canceled { first_ctaid: [x, ..], queue } => {
            unsafe { out.write(x) };
            queue.close()
        }
        Response::NoMore(closed) => closed,
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_clusterlaunchcontrol_close(out: *mut u32) {
    let base = {
        let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
        smem.end.addr() - END
    };
    let bar = base + 16;
    initialized(bar, || unsafe {
        let state = request(base, bar);
        while !raw::mbarrier_try_wait(
            sem::Acquire,
            scope::Cta,
            space::SharedCta,
            bar,
            state,
            suspend_time_hint::None,
        ) {}
        let response = raw::ld_weak_b128(space::SharedCta, base);
        if raw::clusterlaunchcontrol_query_cancel_is_canceled(response) {
            let [x, ..] = raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response);
            fence_async();
            out.write(x);
        }
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_clusterlaunchcontrol_cluster(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.cluster_scope((), |mut cluster, ()| {
        let [mine, ..] = cluster.position();
        smem.clusters.scope(&mut cluster, |cluster, mut queue| {
            let mut block = raw::ctaid_x();
            loop {
                let request = queue.try_cancel(cluster);
                unsafe { out.add(block as usize).write(block) };
                match request.wait(cluster) {
                    Response::Canceled { first_ctaid: [x, ..], queue: next } => {
                        (block, queue) = (x + mine, next)
                    }
                    Response::NoMore(closed) => return closed,
                }
            }
        });
        (cluster, ())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_clusterlaunchcontrol_cluster(out: *mut u32) {
    let base = {
        let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
        smem.end.addr() - END
    };
    let bar = base + 16;
    let mine = raw::cluster_ctaid_x();
    initialized(bar, || unsafe {
        cluster_sync();
        let mut block = raw::ctaid_x();
        loop {
            let state = request_of_cluster(base, bar);
            out.add(block as usize).write(block);
            while !raw::mbarrier_try_wait(
                sem::Acquire,
                scope::Cluster,
                space::SharedCta,
                bar,
                state,
                suspend_time_hint::None,
            ) {}
            let response = raw::ld_weak_b128(space::SharedCta, base);
            if !raw::clusterlaunchcontrol_query_cancel_is_canceled(response) {
                return;
            }
            let [x, ..] = raw::clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(response);
            block = x + mine;
            raw::fence_proxy_async(space::SharedCta);
            cluster_sync();
        }
    });
    unsafe { cluster_sync() };
}

#[inline(always)]
unsafe fn cluster_sync() {
    unsafe {
        raw::barrier_cluster_arrive(sem::Release, Aligned);
        raw::barrier_cluster_wait(Aligned);
    }
}

#[inline(always)]
unsafe fn request_of_cluster(base: u32, bar: u32) -> u64 {
    unsafe {
        if elected() {
            let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, 16);
            if raw::cluster_ctarank() == 0 {
                raw::clusterlaunchcontrol_try_cancel(space::SharedCta, multicast::ClusterAll, base, bar);
            }
            state
        } else {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
        }
    }
}

/// Calls `body` where the typed twin has a function: LLVM inverts a condition shared by two branches when it inlines them.
#[inline(always)]
fn initialized(bar: u32, body: impl FnOnce()) {
    unsafe { init(bar) };
    body()
}

#[inline(always)]
unsafe fn request(base: u32, bar: u32) -> u64 {
    unsafe {
        if elected() {
            let state = raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, 16);
            raw::clusterlaunchcontrol_try_cancel(space::SharedCta, multicast::None, base, bar);
            state
        } else {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
        }
    }
}
