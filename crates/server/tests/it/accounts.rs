//! Signing up, logging in and out, passwords, tokens and users.

use consign_accounts::Role;
use serde_json::{Value, json};

use crate::account_world::{AccountWorld, LoggedIn, PASSWORD};

#[tokio::test]
async fn a_user_signs_up_verifies_and_logs_in() {
    let world = AccountWorld::new().await;
    let anna = json!({"email": "Anna@example.com", "password": PASSWORD});
    let made = world.post("/auth/signup", &anna).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.json()["email"], "Anna@example.com");
    world.post("/auth/login", &anna).await.is(403, "EMAIL_NOT_VERIFIED");
    let code = world.code("anna@example.com");
    assert!(code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit()), "{code}");
    let wrong = if code == "000000" { "000001" } else { "000000" };
    world
        .post("/auth/verify", &json!({"email": "anna@example.com", "code": wrong}))
        .await
        .is(400, "INVALID_CODE");
    let verified =
        world.post("/auth/verify", &json!({"email": "ANNA@example.com", "code": code})).await;
    assert_eq!((verified.status, verified.json()), (200, json!({"verified": true})));
    let again =
        world.post("/auth/verify", &json!({"email": "anna@example.com", "code": code})).await;
    again.is(403, "ALREADY_VERIFIED");
    let answer = world
        .post("/auth/login", &json!({"email": "anna@EXAMPLE.com", "password": PASSWORD}))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["consign_session=cs_", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let user = LoggedIn::of(&answer);
    // The first user of all is an admin.
    assert_eq!(answer.json()["user"]["role"], "admin");
    let me = world.ask(&user, "GET", "/auth/me", &Value::Null).await.json();
    assert_eq!(
        me,
        json!({"id": user.id, "email": "Anna@example.com", "role": "admin", "csrfToken": user.csrf})
    );
    let out = world.ask(&user, "POST", "/auth/logout", &Value::Null).await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    world.ask(&user, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn addresses_and_passwords_are_refused_with_what_is_wrong() {
    let world = AccountWorld::new().await;
    let check = async |body: Value, pointer: &str| {
        let answer = world.post("/auth/signup", &body).await;
        answer.is(400, "VALIDATION_ERROR");
        let told = answer.json()["error"]["details"]["breaches"][0]["pointer"].clone();
        assert_eq!(told, pointer, "{body} {}", answer.text);
    };
    check(json!({"email": "anna@example.com", "password": "short"}), "/password").await;
    check(json!({"email": "no address", "password": PASSWORD}), "/email").await;
    check(json!({"email": "anna@example.com"}), "").await;
    // Nothing of an account can be set that is not the user's to set.
    for more in ["role", "verified", "owner", "id", "is_verified"] {
        let mut body = json!({"email": "anna@example.com", "password": PASSWORD});
        body[more] = json!("admin");
        check(body, "").await;
    }
    assert!(!world.accounts.has_users().await.unwrap());
    world.accounts.add_user("ben@example.com", PASSWORD, Role::Member).await.unwrap();
    let taken = world
        .post("/auth/signup", &json!({"email": "Ben@Example.com", "password": PASSWORD}))
        .await;
    taken.is(409, "EMAIL_IN_USE");
}

#[tokio::test]
async fn a_password_is_changed_and_reset_and_other_sessions_end() {
    let world = AccountWorld::new().await;
    let here = world.user("anna@example.com").await;
    let there = world.log_in("anna@example.com").await;
    let change = |current: &str, new: &str| json!({"currentPassword": current, "newPassword": new});
    world
        .ask(&here, "POST", "/auth/password", &change("wrong wrong", "another one"))
        .await
        .is(401, "INVALID_CREDENTIALS");
    let changed =
        world.ask(&here, "POST", "/auth/password", &change(PASSWORD, "another one")).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    assert_eq!(world.ask(&here, "GET", "/auth/me", &Value::Null).await.status, 200);
    world.ask(&there, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");

    world
        .post("/auth/reset", &json!({"email": "nobody@example.com"}))
        .await
        .is(404, "USER_NOT_FOUND");
    assert_eq!(world.post("/auth/reset", &json!({"email": "anna@example.com"})).await.status, 204);
    let code = world.code("anna@example.com");
    let half = world.post("/auth/reset", &json!({"email": "anna@example.com", "code": code})).await;
    half.is(400, "VALIDATION_ERROR");
    let set = json!({"email": "anna@example.com", "code": code, "newPassword": PASSWORD});
    assert_eq!(world.post("/auth/reset", &set).await.status, 204);
    world.post("/auth/reset", &set).await.is(400, "INVALID_CODE");
    world.ask(&here, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
    world.log_in("anna@example.com").await;
}

#[tokio::test]
async fn the_first_user_is_made_by_the_printed_link_and_only_once() {
    let world = AccountWorld::new().await;
    let page = world.world.ask(world.stranger("GET", "/auth/setup"), "").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'sha256-"));
    let token = world.accounts.setup_token().await.unwrap().unwrap();
    let body =
        |token: &str, email: &str| json!({"token": token, "email": email, "password": PASSWORD});
    let wrong = world.post("/auth/setup", &body("cu_wrong", "eve@example.com")).await;
    assert!(wrong.status == 403 || wrong.status == 401, "{}", wrong.text);
    let made = world.post("/auth/setup", &body(token.reveal(), "anna@example.com")).await;
    assert_eq!(
        (made.status, made.json()["user"]["role"].clone()),
        (200, json!("admin")),
        "{}",
        made.text
    );
    let twice = world.post("/auth/setup", &body(token.reveal(), "eve@example.com")).await;
    assert!(twice.status == 403 || twice.status == 401 || twice.status == 409, "{}", twice.text);
    assert_eq!(world.accounts.users().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_token_does_what_its_scopes_say_and_nothing_else() {
    let world = AccountWorld::new().await;
    let admin = world.user("admin@example.com").await;
    let anna = world.user("anna@example.com").await;
    let made =
        world.ask(&anna, "POST", "/api/tokens", &json!({"name": "ci", "scopes": ["jobs"]})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (id, jobs) = (made.json()["id"].clone(), made.json()["token"].as_str().unwrap().to_owned());
    let whole = world.token(&anna, None).await;
    let runs = world.token(&anna, Some("runs")).await;
    let root = world.token(&admin, Some("admin")).await;
    let check = async |token: &str, method: &str, target: &str, body: Value, may: bool| {
        let answer = world.with_token(token, method, target, &body).await;
        let told = format!("{method} {target}: {} {}", answer.status, answer.text);
        assert_eq!(answer.status != 403, may, "{told}");
        assert!(answer.status != 401 || answer.code() == "INVALID_CREDENTIALS", "{told}");
    };
    for (token, may_jobs, may_runs, is_whole) in [
        (&jobs, true, false, false),
        (&runs, false, true, false),
        (&whole, true, true, true),
        (&root, false, false, false),
    ] {
        check(token, "GET", "/api/agents/jobs", Value::Null, may_jobs).await;
        check(token, "GET", "/api/jobs", Value::Null, may_jobs).await;
        check(token, "GET", "/api/runs", Value::Null, may_runs).await;
        check(token, "GET", "/api/inbox", Value::Null, may_runs).await;
        check(token, "GET", "/api/tokens", Value::Null, is_whole).await;
        check(token, "GET", "/api/settings/ai-keys", Value::Null, is_whole).await;
        check(token, "GET", "/api/settings/github", Value::Null, is_whole).await;
        check(
            token,
            "POST",
            "/auth/password",
            json!({"currentPassword": "x", "newPassword": "12345678"}),
            is_whole,
        )
        .await;
        check(token, "POST", "/api/runs/none/answers/ask", json!({"value": 1}), is_whole).await;
        check(token, "GET", "/api/users", Value::Null, token == &root).await;
        check(token, "GET", "/auth/me", Value::Null, true).await;
    }
    // A member's token cannot be made an admin's.
    world
        .ask(&anna, "POST", "/api/tokens", &json!({"scopes": ["admin"]}))
        .await
        .is(403, "FORBIDDEN");
    let listed = world.ask(&anna, "GET", "/api/tokens", &Value::Null).await;
    assert!(!listed.text.contains(&jobs) && listed.text.contains("\"ci\""), "{}", listed.text);
    let target = format!("/api/tokens/{}", id.as_str().unwrap());
    world.ask(&admin, "DELETE", &target, &Value::Null).await.is(404, "NOT_FOUND");
    assert_eq!(world.ask(&anna, "DELETE", &target, &Value::Null).await.status, 204);
    world.with_token(&jobs, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn an_admin_disables_a_user_and_sees_nothing_of_their_work() {
    let world = AccountWorld::new().await;
    let admin = world.user("admin@example.com").await;
    let anna = world.user("anna@example.com").await;
    let token = world.token(&anna, None).await;
    world.ask(&anna, "GET", "/api/users", &Value::Null).await.is(403, "FORBIDDEN");
    let started = world.ask(&anna, "POST", "/api/runs", &json!({"workflow": "sample/steps"})).await;
    assert_eq!(started.status, 201, "{}", started.text);
    let run = started.json()["id"].as_str().unwrap().to_owned();
    world
        .ask(&admin, "GET", &format!("/api/runs/{run}"), &Value::Null)
        .await
        .is(404, "RUN_NOT_FOUND");
    let target = format!("/api/users/{}/disable", anna.id);
    let disabled = world.ask(&admin, "POST", &target, &Value::Null).await;
    assert_eq!(
        (disabled.status, disabled.json()["disabled"].clone()),
        (200, json!(true)),
        "{}",
        disabled.text
    );
    world.ask(&anna, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
    world.with_token(&token, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
    let login = json!({"email": "anna@example.com", "password": PASSWORD});
    world.post("/auth/login", &login).await.is(403, "USER_DISABLED");
    let wrong = json!({"email": "anna@example.com", "password": "wrong wrong"});
    world.post("/auth/login", &wrong).await.is(401, "INVALID_CREDENTIALS");
    let enabled =
        world.ask(&admin, "POST", &format!("/api/users/{}/enable", anna.id), &Value::Null).await;
    assert_eq!(enabled.status, 200);
    world.log_in("anna@example.com").await;
    world
        .ask(&admin, "POST", "/api/users/nobody/disable", &Value::Null)
        .await
        .is(404, "USER_NOT_FOUND");
    world
        .ask(&admin, "POST", &format!("/api/users/{}/disable", admin.id), &Value::Null)
        .await
        .is(409, "INVALID_STATE");
}

#[tokio::test]
async fn what_a_user_starts_is_theirs_and_names_them() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let owner = format!("user:{}", anna.id);
    let start = |owner: &str| json!({"workflow": "sample/steps", "owner": owner});
    let mine = world.ask(&anna, "POST", "/api/runs", &start(&owner)).await;
    assert_eq!((mine.status, mine.json()["owner"].clone()), (201, json!(owner)), "{}", mine.text);
    for other in ["local", "user:00000000-0000-4000-8000-000000000000"] {
        world.ask(&anna, "POST", "/api/runs", &start(other)).await.is(400, "VALIDATION_ERROR");
    }
    let run = mine.json()["id"].as_str().unwrap().to_owned();
    let events = world
        .as_user(&anna, "GET", &format!("/api/runs/{run}/events"))
        .header("accept", "application/json");
    let events = world.world.ask(events, "").await.json();
    assert_eq!(events["items"][0]["actor"], format!("http:{owner}"));
}
