//! `consign inbox`: what runs ask and can be answered.

use consign_app::inbox;
use consign_engine::{
    AskKind, At, Key, Owner, Placement, RunId, Status,
    store::{InboxQuery, Interaction, Row, RunQuery},
};

use unicode_width::UnicodeWidthStr;

use super::runs::{find, form, waits};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, printable, styled},
    pages::{Entry, PageArgs},
    text::{count, one_line, shell_word, shortened, span},
};

const HELP: &str = "\
Everything that runs wait for, oldest first. Clarification, confirmation, approval, intervention and limit are for a \
person; agent_response is the work of an agent, or of a person in its place. Each can be answered once, with \
`consign runs answer`; an approval with `consign runs approve` or `reject`; a limit also with `consign runs raise`, \
and one of the owner's only with `consign budget set`. What is past its deadline is not listed.

With --answered it lists what was answered instead, newest first, with who answered, from where and when.

With --run, people see what is asked as it is written, whole, with the commands that answer it.

In a pipe the fields are run, interaction, kind, prompt, time of opening and deadline, separated by \
tabs; with --answered the last two are the time of the answer and who gave it. With --json each line is an object of contract engine/interaction, with the schema of an \
answer. RUN/INTERACTION of the last line is the --cursor of the next page.

Examples:
  consign inbox
  consign inbox --kind approval --limit 10
  consign inbox --agent reviewer --json
  consign inbox --answered --owner team
  consign inbox --run 7h2k --json | jq .schema";

/// Columns of a prompt that a list shows.
const MOST_COLUMNS: usize = 120;
/// Queued runs that are counted.
const MOST_QUEUED: usize = 1000;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only what this run asks
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Only this kind
    #[arg(long, value_name = "K", value_parser = kind)]
    kind: Option<AskKind>,

    /// Only what is to be answered in the place of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Only what runs of this owner ask
    #[arg(long, value_name = "O")]
    owner: Option<String>,

    /// What was answered, and by whom, instead of what is open
    #[arg(long)]
    answered: bool,

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
        let row = match &args.run {
            Some(typed) => Some(find(&session.engine, typed).await?),
            None => None,
        };
        let run = row.as_ref().map(|row| row.id.clone());
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
            let (run, agent) = (run.clone(), args.agent.clone());
            let (kind, answered) = (args.kind, args.answered);
            let owner = args.owner.as_deref().map(Owner::from);
            let filter = InboxQuery { run, kind, agent, owner, answered, ..InboxQuery::default() };
            let query = InboxQuery { after, most, ..filter };
            Ok(inbox::list(&session.engine, query, session.user.role).await?.items)
        };
        let now = session.engine.now();
        let one = row.as_ref().filter(|_| output.reader == Audience::Person && !args.answered);
        if let Some(row) = one {
            return whole(session, row, &args.pages, read, output).await;
        }
        let mut ways = Ways::default();
        args.pages
            .walk(output, read, |asks, output| {
                asks.iter().for_each(|ask| ways.add(ask));
                if args.answered {
                    print_answered(&asks, now, output)
                } else {
                    print(&asks, now, output)
                }
            })
            .await?;
        if output.reader == Audience::Person && args.answered {
            if ways == Ways::default() {
                output.line(styled(FAINT, "nothing was answered yet"))?;
            }
        } else if output.reader == Audience::Person {
            for hint in ways.hints() {
                output.line(styled(FAINT, hint))?;
            }
            if ways == Ways::default() {
                output.line(styled(FAINT, "Inbox is empty"))?;
                if let Some(queued) = queued(session).await? {
                    output.line(styled(FAINT, queued))?;
                }
            }
        }
        Ok(Exit::Done)
    })
}

/// What one run asks, all of it: it is about to be answered.
async fn whole(
    session: &Session,
    row: &Row,
    pages: &PageArgs,
    read: impl AsyncFnMut(Option<&Interaction>, usize) -> Result<Vec<Interaction>, Error>,
    output: &mut Output,
) -> Result<Exit, Error> {
    let mut asks = Vec::new();
    pages
        .walk(output, read, |page, _| {
            asks.extend(page);
            Ok(())
        })
        .await?;
    let now = session.engine.now();
    for ask in &asks {
        waits::print_one(session, row, ask, now, usize::MAX, output).await?;
    }
    if asks.is_empty() {
        output.line(styled(FAINT, format!("run {} asks nothing; it is {}", row.id, row.status)))?;
    }
    Ok(Exit::Done)
}

