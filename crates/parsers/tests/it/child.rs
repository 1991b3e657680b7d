//! The process that reads: it answers as the reader does in our own process, and whatever becomes of it, we go on.

use std::{
    ffi::OsString,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use consign_parsers::{
    Limit, Limits, Options, ParseError,
    child::{Worker, parse_in_child},
    parse,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::make::{office, pdf::Maker};

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_parse-child"))
}

fn going_wrong(how: &str) -> ParseError {
    let limits = Limits { time: Duration::from_millis(500), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let file = vec![b'x'; 1 << 20];
    parse_in_child(program(), &[OsString::from(how)], &file, &options, &|| false).unwrap_err()
}

#[test]
fn one_process_reads_file_after_file_as_we_would() {
    let mut pdf = Maker::new();
    pdf.text(72.0, 80.0, 11.0, false, "Some words that are read.");
    let files = [
        pdf.finish(),
        office::docx("<w:p><w:r><w:t>Words of Word.</w:t></w:r></w:p>"),
        b"# Title\n\nMarkdown **here** and [there](x).\n\n## More\n".to_vec(),
        b"\x00\x01\x02 no document".to_vec(),
        "Plain words, größer als ASCII.".into(),
    ];
    let mut worker = Worker::new(program(), &[]);
    let mut processes = Vec::new();
    for file in &files {
        let options = Options::default();
        assert_eq!(worker.parse(file, &options, &|| false), parse(file, &options));
        processes.push(worker.id().unwrap());
    }
    processes.dedup();
    assert_eq!(processes.len(), 1);
}

#[test]
fn a_process_that_dies_fails_its_file_only() {
    let error = going_wrong("abort");
    assert!(
        matches!(&error, ParseError::Unsupported { details } if details.contains("ended on this file")),
        "{error}"
    );
    // Also where a picture of its calls would follow.
    let error = going_wrong("memory");
    assert!(matches!(error, ParseError::Limit { limit: Limit::Memory, .. }), "{error}");
    assert!(matches!(going_wrong("garbage"), ParseError::Process { .. }));
    assert!(matches!(going_wrong("silent"), ParseError::Timeout { .. }));
    let missing =
        parse_in_child(Path::new("/no/such/program"), &[], b"x", &Options::default(), &|| false);
    assert!(matches!(missing, Err(ParseError::Process { .. })));
}

#[test]
fn a_worker_starts_a_new_process_after_one_that_was_killed() {
    let mut worker = Worker::new(program(), &[]);
    let limits = Limits { time: Duration::from_millis(1), ..Limits::default() };
    let hasty = Options { limits, ..Options::default() };
    let long = "word and word again. ".repeat(400_000);
    assert!(matches!(
        worker.parse(long.as_bytes(), &hasty, &|| false),
        Err(ParseError::Timeout { .. })
    ));
    assert_eq!(worker.id(), None);
    let document = worker.parse(b"short words", &Options::default(), &|| false).unwrap();
    assert_eq!(document.text, "short words");
}

#[test]
fn a_process_lives_on_when_the_thread_ends_that_started_it() {
    let started = std::thread::spawn(|| {
        let mut worker = Worker::new(program(), &[]);
        worker.parse(b"one", &Options::default(), &|| false).unwrap();
        worker
    });
    let mut worker = started.join().unwrap();
    let first = worker.id();
    std::thread::sleep(Duration::from_millis(300));
    let document = worker.parse(b"two", &Options::default(), &|| false).unwrap();
    assert_eq!((document.text.as_str(), worker.id()), ("two", first));
}

#[test]
fn a_process_that_somebody_else_has_ended_costs_no_file() {
    let mut worker = Worker::new(program(), &[]);
    worker.parse(b"one", &Options::default(), &|| false).unwrap();
    let first = worker.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).unwrap();
    kill_process(first, Signal::KILL).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let document = worker.parse(b"two", &Options::default(), &|| false).unwrap();
    assert_eq!(document.text, "two");
}

#[test]
fn a_caller_that_stops_is_heard_soon() {
    let asked = AtomicUsize::new(0);
    let stopped = || asked.fetch_add(1, Ordering::Relaxed) > 3;
    let start = Instant::now();
    let error = parse_in_child(program(), &["silent".into()], b"x", &Options::default(), &stopped);
    assert_eq!(error, Err(ParseError::Stopped));
    assert!(start.elapsed() < Duration::from_secs(30));
}
