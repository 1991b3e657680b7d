//! What must not work: guessing, forging, fixing, taking over.

use consign_accounts::{Role, UserId};
use consign_server::{Options, Wire, route_table};
use serde_json::{Value, json};

use crate::account_world::{AccountWorld, PASSWORD};

#[tokio::test]
async fn passwords_cannot_be_guessed_for_long() {
    let world = AccountWorld::new().await;
    world.accounts.add_user("anna@example.com", PASSWORD, Role::Member).await.unwrap();
    let body = json!({"email": "anna@example.com", "password": "wrong wrong"});
    for _ in 0..10 {
        world.post("/auth/login", &body).await.is(401, "INVALID_CREDENTIALS");
    }
    // Neither for the wrong password nor for the right one, until the time has passed.
    for password in ["wrong wrong", PASSWORD] {
        let answer = world
            .post("/auth/login", &json!({"email": "anna@example.com", "password": password}))
            .await;
        answer.is(429, "RATE_LIMITED");
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=900).contains(&seconds), "{seconds}");
    }
    // One address may try thirty times in all, whatever the accounts.
    for number in 0..20 {
        let body = json!({"email": format!("user{number}@example.com"), "password": "wrong wrong"});
        let answer = world.post("/auth/login", &body).await;
        assert!(answer.status == 404 || answer.status == 401, "{}", answer.text);
    }
    let body = json!({"email": "another@example.com", "password": "wrong wrong"});
    world.post("/auth/login", &body).await.is(429, "RATE_LIMITED");
}

#[tokio::test]
async fn forty_guesses_at_once_are_ten() {
    let world = AccountWorld::new().await;
    world.accounts.add_user("anna@example.com", PASSWORD, Role::Member).await.unwrap();
    let body = json!({"email": "anna@example.com", "password": "wrong wrong"});
    let tries = (0..25).map(|_| world.post("/auth/login", &body));
    let answers = futures_util::future::join_all(tries).await;
    let looked_at = answers.iter().filter(|answer| answer.status == 401).count();
    assert_eq!(looked_at, 10);
    assert!(answers.iter().all(|answer| answer.status == 401 || answer.status == 429));
}

#[tokio::test]
async fn a_code_cannot_be_guessed_from_many_addresses() {
    let options =
        Options { trusted_proxies: vec!["127.0.0.1".parse().unwrap()], ..Options::default() };
    let world = AccountWorld::with(options, Wire::default(), false, None).await;
    world.post("/auth/signup", &json!({"email": "anna@example.com", "password": PASSWORD})).await;
    let code = world.code("anna@example.com");
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for number in 0..8 {
        let request = world
            .stranger("POST", "/auth/verify")
            .header("content-type", "application/json")
            .header("x-forwarded-for", format!("203.0.113.{number}"));
        let body = json!({"email": "anna@example.com", "code": wrong}).to_string();
        world.world.ask(request, body).await.is(400, "INVALID_CODE");
    }
    // After five wrong tries the code is dead, also for who has it.
    let right = json!({"email": "anna@example.com", "code": code});
    world.post("/auth/verify", &right).await.is(400, "INVALID_CODE");
    for _ in 0..2 {
        assert_eq!(
            world.post("/auth/resend", &json!({"email": "anna@example.com"})).await.status,
            200
        );
    }
    world.post("/auth/resend", &json!({"email": "anna@example.com"})).await.is(429, "RATE_LIMITED");
    assert_eq!(world.mailed("anna@example.com"), 3);
}

