//! What pipelines say of the built-in agents, and what these say of themselves.

use consign_pipeline::{BUILT_IN, built_in};
use consign_questions::{agents, tools};

#[test]
fn a_pipeline_gives_each_built_in_agent_what_it_reads() {
    for agent in agents::all() {
        assert!(BUILT_IN.contains(&agent.name()), "{}", agent.name());
        assert_eq!(built_in::reads(agent.name()), agent.reads(), "{}", agent.name());
    }
    assert_eq!(built_in::reads("reviewer"), [""; 0]);
}

#[test]
fn a_pipeline_knows_every_tool_and_no_other() {
    let names: Vec<_> = tools::table().iter().map(|tool| tool.name).collect();
    assert_eq!(names, built_in::TOOLS);
    assert!(tools::find(built_in::TOOLS.first().unwrap()).is_some());
}
