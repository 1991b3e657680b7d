//! The result of a job of Scribe, as the document has it, and why each section is as it is.

use consign_documentation::quality;
use consign_engine::Data;
use serde_json::{Map, Value, json};

use super::{
    agents::{Section, Settled},
    draft::{CutOff, Draft, Review},
    revise,
    state::Scribe,
    wanted::Wanted,
};
use crate::{
    job::{Explained, Quality},
    publish::{Order, Publication, names},
};

/// Paths that are listed of what was left out.
const MOST_LISTED: usize = 20;

impl Scribe {
    /// The result as far as there is one.
    pub(crate) fn result(
        &self,
        wanted: &Wanted,
        order: &Order<'_>,
        publication: &Publication,
    ) -> Data {
        let mut result = Map::new();
        let mut set = |name: &str, value: Value| {
            result.insert(name.to_owned(), value);
        };
        let error = self.unreadable.clone().or_else(|| publication.error());
        let committed: Vec<_> = publication.committed(order).collect();
        let publishes = !wanted.dry_run;
        let files = match (publishes, self.is_over()) {
            (_, true) => 0,
            (true, false) => committed.len(),
            (false, false) => order.files.len(),
        };
        // The documents are right already, and nothing had to be done.
        let is_idle = order.files.is_empty() && !self.is_over();
        let is_whole = committed.len() + unchanged(publication) == order.files.len();
        let is_refused = !self.drafts.is_empty()
            && self.drafts.iter().all(|draft| {
                draft.settled.as_ref().is_some_and(|settled| settled.refused.is_some())
            });
        let ok = !self.is_over() && (!publishes || is_idle || is_whole) && !(is_refused && is_idle);
        set("ok", ok.into());
        set("agent", "scribe-v2".into());
        set("mode", "contract-first-doc-specialist".into());
        set("filesUpdated", files.into());
        if !self.sections.is_empty() {
            set("plan", json!({"sections": self.sections}));
        }
        set(
            "docPackConfig",
            json!({
                "pack": wanted.pack.map_or("custom", |pack| pack.as_str()),
                "depth": wanted.depth.as_str(),
                "targets": self.targets(wanted),
            }),
        );
        let looked = publication.looked.as_ref();
        if publishes {
            if let (Some(looked), Some(made)) = (looked, &publication.branch) {
                if made.is_there {
                    set("branch", looked.branch.clone().into());
                }
                set("branchCreated", made.created.into());
            }
            let commit = |(path, sha, message): &(&str, &str, &str)| json!({"path": path, "commit": {"sha": sha, "message": message}});
            if !committed.is_empty() {
                set("commits", committed.iter().map(commit).collect());
            }
            if let Some(pull) = publication.pull.as_ref().filter(|pull| !pull.unsupported) {
                // There is no undefined in JSON: without an address the member is empty.
                set(
                    "pullRequest",
                    match &pull.url {
                        Some(url) => json!({"url": url}),
                        None => json!({}),
                    },
                );
            }
        }
        let critiques: Vec<Value> = self.drafts.iter().filter_map(critique).collect();
        if !critiques.is_empty() {
            set("critiques", critiques.into());
        }
        if wanted.dry_run {
            set("dryRun", true.into());
            if let Some(branch) = self.source.as_ref().map(|source| &source.looked.branch) {
                set("preview", self.preview(branch));
            }
        }
        set("diagnostics", self.diagnostics(wanted));
        let is_missing = wanted.names_file
            && self.drafts.iter().any(|draft| {
                draft.settled.as_ref().is_some_and(|settled| settled.before.is_none())
            });
        if is_missing {
            set("fileMissing", true.into());
        }
        let artifact = |(draft, _, content): (&Draft, &Settled, &str)| json!({"filePath": draft.path, "content": content});
        set("artifacts", self.files().map(artifact).collect());
        let mut metadata = json!({
            "committed": !committed.is_empty(),
            "writers": self.writers(),
        });
        if let Some(error) = error {
            metadata["githubError"] = error.into();
        }
        let ignored = self.ignored(wanted);
        if !ignored.is_empty() {
            metadata["ignored"] = json!(ignored);
        }
        if let Some(source) = &self.source {
            metadata["base"] = source.looked.base.clone().into();
            // What the documents replace, where the branch was there already.
            if let Some(head) = &source.looked.head {
                metadata["head"] = head.clone().into();
            }
        }
        set("metadata", metadata);
        Data::of(&Value::Object(result))
    }

