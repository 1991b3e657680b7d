//! Templates as a use case: what is locked, written, moved and shown, without any surface.

use std::{
    fs,
    path::{Path, PathBuf},
};

use consign_app::{
    Error, Home,
    templates::{
        AgentReach, AgentSaid, Answerer, Create, Created, GivenAnswer, Mode, OpenRequest, Standing,
        TemplateEvent, WaitingCreation, Watch, Watching, create, phases, status,
    },
};
use consign_engine::{RunId, Status, store::RunQuery};
use tempfile::TempDir;

/// A project, a place for its template, and a home.
struct Bench {
    folder: TempDir,
    /// What was told, by the names of the events.
    told: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("teahouse/src");
        fs::create_dir_all(&source).unwrap();
        fs::write(
            source.join("teahouse.py"),
            "class Teahouse:\n    def brew(self):\n        return 1\n",
        )
        .unwrap();
        fs::write(folder.path().join("teahouse/README.md"), "# Teahouse\n").unwrap();
        Self { folder, told: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn wanted(&self, mode: Mode, reach: AgentReach) -> Create {
        Create {
            project: self.path("teahouse"),
            name: "tea-house".parse().unwrap(),
            output: self.path("template"),
            mode,
            reach,
            project_name: None,
            max_templates: None,
            no_agents: false,
            validate: false,
            invocations: None,
            owner: None,
        }
    }

    async fn create(&mut self, mode: Mode, reach: AgentReach) -> Result<Created, Error> {
        let wanted = self.wanted(mode, reach);
        self.create_in(Ok(self.path("home")), wanted).await
    }

    async fn create_in(
        &mut self,
        home: Result<PathBuf, String>,
        wanted: Create,
    ) -> Result<Created, Error> {
        let told = &mut self.told;
        let mut note = |event: TemplateEvent<'_>| match event {
            TemplateEvent::MovedAside(name) => told.push(format!("moved aside {name}")),
            TemplateEvent::NotInInbox(why) => told.push(format!("not in inbox: {why}")),
            TemplateEvent::EarlierInInbox(why) => told.push(format!("earlier in inbox: {why}")),
            TemplateEvent::Done { phase, .. } => told.push(format!("done {phase}")),
            TemplateEvent::Begins { .. } | TemplateEvent::Asks(_) | TemplateEvent::Warns(_) => {}
        };
        create(home, wanted, &mut note).await
    }

    async fn home(&self) -> Home {
        Home::open(self.path("home")).await.unwrap()
    }

    fn standing(&self) -> Option<Standing> {
        let status = status(&self.path("teahouse")).unwrap();
        status.creation.map(|(_, standing)| standing)
    }

    /// The files of a creation in the project.
    fn bridge_files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("teahouse")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.starts_with('.')).collect();
        names.sort();
        names
    }
}

fn waits(created: Result<Created, Error>) -> WaitingCreation {
    match created {
        Ok(Created::Waits(waiting)) => *waiting,
        other => panic!("it waits: {other:?}"),
    }
}

