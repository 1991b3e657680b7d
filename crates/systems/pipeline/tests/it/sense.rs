//! Files that are pipelines and could not come to anything, or probably not to what was meant.

use consign_contracts::json::Json;
use consign_pipeline::{
    Pipeline, Stage,
    file::{self, Source},
};

use crate::{files::with, row::parsed};

/// So many stages, one after the other.
fn row_of(stages: usize, top: &str) -> String {
    let stage = |at: usize| {
        let next = if at == stages { "end".to_owned() } else { format!("s{}", at + 1) };
        format!(
            "[[stage]]\nname = \"s{at}\"\nagent = \"plan\"\ndefault_next = \"{next}\"\noutput_key = \"o{at}\"\n"
        )
    };
    let stages: String = (1..=stages).map(stage).collect();
    format!("name = \"row\"\n{top}{stages}")
}

fn wrong(text: &str) -> Vec<(Option<usize>, String)> {
    let read = Source::toml(text).and_then(|source| file::read(&source));
    let wrong = read.map_or_else(|why| why.wrong, |_| Vec::new());
    wrong.into_iter().map(|wrong| (wrong.line, wrong.what)).collect()
}

#[test]
fn a_bound_below_the_shortest_way_is_refused() {
    assert_eq!(wrong(&row_of(21, "")), []);
    let told = "the shortest way to the end has 22 hops, and max_agent_hops is 21 where nothing is set: no new \
                envelope would get there. Set max_agent_hops to 22 or more";
    assert_eq!(wrong(&row_of(22, "")), [(Some(1), told.to_owned())]);
    assert_eq!(wrong(&row_of(22, "max_agent_hops = 22\n")), []);
    let told = wrong(&row_of(25, "max_iterations = 2\nmax_agent_hops = 24\n"));
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, Some(3));
    assert!(told[0].1.contains("has 25 hops, and max_agent_hops is 24: "), "{told:?}");
    // A way round the middle is short enough.
    let shortcut = row_of(25, "").replacen("output_key", "error_next = \"s24\"\noutput_key", 1);
    assert_eq!(wrong(&shortcut), []);
    let thinking = row_of(11, "").replace("output_key", "model = \"acme/large\"\noutput_key");
    let told = wrong(&thinking);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].1.contains("11 model calls, and max_llm_calls is 10 where nothing is set"),
        "{told:?}"
    );
    assert_eq!(wrong(&format!("max_llm_calls = 11\n{thinking}")), []);
}

#[test]
fn those_that_begin_at_once_all_have_to_fit() {
    let names: Vec<_> = (0..22).map(|at| format!("m{at}")).collect();
    let mut text = format!("name = \"wide\"\n[[stage]]\nname = \"all\"\nparallel = {names:?}\n");
    for name in &names {
        text.push_str(&format!("[[stage]]\nname = \"{name}\"\nagent = \"mine\"\n"));
    }
    let told = wrong(&text);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.starts_with("the shortest way to the end has 22 hops"), "{told:?}");
    assert_eq!(wrong(&format!("max_agent_hops = 22\n{text}")), []);
}

/// Whoever has a run under way must not lose it to a rule that came later.
#[test]
fn what_a_run_began_with_is_restored_though_it_would_be_refused_today() {
    for text in [
        row_of(25, ""),
        with!("[[stage.route]]\nkey = \"a..b\"\nequals = 1\nto = \"a\"\n").to_owned(),
        with!("input = \"{{input.x} {{envelop}}\"\n").to_owned(),
    ] {
        assert_ne!(wrong(&text), [], "{text}");
        let table: toml::Table = text.parse().unwrap();
        let mut written = serde_json::to_value(table).unwrap();
        let stages = written.as_object_mut().unwrap().remove("stage").unwrap();
        written["stages"] = stages;
        for stage in written["stages"].as_array_mut().unwrap() {
            let stage = stage.as_object_mut().unwrap();
            if let Some(routes) = stage.remove("route") {
                stage.insert("routes".to_owned(), routes);
            }
        }
        file::restore(parsed(&written.to_string())).unwrap_or_else(|why| panic!("{why}"));
    }
}

