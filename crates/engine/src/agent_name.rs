//! The name by which a call reaches its agent.

use std::{fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

/// An agent's name, with the definition that a run keeps of it (its pin) and the model that it is to use, where it has
/// them. In journals it is one text: `name`, `name@model`, `name#pin`, `name#pin@model`.
///
/// This is the only place that reads or writes that text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct AgentName(Arc<str>);

impl AgentName {
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The agent of this name that is defined under a pin.
    #[must_use]
    pub fn pinned(name: &str, pin: &str) -> Self {
        Self(format!("{name}#{pin}").into())
    }

    /// The same agent with another model than its own.
    #[must_use]
    pub fn with_model(&self, model: &str) -> Self {
        Self(format!("{self}@{model}").into())
    }

    /// The name alone.
    #[must_use]
    pub fn plain(&self) -> &str {
        self.0.split(['#', '@']).next().unwrap_or_default()
    }

    /// The definition that the run keeps.
    #[must_use]
    pub fn pin(&self) -> Option<&str> {
        let (name, _) = self.parts();
        name.split_once('#').map(|(_, pin)| pin)
    }

    /// The model that it is to use.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.parts().1
    }

    /// The name and pin, without the model.
    #[must_use]
    pub fn without_model(&self) -> Self {
        Self(self.parts().0.into())
    }

    /// As people are shown it: an agent that is pinned for a run goes by its name alone.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.0.split_once('#').map_or(&self.0, |(name, _)| name)
    }

    /// The name with its pin, and the model.
    fn parts(&self) -> (&str, Option<&str>) {
        match self.0.split_once('@') {
            Some((name, model)) => (name, Some(model)),
            None => (&self.0, None),
        }
    }
}

impl Deref for AgentName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for AgentName {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for AgentName {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Arc<str>> for AgentName {
    fn from(text: Arc<str>) -> Self {
        Self(text)
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written() {
        let check = |name: &AgentName, text: &str, parts: (&str, Option<&str>, Option<&str>)| {
            let read = AgentName::from(text);
            assert_eq!((name, &*read), (&read, text));
            assert_eq!((read.plain(), read.pin(), read.model()), parts);
        };
        let plain = AgentName::from("intent");
        check(&plain, "intent", ("intent", None, None));
        // Names of models have slashes, and may have the other marks too.
        let model = plain.with_model("ollama/qwen@8b#q4");
        check(&model, "intent@ollama/qwen@8b#q4", ("intent", None, Some("ollama/qwen@8b#q4")));
        let pinned = AgentName::pinned("review", "ab12");
        check(&pinned, "review#ab12", ("review", Some("ab12"), None));
        let both = pinned.with_model("openai/gpt-5");
        check(&both, "review#ab12@openai/gpt-5", ("review", Some("ab12"), Some("openai/gpt-5")));
        assert_eq!((both.without_model(), both.shown()), (pinned, "review"));
        assert_eq!(AgentName::from("intent@openai/gpt-5").shown(), "intent@openai/gpt-5");
    }
}
