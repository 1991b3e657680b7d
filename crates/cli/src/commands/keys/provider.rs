//! Reads the name of a provider from the command line.

use consign_models::Provider;

use crate::error::Error;

/// An unknown word is not repeated in the error: a user who forgets the provider may have typed the key in
/// its place.
pub(super) fn provider(word: &str) -> Result<Provider, Error> {
    Provider::from_word(word).ok_or_else(|| {
        let known = Provider::ALL.map(Provider::as_str);
        let alike = known.into_iter().find(|known| strsim::jaro_winkler(known, word) > 0.85);
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
            let error = provider(word).expect_err("it is no provider");
            assert_eq!(error.code, "INVALID_PROVIDER");
            assert!(error.hint.as_deref().is_some_and(|told| told.contains(hint)), "{error:?}");
            assert!(!format!("{error:?}").contains(word), "{error:?}");
        };
        check("opneai", "did you mean openai?");
        check("Anthropic", "did you mean anthropic?");
        check("sk-proj-1234567890", "never an argument");
        assert_eq!(provider("xai").ok(), Some(Provider::Xai));
    }
}
