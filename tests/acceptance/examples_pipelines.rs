//! What is in `examples/pipelines` and `examples/callers`, and the pipelines in `docs`, through the binary. No key,
//! no network.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    harness::Process,
    home::{Home, until},
    support::{Consign, Folder, Outcome, plain, root, text},
};

/// Each is run by a test of its own.
const RUN: [&str; 5] =
    ["changes.toml", "checks.toml", "questions.json", "review.toml", "shorten.toml"];
/// Those that are no pipelines.
const BESIDE: [&str; 4] = ["change.json", "notice.json", "policy.toml", "review.script.json"];

fn example(name: &str) -> String {
    let path = root().join("examples/pipelines").join(name);
    path.into_os_string().into_string().expect("the repository has a plain name")
}

fn caller(name: &str) -> String {
    let path = root().join("examples/callers").join(name);
    path.into_os_string().into_string().expect("the repository has a plain name")
}

/// Copies a folder of the examples.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a temporary folder can be written");
    for entry in fs::read_dir(from).expect("a folder of the repository can be listed") {
        let entry = entry.expect("an entry can be read");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("an example can be copied")),
        }
    }
}

/// What lies in a folder becomes one commit of Ada's.
fn commit(folder: &Path) {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let how = ["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"];
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "lend books"]] {
        let mut git = Command::new("git");
        plain(&mut git);
        git.args(who).args(how).args(args).current_dir(folder);
        let done = git.stdin(Stdio::null()).output().expect("git is there");
        assert!(done.status.success(), "git {args:?}: {done:?}");
    }
}

/// A repository that questions can be about.
fn library() -> (Folder, String) {
    let folder = Folder::new();
    let library = folder.path().join("library");
    copy(&root().join("examples/pipelines/library"), &library);
    commit(&library);
    let path = library.into_os_string().into_string().expect("temporary folders have plain names");
    (folder, path)
}

/// The outputs of a run's envelope.
#[track_caller]
fn outputs(run: &Value) -> &Value {
    assert_eq!(run["output"]["terminal_reason"], "completed_successfully", "{run}");
    &run["output"]["outputs"]
}

/// What a run waits for, as the inbox has it.
#[track_caller]
fn asked(home: &Home, run: &Value) -> Value {
    let inbox = home.run(&["inbox", "--json"]).exits(0).json_lines();
    let own = inbox.into_iter().find(|ask| ask["run"] == run["id"]);
    own.unwrap_or_else(|| panic!("it asks nothing: {run}"))
}

/// Answers what a run waits for, and gives the run.
#[track_caller]
fn answer(home: &Home, ask: &Value, value: &Value) -> Value {
    let (run, key) = (text(ask, "run"), text(ask, "interaction"));
    home.run(&["runs", "answer", run, key, "--value", &value.to_string()]).exits(0);
    home.show(run)
}

