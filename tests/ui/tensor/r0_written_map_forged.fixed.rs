//! A map that is written, and the place for one, come from the contract of `from_raw`; what a draft describes, from that of `publish`.

use ptx::launch::Cta;
use ptx::tensor::{Box1, Box2, TensorMapDraft, TensorMapSlot, TensorMapMut, TensorMapObject, TensorMapReduce};

pub fn kernel(cta: &Cta, object: [*mut TensorMapObject; 3], draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    // SAFETY: the host passes such maps, and memory for another, which is one of the tensor of the draft.
    unsafe {
        let _boxes = TensorMapMut::<f32, Box1<64>>::from_raw(object[0], [4]);
        let _sums = TensorMapReduce::<f32, Box1<64>>::from_raw(object[1]);
        let slot = TensorMapSlot::from_raw(object[2]);
        let _ = draft.publish(cta, slot);
    }
}
