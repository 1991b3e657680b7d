//! Reads from the command line what a key is for.

use std::fmt;

use consign_models::{Provider, keys::GITHUB};

use crate::error::Error;

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Ai(Provider),
    /// Reading and publishing repositories.
    GitHub,
}

impl Service {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ai(provider) => provider.as_str(),
            Self::GitHub => GITHUB,
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An unknown word is not repeated in the error: a user who forgets the provider may have typed the key in
/// its place.
pub(super) fn service(word: &str) -> Result<Service, Error> {
    if word == GITHUB {
        return Ok(Service::GitHub);
    }
    Provider::from_word(word).map(Service::Ai).ok_or_else(|| {
        let known = Provider::ALL.map(Provider::as_str).into_iter().chain([GITHUB]);
        let known: Vec<_> = known.collect();
        let alike = known.iter().find(|known| strsim::jaro_winkler(known, word) > 0.85);
        let hint = match alike {
            Some(alike) => format!("did you mean {alike}?"),
            None => "the provider comes first; the key itself is never an argument".to_owned(),
        };
        let told = format!("there is no such provider; there are {}", known.join(", "));
        Error::usage("INVALID_PROVIDER", told).hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_provider_is_not_repeated() {
        let check = |word: &str, hint: &str| {
            let error = service(word).expect_err("it is no provider");
            assert_eq!(error.code, "INVALID_PROVIDER");
            assert!(error.hint.as_deref().is_some_and(|told| told.contains(hint)), "{error:?}");
            assert!(!format!("{error:?}").contains(word), "{error:?}");
        };
        check("opneai", "did you mean openai?");
        check("githbu", "did you mean github?");
        check("Anthropic", "did you mean anthropic?");
        check("sk-proj-1234567890", "never an argument");
        assert_eq!(service("xai").ok(), Some(Service::Ai(Provider::Xai)));
        assert_eq!(service("github").ok(), Some(Service::GitHub));
    }
}
