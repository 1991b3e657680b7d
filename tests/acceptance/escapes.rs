//! What comes from outside never speaks to the terminal, nor in our name

use serde_json::{Value, json};

use crate::support::{Consign, Folder, Outcome, consign};

const RESPONSE: &str = "job/agent-response";

/// What a hostile document would write if it could: a title for the window, a cleared line, a
/// link, the same with one-byte controls, and a line of its own.
pub(crate) const SPELLS: [&str; 6] = [
    "\u{1b}]0;owned\u{7}",
    "\u{1b}[2K\r",
    "\u{1b}]8;;http://example.com\u{1b}\\here",
    "\u{9b}31m",
    "\u{8}\u{8}\u{8}\u{7f}",
    "a\n1: valid",
];

/// Demands that only our own styles and line breaks are left of all control characters.
#[track_caller]
pub(crate) fn tame(runs: impl IntoIterator<Item = Outcome>) {
    let wild = |run: &Outcome| {
        let mut rest = format!("{}{}", run.stdout, run.stderr);
        for style in ["0", "1", "2", "4", "31", "32", "33", "36"] {
            rest = rest.replace(&format!("\u{1b}[{style}m"), "");
        }
        rest.chars().any(|letter| letter.is_control() && !"\n\t".contains(letter))
    };
    let wild: Vec<_> = runs.into_iter().filter(wild).map(|run| format!("{run:?}")).collect();
    let some = wild.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wild.is_empty(), "{} reached the terminal, such as\n{some}", wild.len());
}

/// Documents that carry a spell wherever a document can carry text.
fn enchanted(spell: &str) -> Vec<Value> {
    vec![
        json!({spell: 1}),
        json!({"action": spell, "evidence_files": [{spell: spell}], "summary_for_supervisor": 1}),
        json!([spell]),
        json!(spell),
    ]
}

#[test]
fn escape_sequences_in_a_document_never_reach_the_terminal() {
    let mut runs = Vec::new();
    for spell in SPELLS {
        let lines: Vec<_> = enchanted(spell).iter().map(Value::to_string).collect();
        for color in ["always", "never"] {
            let args = ["contracts", "check", RESPONSE, "--color", color];
            let alone = lines.iter().map(|line| Consign::new(args).stdin(line.as_str()).run());
            runs.extend(alone.map(|run| run.exits(1)));
            let args = [&args[..], &["--stream"]].concat();
            runs.push(Consign::new(args).stdin(lines.join("\n")).run().exits(1));
        }
    }
    tame(runs);
}

#[test]
fn escape_sequences_in_a_malformed_document_never_reach_the_terminal() {
    let mut runs = Vec::new();
    for spell in SPELLS {
        let key = Value::from(spell);
        let repeated = format!("{{{key}: 1, {key}: 2}}");
        for stream in [&[][..], &["--stream"]] {
            let args = [&["contracts", "check", RESPONSE, "--color", "always"], stream].concat();
            runs.push(Consign::new(&args).stdin(repeated.as_str()).run().exits(1));
            runs.push(Consign::new(&args).stdin(spell).run().exits(1));
        }
    }
    tame(runs);
}

#[test]
fn a_document_cannot_forge_a_verdict_of_another_line() {
    let documents = enchanted("a\n1: valid");
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"additionalProperties": false, "type": "object"}"#);
    let own = folder.file("own.json", r#"{"additionalProperties": {"type": "string"}}"#);
    for against in [&[RESPONSE][..], &["--schema", &schema], &["--schema", &own]] {
        let lines: Vec<_> = documents.iter().map(Value::to_string).collect();
        let args = [&["contracts", "check", "--stream"], against].concat();
        let run = Consign::new(args).stdin(lines.join("\n")).run().exits(1);
        assert_eq!(run.stdout.lines().count(), documents.len(), "{}", run.stdout);
    }
}

#[test]
fn escape_sequences_in_a_schema_never_reach_the_terminal() {
    let folder = Folder::new();
    let anything = folder.file("anything.json", "true");
    let mut runs = Vec::new();
    for spell in SPELLS {
        for schema in [
            json!({"$schema": spell}),
            json!({"$ref": spell}),
            json!({"$ref": format!("http://example.com/{spell}")}),
            json!({"type": spell}),
            json!({"pattern": format!("({spell}")}),
            json!({"pattern": spell, "type": "integer"}),
            json!({"required": [spell]}),
            json!({"enum": [spell]}),
            json!({"const": {spell: spell}}),
            json!({"properties": {spell: false}, "required": [spell]}),
        ] {
            let file = folder.file("schema.json", schema.to_string());
            let args = ["contracts", "check", "--color", "always", "--schema", &file];
            runs.push(Consign::new(args).stdin("{}").run());
            for (old, new) in [(&anything, &file), (&file, &anything)] {
                runs.push(consign(["contracts", "compat", "--color", "always", "any", old, new]));
            }
        }
    }
    tame(runs);
}

#[test]
fn escape_sequences_in_names_never_reach_the_terminal() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", "true");
    let mut runs = Vec::new();
    for spell in SPELLS {
        for args in [
            ["contracts", "show", spell].to_vec(),
            ["contracts", "list", spell].to_vec(),
            ["contracts", "check", RESPONSE, spell].to_vec(),
            ["contracts", "check", "--schema", spell].to_vec(),
            ["contracts", "check", "--schema", &schema, spell, "-"].to_vec(),
            ["contracts", "compat", spell, &schema, &schema].to_vec(),
            ["contracts", "compat", "any", spell, &schema].to_vec(),
        ] {
            let args = [&["--color", "always"], &args[..]].concat();
            runs.push(Consign::new(args).folder(folder.path()).stdin("1").run());
        }
        let home = folder.path().join(spell);
        runs.push(Consign::new(["doctor", "--color", "always"]).env("CONSIGN_HOME", home).run());
    }
    tame(runs);
}
