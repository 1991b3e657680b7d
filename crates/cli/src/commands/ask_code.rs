//! `consign ask-code QUESTION`: a question about a code base, for people.

use std::{
    collections::BTreeSet,
    io::{self, BufRead, IsTerminal, Write},
};

use consign_app::pipelines::{self, ready};
use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::{Message, Nullable},
};
use consign_engine::{Ask, AskKind, Data, Nanos, Owner};
use consign_pipeline::{INTEGRATION, carry::Progress, result};

use super::{
    answer::{self, Form},
    envelope::session_arg,
    pipeline::place_args::PlaceArgs,
    runs::{
        agent_overrides::{AgentOverrides, SCRIPT},
        form,
        limits::LimitArgs,
        owner_arg,
    },
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    no_key,
    output::{Audience, BAD, FAINT, GOOD, Output, STRONG, WARN, object, printable, styled},
    text::span,
};

const HELP: &str = "\
Searches the repository, reads what it finds, follows its symbols, and answers with the places that the answer \
rests on: every citation is a line that exists. Without a model this is done by rules; with --model the \
model understands, plans, judges and words, under the same contracts, and the answer says which stage went \
which way. Nothing is written, and nothing outside of the repository is read.

If the question names nothing that can be found, it asks back. In a pipe it prints what it wants to know and exits \
with 43; ask again with a better question. Where a policy wants something to be confirmed, it asks for that: in a pipe \
keep the envelope (--envelope), set confirmation_response to true, and give it to `consign process`.

Examples:
  consign ask-code 'how does authentication work?'
  consign ask-code 'who calls parse_config?' --repo ../project --format markdown > answer.md
  consign ask-code 'where is the retry limit set?' --model openai/gpt-5-mini --cost 0.05";

/// The help of `--model`, without the bridge and without what a run remembers.
const THINKS: &str =
    "Let the built-in agents think with this model: a name, `replay:FILE` or `scripted:FILE`";

#[derive(clap::Args)]
#[command(after_help = HELP, mut_arg("model", |model| model.help(THINKS)))]
#[command(mut_arg("agent_script", |script| script.help(SCRIPT)))]
pub(crate) struct Args {
    /// The question, with or without quotes
    #[arg(required = true, value_name = "QUESTION")]
    question: Vec<String>,

    #[command(flatten)]
    at: PlaceArgs,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    /// Write the whole envelope instead, as `consign process` does
    #[arg(long, conflicts_with = "format")]
    envelope: bool,

    /// The session that it goes on with: earlier questions are known
    #[arg(long, value_name = "ID", value_parser = session_arg)]
    session: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    overrides: AgentOverrides,

    /// Whose keys are used
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| ask(args, session, output).await)
}

async fn ask(args: &Args, session: &Session, output: &mut Output) -> Result<Exit, Error> {
    if args.overrides.model() == Some("bridge") {
        let told = "the built-in agents check what a model says, and `bridge` is none";
        return Err(Error::usage("NOT_A_MODEL", told)
            .hint("without --model they go by rules; `consign models list` names models"));
    }
    let ready = ready(session, None, args.at.at(), args.overrides.model())?;
    args.overrides.check_many(session, ready.thinks())?;
    let wanted = pipelines::Ask {
        text: args.question.join(" "),
        session: args.session.clone(),
        owner: args.owner.clone(),
        limits: args.limits.set(),
        settings: args.overrides.settings()?,
    };
    let mut asked = pipelines::ask(session, &ready, wanted)?;
    loop {
        asked.go_on(|progress| tell(&progress, output)).await;
        let Some(question) = asked.journey.question() else { break };
        match reply(&question, output)? {
            Some(value) => asked.answered(&value, session.user.actor.as_str()),
            None => break,
        }
    }
    let (question, spent) = (asked.journey.question(), asked.spent());
    let envelope = asked.journey.into_envelope();
    if args.envelope {
        output.line(envelope.to_json())?;
    } else {
        print(&envelope, spent, args.format, output)?;
    }
    if question.is_some() {
        return Ok(Exit::WaitsForPerson);
    }
    let reason = envelope.terminal_reason.clone().and_then(|reason| reason.0);
    match reason {
        Some(TerminalReason::CompletedSuccessfully) => Ok(Exit::Done),
        reason => Err(unanswered(&envelope, reason)),
    }
}

/// A line for each stage that ended.
fn tell(progress: &Progress<'_>, output: &Output) {
    match progress {
        Progress::Began(_) => {}
        Progress::Ended { agent, ok, took } => {
            let mark = if *ok { styled(GOOD, "✓") } else { styled(BAD, "✗") };
            let took = styled(FAINT, span(*took));
            output.tell(format!("{mark} {:<28} {took}", printable(agent)));
        }
    }
}

