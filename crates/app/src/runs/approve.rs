//! Approving or rejecting what a run asks.

use std::sync::Arc;

use consign_contracts::schema::Schema;
use consign_engine::{
    AskKind, Data, Engine, Fault, Key, RunId, Speaker,
    store::{InboxQuery, Interaction},
};
use serde_json::json;

use super::answer::{Reply, Taken, answer};
use crate::{
    error::{Error, Refused},
    view,
};

/// What a person says to an approval.
#[derive(Clone, Debug)]
pub enum Verdict {
    Approved { why: Option<String> },
    Rejected { why: String },
}

/// Approves or rejects what a run asks. The key may be left out where only one approval is asked for.
pub async fn decide(
    engine: &Arc<Engine>,
    run: &RunId,
    key: Option<Key>,
    verdict: &Verdict,
    by: &Speaker,
) -> Result<Taken, Error> {
    let ask = match key {
        Some(key) => {
            let ask = engine.store().interaction(run, &key).await?;
            ask.ok_or_else(|| {
                let told = format!("run {run} never asked {key}");
                Refused::new("INTERACTION_NOT_FOUND", told)
            })?
        }
        None => only(engine, run).await?,
    };
    let value = verdict.fitting(&ask)?;
    answer(engine, run, Some(ask.key), &Reply::Value(value), by).await
}

/// The one approval or confirmation that a run asks for.
async fn only(engine: &Arc<Engine>, run: &RunId) -> Result<Interaction, Error> {
    let row = engine.store().row(run).await?;
    let mut asks = view::open_asks(engine, run).await?;
    asks.retain(|ask| matches!(ask.kind, AskKind::Approval | AskKind::Confirmation));
    match asks.len() {
        1 if has_approved(engine, run).await? => {
            let key = asks[0].key.clone();
            let told = format!(
                "run {run} was approved or rejected before, and now asks {key}; name it to answer that"
            );
            Err(Refused::usage("INTERACTION_AMBIGUOUS", told)
                .hint(format!("consign runs approve {run} {key}"))
                .into())
        }
        1 => Ok(asks.remove(0)),
        0 => {
            let told = format!("run {run} asks for no approval; its status is {}", row.status);
            let code =
                if row.status.is_closed() { "INVALID_STATE" } else { "INTERACTION_NOT_FOUND" };
            Err(Refused::new(code, told).into())
        }
        many => {
            let told = format!("run {run} asks for {many} approvals; name the one that is meant");
            let keys = asks.iter().take(10).map(|ask| ask.key.to_string());
            Err(Refused::usage("INTERACTION_AMBIGUOUS", told).listing(keys).into())
        }
    }
}

/// Whether an approval of this run was answered before: a command that is typed twice must not say yes to the next.
async fn has_approved(engine: &Arc<Engine>, run: &RunId) -> Result<bool, Error> {
    for kind in [AskKind::Approval, AskKind::Confirmation] {
        let (run, kind) = (Some(run.clone()), Some(kind));
        let query = InboxQuery { run, kind, answered: true, most: 1, ..InboxQuery::default() };
        if !engine.store().inbox(&query).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Verdict {
    /// The verdict in the form that an ask allows: with its reason where there is a place for one.
    fn fitting(&self, ask: &Interaction) -> Result<Data, Error> {
        let (yes, why) = match self {
            Self::Approved { why } => (true, why.as_deref()),
            Self::Rejected { why } => (false, Some(why.as_str())),
        };
        let schema =
            Schema::compile(&ask.schema.tree().map_err(Fault::from)?).map_err(|cause| {
                Refused::new("SCHEMA_INVALID", format!("the answer schema of {}: {cause}", ask.key))
            })?;
        let whole = match why {
            Some(why) => json!({"approved": yes, "why": why}),
            None => json!({"approved": yes}),
        };
        let forms = [Data::of(&whole), Data::of(&json!({"approved": yes})), Data::of(&yes)];
        let fits = |form: &&Data| form.tree().is_ok_and(|tree| schema.is_valid(&tree));
        forms.iter().find(fits).cloned().ok_or_else(|| {
            let told = format!("{} takes no plain yes or no: it is a {}", ask.key, ask.kind);
            Refused::usage("NOT_AN_APPROVAL", told)
                .hint(format!("answer it with: consign runs answer {} --value JSON", ask.run))
                .into()
        })
    }
}
