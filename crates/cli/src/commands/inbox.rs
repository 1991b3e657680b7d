//! `consign inbox`

use consign_engine::{
    AskKind, At, Key, RunId,
    store::{InboxQuery, Interaction},
};

use super::runs::{find, form};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{FAINT, Output, Reader, printable, styled},
    pages::{Entry, PageArgs},
    text::{shell_word, shortened, span},
};

const HELP: &str = "\
Everything that runs wait for and somebody can answer, oldest first: clarification, confirmation, \
approval, intervention, limit, agent_response. Each can be answered once, with `consign runs \
answer`; a limit also with `consign runs raise`.

In a pipe the fields are run, interaction, kind, prompt, time of opening and deadline, separated by \
tabs. With --json each line is an object of contract engine/interaction, with the schema of an \
answer. RUN/INTERACTION of the last line is the --cursor of the next page.

Examples:
  consign inbox
  consign inbox --kind approval --limit 10
  consign inbox --run 7h2k --json | jq .schema";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only what this run asks
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Only this kind
    #[arg(long, value_name = "K", value_parser = kind)]
    kind: Option<AskKind>,

    #[command(flatten)]
    pages: PageArgs,
}

fn kind(word: &str) -> Result<AskKind, String> {
    AskKind::from_word(word).ok_or_else(|| {
        "not one of clarification, confirmation, approval, intervention, limit, agent_response"
            .to_owned()
    })
}

impl Entry for Interaction {
    fn cursor(&self) -> String {
        shell_word(&format!("{}/{}", self.run, self.key)).into_owned()
    }
}

/// Where to go on: ids of runs have no slash.
fn position(cursor: &str) -> Result<(RunId, Key), Error> {
    let (run, key) = cursor.split_once('/').ok_or_else(|| {
        Error::usage("USAGE", "a cursor of the inbox is RUN/INTERACTION")
            .hint("take it from the end of the list before")
    })?;
    Ok((RunId::from(run), Key::from(key)))
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let start = args.pages.cursor.as_deref().map(position).transpose()?;
    session(async |session| {
        let run = match &args.run {
            Some(typed) => Some(find(session, typed).await?.id),
            None => None,
        };
        if let Some((run, key)) = &start
            && session.store().interaction(run, key).await?.is_none()
        {
            let told =
                format!("nothing was ever asked as {:?}", printable(&format!("{run}/{key}")));
            return Err(Error::usage("CURSOR_UNKNOWN", told)
                .hint("a cursor is RUN/INTERACTION, as the end of the list before says"));
        }
        let read = async |last: Option<&Interaction>, most: usize| {
            let after =
                last.map(|ask| (ask.run.clone(), ask.key.clone())).or_else(|| start.clone());
            let query = InboxQuery { run: run.clone(), kind: args.kind, after, most };
            Ok(session.store().inbox(&query).await?)
        };
        let now = session.engine.now();
        let mut any = false;
        args.pages
            .walk(output, read, |asks, output| {
                any |= !asks.is_empty();
                print(&asks, now, output)
            })
            .await?;
        if output.reader == Reader::Person {
            let hint = match any {
                true => "answer with: consign runs answer RUN INTERACTION --value JSON",
                false => "nobody is asked anything",
            };
            output.line(styled(FAINT, hint))?;
        }
        Ok(Exit::Done)
    })
}

fn print(asks: &[Interaction], now: At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Reader::Program => {
            asks.iter().try_for_each(|ask| output.object(form::interaction(ask)))?;
        }
        Reader::Pipe => {
            let row = |ask: &Interaction| {
                let deadline = ask.deadline.map_or(String::new(), |at| at.to_string());
                let names = [ask.run.to_string(), ask.key.to_string(), ask.kind.to_string()];
                let rest = [ask.prompt.clone(), ask.opened_at.to_string(), deadline];
                names.into_iter().chain(rest).collect()
            };
            output.rows(&[], asks.iter().map(row).collect())?;
        }
        Reader::Person if asks.is_empty() => {}
        Reader::Person => {
            let row = |ask: &Interaction| {
                let deadline = match ask.deadline {
                    None => "never".to_owned(),
                    Some(at) if at <= now => "passed".to_owned(),
                    Some(at) => format!("in {}", span(at.since(now))),
                };
                vec![
                    ask.run.to_string(),
                    ask.key.to_string(),
                    ask.kind.to_string(),
                    shortened(&ask.prompt, 120).into_owned(),
                    span(now.since(ask.opened_at)),
                    deadline,
                ]
            };
            let head = ["run", "interaction", "kind", "what is asked", "age", "deadline"];
            output.rows(&head, asks.iter().map(row).collect())?;
        }
    }
    Ok(())
}
