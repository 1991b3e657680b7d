//! `consign ask-code`: answers that rest on lines that exist, from repositories that nobody should trust.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use super::{
    three_ways::repository,
    yard::{Yard, keeps, sorted},
};
use crate::{
    models::{Double, with_keys},
    support::{Consign, Outcome, keys, text},
};

const QUESTION: &str = "who calls hash_password?";

fn ask(yard: &Yard, question: &str, more: &[&str]) -> Outcome {
    yard.run(&[&["ask-code", question, "--repo", "repo"], more].concat())
}

/// Every citation of an answer is a line that is there.
#[track_caller]
fn rests_on_lines(repo: &Path, answer: &Value) -> usize {
    let citations = answer["citations"].as_array().expect("a list");
    for citation in citations {
        let (path, line) = text(citation, "location").rsplit_once(':').expect("a path and a line");
        let file =
            fs::read_to_string(repo.join(path)).unwrap_or_else(|_| panic!("{path} is not there"));
        let line: usize = line.parse().unwrap_or_else(|_| panic!("{citation}"));
        let there =
            file.lines().nth(line - 1).unwrap_or_else(|| panic!("{path} has no line {line}"));
        assert_eq!(there.trim(), text(citation, "text").trim(), "{citation}");
    }
    citations.len()
}

#[test]
fn what_an_answer_quotes_stands_where_it_says() {
    let yard = Yard::new();
    repository(&yard);
    for question in [
        QUESTION,
        "where is login defined?",
        "how does authentication work?",
        "what does open_session return?",
        "how does checkout use login?",
    ] {
        let told = ask(&yard, question, &["--json"]).exits(0).json();
        assert_eq!(
            keys(&told),
            ["answer", "asks", "envelope_id", "question", "session_id", "sources", "spent_usd"]
        );
        assert!(rests_on_lines(&yard.path("repo"), &told["answer"]) > 0, "{question}: {told}");
        assert_eq!((&told["asks"], &told["spent_usd"]), (&Value::Null, &json!(0)));
        keeps("envelope/output.integration", &told["answer"]);
    }
    let told = ask(&yard, QUESTION, &["--json"]).exits(0).json();
    let cited = told["answer"]["citations"].to_string();
    assert!(cited.contains("\"src/auth.py:6\""), "{cited}");
}

#[test]
fn an_answer_is_written_for_people_for_pages_and_for_programs() {
    let yard = Yard::new();
    repository(&yard);
    let words = ask(&yard, QUESTION, &[]).exits(0);
    assert!(words.stdout.contains("\nSources\n  src/auth.py:"), "{words:#?}");
    words.telling("by rules, without a model").telling("go on: --session sess_");
    let page = ask(&yard, QUESTION, &["--format", "markdown"]).exits(0);
    assert!(page.stdout.contains("\n## Sources\n- `src/auth.py:"), "{page:#?}");
    let envelope = ask(&yard, QUESTION, &["--envelope"]).exits(0).json();
    keeps("envelope/envelope", &envelope);
    assert_eq!(
        (&envelope["terminal_reason"], text(&envelope, "raw_input")),
        (&json!("completed_successfully"), QUESTION)
    );
    for stage in ["perception", "intent", "plan", "execution", "critic", "integration"] {
        keeps(&format!("envelope/output.{stage}"), &envelope["outputs"][stage]);
    }
    let again =
        ask(&yard, QUESTION, &["--session", "sess_0123456789abcdef", "--envelope"]).exits(0).json();
    assert_eq!(text(&again, "session_id"), "sess_0123456789abcdef");
    ask(&yard, QUESTION, &["--session", "nonsense"]).fails(2, "USAGE");
    ask(&yard, QUESTION, &["--envelope", "--format", "text"]).fails(2, "USAGE");
    yard.run(&["ask-code", QUESTION, "--repo", "/no/such"]).exits(1);
    yard.run(&["ask-code"]).fails(2, "USAGE");
}

#[test]
fn a_question_that_names_nothing_is_asked_back() {
    let yard = Yard::new();
    repository(&yard);
    for vague in ["what?", "help", "where is the flux_capacitor_9000 defined?"] {
        let out = ask(&yard, vague, &[]).exits(43);
        assert!(out.stdout.contains('?') && !out.stdout.contains("Sources"), "{out:#?}");
        let told = ask(&yard, vague, &["--json"]).exits(43).json();
        assert_eq!(told["answer"], Value::Null);
        assert!(text(&told, "asks").contains('?'), "{told}");
        let envelope = ask(&yard, vague, &["--envelope"]).exits(43).json();
        keeps("envelope/envelope", &envelope);
        assert_eq!(
            (&envelope["clarification_pending"], &envelope["terminated"]),
            (&json!(true), &json!(false))
        );
    }
}

