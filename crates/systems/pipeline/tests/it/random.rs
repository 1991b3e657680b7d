//! Pipelines and agents at random: every journey ends within its bounds, and none does more than the
//! worst case that was foretold.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, OnceLock},
};

use consign_contracts::json::Json;
use consign_engine::{AskKind, At, Data, Fault, Settings, Work};
use consign_pipeline::{
    AgentScope, Journey, Pipeline, Worst,
    envelope::{MOST_BYTES, read},
    file::{self, Source},
    transitions::{Transition, transitions},
};
use proptest::prelude::*;

use crate::{
    drive::{MORNING, restored},
    row::folder,
    script::Script,
};

/// One stage, as its file would have it. Numbers are other stages; beyond the last, the end.
#[derive(Clone, Debug)]
struct Draft {
    key: Option<&'static str>,
    agent: &'static str,
    routes: Vec<(&'static str, &'static str, usize)>,
    next: Option<usize>,
    error: Option<usize>,
    beside: Option<(usize, usize)>,
    required: bool,
    /// What a person is asked in it, in place of its agent.
    person: Option<&'static str>,
}

fn draft() -> impl Strategy<Value = Draft> {
    let keys = [
        None,
        None,
        Some("intent"),
        Some("plan"),
        Some("execution"),
        Some("critic"),
        Some("integration"),
    ];
    let agents = ["mine", "mine", "mine", "critic", "plan"];
    let route = (
        prop::sample::select(&["k", "verdict", "deep.k"][..]),
        prop::sample::select(
            &["1", "\"x\"", "true", "\"approved\"", "\"reintent\"", "\"later\""][..],
        ),
        0usize..10,
    );
    (
        prop::sample::select(keys.to_vec()),
        prop::sample::select(agents.to_vec()),
        prop::collection::vec(route, 0..3),
        prop_oneof![5 => Just(None), 1 => (0usize..10).prop_map(Some)],
        prop::option::weighted(0.3, 0usize..10),
        prop::option::weighted(0.3, (0usize..10, 0usize..10)),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.2, prop::sample::select(&["approval", "form"][..])),
    )
        .prop_map(|(key, agent, routes, next, error, beside, required, person)| Draft {
            key,
            agent,
            routes,
            next,
            error,
            beside,
            required,
            person,
        })
}

/// The drafts as a file. A stage without a word about where to go leads to the one after it. Tame ones
/// have nothing lead to those who run beside others.
fn written(drafts: &[Draft], fires: u8, tame: bool) -> String {
    let last = drafts.len();
    let mut groups: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        let Some((a, b)) = draft.beside.map(|(a, b)| (a % last, b % last)) else { continue };
        let taken = |one: usize| {
            groups.iter().any(|(group, (a, b))| [*group, *a, *b].contains(&one)) || one <= at
        };
        if !tame
            || a != b
                && !taken(a)
                && !taken(b)
                && !groups.values().any(|(a, b)| [*a, *b].contains(&at))
        {
            groups.insert(at, (a, b));
        }
    }
    let beside = |at: usize| groups.values().any(|(a, b)| *a == at || *b == at);
    let name = |at: usize| {
        let at = at % (last + 1);
        let at = if tame { (at..=last).find(|at| !beside(*at)).unwrap_or(last) } else { at };
        if at == last { "end".to_owned() } else { format!("s{at}") }
    };
    let output_key = |at: usize| {
        let key = drafts[at].key?;
        let taken = drafts[..at].iter().any(|other| other.key == Some(key));
        (!taken).then_some(key)
    };
    let mut text = format!("name = \"random\"\nmax_critic_fires = {fires}\n");
    for (at, draft) in drafts.iter().enumerate() {
        let _ = write!(text, "\n[[stage]]\nname = \"s{at}\"\n");
        // Tame ones ask nobody beside others.
        let person = draft.person.filter(|_| !(tame && beside(at)));
        if person.is_none() || groups.contains_key(&at) {
            let _ = writeln!(text, "tries = 1");
        }
        match groups.get(&at) {
            Some((a, b)) => {
                let _ = writeln!(text, "parallel = [\"s{a}\", \"s{b}\"]");
            }
            None if person.is_some() => {
                let ask = person.unwrap_or_default();
                let schema = if ask == "form" { ", schema = {}" } else { "" };
                let _ = writeln!(text, "person = {{ ask = {ask:?}, prompt = \"?\"{schema} }}");
                if let Some(key) = output_key(at) {
                    let _ = writeln!(text, "output_key = {key:?}");
                }
            }
            None => {
                let _ = writeln!(text, "agent = {:?}", draft.agent);
                if draft.agent != "mine" {
                    let _ = writeln!(text, "model = \"acme/large\"");
                }
                if draft.required {
                    let _ = writeln!(text, "required = [\"k\"]");
                }
                if let Some(key) = output_key(at) {
                    let _ = writeln!(text, "output_key = {key:?}");
                }
            }
        }
        if beside(at) {
            continue;
        }
        let next = (at + 1..=last).find(|at| !beside(*at)).unwrap_or(last);
        let _ = writeln!(text, "default_next = {:?}", name(draft.next.unwrap_or(next)));
        if let Some(error) = draft.error {
            let _ = writeln!(text, "error_next = {:?}", name(error));
        }
        for (nth, (key, equals, to)) in draft.routes.iter().enumerate() {
            let approves = person == Some("approval") && !groups.contains_key(&at);
            let (key, equals) = match nth {
                nth if approves => ("approved", if nth == 0 { "true" } else { "false" }),
                _ => (*key, *equals),
            };
            // Where several run, the first word says whose output is meant.
            let key = match groups.get(&at) {
                Some((a, _)) => match output_key(*a) {
                    Some(own) => format!("{own}.{key}"),
                    None => format!("s{a}.{key}"),
                },
                None => key.to_owned(),
            };
            let _ = writeln!(
                text,
                "[[stage.route]]\nkey = {key:?}\nequals = {equals}\nto = {:?}",
                name(*to)
            );
        }
    }
    text
}

