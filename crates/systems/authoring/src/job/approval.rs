//! The question whether what was made may be published.
//!
//! A job asks it once everything is written and checked, and nothing is published. The digest binds what the person saw:
//! the plan, the files and the commit that they rest on.

use std::fmt::Write as _;

use consign_contracts::json::Json;
use consign_engine::{Ask, AskKind, Data, Key};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{JobPlan, MadeFile, result};

/// The key of the question.
pub const APPROVAL: &str = "approval";

/// What a person says to it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Verdict {
    pub(super) approved: bool,
    #[serde(default)]
    pub(super) why: Option<String>,
    /// Nothing is decided: the repository is looked at again.
    #[serde(default)]
    pub(super) refresh: bool,
}

/// A SHA-256 over the plan, the files and the base commit, in hex.
#[must_use]
pub fn digest(plan: &JobPlan, result: &Data, base: Option<&str>) -> String {
    let files = result::artifacts(result);
    let seen = json!({
        "plan": plan,
        "files": files.iter().map(|file| json!([file.path, file.content])).collect::<Vec<_>>(),
        "base": base,
    });
    // Sorted, so that the digest does not depend on the order in which a program writes members.
    let text = Json::from(&seen).sorted().text();
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// A question that is open, and what it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The key of the question: another one each time it is asked.
    pub key: Key,
    /// What the person sees. The answer may carry it; one with another digest is refused.
    pub digest: String,
    /// The commit that the files rest on.
    pub base: Option<String>,
}

impl Approval {
    /// The question that is asked for the time of this number, counted from 0.
    pub(super) fn new(round: u32, digest: String, base: Option<String>) -> Self {
        let key = match round {
            0 => Key::from(APPROVAL),
            round => Key::from(format!("{APPROVAL}:{}", round + 1)),
        };
        Self { key, digest, base }
    }

    pub(super) fn ask(&self, files: &[MadeFile]) -> Ask {
        let mut prompt = format!("Approve what the job made ({} files)?", files.len());
        for file in files.iter().take(20) {
            let _ = write!(prompt, "\n- {} ({} bytes)", file.path, file.content.len());
        }
        if let Some(base) = &self.base {
            let _ = write!(prompt, "\nmade from {base}");
        }
        let _ = write!(prompt, "\ndigest {}", self.digest);
        Ask {
            key: self.key.clone(),
            kind: AskKind::Approval,
            prompt,
            schema: Data::of(&json!({
                "type": "object",
                "properties": {
                    "approved": {"type": "boolean"},
                    "why": {"type": "string"},
                    "digest": {
                        "const": self.digest,
                        "description": "What is approved. An answer to anything else is refused.",
                    },
                    "refresh": {
                        "type": "boolean",
                        "description": "Look at the repository again, and ask again if something has changed.",
                    },
                },
                "required": ["approved"],
                "additionalProperties": false,
            })),
            deadline: None,
            default: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_plan_or_base_is_another_digest() {
        let plan = JobPlan { steps: vec!["write".to_owned()], sections: None };
        let made = |content: &str| {
            Data::of(&json!({"artifacts": [{"filePath": "README.md", "content": content}]}))
        };
        let first = digest(&plan, &made("# A\n"), None);
        assert_eq!(first, digest(&plan.clone(), &made("# A\n"), None));
        assert_eq!(first.len(), 64);
        assert_ne!(first, digest(&plan, &made("# B\n"), None));
        assert_ne!(first, digest(&plan, &made("# A\n"), Some("4f2a")));
        assert_ne!(first, digest(&JobPlan::default(), &made("# A\n"), None));
    }
}
