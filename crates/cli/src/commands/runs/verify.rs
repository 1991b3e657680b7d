//! `consign runs verify RUN`: proves that a run's journal is whole and its state follows from it.

use std::{collections::BTreeSet, fmt::Display};

use consign_contracts::json::Json;
use consign_engine::{
    Disproof, Owner, Proof, RunId,
    journal::Hash,
    store::{self, RunQuery},
};

use super::{find, form};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, BAD, GOOD, Output, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Walks the journal from its first event: every hash, every link, nothing missing at the end; then \
folds the events again and compares the outcome with what is kept beside the journal: the state, the \
run's own data and money, and its open asks. --all also compares what each owner has spent and \
reserved with the runs of that owner. What no event says is not proven: a run's priority, who holds \
it and when it wakes, and an owner's cap. The head that it prints can be kept \
elsewhere: --head HASH proves later that nothing up to it was rewritten.

Exits with 0 when everything holds and with 1 when something does not.

Examples:
  consign runs verify 7h2k
  consign runs verify 7h2k --head 3f9a…
  consign runs verify --all";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    run: Option<String>,

    /// A head that was kept elsewhere, which must be one of the run's events
    #[arg(long, value_name = "HASH", value_parser = hash, conflicts_with = "all")]
    head: Option<Hash>,

    /// Every run, and every owner's account
    #[arg(long)]
    all: bool,
}

/// Runs that are read at a time.
const PAGE: usize = 500;

/// The journal holds, and something beside it does not.
const BESIDE: &str = "PROJECTION_BROKEN";

fn hash(text: &str) -> Result<Hash, String> {
    Hash::parse(text).ok_or_else(|| "not 64 hexadecimal digits".to_owned())
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match &args.run {
        Some(typed) => {
            let run = find(&session.engine, typed).await?.id;
            let verdict = verify(session, &run, args.head).await?;
            print(&run, &verdict, output)?;
            match verdict {
                Ok(_) => Ok(Exit::Done),
                Err(broken) => Err(Error::new(broken.code, format!("run {run}: {}", broken.why))
                    .hint(
                        "keep a copy of the directory before anything else; nothing was changed",
                    )),
            }
        }
        None => all(session, output).await,
    })
}

/// A run or an account that does not hold.
struct Broken {
    code: &'static str,
    why: String,
}

impl From<Disproof> for Broken {
    fn from(disproof: Disproof) -> Self {
        let code = match &disproof {
            Disproof::Chain(_) | Disproof::Impossible { .. } => "JOURNAL_BROKEN",
            Disproof::State { .. } | Disproof::Status { .. } => "STATE_BROKEN",
            Disproof::Table { .. } | Disproof::Account { .. } => BESIDE,
            Disproof::Parent { .. } => "PARENT_BROKEN",
            Disproof::Damaged(_) => "STORE_DAMAGED",
        };
        Self { code, why: disproof.to_string() }
    }
}

async fn verify(
    session: &Session,
    run: &RunId,
    head: Option<Hash>,
) -> Result<Result<Proof, Broken>, Error> {
    match session.engine.verify(run, head).await {
        Ok(verdict) => Ok(verdict.map_err(Broken::from)),
        // What cannot be read at all does not hold either.
        Err(consign_engine::Error::Store(store::Error::Damaged(why))) => {
            Ok(Err(Broken { code: "STORE_DAMAGED", why }))
        }
        Err(error) => Err(error.into()),
    }
}

