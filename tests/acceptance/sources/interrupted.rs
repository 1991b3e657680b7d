//! Ingests that were killed go on, and keep to what happened meanwhile.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use super::{desk::Desk, removal::with_words};
use crate::{home::until, support::text};

/// Pages that the first one links to.
const PAGES: usize = 7;
/// It is not answered as long as the site holds it back.
const HELD: &str = "/p3";

/// A site of eight pages on loopback. It ends with the tests.
struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    holds: Arc<AtomicBool>,
}

impl Site {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it listens").port();
        let (asked, holds) =
            (Arc::<Mutex<Vec<String>>>::default(), Arc::new(AtomicBool::new(true)));
        let site = Self { port, asked: asked.clone(), holds: holds.clone() };
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (asked, holds) = (asked.clone(), holds.clone());
                thread::spawn(move || {
                    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                    let first = lines.next().unwrap_or_default();
                    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                    let _head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
                    asked.lock().expect("nothing panics here").push(path.clone());
                    while path == HELD && holds.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(5));
                    }
                    // Whoever asked may be gone.
                    let _ = (&stream).write_all(answer(&path).as_bytes());
                });
            }
        });
        site
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn asked(&self, path: &str) -> usize {
        let asked = self.asked.lock().expect("nothing panics here");
        asked.iter().filter(|asked| *asked == path).count()
    }
}

fn answer(path: &str) -> String {
    let links: String = (1..=PAGES).map(|page| format!("<a href=p{page}>{page}</a> ")).collect();
    let (status, body) = match path {
        "/" => ("200 OK", format!("<p>The start of everything about otters.</p>{links}")),
        "/robots.txt" => ("404 Not Found", String::new()),
        page => ("200 OK", format!("<p>The page {page} is about otters.</p>")),
    };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// The first page is known and not read again; its links are followed all the same.
#[test]
fn a_crawl_that_was_killed_goes_on_with_the_links_of_pages_that_were_known() {
    let desk = Desk::new();
    let site = Site::new();
    desk.ingest(&[&desk.file("a.txt", "A first text, so that there is a home.")], 0);
    let settings = format!(
        "[connector]\nallow_private = [\"127.0.0.1:{}\"]\nrequests_per_second = 1000\n",
        site.port
    );
    fs::write(desk.home.path().join("settings.toml"), settings).expect("the home is there");
    let url = site.url();
    assert_eq!(desk.ingest(&[&url], 0).counts["taken"], 1);
    let ingest = desk.home.spawn(&["ingest", &url, "--recursive", "--json"]);
    until("the held page is asked for", || (site.asked(HELD) > 0).then_some(()));
    assert_eq!(ingest.kill().signal, Some(9));
    site.holds.store(false, Ordering::Relaxed);

    let told = desk.ingest(&[&url, "--recursive"], 0);
    let statuses = told.statuses();
    assert_eq!(statuses.len(), 1 + PAGES, "{statuses:#?}");
    assert_eq!((&told.counts["taken"], &told.counts["unchanged"]), (&PAGES.into(), &1.into()));
    assert_eq!(site.asked("/"), 2, "once for each of the two ingests, and not for the resumed one");
    let runs = desk.run(&["runs", "list", "--all", "--json"]).exits(0).json_lines();
    assert_eq!(runs.len(), 3, "it went on with the same run");
}

#[test]
fn a_source_that_is_removed_under_an_ingest_stays_away() {
    let desk = Desk::new();
    let name = |number: usize| format!("{number:02}.txt");
    for number in 0..12 {
        desk.file(&name(number), format!("An old text of number {number}."));
    }
    let place = desk.place();
    desk.ingest(&[&place], 0);
    for number in 0..12 {
        let said = format!("What is new here has marker{number:02}end in it. ").repeat(1_500);
        desk.file(&name(number), said);
    }
    let ingest = desk.home.spawn(&["ingest", &place, "--json"]);
    let copies = || {
        let runs = fs::read_dir(desk.home.path().join("ingest")).into_iter().flatten().flatten();
        runs.flat_map(|run| fs::read_dir(run.path()).into_iter().flatten().flatten())
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "parsed"))
            .collect::<Vec<_>>()
    };
    until("a file is read and not kept", || (!copies().is_empty()).then_some(()));
    assert_eq!(ingest.kill().signal, Some(9), "it ended by itself");
    let left = copies();
    let said = fs::read_to_string(left.first().expect("a file was under way")).expect("a copy");
    let at = said.find("marker").expect("the word of the file") + "marker".len();
    let number: usize = said[at..at + 2].parse().expect("a number");
    let word = format!("marker{number:02}end");
    assert!(!with_words(&desk.home.path(), &[&word]).is_empty());

    let sources = desk.sources(&["--all"]);
    let source = |row: &&serde_json::Value| text(row, "source_identifier").ends_with(&name(number));
    let source = sources.iter().find(source).expect("it is known");
    desk.run(&["sources", "remove", text(source, "source_id")]).exits(0);
    assert_eq!(with_words(&desk.home.path(), &[&word]), Vec::<std::path::PathBuf>::new());

    // The same command goes on with the run, and does not bring it back.
    let told = desk.ingest(&[&place], 0);
    let row = told.row(&name(number));
    assert_eq!(
        (text(row, "status"), text(&row["error"], "error_code")),
        ("skipped", "SOURCE_REMOVED")
    );
    assert_eq!(with_words(&desk.home.path(), &[&word]), Vec::<std::path::PathBuf>::new());
    assert_eq!(desk.sources(&["--all"]).len(), 11);
    // It was removed from that run, and can be taken in by another.
    let again = desk.ingest(&[&place], 0);
    assert_eq!(again.row(&name(number))["status"], "taken");
    assert!(!desk.found(&word, &[]).is_empty());
}

#[test]
fn journals_of_ingests_do_not_name_what_was_removed() {
    let desk = Desk::new();
    let named = desk.file("parsnip-ledger.txt", "A text about parsnips.");
    let other = desk.file("turnip-ledger.txt", "A text about turnips.");
    let told = desk.ingest(&[&named, "--meta", "team=chicory"], 0);
    desk.ingest(&[&other], 0);
    desk.ingest(&[&desk.place()], 0);
    desk.ingest(&[&other], 0);
    let words = ["parsnip-ledger", "chicory"];
    assert!(!with_words(&desk.home.path(), &words).is_empty());
    desk.run(&["sources", "remove", text(&told.rows[0], "source_id")]).exits(0);
    assert_eq!(with_words(&desk.home.path(), &words), Vec::<std::path::PathBuf>::new());
    let runs = desk.run(&["runs", "list", "--all", "--json"]).exits(0).json_lines();
    let redacted = runs.iter().filter(|run| run["redacted"] == true).count();
    assert_eq!((runs.len(), redacted), (4, 2), "those that have no such file are as they were");
    desk.run(&["runs", "verify", "--all"]).exits(0);
}
