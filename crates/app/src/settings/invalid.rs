//! How a setting that cannot be is refused.

use consign_contracts::json::{Json, Object};

use crate::error::Refused;

/// A request that is wrong at these places: pointer, keyword and message.
pub(crate) fn invalid(breaches: impl IntoIterator<Item = (String, String, String)>) -> Refused {
    let mut first = None;
    let breaches = breaches.into_iter().map(|(pointer, keyword, message)| {
        if first.is_none() {
            let place = pointer.trim_start_matches('/').replace('/', ".");
            first = Some(format!("{place}: {message}"));
        }
        let text = |text: String| Json::String(text.into());
        let mut breach = Object::new();
        breach.set("pointer", text(pointer));
        breach.set("keyword", text(keyword));
        breach.set("message", text(message));
        Json::Object(breach)
    });
    let breaches = Json::Array(breaches.collect());
    Refused::usage("VALIDATION_ERROR", first.unwrap_or_default()).detail("breaches", breaches)
}