#[test]
fn every_pipeline_is_run_here() {
    let files = fs::read_dir(example("")).expect("the examples");
    let mut names: Vec<String> = files
        .map(|file| file.expect("an example").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml") || name.ends_with(".json"))
        .filter(|name| !BESIDE.contains(&name.as_str()))
        .collect();
    names.sort();
    assert_eq!(names, RUN);
}

#[test]
fn every_pipeline_can_be_checked_and_drawn() {
    let home = Home::new();
    for name in RUN {
        let checked = home.json(&["pipeline", "check", &example(name)], 0);
        assert_eq!(checked["valid"], true, "{name}");
        assert!(home.run(&["pipeline", "check", &example(name)]).exits(0).stdout.contains("end"));
        let stages = checked["stages"].as_array().expect("a list of stages");
        let svg = home.run(&["pipeline", "draw", &example(name)]).exits(0).stdout;
        let seen = words_of(&svg);
        let mermaid = home.run(&["pipeline", "draw", &example(name), "--format", "mermaid"]);
        let mermaid = mermaid.exits(0).stdout;
        assert!(mermaid.starts_with("flowchart "), "{mermaid}");
        for stage in stages {
            let stage = stage.as_str().expect("the name of a stage");
            assert!(seen.lines().any(|word| word == stage), "{name}: {stage} is not in {svg}");
            assert!(mermaid.contains(stage), "{name}: {stage} is not in {mermaid}");
        }
    }
}

/// The texts of a picture, one a line. Fails unless it is well-formed.
#[track_caller]
fn words_of(svg: &str) -> String {
    let read = "import sys, xml.etree.ElementTree as tree\n\
                picture = tree.fromstring(sys.stdin.buffer.read())\n\
                assert picture.tag == '{http://www.w3.org/2000/svg}svg', picture.tag\n\
                print('\\n'.join(''.join(part.itertext()) for part in picture.iter()))";
    Consign::of("python3", ["-c", read]).stdin(svg).run().exits(0).stdout
}

#[test]
fn two_programs_follow_each_other() {
    let folder = Folder::new();
    copy(&root().join("examples/pipelines"), folder.path());
    commit(folder.path());
    let home = Home::new();
    let pipeline = folder.path().join("changes.toml");
    let done = home.run(&["run", pipeline.to_str().expect("a plain name")]).exits(0);
    let given: Value = serde_json::from_str(&done.stdout).expect("what the last stage gave");
    assert_eq!(given, json!({"commits": 1, "authors": {"Ada": 1}}));
}

/// An input for the review, and where a change that is approved goes.
fn change(home: &Home) -> (String, String) {
    let change = fs::read_to_string(example("change.json")).expect("an example of ours");
    let mut change: Value = serde_json::from_str(&change).expect("it is JSON");
    let outbox = home.file("outbox", "");
    fs::remove_file(&outbox).expect("it was just written");
    change["outbox"] = json!(outbox);
    (home.file("change.json", change.to_string()), outbox)
}

/// What a folder holds; nothing if it is not there.
fn held(folder: &str) -> Vec<String> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()
    };
    listing.map(name).collect()
}

#[test]
fn a_person_approves_a_change_or_does_not() {
    let home = Home::new();
    let (input, outbox) = change(&home);
    let model = format!("scripted:{}", example("review.script.json"));
    let start = || {
        let args = ["run", &example("review.toml"), "--input", &input, "--model", &model];
        let run = home.json(&args, 43);
        let ask = asked(&home, &run);
        assert_eq!(ask["kind"], "approval");
        let next = "If you approve, `release` runs next (unsafe: it cannot be repeated).";
        for words in ["2 lines are added, 1 removed", "Five tries are many", "+TRIES = 5", next] {
            assert!(text(&ask, "prompt").contains(words), "{ask}");
        }
        ask
    };
    let ask = start();
    let (run, key) = (text(&ask, "run"), text(&ask, "interaction"));
    let broken = home.run(&["runs", "answer", run, key, "--value", "\"yes\""]);
    broken.fails(1, "CONTRACT_BREACH");
    assert_eq!(held(&outbox), [""; 0]);
    home.run(&["runs", "approve", run, "--why", "fine"]).exits(0);
    let approved = home.show(run);
    assert_eq!(outputs(&approved)["approve"]["why"], "fine");
    assert_eq!(outputs(&approved)["collect"]["files"], json!(["limits.py"]));
    let name = format!("{run}.diff");
    assert_eq!(held(&outbox), [name.as_str()]);
    let written = outputs(&approved)["release"]["written"].as_str().expect("a path");
    assert!(written.ends_with(&name), "{written}");

    let ask = start();
    let (run, key) = (text(&ask, "run"), text(&ask, "interaction"));
    let declined = home.run(&["runs", "answer", run, key, "--decline", "not mine to say"]);
    declined.fails(1, "NOT_DECLINABLE");
    home.run(&["runs", "reject", run, "--why", "not today"]).exits(0);
    let ended = home.show(run);
    assert_eq!(ended["fault"]["code"], "DENIED_BY_POLICY", "{ended}");
    assert!(text(&ended["fault"], "message").ends_with(": not today"), "{ended}");
    assert_eq!(held(&outbox), [name], "nothing else was released");
}

