//! A pending request, answered in the inbox, over HTTP and over MCP: the project cannot tell.

use serde_json::{Value, json};

use super::project::{FIRST, Project, REQUEST, RESPONSE, RUN, SECOND, STATE};
use crate::{mcp::Conversation, pipelines::yard::Server, support::text};

fn answer() -> Value {
    json!({"primary_language": "C#", "patterns": ["MVVM"], "confidence": 0.95})
}

/// A way to answer, or to decline.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Inbox,
    Http,
    Mcp,
}

const WAYS: [Way; 3] = [Way::Inbox, Way::Http, Way::Mcp];

impl Project {
    fn server(&self) -> Server {
        let args = ["serve", "--listen", "127.0.0.1:0", "--json"];
        Server::of(self.home.spawn(&args))
    }

    fn give(&self, way: Way, said: &Value) {
        let value = said.get("value").map(ToString::to_string);
        match way {
            Way::Inbox => {
                let asked = self.run(&["inbox", "--agent", "architectural-reviewer", "--json"]);
                let asked = asked.exits(0).json();
                assert_eq!(text(&asked, "kind"), "agent_response");
                assert_eq!(text(&asked, "agent"), "architectural-reviewer");
                let key = text(&asked, "interaction");
                let said = match &value {
                    Some(value) => ["--value", value],
                    None => ["--decline", text(said, "decline")],
                };
                let out = self.run(&[&["runs", "answer", RUN, key], &said[..]].concat()).exits(0);
                assert!(out.stderr.contains(&self.go_on()), "{out:#?}");
            }
            Way::Http => {
                let server = self.server();
                let inbox = server.get("/api/inbox?agent=architectural-reviewer").is(200).json();
                let key = text(&inbox["items"][0], "interaction").to_owned();
                let place = format!("/api/runs/{RUN}/answers/{key}");
                let run = server.post(&place, said).is(200).json();
                assert_eq!(run["needs_resume"], true);
                server.post(&place, said).refuses(409, "ALREADY_ANSWERED");
                server
                    .post(&format!("/api/runs/{RUN}/cancel"), &json!({}))
                    .refuses(409, "RUN_ELSEWHERE");
                server.stop().exits(0);
            }
            Way::Mcp => {
                let mut mcp = Conversation::begin(&self.home);
                let listed = mcp.call("inbox_list", &json!({"agent": "architectural-reviewer"}));
                let key = text(&listed["items"][0], "interaction").to_owned();
                let mut arguments = json!({"run": RUN, "interaction": key});
                let tool = match said.get("value") {
                    Some(value) => {
                        arguments["value"] = value.clone();
                        "inbox_answer"
                    }
                    None => {
                        arguments["why"] = said["decline"].clone();
                        "inbox_decline"
                    }
                };
                let taken = mcp.call(tool, &arguments);
                assert!(text(&taken, "next").contains(&self.go_on()), "{taken}");
                let refused = mcp.refused(tool, &arguments);
                assert_eq!(text(&refused, "code"), "ALREADY_ANSWERED");
                mcp.end().exits(0);
            }
        }
    }
}

#[test]
fn the_same_answer_makes_the_same_file_and_the_same_journal() {
    let mut all = Vec::new();
    for way in WAYS {
        let project = Project::asking();
        project.give(way, &json!({"value": answer()}));
        let response = project.response();
        let journal = project.journal();
        let mut names = project.folder.names();
        names.sort();
        assert_eq!(names, [REQUEST, RESPONSE, STATE], "{way:?}");
        // Whoever goes on consumes it, and asks the next.
        std::fs::remove_file(project.folder.path().join(RESPONSE)).expect("it is there");
        project.ask(2, SECOND, Some(&answer()));
        all.push((response, journal, project.journal()));
        project.run(&["runs", "verify", RUN]).exits(0);
    }
    let (response, ..) = &all[0];
    assert_eq!(
        *response,
        json!({"request_id": FIRST, "version": "1.0", "status": "success",
            "response": r#"{"primary_language":"C#","patterns":["MVVM"],"confidence":0.95}"#})
    );
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    // Nobody answered here: the file alone was written, and its owner says so.
    let by_file = Project::asking();
    by_file.ask(2, SECOND, Some(&answer()));
    assert_eq!(by_file.journal(), all[0].2);
    assert_eq!(
        by_file.journal(),
        [
            "created ".to_owned(),
            "signalled ".to_owned(),
            format!("call_started {FIRST}"),
            format!("asked {FIRST}"),
            format!("answered {FIRST}"),
            "signalled ".to_owned(),
            format!("call_completed {FIRST}"),
            format!("call_started {SECOND}"),
            format!("asked {SECOND}"),
        ]
    );
}

#[test]
fn whoever_declines_leaves_a_response_that_says_so() {
    for way in WAYS {
        let project = Project::asking();
        project.give(way, &json!({"decline": "the project cannot be read"}));
        assert_eq!(
            project.response(),
            json!({"request_id": FIRST, "version": "1.0", "status": "cancelled",
                "error_message": "the project cannot be read"}),
            "{way:?}"
        );
    }
}

#[test]
fn an_answer_out_of_its_schema_is_written_nowhere() {
    let project = Project::asking();
    let wrong = json!({"language": "C#"});
    project
        .run(&["runs", "answer", RUN, FIRST, "--value", &wrong.to_string()])
        .exits(1)
        .naming("CONTRACT_BREACH");
    let server = project.server();
    let place = format!("/api/runs/{RUN}/answers/{FIRST}");
    server.post(&place, &json!({"value": wrong})).refuses(400, "VALIDATION_ERROR");
    let mut mcp = Conversation::begin(&project.home);
    let arguments = json!({"run": RUN, "interaction": FIRST, "value": wrong});
    let refused = mcp.refused("inbox_answer", &arguments);
    assert_eq!(text(&refused, "code"), "CONTRACT_BREACH");
    assert!(refused["details"]["breaches"][0]["message"].is_string(), "{refused}");
    assert!(text(&refused, "hint").contains("inbox_show"), "{refused}");
    assert!(!project.folder.names().contains(&RESPONSE.to_owned()));
}

#[test]
fn what_lies_in_the_project_decides() {
    let value = answer().to_string();
    let answering = ["runs", "answer", RUN, FIRST, "--value", &value];
    // Somebody wrote the file by hand.
    let project = Project::asking();
    project.folder.file(RESPONSE, "{}");
    project.run(&answering).fails(1, "ALREADY_ANSWERED");
    // The project went on, and the list does not know it yet.
    let project = Project::asking();
    let request = project.folder.path().join(REQUEST);
    let other = std::fs::read_to_string(&request).expect("it is there").replace(FIRST, SECOND);
    project.folder.file(REQUEST, other);
    project.run(&answering).fails(1, "NOT_PENDING").telling("--resume");
    std::fs::remove_file(&request).expect("it is there");
    project.run(&answering).fails(1, "NOT_PENDING");
    // A stranger's link leads nowhere.
    let elsewhere = crate::support::Folder::new();
    let target = elsewhere.file("target", "");
    std::os::unix::fs::symlink(&target, &request).expect("a link can be made");
    project.run(&answering).fails(1, "REQUEST_INVALID");
    let place = project.folder.path().to_owned();
    drop(project.folder);
    assert!(!place.exists());
    project.home.run(&answering).fails(1, "PROJECT_UNAVAILABLE");
}
