//! Who may answer what, over every surface: the whole table. What is refused leaves no trace.

use serde_json::{Value, json};

use crate::{harness::Server, home::Home, mcp::Conversation, pipelines::yard::Yard, support::text};

/// A way to answer, and in whose name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Cli,
    /// A command that an agent's program starts.
    CliOfAnAgent,
    Http,
    McpAsAgent,
    McpAsPerson,
}

const WAYS: [Way; 5] = [Way::Cli, Way::CliOfAnAgent, Way::Http, Way::McpAsAgent, Way::McpAsPerson];

impl Way {
    fn is_a_persons(self) -> bool {
        matches!(self, Self::Cli | Self::Http | Self::McpAsPerson)
    }

    fn actor(self) -> &'static str {
        match self {
            Self::Cli | Self::CliOfAnAgent => "cli:",
            Self::Http => "http:token",
            Self::McpAsAgent | Self::McpAsPerson => "mcp:test",
        }
    }

    /// Answers, or gives the code of the refusal.
    fn answer(self, world: &World, ask: &Value, value: &Value) -> Result<(), String> {
        let (run, key) = (text(ask, "run"), text(ask, "interaction"));
        match self {
            Self::Cli | Self::CliOfAnAgent => {
                let value = value.to_string();
                let args = ["runs", "answer", run, key, "--value", &value, "--no-resume", "--json"];
                let command = world.yard.consign(&args);
                let command =
                    if self == Self::Cli { command } else { command.env("CONSIGN_KEPT", "1") };
                let out = command.run();
                match out.code {
                    Some(0) => Ok(()),
                    _ => Err(text(&out.error(), "code").to_owned()),
                }
            }
            Self::Http => {
                let place = format!("/api/runs/{run}/answers/{key}");
                let reply = world.server.post(&place, &json!({"value": value}));
                match reply.status {
                    200 => Ok(()),
                    _ => Err(text(&reply.json()["error"], "code").to_owned()),
                }
            }
            Self::McpAsAgent | Self::McpAsPerson => {
                let options: &[&str] =
                    if self == Self::McpAsAgent { &[] } else { &["--as-person"] };
                let mut mcp = Conversation::begin_with(&world.yard.home, options);
                let listed = mcp.call("inbox_list", &json!({"run": run}));
                let offered = !listed["items"].as_array().expect("a list").is_empty();
                let which = json!({"run": run, "interaction": key});
                let shown = mcp.called("inbox_show", &which)["isError"] == false;
                let mine = text(ask, "kind") == "agent_response" || self == Self::McpAsPerson;
                assert_eq!((offered, shown), (mine, mine), "{self:?} {ask}");
                let arguments = json!({"run": run, "interaction": key, "value": value});
                let result = mcp.called("inbox_answer", &arguments);
                match result["isError"] == true {
                    false => Ok(()),
                    true => Err(text(&result["structuredContent"]["error"], "code").to_owned()),
                }
            }
        }
    }
}

/// Something that a run asks: how to get there, the exit code of the command that waits, and an answer.
struct Question {
    kind: &'static str,
    /// The member of a `limit` that is answered is an event of its own.
    event: &'static str,
    exit: i32,
    start: fn(&World) -> Vec<String>,
    answer: fn() -> Value,
}

const QUESTIONS: [Question; 6] = [
    Question {
        kind: "approval",
        event: "answered",
        exit: 43,
        start: |_| words(&["runs", "start", "sample/approval"]),
        answer: || json!(true),
    },
    Question {
        kind: "clarification",
        event: "answered",
        exit: 43,
        start: |world| words(&["run", &world.asks, "--input", "\"what?\""]),
        answer: || json!("who calls lend?"),
    },
    Question {
        kind: "confirmation",
        event: "answered",
        exit: 43,
        start: |world| {
            words(&["run", &world.asks, "--input", "\"lend\"", "--agent-script", &world.confirms])
        },
        answer: || json!(true),
    },
    Question {
        kind: "limit",
        event: "raised",
        exit: 43,
        start: |_| {
            let input = r#"{"calls": 4, "cost_usd": 0.01}"#;
            words(&["runs", "start", "sample/budget", "--input", input, "--calls", "2"])
        },
        answer: || json!({"calls": 9}),
    },
    Question {
        kind: "intervention",
        event: "answered",
        exit: 43,
        start: |_| {
            words(&["runs", "start", "agent/call", "--input", r#"{"agent": "slow", "input": {}}"#])
        },
        answer: || json!({"outcome": "failed", "message": "it hung"}),
    },
    Question {
        kind: "agent_response",
        event: "answered",
        exit: 42,
        start: |_| {
            words(&[
                "runs",
                "start",
                "agent/call",
                "--input",
                r#"{"agent": "outside", "input": {}}"#,
            ])
        },
        answer: || json!({"text": "done"}),
    },
];

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|word| (*word).to_owned()).collect()
}

