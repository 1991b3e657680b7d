//! A turn: from a message to a run that answers it.

use consign_contracts::{
    crew::{CheckType, GuardrailsInput, Persona},
    json::Object,
    wire::Message as _,
};
use consign_conversation::{
    failure::Failed,
    turn::{GUARDRAILS, TurnInput, WORKFLOW},
};
use consign_engine::{
    AgentName, Call, Data, Drive, Fault, InMemoryDriver, Key, Limits, Owner, Placement, Retry,
    RunId, Settings, Speaker, Submission, Submitted,
};
use consign_invokers::{model::ModelSource, settings::RunSettings};
use consign_knowledge::conversation::Conversation;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tracing::warn;

use super::{
    blocked::Blocked,
    find::session_name,
    forget::redact_forgotten,
    given::{blocked, history, instructions},
    unfinished,
};
use crate::{
    Home,
    error::{Error, Refused},
    foreground::Foreground,
    machine::{now, random},
};

/// The model that stands for none: answers are made of quotes.
pub(super) const RULES: &str = "rules";
const TIMEOUT: &str = "ERR_TIMEOUT";
/// Turns of the past that a turn knows.
const TURNS_KNOWN: usize = 10;
/// The longest message, in bytes.
const LONGEST_MESSAGE: usize = 64 << 10;
/// The longest wish for the form of an answer, in bytes.
const LONGEST_INSTRUCTIONS: usize = 2_000;

/// A message of a user, and how it is to be answered.
#[derive(Clone, Debug)]
pub struct Ask {
    pub session: String,
    pub message: String,
    /// The one that the session had before, where none is named.
    pub persona: Option<Persona>,
    pub collection: Option<String>,
    pub formatting_instructions: Option<String>,
    /// The one of the settings, where none is named; `rules` is none.
    pub model: Option<String>,
    pub limits: Limits,
    pub settings: Settings,
    pub placement: Placement,
}

/// What follows from a message.
pub enum Prepared {
    /// The run that answers it.
    Turn(Box<Submission>),
    /// The guard has stopped it. The conversation knows.
    Blocked(Box<Blocked>),
}

/// A name for a session that begins.
#[must_use]
pub fn new_session() -> String {
    uuid::Builder::from_random_bytes(random()).into_uuid().to_string()
}

/// Looks at a message, finishes what the session has left unfinished, and gives the run that answers.
///
/// # Errors
/// `TURN_IN_PROGRESS` while another turn of the session is under way, `AI_KEY_MISSING` for a model without a key.
pub async fn prepare(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    ask: Ask,
) -> Result<Prepared, Error> {
    check(&ask)?;
    let model = model(home, owner, &ask).await?;
    let conversation = unfinished::settled(home, owner, &ask.session).await?;
    // What was removed while a turn was under way.
    if let Err(error) = redact_forgotten(home, speaker).await {
        warn!(%error, "what is to be forgotten could not be erased yet");
    }
    let asked_at = now();
    let looked = match instructions(home, ask.formatting_instructions.as_deref()).await? {
        Ok(instructions) => {
            let looked = look(home, owner, &conversation, &ask).await?;
            looked.map(|looked| (looked, instructions))
        }
        Err(failed) => Err((Vec::new(), failed)),
    };
    let (Looked { verdict, message, marks, failures, settings }, instructions) = match looked {
        Ok(looked) => looked,
        Err((before, failed)) => {
            let blocked = Blocked { session: ask.session, failed, before, at: asked_at };
            blocked.keep(home, owner, &conversation).await?;
            return Ok(Prepared::Blocked(Box::new(blocked)));
        }
    };
    let mut preferences: Map<String, Value> = conversation.preferences.to().unwrap_or_default();
    if let Some(persona) = ask.persona {
        preferences.insert("persona".to_owned(), json!(persona.as_str()));
    }
    let liked = preferences.get("persona").and_then(Value::as_str).and_then(Persona::from_word);
    let persona = ask.persona.or(liked).unwrap_or(Persona::General);
    let messages = home.turns.conversations.messages(&conversation, 2 * TURNS_KNOWN).await?;
    let input = TurnInput {
        session: ask.session,
        conversation: conversation.id.clone(),
        number: conversation.turns,
        message,
        guard: verdict,
        failures,
        history: history(messages),
        persona: persona.as_str().to_owned(),
        formatting_instructions: instructions,
        collection: ask.collection,
        preferences,
        marks,
        model,
        asked_at,
    };
    Ok(Prepared::Turn(Box::new(Submission {
        id: Some(conversation.run(conversation.turns)),
        workflow: WORKFLOW.to_owned(),
        input: Data::of(&input),
        owner: owner.clone(),
        limits: Limits::standard().raised(&ask.limits),
        placement: ask.placement,
        priority: 0,
        settings,
        certified: false,
        actor: speaker.actor.clone(),
    })))
}

/// Makes the run of a turn, which this process drives.
pub async fn begin(
    foreground: &mut Foreground,
    turn: Submission,
) -> Result<(Submitted, Option<Drive>), Error> {
    foreground.begin(turn).await.map_err(in_progress)
}

/// Makes the run of a turn, for the workers.
pub async fn start(home: &Home, turn: Submission) -> Result<Submitted, Error> {
    home.engine.submit(turn).await.map_err(|error| in_progress(error.into()))
}

/// Of two turns that begin at the same time, one finds the run of the other.
fn in_progress(error: Error) -> Error {
    if let Error::Engine(consign_engine::Error::Fault(fault)) = &error
        && fault.code == "RUN_EXISTS"
    {
        return unfinished::under_way().into();
    }
    error
}

