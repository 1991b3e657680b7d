//! `consign search "…"`: passages of documents that answer a question.

use std::ops::Range;

use consign_app::documents::{self, Answer, Marked, Progress, Way};
use consign_contracts::{
    crew::{MemoryOutput, MemoryQuery},
    json::{Json, Limits, Number, Object},
    wire::{Integer, Message, Nullable},
};
use consign_engine::Owner;

use super::{
    ingest::{MORE_VECTORS, fact},
    lines::answer_each,
    runs::owner_arg,
    sources::hint_if_empty,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    live,
    output::{Audience, FAINT, Output, STRONG, WARN, printable, styled},
    text::{count, folded, place},
};

const HELP: &str = "\
Finds passages of the documents that `consign ingest` has taken in, best first, with where they stand. Words are found \
by their stems, in the language of the document; with the model of `consign models pull embeddings` passages are found \
by what they mean, too. Scores are from 0 to 1; what is below --min-score is not shown.

Filters narrow the search before it begins: source_id, document_id, source_type, collection, kind, file_type, \
file_name, title, page_number, layout_type, checksum, and what `ingest --meta` has set. A key that is given twice means \
either value.

With --json the answer is contract crew/memory.output, with a member `search` that says how it was looked for. With \
--stream each line of the input is contract crew/memory.query, which may have a `collection`, and each line of the \
output is the answer, in the same order.

Examples:
  consign search 'notice period'
  consign search 'who signs invoices' --collection contracts --top-k 3
  consign search 'notice period' --filter kind=pdf --filter page_number=2 --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// What to look for
    #[arg(value_name = "QUESTION", required_unless_present = "stream")]
    question: Option<String>,

    /// The most passages
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top_k: u32,

    /// The least score, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.7, value_parser = score)]
    min_score: f64,

    /// Only what has this value; may be repeated
    #[arg(long = "filter", value_name = "KEY=VALUE", value_parser = fact)]
    filters: Vec<(String, String)>,

    /// Only this collection
    #[arg(long, value_name = "C")]
    collection: Option<String>,

    /// Questions on standard input, a line of JSON each
    #[arg(long, conflicts_with_all = ["question", "top_k", "min_score", "filters", "collection"])]
    stream: bool,

    /// Whose documents
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

fn score(text: &str) -> Result<f64, String> {
    let score: Option<f64> = text.parse().ok();
    score.filter(|score| (0.0..=1.0).contains(score)).ok_or_else(|| "from 0 to 1".to_owned())
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match &args.question {
        Some(question) => one(session, args, question, output).await,
        None => {
            let limit = Limits::default().bytes;
            let answer = async |line: &[u8]| Ok(answered(session, args, line).await?.to_json());
            answer_each(output, limit, answer).await
        }
    })
}

async fn one(
    session: &Session,
    args: &Args,
    question: &str,
    output: &mut Output,
) -> Result<Exit, Error> {
    let query = query(args, question)?;
    let collection = args.collection.as_deref();
    let answer = documents::search(session, &args.owner, &query, collection).await?;
    match output.reader {
        Audience::Program => output.line(answer.to_output().to_json())?,
        Audience::Person | Audience::Pipe => {
            print(&answer, output)?;
            if answer.results.is_empty()
                && !hint_if_empty(session, &args.owner, collection, output).await?
                && args.min_score > 0.0
            {
                output.tell("hint: --min-score 0 shows what comes nearest");
            }
        }
    }
    Ok(Exit::Done)
}

fn query(args: &Args, question: &str) -> Result<MemoryQuery, Error> {
    let mut filters: Object<'static> = Object::new();
    for (key, value) in &args.filters {
        let value = Json::String(value.clone().into());
        let all = match filters.remove(key) {
            None => value,
            Some(Json::Array(mut before)) => {
                before.push(value);
                Json::Array(before)
            }
            Some(before) => Json::Array(vec![before, value]),
        };
        filters.set(key.clone(), all);
    }
    let min = Number::try_from(args.min_score)
        .map_err(|_| Error::usage("USAGE", "--min-score is a number from 0 to 1"))?;
    Ok(MemoryQuery {
        query_text: question.to_owned(),
        top_k: Some(Integer::from(i64::from(args.top_k))),
        min_relevance_score: Some(min),
        filters: (!filters.is_empty()).then_some(Nullable(Some(filters))),
        extra: Object::new(),
    })
}

