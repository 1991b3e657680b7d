//! What a job publishes, and where: it follows from its input and from what it made.

use consign_contracts::json::Json;
use consign_engine::Data;

use super::{AgentType, MadeFile, Progress};
use crate::{
    publish::{File, Order, look::BranchChoice},
    scribe::wanted::{Wanted, is_set, rule, site},
};

/// A title, a text, and the files of a job, before they are an order.
pub(super) struct Wish {
    wanted: Option<Wanted>,
    payload: Data,
    files: Vec<MadeFile>,
}

impl Progress {
    /// Whether this job writes to a repository at all.
    pub(super) fn publishes(&self) -> bool {
        let Ok(payload) = self.input.effective() else { return false };
        let has = |name: &str| {
            payload.tree().is_ok_and(|tree| tree.get(name).and_then(Json::as_str).is_some())
        };
        let is_dry = match self.kind() {
            AgentType::Scribe => self.wanted().is_none_or(|wanted| wanted.dry_run),
            AgentType::Trace | AgentType::Proto => is_set(&payload, "dryRun"),
        };
        has("owner") && has("repo") && !is_dry
    }

    /// What Scribe is asked for.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        if self.kind() != AgentType::Scribe {
            return None;
        }
        Wanted::read(&self.input).ok()
    }

    /// The files of the job, as far as they are made.
    pub(super) fn files(&self) -> Vec<MadeFile> {
        match (&self.scribe, &self.made) {
            (Some(scribe), _) => {
                let file = |(draft, content): (&str, &str)| MadeFile {
                    path: draft.to_owned(),
                    content: content.to_owned(),
                };
                scribe.files().map(|(draft, _, content)| file((&draft.path, content))).collect()
            }
            (None, Some(made)) => super::artifacts(&made.result),
            (None, None) => Vec::new(),
        }
    }

    pub(super) fn wish(&self) -> Option<Wish> {
        let payload = self.input.effective().ok()?;
        Some(Wish { wanted: self.wanted(), payload, files: self.files() })
    }

    /// What is to be published.
    pub(super) fn order<'a>(&self, wish: &'a Wish) -> Option<Order<'a>> {
        let files = wish.files.iter();
        let files = files.map(|file| File { path: &file.path, content: &file.content }).collect();
        if let Some(wanted) = &wish.wanted {
            return Some(Order {
                site: wanted.site.clone(),
                rule: wanted.rule.clone(),
                manual: false,
                approved: self.is_approved,
                files,
                title: wanted.title.clone(),
                body: wanted.body.clone(),
            });
        }
        let tree = wish.payload.tree().ok()?;
        let agent = self.kind().as_str();
        let manual = tree.get("branchStrategy").and_then(Json::as_str) == Some("manual");
        let choice = match manual {
            true => BranchChoice::Base,
            false => {
                let named = self.input.settings.branch.clone();
                BranchChoice::Pattern(named.unwrap_or_else(|| format!("{agent}/{{jobId}}")))
            }
        };
        Some(Order {
            site: site(&self.input, &tree).ok()?,
            rule: rule(&self.input, agent, choice),
            manual,
            approved: false,
            files,
            title: None,
            body: None,
        })
    }
}
