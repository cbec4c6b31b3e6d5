//! Recordings as text that trace viewers open.

use std::io::{self, Write};

use super::{Recording, SpanDetail, SpanRecord};

impl Recording {
    /// Writes the Trace Event format, JSON that chrome://tracing and ui.perfetto.dev open: a lane per thread, times
    /// in µs with ns behind the point, a complete event (`"ph": "X"`) per span. Parts of a stage have the category
    /// `parts` and say which; named spans have the category `span`. `otherData` says how many spans found no room.
    ///
    /// # Errors
    /// What `out` refuses.
    pub fn write_chrome_trace(&self, process: &str, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"dropped_spans\":{}}},", self.dropped())?;
        write!(out, "\"traceEvents\":[\n{}", metadata("process_name", 0, process))?;
        for (thread, lane) in self.lanes.iter().enumerate() {
            let name = if thread == 0 { "calling thread".into() } else { format!("worker {thread}") };
            write!(out, ",\n{}", metadata("thread_name", thread, &name))?;
            for span in &lane.spans {
                out.write_all(b",\n")?;
                write_span(span, thread, out)?;
            }
        }
        out.write_all(b"\n]}\n")
    }
}

fn metadata(what: &str, thread: usize, name: &str) -> String {
    let name = quoted(name);
    format!("{{\"name\":\"{what}\",\"ph\":\"M\",\"pid\":1,\"tid\":{thread},\"args\":{{\"name\":{name}}}}}")
}

fn write_span(span: &SpanRecord, thread: usize, out: &mut impl Write) -> io::Result<()> {
    let (name, start, length) = (quoted(span.name), span.start.as_nanos(), span.length.as_nanos());
    let (start, start_ns) = (start / 1000, start % 1000);
    let (length, length_ns) = (length / 1000, length % 1000);
    let category = if matches!(span.detail, SpanDetail::Parts(_)) { "parts" } else { "span" };
    write!(
        out,
        "{{\"name\":{name},\"cat\":\"{category}\",\"ph\":\"X\",\"pid\":1,\"tid\":{thread},\
         \"ts\":{start}.{start_ns:03},\"dur\":{length}.{length_ns:03}"
    )?;
    match &span.detail {
        SpanDetail::Named => out.write_all(b"}"),
        SpanDetail::Numbered(number) => write!(out, ",\"args\":{{\"number\":{number}}}}}"),
        SpanDetail::Parts(parts) => {
            write!(out, ",\"args\":{{\"first\":{},\"count\":{}}}}}", parts.start, parts.len())
        }
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted += &format!("\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a \"b\" \\ \n"), r#""a \"b\" \\ \u000a""#);
    }
}
