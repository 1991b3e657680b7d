use std::{path::Path, time::Duration};

use consign_engine::{Effect, Nanos};

use super::{Definition, Reached};
use crate::model::Ladder;

fn read(text: &str) -> Result<Definition, String> {
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
    assert_eq!((own.max_cost, own.memory), (Some(Nanos::new(1)), 64 << 20));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let check = |text: &str, why: &str| {
        let found = read(text).unwrap_err();
        assert!(found.contains(why), "{found}");
    };
    check("name = 'a'", "it needs one of [model], [subprocess]");
    check(&format!("name = 'a'\n{MODEL}[bridge]"), "and has [model] and [bridge]");
    check(&format!("name = 'A b'\n{MODEL}"), "must begin with a letter");
    check(&format!("name = 'a'\nefect = 'pure'\n{MODEL}"), "line 2");
    check(&format!("name = 'a'\neffect = 'harmless'\n{MODEL}"), "unknown variant `harmless`");
    check(&format!("name = 'a'\ntimeout_seconds = -1\n{MODEL}"), "no span of time");
    check(&format!("name = 'a'\ntimeout_seconds = nan\n{MODEL}"), "no span of time");
    for long in ["2592001", "1e300", "inf"] {
        check(&format!("name = 'a'\ntimeout_seconds = {long}\n{MODEL}"), "which is 30 days");
        let subprocess = "[subprocess]\ncommand = ['a']";
        check(&format!("name = 'a'\ntimeout_seconds = {long}\n{subprocess}"), "timeout_seconds is");
    }
    check("name = 'a'\n[bridge]\ndeadline_seconds = 1e10", "bridge.deadline_seconds is");
    check("name = 'a'\ntimeout_seconds = 60\n[bridge]", "bridge.deadline_seconds says how long");
    check(&format!("name = 'a'\n{MODEL}temperature = 3"), "not from 0 to 2");
    check(&format!("name = 'a'\n{MODEL}prompt = '{{{{outputs}}}}'"), "model.prompt");
    check(&format!("name = 'a'\n{MODEL}repair = ['guess']"), "no rung \"guess\"");
    check(&format!("name = 'a'\n{MODEL}files = ['none.md']"), "none.md");
    check("name = 'a'\n[subprocess]\ncommand = []", "the program first");
    check("name = 'a'\n[http]\nurl = 'file:///etc/passwd'", "http.url: ");
    check("name = 'a'\n[http]\nurl = 'http://u:p@h/'", "http.url: ");
    check("name = 'a'\n[http]\nurl = 'http://127.0.0.1/'", "http.url: ");
    check(&format!("name = 'a'\n[limits]\nmax_cost_usd = 1\n{MODEL}"), "limits.max_cost_usd");
    check(&format!("name = 'a'\n{MODEL}allow = ['xai/grok-4']"), "model.allow");
    check("name = 'a'\n[mcp]\ntool = 'x'", "`command` or a `url`");
    check(&format!("name = 'a'\n[contract]\noutput = {{type = 7}}\n{MODEL}"), "contract.output");
    check(&format!("name = 'a'\n[contract]\ninput = 'no/such'\n{MODEL}"), "no published contract");
    check("name = 'a'\n[limits]\nmax_cost_usd = 'much'\n[bridge]", "no amount");
    let tool = "[[model.tools]]\nname = 'look'\nparameters = {type = 'object'}\n";
    check(
        &format!("name = 'a'\n[contract]\noutput = {{type = 'object'}}\n{MODEL}{tool}"),
        "model.tools and contract.output do not go together",
    );
    let input = format!("name = 'a'\n[contract]\ninput = {{type = 'object'}}\n{MODEL}{tool}");
    assert!(read(&input).is_ok(), "an input contract goes with tools");
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
