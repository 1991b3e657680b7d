//! Scribe on a git folder: the branch is there afterwards, and nothing of the checkout was touched.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use async_trait::async_trait;
use consign_authoring::{
    job::{JobOutcome, rule_agents},
    publish::OpenRepository,
};
use consign_engine::{Agents, Fault, Owner};
use consign_repositories::{Local, OwnerRepo, Repository};
use consign_testkit::world::Setting;
use serde_json::{Value, json};

use crate::scribe::{input, play};

struct Folder(PathBuf);

#[async_trait]
impl OpenRepository for Folder {
    async fn open(
        &self,
        _owner: &Owner,
        _name: &OwnerRepo,
        _folder: Option<&Path>,
    ) -> Result<Arc<dyn Repository>, Fault> {
        Ok(Arc::new(Local::new(&self.0)))
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    let done = command.args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Everything in a folder but the objects, logs and branches of git.
fn contents(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let is_changed = ["objects", "refs", "logs"].iter().any(|name| path.ends_with(name));
        if path.is_dir() {
            if !is_changed {
                contents(&path, found);
            }
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Plays a job by rules on a folder.
async fn written(root: &Path, payload: Value) -> (Value, JobOutcome) {
    let repositories: Arc<dyn OpenRepository> = Arc::new(Folder(root.to_owned()));
    let agents = rule_agents(Agents::default(), &repositories);
    let setting = agents
        .known()
        .fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()));
    play(setting, &input(payload, "rules")).await
}

#[tokio::test(start_paused = true)]
async fn a_checkout_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    fs::create_dir(root.join("src")).unwrap();
    fs::write(
        root.join("Cargo.toml"),
        "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n",
    )
    .unwrap();
    fs::write(root.join("src/lib.rs"), "/// Adds.\npub fn add_order() {}\n").unwrap();
    fs::write(root.join("LICENSE"), "MIT License\n").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "feat: orders"]);
    fs::write(root.join("draft.txt"), "not committed").unwrap();
    let mut before = BTreeMap::new();
    contents(root, &mut before);

    let (result, outcome) = written(root, json!({"docPack": "standard"})).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(4)), "{result}");
    assert_eq!((result.get("pullRequest"), &result["branchCreated"]), (None, &json!(true)));
    assert_eq!(outcome.quality.unwrap().score, 100, "{result}");

    let mut after = BTreeMap::new();
    contents(root, &mut after);
    assert_eq!(before, after);
    let branch = result["branch"].as_str().unwrap();
    let log = git(root, &["log", "--format=%s", branch]);
    assert_eq!(
        log.lines().collect::<Vec<_>>(),
        [
            "docs: generate docs/DEVELOPMENT.md via Scribe agent",
            "docs: generate docs/API.md via Scribe agent",
            "docs: generate docs/ARCHITECTURE.md via Scribe agent",
            "docs: generate README.md via Scribe agent",
            "feat: orders",
        ]
    );
    assert_eq!(git(root, &["status", "--short"]), "?? draft.txt\n");
}

/// Small repositories in five languages, as people make them.
const REPOSITORIES: [&[(&str, &str)]; 5] = [
    &[
        (
            "Cargo.toml",
            "[package]\nname = \"shelf\"\nversion = \"0.3.0\"\nedition = \"2024\"\nlicense = \"Unlicense OR MIT\"\n",
        ),
        (
            "src/main.rs",
            "//! The shelf.\nfn main() {\n    let _ = std::env::var(\"SHELF_HOME\");\n}\n",
        ),
        (
            "README.md",
            "# shelf\n\nBooks of [Ada](people/ADA.md).\n\n# Releases\n\nWhen they are done.\n",
        ),
    ],
    &[
        (
            "package.json",
            "{\"name\": \"till\", \"version\": \"1.2.0\", \"license\": \"ISC\", \"main\": \"index.js\", \"scripts\": {\"test\": \"node --test\"}}",
        ),
        (
            "index.js",
            "/** Adds. */\nexports.add = function add(a, b) { return a + b }\napp.get('/sum', add)\n",
        ),
        ("Readme.md", "# till\n\nIt counts.\n"),
    ],
    &[
        (
            "pyproject.toml",
            "[project]\nname = \"queue\"\nversion = \"2.0\"\nrequires-python = \">=3.10\"\nlicense = {text = \"MIT\"}\n\n[project.scripts]\nqueue = \"queue:main\"\n",
        ),
        (
            "src/queue/__init__.py",
            "import os\n\ndef main():\n    \"\"\"Reads::\n\n        os.environ['SHOWN_ONLY']\n    \"\"\"\n    return os.environ['QUEUE_SIZE']\n",
        ),
        ("README.rst", "queue\n=====\n"),
    ],
    &[
        ("go.mod", "module example.com/lamp\n\ngo 1.22\n"),
        (
            "main.go",
            "package main\n\nimport \"os\"\n\nfunc main() { _ = os.Getenv(\"LAMP_COLOUR\") }\n",
        ),
        ("odd [name] (1)/a b.go", "package odd\n\n// On turns it on.\nfunc On() {}\n"),
    ],
    &[
        (
            "pom.xml",
            "<project><groupId>org.example</groupId><artifactId>kiln</artifactId><version>4.1</version></project>",
        ),
        (
            "src/main/java/org/example/Kiln.java",
            "package org.example;\n\n/** Heats. */\npublic class Kiln {\n  public int heat() { return 1; }\n}\n",
        ),
    ],
];

#[tokio::test(start_paused = true)]
async fn documents_of_five_repositories_hold_and_are_written_once() {
    let link = regex::Regex::new(r"\]\(([^)#: ]+)(?:#[^)]*)?\)").unwrap();
    for files in REPOSITORIES {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "-b", "main"]);
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "feat: all of it"]);
        let mut before = BTreeMap::new();
        contents(root, &mut before);
        let full = |dry: bool| json!({"docPack": "full", "docDepth": "deep", "dryRun": dry});
        let (result, _) = written(root, full(false)).await;
        let mut after = BTreeMap::new();
        contents(root, &mut after);
        assert_eq!(before, after);
        // A README that is not in Markdown stays as it is, without another one beside it.
        let count = 8 - files.iter().filter(|(path, _)| path.ends_with(".rst")).count();
        let told = (&result["ok"], &result["filesUpdated"]);
        assert_eq!(told, (&json!(true), &json!(count)), "{result}");

        git(root, &["checkout", "-q", "-B", "main", result["branch"].as_str().unwrap()]);
        let there = git(root, &["ls-files", "-z"]);
        let there: Vec<&str> = there.split('\0').filter(|path| !path.is_empty()).collect();
        for document in there.iter().filter(|path| path.ends_with(".md")) {
            let text = fs::read_to_string(root.join(document)).unwrap();
            let above = root.join(document).parent().unwrap().to_owned();
            for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
                let plain = percent_decoded(&target);
                assert!(above.join(&plain).exists(), "{document}: {target}");
            }
        }
        let names: std::collections::BTreeSet<String> =
            there.iter().map(|path| path.to_lowercase()).collect();
        assert_eq!(names.len(), there.len(), "{there:?}");
        let (again, _) = written(root, full(true)).await;
        assert_eq!((&again["ok"], &again["filesUpdated"]), (&json!(true), &json!(0)), "{again}");
    }
}

fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        out.push(u8::from_str_radix(&part[..2], 16).unwrap());
        out.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(out).unwrap()
}
