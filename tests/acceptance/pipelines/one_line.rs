//! One envelope with `process --stream` gives what it gives with `process`: the same document, the same words
//! on standard error and the same exit code.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    process::{TWO, asking},
    three_ways::repository,
    yard::{Yard, timeless},
};
use crate::{home::until, support::Outcome};

/// Both ways of sending the same bytes.
fn both(yard: &Yard, document: &[u8], args: &[&str]) -> [Outcome; 2] {
    [&[][..], &["--stream"]].map(|stream| {
        let args = [&["process"], args, stream].concat();
        yard.consign(&args).stdin(document).run()
    })
}

/// Demands that both say the same, and gives what they say.
#[track_caller]
fn same([alone, streamed]: [Outcome; 2]) -> Outcome {
    assert_eq!(alone.code, streamed.code, "{alone:#?} {streamed:#?}");
    assert_eq!(timeless(&alone.json()), timeless(&streamed.json()));
    assert_eq!(alone.stderr, streamed.stderr);
    alone
}

/// One that may cost a dollar.
const PAID: &str = r#"
name = "paid"
[[stage]]
name = "first"
agent.effect = "pure"
agent.limits.max_cost_usd = 1
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 1"]
default_next = "second"
[[stage]]
name = "second"
agent.effect = "unsafe"
agent.limits.max_cost_usd = 1
agent.subprocess.command = ["sh", "-c", "kill -9 $$"]
tries = 1
"#;

#[test]
fn one_envelope_in_a_stream_gives_what_it_gives_alone() {
    let yard = Yard::new();
    let (two, paid, asks) =
        (yard.file("two.toml", TWO), yard.file("paid.toml", PAID), asking(&yard));
    let repo = repository(&yard);
    let good = yard.envelope("who calls hash_password?", &[]);
    let with = |members: Value| {
        let mut envelope = good.clone();
        for (name, value) in members.as_object().expect("members") {
            envelope[name] = value.clone();
        }
        format!("{envelope}\n").into_bytes()
    };
    let plain = with(json!({}));
    let check = |document: &[u8], args: &[&str], code: i32, told: &str| {
        let out = same(both(&yard, document, args)).exits(code);
        assert!(out.stderr.contains(told) && out.stderr.is_empty() == told.is_empty(), "{out:#?}");
        // Programs get the same, in their form.
        same(both(&yard, document, &[args, &["--json"]].concat())).exits(code)
    };
    // Envelopes: done, stopped on the way, past it, over, waiting, out of money, calls and hops.
    check(&plain, &["--repo", &repo], 0, "");
    check(&plain, &["--pipeline", &two], 0, "");
    check(&plain[..plain.len() - 1], &["--pipeline", &two], 0, "");
    check(&plain, &["--pipeline", &two, "--until", "first"], 0, "");
    let past = with(json!({"current_stage": "second", "outputs": {"first": {"a": 1}}}));
    check(
        &past,
        &["--pipeline", &two, "--until", "first"],
        0,
        "note: at second the envelope is past",
    );
    let over = with(json!({"terminated": true, "terminal_reason": "denied_by_policy"}));
    check(&over, &["--pipeline", &two], 0, "note: the envelope is terminated (denied_by_policy)");
    check(&plain, &["--pipeline", &asks], 0, "");
    let waits = with(json!({"metadata": {"waits": [{"interaction": "call-1", "kind": "limit"}]}}));
    same(both(&yard, &waits, &["--pipeline", &two])).exits(0);
    for (cost, reason) in [("0", "$0; $0 is spent"), ("1.5", "$1.5; $1 is spent")] {
        let out = check(&plain, &["--pipeline", &paid, "--cost", cost], 0, "");
        let told = out.json()["errors"][0].clone();
        assert_eq!(told["error_type"], "LIMIT_COST", "{told}");
        assert!(told["message"].to_string().contains(reason), "{told}");
    }
    check(&plain, &["--pipeline", &paid], 0, "note: the outcome of stage second is unknown");
    check(&plain, &["--pipeline", &two, "--calls", "1"], 0, "");
    check(&with(json!({"max_agent_hops": 1})), &["--pipeline", &two], 0, "");
    // No envelopes, and what stands in the way.
    let malformed =
        check(b"{\"a\": 1, \"a\": 2}\n", &["--pipeline", &two], 1, "error[MALFORMED]: ");
    assert_eq!(malformed.json()["errors"][0]["details"], json!({"line": 1}));
    check(b"nonsense", &["--pipeline", &two], 1, "error[MALFORMED]: not JSON: ");
    check(b"\"\xff\"\n", &["--pipeline", &two], 1, "error[MALFORMED]: invalid UTF-8 at line 1");
    check(
        b"{}\r\n",
        &["--pipeline", &two],
        1,
        "error[CONTRACT_BREACH]: the document is no envelope",
    );
    check(&plain, &["--pipeline", &two, "--max-bytes", "99"], 1, "error[MALFORMED]: the document");
    let nowhere = with(json!({"current_stage": "nowhere"}));
    check(
        &nowhere,
        &["--pipeline", &two],
        1,
        "error[UNKNOWN_STAGE]: the pipeline two has no stage",
    );
    check(&plain, &["--pipeline", "/no/such.toml"], 1, "error[FILE_UNREADABLE]: ");
    check(&plain, &["--pipeline", &two, "--until", "third"], 1, "error[UNKNOWN_STAGE]: ");
    check(b"", &[&repo, "--pipeline", &two], 1, "error[FILE_UNREADABLE]: ");
    check(b"", &["/no/such.json", "--pipeline", &two], 1, "error[FILE_UNREADABLE]: ");
}