struct World {
    yard: Yard,
    server: Server,
    /// A pipeline that asks for a clarification, and a script that lets it ask for a confirmation.
    asks: String,
    confirms: String,
}

impl World {
    fn new() -> Self {
        let yard = Yard::new();
        let asks = yard.file("asks.toml", ASKS);
        let confirms = yard.file("confirms.json", CONFIRMS);
        for (name, definition) in [("outside.toml", OUTSIDE), ("slow.toml", SLOW)] {
            let file = yard.file(name, definition);
            yard.run(&["agents", "add", &file]).exits(0);
        }
        let server = yard.serve(&[]);
        Self { yard, server, asks, confirms }
    }

    fn home(&self) -> &Home {
        &self.yard.home
    }
}

const ASKS: &str = r#"
name = "asks"
[[stage]]
name = "intent"
agent = "intent"
default_next = "execution"
[[stage]]
name = "execution"
agent = "execution"
default_next = "end"
"#;

/// What the two agents say: one that has a goal, and one that wants a yes.
const CONFIRMS: &str = r#"[
  {"agent": "intent", "response": {"intent": "find", "goals": ["lend"], "constraints": {}, "clarification_needed": false}, "times": 0},
  {"agent": "execution", "response": {"results": [], "evidence": [], "status": "partial", "confirmation_needed": true, "confirmation_message": "May it?"}},
  {"agent": "execution", "response": {"results": [], "evidence": [], "status": "success"}, "times": 0}
]"#;

const OUTSIDE: &str = "name = \"outside\"\neffect = \"pure\"\n[bridge]\n";

/// It must not be called twice, and takes longer than it may.
const SLOW: &str = "name = \"slow\"\neffect = \"unsafe\"\ntimeout_seconds = 0.2\n[subprocess]\ncommand = [\"sleep\", \"60\"]\n";

#[test]
fn a_person_may_answer_everything_and_an_agent_what_agents_are_asked() {
    let world = World::new();
    for question in &QUESTIONS {
        for way in WAYS {
            let args = (question.start)(&world);
            let args: Vec<_> =
                args.iter().map(String::as_str).chain(["--here-only", "--json"]).collect();
            let run = world.yard.run(&args).exits(question.exit).json();
            let (id, ask) = (text(&run, "id"), &run["waits"][0]);
            assert_eq!(text(ask, "kind"), question.kind, "{run}");
            let for_agents = question.kind == "agent_response";
            assert_eq!(text(ask, "audience"), if for_agents { "agent" } else { "person" });
            let told = way.answer(&world, ask, &(question.answer)());
            let row = format!("{} over {way:?}", question.kind);
            let journal = world.yard.events(id);
            let last = journal.last().expect("a journal is never empty");
            if !way.is_a_persons() && !for_agents {
                assert_eq!(told, Err("PERSON_REQUIRED".to_owned()), "{row}");
                assert_eq!(
                    journal.len() as u64,
                    run["seq"].as_u64().expect("a number") + 1,
                    "{row}"
                );
                continue;
            }
            assert_eq!(told, Ok(()), "{row}");
            assert_eq!(text(last, "kind"), question.event, "{row}");
            assert!(text(last, "actor").starts_with(way.actor()), "{row}: {last}");
            if question.event == "answered" {
                let role = if way.is_a_persons() { "person" } else { "agent" };
                assert_eq!(text(&last["body"], "role"), role, "{row}");
            }
            let answered = world.home().json(&["inbox", "--answered", "--run", id], 0);
            assert_eq!(answered["answered_by"], last["actor"], "{row}");
            let shown = world.yard.run(&["runs", "show", id]).exits(0).stdout;
            assert!(shown.contains(text(last, "actor")), "{row}: {shown}");
        }
    }
}

#[test]
fn an_agent_raises_no_limit_and_makes_itself_no_person() {
    let world = World::new();
    let run = (QUESTIONS[3].start)(&world);
    let run: Vec<_> = run.iter().map(String::as_str).chain(["--json"]).collect();
    let run = text(&world.yard.run(&run).exits(43).json(), "id").to_owned();
    let as_agent = |args: &[&str]| world.yard.consign(args).env("CONSIGN_KEPT", "1").run();
    as_agent(&["runs", "raise", &run, "--calls", "9"]).fails(1, "PERSON_REQUIRED");
    as_agent(&["mcp", "--as-person"]).fails(1, "PERSON_REQUIRED");
    let approval = world.home().start("sample/approval", "{}", 43);
    as_agent(&["runs", "approve", &approval]).fails(1, "PERSON_REQUIRED");
    // What an agent may do: it sees and answers what agents are asked, and ends what it began.
    assert_eq!(as_agent(&["inbox", "--json"]).exits(0).stdout, "");
    as_agent(&["runs", "cancel", &approval]).exits(0);
}
