//! What a run waits for, and the commands that let it go on.

use std::time::Duration;

use consign_app::view;
use consign_engine::{
    AskKind, At, Error as EngineError, Limits, Nanos, Placement, RunId, Status, Usage,
    store::{self, Interaction, Row},
};

use super::example;
use crate::{
    engine::Session,
    error::{Error, Exit},
    output::{FAINT, Output, WARN, styled},
    text::{count, shell_word, shortened, span},
};

/// Asks that people are shown at once.
const SHOWN: usize = 10;
/// Lines of a prompt that are shown with a single run; `inbox --run` shows all.
const PROMPT_LINES: usize = 200;
/// A line that is longer than this is for no reader.
const MOST_COLUMNS: usize = 20_000;

/// Everything that a run asks now, oldest first.
pub(crate) async fn open(session: &Session, run: &RunId) -> Result<Vec<Interaction>, Error> {
    Ok(view::open_asks(&session.engine, run).await?)
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
    now: At,
    output: &mut Output,
) -> Result<(), Error> {
    for ask in asks.iter().take(SHOWN) {
        print_one(session, row, ask, now, PROMPT_LINES, output).await?;
    }
    if asks.len() > SHOWN {
        let more = format!("… and {} more: consign inbox --run {}", asks.len() - SHOWN, row.id);
        output.line(styled(FAINT, more))?;
    }
    Ok(())
}

/// One of them, with so many lines of what is asked.
pub(crate) async fn print_one(
    session: &Session,
    row: &Row,
    ask: &Interaction,
    now: At,
    most_lines: usize,
    output: &mut Output,
) -> Result<(), Error> {
    let kind = styled(WARN, format!("waiting for {}", waited_for(ask.kind)));
    let head = format!("{kind} {}{}:", shell_word(ask.key.as_str()), why(ask));
    // A text keeps its layout for every reader: what is to be approved must be readable.
    let lines: Vec<_> = ask.prompt.trim().lines().collect();
    match lines[..] {
        [] => output.line(head)?,
        [line] => output.line(format!("{head} {}", laid_out(line)))?,
        _ => {
            output.line(head)?;
            for line in lines.iter().take(most_lines) {
                output.line(format!("    {}", laid_out(line)).trim_end())?;
            }
        }
    }
    if let Some(left) = lines.len().checked_sub(most_lines).filter(|left| *left > 0) {
        let more = count(left as u64, "line");
        let more = format!("    … and {more} more: consign inbox --run {}", ask.run);
        output.line(styled(FAINT, more))?;
    }
    if let Some(deadline) = ask.deadline {
        output.line(format!("  {}", until(deadline, ask, row, now)))?;
    }
    for command in commands(session, row, ask, now).await? {
        output.line(format!("  {command}"))?;
    }
    Ok(())
}

/// What a run waits for, in words.
pub(crate) fn waited_for(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Clarification => "a clarification",
        AskKind::Confirmation => "a confirmation",
        AskKind::Approval => "approval",
        AskKind::Intervention => "an intervention",
        AskKind::Limit => "a higher limit",
        AskKind::AgentResponse => "an agent's answer",
    }
}

/// A line of a text from outside.
fn laid_out(line: &str) -> String {
    shortened(&line.replace('\t', "    "), MOST_COLUMNS).into_owned()
}

