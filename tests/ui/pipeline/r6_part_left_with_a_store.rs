//! In the last run of a kernel, the closures end all handles of their parts: a store in flight has no `end`.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: Cta,
    consumers: ConsumersBarrier<1>,
    memory: (PipelineMemory<[f32; 64], 2>, SharedArray<f32, 64>),
    to: GlobalTileMut<f32, 64>,
) {
    cta.finish(memory, |cta, (pipeline, out)| {
        let (pipeline, out) = pipeline
            .run_with(
                cta,
                consumers,
                out,
                |_, producer| producer,
                |warps, consumer, out| {
                    let out = out.write(warps, |i| i as f32).to_async().sync(warps);
                    let storing = bulk::store(warps, out, to).commit(warps);
                    #[cfg(not(fixed))]
                    {
                        (consumer, storing)
                    }
                    #[cfg(fixed)]
                    {
                        (consumer, storing.wait_read(warps).end())
                    }
                },
            )
            .end();
        (pipeline, out)
    });
}
