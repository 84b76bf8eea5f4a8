//! Events.

use std::ffi::{c_float, c_uint};
use std::time::Instant;

use cudarc::driver::sys::CUresult::*;

use crate::boundary::{Out, Result};
use crate::driver::{Driver, Event, Handle};
use crate::exports::exports;

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIME: c_uint = 2;

fn record(driver: &mut Driver, event: Handle, stream: Handle) -> Result {
    let (key, _) = driver.stream(stream)?;
    let capture = driver.captured.get(&key).copied();
    let event = driver.events.get_mut(event)?;
    event.capture = capture;
    if capture.is_none() {
        event.recorded = Some(Instant::now());
    }
    Ok(())
}

/// Checks that an event is not of a capture. The work before any other event is done.
fn check_done(driver: &Driver, event: Handle) -> Result {
    driver.context()?;
    let captured = driver.events.get(event)?.capture.is_some();
    if captured { Err(CUDA_ERROR_CAPTURED_EVENT.into()) } else { Ok(()) }
}

/// Writes the milliseconds between two events, as measured in the emulation.
fn elapsed(driver: &Driver, time: Out<c_float>, start: Handle, end: Handle) -> Result {
    check_done(driver, start)?;
    check_done(driver, end)?;
    let at = |event: Handle| -> Result<Instant> {
        let event = driver.events.get(event)?;
        Ok(event.recorded.filter(|_| event.has_time).ok_or(CUDA_ERROR_INVALID_HANDLE)?)
    };
    let (start, end) = (at(start)?, at(end)?);
    let forward = end.saturating_duration_since(start).as_secs_f32();
    time.put(1000.0 * (forward - start.saturating_duration_since(end).as_secs_f32()))
}

exports! {
    fn cuEventCreate(event: Out<usize>, flags: c_uint) |driver| {
        driver.context()?;
        let handle = driver.new_handle();
        driver.events.insert(handle, Event { has_time: flags & NO_TIME == 0, recorded: None, capture: None });
        event.put(handle)?;
    }

    fn cuEventDestroy_v2(event: usize) |driver| { driver.events.remove(event)?; }

    fn cuEventRecord(event: usize, stream: usize) |driver| { record(driver, event, stream)?; }

    fn cuEventRecordWithFlags(event: usize, stream: usize, _flags: c_uint) |driver| { record(driver, event, stream)?; }

    fn cuEventQuery(event: usize) |driver| { check_done(driver, event)?; driver.running = None; }

    fn cuEventSynchronize(event: usize) |driver| { check_done(driver, event)?; driver.running = None; }

    fn cuEventElapsedTime(time: Out<c_float>, start: usize, end: usize) |driver| { elapsed(driver, time, start, end)?; }

    fn cuEventElapsedTime_v2(time: Out<c_float>, start: usize, end: usize) |driver| {
        elapsed(driver, time, start, end)?;
    }
}
