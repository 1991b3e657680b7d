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

use super::{JobPlan, result};

/// The key of the question.
pub const APPROVAL: &str = "approval";

/// What a person says to it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Verdict {
    pub(super) approved: bool,
    #[serde(default)]
    pub(super) why: Option<String>,
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

pub(super) fn ask(plan: &JobPlan, result: &Data) -> Ask {
    let files = result::artifacts(result);
    let mut prompt = format!("Approve what the job made ({} files)?", files.len());
    for file in files.iter().take(20) {
        let _ = write!(prompt, "\n- {} ({} bytes)", file.path, file.content.len());
    }
    let _ = write!(prompt, "\ndigest {}", digest(plan, result, None));
    Ask {
        key: Key::from(APPROVAL),
        kind: AskKind::Approval,
        prompt,
        schema: Data::of(&json!({
            "type": "object",
            "properties": {"approved": {"type": "boolean"}, "why": {"type": "string"}},
            "required": ["approved"],
            "additionalProperties": false,
        })),
        deadline: None,
        default: None,
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
