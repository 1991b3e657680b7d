//! The policy: which tools may be used freely, after a confirmation, or not at all.
//!
//! Written as TOML or JSON: `default = "allow"`, `tools = {git_blame = "confirm"}`, and
//! `deny_paths` as patterns. Unknown names are an error: a rule with a typo would have no effect.

use std::collections::BTreeMap;

use consign_contracts::json::{Json, Object};
use serde::Deserialize;

use super::{glob, table};
use crate::json::object;

/// What a tool may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    #[default]
    Allow,
    /// Only after a person has confirmed it.
    Confirm,
    Deny,
}

impl Rule {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Allow, Self::Confirm, Self::Deny].into_iter().find(|rule| rule.word() == word)
    }
}

/// Rules by tool, and paths that are hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    default: Rule,
    tools: BTreeMap<String, Rule>,
    deny_paths: Vec<String>,
}

/// Why a text is not a policy, with the line where it is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPolicy {
    #[error("{0}")]
    Malformed(String),
    #[error("{}there is no tool {name:?}; there are {}", at(*.line), names())]
    UnknownTool { line: Option<usize>, name: String },
    #[error("{}{word:?} is not a rule; the rules are allow, confirm and deny", at(*.line))]
    UnknownRule { line: Option<usize>, word: String },
    #[error("{}a pattern of deny_paths is empty or longer than 1,000 characters", at(*.line))]
    UnfitPattern { line: Option<usize> },
    #[error(
        "{}{pattern:?} would hide nothing: write a path below the repository, with *, ? and ** as the only wildcards",
        at(*.line)
    )]
    StrangePattern { line: Option<usize>, pattern: String },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn names() -> String {
    table().iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    default: Option<toml::Spanned<String>>,
    #[serde(default)]
    tools: BTreeMap<toml::Spanned<String>, toml::Spanned<String>>,
    #[serde(default)]
    deny_paths: Vec<toml::Spanned<String>>,
}

impl Policy {
    /// Reads a policy from TOML, or from JSON if it begins with a brace.
    pub fn parse(text: &str) -> Result<Self, NotAPolicy> {
        if text.trim_start().starts_with('{') {
            let tree = consign_contracts::json::parse(text.as_bytes())
                .map_err(|why| NotAPolicy::Malformed(why.to_string()))?;
            // A word of JSON stands in quotes; the first line with it is where to look.
            return Self::read(&tree, |word| {
                let quoted = format!("{:?}", word);
                text.lines().position(|line| line.contains(&quoted)).map(|at| at + 1)
            });
        }
        let written: PolicyFile = toml::from_str(text)
            .map_err(|why| NotAPolicy::Malformed(why.to_string().trim_end().to_owned()))?;
        let line = |span: std::ops::Range<usize>| {
            Some(text.get(..span.start).map_or(1, |before| before.matches('\n').count() + 1))
        };
        let mut policy = Self::default();
        if let Some(word) = written.default {
            policy.default = rule(word.get_ref(), line(word.span()))?;
        }
        for (name, word) in written.tools {
            policy.add(name.get_ref(), word.get_ref(), line(name.span()), line(word.span()))?;
        }
        for pattern in written.deny_paths {
            policy.hide(pattern.get_ref(), line(pattern.span()))?;
        }
        Ok(policy)
    }

    /// Reads a policy from JSON.
    pub fn from_json(tree: &Json<'_>) -> Result<Self, NotAPolicy> {
        Self::read(tree, |_| None)
    }

    fn read(tree: &Json<'_>, line: impl Fn(&str) -> Option<usize>) -> Result<Self, NotAPolicy> {
        let unfit =
            |what: &str, word: &str| NotAPolicy::Malformed(format!("{}{what}", at(line(word))));
        let members = tree.as_object().ok_or_else(|| unfit("a policy must be an object", ""))?;
        let mut policy = Self::default();
        for (key, value) in members.iter() {
            match (key, value) {
                ("default", Json::String(word)) => policy.default = rule(word, line(word))?,
                ("tools", Json::Object(tools)) => {
                    for (name, word) in tools.iter() {
                        let word =
                            word.as_str().ok_or_else(|| unfit("a rule must be a string", name))?;
                        policy.add(name, word, line(name), line(word))?;
                    }
                }
                ("deny_paths", Json::Array(patterns)) => {
                    for pattern in patterns {
                        let pattern = pattern
                            .as_str()
                            .ok_or_else(|| unfit("a pattern must be a string", key))?;
                        policy.hide(pattern, line(pattern))?;
                    }
                }
                ("default" | "tools" | "deny_paths", _) => {
                    return Err(unfit(
                        &format!("{key} is of the wrong type: {}", value.kind()),
                        key,
                    ));
                }
                _ => return Err(unfit(&format!("unknown member {key:?}"), key)),
            }
        }
        Ok(policy)
    }

