//! Whoever changes a journal, or what is kept beside it, is found out: by `runs verify`, by a head
//! that was kept elsewhere, and by thirty lines of Python that know nothing but docs/spec/engine.md.

use std::{fs, path::Path, process::Command, time::Duration};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::json;

use crate::support::{Effects, Home, Look, Outcome, args_to_start, eventually, id, need};

const BROKEN: [&str; 4] = ["JOURNAL_BROKEN", "STATE_BROKEN", "PROJECTION_BROKEN", "STORE_DAMAGED"];

/// Reads `runs show RUN --events --json`, and prints the newest hash if the chain holds.
const CHECK: &str = r#"
import hashlib, json, sys
def sha(text): return hashlib.sha256(text.encode()).hexdigest()
def body(line):
    begin = line.index('"body":') + len('"body":')
    return line[begin:json.JSONDecoder().raw_decode(line, begin)[1]]
prev, at = None, ""
for place, line in enumerate(sys.stdin):
    event = json.loads(line)
    assert event["seq"] == place and event["prev"] == prev and event["at"] >= at, f"event {place}"
    bound = sha(event["salt"] + "\n" + body(line))
    lines = ["consign event 1", place, event["at"], event["actor"], event["kind"], prev or "-", bound]
    assert event["hash"] == sha("".join(f"{one}\n" for one in lines)), f"event {place} was changed"
    prev, at = event["hash"], event["at"]
print(prev)
"#;

