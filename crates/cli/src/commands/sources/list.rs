//! `consign sources list`: what was taken in.

use consign_app::{
    documents::{self, Source, SourceQuery},
    machine::now,
};
use consign_engine::Owner;

use super::super::runs::owner_arg;
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, styled},
    pages::{Entry, PageArgs},
    text::{place, span},
};

const HELP: &str = "\
In a pipe the fields are source_id, kind, passages, pages, collection, time and source, separated by tabs.

Examples:
  consign sources list
  consign sources list --collection contracts --json | jq -r .source_id";

/// People are shown so much of an id, and can type it.
const SHORT: usize = 12;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only this collection
    #[arg(long, value_name = "C")]
    collection: Option<String>,

    /// Whose documents
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    #[command(flatten)]
    pages: PageArgs,
}

impl Entry for Source {
    fn cursor(&self) -> String {
        self.id.to_string()
    }
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let begin = match &args.pages.cursor {
            Some(id) => Some(documents::show(session, &args.owner, id).await?),
            None => None,
        };
        let read = async |last: Option<&Source>, most: usize| {
            let place = |source: &Source| {
                (source.about.collection.clone(), source.about.identifier.clone())
            };
            let after = last.or(begin.as_ref()).map(place);
            let query = SourceQuery { collection: args.collection.clone(), after, most };
            Ok(documents::list(session, &args.owner, &query).await?)
        };
        args.pages.walk(output, read, print).await?;
        Ok(Exit::Done)
    })
}

fn print(sources: Vec<Source>, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for source in &sources {
                output.line(documents::row(source).to_string())?;
            }
        }
        Audience::Person if sources.is_empty() => {
            output.line(styled(FAINT, "no documents yet; `consign ingest PATH` takes some in"))?;
        }
        Audience::Person | Audience::Pipe => {
            let is_person = output.reader == Audience::Person;
            let row = |source: &Source| {
                let about = &source.about;
                let missing = if source.missing { " (missing)" } else { "" };
                let id = source.id.as_str();
                let (id, since, source_place) = match is_person {
                    true => {
                        let age = span(now().since(about.ingested_at));
                        let short = id.get(..SHORT).unwrap_or(id);
                        (short.to_owned(), format!("{age} ago"), place(&about.identifier))
                    }
                    false => (
                        id.to_owned(),
                        about.ingested_at.to_string(),
                        about.identifier.as_str().into(),
                    ),
                };
                vec![
                    id,
                    about.kind.clone(),
                    source.chunks.to_string(),
                    about.pages.to_string(),
                    about.collection.clone(),
                    since,
                    format!("{source_place}{missing}"),
                ]
            };
            let head = ["id", "kind", "passages", "pages", "collection", "taken in", "source"];
            let head: &[&str] = if is_person { &head } else { &[] };
            output.rows(head, sources.iter().map(row).collect())?;
        }
    }
    Ok(())
}