    fn add(
        &mut self,
        name: &str,
        word: &str,
        name_line: Option<usize>,
        word_line: Option<usize>,
    ) -> Result<(), NotAPolicy> {
        if super::find(name).is_none() {
            return Err(NotAPolicy::UnknownTool { line: name_line, name: name.to_owned() });
        }
        self.tools.insert(name.to_owned(), rule(word, word_line)?);
        Ok(())
    }

    fn hide(&mut self, pattern: &str, line: Option<usize>) -> Result<(), NotAPolicy> {
        let bare = pattern.trim().trim_start_matches("./").trim_matches('/');
        if bare.is_empty() || pattern.len() > 1_000 {
            return Err(NotAPolicy::UnfitPattern { line });
        }
        // What matches nothing hides nothing: nobody may believe otherwise.
        let odd = |part: &str| {
            part.is_empty()
                || part == "."
                || part == ".."
                || part.trim() != part
                || part.contains(['{', '}', '[', ']', '\\'])
        };
        if bare.starts_with(['!', '~']) || bare.split('/').any(odd) {
            return Err(NotAPolicy::StrangePattern { line, pattern: pattern.to_owned() });
        }
        self.deny_paths.push(bare.to_owned());
        Ok(())
    }

    /// The policy as JSON, which [`Policy::from_json`] reads.
    #[must_use]
    pub fn to_json(&self) -> Json<'static> {
        let mut tools = Object::new();
        for (name, rule) in &self.tools {
            tools.set(name.clone(), Json::from(rule.word()));
        }
        Json::Object(object! {
            "default": self.default.word(),
            "tools": tools,
            "deny_paths": self.deny_paths.as_slice(),
        })
    }

    /// What this tool may do.
    #[must_use]
    pub fn rule(&self, tool: &str) -> Rule {
        self.tools.get(tool).copied().unwrap_or(self.default)
    }

    /// The pattern that hides a path, if one does.
    #[must_use]
    pub fn hides(&self, path: &str) -> Option<&str> {
        self.deny_paths.iter().map(String::as_str).find(|pattern| glob::matches(pattern, path))
    }

    pub(super) fn hides_something(&self) -> bool {
        !self.deny_paths.is_empty()
    }
}

/// The patterns of a policy, ready for many paths.
pub(super) struct Patterns(Vec<glob::Pattern>);

impl Patterns {
    pub(super) fn of(policy: &Policy) -> Self {
        Self(policy.deny_paths.iter().map(|pattern| glob::Pattern::new(pattern)).collect())
    }

    pub(super) fn hide(&self, path: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let path = glob::Path::new(path);
        self.0.iter().any(|pattern| pattern.matches(&path))
    }
}

fn rule(word: &str, line: Option<usize>) -> Result<Rule, NotAPolicy> {
    Rule::of(word).ok_or_else(|| NotAPolicy::UnknownRule { line, word: word.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = "default = \"allow\"\ndeny_paths = [\"secrets/**\", \".env*\"]\n\n[tools]\ngit_blame = \"confirm\"\nread_file = \"deny\"\n";

    #[test]
    fn the_same_policy_is_read_from_toml_and_json() {
        let policy = Policy::parse(TOML).unwrap();
        assert_eq!(policy.rule("git_blame"), Rule::Confirm);
        assert_eq!(policy.rule("read_file"), Rule::Deny);
        assert_eq!(policy.rule("code_search"), Rule::Allow);
        assert_eq!(policy.hides("secrets/key"), Some("secrets/**"));
        assert_eq!(policy.hides("src/main.rs"), None);
        assert_eq!(Policy::parse(&policy.to_json().to_string()).unwrap(), policy);
        assert_eq!(Policy::from_json(&policy.to_json()).unwrap(), policy);
        assert_eq!(Policy::parse("").unwrap(), Policy::default());
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line() {
        for (text, expected) in [
            ("default = \"maybe\"", "line 1: \"maybe\" is not a rule"),
            ("\n[tools]\nrm = \"allow\"", "line 3: there is no tool \"rm\""),
            ("\n[tools]\noutline = \"yes\"", "line 3: \"yes\" is not a rule"),
            ("{\n\"tools\": {\n\"rm\": \"allow\"}}", "line 3: there is no tool \"rm\""),
            ("{\"default\": 1}", "line 1: default is of the wrong type"),
            ("{\n\"defualt\": \"deny\"}", "line 2: unknown member \"defualt\""),
            ("defualt = \"deny\"", "line 1"),
            ("deny_paths = [\"\"]", "line 1: a pattern"),
            ("\ndeny_paths = [\"a//b\"]", "line 2: \"a//b\" would hide nothing"),
            ("deny_paths = [\"*.{a,b}\"]", "would hide nothing"),
            ("deny_paths = [\"[p]rivate\"]", "would hide nothing"),
            ("deny_paths = [\"!private\"]", "would hide nothing"),
            ("deny_paths = [\"../private\"]", "would hide nothing"),
            ("deny_paths = ['a\\b']", "would hide nothing"),
            ("deny_paths = [\"private /x\"]", "would hide nothing"),
            ("{", "end"),
        ] {
            let refused = Policy::parse(text).unwrap_err().to_string();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
