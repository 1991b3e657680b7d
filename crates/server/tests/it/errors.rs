//! Who is let in, and what there is.

use hyper::Request;

use crate::world::World;

#[tokio::test]
async fn whoever_has_no_token_is_told_nothing() {
    let world = World::new().await;
    for target in ["/api/runs", "/api/inbox", "/api/v1/process", "/nowhere", "/", "/healthz/"] {
        let request = Request::builder().uri(target).header("host", "localhost");
        let answer = world.ask(request, "").await;
        answer.is(401, "UNAUTHORIZED");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"consign\""));
    }
    for wrong in ["Bearer wrong", "Basic dXNlcjpwYXNz", "Bearer", "Bearer "] {
        let request = Request::builder()
            .uri("/api/runs")
            .header("host", "localhost")
            .header("authorization", wrong);
        let answer = world.ask(request, "").await;
        answer.is(401, "UNAUTHORIZED");
        assert!(answer.header("www-authenticate").unwrap().contains("invalid_token"));
        assert!(!answer.text.contains(world.token.reveal()));
    }
    // Nor does a token in the address help: addresses are logged.
    let token = world.token.reveal();
    let request =
        Request::builder().uri(format!("/api/runs?token={token}")).header("host", "localhost");
    world.ask(request, "").await.is(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn whoever_means_another_host_is_turned_away() {
    let world = World::new().await;
    for host in
        ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", "a b"]
    {
        for target in ["/api/runs", "/healthz", "/openapi.json"] {
            let request = Request::builder()
                .uri(target)
                .header("host", host)
                .header("authorization", format!("Bearer {}", world.token.reveal()));
            world.ask(request, "").await.is(421, "MISDIRECTED");
        }
    }
}

#[tokio::test]
async fn an_allowed_host_is_ours_too() {
    let options = consign_server::Options {
        allowed_hosts: vec!["consign.example".to_owned()],
        ..consign_server::Options::default()
    };
    let world = World::with(options, consign_server::Wire::default()).await;
    let request = Request::builder().uri("/healthz").header("host", "Consign.example:443");
    assert_eq!(world.ask(request, "").await.status, 200);
}

#[tokio::test]
async fn a_page_of_another_site_is_refused() {
    let world = World::new().await;
    let host = world.address.to_string();
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1"] {
        let request = world.request("GET", "/api/runs").header("origin", origin);
        world.ask(request, "").await.is(403, "FORBIDDEN");
    }
    let own = world.request("GET", "/api/runs").header("origin", format!("http://{host}"));
    assert_eq!(world.ask(own, "").await.status, 200);
    let asked_before = world
        .request("OPTIONS", "/api/runs")
        .header("origin", "http://evil.example")
        .header("access-control-request-method", "POST");
    world.ask(asked_before, "").await.is(403, "FORBIDDEN");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let world = World::new().await;
    for target in [
        "/",
        "/nowhere",
        "/api",
        "/api/runs/",
        "//api/runs",
        "/API/runs",
        "/api/runs/a/b",
        "/api/../healthz",
        "/api/v1/process/x",
    ] {
        world.get(target).await.is(404, "NOT_FOUND");
    }
    for id in [
        "nobody",
        "..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "%00",
        "a%00b",
        "a%20b",
        "%25",
        "%27%20OR%201=1--",
        "%F0%9F%90%88",
    ] {
        world.get(&format!("/api/runs/{id}")).await.is(404, "RUN_NOT_FOUND");
    }
    for id in ["%ff", "%c3%28", "%ed%a0%80"] {
        world.get(&format!("/api/runs/{id}")).await.is(400, "VALIDATION_ERROR");
    }
    world.get("/api/runs/nobody?x=1").await.is(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn other_methods_are_not_allowed() {
    let world = World::new().await;
    for method in ["DELETE", "PUT", "PATCH", "TRACE", "BREW"] {
        let answer = world.ask(world.request(method, "/api/runs"), "").await;
        answer.is(405, "METHOD_NOT_ALLOWED");
        let allowed = answer.header("allow").unwrap();
        assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
    }
}
