//! The six agents together, on a repository of a few files.

mod answers;
mod models;

use std::{borrow::Cow, fs, path::Path};

use consign_contracts::json::{Json, Object};
use consign_engine::Data;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    super::tools::{self, Policy},
    Brief, Stop, find,
    json::{self, IntoJson, object},
};

const MARKER: &str = "tr0ub4dor";

const FILES: &[(&str, &str)] = &[
    (
        "src/auth.py",
        "\"\"\"Logging in.\"\"\"\nfrom store import load_user\n\n\nclass AuthManager:\n    \"\"\"Checks who somebody is.\"\"\"\n\n    def validate_token(self, token):\n        \"\"\"Return the user of a token.\"\"\"\n        if not token:\n            raise TokenError(\"no token given\")\n        return load_user(token)\n\n\nclass TokenError(Exception):\n    pass\n\n\ndef login(name, password):\n    \"\"\"Log a user in.\"\"\"\n    manager = AuthManager()\n    return manager.validate_token(name + password)\n",
    ),
    (
        "src/store.py",
        "def load_user(token):\n    \"\"\"Find a user.\"\"\"\n    return {\"token\": token}\n",
    ),
    (
        "src/views.py",
        "from auth import login\n\n\ndef show(request):\n    return login(request.name, request.password)\n",
    ),
    (
        "secrets/login_keys.py",
        "LOGIN_KEY = \"tr0ub4dor\"\n\n\ndef login_with_key():\n    return \"tr0ub4dor\"\n",
    ),
    ("config/.env.login", "LOGIN=tr0ub4dor\n"),
    ("README.md", "# A service\n\nLogin is in src/auth.py.\n"),
];

fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// An envelope on its way, without the pipeline around it.
struct Trip {
    envelope: Object<'static>,
    repo: Option<TempDir>,
    policy: Policy,
    tools: Option<Vec<String>>,
}

impl Trip {
    fn new(question: &str) -> Self {
        let envelope = object! { "raw_input": question, "outputs": Object::new() };
        Self { envelope, repo: Some(repository()), policy: Policy::default(), tools: None }
    }

    fn under(mut self, policy: &str) -> Self {
        self.policy = Policy::parse(policy).unwrap();
        self
    }

    fn with(mut self, key: &'static str, value: impl IntoJson) -> Self {
        self.envelope.set(key, value.into_json());
        self
    }

    fn brief(&self) -> Brief {
        let repo = self.repo.as_ref().map(|folder| folder.path().to_str().unwrap().to_owned());
        let input = object! {
            "envelope": self.envelope.clone(),
            "repo": repo,
            "tools": self.tools.clone(),
            "policy": self.policy.to_json(),
        };
        Brief::read(&Data::from(&Json::Object(input))).unwrap()
    }

    fn stage(&mut self, name: &'static str) -> Object<'static> {
        let agent = find(name).unwrap();
        let output = agent.work(&self.brief(), &Stop::new()).unwrap();
        let verdict = agent.contract().schema().check(&output);
        assert!(verdict.is_valid(), "{name}: {:?} {output}", verdict.breaches);
        self.set(name, output.clone());
        let Json::Object(output) = output else { panic!("{name} gave no object") };
        output
    }

    fn set(&mut self, name: &'static str, output: Json<'static>) {
        let Some(Json::Object(outputs)) = self.envelope.get_mut("outputs") else {
            panic!("no outputs")
        };
        outputs.set(name, output);
    }

    fn until(mut self, last: &str) -> Self {
        for name in ["perception", "intent", "plan", "execution", "critic", "integration"] {
            self.stage(name);
            if name == last {
                break;
            }
        }
        self
    }

    fn output(&self, name: &str) -> Object<'static> {
        self.brief().output(name).unwrap().clone()
    }
}

fn parse(text: &str) -> Json<'static> {
    consign_contracts::json::parse(text.as_bytes()).unwrap().into_owned()
}

#[test]
fn a_question_is_answered_with_places() {
    let trip = Trip::new("How does login work?").until("integration");
    let answer = trip.output("integration");
    let text = json::text(&answer, "final_response").unwrap();
    assert!(text.contains("src/auth.py:19") && text.contains("validate_token"), "{text}");
    let cited: Vec<_> = json::objects(&answer, "citations").collect();
    assert!(
        cited.iter().any(|one| json::text(one, "text") == Some("def login(name, password):")),
        "{text}"
    );
    let next = json::texts(&answer, "follow_up_suggestions");
    assert!((2..=4).contains(&next.len()), "{next:?}");
    assert_eq!(json::text(&trip.output("critic"), "verdict"), Some("approved"));
}

