//! Modules and libraries, their kernels and variables. A library is its module, and its kernels are the module's functions.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUjit_option::*;
use cudarc::driver::sys::CUresult::*;

use crate::boundary::{Host, In, Out, Result, StaticText, Text, fail};
use crate::driver::{BINARIES, Driver, Handle};
use crate::exports::exports;

/// Options of the driver's compiler.
struct Options {
    log: Option<(usize, usize)>,
    max_registers: Option<u32>,
}

impl Options {
    fn read(count: c_uint, names: In<u32>, values: In<usize>) -> Result<Self> {
        let (mut log, mut bytes, mut max_registers) = (None, 0, None);
        for index in 0..count as usize {
            // The element of the array is the value itself, in place of a pointer to it.
            let (name, value) = (names.at(index)?, values.at(index)?);
            match name {
                _ if name == CU_JIT_ERROR_LOG_BUFFER as u32 => log = Some(value),
                _ if name == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32 => bytes = value & u32::MAX as usize,
                _ if name == CU_JIT_MAX_REGISTERS as u32 => max_registers = Some(value as u32),
                _ => {}
            }
        }
        Ok(Self {
            log: log.map(|log| (log, bytes)).filter(|(log, bytes)| *log != 0 && *bytes > 0),
            max_registers,
        })
    }
}

fn load(driver: &mut Driver, module: Out<Handle>, image: &[u8], options: &Options) -> Result {
    let failure = match driver.load(image, options.max_registers) {
        Ok(handle) => return module.put(handle),
        Err(failure) => failure,
    };
    let (Some((log, bytes)), Some(why)) = (options.log, &failure.why) else { return Err(failure) };
    let mut text = why.clone().into_bytes();
    text.truncate(bytes - 1);
    text.push(0);
    Host(log).write(&text)?;
    Err(failure.code.into())
}

/// Loads a file.
fn load_file(driver: &mut Driver, module: Out<Handle>, path: Text, options: &Options) -> Result {
    let path = path.get()?;
    match std::fs::read(&path) {
        Ok(image) => load(driver, module, &image, options),
        Err(error) => fail(CUDA_ERROR_FILE_NOT_FOUND, format!("`{path}` cannot be read: {error}")),
    }
}

fn global(driver: &Driver, address: Out<u64>, bytes: Out<usize>, module: Handle, name: Text) -> Result {
    let module = &driver.modules.get(module)?.module;
    let name = name.get()?;
    let found = module.variable(&name).zip(module.variable_bytes(&name));
    let (at, size) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
    address.put_if_wanted(at)?;
    bytes.put_if_wanted(size as usize)
}

