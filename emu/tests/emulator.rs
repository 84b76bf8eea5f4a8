//! What `Emulator` does with several schedules, with kernels without types, and with traces.

use ptx_emu::{Emulator, Error, LaunchConfig, Options};

const KERNELS: &str = "
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[3] = {104, 105, 0};

.visible .entry store(.param .u64 out, .param .u32 value) {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r0, [value];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.u64 %rd1, %rd0, %rd1;
    st.global.u32 [%rd1], %r0;
    bar.sync 0;
    ret;
}
.visible .entry race(.param .u64 out) {
    .reg .b32 %r<1>; .reg .b64 %rd<1>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    st.global.u32 [%rd0], %r0;
    ret;
}
.visible .entry last(.param .u64 out) {
    .reg .b32 %r<2>; .reg .b64 %rd<1>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    atom.relaxed.gpu.global.exch.b32 %r1, [%rd0], %r0;
    ret;
}
.visible .entry print() {
    .reg .b64 %rd<3>;
    mov.u64 %rd0, format;
    cvta.global.u64 %rd1, %rd0;
    mov.u64 %rd2, 0;
    {
        .param .b64 param0;
        .param .b64 param1;
        .param .b32 retval0;
        st.param.b64 [param0], %rd1;
        st.param.b64 [param1], %rd2;
        call.uni (retval0), vprintf, (param0, param1);
    }
    ret;
}
";

/// Launches a kernel with one block of these threads.
macro_rules! launch {
    ($gpu:expr, $name:literal, $threads:literal, $arguments:expr) => {{
        let kernels = $gpu.load(&[("sm_90", KERNELS.as_bytes())]).unwrap();
        kernels.kernel_by_name($name)?.launch(&$gpu, &LaunchConfig::new(1, $threads), $arguments)
    }};
}

#[test]
fn a_kernel_without_types_takes_memory_and_numbers() -> Result<(), Error> {
    let gpu = Emulator::new();
    let (mut by_reference, by_address) = (gpu.slice(&[0u32; 4]), gpu.slice(&[0u32; 4]));
    launch!(gpu, "store", 3, (&mut by_reference, 7u32))?;
    launch!(gpu, "store", 4, (by_address.address(), 8u32))?;
    assert_eq!((by_reference.to_vec(), by_address.to_vec()), (vec![7, 7, 7, 0], vec![8; 4]));
    let refused = launch!(gpu, "store", 4, (&mut by_reference, 7u64)).unwrap_err().to_string();
    assert!(refused.contains("`store`") && refused.contains("parameter 1 has 4 bytes"), "{refused}");
    let beside = launch!(gpu, "store", 5, (&mut by_reference, 7u32)).unwrap_err().to_string();
    assert!(beside.contains("illegal address in `store`"), "{beside}");
    let kernels = gpu.load(&[("sm_90", KERNELS.as_bytes())])?;
    assert_eq!(kernels.kernel_by_name("none").unwrap_err().to_string(), "the module has no kernel `none`");
    Ok(())
}

#[test]
fn every_launch_begins_with_the_chosen_schedule() -> Result<(), Error> {
    let gpu = Emulator::new().schedules(2).every_launch_from(17);
    let mut word = gpu.slice(&[0u32]);
    launch!(gpu, "last", 64, (&mut word,))?;
    let Error::Wrong { schedule, report } = launch!(gpu, "race", 64, (&mut word,)).unwrap_err() else {
        panic!("the race is a finding")
    };
    assert_eq!(schedule, 17, "{report}");
    Ok(())
}

#[test]
fn a_result_that_depends_on_the_schedule_is_an_error_if_asked_for() -> Result<(), Error> {
    let gpu = Emulator::new().schedules(20);
    let mut word = gpu.slice(&[0u32]);
    launch!(gpu, "last", 64, (&mut word,))?;
    let gpu = Emulator::new().schedules(20).one_result();
    let mut words = gpu.slice(&[0u32; 64]);
    launch!(gpu, "store", 64, (&mut words, 7u32))?;
    let error = launch!(gpu, "last", 64, (&mut words,)).unwrap_err();
    assert!(matches!(error, Error::Differs { address, .. } if address == words.address()), "{error}");
    assert!(error.to_string().starts_with("`last`: the byte at 0x"), "{error}");
    Ok(())
}

#[test]
fn a_launch_prints_once_whatever_the_number_of_its_schedules() -> Result<(), Error> {
    let gpu = Emulator::new().schedules(5);
    launch!(gpu, "print", 1, ())?;
    launch!(gpu, "print", 1, ())?;
    assert_eq!(gpu.printed(), "hihi");
    Ok(())
}

#[test]
fn a_trace_is_that_of_the_last_run() -> Result<(), Error> {
    let gpu = Emulator::new();
    let mut words = gpu.slice(&[0u32; 2]);
    launch!(gpu, "store", 2, (&mut words, 7u32))?;
    assert!(gpu.trace().is_none());
    let gpu = Emulator::new().options(Options { trace: true, ..Options::default() });
    let mut words = gpu.slice(&[0u32; 2]);
    launch!(gpu, "store", 2, (&mut words, 7u32))?;
    let text = gpu.trace().expect("the options ask for it").to_json();
    assert!(text.contains("\"traceEvents\"") && text.contains("\"barrier 0\""), "{text}");
    assert!(gpu.trace().is_none());
    Ok(())
}