const OUTPUTS: &[&str] = &[
    "{}",
    r#"{"k": 1, "verdict": "reintent", "feedback": "f", "goals": ["a", "b"]}"#,
    r#"{"k": "x", "verdict": "approved", "clarification_needed": true, "confirmation_needed": true}"#,
    r#"{"deep": {"k": true}, "k": true, "verdict": "next_stage", "satisfied_goals": ["a"], "goals": ["a", "c"]}"#,
    r#"{"verdict": "reintent"}"#,
    r#"{"verdict": "later", "denied_by_policy": true}"#,
    r#"{"verdict": "next_stage", "goals": ["c"]}"#,
    "7",
];

fn outcome(choice: u8) -> Result<Data, Fault> {
    match usize::from(choice) % (OUTPUTS.len() + 2) {
        8 => Err(Fault::permanent("BROKEN", "for good")),
        9 => Err(Fault::transient("BUSY", "for now")),
        at => Ok(Data::parse(OUTPUTS[at]).unwrap()),
    }
}

/// An envelope with small bounds, and some of them used up.
fn envelope(numbers: [u8; 6], pipeline: &Pipeline) -> consign_contracts::envelope::Envelope {
    let [hops, most_hops, iterations, calls, rounds, stage] = numbers;
    let starts: Vec<&str> = (0..pipeline.stages.len())
        .filter(|at| pipeline.turn_of(*at) == *at)
        .map(|at| pipeline.stages[at].name.as_str())
        .collect();
    let stage = starts[usize::from(stage) % starts.len()];
    let pending = hops % 5 == 4;
    let text = format!(
        r#"{{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef", "user_id": "ada",
        "session_id": "sess_0123456789abcdef", "raw_input": "", "outputs": {{}}, "terminated": false,
        "current_stage": {stage:?}, "agent_hop_count": {}, "max_agent_hops": {}, "max_iterations": {},
        "max_llm_calls": {}, "max_stages": {}, "clarification_pending": {pending}}}"#,
        hops % 4,
        most_hops % 12 + 1,
        iterations % 4 + 1,
        calls % 4 + 1,
        rounds % 4 + 1,
    );
    read(text.as_bytes(), MOST_BYTES).unwrap()
}

/// Whether a picture would show how it got from one place to another. Where it stays it may still be at work.
fn is_way(ways: &[Transition], pipeline: &Pipeline, from: &str, to: &str) -> bool {
    let leads =
        |way: &Transition| pipeline.stages[way.from].name == from && pipeline.name_of(way.to) == to;
    from == to || ways.iter().any(leads)
}

struct Counts {
    hops: i64,
    iteration: i64,
    round: i64,
    fires: i64,
    model_calls: i64,
}

