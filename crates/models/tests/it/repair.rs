//! The first rung of the repair ladder: a corpus of damaged answers, and properties of any answer.

mod bases;
mod corpus;
mod properties;
mod table;
mod tokens;

use consign_models::repair::{Mended, Unmendable, errors_for_model, read};
use corpus::{Case, Corpus, Truth};
use table::Table;

#[test]
fn no_damaged_answer_is_read_as_another_value_than_the_true_one() {
    let mut table = Table::default();
    for base in bases::ALL.iter() {
        for case in Corpus::of(base).cases {
            let with_schema = read(&case.text, Some(base.expected()));
            judge(&case, base, &with_schema);
            table.count(case.damage, &with_schema);
            // Without a schema to lean on there is no excuse either, where the damage is visible.
            if case.truth != Truth::Breach {
                judge(&case, base, &read(&case.text, None));
            }
        }
    }
    assert!(table.cases() >= 1000, "{} cases", table.cases());
    table.compare_with_the_page();
}

fn judge(case: &Case, base: &bases::Base, read: &Result<Mended, Unmendable>) {
    let shown: String = case.text.chars().take(2000).collect();
    match read {
        Ok(mended) => {
            assert_eq!(case.truth, Truth::Base, "{}: read {mended:?} from {shown}", case.damage);
            let tree = mended.output.tree().unwrap();
            assert_eq!(tree, base.truth, "{}: read {mended:?} from {shown}", case.damage);
        }
        Err(unmendable) => {
            if case.truth == Truth::Breach {
                assert_eq!(unmendable.code(), "breached", "{}: {shown}", case.damage);
            }
            let told = errors_for_model(unmendable);
            assert!(told.len() <= 4096, "{}: {told}", case.damage);
            assert_eq!(*unmendable == Unmendable::Empty, is_blank(&case.text), "{shown:?}");
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(['\u{feff}', ' ', '\n', '\t']).is_empty()
}
