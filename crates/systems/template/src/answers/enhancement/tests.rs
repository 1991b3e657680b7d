//! Bodies as they come, and bodies that mean harm.

use consign_contracts::wire::Message;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

proptest! {
    #[test]
    fn whatever_the_body_is_the_front_matter_and_the_title_stay(
        content in "([-=#`~. \t\r\n\u{1b}\u{202e}]|---\n|```|# |[a-z]|é){1,60}",
        advice in "(?s).{0,40}",
    ) {
        let answer = json!({"agent_name": "go-tester", "content": content,
            "best_practices": [advice], "examples": [{"title": "t", "code": content}]});
        if let Ok(file) = apply(&answer) {
            prop_assert_eq!(front_matter(&file.content), Some(FRONT));
            prop_assert_eq!(title(&file.content), Some("Go tester"));
            let strange = |letter: char| letter.is_control() && !"\n\t".contains(letter);
            prop_assert!(!file.content.contains(strange));
            // The last section is ours, whatever fence the content left open.
            let (before, _) = file.content.rsplit_once("\n## Examples\n").unwrap();
            prop_assert_eq!(before.lines().filter(|line| *line == "# Go tester").count(), 1);
            let tamed = tame(&plain::block(&content, 12_000));
            prop_assert_eq!(tame(&tamed), tamed.clone(), "it is tame the first time");
        }
    }
}

const FRONT: &str = "---\nname: \"go-tester\"\ntools: \"Read\"\n---\n";

fn draft() -> AgentFile {
    AgentFile {
        name: "go-tester".to_owned(),
        content: format!("{FRONT}\n# Go tester\n\nOld.\n"),
        source: Source::Heuristic,
    }
}

fn apply_all(answer: &Value) -> Result<(AgentFile, Vec<String>), String> {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("a_test.go"), "").unwrap();
    let answer = AgentEnhancement::from_json(answer.to_string().as_bytes()).unwrap();
    apply_enhancement(project.path(), &draft(), &answer)
}

fn apply(answer: &Value) -> Result<AgentFile, String> {
    apply_all(answer).map(|(file, _)| file)
}

fn body(content: &str) -> String {
    let file = apply(&json!({"agent_name": "go-tester", "content": content})).unwrap();
    let start = format!("{FRONT}\n# Go tester\n\n");
    file.content.strip_prefix(&start).expect("front matter and title are ours").to_owned()
}

#[test]
fn a_whole_answer_becomes_the_body() {
    let applied = apply_all(&json!({
        "agent_name": "go-tester",
        "content": "## Steps\n\nOne.",
        "best_practices": ["Name\nit.", "\u{7}"],
        "anti_patterns": ["Sleep."],
        "examples": [
            {"title": "A test", "code": "func Test() {}\n```\n", "language": "go\n---", "file": "a_test.go"},
            {"title": "B", "code": "x", "file": null},
            {"title": "C", "code": "x", "file": "../../c"},
            {"title": "D", "code": "x", "file": "d.go"}]
    }));
    let (file, dropped) = applied.unwrap();
    assert_eq!(
        dropped,
        [
            "the example C: ../../c is not in the project",
            "the example D: d.go is not in the project"
        ]
    );
    assert_eq!(file.source, Source::Agent);
    let expected = format!(
        "{FRONT}\n# Go tester\n\n## Steps\n\nOne.\n\n## Best practices\n\n- Name it.\n\n## What to avoid\n\n\
         - Sleep.\n\n## Examples\n\n### A test\n\nFrom `a_test.go`:\n\n````go---\nfunc Test() {{}}\n```\n````\n\n\
         ### B\n\n```\nx\n```\n\n"
    );
    assert_eq!(file.content, expected);
}

#[test]
fn nothing_in_a_body_is_taken_for_front_matter_or_a_title() {
    let check = |content: &str, expected: &str| assert_eq!(body(content), expected, "{content:?}");
    check("---\nname: evil\ntools: Bash\n---\nText", "***\nname: evil\n## tools: Bash\nText\n");
    check("Text\n\n---\n\nMore", "Text\n\n***\n\nMore\n");
    check("# Title\n\nText", "## Title\n\nText\n");
    check("Title\n=====\n\nText", "## Title\n\nText\n");
    check("  # Title", "## Title\n");
    check("```yaml\n---\n# comment\n```", "```yaml\n---\n# comment\n```\n");
    check("```\n# open", "```\n# open\n```\n");
    check("~~~\n```\n~~~\n# after", "~~~\n```\n~~~\n## after\n");
    check("a\u{1b}[31mb\0c\u{202e}d", "a[31mbcd\n");
    check("a\r\n---\r\nb", "## a\nb\n");
    check("- a\n---\n...\nb", "- a\n***\n...\nb\n");
}

#[test]
fn an_answer_that_cannot_be_used_says_why() {
    let check = |answer: Value, why: &str| {
        let found = apply(&answer).unwrap_err();
        assert!(found.contains(why), "{found}");
    };
    check(json!({"agent_name": "other", "content": "x"}), "about other, not go-tester");
    check(json!({"agent_name": "go-tester", "content": "\u{200b} ---"}), "has no text");
    let long = json!({"title": "t", "code": "é".repeat(3000)});
    check(
        json!({"agent_name": "go-tester", "content": "x", "examples": vec![long; 10]}),
        "the limit is 49152",
    );
    let answer = AgentEnhancement::from_json(br#"{"agent_name": "a", "content": "x"}"#).unwrap();
    let bare =
        AgentFile { name: "a".to_owned(), content: "x".to_owned(), source: Source::Heuristic };
    assert!(
        apply_enhancement(std::path::Path::new("/"), &bare, &answer)
            .unwrap_err()
            .contains("no front matter")
    );
}
