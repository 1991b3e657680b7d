//! Sites that mean harm, or are broken: bounded time and memory, no private address, a clear code.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use consign_connector::{Fetch, Limit};
use tokio::io::AsyncWriteExt;

use crate::{
    site::{Answer, Site},
    world::World,
};

fn page(url: &str) -> Fetch {
    Fetch::of_word(url).unwrap()
}

async fn with(site: &Site) -> World {
    let mut world = World::new();
    world.allow(&[&site.place()]);
    world
}

const NO_ROBOTS: &[u8] = b"HTTP/1.1 404 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn an_endless_page_ends_at_the_limit() {
    for head in ["transfer-encoding: chunked", "connection: close", "content-length: 99999999999"] {
        let site = Site::raw(move |path, mut stream| async move {
            if path == "/robots.txt" {
                let _ = stream.write_all(NO_ROBOTS).await;
                return;
            }
            let start = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{head}\r\n\r\n");
            let _ = stream.write_all(start.as_bytes()).await;
            let chunked = head.contains("chunked");
            let piece = format!(
                "{}{}{}",
                if chunked { "1000\r\n" } else { "" },
                "x".repeat(4096),
                if chunked { "\r\n" } else { "" }
            );
            while stream.write_all(piece.as_bytes()).await.is_ok() {}
        })
        .await;
        let mut world = with(&site).await;
        world.options.max_bytes = 1 << 20;
        let got = world.get(page(&site.url("/x"))).await;
        assert_eq!(got.code(), "SOURCE_TOO_LARGE", "{head}");
        assert_eq!(got.skipped()[0].error.limit, Some(Limit::Bytes));
        assert_eq!(site.paths(), ["/x"], "it is not tried again");
        assert_eq!(world.copies(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_endless_robots_is_cut_and_a_slow_page_has_an_end() {
    let site = Site::raw(|path, mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n").await;
        if path == "/robots.txt" {
            while stream.write_all(&[b'#'; 4096]).await.is_ok() {}
            return;
        }
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let mut world = with(&site).await;
    world.options.max_time = Duration::from_millis(500);
    let began = Instant::now();
    let got = world.get(page(&site.url("/x"))).await;
    assert_eq!(got.code(), "ERR_TIMEOUT");
    assert!(got.skipped()[0].error.recoverable);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(site.paths(), ["/x"]);
    assert_eq!(world.copies(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_never_answers_or_breaks_off_is_given_up() {
    let silent = Site::raw(|_, stream| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let mut world = with(&silent).await;
    world.options.max_time = Duration::from_millis(200);
    assert_eq!(world.get(page(&silent.url("/x"))).await.code(), "ERR_TIMEOUT");

    let broken = Site::raw(|path, mut stream| async move {
        let half: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
        let _ = stream.write_all(if path == "/robots.txt" { NO_ROBOTS } else { half }).await;
    })
    .await;
    let world = with(&broken).await;
    assert_eq!(world.get(page(&broken.url("/x"))).await.code(), "SOURCE_UNREACHABLE");
    assert_eq!(broken.paths().len(), 5);
    assert_eq!(world.copies(), Vec::<String>::new());

    let gone = silent.url("/x");
    let mut world = World::new();
    world.allow(&[&silent.place()]);
    drop(silent);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(world.get(page(&gone)).await.code(), "SOURCE_UNREACHABLE");
}

#[tokio::test]
async fn no_redirect_leads_to_a_private_address() {
    let secret = Site::of(&[("/secret", Answer::html("secret"))]).await;
    let port = secret.address.port();
    let targets = [
        format!("http://127.0.0.1:{port}/secret"),
        format!("http://localhost:{port}/secret"),
        format!("http://[::ffff:127.0.0.1]:{port}/secret"),
        format!("http://2130706433:{port}/secret"),
        format!("//127.1:{port}/secret"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "file:///etc/passwd".to_owned(),
        "ftp://127.0.0.1/x".to_owned(),
        format!("http://user:password@127.0.0.1:{port}/secret"),
    ];
    for target in targets {
        let to = target.clone();
        let site = Site::start(move |asked| match asked.path.as_str() {
            "/x" => Answer::to(&to),
            "/r/robots.txt" => Answer::to(&to),
            _ => Answer::status(404),
        })
        .await;
        let world = with(&site).await;
        world.names.set("localhost", &[&["127.0.0.1", "::1"]]);
        assert_eq!(
            world.get(page(&site.url("/x"))).await.code(),
            "ADDRESS_NOT_ALLOWED",
            "{target}"
        );
        assert_eq!(world.get(page(&target)).await.items.len(), 1);
        let to = target.clone();
        let robots = Site::start(move |_| Answer::to(&to)).await;
        let world = with(&robots).await;
        world.names.set("localhost", &[&["127.0.0.1", "::1"]]);
        let code = world.get(page(&robots.url("/x"))).await.code();
        assert_eq!(code, "ADDRESS_NOT_ALLOWED", "robots.txt to {target}");
    }
    assert!(secret.asked().is_empty(), "{:?}", secret.asked());
}

#[tokio::test]
async fn a_name_that_changes_between_two_connections_leads_nowhere_else() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/" => Answer::html("<a href=x>").with("connection", "close"),
        "/x" => Answer::html("x").with("connection", "close"),
        _ => Answer::status(404).with("connection", "close"),
    })
    .await;
    let port = site.address.port();
    let mut world = World::new();
    // Stands for a public address.
    world.allow(&["127.0.0.1/32"]);
    world.names.set("changing.test", &[&["127.0.0.1"], &["127.0.0.1"], &["127.0.0.2"]]);
    let fetch = page(&format!("http://changing.test:{port}/")).recursive(true);
    let got = world.get(fetch).await;
    assert_eq!(got.story(), ["", "!x ADDRESS_NOT_ALLOWED"]);
    assert_eq!(site.paths(), ["/"]);

    // Of several addresses only those that are allowed are tried.
    world.names.set("mixed.test", &[&["10.0.0.1", "127.0.0.1", "::1"]]);
    let got = world.get(page(&format!("http://mixed.test:{port}/x"))).await;
    assert_eq!(got.one().size, 1);
    world.names.set("private.test", &[&["10.0.0.1", "::1", "fd00::1"]]);
    let code = world.get(page(&format!("http://private.test:{port}/x"))).await.code();
    assert_eq!(code, "ADDRESS_NOT_ALLOWED");
    world.names.set("nothing.test", &[&[]]);
    let code = world.get(page("http://nothing.test/")).await.code();
    assert_eq!(code, "SOURCE_UNREACHABLE");
}

#[tokio::test]
async fn one_place_that_is_allowed_opens_no_other() {
    let [one, other] = [
        Site::of(&[("/x", Answer::html("x"))]).await,
        Site::of(&[("/x", Answer::html("x"))]).await,
    ];
    let mut world = World::new();
    world.names.set("near.test", &[&["127.0.0.1"]]);
    world.allow(&[&format!("near.test:{}", one.address.port())]);
    let at = |port: u16| page(&format!("http://near.test:{port}/x"));
    assert_eq!(world.get(at(one.address.port())).await.one().size, 1);
    assert_eq!(world.get(at(other.address.port())).await.code(), "ADDRESS_NOT_ALLOWED");
    assert_eq!(world.get(page(&one.url("/x"))).await.code(), "ADDRESS_NOT_ALLOWED");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn a_bomb_does_not_go_off() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..8 {
        packed.write_all(&[0; 1 << 20]).unwrap();
    }
    let bomb = packed.finish().unwrap();
    let bomb = Answer::of("text/html", &bomb).with("content-encoding", "gzip");
    let twice = Answer::html("x").with("content-encoding", "gzip, gzip");
    let brotli = Answer::html("x").with("content-encoding", "br");
    let site = Site::of(&[("/bomb", bomb), ("/twice", twice), ("/br", brotli)]).await;
    let world = with(&site).await;
    let got = world.get(page(&site.url("/bomb"))).await;
    assert_eq!(got.code(), "SOURCE_TOO_LARGE");
    assert_eq!(got.skipped()[0].error.limit, Some(Limit::Expansion));
    for path in ["/twice", "/br"] {
        assert_eq!(world.get(page(&site.url(path))).await.code(), "SOURCE_UNREACHABLE");
    }
    assert_eq!(site.paths().len(), 3, "none is tried again");
    assert_eq!(world.copies(), Vec::<String>::new());
}

#[tokio::test]
async fn redirects_in_a_circle_and_huge_heads_end() {
    let huge = "x".repeat(2 << 20);
    let site = Site::raw(move |path, mut stream| {
        let huge = huge.clone();
        async move {
            let answer = match path.as_str() {
                "/circle" => "HTTP/1.1 302 F\r\nlocation: /circle\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
                "/nowhere" => "HTTP/1.1 302 F\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
                "/huge" => format!("HTTP/1.1 200 OK\r\nx: {huge}\r\ncontent-length: 0\r\n\r\n"),
                "/many" => format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(10_000)),
                "/long" => format!("HTTP/1.1 302 F\r\nlocation: /{}\r\nconnection: close\r\n\r\n", &huge[..9_000]),
                "/garbage" => "\0\0\0 nothing of HTTP\r\n\r\n".to_owned(),
                "/unasked" => "HTTP/1.1 304 N\r\nconnection: close\r\n\r\n".to_owned(),
                _ => String::from_utf8(NO_ROBOTS.to_vec()).unwrap(),
            };
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    })
    .await;
    let check = async |path: &str, code: &str, tries: usize| {
        let before = site.paths().len();
        let world = with(&site).await;
        assert_eq!(world.get(page(&site.url(path))).await.code(), code, "{path}");
        assert_eq!(site.paths().len() - before, tries, "{path}");
    };
    check("/circle", "SOURCE_UNREACHABLE", 11).await;
    check("/nowhere", "SOURCE_UNREACHABLE", 1).await;
    check("/huge", "SOURCE_UNREACHABLE", 5).await;
    check("/many", "SOURCE_UNREACHABLE", 5).await;
    check("/long", "ADDRESS_NOT_ALLOWED", 1).await;
    check("/garbage", "SOURCE_UNREACHABLE", 5).await;
    check("/unasked", "SOURCE_UNREACHABLE", 1).await;
}

#[tokio::test]
async fn links_that_grow_for_ever_reach_a_limit() {
    let counter = Arc::new(AtomicUsize::new(0));
    let count = counter.clone();
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        path => {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let next = format!("{}n{number}/", path);
            Answer::html(&format!("{number}<a href={next}><a href=/?day={number}><a href=x/>"))
        }
    })
    .await;
    let mut world = with(&site).await;
    world.options.max_files = 40;
    let got = world.get(page(&site.url("/")).recursive(true)).await;
    assert_eq!(got.fetched().len(), 40);
    let [cut] = got.skipped()[..] else { panic!("{:?}", got.story()) };
    assert_eq!(cut.error.limit, Some(Limit::Files));
    assert_eq!(cut.error.code.as_str(), "SOURCE_TOO_LARGE");

    world.options.max_files = 1_000;
    world.options.max_depth = 3;
    let got = world.get(page(&site.url("/")).recursive(true)).await;
    assert_eq!(got.skipped()[0].error.limit, Some(Limit::Depth), "{:?}", got.story());
    assert!(got.fetched().len() < 60, "{}", got.fetched().len());

    world.options.max_depth = 1_000;
    world.options.max_total_time = Duration::from_secs(30);
    let got = world.get(page(&site.url("/")).recursive(true)).await;
    assert_eq!(got.skipped()[0].error.limit, Some(Limit::Seconds));
    assert_eq!(got.skipped()[0].error.code.as_str(), "ERR_TIMEOUT");
    assert!(got.fetched().len() <= 30);

    world.options.max_total_time = Duration::from_secs(3_000);
    world.options.max_total_bytes = 400;
    let got = world.get(page(&site.url("/")).recursive(true)).await;
    assert_eq!(got.skipped().last().unwrap().error.limit, Some(Limit::TotalBytes));
    assert!(got.summary.bytes <= 400);
}

#[tokio::test]
async fn the_same_page_under_ever_longer_addresses_is_one_page() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => Answer::html("<a href=x/>on</a><a href=?y>on</a>"),
    })
    .await;
    let world = with(&site).await;
    let got = world.get(page(&site.url("/")).recursive(true)).await;
    assert_eq!(got.story(), [""]);
    assert_eq!(site.paths().len(), 3);
}
