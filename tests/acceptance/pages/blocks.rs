//! The examples of a page: blocks of code in their order, and samples of what they print.

use serde_json::Value;

/// The blocks of a page, each with its language.
pub(crate) fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("```") {
        let (language, after) = after.split_once('\n').expect("a block begins on a line");
        let (block, after) = after.split_once("```").expect("a block ends");
        blocks.push((language.to_owned(), block.to_owned()));
        rest = after;
    }
    blocks
}

/// Demands that everything in a sample is in what there is. `…` stands for any text, at the end of one too.
#[track_caller]
pub(crate) fn has(found: &Value, sample: &Value, of: &str) {
    match (found, sample) {
        (Value::Object(found), Value::Object(sample)) => {
            for (name, sample) in sample {
                let member = found.get(name).unwrap_or_else(|| panic!("no {name} in {found:?}"));
                has(member, sample, of);
            }
        }
        (Value::Array(found), Value::Array(sample)) => {
            assert!(found.len() >= sample.len(), "{found:?}: {of}");
            found.iter().zip(sample).for_each(|(found, sample)| has(found, sample, of));
        }
        (Value::String(found), Value::String(sample)) => match sample.strip_suffix('…') {
            Some(begins) => assert!(found.starts_with(begins), "{found}: {of}"),
            None => assert_eq!(found, sample, "{of}"),
        },
        (Value::Number(found), Value::Number(sample)) => {
            assert_eq!(found.as_f64(), sample.as_f64(), "{of}");
        }
        (found, sample) => assert_eq!(found, sample, "{of}"),
    }
}
