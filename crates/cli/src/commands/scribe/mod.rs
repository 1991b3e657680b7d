//! `consign scribe [PATH|owner/repo]`: documentation of a repository, held against its code, and published once.

mod diff;
mod print;
mod publish;
mod review;
mod words;

use consign_app::agent_jobs::{AgentType, JobRevision, RevisionMode, RevisionScope};
use consign_contracts::{
    authoring::{DocDepth, DocPack},
    json::{Json, Number, Object},
};

use self::publish::PublishArgs;
use super::authoring::{
    job::{self, Completed, Driven, Finished, JobArgs, JobMaker},
    place::Place,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Reads a repository at one commit, plans the documents, writes them, and looks up what they say in the code: commands, \
options, paths, names and versions. What is not found is asked for again once, then taken out. Existing documents are \
updated section by section; what people wrote stays. A document that is right already is left alone.

Without --out, --branch and --pr nothing is written: the changes are shown as a diff. --branch commits them on a branch \
of its own, one commit per file; on GitHub a pull request is opened too. In a local repository neither the work tree, nor the index, nor the branch that is checked out is \
touched. --out writes the files into a folder. With --approve the diff is shown first, and you are asked; in a pipe the command leaves with 43, and \
`consign runs approve` says yes.

A model writes, of the policy's (docs/scribe.md) or the one that --model names. `--model rules` does without one, and \
without a key: it writes what follows from the code alone.

GitHub is reached with the token of `consign keys set github`, or else with GITHUB_TOKEN.

Each call is a durable job: kill it where you like, and `consign scribe --run RUN` goes on. Whatever was published is \
found again and not made twice.

Exits with 0 when the job is done, 1 when something failed or was rejected, 42 when it waits for an agent's answer, 43 \
when it waits for a person or a limit.

Examples:
  consign scribe . --model rules
  consign scribe . --pack standard --branch docs/update --approve
  consign scribe acme/shop --pr --pack full
  consign scribe . --model rules --target README.md --out /tmp/docs
  consign scribe --revise 0b6c1f1e --instruction 'say more about the API' --mode edit --scope files";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The git folder, or `owner/repo` on GitHub; the current folder if left out
    #[arg(value_name = "PATH|OWNER/REPO", conflicts_with_all = ["run", "revise"])]
    place: Option<String>,

    /// Which documents: readme, standard or full
    #[arg(long, value_name = "PACK", value_parser = pack_arg, conflicts_with_all = ["run", "revise"])]
    pack: Option<DocPack>,

    /// How thorough: lite, standard or deep
    #[arg(long, value_name = "DEPTH", value_parser = depth_arg, conflicts_with_all = ["run", "revise"])]
    depth: Option<DocDepth>,

    /// A document to write, such as README.md; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["run", "revise"])]
    target: Vec<String>,

    /// Where a single document goes, or, with `/` at its end, the folder of the documents
    #[arg(long, value_name = "PATH", conflicts_with_all = ["run", "revise"])]
    target_path: Option<String>,

    /// The branch that work starts from; the repository's own if left out
    #[arg(long, value_name = "BRANCH", conflicts_with_all = ["run", "revise"])]
    base: Option<String>,

    /// What the documents should be about, in words
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["run", "revise"])]
    task: Option<String>,

    /// How often each document is gone over: 1 or 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2), conflicts_with_all = ["run", "revise"])]
    passes: Option<u8>,

    /// How many tokens the documents may have together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["run", "revise"])]
    max_output_tokens: Option<u32>,

    /// How many of the newest commits are read
    #[arg(long, value_name = "N", conflicts_with_all = ["run", "revise"])]
    commits: Option<u32>,

    #[command(flatten)]
    publish: PublishArgs,

    /// Revise this finished job with a new one, on its branch
    #[arg(long, value_name = "JOB", requires = "instruction", conflicts_with = "run")]
    revise: Option<String>,

    /// With --revise: what should change
    #[arg(long, value_name = "TEXT", requires = "revise")]
    instruction: Option<String>,

    /// With --revise: `edit` changes the text that is there, `regenerate` writes it anew
    #[arg(long, value_name = "MODE", requires = "revise", default_value = "edit", value_parser = mode_arg)]
    mode: RevisionMode,

    /// With --revise: what may change: `files`, `plan` or `both`
    #[arg(long, value_name = "SCOPE", requires = "revise", default_value = "both", value_parser = scope_arg)]
    scope: RevisionScope,

    #[command(flatten)]
    job: JobArgs,
}

