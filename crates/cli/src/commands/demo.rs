//! `consign demo`: a short tour. Its commands can be typed as they stand, in the repository.

mod journeys;

use std::collections::BTreeMap;

use consign_contracts::{
    Contract,
    compat::{Compatibility, compare},
    json::{Json, Malformed, parse},
    schema::Verdict,
};

use super::{
    contracts::{compat, verdict},
    runs,
};
use crate::{
    error::{Error, Exit},
    output::{FAINT, Output, Reader, STRONG, object, styled},
};

const GOOD_REQUEST: &str = include_str!("../../../../examples/good-request.json");
const BAD_REQUEST: &str = include_str!("../../../../examples/bad-request.json");
const STRICTER: &str = include_str!("../../../../examples/stricter.schema.json");
const DUPLICATE_KEY: &str = r#"{"action": "COMPLETED", "action": "STUCK"}"#;
const REQUEST: &str = "bridge/agent-request";
const RESPONSE: &str = "job/agent-response";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    match output.reader {
        Reader::Program => for_program(output)?,
        Reader::Person | Reader::Pipe => for_person(output)?,
    }
    Ok(Exit::Done)
}

fn contract(name: &str) -> Result<&'static Contract, Error> {
    Contract::find(name).ok_or_else(|| Error::new("INTERNAL", format!("{name} is not published")))
}

/// The families with their documents and sizes, in the order in which they are published.
fn families() -> Vec<(&'static str, &'static str, usize)> {
    let mut counts = BTreeMap::new();
    for contract in Contract::all() {
        *counts.entry(contract.document.family).or_insert(0) += 1;
    }
    let mut families: Vec<(&str, &str, usize)> = Vec::new();
    for contract in Contract::all() {
        let document = contract.document;
        if families.last().is_none_or(|(family, ..)| *family != document.family) {
            families.push((document.family, document.title, counts[document.family]));
        }
    }
    families
}

/// What a stricter version of the request's contract would break.
fn stricter() -> Result<Compatibility, Error> {
    let internal = |why: String| Error::new("INTERNAL", why);
    let new = parse(STRICTER.as_bytes()).map_err(|malformed| internal(malformed.to_string()))?;
    compare(&contract(REQUEST)?.source(), &new).map_err(|error| internal(error.to_string()))
}

/// The verdict that `contracts check` would give.
fn check(name: &str, text: &str) -> Result<Result<Verdict, Malformed>, Error> {
    let schema = contract(name)?.schema();
    Ok(parse(text.as_bytes()).map(|document| schema.check(&document)))
}

fn for_person(output: &mut Output) -> Result<(), Error> {
    output.line(styled(STRONG, "Consign hands work to AI agents under contract."))?;
    let rows = families()
        .into_iter()
        .map(|(family, title, count)| vec![family.to_owned(), count.to_string(), title.to_owned()]);
    output.rows(&["family", "contracts", "document"], rows.collect())?;
    output.line(styled(FAINT, "`consign contracts list` names every one of them."))?;

    heading(
        output,
        "A request that keeps its contract",
        "consign contracts check bridge/agent-request examples/good-request.json",
    )?;
    verdict::report("examples/good-request.json", REQUEST, &check(REQUEST, GOOD_REQUEST)?, output)?;

    heading(
        output,
        "One that does not: every breach has a place and a reason",
        "consign contracts check bridge/agent-request examples/bad-request.json",
    )?;
    verdict::report("examples/bad-request.json", REQUEST, &check(REQUEST, BAD_REQUEST)?, output)?;

    heading(
        output,
        "An answer that says two things at once",
        &format!("echo '{DUPLICATE_KEY}' | consign contracts check job/agent-response"),
    )?;
    verdict::report("standard input", RESPONSE, &check(RESPONSE, DUPLICATE_KEY)?, output)?;

    output.line("")?;
    output.line(styled(STRONG, "What would break if `timeout_seconds` became required?"))?;
    output.line(styled(
        FAINT,
        "$ consign contracts compat bridge/agent-request @ examples/stricter.schema.json",
    ))?;
    compat::for_person(REQUEST, &stricter()?, output)?;

    heading(
        output,
        "A run: every step is recorded before the next, and all of it can be proven",
        "consign runs start sample/steps",
    )?;
    runs::tour(output)?;

    heading(
        output,
        "A pipeline: what one agent gives is what the next is given",
        &format!("consign run examples/words.toml --input '\"{}\"'", journeys::TEXT),
    )?;
    journeys::words(output)?;

    heading(
        output,
        "A question about a code base: every line that is cited is there",
        &format!("consign ask-code '{}' --repo examples/pipelines/library", journeys::QUESTION),
    )?;
    journeys::question(output)?;

    output.line("")?;
    output.line(styled(
        FAINT,
        "Next: `consign ask-code 'how does it start?'` in a repository of yours, `consign runs start \
         sample/approval`, `consign doctor`, `consign --help`.",
    ))?;
    Ok(())
}

fn heading(output: &mut Output, text: &str, command: &str) -> Result<(), Error> {
    output.line("")?;
    output.line(styled(STRONG, text))?;
    output.line(styled(FAINT, format!("$ {command}")))?;
    Ok(())
}

fn for_program(output: &mut Output) -> Result<(), Error> {
    let families = families().into_iter().map(|(family, title, count)| {
        Json::Object(object([
            ("family", Json::from(family)),
            ("document", Json::from(title)),
            ("contracts", Json::Number((count as u64).into())),
        ]))
    });
    let answer = |name: &str, text: &str| -> Result<Json<'static>, Error> {
        Ok(Json::Object(verdict::as_object(name, &check(name, text)?).into_owned()))
    };
    let mut tour = object([
        ("families", Json::Array(families.collect())),
        ("good", answer(REQUEST, GOOD_REQUEST)?),
        ("bad", answer(REQUEST, BAD_REQUEST)?),
        ("repeated_key", answer(RESPONSE, DUPLICATE_KEY)?),
    ]);
    if let Compatibility::Incompatible(example) = stricter()? {
        tour.set("counter_example", example.document);
    }
    output.object(tour)?;
    Ok(())
}
