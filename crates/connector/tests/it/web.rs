//! One page of a site that behaves.

use std::{
    io::Write as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use consign_connector::{Fetch, Past};
use consign_contracts::{crew::ConnectorOutput, wire::Message};

use crate::{
    site::{Answer, Site},
    world::World,
};

async fn with(site: &Site) -> World {
    let mut world = World::new();
    world.allow(&[&site.place()]);
    world
}

fn page(url: &str) -> Fetch {
    Fetch::of_word(url).unwrap()
}

#[tokio::test]
async fn a_page_comes_with_its_checksum_its_kind_and_what_its_server_says() {
    let html = Answer::html("<p>Grüße").with("etag", "\"1\"").with("content-language", "de");
    let site = Site::of(&[("/a/b.html?x=1", html)]).await;
    let world = with(&site).await;
    let url = site.url("/a/b.html?x=1");
    let got = world.get(page(&format!("{url}#part"))).await;
    let one = got.one();
    assert_eq!(one.identifier, url);
    assert_eq!(one.source_url.as_deref(), Some(url.as_str()));
    assert_eq!(std::fs::read(&one.file).unwrap(), "<p>Grüße".as_bytes());
    assert_eq!(one.size, 10);
    assert_eq!(one.checksum, "63031e3367356a99eb47eaa2c8ee02709b7f1c071d5dd3dcacc7d59e85b77211");
    assert!(one.file.is_absolute() && one.file.starts_with(world.destination().path()));
    assert_eq!(one.hint.file_name.as_deref(), Some("b.html"));
    assert_eq!(one.hint.content_type.as_deref(), Some("text/html"));
    assert_eq!(one.hint.charset.as_deref(), Some("utf-8"));
    assert_eq!(one.source_metadata["headers"]["content-language"], "de");
    let output = ConnectorOutput::from_json(one.output().to_json().as_bytes()).unwrap();
    assert_eq!(output.checksum, one.checksum);
    assert_eq!(output.file_path, one.file.to_str().unwrap());
    assert_eq!(output.file_size_bytes.as_u64(), Some(10));
    let asked = site.asked();
    assert_eq!(asked[0].path, "/robots.txt", "it is asked first");
    assert!(asked[1].headers["user-agent"].starts_with("consign/"));
    assert_eq!(asked[1].headers["accept-encoding"], "gzip");
}

#[tokio::test]
async fn what_robots_forbids_is_not_asked_for() {
    let check = async |robots: Answer, path: &str, code: Option<&str>, tries: usize| {
        let site = Site::of(&[("/robots.txt", robots), ("/a/x", Answer::html("x"))]).await;
        let world = with(&site).await;
        let got = world.get(page(&site.url(path))).await;
        match code {
            Some(code) => {
                assert_eq!(got.code(), code);
                assert_eq!(site.paths(), Vec::<String>::new());
            }
            None => assert_eq!(got.one().size, 1),
        }
        let robots = site.asked().iter().filter(|asked| asked.path == "/robots.txt").count();
        assert_eq!(robots, tries);
    };
    let text = |text: &str| Answer::of("text/plain", text.as_bytes());
    check(text("User-agent: *\nDisallow: /a"), "/a/x", Some("ROBOTS_FORBIDDEN"), 1).await;
    let ours = "User-agent: *\nDisallow: /\n\nUser-agent: Consign\nAllow: /a/";
    check(text(ours), "/a/x", None, 1).await;
    check(text("User-agent: other\nDisallow: /"), "/a/x", None, 1).await;
    check(Answer::status(403), "/a/x", None, 1).await;
    check(Answer::status(503), "/a/x", Some("SOURCE_UNREACHABLE"), 5).await;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"User-agent: *\nDisallow: /").unwrap();
    let packed = Answer::of("text/plain", &packed.finish().unwrap());
    let packed = packed.with("content-encoding", "gzip");
    check(packed, "/a/x", Some("ROBOTS_FORBIDDEN"), 1).await;
}

#[tokio::test]
async fn each_status_has_its_code() {
    let check = async |status: u16, code: &str, tries: usize| {
        let site = Site::of(&[("/x", Answer::status(status))]).await;
        let got = with(&site).await.get(page(&site.url("/x"))).await;
        assert_eq!(got.code(), code, "{status}");
        assert_eq!(got.skipped()[0].error.status, Some(status));
        assert_eq!(site.paths().len(), tries, "{status}");
    };
    check(401, "ERR_CONNECTOR_AUTH", 1).await;
    check(403, "ERR_CONNECTOR_AUTH", 1).await;
    check(404, "ERR_CONNECTOR_NOT_FOUND", 1).await;
    check(410, "ERR_CONNECTOR_NOT_FOUND", 1).await;
    check(418, "SOURCE_UNREACHABLE", 1).await;
    check(429, "SOURCE_UNREACHABLE", 5).await;
    check(500, "SOURCE_UNREACHABLE", 5).await;
}

