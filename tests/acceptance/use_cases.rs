//! Every use case over the command line, HTTP and MCP, on one home: the journals are the same.
//!
//! `docs/surfaces.md` says what a surface does not offer, and why.

mod journal;
mod surface;

use serde_json::{Value, json};

use self::{
    journal::{journal, kinds},
    surface::{Cli, Http, Mcp, Surface, World},
};
use crate::support::text;

/// Does something over each surface, and demands the same journal of each of the runs. What is done must have ended when
/// the function gives the run.
fn same_journals(world: &World, surfaces: &[&dyn Surface], act: impl Fn(&dyn Surface) -> String) {
    let mut first: Option<(&str, Vec<Value>)> = None;
    for surface in surfaces {
        let run = act(*surface);
        world.run(&["runs", "verify", &run]).exits(0);
        let told = journal(world, &run);
        let (name, expected) = first.get_or_insert_with(|| (surface.name(), told.clone()));
        assert_eq!(kinds(&told), kinds(expected), "{name} and {}", surface.name());
        for (ours, theirs) in told.iter().zip(expected.iter()) {
            assert_eq!(ours, theirs, "{} and {name}", surface.name());
        }
    }
}

/// The same over all of them.
fn same_everywhere(world: &World, act: impl Fn(&dyn Surface) -> String) {
    let (cli, http, mcp) = (Cli(world), Http(world), Mcp::new(world));
    same_journals(world, &[&cli, &http, &mcp], act);
}

#[test]
fn a_run_is_started() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let limits = json!({"cost_usd": 0.5, "minutes": 2.5, "calls": 7});
        let run = surface.start("sample/steps", &json!({"steps": 2}), None, Some(&limits));
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn a_run_is_started_again_under_its_id() {
    let world = World::new();
    let input = json!({"steps": 2});
    same_everywhere(&world, |surface| {
        let id = format!("again-{}", surface.name());
        let start = || surface.start("sample/steps", &input, Some(&id), None);
        assert_eq!((start(), start()), (id.clone(), id.clone()));
        world.until(&id, "succeeded");
        // It is the same run after its end too.
        assert_eq!(start(), id);
        let code = surface.start_refused("sample/steps", &json!({"steps": 3}), &id);
        assert_eq!(code, "RUN_EXISTS", "{}", surface.name());
        id
    });
    // What one surface started is there already for the others.
    let (cli, http, mcp) = (Cli(&world), Http(&world), Mcp::new(&world));
    let surfaces: [&dyn Surface; 3] = [&cli, &http, &mcp];
    for surface in surfaces {
        assert_eq!(surface.start("sample/steps", &input, Some("again-cli"), None), "again-cli");
    }
}

/// A detached run that waits for an approval.
fn asking(world: &World) -> (String, String) {
    world.waiting("sample/approval", &json!({}), None)
}

#[test]
fn a_question_is_answered() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, key) = asking(&world);
        assert_eq!(surface.answer(&run, &key, &json!(true)), Ok(()));
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn a_question_is_answered_once() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, key) = asking(&world);
        let wrong = surface.answer(&run, &key, &json!("perhaps"));
        assert_eq!(wrong, Err("CONTRACT_BREACH".to_owned()), "{}", surface.name());
        assert_eq!(surface.answer(&run, &key, &json!(false)), Ok(()));
        let again = surface.answer(&run, &key, &json!(true));
        assert_eq!(again, Err("ALREADY_ANSWERED".to_owned()), "{}", surface.name());
        world.until_over(&run);
        run
    });
}

#[test]
fn the_work_of_an_agent_is_declined() {
    let world = World::new();
    let outside = world.file("outside.toml", "name = \"outside\"\neffect = \"pure\"\n[bridge]\n");
    world.run(&["agents", "add", &outside]).exits(0);
    same_everywhere(&world, |surface| {
        let input = json!({"agent": "outside", "input": {"question": "why?"}});
        let (run, key) = world.waiting("agent/call", &input, None);
        assert_eq!(surface.decline(&run, &key, "no time"), Ok(()));
        world.until(&run, "failed");
        run
    });
}

#[test]
fn limits_are_raised() {
    let world = World::new();
    let (cli, http) = (Cli(&world), Http(&world));
    // Over MCP they are not: that is for a person to decide.
    same_journals(&world, &[&cli, &http], |surface| {
        let limits = json!({"calls": 2});
        let input = json!({"calls": 4, "cost_usd": 0.01});
        let (run, _) = world.waiting("sample/budget", &input, Some(&limits));
        surface.raise_calls(&run, 4);
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn a_run_is_cancelled() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, _) = asking(&world);
        surface.cancel(&run, "wrong branch");
        world.until(&run, "cancelled");
        run
    });
}