/// A document may be laid out over many lines only where it is alone. Its error names the line all the same.
#[test]
fn where_a_document_breaks_is_a_line_of_the_input() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let alone = yard.process("{\n  \"a\": 1,\n  b\n}", &["--pipeline", &two]).exits(1);
    let alone = alone.telling("expected a key in double quotes at line 3, column 3");
    assert_eq!(alone.json()["errors"][0]["details"], json!({"line": 3}));
    let lines = "\n{}\n\n{b}\n";
    let streamed = yard.process(lines, &["--pipeline", &two, "--stream"]).exits(1);
    let streamed = streamed
        .telling("error[CONTRACT_BREACH]: line 2: the document is no envelope")
        .telling("error[MALFORMED]: line 4: not JSON: expected a key in double quotes at line 4, column 2");
    let named: Vec<_> = streamed.json_lines();
    assert_eq!(named[0]["errors"][0]["details"]["line"], 2);
    assert_eq!(named[1]["errors"][0]["details"]["line"], 4);
}

#[test]
fn one_envelope_that_a_signal_stops_says_the_same_in_a_stream() {
    let yard = Yard::new();
    yard.waiting_program("1");
    let slow = yard.file(
        "slow.toml",
        "name = \"slow\"\n[[stage]]\nname = \"wait\"\nagent.effect = \"pure\"\n\
         agent.subprocess.command = [\"sh\", \"wait.sh\"]\ninput = \"{{raw_input}}\"\n",
    );
    let asked = yard.file("asked.json", format!("{}\n", yard.envelope("slow", &[])));
    let stopped = [&[][..], &["--stream"]].map(|stream| {
        let args = [&["process", &asked, "--pipeline", &slow], stream].concat();
        let process = yard.home.let_go_on(yard.consign(&args));
        until("it begins", || yard.path("begun-slow").exists().then_some(()));
        process.signal(Signal::INT);
        let out = process.wait().exits(130);
        std::fs::remove_file(yard.path("begun-slow")).expect("it is there");
        out
    });
    same(stopped).telling("note: stopped at wait: send the envelope through again");
}
