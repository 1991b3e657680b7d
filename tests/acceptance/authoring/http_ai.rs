//! The codes of AI providers as answers over HTTP: the test of a user's key, against a double of every provider.

use serde_json::{Value, json};

use super::http::Service;

const SCRIPT: &str = r#"[
    {"times": 0, "model": "busy", "fault": {"kind": "rate_limited", "retry_after": 7}},
    {"times": 0, "model": "spent", "fault": {"kind": "quota"}},
    {"times": 0, "model": "locked", "fault": {"kind": "unauthorized"}},
    {"times": 0, "model": "gone", "fault": {"kind": "not_found"}},
    {"times": 0, "model": "broken", "fault": {"kind": "server_error"}},
    {"times": 0, "model": "loaded", "fault": {"kind": "overloaded"}},
    {"times": 0, "model": "behind", "fault": {"kind": "bad_gateway"}},
    {"times": 0, "model": "filtered", "fault": {"kind": "refused", "by": "filter"}},
    {"times": 0, "model": "page", "fault": {"kind": "wrong_content_type"}},
    {"times": 0, "model": "half", "fault": {"kind": "bad_json"}},
    {"times": 0, "model": "cut", "fault": {"kind": "cut_off"}}
]"#;

/// A key of each user's own, which must not come back in any answer.
const KEY: &str = "sk-never-to-be-seen";

#[test]
fn a_test_of_a_key_gives_every_code_of_a_provider_with_its_status() {
    // Where xAI should be, nobody listens.
    let service = Service::start(Some(SCRIPT), |settings| {
        let lines = settings.lines().map(|line| match line.contains("/xai/") {
            true => "base_url = \"http://127.0.0.1:9/v1\"".to_owned(),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    let test = |provider: &str, body: &Value| {
        service.server.post(&format!("/api/settings/ai-keys/{provider}/test"), body)
    };
    for provider in ["openai", "anthropic", "xai", "google"] {
        test(provider, &json!({})).refuses(412, "AI_KEY_MISSING");
        let key = json!({"provider": provider, "key": KEY});
        service.server.post("/api/settings/ai-keys", &key).is(201);
    }
    for provider in ["openai", "anthropic", "google"] {
        let took = test(provider, &json!({})).is(200).json();
        assert_eq!(took["ok"], true, "{took}");
        for (model, status, code) in [
            ("busy", 429, "AI_RATE_LIMITED"),
            ("locked", 502, "AI_AUTH_ERROR"),
            ("gone", 404, "AI_MODEL_NOT_FOUND"),
            ("broken", 503, "AI_PROVIDER_ERROR"),
            ("loaded", 503, "AI_PROVIDER_ERROR"),
            ("behind", 503, "AI_PROVIDER_ERROR"),
            ("filtered", 503, "AI_PROVIDER_ERROR"),
            ("page", 503, "AI_INVALID_RESPONSE"),
            ("half", 503, "AI_INVALID_RESPONSE"),
            ("cut", 503, "AI_NETWORK_ERROR"),
        ] {
            let refused = test(provider, &json!({"model": format!("{provider}/{model}")}));
            let refused = refused.refuses(status, code);
            let told = refused.json();
            assert_eq!(refused.header("request-id"), told["requestId"].as_str(), "{told}");
            assert!(!refused.body.contains(KEY) && !refused.body.contains("127.0.0.1"), "{told}");
            if model == "busy" {
                assert_eq!(refused.header("retry-after"), Some("7"), "{refused:?}");
            }
        }
    }
    test("openai", &json!({"model": "spent"})).refuses(429, "AI_RATE_LIMITED");
    test("xai", &json!({})).refuses(503, "AI_NETWORK_ERROR");
    // A provider that is none, a model of another provider, and a member that is none.
    test("nobody", &json!({})).refuses(400, "VALIDATION_ERROR");
    test("openai", &json!({"model": "google/x"})).refuses(400, "VALIDATION_ERROR");
    test("openai", &json!({"key": KEY})).refuses(400, "VALIDATION_ERROR");
}
