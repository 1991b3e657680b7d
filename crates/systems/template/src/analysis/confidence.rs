//! Works out the confidence of an analysis.
//!
//! It is a weighted mean of five parts, each from 0 to 1, and never above 0.95: rules do not know.
//!
//! | part | weight | what it is |
//! |---|---|---|
//! | language | 0.30 | how far the first is ahead of the second: a tie is worth 0.5 |
//! | framework | 0.25 | confidence of the first, less where the second is as strong; without any 0.4, or 0.6 with a manifest that could have named one |
//! | architecture | 0.20 | confidence of the first pattern; 0.3 without any |
//! | tests | 0.10 | 1 if a framework is named and used, 0.3 without any |
//! | reading | 0.15 | the share of source that was read, nothing if a limit cut the list |
//!
//! Without any source there is nothing to be sure of, and it is 0.

use super::{Analysis, languages::rounded, project::Project};

const HIGHEST: f64 = 0.95;

pub(super) fn of(project: &Project, analysis: &Analysis) -> f64 {
    if project.sources.is_empty() {
        return 0.0;
    }
    let mut shares = analysis.languages.iter().map(|language| language.share);
    let (first, second) = (shares.next().unwrap_or(0.0), shares.next().unwrap_or(0.0));
    let language = 0.5 + (first - second).clamp(0.0, 1.0) / 2.0;
    let framework = match analysis.frameworks.as_slice() {
        [] if project.manifests.is_empty() => 0.4,
        [] => 0.6,
        [only] => only.confidence,
        [first, second, ..] => {
            let close = 1.0 - (first.confidence - second.confidence).clamp(0.0, 1.0);
            first.confidence - 0.05 * close
        }
    };
    let architecture = analysis.architecture.first().map_or(0.3, |pattern| pattern.confidence);
    let tests = match analysis.testing.first() {
        Some(testing) if testing.files > 0 => 1.0,
        Some(_) => 0.6,
        None => 0.3,
    };
    let read = project.sample.len() as f64 / project.sources.len().max(1) as f64;
    // A thousand files that are chosen well say nearly all.
    let reading = if analysis.truncated { 0.0 } else { 0.7 + 0.3 * read.min(1.0) };
    let sum =
        0.30 * language + 0.25 * framework + 0.20 * architecture + 0.10 * tests + 0.15 * reading;
    rounded(sum.clamp(0.0, HIGHEST))
}
