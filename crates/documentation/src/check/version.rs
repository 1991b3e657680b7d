//! Versions of the repository's own packages, and of what they need.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, pattern};
use crate::{
    Contract,
    contracts::is_version,
    facts::{Ecosystem, Package},
    markdown::Document,
};

static CURRENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:current|latest|stable|newest)\s+(?:stable\s+)?(?:version|release)\s*(?:is|:)?|^\W*version\s*:?)\s*\**\s*v?(\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)",
    )
});
static BADGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)badge/(?:version|release)-v?(\d+\.\d+(?:\.\d+)?)-"));
static NEEDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:requires?|requiring|minimum|at least|needs?|msrv|supports?|works with|compatible with|built with)\b[^.\n;]{0,40}?)\b(rust(?:c)?|node(?:\.?js)?|python|go)\s*(?:version|compiler)?\s*(?:>=|≥|v)?\s*(\d+(?:\.\d+){0,2})\b(\s*\+|\s+or\s+(?:newer|later|higher|above))?",
    )
});

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    if checker.contract == Contract::Changelog {
        return newest(checker, document);
    }
    let mains: Vec<Package> = checker
        .facts
        .packages
        .iter()
        .filter(|package| {
            !crate::facts::is_test(&package.path) && !package.path.contains("example")
        })
        .take(40)
        .cloned()
        .collect();
    for package in &mains {
        if let Some(version) = &package.version {
            requirements(checker, package, version);
        }
    }
    let Some(main) = checker.facts.main_package().cloned() else { return };
    if let Some(version) = &main.version {
        for prose in &document.prose {
            for claim in CURRENT.captures_iter(&prose.text) {
                let line = prose.line_at(claim.get(1).map_or(0, |it| it.start()));
                let others =
                    ["rust", "node", "python", "npm", "cargo", "go ", "api", "protocol", "java"];
                let before = prose.text[..claim.get(0).map_or(0, |it| it.start())].to_lowercase();
                if !others
                    .iter()
                    .any(|other| before.ends_with(other) || before.trim_end().ends_with(other))
                {
                    checker.note(
                        same(&claim[1], version),
                        IssueKind::Version,
                        line,
                        &claim[1],
                        Some(version.clone()),
                    );
                }
            }
        }
        for link in &document.links {
            if let Some(badge) = BADGE.captures(&link.target) {
                checker.note(
                    same(&badge[1], version),
                    IssueKind::Version,
                    link.line,
                    &badge[1],
                    Some(version.clone()),
                );
            }
        }
    }
    for prose in &document.prose {
        for claim in NEEDS.captures_iter(&prose.text) {
            let ecosystem = match claim[1].to_lowercase().as_str() {
                "rust" | "rustc" => Ecosystem::Cargo,
                "python" => Ecosystem::Python,
                "go" => Ecosystem::Go,
                _ => Ecosystem::Npm,
            };
            let package = checker
                .facts
                .packages
                .iter()
                .find(|package| package.ecosystem == ecosystem && package.requires.is_some());
            let Some(least) = package.and_then(|package| least(package.requires.as_deref()?))
            else {
                continue;
            };
            // Without "or newer" it may be one of several.
            if claim.get(3).is_none() && numbers(&claim[2]).len() < 2 {
                continue;
            }
            let (claimed, wanted) = (numbers(&claim[2]), numbers(&least));
            let parts = claimed.len().min(wanted.len()).min(2);
            let line = prose.line_at(claim.get(2).map_or(0, |it| it.start()));
            let older = claimed[..parts] < wanted[..parts];
            let newer = claimed[..parts] > wanted[..parts] && claim.get(3).is_some();
            checker.note(
                !older && !newer,
                IssueKind::Version,
                line,
                &format!("{} {}", &claim[1], &claim[2]),
                Some(least),
            );
        }
    }
}

