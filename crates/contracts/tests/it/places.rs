//! What stands at a place of a message, without the message being written.

use consign_contracts::{
    envelope::Envelope,
    json::Json,
    wire::{Message, Wire},
};

use crate::golden::Golden;

/// Every place of a document, with what stands there.
fn places<'a>(
    json: &'a Json<'static>,
    at: Vec<String>,
    all: &mut Vec<(Vec<String>, &'a Json<'static>)>,
) {
    let deeper = |name: String| at.iter().cloned().chain([name]).collect();
    match json {
        Json::Object(members) => {
            members.iter().for_each(|(name, member)| places(member, deeper(name.to_owned()), all));
        }
        Json::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(item, value)| places(value, deeper(item.to_string()), all));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
    all.push((at, json));
}

#[test]
fn what_is_found_is_what_would_be_written_there() {
    let golden = Golden::all().into_iter().filter(|golden| golden.contract == Envelope::NAME);
    let (mut documents, mut looked) = (0, 0);
    for golden in golden {
        let envelope = Envelope::read(&golden.document().unwrap()).unwrap();
        let written = envelope.write();
        let mut all = Vec::new();
        places(&written, Vec::new(), &mut all);
        for (place, value) in &all {
            let mut place: Vec<_> = place.iter().map(String::as_str).collect();
            let found = envelope.find(&place).map(|found| found.written());
            assert_eq!(found.as_ref(), Some(*value), "{} {place:?}", golden.slug);
            place.push("nowhere");
            assert!(envelope.find(&place).is_none(), "{} {place:?}", golden.slug);
            place.pop();
            place.push("999999");
            assert!(envelope.find(&place).is_none(), "{} {place:?}", golden.slug);
        }
        (documents, looked) = (documents + 1, looked + all.len());
    }
    assert!(documents >= 2 && looked > 100, "{looked} places of {documents} documents");
}
