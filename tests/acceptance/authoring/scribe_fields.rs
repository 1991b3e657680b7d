//! Fields of the payload and of the result that only a job with a repository has, and the rows of table 5.3 about
//! repositories: each as a job over HTTP, against GitHub on loopback.

use serde_json::{Value, json};

use super::{http::Service, scribe_github::github};
use crate::{
    github_double::{Double, Fault, TOKEN},
    home::keeps,
    sample,
    support::text,
};

fn service(settings: &str) -> Service {
    let service = Service::start_with(&[("sources.toml", &format!("[github]\n{settings}"))]);
    service.send("PUT", "/api/settings/agents/scribe", &json!({"model": "rules"})).is(200);
    service.send("PUT", "/api/settings/github", &json!({"token": TOKEN})).is(200);
    service
}

fn over_rest(double: &Double) -> Service {
    service(&format!("api_url = {:?}\n", double.url))
}

/// The result of a job that is over; it keeps its contract.
fn result(service: &Service, repo: &str, more: Value) -> Value {
    let mut payload = json!({"owner": "octo", "repo": repo, "baseBranch": "main"});
    for (name, value) in more.as_object().expect("an object") {
        payload[name] = value.clone();
    }
    let job = service.completed("scribe", payload);
    keeps("authoring/scribe.result", &job["result"].to_string());
    job["result"].clone()
}

#[test]
fn every_field_has_its_effect() {
    let double = github();
    let service = over_rest(&double);
    for (at, (more, pointers)) in [
        (
            json!({"branchPattern": "docs/{agent}-{repo}"}),
            vec![("/branch", json!("docs/scribe-sample0")), ("/branchCreated", json!(true))],
        ),
        (
            json!({"targetPath": "docs/START.md"}),
            vec![("/fileMissing", json!(true)), ("/diagnostics/targets", json!(["docs/START.md"]))],
        ),
        (
            json!({"targetPath": "README.md"}),
            vec![("/fileMissing", Value::Null), ("/commits/0/path", json!("README.md"))],
        ),
        (
            json!({"targetPath": "guide/", "outputTargets": ["API.md"]}),
            vec![("/diagnostics/targets", json!(["guide/API.md"])), ("/fileMissing", Value::Null)],
        ),
        (
            json!({"docPack": "readme", "docDepth": "deep"}),
            vec![("/docPackConfig/depth", json!("deep")), ("/docPackConfig/pack", json!("readme"))],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let repo = format!("sample{at}");
        double.add(&format!("octo/{repo}"));
        let result = result(&service, &repo, more.clone());
        assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(1)), "{more}");
        for (pointer, expected) in pointers {
            let found = result.pointer(pointer).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{pointer} of {more}: {result:#}");
        }
    }
    double.add("octo/words");
    let words =
        json!({"prTitleTemplate": "Docs of {repo}", "prBodyTemplate": "By {agent}.\n\nMore."});
    let made = result(&service, "words", words);
    let pull = double.pulls("octo/words").remove(0);
    assert_eq!(pull.title, "Docs of words");
    assert!(pull.body.starts_with("By scribe.\n\nMore.\n\n<!-- consign-key: "), "{}", pull.body);
    assert_eq!(made["pullRequest"]["url"], "https://github.test/octo/words/pull/6", "{made:#}");
    // Without a text of one's own it is ours.
    double.add("octo/silent");
    result(&service, "silent", json!({"prBodyTemplate": null}));
    assert!(double.pulls("octo/silent")[0].body.starts_with("Scribe wrote these documents"));
}

