//! Following a turn by its journal, and what it comes to for a surface.

use consign_conversation::turn::{Heard, TurnOutcome, Watch};
use consign_engine::{Engine, RunId, Seq, journal::Body, store};
use serde_json::{Value, json};

use crate::{error::Error, home::page};

/// Reads what happened in a turn, from where it stopped before.
#[derive(Debug, Default)]
pub struct Watching {
    next: Seq,
    watch: Watch,
}

impl Watching {
    /// What happened since the last call, each with the event that says so.
    pub async fn more(&mut self, engine: &Engine, run: &RunId) -> Result<Vec<(Seq, Heard)>, Error> {
        let mut heard = Vec::new();
        loop {
            let records = page(engine, run, self.next).await?;
            let Some(last) = records.last() else { return Ok(heard) };
            self.next = last.seq.next();
            for record in &records {
                let body: Option<Body> = record.body().map_err(store::Error::Unavailable)?;
                let Some(body) = body else { continue };
                let news = self.watch.take(&body, record.at);
                heard.extend(news.into_iter().map(|news| (record.seq, news)));
            }
        }
    }

    #[must_use]
    pub fn steps(&self) -> &[consign_conversation::turn::PlanStep] {
        self.watch.steps()
    }

    /// The passages that were found so far: values of contract `RetrievedContext`.
    #[must_use]
    pub fn context(&self) -> &[Value] {
        self.watch.context()
    }
}

/// What a turn ends with, as contract `crew/orchestrator.output` has it, with failures and warnings beside.
#[must_use]
pub fn orchestrator_output(outcome: &TurnOutcome, run: &RunId) -> Value {
    json!({
        "final_response": outcome.final_response,
        "execution_plan": outcome.execution_plan,
        "processing_time_total_ms": outcome.processing_time_total_ms,
        "failures": outcome.failures,
        "warnings": outcome.warnings,
        "session_id": outcome.session_id,
        "run": run.as_str(),
    })
}
