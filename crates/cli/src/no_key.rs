//! What is said here of a missing key. The document's message sends people to a page of settings, and the
//! settings of a command line are variables and sealed keys.

use std::borrow::Cow;

use consign_contracts::{
    authoring::ErrorCode,
    json::{Json, Object},
};
use consign_models::Provider;

/// A message with our words in place of the document's.
pub(crate) fn reworded<'t>(told: &'t str, cause: Option<&str>) -> Cow<'t, str> {
    let page = ErrorCode::AiKeyMissing.user_message().unwrap_or_default();
    match page.is_empty() || !told.contains(page) {
        true => Cow::Borrowed(told),
        false => Cow::Owned(told.replace(page, &words(cause))),
    }
}

/// What to do about it, by what happened: `there is no key for openai`.
pub(crate) fn words(cause: Option<&str>) -> String {
    let provider = cause.and_then(|why| Provider::from_word(why.rsplit(' ').next()?));
    match provider {
        Some(provider) => {
            let variable = provider.key_variables().first().copied().unwrap_or_default();
            format!(
                "there is no key for {provider}; set {variable}, or `consign keys set {provider}`"
            )
        }
        None => "there is no key; set the provider's variable (OPENAI_API_KEY and so on), or \
                 `consign keys set PROVIDER`"
            .to_owned(),
    }
}

/// What happened, by the errors of an envelope.
pub(crate) fn cause<'e, 'o: 'e>(
    errors: impl IntoIterator<Item = &'e Object<'o>>,
) -> Option<String> {
    let code = ErrorCode::AiKeyMissing.as_str();
    let missing =
        |error: &&Object<'_>| error.get("error_type").and_then(Json::as_str) == Some(code);
    let last = errors.into_iter().filter(missing).last()?;
    last.get("details")?.get("cause")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_a_page_that_is_not_there() {
        let page = "Stage a failed: No AI key configured. Add one in Settings > AI Keys.";
        for (cause, told) in [
            (
                Some("there is no key for openai"),
                "Stage a failed: there is no key for openai; set OPENAI_API_KEY, or `consign keys set openai`",
            ),
            (
                Some("who knows"),
                "Stage a failed: there is no key; set the provider's variable (OPENAI_API_KEY and so on), \
                 or `consign keys set PROVIDER`",
            ),
        ] {
            assert_eq!(reworded(page, cause), told);
        }
        assert_eq!(reworded("something else", None), "something else");
    }
}
