//! GitHub over MCP: its official server, by pipes and by HTTP, pointed at the double.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use consign_repositories::{
    Base, Error, Expected, FileChange, OwnerRepo, Repository, Secret,
    github::{
        GitHub,
        mcp::{Options, Reached, Server},
    },
};

use crate::{
    bridge::Bridge,
    conformance::{self, Stage, branch, change},
    double::{Double, Fault, TOKEN},
    sample,
};

/// The command of the official server. What cannot be tested must not look as if it had been: where npm cannot fetch it
/// the tests fail, unless `CONSIGN_WITHOUT_MCP` says that this is known.
fn official(double: &Double) -> Option<Vec<String>> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    let made = Command::new(tools.join("github-mcp.sh")).stdin(Stdio::null()).output().unwrap();
    if !made.status.success() {
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(
            std::env::var_os("CONSIGN_WITHOUT_MCP").is_some(),
            "GitHub's MCP server cannot be had, so nothing was tested over MCP (CONSIGN_WITHOUT_MCP=1 goes on without): {said}"
        );
        #[expect(clippy::print_stderr, reason = "a test that is left out must be seen")]
        {
            eprintln!("SKIPPED: GitHub's MCP server is not there, so this was NOT tested: {said}");
        }
        return None;
    }
    let folder = String::from_utf8(made.stdout).unwrap();
    let package = Path::new(folder.trim()).join("node_modules/@modelcontextprotocol/server-github");
    let preload = format!("file://{}", tools.join("preload.mjs").display());
    let index = package.join("dist/index.js").display().to_string();
    Some(vec!["node".to_owned(), "--import".to_owned(), preload, index, double.url.clone()])
}

fn server(reached: Reached, token: &str) -> Arc<Server> {
    let token = Secret::new(token.to_owned());
    Arc::new(Server::new(&Options::new(reached), Some(token)).unwrap())
}

fn stage(double: &Double, server: &Arc<Server>, name: &str) -> Stage {
    let git = double.add(name);
    let repository = GitHub::over_mcp(server.clone(), OwnerRepo::parse(name).unwrap());
    Stage { repository: Arc::new(repository), git, has_pulls: true }
}