    /// Wishes in words that nobody could follow: the rules write what the repository says.
    fn ignored(&self, wanted: &Wanted) -> Vec<&'static str> {
        let by_rules = self.source.is_some() && self.model().is_none();
        let wishes = [("taskDescription", &wanted.task), ("instruction", &wanted.instruction)];
        let wished = wishes.into_iter().filter(|(_, wish)| by_rules && wish.is_some());
        wished.map(|(name, _)| name).collect()
    }

    /// Who wrote each document that changed.
    fn writers(&self) -> Value {
        let of = |(draft, settled, _): (&Draft, &Settled, &str)| {
            let model = self.model().filter(|_| !settled.minimal && draft.was_written());
            let mut told = json!({"path": draft.path, "writer": model.unwrap_or("rules")});
            if settled.minimal {
                told["minimal"] = true.into();
            }
            if draft.cut_off.is_some() {
                told["cutOff"] = true.into();
            }
            told
        };
        self.files().map(of).collect()
    }

    fn preview(&self, branch: &str) -> Value {
        let file = |(draft, settled, content): (&Draft, &Settled, &str)| {
            json!({
                "path": draft.path,
                "contentLength": content.chars().count(),
                "linesAdded": settled.lines_added,
            })
        };
        let files: Vec<Value> = self.files().map(file).collect();
        let message = self.files().next().map(|(draft, settled, _)| {
            names::commit_message("scribe", &draft.path, settled.before.is_none())
        });
        json!({
            "branch": branch,
            "files": files,
            "commitMessage": message.unwrap_or_else(|| "nothing to commit".to_owned()),
        })
    }

    fn diagnostics(&self, wanted: &Wanted) -> Value {
        let operation = |(draft, settled, content): (&Draft, &Settled, &str)| {
            json!({
                "file": draft.path,
                "bytes": content.len(),
                "linesChanged": settled.lines_changed,
            })
        };
        let operations: Vec<Value> = self.files().map(operation).collect();
        let mut told = json!({
            "mode": if wanted.dry_run { "dry-run" } else { "execute" },
            "operations": operations,
            "targets": self.targets(wanted),
        });
        if !wanted.budget.clamped.is_empty() {
            told["clamped"] = json!(wanted.budget.clamped);
        }
        if let Some(source) = &self.source {
            let mut sources = json!({
                "filesRead": source.files,
                "namesOnly": source.unread,
                "commitsRead": source.commits,
            });
            if source.truncated {
                sources["truncated"] = true.into();
            }
            told["sources"] = sources;
        }
        let documents: Vec<Value> = self.drafts.iter().filter_map(document).collect();
        if !documents.is_empty() {
            told["documents"] = documents.into();
        }
        told
    }

    /// The score, with its parts.
    pub(crate) fn quality(&self, wanted: &Wanted) -> Option<Quality> {
        let settled = self.drafts.iter().filter_map(|draft| draft.settled.as_ref());
        let critiques: Vec<_> = settled.map(Settled::critique).collect();
        let reviews = self.drafts.iter().filter_map(|draft| draft.review.as_ref());
        let reviews: Vec<u32> = reviews.map(Review::points).collect();
        let critiques: Vec<_> = critiques.iter().collect();
        let parts = quality::score(wanted.targets.len(), &critiques, &reviews)?;
        Some(Quality {
            score: parts.total(),
            targets: parts.targets,
            sections: parts.sections,
            references: parts.references,
            critiques: parts.critiques,
        })
    }

    /// Why each section is as it is, and from what.
    pub(crate) fn trace(&self, wanted: &Wanted) -> Vec<Explained> {
        let mut trace = Vec::new();
        if let Some(source) = &self.source {
            let base: String = source.looked.base.chars().take(12).collect();
            let why = format!(
                "the repository was read at {base}: {} files, {} by name only, {} commits",
                source.files, source.unread, source.commits
            );
            trace.push(Explained::new("read", why, &["repository"]));
        }
        for ignored in self.ignored(wanted) {
            let (step, wish) = match ignored {
                "instruction" => ("revise", "an instruction"),
                _ => ("task", "a wish in words"),
            };
            let why =
                format!("the rules cannot follow {wish}: they wrote what the repository says now");
            trace.push(Explained::new(step, why, &[ignored]));
        }
        for draft in &self.drafts {
            let Some(settled) = &draft.settled else { continue };
            self.explain(draft, settled, &mut trace);
        }
        trace
    }

    fn explain(&self, draft: &Draft, settled: &Settled, trace: &mut Vec<Explained>) {
        let path = &draft.path;
        if settled.content.is_none() {
            let why = match &settled.refused {
                Some(why) => format!("it was left as it is: {why}"),
                None => "it is right as it is".to_owned(),
            };
            trace.push(Explained::new(&format!("{path}: left alone"), why, &[path]));
            return;
        }
        let by_model = self.model().filter(|_| draft.was_written() && !settled.minimal);
        let who = match by_model {
            Some(model) => format!("{model} wrote it"),
            None if settled.minimal => {
                "the model gave nothing that could be used, so the rules wrote what is needed at least"
                    .to_owned()
            }
            None => "the rules wrote it from the repository alone".to_owned(),
        };
        let of = self.sections.iter().filter(|section| section.path == *path);
        for Section { outline, sources, .. } in of {
            let name = revise::heading(outline);
            let is_added = settled.added.iter().any(|added| added.eq_ignore_ascii_case(name));
            let who = if is_added { "it was missing, so the rules wrote it" } else { &who };
            let why = format!("{who}: {outline}");
            trace.push(Explained {
                step: format!("{path}: {name}"),
                why,
                sources: sources.iter().take(MOST_LISTED).cloned().collect(),
            });
        }
        let checked = format!(
            "{} of {} references were found in the code{}",
            settled.verified,
            settled.checked,
            match settled.removed.len() {
                0 => String::new(),
                removed => format!("; {removed} were not, and were taken out"),
            }
        );
        trace.push(Explained {
            step: format!("{path}: check"),
            why: checked,
            sources: draft.sources.iter().take(MOST_LISTED).cloned().collect(),
        });
    }
}

