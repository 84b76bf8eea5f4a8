//! Launches, occupancy, tensor maps.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUresult::*;

use crate::boundary::{In, Out, Result};
use crate::driver::{Driver, Handle};
use crate::exports::exports;
use crate::launch::{Config, Request};
use crate::tensor::Common;
use ptx_emu::limits::{MULTIPROCESSORS, RESERVED_SHARED, SHARED_PER_BLOCK, SHARED_PER_MULTIPROCESSOR, WARP};

fn blocks(driver: &Driver, count: Out<c_int>, function: Handle, threads: c_int, shared: usize) -> Result {
    driver.context()?;
    let threads =
        u32::try_from(threads).ok().filter(|threads| *threads > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    count.put(driver.functions.get(function)?.blocks_per_multiprocessor(threads, shared as u64) as c_int)
}

/// Writes the largest block size (whole warps, or the limit) with which the most threads run, and a grid that fills the device.
fn best_block(
    driver: &Driver,
    grid: Out<c_int>,
    block: Out<c_int>,
    function: Handle,
    shared: impl Fn(c_int) -> usize,
    limit: c_int,
) -> Result {
    driver.context()?;
    let of = driver.functions.get(function)?;
    let most = u32::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(u32::MAX).min(of.max_threads());
    let sizes = (1..=most / WARP).map(|warps| warps * WARP).chain([most]);
    let resident =
        |threads: &u32| of.blocks_per_multiprocessor(*threads, shared(*threads as c_int) as u64) * threads;
    let best = sizes.max_by_key(|threads| (resident(threads), *threads)).unwrap_or(most);
    grid.put((resident(&best) / best * MULTIPROCESSORS) as c_int)?;
    block.put(best as c_int)
}

type SharedOfBlock = Option<extern "C" fn(c_int) -> usize>;

exports! {
    fn cuLaunchKernel(
        function: usize,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: usize,
        values: In<In<u8>>,
        extra: In<usize>,
    ) |driver| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request::new(grid, block, dynamic_shared, stream);
        driver.launch(function, &request, values, extra)?;
    }

    fn cuLaunchCooperativeKernel(
        function: usize,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: usize,
        values: In<In<u8>>,
    ) |driver| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request { cooperative: true, ..Request::new(grid, block, dynamic_shared, stream) };
        driver.launch(function, &request, values, In::null())?;
    }

    fn cuLaunchKernelEx(config: In<Config>, function: usize, values: In<In<u8>>, extra: In<usize>) |driver| {
        driver.launch(function, &config.get()?.request()?, values, extra)?;
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: Out<c_int>, function: usize, threads: c_int, shared: usize) |driver| {
        blocks(driver, count, function, threads, shared)?;
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: Out<c_int>,
        function: usize,
        threads: c_int,
        shared: usize,
        _flags: c_uint,
    ) |driver| {
        blocks(driver, count, function, threads, shared)?;
    }

    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<c_int>,
        block: Out<c_int>,
        function: usize,
        shared_of: SharedOfBlock,
        shared: usize,
        limit: c_int,
    ) |driver| {
        let shared = |threads| shared_of.map_or(shared, |shared_of| shared_of(threads));
        best_block(driver, grid, block, function, shared, limit)?;
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<c_int>,
        block: Out<c_int>,
        function: usize,
        shared_of: SharedOfBlock,
        shared: usize,
        limit: c_int,
        _flags: c_uint,
    ) |driver| {
        let shared = |threads| shared_of.map_or(shared, |shared_of| shared_of(threads));
        best_block(driver, grid, block, function, shared, limit)?;
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: usize, blocks: c_int, _threads: c_int) |driver| {
        driver.context()?;
        let taken = driver.functions.get(function)?.attributes.static_shared;
        let blocks = u32::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let room = (SHARED_PER_MULTIPROCESSOR / blocks).saturating_sub(RESERVED_SHARED).min(SHARED_PER_BLOCK);
        bytes.put(room.saturating_sub(taken) as usize)?;
    }

    fn cuOccupancyMaxPotentialClusterSize(size: Out<c_int>, function: usize, config: In<Config>) |driver| {
        driver.context()?;
        let of = driver.functions.get(function)?;
        let request = config.get()?.request()?;
        let fits = |size: &u32| {
            let request = Request { cluster: Some([*size, 1, 1]), ..request.clone() };
            of.active_clusters(&request).is_ok_and(|clusters| clusters > 0)
        };
        size.put([16, 8, 4, 2, 1].into_iter().find(fits).unwrap_or(0) as c_int)?;
    }

    fn cuOccupancyMaxActiveClusters(count: Out<c_int>, function: usize, config: In<Config>) |driver| {
        driver.context()?;
        let request = config.get()?.request()?;
        count.put(driver.functions.get(function)?.active_clusters(&request)? as c_int)?;
    }

    fn cuTensorMapEncodeTiled(
        map: Out<[u8; 128]>,
        element: c_uint,
        rank: c_uint,
        address: u64,
        dims: In<u64>,
        strides: In<u64>,
        boxes: In<u32>,
        steps: In<u32>,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) |_| {
        let common = Common { element, rank, address, dims, strides, steps, interleave, swizzle, fill };
        map.put(common.tiled(boxes)?)?;
    }

    fn cuTensorMapEncodeIm2col(
        map: Out<[u8; 128]>,
        element: c_uint,
        rank: c_uint,
        address: u64,
        dims: In<u64>,
        strides: In<u64>,
        lower: In<i32>,
        upper: In<i32>,
        channels: c_uint,
        pixels: c_uint,
        steps: In<u32>,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) |_| {
        let common = Common { element, rank, address, dims, strides, steps, interleave, swizzle, fill };
        map.put(common.im2col(lower, upper, channels, pixels)?)?;
    }

    fn cuTensorMapReplaceAddress(map: Out<[u8; 128]>, address: u64) |_| {
        let bytes = map.get()?;
        let Some(mut of) = ptx_emu::tensor::TensorMap::from_bytes(&bytes) else {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        };
        of.address = address;
        map.put(of.to_bytes())?;
    }
}
