//! Values of a cluster, handles without a call of their own, and memory in several ways, chosen by the thread or by the CTA.

use ptx::cluster::{ByElement, DsmemBuffer};
use ptx::global::{GlobalElementsMut, GlobalMut};
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;
use ptx::shared::SharedArray;

ptx::shared_memory! {
    pub struct Inbox { inbox: DsmemBuffer<u32, 512, ByElement> }
}

#[ptx::kernel(threads = 128, cluster = 4)]
pub fn a_rotation_of_each_cta(cta: Cta, #[shared] memory: Inbox) {
    cta.finish_cluster(memory.inbox, |cluster, inbox| {
        let Some(to) = cluster.rotation(1 + cluster.cta_rank() % 2) else { ptx::trap() }; // wrong
        let received = inbox.store(&cluster, to, |i| i as u32).receive(cluster.cta());
        (cluster, received.end().0)
    });
}

#[ptx::kernel(threads = 128, cluster = 4)]
pub fn one_of_two_permutations(cta: Cta, #[shared] memory: Inbox) {
    cta.finish_cluster(memory.inbox, |cluster, inbox| {
        let (Some(one), Some(other)) = (cluster.rotation(1), cluster.exchange(1)) else { ptx::trap() };
        let to = if cluster.cta_rank() == 2 { one } else { other };
        let received = inbox.store(&cluster, to, |i| i as u32).receive(cluster.cta()); // wrong
        (cluster, received.end().0)
    });
}

ptx::shared_memory! {
    pub struct Two { one: SharedArray<u32, 256>, other: SharedArray<u32, 256> }
}

/// Neither call of the exchanged handles takes the CTA, and one array is read while it is written.
#[ptx::kernel(threads = 128)]
pub fn stores_into_exchanged_arrays(cta: Cta, #[shared] memory: Two, output: GlobalElementsMut<u32>) {
    let thread = cta.thread_rank() as usize;
    cta.finish((memory.one, memory.other), |cta, (one, other)| {
        let (one, other) = if thread < 64 { (one, other) } else { (other, one) };
        let one = one.vector_stores(); // wrong
        one.set_vector(thread % 64, [1; 4]);
        let one = one.publish().sync(cta);
        let other = other.vector_stores();
        other.set_vector(thread % 64, [2; 4]);
        output.elements(cta).for_each(|(i, x)| x.write(one.get(i % 256).unwrap_or(0)));
        (one.end(), other.end())
    });
}

ptx::shared_memory! {
    pub struct Sums { one: ReduceMemory<u32>, other: ReduceMemory<u32> }
}

#[ptx::kernel(threads = 128)]
pub fn one_of_two_memories_of_a_reduction(cta: Cta, #[shared] memory: Sums, output: GlobalElementsMut<u32>) {
    let (mut one, mut other) = (memory.one, memory.other);
    let chosen = if cta.thread_rank() < 64 { &mut one } else { &mut other };
    let sum = chosen.reduce_add(&cta, 1); // wrong
    output.elements(&cta).for_each(|(_, x)| x.write(sum));
}

/// The last CTA has the tail for itself, and the others think the same.
#[ptx::kernel(threads = 128)]
pub fn a_tail_in_two_ways(cta: Cta, output: GlobalMut<u32, 128>) {
    let (_, tail) = output.tiles(&cta);
    if cta.grid_rank() == 1 {
        tail.update(&cta, |_, x| x + 1); // wrong
    } else {
        let Some(row) = tail.tile(&cta) else { return }; // wrong
        row.elements(&cta).for_each(|(_, x)| x.write(1));
    }
}

/// The sum of two NaN has the payload of one, and threads add in different orders.
#[ptx::kernel(threads = 128)]
pub fn by_the_payload_of_a_sum(cta: Cta, input: ptx::global::Global<f64>) {
    let own = input.get(cta.thread_rank() as usize).unwrap_or(0.0);
    if cta.warp().reduce_add(own).to_bits() & 1 == 0 {
        cta.warp().sync(); // wrong
    }
}