#[test]
fn a_script_answers_for_every_agent_in_the_review_and_not_for_the_person() {
    let home = Home::new();
    let (input, outbox) = change(&home);
    let review = example("review.toml");
    let run = |script: &str, exit: i32| {
        let args = ["run", &review, "--input", &input, "--agent-script", script];
        home.json(&args, exit)
    };
    let waits = run(&example("review.script.json"), 43);
    let accepted = answer(&home, &asked(&home, &waits), &json!(true));
    assert_eq!(outputs(&accepted)["release"]["written"], "nowhere: this is a script");
    let reject = json!([
        {"agent": "collect", "response": {"files": ["a"], "added": 1, "removed": 0}},
        {"agent": "review", "response": {"verdict": "reject", "remarks": ["no"]}},
    ]);
    let rejected = run(&home.file("reject.json", reject.to_string()), 0);
    assert!(outputs(&rejected).get("approve").is_none(), "nobody is asked: {rejected}");
    assert_eq!(held(&outbox), [""; 0]);
}

#[test]
fn whoever_is_outside_reviews_in_place_of_the_model() {
    let home = Home::new();
    let (input, _) = change(&home);
    let args = ["run", &example("review.toml"), "--input", &input, "--model", "bridge"];
    let run = home.json(&args, 42);
    let ask = asked(&home, &run);
    assert!(text(&ask, "prompt").contains("Review this change of [\"limits.py\"]"), "{ask}");
    let run = answer(&home, &ask, &json!({"verdict": "accept", "remarks": []}));
    assert_eq!(run["status"], "waiting");
    let run = answer(&home, &asked(&home, &run), &json!({"approved": false}));
    let envelope = &run["fault"]["details"]["envelope"];
    assert_eq!(envelope["terminal_reason"], "denied_by_policy", "{run}");
    assert!(envelope["outputs"].get("release").is_none());
}

#[test]
fn a_worker_goes_on_with_a_detached_review() {
    let home = Home::new();
    let (input, outbox) = change(&home);
    let model = format!("scripted:{}", example("review.script.json"));
    let args = ["run", &example("review.toml"), "--input", &input, "--model", &model, "--detach"];
    let run = home.json(&args, 0);
    let id = text(&run, "id");
    let _worker = home.worker();
    let ask = until("it asks", || {
        let inbox = home.run(&["inbox", "--json"]).exits(0).json_lines();
        inbox.into_iter().find(|ask| ask["run"] == run["id"])
    });
    answer(&home, &ask, &json!({"approved": true}));
    until("the worker ends it", || (home.status(id) == "succeeded").then_some(()));
    assert_eq!(held(&outbox), [format!("{id}.diff")]);
    home.run(&["runs", "verify", id]).exits(0);
}

#[test]
fn three_checks_run_at_once_and_are_added_up() {
    let home = Home::new();
    let folder = Folder::new();
    folder.file("one.md", "[two](two.md) and [none](none.md)\nTODO: more\n");
    folder.file("two.md", "[one](one.md#top), [far](https://example.org)\nfine \n");
    let input = json!({"folder": folder.path()}).to_string();
    let run = home.json(&["run", &example("checks.toml"), "--input", &input], 0);
    let problems = json!({
        "links": ["one.md:1: none.md is not there"],
        "marks": ["one.md:2: marked TODO"],
        "lines": ["two.md:2: white space at its end"],
    });
    assert_eq!(outputs(&run)["summary"], json!({"fine": false, "problems": problems}));
    assert_eq!(run["output"]["agent_hop_count"], 4);
}

#[test]
fn a_check_that_cannot_be_made_leads_elsewhere() {
    let home = Home::new();
    for input in [r#"{"folder": "nowhere"}"#, "{}"] {
        let run = home.json(&["run", &example("checks.toml"), "--input", input], 0);
        assert!(outputs(&run).get("summary").is_none(), "{run}");
        let broken = &outputs(&run)["broken"];
        assert_eq!(broken["fine"], false);
        let mut checks = crate::support::keys(&broken["problems"]);
        checks.sort_unstable();
        assert_eq!(checks, ["lines", "links", "marks"]);
    }
}

