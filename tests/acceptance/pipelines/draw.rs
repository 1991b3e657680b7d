//! `consign pipeline`: what is wrong with one, what it can come to, and how it looks.

use std::fs;

use serde_json::json;

use super::{process::TWO, yard::Yard};
use crate::support::{Consign, root, text};

#[test]
fn a_pipeline_that_can_be_run_is_told_what_it_can_come_to() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let told = yard.run(&["pipeline", "check", &two]).exits(0);
    assert_eq!(told.stdout, "first\tsubprocess\tfirst\tsecond\nsecond\tsubprocess\tsecond\tend\n");
    told.telling("two can be run")
        .telling("at most 2 hops")
        .telling("at least 2 hops and 0 model calls, where 21 and 10 are allowed");
    let told = yard.run(&["pipeline", "check", &two, "--json"]).exits(0).json();
    assert_eq!((&told["valid"], &told["stages"]), (&json!(true), &json!(["first", "second"])));
    assert_eq!((&told["worst"]["hops"], &told["worst"]["calls"]), (&json!(2), &json!(6)));
    assert_eq!(told["shortest"], json!({"hops": 2, "llm_calls": 0}));
    // The one that comes with Consign, and those of the examples.
    let told = yard.run(&["pipeline", "check", "--json"]).exits(0).json();
    assert_eq!(told["stages"].as_array().map(Vec::len), Some(6));
    for file in fs::read_dir(root().join("examples/pipelines")).expect("the examples") {
        let path = file.expect("an example").path();
        if fs::read_to_string(&path).is_ok_and(|text| text.contains("[[stage]]")) {
            yard.run(&["pipeline", "check", &path.display().to_string()]).exits(0);
        }
    }
}

const WRONG: &str = r#"name = "wrong"
[[stage]]
tries = 99
name = "first"
agent = "percepton"
default_next = "secnd"

[[stage]]
name = "second"
agent = "pass"
model = "opnai/gpt-5-mini"
default_next = "second"

[[stage]]
name = "third"
agent.effect = "pur"
agent.subproces.command = []
output_key = "second"

[[stage]]
name = "fourth"
agent = "beside.toml"
"#;

const BESIDE: &str = "name = \"beside\"\n[bridge]\npromt = \"?\"\ndeadline_seconds = -1\n";

#[test]
fn everything_that_is_wrong_is_told_at_once_with_its_line() {
    let yard = Yard::new();
    yard.file("beside.toml", BESIDE);
    let wrong = yard.file("wrong.toml", WRONG);
    let told = yard.run(&["pipeline", "check", &wrong]).fails(1, "PIPELINE_INVALID");
    for (line, words) in [
        (3, "/stages/0/tries: 99 is above the maximum of 10"),
        (5, "there is no agent \"percepton\"; did you mean \"perception\"?"),
        (6, "there is no stage \"secnd\"; did you mean \"second\"?"),
        (6, "from stage \"first\" nothing leads to the end"),
        (11, "works without a model"),
        (11, "there is no provider \"opnai\""),
        (12, "nothing leads to the end"),
        (14, "nothing leads to stage \"third\""),
        (16, "effect is \"pur\"; did you mean \"pure\"?"),
        (17, "unknown field `subproces`; did you mean `subprocess`?"),
        (17, "subproces.command is empty"),
        (18, "both write the output \"second\""),
        (20, "nothing leads to stage \"fourth\""),
        (
            22,
            "the agent of \"fourth\": beside.toml:3: unknown field `bridge.promt`; did you mean `prompt`?",
        ),
        (22, "the agent of \"fourth\": beside.toml:4: bridge.deadline_seconds is -1"),
    ] {
        let found = told
            .stderr
            .lines()
            .any(|said| said.contains(&format!("wrong.toml:{line}: ")) && said.contains(words));
        assert!(found, "{line}: {words}: {}", told.stderr);
    }
    assert_eq!(told.stderr.matches("wrong.toml:").count(), 15, "{}", told.stderr);
    // For programs that it is none is the answer, and no error.
    let told = yard.run(&["pipeline", "check", &wrong, "--json"]).exits(1).json();
    assert_eq!(told["valid"], false);
    let wrong = told["wrong"].as_array().expect("a list");
    assert!(
        wrong
            .iter()
            .any(|one| one["line"] == 11 && text(one, "message").contains("without a model")),
        "{told}"
    );
    for (name, content, words) in [
        ("torn.toml", "name = \"x\n", "torn.toml:1: "),
        ("empty.toml", "", "empty.toml"),
        (
            "typo.toml",
            "name = \"x\"\n[[stage]]\nname = \"a\"\nagent = \"pass\"\nagnet = 1\n",
            "agnet",
        ),
        ("torn.json", "{\"name\": \"x\", ", "torn.json"),
        ("binary.toml", "\u{0}\u{1}", "binary.toml"),
    ] {
        let file = yard.file(name, content);
        yard.run(&["pipeline", "check", &file]).fails(1, "PIPELINE_INVALID").telling(words);
    }
    let json =
        json!({"name": "j", "stages": [{"name": "a", "agent": "pass", "default_next": "b"}]});
    let pretty = serde_json::to_string_pretty(&json).expect("it is JSON");
    let line =
        pretty.lines().position(|line| line.contains("default_next")).expect("it is there") + 1;
    let file = yard.file("j.json", pretty);
    yard.run(&["pipeline", "check", &file])
        .fails(1, "PIPELINE_INVALID")
        .telling(&format!("j.json:{line}: "));
}