/// What becomes of an ask at its deadline.
pub(super) fn until(deadline: At, ask: &Interaction, row: &Row, now: At) -> String {
    let then = match &ask.default {
        Some(default) => format!("{} is taken", shortened(default.as_str(), 80)),
        None => "it counts as not answered".to_owned(),
    };
    let when = match row.placement {
        Placement::HereOnly => " when it is resumed",
        Placement::Foreground | Placement::Anywhere | Placement::Host(_) => "",
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
    ask.code.as_deref() == Some("LIMIT_OWNER")
}

/// ` (LIMIT_COST)`: why the engine itself asks. A workflow's own asks need no such word.
pub(crate) fn why(ask: &Interaction) -> String {
    let agent = ask.agent.as_ref().map(|agent| agent.shown());
    let about = ask.code.as_deref().or(agent);
    about.map_or_else(String::new, |about| format!(" ({about})"))
}

/// The commands that let the run go on, to be typed as they stand wherever that is possible.
pub(super) async fn commands(
    session: &Session,
    row: &Row,
    ask: &Interaction,
    now: At,
) -> Result<Vec<String>, Error> {
    if is_late(ask, now) {
        return Ok(match row.placement {
            Placement::Foreground | Placement::HereOnly => {
                vec![format!("consign runs resume {}", row.id)]
            }
            Placement::Anywhere | Placement::Host(_) => Vec::new(),
        });
    }
    if ask.kind == AskKind::Limit {
        return raise(session, row, ask).await.map(|command| vec![command]);
    }
    Ok(match ask.kind {
        _ if ask.key.asks_outcome_of().is_some() => outcome(ask),
        AskKind::Approval => approval(ask),
        AskKind::Clarification
        | AskKind::Confirmation
        | AskKind::Intervention
        | AskKind::Limit
        | AskKind::AgentResponse => vec![answer(ask)],
    })
}

/// Why a run that no process holds does not go on, and what continues it; `asked` where it waits for an answer.
pub(super) async fn idle(session: &Session, row: &Row, asked: bool) -> Option<String> {
    if let Some(external) = external(session, row, asked).await {
        return Some(external);
    }
    match row.status {
        Status::Queued => Some(unknown(session, row).unwrap_or_else(|| match row.placement {
            Placement::Foreground | Placement::HereOnly if row.interrupted => {
                format!("interrupted; continue it with: consign runs resume {}", row.id)
            }
            Placement::HereOnly => {
                format!("stopped; continue it with: consign runs resume {}", row.id)
            }
            Placement::Foreground | Placement::Anywhere | Placement::Host(_) => format!(
                "queued for a worker: start one with `consign worker`, or go on here with \
                 `consign runs resume {}`",
                row.id
            ),
        })),
        Status::Waiting if asked => None,
        Status::Waiting if row.wake_at.is_some() => unknown(session, row),
        Status::Waiting => match damage(session, row).await {
            Some(damage) => Some(damage),
            None => signals(session, row),
        },
        Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => None,
    }
}

/// How a run is continued that is kept outside of the store: nothing here drives it.
pub(super) async fn external(session: &Session, row: &Row, asked: bool) -> Option<String> {
    if row.status.is_closed() || asked {
        return None;
    }
    let go_on = session.engine.goes_on_with(row).await.ok()??;
    Some(format!("its state is kept in its project; continue it with: {go_on}"))
}

/// What this program lacks to go on with a run. Its workers leave such a run to others.
fn unknown(session: &Session, row: &Row) -> Option<String> {
    let (name, version) = (&row.workflow, row.version);
    let newest = session.engine.workflows().versions().find(|(known, _)| *known == name.as_str());
    let (code, has) = match newest {
        None => ("WORKFLOW_NOT_FOUND", "none".to_owned()),
        Some((_, newest)) if version > newest => {
            ("WORKFLOW_VERSION_MISSING", format!("version {newest}"))
        }
        Some(_) => return None,
    };
    Some(format!("{code}: needs {name} version {version}; this program has {has}"))
}

/// What a run waits for that has nothing open: one of the signals of its workflow.
fn signals(session: &Session, row: &Row) -> Option<String> {
    let signals = session.engine.workflows().signals(&row.workflow);
    let names: Vec<_> = signals.iter().map(|signal| signal.name.as_ref()).collect();
    let first = names.first()?;
    let run = &row.id;
    Some(format!(
        "waits for a signal ({}): consign runs signal {run} {first} --value JSON",
        names.join(", ")
    ))
}

/// Why a run was put aside that waits for nothing.
async fn damage(session: &Session, row: &Row) -> Option<String> {
    match session.engine.usage(&row.id).await {
        Err(EngineError::Store(store::Error::Damaged(why))) => Some(format!(
            "damaged, and put aside: {why}; look closer with `consign runs verify {}`",
            row.id
        )),
        Ok(_) | Err(_) => None,
    }
}

/// The commands that say yes and no.
fn approval(ask: &Interaction) -> Vec<String> {
    let (run, key) = (&ask.run, shell_word(ask.key.as_str()));
    vec![
        format!("consign runs approve {run} {key}"),
        format!("consign runs reject {run} {key} --why WHY"),
    ]
}

/// The command that answers an ask.
fn answer(ask: &Interaction) -> String {
    let (run, key) = (&ask.run, shell_word(ask.key.as_str()));
    match example::answer(&ask.schema) {
        Some(sample) => format!("consign runs answer {run} {key} --value {}", shell_word(&sample)),
        None => {
            let fits = match ask.schema.as_str() {
                "{}" | "true" => "is any value, such as '\"a text\"'".to_owned(),
                schema => format!("fits {}", shortened(schema, 200)),
            };
            format!("consign runs answer {run} {key} --value JSON   where JSON {fits}")
        }
    }
}

/// The answers for a call whose outcome is unknown: a choice, since a wrong answer does something twice or
/// never.
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

/// The command that raises the limit which was reached, far enough to go on.
pub(in crate::commands) async fn raise(
    session: &Session,
    row: &Row,
    ask: &Interaction,
) -> Result<String, Error> {
    let run = &row.id;
    let used = async || session.engine.usage(run).await.unwrap_or_default();
    Ok(match ask.code.as_deref() {
        Some("LIMIT_OWNER") => {
            let account = session.store().account(&row.owner).await?;
            let owner = shell_word(row.owner.as_str()).into_owned();
            let cost = enough_money(account.cap, account.spent + account.reserved, &ask.prompt);
            format!("consign budget set {owner} --cost {cost}")
        }
        Some("LIMIT_CALLS") => {
            let (limits, used) = used().await;
            format!("consign runs raise {run} --calls {}", enough_calls(&limits, &used))
        }
        Some("LIMIT_TIME") => {
            let (limits, used) = used().await;
            format!("consign runs raise {run} --minutes {}", enough_minutes(&limits, &used))
        }
        Some(_) | None => {
            format!("consign runs raise {run} --cost {}", enough_cost(row, ask))
        }
    })
}

/// The cost limit that lets a run go on which asks for a higher one.
pub(in crate::commands) fn enough_cost(row: &Row, ask: &Interaction) -> Nanos {
    let figures = &row.figures;
    enough_money(figures.cap, figures.spent + figures.reserved, &ask.prompt)
}

/// As much again as was allowed, and more where more was used or is needed: calls without a known price, or
/// that did not stop in time, go beyond their limit.
fn enough_money(cap: Option<Nanos>, used: Nanos, prompt: &str) -> Nanos {
    let cap = cap.unwrap_or_default();
    let enough = cap.times(2).max(used + cap.max(needed(prompt)));
    if enough.is_zero() { Nanos::new(1_000_000_000) } else { enough }
}

/// What the engine says that the next call may cost.
fn needed(prompt: &str) -> Nanos {
    let (_, amount) = prompt.rsplit_once("the next call may cost $").unwrap_or_default();
    let end = amount.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let amount = amount[..end.unwrap_or(amount.len())].trim_end_matches('.');
    Nanos::from_usd(amount).unwrap_or_default()
}

fn enough_calls(limits: &Limits, used: &Usage) -> u64 {
    let limit = limits.calls.unwrap_or_default();
    limit.max(used.calls).saturating_add(limit).max(1)
}

/// To the thousandth, rounded up: less would not be enough.
fn enough_minutes(limits: &Limits, used: &Usage) -> f64 {
    const THOUSANDTH: Duration = Duration::from_millis(60);
    let limit = limits.active.unwrap_or_default();
    let enough = limit.max(used.active.unwrap_or_default()).saturating_add(limit);
    let thousandths = enough.as_micros().div_ceil(THOUSANDTH.as_micros());
    if thousandths == 0 { 1.0 } else { thousandths as f64 / 1000.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Nanos {
        Nanos::from_usd(text).unwrap()
    }

    #[test]
    fn a_suggested_cost_covers_what_is_used_and_what_comes_next() {
        let check = |cap: &str, used: &str, next: &str, enough: &str| {
            let prompt = format!("The next call may cost $9, the next call may cost ${next}.");
            let prompt = format!("{prompt} Raise it to go on.");
            assert_eq!(enough_money(Some(usd(cap)), usd(used), &prompt), usd(enough), "{prompt}");
        };
        check("1", "0.9", "0.3", "2");
        // More was spent than was allowed: the call had no known price.
        check("1", "5", "0", "6");
        check("0.1", "0", "0.75", "0.75");
        check("0", "0", "0.25", "0.25");
        check("0", "0", "0", "1");
        assert_eq!(enough_money(Some(usd("2")), usd("3"), "no amount"), usd("5"));
    }

    #[test]
    fn suggested_calls_and_minutes_cover_what_is_used() {
        let check = |limit: u64, used: u64, calls: u64, minutes: f64| {
            let active = |seconds| Some(Duration::from_secs(seconds));
            let limits = Limits { calls: Some(limit), active: active(limit), cost: None };
            let used = Usage { calls: used, active: active(used), ..Usage::default() };
            assert_eq!(enough_calls(&limits, &used), calls);
            assert!((enough_minutes(&limits, &used) - minutes).abs() < 1e-9);
        };
        check(60, 60, 120, 2.0);
        check(60, 180, 240, 4.0);
        check(1, 1, 2, 0.034);
        check(0, 0, 1, 1.0);
    }
}
