use std::collections::BTreeMap;
fn main() {
    let mut problems: BTreeMap<String, usize> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        if path.contains("golden/raw") {
            for line in text.lines().filter(|l| !l.starts_with("//")) {
                let module = format!(
                    ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k() {{ .reg .b8 %b; .reg .b16 %rs; .reg .b32 %r; .reg .b64 %rd; .reg .b128 %rq; .reg .pred %p; .reg .f32 %f; .reg .f64 %fd;\n{line}\n }}"
                );
                match ptx_emu::parse::parse(&module) {
                    Ok(m) => {
                        if let Err(e) = ptx_emu::program::Program::new(m) {
                            *problems.entry(format!("{path} {e}")).or_default() += 1;
                        }
                    }
                    Err(e) => {
                        *problems.entry(format!("{path} {e}")).or_default() += 1;
                    }
                }
            }
            continue;
        }
        match ptx_emu::parse::parse(&text) {
            Ok(m) => match ptx_emu::program::Program::new(m) {
                Ok(p) => println!("{path}: {} {}", p.functions.len(), p.constants.len()),
                Err(e) => println!("{path} {e}"),
            },
            Err(e) => println!("{path}: {e}"),
        }
    }
    for (p, n) in problems {
        println!("{n} {p}");
    }
}
