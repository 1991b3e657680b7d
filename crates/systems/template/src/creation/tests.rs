use consign_contracts::{bridge::TemplateCreateState, wire::Message};
use proptest::prelude::*;

use super::*;
use crate::{Source, package::TemplateFile};

fn order() -> Order {
    let (project, output) = ("/src/shop".to_owned(), "/templates/shop".to_owned());
    Order { project, output, name: "shop-api".to_owned(), options: Options::default() }
}

/// A creation with so many agents, gone on for so many steps, and asked in the last.
fn at(steps: usize, agents: usize, no_agents: bool, tries: u8) -> Creation {
    let mut creation = Creation::new(order(), "run-1".to_owned());
    creation.order.options.no_agents = no_agents;
    let agent =
        |number: usize| AgentFile { name: format!("agent-{number}"), ..AgentFile::default() };
    creation.found.agents = (0..agents).map(agent).collect();
    for number in 0..steps {
        let now = At(i64::try_from(number).unwrap());
        creation.complete(creation.step.phase(), now, format!("step {number}"));
        if creation.step.asks().is_some() {
            creation.ask("What now? ".repeat(20), [number as u8; 16], now);
            creation.settle(COMPLETED);
        }
        creation.advance();
    }
    creation.tries = tries;
    creation.ask("What now? ".repeat(20), [200; 16], At(77));
    creation
}

#[test]
fn every_step_leads_to_the_next_and_the_last_stays() {
    let walk = |agents, no_agents| {
        let mut creation = at(0, agents, no_agents, 0);
        let mut steps = vec![creation.step];
        while creation.step != Step::Complete {
            creation.advance();
            steps.push(creation.step);
        }
        creation.advance();
        assert_eq!(creation.step, Step::Complete);
        steps
    };
    let phases = |steps: Vec<Step>| steps.iter().map(|step| step.phase()).collect::<Vec<_>>();
    assert_eq!(phases(walk(2, false)), [1, 1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9]);
    assert_eq!(phases(walk(0, false)), [1, 1, 2, 3, 4, 5, 5, 6, 8, 9, 9]);
    assert_eq!(phases(walk(2, true)), [1, 1, 2, 3, 4, 8, 9, 9]);
}

#[test]
fn each_try_has_its_own_id_and_twice_the_time() {
    let times: Vec<_> = (0..5)
        .map(|tries| at(1, 0, false, tries).pending.unwrap())
        .map(|pending| (pending.timeout(), pending.retries()))
        .collect();
    assert_eq!(times, [(120, 0), (240, 1), (480, 2), (600, 3), (600, 4)]);
}

#[test]
fn a_request_is_late_when_its_time_is_over() {
    let pending = at(1, 0, false, 0).pending.unwrap();
    let second = 1_000_000;
    assert!(!pending.is_late(At(77 + 120 * second - 1)) && pending.is_late(At(77 + 120 * second)));
    assert!(!pending.is_late(At(0)), "a clock that was set back makes nobody late");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        steps in 0_usize..14,
        agents in 0_usize..4,
        no_agents: bool,
        tries in 0_u8..3,
        content in ".{0,40}",
    ) {
        let mut creation = at(steps, agents, no_agents, tries);
        creation.seq = 12;
        creation.consumed = Some("abc".to_owned());
        let file = TemplateFile { path: content.clone(), content, ..TemplateFile::default() };
        creation.found.templates = Some(Templates { files: vec![file], ..Templates::default() });
        let (source, why) = (Source::Heuristic, Some("so".to_owned()));
        creation.notes.push(Note { phase: 1, subject: None, source, why, confidence: Some(0.25) });
        let state = creation.to_state(At(99));
        let text = state.to_json();
        prop_assert_eq!(&TemplateCreateState::from_json(text.as_bytes()).unwrap(), &state);
        prop_assert_eq!(Creation::read(text.as_bytes(), None, "other").unwrap(), creation);
    }

    #[test]
    fn noise_is_no_state(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Creation::read(&bytes, None, "run").is_err());
    }
}
