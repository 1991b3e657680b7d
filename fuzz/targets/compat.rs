//! Two schemas and a document, with a zero byte between them.
//!
//! A counter-example must be one. Where there is said to be none, the document must not be one.

#![no_main]

use consign_contracts::{
    compat::{self, Compatibility},
    json,
    schema::Schema,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |byte| *byte == 0);
    let mut part = || json::parse(parts.next()?).ok();
    let (Some(old), Some(new), document) = (part(), part(), part()) else { return };
    let Ok(verdict) = compat::compare(&old, &new) else { return };
    let before = Schema::compile(&old).expect("it was compared");
    let after = Schema::compile(&new).expect("it was compared");
    match verdict {
        Compatibility::Compatible => {
            if let Some(document) = document {
                assert!(!before.is_valid(&document) || after.is_valid(&document), "{document}");
            }
        }
        Compatibility::Incompatible(example) => {
            assert!(before.is_valid(&example.document), "{}", example.document);
            assert!(!after.is_valid(&example.document), "{}", example.document);
            assert_eq!(after.check(&example.document).breaches, example.breaches);
        }
        Compatibility::Unknown(reason) => assert!(!reason.is_empty()),
    }
});
