//! The same value has the same mark for a whole session, and what is stored tells nothing.

use consign_guard::{Guard, Kept, Marks, Options};
use proptest::prelude::*;

use super::marks;

fn redacted(text: &str, marks: &mut Marks) -> String {
    Guard::new(Options::default()).check_input(text, marks).sanitized
}

#[test]
fn a_value_keeps_its_mark_however_it_is_written() {
    let mut marks = marks();
    assert_eq!(redacted("a@example.com, b@example.com", &mut marks), "[EMAIL], [EMAIL_2]");
    assert_eq!(redacted("B@Example.com and A@example.COM", &mut marks), "[EMAIL_2] and [EMAIL]");
    assert_eq!(redacted("c (at) example (dot) com", &mut marks), "[EMAIL_3]");
    assert_eq!(redacted("c@example.com", &mut marks), "[EMAIL_3]");
    assert_eq!(redacted("+49 171 1234567 or 0049-171-1234567", &mut marks), "[PHONE] or [PHONE]");
    assert_eq!(redacted("4111 1111 1111 1111 4111111111111111", &mut marks), "[CARD] [CARD]");
}

#[test]
fn a_session_goes_on_after_it_was_stored() {
    let mut first = marks();
    redacted("a@example.com b@example.com", &mut first);
    let stored = serde_json::to_string(first.kept()).expect("it can be written");
    assert!(!stored.contains("example") && !format!("{first:?}").contains("example"));
    let kept: Kept = serde_json::from_str(&stored).expect("it can be read");
    let mut again = Marks::resume([7; 32], kept.clone());
    assert_eq!(redacted("b@example.com c@example.com", &mut again), "[EMAIL_2] [EMAIL_3]");
    // Who has another key learns nothing about values: all of them are new.
    let mut other = Marks::resume([8; 32], kept);
    assert_eq!(redacted("a@example.com", &mut other), "[EMAIL_3]");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn marks_depend_on_nothing_but_the_order_of_values(
        names in proptest::collection::vec("[a-z]{3,8}", 1..8),
    ) {
        let text = names.iter().map(|it| format!("{it}@example.com")).collect::<Vec<_>>().join(" ");
        let (mut one, mut two) = (marks(), marks());
        let first = redacted(&text, &mut one);
        prop_assert_eq!(&first, &redacted(&text, &mut two));
        prop_assert_eq!(&first, &redacted(&text, &mut one), "a second time");
        prop_assert_eq!(one.kept(), two.kept());
        prop_assert!(!first.contains('@'));
        // What was redacted stays as it is.
        prop_assert_eq!(&first, &redacted(&first, &mut one));
    }
}
