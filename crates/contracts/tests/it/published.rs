//! What is published: the files under `schemas/`, the contracts' names, and the tables of codes.

use std::{
    collections::BTreeSet,
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
};

use consign_contracts::{
    Contract,
    authoring::ErrorCode,
    bridge::{ErrorType, ExitCode, Recovery},
    crew::{Expected, FailureCode},
    json::{self, Json},
    schema::Schema,
};
use sha2::{Digest, Sha256};

/// Every contract. A name that leaves this list breaks somebody's program.
const NAMES: &[&str] = &[
    "bridge/agent-request",
    "bridge/agent-response",
    "bridge/template-create-state",
    "bridge/response.codebase_analysis",
    "bridge/response.agent_creation",
    "bridge/response.agent_enhancement",
    "job/agent-response",
    "job/manifest",
    "job/request",
    "job/history",
    "envelope/envelope",
    "envelope/output.perception",
    "envelope/output.intent",
    "envelope/output.plan",
    "envelope/output.execution",
    "envelope/output.critic",
    "envelope/output.integration",
    "envelope/processing-record",
    "envelope/error",
    "authoring/scribe.payload",
    "authoring/scribe.result",
    "authoring/trace.payload",
    "authoring/trace.result",
    "authoring/proto.payload",
    "authoring/proto.result",
    "authoring/submit",
    "authoring/submitted",
    "authoring/job",
    "authoring/list",
    "authoring/cancelled",
    "authoring/revise",
    "authoring/revised",
    "authoring/error",
    "crew/guardrails.input",
    "crew/guardrails.output",
    "crew/connector.input",
    "crew/connector.output",
    "crew/parser.input",
    "crew/parser.output",
    "crew/memory.query",
    "crew/memory.output",
    "crew/tailor.input",
    "crew/tailor.output",
    "crew/orchestrator.input",
    "crew/orchestrator.output",
    "crew/conversation-state",
    "crew/agent-metadata",
    "crew/agent-failure",
    "engine/event",
    "engine/interaction",
    "engine/fault",
    "engine/pipeline",
    "engine/run",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn file_of(contract: &Contract) -> PathBuf {
    folder().join(contract.name).with_added_extension("json")
}

/// Every file in a folder and in those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_contract_is_published_and_nothing_else() {
    let now = "run `cargo run -p consign-contracts --example publish`";
    let mut expected = BTreeSet::new();
    for contract in Contract::all() {
        let file = file_of(contract);
        let text = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            text == contract.published(),
            "schemas/{}.json is out of date: {now}",
            contract.name
        );
        expected.insert(file);
    }
    let found: BTreeSet<_> = files(&folder()).into_iter().collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(extra.is_empty(), "{extra:?} are no contract's: {now}");
}

#[test]
fn a_published_schema_is_a_schema_of_draft_07() {
    for contract in Contract::all() {
        let schema = serde_json::from_str(contract.published()).expect("it is JSON");
        if let Err(error) = jsonschema::draft7::meta::validate(&schema) {
            panic!("{}: {error}", contract.name);
        }
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        assert_eq!(schema["title"], contract.title);
        let source = json::parse(contract.published().as_bytes()).expect("it is JSON");
        assert_eq!(source, contract.source(), "{}", contract.name);
        // As anybody would compile it, and as we do.
        assert!(Schema::compile(&source).is_ok(), "{}", contract.name);
        assert!(!contract.schema().is_valid(&Json::Null), "{}", contract.name);
    }
}

#[test]
fn the_contracts_are_the_ones_we_promised() {
    let names: Vec<&str> = Contract::all().map(|contract| contract.name).collect();
    assert_eq!(names, NAMES);
    let form = regex::Regex::new("^[a-z]+/[a-z._-]+$").expect("the pattern is regular");
    for contract in Contract::all() {
        let name = contract.name;
        assert!(form.is_match(name), "{name}");
        assert_eq!(name.split('/').next(), Some(contract.document.family), "{name}");
        let found = Contract::find(name).expect("it is listed");
        assert!(std::ptr::eq(found, contract), "{name} is not the only one of its name");
    }
    for stranger in ["", "bridge", "bridge/", "bridge/agent-request.json", "Bridge/Agent-Request"] {
        assert!(Contract::find(stranger).is_none(), "{stranger}");
    }
}

#[test]
fn a_digest_is_that_of_the_published_file() {
    for contract in Contract::all() {
        let bytes = fs::read(file_of(contract)).expect("it is published");
        let digest: String =
            Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(contract.digest(), format!("sha256:{digest}"), "{}", contract.name);
    }
}

