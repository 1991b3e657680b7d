//! The double itself: takes one request, returns one response.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use consign_models::Provider;
use serde_json::json;

use super::{
    anthropic,
    asked::Asked,
    fields::Fields,
    google,
    id::Serial,
    models, openai,
    refusal::{Kind, Refusal},
    reply::Reply,
    route::{Listing, Route, owner},
    said::{Said, say},
    script::{Entry, Fault, Script},
    seen::{Memory, Seen, beginning, fingerprint},
    spoil,
    written::Written,
};

/// A stand-in for all providers.
pub struct Double {
    state: Mutex<State>,
}

struct State {
    script: Script,
    memory: Memory,
    serial: u64,
}

/// A request, from either transport.
pub(super) struct Exchange {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    /// `None` if it was too large.
    pub(super) body: Option<Bytes>,
}

/// The largest body that is accepted.
pub(super) const MOST_BODY_BYTES: usize = 32 << 20;

impl Double {
    #[must_use]
    pub fn new(script: Script) -> Arc<Self> {
        let state = State { script, memory: Memory::default(), serial: 0 };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// The last requests, the oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.state().memory.all()
    }

    pub(super) fn answer(&self, exchange: &Exchange) -> Reply {
        let route = Route::of(&exchange.path, &exchange.query);
        let serial = self.next();
        let (provider, asked, reply) = match route {
            Route::Health => return Reply::json(200, &json!({ "status": "ok" })),
            Route::Seen => return Reply::json(200, &json!({ "requests": self.seen() })),
            Route::Models(listing) => {
                let provider = match listing {
                    Listing::Of(provider) => provider,
                    Listing::Plain if exchange.header("anthropic-version").is_some() => {
                        Provider::Anthropic
                    }
                    Listing::Plain => Provider::OpenAi,
                };
                (provider, None, self.models(exchange, provider, serial))
            }
            Route::Nowhere(provider) => {
                (provider, None, refuse(provider, &nowhere(exchange), "", serial))
            }
            Route::Chat(_) | Route::Messages | Route::Generate { .. } => {
                let provider = exchange.provider(&route);
                match self.read(exchange, &route, provider) {
                    Ok(asked) => {
                        let reply = self.complete(&route, &asked, serial);
                        (provider, Some(asked), reply)
                    }
                    Err(refusal) => (provider, None, refuse(provider, &refusal, "", serial)),
                }
            }
        };
        self.remember(exchange, provider, asked.as_ref(), reply.status);
        reply
    }

    /// The request, if the provider would accept it.
    fn read(
        &self,
        exchange: &Exchange,
        route: &Route,
        provider: Provider,
    ) -> Result<Asked, Refusal> {
        if exchange.method != "POST" {
            return Err(Kind::WrongMethod.into());
        }
        self.admit(exchange, provider)?;
        let Some(body) = &exchange.body else { return Err(Kind::TooLarge.into()) };
        // What is no text is no JSON either.
        let body = std::str::from_utf8(body).unwrap_or_default();
        match route {
            Route::Messages => anthropic::read(body, exchange.header("anthropic-version")),
            Route::Generate { model, stream, .. } => google::read(body, model, *stream),
            Route::Chat(_) | Route::Models(_) | Route::Seen | Route::Health | Route::Nowhere(_) => {
                openai::read(body, provider)
            }
        }
    }

    fn admit(&self, exchange: &Exchange, provider: Provider) -> Result<(), Refusal> {
        match exchange.key() {
            Some(key) if self.state().script.accepts(provider, key) => Ok(()),
            Some(_) => Err(Kind::KeyUnknown.into()),
            None if provider.needs_key() => Err(Kind::KeyMissing.into()),
            None => Ok(()),
        }
    }

    fn complete(&self, route: &Route, asked: &Asked, serial: Serial) -> Reply {
        let entry = self.state().script.take(asked);
        let entry = entry.as_ref();
        let mut reply = match Self::work_out(route, asked, entry, serial) {
            Ok(reply) => reply,
            Err(refusal) => refuse(asked.provider, &refusal, &asked.model, serial),
        };
        if let Some(entry) = entry {
            reply.before =
                entry.delay + entry.fault.as_ref().map(Fault::before).unwrap_or_default();
        }
        reply
    }

