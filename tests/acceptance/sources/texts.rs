//! `consign ingest --stream`: texts a line, answers a line.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use super::desk::Desk;
use crate::support::text;

fn send(desk: &Desk, more: &[&str], lines: &[String], exit: i32) -> Vec<Value> {
    let args = [&["ingest", "--stream"], more].concat();
    desk.home.consign(&args).stdin(lines.join("\n")).run().exits(exit).json_lines()
}

#[test]
fn each_text_is_kept_and_answered_in_order() {
    let desk = Desk::new();
    let line = |number: usize| {
        json!({"id": format!("t{number}"), "text": format!("Text {number} names the token number{number}x.")})
            .to_string()
    };
    let lines: Vec<_> = (0..700).map(line).collect();
    let told = send(&desk, &[], &lines, 0);
    let ids: Vec<_> = told.iter().map(|row| text(row, "id").to_owned()).collect();
    assert_eq!(ids, (0..700).map(|number| format!("t{number}")).collect::<Vec<_>>());
    assert!(told.iter().all(|row| row["status"] == "taken" && row["chunks"] == 1), "{told:#?}");
    let found = desk.found("number345x", &[]);
    assert_eq!((found.len(), &found[0]["source_id"]), (1, &told[345]["source_id"]));
    // The same again changes nothing.
    let again = send(&desk, &[], &lines[..20], 0);
    assert!(again.iter().all(|row| row["status"] == "unchanged"));
    assert_eq!(desk.sources(&["--all"]).len(), 700);
    // No run was made of it.
    assert!(desk.run(&["runs", "list", "--json"]).exits(0).json_lines().is_empty());
}

#[test]
fn a_text_has_its_own_title_collection_and_metadata() {
    let desk = Desk::new();
    let lines = [
        json!({"id": "a", "text": "One on pangolins.", "title": "Pangolins", "metadata": {"team": "blue", "year": 2024}}),
        json!({"id": "b", "text": "Two on pangolins.", "collection": "other"}),
    ];
    let lines = lines.map(|line| line.to_string());
    send(&desk, &["--collection", "mine", "--meta", "team=red"], &lines, 0);
    let number = |filter: &[&str]| {
        let wide = ["--min-score", "0"];
        desk.found("pangolins", &[&wide[..], filter].concat()).len()
    };
    assert_eq!(number(&[]), 2);
    assert_eq!(number(&["--collection", "mine"]), 1);
    assert_eq!(number(&["--collection", "other", "--filter", "team=red"]), 1);
    assert_eq!(number(&["--filter", "team=blue", "--filter", "title=Pangolins"]), 1);
    assert_eq!(number(&["--filter", "year=2024"]), 1);
}

#[test]
fn a_line_that_fails_is_answered_in_its_place_and_spoils_no_other() {
    let desk = Desk::new();
    let good = |id: &str| json!({"id": id, "text": "A good text on quinces."}).to_string();
    let lines = [
        good("a"),
        "{".to_owned(),
        json!({"id": "x", "text": "y", "colour": "red"}).to_string(),
        String::new(),
        json!({"id": " ", "text": "y"}).to_string(),
        json!({"id": "empty", "text": " \n"}).to_string(),
        json!({"id": "c", "text": "y", "collection": ""}).to_string(),
        good("b"),
    ];
    let told = send(&desk, &[], &lines, 1);
    let short = |row: &Value| match row["error"]["code"].as_str() {
        Some(code) => code.to_owned(),
        None => format!("{} {}", text(row, "id"), text(row, "status")),
    };
    let told: Vec<_> = told.iter().map(short).collect();
    let invalid = "VALIDATION_ERROR";
    assert_eq!(told, ["a taken", invalid, invalid, invalid, "empty skipped", invalid, "b taken"]);
}

#[test]
fn the_last_of_several_texts_with_one_id_is_kept() {
    let desk = Desk::new();
    let line = |said: &str| json!({"id": "a", "text": said}).to_string();
    let lines =
        [line("First come lychees."), line("Then come mangos."), line("Last come papayas.")];
    let told = send(&desk, &[], &lines, 0);
    let statuses: Vec<_> = told.iter().map(|row| text(row, "status")).collect();
    assert_eq!(statuses, ["taken", "replaced", "replaced"]);
    assert_eq!(desk.found("papayas", &[]).len(), 1);
    assert!(desk.found("lychees mangos", &["--min-score", "0"]).is_empty());
}

#[test]
fn an_answer_comes_before_the_next_text_is_sent_and_is_durable() {
    let desk = Desk::new();
    let mut command = desk.home.consign(&["ingest", "--stream"]).into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..3 {
        let line = json!({"id": format!("t{number}"), "text": format!("Text on figs{number}.")});
        writeln!(stdin, "{line}").expect("the binary is reading");
        let mut told = String::new();
        stdout.read_line(&mut told).expect("the binary is writing");
        assert!(told.contains(&format!("\"t{number}\"")), "{told}");
    }
    child.kill().expect("our own child");
    child.wait().expect("it ends");
    assert_eq!(desk.sources(&[]).len(), 3);
}