#[test]
fn without_a_repository_the_answer_says_so() {
    let mut trip = Trip::new("How does login work?");
    trip.repo = None;
    let trip = trip.until("integration");
    assert_eq!(json::text(&trip.output("execution"), "status"), Some("error"));
    assert_eq!(json::text(&trip.output("critic"), "verdict"), Some("approved"));
    let answer = trip.output("integration");
    assert!(json::text(&answer, "final_response").unwrap().contains("no repository"));
}

#[test]
fn whoever_names_nothing_is_asked_and_offered_what_is_there() {
    for (question, offered) in [
        ("How does it work?", "src"),
        ("", "src"),
        ("Where is AuthManger defined?", "AuthManager"),
        ("Who calls validate_tokens()?", "validate_token"),
        ("How are invoices printed?", "src"),
    ] {
        let trip = Trip::new(question).until("intent");
        let intent = trip.output("intent");
        assert!(json::is_true(&intent, "clarification_needed"), "{question}");
        let asked = json::text(&intent, "clarification_question").unwrap();
        assert!(asked.contains(&format!("`{offered}`")), "{question}: {asked}");
    }
    let answered = Trip::new("How does it work?")
        .with("clarification_response", "the login")
        .until("integration");
    assert!(!json::is_true(&answered.output("intent"), "clarification_needed"));
    assert!(
        json::text(&answered.output("integration"), "final_response")
            .unwrap()
            .contains("src/auth.py")
    );
}

#[test]
fn what_needs_a_yes_waits_for_one_and_for_no_other() {
    let policy = "[tools]\nfind_symbol = \"confirm\"";
    let ask = |trip: Trip| {
        let trip = trip.until("execution");
        trip.output("execution")
    };
    let execution = ask(Trip::new("Where is AuthManager defined?").under(policy));
    assert!(json::is_true(&execution, "confirmation_needed"));
    assert!(
        json::list(&execution, "results").is_empty()
            && json::list(&execution, "evidence").is_empty()
    );
    let id = json::text(&execution, "confirmation_id").unwrap().to_owned();
    assert!(id.starts_with("conf_") && id.len() == 21, "{id}");
    assert!(json::text(&execution, "confirmation_message").unwrap().contains("AuthManager"));

    let yes = |id: &str, said: bool| {
        let trip = Trip::new("Where is AuthManager defined?").under(policy);
        ask(trip.with("confirmation_id", id).with("confirmation_response", said))
    };
    assert!(!json::is_true(&yes(&id, true), "confirmation_needed"));
    assert!(!json::list(&yes(&id, true), "evidence").is_empty());
    assert!(json::is_true(&yes(&id, false), "confirmation_needed"));
    assert!(json::is_true(&yes("conf_0123456789abcdef", true), "confirmation_needed"));
}

fn reversed(value: Json<'static>) -> Json<'static> {
    match value {
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| {
                let key: Cow<'static, str> = key.to_owned().into();
                (key, reversed(value.clone()))
            });
            let mut members: Vec<_> = members.collect();
            members.reverse();
            Json::Object(members.into_iter().collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(reversed).collect()),
        scalar @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => scalar,
    }
}

#[test]
fn a_yes_counts_whichever_program_wrote_the_envelope_down() {
    let policy = "default = \"confirm\"";
    let question = "Who calls load_user?";
    let mut trip = Trip::new(question).under(policy).until("execution");
    let id = json::text(&trip.output("execution"), "confirmation_id").unwrap().to_owned();
    // Members in another order, at every depth: one of the two differs from ours.
    let plan = trip.output("plan");
    for plan in [Json::Object(plan.clone()).sorted(), reversed(Json::Object(plan))] {
        trip.set("plan", plan);
        trip = trip.with("confirmation_id", id.as_str()).with("confirmation_response", true);
        let execution = trip.stage("execution");
        assert!(!json::is_true(&execution, "confirmation_needed"), "{execution:?}");
        assert!(!json::list(&execution, "evidence").is_empty());
    }
}