fn code(error: Result<impl Sized, Error>) -> String {
    match error.err().expect("it is refused") {
        Error::Refused(refused) => refused.code.into_owned(),
        Error::Engine(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let mut bench = Bench::new();
    let created = bench.create(Mode::DryRun, AgentReach::Bridge).await.unwrap();
    let Created::Complete(report) = created else { panic!("no agent is asked in a dry run") };
    assert!(!report.files.is_empty());
    assert_eq!(bench.bridge_files(), [""; 0]);
    for name in ["home", "template"] {
        assert!(!bench.path(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn a_template_is_made_and_its_run_has_succeeded() {
    let mut bench = Bench::new();
    let created = bench.create(Mode::New, AgentReach::NoAgent).await.unwrap();
    let Created::Complete(report) = created else { panic!("nobody is asked") };
    assert_eq!(Path::new(&report.output), bench.path("template"));
    assert!(bench.path("template/manifest.json").exists());
    assert_eq!(bench.bridge_files(), [""; 0], "nothing is left in the project");
    assert_eq!(bench.told.last().map(String::as_str), Some("done 9"));
    let home = bench.home().await;
    let rows = home.store().runs(&RunQuery { most: 10, ..RunQuery::default() }).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.status).collect::<Vec<_>>(), [Status::Succeeded]);
    let refused = bench.create(Mode::New, AgentReach::NoAgent).await;
    assert_eq!(code(refused), "OUTPUT_REFUSED");
}

#[tokio::test]
async fn a_creation_waits_is_resumed_and_is_begun_anew() {
    let mut bench = Bench::new();
    let first = waits(bench.create(Mode::New, AgentReach::Bridge).await);
    assert_eq!(
        (bench.standing(), first.project),
        (Some(Standing::Waiting), bench.path("teahouse"))
    );
    assert_eq!(code(bench.create(Mode::New, AgentReach::Bridge).await), "BRIDGE_FILES_PRESENT");
    let again = waits(bench.create(Mode::Resume, AgentReach::Bridge).await);
    assert_eq!(again.request, first.request);
    let other = Create {
        name: "another".parse().unwrap(),
        ..bench.wanted(Mode::Resume, AgentReach::Bridge)
    };
    assert_eq!(code(bench.create_in(Ok(bench.path("home")), other).await), "STATE_MISMATCH");

    bench.told.clear();
    let anew = waits(bench.create(Mode::Fresh, AgentReach::Bridge).await);
    assert_ne!(anew.run, first.run);
    assert!(bench.told[0].starts_with("moved aside "), "{:?}", bench.told);
    let home = bench.home().await;
    let old = home.store().row(&RunId::from(first.run.as_str())).await.unwrap();
    assert_eq!(old.status, Status::Failed, "what was moved aside is over");
    let row = home.store().row(&RunId::from(anew.run.as_str())).await.unwrap();
    let phases = phases(&home.engine, &row).await.expect("it is the run of a creation");
    assert_eq!(phases.current.map(|(phase, ..)| phase), Some(1));
}

#[tokio::test]
async fn an_answer_counts_once_and_the_creation_goes_on() {
    let mut bench = Bench::new();
    let first = waits(bench.create(Mode::New, AgentReach::Bridge).await);
    let given =
        |said| GivenAnswer { said, model: None, tokens: None, confidence: None, took: None };
    let open = OpenRequest::find(&bench.path("teahouse")).unwrap();
    let no_json = AgentSaid::Text { text: "I do not know".to_owned(), unchecked: false };
    assert_eq!(code(open.answer(given(no_json))), "PARSE_ERROR");
    open.answer(given(AgentSaid::GivenUp { why: None })).unwrap();
    assert_eq!(bench.standing(), Some(Standing::Answered));
    assert!(
        code(open.answer(given(AgentSaid::GivenUp { why: None }))).contains("ALREADY_ANSWERED")
    );
    let next = waits(bench.create(Mode::Resume, AgentReach::Bridge).await);
    assert_ne!(next.request.request_id, first.request.request_id);
}

#[tokio::test]
async fn without_a_home_the_work_is_done_and_that_is_told() {
    let mut bench = Bench::new();
    let wanted = bench.wanted(Mode::New, AgentReach::NoAgent);
    let created = bench.create_in(Err("there is no home".to_owned()), wanted).await.unwrap();
    assert!(matches!(created, Created::Complete(_)));
    assert_eq!(bench.told[0], "not in inbox: there is no home");
}

#[tokio::test]
async fn one_process_works_on_a_project_and_on_a_creation_that_it_knows() {
    let mut bench = Bench::new();
    let watch = Watch {
        project: bench.path("teahouse"),
        answerer: Answerer::Command("true".to_owned()),
        owner: None,
        known: None,
        invocations: None,
        most_failed: 1,
    };
    let home = bench.home().await;
    assert_eq!(code(Watching::begin(&home, watch.clone()).await), "NOTHING_TO_RESUME");
    waits(bench.create(Mode::New, AgentReach::Bridge).await);
    let strange = Home::open(bench.path("another-home")).await.unwrap();
    assert_eq!(code(Watching::begin(&strange, watch.clone()).await), "STATE_UNKNOWN");
    let named = Some(("tea-house".to_owned(), bench.path("template")));
    assert!(Watching::begin(&strange, Watch { known: named, ..watch.clone() }).await.is_ok());
    let watching = Watching::begin(&home, watch).await.unwrap();
    assert_eq!(code(bench.create(Mode::Resume, AgentReach::Bridge).await), "PROJECT_BUSY");
    drop(watching);
    waits(bench.create(Mode::Resume, AgentReach::Bridge).await);
}
