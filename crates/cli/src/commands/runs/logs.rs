//! `consign runs logs RUN [STAGE]`: what the programs of a run wrote to standard error.

use consign_contracts::json::Json;
use consign_engine::{
    Data, Key, Seq,
    journal::{Body, Record},
    store,
};

use super::{find, form};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, printable, styled},
};

const HELP: &str = "\
What the programs of a run wrote to their standard error, also those that succeeded, in the order in which they \
ended: the last 16 KiB of each. With STAGE only what that stage's program wrote. Each line has the name of its call \
before it, unless STAGE is given. With --json each attempt is an object with `key`, `attempt`, `ok`, `exit_code` and \
`stderr`.

Examples:
  consign runs logs 7h2k
  consign runs logs 7h2k collect
  consign runs logs 7h2k --json | jq -r 'select(.ok | not) | .stderr'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// A stage of the pipeline, or the name of a call
    stage: Option<String>,
}

/// One attempt, with the standard error of its program in `used`.
struct AttemptLog {
    key: Key,
    attempt: u32,
    ok: bool,
    used: Data,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        if row.redacted {
            return Err(store::Error::Redacted(row.id).into());
        }
        let (mut from, mut keys, mut wrote) = (Seq(0), Vec::new(), false);
        loop {
            let page = session.page(&row.id, from).await?;
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            for log in page.iter().filter_map(attempt_log) {
                if args.stage.as_deref().is_none_or(|stage| is_of(&log.key, stage)) {
                    wrote |= print(&log, args.stage.is_none(), output)?;
                }
                keys.push(log.key);
            }
        }
        if let Some(stage) = args.stage.as_deref()
            && !keys.iter().any(|key| is_of(key, stage))
        {
            return Err(unknown(stage, keys));
        }
        if !wrote && output.reader == Audience::Person {
            output.line(styled(FAINT, "nothing was written to standard error"))?;
        }
        Ok(Exit::Done)
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only what ends an attempt has a log")]
fn attempt_log(record: &Record) -> Option<AttemptLog> {
    let (key, attempt, ok, used) = match record.body().ok()?? {
        Body::CallCompleted(call) => (call.key, call.attempt, true, call.used),
        Body::CallFailed(call) => (call.key, call.attempt, false, call.used),
        Body::AttemptFailed(call) => (call.key, call.attempt, false, call.used),
        Body::AttemptLost(call) => (call.key, call.attempt, false, call.used),
        _ => return None,
    };
    Some(AttemptLog { key, attempt, ok, used: used? })
}

/// Whether a call is this one, or a turn of this stage: `plan-3` is the third turn, and `plan`'s.
fn is_of(key: &Key, stage: &str) -> bool {
    let stem = key.as_str().rsplit_once('-').filter(|(_, turn)| turn.parse::<u32>().is_ok());
    key.as_str() == stage || stem.is_some_and(|(stem, _)| stem == stage)
}

/// Says whether there was anything to print.
fn print(log: &AttemptLog, named: bool, output: &mut Output) -> Result<bool, Error> {
    let used = log.used.shown();
    let Some(said) = used.get("stderr").and_then(Json::as_str) else { return Ok(false) };
    if output.reader == Audience::Program {
        output.object(form::object([
            ("key", form::text(&log.key)),
            ("attempt", Json::Number(u64::from(log.attempt).into())),
            ("ok", Json::Bool(log.ok)),
            ("exit_code", used.get("exit_code").cloned().map_or(Json::Null, Json::into_owned)),
            ("stderr", form::text(said)),
        ]))?;
        return Ok(true);
    }
    for line in said.lines() {
        let line = printable(line);
        output.line(match named {
            true => format!("{} {line}", styled(FAINT, format!("{} |", log.key))),
            false => line.to_string(),
        })?;
    }
    Ok(!said.is_empty())
}

fn unknown(stage: &str, mut keys: Vec<Key>) -> Error {
    keys.dedup();
    let told = format!("no program of stage {stage:?} has ended in this run");
    let known: Vec<_> = keys.iter().map(Key::as_str).collect();
    let error = Error::usage("UNKNOWN_STAGE", told);
    match known.is_empty() {
        true => error.hint("no program has ended in it"),
        false => error.hint(format!("these have: {}", known.join(", "))),
    }
}
