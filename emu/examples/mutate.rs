use ptx_emu::device::{Device, lay_out};
use ptx_emu::machine::{Launch, Options};
use ptx_emu::schedule::Schedule;
fn main() {
    let text = std::fs::read_to_string("/tmp/ptx/kernels.ptx").unwrap();
    let kernel = "axpy_bulk";
    let n = 30000usize;
    let lines = Device::new().load(&text).unwrap().ordering_lines(kernel);
    for line in lines {
        let mut verdict = "MISSED".to_owned();
        for seed in 0..20 {
            let mut device = Device::new();
            let mut module = device.load(&text).unwrap();
            module.remove(line);
            let x = device.allocate(4 * n);
            let y = device.allocate(4 * n);
            let xs: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
            let ys: Vec<u8> = (0..n).flat_map(|i| (2.0 * i as f32).to_le_bytes()).collect();
            device.write(x, &xs).unwrap();
            device.write(y, &ys).unwrap();
            let params = lay_out(
                module.parameters(kernel).unwrap(),
                &[&3f32.to_le_bytes(), &x.to_le_bytes(), &y.to_le_bytes(), &(n as u64).to_le_bytes()],
            );
            let launch = Launch {
                grid: [2, 1, 1],
                block: [256, 1, 1],
                cluster: [1, 1, 1],
                dynamic_shared: 57488,
                params,
            };
            let options = Options {
                schedule: Schedule::of(seed),
                limit: 100_000_000,
                findings: 1,
                ..Options::default()
            };
            let report = device.launch(&module, kernel, &launch, &options).unwrap();
            if let Some(finding) = report.findings.first() {
                verdict = format!("seed {seed}: {finding}");
                break;
            }
            if let Some(fault) = report.fault {
                verdict = format!("seed {seed}: fault {fault}");
                break;
            }
            let mut out = vec![0; 4 * n];
            device.read(y, &mut out).unwrap();
            if out
                .chunks(4)
                .enumerate()
                .any(|(i, c)| f32::from_le_bytes(c.try_into().unwrap()) != 5.0 * i as f32)
            {
                verdict = format!("seed {seed}: wrong result");
                break;
            }
        }
        println!("{line}: {}\n   -> {verdict}", text.lines().nth(line as usize - 1).unwrap().trim());
    }
}
