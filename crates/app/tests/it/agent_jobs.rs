//! Agent jobs as use cases: submitted, shown, listed, cancelled, approved, without any surface.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use consign_app::{
    Error, Home,
    agent_jobs::{
        self, AgentType, Include, JobQuery, JobSettings, JobState, JobSubmission, Submitted,
    },
    compose,
    foreground::{Foreground, Unobserved},
};
use consign_contracts::{
    authoring::{Job, JobList, ProtoResult, TraceResult},
    json::{self, Json, Object},
    wire::Message,
};
use consign_engine::{Data, Owner, RunId, Speaker, Stop};
use tempfile::TempDir;
use tokio::sync::watch;

const SPEC: &str = "Scenario: User login\\nGiven a registered user\\nWhen they enter valid credentials\\nThen they see the dashboard";

/// A home, its folder, and two people.
struct Bench {
    home: Home,
    _folder: TempDir,
    ada: Owner,
    ben: Owner,
    speaker: Speaker,
}

impl Bench {
    async fn new() -> Self {
        Self::with(compose::workflows_and_agents).await
    }

    async fn with(
        made: impl FnOnce(
            &Path,
            &consign_invokers::define::Workshop,
            &Arc<dyn consign_engine::session_memory::SessionMemory>,
            &Arc<dyn consign_authoring::publish::OpenRepository>,
        ) -> (consign_engine::Workflows, consign_engine::Agents),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::with(folder.path().join("home"), made).await.unwrap();
        let owner = |name: &str| Owner::from(format!("user:{name}"));
        let speaker = Speaker::person("user:ada");
        Self { home, _folder: folder, ada: owner("ada"), ben: owner("ben"), speaker }
    }

    async fn submit(&self, body: &str) -> Result<Submitted, Error> {
        self.submit_with(body, None, JobSettings::default()).await
    }

    async fn submit_with(
        &self,
        body: &str,
        key: Option<&str>,
        saved: JobSettings,
    ) -> Result<Submitted, Error> {
        let body = json::parse(body.as_bytes()).unwrap();
        let settings = (!saved.is_empty()).then_some(saved);
        let wanted = JobSubmission { idempotency_key: key, settings, ..JobSubmission::of(&body) };
        agent_jobs::submit(&self.home, &self.ada, &self.speaker, &wanted).await
    }

    async fn taken(&self, body: &str) -> String {
        self.submit(body).await.unwrap().job_id
    }

    /// Drives a job here until it ends or waits.
    async fn drive(&self, id: &str) {
        let run = RunId::from(id);
        let mut foreground = Foreground::new(&self.home.engine).await.unwrap();
        let drive = foreground.take(&run).await.unwrap();
        let (_go_on, stop) = watch::channel(Stop::GoOn);
        foreground.go_on(&run, Some(drive), &stop, &mut Unobserved).await.unwrap();
    }

    async fn job(&self, id: &str, include: &str) -> Object<'static> {
        let include = Include::read(include).unwrap();
        let job = agent_jobs::get(&self.home, &self.ada, &self.speaker, id, include).await.unwrap();
        let held = Json::Object(job.clone());
        let verdict = Job::contract().schema().check(&held);
        assert!(verdict.is_valid(), "{held}: {verdict:?}");
        job
    }

    async fn list(&self, query: &JobQuery) -> (Vec<String>, Option<String>) {
        let page = agent_jobs::list(&self.home, &self.ada, &self.speaker, query).await.unwrap();
        let ids = page.items.iter().map(|item| text(item, "id")).collect();
        let next = page.next_cursor.clone();
        let held = Json::Object(page.into_object());
        assert!(JobList::contract().schema().is_valid(&held), "{held}");
        (ids, next)
    }
}

