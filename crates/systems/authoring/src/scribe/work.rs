//! What the calls of Scribe work out once the repository is at hand: pure, and slow enough for a thread of their own.

use consign_contracts::authoring::DocDepth;
use consign_documentation::{
    Contract, Critique, diff,
    merge::{Update, merge, to_mend},
    plan as planning,
    repair::{Removed, add_missing, remove_invented},
    rules, sign, targets,
};
use consign_engine::Data;

use super::{
    agents::{
        BriefInput, BriefOutput, CheckInput, CheckOutput, PlanInput, PlanOutput, Section, Settled,
    },
    library::{Existing, Reading},
    prompts, revise,
    text::cleaned,
};
use crate::job::JobPlan;

pub(super) fn plan(input: &PlanInput, reading: &Reading) -> PlanOutput {
    let targets = &input.shelf.targets;
    let planned = planning::plan(&reading.facts, targets, depth(&input.depth));
    let sections: Vec<Section> = planned
        .sections
        .into_iter()
        .map(|section| Section {
            path: section.path,
            outline: section.outline,
            sources: section.sources,
        })
        .collect();
    let base: String = input.shelf.base.chars().take(12).collect();
    let mut steps = vec![format!(
        "Read {}/{} at {base}: {} files",
        input.shelf.site.owner,
        input.shelf.site.repo,
        reading.snapshot.files.len()
    )];
    for target in targets {
        let word = if reading.documents.contains_key(target) { "Update" } else { "Write" };
        steps.push(format!("{word} {target}, and look up everything that it names"));
    }
    if input.passes > 1 {
        steps.push("Review each document".to_owned());
    }
    let prompt = input.ask.then(|| {
        let planning = prompts::Planning {
            targets,
            rules: &sections,
            stress: input.stress.as_deref(),
            instruction: input.instruction.as_deref(),
            earlier: input.earlier.as_deref(),
        };
        prompts::plan(&planning, &reading.facts)
    });
    PlanOutput { plan: JobPlan { steps, sections: Some(Data::of(&sections)) }, prompt }
}

pub(super) fn brief(input: &BriefInput, reading: &Reading) -> BriefOutput {
    let task = prompts::Task {
        path: &input.path,
        reading,
        sections: &input.sections,
        context: input.context,
        tokens: input.tokens,
        stress: input.stress.as_deref(),
        instruction: input.instruction.as_deref(),
        earlier: input.earlier.as_deref(),
    };
    // A document that is right needs nobody to write it.
    let is_wanted = input.stress.is_some() || input.instruction.is_some();
    let existing = reading.documents.get(&input.path);
    let is_right =
        existing.is_some_and(|existing| match (refused(&input.path, existing), &existing.text) {
            // What is not taken apart is not written either.
            (Some(_), _) | (None, None) => true,
            (None, Some(text)) => {
                !is_wanted
                    && !text.trim().is_empty()
                    && critique(&input.path, text, reading).is_clean()
            }
        });
    let (prompt, sources, left_out) = prompts::write(&task);
    BriefOutput { prompt: (!is_right).then_some(prompt), sources, left_out }
}

fn critique(path: &str, text: &str, reading: &Reading) -> Critique {
    consign_documentation::check(path, text, &reading.facts, &reading.snapshot)
}

pub(super) fn check(input: &CheckInput, reading: &Reading) -> CheckOutput {
    let path = &input.path;
    let existing = reading.documents.get(path);
    let before = existing.map(|existing| existing.blob.clone());
    let old = existing.and_then(|existing| existing.text.as_deref());
    let refused = existing.and_then(|existing| refused(path, existing));
    if refused.is_some() || input.left_alone {
        let refused = refused.map(str::to_owned);
        let found = critique(path, old.unwrap_or_default(), reading);
        return settled(Final { before, old, refused, ..Final::of(&found) }, input, reading);
    }
    let by_rules = rules::write(path, &reading.facts, &reading.snapshot, depth(&input.depth));
    let kept = input.earlier.as_ref().map(|earlier| earlier.text.as_str()).or(old);
    let given = input.text.as_deref().and_then(|text| cleaned(text, kept));
    let minimal = input.text.is_some() && given.is_none();
    let writer = if given.is_some() { input.writer.as_str() } else { rules::WRITER };
    let mut text = given.clone().unwrap_or_else(|| by_rules.clone());
    if let Some(earlier) = &input.earlier
        && let Some(changed) = &earlier.changed
    {
        let difference =
            revise::Difference { changed: changed.clone(), removed: earlier.removed.clone() };
        text = revise::composed(path, &earlier.text, &text, &difference);
    }
    let first = critique(path, &text, reading);
    if given.is_some() && input.may_ask && !first.is_clean() {
        let issues = first.issues.iter().map(|issue| issue.text.clone()).collect();
        let prompt = prompts::again(path, &text, &first, &reading.facts);
        return CheckOutput::Again { prompt, issues };
    }
    let contract = Contract::of(path);
    let (text, removed, second) = without_invented(path, text, first, reading);
    let (text, added) = add_missing(&text, &by_rules, contract, &second);
    let text = sign::sign(&text, writer);
    let mut mended = Vec::new();
    let (text, changed, refused) = match old.filter(|old| !old.trim().is_empty()) {
        None => (text, Vec::new(), None),
        Some(old) => {
            // The rules know of no wish, and have nothing for which words of others would have to go.
            let whole = input.whole && given.is_some();
            let update = if whole { Update::All } else { Update::WhatIsWrong };
            let there = match update {
                Update::All => Mended::nothing(old),
                Update::WhatIsWrong => Mended::of(path, old, &text, contract, reading),
            };
            let wrong = critique(path, &there.text, reading);
            let merged = merge(&there.text, &text, contract, &wrong, update);
            let mut changed = there.headings;
            changed.extend(merged.changes.into_iter().map(|change| change.heading));
            mended = there.removed;
            (merged.text, changed, merged.refused.map(str::to_owned))
        }
    };
    let last = critique(path, &text, reading);
    let removed = removed.iter().map(told).collect();
    let made = Final {
        content: (old != Some(text.as_str())).then_some(text),
        before,
        old,
        removed,
        mended,
        added,
        changed,
        refused,
        minimal,
        ..Final::of(&last)
    };
    settled(made, input, reading)
}