/// Files that had the content already.
fn unchanged(publication: &Publication) -> usize {
    let is = |commit: &&crate::publish::agents::CommitOutput| {
        commit.sha.is_none() && commit.error.is_none()
    };
    publication.commits.iter().filter(is).count()
}

fn critique(draft: &Draft) -> Option<Value> {
    let settled = draft.settled.as_ref()?;
    let mut issues = settled.issues.clone();
    let mut suggestions = settled.suggestions.clone();
    let mut score = settled.score;
    issues.extend(draft.cut_off.as_ref().map(cut_off));
    if let Some(review) = &draft.review {
        issues.extend(review.issues.iter().cloned());
        suggestions.extend(review.suggestions.iter().cloned());
        score = review.points();
    }
    let mut critique = json!({
        "issues": issues,
        "suggestions": suggestions,
        "score": score,
        "check": {
            "score": settled.score,
            "references": settled.checked,
            "found": settled.verified,
            "takenOut": settled.removed,
            "askedAbout": draft.asked_about,
        },
    });
    if !settled.not_looked_up.is_empty() {
        let listed: Vec<_> = settled.not_looked_up.iter().take(MOST_LISTED).collect();
        critique["check"]["notLookedUp"] = settled.not_looked_up.len().into();
        critique["check"]["notLookedUpFirst"] = json!(listed);
    }
    Some(json!({"path": draft.path, "critique": critique}))
}

/// What is said of a text that was cut off.
fn cut_off(cut_off: &CutOff) -> String {
    match &cut_off.section {
        Some(section) => format!(
            "the model's answer was cut off, also when it was asked for less: only its whole sections were kept, without \
             `{section}`"
        ),
        None => "the model's answer was cut off, also when it was asked for less: nothing of it was whole".to_owned(),
    }
}

/// What was done with a document.
fn document(draft: &Draft) -> Option<Value> {
    let settled = draft.settled.as_ref()?;
    Some(json!({
        "file": draft.path,
        "sectionsChanged": settled.changed,
        "sectionsAdded": settled.added,
        "sources": draft.sources.len(),
        "leftOut": draft.left_out,
    }))
}
