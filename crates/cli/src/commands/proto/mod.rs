//! `consign proto [FILE]`: a first working skeleton of a project.

mod print;

use std::path::PathBuf;

use consign_app::agent_jobs::AgentType;
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
    output::{Audience, Output},
};

const HELP: &str = "\
Makes the files of a new project from requirements in plain text, a goal in a sentence, or both. With a --stack that it \
knows (express, fastapi, axum, and words for them) the project builds and its tests pass; otherwise it is the smallest \
useful one. This is done by rules. With --model the model writes the files; if it gives nothing that can be used, \
the rules do without it, and the command says so.

Without --out the tree of files goes to standard output, and nothing is written; --json has the files themselves. With \
--repo and --branch or --pr the files are committed in that repository, a git folder or `owner/repo` on GitHub, on a \
branch of their own, one commit per file; on GitHub a pull request is opened.

Each call is a durable job: kill it where you like, and `consign proto --run RUN` goes on and takes its result. \
Files that are there already are kept unless you say --force, and links are never written through.

Exits with 0 when the job is done, 1 when there is nothing to build or something failed, 42 when it waits for an agent's \
answer, 43 when it waits for a person or a limit.

Examples:
  consign proto --goal 'a REST API for books' --stack 'express, typescript' --out books
  consign proto requirements.md --stack fastapi --out service --dry-run
  consign proto requirements.md --json | jq -r '.artifacts[].filePath'
  consign proto requirements.md --stack express --repo acme/shop --pr
  consign proto --run 0b6c1f1e --out service";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The requirements; `-` is standard input, and so is none without --goal
    #[arg(value_name = "FILE|-", conflicts_with = "run")]
    file: Option<PathBuf>,

    /// What the project is for, in a sentence
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    goal: Option<String>,

    /// The technologies to use, such as `express, typescript`
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    stack: Option<String>,

    /// The repository to publish to, with --branch or --pr: a git folder, or `owner/repo` on GitHub
    #[arg(long, value_name = "DIR|OWNER/REPO", conflicts_with = "run")]
    repo: Option<PathBuf>,

    #[command(flatten)]
    publish: PublishArgs,

    #[command(flatten)]
    job: JobArgs,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let place = args.publish.place(args.repo.as_deref())?;
    if let (Some(repo), None, false) = (&args.repo, &place, args.publish.out.is_dry_run()) {
        return Err(publish::unused(repo));
    }
    args.publish.out.check()?;
    let finished = match &args.job.run {
        Some(run) => {
            session(async |session| job::take(session, AgentType::Proto, run, output).await)
        }
        None => {
            let reads = args.file.is_some() || args.goal.is_none();
            let given = reads.then(|| given::read(args.file.as_deref())).transpose()?;
            session(async |session| {
                make(session, args, place.as_ref(), given.as_ref(), output).await
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
    place: Option<&Place>,
    given: Option<&given::Text>,
    output: &mut Output,
) -> Result<Finished, Error> {
    let maker = JobMaker::new(session, AgentType::Proto, &args.job, None).await?;
    let maker = maker.in_folder(place.and_then(|place| place.folder.clone()));
    let maker = maker.on_branch(args.publish.branch());
    let mut payload = Object::new();
    if let Some(place) = place {
        args.publish.fill(session, &args.job.owner, place, &mut payload).await?;
    }
    let requirements = given.map(|given| given.text.as_str());
    let said = [
        ("requirements", requirements),
        ("goal", args.goal.as_deref()),
        ("stack", args.stack.as_deref()),
    ];
    for (name, text) in said {
        if let Some(text) = text {
            payload.set(name, Json::String(text.into()));
        }
    }
    if args.publish.out.is_dry_run() {
        payload.set("dryRun", Json::Bool(true));
    }
    let name = given.map_or("--goal", |given| given.name.as_str());
    let finished = maker.drive(payload, output).await;
    finished.map_err(|error| {
        let error = given::in_terms_of(publish::of_options(error), "requirements", name);
        let error = given::in_terms_of(error, "goal", "--goal");
        match error.code.as_ref() {
            "VALIDATION_ERROR" if error.hint.is_none() => {
                error.hint("name a file with requirements, or say --goal TEXT")
            }
            _ => error,
        }
    })
}

fn deliver(args: &Args, done: &Completed, output: &mut Output) -> Result<Exit, Error> {
    done.tell_notes(output);
    let is_written = args.publish.out.deliver(done, "proto", output)?;
    let publishes = args.publish.publishes();
    match output.reader {
        Audience::Program => output.line(done.result.to_string())?,
        Audience::Person | Audience::Pipe if publishes => publish::tell(done, output)?,
        Audience::Person | Audience::Pipe if is_written => print::tell(done, output),
        Audience::Person | Audience::Pipe => print::print(done, output)?,
    }
    Ok(publish::exit(done))
}
