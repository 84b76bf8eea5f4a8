//! Progress of long steps: a spinner on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::LazyLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The shortest duration of a step that prints a line.
const WORTH_A_LINE: Duration = Duration::from_secs(2);

/// Runs `work` and shows its progress: on a terminal a spinner with the time, elsewhere a line after two seconds and another at
/// the end.
pub fn step<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if std::io::stderr().is_terminal() { with_spinner(what, work) } else { with_lines(what, work) }
}

fn with_spinner<T>(what: &str, work: impl FnOnce() -> T) -> T {
    // Steps may run side by side, each on its own line.
    static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);
    let bar = BARS.add(ProgressBar::new_spinner().with_message(what.to_owned()));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let result = work();
    if bar.elapsed() > WORTH_A_LINE {
        bar.println(format!("{what}: {:.1} s", bar.elapsed().as_secs_f32()));
    }
    bar.finish_and_clear();
    result
}

fn with_lines<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            if waiting.recv_timeout(WORTH_A_LINE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("{what} …");
                // `recv` returns when `done` is dropped, on return and on panic.
                let _ = waiting.recv();
                eprintln!("{what}: {:.1} s", start.elapsed().as_secs_f32());
            }
        });
        let _done = done;
        work()
    })
}
