//! Documents: sent, listed, shown, searched and removed; what is refused; and what is a user's own.

use std::fs;

use consign_engine::Role;
use consign_server::{Options, Wire};
use serde_json::{Value, json};

use crate::{
    account_world::AccountWorld,
    client::{self, Answer},
    mcp::Mcp,
    world::World,
};

const DOCUMENTS: &str = "/api/documents";
const BOUNDARY: &str = "a-line-between";
const SECRET: &str = "mdp-51Hc9-do-not-print";

/// A part of a form: its name, the name of its file, and what it says.
pub(crate) type FormPart<'a> = (&'a str, Option<&'a str>, &'a [u8]);

pub(crate) fn form(parts: &[FormPart<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, said) in parts {
        let file = file.map_or_else(String::new, |file| format!("; filename=\"{file}\""));
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(said);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

pub(crate) fn media() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

async fn send(world: &World, parts: &[FormPart<'_>]) -> Answer {
    let request = world.request("POST", DOCUMENTS).header("content-type", media());
    world.ask(request, form(parts)).await
}

fn id_of(answer: &Answer, place: usize) -> String {
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["items"][place]["source_id"].as_str().unwrap().to_owned()
}

async fn search(world: &World, words: &str) -> Value {
    let query = json!({"query_text": words, "min_relevance_score": 0});
    let answer = world.post("/api/search", &query).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// What is left on the disk of what was sent.
fn left(world: &World) -> usize {
    fs::read_dir(world.home.path().join("uploads")).map_or(0, Iterator::count)
}

#[tokio::test]
async fn a_file_is_sent_listed_shown_searched_and_removed() {
    let world = World::new().await;
    let said = "# Notice\n\nThe notice period is ninety days. Ärger droht.\n";
    let facts = br#"{"year": 2025}"#;
    let sent = send(
        &world,
        &[
            ("collection", None, b"hr"),
            ("file", Some("handbook.md"), said.as_bytes()),
            ("file", Some("other.txt"), b"Lunch is at noon."),
            ("metadata", None, facts),
        ],
    )
    .await;
    let id = id_of(&sent, 0);
    let first = &sent.json()["items"][0];
    assert_eq!((&first["status"], &first["collection"]), (&json!("taken"), &json!("hr")));
    assert_eq!(
        (&first["source_identifier"], &first["error"]),
        (&json!("handbook.md"), &json!(null))
    );
    let home = world.home.path().display().to_string();
    assert!(!sent.text.contains(&home), "it tells where the server is: {}", sent.text);
    assert_eq!(left(&world), 0, "the run has removed what was sent to it");

    let listed = world.get("/api/documents?collection=hr&limit=1").await.json();
    assert_eq!(listed["items"][0]["source_identifier"], "handbook.md");
    let cursor = listed["cursor"].as_str().unwrap();
    let next = world.get(&format!("/api/documents?collection=hr&limit=1&cursor={cursor}")).await;
    assert_eq!(next.json()["items"][0]["source_identifier"], "other.txt");
    assert_eq!(next.json()["cursor"], Value::Null);
    assert_eq!(world.get("/api/documents?collection=x").await.json()["items"], json!([]));
    world.get("/api/documents?cursor=src_nothing").await.is(400, "VALIDATION_ERROR");

    let target = format!("{DOCUMENTS}/{id}");
    let shown = world.get(&target).await.json();
    assert_eq!((&shown["kind"], &shown["metadata"]["year"]), (&json!("markdown"), &json!(2025)));
    assert_eq!(shown.get("text"), None);
    let whole = world.get(&format!("{target}?text=true")).await.json();
    let text = whole["text"].as_str().unwrap().to_owned();
    assert!(text.contains("ninety days"), "{whole}");

    let found = search(&world, "notice period").await;
    let hit = &found["results"][0];
    assert_eq!((&hit["source_id"], &found["search"]["way"]), (&json!(id), &json!("text")));
    let (start, end) = (&hit["metadata"]["span"][0], &hit["metadata"]["span"][1]);
    let span = start.as_u64().unwrap() as usize..end.as_u64().unwrap() as usize;
    assert_eq!(hit["content"], text[span]);
    let part = world.get(&format!("{target}?text=true&start={start}&end={end}")).await.json();
    assert_eq!((&part["text"], &part["span"]), (&hit["content"], &json!([start, end])));
    let odd = text.find('Ä').unwrap() + 1;
    for query in [format!("start={odd}"), "start=2&end=1".to_owned(), "end=100000".to_owned()] {
        let refused = world.get(&format!("{target}?text=true&{query}")).await;
        refused.is(400, "VALIDATION_ERROR");
    }
    let elsewhere = json!({"query_text": "notice", "min_relevance_score": 0, "collection": "x"});
    assert_eq!(world.post("/api/search", &elsewhere).await.json()["results"], json!([]));

    let gone = world.ask(world.request("DELETE", &target), "").await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    world.get(&target).await.is(404, "NOT_FOUND");
    world.ask(world.request("DELETE", &target), "").await.is(404, "NOT_FOUND");
    let found = search(&world, "notice period").await;
    assert!(!found.to_string().contains("ninety"), "{found}");
}

#[tokio::test]
async fn the_same_file_is_unchanged_and_another_of_its_name_replaces_it() {
    let world = World::new().await;
    let first = id_of(&send(&world, &[("file", Some("a.txt"), b"one")]).await, 0);
    let again = send(&world, &[("file", Some("a.txt"), b"one")]).await;
    assert_eq!(again.json()["items"][0]["status"], "unchanged");
    assert!(!again.text.contains("fetched_as"), "{}", again.text);
    let other = send(&world, &[("file", Some("/tmp/x/a.txt"), b"two")]).await;
    assert_eq!(other.json()["items"][0]["status"], "replaced");
    assert_eq!(id_of(&other, 0), first);
}

#[tokio::test]
async fn what_cannot_be_read_is_told_as_an_agents_failure() {
    let world = World::new().await;
    let refused = send(&world, &[("file", Some("a.bin"), &[0, 159, 146, 150, 0, 1, 2, 3])]).await;
    refused.is(415, "ERR_PARSER_UNSUPPORTED");
    let details = refused.json()["error"]["details"].clone();
    assert_eq!((&details["agent_id"], &details["recoverable"]), (&json!("parser"), &json!(false)));
    assert!(details["timestamp"].is_string());
    // With others, it is one of them.
    let both = [("file", Some("a.bin"), &[0, 159, 146, 150, 0][..]), ("file", Some("a.txt"), b"x")];
    let sent = send(&world, &both).await.json();
    assert_eq!(sent["items"][0]["error"]["error_code"], "ERR_PARSER_UNSUPPORTED");
    assert_eq!(sent["items"][1]["status"], "taken");
    let missing = json!({"sources": [{"source_type": "gdrive", "source_identifier": "1aB"}]});
    let refused = world.post(DOCUMENTS, &missing).await;
    refused.is(424, "ERR_CONNECTOR_AUTH");
    assert_eq!(refused.json()["error"]["details"]["agent_id"], "connector");
    let private = json!({"sources": [{"source_type": "web", "source_identifier": format!("http://{}/", world.address)}]});
    world.post(DOCUMENTS, &private).await.is(403, "ADDRESS_NOT_ALLOWED");
}

#[tokio::test]
async fn local_paths_are_reached_only_below_folders_that_are_shared() {
    let world = World::new().await;
    let local = |path: &str| json!({"sources": [{"source_type": "local", "source_identifier": path, "recursive": true}]});
    for path in ["/etc", "/etc/hostname", "../x", world.home.path().to_str().unwrap()] {
        let refused = world.post(DOCUMENTS, &local(path)).await;
        refused.is(403, "ADDRESS_NOT_ALLOWED");
        assert!(refused.text.contains("roots"), "{}", refused.text);
    }
    let shared = tempfile::tempdir().unwrap();
    fs::write(shared.path().join("a.txt"), "shared words").unwrap();
    let settings = format!("[connector]\nroots = [{:?}]\n", shared.path());
    let world = World::with_file("settings.toml", &settings).await;
    let taken = world.post(DOCUMENTS, &local(shared.path().to_str().unwrap())).await;
    assert_eq!(taken.status, 201, "{}", taken.text);
    assert_eq!(taken.json()["items"][0]["status"], "taken");
    for path in ["/etc/hostname", world.home.path().to_str().unwrap()] {
        world.post(DOCUMENTS, &local(path)).await.is(403, "ADDRESS_NOT_ALLOWED");
    }
    // What others have sent is no folder of anybody's.
    let uploads = world.home.path().join("uploads/x/1");
    world.post(DOCUMENTS, &local(uploads.to_str().unwrap())).await.is(403, "ADDRESS_NOT_ALLOWED");
}

#[tokio::test]
async fn hostile_names_of_files_name_nothing_of_ours() {
    let world = World::new().await;
    for (given, kept) in [
        ("../../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/root/.ssh/id_rsa", "id_rsa"),
        ("lock", "lock"),
    ] {
        let sent = send(&world, &[("file", Some(given), given.as_bytes())]).await;
        assert_eq!(sent.status, 201, "{given:?}: {}", sent.text);
        assert_eq!(sent.json()["items"][0]["source_identifier"], kept);
    }
    for given in ["", "..", "a/", "   ", "x\u{1b}[2J\u{7}.txt"] {
        send(&world, &[("file", Some(given), b"x")]).await.is(400, "VALIDATION_ERROR");
    }
    let long = send(&world, &[("file", Some(&"é".repeat(2000)), b"x")]).await;
    assert_eq!(long.status, 201, "{}", long.text);
    assert!(long.json()["items"][0]["source_identifier"].as_str().unwrap().len() <= 255);
    assert_eq!(left(&world), 0);
}

#[tokio::test]
async fn a_form_that_breaks_its_rules_leaves_nothing_behind() {
    let world = World::new().await;
    let file = ("file", Some("a.txt"), &b"x"[..]);
    for (parts, pointer) in [
        (vec![], "/file"),
        (vec![("collection", None, &b"hr"[..])], "/file"),
        (vec![file, file], "/file"),
        (vec![("file", None, &b"x"[..])], "/file"),
        (vec![file, ("color", None, b"red")], ""),
        (vec![file, ("metadata", None, b"[1]")], "/metadata"),
        (vec![file, ("metadata", None, b"{")], "/metadata"),
        (vec![file, ("collection", None, b"a"), ("collection", None, b"b")], "/collection"),
        (vec![file, ("collection", None, b"\xff")], "/collection"),
        (vec![file, ("collection", None, b"a\nb")], ""),
        (vec![file, ("ocr", None, b"never")], "/ocr"),
        (vec![file, ("metadata", None, &[b' '; 70_000])], "/metadata"),
    ] {
        let refused = send(&world, &parts).await;
        refused.is(400, "VALIDATION_ERROR");
        let told = &refused.json()["error"]["details"]["breaches"][0]["pointer"];
        assert_eq!(told, pointer, "{}", refused.text);
    }
    let whole = form(&[file]);
    for body in
        [&whole[..whole.len() - 6], &whole[..40], b"", b"no form at all", b"--a-line-between"]
    {
        let request = world.request("POST", DOCUMENTS).header("content-type", media());
        world.ask(request, body.to_vec()).await.is(400, "VALIDATION_ERROR");
    }
    for media in ["multipart/form-data", "multipart/form-data; boundary="] {
        let request = world.request("POST", DOCUMENTS).header("content-type", media);
        world.ask(request, whole.clone()).await.is(400, "VALIDATION_ERROR");
    }
    let packed = world.request("POST", DOCUMENTS).header("content-type", media());
    let packed = packed.header("content-encoding", "gzip");
    world.ask(packed, whole).await.is(415, "UNSUPPORTED_MEDIA_TYPE");
    assert_eq!(left(&world), 0);
    assert!(world.incidents.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_upload_has_a_limit_of_its_own() {
    let world = World::with_file("settings.toml", "[documents]\nmax_bytes = 1000\n").await;
    let fits = send(
        &world,
        &[("file", Some("a.txt"), &[b'a'; 500]), ("file", Some("b.txt"), &[b'b'; 500])],
    )
    .await;
    assert_eq!(fits.status, 201, "{}", fits.text);
    let large = send(
        &world,
        &[("file", Some("a.txt"), &[b'a'; 501]), ("file", Some("b.txt"), &[b'b'; 500])],
    )
    .await;
    large.is(413, "BODY_TOO_LARGE");
    // One that says so is not read at all.
    let head = format!(
        "POST {DOCUMENTS} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\ncontent-length: 99999999\r\n\r\n",
        world.address,
        world.token.reveal(),
        media()
    );
    client::raw(world.address, head.as_bytes()).await.is(413, "BODY_TOO_LARGE");
    // A part without an end of its head takes no memory.
    let mut endless = format!("--{BOUNDARY}\r\nContent-Disposition: ").into_bytes();
    endless.resize(1_050_000, b'x');
    let request = world.request("POST", DOCUMENTS).header("content-type", media());
    let refused = world.ask(request, endless).await;
    assert!(matches!(refused.status, 400 | 413), "{}", refused.text);
    assert_eq!(left(&world), 0);
}

#[tokio::test]
async fn a_large_file_passes_the_limit_of_other_bodies() {
    let options = Options { max_body_bytes: 10_000, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let said = "plain words. ".repeat(20_000);
    let sent = send(&world, &[("file", Some("a.txt"), said.as_bytes())]).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let request =
        json!({"sources": [{"source_type": "web", "source_identifier": "x".repeat(20_000)}]});
    world.post(DOCUMENTS, &request).await.is(413, "BODY_TOO_LARGE");
}

#[tokio::test]
async fn a_request_that_does_not_wait_gets_the_run() {
    let world = World::new().await;
    let request = world.request("POST", "/api/documents?wait=0").header("content-type", media());
    let answer = world.ask(request, form(&[("file", Some("a.txt"), b"later words")])).await;
    if answer.status == 202 {
        let run = answer.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(answer.header("location"), Some(&*format!("/api/runs/{run}")));
        world.until_closed(&run).await;
    } else {
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    assert!(search(&world, "later").await["results"][0]["content"] == "later words");
    assert_eq!(left(&world), 0);
}

#[tokio::test]
async fn documents_are_each_users_own_on_every_surface() {
    let world = AccountWorld::new().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let request = world.as_user(&anna, "POST", DOCUMENTS);
    // The header of JSON is that of every change.
    let mut request = request;
    request.headers_mut().unwrap().insert("content-type", media().parse().unwrap());
    let sent =
        world.world.ask(request, form(&[("file", Some("a.txt"), b"annas secret plans")])).await;
    let id = id_of(&sent, 0);
    let query = json!({"query_text": "secret plans", "min_relevance_score": 0});
    let found = world.ask(&anna, "POST", "/api/search", &query).await;
    assert!(found.text.contains("annas secret"), "{}", found.text);
    for filters in [json!({}), json!({"source_id": id}), json!({"file_name": "a.txt"})] {
        let query =
            json!({"query_text": "secret plans", "min_relevance_score": 0, "filters": filters});
        let found = world.ask(&ben, "POST", "/api/search", &query).await;
        assert_eq!(
            (&found.json()["results"], &found.json()["total_found"]),
            (&json!([]), &json!(0))
        );
    }
    let listed = world.ask(&ben, "GET", DOCUMENTS, &Value::Null).await;
    assert_eq!(listed.json()["items"], json!([]));
    let cursor = format!("{DOCUMENTS}?cursor={id}");
    world.ask(&ben, "GET", &cursor, &Value::Null).await.is(400, "VALIDATION_ERROR");

    let annas = format!("user:{}", anna.id);
    let mut of_anna = Mcp::begin(&world.world, Role::Agent, &annas).await;
    let found = of_anna.call("search", query.clone()).await.unwrap();
    assert_eq!(found["results"][0]["content"], "annas secret plans");
    let shown = of_anna.call("show", json!({"source_id": id, "start": 6})).await.unwrap();
    assert_eq!((&shown["text"], &shown["span"]), (&json!("secret plans"), &json!([6, 18])));
    assert_eq!(shown["length"], 18);
    for (start, end) in [(19, 20), (3, 2)] {
        let told = of_anna.call("show", json!({"source_id": id, "start": start, "end": end})).await;
        assert_eq!(told, Err("INVALID_ARGUMENTS".to_owned()));
    }
    let mut of_ben = Mcp::begin(&world.world, Role::Agent, &format!("user:{}", ben.id)).await;
    assert_eq!(of_ben.call("search", query).await.unwrap()["results"], json!([]));
    assert_eq!(of_ben.call("show", json!({"source_id": id})).await, Err("NOT_FOUND".to_owned()));

    let token = world.token(&anna, Some("runs")).await;
    let listed = world.with_token(&token, "GET", DOCUMENTS, &Value::Null).await;
    assert_eq!(listed.json()["items"][0]["source_id"], json!(id));
    let token = world.token(&anna, Some("jobs")).await;
    world.with_token(&token, "GET", DOCUMENTS, &Value::Null).await.is(403, "FORBIDDEN");
}

const CREDENTIALS: &str = "/api/settings/credentials";

#[tokio::test]
async fn credentials_are_kept_listed_replaced_and_removed_and_never_shown() {
    let world = AccountWorld::new().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let body = json!({"name": "wiki", "kind": "bearer", "secret": SECRET});
    let refused = world.ask(&anna, "POST", CREDENTIALS, &body).await;
    refused.is(503, "ENCRYPTION_NOT_CONFIGURED");
    world.world.opened.models.keys().init().await.unwrap();
    let added = world.ask(&anna, "POST", CREDENTIALS, &body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    assert_eq!((&added.json()["name"], &added.json()["kind"]), (&json!("wiki"), &json!("bearer")));
    world.ask(&anna, "POST", CREDENTIALS, &body).await.is(409, "DUPLICATE_KEY");
    let listed = world.ask(&anna, "GET", CREDENTIALS, &Value::Null).await;
    assert_eq!(listed.json(), json!({"items": [added.json()]}));
    assert_eq!(
        world.ask(&ben, "GET", CREDENTIALS, &Value::Null).await.json(),
        json!({"items": []})
    );
    let target = format!("{CREDENTIALS}/wiki");
    world.ask(&ben, "DELETE", &target, &Value::Null).await.is(404, "KEY_NOT_FOUND");
    let other = json!({"kind": "password", "secret": format!("{SECRET} two words")});
    let replaced = world.ask(&anna, "PUT", &target, &other).await;
    assert_eq!((replaced.status, &replaced.json()["kind"]), (200, &json!("password")));
    for (body, pointer) in [
        (json!({"name": "a/b", "kind": "bearer", "secret": SECRET}), "/name"),
        (json!({"name": "a", "kind": SECRET, "secret": SECRET}), "/kind"),
        (json!({"name": "a", "kind": "bearer", "secret": format!("{SECRET} x")}), "/secret"),
        (json!({"name": "a", "kind": "oauth", "secret": SECRET}), "/secret"),
        (json!({"name": "a", "kind": "bearer", "secret": [SECRET]}), "/secret"),
        (json!({"name": "a", "kind": "bearer"}), ""),
    ] {
        let refused = world.ask(&anna, "POST", CREDENTIALS, &body).await;
        refused.is(400, "VALIDATION_ERROR");
        let told = refused.json()["error"]["details"]["breaches"][0]["pointer"].clone();
        assert_eq!(told, pointer, "{}", refused.text);
        assert!(!refused.text.contains(SECRET), "{}", refused.text);
    }
    assert!(![&added, &listed, &replaced].iter().any(|answer| answer.text.contains(SECRET)));
    let scoped = world.token(&anna, Some("runs jobs answer admin")).await;
    world.with_token(&scoped, "GET", CREDENTIALS, &Value::Null).await.is(403, "FORBIDDEN");
    // No file of the home has it.
    for entry in fs::read_dir(world.world.home.path()).unwrap().filter_map(Result::ok) {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let has = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!has, "{:?}", entry.path());
    }
    assert_eq!(world.ask(&anna, "DELETE", &target, &Value::Null).await.status, 204);
    world.ask(&anna, "DELETE", &target, &Value::Null).await.is(404, "KEY_NOT_FOUND");
}
