//! What a session remembers: its questions and their answers, and how its owner likes answers.
//!
//! Perception is given what was before, and integration writes down what came of it. Both go by the
//! owner that pays and the envelope's `session_id`: an envelope's own `user_id` is a name and proves
//! nothing.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Agent, Agents, At, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Reply,
    notebook::{Note, Notebook},
    store,
};

use super::pipeline::INTEGRATION;

const PERCEPTION: &str = "perception";
/// Earlier questions that perception is given.
const MOST_TURNS: usize = 10;
/// Longer answers are cut: they are reminders, not records.
const MOST_LETTERS: usize = 600;
/// The topic of an owner's wishes.
const PREFERENCES: &str = "preferences";

/// These agents, with a memory for those that have use for one.
#[must_use]
pub fn remembering(agents: Agents, notebook: &Arc<dyn Notebook>) -> Agents {
    let mut to = agents.clone();
    for (name, part) in [(PERCEPTION, Part::Recalls), (INTEGRATION, Part::Notes)] {
        if let Some(agent) = agents.get(name) {
            let inner = agent.invoker.clone();
            let with = Arc::new(Remembering { inner, notebook: notebook.clone(), part });
            to = to.with(name, Agent { effect: Effect::Idempotent, invoker: with, ..agent });
        }
    }
    to
}

struct Remembering {
    inner: Arc<dyn Invoker>,
    notebook: Arc<dyn Notebook>,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    Recalls,
    Notes,
}

#[async_trait]
impl Invoker for Remembering {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.inner.worst_case(input)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        match self.part {
            Part::Recalls => self.recall(attempt).await,
            Part::Notes => self.note(attempt).await,
        }
    }
}

impl Remembering {
    /// Puts what was before into what the agent is given.
    async fn recall(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let failed = |cause: store::Error| {
            let text = format!("could not recall the session: {cause}");
            Failure::new(Fault::transient("MEMORY_UNAVAILABLE", text), Some(Nanos::ZERO))
        };
        let mut input = attempt.input.tree().into_owned();
        let Some(session) = member(&input, "session_id").map(str::to_owned) else {
            return self.inner.invoke(attempt).await;
        };
        let owner = attempt.owner.clone();
        self.keep_wishes(&attempt, &input).await.map_err(failed)?;
        let turns = self.notebook.notes(&owner, &session, MOST_TURNS).await.map_err(failed)?;
        let wishes = self.notebook.notes(&owner, PREFERENCES, 100).await.map_err(failed)?;
        let mut known = Object::new();
        // What an envelope came to before is no earlier question: it may go through twice.
        let own = member(&input, "envelope_id").unwrap_or_default();
        let turns = turns.iter().filter(|turn| turn.name != own);
        let turns = turns.map(|turn| turn.text.tree().into_owned()).collect();
        known.set("session_history", Json::Array(turns));
        let wishes =
            wishes.into_iter().map(|wish| (wish.name.into(), wish.text.tree().into_owned()));
        known.set("user_preferences", Json::Object(wishes.collect()));
        if let Json::Object(brief) = &mut input
            && let Some(Json::Object(envelope)) = brief.get_mut("envelope")
        {
            let mut metadata = envelope.remove("metadata");
            if !matches!(metadata, Some(Json::Object(_))) {
                metadata = Some(Json::Object(Object::new()));
            }
            if let Some(Json::Object(members)) = &mut metadata {
                members.set("session", Json::Object(known));
            }
            envelope.set("metadata", metadata.unwrap_or_default());
        }
        attempt.input = Data::from(&input);
        self.inner.invoke(attempt).await
    }

    /// Wishes that an envelope brings along hold for its owner from then on.
    async fn keep_wishes(&self, attempt: &Attempt, input: &Json<'_>) -> Result<(), store::Error> {
        let envelope = input.get("envelope");
        let wishes =
            envelope.and_then(|envelope| envelope.get("metadata")?.get("user_preferences"));
        let Some(wishes) = wishes.and_then(Json::as_object) else { return Ok(()) };
        let at = now();
        for (name, wish) in wishes.iter().take(50) {
            let note = Note { name: name.chars().take(100).collect(), text: Data::from(wish), at };
            self.notebook.note(&attempt.owner, PREFERENCES, note).await?;
        }
        Ok(())
    }

    /// Writes down a question and its answer. An answer that could not be noted is an answer all the same,
    /// and says so.
    async fn note(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let (owner, input) = (attempt.owner.clone(), attempt.input.clone());
        let mut reply = self.inner.invoke(attempt).await?;
        let input = input.tree();
        let (Some(session), Some(envelope)) =
            (member(&input, "session_id"), member(&input, "envelope_id"))
        else {
            return Ok(reply);
        };
        let output = reply.output.tree();
        let mut turn = Object::new();
        let question = member(&input, "raw_input").unwrap_or_default();
        let answer = output.get("final_response").and_then(Json::as_str).unwrap_or_default();
        turn.set("question", short(question));
        turn.set("answer", short(answer));
        let text = Data::from(&Json::Object(turn));
        let note = Note { name: envelope.to_owned(), text, at: now() };
        if let Err(cause) = self.notebook.note(&owner, session, note).await {
            let mut output = output.into_owned();
            if let Json::Object(members) = &mut output {
                members.set("not_remembered", Json::String(cause.to_string().into()));
            }
            reply.output = Data::from(&output);
        }
        Ok(reply)
    }
}

/// A text of the envelope that the agent is given.
fn member<'a>(input: &'a Json<'_>, name: &str) -> Option<&'a str> {
    input.get("envelope")?.get(name)?.as_str()
}

fn short(text: &str) -> Json<'static> {
    Json::String(text.chars().take(MOST_LETTERS).collect::<String>().into())
}

/// Notes are ordered by when they were written.
fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
