//! Lists that come in pages: how many to show, where to go on, and whether there is more.

use consign_contracts::json::Json;

use crate::{
    error::Error,
    output::{Audience, FAINT, Output, object, styled},
};

/// Entries that are read at a time when all are wanted.
const PAGE: usize = 500;

#[derive(clap::Args)]
pub(crate) struct PageArgs {
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 50,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    limit: usize,

    /// Go on after this entry, as the end of the list before says
    #[arg(long, value_name = "ID")]
    pub(crate) cursor: Option<String>,

    /// Show all
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

/// What a list is made of.
pub(crate) trait Entry {
    /// Names the entry, so that a list can go on after it.
    fn cursor(&self) -> String;
}

impl PageArgs {
    /// Reads page after page and hands each to `show`; at the end says how to see more.
    pub(crate) async fn walk<T: Entry>(
        &self,
        output: &mut Output,
        mut read: impl AsyncFnMut(Option<&T>, usize) -> Result<Vec<T>, Error>,
        mut show: impl FnMut(Vec<T>, &mut Output) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // One more than is shown tells whether there is more.
        let most = if self.all { PAGE } else { self.limit };
        let mut page = read(None, most + 1).await?;
        while self.all && page.len() > most {
            page.truncate(most);
            let next = read(page.last(), most + 1).await?;
            show(page, output)?;
            page = next;
        }
        let more = page.len() > most;
        page.truncate(most);
        let last = page.last().map(Entry::cursor).filter(|_| more);
        show(page, output)?;
        if let Some(last) = last {
            output.finish()?;
            output.warn(match output.reader {
                Audience::Program => {
                    Json::Object(object([("cursor", Json::String(last.into()))])).to_string()
                }
                Audience::Person | Audience::Pipe => {
                    styled(FAINT, format!("there is more: add --cursor {last}, or --all"))
                }
            });
        }
        Ok(())
    }
}