/// All promises of the port, one repository for each.
async fn conforms(double: &Double, server: &Arc<Server>) {
    conformance::reading(&stage(double, server, "octo/reading")).await;
    assert!(double.writes().is_empty());
    conformance::publishing(&stage(double, server, "octo/publishing")).await;
    assert_eq!(double.pulls("octo/publishing").len(), 1);
    conformance::conflicts(&stage(double, server, "octo/conflicts")).await;
    conformance::at_once(&stage(double, server, "octo/at-once")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_official_server_conforms_by_pipes() {
    let double = Double::start().await;
    let Some(command) = official(&double) else { return };
    conforms(&double, &server(Reached::Command(command), TOKEN)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_official_server_conforms_by_http() {
    let double = Double::start().await;
    let Some(command) = official(&double) else { return };
    let bridge = Bridge::start(&command, TOKEN).await;
    let reached = |allow_private| Reached::Url { url: bridge.url.clone(), allow_private };
    conforms(&double, &server(reached(true), TOKEN)).await;
    let wrong = server(reached(true), "ghp_wrong_token");
    let wrong = GitHub::over_mcp(wrong, OwnerRepo::parse("octo/reading").unwrap());
    let error = wrong.describe().await.unwrap_err();
    assert!(matches!(error, Error::BadCredentials), "{error:?}");
    // A private address needs the operator's word.
    let refused = Server::new(&Options::new(reached(false)), None);
    assert!(matches!(refused, Err(Error::Refused { .. })));
}

#[tokio::test]
async fn a_lost_answer_at_any_call_makes_nothing_twice() {
    let double = Double::start().await;
    let Some(command) = official(&double) else { return };
    let server = server(Reached::Command(command), TOKEN);
    conformance::publish(&stage(&double, &server, "octo/whole")).await;
    let calls = double.calls().len();
    assert_eq!(double.writes().len(), 4);
    let mut unnoticed = 0;
    for nth in 1..=calls {
        let name = format!("octo/lost-{nth}");
        let stage = stage(&double, &server, &name);
        double.fault(nth, Fault::LoseAnswer);
        let before = double.calls().len();
        conformance::publish(&stage).await;
        conformance::is_published_once(&stage);
        unnoticed += usize::from(double.calls().len() - before == calls);
        assert_eq!(double.pulls(&name).len(), 1, "call {nth}");
    }
    // The server itself looks for a new file before it writes it, and makes nothing of a failure there.
    assert_eq!(unnoticed, 1);
}

#[tokio::test]
async fn failures_are_told_apart_by_the_servers_words() {
    let double = Double::start().await;
    let Some(command) = official(&double) else { return };
    let good = server(Reached::Command(command.clone()), TOKEN);
    let on = stage(&double, &good, "octo/sample");
    let it = on.repository.as_ref();
    double.fault(1, Fault::RateLimit);
    assert!(matches!(it.commit_of("main").await, Err(Error::RateLimited { .. })));
    double.fault(1, Fault::Status(502, "Bad Gateway"));
    assert!(it.commit_of("main").await.unwrap_err().is_transient());
    double.fault(1, Fault::Status(403, "Resource not accessible"));
    assert!(matches!(it.commit_of("main").await, Err(Error::Forbidden { .. })));
    let nowhere = GitHub::over_mcp(good.clone(), OwnerRepo::parse("octo/none").unwrap());
    assert!(matches!(nowhere.describe().await, Err(Error::NotFound { .. })));

    let wrong = server(Reached::Command(command), "ghp_wrong_token");
    let wrong = GitHub::over_mcp(wrong, OwnerRepo::parse("octo/sample").unwrap());
    let error = wrong.commit_of("main").await.unwrap_err();
    assert!(matches!(error, Error::BadCredentials), "{error:?}");
    assert!(!format!("{wrong:?}{error}").contains("ghp_wrong"));

    // The tools carry text only, and put names into addresses as they are.
    let git = git2::Repository::open(&on.git).unwrap();
    sample::edit(&git, "main", "image.png", &[0x89, 0xff, 0xfe]);
    let commit = it.commit_of("main").await.unwrap().unwrap();
    let binary = it.read(&commit, "image.png", 100).await.unwrap_err();
    assert!(matches!(binary, Error::Unsupported { .. }), "{binary:?}");
    let from = Base { branch: "main".to_owned(), commit };
    it.create_branch(&branch("work"), &from).await.unwrap();
    let bytes = FileChange { content: vec![0xff], ..change("a.bin", "", Expected::Anything) };
    let odd = change("a#b.md", "x", Expected::Anything);
    for change in [bytes, odd] {
        let error = it.commit_file(&branch("work"), &change).await.unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let name = || OwnerRepo::parse("octo/sample").unwrap();
    for command in [vec!["/nothing/here".to_owned()], vec!["false".to_owned()]] {
        let it = GitHub::over_mcp(server(Reached::Command(command), TOKEN), name());
        let error = it.describe().await.unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    }
    assert!(Server::new(&Options::new(Reached::Command(Vec::new())), None).is_err());
}

#[tokio::test]
async fn a_server_that_died_is_started_again() {
    let double = Double::start().await;
    let Some(command) = official(&double) else { return };
    // This one ends after the first call of a tool.
    let quoted: Vec<_> = command.iter().map(|it| format!("'{it}'")).collect();
    let script = format!("sed -u 4q | {}", quoted.join(" "));
    let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
    let on = stage(&double, &server(Reached::Command(command), TOKEN), "octo/sample");
    for _ in 0..3 {
        let found = conformance::again(|| on.repository.commit_of("main")).await;
        assert!(found.is_some());
    }
}
