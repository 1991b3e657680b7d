//! A job as a durable run that this command drives.
//!
//! The job is made with the use case of every surface, so it has the same settings, checks and result as one over HTTP.
//! A command that dies leaves a run: `consign runs resume` goes on with it, and [`JobArgs::run`] takes its result.

use std::path::{Path, PathBuf};

use consign_app::{
    agent_jobs::{
        self, AgentType, Include, JobRevision, JobSettings, JobSubmission, Submitted, Wish,
    },
    authoring_files::Framework,
    foreground::Foreground,
    settings,
};
use consign_contracts::json::{Json, Object};
use consign_engine::{Data, Drive, Error::Fault, Owner, Placement, RunId, Status, store::Row};
use consign_invokers::{model::ModelSource, settings::RunSettings};
use consign_models::record::Replay;

use crate::{
    commands::runs::{
        find,
        foreground::{Ended, go_on, stranded},
        form,
        limits::LimitArgs,
        owner_arg, report,
    },
    engine::Session,
    error::{Error, Exit},
    output::{FAINT, Output, STRONG, WARN, object, printable, styled},
};

/// The model that stands for none.
const RULES: &str = "rules";

#[derive(clap::Args)]
pub(in crate::commands) struct JobArgs {
    /// Ask this model too: a name, `bridge`, `replay:FILE` or `scripted:FILE`; `rules` asks none
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// Take the result of this job instead of making a new one; go on with it if it was stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["model", "agent_script", "record"])]
    pub(in crate::commands) run: Option<String>,

    /// Who pays for it, and whose settings and keys count
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    pub(in crate::commands) owner: Owner,

    #[command(flatten)]
    limits: LimitArgs,

    /// Let the model's part be answered from a script; the run remembers it
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    agent_script: Option<PathBuf>,

    /// Write what the model was given to a file, a line each
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    invocations: Option<PathBuf>,

    /// Record what is said to the model and what it says, for `--model replay:FILE`
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins", requires = "model")]
    record: Option<PathBuf>,
}

/// A job with everything but its payload.
pub(in crate::commands) struct JobMaker<'a> {
    session: &'a Session,
    kind: AgentType,
    args: &'a JobArgs,
    settings: JobSettings,
    run: RunSettings,
}

/// What became of a job.
pub(in crate::commands) enum Finished {
    Completed(Completed),
    /// It waits or was stopped, and the user has been told.
    Left(Exit),
}

/// A job that is done.
pub(in crate::commands) struct Completed {
    pub(in crate::commands) run: RunId,
    /// By the contract of the type.
    pub(in crate::commands) result: Json<'static>,
}

impl Completed {
    pub(in crate::commands) fn text(&self, name: &str) -> &str {
        self.result.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    pub(in crate::commands) fn data(&self) -> Data {
        Data::from(&self.result)
    }

    /// Says what a user should not miss: a model that was asked and gave nothing that could be used.
    pub(in crate::commands) fn tell_notes(&self, output: &Output) {
        let metadata = self.result.get("metadata");
        let said = |name: &str| metadata?.get(name)?.as_str();
        if let Some(code) = said("aiError") {
            let told = format!("the model gave nothing usable ({code}); the rules did without it");
            output.tell(format!("{} {}", styled(WARN, "note:"), printable(&told)));
        }
        for ignored in metadata.and_then(|it| it.get("ignored")?.as_array()).unwrap_or_default() {
            let option = match ignored.as_str() {
                Some("taskDescription") => "--task",
                Some("instruction") => "--instruction",
                Some(_) | None => continue,
            };
            let told = format!(
                "the rules cannot follow {option}: they wrote what the repository says now"
            );
            output.tell(format!("{} {told}", styled(WARN, "note:")));
        }
        if let Some(why) = said("githubError") {
            output.tell(format!("{} {}", styled(WARN, "note:"), printable(why)));
        }
    }
}

impl<'a> JobMaker<'a> {
    /// Reads the settings of the owner, and checks the files of the stand-ins.
    pub(in crate::commands) async fn new(
        session: &'a Session,
        kind: AgentType,
        args: &'a JobArgs,
        framework: Option<Framework>,
    ) -> Result<Self, Error> {
        let script = args.agent_script.as_deref().map(|script| found(session, script));
        let script = script.transpose()?;
        let mut settings = settings::agents::for_job(session, &args.owner, kind).await?;
        settings.framework = framework;
        if let Some(model) = args.model.as_deref() {
            settings.model = Some(self::model(session, model)?);
        } else if let Some(script) = &script {
            settings.model = Some(format!("scripted:{}", script.display()));
        }
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(self::absolute).transpose();
        let run = RunSettings {
            script,
            invocations: absolute(&args.invocations)?,
            record: absolute(&args.record)?,
            ..RunSettings::default()
        };
        Ok(Self { session, kind, args, settings, run })
    }

