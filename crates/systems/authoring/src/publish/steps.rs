//! Publishing as a value: what is known of it, and which call comes next.
//!
//! The order is: look, look again (only after an approval), branch, one commit per file, one pull request. What cannot be
//! done is written down in [`Publication::errors`] and ends it; nothing here fails a job.

use std::time::Duration;

use consign_engine::{AgentName, Call, Data, Fault, Key, Retry};
use serde::{Deserialize, Serialize};

use super::{
    agents::{
        self, BranchInput, BranchOutput, CommitInput, CommitOutput, LookInput, LookOutput,
        PullInput, PullOutput, RecheckInput, RecheckOutput,
    },
    look::{BranchRule, Looked, Site},
    names,
};

/// What is to be published, and where. It follows from the input of the job and from what the job made.
pub(crate) struct Order<'a> {
    pub(crate) site: Site,
    pub(crate) rule: BranchRule,
    /// Commits go to the base branch, and there is no pull request.
    pub(crate) manual: bool,
    /// A person has approved the files: they are published only as that person saw them.
    pub(crate) approved: bool,
    pub(crate) files: Vec<File<'a>>,
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
}

/// A file as it should be.
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    pub(crate) content: &'a str,
}

/// How far publishing has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Publication {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) looked: Option<Looked>,
    /// The files as they were when the job looked, in the order of the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) before: Vec<Option<String>>,
    /// How often it was looked again before the first write.
    #[serde(default)]
    pub(crate) rechecks: u32,
    /// How often it was looked again for somebody who had not decided, and nothing had changed.
    #[serde(default)]
    pub(crate) refreshed: u32,
    /// What was approved is still so.
    #[serde(default)]
    pub(crate) is_same: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<BranchOutput>,
    /// By file, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) commits: Vec<CommitOutput>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pull: Option<PullOutput>,
    /// What went wrong, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<String>,
    /// It went no further.
    #[serde(default)]
    pub(crate) ended: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Look,
    Recheck,
    Branch,
    /// The commit of the file at this place.
    Commit(usize),
    Pull,
    Over,
}

/// What follows from something that was learned.
#[derive(Debug, PartialEq)]
pub(crate) enum Then {
    GoOn,
    /// The base branch or a file is not as it was approved.
    Moved {
        base: String,
        head: Option<String>,
    },
}

impl Publication {
    pub(crate) fn next(&self, order: &Order<'_>) -> Next {
        match () {
            () if self.ended || order.files.is_empty() => Next::Over,
            () if self.looked.is_none() => Next::Look,
            () if order.approved && !self.is_same => Next::Recheck,
            () if !order.manual && self.branch.is_none() => Next::Branch,
            () if self.commits.len() < order.files.len() => Next::Commit(self.commits.len()),
            () if !order.manual && self.pull.is_none() && self.has_content() => Next::Pull,
            () => Next::Over,
        }
    }

    /// Whether the branch has something that the base branch has not.
    fn has_content(&self) -> bool {
        self.commits.iter().any(|commit| commit.error.is_none())
    }

    pub(crate) fn key(&self, next: Next) -> String {
        match next {
            Next::Look => "look".to_owned(),
            Next::Recheck => format!("recheck:{}", self.rechecks + 1),
            Next::Branch => "branch".to_owned(),
            Next::Commit(at) => format!("commit:{at}"),
            Next::Pull => "pull_request".to_owned(),
            Next::Over => "over".to_owned(),
        }
    }

    /// The call of a step.
    pub(crate) fn call(&self, order: &Order<'_>, next: Next) -> Option<Call> {
        let site = order.site.clone();
        let looked = || self.looked.clone();
        let (agent, input) = match next {
            Next::Look => {
                let files = order.files.iter().map(|file| file.path.to_owned()).collect();
                (agents::LOOK, Data::of(&LookInput { site, rule: order.rule.clone(), files }))
            }
            Next::Recheck => {
                let paths = order.files.iter().map(|file| file.path.to_owned());
                let files = paths.zip(self.before.iter().cloned()).collect();
                (agents::RECHECK, Data::of(&RecheckInput { site, looked: looked()?, files }))
            }
            Next::Branch => (agents::BRANCH, Data::of(&BranchInput { site, looked: looked()? })),
            Next::Commit(at) => {
                let file = order.files.get(at)?;
                let expected = self.before.get(at).cloned().flatten();
                let agent = &order.rule.agent;
                let input = CommitInput {
                    site,
                    branch: looked()?.branch,
                    path: file.path.to_owned(),
                    content: file.content.to_owned(),
                    message: names::commit_message(agent, file.path, expected.is_none()),
                    expected,
                    approved: order.approved,
                };
                (agents::COMMIT, Data::of(&input))
            }
            Next::Pull => {
                let (title, body) = self.words(order)?;
                let branch = looked()?.branch;
                (agents::PULL, Data::of(&PullInput { site, branch, title, body }))
            }
            Next::Over => return None,
        };
        let retry = Retry::new(5, Duration::from_secs(1), Duration::from_secs(120));
        Some(Call { key: Key::from(self.key(next)), agent: AgentName::from(agent), input, retry })
    }

