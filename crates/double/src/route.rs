//! Routes: which dialect and which provider an address stands for.

use consign_models::Provider;

/// The meaning of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// OpenAI's dialect. Without a prefix the model's name decides the provider.
    Chat(Option<Provider>),
    Messages,
    Generate {
        model: String,
        stream: bool,
        sse: bool,
    },
    Models(Listing),
    Seen,
    Health,
    /// An unknown address, answered in the dialect of its neighbours.
    Nowhere(Provider),
}

/// Whose list of models.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// The headers decide whether it is OpenAI's or Anthropic's.
    Plain,
    Of(Provider),
}

impl Route {
    pub(super) fn of(path: &str, query: &str) -> Self {
        match path {
            "/healthz" => return Self::Health,
            "/double/seen" => return Self::Seen,
            _ => {}
        }
        let inside = path.strip_prefix('/').unwrap_or(path);
        let (prefix, rest) = match inside.split_once('/') {
            Some((word, rest)) => match Provider::from_word(word) {
                Some(provider) => (Some(provider), rest),
                None => (None, inside),
            },
            None => (None, inside),
        };
        let google = matches!(prefix, None | Some(Provider::Google));
        let anthropic = matches!(prefix, None | Some(Provider::Anthropic));
        let chat = !matches!(prefix, Some(Provider::Google | Provider::Anthropic));
        match rest {
            "v1/chat/completions" if chat => Self::Chat(prefix),
            "v1/messages" if anthropic => Self::Messages,
            "v1/models" => Self::Models(prefix.map_or(Listing::Plain, Listing::Of)),
            "v1beta/models" if google => Self::Models(Listing::Of(Provider::Google)),
            _ => match google.then(|| generate(rest, query)).flatten() {
                Some(route) => route,
                None => Self::Nowhere(neighbourhood(prefix, rest)),
            },
        }
    }
}

/// `v1beta/models/MODEL:generateContent`.
fn generate(rest: &str, query: &str) -> Option<Route> {
    let named = rest.strip_prefix("v1beta/models/").or_else(|| rest.strip_prefix("v1/models/"))?;
    let named = unescape(named)?;
    let (model, verb) = named.rsplit_once(':')?;
    let stream = match verb {
        "generateContent" => false,
        "streamGenerateContent" => true,
        _ => return None,
    };
    if model.is_empty() {
        return None;
    }
    let sse = query.split('&').any(|pair| pair == "alt=sse");
    Some(Route::Generate { model: model.to_owned(), stream, sse })
}

fn neighbourhood(prefix: Option<Provider>, rest: &str) -> Provider {
    match prefix {
        Some(provider) => provider,
        None if rest.starts_with("v1beta/") => Provider::Google,
        None if rest.starts_with("v1/messages") => Provider::Anthropic,
        None => Provider::OpenAi,
    }
}

/// The provider of a model, by its name, where the address does not say.
pub(super) fn owner(model: &str) -> Provider {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    if is(&["grok-"]) {
        Provider::Xai
    } else if is(&["gpt-3", "gpt-4", "gpt-5", "chatgpt-", "o1", "o3", "o4", "ft:"]) {
        Provider::OpenAi
    } else {
        Provider::Compatible
    }
}

/// Decodes percent signs. `None` if the result is not text.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_their_dialects() {
        let check = |address: &str, route: Route| {
            let (path, query) = address.split_once('?').unwrap_or((address, ""));
            assert_eq!(Route::of(path, query), route, "{address}");
        };
        let generate = |model: &str, stream: bool, sse: bool| Route::Generate {
            model: model.to_owned(),
            stream,
            sse,
        };
        check("/v1/chat/completions", Route::Chat(None));
        check("/xai/v1/chat/completions", Route::Chat(Some(Provider::Xai)));
        check("/ollama/v1/chat/completions", Route::Chat(Some(Provider::Ollama)));
        check("/google/v1/chat/completions", Route::Nowhere(Provider::Google));
        check("/v1/messages", Route::Messages);
        check("/anthropic/v1/messages", Route::Messages);
        check("/v1/messages/batches", Route::Nowhere(Provider::Anthropic));
        check(
            "/v1beta/models/gemini-2.5-flash:generateContent",
            generate("gemini-2.5-flash", false, false),
        );
        check(
            "/google/v1beta/models/g%3Ax:streamGenerateContent?key=k&alt=sse",
            generate("g:x", true, true),
        );
        check("/v1beta/models/%ff:generateContent", Route::Nowhere(Provider::Google));
        check("/v1beta/models/g%3:generateContent", Route::Nowhere(Provider::Google));
        check("/v1beta/models/g:countTokens", Route::Nowhere(Provider::Google));
        check("/v1/models", Route::Models(Listing::Plain));
        check("/anthropic/v1/models", Route::Models(Listing::Of(Provider::Anthropic)));
        check("/v1beta/models", Route::Models(Listing::Of(Provider::Google)));
        check("/healthz", Route::Health);
        check("/double/seen", Route::Seen);
        check("/", Route::Nowhere(Provider::OpenAi));
    }

    #[test]
    fn a_models_name_tells_whose_it_is() {
        let check = |model: &str, provider: Provider| assert_eq!(owner(model), provider, "{model}");
        check("gpt-5-mini", Provider::OpenAi);
        check("o4-mini", Provider::OpenAi);
        check("grok-code-fast-1", Provider::Xai);
        check("gpt-oss:20b", Provider::Compatible);
        check("qwen3:8b", Provider::Compatible);
    }
}
