//! What holds for every contract and every document, drawn at random.
//!
//! The seed is fixed, so that nobody's change fails for a document that has always failed. Explore
//! with `PROPTEST_RNG_SEED=… PROPTEST_CASES=… cargo nextest run -p consign-contracts`.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    env,
};

use consign_contracts::{
    Breach, Contract,
    compat::{self, Compatibility},
    json::{self, Json},
    schema::Schema,
};
use jsonschema::Validator;
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};

use crate::generate;

/// A runner of so many cases, unless the environment says otherwise.
fn runner(cases: u32) -> TestRunner {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0x00C0_4516);
    }
    TestRunner::new(config)
}

/// Runs a property and panics with its own words instead of the drawn value's insides.
pub(crate) fn hold<S: Strategy>(
    cases: u32,
    about: &str,
    strategy: &S,
    property: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    match runner(cases).run(strategy, property) {
        Ok(()) => {}
        Err(TestError::Fail(reason, _)) => panic!("{about}: {reason}"),
        Err(TestError::Abort(reason)) => panic!("{about}: {reason}"),
    }
}

/// Runs a property with valid documents of every contract.
fn hold_for_every_contract(
    cases: u32,
    property: impl Fn(&Contract, &Json<'static>, Json<'static>) -> Result<(), TestCaseError>,
) {
    for contract in Contract::all() {
        let schema = contract.source();
        hold(cases, contract.name, &generate::valid(&schema), |document| {
            property(contract, &schema, document)
        });
    }
}

/// The breaches' places and rules, one a line.
fn told(breaches: &[Breach]) -> String {
    breaches.iter().map(|breach| format!("\n  {} {breach}", breach.keyword)).collect()
}

#[test]
fn a_valid_document_is_accepted() {
    hold_for_every_contract(64, |contract, _, document| {
        let verdict = contract.schema().check(&document);
        prop_assert!(verdict.is_valid(), "{document}{}", told(&verdict.breaches));
        Ok(())
    });
}

#[test]
fn a_valid_document_survives_its_type_and_its_text() {
    hold_for_every_contract(64, |contract, _, document| {
        match contract.through_type(&document) {
            Ok(again) => prop_assert!(again == document, "{document} became {again}"),
            Err(breach) => prop_assert!(false, "{document}: {breach}"),
        }
        for text in [document.to_string(), format!("{document:#}")] {
            let again = json::parse(text.as_bytes());
            prop_assert!(again.as_ref() == Ok(&document), "{text} became {again:?}");
        }
        Ok(())
    });
}

#[test]
fn every_violation_is_refused_and_named() {
    let tried = RefCell::new(BTreeSet::new());
    hold_for_every_contract(24, |contract, schema, document| {
        for violation in generate::violations(schema, &document) {
            tried.borrow_mut().insert(violation.keyword);
            let broken = violation.of(&document);
            let verdict = contract.schema().check(&broken);
            let named = verdict.breaches.iter().any(|breach| {
                breach.pointer == violation.pointer && breach.keyword == violation.keyword
            });
            prop_assert!(
                named && !contract.schema().is_valid(&broken),
                "{violation:?} of {document}{}",
                told(&verdict.breaches)
            );
        }
        Ok(())
    });
    // Nothing above would fail if the generator gave out nothing.
    let expected = "additionalProperties anyOf enum format maxItems maxLength maximum minItems \
                    minLength minimum pattern required type uniqueItems";
    assert_eq!(tried.into_inner(), expected.split(' ').collect());
}

#[test]
fn the_type_refuses_no_valid_document_and_never_panics_on_another() {
    let contracts: Vec<_> = Contract::all().collect();
    hold(500, "any document", &generate::anything(), |document| {
        for contract in &contracts {
            let verdict = contract.schema().check(&document);
            prop_assert_eq!(verdict.is_valid(), contract.schema().is_valid(&document));
            let through = contract.through_type(&document);
            if verdict.is_valid() {
                prop_assert_eq!(through.as_ref(), Ok(&document), "{}", contract.name);
            }
        }
        Ok(())
    });
}

/// The places and rules that another reading of the same schema finds broken.
///
/// The validator is the one that we use, but on plain `serde_json` values: what differs is our own
/// representation, which is ours to get wrong. `None` where `serde_json` cannot hold the document.
fn oracle(validator: &Validator, document: &Json<'_>) -> Option<BTreeSet<(String, String)>> {
    let value = serde_json::from_str(&document.to_string()).ok()?;
    let errors = validator.iter_errors(&value);
    let told = errors.map(|error| {
        (error.instance_path().as_str().to_owned(), error.kind().keyword().to_owned())
    });
    Some(told.collect())
}

