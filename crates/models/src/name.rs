//! The names of models: `provider/model`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A provider of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    OpenAi,
    Anthropic,
    Xai,
    Google,
    Ollama,
    /// Any other server with OpenAI's protocol, at a base URL that the user gives.
    Compatible,
}

impl Provider {
    pub const ALL: [Self; 6] =
        [Self::OpenAi, Self::Anthropic, Self::Xai, Self::Google, Self::Ollama, Self::Compatible];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Xai => "xai",
            Self::Google => "google",
            Self::Ollama => "ollama",
            Self::Compatible => "compatible",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == word)
    }

    /// The provider's own base URL, used unless another is configured.
    #[must_use]
    pub const fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Xai => Some("https://api.x.ai/v1"),
            Self::Google => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Ollama => Some("http://127.0.0.1:11434/v1"),
            Self::Compatible => None,
        }
    }

    /// The environment variables that may hold its key. The first that is set counts.
    #[must_use]
    pub const fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Xai => &["XAI_API_KEY"],
            Self::Google => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
            Self::Compatible => &["CONSIGN_COMPATIBLE_API_KEY"],
        }
    }

    /// The environment variable that overrides its base URL.
    #[must_use]
    pub const fn base_url_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Xai => "XAI_BASE_URL",
            Self::Google => "GEMINI_BASE_URL",
            Self::Ollama => "OLLAMA_BASE_URL",
            Self::Compatible => "CONSIGN_COMPATIBLE_BASE_URL",
        }
    }

    /// Whether it refuses requests without a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic | Self::Xai | Self::Google => true,
            Self::Ollama | Self::Compatible => false,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of a model, such as `openai/gpt-5-mini`. A bare name is OpenAI's if it looks like one
/// of theirs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    pub provider: Provider,
    pub model: String,
}

impl FromStr for ModelName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (provider, model) = match text.split_once('/') {
            // Models of compatible servers may have slashes of their own.
            Some((word, model)) => match Provider::from_word(word) {
                Some(provider) => (provider, model),
                None => {
                    let known = Provider::ALL.map(Provider::as_str).join(", ");
                    return Err(format!("there is no provider {word:?}; there are {known}"));
                }
            },
            None if is_openais(text) => (Provider::OpenAi, text),
            // A typo of `bridge` or `replay:FILE` must not reach anybody.
            None => {
                return Err(format!(
                    "{text:?} is not the name of a model, such as openai/gpt-5-mini: it names no provider"
                ));
            }
        };
        let fit = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/@".contains(letter);
        if model.is_empty() || model.len() > 200 || !model.chars().all(fit) {
            return Err(format!("{text:?} is not the name of a model, such as openai/gpt-5-mini"));
        }
        // It becomes a part of a path with some providers.
        if model.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
            return Err(format!("{text:?} is not the name of a model, such as openai/gpt-5-mini"));
        }
        Ok(Self { provider, model: model.to_owned() })
    }
}

/// Whether a bare name is of a family that is known to be OpenAI's.
fn is_openais(name: &str) -> bool {
    let numbered = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(['1', '3', '4']));
    numbered || ["gpt-", "chatgpt-", "ft:", "codex-"].iter().any(|start| name.starts_with(start))
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        let check = |text: &str, full: &str| {
            assert_eq!(text.parse::<ModelName>().unwrap().to_string(), full);
        };
        check("openai/gpt-5-mini", "openai/gpt-5-mini");
        check("gpt-5-mini", "openai/gpt-5-mini");
        check("o3-mini", "openai/o3-mini");
        check("ft:gpt-4o:me", "openai/ft:gpt-4o:me");
        check("ollama/qwen3:8b", "ollama/qwen3:8b");
        check("compatible/meta-llama/Llama-3.1", "compatible/meta-llama/Llama-3.1");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in [
            "",
            "openai/",
            "nobody/x",
            "google/../x",
            "openai/a b",
            "openai//x",
            "a?b",
            "bridg",
            "Replay:x",
        ] {
            assert!(text.parse::<ModelName>().is_err(), "{text}");
        }
    }
}
