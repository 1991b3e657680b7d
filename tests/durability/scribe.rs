//! A server that is killed while a job of Scribe publishes, and started again: one branch, one commit for each file, one
//! pull request. On a git folder it is killed just before each rename of git; with GitHub, on loopback, while each of its
//! writes is done and not yet answered, and just before.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    boundaries::killed_at,
    github_double::{Double, Fault, TOKEN},
    harness::{
        PATIENCE, Process,
        http::{Reply, try_send},
        text,
    },
    sample,
    support::{Home, need, until, words},
};

const JOBS: &str = "/api/agents/jobs";
const BRANCH: &str = "docs/x";
const FILES: [&str; 2] = ["README.md", "docs/API.md"];

/// A home with a user, who has a token and lets the rules write.
struct World {
    home: Home,
    token: String,
}

/// A server that may be killed at any moment.
struct Serving<'a> {
    world: &'a World,
    process: Process,
    address: Option<String>,
}

impl World {
    /// With these settings of its sources.
    fn new(sources: &str) -> Self {
        let home = Home::new();
        let mut add = home.command(["users", "add", "anna@example.com", "--password-stdin"]);
        let mut add = add.stdin(std::process::Stdio::piped()).spawn().expect("it starts");
        let mut input = add.stdin.take().expect("it was asked for");
        std::io::Write::write_all(&mut input, b"correct horse battery").expect("it reads");
        drop(input);
        assert!(add.wait().expect("our own child").success());
        home.run(["keys", "init"]).succeeds();
        let token = home.run(["tokens", "create", "--user", "anna@example.com"]).succeeds().stdout;
        fs::write(home.path().join("sources.toml"), sources).expect("a file of ours");
        let world = Self { home, token: token.trim().to_owned() };
        let serving = world.serve();
        let rules = json!({"model": "rules"});
        assert_eq!(
            serving.ask("PUT", "/api/settings/agents/scribe", &rules).map(|it| it.status),
            Some(200)
        );
        if sources.contains("github") {
            let token = json!({"token": TOKEN});
            assert_eq!(
                serving.ask("PUT", "/api/settings/github", &token).map(|it| it.status),
                Some(200)
            );
        }
        serving.process.kill();
        world
    }

    fn args() -> Vec<String> {
        words(&["serve", "--accounts", "--listen", "127.0.0.1:0", "--json"])
    }

    fn start(&self, command: Command) -> Serving<'_> {
        let mut serving = Serving { world: self, process: self.home.start(command), address: None };
        serving.address = until(PATIENCE, "the server listens, or was killed", || {
            let ended = serving.process.has_ended();
            let said = serving.process.stdout();
            let told = said.split_once('\n').and_then(|(line, _)| serde_json::from_str(line).ok());
            match told.map(|told: Value| text(&told, "url").replace("http://", "")) {
                Some(address) => Some(Some(address)),
                None => ended.then_some(None),
            }
        });
        serving
    }

    fn serve(&self) -> Serving<'_> {
        let serving = self.start(self.home.command(Self::args()));
        assert!(serving.address.is_some(), "{}", serving.process.stderr());
        serving
    }

    /// Starts a server again after a kill: the job is there or is submitted now, and comes to its end. Its result.
    fn finishes(&self, job: &Value) -> Value {
        let serving = self.serve();
        let all = serving.ask("GET", JOBS, &Value::Null).expect("it answers").json();
        let id = match all["items"].as_array().and_then(|items| items.first()) {
            Some(first) => text(first, "id").to_owned(),
            None => serving.submit(job).expect("it answers"),
        };
        let place = format!("{JOBS}/{id}");
        let done = until(PATIENCE, "the job is over", || {
            let job = serving.ask("GET", &place, &Value::Null)?.json();
            ["completed", "failed"].contains(&text(&job, "state")).then_some(job)
        });
        serving.process.kill();
        assert_eq!(text(&done, "state"), "completed", "{done:#}");
        self.home.verify(&id);
        done["result"].clone()
    }
}

impl Serving<'_> {
    /// The answer, if there is one.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Option<Reply> {
        let address = self.address.as_deref()?;
        let token = &self.world.token;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n"
        );
        let (head, body) = match body.is_null() {
            true => (head, String::new()),
            false => (head + "content-type: application/json\r\n", body.to_string()),
        };
        try_send(address, &head, body.as_bytes())
    }

    fn submit(&self, job: &Value) -> Option<String> {
        let taken = self.ask("POST", JOBS, job)?;
        assert_eq!(taken.status, 201, "{}", taken.body);
        Some(text(&taken.json(), "jobId").to_owned())
    }
}

fn job(owner: &str, repo: &str) -> Value {
    json!({"type": "scribe", "payload": {"owner": owner, "repo": repo, "baseBranch": "main",
        "outputTargets": FILES, "featureBranch": BRANCH}})
}

#[track_caller]
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// A world that shares one git folder, `teapot`.
fn local() -> (World, PathBuf, tempfile::TempDir) {
    let repos = tempfile::tempdir().expect("a folder");
    let folder = repos.path().join("teapot");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"teapot\"\nversion = \"0.3.0\"\n")
        .expect("a file");
    fs::write(folder.join("src/lib.rs"), "/// Boils.\npub fn boil() {}\n").expect("a file");
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "Begin"]);
    let world = World::new(&format!("[local]\nrepos = {:?}\n", repos.path()));
    (world, folder, repos)
}

