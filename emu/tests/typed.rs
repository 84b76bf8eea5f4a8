//! Typed launches in the interpreter: the kernels of `tests/device/launch`, optimized and not, under many schedules.

use std::sync::LazyLock;

use ptx_emu::{Device, Emulator, Error, Grid, Kernels, Launch, Matrix, Options, Tensor};
use xtask::device::{Arch, Build, OptLevel};

fn build(opt_level: OptLevel) -> String {
    let build = Build { opt_level, ..Build::new("tests/device/launch", Arch::Sm90a) };
    build.run().unwrap_or_else(|error| panic!("{error:#}")).text
}

static OPTIMIZED: LazyLock<String> = LazyLock::new(|| build(OptLevel::O3));
static PLAIN: LazyLock<String> = LazyLock::new(|| build(OptLevel::O0));

/// Runs a check on an emulated GPU with the optimized kernels, and on one with the others.
fn each(check: impl Fn(&Emulator, &Kernels) -> Result<(), Error>) {
    for (ptx, schedules) in [(&*OPTIMIZED, 12), (&*PLAIN, 2)] {
        let gpu = Emulator::new().schedules(schedules);
        let kernels = gpu.load(&[("sm_90a", ptx.as_bytes())]).unwrap();
        check(&gpu, &kernels).unwrap();
    }
}

#[test]
fn tiles_in_a_ring_and_their_tail() {
    each(|gpu, kernels| {
        let axpy = kernels.kernel(launch::axpy)?;
        for len in [0, 5, 3584, 9000] {
            let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let (x, mut y) = (gpu.slice(&x), gpu.slice(&vec![1.0; len]));
            axpy.launch(gpu, 2, (2.0, &x, &mut y))?;
            assert!(
                y.to_vec().into_iter().enumerate().all(|(i, y)| y == 2.0 * i as f32 + 1.0),
                "{len} elements"
            );
        }
        Ok(())
    });
}

/// Checks instances of a generic kernel with tiles of different shapes and elements of different types.
#[test]
fn instances_of_a_matrix_product() {
    fn whole(n: usize) -> impl Iterator<Item = u16> {
        (0..n).map(|i| (i * i % 13) as u16)
    }
    macro_rules! check {
        ($gpu:ident, $kernels:ident, $T:ty, [$($tile:literal),*], [$m:literal, $k:literal, $n:literal]) => {{
            let [_, rows, columns, depth] = [$($tile),*];
            assert!($m % rows == 0 && $n % columns == 0 && $k % depth == 0);
            let a: Vec<$T> = whole($m * $k).map(<$T>::from).collect();
            let b: Vec<$T> = whole($k * $n).map(<$T>::from).collect();
            let want = |i: usize| (0..$k).map(|d| a[i / $n * $k + d] * b[d * $n + i % $n]).sum::<$T>();
            let (on_a, on_b) = ($gpu.slice(&a), $gpu.slice(&b));
            let mut c = $gpu.slice(&vec![<$T>::from(7u16); $m * $n]);
            let grid = (($n / columns) as u32, ($m / rows) as u32);
            let factors = (Matrix::new(&on_a, $m, $k), Matrix::new(&on_b, $k, $n));
            let arguments = (factors.0, factors.1, Matrix::new(&mut c, $m, $n));
            $kernels.kernel(launch::product::<$T, $($tile),*>)?.launch($gpu, grid, arguments)?;
            assert_eq!(c.to_vec(), (0..$m * $n).map(want).collect::<Vec<_>>());
        }};
    }
    each(|gpu, kernels| {
        check!(gpu, kernels, f32, [4, 16, 16, 8], [32, 24, 16]);
        check!(gpu, kernels, f32, [4, 8, 32, 16], [8, 16, 64]);
        check!(gpu, kernels, u64, [2, 16, 8, 8], [16, 16, 16]);
        Ok(())
    });
}