    fn work_out(
        route: &Route,
        asked: &Asked,
        entry: Option<&Entry>,
        serial: Serial,
    ) -> Result<Reply, Refusal> {
        if let Some(fault) = entry.and_then(|entry| entry.fault.as_ref()) {
            if let Some(refusal) = fault.refusal() {
                return Err(refusal);
            }
            if let Some(status) = fault.page() {
                return Ok(spoil::page(status));
            }
            if matches!(fault, Fault::StreamError { .. }) && !asked.stream {
                return Err(Kind::ServerError.into());
            }
        }
        let said = say(asked, entry)?;
        let reply = spoil::respond(write(route, asked, &said, serial), entry);
        Ok(match asked.provider {
            Provider::Anthropic => reply.with("request-id", serial.id("req_", "request", 24)),
            Provider::Google => reply,
            Provider::OpenAi | Provider::Xai | Provider::Ollama | Provider::Compatible => {
                reply.with("x-request-id", serial.id("req_", "request", 32))
            }
        })
    }

    fn models(&self, exchange: &Exchange, provider: Provider, serial: Serial) -> Reply {
        let admitted = match exchange.method.as_str() {
            "GET" => self.admit(exchange, provider),
            _ => Err(Kind::WrongMethod.into()),
        };
        match admitted {
            Ok(()) => Reply::json(200, &models::list(provider, self.state().script.models())),
            Err(refusal) => refuse(provider, &refusal, "", serial),
        }
    }

    fn remember(
        &self,
        exchange: &Exchange,
        provider: Provider,
        asked: Option<&Asked>,
        status: u16,
    ) {
        let body = exchange.body.as_deref().unwrap_or_default();
        let seen = Seen {
            path: exchange.path.chars().take(1_000).collect(),
            provider,
            model: asked.map(|asked| asked.model.clone()),
            stream: asked.is_some_and(|asked| asked.stream),
            headers: exchange.headers.iter().map(|(name, _)| name.clone()).collect(),
            key: exchange.key().map(fingerprint),
            body: beginning(body),
            body_bytes: body.len(),
            status,
        };
        self.state().memory.keep(seen);
    }

    fn next(&self) -> Serial {
        let mut state = self.state();
        state.serial += 1;
        Serial(state.serial)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that could fail is done under it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The key, wherever the providers take it.
    fn key(&self) -> Option<&str> {
        let bearer = self.header("authorization").and_then(|value| {
            let (scheme, key) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
        });
        let in_query = || self.query.split('&').find_map(|pair| pair.strip_prefix("key="));
        bearer
            .or_else(|| self.header("x-api-key"))
            .or_else(|| self.header("x-goog-api-key"))
            .or_else(in_query)
            .filter(|key| !key.is_empty())
    }

    /// The provider that is meant: by the address, or else by the model.
    fn provider(&self, route: &Route) -> Provider {
        match route {
            Route::Messages => Provider::Anthropic,
            Route::Generate { .. } => Provider::Google,
            Route::Chat(Some(provider)) | Route::Nowhere(provider) => *provider,
            Route::Chat(None) | Route::Models(_) | Route::Seen | Route::Health => {
                let body = self.body.as_deref().and_then(|body| std::str::from_utf8(body).ok());
                let fields = body.and_then(|body| Fields::read(body, "").ok());
                let model = fields.and_then(|fields| fields.text("model").ok().flatten());
                model.map_or(Provider::OpenAi, |model| owner(&model))
            }
        }
    }
}

fn nowhere(exchange: &Exchange) -> Refusal {
    let path: String = exchange.path.chars().take(200).collect();
    let message = format!("Invalid URL ({} {path})", exchange.method);
    Refusal { message: Some(message), ..Kind::NoRoute.into() }
}

fn refuse(provider: Provider, refusal: &Refusal, model: &str, serial: Serial) -> Reply {
    match provider {
        Provider::Anthropic => anthropic::refuse(refusal, model, serial),
        Provider::Google => google::refuse(refusal, model),
        Provider::OpenAi | Provider::Xai | Provider::Ollama | Provider::Compatible => {
            openai::refuse(provider, refusal, model, serial)
        }
    }
}

fn write(route: &Route, asked: &Asked, said: &Said, serial: Serial) -> Written {
    match asked.provider {
        Provider::Anthropic => anthropic::write(asked, said, serial),
        Provider::Google => {
            let sse = matches!(route, Route::Generate { sse: true, .. });
            google::write(asked, said, serial, sse)
        }
        Provider::OpenAi | Provider::Xai | Provider::Ollama | Provider::Compatible => {
            openai::write(asked, said, serial)
        }
    }
}