/// A critic without a route: where its verdicts lead is in no line of the file.
const UNSAID: &str = r#"
name = "unsaid"
[[stage]]
name = "understand"
agent = "intent"
output_key = "intent"
default_next = "think"
[[stage]]
name = "think"
agent = "plan"
output_key = "plan"
default_next = "judge"
[[stage]]
name = "judge"
agent = "critic"
output_key = "critic"
"#;

#[test]
fn every_way_is_shown_also_those_that_no_route_names() {
    let yard = Yard::new();
    let unsaid = yard.file("unsaid.toml", UNSAID);
    let told = yard.run(&["pipeline", "check", &unsaid]).exits(0).stdout;
    let next = |stage: &str| {
        let row = told.lines().find(|row| row.starts_with(&format!("{stage}\t")));
        row.and_then(|row| row.rsplit('\t').next()).unwrap_or_default().to_owned()
    };
    assert_eq!(next("understand"), "think; understand (clarified)");
    let judged = "understand (verdict = reintent); think (verdict = next_stage); end (else)";
    assert_eq!(next("judge"), judged);
    let told = yard.run(&["pipeline", "check", &unsaid, "--json"]).exits(0).json();
    let back = json!({"from": "judge", "to": "understand", "when": ["verdict = reintent"]});
    assert!(told["ways"].as_array().expect("a list").contains(&back), "{told}");
    let told = yard.run(&["pipeline", "draw", &unsaid, "--format", "mermaid"]).exits(0).stdout;
    for line in [
        "s2 -->|\"verdict = reintent\"| s0",
        "s2 -->|\"verdict = next_stage\"| s1",
        "s2 -->|\"else\"| finish",
        "s0 -.->|\"clarified\"| s0",
    ] {
        assert!(told.lines().any(|known| known.trim() == line), "{line}: {told}");
    }
    let svg = yard.run(&["pipeline", "draw", &unsaid]).exits(0).stdout;
    for word in ["verdict = reintent", "verdict = next_stage", "clarified"] {
        assert!(svg.contains(&format!(">{word}</text>")), "{word}: {svg}");
    }
}