#[test]
fn killed_between_the_writes_of_git_a_folder_is_published_to_once() {
    need("strace");
    need("git");
    let (mut killed, mut in_the_middle) = (0, 0);
    // Objects and a new branch come to their place by a link, the tip of a branch by a rename. Calls are counted for each
    // thread, and each commit has one.
    for call in ["link", "rename", "unlink"] {
        for nth in 1.. {
            let Some(is_in_the_middle) = published_after_a_kill(call, nth) else { break };
            killed += 1;
            in_the_middle += usize::from(is_in_the_middle);
        }
    }
    eprintln!("{killed} kills, {in_the_middle} of them with a branch that was not yet done");
    assert!(killed >= 5 && in_the_middle >= 2, "the kills came at the wrong moments");
}

/// Kills a server at the nth of such calls and lets another one finish. Says whether the branch was half done; nothing if there
/// are fewer calls.
fn published_after_a_kill(call: &str, nth: usize) -> Option<bool> {
    let (world, folder, _repos) = local();
    let wanted = job("local", "teapot");
    let command = killed_at(&world.home, call, nth, &World::args());
    let mut serving = world.start(command);
    let id = serving.submit(&wanted);
    let was_killed = until(PATIENCE, "the server is killed, or the job is over", || {
        if serving.process.has_ended() {
            return Some(true);
        }
        let place = format!("{JOBS}/{}", id.as_deref().unwrap_or_default());
        let job = serving.ask("GET", &place, &Value::Null)?.json();
        ["completed", "failed"]
            .contains(&job["state"].as_str().unwrap_or_default())
            .then_some(false)
    });
    serving.process.kill();
    let branches = git(&folder, &["branch", "--format", "%(refname:short)"]);
    let commits = match branches.contains(BRANCH) {
        true => git(&folder, &["rev-list", "--count", "main..docs/x"]),
        false => "none".to_owned(),
    };
    let result = world.finishes(&wanted);
    let told = format!("{call} {nth}, with {commits} commits then: {result:#}");
    assert_eq!(git(&folder, &["branch", "--format", "%(refname:short)"]), "docs/x\nmain", "{told}");
    let log = git(&folder, &["log", "--reverse", "--format=%s", "main..docs/x"]);
    let expected = FILES.map(|file| format!("docs: generate {file} via Scribe agent"));
    assert_eq!(log.lines().collect::<Vec<_>>(), expected, "{told}");
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(2)), "{told}");
    assert_eq!(result["branchCreated"], true, "{told}");
    git(&folder, &["fsck", "--strict"]);
    was_killed.then(|| ["0", "1", "2"].contains(&commits.as_str()))
}

/// GitHub, on a thread of its own, which ends with the test.
fn github() -> Double {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            sender.send(Double::start().await).ok();
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().expect("it starts")
}

#[track_caller]
fn is_published_once(double: &Double, git: &Path, name: &str, told: &str) {
    assert_eq!(sample::branches(git), [BRANCH, "main"], "{told}");
    let commits = sample::commits_on(git, BRANCH).expect("there is a branch");
    assert_eq!(commits.len(), FILES.len(), "{told}: {commits:?}");
    let pulls = double.pulls(name);
    assert_eq!(pulls.len(), 1, "{told}: {pulls:?}");
    assert!(pulls[0].body.contains("<!-- consign-key: "), "{told}: {pulls:?}");
}

#[test]
fn killed_between_the_calls_of_github_it_is_published_to_once() {
    let double = github();
    let sources = format!("[github]\napi_url = {:?}\n", double.url);
    // Undisturbed, to know which calls write.
    let whole = double.add("octo/whole");
    let before = double.calls().len();
    World::new(&sources).finishes(&job("octo", "whole"));
    is_published_once(&double, &whole, "octo/whole", "undisturbed");
    let calls = double.calls().split_off(before);
    let writes: Vec<usize> =
        (1..=calls.len()).filter(|nth| calls[nth - 1].method != "GET").collect();
    assert_eq!(writes.len(), 4, "a branch, two files, a pull request: {calls:?}");
    for nth in writes.iter().flat_map(|nth| [nth - 1, *nth]) {
        let name = format!("octo/killed{nth}");
        let git = double.add(&name);
        let world = World::new(&sources);
        let wanted = job("octo", &name["octo/".len()..]);
        let seen = double.calls().len();
        double.fault(nth, Fault::Slow(Duration::from_secs(60)));
        let serving = world.serve();
        serving.submit(&wanted).expect("it answers");
        // It is done before its answer is late.
        until(PATIENCE, "the call is done", || {
            double.calls().get(seen + nth - 1).filter(|call| call.status != 0).map(drop)
        });
        serving.process.kill();
        world.finishes(&wanted);
        is_published_once(
            &double,
            &git,
            &name,
            &format!("killed at call {nth} of {}", calls.len()),
        );
    }
}
