//! Sample values: of every contract, and of schemas that nobody wrote.

use std::cell::Cell;

use consign_contracts::{Contract, json::Json, sample, schema::Schema};
use proptest::prelude::*;

use crate::{generate, properties::hold};

#[test]
fn the_sample_of_every_published_schema_is_valid_and_has_a_type() {
    for contract in Contract::all() {
        let source = contract.source();
        let least = sample::least(&source);
        let least = least.unwrap_or_else(|why| panic!("{}: {why}", contract.name));
        // There may be none to show: `…` is no instant and no identifier.
        for document in std::iter::once(least).chain(sample::shown(&source)) {
            let verdict = contract.schema().check(&document);
            assert!(verdict.is_valid(), "{}: {document}: {verdict:?}", contract.name);
            let through = contract.through_type(&document);
            assert!(through.is_ok(), "{}: {document}: {through:?}", contract.name);
        }
    }
}

#[test]
fn a_sample_of_any_schema_is_valid_or_there_is_none() {
    let (found, satisfiable) = (Cell::new(0_u32), Cell::new(0_u32));
    let documents = prop::collection::vec(generate::small_document(), 40);
    hold(1500, "any schema", &(generate::schema(), documents), |(schema, documents)| {
        let schema = Json::from(&schema);
        let compiled = Schema::compile(&schema).expect("the generator writes schemas");
        match sample::least(&schema) {
            Ok(document) => {
                prop_assert!(compiled.is_valid(&document), "{schema}: {document}");
                found.set(found.get() + 1);
                satisfiable.set(satisfiable.get() + 1);
            }
            Err(_) => {
                let any = documents.iter().any(|document| compiled.is_valid(&Json::from(document)));
                satisfiable.set(satisfiable.get() + u32::from(any));
            }
        }
        Ok(())
    });
    // Of the schemas that allow something, few are too much for it.
    let (found, satisfiable) = (found.get(), satisfiable.get());
    assert!(found * 100 >= satisfiable * 95, "{found} of {satisfiable}");
}

#[test]
fn nonsense_in_the_words_of_json_schema_has_a_valid_sample_or_none() {
    hold(3000, "any schema", &generate::nonsense(), |schema| {
        let schema = Json::from(&schema);
        for make in [sample::least, sample::shown] {
            if let Ok(document) = make(&schema) {
                let compiled = Schema::compile(&schema).expect("it has a sample");
                prop_assert!(compiled.is_valid(&document), "{schema}: {document}");
            }
        }
        Ok(())
    });
}