async fn all(session: &Session, output: &mut Output) -> Result<Exit, Error> {
    let (mut runs, mut broken, mut before) = (0, Vec::new(), None);
    let mut owners = BTreeSet::new();
    loop {
        let query = RunQuery { before, most: PAGE, ..RunQuery::default() };
        let page = session.store().runs(&query).await?;
        for row in &page {
            let verdict = verify(session, &row.id, None).await?;
            runs += 1;
            owners.insert(row.owner.clone());
            print(&row.id, &verdict, output)?;
            if let Err(found) = verdict {
                tell_broken(&row.id, &found, output)?;
                broken.push(found.code);
            }
        }
        match page.last() {
            Some(last) if page.len() == PAGE => before = Some(last.id.clone()),
            Some(_) | None => break,
        }
    }
    output.finish()?;
    let wrong = accounts(session, owners, output).await?;
    output.finish()?;
    output.tell(format!("{}, {} broken", count(runs, "run"), broken.len()));
    let mut told = Vec::new();
    if !broken.is_empty() {
        told.push(format!("{} of {} do not hold", broken.len(), count(runs, "run")));
    }
    match wrong {
        0 if told.is_empty() => return Ok(Exit::Done),
        0 => {}
        1 => told.push("1 account does not add up".to_owned()),
        _ => told.push(format!("{wrong} accounts do not add up")),
    }
    // The worse counts: what is wrong only beside the journals can be told from them.
    let only_beside = broken.iter().all(|code| *code == BESIDE);
    let code = if only_beside { BESIDE } else { "JOURNAL_BROKEN" };
    Err(Error::new(code, told.join(", and "))
        .hint("keep a copy of the directory before anything else"))
}

/// Compares the accounts of these owners, and of all others who have one. Says how many are wrong.
async fn accounts(
    session: &Session,
    mut owners: BTreeSet<Owner>,
    output: &mut Output,
) -> Result<u64, Error> {
    owners.extend(session.store().accounts().await?.into_iter().map(|(owner, _)| owner));
    let mut wrong = 0;
    for owner in &owners {
        let (valid, code, why) = match session.engine.verify_account(owner).await? {
            Ok(true) => continue,
            Ok(false) => {
                let why = format!("the account of {owner} was not compared: its runs move on");
                output.tell(printable(&why));
                (Json::Null, Json::Null, why)
            }
            Err(disproof) => {
                wrong += 1;
                let found = Broken::from(disproof);
                tell_broken(owner, &found, output)?;
                (Json::Bool(false), Json::from(found.code), found.why)
            }
        };
        if output.reader == Audience::Program {
            let owner = ("owner", form::text(owner));
            let verdict = [owner, ("valid", valid), ("code", code), ("reason", form::text(why))];
            output.object(object(verdict))?;
        }
    }
    Ok(wrong)
}

/// What is broken, for people.
fn tell_broken(what: impl Display, found: &Broken, output: &mut Output) -> Result<(), Error> {
    if let Audience::Person | Audience::Pipe = output.reader {
        let (what, code) = (what.to_string(), styled(BAD, found.code));
        output.line(format!("{}: {code}: {}", printable(&what), printable(&found.why)))?;
    }
    Ok(())
}

/// A proof, and for programs a disproof too.
fn print(run: &RunId, verdict: &Result<Proof, Broken>, output: &mut Output) -> Result<(), Error> {
    match (verdict, output.reader) {
        (Ok(proof), Audience::Program) => {
            let state = match &proof.state {
                Ok(()) => Json::Null,
                Err(why) => form::text(why),
            };
            output.object(object([
                ("run", form::text(run)),
                ("valid", Json::Bool(true)),
                ("events", form::number(proof.events)),
                ("head", form::text(proof.head)),
                ("refolded", Json::Bool(proof.state.is_ok())),
                ("not_refolded", state),
            ]))?;
        }
        (Err(broken), Audience::Program) => output.object(object([
            ("run", form::text(run)),
            ("valid", Json::Bool(false)),
            ("code", Json::from(broken.code)),
            ("reason", form::text(&broken.why)),
        ]))?,
        (Ok(proof), Audience::Person | Audience::Pipe) => output.line(in_words(run, proof))?,
        (Err(_), Audience::Person | Audience::Pipe) => {}
    }
    Ok(())
}

/// A proof for people.
pub(super) fn in_words(run: &RunId, proof: &Proof) -> String {
    let state = match &proof.state {
        Ok(()) => "its state follows from them".to_owned(),
        Err(why) => format!("its state was not folded again: {why}"),
    };
    let (good, events) = (styled(GOOD, "holds"), count(proof.events, "event"));
    format!("{run}: {good}: {events}, {}; head {}", printable(&state), proof.head)
}