#[test]
fn a_pipeline_that_no_envelope_could_come_through_is_refused() {
    let yard = Yard::new();
    let stage = |at: u32| {
        let next = if at == 11 { "end".to_owned() } else { format!("s{}", at + 1) };
        format!("[[stage]]\nname = \"s{at}\"\nagent = \"asks.toml\"\ndefault_next = \"{next}\"\n")
    };
    let stages: String = (1..=11).map(stage).collect();
    yard.file("asks.toml", "name = \"asks\"\n[model]\nname = \"openai/gpt-5-mini\"\n");
    let long = yard.file("long.toml", format!("name = \"long\"\nmax_agent_hops = 4\n{stages}"));
    yard.run(&["pipeline", "check", &long])
        .fails(1, "PIPELINE_INVALID")
        .telling(
            "long.toml:1: the shortest way to the end has 11 model calls, and max_llm_calls is 10",
        )
        .telling("long.toml:2: the shortest way to the end has 11 hops, and max_agent_hops is 4");
    yard.run(&["run", &long]).fails(1, "PIPELINE_INVALID");
}

#[test]
fn an_agent_of_ones_own_is_suggested_where_its_name_is_nearly_right() {
    let yard = Yard::new();
    let own = "name = \"reviewer\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"cat\"]\n";
    let own = yard.file("own.toml", own);
    yard.run(&["agents", "add", &own]).exits(0);
    let near = "name = \"near\"\n[[stage]]\nname = \"a\"\nagent = \"revewer\"\n";
    let near = yard.file("near.toml", near);
    yard.run(&["pipeline", "check", &near])
        .fails(1, "PIPELINE_INVALID")
        .telling("near.toml:4: there is no agent \"revewer\"; did you mean \"reviewer\"?");
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let yard = Yard::new();
    let again = TWO.replacen("default_next", "error_next = \"first\"\ndefault_next", 1);
    let again = yard.file("again.toml", again);
    let told = yard.run(&["pipeline", "check", &again]).exits(0);
    told.telling("warning: ").telling("a failure of \"first\" leads back to it");
    let told = yard.run(&["pipeline", "check", &again, "--json"]).exits(0).json();
    assert!(text(&told["warnings"][0], "message").contains("leads back to it"), "{told}");
}

#[test]
fn a_warning_is_told_together_with_what_is_wrong() {
    let yard = Yard::new();
    let again = TWO.replacen("default_next", "error_next = \"first\"\ntries = 99\ndefault_next", 1);
    let again = yard.file("again.toml", again);
    yard.run(&["pipeline", "check", &again])
        .fails(1, "PIPELINE_INVALID")
        .telling("tries: 99 is above the maximum of 10")
        .telling("warning: ")
        .telling("a failure of \"first\" leads back to it");
    let told = yard.run(&["pipeline", "check", &again, "--json"]).exits(1).json();
    assert!(text(&told["warnings"][0], "message").contains("leads back to it"), "{told}");
    assert_eq!(told["wrong"].as_array().map(Vec::len), Some(1), "{told}");
}

/// Values that are written alike, and are not the same.
const ALIKE: &str = r#"
name = "alike"
[[stage]]
name = "a"
agent = "pass"
route = [
  { key = "k", equals = true, to = "end" },
  { key = "k", equals = "true", to = "b" },
  { key = "k", equals = "1", to = "b" },
  { key = "k", equals = "", to = "b" },
]
default_next = "end"
[[stage]]
name = "b"
agent = "pass"
"#;

#[test]
fn text_in_a_route_is_not_shown_like_another_value() {
    let yard = Yard::new();
    let alike = yard.file("alike.toml", ALIKE);
    let told = yard.run(&["pipeline", "check", &alike]).exits(0).stdout;
    let next = "end (k = true, else); b (k = \"true\", k = \"1\", k = \"\")";
    assert!(told.contains(next), "{told}");
    let told = yard.run(&["pipeline", "draw", &alike, "--format", "mermaid"]).exits(0).stdout;
    for label in ["|\"k = true, else\"|", "|\"k = #34;true#34;, k = #34;1#34;, k = #34;#34;\"|"] {
        assert!(told.contains(label), "{label}: {told}");
    }
    let svg = yard.run(&["pipeline", "draw", &alike]).exits(0).stdout;
    for label in [">k = true<", ">k = &quot;true&quot;<", ">k = &quot;&quot;<"] {
        assert!(svg.contains(label), "{label}: {svg}");
    }
}

