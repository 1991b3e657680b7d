//! A question on its way through the six stages, with the loops that the pipeline makes.
//!
//! It does in a few lines what the pipeline does with an envelope, so that the agents are judged by
//! themselves.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use consign_contracts::json::{Json, Object};
use consign_engine::Data;
use consign_questions::agents::{self, Brief, Stop};

pub(crate) struct Journey {
    envelope: Object<'static>,
    pub(crate) times: Vec<(&'static str, Duration)>,
}

impl Journey {
    pub(crate) fn of(question: &str, repo: &Path) -> Self {
        let mut envelope = Object::new();
        envelope.set("raw_input", text(question));
        envelope.set("outputs", Json::Object(Object::new()));
        envelope.set("iteration", number(0));
        envelope.set("max_iterations", number(3));
        envelope.set("current_stage_number", number(1));
        envelope.set("max_stages", number(5));
        for list in ["prior_plans", "critic_feedback", "completed_stages", "remaining_goals"] {
            envelope.set(list, Json::Array(Vec::new()));
        }
        let mut journey = Self { envelope, times: Vec::new() };
        journey.travel(repo);
        journey
    }

    fn travel(&mut self, repo: &Path) {
        self.stage("perception", repo);
        let mut from_intent = true;
        for _ in 0..12 {
            if from_intent {
                self.stage("intent", repo);
                if self.asks_back() {
                    return;
                }
            }
            self.stage("plan", repo);
            self.stage("execution", repo);
            self.stage("critic", repo);
            let verdict = self.output("critic")["verdict"].as_str().unwrap().to_owned();
            match verdict.as_str() {
                "approved" => return self.stage("integration", repo),
                "reintent" => {
                    let plan = self.outputs().get("plan").unwrap().clone();
                    self.push("prior_plans", plan);
                    let feedback =
                        self.outputs().get("critic").unwrap().get("feedback").unwrap().clone();
                    self.push("critic_feedback", feedback);
                    let iteration = self.whole("iteration") + 1;
                    self.envelope.set("iteration", number(iteration));
                    from_intent = true;
                }
                "next_stage" => {
                    let critic = self.output("critic");
                    let mut done = Object::new();
                    let mut summary = Object::new();
                    let execution = self.outputs().get("execution").unwrap();
                    summary.set("evidence", execution.get("evidence").unwrap().clone());
                    done.set("satisfied_goals", Json::from(&critic["satisfied_goals"]));
                    done.set("summary", Json::Object(summary));
                    done.set(
                        "plan_id",
                        self.outputs().get("plan").unwrap().get("plan_id").unwrap().clone(),
                    );
                    self.push("completed_stages", Json::Object(done));
                    self.envelope.set("remaining_goals", Json::from(&critic["unsatisfied_goals"]));
                    let stage = self.whole("current_stage_number") + 1;
                    self.envelope.set("current_stage_number", number(stage));
                    from_intent = false;
                }
                other => panic!("unknown verdict {other}"),
            }
        }
        panic!("the critic comes to no end: {}", self.envelope.get("raw_input").unwrap());
    }

    fn stage(&mut self, name: &'static str, repo: &Path) {
        let agent = agents::find(name).unwrap();
        let mut input = Object::new();
        input.set("envelope", Json::Object(self.read_by(agent.reads())));
        input.set("repo", text(repo.to_str().unwrap()));
        let brief = Brief::read(&Data::from(&Json::Object(input))).unwrap();
        let began = Instant::now();
        let output = agent.work(&brief, &Stop::new()).unwrap();
        self.times.push((name, began.elapsed()));
        let verdict = agent.contract().schema().check(&output);
        assert!(verdict.is_valid(), "{name}: {:?} {output}", verdict.breaches);
        if let Some(prompt) = agent.prompt(&brief) {
            assert!(prompt.len() < 48_000, "{name}: {}", prompt.len());
        }
        let Some(Json::Object(outputs)) = self.envelope.get_mut("outputs") else {
            panic!("no outputs")
        };
        outputs.set(name, output);
    }