#[test]
fn denied_steps_are_results_and_when_all_are_it_says_so() {
    let trip =
        Trip::new("Where is AuthManager defined?").under("default = \"deny\"").until("execution");
    let execution = trip.output("execution");
    assert!(json::is_true(&execution, "denied_by_policy"));
    assert_eq!(json::text(&execution, "status"), Some("error"));
    let result =
        json::objects(&execution, "results").next().unwrap().get("result").unwrap().clone();
    assert_eq!(result, parse(r#"{"denied": true, "rule": "tools.find_symbol"}"#));
    assert!(json::list(&execution, "evidence").is_empty());

    let mut trip = Trip::new("Where is AuthManager defined?");
    trip.tools = Some(vec!["code_search".into()]);
    let plan = trip.until("plan").output("plan");
    assert!(
        json::objects(&plan, "steps").all(|step| json::text(step, "tool") == Some("code_search"))
    );
}

#[test]
fn what_nobody_may_look_for_is_not_called_missing() {
    let answered = |mut trip: Trip, tools: &[&str]| {
        trip.tools = (!tools.is_empty()).then(|| tools.iter().map(ToString::to_string).collect());
        let trip = trip.until("integration");
        let verdict = json::text(&trip.output("critic"), "verdict").unwrap().to_owned();
        assert_eq!(verdict, "approved", "looking again would find no more");
        json::text(&trip.output("integration"), "final_response").unwrap().to_owned()
    };
    let told = answered(Trip::new("Who calls load_user?"), &["code_search", "find_symbol"]);
    assert!(told.starts_with("Uses of `load_user` were not looked for"), "{told}");
    assert!(told.contains("Not looked for: ") && !told.contains("Not found"), "{told}");
    let way = "`find_references` is not among the `tools` of the `plan` stage; add it there";
    assert!(told.contains(way), "{told}");

    let policy = "[tools]\ngit_log = \"deny\"\ngit_blame = \"deny\"";
    let told = answered(Trip::new("Who last changed src/auth.py?").under(policy), &[]);
    assert!(told.starts_with("The history of ") && told.contains(" was not looked at."), "{told}");
    assert!(told.contains("`git_log = \"allow\"`"), "{told}");

    let told = answered(Trip::new("What is in src?").under("[tools]\nlist_tree = \"deny\""), &[]);
    assert!(told.starts_with("The files were not listed."), "{told}");
}

#[test]
fn broken_steps_are_results_too() {
    let mut trip = Trip::new("Where is AuthManager defined?").until("intent");
    trip.set(
        "plan",
        parse(
            r#"{"plan_id": "plan_1", "steps": [
                {"tool": "rm", "params": {}},
                {"tool": "read_file", "params": {"path": "../outside"}},
                {"tool": "read_file", "params": {"path": "src/auth.py", "lines": 3}},
                {"tool": "read_file", "params": {"path": 7}},
                {"tool": "read_file", "params": {"path": "src/auth.py", "from": 9, "to": 2}},
                {"tool": "code_search", "params": {"query": "(", "regex": true}},
                {"tool": "find_symbol", "params": {"name": "login", "kind": "verb"}},
                {"tool": "git_log", "params": {}},
                {"tool": "outline", "params": {"path": "src/auth.py"}}
            ]}"#,
        ),
    );
    let execution = trip.stage("execution");
    assert_eq!(json::text(&execution, "status"), Some("partial"));
    let results: Vec<_> = json::objects(&execution, "results").collect();
    for (at, expected) in [
        (0, "there is no tool \"rm\""),
        (1, "out of the repository"),
        (2, "unknown parameter \"lines\"; there are path, from, to"),
        (3, "path must be a string"),
        (4, "to must not be smaller than from"),
        (5, "cannot be used"),
        (6, "\"verb\" is not a kind of symbol"),
        (7, "history"),
    ] {
        let error = results[at].get("result").unwrap().get("error").and_then(Json::as_str).unwrap();
        assert!(error.contains(expected), "{error}");
    }
    assert!(!json::list(&execution, "evidence").is_empty());
}