fn pack_arg(word: &str) -> Result<DocPack, String> {
    DocPack::from_word(word).ok_or_else(|| "it is readme, standard or full".to_owned())
}

fn depth_arg(word: &str) -> Result<DocDepth, String> {
    DocDepth::from_word(word).ok_or_else(|| "it is lite, standard or deep".to_owned())
}

fn mode_arg(word: &str) -> Result<RevisionMode, String> {
    RevisionMode::from_word(word).ok_or_else(|| "it is edit or regenerate".to_owned())
}

fn scope_arg(word: &str) -> Result<RevisionScope, String> {
    RevisionScope::from_word(word).ok_or_else(|| "it is files, plan or both".to_owned())
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    args.publish.check()?;
    session(async |session| done(session, args, output).await.map_err(words::of_options))
}

async fn done(session: &Session, args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let driven = drive(session, args, output).await?;
    let driven = review::until_decided(session, driven, output).await?;
    let owner = driven.row().owner.clone();
    match driven.finish(session, output).await? {
        Finished::Completed(done) => deliver(session, args, &owner, &done, output).await,
        Finished::Left(exit) => Ok(exit),
    }
}

async fn drive(session: &Session, args: &Args, output: &mut Output) -> Result<Driven, Error> {
    if let Some(run) = &args.job.run {
        return job::taken(session, AgentType::Scribe, run, output).await;
    }
    if let Some(parent) = &args.revise {
        let parent = job::job_of(session, AgentType::Scribe, parent).await?;
        let maker = JobMaker::new(session, AgentType::Scribe, &args.job, None).await?;
        let instruction = args.instruction.clone().unwrap_or_default();
        let (mode, scope) = (args.mode, args.scope);
        let revision = JobRevision { instruction, mode, scope, extra: Object::new() };
        return maker.revised(&parent, revision, output).await;
    }
    let place = Place::read(args.place.as_deref().unwrap_or("."))?;
    args.publish.fits(&place)?;
    let base = place.base(session, &args.job.owner, args.base.as_deref()).await?;
    let maker = JobMaker::new(session, AgentType::Scribe, &args.job, None).await?;
    let maker = maker.in_folder(place.folder.clone());
    maker.driven(payload(args, &place, &base), output).await
}

fn payload(args: &Args, place: &Place, base: &str) -> Object<'static> {
    let text = |text: &str| Json::String(text.to_owned().into());
    let number = |number: u64| Json::Number(Number::from(number));
    let mut payload = Object::new();
    payload.set("owner", text(&place.owner));
    payload.set("repo", text(&place.repo));
    payload.set("baseBranch", text(base));
    if let Some(pack) = args.pack {
        payload.set("docPack", text(pack.as_str()));
    }
    if let Some(depth) = args.depth {
        payload.set("docDepth", text(depth.as_str()));
    }
    if !args.target.is_empty() {
        payload.set("outputTargets", Json::Array(args.target.iter().map(|it| text(it)).collect()));
    }
    if let Some(path) = &args.target_path {
        payload.set("targetPath", text(path));
    }
    if let Some(task) = &args.task {
        payload.set("taskDescription", text(task));
    }
    let numbers = [
        ("passes", args.passes.map(u64::from)),
        ("maxOutputTokens", args.max_output_tokens.map(u64::from)),
        ("analyzeLastNCommits", args.commits.map(u64::from)),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            payload.set(name, number(value));
        }
    }
    args.publish.fill(&mut payload);
    payload
}

async fn deliver(
    session: &Session,
    args: &Args,
    owner: &consign_engine::Owner,
    done: &Completed,
    output: &mut Output,
) -> Result<Exit, Error> {
    done.tell_notes(output);
    let is_written = args.publish.out.deliver(done, "scribe", output)?;
    print::print(session, owner, done, is_written, output).await
}
