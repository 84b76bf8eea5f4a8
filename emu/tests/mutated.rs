//! A sample of the inputs of `cargo run --release -p ptx-emu --example mutate`.

#[allow(dead_code)] // Other tests launch the cases.
#[path = "support/case.rs"]
mod case;
#[path = "support/mutated.rs"]
mod mutated;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ptx_emu::Device;

use mutated::{Outcome, input, load_and_run, seeds};

#[test]
fn no_input_ends_the_interpreter_or_takes_long() {
    let seeds = seeds();
    for (number, seed) in seeds.iter().enumerate() {
        let loaded = Device::new().load(seed);
        loaded.unwrap_or_else(|error| panic!("a seed is refused: {error}\n{}", &seed[..200]));
        assert_eq!(load_and_run(seed, number as u64, 2000), Outcome::Ran, "{seed}");
    }
    let mut counts = [0; 3];
    for number in 0..600 {
        let text = input(&seeds, number);
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| load_and_run(&text, number, 2000)));
        let outcome = outcome.unwrap_or_else(|_| panic!("input {number} panics:\n{text}"));
        assert!(start.elapsed() < Duration::from_secs(5), "input {number} takes {:?}", start.elapsed());
        counts[outcome as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 0) || counts[2] > 100, "{counts:?}");
}
