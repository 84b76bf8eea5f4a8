//! The driver, its devices and its errors.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUresult::*;

use crate::attributes::{CAPABILITY, NAME, of_device};
use crate::boundary::{Out, Result, StaticText, Text};
use crate::driver::{VERSION, unsupported};
use crate::errors;
use crate::exports::exports;

fn check_device(device: c_int) -> Result {
    if device == 0 { Ok(()) } else { Err(CUDA_ERROR_INVALID_DEVICE.into()) }
}

/// Writes a text with its NUL into a buffer of `len` bytes.
fn put_text(out: Out<u8>, len: c_int, text: &str) -> Result {
    let room =
        usize::try_from(len).ok().and_then(|len| len.checked_sub(1)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    out.put_all(text.bytes().take(room).chain([0]))
}

const UUID: [u8; 16] = *b"ptx-emu device 0";
const BUS: &str = "0000:00:00.0";

exports! {
    before init fn cuInit(_flags: c_uint) |driver| { driver.init()?; }

    before init fn cuDriverGetVersion(version: Out<c_int>) |_| {
        version.put((1000 * VERSION.0 + 10 * VERSION.1) as c_int)?;
    }

    before init fn cuGetErrorName(code: c_uint, text: Out<StaticText>) |_| {
        text.put(errors::find(code).map_or(std::ptr::null(), |(name, _)| name.as_ptr()))?;
        errors::find(code).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    }

    before init fn cuGetErrorString(code: c_uint, text: Out<StaticText>) |_| {
        text.put(errors::find(code).map_or(std::ptr::null(), |(_, text)| text.as_ptr()))?;
        errors::find(code).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    }

    before init fn cuGetProcAddress(name: Text, function: Out<usize>, _version: c_int, _flags: u64) |_| {
        let found = super::find(&name.get()?);
        function.put(found.unwrap_or(0))?;
        found.ok_or(CUDA_ERROR_NOT_FOUND)?;
    }

    before init fn cuGetProcAddress_v2(
        name: Text,
        function: Out<usize>,
        _version: c_int,
        _flags: u64,
        status: Out<c_uint>,
    ) |_| {
        let found = super::find(&name.get()?);
        function.put(found.unwrap_or(0))?;
        // CU_GET_PROC_ADDRESS_SUCCESS, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND.
        status.put_if_wanted(if found.is_some() { 0 } else { 1 })?;
        found.ok_or(CUDA_ERROR_NOT_FOUND)?;
    }

    fn cuProfilerStart() |_| {}

    fn cuProfilerStop() |_| {}

    fn cuDeviceGetCount(count: Out<c_int>) |_| { count.put(1)?; }

    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) |_| {
        check_device(ordinal)?;
        device.put(ordinal)?;
    }

    fn cuDeviceGetName(name: Out<u8>, len: c_int, device: c_int) |_| {
        check_device(device)?;
        put_text(name, len, NAME)?;
    }

    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: c_int) |_| {
        check_device(device)?;
        uuid.put(UUID)?;
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: c_int) |_| {
        check_device(device)?;
        uuid.put(UUID)?;
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) |_| {
        check_device(device)?;
        bytes.put(ptx_emu::limits::GLOBAL_MEMORY)?;
    }

    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: c_uint, device: c_int) |_| {
        check_device(device)?;
        value.put(of_device(attribute)?)?;
    }

    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) |_| {
        check_device(device)?;
        major.put(CAPABILITY.0)?;
        minor.put(CAPABILITY.1)?;
    }

    fn cuDeviceGetPCIBusId(id: Out<u8>, len: c_int, device: c_int) |_| {
        check_device(device)?;
        put_text(id, len, BUS)?;
    }

    fn cuDeviceGetByPCIBusId(device: Out<c_int>, id: Text) |_| {
        if id.get()? != BUS {
            return Err(CUDA_ERROR_INVALID_DEVICE.into());
        }
        device.put(0)?;
    }

    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) |_| {
        check_device(device)?;
        check_device(peer)?;
        can.put(0)?;
    }

    fn cuDeviceGetExecAffinitySupport(supported: Out<c_int>, _kind: c_uint, device: c_int) |_| {
        check_device(device)?;
        supported.put(0)?;
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: c_int) |driver| {
        check_device(device)?;
        pool.put(driver.default_pool())?;
    }

    fn cuDeviceGetMemPool(pool: Out<usize>, device: c_int) |driver| {
        check_device(device)?;
        let default = driver.default_pool();
        pool.put(driver.current_pool.unwrap_or(default))?;
    }

    fn cuDeviceSetMemPool(device: c_int, pool: usize) |driver| {
        check_device(device)?;
        driver.pools.get(pool)?;
        driver.current_pool = Some(pool);
    }

    fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: c_int) |driver| {
        check_device(device)?;
        if driver.primary.is_none() {
            driver.primary = Some(driver.new_context(driver.primary_flags));
        }
        driver.primary_count += 1;
        context.put(driver.primary.unwrap_or_default())?;
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) |driver| {
        check_device(device)?;
        let primary = driver.primary.ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        driver.primary_count -= 1;
        if driver.primary_count == 0 {
            driver.primary = None;
            driver.destroy_context(primary)?;
        }
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) |driver| {
        check_device(device)?;
        (driver.primary_count, driver.primary_flags) = (0, 0);
        if let Some(primary) = driver.primary.take() {
            driver.destroy_context(primary)?;
        }
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, active: Out<c_int>) |driver| {
        check_device(device)?;
        flags.put(driver.primary_flags)?;
        active.put(driver.primary.is_some().into())?;
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) |driver| {
        check_device(device)?;
        driver.primary_flags = flags;
    }

    fn cuDeviceGetP2PAttribute(_value: Out<c_int>, _attribute: c_uint, _source: c_int, _target: c_int) |_| {
        unsupported("a second device")?;
    }
}
