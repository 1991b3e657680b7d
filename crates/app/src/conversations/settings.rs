//! What can be set for conversations: the tables `[conversation]` and `[guard]` of `settings.toml`.

use std::{collections::BTreeSet, time::Duration};

use consign_conversation::turn::Timeouts;
use consign_guard::{Options, PersonalData};
use consign_invokers::model::ModelSource;
use serde::Deserialize;

/// What is set for the conversations of a home.
#[derive(Clone, Debug, Default)]
pub struct TurnSettings {
    pub guard: Options,
    pub timeouts: Timeouts,
    /// The model that writes answers where none is named; without one they are made of quotes.
    pub model: Option<String>,
    /// The address of a cache in front of the database.
    pub cache: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GuardFile {
    threshold: Option<f64>,
    redact: Vec<String>,
    output_allow: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ConversationFile {
    model: Option<String>,
    cache: Option<String>,
    timeouts: TimeoutsFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TimeoutsFile {
    guard: Option<f64>,
    memory: Option<f64>,
    tailor: Option<f64>,
}

/// Longer is no timeout.
const LONGEST_SECONDS: f64 = 3_600.0;

impl TurnSettings {
    /// The error names the setting and what is wrong with it.
    pub(crate) fn read(guard: GuardFile, conversation: ConversationFile) -> Result<Self, String> {
        let mut settings = Self::default();
        if let Some(threshold) = guard.threshold {
            if !(0.0..=1.0).contains(&threshold) {
                return Err("guard.threshold is from 0 to 1".to_owned());
            }
            settings.guard.threshold = threshold;
        }
        let redact = kinds("guard.redact", &guard.redact)?;
        let entities = [PersonalData::Name, PersonalData::Place];
        if let Some(other) = redact.iter().find(|kind| !entities.contains(kind)) {
            let other = other.mark();
            return Err(format!(
                "guard.redact: {other} is always redacted; NAME and PLACE can be added"
            ));
        }
        settings.guard.redact_entities = !redact.is_empty();
        settings.guard.output_allow = kinds("guard.output_allow", &guard.output_allow)?;
        let ConversationFile { model, cache, timeouts } = conversation;
        if let Some(model) = model {
            if model != super::turn::RULES {
                ModelSource::read(&model, &[])
                    .map_err(|why| format!("conversation.model: {why}"))?;
            }
            settings.model = Some(model);
        }
        if let Some(cache) = &cache
            && !(cache.starts_with("redis://") || cache.starts_with("rediss://"))
        {
            return Err("conversation.cache is an address such as redis://host:port".to_owned());
        }
        settings.cache = cache;
        let TimeoutsFile { guard, memory, tailor } = timeouts;
        for (name, seconds, timeout) in [
            ("guard", guard, &mut settings.timeouts.guard),
            ("memory", memory, &mut settings.timeouts.memory),
            ("tailor", tailor, &mut settings.timeouts.tailor),
        ] {
            let Some(seconds) = seconds else { continue };
            if !(seconds > 0.0 && seconds <= LONGEST_SECONDS) {
                return Err(format!(
                    "conversation.timeouts.{name} is in seconds, above 0 and at most {LONGEST_SECONDS}"
                ));
            }
            *timeout = Duration::from_secs_f64(seconds);
        }
        Ok(settings)
    }
}

fn kinds(setting: &str, words: &[String]) -> Result<BTreeSet<PersonalData>, String> {
    let kind = |word: &String| {
        let found =
            PersonalData::ALL.into_iter().find(|kind| kind.mark().eq_ignore_ascii_case(word));
        found.ok_or_else(|| {
            let all: Vec<_> = PersonalData::ALL.iter().map(|kind| kind.mark()).collect();
            format!("{setting}: there is no {word:?}; there are {}", all.join(", "))
        })
    };
    words.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(guard: &str, conversation: &str) -> Result<TurnSettings, String> {
        let guard = toml::from_str(guard).expect("a test writes TOML");
        let conversation = toml::from_str(conversation).expect("a test writes TOML");
        TurnSettings::read(guard, conversation)
    }

    #[test]
    fn settings_are_read_and_what_is_wrong_is_named() {
        let settings = read(
            "threshold = 0.8\nredact = [\"name\"]\noutput_allow = [\"EMAIL\"]",
            "model = \"bridge\"\n[timeouts]\ntailor = 1.5",
        );
        let settings = settings.unwrap();
        assert!((settings.guard.threshold - 0.8).abs() < 1e-9 && settings.guard.redact_entities);
        assert!(settings.guard.output_allow.contains(&PersonalData::Email));
        assert_eq!(settings.timeouts.tailor, Duration::from_millis(1_500));
        for (guard, conversation, named) in [
            ("threshold = 2.0", "", "guard.threshold"),
            ("redact = [\"email\"]", "", "guard.redact"),
            ("output_allow = [\"shoe\"]", "", "guard.output_allow"),
            ("", "model = \"nobody/x\"", "conversation.model"),
            ("", "cache = \"http://x\"", "conversation.cache"),
            ("", "[timeouts]\nguard = 0.0", "conversation.timeouts.guard"),
        ] {
            let why = read(guard, conversation).unwrap_err();
            assert!(why.starts_with(named), "{why}");
        }
    }
}
