//! `consign ask "…"`: an answer from documents, with citations that were checked.

pub(super) mod show;
mod stream;
pub(super) mod turn;

use consign_app::conversations::{Ask, Persona, new_session};
use consign_app::foreground::Foreground;
use consign_engine::{Owner, Placement};

use super::runs::{
    agent_overrides::{AgentOverrides, SCRIPT},
    limits::LimitArgs,
    owner_arg,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{FAINT, Output, STRONG, styled},
};

const HELP: &str = "\
Looks through the documents that `consign ingest` has taken in and answers with what they say. Every sentence that states \
a fact has a citation, and each citation is held against the stored text: source, place and words. What the documents do not \
say is said to be not there. Attacks are stopped before anything is done, and private data is taken out of the question.

Without a model the answer is made of quotes. With --model it is written by that model from the same passages, and what \
the passages do not support is taken out again.

With --session the next question knows what was said before. With --json or --format json the answer is contract \
crew/orchestrator.output. With --stream each line of the input is contract crew/orchestrator.input, which may have \
`persona`, `collection` and `formatting_instructions`, and each line of the output is the answer.

Exits with 0 also where the documents have no answer, and with 1 where the guard has stopped it.

Examples:
  consign ask 'How long is the notice period in the probation?'
  consign ask 'Compare the basic and the pro plan' --persona executive
  consign ask 'And for managers?' --session handbook
  consign ask 'Who signs invoices?' --model openai/gpt-5-mini --cost 0.05";

/// The help of `--model`, for answers.
const WRITES: &str =
    "Let this model write the answer: a name, `replay:FILE`, `scripted:FILE`, or `rules` for none";

#[derive(clap::Args)]
#[command(after_help = HELP, mut_arg("model", |model| model.help(WRITES)))]
#[command(mut_arg("agent_script", |script| script.help(SCRIPT)))]
pub(crate) struct Args {
    /// The question, with or without quotes
    #[arg(value_name = "QUESTION", required_unless_present = "stream")]
    question: Vec<String>,

    /// The session that it goes on with; a new one if there is none
    #[arg(long, value_name = "S")]
    session: Option<String>,

    #[command(flatten)]
    pub(super) manner: MannerArgs,

    /// How to write the answer: md is Markdown
    #[arg(long, value_enum, default_value_t = show::Form::Text)]
    format: show::Form,

    /// Questions on standard input, a line of JSON each
    #[arg(long, conflicts_with_all = ["question", "session", "format"])]
    stream: bool,
}

/// How answers are made: the same for one question and for a conversation.
#[derive(clap::Args)]
pub(super) struct MannerArgs {
    /// Who the answer is for; a session keeps it
    #[arg(long, value_name = "WHO", value_parser = persona)]
    pub(super) persona: Option<Persona>,

    /// Only documents of this collection
    #[arg(long, value_name = "C")]
    pub(super) collection: Option<String>,

    /// How the answer should look, in your words: `as a list`, `one sentence`
    #[arg(long, value_name = "TEXT")]
    pub(super) instructions: Option<String>,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) overrides: AgentOverrides,

    /// Whose documents and conversations
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    pub(super) owner: Owner,
}

pub(super) fn persona(word: &str) -> Result<Persona, String> {
    let all = [Persona::Technical, Persona::Executive, Persona::General];
    let found = all.into_iter().find(|persona| persona.as_str().eq_ignore_ascii_case(word));
    found.ok_or_else(|| "technical, executive or general".to_owned())
}

impl MannerArgs {
    /// A message in a session, answered in this manner.
    pub(super) fn ask(&self, session: String, message: String) -> Result<Ask, Error> {
        Ok(Ask {
            session,
            message,
            persona: self.persona,
            collection: self.collection.clone(),
            formatting_instructions: self.instructions.clone(),
            model: self.overrides.model().map(str::to_owned),
            limits: self.limits.set(),
            settings: self.overrides.settings_but_model()?,
            placement: Placement::Foreground,
        })
    }
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match args.stream {
        true => stream::run(session, &args.manner, output).await,
        false => one(session, args, output).await,
    })
}

async fn one(session: &Session, args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let mut foreground = Foreground::new(&session.engine).await?;
    let name = args.session.clone().unwrap_or_else(new_session);
    let ask = args.manner.ask(name.clone(), args.question.join(" "))?;
    let answered =
        turn::answer(session, &mut foreground, &args.manner.owner, ask, output, true).await?;
    let (run, outcome) = match answered {
        turn::Answered::Outcome(run, outcome) => (run, outcome),
        turn::Answered::Left(left) => return turn::leave(session, &left, output).await,
    };
    let (owner, collection) = (&args.manner.owner, args.manner.collection.as_deref());
    show::print(session, owner, &run, &outcome, args.format, collection, output).await?;
    if args.session.is_none() && args.format == show::Form::Text {
        let told = format!("go on: --session {}", styled(STRONG, &name));
        output.tell(styled(FAINT, told));
    }
    Ok(Exit::Done)
}
