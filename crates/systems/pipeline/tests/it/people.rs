//! People who are asked in a stage of a durable run: who may answer, what happens at the deadline, and what a retry
//! and an envelope that comes back do with the question.

use std::time::Duration;

use consign_contracts::{envelope::Envelope, json::Json, wire::Nullable, wire::Wire};
use consign_engine::{
    Agents, AskKind, Data, Engine, Fork, ForkAt, Key, Limits, Owner, Placement, RunId, Settings,
    Speaker, Status, Workflows,
};
use consign_pipeline::{
    AgentScope, Pipeline, PipelineInput,
    adopt::{self, Terms},
    file::{self, Source},
    workflows,
};
use consign_testkit::world::{Process, Setting, World, refusal};

use crate::{
    drive::{MORNING, ended, submission},
    row::{Row, parsed},
    script::Script,
};

fn pipeline(text: &str) -> Pipeline {
    file::read(&Source::toml(text).unwrap()).unwrap_or_else(|why| panic!("{why}"))
}

/// A question, then an agent.
fn asks(person: &str) -> Pipeline {
    pipeline(&format!(
        "name = \"n\"\n[[stage]]\nname = \"ask\"\nperson = {{ {person} }}\ndefault_next = \"after\"\n\
         [[stage]]\nname = \"after\"\nagent = \"mine\"\n"
    ))
}

fn envelope() -> Envelope {
    let row: Row = toml::from_str("name = \"people\"").unwrap();
    row.envelope()
}

/// A world with a worker, in which the agents say nothing in particular.
async fn world(pipeline: &Pipeline) -> (World, Process, Agents) {
    let agents = Script::new(&std::collections::BTreeMap::new()).agents(pipeline);
    let setting = agents
        .known()
        .fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()));
    let mut world = setting.await;
    world.deploy(workflows(&agents, Workflows::default())).await;
    let process = world.worker().await;
    (world, process, agents)
}

async fn start(world: &World, pipeline: &Pipeline) -> RunId {
    let errand = PipelineInput::new(pipeline, &envelope(), AgentScope::default(), MORNING);
    world.desk().submit(submission(&errand)).await.unwrap().run
}

async fn waits(world: &World, run: &RunId) {
    world.until(run, "waits", |row| row.status == Status::Waiting).await;
}

fn at(envelope: &Envelope, pointer: &str) -> Json<'static> {
    envelope.write().at(pointer).cloned().unwrap_or(Json::Null)
}

#[tokio::test(start_paused = true)]
async fn an_agent_may_not_answer_for_a_person() {
    let pipeline = asks("ask = \"approval\", prompt = \"May it?\"");
    let (world, process, _) = world(&pipeline).await;
    let run = start(&world, &pipeline).await;
    waits(&world, &run).await;
    let [ask] = &world.inbox().await[..] else { panic!("one question") };
    assert_eq!((ask.kind, ask.key.as_str()), (AskKind::Approval, "ask-1"));
    let answer = |by: Speaker| {
        let (desk, run) = (world.desk(), run.clone());
        async move { desk.answer(&run, &Key::from("ask-1"), &Data::of(&true), &by).await }
    };
    assert_eq!(refusal(answer(Speaker::agent("mcp:helper")).await).code, "PERSON_REQUIRED");
    answer(Speaker::person("cli:anna@host")).await.unwrap();
    world.until_closed(&run).await;
    let came = ended(&world, &run).await;
    assert_eq!(at(&came, "/outputs/ask/by"), Json::from("cli:anna@host"));
    // The history says how long the person took.
    let since = at(&came, "/processing_history/0/started_at");
    assert_ne!(since, Json::Null);
    world.proves(&run).await;
    process.kill().await;
}

