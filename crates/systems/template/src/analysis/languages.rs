//! Works out the share of each language, by lines.

use std::collections::BTreeMap;

use consign_code::Language;

use super::{
    LanguageShare,
    measure::{Tier, tier},
    project::Project,
};

/// The languages, the largest first, and the one that leads.
pub(super) fn of(project: &Project) -> (Vec<LanguageShare>, Option<Language>) {
    let mut sums: BTreeMap<Language, (usize, usize)> = BTreeMap::new();
    for source in &project.sources {
        let sum = sums.entry(source.language).or_default();
        *sum = (sum.0 + 1, sum.1 + source.lines);
    }
    let is = |language: &Language, wanted| tier(*language) == Some(wanted);
    // Pages count where nothing else does.
    if sums.keys().any(|language| !is(language, Tier::Page)) {
        sums.retain(|language, _| !is(language, Tier::Page));
    }
    let all: usize = sums.values().map(|(_, lines)| lines).sum();
    let mut found: Vec<(Language, LanguageShare)> = sums
        .into_iter()
        .map(|(language, (files, lines))| {
            let share = rounded(lines as f64 / all.max(1) as f64);
            let name = language.name().to_owned();
            (language, LanguageShare { name, files, lines, share })
        })
        .collect();
    found.sort_by(|(_, a), (_, b)| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
    let leads = found.iter().find(|(language, _)| is(language, Tier::Program));
    let leads = leads.or(found.first()).map(|(language, _)| *language);
    (found.into_iter().map(|(_, share)| share).collect(), leads)
}

/// Rounds to three digits.
pub(super) fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}
