use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Prerequisite;
use ptx::qualifier::{action, convergence::Aligned, op, threads};
use ptx::raw;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_launch_sync(out: *mut u32, value: u32) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
    let many = cta.sync_count(value > 3);
    let all = cta.sync_and(value > 4);
    let any = cta.sync_or(value > 5);
    unsafe { out.write(many + all as u32 + any as u32) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_launch_sync(out: *mut u32, value: u32) {
    unsafe {
        raw::barrier_cta_sync(Aligned, 0, threads::All);
        let many = raw::barrier_cta_red_popc(Aligned, 0, value > 3, threads::All);
        let all = raw::barrier_cta_red(op::And, Aligned, 0, value > 4, threads::All);
        let any = raw::barrier_cta_red(op::Or, Aligned, 0, value > 5, threads::All);
        out.write(many + all as u32 + any as u32);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_launch_dependent(x: *const u32, out: *mut u32, n: usize) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let x = unsafe { Prerequisite::new(Global::from_raw(x, n)) };
    cta.launch_dependents();
    let (_, tail) = x.wait(&cta).tiles::<4>();
    unsafe { out.write(tail.get(0).unwrap_or(7)) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_launch_dependent(x: *const u32, out: *mut u32, n: usize) {
    raw::griddepcontrol(action::LaunchDependents);
    raw::griddepcontrol(action::Wait);
    unsafe { out.write(if n.is_multiple_of(4) { 7 } else { x.add(n / 4 * 4).read() }) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_launch_ranks(out: *mut u32) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    let (at, rest) = (cta.grid_thread_rank() as usize, cta.grid_thread_count() ^ cta.grid_size());
    unsafe { out.add(at).write(cta.warp_rank() + rest + cta.is_leader() as u32) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_launch_ranks(out: *mut u32) {
    let rank = crate::thread_rank();
    let (threads, ctas) = (crate::thread_count(), crate::cta_count());
    let at = (crate::cta_rank() * threads + rank) as usize;
    unsafe { out.add(at).write(rank / 32 + ((ctas * threads) ^ ctas) + crate::elected() as u32) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_launch_positions(out: *mut [[u32; 3]; 4]) {
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    unsafe { out.write([cta.thread_position(), cta.shape(), cta.grid_position(), cta.grid_shape()]) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_launch_positions(out: *mut [[u32; 3]; 4]) {
    use core::arch::nvptx::*;
    unsafe {
        out.write([
            [_thread_idx_x(), _thread_idx_y(), _thread_idx_z()],
            [_block_dim_x(), _block_dim_y(), _block_dim_z()],
            [_block_idx_x(), _block_idx_y(), _block_idx_z()],
            [_grid_dim_x(), _grid_dim_y(), _grid_dim_z()],
        ]);
    }
}