fn text(object: &Object<'_>, name: &str) -> String {
    object.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn code<T>(outcome: Result<T, Error>) -> String {
    match outcome {
        Ok(_) => "done".to_owned(),
        Err(Error::Refused(refused)) => refused.code.into_owned(),
        Err(Error::Engine(consign_engine::Error::Fault(fault))) => fault.code.into_owned(),
        Err(error) => error.to_string(),
    }
}

fn trace(more: &str) -> String {
    format!(r#"{{"type": "trace", "payload": {{"spec": "{SPEC}"{more}}}}}"#)
}

#[tokio::test]
async fn a_trace_is_submitted_done_and_shown() {
    let bench = Bench::new().await;
    let taken = bench.submit(&trace("")).await.unwrap();
    assert_eq!((taken.state, taken.repeated), (JobState::Pending, false));
    let id = taken.job_id;
    let before = bench.job(&id, "plan,artifacts,trace").await;
    assert_eq!((text(&before, "type"), text(&before, "state")), ("trace".into(), "pending".into()));
    assert_eq!(before.get("result"), Some(&Json::Null));
    assert_eq!(before.get("artifacts").unwrap().as_array().unwrap().len(), 0);
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    assert_eq!(text(&job, "state"), "completed");
    assert!(job.get("plan").is_none() && job.get("audit").is_none());
    for name in ["error", "errorCode", "errorMessage", "aiMetrics", "qualityScore"] {
        assert_eq!(job.get(name), Some(&Json::Null), "{name}");
    }
    let result = job.get("result").unwrap();
    assert!(TraceResult::contract().schema().is_valid(result), "{result}");
    let metadata = result.get("metadata").unwrap();
    assert_eq!(metadata.get("source").and_then(Json::as_str), Some("rules"));
    assert_eq!(metadata.get("committed").and_then(Json::as_bool), Some(false));
    assert_eq!(
        job.get("payload").unwrap().get("spec").and_then(Json::as_str).map(str::len),
        Some(SPEC.len() - 3)
    );
}

#[tokio::test]
async fn the_parts_that_are_asked_for_are_shown() {
    let bench = Bench::new().await;
    let id = bench.taken(&trace("")).await;
    bench.drive(&id).await;
    let job = bench.job(&id, "plan,audit,trace,artifacts").await;
    assert!(!job.get("plan").unwrap().get("steps").unwrap().as_array().unwrap().is_empty());
    let audit = job.get("audit").unwrap().as_array().unwrap();
    let phases: Vec<_> = audit.iter().filter_map(|row| row.get("phase")?.as_str()).collect();
    assert_eq!(phases, ["submitted", "plan", "plan", "make", "make", "completed"]);
    assert_eq!(audit[0].get("actor").and_then(Json::as_str), Some("user:ada"));
    for row in job.get("trace").unwrap().as_array().unwrap() {
        assert!(
            row.get("step").is_some() && row.get("why").is_some() && row.get("sources").is_some()
        );
    }
    let files = job.get("artifacts").unwrap().as_array().unwrap();
    let paths: Vec<_> = files.iter().filter_map(|file| file.get("path")?.as_str()).collect();
    assert_eq!(paths, ["test-plan.md", "trace-tests.test.ts", "coverage-matrix.md"]);
    let get = |path: &'static str| {
        agent_jobs::artifact(&bench.home, &bench.ada, &bench.speaker, &id, path)
    };
    let plan = get("test-plan.md").await.unwrap();
    assert_eq!(
        files[0].get("bytes").unwrap().as_number().unwrap().as_u64(),
        Some(plan.len() as u64)
    );
    assert_eq!(code(get("../home/runs.db").await), "NOT_FOUND");
    let archive = || agent_jobs::archive(&bench.home, &bench.ada, &bench.speaker, &id);
    let (one, two) = (archive().await.unwrap(), archive().await.unwrap());
    assert_eq!(one, two);
    assert!(one.starts_with(b"PK"));
}

#[tokio::test]
async fn a_proto_is_made_and_looked_over() {
    let bench = Bench::new().await;
    let id = bench
        .taken(r#"{"type": "proto", "payload": {"requirements": "A todo list", "owner": "o", "repo": "r"}, "requiresStrictValidation": true}"#)
        .await;
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    let result = job.get("result").unwrap();
    assert!(ProtoResult::contract().schema().is_valid(result), "{job:?}");
    let metadata = result.get("metadata").unwrap();
    assert_eq!(metadata.get("source").and_then(Json::as_str), Some("fallback"));
    assert!(metadata.get("reflection").is_some());
    let error = metadata.get("githubError").and_then(Json::as_str).unwrap();
    assert!(error.contains("no token for GitHub"), "{error}");
}

#[tokio::test]
async fn what_is_wrong_is_refused_and_uses_no_key() {
    let bench = Bench::new().await;
    let invalid = "VALIDATION_ERROR";
    for (body, expected) in [
        ("[]", invalid),
        (r#"{"payload": {"spec": "a"}}"#, invalid),
        (r#"{"type": "Trace", "payload": {"spec": "a"}}"#, invalid),
        (r#"{"type": "trace", "payload": []}"#, invalid),
        (r#"{"type": "trace", "payload": {"spec": "a"}, "owner": "user:ben"}"#, invalid),
        (r#"{"type": "trace", "payload": {"spec": "a"}, "requiresStrictValidation": 1}"#, invalid),
        (r#"{"type": "trace", "payload": {"spec": "  "}}"#, invalid),
        (
            r#"{"type": "trace", "payload": {"spec": "a", "x": 1}, "requiresStrictValidation": true}"#,
            invalid,
        ),
        (r#"{"type": "proto", "payload": {}}"#, invalid),
        (r#"{"type": "trace", "payload": {"spec": "a", "x": 1}}"#, "done"),
    ] {
        let key = Some("the key");
        assert_eq!(
            code(bench.submit_with(body, key, JobSettings::default()).await),
            expected,
            "{body}"
        );
    }
    let broken = r#"{"type": "trace", "payload": {"spec": "Feature: x\n  Scenario: a\n    Given b\n  nonsense\n"}}"#;
    let Err(Error::Refused(refused)) = bench.submit(broken).await else {
        panic!("it is no Gherkin")
    };
    assert!(refused.details.get("line").is_some(), "{refused:?}");
    for key in ["", "a\u{7}", &"x".repeat(256)] {
        let submitted = bench.submit_with(&trace(""), Some(key), JobSettings::default()).await;
        assert_eq!(code(submitted), invalid, "{key:?}");
    }
    let saved = JobSettings { model: Some("openai/gpt-2".to_owned()), ..JobSettings::default() };
    assert_eq!(code(bench.submit_with(&trace(""), None, saved).await), "MODEL_NOT_ALLOWED");
}

#[tokio::test]
async fn fifty_submissions_with_one_key_are_one_job() {
    let bench = Arc::new(Bench::new().await);
    let bodies = [
        r#"{"type": "trace", "payload": {"spec": "a. b.", "dryRun": true}}"#,
        r#"{"payload": {"dryRun":true, "spec":"a. b."}, "type": "trace"}"#,
    ];
    let tasks = (0..50).map(|at| {
        let bench = bench.clone();
        tokio::spawn(async move {
            bench.submit_with(bodies[at % 2], Some("k-1"), JobSettings::default()).await.unwrap()
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let (mut ids, mut fresh) = (BTreeSet::new(), 0);
    for task in tasks {
        let taken = task.await.unwrap();
        fresh += u32::from(!taken.repeated);
        ids.insert(taken.job_id);
    }
    assert_eq!((ids.len(), fresh), (1, 1));
    assert_eq!(bench.list(&JobQuery::default()).await.0.len(), 1);
    // What the owner has saved since does not make it another job; another body does.
    let saved = JobSettings { model: Some("bridge".to_owned()), ..JobSettings::default() };
    let again = bench.submit_with(bodies[0], Some("k-1"), saved).await.unwrap();
    assert!(again.repeated && ids.contains(&again.job_id) && again.state == JobState::Pending);
    for other in [
        r#"{"type": "trace", "payload": {"spec": "a. c.", "dryRun": true}}"#,
        r#"{"type": "proto", "payload": {"goal": "a. b."}}"#,
        r#"{"type": "trace", "payload": {"spec": "a. b.", "dryRun": true}, "requiresStrictValidation": false}"#,
    ] {
        let other = bench.submit_with(other, Some("k-1"), JobSettings::default()).await;
        assert_eq!(code(other), "IDEMPOTENCY_KEY_REUSED");
    }
}

#[tokio::test]
async fn another_owners_job_is_a_missing_one() {
    let bench = Bench::new().await;
    let id = bench.taken(&trace("")).await;
    let (home, ben, by) = (&bench.home, &bench.ben, &bench.speaker);
    for id in [id.as_str(), "3f0e6a34-58c5-4b5e-8a55-1f0d2c3b4a59", "x", "", "../x"] {
        let include = Include::default();
        assert_eq!(code(agent_jobs::get(home, ben, by, id, include).await), "NOT_FOUND");
        assert_eq!(code(agent_jobs::cancel(home, ben, by, id).await), "NOT_FOUND");
        assert_eq!(code(agent_jobs::approve(home, ben, by, id, None).await), "NOT_FOUND");
        assert_eq!(code(agent_jobs::reject(home, ben, by, id, None).await), "NOT_FOUND");
        assert_eq!(
            code(agent_jobs::artifact(home, ben, by, id, "test-plan.md").await),
            "NOT_FOUND"
        );
        assert_eq!(code(agent_jobs::archive(home, ben, by, id).await), "NOT_FOUND");
    }
    let page = agent_jobs::list(home, ben, by, &JobQuery::default()).await.unwrap();
    assert!(page.items.is_empty());
    // A run that is no job is none here either.
    let start = consign_engine::Submission {
        id: Some(RunId::from("3f0e6a34-58c5-4b5e-8a55-1f0d2c3b4a59")),
        workflow: "sample/steps".to_owned(),
        input: Data::parse("{}").unwrap(),
        owner: bench.ada.clone(),
        limits: consign_engine::Limits::standard(),
        placement: consign_engine::Placement::Anywhere,
        priority: 0,
        settings: consign_engine::Settings::default(),
        certified: false,
        actor: by.actor.clone(),
    };
    let run = home.engine.submit(start).await.unwrap().run;
    let shown = agent_jobs::get(home, &bench.ada, by, run.as_str(), Include::default()).await;
    assert_eq!(code(shown), "NOT_FOUND");
    assert_eq!(bench.list(&JobQuery::default()).await.0, [id]);
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let bench = Bench::new().await;
    let mut ids = Vec::new();
    for at in 0..5 {
        ids.push(
            bench.taken(&format!(r#"{{"type": "trace", "payload": {{"spec": "a {at}"}}}}"#)).await,
        );
    }
    let proto = bench.taken(r#"{"type": "proto", "payload": {"goal": "a list"}}"#).await;
    bench.drive(&ids[0]).await;
    let cancelled =
        agent_jobs::cancel(&bench.home, &bench.ada, &bench.speaker, &ids[1]).await.unwrap();
    assert_eq!((cancelled.state, cancelled.message), (JobState::Failed, "Job cancelled by user"));
    let newest: Vec<_> = std::iter::once(&proto).chain(ids.iter().rev()).cloned().collect();
    assert_eq!(bench.list(&JobQuery::default()).await, (newest.clone(), None));
    let of = |state| JobQuery { state: Some(state), ..JobQuery::default() };
    assert_eq!(bench.list(&of(JobState::Completed)).await.0, [ids[0].clone()]);
    assert_eq!(bench.list(&of(JobState::Failed)).await.0, [ids[1].clone()]);
    assert_eq!(bench.list(&of(JobState::Pending)).await.0.len(), 4);
    assert!(bench.list(&of(JobState::Running)).await.0.is_empty());
    assert!(bench.list(&of(JobState::AwaitingApproval)).await.0.is_empty());
    let protos = JobQuery { kind: Some(AgentType::Proto), ..JobQuery::default() };
    assert_eq!(bench.list(&protos).await.0, [proto]);
    let (mut query, mut seen) = (JobQuery { limit: Some(4), ..JobQuery::default() }, Vec::new());
    loop {
        let (page, next) = bench.list(&query).await;
        seen.extend(page);
        query.cursor = next;
        if query.cursor.is_none() {
            break;
        }
        let other = JobQuery { kind: Some(AgentType::Trace), ..query.clone() };
        let refused = agent_jobs::list(&bench.home, &bench.ada, &bench.speaker, &other).await;
        assert_eq!(code(refused), "VALIDATION_ERROR");
        let refused = agent_jobs::list(&bench.home, &bench.ben, &bench.speaker, &query).await;
        assert_eq!(code(refused), "VALIDATION_ERROR");
    }
    assert_eq!(seen, newest);
    for limit in [0, 101] {
        let query = JobQuery { limit: Some(limit), ..JobQuery::default() };
        let refused = agent_jobs::list(&bench.home, &bench.ada, &bench.speaker, &query).await;
        assert_eq!(code(refused), "VALIDATION_ERROR");
    }
    let page =
        agent_jobs::list(&bench.home, &bench.ada, &bench.speaker, &JobQuery::default()).await;
    for item in page.unwrap().items {
        assert!(item.get("payload").is_none() && item.get("result").is_none());
    }
}

#[tokio::test]
async fn a_cancelled_job_has_failed_and_stays_so() {
    let bench = Bench::new().await;
    let id = bench.taken(&trace("")).await;
    let cancel = || agent_jobs::cancel(&bench.home, &bench.ada, &bench.speaker, &id);
    assert_eq!(code(cancel().await), "done");
    let job = bench.job(&id, "").await;
    assert_eq!(
        (text(&job, "state"), text(&job, "errorCode")),
        ("failed".into(), "JOB_CANCELLED".into())
    );
    assert_eq!(text(&job, "errorMessage"), "Job cancelled by user");
    assert_eq!(code(cancel().await), "INVALID_STATE");
    // A wish that is written down counts, also while no process has acted on it.
    let wished = bench.taken(&trace(r#", "dryRun": true"#)).await;
    bench.home.engine.cancel(&RunId::from(wished.as_str()), None, &bench.speaker).await.unwrap();
    assert_eq!(text(&bench.job(&wished, "").await, "errorCode"), "JOB_CANCELLED");
    let again = agent_jobs::cancel(&bench.home, &bench.ada, &bench.speaker, &wished).await;
    assert_eq!(code(again), "INVALID_STATE");
    let done = bench.taken(&trace(r#", "x": 1"#)).await;
    bench.drive(&done).await;
    let late = agent_jobs::cancel(&bench.home, &bench.ada, &bench.speaker, &done).await;
    assert_eq!(code(late), "INVALID_STATE");
}

const SCRIBE: &str = r#"{"type": "scribe", "payload": {"owner": "o", "repo": "r", "baseBranch": "main", "requiresApproval": true}}"#;

#[tokio::test]
async fn a_scribe_without_a_key_is_taken_and_fails() {
    if std::env::var_os("OPENAI_API_KEY").is_some() {
        return;
    }
    let bench = Bench::new().await;
    let id = bench.taken(SCRIBE).await;
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    assert_eq!(text(&job, "state"), "failed");
    assert_eq!(text(&job, "errorCode"), "AI_KEY_MISSING");
    assert_eq!(text(&job, "errorMessage"), "No AI key configured. Add one in Settings → AI Keys.");
    let saved = JobSettings { model: Some("bridge".to_owned()), ..JobSettings::default() };
    let id = bench.submit_with(SCRIBE, None, saved).await.unwrap().job_id;
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    assert_eq!((text(&job, "state"), text(&job, "errorCode")), ("completed".into(), String::new()));
    let result = job.get("result").unwrap();
    assert_eq!(result.get("ok"), Some(&Json::Bool(false)), "{job:?}");
    let error = result.get("metadata").and_then(|metadata| metadata.get("githubError"));
    assert!(error.and_then(Json::as_str).unwrap().contains("no token for GitHub"), "{job:?}");
}

/// A repository that is shared, under the name `shop`.
fn shared(bench: &Bench, folder: &Path) {
    let shop = folder.join("shop");
    std::fs::create_dir_all(shop.join("src")).unwrap();
    std::fs::write(shop.join("src/main.rs"), "fn main() {}\n").unwrap();
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
        let mut git = std::process::Command::new("git");
        let done = git.current_dir(&shop).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    bench.home.sources.share(folder, &bench.home.folder).unwrap();
}

/// Approvals are asked for from outside in `tests/acceptance/authoring/scribe_http.rs`: the job looks at its repository
/// again before one is taken.
#[tokio::test]
async fn only_a_person_decides_and_a_rejected_job_has_failed() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    shared(&bench, folder.path());
    let (home, ada, by) = (&bench.home, &bench.ada, &bench.speaker);
    let body = r#"{"type": "scribe", "payload": {"owner": "local", "repo": "shop", "baseBranch": "main", "requiresApproval": true}}"#;
    let rules = JobSettings { model: Some("rules".to_owned()), ..JobSettings::default() };
    let id = bench.submit_with(body, None, rules).await.unwrap().job_id;
    assert_eq!(code(agent_jobs::approve(home, ada, by, &id, None).await), "INVALID_STATE");
    bench.drive(&id).await;
    let job = bench.job(&id, "plan,artifacts").await;
    assert_eq!(text(&job, "state"), "awaiting_approval", "{job:?}");
    assert_eq!(job.get("artifacts").unwrap().as_array().unwrap().len(), 1);
    let waiting = JobQuery { state: Some(JobState::AwaitingApproval), ..JobQuery::default() };
    assert_eq!(bench.list(&waiting).await.0, std::slice::from_ref(&id));
    let Some(Json::Object(approval)) = job.get("approval") else {
        panic!("it says what is approved")
    };
    assert_eq!(text(approval, "digest").len(), 64);
    let agent = Speaker::agent("bot");
    assert_eq!(code(agent_jobs::reject(home, ada, &agent, &id, None).await), "PERSON_REQUIRED");
    let rejected = agent_jobs::reject(home, ada, by, &id, Some("too short")).await.unwrap();
    assert_eq!(rejected.state, JobState::Failed);
    let job = bench.job(&id, "").await;
    assert_eq!(
        (text(&job, "state"), text(&job, "errorCode")),
        ("failed".into(), "JOB_REJECTED".into())
    );
    assert_eq!(code(agent_jobs::reject(home, ada, by, &id, None).await), "INVALID_STATE");
}

#[tokio::test]
async fn a_model_over_the_bridge_suggests_cases_and_is_in_the_metrics() {
    let bench = Bench::new().await;
    let saved = JobSettings { model: Some("bridge".to_owned()), ..JobSettings::default() };
    let id = bench.submit_with(&trace(""), None, saved).await.unwrap().job_id;
    bench.drive(&id).await;
    let job = bench.job(&id, "plan").await;
    assert_eq!(text(&job, "state"), "running");
    let answer =
        Data::parse(r#"{"cases": [{"name": "Locked account", "steps": ["Given a locked user"]}]}"#);
    let (run, key) = (RunId::from(id.as_str()), consign_engine::Key::from("think"));
    let agent = Speaker::agent("outside");
    bench.home.engine.answer(&run, &key, &answer.unwrap(), &agent).await.unwrap();
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    assert_eq!(text(&job, "state"), "completed");
    let metadata = job.get("result").unwrap().get("metadata").unwrap();
    assert_eq!(metadata.get("source").and_then(Json::as_str), Some("model"));
    assert_eq!(metadata.get("suggested").unwrap().as_number().unwrap().as_u64(), Some(1));
    let metrics = job.get("aiMetrics").unwrap();
    assert_eq!(
        metrics.get("requested").unwrap().get("provider").and_then(Json::as_str),
        Some("bridge")
    );
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_leaves_the_rules_and_says_so() {
    if std::env::var_os("OPENAI_API_KEY").is_some() {
        return;
    }
    let bench = Bench::new().await;
    let saved = JobSettings { model: Some("gpt-5-mini".to_owned()), ..JobSettings::default() };
    let body = r#"{"type": "proto", "payload": {"goal": "A todo list"}}"#;
    let id = bench.submit_with(body, None, saved).await.unwrap().job_id;
    bench.drive(&id).await;
    let job = bench.job(&id, "").await;
    assert_eq!(text(&job, "state"), "completed");
    let metadata = job.get("result").unwrap().get("metadata").unwrap();
    assert_eq!(metadata.get("source").and_then(Json::as_str), Some("fallback"));
    assert_eq!(metadata.get("aiError").and_then(Json::as_str), Some("AI_KEY_MISSING"));
    let requested = job.get("aiMetrics").unwrap().get("requested").unwrap();
    assert_eq!(requested.get("model").and_then(Json::as_str), Some("gpt-5-mini"));
}
