//! `docs/http.md`: every example on the page is run in its order, and gives what stands below it; every route and
//! every code is there.

use std::{fs, process::Command};

use serde_json::{Value, json};

use super::yard::{Server, Yard};
use crate::{
    pages::blocks::{blocks, has},
    support::{Consign, root},
};

const TOKEN: &str = "a-token-for-the-page";
/// Where the page says that the server is.
const WRITTEN: &str = "http://127.0.0.1:4020";

fn page() -> String {
    fs::read_to_string(root().join("docs/http.md")).expect("a page of ours")
}

fn serve(yard: &Yard) -> Server {
    let library = root().join("examples/pipelines/library");
    let library = library.to_str().expect("the repository has a plain name");
    let args = ["serve", "--listen", "127.0.0.1:0", "--json", "--repo", library];
    Server::of(yard.home.let_go_on(yard.consign(&args).env("CONSIGN_TOKEN", TOKEN)))
}

#[test]
fn every_example_of_the_page_works() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no `curl` here, so the examples of docs/http.md were NOT run");
        return;
    }
    let (yard, page) = (Yard::new(), page());
    let server = serve(&yard);
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_consign"));
    let folder = binary.parent().expect("it is in a folder").display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let blocks = blocks(&page);
    let mut run = 0;
    let mut settings = String::new();
    for (number, (language, block)) in blocks.iter().enumerate() {
        if language != "sh" {
            continue;
        }
        let block = block.replace(WRITTEN, &format!("http://{}", server.address));
        if settings.is_empty() {
            settings = block;
            continue;
        }
        let shell = Consign::of("sh", ["-euc", &format!("{settings}{block}")]);
        let shell = shell.env("CONSIGN_TOKEN", TOKEN).env("PATH", &path);
        let shell = shell.env("CONSIGN_HOME", yard.home.path()).folder(yard.folder.path());
        let out = shell.run().exits(0);
        if let Some((_, sample)) = blocks.get(number + 1).filter(|(next, _)| next == "json") {
            let sample = serde_json::from_str(sample).unwrap_or_else(|_| panic!("{sample}"));
            has(&out.json(), &sample, &block);
        }
        run += 1;
    }
    assert!(run >= 15, "the page had more: {run}");
}

#[test]
fn the_first_line_is_as_the_page_says() {
    let yard = Yard::new();
    let server = serve(&yard);
    let first = server.process.stdout();
    let first: Value = serde_json::from_str(first.trim_end()).expect("one object on one line");
    let blocks = blocks(&page());
    let (_, sample) = blocks.iter().find(|(language, _)| language == "json").expect("it is there");
    let mut sample: Value = serde_json::from_str(sample).expect("it is JSON");
    assert_eq!(sample["url"], WRITTEN);
    sample["url"] = json!(format!("http://{}", server.address));
    assert_eq!(first, sample);
    let made_up = yard.serve(&[]);
    assert_eq!(made_up.get("/api/runs").is(200).json()["items"], json!([]), "its token is told");
}

#[test]
fn every_route_and_every_code_is_on_the_page() {
    let (yard, page) = (Yard::new(), page());
    let server = serve(&yard);
    let document = server.get("/openapi.json").is(200).json();
    for (path, item) in document["paths"].as_object().expect("an object") {
        let path = path
            .replace("{key}", "INTERACTION")
            .replace("{name}", "NAME")
            .replace("{path}", "PATH")
            .replace("{provider}", "PROVIDER")
            .replace("{type}", "TYPE");
        // A run is a RUN; jobs, tokens and users have an ID.
        let names = ["RUN", "ID"].map(|name| path.replace("{id}", name));
        for method in item.as_object().expect("an object").keys() {
            let method = method.to_uppercase();
            let is_told = |path: &String| {
                page.contains(&format!("`{method} {path}`"))
                    || page.contains(&format!("\"$URL{path}\""))
            };
            assert!(names.iter().any(is_told), "`{method} {path}` is missing");
        }
    }
    let codes = fs::read_to_string(root().join("crates/server/src/error.txt")).expect("a table");
    for line in codes.lines() {
        let (status, rest) = line.split_once(' ').expect("a status");
        let code = rest.split(' ').next().expect("a code");
        let told = |row: &str| {
            row.starts_with(&format!("| {status} |")) && row.contains(&format!("`{code}`"))
        };
        assert!(page.lines().any(told), "{status} {code} is missing");
    }
}

#[test]
fn a_name_that_was_added_is_answered_and_others_learn_of_it() {
    let yard = Yard::new();
    let server = yard.serve(&["--allow-host", "consign.example", "--allow-host", "box"]);
    let ask = |host: &str| {
        let head = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n");
        super::http::send(&server.address, &head, b"")
    };
    for ours in ["consign.example", "BOX:4020", "localhost"] {
        ask(ours).is(200);
    }
    let told = ask("evil.example").refuses(421, "MISDIRECTED").json();
    let hosts = json!(["localhost", "127.0.0.1", "[::1]", "consign.example", "box"]);
    assert_eq!(told["error"]["details"]["hosts"], hosts);
    assert!(told["error"]["message"].as_str().is_some_and(|told| told.contains("--allow-host")));
    for wrong in ["http://box", "box:80", ""] {
        yard.run(&["serve", "--allow-host", wrong]).fails(2, "USAGE");
    }
}
