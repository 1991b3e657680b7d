//! `consign doctor`

use rustix::process::Signal;
use serde_json::json;

use crate::{
    home::{Home, until},
    support::{Consign, Folder, Outcome, keys, text},
};

fn doctor(home: &str, args: &[&str]) -> Outcome {
    Consign::new([&["doctor"], args].concat()).env("CONSIGN_HOME", home).run()
}

fn path(folder: &Folder) -> &str {
    folder.path().to_str().expect("temporary folders have plain names")
}

#[test]
fn a_directory_that_can_be_written_is_all_that_is_needed() {
    let folder = Folder::new();
    let answer = doctor(path(&folder), &["--json"]).exits(0).json();
    assert_eq!(
        keys(&answer),
        [
            "accounts", "agents", "cores", "database", "disk", "home", "keys", "models",
            "platform", "ready", "tools", "version"
        ],
        "{answer}"
    );
    assert_eq!(answer["ready"], json!(true));
    assert!(answer["cores"].as_u64().is_some_and(|cores| cores > 0), "{answer}");

    let home = &answer["home"];
    assert_eq!(keys(home), ["exists", "free_bytes", "path", "writable"]);
    assert_eq!(text(home, "path"), path(&folder));
    assert_eq!((&home["exists"], &home["writable"]), (&json!(true), &json!(true)));
    assert!(home["free_bytes"].is_u64(), "{home}");

    let disk = &answer["disk"];
    assert_eq!(keys(disk), ["fsync_median_ms", "fsync_slowest_ms", "write_mb_per_second"]);
    let measured = |key: &str| disk[key].as_f64().unwrap_or_else(|| panic!("{key}: {disk}"));
    assert!(measured("write_mb_per_second") > 0.0);
    assert!(measured("fsync_median_ms") <= measured("fsync_slowest_ms"), "{disk}");
}

#[test]
fn keys_and_runs_that_stand_still_are_told() {
    let home = Home::new();
    let model = "name = 'thinks'\n[model]\nname = 'openai/gpt-5-mini'\n";
    let file = home.file("thinks.toml", model);
    home.run(&["agents", "add", &file]).exits(0);
    home.run(&["runs", "start", "sample/steps", "--detach", "--id", "ready"]).exits(0);
    let asked = home.consign(&["doctor"]).env("XAI_API_KEY", "xai-0123456789").run().exits(0);
    for told in [
        "keys       ok xai, XAI_API_KEY\n",
        "missing the agent thinks has no key for openai\n",
        "1 run ready, and no worker is alive: start `consign worker`\n",
        "Ready, but something stands still or is missing: see above.\n",
    ] {
        assert!(asked.stdout.contains(told), "{told}: {}", asked.stdout);
    }
    assert!(!asked.stdout.contains("0123456789"), "a key is not told");
    let answer = home.run(&["doctor", "--json"]).exits(0).json();
    assert_eq!(
        answer["keys"],
        json!({"found": [], "missing": [{"agent": "thinks", "provider": "openai"}]})
    );
    assert_eq!(answer["database"]["stalled"], json!({"resume": [], "for_workers": 1}));
}

#[test]
fn definitions_with_faults_are_told_and_all_else_works() {
    let home = Home::new();
    let bad =
        home.file("bad.toml", "name = 'bad'\nefect = 'pure'\n[bridge]\ndeadline_seconds = 0\n");
    let good = home.file("good.toml", "name = 'good'\n[bridge]\n");
    home.run(&["agents", "add", &good]).exits(0);
    std::fs::copy(&bad, home.path().join("agents/bad.toml")).expect("a file of ours");
    let answer = home.run(&["doctor", "--json"]).exits(0).json();
    assert_eq!(answer["agents"]["usable"], 1);
    let [unusable] = &answer["agents"]["unusable"].as_array().expect("a list")[..] else {
        panic!("{answer}")
    };
    assert!(text(unusable, "file").ends_with("/agents/bad.toml"), "{unusable}");
    let keys: Vec<_> =
        unusable["faults"].as_array().expect("a list").iter().map(|fault| &fault["key"]).collect();
    assert_eq!(keys, ["efect", "bridge.deadline_seconds"]);
    let plain = home.run(&["doctor"]).exits(0);
    for words in [
        "agents     bad 1 of 2 definitions cannot be used",
        "agents/bad.toml:2: unknown field `efect`; did you mean `effect`?",
        "agents/bad.toml:4: bridge.deadline_seconds is 0; write a number of seconds above 0",
        "1 agent cannot be used: see above.",
    ] {
        assert!(plain.stdout.contains(words), "{words}: {plain:#?}");
    }
}