/// Everything that a repository can do to whoever reads it.
fn hostile(yard: &Yard) {
    yard.file("outside/secret.py", "def outside_secret():\n    return 'hunter2-from-outside'\n");
    yard.file(
        "repo/src/code.py",
        "def evil():\n    \"\"\"\u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J \u{202e}hidden\u{200b}\"\"\"\n    return shown\u{1b}[2J()\n\n\ndef caller():\n    return evil()  # \u{1b}[31m\r\u{8}\u{8}\n",
    );
    yard.file("repo/src/huge.py", "def evil_twin(): return evil()\n".repeat(1_000_000));
    yard.file("repo/src/name\nof \u{1b}[31mtwo lines.py", "def twoliner():\n    return evil()\n");
    yard.file("repo/src/line.py", format!("x = evil() # {}\n", "y".repeat(5_000_000)));
    yard.file("repo/src/binary.py", b"def evil\0\xff\xfe\x1b[31m evil()\n");
    symlink(yard.path("outside/secret.py"), yard.path("repo/src/link.py")).expect("a link");
    symlink(yard.path("outside"), yard.path("repo/linked")).expect("a link");
    symlink("..", yard.path("repo/src/round")).expect("a link");
    symlink("/dev/zero", yard.path("repo/src/endless.py")).expect("a link");
    symlink("/etc/passwd", yard.path("repo/passwd.py")).expect("a link");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        yard.path("repo/src/pipe.py"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .expect("a named pipe");
    // Another repository, whose history is none of ours.
    let git = |args: &[&str]| Consign::of("git", args).folder(&yard.path("outside")).run().exits(0);
    git(&["init", "-q", "."]);
    git(&["add", "-A"]);
    let who = ["-c", "user.name=Mallory", "-c", "user.email=m@example.com"];
    git(&[&who[..], &["commit", "-q", "-m", "hunter2-from-outside"]].concat());
    yard.file("repo/.git", format!("gitdir: {}\n", yard.path("outside/.git").display()));
}

#[test]
fn a_repository_can_neither_lead_outside_nor_speak_to_the_terminal() {
    let yard = Yard::new();
    hostile(&yard);
    let questions = [
        "who calls evil?",
        "where is evil defined?",
        "what does caller do?",
        "what is outside_secret?",
        "what is in src/link.py?",
        "show src/code.py",
        "who last changed src/code.py, and why?",
        "what is in linked/secret.py?",
        "where is root in passwd.py?",
        "what is in src?",
    ];
    for question in questions {
        for form in [&[][..], &["--format", "markdown"], &["--json"], &["--envelope"]] {
            let out = ask(&yard, question, form);
            assert!(matches!(out.code, Some(0 | 1 | 43)), "{question} {form:?}: {out:#?}");
            let all = format!("{}{}", out.stdout, out.stderr);
            for secret in ["hunter2-from-outside", "Mallory", "root:x:0"] {
                assert!(!all.contains(secret), "{question} {form:?} tells {secret}: {all}");
            }
            let wild = |letter: char| letter.is_control() && letter != '\n';
            assert!(!out.stdout.contains(wild), "{question} {form:?}: {:?}", out.stdout);
            assert!(!out.stderr.contains(wild), "{question} {form:?}: {:?}", out.stderr);
            if form == ["--json"] && out.code == Some(0) {
                let told = out.json();
                for citation in told["answer"]["citations"].as_array().expect("a list") {
                    let location = text(citation, "location");
                    assert!(location.starts_with("src/"), "{location}");
                }
            }
        }
    }
    let found = ask(&yard, "who calls evil?", &["--json"]).exits(0).json();
    assert!(found["answer"]["citations"].to_string().contains("src/code.py:7"), "{found}");
}

/// What a model says to each of the four that ask one.
fn thoughts(citations: &Value) -> Value {
    json!([
        {"contains": "decide what a question", "times": 0, "json": {
            "intent": "find_usage", "goals": ["Find who calls hash_password"], "confidence": 0.9,
            "clarification_needed": false, "clarification_question": null}},
        {"contains": "plan which tools", "times": 0, "json": {
            "plan_id": "p-of-the-model", "estimated_complexity": "low", "steps": [
                {"tool": "find_references", "params": {"name": "hash_password"}, "expected_output": "calls"},
                {"tool": "read_file", "params": {"path": "src/auth.py"}, "expected_output": "the file"}]}},
        {"contains": "judge whether the evidence", "times": 0, "json": {
            "verdict": "approved", "satisfied_goals": ["Find who calls hash_password"],
            "unsatisfied_goals": [], "feedback": "good", "confidence": 0.9}},
        {"contains": "answer the question from the evidence", "times": 0, "json": {
            "final_response": "`login` calls it, at src/auth.py:6.", "citations": citations,
            "follow_up_suggestions": ["How does `login` work?"]}},
    ])
}

fn thinking(yard: &Yard, double: &Double, more: &[&str]) -> Outcome {
    fs::create_dir_all(yard.home.path()).expect("it can be made");
    fs::write(yard.home.path().join("models.toml"), double.settings()).expect("it can be written");
    let args = ["ask-code", QUESTION, "--repo", "repo", "--model", "openai/gpt-5-mini"];
    with_keys(yard.consign(&[&args[..], more].concat()), "sk-any-key-0123456789").run()
}

#[test]
fn a_model_thinks_and_what_it_invents_is_left_out_and_told() {
    let yard = Yard::new();
    repository(&yard);
    let citations = json!([
        {"text": "digest = hash_password(password)", "location": "src/auth.py:6"},
        {"text": "made up", "location": "src/ghost.py:99"},
        {"text": "root:x:0", "location": "../../../etc/passwd:1"},
        {"text": "nothing", "location": "src/auth.py:100000"},
    ]);
    let double = Double::start(Some(&thoughts(&citations).to_string()));
    let told = thinking(&yard, &double, &["--json"]).exits(0).json();
    let answer = &told["answer"];
    assert!(text(answer, "final_response").contains("`login` calls it"), "{told}");
    assert_eq!(rests_on_lines(&yard.path("repo"), answer), 1, "{told}");
    for stage in ["intent", "plan", "critic", "integration"] {
        assert_eq!(told["sources"][stage], "model", "{told}");
    }
    assert!(told["spent_usd"].as_f64() > Some(0.0), "{told}");
    let dropped = json!(["src/ghost.py:99", "../../../etc/passwd:1", "src/auth.py:100000"]);
    assert_eq!(answer["dropped_citations"], dropped, "{told}");
    let envelope = thinking(&yard, &double, &["--envelope"]).exits(0).json();
    assert_eq!(envelope["llm_call_count"], 4);
    let tools: Vec<_> = envelope["outputs"]["plan"]["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|step| text(step, "tool"))
        .collect();
    assert_eq!(tools, ["find_references", "read_file"]);
    let words = thinking(&yard, &double, &[]).exits(0);
    assert!(!words.stdout.contains("ghost"), "{words:#?}");
    words
        .telling("with a model: intent, plan, critic, integration")
        .telling("left out: src/ghost.py:99, ");
}

#[test]
fn a_model_that_gives_nothing_is_done_without_and_that_is_told() {
    let yard = Yard::new();
    repository(&yard);
    let by_rules = ask(&yard, QUESTION, &["--json"]).exits(0).json();
    for script in [
        json!([{"fault": {"kind": "quota"}, "times": 0}]),
        json!([{"text": "I would rather not.", "times": 0}]),
        json!([{"json": {"nonsense": true}, "times": 0}]),
    ] {
        let double = Double::start(Some(&script.to_string()));
        let told = thinking(&yard, &double, &["--json"]).exits(0).json();
        assert_eq!(told["answer"], by_rules["answer"], "{script}");
        assert_eq!(told["sources"], by_rules["sources"], "{script}");
        let words = thinking(&yard, &double, &[]).exits(0).telling("by rules, without a model");
        let told: Vec<_> =
            words.stderr.lines().filter(|line| line.starts_with("fell back: ")).collect();
        for stage in ["intent", "plan", "critic", "integration"] {
            let names = |line: &&str| line.contains(stage) && line.contains("without");
            assert!(told.iter().any(names), "{stage}: {words:#?}");
        }
    }
}

#[test]
fn a_missing_key_is_told_once_with_what_helps() {
    let yard = Yard::new();
    repository(&yard);
    let told = ask(&yard, QUESTION, &["--model", "openai/gpt-5-mini"]).exits(0);
    let fell: Vec<_> = told.stderr.lines().filter(|line| line.starts_with("fell back")).collect();
    let expected = "fell back: intent, plan, critic, integration without their model: there is no key \
                    for openai; set OPENAI_API_KEY, or `consign keys set openai`";
    assert_eq!(fell, [expected]);
}

#[test]
fn a_question_needs_no_quotes_and_nobody_outside_thinks_for_it() {
    let yard = Yard::new();
    repository(&yard);
    let quoted = ask(&yard, QUESTION, &[]).exits(0).stdout;
    let words: Vec<_> = QUESTION.split(' ').collect();
    let args = [&["ask-code"], &words[..], &["--repo", "repo"]].concat();
    assert_eq!(yard.run(&args).exits(0).stdout, quoted);
    yard.run(&["ask-code"]).fails(2, "USAGE");
    ask(&yard, QUESTION, &["--model", "bridge"]).fails(2, "NOT_A_MODEL").telling("go by rules");
    for command in ["ask-code", "process"] {
        let help = yard.run(&[command, "--help"]).exits(0).stdout;
        assert!(!help.contains("bridge") && !help.contains("remembers"), "{help}");
    }
}

#[test]
fn where_nobody_sits_it_is_told_how_to_confirm() {
    let yard = Yard::new();
    repository(&yard);
    let policy = yard.file("policy.toml", "default = \"confirm\"\n");
    let asked = ask(&yard, QUESTION, &["--policy", &policy]).exits(43);
    assert!(asked.stderr.contains("set confirmation_response to true"), "{asked:#?}");
    // As it says.
    let mut kept = ask(&yard, QUESTION, &["--policy", &policy, "--envelope"]).exits(43).json();
    kept["confirmation_response"] = json!(true);
    // Another program may write the members of the envelope in another order.
    for kept in [sorted(&kept), kept] {
        let done = yard.processed(&kept, &["--repo", "repo", "--policy", &policy]);
        assert_eq!(done["terminal_reason"], "completed_successfully");
    }
}
