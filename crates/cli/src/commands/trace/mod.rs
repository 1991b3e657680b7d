//! `consign trace [FILE]`: a test plan, a coverage matrix and a test file from a specification.

mod print;
mod stream;

use std::path::PathBuf;

use consign_app::{agent_jobs::AgentType, authoring_files::Framework};
use consign_contracts::json::{Json, Object};

use super::authoring::{
    given,
    job::{self, Completed, Finished, JobArgs, JobMaker},
    place::Place,
    publish::{self, PublishArgs},
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, printable, styled},
};

const HELP: &str = "\
Reads a specification: Gherkin, `name -> step -> step` lines, `name: step, step` lines, sentences in paragraphs, or \
plain lines. Every scenario becomes test cases with ids. The plan and the coverage matrix go to standard output; with \
--out the files go into a folder: test-plan.md, coverage-matrix.md and a test file. This is done by rules. With \
--model the model may suggest cases besides, which come last and are named `Suggested: …`.

With --repo the test file is written for what the project in that folder tests with (vitest, jest, pytest, cargo test \
or go test), under the name that its framework finds. --framework says it instead. With --branch or --pr the files are \
committed in that repository, a git folder or `owner/repo` on GitHub, on a branch of their own, one commit per file; on \
GitHub a pull request is opened. Without them the folder is only read.

Each call is a durable job: kill it where you like, and `consign trace --run RUN` goes on and takes its result. \
Files that are there already are kept unless you say --force, and links are never written through.

With --stream each line of the input is a payload (contract authoring/trace.payload, such as {\"spec\": \"…\"}), and each \
line of the output is the result of one, in the same order. A line that is refused gives {\"error\": {\"code\", \
\"message\", \"details\"?}} in its place, and the command exits with 1 at the end.

Exits with 0 when the job is done, 1 when the specification cannot be read or something failed, 42 when it waits for an \
agent's answer, 43 when it waits for a person or a limit.

Examples:
  consign trace login.feature
  consign trace spec.md --repo . --out .
  consign trace spec.md --out plan --dry-run
  consign trace spec.md --repo . --branch tests/login
  consign trace spec.md --repo acme/shop --framework pytest --pr
  echo 'Sign in -> type the password -> see the dashboard' | consign trace --json
  consign trace --stream < specs.ndjson > plans.ndjson";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The specification; `-` or none is standard input
    #[arg(value_name = "FILE|-", conflicts_with = "run")]
    file: Option<PathBuf>,

    /// The project that the tests are for: a folder, or `owner/repo` on GitHub with --branch or --pr
    #[arg(long, value_name = "DIR|OWNER/REPO", conflicts_with = "run")]
    repo: Option<PathBuf>,

    /// What the test file is written for: vitest, jest, pytest, cargo-test or go-test
    #[arg(long, value_name = "NAME", value_parser = framework_arg, conflicts_with = "run")]
    framework: Option<Framework>,

    #[command(flatten)]
    publish: PublishArgs,

    /// One payload per line, one result per line, in order
    #[arg(long, conflicts_with_all = ["out", "dry_run", "run", "branch", "pr"])]
    stream: bool,

    /// With --stream: how many lines are worked on at once
    #[arg(long, value_name = "N", default_value_t = 4, requires = "stream",
          value_parser = clap::value_parser!(u16).range(1..=64))]
    at_once: u16,

    #[command(flatten)]
    job: JobArgs,
}

fn framework_arg(name: &str) -> Result<Framework, String> {
    let known = Framework::ALL.into_iter().find(|known| known.as_str() == name);
    known.ok_or_else(|| {
        let names = Framework::ALL.map(Framework::as_str);
        format!("it is one of {}", names.join(", "))
    })
}

impl Args {
    /// What the test file is written for, if that is known.
    fn framework(&self, output: &Output) -> Result<Option<Framework>, Error> {
        let found = self.repo.as_deref().map(given::framework).transpose()?.flatten();
        if let (Some(found), Some(repo), None) = (found, &self.repo, self.framework) {
            let repo = printable(&repo.display().to_string()).into_owned();
            output.tell(styled(FAINT, format!("{repo} tests with {}", found.as_str())));
        }
        Ok(self.framework.or(found))
    }
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    args.publish.out.check()?;
    let place = args.publish.place(args.repo.as_deref())?;
    if args.stream {
        return stream::run(args, output);
    }
    let finished = match &args.job.run {
        Some(run) => {
            session(async |session| job::take(session, AgentType::Trace, run, output).await)
        }
        None => {
            let framework = args.framework(output)?;
            let given = given::read(args.file.as_deref())?;
            session(async |session| {
                make(session, args, (framework, place.as_ref()), &given, output).await
            })
        }
    };
    match finished? {
        Finished::Completed(done) => deliver(args, &done, output),
        Finished::Left(exit) => Ok(exit),
    }
}

async fn make(
    session: &Session,
    args: &Args,
    (framework, place): (Option<Framework>, Option<&Place>),
    given: &given::Text,
    output: &mut Output,
) -> Result<Finished, Error> {
    let maker = JobMaker::new(session, AgentType::Trace, &args.job, framework).await?;
    let maker = maker.in_folder(place.and_then(|place| place.folder.clone()));
    let maker = maker.on_branch(args.publish.branch());
    let mut payload = Object::new();
    if let Some(place) = place {
        args.publish.fill(session, &args.job.owner, place, &mut payload).await?;
    }
    payload.set("spec", Json::String(given.text.as_str().into()));
    if args.publish.out.is_dry_run() {
        payload.set("dryRun", Json::Bool(true));
    }
    let finished = maker.drive(payload, output).await;
    let finished = finished.map_err(publish::of_options);
    finished.map_err(|error| unreadable(given::in_terms_of(error, "spec", &given.name)))
}

/// Says what a specification can be, where that may help.
fn unreadable(error: Error) -> Error {
    if error.code != "VALIDATION_ERROR" || error.hint.is_some() {
        return error;
    }
    let is_gherkin = error.message.contains(": line ");
    error.hint(match is_gherkin {
        true => "mend that line; a text without `Feature:` and `Scenario:` is read as plain text",
        false => "`consign trace --help` names the forms of a specification",
    })
}

fn deliver(args: &Args, done: &Completed, output: &mut Output) -> Result<Exit, Error> {
    done.tell_notes(output);
    let is_written = args.publish.out.deliver(done, "trace", output)?;
    let publishes = args.publish.publishes();
    match output.reader {
        Audience::Program => output.line(done.result.to_string())?,
        Audience::Person | Audience::Pipe if publishes => publish::tell(done, output)?,
        Audience::Person | Audience::Pipe if is_written => {}
        Audience::Person | Audience::Pipe => print::print(done, output)?,
    }
    Ok(publish::exit(done))
}
