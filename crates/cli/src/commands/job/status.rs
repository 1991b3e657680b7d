//! `consign job status DIR`: how a job stands, and what it asks.

use std::time::Duration;

use consign_app::jobs::{self, JobView, OpenJob, Purpose};
use consign_supervised::amount::cents;

use super::{place::PlaceArgs, write};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, BAD, FAINT, GOOD, Output, WARN, printable, styled},
    text::{count, shell_word, span},
};

const HELP: &str = "\
Examples:
  consign job status site
  consign job status site --json | jq -r .status";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Look, output).await?;
        print(session, &job, output).await?;
        Ok(Exit::Done)
    })
}

/// Everything about a job.
pub(super) async fn print(
    session: &Session,
    job: &OpenJob,
    output: &mut Output,
) -> Result<(), Error> {
    let view = jobs::status(session, job).await?;
    match output.reader {
        Audience::Program => write(output, &view.json()),
        Audience::Person | Audience::Pipe => {
            for line in lines(&view) {
                output.line(line)?;
            }
            Ok(())
        }
    }
}

/// The status alone.
pub(super) async fn short(
    session: &Session,
    job: &OpenJob,
    output: &mut Output,
) -> Result<(), Error> {
    let view = jobs::status(session, job).await?;
    match output.reader {
        Audience::Program => write(output, &view.json()),
        Audience::Person | Audience::Pipe => {
            output.line(format!("{} {}", view.job_id, word(view.status)))?;
            if let Some(next) = next(&view) {
                output.tell(styled(FAINT, next));
            }
            Ok(())
        }
    }
}

fn word(status: &str) -> String {
    let style = match status {
        "SUCCESS" => GOOD,
        "CANCELED" => BAD,
        "INTERVENTION_REQUIRED" | "HALTED_COST" | "HALTED_TIME" => WARN,
        _ => FAINT,
    };
    styled(style, status)
}

fn lines(view: &JobView) -> Vec<String> {
    let mut lines = vec![
        format!("{} {}", view.job_id, word(view.status)),
        format!("  {}", printable(first_line(&view.description))),
        format!(
            "  phase {} of {} ({}){}, {}",
            view.phase_number,
            view.phases,
            view.phase,
            if is_over(view) { String::new() } else { format!(", next {}", view.role) },
            count(view.interactions, "interaction")
        ),
        format!("  cost {}, time {}", cost(view), time(view)),
    ];
    for (role, said) in &view.words {
        lines.push(format!("  {role} said: {}", printable(first_line(said))));
    }
    if view.points.len() > 1 {
        lines.push(format!("  recovery points: {}", view.points.join(", ")));
    }
    lines.push(styled(FAINT, format!("  {}", view.directory.display())));
    if let Some(question) = &view.question {
        lines.push(styled(WARN, format!("waiting for {}:", question.kind)));
        lines.extend(question.prompt.trim().lines().map(|line| format!("    {}", printable(line))));
    }
    lines.extend(next(view).map(|next| styled(FAINT, next)));
    lines
}

fn is_over(view: &JobView) -> bool {
    ["SUCCESS", "CANCELED"].contains(&view.status)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn cost(view: &JobView) -> String {
    let spent = cents(view.spent);
    let assumed = if view.assumed.is_zero() {
        String::new()
    } else {
        format!(", {} of them assumed", cents(view.assumed))
    };
    match view.cost_threshold {
        Some(most) => format!("{spent} of {} cents{assumed}", cents(most)),
        None => format!("{spent} cents, without a threshold{assumed}"),
    }
}

fn time(view: &JobView) -> String {
    let worked = span(Duration::from_secs_f64(view.seconds.max(0.0)));
    match view.minutes_threshold {
        Some(most) => format!("{worked} of {most} min"),
        None => format!("{worked}, without a threshold"),
    }
}

/// Whether the engine itself asks: what became of a call, say.
fn is_engines(view: &JobView) -> bool {
    view.question.as_ref().is_some_and(|question| question.key.is_engines())
}

/// The command that goes on with a job.
fn next(view: &JobView) -> Option<String> {
    let job = shell_word(&view.typed);
    let kind = view.question.as_ref().map(|question| question.kind.as_str());
    Some(match (view.status, kind) {
        ("DRAFT", _) => format!("begin with: consign job activate {job}"),
        ("SUCCESS" | "CANCELED", _) => return None,
        _ if view.is_driven => {
            format!("a process drives it; follow it with: consign runs watch {}", view.run)
        }
        ("HALTED_COST", _) => {
            format!("let it use more with: consign job raise {job} --cost CENTS --run")
        }
        ("HALTED_TIME", _) => {
            format!("let it use more with: consign job raise {job} --minutes N --run")
        }
        ("INTERVENTION_REQUIRED", _) if is_engines(view) => {
            format!("answer with: consign runs answer {}", view.run)
        }
        ("INTERVENTION_REQUIRED", _) => {
            format!("help it on with: consign job advise {job} \"…\" --run, or end it with --halt")
        }
        (_, Some(_)) if is_engines(view) => {
            format!("answer with: consign runs answer {}", view.run)
        }
        (_, Some("approval")) => {
            format!(
                "decide with: consign job approve {job} --run, or consign job reject {job} \"why\" --run"
            )
        }
        (_, Some(_)) => format!("answer with: consign runs answer {}", view.run),
        (_, None) => format!("go on with: consign job run {job}"),
    })
}
