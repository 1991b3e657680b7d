//! The configuration of models in a home: `models.toml` and `prices.toml`. Both are optional.
//!
//! ```toml
//! [providers.ollama]
//! base_url = "http://10.0.0.5:11434/v1"
//! at_once = 2
//!
//! [policy.scribe]
//! allow = ["anthropic/claude-sonnet-4-5"]
//! ```

use std::{collections::BTreeMap, fs, io::ErrorKind, path::Path, time::Duration};

use serde::Deserialize;

use crate::{
    Provider,
    client::Patience,
    file::read_text,
    policy::{Policy, PolicyFile},
    prices::Prices,
    throttle::Pace,
};

#[derive(Clone, Debug)]
pub struct Config {
    providers: BTreeMap<Provider, ProviderConfig>,
    policies: BTreeMap<String, Policy>,
    pub prices: Prices,
    pub patience: Patience,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            providers: BTreeMap::new(),
            policies: BTreeMap::new(),
            prices: Prices::built_in().clone(),
            patience: Patience::default(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default)]
    providers: BTreeMap<String, ProviderConfig>,
    #[serde(default)]
    policy: BTreeMap<String, PolicyFile>,
    #[serde(default)]
    patience: PatienceFile,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProviderConfig {
    base_url: Option<String>,
    at_once: Option<usize>,
    requests_per_minute: Option<u32>,
    tokens_per_minute: Option<u64>,
    failures: Option<u32>,
    pause_seconds: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PatienceFile {
    first_byte_seconds: Option<u64>,
    between_chunks_seconds: Option<u64>,
    max_answer_mb: Option<usize>,
}

/// The longest time that any setting may ask for, in seconds.
const DAY: u64 = 86_400;
/// Files larger than this are a mistake.
const MOST_BYTES: u64 = 1 << 20;

impl Config {
    /// Reads the configuration of a home.
    pub fn load(home: &Path) -> Result<Self, String> {
        let mut config = match file(&home.join("models.toml"))? {
            Some(text) => Self::read(&text).map_err(|why| format!("models.toml: {why}"))?,
            None => Self::default(),
        };
        if let Some(text) = file(&home.join("prices.toml"))? {
            let own = Prices::read(&text).map_err(|why| format!("prices.toml: {why}"))?;
            config.prices = config.prices.overridden_by(own);
        }
        Ok(config)
    }

    /// Reads a `models.toml`. The error names the line or the key.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: ConfigFile = toml::from_str(text).map_err(|cause| cause.to_string())?;
        let mut config = Self::default();
        for (word, provider) in written.providers {
            let known = Provider::from_word(&word).ok_or_else(|| {
                let all = Provider::ALL.map(Provider::as_str).join(", ");
                format!("there is no provider {word:?}; there are {all}")
            })?;
            if let Some(url) = &provider.base_url {
                check_base_url(url).map_err(|why| format!("providers.{word}.base_url: {why}"))?;
            }
            let zeros = [
                ("at_once", provider.at_once == Some(0)),
                ("requests_per_minute", provider.requests_per_minute == Some(0)),
                ("tokens_per_minute", provider.tokens_per_minute == Some(0)),
                ("failures", provider.failures == Some(0)),
            ];
            if let Some((key, _)) = zeros.into_iter().find(|(_, zero)| *zero) {
                return Err(format!("providers.{word}.{key} is 0, and must be at least 1"));
            }
            config.providers.insert(known, provider);
        }
        for (agent, policy) in written.policy {
            let read = Policy::read(&policy).map_err(|why| format!("policy.{agent}: {why}"))?;
            config.policies.insert(agent, read);
        }
        let PatienceFile { first_byte_seconds, between_chunks_seconds, max_answer_mb } =
            written.patience;
        if let Some(seconds) = first_byte_seconds {
            config.patience.first_byte = Duration::from_secs(seconds.clamp(1, DAY));
        }
        if let Some(seconds) = between_chunks_seconds {
            config.patience.between_chunks = Duration::from_secs(seconds.clamp(1, DAY));
        }
        if let Some(mb) = max_answer_mb {
            config.patience.max_body = mb.clamp(1, 1024) << 20;
        }
        Ok(config)
    }

    /// Applies the environment, which has precedence over the file.
    pub fn with_environment(
        mut self,
        look: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        for provider in Provider::ALL {
            let name = provider.base_url_variable();
            let Some(url) = look(name).filter(|url| !url.is_empty()) else { continue };
            check_base_url(&url).map_err(|why| format!("{name}: {why}"))?;
            self.providers.entry(provider).or_default().base_url = Some(url);
        }
        Ok(self)
    }

    #[must_use]
    pub fn base_url(&self, provider: Provider) -> Option<String> {
        let own = self.providers.get(&provider).and_then(|config| config.base_url.clone());
        own.or_else(|| provider.base_url().map(str::to_owned))
    }

    #[must_use]
    pub fn pace(&self, provider: Provider) -> Pace {
        let usual = Pace::default();
        let Some(own) = self.providers.get(&provider) else { return usual };
        Pace {
            at_once: own.at_once.unwrap_or(usual.at_once),
            requests_per_minute: own.requests_per_minute.or(usual.requests_per_minute),
            tokens_per_minute: own.tokens_per_minute.or(usual.tokens_per_minute),
            failures: own.failures.unwrap_or(usual.failures).max(1),
            pause_seconds: own.pause_seconds.unwrap_or(usual.pause_seconds).min(DAY),
        }
    }

    /// The models that a built-in agent may use.
    #[must_use]
    pub fn policy(&self, agent: &str) -> Policy {
        self.policies.get(agent).cloned().unwrap_or_default()
    }

    pub fn policies(&self) -> impl Iterator<Item = (&str, &Policy)> {
        self.policies.iter().map(|(agent, policy)| (agent.as_str(), policy))
    }
}

