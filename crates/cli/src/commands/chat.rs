//! `consign chat`: a conversation about documents, in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use consign_app::{conversations::new_session, foreground::Foreground};

use super::{
    ask::{
        MannerArgs,
        show::{self, Form},
        turn,
    },
    runs::agent_overrides::SCRIPT,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, BAD, FAINT, Output, STRONG, printable, styled},
};

const HELP: &str = "\
Asks for a message, answers it as `consign ask` does, and asks for the next one; each turn knows the ones before. An empty \
line or the end of the input ends it. The conversation is kept: --session goes on with it, `consign sessions show` shows it.

In a pipe each line of the input is a message.

Examples:
  consign chat
  consign chat --session handbook --persona technical";

#[derive(clap::Args)]
#[command(after_help = HELP, mut_arg("agent_script", |script| script.help(SCRIPT)))]
pub(crate) struct Args {
    /// The session that it goes on with; a new one if there is none
    #[arg(long, value_name = "S")]
    session: Option<String>,

    #[command(flatten)]
    manner: MannerArgs,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| talk(session, args, output).await)
}

async fn talk(session: &Session, args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let mut foreground = Foreground::new(&session.engine).await?;
    let name = args.session.clone().unwrap_or_else(new_session);
    output.tell(styled(FAINT, format!("session {name}; an empty line ends it")));
    while let Some(message) = next(output)? {
        let ask = args.manner.ask(name.clone(), message)?;
        let owner = &args.manner.owner;
        match turn::answer(session, &mut foreground, owner, ask, output, true).await {
            Ok(turn::Answered::Outcome(run, outcome)) => {
                let collection = args.manner.collection.as_deref();
                show::print(session, owner, &run, &outcome, Form::Text, collection, output).await?;
            }
            Ok(turn::Answered::Left(left)) => return turn::leave(session, &left, output).await,
            // A message that was stopped is no reason to stop talking.
            Err(error) if error.exit == Exit::Failed && output.reader == Audience::Person => {
                let told = format!("{}: {}", error.code, printable(&error.message));
                output.tell(format!("{} {told}", styled(BAD, "✗")));
            }
            Err(error) => return Err(error),
        }
    }
    output.tell(styled(FAINT, format!("go on: --session {}", styled(STRONG, &name))));
    Ok(Exit::Done)
}

/// The next message. Nothing at the end.
fn next(output: &mut Output) -> Result<Option<String>, Error> {
    output.finish()?;
    if io::stdin().is_terminal() && output.reader == Audience::Person {
        let mut err = anstream::AutoStream::new(io::stderr(), output.color);
        write!(err, "\n{} ", styled(STRONG, ">"))?;
        err.flush()?;
    }
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let message = line.trim();
    Ok((!message.is_empty()).then(|| message.to_owned()))
}
