//! `consign ask --stream`: a message a line, an answer a line.

use consign_app::{
    conversations::{Persona, orchestrator_output},
    foreground::Foreground,
};
use consign_contracts::{
    crew::OrchestratorInput,
    json::{Json, Limits},
    wire::Message as _,
};
use tokio::sync::Mutex;

use super::{MannerArgs, turn};
use crate::{
    commands::lines::answer_each,
    engine::Session,
    error::{Error, Exit},
    output::Output,
};

pub(super) async fn run(
    session: &Session,
    args: &MannerArgs,
    output: &mut Output,
) -> Result<Exit, Error> {
    let foreground = Mutex::new(Foreground::new(&session.engine).await?);
    let quiet = Output::new(true, output.color);
    let answer = async |line: &[u8]| {
        let mut foreground = foreground.lock().await;
        one(session, args, &mut foreground, &quiet, line).await
    };
    answer_each(output, Limits::default().bytes, answer).await
}

async fn one(
    session: &Session,
    args: &MannerArgs,
    foreground: &mut Foreground,
    quiet: &Output,
    line: &[u8],
) -> Result<String, Error> {
    let input = OrchestratorInput::from_json(line)
        .map_err(|why| Error::new("VALIDATION_ERROR", why.to_string()))?;
    if input.user_id != args.owner.as_str() {
        let told = format!("user_id is {:?}, and this is {}", input.user_id, args.owner.as_str());
        return Err(Error::new("VALIDATION_ERROR", told).hint("--owner says whose documents"));
    }
    let text = |name: &str| match input.extra.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.to_string())),
        Some(_) => Err(Error::new("VALIDATION_ERROR", format!("`{name}` is a text"))),
    };
    let mut ask = args.ask(input.session_id.clone(), input.user_message.clone())?;
    if let Some(word) = text("persona")? {
        let persona = Persona::from_word(&word).or_else(|| super::persona(&word).ok());
        let unknown = || Error::new("VALIDATION_ERROR", format!("there is no persona {word:?}"));
        ask.persona = Some(persona.ok_or_else(unknown)?);
    }
    ask.collection = text("collection")?.or(ask.collection);
    ask.formatting_instructions = text("formatting_instructions")?.or(ask.formatting_instructions);
    match turn::answer(session, foreground, &args.owner, ask, quiet, false).await? {
        turn::Answered::Outcome(run, outcome) => {
            Ok(orchestrator_output(&outcome, &run).to_string())
        }
        turn::Answered::Left(_) => Err(Error::new(
            "INTERRUPTED",
            "the turn waits or was stopped; `consign runs list` shows it",
        )),
    }
}
