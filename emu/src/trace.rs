//! A trace of a run for a viewer of trace events (Perfetto, `chrome://tracing`): threads, copies and mbarrier phases on a time
//! line whose unit is an executed instruction.

use std::fmt::Write;

/// A row of the time line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Row {
    /// A thread of a block.
    Thread(u32, u32),
    /// Asynchronous operations that a thread has issued.
    Copies(u32, u32),
    /// An mbarrier of a block, by its address.
    Mbarrier(u32, u32),
}

impl Row {
    /// Returns the process and the thread of the viewer: a block, and a row of the block.
    fn place(self) -> (u32, u32) {
        match self {
            Self::Thread(cta, thread) => (cta, 10 * thread),
            Self::Copies(cta, thread) => (cta, 10 * thread + 1),
            Self::Mbarrier(cta, address) => (cta, 1 << 24 | address),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Thread(_, thread) => format!("thread {thread}"),
            Self::Copies(_, thread) => format!("copies of thread {thread}"),
            Self::Mbarrier(_, address) => format!("mbarrier {address:#x}"),
        }
    }
}

/// The events of a run.
#[derive(Debug, Default)]
pub struct Trace {
    /// The row, name, start and end of each event that has ended.
    events: Vec<(Row, String, u64, u64)>,
    /// The row, name and start of each event that has begun.
    open: Vec<(Row, String, u64)>,
}

impl Trace {
    /// Begins an event.
    pub(crate) fn begin(&mut self, row: Row, name: String, now: u64) {
        self.open.push((row, name, now));
    }

    /// Ends the event that has begun last in the row.
    pub(crate) fn end(&mut self, row: Row, now: u64) {
        if let Some(at) = self.open.iter().rposition(|(other, ..)| *other == row) {
            let (row, name, start) = self.open.swap_remove(at);
            self.events.push((row, name, start, now));
        }
    }

    /// Adds an event whose start and end are known.
    pub(crate) fn span(&mut self, row: Row, name: String, start: u64, end: u64) {
        self.events.push((row, name, start, end));
    }

    /// Returns the trace as JSON, in the format of trace events.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = String::from("{\"traceEvents\":[");
        let mut rows: Vec<Row> = self.events.iter().map(|(row, ..)| *row).collect();
        rows.sort_by_key(|row| row.place());
        rows.dedup();
        let mut first = true;
        let mut separate = |json: &mut String| {
            json.push_str(if std::mem::take(&mut first) { "\n" } else { ",\n" });
        };
        for row in rows {
            let (pid, tid) = row.place();
            separate(&mut json);
            let _ = write!(
                json,
                "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"name\":\"{}\"}}}}",
                row.name()
            );
        }
        for (row, name, start, end) in &self.events {
            let (pid, tid) = row.place();
            let name = name.replace(['"', '\\', '\n'], " ");
            let duration = (end - start).max(1);
            separate(&mut json);
            let _ = write!(
                json,
                "{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\"dur\":{duration}}}"
            );
        }
        json.push_str("\n]}\n");
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_row_end_in_their_order() {
        let mut trace = Trace::default();
        let row = Row::Mbarrier(0, 0x400);
        trace.begin(row, "phase \"0\"".into(), 3);
        trace.end(row, 7);
        trace.end(row, 9);
        let json = trace.to_json();
        assert!(
            json.contains(
                "{\"ph\":\"X\",\"name\":\"phase  0 \",\"pid\":0,\"tid\":16778240,\"ts\":3,\"dur\":4}"
            ),
            "{json}"
        );
        assert!(json.contains("\"args\":{\"name\":\"mbarrier 0x400\"}"), "{json}");
        assert_eq!(json.matches("\"ph\":\"X\"").count(), 1);
    }
}
