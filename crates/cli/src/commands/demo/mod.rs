//! `consign demo`: a short tour through real commands on real documents.

use std::collections::BTreeMap;

use consign_contracts::{
    Contract,
    compat::{Compatibility, compare},
    json::{Json, Malformed, parse},
    schema::Verdict,
};

use super::contracts::check;
use crate::{
    error::{Error, Exit},
    output::{BAD, FAINT, Output, Reader, STRONG, object, printable, styled},
};

const GOOD_REQUEST: &str = include_str!("good-request.json");
const BAD_REQUEST: &str = include_str!("bad-request.json");
const REPEATED_KEY: &str = r#"{"action": "COMPLETED", "action": "STUCK"}"#;
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
    let old = contract(REQUEST)?.source();
    let mut new = old.clone();
    if let Json::Object(schema) = &mut new
        && let Some(Json::Array(required)) = schema.get_mut("required")
    {
        required.push(Json::from("timeout_seconds"));
    }
    compare(&old, &new).map_err(|error| Error::new("INTERNAL", error.to_string()))
}

/// The verdict that `contracts check` would give.
fn verdict(name: &str, text: &str) -> Result<Result<Verdict, Malformed>, Error> {
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
        "consign contracts check bridge/agent-request good.json",
    )?;
    check::report("good.json", REQUEST, &verdict(REQUEST, GOOD_REQUEST)?, output)?;

    heading(
        output,
        "One that does not: every breach has a place and a reason",
        "consign contracts check bridge/agent-request bad.json",
    )?;
    check::report("bad.json", REQUEST, &verdict(REQUEST, BAD_REQUEST)?, output)?;

    heading(
        output,
        "An answer that says two things at once",
        &format!("echo '{REPEATED_KEY}' | consign contracts check job/agent-response"),
    )?;
    check::report("standard input", RESPONSE, &verdict(RESPONSE, REPEATED_KEY)?, output)?;

    output.line("")?;
    output.line(styled(STRONG, "What would break if `timeout_seconds` became required?"))?;
    output
        .line(styled(FAINT, "$ consign contracts compat bridge/agent-request @ stricter.json"))?;
    if let Compatibility::Incompatible(example) = stricter()? {
        let incompatible = styled(BAD, "incompatible");
        output.line(format!("{REQUEST}: {incompatible}, for example this would be lost:"))?;
        for line in format!("{:#}", example.document).lines() {
            output.line(format!("  {}", shortened(&printable(line))))?;
        }
    }

    output.line("")?;
    output.line(styled(
        FAINT,
        "Next: `consign contracts show bridge/agent-request`, `consign doctor`, `consign --help`.",
    ))?;
    Ok(())
}

/// Generated prompts are long and say nothing.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(72) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
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
        Ok(Json::Object(check::as_object(name, &verdict(name, text)?).into_owned()))
    };
    let mut tour = object([
        ("families", Json::Array(families.collect())),
        ("good", answer(REQUEST, GOOD_REQUEST)?),
        ("bad", answer(REQUEST, BAD_REQUEST)?),
        ("repeated_key", answer(RESPONSE, REPEATED_KEY)?),
    ]);
    if let Compatibility::Incompatible(example) = stricter()? {
        tour.set("counter_example", example.document);
    }
    output.object(tour)?;
    Ok(())
}
