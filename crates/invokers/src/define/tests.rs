mod faults;

use std::{path::Path, time::Duration};

use consign_engine::{Effect, Nanos};

use super::{Definition, DefinitionFaults, Reached};
use crate::model::Ladder;

fn read(text: &str) -> Result<Definition, DefinitionFaults> {
    Definition::read(text, Path::new("/nowhere/agent.toml"))
}

const MODEL: &str = "[model]\nname = 'openai/gpt-5-mini'\n";

#[test]
fn what_a_definition_leaves_out_is_as_usual() {
    let agent = read(&format!("name = 'reviewer'\n{MODEL}")).unwrap();
    assert_eq!((agent.effect, agent.timeout), (Effect::Pure, Duration::from_secs(600)));
    let bridged = read("name = 'reviewer'\n[bridge]").unwrap();
    assert_eq!(bridged.effect, Effect::Unsafe);
    let Reached::Model(model) = agent.reached else { panic!("it is a model") };
    assert_eq!((model.max_tokens, model.temperature, model.stream), (4096, 0.0, true));
    assert_eq!(model.ladder, Ladder::default());
}

#[test]
fn every_way_to_be_reached_is_read() {
    let check = |text: &str, word: &str| {
        let agent = read(&format!("name = 'a'\neffect = 'keyed'\n{text}")).unwrap();
        assert_eq!(agent.reached.as_str(), word);
    };
    check(MODEL, "model");
    check("[subprocess]\ncommand = ['python3', 'a.py']", "subprocess");
    check("[http]\nurl = 'https://example.org/agent'", "http");
    check("[mcp]\ntool = 'search'\ncommand = ['server']", "mcp");
    check("[mcp]\ntool = 'search'\nurl = 'https://example.org/mcp'", "mcp");
    check("[bridge]\nprompt = '{{input.question}}'", "bridge");
    check("[bridge]", "bridge");
}

#[test]
fn paths_are_beside_the_definition_and_money_keeps_its_digits() {
    let text = "name = 'a'\n[limits]\nmax_cost_usd = '0.000000001'\nmemory_mb = 64\n\
                [subprocess]\ncommand = ['./a']\ndirectory = 'work'";
    let Reached::Subprocess(own) = read(text).unwrap().reached else { panic!("a subprocess") };
    assert_eq!(own.directory.unwrap(), Path::new("/nowhere/work"));
    assert_eq!((own.max_cost, own.memory), (Nanos::new(1), 64 << 20));
}

#[test]
fn tools_go_with_an_input_contract() {
    let tool = "[[model.tools]]\nname = 'look'\nparameters = {type = 'object'}\n";
    let input = format!("name = 'a'\n[contract]\ninput = {{type = 'object'}}\n{MODEL}{tool}");
    assert!(read(&input).is_ok());
}

#[test]
fn the_longest_spans_are_taken() {
    let agent = read(&format!("name = 'a'\ntimeout_seconds = 2592000\n{MODEL}")).unwrap();
    assert_eq!(agent.timeout, Duration::from_secs(30 * 24 * 3600));
    // A person may have longer than a program.
    let waits = read("name = 'a'\n[bridge]\ndeadline_seconds = 7776000").unwrap();
    let Reached::Bridge(bridge) = waits.reached else { panic!("it is a bridge") };
    assert_eq!(bridge.deadline, Some(Duration::from_secs(90 * 24 * 3600)));
}

#[test]
fn a_contract_may_be_written_in_the_file_or_be_a_published_one() {
    let inline = read(&format!(
        "name = 'a'\n[contract]\noutput = {{type = 'object', required = ['ok']}}\n{MODEL}"
    ));
    assert!(inline.unwrap().output.unwrap().as_str().contains("required"));
    let published =
        read(&format!("name = 'a'\n[contract]\noutput = 'job/agent-response'\n{MODEL}"));
    assert!(published.unwrap().output.unwrap().as_str().contains("summary_for_supervisor"));
}