    /// The title and the text of the pull request.
    fn words(&self, order: &Order<'_>) -> Option<(String, String)> {
        let names = &self.looked.as_ref()?.names;
        let files: Vec<(&str, bool)> = order
            .files
            .iter()
            .zip(&self.before)
            .zip(&self.commits)
            .filter(|(_, commit)| commit.error.is_none())
            .map(|((file, before), _)| (file.path, before.is_none()))
            .collect();
        let (title, body) = names::pull_request(&order.rule.agent, &order.site.repo, &files);
        let title = order.title.as_ref().map_or(title, |template| names.fill(template));
        let body = order.body.as_ref().map_or(body, |template| names.fill(template));
        Some((one_line(&title), body))
    }

    /// Takes in what a call gave.
    pub(crate) fn done(&mut self, next: Next, output: &Data) -> Then {
        let read = match next {
            Next::Look => output.to().map(|LookOutput { looked, files }| {
                self.looked = Some(looked);
                self.before = files;
            }),
            Next::Recheck => match output.to() {
                Ok(RecheckOutput { same, base, head }) => {
                    self.rechecks += 1;
                    self.is_same = same;
                    if !same {
                        return Then::Moved { base, head };
                    }
                    // The files are the same wherever the branch is now.
                    if let Some(looked) = &mut self.looked {
                        looked.head = head;
                    }
                    Ok(())
                }
                Err(cause) => Err(cause),
            },
            Next::Branch => output.to().map(|made: BranchOutput| {
                self.errors.extend(made.error.iter().map(|why| format!("the branch: {why}")));
                // What it is to be committed on is not there.
                self.ended |= !made.is_there;
                self.branch = Some(made);
            }),
            Next::Commit(_) => output.to().map(|made: CommitOutput| {
                self.errors.extend(made.error.clone());
                self.commits.push(made);
            }),
            Next::Pull => output.to().map(|made: PullOutput| {
                if !made.unsupported {
                    let why = made.error.iter().map(|why| format!("the pull request: {why}"));
                    self.errors.extend(why);
                }
                self.pull = Some(made);
            }),
            Next::Over => Ok(()),
        };
        if let Err(cause) = read {
            self.end(format!("the answer of the step {}: {cause}", self.key(next)));
        }
        Then::GoOn
    }

    /// Takes in that a call failed for good.
    pub(crate) fn failed(&mut self, next: Next, fault: &Fault) {
        let why = fault.message.clone();
        match next {
            Next::Pull => {
                self.errors.push(format!("the pull request: {why}"));
                self.pull = Some(PullOutput { url: None, error: Some(why), unsupported: false });
            }
            // One that was there when the job looked will do.
            Next::Branch => {
                let is_there = self.looked.as_ref().is_some_and(|looked| looked.head.is_some());
                self.errors.push(format!("the branch: {why}"));
                self.ended |= !is_there;
                self.branch = Some(BranchOutput { is_there, created: false, error: Some(why) });
            }
            // The other files would fail like this one.
            Next::Commit(_) | Next::Look | Next::Recheck => self.end(why),
            Next::Over => {}
        }
    }

    fn end(&mut self, why: String) {
        self.errors.push(why);
        self.ended = true;
    }

    /// The commits that there are, by file.
    pub(crate) fn committed<'a>(
        &'a self,
        order: &'a Order<'_>,
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        order.files.iter().zip(&self.commits).filter_map(|(file, commit)| {
            let (sha, message) = (commit.sha.as_deref()?, commit.message.as_deref()?);
            Some((file.path, sha, message))
        })
    }

    /// What went wrong, as `metadata.githubError`.
    pub(crate) fn error(&self) -> Option<String> {
        (!self.errors.is_empty()).then(|| self.errors.join("; "))
    }
}

fn one_line(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ").chars().take(200).collect()
}

#[cfg(test)]
mod tests;
