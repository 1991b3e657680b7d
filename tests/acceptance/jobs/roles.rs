//! Roles that are commands, in a git repository of the user's.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use crate::home::Home;

/// A worker that does what the phase is called, and forgets a file; its supervisor sends phase `one` back once.
const WORKER: &str = r#"
request=$(cat)
phase=$(printf '%s' "$request" | sed -n 's/.*"phase":"\([a-z]*\)".*/\1/p')
printf '%s\n' "$phase" >> "$phase.txt"
date +%N > "$phase.built"
mkdir -p out && printf 'x' > out/ignored.o
chmod +x "$phase.txt"
printf '{"action":"COMPLETED","evidence_files":["%s.txt"],"summary_for_supervisor":"Did %s."}' "$phase" "$phase"
"#;
const SUPERVISOR: &str = r#"
cat > /dev/null
if [ -e "$0.seen" ]; then
  echo '{"action":"COMPLETED","evidence_files":[],"summary_for_supervisor":"Good."}'
else
  touch "$0.seen"
  echo '{"action":"RETRY","evidence_files":[],"summary_for_supervisor":"Once more."}'
fi
"#;

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().expect("git is there");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is there")
}

/// Every file of a folder with its content, and what it is.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![folder.to_owned()];
    while let Some(next) = ahead.pop() {
        for entry in fs::read_dir(&next).expect("it is there") {
            let path = entry.expect("it is there").path();
            let meta = fs::symlink_metadata(&path).expect("it is there");
            let name =
                path.strip_prefix(folder).expect("it is there").to_string_lossy().into_owned();
            if meta.is_dir() {
                ahead.push(path);
            } else {
                found.insert(name, fs::read(&path).expect("it is there"));
            }
        }
    }
    found
}

#[test]
fn a_command_works_in_a_worktree_and_each_phase_can_be_brought_back() {
    let home = Home::new();
    let repo = home.path().parent().expect("it is there").join("repo");
    fs::create_dir(&repo).expect("it is there");
    git(&repo, &["init", "-q", "-b", "main"]);
    git(&repo, &["config", "user.name", "Ada"]);
    git(&repo, &["config", "user.email", "ada@example.org"]);
    fs::write(repo.join("readme"), "hello\n").expect("it is there");
    fs::write(repo.join(".gitignore"), "out/\n").expect("it is there");
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "first"]);
    fs::write(repo.join("readme"), "being edited\n").expect("it is there");
    let before = git(&repo, &["status", "--porcelain"]);
    let roles = home.path().parent().expect("it is there").join("roles");
    fs::create_dir(&roles).expect("it is there");
    for (name, text) in [("worker", WORKER), ("supervisor", SUPERVISOR)] {
        fs::write(roles.join(format!("{name}.sh")), text).expect("it is there");
        let script = roles.join(format!("{name}.sh"));
        let role = format!(
            "name = \"{name}\"\nprotocol = \"1\"\n[subprocess]\ncommand = [\"sh\", {:?}]\n",
            script.display().to_string()
        );
        fs::write(roles.join(format!("{name}.toml")), role).expect("it is there");
    }
    let phases = home.file("phases.toml", super::trial::PHASES);
    let (repo_name, roles_name) =
        (repo.to_str().expect("it is there"), roles.to_str().expect("it is there"));
    home.run(&[
        "job",
        "new",
        "build",
        "--objective",
        "Build it",
        "--phases",
        &phases,
        "--repo",
        repo_name,
        "--roles",
        roles_name,
    ])
    .exits(0);
    let workspace = home.path().join("jobs/build/workspace");
    let mut laid = BTreeMap::new();
    home.run(&["job", "activate", "build"]).exits(0);
    laid.insert("start".to_owned(), content(&workspace));
    // Step by step, so that the workspace can be looked at after each accepted phase.
    for phase in 1..=3 {
        loop {
            home.run(&["job", "step", "build"]).exits(0);
            let point = format!("phase-{phase}-complete");
            let status = home.json(&["job", "status", "build"], 0);
            if status["recovery_points"]
                .as_array()
                .expect("it is there")
                .iter()
                .any(|own| *own == *point)
            {
                laid.insert(point, content(&workspace));
                break;
            }
        }
    }
    let history = home.run(&["job", "history", "build", "--json"]).exits(0).stdout;
    assert_eq!(history.lines().count(), 8, "one phase was sent back once");
    let log = git(&repo, &["log", "--format=%an %s%n%b", "consign/job/build"]);
    let subjects: Vec<_> = log.lines().filter(|line| line.starts_with("Ada ")).collect();
    assert_eq!(subjects, ["Ada build: three", "Ada build: two", "Ada build: one", "Ada first"]);
    assert!(log.contains("Consign-Point: phase-2-complete"), "{log}");
    let tree = git(&repo, &["ls-tree", "-r", "--name-only", "consign/job/build"]);
    assert!(tree.contains("two.txt") && !tree.contains("ignored.o"), "{tree}");
    let audit = fs::read_to_string(home.path().join("jobs/build/audit.log")).expect("it is there");
    assert!(audit.contains("EVIDENCE_UNDECLARED") && audit.contains("one.built"), "{audit}");
    // A phase that was sent back began from its starting workspace.
    assert_eq!(fs::read_to_string(workspace.join("one.txt")).expect("it is there"), "one\n");
    // The user's own checkout is as it was.
    assert_eq!(fs::read_to_string(repo.join("readme")).expect("it is there"), "being edited\n");
    assert_eq!(git(&repo, &["status", "--porcelain"]), before);
    assert_eq!(git(&repo, &["rev-parse", "--abbrev-ref", "HEAD"]), "main\n");
    // Closed: every phase comes back byte by byte.
    for (point, files) in &laid {
        home.run(&["job", "restore", "build", "--point", point]).exits(0);
        assert_eq!(content(&workspace), *files, "{point}");
    }
    // Open: the job was restored to `start` last, and is open now.
    assert_eq!(home.json(&["job", "status", "build"], 0)["status"], "PENDING");
    for point in ["phase-2-complete", "phase-1-complete", "start"] {
        home.run(&["job", "restore", "build", "--point", point]).exits(0);
        assert_eq!(content(&workspace), laid[point], "{point}");
    }
    home.run(&["job", "run", "build"]).exits(0);
    home.run(&["job", "replay", "build"]).exits(0);
    let log = git(&repo, &["log", "--format=%s", "consign/job/build"]);
    assert_eq!(log.lines().count(), 4, "one commit for each accepted phase: {log}");
}

#[test]
fn a_role_that_cannot_be_used_is_told_before_anything_is_spent() {
    let home = Home::new();
    let job = home.path().join("jobs/work");
    fs::create_dir_all(job.join("roles")).expect("it is there");
    fs::write(
        job.join("roles/Worker.toml"),
        "name = \"worker\"\nprotocol = \"2\"\n[subprocess]\ncommand = [\"x\"]\n",
    )
    .expect("it is there");
    home.run(&["job", "new", "work", "--objective", "x"]).exits(0);
    home.run(&["job", "activate", "work"]).fails(1, "ROLE_INVALID").telling("protocol");
    fs::write(
        job.join("roles/Worker.toml"),
        "name = \"worker\"\n[subprocess]\ncommand = [\"no-such-program\"]\n",
    )
    .expect("it is there");
    home.run(&["job", "activate", "work"]).exits(0);
    let stuck = home.run(&["job", "run", "work"]).exits(43).stdout;
    assert!(stuck.contains("no-such-program"), "{stuck}");
}
