//! The times of launches, by events and graphs.

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaEvent, CudaGraph, CudaStream, DevicePtr, result};

use crate::error::check;
use crate::{Error, Result, wait};

/// The median times of launches, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// The time of one launch, for each of the launches.
    pub seconds: Vec<f64>,
    /// The time of a device-to-device copy with the same traffic.
    pub copy: Option<f64>,
}

/// Times launches alternately, beside a copy that reads and writes `traffic` bytes, and waits for all of it, for `timeout` at most
/// each time. Each of `launches` puts the same work on `stream` at each call, also while the stream is being captured; the graph
/// of a capture runs many times.
///
/// # Errors
///
/// The error of a launch; [`Error::Timeout`] if the work hangs; [`Error::Cuda`] if the driver fails.
///
/// # Safety
///
/// The work that a call puts on the stream may run again, at any time until this function returns, and after an error until the
/// stream's work has ended.
pub unsafe fn alternate(
    stream: &Arc<CudaStream>,
    launches: &[&dyn Fn() -> Result<()>],
    traffic: Option<usize>,
    repetitions: usize,
    timeout: Duration,
) -> Result<Times> {
    const WARM_UP: usize = 5;
    let doing = || "timing a kernel".to_owned();
    let bytes = traffic.unwrap_or(0) / 2;
    let memory = || check(stream.alloc_zeros::<u8>(bytes.max(1)), doing);
    let (from, to) = (memory()?, memory()?);
    let address = |memory: &_| DevicePtr::<u8>::device_ptr(memory, stream).0;
    let (from_address, to_address): (u64, u64) = (address(&from), address(&to));
    let copy = || {
        // SAFETY: both buffers have `bytes` bytes, live to the end of this function, and are freed on this stream. Without the
        // events of `cudarc`, which would be timed too.
        let done = unsafe { result::memcpy_dtod_async(to_address, from_address, bytes, stream.cu_stream()) };
        check(done, doing)
    };

    // All launches use the same batch, so that the cost of a launch has the same weight for each.
    let batches = launches.iter().map(|launch| batch(stream, launch, timeout)).collect::<Result<Vec<_>>>()?;
    let batch = batches.into_iter().min().unwrap_or(1);
    // Launches in a graph do not wait for the host, which needs more time per launch than the shortest kernels run.
    let graphs = launches.iter().map(|launch| graph_of(stream, launch, batch)).collect::<Result<Vec<_>>>()?;

    let timed: Vec<Option<&CudaGraph>> = graphs.iter().map(Some).chain(traffic.map(|_| None)).collect();
    let mut samples = Vec::with_capacity(repetitions);
    for repetition in 0..WARM_UP + repetitions {
        for turn in 0..timed.len() {
            // Each launch comes first as often as last.
            let i = if repetition % 2 == 0 { turn } else { timed.len() - 1 - turn };
            // Each launch is timed after a copy. Otherwise the first would wait for the L2 cache to write back the last copy, and
            // the others would find some of their input in the cache.
            if traffic.is_some() {
                copy()?;
            }
            let start = record(stream)?;
            match timed[i] {
                Some(graph) => check(graph.launch(), doing)?,
                None => copy()?,
            }
            let end = record(stream)?;
            if repetition >= WARM_UP {
                samples.push((i, start, end));
            }
        }
    }
    wait(stream, timeout)?;

    let median_of = |i: usize| -> Result<f64> {
        let of_this = samples.iter().filter(|(of, ..)| *of == i);
        Ok(median(&of_this.map(|(_, start, end)| seconds(start, end)).collect::<Result<Vec<_>>>()?))
    };
    Ok(Times {
        seconds: (0..launches.len()).map(|i| Ok(median_of(i)? / batch as f64)).collect::<Result<_>>()?,
        copy: traffic.map(|_| median_of(launches.len())).transpose()?,
    })
}

/// Returns the launches per sample: enough to outlast the clock's resolution and the start of a kernel.
fn batch(stream: &CudaStream, launch: &dyn Fn() -> Result<()>, timeout: Duration) -> Result<usize> {
    const SAMPLE: f64 = 1e-3;
    const MOST: f64 = 500.0;
    launch()?;
    let start = record(stream)?;
    launch()?;
    let end = record(stream)?;
    wait(stream, timeout)?;
    Ok((SAMPLE / seconds(&start, &end)?.max(1e-6)).clamp(1.0, MOST) as usize)
}

fn graph_of(stream: &Arc<CudaStream>, launch: &dyn Fn() -> Result<()>, count: usize) -> Result<CudaGraph> {
    let (graph, done) = capture(stream, || (0..count).try_for_each(|_| launch()))?;
    done?;
    graph
}

/// Captures the work that `work` puts on the stream as a graph; the work does not run. Returns the graph, and what `work` returned.
///
/// # Errors
///
/// [`Error::Cuda`] if the stream cannot be captured: then `work` was not called. An error of the graph stands beside what `work`
/// returned, which may be its cause.
pub fn capture<R>(stream: &Arc<CudaStream>, work: impl FnOnce() -> R) -> Result<(Result<CudaGraph>, R)> {
    let doing = || "capturing a stream".to_owned();
    check(stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), doing)?;
    let done = work();
    // The capture ends even if `work` failed.
    let graph = check(stream.end_capture(CUgraphInstantiate_flags(0)), doing);
    Ok((graph.and_then(|graph| graph.ok_or(Error::EmptyCapture)), done))
}

/// Records an event with timing.
fn record(stream: &CudaStream) -> Result<CudaEvent> {
    check(stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)), || "recording an event".into())
}

fn seconds(start: &CudaEvent, end: &CudaEvent) -> Result<f64> {
    Ok(f64::from(check(start.elapsed_ms(end), || "reading the time between two events".into())?) / 1e3)
}

/// Returns the median. For an even number of values, the median is the mean of the middle two.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        len if len % 2 == 0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
