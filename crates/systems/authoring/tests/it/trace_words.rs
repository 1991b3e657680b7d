//! The page for users lists the words that Trace goes by.

use consign_authoring::trace::words::{ACTOR_ADJECTIVES, ACTORS, ARTICLES, Class, NEGATIONS};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/spec/authoring.md");

#[test]
fn the_page_lists_the_words() {
    let page = std::fs::read_to_string(PAGE).expect("the page is there");
    let listed = |words: &[&str]| {
        words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    };
    let row = |name: &str, words: &[&str]| {
        let row = format!("| {name} | {} |", listed(words));
        assert!(page.contains(&row), "the page needs this row:\n{row}");
    };
    row("articles", ARTICLES);
    row("adjectives", ACTOR_ADJECTIVES);
    row("actors", ACTORS);
    for class in [Class::Permission, Class::ErrorHandling, Class::EdgeCase] {
        row(&format!("`{}`", class.as_str()), class.words());
    }
    assert!(page.contains(&format!("one of {}, or a word", listed(NEGATIONS))));
}

#[test]
fn no_word_is_in_two_lists_and_every_list_is_sorted() {
    let mut all: Vec<&str> = Class::ALL.iter().flat_map(|class| class.words()).copied().collect();
    for words in Class::ALL.iter().map(|class| class.words()).chain([ARTICLES, ACTORS]) {
        assert!(words.is_sorted(), "{words:?}");
    }
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}
