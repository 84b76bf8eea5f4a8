//! Handles in values that differ between threads.

use ptx::group::Cta;
use ptx::reduce::ReduceMemory;
use ptx::shared::SharedArray;

ptx::shared_memory! {
    struct Two { one: SharedArray<u32, 64>, other: SharedArray<u32, 64> }
}
ptx::shared_memory! {
    struct Sums { one: ReduceMemory<u32>, other: ReduceMemory<u32> }
}

#[ptx::kernel(threads = 128)]
pub fn write_in_a_branch(cta: Cta, #[shared] smem: Two) {
    cta.finish((smem.one, smem.other), |cta, (one, other)| {
        let one = if cta.thread_rank() > 5 { one.write(cta, |i| i as u32).end() } else { one.end() }; // wrong
        (one, other.end())
    });
}

/// Each thread adds to a memory of its choice.
#[ptx::kernel(threads = 128)]
pub fn a_handle_of_an_enum(cta: Cta, #[shared] smem: Sums) {
    enum Either {
        Left(ReduceMemory<u32>),
        Right(ReduceMemory<u32>),
    }
    let choice = if cta.thread_rank() < 9 { Either::Left(smem.one) } else { Either::Right(smem.other) };
    match choice {
        Either::Left(mut memory) => memory.reduce_add(&cta, 1),
        Either::Right(mut memory) => memory.reduce_min(&cta, 1), // wrong
    };
}

#[ptx::kernel(threads = 128)]
pub fn an_optional_handle(cta: Cta, #[shared] smem: Sums) {
    let mut kept = Some(smem.one);
    if cta.thread_rank() == 3 {
        kept = None;
    }
    if let Some(mut memory) = kept {
        memory.reduce_add(&cta, 1); // wrong
    }
}
