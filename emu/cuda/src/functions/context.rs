//! Contexts.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUresult::*;

use crate::boundary::{Out, Result};
use crate::driver::{Driver, VERSION, with_contexts};
use crate::exports::exports;

/// Creates a context, and makes it current.
fn create(driver: &mut Driver, context: Out<usize>, flags: c_uint, device: c_int) -> Result {
    if device != 0 {
        return Err(CUDA_ERROR_INVALID_DEVICE.into());
    }
    let handle = driver.new_context(flags);
    with_contexts(|contexts| contexts.push(handle))?;
    context.put(handle)
}

fn current() -> Result<usize> {
    with_contexts(|contexts| contexts.last().copied().unwrap_or(0))
}

exports! {
    fn cuCtxCreate_v2(context: Out<usize>, flags: c_uint, device: c_int) |driver| {
        create(driver, context, flags, device)?;
    }

    fn cuCtxCreate_v3(context: Out<usize>, _affinity: usize, _count: c_int, flags: c_uint, device: c_int) |driver| {
        create(driver, context, flags, device)?;
    }

    fn cuCtxCreate_v4(context: Out<usize>, _parameters: usize, flags: c_uint, device: c_int) |driver| {
        create(driver, context, flags, device)?;
    }

    fn cuCtxDestroy_v2(context: usize) |driver| {
        if driver.primary == Some(context) {
            return Err(CUDA_ERROR_INVALID_CONTEXT.into());
        }
        driver.destroy_context(context)?;
        with_contexts(|contexts| {
            if contexts.last() == Some(&context) {
                contexts.pop();
            }
        })?;
    }

    fn cuCtxGetCurrent(context: Out<usize>) |_| { context.put(current()?)?; }

    fn cuCtxSetCurrent(context: usize) |driver| {
        if context != 0 {
            driver.contexts.get(context).map_err(|_| CUDA_ERROR_INVALID_CONTEXT)?;
        }
        with_contexts(|contexts| {
            contexts.pop();
            contexts.extend((context != 0).then_some(context));
        })?;
    }

    fn cuCtxPushCurrent_v2(context: usize) |driver| {
        driver.contexts.get(context).map_err(|_| CUDA_ERROR_INVALID_CONTEXT)?;
        with_contexts(|contexts| contexts.push(context))?;
    }

    fn cuCtxPopCurrent_v2(context: Out<usize>) |_| {
        let popped = with_contexts(Vec::pop)?.ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        context.put_if_wanted(popped)?;
    }

    fn cuCtxGetDevice(device: Out<c_int>) |driver| {
        driver.context()?;
        device.put(0)?;
    }

    fn cuCtxGetId(context: usize, id: Out<u64>) |driver| {
        let context = if context == 0 { driver.context()? } else { context };
        driver.contexts.get(context).map_err(|_| CUDA_ERROR_INVALID_CONTEXT)?;
        id.put(context as u64)?;
    }

    fn cuCtxGetApiVersion(context: usize, version: Out<c_uint>) |driver| {
        let context = if context == 0 { driver.context()? } else { context };
        driver.contexts.get(context).map_err(|_| CUDA_ERROR_INVALID_CONTEXT)?;
        version.put(1000 * VERSION.0 + 10 * VERSION.1)?;
    }

    fn cuCtxGetFlags(flags: Out<c_uint>) |driver| {
        let context = driver.context()?;
        flags.put(driver.contexts.get(context)?.flags)?;
    }

    fn cuCtxSetFlags(flags: c_uint) |driver| {
        let context = driver.context()?;
        driver.contexts.get_mut(context)?.flags = flags;
    }

    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) |driver| {
        let context = driver.context()?;
        // CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE. No limit has an effect here.
        let default = [1024, 1 << 20, 8 << 20].get(limit as usize).copied().unwrap_or(0);
        value.put(driver.contexts.get(context)?.limits.get(&limit).copied().unwrap_or(default))?;
    }

    fn cuCtxSetLimit(limit: c_uint, value: usize) |driver| {
        let context = driver.context()?;
        driver.contexts.get_mut(context)?.limits.insert(limit, value);
    }

    fn cuCtxGetCacheConfig(config: Out<c_uint>) |driver| {
        driver.context()?;
        config.put(0)?;
    }

    fn cuCtxSetCacheConfig(_config: c_uint) |driver| { driver.context()?; }

    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) |driver| {
        driver.context()?;
        least.put_if_wanted(0)?;
        greatest.put_if_wanted(-5)?;
    }

    fn cuCtxSynchronize() |driver| { driver.context()?; driver.running = None; }

    fn cuCtxResetPersistingL2Cache() |driver| { driver.context()?; }

    fn cuCtxEnablePeerAccess(_context: usize, _flags: c_uint) |_| {
        return Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED.into());
    }
}