#[test]
fn a_program_that_is_not_there_is_a_warning_and_no_fault() {
    let yard = Yard::new();
    let told = TWO.replace("[\"cat\"]", "[\"no-such-program\"]");
    assert_ne!(told, TWO);
    let two = yard.file("two.toml", told);
    let told = yard.run(&["pipeline", "check", &two]).exits(0).telling("two can be run");
    assert!(
        told.stderr.contains("warning: ") && told.stderr.contains("is not on the PATH"),
        "{told:#?}"
    );
    let told = yard.run(&["pipeline", "check", &two, "--json"]).exits(0).json();
    let warnings = told["warnings"].as_array().expect("a list");
    assert!(text(&warnings[0], "message").contains("\"no-such-program\""), "{told}");
    assert!(warnings[0]["line"].is_number(), "{told}");
    let two = yard.file("two.toml", TWO);
    let told = yard.run(&["pipeline", "check", &two, "--json"]).exits(0).json();
    assert_eq!(told["warnings"], json!([]));
}

/// Everything in it that comes from the file means something to XML, to Mermaid or to a terminal.
const HOSTILE: &str = r#"
name = "hostile"
description = "</title><script>alert(1)</script>"
[[stage]]
name = "first"
description = "\"><img src=x onerror=alert(1)>"
agent = "./a&<b>\"'].toml"
default_next = "end"
[[stage.route]]
key = "x.<y>"
equals = "</text><script>&\"'\u001b[31m\u0000\u0007\nclick s0 call evil()\n%%{init: {}}%%\uFFFE"
to = "end"
"#;

#[test]
fn a_picture_is_well_formed_whatever_stands_in_the_file() {
    let yard = Yard::new();
    let hostile = yard.file("hostile.toml", HOSTILE);
    let svg = yard.run(&["pipeline", "draw", &hostile]).exits(0).stdout;
    let file = yard.file("picture.svg", &svg);
    let parse = "import sys, xml.etree.ElementTree as t\nr = t.parse(sys.argv[1]).getroot()\n\
                 print(' '.join(sorted({e.tag.split('}')[1] for e in r.iter()})))";
    let tags = Consign::of("python3", ["-c", parse, &file]).run().exits(0).stdout;
    assert_eq!(tags.trim(), "defs marker path rect style svg text title", "{svg}");
    assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg}");
    assert!(!svg.contains(|letter: char| letter.is_control() && letter != '\n'), "{svg:?}");
    let two = yard.file("two.toml", TWO);
    for args in [&["pipeline", "draw"][..], &["pipeline", "draw", &two]] {
        let svg = yard.run(args).exits(0).stdout;
        let file = yard.file("picture.svg", &svg);
        Consign::of("python3", ["-c", parse, &file]).run().exits(0);
    }
}

#[test]
fn a_picture_as_text_has_its_stages_and_ways() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let told = yard.run(&["pipeline", "draw", &two, "--format", "mermaid"]).exits(0).stdout;
    assert!(told.starts_with("flowchart TD\n"), "{told}");
    for line in ["start --> s0", "s0 --> s1", "s1 --> finish"] {
        assert!(told.lines().any(|known| known.trim() == line), "{line}: {told}");
    }
    yard.run(&["pipeline", "draw", "/no/such.toml"]).fails(1, "FILE_UNREADABLE");
    yard.run(&["pipeline", "draw", &two, "--format", "png"]).fails(2, "USAGE");
}

#[test]
fn a_picture_as_text_has_a_line_for_each_way_and_no_other() {
    let yard = Yard::new();
    let hostile = yard.file("hostile.toml", HOSTILE);
    let told = yard.run(&["pipeline", "draw", &hostile, "--format", "mermaid"]).exits(0).stdout;
    // Two ends, a stage, the way to it and the one from it.
    assert_eq!(told.lines().count(), 6, "{told}");
    assert!(!told.contains(|letter: char| letter.is_control() && letter != '\n'), "{told:?}");
}