/// Why a file that is there stays as it is.
fn refused(path: &str, existing: &Existing) -> Option<&'static str> {
    match &existing.text {
        None => Some("the file that is there is no text, or too long"),
        // Documents are Markdown: they would break a program or a manifest.
        Some(_) if !targets::may_be_document(path) => {
            Some("the file that is there is code or data, and no document")
        }
        Some(text) if !targets::is_markdown(path) && !text.trim().is_empty() => {
            Some("the document that is there is not in Markdown, and would be broken by it")
        }
        Some(_) => None,
    }
}

/// How often a document is gone over: what is taken out may leave something else without its ground, such as a name
/// that only an example which does not parse had, or a link to a section that went.
const ROUNDS: usize = 4;

/// The document without what was not found, what was taken out, and the check of what is left.
fn without_invented(
    path: &str,
    text: String,
    first: Critique,
    reading: &Reading,
) -> (String, Vec<Removed>, Critique) {
    let (mut text, mut found, mut removed) = (text, first, Vec::new());
    for _ in 0..ROUNDS {
        let (rest, taken) = remove_invented(&text, &found);
        if rest == text {
            break;
        }
        removed.extend(taken);
        found = critique(path, &rest, reading);
        text = rest;
    }
    (text, removed, found)
}

/// A document that people wrote, without what is wrong, where the rules have nothing better to say.
struct Mended {
    text: String,
    headings: Vec<String>,
    removed: Vec<String>,
}

impl Mended {
    fn nothing(old: &str) -> Self {
        Self { text: old.to_owned(), headings: Vec::new(), removed: Vec::new() }
    }

    fn of(path: &str, old: &str, new: &str, contract: Contract, reading: &Reading) -> Self {
        let mut mended = Self::nothing(old);
        for _ in 0..ROUNDS {
            let wrong = critique(path, &mended.text, reading);
            let (wrong, headings) = to_mend(&mended.text, new, contract, &wrong);
            let (text, removed) = remove_invented(&mended.text, &wrong);
            if text == mended.text {
                break;
            }
            let fresh = headings.into_iter().filter(|it| !mended.headings.contains(it));
            let fresh: Vec<String> = fresh.collect();
            mended.headings.extend(fresh);
            mended.removed.extend(removed.iter().map(told));
            mended.text = text;
        }
        mended
    }
}

fn told(removed: &Removed) -> String {
    format!("{}: {}", removed.kind, removed.reference)
}

/// A document and what became of it.
struct Final<'a> {
    content: Option<String>,
    before: Option<String>,
    old: Option<&'a str>,
    critique: &'a Critique,
    removed: Vec<String>,
    /// What was taken out of the document that was there.
    mended: Vec<String>,
    added: Vec<String>,
    changed: Vec<String>,
    refused: Option<String>,
    minimal: bool,
}

impl<'a> Final<'a> {
    fn of(critique: &'a Critique) -> Self {
        Self {
            content: None,
            before: None,
            old: None,
            critique,
            removed: Vec::new(),
            mended: Vec::new(),
            added: Vec::new(),
            changed: Vec::new(),
            refused: None,
            minimal: false,
        }
    }
}

fn settled(made: Final<'_>, input: &CheckInput, reading: &Reading) -> CheckOutput {
    let found = made.critique;
    let lines = made.content.as_ref().map(|new| diff::count(made.old.unwrap_or_default(), new));
    let lines = lines.unwrap_or_default();
    // What had to be taken out was looked up and not found.
    let checked = found.checked + made.removed.len();
    let share = |part: usize, all: usize| if all == 0 { 1.0 } else { part as f64 / all as f64 };
    let score = 60.0 * share(found.verified, checked) + 40.0 * share(found.present, found.required);
    let mut issues: Vec<String> = found.issues.iter().map(|issue| issue.text.clone()).collect();
    issues.extend(made.removed.iter().map(|removed| format!("not found and taken out: {removed}")));
    issues
        .extend(made.mended.iter().map(|mended| format!("was there, and was taken out: {mended}")));
    issues.extend(made.refused.iter().map(|why| format!("left as it is: {why}")));
    let review = made.content.as_ref().filter(|_| input.review);
    let review = review.map(|text| prompts::review(&input.path, text, &reading.facts));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 100"
    )]
    let settled = Settled {
        before: made.before,
        issues,
        suggestions: found.suggestions.clone(),
        score: score.floor() as u32,
        checked,
        verified: found.verified,
        required: found.required,
        present: found.present,
        not_looked_up: found.not_looked_up.iter().map(|it| it.text.clone()).collect(),
        removed: made.removed,
        added: made.added,
        changed: made.changed,
        refused: made.refused,
        minimal: made.minimal,
        lines_added: lines.added,
        lines_changed: lines.changed,
        content: made.content,
    };
    CheckOutput::Settled(Box::new(settled), review)
}

fn depth(word: &str) -> DocDepth {
    DocDepth::from_word(word).unwrap_or(DocDepth::Standard)
}