#[test]
fn nothing_is_left_behind() {
    let folder = Folder::new();
    doctor(path(&folder), &[]).exits(0);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_directory_that_does_not_exist_yet_is_not_made() {
    let folder = Folder::new();
    let home = format!("{}/not/yet", path(&folder));
    let answer = doctor(&home, &["--json"]).exits(0).json();
    assert_eq!(text(&answer["home"], "path"), home);
    assert_eq!(answer["home"]["exists"], json!(false));
    let plain = doctor(&home, &[]).exits(0);
    assert!(plain.stdout.contains(&format!("ok {home} (made when")), "{plain:#?}");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_directory_below_a_file_cannot_work_and_is_said_so() {
    let folder = Folder::new();
    let file = folder.file("file", "content");
    for home in [file.clone(), format!("{file}/home"), format!("{file}/far/below")] {
        let plain = doctor(&home, &[]).exits(1);
        let line = format!("directory  bad {home} cannot be made: {file} is not a directory");
        assert!(plain.stdout.lines().any(|said| said == line), "{plain:#?}");
        assert!(plain.stdout.contains("Consign cannot work here"), "{plain:#?}");

        let answer = doctor(&home, &["--json"]).exits(1).json();
        assert_eq!((&answer["ready"], &answer["disk"]), (&json!(false), &json!(null)));
        assert_eq!(answer["home"]["writable"], json!(false));
        assert!(text(&answer["home"], "problem").contains("is not a directory"), "{answer}");
    }
    assert_eq!(std::fs::read(&file).expect("it is still there"), b"content");
}

#[test]
fn a_place_that_takes_no_files_cannot_work() {
    // Not even root can make a file here.
    let plain = doctor("/proc/consign", &[]).exits(1);
    assert!(plain.stdout.contains("directory  bad /proc/consign cannot be written"), "{plain:#?}");
}

#[test]
fn the_directory_is_the_platforms_unless_moved() {
    let folder = Folder::new();
    let run = |name: &str, value: &str| {
        let run = Consign::new(["doctor", "--json"]).env("HOME", path(&folder));
        let run = run.env("XDG_DATA_HOME", "").env(name, value).run().exits(0);
        text(&run.json()["home"], "path").to_owned()
    };
    let default = format!("{}/.local/share/consign", path(&folder));
    assert_eq!(run("CONSIGN_HOME", ""), default);
    let data = format!("{}/data", path(&folder));
    assert_eq!(run("XDG_DATA_HOME", &data), format!("{data}/consign"));
    assert_eq!(run("CONSIGN_HOME", &data), data);
}

#[test]
fn a_missing_program_is_named_with_what_its_absence_costs() {
    let folder = Folder::new();
    let run = |args: &[&str]| {
        let run = Consign::new([&["doctor"], args].concat()).env("PATH", folder.path());
        run.env("CONSIGN_HOME", folder.path()).run().exits(0)
    };
    let answer = run(&["--json"]).json();
    let tools = answer["tools"].as_array().expect("tools are a list");
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(keys(tool), ["found", "name", "path", "used_for", "without"]);
        assert_eq!((&tool["found"], &tool["path"]), (&json!(false), &json!(null)));
        assert!(!text(tool, "without").is_empty() && !text(tool, "used_for").is_empty());
    }
    let plain = run(&[]);
    for tool in tools {
        let line = ["name", "used_for", "without"].map(|key| text(tool, key)).join("\t").replacen(
            '\t',
            "\tmissing\t",
            1,
        );
        assert!(plain.stdout.lines().any(|said| said == line), "{line:?}: {plain:#?}");
    }
    assert!(plain.stdout.contains(&format!("{} optional programs are missing", tools.len())));
}

#[test]
fn a_program_on_the_path_is_found_and_a_folder_or_plain_file_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let git = folder.file("git", "#!/bin/sh\n");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).expect("ours to change");
    folder.file("cargo", "not a program");
    std::fs::create_dir(folder.path().join("mold")).expect("ours to change");
    let run = Consign::new(["doctor", "--json"]).env("PATH", folder.path());
    let answer = run.env("CONSIGN_HOME", folder.path()).run().exits(0).json();
    let found: Vec<_> = answer["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|tool| tool["found"] == true)
        .map(|tool| (text(tool, "name"), text(tool, "path")))
        .collect();
    assert_eq!(found, [("git", git.as_str())]);
}

#[test]
fn a_database_that_cannot_be_read_is_said_to_be_so_and_left_as_it_is() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    let file = home.path().join("consign.db");
    let check = |state: &str, words: &str| {
        let before = std::fs::read(&file).expect("it is there");
        let database = home.json(&["doctor"], 1);
        assert_eq!(database["ready"], json!(false));
        assert_eq!(text(&database["database"], "state"), state, "{database}");
        assert!(text(&database["database"], "problem").contains(words), "{database}");
        let plain = home.run(&["doctor"]).exits(1).stdout;
        assert!(plain.contains(&format!("database   {state} ")), "{plain}");
        assert!(plain.contains(words) && plain.contains("cannot work here"), "{plain}");
        assert_eq!(std::fs::read(&file).expect("it is there"), before, "it was changed");
        plain
    };
    let db = rusqlite::Connection::open(&file).expect("it is a database");
    db.pragma_update(None, "user_version", 1000).expect("SQL");
    drop(db);
    check("newer", "a newer Consign");
    std::fs::write(&file, [0xa5; 20_000]).expect("ours to change");
    assert!(check("damaged", "not a database").contains(".recover"));
    std::fs::remove_file(&file).expect("ours to change");
    let db = rusqlite::Connection::open(&file).expect("a new database");
    db.execute_batch("CREATE TABLE theirs (id TEXT)").expect("SQL");
    drop(db);
    check("foreign", "another program");
}

