//! A job as surfaces show it: contract `authoring/job`.
//!
//! Payload and result come from the first and the last event of the run: a job costs one read, however
//! long its journal is. Only what is asked for besides, or an open job with a model, reads the state.

use consign_authoring::job::{
    AgentType, AiUsage, Approval, Explained, JOB_CANCELLED, JobInput, JobOutcome, JobPlan,
    JobState, MadeFile, Progress, Quality, artifacts, kind_of,
};
use consign_contracts::{
    authoring::ErrorCode,
    json::{Json, Object},
};
use consign_engine::{
    Data, Error as EngineError, Fault, Status,
    journal::{Body, Record},
    store::{self, Ends, Row},
};
use sha2::{Digest, Sha256};

use super::standing;
use crate::{Home, error::Error, view};

/// What a cancelled job says.
pub(super) const CANCELLED: &str = "Job cancelled by user";
/// Codes besides the document's that are told as they are. Others are the program's own business.
const TOLD: [&str; 5] = [JOB_CANCELLED, "JOB_REJECTED", "AGENT_NOT_FOUND", "TIMEOUT", "DECLINED"];

/// A job as far as it was read.
pub(super) struct Seen {
    pub(super) row: Row,
    pub(super) state: JobState,
    newest: Option<Record>,
    /// What it was given. None once that is erased.
    pub(super) input: Option<JobInput>,
    /// What it ended with, if it completed.
    outcome: Option<JobOutcome>,
    /// How far it has come, if that was wanted.
    progress: Option<Progress>,
}

impl Seen {
    /// Reads a job. `wants_progress` says whether its plan, files or steps are needed too.
    pub(super) async fn read(home: &Home, ends: Ends, wants_progress: bool) -> Result<Self, Error> {
        let Ends { row, first, newest } = ends;
        let state = standing::state(&row, newest.as_ref());
        let input = match first.and_then(|first| first.body().ok().flatten()) {
            Some(Body::Created(created)) => created.input.to().ok(),
            Some(_) | None => None,
        };
        let outcome = match newest.as_ref().and_then(|newest| newest.body().ok().flatten()) {
            Some(Body::Succeeded(end)) => end.output.to().ok(),
            Some(_) | None => None,
        };
        let mut seen = Self { row, state, newest, input, outcome, progress: None };
        if seen.outcome.is_none() && (wants_progress || seen.needs_progress()) {
            seen.progress = match home.engine.look(&seen.row.id).await {
                Ok(look) => look.state.to().ok(),
                Err(EngineError::Store(store::Error::Redacted(_))) => None,
                Err(error) => return Err(error.into()),
            };
        }
        Ok(seen)
    }

    /// Whether what is always shown cannot be told without the state.
    fn needs_progress(&self) -> bool {
        let has_model = self.input.as_ref().is_some_and(|input| {
            input.settings.model.is_some() || input.kind == AgentType::Scribe.as_str()
        });
        has_model || self.state == JobState::AwaitingApproval
    }

