//! The `from_raw` of tensor maps that are written and of slots, and `publish`, are unsafe: the caller vouches for the tensor.

use ptx::group::Cta;
use ptx::tensor::{Box1, Box2, TensorMapDraft, TensorMapMut, TensorMapObject, TensorMapReduce, TensorMapSlot};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, object: *mut TensorMapObject, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    let _boxes = TensorMapMut::<f32, Box1<64>>::from_raw(object, [4]);
    let _sums = TensorMapReduce::<f32, Box1<64>>::from_raw(object);
    let slot = TensorMapSlot::from_raw(object);
    let _ = draft.publish(cta, slot);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, object: [*mut TensorMapObject; 3], draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    // SAFETY: the host passes such tensor maps, and a slot; the draft describes its tensor.
    unsafe {
        let _boxes = TensorMapMut::<f32, Box1<64>>::from_raw(object[0], [4]);
        let _sums = TensorMapReduce::<f32, Box1<64>>::from_raw(object[1]);
        let slot = TensorMapSlot::from_raw(object[2]);
        let _ = draft.publish(cta, slot);
    }
}
