//! Runs cases in the interpreter.

use ptx_emu::{Device, Launch, Options, Schedule};

use crate::case::{Case, Extra, Run};

/// The number of instructions after which a run is given up.
const LIMIT: u64 = 20_000_000;

/// Runs a case under a schedule, and returns the memory after it.
///
/// # Errors
///
/// If the interpreter lacks what the case needs, or reports a finding or a fault.
pub fn run(case: &Case<'_>, run: &Run, schedule: u64) -> Result<Vec<u8>, String> {
    let mut device = Device::new();
    let module = device.load(&case.module()).map_err(|error| error.to_string())?;
    let memory = device.allocate(run.memory.len());
    let lost = || String::from("the memory of the case is not allocated");
    device.write(memory, &run.memory).ok_or_else(lost)?;
    let mut replicas = Vec::new();
    // The parameters: the address, then the map at its alignment or the address of the multicast object.
    let mut params = memory.to_le_bytes().to_vec();
    match &run.extra {
        Extra::Nothing => {}
        Extra::Map(map) => {
            params.resize(64, 0);
            params.extend_from_slice(&map.emulated(memory).to_bytes());
        }
        Extra::Multicast(contents) => {
            for content in contents {
                let replica = device.allocate(content.len());
                device.write(replica, content).ok_or_else(lost)?;
                replicas.push((replica, content.len()));
            }
            let addresses: Vec<u64> = replicas.iter().map(|(address, _)| *address).collect();
            let object = device.multicast(&addresses, contents.first().map_or(0, Vec::len));
            params.extend_from_slice(&object.to_le_bytes());
        }
    }
    let shape = case.shape;
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        cluster: shape.cluster,
        dynamic_shared: shape.dynamic_shared,
        params,
        ..Launch::new(1, 1)
    };
    let options = Options { schedule: Schedule::of(schedule), limit: LIMIT, ..Options::default() };
    let report = device.launch(&module, "k", &launch, &options).map_err(|error| error.to_string())?;
    if !report.is_clean() {
        let findings = report.findings.iter().map(ToString::to_string);
        let faults = report.fault.iter().map(|fault| format!("fault: {fault}"));
        return Err(findings.chain(faults).collect::<Vec<_>>().join("\n"));
    }
    let mut after = Vec::new();
    for (address, bytes) in [(memory, run.memory.len())].into_iter().chain(replicas) {
        let from = after.len();
        after.resize(from + bytes, 0);
        device.read(address, &mut after[from..]).ok_or_else(lost)?;
    }
    Ok(after)
}