    /// The job, with all that is always shown.
    pub(super) fn job(&self) -> Object<'static> {
        let mut job = self.item();
        let payload = self.input.as_ref().map(|input| view::data(&input.payload));
        let result = self.outcome.as_ref().map(|outcome| view::data(&outcome.result));
        let metrics = self.ai().map(|ai| Json::from(&ai.metrics()));
        let mut whole = view::object([
            ("id", Json::Null),
            ("type", Json::Null),
            ("state", Json::Null),
            ("payload", payload.unwrap_or(Json::Null)),
            ("result", result.unwrap_or(Json::Null)),
            ("error", Json::Null),
            ("errorCode", Json::Null),
            ("errorMessage", Json::Null),
            ("aiMetrics", metrics.unwrap_or(Json::Null)),
            ("qualityScore", Json::Null),
            ("qualityParts", Json::Null),
        ]);
        if let Some(quality) = self.quality() {
            let number = |number: u32| view::number(number.into());
            job.set("qualityScore", number(quality.score));
            let parts = view::object([
                ("targets", number(quality.targets)),
                ("sections", number(quality.sections)),
                ("references", number(quality.references)),
                ("critiques", number(quality.critiques)),
            ]);
            job.set("qualityParts", Json::Object(parts));
        }
        if let Some(approval) = self.approval() {
            job.set("approval", Json::Object(shown(&approval)));
        }
        whole = whole.followed_by(job);
        whole
    }

    /// The job as lists show it: without payload and result.
    pub(super) fn item(&self) -> Object<'static> {
        item(&self.row, self.state, self.newest.as_ref())
    }

    fn ai(&self) -> Option<&AiUsage> {
        match (&self.outcome, &self.progress) {
            (Some(outcome), _) => outcome.ai.as_ref(),
            (None, Some(progress)) => progress.ai.as_ref(),
            (None, None) => None,
        }
    }

    fn quality(&self) -> Option<Quality> {
        match (&self.outcome, &self.progress) {
            (Some(outcome), _) => outcome.quality,
            (None, Some(progress)) => progress.quality(),
            (None, None) => None,
        }
    }

    pub(super) fn job_plan(&self) -> Option<JobPlan> {
        match (&self.outcome, &self.progress) {
            (Some(outcome), _) => Some(outcome.plan.clone()),
            (None, Some(progress)) => progress.plan.clone(),
            (None, None) => None,
        }
    }

    pub(super) fn plan(&self) -> Json<'static> {
        self.job_plan().map_or(Json::Null, |plan| view::data(&Data::of(&plan)))
    }

    /// What it came to, so far.
    pub(super) fn result(&self) -> Option<Data> {
        match (&self.outcome, &self.progress) {
            (Some(outcome), _) => Some(outcome.result.clone()),
            (None, Some(progress)) => progress.result(),
            (None, None) => None,
        }
    }

    /// The branch that it published on, and the address of its pull request.
    pub(super) fn published(&self) -> (Option<String>, Option<String>) {
        let result = self.result();
        let Some(Ok(result)) = result.as_ref().map(Data::tree) else { return (None, None) };
        let text = |value: Option<&Json<'_>>| value.and_then(Json::as_str).map(str::to_owned);
        let request = result.get("pullRequest").and_then(|request| request.get("url"));
        (text(result.get("branch")), text(request.or_else(|| result.get("prUrl"))))
    }

    pub(super) fn trace(&self) -> Json<'static> {
        let trace: Vec<Explained> = match (&self.outcome, &self.progress) {
            (Some(outcome), _) => outcome.trace.clone(),
            (None, Some(progress)) => progress.trace(),
            (None, None) => Vec::new(),
        };
        view::data(&Data::of(&trace))
    }

    /// The files that the job made, so far.
    pub(super) fn files(&self) -> Vec<MadeFile> {
        match (&self.outcome, &self.progress) {
            (Some(outcome), _) => artifacts(&outcome.result),
            (None, Some(progress)) => {
                progress.result().map(|result| artifacts(&result)).unwrap_or_default()
            }
            (None, None) => Vec::new(),
        }
    }

    pub(super) fn artifacts(&self) -> Json<'static> {
        let file = |file: MadeFile| {
            Json::Object(view::object([
                ("bytes", view::number(file.content.len() as u64)),
                ("sha256", view::text(hex::encode(Sha256::digest(file.content.as_bytes())))),
                ("path", view::text(file.path)),
            ]))
        };
        Json::Array(self.files().into_iter().map(file).collect())
    }

    /// The question whether it may be published, while it is open.
    pub(super) fn approval(&self) -> Option<Approval> {
        let progress = self.progress.as_ref()?;
        (self.state == JobState::AwaitingApproval).then(|| progress.approval()).flatten()
    }
}

/// What is approved: the digest, and the commit that the files rest on.
pub(super) fn shown(approval: &Approval) -> Object<'static> {
    let base = approval.base.as_ref().map_or(Json::Null, view::text);
    view::object([("digest", view::text(&approval.digest)), ("base", base)])
}

/// A job as lists show it.
pub(super) fn item(row: &Row, state: JobState, newest: Option<&Record>) -> Object<'static> {
    let fault = (state == JobState::Failed).then(|| fault(row, newest));
    let error = fault.as_ref().map(|(code, message)| {
        Json::Object(view::object([("code", view::text(code)), ("message", view::text(message))]))
    });
    let (code, message) = fault.unzip();
    let kind = kind_of(&row.workflow).map(|kind| view::text(kind.as_str()));
    view::object([
        ("id", view::text(&row.id)),
        ("type", kind.unwrap_or(Json::Null)),
        ("state", view::text(state.as_str())),
        ("error", error.unwrap_or(Json::Null)),
        ("errorCode", code.map_or(Json::Null, view::text)),
        ("errorMessage", message.map_or(Json::Null, view::text)),
        ("createdAt", view::at(row.created_at)),
        ("updatedAt", view::at(row.at)),
    ])
}

/// Why a job failed: the code, and what its user is told.
fn fault(row: &Row, newest: Option<&Record>) -> (String, String) {
    if row.status != Status::Failed {
        return (JOB_CANCELLED.to_owned(), CANCELLED.to_owned());
    }
    match newest.and_then(|newest| newest.body().ok().flatten()) {
        Some(Body::Failed(end)) => told(end.fault),
        Some(_) | None => hidden(),
    }
}

fn told(fault: Fault) -> (String, String) {
    let is_known =
        ErrorCode::from_word(&fault.code).is_some() || TOLD.contains(&fault.code.as_ref());
    if is_known && fault.code != ErrorCode::InternalError.as_str() {
        return (fault.code.into_owned(), fault.message);
    }
    hidden()
}

/// What is told of a failure that is the program's own: no internals.
fn hidden() -> (String, String) {
    let message = "The job failed because of an internal error. The server's log has the cause.";
    (ErrorCode::InternalError.as_str().to_owned(), message.to_owned())
}
