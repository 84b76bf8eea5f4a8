//! A reduction is an instruction, whose bytes the DSMEM buffer expects: a crate cannot define one.

use ptx::cluster::ClusterReduce;

pub struct Average;

impl ClusterReduce<u32> for Average {
    unsafe fn red_async(_value: u32, _addr: u32, _mbar: u32) {}
    unsafe fn bulk_reduce(_dst: u32, _src: u32, _size: u32, _mbar: u32) {}
}
