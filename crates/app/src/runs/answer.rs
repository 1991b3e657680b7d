//! Answering what a run asks.

use std::sync::Arc;

use consign_engine::{
    Data, Engine, Key, RunId, Speaker,
    store::{Interaction, Row},
};

use crate::{
    error::{Error, Refused},
    view,
};

/// Prompts are cut to so many letters where several are listed.
const SHOWN: usize = 80;

/// What is said to a question.
#[derive(Clone, Debug)]
pub enum Reply {
    Value(Data),
    /// No answer will come in the place of an agent, and why.
    Decline(String),
}

/// An answer that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The run as it is now.
    pub row: Row,
    /// What was answered.
    pub key: Key,
}

/// Answers a question of a run. The key may be left out where only one thing is asked.
pub async fn answer(
    engine: &Arc<Engine>,
    run: &RunId,
    key: Option<Key>,
    reply: &Reply,
    by: &Speaker,
) -> Result<Taken, Error> {
    let key = match key {
        Some(key) => key,
        None => only(engine, run).await?,
    };
    match reply {
        Reply::Value(value) => engine.answer(run, &key, value, by).await?,
        Reply::Decline(why) => engine.decline(run, &key, why, by).await?,
    }
    Ok(Taken { row: engine.store().row(run).await?, key })
}

/// The one thing that a run asks.
async fn only(engine: &Arc<Engine>, run: &RunId) -> Result<Key, Error> {
    let row = engine.store().row(run).await?;
    if row.status.is_closed() {
        let told = format!("run {run} is over: its status is {}", row.status);
        return Err(Refused::new("INVALID_STATE", told).into());
    }
    let asks = view::open_asks(engine, run).await?;
    match asks.as_slice() {
        [ask] => Ok(ask.key.clone()),
        [] => {
            let told = format!("run {run} asks nothing now; its status is {}", row.status);
            Err(Refused::new("INTERACTION_NOT_FOUND", told).into())
        }
        asks => {
            let line = |ask: &Interaction| {
                let prompt: String = ask.prompt.replace('\n', " ").chars().take(SHOWN).collect();
                format!("{}  {prompt}", ask.key)
            };
            let told =
                format!("run {run} asks {} things; name the one that is answered", asks.len());
            Err(Refused::usage("INTERACTION_AMBIGUOUS", told)
                .listing(asks.iter().take(10).map(line))
                .into())
        }
    }
}