#[tokio::test]
async fn a_forged_forwarded_address_does_not_make_another_client() {
    let world = AccountWorld::new().await;
    let mut last = 0;
    for number in 0..35 {
        let request = world
            .stranger("POST", "/auth/login")
            .header("content-type", "application/json")
            .header("x-forwarded-for", format!("203.0.113.{number}"));
        let body = json!({"email": format!("user{number}@example.com"), "password": "wrong wrong"});
        last = world.world.ask(request, body.to_string()).await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn a_session_is_new_at_every_log_in() {
    let world = AccountWorld::new().await;
    world.accounts.add_user("anna@example.com", PASSWORD, Role::Member).await.unwrap();
    // A session that an attacker planted in the browser does not become the user's.
    let planted = "consign_session=cs_planted";
    let request = world
        .stranger("POST", "/auth/login")
        .header("content-type", "application/json")
        .header("cookie", planted);
    let body = json!({"email": "anna@example.com", "password": PASSWORD}).to_string();
    let answer = world.world.ask(request, body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.header("set-cookie").unwrap().contains("cs_planted"));
    let request = world.stranger("GET", "/auth/me").header("cookie", planted);
    world.world.ask(request, "").await.is(401, "UNAUTHORIZED");
    let (one, two) =
        (world.log_in("anna@example.com").await, world.log_in("anna@example.com").await);
    assert!(one.cookie != two.cookie && one.csrf != two.csrf);
}

#[tokio::test]
async fn a_change_by_cookie_wants_the_token_of_its_session() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let ben = world.user("ben@example.com").await;
    let mut changes = 0;
    for route in route_table().filter(|route| route.method != "GET" && !route.is_public) {
        let target =
            route.path.replace("{id}", "none").replace("{key}", "ask").replace("{name}", "none");
        let target = target.replace("{provider}", "openai").replace("{type}", "trace");
        for csrf in [None, Some(""), Some("wrong"), Some(ben.csrf.as_str())] {
            let mut request = world
                .stranger(route.method, &target)
                .header("cookie", &anna.cookie)
                .header("content-type", "application/json");
            if let Some(csrf) = csrf {
                request = request.header("x-csrf-token", csrf);
            }
            let answer = world.world.ask(request, "{}").await;
            assert_eq!((answer.status, answer.code()), (403, "FORBIDDEN".to_owned()), "{route:?}");
        }
        changes += 1;
    }
    assert!(changes > 30, "{changes}");
    // A page of another site is refused before that.
    let request =
        world.as_user(&anna, "POST", "/auth/logout").header("origin", "https://evil.example");
    world.world.ask(request, "").await.is(403, "FORBIDDEN");
    assert_eq!(world.ask(&anna, "GET", "/auth/me", &Value::Null).await.status, 200);
}

#[tokio::test]
async fn credentials_in_an_address_are_none() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let token = world.token(&anna, None).await;
    let session = anna.cookie.split_once('=').unwrap().1;
    for query in [
        format!("token={token}"),
        format!("access_token={token}"),
        format!("consign_session={session}"),
        format!("authorization=Bearer%20{token}"),
    ] {
        let request = world.stranger("GET", &format!("/auth/me?{query}"));
        world.world.ask(request, "").await.is(401, "UNAUTHORIZED");
    }
    // A session is no token, and a token is no session.
    world.with_token(session, "GET", "/auth/me", &Value::Null).await.is(401, "UNAUTHORIZED");
    let request =
        world.stranger("GET", "/auth/me").header("cookie", format!("consign_session={token}"));
    world.world.ask(request, "").await.is(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_discreet_server_answers_alike_for_known_and_unknown_addresses() {
    let world = AccountWorld::discreet().await;
    world.accounts.add_user("admin@example.com", PASSWORD, Role::Member).await.unwrap();
    let known = world.accounts.add_user("anna@example.com", PASSWORD, Role::Member).await.unwrap();
    world.accounts.add_user("ben@example.com", PASSWORD, Role::Member).await.unwrap();
    world.accounts.set_disabled(&known.id, true).await.unwrap();
    for (target, more) in [
        ("/auth/signup", json!({"password": "another one"})),
        ("/auth/resend", json!({})),
        ("/auth/reset", json!({})),
        ("/auth/login", json!({"password": "another one"})),
        ("/auth/verify", json!({"code": "123456"})),
    ] {
        let mut seen = Vec::new();
        for email in ["anna@example.com", "ben@example.com", "nobody@example.com"] {
            let mut body = more.clone();
            body["email"] = json!(email);
            let answer = world.post(target, &body).await;
            let shape = answer.text.replace(email, "EMAIL");
            let code = (answer.status >= 400).then(|| answer.code());
            seen.push((answer.status, code, shape.len()));
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{target}: {seen:?}");
    }
}

#[tokio::test]
async fn nothing_that_is_not_public_answers_a_stranger() {
    let world = AccountWorld::new().await;
    world.accounts.add_user("admin@example.com", PASSWORD, Role::Member).await.unwrap();
    let public: Vec<_> =
        route_table().filter(|route| route.is_public).map(|route| route.path).collect();
    let known = [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/auth/signup",
        "/auth/verify",
        "/auth/resend",
        "/auth/login",
        "/auth/reset",
        "/auth/setup",
        "/auth/setup",
        "/auth/oauth/{provider}",
        "/auth/oauth/{provider}/callback",
    ];
    assert_eq!(public, known);
    for route in route_table().filter(|route| !route.is_public) {
        let request = world.stranger(route.method, &route.path.replace(['{', '}', '*'], "x"));
        let request = request.header("content-type", "application/json");
        world.world.ask(request, "{}").await.is(401, "UNAUTHORIZED");
    }
    let request = world.stranger("GET", "/nowhere");
    world.world.ask(request, "").await.is(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn signing_in_elsewhere_is_refused_where_it_is_not_set_up() {
    let world = AccountWorld::new().await;
    for target in ["/auth/oauth/github", "/auth/oauth/google/callback?code=1&state=2"] {
        let request = world.stranger("GET", target);
        world.world.ask(request, "").await.is(503, "OAUTH_NOT_CONFIGURED");
    }
    let request = world.stranger("GET", "/auth/oauth/myspace");
    world.world.ask(request, "").await.is(400, "INVALID_PROVIDER");
    assert!(UserId::from_word("x").is_none());
}

#[tokio::test]
async fn the_first_user_does_not_come_through_a_proxy() {
    let world = AccountWorld::new().await;
    let body = json!({"email": "eve@example.com", "password": PASSWORD}).to_string();
    for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        let request = world
            .stranger("POST", "/auth/signup")
            .header("content-type", "application/json")
            .header(header, "203.0.113.9");
        world.world.ask(request, body.clone()).await.is(403, "FORBIDDEN");
    }
    assert!(!world.accounts.has_users().await.unwrap());
}

#[tokio::test]
async fn strangers_whose_bodies_never_end_keep_no_place() {
    use tokio::io::AsyncWriteExt;
    let options = Options { max_requests: 2, max_sign_ins: 2, ..Options::default() };
    let world = AccountWorld::with(options, Wire::default(), false, None).await;
    let anna = world.user("anna@example.com").await;
    let mut held = Vec::new();
    for target in [
        "/auth/verify",
        "/auth/verify",
        "/auth/verify",
        "/auth/login",
        "/auth/login",
        "/auth/login",
    ] {
        let mut stream = tokio::net::TcpStream::connect(world.world.address).await.unwrap();
        let head = format!(
            "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        held.push(stream);
    }
    assert_eq!(world.ask(&anna, "GET", "/auth/me", &Value::Null).await.status, 200);
    world.log_in("anna@example.com").await;
    drop(held);
    let large = json!({"email": "anna@example.com", "password": "x".repeat(20 << 10)});
    world.post("/auth/login", &large).await.is(413, "BODY_TOO_LARGE");
}

#[tokio::test]
async fn a_stream_ends_with_the_credentials_that_opened_it() {
    let options = Options {
        keep_alive: std::time::Duration::from_millis(50),
        max_streams_per_user: 2,
        ..Options::default()
    };
    let world = AccountWorld::with(options, Wire::default(), false, None).await;
    let anna = world.user("anna@example.com").await;
    let body = json!({"workflow": "agent/call", "input": {"agent": "outside", "input": 1}});
    let started = world.ask(&anna, "POST", "/api/runs", &body).await;
    let run = started.json()["id"].as_str().unwrap().to_owned();
    world.world.until_waiting(&run).await;
    let target = format!("/api/runs/{run}/events");
    let open = async || {
        let request = world.as_user(&anna, "GET", &target).header("accept", "text/event-stream");
        let request = request.body(http_body_util::Full::default()).unwrap();
        crate::client::Events::of(world.world.address, request).await
    };
    let (mut one, _two) = (open().await, open().await);
    assert_eq!(one.status, 200);
    assert!(one.next().await.is_some());
    // One user cannot take all streams of the server.
    assert_eq!(open().await.status, 503);
    assert_eq!(world.ask(&anna, "POST", "/auth/logout", &Value::Null).await.status, 204);
    while one.any().await.is_some() {}
}

#[tokio::test]
async fn an_answer_inside_an_envelope_wants_the_scope_for_answers() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let (runs, both) =
        (world.token(&anna, Some("runs")).await, world.token(&anna, Some("runs answer")).await);
    for body in [
        json!({"do": "", "clarification_response": "yes"}),
        json!({"do": "", "confirmation_response": true}),
    ] {
        world.with_token(&runs, "POST", "/api/v1/process", &body).await.is(403, "FORBIDDEN");
        assert_eq!(world.with_token(&both, "POST", "/api/v1/process", &body).await.status, 200);
    }
    let plain = json!({"do": "", "clarification_response": null});
    assert_eq!(world.with_token(&runs, "POST", "/api/v1/process", &plain).await.status, 200);
}

#[tokio::test]
async fn no_request_names_a_file_of_the_server() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    let file = world.world.home.path().join("written");
    let input = json!({"file": file.to_str().unwrap(), "sleep_ms": 0});
    for workflow in ["agent/call", "agent/map"] {
        let body = json!({"workflow": workflow, "input": {"agent": "sample/append.pure", "input": input, "inputs": [input]}});
        world.ask(&anna, "POST", "/api/runs", &body).await.is(400, "VALIDATION_ERROR");
    }
    world
        .ask(&anna, "POST", "/api/runs", &json!({"workflow": "sample/effects", "input": input}))
        .await
        .is(400, "VALIDATION_ERROR");
    assert!(!file.exists());
    let body = json!({"model": "replay:/etc/passwd"});
    world.ask(&anna, "PUT", "/api/settings/agents/trace", &body).await.is(400, "MODEL_NOT_ALLOWED");
}