#[test]
fn the_critic_sends_back_only_while_that_can_help() {
    let judge = |iteration: u64, tried: usize| {
        let plans =
            vec![object! { "plan_id": "plan_x", "steps": Vec::<Json<'static>>::new() }; tried];
        let mut trip = Trip::new("Where is `AuthManager` used?").until("intent");
        trip = trip
            .with("iteration", iteration)
            .with("max_iterations", 3_u64)
            .with("prior_plans", plans);
        trip.set("plan", parse(r#"{"plan_id": "plan_1", "steps": []}"#));
        trip.set("execution", parse(r#"{"status": "success", "results": [], "evidence": []}"#));
        let critic = trip.stage("critic");
        json::text(&critic, "verdict").unwrap().to_owned()
    };
    assert_eq!(judge(0, 0), "reintent");
    assert_eq!(judge(1, 1), "reintent");
    assert_eq!(judge(3, 1), "approved");
    assert_eq!(judge(2, 2), "approved");
}

#[test]
fn a_goal_that_remains_gets_another_round_if_this_one_reached_something() {
    let judge = |stage: u64| {
        let mut trip = Trip::new("Where is `TokenError` raised?").until("intent");
        trip = trip.with("current_stage_number", stage).with("max_stages", 2_u64);
        trip.set("plan", parse(r#"{"plan_id": "plan_1", "steps": []}"#));
        let evidence = r#"{"status": "success", "results": [], "evidence": [
            {"location": "src/auth.py:14", "content": "class TokenError(Exception):", "role": "definition", "symbol": "TokenError"}]}"#;
        trip.set("execution", parse(evidence));
        let critic = trip.stage("critic");
        (
            json::text(&critic, "verdict").unwrap().to_owned(),
            json::texts(&critic, "satisfied_goals").len(),
        )
    };
    assert_eq!(judge(1), ("next_stage".to_owned(), 1));
    assert_eq!(judge(2), ("approved".to_owned(), 1));
}

#[test]
fn what_changed_since_it_was_found_is_not_cited() {
    let mut trip = Trip::new("Where is AuthManager defined?").until("critic");
    let file = trip.repo.as_ref().unwrap().path().join("src/auth.py");
    fs::write(&file, format!("# one more line\n{}", fs::read_to_string(&file).unwrap())).unwrap();
    let answer = trip.stage("integration");
    assert!(json::list(&answer, "citations").is_empty());
    assert!(!json::list(&answer, "dropped_citations").is_empty());
    assert!(json::text(&answer, "final_response").unwrap().contains("changed in the meantime"));
}

#[test]
fn evidence_of_earlier_rounds_is_used() {
    let mut trip = Trip::new("How does login work?").until("critic");
    let earlier = r#"[{"stage_number": 1, "summary": {"evidence": [
        {"location": "src/store.py:1", "content": "def load_user(token):", "role": "definition", "symbol": "load_user", "score": 1.0}]}}]"#;
    trip = trip.with("completed_stages", parse(earlier));
    trip.set("execution", parse(r#"{"status": "success", "results": [], "evidence": []}"#));
    let answer = trip.stage("integration");
    assert_eq!(json::list(&answer, "citations").len(), 1);
}

#[test]
fn what_is_known_of_the_session_is_passed_on() {
    let metadata =
        r#"{"session": {"history": ["Where is login?"], "preferences": {"tone": "short"}}}"#;
    let trip = Trip::new("And logout?").with("metadata", parse(metadata)).until("perception");
    let context = trip.output("perception").get("context").unwrap().clone();
    let expected =
        r#"{"session_history": ["Where is login?"], "user_preferences": {"tone": "short"}}"#;
    assert_eq!(context, parse(expected));
}

#[cfg(unix)]
#[test]
fn a_link_is_as_hidden_as_what_it_leads_to() {
    let mut trip =
        Trip::new("Explain login").under("deny_paths = [\"secrets/**\"]").until("intent");
    let root = trip.repo.as_ref().unwrap().path().to_owned();
    std::os::unix::fs::symlink(root.join("secrets"), root.join("open")).unwrap();
    std::os::unix::fs::symlink("../secrets/login_keys.py", root.join("src/keys.py")).unwrap();
    let steps = ["open/login_keys.py", "src/keys.py"].map(|path| {
        format!(r#"{{"tool": "read_file", "params": {{"path": "{path}"}}}}, {{"tool": "outline", "params": {{"path": "{path}"}}}}"#)
    });
    trip.set("plan", parse(&format!(r#"{{"plan_id": "plan_1", "steps": [{}]}}"#, steps.join(","))));
    let execution = Json::Object(trip.stage("execution")).to_string();
    assert!(!execution.contains(MARKER) && !execution.contains("login_with_key"), "{execution}");
}

#[test]
fn a_cancelled_agent_stops() {
    let trip = Trip::new("How does login work?").until("perception");
    let stop = Stop::new();
    stop.stop();
    let fault = find("intent").unwrap().work(&trip.brief(), &stop).unwrap_err();
    assert_eq!(fault.code, "CANCELLED");
}

#[test]
fn a_brief_is_read_strictly() {
    for (input, expected) in [
        ("[]", "not an object"),
        ("{}", "no envelope"),
        (r#"{"envelope": {}, "repo": "here"}"#, "absolute"),
        (r#"{"envelope": {}, "tools": [1]}"#, "not a string"),
        (r#"{"envelope": {}, "policy": {"default": "maybe"}}"#, "not a rule"),
        (r#"{"envelope": {}, "more": 1}"#, "unknown member"),
    ] {
        let fault = Brief::read(&Data::parse(input).unwrap()).unwrap_err();
        assert!(fault.message.contains(expected), "{}", fault.message);
    }
}

fn hidden(path: &Path) -> Vec<String> {
    FILES
        .iter()
        .map(|(file, _)| *file)
        .filter(|file| Path::new(file).starts_with(path))
        .map(str::to_owned)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_hidden_never_shows(
        pattern in prop::sample::select(vec!["secrets/**", "secrets", "**/login_keys.py", "SECRETS/", "secrets/*.py"]),
        question in prop::sample::select(vec![
            "How does login work?",
            "Where is LOGIN_KEY defined?",
            "Who uses login_with_key?",
            "What is in secrets?",
            "Explain secrets/login_keys.py",
            "Give me an overview of the repository structure",
            "How many login functions are there?",
            "Why do I get \"tr0ub4dor\"?",
            "What is the difference between login and login_with_key?",
            "Who changed secrets/login_keys.py?",
        ]),
    ) {
        let policy = format!("deny_paths = [\"{pattern}\", \".env*\"]");
        let mut trip = Trip::new(question).under(&policy);
        // Also when somebody was told what to ask for.
        trip = trip.until("intent");
        let hidden = hidden(Path::new("secrets"));
        for forced in [false, true] {
            if forced {
                trip.set("plan", parse(
                    r#"{"plan_id": "plan_1", "steps": [
                        {"tool": "read_file", "params": {"path": "secrets/login_keys.py"}},
                        {"tool": "read_file", "params": {"path": "src/../secrets/./login_keys.py"}},
                        {"tool": "outline", "params": {"path": "secrets/login_keys.py"}},
                        {"tool": "list_tree", "params": {"depth": 4}},
                        {"tool": "list_tree", "params": {"path": "secrets"}},
                        {"tool": "code_search", "params": {"query": "LOGIN", "glob": "secrets/**"}},
                        {"tool": "find_symbol", "params": {"name": "login_with_key"}},
                        {"tool": "git_blame", "params": {"path": "secrets/login_keys.py"}},
                        {"tool": "read_file", "params": {"path": "config/.env.login"}}]}"#,
                ));
            } else {
                trip.stage("plan");
            }
            let execution = trip.stage("execution");
            trip.stage("critic");
            let answer = trip.stage("integration");
            let shown = format!("{} {}", Json::Object(execution), answer.get("citations").unwrap());
            for file in &hidden {
                prop_assert!(!shown.contains(file.as_str()), "{shown}");
            }
            // Unless the question itself has it.
            if !question.contains(MARKER) {
                let all = trip.envelope.get("outputs").unwrap().to_string();
                prop_assert!(!all.contains(MARKER), "{all}");
            }
        }
    }

    #[test]
    fn plans_can_always_be_carried_out(
        question in "(how|where|who|why|what|compare|list|count|when)?[ a-zA-Z_./:\"`'()?*\\[\\\\-]{0,60}( login| AuthManager| src/auth.py| \"no token\")?",
    ) {
        let mut trip = Trip::new(&question).until("intent");
        for _ in 0..3 {
            let plan = trip.stage("plan");
            let steps: Vec<_> = json::objects(&plan, "steps").cloned().collect();
            prop_assert!((1..=12).contains(&steps.len()), "{question}");
            for step in &steps {
                let tool = tools::find(json::text(step, "tool").unwrap()).unwrap();
                let params = step.get("params").and_then(Json::as_object).unwrap();
                prop_assert!(tool.accepts(params).is_ok(), "{question}: {step:?}");
            }
            let mut prior = json::list(&trip.envelope, "prior_plans").to_vec();
            let id = plan.get("plan_id").unwrap();
            prop_assert!(!prior.iter().any(|known| known.get("plan_id") == Some(id)), "{question}");
            prior.push(Json::Object(plan));
            trip = trip.with("prior_plans", prior);
        }
    }

    #[test]
    fn any_question_comes_to_an_end(question in any::<String>()) {
        Trip::new(&question).until("integration");
    }
}
