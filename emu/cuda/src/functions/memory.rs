//! Memory of the device, page-locked memory, copies and fills.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUpointer_attribute::*;
use cudarc::driver::sys::CUresult::*;
use ptx_emu::limits::GLOBAL_MEMORY;

use crate::boundary::{Host, In, Out, Result};
use crate::copy::{Copy, Fill, Place};
use crate::driver::{Driver, Handle, Work, unsupported};
use crate::exports::exports;
use crate::memory::{Copy2d, Copy3d};

/// Submits a copy to a stream. Stream 0 is the default stream.
fn copy(driver: &mut Driver, stream: Handle, to: Place, from: Place, bytes: usize) -> Result {
    driver.submit(stream, Work::Copy(Copy::linear(to, from, bytes)))
}

fn copy_rows(driver: &mut Driver, stream: Handle, rows: Copy3d) -> Result {
    let copy = driver.copy3d(rows)?;
    driver.submit(stream, Work::Copy(copy))
}

/// Submits a copy whose addresses determine which memory they are in.
fn copy_unified(driver: &mut Driver, stream: Handle, to: u64, from: u64, bytes: usize) -> Result {
    let (to, from) = (driver.place(to), driver.place(from));
    copy(driver, stream, to, from, bytes)
}

fn fill(driver: &mut Driver, stream: Handle, address: u64, element: &[u8], count: usize) -> Result {
    fill_rows(driver, stream, (address, 0), element, (count, 1))
}

fn fill_rows(
    driver: &mut Driver,
    stream: Handle,
    (address, pitch): (u64, usize),
    element: &[u8],
    (width, height): (usize, usize),
) -> Result {
    driver.submit(stream, Work::Fill(Fill { address, pitch, element: element.into(), width, height }))
}

/// Returns the bytes of an attribute of an address.
fn pointer_attribute(driver: &Driver, attribute: u32, address: u64) -> Result<Vec<u8>> {
    let context = driver.context()?;
    let device = driver.allocation(address);
    let host = driver.pinned.range(..=address as usize).next_back();
    let host = host.filter(|(start, pages)| address as usize - **start < pages.bytes());
    let (start, bytes) = match (device, host) {
        (Some((start, bytes)), _) => (start, bytes),
        (None, Some((start, pages))) => (*start as u64, pages.bytes()),
        (None, None) => return Err(CUDA_ERROR_INVALID_VALUE.into()),
    };
    let is = |known: cudarc::driver::sys::CUpointer_attribute| attribute == known as u32;
    let word = |value: u32| Ok(value.to_ne_bytes().to_vec());
    let long = |value: u64| Ok(value.to_ne_bytes().to_vec());
    match attribute {
        _ if is(CU_POINTER_ATTRIBUTE_CONTEXT) => long(context as u64),
        // CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST.
        _ if is(CU_POINTER_ATTRIBUTE_MEMORY_TYPE) => word(if device.is_some() { 2 } else { 1 }),
        _ if is(CU_POINTER_ATTRIBUTE_DEVICE_POINTER) && device.is_some() => long(address),
        _ if is(CU_POINTER_ATTRIBUTE_HOST_POINTER) && device.is_none() => long(address),
        _ if is(CU_POINTER_ATTRIBUTE_IS_MANAGED) => word(0),
        _ if is(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) => word(0),
        _ if is(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) => long(start),
        _ if is(CU_POINTER_ATTRIBUTE_RANGE_SIZE) => long(bytes as u64),
        _ if is(CU_POINTER_ATTRIBUTE_MAPPED) => word(device.is_some().into()),
        _ if is(CU_POINTER_ATTRIBUTE_BUFFER_ID) => long(start),
        _ => Err(CUDA_ERROR_INVALID_VALUE.into()),
    }
}

