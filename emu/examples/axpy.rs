use ptx_emu::device::{Device, lay_out};
use ptx_emu::machine::{Launch, Options};
use ptx_emu::schedule::Schedule;
fn main() {
    let text = std::fs::read_to_string("/tmp/ptx/kernels.ptx").unwrap();
    let kernel = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).map_or(50000, |n| n.parse().unwrap());
    let seeds: u64 = std::env::args().nth(3).map_or(10, |n| n.parse().unwrap());
    let check = std::env::args().nth(4).is_none();
    let mut instructions = 0;
    let mut time = 0.0;
    for seed in 0..seeds {
        let mut device = Device::new();
        let module = device.load(&text).unwrap();
        let x = device.allocate(4 * n);
        let y = device.allocate(4 * n);
        let xs: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let ys: Vec<u8> = (0..n).flat_map(|i| (2.0 * i as f32).to_le_bytes()).collect();
        device.write(x, &xs).unwrap();
        device.write(y, &ys).unwrap();
        let params = lay_out(
            module.parameters(&kernel).unwrap(),
            &[&3f32.to_le_bytes(), &x.to_le_bytes(), &y.to_le_bytes(), &(n as u64).to_le_bytes()],
        );
        let shared = if kernel == "axpy_bulk" { 57360 } else { 0 };
        let launch = Launch {
            grid: [4, 1, 1],
            block: [256, 1, 1],
            cluster: [1, 1, 1],
            dynamic_shared: shared + 128,
            params,
        };
        let options = Options { schedule: Schedule::of(seed), check, ..Options::default() };
        let start = std::time::Instant::now();
        let report = device.launch(&module, &kernel, &launch, &options).unwrap();
        instructions += report.instructions;
        time += start.elapsed().as_secs_f64();
        for finding in &report.findings {
            println!("{finding}");
        }
        if let Some(fault) = &report.fault {
            println!("fault: {fault}");
        }
        let mut out = vec![0; 4 * n];
        device.read(y, &mut out).unwrap();
        let wrong = out
            .chunks(4)
            .enumerate()
            .filter(|(i, c)| f32::from_le_bytes((*c).try_into().unwrap()) != 5.0 * *i as f32)
            .count();
        if wrong > 0 {
            println!("seed {seed}: {wrong} wrong");
        }
    }
    println!("{} M/s", instructions as f64 / time / 1e6);
}
