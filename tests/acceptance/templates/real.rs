//! Real projects of six stacks become templates without any agent, and the templates projects that the
//! stack's own tool takes.
//!
//! The projects come from `scripts/corpus.sh --projects`, which fetches what is missing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

use crate::{
    home::Home,
    support::{Folder, root, text},
};

/// Nobody answers.
const NOBODY: &str = r#"[{"agent": "*", "status": "error", "error_type": "AGENT_NOT_FOUND",
    "error_message": "there is no agent here", "times": 0}]"#;

fn corpus() -> &'static Path {
    static CORPUS: OnceLock<PathBuf> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let script = root().join("scripts/corpus.sh");
        let made = Command::new(script).arg("--projects").stdin(Stdio::null()).output();
        let made = made.expect("the script starts");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "the projects could not be fetched: {said}");
        PathBuf::from(String::from_utf8_lossy(&made.stdout).trim())
    })
}

/// A project that was made of the template of another.
struct Made {
    folder: Folder,
    report: Value,
}

impl Made {
    fn path(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// All files with one of these endings.
    fn files(&self, endings: &[&str]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![self.path()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
                if path.is_dir() {
                    open.push(path);
                } else if endings.iter().any(|ending| name.ends_with(ending)) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Runs the stack's own tool in the project.
    #[track_caller]
    fn takes(&self, program: &str, args: &[&str], files: &[PathBuf], env: &[(&str, &str)]) {
        let mut command = Command::new(program);
        command.args(args).args(files).current_dir(self.path()).stdin(Stdio::null());
        command.envs(env.iter().copied());
        let output = command.output().unwrap_or_else(|cause| panic!("{program}: {cause}"));
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert!(output.status.success(), "{program} {args:?}: {told}");
    }
}

fn made(name: &str, language: &str, framework: Option<&str>) -> Made {
    let source = corpus().join(name);
    assert!(source.is_dir(), "{name} could not be had");
    let (home, folder) = (Home::new(), Folder::new());
    // The corpus is shared, and a creation writes into its project.
    let mut copy = Command::new("cp");
    copy.args(["-r", "--"]).arg(&source).arg(folder.path().join("project"));
    assert!(copy.status().expect("it can be copied").success());
    fs::remove_dir_all(folder.path().join("project/.git")).expect("it has a history");
    let script = folder.file("nobody.json", NOBODY);
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (project, template, new) = (at("project"), at("template"), at("new"));
    let args = ["template", "create", "--json", "--path", &project, "--name", "real-template"];
    let more = ["--output", &template, "--agent-script", &script, "--validate"];
    let report = home.run(&[&args[..], &more].concat()).exits(0).json();
    assert_eq!(report["language"], language);
    assert_eq!(report["framework"].as_str(), framework, "{name}");
    // Each fallback says that it is one, and why.
    let fallbacks = report["fallbacks"].as_array().expect("a list");
    assert!(fallbacks.len() >= 2, "{report}");
    for fallback in fallbacks {
        assert_eq!(fallback["source"], "heuristic");
        assert_eq!(fallback["why"], "AGENT_NOT_FOUND: there is no agent here");
    }
    let bridge = fs::read_dir(folder.path().join("project")).expect("it is there");
    let bridge = bridge.map(|entry| entry.expect("it is listed").file_name());
    let left: Vec<_> =
        bridge.filter(|name| name.to_string_lossy().starts_with(".agent-")).collect();
    assert!(left.is_empty(), "{left:?}");
    let args = ["template", "new", "--from", &template, "--to", &new, "--set", "name=blue-heron"];
    home.run(&args).exits(0);
    Made { folder, report }
}

#[test]
fn a_command_line_program_in_rust_builds_under_another_name() {
    let made = made("hexyl", "Rust", Some("clap"));
    let manifest = fs::read_to_string(made.path().join("Cargo.toml")).expect("it is there");
    // One word in the project: a package has a hyphen there, and the code an underscore.
    assert!(manifest.contains("name = \"blue-heron\""), "{manifest}");
    let target = made.folder.path().join("target").to_string_lossy().into_owned();
    made.takes(
        "cargo",
        &["check", "--quiet", "--all-targets"],
        &[],
        &[("CARGO_TARGET_DIR", &target)],
    );
}

#[test]
fn a_flask_application_compiles_under_another_name() {
    let made = made("httpbin", "Python", Some("Flask"));
    assert!(made.path().join("blue_heron/core.py").is_file());
    let files = made.files(&[".py"]);
    assert!(files.len() >= 5);
    made.takes("python3", &["-m", "py_compile"], &files, &[]);
}

#[test]
fn an_express_application_is_checked_by_node_under_another_name() {
    let made = made("mongo-express", "JavaScript", Some("Express"));
    let files = made.files(&[".js"]);
    assert!(files.len() >= 20, "{:?}", made.report);
    for file in files {
        made.takes("node", &["--check"], &[file], &[]);
    }
}

#[test]
fn a_react_library_is_parsed_by_typescript_under_another_name() {
    let made = made("react-query", "TypeScript", Some("React"));
    let files = made.files(&[".ts", ".tsx"]);
    assert!(files.len() >= 30);
    let check = "const ts = require(process.argv[1]); const fs = require('fs'); let bad = 0;
        for (const file of process.argv.slice(2)) {
            const out = ts.transpileModule(fs.readFileSync(file, 'utf8'), {reportDiagnostics: true,
                fileName: file, compilerOptions: {jsx: ts.JsxEmit.Preserve}});
            for (const d of out.diagnostics) { bad++; console.log(file, ts.flattenDiagnosticMessageText(d.messageText, ' ')); }
        }
        process.exit(bad ? 1 : 0);";
    let typescript = corpus().join("typescript/lib/typescript.js").to_string_lossy().into_owned();
    made.takes("node", &["-e", check, &typescript], &files, &[]);
}

#[test]
fn a_go_module_builds_and_vets_under_another_name() {
    let made = made("httprouter", "Go", None);
    let offline = [("GOPROXY", "off"), ("GOFLAGS", "-mod=mod"), ("GO111MODULE", "on")];
    made.takes("go", &["build", "./..."], &[], &offline);
    made.takes("go", &["vet", "./..."], &[], &offline);
}

#[test]
fn a_rails_application_is_compiled_by_ruby_under_another_name() {
    let made = made("redmine", "Ruby", Some("Ruby on Rails"));
    let mut files = made.files(&[".rb"]);
    // What generators fill in is no Ruby yet.
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "templates"));
    assert!(files.len() >= 20, "{}", text(&made.report, "output"));
    let check = "ARGV.each { |file| RubyVM::InstructionSequence.compile_file(file) }";
    made.takes("ruby", &["-e", check], &files, &[]);
}