/// `name = "1.2"`, `name@1.2`, `name==1.2`, `"name": "^1.2"`, with the package's name.
fn requirements(checker: &mut Checker<'_>, package: &Package, version: &str) {
    if package.name.len() < 2 {
        return;
    }
    let name = regex::escape(&package.name);
    let form = match package.ecosystem {
        Ecosystem::Cargo => format!(
            r#"(?m)(?:^|[\s`]){name}\s*=\s*(?:\{{[^}}\n]*?version\s*=\s*)?"[~^=]?\s*(\d+(?:\.\d+)*[^"]*)""#
        ),
        Ecosystem::Npm => format!(
            r#"(?m)(?:^|[\s`"'/]){name}(?:@[~^]?v?|":\s*"[~^]?)(\d+(?:\.\d+)*[0-9A-Za-z.-]*)"#
        ),
        Ecosystem::Python => {
            format!(r#"(?im)(?:^|[\s`"']){name}(?:\[[^\]]*\])?\s*[=~>]=\s*(\d+(?:\.\d+)*)"#)
        }
        Ecosystem::Maven => format!(
            r"(?m)<artifactId>{name}</artifactId>\s*<version>(\d+(?:\.\d+)*)|:{name}:(\d+(?:\.\d+)*)"
        ),
        Ecosystem::DotNet => format!(r#"(?m)Include="{name}"\s+Version="(\d+(?:\.\d+)*)"#),
        Ecosystem::Go | Ecosystem::CMake => return,
    };
    let Ok(form) = Regex::new(&form) else { return };
    for found in form.captures_iter(checker.text) {
        let Some(wanted) = found.iter().skip(1).flatten().next() else { continue };
        let line = checker.text[..wanted.start()].matches('\n').count() + 1;
        // Version ranges with several bounds are read by their first.
        let first = wanted.as_str().split([',', ' ', '|', '<']).next().unwrap_or("");
        if first.contains(".x") || first.ends_with('.') || first.contains('*') {
            continue;
        }
        checker.note(
            allows(first, version),
            IssueKind::Version,
            line,
            &format!("{} {first}", package.name),
            Some(version.to_owned()),
        );
    }
}

/// The newest version of a changelog is the manifest's, or one that is to come.
fn newest(checker: &mut Checker<'_>, document: &Document) {
    let versions: Vec<&crate::markdown::Heading> =
        document.headings.iter().filter(|heading| is_version(&heading.text)).collect();
    let Some(first) = versions.first() else { return };
    let Some(version) = checker.facts.main_package().and_then(|package| package.version.clone())
    else {
        return;
    };
    let found = |text: &str| {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).find_map(
            |word| {
                let word = word.trim_start_matches('v');
                (word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
                    .then(|| numbers(word))
            },
        )
    };
    let Some(newest) = versions.iter().filter_map(|heading| found(&heading.text)).max() else {
        return;
    };
    let own = numbers(&version);
    let parts = newest.len().min(own.len());
    checker.note(
        newest[..parts] <= own[..parts],
        IssueKind::Version,
        first.line,
        &first.text,
        Some(version),
    );
}

fn numbers(version: &str) -> Vec<u64> {
    let head = version.split(['-', '+']).next().unwrap_or(version);
    head.split('.')
        .map_while(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .collect()
}

/// Whether two versions are alike as far as both go.
fn same(claimed: &str, version: &str) -> bool {
    let (claimed, version) = (numbers(claimed), numbers(version));
    let parts = claimed.len().min(version.len());
    claimed[..parts] == version[..parts]
}

/// Whether a requirement takes this version, as Cargo and npm read `^`.
fn allows(requirement: &str, version: &str) -> bool {
    let (wanted, own) = (numbers(requirement), numbers(version));
    if wanted.is_empty() || own.is_empty() {
        return true;
    }
    let fixed =
        wanted.iter().position(|part| *part != 0).unwrap_or(wanted.len().saturating_sub(1)) + 1;
    let fixed = fixed.min(own.len()).min(wanted.len());
    let parts = wanted.len().min(own.len());
    wanted[..fixed] == own[..fixed] && wanted[..parts] <= own[..parts]
}

/// The first number of `>=3.8`, `^18 || >=20`, `1.70`.
fn least(requirement: &str) -> Option<String> {
    let start = requirement.find(|c: char| c.is_ascii_digit())?;
    let rest = &requirement[start..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.').to_owned())
}