/// Asks the user at the terminal. `None` without a terminal.
fn reply(ask: &Ask, output: &mut Output) -> Result<Option<Data>, Error> {
    let question = printable(&ask.prompt.replace('\n', " ")).into_owned();
    if output.reader != Audience::Person || !io::stdin().is_terminal() {
        return Ok(None);
    }
    output.finish()?;
    let yes_or_no = ask.kind == AskKind::Confirmation;
    loop {
        let hint = if yes_or_no { " [y/n]" } else { "" };
        let mut err = anstream::AutoStream::new(io::stderr(), output.color);
        let _ = write!(err, "{} {question}{hint}\n> ", styled(WARN, "?"));
        let _ = err.flush();
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let said = line.trim();
        match (yes_or_no, said.to_lowercase().as_str()) {
            (true, "y" | "yes") => return Ok(Some(Data::of(&true))),
            (true, "n" | "no") => return Ok(Some(Data::of(&false))),
            (false, said) if !said.is_empty() => return Ok(Some(Data::of(line.trim()))),
            (_, _) => {}
        }
    }
}

fn print(envelope: &Envelope, spent: Nanos, form: Form, output: &mut Output) -> Result<(), Error> {
    let asked = match (&envelope.clarification_question, &envelope.confirmation_message) {
        (Some(Nullable(Some(question))), _) if envelope.clarification_pending == Some(true) => {
            Some(question)
        }
        (_, Some(Nullable(Some(message)))) if envelope.confirmation_pending == Some(true) => {
            Some(message)
        }
        _ => None,
    };
    let result = result(envelope).filter(|(key, _)| *key == INTEGRATION);
    if output.reader == Audience::Program {
        output.object(object([
            ("envelope_id", form::text(&envelope.envelope_id)),
            ("session_id", form::text(&envelope.session_id)),
            ("question", form::text(&envelope.raw_input)),
            ("answer", result.map_or(Json::Null, |(_, result)| Json::Object(result.into_owned()))),
            ("asks", asked.map_or(Json::Null, form::text)),
            ("sources", Json::Object(sources(envelope))),
            ("spent_usd", form::usd(spent)),
        ]))?;
        return Ok(());
    }
    if let Some(asked) = asked {
        for line in asked.lines() {
            output.line(printable(line))?;
        }
        output.tell(styled(FAINT, how_to_answer(envelope)));
        return Ok(());
    }
    let Some((_, result)) = result else { return Ok(()) };
    answer::print(&result, form, output)?;
    let sources = sources(envelope);
    let by_model: Vec<_> = sources
        .iter()
        .filter(|(_, source)| source.as_str() == Some("model"))
        .map(|(stage, _)| stage.to_owned())
        .collect();
    let way = match by_model.is_empty() {
        true => "by rules, without a model".to_owned(),
        false => format!("with a model: {}; the rest by rules", by_model.join(", ")),
    };
    let spent = if spent.is_zero() { String::new() } else { format!(", ${spent} spent") };
    output.tell(styled(FAINT, format!("{way}{spent}")));
    let dropped = result.get("dropped_citations").and_then(Json::as_array).unwrap_or_default();
    for place in dropped.iter().filter_map(Json::as_str) {
        let told = format!("{}, which the model cites and nothing shows", printable(place));
        output.tell(format!("{} {told}", styled(WARN, "left out:")));
    }
    for fallback in answer::fallbacks(envelope) {
        output.tell(format!("{} {fallback}", styled(WARN, "fell back:")));
    }
    output
        .tell(styled(FAINT, format!("go on: --session {}", styled(STRONG, &envelope.session_id))));
    Ok(())
}

/// How to answer a question that could not be asked at a terminal.
fn how_to_answer(envelope: &Envelope) -> &'static str {
    match envelope.confirmation_pending {
        Some(true) => {
            "to confirm, ask on a terminal and say yes; or keep the envelope (--envelope), set \
             confirmation_response to true in it, and give it to `consign process` with the same \
             --repo and --policy"
        }
        Some(false) | None => "ask again with that in the question",
    }
}

/// Which way each stage went.
fn sources(envelope: &Envelope) -> Object<'static> {
    let mut sources = Object::new();
    for (key, output) in &envelope.outputs.0 {
        if let Some(source) = output.get("source").and_then(Json::as_str) {
            sources.set(key.clone(), form::text(source));
        }
    }
    sources
}

fn unanswered(envelope: &Envelope, reason: Option<TerminalReason>) -> Error {
    let code = reason.map_or("UNFINISHED".to_owned(), |reason| reason.as_str().to_uppercase());
    let words = envelope.termination_reason.clone().and_then(|words| words.0);
    let errors = envelope.errors.as_deref().unwrap_or_default().iter();
    let missing = no_key::missing(envelope.errors.iter().flatten());
    let words = words.map(|words| no_key::reworded(&words, &missing).into_owned());
    let errors = errors.filter_map(|error| {
        let agent = error.get("agent")?.as_str()?;
        Some(format!("{agent}: {}", answer::cause(error)?))
    });
    // A model that cannot be asked cannot be asked in every round.
    let errors: BTreeSet<_> = errors.collect();
    Error::new(code, words.unwrap_or_else(|| "there is no answer".to_owned()))
        .listing(errors)
        .detail("envelope_id", form::text(&envelope.envelope_id))
        .hint("`consign ask-code … --envelope` shows everything that was done")
}
