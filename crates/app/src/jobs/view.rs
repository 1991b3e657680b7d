//! A job as it is shown: how it stands, what it used, what it asks.

use consign_engine::{Engine, Nanos, store::Interaction};
use consign_supervised::{amount::cents, directory::Caught, sealed::TextKey};
use serde_json::{Value, json};

use super::{open::OpenJob, steward::key};
use crate::{error::Error, home::Home, view};

pub struct JobView {
    pub job_id: String,
    /// What it was asked for by.
    pub typed: String,
    pub directory: std::path::PathBuf,
    pub run: String,
    pub status: &'static str,
    pub description: String,
    /// The phase at work, how many there are, and its number from 1.
    pub phase: String,
    pub phase_number: usize,
    pub phases: usize,
    /// The role that acts next.
    pub role: String,
    pub interactions: u64,
    pub spent: Nanos,
    pub assumed: Nanos,
    pub cost_threshold: Option<Nanos>,
    pub seconds: f64,
    pub minutes_threshold: Option<f64>,
    pub points: Vec<String>,
    /// What the roles said last.
    pub words: Vec<(String, String)>,
    /// Whether a process drives it now.
    pub is_driven: bool,
    /// What a person is asked.
    pub question: Option<Interaction>,
    pub require_approval: bool,
    pub sensitive: bool,
    /// Why the manifest is not ours.
    pub diverged: Option<String>,
    pub repaired: Option<String>,
}

impl JobView {
    pub(super) async fn of(home: &Home, job: &OpenJob) -> Result<Self, Error> {
        let state = &job.state;
        // Without the key everything but the texts can be seen.
        let key = key(home, job).await.ok().flatten();
        let open = |text: &str| opened(key.as_ref(), text);
        let turn = state.next_turn();
        let usage = &job.look.usage;
        let spent = state.before.spent + usage.spent;
        let words = state.last_words().into_iter();
        let (diverged, repaired) = match &job.files {
            Caught::Current => (None, None),
            Caught::Diverged(why) => (Some(why.clone()), None),
            Caught::Repaired(why) => (None, Some(why.clone())),
        };
        Ok(Self {
            job_id: state.job_id.clone(),
            typed: job.place.typed.clone(),
            directory: state.directory.clone(),
            run: job.run.to_string(),
            status: job.status().as_str(),
            description: open(&state.description),
            phase: state.job.phase().name.clone(),
            phase_number: (state.job.at + 1).min(state.job.phases.len()),
            phases: state.job.phases.len(),
            role: turn.role,
            interactions: state.job.interactions,
            spent,
            assumed: spent.minus(state.recorded),
            cost_threshold: state.thresholds.cost,
            seconds: state.before.seconds + usage.active.unwrap_or_default().as_secs_f64(),
            minutes_threshold: state.thresholds.minutes,
            points: state.points.iter().map(|point| point.id.clone()).collect(),
            words: words.map(|(role, said)| (role.to_owned(), open(said))).collect(),
            is_driven: job.look.row.worker.is_some(),
            question: question(&home.engine, job).await?,
            require_approval: state.job.require_approval,
            sensitive: state.sensitive,
            diverged,
            repaired,
        })
    }

    #[must_use]
    pub fn json(&self) -> Value {
        let number = |text: String| consign_supervised::amount::number(&text);
        json!({
            "job_id": self.job_id,
            "status": self.status,
            "description": self.description,
            "directory": self.directory,
            "run": self.run,
            "phase": { "name": self.phase, "number": self.phase_number, "of": self.phases },
            "role": self.role,
            "metrics": {
                "interactions": self.interactions,
                "cumulative_cost": number(cents(self.spent)),
                "assumed_cost": number(cents(self.assumed)),
                "cumulative_time_seconds": number(((self.seconds * 1000.0).round() / 1000.0).to_string()),
            },
            "cost_threshold": number(self.cost_threshold.map_or_else(|| "0".to_owned(), cents)),
            "time_threshold_minutes": number(self.minutes_threshold.unwrap_or(0.0).to_string()),
            "require_approval": self.require_approval,
            "sensitive": self.sensitive,
            "recovery_points": self.points,
            "last_words": self.words.iter().map(|(role, said)| json!({"role": role, "said": said})).collect::<Vec<_>>(),
            "question": self.question.as_ref().map(|ask| json!({
                "key": ask.key.to_string(),
                "kind": ask.kind.as_str(),
                "prompt": ask.prompt,
            })),
            "driven": self.is_driven,
            "diverged": self.diverged,
            "repaired": self.repaired,
        })
    }
}

/// A text that may be sealed, as far as it can be opened.
pub(super) fn opened(key: Option<&TextKey>, text: &str) -> String {
    match key.map(|key| key.open(text)) {
        Some(Some(opened)) => opened,
        Some(None) | None if consign_supervised::sealed::is_sealed(text) => "(sealed)".to_owned(),
        Some(None) | None => text.to_owned(),
    }
}

/// What the job asks a person now, if anything.
async fn question(
    engine: &std::sync::Arc<Engine>,
    job: &OpenJob,
) -> Result<Option<Interaction>, Error> {
    if job.look.row.status.is_closed() {
        return Ok(None);
    }
    Ok(view::open_asks(engine, &job.run).await?.into_iter().next())
}
