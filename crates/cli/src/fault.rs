//! Errors of the engine and its store, as errors of the command line: the one table.

use consign_app::Refused;
use consign_contracts::json::Json;
use consign_engine::{
    Data, Fault,
    store::{self, Refusal},
};

use crate::{
    error::Error,
    handles,
    no_key::{self, Missing},
    text::{one_line, shortened},
};

impl From<consign_app::Error> for Error {
    fn from(error: consign_app::Error) -> Self {
        match error {
            consign_app::Error::Engine(error) => error.into(),
            consign_app::Error::Refused(refused) => (*refused).into(),
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        let Refused { code, message, lines, hint, details, is_usage } = refused;
        let hint = hint.or_else(|| self::hint(&code, &message).map(str::to_owned));
        let error = match is_usage {
            true => Self::usage(code, message),
            false => Self::new(code, message),
        };
        let error = error.listing(lines).details(details);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl From<consign_engine::Error> for Error {
    fn from(error: consign_engine::Error) -> Self {
        match error {
            consign_engine::Error::Fault(fault) => Self::from(&fault),
            consign_engine::Error::Store(error) => error.into(),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let told = error.to_string();
        match error {
            store::Error::Refused(refusal) => refused(&refusal),
            store::Error::NotFound(_) => not_found(told),
            store::Error::Exists(_) => Self::new("RUN_EXISTS", told),
            store::Error::Redacted(_) => Self::new("RUN_REDACTED", told)
                .hint("`consign runs show RUN` shows what is kept of it"),
            store::Error::Damaged(_) => Self::new("STORE_DAMAGED", told).hint(DAMAGED),
            store::Error::Unavailable(_) => {
                let hint = handles::hint(&told);
                let hint = hint.unwrap_or("`consign doctor` looks at the directory".to_owned());
                Self::new("STORE_UNAVAILABLE", told).hint(hint)
            }
            store::Error::Lost(_) => Self::new("STORE_LOST", told).hint(
                "what was confirmed before this is kept. If it is the disk, look after that before \
                 anything else; then start again",
            ),
        }
    }
}

/// The database, its log and the folder of large values belong together.
pub(crate) const DAMAGED: &str = "nothing was changed. Stop every consign and copy the whole directory first (`consign doctor` \
     names it), then put a backup in its place. Without one, `sqlite3 consign.db .recover` (or `.dump`) \
     in the copy shows what can still be read. If only some runs are hurt, `consign runs verify --all` \
     names them";

pub(crate) fn not_found(told: String) -> Error {
    Error::new("RUN_NOT_FOUND", told).hint("`consign runs list` shows all")
}

fn refused(refusal: &Refusal) -> Error {
    let told = refusal.to_string();
    match refusal {
        Refusal::Held { .. } => Error::new("RUN_HELD", told)
            .hint("`consign runs watch RUN` shows what it does; `consign runs cancel RUN` ends it"),
        Refusal::Closed => {
            Error::new("INVALID_STATE", told).hint("`consign runs show RUN` shows how it ended")
        }
        Refusal::Open => Error::new("INVALID_STATE", told)
            .hint("wait for its end, or end it with `consign runs cancel RUN`"),
        Refusal::OverCap { .. } => Error::new("LIMIT_OWNER", told)
            .hint("`consign budget set OWNER --cost USD` sets a higher one"),
        Refusal::Moved { .. } | Refusal::Fenced | Refusal::NotOpen => {
            Error::new("RUN_MOVED", told).hint("another process changed it first; look again")
        }
    }
}

/// The code of a fault is its own; what is known of the usual ones goes into the hint.
impl From<&Fault> for Error {
    fn from(fault: &Fault) -> Self {
        let told = in_our_words(fault);
        let cause = cause(fault).filter(|cause| !told.contains(cause));
        let error = Self::new(fault.code.clone(), told).listing(cause).listing(breaches(fault));
        let error = match fault.details.as_ref().map(|details| details.shown().into_owned()) {
            Some(Json::Object(details)) => error.details(details),
            Some(other) => error.detail("value", other),
            None => error,
        };
        match stage_hint(fault).or_else(|| hint(&fault.code, &fault.message)) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// What is known of what failed a stage of a pipeline.
fn stage_hint(fault: &Fault) -> Option<&'static str> {
    let details = fault.details.as_ref()?.shown();
    let errors = details.get("envelope")?.get("errors").and_then(Json::as_array);
    if details.get("stage").is_none() {
        return Some("`consign runs show RUN --json` has the envelope, under fault.details");
    }
    let message = errors.and_then(|errors| errors.last()?.get("message")?.as_str());
    hint(&fault.code, message.unwrap_or(&fault.message))
        .or(Some("mend it, and `consign runs retry RUN` goes on there: what was finished is kept"))
}

/// The message of a fault, fit for a command line.
pub(crate) fn in_our_words(fault: &Fault) -> String {
    let details = fault.details.as_ref().map(Data::shown);
    let missing = details.as_ref().map(|details| {
        let own = details.get("cause").and_then(Json::as_str);
        let errors =
            details.get("envelope").and_then(|envelope| envelope.get("errors")?.as_array());
        let of_stages =
            || no_key::missing(errors.unwrap_or_default().iter().filter_map(Json::as_object));
        own.map_or_else(of_stages, |own| vec![Missing::because(own)])
    });
    no_key::reworded(&fault.message, &missing.unwrap_or_default()).into_owned()
}

/// The hint for a breach of contract: in the input or output of an agent, or in an answer.
fn breach_hint(message: &str) -> &'static str {
    match ["the input of ", "the output of "].iter().any(|start| message.starts_with(start)) {
        true => {
            "the contract is in the definition of the agent: `consign agents show NAME`, or the file of \
             the pipeline"
        }
        false => "`consign inbox --json` shows the schema of an answer",
    }
}

fn hint(code: &str, message: &str) -> Option<&'static str> {
    match code {
        "ALREADY_ANSWERED" => Some("`consign runs show RUN --events` shows who answered what"),
        "DEADLINE_PASSED" => Some(
            "its default counts, or that no answer came: `consign runs show RUN`; `consign inbox` \
             shows what can still be answered",
        ),
        "WITHDRAWN" | "INTERACTION_NOT_FOUND" => Some("`consign inbox` shows what can be answered"),
        "NOT_PENDING" => Some(
            "the project went on without this list: `consign template status` shows what is pending, \
             and `consign template create --resume` brings the inbox up to date",
        ),
        "PROJECT_UNAVAILABLE" => {
            Some("the answer goes into the project's folder: it must be there, and be writable")
        }
        "REQUEST_INVALID" => Some("nothing was written; `consign template status` looks closer"),
        "INVALID_STATE" => Some("`consign runs show RUN` shows how it ended"),
        "INVALID_LIMIT" => {
            Some("a new limit is the whole of it, not what is added: `consign runs show RUN`")
        }
        "CONTRACT_BREACH" => Some(breach_hint(message)),
        "UNSAFE_REPEATED" => Some(
            "fork at a later point (`consign runs points RUN`), retry without --from, which asks about what is \
             unknown, or say --repeat-unsafe",
        ),
        "RUN_EXISTS" => Some(
            "another run needs another --id; `consign runs show RUN` shows this one. What a pipeline's run \
             is given is also the pipeline itself, --repo, --policy and --until",
        ),
        "AI_KEY_MISSING" => Some(
            "set the provider's variable (OPENAI_API_KEY and so on), or seal a key: `consign keys \
             set PROVIDER`",
        ),
        "AI_AUTH_ERROR" => Some("`consign keys list` shows where the key comes from"),
        "AI_MODEL_NOT_FOUND" => Some("`consign models list` shows some that there are"),
        "AI_NETWORK_ERROR" => Some(
            "`consign models test PROVIDER/MODEL` tries it alone; docs/models.md has base URLs",
        ),
        "RECORDING_MISMATCH" => Some("record it again with --record, or ask what was asked then"),
        "BUDGET_TOO_SMALL" => Some("allow more with `--cost USD`"),
        "NOT_CERTIFIED" => Some(
            "allow more with `--cost USD` and `--calls N`, give models a price \
                 (docs/models.md), or leave out `--certified`",
        ),
        _ => None,
    }
}

/// What happened, where the message only says what that means to a user.
fn cause(fault: &Fault) -> Option<String> {
    let details = fault.details.as_ref()?.shown();
    let told = details.get("cause").or(details.get("body")).and_then(Json::as_str)?;
    Some(shortened(one_line(told).trim(), 500).into_owned()).filter(|told| !told.is_empty())
}

/// Every breach that the details of a fault name and its message does not, one to a line.
fn breaches(fault: &Fault) -> Vec<String> {
    let Some(details) = &fault.details else { return Vec::new() };
    let details = details.shown();
    let listed = details.get("breaches").and_then(Json::as_array).unwrap_or_default();
    let line = |breach: &Json<'_>| {
        let text = |name: &str| breach.get(name).and_then(Json::as_str).unwrap_or_default();
        let (pointer, message) = (text("pointer"), text("message"));
        let place = if pointer.is_empty() { "(document)" } else { pointer };
        (!fault.message.contains(message)).then(|| format!("{place}: {message}"))
    };
    listed.iter().filter_map(line).collect()
}
