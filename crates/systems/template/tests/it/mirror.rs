//! `template/create`: a run that mirrors the files of a project.

use std::{fs, path::Path};

use consign_engine::{
    Actor, Agents, AskKind, Data, Fault, Limits, Nanos, Owner, RunId, Status, Stop, Workflows,
    journal::{Content, Record},
};
use consign_template::{
    creation::Order,
    mirror::{
        self, Answered, AskModel, Asked, CREATE, Completed, Ended, ModelAnswer, Pending, View, sync,
    },
};
use consign_testkit::{
    scripted::{Act, Scripted, usd},
    world::{Setting, World, refusal},
};
use serde_json::{Value, json};
use tempfile::TempDir;

const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
const SECOND: &str = "650e8400-e29b-41d4-a716-446655440000";
const RESPONSE: &str = ".agent-response.json";

/// A project and a store that mirrors it.
struct Scene {
    world: World,
    project: TempDir,
}

impl Scene {
    async fn new() -> Self {
        Self::with(Setting::new()).await
    }

    /// With a model that does this.
    async fn with_model(acts: impl IntoIterator<Item = Act>) -> Self {
        let model = Scripted::new(acts).at_worst(usd(2));
        Self::with(Setting::new().agent("architectural-reviewer#model", model)).await
    }

    async fn with(setting: Setting) -> Self {
        let setting = mirror::agents(Agents::default())
            .known()
            .fold(setting, |setting, (name, agent)| setting.real(name, agent.clone()));
        let mut world = setting.await;
        world.deploy(mirror::workflows(Workflows::default())).await;
        Self { world, project: tempfile::tempdir().unwrap() }
    }

    /// What the state file says, with this request pending and its file written.
    fn asks(&self, seq: u64, request: &str) -> View {
        let prompt = "Say what this project is made of. ".repeat(4);
        let file = json!({"request_id": request, "version": "1.0", "phase": 1,
            "phase_name": "codebase_analysis", "agent_name": "architectural-reviewer",
            "prompt": prompt, "created_at": "2025-11-18T10:30:00Z"});
        fs::write(self.path().join(".agent-request.json"), file.to_string()).unwrap();
        let pending = Pending {
            request_id: request.to_owned(),
            agent_name: "architectural-reviewer".to_owned(),
            phase_name: "codebase_analysis".to_owned(),
            prompt,
            retry_count: 0,
            schema: Data::of(&json!({"type": "object"})),
        };
        View { pending: Some(pending), ..self.rests(seq) }
    }

    fn rests(&self, seq: u64) -> View {
        View {
            run: RunId::from("tmpl-1"),
            seq,
            project_path: self.path().to_str().unwrap().to_owned(),
            output_path: "/tmp/out put".to_owned(),
            template_name: "web-api".to_owned(),
            phase: 1,
            phase_name: "codebase_analysis".to_owned(),
            checkpoint: "before_agent_invocation".to_owned(),
            completed: Vec::new(),
            pending: None,
            ended: None,
        }
    }

    fn path(&self) -> &Path {
        self.project.path()
    }

    async fn sync(&self, view: &View, answered: Option<&Answered>) -> RunId {
        let (owner, actor) = (Owner::from("ada"), Actor::from("ada"));
        sync(self.world.desk(), view, answered, (&owner, &actor)).await.unwrap()
    }

    /// Asks a model for the answer to a request; the creation may cost so much.
    async fn ask(&self, run: &RunId, request: &str, cost: Option<Nanos>) -> Asked {
        let (_going, stop) = tokio::sync::watch::channel(Stop::GoOn);
        let ask = AskModel {
            request_id: request.to_owned(),
            model: "openai/gpt-5-mini".to_owned(),
            timeout_seconds: 120,
        };
        let (desk, ada) = (self.world.desk(), Actor::from("ada"));
        mirror::ask_model(desk, run, &ask, cost, &ada, stop).await.unwrap()
    }

    /// What the journal has of a model's answer.
    async fn paid(&self, run: &RunId, request: &str) -> Option<ModelAnswer> {
        let order = Order {
            project: self.path().to_str().unwrap().to_owned(),
            output: "/tmp/out put".to_owned(),
            name: "web-api".to_owned(),
            ..Order::default()
        };
        mirror::model_answer(self.world.desk(), run, &order, request).await.unwrap()
    }

