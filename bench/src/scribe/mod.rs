//! Scribe's checker on real documents: what it flags wrongly, and what it finds when they are broken.
//!
//! `scripts/scribe-corpus.sh` fetches ten repositories. Some documents of each are checked as they are; a person
//! has judged every flag (`bench/data/scribe/judged.json`). Then documents are broken in known ways, one at a time, and the
//! check must find each at its line. [`breakages`] reads text and files by itself: it uses neither the checker nor its facts.

mod breakages;
mod corpus;
mod judged;

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::PathBuf,
};

use consign_contracts::authoring::{DocDepth, DocPack};
use consign_documentation::{Critique, Issue, IssueKind, Snapshot, check, rules, targets};
use serde_json::{Value, json};

use self::{breakages::Broken, corpus::Repository};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the repositories, as `scripts/scribe-corpus.sh` prints it
    #[arg(long)]
    corpus: Option<PathBuf>,

    /// How many broken documents are checked
    #[arg(long, default_value_t = 200)]
    breakages: usize,

    /// The most documents of one repository
    #[arg(long, default_value_t = 6)]
    each: usize,

    /// Only these repositories, separated by commas
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,

    /// Also write documents by rules for each repository, and check them
    #[arg(long)]
    rules: bool,

    /// Write the documents by rules below this folder
    #[arg(long, requires = "rules")]
    out: Option<PathBuf>,
}

/// What was counted over some repositories.
#[derive(Default)]
struct Count {
    repositories: usize,
    documents: usize,
    references: usize,
    flagged: usize,
    wrong: usize,
    documents_with_wrong: BTreeSet<String>,
    by_kind: BTreeMap<&'static str, (usize, usize)>,
}

impl Count {
    fn figures(&self) -> Value {
        let (found, all) =
            self.by_kind.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1));
        let kinds: BTreeMap<&str, String> = self
            .by_kind
            .iter()
            .map(|(kind, (found, all))| (*kind, format!("{found} of {all}")))
            .collect();
        json!({
            "repositories": self.repositories,
            "documents": self.documents,
            "references": self.references,
            "flagged": self.flagged,
            "flagged_wrongly": self.wrong,
            "flagged_wrongly_percent_of_references": percent(self.wrong, self.references),
            "documents_with_wrong_flag": self.documents_with_wrong.len(),
            "documents_with_wrong_flag_percent": percent(self.documents_with_wrong.len(), self.documents),
            "breakages": all,
            "found": found,
            "found_percent": percent(found, all),
            "kinds": kinds,
        })
    }

    /// Why the figures are not good enough.
    fn failed(&self) -> Option<String> {
        let (found, all) =
            self.by_kind.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1));
        let (found, wrong) = (percent(found, all), percent(self.wrong, self.references));
        (found < LEAST_FOUND || wrong > MOST_WRONG).then(|| {
            format!(
                "{found} % of the breakages were found (at least {LEAST_FOUND} % must be), and {wrong} % of the \
                 references were flagged wrongly (at most {MOST_WRONG} % may be)"
            )
        })
    }
}

/// What the issue demands, in percent.
const LEAST_FOUND: f64 = 95.0;
const MOST_WRONG: f64 = 2.0;

