//! The log: what the events of our crates become on standard error.
//!
//! [`LogOptions::read`] takes what the user asked for, [`install`] sets up the one subscriber of this process (or none,
//! if nothing is wanted), and [`finish`] waits until what was told is written. Events of other crates are never shown:
//! they may hold the headers and bodies of requests.
//!
//! Lines are written by a thread of their own, so that a reader of standard error who does not read holds up nothing.

mod directives;
mod fields;
mod form;
mod layer;
mod line_queue;

use std::{
    env,
    io::{self, Write},
    sync::OnceLock,
    time::Duration,
};

use tracing_subscriber::{Registry, filter::LevelFilter, layer::SubscriberExt};

use self::{directives::Directives, form::Form, layer::LogLayer, line_queue::LineQueue};
use crate::{error::Error, live};

const LEVEL: &str = "CONSIGN_LOG";
const FORMAT: &str = "CONSIGN_LOG_FORMAT";

/// How long what was told may take to be written at the end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// What the user wants of the log.
pub(crate) struct LogOptions {
    directives: Directives,
    form: Form,
}

/// What a command line says about the log, and what follows where it says nothing.
pub(crate) struct Wanted<'a> {
    pub(crate) level: Option<&'a str>,
    pub(crate) format: Option<LogFormat>,
    pub(crate) usual_level: LevelFilter,
    pub(crate) usual_format: LogFormat,
    pub(crate) color: bool,
}

impl LogOptions {
    /// The options of the command line, else those of the environment, else the usual ones.
    pub(crate) fn read(wanted: &Wanted<'_>) -> Result<Self, Error> {
        let of_env = variable(LEVEL)?;
        let level = match (wanted.level, &of_env) {
            (Some(level), _) => Some((level, "--log")),
            (None, Some(level)) => Some((level.as_str(), LEVEL)),
            (None, None) => None,
        };
        let directives = match level {
            Some((text, place)) => text.parse().map_err(|why: directives::Invalid| {
                Error::usage("USAGE", format!("{place}: {}", why.message)).hint(why.hint)
            })?,
            None => Directives::all(wanted.usual_level),
        };
        let format = match (wanted.format, variable(FORMAT)?) {
            (Some(format), _) => format,
            (None, Some(text)) => clap::ValueEnum::from_str(&text, true).map_err(|_| {
                Error::usage("USAGE", format!("{FORMAT}: {text:?} is not a format of logs"))
                    .hint("formats are text and json")
            })?,
            (None, None) => wanted.usual_format,
        };
        Ok(Self { directives, form: Form { format, color: wanted.color } })
    }
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Result<Option<String>, Error> {
    match env::var(name) {
        Ok(text) if !text.is_empty() => Ok(Some(text)),
        Ok(_) | Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Error::usage("USAGE", format!("{name} is not UTF-8")).hint("unset it"))
        }
    }
}

static FORM: OnceLock<Form> = OnceLock::new();
/// It begins with the first line: most commands have none.
static LINES: OnceLock<LineQueue> = OnceLock::new();

/// Listens to the events of this process from now on.
pub(crate) fn install(options: &LogOptions) {
    let _ = FORM.set(options.form);
    if options.directives.are_off() {
        return;
    }
    let layer = LogLayer::new(options.form, |line| lines().push(line));
    let subscriber = Registry::default().with(options.directives.filter()).with(layer);
    // It fails only where there is one already.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes a line that is no log, in its turn and without waiting for it.
pub(crate) fn line(text: impl Into<String>) {
    lines().push(text.into());
}

fn lines() -> &'static LineQueue {
    LINES.get_or_init(|| {
        let form = FORM.get().copied().unwrap_or_default();
        LineQueue::start(
            |text| {
                // There is no other place to tell of a failure.
                let _ = io::stderr().lock().write_all(text.as_bytes());
                live::disturb();
            },
            move |lines| form.left_out(lines),
        )
    })
}

/// Waits until all is written, but not for a reader who does not read.
pub(crate) fn finish() {
    if let Some(lines) = LINES.get() {
        lines.finish(LAST_WORDS);
    }
}