/// Checks that a kernel has the first elements of longer memory, and that the launch refuses shorter memory.
#[test]
fn lengths_that_parameters_give() {
    each(|gpu, kernels| {
        let lengths = kernels.kernel(launch::lengths)?;
        let floats = |n: usize| gpu.slice(&(0..n).map(|i| i as f32).collect::<Vec<_>>());
        let run = |rows: u32, factors: usize, [of_x, of_y]: [usize; 2], extents: [u32; 2], n: usize| {
            let (a, factors, x, mut y) =
                (floats(8 * rows as usize), floats(factors), floats(of_x), floats(of_y));
            let a = Matrix::new(&a, rows, 8);
            let arguments = (a, &factors, &x, &mut y, extents[0], extents[1], n);
            lengths.launch(gpu, 2, arguments).map(|()| y.to_vec())
        };
        // Row 3 is not one of the kernel's, and neither is element 4 of the factors.
        let got = run(4, 9, [40, 50], [3, 8], 6).unwrap();
        let want = [8.0, 8.0 + 1.0 + 8.0, 8.0 + 2.0 + 2.0 * 16.0, 8.0 + 3.0, 8.0 + 4.0, 8.0 + 5.0];
        assert_eq!(got[..6], want);
        assert_eq!(got[6..], floats(50).to_vec()[6..]);
        let refused = |rows, factors, lens, extents, n, says: &str| {
            let error = run(rows, factors, lens, extents, n).unwrap_err().to_string();
            assert!(
                error.starts_with("cannot launch kernel `lengths`: argument ") && error.contains(says),
                "{error}"
            );
        };
        refused(4, 3, [6, 6], [4, 8], 6, "1 (`factors`) has 3 elements, and the kernel takes 4");
        refused(4, 4, [5, 6], [4, 8], 6, "2 (`x`) has 5 elements, and the kernel takes 6");
        refused(4, 4, [6, 5], [4, 8], 6, "3 (`y`) has 5 elements, and the kernel takes 6");
        let shape = "0 (`a`) has 4 rows of 8 elements, and the kernel takes";
        refused(4, 4, [6, 6], [5, 8], 6, &format!("{shape} 5 rows of 8 elements"));
        refused(4, 4, [6, 6], [4, 4], 6, &format!("{shape} 4 rows of 4 elements"));
        Ok(())
    });
}

