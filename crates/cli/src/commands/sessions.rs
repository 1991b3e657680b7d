//! `consign sessions`: conversations that are kept.

use consign_app::{
    conversations::{self, Listed, SessionQuery},
    machine::now,
};
use consign_engine::Owner;
use serde_json::{Value, json};

use super::runs::owner_arg;
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, printable, styled},
    text::{one_line, shortened, span},
};

const HELP: &str = "\
Examples:
  consign sessions list
  consign sessions show handbook --json
  consign sessions remove handbook";

const LIST_HELP: &str = "\
With --json each line is an object: {\"session_id\", \"turns\", \"began_at\", \"ended_at\"}.

Examples:
  consign sessions list
  consign sessions list --limit 1 --json | jq -r .session_id";

const SHOW_HELP: &str = "\
With --json it is contract crew/conversation-state: the history, and the plan and the passages of the last turn.

Examples:
  consign sessions show handbook
  consign sessions show handbook --json | jq '.history | length'";

const REMOVE_HELP: &str = "\
What was said is erased from the journals of its turns too; that they ran, when and at what cost, stays. It cannot be undone.

Examples:
  consign sessions remove handbook
  consign sessions remove trial-1 trial-2";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// The conversations, the one that went on last first
    List(ListArgs),
    /// What was said in a conversation, and what its last turn found
    Show(ShowArgs),
    /// Forget a conversation, and erase the journals of its turns
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
#[command(after_help = LIST_HELP)]
struct ListArgs {
    /// The most conversations
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Whose conversations
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

#[derive(clap::Args)]
#[command(after_help = SHOW_HELP)]
struct ShowArgs {
    /// The session
    #[arg(value_name = "S")]
    session: String,

    /// Whose conversation
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

#[derive(clap::Args)]
#[command(after_help = REMOVE_HELP)]
struct RemoveArgs {
    /// The sessions
    #[arg(value_name = "S", required = true)]
    sessions: Vec<String>,

    /// Whose conversations
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match &args.command {
        Command::List(args) => list(session, args, output).await,
        Command::Show(args) => show(session, args, output).await,
        Command::Remove(args) => remove(session, args, output).await,
    })
}

async fn list(session: &Session, args: &ListArgs, output: &mut Output) -> Result<Exit, Error> {
    let query = SessionQuery { after: None, most: args.limit as usize };
    let listed = conversations::list(session, &args.owner, &query).await?;
    if output.reader == Audience::Program {
        for one in &listed {
            output.line(row(one).to_string())?;
        }
        return Ok(Exit::Done);
    }
    if listed.is_empty() {
        output.tell("there are no conversations; `consign ask` begins one");
        return Ok(Exit::Done);
    }
    let mut rows = Vec::new();
    for one in &listed {
        let state = conversations::show(session, &args.owner, &one.session).await?;
        rows.push(vec![
            one.session.clone(),
            one.turns.to_string(),
            format!("{} ago", span(now().since(one.ended_at))),
            shortened(&one_line(first(&state)), WIDEST).into_owned(),
        ]);
    }
    output.rows(&["session", "turns", "last turn", "began with"], rows)?;
    Ok(Exit::Done)
}

/// The most columns of a question in a list.
const WIDEST: usize = 60;

/// What a conversation began with, as far as it is kept.
fn first(state: &Value) -> &str {
    let history = state.get("history").and_then(Value::as_array);
    let mut said = history.into_iter().flatten().filter_map(|message| {
        let is_user = message.get("role").and_then(Value::as_str) == Some("user");
        message.get("content").and_then(Value::as_str).filter(|_| is_user)
    });
    said.find(|text| !text.is_empty()).unwrap_or_default()
}

fn row(one: &Listed) -> Value {
    json!({
        "session_id": one.session,
        "turns": one.turns,
        "began_at": one.began_at.to_string(),
        "ended_at": one.ended_at.to_string(),
    })
}

async fn show(session: &Session, args: &ShowArgs, output: &mut Output) -> Result<Exit, Error> {
    let state = conversations::show(session, &args.owner, &args.session).await?;
    if output.reader == Audience::Program {
        output.line(state.to_string())?;
        return Ok(Exit::Done);
    }
    let history = state.get("history").and_then(Value::as_array);
    for message in history.into_iter().flatten() {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        output.line(styled(STRONG, text("role")))?;
        let content = text("content");
        if content.is_empty() {
            output.line(styled(FAINT, "(not kept: the guard stopped it)"))?;
        }
        for line in content.lines() {
            output.line(printable(line))?;
        }
        output.line("")?;
    }
    Ok(Exit::Done)
}

async fn remove(session: &Session, args: &RemoveArgs, output: &mut Output) -> Result<Exit, Error> {
    for name in &args.sessions {
        conversations::remove(session, &args.owner, &session.user, name).await?;
        match output.reader {
            Audience::Program => {
                output.line(json!({ "session_id": name, "removed": true }).to_string())?;
            }
            Audience::Person | Audience::Pipe => {
                output.tell(format!("removed {}", printable(name)))
            }
        }
    }
    Ok(Exit::Done)
}
