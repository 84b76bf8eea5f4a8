//! Graphs: the work that captures have recorded.

use std::ffi::c_uint;

use crate::boundary::{Out, Result};
use crate::driver::{Driver, Handle};
use crate::exports::exports;

fn instantiate(driver: &mut Driver, executable: Out<Handle>, graph: Handle) -> Result {
    let work = driver.graphs.get(graph)?.clone();
    let handle = driver.new_handle();
    driver.executables.insert(handle, work);
    executable.put(handle)
}

exports! {
    fn cuGraphCreate(graph: Out<usize>, _flags: c_uint) |driver| {
        let handle = driver.new_handle();
        driver.graphs.insert(handle, Vec::new());
        graph.put(handle)?;
    }

    fn cuGraphDestroy(graph: usize) |driver| { driver.graphs.remove(graph)?; }

    fn cuGraphInstantiateWithFlags(executable: Out<usize>, graph: usize, _flags: u64) |driver| {
        instantiate(driver, executable, graph)?;
    }

    fn cuGraphUpload(executable: usize, stream: usize) |driver| {
        driver.stream(stream)?;
        driver.executables.get(executable)?;
    }

    fn cuGraphLaunch(executable: usize, stream: usize) |driver| {
        for work in driver.executables.get(executable)?.clone() {
            driver.submit(stream, work)?;
        }
    }

    fn cuGraphExecDestroy(executable: usize) |driver| { driver.executables.remove(executable)?; }
}