/// Asks the example with its policy, about a repository.
#[track_caller]
fn question(home: &Home, repo: &str, question: &str, exit: i32) -> Value {
    let (pipeline, policy) = (example("questions.json"), example("policy.toml"));
    let input = json!(question).to_string();
    let args = ["run", &pipeline, "--policy", &policy, "--repo", repo, "--input", &input];
    home.json(&args, exit)
}

#[test]
fn questions_are_answered_with_places_under_a_policy() {
    let home = Home::new();
    let (_folder, repo) = library();
    let run = question(&home, &repo, "who calls overdue?", 0);
    let answer = &outputs(&run)["integration"];
    assert!(text(answer, "final_response").contains("`remind` calls `overdue`"), "{answer}");
    let citations = answer["citations"].as_array().expect("a list of citations");
    assert!(citations.iter().any(|cited| cited["location"] == "loans.py:24"), "{answer}");
    // Without the policy it is found.
    let input = json!("where is overdue_members defined?").to_string();
    let args = ["run", &example("questions.json"), "--repo", &repo, "--input", &input];
    let open = home.json(&args, 0);
    let citations = outputs(&open)["integration"]["citations"].to_string();
    assert!(citations.contains("private/notes.py:4"), "{open}");
    let hidden = question(&home, &repo, "where is overdue_members defined?", 43);
    let ask = asked(&home, &hidden);
    assert_eq!(ask["kind"], "clarification");
    assert!(!text(&ask, "prompt").contains("private"), "{ask}");
}

#[test]
fn what_the_policy_wants_confirmed_is_done_after_a_yes_only() {
    let home = Home::new();
    let (_folder, repo) = library();
    let asks = || {
        let run = question(&home, &repo, "who last changed loans.py?", 43);
        let ask = asked(&home, &run);
        assert_eq!(ask["kind"], "confirmation");
        assert!(text(&ask, "prompt").contains("git_blame"), "{ask}");
        ask
    };
    let yes = answer(&home, &asks(), &json!(true));
    assert!(text(&outputs(&yes)["integration"], "final_response").contains("Ada"), "{yes}");
    let no = answer(&home, &asks(), &json!(false));
    assert_eq!(
        (&no["status"], &no["fault"]["code"]),
        (&json!("failed"), &json!("DENIED_BY_POLICY"))
    );
}

#[test]
fn a_question_about_nothing_is_asked_back_and_goes_on_with_the_answer() {
    let home = Home::new();
    let (_folder, repo) = library();
    let run = question(&home, &repo, "what does frobnicate do?", 43);
    let run = answer(&home, &asked(&home, &run), &json!("the function may_borrow"));
    let answer = &outputs(&run)["integration"];
    assert!(text(answer, "final_response").contains("may_borrow"), "{answer}");
}

#[test]
fn a_critic_of_ones_own_sends_a_text_back_until_it_fits() {
    let home = Home::new();
    let args = ["run", &example("shorten.toml"), "--input", &example("notice.json")];
    let run = home.json(&args, 0);
    assert_eq!(outputs(&run)["notice"]["drafts"], 4);
    assert!(outputs(&run)["draft"]["words"].as_u64() <= Some(20));
    assert_eq!(run["output"]["critic_feedback"].as_array().map(Vec::len), Some(3));
    assert_eq!(run["output"]["metadata"]["critic_fires"], 3);
    let input = json!({"text": "One two three. Four five six.", "most_words": 2}).to_string();
    let args = ["run", &example("shorten.toml"), "--input", &input, "--json"];
    let run = home.run(&args).exits(1).naming("MAX_CRITIC_FIRES_EXCEEDED").json();
    let envelope = &run["fault"]["details"]["envelope"];
    assert_eq!(envelope["terminal_reason"], "max_critic_fires_exceeded");
    assert_eq!(envelope["metadata"]["critic_fires"], 5);
    assert_eq!(envelope["outputs"]["draft"]["words"], 3);
}

/// A server, where it listens, and its token.
fn serve(home: &Home, repo: &str) -> (Process, String, String) {
    let server = home.spawn(&["serve", "--listen", "127.0.0.1:0", "--repo", repo, "--json"]);
    let told: Value = until("the server listens", || {
        let said = server.stdout();
        serde_json::from_str(said.lines().next()?).ok()
    });
    let (url, token) = (text(&told, "url").to_owned(), text(&told, "token").to_owned());
    (server, url, token)
}

