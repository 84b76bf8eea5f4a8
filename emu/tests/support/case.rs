//! The kernels of `findings/`.

use std::path::Path;

use ptx_emu::{Device, Launch, Module, Readings, lay_out};

const BYTES: usize = 4096;
const REGISTERS: &str = "{
    .reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0; ld.param.u64 %rd7, [object]; cvta.to.global.u64 %rd7, %rd7;";

/// The PTX of a case: without the lines that end in `without`. A line that begins with `.max` is a directive of the kernel.
fn ptx(text: &str, without: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.ends_with(without)).collect();
    let is_directive = |line: &&str| line.starts_with(".max");
    let directives: Vec<_> = lines.iter().copied().filter(is_directive).collect();
    let lines: Vec<_> = lines.iter().copied().filter(|line| !is_directive(line)).collect();
    let directives = directives.join(" ").replace("//fixed", "").replace("//broken", "");
    let entry = format!(".visible .entry k(.param .u64 out, .param .u64 object) {directives} {REGISTERS}");
    let body = lines.join("\n").replace("k(out) {", &entry);
    let target = if body.contains("tcgen05") { "sm_100a" } else { "sm_90a" };
    format!(".version 8.6\n.target {target}\n.address_size 64\n{body}\n")
}

/// The number behind a word of the case's first line.
fn number(line: &str, word: &str) -> Option<u32> {
    let rest = line.split(word).nth(1)?.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A kernel with a mistake, and its cure.
pub struct Case {
    pub name: String,
    pub text: String,
}

impl Case {
    /// The first line: the launch and the finding.
    pub fn header(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The readings of the ISA.
    pub fn readings(&self) -> Readings {
        if self.header().contains("by the strictest readings") {
            Readings::strictest()
        } else {
            Readings::default()
        }
    }

    /// Returns the PTX without the lines that end in `without`.
    pub fn ptx(&self, without: &str) -> String {
        ptx(&self.text, without)
    }

    /// Makes a device, the module without the lines that end in `without`, and the launch. `%rd0` is the address of memory,
    /// `%rd7` that of a multicast object of the same memory.
    pub fn prepare(&self, without: &str) -> (Device, Module, Launch) {
        let ptx = self.ptx(without);
        let mut device = Device::new();
        let module = device.load(&ptx).unwrap_or_else(|error| panic!("{}: {error}\n{ptx}", self.name));
        let memory = device.allocate(BYTES);
        device.write(memory, &[0; BYTES]).expect("the memory is allocated");
        let object = device.multicast(&[memory], BYTES);
        let arguments = [&memory.to_le_bytes()[..], &object.to_le_bytes()];
        let params = lay_out(module.parameters("k").expect("the kernel is `k`"), &arguments);
        let extent = |word| number(self.header(), word);
        let cluster = [extent("cluster").unwrap_or(1), 1, 1];
        let launch = Launch::new(extent("grid").expect("a grid"), extent("block").expect("a block"));
        (device, module, Launch { cluster, params, ..launch })
    }
}

/// All cases, by name.
pub fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let case = |path: &std::path::PathBuf| Case {
        name: path.file_stem().unwrap().to_str().unwrap().into(),
        text: std::fs::read_to_string(path).unwrap(),
    };
    paths.iter().map(case).collect()
}