exports! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) |driver| {
        driver.context()?;
        free.put(driver.free_bytes())?;
        total.put(GLOBAL_MEMORY)?;
    }

    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) |driver| { address.put(driver.allocate(bytes)?)?; }

    fn cuMemAllocPitch_v2(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize, _element: c_uint) |driver| {
        let row = width.next_multiple_of(512);
        address.put(driver.allocate(row.checked_mul(height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?)?)?;
        pitch.put(row)?;
    }

    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: usize) |driver| {
        driver.not_captured(stream)?;
        address.put(driver.allocate(bytes)?)?;
    }

    fn cuMemAllocFromPoolAsync(address: Out<u64>, bytes: usize, pool: usize, stream: usize) |driver| {
        driver.not_captured(stream)?;
        driver.pools.get(pool)?;
        address.put(driver.allocate(bytes)?)?;
    }

    fn cuMemFree_v2(address: u64) |driver| { driver.free(address)?; }

    fn cuMemFreeAsync(address: u64, stream: usize) |driver| {
        driver.not_captured(stream)?;
        driver.free(address)?;
    }

    fn cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64) |driver| {
        driver.context()?;
        let (base, size) = driver.allocation(address).ok_or(CUDA_ERROR_NOT_FOUND)?;
        start.put_if_wanted(base)?;
        bytes.put_if_wanted(size)?;
    }

    fn cuMemAllocManaged(_address: Out<u64>, _bytes: usize, _flags: c_uint) |_| { unsupported("managed memory")?; }

    fn cuMemAllocHost_v2(memory: Out<usize>, bytes: usize) |driver| { memory.put(driver.allocate_pinned(bytes)?)?; }

    fn cuMemHostAlloc(memory: Out<usize>, bytes: usize, _flags: c_uint) |driver| {
        memory.put(driver.allocate_pinned(bytes)?)?;
    }

    fn cuMemFreeHost(memory: usize) |driver| {
        driver.context()?;
        driver.pinned.remove(&memory).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    }

    fn cuMemHostGetFlags(flags: Out<c_uint>, memory: usize) |driver| {
        driver.pinned.get(&memory).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        flags.put(0)?;
    }

    fn cuMemHostRegister_v2(memory: usize, bytes: usize, _flags: c_uint) |driver| {
        driver.context()?;
        if memory == 0 || bytes == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
    }

    fn cuMemHostUnregister(_memory: usize) |driver| { driver.context()?; }

    fn cuMemHostGetDevicePointer_v2(_address: Out<u64>, _memory: usize, _flags: c_uint) |_| {
        unsupported("memory of the host that kernels access")?;
    }

    fn cuMemPoolCreate(pool: Out<usize>, _properties: usize) |driver| {
        let handle = driver.new_handle();
        driver.pools.insert(handle, BTreeMap::new());
        pool.put(handle)?;
    }

    fn cuMemPoolDestroy(pool: usize) |driver| {
        if driver.default_pool == Some(pool) {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        driver.pools.remove(pool)?;
        driver.current_pool = driver.current_pool.filter(|current| *current != pool);
    }

    fn cuMemPoolTrimTo(pool: usize, _keep: usize) |driver| { driver.pools.get(pool)?; }

    fn cuMemPoolSetAttribute(pool: usize, attribute: c_uint, value: In<u64>) |driver| {
        // The first attributes, CU_MEMPOOL_ATTR_REUSE_*, have 32 bits.
        let value = if attribute <= 3 { value.cast::<u32>().get()?.into() } else { value.get()? };
        driver.pools.get_mut(pool)?.insert(attribute, value);
    }

    fn cuMemPoolGetAttribute(pool: usize, attribute: c_uint, value: Out<u64>) |driver| {
        let known = driver.pools.get(pool)?.get(&attribute).copied();
        if attribute <= 3 {
            value.cast::<u32>().put(known.unwrap_or(1) as u32)?;
        } else {
            value.put(known.unwrap_or(0))?;
        }
    }

    fn cuPointerGetAttribute(value: usize, attribute: c_uint, address: u64) |driver| {
        Host(value).write(&pointer_attribute(driver, attribute, address)?)?;
    }

    fn cuPointerGetAttributes(count: c_uint, attributes: In<u32>, values: In<Host>, address: u64) |driver| {
        for index in 0..count as usize {
            // An attribute that an address does not have is zero.
            match pointer_attribute(driver, attributes.at(index)?, address) {
                Ok(bytes) => values.at(index)?.write(&bytes)?,
                Err(_) => values.at(index)?.write(&[0; 4])?,
            }
        }
    }

    fn cuMemcpy(to: u64, from: u64, bytes: usize) |driver| { copy_unified(driver, 0, to, from, bytes)?; }

    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: usize) |driver| {
        copy_unified(driver, stream, to, from, bytes)?;
    }

    fn cuMemcpyPeer(to: u64, _to_context: usize, from: u64, _from_context: usize, bytes: usize) |driver| {
        copy_unified(driver, 0, to, from, bytes)?;
    }

    fn cuMemcpyPeerAsync(
        to: u64,
        _to_context: usize,
        from: u64,
        _from_context: usize,
        bytes: usize,
        stream: usize,
    ) |driver| {
        copy_unified(driver, stream, to, from, bytes)?;
    }

    fn cuMemcpyHtoD_v2(to: u64, from: usize, bytes: usize) |driver| {
        copy(driver, 0, Place::Device(to), Place::Host(from), bytes)?;
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: usize, bytes: usize, stream: usize) |driver| {
        copy(driver, stream, Place::Device(to), Place::Host(from), bytes)?;
    }

    fn cuMemcpyDtoH_v2(to: usize, from: u64, bytes: usize) |driver| {
        copy(driver, 0, Place::Host(to), Place::Device(from), bytes)?;
    }

    fn cuMemcpyDtoHAsync_v2(to: usize, from: u64, bytes: usize, stream: usize) |driver| {
        copy(driver, stream, Place::Host(to), Place::Device(from), bytes)?;
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) |driver| {
        copy(driver, 0, Place::Device(to), Place::Device(from), bytes)?;
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) |driver| {
        copy(driver, stream, Place::Device(to), Place::Device(from), bytes)?;
    }

    fn cuMemcpy2D_v2(rows: In<Copy2d>) |driver| { copy_rows(driver, 0, rows.get()?.into())?; }

    fn cuMemcpy2DUnaligned_v2(rows: In<Copy2d>) |driver| { copy_rows(driver, 0, rows.get()?.into())?; }

    fn cuMemcpy2DAsync_v2(rows: In<Copy2d>, stream: usize) |driver| { copy_rows(driver, stream, rows.get()?.into())?; }

    fn cuMemcpy3D_v2(rows: In<Copy3d>) |driver| { copy_rows(driver, 0, rows.get()?)?; }

    fn cuMemcpy3DAsync_v2(rows: In<Copy3d>, stream: usize) |driver| { copy_rows(driver, stream, rows.get()?)?; }

    fn cuMemsetD8_v2(address: u64, value: u8, count: usize) |driver| { fill(driver, 0, address, &[value], count)?; }

    fn cuMemsetD16_v2(address: u64, value: u16, count: usize) |driver| {
        fill(driver, 0, address, &value.to_le_bytes(), count)?;
    }

    fn cuMemsetD32_v2(address: u64, value: c_uint, count: usize) |driver| {
        fill(driver, 0, address, &value.to_le_bytes(), count)?;
    }

    fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: usize) |driver| {
        fill(driver, stream, address, &[value], count)?;
    }

    fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: usize) |driver| {
        fill(driver, stream, address, &value.to_le_bytes(), count)?;
    }

    fn cuMemsetD32Async(address: u64, value: c_uint, count: usize, stream: usize) |driver| {
        fill(driver, stream, address, &value.to_le_bytes(), count)?;
    }

    fn cuMemsetD2D8_v2(address: u64, pitch: usize, value: u8, width: usize, height: usize) |driver| {
        fill_rows(driver, 0, (address, pitch), &[value], (width, height))?;
    }

    fn cuMemsetD2D16_v2(address: u64, pitch: usize, value: u16, width: usize, height: usize) |driver| {
        fill_rows(driver, 0, (address, pitch), &value.to_le_bytes(), (width, height))?;
    }

    fn cuMemsetD2D32_v2(address: u64, pitch: usize, value: c_uint, width: usize, height: usize) |driver| {
        fill_rows(driver, 0, (address, pitch), &value.to_le_bytes(), (width, height))?;
    }

    fn cuMemsetD2D8Async(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: usize) |driver| {
        fill_rows(driver, stream, (address, pitch), &[value], (width, height))?;
    }

    fn cuMemsetD2D16Async(address: u64, pitch: usize, value: u16, width: usize, height: usize, stream: usize) |driver| {
        fill_rows(driver, stream, (address, pitch), &value.to_le_bytes(), (width, height))?;
    }

    fn cuMemsetD2D32Async(address: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: usize) |driver| {
        fill_rows(driver, stream, (address, pitch), &value.to_le_bytes(), (width, height))?;
    }

    fn cuMemPrefetchAsync(_address: u64, _bytes: usize, _device: c_int, _stream: usize) |_| {
        unsupported("managed memory")?;
    }
}
