//! What a run waits for, and the commands that let it go on.

use consign_engine::{
    AskKind, At, Key, Limits, Nanos, Placement, RunId, Seq, Status,
    journal::Body,
    store::{InboxQuery, Interaction, Row},
};

use super::example;
use crate::{
    engine::Session,
    error::{Error, Exit},
    output::{FAINT, Output, WARN, styled},
    text::{shell_word, shortened, span},
};

/// Asks that are read at a time.
const PAGE: usize = 500;
/// Asks that people are shown at once.
const SHOWN: usize = 10;
/// How far back the reason for a reached limit is looked for.
const RECENT: u64 = 64;

/// Everything that a run asks now, oldest first.
pub(crate) async fn open(session: &Session, run: &RunId) -> Result<Vec<Interaction>, Error> {
    let mut asks: Vec<Interaction> = Vec::new();
    loop {
        let after = asks.last().map(|ask| (ask.run.clone(), ask.key.clone()));
        let query = InboxQuery { run: Some(run.clone()), after, most: PAGE, ..Default::default() };
        let page = session.store().inbox(&query).await?;
        let last = page.len() < PAGE;
        asks.extend(page);
        if last {
            return Ok(asks);
        }
    }
}

/// What a command exits with that leaves a run waiting for these.
pub(crate) fn exit(asks: &[Interaction]) -> Exit {
    if !asks.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::AgentResponse) {
        Exit::WaitsForAgent
    } else {
        Exit::WaitsForPerson
    }
}

/// Writes what a run waits for, each with the command that answers it.
pub(crate) async fn print(
    session: &Session,
    row: &Row,
    asks: &[Interaction],
    output: &mut Output,
) -> Result<(), Error> {
    for ask in asks.iter().take(SHOWN) {
        let kind = styled(WARN, format!("waits for {}", ask.kind));
        let prompt = shortened(&ask.prompt, 400);
        output.line(format!("{kind} {}: {prompt}", shell_word(ask.key.as_str())))?;
        if let Some(deadline) = ask.deadline {
            output.line(format!("  {}", until(deadline, ask, row, session.engine.now())))?;
        }
        for command in commands(session, row, ask).await? {
            output.line(format!("  {command}"))?;
        }
    }
    if asks.len() > SHOWN {
        let more = format!("… and {} more: consign inbox --run {}", asks.len() - SHOWN, row.id);
        output.line(styled(FAINT, more))?;
    }
    Ok(())
}

/// What becomes of an ask at its deadline.
pub(super) fn until(deadline: At, ask: &Interaction, row: &Row, now: At) -> String {
    let then = match &ask.default {
        Some(default) => format!("{} is taken", shortened(default.as_str(), 80)),
        None => "it counts as not answered".to_owned(),
    };
    // Nobody wakes a run that belongs to the command line.
    let when = match row.placement {
        Placement::Foreground => " when it is resumed",
        Placement::Anywhere | Placement::Host(_) => "",
    };
    if deadline <= now {
        return format!("deadline passed: it can no longer be answered; {then}{when}");
    }
    let left = span(deadline.since(now));
    format!("can be answered for another {left}, until {deadline}; then {then}{when}")
}

/// Whether it is too late to answer.
pub(crate) fn is_late(ask: &Interaction, now: At) -> bool {
    ask.deadline.is_some_and(|deadline| deadline <= now)
}

/// Whether it asks for more money of the owner, which no answer of the run's can give.
pub(crate) fn is_of_owner(ask: &Interaction) -> bool {
    ask.kind == AskKind::Limit
        && ask.schema.tree().get("properties").is_none_or(|all| all.get("cost_usd").is_none())
}

/// The commands that let the run go on, to be typed as they stand wherever that is possible.
pub(super) async fn commands(
    session: &Session,
    row: &Row,
    ask: &Interaction,
) -> Result<Vec<String>, Error> {
    if is_late(ask, session.engine.now()) {
        return Ok(match row.placement {
            Placement::Foreground => vec![format!("consign runs resume {}", row.id)],
            Placement::Anywhere | Placement::Host(_) => Vec::new(),
        });
    }
    if ask.kind == AskKind::Limit {
        return raise(session, row, ask).await.map(|command| vec![command]);
    }
    Ok(match ask.key.as_str().starts_with("@outcome:") {
        true => outcome(ask),
        false => vec![answer(ask)],
    })
}

