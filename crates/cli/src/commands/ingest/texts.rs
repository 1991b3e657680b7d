//! `consign ingest --stream`: texts on standard input, a line of JSON each.
//!
//! A line is read while the batch before it is kept, so that a long stream is kept in large commits, and a caller that
//! waits for each answer has it at once.

use std::thread;

use consign_app::documents::{self, Filling, RowStatus, TextInput};
use serde_json::Map;
use tokio::sync::mpsc;

use super::{super::lines, Args, facts, vectors};
use crate::{
    engine::Session,
    error::{Error, Exit},
    input::{Line, Source, next_line},
    output::Output,
};

/// The longest line.
const LONGEST: usize = 64 << 20;
/// The most texts of one commit, and about the most bytes.
const MOST_TEXTS: usize = 256;
const MOST_BYTES: usize = 8 << 20;

/// What a line is: a text, or what is wrong with it.
type Given = Result<TextInput, Error>;

pub(super) async fn run(
    session: &Session,
    args: &Args,
    output: &mut Output,
) -> Result<Exit, Error> {
    output.only_json()?;
    let facts = Map::from_iter(facts(args));
    let (sender, mut lines) = mpsc::channel(MOST_TEXTS);
    let mut input = Source::Stdin.open()?;
    thread::spawn(move || {
        loop {
            let line = next_line(&mut input, LONGEST).transpose();
            let is_last = !matches!(line, Some(Ok(_)));
            // Nobody listens any more: the command is over.
            let is_unheard = line.is_some_and(|line| sender.blocking_send(line).is_err());
            if is_last || is_unheard {
                return;
            }
        }
    });
    let filling = Filling::begin(session, &args.owner);
    let mut exit = Exit::Done;
    while let Some(first) = lines.recv().await {
        let (mut next, mut batch, mut bytes) = (Some(first), Vec::new(), 0);
        while let Some(line) = next.take() {
            match line.map_err(|cause| lines::unreadable(&cause))? {
                Line::Bytes(line) if line.trim_ascii().is_empty() => {}
                Line::Bytes(line) => {
                    bytes += line.len();
                    let read = documents::read_text(&line, &args.collection, &facts);
                    batch.push(read.map_err(Error::from));
                }
                Line::TooLarge(why) => {
                    batch.push(Err(Error::new("INPUT_MALFORMED", why.to_string())));
                }
            }
            if batch.len() < MOST_TEXTS && bytes < MOST_BYTES {
                next = lines.try_recv().ok();
            }
        }
        if keep(session, args, batch, output).await? == Exit::Failed {
            exit = Exit::Failed;
        }
        output.finish()?;
    }
    filling.end().await;
    let vectors = vectors::finish(session, &args.owner, args.wait_vectors, output).await?;
    Ok(if vectors == Exit::Done { exit } else { vectors })
}

/// Keeps a batch and answers each line of it, in order.
async fn keep(
    session: &Session,
    args: &Args,
    batch: Vec<Given>,
    output: &mut Output,
) -> Result<Exit, Error> {
    let texts: Vec<TextInput> =
        batch.iter().filter_map(|given| given.as_ref().ok().cloned()).collect();
    let mut rows = documents::take_texts(session, &args.owner, texts).await?.into_iter();
    let mut exit = Exit::Done;
    for given in batch {
        match given {
            Ok(text) => {
                let Some(row) = rows.next() else { break };
                if matches!(row.status, RowStatus::Skipped | RowStatus::Failed) {
                    exit = Exit::Failed;
                }
                output.line(documents::text_row(&text.id, &row).to_string())?;
            }
            Err(error) => {
                exit = Exit::Failed;
                output.line(lines::refusal(&error).to_string())?;
            }
        }
    }
    Ok(exit)
}
