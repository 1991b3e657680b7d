//! Chooses the evidence to keep from everything that was found: the best, from several files, with
//! its text.

use std::collections::BTreeMap;

use super::super::{
    super::tools::{Evidence, Role, Rule, View},
    Brief,
    intent::kind::Kind,
    test_code,
    topic::Topic,
    words,
};

const MOST: usize = 40;
/// How many places are read. More than are kept, because some cannot be read.
const LOOKED_AT: usize = 160;
/// Lines of a definition that are shown.
const LINES: usize = 4;

pub(super) fn sift(
    brief: &Brief,
    view: &View,
    topic: &Topic,
    kind: Kind,
    mut evidence: Vec<Evidence>,
) -> Vec<Evidence> {
    let whole = topic.groups.iter().map(|group| group.weight).sum::<f64>().max(1.0);
    // Tests show that something works; who asks about tests wants them.
    let mut tested: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let about_tests = topic.speaks("test") > 0.0 || topic.fits("tests") > 0.0;
    for one in &mut evidence {
        if !about_tests && !matches!(kind, Kind::Count | Kind::FindTests) {
            let ranges = tested
                .entry(one.path.clone())
                .or_insert_with_key(|path| test_code::ranges(view, path));
            let inside = ranges.iter().any(|(from, to)| (*from..=*to).contains(&one.line));
            if inside || test_code::is_test(&one.path, one.symbol.as_deref()) {
                one.score *= 0.35;
            }
        }
        // What has the quoted words is what was asked for.
        let phrased = one.role == Role::Mention
            && topic.phrases.iter().any(|phrase| {
                one.relevance.contains(phrase.as_str()) && phrase.trim().contains(' ')
            });
        if phrased {
            one.score = 2.0;
            continue;
        }
        // A single word of a question about a message says little.
        let one_word = one.role == Role::Mention && one.relevance.starts_with("contains `");
        if one_word && topic.phrases.iter().any(|phrase| phrase.trim().contains(' ')) {
            one.score *= 0.3;
        }
        // `mod throttle;` only says that there is a file.
        let declares = one.kind.as_deref() == Some("module") && one.end_line == one.line;
        if one.role == Role::Definition && declares {
            one.score *= 0.3;
        }
        let name = topic.fits(one.symbol.as_deref().unwrap_or_default());
        let path = topic.fits(&one.path);
        let said = one.note.as_deref().map_or(0.0, |note| topic.speaks(note));
        let fit = ((name + 0.5 * path + 0.25 * said) / whole).min(1.5);
        one.score *= weight(kind, one.role) * (0.6 + 0.4 * fit);
        // Where something is asked for by name, it is what it is; otherwise code says more than values.
        if one.role == Role::Definition && topic.symbols.is_empty() && kind != Kind::Count {
            let own = one.symbol.as_deref().map(words::last_name).unwrap_or_default();
            let value =
                matches!(one.kind.as_deref(), Some("constant" | "variable" | "field" | "variant"));
            let asked = topic.value || topic.covers(own);
            let worth = match value {
                true if asked && topic.covers(own) => 1.5,
                true if asked => 1.0,
                true => 0.5,
                false => 1.0,
            };
            one.score *= (0.8 + 0.2 * topic.precision(own)) * worth;
        }
    }
    evidence.sort_by(better);
    // A score is from 0 to 1, and the best is not lost among the good.
    let most = evidence.first().map_or(1.0, |one| one.score).max(1.0);
    evidence.iter_mut().for_each(|one| one.score = (one.score / most).clamp(0.0, 1.0));
    let mut kept: Vec<Evidence> = Vec::new();
    let reads = brief.allows("read_file") && brief.policy.rule("read_file") != Rule::Deny;
    for mut one in evidence.into_iter().take(LOOKED_AT) {
        if kept.len() >= MOST {
            break;
        }
        if let Some(known) =
            kept.iter_mut().find(|known| known.path == one.path && known.line == one.line)
        {
            // The same place for two reasons: the better one stays, with what the other knew.
            known.note = known.note.take().or(one.note);
            if known.calls.is_empty() {
                known.calls = one.calls;
            }
            continue;
        }
        let here = kept.iter().filter(|known| known.path == one.path).count();
        let most = match kind {
            Kind::History => 12,
            // These are lists, and what is left out of one is said by number.
            Kind::FindUsage
            | Kind::Count
            | Kind::FindImplementers
            | Kind::FindTests
            | Kind::FindEntryPoints => MOST,
            Kind::ShowLines | Kind::AboutProject => 30,
            Kind::ListStructure => 6,
            Kind::TraceFlow
            | Kind::AnalyzeCode
            | Kind::Explain
            | Kind::FindDefinition
            | Kind::Compare
            | Kind::FindProblem => 9,
        };
        if here >= most {
            continue;
        }
        let lines = match one.role {
            Role::Definition if reads => (one.end_line + 1 - one.line).min(LINES),
            Role::Definition
            | Role::Raise
            | Role::Call
            | Role::Usage
            | Role::Structure
            | Role::History
            | Role::Mention => 1,
        };
        // Whose lines no tool has read out is not read out here, either.
        if one.role == Role::Structure && !reads {
            continue;
        }
        if matches!(one.role, Role::Structure | Role::History) {
            view.skip_blank(&mut one);
        }
        if view.quote(&mut one, lines) && !one.content.trim().is_empty() {
            kept.push(one);
        }
    }
    kept
}

fn better(a: &Evidence, b: &Evidence) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| a.role.cmp(&b.role))
        .then_with(|| a.path.cmp(&b.path))
        .then_with(|| a.line.cmp(&b.line))
}

/// What kind of evidence a kind of question wants.
fn weight(kind: Kind, role: Role) -> f64 {
    match (kind, role) {
        (Kind::FindUsage, Role::Call | Role::Usage | Role::Raise) => 1.0,
        (Kind::FindUsage, Role::Definition) => 0.55,
        (Kind::FindProblem, Role::Raise) => 1.0,
        (Kind::FindProblem, Role::Mention) => 0.95,
        (Kind::FindProblem, Role::Definition) => 0.7,
        (Kind::FindProblem, Role::Call | Role::Usage) => 0.75,
        (Kind::History, Role::History) => 1.0,
        (Kind::History, _) => 0.4,
        (Kind::Count, Role::Mention | Role::Call | Role::Usage) => 1.0,
        (Kind::Count, Role::Definition) => 0.7,
        (Kind::ListStructure, Role::Definition) => 1.0,
        (Kind::ListStructure, Role::Structure) => 0.9,
        (Kind::FindImplementers, Role::Usage) => 1.0,
        (Kind::FindImplementers, _) => 0.5,
        (Kind::ShowLines | Kind::FindEntryPoints, _) => 1.0,
        (_, Role::Definition) => 1.0,
        (_, Role::Raise | Role::Call | Role::Usage) => 0.6,
        (_, Role::History | Role::Mention) => 0.55,
        (_, Role::Structure) => 0.4,
    }
}
