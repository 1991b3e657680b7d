//! Says what the guard says of each line of standard input: `cargo run -p consign-guard --example try_guard -- input`.
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::io::{BufRead, stdin};

use consign_guard::{Guard, Marks, Options};

fn main() {
    let side = std::env::args().nth(1).unwrap_or_else(|| "input".to_owned());
    let guard = Guard::new(Options { redact_entities: side == "entities", ..Options::default() });
    let mut marks = Marks::new([7; 32]);
    for line in stdin().lock().lines().map_while(Result::ok) {
        if side == "passages" {
            let source = line.replace("\\n", "\n");
            let passage = guard.passage(&source);
            let found: Vec<String> = passage
                .found
                .iter()
                .map(|it| format!("{}: {}", it.kind, &source[it.span.clone()]))
                .collect();
            println!("{}", serde_json::json!({"text": passage.text, "found": found}));
        } else if side == "passage" {
            let passage = guard.passage(&line.replace("\\n", "\n"));
            let kinds: Vec<&str> = passage.found.iter().map(|it| it.kind.as_str()).collect();
            println!("{kinds:?} {}", passage.text);
        } else {
            let verdict = match side.as_str() {
                "output" => guard.check_output(&line, &mut marks),
                _ => guard.check_input(&line, &mut marks),
            };
            let kinds: Vec<&str> = verdict.found.iter().map(|it| it.kind.as_str()).collect();
            println!(
                "{:.3} {} {kinds:?} {}",
                verdict.score,
                verdict.risk.as_str(),
                verdict.sanitized
            );
        }
    }
}
