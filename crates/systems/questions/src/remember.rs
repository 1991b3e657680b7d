//! The memory of a session: its questions and answers, and its owner's preferences.
//!
//! Perception is given the earlier questions, and integration writes down the new answer. Both are
//! keyed by the owner that pays and the envelope's `session_id`: an envelope's own `user_id` is a
//! name and proves nothing.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Agent, Agents, At, Attempt, Bound, Data, Effect, Failure, Fault, Invoker, Nanos, Order, Quote,
    Reply, Settings, Unreadable,
    session_memory::{Note, SessionMemory},
    store,
};

const PERCEPTION: &str = "perception";
const INTEGRATION: &str = "integration";
/// Earlier questions that perception is given.
const MOST_TURNS: usize = 10;
/// The most characters of an answer that are kept: a note is a reminder, not a record.
const MOST_LETTERS: usize = 600;
/// The topic under which an owner's preferences are kept.
const PREFERENCES: &str = "preferences";
/// How many preferences an owner may have, and how long one may be: a few words about how answers
/// should be. Larger ones are neither kept nor passed on.
const MOST_WISHES: usize = 50;
const MOST_BYTES: usize = 2_000;

/// These agents, with a memory for those that use one.
#[must_use]
pub fn remembering(agents: Agents, memory: &Arc<dyn SessionMemory>) -> Agents {
    let mut to = agents.clone();
    for name in [PERCEPTION, INTEGRATION] {
        if let Some(agent) = agents.get(name) {
            to = to.with(name, with_memory(name, agent, memory));
        }
    }
    to
}

/// A built-in agent with its memory, if it uses one, with or without a model.
pub(super) fn with_memory(name: &str, agent: Agent, memory: &Arc<dyn SessionMemory>) -> Agent {
    let part = match name {
        PERCEPTION => Part::Recalls,
        INTEGRATION => Part::Notes,
        _ => return agent,
    };
    let (inner, memory) = (agent.invoker.clone(), memory.clone());
    let invoker = Arc::new(Remembering { inner, memory, part });
    // A model's answer that is noted twice is noted once; the model is pure as it was.
    let effect = if agent.effect == Effect::Pure { Effect::Idempotent } else { agent.effect };
    Agent { effect, invoker, ..agent }
}

struct Remembering {
    inner: Arc<dyn Invoker>,
    memory: Arc<dyn SessionMemory>,
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

    fn quote(&self, order: &Order<'_>) -> Quote {
        self.inner.quote(order)
    }

    fn bound(&self, input: &Data, settings: &Settings, tries: u32) -> Bound {
        self.inner.bound(input, settings, tries)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        match self.part {
            Part::Recalls => self.recall(attempt).await,
            Part::Notes => self.note(attempt).await,
        }
    }
}

impl Remembering {
    /// Adds the earlier questions to the agent's input.
    async fn recall(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let failed = |cause: store::Error| {
            let text = format!("could not read the notes of the session: {cause}");
            Failure::new(Fault::transient("MEMORY_UNAVAILABLE", text), Some(Nanos::ZERO))
        };
        let unreadable = |why: Unreadable| Failure::new(why.into(), Some(Nanos::ZERO));
        let mut input = attempt.input.tree().map_err(unreadable)?.into_owned();
        let Some(session) = member(&input, "session_id").map(str::to_owned) else {
            return self.inner.invoke(attempt).await;
        };
        let owner = attempt.owner.clone();
        let brought = wishes_of(&input);
        let turns = self.memory.notes(&owner, &session, MOST_TURNS).await.map_err(failed)?;
        let kept = self.memory.notes(&owner, PREFERENCES, MOST_WISHES).await.map_err(failed)?;
        let mut known = Object::new();
        // What an envelope came to before is no earlier question: it may go through twice.
        let own = member(&input, "envelope_id").unwrap_or_default();
        let turns = turns.iter().filter(|turn| turn.name != own && is_small(&turn.text, 8));
        let turns = turns.map(|turn| turn.text.shown().into_owned()).collect();
        known.set("session_history", Json::Array(turns));
        // What is wished for now comes after what was wished for before.
        let mut wishes = Object::new();
        for (name, wish) in kept
            .iter()
            .map(|note| (&note.name, &note.text))
            .chain(brought.iter().map(|(name, wish)| (name, wish)))
        {
            if is_small(wish, 1) {
                wishes.set(name.clone(), wish.shown().into_owned());
            }
        }
        known.set("user_preferences", Json::Object(wishes));
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
        let reply = self.inner.invoke(attempt).await?;
        // Only of an envelope that could be read at all; they hold for its owner from then on.
        for (name, text) in brought {
            let note = Note { name, text, at: now() };
            self.memory.note(&owner, PREFERENCES, note).await.map_err(failed)?;
        }
        Ok(reply)
    }

    /// Writes down a question and its answer. If that fails, the answer still counts, and says so.
    async fn note(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let (owner, input) = (attempt.owner.clone(), attempt.input.clone());
        let mut reply = self.inner.invoke(attempt).await?;
        let input = input.shown();
        let (Some(session), Some(envelope)) =
            (member(&input, "session_id"), member(&input, "envelope_id"))
        else {
            return Ok(reply);
        };
        let output = reply.output.shown();
        let mut turn = Object::new();
        let question = member(&input, "raw_input").unwrap_or_default();
        let answer = output.get("final_response").and_then(Json::as_str).unwrap_or_default();
        turn.set("question", short(question));
        turn.set("answer", short(answer));
        let text = Data::from(&Json::Object(turn));
        let note = Note { name: envelope.to_owned(), text, at: now() };
        if let Err(cause) = self.memory.note(&owner, session, note).await {
            let mut output = output.into_owned();
            if let Json::Object(members) = &mut output {
                members.set("not_remembered", Json::String(cause.to_string().into()));
            }
            reply.output = Data::from(&output);
        }
        Ok(reply)
    }
}

/// The valid preferences in an envelope.
fn wishes_of(input: &Json<'_>) -> Vec<(String, Data)> {
    let envelope = input.get("envelope");
    let wishes = envelope.and_then(|envelope| envelope.get("metadata")?.get("user_preferences"));
    let wishes = wishes.and_then(Json::as_object).map(Object::iter).into_iter().flatten();
    let wishes = wishes.map(|(name, wish)| (name.chars().take(100).collect(), Data::from(wish)));
    wishes.filter(|(_, wish)| is_small(wish, 1)).take(MOST_WISHES).collect()
}

fn is_small(note: &Data, times: usize) -> bool {
    note.as_str().len() <= times * MOST_BYTES
}

/// A text of the envelope that the agent is given.
fn member<'a>(input: &'a Json<'_>, name: &str) -> Option<&'a str> {
    input.get("envelope")?.get(name)?.as_str()
}

fn short(text: &str) -> Json<'static> {
    Json::String(text.chars().take(MOST_LETTERS).collect::<String>().into())
}

/// The current time. Notes are ordered by it.
fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
