//! What users set: keys of AI providers, and the model and the defaults of agents.

use serde_json::{Value, json};

use crate::{account_world::AccountWorld, world::World};

const KEYS: &str = "/api/settings/ai-keys";
const KEY: &str = "sk-test-51Hc9-do-not-print";

async fn sealed() -> AccountWorld {
    let world = AccountWorld::new().await;
    world.world.opened.models.keys().init().await.unwrap();
    world
}

#[tokio::test]
async fn a_key_is_kept_listed_replaced_and_removed_and_never_shown() {
    let world = sealed().await;
    let anna = world.user("anna@example.com").await;
    let body = json!({"provider": "openai", "key": KEY});
    let added = world.ask(&anna, "POST", KEYS, &body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let mut names: Vec<_> = added.json().as_object().unwrap().keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["createdAt", "fingerprint", "provider"]);
    world.ask(&anna, "POST", KEYS, &body).await.is(409, "DUPLICATE_KEY");
    let listed = world.ask(&anna, "GET", KEYS, &Value::Null).await;
    assert_eq!(listed.json(), json!({"items": [added.json()]}));

    let target = format!("{KEYS}/openai");
    let replaced = world.ask(&anna, "PUT", &target, &json!({"key": "sk-another"})).await;
    assert_eq!((replaced.status, &replaced.json()["provider"]), (200, &json!("openai")));
    assert_ne!(replaced.json()["fingerprint"], added.json()["fingerprint"]);
    assert!(!format!("{}{}{}", added.text, listed.text, replaced.text).contains("sk-"));

    assert_eq!(world.ask(&anna, "DELETE", &target, &Value::Null).await.status, 204);
    world.ask(&anna, "DELETE", &target, &Value::Null).await.is(404, "KEY_NOT_FOUND");
    let listed = world.ask(&anna, "GET", KEYS, &Value::Null).await;
    assert_eq!(listed.json(), json!({"items": []}));
}

#[tokio::test]
async fn a_server_without_a_sealing_key_says_so_and_makes_none() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let body = json!({"provider": "openai", "key": KEY});
    let refused = world.ask(&anna, "POST", KEYS, &body).await;
    refused.is(503, "ENCRYPTION_NOT_CONFIGURED");
    let folder = world.world.home.path().display().to_string();
    assert!(!refused.text.contains(KEY) && !refused.text.contains(&folder), "{}", refused.text);
    world
        .ask(&anna, "PUT", &format!("{KEYS}/openai"), &json!({"key": KEY}))
        .await
        .is(503, "ENCRYPTION_NOT_CONFIGURED");
    assert!(!world.world.home.path().join("sealing.key").exists());
    assert_eq!(world.ask(&anna, "GET", KEYS, &Value::Null).await.json(), json!({"items": []}));
}