#[test]
fn stages_follow_each_other_and_what_a_run_keeps_says_so() {
    let text = "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n[[stage]]\nname = \"both\"\nparallel = [\"l\", \"r\"]\n\
                [[stage]]\nname = \"l\"\nagent = \"m\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\n[[stage]]\nname = \"r\"\nagent = \"m\"\n";
    let read = file::read(&Source::toml(text).unwrap()).unwrap();
    let next = |pipeline: &Pipeline| {
        let name = |stage: &Stage| pipeline.name_of(stage.default_next).to_owned();
        pipeline.stages.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    // Those that run beside others are no next, and have none.
    assert_eq!(next(&read), "both b end end end");
    let restored = file::restore(Json::Object(read.written.clone())).unwrap();
    assert_eq!(next(&restored), "both b end end end");
    assert_eq!(restored.written, read.written);
    // What was kept when a stage that said nothing led to the end still does.
    let kept = r#"{"name": "n", "stages": [{"name": "a", "agent": "m", "routes": [{"key": "k", "equals": 1, "to": "b"}]},
                   {"name": "b", "agent": "m"}]}"#;
    let old = file::restore(parsed(kept)).unwrap();
    assert_eq!(next(&old), "end end");
    assert_eq!(Json::Object(old.written.clone()), parsed(kept));
    // The same text in a file today means something else.
    assert_eq!(next(&file::read(&Source::json(kept).unwrap()).unwrap()), "b end");
}

#[test]
fn what_may_be_meant_so_is_doubted_and_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("doubtful.toml");
    let text = with!("error_next = \"b\"\ninput = \"{{envelope.of_my_own}}\"\n");
    std::fs::write(&path, text).unwrap();
    let draft = file::draft(&path).unwrap();
    let told: Vec<_> = draft.doubtful.iter().map(|one| (one.line, one.what.as_str())).collect();
    let [(Some(11), circle), (Some(12), place)] = told[..] else { panic!("{told:?}") };
    assert!(circle.contains("a failure of \"b\" leads back to it"), "{circle}");
    assert!(place.contains("unless its sender adds it"), "{place}");
    draft.whole().unwrap();
}

/// A critic may say any word. One that is nearly a verdict is taken for no verdict.
#[test]
fn a_route_for_nearly_a_verdict_is_doubted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("critic.toml");
    let text = with!(
        "output_key = \"critic\"\nroute = [\n{ key = \"verdict\", equals = \"aproved\", to = \"end\" },\n{ key = \"verdict\", equals = \"hopeless\", to = \"end\" },\n{ key = \"verdict\", equals = \"approved\", to = \"end\" },\n{ key = \"word\", equals = \"aproved\", to = \"end\" }]\n"
    );
    std::fs::write(&path, text).unwrap();
    let draft = file::draft(&path).unwrap();
    let told: Vec<_> = draft.doubtful.iter().map(|one| (one.line, one.what.as_str())).collect();
    let meant = "\"aproved\" is no verdict of a critic; did you mean \"approved\"?";
    assert_eq!(told, [(Some(13), meant)]);
    draft.whole().unwrap();
}

#[test]
fn whoever_must_not_be_called_twice_is_named_where_a_failure_leads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("back.toml");
    let command = "agent.subprocess.command = [\"cat\"]";
    let doubts = |agent: &str| {
        let text = format!("name = \"n\"\n[[stage]]\nname = \"a\"\n{agent}\nerror_next = \"a\"\n");
        std::fs::write(&path, text).unwrap();
        file::draft(&path).unwrap().doubtful.remove(0).what
    };
    let risky = "`keyed` agent is called again although it is not known what it did";
    for effect in ["unsafe", "keyed"] {
        let told = doubts(&format!("agent.effect = \"{effect}\"\n{command}"));
        assert!(told.contains(risky), "{told}");
    }
    for agent in [command, "agent = \"of-my-own\""] {
        let told = doubts(agent);
        assert!(told.contains(risky), "{told}");
    }
    for effect in ["pure", "idempotent"] {
        let told = doubts(&format!("agent.effect = \"{effect}\"\n{command}"));
        assert!(!told.contains(risky), "{told}");
    }
    let told = doubts("agent = \"pass\"");
    assert!(!told.contains(risky), "{told}");
}
