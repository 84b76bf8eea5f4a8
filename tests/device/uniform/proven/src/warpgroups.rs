//! Warpgroups, each of which goes its own way.

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
pub fn by_the_index_of_the_warpgroup(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
) {
    run(cta, smem, memory, (map, steps), |warpgroup, mut consumer, wgmma, out| {
        for i in 0..2 * warpgroup.index() {
            if warpgroup.index() + i > 1 {
                warpgroup.sync();
            }
        }
        for _ in 0..steps {
            let (stage, next) = consumer.operands(warpgroup);
            stage.release(warpgroup);
            consumer = next;
        }
        (consumer, wgmma, out.end())
    });
}

#[ptx::kernel(threads = 384)]
pub fn products_by_the_index_of_the_warpgroup(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
    map: TensorMap<bf16, Rows>,
    steps: i32,
    output: TensorMapMut<bf16, Rows>,
) {
    let mut blocks = output.blocks::<1, 2>(&cta, 8);
    run(cta, smem, memory, (map, steps), |warpgroup, consumer, wgmma, out| {
        let mut out = out.into_store_ring::<4096, 2>();
        let (stage, mut consumer) = consumer.operands(warpgroup);
        let mut sums = wgmma.start(warpgroup, Zeros::new(), stage, products);
        for step in 1..steps {
            let (stage, next) = consumer.operands(warpgroup);
            consumer = next;
            let adds = warpgroup.index() == 0 || step % 2 == 0;
            let both =
                sums.add(warpgroup, stage, |sums, stage| if adds { products(sums, stage) } else { sums });
            let read;
            (sums, read) = both.wait_oldest(warpgroup);
            read.release(warpgroup);
        }
        let (wgmma, (sums, stage)) = sums.wait(warpgroup);
        stage.release(warpgroup);
        let values = sums.pack::<bf16>();
        let mut boxes = TensorRowMut::empty();
        if let Some((_, block)) = blocks.next_block() {
            boxes = block.of(warpgroup);
        }
        while let Some(to) = boxes.next_box() {
            out.store(warpgroup, to, |buffer| values.store::<Rows, _, _>(warpgroup, [0, 0], buffer));
        }
        (consumer, wgmma, out.end(warpgroup))
    });
}
