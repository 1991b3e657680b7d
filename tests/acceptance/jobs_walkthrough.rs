//! `docs/jobs.md`: the walkthrough is run as it stands there, exits as the page says and prints what the page shows, and
//! the files that the page has are taken.

use std::{collections::BTreeSet, env, ffi::OsString, fs, path::Path};

use crate::{
    home::Home,
    support::{Consign, Folder, root},
};

const PAGE: &str = "docs/jobs.md";
/// Stands for what is different each time, and for lines that are left out.
const ANYTHING: char = '…';
/// What the page calls a folder for temporary files.
const TEMPORARY: &str = "/tmp/";

/// A command of the page.
struct Shown {
    command: String,
    /// What stands below it.
    lines: Vec<String>,
}

impl Shown {
    /// `# exits with 43` behind a command is its exit code.
    fn exit(&self) -> i32 {
        let told = self.command.split_once("# exits with ");
        told.map_or(0, |(_, code)| code.trim().parse().expect("a number"))
    }
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("a page of ours")
}

/// The blocks of a language in a text, each without its fence.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let block = |rest: &str| rest.split_once("```").map(|(block, _)| block.to_owned());
    text.split(fence.as_str()).skip(1).filter_map(block).collect()
}

/// A part of the page, up to the next one.
fn section(page: &str, heading: &str) -> String {
    let rest = page.split_once(&format!("\n## {heading}\n"));
    let (_, rest) = rest.unwrap_or_else(|| panic!("{PAGE} has no {heading:?}"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section).to_owned()
}

/// The commands of a block, in order.
fn commands(block: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            found.push(Shown { command: command.to_owned(), lines: Vec::new() });
        } else if let Some(last) = found.last_mut() {
            // A command goes on where a line ends with a backslash.
            if last.lines.is_empty() && last.command.ends_with('\\') {
                last.command.push('\n');
                last.command.push_str(line);
            } else {
                last.lines.push(line.to_owned());
            }
        }
    }
    found
}

/// Where programs are found, the one that is tested first.
fn path_with_consign() -> OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_consign"));
    let own = binary.parent().expect("a program is in a folder").to_owned();
    let usual = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own).chain(env::split_paths(&usual));
    env::join_paths(folders).expect("folders of programs have plain names")
}

/// Whether a line is as the page shows it.
fn fits(line: &str, shown: &str) -> bool {
    let mut parts: Vec<&str> = shown.split(ANYTHING).collect();
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() {
        return line == last;
    }
    let Some(mut rest) = line.strip_prefix(parts.remove(0)) else { return false };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn every_command_of_the_walkthrough_does_what_the_page_shows() {
    let folder = Folder::new();
    let temporary = folder.path().canonicalize().expect("it was just made");
    let temporary = format!("{}/", temporary.to_str().expect("temporary folders have plain names"));
    let home = format!("{temporary}home");
    let walkthrough = section(&page(), "A walkthrough");
    let shown: Vec<Shown> =
        blocks(&walkthrough, "console").iter().flat_map(|block| commands(block)).collect();
    assert!(shown.len() > 15, "the page had more commands: {}", shown.len());
    for step in shown {
        let command = step.command.replace(TEMPORARY, &temporary);
        let script = format!("unset CONSIGN_JOBS_DIR\nexec 2>&1\n{command}\n");
        let shell = Consign::of("sh", ["-c", script.as_str()]);
        let shell = shell.env("CONSIGN_HOME", &home).env("PATH", path_with_consign());
        let printed = shell.folder(&root()).run().exits(step.exit()).stdout;
        let printed = printed.replace(&temporary, TEMPORARY);
        let told = step.lines.iter().filter(|line| line.trim() != "…");
        for line in told {
            assert!(
                printed.lines().any(|own| fits(own, line)),
                "{PAGE} shows {line:?} below\n{}\nand it prints\n{printed}",
                step.command
            );
        }
    }
}

#[test]
fn every_job_of_the_examples_is_in_the_walkthrough() {
    let walkthrough = section(&page(), "A walkthrough");
    let entries = fs::read_dir(root().join("examples/jobs")).expect("the examples");
    let names: BTreeSet<String> = entries
        .map(|entry| entry.expect("an example").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        assert!(walkthrough.contains(&format!("examples/jobs/{name}/")), "{PAGE} lacks {name}");
    }
}

#[test]
fn every_file_of_the_page_can_be_used() {
    let page = page();
    let home = Home::new();
    let roles = Folder::new();
    let found = blocks(&section(&page, "Roles"), "toml");
    assert!(found.len() >= 2, "the page had more roles: {}", found.len());
    for role in found {
        let name = role.lines().next().and_then(|line| line.split('"').nth(1));
        let name = name.expect("a role begins with its name");
        roles.file(&format!("{name}.toml"), &role);
    }
    let roles = roles.path().to_str().expect("temporary folders have plain names");
    let phases = blocks(&section(&page, "Phases"), "toml");
    assert_eq!(phases.len(), 1, "{phases:?}");
    let phases = home.file("phases.toml", &phases[0]);
    let args = ["job", "new", "page", "--objective", "x", "--phases", &phases, "--roles", roles];
    home.run(&args).exits(0);
    // It looks at the file of every role.
    home.run(&["job", "activate", "page"]).exits(0);
    for answer in blocks(&section(&page, "What an answer must look like"), "json") {
        let answer = home.file("answer.json", &answer);
        home.run(&["contracts", "check", "job/agent-response", &answer]).exits(0);
    }
}
