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
    Agent, Agents, At, Attempt, Bound, Data, Effect, Failure, Fault, Invoker, Nanos, Order, Quote,
    Reply, Settings, Unreadable,
    notebook::{Note, Notebook},
    store,
};

const PERCEPTION: &str = "perception";
const INTEGRATION: &str = "integration";
/// Earlier questions that perception is given.
const MOST_TURNS: usize = 10;
/// Longer answers are cut: they are reminders, not records.
const MOST_LETTERS: usize = 600;
/// The topic of an owner's wishes.
const PREFERENCES: &str = "preferences";
/// Wishes of an owner, and what one may hold: a few words about how answers should be. Larger ones are
/// neither kept nor handed on, whoever wrote them down.
const MOST_WISHES: usize = 50;
const MOST_BYTES: usize = 2_000;

/// These agents, with a memory for those that have use for one.
#[must_use]
pub fn remembering(agents: Agents, notebook: &Arc<dyn Notebook>) -> Agents {
    let mut to = agents.clone();
    for name in [PERCEPTION, INTEGRATION] {
        if let Some(agent) = agents.get(name) {
            to = to.with(name, with_memory(name, agent, notebook));
        }
    }
    to
}

/// A built-in agent with its memory, if it has use for one, whoever thinks for it.
pub(super) fn with_memory(name: &str, agent: Agent, notebook: &Arc<dyn Notebook>) -> Agent {
    let part = match name {
        PERCEPTION => Part::Recalls,
        INTEGRATION => Part::Notes,
        _ => return agent,
    };
    let (inner, notebook) = (agent.invoker.clone(), notebook.clone());
    let invoker = Arc::new(Remembering { inner, notebook, part });
    // A model's answer that is noted twice is noted once; the model is pure as it was.
    let effect = if agent.effect == Effect::Pure { Effect::Idempotent } else { agent.effect };
    Agent { effect, invoker, ..agent }
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
    /// Puts what was before into what the agent is given.
    async fn recall(&self, mut attempt: Attempt) -> Result<Reply, Failure> {
        let failed = |cause: store::Error| {
            let text = format!("could not recall the session: {cause}");
            Failure::new(Fault::transient("MEMORY_UNAVAILABLE", text), Some(Nanos::ZERO))
        };
        let unreadable = |why: Unreadable| Failure::new(why.into(), Some(Nanos::ZERO));
        let mut input = attempt.input.tree().map_err(unreadable)?.into_owned();
        let Some(session) = member(&input, "session_id").map(str::to_owned) else {
            return self.inner.invoke(attempt).await;
        };
        let owner = attempt.owner.clone();
        let brought = wishes_of(&input);
        let turns = self.notebook.notes(&owner, &session, MOST_TURNS).await.map_err(failed)?;
        let kept = self.notebook.notes(&owner, PREFERENCES, MOST_WISHES).await.map_err(failed)?;
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
            self.notebook.note(&owner, PREFERENCES, note).await.map_err(failed)?;
        }
        Ok(reply)
    }

    /// Writes down a question and its answer. An answer that could not be noted is an answer all the same,
    /// and says so.
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

/// The wishes that an envelope brings along, as far as they are such.
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

/// Notes are ordered by when they were written.
fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
