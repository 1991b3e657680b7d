//! Turns the end of a program into a reply or a fault whose message says what to do.

use std::time::Duration;

use consign_contracts::json;
use consign_engine::{Data, Effect, Failure, Fault, FaultClass, Nanos, Reply};

use super::{Definition, keeper::End, supervised::EVIDENCE};
use crate::outside::{Heard, Secrets, broken_off, free, last, quoted, size};

/// How many bytes of stderr go into the fault.
const LAST_WORDS: usize = 2000;

/// The exit code of sysexits.h that means "try again later".
const TEMPORARY: i32 = 75;

/// Why a program was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Cancelled,
    Timeout,
    Output,
    Memory(u64),
    Processes(usize),
}

pub(super) struct Verdict {
    what: What,
    stderr: Heard,
}

enum What {
    /// How it ended (`None` if its keeper was killed), and its stdout (`None` if that was too
    /// much).
    Ended(Option<End>, Option<Vec<u8>>),
    Cut(Cut),
}

/// What else the journal keeps.
pub(super) struct Evidence {
    pub(super) took: Duration,
    pub(super) peak: Option<u64>,
    pub(super) secrets: Secrets,
}

impl Verdict {
    pub(super) fn not_started(why: String) -> Self {
        Self { what: What::Ended(Some(End::NotStarted(why)), None), stderr: Heard::default() }
    }

    pub(super) fn ended(end: Option<End>, said: Option<Vec<u8>>, stderr: Heard) -> Self {
        Self { what: What::Ended(end, said), stderr }
    }

    pub(super) fn cut(cut: Cut, stderr: Heard) -> Self {
        Self { what: What::Cut(cut), stderr }
    }

    pub(super) fn result(
        self,
        definition: &Definition,
        effect: Effect,
        evidence: &Evidence,
    ) -> Result<Reply, Failure> {
        let note = self.note(evidence);
        let said = last(&self.stderr, LAST_WORDS, &evidence.secrets);
        let fault = match self.what {
            What::Ended(Some(End::NotStarted(why)), _) => {
                let fault = not_started(definition, &why);
                return Err(Failure::new(fault, Some(Nanos::ZERO)).with_note(note));
            }
            What::Ended(Some(End::Exited(0)), Some(said)) if definition.text => {
                // Most programs that write text end it with a line break that nobody means.
                let said = String::from_utf8_lossy(&said);
                let output = Data::of(&serde_json::json!({ "text": said.trim_end() }));
                return Ok(Reply::new(output, definition.max_cost).with_note(note));
            }
            What::Ended(Some(End::Exited(0)), Some(said)) => {
                let (plain, begins) = (is_plain(&said), beginning(&said, &evidence.secrets));
                match parse(said) {
                    Ok(output) => {
                        let cost = definition.max_cost;
                        return Ok(Reply::new(output, cost).with_note(note));
                    }
                    Err(why) => invalid(effect, &why, plain, &begins),
                }
            }
            What::Ended(Some(End::Exited(0)), None) => cut_off(Cut::Output, definition, effect),
            What::Ended(Some(End::Exited(code)), _) => exited(effect, code),
            What::Ended(Some(End::Signalled(signal)), _) => killed(effect, Some(signal)),
            What::Ended(None, _) => killed(effect, None),
            What::Cut(cut) => cut_off(cut, definition, effect),
        };
        // Where no journal keeps the note, whoever has to mend the program needs its last words all the same.
        let fault = match said.trim() {
            "" => fault,
            said => fault.with_details(Data::of(&serde_json::json!({ "stderr": said }))),
        };
        // It ran, and what that costs is not measured.
        Err(Failure::new(fault, free(definition.max_cost)).with_note(note))
    }

    fn note(&self, evidence: &Evidence) -> Data {
        let (code, signal) = match &self.what {
            What::Ended(Some(End::Exited(code)), _) => (Some(*code), None),
            What::Ended(Some(End::Signalled(signal)), _) => (None, Some(*signal)),
            What::Ended(Some(End::NotStarted(_)) | None, _) | What::Cut(_) => (None, None),
        };
        Data::of(&serde_json::json!({
            "stderr": last(&self.stderr, EVIDENCE, &evidence.secrets),
            "exit_code": code,
            "signal": signal,
            "duration_ms": u64::try_from(evidence.took.as_millis()).unwrap_or(u64::MAX),
            "peak_memory": evidence.peak,
            "cost_assumed": true,
        }))
    }
}

