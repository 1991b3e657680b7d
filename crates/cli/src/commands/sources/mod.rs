//! `consign sources`: the documents that are known.

mod list;
mod refresh;
mod remove;
mod show;

use std::path::Path;

use clap::Subcommand;
use consign_app::documents::{self, Source, SourceQuery};
use consign_engine::Owner;

use crate::{
    engine::Session,
    error::{Error, Exit},
    output::{Output, printable},
    text::place,
};

const HELP: &str = "\
Examples:
  consign sources list
  consign sources show handbook.pdf --text
  consign sources refresh
  consign sources remove src_5f2a";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What was taken in, with its id
    List(list::Args),
    /// One document: what is known of it, or what it says
    Show(show::Args),
    /// Look at known sources again, and take in what has changed
    Refresh(refresh::Args),
    /// Forget a document and everything that came from it
    Remove(remove::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List(args) => list::run(args, output),
        Command::Show(args) => show::run(args, output),
        Command::Refresh(args) => refresh::run(args, output),
        Command::Remove(args) => remove::run(args, output),
    }
}

/// Sources that are read at a time.
const PAGE: usize = 500;
/// The least of an id that is enough.
const LEAST: usize = 4;
/// How many are named where several could be meant.
const NAMED: usize = 5;

/// The source that a user means: its id or the beginning of it, its path or address, or the name of its file.
async fn meant(session: &Session, owner: &Owner, word: &str) -> Result<Source, Error> {
    let unknown: Error = match documents::show(session, owner, word).await {
        Ok(source) => return Ok(source),
        Err(error) => error.into(),
    };
    if unknown.code != "NOT_FOUND" {
        return Err(unknown);
    }
    let (mut fits, mut after) = (Vec::new(), None);
    loop {
        let query = SourceQuery { collection: None, after, most: PAGE };
        let page = documents::list(session, owner, &query).await?;
        let last = page.last().filter(|_| page.len() == PAGE);
        after = last.map(|last| (last.about.collection.clone(), last.about.identifier.clone()));
        fits.extend(page.into_iter().filter(|source| is_meant(source, word)));
        if after.is_none() {
            break;
        }
    }
    match fits.len() {
        0 => Err(unknown),
        1 => fits.pop().ok_or(unknown),
        many => {
            let told = format!("{word:?} fits {many} documents");
            let named = fits.iter().take(NAMED).map(|source| {
                let (id, about) = (source.id.as_str(), &source.about);
                printable(&format!("{id}  {}  {}", about.collection, place(&about.identifier)))
                    .into_owned()
            });
            Err(Error::new("SOURCE_AMBIGUOUS", told)
                .listing(named)
                .hint("name one by more of its id"))
        }
    }
}

fn is_meant(source: &Source, word: &str) -> bool {
    let identifier = source.about.identifier.as_str();
    let absolute = std::path::absolute(Path::new(word)).ok();
    let id = source.id.as_str();
    let begins =
        id.starts_with(word) || id.strip_prefix("src_").is_some_and(|id| id.starts_with(word));
    identifier == word
        || absolute.is_some_and(|path| path.to_str() == Some(identifier))
        || identifier.strip_suffix(word).is_some_and(|before| before.ends_with('/'))
        || (begins && word.strip_prefix("src_").unwrap_or(word).len() >= LEAST)
}

/// What a user should know who was told that nothing was found: that there is nothing to look in.
pub(super) async fn hint_if_empty(
    session: &Session,
    owner: &Owner,
    collection: Option<&str>,
    output: &Output,
) -> Result<bool, Error> {
    let any = async |collection: Option<&str>| {
        let collection = collection.map(str::to_owned);
        let query = SourceQuery { collection, after: None, most: 1 };
        Ok::<_, Error>(!documents::list(session, owner, &query).await?.is_empty())
    };
    if any(collection).await? {
        return Ok(false);
    }
    output.tell(match collection {
        Some(collection) if any(None).await? => format!(
            "hint: there are no documents in the collection {}; `consign sources list` shows all",
            printable(collection)
        ),
        Some(_) | None => {
            "hint: there are no documents yet; `consign ingest PATH` takes some in".to_owned()
        }
    });
    Ok(true)
}
