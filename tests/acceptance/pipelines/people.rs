//! What people are shown of a pipeline's run: names that they gave, texts as they are written, and
//! commands that can be typed.

use serde_json::json;

use super::yard::{Yard, keeps};
use crate::support::text;

/// Somebody is to say what a text is. A bridged agent goes by its stage.
const PERSON: &str = r#"
name = "triage"
[[stage]]
name = "person"
agent.effect = "pure"
agent.bridge.prompt = "What is this?\n\n\tfirst\n{{input.raw_input}}"
"#;

fn asked(yard: &Yard) -> String {
    let pipeline = yard.file("person.toml", PERSON);
    let run = yard.durable(&pipeline, &json!("second\nthird"), &["--id", "asked"], 42);
    text(&run, "id").to_owned()
}

#[test]
fn what_is_to_be_answered_stands_as_it_is_written() {
    let yard = Yard::new();
    let run = asked(&yard);
    let laid_out = "waiting for an agent's answer person-1 (person):\n    What is this?\n\n        first\n    \
                    second\n    third\n  consign runs answer asked person-1 --value JSON";
    for args in [&["runs", "show", &run][..], &["run", "person.toml", "--id", &run]] {
        let args = match args {
            ["run", ..] => &[args, &["--input", "\"second\\nthird\""]].concat()[..],
            args => args,
        };
        let piped = yard.run(args).stdout;
        assert!(piped.contains(laid_out), "{args:?}: {piped}");
    }
    for args in [&["runs", "show", &run][..], &["inbox", "--run", &run]] {
        let seen = yard.home.terminal().consign(&[args, &["--color", "never"]].concat());
        assert!(seen.stdout.contains(laid_out), "{args:?}: {}", seen.stdout);
    }
    let list = yard.home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    assert!(list.contains("What is this?") && list.contains("first second third"), "{list}");
    assert!(list.contains("consign inbox --run RUN"), "{list}");
    // In a pipe each is a line, and for programs it is as it is.
    let piped = yard.run(&["inbox", "--run", &run]).exits(0).stdout;
    assert_eq!(piped.lines().count(), 1, "{piped}");
}

#[test]
fn a_long_text_is_whole_where_one_run_is_looked_at() {
    let yard = Yard::new();
    let pipeline = yard.file("person.toml", PERSON);
    let lines = (0..300).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
    let run = yard.durable(&pipeline, &json!(lines), &["--id", "long"], 42);
    let run = text(&run, "id");
    let shown = yard.run(&["runs", "show", run]).exits(0).stdout;
    assert!(shown.contains("    line 190\n") && !shown.contains("    line 250\n"), "{shown}");
    assert!(shown.contains("    … and 103 lines more: consign inbox --run long\n"), "{shown}");
    let whole = yard.home.terminal().consign(&["inbox", "--run", run, "--color", "never"]);
    assert!(whole.stdout.contains("    line 299\n"), "{}", whole.stdout);
}

#[test]
fn an_agent_of_a_pipeline_goes_by_its_stage_everywhere() {
    let yard = Yard::new();
    let run = asked(&yard);
    let inbox = yard.run(&["inbox", "--agent", "person", "--json"]).exits(0).json();
    keeps("engine/interaction", &inbox);
    assert_eq!(text(&inbox, "agent"), "person");
    let shown = yard.run(&["runs", "show", &run]).exits(0).stdout;
    assert!(shown.contains("person-1 calls person\n"), "{shown}");
    assert!(!shown.contains("person#"), "{shown}");
    let server = yard.serve(&[]);
    let over_http = server.get("/api/inbox?agent=person").is(200).json();
    assert_eq!(over_http["items"], json!([inbox]));
    let envelope = yard.envelope("?", &[]);
    let refused = yard.processed(&envelope, &["--pipeline", "person.toml"]);
    let told = text(&refused["errors"][0], "message");
    assert!(told.starts_with("person waits for an answer from outside"), "{told}");
    // The name under which it is kept is known all the same.
    let kept = yard.events(&run);
    let kept = kept.iter().find_map(|event| event["body"]["agent"].as_str()).expect("a call");
    assert!(kept.starts_with("person#"), "{kept}");
    yard.run(&["inbox", "--agent", kept, "--json"]).exits(0).json();
}

