//! The pages of a site that behaves.

use std::time::Duration;

use consign_connector::{Fetch, Item, Past};

use crate::{
    site::{Answer, Site},
    world::{World, done},
};

/// A site of five pages in `/docs/`, and things around them.
async fn docs() -> Site {
    let links = |links: &[&str]| {
        let links: String = links.iter().map(|to| format!("<a href=\"{to}\">x</a>")).collect();
        format!("<title>{links:?}</title>{links}")
    };
    Site::of(&[
        (
            "/docs/",
            Answer::html(&links(&["b", "a#top", "/out", "https://elsewhere.example/", "b"])),
        ),
        ("/docs/a", Answer::html(&links(&["./", "c?page=1", "pic.png", "mailto:x@y.example"]))),
        ("/docs/b", Answer::html(&links(&["old", "gone", "r.pdf", "%61"]))),
        ("/docs/c?page=1", Answer::html(&links(&["copy", "away"]))),
        ("/docs/old", Answer::to("/docs/a")),
        ("/docs/away", Answer::to("/out")),
        ("/docs/copy", Answer::html(&links(&["copy", "away"]))),
        ("/docs/r.pdf", Answer::of("application/pdf", b"%PDF-1.7")),
        ("/docs/pic.png", Answer::of("image/png", b"png")),
        ("/out", Answer::html("out")),
    ])
    .await
}

fn whole(site: &Site) -> Fetch {
    Fetch::of_word(&site.url("/docs/")).unwrap().recursive(true)
}

async fn with(site: &Site) -> World {
    let mut world = World::new();
    world.allow(&[&site.place()]);
    world
}

#[tokio::test]
async fn every_page_below_comes_once_and_nothing_else() {
    let site = docs().await;
    let world = with(&site).await;
    let got = world.get(whole(&site)).await;
    let story = ["", "b", "a", "!gone ERR_CONNECTOR_NOT_FOUND", "r.pdf", "c?page=1"];
    assert_eq!(got.story(), story);
    let mut asked = site.paths();
    assert!(!asked.contains(&"/out".to_owned()), "{asked:?}");
    asked.sort();
    let before = asked.len();
    asked.dedup();
    // `old` leads to `a`, which was there already: it is the one page that was asked for twice.
    assert_eq!(before - asked.len(), 1);
    assert_eq!(got.summary.duplicates, 2, "`old` is `a`, and `copy` has the bytes of `c`");
    assert_eq!(got.summary.not_documents, 1);
    assert_eq!((got.summary.fetched, got.summary.skipped), (5, 1));
    assert_eq!(world.copies().len(), 5);
    assert_eq!(world.get(whole(&site)).await.story(), story, "the same site gives the same order");
}

#[tokio::test]
async fn without_recursive_it_is_one_page() {
    let site = docs().await;
    let got = with(&site).await.get(whole(&site).recursive(false)).await;
    assert_eq!(got.story(), [""]);
    assert_eq!(site.paths(), ["/docs/"]);
}

#[tokio::test]
async fn a_host_is_asked_once_a_second_or_as_seldom_as_it_likes() {
    let site = docs().await;
    let world = with(&site).await;
    world.get(whole(&site)).await;
    let asked = site.asked().len() as u64;
    assert_eq!(world.time.passed(), Duration::from_secs(asked - 1));

    let robots = Answer::of("text/plain", b"User-agent: *\nCrawl-delay: 7");
    let page = Answer::html("<a href=/y>");
    let site = Site::of(&[("/robots.txt", robots), ("/", page), ("/y", Answer::html("y"))]).await;
    let world = with(&site).await;
    let fetch = Fetch::of_word(&site.url("/")).unwrap().recursive(true);
    assert_eq!(world.get(fetch).await.story(), ["", "y"]);
    // Robots.txt itself could not know yet.
    assert_eq!(world.time.passed(), Duration::from_secs(1 + 7));
}

#[tokio::test]
async fn a_crawl_goes_on_where_it_was_broken_off() {
    let site = docs().await;
    let world = with(&site).await;
    let all = world.get(whole(&site)).await;
    for broken_off in 0..all.items.len() {
        let mut session = world.connector().open(whole(&site), world.destination());
        let mut items: Vec<Item> = Vec::new();
        for _ in 0..broken_off {
            items.extend(session.next(&consign_connector::Nothing).await.unwrap());
        }
        drop(session);
        let summary = all.summary;
        let first = crate::world::Got { items, waits: 0, summary };
        let asked_before = site.paths().len();
        let rest = world.get_knowing(whole(&site), &first.known(done)).await;
        let both: Vec<_> = first.story().into_iter().chain(rest.story()).collect();
        assert_eq!(both, all.story(), "broken off after {broken_off}");
        let asked: Vec<_> = site.paths().split_off(asked_before);
        for done in &first.items {
            let Item::Fetched(done) = done else { continue };
            let path = done.identifier.strip_prefix(&site.url("")).unwrap();
            // `old` leads to `a` once more.
            assert!(path == "/docs/a" || !asked.contains(&path.to_owned()), "{path} again");
        }
    }
}