fn parameter(
    driver: &Driver,
    function: Handle,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result {
    let parameters = &driver.functions.get(function)?.attributes.parameters;
    let parameter = parameters.get(index).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    offset.put(parameter.offset as usize)?;
    size.put_if_wanted(parameter.bytes as usize)
}

fn count(driver: &Driver, module: Handle) -> Result<c_uint> {
    Ok(driver.modules.get(module)?.module.kernels().count() as c_uint)
}

fn enumerate(driver: &mut Driver, functions: Out<Handle>, most: c_uint, module: Handle) -> Result {
    let names: Vec<String> = driver.modules.get(module)?.module.kernels().map(Into::into).collect();
    let handles: Result<Vec<_>> =
        names.iter().take(most as usize).map(|name| driver.function(module, name)).collect();
    functions.put_all(handles?)
}

fn name_of(driver: &Driver, name: Out<StaticText>, function: Handle) -> Result {
    name.put(driver.functions.get(function)?.name.as_ptr())
}

exports! {
    fn cuModuleLoad(module: Out<usize>, path: Text) |driver| {
        load_file(driver, module, path, &Options { log: None, max_registers: None })?;
    }

    fn cuModuleLoadData(module: Out<usize>, image: Text) |driver| {
        load(driver, module, &image.image(&BINARIES)?, &Options { log: None, max_registers: None })?;
    }

    fn cuModuleLoadDataEx(module: Out<usize>, image: Text, count: c_uint, names: In<u32>, values: In<usize>) |driver| {
        load(driver, module, &image.image(&BINARIES)?, &Options::read(count, names, values)?)?;
    }

    fn cuModuleLoadFatBinary(module: Out<usize>, image: Text) |driver| {
        load(driver, module, &image.image(&BINARIES)?, &Options { log: None, max_registers: None })?;
    }

    fn cuModuleUnload(module: usize) |driver| {
        driver.context()?;
        driver.unload(module)?;
    }

    fn cuModuleGetLoadingMode(mode: Out<c_uint>) |_| {
        // CU_MODULE_EAGER_LOADING.
        mode.put(1)?;
    }

    fn cuModuleGetFunction(function: Out<usize>, module: usize, name: Text) |driver| {
        driver.context()?;
        function.put(driver.function(module, &name.get()?)?)?;
    }

    fn cuModuleGetFunctionCount(number: Out<c_uint>, module: usize) |driver| { number.put(count(driver, module)?)?; }

    fn cuModuleEnumerateFunctions(functions: Out<usize>, most: c_uint, module: usize) |driver| {
        enumerate(driver, functions, most, module)?;
    }

    fn cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: usize, name: Text) |driver| {
        driver.context()?;
        global(driver, address, bytes, module, name)?;
    }

    fn cuLibraryLoadData(
        library: Out<usize>,
        code: Text,
        names: In<u32>,
        values: In<usize>,
        count: c_uint,
        _library_names: usize,
        _library_values: usize,
        _library_count: c_uint,
    ) |driver| {
        load(driver, library, &code.image(&BINARIES)?, &Options::read(count, names, values)?)?;
    }

    fn cuLibraryLoadFromFile(
        library: Out<usize>,
        path: Text,
        names: In<u32>,
        values: In<usize>,
        count: c_uint,
        _library_names: usize,
        _library_values: usize,
        _library_count: c_uint,
    ) |driver| {
        load_file(driver, library, path, &Options::read(count, names, values)?)?;
    }

    fn cuLibraryUnload(library: usize) |driver| { driver.unload(library)?; }

    fn cuLibraryGetModule(module: Out<usize>, library: usize) |driver| {
        driver.modules.get(library)?;
        module.put(library)?;
    }

    fn cuLibraryGetKernel(kernel: Out<usize>, library: usize, name: Text) |driver| {
        kernel.put(driver.function(library, &name.get()?)?)?;
    }

    fn cuLibraryGetKernelCount(number: Out<c_uint>, library: usize) |driver| { number.put(count(driver, library)?)?; }

    fn cuLibraryEnumerateKernels(kernels: Out<usize>, most: c_uint, library: usize) |driver| {
        enumerate(driver, kernels, most, library)?;
    }

    fn cuLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: usize, name: Text) |driver| {
        global(driver, address, bytes, library, name)?;
    }

    fn cuKernelGetFunction(function: Out<usize>, kernel: usize) |driver| {
        driver.functions.get(kernel)?;
        function.put(kernel)?;
    }

    fn cuKernelGetLibrary(library: Out<usize>, kernel: usize) |driver| {
        library.put(driver.functions.get(kernel)?.module)?;
    }

    fn cuKernelGetName(name: Out<StaticText>, kernel: usize) |driver| { name_of(driver, name, kernel)?; }

    fn cuKernelGetParamInfo(kernel: usize, index: usize, offset: Out<usize>, size: Out<usize>) |driver| {
        parameter(driver, kernel, index, offset, size)?;
    }

    fn cuKernelGetAttribute(value: Out<c_int>, attribute: c_uint, kernel: usize, _device: c_int) |driver| {
        value.put(driver.function_attribute(kernel, attribute)?)?;
    }

    fn cuKernelSetAttribute(attribute: c_uint, value: c_int, kernel: usize, _device: c_int) |driver| {
        driver.set_function_attribute(kernel, attribute, value)?;
    }

    fn cuKernelSetCacheConfig(kernel: usize, _config: c_uint, _device: c_int) |driver| { driver.functions.get(kernel)?; }

    fn cuFuncGetAttribute(value: Out<c_int>, attribute: c_uint, function: usize) |driver| {
        driver.context()?;
        value.put(driver.function_attribute(function, attribute)?)?;
    }

    fn cuFuncSetAttribute(function: usize, attribute: c_uint, value: c_int) |driver| {
        driver.context()?;
        driver.set_function_attribute(function, attribute, value)?;
    }

    fn cuFuncSetCacheConfig(function: usize, _config: c_uint) |driver| { driver.functions.get(function)?; }

    fn cuFuncSetSharedMemConfig(function: usize, _config: c_uint) |driver| { driver.functions.get(function)?; }

    fn cuFuncGetModule(module: Out<usize>, function: usize) |driver| {
        module.put(driver.functions.get(function)?.module)?;
    }

    fn cuFuncGetName(name: Out<StaticText>, function: usize) |driver| { name_of(driver, name, function)?; }

    fn cuFuncGetParamInfo(function: usize, index: usize, offset: Out<usize>, size: Out<usize>) |driver| {
        parameter(driver, function, index, offset, size)?;
    }

    fn cuFuncIsLoaded(state: Out<c_uint>, function: usize) |driver| {
        driver.functions.get(function)?;
        // CU_FUNCTION_LOADING_STATE_LOADED.
        state.put(1)?;
    }

    fn cuFuncLoad(function: usize) |driver| { driver.functions.get(function)?; }
}