fn check(ask: &Ask) -> Result<(), Refused> {
    let invalid = |what: String| Err(Refused::usage("VALIDATION_ERROR", what));
    if ask.message.trim().is_empty() {
        return invalid("the message is empty".to_owned());
    }
    if ask.message.len() > LONGEST_MESSAGE {
        return invalid(format!("the message is longer than {LONGEST_MESSAGE} bytes"));
    }
    if ask.formatting_instructions.as_ref().is_some_and(|text| text.len() > LONGEST_INSTRUCTIONS) {
        return invalid(format!("the instructions are longer than {LONGEST_INSTRUCTIONS} bytes"));
    }
    session_name(&ask.session)
}

/// The model that writes. One without a key is refused before anything is done.
async fn model(home: &Home, owner: &Owner, ask: &Ask) -> Result<Option<String>, Error> {
    let named = ask.model.clone().or_else(|| home.turn_settings.model.clone());
    let Some(model) = named.filter(|model| model != RULES) else { return Ok(None) };
    let source =
        ModelSource::read(&model, &[]).map_err(|why| Refused::usage("MODEL_INVALID", why))?;
    let is_scripted = RunSettings::of(&ask.settings)?.script.is_some();
    if let ModelSource::Models(chain) = source
        && !is_scripted
    {
        let mut found = false;
        for name in &chain {
            found |= home.models.keys().suffice(owner, name.provider).await?;
        }
        if let Some(first) = chain.first().filter(|_| !found) {
            let variable = first.provider.key_variables().first().copied().unwrap_or_default();
            let provider = first.provider;
            let told = format!("there is no key for {provider}, which {model} is a model of");
            let hint = format!(
                "set {variable}, or `consign keys set {provider}`; without --model the answer is made of quotes"
            );
            return Err(Refused::new("AI_KEY_MISSING", told).hint(hint).into());
        }
    }
    Ok(Some(model))
}

/// A message that may go on.
struct Looked {
    /// Contract `crew/guardrails.output`.
    verdict: Value,
    message: String,
    marks: Option<Data>,
    failures: Vec<Failed>,
    settings: Settings,
}

#[derive(Deserialize)]
struct Verdict {
    is_safe: bool,
    sanitized_content: String,
    #[serde(default)]
    risk_category: Option<String>,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    marks: Option<Data>,
}

/// Asks the guard about a message, before there is a run: what was said in the open is in no journal. A guard that fails
/// lets nothing through.
async fn look(
    home: &Home,
    owner: &Owner,
    conversation: &Conversation,
    ask: &Ask,
) -> Result<Result<Looked, (Vec<Failed>, Failed)>, Error> {
    let name = RunId::new(format!("guard-{}", hex::encode(random::<8>())));
    let mut driver = InMemoryDriver::new(name, home.engine.agents().clone(), owner.clone(), now);
    driver.settings = ask.settings.clone();
    let given = GuardrailsInput {
        content: ask.message.clone(),
        check_type: CheckType::InputValidation,
        metadata: None,
        extra: Object::new(),
    };
    let mut input: Value = serde_json::from_str(&given.to_json()).unwrap_or_default();
    input["metadata"] = json!({ "marks": conversation.marks, "conversation": conversation.id });
    let call = Call {
        key: Key::from(GUARDRAILS),
        agent: AgentName::from(GUARDRAILS),
        input: Data::of(&input),
        retry: Retry::NEVER,
    };
    let (mut failures, mut called) = (Vec::new(), 0_usize);
    let output = loop {
        called += 1;
        let fault: Fault = match driver.call(&call).await.result {
            Ok(output) => break output,
            Err(fault) => fault,
        };
        let failed = failed(&fault).at(now());
        if failed.error_code == TIMEOUT && failures.is_empty() {
            failures.push(failed);
            continue;
        }
        return Ok(Err((failures, failed)));
    };
    let verdict: Verdict = match output.to() {
        Ok(verdict) => verdict,
        Err(cause) => {
            let told = format!("the guard's verdict is not understood: {cause}");
            return Ok(Err((failures, Failed::new(GUARDRAILS, "ERR_GUARDRAIL_UNSAFE", told))));
        }
    };
    if !verdict.is_safe {
        let failed = blocked(verdict.reasoning, verdict.risk_category.as_deref());
        return Ok(Err((failures, failed)));
    }
    let mut settings = RunSettings::of(&ask.settings)?;
    if settings.script.is_some() {
        settings.script_before = vec![GUARDRAILS.to_owned(); called];
    }
    let mut kept: Value = output.to().unwrap_or_default();
    if let Some(kept) = kept.as_object_mut() {
        // The marks are kept beside.
        kept.remove("marks");
    }
    Ok(Ok(Looked {
        verdict: kept,
        message: verdict.sanitized_content,
        marks: verdict.marks.or_else(|| conversation.marks.clone()),
        failures,
        settings: settings.settings(),
    }))
}

fn failed(fault: &Fault) -> Failed {
    let is_late = fault.is_timeout() || fault.code == TIMEOUT;
    let mut failed = match is_late {
        true => Failed::new(GUARDRAILS, TIMEOUT, format!("{GUARDRAILS} took too long")),
        false => Failed::new(GUARDRAILS, fault.code.to_string(), fault.message.clone()),
    };
    failed.recoverable = is_late;
    failed
}