fn counts(journey: &Journey) -> Counts {
    let written = consign_contracts::wire::Wire::write(journey.envelope());
    let count = |at: &str| {
        let number = written.at(at).and_then(Json::as_number);
        number.and_then(|number| number.as_i64()).unwrap_or(0)
    };
    Counts {
        hops: count("/agent_hop_count"),
        iteration: count("/iteration"),
        round: count("/current_stage_number"),
        fires: count("/metadata/critic_fires"),
        model_calls: count("/llm_call_count"),
    }
}

/// Drives a journey with these choices, over and over, and holds it to everything that was promised.
fn drive(pipeline: &Arc<Pipeline>, numbers: [u8; 6], choices: &[u8]) -> Result<(), TestCaseError> {
    let came = envelope(numbers, pipeline);
    let most = |member: &Option<consign_contracts::wire::Integer>| {
        member.as_ref().unwrap().as_i64().unwrap()
    };
    let most_hops = most(&came.max_agent_hops);
    let (most_iterations, most_calls) = (most(&came.max_iterations), most(&came.max_llm_calls));
    let most_rounds = most(&came.max_stages);
    let begun = most(&came.agent_hop_count);
    let mut journey = Journey::begin(pipeline, AgentScope::default(), came, None, MORNING).unwrap();
    let agents = Script::new(&BTreeMap::new()).agents(pipeline);
    let worst = Worst::of(&journey, &agents, &Settings::default());
    let foretold = worst.bound.calls.unwrap();
    let mut choices = choices.iter().copied().cycle();
    let (mut at, mut calls, mut steps) = (MORNING, 0, 0);
    let ways = transitions(pipeline);
    let mut stood = journey.envelope().current_stage.clone();
    while !journey.has_ended() {
        steps += 1;
        prop_assert!(steps < 100, "it does not end");
        journey = restored(&journey);
        at = At(at.0 + 1);
        let stage = journey.envelope().current_stage.clone();
        prop_assert!(is_way(&ways, pipeline, &stood, &stage), "from {stood} to {stage}");
        stood.clone_from(&stage);
        prop_assert!(
            pipeline.find(&stage).is_some_and(|at| pipeline.turn_of(at) == at),
            "at {}",
            stage
        );
        prop_assert!(!journey.envelope().terminated);
        if let Some(ask) = journey.question() {
            let choice = choices.next().unwrap();
            let answer = match ask.kind {
                AskKind::Approval if choice.is_multiple_of(2) => "false",
                AskKind::Clarification if !ask.key.as_str().starts_with("clarify.") => {
                    OUTPUTS[usize::from(choice) % OUTPUTS.len()]
                }
                AskKind::Clarification => "\"so\"",
                AskKind::Confirmation
                | AskKind::Approval
                | AskKind::Intervention
                | AskKind::Limit
                | AskKind::AgentResponse => "true",
            };
            let answer = Data::parse(answer).unwrap();
            match choice % 7 {
                // Nobody answers in time.
                0 if !ask.key.as_str().contains('.') => {
                    let late = Fault::permanent("DEADLINE_PASSED", "too late");
                    journey.ended(&ask.key, Err(&late), Work { ended: at, ..Work::default() });
                }
                _ => journey.answered(&answer, Some("ada"), at),
            }
            if steps == 1 {
                // It came with a question, wherever it stood.
                stood.clone_from(&journey.envelope().current_stage);
            }
            continue;
        }
        // Any of those that run at once may be the first.
        let choice = choices.next().unwrap();
        let open = journey.calls();
        prop_assert!(!open.is_empty(), "it stands still for nothing");
        let call = &open[usize::from(choice) % open.len()];
        let outcome = outcome(choice / 4);
        let model_calls = u32::from(call.agent.contains('@'));
        journey.ended(
            &call.key,
            outcome.as_ref(),
            Work { began: at, ended: at, model_calls, ..Work::default() },
        );
        calls += 1;
        // What comes too late, or twice, changes nothing.
        let before = Data::of(&journey);
        journey.ended(&call.key, outcome.as_ref(), Work::default());
        let after = Data::of(&journey);
        prop_assert_eq!(after.as_str(), before.as_str());
    }
    let end = counts(&journey);
    let stage = journey.envelope().current_stage.as_str();
    prop_assert!(is_way(&ways, pipeline, &stood, stage), "from {stood} to {stage}");
    prop_assert!(stage == "end" || pipeline.find(stage).is_some());
    prop_assert!(journey.envelope().terminated);
    prop_assert!(end.hops <= most_hops.max(begun));
    prop_assert!(end.iteration <= most_iterations + 1);
    prop_assert!(end.fires <= pipeline.max_critic_fires + 1);
    prop_assert!(end.round <= most_rounds);
    prop_assert!(end.model_calls <= most_calls, "{} of {most_calls}", end.model_calls);
    let spent = |end: i64, begun: i64| u64::try_from(end - begun).unwrap();
    // The stage that begins with the journey is counted already, and foretold as well.
    prop_assert!(spent(end.hops, begun) <= worst.hops, "{} hops, {worst:?}", end.hops - begun);
    prop_assert!(
        spent(end.iteration, 0) <= worst.iterations,
        "{} iterations, {worst:?}",
        end.iteration
    );
    prop_assert!(spent(end.round, 0) <= worst.rounds, "{} rounds, {worst:?}", end.round);
    prop_assert!(calls <= foretold, "{calls} calls, {worst:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_journey_ends_as_was_foretold(
        drafts in prop::collection::vec(draft(), 2..8),
        fires in 0u8..4,
        tame in prop::bool::weighted(0.8),
        numbers in any::<[u8; 6]>(),
        choices in prop::collection::vec(any::<u8>(), 1..24),
    ) {
        let text = written(&drafts, fires, tame);
        match Source::toml(&text).and_then(|source| file::read(&source)) {
            Ok(pipeline) => drive(&Arc::new(pipeline), numbers, &choices).map_err(|why| {
                TestCaseError::fail(format!("{why}\n{text}"))
            })?,
            Err(unusable) => {
                prop_assert!(!unusable.wrong.is_empty());
                for wrong in &unusable.wrong {
                    let lines = text.lines().count();
                    prop_assert!(wrong.line.is_some_and(|line| (1..=lines).contains(&line)), "{wrong:?}\n{text}");
                }
            }
        }
    }

    /// What a person does to a file with a heavy hand.
    #[test]
    fn whatever_the_text_the_reader_keeps_its_countenance(
        which in 0usize..100,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<prop::sample::Index>()), 1..6),
    ) {
        let files = FILES.get_or_init(pipelines);
        let (json, text) = &files[which % files.len()];
        let text = edited(text, &edits);
        let read = if *json { Source::json(&text) } else { Source::toml(&text) };
        if let Err(unusable) = read.and_then(|source| file::read(&source)) {
            prop_assert!(!unusable.wrong.is_empty());
            for wrong in &unusable.wrong {
                prop_assert!(!wrong.what.is_empty());
                prop_assert!(wrong.line.is_some(), "{:?}\n{}", wrong, text);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = Source::json(&text).and_then(|source| file::read(&source));
        let _ = Source::toml(&text).and_then(|source| file::read(&source));
    }
}

static FILES: OnceLock<Vec<(bool, String)>> = OnceLock::new();

/// Every pipeline of these tests, and whether it is JSON.
fn pipelines() -> Vec<(bool, String)> {
    let mut files = vec![(false, file::DEFAULT.to_owned())];
    let folder = folder().join("pipelines");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let json = path.extension().is_some_and(|extension| extension == "json");
        let text = std::fs::read_to_string(&path).unwrap();
        if !json {
            let written = file::load(&path).unwrap().written;
            files.push((true, format!("{:#}", Json::Object(written))));
        }
        files.push((json, text));
    }
    files
}

fn edited(text: &str, edits: &[(prop::sample::Index, u8, prop::sample::Index)]) -> String {
    const BITS: &[&str] = &[
        "\"",
        "[",
        "]",
        "{",
        "}",
        "=",
        "\n",
        "0",
        "-1",
        "1e999",
        "null",
        "end",
        "start",
        "é",
        "\\",
        "{{outputs.a}}",
        "[[stage]]\n",
        "[[stage.route]]\n",
        "parallel = [\"a\", \"b\"]\n",
        "stages = 1\n",
        "stage = {}\n",
        ",",
        "'''",
    ];
    let mut letters: Vec<String> = text.chars().map(String::from).collect();
    for (at, kind, what) in edits {
        if letters.is_empty() {
            break;
        }
        let at = at.index(letters.len());
        match kind {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, BITS[what.index(BITS.len())].to_owned()),
            2 => letters[at] = BITS[what.index(BITS.len())].to_owned(),
            3 => {
                let end = (at + what.index(40)).min(letters.len());
                drop(letters.drain(at..end));
            }
            _ => {
                let end = (at + what.index(60)).min(letters.len());
                let again = letters[at..end].to_vec();
                letters.splice(at..at, again);
            }
        }
    }
    letters.concat()
}
