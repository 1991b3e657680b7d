//! A run that is at home in its project: shown everywhere, driven by its own command alone.

use super::project::{FIRST, Project, RUN};
use crate::support::text;

#[test]
fn it_is_shown_like_any_run() {
    let project = Project::asking();
    let listed = project.run(&["runs", "list", "--json"]).exits(0).json();
    assert_eq!((text(&listed, "id"), text(&listed, "workflow")), (RUN, "template/create"));
    assert_eq!(text(&listed, "status"), "waiting");
    let shown = project.home.show(RUN);
    assert_eq!(text(&shown["input"], "template_name"), "web-api");
    assert_eq!(text(&shown["waits"][0], "interaction"), FIRST);
    let told = project.run(&["runs", "show", RUN]).exits(0).stdout;
    assert!(told.contains("waiting for an agent's answer"), "{told}");
    assert!(told.contains("commit 1 of the state file: phase 1, codebase_analysis"), "{told}");
    assert!(told.contains("codebase_analysis, at before_agent_invocation"), "{told}");
    assert!(!told.contains("#bridge"), "{told}");
    project.run(&["runs", "verify", RUN]).exits(0);
    let agents = project.run(&["agents", "list"]).exits(0).stdout;
    assert!(!agents.contains("#bridge"), "{agents}");
}

#[test]
fn only_its_own_command_goes_on_with_it() {
    let project = Project::asking();
    let go_on = project.go_on();
    project.run(&["runs", "resume", RUN]).fails(1, "RUN_ELSEWHERE").telling(&go_on);
    project.run(&["runs", "raise", RUN, "--calls", "9"]).fails(1, "RUN_ELSEWHERE");
    project.run(&["runs", "cancel", RUN]).fails(1, "RUN_ELSEWHERE").telling("--fresh");
    let input = r#"{"project_path": "/", "output_path": "/", "template_name": "x"}"#;
    for more in [&[][..], &["--detach"]] {
        let args = [&["runs", "start", "template/create", "--input", input], more].concat();
        project.run(&args).fails(1, "RUN_ELSEWHERE").telling("consign template create");
    }
    let value = r#"{"primary_language": "Go"}"#;
    project.run(&["runs", "answer", RUN, "--value", value]).exits(0).telling(&go_on);
    let before = project.journal();
    let worker = project.home.worker();
    // A run of the worker's own is done, and this one is as it was.
    let other = project.home.detach("sample/steps", r#"{"steps": 2}"#);
    crate::home::until("the worker works", || {
        (project.home.status(&other) == "succeeded").then_some(())
    });
    drop(worker);
    assert_eq!(project.journal(), before);
    assert_eq!(project.home.status(RUN), "queued");
    let shown = project.run(&["runs", "show", RUN]).exits(0).stdout;
    assert!(shown.contains(&go_on), "{shown}");
    project.run(&["runs", "verify", RUN]).exits(0);
}
