//! What a run waits for, and the commands that let it go on.

use consign_engine::{
    AskKind, At, Key, Limits, Nanos, Placement, RunId, Seq,
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

fn until(deadline: At, ask: &Interaction, row: &Row, now: At) -> String {
    let then = match &ask.default {
        Some(default) => format!("{} is taken", shortened(default.as_str(), 80)),
        None => "it fails".to_owned(),
    };
    // Nobody wakes a run that belongs to the command line.
    let when = match row.placement {
        Placement::Foreground => " when it is resumed",
        Placement::Anywhere | Placement::Host(_) => "",
    };
    if deadline <= now {
        return format!("can no longer be answered; {then}{when}");
    }
    let left = span(deadline.since(now));
    format!("can be answered for another {left}, until {deadline}; then {then}{when}")
}

/// The commands that let the run go on, to be typed as they stand wherever that is possible.
async fn commands(session: &Session, row: &Row, ask: &Interaction) -> Result<Vec<String>, Error> {
    if ask.kind == AskKind::Limit {
        return raise(session, row, &ask.key).await.map(|command| vec![command]);
    }
    Ok(vec![answer(ask)])
}

/// The command that answers an ask.
pub(crate) fn answer(ask: &Interaction) -> String {
    let (run, key) = (&ask.run, shell_word(ask.key.as_str()));
    match example::answer(&ask.schema) {
        Some(sample) => format!("consign runs answer {run} {key} --value {}", shell_word(&sample)),
        None => {
            let schema = shortened(ask.schema.as_str(), 200);
            format!("consign runs answer {run} {key} --value JSON   where JSON fits {schema}")
        }
    }
}

/// The command that raises the limit which was reached, to twice what it is.
async fn raise(session: &Session, row: &Row, key: &Key) -> Result<String, Error> {
    let run = &row.id;
    let code = reached(session, row, key).await?;
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