fn print(answer: &Answer, output: &mut Output) -> Result<(), Error> {
    let columns = match output.reader {
        Audience::Person => live::columns().saturating_sub(3),
        Audience::Pipe | Audience::Program => usize::MAX,
    };
    for (number, Marked { hit, marks }) in answer.results.iter().enumerate() {
        let chunk = &hit.chunk;
        let mut place = place(&chunk.about.identifier).into_owned();
        if let Some(page) = chunk.page {
            place += &format!(", page {page}");
        }
        if !chunk.heading.is_empty() {
            place += &format!(", {}", chunk.heading.join(" > "));
        }
        let head = format!("{}. {:.2}  {}", number + 1, hit.relevance, printable(&place));
        output.line(styled(STRONG, head))?;
        let from = without_headings(&chunk.content);
        for line in marked_lines(&chunk.content, marks, from, columns) {
            output.line(format!("   {line}"))?;
        }
        output.line("")?;
    }
    output.finish()?;
    let (shown, all) = (answer.results.len() as u64, answer.total_found);
    let found = match (shown, all) {
        (0, _) => "nothing was found".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {}", count(all, "passage")),
        (shown, _) => count(shown, "passage"),
    };
    output.tell(styled(FAINT, format!("{found}, {}", how(answer))));
    Ok(())
}

/// Where a passage begins behind its headings, which its place names already. A passage of nothing else is shown whole.
fn without_headings(content: &str) -> usize {
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        let text = line.trim_start_matches('#');
        let is_heading = text.len() < line.len() && text.starts_with(' ');
        if !is_heading && !line.trim().is_empty() {
            return at;
        }
        at += line.len();
    }
    0
}

/// A passage from a place on, line by line, fit for a terminal, with what matches in a style.
fn marked_lines(content: &str, marks: &[Range<usize>], from: usize, columns: usize) -> Vec<String> {
    let (mut lines, mut at) = (Vec::new(), from);
    for whole in content.get(from..).unwrap_or_default().split_inclusive('\n') {
        let said = whole.trim_end_matches(['\n', '\r']);
        // A row of a table stays whole: folded it could not be read.
        let columns = if said.starts_with('|') { usize::MAX } else { columns };
        for line in folded(said, columns) {
            lines.push(marked(content, marks, at + line.start..at + line.end));
        }
        at += whole.len();
    }
    lines
}

fn marked(content: &str, marks: &[Range<usize>], shown: Range<usize>) -> String {
    let (mut line, mut from) = (String::new(), shown.start);
    for mark in marks.iter().filter(|mark| mark.start < shown.end && mark.end > shown.start) {
        let mark = mark.start.max(from)..mark.end.min(shown.end);
        let (Some(before), Some(marked)) =
            (content.get(from..mark.start), content.get(mark.clone()))
        else {
            continue;
        };
        line += &printable(before);
        line += &styled(WARN, printable(marked));
        from = mark.end;
    }
    line += &printable(content.get(from..shown.end).unwrap_or_default());
    line
}

/// How it was looked for, and what is not done yet.
fn how(answer: &Answer) -> String {
    let Progress { done, total } = answer.progress;
    match (answer.way, &answer.trouble, &answer.model) {
        (Way::Hybrid, _, _) if done < total => {
            format!("by words and meaning, vectors {done} of {total}")
        }
        (Way::Hybrid, _, _) => "by words and meaning".to_owned(),
        (Way::Text, Some(trouble), _) => format!("by words alone: {trouble}"),
        (Way::Text, None, None) => {
            "by words alone; `consign models pull embeddings` lets it find by meaning too"
                .to_owned()
        }
        (Way::Text, None, Some(_)) if total > 0 => {
            format!("by words alone, vectors {done} of {total}: {MORE_VECTORS}")
        }
        (Way::Text, None, Some(_)) => "by words alone".to_owned(),
    }
}

async fn answered(session: &Session, args: &Args, line: &[u8]) -> Result<MemoryOutput, Error> {
    let query = MemoryQuery::from_json(line)
        .map_err(|why| Error::new("VALIDATION_ERROR", why.to_string()))?;
    let collection = query.extra.get("collection").and_then(Json::as_str);
    Ok(documents::search(session, &args.owner, &query, collection).await?.to_output())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matches_is_marked_line_by_line_and_no_line_end_is_shown() {
        let content = "One two\r\nthree\u{1b} four\n";
        let lines = marked_lines(content, &[4..7, 4..5, 9..14], 0, 80);
        let marked = |text: &str| styled(WARN, text);
        let expected =
            [format!("One {}", marked("two")), format!("{}\u{FFFD} four", marked("three"))];
        assert_eq!(lines, expected);
        // A mark over a line end is two marks.
        let lines = marked_lines("ab\ncd", &[Range { start: 1, end: 4 }], 0, 80);
        assert_eq!(lines, [format!("a{}", marked("b")), format!("{}d", marked("c"))]);
        let lines = marked_lines("# A\nb c\n", &[Range { start: 4, end: 5 }], 4, 2);
        assert_eq!(lines, [marked("b"), "c".to_owned()]);
    }

    #[test]
    fn headings_above_a_passage_are_shown_by_its_place_alone() {
        for (content, from) in [
            ("# A\n\n## B\n\nText", 11),
            ("Text\n# A", 0),
            ("#tag is text", 0),
            ("# A\n\n## B\n", 0),
            ("", 0),
        ] {
            assert_eq!(without_headings(content), from, "{content:?}");
        }
    }
}