fn percent(part: usize, all: usize) -> f64 {
    let share = if all == 0 { 0.0 } else { part as f64 * 100.0 / all as f64 };
    (share * 100.0).round() / 100.0
}

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let mut repositories = corpus::read(args.corpus.as_deref())?;
    repositories.retain(|it| args.only.is_empty() || args.only.contains(&it.entry.name));
    let judged = judged::read()?;
    let (mut all, mut tuned, mut held_out) = (Count::default(), Count::default(), Count::default());
    let mut flags = Vec::new();
    let mut waiting: Waiting = BTreeMap::new();
    for (place, repository) in repositories.iter().enumerate() {
        let mut counts =
            [&mut all, if repository.entry.held_out { &mut held_out } else { &mut tuned }];
        counts.iter_mut().for_each(|count| count.repositories += 1);
        for path in repository.documents(args.each) {
            let text = repository.snapshot.text(&path).unwrap_or("");
            let critique = check(&path, text, &repository.facts, &repository.snapshot);
            let name = format!("{}/{path}", repository.entry.name);
            // A section that a contract wants and a document lacks is no mistake in a reference.
            let issues: Vec<&Issue> =
                critique.issues.iter().filter(|issue| issue.kind != IssueKind::Section).collect();
            for count in &mut counts {
                count.documents += 1;
                count.references += critique.checked;
                count.flagged += issues.len();
            }
            for issue in issues {
                let verdict = judged.verdict(&repository.entry.name, &path, issue);
                // What no person has judged counts as wrong.
                if verdict.is_none_or(|verdict| verdict.wrong) {
                    for count in &mut counts {
                        count.wrong += 1;
                        count.documents_with_wrong.insert(name.clone());
                    }
                }
                flags.push(json!({
                    "repository": repository.entry.name, "path": path, "line": issue.line, "kind": issue.kind,
                    "reference": issue.reference,
                    "wrong": verdict.map(|verdict| verdict.wrong), "why": verdict.map(|verdict| &verdict.why),
                }));
            }
            for broken in breakages::of(&path, text, repository) {
                let lists = waiting.entry(broken.kind).or_default();
                match lists.last_mut() {
                    Some((at, of, list)) if *at == place && *of == path => list.push(broken),
                    _ => lists.push((place, path.clone(), vec![broken])),
                }
            }
        }
    }
    let mut missed = Vec::new();
    let mut untouched: BTreeMap<(usize, String), Critique> = BTreeMap::new();
    for (place, path, broken) in in_turn(waiting, args.breakages) {
        let repository = &repositories[place];
        let before = untouched.entry((place, path.clone())).or_insert_with(|| {
            let text = repository.snapshot.text(&path).unwrap_or("");
            check(&path, text, &repository.facts, &repository.snapshot)
        });
        let found = is_found(repository, &path, &broken, before);
        for count in [&mut all, if repository.entry.held_out { &mut held_out } else { &mut tuned }]
        {
            let kind = count.by_kind.entry(broken.kind).or_default();
            kind.0 += usize::from(found);
            kind.1 += 1;
        }
        if !found {
            missed.push(json!({
                "kind": broken.kind, "repository": repository.entry.name, "path": path, "line": broken.line,
                "from": broken.from, "to": broken.to,
            }));
        }
    }
    let mut figures = all.figures();
    figures["bench"] = json!("scribe");
    figures["tuned"] = tuned.figures();
    figures["held_out"] = held_out.figures();
    figures["flags"] = json!(flags);
    figures["missed"] = json!(missed);
    if args.rules {
        figures["rules"] = by_rules(&repositories, args)?;
    }
    let failed = all.failed();
    figures["thresholds"] = json!({
        "found_percent_at_least": LEAST_FOUND, "flagged_wrongly_percent_of_references_at_most": MOST_WRONG,
        "kept": failed.is_none(),
    });
    // A part of the corpus says nothing of the whole.
    if let Some(failed) = failed.filter(|_| args.only.is_empty()) {
        println!("{figures:#}");
        return Err(failed.into());
    }
    Ok(figures)
}

/// By kind, then by document: the place of its repository, its path and its broken texts.
type Waiting = BTreeMap<&'static str, Vec<(usize, String, Vec<Broken>)>>;

/// One of each kind in turn, and within a kind one of each document.
fn in_turn(mut waiting: Waiting, most: usize) -> Vec<(usize, String, Broken)> {
    let mut taken = Vec::new();
    let mut round = 0;
    while taken.len() < most {
        let before = taken.len();
        for lists in waiting.values_mut() {
            lists.retain(|(_, _, list)| !list.is_empty());
            if lists.is_empty() || taken.len() >= most {
                continue;
            }
            let length = lists.len();
            let (place, path, list) = &mut lists[round % length];
            // From the middle: the first reference of a document is often the easiest.
            let broken = list.remove(list.len() / 2);
            taken.push((*place, path.clone(), broken));
        }
        round += 1;
        if taken.len() == before {
            break;
        }
    }
    taken
}

/// Whether there is an issue that was not there before, at the line that was changed.
fn is_found(repository: &Repository, path: &str, broken: &Broken, before: &Critique) -> bool {
    let after = check(path, &broken.text, &repository.facts, &repository.snapshot);
    let count = |critique: &Critique, issue: &Issue| {
        let same = |other: &&Issue| other.kind == issue.kind && other.reference == issue.reference;
        critique.issues.iter().filter(same).count()
    };
    after.issues.iter().any(|issue| {
        let near = issue.line.abs_diff(broken.line) <= broken.reach;
        let is_section = issue.kind == IssueKind::Section;
        let is_there = is_section == (broken.kind == "missing section") && (is_section || near);
        is_there && count(&after, issue) > count(before, issue)
    })
}

/// Writes all documents of the full pack by rules, and checks them.
fn by_rules(repositories: &[Repository], args: &Args) -> Result<Value, Box<dyn Error>> {
    let (mut documents, mut references, mut wrong) = (0, 0, Vec::new());
    for repository in repositories {
        let all = targets::of_pack(DocPack::Full);
        // The documents link to each other.
        let mut with: Snapshot = repository.snapshot.clone();
        all.iter().for_each(|target| with.add(target, b""));
        for target in &all {
            let text =
                rules::write(target, &repository.facts, &repository.snapshot, DocDepth::Standard);
            if let Some(out) = &args.out {
                let file = out.join(&repository.entry.name).join(target);
                std::fs::create_dir_all(file.parent().unwrap_or(out))?;
                std::fs::write(file, &text)?;
            }
            let critique = check(target, &text, &repository.facts, &with);
            (documents, references) = (documents + 1, references + critique.checked);
            for issue in &critique.issues {
                wrong.push(format!("{}/{target}: {}", repository.entry.name, issue.text));
            }
        }
    }
    Ok(json!({"documents": documents, "references": references, "issues": wrong}))
}
