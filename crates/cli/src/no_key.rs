//! Messages about a missing key. The document's message sends people to a page of settings, and the
//! settings of a command line are variables and sealed keys.

use std::borrow::Cow;

use consign_contracts::{
    authoring::ErrorCode,
    json::{Json, Object},
};
use consign_models::Provider;

/// A failure for lack of a key.
pub(crate) struct Missing {
    /// The stage, where there are any.
    stage: String,
    cause: Option<String>,
}

impl Missing {
    pub(crate) fn because(cause: &str) -> Self {
        Self { stage: String::new(), cause: Some(cause.to_owned()) }
    }

    /// Whether what is said next is said of it: `Stage g failed in a: `.
    fn is_meant(&self, before: &str) -> bool {
        let named = before.trim_end_matches(": ").trim_end_matches(" failed");
        self.stage.is_empty() || named.ends_with(&format!(" {}", self.stage))
    }
}

/// A message with our words in place of the document's. It may name several stages, each of which lacks
/// another key.
pub(crate) fn reworded<'t>(told: &'t str, missing: &[Missing]) -> Cow<'t, str> {
    let page = ErrorCode::AiKeyMissing.user_message().unwrap_or_default();
    if page.is_empty() || !told.contains(page) {
        return Cow::Borrowed(told);
    }
    let (mut reworded, mut rest) = (String::new(), told);
    while let Some((before, after)) = rest.split_once(page) {
        let own = missing.iter().rfind(|missing| missing.is_meant(before));
        reworded.push_str(before);
        reworded.push_str(&words(own.and_then(|own| own.cause.as_deref())));
        rest = after;
    }
    reworded.push_str(rest);
    Cow::Owned(reworded)
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

/// The failures for lack of a key, from the errors of an envelope.
pub(crate) fn missing<'e, 'o: 'e>(
    errors: impl IntoIterator<Item = &'e Object<'o>>,
) -> Vec<Missing> {
    let code = ErrorCode::AiKeyMissing.as_str();
    let text = |value: Option<&Json<'_>>| value.and_then(Json::as_str).map(str::to_owned);
    let missing = |error: &&Object<'_>| text(error.get("error_type")).as_deref() == Some(code);
    let read = |error: &Object<'_>| Missing {
        stage: text(error.get("agent")).unwrap_or_default(),
        cause: text(error.get("details").and_then(|details| details.get("cause"))),
    };
    errors.into_iter().filter(missing).map(read).collect()
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
            let missing: Vec<_> = cause.into_iter().map(Missing::because).collect();
            assert_eq!(reworded(page, &missing), told);
        }
        assert_eq!(reworded("something else", &[]), "something else");
    }

    #[test]
    fn each_stage_has_the_key_that_it_lacks() {
        let page = ErrorCode::AiKeyMissing.user_message().unwrap();
        let told = format!("Stage g failed in a: {page}; in b: {page}");
        // The stage that failed first is first among the errors.
        let missing =
            [("a", "xai"), ("b", "anthropic"), ("a", "openai")].map(|(stage, provider)| {
                let cause = Some(format!("there is no key for {provider}"));
                Missing { stage: stage.to_owned(), cause }
            });
        assert_eq!(
            reworded(&told, &missing),
            "Stage g failed in a: there is no key for openai; set OPENAI_API_KEY, or `consign keys set openai`; \
             in b: there is no key for anthropic; set ANTHROPIC_API_KEY, or `consign keys set anthropic`"
        );
    }
}
