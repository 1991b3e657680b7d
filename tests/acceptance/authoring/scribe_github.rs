//! `consign scribe` and its jobs against GitHub on loopback, which logs every call: over its REST interface, and over
//! its official MCP server.

use std::{path::Path, process::Command, sync::mpsc, thread, time::Duration};

use serde_json::json;

use super::workbench::run_of;
use crate::{
    github_double::{Double, Fault, TOKEN},
    home::{Home, keeps, until},
    sample,
    support::{Consign, root},
};

/// GitHub, and a home that knows where it is.
struct World {
    home: Home,
    double: Double,
}

/// GitHub, on a thread of its own, which ends with the test.
pub(super) fn github() -> Double {
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

/// Makes a branch where `main` is.
pub(super) fn branch(git: &Path, name: &str) {
    let git = git2::Repository::open(git).expect("a repository");
    let main = git.find_reference("refs/heads/main").and_then(|main| main.peel_to_commit());
    git.branch(name, &main.expect("a commit"), false).expect("a branch");
}

impl World {
    fn new() -> Self {
        let world = Self { home: Home::new(), double: github() };
        world.sources(&format!("api_url = {:?}\n", world.double.url));
        world
    }

    fn sources(&self, github: &str) {
        std::fs::create_dir_all(self.home.path()).expect("a folder");
        let file = self.home.path().join("sources.toml");
        std::fs::write(file, format!("[github]\n{github}")).expect("a file");
    }

    fn scribe(&self, args: &[&str]) -> Consign {
        self.home.consign(&[&["scribe"], args].concat()).env("GITHUB_TOKEN", TOKEN)
    }

    /// Demands that a job was published exactly once.
    #[track_caller]
    fn is_published_once(&self, git: &Path, name: &str, branch: &str, files: usize, told: &str) {
        assert_eq!(sample::branches(git), [branch, "main"], "{told}");
        let commits = sample::commits_on(git, branch).expect("there is a branch");
        assert_eq!(commits.len(), files, "{told}: {commits:?}");
        let pulls = self.double.pulls(name);
        assert_eq!(pulls.len(), 1, "{told}: {pulls:?}");
        assert_eq!((pulls[0].head.as_str(), pulls[0].base.as_str()), (branch, "main"), "{told}");
    }
}

#[test]
fn a_branch_one_commit_for_each_file_and_one_pull_request() {
    let world = World::new();
    let git = world.double.add("octo/sample");
    let args =
        ["octo/sample", "--model", "rules", "--pack", "standard", "--pr", "--branch", "docs/x"];
    let done = world.scribe(&args).run().exits(0);
    assert!(done.stdout.contains("pull request http"), "{done:#?}");
    world.is_published_once(&git, "octo/sample", "docs/x", 4, "first");
    // Once more is another job, which finds what is right already.
    let before = world.double.writes().len();
    let run = run_of(&done.stderr).expect("the run is told");
    world.scribe(&["--run", &run]).run().exits(0);
    assert_eq!(world.double.writes().len(), before);
}

#[test]
fn a_dry_run_writes_nothing_at_all() {
    let world = World::new();
    world.double.add("octo/sample");
    for more in [&[][..], &["--dry-run"], &["--out", "docs"], &["--pack", "full"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let args = [&["octo/sample", "--model", "rules", "--json"], more].concat();
        let done = world.scribe(&args).folder(folder.path()).run().exits(0).json();
        keeps("authoring/scribe.result", &done.to_string());
        assert_eq!(
            (&done["dryRun"], &done["diagnostics"]["mode"]),
            (&json!(true), &json!("dry-run"))
        );
    }
    assert!(!world.double.calls().is_empty());
    let writes = world.double.writes();
    assert!(writes.is_empty(), "{writes:?}");
}

#[test]
fn without_a_token_the_fault_says_what_to_do() {
    let world = World::new();
    world.double.add("octo/sample");
    let args = ["scribe", "octo/sample", "--model", "rules"];
    let told = world.home.run(&args).fails_with(&["GITHUB_TOKEN_MISSING"]);
    assert!(told.stderr.contains("consign keys set github"), "{told:#?}");
    assert!(world.double.calls().is_empty());
    world.home.run(&["keys", "init"]).exits(0);
    world.home.consign(&["keys", "set", "github"]).stdin(TOKEN).run().exits(0);
    world.home.run(&args).exits(0);
}

#[test]
fn an_answer_that_is_lost_at_any_call_publishes_once() {
    let world = World::new();
    let args = |name: &str| {
        let args = [name, "--model", "rules", "--target", "README.md", "--target", "docs/API.md"];
        world.scribe(&[&args[..], &["--pr", "--branch", "docs/x"]].concat())
    };
    let git = world.double.add("octo/whole");
    let before = world.double.calls().len();
    args("octo/whole").run().exits(0);
    world.is_published_once(&git, "octo/whole", "docs/x", 2, "without a fault");
    let calls = world.double.calls().len() - before;
    assert!(calls > 8, "{calls}");
    // The first call says which branch work starts from: it belongs to the command, and not to the job.
    for nth in 2..=calls {
        let name = format!("octo/lost{nth}");
        let git = world.double.add(&name);
        world.double.fault(nth, Fault::LoseAnswer);
        let done = args(&name).run();
        let told = format!("the answer of call {nth} of {calls}: {done:#?}");
        assert!(done.stderr.contains("run "), "{told}");
        world.is_published_once(&git, &name, "docs/x", 2, &told);
    }
}

#[test]
fn a_job_that_is_killed_at_any_call_publishes_once() {
    let world = World::new();
    let args = |name: &str| {
        let args = [name, "--model", "rules", "--target", "README.md", "--target", "docs/API.md"];
        world.scribe(&[&args[..], &["--pr", "--branch", "docs/x"]].concat())
    };
    world.double.add("octo/whole");
    let before = world.double.calls().len();
    args("octo/whole").run().exits(0);
    let calls = world.double.calls().len() - before;
    for nth in 2..=calls {
        let name = format!("octo/killed{nth}");
        let git = world.double.add(&name);
        let seen = world.double.calls().len();
        world.double.fault(nth, Fault::Slow(Duration::from_secs(30)));
        let process = world.home.let_go_on(args(&name));
        until("the call is made", || (world.double.calls().len() >= seen + nth).then_some(()));
        // It is done before its answer is late.
        until("the call is done", || {
            world.double.calls().get(seen + nth - 1).filter(|call| call.status != 0).map(drop)
        });
        let run = run_of(&process.stderr()).expect("the run is told");
        process.kill();
        world.scribe(&["--run", &run]).run().exits(0);
        let told = format!("killed at call {nth} of {calls}");
        world.is_published_once(&git, &name, "docs/x", 2, &told);
    }
}

/// The official server from npm, pointed at the double. What cannot be tested must not look as if it had been: without
/// the server the tests fail, unless `CONSIGN_WITHOUT_MCP` says that this is known.
#[expect(clippy::print_stderr, reason = "it tells what was not tested")]
pub(super) fn official(double: &Double) -> Option<String> {
    let tools = root().join("crates/repositories/tests/tools");
    let made = Command::new(tools.join("github-mcp.sh")).output().expect("it starts");
    if !made.status.success() {
        let why = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(
            std::env::var_os("CONSIGN_WITHOUT_MCP").is_some(),
            "GitHub's MCP server cannot be had, so nothing was tested over MCP (CONSIGN_WITHOUT_MCP=1 goes on without): {why}"
        );
        eprintln!("SKIPPED: GitHub's MCP server is not there, so this was NOT tested: {why}");
        return None;
    }
    let folder = String::from_utf8(made.stdout).expect("a path");
    let package = Path::new(folder.trim()).join("node_modules/@modelcontextprotocol/server-github");
    let preload = format!("file://{}", tools.join("preload.mjs").display());
    let index = package.join("dist/index.js").display().to_string();
    let command = json!(["node", "--import", preload, index, double.url]);
    Some(format!("mcp_command = {command}\n"))
}

#[test]
fn over_mcp_it_is_the_same() {
    let world = World::new();
    let Some(settings) = official(&world.double) else { return };
    world.sources(&settings);
    let git = world.double.add("octo/mcp");
    let dry = ["octo/mcp", "--model", "rules"];
    world.scribe(&dry).run().exits(0);
    assert!(world.double.writes().is_empty());
    let args = ["octo/mcp", "--model", "rules", "--pack", "standard", "--pr", "--branch", "docs/x"];
    world.scribe(&args).run().exits(0);
    world.is_published_once(&git, "octo/mcp", "docs/x", 4, "over MCP");
}

#[test]
fn over_mcp_an_answer_that_is_lost_publishes_once() {
    let world = World::new();
    let Some(settings) = official(&world.double) else { return };
    world.sources(&settings);
    let publish = |name: &str| {
        let args = [name, "--model", "rules", "--target", "README.md", "--target", "docs/API.md"];
        world.scribe(&[&args[..], &["--pr", "--branch", "docs/x"]].concat()).run()
    };
    let git = world.double.add("octo/whole");
    let before = world.double.calls().len();
    publish("octo/whole").exits(0);
    world.is_published_once(&git, "octo/whole", "docs/x", 2, "without a fault");
    let calls = world.double.calls().split_off(before);
    let first = calls.iter().position(|call| call.method != "GET").expect("it writes");
    assert_eq!(calls.iter().filter(|call| call.method != "GET").count(), 4, "{calls:?}");
    // From the look before the first write on: what is read before that is the same over REST.
    for nth in first..=calls.len() {
        let name = format!("octo/lost{nth}");
        let git = world.double.add(&name);
        world.double.fault(nth, Fault::LoseAnswer);
        let done = publish(&name);
        let told = format!("the answer of call {nth} of {}: {done:#?}", calls.len());
        world.is_published_once(&git, &name, "docs/x", 2, &told);
    }
}

/// What Trace and Proto make goes to the same place by the same way.
#[test]
fn files_of_trace_and_proto_are_published_once_too() {
    let world = World::new();
    for (at, kind) in ["trace", "proto"].into_iter().enumerate() {
        let name = format!("octo/of-{kind}");
        let git = world.double.add(&name);
        let consign = |more: &[&str]| {
            let args = [&[kind, "-", "--repo", &name], more].concat();
            world
                .home
                .consign(&args)
                .env("GITHUB_TOKEN", TOKEN)
                .stdin("Login. The user sees a page.")
        };
        let told = consign(&[]).run().fails(2, "USAGE");
        assert!(told.stderr.contains("nothing is published"), "{told:#?}");
        let before = world.double.writes().len();
        consign(&["--dry-run"]).run().exits(0);
        assert_eq!(world.double.writes().len(), before, "{kind}");
        let done = consign(&["--pr", "--branch", "made/{agent}"]).run().exits(0);
        let branch = format!("made/{kind}");
        assert!(done.stdout.contains(&format!("files on {branch}")), "{done:#?}");
        assert!(done.stdout.contains("pull request http"), "{done:#?}");
        let files = world.double.writes().len() - before - 2;
        assert!(files > at, "{files}");
        world.is_published_once(&git, &name, &branch, files, kind);
        let refused = consign(&["--branch", "main"]).run().fails(2, "VALIDATION_ERROR");
        assert!(refused.stderr.contains("--branch: it is the base branch"), "{refused:#?}");
    }
}

#[test]
fn a_second_job_on_a_branch_whose_pull_request_is_closed_opens_its_own() {
    let world = World::new();
    let git = world.double.add("octo/sample");
    let args = ["octo/sample", "--model", "rules", "--pr", "--branch", "docs/x", "--json"];
    let first = world.scribe(&args).run().exits(0).json();
    world.double.close_pulls();
    let git = git2::Repository::open(&git).expect("a repository");
    sample::edit(&git, "docs/x", "README.md", b"# Sample\n");
    let second = world.scribe(&args).run().exits(0).json();
    assert_ne!(second["pullRequest"], first["pullRequest"], "{second:#}");
    assert_eq!(world.double.pulls("octo/sample").len(), 2);
    // While it is open, what a third job commits goes into it.
    sample::edit(&git, "docs/x", "README.md", b"# Sample\n\nBy hand.\n");
    let third = world.scribe(&args).run().exits(0).json();
    assert_eq!(third["pullRequest"], second["pullRequest"], "{third:#}");
    assert_eq!(world.double.pulls("octo/sample").len(), 2);
}