/// Asks with a caller of the examples, by a pipe and over HTTP.
fn is_asked_both_ways(command: &[&str]) {
    let home = Home::new();
    let (_folder, repo) = library();
    let (_server, url, token) = serve(&home, &repo);
    let ask = |how: &[&str], question: &str, said: &str| -> Outcome {
        let args = [&command[1..], how, &["--question", question]].concat();
        let asked = Consign::of(command[0], args).env("CONSIGN_HOME", home.path());
        asked.env("CONSIGN", env!("CARGO_BIN_EXE_consign")).stdin(said).run()
    };
    let ways: [&[&str]; 2] = [&["--repo", &repo], &["--url", &url, "--token", &token]];
    for how in ways {
        let answered = ask(how, "who calls overdue?", "").exits(0).stdout;
        assert!(answered.contains("`remind` calls `overdue`"), "{answered}");
        assert!(answered.contains("\nSources\n  loans.py:24  "), "{answered}");
        let nobody = ask(how, "what does frobnicate do?", "").exits(43);
        assert!(nobody.stderr.contains("frobnicate") && nobody.stdout.is_empty(), "{nobody:?}");
        let said = ask(how, "what does frobnicate do?", "the function may_borrow\n").exits(0);
        assert!(said.stdout.contains("may_borrow"), "{said:?}");
    }
    ask(&["--repo", "/nowhere"], "who calls overdue?", "").fails(1, "FILE_UNREADABLE");
    let wrong = ["--url", &url, "--token", "not-this-one"];
    ask(&wrong, "who calls overdue?", "").fails(1, "UNAUTHORIZED");
    for url in ["127.0.0.1", "nowhere", "http://[::1", "file:///etc/hostname"] {
        let told = ask(&["--url", url, "--token", &token], "who calls overdue?", "");
        assert!(matches!(told.code, Some(1 | 2)), "{told:?}");
        assert!(!told.stderr.contains("Traceback") && !told.stderr.contains("panic"), "{told:?}");
    }
}

#[test]
fn a_python_program_asks_by_pipe_and_over_http() {
    is_asked_both_ways(&["python3", &caller("ask.py")]);
}

#[test]
fn a_go_program_asks_by_pipe_and_over_http() {
    if Command::new("go").arg("version").output().is_err() {
        eprintln!("SKIPPED: there is no `go` here, so examples/callers/ask.go was NOT tested");
        return;
    }
    let folder = Folder::new();
    let built = folder.path().join("ask");
    let built = built.to_str().expect("temporary folders have plain names");
    let build = Consign::of("go", ["build", "-o", built, "."]);
    // Nothing is fetched: it needs the standard library alone.
    let build = build.env("GOTOOLCHAIN", "local").env("GOPROXY", "off").env("GOFLAGS", "");
    build.folder(Path::new(&caller(""))).run().exits(0);
    is_asked_both_ways(&[built]);
}

#[test]
fn every_pipeline_in_the_docs_can_be_used() {
    let page = fs::read_to_string(root().join("docs/pipelines.md")).expect("a page of ours");
    let home = Home::new();
    let folder = Folder::new();
    let mut pipelines = 0;
    for (language, fence) in [("toml", "```toml\n"), ("json", "```json\n")] {
        let blocks = page.split(fence).skip(1).filter_map(|rest| rest.split_once("```"));
        for (block, _) in blocks {
            let file = folder.file(&format!("block.{language}"), block);
            if block.starts_with("# policy.toml") {
                let asks = ["ask-code", "what is lent?", "--repo", &example("library")];
                let asked = home.run(&[&asks[..], &["--policy", &file]].concat());
                assert!(!asked.names("POLICY_INVALID"), "{asked:?}\n{block}");
            } else if block.contains("stage") {
                let checked = home.run(&["pipeline", "check", &file]);
                assert_eq!(checked.code, Some(0), "{checked:?}\n{block}");
                pipelines += 1;
            }
        }
    }
    assert!(pipelines >= 5, "the page had more: {pipelines}");
}
