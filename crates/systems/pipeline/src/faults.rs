//! Everything that is wrong with an agent's definition, not only what is met first.
//!
//! A definition is read until something is wrong. What that is about is mended or left out and the rest is read
//! again, as long as something new comes up. What would only follow from what was left out is not told.

use std::path::Path;

use consign_contracts::suggest::meant;
use consign_invokers::define::Definition;
use toml::{Table, Value};

use super::file::Source;

/// Why a definition cannot be used, and the member that is to blame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) why: String,
    /// As a JSON pointer.
    pub(super) member: String,
    /// Where its text has it.
    pub(super) line: Option<usize>,
}

impl Fault {
    pub(super) fn of(why: impl Into<String>) -> Self {
        Self { why: why.into(), member: String::new(), line: None }
    }
}

/// No definition has so many that matter.
const MOST: usize = 20;

/// Every fault of a definition that cannot be read, in which the first was met.
pub(super) fn faults(toml: &str, path: &Path, first: &str) -> Vec<Fault> {
    let lines = Source::toml(toml).ok().map(|source| source.lines(""));
    let mut faults: Vec<Fault> = Vec::new();
    let Ok(mut table) = toml.parse::<Table>() else {
        let (line, why) = split(first);
        return vec![Fault { line, ..Fault::of(why) }];
    };
    let (mut text, mut met) = (toml.to_owned(), first.to_owned());
    let mut called: Vec<(String, String)> = Vec::new();
    while faults.len() < MOST {
        let (line, mut why) = split(&met);
        let member = match line {
            Some(line) => member_at(&text, line),
            None => member_named(&why),
        };
        // It may be reached by what nobody knows.
        let follows = why.starts_with("it needs one of")
            && faults.iter().any(|fault| fault.why.starts_with("unknown field"));
        if follows {
            break;
        }
        let mended = mend(&mut table, &member, &mut why);
        let mut all = if why.starts_with(SEVERAL) { ways(&table, path, &why) } else { Vec::new() };
        all.push(Fault { member, ..Fault::of(why) });
        for fault in &mut all {
            // What was taken for another member stands where it stood.
            for (is, was) in &called {
                match fault.member.strip_prefix(is) {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                        fault.member = format!("{was}{rest}");
                    }
                    Some(_) | None => {}
                }
            }
            fault.line = lines.as_ref().and_then(|lines| lines.of(&fault.member));
        }
        if let (Mended::Called(name), Some(Fault { member, .. })) = (&mended, all.last()) {
            let above = member.rsplit_once('/').map_or("", |(above, _)| above);
            called.push((format!("{above}/{name}"), member.clone()));
        }
        faults.append(&mut all);
        match toml::to_string(&table) {
            Ok(rest) if mended != Mended::No => text = rest,
            Ok(_) | Err(_) => break,
        }
        match Definition::read(&text, path) {
            Ok(_) => break,
            Err(next) => met = next,
        }
    }
    faults.sort_by_key(|fault| fault.line);
    faults
}

/// What is said of an agent that is reached in more than one way.
const SEVERAL: &str = "it is reached in one way, and has ";

/// What is wrong with each of several ways, whichever is left in the end.
fn ways(table: &Table, path: &Path, why: &str) -> Vec<Fault> {
    let there: Vec<_> = why.split(['[', ']']).skip(1).step_by(2).collect();
    let mut found = Vec::new();
    for way in &there {
        let mut alone = table.clone();
        alone.retain(|name, _| name == *way || !there.contains(&name));
        let Ok(text) = toml::to_string(&alone) else { continue };
        let Err(first) = Definition::read(&text, path) else { continue };
        let own = format!("/{way}");
        // The rest has been told, or follows from what was left out.
        let of_it = faults(&text, path, &first).into_iter();
        found.extend(of_it.filter(|fault| fault.member.starts_with(&own)));
    }
    found
}

/// Whether what a fault is about is out of the way.
#[derive(PartialEq, Eq)]
enum Mended {
    No,
    Yes,
    /// It is called so from now on.
    Called(String),
}

/// What is wrong in one line, and in which line of its text that is. Of several the first says where, the
/// last says what, and those between show the text.
fn split(why: &str) -> (Option<usize>, String) {
    let line = why.strip_prefix("TOML parse error at line ").and_then(|rest| {
        let (number, _) = rest.split_once(',')?;
        number.parse().ok()
    });
    let last = why.lines().rev().find(|line| !line.trim().is_empty());
    (line, last.unwrap_or_default().trim().to_owned())
}

/// The member that a text has in a line.
fn member_at(toml: &str, line: usize) -> String {
    let source = Source::toml(toml).ok();
    let lines = source.map(|source| source.lines(""));
    lines.and_then(|lines| lines.at(line).map(str::to_owned)).unwrap_or_default()
}

