//! Which models an agent may use.

use serde::Deserialize;

use crate::{ModelName, Trouble};
use consign_contracts::authoring::ErrorCode;

/// The models that an agent may use, by what they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub default: ModelName,
    pub cheap: ModelName,
    pub escalation: ModelName,
    /// Further models, besides these three.
    pub allow: Vec<ModelName>,
}

/// A policy as a file has it. What it leaves out has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyFile {
    pub default: Option<String>,
    pub cheap: Option<String>,
    pub escalation: Option<String>,
    #[serde(default)]
    pub allow: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        let openai =
            |model: &str| ModelName { provider: crate::Provider::OpenAi, model: model.to_owned() };
        Self {
            default: openai("gpt-5-mini"),
            cheap: openai("gpt-4o-mini"),
            escalation: openai("gpt-5.2"),
            allow: Vec::new(),
        }
    }
}

impl Policy {
    /// Reads a file's policy. The error names what is wrong.
    pub fn read(file: &PolicyFile) -> Result<Self, String> {
        let usual = Self::default();
        let named = |name: &Option<String>, usual: ModelName| {
            name.as_ref().map_or(Ok(usual), |name| name.parse())
        };
        Ok(Self {
            default: named(&file.default, usual.default)?,
            cheap: named(&file.cheap, usual.cheap)?,
            escalation: named(&file.escalation, usual.escalation)?,
            allow: file.allow.iter().map(|name| name.parse()).collect::<Result<_, _>>()?,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &ModelName> {
        [&self.default, &self.cheap, &self.escalation].into_iter().chain(&self.allow)
    }

    pub fn check(&self, name: &ModelName) -> Result<(), Trouble> {
        if self.names().any(|allowed| allowed == name) {
            return Ok(());
        }
        let mut allowed: Vec<_> = self.names().map(ToString::to_string).collect();
        allowed.dedup();
        let what = format!("{name} is not allowed here; allowed are {}", allowed.join(", "));
        Err(Trouble::lasting(ErrorCode::ModelNotAllowed, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_list_is_refused() {
        let policy = Policy::default();
        let check = |name: &str, allowed: bool| {
            assert_eq!(policy.check(&name.parse().unwrap()).is_ok(), allowed, "{name}");
        };
        check("gpt-5-mini", true);
        check("openai/gpt-4o-mini", true);
        check("gpt-5.2", true);
        check("gpt-5", false);
        check("ollama/gpt-5-mini", false);
        let refused = policy.check(&"xai/grok-4".parse().unwrap()).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ModelNotAllowed);
        assert!(refused.what.contains("openai/gpt-5-mini, openai/gpt-4o-mini, openai/gpt-5.2"));
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let file = PolicyFile {
            default: Some("anthropic/claude-haiku-4-5".to_owned()),
            allow: vec!["xai/grok-4".to_owned()],
            ..PolicyFile::default()
        };
        let policy = Policy::read(&file).unwrap();
        assert!(policy.check(&"xai/grok-4".parse().unwrap()).is_ok());
        assert!(policy.check(&"gpt-5-mini".parse().unwrap()).is_err());
        let bad = PolicyFile { cheap: Some("nobody/x".to_owned()), ..PolicyFile::default() };
        assert!(Policy::read(&bad).unwrap_err().contains("nobody"));
    }
}