#[tokio::test]
async fn what_is_wrong_with_a_key_is_told_without_the_key() {
    let world = sealed().await;
    let anna = world.user("anna@example.com").await;
    let secret = format!("{KEY} with spaces");
    for (body, pointer) in [
        (json!({"provider": "nobody", "key": KEY}), "/provider"),
        (json!({"provider": KEY, "key": "openai"}), "/provider"),
        (json!({"provider": "openai", "key": secret}), "/key"),
        (json!({"provider": "openai", "key": ""}), "/key"),
        (json!({"provider": "openai", "key": [KEY]}), "/key"),
        (json!({"provider": "openai", "key": KEY, "owner": "user:other"}), ""),
        (json!({"provider": "openai"}), ""),
    ] {
        let refused = world.ask(&anna, "POST", KEYS, &body).await;
        refused.is(400, "VALIDATION_ERROR");
        assert!(!refused.text.contains(KEY), "{}", refused.text);
        assert_eq!(refused.json()["error"]["details"]["breaches"][0]["pointer"], pointer, "{body}");
    }
    for (method, target) in [
        ("PUT", format!("{KEYS}/github")),
        ("DELETE", format!("{KEYS}/github")),
        ("POST", format!("{KEYS}/github/test")),
    ] {
        let refused = world.ask(&anna, method, &target, &json!({"key": KEY})).await;
        refused.is(400, "VALIDATION_ERROR");
        assert!(!refused.text.contains(KEY));
    }
    assert!(world.world.incidents.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_test_of_a_key_answers_with_the_codes_of_the_document() {
    let world = sealed().await;
    let anna = world.user("anna@example.com").await;
    let test = async |provider: &str, body: Value| {
        world.ask(&anna, "POST", &format!("{KEYS}/{provider}/test"), &body).await
    };
    test("openai", Value::Null).await.is(412, "AI_KEY_MISSING");
    // It needs an address, and this server has none for it.
    world.ask(&anna, "POST", KEYS, &json!({"provider": "compatible", "key": KEY})).await;
    let refused = test("compatible", json!({"model": "x"})).await;
    refused.is(503, "AI_PROVIDER_ERROR");
    assert!(!refused.text.contains(KEY), "{}", refused.text);
    test("compatible", Value::Null).await.is(400, "VALIDATION_ERROR");
    test("compatible", json!({"model": "openai/gpt-5-mini"})).await.is(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn settings_are_each_users_own_and_not_for_scoped_tokens() {
    let world = sealed().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    world.ask(&anna, "POST", KEYS, &json!({"provider": "openai", "key": KEY})).await;
    let agent = "/api/settings/agents/trace";
    world
        .ask(&anna, "PUT", agent, &json!({"model": "bridge", "defaults": {"owner": "anna"}}))
        .await;
    assert_eq!(world.ask(&ben, "GET", KEYS, &Value::Null).await.json(), json!({"items": []}));
    let bens = world.ask(&ben, "GET", agent, &Value::Null).await.json();
    assert_eq!((&bens["model"], &bens["defaults"]), (&Value::Null, &json!({})));
    world
        .ask(&ben, "DELETE", &format!("{KEYS}/openai"), &Value::Null)
        .await
        .is(404, "KEY_NOT_FOUND");
    world
        .ask(&ben, "POST", &format!("{KEYS}/openai/test"), &Value::Null)
        .await
        .is(412, "AI_KEY_MISSING");

    let whole = world.token(&anna, None).await;
    let listed = world.with_token(&whole, "GET", KEYS, &Value::Null).await;
    assert_eq!(listed.json()["items"].as_array().unwrap().len(), 1);
    let scoped = world.token(&anna, Some("runs jobs answer admin")).await;
    for (method, target) in [("GET", KEYS), ("GET", agent), ("PUT", agent)] {
        world.with_token(&scoped, method, target, &json!({})).await.is(403, "FORBIDDEN");
    }
    let stranger = world.stranger("GET", KEYS);
    world.world.ask(stranger, "").await.is(401, "UNAUTHORIZED");
    let forged = world.stranger("PUT", agent).header("cookie", &anna.cookie);
    let forged = forged.header("content-type", "application/json");
    world.world.ask(forged, "{}").await.is(403, "FORBIDDEN");
}

#[tokio::test]
async fn an_agent_has_a_model_of_the_policy_and_a_part_of_its_payload() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let put = async |agent: &str, body: Value| {
        world.ask(&anna, "PUT", &format!("/api/settings/agents/{agent}"), &body).await
    };
    let set = put("scribe", json!({"model": "gpt-5-mini", "defaults": {"docPack": "full"}})).await;
    assert_eq!(set.status, 200, "{}", set.text);
    let expected = json!({
        "type": "scribe",
        "model": "gpt-5-mini",
        "defaults": {"docPack": "full"},
        "allowedModels": ["openai/gpt-5-mini", "openai/gpt-4o-mini", "openai/gpt-5.2"],
    });
    assert_eq!(set.json(), expected);
    let got = world.ask(&anna, "GET", "/api/settings/agents/scribe", &Value::Null).await;
    assert_eq!(got.json(), expected);
    let refused = put("scribe", json!({"model": "gpt-3.5-turbo"})).await;
    refused.is(400, "MODEL_NOT_ALLOWED");
    assert_eq!(refused.json()["error"]["details"]["allowed"], expected["allowedModels"]);
    for (agent, body, pointer) in [
        ("scribe", json!({"defaults": {"docPack": "huge"}}), "/defaults/docPack"),
        ("trace", json!({"defaults": {"docPack": "full"}}), "/defaults"),
        ("proto", json!({"defaults": []}), "/defaults"),
        ("proto", json!({"owner": "user:other"}), ""),
        ("painter", json!({}), "/type"),
    ] {
        let refused = put(agent, body).await;
        refused.is(400, "VALIDATION_ERROR");
        let told = refused.json()["error"]["details"]["breaches"][0]["pointer"].clone();
        assert_eq!(told, pointer, "{}", refused.text);
    }
    let unset = put("scribe", json!({"model": null})).await.json();
    assert_eq!((&unset["model"], &unset["defaults"]), (&Value::Null, &json!({})));
}

#[tokio::test]
async fn the_one_user_of_a_server_without_accounts_has_settings_too() {
    let world = World::new().await;
    world.opened.models.keys().init().await.unwrap();
    let added = world.post(KEYS, &json!({"provider": "xai", "key": "xai-1234"})).await;
    assert_eq!(added.status, 201, "{}", added.text);
    assert_eq!(world.get(KEYS).await.json()["items"][0]["provider"], "xai");
    let request = world.request("PUT", "/api/settings/agents/trace");
    let request = request.header("content-type", "application/json");
    assert_eq!(world.ask(request, r#"{"model": "rules"}"#).await.status, 200);
    let owner = consign_engine::Owner::from("local");
    let trace = consign_app::settings::agents::AgentType::Trace;
    let settings = consign_app::settings::for_job(&world.opened, &owner, trace).await.unwrap();
    assert_eq!(settings.model.as_deref(), Some("rules"));
}

const GITHUB: &str = "/api/settings/github";
const TOKEN: &str = "ghp_do-not-print-51Hc9";

#[tokio::test]
async fn a_token_for_github_is_kept_shown_by_its_fingerprint_and_removed() {
    let world = sealed().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let nothing = json!({"connected": false, "createdAt": null, "fingerprint": null});
    assert_eq!(world.ask(&anna, "GET", GITHUB, &Value::Null).await.json(), nothing);
    let set = world.ask(&anna, "PUT", GITHUB, &json!({"token": TOKEN})).await;
    assert_eq!((set.status, &set.json()["connected"]), (200, &json!(true)), "{}", set.text);
    let mut names: Vec<_> = set.json().as_object().unwrap().keys().cloned().collect();
    names.sort();
    assert_eq!(names, ["connected", "createdAt", "fingerprint"]);
    let shown = world.ask(&anna, "GET", GITHUB, &Value::Null).await;
    assert_eq!(shown.json(), set.json());
    assert_eq!(world.ask(&ben, "GET", GITHUB, &Value::Null).await.json(), nothing);
    world.ask(&ben, "DELETE", GITHUB, &Value::Null).await.is(404, "KEY_NOT_FOUND");

    let other = world.ask(&anna, "PUT", GITHUB, &json!({"token": "ghp_another"})).await;
    assert_ne!(other.json()["fingerprint"], set.json()["fingerprint"]);
    assert!(!format!("{}{}{}", set.text, shown.text, other.text).contains("ghp_"));
    // It is no key of a provider.
    assert_eq!(world.ask(&anna, "GET", KEYS, &Value::Null).await.json(), json!({"items": []}));
    assert_eq!(world.ask(&anna, "DELETE", GITHUB, &Value::Null).await.status, 204);
    world.ask(&anna, "DELETE", GITHUB, &Value::Null).await.is(404, "KEY_NOT_FOUND");
    assert_eq!(world.ask(&anna, "GET", GITHUB, &Value::Null).await.json(), nothing);
}

#[tokio::test]
async fn what_is_wrong_with_a_token_for_github_is_told_without_the_token() {
    let world = sealed().await;
    let anna = world.user("anna@example.com").await;
    for (body, pointer) in [
        (json!({"token": format!("{TOKEN} with spaces")}), "/token"),
        (json!({"token": [TOKEN]}), "/token"),
        (json!({"token": ""}), "/token"),
        (json!({"token": TOKEN, "url": "https://github.example.com"}), ""),
        (json!({"apiUrl": "http://127.0.0.1:1"}), ""),
    ] {
        let refused = world.ask(&anna, "PUT", GITHUB, &body).await;
        refused.is(400, "VALIDATION_ERROR");
        assert!(!refused.text.contains(TOKEN), "{}", refused.text);
        assert_eq!(refused.json()["error"]["details"]["breaches"][0]["pointer"], pointer, "{body}");
    }
    let scoped = world.token(&anna, Some("runs jobs answer admin")).await;
    for method in ["GET", "PUT", "DELETE"] {
        let refused = world.with_token(&scoped, method, GITHUB, &json!({"token": TOKEN})).await;
        refused.is(403, "FORBIDDEN");
    }
    let other = AccountWorld::new().await;
    let ben = other.user("ben@example.com").await;
    let refused = other.ask(&ben, "PUT", GITHUB, &json!({"token": TOKEN})).await;
    refused.is(503, "ENCRYPTION_NOT_CONFIGURED");
    assert!(!refused.text.contains(TOKEN));
}