/// The member that a sentence begins with: `model.temperature is 3, and not from 0 to 2`.
fn member_named(why: &str) -> String {
    let why = why.strip_prefix("the ").unwrap_or(why);
    let name = why.split([' ', ':']).next().unwrap_or_default();
    format!("/{}", name.replace('.', "/"))
}

/// Does away with what a fault is about, so that the rest can be read.
fn mend(table: &mut Table, member: &str, why: &mut String) -> Mended {
    let mut names: Vec<_> = member.split('/').skip(1).collect();
    // Of a list that has something else in it nothing is left.
    while names.last().is_some_and(|name| name.parse::<usize>().is_ok()) {
        names.pop();
    }
    let missing = quoted_in(why, "missing field `");
    names.extend(missing);
    let Some((last, above)) = names.split_last() else { return Mended::No };
    let Some(holder) = inside(table, above) else { return Mended::No };
    let had = holder.remove(*last);
    if had.is_none() && missing.is_none() {
        return Mended::No;
    }
    if quoted_in(why, "unknown field `").is_some() {
        let known: Vec<_> = why.split('`').skip(3).step_by(2).collect();
        let near = meant(last, &known).filter(|near| !holder.contains_key(*near));
        let Some(near) = near.map(str::to_owned) else { return Mended::Yes };
        holder.extend(had.map(|had| (near.clone(), had)));
        *why = format!("unknown field `{last}`; did you mean `{near}`?");
        return Mended::Called(near);
    }
    match stand_in(&names) {
        Some(stand_in) => drop(holder.insert((*last).to_owned(), stand_in)),
        None if missing.is_some() => return Mended::No,
        None => {}
    }
    Mended::Yes
}

/// What can be read in place of what cannot be left out.
fn stand_in(names: &[&str]) -> Option<Value> {
    let text = match names {
        ["name"] | ["mcp", "tool"] => "unnamed",
        ["model", "name"] => "openai/gpt-5-mini",
        ["http", "url"] => "https://example.com/",
        ["subprocess", "command"] => return Some(Value::Array(vec![Value::from("true")])),
        _ => return None,
    };
    Some(Value::from(text))
}

/// The name that stands behind these words.
fn quoted_in<'a>(why: &'a str, words: &str) -> Option<&'a str> {
    why.strip_prefix(words)?.split('`').next()
}

fn inside<'t>(table: &'t mut Table, names: &[&str]) -> Option<&'t mut Table> {
    names.iter().try_fold(table, |table, name| table.get_mut(*name)?.as_table_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(toml: &str, expected: &[(usize, &str)]) {
        let path = Path::new("/nowhere/agent.toml");
        let first = Definition::read(toml, path).unwrap_err();
        let found = faults(toml, path, &first);
        let fits = |(fault, (line, why)): (&Fault, &(usize, &str))| {
            fault.line == Some(*line) && fault.why.contains(why)
        };
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(fits),
            "{found:#?}"
        );
    }

    #[test]
    fn everything_that_is_wrong_is_told() {
        check(
            "name = \"a\"\ncolour = 1\neffect = \"none\"\n[subproces]\ncommand = []\nspeed = 2\n",
            &[
                (2, "unknown field `colour`"),
                (3, "unknown variant `none`"),
                (4, "unknown field `subproces`; did you mean `subprocess`?"),
                (5, "subprocess.command is empty"),
                (6, "unknown field `speed`"),
            ],
        );
        check(
            "name = \"A\"\ntimeout_seconds = -1\n[model]\nname = \"acme\"\ntemperature = 3\nmax_tokens = 0\n",
            &[
                (1, "the name \"A\""),
                (2, "timeout_seconds is -1"),
                (4, "model.name: "),
                (5, "model.temperature is 3"),
                (6, "model.max_tokens is 0"),
            ],
        );
    }

    #[test]
    fn what_only_follows_is_not_told() {
        check("name = \"a\"\n[telepathy]\nx = 1\n", &[(2, "unknown field `telepathy`")]);
        check("name = \"a\"\n[subprocess]\ncommand = 7\n", &[(3, "invalid type")]);
        check("name = \"a\"\n[subprocess]\nenv = []\n", &[(2, "missing field `command`")]);
        check("name = \"a\"\n", &[(1, "it needs one of")]);
        check(
            "name = \"a\"\n[limits]\nmemory_mb = 64\n[subprocess]\ncommand = [\"cat\"]\n[model]\nname = \"nope/none\"\n",
            &[(1, "it is reached in one way"), (7, "there is no provider \"nope\"")],
        );
    }
}
