//! The reference pages of `docs/`, held against the program that they describe.
//!
//! `docs/cli.md` is generated from the help of every command; `docs/errors.md` and `docs/settings.md` are written by
//! hand, and compared with what the sources name and what the program takes; the table of `docs/surfaces.md` names every
//! route and every tool; the walkthrough of `docs/service.md` is run as it stands there. `CONSIGN_UPDATE_PAGES=1`
//! rewrites what is generated:
//!
//! ```sh
//! CONSIGN_UPDATE_PAGES=1 cargo nextest run -p consign-cli --test acceptance pages::
//! ```

pub(crate) mod blocks;
mod cli;
mod errors;
mod readme;
mod service;
mod settings;
mod sources;
mod surfaces;

use std::fs;

use crate::support::root;

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
}

/// The part of a page below a heading, up to the next heading of the same or a higher level.
#[track_caller]
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let level = heading.chars().take_while(|letter| *letter == '#').count();
    let (_, rest) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("the page has no {heading:?}"));
    let ends = |line: &str| {
        let hashes = line.chars().take_while(|letter| *letter == '#').count();
        (1..=level).contains(&hashes) && line[hashes..].starts_with(' ')
    };
    let (mut length, mut in_block) = (0, false);
    for line in rest.split_inclusive('\n') {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        // In a block of code a line with a hash is a comment.
        if !in_block && ends(line) {
            break;
        }
        length += line.len();
    }
    &rest[..length]
}

/// The rows of the tables in a text, as cells. Headings of tables are rows too.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// What stands between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The first block of code of a language whose first line is this one.
#[track_caller]
fn block<'p>(page: &'p str, language: &str, first: &str) -> &'p str {
    let fence = format!("```{language}\n");
    page.split(fence.as_str())
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block)
        .find(|block| block.starts_with(first))
        .unwrap_or_else(|| panic!("the page has no block that begins with {first:?}"))
}