/// Checks that a URL can be used as a base: http or https, with a host, without a key, query or
/// fragment.
pub fn check_base_url(url: &str) -> Result<(), String> {
    let parsed = reqwest::Url::parse(url).map_err(|cause| format!("{url:?}: {cause}"))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
        return Err(format!("{url:?} is not an http or https address"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(
            "the URL has a user or password in it: store keys with `consign keys set`".to_owned()
        );
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(format!("{url:?} has a query or a fragment: remove it"));
    }
    Ok(())
}

fn file(path: &Path) -> Result<Option<String>, String> {
    if fs::symlink_metadata(path).is_err_and(|cause| cause.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = read_text(path, MOST_BYTES);
    text.map(Some).map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_leaves_out_is_as_usual() {
        let config = Config::read(
            r#"[providers.ollama]
               base_url = "http://10.0.0.5:11434/v1"
               at_once = 2
               [policy.scribe]
               default = "gpt-5"
               [patience]
               first_byte_seconds = 5"#,
        )
        .unwrap();
        assert_eq!(config.base_url(Provider::Ollama).unwrap(), "http://10.0.0.5:11434/v1");
        assert_eq!(config.base_url(Provider::OpenAi).unwrap(), "https://api.openai.com/v1");
        assert_eq!(config.base_url(Provider::Compatible), None);
        let pace = config.pace(Provider::Ollama);
        assert_eq!((pace.at_once, pace.failures), (2, Pace::default().failures));
        assert_eq!(config.policy("scribe").default.to_string(), "openai/gpt-5");
        assert_eq!(config.policy("trace"), Policy::default());
        assert_eq!(config.patience.first_byte, Duration::from_secs(5));
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let config = Config::read("[providers.openai]\nbase_url = 'http://file/v1'\nat_once = 3");
        let look = |name: &str| (name == "OPENAI_BASE_URL").then(|| "http://here/v1".to_owned());
        let config = config.unwrap().with_environment(look).unwrap();
        assert_eq!(config.base_url(Provider::OpenAi).unwrap(), "http://here/v1");
        assert_eq!(config.pace(Provider::OpenAi).at_once, 3);
        let bad = Config::default().with_environment(|_| Some("nowhere".to_owned()));
        assert!(bad.unwrap_err().starts_with("OPENAI_BASE_URL: "));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, why: &str| {
            let found = Config::read(text).unwrap_err();
            assert!(found.contains(why), "{found}");
        };
        check("[providers.nobody]", "no provider \"nobody\"");
        for key in ["at_once", "requests_per_minute", "tokens_per_minute", "failures"] {
            check(&format!("[providers.xai]\n{key} = 0"), &format!("providers.xai.{key} is 0"));
        }
        check("[providers.openai]\nbase_uri = 'x'", "line 2");
        check("[providers.openai]\nbase_url = 'ftp://x'", "not an http");
        check("[providers.openai]\nbase_url = 'http://k:s@x/'", "has a user or password");
        check("[policy.scribe]\nallow = ['nobody/x']", "policy.scribe");
    }
}
