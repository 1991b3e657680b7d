//! `consign runs verify RUN`

use consign_contracts::json::Json;
use consign_engine::{
    Disproof, Proof, RunId,
    journal::Hash,
    store::{self, RunQuery},
};

use super::{find, form};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{BAD, GOOD, Output, Reader, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Walks the journal from its first event: every hash, every link, nothing missing at the end; then \
folds the events again and compares the outcome with the state that is kept. The head that it \
prints can be kept elsewhere: --head HASH proves later that nothing up to it was rewritten.

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

    /// Every run
    #[arg(long)]
    all: bool,
}

/// Runs that are read at a time.
const PAGE: usize = 500;

fn hash(text: &str) -> Result<Hash, String> {
    Hash::parse(text).ok_or_else(|| "not 64 hexadecimal digits".to_owned())
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match &args.run {
        Some(typed) => {
            let run = find(session, typed).await?.id;
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

/// A run that does not hold.
struct Broken {
    code: &'static str,
    why: String,
}

async fn verify(
    session: &Session,
    run: &RunId,
    head: Option<Hash>,
) -> Result<Result<Proof, Broken>, Error> {
    match session.engine.verify(run, head).await {
        Ok(Ok(proof)) => Ok(Ok(proof)),
        Ok(Err(disproof)) => {
            let code = match &disproof {
                Disproof::Chain(_) | Disproof::Impossible { .. } => "JOURNAL_BROKEN",
                Disproof::State { .. } | Disproof::Status { .. } => "STATE_BROKEN",
                Disproof::Damaged(_) => "STORE_DAMAGED",
            };
            Ok(Err(Broken { code, why: disproof.to_string() }))
        }
        // What cannot be read at all does not hold either.
        Err(consign_engine::Error::Store(store::Error::Damaged(why))) => {
            Ok(Err(Broken { code: "STORE_DAMAGED", why }))
        }
        Err(error) => Err(error.into()),
    }
}

async fn all(session: &Session, output: &mut Output) -> Result<Exit, Error> {
    let (mut runs, mut broken, mut before) = (0, 0, None);
    loop {
        let query = RunQuery { before, most: PAGE, ..RunQuery::default() };
        let page = session.store().runs(&query).await?;
        for row in &page {
            let verdict = verify(session, &row.id, None).await?;
            runs += 1;
            broken += u64::from(verdict.is_err());
            print(&row.id, &verdict, output)?;
            if let (Err(found), Reader::Person | Reader::Pipe) = (&verdict, output.reader) {
                let bad = styled(BAD, found.code);
                output.line(format!("{}: {bad}: {}", row.id, printable(&found.why)))?;
            }
        }
        match page.last() {
            Some(last) if page.len() == PAGE => before = Some(last.id.clone()),
            Some(_) | None => break,
        }
    }
    output.finish()?;
    output.tell(format!("{}, {broken} broken", count(runs, "run")));
    if broken == 0 {
        return Ok(Exit::Done);
    }
    let told = format!("{broken} of {} do not hold", count(runs, "run"));
    Err(Error::new("JOURNAL_BROKEN", told)
        .hint("keep a copy of the directory before anything else"))
}

/// A proof, and for programs a disproof too.
fn print(run: &RunId, verdict: &Result<Proof, Broken>, output: &mut Output) -> Result<(), Error> {
    match (verdict, output.reader) {
        (Ok(proof), Reader::Program) => {
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
        (Err(broken), Reader::Program) => output.object(object([
            ("run", form::text(run)),
            ("valid", Json::Bool(false)),
            ("code", Json::from(broken.code)),
            ("reason", form::text(&broken.why)),
        ]))?,
        (Ok(proof), Reader::Person | Reader::Pipe) => output.line(in_words(run, proof))?,
        (Err(_), Reader::Person | Reader::Pipe) => {}
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