/// The ways in which what is shown can go on.
#[derive(Default, PartialEq)]
struct Ways {
    answer: bool,
    /// Something is too long for a list.
    cut: bool,
    approve: bool,
    raise: bool,
    pay: bool,
}

impl Ways {
    fn add(&mut self, ask: &Interaction) {
        let prompt = ask.prompt.trim();
        self.cut |= prompt.contains('\n') || prompt.width() > MOST_COLUMNS;
        match () {
            () if waits::is_of_owner(ask) => self.pay = true,
            () if ask.kind == AskKind::Limit => self.raise = true,
            () if ask.kind == AskKind::Approval => self.approve = true,
            () => self.answer = true,
        }
    }

    fn hints(&self) -> impl Iterator<Item = &'static str> {
        let hints = [
            (self.cut, "see what a run asks as it is written with: consign inbox --run RUN"),
            (self.answer, "answer with: consign runs answer RUN INTERACTION --value JSON"),
            (
                self.approve,
                "approve with: consign runs approve RUN   or: consign runs reject RUN --why WHY",
            ),
            (self.raise, "allow a run more with: consign runs raise RUN --cost USD"),
            (self.pay, "allow an owner more with: consign budget set OWNER --cost USD"),
        ];
        hints.into_iter().filter_map(|(there, hint)| there.then_some(hint))
    }
}

/// What is left to the workers.
async fn queued(session: &Session) -> Result<Option<String>, Error> {
    let query = RunQuery { status: Some(Status::Queued), most: MOST_QUEUED, ..RunQuery::default() };
    let rows = session.store().runs(&query).await?;
    let theirs = rows.iter().filter(|row| !row.interrupted && row.placement != Placement::HereOnly);
    let theirs = theirs.count();
    let more = if rows.len() == MOST_QUEUED { "at least " } else { "" };
    let are = if theirs == 1 { "is" } else { "are" };
    let theirs = (theirs > 0).then(|| count(theirs as u64, "run"));
    Ok(theirs.map(|runs| {
        format!("{more}{runs} {are} queued for a worker; start one with `consign worker`")
    }))
}

/// What was answered, with who answered it.
fn print_answered(asks: &[Interaction], now: At, output: &mut Output) -> Result<(), Error> {
    let told = |ask: &Interaction, when: fn(At, At) -> String| {
        let (by, at) = match &ask.answered {
            Some((by, at)) => (by.to_string(), when(*at, now)),
            None => (String::new(), String::new()),
        };
        let names = [ask.run.to_string(), ask.key.to_string(), ask.kind.to_string()];
        let prompt = shortened(&one_line(&ask.prompt), MOST_COLUMNS).into_owned();
        names.into_iter().chain([prompt, at, by]).collect()
    };
    match output.reader {
        Audience::Program => {
            asks.iter().try_for_each(|ask| output.object(form::interaction(ask)))?;
        }
        Audience::Pipe => {
            let row = |ask: &Interaction| told(ask, |at, _| at.to_string());
            output.rows(&[], asks.iter().map(row).collect())?;
        }
        Audience::Person if asks.is_empty() => {}
        Audience::Person => {
            let row =
                |ask: &Interaction| told(ask, |at, now| format!("{} ago", span(now.since(at))));
            let head = ["run", "interaction", "kind", "what was asked", "answered", "by"];
            output.rows(&head, asks.iter().map(row).collect())?;
        }
    }
    Ok(())
}

fn print(asks: &[Interaction], now: At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            asks.iter().try_for_each(|ask| output.object(form::interaction(ask)))?;
        }
        Audience::Pipe => {
            let row = |ask: &Interaction| {
                let deadline = ask.deadline.map_or(String::new(), |at| at.to_string());
                let names = [ask.run.to_string(), ask.key.to_string(), ask.kind.to_string()];
                let rest = [one_line(&ask.prompt), ask.opened_at.to_string(), deadline];
                names.into_iter().chain(rest).collect()
            };
            output.rows(&[], asks.iter().map(row).collect())?;
        }
        Audience::Person if asks.is_empty() => {}
        Audience::Person => {
            let row = |ask: &Interaction| {
                let deadline = match ask.deadline {
                    None => "never".to_owned(),
                    Some(at) => format!("in {}", span(at.since(now))),
                };
                vec![
                    ask.run.to_string(),
                    ask.key.to_string(),
                    format!("{}{}", ask.kind, waits::why(ask)),
                    shortened(&one_line(&ask.prompt), MOST_COLUMNS).into_owned(),
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