#[tokio::test]
async fn a_site_that_has_not_changed_is_walked_without_its_pages() {
    let pages = [("/", "<a href=a>"), ("/a", "<a href=b>"), ("/b", "<a href=/>")];
    let site = Site::start(move |asked| {
        let page = pages.iter().find(|(path, _)| *path == asked.path);
        match (page, asked.headers.get("if-none-match")) {
            (Some(_), Some(tag)) if *tag == format!("\"{}\"", asked.path) => Answer::status(304),
            (Some((path, page)), _) => Answer::html(page).with("etag", &format!("\"{path}\"")),
            (None, _) => Answer::status(404),
        }
    })
    .await;
    let world = with(&site).await;
    let fetch = Fetch::of_word(&site.url("/")).unwrap();
    // Its links were not read the first time, so they have to be now.
    let single = world.get(fetch.clone()).await;
    let whole = world.get_knowing(fetch.clone().recursive(true), &single.known(Past::Before)).await;
    assert_eq!(whole.story(), ["=", "a", "b"]);
    let again = world.get_knowing(fetch.recursive(true), &whole.known(Past::Before)).await;
    assert_eq!(again.story(), ["=", "=a", "=b"]);
    assert_eq!(again.summary.unchanged, 3);
}

/// Otherwise one call of a caller that waits for an item could take hours.
#[tokio::test]
async fn a_crawl_that_finds_nothing_for_a_minute_says_so_and_goes_on() {
    let links: String = (0..200).map(|number| format!("<a href=/x/{number}>")).collect();
    let start = Answer::html(&links);
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/" => start.clone(),
        "/robots.txt" => Answer::status(404),
        "/x/199" => Answer::html("the only one"),
        _ => Answer::of("image/png", b"png"),
    })
    .await;
    let world = with(&site).await;
    let fetch = Fetch::of_word(&site.url("/")).unwrap().recursive(true);
    let got = world.get(fetch).await;
    assert_eq!((got.story(), got.waits), (vec!["".to_owned(), "199".to_owned()], 3));
    assert_eq!(site.paths().len(), 201, "no page was asked for twice");
}

#[tokio::test]
async fn all_sessions_of_a_connector_share_the_pace_of_a_host_whoever_they_are_for() {
    let site = docs().await;
    let world = with(&site).await;
    let one = world.connector();
    let other = one.with_credentials(std::sync::Arc::new(consign_connector::NoCredentials));
    for connector in [one, other] {
        let fetch = whole(&site).recursive(false);
        let mut session = connector.open(fetch, world.destination());
        while session.next(&consign_connector::Nothing).await.unwrap().is_some() {}
    }
    let asked = site.asked().len() as u64;
    assert_eq!((asked, world.time.passed()), (4, Duration::from_secs(3)));
}

#[tokio::test]
async fn links_of_a_page_are_kept_up_to_a_size() {
    let long = "a".repeat(1_900);
    let links: String = (0..4_000).map(|number| format!("<a href=/{number}/{long}>")).collect();
    let site = Site::of(&[("/", Answer::html(&links))]).await;
    let world = with(&site).await;
    let mut session = world
        .connector()
        .open(Fetch::of_word(&site.url("/")).unwrap().recursive(true), world.destination());
    let first = session.next(&consign_connector::Nothing).await.unwrap();
    let Some(Item::Fetched(page)) = first else { panic!("{first:?}") };
    let size = serde_json::to_string(&page.validators).unwrap().len();
    assert!((200 << 10..300 << 10).contains(&size), "{size}");
}

#[tokio::test]
async fn a_page_that_asks_for_long_waits_is_given_up_within_minutes() {
    let busy = Answer::status(429).with("retry-after", "250");
    let site = Site::of(&[("/", busy)]).await;
    let world = with(&site).await;
    let got = world.get(Fetch::of_word(&site.url("/")).unwrap()).await;
    assert_eq!(got.code(), "SOURCE_UNREACHABLE");
    assert!(world.time.passed() <= Duration::from_secs(360), "{:?}", world.time.passed());
}

#[tokio::test]
async fn the_site_begins_where_the_first_page_is() {
    let site = Site::of(&[
        ("/start", Answer::to("/en/docs/")),
        ("/en/docs/", Answer::html("<a href=x><a href=/en/other>")),
        ("/en/docs/x", Answer::html("x")),
    ])
    .await;
    let fetch = Fetch::of_word(&site.url("/start")).unwrap().recursive(true);
    let got = with(&site).await.get(fetch).await;
    assert_eq!(got.story(), ["start", "x"]);
    assert_eq!(got.summary.outside, 1);
}

#[tokio::test]
async fn robots_hold_for_each_page_of_a_crawl() {
    let site = Site::of(&[
        ("/robots.txt", Answer::of("text/plain", b"User-agent: *\nDisallow: /private")),
        ("/", Answer::html("<a href=private/x><a href=y>")),
        ("/private/x", Answer::html("x")),
        ("/y", Answer::html("y")),
    ])
    .await;
    let fetch = Fetch::of_word(&site.url("/")).unwrap().recursive(true);
    let got = with(&site).await.get(fetch).await;
    assert_eq!(got.story(), ["", "!x ROBOTS_FORBIDDEN", "y"]);
    assert_eq!(site.paths(), ["/", "/y"]);
}