/// Checks a launch by addresses without the dynamic shared memory, which `Kernel::launch` adds.
#[test]
fn a_trap_of_the_library_says_why() {
    for ptx in [&*OPTIMIZED, &*PLAIN] {
        let mut device = Device::new();
        let module = device.load(ptx).unwrap();
        let last = module.parameters("axpy").unwrap().last().unwrap();
        let launch = Launch { params: vec![0; (last.offset + last.bytes) as usize], ..Launch::new(1, 256) };
        let report = device.launch(&module, "axpy", &launch, &Options::default()).unwrap();
        let fault = report.fault.unwrap().to_string();
        let expected =
            "`trap` in `axpy`: the launch gives too few bytes of dynamic shared memory\n    thread ";
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn a_struct_by_value_and_a_grid_of_two_dimensions() {
    each(|gpu, kernels| {
        let weights = launch::Weights { scale: 0.5, taps: [1.0; 5], wraps: true };
        let (x, mut y) = (gpu.slice(&[2.0f32; 300]), gpu.slice(&[0.0f32; 300]));
        kernels.kernel(launch::blur)?.launch(gpu, (2, 2), (weights, &x, &mut y))?;
        assert_eq!(y.to_vec(), [5.0; 300]);
        Ok(())
    });
}

#[test]
fn boxes_by_tensor_maps() {
    each(|gpu, kernels| {
        // The last boxes reach over the end of both dimensions.
        let x: Vec<f32> = (0..40 * 68).map(|i| i as f32).collect();
        let (from, mut to) = (gpu.slice(&x), gpu.slice(&vec![0.0f32; x.len()]));
        let maps = (Tensor::new(&from, [68, 40]), Tensor::new(&mut to, [68, 40]));
        kernels.kernel(launch::copy_boxes)?.launch(gpu, 3, maps)?;
        assert_eq!(to.to_vec(), x);
        Ok(())
    });
}

#[test]
fn a_cluster_that_reduces() {
    each(|gpu, kernels| {
        let (rows, mut doubled) = (gpu.slice(&[1u32; 8 * 256]), gpu.slice(&[0u32; 8 * 256]));
        let (mut sums, mut count) = (gpu.slice(&[10u32; 256]), gpu.slice(&[0u64; 1]));
        let (rows, doubled) = (Matrix::new(&rows, 8, 256), Matrix::new(&mut doubled, 8, 256));
        let add_rows = kernels.kernel(launch::add_rows)?;
        add_rows.launch(gpu, Grid::new(4), (rows, &mut sums, &mut count, doubled))?;
        assert_eq!(count.to_vec(), [8]);
        assert!(sums.to_vec().into_iter().enumerate().all(|(i, sum)| sum == 10 + 4 * i as u32));
        Ok(())
    });
}

#[test]
fn every_gpu_runs_its_kernels_under_every_schedule() {
    let last = Emulator::new().first_schedule(u64::MAX).schedules(2);
    for gpu in [Emulator::default(), last] {
        let kernels = gpu.load(&[("sm_90a", OPTIMIZED.as_bytes())]).unwrap();
        let (x, mut y) = (gpu.slice(&[1.0f32; 8]), gpu.slice(&[0.0f32; 8]));
        kernels.kernel(launch::axpy).unwrap().launch(&gpu, 1, (2.0, &x, &mut y)).unwrap();
        assert_eq!(y.to_vec(), [2.0; 8]);
    }
}

#[test]
fn what_no_gpu_launches_is_refused() {
    let gpu = Emulator::new();
    let kernels = gpu.load(&[("sm_90a", OPTIMIZED.as_bytes())]).unwrap();
    let axpy = kernels.kernel(launch::axpy).unwrap();
    let (x, mut y) = (gpu.slice(&[0.0f32; 8]), gpu.slice(&[0.0f32; 8]));
    let mut refused = |grid: Grid| axpy.launch(&gpu, grid, (1.0, &x, &mut y)).unwrap_err().to_string();
    for (grid, says) in [
        (Grid::new(0), "the grid (0, 1, 1) has an extent of 0"),
        (Grid::new(32).cluster(32), "16"),
        (Grid::new(3).cluster(2), "(3, 1, 1)"),
        (Grid::new(1).dynamic_shared(180 * 1024), "232448"),
    ] {
        let refused = refused(grid);
        assert!(refused.starts_with("cannot launch kernel `axpy`: ") && refused.contains(says), "{refused}");
    }
}

#[test]
fn an_unloaded_module_has_no_variables() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 in_global = 1;\n.const .u32 in_const = 2;\n";
    let mut device = Device::new();
    let module = device.load(text).unwrap();
    let places = ["in_global", "in_const"].map(|name| module.variable(name).unwrap());
    let mut word = [0; 4];
    for (address, value) in places.into_iter().zip([1, 2]) {
        device.read(address, &mut word).unwrap();
        assert_eq!(u32::from_le_bytes(word), value);
    }
    device.unload(module);
    assert_eq!(places.map(|address| device.read(address, &mut word)), [None, None]);
}

/// On a GPU, a fault ends the context, and with it the variables of the module.
#[test]
fn a_fault_gives_the_variables_of_the_module_their_first_values() {
    let head = OPTIMIZED.find(".entry fill(").unwrap();
    let (from, to) =
        (OPTIMIZED[head..].find('{').unwrap() + head, OPTIMIZED[head..].find("\n}").unwrap() + head);
    let body = "{ .reg .b32 %c<2>; .reg .b64 %d<1>; .reg .pred %q<2>;
        mov.u32 %c0, %tid.x; setp.ne.u32 %q0, %c0, 0; @%q0 ret;
        ld.global.u32 %c1, [launches]; setp.ne.u32 %q1, %c1, 0; @%q1 trap;
        st.global.u32 [launches], 1;
        ld.param.u64 %d0, [fill_param_0]; st.global.u32 [%d0], 7; ret;";
    let ptx = [&OPTIMIZED[..from], body, &OPTIMIZED[to..]].concat();
    let ptx = ptx.replacen(".address_size 64", ".address_size 64\n.global .u32 launches;", 1);
    let gpu = Emulator::new();
    let fill = gpu.load(&[("sm_90a", ptx.as_bytes())]).unwrap().kernel(launch::fill).unwrap();
    let to = gpu.slice(&[0u32; 1]);
    // SAFETY: the kernel runs in the interpreter, for which no address is invalid.
    let launch = |address: u64| unsafe { fill.launch_unsafe(&gpu, 1, (address, 1, 7)) };
    let wrong = launch(0x40).unwrap_err().to_string();
    assert!(wrong.contains("in no allocation"), "{wrong}");
    launch(to.address()).unwrap();
    let again = launch(to.address()).unwrap_err().to_string();
    assert!(again.contains("`trap` in `fill`"), "{again}");
}

#[test]
fn a_wrong_launch_and_a_wrong_kernel_are_errors() {
    let gpu = Emulator::new();
    let kernels =
        gpu.load(&[("sm_100a", b"\x7fELF\xff".as_slice()), ("sm_90a", OPTIMIZED.as_bytes())]).unwrap();
    let fill = kernels.kernel(launch::fill).unwrap();
    // SAFETY: the kernel runs in the interpreter, for which no address is invalid.
    let wrong = unsafe { fill.launch_unsafe(&gpu, 1, (0x40u64, 100, 7)) }.unwrap_err().to_string();
    assert!(wrong.starts_with("schedule 0:\n") && wrong.contains("in no allocation"), "{wrong}");
    let to = gpu.slice(&[0u32; 100]);
    // SAFETY: the slice has 100 elements, which no other grid uses.
    unsafe { fill.launch_unsafe(&gpu, 1, (to.address(), 100, 7)) }.unwrap();
    assert_eq!(to.to_vec(), [7; 100]);
    let (other, x) = (Emulator::new(), gpu.slice(&[0.0f32; 8]));
    let mut y = other.slice(&[0.0f32; 8]);
    let refused = kernels.kernel(launch::axpy).unwrap().launch(&gpu, 1, (1.0, &x, &mut y)).unwrap_err();
    assert!(refused.to_string().contains("argument 2 (`y`) is memory of another emulated GPU"), "{refused}");
    let none = gpu.load(&[("sm_100a", b"\x7fELF\xff")]).unwrap_err().to_string();
    assert!(none.contains("no image of the kernels is PTX"), "{none}");
    let stale = OPTIMIZED.replace(".target sm_90a", ".target sm_90a\n.extern .func none;");
    let other = stale.replace("axpy__", "axpy_0_");
    let error = gpu.load(&[("sm_90", other.as_bytes())]).unwrap().kernel(launch::axpy).unwrap_err();
    assert!(matches!(error, Error::Fingerprint("axpy")), "{error}");
}
