//! Streams, and their captures.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUresult::{self, *};

use crate::boundary::{HostFunction, Out, Result};
use crate::driver::{Capture, Driver, Handle, Stream, StreamKey, Work};
use crate::exports::exports;

fn create(driver: &mut Driver, stream: Out<Handle>, flags: c_uint, priority: c_int) -> Result {
    let context = driver.context()?;
    let handle = driver.new_handle();
    driver.streams.insert(handle, Stream { context, flags, priority });
    stream.put(handle)
}

/// Returns the capture of a stream, if there is one.
fn capture(driver: &mut Driver, stream: Handle) -> Result<Option<Handle>> {
    let (key, _) = driver.stream(stream)?;
    Ok(driver.captured.get(&key).copied())
}

/// Writes the state and the number of a stream's capture. The graph exists only at the end of the capture.
fn describe(driver: &mut Driver, stream: Handle, status: Out<c_uint>, id: Out<u64>) -> Result {
    let capture = capture(driver, stream)?;
    // CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_NONE.
    status.put(capture.is_some().into())?;
    id.put_if_wanted(capture.unwrap_or(0) as u64)
}

exports! {
    fn cuStreamCreate(stream: Out<usize>, flags: c_uint) |driver| { create(driver, stream, flags, 0)?; }

    fn cuStreamCreateWithPriority(stream: Out<usize>, flags: c_uint, priority: c_int) |driver| {
        create(driver, stream, flags, priority.clamp(-5, 0))?;
    }

    fn cuStreamDestroy_v2(stream: usize) |driver| {
        driver.streams.remove(stream)?;
        driver.captured.remove(&StreamKey::Made(stream));
    }

    fn cuStreamQuery(stream: usize) |driver| { driver.not_captured(stream)?; driver.running = None; }

    fn cuStreamSynchronize(stream: usize) |driver| { driver.not_captured(stream)?; driver.running = None; }

    fn cuStreamGetPriority(stream: usize, priority: Out<c_int>) |driver| {
        driver.stream(stream)?;
        priority.put(driver.streams.get(stream).map_or(0, |stream| stream.priority))?;
    }

    fn cuStreamGetFlags(stream: usize, flags: Out<c_uint>) |driver| {
        driver.stream(stream)?;
        flags.put(driver.streams.get(stream).map_or(0, |stream| stream.flags))?;
    }

    fn cuStreamGetCtx(stream: usize, context: Out<usize>) |driver| { context.put(driver.stream(stream)?.1)?; }

    fn cuStreamGetDevice(stream: usize, device: Out<c_int>) |driver| {
        driver.stream(stream)?;
        device.put(0)?;
    }

    fn cuStreamGetId(stream: usize, id: Out<u64>) |driver| {
        driver.stream(stream)?;
        id.put(stream as u64)?;
    }

    fn cuStreamWaitEvent(stream: usize, event: usize, _flags: c_uint) |driver| {
        let (key, _) = driver.stream(stream)?;
        let of = driver.events.get(event)?;
        match (driver.captured.get(&key).copied(), of.capture) {
            (None, None) => {}
            // The stream joins the capture.
            (None, Some(capture)) => {
                driver.captures.get(capture).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
                driver.captured.insert(key, capture);
            }
            (Some(ours), Some(theirs)) if ours == theirs => {}
            (Some(_), None) if of.recorded.is_none() => {}
            (Some(_), _) => return Err(CUDA_ERROR_STREAM_CAPTURE_ISOLATION.into()),
        }
    }

    fn cuStreamBeginCapture_v2(stream: usize, _mode: c_uint) |driver| {
        let (key, _) = driver.stream(stream)?;
        if key == StreamKey::Legacy {
            return Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.into());
        }
        if driver.captured.contains_key(&key) {
            return Err(CUDA_ERROR_ILLEGAL_STATE.into());
        }
        let handle = driver.new_handle();
        driver.captures.insert(handle, Capture { origin: key, work: Vec::new() });
        driver.captured.insert(key, handle);
    }

    fn cuStreamEndCapture(stream: usize, graph: Out<usize>) |driver| {
        let (key, _) = driver.stream(stream)?;
        let capture = *driver.captured.get(&key).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        if driver.captures.get(capture)?.origin != key {
            return Err(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED.into());
        }
        driver.captured.retain(|_, of| *of != capture);
        let work = driver.captures.remove(capture)?.work;
        let handle = driver.new_handle();
        driver.graphs.insert(handle, work);
        graph.put(handle)?;
    }

    fn cuStreamIsCapturing(stream: usize, status: Out<c_uint>) |driver| {
        status.put(capture(driver, stream)?.is_some().into())?;
    }

    fn cuStreamGetCaptureInfo_v2(
        stream: usize,
        status: Out<c_uint>,
        id: Out<u64>,
        graph: Out<usize>,
        _dependencies: Out<usize>,
        count: Out<usize>,
    ) |driver| {
        describe(driver, stream, status, id)?;
        graph.put_if_wanted(0)?;
        count.put_if_wanted(0)?;
    }

    fn cuStreamGetCaptureInfo_v3(
        stream: usize,
        status: Out<c_uint>,
        id: Out<u64>,
        graph: Out<usize>,
        _dependencies: Out<usize>,
        _edges: Out<usize>,
        count: Out<usize>,
    ) |driver| {
        describe(driver, stream, status, id)?;
        graph.put_if_wanted(0)?;
        count.put_if_wanted(0)?;
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_uint>) |_| {
        // CU_STREAM_CAPTURE_MODE_GLOBAL. All modes allow the same calls here.
        mode.put(0)?;
    }

    fn cuLaunchHostFunc(stream: usize, function: Option<extern "C" fn(usize)>, argument: usize) |driver| {
        driver.submit(stream, Work::Call(HostFunction::Plain(function, argument)))?;
    }

    fn cuStreamAddCallback(
        stream: usize,
        function: Option<extern "C" fn(usize, CUresult, usize)>,
        argument: usize,
        _flags: c_uint,
    ) |driver| {
        driver.not_captured(stream)?;
        driver.submit(stream, Work::Call(HostFunction::Callback(function, stream, argument)))?;
    }
}