    /// Makes a job that this process holds.
    pub(in crate::commands) async fn begin(
        &self,
        foreground: &mut Foreground,
        payload: Object<'_>,
    ) -> Result<(Submitted, Option<Drive>), Error> {
        let kind = Json::String(self.kind.as_str().into());
        let body = Json::Object(object([("type", kind), ("payload", Json::Object(payload))]));
        let wanted = JobSubmission {
            settings: Some(self.settings.clone()),
            limits: self.args.limits.set(),
            placement: Placement::Foreground,
            run: self.run.clone(),
            ..JobSubmission::of(&body)
        };
        let (session, owner) = (self.session, &self.args.owner);
        let begun = agent_jobs::begin(session, foreground, owner, &session.user, &wanted).await;
        begun.map_err(|error| {
            let error = Error::from(error);
            match error.code.as_ref() {
                "MODEL_NOT_ALLOWED" => error.hint("`--model rules` does without one"),
                _ => error,
            }
        })
    }

    /// Names the git folder that the job is about.
    #[must_use]
    pub(in crate::commands) fn in_folder(mut self, folder: Option<PathBuf>) -> Self {
        self.settings.folder = folder;
        self
    }

    /// Names the branch that the files of Trace and Proto are committed on.
    #[must_use]
    pub(in crate::commands) fn on_branch(mut self, branch: Option<String>) -> Self {
        self.settings.branch = branch;
        self
    }

    /// Does a job here, with a line that shows how it gets on.
    pub(in crate::commands) async fn drive(
        &self,
        payload: Object<'_>,
        output: &mut Output,
    ) -> Result<Finished, Error> {
        let driven = self.driven(payload, output).await?;
        driven.finish(self.session, output).await
    }

    /// Does a job here, as far as it goes.
    pub(in crate::commands) async fn driven(
        &self,
        payload: Object<'_>,
        output: &mut Output,
    ) -> Result<Driven, Error> {
        let mut foreground = Foreground::new(&self.session.engine).await?;
        let (submitted, drive) = self.begin(&mut foreground, payload).await?;
        Driven::begin(self.session, foreground, &submitted, drive, output).await
    }

    /// Revises a job here, as far as the new one goes.
    pub(in crate::commands) async fn revised(
        &self,
        parent: &Row,
        revision: JobRevision,
        output: &mut Output,
    ) -> Result<Driven, Error> {
        let mut foreground = Foreground::new(&self.session.engine).await?;
        let wish = Wish {
            model: self.settings.model.clone(),
            limits: self.args.limits.set(),
            placement: Placement::Foreground,
            run: self.run.clone(),
            ..Wish::of(revision, None)
        };
        let (session, id) = (self.session, parent.id.as_str());
        let (owner, user) = (&parent.owner, &session.user);
        let begun =
            agent_jobs::begin_revision(session, &mut foreground, owner, user, id, &wish).await?;
        Driven::begin(session, foreground, &begun.0, begun.1, output).await
    }
}

/// A job that this process has driven as far as it went.
pub(in crate::commands) struct Driven {
    foreground: Option<Foreground>,
    pub(in crate::commands) ended: Ended,
}

impl Driven {
    async fn begin(
        session: &Session,
        mut foreground: Foreground,
        submitted: &Submitted,
        drive: Option<Drive>,
        output: &Output,
    ) -> Result<Self, Error> {
        let run = RunId::from(submitted.job_id.as_str());
        output.tell(format!("run {}", styled(STRONG, &run)));
        let ended = go_on(session, &mut foreground, &run, drive, output, true).await;
        let ended = ended.map_err(|error| stranded(error, &run))?;
        Ok(Self { foreground: Some(foreground), ended })
    }

    /// Goes on with the job, after an answer.
    pub(in crate::commands) async fn on(
        self,
        session: &Session,
        output: &Output,
    ) -> Result<Self, Error> {
        let run = self.row().id.clone();
        let mut foreground = match self.foreground {
            Some(foreground) => foreground,
            None => Foreground::new(&session.engine).await?,
        };
        let drive = foreground.take(&run).await;
        let drive = drive.map_err(|error| Error::from(error).about(run.as_str()))?;
        let ended = go_on(session, &mut foreground, &run, Some(drive), output, false).await;
        let ended = ended.map_err(|error| stranded(error, &run))?;
        Ok(Self { foreground: Some(foreground), ended })
    }