#[test]
fn a_database_that_is_gone_is_missed() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    for name in ["consign.db", "consign.db-wal", "consign.db-shm"] {
        let _ = std::fs::remove_file(home.path().join(name));
    }
    let answer = home.json(&["doctor"], 1);
    assert_eq!(text(&answer["database"], "state"), "damaged", "{answer}");
    assert!(!home.path().join("consign.db").exists(), "it was made anew");
}

#[test]
fn what_to_do_about_a_damaged_database_helps_although_no_run_can_be_read() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    let file = home.path().join("consign.db");
    // With its log it would still be whole.
    let _ = std::fs::remove_file(file.with_extension("db-wal"));
    std::fs::write(&file, [0xa5; 20_000]).expect("ours to change");
    for args in [&["runs", "list"][..], &["runs", "verify", "--all"], &["inbox"]] {
        let told = home.run(args).fails(1, "STORE_DAMAGED").telling("copy the whole directory");
        told.telling("backup").telling("sqlite3 consign.db .recover");
    }
}

#[test]
fn runs_are_counted_and_whoever_holds_some_is_named_with_his_process() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    home.start("sample/approval", "{}", 43);
    let run = home.detach("sample/steps", r#"{"sleep_ms": 60000}"#);
    let worker = home.worker();
    until("it is taken", || (home.status(&run) == "running").then_some(()));
    let look = || home.json(&["doctor"], 0)["database"].clone();
    let alive = look();
    assert_eq!(alive["runs"], json!({"running": 1, "waiting": 1, "succeeded": 1}), "{alive}");
    let holder = |database: &serde_json::Value| {
        assert_eq!(database["workers"].as_array().map(Vec::len), Some(1), "{database}");
        let worker = &database["workers"][0];
        assert_eq!(
            (keys(worker), &worker["runs"]),
            (vec!["pid", "runs", "state", "worker"], &json!(1))
        );
        worker.clone()
    };
    assert_eq!(text(&holder(&alive), "state"), "alive");
    assert_eq!(holder(&alive)["pid"], json!(worker.pid()), "{alive}");

    worker.signal(Signal::STOP);
    until("it is seen to stand still", || {
        (text(&holder(&look()), "state") == "stopped").then_some(())
    });
    let plain = home.run(&["doctor"]).exits(0).stdout;
    let pid = worker.pid();
    for words in ["3 runs: 1 running, 1 waiting, 1 succeeded", &format!("kill -CONT {pid}")] {
        assert!(plain.contains(words), "{words:?}: {plain}");
    }

    worker.signal(Signal::KILL);
    drop(worker);
    // Looking takes nothing back: whoever looks twice sees the same.
    for _ in 0..2 {
        assert_eq!(text(&holder(&look()), "state"), "dead");
    }
}

#[test]
fn whoever_keeps_the_others_from_writing_is_named() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    let look = || home.json(&["doctor"], 0)["database"]["write_lock"].clone();
    assert_eq!(look(), json!({"state": "free", "pid": null}));
    let lock = home.path().join("write.lock");
    let lock = lock.to_str().expect("a plain name");
    // It becomes the other program, so that there is one process.
    let holder = home.let_go_on(Consign::of("flock", ["--no-fork", lock, "sleep", "600"]));
    let pid = holder.pid();
    until("it has the lock", || (look() == json!({"state": "alive", "pid": pid})).then_some(()));
    holder.signal(Signal::STOP);
    until("it is stopped", || (look() == json!({"state": "stopped", "pid": pid})).then_some(()));
    let plain = home.run(&["doctor"]).exits(0).stdout;
    let line = plain.lines().find(|line| line.starts_with("writer  ")).expect("it is told");
    assert!(line.contains(&format!("stopped process {pid} ")), "{line}");
    assert!(line.contains(&format!("`kill -CONT {pid}`")), "{line}");

    // Whoever wants to write waits, and says for whom.
    let waits = home.spawn(&["runs", "start", "sample/steps", "--detach"]);
    let told = format!("waiting to write: process {pid} has the write lock and is stopped; ");
    until("it is told", || waits.stderr().contains(&told).then_some(()));
    drop(holder);
    let waited = waits.wait().exits(0);
    assert_eq!(waited.stderr.matches("waiting to write").count(), 1, "{waited:#?}");
}