#[test]
fn an_approval_is_rejected() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, key) = asking(&world);
        assert_eq!(surface.reject(&run, &key, "not today"), Ok(()));
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn a_signal_is_sent() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let run = surface.start("sample/signals", &json!({"notes": 2}), None, None);
        world.until(&run, "waiting");
        let unknown = surface.signal(&run, "nope", &json!("x"));
        assert_eq!(unknown, Err("SIGNAL_NOT_FOUND".to_owned()), "{}", surface.name());
        let breach = surface.signal(&run, "note", &json!(7));
        assert_eq!(breach, Err("CONTRACT_BREACH".to_owned()), "{}", surface.name());
        assert_eq!(surface.signal(&run, "note", &json!("half done")), Ok(()));
        world.until_label(&run, "1_of_2");
        assert_eq!(surface.signal(&run, "enough", &json!(null)), Ok(()));
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn a_cancelled_run_is_retried() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, _) = asking(&world);
        let open = surface.retry(&run, "never");
        assert_eq!(open, Err("INVALID_STATE".to_owned()), "{}", surface.name());
        surface.cancel(&run, "wrong branch");
        world.until(&run, "cancelled");
        let again = format!("again-{}", surface.name());
        assert_eq!(surface.retry(&run, &again), Ok(()));
        world.until(&again, "waiting");
        // The same again is the same run.
        assert_eq!(surface.retry(&run, &again), Ok(()));
        assert_eq!(surface.answer(&again, "ask-1", &json!(true)), Ok(()));
        world.until(&again, "succeeded");
        again
    });
}

#[test]
fn a_run_is_forked() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let name = surface.name();
        let run = surface.start("sample/signals", &json!({"notes": 3}), None, None);
        for note in ["one", "two"] {
            world.until(&run, "waiting");
            assert_eq!(surface.signal(&run, "note", &json!(note)), Ok(()));
        }
        world.until_label(&run, "2_of_3");
        let nowhere = surface.fork(&run, &json!("nowhere"), "never");
        assert_eq!(nowhere, Err("POINT_NOT_FOUND".to_owned()), "{name}");
        let past = surface.fork(&run, &json!(999), "never");
        assert_eq!(past, Err("EVENT_NOT_FOUND".to_owned()), "{name}");
        let fork = format!("fork-{name}");
        assert_eq!(surface.fork(&run, &json!("note-1"), &fork), Ok(()));
        world.until_label(&fork, "1_of_3");
        let parents = world.yard.home.show(&fork)["parents"].clone();
        assert_eq!(text(&parents[0], "run"), run);
        assert_eq!(surface.signal(&fork, "enough", &json!(null)), Ok(()));
        world.until(&fork, "succeeded");
        fork
    });
}

#[test]
fn a_run_of_the_command_line_is_cancelled() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let run = world.yard.home.start("sample/approval", "{}", 43);
        surface.cancel(&run, "wrong branch");
        // No worker takes it: it was closed before the answer came.
        assert_eq!(world.yard.home.status(&run), "cancelled", "{}", surface.name());
        run
    });
}

#[test]
fn an_envelope_is_made_durable() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let envelope = world.yard.envelope("who calls hash_password?", &[]);
        let (run, _) = surface.process(&envelope);
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn the_clarification_of_an_envelope_is_answered() {
    let world = World::new();
    same_everywhere(&world, |surface| {
        let (run, asked) = surface.process(&world.yard.envelope("what?", &[]));
        world.until(&run, "waiting");
        surface.clarify(&run, asked, "who calls hash_password?");
        world.until(&run, "succeeded");
        run
    });
}

#[test]
fn the_same_envelope_over_http_and_mcp_is_the_same_run() {
    let world = World::new();
    let envelope = world.yard.envelope("who calls hash_password?", &[]);
    let (http, mcp) = (Http(&world), Mcp::new(&world));
    let (first, _) = http.process(&envelope);
    let (second, told) = mcp.process(&envelope);
    assert_eq!(first, second);
    assert_eq!(text(&told, "terminal_reason"), "completed_successfully");
    assert_eq!(mcp.process(&told).0, "", "what is over becomes no run");
}