#[test]
fn another_reading_of_the_schema_agrees() {
    let uuid = regex::Regex::new(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\z");
    let uuid = uuid.expect("the pattern is regular");
    let validator = |contract: &Contract| {
        let uuid = uuid.clone();
        jsonschema::draft7::options()
            .should_validate_formats(true)
            .with_format("uuid", move |text: &str| uuid.is_match(text))
            .build(&serde_json::from_str(contract.published()).expect("it is JSON"))
            .expect("a published schema compiles")
    };
    let validators: HashMap<&str, Validator> =
        Contract::all().map(|contract| (contract.name, validator(contract))).collect();
    hold_for_every_contract(12, |contract, schema, document| {
        let validator = &validators[contract.name];
        let broken = generate::violations(schema, &document);
        let broken = broken.iter().map(|violation| violation.of(&document));
        for document in broken.chain([document.clone()]) {
            let verdict = contract.schema().check(&document);
            let ours = verdict.breaches.into_iter().map(|breach| (breach.pointer, breach.keyword));
            let ours: BTreeSet<_> = ours.collect();
            if let Some(theirs) = oracle(validator, &document) {
                prop_assert!(ours == theirs, "{document}: we say {ours:?}, it says {theirs:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn bytes_of_any_kind_are_read_or_refused_by_every_contract() {
    let contracts: Vec<_> = Contract::all().collect();
    let mangled = (0..contracts.len(), any::<prop::sample::Index>(), any::<[u8; 2]>());
    let documents: Vec<_> =
        contracts.iter().map(|contract| generate::valid(&contract.source())).collect();
    let mangled = mangled.prop_flat_map(|(contract, at, bytes)| {
        documents[contract].clone().prop_map(move |document| {
            let mut text = document.to_string().into_bytes();
            let at = at.index(text.len());
            text.splice(at..(at + usize::from(bytes[0] % 3)).min(text.len()), [bytes[1]]);
            text
        })
    });
    let bytes = prop_oneof![1 => prop::collection::vec(any::<u8>(), 0..40), 3 => mangled];
    hold(1500, "any bytes", &bytes, |bytes| {
        let Ok(document) = json::parse(&bytes) else { return Ok(()) };
        for contract in &contracts {
            let verdict = contract.schema().check(&document);
            if verdict.is_valid() {
                let through = contract.through_type(&document);
                prop_assert!(through.as_ref() == Ok(&document), "{}: {document}", contract.name);
            }
        }
        Ok(())
    });
}

#[test]
fn nonsense_in_the_words_of_json_schema_is_compiled_or_refused() {
    let inputs = (generate::nonsense(), generate::small_document());
    hold(4000, "any schema", &inputs, |(schema, document)| {
        if let Ok(schema) = Schema::compile(&Json::from(&schema)) {
            let document = Json::from(&document);
            prop_assert_eq!(schema.check(&document).is_valid(), schema.is_valid(&document));
        }
        Ok(())
    });
}

#[test]
fn nonsense_in_the_words_of_json_schema_is_compared_or_refused() {
    hold(600, "any schemas", &(generate::nonsense(), generate::nonsense()), |(old, new)| {
        let _ = compat::compare(&Json::from(&old), &Json::from(&new));
        Ok(())
    });
}

#[test]
fn a_verdict_on_two_versions_is_true() {
    let documents = prop::collection::vec(generate::small_document(), 40);
    hold(250, "two versions", &(generate::versions(), documents), |((old, new), documents)| {
        let (old, new) = (Json::from(&old), Json::from(&new));
        let Ok(verdict) = compat::compare(&old, &new) else { return Ok(()) };
        let before = Schema::compile(&old).expect("it was compared");
        let after = Schema::compile(&new).expect("it was compared");
        match verdict {
            Compatibility::Compatible => {
                for document in documents.iter().map(Json::from) {
                    let lost = before.is_valid(&document) && !after.is_valid(&document);
                    prop_assert!(!lost, "{old} to {new} loses {document}");
                }
            }
            Compatibility::Incompatible(example) => {
                let document = &example.document;
                prop_assert!(before.is_valid(document), "{old} to {new}: {document} never was");
                let breaches = after.check(document).breaches;
                prop_assert!(!breaches.is_empty(), "{old} to {new}: {document} still is");
                prop_assert_eq!(breaches, example.breaches);
            }
            Compatibility::Unknown(_) => {}
        }
        Ok(())
    });
}

#[test]
fn a_schema_of_endless_documents_is_compared() {
    let endless = json::parse(br##"{"minProperties": 1, "additionalProperties": {"$ref": "#"}}"##);
    let null = json::parse(br#"{"type": "null"}"#).expect("it is JSON");
    assert!(compat::compare(&endless.expect("it is JSON"), &null).is_ok());
}