#[test]
fn a_mode_takes_what_was_saved() {
    let double = github();
    let service = over_rest(&double);
    let submit = |mode: &str| {
        let job = json!({"type": "scribe", "payload": {"mode": mode}});
        service.server.post("/api/agents/jobs", &job)
    };
    submit("run").refuses(400, "VALIDATION_ERROR");
    let saved = json!({"model": "rules", "defaults": {"owner": "octo", "repo": "saved", "baseBranch": "main",
        "outputTargets": ["docs/API.md"], "featureBranch": "docs/saved"}});
    service.send("PUT", "/api/settings/agents/scribe", &saved).is(200);
    for (mode, is_dry) in [("test", true), ("run", false), ("from_config", false)] {
        let git = double.add("octo/saved");
        let job = service.completed("scribe", json!({"mode": mode}));
        let result = &job["result"];
        keeps("authoring/scribe.result", &result.to_string());
        assert_eq!(result["docPackConfig"]["targets"], json!(["docs/API.md"]), "{mode}");
        assert_eq!(result["dryRun"] == true, is_dry, "{mode}: {result:#}");
        let there = sample::branches(&git);
        assert_eq!(there.contains(&"docs/saved".to_owned()), !is_dry, "{mode}: {there:?}");
        std::fs::remove_dir_all(&git).expect("it is there");
    }
}

/// The call of a job that does this, from 1.
fn nth(double: &Double, from: usize, method: &str, end: &str) -> usize {
    let calls = double.calls().split_off(from);
    let is_it =
        |call: &crate::github_double::Call| call.method == method && call.path.ends_with(end);
    calls.iter().position(is_it).expect("it is called") + 1
}

/// Table 5.3: "Branch creation fails" and "PR creation fails".
#[test]
fn what_a_repository_refuses_fails_no_job() {
    let double = github();
    let service = over_rest(&double);
    double.add("octo/whole");
    let before = double.calls().len();
    result(&service, "whole", json!({"featureBranch": "docs/x"}));
    let branch = nth(&double, before, "POST", "/git/refs");
    let pull = nth(&double, before, "POST", "/pulls");

    double.add("octo/branch");
    double.fault(branch, Fault::Status(403, "Resource not accessible"));
    let told = result(&service, "branch", json!({"featureBranch": "docs/x"}));
    assert_eq!((&told["ok"], &told["filesUpdated"]), (&json!(false), &json!(0)), "{told:#}");
    assert_eq!((&told["branchCreated"], told.get("branch")), (&json!(false), None), "{told:#}");
    assert_eq!(told["metadata"]["committed"], false);
    assert!(text(&told["metadata"], "githubError").starts_with("the branch: "), "{told:#}");

    let git = double.add("octo/there");
    let git = git2::Repository::open(git).expect("a repository");
    let main = git.find_reference("refs/heads/main").and_then(|main| main.peel_to_commit());
    git.branch("docs/x", &main.expect("a commit"), false).expect("a branch");
    let told = result(&service, "there", json!({"featureBranch": "docs/x"}));
    assert_eq!((&told["ok"], &told["branchCreated"]), (&json!(true), &json!(false)), "{told:#}");
    assert_eq!((&told["branch"], &told["filesUpdated"]), (&json!("docs/x"), &json!(1)), "{told:#}");

    double.add("octo/pull");
    double.fault(pull, Fault::Status(403, "Resource not accessible"));
    let told = result(&service, "pull", json!({"featureBranch": "docs/x"}));
    assert_eq!((&told["ok"], &told["filesUpdated"]), (&json!(true), &json!(1)), "{told:#}");
    assert_eq!((&told["pullRequest"], &told["metadata"]["committed"]), (&json!({}), &json!(true)));
    assert!(text(&told["metadata"], "githubError").starts_with("the pull request: "), "{told:#}");
    assert!(double.pulls("octo/pull").is_empty());
}

/// Table 5.3: "GitHub MCP unreachable".
#[test]
fn a_server_of_tools_that_is_not_there_fails_no_job() {
    for settings in ["mcp_command = [\"/nothing/here\"]\n", "mcp_command = [\"false\"]\n"] {
        let service = service(settings);
        let told = result(&service, "sample", json!({"docPack": "readme"}));
        assert_eq!((&told["ok"], &told["filesUpdated"]), (&json!(false), &json!(0)), "{told:#}");
        assert_eq!((told.get("commits"), told.get("branch")), (None, None), "{told:#}");
        assert!(!text(&told["metadata"], "githubError").is_empty(), "{told:#}");
    }
}