/// Writes a journal anew from one event on, hashes and all, so that it holds by itself.
const FORGE: &str = r#"
import datetime, hashlib, sqlite3, sys
def sha(text): return hashlib.sha256(text.encode()).hexdigest()
file, run, since = sys.argv[1], sys.argv[2], int(sys.argv[3])
db = sqlite3.connect(file)
key, = db.execute("SELECT key FROM runs WHERE id = ?", [run]).fetchone()
rows = db.execute("SELECT seq, at, actor, kind, salt, body, hash FROM journal WHERE run = ? ORDER BY seq", [key])
prev, heads = "-", {}
for seq, at, actor, kind, salt, body, kept in rows.fetchall():
    if seq >= since and kind == "call_completed":
        body = body.replace('"line":"', '"line":"forged ')
    when = datetime.datetime.fromtimestamp(at // 10**6, datetime.timezone.utc)
    when = when.strftime("%Y-%m-%dT%H:%M:%S") + f".{at % 10**6:06}Z"
    lines = ["consign event 1", seq, when, actor, kind, prev, sha(salt.hex() + "\n" + body)]
    prev = heads[seq] = sha("".join(f"{line}\n" for line in lines))
    assert seq >= since or bytes.fromhex(prev) == kept
    db.execute("UPDATE journal SET body = ?, hash = ? WHERE run = ? AND seq = ?",
               [body, bytes.fromhex(prev), key, seq])
db.execute("UPDATE runs SET head = ? WHERE key = ?", [bytes.fromhex(prev), key])
at, = db.execute("SELECT seq FROM snapshots WHERE run = ?", [key]).fetchone()
db.execute("UPDATE snapshots SET head = ? WHERE run = ?", [bytes.fromhex(heads[at]), key])
db.commit()
"#;

/// A home with a run that is over and one that waits.
struct Scene {
    home: Home,
    over: String,
    waiting: String,
}

impl Scene {
    fn new() -> Self {
        let home = Home::new();
        let input = Effects::of(&home).input("keyed", 3, 0);
        let over = home.run(args_to_start("sample/effects", &input, &[])).succeeds();
        let asks = json!({"asks": 2});
        let waiting = home.run(args_to_start("sample/approval", &asks, &[])).exits_with(&[43]);
        Self { over: id(&over.json()), waiting: id(&waiting.json()), home }
    }

    fn runs(&self) -> [&str; 2] {
        [&self.over, &self.waiting]
    }

    /// What `runs verify` says of a copy with which something was done.
    fn after(
        &self,
        run: &str,
        head: Option<&str>,
        tamper: impl FnOnce(&Connection, i64),
    ) -> Outcome {
        let copy = self.home.copy();
        {
            let db = Connection::open(copy.database()).expect("the copy can be opened");
            let key = db.query_row("SELECT key FROM runs WHERE id = ?1", [run], |row| row.get(0));
            tamper(&db, key.expect("the run is there"));
        }
        verify(&copy, run, head)
    }
}

fn verify(home: &Home, run: &str, head: Option<&str>) -> Outcome {
    let head = head.map(|head| ["--head", head]);
    home.run(["runs", "verify", run].into_iter().chain(head.into_iter().flatten()))
}

fn execute(db: &Connection, sql: &str, key: i64) {
    let changed = db.execute(sql, [key]).unwrap_or_else(|cause| panic!("{sql}: {cause}"));
    assert!(changed > 0, "nothing was tampered with: {sql}");
}

/// Flips the lowest bit of a byte in the middle of a column. False where there is none.
fn flip(db: &Connection, table: &str, column: &str, row: &str, key: i64) -> bool {
    let sql = format!("SELECT CAST({column} AS BLOB), typeof({column}) FROM {table} WHERE {row}");
    let found = db
        .query_row(&sql, [key], |row| {
            Ok((row.get::<_, Option<Vec<u8>>>(0)?, row.get::<_, String>(1)?))
        })
        .optional()
        .expect("the row can be read");
    let Some((Some(mut bytes), kind)) = found else { return false };
    if kind == "integer" {
        execute(db, &format!("UPDATE {table} SET {column} = {column} + 1 WHERE {row}"), key);
        return true;
    }
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let value = if kind == "text" { "CAST(?2 AS TEXT)" } else { "?2" };
    let sql = format!("UPDATE {table} SET {column} = {value} WHERE {row}");
    db.execute(&sql, params![key, bytes]).expect("the row can be written") == 1
}

#[test]
fn a_flipped_byte_is_found_wherever_it_is() {
    let scene = Scene::new();
    let look = Look::at(&scene.home.path());
    let mut flips = 0;
    for run in scene.runs() {
        verify(&scene.home, run, None).succeeds();
        for event in &look.events[run] {
            for column in ["at", "actor", "kind", "hash", "salt", "body"] {
                let row = format!("run = ?1 AND seq = {}", event.seq);
                let flipped = |db: &Connection, key| {
                    assert!(flip(db, "journal", column, &row, key), "{event:?} has no {column}");
                };
                scene.after(run, None, flipped).fails_with(&BROKEN);
                flips += 1;
            }
        }
        for (table, column, row) in [
            ("snapshots", "state", "run = ?1"),
            ("snapshots", "digest", "run = ?1"),
            ("snapshots", "head", "run = ?1"),
            ("runs", "head", "key = ?1"),
            ("runs", "seq", "key = ?1"),
        ] {
            let flipped = |db: &Connection, key| assert!(flip(db, table, column, row, key));
            scene.after(run, None, flipped).fails_with(&BROKEN);
            flips += 1;
        }
    }
    eprintln!("{flips} flipped bytes were found");
}

#[test]
fn a_removed_swapped_or_cut_off_event_is_found() {
    let scene = Scene::new();
    let look = Look::at(&scene.home.path());
    for run in scene.runs() {
        let last = look.runs[run].seq;
        let check = |what: &str, script: &[&str]| {
            let tampered = scene.after(run, None, |db, key| {
                script
                    .iter()
                    .for_each(|sql| execute(db, &sql.replace("LAST", &last.to_string()), key));
            });
            assert!(
                tampered.clone().fails_with(&BROKEN).error_code().is_some(),
                "{what}: {tampered:#?}"
            );
        };
        check("removed", &["DELETE FROM journal WHERE run = ?1 AND seq = 2"]);
        check(
            "removed, and the others moved up",
            &[
                "DELETE FROM journal WHERE run = ?1 AND seq = 2",
                "UPDATE journal SET seq = -seq WHERE run = ?1 AND seq > 2",
                "UPDATE journal SET seq = -seq - 1 WHERE run = ?1 AND seq < 0",
                "UPDATE runs SET seq = seq - 1 WHERE key = ?1",
            ],
        );
        check(
            "swapped",
            &[
                "UPDATE journal SET seq = -1 WHERE run = ?1 AND seq = 1",
                "UPDATE journal SET seq = 1 WHERE run = ?1 AND seq = 2",
                "UPDATE journal SET seq = 2 WHERE run = ?1 AND seq = -1",
            ],
        );
        check("cut off", &["DELETE FROM journal WHERE run = ?1 AND seq = LAST"]);
        check(
            "cut off, and the run told so",
            &[
                "DELETE FROM journal WHERE run = ?1 AND seq = LAST",
                "UPDATE runs SET seq = seq - 1, head = (SELECT hash FROM journal WHERE run = ?1 \
                 ORDER BY seq DESC LIMIT 1) WHERE key = ?1",
            ],
        );
        check("all of it", &["DELETE FROM journal WHERE run = ?1"]);
        check("no state", &["DELETE FROM snapshots WHERE run = ?1"]);
    }
}

/// Columns of a run with something else to put there, and what is then told of it.
const ROW: [(&str, &str, &str); 9] = [
    ("workflow", "'sample/steps'", "the workflow"),
    ("version", "version + 1", "the version"),
    ("owner", "'mallory'", "the owner"),
    ("placement", "'host:there'", "the placement"),
    ("created_at", "created_at - 1", "the beginning"),
    ("at", "at + 1", "the newest instant"),
    ("spent", "spent + 1", "what is spent"),
    ("reserved", "reserved + 1", "what is reserved"),
    ("cap", "NULL", "the cost limit"),
];

#[test]
fn a_run_that_is_kept_otherwise_than_its_journal_says_is_found() {
    let scene = Scene::new();
    for run in scene.runs() {
        for (column, value, told) in ROW {
            let sql = format!("UPDATE runs SET {column} = {value} WHERE key = ?1");
            let tampered = scene.after(run, None, |db, key| execute(db, &sql, key));
            tampered.fails_with(&["PROJECTION_BROKEN"]).telling(told);
        }
        let status = |status: &str| format!("UPDATE runs SET status = '{status}' WHERE key = ?1");
        for status in [status("cancelled"), status("failed")] {
            let tampered = scene.after(run, None, |db, key| execute(db, &status, key));
            tampered.fails_with(&["STATE_BROKEN"]);
        }
    }
}

#[test]
fn an_ask_that_is_kept_otherwise_than_the_journal_says_is_found() {
    let scene = Scene::new();
    let check = |run: &str, sql: &str, code: &str, told: &str| {
        let tampered = scene.after(run, None, |db, key| execute(db, sql, key));
        tampered.fails_with(&[code]).telling(told);
    };
    for (column, value, told) in [
        ("kind", "'clarification'", "kind"),
        ("prompt", "'Pay Mallory?'", "prompt"),
        ("prompt", "prompt || ' '", "prompt"),
        ("schema", "'true'", "schema"),
        ("deadline", "opened_at + 60000000", "deadline"),
        ("fallback", "'true'", "default"),
        ("opened_at", "opened_at + 1", "opening"),
    ] {
        let sql =
            format!("UPDATE interactions SET {column} = {value} WHERE run = ?1 AND key = 'ask-2'");
        check(&scene.waiting, &sql, "PROJECTION_BROKEN", &format!("the {told} of ask ask-2"));
    }
    for state in ["answered", "expired", "withdrawn"] {
        let sql =
            format!("UPDATE interactions SET state = '{state}' WHERE run = ?1 AND key = 'ask-2'");
        check(&scene.waiting, &sql, "PROJECTION_BROKEN", "ask ask-2 is kept as `not open`");
    }
    for (sql, told) in [
        ("DELETE FROM interactions WHERE run = ?1 AND key = 'ask-1'", "ask ask-1"),
        ("UPDATE interactions SET key = 'ask-3' WHERE run = ?1 AND key = 'ask-2'", "ask ask-2"),
    ] {
        check(&scene.waiting, sql, "PROJECTION_BROKEN", told);
    }
    // Nobody may be asked what the journal does not ask, whether the run is over or not.
    let more = "INSERT INTO interactions (run, key, kind, prompt, schema, opened_at, state) \
                SELECT ?1, 'more', kind, prompt, schema, opened_at, state FROM interactions \
                WHERE key = 'ask-1'";
    for run in scene.runs() {
        check(run, more, "PROJECTION_BROKEN", "ask more is kept as `open`");
    }
    let no_json = "UPDATE interactions SET schema = '{' WHERE run = ?1 AND key = 'ask-1'";
    check(&scene.waiting, no_json, "STORE_DAMAGED", "cannot be read");
    verify(&scene.home, &scene.waiting, None).succeeds();
}

#[test]
fn an_account_that_the_runs_do_not_come_to_is_found() {
    let scene = Scene::new();
    let verify = |home: &Home| home.run(["runs", "verify", "--all"]);
    verify(&scene.home).succeeds();
    for (change, told) in [
        ("UPDATE owners SET spent = spent + 1000000000", "has spent"),
        ("UPDATE owners SET reserved = reserved + 1", "has reserved"),
        ("INSERT INTO owners (name, secret, spent) VALUES ('mallory', x'00', 5)", "mallory"),
    ] {
        let copy = scene.home.copy();
        let db = Connection::open(copy.database()).expect("the copy can be opened");
        assert_eq!(db.execute(change, []).expect("it can be written"), 1, "{change}");
        drop(db);
        let found =
            verify(&copy).ends_with(&["PROJECTION_BROKEN"]).telling("1 account does not add up");
        assert!(found.stdout.contains(told), "{told:?} is not said: {found:#?}");
    }
}

#[test]
fn runs_that_move_on_while_they_are_verified_hold() {
    let home = Home::new();
    let input = json!({"width": 200, "cost_usd": 0.01, "sleep_ms": 5});
    let spends = home.detach("sample/fanout", &input, &["--cost", "1.00"]);
    let asks = home.detach("sample/approval", &json!({"asks": 20}), &[]);
    let _worker = home.worker();
    let mut cents = 100;
    let mut verified = 0;
    eventually(Duration::from_secs(60), "both finish", || {
        home.run(["runs", "verify", "--all"]).succeeds();
        verified += 1;
        if let Some(ask) = home.inbox().iter().find(|ask| ask["kind"] == "approval") {
            let key = ask["interaction"].as_str().expect("an ask has a name");
            home.run(["runs", "answer", &asks, key, "--value", "true", "--no-resume"]).succeeds();
        }
        if home.status(&spends) == "waiting" {
            cents += 50;
            let cost = format!("{}.{:02}", cents / 100, cents % 100);
            home.run(["runs", "raise", &spends, "--cost", &cost]).succeeds();
        }
        [&spends, &asks].iter().all(|run| home.status(run) == "succeeded")
    });
    eprintln!("all were verified {verified} times on the way");
    home.run(["runs", "verify", "--all"]).succeeds();
}

#[test]
fn a_journal_that_was_written_anew_as_a_whole_is_found_by_a_head_kept_elsewhere() {
    need("python3");
    let scene = Scene::new();
    let (home, run) = (&scene.home, scene.over.as_str());
    let events = Look::at(&home.path()).events[run].clone();
    let head = events.last().expect("it has events").hash.clone();
    verify(home, run, Some(&head)).succeeds();
    let early = events[1].hash.clone();

    let forged = home.copy();
    let completed = events.iter().find(|event| event.kind == "call_completed").expect("a step").seq;
    let forge = python(
        FORGE,
        &[forged.database().to_str().expect("a plain path"), run, &completed.to_string()],
    );
    assert!(forge.status.success(), "{}", String::from_utf8_lossy(&forge.stderr));
    assert!(forged.journal(run).contains("forged "), "nothing was forged");
    // By itself it is without fault, and what is older than the forgery still holds.
    verify(&forged, run, None).succeeds();
    verify(&forged, run, Some(&early)).succeeds();
    verify(&forged, run, Some(&head)).fails_with(&["JOURNAL_BROKEN"]).telling("written anew");
}

#[test]
fn anybody_can_check_a_journal_with_thirty_lines_of_python() {
    need("python3");
    assert!(CHECK.trim().lines().count() <= 30);
    let scene = Scene::new();
    let home = &scene.home;
    for run in scene.runs() {
        let journal = home.journal(run);
        let checked = check(home, &journal).expect("the chain holds");
        assert_eq!(checked.trim(), home.show(run)["head"]);
        let check = |change: &dyn Fn(&mut Vec<String>), told: &str| {
            let mut lines: Vec<String> = journal.lines().map(str::to_owned).collect();
            change(&mut lines);
            let error = check(home, &(lines.join("\n") + "\n")).expect_err(told);
            assert!(error.contains(told), "{told:?} is not said: {error}");
        };
        check(
            &|lines| lines[0] = lines[0].replacen("\"owner\":\"l", "\"owner\":\"m", 1),
            "event 0 was changed",
        );
        check(&|lines| lines[1] = lines[1].replacen("T", "t", 1), "event 1");
        check(&|lines| drop(lines.remove(1)), "event 1");
        check(&|lines| lines.swap(1, 2), "event 1");
    }
}

/// The newest hash, or what is wrong.
fn check(home: &Home, journal: &str) -> Result<String, String> {
    let file = home.file("journal.ndjson");
    fs::write(&file, journal).expect("a file in our own folder");
    let script = format!("import sys\nsys.stdin = open({:?})\n{CHECK}", file.display().to_string());
    let output = python(&script, &[]);
    let text = |bytes| String::from_utf8(bytes).expect("Python prints UTF-8");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn python(script: &str, args: &[&str]) -> std::process::Output {
    let python = Command::new("python3").arg("-c").arg(script).args(args).output();
    python.expect("python3 can be started")
}

impl Home {
    /// The same once more, elsewhere.
    fn copy(&self) -> Self {
        let copy = Self::new();
        copy_folder(&self.path(), &copy.path());
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a fresh folder");
    for entry in fs::read_dir(from).expect("a folder of ours") {
        let (from, to) =
            entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a file of ours");
        }
    }
}
