//! Licences that a document claims.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Checker, IssueKind, pattern};
use crate::markdown::Document;

/// Words, and the SPDX name that they mean.
const KNOWN: &[(&str, &str)] = &[
    (r"\bMIT\b", "MIT"),
    (
        r"\bApache(?:[ -]Software)?(?:[ -]License)?,?(?:[ -]?(?:v|version )?2(?:\.0)?)?\b",
        "Apache-2.0",
    ),
    (r"\b(?:BSD[ -]?3|3[ -]clause|New BSD|Modified BSD)\b", "BSD-3-Clause"),
    (r"\b(?:BSD[ -]?2|2[ -]clause|Simplified BSD)\b", "BSD-2-Clause"),
    (r"\bISC\b", "ISC"),
    (r"\b(?:MPL|Mozilla Public License)\b", "MPL-2.0"),
    (r"\b(?:AGPL|Affero)", "AGPL-3.0"),
    (r"\b(?:LGPL|Lesser General)", "LGPL-3.0"),
    (r"\b(?:GPL(?:-|v| ?v)?2)", "GPL-2.0"),
    (r"\b(?:GPL(?:-|v| ?v)?3|GPL\b|GNU General Public)", "GPL-3.0"),
    (r"\bUn[Ll]icense\b|\bUNLICENSE\b", "Unlicense"),
    (r"\bCC0\b", "CC0-1.0"),
    (r"\bzlib license\b", "Zlib"),
    (r"\bBSD\b", "BSD-3-Clause"),
];

static PATTERNS: LazyLock<Vec<(Regex, &'static str)>> =
    LazyLock::new(|| KNOWN.iter().map(|(words, name)| (pattern(words), *name)).collect());

/// The licences that a text names, by their SPDX names.
pub(crate) fn licences_in(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = PATTERNS
        .iter()
        .filter(|(words, _)| words.is_match(text))
        .map(|(_, name)| (*name).to_owned())
        .collect();
    if found.contains("BSD-2-Clause") && !text.contains('3') {
        found.remove("BSD-3-Clause");
    }
    found
}

static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:(?:licensed|released|distributed|available|published|provided)\s+(?:\w+\s+)?(?:under|with)|licen[sc]e:)\s+(?:the\s+|an?\s+)?((?:[^.\n]|\.\d){2,60})",
    )
});
static BADGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)badge/licen[sc]e-([A-Za-z0-9._%-]+?)-[A-Za-z0-9]+(?:\.svg)?(?:[?)\s]|$)")
});

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    if checker.contract == crate::Contract::Changelog {
        return;
    }
    let mut claims: Vec<(usize, String)> = Vec::new();
    for link in &document.links {
        claims.extend(
            BADGE
                .captures(&link.target)
                .map(|badge| (link.line, badge[1].replace("--", "-").replace("%20", " "))),
        );
    }
    for prose in &document.prose {
        let in_section = document.heading_of(prose.line).is_some_and(|heading| {
            let heading = heading.text.to_lowercase();
            heading.starts_with("licen") || heading.starts_with("copyright")
        });
        for claim in CLAIM.captures_iter(&prose.text) {
            let at = claim.get(0).map_or(0, |all| all.start());
            claims.push((prose.line_at(at), claim[1].to_owned()));
        }
        // In the section itself a name alone is a claim.
        let is_first = document.heading_of(prose.line).is_some_and(|heading| {
            !document.prose.iter().any(|other| heading.line < other.line && other.line < prose.line)
        });
        if in_section && is_first && prose.text.len() < 200 {
            claims.push((prose.line, prose.text.clone()));
        }
    }
    // Behind the repository's own licence, others are of code that it brings along.
    let mut own_is_said = false;
    for (line, claim) in claims {
        for name in licences_in(&claim) {
            let known = &checker.facts.licences;
            let family = |other: &String| other.split('-').next() == name.split('-').next();
            let found = known.iter().any(|other| {
                other.starts_with(&name)
                    || name.starts_with(other.as_str())
                    || (name.starts_with("BSD") && family(other))
                    || (other.contains("GPL") && name.contains("GPL") && family(other))
            });
            if own_is_said && !found {
                continue;
            }
            own_is_said |= found;
            let fix = known.iter().next().cloned();
            // Without a licence in the repository a claim is invented, unless the repository has no files to tell.
            checker.note(found, IssueKind::Licence, line, &name, fix);
        }
    }
}