    /// The journal by kinds and keys.
    async fn shape(&self, run: &RunId) -> String {
        // Those that have a key say it, whatever they are.
        let told = |record: &Record| {
            let Content::Kept(body, _) = &record.content else { panic!("nothing is redacted") };
            let body: Value = body.to().unwrap();
            let key = body["key"].as_str().map(|key| format!(" {key}"));
            // What a signal says is a whole file.
            let value = body.get("value").filter(|_| record.kind != "signalled");
            let value = value.map(|value| format!(" {value}"));
            let fault = body["fault"]["code"].as_str().map(|code| format!(" {code}"));
            let more: String = [key, value, fault].into_iter().flatten().collect();
            format!("{}{more}", record.kind)
        };
        let journal = self.world.journal(run).await;
        let lines = journal.iter().map(told);
        lines.collect::<Vec<_>>().join(" → ").replace(FIRST, "FIRST").replace(SECOND, "SECOND")
    }

    /// Takes the response that was put into the project, as whoever goes on does.
    fn consume(&self) -> Value {
        let place = self.path().join(RESPONSE);
        let response = serde_json::from_slice(&fs::read(&place).unwrap()).unwrap();
        fs::remove_file(place).unwrap();
        response
    }
}

#[tokio::test]
async fn a_pending_request_is_in_the_inbox_and_its_answer_in_the_project() {
    let scene = Scene::new().await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    let inbox = scene.world.inbox().await;
    assert_eq!(inbox.len(), 1);
    assert_eq!((inbox[0].key.as_str(), inbox[0].kind), (FIRST, AskKind::AgentResponse));
    assert_eq!(inbox[0].agent.as_deref(), Some("architectural-reviewer#bridge"));
    assert_eq!(inbox[0].deadline, None);
    let wrong = refusal(scene.world.try_answer(&run, FIRST, "7").await);
    assert_eq!(wrong.code, "CONTRACT_BREACH");
    assert!(!scene.path().join(RESPONSE).exists());
    scene.world.answer(&run, FIRST, r#"{ "a": 1.50 }"#).await;
    let again = refusal(scene.world.try_answer(&run, FIRST, "{}").await);
    assert_eq!(again.code, "ALREADY_ANSWERED");
    let response = scene.consume();
    assert_eq!(response["request_id"], FIRST);
    assert_eq!(response["status"], "success");
    assert_eq!(response["response"], r#"{"a":1.50}"#);
    assert_eq!(scene.world.status(&run).await, Status::Queued);
    scene.world.proves(&run).await;
}

/// Whoever answers, and wherever, the journal tells the same.
#[tokio::test]
async fn the_journal_is_the_same_whoever_answered() {
    let mut shapes = Vec::new();
    for inbox in [true, false] {
        let scene = Scene::new().await;
        let first = scene.asks(1, FIRST);
        let run = scene.sync(&first, None).await;
        if inbox {
            scene.world.answer(&run, FIRST, r#"{"a":1}"#).await;
            // A look at the files before going on changes nothing.
            scene.sync(&first, None).await;
        }
        let answered =
            Answered { request_id: FIRST.to_owned(), came: Ok(Data::of(&json!({"a": 1}))) };
        let second = scene.asks(2, SECOND);
        scene.sync(&second, Some(&answered)).await;
        scene.sync(&second, Some(&answered)).await;
        if inbox {
            scene.consume();
            scene.world.try_decline(&run, SECOND).await.unwrap();
            let response = scene.consume();
            assert_eq!(response["status"], "cancelled");
            assert_eq!(response["error_message"], "not today");
        }
        let declined = Answered {
            request_id: SECOND.to_owned(),
            came: Err(Fault::permanent("DECLINED", "not today")),
        };
        let output = Data::of(&json!({"files": 3}));
        let done = Completed {
            phase: 1,
            phase_name: "codebase_analysis".to_owned(),
            summary: "by heuristics".to_owned(),
        };
        let end =
            View { completed: vec![done], ended: Some(Ended::Succeeded(output)), ..scene.rests(3) };
        scene.sync(&end, Some(&declined)).await;
        scene.sync(&end, None).await;
        assert_eq!(scene.world.status(&run).await, Status::Succeeded);
        assert_eq!(scene.world.output(&run).await, r#"{"files":3}"#);
        scene.world.proves(&run).await;
        shapes.push(scene.shape(&run).await);
    }
    assert_eq!(shapes[0], shapes[1]);
    assert_eq!(
        shapes[0],
        r#"created → signalled → call_started FIRST → asked FIRST → answered FIRST {"a":1} → signalled → call_completed FIRST → call_started SECOND → asked SECOND → declined SECOND DECLINED → signalled → call_failed SECOND DECLINED → succeeded"#
    );
}

#[tokio::test]
async fn a_crash_between_file_and_journal_is_harmless() {
    let scene = Scene::new().await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    // The file is there, and nobody wrote it down.
    fs::write(scene.path().join(RESPONSE), "{}").unwrap();
    let refused = refusal(scene.world.try_answer(&run, FIRST, "{}").await);
    assert_eq!(refused.code, "ALREADY_ANSWERED");
    let answered = Answered { request_id: FIRST.to_owned(), came: Ok(Data::of(&json!({}))) };
    scene.sync(&scene.rests(2), Some(&answered)).await;
    assert!(scene.world.inbox().await.is_empty());
    assert_eq!(scene.world.status(&run).await, Status::Waiting);
    scene.world.proves(&run).await;
}

#[tokio::test]
async fn a_file_that_went_back_is_followed() {
    let scene = Scene::new().await;
    let first = scene.asks(1, FIRST);
    let run = scene.sync(&first, None).await;
    scene.world.answer(&run, FIRST, "{}").await;
    scene.consume();
    scene.sync(&scene.asks(2, SECOND), None).await;
    let first = View { seq: 1, ..scene.asks(1, FIRST) };
    scene.sync(&first, None).await;
    let inbox = scene.world.inbox().await;
    let keys: Vec<_> = inbox.iter().map(|ask| ask.key.as_str()).collect();
    assert_eq!(keys, [format!("{FIRST}.2")]);
    // It is the same request in the project.
    scene.world.answer(&run, keys[0], r#"{"again":true}"#).await;
    assert_eq!(scene.consume()["request_id"], FIRST);
    scene.sync(&scene.asks(2, SECOND), None).await;
    let inbox = scene.world.inbox().await;
    assert_eq!(inbox[0].key.as_str(), format!("{SECOND}.2"));
    scene.world.proves(&run).await;
}

#[tokio::test]
async fn a_file_that_goes_on_after_the_end_gets_another_mirror() {
    let scene = Scene::new().await;
    let fault = Fault::permanent("NO_SPACE", "the disk is full");
    let end = View { ended: Some(Ended::Failed(fault)), ..scene.rests(1) };
    let run = scene.sync(&end, None).await;
    assert_eq!(scene.world.status(&run).await, Status::Failed);
    let other = scene.sync(&scene.asks(2, FIRST), None).await;
    assert_eq!(other.as_str(), "tmpl-1.2");
    assert_eq!(scene.sync(&scene.asks(2, FIRST), None).await, other);
    assert_eq!(scene.sync(&end, None).await, run);
    assert_eq!(scene.world.inbox().await.len(), 1);
}

#[tokio::test]
async fn nobody_but_the_files_goes_on_with_it() {
    let scene = Scene::new().await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    let (desk, ada) = (scene.world.desk(), consign_engine::Speaker::person("ada"));
    let path = scene.path().to_str().unwrap();
    let go_on = format!(
        "consign template create --path {path} --name web-api --output '/tmp/out put' --resume"
    );
    let seat = desk.enlist().await.unwrap();
    let refused = [
        refusal(seat.take(&run).await.map(drop)),
        refusal(desk.advise(&run, "{}", &ada).await),
        refusal(scene.world.try_raise(&run, Limits::default()).await),
        refusal(desk.cancel(&run, None, &ada).await),
    ];
    for fault in &refused {
        assert_eq!(fault.code, "RUN_ELSEWHERE");
        let details = fault.details.as_ref().unwrap().tree().unwrap();
        assert_eq!(details.get("go_on").and_then(|it| it.as_str()), Some(go_on.as_str()));
    }
    assert!(refused[0].message.contains(&go_on), "{}", refused[0].message);
    assert!(refused[3].message.contains("--fresh"), "{}", refused[3].message);
    let row = scene.world.row(&run).await;
    assert_eq!(desk.goes_on_with(&row).await.unwrap(), Some(go_on));
    // Workers leave it alone, though it could go on.
    scene.world.answer(&run, FIRST, "{}").await;
    let seq = scene.world.row(&run).await.seq;
    let worker = scene.world.worker().await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    worker.kill().await;
    assert_eq!(scene.world.row(&run).await.seq, seq);
    assert_eq!(scene.world.status(&run).await, Status::Queued);
}

#[tokio::test]
async fn it_is_not_begun_from_here() {
    use consign_engine::{Placement, Settings, Submission};
    let scene = Scene::new().await;
    let submission = Submission {
        id: None,
        workflow: CREATE.to_owned(),
        input: Data::of(&json!({"project_path": "/", "output_path": "/", "template_name": "x"})),
        owner: Owner::from("ada"),
        limits: Limits::default(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("ada"),
    };
    let refused = refusal(scene.world.desk().submit(submission.clone()).await);
    assert_eq!(refused.code, "RUN_ELSEWHERE");
    let seat = scene.world.desk().enlist().await.unwrap();
    let refused = refusal(seat.begin(submission).await.map(drop));
    assert_eq!(refused.code, "RUN_ELSEWHERE");
    assert!(refused.message.contains("consign template create"), "{}", refused.message);
}

const SAID: &str = r#"{"answer":{"a":1},"model":"openai/gpt-5-mini","tokens_used":7}"#;

#[tokio::test]
async fn a_model_that_is_asked_is_a_call_of_the_run_and_is_paid_once() {
    let scene = Scene::with_model([Act::answers(SAID).costs(usd(1))]).await;
    let first = scene.asks(1, FIRST);
    let run = scene.sync(&first, None).await;
    assert_eq!(scene.paid(&run, FIRST).await, None);
    let Asked::Answered(answer) = scene.ask(&run, FIRST, Some(usd(3))).await else {
        panic!("it answers")
    };
    // Whoever comes after a crash finds it, and asks nobody.
    assert_eq!(scene.paid(&run, FIRST).await, Some(answer.clone()));
    assert_eq!(scene.paid(&run, SECOND).await, None);
    scene.sync(&first, None).await;
    assert!(matches!(scene.ask(&run, FIRST, None).await, Asked::Answered(same) if same == answer));
    assert_eq!(scene.world.calls("architectural-reviewer#model").len(), 1);
    let account = scene.world.account("ada").await;
    assert_eq!((account.spent, account.reserved), (usd(1), Nanos::ZERO));
    // The inbox has it still: the file is right, and nobody has answered there.
    assert_eq!(scene.world.inbox().await.len(), 1);
    let answered = Answered { request_id: FIRST.to_owned(), came: Ok(Data::of(&json!({"a": 1}))) };
    scene.sync(&scene.rests(2), Some(&answered)).await;
    assert_eq!(scene.paid(&run, FIRST).await, None, "the file has gone on");
    assert_eq!(
        scene.shape(&run).await,
        r#"created → signalled → call_started FIRST → asked FIRST → raised → signalled → call_started model-1 → call_completed model-1 → answered FIRST {"a":1} → signalled → call_completed FIRST"#
    );
    scene.world.proves(&run).await;
}

#[tokio::test]
async fn a_limit_leaves_the_request_open_and_a_higher_one_goes_on() {
    let scene = Scene::with_model([Act::answers(SAID).costs(usd(1))]).await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    let Asked::Limit(limit) = scene.ask(&run, FIRST, Some(usd(1))).await else {
        panic!("two dollars may be needed")
    };
    assert_eq!((limit.kind, limit.code.as_deref()), (AskKind::Limit, Some("LIMIT_COST")));
    assert_eq!(scene.world.inbox().await.len(), 2, "the request can be answered by hand");
    assert!(scene.world.calls("architectural-reviewer#model").is_empty());
    let raised = Limits { cost: Some(usd(2)), ..Limits::default() };
    scene.world.try_raise(&run, raised).await.unwrap();
    assert!(matches!(scene.ask(&run, FIRST, None).await, Asked::Answered(_)));
    scene.world.proves(&run).await;
}

#[tokio::test]
async fn an_owner_who_may_look_again_is_not_sent_to_the_folder() {
    let scene = Scene::with_model([Act::answers(SAID).costs(usd(1))]).await;
    scene.world.cap("ada", usd(1)).await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    let Asked::Limit(limit) = scene.ask(&run, FIRST, None).await else {
        panic!("two dollars may be needed")
    };
    assert_eq!(limit.code.as_deref(), Some("LIMIT_OWNER"));
    scene.world.answer(&run, limit.key.as_str(), r#"{"retry":true}"#).await;
    scene.world.cap("ada", usd(5)).await;
    assert!(matches!(scene.ask(&run, FIRST, None).await, Asked::Answered(_)));
}

#[tokio::test]
async fn a_file_that_goes_on_wants_no_model_any_more() {
    let scene = Scene::with_model([Act::answers(SAID).costs(usd(1))]).await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    let limited = scene.ask(&run, FIRST, Some(usd(1))).await;
    assert!(matches!(limited, Asked::Limit(_)), "{limited:?}");
    scene.sync(&scene.asks(2, SECOND), None).await;
    let inbox = scene.world.inbox().await;
    let keys: Vec<_> = inbox.iter().map(|ask| ask.key.as_str()).collect();
    assert_eq!(keys, [SECOND], "nobody is asked for a limit that is in nobody's way");
    assert!(matches!(scene.ask(&run, FIRST, Some(usd(9))).await, Asked::Overtaken));
    assert!(scene.world.calls("architectural-reviewer#model").is_empty());
    scene.world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_between_attempts_is_sat_out() {
    let busy = Fault::transient("AI_RATE_LIMITED", "not now");
    let scene = Scene::with_model([Act::fails(busy), Act::answers(SAID).costs(usd(1))]).await;
    let run = scene.sync(&scene.asks(1, FIRST), None).await;
    assert!(matches!(scene.ask(&run, FIRST, None).await, Asked::Answered(_)));
    assert_eq!(scene.world.calls("architectural-reviewer#model").len(), 2);
    scene.world.proves(&run).await;
}
