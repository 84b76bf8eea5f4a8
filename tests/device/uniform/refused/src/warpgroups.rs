//! Warpgroups whose threads go different ways.

use ptx::bf16;
use ptx::group::{Cta, Warpgroup};
use ptx::pipeline::{
    Consumer, MaxRegisters, PipelineMemory, Pipelines as _, StageOperands, WarpgroupBarriers,
};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::shared::{Ended, Free, Shared, SharedArray};
use ptx::tensor::{Box2, TensorMap, TensorMapMut, TensorRowMut};
use ptx::wgmma::{Flight, Tile, Wgmma, Zeros};

type Rows = Box2<64, 64, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows>, Tile<bf16, Rows>);
type Out = SharedArray<bf16, 8192>;
type Memory = (PipelineMemory<Stage, 4>, [Out; 2]);

ptx::shared_memory! { struct Smem { barriers: WarpgroupBarriers<2> } }

/// Each of two warpgroups consumes `steps` stages.
fn run(
    cta: Cta,
    smem: Smem,
    memory: Memory,
    (map, steps): (TensorMap<bf16, Rows>, i32),
    consume: impl for<'s, 'p> FnOnce(
        &Warpgroup<'p, 2>,
        Consumer<'p, Stage, 4>,
        Wgmma<'p>,
        Shared<'s, bf16, 8192, Free, Warpgroup<'p, 2>>,
    ) -> (Consumer<'p, Stage, 4>, Wgmma<'p>, Ended<'s, Out, Warpgroup<'p, 2>>),
) {
    cta.finish(memory, |cta, (pipeline, out)| {
        pipeline
            .run_warpgroups(
                cta,
                smem.barriers,
                MaxRegisters::<40, 232>,
                out,
                |thread, mut producer| {
                    for step in 0..steps {
                        producer = producer.load(thread, (map.box_at([step, 0]), map.box_at([step, 1])));
                    }
                    producer
                },
                consume,
            )
            .end()
    });
}

fn products<'a>(sums: Flight<'a, N64>, stage: &'a StageOperands<'_, Stage, 4>) -> Flight<'a, N64> {
    let (a, b) = stage.tiles();
    sums.mma(a, b)
}

#[ptx::kernel(threads = 384)]
pub fn warpgroup_in_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        if warpgroup.thread_rank() < 64 {
            warpgroup.sync(); // wrong
        }
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn warpgroup_in_a_warp_of_each(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        for _ in 0..warpgroup.index() + warpgroup.thread_rank() / 32 {
            warpgroup.sync(); // wrong
        }
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn stages_of_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, mut consumer, wgmma, out| {
        for _ in 0..warpgroup.thread_rank() {
            let (stage, next) = consumer.operands(warpgroup); // wrong
            stage.release(warpgroup);
            consumer = next;
        }
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn release_in_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let (stage, consumer) = consumer.operands(warpgroup);
        if warpgroup.thread_rank() != 5 {
            stage.release(warpgroup); // wrong
        }
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn start_in_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let (stage, consumer) = consumer.operands(warpgroup);
        let (wgmma, stage) = if warpgroup.thread_rank() < 32 {
            let flight = wgmma.start(warpgroup, Zeros::new(), stage, products); // wrong
            let (wgmma, (_sums, stage)) = flight.wait(warpgroup);
            (wgmma, stage)
        } else {
            (wgmma, stage)
        };
        stage.release(warpgroup);
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn products_in_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let (stage, consumer) = consumer.operands(warpgroup);
        let is_first = warpgroup.thread_rank() < 32;
        let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), stage, |sums, stage| {
            let (a, b) = stage.tiles();
            if is_first {
                return sums.mma(a, b); // wrong
            }
            sums
        });
        let (wgmma, (_sums, stage)) = flight.wait(warpgroup);
        stage.release(warpgroup);
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn wait_at_two_places(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let (stage, consumer) = consumer.operands(warpgroup);
        let flight = wgmma.start(warpgroup, Zeros::new(), stage, products);
        let (wgmma, (_sums, stage)) = if warpgroup.thread_rank() % 2 == 1 {
            flight.wait(warpgroup) // wrong
        } else {
            flight.wait(warpgroup) // wrong
        };
        stage.release(warpgroup);
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn boxes_of_some_threads(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
    output: TensorMapMut<bf16, Rows>,
) {
    let mut blocks = output.blocks::<1, 2>(&cta, 8);
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let mut ring = out.into_store_ring::<4096, 2>();
        let mut boxes = TensorRowMut::empty();
        if let Some((_, block)) = blocks.next_block() {
            boxes = block.of(warpgroup);
        }
        for _ in 0..warpgroup.thread_rank() {
            if let Some(to) = boxes.next_box() {
                ring.store(warpgroup, to, |_| ()); // wrong
            }
        }
        (consumer, wgmma, ring.end(warpgroup))
    });
}

/// Two CTAs would own the same block.
#[ptx::kernel(threads = 128)]
pub fn blocks_in_an_order_of_the_cta(cta: Cta, output: TensorMapMut<bf16, Rows>) {
    let mut blocks = output.blocks::<1, 2>(&cta, cta.grid_rank()); // wrong
    _ = blocks.next_block();
}