/// Holds a table against every word of a vocabulary, in the document's order.
fn check_table<W: Copy + Debug, V: PartialEq + Debug>(
    words: &[W],
    name: impl Fn(W) -> &'static str,
    value: impl Fn(W) -> V,
    expected: &[(&'static str, V)],
) {
    let found: Vec<_> = words.iter().map(|word| (name(*word), value(*word))).collect();
    assert_eq!(found.as_slice(), expected);
}

/// Authoring, sections 5.1 to 5.1d.
#[test]
fn every_authoring_error_has_the_http_status_of_its_document() {
    let expected = [
        ("AI_RATE_LIMITED", 429),
        ("AI_PROVIDER_ERROR", 503),
        ("AI_INVALID_RESPONSE", 503),
        ("AI_NETWORK_ERROR", 503),
        ("AI_AUTH_ERROR", 502),
        ("AI_KEY_MISSING", 412),
        ("AI_MODEL_NOT_FOUND", 404),
        ("MODEL_NOT_ALLOWED", 400),
        ("UNAUTHORIZED", 401),
        ("INVALID_CREDENTIALS", 401),
        ("EMAIL_IN_USE", 409),
        ("USER_NOT_FOUND", 404),
        ("EMAIL_NOT_VERIFIED", 403),
        ("ALREADY_VERIFIED", 403),
        ("INVALID_CODE", 400),
        ("RATE_LIMITED", 429),
        ("USER_DISABLED", 403),
        ("INVALID_PROVIDER", 400),
        ("OAUTH_NOT_CONFIGURED", 503),
        ("ENCRYPTION_NOT_CONFIGURED", 503),
        ("DUPLICATE_KEY", 409),
        ("FORBIDDEN", 403),
        ("VALIDATION_ERROR", 400),
        ("NOT_FOUND", 404),
        ("INVALID_STATE", 409),
        ("DATABASE_ERROR", 500),
        ("INTERNAL_ERROR", 500),
    ];
    assert_eq!(expected.len(), 27);
    check_table(ErrorCode::ALL, ErrorCode::as_str, ErrorCode::http_status, &expected);
}

/// Authoring, section 5.1: only the errors of models and agents have words for users.
#[test]
fn every_authoring_error_of_a_model_has_the_words_of_its_document() {
    let expected = [
        ("AI_RATE_LIMITED", "The AI service is busy. Your job will retry automatically."),
        ("AI_PROVIDER_ERROR", "The AI service encountered an error. Please try again."),
        ("AI_INVALID_RESPONSE", "The AI returned an unexpected response. Please retry."),
        ("AI_NETWORK_ERROR", "Could not reach the AI service. Check your connection."),
        ("AI_AUTH_ERROR", "AI authentication failed. Check your API key in Settings."),
        ("AI_KEY_MISSING", "No AI key configured. Add one in Settings > AI Keys."),
        ("AI_MODEL_NOT_FOUND", "The requested model is not available."),
        ("MODEL_NOT_ALLOWED", "This model is not allowed. Choose from the approved list."),
    ];
    let told = |code: &&ErrorCode| code.user_message().is_some();
    let codes: Vec<ErrorCode> = ErrorCode::ALL.iter().filter(told).copied().collect();
    let expected = expected.map(|(code, words)| (code, Some(words)));
    check_table(&codes, ErrorCode::as_str, ErrorCode::user_message, &expected);
}

/// Bridge, "Error Types": two rows speak of a retry, the others of none.
#[test]
fn every_bridge_error_has_a_recovery() {
    let expected = [
        ("AGENT_NOT_FOUND", Recovery::Fallback),
        ("INVOCATION_FAILED", Recovery::Retry),
        ("TIMEOUT", Recovery::Retry),
        ("PARSE_ERROR", Recovery::Fallback),
        ("VALIDATION_ERROR", Recovery::Fallback),
        ("UNKNOWN", Recovery::Fallback),
    ];
    check_table(ErrorType::ALL, ErrorType::as_str, ErrorType::recovery, &expected);
}

#[test]
fn the_bridge_exits_with_0_1_or_42() {
    let codes = [ExitCode::Success, ExitCode::Error, ExitCode::Checkpoint];
    assert_eq!(codes.map(|code| code as u8), [0, 1, 42]);
}

/// Crew, the table of failure codes.
#[test]
fn every_crew_failure_has_an_expected_answer() {
    let expected = [
        ("ERR_GUARDRAIL_INJECTION", Expected::BlockRequest),
        ("ERR_GUARDRAIL_UNSAFE", Expected::BlockResponseAndRetryStricter),
        ("ERR_CONNECTOR_AUTH", Expected::AskForCredentialsOrSkip),
        ("ERR_CONNECTOR_NOT_FOUND", Expected::NotifyAndSkip),
        ("ERR_PARSER_ENCRYPTED", Expected::AskForPasswordOrSkip),
        ("ERR_PARSER_UNSUPPORTED", Expected::NotifyAndSkip),
        ("ERR_MEMORY_NO_RESULTS", Expected::BroadenOrClarify),
        ("ERR_TAILOR_HALLUCINATION", Expected::RetryStrictlyOrAdmit),
        ("ERR_TIMEOUT", Expected::RetryOnceThenFail),
    ];
    check_table(FailureCode::ALL, FailureCode::as_str, FailureCode::expected, &expected);
}