#[tokio::test(start_paused = true)]
async fn at_the_deadline_the_default_counts() {
    for (default, status, output) in [
        ("true", Status::Succeeded, r#"{"approved": true, "why": null, "by": null}"#),
        (
            "{ approved = false, why = \"closed\" }",
            Status::Failed,
            r#"{"approved": false, "why": "closed", "by": null}"#,
        ),
    ] {
        let person =
            format!("ask = \"approval\", prompt = \"?\", deadline = \"2h\", default = {default}");
        let pipeline = asks(&person);
        let (world, process, _) = world(&pipeline).await;
        let run = start(&world, &pipeline).await;
        waits(&world, &run).await;
        tokio::time::sleep(Duration::from_secs(2 * 3600 - 60)).await;
        assert_eq!(world.status(&run).await, Status::Waiting);
        world.until_closed(&run).await;
        assert_eq!(world.status(&run).await, status);
        let came = ended(&world, &run).await;
        assert_eq!(at(&came, "/outputs/ask"), parsed(output));
        if status == Status::Failed {
            let words =
                "Stage ask was rejected by default: no answer came before the deadline: closed";
            assert_eq!(at(&came, "/termination_reason"), Json::from(words));
        }
        process.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_default_the_stage_fails_at_the_deadline_and_a_retry_asks_again() {
    let pipeline = asks("ask = \"form\", prompt = \"Which?\", deadline = \"90s\"");
    let (world, process, _) = world(&pipeline).await;
    let run = start(&world, &pipeline).await;
    world.until_closed(&run).await;
    let came = ended(&world, &run).await;
    assert_eq!(at(&came, "/errors/0/error_type"), Json::from("DEADLINE_PASSED"));
    assert_eq!(at(&came, "/clarification_pending"), Json::Bool(false));
    assert_eq!(at(&came, "/current_stage"), Json::from("ask"));
    let again = retry(world.desk(), &run, None).await;
    waits(&world, &again).await;
    world.answer(&again, "ask-1", "\"this\"").await;
    world.until_closed(&again).await;
    assert_eq!(at(&ended(&world, &again).await, "/outputs/ask/text"), Json::from("this"));
    world.proves(&again).await;
    process.kill().await;
}

async fn retry(desk: &Engine, run: &RunId, input: Option<Data>) -> RunId {
    let fork = Fork {
        parent: run.clone(),
        at: ForkAt::Failure,
        id: None,
        limits: Limits::default(),
        placement: Placement::Anywhere,
        settings: None,
        input,
        repeat_unsafe: false,
        by: Speaker::person("ada"),
    };
    desk.fork(fork).await.unwrap().run
}

#[tokio::test(start_paused = true)]
async fn what_was_rejected_is_asked_again_by_a_retry_in_the_words_of_the_mended_pipeline() {
    let before = asks("ask = \"approval\", prompt = \"May it?\"");
    let (world, process, _) = world(&before).await;
    let run = start(&world, &before).await;
    waits(&world, &run).await;
    world.answer(&run, "ask-1", "false").await;
    world.until_closed(&run).await;
    assert_eq!(at(&ended(&world, &run).await, "/terminal_reason"), Json::from("denied_by_policy"));

    let mended = asks("ask = \"approval\", prompt = \"May it now?\"");
    let errand = PipelineInput::new(&mended, &envelope(), AgentScope::default(), MORNING);
    let again = retry(world.desk(), &run, Some(Data::of(&errand))).await;
    waits(&world, &again).await;
    let inbox = world.inbox().await;
    assert!(inbox[0].prompt.starts_with("May it now?\n\nIf you approve, `after`"), "{inbox:?}");
    world.answer(&again, "ask-1", "true").await;
    world.until_closed(&again).await;
    assert_eq!(world.status(&again).await, Status::Succeeded);
    world.proves(&again).await;

    // A person in the place of an agent, and the other way round.
    let agent = pipeline(
        "name = \"n\"\n[[stage]]\nname = \"ask\"\nagent = \"mine\"\ndefault_next = \"after\"\n\
         [[stage]]\nname = \"after\"\nagent = \"mine\"\n",
    );
    let errand = PipelineInput::new(&agent, &envelope(), AgentScope::default(), MORNING);
    let third = retry(world.desk(), &run, Some(Data::of(&errand))).await;
    world.until_closed(&third).await;
    let came = ended(&world, &third).await;
    assert_eq!(at(&came, "/confirmation_pending"), Json::Bool(false));
    assert_eq!(at(&came, "/terminal_reason"), Json::from("completed_successfully"));
    process.kill().await;
}

fn terms() -> Terms {
    Terms {
        owner: Owner::new("ada"),
        by: Speaker::person("http:token"),
        limits: Limits::default(),
        placement: Placement::Anywhere,
        settings: Settings::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn an_envelope_that_comes_back_brings_the_answer_to_its_run() {
    let pipeline = asks("ask = \"form\", prompt = \"How many?\", schema = { type = \"integer\" }");
    let (world, process, _) = world(&pipeline).await;
    let desk = world.desk();
    let place = AgentScope::default();
    let here = (&pipeline, &place);
    let run = adopt::adopt(desk, here, envelope(), None, terms()).await.unwrap();
    let standing = adopt::follow(desk, &run, std::future::pending()).await.unwrap();
    assert!(standing.still && standing.waits.is_empty(), "the envelope itself can answer");
    let asked = standing.envelope;
    assert_eq!(at(&asked, "/terminal_reason"), Json::from("clarification_required"));

    let says = |text: &str| {
        let response = Some(Nullable(Some(text.to_owned())));
        Envelope { clarification_response: response, ..asked.clone() }
    };
    let refused = adopt::adopt(desk, here, says("many"), None, terms()).await;
    assert_eq!(refusal(refused).code, "CONTRACT_BREACH");
    assert_eq!(adopt::adopt(desk, here, says("7"), None, terms()).await.unwrap(), run);
    world.until_closed(&run).await;
    let came = ended(&world, &run).await;
    assert_eq!(at(&came, "/outputs/ask"), parsed(r#"{"value": 7}"#));
    // Said again it changes nothing; something else is refused.
    assert_eq!(adopt::adopt(desk, here, says("7"), None, terms()).await.unwrap(), run);
    let other = adopt::adopt(desk, here, says("8"), None, terms()).await;
    assert_eq!(refusal(other).code, "ALREADY_ANSWERED");
    process.kill().await;
}