fn parse(said: Vec<u8>) -> Result<Data, json::Malformed> {
    match String::from_utf8(said) {
        Ok(text) => Data::parse(text),
        // The strict reader says where it is none.
        Err(broken) => json::parse(broken.as_bytes()).map(|tree| Data::from(&tree)),
    }
}

fn not_started(definition: &Definition, why: &str) -> Fault {
    let program = definition.command.first().map_or("nothing", String::as_str);
    let place = match &definition.directory {
        Some(directory) => format!(" in {}", directory.display()),
        None => String::new(),
    };
    let message = format!(
        "could not start {program:?}{place}: {why}; check that the program is installed and may be \
         run, and that the directory is there"
    );
    Fault::permanent("SUBPROCESS_NOT_STARTED", message)
}

/// Another try may help. What a program has done before it failed is not known.
fn exited(effect: Effect, code: i32) -> Fault {
    if code == TEMPORARY {
        let message = "the program ended with exit code 75: try again later";
        return Fault::transient("EXIT_STATUS", message);
    }
    let message = format!("the program ended with exit code {code}; its stderr says more");
    let fault = broken_off(effect, FaultClass::Transient, "EXIT_STATUS", message);
    // When the tries are used up, the program has to be mended.
    Fault { recoverable: false, ..fault }
}

fn killed(effect: Effect, signal: Option<i32>) -> Fault {
    let message = match signal {
        Some(signal) => {
            format!("the program was ended by {}; its stderr may say more", name(signal))
        }
        None => {
            "the process that supervises the program was killed, so the rest of the program was \
                 killed too"
                .to_owned()
        }
    };
    broken_off(effect, FaultClass::Transient, "SUBPROCESS_KILLED", message)
}

/// Whether the output is plain text that was never meant to be JSON.
fn is_plain(said: &[u8]) -> bool {
    let first = said.trim_ascii_start().first();
    first.is_some_and(|first| !b"{[\"".contains(first))
}

/// The first words of the output, quoted; empty if there is none.
fn beginning(said: &[u8], secrets: &Secrets) -> String {
    quoted(said, secrets).map_or_else(String::new, |words| format!("; it begins with {words}"))
}

fn invalid(effect: Effect, why: &json::Malformed, plain: bool, begins: &str) -> Fault {
    let hint = if plain { "; if plain text is its result, set answers = \"text\"" } else { "" };
    let message = format!(
        "the program ended with exit code 0, but its stdout is not one JSON value: {why}{begins}; it must write \
         its result there and nothing else: other output belongs on stderr{hint}"
    );
    broken_off(effect, FaultClass::Permanent, "SUBPROCESS_INVALID", message)
}

pub(crate) fn cut_off(cut: Cut, definition: &Definition, effect: Effect) -> Fault {
    let (code, class, message) = match cut {
        Cut::Cancelled => (
            "SUBPROCESS_CANCELLED",
            FaultClass::Transient,
            "the program was stopped because its result is no longer needed".to_owned(),
        ),
        Cut::Timeout => (
            "SUBPROCESS_TIMEOUT",
            FaultClass::Transient,
            format!(
                "the program was stopped because it took longer than {:?}; its stderr may say what \
                 it waited for; raise its timeout if it needs more",
                definition.timeout
            ),
        ),
        Cut::Output => (
            "SUBPROCESS_OUTPUT",
            FaultClass::Permanent,
            format!(
                "the program was stopped because it wrote more than {} to stdout; let it write less, \
                 or raise its limit on output",
                size(definition.output)
            ),
        ),
        Cut::Memory(used) => (
            "SUBPROCESS_MEMORY",
            FaultClass::Permanent,
            format!(
                "the program was stopped because it and what it started used {} of memory; the limit \
                 is {}; give it less to do, or raise its limit on memory",
                size(used),
                size(definition.memory)
            ),
        ),
        Cut::Processes(count) => (
            "SUBPROCESS_PROCESSES",
            FaultClass::Permanent,
            format!(
                "the program was stopped because it had {count} processes; the limit is {}, and cannot \
                 be raised; let it start fewer",
                definition.processes
            ),
        ),
    };
    broken_off(effect, class, code, message)
}

/// The signals that programs die of.
fn name(signal: i32) -> String {
    let name = match signal {
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("{name} (signal {signal})")
}
