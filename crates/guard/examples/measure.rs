//! Measures the guard on `bench/data/guard`: `cargo run --release -p consign-guard --example measure -- [misses]`.
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::{collections::BTreeMap, fs, path::Path, time::Instant};

use consign_guard::{Guard, Marks, Options, Risk, Verdict};

struct Case {
    expect: String,
    kind: String,
    lang: String,
    text: String,
    verdict: Verdict,
    threat: f64,
}

fn cases(name: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/data/guard").join(name);
    let content = fs::read_to_string(path).expect("the data is there");
    let guard = Guard::new(Options::default());
    let sure = Guard::new(Options { threshold: 0.0, ..Options::default() });
    let field =
        |value: &serde_json::Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    content
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            let text = field(&value, "text");
            let verdict = guard.check_input(&text, &mut Marks::new([1; 32]));
            // At a threshold of 0 everything that was found blocks, so the score is that of the threat.
            let scores = sure.scores(&text);
            let threat = scores.into_iter().map(|(_, score)| score).fold(0.0, f64::max);
            Case {
                expect: field(&value, "expect"),
                kind: field(&value, "kind"),
                lang: field(&value, "lang"),
                text,
                verdict,
                threat,
            }
        })
        .collect()
}

fn share(cases: &[&Case], threshold: f64) -> String {
    let over = cases.iter().filter(|it| it.threat >= threshold).count();
    format!("{over}/{} ({:.1} %)", cases.len(), 100.0 * over as f64 / cases.len().max(1) as f64)
}

fn main() {
    let misses = std::env::args().nth(1);
    for name in ["development.jsonl", "test.jsonl"] {
        let cases = cases(name);
        let of = |expect: &str| cases.iter().filter(|it| it.expect == expect).collect::<Vec<_>>();
        println!(
            "\n## {name}\n\n| threshold | attacks | code | hate | trigger words | ordinary |\n|---|---|---|---|---|---|"
        );
        for threshold in [0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9] {
            let cell = |expect: &str| share(&of(expect), threshold);
            println!(
                "| {threshold} | {} | {} | {} | {} | {} |",
                cell("attack"),
                cell("code"),
                cell("hate"),
                cell("trigger"),
                cell("ordinary")
            );
        }
        let mut kinds: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
        for case in &cases {
            let kind = if case.kind == "other language" {
                format!("other language ({})", case.lang)
            } else {
                case.kind.clone()
            };
            kinds.entry(kind).or_default().push(case);
        }
        println!("\n| kind | blocked |\n|---|---|");
        for (kind, cases) in kinds {
            println!("| {kind} | {} |", share(&cases, consign_guard::THRESHOLD));
        }
        let wrong_risk = cases.iter().filter(|it| !it.verdict.is_safe).filter(|it| {
            let expected = match it.expect.as_str() {
                "attack" => Risk::Injection,
                "code" => Risk::MaliciousCode,
                "hate" => Risk::HateSpeech,
                _ => return false,
            };
            it.verdict.risk != expected
        });
        println!("\nblocked for another reason: {}", wrong_risk.count());
        if misses.as_deref().is_some_and(|it| name.starts_with(it)) {
            for case in &cases {
                let harmful = !matches!(case.expect.as_str(), "trigger" | "ordinary");
                if harmful == case.verdict.is_safe {
                    println!(
                        "{} {:.2} {:?} {}",
                        case.kind,
                        case.threat,
                        case.verdict.found.first().map(|it| &it.kind),
                        case.text.replace('\n', "\\n")
                    );
                }
            }
        }
    }
    let guard = Guard::new(Options::default());
    let mut marks = Marks::new([1; 32]);
    let start = Instant::now();
    guard.check_input("warm up", &mut marks);
    println!("\nfirst text, tables built: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let prose =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runs.md"))
            .expect("it is there");
    for (name, text) in [
        ("a prompt of 100 bytes", &prose[..100]),
        ("a page of 4 KB", &prose[..4096]),
        ("all of docs/runs.md", &prose),
    ] {
        let rounds = 200_000 / text.len().max(1) + 3;
        let time = |work: &mut dyn FnMut()| {
            let start = Instant::now();
            (0..rounds).for_each(|_| work());
            start.elapsed().as_secs_f64() * 1e3 / rounds as f64
        };
        let whole = time(&mut || drop(guard.check_input(text, &mut marks)));
        let passage = time(&mut || drop(guard.passage(text)));
        println!(
            "{name} ({} bytes): input {whole:.3} ms ({:.3} ms per KB), passage {passage:.3} ms",
            text.len(),
            whole * 1024.0 / text.len() as f64
        );
    }
}