#[tokio::test]
async fn tries_wait_twice_as_long_each_time_or_as_long_as_they_are_asked_to() {
    let answers = Mutex::new(vec![
        Answer::status(503),
        Answer::status(429).with("retry-after", "33"),
        Answer::status(502),
        Answer::html("there"),
    ]);
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/x" => answers.lock().unwrap().remove(0),
        _ => Answer::status(404),
    })
    .await;
    let world = with(&site).await;
    assert_eq!(world.get(page(&site.url("/x"))).await.one().size, 5);
    let seconds = Duration::from_secs;
    let waits = world.time.waits();
    assert_eq!(waits.len(), 4, "{waits:?}");
    // Robots.txt was just asked: a second for the page itself, and then after each failure.
    let near = |wait: Duration, expected: u64| {
        assert!(
            wait <= seconds(expected) && wait > seconds(expected) - seconds(1) / 100,
            "{waits:?}"
        );
    };
    near(waits[0], 1);
    near(waits[1], 1);
    near(waits[2], 33);
    near(waits[3], 4);
}

#[tokio::test]
async fn a_source_that_asks_for_too_long_a_wait_is_left_for_later() {
    let site = Site::of(&[("/x", Answer::status(429).with("retry-after", "86400"))]).await;
    let world = with(&site).await;
    let got = world.get(page(&site.url("/x"))).await;
    assert_eq!(got.code(), "SOURCE_UNREACHABLE");
    let error = &got.skipped()[0].error;
    assert_eq!((error.retry_after, error.recoverable), (Some(Duration::from_secs(86_400)), true));
    assert!(world.time.passed() < Duration::from_secs(10));
}

#[tokio::test]
async fn only_what_has_changed_is_fetched_again() {
    let version = Arc::new(AtomicUsize::new(1));
    let now = version.clone();
    let site = Site::start(move |asked| {
        let version = now.load(Ordering::SeqCst);
        let tag = format!("\"{version}\"");
        match asked.path.as_str() {
            "/tagged" if asked.headers.get("if-none-match") == Some(&tag) => Answer::status(304),
            "/tagged" => Answer::html(&format!("version {version}")).with("etag", &tag),
            "/dated" if asked.headers.contains_key("if-modified-since") => Answer::status(304),
            "/dated" => Answer::html("d").with("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            "/plain" => Answer::html("always the same"),
            "/moved" => Answer::to("/tagged"),
            _ => Answer::status(404),
        }
    })
    .await;
    let world = with(&site).await;
    for path in ["/tagged", "/dated", "/plain", "/moved"] {
        version.store(1, Ordering::SeqCst);
        let first = world.get(page(&site.url(path))).await;
        let known = first.known(Past::Before);
        let checksum = first.one().checksum.clone();
        let again = world.get_knowing(page(&site.url(path)), &known).await;
        assert_eq!(again.unchanged()[0].checksum, checksum, "{path}");
        assert_eq!(again.items.len(), 1);
        version.store(2, Ordering::SeqCst);
        let changed = world.get_knowing(page(&site.url(path)), &again.known(Past::Before)).await;
        let is_new = changed.fetched().first().is_some_and(|page| page.checksum != checksum);
        assert_eq!(is_new, matches!(path, "/tagged" | "/moved"), "{path}");
    }
}

#[tokio::test]
async fn a_redirect_is_followed_within_reach_and_keeps_the_name_that_was_asked_for() {
    let site = Site::of(&[
        ("/a", Answer::to("b")),
        ("/b", Answer::status(308).with("location", "/c#x")),
        ("/c", Answer::html("c")),
    ])
    .await;
    let got = with(&site).await.get(page(&site.url("/a"))).await;
    let one = got.one();
    assert_eq!(one.identifier, site.url("/a"));
    assert_eq!(one.source_url, Some(site.url("/c")));
    assert_eq!(one.source_metadata["requested_url"], site.url("/a"));
}

#[tokio::test]
async fn a_token_goes_to_its_own_place_and_nowhere_else() {
    let other = Site::of(&[("/x", Answer::html("x"))]).await;
    let to = other.url("/x");
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/x" if asked.headers.get("authorization").is_some_and(|it| it == "Bearer s3cret") => {
            Answer::to(&to)
        }
        "/x" => Answer::status(401),
        _ => Answer::status(404),
    })
    .await;
    let mut world = World::new();
    world.allow(&[&site.place(), &other.place()]);
    world.bearer("mine", "s3cret");
    let fetch = page(&site.url("/x"));
    assert_eq!(world.get(fetch.clone()).await.code(), "ERR_CONNECTOR_AUTH");
    let got = world.get(fetch.clone().with_credentials(Some("mine".to_owned()))).await;
    assert_eq!(got.one().size, 1);
    assert!(other.asked().iter().all(|asked| !asked.headers.contains_key("authorization")));
    let got = world.get(fetch.with_credentials(Some("nobodys".to_owned()))).await;
    assert_eq!(got.code(), "ERR_CONNECTOR_AUTH");
    assert!(got.skipped()[0].error.message.contains("consign credentials add nobodys"));
}

#[tokio::test]
async fn a_compressed_page_is_unpacked() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all("abc".repeat(10_000).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let page_of = |body: &[u8]| Answer::of("text/html", body).with("content-encoding", "gzip");
    let cut = &packed[..packed.len() - 9];
    let site = [("/x", page_of(&packed)), ("/cut", page_of(cut)), ("/no", page_of(b"no"))];
    let site = Site::of(&site).await;
    let world = with(&site).await;
    assert_eq!(world.get(page(&site.url("/x"))).await.one().size, 30_000);
    for path in ["/cut", "/no"] {
        assert_eq!(world.get(page(&site.url(path))).await.code(), "SOURCE_UNREACHABLE", "{path}");
    }
    assert_eq!(world.copies().len(), 1, "nothing is left of what failed");
}
