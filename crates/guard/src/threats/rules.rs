//! Which words in which order are a threat.
//!
//! A rule is a line of `rules.txt`: how sure it makes, the risk (`passage` is injection in retrieved text), what it is called, and the ideas of the lexicon that must
//! follow each other in a sentence: `0.9 injection instruction override: override > {prior instructions}`. `a/b` is
//! either, `{a b}` is both in any order, `>` is followed within [`GAP`] bytes and the same sentence, `>>` also in the next one.

use std::{ops::Range, sync::LazyLock};

use super::{
    Threat, context,
    lexicon::{Idea, LEXICON, Word},
};
use crate::{Risk, view::View};

/// How far apart the ideas of a rule may stand, in bytes of the folded text.
const GAP: usize = 48;
/// How many ways to have come to the same place are kept.
const WAYS: usize = 4;

struct Rule {
    risk: Risk,
    kind: &'static str,
    score: f64,
    /// Whether it holds only in retrieved text.
    retrieved: bool,
    /// The ideas in their order, each step any of several.
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
struct Step {
    /// Any of these.
    ideas: Vec<Idea>,
    /// Whether it may stand in the sentence after the step before it.
    reaches: bool,
}

struct Rules {
    rules: Vec<Rule>,
    /// For each idea the rules and steps that it takes part in, last steps first.
    of: Vec<Vec<(usize, usize)>>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| parsed(include_str!("rules.txt")));

fn parsed(text: &'static str) -> Rules {
    let mut rules = Vec::new();
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (head, steps) = line.split_once(": ").expect("a rule has a colon");
        let mut words = head.splitn(3, ' ');
        let mut word = || words.next().expect("a rule has a score, a risk and a name");
        let score = word().parse().expect("a score is a number");
        let risk = word();
        let retrieved = risk == "passage";
        let risk = match risk {
            "injection" | "passage" => Risk::Injection,
            "code" => Risk::MaliciousCode,
            "hate" => Risk::HateSpeech,
            other => panic!("{other} is no risk of a rule"),
        };
        let kind = word();
        for steps in orders(steps) {
            rules.push(Rule { risk, kind, score, retrieved, steps });
        }
    }
    let mut of = vec![Vec::new(); LEXICON.ideas()];
    for (number, rule) in rules.iter().enumerate() {
        for (step, ideas) in rule.steps.iter().enumerate().rev() {
            for idea in &ideas.ideas {
                of[idea.0].push((number, step));
            }
        }
    }
    Rules { rules, of }
}

/// All orders in which the steps of a rule may come.
fn orders(steps: &str) -> Vec<Vec<Step>> {
    let step = |written: &str| {
        let ideas = written.split('/').map(|it| LEXICON.idea(it)).collect();
        Step { ideas, reaches: false }
    };
    let mut all: Vec<Vec<Step>> = vec![Vec::new()];
    for written in steps.replace(" >> ", " > >").split(" > ") {
        let (written, reaches) = match written.strip_prefix('>') {
            Some(rest) => (rest, true),
            None => (written, false),
        };
        let mut ways: Vec<Vec<Step>> =
            match written.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
                Some(group) => permutations(&group.split(' ').map(step).collect::<Vec<_>>()),
                None => vec![vec![step(written)]],
            };
        for way in &mut ways {
            way[0].reaches = reaches;
        }
        all = all
            .iter()
            .flat_map(|begun| ways.iter().map(|way| [begun.clone(), way.clone()].concat()))
            .collect();
    }
    all
}

fn permutations(items: &[Step]) -> Vec<Vec<Step>> {
    if items.len() <= 1 {
        return vec![items.to_vec()];
    }
    let mut all = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        all.extend(permutations(&rest).into_iter().map(|way| [vec![item.clone()], way].concat()));
    }
    all
}

/// A rule that has come so far.
#[derive(Clone)]
struct Way {
    start: usize,
    end: usize,
    sentence: usize,
}

/// What the rules say of the words found in a view. Spans are in bytes of the view's source.
pub(super) fn look(
    view: &View,
    words: &[Word],
    sentences: &[usize],
    retrieved: bool,
) -> Vec<Threat> {
    let rules = &*RULES;
    let mut ways: Vec<Vec<Vec<Way>>> =
        rules.rules.iter().map(|rule| vec![Vec::new(); rule.steps.len()]).collect();
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    let mut sentence = 0;
    for word in words {
        while sentences.get(sentence).is_some_and(|end| *end <= word.range.start) {
            sentence += 1;
        }
        for (number, step) in &rules.of[word.idea.0] {
            let rule = &mut ways[*number];
            let reaches = usize::from(rules.rules[*number].steps[*step].reaches);
            let starts: Vec<usize> = if *step == 0 {
                vec![word.range.start]
            } else {
                rule[step - 1]
                    .iter()
                    .filter(|way| way.sentence + reaches >= sentence)
                    .filter(|way| (way.end..=way.end + GAP).contains(&word.range.start))
                    .map(|way| way.start)
                    .collect()
            };
            // The nearest beginning: what was said long before explains less.
            let Some(start) = starts.into_iter().max() else { continue };
            if step + 1 == rule.len() {
                found.push((*number, start..word.range.end));
            } else {
                let ways = &mut rule[*step];
                if ways.len() == WAYS {
                    ways.remove(0);
                }
                ways.push(Way { start, end: word.range.end, sentence });
            }
        }
    }
    let mut threats = Vec::with_capacity(found.len());
    for (number, range) in found {
        let rule = &rules.rules[number];
        if rule.retrieved && !retrieved {
            continue;
        }
        let weight = context::weight(rule.risk, &view.text, &range, words, sentences);
        if weight > 0.0 {
            threats.push(Threat {
                risk: rule.risk,
                kind: rule.kind,
                score: rule.score * weight,
                span: view.source(&range),
            });
        }
    }
    threats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_read() {
        assert!(RULES.rules.len() > 40, "{}", RULES.rules.len());
        assert!(RULES.rules.iter().all(|rule| (0.0..=1.0).contains(&rule.score)));
        assert!(RULES.rules.iter().all(|rule| !rule.steps.is_empty()));
    }

    #[test]
    fn a_group_stands_in_any_order() {
        assert_eq!(orders("override > {prior instructions}").len(), 2);
        assert_eq!(orders("{prior instructions all}").len(), 6);
    }
}