#[test]
fn programs_too_are_told_the_name_of_their_stage() {
    let yard = Yard::new();
    let tells = r#"["sh", "-c", "printf '{\"me\": \"%s\"}' \"$CONSIGN_AGENT\""] #"#;
    let tells =
        PERSON.replace("agent.bridge.prompt =", &format!("agent.subprocess.command = {tells}"));
    let tells = yard.file("tells.toml", tells);
    let out = yard.run(&["run", &tells, "--invocations", "given.jsonl"]).exits(0);
    assert_eq!(out.stdout, "{\"me\":\"person\"}\n");
    let given = std::fs::read_to_string(yard.path("given.jsonl")).expect("it was written");
    assert!(given.contains(r#""agent":"person","#), "{given}");
}

#[test]
fn lists_tell_pipelines_apart() {
    let yard = Yard::new();
    let run = asked(&yard);
    yard.home.start("sample/steps", "{}", 0);
    let listed = yard.run(&["runs", "list", "--json"]).exits(0).json_lines();
    assert_eq!((listed[0].get("pipeline"), &listed[1]["pipeline"]), (None, &json!("triage")));
    assert_eq!(yard.home.show(&run)["pipeline"], "triage");
    let piped = yard.run(&["runs", "list"]).exits(0).stdout;
    assert!(piped.lines().any(|line| line.starts_with("asked\t") && line.ends_with("\ttriage\t")));
    let table = yard.home.terminal().consign(&["runs", "list", "--color", "never"]).exits(0);
    assert!(table.stdout.contains("pipeline/envelope triage"), "{}", table.stdout);
    let server = yard.serve(&[]);
    let over_http = server.get("/api/runs").is(200).json();
    assert_eq!(over_http["items"][1]["pipeline"], "triage");
}

#[test]
fn a_hint_names_the_run_that_it_is_about() {
    let yard = Yard::new();
    let fails = PERSON.replace("agent.bridge.prompt", "agent.subprocess.command = [\"false\"] #");
    let fails = yard.file("fails.toml", fails);
    let told = yard.run(&["run", &fails, "--id", "failing"]).exits(1);
    assert!(told.stderr.contains("`consign runs retry failing`"), "{told:#?}");
    assert!(!told.stderr.contains("show RUN"), "{told:#?}");
    let told = yard.run(&["run", &fails, "--id", "failing", "--input", "\"other\""]).exits(1);
    assert!(told.stderr.contains("`consign runs show failing` shows this one"), "{told:#?}");
}

#[test]
fn an_answer_over_http_lets_a_run_of_the_command_line_go_on_by_itself() {
    let yard = Yard::new();
    let run = asked(&yard);
    let server = yard.serve(&[]);
    assert_eq!(server.get(&format!("/api/runs/{run}")).is(200).json()["needs_resume"], false);
    let place = format!("/api/runs/{run}/answers/person-1");
    let taken = server.post(&place, &json!({"value": {"kind": "note"}})).is(200).json();
    assert_eq!(taken["needs_resume"], false);
    crate::home::until("the server has finished it", || {
        (yard.home.show(&run)["status"] == "succeeded").then_some(())
    });
    assert_eq!(yard.home.show(&run)["output"]["outputs"]["person"], json!({"kind": "note"}));
    server.stop().exits(0);
}

#[test]
fn a_run_that_may_go_on_here_only_stands_still_and_says_so() {
    let yard = Yard::new();
    let pipeline = yard.file("person.toml", PERSON);
    yard.run(&["run", &pipeline, "--id", "here", "--here-only"]).exits(42);
    let server = yard.serve(&[]);
    let place = "/api/runs/here/answers/person-1";
    let taken = server.post(place, &json!({"value": {"kind": "note"}})).is(200).json();
    assert_eq!((&taken["status"], &taken["needs_resume"]), (&json!("queued"), &json!(true)));
    let out = server.stop().exits(0);
    assert!(out.stderr.contains("consign runs resume here"), "{out:#?}");
    let resumed = yard.run(&["runs", "resume", "here"]).exits(0);
    assert_eq!(resumed.stdout, "{\"kind\":\"note\"}\n");
    assert_eq!(yard.home.show("here")["needs_resume"], false);
}

#[test]
fn a_program_that_writes_text_is_told_how_to_say_so() {
    let yard = Yard::new();
    let speaks =
        PERSON.replace("agent.bridge.prompt", "agent.subprocess.command = [\"echo\", \"hello\"] #");
    let speaks = yard.file("speaks.toml", speaks);
    yard.run(&["run", &speaks]).exits(1).telling("set answers = \"text\"");
}

#[test]
fn what_is_no_standard_input_is_not_called_so() {
    let yard = Yard::new();
    let person = yard.file("person.toml", PERSON);
    for (args, helps) in [
        (&["pipeline", "check", "-"][..], "/dev/stdin"),
        (&["run", "-"], "/dev/stdin"),
        (&["serve", "--pipeline", "-"], "/dev/stdin"),
        (&["run", &person, "--repo", "-"], "--repo names the directory"),
        (&["run", &person, "--policy", "-"], "--policy names a file"),
    ] {
        let told = yard.run(args).fails(1, "FILE_UNREADABLE").telling(helps);
        assert!(!told.stderr.contains("standard input"), "{told:#?}");
    }
    yard.consign(&["pipeline", "check", "/dev/stdin"]).stdin(PERSON).run().exits(0);
    yard.run(&["envelope", "validate", "missing.json"])
        .exits(1)
        .telling("`-` reads from standard input");
}

/// Fails after a few words on standard error.
const FAILS: &str = r#"
name = "fails"
[[stage]]
name = "bad"
tries = 1
agent.effect = "pure"
agent.subprocess.command = ["sh", "bad.sh"]
"#;

#[test]
fn what_a_program_said_last_is_shown_with_its_run() {
    let yard = Yard::new();
    yard.file(
        "bad.sh",
        "for n in 1 2 3 4 5 6 7; do printf 'word \\033[31m%s\\n' $n >&2; done; exit 9",
    );
    let fails = yard.file("fails.toml", FAILS);
    yard.run(&["run", &fails, "--id", "failed"]).exits(1).telling("its stderr says more");
    let shown = yard.run(&["runs", "show", "failed"]).exits(0).stdout;
    let said: Vec<_> = shown.lines().filter(|line| line.contains("stderr: word")).collect();
    assert_eq!(said.len(), 5, "{shown}");
    assert!(said[4].contains('7') && !shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn an_answer_that_is_no_json_is_quoted_without_secrets() {
    let yard = Yard::new();
    yard.file("bad.sh", "printf 'Oops:\\n\\033[31m%s and more\\n' \"$MY_TOKEN\"");
    let speaks = FAILS.replace(
        "[\"sh\", \"bad.sh\"]",
        "[\"sh\", \"bad.sh\"]\nagent.subprocess.env = [\"MY_TOKEN\"]",
    );
    let speaks = yard.file("speaks.toml", speaks);
    let run = yard.consign(&["run", &speaks]).env("MY_TOKEN", "very-secret-token").run().exits(1);
    assert!(run.stderr.contains("; it begins with \"Oops: "), "{run:#?}");
    assert!(run.stderr.contains("*** and more\""), "{run:#?}");
    assert!(!run.stderr.contains("very-secret") && !run.stderr.contains('\u{1b}'), "{run:#?}");
}

#[test]
fn values_that_are_no_files_are_taken_as_they_are_typed() {
    let yard = Yard::new();
    let echo = yard.file(
        "echo.toml",
        "name = \"echo\"\n[[stage]]\nname = \"echo\"\nagent.effect = \"pure\"\n\
         agent.subprocess.command = [\"cat\"]\ninput = \"{{input}}\"\n",
    );
    for value in ["5", "-2.50", "true", "null"] {
        let input = format!("--input={value}");
        let out = yard.run(&["run", &echo, &input]).exits(0).stdout;
        assert_eq!(out, format!("{{\"value\":{value}}}\n"));
    }
    // A file of that name is the file.
    yard.file("5", "[1]");
    assert_eq!(yard.run(&["run", &echo, "--input", "5"]).exits(0).stdout, "{\"value\":[1]}\n");
    yard.run(&["run", &echo, "--input", "six"]).fails(1, "FILE_UNREADABLE");
    yard.run(&["runs", "start", "sample/steps", "--input", "7"]).fails(1, "INVALID_INPUT");
}

#[test]
fn messages_speak_of_what_there_is_here() {
    let yard = Yard::new();
    // A breach of what an agent is given has nothing to do with the inbox.
    let strict = FAILS.replace(
        "tries = 1",
        "tries = 1\nagent.contract.input.type = \"object\"\ninput = \"text\"",
    );
    let strict = yard.file("strict.toml", strict);
    let told = yard.run(&["run", &strict]).exits(1).telling("consign agents show NAME");
    assert!(!told.stderr.contains("inbox"), "{told:#?}");
    // Nobody has a page of settings.
    let keyless = yard.file(
        "keyless.toml",
        "name = \"keyless\"\n[[stage]]\nname = \"ask\"\ntries = 1\nagent.model.name = \"openai/gpt-5-mini\"\n\
         agent.model.prompt = \"?\"\n",
    );
    let told = yard.run(&["run", &keyless, "--id", "keyless"]).exits(1);
    assert!(told.stderr.contains("set OPENAI_API_KEY, or `consign keys set openai`"), "{told:#?}");
    let carried = yard.process(yard.envelope("x", &[]), &["--pipeline", &keyless]).exits(0).stdout;
    let result = yard.consign(&["envelope", "result"]).stdin(carried).run().fails(1, "NO_RESULT");
    for text in [told.stderr, result.stderr] {
        assert!(!text.contains("Settings >"), "{text}");
    }
    // Nobody waits in a pipe.
    let told = yard.process(yard.envelope("x", &[]), &["--model", "bridge"]).exits(1);
    assert!(
        told.stderr.contains("error[NOT_A_MODEL]: `bridge`") && told.stderr.contains("consign run"),
        "{told:#?}"
    );
    // Names are shown as they are typed, and one is one.
    let told = yard.run(&["run", &strict, "--id", "A B"]).fails(1, "INVALID_RUN_ID");
    assert!(told.stderr.contains("the id \"A B\" "), "{told:#?}");
    let one = yard.run(&["run", &strict, "--calls", "1", "--id", "one"]).exits(1);
    assert!(!one.stderr.contains("1 calls"), "{one:#?}");
    let shown = yard.run(&["runs", "show", "one"]).exits(0).stdout;
    assert!(shown.contains("$10, 1 call, "), "{shown}");
    // What differs is named.
    let other = yard.file("other.toml", FAILS);
    let told = yard.run(&["run", &other, "--id", "one"]).fails(1, "RUN_EXISTS");
    assert!(
        told.stderr.contains("it was started with another input")
            && told.stderr.contains("--until"),
        "{told:#?}"
    );
}

#[test]
fn a_number_below_zero_is_refused_by_the_option_that_has_it() {
    let yard = Yard::new();
    for (args, option) in [
        (&["run", "x.toml", "--cost", "-1"][..], "'-1' for '--cost <USD>'"),
        (&["run", "x.toml", "--calls", "-1"], "'-1' for '--calls <N>': not a number from 0 on"),
        (&["ask-code", "why?", "--minutes", "-0.5"], "'-0.5' for '--minutes <N>'"),
        (&["process", "--at-once", "-1"], "'-1' for '--at-once <N>'"),
        (&["envelope", "new", "x", "--max-iterations", "-2"], "-2 is not in 1.."),
        (&["runs", "list", "--limit", "-1"], "'-1' for '--limit <N>'"),
    ] {
        let told = yard.run(args).fails(2, "USAGE").telling(option);
        assert!(!told.stderr.contains("tip:"), "{told:#?}");
    }
}
