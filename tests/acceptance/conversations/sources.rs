//! The codes of connector and parser: what each file or page that cannot be had becomes, and that the others can be asked.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    thread,
};

use serde_json::Value;

use super::talk::{NOTICE, NOTICE_ANSWER, Talk, is_agent_failure};
use crate::{home::keeps, support::text};

/// A site where some pages want a login. It ends with the tests.
fn site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it listens").port();
    thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            let _head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let status = match first.split(' ').nth(1) {
                Some("/login") => "401 Unauthorized",
                Some("/forbidden") => "403 Forbidden",
                Some(_) | None => "404 Not Found",
            };
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            // Whoever asked may be gone.
            let _ = (&stream).write_all(head.as_bytes());
        }
    });
    port
}

#[test]
fn what_cannot_be_had_is_skipped_with_its_code_and_the_rest_is_asked() {
    let talk = Talk::new();
    let port = site();
    let settings = format!(
        "[connector]\nallow_private = [\"127.0.0.1:{port}\"]\nrequests_per_second = 1000\n"
    );
    std::fs::write(talk.home.path().join("settings.toml"), settings).expect("the home is there");
    let file = |name: &str, content: &[u8]| talk.folder.file(name, content);
    let mut sealed = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    sealed.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    let page = |path: &str| format!("http://127.0.0.1:{port}{path}");
    let no_credentials = ["--credentials", "nothing"];
    let cases: [(String, &[&str], &str, &str); 7] = [
        (page("/login"), &[], "connector", "ERR_CONNECTOR_AUTH"),
        (page("/forbidden"), &[], "connector", "ERR_CONNECTOR_AUTH"),
        (page("/"), &no_credentials, "connector", "ERR_CONNECTOR_AUTH"),
        (page("/gone"), &[], "connector", "ERR_CONNECTOR_NOT_FOUND"),
        ("/no/such/file.pdf".to_owned(), &[], "connector", "ERR_CONNECTOR_NOT_FOUND"),
        (file("sealed.docx", &sealed), &[], "parser", "ERR_PARSER_ENCRYPTED"),
        (
            file("song.mp3", b"ID3\x04\0\0\0\0\0\x21\xff\xfb\x90\x44"),
            &[],
            "parser",
            "ERR_PARSER_UNSUPPORTED",
        ),
    ];
    let mut failures = String::new();
    for (source, more, agent, code) in cases {
        let told = talk.run(&[&["ingest", "--json", &source], more].concat()).exits(1).json_lines();
        let (row, counts) = (&told[0], &told[1]);
        assert_eq!((text(row, "status"), &counts["skipped"]), ("skipped", &1.into()), "{source}");
        let failure: &Value = &row["error"];
        is_agent_failure(failure);
        failures += &format!("{failure}\n");
        assert_eq!(
            (text(failure, "agent_id"), text(failure, "error_code")),
            (agent, code),
            "{source}"
        );
        assert_eq!(failure["recoverable"], false, "{source}: a program cannot mend it: {failure}");
    }
    keeps("crew/agent-failure", &failures);
    let answer = talk.ask(NOTICE, &[]);
    assert!(text(&answer["final_response"], "content").starts_with(NOTICE_ANSWER));
    assert_eq!(talk.run(&["sources", "list", "--json"]).exits(0).json_lines().len(), 1);
}
