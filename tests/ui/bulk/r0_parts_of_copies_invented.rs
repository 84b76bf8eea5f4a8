//! What a group gives back when its sources are read is what it took: its division is promised by `unsafe impl`.

use ptx::bulk::Split;

pub struct Copies(pub u32);

impl Split for Copies {
    type Sources = u32;
    type Destinations = u32;
    fn split(self) -> (u32, u32) {
        (self.0, self.0)
    }
}