    pub(in crate::commands) fn row(&self) -> &Row {
        match &self.ended {
            Ended::Closed(row) | Ended::Waiting(row, _) | Ended::Stopped(row, _) => row,
        }
    }

    pub(in crate::commands) async fn finish(
        self,
        session: &Session,
        output: &mut Output,
    ) -> Result<Finished, Error> {
        finished(session, self.ended, output).await
    }
}

/// The row of a job of this type.
pub(in crate::commands) async fn job_of(
    session: &Session,
    kind: AgentType,
    typed: &str,
) -> Result<Row, Error> {
    let row = find(&session.engine, typed).await?;
    if row.workflow != format!("authoring/{kind}") {
        let told = format!("run {} is of {}, and not a job of {kind}", row.id, row.workflow);
        return Err(Error::usage("USAGE", told)
            .hint(format!("`consign runs list --workflow authoring/{kind}` shows those jobs")));
    }
    Ok(row)
}

/// Takes a job that was made before, and goes on with it if it is not over.
pub(in crate::commands) async fn taken(
    session: &Session,
    kind: AgentType,
    typed: &str,
    output: &Output,
) -> Result<Driven, Error> {
    let row = job_of(session, kind, typed).await?;
    if row.status.is_closed() {
        return Ok(Driven { foreground: None, ended: Ended::Closed(row) });
    }
    Driven { foreground: None, ended: Ended::Waiting(row, Vec::new()) }.on(session, output).await
}

/// Takes a job that was made before, and brings it to its end.
pub(in crate::commands) async fn take(
    session: &Session,
    kind: AgentType,
    typed: &str,
    output: &mut Output,
) -> Result<Finished, Error> {
    taken(session, kind, typed, output).await?.finish(session, output).await
}

async fn finished(session: &Session, ended: Ended, output: &mut Output) -> Result<Finished, Error> {
    match &ended {
        Ended::Closed(row) if row.status == Status::Succeeded => {
            Ok(Finished::Completed(completed(session, row).await?))
        }
        Ended::Closed(row) => match report::unhappy(session, row).await? {
            Some(error) => Err(error),
            None => Err(no_result(row)),
        },
        Ended::Waiting(row, _) | Ended::Stopped(row, _) => {
            report::print(session, &ended, output).await?;
            output.finish()?;
            let command = row.workflow.trim_start_matches("authoring/");
            let told = format!("then take its result with: consign {command} --run {}", row.id);
            output.tell(styled(FAINT, told));
            Ok(Finished::Left(report::verdict(session, &ended).await?))
        }
    }
}

/// Reads what a job that succeeded gave.
pub(in crate::commands) async fn completed(
    session: &Session,
    row: &Row,
) -> Result<Completed, Error> {
    let (id, include) = (row.id.as_str(), Include::default());
    let mut job = agent_jobs::get(session, &row.owner, &session.user, id, include).await?;
    match job.remove("result") {
        Some(result @ Json::Object(_)) => Ok(Completed { run: row.id.clone(), result }),
        Some(_) | None => Err(no_result(row)),
    }
}

fn no_result(row: &Row) -> Error {
    Error::new("NO_RESULT", format!("what run {} came to cannot be read", row.id))
        .detail("run", form::text(&row.id))
}

fn model(session: &Session, name: &str) -> Result<String, Error> {
    if name == RULES {
        return Ok(name.to_owned());
    }
    let invalid = |why: String| Error::usage("MODEL_INVALID", why).hint("`consign models list`");
    Ok(match ModelSource::read(name, &[]).map_err(invalid)? {
        ModelSource::Replay(path) => {
            let replay = Replay::open(&path).and_then(|replay| replay.models());
            replay.map_err(|why| Error::new("RECORDING_INVALID", why))?;
            format!("replay:{}", path.display())
        }
        ModelSource::Script(path) => format!("scripted:{}", found(session, &path)?.display()),
        ModelSource::Models(_) | ModelSource::Bridge => name.to_owned(),
    })
}

/// A script that can be read, by a path that holds in every folder.
fn found(session: &Session, script: &Path) -> Result<PathBuf, Error> {
    if !script.is_file() {
        let told = format!("there is no script {}", script.display());
        return Err(Error::usage("SCRIPT_NOT_FOUND", told));
    }
    let script = absolute(script)?;
    session.scripts.script(&script).map_err(Fault)?;
    Ok(script)
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|cause| Error::unreadable(path, &cause))
}