/// Why a run that could go on does not, and who can change that.
pub(super) fn idle(row: &Row) -> Option<String> {
    match (row.status, &row.placement) {
        (Status::Queued, Placement::Foreground) => {
            Some(format!("nobody goes on with it: consign runs resume {}", row.id))
        }
        (Status::Queued, Placement::Anywhere | Placement::Host(_)) => Some(format!(
            "queued for a worker: start one with `consign worker`, or go on here with `consign \
             runs resume {}`",
            row.id
        )),
        (
            Status::Running
            | Status::Waiting
            | Status::Succeeded
            | Status::Failed
            | Status::Cancelled,
            _,
        ) => None,
    }
}

/// The command that answers an ask.
fn answer(ask: &Interaction) -> String {
    let (run, key) = (&ask.run, shell_word(ask.key.as_str()));
    match example::answer(&ask.schema) {
        Some(sample) => format!("consign runs answer {run} {key} --value {}", shell_word(&sample)),
        None => {
            let schema = shortened(ask.schema.as_str(), 200);
            format!("consign runs answer {run} {key} --value JSON   where JSON fits {schema}")
        }
    }
}

/// What can be said of a call of which nobody knows what came: a choice, since a wrong answer does
/// something twice or never.
fn outcome(ask: &Interaction) -> Vec<String> {
    let (run, key) = (&ask.run, shell_word(ask.key.as_str()));
    let values = [
        (r#"'{"outcome":"not_done"}'"#, "it had no effect, and is to be called again"),
        (r#"'{"outcome":"done","output":OUTPUT}'"#, "it had its effect, and gave OUTPUT"),
        (r#"'{"outcome":"failed","message":"…"}'"#, "it failed, and is not to be called again"),
    ];
    let choice =
        format!("consign runs answer {run} {key} --value CHOICE   look first, then choose:");
    let values = values.map(|(value, means)| format!("  {value:<38}  {means}"));
    std::iter::once(choice).chain(values).collect()
}

/// The command that raises the limit which was reached, to twice what it is.
async fn raise(session: &Session, row: &Row, ask: &Interaction) -> Result<String, Error> {
    let run = &row.id;
    let code = match is_of_owner(ask) {
        true => Some("LIMIT_OWNER".to_owned()),
        false => reached(session, row, &ask.key).await?,
    };
    let limits = session.engine.usage(run).await.map_or_else(|_| Limits::default(), |(all, _)| all);
    let twice = |cost: Option<Nanos>| {
        cost.filter(|cost| !cost.is_zero()).map_or(Nanos::new(1_000_000_000), |cost| cost.times(2))
    };
    Ok(match code.as_deref() {
        Some("LIMIT_OWNER") => {
            let account = session.store().account(&row.owner).await?;
            let owner = shell_word(row.owner.as_str()).into_owned();
            format!("consign budget set {owner} --cost {}", twice(account.cap))
        }
        Some("LIMIT_CALLS") => {
            let calls = limits.calls.unwrap_or_default().saturating_mul(2).max(1);
            format!("consign runs raise {run} --calls {calls}")
        }
        Some("LIMIT_TIME") => {
            let minutes = limits.active.unwrap_or_default().as_secs_f64() / 30.0;
            format!(
                "consign runs raise {run} --minutes {}",
                if minutes > 0.0 { minutes } else { 1.0 }
            )
        }
        Some(_) | None => format!("consign runs raise {run} --cost {}", twice(limits.cost)),
    })
}

/// Which limit an ask is about.
async fn reached(session: &Session, row: &Row, key: &Key) -> Result<Option<String>, Error> {
    let from = Seq(row.seq.0.saturating_sub(RECENT));
    let recent = session.store().events(&row.id, from, 2 * RECENT as usize).await?;
    Ok(recent.iter().rev().find_map(|record| match record.body() {
        Ok(Some(Body::Asked(asked))) if asked.key == *key => {
            asked.about.map(|fault| fault.code.into_owned())
        }
        Ok(_) | Err(_) => None,
    }))
}
