//! A draft gives its memory back when it is published.

use ptx::launch::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, MapSlot, TensorMap};

pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, slot: MapSlot, memory: SharedArray<u64, 16>) {
    cta.lend(memory, |cta, memory| {
        let draft = tensor::draft(cta, memory, &map);
        // SAFETY: it describes what `map` does; one place of the program.
        let (memory, published) = unsafe { draft.publish(cta, slot) };
        _ = published.acquire(cta);
        memory
    });
}