    /// Only what an agent says that it reads, as the pipeline hands it over.
    fn read_by(&self, reads: &[&str]) -> Object<'static> {
        let mut members = Object::new();
        let mut outputs = Object::new();
        for member in reads {
            match member.strip_prefix("outputs.") {
                Some(key) => {
                    if let Some(output) = self.outputs().get(key) {
                        outputs.set(key.to_owned(), output.clone());
                    }
                }
                None => {
                    if let Some(value) = self.envelope.get(member) {
                        members.set((*member).to_owned(), value.clone());
                    }
                }
            }
        }
        members.set("outputs", Json::Object(outputs));
        members
    }

    fn outputs(&self) -> &Object<'static> {
        self.envelope.get("outputs").and_then(Json::as_object).unwrap()
    }

    fn output(&self, key: &str) -> serde_json::Value {
        self.outputs().get(key).map(Json::to_serde).unwrap_or_default()
    }

    fn whole(&self, key: &str) -> u64 {
        self.envelope.get(key).and_then(Json::as_number).and_then(|number| number.as_u64()).unwrap()
    }

    fn push(&mut self, key: &str, value: Json<'static>) {
        let Some(Json::Array(list)) = self.envelope.get_mut(key) else {
            panic!("{key} is no list")
        };
        list.push(value);
    }

    pub(crate) fn asks_back(&self) -> bool {
        self.output("intent")["clarification_needed"].as_bool().unwrap_or(false)
    }

    pub(crate) fn asked(&self) -> String {
        self.output("intent")["clarification_question"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn intent(&self) -> String {
        self.output("intent")["intent"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn answer(&self) -> String {
        self.output("integration")["final_response"].as_str().unwrap_or_default().to_owned()
    }

    /// Where the answer says that things stand.
    pub(crate) fn cited(&self) -> Vec<String> {
        let citations =
            self.output("integration")["citations"].as_array().cloned().unwrap_or_default();
        citations.iter().map(|one| one["location"].as_str().unwrap().to_owned()).collect()
    }

    fn cites(&self, files: &[String], most: usize) -> bool {
        let cited = self.cited();
        let mut paths = cited.iter().take(most).filter_map(|place| place.rsplit_once(':'));
        paths.any(|(path, _)| files.iter().any(|file| file == path))
    }

    /// Whether the answer or its citations name one of the files.
    pub(crate) fn names(&self, files: &[String]) -> bool {
        let answer = self.answer();
        self.cites(files, usize::MAX) || files.iter().any(|file| answer.contains(file.as_str()))
    }

    /// Whether one of the first three citations does.
    pub(crate) fn names_early(&self, files: &[String]) -> bool {
        self.cites(files, 3)
    }

    /// Evidence and citations stand where they are said to stand.
    pub(crate) fn keeps_its_word(&self, repo: &Path) {
        let places = |output: &str, list: &str, key: &str| -> Vec<(String, String)> {
            let found = self.output(output)[list].as_array().cloned().unwrap_or_default();
            let of = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap().to_owned();
            found.iter().map(|one| (of(one, "location"), of(one, key))).collect()
        };
        let citations = places("integration", "citations", "text");
        let evidence = places("execution", "evidence", "content");
        assert!(evidence.len() <= 40);
        for (location, content) in citations.iter().chain(&evidence) {
            let (path, line) = location.rsplit_once(':').unwrap();
            let bytes = fs::read(repo.join(path)).unwrap_or_else(|why| panic!("{location}: {why}"));
            let file = String::from_utf8_lossy(&bytes);
            let found = file.lines().nth(line.parse::<usize>().unwrap() - 1);
            let found = found.unwrap_or_else(|| panic!("{location} is beyond the end"));
            let first = content.lines().next().unwrap_or_default();
            assert!(!first.trim().is_empty(), "{location}");
            assert!(found.contains(first), "{location}: {first:?} is not in {found:?}");
            assert!(content.len() <= 600);
        }
        if !self.asks_back() {
            assert!(!self.answer().is_empty());
            let suggestions =
                self.output("integration")["follow_up_suggestions"].as_array().unwrap().len();
            assert!(suggestions <= 4);
        } else {
            assert!(self.asked().len() > 20);
        }
    }
}

fn text(text: &str) -> Json<'static> {
    Json::String(text.to_owned().into())
}

fn number(number: u64) -> Json<'static> {
    Json::Number(number.into())
}
