//! What instructions on registers compute, as functions of bits. It imports no other module.

#[cfg(test)]
mod exact;
pub mod float;
pub mod integer;
pub mod matrix;
pub mod narrow;
pub mod video;
